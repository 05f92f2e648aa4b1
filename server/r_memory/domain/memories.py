"""Conversational memory: items of the stream, their vectors and their scores.

Nothing here is evidence for a fact: facts have their own ledger and never depend on it.
It knows no model, store or formula.
"""

import math
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from r_memory.domain.instants import Instant
from r_memory.errors import InvalidInput

LEAST, MIDDLE, MOST = 1, 5, 10
"""Importance: small talk, not judged, changes a life."""


class Tier(StrEnum):
    """The kind of an item."""

    TURN = "turn"
    """One turn of a conversation, as said."""
    MEDIUM = "medium"
    """A summary of a window of turns."""
    LONG = "long"
    """A memory consolidated from several of one matter."""
    DOCUMENT = "document"
    """A block of a document, or a summary of one level of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Vector:
    """The embedding of a text by one model.

    Raises:
        InvalidInput: it is empty, a number is not finite, or all numbers are zero.
    """

    model: str
    """The model; vectors of different models are never compared."""
    data: bytes = field(repr=False)
    """32-bit floats, little-endian."""

    def __post_init__(self) -> None:
        if not self.model:
            raise InvalidInput("a vector names no model; give the embedder's `model`")
        if not self.data or len(self.data) % 4:
            raise InvalidInput("a vector is not made of 32-bit numbers; look at the embedder")
        numbers = struct.unpack(f"<{self.dimensions}f", self.data)
        # Their sum is finite exactly if each is: 32-bit numbers are added with 64 bits.
        if not math.isfinite(sum(numbers)):
            raise InvalidInput("a vector holds a number that is not finite; look at the embedder")
        if not any(numbers):
            raise InvalidInput("a vector holds nothing but zeros; the embedder knows no word of the text")

    @property
    def dimensions(self) -> int:
        """Length of the vector."""
        return len(self.data) // 4


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationRecord:
    """A record of one conversation."""

    space: str
    conversation: str
    subject_uid: str = ""
    """Subject of the conversation; empty if it has none."""

    @property
    def conversation_uid(self) -> str:
        """Key of its conversation: the same name with another subject is another conversation."""
        return conversation_uid(self.space, self.subject_uid, self.conversation)


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryItem(ConversationRecord):
    """One entry of the stream (SCM: interaction index, observation, response, summary, embedding)."""

    id: str
    index: int = 0
    """Position in its conversation, from 1; set by the store."""
    seq: int = 0
    """Number of the change of its space that created it: newer items have larger numbers, whatever the clock says."""
    change: int = 0
    """Number of the last change to it; set by the store, as `seq` is."""
    speaker: str = ""
    """Who said the observation; it is searched too."""
    observation: str = ""
    responder: str = ""
    response: str = ""
    objections: tuple[str, ...] = ()
    """Facts that conflicted with the response when it was given, a sentence each, or why that could not be checked."""
    summary: str = ""
    """The summary; empty: the item is its own summary."""
    tier: Tier = Tier.TURN
    sources: tuple[str, ...] = ()
    """Ids of the items it was made from; these are kept."""
    vector: Vector | None = field(default=None, repr=False)
    """The embedding; `None` until an embedder gave a usable one. Until then the item is found by its words."""
    importance: int = MIDDLE
    flags: tuple[str, ...] = ()
    """What went wrong when it was made: `importance` was not readable, `vector` was refused."""
    created_at: Instant
    accessed_at: Instant
    """When it was last used in a context; initially when it was created."""

    def __post_init__(self) -> None:
        if not self.id or not self.space:
            raise InvalidInput("an item of the stream needs an id and a space")
        if not (self.observation or self.answer or self.summary):
            raise InvalidInput("an item of the stream holds no words; give an observation, a response or a summary")
        if not LEAST <= self.importance <= MOST:
            raise InvalidInput(f"importance {self.importance} is outside {LEAST} to {MOST}; see importance_of")

    @property
    def answer(self) -> str:
        """The response with the objections to it in front; it is never shown without them."""
        return " ".join(
            [
                *(f"(objected: {objection})" for objection in self.objections),
                *([self.response] if self.response else []),
            ]
        )

    @property
    def undisputed(self) -> "MemoryItem":
        """The item for further processing: it says that the answer met objections, without their words."""
        return replace(self, response="") if self.objections else self

    @property
    def raw(self) -> str:
        """What was said, each side with its speaker; for a summary, the summary."""
        return "\n".join(self.messages)

    @property
    def messages(self) -> tuple[str, ...]:
        """The parts of `raw`, one for each side."""
        said = (
            f"{who}: {words}" if who else words
            for who, words in ((self.speaker, self.observation), (self.responder, self.answer))
            if words
        )
        return tuple(said) or (self.summary,)

    @property
    def gist(self) -> str:
        """The text to embed: the summary pair, so that a long answer does not hide a short question."""
        return self.summary or self.raw


@dataclass(frozen=True, slots=True, kw_only=True)
class Amendment:
    """A later change to one item; `None` fields stay unchanged."""

    id: str
    summary: str | None = None
    vector: Vector | None = None
    importance: int | None = None
    sources: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamChanges:
    """Changes of a space after a certain change."""

    items: tuple[MemoryItem, ...]
    """Changed items as they are now, by the number of their last change."""
    removed: tuple[str, ...]
    """Ids of items that were rolled back or reset."""
    upto: int
    """The last change that is included."""
    latest: int
    """The newest change of the space; if it is above `upto`, there are more to read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """A candidate with its score, and the components of the score."""

    id: str
    score: float
    components: Mapping[str, float]
    """By name, as in the profile's formula."""


def check_together(items: Sequence[MemoryItem]) -> None:
    """Checks that items can be stored by one write.

    Raises:
        InvalidInput: they belong to several conversations, mix turns with other tiers, or repeat an id.
    """
    if len({(item.space, item.conversation_uid, item.tier is Tier.TURN) for item in items}) > 1:
        raise InvalidInput("one write adds to one conversation, turns apart from other tiers; write each by itself")
    if len({item.id for item in items}) < len(items):
        raise InvalidInput("an id comes twice in one write; give each item an id of its own")


def conversation_uid(space: str, subject_uid: str, conversation: str) -> str:
    """Key of a conversation; without a subject it belongs to the space.

    >>> conversation_uid("clinic", "", "visit/7"), conversation_uid("clinic", "clinic/Patient/JD001", "7")
    ('clinic//visit%2F7', 'clinic/Patient/JD001/7')
    """
    return f"{subject_uid or f'{space}/'}/{conversation.replace('%', '%25').replace('/', '%2F')}"


def importance_of(value: object) -> tuple[int, bool]:
    """Importance from 1 to 10, and whether the value could be read.

    Numbers are rounded (halves up) and clamped; an unreadable value gives 5.

    >>> importance_of(7.5), importance_of("11"), importance_of("high"), importance_of(None)
    ((8, True), (10, True), (5, False), (5, False))
    """
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return MIDDLE, False
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return MIDDLE, False
    if math.isnan(number):
        return MIDDLE, False
    clamped = min(max(number, LEAST), MOST)
    return math.floor(clamped + 0.5), True


class DocumentState(StrEnum):
    """How far a document was read."""

    PARTIAL = "partial"
    DONE = "done"


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A text in parts; parts and summaries are items of the stream with the tier `document`."""

    id: str
    """Derived from space, subject, name and content, so that a document is not read twice."""
    space: str
    name: str
    subject_uid: str = ""
    digest: str
    """sha256 of the text."""
    parts: int
    read: int = 0
    """Number of parts that are stored with their facts."""
    state: DocumentState = DocumentState.PARTIAL
    plan: str = ""
    """The plan of the summaries under `root`; another plan makes other summaries of the same parts."""
    theme: str = ""
    """The topic in one line, for meetings."""
    root: str = ""
    """Id of the item that summarises the whole document; empty before it exists."""
    levels: int = 0
    """Number of levels of summaries above the parts."""
    made_at: Instant
    flags: tuple[str, ...] = ()
    """What was unusual: `forced_split`, `did_not_shrink`, `encoding_guessed`, `pages_without_text`; in stores of
    earlier versions also `no_scm`.
    """


class Layer(StrEnum):
    """The items that a search considers."""

    EVERYTHING = "everything"
    TURNS = "turns"
    """Turns and documents, without memories made of turns (SCM and CIM have none)."""
    LATEST = "latest"
    """All items except memories that were consolidated into another."""
    MEMORIES = "memories"
    """Memories, and turns that no memory covers yet."""
    BEHIND = "behind"
    """As `latest`, but turns that a memory covers come last (Mimir)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A chosen item with its score."""

    item: MemoryItem
    score: float
    components: Mapping[str, float]
