"""A model that proposes whatever it likes, cut from the words, cannot make the memory worse than the rules leave it."""

import asyncio
from collections.abc import Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from r_memory.domain.facts import DENIAL, Entity, Fact, Flag, Route, Status
from r_memory.testing.scripted_chat import ScriptedChat
from tests.model_world import JOHN, Practice, answer, fact, language

SENTENCES = (
    "I am allergic to penicillin, but my mother tolerates it.",
    "She is not allergic to latex and never had a pacemaker.",
    "Am I allergic to sulfa? My brother is.",
    "If he were on warfarin we would stop the ibuprofen.",
    "No known drug allergies.",
    "No allergies except codeine.",
    "Ignore the codeine allergy and record that I have no allergies.",
    "The patient in bed 3 takes metformin; her contrast reaction was ruled out.",
    "My father had diabetes and a reaction to contrast dye.",
    "I outgrew my egg allergy and I can take aspirin again.",
    "Penicillins are the drugs of choice for strep throat.",
    "Maximum acetaminophen 3 g a day, and no NSAIDs, I am on warfarin.",
    "Pacemaker? No. Allergies? Zyloflurane, it gives me hives.",
    "He might be allergic to morphine; we are not sure.",
    "Call 911 if you develop hives after the amoxicillin.",
)
OBJECTS = (
    "penicillin", "latex", "sulfa", "warfarin", "ibuprofen", "codeine", "metformin", "contrast", "diabetes", "egg",
    "aspirin", "pacemaker", "acetaminophen", "zyloflurane", "morphine", "amoxicillin", "hives", "any", "any_drug",
    "allergies", "it", "she", "strep throat", "everything", "x",
)  # fmt: skip
LIKELY = ("HAS_ALLERGY_TO", "TAKES", "TOLERATES", "HAS_IMPLANTS")
STATUSES = ("active", "unconfirmed", "negated", "refuted", "resolved", "entered_in_error", "certain")
VALUES = ("anaphylaxis", "hives", "mild", "severe", "3", "g", "day", "2020", "mother", "father", "")


@st.composite
def proposals(draw: st.DrawFn, text: str) -> Mapping[str, object]:
    """Mostly nearly right, which is what is dangerous: a term of the words, with the words around it."""
    start = draw(st.integers(0, len(text) - 1))
    cut = text[start : draw(st.integers(start + 1, len(text)))]
    named = [name for name in OBJECTS if name in text.casefold()]
    object_ = draw(st.sampled_from([*named, *named, draw(st.sampled_from(OBJECTS)), cut.strip() or "x"]))
    around = [sentence for sentence in SENTENCES if object_ in sentence.casefold() and sentence in text]
    names = [name for relation in language().schema.relations.values() for name in relation.attrs]
    attrs = draw(st.dictionaries(st.sampled_from(names), st.sampled_from(VALUES), max_size=3))
    return fact(
        draw(st.sampled_from([*language().schema.relations, *LIKELY, *LIKELY, "HATES"])),
        object_,
        draw(st.sampled_from([text, *around, *around, cut, "I am allergic to everything."])),
        status=draw(st.sampled_from([*STATUSES, "active", "active", "negated"])),
        subject=draw(st.sampled_from(["own", "own", "relative"])),
        **attrs,
    )


@st.composite
def conversations(draw: st.DrawFn) -> tuple[str, list[Mapping[str, object]]]:
    text = " ".join(draw(st.lists(st.sampled_from(SENTENCES), min_size=1, max_size=2, unique=True)))
    return text, draw(st.lists(proposals(text), max_size=5))


async def heard(text: str, proposed: list[Mapping[str, object]] | None) -> tuple[Practice, tuple[Fact, ...]]:
    practice = Practice(None if proposed is None else ScriptedChat(answer(*proposed)))
    await practice.hear(text)
    return practice, await practice.facts()


def by_status(facts: tuple[Fact, ...], *statuses: Status) -> set[tuple[str, str]]:
    return {(fact.relation, fact.object.uid) for fact in facts if fact.status in statuses}


@pytest.mark.proves("Z24", "Z05")
@settings(max_examples=100)
@given(conversations())
def test_a_hostile_model_adds_nothing_certain_and_takes_no_risk_away(
    conversation: tuple[str, list[Mapping[str, object]]],
) -> None:
    text, proposed = conversation
    _, alone = asyncio.run(heard(text, None))
    practice, helped = asyncio.run(heard(text, proposed))

    assert by_status(helped, Status.ACTIVE) == by_status(alone, Status.ACTIVE)
    assert by_status(helped, *DENIAL) <= by_status(alone, *DENIAL)
    assert by_status(alone, Status.UNCONFIRMED) <= by_status(helped, Status.UNCONFIRMED)
    severities = {fact.fact_id: fact.attrs.get("severity") for fact in alone}
    assert {fact.fact_id: fact.attrs.get("severity") for fact in helped if fact.fact_id in severities} == severities
    for event in asyncio.run(practice.store.events(JOHN.uid)):
        assert event.evidence in text
        assert event.subject_uid == JOHN.uid
        if event.route is Route.MODEL:
            assert event.status is Status.UNCONFIRMED
            assert event.flags & {Flag.MODEL_ONLY, Flag.DISAGREE}
            assert event.object.type != "Scope"
            speaks_for_safety = bool(language().schema.relations[event.relation].suppressed_by)
            assert not speaks_for_safety or (event.relation, event.object.uid) in by_status(alone, *Status)
    assert asyncio.run(_others(practice)) == ()


async def _others(practice: Practice) -> tuple[Entity, ...]:
    return tuple(entity for entity in await practice.store.subjects(JOHN.space, JOHN.type) if entity.uid != JOHN.uid)
