"""Classifies the driver's errors: whether to retry, and which of our own errors to raise.

It knows the error codes of Neo4j and ArcadeDB, and does not act on them.
"""

from enum import Enum, auto
from typing import TypeAlias

from neo4j import exceptions

# Private: what the driver raises where it was answered something that is no greeting.
from neo4j._exceptions import BoltError

from r_memory.errors import ConfigurationError, RMemoryError, StoreError, StoreUnavailable, WriteConflict
from r_memory.store.keys import Key

BAD_ADDRESS = "the store's address cannot be used; give one such as neo4j://HOST:7687"
_TOO_OFTEN = "Neo.ClientError.Security.AuthenticationRateLimit"
_NO_LEADER = {"Neo.ClientError.Cluster.NotALeader", "Neo.ClientError.General.ForbiddenOnReadOnlyDatabase"}
_CONSTRAINT = "Neo.ClientError.Schema.ConstraintValidationFailed"
# What ArcadeDB answers when two writers make one type at once; the second attempt finds it (26.11.1.dev2, measured).
_ARCADE_RACE = "Error executing Cypher command"


DriverTrouble: TypeAlias = exceptions.Neo4jError | exceptions.DriverError | BoltError
DRIVER_TROUBLES = (exceptions.Neo4jError, exceptions.DriverError, BoltError)
"""All errors of the driver whose cause is outside this process."""


class RetryVerdict(Enum):
    """What to do after an error of the driver."""

    RECONNECT = auto()
    """Nothing answers at the address, or another program."""
    LEADERLESS = auto()
    """A cluster has no leader; the election takes seconds."""
    SLOW = auto()
    """The database did not answer in time."""
    WRONG_LOGIN = auto()
    """The login was refused; a database that moved has another password. Few retries, because servers lock
    out clients.
    """
    AGAIN = auto()
    """Another transaction conflicted."""
    TAKEN = auto()
    """Another writer took the key."""
    BROKEN = auto()
    """The database has an internal error."""
    REFUSED = auto()
    """The query can never succeed."""


ATTEMPTS = {
    RetryVerdict.RECONNECT: 3,
    RetryVerdict.LEADERLESS: 40,
    RetryVerdict.SLOW: 1,
    RetryVerdict.WRONG_LOGIN: 2,
    RetryVerdict.AGAIN: 20,
    RetryVerdict.TAKEN: 20,
    RetryVerdict.BROKEN: 2,
    RetryVerdict.REFUSED: 1,
}


_AWAY = {
    RetryVerdict.LEADERLESS: "the cluster has no leader; try again in some seconds, or look at its servers",
    RetryVerdict.RECONNECT: "the store cannot be reached; start it, or correct its address in the settings",
}


class QueryRefused(StoreError):
    """The database refused a query."""

    def __init__(self, what: str, code: str, message: str) -> None:
        super().__init__(f"the store refused {what} ({code}); run `r-memory doctor`")
        self.message = message
        """The database's message. It may quote stored values: only the author of the query may see it."""


class Broken(StoreUnavailable):
    """The database failed to run a query for an internal reason."""

    def __init__(self, what: str, code: str, message: str) -> None:
        super().__init__(f"the store could not do {what} ({code}); look at its log and its disk")
        self.message = message
        """As in `QueryRefused`."""


class ForeignKey(StoreUnavailable):
    """A constraint of another program refuses the write, and will refuse it again."""

    def __init__(self, key: Key) -> None:
        super().__init__(
            f"a unique constraint of another program on {key} refuses what r-memory writes; "
            "give r-memory a database of its own, or drop that constraint"
        )


def verdict_on(error: DriverTrouble, *, embedded: bool) -> RetryVerdict:
    """The verdict on an error.

    The embedded database may fail halfway through creating a type, and its old port may be taken.
    """
    # The driver knows no class of its own for the second: Neo4j answers so for some seconds after wrong passwords.
    if isinstance(error, exceptions.AuthError) or getattr(error, "code", None) == _TOO_OFTEN:
        return RetryVerdict.WRONG_LOGIN
    # The second: the cluster's routing table names no server that takes writes.
    if getattr(error, "code", None) in _NO_LEADER or isinstance(error.__cause__, exceptions.WriteServiceUnavailable):
        return RetryVerdict.LEADERLESS
    if isinstance(error, exceptions.TransientError):
        return RetryVerdict.AGAIN
    if isinstance(error, exceptions.ClientError):
        return _of_client_error(error, race=embedded)
    if isinstance(error, exceptions.Neo4jError):
        return RetryVerdict.BROKEN
    # No database answers there: a wrong address was set, or the host at the port has ended.
    stranger = isinstance(error, (exceptions.ConfigurationError, BoltError))
    return RetryVerdict.REFUSED if stranger and not embedded else RetryVerdict.RECONNECT


def _of_client_error(error: exceptions.ClientError, *, race: bool) -> RetryVerdict:
    code, message = error.code or "", error.message or ""
    if code == _CONSTRAINT:
        return RetryVerdict.TAKEN
    if error.is_retryable() or (race and message.startswith(_ARCADE_RACE)):
        return RetryVerdict.AGAIN
    if "Bookmark" in code:
        return RetryVerdict.RECONNECT
    if code.startswith("Neo.ClientError.Schema."):  # two processes made the same index at once
        return RetryVerdict.AGAIN
    # Transaction: a full disk or the engine's own time limit, in ArcadeDB.
    if code.startswith(("Neo.ClientError.Database.", "Neo.ClientError.General.", "Neo.ClientError.Transaction.")):
        return RetryVerdict.BROKEN
    return RetryVerdict.REFUSED


def translated(error: DriverTrouble, verdict: RetryVerdict, what: str) -> RMemoryError:
    """Our own error for an error of the driver, without addresses, passwords or stored values."""
    code = getattr(error, "code", None)
    if verdict is RetryVerdict.WRONG_LOGIN:
        patience = "; it had too many wrong ones, so wait some seconds first" if code == _TOO_OFTEN else ""
        return StoreUnavailable(f"the store refused the user or the password; correct them in the settings{patience}")
    if verdict is RetryVerdict.TAKEN:
        return WriteConflict("another writer took the same key first; read again and retry")
    if verdict in _AWAY:
        return StoreUnavailable(_AWAY[verdict])
    if not isinstance(error, exceptions.Neo4jError):
        return ConfigurationError(BAD_ADDRESS)
    if code == "Neo.ClientError.Database.DatabaseNotFound":
        return StoreUnavailable("the server has no database of this name; create it, or correct it in the settings")
    kind = QueryRefused if verdict is RetryVerdict.REFUSED else Broken
    return kind(what, code or type(error).__name__, error.message or "")
