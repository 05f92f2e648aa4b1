"""No line of a schema means something else because another line was spelt otherwise: rules refer to names."""

import re
from collections.abc import Callable
from dataclasses import replace

import pytest

from r_memory.config.files import Files
from r_memory.config.schema_file import load_schema
from r_memory.domain.schema import Phrasing, Schema
from r_memory.protocols import Utterance
from r_memory.reading.extractor import RuleExtractor
from r_memory.reading.linking import Gazetteer
from tests.unit.reading.readers import JOHN, shown

GROUP = re.compile(r"\(([^()]*\|[^()]*)\)")
SENTENCES = {
    "clinical": (
        "Penicillin landed me in hospital.",
        "I was switched from warfarin to apixaban.",
        "Metformin was stopped.",
        "She stopped the aspirin.",
        "The test for penicillin was negative.",
        "Codeine makes me sick.",
        "I am allergic to codeine, it makes me sick.",
    ),
    "law": ("We sacked Harper & Co.", "The freezing order was lifted."),
    "finance": ("No tobacco.", "He stepped down from the Shell plc board."),
}


def reversed_choices(text: str) -> str:
    """The same template with the choices of each bracket the other way round."""
    return GROUP.sub(lambda found: f"({'|'.join(reversed(found[1].split('|')))})", text)


def respelt(phrasing: Phrasing) -> Phrasing:
    """The same wordings, spelt otherwise."""
    return replace(
        phrasing,
        templates=tuple(map(reversed_choices, phrasing.templates)),
        ended=tuple(map(reversed_choices, phrasing.ended)),
        names={reversed_choices(text): name for text, name in phrasing.names.items()},
    )


def reader_of(schema: Schema) -> Callable[[str], set[str]]:
    """What the rules of a schema read in a sentence."""
    rules = RuleExtractor(schema, Gazetteer(schema.lexicon))

    def facts(text: str) -> set[str]:
        said = Utterance(text=text, role="user", speaker="", subject=JOHN, before=())
        return {shown(proposal) for proposal in rules.extract(said).proposals}

    return facts


@pytest.mark.parametrize("name", SENTENCES)
def test_a_synonym_moved_within_a_template_changes_the_meaning_of_no_other_line(name: str) -> None:
    shipped = load_schema(Files(), name)
    relations = {key: replace(each, phrasing=respelt(each.phrasing)) for key, each in shipped.relations.items()}
    changed = replace(shipped, relations=relations)
    assert changed.relations != shipped.relations
    before, after = reader_of(shipped), reader_of(changed)
    for text in SENTENCES[name]:
        assert before(text) == after(text) != set(), text


def test_a_stay_in_hospital_is_no_sure_allergy_however_its_template_is_spelt() -> None:
    shipped = load_schema(Files())
    own = shipped.relations["HAS_ALLERGY_TO"]
    (old,) = [text for text in own.phrasing.templates if "in ..1 (hospital|the hospital|" in text]
    new = old.replace("(hospital|the hospital|", "(the hospital|hospital|")
    phrasing = replace(
        own.phrasing,
        templates=tuple(new if text == old else text for text in own.phrasing.templates),
        names={new if text == old else text: name for text, name in own.phrasing.names.items()},
    )
    changed = replace(shipped, relations={**shipped.relations, own.name: replace(own, phrasing=phrasing)})
    for schema in (shipped, changed):
        said = reader_of(schema)("Penicillin landed me in hospital.")
        assert said == {"HAS_ALLERGY_TO penicillin unconfirmed"}
