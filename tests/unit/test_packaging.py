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
    package, image = entry["packages"]
    assert re.fullmatch(r"[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+", entry["name"])
    assert len(entry["description"]) <= 100
    assert (entry["version"], package["version"]) == (version, version)
    assert re.fullmatch(r"\d+\.\d+\.\d+", version)
    assert (package["registryType"], package["identifier"], package["runtimeHint"]) == ("pypi", "r-memory", "uvx")
    assert package["transport"] == {"type": "stdio"}
    assert {frozenset(variable) for variable in package["environmentVariables"]} == {
        frozenset({"name", "description", "isRequired", "isSecret"})
    }
    assert (image["registryType"], image["identifier"].rsplit(":", 1)[1]) == ("oci", version)
    assert entry["icons"][0]["sizes"] == [packaging.icon_size()] == ["512x512"]
    assert f"mcp-name: {entry['name']}" in (ROOT / "README.md").read_text(encoding="utf-8")


def test_every_version_is_the_same(told: Listed) -> None:
    versions = {packaging.manifest(told)["version"], packaging.server_json()["version"], packaging.project()["version"]}
    assert len(versions) == 1


def test_the_image_bears_the_name_of_the_registrys_entry_runs_without_rights_and_says_how_it_is() -> None:
    dockerfile = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    assert f'io.modelcontextprotocol.server.name="{packaging.NAME}"' in dockerfile
    lines = [line.split()[0] for line in dockerfile.splitlines() if line and line[0].isupper()]
    assert {"USER", "HEALTHCHECK", "EXPOSE"} <= set(lines)


def test_the_bundle_is_listed_with_its_digest_once_it_is_built() -> None:
    packages = packaging.server_json("0" * 64)["packages"]
    [bundle] = [one for one in packages if one["registryType"] == "mcpb"]
    assert bundle["fileSha256"] == "0" * 64
    assert bundle["identifier"].endswith(f"r-memory-{packaging.project()['version']}.mcpb")


def test_the_manifest_names_the_prompts_and_its_icon_lies_in_the_bundle(told: Listed, tmp_path: Path) -> None:
    manifest = packaging.manifest(told)
    assert [one["name"] for one in manifest["prompts"]] == [one["name"] for one in told.prompts] != []
    packaging.write_bundle(tmp_path / "a.mcpb", told)
    with zipfile.ZipFile(tmp_path / "a.mcpb") as archive:
        assert archive.read(manifest["icon"])[:4] == b"\x89PNG"


def test_every_marketplace_file_has_the_version_and_the_name() -> None:
    for name, content in packaging.marketplaces().items():
        entry = content.get("plugins", [content])[0]
        assert (name, entry["name"], entry["version"]) == (name, "r-memory", packaging.project()["version"])


def test_what_a_published_schema_says_against_a_document_is_told(tmp_path: Path) -> None:
    schema = tmp_path / "s.json"
    schema.write_text('{"required": ["title"], "properties": {"version": {"type": "integer"}}}', encoding="utf-8")
    assert len(packaging.against(schema, {"version": "1"})) == 2
    assert packaging.against(schema, {"title": "x", "version": 1}) == []
