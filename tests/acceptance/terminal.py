"""A terminal of its own with one program in it, driven by keys and read as a person reads it: tmux."""

import os
import select
import shutil
import subprocess
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

import pytest

PATIENCE = 240.0
MISSING = "tmux is not installed; apt-get install tmux, or brew install tmux"
_ENDED = "ended with"


def skip_without_tmux() -> None:
    """A visible skip on one's own machine, a failure in CI."""
    if shutil.which("tmux") is None:
        (pytest.fail if os.environ.get("CI") else pytest.skip)(MISSING)


class Terminal:
    """A running program; ended, if it still runs, at the end of the `with` block."""

    def __init__(
        self, command: Sequence[str], environment: Mapping[str, str], folder: Path, *, size: tuple[int, int] = (80, 24)
    ) -> None:
        self._server = f"r-memory-{uuid.uuid4().hex[:8]}"
        self._output = folder / f"{self._server}.fifo"
        os.mkfifo(self._output)
        # Both ends, so that reading never ends and nobody waits for a writer.
        self._news = os.open(self._output, os.O_RDWR | os.O_NONBLOCK)
        variables = {"TERM": "xterm-256color", "LANG": "C.UTF-8", "COLORTERM": "truecolor", **environment}
        given = [part for name, value in variables.items() for part in ("-e", f"{name}={value}")]
        shell = f'"$@"; echo "{_ENDED} $?"; exec cat'
        width, height = map(str, size)
        self._tmux("-f", "/dev/null", "new-session", "-d", "-x", width, "-y", height, *given, "cat")
        self._tmux("set-option", "-g", "default-terminal", "tmux-256color")
        self._tmux("pipe-pane", "-o", f"exec cat > '{self._output}'")
        self._tmux("respawn-pane", "-k", *given, "sh", "-c", shell, "sh", *command)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is not None:
            error.add_note(f"--- the screen ---\n{self.screen()}")
        self._tmux("kill-server")
        os.close(self._news)

    def type(self, text: str) -> None:
        """Presses the keys of a text, letter by letter."""
        self._tmux("send-keys", "-l", text)

    def press(self, *keys: str) -> None:
        """Presses keys by tmux's names: `Enter`, `C-c`, `F2`."""
        self._tmux("send-keys", *keys)

    def resize(self, width: int, height: int) -> None:
        """Another size."""
        self._tmux("resize-window", "-x", str(width), "-y", str(height))

    def screen(self, *, styled: bool = False) -> str:
        """What stands there; `styled` with its escape sequences."""
        return self._tmux("capture-pane", "-p", *(["-e"] if styled else []))

    def until(self, holds: str | Callable[[str], bool], *, patience: float = PATIENCE) -> str:
        """The screen once it holds these words.

        Raises:
            TimeoutError: it never did.
        """
        wanted = holds if callable(holds) else lambda screen: holds in screen
        ends = time.monotonic() + patience
        while not wanted(screen := self.screen()):
            if time.monotonic() > ends or (_ENDED in screen and holds != _ENDED):
                raise TimeoutError(f"the screen never showed {holds}")
            # News, or a moment: what was drawn just before may not have reached the screen.
            if select.select([self._news], [], [], 0.2)[0]:
                os.read(self._news, 1_000_000)
        return screen

    def press_until(self, key: str, holds: str) -> str:
        """The same key once a second, as a person does while a program that has just started still fills the screen."""
        for _ in range(int(PATIENCE) - 1):
            self.press(key)
            try:
                return self.until(holds, patience=1)
            except TimeoutError:
                continue
        return self.until(holds, patience=1)

    def ended(self) -> int:
        """The exit code, once the program is over."""
        last = next(line for line in self.until(_ENDED).splitlines() if line.startswith(_ENDED))
        return int(last.removeprefix(_ENDED))

    def _tmux(self, *arguments: str) -> str:
        command = ["tmux", "-L", self._server, *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout
