"""Finds recorded facts by words that name them: "the March date", "my rent".

Pure; it knows neither the caller nor what happens to the fact.
"""

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping
from fractions import Fraction
from math import ceil

from r_memory.domain.facts import RISK, Fact
from r_memory.domain.schema import Schema
from r_memory.protocols import Linker
from r_memory.reading.language import listed
from r_memory.reading.normalise import plain

__all__ = ["BY_DETAIL", "BY_THING", "BY_WORDS", "FactNames"]

_WORD = re.compile(r"\d{1,3}(?:,\d{3})+(?!\d)|\w+")
"""A word, or a number with its separators of thousands."""
_SPOKEN = re.compile(r"\w+(?:['.-]\w+)*")
_NAMING = re.compile(r"\d{1,3}(?:,\d{3})+(?!\d)|\w+(?:'\w+)?")
_ENDING = re.compile(r"(?<=\w{4})(?:ing|ed|e)$")
_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")
_AMOUNT = re.compile(r"(?P<number>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)(?P<scale>[^\W\d_]+)?")
_DAY = re.compile(r"\d{4}-(?P<month>\d\d)-(?P<day>\d\d)")
_ORDINAL = re.compile(r"(?<=\d)(?:st|nd|rd|th)$")
_MONTH = re.compile(r"\d{4}-(\d{2})(?:-\d{2})?")
_MONEY = "Sc"
"""Unicode category of the signs that stand before a sum."""
_FEW = 2
"""Significant words that a text must have all of to tell what they name."""
BY_THING, BY_DETAIL, BY_WORDS = 4, 2, 1
"""Weight of a word that names the fact's thing, stands in a detail of the fact, or in the words it was read in."""


class FactNames:
    """Finds recorded facts by words that name them, under one schema."""

    def __init__(self, schema: Schema, linker: Linker) -> None:
        self._linker = linker
        self._light = frozenset((*listed(schema.language, "common"), *listed(schema.language, "things", "light")))
        self._linking = frozenset(listed(schema.language, "linking_verbs"))
        told = ("not_a_name",), ("retractions", "referring")
        scales = schema.language.sections.get("money_scales")
        self.scales: Mapping[str, float] = (
            {str(name): float(value) for name, value in scales.items()} if isinstance(scales, Mapping) else {}
        )
        """How many times larger a number is by what is written behind it: `k`."""
        self._referring = self._light.union(*(listed(schema.language, *path) for path in told))
        joiners = "|".join(map(re.escape, listed(schema.language, "joiners")))
        self._parting = re.compile(rf"[;:.]\s+|,?\s+(?:{joiners})\s+|,\s+", re.IGNORECASE)
        months = schema.language.sections.get("dates")
        named = months.get("months") if isinstance(months, Mapping) else None
        self._months = (
            {f"{int(str(number)):02}": frozenset(map(str, names)) for number, names in named.items()}
            if isinstance(named, Mapping)
            else {}
        )

    def told(self, text: str) -> frozenset[str]:
        """The words of a text by their stems, and its amounts in plain figures: `60000` of "60k" and of "60,000"."""
        said = text.casefold()
        return _stems(said) | frozenset(self.sums(said))

    def sums(self, text: str) -> Mapping[str, str]:
        """The sums of a text as written, by their plain figures: `60000` of "60k", "£60000" and of "60,000"."""
        sums: dict[str, str] = {}
        for found in _AMOUNT.finditer(text):
            number, scale = found["number"], (found["scale"] or "").casefold()
            sign = unicodedata.category(text[found.start() - 1 : found.start()] or " ")
            if "," in number or scale in self.scales or sign == _MONEY:
                sums.setdefault(f"{float(number.replace(',', '')) * self.scales.get(scale, 1):.0f}", found[0])
        return sums

    def named(self, words: str, facts: Iterable[Fact], *, least: int = BY_WORDS) -> tuple[Fact, ...]:
        """The facts with the highest score for the words; several if their scores are equal.

        Empty if the highest score is below `least`.
        """
        light = frozenset(map(_stem, self._light))
        wanted = self.told(words) - light
        terms = frozenset(mention.name.casefold() for mention in self._linker.mentions(words))
        facts = tuple(facts)
        weights = {fact.fact_id: self._weight(fact, wanted, terms) for fact in facts}
        most = max(weights.values(), default=0)
        found = [fact for fact in facts if most >= least and weights[fact.fact_id] == most]
        # What still holds rather than what was taken back.
        return tuple([fact for fact in found if fact.contradicted or fact.status in RISK] or found)

    def holding(self, words: str, facts: Iterable[Fact]) -> tuple[Fact, ...]:
        """The facts whose thing, details or evidence hold all that the words name."""
        wanted = self.significant(words)
        terms = [(each.name.casefold(), _stems(each.surface)) for each in self._linker.mentions(words)]
        return tuple(fact for fact in facts if wanted and wanted <= self._told_by(fact, terms))

    def _told_by(self, fact: Fact, terms: Iterable[tuple[str, frozenset[str]]]) -> frozenset[str]:
        meant = (stems for name, stems in terms if fact.object.id == name)
        details = self._details(fact)
        months = (word for found in _MONTH.findall(details) for word in self._months.get(found, ()))
        return _stems(f"{fact.object.name} {details} {fact.evidence}").union(months, *meant)

    def count_in(self, named: Collection[str], fact: Fact) -> int:
        """How many of the significant words a fact holds."""
        return len(self._told_by(fact, ()).intersection(named))

    def count_of(self, named: Collection[str], text: str) -> int:
        """How many of the significant words a text holds."""
        return len(_stems(text).intersection(named))

    def significant(self, words: str) -> frozenset[str]:
        """The words that name something by themselves, by their stems: of "forget that thing" none."""
        said = (word for word in _NAMING.findall(plain(words).casefold()) if word not in self._referring)
        return frozenset(_stem(word) for word in said if "'" not in word)

    def leaves_out(self, words: str, told: str) -> bool:
        """Whether the text speaks of one part of the words, as joined by "and" or set off by a mark, and of another
        holds no significant word: "the man comes on Friday" beside "the man comes on Tuesday and the key is inside".
        """
        dated = {_stem(month) for names in self._months.values() for month in names}
        parts = [
            frozenset(word for word in self.significant(part) - dated if word.isalpha())
            for part in self._parting.split(words)
        ]
        held = _stems(told)
        apart = [part for part in parts if held.isdisjoint(part)]
        return len(apart) < len(parts) and any(len(part) >= _FEW for part in apart)

    def is_told_in(self, text: str, named: Collection[str], *, wholly: bool = False) -> bool:
        """Whether a text holds one of the significant words, or all of them."""
        held = _stems(text)
        return held.issuperset(named) if wholly else not held.isdisjoint(named)

    def holds(self, text: str, words: str) -> bool:
        """Whether the text holds all significant words of `words`; false if there are none."""
        wanted = {_stem(word) for word in _WORD.findall(words.casefold()) if word not in self._light}
        return bool(wanted) and wanted <= _stems(text)

    def tells_of(self, text: str, words: str) -> bool:
        """Whether the text has the significant words of `words` in any plain ending; of three and more, all but one."""
        wanted = {_root(word) for word in self.significant(words)}
        missing = wanted - {_root(word) for word in _WORD.findall(text.casefold())}
        return bool(wanted) and len(missing) <= (len(wanted) > _FEW)

    def shared(self, text: str, words: str) -> int | None:
        """Where the text first has a significant word of `words`, in the singular or plural; `None` if nowhere."""
        wanted = {_stem(word) for word in _WORD.findall(words.casefold()) if word not in self._light}
        said = ((_stem(found[0].casefold()), found.start()) for found in _WORD.finditer(text))
        return next((place for word, place in said if word in wanted), None)

    def bears_in(self, text: str, words: str) -> re.Match[str] | None:
        """The first word of the text that `words` tell by themselves, in any plain ending: "deploys" of "deploying"."""
        return next(self.found_in(text, self.telling(words)), None)

    def found_in(self, text: str, wanted: Collection[str]) -> Iterator[re.Match[str]]:
        """The words of the text that are among these, in any plain ending; `wanted` is a result of `telling`."""
        return (found for found in _WORD.finditer(text) if _root(found[0].casefold()) in wanted)

    def telling(self, words: str) -> frozenset[str]:
        """The words that tell something by themselves, without their plain endings."""
        return frozenset(_root(word) for word in self.significant(words) - self._light)

    def most_of(self, text: str, words: str, share: Fraction) -> re.Match[str] | None:
        """The first word of the text that `words` tell, if the text has this share of them."""
        wanted = self.telling(words)
        found = list(self.found_in(text, wanted))
        least = ceil(len(wanted) * share)
        return found[0] if found and len({_root(word[0].casefold()) for word in found}) >= least else None

    def thing_beside(self, old: str, new: str) -> str:
        """What a sentence is about whose value the new words replace: the longest run of its words that stands before
        or behind its numbers and the words of the new value. Empty if the two share no value.
        """
        replaced = _stems(new) - self._light
        runs: list[list[str]] = [[]]
        shares = False
        for word in _SPOKEN.findall(old):
            if any(sign.isdigit() for sign in word) or _stem(word.casefold()) in replaced:
                runs, shares = [*runs, []], True
            else:
                runs[-1].append(word)
        longest = max(runs, key=len)
        while longest and longest[-1].casefold() in self._light | self._linking:
            longest.pop()
        return " ".join(longest) if shares and self.significant(" ".join(longest)) else ""

    def tells(self, text: str, value: object) -> bool:
        """Whether the text gives the value of an attribute: a number, a day, or words."""
        said = text.casefold()
        if isinstance(value, int | float) and not isinstance(value, bool):
            return any(float(found.replace(",", "")) == value for found in _NUMBER.findall(said))
        if day := _DAY.fullmatch(str(value)):
            words = _WORD.findall(said)
            months = {month for named in self._months.values() for month in named}
            named = months.intersection(words)
            in_month = not named or not named.isdisjoint(self._months.get(day["month"], ()))
            numbers = (_ORDINAL.sub("", word) for word in words)
            return str(value) in said or (in_month and str(int(day["day"])) in numbers)
        return self.holds(said, str(value))

    def tells_old(self, name: str, fact: Fact, new: Mapping[str, object]) -> bool:
        """Whether a name tells a value of the fact that the new ones change: "runs out on the 14th"."""
        changed = [old for key, old in fact.attrs.items() if key in new and new[key] != old]
        words = name.casefold()
        return any(str(old).casefold() in words or self.tells(words, old) for old in changed)

    def _weight(self, fact: Fact, wanted: Collection[str], terms: Collection[str]) -> int:
        details = self._details(fact)
        months = {word for found in _MONTH.findall(details) for word in self._months.get(found, ())}
        return (
            BY_THING * len(set(wanted) & self.told(fact.object.name))
            + BY_THING * (fact.object.id in terms)
            + BY_DETAIL * len(set(wanted) & (self.told(details) | months))
            + BY_WORDS * len(set(wanted) & self.told(fact.evidence))
        )

    def _details(self, fact: Fact) -> str:
        return " ".join([fact.relation.replace("_", " "), *map(str, fact.attrs.values())])


def _stem(word: str) -> str:
    """A word without its plural ending, a number without separators of thousands.

    >>> _stem("peanuts"), _stem("glass"), _stem("6,800")
    ('peanut', 'glass', '6800')
    """
    word = word.replace(",", "")
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


def _root(word: str) -> str:
    """A word without a plain ending.

    >>> _root("deploying"), _root("pushes"), _root("main")
    ('deploy', 'push', 'main')
    """
    return _ENDING.sub("", _stem(word))


def _stems(text: str) -> frozenset[str]:
    return frozenset(map(_stem, _WORD.findall(text.casefold())))
