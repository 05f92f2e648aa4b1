"""Memory servers that are not ours: how each is had from its registry, into the cache of this installation.

By the registry's ordinary client, on first use; what cannot be had is said with its reason. Nothing of them belongs to
r-memory.
"""

import contextlib
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from mcp import Client

from r_memory_lab.bench.clients import ForeignServer, MemoryService, Patients, ReferenceServer

REFERENCE = "@modelcontextprotocol/server-memory@2026.8.31"
SERVICE = "mcp-memory-service==12.4.0"
_INSTALL_LIMIT_S = 600.0
_DATABASE = "MCP_MEMORY_SQLITE_PATH"
_PROBE = "import sqlite3, sys; sqlite3.connect(':memory:').enable_load_extension(True); print(sys.version_info[:2])"


class Missing(Exception):
    """The server is not available; the message says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Other:
    """A server that can be started."""

    package: str
    said: str
    """How it was used, for the report."""
    command: Sequence[str]
    environment: Callable[[Path], Mapping[str, str]]
    """Returns the variables by which it keeps all data in this folder."""
    server: Callable[[Client, Patients, Mapping[str, str]], ForeignServer]
    """Returns the server behind a client, from the environment of its start."""


def reference(cache: Path) -> Other:
    """Returns the Model Context Protocol's reference server, for Node.js.

    Raises:
        Missing: there is no npm, or it cannot install the package.
    """
    folder = cache / "server-memory"
    main = folder / "node_modules" / "@modelcontextprotocol" / "server-memory" / "dist" / "index.js"
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None:
        raise Missing(f"{REFERENCE}: there is no Node.js with npm on PATH")
    folder.mkdir(parents=True, exist_ok=True)
    _installed(main, npm, "install", "--no-audit", "--no-fund", "--no-save", "--prefix", str(folder), REFERENCE)
    return Other(
        package=REFERENCE,
        said="by `open_nodes`, `add_observations` and `create_entities`",
        command=(node, str(main)),
        environment=lambda kept: {"MEMORY_FILE_PATH": str(kept / "graph.jsonl")},
        server=lambda client, patients, _: ReferenceServer(client, patients),
    )


def memory_service(cache: Path) -> Other:
    """Returns `mcp-memory-service` without a model, which it would download; it falls back to hashes.

    Raises:
        Missing: pip cannot install the package, or no Python of this version loads the SQLite extension.
    """
    folder = cache / "mcp-memory-service"
    python = next(filter(_loads_extensions, (sys.executable, "/usr/bin/python3")), "")
    if not python:
        raise Missing(f"{SERVICE}: no Python of this version here loads extensions of SQLite")
    main = folder / "mcp_memory_service" / "server_impl.py"
    _installed(main, sys.executable, "-m", "pip", "install", "--quiet", "--target", str(folder), SERVICE)
    return Other(
        package=SERVICE,
        said="by `memory_list` and `memory_store`, without a model of its own",
        command=(python, "-m", "mcp_memory_service.server"),
        environment=lambda kept: {
            "PYTHONPATH": str(folder),
            "HOME": str(kept),
            "HF_HUB_OFFLINE": "1",
            "MCP_MEMORY_STORAGE_BACKEND": "sqlite_vec",
            "MCP_MEMORY_BASE_DIR": str(kept),
            _DATABASE: str(kept / "memory.db"),
            # Else a database that holds something is not opened without a model.
            "MCP_MEMORY_ALLOW_HASH_EMBEDDINGS": "1",
        },
        server=lambda client, patients, environment: MemoryService(
            client, patients, partial(_filled, python, environment)
        ),
    )


OTHERS: Sequence[Callable[[Path], Other]] = (reference, memory_service)


def _filled(python: str, environment: Mapping[str, str], lines: str) -> bool:
    command = (python, str(Path(__file__).with_name("service_filler.py")), environment[_DATABASE])
    ran = subprocess.run(command, input=lines, text=True, capture_output=True, check=False, env=dict(environment))
    return ran.returncode == 0


def _installed(main: Path, *command: str) -> None:
    if not main.exists():
        with contextlib.suppress(subprocess.TimeoutExpired):
            subprocess.run(command, capture_output=True, check=False, timeout=_INSTALL_LIMIT_S)
    if not main.exists():
        raise Missing(f"{command[-1]}: {Path(command[0]).name} could not install it")


def _loads_extensions(python: str) -> bool:
    """Whether this Python has our version, so that the same packages fit, and loads SQLite extensions."""
    try:
        ran = subprocess.run((python, "-c", _PROBE), capture_output=True, text=True, check=False, env=dict(os.environ))
    except OSError:
        return False
    return ran.stdout.strip() == str(tuple(sys.version_info[:2]))
