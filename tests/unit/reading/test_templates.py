"""The template language: what each part of a template matches, and what it does not."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from r_memory.domain.schema import Phrasing, Schema
from r_memory.protocols import Utterance
from r_memory.reading.extractor import RuleExtractor
from r_memory.reading.linking import Gazetteer
from tests.unit.reading.readers import JOHN

Found = Callable[[str, str], list[str]]


@pytest.fixture
def found(schema: Schema, gazetteer: Gazetteer) -> Found:
    """Objects that a text gives under a schema whose only wording is one template."""

    def finds(template: str, text: str) -> list[str]:
        relation = replace(
            schema.relations["HAS_ALLERGY_TO"], phrasing=Phrasing(templates=(template,)), suppressed_by=()
        )
        only = replace(
            schema, relations={"HAS_ALLERGY_TO": relation}, reclassify=(), family=None, bridging=None, comention=None
        )
        extraction = RuleExtractor(only, gazetteer).extract(Utterance(text=text, subject=JOHN))
        return [proposal.object for proposal in extraction.proposals]

    return finds


@pytest.mark.parametrize(
    ("template", "text", "expected"),
    [
        ("shuns {object}", "She shuns latex.", ["latex"]),
        ("shuns {object}", "She shuns latex and eggs.", ["latex"]),
        ("shuns {object+}", "She shuns latex and eggs.", ["latex", "egg"]),
        ("shuns {object+}", "She shuns latex, eggs or tape.", ["latex", "egg", "tape"]),
        ("shuns {object+}", "She shuns the latex (gloves) and her eggs.", ["latex", "egg"]),
        ("shuns {object:Food}", "She shuns latex.", []),
        ("shuns {object:Food}", "She shuns eggs.", ["egg"]),
        ("shuns {object:egg}", "She shuns eggs.", ["egg"]),
        ("shuns {object:egg}", "She shuns latex.", []),
        ("shuns {object}", "She shuns zyloflurane.", ["zyloflurane"]),
        ("shuns {object:Food}", "She shuns zyloflurane.", []),
        ("~ shuns {object}", "She shuns zyloflurane.", []),
        ("shuns {object}", "She shuns pennicilin.", ["penicillin"]),
        ("~ shuns {object}", "She shuns pennicilin.", []),
        ("shuns {object}", "She shuns everything.", []),
        ("shuns ..2 {object}", "She shuns all forms latex.", ["latex"]),
        ("shuns ..2 {object:Material}", "She shuns every last bit of latex.", []),
        ("(shuns|keeps off) {object}", "She keeps off latex.", ["latex"]),
        ("(really)? shuns {object}", "She shuns latex.", ["latex"]),
        ("(really)? shuns {object}", "She really shuns latex.", ["latex"]),
        ("^ shuns {object}", "Today, shuns latex.", ["latex"]),
        ("^ shuns {object}", "She shuns latex.", []),
        ("shuns {object} $", "She shuns latex.", ["latex"]),
        ("shuns {object} $", "She shuns latex today.", []),
        ("can not bear {object}", "She can't bear latex.", ["latex"]),
        ("{object+} bothers her", "Latex and eggs bothers her.", ["latex", "egg"]),
        ("{object} ..3 gave {reaction}", "Latex it gave hives.", ["latex"]),
    ],
)
def test_template_matches_what_it_says(found: Found, template: str, text: str, expected: list[str]) -> None:
    assert sorted(found(template, text)) == sorted(expected)
