"""What `doctor` asks the store: whether it answers, which version it is, and which schema prepared it.

It looks without preparing anything, so that what the last start left is still to be seen.
"""

import re
from collections.abc import Iterator

from r_memory.cli.checkups import Finding
from r_memory.cli.printing import counted
from r_memory.config.loading import Loaded, load_domain
from r_memory.config.settings import Settings
from r_memory.domain.events import EpisodeStatus
from r_memory.errors import ConfigurationError, StoreError
from r_memory.protocols import StoreHealth, unhurried
from r_memory.space.integrity import Verification, verify_space
from r_memory.wiring import open_store

OLDEST_NEO4J = (5, 26)
_VERSION = re.compile(r"Neo4j (\d+)\.(\d+)")


async def store_findings(settings: Settings) -> tuple[Finding, ...]:
    """What the store says of itself; nothing for an embedded store that nobody has made yet."""
    if settings.embedded and not settings.store_dir.is_dir():
        return ()
    try:
        health, unread = await _health(settings)
        domain = load_domain(settings.files, settings.schema)
        found = await _verified(settings, domain)
    except (StoreError, ConfigurationError) as error:
        return (_down(error),)
    checks = (
        _answers(health),
        _version(health),
        _prepared(health, domain),
        _whole(found),
        _waiting(health),
        _for_the_model(unread),
    )
    return tuple(finding for check in checks for finding in check)


async def _health(settings: Settings) -> tuple[StoreHealth, int]:
    """How the store is, and how many statements of the space a model is still to read."""
    async with open_store(settings) as store:
        health = await store.health()
        unread = await store.open_episodes(settings.space)
        return health, sum(episode.status is EpisodeStatus.RETRY for episode in unread)


async def _verified(settings: Settings, domain: Loaded) -> Verification | None:
    """What `verify` finds; `None` where the next start prepares the store first."""
    async with open_store(settings) as store:
        if not await store.is_prepared(domain.schema):
            return None
        with unhurried():
            return await verify_space(store, domain.schema, domain.knowledge, settings.space)


def _whole(found: Verification | None) -> Iterator[Finding]:
    """Whether everything in the space is as it was recorded, which also tells of damaged files."""
    if found is not None and found.whole:
        yield Finding(check="record", level="fine", what=f"{counted(found.records, 'record')} as they were recorded")
    elif found is not None:
        first = found.differences[0]
        yield Finding(
            check="record",
            level="trouble",
            what=f"{counted(len(found.differences), 'difference')} from what was recorded, first at {first.where}",
            why="a file was damaged, or somebody changed the database by hand; what is shown may be wrong",
            remedy="run `r-memory verify`, which says of each whether to rebuild or to restore",
        )


def _down(error: StoreError | ConfigurationError) -> Finding:
    what, _, remedy = str(error).partition("; ")
    return Finding(
        check="store",
        level="trouble",
        what=what,
        why="nothing can be remembered, and every answer says SAFETY MEMORY UNAVAILABLE",
        remedy=remedy or "look at the store's own log",
        store_down=True,
    )


def _answers(health: StoreHealth) -> Iterator[Finding]:
    yield Finding(check="store", level="fine", what=f"{health.name} answers in {health.latency_ms:.1f} ms")


def _version(health: StoreHealth) -> Iterator[Finding]:
    found = _VERSION.match(health.name)
    if found and (int(found[1]), int(found[2])) < OLDEST_NEO4J:
        oldest = ".".join(map(str, OLDEST_NEO4J))
        yield Finding(
            check="version",
            level="trouble",
            what=f"{health.name} is older than {oldest}",
            why="r-memory is tested from that version on; older ones may refuse its queries",
            remedy=f"upgrade the server to Neo4j {oldest} or newer, or leave R_MEMORY_STORE_URI unset",
        )


def _prepared(health: StoreHealth, domain: Loaded) -> Iterator[Finding]:
    """Schema and knowledge pack of the files against those that the store was prepared with."""
    both = (
        ("schema", health.schema_version, domain.schema.version),
        ("knowledge pack", health.pack_version, domain.knowledge.version),
    )
    for name, stored, loaded in both:
        if stored == loaded:
            yield Finding(check=name, level="fine", what=f"the store was prepared with the present {name} ({loaded})")
        elif not stored:
            yield Finding(
                check=name,
                level="note",
                what=f"the store was never prepared with a {name}",
                why="it is new, or its first start broke off",
                remedy="nothing; the next start prepares it",
            )
        else:
            yield Finding(
                check=name,
                level="note",
                what=f"the store was prepared with {name} {stored}, the files are {loaded}",
                why="the files were edited, or another installation with other files uses the same store",
                remedy="nothing if you edited them: the next start prepares the store again; "
                "otherwise use the same files (--home) everywhere",
            )


def _waiting(health: StoreHealth) -> Iterator[Finding]:
    if health.pending:
        yield Finding(
            check="statements",
            level="note",
            what=f"{counted(health.pending, 'statement')} gave no fact yet",
            why="their words are shown as they are with every answer about the same subject",
            remedy="run `r-memory audit pending_statements` and let a person look at them",
        )


def _for_the_model(unread: int) -> Iterator[Finding]:
    if unread:
        yield Finding(
            check="model",
            level="note",
            what=f"{counted(unread, 'statement')} could not be read by the model and wait for it",
            why="what the offline routes read in them is stored; what only a model would read is not",
            remedy="nothing while the model answers: a running server tries again; a start without the route `model` "
            "lets them go",
        )
