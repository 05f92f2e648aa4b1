"""What counts as an answer of a memory server, and as kept."""

from collections.abc import Mapping
from typing import Any, cast

import pytest
from mcp import Client
from mcp.types import CallToolResult, TextContent

from r_memory_lab.bench.clients import MemoryService, OurServer, Patients, ReferenceServer, Server

pytestmark = pytest.mark.anyio


class ScriptedClient:
    """Answers every call alike, and keeps what was called."""

    def __init__(self, text: str = "", *, structured: Mapping[str, Any] | None = None, is_error: bool = False) -> None:
        self._answer = CallToolResult(
            content=[TextContent(type="text", text=text)],
            structured_content=None if structured is None else dict(structured),
            is_error=is_error,
        )
        self.called: list[tuple[str, Mapping[str, Any]]] = []

    async def call_tool(self, name: str, arguments: Mapping[str, Any]) -> CallToolResult:
        self.called.append((name, arguments))
        return self._answer


def as_client(scripted: ScriptedClient) -> Client:
    return cast("Client", scripted)


async def verdicts(server: Server) -> tuple[bool, ...]:
    return await server.look_up(0), await server.write(0), await server.add(0), await server.kept(0)


async def test_ours_is_asked_for_a_receipt_for_results_and_for_the_facts_of_somebody_new() -> None:
    client = ScriptedClient(structured={"receipt_id": "01", "results": [{}], "facts": [{}]})
    server = OurServer(as_client(client), Patients(["B1", "B2"]))
    assert await verdicts(server) == (True, True, True, True)
    assert [(name, arguments["subject"]) for name, arguments in client.called[:2]] == [
        ("memory_build_context", "B1"),
        ("memory_remember", "B1"),
    ]
    assert client.called[2][1]["subject"] == client.called[3][1]["subject"] not in {"B1", "B2"}


async def test_ours_failed_where_nothing_of_that_came_back() -> None:
    client = ScriptedClient(structured={})
    assert await verdicts(OurServer(as_client(client), Patients(["B1"]))) == (False, False, False, False)


@pytest.mark.parametrize("kind", [ReferenceServer, MemoryService])
async def test_others_failed_where_they_say_so_or_do_not_name_the_patient(
    kind: type[ReferenceServer] | type[MemoryService],
) -> None:
    refusing, elsewhere = ScriptedClient("B1: successfully", is_error=True), ScriptedClient('{"name": "B2"}')
    for client in (refusing, elsewhere):
        assert await verdicts(kind(as_client(client), Patients(["B1"]))) == (False, False, False, False)


async def test_the_reference_server_answered_where_it_names_the_patient_and_the_words() -> None:
    patients = Patients(["B1"])
    said = f"({patients.run}/0)"
    client = ScriptedClient(
        f'[{{"name": "B1"}}, {{"name": "{patients.new(0)}"}}, "I take metformin every morning. {said}"]'
    )
    assert await verdicts(ReferenceServer(as_client(client), patients)) == (True, True, True, True)
    assert [name for name, _ in client.called] == ["open_nodes", "add_observations", "create_entities", "open_nodes"]


async def test_another_run_calls_its_new_patients_otherwise() -> None:
    assert Patients(["B1"]).new(0) != Patients(["B1"]).new(0)
