"""CIM's scoring: the worked fixtures of the specification to four decimals, in both forms."""

from dataclasses import replace

import pytest

from r_memory.domain.memories import Scored
from r_memory_lab.cim_words import keywords
from r_memory_lab.scorings import CimVariant, original_overlap
from r_memory_talk.stream.scoring import Cim, Scoring, cim_time
from tests.unit.talk.stream.world import HOUR, NOW, a_candidate, a_question

DATABASE = "Use PostgreSQL for the billing database"
PENICILLIN = "I am severely allergic to Penicillin."
FIXTURES = [
    ("which database for billing", DATABASE, 0, 0.6, 0.6124, 1.0, 0.6849),
    ("which database for billing", DATABASE, 12, 0.6, 0.6124, 0.85, 0.6549),
    ("which database for billing", DATABASE, 24, 0.6, 0.6124, 0.7, 0.6249),
    ("which database for billing", DATABASE, 48, 0.6, 0.6124, 0.7, 0.6249),
    ("what is the budget", "The budget is 500 dollars.", 0, 0.25, 0.6708, 1.0, 0.5683),
    ("Recommend the standard first-line antibiotic", PENICILLIN, 48, 0.0, 0.0, 0.7, 0.14),
]


def scored(cim: Scoring, query: str, record: str, hours: float) -> Scored:
    (found,) = cim.score(a_question(query), [a_candidate(said=(record,), created_at=NOW - round(hours * HOUR))])
    return found


def parts(found: Scored) -> tuple[float, ...]:
    return tuple(
        round(value, 4) for value in (*(found.components[n] for n in ("keyword", "semantic", "time")), found.score)
    )


@pytest.mark.proves("CIM-13", "CIM-14", "CIM-15", "CIM-16", "CIM-17", "A-10")
@pytest.mark.parametrize("cim", [CimVariant(form="original"), CimVariant()], ids=["original", "bounded"])
@pytest.mark.parametrize(("query", "record", "hours", "keyword", "semantic", "time", "score"), FIXTURES)
def test_worked_fixtures_hold_to_four_decimals_in_both_forms(
    cim: Scoring, query: str, record: str, hours: int, keyword: float, semantic: float, time: float, score: float
) -> None:
    assert parts(scored(cim, query, record, hours)) == (keyword, semantic, time, score)


@pytest.mark.proves("A-11")
def test_a_word_that_meets_a_record_word_three_times_counts_thrice_only_in_the_original_form() -> None:
    query = "apple pineapple applesauce"
    assert parts(scored(CimVariant(form="original"), query, "apple", 0)) == (3.0, 0.5774, 1.0, 1.6309)
    assert parts(scored(CimVariant(), query, "apple", 0)) == (0.3333, 0.5774, 1.0, 0.5643)


@pytest.mark.proves("T-10")
def test_chinese_without_blanks_is_missed_by_the_original_form_and_found_by_the_bounded_one() -> None:
    query, record = "青黴素過敏", "病人對青黴素嚴重過敏"
    original = scored(CimVariant(form="original"), query, record, 0)
    assert parts(original) == (0.0, 0.0, 1.0, 0.2)
    assert original.score < Cim().threshold
    for cim in (CimVariant(), Cim()):
        assert scored(cim, query, record, 0).score >= Cim().threshold


def test_full_width_forms_are_folded_in_the_bounded_form() -> None:
    full_width = "".join(chr(ord(letter) + 0xFEE0) for letter in "ASPIRIN")
    assert keywords(f"{full_width} 100mg") == ("aspirin", "100mg")


@pytest.mark.proves("CIM-18")
def test_the_threshold_is_inclusive() -> None:
    cim = Cim()
    ranked = [Scored(id=id_, score=score, components={}) for id_, score in (("in", 0.3), ("out", 0.2999999))]
    assert [item.id for item in cim.choose(ranked, 5)] == ["in"]


@pytest.mark.proves("CIM-19", "A-12")
def test_at_most_five_are_chosen_and_nothing_is_filled_up_unless_asked_for() -> None:
    good = [Scored(id=f"good {n}", score=0.9 - n / 10, components={"order": 10.0 - n}) for n in range(3)]
    bad = [Scored(id=f"bad {n}", score=0.1, components={"order": float(n)}) for n in range(4)]
    assert [item.id for item in Cim().choose([*good, *bad], 9)] == ["good 0", "good 1", "good 2"]
    filled = CimVariant(backfill=True).choose([*good, *bad], 9)
    assert [item.id for item in filled] == ["good 0", "good 1", "good 2", "bad 0", "bad 1"]
    many = [Scored(id=str(n), score=0.9, components={"order": 1.0}) for n in range(8)]
    assert len(Cim().choose(many, 9)) == 5


def test_a_record_from_the_future_is_one_from_now() -> None:
    assert cim_time(-72) == 1.0
    assert scored(Cim(), "budget", "budget", -72).components["time"] == 1.0


@pytest.mark.proves("A-10")
def test_cim_plus_compares_meanings_instead_of_words() -> None:
    plus = CimVariant(semantic="vectors")
    (found,) = plus.score(a_question("antibiotic"), [a_candidate(said=("penicillin",), cosine=0.5)])
    assert parts(found) == (0.0, 0.5, 1.0, 0.4)


def test_an_empty_question_meets_nothing() -> None:
    assert original_overlap((), ("a",)) == 0.0
    assert parts(scored(Cim(), "", DATABASE, 0)) == (0.0, 0.0, 1.0, 0.2)


def test_a_short_question_is_found_however_long_its_answer_was() -> None:
    """Issue 15.3: question and answer are messages of their own, and the better one counts."""
    asked = "My bicycle is locked behind the old bakery."
    answer = "Thank you for telling me, that sounds like a fine place to keep it while you are away. " * 5
    pair, alone = (asked, answer), (asked,)
    question = a_question("Where is the bicycle locked?", asked=(("bicycl",), ("lock",)))
    scores = [Cim().score(question, [a_candidate(said=said)])[0].score for said in (pair, alone)]
    assert scores[0] == scores[1] >= Cim().threshold


def test_a_rare_word_in_common_counts_for_more_than_a_frequent_one() -> None:
    asked = a_question(asked=(("dog",), ("ladakh",)))
    question = replace(asked, rarity=lambda term: 5.0 if term == "ladakh" else 1.0)
    told = [a_candidate("rare", said=("We saw Ladakh.",)), a_candidate("common", order=2, said=("We saw a dog.",))]
    assert [item.id for item in Cim().score(question, told)] == ["rare", "common"]
