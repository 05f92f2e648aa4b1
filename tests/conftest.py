"""What every test may ask for: real servers, started on first use, once in a session."""

import contextlib
import gc
import os
import shutil
import signal
import tempfile
from collections.abc import Iterator
from functools import partial

import pytest
from hypothesis import settings
from xdist.remote import Producer

from tests.distribution import ServersTogether
from tests.neo4j_servers import Neo4jAddress, neo4j_server
from tests.warm_starts import readers_made_once, tools_made_once, warm_starts

# A shell ignores these signals for what it starts in the background, and so would the programs that the tests start.
with contextlib.suppress(ValueError):  # not in the main thread
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if hasattr(signal, "SIGHUP"):
        signal.signal(signal.SIGHUP, signal.SIG_DFL)


SHARED = "TESTS_OF_R_MEMORY"
"""Variable that names a folder, one for all processes of a run: what is made once for all lies there."""

settings.register_profile("busy machine", deadline=None)  # what a test takes is no outcome of it
settings.load_profile("busy machine")


def pytest_configure(config: pytest.Config) -> None:
    """Looks for garbage as the command line does: among thousands of tests and what they load it took an eighth."""
    gc.set_threshold(50_000, 20, 20)
    if SHARED not in os.environ:
        os.environ[SHARED] = tempfile.mkdtemp(prefix="r-memory-tests-")
        config.add_cleanup(partial(shutil.rmtree, os.environ[SHARED], ignore_errors=True))


def pytest_collection_finish() -> None:
    """What is collected stays to the end."""
    gc.freeze()


@pytest.hookimpl(optionalhook=True)  # of pytest-xdist
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> ServersTogether | None:
    return ServersTogether(config, log) if config.getoption("dist") == "loadfile" else None


@pytest.hookimpl(optionalhook=True)  # of pytest-xdist
def pytest_xdist_auto_num_workers() -> int:
    """One process more than cores: stores wait for their disk, 120 s against 82 s for ten files on two cores."""
    return (os.cpu_count() or 1) + 1


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"  # the neo4j driver knows no other


@pytest.fixture(scope="session", autouse=True)
def _made_once() -> Iterator[None]:
    """What reads words is made once, and what a server imports is imported once for all that are started."""
    with readers_made_once(), tools_made_once(), warm_starts():
        yield


@pytest.fixture(scope="session")
def neo4j_526() -> Iterator[Neo4jAddress]:
    """The long-term support line."""
    with neo4j_server("5.26") as address:
        yield address


@pytest.fixture(scope="session")
def neo4j_2026() -> Iterator[Neo4jAddress]:
    """The newest line."""
    with neo4j_server("2026") as address:
        yield address
