"""The words that are no longer handed out: those that stated a fact which was entered in error, or is to be forgotten.

Pure. The ledger keeps the words, and a person's history shows them; erasing them is a command.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from itertools import groupby
from typing import TypeAlias

from r_memory.domain.events import EventKind, FactEvent
from r_memory.domain.facts import Fact, Status
from r_memory.domain.memories import MemoryItem
from r_memory.domain.summaries import ConversationSummary, option_of

__all__ = ["NOTHING_WITHDRAWN", "SHOWN_AS", "WithdrawnWords", "places", "withdrawn_of"]

SHOWN_AS = "(withdrawn)"
"""What stands in the place of withdrawn words."""
_WORD = re.compile(r"\w+")
_SENTENCE = re.compile(r"[^.!?\n]*[.!?\n]*")
_CODE = re.compile(r"\w*\d(?:[\w.,:/-]*\w)?")
_OF_WISHES = "excluded_options"
"""The field of a summary that keeps what a person does not want: a wish to forget something among it."""
_DIGITS = 3
"""Digits of a number or code that tells a secret where one more word of it stands beside it."""
_LONG = 4
"""Letters of such a word."""


@dataclass(frozen=True, slots=True)
class _Part:
    """The words of one withdrawn fact."""

    evidence: str
    thing: str
    kept: tuple[str, ...]
    """Words of other facts that stand: they stay in view."""
    codes: frozenset[str]
    """Numbers and codes of the evidence that no standing fact holds."""

    def masked(self, text: str, *, made: bool) -> str:
        kept = [place for words in self.kept for place in places(words, text)]
        hidden = {
            at
            for start, end in places(self.evidence, text)
            for at in range(start, end)
            if not any(first <= at < last for first, last in kept)
        }
        hidden.update(self._retold(text, made=made))
        return _without(text, hidden)

    def _retold(self, text: str, *, made: bool) -> Iterator[int]:
        """The places of its codes beside another word of it, and of `made` sentences that tell the thing anew."""
        told = {word for word in _words(self.evidence) if len(word) >= _LONG and not word.isdigit()}
        named = set(_words(self.thing))
        for sentence in _SENTENCE.finditer(text):
            held = set(_words(sentence[0]))
            for code in _CODE.finditer(sentence[0]) if held & told else ():
                if code[0].casefold() in self.codes:
                    yield from range(sentence.start() + code.start(), sentence.start() + code.end())
            if made and named and named <= held and not any(places(words, sentence[0]) for words in self.kept):
                yield from range(*sentence.span())


Wishes: TypeAlias = Callable[[str, Sequence[str], bool], Iterable[tuple[int, int]]]
"""Finds where a text wishes to forget what these words say; or, if the flag is set, whether all of it is such a
wish in short.
"""


@dataclass(frozen=True, slots=True)
class WithdrawnWords:
    """Everything about one subject that is no longer handed out."""

    parts: tuple[_Part, ...] = ()
    wishes: Wishes | None = None
    """Finds the wishes that were granted: what they name is no longer handed out either."""

    def masked(self, text: str, *, made: bool = False) -> str:
        """The text without withdrawn words; the rest of each sentence stays.

        `made`: the text was made of what was said (an answer, a summary), so that other words may tell the same.
        """
        text = self._without_wishes(text)
        for part in self.parts:
            text = part.masked(text, made=made)
        return text

    def _without_wishes(self, text: str) -> str:
        return _without(text, {at for start, end in self._wishes_in(text) for at in range(start, end)})

    def _wishes_in(self, text: str, *, retold: bool = False) -> tuple[tuple[int, int], ...]:
        if not self.parts or self.wishes is None:
            return ()
        return tuple(self.wishes(text, [f"{part.evidence} {part.thing}" for part in self.parts], retold))

    def _is_wish(self, entry: str) -> bool:
        """Whether an excluded option was made of a wish that was granted."""
        return bool(self._wishes_in(option_of(entry), retold=True))

    def item(self, item: MemoryItem) -> MemoryItem:
        """The item without withdrawn words."""
        if not self.parts:
            return item
        return replace(
            item,
            observation=self.masked(item.observation),
            response=self.masked(item.response, made=True),
            objections=tuple(self.masked(objection) for objection in item.objections),
            summary=self.masked(item.summary, made=True),
        )

    def summary(self, content: ConversationSummary) -> ConversationSummary:
        """The summary without withdrawn words."""
        if not self.parts:
            return content
        shown: dict[str, object] = {}
        for field in fields(content):
            value = getattr(content, field.name)
            if isinstance(value, str):
                shown[field.name] = self.masked(value, made=True)
            elif isinstance(value, tuple):
                entries = tuple(self.masked(entry, made=True) for entry in value)
                wished = field.name == _OF_WISHES
                shown[field.name] = tuple(SHOWN_AS if wished and self._is_wish(item) else item for item in entries)
        return replace(content, **shown)  # type: ignore[arg-type]


NOTHING_WITHDRAWN = WithdrawnWords()


def withdrawn_of(facts: Sequence[Fact], events: Iterable[FactEvent], wishes: Wishes | None = None) -> WithdrawnWords:
    """The withdrawn words of a subject's facts; `events` are those of the withdrawn ones."""
    standing = [fact for fact in facts if not _is_withdrawn(fact)]
    gone = {fact.fact_id: fact for fact in facts if _is_withdrawn(fact)}
    told = sorted(
        {
            (event.fact_id, event.evidence)
            for event in events
            if event.fact_id in gone and event.kind is EventKind.OBSERVED and event.evidence
        }
    )
    parts: list[_Part] = []
    for fact_id, group in groupby(told, key=lambda one: one[0]):
        fact = gone[fact_id]
        for _, evidence in group:
            kept = tuple(each.evidence for each in standing if each.evidence and _stays(each, fact, evidence))
            held = {code for each in standing for code in _codes(f"{each.evidence} {_values(each)}")}
            codes = _codes(f"{evidence} {_values(fact)}") - held
            parts.append(_Part(evidence, fact.object.name, kept, codes))
    return WithdrawnWords(tuple(parts), wishes)


def _is_withdrawn(fact: Fact) -> bool:
    return fact.status is Status.ENTERED_IN_ERROR and not fact.contradicted


def _stays(standing: Fact, withdrawn: Fact, evidence: str) -> bool:
    """Whether the words of a standing fact stay whole although they hold those of the withdrawn one: they do unless
    they are longer and of another thing.
    """
    longer = len(standing.evidence) > len(evidence) and bool(places(evidence, standing.evidence))
    return not longer or standing.object.uid == withdrawn.object.uid


def _values(fact: Fact) -> str:
    return " ".join([fact.object.name, *map(str, fact.attrs.values())])


def _words(text: str) -> list[str]:
    return [word.casefold() for word in _WORD.findall(text)]


def _codes(text: str) -> frozenset[str]:
    found = _CODE.findall(text.casefold())
    return frozenset(code for code in found if sum(char.isdigit() for char in code) >= _DIGITS)


def places(words: str, text: str) -> list[tuple[int, int]]:
    """Where the words stand in a text, whatever its punctuation, quotation marks, capitals and spaces."""
    said = _WORD.findall(words)
    if not said:
        return []
    form = r"(?<!\w)" + r"\W+".join(map(re.escape, said)) + r"(?!\w)"
    return [found.span() for found in re.finditer(form, text, re.IGNORECASE)]


def _without(text: str, hidden: set[int]) -> str:
    if not hidden:
        return text
    shown = ""
    for is_hidden, run in groupby(range(len(text)), key=hidden.__contains__):
        words = "".join(text[at] for at in run)
        if is_hidden and _WORD.search(words):
            before, after = len(words) - len(words.lstrip()), len(words.rstrip())
            words = f"{words[:before]}{SHOWN_AS}{words[after:]}"
        shown += words
    return shown
