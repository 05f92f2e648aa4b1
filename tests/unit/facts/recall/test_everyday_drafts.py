"""A check of everyday talk stays calm: what is no substance, device, procedure or food names nothing."""

from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
import yaml

from r_memory.config.settings import Settings
from r_memory.facts.facts import Facts
from r_memory.reading.reader import Reader
from r_memory.testing.clock import FixedClock
from r_memory.testing.dict_store import DictStore
from r_memory.wiring.language import open_reader

pytestmark = pytest.mark.anyio
SETS = Path(__file__).parents[4] / "evals" / "sets" / "drafts-everyday"
_MOST = 0.08
"""Share of the harmless drafts of which a check may be more than calm (issue 28)."""


@cache
def reader() -> Reader:
    """The shipped one; the oracle store runs no query of an action type's own."""
    shipped = open_reader(Settings())
    rows = {name: replace(row, traversal="") for name, row in shipped.table.intents.items()}
    return replace(shipped, table=replace(shipped.table, intents=rows))


@pytest.mark.parametrize("name", ["first", "second", "third"])
async def test_a_check_is_calm_over_everyday_talk(name: str) -> None:
    rows = yaml.safe_load((SETS / f"{name}.yaml").read_text(encoding="utf-8"))["drafts"]
    facts = Facts(DictStore(), reader(), FixedClock())
    people = {said: f"P{number}" for number, said in enumerate(sorted({row["said"] for row in rows}))}
    for said, person in people.items():
        await facts.remembering.remember(said, subject=person, subject_name=f"Zed {person}")

    verdicts = [(await facts.recalling.check_text(row["draft"], subject=people[row["said"]])).verdict for row in rows]

    assert "conflict" not in verdicts
    assert sum(verdict != "nothing_found" for verdict in verdicts) <= _MOST * len(verdicts)
