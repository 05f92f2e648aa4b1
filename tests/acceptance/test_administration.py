"""Queries of one's own, erasing and moving as people do them: the real command, on each store, beside a server."""

import json
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.conftest import Installation, begun_in
from tests.acceptance.shell import Shell
from tests.acceptance.wire import WireServer

JOHN = {"subject": "JD001", "subject_name": "John Doe"}
JANE = {"subject": "JR002", "subject_name": "Jane Roe"}
WORDS = ("John Doe", "JD001", "severely allergic", "cello", "lovely instrument", "zorblaxin")
ORDER = ("--actor", "Dr Ada", "--reason", "erasure request 2026-17")


@pytest.fixture(scope="module")
def server(standing: Installation) -> Iterator[WireServer]:
    """A running server of the installation, which was told about two people."""
    with standing.wire() as server:
        server.handshake()
        for who in (JOHN, JANE):
            _talk(server, who, "I am severely allergic to Penicillin.", "Noted.")
            _talk(server, who, "My daughter plays the cello in Vienna.", "What a lovely instrument.")
            _asked(server, who["subject"])
        _talk(server, JOHN, "I am allergic to zorblaxin.", "Noted.")
        yield server


def _asked(server: WireServer, subject: str) -> dict[str, Any]:
    query = "Which instrument does my daughter play, and may I order amoxicillin?"
    return server.call("memory_build_context", query=query, subject=subject, conversation_id="visit")


def _talk(server: WireServer, who: dict[str, str], text: str, reply: str) -> None:
    server.call("memory_remember", text=text, reply=reply, conversation_id="visit", speaker="patient", **who)


@pytest.mark.usefixtures("server")
def test_a_query_of_ones_own_sees_its_own_space_and_changes_nothing(standing: Installation) -> None:
    shell, other = Shell(installation=standing), Shell(installation=standing.with_settings(space="other"))
    query = (
        "MATCH (s:Patient)-[fact:HAS_ALLERGY_TO]->(o:Entity) "
        "RETURN s.space AS space, s.id AS id, o.name AS object ORDER BY id, object"
    )
    rows = shell.json("cypher", query)["rows"]
    assert {"id": "JD001", "object": "Penicillin"} in [{"id": row["id"], "object": row["object"]} for row in rows]
    assert {row["space"] for row in rows} == {standing.settings["space"]}
    assert other.json("cypher", query)["rows"] == []
    assert shell.json("cypher", query, "--limit", "1")["truncated"]
    assert shell.run("cypher", "-", "--csv", words=query).stdout.splitlines()[0] == "space,id,object"
    for refused in (
        "MATCH (s:Patient) DETACH DELETE s",
        "MATCH (s:Patient) RETURN s.id AS id",
        "MATCH (s:Patient RETURN s.space AS space",
    ):
        done = shell.run("cypher", refused)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith("r-memory: the ")
    assert shell.json("cypher", query)["rows"] == rows


@pytest.mark.usefixtures("server")
def test_a_space_moves_to_another_store_and_back_without_losing_anything(
    standing: Installation, tmp_path: Path
) -> None:
    """From each store to a fresh embedded one; then everything goes back into a space that knows it already."""
    there = Shell(installation=standing)
    here = Shell(installation=begun_in(tmp_path / "fresh").with_settings(space=standing.settings["space"]))
    file, again = tmp_path / "there.jsonl", tmp_path / "here.jsonl"
    counts = there.json("export", str(file))["counts"]
    assert all(counts[kind] for kind in ("subject", "statement", "event", "receipt", "item", "summary", "decision"))
    imported = here.process("import", str(file), "--json")
    assert imported.returncode == 0, imported.stderr
    assert json.loads(imported.stdout)["added"] == {**counts, "document": 0}
    here.json("export", str(again))
    assert _below_the_header(again) == _below_the_header(file)
    for command in (("facts", "--subject", "JD001"), ("conversation", "show", "visit", "--subject", "JD001")):
        assert here.json(*command) == there.json(*command)
    assert here.json("verify")["whole"]
    assert set(here.json("import", str(file))["added"].values()) == {0}
    assert set(there.json("import", str(again))["added"].values()) == {0}


def test_a_file_moves_into_each_store(standing: Installation, tmp_path: Path) -> None:
    """The other direction: from the embedded store into each."""
    space = f"moved-{uuid.uuid4().hex[:8]}"
    source = Shell(installation=begun_in(tmp_path / "source").with_settings(space=space))
    target = Shell(installation=standing.with_settings(space=space))
    told = "patient: I am severely allergic to Penicillin.\npatient: I take warfarin.\npatient: I have a pacemaker.\n"
    assert source.run("remember", "-s", "JD001", "--subject-name", "John Doe", "--dialogue", words=told).returncode == 0
    file, again = tmp_path / "all.jsonl", tmp_path / "again.jsonl"
    source.json("export", str(file))
    half = tmp_path / "half.jsonl"
    half.write_bytes(file.read_bytes()[:-10])
    refused = target.run("import", str(half))
    assert (refused.returncode, "it was cut off" in refused.stderr) == (2, True)
    assert target.json("subjects") == []
    assert target.run("import", str(file)).returncode == 0
    target.json("export", str(again))
    assert _below_the_header(again) == _below_the_header(file)
    assert target.json("verify")["whole"]
    recall = target.run("recall", "Order amoxicillin.", "--subject", "JD001").stdout
    assert "CRITICAL ALLERGY: John Doe is allergic to Penicillin" in recall


def test_an_erased_person_is_nowhere_and_the_other_is_whole(
    standing: Installation, server: WireServer, tmp_path: Path
) -> None:
    """Last in this file: the others are about him as well."""
    shell = Shell(installation=standing)
    jane = shell.json("facts", "--subject", "JR002")
    dry = shell.json("forget", "JD001", "--dry-run")["counts"]
    assert (dry["statements"], dry["items"] >= 3, dry["summaries"] > 0, dry["receipts"] > 0) == (3, True, True, True)
    assert shell.process("forget", "JD001", *ORDER).returncode == 2  # nobody typed the id
    done = shell.json("forget", "JD001", *ORDER, "--yes")
    assert done["counts"] == dry

    # The server that was running knows nobody of that name any more, and goes on for the other.
    refused = _asked(server, "JD001")
    assert refused["isError"]
    assert "no Patient has the id or name 'JD001'" in str(refused)
    block = _asked(server, "JR002")["structuredContent"]["block"]
    assert "CRITICAL ALLERGY: Jane Roe is allergic to Penicillin" in block
    assert "cello" in block
    assert shell.json("facts", "--subject", "JR002") == jane

    # Nothing in the whole space holds a word, and the ledger still adds up.
    everything = "MATCH (n) RETURN n.space AS space, labels(n) AS labels, n AS node"
    left = [row for row in shell.json("cypher", everything, "--limit", "100000")["rows"] if "JR002" not in str(row)]
    assert [word for word in WORDS if word in str(left)] == []
    history = shell.json("history", done["event_id"])
    assert (history[-1]["kind"], history[-1]["actor"]) == ("erased", "Dr Ada")
    assert shell.json("verify")["whole"]
    assert shell.run("rebuild").returncode == 0
    assert shell.json("verify")["whole"]
    assert [item["id"] for item in shell.json("subjects")] == ["JR002"]

    # An export does not bring it back either, and the erasure moves with it.
    file = tmp_path / "after.jsonl"
    shell.json("export", str(file))
    assert "JD001" not in file.read_text(encoding="utf-8")
    fresh = Shell(installation=begun_in(tmp_path / "fresh").with_settings(space=standing.settings["space"]))
    shell_export = fresh.json("import", str(file))
    assert shell_export["added"]["subject"] == 2
    assert fresh.json("verify")["whole"]
    assert _words_on_disk(tmp_path / "fresh", "John Doe") == []


def _words_on_disk(folder: Path, words: str) -> list[str]:
    found = (path for path in folder.rglob("*") if path.is_file() and words.encode() in path.read_bytes())
    return sorted(path.name for path in found)


def _below_the_header(file: Path) -> list[str]:
    return file.read_text(encoding="utf-8").splitlines()[1:]
