"""What a model is asked: instructions, what must be known, what was said before, and the question unchanged. Pure."""

from collections.abc import Sequence

from r_memory.domain.memories import MemoryItem
from r_memory.protocols import ChatMessage
from r_memory.text.markers import END, START

GO_ON = "Go on exactly where your last answer stopped; repeat nothing of it."
"""What asks for the rest of an answer that was cut off."""


def asked(
    question: str, *, time: str, instruction: str, block: str, before: str, earlier: Sequence[ChatMessage] = ()
) -> tuple[ChatMessage, ...]:
    """The safety block at the very front, as R-Memory has it; then, as in CIM, time, instruction, sections, question.

    `earlier` are messages that the question goes on from, replayed as they were.

    All that stands before the question is one system message: templates of several models drop a second one without a
    word, and the one that is dropped would be the safety block. Of the system it says the time only; CIM's operating
    system and processor are nobody's business.
    """
    parts = (block, f"It is {time}.", instruction.strip(), before)
    system = "\n\n".join(part for part in parts if part)
    return ChatMessage(role="system", text=system), *earlier, ChatMessage(role="user", text=question)


def replayed(turns: Sequence[MemoryItem]) -> tuple[ChatMessage, ...]:
    """Turns as the messages that they were, oldest first."""
    said = [
        (ChatMessage(role="user", text=turn.observation), ChatMessage(role="assistant", text=turn.answer))
        for turn in turns
    ]
    return tuple(message for pair in said for message in pair if message.text)


def unavailable_block(reason: str, ask: str) -> str:
    """What stands in the place of the safety block when not even the subject could be looked up."""
    return f"{START}\nSAFETY MEMORY UNAVAILABLE: {reason}. {ask}".rstrip() + f"\n{END}"
