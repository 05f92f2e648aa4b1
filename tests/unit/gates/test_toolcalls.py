"""An order that a tool sends is an order: its words are read by their values, whatever the keys."""

import json
from functools import cache

import pytest

from r_memory.config.files import Files
from r_memory.config.gates_file import load_gates
from r_memory.config.loading import load_domain
from r_memory.domain.gates import GatePolicy
from r_memory.gates.toolcalls import is_own, words_of

NO_CONTENT = frozenset({"id", "date", "token", "patient_id", "key"})


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"item": "Amoxicillin", "dose": "500 mg"}, "Amoxicillin, 500 mg"),
        ({"a": {"b": [{"c": "Amoxicillin"}]}}, "a\nb\nAmoxicillin"),
        ({"drug": "Amoxicillin", "patient_id": "JD001", "date": "2026-11-29"}, "Amoxicillin"),
        ({"id": "Amoxicillin"}, "Amoxicillin"),
        ({"drugId": "amoxicillin"}, "amoxicillin"),
        ({"doseMg": 500}, "dose Mg 500"),
        ({"Amoxicillin": True, "urgent": False, "note": None}, "Amoxicillin"),
        ({"payload": '{"item": "Amoxicillin"}'}, "Amoxicillin"),
        (["Amoxicillin", "Ibuprofen"], "Amoxicillin, Ibuprofen"),
        ({"token": "sk-Abc123Def456Ghi789"}, ""),
        ({}, ""),
    ],
)
def test_values_are_read_and_ids_dates_and_tokens_are_not(arguments: object, words: str) -> None:
    assert words_of(json.dumps(arguments), NO_CONTENT) == words
    assert words_of(arguments, NO_CONTENT) == words


FHIR = {
    "resourceType": "MedicationRequest",
    "id": "mr-1",
    "subject": {"reference": "Patient/JD001"},
    "authoredOn": "2026-11-29T08:00:00Z",
    "medicationCodeableConcept": {"text": "Amoxicillin 500 mg"},
    "dosageInstruction": [{"text": "three times a day", "doseQuantity": {"value": 500, "unit": "mg"}}],
}
DOSAGE = "dosage Instruction\nthree times a day\ndose Quantity\nvalue 500, mg"
SENT = {
    "url": "https://orders.example.com/v1",
    "method": "POST",
    "headers": {"Authorization": "Bearer eyJhbGciOiJ9.abc-1", "X-Request-Id": "7c9e6679-7425-40de-944b-e07fc1f90ae7"},
    "body": '{"drug": "amoxicillin", "nonce": "8f3a2c1e9b", "patient": {"mrn": "0049-22"}}',
    "timeout": 30000,
}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (FHIR, f"MedicationRequest\nsubject\nPatient/JD001\nmedication Codeable Concept\nAmoxicillin 500 mg\n{DOSAGE}"),
        (SENT, "https://orders.example.com/v1, POST\nheaders\namoxicillin\npatient"),
        ({"query": "beta blockers", "page": 2, "page_size": 50, "cursor": "aGVsbG8-17"}, "beta blockers"),
    ],
)
def test_of_calls_as_programs_send_them_only_what_they_say_is_read(arguments: object, words: str) -> None:
    assert words_of(arguments, shipped().no_content) == words


def test_whatever_its_name_a_field_that_holds_words_is_read() -> None:
    """A catalogue of fields must not be a way past the gate: each of its names, with a medicine in it."""
    for name in shipped().no_content:
        assert words_of({name: "amoxicillin"}, shipped().no_content) == "amoxicillin"
        assert words_of({name: "2026-11-29"}, shipped().no_content) == ""


@pytest.mark.parametrize("value", ["amoxicillin-500", "Medication/amoxicillin500", "AMOXICILLIN500", "latex-2"])
def test_a_code_that_is_made_of_a_name_is_read(value: str) -> None:
    """Shops and clinics name their articles so: {"drug_id": "amoxicillin-500"} is an order."""
    assert words_of({"drug_id": value}, shipped().no_content) == value
    assert words_of({"medicationReference": {"reference": value}}, shipped().no_content).endswith(value)


@pytest.mark.parametrize("value", ["JD001", "7c9e6679-7425-40de-944b-e07fc1f9", "deadbeef0", "29-Nov-2026", "A-1/b2"])
def test_a_code_without_a_name_in_it_is_not(value: str) -> None:
    assert words_of({"drug_id": value}, shipped().no_content) == ""


def test_no_number_that_a_relation_holds_is_in_the_catalogue() -> None:
    domains = [load_domain(Files(), name).schema for name in ("clinical", "law", "finance", "personal")]
    relations = [relation for schema in domains for relation in schema.relations.values()]
    numbers = {name for relation in relations for name, kind in relation.attrs.items() if kind == "number"}
    assert {"dose", "max", "value"} & numbers
    assert numbers & shipped().no_content == set()


@cache
def shipped() -> GatePolicy:
    return load_gates(Files(), load_domain(Files(), "clinical").schema)


def test_what_is_no_json_is_read_as_it_stands() -> None:
    assert words_of('{"item": "Amoxicillin', NO_CONTENT) == '{"item": "Amoxicillin'


def test_what_is_nested_without_end_is_read_all_the_same() -> None:
    nested: object = "Amoxicillin"
    for _ in range(100):
        nested = {"a": nested}
    assert "Amoxicillin" in words_of(nested, NO_CONTENT)


@pytest.mark.parametrize(
    "name", ["memory_remember", "mcp__r-memory__memory_build_context", "plugin_r-memory_r-memory__memory_check_text"]
)
def test_the_memorys_own_tools_are_known_by_their_names(name: str) -> None:
    assert is_own(name)


@pytest.mark.parametrize("name", ["memory_order", "order_medication", "x_memory_remember_and_order"])
def test_other_tools_are_not(name: str) -> None:
    assert not is_own(name)
