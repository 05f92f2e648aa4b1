"""Which facts become lines, in which group, in which words and in which order."""

from dataclasses import replace

import pytest

from r_memory.domain.blocks import Recall
from r_memory.domain.facts import Attributes, Flag, Status, concept
from r_memory.domain.instants import Period
from r_memory.domain.schema import SeverityScale
from r_memory.facts.recall.rendering import render, render_line
from tests.scripted import ScriptedClassifier
from tests.unit.facts.recall.world import (
    CEFAZOLIN,
    DAY,
    JOHN,
    LATER,
    NOW,
    PENICILLIN,
    SAID,
    SCHEMA,
    Ledger,
    recaller,
    schema_of,
    scope,
    texts,
    unmapped,
)

pytestmark = pytest.mark.anyio

ASTHMA = concept("Condition", "asthma")
PACEMAKER = concept("Device", "pacemaker")


async def shown(ledger: Ledger, query: str = "antibiotic", *intents: str) -> Recall:
    return await recaller(ledger, classifier=ScriptedClassifier(*(intents or ("MED_ORDER", "PREP")))).build_context(
        query, subject=JOHN
    )


def objects(recall: Recall) -> list[str]:
    return [line.fact.object.id for line in recall.lines]


@pytest.mark.proves("RM-14", "RM-15", "Z30")
@pytest.mark.parametrize(
    ("attrs", "severity"),
    [
        ({"severity": "severe"}, "Anaphylaxis"),
        ({"severity": "severe", "reaction": "anaphylaxis"}, "Anaphylaxis"),
        ({"severity": "severe", "reaction": "hives"}, "Severe, hives"),
        ({"severity": "severe", "reaction": "a strange rash"}, "Severe, a strange rash"),
        ({"severity": "moderate", "reaction": "hives"}, "Moderate, hives"),
        ({"severity": "mild"}, "Mild"),
        ({"reaction": "hives"}, "not graded, hives"),
        ({"severity": ""}, "unknown, treat as severe"),
        ({}, "unknown, treat as severe"),
        ({"severity": "catastrophic"}, "Catastrophic"),
    ],
)
async def test_severity_is_shown_as_it_was_said_and_never_milder(attrs: Attributes, severity: str) -> None:
    ledger = Ledger()
    ledger.hear("HAS_ALLERGY_TO", concept(*PENICILLIN), attrs=attrs)

    assert [f"CRITICAL ALLERGY: John Doe is allergic to Penicillin (Severity: {severity})."] == texts(
        await shown(ledger)
    )


@pytest.mark.parametrize(
    ("attrs", "line"),
    [
        ({"max": 3.0, "unit": "g", "period": "day"}, "DOSE LIMIT: Penicillin for John Doe at most 3 g per day."),
        ({"max": 2.5, "unit": "g"}, "DOSE LIMIT: Penicillin for John Doe at most 2.5 g per not stated."),
        ({"max": True, "unit": "[END]"}, "DOSE LIMIT: Penicillin for John Doe at most yes (END) per not stated."),
    ],
)
async def test_attributes_fill_the_template_of_the_relation(attrs: Attributes, line: str) -> None:
    ledger = Ledger()
    ledger.hear("DOSE_LIMIT", concept(*PENICILLIN), attrs=attrs)

    assert [line] == texts(await shown(ledger))


@pytest.mark.proves("RM-17", "Z20", "Z30")
async def test_order_is_by_group_then_severity_and_unknown_ranks_as_severe() -> None:
    ledger = Ledger()
    ledger.hear("TAKES", concept("Drug", "takes"), at=LATER)
    ledger.hear("HAS_ALLERGY_TO", concept("Drug", "mild"), severity="mild", at=LATER)
    ledger.hear("HAS_ALLERGY_TO", concept("Drug", "unsure"), Status.UNCONFIRMED, severity="severe", at=LATER)
    ledger.hear("HAS_ALLERGY_TO", concept("Drug", "unknown"), at=LATER)
    ledger.hear("REQUIRES_PREP", concept("Drug", "rule"), Status.UNCONFIRMED, flags=frozenset({Flag.RULE}), at=LATER)
    ledger.hear("HAS_ALLERGY_TO", concept("Drug", "refuted"), Status.REFUTED, severity="severe", at=LATER)
    ledger.hear("HAS_ALLERGY_TO", concept("Drug", "severe"), severity="severe")

    recall = await shown(ledger)

    assert objects(recall) == ["severe", "unknown", "mild", "unsure", "rule", "takes", "refuted"]
    assert [line.rank for line in recall.lines] == [
        "critical",
        "critical",
        "critical",
        "unconfirmed",
        "rule",
        "other",
        "past",
    ]


@pytest.mark.proves("Z20")
async def test_equal_severity_is_ordered_by_match_then_recency() -> None:
    ledger = Ledger()
    for number, name in enumerate(("older", "newer", "penicillin", "amoxicillin")):
        type_ = "DrugClass" if name == "penicillin" else "Drug"
        ledger.hear("HAS_ALLERGY_TO", concept(type_, name), severity="severe", at=SAID + number)

    assert objects(await shown(ledger, "amoxicillin")) == ["amoxicillin", "penicillin", "newer", "older"]


@pytest.mark.proves("Z20")
async def test_what_was_said_at_the_same_time_is_ordered_by_what_was_recorded_last() -> None:
    ledger = Ledger()
    for name in ("b", "c", "a"):
        ledger.hear("TAKES", concept("Drug", name))

    assert objects(await shown(ledger)) == ["a", "c", "b"]


@pytest.mark.proves("Z20")
async def test_what_the_action_asks_for_comes_first_among_equals() -> None:
    ledger = Ledger()
    ledger.hear("HAS_ALLERGY_TO", concept(*PENICILLIN), severity="severe", at=LATER)
    ledger.hear("HAS_IMPLANTS", PACEMAKER)

    assert objects(await shown(ledger, "MRI of the knee", "IMAGING_MRI")) == ["pacemaker", "penicillin"]
    assert objects(await shown(ledger, "a drug", "MED_ORDER")) == ["penicillin", "pacemaker"]


@pytest.mark.proves("Z20")
async def test_order_does_not_depend_on_the_order_of_the_store() -> None:
    names = ["a", "b", "c", "d"]
    one, other = Ledger(), Ledger()
    for ledger, order in ((one, names), (other, names[::-1])):
        for name in order:
            ledger.hear("TAKES", concept("Drug", name), at=SAID + names.index(name))

    assert ["d", "c", "b", "a"] == objects(await shown(one)) == objects(await shown(other))


@pytest.mark.proves("Z09", "RM-17")
async def test_doubt_is_shown_as_doubt() -> None:
    ledger = Ledger()
    ledger.hear("HAS_ALLERGY_TO", concept(*PENICILLIN), Status.UNCONFIRMED, evidence="I might be allergic to it.")

    recall = await shown(ledger)

    assert texts(recall) == [
        "UNCONFIRMED: CRITICAL ALLERGY: John Doe is allergic to Penicillin (Severity: unknown, treat as severe)."
    ]
    assert " · unconfirmed · " in render_line(recall.lines[0])


@pytest.mark.proves("Z12")
@pytest.mark.parametrize(
    ("status", "label"),
    [(Status.NEGATED, "STATED ABSENT"), (Status.REFUTED, "REFUTED"), (Status.RESOLVED, "RESOLVED")],
)
async def test_what_was_denied_is_never_worded_as_a_risk(status: Status, label: str) -> None:
    ledger = Ledger()
    ledger.hear("HAS_ALLERGY_TO", concept(*PENICILLIN), status, severity="severe")

    recall = await shown(ledger)

    assert [f"{label}: John Doe, allergy to Penicillin."] == texts(recall)
    assert [line.rank for line in recall.lines] == ["past"]


async def test_what_was_entered_in_error_is_not_shown() -> None:
    ledger = Ledger()
    ledger.hear("HAS_ALLERGY_TO", concept(*PENICILLIN), Status.ENTERED_IN_ERROR)

    assert texts(await shown(ledger)) == []


@pytest.mark.proves("Z27")
async def test_denials_are_shown_only_where_they_explain() -> None:
    ledger = Ledger()
    ledger.hear("HAS_ALLERGY_TO", concept("Drug", "aspirin"))
    ledger.hear("HAS_ALLERGY_TO", concept("Drug", "latex"), Status.NEGATED)
    ledger.hear("HAS_ALLERGY_TO", concept(*CEFAZOLIN), Status.NEGATED)
    ledger.hear("HAS_ALLERGY_TO", concept("Drug", "iodine"), Status.REFUTED)
    ledger.hear("TAKES", concept("Drug", "aspirin"))
    ledger.hear("TAKES", concept("Drug", "ibuprofen"), Status.RESOLVED)
    ledger.hear("HAS_IMPLANTS", PACEMAKER, Status.RESOLVED)
    ledger.hear("HAS_CONDITION", ASTHMA, Status.NEGATED)

    past = {line.fact.object.id: line.text for line in (await shown(ledger)).lines if line.rank == "past"}

    # Cefazolin bears on the request, iodine was once a critical risk, the others explain their edge's outcome.
    assert {"cefazolin", "iodine", "pacemaker", "asthma"} == past.keys()


@pytest.mark.proves("Z28")
async def test_tolerance_stands_beside_the_allergy_and_cancels_nothing() -> None:
    ledger = Ledger()
    ledger.hear("HAS_ALLERGY_TO", concept(*PENICILLIN), severity="severe")
    ledger.hear("TOLERATES", concept(*CEFAZOLIN))

    recall = await shown(ledger, "cefazolin before surgery")

    assert texts(recall) == [
        "CRITICAL ALLERGY: John Doe is allergic to Penicillin (Severity: Anaphylaxis).",
        "TOLERATED: John Doe has tolerated Cefazolin.",
    ]
    assert [[match.level for match in line.matches] for line in recall.lines] == [["class"], ["exact"]]
    assert list((await shown(ledger, "penicillin")).lines[1].matches) == []


@pytest.mark.proves("Z29")
async def test_severe_intolerance_stays_critical_and_is_not_called_an_allergy() -> None:
    ledger = Ledger()
    ledger.hear("HAS_INTOLERANCE_TO", concept("Drug", "lisinopril"), reaction="anaphylaxis")
    ledger.hear("HAS_INTOLERANCE_TO", concept("Drug", "codeine"), reaction="nausea")

    recall = await shown(ledger)

    assert [(line.fact.object.id, line.rank) for line in recall.lines] == [
        ("lisinopril", "critical"),
        ("codeine", "other"),
    ]
    assert recall.lines[0].text == "INTOLERANCE: John Doe does not tolerate Lisinopril (anaphylaxis)."


@pytest.mark.proves("Z34")
@pytest.mark.parametrize(("age", "stale"), [(314, False), (315, True)])
async def test_old_fact_is_shown_with_verify(age: int, stale: bool) -> None:
    ledger = Ledger()
    ledger.hear("HAS_CONDITION", concept("Condition", "pregnancy"), at=NOW - age * DAY)

    recall = await shown(ledger)

    assert [stale] == [line.stale for line in recall.lines]
    assert stale == ("stale: verify" in render(recall))


@pytest.mark.proves("Z34")
async def test_a_term_may_be_reviewed_sooner_or_later_than_its_relation_says() -> None:
    days = {"Condition": {"review_after_days": {"30": ("asthma",)}}}
    schema = replace(SCHEMA, lexicon=replace(SCHEMA.lexicon, values=days))
    ledger = Ledger(schema=schema)
    ledger.hear("HAS_CONDITION", concept("Condition", "asthma"), at=NOW - 31 * DAY)
    ledger.hear("HAS_CONDITION", concept("Condition", "pregnancy"), at=NOW - 31 * DAY)

    recall = await recaller(ledger, classifier=ScriptedClassifier("PREP")).build_context("prepare", subject=JOHN)

    assert {line.fact.object.id: line.stale for line in recall.lines} == {"asthma": True, "pregnancy": False}


@pytest.mark.proves("Z34")
@pytest.mark.parametrize(("end", "stale"), [(NOW + 1, False), (NOW, True), (None, False)])
async def test_fact_past_its_period_is_shown_with_verify(end: int | None, stale: bool) -> None:
    ledger = Ledger()
    ledger.hear("IS_CONTRAINDICATED_WITH", concept(*PENICILLIN), valid=Period(end=end))

    assert [("critical", stale)] == [(line.rank, line.stale) for line in (await shown(ledger)).lines]


@pytest.mark.proves("Z37")
async def test_fact_of_a_relation_that_the_schema_lost_is_shown_as_critical() -> None:
    ledger = Ledger(schema=schema_of("HAS_ALLERGY_TO"))
    ledger.hear("REACTS_BADLY_TO", concept(*PENICILLIN), evidence="Bad news.", grade="high", since=2019)
    ledger.hear("MUST_NOT_HAVE", concept(*CEFAZOLIN))

    recall = await recaller(ledger, retired=("REACTS_BADLY_TO", "MUST_NOT_HAVE")).build_context(
        "amoxicillin", subject=JOHN
    )

    assert texts(recall) == [
        "John Doe REACTS_BADLY_TO Penicillin (grade: high; since: 2019).",
        "John Doe MUST_NOT_HAVE Cefazolin.",
    ]
    assert [line.rank for line in recall.lines] == ["critical", "critical"]
    assert [match.text for match in recall.lines[0].matches] == ["Amoxicillin is a Penicillin"]
    assert "REACTS_BADLY_TO found 1" in render(recall)


@pytest.mark.proves("Z10")
async def test_a_relation_that_only_others_in_the_database_have_is_not_even_named() -> None:
    ledger = Ledger(schema=schema_of("HAS_ALLERGY_TO"))
    ledger.hear("HAS_ALLERGY_TO", concept(*PENICILLIN))

    recall = await recaller(ledger, retired=("SECRET_OF_OTHERS",)).build_context("amoxicillin", subject=JOHN)

    assert "SECRET_OF_OTHERS" not in {outcome.relation for outcome in recall.outcomes}
    assert "SECRET_OF_OTHERS" not in render(recall)


@pytest.mark.proves("Z03")
async def test_unknown_word_is_shown_and_said_to_be_one() -> None:
    ledger = Ledger()
    ledger.hear("HAS_ALLERGY_TO", unmapped("zyloflurane"), flags=frozenset({Flag.UNMAPPED, Flag.FUZZY}))

    recall = await shown(ledger, "zyloflurane for induction")

    assert render_line(recall.lines[0]).splitlines() == [
        'CRITICAL ALLERGY: John Doe is allergic to "Zyloflurane" (Severity: unknown, treat as severe).',
        '  said 2026-11-19 by patient: "…" · active · unknown word',
        "  bears on this request: name-only match.",
    ]


async def test_statement_about_a_whole_scope_that_is_no_denial_is_shown_in_bare_words() -> None:
    ledger = Ledger()
    ledger.hear("HAS_ALLERGY_TO", scope("any_drug"), Status.UNCONFIRMED)
    ledger.hear("HAS_ALLERGY_TO", scope("any"), Status.ACTIVE)

    assert texts(await shown(ledger)) == [
        "STATED: John Doe, allergy to anything.",
        "UNCONFIRMED: John Doe, allergy to drugs.",
    ]


async def test_schema_without_grades_shows_every_fact_all_the_same() -> None:
    ledger = Ledger(schema=schema_of("HAS_ALLERGY_TO"))
    ledger.hear("HAS_ALLERGY_TO", concept(*PENICILLIN), severity="severe")
    schema = replace(ledger.schema, severity=SeverityScale())

    recall = await recaller(ledger, schema=schema).build_context("penicillin", subject=JOHN)

    assert texts(recall) == ["CRITICAL ALLERGY: John Doe is allergic to Penicillin (Severity: Severe)."]
