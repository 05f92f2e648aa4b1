"""The use cases of the memory, composed from protocols: what every surface (tools, command line, Python) calls.

It only puts them together: what each does is in `uses/`. They decide nothing themselves: writing is `record/`, reading
is `recall/`, identity is `subjects.py`, wholeness is `integrity.py`.
"""

from collections.abc import Callable, Mapping, Sequence

from r_memory.domain.intents import IntentTable
from r_memory.domain.knowledge import Knowledge
from r_memory.domain.schema import Schema
from r_memory.errors import InvalidInput
from r_memory.facts.changes import Changes
from r_memory.facts.listing import FactList
from r_memory.facts.recall.drafts import Drafts
from r_memory.facts.recall.lines import Lines
from r_memory.facts.recall.recaller import Recaller
from r_memory.facts.remember.recorder import Recorder
from r_memory.facts.subjects import Subjects
from r_memory.protocols import Audit, Auditor, Store
from r_memory.space.administration import Administration
from r_memory.talk.conversations import Conversations
from r_memory.talk.documents.ingesting import Ingestion
from r_memory.talk.stream.stream import Stream
from r_memory.uses.administering import Administering, Description
from r_memory.uses.conversing import Conversing
from r_memory.uses.deciding import Deciding
from r_memory.uses.held import Limits
from r_memory.uses.recording import Recording

__all__ = ["Description", "Limits", "Memory"]


class Memory(Recording, Conversing, Deciding, Administering):
    """One space of one installation; made by `open_memory`."""

    def __init__(
        self,
        *,
        space: str,
        store: Store,
        auditor: Auditor | None,
        audits: Mapping[str, Audit],
        subjects: Subjects,
        recorder: Recorder,
        recaller: Recaller,
        drafts: Drafts,
        changes: Changes,
        schema: Schema,
        table: IntentTable,
        knowledge: Knowledge,
        retired: Sequence[str] = (),
        single_subject: bool = False,
        limits: Limits | None = None,
        elsewhere: "Callable[[str], Memory] | None" = None,
        stream: Stream | None = None,
        conversations: Conversations | None = None,
        documents: Ingestion | None = None,
        administration: Administration | None = None,
    ) -> None:
        """`retired` names relations of earlier schemas, whose facts are listed all the same.

        `elsewhere` gives the memory of another space on the same store; `None` where there is one space only.
        """
        self.schema = schema
        self.limits = limits or Limits()
        self._space = space
        self._store = store
        self._auditor = auditor
        self._audits = audits
        self._subjects = subjects
        self._recorder = recorder
        self._recaller = recaller
        self._drafts = drafts
        self._changes = changes
        self._lines = Lines(schema)
        self._table = table
        self._knowledge = knowledge
        self._retired = tuple(retired)
        self._listing = FactList(store=store, schema=schema, retired=retired, page=self.limits.page)
        self._single_subject = single_subject
        self._elsewhere = elsewhere
        self._stream = stream
        self._conversations = conversations
        self._documents = documents
        self._administration = administration

    def in_space(self, space: str) -> "Memory":
        """The memory of one space of this installation, which shares nothing with others but store and language.

        Raises:
            InvalidInput: this memory serves one space only, and it is another.
        """
        if space == self._space:
            return self
        if self._elsewhere is None:
            raise InvalidInput("this memory serves one space only; use a token of that space")
        return self._elsewhere(space)
