"""Recorded proper names that a draft may mean by one of their words: "Vell'Arno" of "Cassa Vell'Arno". Pure.

It finds names that only notes, dates and orders hold as well.
It knows names that no lexicon holds, as they are written; whether the draft means that one, only a person knows.
"""

import re
from collections.abc import Iterator, Mapping, Sequence

from r_memory.domain.blocks import Line
from r_memory.domain.facts import RISK, Fact, Flag
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


def noted_names(words: Sequence[str], facts: Sequence[Fact]) -> Mapping[str, Fact]:
    """By each of these words that a fact that stands holds as a name: that fact, the newest one."""
    found: dict[str, Fact] = {}
    for fact in sorted(facts, key=lambda each: each.last_seq):
        told = _plain(" ".join([fact.object.name, fact.evidence, *map(str, fact.attrs.values())]))
        names = {word for word in _WORD.findall(told) if _is_capital(word)} if fact.status in RISK else set[str]()
        bare = names | {word.removesuffix("'s") for word in names}
        found.update({word: fact for word in words if _is_capital(word) and _plain(word).removesuffix("'s") in bare})
    return found


def _is_capital(word: str) -> bool:
    return word[:1].isupper()


def _plain(text: str) -> str:
    """The text with one kind of apostrophe, in the same places."""
    return text.replace("’", "'")  # noqa: RUF001 - the curly one is meant
