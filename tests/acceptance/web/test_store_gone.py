"""The store goes away while a page is open: each page says so and what to do, and nothing counts as decided."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from r_memory import wiring
from r_memory.config.settings import Settings
from r_memory.store.bolt import Endpoint, FixedEndpoint
from r_memory.wiring import open_memory
from tests.acceptance.web.site import browsing
from tests.acceptance.web.test_pages import told
from tests.store.stores import hosted

pytestmark = pytest.mark.anyio
PAGES = (
    "/",
    "/person?id=P1",
    "/reconcile?id=P1",
    "/timeline?id=P1",
    "/graph?id=P1",
    "/receipts?id=P1",
    "/review",
    "/review?id=P1",
)


@dataclass(slots=True)
class Wire:
    """The way to a database, which can be cut."""

    there: Endpoint
    port: int = 0
    is_cut: bool = False
    _callers: list[asyncio.StreamWriter] = field(default_factory=list)
    _carried: set[asyncio.Task[None]] = field(default_factory=set)

    async def carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """What one caller says, and what it is answered."""
        self._callers.append(writer)
        if (task := asyncio.current_task()) is not None:
            self._carried.add(task)
        if self.is_cut:
            writer.close()
            return
        to = urlsplit(self.there.uri)
        back, forth = await asyncio.open_connection(to.hostname, to.port)
        self._callers.append(forth)
        await asyncio.gather(_copied(reader, forth), _copied(back, writer))

    def cut(self) -> None:
        self.is_cut = True
        for caller in self._callers:
            caller.close()

    async def ended(self) -> None:
        """Nothing is carried any more, and every socket is closed."""
        self.cut()
        await asyncio.gather(*self._carried, return_exceptions=True)
        await asyncio.gather(*(caller.wait_closed() for caller in self._callers), return_exceptions=True)


async def _copied(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while data := await reader.read(65_536):
            writer.write(data)
    writer.close()


@asynccontextmanager
async def wired(there: Endpoint) -> AsyncIterator[Wire]:
    wire = Wire(there)
    server = await asyncio.start_server(wire.carry, "127.0.0.1", 0)
    wire.port = server.sockets[0].getsockname()[1]
    async with server:
        try:
            yield wire
        finally:
            await wire.ended()


@pytest.fixture
def there(tmp_path: Path) -> Iterator[Endpoint]:
    with hosted(tmp_path / "store") as endpoint:
        yield endpoint


async def test_pages_say_that_the_store_is_gone_and_nothing_counts_as_decided(
    there: Endpoint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # What lies behind an address is Neo4j as a rule; here it is the embedded store's own database.
    monkeypatch.setattr(wiring, "FixedEndpoint", lambda told: FixedEndpoint(replace(told, engine=there.engine)))
    async with wired(there) as wire:
        settings = Settings(
            data_dir=tmp_path,
            store_uri=f"bolt://127.0.0.1:{wire.port}",
            store_user=there.user,
            store_password=there.password,
            read_timeout_s=60.0,
        )
        async with open_memory(settings) as memory, browsing(memory, settings) as browser:
            await browser.enter()
            fact = await told(memory, "P1")
            page = await browser.see("/fact", id=fact)
            assert 'name="sign"' in page
            wire.cut()
            for path in PAGES:
                answer = await browser.http.get(path)
                assert (answer.status_code, "SAFETY MEMORY UNAVAILABLE" in answer.text) == (503, True), path
                assert memory.schema.unavailable in answer.text, path
            sign = page.partition('name="sign" value="')[2][:64]
            decided = await browser.send("/decide", sign=sign, kind="fact", id=fact, key="g", reason="gone", sure="1")
            assert (decided.status_code, "Recorded" in decided.text) == (503, False)
            assert "does not answer" in await browser.see("/health")
            wire.is_cut = False
            assert len(await memory.history(fact)) == 1
            assert "Penicillin" in await browser.see("/person", id="P1")
