"""The simplest store there is: the oracle that every other one is held against.

Keeps everything in this process's memory and forgets it with it. Has no query language: no audits, no own traversals.
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import replace

from r_memory.domain.blocks import Receipt
from r_memory.domain.codec import encoded
from r_memory.domain.erasure import Erasure, is_trace
from r_memory.domain.events import OPEN, UNREAD, Arrival, Batch, Chain, ChainHead, Episode, FactEvent
from r_memory.domain.facts import KNOWLEDGE_SPACE, REGISTER_TYPE, Entity, Fact, entity_of_key
from r_memory.domain.folding import fold_all
from r_memory.domain.holdings import counted, written
from r_memory.domain.identity import identity_key, is_called
from r_memory.domain.knowledge import Knowledge
from r_memory.domain.log import IMPORT, NOTES, UNENDED, CoveredRecord, Entry, Log, LogHead, Problem, leaf, weight
from r_memory.domain.schema import Relation, Schema
from r_memory.domain.storable import check_batch, check_facts, check_pack, check_values
from r_memory.errors import (
    ARRIVING,
    KNOWN_ENTRY,
    AlreadyDecided,
    InvalidInput,
    LedgerBroken,
    SubjectUnknown,
    WriteConflict,
)
from r_memory.protocols import (
    Arriving,
    Inspection,
    Neighbourhood,
    Roll,
    SoCalled,
    SpaceInspection,
    StoreHealth,
    Traversal,
)
from r_memory.testing.dict_stream import DictConversations, DictStream, matching


class DictLog:
    """Logs by name; what a value replaces is known by its key."""

    def __init__(self) -> None:
        self._entries: dict[str, list[Entry]] = {}
        self._standing: dict[str, dict[tuple[str, Hashable], Entry]] = {}
        """Log to kind and key to the entry that stands for it."""

    def enter(self, name: str, kind: str, key: Hashable, value: object) -> None:
        """Enters a value; the one of this key that stood before is ended."""
        standing = self._standing.setdefault(name, {})
        self._add(name, leaf(kind, {"value": encoded(value)}), [standing.pop((kind, key), None)])
        standing[kind, key] = self._entries[name][-1]

    def end(self, name: str, kind: str, keys: Iterable[Hashable]) -> None:
        """Enters that values are gone."""
        gone = [self._standing.get(name, {}).pop((kind, key), None) for key in keys]
        if any(gone):
            self._add(name, leaf("removed", {}), gone)

    def inherit(self, name: str, heir: str) -> None:
        """Gives a log another name; whatever stands in it is ended by the next entry."""
        self._entries[heir] = self._entries.pop(name, [])
        self._standing[heir] = self._standing.pop(name, {})
        for kind in {kind for kind, _ in self._standing[heir]}:
            self.end(heir, kind, [key for known, key in self._standing[heir] if known == kind])

    def log(self, name: str) -> Log:
        """A log, whole by construction."""
        entries = tuple(self._entries.get(name, ()))
        return Log(
            head=LogHead(id=name, size=len(entries), sum=weight(entry.leaf for entry in entries)),
            entries=entries,
            records=tuple(
                CoveredRecord(where=f"{kind} {key}", seq=entry.seq, kind=kind, leaf=entry.leaf)
                for (kind, key), entry in self._standing.get(name, {}).items()
                if kind not in NOTES
            ),
        )

    def _add(self, name: str, leaf_: str, ended: Iterable[Entry | None]) -> None:
        entries = self._entries.setdefault(name, [])
        ends = tuple(entry.seq for entry in ended if entry is not None)
        entries.append(Entry(seq=len(entries) + 1, leaf=leaf_, ends=ends))


SHORTEST_FACT_ID = 8
_SETTLING = ("status", "review", "disputed", "attempts", "language", "settled_by", "settled_because", "settled_at")


class DictStore:
    """A `Store` in a few dictionaries."""

    def __init__(self) -> None:
        self._entities: dict[str, Entity] = {}
        self._heads: dict[str, ChainHead] = {}
        """By subject, once there is an event."""
        self._episodes: dict[tuple[str, str], Episode] = {}
        """By space and id, in the order in which they came."""
        self._events: list[FactEvent] = []
        self._state: dict[str, dict[str, Fact]] = {}
        """Subject to fact id to fact."""
        self._receipts: dict[tuple[str, str], Receipt] = {}
        self._importing: dict[str, str] = {}
        """Space to the file of an import that has not ended."""
        self._arriving: dict[str, Arrival] = {}
        """Subject to what it is to bring."""
        self._schema_version = ""
        self._grades: tuple[str, ...] = ()
        self._relations: set[str] = set()
        """Of every schema so far."""
        self._pack = ("", "")
        self.log = DictLog()
        """What was recorded, as `verify` looks at it."""
        self.stream = DictStream()
        """The conversational memory."""
        self.conversations = DictConversations(self.stream)
        """Its summaries, decisions and documents."""

    async def prepare(self, schema: Schema) -> tuple[str, ...]:
        self._schema_version, self._grades = schema.version, schema.severity.grades
        self._relations |= set(schema.relations)
        return tuple(sorted(self._relations - set(schema.relations)))

    async def load_knowledge(self, knowledge: Knowledge) -> None:
        check_pack(knowledge)
        if self._pack == (knowledge.name, knowledge.version):
            return
        in_use = {fact.object.uid for facts in self._state.values() for fact in facts.values()}
        kept = {
            uid: entity for uid, entity in self._entities.items() if uid in in_use or entity.space != KNOWLEDGE_SPACE
        }
        self._entities = {**kept, **knowledge.concepts}
        self._pack = (knowledge.name, knowledge.version)

    async def declare_subject(self, subject: Entity) -> None:
        if subject.space in self._importing and subject.uid not in self._entities:
            raise LedgerBroken(ARRIVING)
        self._declare(subject)

    def _declare(self, subject: Entity) -> None:
        check_values(subject)
        if self._entities.setdefault(subject.uid, subject) is subject:
            self.log.enter(subject.space, "subject", subject.uid, subject)

    async def subjects(
        self, space: str, type_: str, *, id_: str = "", called: str | Sequence[str] = "", limit: int = 1000
    ) -> tuple[Entity, ...]:
        words = [called] if isinstance(called, str) else called
        found = matching(self._entities.values(), space=space, type=type_, **({"id": id_} if id_ else {}))
        named = [entity for entity in found if not called or is_called(entity, *words)]
        return tuple(sorted(named, key=lambda entity: entity.id)[:limit])

    async def arriving(self, space: str) -> Arriving:
        ends = {uid: end for uid, end in self._arriving.items() if self._entities[uid].space == space}
        return Arriving(file=self._importing.get(space, ""), subjects=ends)

    async def begin_import(self, space: str, file: str) -> None:
        self._importing[space] = file

    async def await_import(self, subject: Entity, arriving: Arrival, *, after: ChainHead) -> None:
        self._declare(subject)
        if _end(self._declared(subject.uid)) != _end(after):
            raise WriteConflict("somebody recorded something about a subject of the file meanwhile; import it again")
        self._arriving[subject.uid] = arriving

    async def end_import_of(self, subject: Entity) -> None:
        self._arriving.pop(subject.uid, None)

    async def end_import(self, space: str) -> None:
        self._importing.pop(space, None)

    async def called_so(self, space: str, relation: Relation, words: Sequence[str]) -> tuple[tuple[Entity, Fact], ...]:
        """As in `Store`."""
        keys = set(map(identity_key, words))
        every = [fact for facts in self._state.values() for fact in facts.values() if fact.space == space]
        return tuple(
            (self._entities[fact.subject_uid], fact)
            for fact in every
            if fact.relation == relation.name and identity_key(fact.object.name) in keys
        )

    async def declared(self, space: str, type_: str, *, after: int) -> tuple[tuple[Entity, ...], int]:
        """As in `Store`; places are those of the space's log."""
        people = {item.uid: item for item in matching(self._entities.values(), space=space, type=type_)}
        known = {f"subject {uid}": person for uid, person in people.items()}
        places = [(record.seq, known[record.where]) for record in self.log.log(space).records if record.where in known]
        later = [(place, each) for place, each in places if place > after]
        return tuple(each for _, each in later), max([after, *(place for place, _ in later)])

    async def roll(self, space: str, type_: str, *, holding: str = "", start: int = 0, limit: int = 100) -> Roll:
        """As in `Store`."""
        open_ = Counter(episode.subject_uid for episode in self._episodes.values() if episode.status in OPEN)
        everyone = [
            (replace(item, aliases=(), codes={}), open_[item.uid])
            for item in matching(self._entities.values(), space=space, type=type_)
            if not is_trace(item) and any(holding in identity_key(word) for word in (item.id, item.name))
        ]
        everyone.sort(key=lambda one: (-one[1], one[0].id))
        waiting = sum(waits for _, waits in everyone)
        return Roll(people=tuple(everyone[start : start + limit]), number=len(everyone), waiting=waiting)

    async def lost(self, space: str) -> int:  # noqa: ARG002 - nobody reaches past it to what lies here
        return 0

    async def add_episode(
        self, episode: Episode, *, changed_seq: int | None = None, turns: int = 0
    ) -> tuple[Episode, ...]:
        check_values(episode)
        if changed_seq not in {None, self._declared(episode.subject_uid).changed_seq}:
            raise WriteConflict("a person changed something about this subject meanwhile; look again")
        stored = self._episodes.setdefault((episode.space, episode.id), episode)
        if stored is not episode:
            return (stored,)
        self.log.enter(episode.subject_uid, "statement", episode.id, episode)
        return await self.conversation(episode.space, episode.subject_uid, episode.conversation, limit=turns + 1)

    async def episode(self, space: str, id_: str) -> Episode | None:
        return self._episodes.get((space, id_))

    async def begin_reading(self, episode: Episode) -> Episode:
        key = (episode.space, episode.id)
        if key not in self._episodes:
            raise InvalidInput("the episode of a write is not stored; add it first")
        if self._episodes[key].was_decided_before(episode) or self._episodes[key].status not in UNREAD:
            raise AlreadyDecided
        begun = replace(episode, attempts=episode.attempts + 1)
        self._episodes[key] = replace(self._episodes[key], attempts=begun.attempts)
        self.log.enter(episode.subject_uid, "standing", episode.id, begun)
        return begun

    async def conversation(
        self, space: str, subject_uid: str, conversation: str, *, limit: int, until: str = ""
    ) -> tuple[Episode, ...]:
        said = matching(self._episodes.values(), space=space, subject_uid=subject_uid, conversation=conversation)
        end = next((place for place, item in enumerate(said, start=1) if item.id == until), len(said))
        return tuple(said[max(end - limit, 0) : end])

    async def episodes(self, space: str, subject_uid: str) -> tuple[Episode, ...]:
        found = matching(self._episodes.values(), space=space, subject_uid=subject_uid)
        return tuple(sorted(found, key=lambda episode: episode.conversation))

    async def episodes_holding(self, space: str, words: str, *, limit: int = 100) -> tuple[Episode, ...]:
        found = matching(self._episodes.values(), space=space)
        return _oldest_first(episode for episode in found if words in episode.text)[:limit]

    async def open_episodes(self, space: str, *, limit: int = 1000) -> tuple[Episode, ...]:
        found = matching(self._episodes.values(), space=space)
        return _oldest_first(episode for episode in found if episode.status in UNREAD)[:limit]

    async def chain(self, subject_uid: str, fact_ids: Sequence[str]) -> Chain:
        """As in `Store`; an empty chain for a subject that was not declared."""
        wanted = set(fact_ids)
        events = tuple(event for event in await self.events(subject_uid) if event.fact_id in wanted)
        return Chain(head=self._heads.get(subject_uid, ChainHead()), events=events)

    async def append(self, batch: Batch) -> None:
        check_batch(batch)
        head = self._declared(batch.subject.uid)
        if any((entry.space, entry.id) in self._episodes for entry in batch.entries):
            raise WriteConflict(KNOWN_ENTRY)
        episode = batch.episode
        if episode is not None and (episode.space, episode.id) not in self._episodes:
            raise InvalidInput("the episode of a write is not stored; add it first")
        recorded = {event.id: event.hash for event in self._events}
        if batch.events and all(recorded.get(event.id) == event.hash for event in batch.events):
            return
        if batch.events and self._arriving.get(batch.subject.uid, "") != batch.arriving:
            raise LedgerBroken(ARRIVING)
        if episode is not None and self._episodes[episode.space, episode.id].was_decided_before(episode):
            raise AlreadyDecided
        state = self._state.get(batch.subject.uid, {})
        unseen = any(name in state and state[name].last_seq > seq for name, seq in batch.seen.items())
        elsewhere = unseen or _end(head) != _end(batch.previous)
        if batch.events and (elsewhere or any(event.id in recorded for event in batch.events)):
            raise WriteConflict("another writer extended this subject's chain first; read it again and retry")
        self._write(batch)

    def _write(self, batch: Batch) -> None:
        for entry in batch.entries:
            self._episodes[entry.space, entry.id] = entry
            self.log.enter(batch.subject.uid, "statement", entry.id, entry)
            self.log.enter(batch.subject.uid, "standing", entry.id, entry)
        for entity in (*(event.object for event in batch.events), *(fact.object for fact in batch.facts)):
            self._keep(entity)
        self._events += batch.events
        for event in batch.events:
            self.log.enter(batch.subject.uid, "event", event.id, event)
        self._state.setdefault(batch.subject.uid, {}).update({fact.fact_id: fact for fact in batch.facts})
        if batch.events:
            self._heads[batch.subject.uid] = batch.head
        if batch.episode is not None:
            key = (batch.episode.space, batch.episode.id)
            known = self._episodes[key]
            settled = {name: getattr(batch.episode, name) for name in _SETTLING}
            kept = {name: settled[name] or getattr(known, name) for name in _SETTLING if name.startswith("settled")}
            self._episodes[key] = replace(known, **settled | kept)
            self.log.enter(batch.subject.uid, "standing", batch.episode.id, self._episodes[key])

    async def events(self, subject_uid: str) -> tuple[FactEvent, ...]:
        return self._by_sequence(matching(self._events, subject_uid=subject_uid))

    async def recorded_from(self, space: str, episode_id: str) -> tuple[FactEvent, ...]:
        if (space, episode_id) not in self._episodes:
            return ()
        return self._by_sequence(matching(self._events, space=space, episode_id=episode_id))

    async def history(self, space: str, fact_id: str) -> tuple[FactEvent, ...]:
        if len(fact_id) < SHORTEST_FACT_ID:
            raise InvalidInput(f"'{fact_id}' is too short for a fact; give at least {SHORTEST_FACT_ID} characters")
        found = [event for event in matching(self._events, space=space) if event.fact_id.startswith(fact_id)]
        ids = sorted({event.fact_id for event in found})
        if len(ids) > 1:
            raise InvalidInput(f"'{fact_id}' is short for {len(ids)} facts: {', '.join(ids)}; give more characters")
        return self._by_sequence(found)

    async def neighbourhood(
        self, subject: Entity, relations: Sequence[str], traversals: Sequence[Traversal] = ()
    ) -> Neighbourhood:
        """As in `Store`; every traversal is named in `failed`."""
        head = self._declared(subject.uid)
        facts = [fact for fact in self._facts(subject) if fact.relation in relations]
        about = matching(self._episodes.values(), subject_uid=subject.uid)
        failed = {traversal.path: "this store runs no Cypher" for traversal in traversals}
        if subject.uid in self._arriving:
            failed |= dict.fromkeys((*relations, "AWAITS"), ARRIVING)
        return Neighbourhood(
            facts=tuple(sorted(facts, key=lambda fact: (fact.last_seq, fact.fact_id))),
            pending=_oldest_first(episode for episode in about if episode.status in OPEN),
            failed=failed,
            watermark=head.seq,
        )

    async def surroundings(
        self, subject: Entity, relations: Sequence[str], *, called: Sequence[str], so_called: SoCalled | None = None
    ) -> tuple[tuple[Entity, ...], tuple[tuple[Entity, Fact], ...], Neighbourhood | None]:
        people = await self.subjects(subject.space, subject.type, called=called, limit=len(self._entities))
        near = await self.neighbourhood(subject, relations) if subject.uid in self._entities else None
        return people, await self.called_so(subject.space, *so_called) if so_called else (), near

    async def replace_state(self, subject: Entity, facts: Sequence[Fact]) -> None:
        check_facts(subject, facts)
        self._declared(subject.uid)
        for fact in facts:
            self._keep(fact.object)
        self._state[subject.uid] = {fact.fact_id: fact for fact in facts}
        if subject.uid in self._heads:
            held = written(counted(fact.place for fact in facts))
            self._heads[subject.uid] = replace(self._heads[subject.uid], held=held)

    async def lead_to_words(self, subjects: Sequence[Entity]) -> None:
        """Nothing: here events name their words and are tied by nothing else."""

    async def erase(self, erasure: Erasure) -> None:
        check_values(erasure)
        uid, trace = erasure.subject.uid, erasure.trace
        if _end(self._declared(uid)) != _end(erasure.previous):
            raise WriteConflict("somebody was told something about this subject meanwhile; look again")
        left = {(receipt.space, receipt.id): receipt for receipt in erasure.receipts}
        if {key for key, item in self._receipts.items() if item.subject_uid == uid} != left.keys():
            raise WriteConflict("something was shown about this subject meanwhile; look again")
        words = {fact.object.uid for fact in self._state.pop(uid, {}).values() if fact.object.space == trace.space}
        reached = {fact.object.uid for facts in self._state.values() for fact in facts.values()}
        gone = {uid, *(word for word in words - reached if self._entities[word].type != trace.type)}
        self._entities = {key: entity for key, entity in self._entities.items() if key not in gone} | {trace.uid: trace}
        self._heads.pop(uid, None)
        self._arriving.pop(uid, None)
        self._heads[trace.uid] = erasure.head
        self._events = [event for event in self._events if event.subject_uid != uid]
        self._events += (*erasure.blanks, erasure.closing)
        self._episodes = {key: episode for key, episode in self._episodes.items() if episode.subject_uid != uid}
        self._receipts |= left
        self.log.end(trace.space, "subject", [uid])
        self.log.enter(trace.space, "subject", trace.uid, trace)
        self.log.inherit(uid, trace.uid)
        for event in (*erasure.blanks, erasure.closing):
            self.log.enter(trace.uid, "event", event.id, event)
        for receipt in erasure.receipts:
            self.log.enter(trace.uid, "receipt", receipt.id, receipt)

    async def add_receipt(self, receipt: Receipt) -> None:
        check_values(receipt)
        self._declared(receipt.subject_uid)
        if self._receipts.setdefault((receipt.space, receipt.id), receipt) is receipt:
            self.log.enter(receipt.subject_uid, "receipt", receipt.id, receipt)

    async def receipt(self, space: str, id_: str) -> Receipt | None:
        return self._receipts.get((space, id_))

    async def receipts(self, space: str, subject_uid: str, *, limit: int = 50) -> tuple[Receipt, ...]:
        found = matching(self._receipts.values(), space=space, subject_uid=subject_uid)
        return tuple(sorted(found, key=lambda receipt: (receipt.shown_at, receipt.id), reverse=True)[:limit])

    async def inspect(self, subjects: Sequence[Entity]) -> tuple[Inspection, ...]:
        """As in `Store`; what lies here has no copies, so that only chain and state can differ."""
        return tuple([await self._inspected(subject) for subject in subjects])

    async def _inspected(self, subject: Entity) -> Inspection:
        events = await self.events(subject.uid)
        unended = [Problem(where=IMPORT, what=UNENDED)] if subject.uid in self._arriving else []
        return Inspection(
            problems=tuple(unended),
            subject=subject,
            log=self.log.log(subject.uid),
            head=self._heads.get(subject.uid, ChainHead()),
            events=events,
            expected=fold_all(events, scale=self._grades),
            facts=self._facts(subject),
        )

    async def inspect_space(self, space: str, type_: str) -> SpaceInspection:
        counts = {
            "event": len(matching(self._events, space=space)),
            "statement": len(matching(self._episodes.values(), space=space)),
            "receipt": len(matching(self._receipts.values(), space=space)),
        }
        known = matching(self._entities.values(), space=space)
        everybody = [item for item in known if item.type in {type_, REGISTER_TYPE}]
        unended = [Problem(where=IMPORT, what=UNENDED)] if space in self._importing else []
        return SpaceInspection(
            log=self.log.log(space), subjects=tuple(everybody), counts=counts, problems=tuple(unended)
        )

    async def inspect_knowledge(self, knowledge: Knowledge) -> tuple[Problem, ...]:  # noqa: ARG002 - it has no copy
        """As in `Store`; nobody reaches past it to what lies here."""
        return ()

    async def health(self) -> StoreHealth:
        return StoreHealth(
            name="dict",
            latency_ms=0.0,
            pending=sum(episode.status in OPEN for episode in self._episodes.values()),
            schema_version=self._schema_version,
            pack_version=self._pack[1],
        )

    async def close(self) -> None:
        """As in `Store`; what was stored stays readable."""

    def _declared(self, subject_uid: str) -> ChainHead:
        if subject_uid not in self._entities:
            raise SubjectUnknown("the subject was never declared in this space; declare it first")
        return self._heads.get(subject_uid, ChainHead())

    def _by_sequence(self, events: Iterable[FactEvent]) -> tuple[FactEvent, ...]:
        """Objects as they are named now: a newer pack may name them better."""
        ordered = sorted(events, key=lambda event: event.seq)
        return tuple(replace(event, object=self._entity(event.object.uid)) for event in ordered)

    def _facts(self, subject: Entity) -> tuple[Fact, ...]:
        held = self._state.get(subject.uid, {}).values()
        return tuple(replace(fact, object=self._entity(fact.object.uid)) for fact in held)

    def _keep(self, entity: Entity) -> None:
        """Keeps a new node; one that is there keeps its names, and is what the newest words for it say."""
        known = self._entities.setdefault(entity.uid, entity)
        if entity.is_said and entity.is_a != known.is_a:
            self._entities[entity.uid] = replace(known, is_a=entity.is_a)

    def _entity(self, uid: str) -> Entity:
        """The node, or what its key alone says if a newer pack dropped it."""
        return self._entities.get(uid) or entity_of_key(uid)


def _end(head: ChainHead) -> tuple[int, str]:
    return head.seq, head.hash


def _oldest_first(episodes: Iterable[Episode]) -> tuple[Episode, ...]:
    return tuple(sorted(episodes, key=lambda episode: (episode.recorded_at, episode.id)))
