"""The simplest log there is: a list for each subject and for the space, entered as things are stored."""

from collections.abc import Hashable, Iterable

from r_memory.domain.codec import encoded
from r_memory.domain.log import NOTES, Entry, Log, LogHead, Record, leaf, weight


class DictLog:
    """Logs by name; what a value replaces is known by its key."""

    def __init__(self) -> None:
        self._entries: dict[str, list[Entry]] = {}
        self._standing: dict[str, dict[tuple[str, Hashable], Entry]] = {}
        """Log to kind and key to the entry that stands for it."""

    def enter(self, name: str, kind: str, key: Hashable, value: object) -> None:
        """Enters a value; the one of this key that stood before is ended."""
        standing = self._standing.setdefault(name, {})
        self._add(name, leaf(kind, {"value": encoded(value)}), [standing.pop((kind, key), None)])
        standing[kind, key] = self._entries[name][-1]

    def end(self, name: str, kind: str, keys: Iterable[Hashable]) -> None:
        """Enters that values are gone."""
        gone = [self._standing.get(name, {}).pop((kind, key), None) for key in keys]
        if any(gone):
            self._add(name, leaf("removed", {}), gone)

    def inherit(self, name: str, heir: str) -> None:
        """Gives a log another name; whatever stands in it is ended by the next entry."""
        self._entries[heir] = self._entries.pop(name, [])
        self._standing[heir] = self._standing.pop(name, {})
        for kind in {kind for kind, _ in self._standing[heir]}:
            self.end(heir, kind, [key for known, key in self._standing[heir] if known == kind])

    def log(self, name: str) -> Log:
        """A log, whole by construction."""
        entries = tuple(self._entries.get(name, ()))
        return Log(
            head=LogHead(id=name, size=len(entries), sum=weight(entry.leaf for entry in entries)),
            entries=entries,
            records=tuple(
                Record(where=f"{kind} {key}", seq=entry.seq, kind=kind, leaf=entry.leaf)
                for (kind, key), entry in self._standing.get(name, {}).items()
                if kind not in NOTES
            ),
        )

    def _add(self, name: str, leaf_: str, ended: Iterable[Entry | None]) -> None:
        entries = self._entries.setdefault(name, [])
        ends = tuple(entry.seq for entry in ended if entry is not None)
        entries.append(Entry(seq=len(entries) + 1, leaf=leaf_, ends=ends))
