"""The store's own queries: which files there are, what the code gives them and takes from them, and how they are run.

A file that a person edited in the home is held against this table, so that a wrong edit refuses to start. Knows
signatures, not what the queries are for.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeVar
from weakref import WeakValueDictionary

from r_memory.domain.storable import check_values
from r_memory.errors import ConfigurationError
from r_memory.store.bolt import Bolt, Row, RunQuery
from r_memory.store.properties import Properties, properties_in
from r_memory.store.queries import Query, parse_query

_T = TypeVar("_T")

Library = Mapping[str, Query]
"""Queries by their path below `cypher/`, without the ending: `recall/facts`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Signature:
    gives: str = ""
    """Parameters that the code gives, separated by blanks."""
    names: str = ""
    """Stand-ins that it replaces."""
    returns: str = ""
    """Columns that it takes."""


_EVENTS = "seq event object"

_SIGNATURES: Mapping[str, _Signature] = {
    "setup/neo4j": _Signature(),
    "setup/arcadedb": _Signature(),
    "setup/arcadedb_relation": _Signature(names="FACT"),
    "setup/arcadedb_labels": _Signature(names="KIND"),
    "read/types": _Signature(returns="name"),
    "read/schema_version": _Signature(returns="version setup relations"),
    "write/schema_version": _Signature(gives="name version setup relations"),
    "read/pack": _Signature(gives="name", returns="name version"),
    "write/claim_pack": _Signature(gives="name", returns="name version"),
    "write/set_concepts": _Signature(gives="rows", names="KIND", returns="written"),
    "read/concepts": _Signature(gives="name", returns="uid version"),
    "write/retire_concepts": _Signature(gives="uids"),
    "write/clear_links": _Signature(gives="name uids"),
    "write/add_links": _Signature(gives="rows", names="LINK", returns="written"),
    "write/set_pack": _Signature(gives="name version"),
    "write/declare_subject": _Signature(gives="uid space properties log leaf weight", names="KIND"),
    "read/subject": _Signature(gives="uid space", returns="entity"),
    "read/subjects_called": _Signature(gives="space type keys", returns="entity"),
    "read/entities_without_keys": _Signature(returns="uid id name"),
    "write/set_keys": _Signature(gives="rows"),
    "read/subjects": _Signature(gives="space type", returns="entities"),
    "write/add_episode": _Signature(
        gives="subject_uid space id changed_seq conversation_uid conversation properties awaits entries weight",
        returns="seq",
    ),
    "read/episode": _Signature(gives="space id", returns="episode"),
    "read/conversation": _Signature(
        gives="subject_uid space conversation conversation_uid limit", returns="seq episode"
    ),
    "read/open_episodes": _Signature(gives="space statuses limit", returns="episode"),
    "read/chain": _Signature(gives="subject_uid fact_ids", returns="head event object"),
    "write/append": _Signature(
        gives="subject_uid space previous_seq previous_hash previous_held head events episode_id settled awaits rows "
        "entries standing weight",
        names="FACT KIND",
        returns="appended written",
    ),
    "read/recorded": _Signature(gives="space ids", returns="id seq"),
    "write/set_facts": _Signature(gives="subject_uid space rows", names="FACT KIND", returns="written"),
    "write/settle_episode": _Signature(gives="subject_uid space id properties awaits leaf weight", returns="settled"),
    "read/events": _Signature(gives="subject_uid", returns=_EVENTS),
    "read/recorded_from": _Signature(gives="space episode_id", returns=_EVENTS),
    "read/fact_ids": _Signature(gives="start", returns="fact_id space"),
    "read/history": _Signature(gives="space fact_id", returns=_EVENTS),
    "recall/facts": _Signature(
        gives="subject_uid space", names="FACT", returns="watermark held awaiting relation fact object"
    ),
    "write/clear_state": _Signature(gives="subject_uid space"),
    "write/clear_awaited": _Signature(gives="subject_uid space held"),
    "write/lead_to_words": _Signature(gives="uids"),
    "write/await_open_episodes": _Signature(gives="subject_uid space statuses awaits"),
    "write/add_receipt": _Signature(gives="subject_uid space id properties leaf weight", returns="subjects"),
    "read/receipt": _Signature(gives="space id", returns="receipt"),
    "read/receipts": _Signature(gives="space subject_uid limit", returns="receipt"),
    "stream/add_memories": _Signature(
        gives="space conversation_uid conversation numbered rows log", returns="id index change"
    ),
    "stream/amend_memories": _Signature(gives="space rows", returns="amended"),
    "stream/remove_memories": _Signature(
        gives="space conversation_uid turns left rows log leaf weight", returns="turns removed"
    ),
    "stream/read_latest": _Signature(gives="space", returns="latest"),
    "stream/read_changes": _Signature(gives="space after upto", returns="memories"),
    "stream/read_memories": _Signature(gives="space ids", returns="memory"),
    "stream/add_summary": _Signature(
        gives="space conversation_uid conversation version properties log leaf weight", returns="place"
    ),
    "stream/read_summaries": _Signature(gives="space conversation_uid limit", returns="summary"),
    "stream/add_decision": _Signature(
        gives="space id conversation_uid conversation turn properties log leaf weight", returns="id"
    ),
    "stream/read_decisions": _Signature(gives="space conversation_uid limit", returns="decision"),
    "stream/read_space_decisions": _Signature(gives="space limit", returns="decision"),
    "stream/put_document": _Signature(gives="space id properties log leaf weight", returns="id"),
    "stream/read_document": _Signature(gives="space id", returns="document"),
    "stream/read_documents": _Signature(gives="space limit", returns="document"),
    "stream/read_conversations": _Signature(gives="space subject_uid limit", returns="name"),
    "stream/forget_turns": _Signature(gives="space conversation_uid after log leaf weight", returns="erased"),
    "write/declare_trace": _Signature(gives="uid space properties log leaf weight"),
    "read/episodes": _Signature(gives="subject_uid space", returns="episode"),
    "erase/claim": _Signature(gives="subject_uid space previous_seq previous_hash", returns="uid entry log size sum"),
    "erase/episodes": _Signature(gives="subject_uid space", returns="id"),
    "erase/receipts": _Signature(gives="subject_uid space", returns="id"),
    "erase/own_words": _Signature(gives="subject_uid space type", returns="uid own everybody"),
    "erase/subject": _Signature(gives="subject_uid space trace log entry leaf weight"),
    "erase/events": _Signature(gives="trace_uid space rows", returns="erased"),
    "erase/entries": _Signature(gives="space log rows", returns="written"),
    "erase/close": _Signature(gives="trace_uid space event", returns="id"),
    "erase/what_was_shown": _Signature(gives="trace_uid space rows", returns="erased"),
    "erase/what_was_said": _Signature(gives="space ids"),
    "erase/words": _Signature(gives="uids"),
    "erase/conversations": _Signature(gives="subject_uid space"),
    "erase/documents": _Signature(gives="subject_uid space log leaf weight", returns="erased"),
    "write/extend": _Signature(
        gives="subject_uid space previous_seq previous_hash head events entries weight", returns="appended"
    ),
    "read/logged_subjects": _Signature(gives="uids", returns="uid labels subject"),
    "read/logged_entries": _Signature(gives="space logs", returns="log entries"),
    "read/logged_events": _Signature(gives="uids", returns="uid events"),
    "read/logged_statements": _Signature(gives="uids", returns="uid statements"),
    "read/logged_receipts": _Signature(gives="uids", returns="uid receipts"),
    "read/logged_state": _Signature(gives="uids", returns="uid state"),
    "read/logged_conversations": _Signature(gives="uids", returns="conversation"),
    "read/logged_everybody": _Signature(gives="space type", returns="log everybody"),
    "read/logged_counts": _Signature(gives="space", returns="event statement receipt"),
    "read/logged_items": _Signature(gives="space", returns="items"),
    "read/logged_summaries": _Signature(gives="space", returns="summaries"),
    "read/logged_decisions": _Signature(gives="space", returns="decisions"),
    "read/logged_documents": _Signature(gives="space", returns="documents"),
    "read/logged_talk": _Signature(gives="space", returns="conversations streams"),
    "read/shared_concepts": _Signature(gives="name uids", returns="concepts"),
    "read/pack_concepts": _Signature(gives="name uids", returns="concepts"),
    "read/pack_links": _Signature(gives="uids", returns="links"),
    "read/unlogged": _Signature(gives="type", returns="uid space id name"),
    "write/adopt_subject": _Signature(gives="uid space properties log leaf weight", returns="place"),
    "write/adopt_statements": _Signature(gives="space rows"),
    "write/adopt_events": _Signature(gives="space rows"),
    "write/adopt_receipts": _Signature(gives="space rows"),
    "read/unlogged_talk": _Signature(names="KIND", returns="stored"),
    "read/unlogged_summaries": _Signature(returns="stored"),
    "write/adopt_talk": _Signature(gives="space log weight rows", names="KIND"),
    "write/adopt_summaries": _Signature(gives="space log weight rows"),
    "write/adopt_facts": _Signature(gives="subject_uid rows"),
    "read/health": _Signature(gives="statuses", returns="pending schemas packs"),
}


class Run(Protocol):
    """Runs one query of a transaction, by its name in the library or as it is composed of it."""

    async def __call__(self, query: str | Query, /, **parameters: object) -> list[Row]:
        """Every row."""


class Graph:
    """Runs the queries of a library on one database, by name; errors are those of `Bolt`."""

    def __init__(self, bolt: Bolt, library: Library) -> None:
        self.bolt = bolt
        self.library = library
        self._writing: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    def alone(self, what: str) -> asyncio.Lock:
        """Writers of one process about one subject or space take turns: each would begin again for the others."""
        return self._writing.setdefault(what, asyncio.Lock())

    async def read(self, query: str | Query, /, *, limit_s: float | None = None, **parameters: object) -> list[Row]:
        """Every row of a reading query.

        Raises:
            InvalidInput: a parameter is a value that no engine keeps.
        """
        check_values(parameters)
        return await self.bolt.read(self._named(query), parameters, limit_s=limit_s)

    async def values(
        self,
        query: str,
        column: str,
        made: Callable[[Properties], _T],
        **parameters: Any,  # noqa: ANN401 - as `read` takes them
    ) -> tuple[_T, ...]:
        """What is made of the properties in one column of a reading query."""
        return tuple(made(properties_in(row, column)) for row in await self.read(query, **parameters))

    async def write(self, query: str | Query, /, *, limit_s: float | None = None, **parameters: object) -> list[Row]:
        """Every row of one writing query, committed; it may have run twice."""
        return await self.bolt.write_one(self._named(query), parameters, limit_s=limit_s)

    async def write_in(
        self,
        space: str,
        query: str,
        /,
        *,
        limit_s: float | None = None,
        **parameters: Any,  # noqa: ANN401 - likewise
    ) -> list[Row]:
        """The same of a query that enters something in the log of a space, given as `$space`: one at a time."""
        async with self.alone(space):
            return await self.write(query, limit_s=limit_s, space=space, **parameters)

    async def together(self, work: Callable[[Run], Awaitable[_T]], *, limit_s: float | None = None) -> _T:
        """What `work` gives, once everything that it ran is committed together; it may have run twice."""

        async def by_name(run: RunQuery) -> _T:
            async def named(query: str | Query, /, **parameters: object) -> list[Row]:
                return await run(self._named(query), parameters)

            return await work(named)

        return await self.bolt.write(by_name, limit_s=limit_s)

    def _named(self, query: str | Query) -> Query:
        return self.library[query] if isinstance(query, str) else query


def load_library(read: Callable[[str], str]) -> Library:
    """Every query of the store; `read` gives the text of a file such as `cypher/recall/facts.cypher`.

    Raises:
        ConfigurationError: a file is missing, wrong in itself, or not what the store needs.
    """
    return {name: _loaded(name, read) for name in _SIGNATURES}


def _loaded(name: str, read: Callable[[str], str]) -> Query:
    path = f"cypher/{name}.cypher"
    query = parse_query(path, read(path))
    for problem in _differences(query, name):
        raise ConfigurationError(f"{problem}; compare it with the default file", file=Path(path))
    return query


def _differences(query: Query, name: str) -> Iterator[str]:
    wanted = _SIGNATURES[name]
    if query.mode != ("read" if name.startswith(("read/", "recall/", "stream/read_")) else "write"):
        yield f"its mode may not be {query.mode}"
    if extra := set(query.parameters) - set(wanted.gives.split()):
        yield f"nobody gives it ${', $'.join(sorted(extra))}"
    if set(query.names) != set(wanted.names.split()):
        yield f"its stand-ins must be: {wanted.names or 'none'}"
    if missing := set(wanted.returns.split()) - set(query.returns):
        yield f"it must return {', '.join(sorted(missing))} as well"
