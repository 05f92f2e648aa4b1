"""A linker of a few words: exact, case-insensitive, whole words, longest first; it knows no grammar and no spelling."""

import re
from collections.abc import Mapping, Sequence

from r_memory.protocols import Mention

Terms = Mapping[str, Mapping[str, Sequence[str]]]


class WordLinker:
    """Finds the given terms, written as in a lexicon: type to canonical name to synonyms."""

    def __init__(self, terms: Terms) -> None:
        self._meanings = {
            word.casefold(): (type_, name)
            for type_, names in terms.items()
            for name, synonyms in names.items()
            for word in (name, *synonyms)
        }
        words = sorted(self._meanings, key=len, reverse=True)
        self._pattern = re.compile(rf"(?<!\w)({'|'.join(map(re.escape, words)) or '(?!)'})(?!\w)", re.IGNORECASE)

    def mentions(self, text: str) -> tuple[Mention, ...]:
        """Longest matches, left to right, without overlap."""
        return tuple(self._mention(found.group(), found.start(), found.end()) for found in self._pattern.finditer(text))

    def resolve(self, words: str, types: Sequence[str]) -> tuple[Mention, ...]:
        """The one term that is exactly these words, if it is of one of the types."""
        if words.casefold() not in self._meanings:
            return ()
        mention = self._mention(words, 0, len(words))
        return (mention,) if mention.type in types else ()

    def _mention(self, surface: str, start: int, end: int) -> Mention:
        type_, name = self._meanings[surface.casefold()]
        return Mention(type=type_, name=name, start=start, end=end, surface=surface)
