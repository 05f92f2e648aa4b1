"""Shortening by a language model, in the words of prompts that people may edit.

What a model answers is checked by its length alone: an answer that is no shorter than the text is no summary, and the
sentences that `shortening.py` chooses stand in for it. Knows no store; implements `protocols.Shortener`.
"""

import logging
import re
from collections.abc import Mapping
from dataclasses import dataclass

from r_memory.domain.prompts import Prompt, filled
from r_memory.protocols import ChatMessage, ChatModel, Shortening
from r_memory.talk.shortening import NAME, THEME_LIMIT, ExtractiveShortener, fitted, theme_of
from r_memory.text.sentences import language_of, words_in

logger = logging.getLogger(__name__)

LONGEST = 16_000
"""Characters that a model is shown; of a longer text, the sentences that say most of it."""
_ROOM = 2_400
"""Words that are left of a longer text."""
_ASIDE = 4_000
"""Characters of a background that are shown, its last ones."""
_NOTHING = {"en": "none", "zh": "无"}
_THOUGHT = re.compile(r"\A\s*<think>.*?</think>", re.DOTALL)
_FENCE = re.compile(r"\A\s*```\w*\s*\n|\n\s*```\s*\Z")


@dataclass(frozen=True, slots=True, kw_only=True)
class Shortened:
    """A shorter text, and who made it."""

    text: str
    by: str
    """`chat some-model`; `extractive/1` where the model's answer could not be used, or none was needed."""


class ChatShortener:
    """Asks one model, with one prompt for each kind of text and each of two languages."""

    def __init__(self, chat: ChatModel, prompts: Mapping[str, Prompt]) -> None:
        """`prompts` by kind, and Chinese ones by kind and `.zh` (see `config.prompt_file.SHORTENING`)."""
        self._chat = chat
        self._prompts = prompts
        self._extractive = ExtractiveShortener()
        self.name = f"chat {chat.name}"

    async def shorten(self, text: str, task: Shortening) -> str:
        """As in `Shortener`."""
        return (await self.made(text, task)).text

    async def made(self, text: str, task: Shortening) -> Shortened:
        """The shorter text with who made it. A text that is short enough is not asked about (SCM 25).

        Raises:
            ModelError: there is no answer.
        """
        bare = text.strip()
        if _fits(bare, task):
            return Shortened(text=await self._extractive.shorten(bare, task), by=NAME)
        reply = await self._chat.reply(await self._messages(bare, task))
        said = _bare(reply.text)
        if not any(map(str.isalnum, said)) or words_in(said) > words_in(bare):
            logger.warning("A summary was refused", extra={"action": "summary_refused", "model": self._chat.name})
            return Shortened(text=await self._extractive.shorten(bare, task), by=NAME)
        return Shortened(text=_within(said, task), by=self.name)

    async def _messages(self, text: str, task: Shortening) -> tuple[ChatMessage, ChatMessage]:
        language = language_of(text)
        prompt = self._prompts[task.kind if language == "en" else f"{task.kind}.{language}"]
        shown = await self._extractive.shorten(text, _room(task)) if len(text) > LONGEST else text
        words = {
            "words": str(max(task.words, 1)),
            "background": task.background[-_ASIDE:].strip() or _NOTHING[language],
            "theme": task.theme.strip() or _NOTHING[language],
            "question": task.question.strip() or _NOTHING[language],
            "text": shown[:LONGEST],
        }
        return (
            ChatMessage(role="system", text=filled(prompt.told, words)),
            ChatMessage(role="user", text=filled(prompt.asked, words)),
        )


def _fits(text: str, task: Shortening) -> bool:
    if task.kind == "theme":
        return len(" ".join(text.split())) <= THEME_LIMIT and words_in(text) <= max(task.words, 1)
    return words_in(text) <= max(task.words, 1)


def _room(task: Shortening) -> Shortening:
    return Shortening(kind="block", words=_ROOM, background=task.background, theme=task.theme, question=task.question)


def _within(said: str, task: Shortening) -> str:
    """The answer, cut to what was asked for."""
    if task.kind != "theme":
        return fitted(said, task.words)
    line = said.splitlines()[0].strip(" .\"'“”")
    return theme_of(line, task.words) if line else theme_of(said, task.words)


def _bare(reply: str) -> str:
    """The answer without a model's thoughts, a fence, or quotes around it."""
    said = _FENCE.sub("", _THOUGHT.sub("", reply)).strip()
    quoted = len(said) > 1 and (said[0], said[-1]) in {('"', '"'), ("“", "”"), ("「", "」")}
    return said[1:-1].strip() if quoted and said.count(said[0]) <= 2 else said
