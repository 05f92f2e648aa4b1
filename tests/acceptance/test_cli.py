"""The command line as people and scripts use it: real processes, real stores, exit codes they can rely on."""

import datetime as dt
import json
import os
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import neo4j
import pytest

from r_memory.cli.app import READING
from r_memory.store.host_lock import Announcement, announced
from tests.acceptance.conftest import Installation, begun_in
from tests.acceptance.shell import Shell
from tests.acceptance.wire import PATIENCE, WireServer
from tests.warm_starts import SCRIPT

JOHN = ("--subject", "JD001")
REQUEST = "Recommend the standard first-line antibiotic for strep throat."
SECRET = "not-the-password-7431"


@pytest.fixture(scope="module")
def shell(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shell]:
    """An installation whose store a server hosts meanwhile, as beside a running assistant; John Doe was told to it."""
    folder = tmp_path_factory.mktemp("shell")
    installation = begun_in(folder)
    with installation.wire() as server:
        server.handshake()
        server.call("memory_describe", part="health")
        shell = Shell(installation=installation)
        words = "patient: I am severely allergic to Penicillin.\ndoctor: Any trouble with sleep?\n"
        told = shell.json("remember", *JOHN, "--subject-name", "John Doe", "--dialogue", words=words)
        assert told["counts"]["stored"] == 1
        yield shell


def host_of(shell: Shell) -> Announcement:
    """Where the store of the shell's installation answers."""
    host = announced(Path(shell.installation.settings["data_dir"]) / "store")
    assert host is not None
    return host


@pytest.fixture
def tampered(shell: Shell) -> Iterator[None]:
    """The present state as somebody else changed it behind the ledger's back; mended at the end."""
    host = host_of(shell)
    with neo4j.GraphDatabase.driver(f"bolt://127.0.0.1:{host.port}", auth=("root", host.secret)) as driver:
        driver.execute_query(
            "MATCH (:Entity)-[fact:HAS_ALLERGY_TO]->(:Entity) SET fact.status = 'refuted'", database_="memory"
        )
    yield
    assert shell.run("rebuild").returncode == 0


@pytest.mark.proves("RM-10", "RM-13", "RM-16")
def test_what_one_command_was_told_another_puts_in_front_of_the_request(shell: Shell) -> None:
    done = shell.process("recall", REQUEST, *JOHN, "--cypher")
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[0] == "[R-MEMORY CONTEXT]:"
    assert lines[2].startswith("CRITICAL ALLERGY: John Doe is allergic to Penicillin")
    assert REQUEST in lines
    assert "HAS_ALLERGY_TO" in done.stdout.split("// The query that was run")[1]


def test_nothing_printed_in_a_pipe_has_colour_or_is_wider_than_it_should_be(shell: Shell) -> None:
    for arguments in (["facts", *JOHN], ["subjects"], ["audit"], ["audit", "severe_allergies"]):
        done = shell.run(*arguments)
        assert (done.returncode, done.stderr) == (0, ""), arguments
        assert "\x1b" not in done.stdout
        assert max(map(len, done.stdout.splitlines())) <= 80, arguments


def test_facts_and_history_agree_in_both_forms(shell: Shell) -> None:
    (fact,) = shell.json("facts", *JOHN, "--relation", "HAS_ALLERGY_TO")["facts"]
    (event,) = shell.json("history", fact["fact_id"][:8])
    assert (fact["object"], fact["speaker"], event["speaker"]) == ("Penicillin", "patient", "patient")
    text = shell.run("history", fact["fact_id"]).stdout
    assert event["hash"][:12] in text
    assert fact["fact_id"][:8] in shell.run("facts", *JOHN).stdout


def test_an_audit_is_listed_shown_and_run(shell: Shell) -> None:
    names = [audit["name"] for audit in shell.json("audit")]
    assert len(names) >= 12
    assert "severe_allergies" in names
    rows = shell.json("audit", "severe_allergies")["rows"]
    assert [(row["space"], row["subject_id"], row["object"]) for row in rows] == [("practice", "JD001", "Penicillin")]
    query = shell.run("audit", "severe_allergies", "--cypher").stdout
    assert "MATCH (subject:Entity)" in query
    unknown = shell.run("audit", "sever_allergies")
    assert (unknown.returncode, unknown.stdout) == (2, "")
    assert "unknown audit 'sever_allergies'; use one of: " in unknown.stderr


def test_an_audit_that_finds_nothing_says_so(shell: Shell) -> None:
    assert shell.json("audit", "chain_gaps")["rows"] == []
    assert shell.run("audit", "chain_gaps").stdout.endswith("\n0 rows.\n")


@pytest.mark.usefixtures("tampered")
def test_verify_finds_a_changed_state_with_exit_code_one_and_rebuild_mends_it(shell: Shell) -> None:
    found = shell.run("verify", "--json")
    assert found.returncode == 1
    assert [difference["problem"] for difference in json.loads(found.stdout)["differences"]] == [
        "differs from what its events add up to; run `r-memory rebuild`",
        "was altered in a copy that people and audits read; run `r-memory rebuild`",
    ]
    assert shell.json("rebuild")["facts"] >= 1
    assert shell.run("verify").returncode == 0


def test_another_space_sees_nobody(shell: Shell) -> None:
    assert shell.json("subjects", "--space", "elsewhere") == []
    done = shell.run("recall", REQUEST, *JOHN, "--space", "elsewhere")
    assert (done.returncode, "John Doe" in done.stderr) == (2, False)


def test_a_word_that_steers_terminals_is_stored_and_shown_inert(shell: Shell) -> None:
    words = "I am allergic to \x1b[31mlatex\x1b[0m."
    done = shell.run("remember", words, "--subject", "ESC1", "--subject-name", "Esc Ape")
    shown = shell.run("recall", REQUEST, "--subject", "ESC1")
    assert "\x1b" not in done.stdout + done.stderr + shown.stdout + shown.stderr


def test_doctor_sees_the_host_and_exits_with_zero(shell: Shell) -> None:
    found = shell.json("doctor")
    assert found["healthy"] is True
    said = {finding["check"]: finding["what"] for finding in found["findings"]}
    assert said["host"] == f"process {host_of(shell).pid} hosts the store and accepts connections"
    assert said["store"].startswith("embedded ArcadeDB ")


def test_a_schema_changed_since_is_noted_by_doctor(shell: Shell, tmp_path: Path) -> None:
    shell.run("init", str(tmp_path / "home"))
    with (tmp_path / "home" / "schema" / "clinical.yaml").open("a", encoding="utf-8") as file:
        file.write("# edited\n")
    found = shell.json("doctor", "--home", str(tmp_path / "home"))
    (schema,) = [finding for finding in found["findings"] if finding["check"] == "schema"]
    assert (schema["level"], schema["what"].startswith("the store was prepared with schema ")) == ("note", True)


@pytest.fixture
def nowhere() -> Iterator[int]:
    """A port that nobody listens on; held, so that nobody begins to."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        yield held.getsockname()[1]


@pytest.fixture
def down(embedded: Installation, nowhere: int) -> Shell:
    """An installation whose store is not there."""
    return Shell(installation=embedded.with_settings(store_uri=f"bolt://127.0.0.1:{nowhere}", store_password=SECRET))


@pytest.fixture
def refused(shell: Shell, embedded: Installation) -> Shell:
    """An installation with the wrong password for a store that answers."""
    uri = f"bolt://127.0.0.1:{host_of(shell).port}"
    return Shell(installation=embedded.with_settings(store_uri=uri, store_user="root", store_password=SECRET))


@pytest.mark.proves("Z15")
@pytest.mark.parametrize("trouble", ["down", "refused"])
def test_a_store_that_cannot_be_used_is_exit_code_three_and_the_sentence_in_the_block(
    request: pytest.FixtureRequest, trouble: str
) -> None:
    shell: Shell = request.getfixturevalue(trouble)
    done = shell.run("recall", REQUEST, *JOHN)
    assert done.returncode == 3
    assert done.stdout.startswith("[R-MEMORY CONTEXT]:\nSAFETY MEMORY UNAVAILABLE: the store ")
    assert "[END R-MEMORY CONTEXT]" in done.stdout
    (line,) = done.stderr.splitlines()
    assert line.startswith("r-memory: the store ")
    assert SECRET not in done.stdout + done.stderr


@pytest.mark.proves("Z15", "Z18")
@pytest.mark.parametrize(
    "arguments",
    [
        ["remember", "I am allergic to latex.", *JOHN],
        ["facts", *JOHN],
        ["audit", "shown"],
        ["verify"],
        ["cypher", "MATCH (n:Patient) RETURN n.space AS space"],
        ["export", "never-written.jsonl"],
        ["forget", "JD001", "--yes", "--reason", "request 17", "--actor", "Dr Ada"],
    ],
)
def test_no_other_command_says_done_when_the_store_is_down(down: Shell, arguments: list[str]) -> None:
    done = down.run(*arguments)
    assert done.returncode == 3
    told = "the store cannot be reached; start it, or correct its address in the settings"
    assert done.stderr.splitlines() == [f"r-memory: {told}"]
    reads = arguments[0] in READING
    assert done.stdout == (f"SAFETY MEMORY UNAVAILABLE: {told}. Ask before acting.\n" if reads else "")


def test_a_wrong_password_is_named_by_doctor_and_never_shown(refused: Shell) -> None:
    done = refused.run("doctor")
    assert done.returncode == 3
    assert "TROUBLE store: the store refused the user or the password" in done.stdout
    assert "what to do: correct them in the settings" in done.stdout
    assert SECRET not in done.stdout + done.stderr


def test_audits_are_listed_without_a_store(down: Shell) -> None:
    assert "severe_allergies" in down.run("audit").stdout


@pytest.mark.parametrize("arguments", [["serve"], ["recall", REQUEST, *JOHN], ["check"]])
def test_bad_yaml_is_exit_code_two_with_file_and_line(
    embedded: Installation, tmp_path: Path, arguments: list[str]
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "intents.yaml").write_text("version: 1\nintents:\n\tMED_ORDER: {}\n", encoding="utf-8")
    shell = Shell(installation=embedded)
    # A server has streams of its own, so it is a process.
    command = shell.process if arguments == ["serve"] else shell.run
    done = command(*arguments, "--home", str(home))
    assert done.returncode == (3 if arguments[0] in READING else 2)
    assert f"{home / 'intents.yaml'}:3: a tab in the indentation; use spaces" in done.stdout + done.stderr
    assert "Traceback" not in done.stderr


def test_a_killed_host_leaves_a_stale_note_that_doctor_explains_and_the_next_command_replaces(
    embedded: Installation,
) -> None:
    shell = Shell(installation=embedded)
    with embedded.wire() as server:
        server.handshake()
        server.call("memory_remember", text="I am allergic to latex.", subject="P1", subject_name="Ann Lee")
        kill_host(server, shell)
    (host,) = [found for found in shell.json("doctor")["findings"] if found["check"] == "host"]
    assert (host["level"], "is stale" in host["what"]) == ("note", True)
    assert shell.json("facts", "--subject", "P1")["total"] == 1


def kill_host(server: WireServer, shell: Shell) -> None:
    """Ends the hosting process without a farewell."""
    host = host_of(shell)
    assert host.pid == server.process.pid
    os.kill(host.pid, 9)
    server.process.wait(timeout=PATIENCE)


def test_a_reader_that_has_enough_is_no_error(shell: Shell) -> None:
    """`r-memory audit | head -1`."""
    with subprocess.Popen(
        [SCRIPT, "audit", "severe_allergies", "--cypher"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=shell.installation.environment,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert b"Traceback" not in process.stderr.read()


def test_a_whole_visit_goes_in_by_pipe_and_comes_out_as_facts(shell: Shell) -> None:
    visit = "doctor: Any allergies?\npatient: I get hives from sulfa drugs.\npatient: I take warfarin.\n"
    told = shell.json("remember", "--subject", "V1", "--subject-name", "Vi One", "--dialogue", words=visit)
    assert told["counts"]["statements"] == 3
    facts = shell.json("facts", "--subject", "Vi One")["facts"]
    assert {fact["relation"] for fact in facts} >= {"HAS_ALLERGY_TO", "TAKES"}


def test_a_said_end_is_stored_and_found_by_the_audit_of_what_ends_soon(shell: Shell) -> None:
    """The audit could never return a row: nothing that reads words set a period."""
    last = dt.datetime.now(dt.UTC).date() + dt.timedelta(days=10)
    shell.run("remember", f"I take prednisone until {last:%d %B %Y}.", "--subject", "E1", "--subject-name", "Eve End")
    shell.run("remember", "I take aspirin.", "--subject", "E1")
    rows = shell.json("audit", "ending_soon")["rows"]
    ended = (last + dt.timedelta(days=1)).isoformat()
    assert [(row["object"], row["valid_to"][:10]) for row in rows if row["subject_id"] == "E1"] == [
        ("Prednisone", ended)
    ]
