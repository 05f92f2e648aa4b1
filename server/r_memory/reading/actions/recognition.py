"""Recognition: which action types an utterance orders or asks for, as distinct from those it merely bears on.

A row is asked for where a speech act reaches one of its keywords, where one of its own phrases stands, or where the
model is sure of it beside a term of the domain. Everyday words count only beside clearer evidence. Opens and closes no
edge: a request that is put to memory reads its edges whatever is recognised here.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from r_memory.domain.intents import IntentTable
from r_memory.domain.schema import Schema
from r_memory.protocols import Mention
from r_memory.reading.actions.keywords import Keywords, keywords_of, plain
from r_memory.reading.actions.requests import Requests
from r_memory.reading.actions.sentences import PlainSentence, Span

_SHORT = 40
"""Words of an utterance up to which what is clear in one sentence speaks for the others too."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    """One action type with its compiled keywords and phrases."""

    name: str
    strong: Keywords
    weak: Keywords
    phrases: re.Pattern[str] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Evidence:
    """Where a sentence names one action type."""

    name: str
    strong: tuple[Span, ...]
    weak: tuple[Span, ...]
    """Everyday words, from the weak keywords and among the terms of the lexicon."""
    slip: bool
    """A keyword that is no term of the lexicon: enough in an order without a verb."""
    complete: bool
    """One of its own phrases stands there."""


class Recognition:
    """Recognises requests, for one table under one schema."""

    def __init__(self, table: IntentTable, schema: Schema) -> None:
        self._requests = Requests(schema.language)
        self._rows = [
            _Row(
                name=row.name,
                strong=keywords_of(row.keywords, schema, named=bool(row.named)),
                weak=keywords_of(row.weak_keywords, schema),
                phrases=self._requests.phrases(row.phrases),
            )
            for row in table.intents.values()
            if not row.silent
        ]
        self._sure = table.policy.confident_above
        self._everyday = frozenset(plain(word) for word in table.everyday)
        self._weak_types = frozenset(type_ for row in self._rows for type_ in row.weak.types)

    @property
    def knows_requests(self) -> bool:
        """False for a language without a section `requests`: then nothing is told apart."""
        return self._requests.known

    def asked(self, text: str, mentions: Sequence[Mention], likely: Mapping[str, float]) -> frozenset[str]:
        """Returns the names of the action types that the text asks for.

        `likely` holds the model's probability of each action type for this text.
        """
        every = self._requests.sentences(text, mentions)
        sentences = {_heard(sentence): sentence for sentence in every}.values()
        short = sum(sentence.length for sentence in every) <= _SHORT
        backed = short and any(self._clear(sentence) for sentence in sentences)
        sure = frozenset(name for name, probability in likely.items() if probability >= self._sure)
        return frozenset(name for sentence in sentences for name in self._asked_in(sentence, sure, backed=backed))

    def _asked_in(self, sentence: PlainSentence, sure: frozenset[str], *, backed: bool) -> Iterator[str]:
        """Yields the action types that one sentence asks for; `backed`: another sentence speaks of the domain."""
        reaches = self._requests.reaches(sentence)
        slip = not reaches and self._requests.is_order_slip(sentence)
        if not (reaches or slip):
            yield from (row.name for row in self._rows if self._requests.complete(sentence, row.phrases))
            return
        found = [self._evidence(row, sentence) for row in self._rows]
        for item in found:
            if item.complete or _reached(item.strong, reaches) or (slip and item.slip):
                yield item.name
        if reaches and (backed or self._is_backed(sentence, reaches, found)):
            yield from (item.name for item in found if _reached(item.weak, reaches) or item.name in sure)

    def _evidence(self, row: _Row, sentence: PlainSentence) -> _Evidence:
        words = _spans(row.strong, sentence)
        terms = [(span, self._is_everyday(term)) for term, span in sentence.spots if term.type in row.strong.types]
        weak = (span for term, span in sentence.spots if term.type in row.weak.types)
        return _Evidence(
            name=row.name,
            strong=(*words, *(span for span, everyday in terms if not everyday)),
            weak=(*_spans(row.weak, sentence), *weak, *(span for span, everyday in terms if everyday)),
            slip=bool(words),
            complete=self._requests.complete(sentence, row.phrases),
        )

    def _is_backed(self, sentence: PlainSentence, reaches: Sequence[Span], found: Sequence[_Evidence]) -> bool:
        """Whether more than an everyday word speaks of the domain, or a patient is named."""
        clear = (self._clear(sentence), *(item.strong for item in found))
        return (
            any(_reached(spans, reaches) for spans in clear)
            or any(item.complete for item in found)
            or self._requests.names_patient(sentence)
        )

    def _clear(self, sentence: PlainSentence) -> Sequence[Span]:
        """Places of terms of the lexicon that are no everyday words."""
        return [
            span for term, span in sentence.spots if term.type not in self._weak_types and not self._is_everyday(term)
        ]

    def _is_everyday(self, term: Mention) -> bool:
        return plain(term.surface) in self._everyday or plain(term.name) in self._everyday


def _heard(sentence: PlainSentence) -> tuple[object, ...]:
    """Returns everything in a sentence that decides here, without its place.

    A repeated sentence is so read only once.
    """
    terms = tuple((term.type, term.name, term.surface, span) for term, span in sentence.spots)
    return sentence.text, terms, sentence.clauses, sentence.questions


def _spans(keywords: Keywords, sentence: PlainSentence) -> tuple[Span, ...]:
    """Returns the places of the word keywords in the sentence."""
    return tuple(match.span() for match in keywords.pattern.finditer(sentence.text)) if keywords.pattern else ()


def _reached(spans: Sequence[Span], reaches: Sequence[Span]) -> bool:
    return any(start < reach_end and end > reach_start for start, end in spans for reach_start, reach_end in reaches)
