"""Finds terms of the lexicon: exact wherever they stand, misspelt only where a name is expected.

Implements `protocols.Linker`. The only importer of rapidfuzz in this folder. Its cost does not grow with the lexicon:
exact terms are one pass of a phrase matcher, near ones are sought among those of the same first letter and length.
"""

import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

from rapidfuzz import process
from rapidfuzz.distance import OSA

from r_memory.domain.schema import Lexicon, Term
from r_memory.protocols import Mention
from r_memory.reading.language import Phrases
from r_memory.reading.normalise import plain
from r_memory.text.cutting import Token, pieces, tokens_of, words_of

_ONE_FROM = 6
_TWO_FROM = 9
"""Letters from which an edit distance of 1 (a swap of neighbours is 1) or 2 is accepted."""
_LONGEST_ACRONYM = 3
_SPELT_OUT = range(2, 6)
_LEXICONS = 4
"""Lexicons whose index is cached. A check needs each domain's index three times, and building takes half a second."""
_REMEMBERED = 2_000
"""Words whose near spellings are cached: each is looked up under every relation, and texts repeat words."""

_LATELY = 4
"""Texts whose terms are kept."""


class Gazetteer:
    """Finds the terms of a lexicon in texts."""

    def __init__(
        self, lexicon: Lexicon, everyday: Callable[[], Container[str]] = frozenset, elided: Iterable[str] = ()
    ) -> None:
        """`everyday` returns words that are no misspelling; called when the first unknown word is met.

        `elided` are words of other languages that stand before an apostrophe, such as the article in "l'arachide".
        """
        self._lexicon = lexicon
        self._elided = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, elided)) or '(?!)'})'(?=\w)", re.IGNORECASE)
        self._give_everyday = everyday
        self._within = lru_cache(_REMEMBERED)(self._spellings_near)
        self._read_lately = lru_cache(_LATELY)(self._read)
        """One text is read by several parts: for its facts, its names, its language."""

    @cached_property
    def _index(self) -> "_Index":
        """Built at first use, as many commands link nothing and building takes a fifth of their time."""
        named = self._lexicon.terms.items()
        terms = (((type_, name), tuple(words)) for type_, names in named for name, words in names.items())
        return _indexed(tuple(terms))

    def words(self, text: str) -> tuple[str, ...]:
        """Returns the words of a short text of the schema, split as utterances are."""
        return words_of(text)

    def read(self, text: str, offset: int = 0) -> tuple[tuple[Token, ...], tuple[Mention, ...]]:
        """Returns the tokens and mentions of a text that `plain` returned; positions count from `offset`."""
        tokens, mentions = self._read_lately(text)
        if not offset:
            return tokens, mentions
        moved = (replace(token, start=token.start + offset, end=token.end + offset) for token in tokens)
        return tuple(moved), tuple(mention.moved(offset) for mention in mentions)

    def _read(self, text: str) -> tuple[tuple[Token, ...], tuple[Mention, ...]]:
        tokens = tokens_of(text)
        written = [text[token.start : token.end] for token in tokens]
        index = self._index
        hits = (*index.in_any.every([piece.lower() for piece in written]), *index.in_capitals.every(written))
        mentions: list[Mention] = []
        end = -1
        for hit in sorted(hits, key=lambda hit: (hit.start, -hit.end, hit.value)):
            if hit.start < end:
                continue
            end = hit.end
            start, stop = tokens[hit.start].start, tokens[hit.end - 1].end
            type_, name = index.terms[hit.value]
            surface = text[start:stop]
            mentions.append(Mention(type=type_, name=name, start=start, end=stop, surface=surface))
        return tokens, tuple(mentions)

    def mentions(self, text: str) -> tuple[Mention, ...]:
        """Returns the longest exact matches, from left to right, without overlap."""
        heard = self._elided.sub(lambda found: " " * len(found[0]), plain(text))
        found = self.read(heard)[1]
        return tuple(replace(mention, surface=text[mention.start : mention.end]) for mention in found)

    def resolve(self, words: str, types: Sequence[str]) -> tuple[Mention, ...]:
        """Returns the terms of the given types that the words of an object slot may mean; see `Linker`."""
        wanted = plain(words).casefold().strip()
        exact = self._of_types(self._index.exact.get(wanted, ()), types)
        found = exact[:1] or self._nearest(wanted, types)
        return tuple(
            Mention(type=type_, name=name, start=0, end=len(words), surface=words, fuzzy=not exact)
            for type_, name in found
        )

    def _of_types(self, numbers: Iterable[int], types: Sequence[str]) -> list[Term]:
        terms = (self._index.terms[number] for number in numbers)
        return [term for term in terms if term[0] in types]

    def _nearest(self, wanted: str, types: Sequence[str]) -> list[Term]:
        """Returns all terms at the smallest accepted distance; none if the word is too short."""
        if len(wanted) < _ONE_FROM or not wanted[0].isalpha():
            return []
        near = self._within(wanted)
        for distance in (1, 2):
            texts = [text for text, steps in near if steps == distance]
            terms = [term for text in texts for term in self._of_types(self._index.exact[text], types)]
            if terms:
                return list(dict.fromkeys(terms))
        return []

    def _spellings_near(self, wanted: str) -> tuple[tuple[str, int], ...]:
        """Returns the spellings within the accepted distance, with their distance."""
        most = 2 if len(wanted) >= _TWO_FROM else 1
        found: list[tuple[str, int]] = []
        for length in range(max(len(wanted) - most, _ONE_FROM - 1), len(wanted) + most + 1):
            choices = self._index.near.get((wanted[0], length), ())
            near = process.extract(wanted, choices, scorer=OSA.distance, score_cutoff=most, limit=None)
            found += (
                (text, int(steps))
                for text, steps, _ in near
                if _word_by_word(wanted, text) and self._is_misspelt(wanted, text)
            )
        return tuple(sorted(found, key=lambda pair: pair[1]))

    def _is_misspelt(self, said: str, spelling: str) -> bool:
        """Whether every differing word is rare; an everyday word means itself."""
        own = spelling.split()
        return not all(word in own or word in self._everyday for word in said.split())

    @cached_property
    def _everyday(self) -> Container[str]:
        return self._give_everyday()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Index:
    """The spellings of a lexicon, by the keys of its look-ups."""

    terms: Sequence[Term]
    exact: Mapping[str, tuple[int, ...]]
    """Spelling in small letters to the indexes of its terms."""
    near: Mapping[tuple[str, int], Sequence[str]]
    """First letter and length to the spellings that a misspelling may mean."""
    in_any: Phrases[int]
    in_capitals: Phrases[int]
    """Spellings that are found only as written."""


@lru_cache(_LEXICONS)
def _indexed(words: tuple[tuple[Term, tuple[str, ...]], ...]) -> _Index:
    """Returns the index of the terms and their other spellings."""
    terms = [term for term, _ in words]
    in_any: list[tuple[tuple[str, ...], int]] = []
    in_capitals: list[tuple[tuple[str, ...], int]] = []
    exact: dict[str, tuple[int, ...]] = {}
    for number, ((_, name), others) in enumerate(words):
        for text in _spellings((name, *others)):
            if _is_as_written(text):
                in_capitals.append((_written(text), number))
            else:
                in_any.append((_written(plain(text).lower()), number))
            folded = plain(text).casefold()
            exact[folded] = (*exact.get(folded, ()), number)
    return _Index(
        terms=terms, exact=exact, near=buckets(exact), in_any=Phrases(in_any), in_capitals=Phrases(in_capitals)
    )


def _word_by_word(said: str, spelling: str) -> bool:
    """Whether no short word of a phrase differs: "Acme shares" are no "AIM shares"."""
    pairs = list(zip(said.split(), spelling.split(), strict=False))
    if len(pairs) == 1 or len(said.split()) != len(spelling.split()):
        return True
    return all(first == second or max(len(first), len(second)) >= _ONE_FROM for first, second in pairs)


def _written(text: str) -> tuple[str, ...]:
    return tuple(piece for piece, _ in pieces(text))


def buckets(surfaces: Iterable[str]) -> dict[tuple[str, int], list[str]]:
    """Returns the surfaces by first letter and length, without short ones, which are never corrected."""
    found: dict[tuple[str, int], list[str]] = {}
    for surface in surfaces:
        if len(surface) >= _ONE_FROM - 1:
            found.setdefault((surface[0], len(surface)), []).append(surface)
    return found


def _is_acronym(text: str) -> bool:
    """Whether the text is short and in capitals, so that it is found only in capitals: `MI`."""
    return len(text) <= _LONGEST_ACRONYM and text.isupper()


def _is_as_written(text: str) -> bool:
    """Whether the text is found only as written: an acronym, or a capitalised everyday word (`Shell`)."""
    return _is_acronym(text) or (text.isalpha() and text[0].isupper() and text[1:].islower())


def _spellings(texts: Iterable[str]) -> dict[str, None]:
    """Returns every spelling of a term: hyphens as spaces or omitted, plurals, and acronyms letter by letter."""
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
