"""Which tests run in one process under pytest-xdist, and in which order.

Those of one file, and all that share a server; what takes long begins first.
"""

import re

from xdist.scheduler import LoadFileScheduling
from xdist.workermanage import WorkerController

_LONG_FIRST = (
    "neo4j",
    "tests/properties/test_store_machine.py",
    "tests/acceptance/test_eval.py",
    "tests/acceptance/",
    "tests/faults/",
    "tests/hazards/",
    "tests/docs/",
    "tests/store/",
    "tests/properties/",
    "tests/unit/lab/",
    "tests/unit/cli/",
    "tests/unit/text/",
    "tests/unit/test_",
    "tests/unit/chat/",
    "tests/unit/serving/",
)
"""Beginnings of the names of units that take seconds for a test, not moments."""
_SERVER = re.compile(r"\[(?:.*-)?(?P<server>neo4j(?:_526)?)(?:_2026)?(?:-.*)?\]$")


class ServersTogether(LoadFileScheduling):  # type: ignore[misc]  # pytest-xdist comes without types
    """By file; but all tests on one line of Neo4j are one unit, so that each is started, and warms up, only once.

    Those on the servers begin first, one in each process, and the short ones come last: all processes end together.
    """

    def _split_scope(self, nodeid: str) -> str:
        return unit_of(nodeid)

    def _assign_work_unit(self, node: WorkerController) -> None:
        unit = min(self.workqueue, key=lambda unit: rank(unit, len(self.workqueue[unit])))
        self.workqueue.move_to_end(unit, last=False)
        super()._assign_work_unit(node)


def rank(unit: str, tests: int) -> tuple[int, int]:
    """What comes before what: servers, then the tests over real processes and stores, then the many of a moment."""
    folder = next((place for place, folder in enumerate(_LONG_FIRST) if unit.startswith(folder)), len(_LONG_FIRST))
    return folder, -tests


def unit_of(nodeid: str) -> str:
    """The name of what runs in one process."""
    on_a_server = _SERVER.search(nodeid)
    return on_a_server["server"] if on_a_server else nodeid.partition("::")[0]
