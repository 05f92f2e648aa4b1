"""Drafts against words that were told and not read for certain: what they forbid, what lifts it, and what is no order.

Everything is read by the local reader alone; issue 28.
"""

from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack
from itertools import count

import pytest

from r_memory import Memory, open_memory
from r_memory.config.settings import load_settings
from r_memory.domain.blocks import DraftCheck
from r_memory.domain.facts import Status
from r_memory.facts.remember.results import Claim
from tests.acceptance.conftest import Installation

pytestmark = pytest.mark.anyio
DAY = 86_400_000
START = 1_780_000_000_000


class People:
    """Somebody new for each test, in the memory of a schema."""

    def __init__(self, memories: dict[str, Memory]) -> None:
        self.memories = memories
        self._numbers = count(1)

    async def told(self, schema: str, *said: str) -> str:
        """The id of somebody of whom this was said, a day apart; each begins with who said it and a colon."""
        who = f"P{next(self._numbers)}"
        for at, words in enumerate(said):
            speaker, _, text = words.partition(": ")
            name = "" if at else f"Kim {who}"
            await self.memories[schema].remember(
                text, subject=who, subject_name=name, speaker=speaker, said_at=START + at * DAY
            )
        return who

    async def checked(self, schema: str, said: Sequence[str], draft: str) -> DraftCheck:
        """What a check says of a draft about somebody of whom this was said."""
        who = await self.told(schema, *said)
        return await self.memories[schema].check_text(draft, subject=who)


@pytest.fixture(scope="module")
async def people(standing: Installation) -> AsyncIterator[People]:
    async with AsyncExitStack() as stack:
        memories = {}
        for schema in ("clinical", "law", "finance"):
            folder = str(standing.folder / f"forbidden-{schema}")
            one = standing.with_settings(schema=schema, space="forbidden", data_dir=folder)
            memories[schema] = await stack.enter_async_context(open_memory(load_settings(one.environment)))
        yield People(memories)


@pytest.mark.parametrize(
    ("schema", "said", "draft"),
    [
        ("clinical", "nurse: No dressings on the left heel.", "Put a foam dressing on the left heel tonight"),
        ("clinical", "daughter: Mum must not be reached by text message.", "Send her a text message about the result"),
        ("clinical", "document: Blackout on the stairs, told not to drive.", "He may drive to work from Monday"),
        ("clinical", "patient: I don't want any drips in my hand.", "Start a drip in the right hand"),
        ("clinical", "patient: Please don't tell my son about the scan.", "Tell her son that the scan was clear"),
        ("law", "client: The clinic address is not to stand on any bill.", "Put the clinic address on the bill"),
        ("law", "client: Under no circumstances ring my landlord.", "Ring her landlord about the rent"),
        ("finance", "compliance: No transfer on a call from the cousin.", "Transfer 900 after the cousin's call"),
        ("finance", "client: No trades by text message, please.", "Confirm the trades by text message"),
    ],
)
async def test_a_ban_that_was_not_read_is_a_conflict_for_a_draft_that_names_it(
    people: People, schema: str, said: str, draft: str
) -> None:
    check = await people.checked(schema, [said], draft)

    words = said.partition(": ")[2]
    assert check.verdict == "conflict"
    assert words in "\n".join(finding.said for finding in check.findings)


@pytest.mark.parametrize(
    ("said", "draft"),
    [
        ("daughter: Mum must not be reached by text message.", "Write her a letter about the result"),
        ("nurse: No dressings on the left heel unless it weeps.", "Put a foam dressing on the left heel tonight"),
        ("patient: Nobody may open the parcels in my locker.", "Move the locker to the second floor"),
    ],
    ids=["another-thing", "with-a-condition", "a-word-by-chance"],
)
async def test_a_ban_of_something_else_or_in_part_is_shown_and_no_conflict(
    people: People, said: str, draft: str
) -> None:
    check = await people.checked("clinical", [said], draft)

    assert check.verdict == "not_checkable"
    assert said.partition(": ")[2] in "\n".join(check.gaps)


async def test_a_draft_that_keeps_to_a_ban_is_no_conflict(people: People) -> None:
    said = ["nurse: No dressings on the left heel."]

    check = await people.checked("clinical", said, "Leave the left heel without dressings")

    assert check.verdict in {"warning", "not_checkable"}


@pytest.mark.parametrize(
    ("schema", "said", "draft"),
    [
        (
            "finance",
            [
                "compliance: No dealing in Kestrel Foods for her until we say so.",
                "compliance: She may now deal in Kestrel Foods.",
            ],
            "Sell 40 Kestrel Foods",
        ),
        (
            "law",
            ["client: The rent figure is not to be published.", "client: The rent figure can now be published."],
            "Publish the rent figure",
        ),
        (
            "clinical",
            ["doctor: She is not to put weight on the left foot.", "doctor: The restriction is lifted."],
            "Walk with weight on the left foot",
        ),
    ],
    ids=["by-its-name", "a-secret", "the-only-ban"],
)
async def test_a_ban_that_was_lifted_is_no_conflict_and_both_are_shown(
    people: People, schema: str, said: list[str], draft: str
) -> None:
    before = await people.checked(schema, said[:1], draft)
    after = await people.checked(schema, said, draft)

    shown = "\n".join((*after.gaps, *(f"{finding.message} {finding.said}" for finding in after.findings)))
    assert before.verdict == "conflict"
    assert after.verdict in {"warning", "not_checkable"}
    assert said[0].partition(": ")[2] in shown


@pytest.mark.parametrize(
    "doubtful",
    [
        "doctor: The restriction may be lifted soon.",
        "doctor: The restriction is not lifted.",
        "son: Is the restriction over?",
    ],
)
async def test_a_ban_is_not_lifted_by_a_doubtful_word(people: People, doubtful: str) -> None:
    said = ["doctor: She is not to put weight on the left foot.", doubtful]

    assert (await people.checked("clinical", said, "Walk with weight on the left foot")).verdict == "conflict"


@pytest.mark.parametrize(
    ("before", "after", "draft"),
    [
        ("patient: I am pregnant.", "patient: I'm not pregnant any more, he was born in June.", "Start ramipril 5 mg"),
        ("nurse: She is 20 weeks pregnant.", "midwife: She is no longer pregnant.", "Start ramipril 5 mg"),
    ],
    ids=["own-words", "a-professional's"],
)
async def test_a_condition_that_is_over_lifts_its_rule(people: People, before: str, after: str, draft: str) -> None:
    who = await people.told("clinical", before, after)
    memory = people.memories["clinical"]

    assert (await people.checked("clinical", [before], draft)).verdict == "conflict"
    check = await memory.check_text(draft, subject=who)
    [fact] = (await memory.list_facts(subject=who)).facts
    assert (check.verdict, check.findings) == ("not_checkable", ())
    assert (fact.status, fact.contradicted) == (Status.RESOLVED, False)


@pytest.mark.parametrize(
    ("before", "after", "draft"),
    [
        ("patient: I am pregnant.", "sister: She is no longer pregnant.", "Start ramipril 5 mg"),
        ("patient: I am pregnant.", "patient: I hope I am no longer pregnant by June.", "Start ramipril 5 mg"),
        (
            "patient: I am allergic to penicillin.",
            "patient: I am no longer allergic to penicillin.",
            "Amoxicillin 500 mg",
        ),
    ],
    ids=["a-relative's", "a-hope", "an-allergy"],
)
async def test_what_nobody_may_end_by_words_stays_a_conflict(
    people: People, before: str, after: str, draft: str
) -> None:
    assert (await people.checked("clinical", [before, after], draft)).verdict == "conflict"


@pytest.mark.parametrize(
    ("schema", "before", "after", "draft"),
    [
        ("clinical", "patient: I have a pacemaker.", "surgeon: The pacemaker was taken out in May.", "MRI of the knee"),
        (
            "finance",
            "compliance: She must not trade Kestrel Foods.",
            "compliance: The restriction on Kestrel Foods was lifted today.",
            "Buy 40 Kestrel Foods shares",
        ),
    ],
)
async def test_a_critical_fact_that_passes_is_warned_of_once_it_is_said_to_be_over(
    people: People, schema: str, before: str, after: str, draft: str
) -> None:
    assert (await people.checked(schema, [before], draft)).verdict == "conflict"
    assert (await people.checked(schema, [before, after], draft)).verdict == "warning"


async def test_what_was_never_asked_is_a_note_where_a_letter_names_nothing(people: People) -> None:
    check = await people.checked(
        "law", ["partner: We act for her in the boundary dispute."], "Send the client our bill."
    )

    assert (check.verdict, [note for note in check.notes if "never asked" in note]) == (
        "nothing_found",
        ["MUST_NOT_DISCLOSE was never asked."],
    )


@pytest.mark.parametrize(
    ("schema", "said", "draft"),
    [
        ("law", "partner: We act for her in the boundary dispute.", "Email the accounts to Holt and Sons"),
        ("law", "partner: We act for her in the boundary dispute.", "Write to the neighbour that she offers 4,000"),
        ("clinical", "patient: I take lisinopril.", "Take the tablets with water"),
        ("clinical", "patient: I take lisinopril.", "Repeat prescription as usual"),
    ],
)
async def test_what_was_never_asked_forbids_calm_where_something_is_named_or_ordered(
    people: People, schema: str, said: str, draft: str
) -> None:
    check = await people.checked(schema, [said], draft)

    assert check.verdict == "not_checkable"
    assert "was never asked" in "\n".join(check.gaps)


@pytest.mark.parametrize(
    ("schema", "said"),
    [
        ("law", "client: My nephew works for the company that we are suing."),
        ("law", "client: Please send nothing to the shop."),
        ("law", "client: Sums above 9,000 need my partner's say-so."),
        ("finance", "client: My aunt sits on the board of the firm that is buying Veldt."),
        ("finance", "client: Call me before you do anything above two thousand."),
        ("finance", "adviser: She only signs together with her brother."),
    ],
)
async def test_a_tie_a_limit_or_an_instruction_is_never_passed_over(people: People, schema: str, said: str) -> None:
    who = await people.told(schema, said)

    page = await people.memories[schema].list_facts(subject=who)
    waiting = (await people.memories[schema].build_context("What is next?", subject=who)).pending
    assert page.facts or waiting


@pytest.mark.parametrize(
    ("draft", "verdict"),
    [
        ("Start knee-bending of the left knee today", "conflict"),
        ("Start knee bending of the left knee today", "conflict"),
        ("Keep to non-knee-bending of the left knee", "calm"),
        ("Start knee-bending of the right knee today", "calm"),
    ],
)
async def test_a_deed_that_a_precaution_denies_by_a_prefix_is_a_conflict(
    people: People, draft: str, verdict: str
) -> None:
    who = await people.told("clinical")
    memory = people.memories["clinical"]
    words = "Non-knee-bending of the left knee"
    claim = Claim(relation="HAS_PRECAUTION", object=words, evidence=words, attrs={"side": "left"})
    said = f"{words} for a month."
    await memory.remember(said, subject=who, subject_name=f"Kim {who}", speaker="document", claims=[claim])

    check = await memory.check_text(draft, subject=who)

    assert (check.verdict == "conflict") == (verdict == "conflict")
