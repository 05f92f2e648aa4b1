"""What the conversational memory keeps, as properties of nodes, and back.

Pure; knows names of properties, not queries. Nothing here is read for facts.
"""

import base64
import binascii
import json
from collections.abc import Mapping
from typing import Any

from r_memory.domain.decisions import Form, TurnDecision, Weighed
from r_memory.domain.documents import Document, DocumentState
from r_memory.domain.instants import Instant
from r_memory.domain.judgements import Judgement
from r_memory.domain.memories import Amendment, MemoryItem, Tier, Vector
from r_memory.domain.summaries import FIELDS, ConversationSummary, KeptSummary
from r_memory.errors import InvalidInput
from r_memory.store.properties import Properties, Reader, Unreadable, instant_properties

_KINDS: Mapping[str, type] = {
    **dict.fromkeys(
        ("id", "space", "conversation", "subject_uid", "speaker", "observation", "responder", "response", "summary"),
        str,
    ),
    **dict.fromkeys(("index", "seq", "change", "importance", "created_at", "accessed_at"), int),
}
"""Properties of an item that are what they are in the graph."""
LISTED = (*_KINDS, "tier", "sources", "flags", "embedding", "embedding_model", "removed_id")
"""What `stream/read_changes` lists of each item, in its order; what an item does not have is null there."""


def memory_properties(item: MemoryItem) -> dict[str, object]:
    """A node `:Memory`, all but the numbers that the store gives."""
    return {
        "id": item.id,
        "space": item.space,
        "conversation": item.conversation,
        "conversation_uid": item.conversation_uid,
        "subject_uid": item.subject_uid,
        "speaker": item.speaker,
        "observation": item.observation,
        "responder": item.responder,
        "response": item.response,
        "summary": item.summary,
        "tier": item.tier.value,
        "sources": list(item.sources),
        "importance": item.importance,
        "flags": list(item.flags),
        **instant_properties("created_at", item.created_at),
        **instant_properties("accessed_at", item.accessed_at),
        **_vector(item.vector),
    }


def amended_properties(amendment: Amendment) -> dict[str, object]:
    """What an amendment changes."""
    changed: dict[str, object] = {"summary": amendment.summary, "importance": amendment.importance}
    if amendment.sources is not None:
        changed["sources"] = list(amendment.sources)
    return {name: value for name, value in changed.items() if value is not None} | _vector(amendment.vector)


def accessed_properties(at: Instant) -> dict[str, object]:
    """When an item was last used."""
    return instant_properties("accessed_at", at)


def memory_of(properties: Properties) -> MemoryItem:
    """The item of a node.

    Raises:
        Unreadable: a property is missing or of another kind.
    """
    read = Reader(properties)
    # Looked at together: a stream has a hundred thousand items, and one property after the other took twice as long.
    plain: dict[str, Any] = {name: properties.get(name) for name in _KINDS}
    if [*map(type, plain.values())] != [*_KINDS.values()]:
        raise Unreadable(next(name for name, kind in _KINDS.items() if type(plain[name]) is not kind))
    try:
        return MemoryItem(
            **plain,
            tier=read.one_of("tier", Tier),
            sources=read.texts("sources"),
            flags=read.texts("flags"),
            vector=_vector_of(read) if properties.get("embedding") is not None else None,
        )
    except InvalidInput as error:
        raise Unreadable("importance") from error


def summary_properties(summary: KeptSummary) -> dict[str, object]:
    """A node `:Summary`, all but its place; each of the eight fields as a property that people can read."""
    content = {name: getattr(summary.content, name) for name in FIELDS}
    return {
        "space": summary.space,
        "conversation": summary.conversation,
        "conversation_uid": summary.conversation_uid,
        "subject_uid": summary.subject_uid,
        "version": summary.version,
        **{name: list(value) if isinstance(value, tuple) else value for name, value in content.items()},
        "upto": summary.upto,
        **instant_properties("made_at", summary.made_at),
        "made_by": summary.made_by,
        "flags": list(summary.flags),
    }


def summary_of(properties: Properties) -> KeptSummary:
    """The summary of a node.

    Raises:
        Unreadable: a property is missing or of another kind.
    """
    read = Reader(properties)
    return KeptSummary(
        space=read.text("space"),
        conversation=read.text("conversation"),
        subject_uid=read.text("subject_uid"),
        content=ConversationSummary(
            version=read.whole("version"),
            core_discussion=read.text("core_discussion"),
            confirmed_needs=read.texts("confirmed_needs"),
            constraints=read.texts("constraints"),
            excluded_options=read.texts("excluded_options"),
            key_data=read.texts("key_data"),
            current_conclusion=read.texts("current_conclusion"),
            pending_questions=read.texts("pending_questions"),
            pending_discussion=read.texts("pending_discussion"),
        ),
        upto=read.whole("upto"),
        made_at=read.whole("made_at"),
        made_by=read.text("made_by"),
        flags=read.texts("flags"),
    )


def decision_properties(decision: TurnDecision) -> dict[str, object]:
    """A node `:Decision`; candidates, and numbers by name, are JSON; `used` lists the ids that stood in the context."""
    gate = {"gate_yes": decision.gate.yes, "gate_score": decision.gate.score}
    return {
        "id": decision.id,
        "space": decision.space,
        "conversation": decision.conversation,
        "conversation_uid": decision.conversation_uid,
        "subject_uid": decision.subject_uid,
        "turn": decision.turn,
        **instant_properties("at", decision.at),
        "profile": decision.profile,
        **{name: value for name, value in gate.items() if value is not None},
        "gate_by": decision.gate.by,
        "gate_trouble": decision.gate.trouble,
        "candidates": _json([_listed(candidate) for candidate in decision.candidates]),
        "used": [one.id for one in decision.candidates if one.form in (Form.RAW, Form.SUMMARY)],
        "summary_version": decision.summary_version,
        "tokens": _json(dict(decision.tokens)),
        "tokens_before": decision.tokens_before,
        "full_history_tokens": decision.full_history_tokens,
        "steps_ms": _json(dict(decision.steps_ms)),
        "parse_failures": decision.parse_failures,
        "failed": _json(dict(decision.failed)),
        "flags": list(decision.flags),
    }


def decision_of(properties: Properties) -> TurnDecision:
    """The decision of a node.

    Raises:
        Unreadable: a property is missing or of another kind.
    """
    read = Reader(properties)
    return TurnDecision(
        id=read.text("id"),
        space=read.text("space"),
        conversation=read.text("conversation"),
        subject_uid=read.text("subject_uid"),
        turn=read.whole("turn"),
        at=read.whole("at"),
        profile=read.text("profile"),
        gate=Judgement(
            yes=read.truth("gate_yes") if "gate_yes" in properties else None,
            by=read.text("gate_by"),
            score=read.number("gate_score") if "gate_score" in properties else None,
            trouble=read.text("gate_trouble"),
        ),
        candidates=_candidates(read),
        summary_version=read.whole("summary_version"),
        tokens={name: int(number) for name, number in _numbers(read, "tokens").items()},
        tokens_before=read.whole("tokens_before"),
        full_history_tokens=read.whole("full_history_tokens"),
        steps_ms=_numbers(read, "steps_ms"),
        parse_failures=read.whole("parse_failures"),
        failed={name: str(why) for name, why in _object(read, "failed").items()},
        flags=read.texts("flags"),
    )


def document_properties(document: Document) -> dict[str, object]:
    """A node `:Document`."""
    return {
        "id": document.id,
        "space": document.space,
        "name": document.name,
        "subject_uid": document.subject_uid,
        "digest": document.digest,
        "parts": document.parts,
        "read": document.read,
        "state": document.state.value,
        "plan": document.plan,
        "theme": document.theme,
        "root": document.root,
        "levels": document.levels,
        **instant_properties("made_at", document.made_at),
        "flags": list(document.flags),
    }


def document_of(properties: Properties) -> Document:
    """The document of a node.

    Raises:
        Unreadable: a property is missing or of another kind.
    """
    read = Reader(properties)
    return Document(
        id=read.text("id"),
        space=read.text("space"),
        name=read.text("name"),
        subject_uid=read.text("subject_uid"),
        digest=read.text("digest"),
        parts=read.whole("parts"),
        read=read.whole("read"),
        state=read.one_of("state", DocumentState),
        plan=read.text("plan"),
        theme=read.text("theme"),
        root=read.text("root"),
        levels=read.whole("levels"),
        made_at=read.whole("made_at"),
        flags=read.texts("flags"),
    )


def _listed(candidate: Weighed) -> dict[str, object]:
    return {
        "id": candidate.id,
        "score": candidate.score,
        "form": candidate.form.value,
        "tokens": candidate.tokens,
        "components": dict(candidate.components),
    }


def _candidates(read: Reader) -> tuple[Weighed, ...]:
    listed = read.json("candidates")
    if not isinstance(listed, list) or not all(isinstance(one, dict) for one in listed):
        raise Unreadable("candidates")
    return tuple(_weighed(Reader(one)) for one in listed)


def _weighed(read: Reader) -> Weighed:
    return Weighed(
        id=read.text("id"),
        score=read.number("score"),
        components=_numbers_in(read.nested("components"), "components"),
        form=read.one_of("form", Form),
        tokens=read.whole("tokens"),
    )


def _numbers(read: Reader, name: str) -> dict[str, float]:
    return _numbers_in(_object(read, name), name)


def _numbers_in(values: Mapping[str, object], name: str) -> dict[str, float]:
    numbers = {key: value for key, value in values.items() if isinstance(value, int | float)}
    if len(numbers) < len(values):
        raise Unreadable(name)
    return numbers


def _object(read: Reader, name: str) -> Mapping[str, object]:
    value = read.json(name)
    if not isinstance(value, dict):
        raise Unreadable(name)
    return value


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _vector(vector: Vector | None) -> dict[str, object]:
    """Base64 of 32-bit floats: a list of numbers takes 2.6 times as long to read and 7 times to write (measured)."""
    if vector is None:
        return {}
    return {
        "embedding": base64.b64encode(vector.data).decode("ascii"),
        "embedding_model": vector.model,
        "dimensions": vector.dimensions,
    }


def _vector_of(read: Reader) -> Vector | None:
    """`None` for what somebody else wrote there: the item is found by its words."""
    try:
        data = binascii.a2b_base64(read.text("embedding"), strict_mode=True)
        return Vector(model=read.text("embedding_model"), data=data)
    except (ValueError, InvalidInput):
        return None
