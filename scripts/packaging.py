"""What people install from beside the wheel: a bundle for Claude Desktop (`.mcpb`), the registry's `server.json`, and a
marketplace (`marketplace.py`).

Pure descriptions of one version, and the archive that carries them. Formats: MCPB manifest 0.4, server.json of
2025-12-11; both are held against their published schemas.
"""

import argparse
import asyncio
import hashlib
import json
import shutil
import struct
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import tomlkit
from jsonschema import Draft202012Validator

from r_memory.config.files import Files
from r_memory.config.loading import load_domain
from r_memory.serving.tools.offer import Offer
from r_memory_lab.describing import Listed, listed
from scripts.conformance_suite.tools import Missing, Tools
from scripts.marketplace import LOGO, REPOSITORY, ROOT, SHORT, files, project

NAME = "io.github.r-memory/r-memory"
"""In the registry; README.md repeats it, which is how the registry knows that the package is ours."""
TITLE = "r-memory: facts that must never be forgotten"
IMAGE = "ghcr.io/r-memory/r-memory"
ICON = "icon.png"
_ICON_FILE = Path("plugin") / LOGO
_SHIPPED = ("server", "schema", "cypher", "gates.yaml", "intents", "intents.yaml", "README.md", "LICENSE")
_BUILD = ("hatch",)
MCPB = "@anthropic-ai/mcpb"
"""The npm package that publishes the manifest's schema."""
REGISTRY = "github.com/modelcontextprotocol/registry@v1.8.7"
"""The Go module that publishes the schema of server.json."""
_EPOCH = (1980, 1, 1, 0, 0, 0)
"""Of every file in the archive, so that the same sources give the same bytes."""
SETTINGS: Mapping[str, Mapping[str, Any]] = {
    "single_subject": {
        "type": "string",
        "title": "Your own id",
        "description": "For one person's own assistant: any short id. Leave empty if it speaks about several people.",
        "required": False,
        "default": "",
    },
    "space": {
        "type": "string",
        "title": "Space",
        "description": "Memories of different spaces never meet.",
        "required": False,
        "default": "default",
    },
    "store_uri": {
        "type": "string",
        "title": "Neo4j address",
        "description": "Such as neo4j://localhost:7687. Leave empty to keep everything on this computer.",
        "required": False,
        "default": "",
    },
    "store_password": {
        "type": "string",
        "title": "Neo4j password",
        "description": "Only together with an address.",
        "required": False,
        "sensitive": True,
        "default": "",
    },
}
"""What a person may choose; by the name of the setting."""


def manifest(told: Listed) -> dict[str, Any]:
    """The bundle's manifest, for the tools that the server lists."""
    about = project()
    return {
        "manifest_version": "0.4",
        "name": "r-memory",
        "display_name": "r-memory",
        "version": about["version"],
        "description": SHORT,
        "long_description": about["description"] + " A developer component, not a medical device.",
        "author": {"name": "r-memory contributors", "url": REPOSITORY},
        "repository": {"type": "git", "url": f"{REPOSITORY}.git"},
        "homepage": REPOSITORY,
        "documentation": f"{REPOSITORY}/blob/main/docs/tutorial.md",
        "support": f"{REPOSITORY}/issues",
        "privacy_policies": [f"{REPOSITORY}/blob/main/SECURITY.md"],
        "icon": ICON,
        "license": about["license"],
        "keywords": about["keywords"],
        "server": {
            "type": "uv",
            "entry_point": "server/r_memory/serving/server.py",
            "mcp_config": {
                "command": "uv",
                "args": ["run", "--directory", "${__dirname}", "r-memory", "serve"],
                "env": {f"R_MEMORY_{name.upper()}": f"${{user_config.{name}}}" for name in SETTINGS},
            },
        },
        "tools": [{"name": tool["name"], "description": first_sentence(tool["description"])} for tool in told.tools],
        "prompts": [_prompt(prompt) for prompt in told.prompts],
        "compatibility": {"platforms": ["darwin", "win32", "linux"], "runtimes": {"python": about["requires-python"]}},
        "user_config": {name: dict(setting) for name, setting in SETTINGS.items()},
    }


def _prompt(told: Mapping[str, Any]) -> dict[str, Any]:
    """A prompt as the manifest names it; its words come from the server."""
    arguments = [item["name"] for item in told.get("arguments") or ()]
    fills = " ".join(f"${{arguments.{name}}}" for name in arguments)
    described = first_sentence(str(told.get("description") or told["name"]))
    return {"name": told["name"], "description": described, "arguments": arguments, "text": fills or told["name"]}


def server_json(bundle_sha256: str = "") -> dict[str, Any]:
    """The entry of the MCP registry; the bundle is listed once its digest is known."""
    version = project()["version"]
    variables = [
        {
            "name": f"R_MEMORY_{name.upper()}",
            "description": setting["description"],
            "isRequired": False,
            "isSecret": bool(setting.get("sensitive")),
        }
        for name, setting in SETTINGS.items()
    ]
    serve = [{"type": "positional", "value": "serve"}]
    python = {
        "registryType": "pypi",
        "identifier": "r-memory",
        "version": version,
        "runtimeHint": "uvx",
        "transport": {"type": "stdio"},
        "packageArguments": serve,
        "environmentVariables": variables,
    }
    bundle = {
        "registryType": "mcpb",
        "identifier": f"{REPOSITORY}/releases/download/v{version}/r-memory-{version}.mcpb",
        "fileSha256": bundle_sha256,
        "transport": {"type": "stdio"},
    }
    image = {
        "registryType": "oci",
        "identifier": f"{IMAGE}:{version}",
        "runtimeHint": "docker",
        "transport": {"type": "stdio"},
        # Without a volume of its own the memory would go with the container.
        "runtimeArguments": [{"type": "named", "name": "--mount", "value": "type=volume,src=r-memory,dst=/data"}],
        "packageArguments": serve,
        "environmentVariables": variables,
    }
    host = {"description": "Name under which you serve it, such as memory.example.com", "isRequired": True}
    return {
        "$schema": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
        "name": NAME,
        "title": TITLE,
        "description": SHORT,
        "version": version,
        "websiteUrl": REPOSITORY,
        "repository": {"url": REPOSITORY, "source": "github"},
        "icons": [
            {
                "src": f"{REPOSITORY.replace('github.com', 'raw.githubusercontent.com')}/main/{_ICON_FILE.as_posix()}",
                "mimeType": "image/png",
                "sizes": [icon_size()],
            }
        ],
        "packages": [python, *([bundle] if bundle_sha256 else []), image],
        "remotes": [{"type": "streamable-http", "url": "https://{host}/mcp", "variables": {"host": host}}],
    }


def icon_size() -> str:
    """Width and height of the icon, as its header has them: `512x512`."""
    width, height = struct.unpack(">II", (ROOT / _ICON_FILE).read_bytes()[16:24])
    return f"{width}x{height}"


def first_sentence(text: str) -> str:
    """Up to the first full stop."""
    return text.split(". ", maxsplit=1)[0].split("\n", maxsplit=1)[0].rstrip(".") + "."


def bundled_project() -> str:
    """pyproject.toml as the bundle needs it: what installing takes, without the tools of its developers."""
    document = tomlkit.parse((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    tools = document["tool"]
    document.remove("dependency-groups")
    for name in [name for name in tools if name not in _BUILD]:
        tools.remove(name)
    return tomlkit.dumps(document)


def shipped() -> Sequence[Path]:
    """The files of the bundle, relative to the repository: those that git knows or would add."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "--", *_SHIPPED]
    known = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)  # noqa: S603 - fixed words
    listed_files = known.stdout.splitlines()
    return [Path(name) for name in sorted(set(listed_files)) if (ROOT / name).is_file()]


def write_bundle(path: Path, told: Listed) -> None:
    """The archive, the same for the same sources."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        _add(archive, "manifest.json", (json.dumps(manifest(told), indent=2) + "\n").encode())
        _add(archive, "pyproject.toml", bundled_project().encode())
        _add(archive, ICON, (ROOT / _ICON_FILE).read_bytes())
        for file in shipped():
            _add(archive, file.as_posix(), (ROOT / file).read_bytes())


def _add(archive: zipfile.ZipFile, name: str, content: bytes) -> None:
    entry = zipfile.ZipInfo(name, _EPOCH)
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = 0o644 << 16
    archive.writestr(entry, content)


def described() -> Listed:
    """What the shipped server tells of itself."""
    about = load_domain(Files(), "clinical").schema.topics

    async def told() -> Listed:
        return await listed(Offer(about=about))

    return asyncio.run(told())


def main() -> int:
    """Builds everything into a folder; the exit status."""
    parser = argparse.ArgumentParser(description="Builds wheel, sdist, .mcpb bundle and server.json.")
    parser.add_argument("--out", type=Path, default=ROOT / "dist")
    parser.add_argument("--no-wheel", action="store_true", help="leave wheel and sdist out")
    parser.add_argument(
        "--schemas",
        type=Path,
        help="folder with the published server.schema.json and mcpb-manifest-v0.4.schema.json, in place of fetching",
    )
    parser.add_argument("--no-schemas", action="store_true", help="hold nothing against its schema")
    asked = parser.parse_args()
    asked.out.mkdir(parents=True, exist_ok=True)
    if not asked.no_wheel:
        build = [sys.executable, "-m", "hatchling", "build", "-d", str(asked.out.absolute())]
        subprocess.run(build, cwd=ROOT, check=True)  # noqa: S603 - fixed words
    bundle, told = asked.out / f"r-memory-{project()['version']}.mcpb", described()
    write_bundle(bundle, told)
    entry = server_json(hashlib.sha256(bundle.read_bytes()).hexdigest())
    (asked.out / "server.json").write_text(json.dumps(entry, indent=2) + "\n", encoding="utf-8")
    write_marketplace(asked.out / "marketplace")
    print(bundle, asked.out / "server.json", asked.out / "marketplace", sep="\n")
    if asked.no_schemas:
        return 0
    held = {"server.schema.json": entry, "mcpb-manifest-v0.4.schema.json": manifest(told)}
    with tempfile.TemporaryDirectory() as folder:
        wrong = [line for name, content in held.items() for line in _held(name, content, asked.schemas, Path(folder))]
    print(*(wrong or [f"valid against {' and '.join(held)}"]), sep="\n")
    return int(bool(wrong))


def write_marketplace(folder: Path) -> None:
    """The marketplace, in place of the one that was there."""
    shutil.rmtree(folder, ignore_errors=True)
    for name, content in files().items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)


def _held(name: str, document: Mapping[str, Any], given: Path | None, folder: Path) -> Sequence[str]:
    """What the published schema of this name says against the document; that it cannot be had is one thing."""
    try:
        return against(given / name if given else published(name, Tools(folder)), document)
    except Missing as error:
        return [f"not held against {name}: {error}; give a folder that has it (SCHEMAS=DIR)"]


def published(name: str, tools: Tools) -> Path:
    """The file of a schema as its publisher ships it.

    Raises:
        Missing: it cannot be had.
    """
    if name == "server.schema.json":
        return tools.go_module(REGISTRY) / "internal" / "validators" / "schemas" / "2025-12-11.json"
    return tools.npm_package(MCPB) / "schemas" / name


def against(schema: Path, document: Mapping[str, Any]) -> Sequence[str]:
    """What the published schema says against the document, one line each."""
    if not schema.is_file():
        return [f"{schema.name} is not in {schema.parent}; put the published one there"]
    validator = Draft202012Validator(json.loads(schema.read_text(encoding="utf-8")))
    return [f"{schema.name}: {error.json_path}: {error.message[:200]}" for error in validator.iter_errors(document)]


if __name__ == "__main__":
    sys.exit(main())
