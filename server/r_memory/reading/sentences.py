"""Sentences and clauses of an utterance, as units: words, marks, and terms of the lexicon taken as one.

Knows where a statement begins and ends, not what it states.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from r_memory.protocols import Mention
from r_memory.reading.language import LanguagePack
from r_memory.text.cutting import Token

_ENDS = frozenset(".!?…")
_CLOSING = frozenset({")", "]", '"', "'"})
_BULLETS = frozenset({"-", "*", "•"})
_BEFORE_DOUBT = frozenset({":", ",", "(", "-", ";"})
_NUMBERED = 2
"""Units of an item's number with its full stop, and digits of the number."""
_LONG = 150
_LONGEST = 200
"""Units from which a sentence ends at a comma, and at which it is cut. Readers compare all its words."""
_PAUSES = frozenset({",", ";", ":"})
_CUT = "cut"
"""Stands for the ending mark of a sentence that was cut for its length."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """A word, a mark, or a term."""

    word: str
    """In small letters; the words of a term joined by spaces."""
    words: tuple[str, ...]
    start: int
    end: int
    capital: bool = False
    mention: Mention | None = None

    @property
    def is_word(self) -> bool:
        """Whether it is no mark."""
        return self.mention is not None or self.word[0].isalnum() or (self.word[0] == "'" and len(self.word) > 1)


@dataclass(frozen=True, kw_only=True)
class Sentence:
    """One statement, question or line."""

    units: tuple[Unit, ...]
    clauses: tuple[int, ...]
    """Clause number of each unit."""
    asks: bool = False
    """It ends with a question mark."""
    line: bool = True
    """It begins a line."""
    apart: bool = False
    """A blank line stands before it."""

    @property
    def start(self) -> int:
        """Offset of the first character in the utterance."""
        return self.units[0].start

    @property
    def end(self) -> int:
        """Offset behind the last character."""
        return self.units[-1].end

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The word of each unit."""
        return tuple(unit.word for unit in self.units)

    def terms(self, types: Collection[str]) -> Iterator[tuple[int, Mention]]:
        """Yields the terms of these types, each with the index of its unit."""
        for position, unit in enumerate(self.units):
            if unit.mention is not None and unit.mention.type in types:
                yield position, unit.mention

    def clause(self, position: int) -> tuple[int, int]:
        """Returns the first unit of the clause around the position, and the index behind its last."""
        number = self.clauses[min(position, len(self.clauses) - 1)]
        first = self.clauses.index(number)
        last = len(self.clauses) - self.clauses[::-1].index(number)
        return first, last


def units(tokens: Sequence[Token], mentions: Iterable[Mention]) -> Iterator[Unit]:
    """Yields the tokens as units, with the tokens of a term joined."""
    waiting = iter(mentions)
    mention = next(waiting, None)
    held: list[Token] = []
    for token in tokens:
        if mention is None or not mention.start <= token.start < mention.end:
            yield Unit(word=token.word, words=(token.word,), start=token.start, end=token.end, capital=token.capital)
            continue
        held.append(token)
        if token.end >= mention.end:
            yield _term(held, mention)
            held, mention = [], next(waiting, None)


def _term(tokens: Sequence[Token], mention: Mention) -> Unit:
    words = tuple(token.word for token in tokens)
    return Unit(
        word=" ".join(words),
        words=words,
        start=mention.start,
        end=mention.end,
        capital=tokens[0].capital,
        mention=mention,
    )


class Splitter:
    """Splits units into sentences, in one language."""

    def __init__(self, pack: LanguagePack) -> None:
        self._breaks = pack.words("clause_breaks")
        self._joiners = pack.words("joiners")
        self._subjects = pack.words("clause_subjects")
        self._possessives = pack.words("possessives")
        self._kin = pack.words("kin")

    def sentences(self, found: Sequence[Unit]) -> Iterator[Sentence]:
        """Yields the sentences of a text, in order."""
        line, apart = True, False
        for part, mark in self._parts(found):
            kept = tuple(unit for unit in part if "\n" not in unit.word)
            if kept:
                asks = kept[-1].word == "?"
                yield Sentence(units=kept, clauses=self._clauses(kept), asks=asks, line=line, apart=apart)
                line, apart = line and mark == _CUT, False  # the rest of a list stays under its heading
            line = line or "\n" in mark
            apart = apart or mark == "\n\n"

    def _parts(self, found: Sequence[Unit]) -> Iterator[tuple[list[Unit], str]]:
        """Yields the units up to each end, and the ending mark."""
        part: list[Unit] = []
        for index, unit in enumerate(found):
            following = found[index + 1] if index + 1 < len(found) else None
            part.append(unit)
            if _ends(part, following):
                yield part, unit.word
                part = []
            elif len(part) >= (_LONG if unit.word in _PAUSES else _LONGEST):
                yield part, _CUT
                part = []
        if part:
            yield part, ""

    def _clauses(self, found: Sequence[Unit]) -> tuple[int, ...]:
        number = 0
        numbers: list[int] = []
        for index, unit in enumerate(found):
            if index and self._begins_clause(found, index):
                number += 1
            numbers.append(number)
            number += unit.word == ";"
        return tuple(numbers)

    def _begins_clause(self, found: Sequence[Unit], index: int) -> bool:
        """Whether a clause begins here: at "but", or at "and" or a comma before a new person."""
        word = found[index].word
        if word in self._breaks:
            return True
        if word == ",":
            return self._somebody(found, index + 1) or (
                index + 1 < len(found) and found[index + 1].word in self._joiners and self._somebody(found, index + 2)
            )
        return word in self._joiners and found[index - 1].word != "," and self._somebody(found, index + 1)

    def _somebody(self, found: Sequence[Unit], index: int) -> bool:
        if index >= len(found):
            return False
        if found[index].word in self._subjects:
            return True
        return found[index].word in self._possessives and index + 1 < len(found) and found[index + 1].word in self._kin


def _ends(part: Sequence[Unit], following: Unit | None) -> bool:
    unit = part[-1]
    if "\n" in unit.word:
        return unit.word == "\n\n" or not _wrapped(part, following)
    if unit.word[0] not in _ENDS or len(unit.word) > 3 or _numbers(part) or _doubts(part, following):
        return False
    if following is not None and following.word == "?" and following.start > unit.end:
        return True  # "Hiatus hernia. ?Barrett's"
    return following is None or (following.word[0] not in _ENDS and following.word not in _CLOSING)


def _numbers(part: Sequence[Unit]) -> bool:
    """Whether the part is the number of an item: "Allergies: 1. latex 2. eggs"."""
    if len(part) < _NUMBERED or part[-1].word != "." or not part[-2].word.isdigit() or len(part[-2].word) > _NUMBERED:
        return False
    headed = len(part) == _NUMBERED + 1 and part[-2].word == "1"  # "Allergies 1. latex"
    return len(part) == _NUMBERED or headed or part[-3].word == ":" or part[-3].mention is not None


def _doubts(part: Sequence[Unit], following: Unit | None) -> bool:
    """Whether a question mark stands before a name, as in notes: "Allergy: ? penicillin"."""
    if part[-1].word != "?" or following is None or not following.is_word:
        return False
    return part[-2].word in _BEFORE_DOUBT if len(part) > 1 else following.start == part[-1].end


def _wrapped(part: Sequence[Unit], following: Unit | None) -> bool:
    """Whether the line was only wrapped: the next goes on in small letters and is no list item."""
    if following is None or len(part) < 10 or following.capital or following.word in _BULLETS:
        return False
    return following.word[0].isalpha() and part[-2].word not in {":", ";"}
