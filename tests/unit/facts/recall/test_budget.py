"""A budget leaves out lines below the critical ones, and nothing else."""

import json

import pytest

from r_memory.domain.facts import Flag, Status, concept
from r_memory.facts.recall.rendering import render
from tests.unit.facts.recall.world import JOHN, LATER, PENICILLIN, Ledger, heard, recaller

pytestmark = pytest.mark.anyio


def crowded() -> Ledger:
    ledger = Ledger()
    ledger.hear("HAS_ALLERGY_TO", concept(*PENICILLIN), severity="severe", evidence="Penicillin nearly killed me.")
    ledger.hear("HAS_ALLERGY_TO", concept("Drug", "sulfadiazine"), Status.UNCONFIRMED)
    ledger.hear("REQUIRES_PREP", concept("Drug", "metformin"), Status.UNCONFIRMED, flags=frozenset({Flag.RULE}))
    ledger.hear("HAS_ALLERGY_TO", concept("Drug", "iodine"), Status.REFUTED)
    for number in range(500):
        ledger.hear("TAKES", concept("Drug", f"drug {number}"), at=LATER + number)
    ledger.pending.append(heard("I swell up when I eat those little red things."))
    return ledger


@pytest.mark.proves("RM-17", "Z19")
async def test_tiny_budget_leaves_every_critical_line_every_outcome_and_every_pending_statement() -> None:
    recall = await recaller(crowded()).build_context("antibiotic", subject=JOHN, max_chars=1)

    assert [line.fact.object.id for line in recall.lines] == ["penicillin", "sulfadiazine"]
    assert recall.omitted == 501
    block = render(recall)
    assert '"Penicillin nearly killed me."' in block
    assert "501 more: call memory_list_facts" in block
    assert "I swell up when I eat those little red things." in block
    assert "HAS_ALLERGY_TO found 2" in block
    assert "501 more: call memory_list_facts" in block


@pytest.mark.proves("Z19")
async def test_budget_leaves_out_the_last_lines_first_and_no_more_than_it_must() -> None:
    budget = 1200

    recall = await recaller(crowded()).build_context("antibiotic", subject=JOHN, max_chars=budget)

    size = len(render(recall, with_query=False))
    assert size <= budget < size + 200
    assert "takes" in recall.lines[-1].text
    assert recall.omitted + len(recall.lines) == 503


async def test_the_ids_that_a_result_names_beside_its_block_are_part_of_the_budget() -> None:
    budget = 4_800

    recall = await recaller(crowded()).build_context("antibiotic", subject=JOHN, max_chars=budget, paged=True)

    block, ids = render(recall, with_query=False), [line.fact.fact_id[:8] for line in recall.lines]
    size = len(block) + len(json.dumps(ids, separators=(",", ":")))
    assert size <= budget + 20 < size + 200


@pytest.mark.proves("RM-17", "Z19")
async def test_critical_lines_alone_may_exceed_the_budget_and_are_all_delivered() -> None:
    ledger = Ledger()
    for number in range(400):
        ledger.hear("HAS_ALLERGY_TO", concept("Drug", f"drug {number}"), severity="mild")

    recall = await recaller(ledger).build_context("antibiotic", subject=JOHN, max_chars=500)

    assert (len(recall.lines), recall.omitted) == (400, 0)


async def test_receipt_lists_only_what_was_shown() -> None:
    ledger = crowded()

    recall = await recaller(ledger).build_context("antibiotic", subject=JOHN, max_chars=1)

    assert tuple(line.fact.fact_id for line in recall.lines) == ledger.receipts[0].fact_ids


async def test_without_a_budget_nothing_is_left_out() -> None:
    recall = await recaller(crowded()).build_context("antibiotic", subject=JOHN)

    assert (len(recall.lines), recall.omitted) == (503, 0)
