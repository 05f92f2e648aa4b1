"""Hazards of machinery: failures, races, restarts and edits lose nothing and are never taken for "nothing known"."""

import os
import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit

import anyio
import pytest

from tests.acceptance.conftest import Assistant, Installation
from tests.acceptance.shell import Shell
from tests.acceptance.wire import WireServer
from tests.hazards.conftest import Patient, drug_names, somebody

ALLERGIC = "I am severely allergic to penicillin."
ANN = {"subject": "P1", "subject_name": "Ann Lee"}
BROKEN = """\
// Fails on every row: for the test of a read that fails in part.
//
// mode: read
// param $subject_uid: unique key of the subject
// param $space: its space
// returns: relation, fact, object
MATCH (subject:Entity {uid: $subject_uid, space: $space})-[edge]->(object:Entity)
WITH edge, object, duration(edge.space) AS nonsense
RETURN type(edge) AS relation,
       properties(edge) AS fact,
       properties(object) AS object
"""


class Line:
    """A line to a database that can be cut in the middle of a call."""

    def __init__(self, host: str, port: int) -> None:
        self._far = (host, port)
        self._socket = socket.create_server(("127.0.0.1", 0))
        self._ends: list[socket.socket] = []
        self.port: int = self._socket.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self) -> None:
        """Ends every connection and takes no further one."""
        for end in (self._socket, *self._ends):
            with suppress(OSError):  # the other side went first
                end.shutdown(socket.SHUT_RDWR)
            end.close()

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self._socket.accept()
            except OSError:
                return
            far = socket.create_connection(self._far)
            self._ends += [near, far]
            for source, sink in ((near, far), (far, near)):
                threading.Thread(target=_pump, args=(source, sink), daemon=True).start()


def _pump(source: socket.socket, sink: socket.socket) -> None:
    try:
        while data := source.recv(65536):
            sink.sendall(data)
    except OSError:
        return


def until_it_answers(server: WireServer) -> None:
    """Asks again while the first answers take longer than they may, as they do on a busy machine."""
    while server.call("memory_build_context", query="Order amoxicillin.", subject="P1").get("isError"):
        pass


@contextmanager
def database_that_goes(own: Installation) -> Iterator[tuple[WireServer, Installation]]:
    """A server whose database has gone since its first answer: cut off, or its host stopped in the middle."""
    if "store_uri" not in own.settings:
        hosted = own.with_settings(read_timeout_s="2")
        with ExitStack() as stack:
            host = stack.enter_context(own.wire())
            host.handshake()
            host.call("memory_remember", text=ALLERGIC, **ANN)
            # Not before: each opens the store at its start, and whoever is first has it.
            attached = stack.enter_context(WireServer(hosted.environment, log=own.folder / "attached.log"))
            attached.handshake()
            until_it_answers(attached)
            host.process.send_signal(signal.SIGSTOP)
            # Not before it stands still: a call could still be answered.
            os.waitid(os.P_PID, host.process.pid, os.WSTOPPED | os.WNOWAIT)
            try:
                yield attached, hosted
            finally:
                host.process.send_signal(signal.SIGCONT)
        return
    address = urlsplit(own.settings["store_uri"])
    assert address.hostname
    line = Line(address.hostname, address.port or 7687)
    through = own.with_settings(store_uri=f"bolt://127.0.0.1:{line.port}", read_timeout_s="5")
    with through.wire() as server:
        server.handshake()
        server.call("memory_remember", text=ALLERGIC, **ANN)
        until_it_answers(server)
        line.cut()
        yield server, through


@pytest.fixture
def home(own: Installation) -> Path:
    """A copy of the shipped files, as `r-memory init` makes it."""
    folder = own.folder / "home"
    assert Shell(installation=own).run("init", str(folder)).returncode == 0
    return folder


@pytest.mark.proves("Z15")
@pytest.mark.skipif(os.name == "nt", reason="stopping a process is POSIX")
def test_z15_a_database_that_goes_in_the_middle_is_called_unavailable(own: Installation) -> None:
    with database_that_goes(own) as (server, _):
        context = server.call("memory_build_context", detail=True, query="Order amoxicillin.", subject="P1")
        listed = server.call("memory_list_facts", subject="P1")
        written = server.call("memory_remember", text="I have a pacemaker.", subject="P1")
    for answer in (context, listed):
        assert answer["isError"]
        assert "SAFETY MEMORY UNAVAILABLE: " in answer["content"][0]["text"]
        assert "Ask about allergies" in answer["content"][0]["text"]
    assert written["isError"]


@pytest.mark.anyio
@pytest.mark.proves("Z16")
async def test_z16_a_part_that_could_not_be_read_is_named_and_the_rest_still_goes_out(
    own: Installation, home: Path
) -> None:
    (home / "cypher" / "recall" / "imaging_mri.cypher").write_text(BROKEN, encoding="utf-8")
    async with own.with_settings(home=str(home)).client() as assistant:
        ann = somebody(assistant)
        await ann.tell("I have a pacemaker.")
        context = await ann.context("Order an MRI of the brain.")
    assert context["complete"] is False
    assert "COULD-NOT-CHECK" in {each["state"] for each in context["outcomes"]}
    assert any("acemaker" in line["text"] for line in context["lines"])
    assert "could not be checked" in context["block"].casefold()


@pytest.mark.anyio
@pytest.mark.proves("Z17")
async def test_z17_what_was_written_is_read_at_once_two_hundred_times(clinic: Assistant) -> None:
    """Each of ten people says 20 things, all side by side; each is asked for in the call after it was said.

    What is stale is so at the first reads beside other writes: a thousand showed nothing more, in five times as long.
    """

    async def talk(patient: Patient) -> None:
        for number, drug in enumerate(drug_names()[:20]):
            await clinic.call(
                "memory_remember",
                text=f"I take {drug}.",
                subject=patient.id,
                subject_name=patient.name,
                facts=[{"relation": "TAKES", "object": drug, "evidence": f"I take {drug}"}],
            )
            listed = await clinic.call("memory_list_facts", subject=patient.id, limit=1)
            assert listed["total"] == number + 1

    async with anyio.create_task_group() as people:
        for _ in range(10):
            people.start_soon(talk, somebody(clinic))


@pytest.mark.proves("Z18")
def test_z18_what_was_acknowledged_outlives_a_kill_whole(own: Installation) -> None:
    """Each statement holds two facts: both are there or none, and both wherever the write was acknowledged."""
    drugs = ["aspirin", "codeine", "ibuprofen", "morphine", "naproxen", "vancomycin"]
    with own.wire() as server:
        server.handshake()
        for number in range(len(drugs)):
            server.call("memory_remember", text="Hello.", subject=f"K{number}", subject_name=f"Kim {number}")
        asked = {}
        for number, drug in enumerate(drugs):
            arguments = {"text": f"Allergies: {drug}, latex", "subject": f"K{number}"}
            asked[server.ask("tools/call", {"name": "memory_remember", "arguments": arguments})] = f"K{number}"
        acknowledged = {asked[server.receive()["id"]] for _ in range(2)}
        server.stop(signal.SIGKILL)
    with own.wire() as again:
        again.handshake()
        totals = {
            subject: again.call("memory_list_facts", subject=subject)["structuredContent"]["total"]
            for subject in asked.values()
        }
    assert {totals[subject] for subject in acknowledged} == {2}
    assert set(totals.values()) <= {0, 2}


@pytest.mark.proves("Z35")
@pytest.mark.parametrize("own", ["embedded"], indirect=True)
def test_z35_nobodys_words_are_in_what_the_server_prints(own: Installation) -> None:
    canary = "zyxcanaryxyz"
    with own.wire() as server:
        server.handshake()
        who = {"subject": f"id-{canary}", "subject_name": f"Ann {canary}"}
        server.call("memory_remember", text=f"I am allergic to {canary}.", speaker=canary, **who)
        server.call("memory_remember", text=f"Possible reaction to {canary} and \x00", **who)
        triple = {"relation": canary, "object": canary, "evidence": canary}
        server.call("memory_remember", text=f"{canary}.", facts=[triple], **who)
        server.call("memory_build_context", query=f"Order {canary}.", subject=who["subject"], intents=[canary])
        server.call("memory_build_context", query=f"Order {canary}.", subject=who["subject"])
        server.call("memory_list_facts", subject=canary, relations=[canary], cursor=canary)
        server.call("memory_list_facts", **{canary: canary})
        server.send(f'{{"jsonrpc": "{canary}"'.encode())
        server.request("tools/call", {"name": canary, "arguments": {}})
        assert server.leave() == 0
    assert canary not in own.log.read_text(errors="replace")


@pytest.mark.anyio
@pytest.mark.proves("Z36")
async def test_z36_fifty_writers_of_one_fact_make_one_fact_with_fifty_observations(patient: Patient) -> None:
    await patient.tell("Hello.")

    async def say(number: int) -> None:
        await patient.tell("I am allergic to latex.", speaker=f"nurse {number}")

    async with anyio.create_task_group() as nurses:
        for number in range(50):
            nurses.start_soon(say, number)
    [fact] = await patient.facts()
    assert fact["observations"] == 50


LATER_DROPPED = """
  HAS_TRAVEL_BAN:
    subject: [Patient]
    object: [Condition]
    open_object: true
    templates: ["must not travel to {object+}"]
    line: "TRAVEL BAN: {subject} must not travel to {object}."
"""


@pytest.mark.anyio
@pytest.mark.proves("Z37")
@pytest.mark.parametrize("own", ["embedded"], indirect=True)  # a new schema writes the knowledge anew: seconds on each
async def test_z37_facts_of_an_earlier_schema_are_still_shown(own: Installation, home: Path) -> None:
    schema = home / "schema" / "clinical.yaml"
    text = schema.read_text(encoding="utf-8")
    schema.write_text(text.replace("\nrelations:\n", f"\nrelations:{LATER_DROPPED}", 1), encoding="utf-8")
    async with own.with_settings(home=str(home)).client() as assistant:
        ann = somebody(assistant)
        await ann.tell("She must not travel to high altitude.")
        [fact] = await ann.facts()
    async with own.client() as assistant:
        context = await Patient(assistant, ann.id, ann.name).context("Order acetaminophen.")
    assert fact["relation"] == "HAS_TRAVEL_BAN"
    assert [line["fact_id"] for line in context["lines"]] == [fact["fact_id"]]
    assert "HAS_TRAVEL_BAN" in context["block"]
