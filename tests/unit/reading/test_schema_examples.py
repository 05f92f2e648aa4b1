"""Every example of the shipped schema extracts as declared; a template that cannot be read says why."""

from dataclasses import replace

import pytest

from r_memory.config.files import Files
from r_memory.config.schema_file import load_schema
from r_memory.domain.facts import Flag
from r_memory.domain.schema import Example, Phrasing, Relation, Schema
from r_memory.errors import ConfigurationError
from r_memory.reading.extractor import RuleExtractor
from r_memory.reading.linking import Gazetteer
from tests.unit.reading.readers import Read

SCHEMA = load_schema(Files())
EXAMPLES = [(relation, example) for relation in SCHEMA.relations.values() for example in relation.examples]


@pytest.mark.parametrize(
    ("relation", "example"), EXAMPLES, ids=[f"{relation.name}: {example.text}" for relation, example in EXAMPLES]
)
def test_example_extracts_as_declared(read: Read, relation: Relation, example: Example) -> None:
    found = [proposal for proposal in read(example.text).proposals if proposal.relation == relation.name]
    if example.expect is None:
        assert found == []
        return
    expected = {name: str(value).casefold() for name, value in example.expect.items()}
    readings = [
        (
            {"object": proposal.object.casefold()}
            | {name: str(value).casefold() for name, value in proposal.attrs.items() if name in expected},
            proposal.status,
        )
        for proposal in found
    ]
    assert (expected, example.status) in readings


@pytest.mark.parametrize("relation", SCHEMA.relations.values(), ids=SCHEMA.relations)
def test_every_relation_has_three_examples_and_one_that_gives_nothing(relation: Relation) -> None:
    assert len(relation.examples) >= 3
    assert any(example.expect is None for example in relation.examples)


@pytest.mark.proves("RM-14")
def test_sentence_of_the_seed_is_a_severe_allergy(read: Read) -> None:
    found = read("I am severely allergic to Penicillin.").proposals
    assert [(p.relation, p.object, p.object_type, p.status, dict(p.attrs)) for p in found] == [
        ("HAS_ALLERGY_TO", "penicillin", "DrugClass", "active", {"severity": "severe"})
    ]


def test_rule_of_the_domain_is_flagged_and_unconfirmed(read: Read) -> None:
    found = read("Stop metformin 24 hours before contrast.").proposals[0]
    assert (found.status, found.flags) == ("unconfirmed", frozenset({Flag.RULE}))


def with_template(schema: Schema, text: str) -> Schema:
    relation = replace(schema.relations["HAS_ALLERGY_TO"], phrasing=Phrasing(templates=(text,)))
    return replace(schema, relations={**schema.relations, "HAS_ALLERGY_TO": relation})


@pytest.mark.parametrize(
    ("template", "problem"),
    [
        ("allergic to {objekt}", "unknown slot 'objekt'; use one of: object, reaction, severity, grade, onset"),
        ("allergic to {object:Substanz}", "'Substanz' is neither a type nor a term"),
        ("allergic to {object", "close every brace"),
        ("allergic (to {object}", "close every brace"),
        ("allergic to {object+:Drug}", "write {slot}, {slot+}, {slot:Type}, {slot!} or {slot?}"),
        ("~", "it is empty"),
        ("..3", "it is empty"),
    ],
)
def test_template_that_cannot_be_read_is_named_with_its_relation_and_what_to_do(
    schema: Schema, gazetteer: Gazetteer, template: str, problem: str
) -> None:
    with pytest.raises(ConfigurationError) as error:
        RuleExtractor(with_template(schema, template), gazetteer)
    assert f"relations.HAS_ALLERGY_TO, template '{template}'" in str(error.value)
    assert problem in str(error.value)


def test_language_without_a_section_is_refused_with_the_name_of_the_section(
    schema: Schema, gazetteer: Gazetteer
) -> None:
    sections = {name: value for name, value in schema.language.sections.items() if name != "pronouns"}
    broken = replace(schema, language=replace(schema.language, sections=sections))
    with pytest.raises(ConfigurationError, match="needs a list of words at 'pronouns'"):
        RuleExtractor(broken, gazetteer)
