"""The entry point of `r-memory`, and the boundary of its process: whatever goes wrong is a line and an exit code.

A command that a server of the same settings can answer is answered there (`beside`); only where none does, the table
of commands is loaded.
"""

import errno
import gc
import os
import sys
from collections.abc import Callable
from enum import IntEnum
from typing import NoReturn

from r_memory.cli.beside import INPUT, answer_of

PROGRAM = "r-memory"
_MOST_INPUT = 2 * 1024 * 1024 + 1
"""Bytes of a hook's input that are read; more is too much whatever it is."""
_NO_ROOM = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


class Exit(IntEnum):
    """What the end of a command says."""

    DONE = 0
    CHECK_FAILED = 1
    USAGE = 2
    """Wrong usage or configuration."""
    UNAVAILABLE = 3
    """The store did not answer."""
    INTERRUPTED = 130


def main() -> NoReturn:
    """The entry point of `r-memory`: runs the command line and leaves with its exit code."""
    # Looking for garbage among what is only being loaded takes a fifth of a command's time (1.40 s against 1.13).
    gc.set_threshold(50_000, 20, 20)
    code = guarded(_ended)
    try:
        sys.stdout.flush()
    except OSError:
        # It was told already; what is left of the output must not be tried again at the end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(code)


def _ended() -> int:
    """The exit code of this process's command line, answered by a server or run here."""
    arguments = sys.argv[1:]
    if arguments[:1] == ["hook"]:
        INPUT.set(sys.stdin.buffer.read(_MOST_INPUT))
    answer = answer_of(arguments)
    if answer is not None:
        print(answer["err"], end="", file=sys.stderr)
        print(answer["out"], end="")
        return int(answer["code"])
    from r_memory.cli.app import run  # noqa: PLC0415 - late: with typer it takes longer than an answer from a server

    return run(arguments)


def guarded(ended: Callable[[], int]) -> int:
    """The exit code of a command line; whatever goes wrong is one line on standard error."""
    try:
        code = ended()
        sys.stdout.flush()
    except KeyboardInterrupt:
        return Exit.INTERRUPTED
    except Exception as error:  # the process boundary: a mistake of ours is still one line, not a page
        if sys.flags.dev_mode:
            raise
        if told := _unforeseen(error):
            print(f"{PROGRAM}: {told}", file=sys.stderr)
        return Exit.CHECK_FAILED
    return code


def _unforeseen(error: Exception) -> str:
    """What to say of it, without its text, which may hold people's words; nothing where the reader had enough."""
    if isinstance(error, BrokenPipeError):
        return ""
    if isinstance(error, OSError) and error.errno in _NO_ROOM:
        place = error.filename or "the answer"
        return f"{place} cannot be written ({error.strerror}); make room or choose another place, and run it again"
    again = "run it again with `python -X dev -m r_memory.cli ...` for the details, and report them"
    return f"unexpected {type(error).__name__}; {again}"
