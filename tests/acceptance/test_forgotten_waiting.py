"""What was forgotten is handed out no more by what waits: neither by the statement it stood in, nor by the wish itself.

Words that may hold a risk stay in view, whatever else of their statement was forgotten.
"""

import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack

import pytest

from tests.acceptance.conftest import Assistant, Installation, in_a_task_of_its_own
from tests.acceptance.test_corrections import fact

pytestmark = pytest.mark.anyio
NOTE, TALK = "HAS_NOTE", "on the train"


@pytest.fixture(scope="module")
async def owner(standing: Installation) -> AsyncIterator[Assistant]:
    async with AsyncExitStack() as stack:
        one = standing.with_settings(schema="personal", single_subject="me", data_dir=str(standing.folder / "waits"))
        yield await stack.enter_async_context(in_a_task_of_its_own(one.client()))


async def told(owner: Assistant, text: str, *notes: str, **more: object) -> dict[str, str]:
    """Tells a text with these of its words as notes; the ids of the notes by their words."""
    given = [fact(NOTE, words[:50].rpartition(" ")[0], words) for words in notes]
    await owner.call("memory_remember", text=text, facts=given, conversation_id=TALK, reply="I see.", **more)
    listed = (await owner.call("memory_list_facts"))["facts"]
    return {each["evidence"]: each["fact_id"] for each in listed if each["evidence"] in notes}


async def forgets(owner: Assistant, id_: str) -> dict[str, object]:
    given = {"change": "entered_in_error", "reason": "asks to forget it", "confirm": True}
    return dict(await owner.call("memory_change_fact", fact_id=id_, **given))


async def everything(owner: Assistant, query: str) -> str:
    """All that a client is handed."""
    found = [
        await owner.call("memory_list_facts"),
        await owner.call("memory_build_context", query=query, conversation_id=TALK, detail=True),
        await owner.call("memory_search", query=query),
        await owner.call("memory_check_text", text=query),
    ]
    return json.dumps(found, ensure_ascii=False).replace(json.dumps(query)[1:-1], "")


async def test_forgotten_words_leave_the_statement_that_waits_for_something_else(owner: Assistant) -> None:
    row = "we fell out in october because he sold my kayak"
    tears = "I wept on the ferry"
    text = f"Kit lives in Leith now, {row}. {tears}. His cousin is Bram, allergic to celery."
    ids = await told(owner, text, row, tears)
    assert "celery" in json.dumps((await owner.call("memory_list_facts"))["pending"])

    changed = [await forgets(owner, id_) for id_ in ids.values()]
    shown = await everything(owner, "A dinner for the neighbours")

    assert [each["outcome"] for each in changed] == ["changed", "changed"]
    assert "which waits" not in str(changed[-1]["note"])
    assert not [word for word in ("kayak", "ferry") if word in shown]
    assert "celery" in json.dumps((await owner.call("memory_list_facts"))["pending"])


async def test_a_wish_that_was_granted_is_quoted_no_more_though_it_says_more(owner: Assistant) -> None:
    words = "Imke told me her brother's lease is in arrears"
    ids = await told(owner, f"{words}.", words)
    wish = "Forget what Imke said about her brother, the landlord thing, she asked me not to keep it"
    await told(owner, f"{wish}. The chairs and the oven stay.")

    await forgets(owner, ids[words])
    shown = await everything(owner, "What is there of Imke?")

    assert not [word for word in ("arrears", "landlord") if word in shown]


async def test_one_wish_for_two_things_is_quoted_no_more_when_both_are_gone(owner: Assistant) -> None:
    first, second = "Mattias left because of a dancer from Turin", "I smashed the blue teapot that evening"
    ids = await told(owner, f"{first}. {second}.", first, second)
    await told(owner, "Forget all that, the dancer, the teapot, why Mattias left.")

    for id_ in ids.values():
        await forgets(owner, id_)
    shown = await everything(owner, "What is there of that evening?")

    assert not [word for word in ("dancer", "teapot") if word in shown]


async def test_a_wish_that_was_not_granted_and_a_risk_stay_in_view(owner: Assistant) -> None:
    await told(owner, "The glue of those plasters made me swell up, says Rosalind.")
    kept = "Rosalind owns the green van"
    ids = await told(owner, f"{kept}.", kept)
    await told(owner, "Forget the plasters and Rosalind's glue.")

    await forgets(owner, ids[kept])
    waiting = json.dumps((await owner.call("memory_list_facts"))["pending"])

    assert "glue of those plasters" in waiting


async def test_no_call_is_advised_that_would_be_refused(owner: Assistant) -> None:
    played, lives, risk = "Runa plays the old cello", "Runa lives in Oslo", "The old cello's glue made me swell up"
    given = [fact(NOTE, "the old cello", played), fact(NOTE, lives, lives)]
    await owner.call("memory_remember", text=f"{played}. {lives}. {risk}.", facts=given)
    listed = await owner.call("memory_list_facts")
    [id_] = [each["fact_id"] for each in listed["facts"] if each["evidence"] == played]

    note = str((await forgets(owner, id_))["note"])

    assert "which waits (a person settles it, page /review)" in note
    assert risk in json.dumps((await owner.call("memory_list_facts"))["pending"])
