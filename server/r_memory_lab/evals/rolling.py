"""Summaries that are all that is left of a conversation, rewritten as it goes on. No model.

What such a summary has dropped is gone: each is made of the one before and of what was said since.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from r_memory.domain.summaries import ConversationSummary, archived, merged
from r_memory.protocols import Shortener, Shortening, SummaryWriter
from r_memory_talk.shortening import ExtractiveShortener
from r_memory_talk.summary.keeper import KEEP
from r_memory_talk.summary.local import LocalSummaryWriter
from r_memory_talk.summary.rendering import section

WORDS = 300
"""Words of a rolling summary, about 400 tokens."""


class Rolling(Protocol):
    """A summary of the statements so far."""

    @property
    def batch(self) -> int:
        """Number of statements between rewrites."""

    @property
    def text(self) -> str:
        """The text for a model."""

    async def heard(self, statements: Sequence[str]) -> "Rolling":
        """Returns the summary with these statements added."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Extract:
    """Whole sentences of the statements, within a number of words."""

    batch: int = 10
    text: str = ""
    words: int = WORDS
    shortener: Shortener = field(default_factory=ExtractiveShortener)

    async def heard(self, statements: Sequence[str]) -> "Extract":
        """Returns the summary with these statements added, as `Rolling.heard`."""
        told = "\n".join(filter(None, (self.text, *statements)))
        return replace(self, text=await self.shortener.shorten(told, Shortening(kind="window", words=self.words)))


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryFields:
    """CIM's eight fields, as a context shows them: the newest entries of each."""

    batch: int = 1
    content: ConversationSummary = field(default_factory=ConversationSummary)
    writer: SummaryWriter = field(default_factory=LocalSummaryWriter)

    @property
    def text(self) -> str:
        """The text for a model, as `Rolling.text`."""
        return section(self.content)

    async def heard(self, statements: Sequence[str]) -> "SummaryFields":
        """Returns the summary with these statements added, each as a question without an answer."""
        content = self.content
        for statement in statements:
            proposal = await self.writer.propose(content, statement, "")
            content = archived(merged(content, proposal), KEEP)
        return replace(self, content=content)


def rollings() -> Mapping[str, Rolling]:
    """Returns the compared summaries, by name."""
    return {f"rolling summary of {WORDS} words": Extract(), "structured summary (CIM)": SummaryFields()}
