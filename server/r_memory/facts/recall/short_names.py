"""Recorded proper names that a draft may mean by one of their words: "Vell'Arno" of "Cassa Vell'Arno". Pure.

It knows names that no lexicon holds, as they are written; whether the draft means that one, only a person knows.
"""

import re
from collections.abc import Iterator, Sequence

from r_memory.domain.blocks import Line
from r_memory.domain.facts import Flag
from r_memory.facts.naming import FactNames

_WORD = re.compile(r"\w+(?:['-]\w+)*")
_SHORTEST = 4
"""Minimum number of letters of a word that tells one name from others."""


def short_names_in(text: str, lines: Sequence[Line], names: FactNames) -> Iterator[tuple[Line, int, str]]:
    """Each line whose object is a proper name of several words of which the draft has one, the place, and the word."""
    written = {found[0]: found.start() for found in reversed([*_WORD.finditer(_plain(text))])}
    for line in lines:
        if line.matches or Flag.UNMAPPED not in line.fact.flags:
            continue
        words = _WORD.findall(_plain(line.fact.object.name))
        for word in words if len(words) > 1 and all(map(_is_capital, words)) else ():
            if len(word) >= _SHORTEST and word in written and ("'" in word or names.telling(word)):
                yield line, written[word], word
                break


def _is_capital(word: str) -> bool:
    return word[:1].isupper()


def _plain(text: str) -> str:
    """The text with one kind of apostrophe, in the same places."""
    return text.replace("’", "'")  # noqa: RUF001
