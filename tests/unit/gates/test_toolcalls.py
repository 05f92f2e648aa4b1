"""An order that a tool sends is an order: its words are read by their values, whatever the keys."""

import json

import pytest

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
