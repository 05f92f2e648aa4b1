"""A marketplace of one plugin, for every client that has such: Claude Code, Codex, Cursor and Gemini CLI.

All of it is made from pyproject.toml, the folder `plugin/` and the hooks that `r-memory install --gates` writes, so
that no client is told something else than another. Forms as their documentation gives them; Claude Code, Codex and
Gemini CLI hold them against their own rules (`make conformance`).
"""

import json
import subprocess
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from r_memory.cli.installing.gates import hooks_alone

ROOT = Path(__file__).parents[1]
PLUGIN = ROOT / "plugin"
REPOSITORY = "https://github.com/r-memory/r-memory"
ABOUT = "Remembers the facts an assistant must never forget, and puts them in front of every prompt that they bear on."
SHORT = "Remembers the facts an assistant must never forget: allergies, contraindications, implants."
KEYWORDS = ("memory", "safety", "mcp", "knowledge-graph")
LOGO = ".claude-plugin/icon.png"
_NAME = "r-memory"
_AUTHOR = {"name": "The r-memory authors"}
_CATEGORY = "Productivity"
_SERVER = {"command": _NAME, "args": ["serve"]}


def project() -> dict[str, Any]:
    """The `[project]` table of pyproject.toml."""
    table: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return table


def manifests() -> Mapping[str, Mapping[str, Any]]:
    """Every file that tells a client of the plugin, by its path in the marketplace."""
    name = {"name": _NAME}
    plugin = {
        **name,
        "version": project()["version"],
        "description": ABOUT,
        "author": _AUTHOR,
        "license": project()["license"],
        "keywords": list(KEYWORDS),
    }
    links = {"homepage": REPOSITORY, "repository": REPOSITORY}
    parts = {"skills": "./skills/", "mcpServers": "./.mcp.json"}
    listed = {**name, "description": ABOUT, "version": plugin["version"]}
    shown = {
        "displayName": _NAME,
        "shortDescription": SHORT,
        "longDescription": f"{ABOUT} A developer component, not a medical device.",
        "developerName": _AUTHOR["name"],
        "category": _CATEGORY,
        "websiteURL": REPOSITORY,
        "privacyPolicyURL": f"{REPOSITORY}/blob/main/SECURITY.md",
        "logo": f"./{LOGO}",
    }
    local = {"source": "local", "path": "./plugin"}
    may = {"installation": "AVAILABLE", "authentication": "ON_INSTALL"}
    return {
        # Claude Code
        ".claude-plugin/marketplace.json": {
            **name,
            "owner": _AUTHOR,
            "description": ABOUT,
            "plugins": [{**plugin, **links, "source": "./plugin"}],
        },
        "plugin/.claude-plugin/plugin.json": plugin,
        "plugin/.mcp.json": {"mcpServers": {_NAME: {**_SERVER, "args": [*_SERVER["args"], "--hooks"]}}},
        # Codex
        ".agents/plugins/marketplace.json": {
            **name,
            "interface": {"displayName": _NAME},
            "plugins": [{**name, "source": local, "policy": may, "category": _CATEGORY}],
        },
        "plugin/.codex-plugin/plugin.json": {
            **plugin,
            **links,
            **parts,
            "hooks": "./hooks/codex.json",
            "interface": shown,
        },
        "plugin/hooks/codex.json": hooks_alone("codex", _NAME),
        # Cursor
        ".cursor-plugin/marketplace.json": {
            **name,
            "owner": _AUTHOR,
            "metadata": {"description": ABOUT, "version": plugin["version"]},
            "plugins": [{**listed, "source": "plugin"}],
        },
        "plugin/.cursor-plugin/plugin.json": {
            **plugin,
            **links,
            **parts,
            "displayName": _NAME,
            "logo": LOGO,
            "hooks": "./hooks/cursor.json",
        },
        "plugin/hooks/cursor.json": hooks_alone("cursor", _NAME),
        # Gemini CLI
        "gemini-extension.json": {
            **{key: plugin[key] for key in ("name", "version", "description")},
            "mcpServers": {_NAME: _SERVER},
        },
    }


def files() -> Mapping[str, bytes]:
    """The whole marketplace: the manifests, and every other file of the plugin that git knows."""
    listed = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "--", PLUGIN.name]
    known = subprocess.run(listed, cwd=ROOT, capture_output=True, text=True, check=True).stdout  # noqa: S603 - fixed
    kept = {name: (ROOT / name).read_bytes() for name in known.splitlines() if (ROOT / name).is_file()}
    made = {name: (json.dumps(content, indent=2) + "\n").encode() for name, content in manifests().items()}
    return {**kept, **made}
