"""One suite over one memory: predictions, and the report on them.

The memory should be empty; nothing here opens or removes it.
"""

import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any, TypeAlias

from r_memory.errors import StoreUnavailable, UnknownName
from r_memory.memory import Description, Memory
from r_memory_lab.evals.outcomes import CaseOutcome
from r_memory_lab.evals.reports import SuiteReport
from r_memory_lab.evals.rows import DataRow
from r_memory_lab.evals.suites import SUITES, Suite

Value: TypeAlias = Path | str | int | bool


def suite_named(name: str) -> Suite[Any, Any]:
    """Returns the suite with this name.

    Raises:
        UnknownName: there is none; lists the known ones.
    """
    if name not in SUITES:
        raise UnknownName("suite", name, list(SUITES))
    return SUITES[name]


async def evaluate(
    memory: Memory,
    name: str,
    rows: Sequence[DataRow],
    *,
    date: str,
    command: str,
    route: str,
    done: Callable[[], None],
    asked: Mapping[str, object] | None = None,
    judged: Sequence[DataRow] = (),
) -> tuple[Sequence[DataRow], SuiteReport]:
    """Returns the predictions for all rows, and the report; `done` is called after each row.

    `asked` are a suite's additional arguments: a model, or a server. `judged` are predictions judged by a person, which
    are used unchanged.

    Raises:
        StoreUnavailable: a write or a read failed, so that figures would be wrong.
    """
    suite = suite_named(name)
    predictions = judged or await suite.run(memory, rows, done, **(asked or {}))
    described = await memory.describe()
    if described.health is None:
        raise StoreUnavailable(described.trouble)
    return predictions, report_of(
        suite.outcome(rows, predictions),
        described,
        suite=name,
        title=suite.title,
        date=date,
        command=command,
        route=route,
        store=described.health.name,
        items=len(rows),
    )


def report_of(
    outcome: CaseOutcome,
    described: Description,
    *,
    suite: str,
    title: str,
    date: str,
    command: str,
    route: str,
    store: str,
    items: int = 0,
) -> SuiteReport:
    """Returns the outcome with a description of what was measured."""
    return SuiteReport(
        suite=suite,
        title=title,
        date=date,
        command=command,
        route=route,
        store=store,
        schema=described.schema.name,
        schema_version=described.schema.version,
        pack_version=described.knowledge.version,
        items=items,
        **{part.name: getattr(outcome, part.name) for part in fields(outcome)},
    )


def command_line(*words: str, options: Mapping[str, Value | Sequence[Value] | None]) -> str:
    """Returns the command to repeat; an absolute path only by its last part, as others do not have it.

    >>> command_line("eval", "facts", options={"--data": Path("data"), "--home": None})
    'r-memory eval facts --data data'
    """
    given = [part for name, value in options.items() for part in _option(name, value)]
    return shlex.join(["r-memory", *words, *given])


def _option(name: str, value: Value | Sequence[Value] | None) -> Iterator[str]:
    if value is None or value is False:
        return
    if value is True:
        yield name
    elif isinstance(value, Sequence) and not isinstance(value, str):
        yield from (part for item in value for part in _option(name, item))
    else:
        yield from (name, f".../{value.name}" if isinstance(value, Path) and value.is_absolute() else str(value))
