"""What becomes of a store that was written before r-memory kept logs: the real command, on each store."""

import asyncio
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from r_memory.cli.app import Exit
from r_memory.store.bolt import Endpoint, FixedEndpoint
from tests.acceptance.conftest import Installation
from tests.acceptance.shell import Shell
from tests.store.stores import database_at, hosted

JOHN = ("--subject", "JD001")
AN_EARLIER_VERSION = (
    "MATCH (entry:Entry {space: $space}) DELETE entry",
    "MATCH (log:Log {space: $space}) DELETE log",
    "MATCH (p:Patient {space: $space}) REMOVE p.held, p.awaiting, p.entry, p.salt, p.log_id, p.log_size, p.log_sum",
    "MATCH (e:FactEvent) WHERE e.space = $space REMOVE e.entry, e.salt, e.object_name",
    "MATCH (e:Episode) WHERE e.space = $space REMOVE e.entry, e.salt, e.settled_entry, e.settled_salt",
    "MATCH (r:Recall) WHERE r.space = $space REMOVE r.entry, r.salt",
    "MATCH (p:Patient {space: $space})-[fact]->(o:Entity) REMOVE fact.digest",
    "MATCH (schema:SchemaVersion) SET schema.setup = 'of an earlier version'",
)
EVERYTHING = (
    "MATCH (n) WHERE n.space = $space OR n:SchemaVersion RETURN labels(n) AS kind, properties(n) AS stored",
    "MATCH (n {space: $space})-[r]->(o) RETURN type(r) AS kind, properties(r) AS stored, o.uid AS to",
)


def test_a_store_that_was_written_before_there_were_logs_is_refused_and_left_as_it_is(
    installation: Installation,
) -> None:
    shell = Shell(installation=installation)
    shell.json("remember", "I am severely allergic to Penicillin.", *JOHN, "--subject-name", "John Doe")
    with aged(installation):
        before = by_hand(installation, *EVERYTHING)
        for arguments in (
            ["facts", *JOHN],
            ["recall", "Prescribe amoxicillin.", *JOHN],
            ["remember", "I take warfarin.", *JOHN],
            ["doctor"],
        ):
            done = shell.run(*arguments)
            assert done.returncode == Exit.UNAVAILABLE, arguments
            said = " ".join((done.stdout + done.stderr).split())
            assert "written by a version of r-memory that kept no log" in said, arguments
            assert "`r-memory export`" in said, arguments
            assert "`r-memory import`" in said, arguments
        assert by_hand(installation, *EVERYTHING) == before


@contextmanager
def aged(installation: Installation) -> Iterator[None]:
    """What the installation's space holds lies there meanwhile as a version without logs left it."""
    by_hand(installation, *AN_EARLIER_VERSION)
    try:
        yield
    finally:
        by_hand(installation, "MATCH (n {space: $space}) DETACH DELETE n")


def by_hand(installation: Installation, *texts: str) -> list[list[str]]:
    """Rows of each query, run by somebody with a console."""
    settings = installation.settings
    with ExitStack() as meanwhile:
        if "store_uri" in settings:
            login = (settings["store_uri"], settings["store_user"], settings["store_password"])
            endpoint = Endpoint(uri=login[0], user=login[1], password=login[2])
        else:
            endpoint = meanwhile.enter_context(hosted(Path(settings["data_dir"]) / "store"))

        async def run() -> list[list[str]]:
            async with database_at(FixedEndpoint(endpoint), endpoint) as database:
                return [sorted(map(str, await database.run(text, space=settings["space"]))) for text in texts]

        return asyncio.run(run())
