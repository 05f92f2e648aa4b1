"""An import, a rebuild and an erasure that are killed at every step: nobody is told that nothing was recorded, what is
wrong is named, and the same call ends it.
"""

from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

import pytest

from r_memory.domain.log import IMPORT
from r_memory.errors import LedgerBroken, StoreError, SubjectUnknown
from r_memory.facts.facts import Facts
from r_memory.space.integrity import verify_space
from r_memory.space.space import Space
from r_memory.store.bolt import Bolt, Endpoint
from r_memory.store.queries import Query
from r_memory.testing.clock import FixedClock
from tests.doubles import scripted_reader
from tests.store.full_space import a_full_space
from tests.store.stores import Database, engine_at
from tests.store.test_mutations import REFUSED, Answer, read
from tests.store.test_tampering import NO_KNOWLEDGE
from tests.store.world import (
    ALLERGY,
    SCHEMA,
    WARFARIN,
    a_declared_patient,
    a_patient,
    an_episode,
    next_batch,
    seen,
    told,
)

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("one_look")]

PEOPLE = ("JD001", "AB001")


@pytest.fixture(params=["embedded", pytest.param("neo4j_526", marks=pytest.mark.neo4j)])
def engine_place(request: pytest.FixtureRequest) -> Endpoint:
    return engine_at(request)


@pytest.fixture
def one_look(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody writes meanwhile."""
    monkeypatch.setattr("r_memory.space.integrity._LOOKS", 1)
    monkeypatch.setattr("r_memory.store.cypher_store._LOOKS", 1)


class Killed(BaseException):
    """The process ends here: nothing catches it, and the database rolls back what was not committed."""


@contextmanager
def killed_after(bolt: Bolt, writes: int, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """So many writing statements get through, those of one transaction each by itself."""
    left = iter(range(writes))
    run, write = bolt.run, bolt.write

    def count() -> None:
        if next(left, None) is None:
            raise Killed

    async def counted_run(query: Query, parameters: Mapping[str, object], **limits: Any) -> object:  # noqa: ANN401
        if query.mode == "write":
            count()
        return await run(query, parameters, **limits)

    async def counted_write(work: Callable[..., Awaitable[object]], **limits: Any) -> object:  # noqa: ANN401
        async def counted_work(inner: Callable[..., Awaitable[object]]) -> object:
            async def statement(text: str, parameters: Mapping[str, object]) -> object:
                count()
                return await inner(text, parameters)

            return await work(statement)

        return await write(cast("Any", counted_work), **limits)

    with monkeypatch.context() as patch:
        patch.setattr(bolt, "run", counted_run)
        patch.setattr(bolt, "write", counted_write)
        yield


def stride(database: Database) -> int:
    """Every step on the embedded store; on Neo4j, where each takes five times as long, some."""
    return 4 if database.endpoint.engine == "neo4j" else 1


def space_of(database: Database, space: str) -> Space:
    store = database.store
    facts = Facts(store, scripted_reader(SCHEMA), FixedClock(), space=space)
    return Space(facts=facts, stream=store.stream, conversations=store.conversations, clock=FixedClock())


async def a_space(database: Database) -> str:
    space = await a_full_space(database)
    ann = await a_declared_patient(database.store, space, "AB001", "Ann Bell")
    await told(database.store, seen(ann, WARFARIN))
    await database.store.add_episode(an_episode(ann, "It itched as well."))
    return space


async def answers(database: Database, space: str) -> dict[str, Answer | str | None]:
    """What is told of each person: an answer, that nobody is known, or nothing."""
    found: dict[str, Answer | str | None] = {}
    for id_ in PEOPLE:
        try:
            found[id_] = await read(database, space, id_)
        except SubjectUnknown:
            found[id_] = "nobody"
    return found


async def dies(work: Awaitable[object]) -> bool:
    """Whether the work was killed."""
    try:
        await work
    except Killed:
        return True
    return False


async def emptied(database: Database, space: str) -> None:
    await database.run("MATCH (node) WHERE node.space = $space DETACH DELETE node", space=space)


@pytest.mark.timeout(600)
async def test_an_import_that_is_killed_anywhere_is_never_an_answer_and_ends_when_it_is_done_again(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    space = await a_space(database)
    path = tmp_path / "all.jsonl"
    await space_of(database, space).export(path)
    truth = await answers(database, space)
    assert REFUSED not in truth.values()
    nobody = dict.fromkeys(PEOPLE, "nobody")

    steps, wrong, whole = 0, [], False
    while not whole:
        await emptied(database, space)
        with killed_after(database.bolt, steps, monkeypatch):
            whole = not await dies(space_of(database, space).import_(path))
        told_of = await answers(database, space)
        found = await verify_space(database.store, SCHEMA, NO_KNOWLEDGE, space)
        named = any(difference.where == IMPORT for difference in found.differences)
        if not (whole or steps == 0) and not named:
            wrong.append(f"{steps}: nothing says that an import has not ended")
        if told_of != nobody if steps == 0 else any(told_of[id_] not in {truth[id_], REFUSED} for id_ in PEOPLE):
            wrong.append(f"{steps}: {told_of}")
        await space_of(database, space).import_(path)
        if await answers(database, space) != truth or not (await verified(database, space)):
            wrong.append(f"{steps}: importing again does not end it")
        steps += stride(database)

    assert wrong == []
    assert steps > 20


async def verified(database: Database, space: str) -> bool:
    return (await verify_space(database.store, SCHEMA, NO_KNOWLEDGE, space)).whole


@pytest.mark.timeout(600)
async def test_a_rebuild_that_is_killed_anywhere_changes_nothing_and_can_be_done_again(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    space = await a_space(database)
    truth = await answers(database, space)

    steps, whole = 0, False
    while not whole:
        await database.run("MATCH (p:Patient {space: $space})-[fact:HAS_ALLERGY_TO]->() DELETE fact", space=space)
        with killed_after(database.bolt, steps, monkeypatch):
            whole = not await dies(space_of(database, space).rebuild())
        told_of = await answers(database, space)
        assert all(told_of[id_] in {truth[id_], REFUSED} for id_ in PEOPLE)
        await space_of(database, space).rebuild()
        assert await answers(database, space) == truth
        steps += stride(database)

    assert await verified(database, space)
    assert steps > 5


@pytest.mark.timeout(600)
async def test_an_erasure_that_is_killed_anywhere_leaves_the_person_or_the_trace(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    space = await a_space(database)
    path = tmp_path / "all.jsonl"
    await space_of(database, space).export(path)
    truth = await answers(database, space)
    order = {"actor": "Dr Ada", "reason": "request 17"}

    steps, whole = 0, False
    while not whole:
        await emptied(database, space)
        await space_of(database, space).import_(path)
        with killed_after(database.bolt, steps, monkeypatch):
            whole = not await dies(space_of(database, space).forget("JD001", **order))
        told_of = await answers(database, space)
        assert told_of["AB001"] == truth["AB001"]
        assert told_of["JD001"] in {truth["JD001"], REFUSED, "nobody"}
        assert await verified(database, space)
        if told_of["JD001"] != "nobody":
            await space_of(database, space).forget("JD001", **order)
        assert (await answers(database, space))["JD001"] == "nobody"
        assert await verified(database, space)
        steps += stride(database)

    assert steps > 5


async def test_while_an_import_has_not_ended_nobody_else_adds_people_or_facts_and_nothing_is_exported(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What others add would make another history of it, and the import could never end."""
    space = await a_space(database)
    path = tmp_path / "all.jsonl"
    await space_of(database, space).export(path)
    store = database.store
    await emptied(database, space)
    with killed_after(database.bolt, 3, monkeypatch):
        assert await dies(space_of(database, space).import_(path))
    (ann,) = await store.subjects(space, SCHEMA.subject)

    with pytest.raises(LedgerBroken, match="has not ended"):
        await store.declare_subject(a_patient(space, "NEW01", "Norma New"))
    said = an_episode(ann, "I take warfarin.")
    await store.add_episode(said)
    with pytest.raises(LedgerBroken, match="has not ended"):
        await store.append(await next_batch(store, said, seen(ann, WARFARIN)))
    with pytest.raises(LedgerBroken, match="has not ended"):
        await space_of(database, space).export(tmp_path / "half.jsonl")
    with pytest.raises(StoreError, match="has not ended"):
        await space_of(database, space).to_erase("Norma New")

    await space_of(database, space).import_(path)
    await store.append(await next_batch(store, said, seen(ann, WARFARIN, relation=ALLERGY)))
    await store.declare_subject(a_patient(space, "NEW01", "Norma New"))
    assert await verified(database, space)
