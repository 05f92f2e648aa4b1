"""Sentences of one answer are held against one reading of the record, for as long as the store says that it stands."""

import pytest

from r_memory.domain.facts import Status, concept
from r_memory.errors import StoreUnavailable
from r_memory.facts.recall.recaller import Earlier
from r_memory.testing.clock import FixedClock
from tests.unit.facts.recall.world import JANE, JOHN, NOW, PENICILLIN, Ledger, heard, recaller

pytestmark = pytest.mark.anyio
DAY_MS = 86_400_000
CALM = "Drink enough water."
ORDER = "Take penicillin three times a day."


def allergic() -> Ledger:
    ledger = Ledger()
    ledger.hear("HAS_ALLERGY_TO", concept(*PENICILLIN), severity="severe")
    return ledger


async def test_the_second_sentence_of_an_answer_reads_no_facts_and_comes_to_the_same() -> None:
    ledger, earlier = allergic(), Earlier()
    checks = recaller(ledger)
    await checks.unrecorded_check(CALM, subject=JOHN, earlier=earlier)
    ledger.asked.clear()

    second = await checks.unrecorded_check(ORDER, subject=JOHN, earlier=earlier)

    assert ledger.asked == [((), ())]
    alone = await checks.unrecorded_check(ORDER, subject=JOHN)
    assert second.verdict == "conflict"
    assert (second.findings, second.gaps) == (alone.findings, alone.gaps)
    assert second.recall.lines == alone.recall.lines


async def test_what_is_recorded_between_two_sentences_stands_against_the_second() -> None:
    ledger, earlier = Ledger(), Earlier()
    checks = recaller(ledger)
    assert (await checks.unrecorded_check(CALM, subject=JOHN, earlier=earlier)).verdict != "conflict"
    ledger.hear("HAS_ALLERGY_TO", concept(*PENICILLIN), severity="severe")

    assert (await checks.unrecorded_check(ORDER, subject=JOHN, earlier=earlier)).verdict == "conflict"


async def test_an_absence_that_is_recorded_between_two_sentences_stands_beside_the_risk_in_the_second() -> None:
    """What follows from the facts alone is derived once for an answer, and anew where one more is recorded."""
    ledger, earlier = allergic(), Earlier()
    checks = recaller(ledger)
    first = await checks.unrecorded_check(CALM, subject=JOHN, earlier=earlier)
    again = await checks.unrecorded_check(CALM, subject=JOHN, earlier=earlier)
    assert again.recall.outcomes is first.recall.outcomes
    ledger.hear("HAS_ALLERGY_TO", concept(*PENICILLIN), status=Status.NEGATED)

    last = await checks.unrecorded_check(CALM, subject=JOHN, earlier=earlier)

    alone = await checks.unrecorded_check(CALM, subject=JOHN)
    assert last.recall.outcomes == alone.recall.outcomes
    assert last.recall.lines == alone.recall.lines
    assert last.recall.lines != first.recall.lines


async def test_a_statement_that_begins_to_wait_between_two_sentences_is_among_what_waits() -> None:
    ledger, earlier = allergic(), Earlier()
    checks = recaller(ledger)
    await checks.unrecorded_check(CALM, subject=JOHN, earlier=earlier)
    ledger.pending.append(heard("I swell up when I eat those little red things."))

    second = await checks.unrecorded_check(CALM, subject=JOHN, earlier=earlier)

    assert len(second.recall.pending) == 1


async def test_a_record_that_cannot_be_read_any_more_is_not_taken_from_the_sentence_before() -> None:
    ledger, earlier = allergic(), Earlier()
    checks = recaller(ledger)
    await checks.unrecorded_check(CALM, subject=JOHN, earlier=earlier)
    ledger.trouble["neighbourhood"] = StoreUnavailable("gone")

    second = await checks.unrecorded_check(CALM, subject=JOHN, earlier=earlier)

    assert second.recall.unavailable == "gone"


async def test_what_was_read_of_one_person_serves_nobody_else() -> None:
    ledger, earlier = allergic(), Earlier()
    checks = recaller(ledger)
    await checks.unrecorded_check(CALM, subject=JOHN, earlier=earlier)

    other = await checks.unrecorded_check(ORDER, subject=JANE, earlier=earlier)

    assert other.recall.subject.id == JANE.id
    assert not other.recall.lines


async def test_the_lines_of_a_record_are_drawn_once_for_all_sentences_of_an_answer() -> None:
    ledger = allergic()
    checks = recaller(ledger)
    first, second = [await checks.unrecorded_check(CALM, subject=JOHN, earlier=Earlier()) for _ in range(2)]

    assert first.recall.lines
    assert all(line is drawn for line, drawn in zip(second.recall.lines, first.recall.lines, strict=True))


async def test_a_line_that_was_drawn_before_says_so_once_its_fact_is_old() -> None:
    ledger, clock = Ledger(), FixedClock(NOW)
    ledger.hear("HAS_CONDITION", concept("Condition", "asthma"))
    checks = recaller(ledger, clock=clock)
    [fresh] = (await checks.unrecorded_check(CALM, subject=JOHN)).recall.lines

    clock.advance(315 * DAY_MS)

    [old] = (await checks.unrecorded_check(CALM, subject=JOHN)).recall.lines
    assert (fresh.stale, old.stale) == (False, True)


def disputed() -> Ledger:
    """A record with a contradicted risk, which waiting words may change."""
    ledger = allergic()
    ledger.hear("HAS_ALLERGY_TO", concept(*PENICILLIN), status=Status.NEGATED)
    ledger.pending.append(heard("Not the red ones, it was penicillin that I meant."))
    return ledger


async def test_what_stands_against_a_record_and_may_change_it_is_read_once_for_an_answer() -> None:
    ledger, earlier = disputed(), Earlier()
    checks = recaller(ledger)
    first = await checks.unrecorded_check(CALM, subject=JOHN, earlier=earlier)
    assert any(line.contrary is not None for line in first.recall.lines)
    ledger.asked.clear()
    ledger.trouble["history"] = StoreUnavailable("gone")

    second = await checks.unrecorded_check(CALM, subject=JOHN, earlier=earlier)

    assert ledger.asked == [((), ())]
    assert second.recall.lines == first.recall.lines


async def test_a_history_that_could_not_be_read_is_read_for_the_next_sentence() -> None:
    ledger, earlier = disputed(), Earlier()
    checks = recaller(ledger)
    ledger.trouble["history"] = StoreUnavailable("gone")
    first = await checks.unrecorded_check(CALM, subject=JOHN, earlier=earlier)
    assert all(line.contrary is None for line in first.recall.lines)
    ledger.trouble.clear()

    second = await checks.unrecorded_check(CALM, subject=JOHN, earlier=earlier)

    assert any(line.contrary is not None for line in second.recall.lines)
