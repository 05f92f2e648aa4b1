"""Operations on a whole space: describe, audit, verify, rebuild, export and import, erase a person.

Exports, imports and erasures are for the command line and for Python; no tool of the MCP surface can start them.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from r_memory.domain.erasure import Traces, brought_back, is_trace
from r_memory.domain.exams import ModelStanding
from r_memory.domain.facts import Entity, entity_of_key
from r_memory.domain.identity import label
from r_memory.domain.instants import iso_seconds
from r_memory.domain.intents import IntentTable
from r_memory.domain.knowledge import Knowledge
from r_memory.domain.log import Checkpoint
from r_memory.domain.schema import Schema
from r_memory.errors import InvalidInput, StoreError, UnknownName
from r_memory.facts.facts import Facts
from r_memory.facts.limits import Limits
from r_memory.facts.relinking import relink
from r_memory.protocols import Audit, Auditor, Clock, ConversationStore, StoreHealth, StreamStore, Table
from r_memory.space.contents import Contents, Step, unseen
from r_memory.space.door import ImportDoor, asked_for
from r_memory.space.erasing import Erased, erase, traces_of
from r_memory.space.file import Header
from r_memory.space.integrity import Proof, Verification, checkpoint, prove, rebuild, verify, verify_space
from r_memory.space.moving import CheckedFile, Imported, check, export, restore


@dataclass(frozen=True, slots=True, kw_only=True)
class Description:
    """What this installation can remember, and its state."""

    space: str
    single_subject: bool
    schema: Schema
    table: IntentTable
    knowledge: Knowledge
    limits: Limits
    audits: tuple[str, ...]
    health: StoreHealth | None
    """State of the store; `None` if it gives no answer."""
    trouble: str = ""
    model: ModelStanding | None = None
    """Whether the language model's reading counts; `None` if no model reads."""


@dataclass(kw_only=True, eq=False)
class Space:
    """One space as a whole: description, audits, verification, moving and erasing."""

    facts: Facts
    stream: StreamStore
    conversations: ConversationStore
    clock: Clock
    auditor: Auditor | None = None
    """Runs queries; `None` if the store has no query language."""
    audits: Mapping[str, Audit] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._subjects, self._reader = self.facts.subjects, self.facts.reader
        self._relations = frozenset({*self.facts.retired, *self._reader.schema.relations})
        self._kept = Contents(
            space=self.facts.space,
            schema=self._reader.schema,
            store=self.facts.store,
            stream=self.stream,
            conversations=self.conversations,
        )

    async def describe(self) -> Description:
        """What can be remembered and asked here; it answers also if the store does not."""
        health, trouble = None, ""
        try:
            health = await self.facts.store.health()
        except StoreError as error:
            trouble = str(error)
        return Description(
            space=self.facts.space,
            single_subject=bool(self._subjects.single),
            schema=self._reader.schema,
            table=self._reader.table,
            knowledge=self._reader.knowledge,
            limits=self.facts.limits,
            audits=tuple(sorted(self.audits)),
            health=health,
            trouble=trouble,
            model=self._reader.standing,
        )

    async def audit(self, name: str, *, limit: int = 200) -> Table:
        """The rows of a shipped or own audit, of this space only.

        Raises:
            UnknownName: no audit has this name; the message lists the known names.
            InvalidInput: the store has no query language.
        """
        if name not in self.audits:
            raise UnknownName("audit", name, sorted(self.audits))
        return await self.cypher(self.audits[name].text, limit=limit)

    async def cypher(self, query: str, *, limit: int = 200) -> Table:
        """The rows of a reading query; its first column must be `space`, and `$space` is this space.

        Raises:
            InvalidInput: the query writes, is wrong, or does not return `space` first; or the store has no query
                language.
        """
        if self.auditor is None:
            raise InvalidInput("this store runs no Cypher; use the embedded store or Neo4j for audits")
        return await self.auditor.read(query, space=self.facts.space, limit=limit)

    async def verify(
        self, *, subject: str | Entity = "", since: Checkpoint | None = None, step: Step = unseen
    ) -> Verification:
        """Recomputes logs, chains and states of one subject, or of the whole space; calls `step` after each subject.

        With `since`, it also checks that nothing before that checkpoint was changed or removed.

        Raises:
            InvalidInput: the checkpoint is of another space; the subclasses are about the subject.
        """
        self._check_space(since)
        store, reader = self.facts.store, self._reader
        if subject:
            return await verify(
                store, await self._subjects.chosen(subject), named=reader.with_kinds, since=since, step=step
            )
        return await verify_space(
            store, reader.schema, reader.knowledge, self.facts.space, named=reader.with_kinds, since=since, step=step
        )

    async def checkpoint(self, *, step: Step = unseen) -> Checkpoint:
        """Size and root of every log at present, to be signed and kept elsewhere."""
        store, schema, made_at = self.facts.store, self._reader.schema, iso_seconds(self.clock.now())
        return await checkpoint(store, schema, self.facts.space, made_at=made_at, step=step)

    async def prove(self, receipt_id: str, *, since: Checkpoint | None = None) -> Proof:
        """A proof that a receipt is in its log as it was recorded.

        Raises:
            InvalidInput: no receipt has the id, or the checkpoint is of another space.
            LedgerBroken: the receipt or its log is not as it was recorded.
        """
        self._check_space(since)
        return await prove(self.facts.store, self.facts.space, receipt_id, since)

    def _check_space(self, since: Checkpoint | None) -> None:
        if since is not None and since.space != self.facts.space:
            raise InvalidInput(f"the checkpoint is of space '{since.space}'; verify with --space {since.space}")

    async def rebuild(self, *, subject: str | Entity = "") -> int:
        """Recreates the present state of one subject, or of all, from the ledger; returns the number of facts.

        Facts that an earlier lexicon stored under a broader term are recorded under the thing that was said.

        Raises:
            LedgerBroken: a chain is not whole; the state of that subject is unchanged, and the others are rebuilt.
        """
        about = await self._subjects.chosen(subject)
        written = await rebuild(self.facts.store, self._reader.schema, about, named=self._reader.with_kinds)
        await self._relink(about)
        return written

    async def relink(self, *, subject: str | Entity = "") -> int:
        """Records facts that an earlier lexicon stored under a broader term under the thing that was said; returns
        their number.

        A second call moves nothing. The ledger keeps what it holds: each move is an event of its own.

        Raises:
            NotStored: other writers were faster each time; repeat the call to continue.
        """
        return await self._relink(await self._subjects.chosen(subject))

    async def _relink(self, about: Iterable[Entity]) -> int:
        kept = (entity for entity in about if not is_trace(entity))
        return sum([await relink(self.facts.store, self._reader, self.clock, entity) for entity in kept])

    async def to_erase(self, subject: str) -> tuple[Entity, Traces]:
        """The subject that an erasure would erase, and its number of records; changes nothing.

        Raises:
            InvalidInput: no subject has this id. A name is refused: it may mean another subject tomorrow.
        """
        about = await self._subjects.resolve(subject)
        if subject.strip() not in {about.id, label(about)}:
            raise InvalidInput(f"an erasure takes the id, not a name: '{about.id}'")
        return about, await traces_of(self._kept, about)

    async def forget(self, subject: str, *, actor: str, reason: str) -> Erased:
        """Erases all records about a subject permanently; what remains says that it was erased, by whom and why.

        Raises:
            InvalidInput: as for `to_erase`; or actor or reason cannot be recorded.
            WriteConflict: others kept writing about the subject; call again. What was erased stays erased.
            StoreUnavailable: repeat the call to continue; if all is done already, the subject is unknown.
        """
        about, _ = await self.to_erase(subject)
        return await erase(self._kept, about, actor=actor, reason=reason, clock=self.clock)

    async def to_export(self, subject: str = "") -> tuple[Entity, ...]:
        """The subjects of an export of one subject, or (empty) of all; traces of erased subjects included."""
        return (await self._subjects.resolve(subject),) if subject else await self._subjects.all(erased=True)

    async def export(self, path: Path, *, subject: str = "", step: Step = unseen) -> Header:
        """Writes the whole space, or all records about one subject, to a file that only its owner can read.

        Raises:
            InvalidInput: as for `to_export`; or the file cannot be written.
            StoreUnavailable: the space could not be read; an earlier file is unchanged.
            LedgerBroken: an import has not ended; an earlier file is unchanged.
        """
        people = await self.to_export(subject)
        reader = self._reader
        header = Header(
            space=self.facts.space,
            subject=people[0].id if subject else "",
            exported_at=iso_seconds(self.clock.now()),
            schema=reader.schema.name,
            schema_version=reader.schema.version,
            pack=reader.knowledge.name,
            pack_version=reader.knowledge.version,
        )
        return await export(self._kept, path, people, header, talk_about=people[0].uid if subject else "", step=step)

    async def check_import(self, path: Path, *, even_erased: bool = False, step: Step = unseen) -> CheckedFile:
        """What a file that can be imported holds, and which of its people were erased here; changes nothing.

        Raises:
            InvalidInput: the file cannot be imported; the message names the line, or what here prevents it.
        """
        await self._subjects.alike.meet()
        door = ImportDoor(self._subjects, self._reader.schema, self.facts.limits)
        return await check(self._kept, path, door=door, relations=self._relations, even_erased=even_erased, step=step)

    async def import_(
        self, path: Path, *, even_erased: bool = False, yes: bool = False, step: Step = unseen
    ) -> Imported:
        """Writes the records of a file that are missing in this space; all are checked first.

        People who were erased here are left out; `even_erased` restores them, and their traces log it. `yes` agrees to
        what the file decides about people who are known here (`CheckedFile.decisions`).

        `step` is called twice for each line of the file: when it is checked, and when it is stored.

        Raises:
            InvalidInput: as for `check_import`; or the file decides about people known here, and `yes` is not given.
                Nothing was written.
            StoreUnavailable, NotStored: a part was written; repeat the call to continue.
        """
        checked = await self.check_import(path, even_erased=even_erased, step=step)
        if checked.decisions and not yes:
            raise asked_for(checked.decisions)
        await self.facts.store.begin_import(self.facts.space, checked.header.sha256)
        if even_erased:
            await self._bring_back(checked)
        without = () if even_erased else checked.erased
        done = await restore(self._kept, path, without=without, step=step)
        await self.facts.store.end_import(self.facts.space)
        return done

    async def _bring_back(self, checked: CheckedFile) -> None:
        """Logs with the traces of erased people that an import restores them."""
        reason = f"brought back with --even-erased from an export of {checked.header.exported_at}"
        for uid, trace in checked.erased.items():
            about = entity_of_key(uid)
            if await self.facts.store.subjects(about.space, about.type, id_=about.id):
                continue  # an import that was killed goes on
            left = await self.facts.store.events(trace.uid)
            await self.facts.store.append(brought_back(trace, left, reason=reason, now=self.clock.now()))
