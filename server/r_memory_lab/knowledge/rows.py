"""Rows of large text files, one at a time: with line numbers, with the bytes read, and with memory for one row only."""

from collections.abc import Callable, Iterator
from pathlib import Path

from r_memory.errors import ConfigurationError

STEP_BYTES = 1_048_576
"""Bytes between two reports of progress."""

Progressed = Callable[[], None]
"""Called after every `STEP_BYTES` bytes."""


def steps_of(path: Path) -> int:
    """Returns how often reading the whole file reports progress.

    Raises:
        ConfigurationError: the file cannot be found or read.
    """
    try:
        return path.stat().st_size // STEP_BYTES
    except OSError as error:
        raise ConfigurationError(f"cannot be read ({error.strerror}); check the path", file=path) from error


def lines_of(path: Path, progressed: Progressed) -> Iterator[tuple[int, str]]:
    """Yields number and text of each line, without line end and byte order mark.

    Raises:
        ConfigurationError: the file cannot be read, or a line is not UTF-8; names the line.
    """
    seen = 0
    try:
        with path.open("rb") as file:
            for number, line in enumerate(file, start=1):
                seen += len(line)
                if seen >= STEP_BYTES:
                    seen -= STEP_BYTES
                    progressed()
                yield number, _decoded(line, path, number)
    except OSError as error:
        raise ConfigurationError(f"cannot be read ({error.strerror}); check the path", file=path) from error


def _decoded(line: bytes, path: Path, number: int) -> str:
    try:
        return line.decode("utf-8-sig" if number == 1 else "utf-8").rstrip("\r\n")
    except UnicodeDecodeError as error:
        message = "not UTF-8; export the file again as UTF-8"
        raise ConfigurationError(message, file=path, line=number) from error
