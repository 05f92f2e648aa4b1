"""No structured file is read as prose: it is imported as what it is, or refused with the way out (part F)."""

import json

import pytest

from r_memory.text.structured import structured

CHATGPT = [{"title": "t", "mapping": {"n": {"message": {"author": {"role": "user"}}}}, "current_node": "n"}]
CLAUDE = [{"uuid": "u", "name": "t", "chat_messages": [{"sender": "human", "text": "Hello."}]}]
SERVER_MEMORY = '{"type":"entity","name":"Ann","entityType":"person","observations":["likes tea"]}\n'


@pytest.mark.parametrize(
    ("text", "name", "kind"),
    [
        (json.dumps({"resourceType": "Patient"}), "a.txt", "fhir"),
        ('{"resourceType":"Condition"}\n{"resourceType":"Flag"}', "a.ndjson", "fhir"),
        ('{"resourceType": "Bundle", "entry": [{"resou', "half.json", "fhir"),
        ('<Condition xmlns="http://hl7.org/fhir"><id value="a"/></Condition>', "a.xml", "fhir"),
        ('<?xml version="1.0"?><ClinicalDocument xmlns="urn:hl7-org:v3"/>', "a.xml", "ccda"),
        ("MSH|^~\\&|LAB|X\rPID|1||4711", "a.hl7", "hl7v2"),
        ("name,substance,status\nAnn,Latex,active\nBob,Egg,ended\n", "a.csv", "table"),
        ("name;substance;status\nAnn;Latex;active\nBob;Egg;ended\n", "list.txt", "table"),
        (json.dumps(CHATGPT), "conversations.json", "chat"),
        (json.dumps(CLAUDE), "conversations.json", "chat"),
        (SERVER_MEMORY, "memory.jsonl", "memory"),
        (json.dumps([{"id": "1", "memory": "Likes tea", "user_id": "ann"}]), "mem0.json", "memory"),
        ('{"a": 1}', "a.json", "json"),
        ("<?xml version='1.0'?><a/>", "a.xml", "xml"),
    ],
)
def test_a_structured_file_is_known_for_what_it_is(text: str, name: str, kind: str) -> None:
    found = structured(text, name)
    assert found is not None
    assert found.kind == kind
    assert "prose" in found.way_out or "nothing imports" in found.way_out


@pytest.mark.parametrize(
    "text",
    [
        "Dear Dr Ada, I saw John today, who is allergic to latex, eggs, and nuts.",
        "Allergies: penicillin, latex, codeine\nMedicines: aspirin, metformin, ramipril",
        "| Drug | Reaction |\n| --- | --- |\n| Codeine | Rash |",
        "[see the letter](letter.md) about the visit",
        'The file says "resourceType": "Patient", which I did not understand.',
        "doctor: Any allergies?\npatient: To latex.",
        "{not json at all",
    ],
)
def test_prose_is_still_prose(text: str) -> None:
    assert structured(text, "letter.txt") is None
