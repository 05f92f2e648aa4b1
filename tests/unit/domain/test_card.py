"""The page of a domain that callers and models read."""

import re
from dataclasses import replace

import pytest

from r_memory.config.files import Files
from r_memory.config.loading import load_domain
from r_memory.domain.card import LONGEST, card
from r_memory.serving.tools.offer import CARD

DOMAINS = sorted(
    name.removeprefix("schema/").removesuffix(".yaml")
    for name in Files().listing("schema", ".yaml")
    if name.count("/") == 1
)


@pytest.mark.parametrize("name", DOMAINS)
def test_each_shipped_card_is_short_and_tells_what_belongs_in_every_relation(name: str) -> None:
    schema = load_domain(Files(), name).schema
    page = card(schema)
    assert len(page) <= LONGEST
    assert [name for name in schema.relations if name not in page] == []
    assert {name for relation in schema.relations.values() for name in relation.attrs if name not in page} == set()


@pytest.mark.parametrize("name", ["clinical", "law", "finance"])
def test_what_belongs_in_each_critical_relation_is_told_in_the_description_of_the_tool(name: str) -> None:
    schema = load_domain(Files(), name).schema
    page = card(schema, most=CARD)
    first = {name: re.split(r"[.;:]", schema.relations[name].belongs)[0] for name in schema.critical}
    assert [name for name, told in first.items() if told not in page] == []
    assert re.split(r"[.;]", schema.relations[schema.critical[0]].belongs)[1] in page


@pytest.mark.parametrize("name", DOMAINS)
def test_each_card_tells_statuses_scopes_relatives_and_what_states_nothing(name: str) -> None:
    schema = load_domain(Files(), name).schema
    page = card(schema)
    for status in ("active", "unconfirmed", "negated = never was", "refuted = was believed", "resolved = was, is over"):
        assert status in page
    assert [scope for scope in schema.scopes if scope not in page] == []
    assert "A relative's own" in page
    assert "State nothing: questions" in page


def test_where_there_is_no_room_the_least_needed_goes_first() -> None:
    schema = load_domain(Files(), "clinical").schema
    whole, short = card(schema, most=9_999), card(schema, most=1_700)
    assert len(short) <= 1_700 < len(whole)
    takes = schema.relations["TAKES"].belongs
    assert takes in whole
    assert takes not in short
    assert re.split(r"[.;]", schema.relations["HAS_ALLERGY_TO"].belongs)[0] in short


def test_a_schema_that_is_too_long_in_any_case_says_where_the_rest_stands() -> None:
    schema = load_domain(Files(), "clinical").schema
    allergy = schema.relations["HAS_ALLERGY_TO"]
    many = {f"RELATION_{number}": replace(allergy, name=f"RELATION_{number}") for number in range(200)}
    page = card(replace(schema, relations={**schema.relations, **many}))
    assert len(page) <= LONGEST
    assert "Others: call memory_describe." in page
