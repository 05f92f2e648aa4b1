"""Which words of a sentence ask, and state nothing: questions, wishes to know, statements that ask to be confirmed.

Knows the section `asking` of a language file alone. A clause asks by how it begins, or by a word for wondering before
what it says; in a sentence with a question mark, every clause does unless another one is the question. What a question
takes for granted ("with my pacemaker"), and what it hands over ("can you note that …"), is stated.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from r_memory.domain.facts import Span
from r_memory.domain.schema import Language
from r_memory.domain.wordings import one_of
from r_memory.reading.language import listed
from r_memory.reading.normalise import plain
from r_memory.reading.tongues import is_of

__all__ = ["Asking", "AskingSentence", "parted"]

_TOKEN = re.compile(r"[^\W_]+|[^\w\s]")
_MARK = re.compile(r"[?\uff1f\u061f]+(?!\w)")
_DIVIDING = frozenset(',;:()[]"-\u00bf?')
_INVERTED = "\u00bf"
_LISTS = (
    "openings",
    "interrogatives",
    "relative",
    "wondering",
    "conveying",
    "stating",
    "answers",
    "no_answers",
    "tags",
    "carrying_on",
)
_BETWEEN = 3
"""Most words between the noun of a relation and its thing: "my allergy to the penicillin"."""


class _AskedWord(NamedTuple):
    text: str
    """In small letters, without accents."""
    capital: bool
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class _AskedClause:
    words: tuple[_AskedWord, ...]
    asks_from: int | None
    """The word from which it asks; `None` if it does not."""
    states: bool
    """It states something of its own, beside a question."""

    def asks(self, place: Span) -> bool:
        """Whether the words at a place are asked."""
        if self.asks_from is None:
            return False
        return any(_touch(word, place) for word in self.words[self.asks_from :])


class Asking:
    """The asking words of one language; without any, only a question mark asks."""

    def __init__(self, language: Language | None) -> None:
        def words(*path: str) -> tuple[str, ...]:
            return listed(language, *path) if language is not None else ()

        self._lists = {name: _finder(words("asking", name)) for name in _LISTS}
        self._auxiliaries = frozenset(words("asking", "auxiliaries"))
        self._breaks = frozenset(plain(word).casefold() for word in words("asking", "breaks"))
        self.presupposing = frozenset(words("absences", "presupposing") or words("possessives"))
        """Right before a thing they say that it is there: "my"."""

    def clauses(self, text: str) -> tuple[_AskedClause, ...]:
        """Returns the clauses of a sentence."""
        marked = bool(_MARK.search(text))
        cut = list(self._cut(text))
        opened = [self._opens(words, marked=marked) or before.endswith(_INVERTED) for before, words in cut]
        confirmed = marked and bool(cut) and self._is_tag(cut[-1][1])
        found: list[_AskedClause] = []
        for (_, words), opens in zip(cut, opened, strict=True):
            wonders = self._end(words, "wondering")
            if wonders is not None and not opens:
                found.append(_AskedClause(words, wonders, states=False))
            elif opens or confirmed or (marked and not any(opened)):
                handed = not confirmed and wonders is None and self._found(words, "conveying") is not None
                found.append(_AskedClause(words, None if handed else 0, states=False))
            else:
                states = not any(clause.asks_from is not None for clause in found) or self._begins(words, "stating")
                found.append(_AskedClause(words, None if states else 0, states=states))
        return tuple(found)

    def answers(self, text: str) -> bool:
        """Whether a sentence begins as an answer to a question."""
        words = [word for word in _tokens(text) if word.text[0].isalnum()]
        said = not _MARK.search(text) and not self._begins(words, "no_answers")
        return said and self._begins(words, "answers")

    def _opens(self, words: Sequence[_AskedWord], *, marked: bool) -> bool:
        """Whether a clause begins as a question."""
        if self._begins(words, "relative"):
            return False
        if not marked and len(self._bare(words)) < len(words) and self._carries_on(self._bare(words)):
            return False
        name = marked and len(words) > 1 and words[0].text in self._auxiliaries and words[1].capital
        return name or self._begins(words, "openings") or (marked and self._begins(words, "interrogatives"))

    def _carries_on(self, words: Sequence[_AskedWord]) -> bool:
        """Whether a clause has a verb and its object, and no other verb: "does his washing"."""
        found = self._found(words, "carrying_on")
        return found is not None and found[0] == 0 and len(words) <= found[1] + 1

    def _is_tag(self, words: Sequence[_AskedWord]) -> bool:
        return self._found(self._bare(words), "tags") == (0, len(self._bare(words)))

    def _bare(self, words: Sequence[_AskedWord]) -> Sequence[_AskedWord]:
        """Returns the words of a clause without the conjunctions that it begins with."""
        first = next((at for at, word in enumerate(words) if word.text not in self._breaks), 0)
        return words[first:]

    def _cut(self, text: str) -> Iterator[tuple[str, tuple[_AskedWord, ...]]]:
        """Yields the clauses, each with the marks before it; a word of `breaks` begins one."""
        held: list[_AskedWord] = []
        start = 0
        for word in _tokens(text):
            divides = word.text in _DIVIDING and not (word.text == "-" and _inside(text, word))
            if (divides or word.text in self._breaks) and held:
                yield text[start : held[0].start].strip(), tuple(held)
                held, start = [], word.start
            if word.text[0].isalnum():
                held.append(word)
        if held:
            yield text[start : held[0].start].strip(), tuple(held)

    def _begins(self, words: Sequence[_AskedWord], name: str) -> bool:
        return any((self._found(said, name) or (1, 1))[0] == 0 for said in (words, self._bare(words)))

    def _end(self, words: Sequence[_AskedWord], name: str) -> int | None:
        found = self._found(words, name)
        return found[1] if found is not None else None

    def _found(self, words: Sequence[_AskedWord], name: str) -> tuple[int, int] | None:
        pattern, said = self._lists[name], "".join(f"{word.text} " for word in words)
        match = pattern.search(said) if pattern is not None else None
        return (said.count(" ", 0, match.start()), said.count(" ", 0, match.end())) if match else None


@dataclass(frozen=True)
class AskingSentence:
    """One sentence with its place, under the language that it is in."""

    start: int
    text: str
    asking: Asking

    @property
    def span(self) -> Span:
        """From its first character to behind its last."""
        return Span(start=self.start, end=self.start + len(self.text))

    @cached_property
    def _clauses(self) -> tuple[_AskedClause, ...]:
        return self.asking.clauses(self.text)

    @property
    def answers(self) -> bool:
        """Whether it begins as an answer."""
        return self.asking.answers(self.text)

    def asks(self, evidence: Span, names: Sequence[Span]) -> bool:
        """Whether what the evidence says of the things at `names` is asked.

        A thing that stands alone before the question is asked about where the evidence holds the question too.
        """
        quoted, things = self._own(evidence), [self._own(name) for name in names]
        about = [clause for clause in self._clauses if any(_touches(clause, thing) for thing in things)]
        touched = [clause for clause in self._clauses if _touches(clause, quoted)]
        if any(clause.states and clause not in about for clause in touched):
            return False  # "penicillin, which I'm allergic to"
        asked = any(clause.asks(quoted) for clause in touched)
        bare = all(any(_touch(word, thing) for thing in things) for clause in about for word in clause.words)
        return asked if bare or not about else any(clause.asks(thing) for clause in about for thing in things)

    def is_topic(self, names: Sequence[Span]) -> bool:
        """Whether it is nothing but the things at `names` and a question mark: "Penicillin?"."""
        things = [self._own(name) for name in names]
        words = [word for clause in self._clauses for word in clause.words]
        bare = bool(words) and all(any(_touch(word, thing) for thing in things) for word in words)
        return bare and bool(_MARK.search(self.text))

    def takes_for_granted(self, names: Sequence[Span], nouns: Collection[str], *, alone: bool) -> bool:
        """Whether a question says that the thing is there: "my pacemaker", "my penicillin allergy".

        `nouns` are what the relation's own noun begins with. `alone`: the thing needs no such noun beside it.
        """
        things = [self._own(name) for name in names]
        for clause in self._clauses:
            words = clause.words
            at = [index for index, word in enumerate(words) if any(_touch(word, thing) for thing in things)]
            if not at:
                continue
            noun = [index for index, word in enumerate(words) if is_of(word.text, nouns)]
            behind = any(index - at[-1] in {0, 1} for index in noun)
            ahead = [index for index in noun if 1 < at[0] - index <= _BETWEEN + 1]
            if (noun and not behind and not ahead) or (not noun and not alone):
                continue
            first = at[0] if behind or not ahead else ahead[0]
            near = 2 if behind else 1  # "my bad penicillin allergy"
            if any(word.text in self.asking.presupposing for word in words[max(first - near, 0) : first]):
                return True
        return False

    def _own(self, span: Span) -> Span:
        return Span(start=span.start - self.start, end=span.end - self.start)


def parted(text: str, place: Span) -> Iterator[tuple[int, str]]:
    """Yields the start and the text of each part of a sentence; a question mark within it ends a part."""
    start = place.start
    for mark in _MARK.finditer(text, place.start, place.end):
        yield start, text[start : mark.end()]
        start = mark.end()
    if text[start : place.end].strip():
        yield start, text[start : place.end]


def _tokens(text: str) -> Iterator[_AskedWord]:
    shown = plain(text) if len(plain(text)) == len(text) else text
    for match in _TOKEN.finditer(shown):
        yield _AskedWord(match[0].casefold(), match[0][0].isupper(), match.start(), match.end())


def _finder(phrases: Sequence[str]) -> "re.Pattern[str] | None":
    return one_of(sorted((plain(phrase).casefold().replace("'", " ") for phrase in phrases), key=len, reverse=True))


def _inside(text: str, mark: _AskedWord) -> bool:
    """Whether a hyphen stands within a word."""
    return text[mark.start - 1 : mark.start].isalnum() and text[mark.end : mark.end + 1].isalnum()


def _touches(clause: _AskedClause, place: Span) -> bool:
    return any(_touch(word, place) for word in clause.words)


def _touch(word: _AskedWord, place: Span) -> bool:
    return word.start < place.end and place.start < word.end
