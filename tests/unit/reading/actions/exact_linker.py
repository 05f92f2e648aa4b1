"""A linker for tests: terms of the lexicon, letter by letter."""

import re
from collections.abc import Sequence
from typing import Final

from r_memory.domain.schema import Schema
from r_memory.protocols import Mention


class ExactLinker:
    """Implements `protocols.Linker` without misspellings; short capitals match in capitals only."""

    def __init__(self, schema: Schema) -> None:
        self._meanings: Final = {
            word.casefold(): (type_, canonical, word)
            for type_, terms in schema.lexicon.terms.items()
            for canonical, synonyms in terms.items()
            for word in (canonical, *synonyms)
        }
        longest_first = sorted(self._meanings, key=lambda word: (-len(word), word))
        words = "|".join(re.escape(word) for word in longest_first)
        self._pattern: Final = re.compile(rf"(?<!\w)(?:{words})(?!\w)", re.IGNORECASE)

    def mentions(self, text: str) -> tuple[Mention, ...]:
        """Longest matches, left to right."""
        found = []
        for match in self._pattern.finditer(text):
            type_, canonical, word = self._meanings[match.group().casefold()]
            if len(word) > 3 or not word.isupper() or match.group() == word:
                found.append(
                    Mention(type=type_, name=canonical, start=match.start(), end=match.end(), surface=match.group())
                )
        return tuple(found)

    def resolve(self, words: str, types: Sequence[str]) -> tuple[Mention, ...]:
        """The mention that the words are, if of one of the types."""
        return tuple(mention for mention in self.mentions(words) if mention.type in types)
