"""Any language model or embedder behind an OpenAI-compatible address.

Knows the protocol and its dialects: what a server lacks is found out once and remembered. Never repeats what a server
says in its errors, which may quote the key or somebody's words. The only importer of `openai`.
"""

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from enum import StrEnum
from itertools import pairwise
from typing import Any

import numpy as np
from typing_extensions import override

from r_memory.errors import BadReply, ConfigurationError, CutOff, ModelError, ModelRefused, ModelUnavailable, adding
from r_memory.protocols import ChatMessage, ChatReply, Clock, Floats, ReplyForm
from r_memory.providers import ModelEndpoint
from r_memory.providers.breaker import CircuitBreaker

try:
    import openai
    from openai.types.chat import ChatCompletion, ChatCompletionMessage

    from r_memory.providers.replies import object_in
except ModuleNotFoundError as absent:
    raise ConfigurationError(f"a language model needs the extra 'model'; {adding('model')}") from absent

logger = logging.getLogger(__name__)

_PASSING = frozenset({408, 409, 429})
"""Statuses of failures that may be temporary; so may all from 500 on."""
_UNSUITED = frozenset({400, 404, 415, 422, 501})
"""Statuses by which servers reject an unknown part of a request."""
_NO_KEY = "none"
"""A placeholder, as the client requires a key and a local server needs none."""
LIMIT = "R_MEMORY_MODEL_TIMEOUT_S"
_UNREACHED = "the model's server could not be reached; check that it runs and that R_MEMORY_MODEL_URL is its address"
EMPTY = "the model gave an empty answer; try again, or use another model"
_NO_COMPLETION = "the server's answer is no chat completion; check that R_MEMORY_MODEL_URL ends where its API begins"


class Rung(StrEnum):
    """How the form of an answer is requested, best first."""

    SCHEMA = "json_schema"
    """The server enforces the schema."""
    TOOL = "tool"
    """The answer is the argument of a function."""
    PLAIN = "plain"
    """The form is described in words, and the answer is repaired once."""


_ABOUT = {Rung.SCHEMA: ("response_format", "json_schema", "schema", "grammar"), Rung.TOOL: ("tool", "function")}
"""Words in a server's error that show which rung it rejects."""


class _Client(openai.AsyncOpenAI):
    """Retries by itself, unless a retry cannot help or the server asks for too long a pause."""

    def __init__(self, endpoint: ModelEndpoint) -> None:
        super().__init__(
            api_key=endpoint.key or _NO_KEY,
            base_url=endpoint.url,
            timeout=endpoint.limit_s,
            max_retries=endpoint.retries,
        )
        self._limit_s = endpoint.limit_s
        # Taken from the environment, and no business of whatever server this is.
        self.organization = self.project = None

    @override
    def _should_retry(self, response: Any) -> bool:
        # Without it such an answer would only come later: one limit holds for all attempts.
        hopeless = response.status_code in _UNSUITED or _retry_after(response) > self._limit_s
        return not hopeless and super()._should_retry(response)


@asynccontextmanager
async def _in_our_words(
    limit_s: float,
    late: str,
    nonsense: ModelError,
    *,
    broken: str = _UNREACHED,
    who: str = "model",
    setting: str = "R_MEMORY_MODEL_NAME",
) -> AsyncIterator[None]:
    """Runs the body of a call and translates its errors.

    Raises:
        ModelError: the time is up (`late`), the connection broke (`broken`), the server refused, or the answer
            could not be read (`nonsense`), such as HTML or a truncated body.
    """
    try:
        async with asyncio.timeout(limit_s):
            yield
    except (TimeoutError, openai.APITimeoutError):
        raise ModelUnavailable(late) from None
    except openai.APIStatusError as error:
        raise _refusal(error, who, setting) from None
    except (openai.APIResponseValidationError, ValueError, AttributeError, TypeError):
        raise nonsense from None
    except openai.OpenAIError:
        raise ModelUnavailable(broken.replace("model", who)) from None


class OpenAIChat:
    """One model at one address. Implements `protocols.ChatModel`; call `close` when done.

    Safe for concurrent use.
    """

    def __init__(self, endpoint: ModelEndpoint, *, clock: Clock) -> None:
        self.name = endpoint.model
        self.rung = Rung.SCHEMA
        """The best that this server is not known to lack."""
        self._endpoint = endpoint
        self._breaker = CircuitBreaker(clock)
        self._options: dict[str, Any] = {"temperature": 0}
        """What is asked beside the messages; some servers refuse one of these, and then it is left out."""
        if endpoint.max_tokens:
            self._options["max_tokens"] = endpoint.max_tokens
        self._client = _Client(endpoint)

    async def close(self) -> None:
        """Closes the connections."""
        await self._client.close()

    async def reply(self, messages: Sequence[ChatMessage], *, form: ReplyForm | None = None) -> ChatReply:
        """Returns the model's reply, as `ChatModel.reply`."""
        async with self._attempt():
            reply = await self._answered(messages, form)
        self._breaker.succeeded()
        return reply

    async def models(self) -> tuple[str, ...]:
        """Returns the names of the server's models.

        Raises:
            ModelUnavailable: the server does not answer.
            ModelRefused: the server refused the key, or has no list of models.
        """
        late = f"the server did not answer within {self._endpoint.limit_s:g} s"
        async with _in_our_words(self._endpoint.limit_s, late, ModelUnavailable(_UNREACHED)):
            return tuple(model.id for model in (await self._client.models.list()).data or ())

    @asynccontextmanager
    async def _attempt(self) -> AsyncIterator[None]:
        """Runs the body as `_counted`.

        Raises:
            ModelUnavailable: the breaker is open.
        """
        if not self._breaker.admits():
            raise ModelUnavailable(
                f"the model failed several times in a row and is left alone for {self._breaker.rests_s:.0f} s; "
                "check its server with `r-memory doctor`"
            )
        late = f"the model did not answer within {self._endpoint.limit_s:g} s; check its server, or raise {LIMIT}"
        async with self._counted(late):
            yield

    @asynccontextmanager
    async def _counted(self, late: str, broken: str = _UNREACHED) -> AsyncIterator[None]:
        """Runs the body as `_in_our_words`, and counts its failures."""
        rest_s = 0.0
        try:
            async with _in_our_words(self._endpoint.limit_s, late, BadReply(_NO_COMPLETION), broken=broken):
                try:
                    yield
                except openai.APIStatusError as error:
                    rest_s = _retry_after(error.response)
                    raise
        except BadReply:
            # It is alive, and asking it something else may help.
            self._breaker.succeeded()
            raise
        except ModelError:
            self._breaker.failed(rest_s=rest_s)
            raise

    async def _answered(self, messages: Sequence[ChatMessage], form: ReplyForm | None) -> ChatReply:
        """Returns the answer on the best rung that works."""
        if form is None:
            return await self._asked(Rung.PLAIN, messages, None)
        rungs = list(Rung)
        for rung, lower in pairwise(rungs[rungs.index(self.rung) :]):
            try:
                return await self._asked(rung, messages, form)
            except openai.APIStatusError as error:
                if not is_unsuited(error):
                    raise
                if any(word in body_of(error) for word in _ABOUT[rung]):  # and not of something of this one request
                    self.rung = lower
                logger.info("Model asked in a simpler form", extra={"action": "model_rung", "rung": lower.value})
        return await self._asked(Rung.PLAIN, messages, form)

    async def _asked(self, rung: Rung, messages: Sequence[ChatMessage], form: ReplyForm | None) -> ChatReply:
        completion = await self._response(request(rung, messages, form))
        if not isinstance(completion, ChatCompletion):
            raise BadReply(_NO_COMPLETION)
        return _reply(completion, is_object=form is not None)

    async def _response(self, asked: Mapping[str, Any]) -> object:
        """Returns a completion, or a stream if requested.

        An option that the server does not know is left out from then on.
        """
        while True:
            options = dict(self._options)
            try:
                return await self._client.chat.completions.create(model=self._endpoint.model, **asked, **options)
            except openai.APIStatusError as error:
                unknown = [name for name in options if error.status_code in _UNSUITED and name in body_of(error)]
                if not unknown:
                    raise
                for name in unknown:
                    self._options.pop(name, None)


def request(rung: Rung, messages: Sequence[ChatMessage], form: ReplyForm | None) -> dict[str, Any]:
    """Returns the part of a request that depends on the rung."""
    spoken = [{"role": message.role, "content": message.text} for message in messages]
    if form is None:
        return {"messages": spoken}
    if rung is Rung.SCHEMA:
        wanted = {"name": form.name, "strict": True, "schema": form.schema}
        return {"messages": spoken, "response_format": {"type": "json_schema", "json_schema": wanted}}
    if rung is Rung.TOOL:
        function = {"name": form.name, "parameters": form.schema}
        return {
            "messages": spoken,
            "tools": [{"type": "function", "function": function}],
            "tool_choice": {"type": "function", "function": {"name": form.name}},
        }
    told = f"Answer with one JSON object of this JSON Schema and nothing else:\n{json.dumps(form.schema)}"
    # In the first message, because some chat templates take one system message at most.
    first = {**spoken[0], "content": f"{spoken[0]['content']}\n\n{told}"}
    return {"messages": [first, *spoken[1:]]}


def _reply(completion: ChatCompletion, *, is_object: bool) -> ChatReply:
    """Returns the model's reply; an object is in the text or in a function's argument."""
    message = _message(completion)
    functions = [getattr(call, "function", None) for call in (message.tool_calls if is_object else None) or ()]
    arguments = [str(function.arguments or "") for function in functions if function is not None]
    text = next(filter(None, arguments), message.content or "")
    if not text.strip():
        raise BadReply(EMPTY)
    data, mended = object_in(text) if is_object else ({}, False)
    return ChatReply(text=text, data=data, mended=mended)


def _message(completion: ChatCompletion) -> ChatCompletionMessage:
    """Returns the message of a complete answer.

    Raises:
        BadReply: there is no message, or it was truncated, so that a negation may be missing.
    """
    choice = next(iter(completion.choices or ()), None)
    # A server that is only nearly compatible may leave out what the types promise.
    message: ChatCompletionMessage | None = getattr(choice, "message", None)
    if choice is None or message is None:
        raise BadReply(_NO_COMPLETION)
    check_finish("content_filter" if message.refusal else choice.finish_reason, said=message.content or "")
    return message


def check_finish(reason: str, *, said: str = "") -> None:
    """Checks that the model ended its answer by itself; `said` is the text so far.

    Raises:
        CutOff: the answer was cut off at its length limit.
        BadReply: the model declined to answer.
    """
    if reason == "length":
        raise CutOff(
            "the model's answer was cut off before its end; raise R_MEMORY_MODEL_MAX_TOKENS or the server's limit",
            said=said,
        )
    if reason == "content_filter":
        raise BadReply("the model declined to answer; use a model that reads such texts")


def _refusal(error: openai.APIStatusError, who: str = "model", setting: str = "R_MEMORY_MODEL_NAME") -> ModelError:
    status = error.status_code
    if status in {401, 403}:
        return ModelRefused(f"the {who}'s server refused the key (status {status}); check R_MEMORY_MODEL_KEY")
    if status in _PASSING or status >= 500:
        return ModelUnavailable(f"the {who}'s server is overloaded or broken (status {status}); try again later")
    return ModelRefused(
        f"the {who}'s server refused the request (status {status}); check R_MEMORY_MODEL_URL and {setting}"
    )


def body_of(error: openai.APIStatusError) -> str:
    """Returns the server's error text, for comparison only; it is never shown."""
    return f"{error.code or ''} {error.message}".casefold()


def is_unsuited(error: openai.APIStatusError) -> bool:
    """Whether a simpler request may succeed."""
    return error.status_code in _UNSUITED and "model_not_found" not in body_of(error)


def _retry_after(response: Any) -> float:  # noqa: ANN401 - of the HTTP library that the client brings
    """Returns the seconds of pause that the server asks for; 0 if it gives none, or a date."""
    try:
        return max(0.0, float(response.headers.get("retry-after", "")))
    except ValueError:
        return 0.0


_AT_ONCE = 128
"""Texts in one request; servers accept at most some hundreds."""
_UNUSABLE = "the server's answer holds no vectors; check that R_MEMORY_MODEL_URL ends where its API begins"


class OpenAIEmbedder:
    """One model at one address. Implements `protocols.Embedder`; call `close` when done."""

    def __init__(self, endpoint: ModelEndpoint) -> None:
        self.model = f"openai/{endpoint.model}"
        self.dimensions = 0
        self._endpoint = endpoint
        self._client = _Client(endpoint)

    async def close(self) -> None:
        """Closes the connections."""
        await self._client.close()

    async def embed(self, texts: Sequence[str]) -> Floats:
        """Returns the vectors, as `Embedder.embed`; texts are sent in parts, each with the endpoint's time limit."""
        parts = [await self._part(texts[start : start + _AT_ONCE]) for start in range(0, len(texts), _AT_ONCE)]
        rows = [row for part in parts for row in part]
        if len({len(row) for row in rows}) > 1:
            raise BadReply("the server gave vectors of different lengths; check the embedder's model")
        self.dimensions = len(rows[0]) if rows else self.dimensions
        return np.asarray(rows, dtype=np.float32).reshape(len(rows), self.dimensions)

    async def _part(self, texts: Sequence[str]) -> list[list[float]]:
        late = f"the embedder did not answer within {self._endpoint.limit_s:g} s; check its server"
        nonsense, setting = BadReply(_UNUSABLE), "R_MEMORY_EMBEDDER_MODEL"
        async with _in_our_words(self._endpoint.limit_s, late, nonsense, who="embedder", setting=setting):
            answer = await self._client.embeddings.create(
                model=self._endpoint.model,
                # Servers refuse an empty text.
                input=[text or " " for text in texts],
                # The client would ask for base64, which not every server knows.
                encoding_format="float",
            )
        return _rows(answer, len(texts))


def _rows(answer: object, number: int) -> list[list[float]]:
    """Returns the vectors in the order of the texts."""
    found = getattr(answer, "data", None)
    if not isinstance(found, list) or len(found) != number:
        raise BadReply(_UNUSABLE)
    ordered = sorted(found, key=lambda one: one.index)
    rows = [item.embedding for item in ordered]
    if not all(isinstance(row, list) and row and all(isinstance(x, int | float) for x in row) for row in rows):
        raise BadReply(_UNUSABLE)
    return rows
