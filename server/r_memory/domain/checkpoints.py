"""A checkpoint: size and root of every log of a space at one moment, to be kept out of the database's reach.

What fits it was not changed, cut off or taken away since, down to the last entry; what came later is nobody's concern
here. Pure; knows nothing of signatures and files.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from r_memory.domain.log import Log, Problem, root, tree_hash


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoint:
    """What was there."""

    space: str
    made_at: str
    """ISO-8601, for people."""
    logs: Mapping[str, tuple[int, str]]
    """Name of a log to its size and the root of the tree over its entries. Names are random and name nobody."""

    @property
    def root(self) -> str:
        """One hash over all of it."""
        return tree_hash([json.dumps([name, *self.logs[name]]).encode() for name in sorted(self.logs)])

    @property
    def signed(self) -> bytes:
        """What a signature is over."""
        return json.dumps(["r-memory checkpoint 1", self.space, self.made_at, self.root]).encode()

    def problems(self, log: Log) -> Iterator[Problem]:
        """What a log has lost since: it must begin with the entries that it had."""
        size, expected = self.logs.get(log.head.id, (0, ""))
        if len(log.entries) < size:
            what = f"has {len(log.entries)} entries and had {size} at the checkpoint of {self.made_at}: it was cut off"
            yield Problem(where="log", what=what)
        elif size and root(log.entries[:size]) != expected:
            what = f"was rewritten: its first {size} entries are not those of the checkpoint of {self.made_at}"
            yield Problem(where="log", what=what)
