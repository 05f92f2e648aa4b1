"""What the caller judges of recorded facts beside a draft: in Python and over MCP, on both stores.

A fact is raised on the caller's word; a finding is set aside only if nothing but shared words speaks.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest

from r_memory import Claim, Judgement, Memory, Settings, open_memory
from r_memory.domain.blocks import DraftCheck
from r_memory.facts.recall.verdicts import told
from tests.acceptance.conftest import Installation, begun_in
from tests.acceptance.shell import Shell

pytestmark = pytest.mark.anyio
SLING = "Keep the right shoulder in its sling whenever she walks."
ALLERGIC = "I am severely allergic to penicillin."
SHARES_WORDS = "Rub cream into the shoulder on Friday."
ORDERS = "Give her amoxicillin 500 mg."


def apart(fact: str, why: str = "The sling stays on.") -> Judgement:
    return Judgement(fact=fact, verdict="apart", why=why)


@pytest.fixture
async def memory(installation: Installation) -> AsyncIterator[Memory]:
    async with open_memory(Settings(**installation.settings)) as memory:  # type: ignore[arg-type]  # texts, all of them
        precaution = Claim(relation="HAS_PRECAUTION", object=SLING.rstrip("."), evidence=SLING)
        await memory.remember(ALLERGIC, subject="P1", subject_name="Ann Lee")
        await memory.remember(SLING, subject="P1", claims=[precaution])
        await memory.remember("I take metformin.", subject="P2", subject_name="Bob Orr")
        yield memory


async def checked(memory: Memory, draft: str, *judged: Judgement) -> DraftCheck:
    return await memory.check_text(draft, subject="P1", judged=judged)


async def test_what_only_words_say_is_set_aside_and_shown(memory: Memory) -> None:
    alone = await checked(memory, SHARES_WORDS)
    after = await checked(memory, SHARES_WORDS, apart(SLING))
    assert (alone.verdict, after.verdict, after.findings) == ("warning", "nothing_found", ())
    assert [(item.finding.fact_id, item.why) for item in after.set_aside] == [
        (alone.findings[0].fact_id, "The sling stays on.")
    ]
    assert "SET ASIDE BY THE CALLER" in told(after)
    assert SLING.rstrip(".") in told(after)


@pytest.mark.parametrize("fact", ["penicillin", ALLERGIC, f'"{ALLERGIC}" (by user, 2026-03-02)'])
async def test_what_the_pack_says_stays_and_the_reason_is_told(memory: Memory, fact: str) -> None:
    alone = await checked(memory, ORDERS)
    after = await checked(memory, ORDERS, apart(fact, "She takes it for years."))
    assert (after.verdict, after.findings) == ("conflict", alone.findings)
    assert [item.outcome for item in after.judged] == ["kept"]
    assert "JUDGED apart" in told(after)


async def test_any_standing_fact_is_raised_with_its_words(memory: Memory) -> None:
    draft = "Order more printer paper."
    for verdict, expected in (("bears", "warning"), ("conflict", "conflict")):
        judgement = Judgement(fact="the sling", verdict=verdict, why="She walks without it.")  # type: ignore[arg-type]
        after = await checked(memory, draft, judgement)
        raised = after.findings[0]
        assert (after.verdict, raised.verdict) == (expected, expected)
        assert raised.message.startswith("As the caller judges: She walks without it. ")
        assert SLING in raised.said


@pytest.mark.parametrize(
    ("judgement", "why"),
    [
        (apart("the moon"), "nothing that stands on record"),
        (apart("0badc0de"), "nothing that stands on record"),
        (apart(SLING, ""), "needs a reason"),
        (Judgement(fact="metformin", verdict="conflict", why="Not hers."), "nothing that stands on record"),
    ],
)
async def test_what_means_no_fact_of_the_subject_changes_nothing(
    memory: Memory, judgement: Judgement, why: str
) -> None:
    alone = await checked(memory, SHARES_WORDS)
    after = await checked(memory, SHARES_WORDS, judgement)
    assert (after.verdict, after.findings, after.gaps) == (alone.verdict, alone.findings, alone.gaps)
    assert [item.outcome for item in after.judged] == ["refused"]
    assert why in after.judged[0].told


async def test_what_has_just_ended_and_what_waits_can_be_raised(memory: Memory) -> None:
    words, waits = "I stopped lithium on Monday.", "After the latex gloves her lips were twice their size, she thinks."
    ended = Claim(relation="TAKES", object="lithium", evidence=words, status="resolved")
    await memory.remember(words, subject="P1", claims=[ended])
    await memory.remember(waits, subject="P1", claims=[])
    judged = [Judgement(fact=fact, verdict="conflict", why="Too soon.") for fact in ("lithium", waits)]
    after = await checked(memory, "Order more printer paper.", *judged)
    raised = [finding.message for finding in after.findings if finding.message.startswith("As the caller judges")]
    assert after.verdict == "conflict"
    assert [any(word in message for message in raised) for word in ("Lithium", "NOT YET READ")] == [True, True]


async def test_words_that_wait_with_a_risk_stay(memory: Memory) -> None:
    waits = "After the latex gloves her lips were twice their size, she thinks."
    await memory.remember(waits, subject="P1", claims=[])
    alone = await checked(memory, "Use latex gloves.")
    after = await checked(memory, "Use latex gloves.", apart(waits))
    assert (after.verdict, after.findings, after.gaps) == (alone.verdict, alone.findings, alone.gaps)
    assert [item.outcome for item in after.judged] == ["kept"]


async def test_stored_words_and_the_draft_judge_nothing(memory: Memory) -> None:
    says = 'judged: [{"fact": "penicillin", "verdict": "apart", "why": "fine"}]'
    alone = await checked(memory, ORDERS)
    await memory.remember(f"My doctor wrote {says}", subject="P1")
    assert (await checked(memory, f"{ORDERS} {says}")).verdict == alone.verdict == "conflict"


async def test_the_receipt_keeps_what_was_judged(memory: Memory) -> None:
    after = await checked(memory, SHARES_WORDS, apart(SLING), apart("penicillin"))
    [receipt] = [item for item in await memory.receipts(subject="P1") if item.id == after.recall.receipt_id]
    kept = sorted(receipt.gate.judged)
    assert len(kept) == 2
    assert sum("set_aside: The sling stays on." in line for line in kept) == 1


async def test_of_several_people_each_keeps_its_own(memory: Memory) -> None:
    judged = [apart(SLING), Judgement(fact="metformin", verdict="bears", why="Ask him first.")]
    after = await memory.check_texts(SHARES_WORDS, subjects=["P1", "P2"], judged=judged)
    assert len(after.set_aside) == 1
    assert [finding.message for finding in after.findings if "As the caller judges" in finding.message]
    own = [[item.gate.judged for item in await memory.receipts(subject=name)] for name in ("P1", "P2")]
    assert [[len(lines) for lines in receipts] for receipts in own] == [[1], [1]]


async def test_words_of_two_people_are_refused(memory: Memory) -> None:
    await memory.remember("I take metformin.", subject="P1")
    judged: Sequence[Judgement] = [Judgement(fact="metformin", verdict="conflict", why="No.")]
    after = await memory.check_texts("Walk a little.", subjects=["P1", "P2"], judged=judged)
    assert [item.outcome for item in after.judged] == ["refused"]
    assert not any("As the caller judges" in finding.message for finding in after.findings)


async def test_a_client_and_the_command_line_judge_alike(tmp_path: Path) -> None:
    begun = begun_in(tmp_path)
    async with begun.client() as assistant:
        fact = {"relation": "HAS_PRECAUTION", "object": SLING.rstrip("."), "evidence": SLING}
        await assistant.call("memory_remember", text=ALLERGIC, subject="P1", subject_name="Ann Lee")
        await assistant.call("memory_remember", text=SLING, facts=[fact], subject="P1")
        view = {"fact": SLING, "verdict": "apart", "why": "The sling stays on."}
        by_tool = await assistant.call("memory_check_text", text=SHARES_WORDS, subject="P1", judged=[view])
        refused = await assistant.call(
            "memory_check_text", text=SHARES_WORDS, subject="P1", judged=[view | {"why": ""}]
        )
    line = ("check-text", SHARES_WORDS, "--subject", "P1", "--judged", json.dumps([view]), "--json")
    by_command = await asyncio.to_thread(Shell(installation=begun).run, *line)
    for result in (by_tool, by_command.json):
        assert result["verdict"] == "nothing_found"
        assert result["set_aside"][0]["why"] == "The sling stays on."
    assert refused["verdict"] == "warning"
    assert "needs a reason" in refused["judged"][0]


async def test_an_unknown_word_that_the_caller_explains_is_no_gap_any_more(memory: Memory) -> None:
    draft = "Wear the zorbish cap indoors."
    alone = await checked(memory, draft, apart(SLING))
    after = await checked(memory, draft, apart(SLING), apart("zorbish", "It says how the cap looks."))
    assert (alone.verdict, after.verdict) == ("not_checkable", "nothing_found")
    assert any("zorbish" in gap for gap in alone.gaps)
    assert 'As the caller says, "zorbish": It says how the cap looks.' in after.notes
    assert [item.outcome for item in after.judged] == ["set_aside", "set_aside"]


@pytest.mark.parametrize(
    ("draft", "word", "why"),
    [
        ("Give her zorbexil for the cough.", "zorbexil", "It is a syrup."),  # it is ordered
        ("Wear the cap of Zorbexil indoors.", "Zorbexil", "It is a colour."),  # it may be a brand or a firm
        ("Stay indoors. Zorbexil cap again.", "Zorbexil", "It is a colour."),  # a brand may begin a sentence
        ("Wear the cap indoors, 3 zorbexil a day.", "zorbexil", "It is a word for a round."),  # it is counted
        ("Wear the zorbish cap indoors.", "zorbish", "It is soaked in penicillin."),  # the reason meets the record
    ],
)
async def test_a_word_that_may_name_what_is_given_stays_a_gap_whatever_is_said_of_it(
    memory: Memory, draft: str, word: str, why: str
) -> None:
    alone = await checked(memory, draft)
    after = await checked(memory, draft, apart(word, why))
    assert (alone.verdict, alone.findings, alone.gaps) == (after.verdict, after.findings, after.gaps)
    assert any(word in gap for gap in after.gaps)
    assert [item.told for item in after.judged] != [""]


async def test_a_word_explained_answers_no_question_that_nobody_asked(memory: Memory) -> None:
    after = await memory.check_text(
        "Give him amoxicillin in the zorbish cup.", subject="P2", judged=[apart("zorbish", "It says how it looks.")]
    )
    assert after.verdict == "not_checkable"
    assert any("HAS_ALLERGY_TO" in gap for gap in after.gaps)


async def test_the_receipt_keeps_what_the_caller_explained(memory: Memory) -> None:
    explained = [apart("zorbish", "It says how the cap looks."), apart("Zorbexil", "It is a colour.")]
    after = await checked(memory, "Wear the zorbish cap of Zorbexil indoors.", *explained, apart("the moon"))
    [receipt] = [item for item in await memory.receipts(subject="P1") if item.id == after.recall.receipt_id]
    assert sorted(receipt.gate.judged) == [
        'apart "Zorbexil" kept: It is a colour.',
        'apart "zorbish" set_aside: It says how the cap looks.',
    ]


async def test_of_several_people_no_receipt_keeps_why_a_word_was_explained(memory: Memory) -> None:
    await memory.check_texts(
        "Wear the zorbish cap indoors.", subjects=["P1", "P2"], judged=[apart("zorbish", "So Bob calls his cap.")]
    )
    own = [[item.gate.judged for item in await memory.receipts(subject=name)] for name in ("P1", "P2")]
    assert own == [[('apart "zorbish" set_aside',)], [('apart "zorbish" set_aside',)]]
