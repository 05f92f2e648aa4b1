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

from r_memory.store.bolt_errors import DriverTrouble, Verdict, translated, verdict_on

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
        (ServiceUnavailable(SECRET), False, Verdict.RECONNECT, "StoreUnavailable"),
        (SessionExpired(SECRET), False, Verdict.RECONNECT, "StoreUnavailable"),
        (IncompleteCommit(SECRET), False, Verdict.RECONNECT, "StoreUnavailable"),
        (DriverError(SECRET), False, Verdict.RECONNECT, "StoreUnavailable"),
        (ConfigurationError(SECRET), False, Verdict.REFUSED, "ConfigurationError"),
        (ConfigurationError(SECRET), True, Verdict.RECONNECT, "StoreUnavailable"),
        (nonsense(), False, Verdict.REFUSED, "ConfigurationError"),
        (nonsense(), True, Verdict.RECONNECT, "StoreUnavailable"),
        (from_server("Neo.ClientError.Cluster.NotALeader"), False, Verdict.LEADERLESS, "StoreUnavailable"),
        (no_writer(), False, Verdict.LEADERLESS, "StoreUnavailable"),
        (from_server("Neo.ClientError.Security.Unauthorized"), False, Verdict.WRONG_LOGIN, "StoreUnavailable"),
        (from_server(RATE_LIMIT), False, Verdict.WRONG_LOGIN, "StoreUnavailable"),
        (from_server("Neo.TransientError.Transaction.DeadlockDetected"), False, Verdict.AGAIN, "Broken"),
        (from_server("Neo.ClientError.Schema.ConstraintValidationFailed"), False, Verdict.TAKEN, "WriteConflict"),
        (from_server("Neo.ClientError.Schema.EquivalentSchemaRuleAlreadyExists"), False, Verdict.AGAIN, "Broken"),
        (from_server("Neo.ClientError.Transaction.InvalidBookmark"), False, Verdict.RECONNECT, "StoreUnavailable"),
        (from_server("Neo.ClientError.Database.DatabaseNotFound"), False, Verdict.BROKEN, "StoreUnavailable"),
        (from_server("Neo.ClientError.Transaction.TransactionTimedOut"), False, Verdict.BROKEN, "Broken"),
        (from_server("Neo.DatabaseError.Transaction.TransactionCommitFailed"), False, Verdict.BROKEN, "Broken"),
        (from_server("Neo.ClientError.Statement.SyntaxError"), False, Verdict.REFUSED, "Refused"),
        (from_server("Neo.ClientError.Statement.AccessMode"), False, Verdict.REFUSED, "Refused"),
        (
            from_server("Neo.ClientError.Statement.SemanticError", "Error executing Cypher command: CREATE (n)"),
            True,
            Verdict.AGAIN,
            "Broken",
        ),
        (
            from_server("Neo.ClientError.Statement.SemanticError", "Error executing Cypher command: CREATE (n)"),
            False,
            Verdict.REFUSED,
            "Refused",
        ),
    ],
)
def test_each_error_has_its_meaning_and_says_nothing_it_should_not(
    error: DriverTrouble, embedded: bool, verdict: Verdict, ours: str
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
