"""How values are stored in the graph (design, section 4): ledger, present state, and conversational memory.

A table of layouts: `properties` of a layout returns what is stored of a value, and `value` reads it or raises
`Unreadable`. Attributes of a fact are also stored as properties of their own, for audits; they are read from the JSON
only. Records without a name have a `title`, the caption in a drawing of the graph; it is part of the digest, and
is never read.
It knows names of properties, not queries.
"""

import hashlib
import marshal
from collections import OrderedDict
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import fields
from typing import Any

from r_memory.domain.blocks import GateRecord, Receipt
from r_memory.domain.events import ChainHead, Episode, EventKind, FactEvent
from r_memory.domain.facts import KNOWLEDGE_SPACE, MEANS, Entity, Fact, entity_of_key, reads_like_its_id
from r_memory.domain.identity import identity_key
from r_memory.domain.instants import Period
from r_memory.domain.knowledge import Link
from r_memory.domain.memories import Amendment, Document, MemoryItem, Vector, conversation_uid
from r_memory.domain.schema import FORBIDDEN_ATTRIBUTES
from r_memory.domain.summaries import ConversationSummary, KeptSummary
from r_memory.domain.turns import Form, Judgement, TurnDecision
from r_memory.errors import InvalidInput
from r_memory.store.properties import Layout, Properties, Unreadable, digest, properties_in

_TITLE_LENGTH = 60


def _shortened(words: str) -> str:
    line = " ".join(words.split())
    return line if len(line) <= _TITLE_LENGTH else f"{line[: _TITLE_LENGTH - 1]}…"


def _event_title(event: FactEvent) -> str:
    if event.kind is EventKind.ERASED:
        return "erased"
    return _shortened(f"{event.relation} {event.object.name} ({event.kind}: {event.status})")


SETTLING = {"status", "language", "review", "disputed", "attempts", "settled_by", "settled_because", "settled_at"}

_PERIOD = Layout(Period, names={"start": "valid_from", "end": "valid_to"}, refused="valid_to")
ENTITY = Layout(
    Entity,
    spared=("is_a",),
    beside=lambda entity: {
        "uid": entity.uid,
        "id_key": identity_key(entity.id),
        "name_key": identity_key(entity.name),
    },
)


def is_object_as_written(stored: Properties, entity: Entity) -> bool:
    """Whether the node of an object has the key that follows from its type and id, and the name that follows from its
    id.
    """
    return stored.get("uid") == entity.uid and reads_like_its_id(entity)


_MOST_CONCEPTS = 20_000
_concepts: dict[str, tuple[Properties, Entity]] = {}
"""Sound nodes of concepts by key, and the entities that they are: a pack is the same for everybody."""


def object_of(stored: Properties) -> tuple[Entity, bool]:
    """The object of a node, and whether its keys are as written; a concept that is stored as before is not read again.

    Raises:
        Unreadable: the node is no entity.
    """
    uid = stored.get("uid")
    if isinstance(uid, str) and (known := _concepts.get(uid)) is not None and known[0] == stored:
        return known[1], True
    entity = ENTITY.value(stored)
    sound = is_object_as_written(stored, entity)
    if sound and entity.space == KNOWLEDGE_SPACE:
        if len(_concepts) >= _MOST_CONCEPTS:
            _concepts.clear()
        _concepts[entity.uid] = stored, entity
    return entity, sound


def person_of(stored: Properties) -> Entity:
    """The subject of a node with the keys by which it is found.

    Raises:
        Unreadable: a key belongs to another subject, so that this one could not be found by it.
    """
    person = ENTITY.value(stored)
    for name in (name for name, value in ENTITY.beside(person).items() if stored.get(name) != value):
        raise Unreadable(name)
    return person


HEAD = Layout(
    ChainHead, names={"seq": "chain_seq", "hash": "chain_hash", "recorded_at": "chain_recorded_at"}, later=("held",)
)
"""The end of a chain; stored on its subject."""
EPISODE = Layout(
    Episode,
    spared=("settled_by", "settled_because"),
    later=("attempts", "disputed"),
    beside=lambda episode: {"hash": episode.hash, "title": _shortened(episode.text)},
)
"""All fields of an episode except its position in the conversation, which the store counts."""
SETTLED = Layout(
    Episode,
    spared=("settled_by", "settled_because"),
    later=("disputed",),
    apart=[field.name for field in fields(Episode) if field.name not in SETTLING],
)
"""The status of an episode: all properties that ever change."""
EVENT = Layout(
    FactEvent,
    parts={"valid": _PERIOD},
    apart=("object",),
    beside=lambda event: {
        "chain_key": event.chain_key,
        "title": _event_title(event),
        "object_uid": event.object.uid,
        # Under which name it was recorded: a word of the space's own is nowhere else.
        "object_name": event.object.name,
    },
)
FACT = Layout(
    Fact,
    parts={"valid": _PERIOD},
    apart=("relation", "object"),
    spared=("changed_by", "changed_because"),
    beside=lambda fact: {
        **{name: value for name, value in fact.attrs.items() if name not in FORBIDDEN_ATTRIBUTES},
        "unmapped": fact.is_unmapped,
        **{name: value for name, value in fact.attrs.items() if name == MEANS},
    },
)
RECEIPT = Layout(
    Receipt,
    parts={"gate": Layout(GateRecord, spared=[field.name for field in fields(GateRecord)])},
    spared=("block",),
    later=("rule_ids",),
    beside=lambda receipt: {"title": _shortened(f"to {receipt.shown_to}: {len(receipt.fact_ids)} facts")},
)
LINK = Layout(Link, apart=("relation", "start", "end"))


def entity_of_uid(uid: str) -> Entity:
    """The entity of a key whose node is missing because a newer pack dropped it."""
    try:
        return entity_of_key(uid)
    except InvalidInput as error:
        raise Unreadable("uid") from error


def head_of(properties: Properties) -> ChainHead:
    """The end of a subject's chain; the start of a chain if it has none yet."""
    return HEAD.value(properties) if "chain_seq" in properties else ChainHead()


def event_of(properties: Properties, target: Entity | None) -> FactEvent:
    """The event of a node; `target` is its object, or `None` if a newer pack dropped the object's node."""
    if target is None:
        uid = properties.get("object_uid")
        if not isinstance(uid, str):
            raise Unreadable("object_uid")
        target = entity_of_uid(uid)
    return EVENT.value(properties, object=target)


def fact_of(row: Mapping[str, object]) -> Fact:
    """The fact of a row with `relation`, `fact` and `object`.

    Raises:
        Unreadable: the fact does not match its digest.
    """
    fact, sound = read_fact(str(row["relation"]), row)
    if not sound:
        raise Unreadable("digest")
    return fact


_MOST_FACTS = 5_000
_facts: OrderedDict[bytes, Fact] = OrderedDict()
"""Sound facts by all that is stored of them: a row that came before gives the same object."""


def read_fact(relation: str, row: Mapping[str, object]) -> tuple[Fact, bool]:
    """The fact of a row, and whether it is as written; a row that differs in any byte from earlier ones is read anew.

    Raises:
        Unreadable: the row holds no fact.
    """
    stored, node = properties_in(row, "fact"), properties_in(row, "object")
    key = _key_of(relation, stored, node)
    if key and (known := _facts.get(key)) is not None:
        return known, True
    thing, as_written = object_of(node)
    fact = FACT.value(stored, relation=relation, object=thing)
    sound = as_written and is_as_written(stored)
    if key and sound:
        _facts[key] = fact
        if len(_facts) > _MOST_FACTS:
            _facts.popitem(last=False)
    return fact, sound


def forget_facts(subject_uid: str) -> None:
    """Keeps no fact of a subject any more."""
    for key in [key for key, fact in _facts.items() if fact.subject_uid == subject_uid]:
        del _facts[key]


def _key_of(*stored: Any) -> bytes:  # noqa: ANN401 - what a database gives
    """A digest of values and their types, so that 1 is neither 1.0 nor true; empty if a value is no plain one."""
    try:
        return hashlib.sha256(marshal.dumps(stored, 0)).digest()
    except ValueError:
        return b""


def fact_properties(fact: Fact) -> dict[str, object]:
    """The properties of a relationship of the present state: the whole fact, to be read in one hop, and a
    digest of it.
    """
    properties = FACT.properties(fact)
    return {**properties, "digest": digest(properties)}


def digest_of(stored: Properties) -> str:
    """The digest of a relationship of the present state, over all its other properties."""
    others = dict(stored)
    others.pop("digest", None)
    return digest(others)


def is_as_written(stored: Properties) -> bool:
    """Whether a relationship of the present state matches its digest; older relationships have none."""
    said = stored.get("digest")
    return said is None or said == digest_of(stored)


# --- the conversational memory: nothing here is read for facts --------------------------------------------------------

# What `stream/read_changes` lists of each item, in its order; what an item does not have is null there.
LISTED = (
    *("id", "space", "conversation", "subject_uid", "speaker", "observation", "responder", "response", "summary"),
    *("index", "seq", "change", "importance", "created_at", "accessed_at"),
    *("tier", "sources", "flags", "embedding", "embedding_model", "removed_id", "objections"),
)

# Base64 of 32-bit floats: a list of numbers takes 2.6 times as long to read and 7 times to write (measured).
_VECTOR = Layout(
    Vector,
    names={"data": "embedding", "model": "embedding_model"},
    beside=lambda vector: {"dimensions": vector.dimensions},
    refused="embedding",
)
NEW_ITEM = Layout(
    MemoryItem,
    parts={"vector": _VECTOR},
    apart=("index", "seq", "change"),
    spared=("objections",),
    beside=lambda item: {
        "conversation_uid": item.conversation_uid,
        "title": _shortened(item.observation or item.response),
    },
)
_ITEM = Layout(MemoryItem, apart=("vector",), spared=("objections",), refused="importance")
AMENDMENT = Layout(Amendment, parts={"vector": _VECTOR}, apart=("id",))
SUMMARY = Layout(
    KeptSummary,
    parts={"content": Layout(ConversationSummary)},
    beside=lambda summary: {
        "conversation_uid": summary.conversation_uid,
        "title": _shortened(f"{summary.content.version}: {summary.content.core_discussion}"),
    },
)
_GATE = Layout(Judgement, names={name: f"gate_{name}" for name in ("yes", "by", "score", "trouble")})
DECISION = Layout(
    TurnDecision,
    parts={"gate": _GATE},
    beside=lambda decision: {
        "conversation_uid": decision.conversation_uid,
        "title": f"turn {decision.turn}",
        "used": [candidate.id for candidate in decision.candidates if candidate.form in (Form.RAW, Form.SUMMARY)],
    },
)
DOCUMENT = Layout(Document)


def memory_of(properties: Properties) -> MemoryItem:
    """The memory item of a node."""
    vector = None
    if properties.get("embedding") is not None:
        with suppress(Unreadable):  # somebody else wrote there: the item is found by its words
            vector = _VECTOR.value(properties)
    return _ITEM.value(properties, vector=vector)


def of_conversation(made: Episode | MemoryItem | KeptSummary | TurnDecision) -> dict[str, Any]:
    """The conversation of a record, as parameters of a query."""
    uid = conversation_uid(made.space, made.subject_uid, made.conversation)
    named = {"id": made.conversation, "title": conversation_title(made.conversation)}
    node = {"uid": uid, "space": made.space, "subject_uid": made.subject_uid, **named}
    return {"conversation_uid": uid, "conversation": node}


def conversation_title(id_: str) -> str:
    """The caption of a conversation in a drawing of the graph."""
    return _shortened(id_) or "(without a name)"
