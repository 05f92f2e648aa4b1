"""What people install from: the bundle and the registry's entry say what the server is, and agree with each other."""

import json
import re
import tomllib
import zipfile
from pathlib import Path

import pytest

from r_memory_lab.describing import Listed
from scripts import packaging

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def told() -> Listed:
    return packaging.described()


@pytest.mark.proves("M-54")
def test_the_bundle_names_exactly_the_tools_that_are_listed(told: Listed) -> None:
    manifest = packaging.manifest(told)
    assert [tool["name"] for tool in manifest["tools"]] == [tool["name"] for tool in told.tools]
    assert all(0 < len(tool["description"]) <= 300 for tool in manifest["tools"])


@pytest.mark.proves("M-54")
def test_every_setting_of_the_bundle_is_one_that_the_server_reads(told: Listed) -> None:
    from r_memory.config.settings import load_settings  # noqa: PLC0415 - read as the server reads it

    manifest = packaging.manifest(told)
    environment = manifest["server"]["mcp_config"]["env"]
    assert sorted(environment.values()) == sorted(f"${{user_config.{name}}}" for name in manifest["user_config"])
    chosen = {name: setting["default"] for name, setting in manifest["user_config"].items()}
    settings = load_settings({f"R_MEMORY_{name.upper()}": value for name, value in chosen.items()})
    assert (settings.space, settings.single_subject, settings.embedded) == ("default", "", True)


@pytest.mark.proves("M-54")
def test_the_bundle_holds_what_installing_takes_and_nothing_of_its_developers(told: Listed, tmp_path: Path) -> None:
    bundle, again = tmp_path / "a.mcpb", tmp_path / "b.mcpb"
    packaging.write_bundle(bundle, told)
    packaging.write_bundle(again, told)
    assert bundle.read_bytes() == again.read_bytes()
    with zipfile.ZipFile(bundle) as archive:
        names = set(archive.namelist())
        project = tomllib.loads(archive.read("pyproject.toml").decode())
        manifest = json.loads(archive.read("manifest.json"))
    assert {"server/r_memory/serving/server.py", "intents.yaml", "schema/clinical.yaml", "LICENSE"} <= names
    assert [
        name for name in names if name.startswith(("tests/", ".", "evals/", "docs/")) or "__pycache__" in name
    ] == []
    assert set(project) == {"build-system", "project", "tool"}
    assert set(project["tool"]) == {"hatch"}
    assert manifest["server"]["entry_point"] in names


@pytest.mark.proves("M-55")
def test_the_registrys_entry_keeps_its_rules_and_the_readme_claims_it() -> None:
    """Rules of server.json, 2025-12-11: name, length, exact versions, and the line by which a package is claimed."""
    entry = packaging.server_json()
    version = packaging.project()["version"]
    [package] = entry["packages"]
    assert re.fullmatch(r"[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+", entry["name"])
    assert len(entry["description"]) <= 100
    assert (entry["version"], package["version"]) == (version, version)
    assert re.fullmatch(r"\d+\.\d+\.\d+", version)
    assert (package["registryType"], package["identifier"], package["runtimeHint"]) == ("pypi", "r-memory", "uvx")
    assert package["transport"] == {"type": "stdio"}
    assert {frozenset(variable) for variable in package["environmentVariables"]} == {
        frozenset({"name", "description", "isRequired", "isSecret"})
    }
    assert f"mcp-name: {entry['name']}" in (ROOT / "README.md").read_text(encoding="utf-8")


def test_every_version_is_the_same(told: Listed) -> None:
    versions = {packaging.manifest(told)["version"], packaging.server_json()["version"], packaging.project()["version"]}
    assert len(versions) == 1
