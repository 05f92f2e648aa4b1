"""The store over Cypher: one set of queries for Neo4j and for the embedded ArcadeDB.

It knows the queries and the transaction of each operation of `Store` and `Auditor`. It does not know where the database
is (`bolt.py`), how values become properties (`rows.py`), or what a query says (`cypher/`).
"""

import asyncio
import secrets
import time
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from typing import Any

from r_memory.domain.blocks import Receipt
from r_memory.domain.erasure import Erasure, is_trace
from r_memory.domain.events import OPEN, UNREAD, Arrival, Batch, Chain, ChainHead, Episode, FactEvent
from r_memory.domain.facts import Entity, Fact, entity_uid
from r_memory.domain.holdings import counted, written
from r_memory.domain.identity import identity_key
from r_memory.domain.memories import conversation_uid
from r_memory.domain.schema import Relation
from r_memory.domain.storable import check_batch, check_facts, check_values
from r_memory.errors import (
    ARRIVING,
    KNOWN_ENTRY,
    AlreadyDecided,
    InvalidInput,
    LedgerBroken,
    StoreError,
    StoreUnavailable,
    SubjectUnknown,
    WriteConflict,
)
from r_memory.protocols import Arriving, Neighbourhood, Roll, SoCalled, StoreHealth, Table, Traversal
from r_memory.store import awaited, entries
from r_memory.store.bolt import SETUP_LIMIT_S, Bolt
from r_memory.store.bolt_wire import Row
from r_memory.store.cypher_conversations import CypherConversations
from r_memory.store.cypher_stream import CypherStream
from r_memory.store.erasing import erase
from r_memory.store.gate import check_read_only
from r_memory.store.inspecting import CypherInspector
from r_memory.store.library import Graph, Library, Run
from r_memory.store.neighbours import AWAITS, PartialNeighbourhood
from r_memory.store.packs import PackLoader
from r_memory.store.preparing import Preparer
from r_memory.store.properties import Properties, every_properties_in, number_of, properties_in, whole_in
from r_memory.store.queries import Query, is_type_name, parse_query
from r_memory.store.roster import NamelessWords, Rosters
from r_memory.store.rows import (
    ENTITY,
    EPISODE,
    EVENT,
    HEAD,
    RECEIPT,
    event_of,
    fact_of,
    fact_properties,
    forget_facts,
    head_of,
    of_conversation,
    person_of,
)

SHORTEST_FACT_ID = 8
_OPEN = sorted(status.value for status in OPEN)
_UNREAD = sorted(status.value for status in UNREAD)
_REBUILD_LIMIT_S = 60.0
_LOOKS = 3
"""Maximum number of reads of a neighbourhood whose counts do not match: a concurrent write has ended by then."""

_TWICE = "the subject is there twice, since a key of the database was dropped; run `r-memory doctor`"

_parsed = lru_cache(maxsize=64)(parse_query)
"""Parsed traversals of action types, which are files of the installation."""

Group = tuple[str, tuple[str, ...], list[dict[str, Any]]]
"""Facts that one query can write: their relation, the labels of their objects, and one row for each fact."""


class CypherStore:
    """A `Store` and an `Auditor` on one database."""

    def __init__(self, bolt: Bolt, library: Library) -> None:
        self._bolt = bolt
        self._graph = graph = Graph(bolt, library)
        self._greeted = False
        self._preparer = Preparer(graph)
        self._awaited = awaited.Awaited(graph)
        self._packs = PackLoader(graph, self._preparer)
        self._rosters = Rosters(graph, _OPEN)
        self._nameless = NamelessWords()
        inspector = CypherInspector(graph, self._preparer)
        self.prepare = self._preparer.prepare
        self.is_prepared = self._preparer.is_prepared
        self.load_knowledge = self._packs.load
        self.inspect = inspector.inspect
        self.inspect_space = inspector.inspect_space
        self.inspect_knowledge = self._packs.inspect
        self.close = bolt.close
        self.stream = CypherStream(graph)
        """The conversational memory in the same database; it shares `prepare` and `close` with the store."""
        self.conversations = CypherConversations(graph)
        """Summaries, decisions and documents in the same database."""

    async def declare_subject(self, subject: Entity) -> None:
        if not await self._declare(subject, "") and not await self._is_there(subject):
            raise LedgerBroken(ARRIVING)

    async def _is_there(self, subject: Entity) -> bool:
        return bool(await self._graph.read("read/subject", uid=subject.uid, space=subject.space))

    async def _declare(self, subject: Entity, arriving: Arrival) -> bool:
        """Whether the subject was created by this call, with what an import brings about it."""
        check_values(subject)
        # A trace has no label of its type, so that queries that count patients leave it out.
        query = (
            self._graph.library["write/declare_trace"]
            if is_trace(subject)
            else self._graph.library["write/declare_subject"].with_labels("KIND", self._preparer.labels(subject.type))
        )
        declared, leaf = entries.logged("subject", {**ENTITY.properties(subject), "log_id": secrets.token_hex(16)})
        beside = {"held": "", "awaiting": 0, "log_size": 0, "log_sum": 0}
        made = await self._graph.write(
            query,
            uid=subject.uid,
            space=subject.space,
            properties={**declared, **beside, **({"arriving": arriving} if arriving else {})},
            importing=bool(arriving),
            **entries.in_space(subject.space, leaf),
        )
        return bool(made)

    async def arriving(self, space: str) -> Arriving:
        [row] = await self._graph.read("read/arriving", space=space)
        return Arriving(file="".join(row["file"]), subjects={str(uid): str(end) for uid, end in row["subjects"]})

    async def begin_import(self, space: str, file: str) -> None:
        await self._graph.write("write/begin_import", space=space, file=file)

    async def await_import(self, subject: Entity, arriving: Arrival, *, after: ChainHead) -> None:
        await self._declare(subject, arriving)
        [row] = await self._graph.write(
            "write/await_import",
            uid=subject.uid,
            space=subject.space,
            arriving=arriving,
            seq=after.seq,
            hash=after.hash,
        )
        if row["awaited"] != 1:
            raise WriteConflict("somebody recorded something about a subject of the file meanwhile; import it again")

    async def end_import_of(self, subject: Entity) -> None:
        await self._graph.write("write/end_import_of", uid=subject.uid, space=subject.space)

    async def end_import(self, space: str) -> None:
        await self._graph.write("write/end_import", space=space)

    async def subjects(
        self, space: str, type_: str, *, id_: str = "", called: str | Sequence[str] = "", limit: int = 1000
    ) -> tuple[Entity, ...]:
        keys = tuple(map(identity_key, [called] if isinstance(called, str) else called)) if called else ()
        if id_:
            uid = entity_uid(space, type_, id_)
            found = await self._graph.values("read/subject", "entity", person_of, uid=uid, space=space)
            if not found:
                keys_of_it = {"uid": uid, "first": f"{uid}#1", "talk": conversation_uid(space, uid, "")}
                reads_like = {"space": space, "type": type_, "id": id_, "key": identity_key(id_)}
                await self._check_nothing_is_left("read/left_of_subject", **keys_of_it, **reads_like)
        elif keys:
            read = partial(self._graph.read, "read/subjects_called", space=space, type=type_)
            rows = await self._nameless.rows(space, type_, keys, lambda some: read(keys=some), _keys_of)
            found = tuple(person_of(item) for item in _people_in(rows))
        else:
            rows = await self._graph.read("read/subjects", space=space, type=type_)
            found = tuple(ENTITY.value(item) for row in rows for item in every_properties_in(row, "entities"))
        if not (found or id_ or await self._graph.read("read/anybody", space=space, type=type_)):
            await self._check_nothing_is_left("read/left_of_space", space=space, log=entries.space_log(space))
        return _each_once(entity for entity in found if not keys or _reads_like(entity, keys))[:limit]

    async def called_so(self, space: str, relation: Relation, words: Sequence[str]) -> tuple[tuple[Entity, Fact], ...]:
        """As in `Store`."""
        query = self._graph.library["read/called_so"].with_types("FACT", (relation.name,))
        keys = tuple(dict.fromkeys(map(identity_key, words)))
        rows = [
            row
            for type_ in relation.objects
            for row in await self._graph.read(query, space=space, type=type_, keys=keys)
        ]
        return tuple((person_of(properties_in(row, "subject")), fact_of(row)) for row in rows)

    async def declared(self, space: str, type_: str, *, after: int) -> tuple[tuple[Entity, ...], int]:
        [row] = await self._graph.read("read/declared", space=space, type=type_, after=after)
        people = tuple(Entity(space=space, type=type_, id=str(id_), name=str(name)) for id_, name, _ in row["people"])
        return people, max([after, *(number_of(place) for _, _, place in row["people"])])

    async def roll(self, space: str, type_: str, *, holding: str = "", start: int = 0, limit: int = 100) -> Roll:
        return await self._rosters.roll(space, type_, holding=holding, start=start, limit=limit)

    async def lost(self, space: str) -> int:
        prefix, lost = entity_uid(space, "", "")[:-1], 0
        for _ in range(_LOOKS):
            [row] = await self._graph.read("read/lost", space=space, log=entries.space_log(space), prefix=prefix)
            lost = max(whole_in(row, "declared") - whole_in(row, "there"), 0)
            if not lost:
                break
        return lost

    async def _check_nothing_is_left(self, query: str, **about: Any) -> None:  # noqa: ANN401 - as `read` takes them
        """Checks that no record of the subject exists: a lost subject must not be taken for an unknown one.

        Raises:
            LedgerBroken: records of this subject exist but the subject node is gone, or the database was emptied.
        """
        left = {row["left"] for row in await self._graph.read(query, **about)}
        if "schema" in left and self._preparer.schema_name:
            raise LedgerBroken(
                "what this server found in the database when it started is gone: it was emptied, damaged or exchanged; "
                "restore it from a backup, or start the server again if it was meant to be emptied"
            )
        if left - {"schema"}:
            raise LedgerBroken(
                "something was recorded about somebody who is not there any more: the database is damaged; "
                "restore it from a backup, and see what `r-memory verify` says"
            )

    async def add_episode(
        self, episode: Episode, *, changed_seq: int | None = None, turns: int = 0
    ) -> tuple[Episode, ...]:
        check_values(episode)
        known_seq = -1 if changed_seq is None else changed_seq
        async with self._graph.alone(episode.subject_uid):
            added = await self._graph.write("write/add_episode", **_adding(episode), changed_seq=known_seq, turns=turns)
        if not added:
            return (await self._known(episode, changed_seq),)
        before = (row for row in added if row["turn"] is not None and row["place"] != row["seq"])
        return (*(EPISODE.value(properties_in(row, "turn")) for row in before), episode)

    async def _known(self, episode: Episode, changed_seq: int | None) -> Episode:
        if changed_seq not in {None, (await self.chain(episode.subject_uid, ())).head.changed_seq}:
            raise WriteConflict("a person changed something about this subject meanwhile; look again")
        stored = await self.episode(episode.space, episode.id)
        if stored is None:
            raise _unknown_subject()
        return stored

    async def episode(self, space: str, id_: str) -> Episode | None:
        return next(iter(await self._episodes("read/episode", space=space, id=id_)), None)

    async def begin_reading(self, episode: Episode) -> Episode:
        check_values(episode)
        begun = replace(episode, attempts=episode.attempts + 1)
        async with self._graph.alone(episode.subject_uid):
            await self._settle(begun, stands=_UNREAD)
        return begun

    async def conversation(
        self, space: str, subject_uid: str, conversation: str, *, limit: int, until: str = ""
    ) -> tuple[Episode, ...]:
        uid = conversation_uid(space, subject_uid, conversation)
        about = {"subject_uid": subject_uid, "space": space, "limit": limit, "until": until}
        return await self._episodes("read/conversation", conversation=conversation, conversation_uid=uid, **about)

    async def episodes(self, space: str, subject_uid: str) -> tuple[Episode, ...]:
        return await self._episodes("read/episodes", subject_uid=subject_uid, space=space)

    async def episodes_holding(self, space: str, words: str, *, limit: int = 100) -> tuple[Episode, ...]:
        return await self._episodes("read/holding", space=space, words=words, limit=limit)

    async def open_episodes(self, space: str, *, limit: int = 1000) -> tuple[Episode, ...]:
        return await self._episodes("read/open_episodes", space=space, statuses=_UNREAD, limit=limit)

    async def _episodes(self, query: str, **parameters: object) -> tuple[Episode, ...]:
        return await self._graph.values(query, "episode", EPISODE.value, **parameters)

    async def chain(self, subject_uid: str, fact_ids: Sequence[str]) -> Chain:
        """As in `Store`; an empty chain for a subject that was not declared."""
        wanted = sorted(set(fact_ids)) or [""]
        rows = await self._graph.read("read/chain", subject_uid=subject_uid, fact_ids=wanted)
        if not rows:
            return Chain(head=ChainHead(), events=())
        head = head_of(properties_in(rows[0], "head"))
        return Chain(head=head, events=_events(row for row in rows if row["event"] is not None))

    async def append(self, batch: Batch) -> None:
        check_batch(batch)
        async with self._graph.alone(batch.subject.uid):
            if batch.entries:
                await self._graph.together(partial(self._with_entries, batch))
                return
            if not batch.events:
                if batch.episode is not None:
                    await self._settle(batch.episode)
                return
            stored = await self._continued(batch)
        if set(stored or await self._recorded(batch)) != {event.hash for event in batch.events}:
            raise WriteConflict("another writer extended this subject's chain first; read it again and retry")

    async def _with_entries(self, batch: Batch, run: Run) -> None:
        """Stores the entries of a record and their facts; raises if either is refused, so that nothing is stored."""
        conversations = defaultdict[str, list[Episode]](list)
        for entry in batch.entries:
            conversations[entry.conversation].append(entry)
        for said in conversations.values():
            [added] = await run("write/add_entries", **_adding_all(said)) or [{"stored": 0}]
            if added["stored"] != len(said):
                if not await run("read/subject", uid=batch.subject.uid, space=batch.subject.space):
                    raise _unknown_subject()
                raise WriteConflict(KNOWN_ENTRY)
        if batch.events and len(await self._continued(batch, run)) != len(batch.events):
            raise WriteConflict("another writer extended this subject's chain first; read it again and retry")

    async def _settle(self, episode: Episode, stands: Sequence[str] = ()) -> None:
        settled = await self._graph.write("write/settle_episode", **_settling(episode), stands=list(stands))
        if settled[0]["settled"] == 1:
            return
        if not await self._graph.read("read/subject", uid=episode.subject_uid, space=episode.space):
            raise _unknown_subject()
        await self._check_undecided(episode)
        raise AlreadyDecided if stands else _unknown_episode()

    async def _check_undecided(self, episode: Episode) -> None:
        """Checks that an episode is stored, and that no person settled it differently.

        Raises:
            InvalidInput: the episode is not stored.
            AlreadyDecided: a person settled it differently.
        """
        stored = await self.episode(episode.space, episode.id)
        if stored is None:
            raise _unknown_episode()
        if stored.was_decided_before(episode):
            raise AlreadyDecided

    async def _continued(self, batch: Batch, within: Run | None = None) -> list[str]:
        """Hashes of the events that the ledger holds after the write; empty if the chain has another end.

        One query writes the facts of one relation, the usual case; further queries write the others. They run `within`
        a transaction if one is given.
        """
        events, leaves = zip(*(entries.logged("event", EVENT.properties(event)) for event in batch.events), strict=True)
        chain = _about(batch.subject) | {
            "previous_seq": batch.previous.seq,
            "previous_hash": batch.previous.hash,
            "head": HEAD.properties(batch.head),
            "events": [{"place": place, "event": event} for place, event in enumerate(events, start=1)],
            "entries": entries.rows(leaves),
            "arriving": batch.arriving,
        }
        alone = within or self._graph.write
        if not batch.facts:
            return _hashes(await alone("write/extend", **chain, **entries.added(leaves)))
        settled, standing = ({}, "") if batch.episode is None else entries.settling(batch.episode)
        first, *others = self._groups(batch.facts)
        relations = sorted({fact.relation for fact in batch.facts})
        query, names = await self._composed("write/append", first)
        if names:
            query = query.with_given("KNOWN", "$any($known)")
            names["known"] = relations
        else:
            query = query.with_types("KNOWN", relations)
        chain |= names | {
            "episode_id": "" if batch.episode is None else batch.episode.id,
            "settled": settled,
            **_decided(batch.episode),
            "standing": standing,
            "previous_held": batch.previous.held,
            "seen": batch.seen,
            **entries.added([*leaves, standing] if standing else leaves),
            "awaits": [] if batch.episode is None else _awaits(batch.episode),
            "rows": first[2],
        }
        ties = _ties(batch.facts)
        if not (others or ties):
            return _hashes(await alone(query, **chain))

        async def work(run: Run) -> list[str]:
            stored = _hashes(await run(query, **chain))
            for group in others if stored else ():
                await self._set_facts(run, batch.subject, group)
            if stored and ties:
                await run("write/tie_things", rows=ties)
            return stored

        return await (self._graph.together(work) if within is None else work(within))

    async def _recorded(self, batch: Batch) -> list[str]:
        """Hashes of events that an earlier attempt stored, whose answer was lost."""
        space = batch.subject.space
        there = await self._graph.read("read/subject", uid=batch.subject.uid, space=space)
        if not there:
            raise _unknown_subject()
        if properties_in(there[0], "entity").get("arriving", "") != batch.arriving:
            raise LedgerBroken(ARRIVING)
        recorded = await self._graph.read("read/recorded", space=space, ids=[event.id for event in batch.events])
        if batch.episode is not None and not recorded:
            await self._check_undecided(batch.episode)
        return [row["hash"] for row in recorded]

    def _groups(self, facts: Iterable[Fact]) -> list[Group]:
        """The facts in groups that one query can write: of one relation, with objects of the same labels, each object
        once.

        A query that creates an object for one fact does not find it for the next.
        """
        groups: dict[tuple[str, tuple[str, ...], int], list[dict[str, Any]]] = defaultdict(list)
        seen: Counter[tuple[str, str]] = Counter()
        for fact in facts:
            row = {"object": ENTITY.properties(fact.object), "fact": fact_properties(fact)}
            times = seen[fact.relation, fact.object.uid]
            groups[fact.relation, self._preparer.labels(fact.object.type), times].append(row)
            seen[fact.relation, fact.object.uid] += 1
        return [(relation, labels, groups[relation, labels, times]) for relation, labels, times in sorted(groups)]

    async def _composed(self, query: str, group: Group) -> tuple[Query, dict[str, object]]:
        """The query for a group, and the parameters for a database that takes names as values."""
        text, (relation, labels, _) = self._graph.library[query], group
        named = text.with_types("FACT", (relation,)).with_labels("KIND", labels)  # refuses what can be no name
        if await self._bolt.engine() == "arcadedb":
            return named, {}
        given = text.with_given("FACT", "$($relation)").with_given("KIND", "$($labels)")
        return given, {"relation": relation, "labels": labels}

    async def _set_facts(self, run: Run, subject: Entity, group: Group) -> None:
        query, names = await self._composed("write/set_facts", group)
        set_ = await run(query, **names, **_about(subject), rows=group[2])
        if set_[0]["written"] != len(group[2]):
            raise _unknown_subject()

    async def events(self, subject_uid: str) -> tuple[FactEvent, ...]:
        return _events(await self._graph.read("read/events", subject_uid=subject_uid))

    async def recorded_from(self, space: str, episode_id: str) -> tuple[FactEvent, ...]:
        return _events(await self._graph.read("read/recorded_from", space=space, episode_id=episode_id))

    async def history(self, space: str, fact_id: str) -> tuple[FactEvent, ...]:
        if len(fact_id) < SHORTEST_FACT_ID:
            raise InvalidInput(f"'{fact_id}' is too short for a fact; give at least {SHORTEST_FACT_ID} characters")
        events = _events(await self._graph.read("read/history", space=space, fact_id=fact_id))
        return events or await self._history_of_short(space, fact_id)

    async def _history_of_short(self, space: str, start: str) -> tuple[FactEvent, ...]:
        rows = await self._graph.read("read/fact_ids", start=start)
        ids = [str(row["fact_id"]) for row in rows if row["space"] == space]
        if len(ids) > 1:
            raise InvalidInput(f"'{start}' is short for {len(ids)} facts: {', '.join(ids)}; give more characters")
        return _events(await self._graph.read("read/history", space=space, fact_id=ids[0])) if ids else ()

    async def neighbourhood(
        self, subject: Entity, relations: Sequence[str], traversals: Sequence[Traversal] = ()
    ) -> Neighbourhood:
        query, wanted = self._facts_along(relations)
        found = await self._along(query, subject, wanted)
        if not found.known:
            raise _unknown_subject()
        found.failed = {**found.lacking(wanted), **found.failed}
        found.failed.update(dict.fromkeys(set(relations).difference(wanted), "no relation can have this name"))
        await asyncio.gather(*(self._follow(traversal, subject, found) for traversal in traversals))
        return found.whole(query.text)

    async def surroundings(
        self, subject: Entity, relations: Sequence[str], *, called: Sequence[str], so_called: SoCalled | None = None
    ) -> tuple[tuple[Entity, ...], tuple[tuple[Entity, Fact], ...], Neighbourhood | None]:
        query, wanted = self._facts_along(relations, so_called)
        words = tuple(map(identity_key, called))
        look = partial(self._ask, query, subject, so_called=so_called)
        rows = await self._nameless.rows(subject.space, subject.type, words, look, _keys_of)
        own = _rows_of_subject(rows)
        found = PartialNeighbourhood()
        found.add(own, subject)
        await self._awaited.add_to(found, subject)
        found.failed |= {AWAITS: _TWICE} if len(own) > 1 else {}
        people = [person_of(item) for item in _people_in(rows)]
        aliased = tuple((person_of(properties_in(row, "subject")), fact_of(row)) for row in _aliases_in(rows))
        whole = found.known and not (found.failed or found.lacking(wanted) or {*relations}.difference(wanted))
        near = found.whole(query.text) if whole else None
        return _each_once(person for person in people if _reads_like(person, words)), aliased, near

    async def _along(self, query: Query, subject: Entity, relations: Sequence[str]) -> PartialNeighbourhood:
        """The neighbourhood along the relations.

        It is read again if its counts do not match, because of a concurrent write.
        """
        found, waiting = PartialNeighbourhood(), None
        for _ in range(_LOOKS):
            try:
                found = PartialNeighbourhood()
                rows = _rows_of_subject(await self._ask(query, subject))
                found.add(rows, subject)
                waiting = await self._awaited.add_to(found, subject, waiting)
                if len(rows) > 1:
                    found.failed = dict.fromkeys((*relations, AWAITS), _TWICE)
                    return found
            except StoreUnavailable:
                raise
            except StoreError:
                return await self._one_by_one(subject, relations)
            if not found.lacking(relations):
                break
        return found

    async def _one_by_one(self, subject: Entity, relations: Sequence[str]) -> PartialNeighbourhood:
        """The neighbourhood read relation by relation, so that one failure does not affect the others."""
        found = PartialNeighbourhood()
        found.add(_rows_of_subject(await self._ask(self._facts_along(())[0], subject)), subject)
        for relation in relations:
            try:
                found.add(_rows_of_subject(await self._ask(self._facts_along((relation,))[0], subject)), subject)
            except StoreUnavailable:
                raise
            except StoreError as error:
                found.failed[relation] = str(error)
        await self._awaited.add_to(found, subject)
        return found

    async def _follow(self, traversal: Traversal, subject: Entity, found: PartialNeighbourhood) -> None:
        try:
            rows = await self._ask(_parsed(traversal.path, traversal.text), subject)
        except StoreError as error:
            found.failed[traversal.path] = str(error)
        else:
            found.add(rows, subject, source=traversal.path)

    def _facts_along(self, relations: Sequence[str], so_called: SoCalled | None = None) -> tuple[Query, Sequence[str]]:
        """The query for the relations, and those of them that it covers."""
        wanted = tuple(name for name in dict.fromkeys(relations) if is_type_name(name))
        query = self._graph.library["recall/facts"].with_types("FACT", wanted or (AWAITS,))
        return query.with_types("ALIAS", (so_called[0].name if so_called else AWAITS,)), wanted

    async def _ask(
        self, query: Query, subject: Entity, words: Sequence[str] = (), so_called: SoCalled | None = None
    ) -> list[Row]:
        about = {**_about(subject), "type": subject.type, "words": words, "most": awaited.MOST}
        naming, called = so_called or (None, ())
        aliases = tuple(dict.fromkeys(map(identity_key, called)))
        return await self._graph.read(query, **about, aliases=aliases, alias_types=naming.objects if naming else ())

    async def replace_state(self, subject: Entity, facts: Sequence[Fact]) -> None:
        """As in `Store`; the links to open episodes are recreated too."""
        check_facts(subject, facts)
        about = _about(subject)
        held = written(counted(fact.place for fact in facts))

        async def work(run: Run) -> None:
            if not await run("read/subject", uid=subject.uid, space=subject.space):
                raise _unknown_subject()
            await run("write/clear_state", **about)
            await run("write/clear_awaited", **about, held=held)
            await run("write/await_open_episodes", **about, statuses=_OPEN, awaits={"space": subject.space})
            await run("write/lead_to_words", uids=[subject.uid])
            for group in self._groups(facts):
                await self._set_facts(run, subject, group)
            await run("write/untie_things", rows=_ties(facts, all_=True))
            await run("write/tie_things", rows=_ties(facts))

        await self._graph.together(work, limit_s=_REBUILD_LIMIT_S)

    async def lead_to_words(self, subjects: Sequence[Entity]) -> None:
        uids = [subject.uid for subject in subjects]
        await self._graph.write("write/lead_to_words", uids=uids, limit_s=_REBUILD_LIMIT_S)

    async def erase(self, erasure: Erasure) -> None:
        check_values(erasure)
        self._awaited.forget(erasure.subject.uid)
        await erase(self._graph, erasure)
        forget_facts(erasure.subject.uid)

    async def add_receipt(self, receipt: Receipt) -> None:
        check_values(receipt)
        properties, leaf = entries.logged("receipt", RECEIPT.properties(receipt))
        about: dict[str, Any] = {"subject_uid": receipt.subject_uid, "space": receipt.space, "id": receipt.id}
        async with self._graph.alone(receipt.subject_uid):
            rows = await self._graph.write(
                "write/add_receipt", **about, properties=properties, leaf=leaf, **entries.added([leaf])
            )
        if rows[0]["subjects"] != 1:
            raise _unknown_subject()

    async def receipt(self, space: str, id_: str) -> Receipt | None:
        return next(iter(await self._graph.values("read/receipt", "receipt", RECEIPT.value, space=space, id=id_)), None)

    async def receipts(self, space: str, subject_uid: str, *, limit: int = 50) -> tuple[Receipt, ...]:
        about = {"space": space, "subject_uid": subject_uid, "limit": limit}
        return await self._graph.values("read/receipts", "receipt", RECEIPT.value, **about)

    async def health(self) -> StoreHealth:
        name = _product(await self._bolt.agent())
        started = time.perf_counter()
        # At the first contact a cold database plans and loads: 11 to 14 s were measured. A frozen one fails before.
        limit_s = None if self._greeted else SETUP_LIMIT_S
        [row] = await self._graph.read("read/health", statuses=_OPEN, limit_s=limit_s)
        self._greeted = True
        latency_ms = (time.perf_counter() - started) * 1000
        lost, others = await self._preparer.strange_keys()
        return StoreHealth(
            name=name,
            latency_ms=latency_ms,
            pending=row["pending"] if isinstance(row["pending"], int) else 0,
            schema_version=_version_of(self._preparer.schema_name, row["schemas"]),
            pack_version=_version_of(self._packs.name, row["packs"]),
            lost_keys=tuple(map(str, lost)),
            foreign_keys=tuple(map(str, others)),
        )

    async def read(self, query: str, *, space: str, limit: int = 200) -> Table:
        """As in `Auditor`; the query may use the space as `$space`."""
        check_read_only(query)
        found = await self._bolt.read_only(
            query, {"space": space}, keep=lambda row: row.get("space") == space, limit=limit
        )
        # ArcadeDB names no columns where there are no rows (26.11.1.dev2, measured).
        if found.columns and found.columns[:1] != ("space",):
            raise InvalidInput("the query does not return `space` as its first column; add it")
        return found


def _rows_of_subject(rows: Iterable[Row]) -> list[Row]:
    """The rows of a look for facts that are about the subject: more than one only if its key was dropped."""
    return [row for row in rows if row["watermark"] is not None]


def _people_in(rows: Iterable[Row]) -> Iterator[Properties]:
    """The people in the rows of a look for words."""
    for row in rows:
        if row.get("watermark") is None:
            yield from every_properties_in(row, "found")


def _aliases_in(rows: Iterable[Row]) -> Iterator[Properties]:
    """The facts by which somebody is called so, in the rows of a look for words."""
    for row in rows:
        if row["so_called"] is not None:
            yield from every_properties_in(row, "so_called")


def _keys_of(rows: Iterable[Row]) -> set[str]:
    """The words that name the people in the rows of a look."""
    return {str(item.get(key)) for item in _people_in(rows) for key in ("name_key", "id_key")}


def _each_once(entities: Iterable[Entity]) -> tuple[Entity, ...]:
    return tuple(sorted({item.uid: item for item in entities}.values(), key=lambda entity: entity.id))


def _reads_like(entity: Entity, keys: Collection[str]) -> bool:
    return identity_key(entity.id) in keys or identity_key(entity.name) in keys


def _events(rows: Iterable[Row]) -> tuple[FactEvent, ...]:
    events: list[FactEvent] = []
    for row in rows:
        target = None if row["object"] is None else ENTITY.value(properties_in(row, "object"))
        events.append(event_of(properties_in(row, "event"), target))
    return tuple(sorted(events, key=lambda event: event.seq))


def _hashes(rows: Sequence[Row]) -> list[str]:
    """The hashes that a query returned; empty if it wrote nothing."""
    return [str(item) for row in rows for item in row["hashes"]]


def _awaits(episode: Episode) -> list[dict[str, object]]:
    """Properties of the relationship to an open episode; empty for a settled one."""
    return [{"space": episode.space}] if episode.status in OPEN else []


def _adding(episode: Episode) -> dict[str, Any]:
    """The episode's parameters for `add_episode`."""
    properties, leaves = entries.said(episode)
    return {
        "subject_uid": episode.subject_uid,
        "space": episode.space,
        "id": episode.id,
        **of_conversation(episode),
        "properties": properties,
        "awaits": _awaits(episode),
        "entries": entries.rows(leaves),
        **entries.added(leaves),
    }


def _adding_all(episodes: Sequence[Episode]) -> dict[str, Any]:
    """The parameters for `add_entries` of episodes of one conversation."""
    rows: list[dict[str, Any]] = []
    leaves: list[str] = []
    for place, episode in enumerate(episodes, start=1):
        properties, own = entries.said(episode)
        row = {"place": place, "properties": properties, "logged": len(leaves), "own": len(own)}
        rows.append({**row, "awaits": _awaits(episode)})
        leaves += own
    return {
        "subject_uid": episodes[0].subject_uid,
        "space": episodes[0].space,
        "ids": [episode.id for episode in episodes],
        **of_conversation(episodes[0]),
        "episodes": rows,
        "open": sum(len(row["awaits"]) for row in rows),
        "entries": entries.rows(leaves),
        **entries.added(leaves),
    }


def _decided(episode: Episode | None) -> dict[str, Any]:
    """The decision of a person that the stored episode may already have: the same as in this write."""
    if episode is None:
        return {"by": "", "because": "", "at": 0}
    return {"by": episode.settled_by, "because": episode.settled_because, "at": episode.settled_at or 0}


def _settling(episode: Episode) -> dict[str, Any]:
    """The episode's parameters for `settle_episode`."""
    settled, leaf = entries.settling(episode)
    return {
        "subject_uid": episode.subject_uid,
        "space": episode.space,
        "id": episode.id,
        "properties": settled,
        **_decided(episode),
        "awaits": _awaits(episode),
        "leaf": leaf,
        **entries.added([leaf]),
    }


def _ties(facts: Iterable[Fact], *, all_: bool = False) -> list[dict[str, object]]:
    """A row for each of the space's own things that has broader concepts; with `all_`, for every own thing."""
    things = {fact.object.uid: fact.object for fact in facts if fact.object.is_said}
    rows: list[dict[str, object]] = [
        {"uid": thing.uid, "space": thing.space, "is_a": list(thing.is_a)} for thing in things.values()
    ]
    return [row for row in rows if row["is_a"] or all_]


def _about(subject: Entity) -> dict[str, Any]:
    return {"subject_uid": subject.uid, "space": subject.space}


def _unknown_episode() -> InvalidInput:
    return InvalidInput("the episode of a write is not stored; add it first")


def _unknown_subject() -> SubjectUnknown:
    return SubjectUnknown("the subject was never declared in this space; declare it first")


def _version_of(name: str, found: Iterable[Sequence[object]]) -> str:
    """The version recorded under the name; for an empty name, the first version found."""
    versions = {str(each): str(version) for each, version in found if version}
    return versions.get(name, "") if name else next((versions[item] for item in sorted(versions)), "")


def _product(agent: str) -> str:
    """The product in the server's name for itself: `Neo4j 5.26.16`, or `embedded ArcadeDB 26.10.2`."""
    _, arcade, rest = agent.partition("(ArcadeDB ")
    return f"embedded ArcadeDB {rest.rstrip(')')}" if arcade else agent.replace("/", " ", 1)
