"""What a request names: terms of the lexicon, misspelt ones, and names that nobody knows.

A word is read as a misspelt term only if it is no ordinary word of the language, and it is an unknown name only where
something stands by its name: at `{}` in a wording of the table (`named`), or joined to what stands there. There a
misspelt brand is found as well; elsewhere only what is like the name of the thing itself.
"""

import re
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from functools import cached_property

from r_memory.domain.intents import IntentTable
from r_memory.domain.schema import Schema
from r_memory.domain.wordings import SOUGHT, expression
from r_memory.protocols import UNKNOWN, Linker, Mention, Naming
from r_memory.reading.actions.keywords import keywords_of
from r_memory.reading.actions.requests import every, listed
from r_memory.reading.actions.sentences import Sentence, Sentences, Span
from r_memory.reading.language import all_texts

_SHORTEST = 4
"""Letters of a name; shorter ones are abbreviations more often than not."""
_ALIKE = 0.85
"""Share of the letters that a misspelling has in common with the name in the same order."""
_ENDINGS = (
    ("ies", "y"),
    ("es", ""),
    ("s", ""),
    ("ing", ""),
    ("ing", "e"),
    ("ed", ""),
    ("d", ""),
    ("er", ""),
    ("ly", ""),
)
"""What an ordinary word may end in, and what takes its place in the word that the list has."""
_NAME = re.compile(r"[^\W\d_][^\W_]*(?:[-'][^\W_]+)*")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Word:
    """One word of a sentence."""

    place: Span
    start: int
    text: str
    """As written."""
    terms: tuple[Mention, ...] = ()
    """What it means, or may mean."""
    ordinary: bool = False

    @property
    def unknown(self) -> bool:
        return not self.terms and not self.ordinary


class Names:
    """Ready for one table under one schema."""

    def __init__(
        self, table: IntentTable, schema: Schema, linker: Linker, common: Callable[[], Container[str]] = frozenset
    ) -> None:
        """`common` gives the ordinary words of the language; it is asked for when the first strange word is met."""
        rows = [row for row in table.intents.values() if row.named]
        self._linker = linker
        self._terms = schema.lexicon.terms
        self._types = sorted({type_ for row in rows for type_ in keywords_of(row.keywords, schema).types})
        sections = schema.language.sections
        numbers = listed(sections.get("numbers"))
        self._wordings = [re.compile(expression(wording, numbers)) for row in rows for wording in row.named]
        words = sections.get("requests")
        words = words if isinstance(words, Mapping) else {}
        self._sentences = Sentences(words, fillers=listed(sections.get("fillers")))
        self._joins = frozenset(listed(words.get("joins")))
        self._unlike = tuple(listed(words.get("not_a_name_ending")))
        self._said = frozenset(word for text in all_texts(sections) for word in text.casefold().split())
        self._give_common = common

    def of(self, text: str) -> Naming:
        """What the text names, in order."""
        mentions = self._linker.mentions(text)
        if not self._wordings:
            return Naming(mentions=mentions)
        words: dict[int, _Word] = {}
        named: set[int] = set()
        for sentence in self._sentences.of(text, mentions):
            own = list(self._words(sentence, text))
            words |= {word.start: word for word in own}
            named |= {word.start for word in self._named(sentence, own)}
        guessed = (guess for word in words.values() for guess in _guesses(word, named=word.start in named))
        unknown = (words[start] for start in sorted(named) if words[start].unknown or self._is_far(words[start]))
        return Naming(
            mentions=tuple(sorted((*mentions, *guessed), key=lambda mention: mention.start)),
            unknown=tuple(
                Mention(type=UNKNOWN, name=one.text, start=one.start, end=one.start + len(one.text), surface=one.text)
                for one in unknown
            ),
        )

    def _words(self, sentence: Sentence, text: str) -> Iterator[_Word]:
        for place, (start, end) in sentence.words:
            terms = tuple(term for term, span in sentence.spots if span[0] <= place[0] < span[1])
            word = _Word(place=place, start=start, text=text[start:end], terms=terms)
            yield word if terms else self._read(word)

    def _read(self, word: _Word) -> _Word:
        """A word that is no term, as an ordinary word, a misspelt term, or neither."""
        if self._is_ordinary(word.text):
            return replace(word, ordinary=True)
        end = word.start + len(word.text)
        near = self._linker.resolve(word.text, self._types)
        return replace(word, terms=tuple(replace(each, start=word.start, end=end, fuzzy=True) for each in near))

    def _is_far(self, word: _Word) -> bool:
        """Only guessed at, and unlike every spelling of what it may mean: the guess is shown, and counts as none."""
        spellings = [
            spelling for term in word.terms for spelling in (term.name, *self._terms[term.type].get(term.name, ()))
        ]
        guessed = bool(word.terms) and all(term.fuzzy for term in word.terms)
        return guessed and not any(_is_alike(word.text.casefold(), spelling.casefold()) for spelling in spellings)

    def _is_ordinary(self, written: str) -> bool:
        word = written.casefold().removesuffix("'s")
        if len(word) < _SHORTEST or _NAME.fullmatch(word) is None or word.endswith(self._unlike):
            return True
        for part in re.split("[-']", word):
            cut = (part.removesuffix(ending) + instead for ending, instead in _ENDINGS if part.endswith(ending))
            if len(part) >= _SHORTEST and not any(stem in self._said or stem in self._common for stem in (part, *cut)):
                return False
        return True

    @cached_property
    def _common(self) -> Container[str]:
        return self._give_common()

    def _named(self, sentence: Sentence, words: Sequence[_Word]) -> Iterator[_Word]:
        """The words where something stands by its name, and those that are joined to it."""
        starts = {word.place[0]: index for index, word in enumerate(words)}
        for wording in self._wordings:
            for match in every(wording, sentence.text):
                yield from self._joined(words, starts[match.start(SOUGHT)])

    def _joined(self, words: Sequence[_Word], index: int) -> Iterator[_Word]:
        """From one name on, as long as names follow: "Zorvenbrix, Stamaril and paracetamol"."""
        while index < len(words) and not words[index].ordinary:
            yield words[index]
            index += 1
            if index < len(words) and words[index].text.casefold() in self._joins:
                index += 1


def _guesses(word: _Word, *, named: bool) -> Iterator[Mention]:
    """What a misspelling may mean; where no name is expected, a name of the thing itself and no other word for it."""
    for term in word.terms:
        if term.fuzzy and (named or _is_alike(word.text.casefold(), term.name.casefold())):
            yield term


def _is_alike(word: str, name: str) -> bool:
    return SequenceMatcher(None, word, name, autojunk=False).ratio() >= _ALIKE
