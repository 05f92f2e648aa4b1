"""A natural language as the rules read it: lists of words and phrases by the names of their sections.

Knows how `schema/language/*.yaml` is cut into words; what a section means is its reader's business.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from r_memory.domain.schema import Language
from r_memory.errors import ConfigurationError
from r_memory.text.cutting import words_of

Value = TypeVar("Value")


@dataclass(frozen=True, slots=True, kw_only=True)
class PhraseMatch(Generic[Value]):
    """A phrase at positions `start` to `end` (excluded)."""

    start: int
    end: int
    value: Value


class Phrases(Generic[Value]):
    """Finds phrases in words and returns the value of each; the time does not grow with their number."""

    def __init__(self, entries: Iterable[tuple[tuple[str, ...], Value]]) -> None:
        self._values: dict[tuple[str, ...], tuple[Value, ...]] = {}
        lengths: dict[str, set[int]] = {}
        for words, value in entries:
            if words:
                self._values[words] = (*self._values.get(words, ()), value)
                lengths.setdefault(words[0], set()).add(len(words))
        self._lengths = {first: sorted(known, reverse=True) for first, known in lengths.items()}
        """First word to the lengths of what begins with it, longest first."""

    def at(self, words: Sequence[str], position: int) -> PhraseMatch[Value] | None:
        """Returns the longest phrase that begins at the position; `None` if there is none."""
        for length in self._lengths.get(words[position], ()):
            end = position + length
            if end <= len(words) and (values := self._values.get(tuple(words[position:end]))):
                return PhraseMatch(start=position, end=end, value=values[0])
        return None

    def every(self, words: Sequence[str]) -> Iterator[PhraseMatch[Value]]:
        """Yields every phrase from left to right, overlapping ones too; at one position the longest first."""
        for position, word in enumerate(words):
            for length in self._lengths.get(word, ()):
                end = position + length
                for value in self._values.get(tuple(words[position:end]), ()) if end <= len(words) else ():
                    yield PhraseMatch(start=position, end=end, value=value)

    def stand_in(self, words: Sequence[str]) -> bool:
        """Whether the words hold any of the phrases."""
        return next(self.every(words), None) is not None

    def longest(self, words: Sequence[str]) -> Iterator[PhraseMatch[Value]]:
        """Yields the longest phrases from left to right, without overlap."""
        position = 0
        while position < len(words):
            found = self.at(words, position)
            if found is not None:
                yield found
            position = position + 1 if found is None else found.end


Words = tuple[str, ...]


class LanguagePack:
    """The sections of one language file, split into words as texts are."""

    def __init__(self, language: Language, cut: Callable[[str], Words]) -> None:
        self.code = language.code
        self.cut = cut
        self._sections = language.sections

    def texts(self, *path: str) -> Words:
        """Returns a list of the file, as written.

        Raises:
            ConfigurationError: the language has no such list.
        """
        value = _at(self._sections, path)
        if not isinstance(value, Sequence) or isinstance(value, str):
            raise self._missing(path, "a list of words")
        return tuple(str(item) for item in value)

    def words(self, *path: str) -> frozenset[str]:
        """Returns the entries of a list in small letters, with single spaces between words.

        Raises:
            ConfigurationError: the language has no such list.
        """
        return frozenset(" ".join(self.cut(text)) for text in self.texts(*path))

    def phrases(self, *path: str) -> Phrases[str]:
        """Returns a finder for the entries of a list; the value of each is the entry itself.

        Raises:
            ConfigurationError: the language has no such list.
        """
        return self.finder({text: [text] for text in self.texts(*path)})

    def finder(self, values: Mapping[str, Iterable[str]]) -> Phrases[str]:
        """Returns a finder for the phrases; the value of each is its key."""
        return Phrases((self.cut(text), value) for value, texts in values.items() for text in texts)

    def table(self, *path: str) -> Mapping[str, Words]:
        """Returns a mapping of lists.

        Raises:
            ConfigurationError: the language has no such mapping.
        """
        return {key: self.texts(*path, key) for key in self._mapping(path)}

    def numbers(self, *path: str) -> Mapping[str, float]:
        """Returns a mapping of numbers.

        Raises:
            ConfigurationError: the language has no such mapping.
        """
        found = {key: value for key, value in self._mapping(path).items() if isinstance(value, int | float)}
        return {key: float(value) for key, value in found.items()}

    def names(self, *path: str) -> Mapping[str, str]:
        """Returns a mapping of words to words.

        Raises:
            ConfigurationError: the language has no such mapping.
        """
        return {key: str(value) for key, value in self._mapping(path).items()}

    def vocabulary(self) -> frozenset[str]:
        """Returns every word of the language file; none of them is taken for a misspelling."""
        return frozenset(word for text in all_texts(self._sections) for word in text.lower().split())

    def _mapping(self, path: Sequence[str]) -> Mapping[str, object]:
        value = _at(self._sections, path)
        if not isinstance(value, Mapping):
            raise self._missing(path, "a mapping")
        return {str(key): inner for key, inner in value.items()}

    def _missing(self, path: Sequence[str], what: str) -> ConfigurationError:
        place = ".".join(path)
        return ConfigurationError(
            f"language '{self.code}' needs {what} at '{place}'; copy it from schema/language/en.yaml and translate it"
        )


def listed(language: Language, *path: str) -> Words:
    """Returns a list as written, or the keys of a mapping; empty if the language has none."""
    value = _at(language.sections, path)
    return tuple(map(str, value)) if isinstance(value, list | tuple | Mapping) else ()


def entries_of(language: Language, *path: str) -> frozenset[str]:
    """Returns the entries of a list with single spaces between their words; empty if the language has none."""
    return frozenset(" ".join(words_of(text)) for text in listed(language, *path))


def either(phrases: Iterable[str]) -> str:
    """A pattern for any of the phrases, the longest first; it matches nothing if there are none."""
    return "|".join(re.escape(phrase) for phrase in sorted(phrases, key=len, reverse=True)) or "(?!)"


def paired(language: Language, *path: str) -> tuple[tuple[str, str], ...]:
    """Returns the pairs of a mapping of words to words; empty if the language has none."""
    value = _at(language.sections, path)
    return tuple((str(key), str(inner)) for key, inner in value.items()) if isinstance(value, Mapping) else ()


def _at(sections: Mapping[str, object], path: Sequence[str]) -> object:
    value: object = sections
    for step in path:
        value = value.get(step) if isinstance(value, Mapping) else None
    return value


def all_texts(value: object) -> Iterable[str]:
    """Yields every text in nested lists and mappings, keys included."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield str(key)
            yield from all_texts(inner)
    elif isinstance(value, Sequence):
        for inner in value:
            yield from all_texts(inner)
