"""Starts of `r-memory`, and of what the fault tests kill, that cost a fork instead of a second and a half of imports.

Each process of the tests keeps one interpreter that has imported what a server imports, and done nothing else; a start
of the command forks it. What runs is what the script runs, in the environment, the folder and the pipes that were asked
for, and its parent is whoever started it: it is waited for, stopped and killed like any other.
Knows processes only. Where this cannot be done (another system than Linux, an odd way to start) it is started as usual.
"""

import ctypes
import gc
import importlib
import json
import logging
import os
import runpy
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator
from mcp.server.mcpserver.tools import Tool

from r_memory import wiring
from r_memory.cli import main
from r_memory.config.settings import Settings, load_settings
from r_memory.errors import RMemoryError
from r_memory.reading.reader import Reader
from r_memory.reading.worker import ReadingWorker
from r_memory.serving.tools import surface
from r_memory.wiring import open_memory
from r_memory.wiring.language import open_reader

_PYTHON = sys.executable
SCRIPT = Path(_PYTHON).with_name("r-memory")
_MODULES = (
    *("r_memory.cli.serve", "r_memory.cli.facts", "r_memory.wiring", "r_memory.serving.tools.surface"),
    *("r_memory.serving.http.app", "r_memory.serving.http.serving", "r_memory_talk.opening"),
)
_FAULTS = "tests.faults."
_WORDS = "Pat takes aspirin."
_SUBREAPER = 36
"""`PR_SET_CHILD_SUBREAPER`: whose parent ends becomes a child of this process."""
_MOST = 1 << 20
"""Bytes of a command line with its environment."""


class Nursery:
    """The interpreter that is forked; started when it is needed first."""

    def __init__(self) -> None:
        self._mutex = threading.Lock()
        self._line: socket.socket | None = None
        self._process: subprocess.Popen[bytes] | None = None

    def start(self, asked: Sequence[object], pipes: Sequence[int]) -> int:
        """Runs a command line in an environment, a folder and, where asked, a session of its own.

        Gives the id of the process, which is a child of this one.
        """
        with self._mutex:
            line = self._line or self._begin()
            _prctl(_SUBREAPER, 1)
            try:
                socket.send_fds(line, [json.dumps(asked).encode()], pipes)
                return int(line.recv(_MOST))
            finally:
                _prctl(_SUBREAPER, 0)

    def close(self) -> None:
        """Ends the interpreter; what it started goes on."""
        if self._line is not None and self._process is not None:
            self._line.close()
            self._process.wait()

    def _begin(self) -> socket.socket:
        self._line, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._process = subprocess.Popen(
                [_PYTHON, "-P", __file__, str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                env={name: os.environ[name] for name in ("PATH", "HOME", "PYTHONPATH") if name in os.environ},
            )
        return self._line


@contextmanager
def warm_starts() -> Iterator[None]:
    """Every start of the installed command within is a fork, where that is possible."""
    if sys.platform != "linux":
        yield
        return
    nursery, usual = Nursery(), subprocess.Popen._execute_child  # type: ignore[attr-defined]

    def start(popen: Any, args: Any, *how: Any) -> None:  # noqa: ANN401 - as `subprocess` calls it
        executable, preexec_fn, _, pass_fds, folder, environment, _, _, shell, *others = how
        pipes, (*others, new_session, group) = others[:6], others[7:]
        environment = dict(os.environ if environment is None else environment)
        odd = executable or preexec_fn or pass_fds or shell or others != _UNCHANGED or group != -1
        arguments = [] if odd or isinstance(args, str | bytes) else _ours([str(each) for each in args])
        if not arguments or not _is_plain(environment):
            usual(popen, args, *how)
            return
        given = [own if pipe == -1 else pipe for own, pipe in enumerate((pipes[0], pipes[3], pipes[5]))]
        asked = [arguments, environment, str(folder or Path.cwd()), new_session]
        popen.pid = nursery.start(asked, given)
        popen._child_created = True
        popen._close_pipe_fds(*pipes)

    subprocess.Popen._execute_child = start  # type: ignore[attr-defined]
    try:
        yield
    finally:
        subprocess.Popen._execute_child = usual  # type: ignore[attr-defined]
        nursery.close()


_UNCHANGED = [None, None, None, -1]
"""Groups, user and umask of a start that asks for none."""


def _ours(arguments: list[str]) -> list[str]:
    """The command line of the installed command, however it is called, or of a module of the fault tests; empty where
    something else is called."""
    if arguments[:3] == [_PYTHON, "-m", "r_memory.cli"]:
        return [str(SCRIPT), *arguments[3:]]
    if arguments[:2] == [_PYTHON, "-m"] and arguments[2].startswith(_FAULTS):
        return arguments[2:]
    return arguments if arguments[0] == str(SCRIPT) else []


def _is_plain(environment: Mapping[str, str]) -> bool:
    """Whether it says nothing about how Python starts but where modules are, and that as it is here."""
    said = {name: value for name, value in environment.items() if name.startswith("PYTHON")}
    return said.items() <= {"PYTHONPATH": os.environ.get("PYTHONPATH")}.items()


def _prctl(option: int, value: int) -> None:
    ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


# --- the interpreter that is forked ----------------------------------------------------------------------------------


@contextmanager
def readers_made_once() -> Iterator[Callable[..., Reader]]:
    """What reads words under the shipped files is made once in a process, with its index: it takes two seconds.

    Gives what makes it.
    """
    made: dict[Hashable, Reader] = {}

    def once(settings: Settings) -> Reader:
        if settings.home is not None:
            return open_reader(settings)
        key = (settings.files, settings.cache_dir, settings.schema, settings.routes, settings.opinions)
        if key not in made:
            made[key] = open_reader(settings)
            made[key].linker.mentions(_WORDS)  # builds the index; the encoder starts threads, which no fork keeps
            made[key].languages(_WORDS)
        # Who waits for these belongs to one event loop.
        return replace(made[key], worker=ReadingWorker(), quick=ReadingWorker())

    wiring.open_reader = once  # type: ignore[attr-defined]  # its own import
    try:
        yield once
    finally:
        wiring.open_reader = open_reader  # type: ignore[attr-defined]  # as above


@contextmanager
def tools_made_once() -> Iterator[None]:
    """What a tool takes and gives is found out once in a process, and clients look once whether it is a schema: that is
    half of what a server of the tests costs, and most of what a client does.
    """
    from_function, check_schema = Tool.from_function, Draft202012Validator.check_schema
    made, sound = dict[Hashable, Tool](), set[str]()

    def made_once(fn: Callable[..., Any], **said: Any) -> Tool:  # noqa: ANN401 - as the server says it
        key = (fn, repr(sorted(said.items())))
        if key not in made:
            made[key] = from_function(fn, **said)
        return made[key]

    def checked_once(schema: Mapping[str, Any]) -> None:
        if (key := json.dumps(schema, sort_keys=True)) not in sound:
            check_schema(schema)
            sound.add(key)

    Tool.from_function = made_once  # type: ignore[method-assign,assignment]  # asked for by this name alone
    Draft202012Validator.check_schema = checked_once
    try:
        yield
    finally:
        Tool.from_function = from_function  # type: ignore[method-assign]  # as above
        Draft202012Validator.check_schema = check_schema


def _await_birth(line: socket.socket, reader: Callable[..., Reader]) -> list[str]:
    """Answers requests; returns in each process that is born, with its command line."""
    while True:
        asked, pipes, _, _ = socket.recv_fds(line, _MOST, 3)
        if not asked:
            sys.exit()
        arguments, environment, folder, new_session = json.loads(asked)
        if not arguments[0].startswith(_FAULTS):
            with suppress(RMemoryError):  # what is born finds it as well, and says so
                reader(load_settings(environment))
        read, write = os.pipe()
        if between := os.fork():
            # Only then is it a child of whoever asked: its parent has ended.
            os.waitpid(between, 0)
            line.send(os.read(read, 32))
            for each in (read, write, *pipes):
                os.close(each)
        elif born := os.fork():
            os.write(write, str(born).encode())
            os._exit(0)
        else:
            line.close()
            os.close(read)
            os.close(write)
            if new_session:
                os.setsid()
            _settle(environment, folder, pipes)
            return list(arguments)


def _settle(environment: Mapping[str, str], folder: str, pipes: Sequence[int]) -> None:
    for place, pipe in enumerate(pipes):
        os.dup2(pipe, place)
        os.close(pipe)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    ways = (("r", "surrogateescape"), ("w", "surrogateescape"), ("w", "backslashreplace"))
    sys.stdin, sys.stdout, sys.stderr = (
        open(place, mode, 1 if place == 2 or os.isatty(place) else -1, "utf-8", errors, closefd=False)  # noqa: SIM115 - as an interpreter has them
        for place, (mode, errors) in enumerate(ways)
    )


def _main() -> None:
    for module in _MODULES:
        importlib.import_module(module)
    with readers_made_once() as reader, tools_made_once():
        surface.build(partial(open_memory, Settings()))  # for all that follow, who decide themselves what they log
        logging.root.handlers.clear()
        logging.root.setLevel(logging.WARNING)
        gc.freeze()
        sys.argv = _await_birth(socket.socket(fileno=int(sys.argv[1])), reader)
        if sys.argv[0].startswith(_FAULTS):
            sys.path.insert(0, str(Path.cwd()))
            runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
            sys.exit()
        main()


if __name__ == "__main__":
    _main()
