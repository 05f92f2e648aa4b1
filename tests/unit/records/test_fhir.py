"""FHIR resources as the shipped table reads them; what each example says was written by reading it."""

import json
from dataclasses import replace
from typing import Any

import pytest

from r_memory.domain.facts import Entity, Rejection
from r_memory.domain.instants import iso_day, parse_instant
from r_memory.errors import InvalidInput
from r_memory.protocols import Utterance
from r_memory.records import fhir
from r_memory.records.fhir import resources_of
from r_memory.records.importing import known_to_be, of_person
from tests.unit.records.world import examples, form_and_reader, read, refused, stated

ALLERGY, CONDITION, FAMILY, TAKES = "HAS_ALLERGY_TO", "HAS_CONDITION", "HAS_FAMILY_HISTORY", "TAKES"
JOHN = Entity(space="clinic", type="Patient", id="JD001", name="John Doe")
SAID = {
    "AllergyIntolerance/example": (ALLERGY, "Cashew nuts", "active"),
    "AllergyIntolerance/fishallergy": (ALLERGY, "Fish - dietary", "active"),
    "AllergyIntolerance/medication": (ALLERGY, "Penicillin G", "unconfirmed"),
    "AllergyIntolerance/nka": (ALLERGY, "any", "negated"),
    "AllergyIntolerance/nkda": (ALLERGY, "any_drug", "negated"),
    "AllergyIntolerance/nkla": (ALLERGY, "latex", "negated"),
    "Condition/example": (CONDITION, "Burn of ear", "active"),
    "Condition/example2": (CONDITION, "Asthma", "active"),
    "Condition/f001": (CONDITION, "Heart valve disorder", "active"),
    "Condition/f002": (CONDITION, "NSCLC - Non-small cell lung cancer", "active"),
    "Condition/f003": (CONDITION, "Retropharyngeal abscess", "active"),
    "Condition/f201": (CONDITION, "Fever", "resolved"),
    "Condition/f202": (CONDITION, "Malignant neoplastic disease", "resolved"),
    "Condition/f203": (CONDITION, "Bacterial sepsis", "active"),
    "Condition/f204": (CONDITION, "Acute renal insufficiency specified as due to procedure", "resolved"),
    "Condition/f205": (CONDITION, "Bacterial infectious disease", "unconfirmed"),
    "Condition/family-history": (FAMILY, "cancer of colon", "active"),
    "Condition/stroke": (CONDITION, "Ischemic stroke", "active"),
    "FamilyMemberHistory/father": (FAMILY, "Myocardial Infarction", "active"),
    "FamilyMemberHistory/mother": (FAMILY, "Embolic Stroke", "active"),
    "Flag/example": ("HAS_PRECAUTION", "Big dog", "resolved"),
    "Flag/example-encounter": ("HAS_PRECAUTION", "Follow Level 3 Protocol", "active"),
    "MedicationStatement/example001": (TAKES, "Tylenol PM", "active"),
    "MedicationStatement/example002": (TAKES, "Tylenol PM", "active"),
    "MedicationStatement/example003": (TAKES, "Little Pink Pill for water retention", "active"),
    "MedicationStatement/example004": (TAKES, "Amoxicillin", "active"),
    "MedicationStatement/example005": (TAKES, "Amoxicillin", "entered_in_error"),
    "MedicationStatement/example006": (TAKES, "Amoxicillin", "active"),
    "MedicationStatement/example007": (TAKES, "Mometasone Furoate 0.05mg/Actuat", "active"),
}
"""HL7's examples, by hand."""

DETAILS: dict[str, tuple[dict[str, Any], str]] = {
    "AllergyIntolerance/example": ({"reaction": "anaphylaxis", "severity": "severe", "onset": 2004}, "2014-10-09"),
    "AllergyIntolerance/fishallergy": ({}, "2015-08-06"),
    "AllergyIntolerance/medication": ({"reaction": "hives", "severity": "severe"}, "2010-03-01"),
    "AllergyIntolerance/nka": ({}, "2015-08-06"),
    "AllergyIntolerance/nkda": ({}, "2015-08-06"),
    "AllergyIntolerance/nkla": ({}, "2015-08-06"),
    "Condition/example": ({"site": "Left external ear structure", "since": "2012-05-24"}, ""),
    "Condition/example2": ({"since": "approximately November 2012"}, ""),
    "Condition/f001": ({"site": "Left thorax", "since": "2011-08-05"}, "2011-10-05"),
    "Condition/f002": ({"site": "Thorax", "stage": "stage II", "since": "2011-05-05"}, "2012-06-03"),
    "Condition/f003": ({"site": "Entire retropharyngeal area", "since": "2012-02-27"}, "2012-02-20"),
    "Condition/f201": (
        {"site": "Entire body as a whole", "since": "2013-04-02", "until": "around April 9, 2013"},
        "2013-04-04",
    ),
    "Condition/f202": ({"site": "Entire head and neck", "since": "52 years", "until": "54 years"}, "2012-12-01"),
    "Condition/f203": ({"site": "Pulmonary vascular structure", "since": "2013-03-08"}, "2013-03-11"),
    "Condition/f204": (
        {"site": "Kidney", "stage": "Temporary", "since": "2013-03-11", "until": "2013-03-20"},
        "2013-03-11",
    ),
    "Condition/f205": ({}, "2013-04-04"),
    "Condition/family-history": ({}, ""),
    "Condition/stroke": ({"since": "2010-07-18"}, ""),
}
"""Their details and the day of their recording: written by reading each, before the importer saw them."""


def coded(code: str) -> dict[str, Any]:
    return {"coding": [{"code": code}]}


def an_allergy(**fields: object) -> dict[str, Any]:
    return {
        "resourceType": "AllergyIntolerance",
        "id": "a1",
        "clinicalStatus": coded("active"),
        "verificationStatus": coded("confirmed"),
        "code": {"text": "Penicillin"},
        "patient": {"reference": "Patient/JD001"},
        **fields,
    }


def test_every_example_says_what_a_person_reads_in_it() -> None:
    found = {
        id_: (relation, name.casefold(), status) for id_, (relation, name, status) in stated(read(*examples())).items()
    }
    wanted = {id_: (relation, name.casefold(), status) for id_, (relation, name, status) in SAID.items()}
    # The text "Stroke" is a term as it stands; the coded name beside it is narrower and no term of the lexicon.
    wanted["FamilyMemberHistory/mother"] = (FAMILY, "stroke", "active")
    assert found == wanted


def test_every_allergy_and_condition_keeps_its_details_and_its_day() -> None:
    reader = form_and_reader()[1]
    found = {}
    for entry in read(*examples()).entries:
        utterance = Utterance(text=entry.text, role="document", speaker="chart", subject=JOHN)
        formed = reader.validator.form(utterance, entry.proposals[0])
        assert not isinstance(formed, Rejection)
        found[entry.id] = (dict(formed[0].attrs), iso_day(entry.said_at) if entry.said_at is not None else "")
    assert {id_: found[id_] for id_ in DETAILS} == DETAILS


def an_observation(**fields: object) -> dict[str, Any]:
    return {"resourceType": "Observation", "id": "o1", "status": "final", **fields}


def a_quantity(value: float, unit: str, **fields: object) -> dict[str, Any]:
    return {"valueQuantity": {"value": value, "unit": unit, **fields}}


def test_the_parts_of_a_panel_are_results_of_their_own() -> None:
    parts = [
        {"code": coded("48643-1"), **a_quantity(60, "mL/min", comparator=">")},
        {"code": coded("2823-3"), **a_quantity(6.1, "mmol/L")},
        {"code": {"text": "Albumin"}, **a_quantity(40, "g/L")},
    ]
    reading = read(an_observation(code={"text": "Renal panel"}, effectiveDateTime="2024-05-01", component=parts))
    assert stated(reading) == {
        "Observation/o1#1": ("HAS_MEASUREMENT", "eGFR", "active"),
        "Observation/o1#2": ("HAS_MEASUREMENT", "potassium level", "active"),
    }
    assert [dict(entry.proposals[0].attrs) for entry in reading.entries] == [
        {"value": "60", "unit": "mL/min", "comparator": ">", "measured": "2024-05-01"},
        {"value": "6.1", "unit": "mmol/L", "measured": "2024-05-01"},
    ]
    assert refused(reading) == {"Observation/o1#3": "'Albumin' is none of the things that the schema keeps"}


@pytest.mark.parametrize(
    ("quantity", "kept"),
    [
        (a_quantity(84, "kg"), True),
        (a_quantity(185, "lbs"), False),
        (a_quantity(185, "", code="[lb_av]"), False),
    ],
)
def test_a_weight_in_pounds_never_counts_as_one_in_kilograms(quantity: dict[str, Any], kept: bool) -> None:
    reading = read(an_observation(code={"text": "Body weight"}, **quantity))
    assert (len(reading.entries) == 1) is kept
    assert bool(refused(reading)) is not kept


def test_a_medicine_that_is_only_its_ingredients_is_named_by_them() -> None:
    mixture = {"resourceType": "Medication", "id": "m1", "ingredient": [{"itemCodeableConcept": {"text": "Warfarin"}}]}
    order = {"status": "active", "medicationReference": {"reference": "#m1"}, "contained": [mixture]}
    reading = read({"resourceType": "MedicationStatement", "id": "a", **order})
    assert stated(reading) == {"MedicationStatement/a": (TAKES, "Warfarin", "active")}


@pytest.mark.parametrize(
    ("verification", "clinical", "status"),
    [
        ("confirmed", "active", "active"),
        ("presumed", "active", "active"),
        ("unconfirmed", "active", "unconfirmed"),
        ("confirmed", "inactive", "resolved"),
        ("confirmed", "resolved", "resolved"),
        ("refuted", "active", "refuted"),
        ("entered-in-error", "", "entered_in_error"),
        ("confirmed", "", "active"),
    ],
)
def test_the_two_statuses_of_an_entry_become_one(verification: str, clinical: str, status: str) -> None:
    resource = an_allergy(verificationStatus=coded(verification), clinicalStatus=coded(clinical) if clinical else {})
    assert stated(read(resource)) == {"AllergyIntolerance/a1": (ALLERGY, "Penicillin", status)}


def test_a_status_outside_the_table_is_kept_as_a_risk_and_named() -> None:
    [entry] = read(an_allergy(clinicalStatus=coded("dormant"))).entries
    assert entry.proposals[0].status == "unconfirmed"
    assert "clinicalStatus dormant" in entry.note


def test_not_at_risk_of_a_substance_is_no_risk() -> None:
    """FHIR's own form for "not allergic to peanuts": the code stands in an extension."""
    url = "http://hl7.org/fhir/StructureDefinition/allergyintolerance-substanceExposureRisk"
    extension = {
        "url": url,
        "extension": [
            {"url": "substance", "valueCodeableConcept": {"text": "Peanut"}},
            {"url": "exposureRisk", "valueCodeableConcept": coded("no-known-reaction-risk")},
        ],
    }
    resource = {key: value for key, value in an_allergy(extension=[extension]).items() if key != "code"}
    assert stated(read(resource)) == {"AllergyIntolerance/a1": (ALLERGY, "Peanut", "negated")}


def test_no_information_is_no_absence() -> None:
    reading = read(an_allergy(code=coded("no-allergy-info")))
    assert reading.entries == ()
    assert refused(reading) == {"AllergyIntolerance/a1": "it says that nothing is known, which is no absence"}


def test_a_withdrawn_none_known_is_not_taken() -> None:
    reading = read(an_allergy(code=coded("716186003"), verificationStatus=coded("refuted")))
    assert reading.entries == ()


def test_a_code_without_a_name_keeps_its_risk() -> None:
    resource = an_allergy(code={"coding": [{"system": "http://snomed.info/sct", "code": "999"}]})
    assert stated(read(resource)) == {"AllergyIntolerance/a1": (ALLERGY, "code 999 of SNOMED", "active")}


def test_the_worst_reaction_and_grade_count() -> None:
    reactions = [
        {"manifestation": [{"text": "Hives"}], "severity": "mild"},
        {"manifestation": [{"text": "Anaphylaxis"}], "severity": "severe"},
    ]
    [entry] = read(an_allergy(reaction=reactions)).entries
    assert entry.proposals[0].attrs == {"reaction": "Anaphylaxis", "severity": "severe"}


def test_an_order_that_was_never_given_is_no_medicine_in_use() -> None:
    def order(id_: str, status: str, intent: str = "order") -> dict[str, Any]:
        name = {"text": "Warfarin"}
        return {
            "resourceType": "MedicationRequest",
            "id": id_,
            "status": status,
            "intent": intent,
            "medicationCodeableConcept": name,
        }

    reading = read(order("a", "active"), order("b", "draft"), order("c", "active", "proposal"), order("d", "stopped"))
    assert {id_: status for id_, (_, _, status) in stated(reading).items()} == {
        "MedicationRequest/a": "active",
        "MedicationRequest/d": "resolved",
    }
    assert set(refused(reading)) == {"MedicationRequest/b", "MedicationRequest/c"}


def test_another_persons_resource_is_refused() -> None:
    person = {"resourceType": "Patient", "id": "p1", "identifier": [{"value": "JD001"}], "name": [{"given": ["Jo"]}]}
    mine = an_allergy(patient={"reference": "Patient/p1"})
    other = {**an_allergy(patient={"reference": "Patient/p2"}), "id": "a2"}
    reading = of_person(read(person, mine, other), JOHN)
    assert [entry.id for entry in reading.entries] == ["AllergyIntolerance/a1"]
    assert refused(reading) == {"AllergyIntolerance/a2": "it is about another person, 'p2'"}


def test_a_file_about_somebody_else_is_refused_as_a_whole() -> None:
    reading = read(an_allergy(patient={"reference": "Patient/p9"}))
    with pytest.raises(InvalidInput, match=r"nothing in it says that this is 'JD001'.*--person"):
        of_person(reading, JOHN)
    assert len(of_person(reading, JOHN, person="p9").entries) == 1


def test_an_entry_of_the_future_is_refused() -> None:
    reading = known_to_be(read(an_allergy(recordedDate="2031-01-01")), parse_instant("2026-11-29T00:00:00Z"))
    assert reading.entries == ()
    assert "2031-01-01, which is to come" in refused(reading)["AllergyIntolerance/a1"]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b'{"resourceType": "Bundle", "entry": [{"resou', "ends early or is damaged"),
        (b'<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', "declares a document type or entities"),
        ('{"resourceType": "Flag", "note": "é"}'.encode("latin-1"), "is not UTF-8"),
        (b'{"a": 1}', "holds no resource"),
        (b'{"resourceType":"Flag"}\n{"resourceType":', "damaged"),
        (b"[" * 200_000, "nested too deep|damaged"),
    ],
)
def test_a_damaged_file_is_refused_with_what_to_do(data: bytes, said: str) -> None:
    with pytest.raises(InvalidInput, match=said):
        resources_of(data, "chart.json")


def test_xml_and_json_of_one_resource_say_the_same() -> None:
    xml = b"""<?xml version="1.0"?><AllergyIntolerance xmlns="http://hl7.org/fhir"><id value="a1"/>
    <clinicalStatus><coding><code value="active"/></coding></clinicalStatus>
    <verificationStatus><coding><code value="refuted"/></coding></verificationStatus>
    <code><text value="Penicillin"/></code><patient><reference value="Patient/JD001"/></patient></AllergyIntolerance>"""
    json_ = json.dumps(an_allergy(verificationStatus=coded("refuted"))).encode()
    both = [read(*resources_of(data, "a")) for data in (xml, json_)]  # type: ignore[arg-type]  # trees
    assert [(stated(item), item.entries[0].about) for item in both] == [
        ({"AllergyIntolerance/a1": (ALLERGY, "Penicillin", "refuted")}, "JD001")
    ] * 2


def test_of_a_bundle_of_two_patients_only_the_subjects_entries_are_taken() -> None:
    """And a file that is about neither is refused as a whole."""
    latex = {**an_allergy(code={"text": "Latex"}, patient={"reference": "Patient/p2"}), "id": "a2"}
    people = [{"resourceType": "Patient", "id": id_, "identifier": [{"value": id_}]} for id_ in ("JD001", "p2")]
    mine = an_allergy(patient={"reference": "Patient/JD001"})
    reading = of_person(read(*people, mine, latex), JOHN)
    assert [entry.about for entry in reading.entries] == ["JD001"]
    assert refused(reading) == {"AllergyIntolerance/a2": "it is about another person, 'p2'"}
    with pytest.raises(InvalidInput, match="nothing in it says that this is"):
        of_person(read(*people, mine, latex), replace(JOHN, id="p3"))


def test_a_file_that_is_too_large_to_be_read_at_once_says_how_to_export_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fhir, "LARGEST", 10)
    with pytest.raises(InvalidInput, match="at most 0 MB are read at once; export it by resource type as NDJSON"):
        resources_of(b'{"resourceType": "Patient"}', "chart.json")
