"""Commands out of functions: the options that all share, and the answer printed. No memory is opened here.

A command is a function that gives an `Answer`; what is asked and how errors are shown is not known here.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import wraps
from inspect import Parameter, signature
from pathlib import Path
from typing import Any, TypeVar

import typer

from r_memory.cli.app import Exit
from r_memory.cli.options import AsJson, Home, Space, settings_of
from r_memory.cli.printing import Part, print_json, print_part

Result = TypeVar("Result")
Command = Callable[..., None]
_AS_JSON = Parameter("as_json", Parameter.KEYWORD_ONLY, default=False, annotation=AsJson)
_WHERE = (
    Parameter("home", Parameter.KEYWORD_ONLY, default=None, annotation=Home),
    Parameter("space", Parameter.KEYWORD_ONLY, default=None, annotation=Space),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a command has to say."""

    data: object
    """To programs, with `--json`."""
    shown: Iterable[Part] = ()
    """To people, without it; not read before it is printed."""
    code: Exit = Exit.DONE


def answering(function: Callable[..., Answer]) -> Command:
    """The function as a command with `--json`: prints what it answers, and leaves with its exit code."""
    own = dict(signature(function).parameters)

    def command(**given: Any) -> None:  # noqa: ANN401 - the options of any command
        as_json = given["as_json"] if "as_json" in own else given.pop("as_json")
        answer = function(**given)
        if as_json:
            print_json(answer.data)
        else:
            for part in answer.shown:
                print_part(part)
        if answer.code is not Exit.DONE:
            raise typer.Exit(answer.code)

    options = [option for name, option in own.items() if name != "as_json"]
    return _with_options(command, function, [*options, _AS_JSON])


def on_settings(function: Callable[..., Answer]) -> Command:
    """The same for a function of settings, which `--home` and `--space` decide."""

    def configured(*, home: Path | None, space: str | None, **given: Any) -> Answer:  # noqa: ANN401 - as above
        return function(settings_of(home, space), **given)

    _, *own = signature(function).parameters.values()
    return answering(_with_options(configured, function, [*own, *_WHERE]))


def _with_options(
    command: Callable[..., Result], of: Callable[..., object], options: list[Parameter]
) -> Callable[..., Result]:
    """The command with the name and help of the function, which asks for these options."""
    command = wraps(of)(command)
    command.__signature__ = signature(of).replace(parameters=options)  # type: ignore[attr-defined]  # `inspect` reads it
    return command
