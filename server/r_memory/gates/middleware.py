"""What the middlewares of agent frameworks share: both gates for one agent, and whom it is about."""

from collections.abc import Callable
from typing import Any

from r_memory.domain.gates import withheld
from r_memory.errors import GateClosed
from r_memory.gates.gates import GateJudgement, Gates
from r_memory.gates.sluice import note, notice

Subject = str | Callable[[Any], str]
"""An id, or a function that finds it in the framework's context."""


class Guard:
    """Both gates for one agent."""

    def __init__(self, gates: Gates, subject: Subject = "", *, shown_to: str) -> None:
        """`subject` may be omitted in a single-subject installation."""
        self._gates = gates
        self._subject = subject
        self._shown_to = shown_to

    def about(self, context: object) -> str:
        """Returns the subject's id for a run."""
        return self._subject(context) if callable(self._subject) else self._subject

    async def block(self, words: str, context: object, *, is_new: bool) -> str:
        """Returns the block for the words, which `with_block` puts in front; stores the words if they are new.

        Raises:
            GateClosed: the memory could not be read, and the policy stops the request.
            InvalidInput: or a subclass: the subject is missing, unknown or ambiguous.
        """
        before = await self._gates.before(words, subject=self.about(context), shown_to=self._shown_to, store=is_new)
        if not before.goes_on:
            raise GateClosed(before.block)
        return before.block

    async def judged(self, answer: str, context: object) -> GateJudgement:
        """Returns the judgement on an answer."""
        return await self._gates.after(answer, subject=self.about(context), shown_to=self._shown_to)

    async def objection(self, name: str, arguments: object, context: object) -> str:
        """Returns why a tool must not be called with these arguments; empty if it may."""
        judged = await self._gates.call(name, arguments, subject=self.about(context), shown_to=self._shown_to)
        return notice(judged) if judged is not None and withheld(judged.decision) else ""


def replaced(answer: str, judged: GateJudgement) -> str:
    """Returns the answer as it may go out: unchanged, annotated, or replaced by a notice."""
    if withheld(judged.decision):
        return notice(judged)
    return answer + note(judged) if judged.decision == "annotate" else answer
