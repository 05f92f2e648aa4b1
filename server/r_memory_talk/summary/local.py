"""Proposes what a turn changes in a summary without a model: what is certain. Implements `protocols.SummaryWriter`.

Certain are sentences of the person with a figure or a name, limits in figures, decisions in the plainest forms, and
questions that got no answer; each word for word. Topics, needs and conclusions ask for understanding: a model fills
those fields. English and Chinese in some breadth, German, French and Spanish in their plainest forms.
"""

import asyncio
import re
from collections.abc import Mapping, Sequence

from r_memory.domain.summaries import ConversationSummary
from r_memory.text.sentences import sentences
from r_memory_talk.language import pattern, says
from r_memory_talk.stream.words import has_cjk, normalised, stem
from r_memory_talk.summary.exclusions import HIDDEN, rejections

STATED = frozenset(("constraints", "key_data", "current_conclusion"))
"""Fields that hold what a person stated; words that state nothing add nothing to them."""
LONGEST = 8_000
"""Most characters of either side of a turn that are read."""
SENTENCE = 240
"""Most characters of a kept sentence."""
_LEAST_WORDS, _LEAST_CHARACTERS = 4, 6
"""Least words of an informative sentence; characters in a script without spaces."""

_AMOUNTS = ("figures", "amounts")
_WORD = re.compile(r"[^\W_]+(?:['’.-][^\W_]+)*")  # noqa: RUF001 - a typographic apostrophe


class LocalSummaryWriter:
    """Selects sentences; needs no model and no network."""

    name = "local/2"

    async def propose(self, old: ConversationSummary, question: str, answer: str) -> Mapping[str, object]:
        """Returns the changed fields with their new entries only; never raises."""
        return await asyncio.to_thread(proposed, old, question, answer)


def proposed(old: ConversationSummary, question: str, answer: str) -> Mapping[str, object]:
    """Returns what a turn changes, in the words of the person and the assistant; pure."""
    del old  # what it holds is no reason to leave anything out: entries are merged by code
    said, answered = _read(question), _read(answer)
    refused = rejections(question)
    told = [item for item in _read(_own(question)) if HIDDEN not in item and _tells(item) and not rejections(item)]
    decided = [item for item in told if says(item, "summary", "decided")]
    limited = [item for item in told if item not in decided and _limits(item)]
    rest = [item for item in told if item not in (*decided, *limited)]
    # What an assistant names or counts is what it knows, and seldom of this person.
    informing = [item for item in rest if _has_figure(item) or pattern("summary", "name").search(item)]
    return {
        "constraints": limited[:2],
        "excluded_options": [item.entry for item in refused],
        "key_data": informing[:2],
        "current_conclusion": decided[:1],
        "pending_questions": _open(said, answered),
    }


def _own(text: str) -> str:
    """Returns the text without what is quoted in sentences, or shown to be worked on behind a colon."""
    text = pattern("refusals", "quote").sub(lambda quote: quote[0] if _is_name(quote[0]) else HIDDEN, text)
    shown = pattern("summary", "shown").search(text)
    return text if shown is None else text[: shown.start()]


def _is_name(quoted: str) -> bool:
    return len(quoted.split()) < _LEAST_WORDS


def _tells(sentence: str) -> bool:
    """Whether it is a statement of some length: no question, exclamation or request to the assistant."""
    bare = sentence.rstrip("\"'”’」) ")  # noqa: RUF001 - typographic quotes
    return _is_telling(bare) and not says(bare, "summary", "task") and not bare.endswith(("?", "？", "!", "！"))  # noqa: RUF001 - full-width


def _is_telling(sentence: str) -> bool:
    """Whether it has some length, and is no greeting, compliment or line of code."""
    long = len(sentence) >= _LEAST_CHARACTERS if has_cjk(sentence) else len(sentence.split()) >= _LEAST_WORDS
    return long and not says(sentence, "summary", "chat")


def _limits(sentence: str) -> bool:
    return says(sentence, "summary", "limits") and _has_figure(sentence)


def _has_figure(sentence: str) -> bool:
    return says(sentence, "summary", *_AMOUNTS, "day")


def _open(said: Sequence[str], answered: Sequence[str]) -> list[str]:
    """Returns the person's unanswered questions, and the assistant's last question."""
    back = [item for item in answered if _asks(item) and _is_telling(item)][-1:]
    told = [item for item in answered if not _asks(item)]
    questions = [item for item in said if _asks(item) and _is_telling(item)]
    if not told or any(says(item, "summary", "unsure") for item in answered):
        return [*questions[-2:], *back]
    # Of several questions, those of whose words the answer takes up none.
    taken_up = _stems(" ".join(told))
    passed_over = [question for question in questions if not _stems(question) & taken_up] if len(questions) > 1 else []
    return [*(passed_over if len(passed_over) < len(questions) else []), *back]


def _stems(text: str) -> set[str]:
    if has_cjk(text):
        plain = normalised(text)
        return {plain[at : at + 2] for at in range(len(plain) - 1)}
    return {stem(normalised(word), "en") for word in _WORD.findall(text) if len(word) > 3}


def _asks(sentence: str) -> bool:
    return sentence.rstrip("\"'”’」)").endswith(("?", "？"))  # noqa: RUF001 - typographic and full-width ones


def _read(text: str) -> list[str]:
    """Returns the sentences to keep, long ones cut."""
    found = (sentence for sentence in sentences(text[:LONGEST]) if len(sentence) > 2)
    return [item if len(item) <= SENTENCE else item[: SENTENCE - 1].rstrip() + "…" for item in found]
