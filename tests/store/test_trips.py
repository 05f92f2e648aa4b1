"""How often a call goes to the database and back: somebody waits for each (issue 14)."""

import re
from collections.abc import Awaitable, Callable
from dataclasses import replace

import neo4j
import pytest

from r_memory.errors import SubjectUnknown
from r_memory.store.bolt import Bolt, Endpoint
from tests.store.stores import LIBRARY, NEWEST, Database, engine_at
from tests.store.world import ALLERGY as ALLERGY_TO
from tests.store.world import a_declared_patient, a_space, seen, told
from tests.unit.facts.recall.world import SCHEMA
from tests.unit.memory_world import ALLERGY, DENIAL, UNREAD, World, a_world

pytestmark = pytest.mark.anyio


@pytest.fixture(params=NEWEST)
def engine_place(request: pytest.FixtureRequest) -> Endpoint:
    return engine_at(request)


@pytest.fixture
def trips(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The queries that went to the database, in their order; a transaction of several is `a write`."""
    asked: list[str] = []
    ask = Bolt._repeated

    async def noted(bolt: Bolt, action: Callable[..., Awaitable[object]], *, what: str, limit_s: float) -> object:
        asked.append(what.rpartition("/")[2].removesuffix(".cypher"))
        return await ask(bolt, action, what=what, limit_s=limit_s)

    monkeypatch.setattr(Bolt, "_repeated", noted)
    return asked


@pytest.fixture
async def world(database: Database, trips: list[str]) -> World:
    """A memory over the store, with somebody who has been talking."""
    await database.store.prepare(SCHEMA)
    world = a_world(store=database.store, space=a_space())
    for words in ("Hello.", "I slept badly."):
        await said(world, words, subject_name="John Doe")
    trips.clear()
    return world


async def said(world: World, words: str, *, subject_name: str = "") -> None:
    await world.memory.remember(
        words, subject="JD001", subject_name=subject_name, speaker="patient", conversation_id="c"
    )


@pytest.mark.parametrize("words", [ALLERGY, DENIAL])
async def test_a_statement_takes_four_trips(world: World, trips: list[str], words: str) -> None:
    """Whom it is about; the words, and the turns before them; what is known of its facts; all that comes of it."""
    await said(world, words)
    assert trips == ["subjects_called", "add_episode", "chain", "append"]


async def test_somebody_who_was_found_is_not_looked_up_again_for_their_words(world: World, trips: list[str]) -> None:
    """A gate finds out whom a request is about, and then stores its words."""
    about = await world.memory.find_subject("JD001")
    trips.clear()
    told = await world.memory.remember(ALLERGY, subject=about, speaker="patient", conversation_id="c")
    assert (trips, told.subject) == (["add_episode", "chain", "append"], about)


async def test_words_about_somebody_of_another_space_or_of_nobody_are_refused(world: World) -> None:
    """An `Entity` comes from outside: it must not open another tenant's space, nor store words beside everybody."""
    about = await world.memory.find_subject("JD001")
    for stranger in (replace(about, space=f"{about.space}-other"), replace(about, id="JD999")):
        with pytest.raises(SubjectUnknown):
            await world.memory.remember(ALLERGY, subject=stranger, speaker="patient", conversation_id="c")


@pytest.mark.parametrize("words", ["I slept well.", UNREAD])
async def test_words_that_state_nothing_take_three_trips(world: World, trips: list[str], words: str) -> None:
    await said(world, words)
    assert trips == ["subjects_called", "add_episode", "settle_episode"]


async def test_a_reader_is_given_the_turns_before_in_that_same_trip(world: World) -> None:
    await said(world, ALLERGY)
    assert [turn.text for turn in world.extractor.heard[-1].before] == ["Hello.", "I slept badly."]


@pytest.mark.parametrize("named", ["JD001", "John Doe"])
async def test_a_context_takes_one_trip_to_read_and_one_to_record(world: World, trips: list[str], named: str) -> None:
    """Whom it is about, whom else the words name, and every fact come together; a name alone asks for facts apart."""
    await said(world, ALLERGY)
    trips.clear()
    recall = await world.memory.build_context("Recommend an antibiotic for Jane Roe.", subject=named)
    assert [line.fact.object.name for line in recall.lines] == ["Penicillin"]
    assert trips == ["facts", *(["facts"] if named == "John Doe" else []), "add_receipt"]


async def test_somebody_resolved_before_takes_one_trip_as_well(world: World, trips: list[str]) -> None:
    """As a hook does, which finds people in the prompt."""
    await said(world, ALLERGY)
    [(john, _)] = await world.memory.subjects_named("What may John Doe take?")
    trips.clear()
    await world.memory.build_context("What may John Doe take?", subject=john)
    assert trips == ["facts", "add_receipt"]


async def test_where_nothing_that_is_asked_about_is_recorded_one_more_look_tells_what_is(
    world: World, trips: list[str]
) -> None:
    """So that no block says that nothing was ever asked about somebody of whom something is known."""
    [(john, _)] = await world.memory.subjects_named("What may John Doe take?")
    trips.clear()
    await world.memory.build_context("What may John Doe take?", subject=john)
    assert trips == ["facts", "facts", "add_receipt"]


@pytest.mark.parametrize("name", ["recall/facts", "read/subjects_called"])
async def test_people_are_found_by_a_stored_key_however_many_there_are(database: Database, name: str) -> None:
    """Each part of a union says by itself which index serves it: ArcadeDB tells of the whole nothing."""
    await told(database.store, seen(await a_declared_patient(database.store)))
    query = LIBRARY[name]
    for stands_for in query.names:
        query = query.with_types(stands_for, [ALLERGY_TO])
    for part in query.text.split("UNION ALL"):
        for scan in await scans(database, part):
            pytest.fail(f"{name}: {scan}")


async def scans(database: Database, text: str) -> list[str]:
    """Steps of the plan that look at every node of a label."""
    at = database.endpoint
    values = {
        "subject_uid": "x",
        "uid": "x",
        "space": "x",
        "type": "Patient",
        "words": ["john doe"],
        "most": 50,
        "aliases": ["john doe"],
        "alias_types": ["Drug"],
        "keys": ["john doe"],
    }
    async with neo4j.AsyncGraphDatabase.driver(
        at.uri, auth=(at.user, at.password), notifications_min_severity="OFF"
    ) as driver:
        summary = (await driver.execute_query(f"PROFILE {text}", values, database_=at.database)).summary
    assert summary.profile is not None
    if at.engine == "arcadedb":
        steps = str(summary.profile["args"]["string-representation"]).splitlines()
        looks = [step for step in steps if re.search(r"MATCH NODE \(\w+:|Node\w+\(\w+:", step)]
        assert looks
        return [step for step in looks if not re.search(r"\[index[:=]", step)]
    plans, found = [summary.profile], list[str]()
    while plans:
        plan = plans.pop()
        plans += plan.get("children", ())
        found.append(str(plan["operatorType"]))
    assert any("IndexSeek" in operator for operator in found)
    return [operator for operator in found if "Scan" in operator]
