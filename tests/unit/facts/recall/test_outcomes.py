"""Four outcomes for each edge: found, none asserted, not asked, could not be checked."""

import pytest

from r_memory.domain.blocks import Outcome, State
from r_memory.domain.facts import Status, concept
from r_memory.domain.instants import UNDATED
from r_memory.facts.recall.rendering import render
from tests.unit.facts.recall.world import JOHN, LATER, PENICILLIN, SAID, Ledger, recaller, scope, texts

pytestmark = pytest.mark.anyio

ALLERGY = "HAS_ALLERGY_TO"


async def outcome(ledger: Ledger) -> tuple[Outcome, str]:
    """The outcome of the allergies, and how the block puts it."""
    recall = await recaller(ledger).build_context("antibiotic", subject=JOHN)
    checked = next(line for line in render(recall).splitlines() if line.startswith("Checked: "))
    return recall.outcomes[0], checked.removeprefix("Checked: ").split(" · ")[0]


@pytest.mark.proves("RM-21", "Z14", "Z41")
async def test_empty_memory_says_not_asked_and_claims_no_absence() -> None:
    recall = await recaller(Ledger()).build_context("antibiotic", subject=JOHN)

    assert {State.NOT_ASKED} == {outcome.state for outcome in recall.outcomes}
    assert recall.complete
    block = render(recall)
    assert "Not proof of absence." in block
    assert "none" not in block.casefold()
    assert "no known" not in block.casefold()


async def test_risks_are_counted_with_what_is_unconfirmed_and_disputed() -> None:
    ledger = Ledger()
    ledger.hear(ALLERGY, concept("Drug", "a"))
    ledger.hear(ALLERGY, concept("Drug", "b"), Status.UNCONFIRMED)
    ledger.hear(ALLERGY, concept("Drug", "c"))
    ledger.hear(ALLERGY, concept("Drug", "c"), Status.NEGATED)
    ledger.hear(ALLERGY, concept("Drug", "d"), Status.REFUTED)
    ledger.hear(ALLERGY, concept("Drug", "e"), Status.ENTERED_IN_ERROR)

    assert (Outcome(relation=ALLERGY, state=State.FOUND, count=3), "HAS_ALLERGY_TO found 3") == await outcome(ledger)


@pytest.mark.proves("RM-21", "Z14")
@pytest.mark.parametrize(("id_", "shown", "clause"), [("any", "", ""), ("any_drug", "drugs", " (drugs)")])
async def test_stated_absence_has_date_author_and_scope(id_: str, shown: str, clause: str) -> None:
    ledger = Ledger()
    ledger.hear(ALLERGY, scope(id_), Status.NEGATED, evidence="None at all.", speaker="wife")

    expected = Outcome(relation=ALLERGY, state=State.NONE_ASSERTED, said_at=SAID, speaker="wife", scope=shown)
    assert (expected, f"HAS_ALLERGY_TO none asserted 2026-11-19{clause}") == await outcome(ledger)


async def test_newest_statement_of_absence_stands() -> None:
    ledger = Ledger()
    ledger.hear(ALLERGY, scope("any_drug"), Status.NEGATED, at=LATER, speaker="nurse")
    ledger.hear(ALLERGY, scope("any"), Status.NEGATED, at=SAID)

    found, _ = await outcome(ledger)

    assert (found.said_at, found.speaker, found.scope) == (LATER, "nurse", "drugs")


@pytest.mark.proves("Z12", "Z13")
@pytest.mark.parametrize(
    ("allergy_at", "none_at", "order"),
    [
        (SAID, LATER, " LATER, 2026"),
        (LATER, SAID, " earlier, 2026"),
        (SAID, UNDATED, ", (date"),
        (UNDATED, SAID, ", 2026"),
    ],
    ids=["none later", "none earlier", "none undated", "allergy undated"],
)
async def test_statement_of_absence_never_clears_an_allergy(allergy_at: int, none_at: int, order: str) -> None:
    ledger = Ledger()
    ledger.hear(ALLERGY, concept(*PENICILLIN), at=allergy_at, severity="severe")
    ledger.hear(ALLERGY, scope("any_drug"), Status.NEGATED, evidence="NKDA", at=none_at, speaker="nurse")

    recall = await recaller(ledger).build_context("antibiotic", subject=JOHN)
    found, clause = await outcome(ledger)

    assert texts(recall) == [
        "CRITICAL ALLERGY: John Doe is allergic to Penicillin (Severity: Anaphylaxis).",
        "STATED ABSENT: John Doe, allergy to drugs.",
    ]
    assert [line.rank for line in recall.lines] == ["critical", "past"]
    assert (State.FOUND, 1, none_at) == (found.state, found.count, found.said_at)
    assert clause == "HAS_ALLERGY_TO found 1"
    [quoted] = (line for line in render(recall).splitlines() if "NKDA" in line)
    assert quoted.startswith(f"  CONTRADICTED{order}")


@pytest.mark.proves("Z14")
async def test_denial_of_single_objects_is_no_denial_of_the_edge() -> None:
    ledger = Ledger()
    for number, name in enumerate(("a", "b", "c", "d")):
        ledger.hear(ALLERGY, concept("Drug", name), Status.NEGATED, at=SAID + number)

    found, clause = await outcome(ledger)

    assert (found.state, found.said_at, found.scope) == (State.NONE_ASSERTED, SAID + 3, "D, C, B and 1 more only")
    assert clause == "HAS_ALLERGY_TO none asserted 2026-11-19 (D, C, B and 1 more only)"


async def test_what_was_only_entered_in_error_counts_as_not_asked() -> None:
    ledger = Ledger()
    ledger.hear(ALLERGY, concept(*PENICILLIN), Status.ENTERED_IN_ERROR)

    assert (Outcome(relation=ALLERGY, state=State.NOT_ASKED), "nothing was ever asked about") == await outcome(ledger)


@pytest.mark.proves("Z14", "Z16")
async def test_failed_edge_is_neither_empty_nor_none() -> None:
    ledger = Ledger()
    ledger.hear(ALLERGY, scope("any"), Status.NEGATED)
    ledger.failed[ALLERGY] = "timed out"

    expected = Outcome(relation=ALLERGY, state=State.COULD_NOT_CHECK, reason="timed out")
    assert (expected, "HAS_ALLERGY_TO could not be checked") == await outcome(ledger)
