"""How values of the ledger and of the present state lie in the graph (design, section 4).

A table: what differs from one property for each field. Attributes of a fact stand beside it as properties of their own
as well, for audits, and are read from the JSON alone. Knows names of properties, not queries.
"""

from dataclasses import fields

from r_memory.domain.blocks import Receipt
from r_memory.domain.events import ChainHead, Episode, FactEvent
from r_memory.domain.facts import UNMAPPED_TYPE, Entity, Fact, entity_of_key
from r_memory.domain.identity import identity_key
from r_memory.domain.knowledge import Link
from r_memory.domain.periods import Period
from r_memory.domain.schema import FORBIDDEN_ATTRIBUTES
from r_memory.errors import InvalidInput
from r_memory.store.properties import Layout, Properties, Unreadable, digest


def entity_keys(id_: str, name: str) -> dict[str, str]:
    """What the words that name an entity are looked up by."""
    return {"id_key": identity_key(id_), "name_key": identity_key(name)}


SETTLING = {"status", "language", "review", "attempts", "settled_by", "settled_because", "settled_at"}

_PERIOD = Layout(Period, names={"start": "valid_from", "end": "valid_to"}, refused="valid_to")
_ENTITY = Layout(Entity, beside=lambda entity: {"uid": entity.uid, **entity_keys(entity.id, entity.name)})
_HEAD = Layout(
    ChainHead, names={"seq": "chain_seq", "hash": "chain_hash", "recorded_at": "chain_recorded_at"}, later=("held",)
)
_EPISODE = Layout(
    Episode,
    spared=("settled_by", "settled_because"),
    later=("attempts",),
    beside=lambda episode: {"hash": episode.hash},
)
_SETTLED = Layout(
    Episode,
    spared=("settled_by", "settled_because"),
    apart=[field.name for field in fields(Episode) if field.name not in SETTLING],
)
_EVENT = Layout(
    FactEvent,
    parts={"valid": _PERIOD},
    apart=("object",),
    beside=lambda event: {
        "chain_key": event.chain_key,
        "object_uid": event.object.uid,
        # Under which name it was recorded: a word of the space's own is nowhere else.
        "object_name": event.object.name,
    },
)
_FACT = Layout(
    Fact,
    parts={"valid": _PERIOD},
    apart=("relation", "object"),
    spared=("changed_by", "changed_because"),
    beside=lambda fact: {
        **{name: value for name, value in fact.attrs.items() if name not in FORBIDDEN_ATTRIBUTES},
        "unmapped": fact.object.type == UNMAPPED_TYPE,
    },
)
_RECEIPT = Layout(Receipt, later=("rule_ids",))
_LINK = Layout(Link, apart=("relation", "start", "end"))

entity_properties = _ENTITY.properties
"""A node `:Entity`; `id_key` and `name_key` are what a word is looked up by."""
entity_of = _ENTITY.value
"""The entity of a node. All that read here raise `Unreadable` where a property is missing or of another kind."""
head_properties = _HEAD.properties
"""The end of a chain, kept on its subject."""
episode_properties = _EPISODE.properties
"""A node `:Episode`, all but its place in the conversation, which the store counts."""
settled_properties = _SETTLED.properties
"""How far an episode got: all of it that ever changes."""
episode_of = _EPISODE.value
"""The episode of a node."""
event_properties = _EVENT.properties
"""A node `:FactEvent`; of the object, the key."""
receipt_properties = _RECEIPT.properties
"""A node `:Recall`."""
receipt_of = _RECEIPT.value
"""The receipt of a node."""


def entity_of_uid(uid: str) -> Entity:
    """What the key alone says of an entity whose node a newer pack dropped.

    Raises:
        Unreadable: it is no key of an entity.
    """
    try:
        return entity_of_key(uid)
    except InvalidInput as error:
        raise Unreadable("uid") from error


def head_of(properties: Properties) -> ChainHead:
    """The end of a subject's chain; of a subject that has none yet, the beginning."""
    return _HEAD.value(properties) if "chain_seq" in properties else ChainHead()


def event_of(properties: Properties, target: Properties | None) -> FactEvent:
    """The event of a node, with its object's node, or none where a newer pack dropped that."""
    if target is not None:
        return _EVENT.value(properties, object=entity_of(target))
    uid = properties.get("object_uid")
    if not isinstance(uid, str):
        raise Unreadable("object_uid")
    return _EVENT.value(properties, object=entity_of_uid(uid))


def fact_properties(fact: Fact) -> dict[str, object]:
    """A relationship of the present state: the whole fact, so that one hop gives it, and a digest of all of that."""
    properties = _FACT.properties(fact)
    return {**properties, "digest": digest(properties)}


def is_as_written(properties: Properties) -> bool:
    """Whether a relationship of the present state is what its digest says; an older one has none."""
    said = properties.get("digest")
    return said is None or said == digest({name: value for name, value in properties.items() if name != "digest"})


def fact_of(relation: str, properties: Properties, target: Properties) -> Fact:
    """The fact of a relationship and the node at its end."""
    return _FACT.value(properties, relation=relation, object=entity_of(target))


def link_properties(link: Link, *, space: str, pack_version: str) -> dict[str, object]:
    """A relationship between two concepts of the knowledge pack."""
    return {**_LINK.properties(link), "space": space, "pack_version": pack_version}
