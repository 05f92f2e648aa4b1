"""A real Neo4j Community server on this machine, for tests: fetched from Maven Central, started, stopped.

Knows Maven, Java and the server's own files; needs the standard library only, so that it runs before anything is
installed, and knows neither the driver nor the tests. Data is thrown away at every start. For Linux and macOS.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import re
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Literal

Version = Literal["5.26", "2026"]

USER = "neo4j"
START_SECONDS = 600.0
"""A start takes ten seconds of processor, and on a busy machine minutes."""
BOLT_HELLO = bytes.fromhex("6060b01700080805000000050000000400000000")
"""The magic number and the protocol versions offered (5.0 to 5.8, 4.0); a Bolt server answers with four bytes."""


class Neo4jUnavailable(Exception):
    """No server could be had; the message says what to install or set."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Release:
    """One exact version and what it runs on."""

    number: str
    main_class: str
    java_from: int
    java_to: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RunningServer:
    """A started server; the same five values stand in `server.json` (0600) of its run folder."""

    version: str
    pid: int
    uri: str
    user: str
    password: str


RELEASES: dict[Version, Release] = {
    "5.26": Release(number="5.26.30", main_class="org.neo4j.server.CommunityEntryPoint", java_from=17, java_to=21),
    "2026": Release(number="2026.09.0", main_class="org.neo4j.server.Neo4jCommunity", java_from=21, java_to=25),
}

POM = """\
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>r-memory</groupId>
  <artifactId>neo4j-for-tests</artifactId>
  <version>1</version>
  <dependencies>
    <dependency><groupId>org.neo4j</groupId><artifactId>neo4j</artifactId><version>{number}</version></dependency>
    <dependency><groupId>org.neo4j.app</groupId><artifactId>neo4j-server</artifactId><version>{number}</version></dependency>
  </dependencies>
</project>
"""

CONFIG = """\
server.bolt.listen_address=127.0.0.1:{port}
server.http.enabled=false
server.memory.heap.max_size=768m
server.memory.pagecache.size=128m
dbms.usage_report.enabled=false
internal.cypher.use_parameter_size=false
"""
"""Without the sizes of what is given: a query is planned once, not for each size of each value; planning is most of
what tests cost a server."""


def cache_folder() -> Path:
    """Where jars and run folders lie: `R_MEMORY_NEO4J_CACHE`, else `r-memory/neo4j` in the user's cache folder."""
    if chosen := os.environ.get("R_MEMORY_NEO4J_CACHE"):
        return Path(chosen).expanduser()
    if sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "r-memory" / "neo4j"


def default_run_folder(version: Version) -> Path:
    """The run folder of the one server of this version that the command line looks after."""
    return cache_folder() / "run" / version


# --- fetch -----------------------------------------------------------------------------------------------------------


def fetch(version: Version) -> Path:
    """The folder with the server's jars, downloaded (114-155 MB) if it is not in the cache yet.

    Raises:
        Neo4jUnavailable: Maven is missing or could not download.
    """
    release = RELEASES[version]
    jars = cache_folder() / f"lib-{release.number}"
    if jars.is_dir():
        return jars
    jars.parent.mkdir(parents=True, exist_ok=True)
    # One at a time: Maven's own repository is not made for two that download into it.
    with (jars.parent / "fetching.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not jars.is_dir():
            with tempfile.TemporaryDirectory(dir=jars.parent, prefix="fetching-") as work:
                _download(release, Path(work))
                (Path(work) / "lib").rename(jars)
    return jars


def _download(release: Release, work: Path) -> None:
    maven = shutil.which("mvn")
    if maven is None:
        raise Neo4jUnavailable("Maven (mvn) is not on PATH; install it, or set NEO4J_TEST_URI to a running Neo4j")
    print(f"fetching Neo4j {release.number} from Maven Central (once)", file=sys.stderr)
    (work / "pom.xml").write_text(POM.format(number=release.number), encoding="utf-8")
    goal = ["dependency:copy-dependencies", "-DoutputDirectory=lib", "-DincludeScope=runtime"]
    done = subprocess.run(  # noqa: S603 - mvn from PATH with arguments of our own
        [maven, "-q", "-B", "-Dmaven.artifact.threads=16", *goal],
        cwd=work, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode != 0:
        raise Neo4jUnavailable(f"Maven could not fetch Neo4j {release.number}:\n{_tail(done.stdout + done.stderr)}")


# --- Java ------------------------------------------------------------------------------------------------------------


def find_java(release: Release) -> Path:
    """The `java` of the oldest installed version that this release runs on.

    Raises:
        Neo4jUnavailable: none fits; the message lists what was found.
    """
    found = {home: version for home in _java_homes() if (version := _java_version(home)) is not None}
    fitting = [(v, home) for home, v in found.items() if release.java_from <= v <= release.java_to]
    if fitting:
        return min(fitting)[1] / "bin" / "java"
    seen = ", ".join(f"{version} in {home}" for home, version in found.items()) or "none"
    raise Neo4jUnavailable(
        f"Neo4j {release.number} needs Java {release.java_from} to {release.java_to}; found: {seen}. "
        "Install one and set JAVA_HOME, or set NEO4J_TEST_URI to a running Neo4j"
    )


def _java_homes() -> list[Path]:
    named = [Path(value) for name, value in sorted(os.environ.items()) if re.fullmatch(r"JAVA_HOME(_\w+)?", name)]
    usual = [*Path("/usr/lib/jvm").glob("*"), *Path("/Library/Java/JavaVirtualMachines").glob("*/Contents/Home")]
    on_path = shutil.which("java")
    resolved = [Path(on_path).resolve().parent.parent] if on_path else []
    homes = [home.resolve() for home in [*named, *sorted(usual), *resolved] if (home / "bin" / "java").exists()]
    return list(dict.fromkeys(homes))


def _java_version(home: Path) -> int | None:
    try:
        text = (home / "release").read_text(encoding="utf-8", errors="replace")
    except OSError:
        command = [str(home / "bin" / "java"), "-version"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - a path we found
        text = done.stderr
    match = re.search(r'(?:JAVA_VERSION=|version )"(\d+)', text)
    return int(match[1]) if match else None


# --- start, stop -----------------------------------------------------------------------------------------------------


def start(
    version: Version, *, folder: Path | None = None, password: str | None = None, detached: bool = True
) -> RunningServer:
    """A server that answers Bolt, with an empty database.

    Args:
        version: the line to run; the exact number stands in `RELEASES`.
        folder: where its files go; default the one folder of this version that `scripts/neo4j` looks after.
        password: for the user neo4j, at least eight characters; default a random one.
        detached: outlive the terminal; False lets Ctrl-C in the terminal stop it too.

    Raises:
        Neo4jUnavailable: Java or Maven is missing, one runs there already, or the server did not come up.
    """
    folder = folder or default_run_folder(version)
    if running(folder):
        raise Neo4jUnavailable(f"a server already runs from {folder}; stop it first")
    release, jars = RELEASES[version], fetch(version)
    java, home = find_java(release), folder / "home"
    port, password = _free_port(), password or secrets.token_hex(16)
    _prepare(home, java, jars, port, password)
    pid = _launch(release, java, jars, home, detached=detached)
    _await_answer(pid, port, folder)
    server = RunningServer(
        version=release.number, pid=pid, uri=f"bolt://127.0.0.1:{port}", user=USER, password=password
    )
    _write_private(folder / "server.json", json.dumps(asdict(server), indent=1))
    return server


def restart(folder: Path) -> RunningServer:
    """The server of this run folder, killed and started again over what it had stored, at the same address.

    Raises:
        Neo4jUnavailable: none is running, or it did not come up again.
    """
    server = running(folder)
    if server is None:
        raise Neo4jUnavailable(f"no server runs from {folder}; start it first")
    _end(server.pid, folder)
    release = next(release for release in RELEASES.values() if release.number == server.version)
    version = next(version for version in RELEASES if RELEASES[version] is release)
    pid = _launch(release, find_java(release), fetch(version), folder / "home", detached=True)
    _await_answer(pid, int(server.uri.rsplit(":", 1)[1]), folder)
    again = replace(server, pid=pid)
    _write_private(folder / "server.json", json.dumps(asdict(again), indent=1))
    return again


def running(folder: Path) -> RunningServer | None:
    """The server started from this run folder, or None if there is none or it has gone."""
    try:
        server = RunningServer(**json.loads((folder / "server.json").read_text(encoding="utf-8")))
    except FileNotFoundError:
        return None
    return server if _is_ours(server.pid, folder) else None


def stop(folder: Path) -> bool:
    """Stops the server of this run folder by its own pid and removes its files; False if none was running."""
    server = running(folder)
    if server is not None:
        _end(server.pid, folder)
    shutil.rmtree(folder, ignore_errors=True)
    return server is not None


def _prepare(home: Path, java: Path, jars: Path, port: int, password: str) -> None:
    shutil.rmtree(home, ignore_errors=True)
    (home / "conf").mkdir(parents=True, mode=0o700)
    (home / "conf" / "neo4j.conf").write_text(CONFIG.format(port=port), encoding="utf-8")
    command = [str(java), "-cp", f"{jars}/*", "org.neo4j.cli.AdminTool", "dbms", "set-initial-password", password]
    done = subprocess.run(  # noqa: S603 - Neo4j's own tool, arguments of our own
        command, env=_environment(home), stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise Neo4jUnavailable(f"Neo4j refused the password:\n{_tail(done.stderr.replace(password, '***'))}")


def _launch(release: Release, java: Path, jars: Path, home: Path, *, detached: bool) -> int:
    # What lives for one test run earns no second compiler: that took most of the processor of a start and of the tests.
    brief = [] if detached else ["-XX:TieredStopAtLevel=1"]
    options = ["-Xmx768m", "-XX:+UseSerialGC", *brief, "-cp", f"{jars}/*"]
    places = [f"--home-dir={home}", f"--config-dir={home / 'conf'}"]
    files = [
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_OPEN, 1, str(home / "console.log"), os.O_WRONLY | os.O_CREAT, 0o600),
        (os.POSIX_SPAWN_DUP2, 1, 2),
    ]
    # Not Popen: the server outlives the object, which warns about that.
    return os.posix_spawn(
        java,
        [str(java), *options, release.main_class, *places],
        _environment(home),
        file_actions=files,
        setpgroup=0 if detached else os.getpgrp(),
    )


def _await_answer(pid: int, port: int, folder: Path) -> None:
    deadline = time.monotonic() + START_SECONDS
    while not _answers(port):
        late = time.monotonic() > deadline
        if late or not _is_ours(pid, folder):
            if late:
                _end(pid, folder)
            log = (folder / "home" / "console.log").read_text(encoding="utf-8", errors="replace")
            raise Neo4jUnavailable(f"Neo4j did not come up:\n{_tail(log)}")
        time.sleep(0.2)


def _answers(port: int) -> bool:
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=2) as connection:
            connection.sendall(BOLT_HELLO)
            return any(connection.recv(4))
    except OSError:
        return False


def _end(pid: int, folder: Path) -> None:
    os.kill(pid, signal.SIGKILL)  # a polite stop drains for ten seconds, for data that is thrown away
    while _is_ours(pid, folder):
        time.sleep(0.02)


def _is_ours(pid: int, folder: Path) -> bool:
    """True while the process lives and was started for this folder: a pid is reused after a restart of the machine."""
    with contextlib.suppress(ChildProcessError):  # it is our child only if this process started it
        os.waitpid(pid, os.WNOHANG)
    command = ["ps", "-ww", "-o", "args=", "-p", str(pid)]
    listed = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - a number is the input
    return f"--home-dir={folder / 'home'} " in listed.stdout


def _environment(home: Path) -> dict[str, str]:
    return {**os.environ, "NEO4J_HOME": str(home), "NEO4J_CONF": str(home / "conf")}


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _write_private(path: Path, text: str) -> None:
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(text)


def _tail(text: str, lines: int = 15) -> str:
    return "\n".join(text.strip().splitlines()[-lines:])
