"""The command line: typer commands over the use cases, one module for each small family.

What is wrong with what they were given, commands raise; `app.py` makes messages and exit codes of it.
"""

import sys

TYPE_CHECKING = False  # as `typing` has it, which takes a third of the time of a hook to load
if TYPE_CHECKING:
    from typing import NoReturn

__all__ = ["main"]


def main() -> "NoReturn":
    """Runs the entry point: a running server answers a hook if there is one; everything else goes to `app.main`."""
    _, *arguments = sys.argv
    if len(arguments) == 2 and arguments[0] == "hook":
        from r_memory.gates.calling import MOST_INPUT, asked  # noqa: PLC0415 - the rest takes longer than the answer

        given = sys.stdin.buffer.read(MOST_INPUT + 1)
        if (told := asked(arguments[1], given)) is not None:
            code, out, said = told
            sys.stdout.buffer.write(out)
            sys.stderr.buffer.write(said)
            sys.exit(code)
        GIVEN.append(given)
    from r_memory.cli.app import main as whole  # noqa: PLC0415 - as above

    whole()


GIVEN: list[bytes] = []
"""Input of a hook that was read for a server that did not answer."""
