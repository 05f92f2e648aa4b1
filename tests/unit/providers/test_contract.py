"""One contract for every kind of provider: hosted ones are reached through their OpenAI-compatible addresses.

The servers here are doubles that differ as those do: in path, in what they take no notice of or refuse, and in how they
word an error. Nothing but the address, the model's name and the key is another one.
"""

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest

from r_memory.config.settings import KEY_FILE, load_settings
from r_memory.errors import BadReply, ModelRefused, ModelUnavailable
from r_memory.protocols import ChatMessage, ReplyForm
from r_memory.providers import ModelEndpoint
from r_memory.testing.clock import FixedClock
from r_memory_chat.streaming import StreamingModel
from tests.chat_server import Answer, ChatServer, Sent, chat_server, hangs, says, streams, write

pytestmark = [pytest.mark.anyio, pytest.mark.proves("T-8")]
FORM = ReplyForm(name="answer", schema={"type": "object", "properties": {"needed": {"type": "boolean"}}})
MESSAGES = (ChatMessage(role="system", text="Be brief."), ChatMessage(role="user", text="Is it needed?"))
OBJECT = json.dumps({"needed": True})
FENCED = f"Here it is:\n```json\n{OBJECT}\n```"


@dataclass(frozen=True, slots=True, kw_only=True)
class Provider:
    """How one kind of server differs."""

    path: str
    unknown: tuple[str, ...] = ()
    """Arguments that it refuses."""
    ignores_forms: bool = False
    """It takes no notice of the form that is asked for."""
    errors: str = "openai"

    def error(self, status: int, message: str) -> object:
        """The body of an error."""
        if self.errors == "anthropic":
            return {"type": "error", "error": {"type": "invalid_request_error", "message": message}}
        if self.errors == "gemini":
            return [{"error": {"code": status, "message": message, "status": "FAILED"}}]
        return {"error": {"message": message, "type": "invalid_request_error", "code": None}}


PROVIDERS: Mapping[str, Provider] = {
    "openai": Provider(path="/v1"),
    "anthropic": Provider(path="/v1/", ignores_forms=True, errors="anthropic"),
    "gemini": Provider(path="/v1beta/openai/", unknown=("response_format",), errors="gemini"),
    "local": Provider(path="/v1", unknown=("stream_options",)),
}


@pytest.fixture(params=sorted(PROVIDERS))
def provider(request: pytest.FixtureRequest) -> Provider:
    return PROVIDERS[request.param]


@asynccontextmanager
async def a_model(
    provider: Provider, *answers: Answer, limit_s: float = 60
) -> AsyncIterator[tuple[StreamingModel, ChatServer]]:
    with chat_server(*(_as(provider, answer) for answer in answers)) as server:
        url = server.url.removesuffix("/v1") + provider.path
        endpoint = ModelEndpoint(url=url, model="some-model", key="key-of-theirs", limit_s=limit_s)
        chat = StreamingModel(endpoint, clock=FixedClock())
        try:
            yield chat, server
        finally:
            await chat.close()


def _as(provider: Provider, answer: Answer) -> Answer:
    def answered(handler: BaseHTTPRequestHandler, sent: Sent) -> None:
        refused = [name for name in provider.unknown if name in sent]
        if handler.path != f"{provider.path.rstrip('/')}/chat/completions":
            write(handler, 404, json.dumps(provider.error(404, "no such path")))
        elif handler.headers["authorization"] != "Bearer key-of-theirs":
            write(handler, 401, json.dumps(provider.error(401, "no key")))
        elif refused:
            write(handler, 400, json.dumps(provider.error(400, f"Unknown name {refused[0]}: cannot find field")))
        else:
            answer(handler, sent)

    return answered


def fails(provider: Provider, status: int) -> Answer:
    """An error as this kind of server words it."""
    return lambda handler, sent: write(handler, status, json.dumps(provider.error(status, "no")))  # noqa: ARG005


def an_object(provider: Provider) -> Answer:
    """The object in the form that was asked for, or in words where forms are not known."""

    def answer(handler: BaseHTTPRequestHandler, sent: Sent) -> None:
        if "tools" in sent and not provider.ignores_forms:
            call = {"id": "t", "type": "function", "function": {"name": FORM.name, "arguments": OBJECT}}
            message = {"role": "assistant", "content": None, "tool_calls": [call]}
            choice = {"index": 0, "message": message, "finish_reason": "tool_calls"}
            done = {"id": "c", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}
            write(handler, 200, json.dumps(done))
        else:
            says(FENCED if provider.ignores_forms or "response_format" not in sent else OBJECT)(handler, sent)

    return answer


async def test_words_come_back_as_they_are(provider: Provider) -> None:
    async with a_model(provider, says("It is.")) as (chat, _):
        assert (await chat.reply(MESSAGES)).text == "It is."


async def test_an_object_is_had_from_each_in_the_best_way_that_it_knows(provider: Provider) -> None:
    async with a_model(provider, an_object(provider)) as (chat, _):
        assert (await chat.reply(MESSAGES, form=FORM)).data == {"needed": True}


async def test_a_fenced_object_is_read(provider: Provider) -> None:
    async with a_model(provider, says(FENCED)) as (chat, _):
        assert (await chat.reply(MESSAGES, form=FORM)).data == {"needed": True}


async def test_an_answer_is_streamed_in_pieces(provider: Provider) -> None:
    async with a_model(provider, streams("It ", "is.")) as (chat, _), aclosing(chat.stream(MESSAGES)) as pieces:
        assert [piece async for piece in pieces] == ["It ", "is."]


async def test_an_empty_answer_is_no_answer(provider: Provider) -> None:
    async with a_model(provider, says("")) as (chat, _):
        with pytest.raises(BadReply):
            await chat.reply(MESSAGES)


@pytest.mark.parametrize("status", [429, 500, 503])
async def test_a_rate_limit_and_a_passing_error_are_waited_out(provider: Provider, status: int) -> None:
    async with a_model(provider, fails(provider, status), says("It is.")) as (chat, _):
        assert (await chat.reply(MESSAGES)).text == "It is."


@pytest.mark.parametrize("status", [401, 403, 404])
async def test_what_does_not_pass_is_refused_at_once(provider: Provider, status: int) -> None:
    async with a_model(provider, fails(provider, status)) as (chat, server):
        with pytest.raises(ModelRefused):
            await chat.reply(MESSAGES)
    assert len(server.requests) == 1


async def test_a_silent_server_is_not_waited_for_for_ever(provider: Provider) -> None:
    async with a_model(provider, hangs, limit_s=0.3) as (chat, _):
        with pytest.raises(ModelUnavailable):
            await chat.reply(MESSAGES)


@pytest.mark.proves("CIM-21")
def test_the_key_comes_from_the_environment_then_from_here_then_from_beside_the_configuration(
    provider: Provider, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, home = tmp_path / "here", tmp_path / "home"
    here.mkdir()
    home.mkdir()
    monkeypatch.chdir(here)
    environ = {"R_MEMORY_MODEL_URL": f"https://models.example.com{provider.path}", "R_MEMORY_HOME": str(home)}
    (home / KEY_FILE).write_text("beside\n", encoding="utf-8")
    assert load_settings(environ).model_key == "beside"
    (here / KEY_FILE).write_text("here\n", encoding="utf-8")
    assert load_settings(environ).model_key == "here"
    assert load_settings({**environ, "R_MEMORY_MODEL_KEY": "environment"}).model_key == "environment"
