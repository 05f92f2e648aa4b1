"""`hook`: the gates behind the hooks of clients."""

import sys
from typing import Annotated

import typer
from typer import Argument

from r_memory.cli import GIVEN
from r_memory.cli.options import Home, Space, settings_of
from r_memory.cli.running import with_memory
from r_memory.config.gates_file import load_gates
from r_memory.config.loading import load_domain
from r_memory.config.settings import Settings
from r_memory.errors import ConfigurationError, RMemoryError
from r_memory.gates.hooks import HookAnswer, Sessions, answer, not_understood, parsed
from r_memory.memory import Memory
from r_memory.wiring import gates_over


def hook(
    event: Annotated[str, Argument(metavar="EVENT", help="The client's own name of it, such as PreToolUse or stop.")],
    home: Home = None,
    space: Space = None,
) -> None:
    """Answers a hook of Claude Code, Codex or Cursor, in the client's form.

    It reads the event on standard input; beside a server of the same settings, that one answers at once. Whatever goes
    wrong follows `unavailable` of gates.yaml: with `stop`, the exit code is 2, by which the clients stop.
    """
    given = GIVEN[-1] if GIVEN else sys.stdin.buffer.read()
    settings: Settings | None = None
    try:
        settings = settings_of(home, space)
        parsed(event, given)  # what nobody understands opens no memory
        with_settings = settings

        async def told(memory: Memory) -> HookAnswer:
            gates = gates_over(memory, with_settings)
            return await answer(event, given, gates, Sessions(with_settings.cache_dir / "gates"))

        found = with_memory(settings, told)
    except RMemoryError as error:
        stops, ask = _policy(settings)
        found = not_understood(event, str(error), ask, stops=stops)
    except Exception as error:  # noqa: BLE001 - a hook that fails lets a client go on: whatever it is, it is said
        found = not_understood(event, f"unexpected {type(error).__name__}", "Ask before acting.", stops=True)
    code, out, said = found.printed
    sys.stdout.write(out.decode())
    sys.stderr.write(said.decode())
    if code:
        raise typer.Exit(code)


def _policy(settings: Settings | None) -> tuple[bool, str]:
    """Returns whether the policy stops without a memory, and the question to ask then.

    It stops if the policy cannot be read.
    """
    try:
        if settings is not None:
            schema = load_domain(settings.files, settings.schema).schema
            return load_gates(settings.files, schema).unavailable == "stop", schema.unavailable
    except ConfigurationError:
        pass
    return True, "Ask before acting."
