"""What happens while a message is sent, one value for each thing that a person may see. No behaviour but wording."""

from dataclasses import dataclass
from typing import TypeAlias

from r_memory.domain.blocks import Finding, Recall, State
from r_memory.domain.turns import Finished, PreparedSections
from r_memory.facts.remember.results import Remembered
from r_memory.protocols import ChatMessage


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """The person's words and their facts are stored."""

    remembered: Remembered


@dataclass(frozen=True, slots=True, kw_only=True)
class Front:
    """The context of a question, and how it was made."""

    question: str
    block: str
    """The safety block as sent; never empty."""
    before: str
    """The sections of the conversation as sent, and the missing ones; empty if there are none."""
    recall: Recall | None
    """The recall of the block; `None`: the memory could not be read at all."""
    prepared: PreparedSections | None
    """The sections of the conversation; `None`: they could not be made."""
    sent: tuple[ChatMessage, ...]
    """The complete request to the model."""
    tokens: int
    """Tokens of the request."""
    full_tokens: int
    """Tokens of the request with the whole conversation in place of the sections."""
    reason: str = ""
    """Why the memory could not be read; empty if it could."""
    trouble: str = ""
    """Why there are no sections, although the facts could be read."""

    @property
    def alarm(self) -> str:
        """A warning that must be shown prominently; empty if every edge type was read."""
        reason = self.reason or (self.recall.unavailable if self.recall else "")
        if reason:
            return f"SAFETY MEMORY UNAVAILABLE: {reason}."
        missing = self.unchecked
        return f"SAFETY MEMORY INCOMPLETE: {', '.join(missing)} could not be checked." if missing else ""

    @property
    def unchecked(self) -> tuple[str, ...]:
        """Edge types that could not be read, when others could."""
        outcomes = self.recall.outcomes if self.recall else ()
        return tuple(outcome.relation for outcome in outcomes if outcome.state is State.COULD_NOT_CHECK)


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """The next words of the answer."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerWhole:
    """The answer is complete and is being stored; it cannot be stopped any more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """The turn has ended; with the complete answer."""

    reply: str
    """Empty without a model."""
    finished: Finished | None = None
    """The stored turn; `None` without a model, or while the turn waits to be stored."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Objection:
    """The answer contradicts a recorded fact."""

    finding: Finding


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """A message to the person that is not stored with the conversation."""

    text: str
    loud: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandDone:
    """A command about the conversation itself was carried out."""

    told: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed:
    """There is no answer, and the conversation is unchanged."""

    reason: str


Event: TypeAlias = Heard | Front | Piece | AnswerWhole | Answered | Objection | Notice | CommandDone | Failed
