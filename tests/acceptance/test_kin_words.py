"""A word for a relative means the known person who is called so, in small letters as well: that is how it is written.

Players asked for "dad" and read only the owner's record; a draft for "mum" passed with what she must not have.
"""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack

import pytest

from tests.acceptance.conftest import Assistant, Installation, in_a_task_of_its_own
from tests.acceptance.test_corrections import fact

pytestmark = pytest.mark.anyio
KNOWS, ALLERGY, CALLED = "KNOWS", "HAS_ALLERGY_TO", "IS_CALLED"


@pytest.fixture(scope="module")
async def owner(standing: Installation) -> AsyncIterator[Assistant]:
    """An owner whose mother is recorded as "Mum", and whose father as Frank, called "Dad"."""
    async with AsyncExitStack() as stack:
        one = standing.with_settings(schema="personal", single_subject="me", data_dir=str(standing.folder / "kin"))
        owner = await stack.enter_async_context(in_a_task_of_its_own(one.client()))
        said = "mum's allergic to sesame"
        given = [fact(ALLERGY, "sesame", said)]
        await owner.call("memory_remember", text=said, subject="mum", subject_name="Mum", facts=given)
        said = "dad's Frank. he is allergic to lupin"
        given = [fact(CALLED, "dad", "dad's Frank"), fact(ALLERGY, "lupin", "he is allergic to lupin")]
        await owner.call("memory_remember", text=said, subject="frank", subject_name="Frank", facts=given)
        yield owner


async def read(owner: Assistant, query: str) -> tuple[set[str], str]:
    """The ids of further people whom a request reads, and the block."""
    out = await owner.call("memory_build_context", query=query)
    return set(out.get("also_read", [])), out["block"]


ASKED = (
    ("what can mum eat on saturday", {"mum"}),
    ("what can Mum eat on saturday", {"mum"}),
    ("what can my mum eat on saturday", {"mum"}),
    ("a lunch for my mother please", {"mum"}),
    ("is mum's lunch safe", {"mum"}),
    ("mums lunch, any ideas", {"mum"}),
    ("what does dad have at eight", {"frank"}),
    ("dad's lunch, any ideas", {"frank"}),
    ("what does my dad have at eight", {"frank"}),
    ("lunch for mum and dad", {"mum", "frank"}),
)


@pytest.mark.parametrize(("query", "people"), ASKED, ids=[query for query, _ in ASKED])
async def test_a_word_for_a_relative_in_any_case_reads_the_known_person(
    owner: Assistant, query: str, people: set[str]
) -> None:
    found, block = await read(owner, query)

    assert found == people
    assert "unknown here" not in block


@pytest.mark.parametrize(
    ("draft", "thing"),
    [
        ("Hummus with sesame for mum.", "sesame"),
        ("give my mum the sesame rolls", "sesame"),
        ("Give dad the lupin bread at noon.", "lupin"),
        ("lupin bread for my dad", "lupin"),
    ],
)
async def test_a_draft_for_a_relative_in_small_letters_is_held_against_that_record(
    owner: Assistant, draft: str, thing: str
) -> None:
    checked = await owner.call("memory_check_text", text=draft)

    assert checked["verdict"] == "conflict"
    assert any(thing in each["message"].casefold() for each in checked["findings"])


async def test_a_relative_of_whom_nothing_is_known_is_named_as_unknown(owner: Assistant) -> None:
    for query in ("what can grandma eat on saturday", "a cake for my gran", "a cake for my sister"):
        found, block = await read(owner, query)
        assert found == set(), query
        assert "unknown here" in block, query


async def test_what_is_no_persons_name_is_no_relative(owner: Assistant) -> None:
    for query in ("add 200 gram of flour to the list", "a salary of 30k for Bo"):
        assert "THIS REQUEST NAMES" not in (await read(owner, query))[1], query


async def test_a_fact_of_who_somebody_is_points_to_the_known_person_of_that_alias(owner: Assistant) -> None:
    said = "Dad is my father, Frank, he is 80."
    given = [fact(KNOWS, "Dad", said[:-1], attrs={"who": "father, Frank"})]
    await owner.call("memory_remember", text=said, facts=given)

    for query in ("what does Dad have at eight", "what does dad have at eight", "and my father?"):
        found, block = await read(owner, query)
        assert found == {"frank"}, query
        assert "known here only as told below" not in block
