"""A language model that answers from a script, whatever it is asked; no network."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeAlias

from r_memory.protocols import ChatMessage, ChatReply, ReplyForm

Answer: TypeAlias = Mapping[str, object] | Exception | Callable[[str], Mapping[str, object]]
"""An object, an error to raise, or what makes an object of the question."""


class ScriptedChat:
    """Gives the prepared answers in order, and the last for ever. Implements `protocols.ChatModel`."""

    name = "scripted"

    def __init__(self, *answers: Answer) -> None:
        self.asked: list[tuple[ChatMessage, ...]] = []
        """The messages of every question, in order."""
        self._last: Answer = {"facts": []}
        self._answers: Iterator[Answer] = iter(answers)

    async def reply(self, messages: Sequence[ChatMessage], *, form: ReplyForm | None = None) -> ChatReply:  # noqa: ARG002 - the protocol's
        """The next answer.

        Raises:
            Exception: the one that was prepared.
        """
        self.asked.append(tuple(messages))
        self._last = next(self._answers, self._last)
        if isinstance(self._last, Exception):
            raise self._last
        data = self._last(messages[-1].text) if callable(self._last) else self._last
        return ChatReply(text=json.dumps(data), data=data)
