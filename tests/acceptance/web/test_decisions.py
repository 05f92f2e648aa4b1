"""Decisions of people on the page: shown before they are written, written once."""

import asyncio

import pytest

from r_memory.config.settings import Settings
from r_memory.domain.facts import Status
from r_memory.errors import InvalidInput
from r_memory.facts.remember.results import Claim
from r_memory.memory import Memory
from r_memory.wiring import open_memory
from tests.acceptance.web.site import Browser
from tests.acceptance.web.test_pages import told

pytestmark = pytest.mark.anyio

MAYBE = "I might be allergic to penicillin, I am not sure."
UNREAD = "My mother said the penicillin business was bad for one of us."


async def waiting_words(memory: Memory, id_: str) -> str:
    """The id of words about somebody that wait."""
    await memory.remember(UNREAD, subject=id_, subject_name=f"Jane {id_}", speaker="patient")
    found = await memory.review(subject=id_)
    (item,) = [item for item in found.items if item.episode is not None]
    return item.id


async def test_a_decision_is_shown_before_it_is_written(browser: Browser, memory: Memory, someone: str) -> None:
    fact = await told(memory, someone, MAYBE)
    shown = await browser.send("/decide", kind="fact", id=fact, key="c", reason="asked again on the ward")
    assert "What this writes" in shown.text
    assert "by nurse" in shown.text
    assert len(await memory.history(fact)) == 1
    done = await browser.decide(kind="fact", id=fact, key="c", reason="asked again on the ward")
    assert "Recorded" in done.text
    *_, last = await memory.history(fact)
    assert (last.status, last.actor, last.reason) == (Status.ACTIVE, "nurse", "asked again on the ward")


@pytest.mark.parametrize(
    ("key", "status"), [("r", Status.REFUTED), ("g", Status.RESOLVED), ("e", Status.ENTERED_IN_ERROR)]
)
async def test_each_key_decides_as_it_says(
    browser: Browser, memory: Memory, someone: str, key: str, status: Status
) -> None:
    fact = await told(memory, someone)
    assert (await browser.decide(kind="fact", id=fact, key=key, reason="looked up")).status_code == 200
    assert (await memory.find_fact(fact))[1].status is status


async def test_a_fact_of_somebody_else_moves_there(browser: Browser, memory: Memory, someone: str) -> None:
    fact, other = await told(memory, someone), f"{someone}x"
    await told(memory, other, "I take aspirin.", name=f"Robert {other}")
    assert (await browser.decide(kind="fact", id=fact, key="o", to=other, reason="his words")).status_code == 200
    assert (await memory.find_fact(fact))[1].status is Status.ENTERED_IN_ERROR
    there = await memory.list_facts(subject=other)
    assert "HAS_ALLERGY_TO" in {item.relation for item in there.facts}


async def test_a_decision_without_reason_is_refused_and_says_why(
    browser: Browser, memory: Memory, someone: str
) -> None:
    fact = await told(memory, someone)
    answer = await browser.decide(kind="fact", id=fact, key="g", reason="")
    assert (answer.status_code, "the reason must have" in answer.text) == (400, True)


async def test_words_that_wait_stand_on_the_review_page_and_can_be_stored(
    browser: Browser, memory: Memory, someone: str
) -> None:
    id_ = await waiting_words(memory, someone)
    assert "penicillin business" in await browser.see("/review", id=someone)
    done = await browser.decide(kind="words", id=id_, subject=someone, key="c", fact="HAS_ALLERGY_TO: penicillin")
    assert "Stored" in done.text
    assert (await memory.review(subject=someone)).items == ()
    assert [item.object.name for item in (await memory.list_facts(subject=someone)).facts] == ["Penicillin"]


async def test_words_that_are_denied_are_stored_as_denied(browser: Browser, memory: Memory, someone: str) -> None:
    id_ = await waiting_words(memory, someone)
    await browser.decide(kind="words", id=id_, subject=someone, key="n", fact="HAS_ALLERGY_TO: penicillin")
    (fact,) = (await memory.list_facts(subject=someone)).facts
    assert fact.status is Status.NEGATED


@pytest.mark.parametrize(("key", "why"), [("o", "not about this person"), ("s", "states nothing to store")])
async def test_words_without_a_fact_are_settled_with_who_and_why(
    browser: Browser, memory: Memory, someone: str, key: str, why: str
) -> None:
    id_ = await waiting_words(memory, someone)
    assert (await browser.decide(kind="words", id=id_, subject=someone, key=key)).status_code == 200
    episode = await memory.facts.store.episode(memory.facts.space, id_)
    assert episode is not None
    assert (episode.settled_by, episode.settled_because) == ("nurse", why)


async def test_a_request_is_approved_on_the_page(browser: Browser, memory: Memory, someone: str) -> None:
    fact = await told(memory, someone)
    from r_memory.domain.changes import Change  # noqa: PLC0415

    asked = await memory.request_change(fact, Change.RESOLVE, reason="outgrown, says mother", actor="assistant")
    page = await browser.see("/review", id=someone)
    assert "outgrown, says mother" in page
    done = await browser.decide(kind="request", id=asked.event_id, subject=someone, key="a")
    assert done.status_code == 200, done.text
    assert (await memory.find_fact(fact))[1].status is Status.RESOLVED


async def test_two_people_at_once_decide_nothing_twice(browser: Browser, memory: Memory, someone: str) -> None:
    fact = await told(memory, someone)
    version = str((await memory.find_fact(fact))[1].last_seq)
    both = [
        browser.send("/decide", kind="fact", id=fact, key=key, reason="at once", version=version, sure="1")
        for key in ("g", "r")
    ]
    answers = await asyncio.gather(*both)
    assert sorted(answer.status_code for answer in answers) == [200, 400]
    assert len(await memory.history(fact)) == 2
    assert any("moved on" in answer.text for answer in answers)


async def test_two_people_at_once_settle_the_same_words_once(browser: Browser, memory: Memory, someone: str) -> None:
    id_ = await waiting_words(memory, someone)
    both = [browser.send("/decide", kind="words", id=id_, subject=someone, key=key, sure="1") for key in ("s", "o")]
    answers = await asyncio.gather(*both)
    assert sorted(answer.status_code for answer in answers) == [200, 400]
    assert any("somebody has decided it meanwhile" in answer.text for answer in answers)


async def test_two_processes_at_once_settle_the_same_words_once(
    memory: Memory, settings: Settings, someone: str
) -> None:
    id_ = await waiting_words(memory, someone)
    claim = Claim(relation="HAS_ALLERGY_TO", object="penicillin", evidence="penicillin")
    async with open_memory(settings) as other:
        decisions = [
            decide
            for who, one in (("nurse", memory), ("doctor", other))
            for decide in (
                one.dismiss(id_, actor=who, reason="small talk"),
                one.store_reviewed(id_, [claim], actor=who),
            )
        ]
        outcomes = await asyncio.gather(*decisions, return_exceptions=True)
    assert len([outcome for outcome in outcomes if not isinstance(outcome, InvalidInput)]) == 1, outcomes
    assert not [
        outcome for outcome in outcomes if isinstance(outcome, BaseException) and not isinstance(outcome, InvalidInput)
    ]
    facts = (await memory.list_facts(subject=someone)).facts
    episode = await memory.facts.store.episode(memory.facts.space, id_)
    assert episode is not None
    assert bool(facts) == (episode.settled_because == "read by a person")
    assert (await memory.verify(subject=someone)).whole


async def test_who_may_only_read_is_offered_no_decision_and_makes_none(
    reader: Browser, memory: Memory, someone: str
) -> None:
    fact = await told(memory, someone)
    assert 'action="/decide"' not in await reader.see("/fact", id=fact)
    assert 'action="/decide"' not in await reader.see("/review", id=someone)
    answer = await reader.decide(kind="fact", id=fact, key="g", reason="looked up")
    assert (answer.status_code, "memory:review" in answer.text) == (403, True)
    assert len(await memory.history(fact)) == 1
