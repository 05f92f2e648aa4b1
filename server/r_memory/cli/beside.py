"""A command beside a server of the same settings: the server, which has everything loaded, runs it and gives back what
it prints.

Both sides meet at a socket in a folder of the user's cache that is open to nobody else. Its name stands for the
installed code and the environment. The server declines what needs the caller's files, keyboard or changed settings;
then, and where no server is, the command runs where it was typed. Imports nothing that is slow to load.
"""

import asyncio
import hashlib
import io
import json
import os
import socket
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, closing, redirect_stderr, redirect_stdout, suppress
from contextvars import ContextVar
from dataclasses import replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO, cast

from r_memory.config.files import user_folder

if TYPE_CHECKING:  # at run time these take longer to import than an answer takes
    from r_memory.config.files import Files
    from r_memory.config.settings import Settings
    from r_memory.memory import Memory

    Use = Callable[[Memory], Awaitable[Any]]

ANSWERED = frozenset(
    {"recall", "check-text", "remember", "facts", "subjects", "history", "search", "review", "change", "audit"}
    | {"receipts", "hook"}
)
"""Commands that read no file and ask nobody, as long as the words stand in the command line."""
HOME = "R_MEMORY_HOME"
_OWN_FILES = ("--file", "-f", "--home=")
_GREETING = b"r-memory\n"
_GREETING_S = 1.0
_ANSWER_S = 300.0
_WRITING = frozenset({"remember", "review", "change"})
_UNKNOWN = (
    "r-memory: the server that was asked ended before it said whether this is stored; "
    "look with `r-memory facts` and `r-memory search`, and run it again if it is not there\n"
)
_LONGEST = 16 * 1024 * 1024
_FOLDERS = ("schema", "intents", "cypher", "weights")
_LOOKS = ("COLUMNS", "TERM", "COLORTERM", "NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE")
OPENED: ContextVar["Callable[[Settings, Use], Any] | None"] = ContextVar("OPENED", default=None)
"""What runs a command's function over the memory of a server, where the command is run by one."""
INPUT: ContextVar[bytes | None] = ContextVar("INPUT", default=None)
"""What stood on the standard input of a hook, which is read before anybody is asked."""
LOOK: ContextVar[Mapping[str, Any] | None] = ContextVar("LOOK", default=None)
"""What `rich.console.Console` is told of the caller's terminal."""


class Elsewhere(BaseException):
    """This command must run where it was typed; no `except Exception` may take it for a mistake."""


# --- the caller ------------------------------------------------------------------------------------------------------


def answer_of(arguments: Sequence[str]) -> Mapping[str, Any] | None:
    """What a server printed for this command line, and its exit code; `None` where it must be run here."""
    if not arguments or arguments[0] not in ANSWERED or "--" in arguments or not hasattr(socket, "AF_UNIX"):
        return None
    if any(word.startswith(_OWN_FILES) for word in arguments):
        return None
    homes = [place for place, (word, _) in enumerate(pairwise(arguments)) if word == "--home"]
    home = arguments[homes[-1] + 1] if homes else os.environ.get(HOME, "")
    left = [word for place, word in enumerate(arguments) if not {place, place - 1}.intersection(homes)]
    return _asked(meeting_place(home), left)


def _asked(place: Path, arguments: Sequence[str]) -> Mapping[str, Any] | None:
    sent = False
    with socket.socket(socket.AF_UNIX) as line, suppress(OSError, ValueError):
        request = {"arguments": arguments, "look": _own_look(), "folder": str(Path.cwd())}
        if (given := INPUT.get()) is not None:
            request["input"] = given.decode("utf-8", "surrogateescape")
        line.settimeout(_GREETING_S)
        if place.stat().st_uid != os.getuid():
            return None
        line.connect(str(place))
        with line.makefile("rwb") as stream:
            if stream.readline() != _GREETING:
                return None
            line.settimeout(_ANSWER_S)
            sent = True
            stream.write(json.dumps(request).encode() + b"\n")
            stream.flush()
            answer: Mapping[str, Any] | None = json.loads(stream.readline())
            return answer
    # What only asks is asked again; what was to be stored might be stored twice.
    return {"code": 3, "out": "", "err": _UNKNOWN} if sent and arguments[0] in _WRITING else None


def _own_look() -> Mapping[str, Any]:
    """What `rich.console.Console` would find out here."""
    said = {name: os.environ[name] for name in _LOOKS if name in os.environ}
    wide = (os.get_terminal_size(stream).columns for stream in range(3) if os.isatty(stream))
    return {
        "force_terminal": sys.stdout.isatty() or None,
        "width": int(said.get("COLUMNS") or next(wide, 80)),
        "_environ": said,
    }


def meeting_place(home: str | Path) -> Path:
    """Where a server and the commands of one environment meet: of the same code, under the same settings."""
    given = {name: value for name, value in os.environ.items() if name.startswith("R_MEMORY_")}
    code = Path(__file__)
    there = str(Path(home).expanduser().absolute()) if home else ""
    same = [str(code), code.stat().st_mtime_ns, str(user_folder("data")), sorted({**given, HOME: there}.items())]
    name = hashlib.sha256(json.dumps(same).encode()).hexdigest()[:16]
    folder = Path(given.get("R_MEMORY_CACHE_DIR") or user_folder("cache"))
    return folder.expanduser().absolute() / "commands" / name


# --- the server ------------------------------------------------------------------------------------------------------


def commands(settings: "Settings") -> "Callable[[Memory], Any]":
    """What answers commands while the body runs, over the memory that the settings opened; where no such socket can be
    made, nobody does. To be called before the files are read: once one of them has changed, all commands are declined.
    """
    return partial(_answering, settings, _stamps(settings.files))


@asynccontextmanager
async def _answering(settings: "Settings", stamps: frozenset[object], memory: "Memory") -> AsyncIterator[None]:
    loop, here = asyncio.get_running_loop(), str(Path.cwd())
    sys.stdin = cast("TextIO", _Keyboard())
    turn = asyncio.Lock()  # standard output is one for the whole process

    def over_memory(asked: "Settings", use: "Use") -> object:
        """What the function gives for the open memory, from another thread."""

        async def used() -> object:
            return await use(memory.in_space(asked.space))

        if replace(asked, space=settings.space) != settings:
            raise Elsewhere
        return asyncio.run_coroutine_threadsafe(used(), loop).result()

    def ran(request: Mapping[str, Any]) -> Mapping[str, Any] | None:
        same = request["folder"] == here or not _tied(settings, here)
        return _ran(request, over_memory) if same and _stamps(settings.files) == stamps else None

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with closing(writer), suppress(OSError, ValueError):
            writer.write(_GREETING)
            request = json.loads(await reader.readline())
            async with turn:
                answered = await asyncio.to_thread(ran, request)
            writer.write(json.dumps(answered).encode() + b"\n")
            await writer.drain()

    async with AsyncExitStack() as stack:
        # A name too long, a folder that cannot be written, a system without such sockets.
        with suppress(OSError, AttributeError):
            place = meeting_place(settings.home or "")
            place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            await stack.enter_async_context(await asyncio.start_unix_server(answer, place, limit=_LONGEST))
        yield


def _ran(request: Mapping[str, Any], over_memory: "Callable[[Settings, Use], Any]") -> Mapping[str, Any] | None:
    """What the command prints, and its exit code; `None` where it must run where it was typed."""
    from r_memory.cli.app import run  # noqa: PLC0415 - late: most servers are never asked

    out, err = io.StringIO(), io.StringIO()
    OPENED.set(over_memory)
    LOOK.set(request["look"])
    INPUT.set(request["input"].encode("utf-8", "surrogateescape") if "input" in request else None)
    with redirect_stdout(out), redirect_stderr(err), suppress(Elsewhere):
        code = run(request["arguments"])
        return {"code": code, "out": out.getvalue(), "err": err.getvalue()}
    return None


def _tied(settings: "Settings", folder: str) -> bool:
    """Whether the same settings may mean another store or key in another folder: paths and key files are read there."""
    may_be_relative = settings.data_dir != user_folder("data") and settings.data_dir.is_relative_to(folder)
    return may_be_relative or bool(settings.model_url)


class _Keyboard:
    """Standard input of a server: it has none, and the caller's is not here."""

    def __getattr__(self, _: str) -> object:
        raise Elsewhere


def _stamps(files: "Files") -> frozenset[object]:
    """What changes where a file of the domain is changed."""
    folders = [folder for folder in (files.home, files.defaults) if folder]
    places = [*folders, *(folder / name for folder in folders for name in _FOLDERS)]
    found = [path for place in places for path in (place.iterdir() if place in folders else place.rglob("*"))]
    # No folders: a checkout's change with every commit.
    read = ((path, path.stat()) for path in found if path.is_file())
    return frozenset((path, stat.st_mtime_ns, stat.st_size) for path, stat in read)
