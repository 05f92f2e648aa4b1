"""What a person does with a whole space: move it to another store, and erase somebody from it.

Composes `transfer/` and `erasing.py` for the command line and for Python. No tool of the MCP surface reaches it.
"""

from collections.abc import Callable
from pathlib import Path

from r_memory.administration.erasing import Erased, Eraser
from r_memory.administration.streamed import Streamed
from r_memory.administration.transfer.checking import Checker
from r_memory.administration.transfer.exporting import Exporter
from r_memory.administration.transfer.importing import Imported, Importer
from r_memory.administration.transfer.values import Header
from r_memory.domain.erasure import Traces
from r_memory.domain.facts import Entity
from r_memory.domain.identity import label
from r_memory.domain.knowledge import Knowledge
from r_memory.domain.schema import Schema
from r_memory.errors import InvalidInput
from r_memory.protocols import Clock, ConversationStore, Store, StreamStore
from r_memory.subjects import Subjects


def _unseen() -> None:
    """Progress that nobody watches."""


class Administration:
    """Works on one space."""

    def __init__(
        self,
        *,
        space: str,
        store: Store,
        stream: StreamStore,
        conversations: ConversationStore,
        subjects: Subjects,
        schema: Schema,
        knowledge: Knowledge,
        clock: Clock,
        retired: frozenset[str] = frozenset(),
    ) -> None:
        kept = Streamed(space=space, stream=stream, conversations=conversations)
        self._subjects = subjects
        self._eraser = Eraser(store=store, kept=kept, clock=clock)
        self._exporter = Exporter(store=store, kept=kept, schema=schema, knowledge=knowledge, clock=clock)
        self._checker = Checker(store=store, kept=kept, schema=schema, retired=retired)
        self._importer = Importer(store=store, kept=kept, schema=schema)

    async def to_erase(self, subject: str) -> tuple[Entity, Traces]:
        """Whom an erasure means, and how much is kept about them; changes nothing.

        Raises:
            InvalidInput: nobody of this id; a name, which may mean another one tomorrow.
        """
        about = await self._subjects.resolve(subject)
        if subject.strip() not in {about.id, label(about)}:
            raise InvalidInput(f"an erasure takes the id, not a name: '{about.id}'")
        return about, await self._eraser.traces(about)

    async def forget(self, subject: str, *, actor: str, reason: str) -> Erased:
        """Erases everything about a subject, for good; what stays says that it was done, by whom and why.

        Raises:
            InvalidInput: as for `to_erase`; no actor or reason that can be recorded.
            WriteConflict: the subject is talked about all the time; call again.
            StoreUnavailable: the same call goes on.
        """
        about, _ = await self.to_erase(subject)
        return await self._eraser.erase(about, actor=actor, reason=reason)

    async def to_export(self, subject: str = "") -> tuple[Entity, ...]:
        """Whom an export of a subject, or (empty) of all, is about; erased ones leave their traces.

        Raises:
            InvalidInput: its subclasses for the subject.
        """
        return (await self._subjects.resolve(subject),) if subject else await self._subjects.all(erased=True)

    async def export(self, path: Path, *, subject: str = "", step: Callable[[], None] = _unseen) -> Header:
        """Writes all of the space, or all about one subject, into a file only its owner can read.

        Raises:
            InvalidInput: as for `to_export`; nothing can be written there.
            StoreUnavailable: it could not be read; there is no file, or the former one.
        """
        people = await self.to_export(subject)
        return await self._exporter.export(path, people, only=people[0] if subject else None, step=step)

    async def check_import(self, path: Path, *, step: Callable[[], None] = _unseen) -> Header:
        """The header of a file that can be imported here; changes nothing.

        Raises:
            InvalidInput: naming the line that cannot, or what here stands against it.
        """
        return await self._checker.check(path, step=step)

    async def import_(self, path: Path, *, step: Callable[[], None] = _unseen) -> Imported:
        """Writes what a file holds and this space does not; checks all of it before.

        `step` is called twice for each line of the file: when it is checked, and when it is stored.

        Raises:
            InvalidInput: as for `check_import`; nothing was written.
            StoreUnavailable, NotStored: some of it was; the same call goes on.
        """
        await self._checker.check(path, step=step)
        return await self._importer.restore(path, step=step)
