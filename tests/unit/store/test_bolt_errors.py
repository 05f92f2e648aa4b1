"""What the driver's errors mean: worth another attempt or not, and which of our own errors they become."""

import pytest
from neo4j._exceptions import BoltProtocolError
from neo4j.exceptions import (
    AuthError,
    ClientError,
    ConfigurationError,
    ConstraintError,
    DatabaseError,
    DriverError,
    IncompleteCommit,
    Neo4jError,
    ServiceUnavailable,
    SessionExpired,
    TransientError,
    WriteServiceUnavailable,
)

from r_memory.store.bolt_errors import DriverTrouble, RetryVerdict, translated, verdict_on

SECRET = "bolt://neo4j:hunter2@10.0.0.5:7687 said: I am allergic to penicillin"


def from_server(code: str, message: str = SECRET) -> Neo4jError:
    """As the driver makes them of a server's answer."""
    return Neo4jError._hydrate_neo4j(code=code, message=message)


def nonsense() -> BoltProtocolError:
    """As the driver raises it where it was answered something that is no greeting."""
    return BoltProtocolError(SECRET, SECRET)  # type: ignore[no-untyped-call]  # the driver's own, private


def no_writer() -> SessionExpired:
    """As the driver raises it where the routing table of a cluster names nobody who takes writes."""
    error = SessionExpired(SECRET)
    error.__cause__ = WriteServiceUnavailable(SECRET)
    return error


RATE_LIMIT = "Neo.ClientError.Security.AuthenticationRateLimit"
"""After wrong passwords; of no class of its own."""


@pytest.mark.parametrize(
    ("error", "embedded", "verdict", "ours"),
    [
        (ServiceUnavailable(SECRET), False, RetryVerdict.RECONNECT, "StoreUnavailable"),
        (SessionExpired(SECRET), False, RetryVerdict.RECONNECT, "StoreUnavailable"),
        (IncompleteCommit(SECRET), False, RetryVerdict.RECONNECT, "StoreUnavailable"),
        (DriverError(SECRET), False, RetryVerdict.RECONNECT, "StoreUnavailable"),
        (ConfigurationError(SECRET), False, RetryVerdict.REFUSED, "ConfigurationError"),
        (ConfigurationError(SECRET), True, RetryVerdict.RECONNECT, "StoreUnavailable"),
        (nonsense(), False, RetryVerdict.REFUSED, "ConfigurationError"),
        (nonsense(), True, RetryVerdict.RECONNECT, "StoreUnavailable"),
        (from_server("Neo.ClientError.Cluster.NotALeader"), False, RetryVerdict.LEADERLESS, "StoreUnavailable"),
        (no_writer(), False, RetryVerdict.LEADERLESS, "StoreUnavailable"),
        (from_server("Neo.ClientError.Security.Unauthorized"), False, RetryVerdict.WRONG_LOGIN, "StoreUnavailable"),
        (from_server(RATE_LIMIT), False, RetryVerdict.WRONG_LOGIN, "StoreUnavailable"),
        (from_server("Neo.TransientError.Transaction.DeadlockDetected"), False, RetryVerdict.AGAIN, "Broken"),
        (from_server("Neo.ClientError.Schema.ConstraintValidationFailed"), False, RetryVerdict.TAKEN, "WriteConflict"),
        (from_server("Neo.ClientError.Schema.EquivalentSchemaRuleAlreadyExists"), False, RetryVerdict.AGAIN, "Broken"),
        (from_server("Neo.ClientError.Transaction.InvalidBookmark"), False, RetryVerdict.RECONNECT, "StoreUnavailable"),
        (from_server("Neo.ClientError.Database.DatabaseNotFound"), False, RetryVerdict.BROKEN, "StoreUnavailable"),
        (from_server("Neo.ClientError.Transaction.TransactionTimedOut"), False, RetryVerdict.BROKEN, "Broken"),
        (from_server("Neo.DatabaseError.Transaction.TransactionCommitFailed"), False, RetryVerdict.BROKEN, "Broken"),
        (from_server("Neo.ClientError.Statement.SyntaxError"), False, RetryVerdict.REFUSED, "QueryRefused"),
        (from_server("Neo.ClientError.Statement.AccessMode"), False, RetryVerdict.REFUSED, "QueryRefused"),
        (
            from_server("Neo.ClientError.Statement.SemanticError", "Error executing Cypher command: CREATE (n)"),
            True,
            RetryVerdict.AGAIN,
            "Broken",
        ),
        (
            from_server("Neo.ClientError.Statement.SemanticError", "Error executing Cypher command: CREATE (n)"),
            False,
            RetryVerdict.REFUSED,
            "QueryRefused",
        ),
    ],
)
def test_each_error_has_its_meaning_and_says_nothing_it_should_not(
    error: DriverTrouble, embedded: bool, verdict: RetryVerdict, ours: str
) -> None:
    assert verdict_on(error, embedded=embedded) is verdict
    becomes = translated(error, verdict, "cypher/recall/facts.cypher")
    assert type(becomes).__name__ == ours
    assert not any(word in str(becomes) for word in ("hunter2", "10.0.0.5", "penicillin"))


def test_the_drivers_classes_are_those_that_the_verdicts_look_for() -> None:
    assert isinstance(from_server("Neo.ClientError.Security.Unauthorized"), AuthError)
    assert isinstance(from_server("Neo.TransientError.Transaction.DeadlockDetected"), TransientError)
    assert isinstance(from_server("Neo.ClientError.Schema.ConstraintValidationFailed"), ConstraintError)
    assert isinstance(from_server("Neo.ClientError.Statement.SyntaxError"), ClientError)
    assert isinstance(from_server("Neo.DatabaseError.General.UnknownError"), DatabaseError)
