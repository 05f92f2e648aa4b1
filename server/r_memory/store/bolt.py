"""Connects to the database over Bolt; with `bolt_errors` and `bolt_wire` the only importer of the Neo4j driver.

Each write is one transaction and each read one query, with a time limit. Retries are made here: after a lost connection
with the database's new address, after a write conflict after a pause. A write must therefore be harmless when it
runs twice. Errors of the driver do not leave this module. It knows no query.
"""

import asyncio
import contextlib
import logging
import random
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from typing import Literal, Protocol, TypeVar, cast

import neo4j
from neo4j import auth_management, exceptions, graph
from typing_extensions import override

from r_memory.errors import ConfigurationError, InvalidInput, StoreUnavailable
from r_memory.protocols import Table, in_time, is_unhurried
from r_memory.store.bolt_errors import (
    ATTEMPTS,
    BAD_ADDRESS,
    DRIVER_TROUBLES,
    Broken,
    DriverTrouble,
    ForeignKey,
    QueryRefused,
    RetryVerdict,
    translated,
    verdict_on,
)
from r_memory.store.bolt_wire import Row, Run, Unusual, Wires
from r_memory.store.keys import Key, violated
from r_memory.store.queries import Query

logger = logging.getLogger(__name__)

Engine = Literal["neo4j", "arcadedb"]
_T = TypeVar("_T")

ERASING_LIMIT_S = 60.0
"""Time limit in seconds for erasing a long conversation: ten thousand turns take seconds."""
SETUP_LIMIT_S = 120.0
"""Time limit in seconds of a setup statement: an index over existing data, and a server that just started, are slow."""
# A person waits for an audit; it may look at everything there is.
_AUDIT_LIMIT_S = 60.0


_ROUTED = "neo4j"
"""Prefix of addresses of clusters: `neo4j://`, `neo4j+s://`."""
_ELECTION_PAUSE_S = 0.25
"""Pause in seconds before a cluster without a leader is asked again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """How long bulk work waits for the store (`protocols.unhurried`)."""

    limit_s: float = 60.0
    """Minimum time limit of each attempt, in seconds."""
    attempts: int = 5
    """Maximum number of attempts if the store gives no answer in time."""
    pause_s: float = 2.0
    """Pause between attempts, in seconds."""


_PATIENCE = Patience()


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """An address with its login. `repr` does not show the secrets."""

    uri: str
    user: str
    password: str = field(repr=False)
    database: str | None = None
    """`None` is the server's default database."""
    engine: Engine = "neo4j"
    """The engine; it selects the file of `cypher/setup`."""
    reader_user: str = ""
    """A login that the server limits to reading, for queries that people write; empty if there is none."""
    reader_password: str = field(default="", repr=False)


class EndpointSource(Protocol):
    """Finds the present address of the database."""

    async def endpoint(self, *, refresh: bool) -> Endpoint:
        """The present address.

        With `refresh` it searches anew, because the last address gave no answer or refused the login. It is called by
        one task at a time. It may host the database itself, and then returns when the database answers.

        Raises:
            StoreUnavailable: there is no database, and none can be started.
        """

    async def proved(self, endpoint: Endpoint) -> bool:
        """Whether connections to this endpoint that were made before this call lead to the right database.

        It is called for every new connection before a password is sent: any process may take the port of an ended one.
        """

    def turn(self) -> contextlib.AbstractAsyncContextManager[None]:
        """A context in which no other process prepares the same database, unless the database ensures that itself."""

    async def close(self) -> None:
        """Releases all resources, a hosted database included; may be called twice."""


class FixedEndpoint:
    """A fixed address: a server that other people run."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint

    async def endpoint(self, *, refresh: bool) -> Endpoint:  # noqa: ARG002 - there is nowhere else to look
        """The address."""
        return self._endpoint

    async def proved(self, endpoint: Endpoint) -> bool:  # noqa: ARG002 - see below
        """True: an external server proves its identity by its certificate, if the address requires it."""
        return True

    def turn(self) -> contextlib.AbstractAsyncContextManager[None]:
        """An empty context: the database's own lock makes a second writer wait."""
        return contextlib.nullcontext()

    async def close(self) -> None:
        """Does nothing."""


class _Login(auth_management.AsyncAuthManager):
    """Gives the driver user and password after the connection was proved.

    The driver asks after it has connected and before it sends a password, also when its pool reconnects.
    """

    def __init__(self, user: str, password: str, prove: Callable[[], Awaitable[None]]) -> None:
        self._login = neo4j.basic_auth(user, password)
        self._prove = prove

    @override
    async def get_auth(self) -> neo4j.Auth:
        await self._prove()
        return self._login

    @override
    async def handle_security_exception(self, auth: object, error: exceptions.Neo4jError) -> bool:
        return False


class _Link:
    """A driver for one endpoint, with what is known of the database."""

    def __init__(self, source: EndpointSource, endpoint: Endpoint, bookmarks: neo4j.api.AsyncBookmarkManager) -> None:
        self.endpoint = endpoint
        self.bookmarks = bookmarks
        self._source = source
        self.driver = self._driver(endpoint.user, endpoint.password)
        self._reader: neo4j.AsyncDriver | None = None
        login = endpoint.user, endpoint.password
        short = endpoint.engine == "arcadedb"
        self.wires = Wires(endpoint.uri, login, endpoint.database or "", prove=self._prove) if short else None
        """Fast connections for single queries; `None` if only the driver can be used."""
        self.routed = endpoint.uri.startswith(_ROUTED)
        """Whether it is a cluster: one server leads, and the others have each write a moment later."""

    @property
    def reader(self) -> neo4j.AsyncDriver:
        """The driver for queries that people write; the ordinary one if there is no read-only login."""
        if not self.endpoint.reader_user:
            return self.driver
        if self._reader is None:
            self._reader = self._driver(self.endpoint.reader_user, self.endpoint.reader_password)
        return self._reader

    def session(self, access_mode: str, driver: neo4j.AsyncDriver | None = None) -> neo4j.AsyncSession:
        """A session of a driver (the ordinary one by default) that sees all writes made over this link."""
        return (driver or self.driver).session(
            database=self.endpoint.database, default_access_mode=access_mode, bookmark_manager=self.bookmarks
        )

    async def run(self, query: Query, parameters: Mapping[str, object], limit_s: float) -> list[Row]:
        """All rows of one query, which runs in its own transaction."""
        reads = query.mode == "read"
        if self.wires is not None:
            with contextlib.suppress(Unusual):
                return await (self.wires.read if reads else self.wires.write)(query.text, parameters)
        timed = neo4j.Query(query.text, timeout=limit_s)
        if reads or self.endpoint.engine == "neo4j":
            # Of a cluster the leader is asked: a bookmark brings what this process wrote, and not what others did.
            access = neo4j.READ_ACCESS if reads and not self.routed else neo4j.WRITE_ACCESS
            # By itself: without BEGIN and COMMIT it takes one round trip instead of two, 0.22 ms instead of 0.36.
            async with self.session(access) as session:
                return await _rows(await session.run(timed, dict(parameters)))
        # ArcadeDB commits a writing query clause by clause (26.11.1.dev2, measured), so it is given an explicit
        # transaction, whose BEGIN travels with the query: a round trip less than begin_transaction.
        return await self.driver.execute_query(
            timed,
            parameters_=dict(parameters),
            routing_=neo4j.RoutingControl.WRITE,
            database_=self.endpoint.database,
            bookmark_manager_=self.bookmarks,
            result_transformer_=_rows,
        )

    async def catch_up(self) -> None:
        """Makes later reads, at any server of a cluster, wait for the leader's present state."""
        if self.routed:
            async with self.session(neo4j.WRITE_ACCESS) as session:
                await (await session.run("RETURN 1")).consume()

    async def close(self) -> None:
        if self.wires is not None:
            self.wires.close()
        for driver in {self.driver, self._reader} - {None}:
            # A server that died does not say goodbye, and closing is all that is left to do.
            with contextlib.suppress(*DRIVER_TROUBLES, OSError, TimeoutError):
                async with asyncio.timeout(1.0):
                    await cast("neo4j.AsyncDriver", driver).close()

    async def _prove(self) -> None:
        if not await self._source.proved(self.endpoint):
            raise exceptions.ServiceUnavailable

    async def _resolved(self, address: neo4j.Address) -> tuple[neo4j.Address]:
        """Checks the host before the driver connects, so that a silent stranger is not tried, and returns the address
        unchanged.
        """
        await self._prove()
        return (address,)

    def _driver(self, user: str, password: str) -> neo4j.AsyncDriver:
        try:
            return neo4j.AsyncGraphDatabase.driver(
                self.endpoint.uri,
                auth=_Login(user, password, self._prove),
                resolver=self._resolved,
                connection_timeout=5.0,
                connection_acquisition_timeout=10.0,
                # Attempts are counted in `_repeated`; the driver's own would wait a second before the first.
                max_transaction_retry_time=-1,
                # Otherwise a WARNING for each label or type that nobody has used yet.
                notifications_min_severity="OFF",
                telemetry_disabled=True,
            )
        except (exceptions.ConfigurationError, ValueError) as error:
            raise ConfigurationError(BAD_ADDRESS) from error


class Bolt:
    """Runs queries on the database at its present address."""

    def __init__(self, source: EndpointSource, *, limit_s: float = 10.0, patience: Patience = _PATIENCE) -> None:
        """`limit_s` is the time limit of each attempt of an ordinary call; `patience` applies to bulk work."""
        self._source = source
        self._limit_s = limit_s
        self._patience = patience
        self._link: _Link | None = None
        self._lost = False
        self._closed = False
        self._connecting = asyncio.Lock()
        self._contended = asyncio.Lock()
        self.keys: frozenset[Key] = frozenset()
        """The keys of the setup, once known: only a conflict on one of these means that another writer was faster."""

    async def run(self, query: Query, parameters: Mapping[str, object], *, limit_s: float | None = None) -> list[Row]:
        """All rows of one query. A writing query is committed, and may have run twice.

        Raises:
            StoreUnavailable: no answer, or not in time; a write may or may not be stored.
            WriteConflict: other writers took the key at each attempt.
            StoreError: the database refused the query.
        """
        limit = self._limit(limit_s)
        return await self._repeated(lambda link: link.run(query, parameters, limit), what=query.path, limit_s=limit)

    async def write(self, work: Callable[[Run], Awaitable[_T]], *, limit_s: float | None = None) -> _T:
        """The result of `work`, after all its queries were committed in one transaction; `work` may have run twice.

        Raises:
            StoreUnavailable, WriteConflict, StoreError: as for `run`; also everything that `work` raises.
        """
        limit = self._limit(limit_s)

        async def attempt(link: _Link) -> _T:
            if link.wires is not None:
                with contextlib.suppress(Unusual):
                    return await link.wires.together(work)
            async with (
                link.session(neo4j.WRITE_ACCESS) as session,
                await session.begin_transaction(timeout=limit) as transaction,
            ):

                async def run(query: str, parameters: Mapping[str, object]) -> list[Row]:
                    return await _rows(await transaction.run(query, dict(parameters)))

                given = await work(run)
                await transaction.commit()
                return given

        return await self._repeated(attempt, what="a write", limit_s=limit)

    def turn(self) -> contextlib.AbstractAsyncContextManager[None]:
        """A context in which no other process prepares the database: two processes would do the work twice."""
        return self._source.turn()

    async def define(self, query: Query) -> None:
        """Runs the statements of a setup file one by one, as databases require for schema changes."""
        for statement in query.statements():
            await self.run(replace(query, text=statement), {}, limit_s=SETUP_LIMIT_S)

    async def read_only(
        self, text: str, parameters: Mapping[str, object], *, keep: Callable[[Row], bool], limit: int
    ) -> Table:
        """The first rows, accepted by `keep`, of a query that a person wrote; it runs with the least rights available.

        Raises:
            InvalidInput: the database refused the query; the message is the database's own.
            StoreUnavailable: no answer, or not in time.
        """

        async def attempt(link: _Link) -> Table:
            await link.catch_up()
            async with (
                link.session(neo4j.READ_ACCESS, link.reader) as session,
                await session.begin_transaction(timeout=_AUDIT_LIMIT_S) as transaction,
            ):
                result = await transaction.run(text, dict(parameters))
                columns = tuple(result.keys())
                rows: list[Row] = []
                async for record in result:
                    row = dict(zip(record.keys(), record.values(), strict=True))
                    if keep(row):
                        rows.append(row)
                    if len(rows) > limit:
                        break
                # Not rolled back: what only a commit refuses is then refused.
                await transaction.commit()
            return Table(
                columns=columns,
                rows=tuple(tuple(_plain(row[column]) for column in columns) for row in rows[:limit]),
                truncated=len(rows) > limit,
            )

        try:
            return await self._repeated(attempt, what="the query", limit_s=_AUDIT_LIMIT_S)
        except (QueryRefused, Broken) as error:
            raise InvalidInput(f"the database refused the query: {error.message}") from error

    async def engine(self) -> Engine:
        """The engine of the database."""
        return (await self._linked(None)).endpoint.engine

    async def agent(self) -> str:
        """The server's name for itself, such as `Neo4j/5.26.16`."""

        async def attempt(link: _Link) -> str:
            return (await link.driver.get_server_info()).agent

        return await self._repeated(attempt, what="a greeting", limit_s=self._limit(None))

    async def close(self) -> None:
        """Closes the connections and the source; may be called twice."""
        self._closed = True
        link, self._link = self._link, None
        if link is not None:
            await link.close()
        await self._source.close()

    def _limit(self, limit_s: float | None) -> float:
        """Time limit of one attempt in seconds."""
        own = limit_s or self._limit_s
        return max(own, self._patience.limit_s) if is_unhurried() else own

    async def _repeated(self, action: Callable[[_Link], Awaitable[_T]], *, what: str, limit_s: float) -> _T:
        """The result of the action, after as many attempts as the errors allow."""
        lost: _Link | None = None
        attempts = dict.fromkeys(RetryVerdict, 0)
        while True:
            link = await self._linked(lost)
            try:
                async with self._turn(attempts), in_time(limit_s):
                    return await action(link)
            except TimeoutError as error:
                attempts[RetryVerdict.SLOW] += 1
                if attempts[RetryVerdict.SLOW] >= self._attempts(RetryVerdict.SLOW):
                    raise StoreUnavailable(
                        f"the store did not answer within {limit_s:g} s; try again, or look at its load"
                    ) from error
                logger.warning("Store is slow", extra={"action": "store_slow", "limit_s": limit_s})
            except DRIVER_TROUBLES as error:
                verdict = verdict_on(error, embedded=link.endpoint.engine == "arcadedb")
                self._check_own(error, verdict)
                attempts[verdict] += 1
                if attempts[verdict] >= self._attempts(verdict):
                    raise translated(error, verdict, what) from error
                logger.debug(
                    "Store asked again",
                    extra={"action": "store_retry", "verdict": verdict.name, "error": type(error).__name__},
                )
                if verdict in {RetryVerdict.RECONNECT, RetryVerdict.WRONG_LOGIN}:
                    lost = link
                if verdict is RetryVerdict.LEADERLESS:
                    await asyncio.sleep(_ELECTION_PAUSE_S)
            if is_unhurried() and attempts[RetryVerdict.SLOW] + attempts[RetryVerdict.RECONNECT]:
                await asyncio.sleep(self._patience.pause_s)
            # A wait that grows and is never the same for two writers.
            longest = min(0.2, 0.005 * 2 ** sum(attempts.values()))
            await asyncio.sleep(random.uniform(0, longest))  # noqa: S311 - jitter, not a secret

    def _check_own(self, error: DriverTrouble, verdict: RetryVerdict) -> None:
        """Checks that a violated key is our own, so that another writer was faster.

        Raises:
            ForeignKey: the key belongs to another program.
        """
        if verdict is RetryVerdict.TAKEN and self.keys and isinstance(error, exceptions.Neo4jError):
            key = violated(error.message or "", self.keys)
            if key is not None:
                raise ForeignKey(key) from error

    def _turn(self, attempts: Mapping[RetryVerdict, int]) -> contextlib.AbstractAsyncContextManager[object]:
        """A lock for writers that lost a race, so that they retry one at a time: fifty writers of one subject would
        starve.
        """
        raced = attempts[RetryVerdict.AGAIN] + attempts[RetryVerdict.TAKEN]
        return self._contended if raced else contextlib.nullcontext()

    def _attempts(self, verdict: RetryVerdict) -> int:
        patient = is_unhurried() and verdict in {RetryVerdict.SLOW, RetryVerdict.RECONNECT}
        return max(ATTEMPTS[verdict], self._patience.attempts if patient else 0)

    async def _linked(self, lost: _Link | None) -> _Link:
        """The present link, or a new one if the present one is `lost`."""
        if self._link is not None and self._link is not lost:
            return self._link
        async with self._connecting:
            if self._link is None or self._link is lost:
                await self._connect()
            return cast("_Link", self._link)

    async def _connect(self) -> None:
        if self._closed:
            raise StoreUnavailable("the store was closed; open the memory again")
        old, self._link = self._link, None
        self._lost = self._lost or old is not None
        endpoint = await self._source.endpoint(refresh=self._lost)
        same = old is not None and old.endpoint == endpoint
        # The same server remembers what we have seen; another one may not even understand it.
        bookmarks = old.bookmarks if old is not None and same else neo4j.AsyncGraphDatabase.bookmark_manager()
        if old is not None:
            await old.close()
        self._link = _Link(self._source, endpoint, bookmarks)
        self._lost = False


async def _rows(result: neo4j.AsyncResult) -> list[Row]:
    return [dict(zip(record.keys(), record.values(), strict=True)) async for record in result]


def _plain(value: object) -> object:
    """Numbers, texts, lists and dicts in place of the driver's own types."""
    if isinstance(value, graph.Path):
        steps = zip_longest(value.nodes, value.relationships)
        return [_plain(part) for step in steps for part in step if part is not None]
    if isinstance(value, Mapping):
        return {str(key): _plain(part) for key, part in value.items()}
    if isinstance(value, graph.Entity):
        return {key: _plain(part) for key, part in value.items()}
    if isinstance(value, list):
        return [_plain(part) for part in value]
    return value if value is None or isinstance(value, (str, int, float, bool)) else str(value)
