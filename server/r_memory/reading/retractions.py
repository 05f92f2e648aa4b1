"""Which sentences take something back: they ask to forget it, end it, or say that it was wrong.

Knows the words of the language file alone (`retractions`); which recorded fact is meant is looked up by who knows the
record, and nothing is stored or ended by these words themselves.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from r_memory.domain.facts import Span
from r_memory.domain.schema import Language
from r_memory.reading.language import listed
from r_memory.reading.normalise import plain
from r_memory.text.sentences import stretches

__all__ = ["Retraction", "Retractions", "Taking"]

_DIGIT = re.compile(r"\d")
_LONGEST = 300
"""Most characters of a sentence that takes something back."""
_SHORT, _SHORTEST = 12, 6
"""Most words of a sentence that may refer to the statement before it, and of one that only gives a new number."""


_PEOPLE = ("female_kin", "male_kin", "female_partners", "male_partners")
"""Words for people of whom something is denied: "it's Mum who takes it, not Dad"."""


_BEFORE_A_NUMBER = "abbreviations", "before_a_number"


def _any(words: Iterable[str]) -> str:
    return "|".join(sorted(map(re.escape, words), key=len, reverse=True)) or "(?!)"


class Taking(StrEnum):
    """The way in which a sentence takes something back."""

    FORGETS = "forgets"
    FORGETS_ALL = "forgets everything"
    ENDS = "ends"
    CORRECTS = "corrects"
    RENUMBERS = "gives another number"
    MOVES = "says that a day or value is another one now"
    OVER = "says that something dated is done"
    FORGETS_LAST = "forgets what was said last"
    FORGETS_NAMED = "forgets what is named, if it is recorded"


_NAMING = frozenset({Taking.ENDS, Taking.FORGETS_NAMED, Taking.MOVES, Taking.OVER})
"""Ways that take back nothing but what the sentence names."""
_NEWS = frozenset({Taking.MOVES, Taking.OVER})
_FORGETTING = frozenset({Taking.FORGETS, Taking.FORGETS_ALL, Taking.FORGETS_LAST, Taking.FORGETS_NAMED})


@dataclass(frozen=True, slots=True, kw_only=True)
class Retraction:
    """A sentence that takes something back."""

    span: Span
    taking: Taking
    words: str
    """The words that may name what is taken back."""

    @property
    def forgets(self) -> bool:
        """Whether it asks to forget something, and gives nothing in its place."""
        return self.taking in _FORGETTING

    @property
    def names_it(self) -> bool:
        """Whether it takes back nothing but the thing that its words name."""
        return self.taking in _NAMING

    @property
    def is_news(self) -> bool:
        """Whether it tells what happened since, and is no correction: a caller may read it as a fact of its own."""
        return self.taking in _NEWS

    @property
    def may_mean_the_last(self) -> bool:
        """Whether the sentence is short enough to refer to the statement right before it."""
        return self.taking not in _NAMING and len(self.words.split()) <= _SHORT


class Retractions:
    """Finds retracting sentences in one language; none if the language has no `retractions`."""

    def __init__(self, language: Language) -> None:
        def words(name: str) -> str:
            return "|".join(sorted(map(re.escape, listed(language, "retractions", name)), key=len, reverse=True))

        def either(*names: str) -> str:
            return "|".join(filter(None, map(words, names)))

        opening = rf"\W*(?:(?:{words('openers') or '(?!)'})\b\W*)*"
        self._is_known = bool(listed(language, "retractions", "forgetting"))
        self._forgets = re.compile(rf"{opening}(?:{words('forgetting')})\b\W*(?P<rest>.*)", re.DOTALL)
        self._removes = re.compile(
            rf"{opening}(?:{words('removing')})\b\W*(?P<rest>.+?)\b(?:from|off|out of)\b.*\b(?:{words('records')})\b.*",
            re.DOTALL,
        )
        away, behind = words("away") or "(?!)", rf"(?:\W+(?:{words('trailing') or '(?!)'})\b)*\s*(?:[^\w\s'].*|\Z)"
        last = rf"(?:{words('last_said') or '(?!)'})\b"
        self._forgets_last = re.compile(
            rf"{opening}(?:(?:{either('erasing', 'forgetting') or '(?!)'})\W+{last}(?:\W+(?:{away})\b)?"
            rf"|(?:{words('removing')})\W+{last}\W+(?:{away})\b){behind}",
            re.DOTALL,
        )
        self._forgets_named = re.compile(
            rf"{opening}(?:{words('removing')})\b\W*(?P<rest>(?:[^,;:]|,(?=\d))+?)\b(?:{away})\b{behind}"
            rf"|{opening}(?:{words('erasing') or '(?!)'})\b\W*(?P<number>[^,;:]*\d.*)",
            re.DOTALL,
        )
        self._idiom = re.compile(rf"{opening}(?:{words('idioms') or '(?!)'})\b.*", re.DOTALL)
        self._all = re.compile(rf"(?:{words('everything')})\b.*", re.DOTALL)
        self._ends = re.compile(rf"{opening}(?:{words('ending')})\b\W*(?P<rest>.+)", re.DOTALL)
        people = [each for name in _PEOPLE for each in listed(language, "persons", name)]
        for name in listed(language, "persons", "called"):
            people += listed(language, "persons", "called", name)
        kin = "|".join(sorted(map(re.escape, people), key=len, reverse=True)) or "(?!)"
        self._corrects = re.compile(rf"\b(?:{words('wrong')}|not (?:\w+ ){{0,2}}(?:{kin})(?:'s)?)\b")
        self._denies = re.compile(rf"\W*(?:{either('denying', 'pausing')})\b")
        edge, behind = r"(?:\A|[^\w\s']\s*)", rf"(?=\s*(?:[^\w\s]|\Z)|\s+(?:{words('pointing') or '(?!)'}|\d))"
        opened = rf"{edge}(?:(?:{words('openers') or '(?!)'})\b\W*)*"
        firmly = rf"{opened}(?:{words('denying')})\b{behind}"
        self._contradicts = re.compile(rf"{firmly}|\b(?:{words('mistaking') or '(?!)'})\b")
        self._pauses = re.compile(
            rf"{opened}(?:{words('pausing') or '(?!)'})\b|\b(?:{words('pausing') or '(?!)'})\W*\Z"
        )
        self._moves = re.compile(rf"\b(?:{words('moving') or '(?!)'})\b")
        between = rf"(?:\W+(?:{words('over_between') or '(?!)'})\b)*\W+"
        done = rf"(?:{words('over') or '(?!)'})\b(?! by\b)"
        self._over = re.compile(
            rf"(?:\b|(?<=\w))(?:{words('over_being') or '(?!)'}){between}{done}"
            rf"|\b(?:{words('over_by') or '(?!)'})(?:\W*(?:{words('over_having') or '(?!)'}))?{between}{done}"
            rf"|\b(?:{words('over_plainly') or '(?!)'})\b"
        )
        self._numbering = re.compile(rf"(?<=[\w,;(]) *\b(?:{_any(listed(language, *_BEFORE_A_NUMBER))})\.(?=\s*\d)")
        self._why = re.compile(rf"[.;!?]\s+(?:{words('pointing') or '(?!)'})\b(?:\W+\w+){{0,{_SHORTEST}}}\W*\Z")
        self._points = re.compile(rf"\W*(?:{words('pointing') or '(?!)'})\b")
        self._adds = re.compile(rf"\b(?:{words('besides') or '(?!)'})\b")
        self._replaces = re.compile(rf"\b(?:{words('replacing') or '(?!)'})\b")
        behind = rf"(?P<old>(?:[^\s.;!?]+\s*){{1,{_SHORTEST}}})"
        self._instead = re.compile(rf"\b(?:{words('instead') or '(?!)'})\b\W*{behind}")

    def of(self, text: str) -> Iterator[Retraction]:
        """Yields the sentences of a text that take something back, in order."""
        start = 0
        for part in stretches(text) if self._is_known else ():
            found = self._taking(self._said(part)) if len(part) <= _LONGEST else None
            if found is not None:
                taking, words = found
                span = Span(start=start + len(part) - len(part.lstrip()), end=start + len(part.rstrip()))
                yield Retraction(span=span, taking=taking, words=words)
            start += len(part)

    def corrects(self, words: str) -> bool:
        """Whether the words say that what was said before was wrong."""
        return bool(self._corrects.search(plain(words).casefold()))

    def contradicts(self, words: str) -> bool:
        """Whether the words say plainly that what was said right before is another thing: "No, it's the left one"."""
        said = self._said(words)
        return self.corrects(words) or bool(self._contradicts.search(said) or self._instead.search(said))

    def breaks_off(self, words: str) -> bool:
        """Whether the words may correct what was said right before: they contradict it, or break off ("Sorry, …")."""
        return self.contradicts(words) or bool(self._pauses.search(plain(words).casefold().strip()))

    def points_back(self, words: str) -> bool:
        """Whether a short sentence begins with a word that points back at what was said: "That was gossip"."""
        said = plain(words).casefold().strip()
        return len(said.split()) <= _SHORTEST and self._points.match(said) is not None

    def adds(self, words: str) -> bool:
        """Whether the words put something beside what was said before: "Sorry, and beef as well"."""
        return bool(self._adds.search(plain(words).casefold()))

    def replaces(self, words: str) -> bool:
        """Whether the words say that something is another way now: moved, extended, raised."""
        return bool(self._replaces.search(plain(words).casefold()))

    def instead_of(self, words: str) -> tuple[str, ...]:
        """Returns the few words behind each denial: "9 June" in "19 June, not 9 June"."""
        return tuple(found["old"] for found in self._instead.finditer(plain(words).casefold()))

    def _said(self, words: str) -> str:
        """The words in the form in which they are compared, without what only numbers something: "claim no. 4417"."""
        return self._numbering.sub("", plain(words).casefold()).strip()

    def _forgotten(self, sentence: str) -> tuple[Taking, str] | None:
        """How a sentence asks to forget something, and the words that may name it; `None` if it does not."""
        if self._forgets_last.fullmatch(sentence):
            return Taking.FORGETS_LAST, ""
        if found := self._forgets.fullmatch(sentence) or self._removes.fullmatch(sentence):
            rest = self._why.sub("", found["rest"])
            return (Taking.FORGETS_ALL if self._all.fullmatch(rest) else Taking.FORGETS), rest
        if found := self._forgets_named.fullmatch(sentence):
            return Taking.FORGETS_NAMED, found["rest"] or found["number"]
        return None

    def _taking(self, sentence: str) -> tuple[Taking, str] | None:
        if self._idiom.fullmatch(sentence):
            return None
        if forgotten := self._forgotten(sentence):
            return forgotten
        if found := self._ends.fullmatch(sentence):
            return Taking.ENDS, found["rest"]
        is_short = len(sentence.split()) <= _SHORTEST
        ways = (
            (Taking.CORRECTS, self._corrects.search(sentence)),
            (Taking.MOVES, self._moves.search(sentence)),
            (Taking.OVER, self._over.search(sentence)),
            (Taking.RENUMBERS, is_short and self._denies.match(sentence) and _DIGIT.search(sentence)),
        )
        return next(((taking, sentence) for taking, is_so in ways if is_so), None)
