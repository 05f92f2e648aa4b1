"""What somebody who reaches the database itself can change without `verify` saying so: nothing.

On the embedded store every property of every node and every relationship of a space is changed and taken away, one at a
time. A look goes through the whole space, so Neo4j is asked about one node and one relationship of every kind, and
about one property of every type: that all stores give back alike what lies in them, the store contract proves.
On all of them one node and one relationship of every kind is removed. What says nothing by itself is named in
`SAYS_NOTHING`, with the reason.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any, cast

import pytest

from r_memory.domain.erasure import erasure_of
from r_memory.domain.facts import Entity
from r_memory.domain.knowledge import Knowledge
from r_memory.domain.log import MODULUS, Checkpoint, weight
from r_memory.errors import InvalidInput, LedgerBroken, StoreError, WriteConflict
from r_memory.space.contents import Contents, unseen
from r_memory.space.file import Header
from r_memory.space.integrity import Verification, checkpoint, prove, rebuild, verify_space
from r_memory.space.moving import export, restore
from r_memory.store.bolt import Endpoint
from r_memory.store.entries import leaf_of
from tests.store.full_space import a_full_space
from tests.store.stores import NEWEST, Database, engine_at
from tests.store.world import (
    NOTHING,
    NOW,
    SCHEMA,
    a_declared_patient,
    a_patient,
    next_batch,
    seen,
    told,
)

pytestmark = pytest.mark.anyio

SAYS_NOTHING = {
    "": {"claimed"},
    "Memory": {"summary", "importance", "sources", "accessed_at", "accessed_at_iso", "change"}
    | {"embedding", "embedding_model", "dimensions"},
    "Conversation": {"last_change", "decided"},
    "Stream": {"changes"},
}
"""Label to properties that may change: `claimed` is a lock; the others only order and find again what was said in
conversations, are made anew of it, and are never read for facts."""
MAY_BE_MISSING = {"Conversation": {"title"}}
"""Label to properties that may change in no way but be taken away: an earlier version did not give them."""
NO_KNOWLEDGE = Knowledge(name="none", version="none", concepts={}, links=())


@pytest.fixture(params=NEWEST)
def engine_place(request: pytest.FixtureRequest) -> Endpoint:
    return engine_at(request)


async def found(database: Database, space: str) -> Verification:
    return await verify_space(database.store, SCHEMA, NO_KNOWLEDGE, space)


def otherwise(value: object) -> object:
    """Another value of the same kind."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + 1
    if isinstance(value, list):
        return [*value, 77 if value and isinstance(value[0], int) else "x"]
    return f"{value}x"


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A node or a relationship as it lies in the database."""

    kind: str
    """Its labels, or its type."""
    match: str
    """Finds it as `x`, by `$id`."""
    id: str
    properties: Mapping[str, Any]

    @property
    def record(self) -> str:
        """What an entry of a log is about; a log has many of each, which are told apart by nothing else."""
        return str(self.properties["leaf"]).partition(":")[0] if self.kind == "Entry" else self.id


async def nodes(database: Database, space: str) -> list[Part]:
    """All but what is left of an erased turn, which says nothing but that it is gone."""
    rows = await database.run(
        "MATCH (node) WHERE node.space = $space AND node.removed_id IS NULL "
        "RETURN elementId(node) AS id, labels(node) AS labels, properties(node) AS properties",
        space=space,
    )
    return _parts("MATCH (x) WHERE elementId(x) = $id", ({**row, "kind": _kind(row["labels"])} for row in rows))


async def edges(database: Database, space: str) -> list[Part]:
    rows = await database.run(
        "MATCH (a)-[edge]->(b) WHERE a.space = $space AND edge.space = $space "
        "RETURN elementId(edge) AS id, type(edge) AS kind, properties(edge) AS properties",
        space=space,
    )
    return _parts("MATCH ()-[x]->() WHERE elementId(x) = $id", rows)


def _kind(labels: object) -> str:
    return "/".join(sorted(cast("list[str]", labels)))


def _parts(match: str, rows: Iterable[Mapping[str, Any]]) -> list[Part]:
    return [Part(kind=row["kind"], match=match, id=row["id"], properties=row["properties"]) for row in rows]


def one_of_each_kind(parts: Iterable[Part]) -> list[Part]:
    return list({part.kind: part for part in parts}.values())


def telling(part: Part) -> list[str]:
    """The properties that say something."""
    return sorted(set(part.properties) - SAYS_NOTHING[""] - SAYS_NOTHING.get(part.kind, set()))


def one_of_each_type(part: Part) -> list[str]:
    """One of the properties that say something, for every type of a value."""
    return list({type(part.properties[name]): name for name in telling(part)}.values())


async def missed(database: Database, space: str, part: Part, names: Sequence[str]) -> list[str]:
    """The properties whose change, or loss, is not found; each is put back as it was."""
    missing = []
    for name in names:
        loss = [] if name in MAY_BE_MISSING.get(part.kind, ()) else [None]
        for value in (otherwise(part.properties[name]), *loss):
            try:
                await database.run(f"{part.match} SET x += $change", id=part.id, change={name: value})
            except WriteConflict:  # the database itself takes no key twice
                continue
            if (await found(database, space)).whole:
                missing.append(f"{part.kind}: {name} = {value!r}")
            await database.run(f"{part.match} SET x += $was", id=part.id, was={name: part.properties[name]})
    return missing


@pytest.fixture
def one_look(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody writes meanwhile: what is found need not be looked at again before it is said, which takes three times as
    long.
    """
    monkeypatch.setattr("r_memory.space.integrity._LOOKS", 1)


NODES = (
    "Conversation",
    "Decision",
    "Document",
    "Entity/Patient",
    "Entity/Unmapped",
    "Entry",
    "Episode",
    "FactEvent",
    "Log",
    "Memory",
    "Recall",
    "Stream",
    "Summary",
)
EDGES = ("ABOUT", "AWAITS", "CONCERNS", "EVIDENCED_BY", "HAS_ALLERGY_TO", "PART_OF", "SHOWED", "TAKES")
on_embedded = pytest.mark.parametrize("engine_place", ["embedded"], indirect=True)


@on_embedded
async def test_every_kind_of_node_and_relationship_is_tried(database: Database) -> None:
    space = await a_full_space(database)
    assert {node.kind for node in await nodes(database, space)} == set(NODES)
    assert {edge.kind for edge in await edges(database, space)} == set(EDGES)


@on_embedded
@pytest.mark.usefixtures("one_look")
async def test_every_change_of_every_property_is_found(database: Database) -> None:
    space = await a_full_space(database)
    assert (await found(database, space)).differences == ()

    parts = [*await nodes(database, space), *await edges(database, space)]
    missing = []
    for part in {part.record: part for part in parts}.values():
        missing += await missed(database, space, part, telling(part))

    assert " | ".join(missing) == ""
    assert (await found(database, space)).differences == ()


def alike(value: object) -> list[object]:
    """A value of another kind that Python takes for the same."""
    if isinstance(value, bool):
        return [int(value)]
    return [float(value)] if isinstance(value, int) else [int(value)] if isinstance(value, float) else []


@on_embedded
@pytest.mark.usefixtures("one_look")
async def test_a_value_of_another_kind_is_found_and_stops_no_look(database: Database) -> None:
    """A date and bytes are no JSON; 1 is no 1.0, and a truth no number."""
    space = await a_full_space(database)
    every = [*await nodes(database, space), *await edges(database, space)]
    parts = [*one_of_each_kind(every), *one_of_each_kind(every[::-1])]
    tried = [(part, name, value) for part in parts for name in telling(part) for value in alike(part.properties[name])]
    strange = (date(2026, 11, 26), bytearray(b"x"))
    tried += [(part, name, value) for part in parts for name in one_of_each_type(part) for value in strange]

    missing = []
    for part, name, value in tried:
        try:
            await database.run(f"{part.match} SET x += $change", id=part.id, change={name: value})
        except (WriteConflict, StoreError):  # the database itself takes no key twice, and no bytes for one
            continue
        [[stored]] = [
            row.values() for row in await database.run(f"{part.match} RETURN x[$name]", id=part.id, name=name)
        ]
        if type(stored) is not type(part.properties[name]) and (await found(database, space)).whole:
            missing.append(f"{part.kind}: {name} = {stored!r}")
        await database.run(f"{part.match} SET x += $was", id=part.id, was={name: part.properties[name]})

    assert " | ".join(missing) == ""


@pytest.mark.usefixtures("one_look")
@pytest.mark.parametrize("engine_place", [pytest.param("neo4j_2026", marks=pytest.mark.neo4j)], indirect=True)
async def test_a_change_in_every_kind_of_node_and_relationship_is_found_on_neo4j_too(database: Database) -> None:
    space = await a_full_space(database)

    missing, types = [], set[type]()
    for part in one_of_each_kind([*await nodes(database, space), *await edges(database, space)]):
        names = {type(part.properties[name]): name for name in one_of_each_type(part)}
        asked = [name for kind, name in names.items() if kind not in types] or list(names.values())[:1]
        types |= names.keys()
        missing += await missed(database, space, part, asked)

    assert " | ".join(missing) == ""
    assert (await found(database, space)).differences == ()


@pytest.mark.usefixtures("one_look")
async def test_every_node_and_every_relationship_that_is_taken_away_is_missed(database: Database) -> None:
    missing = []
    for kind in (*NODES, *EDGES):
        space = await a_full_space(database)
        parts = [*await nodes(database, space), *await edges(database, space)]
        gone = next(part for part in parts if part.kind == kind)
        detach = "DETACH" if kind in NODES else ""
        await database.run(f"{gone.match} {detach} DELETE x", id=gone.id)
        if (await found(database, space)).whole:
            missing.append(kind)

    assert " | ".join(missing) == ""


async def moved_to_somebody_else(database: Database) -> tuple[Entity, Entity]:
    """Whose words they were, and whose fact it is: of one space, with a fact that was moved."""
    store = database.store
    said_by = await a_declared_patient(store)
    other = await a_declared_patient(store, said_by.space, "AB001", "Ann Bell")
    await told(store, seen(said_by))
    [words] = await store.episodes(said_by.space, said_by.uid)
    await store.append(replace(await next_batch(store, words, seen(other)), episode=None))
    return said_by, other


UNTIED = (
    "MATCH (event:FactEvent {subject_uid: $uid})-[tie:EVIDENCED_BY]->(:Episode) "
    "DELETE tie RETURN event.episode_id AS words"
)


async def test_a_moved_fact_that_no_longer_leads_to_the_words_is_found_and_a_rebuild_leads_it_there(
    database: Database,
) -> None:
    _, other = await moved_to_somebody_else(database)
    assert (await found(database, other.space)).differences == ()

    await database.run(UNTIED, uid=other.uid)

    [difference] = (await found(database, other.space)).differences
    assert "does not lead to the words that it rests on" in difference.problem
    await rebuild(database.store, SCHEMA, [other])
    assert (await found(database, other.space)).differences == ()


async def test_a_moved_fact_that_is_imported_before_the_words_leads_to_them(database: Database, tmp_path: Path) -> None:
    _, other = await moved_to_somebody_else(database)
    space, store = other.space, database.store
    kept = Contents(space=space, schema=SCHEMA, store=store, stream=store.stream, conversations=store.conversations)
    everybody = await store.subjects(space, SCHEMA.subject)
    header = Header(space=space, exported_at="", schema="mini", schema_version="", pack="none", pack_version="")
    await export(kept, tmp_path / "space.jsonl", everybody, header, step=unseen)
    await database.run("MATCH (node) WHERE node.space = $space DETACH DELETE node", space=space)

    await restore(kept, tmp_path / "space.jsonl", step=unseen)

    assert (await found(database, space)).differences == ()
    assert [row["words"] for row in await database.run(UNTIED, uid=other.uid)] != []


async def test_a_moved_fact_whose_words_were_erased_is_whole(database: Database) -> None:
    said_by, other = await moved_to_somebody_else(database)
    store = database.store
    [events, chain] = await store.events(said_by.uid), await store.chain(said_by.uid, ())
    nothing = {
        "statements": 1,
        "events": 1,
        "facts": 1,
        "receipts": 0,
        "items": 0,
        "summaries": 0,
        "decisions": 0,
        "documents": 0,
    }

    await store.erase(
        erasure_of(
            said_by,
            events=events,
            receipts=(),
            previous=chain.head,
            traces=nothing,
            actor="Dr Ada",
            reason="request 17",
            now=NOW,
        )
    )

    assert (await found(database, other.space)).differences == ()


# --- what fits again: logs and their ends are rewritten as well ------------------------------------------------------


async def checkpoint_of(database: Database, space: str) -> Checkpoint:
    return await checkpoint(database.store, SCHEMA, space, made_at="2026-11-23T10:00:00Z")


async def since(database: Database, made: Checkpoint) -> list[str]:
    """What verify finds, without the checkpoint and with it."""
    assert (await found(database, made.space)).differences == ()
    return [
        difference.problem.split(":")[0]
        for difference in (await verify_space(database.store, SCHEMA, NO_KNOWLEDGE, made.space, since=made)).differences
    ]


async def test_a_receipt_that_was_rewritten_with_its_entry_and_the_end_of_its_log_needs_the_checkpoint(
    database: Database,
) -> None:
    space = await a_full_space(database)
    made = await checkpoint_of(database, space)
    [row] = await database.run("MATCH (r:Recall {space: $space}) RETURN properties(r) AS stored", space=space)
    stored = cast("dict[str, Any]", row["stored"])
    before, after = (leaf_of("receipt", each) for each in (stored, {**stored, "shown_to": "nobody"}))

    await database.run(
        "MATCH (r:Recall {space: $space})-[:SHOWED]->(p) MATCH (e:Entry {log: p.log_id, seq: r.entry}) "
        "SET r.shown_to = 'nobody' SET e.leaf = $after SET p.log_sum = (p.log_sum + $change) % $modulus",
        space=space,
        after=after,
        change=(weight([after]) - weight([before])) % MODULUS,
        modulus=MODULUS,
    )

    assert await since(database, made) == ["was rewritten"]


async def test_somebody_who_was_removed_with_the_end_of_the_log_needs_the_checkpoint(database: Database) -> None:
    space = await a_full_space(database)
    await database.store.declare_subject(a_patient(space, "JX003", "Jim Coe"))
    made = await checkpoint_of(database, space)
    [row] = await database.run(
        "MATCH (l:Log {space: $space}) MATCH (e:Entry {log: l.log_id, seq: l.log_size}) "
        "RETURN e.leaf AS leaf, l.log_size AS size",
        space=space,
    )
    size = cast("int", row["size"])

    await database.run(
        "MATCH (p:Patient {space: $space, id: 'JX003'}) MATCH (l:Log {space: $space}) "
        "MATCH (e:Entry {log: l.log_id, seq: $size}) SET l.log_size = $size - 1 "
        "SET l.log_sum = (l.log_sum + $change) % $modulus DETACH DELETE p DETACH DELETE e",
        space=space,
        size=size,
        change=-weight([str(row["leaf"])]) % MODULUS,
        modulus=MODULUS,
    )

    cut_off = f"has {size - 1} entries and had {size} at the checkpoint of 2026-11-23T10"
    assert await since(database, made) == [cut_off, LACKING]


LACKING = "lack 1 that were there at the checkpoint of 2026-11-23T10"


async def test_what_is_erased_on_order_fits_the_checkpoint(database: Database) -> None:
    space = await a_full_space(database)
    made = await checkpoint_of(database, space)
    store = database.store
    [patient] = await store.subjects(space, SCHEMA.subject, id_="JD001")
    chain, events = await store.chain(patient.uid, ()), await store.events(patient.uid)
    receipts = await store.receipts(space, patient.uid)

    await store.erase(
        erasure_of(
            patient,
            events=events,
            receipts=receipts,
            previous=chain.head,
            traces=NOTHING,
            actor="Dr Ada",
            reason="request 17",
            now=NOW,
        )
    )

    assert await since(database, made) == []


async def test_one_receipt_is_proven_and_no_longer_once_it_was_altered(database: Database) -> None:
    space = await a_full_space(database)
    made = await checkpoint_of(database, space)
    id_ = f"01J{space}"

    proof = await prove(database.store, space, id_, made)

    assert (proof.receipt.id, proof.covered) == (id_, True)
    await database.run("MATCH (r:Recall {space: $space}) SET r.fact_ids = []", space=space)
    with pytest.raises(LedgerBroken, match="was altered after it was recorded"):
        await prove(database.store, space, id_, made)
    with pytest.raises(InvalidInput, match="no receipt of this space"):
        await prove(database.store, space, "another", made)


ALTERATIONS = {
    "the status of an event": "SET e.status = 'refuted'",
    "an event": "DETACH DELETE e",
}


@pytest.mark.parametrize("what", ALTERATIONS)
async def test_a_state_is_not_rebuilt_from_a_chain_that_does_not_hold(database: Database, what: str) -> None:
    """It would follow the altered event, and hide the allergy that is still shown."""
    space = await a_full_space(database)
    [patient] = await database.store.subjects(space, SCHEMA.subject, id_="JD001")
    before = await database.store.neighbourhood(patient, [*SCHEMA.relations])
    event = "MATCH (e:FactEvent {relation: 'HAS_ALLERGY_TO'}) WHERE e.space = $space"
    await database.run(f"{event} {ALTERATIONS[what]}", space=space)

    with pytest.raises(LedgerBroken, match="restore from a backup"):
        await rebuild(database.store, SCHEMA, [patient])

    assert await database.store.neighbourhood(patient, [*SCHEMA.relations]) == before
    problems = [difference.problem for difference in (await found(database, space)).differences]
    assert not any("run `r-memory rebuild`" in problem for problem in problems)


@pytest.mark.usefixtures("one_look")
@pytest.mark.parametrize(
    "damage",
    [
        "MATCH (x:Episode {space: $space}) SET x.conversation = $unstorable",
        "MATCH (x:Patient {space: $space, id: 'JD001'}) SET x.log_id = $unstorable",
        "MATCH (x:Patient {space: $space, id: 'JD001'}) SET x.uid = $unstorable + x.uid",
        "MATCH (x:FactEvent {subject_uid: $space + '/Patient/JD001', seq: 1}) SET x.object_uid = $unstorable",
    ],
)
async def test_bytes_that_no_parameter_may_hold_are_found_and_stop_no_look(database: Database, damage: str) -> None:
    """As a damaged page leaves them."""
    space = await a_full_space(database)

    await database.run(damage, space=space, unstorable="x\0y")

    assert not (await found(database, space)).whole
