"""Writers as processes of their own: started, watched, killed."""

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

from r_memory.store.host_lock import announced

ROOT = Path(__file__).parents[2]
PATIENCE_S = 240.0


def plain_environment() -> dict[str, str]:
    """The environment without what it says about how Python starts, so that a start may be a fork."""
    return {name: value for name, value in os.environ.items() if name == "PYTHONPATH" or not name.startswith("PYTHON")}


class Writer:
    """One process of `writer.py`; what it prints is collected as it comes."""

    def __init__(self, place: Path | str, name: str, progress: threading.Condition, *arguments: str) -> None:
        self.name = name
        self.acknowledged: list[str] = []
        self._progress = progress
        command = [sys.executable, "-m", "tests.faults.writer", str(place), name, *arguments]
        self.process = subprocess.Popen(
            command,
            cwd=ROOT,
            env=plain_environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self._errors: list[str] = []
        self._readers = [threading.Thread(target=target, daemon=True) for target in (self._listen, self._complain)]
        for reader in self._readers:
            reader.start()

    @property
    def complaints(self) -> str:
        """What it wrote to standard error."""
        return "".join(self._errors)

    def end(self) -> int:
        """Lets it finish its write; gives its exit status."""
        if self.process.stdin is not None:
            self.process.stdin.close()
        return self.wait()

    def kill(self) -> None:
        """As `kill -9` does."""
        self.process.kill()
        self.wait()

    def wait(self) -> int:
        """Its exit status, once everything that it printed is read."""
        status = self.process.wait(PATIENCE_S)
        for reader in self._readers:
            reader.join(PATIENCE_S)
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            if pipe is not None:
                pipe.close()
        return status

    def _listen(self) -> None:
        for line in self.process.stdout or ():
            with self._progress:
                self.acknowledged.append(line.rstrip("\n"))
                self._progress.notify_all()
        with self._progress:
            self._progress.notify_all()

    def _complain(self) -> None:
        self._errors += self.process.stderr or ()


@dataclass
class Writers:
    """Several writers on one folder, or on the server at one address."""

    place: Path | str
    alive: list[Writer] = field(default_factory=list)
    everyone: list[Writer] = field(default_factory=list)
    _progress: threading.Condition = field(default_factory=threading.Condition)
    _numbers: Iterator[int] = field(default_factory=count)

    @property
    def acknowledged(self) -> list[str]:
        """By all, the killed ones included."""
        return [id_ for writer in self.everyone for id_ in writer.acknowledged]

    def start(self, *arguments: str) -> Writer:
        """One more."""
        writer = Writer(self.place, f"w{next(self._numbers)}", self._progress, *arguments)
        self.alive.append(writer)
        self.everyone.append(writer)
        return writer

    def each_writes(self, more: int) -> None:
        """Returns when every living writer had so many further writes acknowledged."""
        self.these_write(self.alive, more)

    def these_write(self, some: Sequence[Writer], more: int) -> None:
        """Returns when some of the living had so many further writes acknowledged."""
        wanted = [(writer, len(writer.acknowledged) + more) for writer in some]
        self._until(
            lambda: all(len(writer.acknowledged) >= number for writer, number in wanted),
            f"{more} further writes by each of {len(wanted)}",
        )

    def host(self) -> Writer:
        """The one that hosts now."""
        there = announced(Path(self.place))
        return next(writer for writer in self.alive if there is not None and writer.process.pid == there.pid)

    def kill(self, writer: Writer) -> None:
        """Ends one in the middle of whatever it does."""
        self.alive.remove(writer)
        writer.kill()

    def take_over_from(self, host: Writer) -> float:
        """Kills the host; gives the seconds until another hosts and each of the others had a write acknowledged."""
        self.alive.remove(host)
        started = time.perf_counter()
        host.kill()
        self._until(lambda: self._hosted_by_another(host), "another host")
        self.each_writes(1)
        return time.perf_counter() - started

    def _hosted_by_another(self, host: Writer) -> bool:
        there = announced(Path(self.place))
        return there is not None and there.pid != host.process.pid

    def _until(self, reached: Callable[[], bool], what: str) -> None:
        with self._progress:
            if self._progress.wait_for(lambda: reached() or self._one_died(), PATIENCE_S) and reached():
                return
        complaints = "\n".join(f"{writer.name}: {writer.complaints[-2000:]}" for writer in self.alive)
        raise AssertionError(f"waited in vain for {what}; {complaints}")

    def _one_died(self) -> bool:
        return any(writer.process.poll() is not None for writer in self.alive)


@contextmanager
def writers(place: Path | str) -> Iterator[Writers]:
    """None yet; those that live at the end are killed."""
    group = Writers(place)
    try:
        yield group
    finally:
        for writer in group.alive:
            writer.kill()
