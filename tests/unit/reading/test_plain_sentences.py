"""The plainest sentences, whoever is told of: each gives its fact, and nearly all of them one that is not doubted.

A taught reader has holes where nobody looked: "He does not tolerate metformin" was once nine tenths a tolerance.
"""

from collections import Counter
from collections.abc import Sequence

import pytest

from r_memory.config.settings import Settings
from r_memory.domain.facts import Observation, Status
from r_memory.protocols import Utterance
from r_memory.reading.reader import Reader
from r_memory.wiring.language import open_reader
from tests.unit.reading.readers import JOHN

_AVOIDED = frozenset({"HAS_ALLERGY_TO", "HAS_INTOLERANCE_TO", "IS_CONTRAINDICATED_WITH", "HAS_CONTRAST_ALLERGY"})
_SENTENCES = {
    ("HAS_ALLERGY_TO", "penicillin", "codeine", "latex", "peanuts", "chlorhexidine"): (
        "I'm allergic to {}", "She is allergic to {}.", "He has a {} allergy.", "Allergic to {}.", "Known {} allergy.",
        "{} gives me hives.", "{} gave him anaphylaxis.", "I had an anaphylactic reaction to {}.",
        "Severe allergy to {}.", "I get a rash from {}.", "The user is allergic to {}.", "John Doe is allergic to {}.",
        "I can't have {}, I'm allergic.", "btw im super allergic to {} lol", "Key fact: severe {} allergy.",
        "The patient is allergic to {}.", "Mr Doe came out in hives after {}.",
        "I'm allergic to {}, I come out in a rash all over.", "He's allergic to {} and came out in spots.",
    ),
    ("TAKES", "warfarin", "lithium", "metformin", "sertraline", "bisoprolol"): (
        "I take {}.", "I am on {}.", "She takes {} daily.", "He is on {} 5 mg once a day.", "Medications: {}.",
        "I've been taking {} for years.", "Currently on {}.", "My doctor put me on {}.", "The user takes {}.",
        "John Doe takes {}.", "User mentioned that they take {}.", "The patient is on {}.",
        "{} 10 mg OD, omeprazole 20.", "DH {} 10mg OD, omeprazole 20 mg", "Omeprazole 20, {} 10, atorvastatin 40.",
        "{} 10 mg OM continued.", "I'm still having the {} morning and night.", "Dr Singh has me on forty of the {}.",
    ),
    ("HAS_CONDITION", "asthma", "epilepsy", "heart failure", "porphyria", "gout"): (
        "I have {}.", "She has {}.", "He was diagnosed with {} in 2012.", "Known {}.", "History of {}.", "PMH: {}.",
        "Past medical history: {}.", "I suffer from {}.", "The user has {}.", "John Doe has {}.", "Mr Doe has {}.",
        "The patient has {}.", "I was diagnosed with {}.", "He has a history of {}.",
    ),
    ("HAS_IMPLANTS", "pacemaker", "cochlear implant", "hip replacement", "mechanical heart valve", "stent"): (
        "I have a {}.", "She has a {}.", "He had a {} fitted in 2018.", "{} in situ.", "I've got a {}.",
        "The user has a {}.", "John Doe has a {}.", "A {} was implanted last year.", "I live with a {}.",
    ),
    ("HAS_INTOLERANCE_TO", "codeine", "tramadol", "metformin", "simvastatin", "erythromycin"): (
        "I can't tolerate {}.", "{} makes me sick.", "She vomits with {}.", "He does not tolerate {}.",
        "{} upsets my stomach.", "Intolerant of {}.", "{} made him very drowsy.", "The user does not tolerate {}.",
    ),
    ("IS_CONTRAINDICATED_WITH", "ibuprofen", "aspirin", "gadolinium", "beta blockers"): (
        "I must not take {}.", "She should not be given {}.", "No {} for me.", "Avoid {}.",
        "I was told never to take {}.", "He can't have {} because of his kidneys.", "The user must avoid {}.",
    ),
    ("HAS_FAMILY_HISTORY", "breast cancer", "diabetes", "malignant hyperthermia", "epilepsy"): (
        "My mother has {}.", "My dad had {}.", "Her sister has {}.", "FH: {} in brother.", "His father died of {}.",
        "There is {} in my family.", "The user's mother has {}.", "John's brother has {}.",
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def reader() -> Reader:
    return open_reader(Settings())


def _outcome(reader: Reader, relation: str, text: str) -> str:
    utterance = Utterance(text=text[0].upper() + text[1:], role="user", speaker="", subject=JOHN)
    read = reader.extractor.extract(utterance)
    checked = (reader.validator.check(utterance, proposal) for proposal in read.proposals)
    fits = _AVOIDED if relation in _AVOIDED else {relation}
    found = {item.status for item in checked if isinstance(item, Observation) and item.relation in fits}
    return "active" if Status.ACTIVE in found else "doubted" if Status.UNCONFIRMED in found else "lost"


@pytest.mark.parametrize("case", _SENTENCES, ids=lambda case: case[0])
def test_plain_sentences_give_their_fact(reader: Reader, case: Sequence[str]) -> None:
    relation, *things = case
    outcomes = {
        text: _outcome(reader, relation, text)
        for carrier in _SENTENCES[tuple(case)]
        for text in (carrier.format(thing) for thing in things)
    }
    counted = Counter(outcomes.values())
    assert [text for text, outcome in outcomes.items() if outcome == "lost"] == []
    assert counted["active"] >= 0.95 * len(outcomes), [text for text, one in outcomes.items() if one != "active"]


@pytest.mark.parametrize(
    ("text", "relation"),
    [
        ("They gave me the dye and my throat closed up.", "HAS_CONTRAST_ALLERGY"),
        ("They gave her the dye and she came up in lumps.", "HAS_CONTRAST_ALLERGY"),
        ("I've got the coil in, since March.", "HAS_IMPLANTS"),
        ("I'm fourteen weeks pregnant.", "HAS_CONDITION"),
    ],
)
def test_a_term_that_begins_before_what_the_taught_reader_sees_is_read(
    reader: Reader, text: str, relation: str
) -> None:
    assert _outcome(reader, relation, text) == "active"


@pytest.mark.parametrize("text", ["No past medical history.", "John Doe was in good form.", "The user was here."])
def test_what_was_only_shown_is_no_name_of_anything(reader: Reader, text: str) -> None:
    read = reader.extractor.extract(Utterance(text=text, role="user", speaker="", subject=JOHN))
    assert [proposal.object for proposal in read.proposals] == []
    assert [item.reason for item in read.review] == []


def test_an_unknown_word_behind_a_phrase_that_is_shown_otherwise_leaves_a_trace(reader: Reader) -> None:
    utterance = Utterance(text="The user was diagnosed with zorblaxosis.", role="user", speaker="", subject=JOHN)
    read = reader.extractor.extract(utterance)
    assert read.proposals or read.review
