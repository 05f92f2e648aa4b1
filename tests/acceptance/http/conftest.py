"""Servers over HTTP, each shared by the tests of a module."""

from collections.abc import Iterator

import pytest

from tests.acceptance.conftest import Installation, begun_in
from tests.acceptance.http.server import HttpServer


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Installation:
    """An installation of the module's own, on the embedded store."""
    return begun_in(tmp_path_factory.mktemp("http"))


@pytest.fixture(scope="module")
def server(home: Installation) -> Iterator[HttpServer]:
    """On loopback, for whoever sits at this machine."""
    with HttpServer(home.environment, log=home.log) as running:
        yield running.opened()
