"""A small notation for phrases, as regular expressions over words that one space follows each.

`word`, `word*` and `*word` (any letters there), `(a|b c)` one of, `(a|b)?` perhaps, `..3` up to three words between,
`#` a number, `{}` the word that is looked for.
"""

import re
from collections.abc import Iterable

_ELEMENT = re.compile(r"\(|\)\??|\||\.\.\d|#|[^\s()|#]+")
_WORD = re.compile(r"\*?[^\W_][^\s*()|#?!;,]*\*?|'[^\W_]+")
_GAP = re.compile(r"\.\.\d")
_ANY = r"[^\s.?!;]"
DIGITS = r"\d[\d.,/-]*"
"""A number in figures."""
SOUGHT = "sought"
"""The group that holds what stands at `{}`."""


def expression(phrase: str, numbers: Iterable[str] = ()) -> str:
    """The phrase as a regular expression; `numbers` are the words that `#` stands for beside figures.

    >>> re.search(expression("see you (back)? in # weeks"), "i will see you back in 2 weeks ").group()
    'see you back in 2 weeks '

    Raises:
        ValueError: the phrase is empty or its parentheses do not match; says what is wrong.
    """
    elements = _ELEMENT.findall(phrase)
    if not any(_WORD.fullmatch(element) for element in elements):
        raise ValueError("holds no word")
    number = "|".join([DIGITS, *map(re.escape, sorted(numbers))])
    return r"(?<!\S)(?:" + "".join(_balanced(elements, number)) + ")"


def one_of(phrases: Iterable[str], numbers: Iterable[str] = ()) -> re.Pattern[str] | None:
    """Finds any of the phrases; `None` for none."""
    words = tuple(numbers)
    found = [expression(phrase, words) for phrase in phrases]
    return re.compile("|".join(found)) if found else None


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
    """Every word takes the space behind it along, so that what is left out leaves no gap."""
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
