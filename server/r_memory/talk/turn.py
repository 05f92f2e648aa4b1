"""A whole turn of a conversation: the safety block first and whole, then the conversational memory, then the question.

The two are made apart: whatever becomes of the second, the first goes out.
"""

from dataclasses import dataclass

from r_memory.domain.blocks import Recall
from r_memory.domain.turns import Part, Prepared
from r_memory.errors import UnknownName
from r_memory.facts.recall.rendering import render
from r_memory.text.markers import END, QUERY, START

WAY_OUT = "Name whom it is about before you act for anybody."


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnContext:
    """What stands in front of a model."""

    question: str
    recall: Recall | None
    """`None` in a conversation about nobody."""
    kind: str = ""
    """What the schema calls those whom conversations are about."""
    prepared: Prepared | None = None
    """`None` where no conversation was named, or none of it could be read."""
    trouble: str = ""
    """Why it is missing though one was named."""

    @property
    def block(self) -> str:
        """The safety block alone; about nobody, that nothing was looked up."""
        if self.recall is None:
            return f"{START}\nAbout nobody: no {self.kind} was named, so no facts were looked up. {WAY_OUT}\n{END}"
        return render(self.recall, with_query=False)

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


def parts_of(names: tuple[str, ...] | None) -> tuple[Part, ...] | None:
    """Sections by their names; `None` for all.

    Raises:
        UnknownName: there is no such section.
    """
    if names is None:
        return None
    for name in names:
        if name not in {part.value for part in Part}:
            raise UnknownName("section", name, [part.value for part in Part])
    return tuple(Part(name) for name in names)
