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
    """The broad action types every edge of which a request in these words would read, asked for or not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Seeing:
    """The memory with what its table calls broad."""

    memory: Memory
    table: IntentTable
    broad: Mapping[str, str]
    """Each action type to the one at the top of its line: `IMAGING_MRI` to `DIAG_ORDER`."""

    async def predicted(self, id_: str, text: str) -> ActionPrediction:
        """What is seen in one sentence."""
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
    """Asks the memory for its table once."""
    table = (await memory.describe()).table
    return Seeing(memory=memory, table=table, broad={name: _top(table, name) for name in table.intents})


def uncovered(predictions: Sequence[ActionPrediction], wanted: Mapping[str, frozenset[str]]) -> tuple[str, ...]:
    """Ids of sentences of which a wanted action type would have had an edge unread."""
    covered = {row.id: frozenset(row.covered) for row in predictions}
    return tuple(id_ for id_, names in wanted.items() if not names <= covered.get(id_, frozenset()))


def was_seen(group: str) -> bool:
    """Whether the group of rows (an encounter, a request) is in the half that was looked at while wordings were chosen.

    Of the other half only the orders missed in one part were read once. By a hash, so that halves stay as they are.
    """
    return hashlib.sha256(group.encode()).digest()[-1] % 2 == 0


def _top(table: IntentTable, name: str) -> str:
    """The table itself has no circles."""
    above = table.intent(name).extends
    return _top(table, above) if above else name
