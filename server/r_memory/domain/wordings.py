"""A small notation for phrases; each compiles to a regular expression over words that are each followed by one space.

`word`, `word*` and `*word` (any letters there), `(a|b c)` one of, `(a|b)?` optional, `..3` up to three words between,
`#` a number, `{}` the word that is searched.

A regular expression tries the readings of a phrase in turn, at every word of a text. Their number is limited, so that
the time is proportional to the length of the text for every phrase.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

_ELEMENT = re.compile(r"\(|\)\??|\||\.\.\d|#|[^\s()|#]+")
_WORD = re.compile(r"\*?[^\W_][^\s*()|#?!;,]*\*?|'[^\W_]+")
_GAP = re.compile(r"\.\.\d")
_ANY = r"[^\s.?!;]"
DIGITS = r"\d[\d.,/-]*"
"""A number in digits."""
SOUGHT = "sought"
"""Name of the group at `{}`."""
MOST_WAYS = 250
"""Maximum number of readings of a phrase; the shipped phrases have at most 96."""
MOST_TEMPLATE_WAYS = 2_000
"""Maximum number of readings of a template, which is tried only beside its words; the shipped ones have at most 864."""
_DEEPEST = 8
_OPEN = "*"
"""Stands for a first word that may be any word."""
_TEMPLATE_PART = re.compile(r"\.\.(\d+)|\(([^()]*)\)(\??)|\{[^}]*\}")


def expression(phrase: str, numbers: Iterable[str] = ()) -> str:
    """The phrase as a regular expression; `numbers` are the words that `#` stands for beside figures.

    >>> re.search(expression("see you (back)? in # weeks"), "i will see you back in 2 weeks ").group()
    'see you back in 2 weeks '

    Raises:
        ValueError: the phrase is empty, its parentheses do not match, or there are too many ways to read it; says what
            is wrong.
    """
    elements = _ELEMENT.findall(phrase)
    if not any(_WORD.fullmatch(element) for element in elements):
        raise ValueError("holds no word")
    if _ways(elements) > MOST_WAYS:
        raise ValueError(f"there are more than {MOST_WAYS} ways to read it: use fewer gaps, (a)? and alike choices")
    number = "|".join([DIGITS, *map(re.escape, sorted(numbers))])
    return r"(?<!\S)(?:" + "".join(_balanced(elements, number)) + ")"


def one_of(phrases: Iterable[str], numbers: Iterable[str] = ()) -> re.Pattern[str] | None:
    """A pattern that finds any of the phrases; `None` if there are none."""
    words = tuple(numbers)
    found = [expression(phrase, words) for phrase in phrases]
    return re.compile("|".join(found)) if found else None


def check_template(template: str) -> None:
    """Checks that a template of a relation (`docs/reference/schema.md`) has not too many readings.

    Raises:
        ValueError: it has; the message says what is wrong.
    """
    ways = 1
    for gap, choices, optional in _TEMPLATE_PART.findall(template):
        firsts = [choice.split()[:1] for choice in choices.split("|")]
        alike = max(firsts.count(first) for first in firsts)
        ways = min(ways * (int(gap[:6]) + 1 if gap else alike + bool(optional)), MOST_TEMPLATE_WAYS + 1)
    if ways > MOST_TEMPLATE_WAYS:
        raise ValueError(f"there are more than {MOST_TEMPLATE_WAYS} ways to read it: use fewer gaps and (a)?")


@dataclass(slots=True)
class _Group:
    """The alternatives of a parenthesis read so far, each with its number of readings and its first word."""

    choices: list[tuple[int, str]] = field(default_factory=list)
    ways: int = 1
    first: str = ""

    def take(self, ways: int, first: str) -> None:
        """Adds an element to the present alternative."""
        self.ways = min(self.ways * ways, MOST_WAYS + 1)
        self.first = self.first or first

    def end_choice(self) -> None:
        """Ends the present alternative."""
        self.choices.append((self.ways, self.first))
        self.ways, self.first = 1, ""

    @property
    def total(self) -> int:
        """Number of readings; of alternatives with different fixed first words only the largest number counts."""
        by_first: dict[str, int] = {}
        for ways, first in self.choices:
            by_first[first or _OPEN] = by_first.get(first or _OPEN, 0) + ways
        return by_first.pop(_OPEN, 0) + max(by_first.values(), default=0)


def _ways(elements: Iterable[str]) -> int:
    """Maximum number of readings of the phrase, capped.

    Raises:
        ValueError: parentheses are nested too deeply, or do not match.
    """
    groups = [_Group()]
    for element in elements:
        if element == "(":
            groups.append(_Group())
        elif element == "|":
            groups[-1].end_choice()
        elif element.startswith(")"):
            closed = groups.pop()
            if not groups:
                raise ValueError("a parenthesis closes that was not opened")
            closed.end_choice()
            groups[-1].take(closed.total + element.endswith("?"), _OPEN)
        elif _GAP.fullmatch(element):
            groups[-1].take(int(element[2:]) + 1, _OPEN)
        else:
            groups[-1].take(1, _OPEN if element in {"#", "{}"} or "*" in element else element.casefold())
        if len(groups) > _DEEPEST:
            raise ValueError(f"more than {_DEEPEST} parentheses stand within each other")
    groups[-1].end_choice()
    return groups[-1].total


def _balanced(elements: Iterable[str], number: str) -> Iterable[str]:
    depth = 0
    for element in elements:
        depth += (element == "(") - element.startswith(")")
        if depth < 0:
            raise ValueError("a parenthesis closes that was not opened")
        yield _piece(element, number)
    if depth:
        raise ValueError("a parenthesis is not closed")


def _piece(element: str, number: str) -> str:
    """The pattern of an element; every word includes the space after it, so that an omitted word leaves no gap."""
    if element in {"(", "|"}:
        return "(?:" if element == "(" else "|"
    if element.startswith(")"):
        return element
    if _GAP.fullmatch(element):
        return f"(?:{_ANY}+ ){{0,{element[2:]}}}"
    if element == "#":
        return f"(?:{number}) "
    if element == "{}":
        return f"(?P<{SOUGHT}>{_ANY}+) "
    if _WORD.fullmatch(element) is None:
        raise ValueError(f"'{element}' is no word")
    return re.escape(element.casefold()).replace(r"\*", f"{_ANY}*") + " "
