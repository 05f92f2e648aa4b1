"""What `doctor` asks the language model: whether it answers, exists, and how the form of its answers can be asked for.

It sends one made-up question, and nothing that anybody said.
"""

import time
from collections.abc import Iterator
from urllib.parse import urlsplit

from r_memory.cli.doctor import Finding
from r_memory.config.settings import PREFIX, Settings
from r_memory.errors import ModelError, ModelRefused
from r_memory.protocols import ChatMessage, ReplyForm
from r_memory.providers.openai import OpenAIChat, Rung
from r_memory.serving.http.plan import is_loopback
from r_memory.wiring import open_model

_QUESTION = (
    ChatMessage(role="system", text="Answer in the form that is asked for."),
    ChatMessage(role="user", text="Which colour has a clear sky by day?"),
)
_FORM = ReplyForm(
    name="colour",
    schema={
        "type": "object",
        "properties": {"colour": {"type": "string"}},
        "required": ["colour"],
        "additionalProperties": False,
    },
)
_RUNGS = {
    Rung.SCHEMA: "it is held to a JSON Schema",
    Rung.TOOL: "it lacks JSON Schema, so the form is asked for as a tool call",
    Rung.PLAIN: "it lacks JSON Schema and tools, so the form is described in words and mended once",
}


async def model_findings(settings: Settings) -> tuple[Finding, ...]:
    """What the model that reads says of itself."""
    setting = "small_model_name" if settings.small_model_name else "model_name"
    settings = settings.with_small_model
    found = [*_in_the_open(settings)]
    async with open_model(settings) as chat:
        try:
            found += await _listed(chat, settings, setting)
            began = time.monotonic()
            await chat.reply(_QUESTION, form=_FORM)
            what = f"{chat.name} answered in {time.monotonic() - began:.1f} s; {_RUNGS[chat.rung]}"
            found.append(Finding("model", "fine", what))
        except ModelError as error:
            what, _, remedy = str(error).partition("; ")
            why = "utterances keep what the offline routes read, and wait to be read by the model as well"
            found.append(Finding("model", "trouble", what, why, remedy or "look at the model server's own log"))
    return tuple(found)


async def _listed(chat: OpenAIChat, settings: Settings, setting: str) -> list[Finding]:
    """Whether the server offers the model; nothing where it has no list."""
    try:
        models = await chat.models()
    except ModelRefused:
        return []
    if settings.model_name in models or not models:
        return []
    what = f"the server does not list {settings.model_name}; it lists {', '.join(sorted(models)[:8])}"
    why = "if the model does not exist, utterances are read offline only"
    remedy = f"set {PREFIX}{setting.upper()} to one of these, unless the question below is answered"
    return [Finding("model", "note", what, why, remedy)]


def _in_the_open(settings: Settings) -> Iterator[Finding]:
    address = urlsplit(settings.model_url)
    if address.scheme == "http" and not is_loopback(address.hostname or ""):
        why = "what people say, and the key, can be read on the way"
        remedy = "use an https address, or run the model on this machine"
        yield Finding("model address", "note", "the model is asked over http, on another machine", why, remedy)
