"""Updates a store of an earlier format, one step for each format.

A step may be interrupted and repeated, also beside a server of this version; it therefore depends on the stored data,
not on what an earlier attempt did. It adds nothing that was not recorded: altered data are left unchanged, so that
reads and `verify` still report them.
"""

import hashlib
import logging
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from typing import Any

from r_memory.domain.holdings import Place, counted, written
from r_memory.store.bolt import SETUP_LIMIT_S
from r_memory.store.bolt_wire import Row
from r_memory.store.formats import FORMAT
from r_memory.store.library import Graph

logger = logging.getLogger(__name__)
Step = Callable[[Graph], Awaitable[None]]
_PAGE = 500
"""Number of subjects in one query."""
_MODULUS = 2**32


async def migrate(graph: Graph, found: int) -> None:
    """Updates a store of the format `found` to the present format; does nothing if it has it."""
    for format_ in range(found, FORMAT):
        await STEPS[format_](graph)
        await graph.write("write/format", format=format_ + 1, limit_s=SETUP_LIMIT_S)
        logger.info("Store migrated", extra={"action": "store_migrated", "from": format_, "to": format_ + 1})


async def _holdings_know_objects(graph: Graph) -> None:
    """0.1 to 0.2: the count of a subject's facts includes the object of each fact."""
    after = ""
    while page := await graph.read("read/held", after=after, limit=_PAGE, limit_s=SETUP_LIMIT_S):
        if rows := list(_with_objects(page)):
            await graph.write("write/held", rows=rows, limit_s=SETUP_LIMIT_S)
        after = page[-1]["uid"]


def _with_objects(page: Iterable[Row]) -> Iterator[Mapping[str, Any]]:
    for row in page:
        facts = [(relation, id_, object_, seq) for relation, id_, object_, seq in row["facts"] if relation]
        if row["held"] == _written_by_1(facts):
            yield {"uid": row["uid"], "before": row["held"], "held": written(counted(facts))}


def _written_by_1(facts: Iterable[Place]) -> str:
    """The count as 0.1 wrote it: its hashes covered id and newest event only."""
    found: dict[str, tuple[int, int]] = {}
    for relation, fact_id, _, last_seq in facts:
        number, total = found.get(relation, (0, 0))
        mark = hashlib.sha256(f"{fact_id}#{last_seq}".encode()).digest()[:4]
        found[relation] = number + 1, (total + int.from_bytes(mark)) % _MODULUS
    return written(found)


STEPS: Mapping[int, Step] = {1: _holdings_know_objects}
"""By the format that each step starts from."""
