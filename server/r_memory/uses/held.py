"""What every use of the memory holds and asks for: the parts of one space, and whom a call is about.

Who uses them is in the modules beside it.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from r_memory.administration.administration import Administration
from r_memory.conversation.conversations import Conversations
from r_memory.documents.ingesting import Ingestion
from r_memory.domain.facts import Entity
from r_memory.domain.intents import IntentTable
from r_memory.domain.knowledge import Knowledge
from r_memory.domain.schema import Schema
from r_memory.errors import ConfigurationError
from r_memory.listing import FactList
from r_memory.protocols import Audit, Auditor, Store
from r_memory.recall.drafts import Drafts
from r_memory.recall.lines import Lines
from r_memory.recall.recaller import Recaller
from r_memory.record.changes import Changes
from r_memory.record.recorder import Recorder
from r_memory.stream.stream import Stream
from r_memory.subjects import Subjects


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Sizes that calls are held to."""

    text: int = 8_000
    """Characters of an utterance or a query."""
    draft: int = 20_000
    """Characters of a draft to be checked."""
    page: int = 50
    """Facts in one page of a list."""
    claims: int = 50
    """Triples in one call."""
    conversation_s: float = 30.0
    """Seconds after which a context goes out without its conversation."""


class Held:
    """The parts of one space; `Memory` fills them in."""

    schema: Schema
    limits: Limits
    _space: str
    _store: Store
    _auditor: Auditor | None
    _audits: Mapping[str, Audit]
    _subjects: Subjects
    _recorder: Recorder
    _recaller: Recaller
    _drafts: Drafts
    _changes: Changes
    _lines: Lines
    _table: IntentTable
    _knowledge: Knowledge
    _retired: tuple[str, ...]
    _listing: FactList
    _single_subject: bool
    _stream: Stream | None
    _conversations: Conversations | None
    _documents: Ingestion | None
    _administration: Administration | None

    @property
    def stream(self) -> Stream:
        """The conversational memory of this space; facts never depend on it.

        Raises:
            ConfigurationError: this memory was put together without one.
        """
        if self._stream is None:
            raise ConfigurationError("this memory keeps no conversations; open it with open_memory")
        return self._stream

    @property
    def conversations(self) -> Conversations:
        """The conversations of this space, with their summaries and decisions; facts never depend on them.

        Raises:
            ConfigurationError: as in `stream`.
        """
        if self._conversations is None:
            raise ConfigurationError("this memory keeps no conversations; open it with open_memory")
        return self._conversations

    @property
    def documents(self) -> Ingestion:
        """The documents of this space, with their parts and summaries.

        Raises:
            ConfigurationError: as in `stream`.
        """
        if self._documents is None:
            raise ConfigurationError("this memory keeps no documents; open it with open_memory")
        return self._documents

    async def find_subject(self, subject: str = "") -> Entity:
        """Whom a call means.

        Raises:
            InvalidInput: its subclasses for the subject.
        """
        return await self._subjects.resolve(subject)

    async def subjects(self, *, erased: bool = False) -> tuple[Entity, ...]:
        """Every subject of the space; with `erased`, the traces of those who were erased as well, to verify them."""
        return await self._subjects.all(erased=erased)

    async def _chosen(self, subject: str | Entity) -> tuple[Entity, ...]:
        return (await self._subjects.resolve(subject, erased=True),) if subject else await self.subjects(erased=True)
