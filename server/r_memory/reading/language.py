"""A natural language as the rules read it: lists of words and phrases by the names of their sections.

Knows how `schema/language/*.yaml` is cut into words; what a section means is its reader's business.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from r_memory.domain.schema import Language
from r_memory.errors import ConfigurationError

Value = TypeVar("Value")


@dataclass(frozen=True, slots=True, kw_only=True)
class PhraseMatch(Generic[Value]):
    """A phrase at positions `start` to `end` (excluded)."""

    start: int
    end: int
    value: Value


class Phrases(Generic[Value]):
    """Phrases with what each stands for; flat in their number, as a text's words are looked up one by one."""

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
        """The longest phrase that begins at the position."""
        for length in self._lengths.get(words[position], ()):
            end = position + length
            if end <= len(words) and (values := self._values.get(tuple(words[position:end]))):
                return PhraseMatch(start=position, end=end, value=values[0])
        return None

    def every(self, words: Sequence[str]) -> Iterator[PhraseMatch[Value]]:
        """Every phrase, left to right; at one position the longest first, and phrases may overlap."""
        for position, word in enumerate(words):
            for length in self._lengths.get(word, ()):
                end = position + length
                for value in self._values.get(tuple(words[position:end]), ()) if end <= len(words) else ():
                    yield PhraseMatch(start=position, end=end, value=value)

    def stand_in(self, words: Sequence[str]) -> bool:
        """Whether any phrase is among the words."""
        return next(self.every(words), None) is not None

    def longest(self, words: Sequence[str]) -> Iterator[PhraseMatch[Value]]:
        """Phrases left to right, longest first, without overlap."""
        position = 0
        while position < len(words):
            found = self.at(words, position)
            if found is not None:
                yield found
            position = position + 1 if found is None else found.end


Words = tuple[str, ...]


class LanguagePack:
    """The sections of one language file, cut by the tokeniser that cuts the text."""

    def __init__(self, language: Language, cut: Callable[[str], Words]) -> None:
        self.code = language.code
        self.cut = cut
        self._sections = language.sections

    def texts(self, *path: str) -> Words:
        """A list as written.

        Raises:
            ConfigurationError: the language has no such list.
        """
        value = _at(self._sections, path)
        if not isinstance(value, Sequence) or isinstance(value, str):
            raise self._missing(path, "a list of words")
        return tuple(str(item) for item in value)

    def words(self, *path: str) -> frozenset[str]:
        """The entries of a list in small letters, the words of each joined by a space."""
        return frozenset(" ".join(self.cut(text)) for text in self.texts(*path))

    def phrases(self, *path: str) -> Phrases[str]:
        """The entries of a list, to be found in a text; each stands for itself."""
        return self.finder({text: [text] for text in self.texts(*path)})

    def finder(self, values: Mapping[str, Iterable[str]]) -> Phrases[str]:
        """Finds phrases and gives the key they stand under."""
        return Phrases((self.cut(text), value) for value, texts in values.items() for text in texts)

    def table(self, *path: str) -> Mapping[str, Words]:
        """A mapping of lists.

        Raises:
            ConfigurationError: the language has no such mapping.
        """
        return {key: self.texts(*path, key) for key in self._mapping(path)}

    def numbers(self, *path: str) -> Mapping[str, float]:
        """A mapping of numbers.

        Raises:
            ConfigurationError: the language has no such mapping.
        """
        found = {key: value for key, value in self._mapping(path).items() if isinstance(value, int | float)}
        return {key: float(value) for key, value in found.items()}

    def names(self, *path: str) -> Mapping[str, str]:
        """A mapping of words to words."""
        return {key: str(value) for key, value in self._mapping(path).items()}

    def vocabulary(self) -> frozenset[str]:
        """Every word that stands anywhere in the language file: none of them is a misspelling of another."""
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
    """A list as written, or the keys of a mapping; empty where the language has none."""
    value = _at(language.sections, path)
    return tuple(map(str, value)) if isinstance(value, list | tuple | Mapping) else ()


def paired(language: Language, *path: str) -> tuple[tuple[str, str], ...]:
    """What stands for what in a mapping of words to words; empty where the language has none."""
    value = _at(language.sections, path)
    return tuple((str(key), str(inner)) for key, inner in value.items()) if isinstance(value, Mapping) else ()


def _at(sections: Mapping[str, object], path: Sequence[str]) -> object:
    value: object = sections
    for step in path:
        value = value.get(step) if isinstance(value, Mapping) else None
    return value


def all_texts(value: object) -> Iterable[str]:
    """Every text in nested lists and mappings, keys included."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield str(key)
            yield from all_texts(inner)
    elif isinstance(value, Sequence):
        for inner in value:
            yield from all_texts(inner)
