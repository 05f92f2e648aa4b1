"""What is said against a thing: in its clause, outside of its name, and never by a word that only looks like it."""

import pytest

from r_memory.domain.facts import Span
from r_memory.domain.schema import Schema
from r_memory.protocols import Utterance
from r_memory.reading.context import Contexts
from r_memory.reading.extractor import RuleExtractor
from r_memory.reading.linking import Gazetteer
from r_memory.reading.listening import CueAgainst
from tests.unit.reading.readers import JOHN

ALLERGY, IMPLANT, TAKES, MUST_NOT = "HAS_ALLERGY_TO", "HAS_IMPLANTS", "TAKES", "IS_CONTRAINDICATED_WITH"


@pytest.fixture(scope="module")
def contexts(schema: Schema, extractor: RuleExtractor, gazetteer: Gazetteer) -> Contexts:
    return Contexts(schema, extractor, gazetteer)


@pytest.mark.parametrize(
    ("text", "relation", "thing", "expected"),
    [
        # a denial reaches what its clause names
        ("I'm not allergic to eggs, nickel is what gets me.", ALLERGY, "eggs", CueAgainst.DENIAL),
        ("I'm not allergic to eggs, nickel is what gets me.", ALLERGY, "nickel", CueAgainst.NONE),
        ("Mussels are trouble, a prawn isn't.", ALLERGY, "Mussels", CueAgainst.NONE),
        ("Latex: no.", ALLERGY, "Latex", CueAgainst.DENIAL),
        ("Allergic to latex? No.", ALLERGY, "latex", CueAgainst.DENIAL),
        ("Septrin? Good grief no, they nearly lost me.", ALLERGY, "Septrin", CueAgainst.NONE),
        ("It's not that I'm not allergic to bees.", ALLERGY, "bees", CueAgainst.NONE),
        ("It's my brother who has the nut allergy, not me.", ALLERGY, "nut", CueAgainst.DENIAL),
        # of a later clause only what goes on about it
        ("They wrote down latex, but that was a mistake.", ALLERGY, "latex", CueAgainst.FORM),
        ("I blamed the soap but it turned out to be the softener.", ALLERGY, "soap", CueAgainst.FORM),
        ("I blamed the soap but it turned out to be the softener.", ALLERGY, "softener", CueAgainst.NONE),
        ("They said I'm allergic to wasps, but I'm not.", ALLERGY, "wasps", CueAgainst.DENIAL),
        ("Wasps are bad, and I have never been so frightened.", ALLERGY, "Wasps", CueAgainst.NONE),
        ("She's allergic to bees, has not told the school yet.", ALLERGY, "bees", CueAgainst.NONE),
        ("Bees, they said, but the tests ruled it out.", ALLERGY, "Bees", CueAgainst.FORM),
        # an end, and what only looks like it
        ("I used to be allergic to milk.", ALLERGY, "milk", CueAgainst.FORM),
        ("The coil came out in July.", IMPLANT, "coil", CueAgainst.FORM),
        ("They took the hip plate out.", IMPLANT, "hip plate", CueAgainst.FORM),
        ("They never managed to get the splinter out.", IMPLANT, "splinter", CueAgainst.NONE),
        ("The coil will be taken out in July.", IMPLANT, "coil", CueAgainst.NONE),
        ("Aspirin brings me out in lumps.", ALLERGY, "Aspirin", CueAgainst.NONE),
        ("I came out in the worst weals after aspirin.", ALLERGY, "aspirin", CueAgainst.NONE),
        ("I have passed out on lignocaine.", ALLERGY, "lignocaine", CueAgainst.NONE),
        ("Aspirin is off the menu.", ALLERGY, "Aspirin", CueAgainst.NONE),
        ("Take the aspirin off her list.", ALLERGY, "aspirin", CueAgainst.FORM),
        ("Steer clear of aspirin.", MUST_NOT, "aspirin", CueAgainst.NONE),
        ("Ravi stopped eating meat.", ALLERGY, "Ravi", CueAgainst.NONE),
        # a word of the thing itself is not said of it
        ("She is six weeks gone.", IMPLANT, "six weeks gone", CueAgainst.NONE),
        # under what must not be, "no" is a part of it
        ("No aspirin for her.", MUST_NOT, "aspirin", CueAgainst.NONE),
        # of what is no critical risk, an earlier value has ended
        ("Warfarin was stopped in May.", TAKES, "Warfarin", CueAgainst.END),
        ("Ramipril until last week.", TAKES, "Ramipril", CueAgainst.END),
    ],
)
def test_a_cue_is_said_of_a_thing_in_its_clause(
    contexts: Contexts, schema: Schema, text: str, relation: str, thing: str, expected: CueAgainst
) -> None:
    context = contexts.of(Utterance(text=text, subject=JOHN), None)

    assert context.cue(Span(start=0, end=len(text)), thing, schema.relations[relation]) is expected


def test_evidence_that_does_not_name_the_thing_counts_whole(contexts: Contexts, schema: Schema) -> None:
    text = "About the latex allergy: I was tested. It isn't one."
    evidence = Span(start=text.index("It isn't"), end=len(text))
    context = contexts.of(Utterance(text=text, subject=JOHN), None)

    assert context.cue(evidence, "latex", schema.relations[ALLERGY]) is CueAgainst.DENIAL
