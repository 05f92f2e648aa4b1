"""The process as a host meets it: streams, greetings, signals, a store that is not there."""

import json
import os
import signal
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.acceptance.conftest import Installation
from tests.acceptance.wire import PATIENCE, WireServer
from tests.warm_starts import SCRIPT

ANN = {"subject": "P1", "subject_name": "Ann Lee"}
ALLERGIC = "I am severely allergic to penicillin."


@pytest.fixture
def server(embedded: Installation) -> Iterator[WireServer]:
    with embedded.wire() as running:
        yield running


@pytest.fixture
def nowhere() -> Iterator[int]:
    """A port of this machine that nobody listens on; held, so that nobody begins to."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        yield held.getsockname()[1]


@pytest.mark.proves("M-5", "M-6", "M-7")
def test_every_handshake_version_is_echoed_and_an_unknown_one_countered(embedded: Installation) -> None:
    greetings = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "1999-01-01")
    answers = []
    for version in greetings:
        with embedded.wire() as server:
            answers.append(server.handshake(version)["result"]["protocolVersion"])
    assert answers == [*greetings[:4], "2025-11-25"]


@pytest.mark.proves("M-34")
def test_nothing_is_on_standard_output_when_nobody_asks(embedded: Installation) -> None:
    environment = {name: value for name, value in embedded.environment.items() if name != "PYTHONUNBUFFERED"}
    ended = subprocess.run(
        [SCRIPT, "serve"], input=b"", env=environment, capture_output=True, check=False, timeout=PATIENCE
    )
    assert (ended.returncode, ended.stdout) == (0, b"")


@pytest.mark.proves("M-34")
def test_what_is_printed_at_any_time_never_reaches_standard_output(embedded: Installation) -> None:
    """A thread that prints from the start of Python to its end stands in for every careless library."""
    careless = embedded.folder / "careless"
    careless.mkdir()
    (careless / "sitecustomize.py").write_text(
        "import atexit, threading\n"
        "over = threading.Event()\n"
        "def prattle():\n"
        "    while not over.wait(0.005):\n"
        "        print('CARELESS thread')\n"
        "atexit.register(print, 'CARELESS exit')\n"
        "threading.Thread(target=prattle, daemon=True).start()\n"
    )
    with WireServer({**embedded.environment, "PYTHONPATH": str(careless)}, log=embedded.log) as server:
        server.handshake()
        server.call("memory_remember", text=ALLERGIC, **ANN)
        assert not server.call("memory_build_context", query="What can she take?", subject="P1").get("isError")
        assert server.leave() == 0
        assert server.unread() == []
    assert "CARELESS exit" in embedded.log.read_text()


@pytest.mark.proves("M-35")
def test_a_client_that_goes_ends_the_server_with_everything_closed(embedded: Installation) -> None:
    with embedded.wire() as server:
        server.handshake()
        server.call("memory_remember", text=ALLERGIC, **ANN)
        assert server.leave() == 0
    with embedded.wire() as again:
        again.handshake()
        listed = again.call("memory_list_facts", subject="P1")
    assert listed["structuredContent"]["total"] == 1


def test_a_client_that_stops_listening_is_no_failure_of_the_server(embedded: Installation) -> None:
    ping = b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n'
    with subprocess.Popen(
        [SCRIPT, "serve"],
        env=embedded.environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        assert server.stderr is not None
        server.stdin.write(ping)
        server.stdin.flush()
        assert b'"id":1' in server.stdout.readline()
        server.stdout.close()
        server.stdin.write(ping)
        server.stdin.close()
        assert server.wait(PATIENCE) == 0
        assert b"Error" not in server.stderr.read()


@pytest.mark.proves("Z18")
def test_a_second_server_on_the_same_folder_goes_on_when_the_first_is_killed_and_both_keep_strangers_out(
    untouched: Installation,
) -> None:
    with untouched.wire() as first, WireServer(untouched.environment, log=untouched.folder / "second.log") as second:
        first.handshake()
        first.call("memory_remember", text=ALLERGIC, **ANN)
        second.handshake()
        assert not second.call("memory_remember", text="I have a pacemaker.", subject="P1").get("isError")
        first.kill()
        listed = second.call("memory_list_facts", subject="P1")
        again = second.call("memory_remember", text="I am allergic to latex.", subject="P1")
    assert listed["structuredContent"]["total"] == 2
    assert not again.get("isError")
    files = [path for path in Path(untouched.settings["data_dir"]).rglob("*") if path.is_file()]
    assert files
    assert [path for path in files if os.name != "nt" and path.stat().st_mode & 0o077] == []


def test_a_line_that_is_no_message_does_not_end_the_server(server: WireServer) -> None:
    server.handshake()
    for line in (b"nonsense", b"{", b'{"jsonrpc":"2.0","id":99}', b"\xff\xfe", b"[]", b""):
        server.send(line)
    assert not server.call("memory_describe", part="limits").get("isError")


@pytest.mark.proves("M-29")
def test_half_of_a_surrogate_pair_becomes_a_replacement_character(server: WireServer) -> None:
    server.handshake()
    call = {"name": "memory_remember", "arguments": {"text": "allergic to \ud800 latex", **ANN}}
    message = {"jsonrpc": "2.0", "id": 77, "method": "tools/call", "params": call}
    server.send(json.dumps(message).encode())
    assert not server.receive()["result"].get("isError")
    listed = server.call("memory_list_facts", subject="P1")["structuredContent"]
    assert [fact["evidence"] for fact in listed["facts"]] == ["allergic to \ufffd latex"]


@pytest.mark.proves("M-35")
def test_an_interrupt_ends_the_server_though_standard_input_stays_open(server: WireServer) -> None:
    server.handshake()
    server.call("memory_remember", text=ALLERGIC, **ANN)
    assert server.stop(signal.SIGINT) == 130


@pytest.mark.proves("M-36")
def test_a_server_ended_in_the_middle_of_writes_keeps_every_acknowledged_one_whole(embedded: Installation) -> None:
    """Each statement holds two facts; a statement is there with both or with none, an acknowledged one with both.

    Of a server that is killed a hazard of machinery tells (Z18), on each store.
    """
    drugs = ["aspirin", "codeine", "ibuprofen", "morphine", "naproxen", "vancomycin", "cephalexin", "metformin"]
    with embedded.wire() as server:
        server.handshake()
        for number in range(len(drugs)):
            server.call("memory_remember", text="Hello.", subject=f"K{number}", subject_name=f"Kim {number}")
        asked = {
            server.ask(
                "tools/call",
                {
                    "name": "memory_remember",
                    "arguments": {"text": f"Allergies: {drug}, latex", "subject": f"K{number}"},
                },
            ): f"K{number}"
            for number, drug in enumerate(drugs)
        }
        acknowledged = {asked[server.receive()["id"]] for _ in range(2)}
        server.stop(signal.SIGTERM)
    with embedded.wire() as again:
        again.handshake()
        totals = {
            subject: again.call("memory_list_facts", subject=subject)["structuredContent"]["total"]
            for subject in asked.values()
        }
    assert {subject: totals[subject] for subject in acknowledged} == dict.fromkeys(acknowledged, 2)
    assert set(totals.values()) <= {0, 2}


@pytest.mark.proves("M-39", "M-40", "Z15")
def test_without_a_database_the_handshake_works_and_every_read_says_unavailable(
    embedded: Installation, nowhere: int
) -> None:
    down = embedded.with_settings(store_uri=f"bolt://127.0.0.1:{nowhere}", store_password="hunter2secret")
    with down.wire() as server:
        assert server.handshake()["result"]["serverInfo"]["name"] == "r-memory"
        assert "memory_build_context" in {tool["name"] for tool in server.request("tools/list", {})["result"]["tools"]}
        reads = [
            server.call("memory_build_context", query="What can she take?", subject="P1"),
            server.call("memory_list_facts", subject="P1"),
        ]
        written = server.call("memory_remember", text=ALLERGIC, **ANN)
        health = server.call("memory_describe", part="health")
    for read in reads:
        assert read["isError"]
        assert "SAFETY MEMORY UNAVAILABLE: " in read["content"][0]["text"]
        assert "Ask about allergies" in read["content"][0]["text"]
    assert written["isError"]
    assert "Nothing was stored: " in written["content"][0]["text"]
    assert health["structuredContent"]["health"]["store"] == "down"
    everything = json.dumps([reads, written, health]) + embedded.log.read_text()
    assert not [secret for secret in ("hunter2secret", f":{nowhere}", "bolt://") if secret in everything]
