"""The command line of an installation: within this process, or as a process of its own where that is what is shown."""

import contextlib
import io
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from typing import Any

import pytest

from r_memory.cli.app import run
from tests.acceptance.conftest import Installation
from tests.acceptance.wire import PATIENCE
from tests.warm_starts import SCRIPT


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """A finished command."""

    returncode: int
    stdout: str
    stderr: str

    @property
    def json(self) -> Any:  # noqa: ANN401 - JSON of any shape
        """Standard output, read back."""
        return json.loads(self.stdout)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shell:
    """Runs commands on one installation, in a pipe."""

    installation: Installation

    def run(self, *arguments: str, words: str = "") -> Done:
        """The command, run within this process, which saves the seconds that a new one takes to import everything."""
        out, err = io.StringIO(), io.StringIO()
        with (
            pytest.MonkeyPatch.context() as patch,
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(err),
        ):
            for name in [name for name in os.environ if name.startswith("R_MEMORY_")]:
                patch.delenv(name)
            for name, value in self.installation.environment.items():
                patch.setenv(name, value)
            patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(words.encode()), encoding="utf-8"))
            code = run(arguments)
        return Done(returncode=code, stdout=out.getvalue(), stderr=err.getvalue())

    def process(self, *arguments: str) -> Done:
        """The command as a process of its own."""
        done = subprocess.run(
            [SCRIPT, *arguments],
            stdin=subprocess.DEVNULL,
            env=self.installation.environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE,
        )
        return Done(returncode=done.returncode, stdout=done.stdout, stderr=done.stderr)

    def json(self, *arguments: str, words: str = "") -> Any:  # noqa: ANN401 - JSON of any shape
        """What a command that must succeed prints with `--json`."""
        done = self.run(*arguments, "--json", words=words)
        assert done.returncode == 0, done.stderr
        return done.json
