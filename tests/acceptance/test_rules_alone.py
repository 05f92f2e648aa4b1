"""Where the taught reader is missing, whoever tells something learns it from every answer."""

from pathlib import Path

import pytest

from r_memory import Settings, open_memory, wiring
from r_memory.reading.taught.weights import Absent
from r_memory.wiring import language
from tests.acceptance.conftest import begin

pytestmark = pytest.mark.anyio


async def test_every_write_says_when_the_rules_read_alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    # Made anew: the one that tests share has its weights.
    monkeypatch.setattr(wiring, "open_reader", language.open_reader)
    monkeypatch.setattr(language, "find_weights", lambda _folder: Absent(reason="its weights are not installed"))
    begin(tmp_path)
    async with open_memory(Settings(data_dir=tmp_path)) as memory:
        told = await memory.remember("I am allergic to latex.", subject="JD001", subject_name="John Doe")
    assert [taken.alone for taken in told.routes] == ["its weights are not installed"]
    assert [fact.object.id for fact in told.facts] == ["latex"]
