"""Memories by a language model: a summary and an importance as enforced JSON (Mimir 4.6), with topics and people.

What comes back is data: it is read field by field, and cut to its length. Implements `protocols.MemoryWriter`; knows no
store.
"""

from collections.abc import Mapping, Sequence

from r_memory.domain.prompts import Prompt, filled
from r_memory.errors import BadReply
from r_memory.protocols import ChatMessage, ChatModel, Memorable, ReplyForm, Shortening
from r_memory.talk.shortening import fitted, shortened
from r_memory.talk.tiers.local_writer import WORDS
from r_memory.text.sentences import language_of

LONGEST = 16_000
"""Characters of turns that a model is shown together."""
_WORD = 6
"""Characters; by them a turn that is longer than its share is shortened to so many words."""
_MOST = 12
"""Entries of a list."""
_LONGEST_ENTRY = 80
"""Characters of an entry."""
_TEXTS = {"type": "array", "items": {"type": "string", "maxLength": _LONGEST_ENTRY}, "maxItems": _MOST}
_PROPERTIES = {
    "summary": {"type": "string"},
    "importance": {"type": "integer", "minimum": 1, "maximum": 10},
    "topics": _TEXTS,
    "people": _TEXTS,
    "emotions": _TEXTS,
}
FORM = ReplyForm(
    name="memory",
    # Servers that hold a model to a form want every property required; a reply is read without the last three too.
    schema={
        "type": "object",
        "properties": _PROPERTIES,
        "required": list(_PROPERTIES),
        "additionalProperties": False,
    },
)


class ChatMemoryWriter:
    """Asks one model, with one prompt for windows and one for two memories, each in two languages."""

    def __init__(self, chat: ChatModel, prompts: Mapping[str, Prompt], *, words: int = WORDS) -> None:
        """`prompts` are `memory` and `consolidate`, and both with `.zh` (see `config.prompt_file.MEMORIES`)."""
        self._chat = chat
        self._prompts = prompts
        self._words = words
        self.name = f"chat {chat.name}"

    async def memorable(self, turns: Sequence[str]) -> Memorable:
        """As in `MemoryWriter`."""
        text = "\n".join(_within(turns))
        return await self._reply("memory", {"text": text}, self._words)

    async def joined(self, older: str, newer: str) -> Memorable:
        """As in `MemoryWriter`."""
        both = {"older": older[:LONGEST], "newer": newer[:LONGEST]}
        return await self._reply("consolidate", both, 2 * self._words)

    async def _reply(self, kind: str, texts: Mapping[str, str], words: int) -> Memorable:
        """The model's memory.

        Raises:
            ModelError: there is no answer, or none with a summary.
        """
        language = language_of("\n".join(texts.values()))
        prompt = self._prompts[kind if language == "en" else f"{kind}.{language}"]
        filling = {**texts, "words": str(words)}
        messages = (
            ChatMessage(role="system", text=filled(prompt.told, filling)),
            ChatMessage(role="user", text=filled(prompt.asked, filling)),
        )
        return _read((await self._chat.reply(messages, form=FORM)).data, words)


def _read(data: Mapping[str, object], words: int) -> Memorable:
    summary = data.get("summary")
    if not isinstance(summary, str) or not summary.strip():
        raise BadReply("the model's answer holds no summary; use a model that keeps to a form")
    return Memorable(
        summary=fitted(summary.strip(), words),
        importance=data.get("importance"),
        topics=_texts(data.get("topics")),
        people=_texts(data.get("people")),
        emotions=_texts(data.get("emotions")),
    )


def _texts(value: object) -> tuple[str, ...]:
    """The texts of a list, or the one text that stands where a list belongs."""
    values = [value] if isinstance(value, str) else value if isinstance(value, list) else []
    texts = (" ".join(one.split())[:_LONGEST_ENTRY] for one in values if isinstance(one, str))
    return tuple(text for text in texts if text)[:_MOST]


def _within(turns: Sequence[str]) -> list[str]:
    """Turns that fit together: those longer than their share are shown by their most telling sentences."""
    if sum(map(len, turns)) <= LONGEST:
        return list(turns)
    share = LONGEST // max(len(turns), 1)
    task = Shortening(kind="turn", words=max(1, share // _WORD))
    return [turn if len(turn) <= share else shortened(turn, task)[:share] for turn in turns]
