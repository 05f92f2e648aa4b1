"""Our own probes, sixty a language, written as the paper's: the evidence stands among the first three."""

import itertools
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from r_memory.providers.wordllama import WordLlamaEmbedder
from r_memory.talk.stream.stream import Stream
from r_memory.testing.clock import FixedClock
from r_memory.testing.dict_stream import DictStream
from r_memory_lab.evals import scm

pytestmark = pytest.mark.anyio
PROBES = scm.rows(Path(__file__).parents[4] / "evals" / "sets" / "probes")


@pytest.mark.parametrize(("language", "least"), [("en", 0.95), ("zh", 0.85)])
async def test_what_was_said_is_among_the_first_three(language: str, least: float) -> None:
    own = [probe for probe in PROBES if probe.lang == language]
    assert len(own) >= 60
    numbers = itertools.count()
    stream = Stream(
        space="probes",
        store=DictStream(),
        embedder=WordLlamaEmbedder(),
        clock=FixedClock(),
        new_id=lambda: f"item-{next(numbers)}",
    )
    memory: Any = SimpleNamespace(talk=SimpleNamespace(stream=stream))
    figures = {one.name: one.value for one in scm.outcome(own, await scm.run(memory, own, lambda: None)).figures}
    (found,) = (value for name, value in figures.items() if name.endswith("recall@3"))
    assert found >= least
