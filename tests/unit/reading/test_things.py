"""The thing is the thing that was said: what an object's words name, and what that is."""

import json
from dataclasses import replace

import pytest

from r_memory.domain.facts import Entity, Flag, Observation, Proposal, Rejection, Route
from r_memory.domain.schema import Lexicon, Schema
from r_memory.protocols import Utterance
from r_memory.reading.linking import Gazetteer
from r_memory.reading.taught.weights import whole_words
from r_memory.reading.things import Things, everyday_words
from r_memory.reading.validation import Validator
from tests.unit.reading.readers import JOHN


@pytest.fixture(scope="module")
def validator(schema: Schema, gazetteer: Gazetteer) -> Validator:
    return Validator(schema, gazetteer)


@pytest.fixture(scope="module")
def things(schema: Schema, gazetteer: Gazetteer) -> Things:
    return Things(schema, gazetteer)


def checked(
    validator: Validator,
    text: str,
    object_: str,
    relation: str = "HAS_ALLERGY_TO",
    *,
    status: str = "active",
    means: str = "",
    subject: Entity = JOHN,
) -> Observation | Rejection:
    utterance = Utterance(text=text, role="user", speaker="patient", subject=subject)
    claim = Proposal(
        relation=relation,
        object=object_,
        status=status,
        means=means,
        evidence=text,
        route=Route.CLIENT,
        extractor="client/1",
    )
    formed = validator.form(utterance, claim)
    return formed if isinstance(formed, Rejection) else formed[0]


def named(
    validator: Validator, text: str, object_: str, relation: str = "HAS_ALLERGY_TO", *, means: str = ""
) -> Observation:
    seen = checked(validator, text, object_, relation, means=means)
    assert isinstance(seen, Observation), seen
    return seen


@pytest.mark.parametrize(
    ("object_", "relation", "text", "uid", "is_a"),
    [
        ("PCN", "HAS_ALLERGY_TO", "I'm allergic to PCN.", "knowledge/DrugClass/penicillin", ()),
        ("the penicillins", "HAS_ALLERGY_TO", "Allergic to the penicillins.", "knowledge/DrugClass/penicillin", ()),
        ("penicillin allergy", "HAS_ALLERGY_TO", "I have a penicillin allergy.", "knowledge/DrugClass/penicillin", ()),
        (
            "stents in my heart",
            "HAS_IMPLANTS",
            "I have stents in my heart.",
            "clinic/Device/stents in my heart",
            ("knowledge/Device/stent",),
        ),
        (
            "bit of bullet",
            "HAS_IMPLANTS",
            "A bit of bullet sits in my leg.",
            "clinic/Device/bit of bullet",
            ("knowledge/Device/bullet",),
        ),
        ("gizmo", "HAS_IMPLANTS", "They put a gizmo in.", "clinic/Device/gizmo", ()),
        ("zorbafluran", "HAS_ALLERGY_TO", "I'm allergic to zorbafluran.", "clinic/Unmapped/zorbafluran", ()),
    ],
)
def test_a_thing_is_named_by_its_own_words_and_knows_what_it_is(
    validator: Validator, object_: str, relation: str, text: str, uid: str, is_a: tuple[str, ...]
) -> None:
    seen = named(validator, text, object_, relation)
    assert (seen.object.uid, seen.object.is_a) == (uid, is_a)


def test_words_that_no_lexicon_holds_are_refused_in_no_relation(validator: Validator, schema: Schema) -> None:
    for name, relation in schema.relations.items():
        attrs = set(relation.attrs.values())
        if relation.derived or "number" in attrs:
            continue
        seen = checked(validator, "It is the frobnicated gribble that matters.", "frobnicated gribble", name)
        assert isinstance(seen, Observation), (name, seen)
        assert "gribble" in seen.object.id


@pytest.mark.parametrize("words", ["latex-free gloves", "gloves without latex", "latex free gloves"])
def test_what_lacks_a_thing_is_no_kind_of_it(things: Things, words: str) -> None:
    assert things.kinds(words, ("Material",)) != ("knowledge/Material/latex",)


def test_the_head_says_what_a_thing_is_and_not_what_it_is_for(things: Things) -> None:
    assert things.kinds("stent for the aortic valve", ("Device",)) == ("knowledge/Device/stent",)


def test_a_name_is_at_most_sixty_characters(validator: Validator) -> None:
    words = "something that goes on for ever and ever and names nothing at all in the end"
    seen = checked(validator, f"I am allergic to {words}.", words)
    assert isinstance(seen, Rejection)
    assert "at most 60" in seen.reason


@pytest.mark.parametrize(
    ("text", "object_"), [("My allergies are bad this year.", "allergies"), ("I hate the noise.", "noise")]
)
def test_an_everyday_word_is_no_misspelling_of_a_drug(validator: Validator, text: str, object_: str) -> None:
    seen = named(validator, text, object_)
    assert Flag.FUZZY not in seen.flags
    assert seen.object.space == JOHN.space


def test_a_misspelling_adds_a_risk_and_never_takes_one_away(validator: Validator) -> None:
    text = "I'm allergic to penicilin."
    assert named(validator, text, "penicilin").object.uid == "knowledge/DrugClass/penicillin"
    denied = checked(validator, "I'm not allergic to penicilin.", "penicilin", status="negated")
    assert isinstance(denied, Observation)
    assert denied.object.space == JOHN.space


def test_what_garbled_words_mean_belongs_to_the_fact_and_not_to_the_thing(validator: Validator) -> None:
    seen = named(validator, "Mam uczulenie na orzech laskowy.", "orzech laskowy", means="hazelnut")
    assert (seen.object.name, seen.object.is_a, seen.attrs["means"]) == ("Orzech laskowy", (), "hazelnut")
    assert len(json.loads(str(seen.attrs["meant"]))) == 1
    assert Flag.MEANT in seen.flags
    assert Flag.UNMAPPED not in seen.flags


def test_what_is_meant_is_a_term_or_one_noun_phrase(validator: Validator) -> None:
    seen = checked(
        validator,
        "I react to that stuff.",
        "that stuff",
        means="the thing that they gave me in hospital on the day after which I could not breathe at all",
    )
    assert isinstance(seen, Rejection)
    assert "at most 80" in seen.reason


def test_words_that_stand_nowhere_are_refused_with_the_way_to_give_a_meaning(validator: Validator) -> None:
    seen = checked(validator, "I react to the pink syrup.", "amoxicillin")
    assert isinstance(seen, Rejection)
    assert "`means`" in seen.reason


SMALL = Lexicon(
    terms={
        "Food": {"tree nut": ("nuts from trees",), "cashew": (), "milk": (), "coconut milk": ()},
        "Material": {"tape": ("sticking plaster",), "elastoplast": ()},
    },
    kinds={("Food", "cashew"): (("Food", "tree nut"),), ("Material", "elastoplast"): (("Material", "tape"),)},
)


@pytest.fixture(scope="module")
def small(schema: Schema) -> Validator:
    own = replace(schema, lexicon=replace(SMALL, values={}))
    gazetteer = Gazetteer(own.lexicon, lambda: everyday_words(own, whole_words()))
    relations = {name: own.relations[name] for name in ("HAS_ALLERGY_TO", "TOLERATES")}
    own = replace(own, relations=relations, reclassify=())
    return Validator(own, gazetteer)


@pytest.mark.parametrize(
    ("text", "object_", "id_"),
    [
        ("I'm allergic to cashews.", "cashews", "cashew"),
        ("I'm allergic to cashews.", "tree nut", "cashew"),
        ("Elastoplast takes my skin off.", "Elastoplast", "elastoplast"),
        ("Elastoplast takes my skin off.", "tape", "elastoplast"),
        ("Coconut milk gives me hives.", "milk", "coconut milk"),
        ("Sticking plaster takes my skin off.", "sticking plaster", "tape"),
    ],
)
def test_a_narrower_word_never_becomes_the_broader_one(small: Validator, text: str, object_: str, id_: str) -> None:
    seen = named(small, text, object_)
    assert (seen.object.space, seen.object.id) == ("knowledge", id_)


@pytest.mark.parametrize(
    ("text", "words", "flagged"),
    [
        ("Gloves make my hands itch, but only the vinyl sort.", "vinyl gloves", False),
        ("The clinic put a pump in, the little one for my back pain.", "pain pump", False),
        ("The plasters from the corner shop blister me.", "corner shop wound plaster", True),
    ],
    ids=["apart", "swapped", "one-word-of-the-callers"],
)
def test_words_that_stand_apart_name_a_thing(validator: Validator, text: str, words: str, *, flagged: bool) -> None:
    seen = named(validator, text, words)

    assert seen.object.name.casefold() == words
    assert (Flag.MEANT in seen.flags) is flagged


def test_a_thing_of_which_hardly_a_word_was_said_is_refused(validator: Validator) -> None:
    assert isinstance(checked(validator, "The plasters blister me.", "corner shop wound plasters"), Rejection)
    assert isinstance(checked(validator, "The red rash came with the new cream.", "red penicillin tablets"), Rejection)
    assert isinstance(checked(validator, "The Hallam plasters blister me.", "Hallam Softwear"), Rejection)


def test_no_absence_rests_on_a_word_that_nobody_said(validator: Validator) -> None:
    text = "No, the plasters never did anything to me."

    assert isinstance(checked(validator, text, "hospital plasters", status="negated"), Rejection)


def test_an_age_may_stand_beside_a_letter(validator: Validator) -> None:
    assert named(validator, "58F, known asthma, wheezy.", "58", "HAS_AGE").object.name == "Age"
    assert isinstance(checked(validator, "1958F notes lost.", "58", "HAS_AGE"), Rejection)
