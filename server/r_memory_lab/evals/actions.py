"""Action types that the product sees in one sentence, under the broad type that each extends."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from r_memory.domain.intents import IntentTable
from r_memory.memory import Memory
from r_memory_lab.evals.rows import DataRow


class ActionPrediction(DataRow):
    """What came of one sentence."""

    intents: tuple[str, ...]
    """The broad action types that it asks for; empty if it asks for nothing."""
    covered: tuple[str, ...] = ()
    """The broad action types of which a request in these words would read every edge, even if not asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Seeing:
    """The memory with the broad action types of its table."""

    memory: Memory
    table: IntentTable
    broad: Mapping[str, str]
    """Action type to the top of its line of inheritance: `IMAGING_MRI` to `DIAG_ORDER`."""

    async def predicted(self, id_: str, text: str) -> ActionPrediction:
        """Returns the action types in one sentence."""
        if not text.strip():
            return ActionPrediction(id=id_, intents=())
        read = set((await self.memory.opens(text)).edges)
        return ActionPrediction(id=id_, intents=await self._seen_in(text), covered=self._covered(read))

    async def _seen_in(self, text: str) -> tuple[str, ...]:
        return tuple(sorted({self.broad[name] for name in await self.memory.recognise(text)}))

    def _covered(self, read: set[str]) -> tuple[str, ...]:
        tops = [self.table.intent(name) for name in sorted(set(self.broad.values()))]
        return tuple(row.name for row in tops if not row.silent and set(row.edges) <= read)


async def seeing(memory: Memory) -> Seeing:
    """Reads the table of the memory once."""
    table = (await memory.describe()).table
    return Seeing(memory=memory, table=table, broad={name: _top(table, name) for name in table.intents})


def uncovered(predictions: Sequence[ActionPrediction], wanted: Mapping[str, frozenset[str]]) -> tuple[str, ...]:
    """Returns the ids of sentences with an unread edge of a wanted action type."""
    covered = {row.id: frozenset(row.covered) for row in predictions}
    return tuple(id_ for id_, names in wanted.items() if not names <= covered.get(id_, frozenset()))


def was_seen(group: str) -> bool:
    """Whether the group of rows (an encounter, a request) is in the half used for choosing wordings.

    Of the other half only the missed orders of one part were read, once. A hash decides, so that halves stay the same.
    """
    return hashlib.sha256(group.encode()).digest()[-1] % 2 == 0


def _top(table: IntentTable, name: str) -> str:
    """Returns the broad action type; the table has no cycles."""
    above = table.intent(name).extends
    return _top(table, above) if above else name
