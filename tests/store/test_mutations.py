"""What a read answers once somebody added, changed, moved, doubled or took away a part of the graph by hand: the truth,
or that it could not check. And `verify` finds it.

Every property, label and relationship type that is written is tried, on both stores.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from r_memory.errors import InvalidInput, RMemoryError, StoreError, WriteConflict
from r_memory.facts.facts import Facts
from r_memory.space.integrity import verify_space
from r_memory.store.bolt import Endpoint
from r_memory.testing.clock import FixedClock
from tests.doubles import scripted_reader
from tests.store.full_space import a_full_space
from tests.store.stores import Database, engine_at
from tests.store.test_tampering import (
    EDGES,
    NO_KNOWLEDGE,
    NODES,
    SAYS_NOTHING,
    Part,
    edges,
    nodes,
    one_of_each_kind,
    otherwise,
    telling,
)
from tests.store.world import SCHEMA, WARFARIN, a_declared_patient, a_receipt, seen, told

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("one_look")]

READ = ("Entity/Patient", "Entity/Unmapped", "Drug/DrugClass/Entity", "Drug/Entity", "Episode", *EDGES)
"""Kinds of what a read passes."""


@pytest.fixture
def one_look(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody writes meanwhile: what is found need not be looked at again."""
    monkeypatch.setattr("r_memory.space.integrity._LOOKS", 1)
    monkeypatch.setattr("r_memory.store.cypher_store._LOOKS", 1)


def every(of_embedded: Iterable[str], of_neo4j: Iterable[str]) -> pytest.MarkDecorator:
    """All on the embedded store, and some on Neo4j, where a look takes five times as long and runs the same queries."""
    tried = [pytest.param("embedded", item) for item in of_embedded]
    tried += [pytest.param("neo4j_526", item, marks=pytest.mark.neo4j) for item in of_neo4j]
    return pytest.mark.parametrize(("engine_place", "kind"), tried, indirect=["engine_place"])


@pytest.fixture(params=["embedded", pytest.param("neo4j_526", marks=pytest.mark.neo4j)])
def engine_place(request: pytest.FixtureRequest) -> Endpoint:
    return engine_at(request)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a request about a subject is told."""

    facts: tuple[tuple[str, str, str, str], ...]
    pending: tuple[str, ...]


REFUSED = None
"""Instead of an answer: the read says that it could not check."""


async def read(database: Database, space: str, word: str) -> Answer | None:
    """The answer to a request about whom the word means."""
    facts = Facts(database.store, scripted_reader(SCHEMA), FixedClock(), space=space)
    recall = None
    try:
        recall = await facts.recalling.unrecorded("Prescribe something.", subject=word)
        why = "" if recall.complete else recall.unavailable + "".join(outcome.reason for outcome in recall.outcomes)
    except StoreError as error:
        why = str(error)
    if why or recall is None:
        assert "r-memory verify" in why or "r-memory doctor" in why
        return REFUSED
    found = (line.fact for line in recall.lines)
    return Answer(
        facts=tuple(
            sorted((item.relation, item.object.name, str(item.attrs.get("severity")), item.status) for item in found)
        ),
        pending=tuple(episode.text for episode in recall.pending),
    )


async def judged(database: Database, space: str, before: Answer, *, is_looked_for: bool = True) -> str:
    """What is wrong with how a mutation was met by reads, and by `verify` if it `is_looked_for`; empty for nothing."""
    wrong = []
    for word in ("JD001", "John Doe"):
        try:
            answer = await read(database, space, word)
        except RMemoryError as error:
            wrong.append(f"{word}: {type(error).__name__}")
        else:
            wrong += [f"{word}: answered otherwise"] if answer not in {before, REFUSED} else []
    if is_looked_for and (await verify_space(database.store, SCHEMA, NO_KNOWLEDGE, space)).whole:
        wrong.append("verify: whole")
    return ", ".join(wrong)


async def a_space_to_mutate(database: Database) -> tuple[str, Answer]:
    """Everything of somebody, somebody else of whom something is, and what is answered."""
    space = await a_full_space(database)
    other = await a_declared_patient(database.store, space, "AB001", "Ann Bell")
    await told(database.store, seen(other, WARFARIN), conversation="another")
    await database.store.add_receipt(a_receipt(other, f"02J{space}"))
    before = await read(database, space, "JD001")
    assert before is not None
    assert (len(before.facts), len(before.pending)) == (3, 1)
    assert (await verify_space(database.store, SCHEMA, NO_KNOWLEDGE, space)).differences == ()
    return space, before


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutation:
    """One thing done by hand."""

    what: str
    text: str
    kind: str
    """Of the part that it is done to."""


def of_relationship(edge: str) -> Iterator[Mutation]:
    """Everything that is done to a relationship `x` from `a` to `b`; `c` and `d` are others of the kinds of these."""
    for what, text in (
        ("doubled", "CREATE (a)-[g:TYPE]->(b) SET g = properties(x)"),
        ("doubled without properties", "CREATE (a)-[g:TYPE]->(b)"),
        ("added to another end", "CREATE (a)-[g:TYPE]->(d) SET g = properties(x)"),
        ("added from another start", "CREATE (c)-[g:TYPE]->(b) SET g = properties(x)"),
        ("added between others", "CREATE (c)-[g:TYPE]->(d) SET g = properties(x)"),
        ("added the other way round", "CREATE (b)-[g:TYPE]->(a) SET g = properties(x)"),
        ("moved to another end", "CREATE (a)-[g:TYPE]->(d) SET g = properties(x) DELETE x"),
        ("moved to another start", "CREATE (c)-[g:TYPE]->(b) SET g = properties(x) DELETE x"),
        ("turned round", "CREATE (b)-[g:TYPE]->(a) SET g = properties(x) DELETE x"),
        ("removed", "DELETE x"),
    ):
        yield Mutation(what=what, text=text.replace("TYPE", edge), kind=edge)
    for other in EDGES:
        if other != edge:
            yield Mutation(
                what=f"doubled as {other}", text=f"CREATE (a)-[g:{other}]->(b) SET g = properties(x)", kind=edge
            )
            yield Mutation(
                what=f"made one of {other}",
                text=f"CREATE (a)-[g:{other}]->(b) SET g = properties(x) DELETE x",
                kind=edge,
            )


ENDS = {
    "ABOUT": ("FactEvent", "Patient"),
    "AWAITS": ("Patient", "Episode"),
    "CONCERNS": ("Episode", "Patient"),
    "EVIDENCED_BY": ("FactEvent", "Episode"),
    "HAS_ALLERGY_TO": ("Patient", "Entity"),
    "PART_OF": ("Memory", "Conversation"),
    "SHOWED": ("Recall", "Patient"),
    "TAKES": ("Patient", "Entity"),
}


@pytest.mark.timeout(900)
@every(EDGES, ["HAS_ALLERGY_TO"])
async def test_a_relationship_that_is_added_moved_doubled_or_removed_is_found_and_answers_nothing(
    database: Database, kind: str
) -> None:
    edge = kind
    space, before = await a_space_to_mutate(database)
    start, end = ENDS[edge]
    [row] = await database.run(
        f"MATCH (a:{start})-[x:{edge}]->(b:{end}) WHERE a.space = $space AND a.removed_id IS NULL "
        f"AND (NOT a:Patient OR a.id = 'JD001') AND (NOT b:Patient OR b.id = 'JD001') "
        f"MATCH (c:{start}) WHERE c.space = $space AND c.removed_id IS NULL AND c <> a AND c <> b "
        f"MATCH (d:{end}) WHERE d.space IN [$space, 'knowledge'] AND d <> a AND d <> b AND d <> c "
        "RETURN elementId(a) AS a, elementId(b) AS b, elementId(c) AS c, elementId(d) AS d, properties(x) AS stored "
        "ORDER BY a, b, c, d LIMIT 1",
        space=space,
    )
    ends = {name: row[name] for name in "abcd"}
    four = "MATCH (a) WHERE elementId(a) = $a MATCH (b) WHERE elementId(b) = $b "
    four += "MATCH (c) WHERE elementId(c) = $c MATCH (d) WHERE elementId(d) = $d "
    wrong = []
    for mutation in of_relationship(edge):
        known = {part.id for part in await edges(database, space)}
        await database.run(f"{four} MATCH (a)-[x:{edge}]->(b) {mutation.text}", **ends)
        if problem := await judged(database, space, before):
            wrong.append(f"{edge} {mutation.what}: {problem}")
        touching = "MATCH (one)-[g]->(two) WHERE elementId(one) IN $ends AND elementId(two) IN $ends "
        rows = await database.run(f"{touching} RETURN elementId(g) AS id", ends=[*ends.values()])
        for new in {str(item["id"]) for item in rows} - known:
            await database.run("MATCH ()-[g]->() WHERE elementId(g) = $id DELETE g", id=new)
        if mutation.text.endswith("DELETE x"):
            again = f"{four} CREATE (a)-[x:{edge}]->(b) SET x = $stored"
            await database.run(again, **ends, stored=row["stored"])
    assert wrong == []
    assert await judged(database, space, before) == "verify: whole"


LABELS = ("Entity", "Patient", "Episode", "Strange")


@pytest.mark.timeout(900)
@every(NODES, ["Entity/Patient"])
async def test_a_label_that_is_added_or_removed_is_found_and_answers_nothing(database: Database, kind: str) -> None:
    wrong = []
    own = kind.split("/")
    for text in (*(f"REMOVE x:{label}" for label in own), *(f"SET x:{label}" for label in LABELS if label not in own)):
        space, before = await a_space_to_mutate(database)
        parts = [part for part in await nodes(database, space) if part.kind == kind]
        part = next((part for part in parts if part.properties.get("id") == "JD001"), parts[0])
        try:
            await database.run(f"{part.match} {text}", id=part.id)
        except StoreError:  # the database itself refuses it
            continue
        if problem := await judged(database, space, before):
            wrong.append(f"{kind} {text}: {problem}")
        # Others of the module count what has no label of ours.
        await database.run(f"{part.match} DETACH DELETE x", id=part.id)
    assert wrong == []


async def mutated_properties(
    database: Database, parts: Sequence[Part], space: str, before: Answer, objects: Sequence[Part]
) -> list[str]:
    """What is wrong with how changes, losses and additions of properties are met; each is put back as it was."""
    wrong = []
    for part in parts:
        # Codes, aliases and what else a concept has are the pack's matter, which nothing here loaded.
        names = ("id", "name", "space", "type", "uid") if part in objects else sorted({*telling(part), "put_there"})
        for name in names:
            was: Any = part.properties.get(name)
            for value in ("by hand",) if was is None else (otherwise(was), None):
                try:
                    await database.run(f"{part.match} SET x += $change", id=part.id, change={name: value})
                except (InvalidInput, WriteConflict):  # the database itself takes no key twice
                    continue
                # That `verify` finds every change and loss, `test_tampering` shows.
                if problem := await judged(database, space, before, is_looked_for=was is None or part in objects):
                    wrong.append(f"{part.kind}: {name} = {value!r}: {problem}")
                await database.run(f"{part.match} SET x += $was", id=part.id, was={name: was})
    return wrong


@pytest.mark.timeout(900)
async def test_a_property_that_is_added_changed_or_removed_where_a_read_passes_is_found_and_answers_nothing(
    database: Database,
) -> None:
    space, before = await a_space_to_mutate(database)
    rows = await database.run(
        "MATCH (p:Patient {space: $space, id: 'JD001'})-[f]->(x:Entity) WHERE x.space = 'knowledge' "
        "RETURN elementId(x) AS id, labels(x) AS labels, properties(x) AS properties",
        space=space,
    )
    found: list[Any] = list(rows)
    objects = [
        Part(
            kind="/".join(sorted(row["labels"])),
            match="MATCH (x) WHERE elementId(x) = $id",
            id=row["id"],
            properties=row["properties"],
        )
        for row in found
    ]
    parts = [*await nodes(database, space), *await edges(database, space)]
    mine = [part for part in parts if part.kind != "Entity/Patient" or part.properties["id"] == "JD001"]
    read_ = [part for part in one_of_each_kind(mine) if part.kind in READ]

    wrong = await mutated_properties(database, [*read_, *objects], space, before, objects)

    assert " | ".join(wrong) == ""


@pytest.mark.timeout(900)
async def test_a_property_that_is_added_to_any_node_or_relationship_is_found(database: Database) -> None:
    space, before = await a_space_to_mutate(database)
    wrong = []
    for part in one_of_each_kind([*await nodes(database, space), *await edges(database, space)]):
        await database.run(f"{part.match} SET x.put_there = 'by hand'", id=part.id)
        if problem := await judged(database, space, before):
            wrong.append(f"{part.kind}: {problem}")
        await database.run(f"{part.match} REMOVE x.put_there", id=part.id)
    assert wrong == []
    assert set(SAYS_NOTHING) <= {"", *NODES}


@pytest.mark.timeout(900)
@every(NODES, ["Entity/Patient", "FactEvent"])
async def test_a_node_that_is_doubled_under_another_key_is_found_and_answers_nothing(
    database: Database, kind: str
) -> None:
    space, before = await a_space_to_mutate(database)
    parts = [part for part in await nodes(database, space) if part.kind == kind]
    part = next((part for part in parts if part.properties.get("id") == "JD001"), parts[0])
    labels = "".join(f":{label}" for label in kind.split("/"))
    keys = [name for name in ("uid", "id", "chain_key", "version") if name in part.properties]
    other = {name: otherwise(part.properties[name]) for name in keys}
    other |= {"seq": 1_000} if kind == "Entry" else {}
    if kind in {"Log", "Stream"}:  # a space is their key
        return
    await database.run(f"CREATE (y{labels}) SET y = $properties", properties={**part.properties, **other})

    assert await judged(database, space, before) == ""
