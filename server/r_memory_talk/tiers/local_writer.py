"""Memories without a model: the gravest sentences and those that say most, weighed by the words that stand in them.

Of two memories the newer is told first; of the older one, what the newer neither repeats nor changes. Whoever speaks
is named when the speaker changes, and not before each sentence: repeated names made memories of one conversation look
alike (of 121 windows of real talk 24 % had another at a cosine of 0.80 or more; 2 % without them). How much a sentence
matters is told by words, from 10 for a death to 1 for a greeting (the table `[importance]`, and words that a field
adds). Implements `protocols.MemoryWriter`.
"""

import asyncio
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import TypeAlias

from r_memory.domain.memories import LEAST
from r_memory.protocols import Memorable, Shortener, Shortening
from r_memory.text.sentences import sentences, words_in
from r_memory_talk.language import pattern, table
from r_memory_talk.shortening import LABEL, fitted, key_phrases, together
from r_memory_talk.stream.words import has_cjk, language_of, terms

USUAL = 3
"""Importance of a sentence without a cue."""
GRAVE = 7
"""Importance from which a sentence must be in a summary."""
_ASKED = 5
"""Largest importance of a question, as it states nothing."""

Cues: TypeAlias = Sequence[tuple[int, re.Pattern[str]]]
"""Importance and its pattern, gravest first."""
_FIRST_CJK = 0x2E80
_SHORT = 60
"""Characters from which a sentence with a beginning of small talk counts as more."""


@cache
def usual_cues() -> Cues:
    """Returns the cues that matter in every field of life."""
    weights = sorted((int(weight) for weight in table("importance") if weight != "parts"), reverse=True)
    return tuple((weight, pattern("importance", str(weight))) for weight in weights)


def cues_with(more: Mapping[int, Sequence[str]]) -> Cues:
    """Returns the usual cues with those of a field, by importance; `*` in a word matches any ending."""
    own = (
        (weight, re.compile("|".join(map(_pattern, words)), re.IGNORECASE)) for weight, words in more.items() if words
    )
    return tuple(sorted((*usual_cues(), *own), key=lambda cue: -cue[0]))


def weight_of(sentence: str, cues: Cues | None = None) -> int:
    """Returns the importance of a sentence, from 1 to 10, by its gravest cue that is not denied right before it.

    >>> weight_of("My father died in May."), weight_of("Nice weather today!"), weight_of("The boat is red.")
    (10, 1, 3)
    """
    bare = sentence.strip()
    weight = next((weight for weight, cue in (usual_cues() if cues is None else cues) if _stands(cue, bare)), 0)
    if bare.endswith(("?", "\uff1f")):
        weight = min(weight, _ASKED)
    if weight:
        return weight
    return 1 if len(bare) <= _SHORT and pattern("memories", "small_talk").match(bare) else USUAL


def importance(said: Iterable[str], cues: Cues | None = None) -> int:
    """Returns the importance of the gravest of several sentences."""
    return max((weight_of(sentence, cues) for sentence in said), default=1)


def rated(text: str, cues: Cues | None = None) -> int:
    """Returns the importance of the gravest sentence of a text.

    >>> rated("Hello. My father died in May. Nice weather!")
    10
    """
    return importance(sentences(text), cues)


def feelings(text: str) -> tuple[str, ...]:
    """Returns the feelings that a text names."""
    return tuple(name for name in table("feelings") if pattern("feelings", name).search(text))


def _pattern(word: str) -> str:
    # Chinese and Japanese words have no borders to be found.
    border = r"\b" if word.isascii() or (word[:1].isalpha() and ord(word[0]) < _FIRST_CJK) else ""
    return border + re.escape(word).replace(r"\*", r"\w*") + border


def _stands(cue: re.Pattern[str], sentence: str) -> bool:
    return any(
        not pattern("memories", "denied").search(sentence[max(0, found.start() - 30) : found.start()])
        for found in cue.finditer(sentence)
    )


WORDS = 120
"""Most words of a memory."""
_TOPICS, _PEOPLE = 5, 8
_SAME = 0.5
"""Share of common terms from which two statements are about one thing."""
_CHANGED = 0.4
"""As `_SAME`, if the newer says that something ended or changed."""
_PER_BIGRAM = 0.75
"""Factor of these shares for Chinese, where one changed character changes two terms."""
_REPEATED = 0.8
"""As `_SAME`, for statements that add to each other, such as `likes tea` and `likes coffee`."""


class LocalMemoryWriter:
    """Makes memories by extracting sentences."""

    def __init__(self, shortener: Shortener, *, words: int = WORDS, cues: Cues | None = None) -> None:
        """`words` is the length of a memory; `cues` tell what is important, see `cues_with`."""
        self._cues = cues
        self._shortener = shortener
        self._words = words

    async def memorable(self, turns: Sequence[str]) -> Memorable:
        """Returns the memory of a window, as `MemoryWriter.memorable`; raises only what the shortener raises."""
        # Beside the event loop: a window of long turns takes a second.
        said, others, task = await asyncio.to_thread(self._sorted, turns)
        summary = _named_once(said)
        if task is not None:
            summary = _named_once(sentences(f"{task.background}\n{await self._shortener.shorten(others, task)}"))
        return await asyncio.to_thread(self._made, summary, said)

    def _sorted(self, turns: Sequence[str]) -> tuple[Sequence[str], str, Shortening | None]:
        """Returns the sentences to keep, the text to shorten, and how; `None` if all sentences fit."""
        said = [sentence for turn in turns for sentence in _attributed(turn.splitlines())]
        if words_in(" ".join(said)) <= self._words:
            return said, "", None
        graver = dict.fromkeys(item for item in said if weight_of(_bare(item), self._cues) >= GRAVE)
        grave = fitted(" ".join(graver), self._words // 2)
        telling = [item for item in said if item not in graver and weight_of(_bare(item), self._cues) > LEAST]
        task = Shortening(kind="window", words=self._words - words_in(grave), background=grave)
        return said, "\n".join(telling or said), task

    async def joined(self, older: str, newer: str) -> Memorable:
        """Returns both memories as one: the newer complete, then what still holds of the older."""
        return await asyncio.to_thread(self._joined, older, newer)

    def _joined(self, older: str, newer: str) -> Memorable:
        new, old = _attributed(sentences(newer)), _attributed(sentences(older))
        language = language_of(f"{newer}\n{older}")
        kept = [item for item in old if not any(_replaces(other, item, language) for other in new)]
        return self._made(fitted(_named_once([*new, *kept]), 2 * self._words), [*new, *kept])

    def _made(self, summary: str, said: Sequence[str]) -> Memorable:
        bare = [_bare(sentence) for sentence in said]
        return Memorable(
            summary=summary,
            importance=importance(bare, self._cues),
            topics=key_phrases("\n".join(bare))[:_TOPICS],
            people=_people(said),
            emotions=feelings(" ".join(bare)),
        )


def _attributed(parts: Sequence[str]) -> list[str]:
    """Returns the sentences of the parts, each after its speaker's name, which starts a part."""
    found, speaker = list[str](), ""
    for part in parts:
        label = LABEL.match(part)
        if label is not None:
            speaker = label["name"]
        said = sentences(part[label.end() :] if label is not None else part)
        found += [f"{speaker}: {sentence}" if speaker else sentence for sentence in said]
    return found


def _named_once(said: Sequence[str]) -> str:
    """Returns the sentences in order, with a name only where the speaker changes."""
    parts, speaker = list[str](), ""
    for sentence in said:
        label = LABEL.match(sentence)
        same = label is not None and label["name"] == speaker
        parts.append(sentence[label.end() :] if label is not None and same else sentence)
        speaker = label["name"] if label is not None else speaker
    return together(parts)


def _bare(sentence: str) -> str:
    return LABEL.sub("", sentence, count=1)


def _people(said: Sequence[str]) -> tuple[str, ...]:
    speakers = [label["name"] for sentence in said if (label := LABEL.match(sentence)) is not None]
    named = [found["name"] for sentence in said for found in pattern("memories", "named").finditer(sentence)]
    return tuple(dict.fromkeys([*speakers, *named]))[:_PEOPLE]


def _replaces(new: str, old: str, language: str) -> bool:
    """Whether a newer statement repeats an older one, or says something else of the same thing."""
    one, other = set(terms(new, language)), set(terms(old, language))
    if not one or not other:
        return new == old
    shared = len(one & other) / len(one | other)
    contained = len(one & other) / min(len(one), len(other))
    if shared >= _REPEATED or contained == 1:
        return True
    scale = _PER_BIGRAM if has_cjk(new) else 1.0
    if pattern("memories", "ended").search(new):
        return shared >= scale * _CHANGED
    return shared >= scale * _SAME and not pattern("memories", "adding").search(old)
