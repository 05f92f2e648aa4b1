"""Proposes what a turn changes in a summary by asking a small language model (CIM 4). Implements
`protocols.SummaryWriter`.

The model sees the summary and one turn, never a fact or another conversation. Its answer is a proposal: what grows is
merged by code, and an option that the person did not name cannot be excluded. Knows no store.
"""

from collections.abc import Mapping

from r_memory.domain.prompts import Prompt, filled
from r_memory.domain.summaries import FIELDS, FLAGS, ConversationSummary, option_of, parsed
from r_memory.errors import BadReply
from r_memory.protocols import ChatMessage, ChatModel, ReplyForm
from r_memory.talk.summary.exclusions import names_option, own_words
from r_memory.talk.summary.rendering import section
from r_memory.text.inert import inert

LONGEST = 6_000
"""Characters of either side of a turn that the model is shown."""
_TEXT = {"type": "string"}
_LIST = {"type": "array", "items": _TEXT}
FORM = ReplyForm(
    name="conversation_summary",
    schema={
        "type": "object",
        "properties": {name: _TEXT if name == "core_discussion" else _LIST for name in FIELDS},
        "required": list(FIELDS),
        "additionalProperties": False,
    },
)
"""CIM's eight fields (A-13)."""


class ChatSummaryWriter:
    """Asks one model with one prompt (see `config.prompt_file.SUMMARY`)."""

    def __init__(self, chat: ChatModel, prompt: Prompt) -> None:
        self._chat = chat
        self._prompt = prompt
        self.name = f"chat {chat.name}"

    async def propose(self, old: ConversationSummary, question: str, answer: str) -> Mapping[str, object]:
        """The fields that the model gives, and under `flags` what was wrong with its answer.

        Raises:
            ModelError: there is no answer, or nothing of a summary in it.
        """
        words = {
            "summary": section(old) or "(nothing yet)",
            "question": inert(question, LONGEST),
            "answer": inert(answer, LONGEST),
        }
        messages = [
            ChatMessage(role="system", text=self._prompt.told),
            ChatMessage(role="user", text=filled(self._prompt.asked, words)),
        ]
        reply = await self._chat.reply(messages, form=FORM)
        given = {name: reply.data[name] for name in FIELDS if name in reply.data}
        if not given:
            raise BadReply("the model answered with no field of a summary; use a model that follows forms")
        flags = _flags(reply.text, len(given))
        return {**given, "excluded_options": _named(given.get("excluded_options"), question), FLAGS: flags}


def _flags(text: str, given: int) -> list[str]:
    missing = ["missing_fields"] if given < len(FIELDS) else []
    return missing if parsed(text) is not None else ["repaired", *missing]


def _named(options: object, question: str) -> list[str]:
    """Exclusions of what the person has named, in words of their own; a model may not exclude by itself."""
    said = own_words(question)
    listed = options if isinstance(options, list) else []
    entries = [entry for entry in listed if isinstance(entry, str)]
    return [entry for entry in entries if names_option(option_of(entry), said)]
