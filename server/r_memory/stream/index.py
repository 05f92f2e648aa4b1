"""The items of one space in memory, as columns: which are alive, whose they are, how old, what they mean and say.

Everything is exact: no item of the searched conversations is left out by an approximation. Knows no store and no
formula; `profiles.py` makes scores of what it gives.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from r_memory.domain.instants import Instant
from r_memory.domain.memories import MemoryItem, Tier
from r_memory.protocols import Floats
from r_memory.stream.layers import MEMORIES, Layer, Layers
from r_memory.stream.lexical import Beside, Bm25, LexicalIndex, Mask, Rows, Scores
from r_memory.stream.words import DEFAULT_LANGUAGE, Asked, Term, terms_of

_FIRST = 1024
"""Rows that there is room for at first; room doubles."""
_COMMON = 0.05
"""Share of the items from which a language counts as in use."""
_MOST = 0.5
"""Share of the rows from which reading all vectors is faster than picking out those that are searched."""
Whole = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """Which items are searched; empty fields do not confine."""

    conversation_uid: str = ""
    subject_uid: str = ""
    skip_last: int = 0
    """Newest turns of the conversation that are shown anyway (flash memory)."""
    without: frozenset[str] = frozenset()
    """Ids to leave out."""
    layer: Layer = Layer.EVERYTHING


@dataclass(slots=True)
class _Columns:
    """One number a row, with room to grow."""

    vectors: Floats
    meant: Mask
    """Whether there is a vector of the present embedder."""
    alive: Mask
    created: Whole
    accessed: Whole
    index: Whole
    seq: Whole
    importance: Whole
    conversation: Whole
    subject: Whole
    following: Rows
    """Row of the next turn of the same conversation, or -1."""
    preceding: Rows
    """Row of the turn before, or -1."""
    memory: Mask
    """Whether it was made of turns."""
    covered: Mask
    """Whether it is part of a memory."""


class StreamIndex:
    """Rows of one space; a row is never reused, and the words of an item that changed move to a new one."""

    def __init__(self, *, model: str, dimensions: int, settings: Bm25) -> None:
        self.model = model
        self.dimensions = dimensions
        self._settings = settings
        self._items: list[MemoryItem] = []
        self._row_of: dict[str, int] = {}
        self._at: dict[tuple[str, int], int] = {}
        """Key of the conversation and index to row."""
        self._codes: dict[str, int] = {}
        """Names of conversations and subjects to numbers."""
        self._languages: Counter[str] = Counter()
        self._language_in: dict[str, str] = {}
        """Language that a conversation was last heard in."""
        self._language_of: list[str] = []
        """Of each row."""
        self._lexical = LexicalIndex(settings)
        self._columns = _empty(_FIRST, dimensions)
        self._layers = Layers()

    def __len__(self) -> int:
        return len(self._row_of)

    @property
    def unmeant(self) -> int:
        """Living items without a vector of the present embedder."""
        size = len(self._items)
        return int((self._columns.alive[:size] & ~self._columns.meant[:size]).sum())

    @property
    def languages(self) -> tuple[str, ...]:
        """Languages in use, the most frequent first."""
        total = sum(self._languages.values())
        ordered = sorted(self._languages.items(), key=lambda one: (-one[1], one[0]))
        return tuple(code for code, count in ordered if count and count >= _COMMON * total)

    def item(self, row: int) -> MemoryItem:
        """The item of a row."""
        return self._items[row]

    def get(self, id_: str) -> MemoryItem | None:
        """The living item of this id."""
        row = self._row_of.get(id_)
        return None if row is None else self._items[row]

    def within(self, scope: Scope) -> tuple[MemoryItem, ...]:
        """The items of a scope, oldest first."""
        found = (self._items[int(row)] for row in np.flatnonzero(self.searched(scope)))
        return tuple(sorted(found, key=lambda item: item.seq))

    def stale(self) -> Iterator[MemoryItem]:
        """Living items without a vector of the present embedder, oldest row first."""
        for row in sorted(self._row_of.values()):
            if not self._columns.meant[row]:
                yield self._items[row]

    def put(self, item: MemoryItem) -> None:
        """Adds an item, or makes the known one as it is now."""
        row = self._row_of.get(item.id)
        if row is not None and _words_of(self._items[row]) != _words_of(item):
            self.drop(item.id)
            row = None
        if row is None:
            row = self._added(item)
        self._set(row, item)
        self._cover((item.id, *self._layers.put(item)))

    def drop(self, id_: str) -> None:
        """Forgets an item; one that is not known is none."""
        row = self._row_of.pop(id_, None)
        if row is None:
            return
        item = self._items[row]
        self._columns.alive[row] = False
        self._languages[self._language_of[row]] -= 1
        self._cover(self._layers.drop(id_))
        if self._at.get((item.conversation_uid, item.index)) != row:
            return
        del self._at[item.conversation_uid, item.index]
        before, after = self._neighbours_of(item)
        if before >= 0:
            self._columns.following[before] = -1
        if after >= 0:
            self._columns.preceding[after] = -1

    def searched(self, scope: Scope) -> Mask:
        """Which rows a scope holds."""
        size = len(self._items)
        mask = self._columns.alive[:size].copy()
        if scope.conversation_uid:
            mask &= self._columns.conversation[:size] == self._codes.get(f"c:{scope.conversation_uid}", -1)
        if scope.subject_uid:
            mask &= self._columns.subject[:size] == self._codes.get(f"s:{scope.subject_uid}", -1)
        for id_ in scope.without:
            if (row := self._row_of.get(id_)) is not None:
                mask[row] = False
        if scope.layer is not Layer.EVERYTHING:
            mask &= self._layer(scope.layer)
        return _without_last(mask, self._columns.index[:size], scope.skip_last)

    def likeness(self, ids: Sequence[str], vector: Floats | None = None) -> Floats:
        """Cosines of items with one another, or of one normalised vector with each; 0 where one has none or is gone."""
        rows = np.array([self._row_of.get(id_, -1) for id_ in ids], dtype=np.int64)
        vectors = self._columns.vectors[rows] * (self._columns.meant[rows] & (rows >= 0))[:, None]
        others = vectors if vector is None else vector[None, :]
        if others.shape[1] != vectors.shape[1]:
            return np.zeros((len(others), len(rows)), dtype=np.float32)
        cosines: Floats = others @ vectors.T
        return cosines

    def lexical(self, asked: Asked, mask: Mask) -> Scores:
        """BM25 of every row."""
        named = self._named(asked.places, mask)
        size = len(mask)
        beside = Beside(self._columns.following[:size], self._columns.preceding[:size])
        return self._lexical.scores(asked, mask=mask, beside=beside, places=named)

    def cosines(self, vector: Floats, mask: Mask) -> tuple[Floats, Mask]:
        """Cosine of every row that is searched with a normalised vector, and which rows have one at all."""
        size = len(self._items)
        if len(vector) != self.dimensions:
            return np.zeros(size, dtype=np.float32), np.zeros(size, dtype=np.bool_)
        vectors, meant = self._columns.vectors[:size], self._columns.meant[:size]
        rows = np.flatnonzero(mask)
        # One thread: several that wait for each other took 22 ms on a busy machine where this takes 0.1.
        if len(rows) > size * _MOST:
            cosines: Floats = np.vecdot(vectors, vector)
            return cosines, meant
        cosines = np.zeros(size, dtype=np.float32)
        cosines[rows] = np.vecdot(vectors[rows], vector)
        return cosines, meant

    def created(self) -> Whole:
        """When each row was said."""
        return self._columns.created[: len(self._items)]

    def accessed(self) -> Whole:
        """When each row was last used."""
        return self._columns.accessed[: len(self._items)]

    def importance(self) -> Whole:
        """From 1 to 10."""
        return self._columns.importance[: len(self._items)]

    def seqs(self) -> Whole:
        """Larger for newer items."""
        return self._columns.seq[: len(self._items)]

    def places(self) -> Whole:
        """Place of each row in its conversation."""
        return self._columns.index[: len(self._items)]

    def _layer(self, layer: Layer) -> Mask:
        size = len(self._items)
        memory, covered = self._columns.memory[:size], self._columns.covered[:size]
        if layer is Layer.TURNS:
            return ~memory
        return ~covered if layer is Layer.MEMORIES else ~(memory & covered)

    def _cover(self, ids: Iterable[str]) -> None:
        for id_ in ids:
            if (row := self._row_of.get(id_)) is not None:
                self._columns.covered[row] = self._layers.covered(id_)

    def _named(self, places: Sequence[int], mask: Mask) -> Rows:
        if not places:
            return np.zeros(0, dtype=np.int64)
        return np.flatnonzero(mask & np.isin(self._columns.index[: len(mask)], places))

    def _added(self, item: MemoryItem) -> int:
        row = len(self._items)
        if row == len(self._columns.alive):
            self._columns = _grown(self._columns, 2 * row)
        self._items.append(item)
        self._row_of[item.id] = row
        self._lexical.add(row, self._terms_of(item))
        self._connect(item, row)
        return row

    def _connect(self, item: MemoryItem, row: int) -> None:
        """Turns may come in any order: whoever comes second makes the connection."""
        columns = self._columns
        columns.following[row] = columns.preceding[row] = -1
        if item.tier is not Tier.TURN:
            return
        self._at[item.conversation_uid, item.index] = row
        before, after = self._neighbours_of(item)
        columns.following[row], columns.preceding[row] = after, before
        if before >= 0:
            columns.following[before] = row
        if after >= 0:
            columns.preceding[after] = row

    def _neighbours_of(self, item: MemoryItem) -> tuple[int, int]:
        """Rows of the turns before and after it, or -1."""
        key = item.conversation_uid
        return self._at.get((key, item.index - 1), -1), self._at.get((key, item.index + 1), -1)

    def _set(self, row: int, item: MemoryItem) -> None:
        columns = self._columns
        columns.alive[row] = True
        columns.created[row], columns.accessed[row] = item.created_at, item.accessed_at
        columns.index[row], columns.seq[row], columns.importance[row] = item.index, item.seq, item.importance
        columns.memory[row] = item.tier in MEMORIES
        columns.conversation[row] = self._code(f"c:{item.conversation_uid}")
        columns.subject[row] = self._code(f"s:{item.subject_uid}")
        vector = item.vector
        if vector is not None and not self.dimensions and vector.model == self.model:
            self._widen(vector.dimensions)
        columns.meant[row] = vector is not None and vector.model == self.model and vector.dimensions == self.dimensions
        if vector is not None and columns.meant[row]:
            columns.vectors[row] = normalised(np.frombuffer(vector.data, dtype="<f4"))
        # The vector stands in its column; a second copy would double the memory.
        self._items[row] = replace(item, vector=None)

    def _widen(self, dimensions: int) -> None:
        """The first vector says how long all of them are, where the embedder did not."""
        self.dimensions = dimensions
        self._columns.vectors = np.zeros((len(self._columns.alive), dimensions), dtype=np.float32)

    def _terms_of(self, item: MemoryItem) -> Sequence[Sequence[Term]]:
        heard = self._language_in.get(item.conversation_uid, DEFAULT_LANGUAGE)
        language, found = terms_of(_words_of(item), default=heard)
        self._language_in[item.conversation_uid] = language
        self._languages[language] += 1
        self._language_of.append(language)
        return found

    def _code(self, name: str) -> int:
        return self._codes.setdefault(name, len(self._codes))


def normalised(vector: Floats) -> Floats:
    """The vector at length 1; zeros stay zeros."""
    length = float(np.linalg.norm(vector))
    return vector / np.float32(length) if length > 0 else vector


def oldest(created: Whole, *, otherwise: Instant) -> Instant:
    """When the first of the searched items was said."""
    return int(created.min()) if len(created) else otherwise


def _words_of(item: MemoryItem) -> tuple[str, str]:
    """What is searched by its words: raw turns with their speakers; of anything else the summary."""
    if not (item.observation or item.response):
        return item.summary, ""
    said = f"{item.speaker} {item.observation}" if item.speaker else item.observation
    answered = f"{item.responder} {item.response}" if item.responder and item.response else item.response
    return said, answered


def _without_last(mask: Mask, index: Whole, number: int) -> Mask:
    if number > 0 and mask.any():
        mask &= index <= int(index[mask].max()) - number
    return mask


def _empty(rows: int, dimensions: int) -> _Columns:
    def whole() -> Whole:
        return np.zeros(rows, dtype=np.int64)

    return _Columns(
        vectors=np.zeros((rows, dimensions), dtype=np.float32),
        meant=np.zeros(rows, dtype=np.bool_),
        alive=np.zeros(rows, dtype=np.bool_),
        created=whole(),
        accessed=whole(),
        index=whole(),
        seq=whole(),
        importance=whole(),
        conversation=whole(),
        subject=whole(),
        following=np.full(rows, -1, dtype=np.int64),
        preceding=np.full(rows, -1, dtype=np.int64),
        memory=np.zeros(rows, dtype=np.bool_),
        covered=np.zeros(rows, dtype=np.bool_),
    )


def _grown(old: _Columns, rows: int) -> _Columns:
    new = _empty(rows, old.vectors.shape[1])
    size = len(old.alive)
    for name in _Columns.__slots__:
        getattr(new, name)[:size] = getattr(old, name)
    return new
