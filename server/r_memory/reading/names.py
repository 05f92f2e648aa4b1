"""Names of people in a text: which slices of it may be somebody's id or name, and who is named that nobody knows.

Knows how names stand in sentences, not who is known. A known name counts in any case, at any place, and with a
possessive ending without its apostrophe ("toves"). A name that is an everyday word, a month or a term of the lexicon
("Rose", "May") counts only where its capital or the words around it make it a person's.
"""

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import takewhile, zip_longest

from r_memory.domain.facts import Entity
from r_memory.domain.identity import abbreviates, identity_key
from r_memory.domain.schema import Language, Schema
from r_memory.protocols import Linker
from r_memory.reading.actions.ordinary import ordinary_words
from r_memory.reading.language import listed

LONGEST = 5
"""Most words in a name."""
KIN = ("female_kin", "male_kin", "female_partners", "male_partners")
"""Sections of the language with words for one relative."""
_CALLED = ("persons", "called")
_TOKEN = re.compile(r"[^\s,;()\[\]\"“”<>|]+")
_EDGES = ".:!?'’‘*_-/\\"  # noqa: RUF001 - both kinds of apostrophes
_POSSESSIVE = re.compile(r"['’]s?$")  # noqa: RUF001 - as above
_PART = re.compile(r"[^\W\d_]+(?:[-'’.][^\W\d_]+)*\.?")  # noqa: RUF001 - as above
_BEGINS = re.compile(r"[.!?:;\n]")
"""Stands between a word and the first word of the next sentence."""
_OWNED = "s"
"""The ending of a possessive; people leave out its apostrophe."""
_SHORTEST = 2
"""Letters of a name that such an ending may follow."""
_NUMBER_FROM = 6
"""Digits from which a bare number may be an id; "500" is a dose."""
_SHOUTED = 0.5
"""Share of capitalised words from which capitals tell nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Slice:
    """Words of a text that may be a person's id or name."""

    key: str
    """The words in the form in which names are compared."""
    text: str
    """The words as written."""
    first: int
    """Index of the first word."""
    last: int
    """Index behind the last word."""
    is_owner: bool = False
    """The key leaves out a possessive ending that has no apostrophe."""

    def is_part_of(self, other: "Slice") -> bool:
        """Whether the other has all its words and more."""
        return (
            other.first <= self.first and self.last <= other.last and self.last - self.first < other.last - other.first
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Word:
    """One word without the punctuation around it."""

    text: str
    bare: str
    """The word without a possessive ending."""
    folded: str
    start: int
    end: int
    ends: str
    """The text between this word and the next."""

    @property
    def is_owner(self) -> bool:
        return self.bare != self.text

    @property
    def is_bare_owner(self) -> bool:
        """Whether it may be a possessive without its apostrophe."""
        shortened = self.folded.removesuffix(_OWNED)
        return not self.is_owner and _SHORTEST <= len(shortened) < len(self.folded) and shortened[-1:] != _OWNED

    @property
    def capital(self) -> bool:
        return self.text[:1].isupper()


class PersonNames:
    """Finds names under one language and lexicon."""

    def __init__(self, schema: Schema, linker: Linker, *, wording: Iterable[str] = ()) -> None:
        """`wording` are typical requests; their small-letter words are no names."""

        def words(*path: str, of: Language = schema.language) -> frozenset[str]:
            return frozenset(word.casefold().rstrip(".") for word in listed(of, *path))

        self._linker = linker
        self._lexicon = schema.lexicon
        self._wording = wording
        self._titles = words("persons", "titles")
        self._nouns = words("persons", "subject_nouns") | {schema.subject.casefold()}
        self._clinicians = words("persons", "clinicians")
        self._before, self._behind = words("names", "before"), words("names", "behind")
        never = (words("names", "never"), words("not_a_name"), words("persons", "no_persons"))
        elsewhere = (words("names", "never", of=other) for other in schema.languages.values())
        self._never = self._clinicians.union(*never, *elsewhere)
        self._also_words = words("names", "also_words")
        self._opening, self._days = words("names", "opening"), words("names", "never")
        self._split = lru_cache(1)(_split)
        self._slices_last = lru_cache(1)(self._slices)
        """A call asks for the slices of its text twice, then for the strangers in it."""
        others = (listed(schema.language, "persons", "called", word) for word in listed(schema.language, *_CALLED))
        self.kin = frozenset(word.casefold() for words in others for word in words).union(
            words(*_CALLED), *(words("persons", section) for section in KIN)
        )
        """Words for a relative: somebody may be known by no other name, and people write them without a capital."""

    def slices(self, text: str) -> tuple[Slice, ...]:
        """Returns every run of up to five words that may be an id or a name; "Doe, Jane" also as "Jane Doe".

        A run neither begins nor ends with an uncapitalised everyday word, and of several words at least one may be a
        name.
        """
        return self._slices_last(text)

    def _slices(self, text: str) -> tuple[Slice, ...]:
        words = self._split(text)
        ends = [word.capital or word.folded not in self._never or word.folded in self.kin for word in words]
        tells = [self._tells(words, place) for place in range(len(words))]
        return tuple(
            piece
            for first in range(len(words))
            if ends[first]
            # Where none of the words that may follow tells of a name (most runs of a text), it stands alone.
            for piece in _from(words, first, text, LONGEST if any(tells[first : first + LONGEST]) else 1)
            if piece.last == first + 1 or (ends[piece.last - 1] and any(tells[first : piece.last]))
        )

    def _tells(self, words: Sequence[_Word], place: int) -> bool:
        """Whether a word may be a name: no everyday word, or written as a name is."""
        word = words[place]
        # Every word that any term holds: "Blood Pressure" is nobody's name, whether or not it is a term.
        everyday = any(word.folded in words for words in (self._never, self._lexicon.words, self._worded))
        if not everyday or word.folded in self._also_words or word.is_owner or self._is_introduced(words, place):
            return True
        if not word.capital:
            return False
        behind = words[place + 1 : place + 2]
        acts = bool(behind) and (behind[0].capital or behind[0].text in self._behind)
        # A capital within a sentence: "cook for Ben", though "ben pen" is a term.
        return acts or (place > 0 and (words[place - 1].capital or not words[place - 1].ends.strip()))

    @cached_property
    def _worded(self) -> frozenset[str]:
        return frozenset(word for words in self._wording for word in words.casefold().split())

    def named(
        self,
        text: str,
        people: Iterable[Entity],
        *,
        besides: Iterable[Entity] = (),
        aliases: Mapping[str, Collection[str]] | None = None,
        relatives: Collection[str] = (),
    ) -> Mapping[str, str]:
        """Returns the uid of each of these people whom the text names, with the words that name them.

        A part of the whole name of another, also of one of `besides`, names nobody: "Amy Falk" is not the id "falk".
        `aliases` are further names by uid; those of `relatives` are words for a relative, which name somebody always.
        """
        words, slices = self._split(text), self.slices(text)
        by_key: dict[str, list[Slice]] = {}
        for piece in slices:
            by_key.setdefault(piece.key, []).append(piece)
        people = tuple(people)
        whole = [piece for person in (*people, *besides) for piece in by_key.get(identity_key(person.name), ())]
        written = {(piece.first, piece.last) for piece in whole if not piece.is_owner}
        found: dict[str, str] = {}
        for person in people:
            keys = dict.fromkeys(
                (identity_key(person.name), identity_key(person.id), *(aliases or {}).get(person.uid, ()))
            )
            known = [piece for key in keys for piece in by_key.get(key, ())]
            pieces = [
                piece
                for piece in known
                if not any(piece.is_part_of(name) for name in whole)
                # "James" is James, where there is a Jame as well.
                and not (piece.is_owner and (piece.first, piece.last) in written)
            ]
            sure = (piece for piece in pieces if piece.key in relatives or self._is_person(piece, words, text))
            if (meant := next(sure, None)) is not None:
                found[person.uid] = meant.text
            elif runs_together(person.name) and identity_key(person.name) in identity_key(text):
                found[person.uid] = person.name
        return found

    def strangers(self, text: str, known: Iterable[Entity]) -> tuple[str, ...]:
        """Returns the full names in the text that belong to none of the known people, as written, each once.

        The first word of a sentence has a capital without being part of a name: "Cut Jane Doe's …" names Jane Doe.
        """
        words = self._split(text)
        names = [tuple(word.folded for word in _split(entity.name)) for entity in known]
        shouted = sum(word.capital for word in words) > max(_SHOUTED * len(words), LONGEST)
        found: dict[str, None] = {}
        place = 0
        while place < len(words):
            run = self._run(words, place)
            if _begins(words, place) and self._opens(run):
                place, run = place + 1, run[1:]
            if run and self._is_stranger(words, place, run, shouted=shouted):
                name = " ".join((*(word.text for word in run[:-1]), run[-1].bare))
                if not self._is_known(words, place, run, names) and not self._is_term(text, run):
                    found[name] = None
            place += max(len(run), 1)
        return tuple(found)

    def _opens(self, run: Sequence[_Word]) -> bool:
        """Whether the first word of a sentence is no part of the name behind it.

        Of two words, an everyday word may be a first name: "Ruth Jones". Then only words that order or ask are none.
        """
        first = run[0].folded if len(run) > 1 else ""
        everyday = len(run) > 2 and first not in self._also_words and first in ordinary_words()
        return first in self._opening or everyday

    def _is_known(
        self, words: Sequence[_Word], place: int, run: Sequence[_Word], names: Iterable[tuple[str, ...]]
    ) -> bool:
        """Whether the words are of a known name, or are the whole of one behind the first word of a sentence."""
        forms = [tuple(word.folded for word in run)]
        if run[-1].is_bare_owner:
            forms.append((*forms[0][:-1], forms[0][-1].removesuffix(_OWNED)))
        acts = words[place + len(run) : place + len(run) + 1]
        begins = _begins(words, place) and not (acts and acts[0].text in self._behind)
        return any(
            set(form) <= set(name)
            or (begins and len(name) > 1 and form[1:] == name)
            or abbreviates(" ".join(form), " ".join(name))
            for form in forms
            for name in names
        )

    def _is_person(self, piece: Slice, words: Sequence[_Word], text: str) -> bool:
        """Whether the words name a known person there, whose id or name is the key of the slice.

        Several words always do, and a single word that is no word of the language; any other by its capital and the
        words around it.
        """
        if piece.last - piece.first > 1:
            return True
        word = words[piece.first]
        if self._is_introduced(words, piece.first) or (word.is_owner and word.capital):
            return True
        if any(char.isdigit() for char in word.bare):
            return len(word.bare) >= _NUMBER_FROM if word.bare.isdigit() else not self._is_term(text, [word])
        if self._is_within_term(text, word):
            return False
        is_written_as_name = self._is_capital_name if word.capital else self._is_small_name
        return not self._is_of_language(piece.key) or is_written_as_name(piece, words)

    def _is_of_language(self, name: str) -> bool:
        """Whether a name is a word of the language, or of the lexicon, as well."""
        known = (self._never, self._also_words, self._terms)
        return len(name) < _SHORTEST or any(name in words for words in known) or name in ordinary_words()

    def _is_capital_name(self, piece: Slice, words: Sequence[_Word]) -> bool:
        """Whether a capital makes a person of a word of the language: within a sentence, or before what follows only a
        name.
        """
        place, word = piece.first, words[piece.first]
        behind = words[place + 1 : place + 2]
        if behind and not word.ends.strip() and behind[0].text in self._behind:
            return True
        before = words[place - 1] if place else None
        if piece.key in self._days or (word.text.isupper() and before is not None and before.text.isupper()):
            return False  # "in May"; a heading
        if before is None or _begins(words, place):
            return piece.is_owner or word.ends.strip()[:1] in {":", ","}
        return True

    def _is_small_name(self, piece: Slice, words: Sequence[_Word]) -> bool:
        """Whether a word of the language without a capital is a person: "mark has been sick", "mark's bag"."""
        place, word = piece.first, words[piece.first]
        if piece.key in self._never or piece.key in self._terms or piece.is_owner:
            return False
        behind = words[place + 1 : place + 2]
        acts = bool(behind) and not word.ends.strip() and behind[0].text in self._behind
        return word.is_owner or (acts and _begins(words, place))

    @cached_property
    def _terms(self) -> frozenset[str]:
        return frozenset(spelling.casefold() for *_, spelling in self._lexicon.spellings)

    def _is_within_term(self, text: str, word: _Word) -> bool:
        """Whether the word is a part of a longer term: "Bloody Mary"."""
        return any(
            start <= word.start and word.end <= end and end - start > word.end - word.start
            for start, end in self._terms_around(text, word.start, word.end)
        )

    def _is_introduced(self, words: Sequence[_Word], place: int) -> bool:
        return place > 0 and words[place - 1].folded in self._titles | self._nouns

    def _run(self, words: Sequence[_Word], first: int) -> list[_Word]:
        """Returns the words from here on that stand together as a name."""
        run: list[_Word] = []
        for word in takewhile(self._may_be_name, words[first : first + LONGEST]):
            run.append(word)
            if word.ends.strip() or word.is_owner:
                break
        return run

    def _may_be_name(self, word: _Word) -> bool:
        return word.capital and word.folded not in self._never and _PART.fullmatch(word.bare) is not None

    def _is_stranger(self, words: Sequence[_Word], place: int, run: Sequence[_Word], *, shouted: bool) -> bool:
        before = words[place - 1] if place and words[place - 1].ends.strip() in {"", "."} else None
        word = before.folded if before is not None else ""
        if word in self._clinicians or (shouted and not word):
            return False
        if word in self._titles:
            return True
        if len(run) < 2 or (shouted and all(item.text.isupper() for item in run)):
            return False
        if word not in self._nouns and 2 * sum(self._is_of_terms(item) for item in run) > len(run):
            return False
        behind = words[place + len(run) : place + len(run) + 1]
        told = run[-1].is_owner or bool(behind and not run[-1].ends.strip() and behind[0].text in self._behind)
        return word in self._nouns or (not shouted and (word in self._before or told))

    def _is_of_terms(self, word: _Word) -> bool:
        """Whether the word belongs to a term and is not also a name, as "Mary" of "Bloody Mary" is."""
        return word.folded in self._lexicon.words and word.folded not in self._also_words

    def _is_term(self, text: str, run: Sequence[_Word]) -> bool:
        """Whether a term of the lexicon stands in these words."""
        first, last = run[0].start, run[-1].end
        return any(start < last and end > first for start, end in self._terms_around(text, first, last))

    def _terms_around(self, text: str, first: int, last: int) -> Iterator[tuple[int, int]]:
        """Yields where terms of the lexicon stand near a place."""
        shift = max(first - 80, 0)
        for mention in self._linker.mentions(text[shift : last + 80]):
            yield mention.start + shift, mention.end + shift


def runs_together(text: str) -> bool:
    """Whether the text holds a script without spaces between words."""
    return not text.isascii() and any(unicodedata.category(char) == "Lo" for char in text)


@lru_cache(maxsize=8)
def _split(text: str) -> tuple[_Word, ...]:
    found = [
        (token.start() + token[0].index(bare), bare)
        for token in _TOKEN.finditer(text)
        if (bare := token[0].strip(_EDGES))
    ]
    words: list[_Word] = []
    for (start, said), following in zip_longest(found, found[1:]):
        end, own = start + len(said), _POSSESSIVE.sub("", said)
        ends = text[end : following[0]] if following else ""
        words.append(_Word(text=said, bare=own, folded=own.casefold().rstrip("."), start=start, end=end, ends=ends))
    return tuple(words)


def _begins(words: Sequence[_Word], place: int) -> bool:
    """Whether the word is the first of a sentence."""
    return place == 0 or _BEGINS.search(words[place - 1].ends) is not None


def _from(words: Sequence[_Word], first: int, text: str, longest: int) -> Iterator[Slice]:
    """Yields the slices of up to `longest` words that begin with this word."""
    for last in range(first + 1, min(first + longest, len(words)) + 1):
        begin, end = words[first], words[last - 1]
        spelt = text[begin.start : end.end]
        for form in dict.fromkeys(
            (spelt, _POSSESSIVE.sub("", spelt), spelt + text[end.end : end.end + 1].strip("!?:"))
        ):
            yield Slice(key=identity_key(form), text=_POSSESSIVE.sub("", spelt), first=first, last=last)
        if end.is_bare_owner:
            owner = spelt[: -len(_OWNED)]
            yield Slice(key=identity_key(owner), text=owner, first=first, last=last, is_owner=True)
        if end.ends.strip():
            if end.ends.strip() == "," and last == first + 1 and last < len(words):
                turned = f"{words[last].bare} {begin.text}"
                yield Slice(key=identity_key(turned), text=turned, first=first, last=last + 1)
            if end.ends.strip() != ".":  # "J. Doe" goes on behind its dot
                return
