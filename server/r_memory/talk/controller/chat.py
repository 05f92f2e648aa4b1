"""A judge that asks a language model, in the words of prompts that people may edit. Implements `protocols.Judge`.

The model is held to one letter where its server can do that; words are read as well as they can be. A model that fails
or answers something else gives a judgement without an answer; what doubt means is decided by whoever asked. The model
sees the question and, for the second, the material; never a fact.
"""

import logging

from r_memory.domain.judgements import Judgement
from r_memory.domain.prompts import Prompt, filled
from r_memory.errors import BadReply, ModelError
from r_memory.protocols import ChatMessage, ChatModel, ReplyForm
from r_memory.talk.controller.answers import judged

logger = logging.getLogger(__name__)

FORM = ReplyForm(
    name="choice",
    schema={
        "type": "object",
        "properties": {"answer": {"type": "string", "enum": ["A", "B"]}},
        "required": ["answer"],
        "additionalProperties": False,
    },
)
_LONGEST_QUESTION = 4_000
_LONGEST_MATERIAL = 16_000
"""Characters that a model is shown: the start and the end, as a question may stand at either."""


class ChatJudge:
    """Asks one model with one prompt for each question. Never raises."""

    def __init__(self, chat: ChatModel, gate: Prompt, suffices: Prompt) -> None:
        """The prompts are those of `config.prompt_file.GATE` and `SUFFICES`."""
        self._chat = chat
        self._gate = gate
        self._suffices = suffices
        self.name = f"chat {chat.name}"

    async def needs_memory(self, question: str, *, flash: str = "") -> Judgement:
        """Q1, from the user's command alone; with `flash`, that turn is shown as well (MemEngine)."""
        previous = f"Previous turn:\n{_shown(flash, _LONGEST_MATERIAL)}\n\n" if flash.strip() else ""
        return await self._answer(self._gate, {"text": _shown(question, _LONGEST_QUESTION), "previous": previous})

    async def suffices(self, question: str, material: str) -> Judgement:
        """Q2."""
        words = {"text": _shown(question, _LONGEST_QUESTION), "material": _shown(material, _LONGEST_MATERIAL)}
        return await self._answer(self._suffices, words)

    async def _answer(self, prompt: Prompt, words: dict[str, str]) -> Judgement:
        messages = [
            ChatMessage(role="system", text=prompt.told),
            ChatMessage(role="user", text=filled(prompt.asked, words)),
        ]
        try:
            reply = await self._chat.reply(messages, form=FORM)
        except BadReply as error:
            return judged(error.said, by=self.name) if error.said else self._unanswered(error)
        except ModelError as error:
            return self._unanswered(error)
        return judged(str(reply.data.get("answer", reply.text)), by=self.name)

    def _unanswered(self, error: ModelError) -> Judgement:
        logger.warning("The controller's model failed", extra={"action": "judge", "error": type(error).__name__})
        return Judgement(yes=None, by=self.name, trouble=f"the model gave no answer: {error}")


def _shown(text: str, longest: int) -> str:
    if len(text) <= longest:
        return text
    half = longest // 2
    return f"{text[:half]}\n…\n{text[-half:]}"
