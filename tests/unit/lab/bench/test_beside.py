"""The part `beside`: which figures it gives of servers in turn, and what it says where one cannot be had."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from r_memory_lab.bench import beside as part
from r_memory_lab.bench import others
from r_memory_lab.bench.charts import charts
from r_memory_lab.bench.clients import Patients
from r_memory_lab.bench.others import Missing, Other, memory_service, reference
from tests.unit.facts.recall.world import SCHEMA
from tests.unit.lab.bench.servers import ScriptedServer

pytestmark = pytest.mark.anyio


@contextmanager
def quietly(_what: str, _total: int) -> Iterator[Callable[[], None]]:
    yield lambda: None


class OurScripted(ScriptedServer):
    name = "r-memory"

    def __init__(self, _client: object, _patients: object) -> None:
        super().__init__("r-memory", [])


async def no_process(*_: object) -> None:
    return None


async def test_each_other_server_is_told_of_the_patients_and_held_against_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard = list[str]()
    monkeypatch.setattr(part, "served", no_process)
    monkeypatch.setattr(part, "started", no_process)
    monkeypatch.setattr(part, "OurServer", OurScripted)
    forgetful = Other(
        package="it",
        said="as it is",
        command=("it",),
        environment=lambda _: {},
        server=lambda *_: ScriptedServer("server-memory", heard, fails=lambda number: number > 0),
    )
    made = tuple(charts(SCHEMA, space="bench", first=0, count=3, facts=5, seed=1))
    outcome = await part.beside(
        {},
        [forgetful],
        made,
        patients=Patients(["B1"]),
        facts=10_000,
        folder=tmp_path,
        begin=quietly,
        calls=2,
        warm_up=0,
    )
    assert heard[0] == "server-memory told of 3"
    assert [(figure.name, figure.aim) for figure in outcome.figures] == [
        ("look-up at 10,000 facts: r-memory over server-memory, p50", "<= 1.0"),
        ("look-up at 10,000 facts: r-memory over server-memory, p95", ""),
        ("write at 10,000 facts: r-memory over server-memory, p50", ""),
        ("write at 10,000 facts: r-memory over server-memory, p95", ""),
        ("20 writes at once at 10,000 facts, 20 acknowledged by r-memory: kept", "all"),
        ("20 writes at once at 10,000 facts, 20 acknowledged by server-memory: kept", ""),
    ]
    assert [figure.value for figure in outcome.figures[-2:]] == [20, 1]
    failed = {figure.name: figure.value for figure in outcome.groups["Side by side at 10,000 facts"] if not figure.unit}
    assert failed == {
        "calls that failed at 10,000 facts, r-memory": 0,
        "calls that failed at 10,000 facts, server-memory": 2,
    }


def test_without_npm_or_a_fitting_python_a_server_is_said_to_be_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "which", lambda _: None)
    with pytest.raises(Missing, match=r"server-memory.*no Node\.js"):
        reference(tmp_path)
    monkeypatch.setattr(others, "_PROBE", "print('too old')")
    with pytest.raises(Missing, match=r"mcp-memory-service.*SQLite"):
        memory_service(tmp_path)


def test_a_registry_that_gives_nothing_is_said_with_the_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "which", lambda _: "false")
    with pytest.raises(Missing, match=r"server-memory@.*false could not install it"):
        reference(tmp_path)
