"""The append-only log of what is recorded: entries with the digest of one record each, the Merkle tree over them, and
checkpoints.

Each subject has a log (statements, events, receipts), and the space has one (declared subjects, conversations). Entries
never change and are never removed; a record that replaces or erases another gets a further entry that names the ended
one. Entries contain no words, so an erasure leaves them whole. The tree is that of RFC 6962. Pure; it knows digests,
not records.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

MODULUS = 2**61
"""Modulus of a head's sum: the sum of two still fits into a store's integers."""
_ENCODER = json.JSONEncoder(
    sort_keys=True,
    ensure_ascii=False,
    separators=(",", ":"),
    # A type that we never write, such as a date, becomes an object, which no record of ours contains.
    default=lambda value: {"kind": type(value).__name__, "value": repr(value)},
)
EMPTY_ROOT = hashlib.sha256().hexdigest()


def leaf(kind: str, record: Mapping[str, object]) -> str:
    """The kind of a record, and the sha256 of its stored content.

    The salt in it keeps erased content from being guessed.
    """
    return leaf_of_text(kind, record_text(kind, record))


def record_text(kind: str, record: Mapping[str, object]) -> str:
    """The text over which the digest of a record is computed."""
    return _ENCODER.encode([kind, record])


def leaf_of_text(kind: str, text: str) -> str:
    """The leaf of the record with this `record_text`."""
    return f"{kind}:{hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()}"


def weight(leaves: Iterable[str]) -> int:
    """What entries with these leaves add to the sum of a head; a store can compute it."""
    return sum(int.from_bytes(hashlib.sha256(leave.encode()).digest()[:6]) for leave in leaves) % MODULUS


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One entry of a log."""

    seq: int
    """Position, from 1."""
    leaf: str
    ends: tuple[int, ...] = ()
    """Positions of entries whose records this one replaces or removes."""

    @property
    def kind(self) -> str:
        """Kind of its record: `event`, `receipt`, `subject`."""
        return self.leaf.partition(":")[0]

    @property
    def node(self) -> bytes:
        """The leaf of the tree; RFC 6962 prefixes a zero byte."""
        text = json.dumps([self.seq, self.leaf, self.ends])
        return hashlib.sha256(b"\x00" + text.encode()).digest()


@dataclass(frozen=True, slots=True, kw_only=True)
class LogHead:
    """The end of a log, stored where every writer updates it."""

    id: str
    """A random name; the trace of an erased subject keeps it."""
    size: int = 0
    sum: int = 0
    """Sum of the `weight` of all entries."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CoveredRecord:
    """A record in the store that an entry of the log covers."""

    where: str
    """Description for people: `event 3`, `receipt 01JD…`."""
    seq: int
    """Position of its entry; 0 if it has none."""
    kind: str
    leaf: str
    """The leaf, computed from the stored record."""
    kept: Mapping[str, object] = field(default_factory=dict, compare=False, repr=False)
    """The content under the leaf, for proofs; empty if no proof is made."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Log:
    """One log, and the records that it covers."""

    head: LogHead
    entries: tuple[Entry, ...]
    records: tuple[CoveredRecord, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """A difference between the store and what was recorded."""

    where: str
    what: str
    kind: str = ""
    """Kind of the record; empty if no record is concerned."""


IMPORT = "import"
"""`where` of the problem that an import has not ended."""
UNENDED = "has not ended; wait until it has, or import the same file again if it was killed"
NOTES = frozenset({"removed", "restored"})
"""Kinds of entries that have no record."""


def problems(log: Log) -> Iterator[Problem]:
    """All differences between a log, its head and its records; none if they are whole."""
    yield from _head_problems(log)
    entries = {entry.seq: entry for entry in log.entries}
    ended = {seq for entry in log.entries for seq in entry.ends}
    seen = Counter(record.seq for record in log.records)
    for record in log.records:
        if what := _problem(record, entries.get(record.seq), ended=record.seq in ended, times=seen[record.seq]):
            yield Problem(where=record.where, what=what, kind=record.kind)
    for entry in log.entries:
        if not (seen[entry.seq] or entry.seq in ended or entry.kind in NOTES):
            what = f"the {entry.kind} that it tells of is gone"
            yield Problem(where=f"entry {entry.seq}", what=what, kind=entry.kind)
        if entry.ends and not all(1 <= seq < entry.seq for seq in entry.ends):
            yield Problem(where=f"entry {entry.seq}", what="ends an entry that did not come before it")


def _problem(record: CoveredRecord, entry: Entry | None, *, ended: bool, times: int) -> str:
    if not record.seq:
        return "is in no log: it was put there by hand"
    if entry is None or ended:
        return "is not what its entry in the log tells of"
    if entry.leaf != record.leaf:
        told = entry.kind == record.kind
        return "was altered after it was recorded" if told else "is not what its entry in the log tells of"
    return "is there more than once" if times > 1 else ""


def _head_problems(log: Log) -> Iterator[Problem]:
    size, head = len(log.entries), log.head
    if [entry.seq for entry in log.entries] != list(range(1, size + 1)) or size != head.size:
        yield Problem(
            where="log", what=f"has {size} entries and its end counts {head.size}: a part was cut off or lost"
        )
    elif weight(entry.leaf for entry in log.entries) != head.sum:
        yield Problem(where="log", what="has other entries than those that its end adds up: one was altered")


# --- the tree of RFC 6962, section 2.1 --------------------------------------------------------------------------------


def root(entries: Sequence[Entry]) -> str:
    """The root hash of the tree over the entries, in their order."""
    return tree_hash([entry.node for entry in entries])


def tree_hash(nodes: Sequence[bytes]) -> str:
    """The root hash of a tree over nodes."""
    # Level by level: an odd one out moves up as it is, which gives RFC 6962's left-full trees.
    level = list(nodes)
    while len(level) > 1:
        pairs = [b"\x01" + level[at] + level[at + 1] for at in range(0, len(level) - 1, 2)]
        level = [hashlib.sha256(pair).digest() for pair in pairs] + level[len(pairs) * 2 :]
    return level[0].hex() if level else EMPTY_ROOT


def path(nodes: Sequence[bytes], place: int) -> list[str]:
    """The inclusion proof of the node at `place` (from 0)."""
    if len(nodes) == 1:
        return []
    half = 1 << ((len(nodes) - 1).bit_length() - 1)  # the largest power of two below the size
    if place < half:
        return [*path(nodes[:half], place), tree_hash(nodes[half:])]
    return [*path(nodes[half:], place - half), tree_hash(nodes[:half])]


def climbed(node: bytes, place: int, size: int, beside: Sequence[str]) -> str:
    """The root hash that an inclusion proof leads to, for the node at `place` (from 0); empty if the proof is invalid.

    RFC 9162, section 2.1.3.2.
    """
    at, last, found = place, size - 1, node
    for item in map(bytes.fromhex, beside):
        if not last:
            return ""
        if at % 2 or at == last:
            found = hashlib.sha256(b"\x01" + item + found).digest()
            while not at % 2 and at:
                at, last = at >> 1, last >> 1
        else:
            found = hashlib.sha256(b"\x01" + found + item).digest()
        at, last = at >> 1, last >> 1
    return "" if last or not 0 <= place < size else found.hex()


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoint:
    """Size and root of all logs of a space at one moment, to be kept outside the database.

    If a log matches it, no entry up to then was changed, cut off or removed.
    """

    space: str
    made_at: str
    """ISO-8601, for people."""
    logs: Mapping[str, tuple[int, str]]
    """By name of a log: its size, and the root of the tree over its entries. Names are random and identify
    no person.
    """

    @property
    def root(self) -> str:
        """One root hash over all logs."""
        return tree_hash(self.nodes)

    @property
    def nodes(self) -> list[bytes]:
        """The leaves of its tree, one for each log, by name."""
        return [json.dumps([name, *self.logs[name]]).encode() for name in sorted(self.logs)]

    @property
    def signed(self) -> bytes:
        """The bytes to sign."""
        return json.dumps(["r-memory checkpoint 1", self.space, self.made_at, self.root]).encode()

    def problems(self, log: Log) -> Iterator[Problem]:
        """Problems of a log since the checkpoint: it must begin with the same entries."""
        size, expected = self.logs.get(log.head.id, (0, ""))
        if len(log.entries) < size:
            what = f"has {len(log.entries)} entries and had {size} at the checkpoint of {self.made_at}: it was cut off"
            yield Problem(where="log", what=what)
        elif size and root(log.entries[:size]) != expected:
            what = f"was rewritten: its first {size} entries are not those of the checkpoint of {self.made_at}"
            yield Problem(where="log", what=what)
