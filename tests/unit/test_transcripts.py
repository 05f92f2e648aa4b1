"""A transcript of any length: every turn is stored once, read in its place, and gone on with after a failure."""

from dataclasses import replace

import pytest

from r_memory.domain.events import EpisodeStatus
from r_memory.domain.facts import Extraction, Route
from r_memory.errors import BadReply, InvalidInput, NotStored, StoreUnavailable
from r_memory.facts.remember.utterances import Statement, UtteranceResult
from r_memory.protocols import Utterance
from r_memory.testing.dict_store import DictStore
from r_memory.testing.scripted_chat import ScriptedChat
from tests.model_world import Practice, answer, fact
from tests.scripted import ScriptedExtractor
from tests.unit.memory_world import ALLERGY, SCRIPT, World, a_world

pytestmark = pytest.mark.anyio
JOHN = {"subject": "JD001", "subject_name": "John Doe"}


async def told(world: World, text: str, **more: str) -> list[UtteranceResult]:
    return [heard async for heard in world.memory.remember_transcript(text, **JOHN, **more)]  # type: ignore[arg-type]  # all texts


def long_text(turns: int = 1_000) -> str:
    asked = "And how was day {}, did you sleep well at all?"
    chat = "".join(f"doctor: {asked.format(number)}\npatient: Yes.\n" for number in range(turns))
    return f"{chat}patient: {ALLERGY}\n"


async def test_a_hundred_kilobytes_are_stored_turn_by_turn_with_their_places() -> None:
    world = a_world()
    text = long_text(1_300)
    assert len(text) > 90_000
    heard = await told(world, text)
    assert len(heard) == 2_601
    assert all(text[item.spoken.start :].startswith(item.spoken.text) for item in heard)
    (known,) = (await world.memory.list_facts(subject="JD001")).facts
    assert (known.evidence, known.speaker) == ("allergic to penicillin", "patient")
    assert heard[-1].remembered.facts == (known,)


async def test_the_same_answer_to_another_question_is_read_again_with_that_question_before_it() -> None:
    world = a_world()
    await told(world, "doctor: Are you allergic to latex?\npatient: No.\ndoctor: To eggs?\npatient: No.")
    answers = [heard.before[-1].text for heard in world.extractor.heard if heard.text == "No."]
    assert answers == ["Are you allergic to latex?", "To eggs?"]


async def test_repeating_a_transcript_stores_nothing_twice() -> None:
    world = a_world()
    first = await told(world, long_text(3))
    again = await told(world, long_text(3))
    assert [item.remembered.episode_id for item in again] == [item.remembered.episode_id for item in first]
    (known,) = (await world.memory.list_facts(subject="JD001")).facts
    assert known.observations == 1


async def test_a_transcript_that_broke_off_is_gone_on_with() -> None:
    store = DictStore()
    world = a_world(store=store)
    add, calls = store.add_episode, []

    async def failing(episode: object, **more: object) -> object:
        calls.append(episode)
        if len(calls) == 4:
            raise StoreUnavailable("the store is gone; start it")
        return await add(episode, **more)  # type: ignore[arg-type]  # handed through

    store.add_episode = failing  # type: ignore[method-assign, assignment]  # fails once
    with pytest.raises(NotStored):
        await told(world, long_text(3))
    assert len(world.extractor.heard) == 3
    heard_before = len(world.extractor.heard)
    assert len(await told(world, long_text(3))) == 7
    assert len(world.extractor.heard) == heard_before + 4


async def test_turns_that_a_crash_left_unread_are_read_with_their_own_question() -> None:
    world = a_world()
    text = "doctor: Are you allergic to latex?\npatient: No.\ndoctor: To eggs?\npatient: Yes."
    await told(world, text)
    episodes = world.store._episodes  # type: ignore[attr-defined]  # the oracle store, as a crash leaves it
    for key, episode in list(episodes.items()):
        episodes[key] = replace(episode, status=EpisodeStatus.PENDING)
    world.extractor.heard.clear()
    await world.memory.resume()
    assert [(heard.text, heard.before[-1].text) for heard in world.extractor.heard if heard.speaker == "patient"] == [
        ("No.", "Are you allergic to latex?"),
        ("Yes.", "To eggs?"),
    ]


async def test_nothing_is_stored_of_a_transcript_with_words_that_cannot_be() -> None:
    world = a_world()
    with pytest.raises(InvalidInput, match="line 2"):
        await told(world, f"patient: {ALLERGY}\npatient: broken \0 words")
    assert await world.memory.subjects() == ()


async def test_a_turn_longer_than_an_utterance_may_be_is_read_in_parts() -> None:
    text = f"patient: {'We talked of the weather. ' * 30}{ALLERGY} {'And then of the sea. ' * 30}"
    extractor = ScriptedExtractor({})

    def extract(utterance: Utterance) -> Extraction:
        return SCRIPT[ALLERGY] if ALLERGY in utterance.text else Extraction()

    extractor.extract = extract  # type: ignore[method-assign]  # reads the one statement wherever it stands
    world = a_world(extractor=extractor)
    heard = await told(world, text)
    assert max(len(item.spoken.text) for item in heard) <= 500
    assert len((await world.memory.list_facts(subject="JD001")).facts) == 1


async def test_with_a_model_a_few_turns_are_read_at_once_and_stay_in_order() -> None:
    chat = ScriptedChat(answer(fact("HAS_ALLERGY_TO", "penicillin", "penicillin")))
    practice = Practice(chat)
    await practice.store.declare_subject(practice.john)
    texts = [f"On day {number} I took penicillin." for number in range(6)]
    told_ = [Statement(text=text, subject=practice.john, conversation="c1", key=text) for text in texts]
    outcomes = [outcome async for outcome in practice.remembering.record_all(told_)]
    stored = await practice.store.conversation("clinic", practice.john.uid, "c1", limit=10)
    assert [episode.text for episode in stored] == texts
    assert (len(outcomes), len(chat.asked)) == (6, 1)


async def test_turns_whose_common_answer_cannot_be_read_are_asked_about_one_by_one() -> None:
    one = answer(fact("TAKES", "penicillin", "I took penicillin"))
    chat = ScriptedChat(BadReply("breaks off"), one, BadReply("nonsense"), one)
    practice = Practice(chat)
    outcomes = [outcome async for outcome in practice.remembering.record_all(await days(practice))]
    assert len(chat.asked) == 1 + 3
    assert [[taken.failed for taken in outcome.routes if taken.route is Route.MODEL] for outcome in outcomes] == [
        [""],
        ["nonsense"],
        [""],
    ]


async def test_turns_that_were_read_before_are_not_asked_about_again() -> None:
    chat = ScriptedChat(answer())
    practice = Practice(chat)
    told_ = await days(practice)
    for _ in range(2):
        assert len([outcome async for outcome in practice.remembering.record_all(told_)]) == 3
    assert len(chat.asked) == 1


async def days(practice: Practice) -> list[Statement]:
    """Three turns of one conversation."""
    await practice.store.declare_subject(practice.john)
    texts = [f"On day {number} I took penicillin." for number in range(3)]
    return [Statement(text=text, subject=practice.john, conversation="c1", key=text) for text in texts]
