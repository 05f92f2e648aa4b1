"""The store's query files, and how they are run.

A file that a person edited in the home is compared with the shipped one, whose header says what the code passes and
reads: a wrong edit prevents the start. It knows signatures, not what queries are for.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Protocol, TypeVar
from weakref import WeakValueDictionary

from r_memory.domain.storable import check_values
from r_memory.errors import ConfigurationError
from r_memory.store.bolt import Bolt
from r_memory.store.bolt_wire import Row
from r_memory.store.bolt_wire import Run as RunText
from r_memory.store.properties import Properties, properties_in
from r_memory.store.queries import Query, parse_query

_T = TypeVar("_T")

Library = Mapping[str, Query]
"""Queries by path below `cypher/`, without the ending: `recall/facts`."""


_OWN = ("setup/*", "read/*", "write/*", "recall/facts", "stream/*", "erase/*")
"""The store's own queries; other files are traversals of action types and audits."""


class Run(Protocol):
    """Runs a query of a transaction, given by name or as a `Query`."""

    async def __call__(self, query: str | Query, /, **parameters: object) -> list[Row]:
        """All rows of the query."""


class Graph:
    """Runs the queries of a library on one database, by name; raises as `Bolt` does."""

    def __init__(self, bolt: Bolt, library: Library) -> None:
        self.bolt = bolt
        self.library = library
        self._writing: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    def alone(self, what: str) -> asyncio.Lock:
        """A lock of one subject or space: writers of one process take turns, because each would make the
        others retry.
        """
        return self._writing.setdefault(what, asyncio.Lock())

    async def read(self, query: str | Query, /, *, limit_s: float | None = None, **parameters: object) -> list[Row]:
        """All rows of a reading query.

        Raises:
            InvalidInput: a parameter cannot be stored by every engine.
        """
        check_values(parameters)
        return await self.bolt.run(self._named(query), parameters, limit_s=limit_s)

    async def values(
        self,
        query: str,
        column: str,
        made: Callable[[Properties], _T],
        **parameters: Any,  # noqa: ANN401 - as `read` takes them
    ) -> tuple[_T, ...]:
        """The results of `made` for the properties in one column of a reading query."""
        return tuple(made(properties_in(row, column)) for row in await self.read(query, **parameters))

    async def write(self, query: str | Query, /, *, limit_s: float | None = None, **parameters: object) -> list[Row]:
        """All rows of one writing query, committed; it may have run twice."""
        return await self.bolt.run(self._named(query), parameters, limit_s=limit_s)

    async def write_in(
        self,
        space: str,
        query: str,
        /,
        *,
        limit_s: float | None = None,
        **parameters: Any,  # noqa: ANN401 - likewise
    ) -> list[Row]:
        """The same for a query that adds an entry to the log of the space, given as `$space`; one at a time."""
        async with self.alone(space):
            return await self.write(query, limit_s=limit_s, space=space, **parameters)

    async def together(self, work: Callable[[Run], Awaitable[_T]], *, limit_s: float | None = None) -> _T:
        """The result of `work`, after all its queries were committed in one transaction; `work` may have run twice."""

        async def by_name(run: RunText) -> _T:
            async def named(query: str | Query, /, **parameters: object) -> list[Row]:
                return await run(self._named(query).text, parameters)

            return await work(named)

        return await self.bolt.write(by_name, limit_s=limit_s)

    def _named(self, query: str | Query) -> Query:
        return self.library[query] if isinstance(query, str) else query


def load_library(read: Callable[[str], str], shipped: Path) -> Library:
    """All queries of the store; `read` returns the text of a file such as `cypher/recall/facts.cypher`.

    `shipped` is the folder with the `cypher/` of this version.
    """
    files = [file for own in _OWN for file in sorted(shipped.glob(f"cypher/{own}.cypher"))]
    return {f"{file.parent.name}/{file.stem}": _loaded(file, shipped, read) for file in files}


def _loaded(file: Path, shipped: Path, read: Callable[[str], str]) -> Query:
    name = file.relative_to(shipped).as_posix()
    text, usual = read(name), file.read_text(encoding="utf-8")
    query = parse_query(name, text)
    for problem in () if text == usual else _differences(query, parse_query(name, usual)):
        raise ConfigurationError(f"{problem}; compare it with the default file", file=Path(name))
    return query


def _differences(query: Query, usual: Query) -> Iterator[str]:
    if query.mode != usual.mode:
        yield f"its mode may not be {query.mode}"
    if extra := set(query.parameters) - set(usual.parameters):
        yield f"nobody gives it ${', $'.join(sorted(extra))}"
    if left := set(usual.parameters) - set(query.parameters):
        yield f"it must use ${', $'.join(sorted(left))}"
    if set(query.names) != set(usual.names):
        yield f"its stand-ins must be: {' '.join(usual.names) or 'none'}"
    if missing := set(usual.returns) - set(query.returns):
        yield f"it must return {', '.join(sorted(missing))} as well"
