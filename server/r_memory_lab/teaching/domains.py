"""What the corpus may say in each domain, as its `GUIDE.md` explains it, and what the schema calls that."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from r_memory.domain.facts import Status
from r_memory.reading.taught.claims import Person

NOTHING = "NONE"
"""Relation of a mark that states nothing; its status is `none`."""
STATUSES = (Status.ACTIVE, Status.UNCONFIRMED, Status.NEGATED, Status.RESOLVED, Status.REFUTED)

_RELATIVES = (
    "mother father sister brother daughter son grandmother grandfather granddaughter grandson aunt uncle cousin niece "
    "nephew twin half-sister half-brother parent sibling child family"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Domain:
    """The closed lists of one domain."""

    name: str
    speakers: tuple[str, ...]
    persons: Mapping[str, Person]
    """Word of the corpus to person."""
    relations: Mapping[str, str]
    """Relation of the corpus to relation of the schema, without `NONE`."""
    attributes: tuple[str, ...]
    """Attributes whose values are words of the line."""
    classes: Mapping[str, tuple[str, ...]]
    """Attributes with closed values; the empty value first."""
    risks: frozenset[str] = field(default_factory=frozenset)
    """Relations of the schema whose false absence reassures wrongly."""
    reassuring: frozenset[str] = field(default_factory=frozenset)
    """Relations of the schema that speak against a risk when active."""


def _same(*names: str) -> Mapping[str, str]:
    return {name: name for name in names}


CLINICAL = Domain(
    name="clinical",
    speakers=("patient", "clinician", "relative", "note"),
    persons={"patient": Person.SUBJECT, "family": Person.RELATIVE, "other": Person.OTHER},
    relations={
        "ALLERGY": "HAS_ALLERGY_TO",
        "INTOLERANCE": "HAS_INTOLERANCE_TO",
        "CONTRA": "IS_CONTRAINDICATED_WITH",
        "TOLERATES": "TOLERATES",
        "TAKES": "TAKES",
        "CONTRAST": "HAS_CONTRAST_ALLERGY",
        "IMPLANT": "HAS_IMPLANTS",
        "CONDITION": "HAS_CONDITION",
        "LIMIT": "DOSE_LIMIT",
        "PREP": "REQUIRES_PREP",
    },
    attributes=("reaction", "year", "max", "per"),
    classes={
        "severity": ("", "severe", "moderate", "mild"),
        "scope": ("", "any", "any_drug", "any_food", "any_implant"),
        "rel": ("", *_RELATIVES.split()),
    },
    risks=frozenset(
        {
            "HAS_ALLERGY_TO", "HAS_INTOLERANCE_TO", "IS_CONTRAINDICATED_WITH", "HAS_CONTRAST_ALLERGY", "HAS_IMPLANTS",
            "HAS_CONDITION", "DOSE_LIMIT", "REQUIRES_PREP", "TAKES",
        }
    ),
    reassuring=frozenset({"TOLERATES"}),
)  # fmt: skip
LAW = Domain(
    name="law",
    speakers=("client", "lawyer", "note", "witness"),
    persons={"client": Person.SUBJECT, "other": Person.OTHER},
    relations=_same(
        "HAS_CONFLICT_WITH", "FIRM_ACTS_FOR", "HAS_WAIVED_CONFLICT", "BOUND_BY", "HAS_DEADLINE", "MUST_NOT_DISCLOSE",
        "REPRESENTED_BY", "ENGAGED_FOR", "HAS_INTEREST_IN",
    ),
    attributes=("with_party", "until", "due", "given", "recipient", "relative"),
    classes={"scope": ("", "any", "any_party", "any_agreement")},
    risks=frozenset({"HAS_CONFLICT_WITH", "BOUND_BY", "HAS_DEADLINE", "MUST_NOT_DISCLOSE", "HAS_INTEREST_IN"}),
    reassuring=frozenset({"HAS_WAIVED_CONFLICT"}),
)  # fmt: skip
FINANCE = Domain(
    name="finance",
    speakers=("client", "adviser", "note", "relative"),
    persons={"client": Person.SUBJECT, "other": Person.OTHER},
    relations=_same(
        "RESTRICTED_FROM", "ON_WATCH_LIST", "IS_INSIDER_OF", "RISK_LIMIT", "MINIMUM_HOLDING", "IN_BLACKOUT",
        "NEEDS_PRECLEARANCE", "FLAGGED_AS", "HAS_RISK_PROFILE", "HAS_TAX_CONSTRAINT", "HOLDS",
    ),
    attributes=("until", "max", "min", "unit"),
    classes={"scope": ("", "any", "any_restriction", "any_flag")},
    risks=frozenset(
        {
            "RESTRICTED_FROM", "ON_WATCH_LIST", "IS_INSIDER_OF", "RISK_LIMIT", "MINIMUM_HOLDING", "IN_BLACKOUT",
            "NEEDS_PRECLEARANCE", "FLAGGED_AS", "HAS_TAX_CONSTRAINT",
        }
    ),
)  # fmt: skip
DOMAINS = {domain.name: domain for domain in (CLINICAL, LAW, FINANCE)}
