"""Only a text that may deny a whole kind is read for what it denies, and no wording of such a denial is passed over."""

from collections.abc import Iterator
from itertools import product

import pytest

from r_memory.config.files import Files
from r_memory.config.schema_file import load_schema
from r_memory.domain.schema import Schema
from r_memory.reading.kind_denials import KindDenials
from r_memory.reading.rules.templates import Compiler, Literal, Template
from r_memory.text.cutting import words_of

SCHEMAS = ["clinical", "law", "finance", "personal"]
AFTER, BEFORE = "She asked about it on Monday. ", " Come back on Friday."


def load(name: str) -> Schema:
    return load_schema(Files(), name)


def spoken(template: Template) -> Iterator[str]:
    """Yields the template in each of its words, the others of a phrase left out."""
    phrases = [element.options for element in template.elements if isinstance(element, Literal)]
    most = max(map(len, phrases), default=0)
    for number in range(most):
        yield " ".join(" ".join(options[number % len(options)]) for options in phrases)


@pytest.mark.parametrize("name", SCHEMAS)
def test_every_wording_of_a_whole_kind_may_deny_it(name: str) -> None:
    schema = load(name)
    denials, compiler = KindDenials(schema), Compiler(schema, words_of)
    passed = [
        text
        for relation in schema.relations.values()
        for texts in relation.phrasing.none_templates.values()
        for wording, (front, end) in product(texts, [("", ""), (AFTER, BEFORE)])
        for words in spoken(compiler.template(relation, wording))
        if not denials.may_deny(text := f"{front}Not {words}.{end}", {relation.name})
    ]
    short = [
        text
        for relation in schema.relations.values()
        for texts in relation.phrasing.none.values()
        for text in texts
        if not denials.may_deny(text.upper(), {relation.name})
    ]

    assert [*passed, *short] == []


@pytest.mark.parametrize(
    "text",
    [
        "There are no drug allergies on file.",
        "As far as I can see she isn't allergic to anything.",
        "Her chart: allergies - none known.",
        "No alergies of any kind.",
        "He has never had an allergic reaction to any medicine.",
        "NKDA, so amoxicillin it is.",
        "I checked twice.\nAllergies: none.\nThe rest can wait.",
        "Without any food allergies, she can eat what she likes.",
    ],
)
def test_a_draft_that_denies_a_kind_is_read(schema: Schema, text: str) -> None:
    assert KindDenials(schema).may_deny(text, {"HAS_ALLERGY_TO", "HAS_IMPLANTS"})


@pytest.mark.parametrize(
    "text",
    [
        "Ring me if it has not settled by the weekend.",
        "Never drive while you feel dizzy.",
        "You need no appointment, just walk in.",
        "Don't worry, it is nothing unusual at her age.",
        "Keep the leg up, without a cushion under the knee.",
        "",
    ],
)
def test_a_draft_that_names_no_kind_is_not_read(schema: Schema, text: str) -> None:
    assert not KindDenials(schema).may_deny(text, {"HAS_ALLERGY_TO", "HAS_INTOLERANCE_TO", "HAS_IMPLANTS"})


def test_a_kind_named_far_from_the_denial_is_not_denied(schema: Schema) -> None:
    text = "I saw the allergies. They are listed. We spoke for long. Ring if it is not better."

    assert not KindDenials(schema).may_deny(text, {"HAS_ALLERGY_TO"})


def test_nobody_at_risk_has_nothing_denied(schema: Schema) -> None:
    assert not KindDenials(schema).may_deny("No known drug allergies.", set())
    assert not KindDenials(schema).may_deny("No known drug allergies.", {"HAS_IMPLANTS"})
