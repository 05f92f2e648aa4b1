"""The graph as people write Cypher against it (design, section 4), and what the store does when somebody broke it."""

import asyncio
import contextlib
import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from neo4j import AsyncGraphDatabase

from r_memory.config.files import packaged_defaults
from r_memory.domain.events import EpisodeStatus
from r_memory.domain.facts import KNOWLEDGE_SPACE, Entity, Flag, Status, concept
from r_memory.domain.instants import Period, iso
from r_memory.domain.knowledge import CROSS_REACTS_WITH, Knowledge, Link
from r_memory.errors import InvalidInput, StoreError, StoreUnavailable
from r_memory.protocols import Traversal
from r_memory.space.integrity import rebuild, verify
from r_memory.store.bolt import Bolt, Endpoint, FixedEndpoint
from r_memory.store.cypher_store import CypherStore
from r_memory.store.gate import check_read_only
from r_memory.store.queries import Query, check_traversal, parse_query
from tests.store.full_space import a_full_space
from tests.store.stores import LIBRARY, Database, database_at
from tests.store.test_erasing import erasure_now
from tests.store.world import (
    ALLERGY,
    NOW,
    PENICILLIN,
    SCHEMA,
    TAKES,
    WARFARIN,
    a_declared_patient,
    a_receipt,
    a_schema,
    an_episode,
    seen,
    told,
    unmapped,
)

pytestmark = pytest.mark.anyio

RELATIONS = (ALLERGY, TAKES)


def only(rows: list[dict[str, object]], column: str) -> object:
    assert len(rows) == 1
    return rows[0][column]


def _without_its_entry(stored: dict[str, object]) -> None:
    """Leaves out what belongs to the log: where the record stands in it, and salts."""
    for name in ("entry", "salt", "settled_entry", "settled_salt"):
        stored.pop(name, None)


# --- the contract ----------------------------------------------------------------------------------------------------


@pytest.mark.proves("RM-6", "RM-14")
async def test_a_fact_is_one_typed_relationship_that_holds_all_of_it(database: Database) -> None:
    patient = await a_declared_patient(database.store)
    batch = await told(
        database.store,
        seen(
            patient,
            attrs={"severity": "severe", "reaction": "anaphylaxis", "since": 1999},
            valid=Period(start=NOW),
            flags=frozenset({Flag.NET, Flag.FUZZY}),
        ),
    )
    rows = await database.run(
        "MATCH (patient:Entity:Patient {uid: $uid})-[fact:HAS_ALLERGY_TO]->(object:Entity:DrugClass:Drug) "
        "RETURN properties(fact) AS fact, labels(object) AS labels, object.name AS name",
        uid=patient.uid,
    )
    fact, (event,) = batch.facts[0], batch.events
    labels, stored = rows[0].pop("labels"), rows[0]["fact"]
    assert isinstance(labels, list)
    assert isinstance(stored, dict)
    assert len(stored.pop("digest")) == 16
    assert rows == [
        {
            "name": PENICILLIN.name,
            "fact": {
                "fact_id": fact.fact_id,
                "space": patient.space,
                "subject_uid": patient.uid,
                "status": "active",
                "severity": "severe",
                "reaction": "anaphylaxis",
                "since": 1999,
                "attrs": '{"reaction": "anaphylaxis", "severity": "severe", "since": 1999}',
                "contradicted": False,
                "unmapped": False,
                "flags": ["fuzzy", "net"],
                "valid_from": NOW,
                "valid_from_iso": iso(NOW),
                "first_recorded_at": event.recorded_at,
                "first_recorded_at_iso": iso(event.recorded_at),
                "last_recorded_at": event.recorded_at,
                "last_recorded_at_iso": iso(event.recorded_at),
                "said_at": event.said_at,
                "said_at_iso": iso(event.said_at),
                "observations": 1,
                "last_seq": 1,
                "evidence": event.evidence,
                "speaker": "patient",
                "episode_id": event.episode_id,
                "route": "rules",
                "extractor": "rules/1",
                "confidence": 0.5,
            },
        }
    ]
    assert sorted(labels) == ["Drug", "DrugClass", "Entity"]


async def test_an_unknown_word_is_marked_on_the_fact(database: Database) -> None:
    patient = await a_declared_patient(database.store)
    await told(database.store, seen(patient, unmapped(patient.space, "zyloflurane")))
    rows = await database.run(
        "MATCH (patient:Patient {uid: $uid})-[fact]->(word:Unmapped {space: $space}) "
        "RETURN fact.unmapped AS unmapped, word.name AS name",
        uid=patient.uid,
        space=patient.space,
    )
    assert rows == [{"unmapped": True, "name": "zyloflurane"}]


async def test_a_thing_that_was_said_is_tied_to_what_it_is_until_nobodys_words_name_it(database: Database) -> None:
    """RM-6: what a thing is can be walked; a rebuild mends it, and it goes with the last person who named it."""
    await database.store.load_knowledge(a_pack("one", "pack three"))
    patient = await a_declared_patient(database.store)
    kinds = ("knowledge/Drug/pack three",)
    thing = replace(concept("Drug", "my old pills", space=patient.space), is_a=kinds)
    await told(database.store, seen(patient, thing))
    await told(database.store, seen(patient, thing, relation=TAKES), text="I take my old pills.")
    walked = (
        f"MATCH (:Entity {{uid: '{patient.uid}'}})-[fact]->(thing:Entity)-[:IS_A*0..]->(kind:Entity) "
        "WHERE fact.fact_id IS NOT NULL RETURN DISTINCT thing.uid AS thing, thing.is_a AS is_a, kind.uid AS kind "
        "ORDER BY kind"
    )
    [tied, own] = sorted(await database.run(walked), key=lambda row: row["kind"] == thing.uid)
    assert (tied["kind"], tied["is_a"], own["thing"]) == (*kinds, [*kinds], thing.uid)
    found = await database.store.neighbourhood(patient, RELATIONS)
    assert [fact.object for fact in found.facts] == [thing, thing]
    assert (await verify(database.store, [patient])).whole

    await database.run(f"MATCH (:Entity {{uid: '{thing.uid}'}})-[tie:IS_A]->() DELETE tie")
    assert not (await verify(database.store, [patient])).whole
    await rebuild(database.store, SCHEMA, [patient])
    assert (await verify(database.store, [patient])).whole

    def no_kinds(entity: Entity) -> Entity:
        return replace(entity, is_a=())

    [wrong] = {
        difference.problem for difference in (await verify(database.store, [patient], named=no_kinds)).differences
    }
    assert "lexicon" in wrong
    await rebuild(database.store, SCHEMA, [patient], named=no_kinds)
    assert (await verify(database.store, [patient], named=no_kinds)).whole
    assert [row["kind"] for row in await database.run(walked)] == [thing.uid]

    other = await a_declared_patient(database.store, patient.space, "JR002", "Jane Roe")
    await told(database.store, seen(other, thing))
    for left, subject in ((1, patient), (0, other)):
        await database.store.erase(await erasure_now(database.store, subject))
        assert len(await database.run(f"MATCH (thing:Entity {{uid: '{thing.uid}'}}) RETURN thing.uid AS uid")) == left


async def test_an_event_hangs_between_its_subject_and_its_utterance(database: Database) -> None:
    patient = await a_declared_patient(database.store)
    batch = await told(database.store, seen(patient), conversation="c", text="I carry an EpiPen.")
    rows = await database.run(
        "MATCH (subject:Patient {uid: $uid})<-[about:ABOUT]-(event:FactEvent)-[evidenced:EVIDENCED_BY]->(said:Episode) "
        "MATCH (said)-[concerns:CONCERNS]->(subject) "
        "RETURN properties(event) AS event, properties(said) AS said, subject.chain_seq AS seq, "
        "subject.chain_hash AS hash, about.space AS about, evidenced.space AS evidenced, concerns.space AS concerns",
        uid=patient.uid,
    )
    (event,), episode = batch.events, batch.episode
    assert episode is not None
    for stored in (rows[0]["event"], rows[0]["said"]):
        assert isinstance(stored, dict)
        _without_its_entry(stored)
    assert rows == [
        {
            "about": patient.space,
            "evidenced": patient.space,
            "concerns": patient.space,
            "seq": 1,
            "hash": event.hash,
            "event": {
                "id": event.id,
                "chain_key": f"{patient.uid}#1",
                "space": patient.space,
                "fact_id": event.fact_id,
                "kind": "observed",
                "relation": ALLERGY,
                "subject_uid": patient.uid,
                "object_uid": PENICILLIN.uid,
                "object_name": PENICILLIN.name,
                "title": f"{ALLERGY} {PENICILLIN.name} (observed: active)",
                "status": "active",
                "attrs": '{"severity": "severe"}',
                "recorded_at": event.recorded_at,
                "recorded_at_iso": iso(event.recorded_at),
                "said_at": event.said_at,
                "said_at_iso": iso(event.said_at),
                "speaker": "patient",
                "episode_id": episode.id,
                "evidence": event.evidence,
                "span_start": 5,
                "span_end": 27,
                "route": "rules",
                "extractor": "rules/1",
                "prompt_digest": "",
                "schema_version": SCHEMA.version,
                "confidence": 0.5,
                "flags": [],
                "actor": "",
                "reason": "",
                "seq": 1,
                "prev_hash": "",
                "hash": event.hash,
            },
            "said": {
                "id": episode.id,
                "space": patient.space,
                "subject_uid": patient.uid,
                "conversation": "c",
                "seq": 1,
                "speaker": "patient",
                "role": "user",
                "text": "I carry an EpiPen.",
                "said_at": episode.said_at,
                "said_at_iso": iso(episode.said_at),
                "recorded_at": episode.recorded_at,
                "recorded_at_iso": iso(episode.recorded_at),
                "status": "extracted",
                "language": "en",
                "review": [],
                "disputed": [],
                "attempts": 0,
                "hash": episode.hash,
                "title": "I carry an EpiPen.",
            },
        }
    ]


async def test_only_open_episodes_are_awaited(database: Database) -> None:
    patient = await a_declared_patient(database.store)
    await told(database.store, seen(patient))
    waiting = an_episode(patient)
    await database.store.add_episode(waiting)
    rows = await database.run(
        "MATCH (subject:Patient {uid: $uid})-[awaits:AWAITS]->(episode:Episode) "
        "RETURN episode.id AS id, awaits.space AS space",
        uid=patient.uid,
    )
    assert rows == [{"id": waiting.id, "space": patient.space}]


async def test_a_receipt_points_to_whom_it_is_about(database: Database) -> None:
    patient = await a_declared_patient(database.store)
    await database.store.add_receipt(a_receipt(patient, "01J"))
    rows = await database.run(
        "MATCH (receipt:Recall {space: $space})-[showed:SHOWED]->(subject:Patient) "
        "RETURN subject.uid AS uid, receipt.fact_ids AS fact_ids, receipt.shown_at_iso AS shown, "
        "receipt.complete AS complete",
        space=patient.space,
    )
    assert rows == [{"uid": patient.uid, "fact_ids": ["7f3a2c1e", "0b1c4f7e"], "shown": iso(NOW), "complete": False}]


async def test_what_has_no_name_has_a_title_by_which_a_drawing_calls_it(database: Database) -> None:
    space = await a_full_space(database)
    rows = await database.run(
        "MATCH (node {space: $space}) WHERE node.name IS NULL AND node.removed_id IS NULL "
        "RETURN labels(node) AS labels, node.title AS title",
        space=space,
    )
    titles = {(label, row["title"]) for row in rows for label in row["labels"]}  # type: ignore[attr-defined]  # a list
    assert {label for label, title in titles if not title} == {"Entry", "Log", "Stream"}
    assert titles >= {
        ("Episode", "It itched."),
        ("FactEvent", "HAS_ALLERGY_TO zyloflurane (observed: active)"),
        ("Recall", "to claude-desktop: 2 facts"),
        ("Conversation", "visit"),
        ("Conversation", "(without a name)"),
        ("Memory", "I live in Bern."),
        ("Summary", "1: billing"),
        ("Decision", "turn 1"),
    }


async def test_everything_carries_its_space(database: Database) -> None:
    patient = await a_declared_patient(database.store)
    await told(database.store, seen(patient), conversation="c")
    await database.store.add_episode(an_episode(patient))
    await database.store.add_receipt(a_receipt(patient, "01J"))
    await database.store.load_knowledge(a_pack("spaces"))
    labels = await database.run("MATCH (node {space: $space}) RETURN labels(node) AS labels", space=patient.space)
    found = {label for row in labels for label in row["labels"]}  # type: ignore[attr-defined]  # a list of texts
    assert found == {"Entity", "Patient", "Episode", "Conversation", "FactEvent", "Recall", "Entry", "Log"}
    edges = await database.run(
        "MATCH (one)-[edge]-(two) WHERE one.space = $space AND (edge.space IS NULL OR two.space IS NULL) "
        "RETURN count(edge) AS n",
        space=patient.space,
    )
    assert edges == [{"n": 0}]
    for label in ("Pack", "SchemaVersion"):
        spaces = await database.run(f"MATCH (node:{label}) RETURN node.space AS space")
        assert {str(row["space"]).split("/")[0] for row in spaces} == {KNOWLEDGE_SPACE}


# --- knowledge -------------------------------------------------------------------------------------------------------


def a_pack(version: str, *more: str, name: str = "mini", of: str = "pack") -> Knowledge:
    names = (f"{of} one", f"{of} two", *more)
    concepts = {entity.uid: entity for entity in (concept("Drug", name) for name in names)}
    one, two, *_ = concepts
    link = Link(
        relation=CROSS_REACTS_WITH,
        start=one,
        end=two,
        tier="B",
        rate="2 %",
        action="show",
        condition="if severe",
        source="a study",
        reviewed=True,
        checked_by="ann",
        checked_on="2026-11-20",
        rule="row-1",
        shares="a side chain",
    )
    return Knowledge(name=name, version=version, concepts=concepts, links=(link,))


async def test_a_pack_is_a_graph_of_its_own_space_and_replaced_as_a_whole(database: Database) -> None:
    patient = await a_declared_patient(database.store)
    await database.store.load_knowledge(a_pack("one", "pack three", "pack four"))
    await told(database.store, seen(patient, concept("Drug", "pack three")))
    await database.store.load_knowledge(a_pack("two"))
    links = await database.run(
        "MATCH (one:Drug {uid: 'knowledge/Drug/pack one'})-[link:CROSS_REACTS_WITH]->(two:Drug) "
        "RETURN two.id AS id, properties(link) AS link"
    )
    assert links == [
        {
            "id": "pack two",
            "link": {
                "space": KNOWLEDGE_SPACE,
                "pack": "mini",
                "pack_version": "two",
                "tier": "B",
                "rate": "2 %",
                "action": "show",
                "condition": "if severe",
                "source": "a study",
                "reviewed": True,
                "checked_by": "ann",
                "checked_on": "2026-11-20",
                "rule": "row-1",
                "shares": "a side chain",
                "usual": False,
            },
        }
    ]
    concepts = await database.run(
        "MATCH (node:Drug) WHERE node.uid STARTS WITH 'knowledge/Drug/pack ' "
        "RETURN node.id AS id, node.pack_version AS version, coalesce(node.retired, false) AS retired ORDER BY id"
    )
    assert concepts == [
        {"id": "pack one", "version": "two", "retired": False},
        {"id": "pack three", "version": "one", "retired": True},
        {"id": "pack two", "version": "two", "retired": False},
    ]
    await database.store.load_knowledge(a_pack("three", "pack three"))
    back = "MATCH (node:Drug {uid: 'knowledge/Drug/pack three'}) RETURN node.retired AS retired"
    assert await database.run(back) == [{"retired": None}]


async def test_packs_of_several_domains_lie_side_by_side(database: Database) -> None:
    """Several servers may share one Neo4j: none takes the other's knowledge away."""
    patient, other = await a_declared_patient(database.store), concept("Drug", "pack other")
    first = a_pack("one", "first three", name="first", of="first")
    await database.store.load_knowledge(first)
    await told(database.store, seen(patient, concept("Drug", "first three")))
    async with database_at(FixedEndpoint(database.endpoint), database.endpoint) as beside:
        await beside.store.prepare(replace(a_schema("another"), name="another"))
        second = Knowledge(name="second", version="a", concepts={other.uid: other})
        await beside.store.load_knowledge(second)
        assert await beside.store.inspect_knowledge(second) == ()
        assert (await beside.store.health()).pack_version == "a"
        assert (await beside.store.health()).schema_version == a_schema("another").version
    assert await database.store.inspect_knowledge(first) == ()
    assert (await database.store.health()).pack_version == "one"
    assert (await database.store.health()).schema_version == SCHEMA.version


async def test_a_concept_that_packs_share_is_each_ones_own_as_it_says(database: Database) -> None:
    store, shared = database.store, concept("Drug", "shared one")
    first = a_pack("one", "shared one", name="sharing", of="sharing")
    renamed = replace(shared, name="Shared, as others call it")
    second = Knowledge(name="sharer", version="a", concepts={shared.uid: renamed})
    for pack in (first, second):
        await store.load_knowledge(pack)

    assert await store.inspect_knowledge(first) == ()
    assert await store.inspect_knowledge(second) == ()

    await store.load_knowledge(replace(second, version="b", concepts={}))
    assert await store.inspect_knowledge(first) == ()
    await store.load_knowledge(replace(second, version="c"))
    await store.load_knowledge(a_pack("two", name="sharing", of="sharing"))
    assert await store.inspect_knowledge(a_pack("two", name="sharing", of="sharing")) == ()
    assert await store.inspect_knowledge(replace(second, version="c")) == ()


@pytest.mark.parametrize(
    "change", ["one.name = 'x'", "one.packs = ['damaging']", "one.says = []", "one.retired = true"]
)
async def test_a_shared_concept_that_somebody_changed_is_found_by_each_pack(database: Database, change: str) -> None:
    store, shared = database.store, concept("Drug", "damaged one")
    packs = [Knowledge(name=name, version=change, concepts={shared.uid: shared}) for name in ("damaging", "damager")]
    for pack in packs:
        await store.load_knowledge(pack)
        assert await store.inspect_knowledge(pack) == ()

    await database.run(f"MATCH (one:Entity {{uid: $uid}}) SET {change}", uid=shared.uid)

    found = [[item.where for item in await store.inspect_knowledge(pack)] for pack in packs]
    assert found == [[f"concept {shared.uid}"]] * 2


async def test_the_one_pack_of_an_earlier_version_becomes_its_own_and_nobody_elses(database: Database) -> None:
    former = a_pack("one", name="former", of="former")
    await database.store.load_knowledge(former)
    await database.run("MATCH (pack:Pack {name: 'former'}) SET pack.space = 'knowledge'")
    await database.run("MATCH (one:Entity {pack: 'former'}) REMOVE one.pack")
    await database.run("MATCH (:Entity)-[link:CROSS_REACTS_WITH {pack: 'former'}]->() REMOVE link.pack")
    await database.store.load_knowledge(Knowledge(name="newcomer", version="a"))
    await database.store.load_knowledge(former)
    assert await database.store.inspect_knowledge(former) == ()
    rows = await database.run("MATCH (pack:Pack {name: 'former'}) RETURN pack.space AS space")
    assert rows == [{"space": "knowledge/former"}]


async def test_two_processes_that_load_a_pack_at_once_load_it_once(database: Database) -> None:
    async with database_at(FixedEndpoint(database.endpoint), database.endpoint) as other:
        await other.store.prepare(SCHEMA)
        pack = a_pack("at once", "pack five")
        await asyncio.gather(database.store.load_knowledge(pack), other.store.load_knowledge(pack))
    rows = await database.run(
        "MATCH (one:Entity {uid: 'knowledge/Drug/pack one'})-[link:CROSS_REACTS_WITH]->(two:Entity) "
        "RETURN count(link) AS n"
    )
    assert only(rows, "n") == 1


@pytest.mark.proves("Z37")
async def test_new_labels_in_the_schema_do_not_break_nodes_made_under_the_old_ones(database: Database) -> None:
    """Labels are fixed at creation on ArcadeDB; a user may add some to the schema all the same."""
    patient = await a_declared_patient(database.store)
    word = unmapped(patient.space, "word")
    first = await told(database.store, seen(patient, word))
    await database.store.prepare(
        replace(a_schema("more labels"), labels={"Unmapped": ("Said",), "Patient": ("Person",)})
    )
    second = await told(database.store, seen(patient, word))
    await database.store.declare_subject(patient)
    assert (await database.store.neighbourhood(patient, RELATIONS)).facts == second.facts
    assert first.facts[0].fact_id == second.facts[0].fact_id
    await database.store.prepare(SCHEMA)


async def test_processes_that_prepare_a_new_schema_at_once_all_succeed(database: Database) -> None:
    names = [f"NEW_RELATION_{letter}" for letter in "ABC"]
    schema = a_schema("prepared by three")
    schema = replace(
        schema, relations={**schema.relations, **{name: replace(schema.relation(TAKES), name=name) for name in names}}
    )
    endpoint = database.endpoint
    async with (
        database_at(FixedEndpoint(endpoint), endpoint) as second,
        database_at(FixedEndpoint(endpoint), endpoint) as third,
    ):
        await asyncio.gather(*(item.store.prepare(schema) for item in (database, second, third)))
    assert (await database.store.health()).schema_version == "prepared by three"
    await database.store.prepare(SCHEMA)


# --- broken graphs ---------------------------------------------------------------------------------------------------


@pytest.mark.proves("Z16")
@pytest.mark.parametrize(
    "damage",
    ["SET fact.status = 'nonsense'", "SET fact.attrs = '[1'", "SET fact.last_seq = 'x'", "REMOVE fact.evidence"],
)
async def test_a_relation_with_an_altered_edge_is_named_and_the_others_are_read(
    database: Database, damage: str
) -> None:
    patient = await a_declared_patient(database.store)
    batch = await told(database.store, seen(patient), seen(patient, WARFARIN), seen(patient, WARFARIN, relation=TAKES))
    match = "MATCH (patient:Entity {uid: $uid})-[fact:HAS_ALLERGY_TO]->(object:Entity {uid: $object}) "
    await database.run(match + damage, uid=patient.uid, object=WARFARIN.uid)
    found = await database.store.neighbourhood(patient, RELATIONS)
    assert set(found.failed) == {ALLERGY}
    assert found.facts == (batch.facts[0], batch.facts[2])


@pytest.mark.proves("Z16")
@pytest.mark.parametrize(
    "damage",
    ["SET fact.evidence = 'nothing'", "SET fact.last_seq = toFloat(fact.last_seq)", "SET object.name = 'Aspirin'"],
)
async def test_an_edge_that_is_altered_after_it_was_read_is_named_by_the_very_next_read(
    database: Database, damage: str
) -> None:
    """A row that comes as before is not parsed again, and a number of another kind is another row."""
    patient = await a_declared_patient(database.store)
    await told(database.store, seen(patient), seen(patient, WARFARIN, relation=TAKES))
    first, again = [await database.store.neighbourhood(patient, RELATIONS) for _ in range(2)]
    assert all(fact is known for fact, known in zip(first.facts, again.facts, strict=True))
    match = "MATCH (patient:Entity {uid: $uid})-[fact:TAKES]->(object:Entity {uid: $object}) "
    before = await database.run(match + "RETURN object.name AS name", uid=patient.uid, object=WARFARIN.uid)

    await database.run(match + damage, uid=patient.uid, object=WARFARIN.uid)
    try:
        found = await database.store.neighbourhood(patient, RELATIONS)
    finally:  # the concept is everybody's
        name = only(before, "name")
        await database.run(match + "SET object.name = $name", uid=patient.uid, object=WARFARIN.uid, name=name)

    assert set(found.failed) == {TAKES}


@pytest.mark.proves("Z16")
async def test_when_the_one_query_fails_each_relation_is_asked_alone(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    patient = await a_declared_patient(database.store)
    batch = await told(database.store, seen(patient), seen(patient, WARFARIN, relation=TAKES))
    waiting = an_episode(patient)
    await database.store.add_episode(waiting)
    read, asked = Bolt.run, []

    async def failing(bolt: Bolt, query: object, parameters: Mapping[str, object], **more: object) -> object:
        text = query.text  # type: ignore[attr-defined]  # a Query
        asked.append(text)
        if ALLERGY in text:
            raise StoreError("the store refused it")
        return await read(bolt, query, parameters, **more)  # type: ignore[arg-type]  # as given

    monkeypatch.setattr(Bolt, "run", failing)
    found = await database.store.neighbourhood(patient, RELATIONS)
    assert dict(found.failed) == {ALLERGY: "the store refused it"}
    assert (found.facts, found.pending, found.watermark) == (batch.facts[1:], (waiting,), 2)
    assert len(asked) == 4


@pytest.mark.proves("Z15")
async def test_when_the_store_is_lost_nothing_is_asked_alone(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    patient = await a_declared_patient(database.store)
    asked = []

    async def lost(*_: object, **__: object) -> object:
        asked.append(1)
        raise StoreUnavailable("gone")

    monkeypatch.setattr(Bolt, "run", lost)
    with pytest.raises(StoreUnavailable):
        await database.store.neighbourhood(patient, RELATIONS)
    assert asked == [1]


@pytest.mark.proves("Z10", "Z16")
async def test_an_edge_that_belongs_to_somebody_else_is_named_and_not_passed_on(database: Database) -> None:
    patient = await a_declared_patient(database.store)
    await told(database.store, seen(patient))
    await database.run(
        "MATCH (patient:Entity {uid: $uid})-[fact:HAS_ALLERGY_TO]->(object:Entity) SET fact.subject_uid = 'a/b/c'",
        uid=patient.uid,
    )
    found = await database.store.neighbourhood(patient, RELATIONS)
    assert (found.facts, set(found.failed)) == ((), {ALLERGY})


@pytest.mark.proves("Z10")
async def test_an_edge_of_another_space_is_not_seen(database: Database) -> None:
    patient = await a_declared_patient(database.store)
    await told(database.store, seen(patient))
    await database.run(
        "MATCH (patient:Entity {uid: $uid})-[fact:HAS_ALLERGY_TO]->(object:Entity) SET fact.space = 'elsewhere'",
        uid=patient.uid,
    )
    assert (await database.store.neighbourhood(patient, RELATIONS)).facts == ()


async def test_an_altered_ledger_is_an_error_that_names_what_to_do(database: Database) -> None:
    patient = await a_declared_patient(database.store)
    await told(database.store, seen(patient))
    await database.run("MATCH (event:FactEvent {subject_uid: $uid}) SET event.kind = 'x'", uid=patient.uid)
    with pytest.raises(StoreError, match=r"'kind'; run `r-memory verify`"):
        await database.store.events(patient.uid)


# --- traversals ------------------------------------------------------------------------------------------------------

OWN = """\
// Facts about drugs that share a pack link with another fact's drug.
//
// mode: read
// param $subject_uid: unique key of the subject
// param $space: its space
// returns: relation, fact, object
MATCH (subject:Entity {uid: $subject_uid, space: $space})-[edge:TAKES]->(node:Entity)
RETURN type(edge) AS relation, properties(edge) AS fact, properties(node) AS object
ORDER BY edge.fact_id
"""


async def test_a_traversal_of_ones_own_adds_its_facts(database: Database) -> None:
    patient = await a_declared_patient(database.store)
    batch = await told(database.store, seen(patient), seen(patient, WARFARIN, relation=TAKES))
    check_traversal("cypher/recall/own.cypher", OWN)
    found = await database.store.neighbourhood(patient, (ALLERGY,), [Traversal(path="own", text=OWN)])
    assert (found.facts, dict(found.failed)) == (batch.facts, {})


MRI = parse_query(
    "recall/imaging_mri", (packaged_defaults() / "cypher/recall/imaging_mri.cypher").read_text(encoding="utf-8")
)


async def test_what_is_dangerous_in_a_scanner_is_found_along_any_relation_and_nothing_else_is(
    database: Database,
) -> None:
    patient = await a_declared_patient(database.store)
    batch = await told(database.store, seen(patient), seen(patient, WARFARIN, relation=TAKES))
    await database.run(
        "MERGE (scan:Entity {uid: 'knowledge/Procedure/mri'}) "
        "MERGE (drug:Entity {uid: $uid}) "
        "CREATE (scan)-[:IS_CONTRAINDICATED_WITH {space: 'knowledge'}]->(drug)",
        uid=WARFARIN.uid,
    )
    rows = await database.bolt.run(MRI, {"subject_uid": patient.uid, "space": patient.space})
    (taken,) = (fact.fact_id for fact in batch.facts if fact.relation == TAKES)
    assert [(row["relation"], row["fact"]["fact_id"], row["object"]["uid"]) for row in rows] == [
        (TAKES, taken, WARFARIN.uid)
    ]


async def test_what_others_have_of_the_same_things_is_not_walked_through(database: Database) -> None:
    """Behind a drug lie the facts of all who take it: at a million facts, 100 MB of them for one request."""
    if database.endpoint.engine != "arcadedb":
        pytest.skip("the plan is that of the embedded engine")
    for query in (MRI, LIBRARY["recall/facts"]):
        # Behind a word that somebody is called by lie those who are called so, and they are asked for.
        parts = [part for part in query.text.split("UNION ALL") if "ALIAS" not in part]
        plan = await planned(database.endpoint, replace(query, text="UNION ALL".join(parts)))
        assert "subject:Entity" in plan
        assert "<-" not in plan
        assert "-<" not in plan


async def test_whether_somebody_is_in_a_space_is_not_asked_of_every_entity_there_is(database: Database) -> None:
    """At a million facts each request about nobody known went through all of them on Neo4j."""
    if database.endpoint.engine == "arcadedb":
        pytest.skip("the plan is that of Neo4j")
    query = LIBRARY["read/anybody"]
    login = (database.endpoint.user, database.endpoint.password)
    async with AsyncGraphDatabase.driver(database.endpoint.uri, auth=login) as driver:
        found = await driver.execute_query(f"EXPLAIN {query.text}", {"space": "s", "type": "t"})
    assert "LabelScan" not in str(found.summary.plan)


async def test_a_fact_along_another_relation_is_written_by_a_text_that_neo4j_has_planned(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Planning it took three quarters of a second of the server for each relation and kind of object."""
    if database.endpoint.engine == "arcadedb":
        pytest.skip("the embedded engine takes names in the text alone")
    texts, run = set[str](), database.bolt.run

    async def noted(query: Query, *given: Any, **how: Any) -> list[dict[str, object]]:  # noqa: ANN401 - as `run` takes them
        texts.update({query.text} if query.path.endswith("append.cypher") else ())
        return await run(query, *given, **how)

    monkeypatch.setattr(database.bolt, "run", noted)
    patient = await a_declared_patient(database.store)
    allergy = await told(database.store, seen(patient))
    taken = await told(database.store, seen(patient, WARFARIN, relation=TAKES))

    assert len(texts) == 1
    found = await database.store.neighbourhood(patient, RELATIONS)
    assert {fact.fact_id for fact in found.facts} == {fact.fact_id for fact in (*allergy.facts, *taken.facts)}


async def planned(endpoint: Endpoint, query: Query) -> str:
    """How the embedded engine would carry the query out."""
    parameters = {"subject_uid": "u", "space": "s", "type": "t", "words": ["w"]}
    login = (endpoint.user, endpoint.password)
    async with AsyncGraphDatabase.driver(endpoint.uri, auth=login) as driver:
        found = await driver.execute_query(f"EXPLAIN {query.text}", parameters, database_=endpoint.database)
    assert found.summary.plan is not None
    return str(found.summary.plan["args"]["string-representation"])


@pytest.mark.proves("Z10", "Z16")
async def test_a_traversal_that_leads_to_somebody_else_is_named_and_not_passed_on(database: Database) -> None:
    patient = await a_declared_patient(database.store)
    other = await a_declared_patient(database.store, patient.space, "other")
    batch = await told(database.store, seen(patient))
    await told(database.store, seen(other, WARFARIN, relation=TAKES))
    text = OWN.replace("{uid: $subject_uid, space: $space}", "{space: $space}").replace("$subject_uid: ", "$x: ")
    text = text.replace("// param $x: unique key of the subject\n", "")
    found = await database.store.neighbourhood(patient, (ALLERGY,), [Traversal(path="own", text=text)])
    assert (found.facts, set(found.failed)) == (batch.facts, {"own"})


# --- the database is elsewhere, or does not answer -------------------------------------------------------------------


class Moving:
    """An `EndpointSource` that knows only when it is asked again."""

    def __init__(self, wrong: Endpoint, right: Endpoint) -> None:
        self._endpoints = [wrong, right]
        self.asked: list[bool] = []

    async def endpoint(self, *, refresh: bool) -> Endpoint:
        self.asked.append(refresh)
        return self._endpoints[-1] if refresh else self._endpoints[0]

    async def proved(self, endpoint: Endpoint) -> bool:
        return endpoint in self._endpoints

    def turn(self) -> contextlib.AbstractAsyncContextManager[None]:
        return contextlib.nullcontext()

    async def close(self) -> None:
        pass


@pytest.mark.proves("Z15")
@pytest.mark.parametrize("trouble", ["nobody there", "wrong password"])
async def test_a_database_that_moved_is_found_again(database: Database, trouble: str) -> None:
    right = database.endpoint
    wrong = replace(right, uri="bolt://127.0.0.1:1") if trouble == "nobody there" else replace(right, password="wrong")
    source = Moving(wrong, right)
    async with database_at(source, right) as moved:
        await moved.store.prepare(SCHEMA)
        patient = await a_declared_patient(moved.store)
        batch = await told(moved.store, seen(patient))
        assert (await database.store.neighbourhood(patient, RELATIONS)).facts == batch.facts
    assert source.asked == [False, True]


@pytest.mark.proves("Z15", "Z35")
@pytest.mark.parametrize("trouble", ["nobody there", "wrong password", "bad address"])
async def test_a_database_out_of_reach_is_unavailable_without_a_word_about_secrets(
    database: Database, trouble: str
) -> None:
    right = database.endpoint
    wrong = {
        "nobody there": replace(right, uri="bolt://127.0.0.1:1", password="hunter2"),
        "wrong password": replace(right, password="hunter2"),
        "bad address": replace(right, uri="gopher://127.0.0.1:1", password="hunter2"),
    }[trouble]
    store = CypherStore(Bolt(FixedEndpoint(wrong)), LIBRARY)
    kind = "ConfigurationError" if trouble == "bad address" else "StoreUnavailable"
    try:
        with pytest.raises(Exception, match=r"store") as caught:
            await store.neighbourhood(await a_declared_patient(database.store), RELATIONS)
    finally:
        await store.close()
    assert (type(caught.value).__name__, "hunter2" in str(caught.value)) == (kind, False)
    assert "hunter2" not in repr(wrong)


async def test_a_closed_store_says_so(database: Database) -> None:
    await database.store.close()
    with pytest.raises(StoreUnavailable, match="closed"):
        await database.store.health()


@pytest.mark.proves("Z15")
async def test_a_read_that_takes_too_long_is_unavailable(database: Database) -> None:
    slow = "MATCH (one:Entity) MATCH (two:Entity) MATCH (three:Entity) UNWIND range(1, 100000) AS n RETURN sum(n) AS n"
    bolt = Bolt(FixedEndpoint(database.endpoint), limit_s=0.2)
    hurried = Database(store=CypherStore(bolt, LIBRARY), bolt=bolt, endpoint=database.endpoint)
    try:
        with pytest.raises(StoreUnavailable, match=r"within 0\.2 s"):
            await hurried.run(slow)
    finally:
        await bolt.close()


# --- other people's queries ------------------------------------------------------------------------------------------


async def test_an_audit_gives_rows_of_the_own_space_only(database: Database) -> None:
    ours = await a_declared_patient(database.store)
    theirs = await a_declared_patient(database.store)
    for number in range(3):
        await a_declared_patient(database.store, ours.space, f"P{number}")
        await a_declared_patient(database.store, theirs.space, f"P{number}")
    query = "MATCH (patient:Patient) RETURN patient.space AS space, patient.id AS id ORDER BY space, id"
    table = await database.store.read(query, space=ours.space, limit=3)
    assert table.columns == ("space", "id")
    assert table.rows == tuple((ours.space, id_) for id_ in ("JD001", "P0", "P1"))
    assert table.truncated
    whole = await database.store.read(query, space=ours.space, limit=4)
    assert (len(whole.rows), whole.truncated) == (4, False)


async def test_an_audit_gives_plain_values(database: Database) -> None:
    patient = await a_declared_patient(database.store)
    await told(database.store, seen(patient, status=Status.UNCONFIRMED))
    query = (
        "MATCH path = (patient:Patient {space: $space})-[fact:HAS_ALLERGY_TO]->(drug:Drug) "
        "RETURN patient.space AS space, patient, path, [fact, 1, {a: drug.name}] AS mixed, null AS nothing, "
        "1.5 AS number"
    )
    table = await database.store.read(query, space=patient.space)
    row = json.loads(json.dumps(table.rows[0]))
    assert row[1]["id"] == "JD001"
    assert [step.get("fact_id") is not None for step in row[2]] == [False, True, False]
    assert row[3][0]["status"] == "unconfirmed"
    assert row[3][1:] == [1, {"a": PENICILLIN.name}]
    assert row[4:] == [None, 1.5]


@pytest.mark.parametrize(
    "query",
    [
        "MATCH (patient:Patient) RETURN patient.id AS id",
        "MATCH (patient:Patient) RETURN patient.spaces(1) AS space",
        "RETURN nonsense",
        "CREATE (node:Entity {uid: 'x'}) RETURN node.space AS space",
    ],
)
async def test_a_query_that_is_no_audit_is_refused(database: Database, query: str) -> None:
    await a_declared_patient(database.store)
    with pytest.raises(InvalidInput):
        await database.store.read(query, space="any")


async def test_the_database_itself_refuses_to_write_for_a_reader(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever gets past our own gate."""
    patient = await a_declared_patient(database.store)
    monkeypatch.setattr("r_memory.store.cypher_store.check_read_only", lambda _: None)
    for write in (
        "CREATE (node:Entity {uid: 'sneaked', space: 's'}) RETURN node.space AS space",
        "MATCH (patient:Patient {uid: $space}) SET patient.name = 'x' RETURN patient.space AS space",
        "MATCH (patient:Patient) DETACH DELETE patient",
    ):
        with pytest.raises(InvalidInput, match="refused"):
            await database.store.read(write, space=patient.uid)
    assert await database.store.subjects(patient.space, "Patient") == (patient,)
    assert await database.run("MATCH (node:Entity {uid: 'sneaked'}) RETURN node") == []


def test_every_reading_query_of_the_store_passes_the_gate_that_others_must_pass() -> None:
    for name, query in LIBRARY.items():
        if query.mode == "read":
            check_read_only(query.text)
        else:
            assert name.startswith(("write/", "setup/", "stream/", "erase/"))


@pytest.mark.proves("Z18")
async def test_a_write_whose_answer_was_lost_is_repeated_without_doubling(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The connection dies after the commit and before its acknowledgement."""
    patient = await a_declared_patient(database.store)
    episode = an_episode(patient)
    await database.store.add_episode(episode)
    once, write, lost = Bolt.run, Bolt.write, []

    async def twice_one(bolt: Bolt, query: Query, parameters: Mapping[str, object], **more: object) -> object:
        if query.mode == "write":
            lost.append(await once(bolt, query, parameters, **more))  # type: ignore[arg-type]  # as given
        return await once(bolt, query, parameters, **more)  # type: ignore[arg-type]  # as given

    async def twice(bolt: Bolt, work: object, **more: object) -> object:
        lost.append(await write(bolt, work, **more))  # type: ignore[arg-type]  # as given
        return await write(bolt, work, **more)  # type: ignore[arg-type]  # as given

    monkeypatch.setattr(Bolt, "run", twice_one)
    monkeypatch.setattr(Bolt, "write", twice)
    await database.store.declare_subject(patient)
    assert await database.store.add_episode(replace(episode, id="second")) == (replace(episode, id="second"),)
    one = await told(database.store, seen(patient))
    several = await told(database.store, seen(patient), seen(patient, WARFARIN, relation=TAKES))
    await database.store.add_receipt(a_receipt(patient, "01J"))
    await database.store.replace_state(patient, several.facts)
    assert len(lost) == 8
    assert await database.store.events(patient.uid) == (*one.events, *several.events)
    found = await database.store.neighbourhood(patient, RELATIONS)
    assert (found.facts, len(found.pending)) == (
        tuple(sorted(several.facts, key=lambda fact: fact.last_seq)),
        2,
    )
    assert len(await database.store.receipts(patient.space, patient.uid)) == 1
    assert {episode.status for episode in found.pending} == {EpisodeStatus.PENDING}
