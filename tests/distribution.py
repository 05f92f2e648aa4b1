"""Which tests run in one process under pytest-xdist: those of one file, and all that share a server."""

import re

from xdist.scheduler import LoadFileScheduling

_SERVER = re.compile(r"\[(?:.*-)?(?P<server>neo4j(?:_526)?)(?:_2026)?(?:-.*)?\]$")


class ServersTogether(LoadFileScheduling):  # type: ignore[misc]  # pytest-xdist comes without types
    """By file; but all tests on one line of Neo4j are one unit, so that each is started, and warms up, only once.

    Units begin in the order of their numbers of tests: those on the servers first, one in each process.
    """

    def _split_scope(self, nodeid: str) -> str:
        return unit_of(nodeid)


def unit_of(nodeid: str) -> str:
    """The name of what runs in one process."""
    on_a_server = _SERVER.search(nodeid)
    return on_a_server["server"] if on_a_server else nodeid.partition("::")[0]
