"""Reads, for `verify`, all records about some subjects, and compares them with how they would be written.

The log covers the content of records (`domain/log.py`). Checked here is what no log covers: relationships, labels,
copies for people and audits, and the store's own counts. It only reads, and assumes nothing to be correct.
"""

import asyncio
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from operator import attrgetter
from typing import Any

from r_memory.domain import log
from r_memory.domain.erasure import is_trace
from r_memory.domain.events import OPEN, ChainHead, FactEvent
from r_memory.domain.facts import KNOWLEDGE_SPACE, Entity, Fact
from r_memory.domain.folding import fold_all
from r_memory.domain.log import IMPORT, UNENDED, CoveredRecord, Entry, Log, LogHead, Problem
from r_memory.domain.memories import conversation_uid
from r_memory.domain.storable import check_values
from r_memory.errors import InvalidInput
from r_memory.protocols import Inspection, SpaceInspection
from r_memory.store import entries
from r_memory.store.bolt import SETUP_LIMIT_S
from r_memory.store.bolt_wire import Row
from r_memory.store.inspecting_shapes import ENTRY_SIZE, strange_labels, strange_properties, strange_ties
from r_memory.store.inspecting_talk import inspect_talk
from r_memory.store.library import Graph
from r_memory.store.neighbours import AWAITS
from r_memory.store.preparing import Preparer
from r_memory.store.properties import Properties, Unreadable, is_number, number_of
from r_memory.store.rows import (
    ENTITY,
    FACT,
    HEAD,
    entity_of_uid,
    event_of,
    fact_properties,
    head_of,
    is_object_as_written,
)

LONGEST = 10_000_000
"""Maximum number of entries of one log; a head with a larger count was altered."""
_PARTS = ("subjects", "events", "evidence", "statements", "receipts", "state", "kinds")
_HEAD = frozenset({"chain_seq", "chain_hash", "chain_recorded_at", "chain_recorded_at_iso", "changed_seq", "held"})


_Node = tuple[Properties, Entity]
"""The stored properties of an entity, and the entity."""
_Part = Mapping[str, Sequence[Any]]
"""By key of a subject: its records."""
_Key = tuple[str, str]
"""Space and id of an utterance."""


class CypherInspector:
    """Inspects subjects of one database."""

    def __init__(self, graph: Graph, preparer: Preparer) -> None:
        self._graph = graph
        self._preparer = preparer

    async def inspect(self, subjects: Sequence[Entity]) -> tuple[Inspection, ...]:
        """As in `Store`."""
        uids = list(dict.fromkeys(subject.uid for subject in subjects))
        parts = dict(zip(_PARTS, await asyncio.gather(*(self._parts(name, uids) for name in _PARTS)), strict=True))
        heads = [head_of_log(stored) for found in parts["subjects"].values() for _, stored in found]
        logs, conversations, words = await asyncio.gather(
            self._entries(subjects[0].space if subjects else "", heads),
            self._conversations(parts["statements"]),
            self._words(parts["statements"], parts["events"]),
        )
        known: dict[str, _Node] = {}
        looks = [_Look(entity, parts, words=words, known=known, preparer=self._preparer) for entity in subjects]
        return tuple(look.inspection(logs, conversations) for look in looks)

    async def inspect_space(self, space: str, type_: str) -> SpaceInspection:
        """As in `Store`."""
        [found] = await self._read("logged_everybody", space=space, type=type_)
        [counts] = await self._read("logged_counts", space=space)
        end: Properties = found["log"] or {}
        head = head_of_log(end) if end else LogHead(id="")
        said, problems = await inspect_talk(self._graph, space)
        problems += strange_properties("Log", end)
        if "arriving" in end:
            problems.append(Problem(where=IMPORT, what=f"{UNENDED}: somebody of it may not be here yet"))
        problems += strange_labels(await self._read("logged_labels", space=space), self._preparer)
        problems += strange_ties(await self._read("logged_ties", space=space), self._preparer.relations)
        for row in await self._read("logged_unled", space=space):
            problems += [Problem(where=f"word {uid}", what="is there and nothing leads to it") for uid in row["words"]]
        records = (*(_declared(stored) for stored in found["everybody"]), *said)
        if end and (head.id, end.get("space")) != (entries.space_log(space), space):
            problems.append(Problem(where="log of the space", what="has another name than its space"))
        subjects = []
        for stored in found["everybody"]:
            try:
                subject = entity_of_uid(str(stored.get("uid")))
            except Unreadable:
                subject = None
            if subject is None or not _is_usable(subject.uid):
                problems.append(Problem(where="subject", what="has no usable key"))
            else:
                subjects.append(subject)
        return SpaceInspection(
            log=Log(head=head, entries=(await self._entries(space, [head])).get(head.id, ()), records=records),
            subjects=tuple(subjects),
            sizes={str(stored.get("uid")): head_of_log(stored).size for stored in found["everybody"]},
            problems=tuple(problems),
            counts={name: number_of(number) for name, number in counts.items()},
        )

    async def _entries(self, space: str, heads: Iterable[LogHead]) -> Mapping[str, tuple[Entry, ...]]:
        """Entries of logs, by name of the log."""
        usable = [head for head in heads if head.id and _is_usable(head.id)]
        wanted = [{"name": head.id, "size": min(max(head.size, 0), LONGEST)} for head in usable]
        found: defaultdict[str, list[Entry]] = defaultdict(list)
        for row in await self._read("logged_entries", space=space, logs=wanted) if wanted else ():
            for name, seq, leaf, ends, size in row["entries"]:
                # An entry that holds anything else is none, and none ends the entry 0.
                listed = ends if isinstance(ends, list) and is_number(size, ENTRY_SIZE) else [0]
                entry = Entry(seq=number_of(seq), leaf=str(leaf), ends=tuple(map(number_of, listed)))
                found[str(name)].append(entry)
        return {name: tuple(sorted(listed, key=attrgetter("seq"))) for name, listed in found.items()}

    async def _conversations(self, statements: _Part) -> Mapping[str, Properties]:
        uids = {_conversation_of(stored) for some in statements.values() for stored, _ in some}
        uids = set(filter(_is_usable, uids))
        rows = await self._read("logged_conversations", uids=sorted(uids)) if uids else []
        return {str(stored["uid"]): stored for row in rows for stored in row["conversations"]}

    async def _words(self, statements: _Part, events: _Part) -> frozenset[_Key]:
        """The existing utterances on which the events rest, of any subject."""
        there = {_key(stored, "id") for some in statements.values() for stored, _ in some}
        wanted = {_key(stored, "episode_id") for some in events.values() for stored, _ in some}
        others = [{"space": space, "id": id_} for space, id_ in wanted - there if _is_usable(f"{space}{id_}")]
        rows = await self._read("logged_words", words=others) if others else []
        return frozenset(there) | {(str(space), str(id_)) for row in rows for space, id_ in row["words"]}

    async def _parts(self, name: str, uids: Sequence[str]) -> _Part:
        """The records of each subject, by its key."""
        found: defaultdict[str, list[Any]] = defaultdict(list)
        [row] = await self._read(f"logged_{name}", uids=uids)
        for uid, *part in row[name]:
            found[str(uid)].append(part)
        return found

    async def _read(self, name: str, **parameters: object) -> list[Row]:
        return await self._graph.read(f"read/{name}", limit_s=SETUP_LIMIT_S, **parameters)


class _Look:
    """The inspection of one subject: its records and their problems."""

    def __init__(
        self,
        about: Entity,
        parts: Mapping[str, _Part],
        *,
        words: frozenset[_Key],
        known: dict[str, _Node],
        preparer: Preparer,
    ) -> None:
        """`words` are the existing utterances; `known` holds the objects of facts read so far, by key."""
        self._about, self._words, self._known, self._preparer = about, words, known, preparer
        self._lies = {name: part.get(about.uid, ()) for name, part in parts.items()}
        self._tie = {"space": about.space}
        self._records: list[CoveredRecord] = []
        self._problems: list[Problem] = []
        self._head = ChainHead()
        self._found: list[FactEvent] = []
        """The events read, by sequence number."""
        self._expected: dict[str, Fact] = {}
        """The facts that follow from the events, by id."""
        self._facts: list[Fact] = []
        self._objects: dict[str, _Node] = {}
        self._open: set[str] = set()
        self._places: defaultdict[tuple[str, str], list[tuple[int, int]]] = defaultdict(list)

    def inspection(self, logs: Mapping[str, tuple[Entry, ...]], conversations: Mapping[str, Properties]) -> Inspection:
        if not self._lies["subjects"]:
            gone = Log(head=LogHead(id=""), entries=(), records=())
            problems = (Problem(where="subject", what="was declared and is not there"),)
            return Inspection(subject=self._about, log=gone, problems=problems)
        [(labels, stored), *others] = self._lies["subjects"]
        if others:
            self._wrong("subject", "is there more than once")
        self._subject(stored, labels)
        self._statements()
        self._named_objects()
        self._events()
        self._state(stored)
        self._receipts()
        self._conversations(conversations)
        head = head_of_log(stored)
        return Inspection(
            subject=self._about,
            log=Log(head=head, entries=logs.get(head.id, ()), records=tuple(self._records)),
            head=self._head,
            events=tuple(self._found),
            expected=tuple(self._expected.values()),
            facts=tuple(self._facts),
            problems=tuple(self._problems),
        )

    def _subject(self, stored: Properties, labels: Sequence[str]) -> None:
        if set(labels) != {"Entity", *(() if is_trace(self._about) else self._preparer.labels(self._about.type))}:
            self._wrong("subject", "has other labels than its type")
        if "arriving" in stored:
            self._wrong(IMPORT, UNENDED)
        try:
            self._head = head_of(stored)
        except Unreadable as error:
            self._wrong("subject", f"has no usable '{error.name}'")
            return
        kept = {name: value for name, value in stored.items() if name in _HEAD}
        if kept != (HEAD.properties(self._head) if "chain_seq" in kept else {"held": ""}):
            self._wrong("subject", "has an end of its chain that was altered")

    def _statements(self) -> None:
        for stored, tie in self._lies["statements"]:
            where = f"statement {stored.get('id')}"
            self._tied(where, tie)
            words, standing = entries.records_of_episode(stored)
            self._record(where, "statement", stored.get("entry"), words)
            if stored.get("settled_entry"):
                self._record(where, "standing", stored["settled_entry"], standing)
            elif not entries.is_fresh(stored) or not is_number(stored.get("settled_entry"), 0):
                self._wrong(where, "was settled by hand: its log knows nothing of it")
            if stored.get("status") in OPEN_STATUSES:
                self._open.add(str(stored.get("id")))
            place = (number_of(stored.get("entry")), number_of(stored.get("seq")))
            self._places[str(stored.get("conversation")), _conversation_of(stored)].append(place)

    def _named_objects(self) -> None:
        """Reads the objects of facts before the events that name them; unreadable ones are reported with the fact."""
        for _, edge, _, object_, _ in self._lies["state"]:
            if object_ is not None and "fact_id" in edge:
                with suppress(Unreadable):
                    node = self._node(object_)
                    self._objects[node[1].uid] = node

    def _state(self, subject: Properties) -> None:
        """Compares the present state with the facts that follow from the events."""
        self._expected = {fact.fact_id: fact for fact in fold_all(self._found, scale=self._preparer.grades)}
        awaited = []
        for type_, edge, id_, object_, labels in self._lies["state"]:
            if type_ == AWAITS:
                self._tied(f"statement {id_}", edge)
                awaited.append(str(id_))
            elif object_ is not None and "fact_id" in edge:
                self._fact(str(type_), edge, object_, labels, self._expected.get(str(edge["fact_id"])))
            else:
                self._wrong(f"relationship {type_}", "was put there by hand")
        if sorted(awaited) != sorted(self._open) or not is_number(subject.get("awaiting"), len(self._open)):
            self._wrong("statements", "that wait are not those that are awaited; run `r-memory rebuild`")

    def _fact(
        self, relation: str, edge: Properties, object_: Properties, labels: Sequence[str], expected: Fact | None
    ) -> None:
        where = f"fact {str(edge['fact_id'])[:8]}"
        try:
            node = self._node(object_)[1]
            fact, told = expected, (relation, node)
            # What lies there as it would be written need not be read, which takes longer.
            if fact is None or (fact.relation, fact.object) != told or not _is_same(edge, fact_properties(fact)):
                fact = FACT.value(edge, relation=relation, object=node)
        except Unreadable as error:
            self._wrong(where, f"has no usable '{error.name}'; run `r-memory rebuild`")
            return
        self._facts.append(fact)
        if fact is not expected and not _is_same(edge, fact_properties(fact)):
            self._wrong(where, "was altered in a copy that people and audits read; run `r-memory rebuild`")
        if set(labels) != {"Entity", *self._preparer.labels(node.type)}:
            self._wrong(f"object of {where}", "has other labels than its type")
        tied = {str(concept) for thing, concept in self._lies["kinds"] if thing == node.uid}
        if node.is_said and tied != {*node.is_a}:
            self._wrong(f"object of {where}", "is tied to other concepts than it says it is; run `r-memory rebuild`")
        if not is_object_as_written(object_, node):
            self._wrong(f"object of {where}", "was renamed, or has another's key")

    def _node(self, stored: Properties) -> _Node:
        # The same few substances are in every record; to compare takes a tenth of reading them.
        uid = str(stored.get("uid"))
        node = self._known.get(uid)
        if node is None or node[0] != stored:
            node = self._known[uid] = (stored, ENTITY.value(stored))
        return node

    def _events(self) -> None:
        names: defaultdict[str, set[object]] = defaultdict(set)
        leads: defaultdict[object, list[Any]] = defaultdict(list)
        for event_id, *lead in self._lies["evidence"]:
            leads[event_id].append(lead)
        for stored, tie in self._lies["events"]:
            where = f"event {stored.get('seq')}"
            self._tied(where, tie)
            self._record(where, "event", stored.get("entry"), entries.record_of("event", stored))
            object_uid = str(stored.get("object_uid"))
            names[object_uid].add(stored.get("object_name"))
            node = self._objects.get(object_uid)
            try:
                self._found.append(event_of(stored, node and node[1]))
            except Unreadable as error:
                self._wrong(where, f"has no usable '{error.name}'")
            self._evidence(where, stored, leads.get(stored.get("id"), []))
        self._found.sort(key=attrgetter("seq"))
        for uid, recorded in names.items():
            self._named(uid, recorded)

    def _evidence(self, where: str, event: Properties, leads: Sequence[Any]) -> None:
        """Checks the link of an event to its words.

        Words of a moved fact are in another subject's record, which may be erased.
        """
        expected = [event.get("episode_id")] if _key(event, "episode_id") in self._words else []
        if [id_ for id_, _ in leads] != expected:
            self._wrong(where, "does not lead to the words that it rests on; run `r-memory rebuild`")
        elif leads:
            self._tied(where, leads[0][1])

    def _named(self, uid: str, recorded: set[object]) -> None:
        """Checks that the space's own words have the name with which they were recorded; the pack checks concepts.

        Another speaker may have used the word before, in other capitals, and the node keeps that name.
        """
        stored, _ = self._objects.get(uid, (None, None))
        if stored is None or stored.get("space") == KNOWLEDGE_SPACE or None in recorded:
            return
        try:
            whole = entries.is_word_as_written(stored)
        except Unreadable:
            whole = False
        if not whole or str(stored.get("name")).casefold() not in {str(name).casefold() for name in recorded}:
            self._wrong(f"word {uid}", "was renamed or altered")

    def _receipts(self) -> None:
        for stored, tie in self._lies["receipts"]:
            where = f"receipt {stored.get('id')}"
            self._tied(where, tie)
            self._record(where, "receipt", stored.get("entry"), entries.record_of("receipt", stored))

    def _conversations(self, found: Mapping[str, Properties]) -> None:
        for (name, uid), places in self._places.items():
            stored = found.get(uid, {})
            fixed = tuple(stored.get(key) for key in ("space", "subject_uid", "id"))
            counted = is_number(stored.get("length"), len(places))
            self._problems += strange_properties("Conversation", stored)
            if (
                not counted
                or fixed != (self._about.space, self._about.uid, name)
                or [seq for _, seq in sorted(places)] != list(range(1, len(places) + 1))
            ):
                self._wrong(f"conversation {name or '(without a name)'}", "does not count its statements as they came")

    def _record(self, where: str, kind: str, seq: object, kept: dict[str, object]) -> None:
        self._records.append(
            CoveredRecord(where=where, seq=number_of(seq), kind=kind, leaf=log.leaf(kind, kept), kept=kept)
        )

    def _tied(self, where: str, tie: object) -> None:
        if tie != self._tie:
            self._wrong(where, "is tied by a relationship that was altered")

    def _wrong(self, where: str, problem: str) -> None:
        self._problems.append(Problem(where=where, what=problem))


OPEN_STATUSES = frozenset(status.value for status in OPEN)


def head_of_log(stored: Properties) -> LogHead:
    """The head of a log from the properties of a node."""
    return LogHead(
        id=str(stored.get("log_id") or ""),
        size=number_of(stored.get("log_size"), -1),
        sum=number_of(stored.get("log_sum"), -1),
    )


def _is_usable(key: str) -> bool:
    """Whether the key can be a query parameter: another program may have written anything there."""
    try:
        check_values(key)
    except InvalidInput:
        return False
    return True


def _key(stored: Properties, name: str) -> _Key:
    """Space and id of an utterance, wherever its id stands."""
    return str(stored.get("space")), str(stored.get(name))


def _is_same(stored: Properties, written: Properties) -> bool:
    """Whether both sets of properties are equal, including types: true is not 1, and 1 is not 1.0."""
    return stored == written and [*map(type, map(stored.get, written))] == [*map(type, written.values())]


def _conversation_of(stored: Properties) -> str:
    return conversation_uid("", str(stored.get("subject_uid")), str(stored.get("conversation")))


def _declared(stored: Properties) -> CoveredRecord:
    own = entries.leaf_of("subject", stored)
    return CoveredRecord(
        where=f"subject {stored.get('id')}", seq=number_of(stored.get("entry")), kind="subject", leaf=own
    )
