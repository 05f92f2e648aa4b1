"""A further opinion from a language model: which rows of the table a request may be.

The model sees the request and the table, never a fact or a subject. What it names outside the table is dropped.
Implements `protocols.IntentOpinion`; it can open rows, and closes none.
"""

from collections.abc import Sequence
from dataclasses import replace

from r_memory.domain.intents import IntentTable
from r_memory.domain.prompts import Prompt, filled
from r_memory.protocols import ChatMessage, ChatModel, ReplyForm
from r_memory.text.inert import inert

_EXAMPLES = 3
"""Of each action type, in the prompt."""
_LONGEST = 2000
"""Characters of a request that the model is shown."""


class ChatOpinion:
    """Asks one model with one prompt about one table."""

    name = "model"

    def __init__(self, table: IntentTable, prompt: Prompt, model: ChatModel) -> None:
        self._model = model
        self._known = tuple(name for name, row in table.intents.items() if not row.silent)
        self._prompt = replace(prompt, told=filled(prompt.told, {"intents": _listed(table, self._known)}))

    async def names(self, query: str) -> Sequence[str]:
        """Those rows of the table that the model names, each once.

        Raises:
            ModelError: there is no answer.
        """
        question = filled(self._prompt.asked, {"text": inert(query, _LONGEST)})
        messages = [ChatMessage(role="system", text=self._prompt.told), ChatMessage(role="user", text=question)]
        reply = await self._model.reply(messages, form=ReplyForm(name="intents", schema=self._form()))
        named = reply.data.get("intents")
        said = {name for name in named if isinstance(name, str)} if isinstance(named, list) else set()
        return tuple(name for name in self._known if name in said)

    def _form(self) -> dict[str, object]:
        names = {"type": "array", "items": {"type": "string", "enum": list(self._known)}}
        return {
            "type": "object",
            "properties": {"intents": names},
            "required": ["intents"],
            "additionalProperties": False,
        }


def _listed(table: IntentTable, names: Sequence[str]) -> str:
    return "\n".join(_line(table, name) for name in names)


def _line(table: IntentTable, name: str) -> str:
    row = table.intent(name)
    such_as = "; ".join(row.examples[:_EXAMPLES])
    return f"- {name}: {row.description}" + (f" Such as: {such_as}." if such_as else "")
