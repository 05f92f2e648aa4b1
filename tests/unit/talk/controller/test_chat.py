"""The judge that asks a language model, in prompts that people may edit, and what its silence comes to."""

import pytest

from r_memory.config.files import Files
from r_memory.config.prompt_file import GATE, SUFFICES, load_prompt
from r_memory.domain.prompts import places
from r_memory.domain.turns import Judgement
from r_memory.errors import BadReply, ModelUnavailable
from r_memory.providers import ModelEndpoint
from r_memory.providers.openai import OpenAIChat
from r_memory.testing.clock import FixedClock
from r_memory.testing.scripted_chat import Answer, ScriptedChat
from r_memory_talk.asking import UNREADABLE, ChatJudge
from r_memory_talk.controller.gate import activates, went_wrong
from tests.chat_server import Answer as WireAnswer
from tests.chat_server import ChatServer, chat_server, lacks, says

pytestmark = pytest.mark.anyio
ASKED = "Which hotel did I like?"


def a_judge(*answers: Answer) -> tuple[ChatJudge, ScriptedChat]:
    chat = ScriptedChat(*answers)
    return ChatJudge(chat, load_prompt(Files(), GATE), load_prompt(Files(), SUFFICES)), chat


@pytest.mark.proves("SCM-11", "SCM-13")
async def test_both_questions_are_asked_with_two_choices_and_read() -> None:
    judge, _ = a_judge({"answer": "A"}, {"answer": "B"})
    assert await judge.needs_memory(ASKED) == Judgement(yes=True, by="chat scripted")
    assert await judge.suffices(ASKED, "It rained.") == Judgement(yes=False, by="chat scripted")


@pytest.mark.proves("SCM-11")
async def test_the_first_question_shows_the_model_the_users_words_and_nothing_else() -> None:
    judge, chat = a_judge({"answer": "A"})
    await judge.needs_memory(ASKED)
    ((task, question),) = chat.asked
    assert (task.role, question.text) == ("system", f"Message:\n{ASKED}\n\nA or B?")


async def test_a_server_that_can_holds_the_model_to_one_of_the_two_letters() -> None:
    said, server = await _over_the_wire(says('{"answer": "B"}'))
    assert said.yes is False
    assert server.requests[0]["response_format"]["json_schema"]["schema"]["properties"]["answer"]["enum"] == ["A", "B"]


@pytest.mark.proves("SCM-16")
@pytest.mark.parametrize("words", ["(B)", "Answer: B", "The answer is (B), because it is about rain."])
async def test_words_in_place_of_the_form_are_read_all_the_same_and_nothing_is_asked_twice(words: str) -> None:
    said, server = await _over_the_wire(says(words))
    assert (said.yes, said.trouble, len(server.requests)) == (False, "", 1)


async def test_a_server_without_any_forms_is_asked_in_words() -> None:
    said, server = await _over_the_wire(lacks("response_format", "tools", otherwise=says("(A)")))
    assert (said.yes, server.rungs) == (True, ["json_schema", "tool", "plain"])


async def _over_the_wire(answer: WireAnswer) -> tuple[Judgement, ChatServer]:
    with chat_server(answer) as server:
        chat = OpenAIChat(ModelEndpoint(url=server.url, model="test-model"), clock=FixedClock())
        try:
            judge = ChatJudge(chat, load_prompt(Files(), GATE), load_prompt(Files(), SUFFICES))
            return await judge.needs_memory(ASKED), server
        finally:
            await chat.close()


@pytest.mark.proves("SCM-16")
@pytest.mark.parametrize("failure", [ModelUnavailable("no answer in time; try later"), BadReply("cut off; try again")])
async def test_a_model_that_fails_gives_no_answer_and_memory_is_activated(failure: Exception) -> None:
    judge, _ = a_judge(failure)
    said = await judge.needs_memory(ASKED)
    assert (said.yes, said.trouble, activates(said), went_wrong(said)) == (
        None, f"the model gave no answer: {failure}", True, True)  # fmt: skip


@pytest.mark.proves("SCM-16")
async def test_a_reply_that_is_neither_is_counted_and_memory_is_activated() -> None:
    judge, _ = a_judge({"answer": "perhaps"})
    said = await judge.needs_memory(ASKED)
    assert (said.yes, said.trouble, activates(said)) == (None, UNREADABLE, True)


async def test_words_that_look_like_a_place_of_the_prompt_are_left_as_they_are() -> None:
    judge, chat = a_judge({"answer": "A"})
    await judge.suffices("{{material}}", "{{text}}")
    assert "Request:\n{{material}}\n" in chat.asked[0][1].text


async def test_of_material_without_end_the_model_sees_start_and_end() -> None:
    judge, chat = a_judge({"answer": "A"})
    await judge.suffices(ASKED, f"first {'x' * 100_000} last")
    shown = chat.asked[0][1].text
    assert (len(shown) < 20_000, "first x" in shown, "x last" in shown) == (True, True, True)


def test_the_shipped_prompts_have_their_places_and_speak_of_no_domain() -> None:
    gate, enough = load_prompt(Files(), GATE), load_prompt(Files(), SUFFICES)
    assert (set(places(gate.asked)), set(places(enough.asked))) == ({"text"}, {"text", "material"})
    words = f"{gate.told} {enough.told}".casefold()
    assert [word for word in ("patient", "allerg", "drug", "clinic", "client", "fund") if word in words] == []
