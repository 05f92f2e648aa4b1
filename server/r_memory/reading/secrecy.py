"""Finds the words that order not to tell what is said with them: "Don't tell Ruth, but ...", "... Not a word to Pia."

It knows the phrases of the language file, section `drafts`; what gives a secret away is not its business.
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate

from r_memory.domain.facts import Span
from r_memory.domain.once import once_for
from r_memory.domain.schema import Schema
from r_memory.reading.language import either, listed
from r_memory.text.sentences import clauses, part_around, stretches

__all__ = ["Secrecy", "secrecy_under"]

_WORD = re.compile(r"[^\W_]+")


class Secrecy:
    """Finds orders not to tell, under one schema."""

    def __init__(self, schema: Schema) -> None:
        language = schema.language
        phrases = listed(language, "drafts", "not_to_tell")
        in_passing = {phrase.casefold() for phrase in listed(language, "drafts", "told_in_passing")}
        self._order = _any_of(phrases)
        self._plainly = _any_of([phrase for phrase in phrases if phrase.casefold() not in in_passing])
        self._phrases = tuple(sorted({phrase.casefold() for phrase in phrases} - in_passing))
        kin, own, verbs = (either(listed(language, name)) for name in ("kin", "possessives", "linking_verbs"))
        person = rf"(?:(?i:{own})\s+)?(?P<name>[A-Z][\w'-]*(?:\s+[A-Z][\w'-]*)*|(?i:{kin})\b)"
        to = either(listed(language, "drafts", "told_to"))
        # A name in the middle of a sentence has its capital.
        self._to = re.compile(rf"\b(?i:{to})\s+{person}")
        self._before = re.compile(rf"\b{person}(?i:['\u2019]s|\s+(?:{verbs}))?\s+$")
        light = (("common",), ("things", "light"), ("not_a_name",), ("retractions", "referring"), ("drafts", "filling"))
        self._light = frozenset(word for path in light for word in listed(language, *path))
        self.forbids_telling = lru_cache(4096)(self._forbids_telling)

    def _forbids_telling(self, words: str) -> bool:
        """Whether the words plainly order not to tell something."""
        said = words.casefold().replace("\u2019", "'")
        return any(phrase in said for phrase in self._phrases) and self._plainly.search(words) is not None

    def may_forbid_telling(self, words: str) -> bool:
        """Whether the words hold such an order, or a phrase that may say something else: "no word from the bank"."""
        return self._order.search(words) is not None

    def order_in(self, words: str) -> str:
        """The clause of the words that plainly holds the order; empty if there is none."""
        found = self._plainly.search(words) if self.forbids_telling(words) else None
        return "" if found is None else part_around(clauses, words, found.start()).rstrip(" ,;:.")

    def parted(self, words: str) -> tuple[str, tuple[str, ...]]:
        """The words without the orders and those who are not to be told, and the words that name those."""
        gone, named = list[range](), list[str]()
        for order in self._order.finditer(words):
            gone.append(range(*order.span()))
            before = self._before.search(words[: order.start()])
            if before is not None and before["name"].casefold() not in self._light:
                gone.append(range(*before.span()))
                named += before["name"].split()
        for to in self._to.finditer(words):
            gone.append(range(*to.span()))
            named += to["name"].split()
        for part in gone:
            words = f"{words[: part.start]}{' ' * len(part)}{words[part.stop :]}"
        return words, tuple(named)

    def around(self, text: str, span: Span) -> Span:
        """The place of these words together with an order in their sentence, or in one beside it that holds no more.

        The same place if there is none, or the words hold the order themselves.
        """
        if not self.forbids_telling(text) or self.forbids_telling(text[span.start : span.end]):
            return span
        parts = list(stretches(text))
        ends = list(accumulate(map(len, parts)))
        own = [at for at, end in enumerate(ends) if span.start < end and end - len(parts[at]) < span.end]
        if not own:
            return span
        first, last = own[0], own[-1]
        if not any(self.forbids_telling(parts[at]) for at in own):
            # An order that says nothing else is about what stands before it, or, at the beginning, behind it.
            follows = last + 1 < len(parts) and self._is_only_order(parts[last + 1])
            opens = first == 1 and self._is_only_order(parts[0])
            first, last = first - opens, last + follows
            if not (follows or opens):
                return span
        start, end = ends[first] - len(parts[first]), ends[last]
        held = text[start:end]
        return Span(start=start + len(held) - len(held.lstrip()), end=start + len(held.rstrip()))

    def _is_only_order(self, sentence: str) -> bool:
        if not self.forbids_telling(sentence):
            return False
        left, _ = self.parted(sentence)
        return self._light.issuperset(word.casefold() for word in _WORD.findall(left))


secrecy_under = once_for(Secrecy)
"""The finder of a schema, made once."""


def _any_of(phrases: Sequence[str]) -> re.Pattern[str]:
    any_phrase = either(phrases).replace(r"\ ", r"\s+").replace("'", "['\u2019]")
    return re.compile(rf"(?<!\w)(?:{any_phrase})(?!\w)", re.IGNORECASE)
