"""The items of one space in memory, as columns: which are alive, whose they are, how old, what they mean and say.

Everything is exact: no item of the searched conversations is left out by an approximation. Knows no store and no
formula; `scoring.py` makes scores of what it gives.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace

import numpy as np

from r_memory.domain.instants import Instant
from r_memory.domain.memories import Layer, MemoryItem, Tier, Vector
from r_memory.protocols import Floats
from r_memory.text.fitting import units
from r_memory_talk.stream.layers import MEMORIES
from r_memory_talk.stream.lexical import LexicalIndex, Mask, Rows, Scores
from r_memory_talk.stream.words import DEFAULT_LANGUAGE, SearchQuery, Term, terms, terms_of

_FIRST = 1024
"""Rows of the first allocation; the number doubles when it is full."""
_COMMON = 0.05
"""Share of the items from which a language is in use."""
_INDEX_BITS = 32
"""Bits of a place for the turn's index; the others hold the conversation."""
_MOST = 0.5
"""Share of rows from which reading all vectors is faster than selecting rows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """Which items are searched; an empty field does not restrict."""

    conversation_uid: str = ""
    subject_uid: str = ""
    skip_last: int = 0
    """Newest turns of the conversation to leave out, as they are shown anyway (flash memory)."""
    without: frozenset[str] = frozenset()
    layer: Layer = Layer.EVERYTHING
    documents: bool = False
    """Also search documents about the subject or no subject, in any conversation; without a subject only the latter."""
    elsewhere: bool = False
    """Also search other conversations about the same subject; none without a subject."""


class IndexColumns:
    """The numbers of all items, one row for each; the allocation grows, and no row is alive at first."""

    vectors: Floats
    alive: Mask
    meant: Mask
    """Whether it has a vector of the present embedder."""
    memory: Mask
    """Whether it is a memory made of turns."""
    document: Mask
    """Whether it belongs to a document."""
    covered: Mask
    """Whether it is part of a memory."""
    created: Rows
    accessed: Rows
    index: Rows
    seq: Rows
    importance: Rows
    conversation: Rows
    subject: Rows
    following: Rows
    """Row of the next turn in its conversation, or -1."""
    preceding: Rows
    """Row of the turn before, or -1."""

    def __init__(self, rows: int, dimensions: int) -> None:
        self.vectors = np.zeros((rows, dimensions), dtype=np.float32)
        self.alive, self.meant, self.memory, self.document, self.covered = np.zeros((5, rows), dtype=np.bool_)
        self.created, self.accessed, self.index, self.seq = np.zeros((4, rows), dtype=np.int64)
        self.importance, self.conversation, self.subject = np.zeros((3, rows), dtype=np.int64)
        self.following, self.preceding = np.full((2, rows), -1, dtype=np.int64)

    def grown(self, rows: int) -> "IndexColumns":
        """Returns a copy with room for `rows` rows."""
        new = IndexColumns(rows, self.vectors.shape[1])
        for name, column in vars(self).items():
            getattr(new, name)[: len(column)] = column
        return new

    def first(self, rows: int) -> "IndexColumns":
        """Returns a view of the first `rows` rows."""
        part = object.__new__(IndexColumns)
        for name, column in vars(self).items():
            setattr(part, name, column[:rows])
        return part


class StreamIndex:
    """The items of one space as rows.

    A row is never reused; an item with changed words gets a new row.
    """

    def __init__(self, *, model: str, dimensions: int) -> None:
        self.model = model
        self.dimensions = dimensions
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
        self._speakers: defaultdict[str, set[str]] = defaultdict(set)
        """Conversation or subject to the names of those who spoke."""
        self._lexical = LexicalIndex()
        self._columns = IndexColumns(_FIRST, dimensions)
        self._memories: defaultdict[str, set[str]] = defaultdict(set)
        """Id to the memories that it is part of."""
        self.rarity = self._lexical.rarity
        """What a term weighs: more, the fewer items hold it."""

    # --- what there is ---------------------------------------------------------------------------------------------

    @property
    def columns(self) -> IndexColumns:
        """The numbers of every row, alive or not."""
        return self._columns.first(len(self._items))

    @property
    def languages(self) -> tuple[str, ...]:
        """Languages in use, most frequent first."""
        total = sum(self._languages.values())
        ordered = sorted(self._languages.items(), key=lambda one: (-one[1], one[0]))
        return tuple(code for code, count in ordered if count and count >= _COMMON * total)

    def item(self, row: int) -> MemoryItem:
        """Returns the item of a row."""
        return self._items[row]

    def get(self, id_: str) -> MemoryItem | None:
        """Returns the living item with this id; `None` if there is none."""
        row = self._row_of.get(id_)
        return None if row is None else self._items[row]

    def memory_of(self, id_: str) -> str:
        """Returns the id of the outermost memory that includes an item; empty if there is none."""
        found = ""
        while parts := self._memories.get(found or id_):
            found = min(parts)
        return found

    def within(self, scope: Scope) -> tuple[MemoryItem, ...]:
        """Returns the items of a scope, oldest first."""
        found = (self._items[row] for row in np.flatnonzero(self.searched(scope)))
        return tuple(sorted(found, key=lambda item: item.seq))

    def stale(self) -> Iterator[MemoryItem]:
        """Yields living items without a vector of the present embedder, in row order."""
        columns = self.columns
        return (self._items[row] for row in np.flatnonzero(columns.alive & ~columns.meant))

    def rested(self, subject_uid: str, *, before: Instant, least: int) -> tuple[str, ...]:
        """Returns the names of a subject's conversations whose last turn is before `before`.

        Only conversations with at least `least` turns that are in no memory.
        """
        columns = self.columns
        mask = columns.alive & self._about(subject_uid) & ~(columns.memory | columns.document)
        rows = np.flatnonzero(mask)
        found = []
        for code in np.unique(columns.conversation[rows]):
            own = rows[columns.conversation[rows] == code]
            if np.count_nonzero(~columns.covered[own]) >= least and columns.created[own].max() < before:
                found.append(self._items[own[0]].conversation)
        return tuple(found)

    def speakers(self, scope: Scope) -> AbstractSet[str]:
        """Returns the speakers' names about the subject of a scope, or else in its conversation.

        Names stay after their items were forgotten.
        """
        key = f"s:{scope.subject_uid}" if scope.subject_uid else f"c:{scope.conversation_uid}"
        return self._speakers.get(key, frozenset())

    def places(self, rows: Rows) -> Rows:
        """Returns a number for each turn; the next turn of its conversation has the next number."""
        places: Rows = (self._columns.conversation[rows] << _INDEX_BITS) + self._columns.index[rows]
        return places

    # --- what a search looks at ------------------------------------------------------------------------------------

    def searched(self, scope: Scope) -> Mask:
        """Returns the mask of the rows in a scope."""
        columns = self.columns
        mask = columns.alive.copy()
        mask[[row for id_ in scope.without if (row := self._row_of.get(id_)) is not None]] = False
        documents = mask & columns.document
        mask &= self._layer(scope.layer)
        if scope.subject_uid:
            mask &= self._about(scope.subject_uid)
        own = mask & self._in(scope.conversation_uid) if scope.conversation_uid else mask
        if scope.skip_last > 0 and own.any():
            own = own & (columns.index <= int(columns.index[own].max()) - scope.skip_last)
        if scope.documents:
            own = own | (documents & (self._about("") | self._about(scope.subject_uid)))
        return own | (mask & self.elsewhere(scope)) if scope.elsewhere else own

    def elsewhere(self, scope: Scope) -> Mask:
        """Returns the mask of rows in other conversations about the same subject, without documents."""
        if not (scope.subject_uid and scope.conversation_uid):
            return np.zeros(len(self._items), dtype=np.bool_)
        return ~(self._in(scope.conversation_uid) | self.columns.document)

    def holds_beside(self, scope: Scope) -> bool:
        """Whether a scope holds a document, or an item of another conversation."""
        mask = self.searched(scope)
        return bool((mask & (self.columns.document | self.elsewhere(scope))).any())

    def lexical(self, asked: SearchQuery, mask: Mask) -> tuple[Scores, float]:
        """Returns the BM25 of every row, and that of a text with all words of the question."""
        columns = self.columns
        named = np.flatnonzero(mask & np.isin(columns.index, asked.places)) if asked.places else ()
        return self._lexical.scores(asked, mask=mask, beside=(columns.following, columns.preceding), places=named)

    def most_held(self, weights: Mapping[tuple[Term, ...], float], scope: Scope) -> float:
        """Returns the largest weight of a question's words in one item of a scope."""
        return self._lexical.most_held(weights, self.searched(scope))

    def cosines(self, vector: Floats | None, mask: Mask) -> tuple[Floats, Mask]:
        """Returns the cosine of each masked row with a normalised vector, and the mask of rows with vectors."""
        columns, size = self.columns, len(self._items)
        if vector is None or len(vector) != self.dimensions:
            return np.zeros(size, dtype=np.float32), np.zeros(size, dtype=np.bool_)
        rows = np.flatnonzero(mask)
        # One thread: several that wait for each other took 22 ms on a busy machine where this takes 0.1.
        if len(rows) > size * _MOST:
            return np.vecdot(columns.vectors, vector), columns.meant & mask
        cosines: Floats = np.zeros(size, dtype=np.float32)
        cosines[rows] = np.vecdot(columns.vectors[rows], vector)
        return cosines, columns.meant & mask

    def likeness(self, ids: Sequence[str], vector: Floats | None = None) -> Floats:
        """Returns the cosines of items with each other, or of one normalised vector with each.

        0 for an item that is gone or has no vector.
        """
        rows = np.array([self._row_of.get(id_, -1) for id_ in ids], dtype=np.int64)
        vectors = self._columns.vectors[rows] * (self._columns.meant[rows] & (rows >= 0))[:, None]
        others = vectors if vector is None else vector[None, :]
        if others.shape[1] != vectors.shape[1]:
            return np.zeros((len(others), len(rows)), dtype=np.float32)
        cosines: Floats = others @ vectors.T
        return cosines

    def _about(self, subject_uid: str) -> Mask:
        return self._is(self.columns.subject, f"s:{subject_uid}")

    def _in(self, conversation_uid: str) -> Mask:
        return self._is(self.columns.conversation, f"c:{conversation_uid}")

    def _is(self, column: Rows, name: str) -> Mask:
        mask: Mask = column == self._codes.get(name, -1)
        return mask

    def _layer(self, layer: Layer) -> Mask:
        columns = self.columns
        if layer is Layer.EVERYTHING:
            return columns.alive
        if layer is Layer.TURNS:
            return ~columns.memory
        return ~columns.covered if layer is Layer.MEMORIES else ~(columns.memory & columns.covered)

    # --- what changes ----------------------------------------------------------------------------------------------

    def put_all(self, items: Sequence[MemoryItem]) -> None:
        """Adds new items and updates known ones, by id."""
        if items:
            self._set(np.array([self._placed(item) for item in items], dtype=np.int64), items)

    def drop(self, id_: str) -> None:
        """Removes an item; does nothing if it is unknown."""
        row = self._row_of.pop(id_, None)
        if row is None:
            return
        item = self._items[row]
        self._columns.alive[row] = False
        language = self._language_of[row]
        self._languages[language] -= 1
        self._lexical.drop([terms(text, language) for text in _words_of(item)])
        self._link(item, set.discard)
        if self._at.get((item.conversation_uid, item.index)) != row:
            return
        del self._at[item.conversation_uid, item.index]
        self._stand_between(item, -1)

    def _placed(self, item: MemoryItem) -> int:
        """Returns the row of an item, indexed by words and neighbours, but without its numbers yet."""
        row = self._row_of.get(item.id)
        if row is not None and _words_of(self._items[row]) != _words_of(item):
            self.drop(item.id)
            row = None
        # The vector stands in its column; a second copy would double the memory.
        bare = replace(item, vector=None)
        if row is None:
            row = self._added(bare)
        else:
            self._link(self._items[row], set.discard)
            self._items[row] = bare
        self._link(bare, set.add)
        return row

    def _added(self, item: MemoryItem) -> int:
        row = len(self._items)
        if row == len(self._columns.alive):
            self._columns = self._columns.grown(2 * row)
        self._items.append(item)
        self._row_of[item.id] = row
        self._columns.alive[row] = True
        self._cover(item.id)
        self._lexical.add(row, self._terms_of(item))
        for key in (f"c:{item.conversation_uid}", f"s:{item.subject_uid}"):
            self._speakers[key].update(filter(None, (item.speaker, item.responder)))
        if item.tier is Tier.TURN:
            # Turns may come in any order: whoever comes second makes the connection.
            self._at[item.conversation_uid, item.index] = row
            self._columns.preceding[row], self._columns.following[row] = self._stand_between(item, row)
        return row

    def _terms_of(self, item: MemoryItem) -> Sequence[Sequence[Term]]:
        heard = self._language_in.get(item.conversation_uid, DEFAULT_LANGUAGE)
        language, found = terms_of(_words_of(item), default=heard)
        self._language_in[item.conversation_uid] = language
        self._languages[language] += 1
        self._language_of.append(language)
        return found

    def _stand_between(self, item: MemoryItem, row: int) -> tuple[int, int]:
        """Links the turns before and after an item to its row; returns their rows, or -1."""
        key = item.conversation_uid
        before, after = (self._at.get((key, index), -1) for index in (item.index - 1, item.index + 1))
        if before >= 0:
            self._columns.following[before] = row
        if after >= 0:
            self._columns.preceding[after] = row
        return before, after

    def _link(self, item: MemoryItem, change: Callable[[set[str], str], None]) -> None:
        """Adds an item to, or removes it from, the parts of its memory."""
        for source in item.sources if item.tier in MEMORIES else ():
            change(self._memories[source], item.id)
            self._cover(source)

    def _cover(self, id_: str) -> None:
        if (row := self._row_of.get(id_)) is not None:
            self._columns.covered[row] = bool(self._memories.get(id_))

    def _set(self, rows: Rows, items: Sequence[MemoryItem]) -> None:
        """Writes the numbers of all rows together; one write per column is ten times faster than one per number."""
        columns = self._columns
        columns.created[rows] = [item.created_at for item in items]
        columns.accessed[rows] = [item.accessed_at for item in items]
        columns.index[rows] = [item.index for item in items]
        columns.seq[rows] = [item.seq for item in items]
        columns.importance[rows] = [item.importance for item in items]
        columns.memory[rows] = [item.tier in MEMORIES for item in items]
        columns.document[rows] = [item.tier is Tier.DOCUMENT for item in items]
        columns.conversation[rows] = [self._code(f"c:{item.conversation_uid}") for item in items]
        columns.subject[rows] = [self._code(f"s:{item.subject_uid}") for item in items]
        self._set_vectors(rows, [item.vector for item in items])

    def _set_vectors(self, rows: Rows, vectors: Sequence[Vector | None]) -> None:
        own = {
            int(row): vector
            for row, vector in zip(rows, vectors, strict=True)
            if vector is not None and vector.model == self.model
        }
        if own and not self.dimensions:
            # The first vector says how long all of them are, where the embedder did not.
            self.dimensions = next(iter(own.values())).dimensions
            self._columns.vectors = np.zeros((len(self._columns.alive), self.dimensions), dtype=np.float32)
        usable = {row: vector.data for row, vector in own.items() if vector.dimensions == self.dimensions}
        self._columns.meant[rows] = False
        if usable:
            meant = list(usable)
            self._columns.meant[meant] = True
            numbers = np.frombuffer(b"".join(usable.values()), dtype="<f4").reshape(len(meant), self.dimensions)
            self._columns.vectors[meant] = units(numbers)

    def _code(self, name: str) -> int:
        return self._codes.setdefault(name, len(self._codes))


def _words_of(item: MemoryItem) -> tuple[str, str]:
    """Returns the texts that word search reads: raw turns with their speakers; of other items the summary."""
    if not (item.observation or item.response):
        return item.summary, ""
    said = f"{item.speaker} {item.observation}" if item.speaker else item.observation
    answered = f"{item.responder} {item.response}" if item.responder and item.response else item.response
    return said, answered
