"""What the middlewares of agent frameworks share: both gates for one agent, and whom it is about."""

from collections.abc import Callable
from typing import Any

from r_memory.domain.blocks import QUERY
from r_memory.domain.gates import withheld
from r_memory.errors import GateClosed
from r_memory.gates.gates import GateJudgement, Gates
from r_memory.gates.sluice import note, notice
from r_memory.gates.toolcalls import is_own, words_of

Subject = str | Callable[[Any], str]
"""An id, or what finds it in whatever the framework hands over."""


class Guard:
    """Both gates for one agent."""

    def __init__(self, gates: Gates, subject: Subject = "", *, shown_to: str) -> None:
        """`subject` may be left out in a single-subject installation."""
        self._gates = gates
        self._subject = subject
        self._shown_to = shown_to

    def about(self, context: object) -> str:
        """Whom a run is about."""
        return self._subject(context) if callable(self._subject) else self._subject

    async def front(self, words: str, context: object, *, is_new: bool) -> str:
        """What goes in front of the words; new ones are stored.

        Raises:
            GateClosed: the memory could not be read, and the policy says that nothing goes on then.
            InvalidInput: its subclasses, for the subject.
        """
        before = await self._gates.before(words, subject=self.about(context), shown_to=self._shown_to, store=is_new)
        if not before.goes_on:
            raise GateClosed(before.block)
        return f"{before.block}\n{QUERY}\n"

    async def judged(self, answer: str, context: object) -> GateJudgement:
        """What becomes of an answer."""
        return await self._gates.after(answer, subject=self.about(context), shown_to=self._shown_to)

    async def objection(self, name: str, arguments: object, context: object) -> str:
        """Why a tool must not be called so; empty where it may."""
        words = words_of(arguments, self._gates.policy.no_content)
        if is_own(name) or not words.strip():
            return ""
        judged = await self._gates.after(
            words, subject=self.about(context), gate="tool", shown_to=self._shown_to, said=str(arguments)
        )
        return notice(judged) if withheld(judged.decision) else ""


def replaced(answer: str, judged: GateJudgement) -> str:
    """The answer as it may go out."""
    if withheld(judged.decision):
        return notice(judged)
    return answer + note(judged) if judged.decision == "annotate" else answer
