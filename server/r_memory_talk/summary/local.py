"""Proposes what a turn changes in a summary without a model: sentences picked by what people say when they need, limit,
decide or ask. Implements `protocols.SummaryWriter`.

Everything it proposes was said, word for word; it understands nothing. English and Chinese in some breadth, German,
French and Spanish in their plainest forms.
"""

import asyncio
import re
from collections.abc import Mapping, Sequence

from r_memory.domain.summaries import ACCUMULATED, EMPTY, ConversationSummary
from r_memory.text.sentences import sentences
from r_memory_talk.language import pattern, says, words
from r_memory_talk.shortening import key_phrases
from r_memory_talk.stream.words import has_cjk, normalised, stem
from r_memory_talk.summary.exclusions import failures, rejections

LONGEST = 8_000
"""Characters of either side of a turn that are read."""
SENTENCE = 240
"""Characters of a sentence that are kept."""
_PHRASES = 3
"""Of the topic."""
_LEAST_TOPIC = 2
"""Words of a topic."""
_TOPIC = 120
"""Characters of the topic."""

_AMOUNTS = ("figures", "amounts")
_WORD = re.compile(r"[^\W_]+(?:['’.-][^\W_]+)*")  # noqa: RUF001 - a typographic apostrophe


class LocalSummaryWriter:
    """Picks sentences; needs no model and no network."""

    name = "local/1"

    async def propose(self, old: ConversationSummary, question: str, answer: str) -> Mapping[str, object]:
        """Fields that the turn changes, with new entries only; never raises."""
        return await asyncio.to_thread(proposed, old, question, answer)


def proposed(old: ConversationSummary, question: str, answer: str) -> Mapping[str, object]:
    """What a turn changes, as the person and the assistant put it; pure."""
    said, answered = _read(question), _read(answer)
    told = [part for one in said if not (_asks(one) or rejections(one) or failures(one, "")) for part in _clauses(one)]
    # A sentence stands in one field, the most binding one that it fits.
    decided, rest = _split("decided", told)
    limited, rest = _split("constraints", rest)
    wanted, rest = _split("needs", rest)
    informing = [one for one in rest if says(one, "summary", *_AMOUNTS, "name", "self")]
    concluded, others = _split("concluded", [sentence for sentence in answered if not _asks(sentence)])
    # At first all of the turn is the topic, later what it asks, decides, needs or brings up; limits, refusals and data
    # stay with the matter that is discussed.
    raising = [*filter(_asks, said), *decided, *wanted, *(one for one in rest if one not in informing)]
    topic = topic_of(question if old.core_discussion == EMPTY else " ".join(raising))
    return {
        **({"core_discussion": topic} if topic else {}),
        "confirmed_needs": wanted[:2],
        "constraints": limited[:2],
        "excluded_options": [one.entry for one in rejections(question)],
        "key_data": [*informing[:2], *(one for one in others if says(one, "summary", *_AMOUNTS))][:3],
        "current_conclusion": [sentence for sentence in (*decided[:1], *concluded[:1]) if _says_what(sentence)],
        "pending_questions": _open(said, answered),
        "pending_discussion": _left(old, topic),
    }


def topic_of(question: str) -> str:
    """Key phrases of what somebody says; empty where it is about nothing, such as thanks.

    >>> topic_of("Which database should the billing service use?")
    'billing service, database'
    >>> topic_of("OK, thanks!")
    ''
    """
    text = pattern("summary", "greeting").sub("", question[:LONGEST])
    if has_cjk(text):
        first = next((one for one in sentences(text) if len(one) > 3), "")
        return first[:_TOPIC].rstrip("。！？!?.")  # noqa: RUF001 - full-width stops
    phrases = _phrases(text)
    # A single word is no topic: `Penicillin?` asks on about whatever is discussed.
    if len(" ".join(phrases).split()) < _LEAST_TOPIC:
        return ""
    return ", ".join(phrases[:_PHRASES])[:_TOPIC]


def _phrases(text: str) -> tuple[str, ...]:
    return key_phrases(text, beside=words("summary", "empty_words"), numbers=True)


def _left(old: ConversationSummary, new: str) -> list[str]:
    """The topic that the conversation has left (CIM 28: a switch demotes the topic): nothing of it is spoken of."""
    held = (*(entry for name in ACCUMULATED for entry in getattr(old, name)), *old.current_conclusion)
    if not new or old.core_discussion == EMPTY or _stems(" ".join((old.core_discussion, *held))) & _stems(new):
        return []
    return [old.core_discussion]


def _stems(text: str) -> set[str]:
    if has_cjk(text):
        plain = normalised(text)
        return {plain[at : at + 2] for at in range(len(plain) - 1)}
    return {stem(normalised(word), "en") for word in _WORD.findall(text)}


def _open(said: Sequence[str], answered: Sequence[str]) -> list[str]:
    """What the assistant wants to know, and what got no answer."""
    back = [one for one in answered if _asks(one)][-2:]
    told = [one for one in answered if not _asks(one)]
    questions = [one for one in said if _asks(one)]
    if not told or any(says(one, "summary", "unsure") for one in answered):
        return [*questions[-2:], *back]
    # Of several questions, those of whose words the answer takes up none.
    taken_up = _stems(" ".join(told))
    passed_over = [one for one in questions if not _content(one) & taken_up] if len(questions) > 1 else []
    return [*(passed_over if len(passed_over) < len(questions) else []), *back]


def _content(text: str) -> set[str]:
    if has_cjk(text):
        return _stems(text)
    return _stems(" ".join(_phrases(text)))


def _split(cue: str, given: Sequence[str]) -> tuple[list[str], list[str]]:
    """Sentences with one of the words of the table, and the others."""
    found = [one for one in given if says(one, "summary", cue)]
    return found, [one for one in given if one not in found]


def _clauses(sentence: str) -> list[str]:
    """A sentence in parts where it goes on to something else: `my father uses a wheelchair, so it has to be ...`."""
    parts = pattern("summary", "goes_on").split(sentence)
    return parts if all(len(part.split()) > 2 or has_cjk(part) for part in parts) else [sentence]


def _says_what(sentence: str) -> bool:
    """More than `Agreed.`"""
    return len(sentence.split()) > 2 or (has_cjk(sentence) and len(sentence) > 5)


def _asks(sentence: str) -> bool:
    return sentence.rstrip("\"'”’」)").endswith(("?", "？"))  # noqa: RUF001 - typographic and full-width ones


def _read(text: str) -> list[str]:
    """Sentences that can be kept, long ones cut."""
    found = (sentence for sentence in sentences(text[:LONGEST]) if len(sentence) > 2)
    return [one if len(one) <= SENTENCE else one[: SENTENCE - 1].rstrip() + "…" for one in found]
