"""Somebody else takes the port of a host that ended (found by attack: it was believed, and sent the password)."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from r_memory.store.bolt import Bolt, Endpoint
from r_memory.store.embedded import EmbeddedArcade
from r_memory.store.host_lock import Announcement, announced
from tests.faults.processes import Writer, Writers, writers
from tests.faults.stand_in import Manner, StandIn, stand_in
from tests.store.stores import LIBRARY, PATIENCE_S, hosted

pytestmark = pytest.mark.anyio
WORDS = "I am allergic to CANARYSTANDIN"
MANNERS: tuple[Manner, ...] = ("bolt", "another protocol", "rubbish", "closes", "silent")
COUNTED = "MATCH (event:FactEvent) RETURN count(event) AS events"


@dataclass(frozen=True, slots=True)
class Attached:
    """A server that is attached to a host of another process."""

    bolt: Bolt
    group: Writers
    there: Announcement

    async def asked(self) -> int:
        """How many events it reads, having said something."""
        [row] = await self.bolt.run(LIBRARY["read/health"], {"statuses": ["pending", WORDS]})
        assert row is not None
        return await self.events()

    async def events(self) -> int:
        """As it reads them in the way of people's queries."""
        table = await self.bolt.read_only(COUNTED, {"words": WORDS}, keep=lambda _: True, limit=1)
        [[events]] = table.rows
        assert isinstance(events, int)
        return events

    def learned(self, standing: StandIn) -> list[str]:
        """What the stand-in heard of what nobody but the host may be told."""
        secrets = (self.there.secret, self.there.reader_secret, WORDS)
        return [secret for secret in secrets if secret.encode() in standing.heard]


@pytest.fixture
def own(tmp_path: Path) -> Iterator[Endpoint]:
    """A database in which nobody has said anything."""
    with hosted(tmp_path / "own") as endpoint:
        yield endpoint


@asynccontextmanager
async def attached(folder: Path) -> AsyncIterator[Attached]:
    """Attached, with connections of both ways open, to a host that acknowledged five writes."""
    with writers(folder) as group:
        group.start()
        group.each_writes(5)
        there = announced(folder)
        assert there is not None
        bolt = Bolt(EmbeddedArcade(folder), limit_s=PATIENCE_S)
        server = Attached(bolt, group, there)
        try:
            assert await server.asked() >= 5
            yield server
        finally:
            await bolt.close()


def ended(group: Writers, host: Writer, how: str) -> None:
    """Ends the host, in order or not."""
    group.alive.remove(host)
    if how == "killed":
        host.kill()
    else:
        assert host.end() == 0


@pytest.mark.parametrize(("manner", "how"), [*((manner, "killed") for manner in MANNERS), ("bolt", "in order")])
async def test_a_stand_in_learns_nothing_and_the_other_server_takes_over(
    tmp_path: Path, own: Endpoint, manner: Manner, how: str
) -> None:
    async with attached(tmp_path / "store") as server:
        ended(server.group, server.group.host(), how)
        async with stand_in([server.there.port, server.there.proof_port], manner, own) as standing:
            assert await server.events() >= 5
            assert await server.asked() >= 5
            assert server.learned(standing) == []


@pytest.mark.parametrize("manner", MANNERS)
async def test_a_stand_in_is_not_taken_for_the_host_that_came_after(
    tmp_path: Path, own: Endpoint, manner: Manner
) -> None:
    """The lock is held then: by the next host, which listens at other ports and has other secrets."""
    async with attached(tmp_path / "store") as server:
        server.group.start()
        server.group.each_writes(5)
        host = server.group.host()
        server.group.take_over_from(host)
        async with stand_in([server.there.port, server.there.proof_port], manner, own) as standing:
            assert await server.asked() >= 5
            assert server.learned(standing) == []


@pytest.mark.parametrize("manner", MANNERS)
async def test_a_stand_in_whose_port_stands_in_the_note_is_not_believed_at_the_first_contact(
    tmp_path: Path, own: Endpoint, manner: Manner
) -> None:
    folder = tmp_path / "store"
    async with attached(folder) as server:
        ended(server.group, server.group.host(), "killed")
        async with stand_in([server.there.port, server.there.proof_port], manner, own) as standing:
            newcomer = Attached(Bolt(EmbeddedArcade(folder), limit_s=PATIENCE_S), server.group, server.there)
            try:
                assert await newcomer.asked() >= 5
            finally:
                await newcomer.bolt.close()
            assert server.learned(standing) == []
