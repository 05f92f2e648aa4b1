"""Which waiting statements tell nothing of a draft, although they were read in two ways.

Such words name a watched thing that the draft does not meet, and hold no word for a reaction or for a risk: "the bees
sting me every summer". A check names them as a note. Knows words and names, not what they mean.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache

from r_memory.domain.blocks import Recall
from r_memory.domain.events import Episode
from r_memory.facts.naming import FactNames
from r_memory.facts.recall.waiting import risk_words, unread_of, words_of
from r_memory.reading.neighbours import harm_words
from r_memory.reading.normalise import plain
from r_memory.reading.reader import Reader

_KEPT = 64
"""Statements of which it is kept whether they are idle."""


class Untouched:
    """Compares waiting statements with drafts, under one schema; without words for reactions none is untouched."""

    def __init__(self, reader: Reader, names: FactNames) -> None:
        self._reader = reader
        self._names = names
        self._watched = frozenset(reader.schema.review_types)
        self._harm = harm_words(reader.schema)
        self._risks: tuple[re.Pattern[str], ...] = tuple(filter(None, risk_words(reader.schema)))
        self._is_idle = lru_cache(_KEPT)(self._names_no_harm)

    def of(self, text: str, recall: Recall) -> Iterator[Episode]:
        """The statements that a draft with this text and recall has nothing to do with."""
        if self._harm is None or recall.uncompared:
            return
        for item in unread_of(replace(recall, is_short=True))[0]:
            words = words_of(item.episode)
            things = [name.partition(" ")[2] for name in item.episode.disputed]
            if item.matches or not things or any(each in self._reader.schema.scopes for each in things):
                continue
            if self._is_idle(words) and not self._names.bears_in(text, words):
                yield item.episode

    def _names_no_harm(self, words: str) -> bool:
        """Whether the words name things, all known and one of them watched, and no risk or reaction."""
        spoken, named = plain(words), self._reader.named(words)
        if named.strange or named.unknown or self._watched.isdisjoint(each.type for each in named.mentions):
            return False
        patterns = (*self._risks, self._harm)
        return not any(pattern is not None and pattern.search(spoken) for pattern in patterns)
