"""The words that are no longer handed out, as their fact was entered in error or is to be forgotten; and those that are
marked where they are shown, as their fact ended, was corrected or is disputed.

Pure. The ledger keeps the words, and a person's history shows them; erasing them is a command.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from itertools import groupby
from typing import TypeAlias

from r_memory.domain.events import EventKind, FactEvent
from r_memory.domain.facts import RISK, Fact, Status
from r_memory.domain.memories import MemoryItem
from r_memory.domain.summaries import ConversationSummary

__all__ = [
    "DISPUTED",
    "IN_PART",
    "NOTHING_WITHDRAWN",
    "NO_LONGER",
    "SHOWN_AS",
    "WithdrawnWords",
    "is_withdrawn",
    "places",
    "withdrawn_of",
]

SHOWN_AS = "(withdrawn)"
"""What stands in the place of withdrawn words."""
NO_LONGER, IN_PART, DISPUTED = "(no longer so)", "(no longer so in part)", "(disputed)"
"""What stands behind words whose fact ended or was corrected, of which another fact still holds, or is disputed."""
_WORD = re.compile(r"\w+")
_SENTENCE = re.compile(r"[^.!?\n]*[.!?\n]*")
_CODE = re.compile(r"\w*\d(?:[\w.,:/-]*\w)?")
_OVER = frozenset({Status.REFUTED, Status.RESOLVED})
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


Wishes: TypeAlias = Callable[[str, Sequence[str]], Iterable[tuple[int, int]]]
"""Finds where a text wishes to forget what these words say."""


@dataclass(frozen=True, slots=True)
class WithdrawnWords:
    """Everything about subjects that is no longer handed out, or is handed out with a mark."""

    parts: tuple[_Part, ...] = ()
    marks: Mapping[str, str] = field(default_factory=dict)
    """The mark of words that stated what no longer holds, by these words."""
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

    def shown(self, text: str, *, made: bool = False) -> str:
        """The text without withdrawn words, and with a mark behind those whose fact no longer holds; see `masked`."""
        text = self.masked(text, made=made)
        ends = {end: mark for words, mark in self.marks.items() for _, end in places(words, text)}
        for end in sorted(ends, reverse=True):
            text = f"{text[:end]} {ends[end]}{text[end:]}"
        return text

    def _without_wishes(self, text: str) -> str:
        if not self.parts or self.wishes is None:
            return text
        found = self.wishes(text, [f"{part.evidence} {part.thing}" for part in self.parts])
        return _without(text, {at for start, end in found for at in range(start, end)})

    def item(self, item: MemoryItem) -> MemoryItem:
        """The item without withdrawn words."""
        if self == NOTHING_WITHDRAWN:
            return item
        return replace(
            item,
            observation=self.shown(item.observation),
            response=self.shown(item.response, made=True),
            objections=tuple(self.masked(objection) for objection in item.objections),
            summary=self.shown(item.summary, made=True),
        )

    def summary(self, content: ConversationSummary) -> ConversationSummary:
        """The summary without withdrawn words."""
        if self == NOTHING_WITHDRAWN:
            return content
        shown: dict[str, object] = {}
        for each in fields(content):
            value = getattr(content, each.name)
            if isinstance(value, str):
                shown[each.name] = self.shown(value, made=True)
            elif isinstance(value, tuple):
                shown[each.name] = tuple(self.shown(entry, made=True) for entry in value)
        return replace(content, **shown)  # type: ignore[arg-type]


NOTHING_WITHDRAWN = WithdrawnWords()


def withdrawn_of(facts: Sequence[Fact], events: Iterable[FactEvent], wishes: Wishes | None = None) -> WithdrawnWords:
    """The withdrawn and the marked words of facts; `events` are those of the facts that do not hold as stated."""
    events = [event for event in events if event.kind is EventKind.OBSERVED and event.evidence]
    standing = [fact for fact in facts if not is_withdrawn(fact)]
    gone = {fact.fact_id: fact for fact in facts if is_withdrawn(fact)}
    told = sorted({(event.fact_id, event.evidence) for event in events if event.fact_id in gone})
    parts: list[_Part] = []
    for fact_id, group in groupby(told, key=lambda item: item[0]):
        fact = gone[fact_id]
        for _, evidence in group:
            kept = tuple(each.evidence for each in standing if each.evidence and _stays(each, fact, evidence))
            held = {code for each in standing for code in _codes(f"{each.evidence} {_values(each)}")}
            codes = _codes(f"{evidence} {_values(fact)}") - held
            parts.append(_Part(evidence, fact.object.name, kept, codes))
    return WithdrawnWords(tuple(parts), _marks(standing, events), wishes)


def _marks(standing: Sequence[Fact], events: Iterable[FactEvent]) -> Mapping[str, str]:
    """The marks of words that stated what ended, was corrected or is disputed; what holds is never marked off."""
    over = {fact.fact_id: fact for fact in standing if fact.contradicted or fact.status in _OVER}
    holding = [fact.evidence for fact in standing if fact.evidence and fact.fact_id not in over]
    marks: dict[str, str] = {}
    for event in events:
        if (fact := over.get(event.fact_id)) is None or event.status not in RISK:
            continue
        if fact.contradicted:
            marks[event.evidence] = DISPUTED
        elif any(places(event.evidence, words) or places(words, event.evidence) for words in holding):
            marks.setdefault(event.evidence, IN_PART)
        else:
            marks.setdefault(event.evidence, NO_LONGER)
    return marks


def is_withdrawn(fact: Fact) -> bool:
    """Whether the words of a fact are no longer handed out."""
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
