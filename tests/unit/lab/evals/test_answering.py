"""T-3 and T-4 with models that answer as they were told to; the command runs the same against a real one."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import pytest

from r_memory.protocols import ChatMessage, ChatReply, ReplyForm
from r_memory.providers import ModelEndpoint
from r_memory_lab.evals.answering import FACTS, FORMS, QUESTIONS, Decided, answered, kappa, tell_facts
from r_memory_lab.evals.multiturn import Setting
from scripts.model_tests import conversations, measure, report
from tests.chat_server import chat_server, says
from tests.scripted import ScriptedJudge

pytestmark = pytest.mark.anyio


class Reader:
    """Repeats what it was shown, so that every answer is right whose evidence stood there."""

    name = "reader"

    async def reply(self, messages: Sequence[ChatMessage], *, form: ReplyForm | None = None) -> ChatReply:
        del form  # words are asked for
        return ChatReply(text=messages[-1].text.rpartition("[QUERY]")[0])


@contextmanager
def a_model() -> Iterator[ModelEndpoint]:
    with chat_server(says("(A) It is 27.")) as server:
        yield ModelEndpoint(url=server.url, model="third")


@pytest.mark.proves("T-3")
async def test_three_back_ends_are_asked_the_same_by_the_same_code() -> None:
    with a_model() as endpoint:
        measured = await measure(endpoint, tasks=1, runs=1)
    by_letter, in_words, third = measured.decided
    assert (by_letter.right, len(by_letter.failures)) == (len(QUESTIONS), 0)
    assert in_words.failures == (list(QUESTIONS)[-1],)
    assert in_words.right == len(QUESTIONS) - 2
    assert third.answers == (True,) * len(QUESTIONS)
    assert kappa(by_letter.answers, by_letter.answers) == 1.0
    assert 0 < kappa(by_letter.answers, in_words.answers) < 1
    assert measured.settings[Setting.FULL].performance == 100.0
    page = report(measured, command="python -m scripts.model_tests")
    assert "| chat third | 6 of 12 | 0 |" in page
    assert list(QUESTIONS)[-1] in page


async def test_a_model_that_never_answers_is_told_apart_from_one_that_is_wrong() -> None:
    with chat_server(says("")) as server:
        measured = await measure(ModelEndpoint(url=server.url, model="mute"), tasks=1, runs=1, facts=1)
    assert len(measured.decided[-1].failures) == len(QUESTIONS)
    assert {item.trouble for item in measured.answered} == {1}
    assert set(measured.unanswered.values()) == {1}


@pytest.mark.proves("T-4")
async def test_summaries_cost_less_than_whole_turns_and_the_controller_chooses_between_them() -> None:
    talks = conversations(ScriptedJudge())
    await tell_facts(talks, "facts")
    raw, summary, adaptive = [await answered(Reader(), talks, "facts", way) for way in FORMS]
    assert (raw.right, raw.asked) == (len(FACTS), len(FACTS))
    assert (raw.forms["summary"], raw.forms["dropped"]) == (0, 0)
    assert summary.forms["raw"] == 0
    assert summary.tokens < raw.tokens
    assert adaptive.forms["raw"] > 0
    assert adaptive.forms["summary"] > 0
    assert summary.tokens < adaptive.tokens < raw.tokens


@pytest.mark.proves("T-4")
async def test_what_the_controller_finds_useless_is_dropped_but_never_the_best() -> None:
    talks = conversations(ScriptedJudge(suffices={}))
    await tell_facts(talks, "facts")
    adaptive = await answered(Reader(), talks, "facts", "adaptive")
    assert adaptive.right == len(FACTS)


@pytest.mark.parametrize(
    ("first", "second", "value"),
    [([], [], 0.0), ([True], [True], 1.0), ([True, False], [False, True], -1.0), ([True, None], [True, True], 0.0)],
)
def test_kappa_is_agreement_beyond_chance(first: list[object], second: list[object], value: float) -> None:
    assert kappa(first, second) == value


def test_no_answer_counts_as_yes_as_it_does_in_use() -> None:
    assert Decided(by="x", answers=(None,) * len(QUESTIONS)).right == sum(QUESTIONS.values())
