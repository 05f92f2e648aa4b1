"""What each audit gives on the graph of `audit_world`, to a reader of its first space."""

from collections.abc import Mapping

from r_memory.domain.instants import iso
from tests.store.audit_world import (
    ACME,
    ACTS_FOR,
    ALLERGY,
    ANY_DRUG,
    ASPIRIN,
    BETA,
    BOUND_BY,
    CONFLICT,
    DUKE,
    IBUPROFEN,
    JOHN,
    LATE_HOURS,
    LATEX,
    MARY,
    NAMESAKE,
    NDA,
    NDA_ENDS,
    NORA,
    PENICILLIN,
    SCHEMA,
    SPACE,
    TAKES,
    ZYLOFLURANE,
    World,
    days_ago,
    hours_after,
)

Row = tuple[object, ...]
Rows = list[Row]

SEVERELY = "I am severely allergic to penicillin."
BADLY = "He reacts badly to zyloflurane."
CHART = "Latex allergy on the old chart."
RASH = "Asprin gives me a rash."
MIGHT = "It might have been zyloflurane."
PILL = "There was something about a blue pill."

J, J2, M, N, A, B = ((SPACE, who.id, who.name) for who in (JOHN, NAMESAKE, MARY, NORA, ACME, BETA))
"""What rows about one subject begin with."""


def day(days: int) -> str:
    """As printed."""
    return iso(days_ago(days))


NAMESAKE_RECORDED = iso(hours_after(9, LATE_HOURS))


def expected_rows(world: World) -> Mapping[str, Rows]:
    """By the name of the audit."""
    return {**_facts(world), **_absences(world), **_ledger(world), **_receipts(), **_graph(), **_discussed()}


def _facts(world: World) -> Mapping[str, Rows]:
    id_of = world.id_of
    penicillin, latex = id_of(JOHN, ALLERGY, PENICILLIN), id_of(MARY, ALLERGY, LATEX)
    aspirin, maybe = id_of(MARY, ALLERGY, ASPIRIN), id_of(MARY, ALLERGY, ZYLOFLURANE)
    bad = id_of(NAMESAKE, ALLERGY, ZYLOFLURANE)
    return {
        "contradicted_facts": [(*M, ALLERGY, "Aspirin", "active", RASH, "Mary Roe", day(20), 2, aspirin)],
        "ending_soon": [(*A, BOUND_BY, NDA.name, iso(NDA_ENDS), 10, "The agreement ends next week.", _nda(world))],
        "flagged_facts": [
            (*J2, ALLERGY, "Zyloflurane", "active", ["unmapped"], BADLY, "John Doe", day(9), bad),
            (*M, ALLERGY, "Zyloflurane", "unconfirmed", ["coref", "unmapped"], MIGHT, "Mary Roe", day(3), maybe),
        ],
        "never_shown": [
            (*A, BOUND_BY, NDA.name, "", day(40), 40, _nda(world)),
            (*A, CONFLICT, DUKE.name, "", day(50), 50, id_of(ACME, CONFLICT, DUKE)),
            (*B, ACTS_FOR, DUKE.name, "", day(45), 45, id_of(BETA, ACTS_FOR, DUKE)),
            (*B, BOUND_BY, NDA.name, "", day(44), 44, id_of(BETA, BOUND_BY, NDA)),
            (*J2, ALLERGY, "Zyloflurane", "", NAMESAKE_RECORDED, 6, bad),
            (*M, ALLERGY, "Aspirin", "mild", day(20), 20, aspirin),
        ],
        "secondhand_facts": [
            (*M, ALLERGY, "Latex", "active", "rules", "rules/1", "document", CHART, "old chart", day(30), latex),
            (*M, ALLERGY, "Zyloflurane", "unconfirmed", "client", "claude/4", "user", MIGHT, "Mary Roe", day(3), maybe),
        ],
        "severe_allergies": [
            (*J, ALLERGY, "Penicillin", [], "severe", "anaphylaxis", SEVERELY, "John Doe", day(400), False, penicillin),
            (*J2, ALLERGY, "Zyloflurane", [], "not graded", "", BADLY, "John Doe", day(9), False, bad),
            (*M, ALLERGY, "Latex", [], "not graded", "", CHART, "old chart", day(30), False, latex),
        ],
        "single_unconfirmed": [
            (*M, ALLERGY, "Zyloflurane", MIGHT, "Mary Roe", day(3), 3, ["coref", "unmapped"], maybe)
        ],
        "unmapped_words": [(SPACE, "Zyloflurane", ALLERGY, 2, 2, day(3))],
    }


def _absences(world: World) -> Mapping[str, Rows]:
    penicillin, none = world.id_of(JOHN, ALLERGY, PENICILLIN), world.id_of(JOHN, ALLERGY, ANY_DRUG)
    denied = (*J, ALLERGY, "any_drug", day(500), "Dr. Ames")
    return {
        "absence_then_risk": [(*denied, "Penicillin", "active", SEVERELY, "John Doe", day(400), penicillin)],
        "never_asked": [N],
        "old_absences": [(*J, ALLERGY, "any_drug", "No known drug allergies.", "Dr. Ames", day(500), 500, none)],
    }


def _ledger(world: World) -> Mapping[str, Rows]:
    version, ibuprofen = SCHEMA.version, world.id_of(MARY, TAKES, IBUPROFEN)
    changed = ("changed", TAKES, "entered_in_error", "Dr. Ames", "another patient's chart")
    return {
        "chain_gaps": [(*B, 1, 2, 2, 2)],
        "changes_by_person": [(*M, *changed, day(14), 4, ibuprofen)],
        "extractors": [
            (SPACE, "client", "claude/4", version, 1, 1, 1, day(3), day(3)),
            (SPACE, "person", "person/1", version, 1, 1, 1, day(14), day(14)),
            (SPACE, "rules", "rules/1", version, 11, 10, 5, day(500), day(5)),
        ],
        "late_entries": [
            (*J2, "John Doe", "user", day(9), NAMESAKE_RECORDED, LATE_HOURS, BADLY, f"JD002: {BADLY}"),
        ],
        "pending_statements": [
            (*M, "pending", PILL, "Mary Roe", "user", day(2), 2, f"MR003: {PILL}"),
        ],
    }


def _receipts() -> Mapping[str, Rows]:
    order = ["MED_ORDER"]
    return {
        "gates": [(*M, day(2), "claude", "after", "stop", "conflict", 1, True, "receipt-2")],
        "incomplete_recalls": [(*M, day(1), "ward-tablet", order, "receipt-3")],
        "readers": [
            (SPACE, "claude", 2, 2, day(3), day(2)),
            (SPACE, "ward-tablet", 1, 1, day(1), day(1)),
        ],
        "shown": [
            (*M, day(1), "ward-tablet", order, 0, False, "receipt-3"),
            (*M, day(2), "claude", order, 1, True, "receipt-2"),
            (*J, day(3), "claude", order, 1, True, "receipt-1"),
        ],
    }


def _graph() -> Mapping[str, Rows]:
    return {
        "orphans": [
            (SPACE, "entity", "NA004", "Nora Adams"),
            (SPACE, "entity", "left alone", "Left alone"),
            (SPACE, "utterance", "about nobody", ""),
        ],
        "shared_names": [(SPACE, "Patient", "john doe", 2, ["JD001", "JD002"])],
        "shared_objects": [
            (SPACE, DUKE.name, 2, ["AC900", "BE901"], [CONFLICT, ACTS_FOR]),
            (SPACE, NDA.name, 2, ["AC900", "BE901"], [BOUND_BY]),
            (SPACE, ZYLOFLURANE.name, 2, ["JD002", "MR003"], [ALLERGY]),
        ],
    }


def _discussed() -> Mapping[str, Rows]:
    visit, trouble = (SPACE, "", "visit"), ("chat x", "no answer")
    return {
        "excluded_options": [
            (*visit, "DB2: too old", 2, 2, "local/1", day(8)),
            (*visit, "SAP: too dear", 2, 2, "local/1", day(8)),
        ],
        "memory_troubles": [
            (*visit, 3, day(7), ["slow"], "{}", 0, *trouble, "decision-3"),
            (*visit, 2, day(8), ["slow", "over_budget"], '{"summary": "no answer"}', 1, *trouble, "decision-2"),
        ],
    }


def _nda(world: World) -> str:
    return world.id_of(ACME, BOUND_BY, NDA)
