"""What a schema means."""

from dataclasses import replace

import pytest

from r_memory.domain.schema import Lexicon, SeverityScale
from r_memory.errors import UnknownName
from tests.unit.facts.recall.world import SCHEMA


def test_unknown_relation_is_refused_with_the_known_ones() -> None:
    assert SCHEMA.relation("TAKES").name == "TAKES"
    with pytest.raises(UnknownName, match="HAS_ALLERGY_TO") as caught:
        SCHEMA.relation("EATS")
    assert (caught.value.kind, caught.value.name) == ("relation", "EATS")


def test_critical_relations_keep_the_order_of_the_file() -> None:
    assert SCHEMA.critical == ("HAS_ALLERGY_TO", "IS_CONTRAINDICATED_WITH", "DOSE_LIMIT", "HAS_IMPLANTS")


def test_unions_of_unions_resolve_to_concrete_types() -> None:
    schema = replace(SCHEMA, unions={"Substance": ("Medication", "Food"), "Medication": ("Drug", "DrugClass")})

    assert schema.concrete("Substance") == ("Drug", "DrugClass", "Food")
    assert schema.concrete("Device") == ("Device",)


def test_node_carries_its_own_label_first() -> None:
    schema = replace(SCHEMA, labels={"DrugClass": ("Drug",)})

    assert schema.node_labels("DrugClass") == ("DrugClass", "Drug")
    assert schema.node_labels("Drug") == ("Drug",)


def test_types_are_those_of_the_lexicon_the_relations_the_subject_and_the_two_special_ones() -> None:
    assert {"Patient", "Scope", "Unmapped", "Drug", "DrugClass", "Device", "Reaction"} <= set(SCHEMA.types)
    assert list(SCHEMA.types) == sorted(set(SCHEMA.types))


@pytest.mark.proves("Z30")
def test_unknown_grade_ranks_as_the_worst() -> None:
    scale = SCHEMA.severity

    assert [scale.rank(grade) for grade in ("mild", "moderate", "severe", "dreadful", None)] == [0, 1, 2, 2, 2]
    assert SeverityScale().rank("mild") == SeverityScale().rank(None)


def test_lexicon_says_what_it_knows_of_a_term_and_nothing_else() -> None:
    lexicon = SCHEMA.lexicon

    assert lexicon.value_of("Reaction", "severity", "anaphylaxis") == "severe"
    assert lexicon.value_of("Reaction", "severity", "sneezing") is None
    assert lexicon.value_of("Reaction", "kind", "anaphylaxis") is None
    assert Lexicon(terms={}).value_of("Reaction", "severity", "anaphylaxis") is None
