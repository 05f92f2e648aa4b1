"""One space never sees another's words, in any tool, resource, prompt, query, command, error or log (rule 9).

`PROBES=10000` asks that often; without it some hundreds.
"""

import logging
import os
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial

import pytest
from mcp import Client

from r_memory.config.settings import Settings
from r_memory.serving.tools import surface
from r_memory.serving.tools.offer import Offer
from r_memory.space.integrity import Verification
from r_memory.wiring import open_memory
from tests.hazards.canaries import Prober, Space, answer_of, fill

pytestmark = pytest.mark.anyio
PROBES = int(os.environ.get("PROBES", "400"))
SEED = 13


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    return Settings(data_dir=tmp_path_factory.mktemp("spaces"), space="ours", read_timeout_s=240.0)


@asynccontextmanager
async def client_of(settings: Settings) -> AsyncIterator[Client]:
    """A client of a server of its own, in this process, with every tool."""
    offer = Offer(audit=True, hooks=True).of(settings)
    async with Client(surface.build(partial(open_memory, settings), offer), mode="auto") as client:
        yield client


async def verified(settings: Settings) -> Verification:
    async with open_memory(settings) as memory:
        return await memory.verify()


@pytest.mark.proves("Z10", "RM-20")
@pytest.mark.timeout(3600)
async def test_no_answer_error_or_line_of_the_log_holds_a_word_of_another_space(
    settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    own, other = Space(name="ours"), Space(name="theirs")
    for space in (other, own):
        async with client_of(replace(settings, space=space.name)) as client:
            await fill(client, space)
    before = await verified(replace(settings, space=other.name))
    caplog.set_level(logging.INFO)
    caplog.clear()

    leaks, answers = [], 0
    async with client_of(settings) as client, open_memory(settings) as memory:
        prober = Prober(own=own, other=other, chance=random.Random(SEED), audits=tuple(memory.space.audits))
        for probe in prober.probes(PROBES):
            told = await answer_of(client, probe)
            answers += bool(own.found_in(told))
            said = told + "".join(record.getMessage() + str(record.__dict__) for record in caplog.records)
            leaks += [(probe[0], word) for word in other.found_in(said)]
            caplog.clear()

    assert leaks == []
    assert answers > PROBES // 10  # or nothing was asked in such a way that something could be found
    assert await verified(replace(settings, space=other.name)) == before
