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
_SPELT_FROM = 3
_NUMBERED = 2
"""Units of an item's number with its full stop, and digits of the number."""
_HEADING = 3
"""Most units of a heading behind a bullet in the middle of a line."""
_LONG = 150
_LONGEST = 200
"""Units from which a sentence ends at a comma, and at which it is cut. Readers compare all its words."""
_PAUSES = frozenset({",", ";", ":"})
_CUT = "cut"
"""Stands for the ending mark of a sentence that was cut for its length."""
_RUN_ON = 25
"""Units after which a sentence without a full stop ends at a word that opens a new one."""


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


def spelt_out(found: Iterable[Unit]) -> Iterator[Unit]:
    """Yields the units, with three or more single letters in a row as one word: "N A S A I D"."""
    run: list[Unit] = []
    for unit in found:
        if unit.mention is None and len(unit.word) == 1 and unit.word.isalpha():
            run.append(unit)
            continue
        yield from _joined(run)
        run = []
        yield unit
    yield from _joined(run)


def _joined(run: Sequence[Unit]) -> Sequence[Unit]:
    if len(run) < _SPELT_FROM:
        return run
    word = "".join(unit.word for unit in run)
    return (Unit(word=word, words=(word,), start=run[0].start, end=run[-1].end, capital=run[0].capital),)


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
        self._fillers = pack.phrases("fillers")
        self._stammered = pack.words("stammered")
        self._openers = pack.phrases("openers")
        self._linking = pack.words("linking_verbs") | pack.words("persons", "helping")
        self._breaks = pack.words("clause_breaks")
        self._joiners = pack.words("joiners")
        self._subjects = pack.words("clause_subjects")
        self._possessives = pack.words("possessives")
        self._kin = pack.words("kin")
        self._short, self._never_last = (pack.words("abbreviations", name) for name in ("before_small", "never_last"))
        self._numbering = pack.words("abbreviations", "before_a_number")

    def sentences(self, found: Sequence[Unit]) -> Iterator[Sentence]:
        """Yields the sentences of a text, in order."""
        line, apart = True, False
        for part, mark in self._parts(found):
            kept = tuple(self._without_fillers([unit for unit in part if "\n" not in unit.word]))
            if kept:
                asks = kept[-1].word == "?"
                yield Sentence(units=kept, clauses=self._clauses(kept), asks=asks, line=line, apart=apart)
                line, apart = line and mark == _CUT, False  # the rest of a list stays under its heading
            line = line or "\n" in mark
            apart = apart or mark == "\n\n"

    def _parts(self, found: Sequence[Unit]) -> Iterator[tuple[list[Unit], str]]:
        """Yields the units up to each end, and the ending mark."""
        words = [unit.word for unit in found]
        part: list[Unit] = []
        for index, unit in enumerate(found):
            headed = bool(part) and _begins_item(found, index)
            if headed or self._opens(words, index, len(part)):
                yield part, "\n" if headed else ""
                part = []
            following = found[index + 1] if index + 1 < len(found) else None
            if self._shortens(found, index):
                continue
            part.append(unit)
            if _ends(part, following):
                yield part, unit.word
                part = []
            elif len(part) >= (_LONG if unit.word in _PAUSES else _LONGEST):
                yield part, _CUT
                part = []
        if part:
            yield part, ""

    def _shortens(self, found: Sequence[Unit], index: int) -> bool:
        """Whether a dot belongs to an abbreviation within a sentence: "max. 5 %", not "for 5 min." """
        if found[index].word != "." or not 0 < index < len(found) - 1:
            return False
        short, following = found[index - 1], found[index + 1]
        if short.end != found[index].start or "\n" in following.word:
            return False
        counted = index > 1 and found[index - 2].word[-1].isdigit()
        small = not following.capital and not counted and short.word in self._short
        behind_a_word = index > 1 and found[index - 2].word[-1].isalpha()
        numbers = behind_a_word and following.word[0].isdigit() and short.word in self._numbering
        return small or numbers or short.word in self._never_last

    def _opens(self, words: Sequence[str], index: int, length: int) -> bool:
        """Whether "okay" or the like opens a sentence in speech without full stops; not in "that is okay"."""
        if length < 4 or self._openers.at(words, index) is None or words[index - 1] in self._linking:
            return False
        return words[index - 1] not in self._joiners or length > _RUN_ON

    def _without_fillers(self, part: Sequence[Unit]) -> list[Unit]:
        """Returns the units without "um" and its commas, doubled commas and stammered words."""
        words = [unit.word for unit in part]
        skipped = {
            at
            for found in self._fillers.longest(words)
            for at in range(found.start, found.end)
            if words[at - 1] != "the" or not at  # "to the ER"
        }
        kept: list[Unit] = []
        after_filler = False
        for index, unit in enumerate(part):
            if index in skipped:
                after_filler = True
                if kept and kept[-1].word == "," and not _names(kept[-2:-1]):
                    kept.pop()
            elif not self._superfluous(kept, unit, after_filler=after_filler):
                kept.append(unit)
                after_filler = False
        return kept

    def _superfluous(self, kept: Sequence[Unit], unit: Unit, *, after_filler: bool) -> bool:
        repeated = bool(kept) and kept[-1].word == unit.word
        if unit.word == ",":
            return repeated or not kept or (after_filler and not _names(kept[-1:]))
        return repeated and unit.word in self._stammered

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


def _names(found: Sequence[Unit]) -> bool:
    return any(unit.mention is not None for unit in found)


def _ends(part: Sequence[Unit], following: Unit | None) -> bool:
    unit = part[-1]
    if "\n" in unit.word:
        return unit.word == "\n\n" or not _wrapped(part, following)
    if unit.word[0] not in _ENDS or len(unit.word) > 3 or _numbers(part) or _doubts(part, following):
        return False
    if following is not None and following.word == "?" and following.start > unit.end:
        return True  # "Hiatus hernia. ?Barrett's"
    return following is None or (following.word[0] not in _ENDS and following.word not in _CLOSING)


def _begins_item(found: Sequence[Unit], index: int) -> bool:
    """Whether a bullet with a heading stands in the middle of a line: "- Allergies: latex - Medicines: …"."""
    if found[index].word not in _BULLETS or found[index].start == found[index - 1].end:
        return False
    heading = [unit.word for unit in found[index + 1 : index + 2 + _HEADING]]
    return ":" in heading[1:] and found[index + 1].capital


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
