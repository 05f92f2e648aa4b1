"""What scripts/neo4j_server.py decides before anything is fetched or started."""

import json
import os
from pathlib import Path

import pytest

from scripts import neo4j_server


def java_home(folder: Path, version: str) -> Path:
    (folder / "bin").mkdir(parents=True)
    (folder / "bin" / "java").touch()
    (folder / "release").write_text(f'IMPLEMENTOR="x"\nJAVA_VERSION="{version}"\n', encoding="utf-8")
    return folder


def only_these(monkeypatch: pytest.MonkeyPatch, homes: list[Path]) -> None:
    monkeypatch.setattr(neo4j_server, "_java_homes", lambda: homes)


def test_each_line_gets_the_oldest_java_it_runs_on(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    homes = {version: java_home(tmp_path / version, f"{version}.0.1") for version in ("25", "11", "17", "21")}
    only_these(monkeypatch, list(homes.values()))

    chosen = {version: neo4j_server.find_java(release) for version, release in neo4j_server.RELEASES.items()}

    assert chosen == {"5.26": homes["17"] / "bin/java", "2026": homes["21"] / "bin/java"}


def test_missing_java_is_an_error_that_lists_what_was_found(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    only_these(monkeypatch, [java_home(tmp_path / "old", "1.8.0"), java_home(tmp_path / "newer", "17.0.2")])

    with pytest.raises(neo4j_server.Neo4jUnavailable, match=r"needs Java 21 to 25; found: .*17 in .*JAVA_HOME"):
        neo4j_server.find_java(neo4j_server.RELEASES["2026"])


def test_missing_maven_is_an_error_that_says_what_to_do(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("R_MEMORY_NEO4J_CACHE", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))

    with pytest.raises(neo4j_server.Neo4jUnavailable, match=r"Maven .* NEO4J_TEST_URI"):
        neo4j_server.fetch("5.26")


def test_a_reused_process_id_is_never_taken_for_our_server(tmp_path: Path) -> None:
    server = {"version": "5.26.30", "pid": os.getpid(), "uri": "bolt://127.0.0.1:1", "user": "u", "password": "p"}
    (tmp_path / "server.json").write_text(json.dumps(server), encoding="utf-8")

    assert neo4j_server.running(tmp_path) is None
    assert neo4j_server.stop(tmp_path) is False
