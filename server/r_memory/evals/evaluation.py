"""One suite over one memory: predictions, and the report on them.

The memory should be empty; nothing here opens or removes it.
"""

import shlex
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from r_memory.errors import StoreUnavailable, UnknownName
from r_memory.evals.outcomes import Outcome
from r_memory.evals.reports import Report
from r_memory.evals.rows import Row
from r_memory.evals.suites import SUITES, Suite
from r_memory.memory import Memory


def suite_named(name: str) -> Suite[Any, Any]:
    """The suite of this name.

    Raises:
        UnknownName: there is none; the known ones are listed.
    """
    if name not in SUITES:
        raise UnknownName("suite", name, list(SUITES))
    return SUITES[name]


async def evaluate(
    memory: Memory, name: str, rows: Sequence[Row], *, date: str, command: str, route: str, done: Callable[[], None]
) -> tuple[Sequence[Row], Report]:
    """What the memory makes of each row, and the report; `done` is called after each row.

    Raises:
        StoreUnavailable: a write or a read failed, and the figures would be wrong.
    """
    suite = suite_named(name)
    predictions = await suite.run(memory, rows, done)
    outcome = suite.outcome(rows, predictions)
    report = await report_on(
        memory, outcome, suite=name, title=suite.title, date=date, command=command, route=route, items=len(rows)
    )
    return predictions, report


async def report_on(
    memory: Memory, outcome: Outcome, *, suite: str, title: str, date: str, command: str, route: str, items: int
) -> Report:
    """The outcome with what it was measured on.

    Raises:
        StoreUnavailable: the store does not answer any more.
    """
    described = await memory.describe()
    if described.health is None:
        raise StoreUnavailable(described.trouble)
    return Report(
        suite=suite,
        title=title,
        date=date,
        command=command,
        route=route,
        store=described.health.name,
        schema_version=described.schema.version,
        pack_version=described.knowledge.version,
        items=items,
        figures=outcome.figures,
        groups=outcome.groups,
        details=outcome.details,
        notes=outcome.notes,
    )


def command_line(*words: str, options: Mapping[str, Path | str | None]) -> str:
    """The command as a person would repeat it; of a path from the root only the last part, as nobody else has it.

    >>> command_line("eval", "facts", options={"--data": Path("data"), "--home": None})
    'r-memory eval facts --data data'
    """
    given = [part for name, value in options.items() if value is not None for part in (name, _repeated(value))]
    return shlex.join(["r-memory", *words, *given])


def _repeated(value: Path | str) -> str:
    return f".../{value.name}" if isinstance(value, Path) and value.is_absolute() else str(value)
