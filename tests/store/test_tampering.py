"""What somebody who reaches the database itself can change without `verify` saying so: nothing.

Every property of every node and every relationship of a space is changed and taken away, one at a time; every node and
every relationship is removed. What says nothing by itself is named in `SAYS_NOTHING`, with the reason.
"""

from collections.abc import Mapping
from typing import Any

import pytest

from r_memory.domain.knowledge import Knowledge
from r_memory.errors import WriteConflict
from r_memory.space.integrity import Verification, verify_space
from tests.store.stores import Database
from tests.store.world import (
    SCHEMA,
    TAKES,
    WARFARIN,
    a_declared_patient,
    a_patient,
    a_receipt,
    an_episode,
    seen,
    told,
    unmapped,
)

pytestmark = pytest.mark.anyio

SAYS_NOTHING = {"claimed"}
"""`claimed` is a lock: whoever writes first, writes it, so that others wait."""
NO_KNOWLEDGE = Knowledge(name="none", version="none", concepts={}, links=())


async def a_full_space(database: Database) -> str:
    """Somebody of whom everything is recorded, and somebody of whom nothing is."""
    store = database.store
    patient = await a_declared_patient(store)
    await told(store, seen(patient))
    await told(store, seen(patient, unmapped(patient.space, "zyloflurane"), attrs={"severity": "mild", "dose": 0.5}))
    await told(store, seen(patient, WARFARIN, relation=TAKES), conversation="visit")
    await store.add_episode(an_episode(patient, "It itched."))
    await store.add_receipt(a_receipt(patient, f"01J{patient.space}"))
    await store.declare_subject(a_patient(patient.space, "JR002", "Jane Roe"))
    return patient.space


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


async def nodes(database: Database, space: str) -> list[dict[str, Any]]:
    return await database.run(
        "MATCH (node) WHERE node.space = $space RETURN elementId(node) AS id, labels(node) AS labels, "
        "properties(node) AS properties",
        space=space,
    )


async def edges(database: Database, space: str) -> list[dict[str, Any]]:
    return await database.run(
        "MATCH (a)-[edge]->(b) WHERE a.space = $space AND edge.space = $space RETURN elementId(edge) AS id, "
        "type(edge) AS type, elementId(a) AS start, elementId(b) AS end, properties(edge) AS properties",
        space=space,
    )


async def missed(
    database: Database, space: str, what: str, match: str, id_: str, properties: Mapping[str, object]
) -> list[str]:
    """The properties whose change, or loss, is not found; each is put back as it was."""
    missing = []
    for name in sorted(set(properties) - SAYS_NOTHING):
        for value in (otherwise(properties[name]), None):
            try:
                await database.run(f"{match} SET x += $change", id=id_, change={name: value})
            except WriteConflict:  # the database itself takes no key twice
                continue
            if (await found(database, space)).whole:
                missing.append(f"{what}: {name} = {value!r}")
            await database.run(f"{match} SET x += $was", id=id_, was={name: properties[name]})
    return missing


async def test_every_change_of_every_property_of_every_node_is_found(database: Database) -> None:
    space = await a_full_space(database)
    assert (await found(database, space)).differences == ()

    missing = []
    for node in await nodes(database, space):
        match = "MATCH (x) WHERE elementId(x) = $id"
        missing += await missed(database, space, "/".join(node["labels"]), match, node["id"], node["properties"])

    assert " | ".join(missing) == ""
    assert (await found(database, space)).differences == ()


async def test_every_change_of_every_property_of_every_relationship_is_found(database: Database) -> None:
    space = await a_full_space(database)

    missing = []
    for edge in await edges(database, space):
        match = "MATCH ()-[x]->() WHERE elementId(x) = $id"
        missing += await missed(database, space, edge["type"], match, edge["id"], edge["properties"])

    assert " | ".join(missing) == ""
    assert (await found(database, space)).differences == ()


async def test_every_node_and_every_relationship_that_is_taken_away_is_missed(database: Database) -> None:
    kinds: dict[str, str] = {}
    space = await a_full_space(database)
    kinds |= {"/".join(node["labels"]): "node" for node in await nodes(database, space)}
    kinds |= {edge["type"]: "edge" for edge in await edges(database, space)}

    missing = []
    for name, kind in kinds.items():
        space = await a_full_space(database)
        if kind == "node":
            (first, *_) = [one for one in await nodes(database, space) if "/".join(one["labels"]) == name]
            await database.run("MATCH (x) WHERE elementId(x) = $id DETACH DELETE x", id=first["id"])
        else:
            (first, *_) = [one for one in await edges(database, space) if one["type"] == name]
            await database.run("MATCH ()-[x]->() WHERE elementId(x) = $id DELETE x", id=first["id"])
        if (await found(database, space)).whole:
            missing.append(name)

    assert " | ".join(missing) == ""
