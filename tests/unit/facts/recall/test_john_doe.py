"""The case the product exists for, word for word as the design prints it."""

from dataclasses import replace

import pytest

from r_memory.domain.facts import Status, concept
from r_memory.domain.intents import IntentTable
from r_memory.facts.recall.rendering import render
from r_memory.protocols import Mention
from tests.unit.facts.recall.world import (
    JOHN,
    LATER,
    PENICILLIN,
    TABLE,
    FixedLinker,
    Ledger,
    recaller,
    schema_of,
    scope,
    texts,
)

pytestmark = pytest.mark.anyio

QUERY = "Recommend the standard first-line antibiotic for strep throat."
WORDS = "I am severely allergic to Penicillin."
EDGES = ("HAS_ALLERGY_TO", "IS_CONTRAINDICATED_WITH", "DOSE_LIMIT", "HAS_INTOLERANCE_TO")
BLOCK = """\
[R-MEMORY CONTEXT]:
Subject: John Doe (Patient JD001). Checked 2026-11-21T10:15:02Z. Action: MED_ORDER.
CRITICAL ALLERGY: John Doe is allergic to Penicillin (Severity: Anaphylaxis).
  said 2026-11-19 by patient: "I am severely allergic to Penicillin." · active
  bears on this request: {bearing}.
Checked: HAS_ALLERGY_TO found 1 · IS_CONTRAINDICATED_WITH not asked · DOSE_LIMIT not asked · \
HAS_INTOLERANCE_TO none asserted 2026-11-19
Not proof of absence. Receipt 01JD8Y3F5Q2W6T9K4M7N0R1S2V.
[END R-MEMORY CONTEXT]
[QUERY]:
Recommend the standard first-line antibiotic for strep throat."""


def table() -> IntentTable:
    order = replace(TABLE.intent("MED_ORDER"), edges=EDGES)
    return replace(TABLE, intents={**TABLE.intents, "MED_ORDER": order})


def intake() -> Ledger:
    ledger = Ledger(schema=schema_of(*EDGES))
    ledger.hear("HAS_ALLERGY_TO", concept(*PENICILLIN), evidence=WORDS, severity="severe")
    ledger.hear("HAS_INTOLERANCE_TO", scope("any"), Status.NEGATED, evidence="No side effects from anything.")
    return ledger


@pytest.mark.proves("RM-10", "RM-13", "RM-14", "RM-15", "RM-16", "Z01", "Z41")
async def test_block_for_john_doe_is_the_one_of_the_design() -> None:
    # The design's example is a request whose terms name amoxicillin.
    linker = FixedLinker(found=(Mention(type="Drug", name="amoxicillin", start=0, end=11, surface="amoxicillin"),))
    ledger = intake()

    recall = await recaller(ledger, table=table(), linker=linker).build_context(QUERY, subject=JOHN)

    bearing = "Amoxicillin is a Penicillin (class match, tier A: stop)"
    assert BLOCK.format(bearing=bearing) == render(recall)


@pytest.mark.proves("RM-16", "RM-24", "Z27")
async def test_request_that_names_only_the_wide_class_meets_the_allergy() -> None:
    ledger = intake()

    recall = await recaller(ledger, table=table()).build_context(QUERY, subject=JOHN)

    assert BLOCK.format(bearing="Penicillin is an Antibiotic (class match, ask which, not Penicillin)") == render(
        recall
    )


@pytest.mark.proves("RM-2", "RM-16", "RM-17")
async def test_allergy_comes_first_whatever_else_is_recorded() -> None:
    ledger = intake()
    for number in range(300):
        ledger.hear("TAKES", concept("Drug", f"drug {number}"), at=LATER + number)
        ledger.hear("HAS_ALLERGY_TO", concept("Drug", f"drug {number}"), at=LATER + number, severity="mild")

    recall = await recaller(ledger, table=table()).build_context(QUERY, subject=JOHN)

    assert texts(recall)[0] == "CRITICAL ALLERGY: John Doe is allergic to Penicillin (Severity: Anaphylaxis)."
    assert sum(line.fact.relation == "HAS_ALLERGY_TO" for line in recall.lines) == 301
