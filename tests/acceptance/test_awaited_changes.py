"""What waits for a person stands beside the fact that it may change: over MCP, in the domains of ordinary users.

Issue "In a model's hands", points 5 and 6: a withdrawal that nobody confirmed yet, and a correction that waits.
"""

from collections.abc import AsyncIterator

import pytest

from tests.acceptance.conftest import Installation
from tests.acceptance.test_corrections import fact
from tests.acceptance.test_corrections_by_kind import Domains, domains_of

pytestmark = pytest.mark.anyio
SECRET, ALLERGY, NOTE, PLAN = "MUST_NOT_DISCLOSE", "HAS_ALLERGY_TO", "HAS_NOTE", "PLANS"


@pytest.fixture(scope="module")
async def domains(standing: Installation) -> AsyncIterator[Domains]:
    async with domains_of(standing, "awaited", ("clinical", "personal", "law", "finance")) as opened:
        yield opened


def below(block: str, words: str) -> list[str]:
    """The indented lines right under lines that hold these words."""
    found, is_below = [], False
    for line in block.splitlines():
        if not line.startswith("  "):
            is_below = words in line
        elif is_below:
            found.append(line)
    return found


REQUESTED = (
    (
        "law",
        SECRET,
        "reserve of £60,000",
        "The reserve of £60,000 must not reach the other side.",
        "Draft a letter to the other side.",
        "another client's figure",
    ),
    ("clinical", ALLERGY, "kiwi", "She is allergic to kiwi.", "Prescribe an antibiotic.", "it is her sister's"),
    (
        "finance",
        "RESTRICTED_FROM",
        "Pelham Foods",
        "Pelham Foods is on the restricted list.",
        "Buy shares for her.",
        "entered for the wrong client",
    ),
    ("personal", ALLERGY, "hazelnut", "I'm allergic to hazelnuts.", "What shall I cook tonight?", "that was a joke"),
)


@pytest.mark.parametrize(
    ("domain", "relation", "thing", "told", "query", "why"), REQUESTED, ids=[row[0] for row in REQUESTED]
)
async def test_a_removal_that_is_asked_for_stands_under_the_line_with_who_asked_and_who_confirms(
    domains: Domains, domain: str, relation: str, thing: str, told: str, query: str, why: str
) -> None:
    person = domains.somebody(domain)
    await person.tells(told, [fact(relation, thing, told[:-1])])
    [known] = (await person.facts()).values()

    done = await person.assistant.call(
        "memory_change_fact", fact_id=known["fact_id"], change="entered_in_error", reason=why, confirm=True
    )

    block = await person.block(query)
    [mark] = [line for line in below(block, known["object"]) if "REQUESTED" in line]
    assert done["outcome"] == "requested"
    assert f'removal: "{why}"' in mark
    assert f"r-memory review --approve {done['event_id'][:8]}" in mark
    assert block.count("CHANGE REQUESTED") == 1
    found = await person.assistant.call("memory_search", query=thing, subject=person.id, kinds=["fact"])
    assert "CHANGE REQUESTED, not made" in found["hits"][0]["text"]


WITHDRAWN = (
    ("law", NOTE, "fee cap of £40,000", "The fee cap is £40,000.", "Take the 40k out, wrong client."),
    ("law", NOTE, "guarantor Dana Holt", "The guarantor is Dana Holt.", "Delete that, it belongs to the Moss file."),
    ("finance", NOTE, "ISA of £8,000", "He put £8,000 into the ISA.", "Sorry, take that out again."),
    ("personal", NOTE, "caterer Brook & Co", "The caterer is Brook & Co.", "Forget the caterer."),
)


@pytest.mark.parametrize(("domain", "relation", "thing", "told", "said"), WITHDRAWN, ids=[row[4] for row in WITHDRAWN])
async def test_words_that_ask_to_take_a_note_out_stand_under_it_until_somebody_settles_them(
    domains: Domains, domain: str, relation: str, thing: str, told: str, said: str
) -> None:
    person = domains.somebody(domain)
    await person.tells(told, [fact(relation, thing, told[:-1])])
    [known] = (await person.facts()).values()

    await person.tells(said, [])

    block = await person.block("Write the summary.")
    assert any("MAY CHANGE" in line and said in line for line in below(block, known["object"]))
    assert not any(line.startswith(("CRITICAL", "DISPUTED")) for line in block.splitlines())


CORRECTED = (
    ("law", "HAS_DEADLINE", "defence", "The defence is due on 4 May 2027.", "The defence was moved, I think."),
    ("finance", NOTE, "pension review", "The pension review is in June.", "The pension review was postponed."),
    ("personal", PLAN, "barbecue", "We plan a barbecue on Saturday.", "No, the barbecue is another day."),
    ("clinical", "TAKES", "bisoprolol", "She takes bisoprolol 5 mg.", "The bisoprolol was changed, ask the ward."),
)


@pytest.mark.parametrize(("domain", "relation", "thing", "told", "said"), CORRECTED, ids=[row[2] for row in CORRECTED])
async def test_a_correction_that_waits_marks_the_fact_that_it_may_change(
    domains: Domains, domain: str, relation: str, thing: str, told: str, said: str
) -> None:
    person = domains.somebody(domain)
    await person.tells(told, [fact(relation, thing, told[:-1])])
    [known] = (await person.facts()).values()

    await person.tells(said, None)

    assert await person.waiting()
    block = await person.block(f"What about the {thing}?")
    assert any("MAY CHANGE" in line for line in below(block, known["object"]))
    assert said in block


async def test_a_note_goes_at_once_where_its_owner_says_so(domains: Domains) -> None:
    person = domains.somebody("personal")
    await person.tells("The caterer is Hull & Son.", [fact(NOTE, "caterer", "The caterer is Hull & Son")])
    [known] = (await person.facts()).values()

    done = await person.assistant.call(
        "memory_change_fact",
        fact_id=known["fact_id"],
        change="entered_in_error",
        reason="the person took it back",
        confirm=True,
    )

    assert done["outcome"] == "changed"
    assert "Hull" not in await person.block("Who is the caterer?")
