"""The wheel as somebody has it who installs it: an environment of its own, an empty home, nothing of this checkout.

It tells, asks and checks by the command, as the first page of the documentation does.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).parents[1]
VERSIONS = ("3.11", "3.12", "3.13", "3.14")
_INTAKE, _REQUEST = "I am severely allergic to Penicillin.", "Recommend a first-line antibiotic for strep throat."
_CRITICAL = "CRITICAL ALLERGY: John Doe is allergic to Penicillin"
_DRAFT = "Take amoxicillin 500 mg three times a day."
_LIMIT_S = 600


class Failed(Exception):
    """The wheel does not do what it must; the message says what."""


def main() -> int:
    """Tries every Python; the exit status is 0 where all that are here passed, and one was here."""
    parser = argparse.ArgumentParser(description="Tries the wheel in an empty environment of each Python.")
    parser.add_argument("wheel", type=Path, nargs="?", help="by default the newest of dist/")
    parser.add_argument("--python", action="append", default=[], help="an interpreter, in place of those found")
    asked = parser.parse_args()
    wheel = asked.wheel or newest(ROOT / "dist")
    found = {path: path for path in asked.python} or {version: python(version) for version in VERSIONS}
    told: dict[str, str] = {}
    for name, interpreter in found.items():
        told[name] = verdict(wheel.resolve(), interpreter) if interpreter else "not on this machine"
        print(f"{name}: {told[name]}", flush=True)
    return int(
        not any(item.startswith("passed") for item in told.values()) or any("failed" in item for item in told.values())
    )


def newest(folder: Path) -> Path:
    """The wheel that was built last."""
    built = sorted(folder.glob("*.whl"), key=lambda path: path.stat().st_mtime)
    if not built:
        sys.exit(f"there is no wheel in {folder}; run make package, or name one")
    return built[-1]


def python(version: str) -> str:
    """An interpreter of this version; empty where there is none."""
    of_pyenv = sorted((Path.home() / ".pyenv" / "versions").glob(f"{version}.*/bin/python"))
    named = [sys.executable, shutil.which(f"python{version}"), *map(str, of_pyenv)]
    return next((path for path in named if path and is_of(path, version)), "")


def is_of(path: str, version: str) -> bool:
    """Whether an interpreter runs and has this version."""
    code = "import sys; print('%d.%d' % sys.version_info[:2])"
    try:
        done = subprocess.run([path, "-c", code], capture_output=True, text=True, check=False)  # noqa: S603 - a path
    except OSError:
        return False
    return done.returncode == 0 and done.stdout.strip() == version


def verdict(wheel: Path, interpreter: str) -> str:
    """`passed`, or `failed` and why."""
    with tempfile.TemporaryDirectory(prefix="r-memory-smoke-") as folder:
        try:
            return f"passed ({', '.join(tried(wheel, interpreter, Path(folder)))})"
        except Failed as error:
            return f"failed: {error}"


def tried(wheel: Path, interpreter: str, folder: Path) -> Iterator[str]:
    """What was done, step by step.

    Raises:
        Failed: a step did not give what it must.
    """
    home, place = folder / "home", folder / "environment"
    home.mkdir()
    run([interpreter, "-m", "venv", "--without-pip", str(place)], os.environ, folder)
    uv = shutil.which("uv") or str(Path(sys.executable).with_name("uv"))
    inside = str(place / "bin" / "python")
    run([uv, "pip", "install", "-q", "-p", inside, str(wheel)], os.environ, folder)
    yield "installs"
    env = {"HOME": str(home), "PATH": f"{place / 'bin'}{os.pathsep}{os.defpath}", "LANG": "C.UTF-8"}
    program = str(place / "bin" / "r-memory")
    where = run([inside, "-c", "import r_memory; print(r_memory.__file__)"], env, home)
    if not Path(where.strip()).is_relative_to(place):
        raise Failed(f"it imports {where.strip()}, not what was installed")
    told = run([program, "remember", _INTAKE, "-s", "JD001", "--subject-name", "John Doe"], env, home)
    if "Penicillin" not in told:
        raise Failed("it did not tell what it remembered")
    yield "remembers"
    if _CRITICAL not in run([program, "recall", _REQUEST, "-s", "JD001"], env, home):
        raise Failed("the allergy does not stand in the block")
    yield "recalls"
    checked = json.loads(run([program, "check-text", _DRAFT, "-s", "JD001", "--json"], env, home, codes=(1,)))
    if checked["verdict"] != "conflict":
        raise Failed(f"amoxicillin is {checked['verdict']}")
    yield "checks"
    run([inside, "-c", "import r_memory_talk.opening"], env, home)
    yield "carries the conversational memory"


def run(command: Sequence[str], env: Mapping[str, str], folder: Path, *, codes: Sequence[int] = (0,)) -> str:
    """What a program prints.

    Raises:
        Failed: with another exit status, or after ten minutes.
    """
    name = " ".join([Path(command[0]).name, *command[1:3]])
    try:
        done = subprocess.run(  # noqa: S603 - fixed programs
            command, env=dict(env), cwd=folder, capture_output=True, text=True, check=False, timeout=_LIMIT_S
        )
    except subprocess.TimeoutExpired as error:
        raise Failed(f"{name}: no end after {_LIMIT_S} s") from error
    if done.returncode not in codes:
        raise Failed(f"{name}: exit status {done.returncode}: {' '.join(done.stderr.split())[-300:]}")
    return done.stdout


if __name__ == "__main__":
    sys.exit(main())
