"""The graph's properties are a contract: audits that people wrote read them by name (design, section 4).

Written out in full, so that no name, type or meaning changes by a change of the code that maps them.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from r_memory.domain.blocks import Receipt
from r_memory.domain.events import ChainHead, Episode, EpisodeStatus, EventKind, FactEvent
from r_memory.domain.facts import Entity, Fact, Flag, Route, Status
from r_memory.domain.instants import LATEST, Period
from r_memory.domain.knowledge import Link
from r_memory.domain.memories import Amendment, Document, DocumentState, MemoryItem, Tier
from r_memory.domain.summaries import ConversationSummary, KeptSummary
from r_memory.domain.turns import CandidateScore, Form, Judgement, TurnDecision
from r_memory.store import rows
from r_memory.store.properties import Properties, Unreadable, instant_properties
from r_memory.store.rows import (
    LISTED,
    entity_of_uid,
    event_of,
    fact_properties,
    head_of,
    memory_of,
)
from tests.vectors import vector_of

STORED: Mapping[str, dict[str, Any]] = yaml.safe_load(Path(__file__).with_name("rows.yaml").read_text(encoding="utf-8"))
DRUG_STORED = STORED["drug"]
HEAD_STORED = STORED["head"]
EVENT_STORED = STORED["event"]
FACT_STORED = STORED["fact"]
RECEIPT_STORED = STORED["receipt"]
ITEM_STORED = STORED["item"]
SUMMARY_STORED = STORED["summary"]
DECISION_STORED = STORED["decision"]
DOCUMENT_STORED = STORED["document"]
LINK_STORED = STORED["link"]
NOW = 1_795_256_102_000
ISO = "2026-11-21T10:15:02.000Z"
PATIENT = "clinic/Patient/JD001"
DRUG = Entity(
    space="knowledge", type="Drug", id="penicillin v", name="Penicillin V", aliases=("Pen V",), codes={"rxcui": "7984"}
)
HEAD = ChainHead(seq=7, hash="h7", recorded_at=NOW, changed_seq=4, held="TAKES:1:000000ff")
EPISODE = Episode(
    id="e1",
    space="clinic",
    subject_uid=PATIENT,
    conversation="visit",
    speaker="patient",
    role="user",
    text="I am allergic to penicillin.",
    said_at=NOW,
    recorded_at=NOW,
    status=EpisodeStatus.NEEDS_REVIEW,
    language="en",
    review=("I faint.",),
    attempts=1,
)
SETTLED = {"status": "needs_review", "language": "en", "review": ["I faint."], "disputed": [], "attempts": 1}
EPISODE_STORED = STORED["episode"] | {"hash": EPISODE.hash, "disputed": []}
BY_A_PERSON = {"settled_by": "Dr Who", "settled_because": "asked her", "settled_at": NOW}
EVENT = FactEvent(
    id="v1",
    space="clinic",
    fact_id="f1",
    kind=EventKind.CHANGED,
    relation="HAS_ALLERGY_TO",
    subject_uid=PATIENT,
    object=DRUG,
    status=Status.UNCONFIRMED,
    attrs={"severity": "severe", "dose": 5, "amount": 0.5, "certain": True},
    valid=Period(start=0, end=LATEST + 1),
    recorded_at=NOW,
    said_at=NOW,
    speaker="patient",
    episode_id="e1",
    evidence="allergic to penicillin",
    span_start=5,
    span_end=27,
    route=Route.MODEL,
    extractor="chat/1 m",
    prompt_digest="p",
    schema_version="s",
    confidence=0.5,
    flags=frozenset({Flag.NET, Flag.FUZZY}),
    actor="Dr Who",
    reason="asked her",
    seq=3,
    prev_hash="h2",
    hash="h3",
)
ATTRS = '{"amount": 0.5, "certain": true, "dose": 5, "severity": "severe"}'
FACT = Fact(
    fact_id="f1",
    space="clinic",
    subject_uid=PATIENT,
    relation="HAS_ALLERGY_TO",
    object=DRUG,
    status=Status.ACTIVE,
    attrs={"severity": "severe", "status": "an attribute of a name that is taken"},
    contradicted=True,
    flags=frozenset({Flag.NET, Flag.FUZZY}),
    valid=Period(start=NOW),
    observations=2,
    first_recorded_at=NOW,
    last_recorded_at=NOW,
    last_seq=3,
    evidence="allergic to penicillin",
    speaker="patient",
    said_at=NOW,
    episode_id="e1",
    route=Route.RULES,
    extractor="rules/1",
    confidence=1,
)
CHANGED = {"changed_by": "Dr Who", "changed_because": "asked her", "changed_at": NOW}
RECEIPT = Receipt(
    id="r1",
    space="clinic",
    subject_uid=PATIENT,
    shown_at=NOW,
    shown_to="desk",
    intents=("MED_ORDER",),
    fact_ids=("f1",),
    complete=False,
    watermark=3,
    schema_version="s",
    pack_version="p",
    traversal="MATCH",
)
VECTOR = vector_of("mini/2", (0.5, -0.25))
VECTOR_STORED = {"embedding": "AAAAPwAAgL4=", "embedding_model": "mini/2", "dimensions": 2}
ITEM = MemoryItem(
    id="m1",
    space="clinic",
    conversation="visit",
    subject_uid=PATIENT,
    index=1,
    seq=2,
    change=3,
    speaker="Ann",
    observation="I row.",
    responder="R",
    response="Nice.",
    summary="rows",
    tier=Tier.MEDIUM,
    sources=("m0",),
    vector=VECTOR,
    importance=7,
    flags=("importance",),
    created_at=NOW,
    accessed_at=NOW,
)
PLACE = {"index": 1, "seq": 2, "change": 3}
SUMMARY = KeptSummary(
    space="clinic",
    conversation="visit",
    content=ConversationSummary(
        version=2,
        core_discussion="billing",
        confirmed_needs=("a",),
        constraints=("b",),
        excluded_options=("c: d",),
        key_data=("e",),
        current_conclusion=("f",),
        pending_questions=("g",),
        pending_discussion=("h",),
    ),
    upto=5,
    made_at=NOW,
    made_by="local/1",
    flags=("repaired",),
)
DECISION = TurnDecision(
    id="d1",
    space="clinic",
    conversation="visit",
    subject_uid=PATIENT,
    turn=6,
    at=NOW,
    profile="scm",
    gate=Judgement(yes=True, by="local/1", score=0.75),
    candidates=(
        CandidateScore(id="m1", score=0.5, components={"recency": 1, "lexical": 0.5}, form=Form.RAW, tokens=3),
        CandidateScore(id="m2", score=0, components={}, form=Form.DROPPED),
    ),
    summary_version=2,
    tokens={"memory": 7, "facts": 1},
    tokens_before=9,
    full_history_tokens=99,
    steps_ms={"gate": 0.5},
    parse_failures=1,
    failed={"summary": "too slow"},
    flags=("slow",),
)
DOCUMENT = Document(
    id="t1",
    space="clinic",
    name="minutes.txt",
    subject_uid=PATIENT,
    digest="00ff",
    parts=12,
    read=3,
    state=DocumentState.DONE,
    plan="p",
    theme="rowing",
    root="m9",
    levels=2,
    made_at=NOW,
    flags=("no_scm",),
)
LINK = Link(relation="MEMBER_OF", start="a", end="b", tier="A", rate="1 %", reviewed=True, rule="r1")
SETTLED_EPISODE = replace(EPISODE, settled_by="Dr Who", settled_because="asked her", settled_at=NOW)
CHANGED_FACT = replace(FACT, changed_by="Dr Who", changed_because="asked her", changed_at=NOW)


def _without(stored: Properties, *names: str) -> dict[str, object]:
    return {name: value for name, value in stored.items() if name not in names}


def _of_another_kind(value: object) -> object:
    return ["x", 5] if isinstance(value, list) else 5 if isinstance(value, str) else "5"


@pytest.mark.parametrize(
    ("expected", "stored"),
    [
        (DRUG_STORED, rows.ENTITY.properties(DRUG)),
        (HEAD_STORED, rows.HEAD.properties(HEAD)),
        (EPISODE_STORED, rows.EPISODE.properties(EPISODE)),
        (EPISODE_STORED | BY_A_PERSON | {"settled_at_iso": ISO}, rows.EPISODE.properties(SETTLED_EPISODE)),
        (SETTLED, rows.SETTLED.properties(EPISODE)),
        (SETTLED | BY_A_PERSON | {"settled_at_iso": ISO}, rows.SETTLED.properties(SETTLED_EPISODE)),
        (EVENT_STORED, rows.EVENT.properties(EVENT)),
        (FACT_STORED, _without(fact_properties(FACT), "digest")),
        (FACT_STORED | CHANGED | {"changed_at_iso": ISO}, _without(fact_properties(CHANGED_FACT), "digest")),
        (RECEIPT_STORED, rows.RECEIPT.properties(RECEIPT)),
        (ITEM_STORED, rows.NEW_ITEM.properties(ITEM)),
        (SUMMARY_STORED, rows.SUMMARY.properties(SUMMARY)),
        (DECISION_STORED, rows.DECISION.properties(DECISION)),
        (DOCUMENT_STORED, rows.DOCUMENT.properties(DOCUMENT)),
        (LINK_STORED, rows.LINK.properties(LINK)),
        (
            {"summary": "", "sources": [], **VECTOR_STORED},
            rows.AMENDMENT.properties(Amendment(id="m1", summary="", sources=(), vector=VECTOR)),
        ),
        ({"importance": 3}, rows.AMENDMENT.properties(Amendment(id="m1", importance=3))),
        ({"accessed_at": NOW, "accessed_at_iso": ISO}, instant_properties("accessed_at", NOW)),
    ],
)
def test_what_is_stored_has_the_names_and_types_that_audits_read(
    expected: Mapping[str, object], stored: Mapping[str, object]
) -> None:
    assert expected == stored
    assert {name: type(value) for name, value in expected.items()} == {n: type(v) for n, v in stored.items()}


READ: list[tuple[object, Properties, Callable[[Properties], object]]] = [
    (DRUG, DRUG_STORED, rows.ENTITY.value),
    (HEAD, HEAD_STORED, head_of),
    (SETTLED_EPISODE, EPISODE_STORED | BY_A_PERSON, rows.EPISODE.value),
    (EVENT, EVENT_STORED, lambda stored: event_of(stored, DRUG)),
    (CHANGED_FACT, FACT_STORED | CHANGED, lambda stored: rows.FACT.value(stored, relation=FACT.relation, object=DRUG)),
    (RECEIPT, RECEIPT_STORED, rows.RECEIPT.value),
    (ITEM, ITEM_STORED | PLACE, memory_of),
    (SUMMARY, SUMMARY_STORED, rows.SUMMARY.value),
    (DECISION, DECISION_STORED, rows.DECISION.value),
    (DOCUMENT, DOCUMENT_STORED, rows.DOCUMENT.value),
]
# What is there for people and audits, and is not read.
ASIDE = {
    "uid",
    "id_key",
    "name_key",
    "chain_key",
    "conversation_uid",
    "unmapped",
    "used",
    "severity",
    "dimensions",
    "object_uid",
    "object_name",
    "title",
}
# What a record may lack: older versions had no such thing, or there is nothing to say.
SPARED = {
    "attempts",
    "disputed",
    "held",
    "rule_ids",
    "valid_from",
    "valid_to",
    "gate_yes",
    "gate_score",
    *BY_A_PERSON,
    *CHANGED,
}


def _needed(stored: Properties) -> list[str]:
    """Properties without which there is no value."""
    aside = ASIDE | ({"hash"} if "review" in stored else set()) | VECTOR_STORED.keys()
    return [name for name in stored if not name.endswith("_iso") and name not in aside]


@pytest.mark.parametrize(("expected", "stored", "read"), READ)
def test_what_is_read_is_what_was_stored(
    expected: object, stored: Properties, read: Callable[[Properties], object]
) -> None:
    assert expected == read(stored)


@pytest.mark.parametrize(
    ("expected", "stored", "read"),
    [
        (EPISODE, EPISODE_STORED, rows.EPISODE.value),
        (replace(EPISODE, attempts=0), _without(EPISODE_STORED, "attempts"), rows.EPISODE.value),
        (FACT, FACT_STORED, lambda stored: rows.FACT.value(stored, relation=FACT.relation, object=DRUG)),
        (RECEIPT, _without(RECEIPT_STORED, "rule_ids"), rows.RECEIPT.value),
        (ChainHead(), {"uid": "a subject that nothing was said about"}, head_of),
        (replace(ITEM, vector=None), _without(ITEM_STORED, *VECTOR_STORED) | PLACE, memory_of),
        (replace(ITEM, vector=None), ITEM_STORED | PLACE | {"embedding": "no numbers"}, memory_of),
        (
            replace(DECISION, gate=Judgement(yes=None, by="local/1")),
            _without(DECISION_STORED, "gate_yes", "gate_score"),
            rows.DECISION.value,
        ),
        (
            replace(EVENT, object=replace(DRUG, name=DRUG.id, aliases=(), codes={})),
            EVENT_STORED,
            lambda stored: event_of(stored, None),
        ),
    ],
)
def test_what_a_record_may_lack_is_read_as_nothing(
    expected: object, stored: Properties, read: Callable[[Properties], object]
) -> None:
    assert expected == read(stored)


@pytest.mark.parametrize(
    ("stored", "read", "name"),
    # Without the number of its end, a chain has not begun.
    [
        (stored, read, name)
        for _, stored, read in READ
        for name in _needed(stored)
        if name not in SPARED | {"chain_seq"}
    ],
)
def test_a_record_that_lacks_something_is_refused_by_its_name(
    stored: Properties, read: Callable[[Properties], object], name: str
) -> None:
    with pytest.raises(Unreadable) as refused:
        read(_without(stored, name))
    assert name == refused.value.name


@pytest.mark.parametrize(
    ("stored", "read", "name"), [(stored, read, name) for _, stored, read in READ for name in _needed(stored)]
)
def test_a_property_of_another_kind_is_refused_by_its_name(
    stored: Properties, read: Callable[[Properties], object], name: str
) -> None:
    with pytest.raises(Unreadable) as refused:
        read({**stored, name: _of_another_kind(stored[name])})
    assert name == refused.value.name


@pytest.mark.parametrize(
    ("read", "stored", "name"),
    [
        (lambda stored: event_of(stored, DRUG), EVENT_STORED | {"status": "asserted"}, "status"),
        (lambda stored: event_of(stored, DRUG), EVENT_STORED | {"flags": ["odd"]}, "flags"),
        (lambda stored: event_of(stored, DRUG), EVENT_STORED | {"attrs": "{"}, "attrs"),
        (lambda stored: event_of(stored, DRUG), EVENT_STORED | {"attrs": '{"a": null}'}, "attrs"),
        (lambda stored: event_of(stored, DRUG), EVENT_STORED | {"attrs": "[]"}, "attrs"),
        (lambda stored: event_of(stored, DRUG), EVENT_STORED | {"seq": True}, "seq"),
        (lambda stored: event_of(stored, DRUG), EVENT_STORED | {"confidence": True}, "confidence"),
        (lambda stored: event_of(stored, DRUG), EVENT_STORED | {"valid_to": -1}, "valid_to"),
        (lambda stored: event_of(stored, None), EVENT_STORED | {"object_uid": "nobody"}, "uid"),
        (rows.EPISODE.value, EPISODE_STORED | {"role": "nurse"}, "role"),
        (memory_of, ITEM_STORED | PLACE | {"importance": 11}, "importance"),
        (rows.DECISION.value, DECISION_STORED | {"candidates": '[{"id": "m1"}]'}, "candidates"),
        (rows.DECISION.value, DECISION_STORED | {"steps_ms": '{"gate": "x"}'}, "steps_ms"),
    ],
)
def test_a_value_that_no_record_of_ours_has_is_refused_by_its_name(
    read: Callable[[Properties], object], stored: Properties, name: str
) -> None:
    with pytest.raises(Unreadable) as refused:
        read(stored)
    assert name == refused.value.name


def test_items_are_listed_with_everything_that_is_read_of_them() -> None:
    row = dict.fromkeys(LISTED) | {name: value for name, value in (ITEM_STORED | PLACE).items() if name in LISTED}
    assert memory_of(row) == ITEM


@pytest.mark.parametrize("uid", ["knowledge/Drug/penicillin v", "s/T/a%2Fb%25"])
def test_a_key_says_what_an_entity_was(uid: str) -> None:
    assert uid == entity_of_uid(uid).uid


@pytest.mark.parametrize(
    "change",
    [{"name": "Aspirin"}, {"uid": "knowledge/Drug/aspirin"}, {"id": "aspirin"}],
    ids=lambda one: next(iter(one)),
)
def test_a_concept_that_is_altered_after_it_was_read_is_no_longer_sound(change: dict[str, str]) -> None:
    """A node that is stored as before is not read again; any other is, in the very next read."""
    assert rows.object_of(DRUG_STORED) == rows.object_of(dict(DRUG_STORED)) == (DRUG, True)

    _, sound = rows.object_of({**DRUG_STORED, **change})

    assert not sound
    assert rows.object_of(DRUG_STORED) == (DRUG, True)


def test_a_concept_that_got_another_alias_is_read_anew() -> None:
    """The pack of a newer version may say more of it."""
    rows.object_of(DRUG_STORED)

    thing, sound = rows.object_of({**DRUG_STORED, "aliases": ["Pen V", "Phenoxymethylpenicillin"]})

    assert (thing.aliases, sound) == (("Pen V", "Phenoxymethylpenicillin"), True)


def test_a_property_that_an_entity_must_have_is_missed_after_it_was_read() -> None:
    """What was read before never stands for what is there now."""
    rows.object_of(DRUG_STORED)

    with pytest.raises(Unreadable):
        rows.object_of({name: value for name, value in DRUG_STORED.items() if name != "name"})
