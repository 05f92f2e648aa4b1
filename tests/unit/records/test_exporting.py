"""Facts as FHIR, and back: nothing is lost that both can say, and doubt goes out as doubt."""

import json
import string
from dataclasses import replace
from functools import cache
from typing import Any

import pytest
from fhir.resources.R4B import get_fhir_model_class
from hypothesis import given, settings
from hypothesis import strategies as st

from r_memory.config.files import Files
from r_memory.config.schema_file import load_schema
from r_memory.domain.events import ChainHead, Episode, observed
from r_memory.domain.facts import (
    SCOPE_TYPE,
    Attributes,
    Entity,
    Fact,
    Observation,
    Proposal,
    Rejection,
    Route,
    Status,
)
from r_memory.domain.folding import fold_all
from r_memory.domain.instants import parse_instant
from r_memory.protocols import Utterance
from r_memory.records.exporting import OutTable, bundle, load_out_table
from r_memory.records.importing import of_person
from tests.unit.records.world import form_and_reader, read

JOHN = Entity(space="clinic", type="Patient", id="JD001", name="John Doe")
SAID_AT = parse_instant("2019-03-01T08:00:00Z")
SCHEMA = load_schema(Files())
TERMS = SCHEMA.lexicon.terms


@cache
def table() -> OutTable:
    return load_out_table(Files(), SCHEMA)


def proposal(
    relation: str, thing: str, status: str, attrs: Attributes, *, scope: bool = False, evidence: str
) -> Proposal:
    return Proposal(
        relation=relation,
        object=thing,
        object_type=SCOPE_TYPE if scope else "",
        status=status,
        attrs=attrs,
        evidence=evidence,
        route=Route.RECORD,
        extractor="test/1",
    )


def formed(text: str, given: Proposal) -> Observation | Rejection:
    utterance = Utterance(text=text, role="document", speaker="test", subject=JOHN)
    found = form_and_reader()[1].validator.form(utterance, given)
    return found if isinstance(found, Rejection) else found[0]


def a_fact(
    relation: str, thing: str, status: str = "active", *, attrs: Attributes | None = None, scope: bool = False
) -> Fact:
    """A fact as the memory holds it: what it cannot hold fails here."""
    words = f"He said: {thing}."
    seen = formed(words, proposal(relation, thing, status, attrs or {}, scope=scope, evidence=words))
    assert isinstance(seen, Observation), seen
    episode = Episode(
        id="e1",
        space="clinic",
        subject_uid=JOHN.uid,
        speaker="patient",
        text=words,
        said_at=SAID_AT,
        recorded_at=SAID_AT,
    )
    [fact] = fold_all(observed([seen], episode=episode, head=ChainHead(), now=SAID_AT, schema_version=""))
    return fact


def resources(*facts: Fact) -> list[dict[str, Any]]:
    made = json.loads(json.dumps(bundle(JOHN, facts, table(), now=SAID_AT).resource))
    get_fhir_model_class("Bundle").model_validate(made)
    return [{"fullUrl": entry["fullUrl"], **entry["resource"]} for entry in made["entry"]]


def back(fact: Fact) -> tuple[str, str, str, dict[str, Any], int]:
    """What an empty space makes of a fact that went out."""
    reading = of_person(read(*resources(fact)), JOHN)
    assert reading.refused == ()
    [entry] = reading.entries
    [stated] = entry.proposals
    seen = formed(entry.text, stated)
    assert isinstance(seen, Observation), seen
    assert entry.said_at is not None
    return seen.relation, seen.object.uid, seen.status, dict(seen.attrs), entry.said_at


WORDS = (
    st.text(string.ascii_letters + "é-/% ", min_size=1, max_size=30)
    .map(lambda text: " ".join(text.split()))
    .filter(bool)
)
KINDS = {
    "severity": st.sampled_from(SCHEMA.severity.grades),
    "number": st.integers(0, 5000) | st.decimals(0, 500, places=2).map(float),
    "count": st.integers(1, 40),
    "hours": st.integers(1, 72),
    "year": st.integers(1930, 2026),
    "unit": st.sampled_from(["mg", "g", "mmol/L"]),
    "period": st.sampled_from(["day", "week"]),
    "date": st.dates().map(str),
    "end": st.dates().map(str),
    "text": WORDS | st.dates().map(str),
}


@st.composite
def facts(draw: st.DrawFn) -> Fact:
    relation = SCHEMA.relations[draw(st.sampled_from(sorted(SCHEMA.relations)))]
    status = draw(st.sampled_from([item.value for item in Status]))
    if draw(st.integers(0, 9)) == 0:
        return a_fact(relation.name, draw(st.sampled_from(sorted(SCHEMA.scopes))), "negated", scope=True)
    types = [type_ for type_ in relation.objects if TERMS.get(type_)]
    names = sorted({name for type_ in types for name in TERMS[type_]}) or ["something"]
    thing = draw(st.sampled_from(names))
    kinds = {
        name: KINDS[kind] if kind in KINDS else st.sampled_from(sorted(TERMS.get(kind) or ["thing"]))
        for name, kind in relation.attrs.items()
    }
    given = {name: draw(kind) for name, kind in kinds.items() if draw(st.booleans())}
    if "unit" in kinds and any(relation.attrs[name] == "number" for name in given):
        given.setdefault("unit", draw(kinds["unit"]))  # beside words with a digit ("5-HT3 antagonist") it must be told
    return a_fact(relation.name, thing, status, attrs=given)


@settings(max_examples=200, deadline=None)
@given(fact=facts())
def test_a_fact_that_goes_out_and_comes_back_is_the_same(fact: Fact) -> None:
    assert back(fact) == (fact.relation, fact.object.uid, fact.status, dict(fact.attrs), fact.said_at)


def of_code(*facts: Fact) -> dict[str, Any]:
    """The one resource that a fact became."""
    [found] = [resource for resource in resources(*facts) if resource["resourceType"] not in {"Patient", "Provenance"}]
    return found


@pytest.mark.parametrize(
    ("change", "verification"),
    [
        ({}, ""),
        ({"changed_by": "Dr Ada", "changed_because": "tested"}, "confirmed"),
        ({"contradicted": True}, "unconfirmed"),
        ({"contradicted": True, "changed_by": "Dr Ada"}, "unconfirmed"),
    ],
)
def test_only_what_a_person_confirmed_goes_out_as_confirmed(change: dict[str, Any], verification: str) -> None:
    made = of_code(replace(a_fact("HAS_ALLERGY_TO", "penicillin"), **change))
    said = made.get("verificationStatus", {"coding": [{"code": ""}]})
    assert said["coding"][0]["code"] == verification


def test_a_denied_allergy_has_no_code_that_reads_as_a_risk() -> None:
    made = of_code(a_fact("HAS_ALLERGY_TO", "penicillin", "negated"))
    assert "code" not in made
    assert "no-known-reaction-risk" in json.dumps(made)


def test_a_status_tag_never_turns_a_risk_into_none() -> None:
    """Another system may change the fields of our export and keep its tags."""
    made = of_code(a_fact("HAS_CONDITION", "asthma", "negated"))
    made["verificationStatus"]["coding"][0]["code"] = "confirmed"
    assert read(made).entries[0].proposals[0].status == "active"


def test_the_provenance_names_the_words_who_said_them_and_who_decided() -> None:
    fact = replace(a_fact("TAKES", "warfarin"), changed_by="Dr Ada", changed_because="seen the box")
    [source] = [resource for resource in resources(fact) if resource["resourceType"] == "Provenance"]
    assert source["target"] == [{"reference": f"urn:uuid:{fact.fact_id}"}]
    assert source["contained"][0]["payload"] == [{"contentString": "He said: warfarin."}]
    assert [item["who"]["display"] for item in source["agent"]] == ["patient", "Dr Ada"]
    assert source["reason"] == [{"text": "seen the box"}]
