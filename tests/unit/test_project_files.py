"""The files around the package: containers, lock file, linter. No Docker engine is needed or used here."""

import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]

WRONG_QUERY = """\
// Wrong on purpose: the variable is not the one that was matched.
//
// mode: read
// param $uid: an entity's id
// returns: name
MATCH (subject:Entity {uid: $uid})
RETURN patient.name AS name
"""


@pytest.fixture
def services() -> dict[str, Any]:
    compose: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text(encoding="utf-8"))
    services: dict[str, Any] = compose["services"]
    return services


def test_composed_server_waits_for_a_healthy_neo4j(services: dict[str, Any]) -> None:
    assert services["server"]["depends_on"] == {"neo4j": {"condition": "service_healthy"}}
    assert "cypher-shell" in services["neo4j"]["healthcheck"]["test"][1]


def test_composed_services_share_a_password_that_has_no_default(services: dict[str, Any]) -> None:
    password = services["server"]["environment"]["R_MEMORY_STORE_PASSWORD"]

    assert password.startswith("${R_MEMORY_STORE_PASSWORD:?")
    assert services["neo4j"]["environment"]["NEO4J_AUTH"] == f"neo4j/{password}"


def test_composed_neo4j_listens_on_loopback_only(services: dict[str, Any]) -> None:
    assert all(port.startswith("127.0.0.1:") for port in services["neo4j"]["ports"])


def test_image_runs_the_server_as_an_ordinary_user() -> None:
    lines = (ROOT / "Dockerfile").read_text(encoding="utf-8").splitlines()
    decided = [line for line in lines if line.startswith(("USER", "ENTRYPOINT", "CMD"))]

    assert decided == ["USER r-memory", 'ENTRYPOINT ["r-memory"]', 'CMD ["serve"]']


def test_image_gets_everything_the_build_reads() -> None:
    copied = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    allowed = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    needed = ["LICENSE", "README.md", "cypher", "gates.yaml", "intents", "intents.yaml", "pyproject.toml", "schema"]
    needed += ["server"]

    assert [name for name in needed if f"!{name}" not in allowed or name not in copied] == []


def test_wheel_carries_everything_people_edit_as_defaults(tmp_path: Path) -> None:
    edited = [path for name in ("schema", "intents", "cypher") for path in (ROOT / name).rglob("*") if path.is_file()]
    edited += [ROOT / "gates.yaml", ROOT / "intents.yaml"]
    expected = {f"r_memory/defaults/{path.relative_to(ROOT).as_posix()}" for path in edited}

    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    built = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)

    assert built.returncode == 0, built.stderr
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        packed = {name for name in archive.namelist() if name.startswith("r_memory/defaults/")}
    assert packed == expected


def test_linter_lock_file_pins_every_package_and_names_no_host() -> None:
    lock = json.loads((ROOT / "scripts/cypher_lint/package-lock.json").read_text(encoding="utf-8"))
    installed = [package for name, package in lock["packages"].items() if name]

    assert installed
    assert [package for package in installed if "resolved" in package or "integrity" not in package] == []


def test_linter_finds_a_query_that_reads_what_it_never_matched(tmp_path: Path) -> None:
    query = tmp_path / "wrong.cypher"
    query.write_text(WRONG_QUERY, encoding="utf-8")

    linted = _lint(query)

    assert linted.returncode == 1, linted.stderr
    assert f"{query}:7:8: error: Variable `patient` not defined" in linted.stdout.splitlines()


def test_linter_passes_a_right_query(tmp_path: Path) -> None:
    query = tmp_path / "right.cypher"
    query.write_text(WRONG_QUERY.replace("patient.name", "subject.name"), encoding="utf-8")

    linted = _lint(query)

    assert (linted.returncode, linted.stdout) == (0, "1 files, 0 errors\n"), linted.stderr


def _lint(query: Path) -> subprocess.CompletedProcess[str]:
    if shutil.which("npm") is None and not os.environ.get("CI"):
        pytest.skip("npm is not on PATH; install Node.js 20 or newer")
    command = [str(ROOT / "scripts/cypher-lint"), str(query)]
    return subprocess.run(command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
