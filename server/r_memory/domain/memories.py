"""Conversational memory: items of the stream, their vectors, and what scoring says of them.

Nothing here is evidence for a fact: facts have a ledger of their own, and never depend on what stands here.
Knows no model, no store and no formula.
"""

import math
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from r_memory.domain.instants import Instant
from r_memory.errors import InvalidInput

LEAST, MIDDLE, MOST = 1, 5, 10
"""Importance: small talk, what nobody judged, what changes a life."""


class Tier(StrEnum):
    """What an item was made of."""

    TURN = "turn"
    """One turn of a conversation, as it was said."""
    MEDIUM = "medium"
    """A window of turns, summarised."""
    LONG = "long"
    """Several memories of one matter, consolidated."""
    DOCUMENT = "document"
    """A block of a document, or a level of its summaries."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Vector:
    """The meaning of a text in the numbers of one model.

    Raises:
        InvalidInput: no numbers, one that is not finite, or nothing but zeros.
    """

    model: str
    """Vectors of two models are never compared."""
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
        """How many numbers there are."""
        return len(self.data) // 4


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationRecord:
    """Whatever is kept of one conversation."""

    space: str
    conversation: str
    subject_uid: str = ""
    """Whom the conversation is about; empty where it is about nobody in particular."""

    @property
    def conversation_uid(self) -> str:
        """Key of its conversation: the same name about another subject is another conversation."""
        return conversation_uid(self.space, self.subject_uid, self.conversation)


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryItem(ConversationRecord):
    """One entry of the stream (SCM: interaction index, observation, response, summary, embedding)."""

    id: str
    index: int = 0
    """Place in its conversation, from 1, given by the store."""
    seq: int = 0
    """Number of the change of its space that made it: larger for newer items, whatever the clocks said."""
    change: int = 0
    """Number of the last change to it; both given by the store."""
    speaker: str = ""
    """Who said the observation; part of what is searched."""
    observation: str = ""
    responder: str = ""
    response: str = ""
    objections: tuple[str, ...] = ()
    """What stood against the response when it was given, a sentence each; or why that could not be found out."""
    summary: str = ""
    """Empty: the item is its own summary."""
    tier: Tier = Tier.TURN
    sources: tuple[str, ...] = ()
    """Ids of the items it was made from; they stay."""
    vector: Vector | None = field(default=None, repr=False)
    """`None` until an embedder gave a usable one; the item is found by its words meanwhile."""
    importance: int = MIDDLE
    flags: tuple[str, ...] = ()
    """What was wrong when it was made: `importance` was not readable, `vector` was refused."""
    created_at: Instant
    accessed_at: Instant
    """When it was last used in a context; at first, its creation."""

    def __post_init__(self) -> None:
        if not self.id or not self.space:
            raise InvalidInput("an item of the stream needs an id and a space")
        if not (self.observation or self.answer or self.summary):
            raise InvalidInput("an item of the stream holds no words; give an observation, a response or a summary")
        if not LEAST <= self.importance <= MOST:
            raise InvalidInput(f"importance {self.importance} is outside {LEAST} to {MOST}; see importance_of")

    @property
    def answer(self) -> str:
        """The response behind what was objected to it: nobody is shown the one without the other."""
        return " ".join(
            [*(f"(objected: {one})" for one in self.objections), *([self.response] if self.response else [])]
        )

    @property
    def undisputed(self) -> "MemoryItem":
        """The item as more may be made of it: that an answer was objected to stays, its words do not."""
        return replace(self, response="") if self.objections else self

    @property
    def raw(self) -> str:
        """What was said, each side with its speaker; of an item made by summarising, the summary."""
        return "\n".join(self.messages)

    @property
    def messages(self) -> tuple[str, ...]:
        """The same, each side by itself."""
        said = (
            f"{who}: {words}" if who else words
            for who, words in ((self.speaker, self.observation), (self.responder, self.answer))
            if words
        )
        return tuple(said) or (self.summary,)

    @property
    def gist(self) -> str:
        """What is embedded: the summary pair, so that a long answer does not drown a short question."""
        return self.summary or self.raw


@dataclass(frozen=True, slots=True, kw_only=True)
class Amendment:
    """A later change to one item; what is `None` stays."""

    id: str
    summary: str | None = None
    vector: Vector | None = None
    importance: int | None = None
    sources: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamChanges:
    """What happened in a space after some change."""

    items: tuple[MemoryItem, ...]
    """As they are now, by the number of their last change."""
    removed: tuple[str, ...]
    """Ids of items that were rolled back or reset since."""
    upto: int
    """Everything up to this change is told."""
    latest: int
    """Newest change of the space; above `upto`, there is more to read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """One candidate with its score and what the score was made of."""

    id: str
    score: float
    components: Mapping[str, float]
    """By name, as the profile's formula calls them."""


def check_together(items: Sequence[MemoryItem]) -> None:
    """Passes items that can be stored by one write.

    Raises:
        InvalidInput: several conversations, turns among other tiers, or an id that comes twice.
    """
    if len({(item.space, item.conversation_uid, item.tier is Tier.TURN) for item in items}) > 1:
        raise InvalidInput("one write adds to one conversation, turns apart from other tiers; write each by itself")
    if len({item.id for item in items}) < len(items):
        raise InvalidInput("an id comes twice in one write; give each item an id of its own")


def conversation_uid(space: str, subject_uid: str, conversation: str) -> str:
    """Key of a conversation; about nobody, it is the space's own.

    >>> conversation_uid("clinic", "", "visit/7"), conversation_uid("clinic", "clinic/Patient/JD001", "7")
    ('clinic//visit%2F7', 'clinic/Patient/JD001/7')
    """
    return f"{subject_uid or f'{space}/'}/{conversation.replace('%', '%25').replace('/', '%2F')}"


def importance_of(value: object) -> tuple[int, bool]:
    """Importance as a whole number from 1 to 10, and whether the value said one.

    Numbers are rounded (halves up) and clamped; what cannot be read is 5.

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
    """One text in parts; its parts and summaries are items of the stream with the tier `document`."""

    id: str
    """Derived from space, subject, name and content, so that the same document is read once."""
    space: str
    name: str
    subject_uid: str = ""
    digest: str
    """sha256 of the text."""
    parts: int
    read: int = 0
    """How many of them are stored, with their facts."""
    state: DocumentState = DocumentState.PARTIAL
    plan: str = ""
    """How the summaries in `root` were asked for: another plan makes others of the same parts."""
    theme: str = ""
    """One line, for meetings."""
    root: str = ""
    """Id of the item that summarises all of it; empty until then."""
    levels: int = 0
    """Levels of summaries above the parts."""
    made_at: Instant
    flags: tuple[str, ...] = ()
    """What was out of the ordinary: `forced_split`, `did_not_shrink`, `encoding_guessed`, `pages_without_text`; in
    stores of earlier versions also `no_scm`."""


class Layer(StrEnum):
    """What a search looks at."""

    EVERYTHING = "everything"
    TURNS = "turns"
    """What was said, and documents; no memory made of turns (SCM and CIM know none)."""
    LATEST = "latest"
    """Everything but memories that were consolidated into another."""
    MEMORIES = "memories"
    """Whatever is not part of a memory: memories, and turns that none covers yet."""
    BEHIND = "behind"
    """As the latest; turns that a memory covers stand behind it (Mimir)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """An item that was chosen, with its score."""

    item: MemoryItem
    score: float
    components: Mapping[str, float]
