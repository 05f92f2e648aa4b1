"""Details that a caller gives with a fact: none of them is lost, and every line can be read by a person."""

from collections.abc import AsyncIterator

import pytest

from r_memory import Memory, Settings, open_memory
from r_memory.facts.recall.rendering import render
from r_memory.facts.remember.results import Claim
from tests.acceptance.conftest import begin

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
async def memory(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Memory]:
    folder = tmp_path_factory.mktemp("details")
    begin(folder, "personal")
    async with open_memory(Settings(data_dir=folder, schema="personal")) as opened:
        yield opened


async def test_a_detail_that_the_relation_has_no_attribute_for_is_kept_as_it_was_said_and_shown(memory: Memory) -> None:
    words = "Lena is vegan except honey, since a visit to a farm."
    claim = Claim(
        relation="KEEPS_DIET",
        object="vegan",
        evidence=words,
        attrs={"except": "honey", "because": "a visit to a farm", "brand": "never mentioned"},
    )
    told = await memory.remember(words, subject="lena", subject_name="Lena Holm", claims=[claim])
    [result] = (item for item in told.results if item.given)
    assert result.fact is not None
    assert result.fact.attrs["said"] == "except: honey; because: a visit to a farm"
    assert "left out brand" in result.reason
    block = render(await memory.build_context("What can I bake for Lena?", subject="lena"))
    assert "(except: honey; because: a visit to a farm)" in block


async def test_an_age_is_an_age_whatever_object_is_given(memory: Memory) -> None:
    for given, subject in (("68", "otto"), ("age", "uwe")):
        words = "Turned 68, he did, last week."
        claim = Claim(relation="HAS_AGE", object=given, evidence=words, attrs={"value": 68})
        told = await memory.remember(words, subject=subject, subject_name=f"{subject.title()} Falk", claims=[claim])
        assert [(fact.object.name, fact.attrs["value"]) for fact in told.facts] == [("Age", 68)]


async def test_a_thing_keeps_the_bracket_that_belongs_to_it(memory: Memory) -> None:
    words = "Call me by my first name (Kim)."
    claim = Claim(relation="INSTRUCTS", object="Call me by my first name (Kim)", evidence=words)
    told = await memory.remember(words, subject="kim", subject_name="Kim Sand", claims=[claim])
    assert "Call me by my first name (Kim)" in [fact.object.name for fact in told.facts]


async def test_a_result_that_was_disproved_is_shown_with_its_value(memory: Memory) -> None:
    words = "Ferritin 12 was wrong, the lab mixed up the tubes."
    claim = Claim(relation="HAS_MEASUREMENT", object="Ferritin", evidence=words, status="refuted", attrs={"value": 12})
    await memory.remember(words, subject="ida", subject_name="Ida Kern", claims=[claim])
    lines = [line.text for line in (await memory.build_context("Check her ferritin.", subject="ida")).lines]
    assert any("Ferritin" in line and "12" in line for line in lines), lines


@pytest.mark.parametrize(
    ("measured", "words", "value"),
    [
        ("Blood pressure", "Pressure this morning 162/94, sitting.", "162/94"),
        ("Blood group", "Bloods are back: B negative.", "B negative"),
        ("Visual acuity", "Acuity 6/36 on the left.", "6/36"),
        ("Urine dip", "Dip: protein 3+.", "protein 3+"),
    ],
)
async def test_a_value_that_is_no_number_is_the_result(memory: Memory, measured: str, words: str, value: str) -> None:
    claim = Claim(relation="HAS_MEASUREMENT", object=measured, evidence=words.rstrip("."), attrs={"value": value})
    who = measured.casefold().replace(" ", "-")
    told = await memory.remember(words, subject=who, subject_name=f"Jo {measured}", claims=[claim])
    assert [fact.attrs["result"] for fact in told.facts] == [value], told.results
    block = render(await memory.build_context(f"What is the latest {measured.casefold()}?", subject=who))
    assert value in block, block


async def test_a_note_of_which_a_part_is_told_anew_is_not_ended(memory: Memory) -> None:
    old = "The sweep comes on Monday and the ladder is behind the shed"
    new = "the sweep comes on Thursday"
    for words, corrects in ((old, ""), (f"No, {new}.", old.split(" and ", maxsplit=1)[0])):
        claim = Claim(relation="HAS_NOTE", object=words, evidence=words.removeprefix("No, "), corrects=corrects)
        await memory.remember(words, subject="nia", subject_name="Nia Ward", claims=[claim])
    block = render(await memory.build_context("Where is the ladder, and when does the sweep come?", subject="nia"))
    assert block.index("Thursday") < block.index("behind the shed"), block
    assert "DISPUTED" in block
