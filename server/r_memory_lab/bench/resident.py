"""How much memory processes took at most, as the system counts it: Linux only."""

import os
import re
from collections.abc import Iterator
from pathlib import Path

_PROCESSES = Path("/proc")


def peak_of_children() -> float | None:
    """Returns the sum of the peak megabytes of all descendant processes; `None` if the system does not tell."""
    peaks = [_number(pid, "VmHWM") for pid in _below(os.getpid())]
    return sum(peaks) * 1024 / 1e6 if peaks else None


def _below(pid: int) -> Iterator[int]:
    for folder in _PROCESSES.glob("[0-9]*"):
        child = int(folder.name)
        if _number(child, "PPid") == pid:
            yield child
            yield from _below(child)


def _number(pid: int, name: str) -> int:
    """Returns a number of a process's status; 0 if it has ended."""
    try:
        status = (_PROCESSES / str(pid) / "status").read_text(encoding="utf-8")
    except OSError:
        return 0
    found = re.search(rf"^{name}:\s*(\d+)", status, re.MULTILINE)
    return int(found[1]) if found else 0
