"""Reads one utterance with the encoder and the heads of one domain.

Candidates are the things that the tagger sees *and* every mention that the caller hands in: a name no dictionary knows
is found by its context, a known one is never overlooked. It says probabilities and decides nothing.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from r_memory.reading.agreement import Thresholds
from r_memory.reading.taught.claims import Detail, Place, Statement, TaughtClaim
from r_memory.reading.taught.heads import Heads, SpanScores, softmax
from r_memory.reading.taught.labels import Labels
from r_memory.reading.taught.pieces import Encoder, Pieces, Vectors
from r_memory.reading.taught.windows import Window, tail, windows

BEGINS = 0.1
"""Probability from which a word begins a thing: low, because a span that states nothing costs only its reading."""
LEAST = 0.02
"""Probability under which a relation is not worth a mention."""
_BOUND = 0.5
"""Probability from which a detail belongs to a thing."""
_NOBODY = "someone"
_LETTERS = re.compile(r"[^\W\d_]{2}")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Candidate:
    place: Place
    known: bool
    span: tuple[int, int]
    """Rows of the window's vectors."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _View:
    """What the encoder made of one window, and where each row stands in what was said."""

    vectors: Vectors
    rows: tuple[tuple[int, Pieces, bool], ...]
    """First row of each stretch that is read, its pieces, and whether it is of the question."""
    floor: int
    """Where the window before this one ended, in characters: a mention that begins there is read there."""


class TaughtReader:
    """The reader of one domain."""

    def __init__(self, encoder: Encoder, heads: Heads, labels: Labels, *, least: float = LEAST) -> None:
        """`least` is the probability under which a relation is left out of a claim."""
        self._encoder = encoder
        self._heads = heads
        self._labels = labels
        self._least = least
        self._speakers = {name: encoder.pieces(f"{name} :").ids for name in (*labels.speakers, _NOBODY)}

    @property
    def thresholds(self) -> Mapping[str, Thresholds]:
        """By relation; calibrated with the weights."""
        return self._labels.thresholds

    @property
    def speakers(self) -> tuple[str, ...]:
        """Who may speak, as the corpus calls them: the subject's side first, then the professional, then others."""
        return self._labels.speakers

    def read(
        self, text: str, *, question: str = "", speaker: str = "", mentions: Sequence[Place] = ()
    ) -> tuple[TaughtClaim, ...]:
        """A claim for each mention and for each thing that the tagger sees, in their order; never raises for any text.

        `question` is the turn before, of which the end is read; `speaker` is one of the labels' speakers, and any other
        name counts as unknown. A mention in the question's unread beginning has no claim.
        """
        whole = self._encoder.pieces(text)
        asked = tail(self._encoder.pieces(question))
        claims = [
            claim
            for number, window in enumerate(windows(whole, text))
            if (number == 0 and asked.ids) or _may_name(text, whole, window, mentions)
            for claim in self._window(whole, window, asked, speaker, mentions, with_question=number == 0)
        ]
        return tuple(sorted(claims, key=lambda claim: claim.place))

    def _window(
        self,
        whole: Pieces,
        window: Window,
        asked: Pieces,
        speaker: str,
        mentions: Sequence[Place],
        *,
        with_question: bool,
    ) -> Iterator[TaughtClaim]:
        view = self._view(whole, window, asked, speaker, with_question=with_question)
        candidates = tuple(self._candidates(view, mentions))
        scores = self._heads.spans(view.vectors, [candidate.span for candidate in candidates])
        details = self._details(view, candidates)
        for candidate, score, own in zip(candidates, scores, details, strict=True):
            yield self._claim(candidate, score, own)

    def _view(self, whole: Pieces, window: Window, asked: Pieces, speaker: str, *, with_question: bool) -> _View:
        said = self._speakers.get(speaker, self._speakers[_NOBODY])
        before = (self._encoder.begin, *said)
        second = len(before) + len(asked) + 1
        stop = self._encoder.stop
        ids = (*before, *asked.ids, stop, *whole.ids[window.shown : window.last], stop)
        body = (second + window.first - window.shown, whole.part(window.first, window.last), False)
        question = ((len(before), asked, True),) if with_question and asked.ids else ()
        floor = whole.ends[window.first - 1] if window.first else 0
        return _View(vectors=self._encoder.vectors(ids, second), rows=(*question, body), floor=floor)

    def _candidates(self, view: _View, mentions: Sequence[Place]) -> Iterator[_Candidate]:
        """Every mention that begins here, then what the tagger sees beside them."""
        tags = self._heads.tags(view.vectors)
        for offset, pieces, in_question in view.rows:
            seen = {
                _place(pieces, first, last, in_question=in_question): (first, last)
                for first, last in _tagged(pieces, tags[offset : offset + len(pieces)])
            }
            taken = set()
            for place in mentions:
                span = pieces.around(place.start, place.end) if place.in_question == in_question else None
                if span is None or not (in_question or place.start >= view.floor):
                    continue
                # "metal" within "metal heart valve" is a part of a name.
                whole = next((one for one in seen if one.start <= place.start and place.end <= one.end), place)
                if whole not in taken:
                    taken.add(whole)
                    yield _Candidate(place=whole, known=True, span=_moved(seen.get(whole, span), offset))
            for place, (first, last) in seen.items():
                if not any(place.touches(other) for other in taken):
                    yield _Candidate(place=place, known=False, span=_moved((first, last), offset))

    def _details(self, view: _View, candidates: Sequence[_Candidate]) -> tuple[tuple[Detail, ...], ...]:
        """For each candidate the details that belong to it."""
        tags = self._heads.details(view.vectors)
        found = [
            (_place(pieces, first, last, in_question=in_question), (first + offset, last + offset, kind))
            for offset, pieces, in_question in view.rows
            for first, last, kind in _attributes(pieces, tags[offset : offset + len(pieces)])
        ]
        bound = self._heads.bindings(view.vectors, [one.span for one in candidates], [span for _, span in found])
        return tuple(
            tuple(
                Detail(name=self._labels.attributes[kind], place=place, probability=float(probability))
                for (place, (_, _, kind)), probability in zip(found, row, strict=True)
                if probability >= _BOUND
            )
            for row in bound
        )

    def _claim(self, candidate: _Candidate, score: SpanScores, details: tuple[Detail, ...]) -> TaughtClaim:
        labels, heat = self._labels, self._labels.temperatures
        stated = _sigmoid(score.relations[:-1] / heat.relation)
        statuses = softmax(score.statuses / heat.status)
        persons = softmax(score.persons / heat.person)
        statements = [
            Statement(
                relation=relation,
                probability=float(stated[index]),
                statuses=dict(zip(labels.statuses, map(float, statuses[index]), strict=True)),
                persons=dict(zip(labels.persons, map(float, persons[index]), strict=True)),
            )
            for index, relation in enumerate(labels.relations)
            if stated[index] >= self._least
        ]
        classes = {name: labels.classes[name][int(np.argmax(logits))] for name, logits in score.classes.items()}
        return TaughtClaim(
            place=candidate.place,
            known=candidate.known,
            nothing=float(_sigmoid(score.relations[-1:] / heat.nothing)[0]),
            statements=tuple(sorted(statements, key=lambda one: -one.probability)),
            details=details,
            classes={name: value for name, value in classes.items() if value},
        )


def _may_name(text: str, whole: Pieces, window: Window, mentions: Sequence[Place]) -> bool:
    """Whether a thing may be named there: a window of marks, figures and single letters is not worth its reading."""
    start, end = whole.starts[window.first], whole.ends[window.last - 1]
    known = any(start < place.end and place.start < end for place in mentions if not place.in_question)
    return known or _LETTERS.search(text, start, end) is not None


def _sigmoid(logits: Vectors) -> Vectors:
    return np.asarray(1 / (1 + np.exp(-logits)), dtype=np.float32)


def _moved(span: tuple[int, int], offset: int) -> tuple[int, int]:
    return span[0] + offset, span[1] + offset


def _place(pieces: Pieces, first: int, last: int, *, in_question: bool) -> Place:
    return Place(start=pieces.starts[first], end=pieces.ends[last - 1], in_question=in_question)


def _tagged(pieces: Pieces, tags: Vectors) -> Iterable[tuple[int, int]]:
    """Spans of whole words that the tagger takes for things; a word is judged by its first piece."""
    open_span: tuple[int, int] | None = None
    for first, last in pieces.whole_words():
        outside, begins, inside = tags[first]
        if open_span is not None and inside >= max(outside, begins):
            open_span = (open_span[0], last)
            continue
        if open_span is not None:
            yield open_span
        open_span = (first, last) if begins >= BEGINS or inside > outside else None
    if open_span is not None:
        yield open_span


def _attributes(pieces: Pieces, tags: Vectors) -> Iterable[tuple[int, int, int]]:
    """Spans of whole words that the tagger takes for attributes, with the attribute's number."""
    open_span: tuple[int, int, int] | None = None
    for first, last in pieces.whole_words():
        best = int(np.argmax(tags[first]))
        kind, inside = (best - 1) // 2, best % 2 == 0
        if open_span is not None and best > 0 and inside and kind == open_span[2]:
            open_span = (open_span[0], last, kind)
            continue
        if open_span is not None:
            yield open_span
        open_span = (first, last, kind) if best > 0 else None
    if open_span is not None:
        yield open_span
