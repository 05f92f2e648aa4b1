"""Finds terms of the lexicon: exact wherever they stand, misspelt only where a name is expected.

Implements `protocols.Linker`. The only importer of rapidfuzz in this folder. Its cost does not grow with the lexicon:
exact terms are one pass of a phrase matcher, near ones are sought among those of the same first letter and length.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from rapidfuzz import process
from rapidfuzz.distance import OSA

from r_memory.domain.schema import Lexicon
from r_memory.protocols import Mention
from r_memory.reading.normalise import plain
from r_memory.text.words import Token, Tokeniser

_ONE_FROM = 6
_TWO_FROM = 9
"""Letters from which one step (a swap of neighbours counts as one) and two steps are forgiven."""
_LONGEST_ACRONYM = 3
_SPELT_OUT = range(2, 6)

Term = tuple[str, str]
"""Type and canonical name."""


class Gazetteer:
    """The lexicon, ready to be found in texts."""

    def __init__(self, lexicon: Lexicon) -> None:
        self._terms: list[Term] = [(type_, name) for type_, names in lexicon.terms.items() for name in names]
        spellings = {
            str(index): tuple(_spellings((name, *lexicon.terms[type_][name])))
            for index, (type_, name) in enumerate(self._terms)
        }
        self._exact = _by_surface(spellings)
        self._near = _buckets(self._exact)
        self._tokeniser = Tokeniser(
            {key: [text for text in texts if not _is_as_written(text)] for key, texts in spellings.items()},
            {key: [text for text in texts if _is_as_written(text)] for key, texts in spellings.items()},
        )

    def words(self, text: str) -> tuple[str, ...]:
        """The words of a short text of our own, cut as texts are."""
        return self._tokeniser.words(text)

    def read(self, text: str, offset: int = 0) -> tuple[tuple[Token, ...], tuple[Mention, ...]]:
        """Tokens and mentions of a text that is `plain`; positions count from `offset`."""
        tokens, hits = self._tokeniser.read(text)
        mentions: list[Mention] = []
        end = -1
        for hit in sorted(hits, key=lambda hit: (hit.first, -hit.last, int(hit.key))):
            if hit.first < end:
                continue
            end = hit.last
            start, stop = tokens[hit.first].start, tokens[hit.last - 1].end
            type_, name = self._terms[int(hit.key)]
            surface = text[start:stop]
            mentions.append(Mention(type=type_, name=name, start=start + offset, end=stop + offset, surface=surface))
        if offset:
            tokens = tuple(replace(token, start=token.start + offset, end=token.end + offset) for token in tokens)
        return tokens, tuple(mentions)

    def mentions(self, text: str) -> tuple[Mention, ...]:
        """Longest matches, left to right, without overlap; never fuzzy."""
        found = self.read(plain(text))[1]
        return tuple(replace(mention, surface=text[mention.start : mention.end]) for mention in found)

    def resolve(self, words: str, types: Sequence[str]) -> tuple[Mention, ...]:
        """Terms of the given types that the words, standing alone in an object slot, may mean: see `Linker`."""
        wanted = plain(words).casefold().strip()
        exact = self._of_types(self._exact.get(wanted, ()), types)
        found = exact[:1] or self._nearest(wanted, types)
        return tuple(Mention(type=type_, name=name, start=0, end=len(words), surface=words) for type_, name in found)

    def _of_types(self, keys: Iterable[str], types: Sequence[str]) -> list[Term]:
        terms = (self._terms[int(key)] for key in keys)
        return [term for term in terms if term[0] in types]

    def _nearest(self, wanted: str, types: Sequence[str]) -> list[Term]:
        """All terms at the smallest distance that is forgiven; none if the word is too short."""
        if len(wanted) < _ONE_FROM or not wanted[0].isalpha():
            return []
        most = 2 if len(wanted) >= _TWO_FROM else 1
        near = sorted(self._within(wanted, most), key=lambda pair: pair[1])
        for distance in range(1, most + 1):
            terms = [term for text, steps in near if steps == distance for term in self._of_surface(text, types)]
            if terms:
                return list(dict.fromkeys(terms))
        return []

    def _of_surface(self, text: str, types: Sequence[str]) -> list[Term]:
        return self._of_types(self._exact[text], types)

    def _within(self, wanted: str, most: int) -> Iterator[tuple[str, int]]:
        for length in range(max(len(wanted) - most, _ONE_FROM - 1), len(wanted) + most + 1):
            choices = self._near.get((wanted[0], length), ())
            found = process.extract(wanted, choices, scorer=OSA.distance, score_cutoff=most, limit=None)
            yield from ((text, int(steps)) for text, steps, _ in found)


def _by_surface(spellings: Mapping[str, Sequence[str]]) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for key, texts in spellings.items():
        for text in texts:
            folded = plain(text).casefold()
            found[folded] = (*found.get(folded, ()), key)
    return found


def _buckets(surfaces: Iterable[str]) -> dict[tuple[str, int], list[str]]:
    """Surfaces by first letter and length; short ones are left out, as they are never corrected."""
    found: dict[tuple[str, int], list[str]] = {}
    for surface in surfaces:
        if len(surface) >= _ONE_FROM - 1:
            found.setdefault((surface[0], len(surface)), []).append(surface)
    return found


def _is_acronym(text: str) -> bool:
    """Short and in capitals: found in capitals only, as `MI`, or it would be found in every text."""
    return len(text) <= _LONGEST_ACRONYM and text.isupper()


def _is_as_written(text: str) -> bool:
    """Found as it is written only: an acronym, or one word with a capital (`Shell`), which is an everyday word too."""
    return _is_acronym(text) or (text.isalpha() and text[0].isupper() and text[1:].islower())


def _spellings(texts: Iterable[str]) -> dict[str, None]:
    """Every way to write a term: hyphens as spaces or not at all, plural, and acronyms letter by letter."""
    found: dict[str, None] = {}
    for text in texts:
        found[text] = None
        for variant in _variants(text):
            found.setdefault(variant, None)
    return found


def _variants(text: str) -> Iterator[str]:
    if _is_acronym(text):
        yield " ".join(text.lower())
        return
    if _is_as_written(text):
        return
    if "-" in text.strip("-"):
        yield text.replace("-", " ")
        yield text.replace("-", "")
    elif text.count(" ") == 1:
        yield text.replace(" ", "-")
    if text[-1:].isalpha() and text[-1:] not in "sS" and len(text) > _LONGEST_ACRONYM:
        yield text + "s"
    first, _, rest = text.partition(" ")
    if first.isupper() and first.isalpha() and len(first) in _SPELT_OUT:
        yield " ".join((*first.lower(), rest)).strip()
