"""What turns a sentence round without a word of denial of its own: exceptions, remedies, kinds, relatives, languages.

Each line is a sentence of our own, the facts it must give as `RELATION object status`, and whether a person must look.
"""

import pytest

from tests.unit.reading.readers import Read, shown

Facts = list[str]

PENICILLIN = ["HAS_ALLERGY_TO penicillin active"]


@pytest.mark.proves("Z05", "Z13")
@pytest.mark.parametrize(
    "text",
    [
        "No known allergies except to penicillin.",
        "No known drug allergies except for penicillin.",
        "I don't have allergies, well, apart from penicillin.",
        "I'm not allergic to anything except penicillin.",
        "I am not allergic to any medications other than penicillin.",
        "Not allergic to anything but penicillin.",
        "No allergies, bar penicillin.",
        "No allergies, only penicillin.",
        "NKDA save for penicillin.",
        "Denies allergies with the exception of penicillin.",
        "Aside from penicillin, no allergies.",
        "No known allergies excepting penicillin.",
        "No allergies to medications, but to penicillin.",
    ],
)
def test_exception_from_an_absence_is_a_risk_and_the_absence_goes(read: Read, text: str) -> None:
    assert sorted(map(shown, read(text).proposals)) == PENICILLIN


@pytest.mark.proves("Z05", "Z13")
@pytest.mark.parametrize(
    ("text", "before"),
    [
        ("I've no allergies, well, there's penicillin.", ""),
        ("No other allergies than penicillin.", ""),
        ("No drug reactions on file save one, to vancomycin.", ""),
        ("No, unless hay fever counts.", "doctor: Any allergies at all?"),
    ],
)
def test_absence_beside_something_unexplained_is_left_to_a_person(read: Read, text: str, before: str) -> None:
    found = read(text, before=[before] if before else [], speaker="patient")
    assert (list(found.proposals), bool(found.review)) == ([], True)


def test_name_in_an_answer_that_is_not_understood_is_left_to_a_person(read: Read) -> None:
    found = read("Penicillin aside, nothing.", before=["doctor: Are you allergic to anything?"], speaker="patient")
    assert (list(found.proposals), bool(found.review)) == ([], True)


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("She tolerates every antibiotic except clindamycin.", ["HAS_INTOLERANCE_TO clindamycin active"]),
        ("I can take anything but codeine.", ["IS_CONTRAINDICATED_WITH codeine active"]),
        ("No implants except a pacemaker.", ["HAS_IMPLANTS pacemaker active"]),
        ("My mother has no allergies except penicillin.", ["HAS_FAMILY_HISTORY penicillin allergy active"]),
        ("Does she have any allergies except penicillin?", []),
    ],
)
def test_exception_belongs_to_what_it_is_an_exception_from(read: Read, text: str, facts: Facts) -> None:
    assert sorted(map(shown, read(text).proposals)) == facts


@pytest.mark.proves("Z40")
@pytest.mark.parametrize(
    ("text", "facts"),
    [
        (
            "The last CT with dye gave him hives, they had to give him Benadryl.",
            ["HAS_CONTRAST_ALLERGY iodinated contrast active"],
        ),
        ("I got hives, they had to give me prednisone.", []),
        ("They gave me epinephrine because my throat closed.", []),
        ("The itching stopped once I took cetirizine.", []),
        ("Anaphylaxis to peanuts, needed adrenaline.", ["HAS_ALLERGY_TO peanut active"]),
        ("Penicillin gave him hives. He was given Benadryl. The rash lasted two days.", PENICILLIN),
        ("I got a rash after they gave me penicillin.", PENICILLIN),
        ("I broke out in hives when they gave me penicillin.", PENICILLIN),
        ("The rash cleared after I stopped penicillin.", PENICILLIN),
    ],
)
def test_remedy_is_never_the_culprit_and_the_culprit_stays(read: Read, text: str, facts: Facts) -> None:
    assert sorted(map(shown, read(text).proposals)) == facts


@pytest.mark.proves("Z06")
@pytest.mark.parametrize(
    ("text", "facts"),
    [
        (
            "Family history is significant for malignant hyperthermia in a cousin.",
            ["HAS_FAMILY_HISTORY malignant hyperthermia active"],
        ),
        ("Family history is notable for diabetes.", ["HAS_FAMILY_HISTORY diabetes active"]),
        ("FHx remarkable for stroke in her father.", ["HAS_FAMILY_HISTORY stroke active"]),
        ("Family history noncontributory, she has asthma.", ["HAS_CONDITION asthma active"]),
        ("Family history noncontributory, takes warfarin.", ["TAKES warfarin active"]),
        ("The donor had hepatitis and was allergic to penicillin.", []),
        (
            "The patient has asthma and is allergic to latex.",
            ["HAS_ALLERGY_TO latex active", "HAS_CONDITION asthma active"],
        ),
    ],
)
def test_subject_of_a_sentence_decides_whose_fact_it_is(read: Read, text: str, facts: Facts) -> None:
    assert sorted(map(shown, read(text).proposals)) == facts


@pytest.mark.proves("Z38")
@pytest.mark.parametrize(
    "text",
    [
        "A pacemaker is a contraindication to some scanners.",
        "An ICD can be damaged by strong magnets.",
        "Every ICD has a battery that runs out one day.",
        "Pacemakers are checked every year.",
        "Coronary stents never need replacing.",
        "Hip replacements last fifteen years.",
        "Asthma can be triggered by cold air.",
        "Vancomycin given too fast causes flushing.",
    ],
)
def test_statement_about_a_kind_gives_no_fact(read: Read, text: str) -> None:
    assert list(read(text).proposals) == []


@pytest.mark.parametrize("text", ["A pacemaker was put in last year.", "Pacemaker is in place.", "A pacemaker."])
def test_one_of_a_kind_that_is_there_counts(read: Read, text: str) -> None:
    assert sorted(map(shown, read(text).proposals)) == ["HAS_IMPLANTS pacemaker active"]


@pytest.mark.proves("Z42")
@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("Mi madre says I am al\u00e9rgico to latex.", []),
        ("Mi abuela dice que I can't take aspirin.", ["IS_CONTRAINDICATED_WITH aspirin unconfirmed"]),
        ("Ich bin allergic to penicillin.", ["HAS_ALLERGY_TO penicillin unconfirmed"]),
        ("Meine Mutter says I have no allergies.", []),
    ],
)
def test_mixed_languages_are_read_with_doubt_and_shown_to_a_person(read: Read, text: str, facts: Facts) -> None:
    found = read(text)
    assert (sorted(map(shown, found.proposals)), bool(found.review)) == (facts, True)


@pytest.mark.proves("Z05")
@pytest.mark.parametrize(
    "question", ["So no problems with anaesthetics?", "You don't have a pacemaker?", "No penicillin allergy?"]
)
def test_bare_no_to_a_question_whether_there_is_none_denies_nothing(read: Read, question: str) -> None:
    found = read("No.", before=[f"doctor: {question}"], speaker="patient")
    assert (list(found.proposals), bool(found.review)) == ([], True)


def test_effect_told_on_request_of_what_the_patient_named_is_left_to_a_person(read: Read) -> None:
    before = ["doctor: What do you react to?", "patient: It's the naproxen.", "doctor: Yes, what does it do?"]
    found = read("I get hives all over.", before=before, speaker="patient")
    assert (list(found.proposals), bool(found.review)) == ([], True)


def test_effect_whose_cause_was_named_in_an_earlier_turn_is_left_to_a_person(read: Read) -> None:
    before = ["doctor: What do you take?", "patient: Lisinopril.", "doctor: How have you been?"]
    found = read("I get swelling in my lips.", before=before, speaker="patient")
    assert (list(found.proposals), bool(found.review)) == ([], True)


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("Amoxicillin could have caused the rash.", ["HAS_ALLERGY_TO amoxicillin unconfirmed"]),
        ("I think sulfa might have given me hives.", ["HAS_ALLERGY_TO sulfonamide antibiotic unconfirmed"]),
        ("Sulfa can give people hives.", []),
        ("He had swelling from ibuprofin.", ["HAS_ALLERGY_TO ibuprofen active"]),
        ("I get hives from stress.", []),
        ("Codeine sent her to the ER.", ["HAS_ALLERGY_TO codeine unconfirmed"]),
        ("Aspirin triggers my asthma attacks.", ["HAS_ALLERGY_TO aspirin active", "HAS_CONDITION asthma active"]),
        ("It was codeine she is allergic to.", ["HAS_ALLERGY_TO codeine active"]),
        ("My left hip is metal.", ["HAS_IMPLANTS hip replacement active"]),
        ("I'm expecting in April.", ["HAS_CONDITION pregnancy active"]),
        ("I'm expecting a call from the clinic.", []),
        ("He handles cefazolin well.", ["TOLERATES cefazolin active"]),
        ("She was switched from lisinopril to losartan.", ["TAKES lisinopril resolved", "TAKES losartan active"]),
        ("He no longer takes warfarin, switched to apixaban.", ["TAKES apixaban active", "TAKES warfarin resolved"]),
    ],
)
def test_wordings_that_used_to_pass_in_silence(read: Read, text: str, facts: Facts) -> None:
    assert sorted(map(shown, read(text).proposals)) == facts


@pytest.mark.parametrize("opening", ["Before we start: ", "One thing you should note: ", "For tomorrow's list: "])
def test_a_clause_of_its_own_behind_a_colon_is_as_certain_as_without_the_opening(opening: str, read: Read) -> None:
    assert [shown(each) for each in read(f"{opening}I am severely allergic to penicillin.").proposals] == PENICILLIN


@pytest.mark.proves("Z05")
@pytest.mark.parametrize(
    "text",
    [
        "Allergies? None, apart from penicillin.",
        "Allergies? None that I can think of, except penicillin.",
        "Any allergies? No, other than to penicillin.",
    ],
)
def test_an_exception_in_an_answer_to_ones_own_question_is_never_passed_over(read: Read, text: str) -> None:
    reading = read(text)
    assert [shown(each) for each in reading.proposals] == PENICILLIN or reading.review


@pytest.mark.proves("Z03", "Z05")
@pytest.mark.parametrize(
    "text",
    ["Allergies? None apart from kiwi.", "Any allergies? Nothing except zylofan.", "Any allergies? No, except kiwi."],
)
def test_an_exception_of_an_unknown_name_is_never_passed_over(read: Read, text: str) -> None:
    assert read(text).review


def test_an_exception_from_anything_else_asks_nobody(read: Read) -> None:
    assert not read("No change except for the dose.").review
