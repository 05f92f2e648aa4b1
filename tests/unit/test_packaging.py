"""What people install from: the bundle and the registry's entry say what the server is, and agree with each other."""

import json
import re
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import pytest
from typing_extensions import override

from r_memory.gates.hooks import EVENTS
from r_memory_lab.describing import Listed
from scripts import marketplace, packaging

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
    version = marketplace.project()["version"]
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
    versions = {
        packaging.manifest(told)["version"],
        packaging.server_json()["version"],
        marketplace.project()["version"],
    }
    assert len(versions) == 1


@pytest.fixture
def dockerfile() -> list[tuple[str, str]]:
    """Instructions in their order, continued lines joined."""
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", " ")
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    return [(line.split(maxsplit=1)[0], line.split(maxsplit=1)[1]) for line in lines]


def test_the_image_runs_without_rights_bears_the_registrys_name_and_says_how_it_is(
    dockerfile: list[tuple[str, str]],
) -> None:
    said = dict(dockerfile)
    order = [name for name, _ in dockerfile]
    assert set(order) <= {
        *("FROM", "LABEL", "ENV", "WORKDIR", "COPY", "RUN", "USER", "VOLUME", "EXPOSE", "HEALTHCHECK"),
        *("ENTRYPOINT", "CMD"),
    }
    assert f'io.modelcontextprotocol.server.name="{packaging.NAME}"' in said["LABEL"]
    assert said["USER"] not in {"root", "0"}
    assert re.search(rf"useradd .*{said['USER']}", said["RUN"])
    # What was made by root belongs to it; what runs, and what is run from then on, has no rights.
    assert order.index("RUN") < order.index("USER") < order.index("ENTRYPOINT")
    assert said["EXPOSE"] == "8000"
    assert json.loads(said["ENTRYPOINT"]) + json.loads(said["CMD"]) == ["r-memory", "serve"]
    assert not any(re.search(r"(?i)password|token|secret|key=", value) for _, value in dockerfile if _ == "ENV")
    assert "latest" not in said["FROM"]
    assert ":" in said["FROM"]


@pytest.mark.parametrize(("status", "code"), [(200, 0), (503, 1), (None, 0)])
def test_the_images_health_is_what_its_server_says_and_one_on_standard_input_is_well(
    dockerfile: list[tuple[str, str]], status: int | None, code: int
) -> None:
    """`None`: nobody listens, as the server speaks over standard input and output."""
    command = json.loads(dict(dockerfile)["HEALTHCHECK"].partition("CMD ")[2])
    with health(status) as port:
        assert "8000" in command[2]
        asked = [sys.executable, command[1], command[2].replace("8000", str(port))]
        assert subprocess.run(asked, check=False).returncode == code


@contextmanager
def health(status: int | None) -> Iterator[int]:
    """The port of something that answers with this status."""

    class Answering(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            assert self.path == "/healthz"
            self.send_response(status or 0)
            self.end_headers()

        @override
        def log_message(self, format: str, *args: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Answering) as server:
        port = server.server_port
        if status is None:
            server.server_close()
            yield port
            return
        thread = Thread(target=server.serve_forever)
        thread.start()
        try:
            yield port
        finally:
            server.shutdown()
            thread.join()


def test_an_image_that_the_registry_starts_keeps_its_memory_when_the_container_goes() -> None:
    [image] = [item for item in packaging.server_json()["packages"] if item["registryType"] == "oci"]
    [mount] = image["runtimeArguments"]
    dockerfile = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    assert (mount["name"], "VOLUME /data" in dockerfile) == ("--mount", True)
    assert mount["value"] == "type=volume,src=r-memory,dst=/data"


def test_the_bundle_is_listed_with_its_digest_once_it_is_built() -> None:
    packages = packaging.server_json("0" * 64)["packages"]
    [bundle] = [package for package in packages if package["registryType"] == "mcpb"]
    assert bundle["fileSha256"] == "0" * 64
    assert bundle["identifier"].endswith(f"r-memory-{marketplace.project()['version']}.mcpb")


def test_the_manifest_names_the_prompts_and_its_icon_lies_in_the_bundle(told: Listed, tmp_path: Path) -> None:
    manifest = packaging.manifest(told)
    assert [item["name"] for item in manifest["prompts"]] == [prompt["name"] for prompt in told.prompts] != []
    packaging.write_bundle(tmp_path / "a.mcpb", told)
    with zipfile.ZipFile(tmp_path / "a.mcpb") as archive:
        assert archive.read(manifest["icon"])[:4] == b"\x89PNG"


def test_every_client_is_told_the_same_of_the_plugin() -> None:
    """Claude Code, Codex, Cursor and Gemini CLI: name, version, description, author, licence and server."""
    files = marketplace.manifests()
    plugins = [files[f"plugin/.{client}-plugin/plugin.json"] for client in ("claude", "codex", "cursor")]
    listed = [files[f".{client}-plugin/marketplace.json"]["plugins"][0] for client in ("claude", "cursor")]
    told = [*plugins, *listed, files["gemini-extension.json"]]
    project = marketplace.project()
    assert {item["name"] for item in told} | {files[".agents/plugins/marketplace.json"]["name"]} == {"r-memory"}
    assert {item["version"] for item in told} == {project["version"]}
    assert {item["description"] for item in told} == {marketplace.ABOUT}
    assert {(plugin["license"], plugin["author"]["name"]) for plugin in plugins} == {
        ("Apache-2.0", "The r-memory authors")
    }
    assert project["license"] == "Apache-2.0"
    servers = [files[name]["mcpServers"]["r-memory"] for name in ("plugin/.mcp.json", "gemini-extension.json")]
    assert [(item["command"], item["args"][0]) for item in servers] == [("r-memory", "serve")] * 2


def test_the_plugin_of_the_repository_is_the_one_of_the_marketplace() -> None:
    for name in ("plugin/.claude-plugin/plugin.json", "plugin/.mcp.json"):
        assert json.loads((ROOT / name).read_text(encoding="utf-8")) == marketplace.manifests()[name]


def test_whatever_a_marketplace_names_lies_in_it(tmp_path: Path) -> None:
    packaging.write_marketplace(tmp_path)
    manifests = marketplace.manifests()
    for client in ("codex", "cursor"):
        manifest = manifests[f"plugin/.{client}-plugin/plugin.json"]
        named = [manifest[part] for part in ("skills", "mcpServers", "hooks")]
        named.append(manifest.get("logo") or manifest["interface"]["logo"])
        assert [path for path in named if not (tmp_path / "plugin" / path).exists()] == []
    sources = [
        manifests[".claude-plugin/marketplace.json"]["plugins"][0]["source"],
        manifests[".cursor-plugin/marketplace.json"]["plugins"][0]["source"],
        manifests[".agents/plugins/marketplace.json"]["plugins"][0]["source"]["path"],
    ]
    assert {(tmp_path / source).resolve() for source in sources} == {(tmp_path / "plugin").resolve()}


def test_every_hook_of_a_marketplace_is_an_event_that_the_command_answers() -> None:
    manifests = marketplace.manifests()
    for client in ("codex", "cursor"):
        hooks = manifests[f"plugin/hooks/{client}.json"]["hooks"]
        assert {kind for event in hooks for kind in [EVENTS[event]]} >= {"session", "prompt", "tool", "answer"}
        assert all(f"r-memory hook {event}" in json.dumps(said) for event, said in hooks.items())


def test_what_a_published_schema_says_against_a_document_is_told(tmp_path: Path) -> None:
    schema = tmp_path / "s.json"
    schema.write_text('{"required": ["title"], "properties": {"version": {"type": "integer"}}}', encoding="utf-8")
    assert len(packaging.against(schema, {"version": "1"})) == 2
    assert packaging.against(schema, {"title": "x", "version": 1}) == []
