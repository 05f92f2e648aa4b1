"""Laws of decisions: no risk leaves the block by itself, no history shrinks, and what is stored stays verifiable.

Histories mix what is said, what programs and people decide, what is asked for, moved, mapped and rebuilt.
"""

import asyncio
from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from r_memory.domain.changes import Change
from r_memory.domain.facts import RISK, Fact, Status
from r_memory.errors import InvalidInput
from tests.scripted import ScriptedExtractor
from tests.unit.memory_world import World, a_world, read

PATIENTS = ("JD001", "JD002")
OBJECTS = ("penicillin", "amoxicillin", "zyloflurane")
SAYABLE = [status for status in Status if status is not Status.ENTERED_IN_ERROR]
MINUTE = 60_000


def words(object_: str, status: Status) -> str:
    return f"{object_}: {status}"


SCRIPT = {
    words(object_, status): read(
        "HAS_ALLERGY_TO",
        object_,
        {"penicillin": "DrugClass", "amoxicillin": "Drug"}.get(object_, ""),
        words(object_, status),
        status=status,
    )
    for object_ in OBJECTS
    for status in SAYABLE
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One thing that happens."""

    what: str
    """`said`, `requested`, `decided`, `answered` or `rebuilt`."""
    patient: str = "JD001"
    object: str = "penicillin"
    status: Status = Status.ACTIVE
    change: Change = Change.CONFIRM
    grant: bool = False


STEPS = st.lists(
    st.builds(
        Step,
        what=st.sampled_from(["said", "said", "decided", "decided", "requested", "answered", "rebuilt"]),
        patient=st.sampled_from(PATIENTS),
        object=st.sampled_from(OBJECTS),
        status=st.sampled_from(SAYABLE),
        change=st.sampled_from(Change),
        grant=st.booleans(),
    ),
    min_size=1,
    max_size=12,
)


async def take(world: World, step: Step) -> None:
    """Does it, or finds that it is not allowed."""
    memory = world.memory
    world.clock.advance(MINUTE)
    if step.what == "said":
        said = words(step.object, step.status)
        await memory.remember(said, subject=step.patient, idempotency_key=str(world.clock.now()))
    elif step.what == "rebuilt":
        await memory.rebuild()
    elif step.what == "answered":
        for item in (await memory.review()).items:
            if item.decision is None:
                continue
            if step.grant:
                await memory.approve(item.id, actor="Dr Ada")
            else:
                await memory.dismiss(item.id, actor="Dr Ada", reason="not now")
            return
    else:
        await _decide(world, step)


async def _decide(world: World, step: Step) -> None:
    facts = [fact for fact in await everything(world, step.patient) if fact.object.id == step.object]
    if not facts:
        return
    other = PATIENTS[1 - PATIENTS.index(step.patient)]
    to = {Change.REATTRIBUTE: other, Change.MAP_WORD: "amoxicillin"}.get(step.change, "")
    do = world.memory.request_change if step.what == "requested" else world.memory.change_fact
    await do(facts[0].fact_id, step.change, reason="because", actor="Dr Ada", to=to)


async def everything(world: World, patient: str) -> tuple[Fact, ...]:
    [subject] = [known for known in await world.memory.subjects() if known.id == patient]
    return (await world.store.neighbourhood(subject, tuple(world.memory.schema.relations))).facts


async def risks_shown(world: World) -> set[tuple[str, str]]:
    """Patient and fact of the lines that state a risk in anybody's block, disputed ones included."""
    return {
        (patient, line.fact.fact_id)
        for patient in PATIENTS
        for line in (await world.memory.build_context("Prescribe something.", subject=patient)).lines
        if line.rank in {"critical", "unconfirmed"}
    }


async def lengths(world: World) -> dict[str, int]:
    """Events of each fact, whatever its status."""
    facts = [fact for patient in PATIENTS for fact in await everything(world, patient)]
    return {fact.fact_id: len(await world.memory.history(fact.fact_id)) for fact in facts}


async def a_ward() -> World:
    """Two patients of whom nothing is known."""
    world = a_world(extractor=ScriptedExtractor(SCRIPT))
    for patient in PATIENTS:
        await world.memory.remember("Good morning.", subject=patient, subject_name=f"Name of {patient}")
    return world


async def lived(steps: list[Step]) -> None:
    world = await a_ward()
    for step in steps:
        shown, before = await risks_shown(world), await lengths(world)
        try:
            await take(world, step)
        except InvalidInput:
            assert await risks_shown(world) == shown
        after = await lengths(world)
        gone = shown - await risks_shown(world)
        assert not gone or step.what == "decided" or (step.what == "answered" and step.grant), gone
        assert all(after.get(fact_id, 0) >= count for fact_id, count in before.items())
        for patient in PATIENTS:
            for fact in await everything(world, patient):
                assert (patient, fact.fact_id) in await risks_shown(world) or fact.status not in RISK
        assert (await world.memory.verify()).whole


@pytest.mark.proves("Z12", "Z13", "Z32")
@settings(max_examples=60)
@given(STEPS)
def test_only_a_persons_decision_takes_a_risk_out_of_the_block(steps: list[Step]) -> None:
    asyncio.run(lived(steps))


@pytest.mark.proves("Z32")
@settings(max_examples=60)
@given(STEPS)
def test_what_was_moved_or_mapped_is_a_risk_where_it_went(steps: list[Step]) -> None:
    async def told() -> None:
        world = await a_ward()
        for step in steps:
            before = {fact.fact_id: fact for who in PATIENTS for fact in await everything(world, who)}
            try:
                await take(world, step)
            except InvalidInput:
                continue
            if step.what == "decided" and step.change in {Change.REATTRIBUTE, Change.MAP_WORD}:
                now = [fact for who in PATIENTS for fact in await everything(world, who)]
                left = [
                    before[fact.fact_id] for fact in now if was_risk(before.get(fact.fact_id)) and not is_risk(fact)
                ]
                assert all([await stands_elsewhere(world, fact, now) for fact in left])

    asyncio.run(told())


def is_risk(fact: Fact) -> bool:
    return fact.status in RISK or fact.contradicted


def was_risk(fact: Fact | None) -> bool:
    return fact is not None and is_risk(fact)


async def stands_elsewhere(world: World, fact: Fact, now: list[Fact]) -> bool:
    """Whether another fact holds the same words and speaks for a risk."""
    for other in now:
        if other.fact_id != fact.fact_id and is_risk(other):
            events = await world.memory.history(other.fact_id)
            if fact.evidence in {event.evidence for event in events}:
                return True
    return False
