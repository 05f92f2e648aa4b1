"""Reads one utterance with the encoder and the heads of one domain.

Candidates are the things that the tagger sees *and* every mention that the caller hands in: a name no dictionary knows
is found by its context, a known one is never overlooked. It says probabilities and decides nothing.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import compress

import numpy as np

from r_memory.reading.agreement import Thresholds
from r_memory.reading.taught.claims import Detail, Place, Statement, TaughtClaim
from r_memory.reading.taught.heads import Heads, softmax
from r_memory.reading.taught.labels import Labels
from r_memory.reading.taught.pieces import Encoder, Pieces, Vectors
from r_memory.reading.taught.places import Places
from r_memory.reading.taught.windows import tail, windows

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
class _Row:
    """A stretch of words in a window."""

    first: int
    """Row of the vectors at which it begins."""
    pieces: Pieces
    in_question: bool

    def place(self, first: int, last: int) -> Place:
        """Where the pieces from the first to before the last stand."""
        start, end = self.pieces.starts[first], self.pieces.ends[last - 1]
        return Place(start=start, end=end, in_question=self.in_question)


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
        self,
        text: str,
        *,
        question: str = "",
        speaker: str = "",
        mentions: Sequence[Place] = (),
        unasked: Sequence[Place] = (),
    ) -> tuple[TaughtClaim, ...]:
        """A claim for each mention and for each thing that the tagger sees, in their order; never raises for any text.

        `question` is the turn before, of which the end is read; `speaker` is one of the labels' speakers, and any other
        name counts as unknown. A mention in the question's unread beginning has no claim. Of `unasked` stretches claims
        are of no use: they may be left out, and are where that spares a window.
        """
        whole, asked = self._encoder.pieces(text), tail(self._encoder.pieces(question))
        before = (self._encoder.begin, *self._speakers.get(speaker, self._speakers[_NOBODY]), *asked.ids)
        second, stop = len(before) + 1, self._encoder.stop
        read = cache(self._window)  # what a text repeats is read once
        known = Places((place, place) for place in mentions)
        asked_of = bytearray(b"\1") * len(text)
        for place in unasked:
            asked_of[place.start : place.end] = bytes(place.end - place.start)
        claims: list[TaughtClaim] = []
        for number, window in enumerate(windows(whole, text)):
            here = Place(start=whole.starts[window.first], end=whole.ends[window.last - 1])
            named = known.touching(here)
            asks = number == 0 and len(asked) > 0
            # A window of marks, figures and single letters is not worth its reading.
            of_use = any(map(str.strip, compress(text[here.start : here.end], asked_of[here.start : here.end])))
            if asks or (of_use and (named or _LETTERS.search(text, here.start, here.end))):
                body = whole.part(window.first, window.last, origin=here.start)
                row = _Row(first=second + window.first - window.shown, pieces=body, in_question=False)
                question_row = _Row(first=len(before) - len(asked), pieces=asked, in_question=True)
                floor = whole.ends[window.first - 1] if window.first else 0
                # A mention that begins before is read in the window before.
                begun = mentions if asks else [place for place in named if place.start >= floor]
                found = read(
                    (*before, stop, *whole.ids[window.shown : window.last], stop),
                    second,
                    (question_row, row) if asks else (row,),
                    tuple(place.moved(-here.start) for place in begun),
                )
                claims += (claim.moved(here.start) for claim in found)
        return tuple(sorted(claims, key=lambda claim: claim.place))

    def _window(
        self, ids: tuple[int, ...], second: int, rows: Sequence[_Row], mentions: Sequence[Place]
    ) -> tuple[TaughtClaim, ...]:
        """The claims of what the encoder is shown of one window; places count from its first character."""
        vectors = self._encoder.vectors(ids, second)
        candidates = tuple(self._candidates(vectors, rows, mentions))
        return tuple(self._claims(vectors, candidates, self._details(vectors, rows, candidates))) if candidates else ()

    def _candidates(self, vectors: Vectors, rows: Sequence[_Row], mentions: Sequence[Place]) -> Iterator[_Candidate]:
        """Every mention, then what the tagger sees beside them."""
        tags = self._heads.tags(vectors)
        for row in rows:
            offset, pieces = row.first, row.pieces
            seen = {
                row.place(first, last): (first, last)
                for first, last in _tagged(pieces, tags[offset : offset + len(pieces)])
            }
            taken = set()
            for place in mentions:
                span = pieces.around(place.start, place.end) if place.in_question == row.in_question else None
                if span is None:
                    continue
                # "metal" within "metal heart valve" is a part of a name.
                whole = next((one for one in seen if one.start <= place.start and place.end <= one.end), place)
                if whole not in taken:
                    taken.add(whole)
                    yield _Candidate(place=whole, known=True, span=_moved(seen.get(whole, span), offset))
            for place, (first, last) in seen.items():
                if not any(place.touches(other) for other in taken):
                    yield _Candidate(place=place, known=False, span=_moved((first, last), offset))

    def _details(
        self, vectors: Vectors, rows: Sequence[_Row], candidates: Sequence[_Candidate]
    ) -> tuple[tuple[Detail, ...], ...]:
        """For each candidate the details that belong to it."""
        tags = self._heads.details(vectors)
        found = [
            (row.place(first, last), (first + row.first, last + row.first, kind))
            for row in rows
            for first, last, kind in _attributes(row.pieces, tags[row.first : row.first + len(row.pieces)])
        ]
        bound = self._heads.bindings(vectors, [one.span for one in candidates], [span for _, span in found])
        return tuple(
            tuple(
                Detail(name=self._labels.attributes[kind], place=place, probability=float(probability))
                for (place, (_, _, kind)), probability in zip(found, row, strict=True)
                if probability >= _BOUND
            )
            for row in bound
        )

    def _claims(
        self, vectors: Vectors, candidates: Sequence[_Candidate], details: Sequence[tuple[Detail, ...]]
    ) -> Iterator[TaughtClaim]:
        labels, heat = self._labels, self._labels.temperatures
        scores = self._heads.spans(vectors, [candidate.span for candidate in candidates])
        nothing = _sigmoid(scores.relations[:, -1] / heat.nothing).tolist()
        stated = _sigmoid(scores.relations[:, :-1] / heat.relation).tolist()
        statuses = softmax(scores.statuses / heat.status).tolist()
        persons = softmax(scores.persons / heat.person).tolist()
        classes = {name: logits.argmax(axis=1).tolist() for name, logits in scores.classes.items()}
        for number, (candidate, own) in enumerate(zip(candidates, details, strict=True)):
            statements = [
                Statement(
                    relation=relation,
                    probability=probability,
                    statuses=dict(zip(labels.statuses, statuses[number][index], strict=True)),
                    persons=dict(zip(labels.persons, persons[number][index], strict=True)),
                )
                for index, (relation, probability) in enumerate(zip(labels.relations, stated[number], strict=True))
                if probability >= self._least
            ]
            yield TaughtClaim(
                place=candidate.place,
                known=candidate.known,
                nothing=nothing[number],
                statements=tuple(sorted(statements, key=lambda one: -one.probability)),
                details=own,
                classes={
                    name: value for name, best in classes.items() if (value := labels.classes[name][best[number]])
                },
            )


def _sigmoid(logits: Vectors) -> Vectors:
    return np.asarray(1 / (1 + np.exp(-logits)), dtype=np.float32)


def _moved(span: tuple[int, int], offset: int) -> tuple[int, int]:
    return span[0] + offset, span[1] + offset


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
