"""The use cases of the memory, composed from protocols: what every surface (tools, command line, Python) calls.

It decides nothing itself: writing is `record/`, reading is `recall/`, identity is `subjects.py`, wholeness is
`integrity.py`.
"""

import base64
import binascii
import json
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from r_memory.domain.blocks import Recall, Receipt
from r_memory.domain.events import FactEvent, Role
from r_memory.domain.facts import Entity, Fact, Status
from r_memory.domain.folding import fold_all
from r_memory.domain.instants import Instant
from r_memory.domain.intents import IntentTable
from r_memory.domain.knowledge import Knowledge
from r_memory.domain.schema import Schema
from r_memory.errors import InvalidInput, StoreError, UnknownName
from r_memory.integrity import Verification, rebuild, verify
from r_memory.protocols import Audit, Auditor, Store, StoreHealth, Table
from r_memory.recall.recaller import Recaller
from r_memory.record.recorder import Recorder, Said
from r_memory.record.results import Claim, Remembered
from r_memory.record.utterances import checked_text
from r_memory.subjects import Subjects

logger = logging.getLogger(__name__)

DEFAULT_STATUSES = tuple(status for status in Status if status is not Status.ENTERED_IN_ERROR)
"""What a list shows unless it is asked for more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Sizes that calls are held to."""

    text: int = 8_000
    """Characters of an utterance or a query."""
    page: int = 50
    """Facts in one page of a list."""
    claims: int = 50
    """Triples in one call."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FactPage:
    """A part of a complete, unranked list."""

    subject: Entity
    facts: tuple[Fact, ...]
    counts: Mapping[str, int]
    """Relation to the number of facts listed over all pages; a relation that was asked for and has none counts 0."""
    total: int
    next_cursor: str
    """Empty on the last page."""
    failed: Mapping[str, str]
    """Relations that could not be read, with the reason; the list is complete only when there are none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Description:
    """What this installation knows how to remember, and how it is."""

    space: str
    single_subject: bool
    schema: Schema
    table: IntentTable
    knowledge: Knowledge
    limits: Limits
    audits: tuple[str, ...]
    health: StoreHealth | None
    """`None` when the store does not answer."""
    trouble: str = ""
    """Why it does not."""


class Memory:
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
        schema: Schema,
        table: IntentTable,
        knowledge: Knowledge,
        retired: Sequence[str] = (),
        single_subject: bool = False,
        limits: Limits | None = None,
    ) -> None:
        """`retired` names relations of earlier schemas, whose facts are listed all the same."""
        self.schema = schema
        self.limits = limits or Limits()
        self._space = space
        self._store = store
        self._auditor = auditor
        self._audits = audits
        self._subjects = subjects
        self._recorder = recorder
        self._recaller = recaller
        self._table = table
        self._knowledge = knowledge
        self._retired = tuple(retired)
        self._single_subject = single_subject

    async def remember(
        self,
        text: str,
        *,
        subject: str = "",
        subject_name: str = "",
        role: Role = "user",
        speaker: str = "",
        conversation_id: str = "",
        said_at: Instant | None = None,
        idempotency_key: str = "",
        dry_run: bool = False,
        claims: Sequence[Claim] = (),
    ) -> Remembered:
        """Stores an utterance and the facts it states, and says what became of each.

        `subject_name` declares a new subject under the id `subject`. `claims` are triples that the caller read in the
        text. The same `idempotency_key` (or, without one, the same words by one speaker on a day) stores nothing twice.

        Raises:
            InvalidInput: with its subclasses for a subject that is missing, unknown, ambiguous or named otherwise.
            StoreUnavailable: nothing was stored.
            NotStored: the words are stored, their facts are not yet.
        """
        checked_text(text, limit=self.limits.text)
        if len(claims) > self.limits.claims:
            raise InvalidInput(
                f"{len(claims)} facts were given, at most {self.limits.claims} are taken; split the call"
            )
        about = await (
            self._subjects.resolve(subject) if dry_run else self._subjects.resolve_or_declare(subject, subject_name)
        )
        said = Said(
            text=text,
            subject=about,
            role=role,
            speaker=speaker,
            conversation=conversation_id,
            key=idempotency_key,
            said_at=said_at,
            claims=tuple(claims),
        )
        return await self._recorder.remember(said, dry_run=dry_run)

    async def build_context(
        self,
        query: str,
        *,
        subject: str = "",
        intents: Sequence[str] = (),
        shown_to: str = "",
        max_chars: int | None = None,
    ) -> Recall:
        """Every fact that bears on a request, with one of four outcomes for each edge type; never empty by failure.

        `intents` opens these action types beside those recognised. `max_chars` cuts lines below the critical ones only.

        Raises:
            InvalidInput: with its subclasses for the subject; `UnknownName` for an action type.
            StoreUnavailable: the subject could not even be looked up.
        """
        checked_text(query, limit=self.limits.text)
        for name in intents:
            self._table.intent(name)
        about = await self._subjects.resolve(subject)
        return await self._recaller.recall(
            query, about, named_intents=tuple(intents), shown_to=shown_to, max_chars=max_chars
        )

    def asks(self, text: str) -> bool:
        """Whether the words ask for something that facts may bear on, so that a statement needs a recall as well."""
        return self._recaller.asks(text)

    def recognise(self, text: str) -> tuple[str, ...]:
        """The action types that the words ask for, best first; empty for a plain statement or small talk."""
        return self._recaller.recognise(text)

    async def list_facts(
        self,
        *,
        subject: str = "",
        relations: Sequence[str] = (),
        statuses: Sequence[str] = (),
        as_of: Instant | None = None,
        limit: int | None = None,
        cursor: str = "",
    ) -> FactPage:
        """Everything recorded about a subject, complete and unranked, now or as it was known at an instant.

        Without `relations` all of them; without `statuses` all but `entered_in_error`.

        Raises:
            UnknownName: a relation or status that does not exist.
            InvalidInput: a bad cursor or limit; its subclasses for the subject.
        """
        asked = tuple(self.schema.relation(name).name for name in relations) or (*self.schema.relations, *self._retired)
        wanted = {_status(name) for name in statuses} or set(DEFAULT_STATUSES)
        size = self._page_size(limit)
        about = await self._subjects.resolve(subject)
        facts, failed = await self._facts(about, asked, as_of)
        listed = sorted(
            (fact for fact in facts if fact.status in wanted and (fact.relation in asked or not relations)),
            key=lambda fact: (fact.relation, fact.object.name, fact.fact_id),
        )
        start = _position(cursor)
        counts = dict.fromkeys(asked, 0)
        for fact in listed:
            counts[fact.relation] = counts.get(fact.relation, 0) + 1
        following = start + size
        return FactPage(
            subject=about,
            facts=tuple(listed[start:following]),
            counts=counts,
            total=len(listed),
            next_cursor=_cursor(following) if following < len(listed) else "",
            failed=failed,
        )

    async def history(self, fact_id: str) -> tuple[FactEvent, ...]:
        """Every event of one fact, oldest first; the id may be shortened to eight characters.

        Raises:
            InvalidInput: no fact of this space has the id.
        """
        events = await self._store.history(self._space, fact_id)
        if not events:
            raise InvalidInput(f"no fact has the id '{fact_id[:36]}'; take one from `facts` or from a block")
        return events

    async def receipts(self, *, subject: str = "", limit: int = 50) -> tuple[Receipt, ...]:
        """What was shown about a subject, newest first."""
        about = await self._subjects.resolve(subject)
        return await self._store.receipts(self._space, about.uid, limit=limit)

    async def subjects(self) -> tuple[Entity, ...]:
        """Every subject of the space."""
        return await self._subjects.all()

    async def describe(self) -> Description:
        """What can be remembered and asked here; answers even when the store does not."""
        health, trouble = None, ""
        try:
            health = await self._store.health()
        except StoreError as error:
            trouble = str(error)
        return Description(
            space=self._space,
            single_subject=self._single_subject,
            schema=self.schema,
            table=self._table,
            knowledge=self._knowledge,
            limits=self.limits,
            audits=tuple(sorted(self._audits)),
            health=health,
            trouble=trouble,
        )

    def audits(self) -> Mapping[str, Audit]:
        """The audits that can be run, by name."""
        return self._audits

    async def audit(self, name: str, *, limit: int = 200) -> Table:
        """Rows of a shipped (or own) audit, of this space only.

        Raises:
            UnknownName: no such audit; the known ones are listed.
            InvalidInput: the store has no query language.
        """
        if name not in self._audits:
            raise UnknownName("audit", name, sorted(self._audits))
        if self._auditor is None:
            raise InvalidInput("this store runs no Cypher; use the embedded store or Neo4j for audits")
        return await self._auditor.read(self._audits[name].text, space=self._space, limit=limit)

    async def verify(self, *, subject: str = "") -> Verification:
        """Recomputes the chains and states of one subject, or of all."""
        return await verify(self._store, self.schema, await self._chosen(subject))

    async def rebuild(self, *, subject: str = "") -> int:
        """Recreates the state layer of one subject, or of all, from the ledger; gives the number of facts."""
        return await rebuild(self._store, self.schema, await self._chosen(subject))

    async def resume(self) -> int:
        """Reads what a crash left unread; gives how many statements are read now."""
        waiting = await self._store.open_episodes(self._space)
        if not waiting:
            return 0
        subjects = {entity.uid: entity for entity in await self._subjects.all()}
        done = await self._recorder.resume(waiting, subjects)
        logger.info("Open episodes read", extra={"action": "resumed", "open": len(waiting), "read": done})
        return done

    async def _chosen(self, subject: str) -> tuple[Entity, ...]:
        return (await self._subjects.resolve(subject),) if subject else await self._subjects.all()

    async def _facts(
        self, about: Entity, relations: Sequence[str], as_of: Instant | None
    ) -> tuple[Sequence[Fact], Mapping[str, str]]:
        if as_of is None:
            found = await self._store.neighbourhood(about, relations)
            return found.facts, found.failed
        events = await self._store.events(about.uid)
        return fold_all(events, scale=self.schema.severity.grades, as_of=as_of), {}

    def _page_size(self, limit: int | None) -> int:
        if limit is None:
            return self.limits.page
        if not 1 <= limit <= self.limits.page:
            raise InvalidInput(f"limit must be 1 to {self.limits.page}")
        return limit


def _status(name: str) -> Status:
    try:
        return Status(name)
    except ValueError:
        raise UnknownName("status", name, [status.value for status in Status]) from None


def _cursor(position: int) -> str:
    return base64.urlsafe_b64encode(json.dumps({"from": position}).encode()).decode()


def _position(cursor: str) -> int:
    """Where the page of a cursor starts; 0 for an empty one."""
    if not cursor:
        return 0
    try:
        position = json.loads(base64.urlsafe_b64decode(cursor))["from"]
    except (binascii.Error, ValueError, KeyError, TypeError) as error:
        raise InvalidInput("the cursor is not one of this list; start again without cursor") from error
    if not isinstance(position, int) or position < 0:
        raise InvalidInput("the cursor is not one of this list; start again without cursor")
    return position
