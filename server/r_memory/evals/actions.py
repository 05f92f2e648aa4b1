"""Action types that the product sees in one sentence, under the broad type that each extends."""

from collections.abc import Mapping

from r_memory.domain.intents import IntentTable
from r_memory.evals.rows import Row
from r_memory.memory import Memory


class Prediction(Row):
    """The broad action types of one sentence; empty if it asks for nothing."""

    intents: tuple[str, ...]


async def broad_types(memory: Memory) -> Mapping[str, str]:
    """Each action type of the table to the one at the top of its line: `IMAGING_MRI` to `DIAG_ORDER`."""
    table = (await memory.describe()).table
    return {name: _top(table, name) for name in table.intents}


def seen_in(memory: Memory, text: str, broad: Mapping[str, str]) -> tuple[str, ...]:
    """The broad action types that the words ask for, each once."""
    return tuple(sorted({broad[name] for name in memory.recognise(text)})) if text.strip() else ()


def _top(table: IntentTable, name: str) -> str:
    """The table itself has no circles."""
    above = table.intent(name).extends
    return _top(table, above) if above else name
