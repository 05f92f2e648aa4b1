"""Values as JSON and back: what is read is what was written, to the last hash."""

import json
from dataclasses import replace

import pytest

from r_memory.domain.codec import decoded, encoded
from r_memory.domain.events import ChainHead, FactEvent, event_hash, observed
from r_memory.domain.facts import Entity, Flag
from r_memory.domain.instants import Period
from r_memory.domain.memories import MemoryItem
from r_memory.errors import InvalidInput
from tests.store.conversation_world import a_decision, a_document, a_summary, weighed
from tests.store.stream_world import an_item
from tests.store.world import NOW, a_patient, a_receipt, an_episode, seen
from tests.vectors import vector_of

PATIENT = a_patient("clinic")


def an_event(**changes: object) -> FactEvent:
    """An event with something in every kind of field."""
    observation = seen(
        PATIENT,
        attrs={"severity": "severe", "dose": 5, "factor": 1.0, "sure": True},
        valid=Period(start=-5),
        flags=frozenset({Flag.FUZZY, Flag.NET}),
    )
    [event] = observed([observation], episode=an_episode(PATIENT), head=ChainHead(), now=NOW, schema_version="v")
    return replace(event, **changes).sealed()  # type: ignore[arg-type]  # a mapping of keyword arguments


@pytest.mark.parametrize(
    "value",
    [
        PATIENT,
        Entity(space="s", type="T", id="naïve 🧪", name='"\n', aliases=("a", ""), codes={"n": 1, "t": True}),
        an_episode(PATIENT, "שלום\r\n\x1b[31m", review=("one", "two"), settled_at=0),
        an_event(),
        a_receipt(PATIENT, "r"),
        a_summary("clinic"),
        a_decision("clinic", candidates=(weighed(1), weighed(2)), tokens={"memory": 7}, steps_ms={"gate": 0.5}),
        a_document("clinic"),
        an_item("clinic", "I row.", vector=vector_of("m", [1.0, -2.5])),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_is_read_is_what_was_written(value: object) -> None:
    assert decoded(type(value), json.loads(json.dumps(encoded(value)))) == value


@pytest.mark.parametrize("confidence", [1, 1.0, 0, 0.0, 0.25])
def test_a_hash_survives_whole_numbers_and_others(confidence: float) -> None:
    event = an_event(confidence=confidence)
    assert event_hash(decoded(FactEvent, json.loads(json.dumps(encoded(event))))) == event.hash


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"seq": True}, r"FactEvent\.seq must be int"),
        ({"seq": None}, r"FactEvent\.seq must be int"),
        ({"status": "asserted"}, r"FactEvent\.status must be one of active"),
        ({"flags": "fuzzy"}, r"FactEvent\.flags must be a list"),
        ({"attrs": {"a": [1]}}, r"FactEvent\.attrs\.a must be str or int"),
        ({"object": "penicillin"}, r"FactEvent\.object must be an object"),
        ({"object": {"space": "s"}}, r"FactEvent\.object lacks 'type'"),
        ({"valid": {"start": 5, "end": 5}}, "a period ends after it starts"),
        ({"mood": 1}, "FactEvent has no field 'mood'"),
    ],
)
def test_what_no_value_can_hold_is_refused_by_the_name_of_its_field(changes: dict[str, object], message: str) -> None:
    data = encoded(an_event())
    assert isinstance(data, dict)
    with pytest.raises(InvalidInput, match=message):
        decoded(FactEvent, {**data, **changes})


@pytest.mark.parametrize("data", [None, 5, [], "x", {"id": "m"}])
def test_what_is_no_object_of_ours_is_refused(data: object) -> None:
    with pytest.raises(InvalidInput):
        decoded(MemoryItem, data)


def test_a_vector_that_is_no_base64_is_refused() -> None:
    data = encoded(an_item("clinic", "I row.", vector=vector_of("m", [1.0])))
    assert isinstance(data, dict)
    with pytest.raises(InvalidInput, match=r"MemoryItem\.vector must be Vector or NoneType"):
        decoded(MemoryItem, {**data, "vector": {"model": "m", "data": "?"}})
