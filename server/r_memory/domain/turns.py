"""One turn of a conversation: what was judged and decided for it (stored, so that it can be read back: SCM 39, 40), the
context in front of its question beside the safety block, and its results. No behaviour.

Sections are ordered and cut as in memory-systems 6: the safety block is first and never cut; then scene, structured
summary, activated items, previous turns, and the unchanged question.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from r_memory.domain.blocks import QUERY, Recall
from r_memory.domain.instants import Instant
from r_memory.domain.memories import ConversationRecord, MemoryItem


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """The answer to one question of the controller (SCM's Q1 and Q2)."""

    yes: bool | None
    """The answer; `None` if it was not understood or uncertain. The caller decides what to do then."""
    by: str
    """Who answered: `local/1`, `chat some-model`, `policy`."""
    score: float | None = None
    """Certainty from 0 to 1; `None` if unknown."""
    trouble: str = ""
    """Why there is no answer: the model did not reply, or its reply was neither yes nor no."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GateExample:
    """An example question, and whether it needs the earlier conversation."""

    text: str
    needed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class GateLesson:
    """Training data of the local judge."""

    examples: tuple[GateExample, ...]
    given_names: frozenset[str]
    """Given names, in lower case; a question about such a person is about a known person."""


class Form(StrEnum):
    """The form of a candidate in a context (SCM's Q2)."""

    RAW = "raw"
    SUMMARY = "summary"
    DROPPED = "dropped"
    """Chosen by its score, and left out by the controller or for the budget."""
    NOT_CHOSEN = "not_chosen"
    """Scored, and not among the first k."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateScore:
    """A scored candidate of a turn."""

    id: str
    score: float
    form: Form
    tokens: int = 0
    """Tokens in its form; 0 if it is not in the context."""
    components: Mapping[str, float]
    """By name, as in the profile's formula."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnDecision(ConversationRecord):
    """All decisions for one turn."""

    id: str
    turn: int
    """Number of the turn if it is answered: one more than the conversation's last turn."""
    at: Instant
    profile: str
    gate: Judgement
    candidates: tuple[CandidateScore, ...] = ()
    """Best first."""
    summary_version: int = 0
    tokens: Mapping[str, int] = field(default_factory=dict)
    """By section: its tokens in the context."""
    tokens_before: int = 0
    """Tokens of the candidates before they were shortened."""
    full_history_tokens: int = 0
    """Tokens of the whole conversation."""
    steps_ms: Mapping[str, float] = field(default_factory=dict)
    parse_failures: int = 0
    failed: Mapping[str, str] = field(default_factory=dict)
    """By section: why it is missing."""
    flags: tuple[str, ...] = ()
    """Signs of failure: `over_triggered`, `under_triggered`, `slow`, `over_budget`."""


class Part(StrEnum):
    """The sections of a context, in order."""

    SCENE = "scene"
    """The surroundings as described by the caller (Mimir's sensory memory)."""
    SUMMARY = "summary"
    MEMORY = "memory"
    """Activated items, oldest first (SCM, Mimir)."""
    PREVIOUS = "previous"
    """Flash memory: the last turn or turns."""


HEADINGS = {
    Part.SCENE: "[SCENE]:",
    Part.SUMMARY: "[CONVERSATION SUMMARY]:",
    Part.MEMORY: "[RELEVANT MEMORY]:",
    Part.PREVIOUS: "[PREVIOUS TURN]:",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """One section of a context."""

    part: Part
    text: str
    """The text below its heading: stored words as data, without our own markers."""
    tokens: int
    """Tokens, heading included."""
    ids: tuple[str, ...] = ()
    """Ids of the items in it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedSections:
    """The conversational part of a context."""

    sections: tuple[Section, ...]
    """The sections in order; empty ones are left out."""
    decision: TurnDecision
    failed: Mapping[str, str] = field(default_factory=dict)
    """By section: why it is missing."""

    @property
    def text(self) -> str:
        """All sections with their headings; empty if there is none."""
        return "\n".join(f"{HEADINGS[section.part]}\n{section.text}" for section in self.sections)

    @property
    def tokens(self) -> int:
        """Tokens of all sections."""
        return sum(section.tokens for section in self.sections)


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """The result of a turn that was answered."""

    item: MemoryItem
    troubles: Mapping[str, str] = field(default_factory=dict)
    """What failed for this turn and is tried again with the next: `turn_summary`, `summary`, `tiers`, `vector`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnContext:
    """The context in front of a model."""

    question: str
    recall: Recall | None
    """The recall; `None` in a conversation without a subject."""
    block: str
    """The safety block alone; without a subject it says that nothing was looked up."""
    prepared: PreparedSections | None = None
    """The conversational part; `None` if no conversation was named, or it could not be read."""
    trouble: str = ""
    """Why the conversational part is missing although a conversation was named."""

    @property
    def memory(self) -> str:
        """The conversational sections with their headings, and the names of missing ones; empty if there are none."""
        missing = {"conversation": self.trouble} if self.trouble else self.prepared.failed if self.prepared else {}
        named = [f"[MISSING]: {', '.join(missing)} could not be read."] if missing else []
        return "\n".join([*([self.prepared.text] if self.prepared and self.prepared.text else []), *named])

    @property
    def context(self) -> str:
        """Everything in front of the question."""
        return "\n".join(part for part in (self.block, self.memory) if part)

    @property
    def text(self) -> str:
        """The context, then the unchanged question."""
        return f"{self.context}\n{QUERY}\n{self.question}"
