"""Everything that the conversational memory asks a language model: to judge, to shorten, to remember, to summarise.

Each asks one model in the words of prompts that people may edit, and reads what comes back as data. The model sees the
words that it is to work on, never a fact or another conversation. Knows no store.
"""

import logging
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import replace

from r_memory.domain.prompts import Prompt, filled
from r_memory.domain.summaries import FIELDS, FLAGS, ConversationSummary, option_of
from r_memory.domain.turns import Judgement
from r_memory.errors import BadReply, ModelError
from r_memory.protocols import ChatMessage, ChatModel, ChatReply, Memorable, ReplyForm, Shortening, strict
from r_memory.text.inert import inert
from r_memory.text.sentences import language_of, words_in
from r_memory_talk.language import pattern, says
from r_memory_talk.shortening import ExtractiveShortener, fitted, shortened, theme_of
from r_memory_talk.summary.exclusions import names_option, own_words
from r_memory_talk.summary.rendering import section
from r_memory_talk.tiers.local_writer import WORDS

logger = logging.getLogger(__name__)

LONGEST = 16_000
"""Most characters of a material, or of turns together, that a model is shown; a longer text is condensed."""
_LONGEST_QUESTION, LONGEST_SIDE = 4_000, 6_000
"""Most characters of a question to the controller; of either side of a turn to be summarised."""
_TEXT: Mapping[str, object] = {"type": "string"}
_LIST: Mapping[str, object] = {"type": "array", "items": _TEXT}


async def _reply(chat: ChatModel, prompt: Prompt, words: Mapping[str, str], form: ReplyForm | None = None) -> ChatReply:
    messages = (
        ChatMessage(role="system", text=filled(prompt.told, words)),
        ChatMessage(role="user", text=filled(prompt.asked, words)),
    )
    return await chat.reply(messages, form=form)


def _prompt(prompts: Mapping[str, Prompt], kind: str, language: str) -> Prompt:
    return prompts[kind if language == "en" else f"{kind}.{language}"]


# --- the controller's two questions ----------------------------------------------------------------------------------

CHOICE = ReplyForm(name="choice", schema=strict({"answer": {"type": "string", "enum": ["A", "B"]}}))


class ChatJudge:
    """Asks a model one prompt for each question. Implements `protocols.Judge`; never raises.

    If the model fails, or answers with neither a letter nor a word, the judgement has no answer.
    """

    def __init__(self, chat: ChatModel, gate: Prompt, suffices: Prompt) -> None:
        """The prompts are `config.prompt_file.GATE` and `SUFFICES`."""
        self._chat = chat
        self._gate = gate
        self._suffices = suffices
        self.name = f"chat {chat.name}"

    async def needs_memory(self, question: str) -> Judgement:
        """Answers Q1, from the user's command alone."""
        return await self._answer(self._gate, {"text": _ends_of(question, _LONGEST_QUESTION)})

    async def suffices(self, question: str, material: str) -> Judgement:
        """Answers Q2."""
        words = {"text": _ends_of(question, _LONGEST_QUESTION), "material": _ends_of(material, LONGEST)}
        return await self._answer(self._suffices, words)

    async def _answer(self, prompt: Prompt, words: Mapping[str, str]) -> Judgement:
        try:
            reply = await _reply(self._chat, prompt, words, CHOICE)
        except ModelError as error:
            if isinstance(error, BadReply) and error.said:
                return judged(error.said, by=self.name)
            logger.warning("The controller's model failed", extra={"action": "judge", "error": type(error).__name__})
            return Judgement(yes=None, by=self.name, trouble=f"the model gave no answer: {error}")
        return judged(str(reply.data.get("answer", reply.text)), by=self.name)


def _ends_of(text: str, longest: int) -> str:
    """Returns the start and the end of a long text, as a question may stand at either."""
    half = longest // 2
    return text if len(text) <= longest else f"{text[:half]}\n…\n{text[-half:]}"


# An answer is yes or no only where it says one of them: both, neither and silence are no answer (SCM-16).
UNREADABLE = "the reply was neither A nor B"
"""Trouble of a reply without an answer, or with both answers."""
_READ = 400
"""Characters of a reply that are read: the answer comes first."""
_THOUGHT = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL | re.IGNORECASE)
_LOOKALIKES = str.maketrans({"\u0410": "A", "\u0412": "B", "\u0411": "B", "甲": "A", "乙": "B"})
"""Letters of other scripts for the same choices."""
_MARKED = re.compile(r"[(\[{*_`\"'](?:option\s*)?([AB])[)\]}*_`\"'.:]", re.IGNORECASE)
_FIRST = re.compile(r"\A\W*(?:option\s*)?([AB])(?:\s*[).:,;\-]|\s*\Z|\s*\n|\s+(?=yes\b|no\b))", re.IGNORECASE)
# A capital before a small word is the article, unless the word joins the two choices.
_LONE = re.compile(
    r"(?<![A-Za-z0-9_'])(A(?![A-Za-z0-9_']|\s+(?!(?:and|or|und|oder|et|ou|y|o|e)\b)[a-z])|B(?![A-Za-z0-9_']))"
)
_CLAUSE = re.compile(r"[,.;:!?\n，。；：！？、]")  # noqa: RUF001 - full-width ones are meant


def answer_in(reply: str) -> bool | None:
    """Returns true for A, false for B, and `None` for neither or both.

    >>> answer_in("(B)"), answer_in("A: yes"), answer_in("Nein."), answer_in("(A) or (B)")
    (False, True, False, None)
    """
    text = unicodedata.normalize("NFKC", _THOUGHT.sub(" ", reply)).translate(_LOOKALIKES).strip()[:_READ]
    # In the order in which they are believed.
    for form in (pattern("choices", "named"), _MARKED, _FIRST, _LONE):
        letters = {letter.upper() for letter in form.findall(text)}
        if letters:
            return letters == {"A"} if len(letters) == 1 else None
    folded = text.casefold()
    opening = _in_words(_CLAUSE.split(folded, maxsplit=1)[0])
    return _in_words(folded) if opening is None else opening


def _in_words(text: str) -> bool | None:
    yes, no = (says(text, "choices", key) for key in ("yes", "no"))
    return yes if yes != no else None


def judged(reply: str, *, by: str) -> Judgement:
    """Returns the judgement in a reply; without an answer, `trouble` says so."""
    answer = answer_in(reply)
    return Judgement(yes=answer, by=by, trouble="" if answer is not None else UNREADABLE)


# --- shorter texts ---------------------------------------------------------------------------------------------------

_ROOM = 2_400
"""Words that a longer text is condensed to."""
_ASIDE = 4_000
"""Characters of a background that are shown, from its end."""
_NOTHING = {"en": "none", "zh": "无"}
_FENCE = re.compile(r"\A\s*```\w*\s*\n|\n\s*```\s*\Z")


class ChatShortener:
    """Asks a model one prompt for each kind of text and each of two languages. Implements `protocols.Shortener`.

    If an answer is no shorter than the text, the extractive summary of `shortening.py` is used.
    """

    def __init__(self, chat: ChatModel, prompts: Mapping[str, Prompt]) -> None:
        """`prompts` by kind, Chinese ones by kind and `.zh` (see `config.prompt_file.SHORTENING`)."""
        self._chat = chat
        self._prompts = prompts
        self._extractive = ExtractiveShortener()
        self.name = f"chat {chat.name}"

    async def shorten(self, text: str, task: Shortening) -> str:
        """Returns the short text, as `Shortener.shorten`."""
        bare = text.strip()
        if words_in(bare) <= max(task.words, 1):
            return await self._extractive.shorten(bare, task)
        language = language_of(bare)
        shown = bare
        if len(bare) > LONGEST:
            shown = await self._extractive.shorten(bare, replace(task, kind="block", words=_ROOM))
        words = {
            "words": str(max(task.words, 1)),
            "background": task.background[-_ASIDE:].strip() or _NOTHING[language],
            "theme": task.theme.strip() or _NOTHING[language],
            "question": task.question.strip() or _NOTHING[language],
            "text": shown[:LONGEST],
        }
        reply = await _reply(self._chat, _prompt(self._prompts, task.kind, language), words)
        said = _bare(reply.text)
        if not any(map(str.isalnum, said)) or words_in(said) > words_in(bare):
            logger.warning("A summary was refused", extra={"action": "summary_refused", "model": self._chat.name})
            return await self._extractive.shorten(bare, task)
        if task.kind != "theme":
            return fitted(said, task.words)
        return theme_of(said.splitlines()[0].strip(" .\"'“”") or said, task.words)


def _bare(reply: str) -> str:
    """Returns the answer without the model's thoughts, and without a fence or quotes around it."""
    said = _FENCE.sub("", _THOUGHT.sub("", reply)).strip()
    quoted = len(said) > 1 and (said[0], said[-1]) in {('"', '"'), ("“", "”"), ("「", "」")}
    return said[1:-1].strip() if quoted and said.count(said[0]) <= 2 else said


# --- the structured summary ------------------------------------------------------------------------------------------

EIGHT_FIELDS = ReplyForm(
    name="conversation_summary",
    schema=strict({name: _TEXT if name == "core_discussion" else _LIST for name in FIELDS}),
)
"""The eight fields of CIM (A-13)."""


class ChatSummaryWriter:
    """Asks a model what a turn changes (CIM 4). Implements `protocols.SummaryWriter`.

    An option that the person did not name cannot be excluded.
    """

    def __init__(self, chat: ChatModel, prompt: Prompt) -> None:
        self._chat = chat
        self._prompt = prompt
        self.name = f"chat {chat.name}"

    async def propose(self, old: ConversationSummary, question: str, answer: str) -> Mapping[str, object]:
        """Returns the model's fields, and under `flags` what was wrong with its answer."""
        words = {
            "summary": section(old) or "(nothing yet)",
            "question": inert(question, LONGEST_SIDE),
            "answer": inert(answer, LONGEST_SIDE),
        }
        reply = await _reply(self._chat, self._prompt, words, EIGHT_FIELDS)
        given = {name: reply.data[name] for name in FIELDS if name in reply.data}
        if not given:
            raise BadReply("the model answered with no field of a summary; use a model that follows forms")
        flags = ["repaired"] if reply.mended else []
        flags += ["missing_fields"] if len(given) < len(FIELDS) else []
        return {**given, "excluded_options": _named(given.get("excluded_options"), question), FLAGS: flags}


def _named(options: object, question: str) -> list[str]:
    """Returns the exclusions of things that the person named; a model may not exclude by itself."""
    said = own_words(question)
    entries = [entry for entry in options if isinstance(entry, str)] if isinstance(options, list) else []
    return [entry for entry in entries if names_option(option_of(entry), said)]


# --- memories of turns -----------------------------------------------------------------------------------------------

_WORD = 6
"""Characters of a word, to convert a turn's share of characters to words."""
_MOST, _LONGEST_ENTRY = 12, 80
"""Most entries of a list, and most characters of an entry."""
_TEXTS = {"type": "array", "items": {"type": "string", "maxLength": _LONGEST_ENTRY}, "maxItems": _MOST}
_IMPORTANCE = {"type": "integer", "minimum": 1, "maximum": 10}
MEMORY = ReplyForm(
    name="memory",
    schema=strict(
        {"summary": _TEXT, "importance": _IMPORTANCE, **dict.fromkeys(("topics", "people", "emotions"), _TEXTS)}
    ),
)
"""A reply without the last three fields is accepted too."""


class ChatMemoryWriter:
    """Asks a model for the memory of a window, or of two memories, in two languages (Mimir 4.6).

    Implements `protocols.MemoryWriter`.
    """

    def __init__(self, chat: ChatModel, prompts: Mapping[str, Prompt]) -> None:
        """`prompts`: `memory`, `consolidate`, and both with `.zh` (see `config.prompt_file.MEMORIES`)."""
        self._chat = chat
        self._prompts = prompts

    async def memorable(self, turns: Sequence[str]) -> Memorable:
        """Returns the memory of a window, as `MemoryWriter.memorable`."""
        return await self._memory("memory", {"text": "\n".join(_within(turns))}, WORDS)

    async def joined(self, older: str, newer: str) -> Memorable:
        """Returns two memories as one, as `MemoryWriter.joined`."""
        both = {"older": older[:LONGEST], "newer": newer[:LONGEST]}
        return await self._memory("consolidate", both, 2 * WORDS)

    async def _memory(self, kind: str, texts: Mapping[str, str], words: int) -> Memorable:
        prompt = _prompt(self._prompts, kind, language_of("\n".join(texts.values())))
        data = (await _reply(self._chat, prompt, {**texts, "words": str(words)}, MEMORY)).data
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
    """Returns the texts of a list; a single text counts as a list of one."""
    values = [value] if isinstance(value, str) else value if isinstance(value, list) else []
    texts = (" ".join(item.split())[:_LONGEST_ENTRY] for item in values if isinstance(item, str))
    return tuple(text for text in texts if text)[:_MOST]


def _within(turns: Sequence[str]) -> list[str]:
    """Returns the turns within the limit; a turn longer than its share by its most informative sentences."""
    if sum(map(len, turns)) <= LONGEST:
        return list(turns)
    share = LONGEST // max(len(turns), 1)
    task = Shortening(kind="turn", words=max(1, share // _WORD))
    return [turn if len(turn) <= share else shortened(turn, task)[:share] for turn in turns]
