"""One turn of a conversation: what was judged and decided for it (kept, so that it can be read back: SCM 39, 40), what
stands in front of its question beside the safety block, and what it brought. No behaviour.

The order of sections and of cutting is memory-systems 6: the safety block first and never cut, then scene, structured
summary, activated items, previous turns, and the question unchanged.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from r_memory.domain.blocks import QUERY, Recall
from r_memory.domain.instants import Instant
from r_memory.domain.memories import ConversationRecord, MemoryItem


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """The answer to one of the controller's questions (SCM's Q1 and Q2)."""

    yes: bool | None
    """`None`: the answer could not be understood or was not sure. Whoever asked decides what doubt means."""
    by: str
    """Who answered: `local/1`, `chat some-model`, `policy`."""
    score: float | None = None
    """How sure, from 0 to 1; `None` where nobody says."""
    trouble: str = ""
    """Why there is no answer: the model did not reply, or its reply was neither yes nor no."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GateExample:
    """What a user may say, and whether earlier talk is needed to carry it out."""

    text: str
    needed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class GateLesson:
    """What the local judge learns from."""

    examples: tuple[GateExample, ...]
    given_names: frozenset[str]
    """In small letters; a question about somebody known by the given name is about somebody known."""


class Form(StrEnum):
    """In which form a candidate stands in a context (SCM's Q2)."""

    RAW = "raw"
    SUMMARY = "summary"
    DROPPED = "dropped"
    """Chosen by its score, and left out by the controller or the budget."""
    NOT_CHOSEN = "not_chosen"
    """Scored, and not among the first k."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateScore:
    """One candidate of a turn."""

    id: str
    score: float
    form: Form
    tokens: int = 0
    """In the form in which it stands; 0 where it does not."""
    components: Mapping[str, float]
    """By name, as the profile's formula calls them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnDecision(ConversationRecord):
    """Everything decided for one turn."""

    id: str
    turn: int
    """Number that the turn will have if it is answered: one more than the conversation's last."""
    at: Instant
    profile: str
    gate: Judgement
    candidates: tuple[CandidateScore, ...] = ()
    """Best first."""
    summary_version: int = 0
    tokens: Mapping[str, int] = field(default_factory=dict)
    """Section to its length in the context."""
    tokens_before: int = 0
    """Of the candidates before they were reorganised."""
    full_history_tokens: int = 0
    """What the whole conversation would have taken."""
    steps_ms: Mapping[str, float] = field(default_factory=dict)
    parse_failures: int = 0
    failed: Mapping[str, str] = field(default_factory=dict)
    """Section to why it is missing."""
    flags: tuple[str, ...] = ()
    """Signatures of failure that were seen: `over_triggered`, `under_triggered`, `slow`, `over_budget`."""


class Part(StrEnum):
    """A section of a context, in the order in which they stand."""

    SCENE = "scene"
    """Surroundings as somebody described them (Mimir's sensory memory)."""
    SUMMARY = "summary"
    MEMORY = "memory"
    """Activated items, oldest first (SCM, Mimir)."""
    PREVIOUS = "previous"
    """Flash memory: the last turn, or the last few."""


HEADINGS = {
    Part.SCENE: "[SCENE]:",
    Part.SUMMARY: "[CONVERSATION SUMMARY]:",
    Part.MEMORY: "[RELEVANT MEMORY]:",
    Part.PREVIOUS: "[PREVIOUS TURN]:",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """One section as it goes out."""

    part: Part
    text: str
    """Below its heading; stored words as data, stripped of our own markers."""
    tokens: int
    """With its heading."""
    ids: tuple[str, ...] = ()
    """Items that stand in it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """The conversational part of a context."""

    sections: tuple[Section, ...]
    """In their order; those that are empty are left out."""
    decision: TurnDecision
    failed: Mapping[str, str] = field(default_factory=dict)
    """Section to why it is missing."""

    @property
    def text(self) -> str:
        """All sections under their headings; empty where there is none."""
        return "\n".join(f"{HEADINGS[section.part]}\n{section.text}" for section in self.sections)

    @property
    def tokens(self) -> int:
        """Of all sections."""
        return sum(section.tokens for section in self.sections)


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """What became of a turn that was answered."""

    item: MemoryItem
    troubles: Mapping[str, str] = field(default_factory=dict)
    """What could not be done for this turn and is tried again with the next: `turn_summary`, `summary`, `tiers`,
    `vector`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnContext:
    """What stands in front of a model."""

    question: str
    recall: Recall | None
    """`None` in a conversation about nobody."""
    block: str
    """The safety block alone; about nobody, that nothing was looked up."""
    prepared: Prepared | None = None
    """`None` where no conversation was named, or none of it could be read."""
    trouble: str = ""
    """Why it is missing though one was named."""

    @property
    def memory(self) -> str:
        """The conversational sections with their headings, and which of them are missing; empty without any."""
        missing = {"conversation": self.trouble} if self.trouble else self.prepared.failed if self.prepared else {}
        named = [f"[MISSING]: {', '.join(missing)} could not be read."] if missing else []
        return "\n".join([*([self.prepared.text] if self.prepared and self.prepared.text else []), *named])

    @property
    def context(self) -> str:
        """Everything in front of the question."""
        return "\n".join(part for part in (self.block, self.memory) if part)

    @property
    def text(self) -> str:
        """The context, and the question unchanged."""
        return f"{self.context}\n{QUERY}\n{self.question}"
