"""The model that answers in the chat, read while it speaks: what the product's own client does, and streaming.

Of servers that are only nearly compatible it asks no more than it must; one that cannot stream gives its answer whole.
"""

from collections.abc import AsyncGenerator, Sequence

import openai
from openai.types.chat import ChatCompletionChunk

from r_memory.errors import BadReply, ModelUnavailable
from r_memory.protocols import ChatMessage
from r_memory.providers.openai import EMPTY, LIMIT, OpenAIChat, Rung, body_of, check_finish, is_unsuited, request

_BROKE_OFF = "the model's answer broke off before its end; try again, or look at its server"


class StreamingModel(OpenAIChat):
    """One model at one address. Implements `session.StreamingChat`; `close` when done."""

    async def stream(self, messages: Sequence[ChatMessage]) -> AsyncGenerator[str, None]:
        """As in `StreamingChat`; where a server cannot stream, the whole answer is one piece."""
        async with self._attempt():
            chunks = await self._opened(messages)
        began = said = False
        finish = ""
        if chunks is not None:
            async with chunks:
                while (chunk := await self._next(chunks)) is not None:
                    choice = next(iter(getattr(chunk, "choices", None) or ()), None)
                    if choice is None:
                        continue
                    began = True  # whatever belongs to an answer, be it only its end
                    # A server that is only nearly compatible may leave out what the types promise.
                    delta = getattr(choice, "delta", None)
                    finish = "content_filter" if getattr(delta, "refusal", None) else choice.finish_reason or finish
                    if piece := getattr(delta, "content", None):
                        said = True
                        yield piece
        # Whatever it said: it is alive.
        self._breaker.succeeded()
        if not began:
            yield (await self.reply(messages)).text
            return
        if not finish:
            raise ModelUnavailable(_BROKE_OFF)
        check_finish(finish)
        if not said:
            raise BadReply(EMPTY)

    async def _opened(self, messages: Sequence[ChatMessage]) -> openai.AsyncStream[ChatCompletionChunk] | None:
        """An answer that begins; `None` from a server that says that it does not stream."""
        try:
            opened = await self._response({**request(Rung.PLAIN, messages, None), "stream": True})
        except openai.APIStatusError as error:
            if is_unsuited(error) and "stream" in body_of(error):
                return None
            raise
        return opened if isinstance(opened, openai.AsyncStream) else None

    async def _next(self, chunks: openai.AsyncStream[ChatCompletionChunk]) -> ChatCompletionChunk | None:
        """The next part of an answer; `None` at its end."""
        silent = f"the model fell silent for {self._endpoint.limit_s:g} s in the middle of its answer"
        async with self._counted(f"{silent}; try again, or raise {LIMIT}", _BROKE_OFF):
            return await anext(chunks, None)
