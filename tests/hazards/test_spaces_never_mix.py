"""One space never sees another's words, in any tool, resource, prompt, query, command, error or log (rule 9).

`PROBES=10000` asks that often; without it some hundreds.
"""

import asyncio
import logging
import os
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial

import pytest
from mcp import Client

from r_memory.cli.app import run
from r_memory.config.settings import Settings
from r_memory.errors import RMemoryError
from r_memory.serving.tools import surface
from r_memory.serving.tools.offer import Offer
from r_memory.space.integrity import Verification
from r_memory.store.bolt import Bolt
from r_memory.store.embedded import EmbeddedArcade
from r_memory.wiring import open_memory
from tests.acceptance.conftest import begin
from tests.hazards.canaries import Prober, Space, answer_of, commands, fill
from tests.store.stores import LIBRARY

PROBES = int(os.environ.get("PROBES", "250"))
SEED = 13


@dataclass(frozen=True, kw_only=True)
class Shared:
    """A store that two spaces share."""

    settings: Settings
    """Of the space that asks."""
    own: Space
    other: Space

    @property
    def of_the_other(self) -> Settings:
        return replace(self.settings, space=self.other.name)

    def prober(self) -> Prober:
        return Prober(own=self.own, other=self.other, chance=random.Random(SEED))


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Shared:
    folder = tmp_path_factory.mktemp("spaces")
    begin(folder)
    own, other = Space(name="ours"), Space(name="theirs")
    made = Shared(settings=Settings(data_dir=folder, space=own.name, read_timeout_s=240.0), own=own, other=other)
    asyncio.run(_filled(made))
    return made


async def _filled(shared: Shared) -> None:
    for settings, space in ((shared.of_the_other, shared.other), (shared.settings, shared.own)):
        async with client_of(settings) as client:
            await fill(client, space)


@asynccontextmanager
async def client_of(settings: Settings) -> AsyncIterator[Client]:
    """A client of a server of its own, in this process, with every tool."""
    offer = Offer(audit=True, hooks=True).of(settings)
    async with Client(surface.build(partial(open_memory, settings), offer), mode="auto") as client:
        yield client


async def verified(settings: Settings) -> Verification:
    async with open_memory(settings) as memory:
        return await memory.verify()


@pytest.mark.anyio
@pytest.mark.proves("Z10", "RM-20")
@pytest.mark.timeout(3600)
async def test_no_answer_error_or_line_of_the_log_holds_a_word_of_another_space(
    shared: Shared, caplog: pytest.LogCaptureFixture
) -> None:
    before = await verified(shared.of_the_other)
    caplog.set_level(logging.INFO)
    caplog.clear()

    leaks, answers = [], 0
    async with client_of(shared.settings) as client:
        for probe in shared.prober().probes(PROBES):
            told = await answer_of(client, probe)
            answers += bool(shared.own.found_in(told))
            said = told + "".join(record.getMessage() + str(record.__dict__) for record in caplog.records)
            leaks += [(probe[0], word) for word in shared.other.found_in(said)]
            caplog.clear()

    assert leaks == []
    assert answers > PROBES // 10  # or nothing was asked in such a way that something could be found
    assert await verified(shared.of_the_other) == before


@pytest.mark.anyio
@pytest.mark.proves("Z10")
async def test_no_query_that_is_told_its_space_gives_a_word_of_another(shared: Shared) -> None:
    """Whatever else it is told: ids, keys and conversations of the other."""
    bolt, prober = Bolt(EmbeddedArcade(shared.settings.data_dir / "store"), limit_s=240.0), shared.prober()
    queries = [item for item in LIBRARY.values() if item.mode == "read" and "space" in item.parameters]
    leaks, answers = [], 0
    for query in queries:
        text = query.with_types("FACT", ("HAS_ALLERGY_TO", "TAKES")) if "FACT" in query.names else query
        for asked in range(max(3, PROBES // 200)):
            given = prober.parameters(query.parameters, asked)
            try:
                told = str(await bolt.run(text, given))
            except RMemoryError as error:
                told = str(error)
            answers += bool(shared.own.found_in(told))
            leaks += [(query.path, given, word) for word in shared.other.found_in(told)]
    await bolt.close()

    assert leaks == []
    assert answers > len(queries) // 2


@pytest.mark.proves("Z10")
@pytest.mark.timeout(3600)
def test_no_command_gives_a_word_of_another_space(
    shared: Shared, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("R_MEMORY_DATA_DIR", str(shared.settings.data_dir))
    monkeypatch.setenv("R_MEMORY_SPACE", shared.own.name)
    leaks, answers = [], 0
    for command in commands(shared.other, often=PROBES // 1000):
        run(command)
        captured = capfd.readouterr()
        answers += bool(shared.own.found_in(captured.out))
        leaks += [(command, word) for word in shared.other.found_in(captured.out + captured.err)]

    assert leaks == []
    assert answers > 0
