"""Where the database is and how to talk to it over Bolt: the only importer of the Neo4j driver."""

from dataclasses import dataclass, field
from typing import Literal, Protocol

Engine = Literal["neo4j", "arcadedb"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """One address with what opens it. Secrets do not show in its `repr`."""

    uri: str
    user: str
    password: str = field(repr=False)
    database: str | None = None
    """`None` is the server's default database."""
    engine: Engine = "neo4j"
    """Which file of `cypher/setup` applies."""
    reader_user: str = ""
    """A login that the server itself confines to reading, used for people's queries; empty: none."""
    reader_password: str = field(default="", repr=False)


class EndpointSource(Protocol):
    """Knows where the database is now."""

    async def endpoint(self, *, refresh: bool) -> Endpoint:
        """The present address; with `refresh`, the one given last did not answer or was refused: look again.

        Called from one task at a time. May host the database itself and then returns when it answers.

        Raises:
            StoreUnavailable: there is none and none can be started.
        """

    async def close(self) -> None:
        """Releases what the source holds, the hosted database included; harmless if called twice."""
