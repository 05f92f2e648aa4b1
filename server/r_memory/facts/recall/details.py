"""Plain details in which a draft differs from a recorded fact: the other side of the body, a volume above a limit, the
dose of another weekday, another hour of a noted day, another way than the only one that is allowed. Pure; the words are
the language's.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from r_memory.domain.blocks import Line, MatchLevel
from r_memory.domain.facts import Fact
from r_memory.domain.schema import Language
from r_memory.facts.naming import FactNames
from r_memory.facts.recall.amounts import Amount, Amounts
from r_memory.facts.recall.clock import ClockHours
from r_memory.reading.language import either, listed
from r_memory.text.sentences import clauses, stretches

__all__ = ["Details", "DraftDetail"]

_WORD = re.compile(r"\w+")
_VOLUME = "L"
_SLACK = 1e-6
_LETTERS = 5
"""First letters by which "replaced" and "replacement" are one."""


@dataclass(frozen=True, slots=True)
class DraftDetail:
    """A recorded fact, and where the draft differs from it."""

    line: Line
    place: int
    sure: bool
    """Whether the fact forbids what the draft says."""


class Details:
    """Compares details of drafts with facts, in one language."""

    def __init__(self, language: Language, names: FactNames) -> None:
        words = partial(listed, language, "drafts")
        self._names = names
        self._amounts = Amounts(language)
        self._clock = ClockHours(language)
        self._not_done = re.compile(rf"(?<![^\W_])(?:{either(words('not_done'))})(?!\w)", re.IGNORECASE)
        self._sides = _table(language, "drafts", "side_words")
        parts = either((*words("sided"), *words("sided_more")))
        self._sided = re.compile(rf"(?<![\w.])({either(self._sides)})\W+(?:\w+\W+)?({parts})\b", re.IGNORECASE)
        self._fluid = re.compile(rf"\b(?:{either(words('fluids'))})\b", re.IGNORECASE)
        units = either(_spelt(language, _VOLUME))
        # "can have up to 1.2 litres", and nothing said of what.
        volume, of = either((*_spelt(language, _VOLUME), *words("half_more"))), either(words("made_of"))
        allowing = either(words("allowing"))
        self._allowed = re.compile(rf"\b(?:{allowing})\b.*\b(?:{volume})\b(?!\s+(?:{of})\b)", re.IGNORECASE)
        halves = rf"\b(?:{either(words('single'))})\s+({units})\s+(?:{either(words('half_more'))})(?!\w)"
        self._half_more = re.compile(halves, re.IGNORECASE)
        self._one = re.compile(rf"\b(?:{either(words('single'))})\s+(?=(?:{units})\b)", re.IGNORECASE)
        self._days = _table(language, "dates", "week")
        self._day = re.compile(rf"\b(?:{either(self._days)})\b", re.IGNORECASE)
        self._other_days = re.compile(rf"\b(?:{either(words('other_days'))})\b", re.IGNORECASE)
        self._ways = _table(language, "drafts", "ways")
        way, only = either(self._ways), either(words("only"))
        between = either(words("by_way_of"))
        self._only = re.compile(
            rf"\b({way})\s+(?:{only})\b|\b(?:{only})\s+(?:(?:{between})\s+)*({way})\b", re.IGNORECASE
        )
        self._going = _table(language, "drafts", "goes_by")
        self._goes = re.compile(rf"\b({either(self._going)})\b", re.IGNORECASE)

    def otherwise(self, text: str, lines: Sequence[Line]) -> Iterator[DraftDetail]:
        """The facts from which a draft differs in a detail, each with the place in the draft."""
        standing = [
            line for line in lines if line.rank != "past" and line.contrary is None and not line.fact.is_absence
        ]
        yield from self._other_sides(text, standing)
        days = {self._days[found.casefold()] for found in self._day.findall(text)}
        day = next(iter(days)) if len(days) == 1 else ""
        for line in standing:
            if line.replaced_by:
                continue
            for place, sure in (
                (self._too_much(text, line.fact), True),
                (self._of_another_day(text, line.fact, day) if day else None, False),
                (self._another_way(text, line), True),
                (self._another_hour(text, line), False),
            ):
                if place is not None:
                    yield DraftDetail(line, place, sure)

    def _other_sides(self, text: str, lines: Sequence[Line]) -> Iterator[DraftDetail]:
        """The facts of a part of the body of whose other side the draft says what they say."""
        told = list(self._sides_in(text))
        known = [(line, dict(_pairs(self._sides_in(_words_of(line.fact))))) for line in lines if told]
        sides = {(part, side) for _, own in known for part, side in own.items()}
        for line, own in known:
            for part, side, place in told:
                if own.get(part, side) == side or (part, side) in sides:
                    continue
                sentence = next(part for part, end in _placed(text) if place < end)
                if self._starts(sentence, part) & self._starts(_words_of(line.fact), part):
                    yield DraftDetail(line, place, sure=False)

    def _starts(self, words: str, part: str) -> frozenset[str]:
        """The first letters of what words tell beside a part of the body and its side."""
        telling = self._names.telling(words) - self._names.telling(" ".join((part, *self._sides)))
        return frozenset(word[:_LETTERS] for word in telling)

    def _sides_in(self, text: str) -> Iterator[tuple[str, str, int]]:
        """Each part of the body with its side and place."""
        for found in self._sided.finditer(text):
            yield found[2].casefold().rstrip("s"), self._sides[found[1].casefold()], found.start()

    def _too_much(self, text: str, limit: Fact) -> int | None:
        """Where the draft gives a volume of something to drink above a recorded limit for it; `None` if it does not."""
        most = limit.attrs.get("max")
        if isinstance(most, str | bool) or most is None or self._fluid.search(_words_of(limit)) is None:
            return None
        start = 0
        for sentence in stretches(text):
            amount = self._amounts.read(self._in_figures(sentence))
            drinks = self._fluid.search(sentence) or self._allowed.search(sentence)
            if drinks and amount is not None and amount.kind == _VOLUME and self._amounts.breaks(amount, limit):
                return start
            start += len(sentence)
        return None

    def _in_figures(self, words: str) -> str:
        """The words with "a litre and a half" in figures."""
        return self._one.sub("1 ", self._half_more.sub(r"1.5 \1", words))

    def _of_another_day(self, text: str, known: Fact, day: str) -> int | None:
        """Where the draft gives the dose of another weekday than this, the only one that it names; `None` if it does
        not.
        """
        by_day = self._by_day(" ".join(str(value) for value in known.attrs.values()))
        name = self._names.telling(known.object.name)
        if not by_day:
            return None
        due = by_day.get(day, by_day.get(""))
        start = 0
        for sentence in stretches(text):
            given = self._amounts.read(sentence) if name & self._names.telling(sentence) else None
            if given is not None and due is not None and given.kind == due.kind and abs(given.size - due.size) > _SLACK:
                return start
            start += len(sentence)
        return None

    def _by_day(self, words: str) -> Mapping[str, Amount]:
        """The dose of each weekday that the words name; that of the other days under the empty name."""
        doses: dict[str, Amount] = {}
        for part in re.split(r"[,;]", words):
            amount = self._amounts.read(part)
            days = [self._days[found.casefold()] for found in self._day.findall(part)]
            others = [""] if self._other_days.search(part) else []
            if amount is not None:
                doses |= dict.fromkeys((*days, *others), amount)
        return doses

    def _another_way(self, text: str, line: Line) -> int | None:
        """Where the draft goes another way than the only one that a sentence allows; `None` if it does not."""
        found = self._only.search(line.fact.evidence or line.fact.object.name)
        if found is None or line.rank not in {"critical", "unconfirmed"}:
            return None
        allowed, start = self._ways[(found[1] or found[2]).casefold()], 0
        for clause in (clause for sentence in stretches(text) for clause in clauses(sentence)):
            ways = [(self._going[way[1].casefold()], way.start()) for way in self._goes.finditer(clause)]
            others = [at for way, at in ways if way != allowed]
            if others and len(others) == len(ways) and self._not_done.search(clause[: others[0]]) is None:
                return start + others[0]
            start += len(clause)
        return None

    def _another_hour(self, text: str, line: Line) -> int | None:
        """Where the draft gives what is noted for a day that it names another hour of it; `None` if it does not."""
        if all(match.level is not MatchLevel.DAY for match in line.matches):
            return None
        name, start = self._names.telling(line.fact.object.name), 0
        known = [line.fact.evidence, *(str(value) for value in line.fact.attrs.values())]
        for sentence in stretches(text):
            if name and name <= self._names.telling(sentence) and self._clock.is_another(sentence, known):
                return start
            start += len(sentence)
        return None


def _pairs(found: Iterator[tuple[str, str, int]]) -> Iterator[tuple[str, str]]:
    return ((part, side) for part, side, _ in found)


def _placed(text: str) -> Iterator[tuple[str, int]]:
    """Each sentence with the position of its end."""
    end = 0
    for sentence in stretches(text):
        end += len(sentence)
        yield sentence, end


def _words_of(fact: Fact) -> str:
    return f"{fact.object.name}. {fact.evidence}"


def _table(language: Language, *path: str) -> Mapping[str, str]:
    """The key of each word in a table of lists."""
    return {word.casefold(): key for key in listed(language, *path) for word in listed(language, *path, key)}


def _spelt(language: Language, unit: str) -> list[str]:
    return [word for word, name in _table(language, "units").items() if name == unit]
