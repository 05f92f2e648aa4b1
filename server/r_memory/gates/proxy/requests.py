"""Requests to a model, as chat completions or responses: where a person's words stand, and where the block goes."""

from collections.abc import MutableMapping
from dataclasses import dataclass
from typing import Any

from r_memory.domain.blocks import QUERY

Body = MutableMapping[str, Any]


def text_of(content: object) -> str:
    """Returns the text of a message's content: a string, or the text parts of a list."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "\n".join(part["text"] for part in parts if isinstance(part, dict) and isinstance(part.get("text"), str))


def with_block(content: object, block: str, kind: str = "text") -> object:
    """Returns the content with the block in front; images and other parts stay unchanged."""
    front = f"{block}\n{QUERY}\n"
    if isinstance(content, list):
        return [{"type": kind, "text": front}, *content]
    return front + (content if isinstance(content, str) else "")


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRequest:
    """A request in either form."""

    body: Body
    messages: list[Any]
    field: str
    """Field of the body that holds the messages."""
    part: str
    """Type of a text part of a message."""
    refused: str
    """Why the request cannot be taken; empty if it can."""
    form: object
    """Declared form of the answer."""

    @property
    def _last(self) -> int:
        """Place of the user's last message; -1 if there is none."""
        numbered = enumerate(self.messages)
        return max((at for at, item in numbered if isinstance(item, dict) and item.get("role") == "user"), default=-1)

    @property
    def is_new(self) -> bool:
        """Whether the user's message is the last, with no tool result after it."""
        return 0 <= self._last == len(self.messages) - 1

    @property
    def words(self) -> str:
        """The text of the user's last message; empty if there is none."""
        return text_of(self.messages[self._last].get("content")) if self._last >= 0 else ""

    @property
    def is_json(self) -> bool:
        """Whether the answer must be JSON, so that no note may follow it."""
        return isinstance(self.form, dict) and self.form.get("type") in {"json_object", "json_schema"}

    def put(self, block: str) -> None:
        """Puts the block in front of the user's last message; without one, as a message of its own."""
        last, messages = self._last, self.messages
        if last < 0:
            messages = [{"role": "user", "content": block}, *messages]
        else:
            changed = {**messages[last], "content": with_block(messages[last].get("content"), block, self.part)}
            messages = [*messages[:last], changed, *messages[last + 1 :]]
        plain = isinstance(self.body.get(self.field), str)
        self.body[self.field] = messages[0]["content"] if plain else messages


def chat_request(body: Body) -> ModelRequest:
    """Returns a request for chat completions."""
    given = body.get("messages")
    messages = given if isinstance(given, list) else []
    refused = ""
    if "audio" in (body.get("modalities") or ()):
        refused = "an answer that is spoken cannot be checked before it is heard; leave audio out of `modalities`"
    if not any(isinstance(message, dict) and message.get("role") == "user" for message in messages):
        refused = "the request has no message of a user; there is nothing to put the record in front of"
    form = body.get("response_format")
    return ModelRequest(body=body, messages=messages, field="messages", part="text", refused=refused, form=form)


def responses_request(body: Body) -> ModelRequest:
    """Returns a request for a response."""
    given, text = body.get("input"), body.get("text")
    messages = [{"role": "user", "content": given}] if isinstance(given, str) else list(given or ())
    refused = "an answer made in the background is fetched past the gate; leave `background` out"
    return ModelRequest(
        body=body,
        messages=messages,
        field="input",
        part="input_text",
        refused=refused if body.get("background") else "",
        form=text.get("format") if isinstance(text, dict) else None,
    )
