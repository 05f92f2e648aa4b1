"""What a request names: terms of the lexicon, misspelt ones, and names that nobody knows.

A word is read as a misspelt term only if it is no ordinary word of the language, and it is an unknown name only where
something stands by its name: at `{}` in a wording of the table (`named`), or joined to what stands there, or where it
ends as such names do (`name_endings`). There a misspelt brand is found as well; elsewhere only what is like the name of
the thing itself. Which words nobody knows, wherever they stand, is told as well (`strange`).
"""

import re
from bisect import bisect_left
from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from functools import cached_property, lru_cache

from r_memory.domain.intents import IntentTable
from r_memory.domain.schema import Schema
from r_memory.domain.wordings import SOUGHT, expression
from r_memory.protocols import UNKNOWN, Linker, Mention, Naming
from r_memory.reading.actions.keywords import keywords_of, plain
from r_memory.reading.actions.requests import every
from r_memory.reading.actions.sentences import PlainSentence, Sentences, Span
from r_memory.reading.language import all_texts, listed, paired

_SHORTEST = 4
"""Letters of a name; shorter ones are abbreviations more often than not."""
_TICKER = range(2, 6)
"""Letters of a name in capitals, in a table with short names."""
_SHORTEST_LIKE = 6
"""Letters of a word that ends as names do."""
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
_REMEMBERED = 2_000
"""Words of which it is kept whether they are ordinary: texts repeat words."""
_LATELY = 4
"""Texts whose names are kept."""
_CODE = re.compile(r"[A-Z]{2,}-?\d{3,}")
"""What something is called before it has a name, such as a drug under trial."""
_NAME = re.compile(r"[^\W\d_][^\W_]*(?:[-'][^\W_]+)*")
_JOINT = re.compile(r"(?<=[^\W\d_])[/+](?=[^\W\d_])")
"""What joins two names without a blank."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _NameWord:
    """One word of a sentence."""

    place: Span
    start: int
    text: str
    """As written."""
    terms: tuple[Mention, ...] = ()
    """The terms that it means or may mean."""
    ordinary: bool = False

    @property
    def unknown(self) -> bool:
        return not self.terms and not self.ordinary


class Names:
    """Finds the names in requests, for one table under one schema."""

    def __init__(
        self,
        table: IntentTable,
        schema: Schema,
        linker: Linker,
        common: Callable[[], Container[str]] = frozenset,
        harmless: Callable[[], Container[str]] = frozenset,
    ) -> None:
        """`common` returns the ordinary words of the language, `harmless` small-letter words that are no name.

        Both are called when the first unknown word is met.
        """
        rows = [row for row in table.intents.values() if row.named]
        self._endings = tuple(ending for row in rows for ending in row.name_endings)
        self._short = any(row.short_names for row in rows)
        self._everyday = frozenset(plain(word) for word in table.everyday)
        self._linker = linker
        self._terms = schema.lexicon.terms
        self._types = sorted({type_ for row in rows for type_ in keywords_of(row.keywords, schema).types})
        language = schema.language
        numbers = listed(language, "numbers")
        self._wordings = [re.compile(expression(wording, numbers)) for row in rows for wording in row.named]
        self._sentences = Sentences(language)
        self._joins = frozenset(listed(language, "requests", "joins"))
        self._sounds = paired(language, "requests", "sounds")
        self._titles = frozenset((*listed(language, "persons", "titles"), *listed(language, "persons", "clinicians")))
        self._actors, self._askers, self._aims = (
            frozenset(listed(language, "requests", name)) for name in ("actors", "askers", "aims")
        )
        self._unlike = listed(language, "requests", "not_a_name_ending")
        self._said = frozenset(word for text in all_texts(language.sections) for word in text.casefold().split())
        self._is_known = lru_cache(_REMEMBERED)(self._is_ordinary)
        self._give_common = common
        self._give_harmless = harmless
        self._of_lately = lru_cache(_LATELY)(self._of)
        """A request is stored, waits and is asked about in the same words."""

    def of(self, text: str) -> Naming:
        """Returns the terms and unknown names of the text, in order."""
        return self._of_lately(text)

    def _of(self, text: str) -> Naming:
        mentions = self._linker.mentions(text)
        if not self._wordings:
            return Naming(mentions=mentions)
        words: dict[int, _NameWord] = {}
        named: set[int] = set()
        strange: list[str] = []
        for sentence in self._sentences.of(text, mentions):
            own = list(self._words(sentence, text))
            words |= {word.start: word for word in own}
            strange += self._strange(own)
            named |= {word.start for word in (*self._named(sentence, own), *filter(self._ends_as_names_do, own))}
        guessed = (guess for word in words.values() for guess in _guesses(word, named=word.start in named))
        unknown = (words[start] for start in sorted(named) if words[start].unknown or self._is_far(words[start]))
        return Naming(
            mentions=tuple(sorted((*mentions, *guessed), key=lambda mention: mention.start)),
            unknown=tuple(
                Mention(
                    type=UNKNOWN, name=item.text, start=item.start, end=item.start + len(item.text), surface=item.text
                )
                for item in unknown
            ),
            strange=tuple(dict.fromkeys(strange)),
        )

    def _strange(self, words: Sequence[_NameWord]) -> Iterator[str]:
        """Yields the unknown words of one sentence."""
        of_person = False
        for index, word in enumerate(words):
            of_person = word.text.casefold() in self._titles or (of_person and word.text[:1].isupper())
            short = word.text[:2].isupper() and word.text.isalpha() and len(word.text) in _TICKER and not self._short
            if not (of_person or short or word.ordinary or self._is_recognised(word) or self._is_verb(words, index)):
                yield word.text

    def _is_verb(self, words: Sequence[_NameWord], index: int) -> bool:
        """Whether the word stands where something is done and not named: "she haggled", "unplug the monitor"."""
        before = words[index - 1].text.casefold() if index else ""
        behind = words[index + 1].text.casefold() if index + 1 < len(words) else ""
        return before in self._actors or (behind in self._aims and (not before or before in self._askers))

    def _is_recognised(self, word: _NameWord) -> bool:
        """Whether the word is a term, spelt exactly or nearly."""
        return any(not term.fuzzy or _is_alike(word.text.casefold(), term.name.casefold()) for term in word.terms)

    def _ends_as_names_do(self, word: _NameWord) -> bool:
        return word.unknown and len(word.text) >= _SHORTEST_LIKE and word.text.casefold().endswith(self._endings)

    def _words(self, sentence: PlainSentence, text: str) -> Iterator[_NameWord]:
        begins = [place[0] for place, _ in sentence.words]
        terms: list[tuple[Mention, ...]] = [()] * len(begins)
        for term, (first, last) in sentence.spots:
            for index in range(bisect_left(begins, first), bisect_left(begins, last)):
                terms[index] += (term,)
        for (place, (start, end)), own in zip(sentence.words, terms, strict=True):
            for at, last in _parts(text, start, end):
                held = tuple(term for term in own if term.start < last and at < term.end)
                word = _NameWord(place=place, start=at, text=text[at:last], terms=held)
                yield word if held else self._read(word, is_first=place[0] == begins[0])

    def _read(self, word: _NameWord, *, is_first: bool) -> _NameWord:
        """Returns the word classified as ordinary, as a misspelt term, or as neither."""
        written = word.text.casefold().removesuffix("'s")
        plainly = word.text.islower() or (is_first and word.text[1:].islower())
        if self._is_known(word.text, written, plainly=plainly):
            return _NameWord(place=word.place, start=word.start, text=word.text, terms=word.terms, ordinary=True)
        end = word.start + len(word.text)
        near = self._near(word.text)
        if written.endswith(self._unlike):
            near = tuple(term for term in near if _is_alike(written, term.name.casefold()))
            if not near:
                return replace(word, ordinary=True)
        return replace(word, terms=tuple(replace(each, start=word.start, end=end, fuzzy=True) for each in near))

    def _near(self, written: str) -> tuple[Mention, ...]:
        """Returns the terms that the word may mean: by its spelling, else by other spellings of its sounds."""
        if near := self._linker.resolve(written, self._types):
            return near
        for heard, spelt in self._sounds:
            if heard in written and (near := self._linker.resolve(written.replace(heard, spelt), self._types)):
                return tuple(replace(term, surface=written) for term in near)
        return ()

    def _is_far(self, word: _NameWord) -> bool:
        """Whether the word is only a guess, and unlike every spelling of the terms it may mean.

        The guess is shown and counts for nothing.
        """
        spellings = [
            spelling for term in word.terms for spelling in (term.name, *self._terms[term.type].get(term.name, ()))
        ]
        guessed = bool(word.terms) and all(term.fuzzy for term in word.terms)
        return guessed and not any(_is_alike(word.text.casefold(), spelling.casefold()) for spelling in spellings)

    def _is_ordinary(self, written: str, word: str, *, plainly: bool) -> bool:
        """Whether the word is an ordinary word of the language; `plainly`: it has no capital that a name would have."""
        if self._short and written.isupper() and len(written) in _TICKER:
            return word in self._everyday
        if _CODE.fullmatch(written):
            return False
        if len(word) < _SHORTEST or _NAME.fullmatch(word) is None:
            return True
        for part in re.split("[-']", word):
            cut = [part.removesuffix(ending) + instead for ending, instead in _ENDINGS if part.endswith(ending)]
            # "dimmed" is of "dim".
            stems = (part, *cut, *(stem[:-1] for stem in cut if stem[-1:] == stem[-2:-1]))
            known = any(map(self._is_listed, stems)) or (plainly and any(stem in self._harmless for stem in stems))
            if len(part) >= _SHORTEST and not known:
                return False
        return True

    def _is_listed(self, stem: str) -> bool:
        return stem in self._said or stem in self._common

    @cached_property
    def _common(self) -> Container[str]:
        return self._give_common()

    @cached_property
    def _harmless(self) -> Container[str]:
        return self._give_harmless()

    def _named(self, sentence: PlainSentence, words: Sequence[_NameWord]) -> Iterator[_NameWord]:
        """Yields the words that stand where a name is expected, and the words joined to them."""
        starts: dict[int, int] = {}
        for index, word in enumerate(words):
            starts.setdefault(word.place[0], index)
        for wording in self._wordings:
            for match in every(wording, sentence.text):
                yield from self._joined(words, starts[match.start(SOUGHT)])

    def _joined(self, words: Sequence[_NameWord], index: int) -> Iterator[_NameWord]:
        """From one name on, as long as names follow: "Zorvenbrix, Stamaril and paracetamol"."""
        while index < len(words) and not words[index].ordinary:
            yield words[index]
            index += 1
            if index < len(words) and words[index].text.casefold() in self._joins:
                index += 1


def _parts(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yields the places of the names in a word that joins several: "piperacillin/tazobactam"."""
    begin = start
    for joint in (*_JOINT.finditer(text, start, end), None):
        stop = end if joint is None else joint.start()
        if begin < stop:
            yield begin, stop
        begin = end if joint is None else joint.end()


def _guesses(word: _NameWord, *, named: bool) -> Iterator[Mention]:
    """Yields the terms that a misspelling may mean.

    Where no name is expected, only the names of things count, not their synonyms.
    """
    for term in word.terms:
        if term.fuzzy and (named or _is_alike(word.text.casefold(), term.name.casefold())):
            yield term


def _is_alike(word: str, name: str) -> bool:
    return SequenceMatcher(None, word, name, autojunk=False).ratio() >= _ALIKE
