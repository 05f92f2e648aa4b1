"""Reads one utterance with the encoder and the heads of one domain.

Candidates are the things that the tagger sees *and* every mention that the caller hands in: a name no dictionary knows
is found by its context, a known one is never overlooked. It says probabilities and decides nothing.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np
from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped] # ships no types

from r_memory.reading.taught.claims import Detail, Place, Places, TaughtClaim, TaughtStatement
from r_memory.reading.taught.heads import Heads, read_arrays, softmax
from r_memory.reading.taught.pieces import Encoder, Pieces, Vectors, tail, windows
from r_memory.reading.taught.weights import ENCODER, HEADS, TOKENIZER, Labels, Weights

BEGINS = 0.1
"""Probability from which a word begins a thing; low, because a span that states nothing costs only its reading."""
LEAST = 0.02
"""Probability below which a relation is left out of a claim."""
_BOUND = 0.5
"""Probability from which a detail belongs to a thing."""
_NOBODY = "someone"
_LETTERS = re.compile(r"[^\W\d_]{2}")

_Rows = tuple[int, int]
"""First row of a window's vectors, and the index behind the last."""
_Marks = tuple[Sequence[bool], Sequence[bool], Sequence[int]]
"""For each row of a window: whether a run of words begins, whether it continues, and its kind."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Candidate:
    place: Place
    known: bool
    rows: _Rows


@dataclass(frozen=True, slots=True, kw_only=True)
class _Stretch:
    """Words of the utterance or question that are read in one window."""

    first: int
    """Row of the vectors at which they begin."""
    pieces: Pieces
    in_question: bool

    def rows(self, first: int, last: int) -> _Rows:
        """Returns the rows of pieces `first` to `last` (excluded)."""
        return self.first + first, self.first + last

    def runs(self, marks: _Marks) -> Iterator[tuple[Place, _Rows, int]]:
        """Yields runs of whole words with their kind; the first piece decides for its word."""
        begins, goes_on, kinds = marks
        found: list[tuple[int, int, int]] = []
        is_open = False
        for first, last in self.pieces.whole_words():
            row = self.first + first
            if is_open and goes_on[row] and kinds[row] == found[-1][2]:
                found[-1] = (found[-1][0], last, kinds[row])
                continue
            is_open = begins[row]
            if is_open:
                found.append((first, last, kinds[row]))
        for first, last, kind in found:
            start, end = self.pieces.starts[first], self.pieces.ends[last - 1]
            yield Place(start=start, end=end, in_question=self.in_question), self.rows(first, last), kind


class TaughtReader:
    """Reads utterances of one domain.

    Encoder and heads are loaded at the first reading, as most commands read nothing.
    """

    def __init__(
        self, labels: Labels, parts: Callable[[], tuple[Encoder, Heads]], *, version: str = "", least: float = LEAST
    ) -> None:
        """`version` names the weights; `least` is the probability below which a relation is left out."""
        self.labels = labels
        self.version = version
        self._parts = parts
        self._least = least

    @cached_property
    def _loaded(self) -> tuple[Encoder, Heads]:
        return self._parts()

    @cached_property
    def _speakers(self) -> Mapping[str, tuple[int, ...]]:
        """The pieces that name each speaker."""
        return {name: self._loaded[0].pieces(f"{name} :").ids for name in (*self.labels.speakers, _NOBODY)}

    @cached_property
    def _libraries(self) -> ThreadpoolController:
        return ThreadpoolController()

    def read(
        self,
        text: str,
        *,
        question: str = "",
        speaker: str = "",
        mentions: Sequence[Place] = (),
    ) -> tuple[TaughtClaim, ...]:
        """Returns a claim for each mention and each thing that the tagger finds, in order. Never raises for any text.

        `question` is the turn before, of which only the end is read; mentions before that get no claim. `speaker` is a
        speaker of the labels; any other name counts as unknown.
        """
        encoder, _ = self._loaded
        whole, asked = encoder.pieces(text), tail(encoder.pieces(question))
        before = (encoder.begin, *self._speakers.get(speaker, self._speakers[_NOBODY]), *asked.ids, encoder.stop)
        of_question = _Stretch(first=len(before) - 1 - len(asked), pieces=asked, in_question=True)
        known = Places((place, place) for place in mentions)
        claims: list[TaughtClaim] = []
        for window in windows(whole, text):
            here = Place(start=whole.starts[window.first], end=whole.ends[window.last - 1])
            named = known.touching(here)
            asks = not window.first and len(asked) > 0
            # A window of marks, figures and single letters is not worth its reading.
            if not (asks or named or _LETTERS.search(text, here.start, here.end)):
                continue
            body = whole.part(window.first, window.last)
            said = _Stretch(first=len(before) + window.first - window.shown, pieces=body, in_question=False)
            floor = whole.ends[window.first - 1] if window.first else 0
            # A mention that begins before is read in the window before.
            begun = mentions if asks else [place for place in named if place.start >= floor]
            ids = (*before, *whole.ids[window.shown : window.last], encoder.stop)
            # Threads wait for each other over matrices this small: 33 ms a layer against .15 on a busy machine.
            with self._libraries.limit(limits=1, user_api="blas"):
                vectors = encoder.vectors(ids, len(before))
                claims += self._window(vectors, (of_question, said) if asks else (said,), begun)
        return tuple(sorted(claims, key=lambda claim: claim.place))

    def _window(
        self, vectors: Vectors, stretches: Sequence[_Stretch], mentions: Sequence[Place]
    ) -> Iterable[TaughtClaim]:
        """Returns the claims of one window."""
        heads = self._loaded[1]
        things = _things(heads.tags(vectors))
        candidates = [candidate for stretch in stretches for candidate in _candidates(stretch, things, mentions)]
        if not candidates:
            return ()
        attributes = _attributes(heads.details(vectors))
        found = [run for stretch in stretches for run in stretch.runs(attributes)]
        bound = heads.bindings(
            vectors, [candidate.rows for candidate in candidates], [(*rows, kind) for _, rows, kind in found]
        )
        details = (
            tuple(
                Detail(name=self.labels.attributes[kind], place=place, probability=float(probability))
                for (place, _, kind), probability in zip(found, row, strict=True)
                if probability >= _BOUND
            )
            for row in bound
        )
        return _surest(self._claims(vectors, candidates, tuple(details)))

    def _claims(
        self, vectors: Vectors, candidates: Sequence[_Candidate], details: Sequence[tuple[Detail, ...]]
    ) -> Iterator[TaughtClaim]:
        labels, heat = self.labels, self.labels.temperatures
        scores = self._loaded[1].spans(vectors, [candidate.rows for candidate in candidates])
        nothing = _sigmoid(scores.relations[:, -1] / heat.nothing).tolist()
        stated = _sigmoid(scores.relations[:, :-1] / heat.relation).tolist()
        statuses = softmax(scores.statuses / heat.status).tolist()
        persons = softmax(scores.persons / heat.person).tolist()
        classes = {name: logits.argmax(axis=1).tolist() for name, logits in scores.classes.items()}
        for number, (candidate, own) in enumerate(zip(candidates, details, strict=True)):
            statements = [
                TaughtStatement(
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


def load_readers(weights: Weights) -> Mapping[str, TaughtReader]:
    """Returns a reader for each domain of the weights; all share one encoder.

    Loading the encoder takes some tenths of a second, at the first reading. That reading raises `ConfigurationError` if
    a file is not what its name says, or if heads and labels do not fit.
    """

    @cache
    def encoder() -> Encoder:
        # The runtime may be absent, and is heavy.
        from r_memory.reading.taught.encoder import OnnxEncoder, WordPieces  # noqa: PLC0415 - as said

        return OnnxEncoder(weights.folder / ENCODER, WordPieces(weights.folder / TOKENIZER))

    def reader(labels: Labels) -> TaughtReader:
        return TaughtReader(
            labels,
            lambda: (encoder(), Heads(read_arrays(weights.folder / HEADS), labels)),
            version=weights.labels.version,
        )

    return {name: reader(labels) for name, labels in weights.labels.domains.items()}


def _candidates(stretch: _Stretch, things: _Marks, mentions: Sequence[Place]) -> Iterator[_Candidate]:
    """Yields every mention, then what the tagger finds beside them."""
    seen = {place: rows for place, rows, _ in stretch.runs(things)}
    taken = set()
    for place in mentions:
        span = stretch.pieces.around(place.start, place.end) if place.in_question == stretch.in_question else None
        if span is None:
            continue
        # "metal" within "metal heart valve" is a part of a name.
        whole = next((item for item in seen if item.start <= place.start and place.end <= item.end), place)
        if whole not in taken:
            taken.add(whole)
            inside = {rows for each, rows in seen.items() if whole.start <= each.start and each.end <= whole.end}
            for rows in inside | {stretch.rows(*span)} if whole == place else inside:
                yield _Candidate(place=whole, known=True, rows=rows)
    for place, rows in seen.items():
        if not any(place.touches(other) for other in taken):
            yield _Candidate(place=place, known=False, rows=rows)


def _surest(claims: Iterable[TaughtClaim]) -> Iterable[TaughtClaim]:
    """Yields the claim of each place that is surest that something is stated."""
    best: dict[Place, TaughtClaim] = {}
    for claim in claims:
        if claim.place not in best or claim.nothing < best[claim.place].nothing:
            best[claim.place] = claim
    return best.values()


def _things(tags: Vectors) -> _Marks:
    """Returns where the tagger finds things."""
    outside, begins, inside = tags.T
    return (
        ((begins >= BEGINS) | (inside > outside)).tolist(),
        (inside >= np.maximum(outside, begins)).tolist(),
        [0] * len(tags),
    )


def _attributes(tags: Vectors) -> _Marks:
    """Returns where the tagger finds attributes, with the index of each kind."""
    best = tags.argmax(axis=1)
    return (best > 0).tolist(), ((best > 0) & (best % 2 == 0)).tolist(), ((best - 1) // 2).tolist()


def _sigmoid(logits: Vectors) -> Vectors:
    return np.asarray(1 / (1 + np.exp(-logits)), dtype=np.float32)
