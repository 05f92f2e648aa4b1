"""Sentences and clauses of an utterance, as units: words, marks, and terms of the lexicon taken as one.

Knows where a statement begins and ends, not what it states.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from r_memory.extraction.language import Language
from r_memory.extraction.tokens import Token
from r_memory.protocols import Mention

_ENDS = frozenset(".!?…")
_CLOSING = frozenset({")", "]", '"', "'"})
_BULLETS = frozenset({"-", "*", "•", "·", "–"})
_LONGEST = 60
"""Units after which a sentence without a full stop is cut at the next word that opens a new one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """A word, a mark, or a term."""

    word: str
    """Small letters; the words of a term joined by spaces."""
    words: tuple[str, ...]
    start: int
    end: int
    capital: bool = False
    mention: Mention | None = None

    @property
    def is_word(self) -> bool:
        """Not a mark."""
        return self.word[:1].isalnum() or self.mention is not None or self.word[:1] == "'"


@dataclass(frozen=True, kw_only=True)
class Sentence:
    """One statement, question or line."""

    units: tuple[Unit, ...]
    clauses: tuple[int, ...]
    """Number of the clause of each unit."""
    start: int
    end: int
    asks: bool = False
    """Ends with a question mark."""
    line: bool = True
    """Begins a line."""
    apart: bool = False
    """A blank line stands before it."""

    @cached_property
    def words(self) -> tuple[str, ...]:
        """One for each unit."""
        return tuple(unit.word for unit in self.units)

    def clause(self, position: int) -> tuple[int, int]:
        """First unit of the clause around the position, and the one after its last."""
        number = self.clauses[min(position, len(self.clauses) - 1)]
        first = self.clauses.index(number)
        last = len(self.clauses) - self.clauses[::-1].index(number)
        return first, last

    def words_between(self, first: int, last: int) -> tuple[str, ...]:
        """The words of units `first` to `last` (excluded)."""
        return self.words[max(first, 0) : max(last, 0)]


def units(tokens: Sequence[Token], mentions: Sequence[Mention]) -> Iterator[Unit]:
    """Tokens, with those of a term joined."""
    waiting = iter((*mentions, None))
    mention = next(waiting)
    held: list[Token] = []
    for token in tokens:
        if mention is not None and mention.start <= token.start < mention.end:
            held.append(token)
            if token.end < mention.end:
                continue
            yield _term(held, mention)
            held, mention = [], next(waiting)
        else:
            yield Unit(
                word=token.word, words=(token.word,), start=token.start, end=token.end, capital=token.capital
            )


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


def sentences(found: Sequence[Unit], language: Language) -> Iterator[Sentence]:
    """The sentences of a text, in order."""
    line, apart = True, False
    for part, end_mark in _parts(found, language):
        kept = tuple(_without_fillers([unit for unit in part if "\n" not in unit.word], language))
        if kept:
            yield Sentence(
                units=kept,
                clauses=_clauses(kept, language),
                start=kept[0].start,
                end=kept[-1].end,
                asks=kept[-1].word == "?",
                line=line,
                apart=apart,
            )
            line, apart = False, False
        line = line or "\n" in end_mark
        apart = apart or "\n\n" in end_mark


def _parts(found: Sequence[Unit], language: Language) -> Iterator[tuple[list[Unit], str]]:
    """Units up to each end, and the mark that ended them."""
    part: list[Unit] = []
    for index, unit in enumerate(found):
        following = found[index + 1] if index + 1 < len(found) else None
        if _opens(part, unit, language):
            yield part, ""
            part = []
        part.append(unit)
        if _ends(unit, following, part):
            yield part, unit.word
            part = []
    if part:
        yield part, ""


def _ends(unit: Unit, following: Unit | None, part: Sequence[Unit]) -> bool:
    if "\n" in unit.word:
        return unit.word == "\n\n" or not _wrapped(part, following)
    if unit.word[0] not in _ENDS:
        return False
    return following is None or (following.word[0] not in _ENDS and following.word not in _CLOSING)


def _wrapped(part: Sequence[Unit], following: Unit | None) -> bool:
    """A line that only ran out of room: the next goes on in small letters and is no item of a list."""
    if following is None or len(part) < 8 or following.capital or following.word in _BULLETS:
        return False
    return following.word[0].isalpha() and part[-2].word not in {":", ";"}


def _opens(part: Sequence[Unit], unit: Unit, language: Language) -> bool:
    """In speech without full stops, "okay" and its like begin something new."""
    return len(part) > 3 and unit.word in language.openers and (len(part) > 25 or part[-1].word not in {",", "and"})


def _without_fillers(part: Sequence[Unit], language: Language) -> Iterator[Unit]:
    """Units without "um" and the commas around it, without doubled commas and stammered words."""
    before: Unit | None = None
    filler = False
    for unit in part:
        if unit.word in language.fillers:
            filler = True
            continue
        if before is not None and unit.word == before.word and (unit.word == "," or unit.word in language.stammered):
            continue
        if filler and unit.word == "," and before is not None and before.mention is None:
            filler = False
            continue
        filler = False
        before = unit
        yield unit


def _clauses(found: Sequence[Unit], language: Language) -> tuple[int, ...]:
    number = 0
    numbers: list[int] = []
    for index, unit in enumerate(found):
        if index and _breaks(found, index, language):
            number += 1
        numbers.append(number)
        if unit.word == ";":
            number += 1
    return tuple(numbers)


def _breaks(found: Sequence[Unit], index: int, language: Language) -> bool:
    """Whether a clause begins at the unit: "but", or "and", "so" or a comma with somebody new behind it."""
    word = found[index].word
    if word in language.clause_breaks:
        return True
    following = found[index + 1].word if index + 1 < len(found) else ""
    after = found[index + 2].word if index + 2 < len(found) else ""
    if word == ",":
        return following in language.clause_subjects or (
            following in language.joiners and after in language.clause_subjects
        )
    if word in language.joiners:
        return found[index - 1].word != "," and (
            following in language.clause_subjects or (following in language.possessives and after in language.kin)
        )
    return False


def shifted(sentence: Sentence, by: int) -> Sentence:
    """The same sentence, so many characters further on."""
    moved = tuple(
        replace(
            unit,
            start=unit.start + by,
            end=unit.end + by,
            mention=None
            if unit.mention is None
            else replace(unit.mention, start=unit.mention.start + by, end=unit.mention.end + by),
        )
        for unit in sentence.units
    )
    return replace(sentence, units=moved, start=sentence.start + by, end=sentence.end + by)
