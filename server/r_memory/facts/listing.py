"""Lists of facts about one subject: complete and unranked, at present or as known at an instant.

It knows neither the reader of a list nor how lists are shown or paged.
"""

import asyncio
import re
from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from r_memory.domain.blocks import Receipt
from r_memory.domain.changes import AwaitedChange
from r_memory.domain.corrections import named_all
from r_memory.domain.events import Episode, FactEvent
from r_memory.domain.facts import RISK, Entity, Fact, Status
from r_memory.domain.folding import fold_all
from r_memory.domain.instants import Instant
from r_memory.domain.schema import Schema
from r_memory.domain.withdrawn import WithdrawnWords
from r_memory.errors import ARRIVING, FactUnknown, InvalidInput, SubjectUnknown, UnknownName
from r_memory.facts.hiding import Hiding
from r_memory.facts.naming import FactNames
from r_memory.facts.remember.doubting import Doubts
from r_memory.facts.subjects import Subjects
from r_memory.protocols import Clock, Store

_ID = re.compile(r"[0-9a-f]{8}[0-9a-f-]{0,28}")


@dataclass(frozen=True, slots=True, kw_only=True)
class FactPage:
    """A complete, unranked list of facts."""

    subject: Entity
    facts: tuple[Fact, ...]
    counts: Mapping[str, int]
    """Number of listed facts by relation; a requested relation without facts has 0.

    A relation that the schema does not declare is here only if it has facts: another schema may have declared it.
    """
    failed: Mapping[str, str]
    """Reason by relation that could not be read; the list is complete only if this is empty."""
    pending: tuple[Episode, ...] = ()
    """Statements that are not fully understood and may hold further facts; always of the present, never of
    an instant.
    """
    awaited: Mapping[str, tuple[AwaitedChange, ...]] = field(default_factory=dict)
    """What waits and may change a listed fact, by the id of the fact."""


def worst_first(facts: Iterable[Fact], critical: Container[str], schema: Schema) -> tuple[Fact, ...]:
    """Facts in reading order: the critical ones, worst first, then the others.

    `critical` holds the ids of the critical facts.
    """

    def weight(fact: Fact) -> tuple[bool, bool, int]:
        worst = schema.severity.rank(fact.attrs.get("severity"))
        return fact.status not in RISK, fact.fact_id not in critical, -worst

    return tuple(sorted(facts, key=weight))


class FactList:
    """Lists facts of one space."""

    def __init__(
        self,
        *,
        store: Store,
        clock: Clock,
        subjects: Subjects,
        schema: Schema,
        names: FactNames,
        doubts: Doubts,
        hiding: Hiding,
    ) -> None:
        self._doubts = doubts
        self._store = store
        self._clock = clock
        self._subjects = subjects
        self._schema = schema
        self._names = names
        self._hiding = hiding
        self.sayings = hiding.sayings

    async def list_facts(
        self,
        *,
        subject: str | Entity = "",
        relations: Sequence[str] = (),
        statuses: Sequence[str] = (),
        as_of: Instant | None = None,
    ) -> FactPage:
        """All recorded facts about a subject, unranked: the present ones, or those known at `as_of`.

        Empty `relations` means all; empty `statuses` means all but `entered_in_error`.

        Raises:
            UnknownName: a relation or status does not exist.
            SubjectRequired, SubjectUnknown, SubjectAmbiguous: as for `Subjects.resolve`.
        """
        about = await self._subjects.resolve(subject)
        asked = tuple(self._schema.relation(name).name for name in relations) or self.relations
        wanted = {_status(name) for name in statuses}
        facts, failed, pending = await self._facts(about, asked, as_of)
        kept = (fact for fact in facts if (fact.status in wanted if wanted else is_listed(fact)))
        listed = sorted(
            (fact for fact in kept if fact.relation in asked or not relations),
            key=lambda fact: (fact.relation, fact.object.name, fact.fact_id),
        )
        return FactPage(
            subject=about,
            facts=tuple(listed),
            counts={
                **dict.fromkeys((name for name in asked if name not in self._subjects.retired), 0),
                **Counter(fact.relation for fact in listed),
            },
            failed=failed,
            pending=pending,
            awaited=self._doubts.awaited(about, facts, self._doubts.changing(pending)),
        )

    async def history(self, fact_id: str) -> tuple[FactEvent, ...]:
        """All events of one fact, oldest first; the first eight characters of the id are enough.

        Raises:
            InvalidInput: no fact of this space has the id.
        """
        events = await self._store.history(self._subjects.space, fact_id)
        if not events:
            raise FactUnknown(f"no fact has the id '{fact_id[:36]}'; use one of `facts` or of a block")
        return events

    async def find_fact(self, fact_id: str, *, subject: str | Entity = "") -> tuple[Entity, Fact]:
        """The subject of a fact, and the fact as it stands.

        `fact_id` is the id, its first eight characters, or words that one fact of the subject holds: in its thing, a
        detail, or the words that stated it.

        Raises:
            FactUnknown: no fact of this space has the id, or holds the words; near ones are listed.
            InvalidInput: several facts hold the words.
        """
        if not _ID.fullmatch(fact_id.strip().casefold()) and (subject or self._subjects.single):
            return await self._named(fact_id, subject)
        facts = fold_all(await self.history(fact_id), scale=self._schema.severity.grades)
        if not facts:
            raise InvalidInput(f"'{fact_id[:48]}' was erased; no fact is left of it")
        return await self._subjects.of_uid(facts[0].subject_uid), facts[0]

    async def _named(self, words: str, subject: str | Entity) -> tuple[Entity, Fact]:
        """The subject, and its only present fact that the words name."""
        about = await self._subjects.resolve(subject)
        known = await self._store.neighbourhood(about, self.relations)
        listed = [fact for fact in known.facts if is_listed(fact)]
        holding = self._names.holding(words, listed)
        found = self._names.named(words, holding) or holding
        if len(found) == 1:
            return about, found[0]
        if found:
            raise InvalidInput(f"'{words[:48]}' may mean {named_all(found)}; give the id of one")
        if waiting := next((item for item in reversed(known.pending) if self._names.holds(item.text, words)), None):
            raise FactUnknown(
                f"no fact holds '{words[:48]}', but a statement that waits is: settle it with change dismiss and "
                f"its id {waiting.id}, if the person says that nothing of it is to be kept"
            )
        near = named_all(self._names.named(words, listed))
        nearest = (
            f"nearest: {near}; if one of them is meant, give its id" if near else "take an id from memory_list_facts"
        )
        raise FactUnknown(
            f"no fact holds the words '{words[:48]}', and nothing was changed; {nearest}. Erasing "
            "a person and all that is recorded is the command `r-memory forget SUBJECT` of who runs this memory"
        )

    async def utterances(self, *, subject: str | Entity = "") -> tuple[Episode, ...]:
        """All utterances about a subject, with or without a conversation."""
        about = await self._subjects.resolve(subject)
        return await self._store.episodes(self._subjects.space, about.uid)

    async def withdrawn(self, subject_uids: Sequence[str]) -> WithdrawnWords:
        """The words about subjects that are no longer handed out, as their facts were entered in error or forgotten,
        and those that are marked, as what they stated no longer holds.
        """
        found = await asyncio.gather(*map(self._told_and_over, subject_uids))
        return self._hiding.of(
            [fact for facts, _ in found for fact in facts], [each for _, told in found for each in told]
        )

    async def _told_and_over(self, uid: str) -> tuple[Sequence[Fact], Sequence[FactEvent]]:
        """The facts about a subject, and the events of those that do not hold as they were stated."""
        try:
            about = await self._subjects.of_uid(uid)
        except SubjectUnknown:  # erased since
            return (), ()
        known = (await self._store.neighbourhood(about, self.relations)).facts
        over = [fact.fact_id for fact in known if fact.contradicted or fact.status not in RISK]
        return known, (await self._store.chain(uid, over)).events if over else ()

    async def waiting(self, about: Entity, waiting: tuple[Episode, ...]) -> tuple[Episode, ...]:
        """These statements of a person that wait, without withdrawn words."""
        return self._hiding.shown(waiting, await self._hiding.withdrawn(about)) if waiting else waiting

    async def receipts(self, *, subject: str | Entity = "", limit: int = 50) -> tuple[Receipt, ...]:
        """Receipts of what was shown about a subject, newest first."""
        about = await self._subjects.resolve(subject)
        return await self._store.receipts(self._subjects.space, about.uid, limit=limit)

    @property
    def relations(self) -> tuple[str, ...]:
        """All relations that are read: those of the schema, then retired ones."""
        return (*self._schema.relations, *self._subjects.retired)

    async def _facts(
        self, about: Entity, relations: Sequence[str], as_of: Instant | None
    ) -> tuple[Sequence[Fact], Mapping[str, str], tuple[Episode, ...]]:
        # What is recorded was recorded by now, though a clock that jumped dates it later.
        now = self._clock.now()
        if as_of is None or as_of >= now:
            found = await self._store.neighbourhood(about, relations)
            return found.facts, found.failed, found.pending
        # Its date is unknown, so that no instant in the past hides it.
        events = [
            event
            for event in await self._store.events(about.uid)
            if event.recorded_at <= as_of or event.recorded_at > now
        ]
        unended = {
            edge: why for edge, why in (await self._store.neighbourhood(about, ())).failed.items() if why == ARRIVING
        }
        return fold_all(events, scale=self._schema.severity.grades), unended, ()


def is_listed(fact: Fact) -> bool:
    """Whether a list shows the fact by default."""
    return fact.status is not Status.ENTERED_IN_ERROR or fact.contradicted


def _status(name: str) -> Status:
    try:
        return Status(name)
    except ValueError:
        raise UnknownName("status", name, [status.value for status in Status]) from None
