"""How values of the conversational memory lie in the graph. Nothing here is read for facts.

A table: what differs from one property for each field. Knows names of properties, not queries.
"""

from r_memory.domain.decisions import Form, TurnDecision
from r_memory.domain.documents import Document
from r_memory.domain.instants import Instant
from r_memory.domain.judgements import Judgement
from r_memory.domain.memories import Amendment, MemoryItem, Vector
from r_memory.domain.summaries import ConversationSummary, KeptSummary
from r_memory.store.properties import Layout, Properties, Unreadable, instant_properties

# What `stream/read_changes` lists of each item, in its order; what an item does not have is null there.
LISTED = (
    *("id", "space", "conversation", "subject_uid", "speaker", "observation", "responder", "response", "summary"),
    *("index", "seq", "change", "importance", "created_at", "accessed_at"),
    *("tier", "sources", "flags", "embedding", "embedding_model", "removed_id"),
)

# Base64 of 32-bit floats: a list of numbers takes 2.6 times as long to read and 7 times to write (measured).
_VECTOR = Layout(
    Vector,
    names={"data": "embedding", "model": "embedding_model"},
    beside=lambda vector: {"dimensions": vector.dimensions},
    refused="embedding",
)
_NEW_ITEM = Layout(
    MemoryItem,
    parts={"vector": _VECTOR},
    apart=("index", "seq", "change"),
    beside=lambda item: {"conversation_uid": item.conversation_uid},
)
_ITEM = Layout(MemoryItem, apart=("vector",), refused="importance")
_AMENDMENT = Layout(Amendment, parts={"vector": _VECTOR}, apart=("id",))
_SUMMARY = Layout(
    KeptSummary,
    parts={"content": Layout(ConversationSummary)},
    beside=lambda summary: {"conversation_uid": summary.conversation_uid},
)
_GATE = Layout(Judgement, names={name: f"gate_{name}" for name in ("yes", "by", "score", "trouble")})
_DECISION = Layout(
    TurnDecision,
    parts={"gate": _GATE},
    beside=lambda decision: {
        "conversation_uid": decision.conversation_uid,
        "used": [one.id for one in decision.candidates if one.form in (Form.RAW, Form.SUMMARY)],
    },
)
_DOCUMENT = Layout(Document)

memory_properties = _NEW_ITEM.properties
"""A node `:Memory`, all but the numbers that the store gives."""
amended_properties = _AMENDMENT.properties
"""What an amendment changes."""
summary_properties = _SUMMARY.properties
"""A node `:Summary`, all but its place; each of the eight fields as a property that people can read."""
summary_of = _SUMMARY.value
"""The summary of a node. All that read here raise `Unreadable` where a property is missing or of another kind."""
decision_properties = _DECISION.properties
"""A node `:Decision`; `used` lists the ids that stood in the context."""
decision_of = _DECISION.value
"""The decision of a node."""
document_properties = _DOCUMENT.properties
"""A node `:Document`."""
document_of = _DOCUMENT.value
"""The document of a node."""


def accessed_properties(at: Instant) -> dict[str, object]:
    """When an item was last used."""
    return instant_properties("accessed_at", at)


def memory_of(properties: Properties) -> MemoryItem:
    """The item of a node."""
    return _ITEM.value(properties, vector=_vector_of(properties))


def _vector_of(properties: Properties) -> Vector | None:
    """`None` for none, and for what somebody else wrote there: the item is found by its words."""
    if properties.get("embedding") is None:
        return None
    try:
        return _VECTOR.value(properties)
    except Unreadable:
        return None
