"""Real Neo4j servers for tests, one of each line that is supported.

Takes what is there, in this order: `NEO4J_TEST_URI`, a Docker engine, a server from Maven Central.
Knows how to get a server and how to end it; what is tested on it is the tests' business.
"""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import NoReturn

import pytest
from neo4j import GraphDatabase

from scripts import neo4j_server as maven_central

Version = maven_central.Version

HOW_TO_GET_ONE = (
    "set NEO4J_TEST_URI (and NEO4J_TEST_USER, NEO4J_TEST_PASSWORD) to a running server whose data may be deleted, "
    "or start Docker and install the group 'docker' of pyproject.toml, or install Maven and Java 17 and 21"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Neo4jAddress:
    """Where a test server listens and how to log in."""

    uri: str
    user: str
    password: str


@contextmanager
def neo4j_server(version: Version) -> Iterator[Neo4jAddress]:
    """A server of this line; one that was started for this is ended at exit.

    Where none can be had the test is skipped, or fails if `CI` or `R_MEMORY_REQUIRE_NEO4J` is set.
    """
    with ExitStack() as until_the_end:
        try:
            address = _given(version) or until_the_end.enter_context(_started(version))
        except maven_central.Neo4jUnavailable as trouble:
            _give_up(f"no Neo4j {version}: {trouble}\nTo have one: {HOW_TO_GET_ONE}")
        yield address


def _give_up(reason: str) -> NoReturn:
    if os.environ.get("CI") or os.environ.get("R_MEMORY_REQUIRE_NEO4J") == "1":
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason)


def _given(version: Version) -> Neo4jAddress | None:
    """The server of NEO4J_TEST_URI, if it is set and of this line."""
    uri = os.environ.get("NEO4J_TEST_URI")
    if not uri:
        return None
    address = Neo4jAddress(
        uri=uri,
        user=os.environ.get("NEO4J_TEST_USER", maven_central.USER),
        password=os.environ.get("NEO4J_TEST_PASSWORD", ""),
    )
    return address if _number(address).startswith(f"{version}.") else None


def _number(address: Neo4jAddress) -> str:
    with GraphDatabase.driver(address.uri, auth=(address.user, address.password)) as driver:
        query = "CALL dbms.components() YIELD name, versions WHERE name = 'Neo4j Kernel' RETURN versions[0] AS number"
        return str(driver.execute_query(query).records[0]["number"])


def _started(version: Version) -> AbstractContextManager[Neo4jAddress]:
    return _in_docker(version) if _docker_answers() else _from_maven_central(version)


def _docker_answers() -> bool:
    if shutil.which("docker") is None or find_spec("testcontainers") is None:
        return False
    asked = subprocess.run(["docker", "info"], capture_output=True, check=False, timeout=30)
    return asked.returncode == 0


@contextmanager
def _in_docker(version: Version) -> Iterator[Neo4jAddress]:
    # The package is installed only where Docker is used.
    from testcontainers.core.container import DockerContainer  # noqa: PLC0415 - see above
    from testcontainers.core.wait_strategies import LogMessageWaitStrategy  # noqa: PLC0415 - see above

    image, password = f"neo4j:{maven_central.RELEASES[version].number}-community", "only-for-tests"
    container = DockerContainer(image).with_env("NEO4J_AUTH", f"{maven_central.USER}/{password}")
    started = LogMessageWaitStrategy("Started.").with_startup_timeout(180)
    with container.with_exposed_ports(7687).waiting_for(started) as server:
        uri = f"bolt://{server.get_container_host_ip()}:{server.get_exposed_port(7687)}"
        yield Neo4jAddress(uri=uri, user=maven_central.USER, password=password)


@contextmanager
def _from_maven_central(version: Version) -> Iterator[Neo4jAddress]:
    folder = Path(tempfile.mkdtemp(prefix="r-memory-neo4j-"))
    try:
        server = maven_central.start(version, folder=folder, detached=False)
        yield Neo4jAddress(uri=server.uri, user=server.user, password=server.password)
    finally:
        maven_central.stop(folder)
