"""Whatever kind of talk a message is taken for, the facts in front of it are the same (T-7)."""

import re
from pathlib import Path

import pytest

from r_memory import Settings, open_memory
from r_memory.talk.kinds import Kind, KindClassifier
from tests.acceptance.conftest import begin

pytestmark = pytest.mark.anyio
CHANGING = re.compile(r"Checked \S+|[Rr]eceipt \S+")
"""When it was looked up, and under which number that was recorded."""


@pytest.mark.proves("T-7")
async def test_no_kind_of_talk_weakens_the_safety_block(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blocks: dict[str, list[str]] = {}
    begin(tmp_path / "data")
    settings = Settings(data_dir=tmp_path / "data", cache_dir=tmp_path / "cache")
    async with open_memory(settings) as memory:
        await memory.remember("I am severely allergic to penicillin.", subject="P1", subject_name="Pat Miller")
        for number in range(3):
            await memory.finish_turn(f"Turn {number}.", "Noted.", subject="P1", conversation_id="visit")
        for kind in (None, *Kind):
            if kind is not None:
                monkeypatch.setattr(KindClassifier, "kind_of", lambda _self, _text, kind=kind: kind)
            turn = await memory.build_turn(
                "Hi! I feel low. Order amoxicillin.",
                subject="P1",
                conversation_id="visit",
                profile="default" if kind is None else "by_kind",
            )
            blocks[kind or "none"] = [CHANGING.sub("", line) for line in turn.block.splitlines()]
    assert any("CRITICAL ALLERGY" in line for line in blocks["none"])
    assert blocks == dict.fromkeys(blocks, blocks["none"])
