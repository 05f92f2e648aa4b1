"""Domain values as properties of nodes and relationships, and back (design, section 4).

Pure; knows names of properties, not queries. Nothing is stored as null: what a value does not have is left out.
Instants carry an ISO-8601 text beside them, for people. `attrs` and `codes` are JSON; attributes of a fact stand beside
it as properties of their own as well, for audits, and are read from the JSON alone.
"""

import json
from urllib.parse import unquote

from r_memory.domain.blocks import Receipt
from r_memory.domain.events import ChainHead, Episode, EpisodeStatus, EventKind, FactEvent, Role
from r_memory.domain.facts import UNMAPPED_TYPE, Attributes, Entity, Fact, Route, Status
from r_memory.domain.identity import identity_key
from r_memory.domain.knowledge import Link
from r_memory.domain.periods import Period
from r_memory.domain.schema import FORBIDDEN_ATTRIBUTES
from r_memory.store.properties import Properties, Reader, Unreadable, instant_properties

ROLES: tuple[Role, ...] = ("user", "assistant", "document", "system")


def entity_properties(entity: Entity) -> dict[str, object]:
    """A node `:Entity`; `id_key` and `name_key` are what a word is looked up by."""
    return {
        "uid": entity.uid,
        "space": entity.space,
        "type": entity.type,
        "id": entity.id,
        "name": entity.name,
        **entity_keys(entity.id, entity.name),
        "aliases": list(entity.aliases),
        "codes": _json(entity.codes),
    }


def entity_keys(id_: str, name: str) -> dict[str, str]:
    """What the words that name an entity are looked up by."""
    return {"id_key": identity_key(id_), "name_key": identity_key(name)}


def entity_of(properties: Properties) -> Entity:
    """The entity of a node.

    Raises:
        Unreadable: a property is missing or of another kind.
    """
    read = Reader(properties)
    return Entity(
        space=read.text("space"),
        type=read.text("type"),
        id=read.text("id"),
        name=read.text("name"),
        aliases=read.texts("aliases"),
        codes=read.attributes("codes"),
    )


def entity_of_uid(uid: str) -> Entity:
    """What the key alone says of an entity whose node a newer pack dropped.

    Raises:
        Unreadable: it is no key of an entity.
    """
    parts = [unquote(part) for part in uid.split("/")]
    if len(parts) != 3:
        raise Unreadable("uid")
    space, type_, id_ = parts
    return Entity(space=space, type=type_, id=id_, name=id_)


def head_properties(head: ChainHead) -> dict[str, object]:
    """The end of a chain, kept on its subject."""
    return {
        "chain_seq": head.seq,
        "chain_hash": head.hash,
        "changed_seq": head.changed_seq,
        **instant_properties("chain_recorded_at", head.recorded_at),
    }


def head_of(properties: Properties) -> ChainHead:
    """The end of a subject's chain; of a subject that has none yet, the beginning.

    Raises:
        Unreadable: a property is of another kind.
    """
    if "chain_seq" not in properties:
        return ChainHead()
    read = Reader(properties)
    return ChainHead(
        seq=read.whole("chain_seq"),
        hash=read.text("chain_hash"),
        recorded_at=read.whole("chain_recorded_at"),
        changed_seq=read.whole("changed_seq"),
    )


def episode_properties(episode: Episode) -> dict[str, object]:
    """A node `:Episode`, all but its place in the conversation, which the store counts."""
    return {
        "id": episode.id,
        "space": episode.space,
        "subject_uid": episode.subject_uid,
        "conversation": episode.conversation,
        "speaker": episode.speaker,
        "role": episode.role,
        "text": episode.text,
        "hash": episode.hash,
        **instant_properties("said_at", episode.said_at),
        **instant_properties("recorded_at", episode.recorded_at),
        **settled_properties(episode),
    }


def settled_properties(episode: Episode) -> dict[str, object]:
    """How far an episode got: all of it that ever changes."""
    settled = {"settled_by": episode.settled_by, "settled_because": episode.settled_because}
    return {
        "status": episode.status.value,
        "language": episode.language,
        "review": list(episode.review),
        "attempts": episode.attempts,
        **{name: words for name, words in settled.items() if words},
        **({} if episode.settled_at is None else instant_properties("settled_at", episode.settled_at)),
    }


def episode_of(properties: Properties) -> Episode:
    """The episode of a node.

    Raises:
        Unreadable: a property is missing or of another kind.
    """
    read = Reader(properties)
    return Episode(
        id=read.text("id"),
        space=read.text("space"),
        subject_uid=read.text("subject_uid"),
        conversation=read.text("conversation"),
        speaker=read.text("speaker"),
        role=read.one_of("role", ROLES),
        text=read.text("text"),
        said_at=read.whole("said_at"),
        recorded_at=read.whole("recorded_at"),
        status=read.one_of("status", EpisodeStatus),
        language=read.text("language"),
        review=read.texts("review"),
        attempts=read.whole("attempts") if "attempts" in properties else 0,
        settled_by=read.text_or_empty("settled_by"),
        settled_because=read.text_or_empty("settled_because"),
        settled_at=read.whole("settled_at") if "settled_at" in properties else None,
    )


def event_properties(event: FactEvent) -> dict[str, object]:
    """A node `:FactEvent`; of the object, the key."""
    return {
        "id": event.id,
        "chain_key": event.chain_key,
        "space": event.space,
        "fact_id": event.fact_id,
        "kind": event.kind.value,
        "relation": event.relation,
        "subject_uid": event.subject_uid,
        "object_uid": event.object.uid,
        "status": event.status.value,
        "attrs": _json(event.attrs),
        **_period(event.valid),
        **instant_properties("recorded_at", event.recorded_at),
        **instant_properties("said_at", event.said_at),
        "speaker": event.speaker,
        "episode_id": event.episode_id,
        "evidence": event.evidence,
        "span_start": event.span_start,
        "span_end": event.span_end,
        "route": event.route.value,
        "extractor": event.extractor,
        "prompt_digest": event.prompt_digest,
        "schema_version": event.schema_version,
        "confidence": event.confidence,
        "flags": sorted(event.flags),
        "actor": event.actor,
        "reason": event.reason,
        "seq": event.seq,
        "prev_hash": event.prev_hash,
        "hash": event.hash,
    }


def event_of(properties: Properties, target: Properties | None) -> FactEvent:
    """The event of a node, with its object's node, or none where a newer pack dropped that.

    Raises:
        Unreadable: a property is missing or of another kind.
    """
    read = Reader(properties)
    return FactEvent(
        id=read.text("id"),
        space=read.text("space"),
        fact_id=read.text("fact_id"),
        kind=read.one_of("kind", EventKind),
        relation=read.text("relation"),
        subject_uid=read.text("subject_uid"),
        object=entity_of_uid(read.text("object_uid")) if target is None else entity_of(target),
        status=read.one_of("status", Status),
        attrs=read.attributes("attrs"),
        valid=read.period(),
        recorded_at=read.whole("recorded_at"),
        said_at=read.whole("said_at"),
        speaker=read.text("speaker"),
        episode_id=read.text("episode_id"),
        evidence=read.text("evidence"),
        span_start=read.whole("span_start"),
        span_end=read.whole("span_end"),
        route=read.one_of("route", Route),
        extractor=read.text("extractor"),
        prompt_digest=read.text("prompt_digest"),
        schema_version=read.text("schema_version"),
        confidence=read.number("confidence"),
        flags=read.flags(),
        actor=read.text("actor"),
        reason=read.text("reason"),
        seq=read.whole("seq"),
        prev_hash=read.text("prev_hash"),
        hash=read.text("hash"),
    )


def fact_properties(fact: Fact) -> dict[str, object]:
    """A relationship of the present state: the whole fact, so that one hop gives it."""
    return {
        **{name: value for name, value in fact.attrs.items() if name not in FORBIDDEN_ATTRIBUTES},
        "fact_id": fact.fact_id,
        "space": fact.space,
        "subject_uid": fact.subject_uid,
        "status": fact.status.value,
        "attrs": _json(fact.attrs),
        "contradicted": fact.contradicted,
        "unmapped": fact.object.type == UNMAPPED_TYPE,
        "flags": sorted(fact.flags),
        **_period(fact.valid),
        "observations": fact.observations,
        **instant_properties("first_recorded_at", fact.first_recorded_at),
        **instant_properties("last_recorded_at", fact.last_recorded_at),
        "last_seq": fact.last_seq,
        "evidence": fact.evidence,
        "speaker": fact.speaker,
        **instant_properties("said_at", fact.said_at),
        "episode_id": fact.episode_id,
        "route": fact.route.value,
        "extractor": fact.extractor,
        "confidence": fact.confidence,
        **_decision(fact),
    }


def fact_of(relation: str, properties: Properties, target: Properties) -> Fact:
    """The fact of a relationship and the node at its end.

    Raises:
        Unreadable: a property is missing or of another kind.
    """
    read = Reader(properties)
    return Fact(
        fact_id=read.text("fact_id"),
        space=read.text("space"),
        subject_uid=read.text("subject_uid"),
        relation=relation,
        object=entity_of(target),
        status=read.one_of("status", Status),
        attrs=read.attributes("attrs"),
        contradicted=read.truth("contradicted"),
        flags=read.flags(),
        valid=read.period(),
        observations=read.whole("observations"),
        first_recorded_at=read.whole("first_recorded_at"),
        last_recorded_at=read.whole("last_recorded_at"),
        last_seq=read.whole("last_seq"),
        evidence=read.text("evidence"),
        speaker=read.text("speaker"),
        said_at=read.whole("said_at"),
        episode_id=read.text("episode_id"),
        route=read.one_of("route", Route),
        extractor=read.text("extractor"),
        confidence=read.number("confidence"),
        changed_by=read.text_or_empty("changed_by"),
        changed_because=read.text_or_empty("changed_because"),
        changed_at=read.whole("changed_at") if "changed_at" in properties else None,
    )


def receipt_properties(receipt: Receipt) -> dict[str, object]:
    """A node `:Recall`."""
    return {
        "id": receipt.id,
        "space": receipt.space,
        "subject_uid": receipt.subject_uid,
        **instant_properties("shown_at", receipt.shown_at),
        "shown_to": receipt.shown_to,
        "intents": list(receipt.intents),
        "fact_ids": list(receipt.fact_ids),
        "rule_ids": list(receipt.rule_ids),
        "complete": receipt.complete,
        "watermark": receipt.watermark,
        "schema_version": receipt.schema_version,
        "pack_version": receipt.pack_version,
        "traversal": receipt.traversal,
    }


def receipt_of(properties: Properties) -> Receipt:
    """The receipt of a node.

    Raises:
        Unreadable: a property is missing or of another kind.
    """
    read = Reader(properties)
    return Receipt(
        id=read.text("id"),
        space=read.text("space"),
        subject_uid=read.text("subject_uid"),
        shown_at=read.whole("shown_at"),
        shown_to=read.text("shown_to"),
        intents=read.texts("intents"),
        fact_ids=read.texts("fact_ids"),
        # Receipts of before rules fired have none.
        rule_ids=read.texts("rule_ids") if "rule_ids" in properties else (),
        complete=read.truth("complete"),
        watermark=read.whole("watermark"),
        schema_version=read.text("schema_version"),
        pack_version=read.text("pack_version"),
        traversal=read.text("traversal"),
    )


def link_properties(link: Link, *, space: str, pack_version: str) -> dict[str, object]:
    """A relationship between two concepts of the knowledge pack."""
    return {
        "space": space,
        "pack_version": pack_version,
        "tier": link.tier,
        "rate": link.rate,
        "action": link.action,
        "condition": link.condition,
        "source": link.source,
        "reviewed": link.reviewed,
        "checked_by": link.checked_by,
        "checked_on": link.checked_on,
        "rule": link.rule,
        "shares": link.shares,
    }


def _decision(fact: Fact) -> dict[str, object]:
    """Who decided the status, and why; nothing where it follows from what was said."""
    if fact.changed_at is None:
        return {}
    words = {"changed_by": fact.changed_by, "changed_because": fact.changed_because}
    return {**{name: text for name, text in words.items() if text}, **instant_properties("changed_at", fact.changed_at)}


def _json(values: Attributes) -> str:
    return json.dumps(dict(values), ensure_ascii=False, sort_keys=True)


def _period(period: Period) -> dict[str, object]:
    start = {} if period.start is None else instant_properties("valid_from", period.start)
    end = {} if period.end is None else instant_properties("valid_to", period.end)
    return {**start, **end}
