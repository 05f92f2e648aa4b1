"""Conversations and other memories: the person's words are evidence, an assistant's are not, nobody's are another's."""

import json
from pathlib import Path
from typing import Any

import pytest

from r_memory.domain.facts import Entity
from r_memory.domain.instants import iso_seconds
from r_memory.errors import InvalidInput
from r_memory.records.chats import archived, read_chats, read_memories
from r_memory.records.importing import of_person
from r_memory.records.values import FileReading
from tests.unit.records.world import refused

ANN = Entity(space="clinic", type="Patient", id="ann", name="Ann Lee")


def a_node(key: str, parent: str, role: str, text: str, **meta: object) -> dict[str, Any]:
    content = {"content_type": "text", "parts": [text]}
    message = {"author": {"role": role}, "content": content, "create_time": 1_700_000_000.5, "metadata": meta}
    return {key: {"id": key, "parent": parent, "message": message}}


CHATGPT = {
    "conversation_id": "c1",
    "current_node": "d",
    "mapping": {
        "root": {"id": "root", "parent": None, "message": None},
        **a_node("s", "root", "system", "Be kind."),
        **a_node("h", "s", "user", "Profile.", is_visually_hidden_from_conversation=True),
        **a_node("a", "h", "assistant", "Any allergies?"),
        **a_node("b", "a", "user", "Yes, latex."),
        **a_node("old", "a", "user", "Yes, letax."),
        **a_node("c", "b", "assistant", "You are allergic to penicillin."),
        **a_node("d", "c", "user", "No, I am not."),
    },
}
CLAUDE = {
    "uuid": "k1",
    "chat_messages": [
        {"uuid": "m1", "sender": "assistant", "text": "Hello.", "created_at": "2024-05-01T10:00:00Z"},
        {
            "uuid": "m2",
            "sender": "human",
            "text": "",
            "content": [{"type": "text", "text": "I take warfarin."}],
            "created_at": "2024-05-01T10:00:05.5Z",
            "attachments": [{"file_name": "letter.pdf", "extracted_content": "Allergic to eggs."}],
        },
    ],
}


def told(reading: FileReading) -> list[tuple[str, str]]:
    return [(entry.id, entry.text) for entry in reading.entries]


def test_only_the_persons_own_words_are_taken_with_the_question_before() -> None:
    reading = read_chats(json.dumps([CHATGPT]).encode(), "conversations.json")
    assert told(reading) == [("c1/b", "Yes, latex."), ("c1/d", "No, I am not.")]
    first, second = reading.entries
    assert [turn.text for turn in first.before] == ["Any allergies?"]
    assert [turn.text for turn in second.before] == ["Yes, latex.", "You are allergic to penicillin."]
    assert iso_seconds(first.said_at or 0) == "2023-11-14T22:13:20Z"
    assert refused(reading) == {"c1/old": "the person edited it away"}


def test_a_turn_of_claude_keeps_its_time_and_its_file_is_named() -> None:
    reading = read_chats(json.dumps([CLAUDE]).encode(), "conversations.json")
    assert told(reading) == [("k1/m2", "I take warfarin.")]
    assert iso_seconds(reading.entries[0].said_at or 0) == "2024-05-01T10:00:05Z"
    assert refused(reading) == {"m2/letter.pdf": "an attached file is nobody's turn; read it with `ingest`"}


SERVER_MEMORY = "\n".join(
    json.dumps(line)
    for line in (
        {"type": "entity", "name": "Ann", "entityType": "person", "observations": ["Is allergic to latex"]},
        {"type": "entity", "name": "Bob", "entityType": "person", "observations": ["Takes warfarin"]},
        {"type": "relation", "from": "Ann", "to": "Bob", "relationType": "IS_MARRIED_TO"},
    )
)
MEM0 = {
    "results": [
        {"id": "1", "memory": "Is allergic to latex", "user_id": "ann", "created_at": "2024-05-01T10:00:00Z"},
        {"id": "2", "memory": "Takes warfarin", "user_id": "bob"},
    ]
}


def test_each_memory_is_of_the_person_whom_it_names() -> None:
    """F5: several people stood on one record."""
    reading = read_memories(SERVER_MEMORY.encode(), "memory.jsonl")
    mine = of_person(reading, ANN, person="Ann")
    assert told(mine) == [("Ann#1", "Is allergic to latex"), ("Ann IS_MARRIED_TO Bob", "Ann is married to Bob")]
    assert refused(mine) == {"Bob#1": "it is about another person, 'Bob'"}
    with pytest.raises(InvalidInput, match="nothing in it says that this is 'ann'"):
        of_person(reading, ANN)


def test_memories_of_mem0_are_told_apart_by_user() -> None:
    mine = of_person(read_memories(json.dumps(MEM0).encode(), "mem0.json"), ANN)
    assert told(mine) == [("1", "Is allergic to latex")]
    assert iso_seconds(mine.entries[0].said_at or 0) == "2024-05-01T10:00:00Z"
    assert {entry.role for entry in mine.entries} == {"document"}


COGX = (
    {"kind": "entity", "external_id": "e1", "name": "Ann", "description": "Ann is allergic to latex."},
    {"kind": "entity", "external_id": "e2", "name": "Bob"},
    {"kind": "fact", "external_id": "f1", "subject_ref": "e1", "predicate": "takes", "object_ref": "warfarin"},
    {
        "kind": "fact",
        "external_id": "f2",
        "subject_ref": "e1",
        "predicate": "TAKES",
        "object_ref": "x",
        "invalid_at": "2020",
    },
    {"kind": "fact", "external_id": "f3", "subject_ref": "e2", "predicate": "has", "object_ref": "asthma"},
    {"kind": "memory", "external_id": "m1", "content": "Has a pacemaker", "scope": {"user_id": "Ann"}},
    {"kind": "memory_block", "external_id": "b1", "label": "human", "value": "Is deaf.", "scope": {"user_id": "Ann"}},
    {"kind": "document", "external_id": "d1", "content": "A letter."},
    {
        "kind": "episode",
        "external_id": "s1",
        "scope": {"user_id": "Ann"},
        "turns": [
            {"role": "assistant", "content": "Any allergies?", "occurred_at": "2024-05-01T10:00:00Z"},
            {"role": "user", "content": "Latex.", "occurred_at": "2024-05-01T10:00:05Z"},
        ],
    },
    {"id": "n1", "type": "Chunk"},
)


def an_archive(folder: Path, version: str = "0.1") -> Path:
    """COGX as cognee writes it: a folder of JSON lines with a manifest."""
    folder.mkdir()
    (folder / "manifest.json").write_text(json.dumps({"cogx_version": version}), encoding="utf-8")
    lines = "\n".join(json.dumps(record) for record in COGX)
    (folder / "records.jsonl").write_text(lines, encoding="utf-8")
    return folder


def test_an_archive_of_cognee_is_read_by_person_and_what_no_longer_holds_is_named(tmp_path: Path) -> None:
    data = archived(an_archive(tmp_path / "backup"), Path.read_bytes)
    mine = of_person(read_memories(data, "backup"), ANN, person="Ann")
    assert told(mine) == [
        ("e1", "Ann is allergic to latex."),
        ("f1", "Ann takes warfarin"),
        ("m1", "Has a pacemaker"),
        ("b1", "Is deaf."),
        ("s1#2", "Latex."),
    ]
    assert refused(mine) == {
        "f2": "it no longer holds there, since 2020",
        "f3": "it is about another person, 'Bob'",
        "d1": "a document is nobody's turn; read it with `ingest`",
    }
    turn = mine.entries[-1]
    assert (turn.role, [item.text for item in turn.before]) == ("user", ["Any allergies?"])
    assert iso_seconds(turn.said_at or 0) == "2024-05-01T10:00:05Z"


def test_an_archive_of_a_version_to_come_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"no archive of COGX 0 \(version '1.0'\)"):
        archived(an_archive(tmp_path / "backup", version="1.0"), Path.read_bytes)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b'[{"mapping": {"a', "ends early or is damaged"),
        (b'[{"messages_v9": []}]', "holds no conversation as ChatGPT or Claude export them"),
        (b"PK\x03\x04", "is an archive; unpack it"),
        (b"[]", "holds no conversation"),
        ("é".encode("latin-1"), "is not UTF-8"),
        (b"[" * 200_000, "nested too deep|damaged"),
    ],
)
def test_a_damaged_or_newer_export_is_refused_with_what_to_do(data: bytes, said: str) -> None:
    with pytest.raises(InvalidInput, match=said):
        read_chats(data, "conversations.json")


@pytest.mark.parametrize("data", [b'{"type": "entity"}', b'[{"text": "a"}]', b'{"type":"entity"}\n{"na'])
def test_a_file_without_memories_is_refused(data: bytes) -> None:
    with pytest.raises(InvalidInput, match=r"holds nothing as|damaged"):
        read_memories(data, "memory.jsonl")


def test_odd_fields_break_nothing() -> None:
    """An export of a newer version: what is not known is left out, and no word of the person is lost."""
    odd = {**CHATGPT, "mapping": {**CHATGPT["mapping"], "x": 5, "y": {"message": {"author": "me", "content": []}}}}  # type: ignore[dict-item]  # odd on purpose
    assert len(read_chats(json.dumps([odd, 3, None]).encode(), "c.json").entries) == 2
    loop = {**CHATGPT, "mapping": {**a_node("a", "b", "user", "One."), **a_node("b", "a", "user", "Two.")}}
    loop["current_node"] = "a"
    assert {entry.text for entry in read_chats(json.dumps([loop]).encode(), "c.json").entries} == {"One.", "Two."}
