"""What happens while a message is sent, one value for each thing that a person may see. No behaviour but wording."""

from dataclasses import dataclass
from typing import TypeAlias

from r_memory.domain.blocks import Finding, Recall, State
from r_memory.domain.turns import Finished, Prepared
from r_memory.facts.remember.results import Remembered
from r_memory.protocols import ChatMessage


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """The person's words are stored, with the facts in them."""

    remembered: Remembered


@dataclass(frozen=True, slots=True, kw_only=True)
class Front:
    """What stands in front of the question, and why."""

    question: str
    block: str
    """The safety block as it goes out; never empty."""
    before: str
    """The conversational sections as they go out, and which are missing; empty without any."""
    recall: Recall | None
    """What the block was made of; `None`: memory could not be read at all."""
    prepared: Prepared | None
    """The conversational sections; `None`: they could not be made."""
    sent: tuple[ChatMessage, ...]
    """What the model is asked, whole."""
    tokens: int
    """Of all that."""
    full_tokens: int
    """Of the same with the whole conversation in place of the sections."""
    reason: str = ""
    """Why nothing could be read."""
    trouble: str = ""
    """Why there are no sections, where the facts could be read."""

    @property
    def alarm(self) -> str:
        """What must be said loudly; empty where every edge type was read."""
        reason = self.reason or (self.recall.unavailable if self.recall else "")
        if reason:
            return f"SAFETY MEMORY UNAVAILABLE: {reason}."
        missing = self.unchecked
        return f"SAFETY MEMORY INCOMPLETE: {', '.join(missing)} could not be checked." if missing else ""

    @property
    def unchecked(self) -> tuple[str, ...]:
        """Edge types that could not be read, where others could."""
        outcomes = self.recall.outcomes if self.recall else ()
        return tuple(outcome.relation for outcome in outcomes if outcome.state is State.COULD_NOT_CHECK)


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """The next words of the answer."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Whole:
    """The answer came to its end, and is being kept: from here on it cannot be stopped any more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """The turn is over; with its answer, whole."""

    reply: str
    """Empty where there is no model to give one."""
    finished: Finished | None = None
    """What is stored of it; `None` where there was no model, or where it waits to be stored."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Objection:
    """The answer names something that a recorded fact stands against."""

    finding: Finding


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """Something that the person should know; never part of the conversation, never stored."""

    text: str
    loud: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Ordered:
    """What the person ordered of the conversation itself is done."""

    told: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed:
    """There is no answer, and the conversation is as it was before the message."""

    reason: str


Event: TypeAlias = Heard | Front | Piece | Whole | Answered | Objection | Notice | Ordered | Failed
