"""Ten people's blocks, as files that somebody reads: short, ranked, and with every risk in them."""

import os
import re
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from statistics import median
from typing import Any

import pytest
import yaml

from r_memory.config.settings import Settings
from r_memory.domain.blocks import Recall
from r_memory.facts.facts import Facts
from r_memory.facts.recall.lines import speaks_for_risk
from r_memory.facts.recall.rendering import render, shortened
from r_memory.reading.reader import Reader
from r_memory.testing.clock import FixedClock
from r_memory.testing.dict_store import DictStore
from r_memory.text.inert import inert_name
from r_memory.wiring.language import open_reader

pytestmark = pytest.mark.anyio
FOLDER = Path(__file__).parents[3] / "golden" / "blocks"
PEOPLE: Mapping[str, Mapping[str, Any]] = yaml.safe_load((FOLDER / "people.yaml").read_text(encoding="utf-8"))
_LONGEST = 25
"""Lines of a block."""
_MEDIAN = 80
"""Words of a block, of ten people; 158 before it was shortened."""
_WORD = re.compile(r"\S*\w\S*")


@cache
def reader() -> Reader:
    """The shipped one; the oracle store runs no query of an action type's own."""
    shipped = open_reader(Settings())
    rows = {name: replace(row, traversal="") for name, row in shipped.table.intents.items()}
    return replace(shipped, table=replace(shipped.table, intents=rows))


async def recalled(person: Mapping[str, Any]) -> tuple[Recall, Facts]:
    """What is recalled of somebody, told over ten days and asked about on the next."""
    clock = FixedClock()
    facts = Facts(DictStore(), reader(), clock, new_id=lambda: "01JD")
    for words in person["said"]:
        clock.advance(86_400_000)
        await facts.remembering.remember(words, subject="P1", subject_name=person["name"], speaker="patient")
    return await facts.recalling.build_context(person["asked"], subject="P1"), facts


def findings_of(block: str) -> list[str]:
    """Each finding with what is indented below it."""
    return re.split(r"\n(?! )", block)


@pytest.mark.parametrize("key", PEOPLE)
async def test_a_block_is_the_one_that_was_read_and_is_short(key: str) -> None:
    recall, facts = await recalled(PEOPLE[key])
    block = render(recall)
    golden = FOLDER / f"{key}.txt"
    if os.environ.get("WRITE_GOLDEN"):
        golden.write_text(f"{block}\n", encoding="utf-8")
    assert block == golden.read_text(encoding="utf-8").rstrip("\n")
    assert len(render(recall, with_query=False).splitlines()) <= _LONGEST
    for fact in (await facts.lists.list_facts(subject="P1")).facts:
        if facts.reader.schema.relations[fact.relation].critical and speaks_for_risk(fact):
            assert any(
                inert_name(fact.object.name) in told and fact.status.value in told for told in findings_of(block)
            )


async def test_blocks_of_ten_people_are_short() -> None:
    words = []
    for person in PEOPLE.values():
        recall, _ = await recalled(person)
        words.append(len(_WORD.findall(render(recall, with_query=False))))
    assert len(words) == 10
    assert median(words) <= _MEDIAN


@pytest.mark.parametrize("key", PEOPLE)
async def test_the_shortest_form_holds_every_critical_fact_and_every_statement_that_waits(key: str) -> None:
    recall, _ = await recalled(PEOPLE[key])
    short = shortened(recall, 1)
    assert all(line.text in short for line in recall.lines if line.rank in {"critical", "unconfirmed"})
    assert short.count("NOT YET READ") == len(recall.pending)
    assert len(short) <= len(render(recall, with_query=False))
