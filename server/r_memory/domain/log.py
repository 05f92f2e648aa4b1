"""The append-only log of what is recorded: entries with the digest of one record each, and the tree over them.

Every subject has a log of its own (what was said about it, what was recorded, what was shown), and the space has one
(who was declared, what was kept of conversations). An entry never changes and is never taken away; what replaces a
record, or erases it, is a further entry that names the one it ends. So the records that are there must be those of the
entries that stand, and an entry says nothing of the words: an erasure leaves it whole. The tree is RFC 6962's.
Pure; knows digests, not what was recorded.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

MODULUS = 2**61
"""Of a head's sum: two of them still fit a store's whole numbers."""
EMPTY_ROOT = hashlib.sha256().hexdigest()


def leaf(kind: str, record: Mapping[str, object]) -> str:
    """sha256 over a record as it is stored; its salt is part of it, so that nobody can guess what was erased."""
    text = json.dumps([kind, record], sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def weight(leaves: Iterable[str]) -> int:
    """What entries with these leaves add to the sum of a head, which a store can add up by itself."""
    return sum(int(one[:15], 16) for one in leaves) % MODULUS


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One line of a log."""

    seq: int
    """Its place, from 1."""
    kind: str
    leaf: str
    ends: tuple[int, ...] = ()
    """Places of the entries whose records are replaced or gone since."""

    @property
    def node(self) -> bytes:
        """The leaf of the tree: RFC 6962 puts a zero before it."""
        text = json.dumps([self.seq, self.kind, self.leaf, self.ends])
        return hashlib.sha256(b"\x00" + text.encode()).digest()


@dataclass(frozen=True, slots=True, kw_only=True)
class LogHead:
    """The end of a log, kept where every writer passes."""

    id: str
    """A random name, which an erased subject leaves to its trace."""
    size: int = 0
    sum: int = 0
    """`weight` of all entries."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """What the log says that there is, as it lies in the store."""

    where: str
    """For people: `event 3`, `receipt 01JD…`."""
    seq: int
    """The entry that it names; 0 for none."""
    kind: str
    leaf: str
    """Computed from what is there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Log:
    """One log with what it is about."""

    head: LogHead
    entries: tuple[Entry, ...]
    """By place."""
    records: tuple[Record, ...]


def problems(log: Log) -> Iterator[tuple[str, str]]:
    """Everything at which a log, its head and its records differ, as where and what; nothing if they are whole."""
    yield from _head_problems(log)
    entries = {entry.seq: entry for entry in log.entries}
    ended = Counter(seq for entry in log.entries for seq in entry.ends)
    yield from ((f"entry {seq}", "is ended by an entry that came before it or is not there") for seq in _untimely(log))
    seen = Counter(record.seq for record in log.records)
    for record in log.records:
        entry = entries.get(record.seq)
        if record.seq == 0:
            yield record.where, "is in no log: it was put there by hand"
        elif entry is None or entry.kind != record.kind or ended[record.seq]:
            yield record.where, "is not what its entry in the log is about"
        elif entry.leaf != record.leaf:
            yield record.where, "was altered after it was recorded"
        elif seen[record.seq] > 1:
            yield record.where, "is there more than once"
    for entry in log.entries:
        if not seen[entry.seq] and not ended[entry.seq] and entry.kind not in NOTES:
            yield f"entry {entry.seq}", f"tells of a {entry.kind} that is gone"
        if ended[entry.seq] > 1:
            yield f"entry {entry.seq}", "is ended twice"


NOTES = frozenset({"removed", "restored"})
"""Kinds of entries that say what was done and have no record."""


def _head_problems(log: Log) -> Iterator[tuple[str, str]]:
    size = len(log.entries)
    if [entry.seq for entry in log.entries] != list(range(1, size + 1)) or size != log.head.size:
        yield "log", f"has {size} entries where its head counts {log.head.size}: its end was cut off, or a part is lost"
    elif weight(entry.leaf for entry in log.entries) != log.head.sum:
        yield "log", "has entries whose sum is not that of its head: one was altered"


def _untimely(log: Log) -> list[int]:
    return [seq for entry in log.entries for seq in entry.ends if not 1 <= seq < entry.seq]


# --- the tree of RFC 6962, section 2.1 --------------------------------------------------------------------------------


def root(entries: Sequence[Entry]) -> str:
    """The hash of the tree over the entries, in their order; of none, that of nothing."""
    return tree_hash([entry.node for entry in entries])


def tree_hash(nodes: Sequence[bytes]) -> str:
    """The hash of a tree over nodes."""
    return _tree(nodes).hex() if nodes else EMPTY_ROOT


def path(nodes: Sequence[bytes], place: int) -> list[str]:
    """What it takes to get from the node at this place (from 0) to the hash of the tree."""
    if len(nodes) == 1:
        return []
    half = _half(len(nodes))
    if place < half:
        return [*path(nodes[:half], place), tree_hash(nodes[half:])]
    return [*path(nodes[half:], place - half), tree_hash(nodes[:half])]


def is_on_path(node: bytes, place: int, size: int, siblings: Sequence[str], expected: str) -> bool:
    """Whether a node at this place (from 0) belongs to the tree of this hash; needs nothing but the path."""
    return _climbed(node, place, size, [bytes.fromhex(one) for one in siblings]) == bytes.fromhex(expected)


def _climbed(node: bytes, place: int, size: int, siblings: Sequence[bytes]) -> bytes:
    if size <= 1 or not siblings:
        return node if size == 1 and not siblings else b""
    half, (*rest, last) = _half(size), siblings
    if place < half:
        return _joined(_climbed(node, place, half, rest), last)
    return _joined(last, _climbed(node, place - half, size - half, rest))


def _tree(nodes: Sequence[bytes]) -> bytes:
    """Level by level: an odd one out moves up as it is, which gives RFC 6962's left-full trees."""
    level = list(nodes)
    while len(level) > 1:
        joined = [_joined(level[at], level[at + 1]) for at in range(0, len(level) - 1, 2)]
        level = joined + level[len(joined) * 2 :]
    return level[0]


def _joined(left: bytes, right: bytes) -> bytes:
    return hashlib.sha256(b"\x01" + left + right).digest()


def _half(size: int) -> int:
    """The largest power of two below the size."""
    return 1 << ((size - 1).bit_length() - 1)
