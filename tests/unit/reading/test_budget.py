"""Work decides what is read of a text, never time: the same words give the same facts on a machine of any load."""

import asyncio
import itertools
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from r_memory.config.settings import Settings
from r_memory.domain.facts import Fact, Span
from r_memory.domain.schema import Schema
from r_memory.facts.facts import Facts
from r_memory.facts.recall.rendering import render
from r_memory.protocols import Utterance
from r_memory.reading.budget import UNREAD, Budget, budget_for
from r_memory.reading.extractor import RuleExtractor
from r_memory.reading.linking import Gazetteer
from r_memory.reading.reader import Reader
from r_memory.reading.worker import ReadingWorker
from r_memory.testing.clock import FixedClock
from r_memory.testing.dict_store import DictStore
from r_memory.wiring.language import open_reader
from tests.unit.reading.readers import JOHN

TOLD = ("I am allergic to penicillin.", "I take warfarin 5 mg once a day.", "No implants.", "Codeine makes me sick.")
LONG = " ".join((*TOLD, *(f"On day {day} I walked {day} miles by the sea and slept well." for day in range(40))))
HARD = {"brackets": "(", "equals signs": "=", "lines": "a\n", "terms": "penicillin, ", "questions": "why? "}


@pytest.fixture(scope="module")
def reader() -> Reader:
    return open_reader(Settings())


@pytest.fixture
async def useless_clock(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[None]:
    """Each look at the event loop's clock finds a day later: whatever has a limit is over at once."""
    days = itertools.count(86_400, 86_400)
    monkeypatch.setattr(asyncio.get_running_loop(), "time", lambda: float(next(days)))
    yield
    monkeypatch.undo()


async def recorded(reader: Reader, *, turn_s: float) -> list[Fact]:
    """What a fresh memory knows after it was told everything."""
    slow = replace(reader, worker=ReadingWorker(turn_s=turn_s), quick=ReadingWorker(turn_s=turn_s))
    facts = Facts(DictStore(), slow, FixedClock(), new_id=lambda: "01JD")
    await facts.remembering.remember(LONG, subject="JD001", subject_name="John Doe")
    for text in TOLD:
        await facts.remembering.remember(text, subject="JD001")
    return list((await facts.lists.list_facts(subject="JD001")).facts)


@pytest.mark.anyio
@pytest.mark.usefixtures("useless_clock")
async def test_without_a_clock_the_same_words_give_the_same_facts(
    reader: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    hurried = await recorded(reader, turn_s=0)
    monkeypatch.undo()
    at_leisure = await recorded(reader, turn_s=600)
    assert hurried == at_leisure
    assert {fact.object.name for fact in hurried} >= {"Penicillin", "Warfarin", "Codeine"}


def test_what_is_beyond_the_budget_is_one_item_in_view_and_what_stands_before_is_read(
    schema: Schema, gazetteer: Gazetteer
) -> None:
    for budget in (Budget(sentences=2), Budget(words=15), Budget(things=2)):
        rules = RuleExtractor(schema, gazetteer, budget)
        told = "I am allergic to penicillin. I take warfarin. I am allergic to latex."
        read = rules.extract(Utterance(text=told, subject=JOHN))
        assert {proposal.object for proposal in read.proposals} == {"penicillin", "warfarin"}
        (rest,) = [item for item in read.review if item.reason == UNREAD]
        assert (rest.text, rest.span) == ("I am allergic to latex.", Span(start=46, end=len(told)))


def test_the_first_sentence_is_read_whatever_it_costs(schema: Schema, gazetteer: Gazetteer) -> None:
    rules = RuleExtractor(schema, gazetteer, Budget(words=1, things=0, sentences=0))
    read = rules.extract(Utterance(text="I am allergic to penicillin.", subject=JOHN))
    assert [(proposal.object, read.review) for proposal in read.proposals] == [("penicillin", ())]


@pytest.mark.parametrize("pattern", HARD.values(), ids=HARD)
def test_no_text_costs_more_than_its_budget(schema: Schema, gazetteer: Gazetteer, pattern: str) -> None:
    budget = budget_for(800)
    understood = RuleExtractor(schema, gazetteer, budget).understand(
        Utterance(text=(pattern * 800)[:800], subject=JOHN)
    )
    units = [unit for scene in understood.scenes for unit in scene.sentence.units]
    assert len(units) <= budget.words
    assert len(understood.scenes) <= budget.sentences
    assert sum(unit.mention is not None for unit in units) <= budget.things


@pytest.mark.anyio
@pytest.mark.proves("Z18")
async def test_the_rest_of_a_text_that_is_too_long_stands_in_every_block(reader: Reader) -> None:
    small = RuleExtractor(reader.schema, Gazetteer(reader.schema.lexicon), Budget(sentences=1))
    facts = Facts(DictStore(), replace(reader, extractor=small), FixedClock(), new_id=lambda: "01JD")
    told = "I am allergic to penicillin. My heart does odd things after shellfish."
    heard = await facts.remembering.remember(told, subject="JD001", subject_name="John Doe")
    assert [result.verdict for result in heard.results if result.verdict == "waits"] == ["waits"]
    block = render(await facts.recalling.build_context("Recommend an antibiotic.", subject="JD001"))
    assert "Penicillin" in block
    assert "My heart does odd things after shellfish." in block
