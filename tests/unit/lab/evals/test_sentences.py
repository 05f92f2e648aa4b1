"""Judgements of the suite `sentences`, on sentences of our own."""

from pathlib import Path

import pytest

from r_memory.errors import InvalidInput
from r_memory_lab.evals.measures import count, share
from r_memory_lab.evals.sentences import (
    FoundFact,
    GoldSentence,
    SentenceJudgement,
    SentencePrediction,
    outcome,
    phenomena,
    rows,
    run,
    score,
)
from tests.unit.memory_world import ALLERGY, UNREAD, a_world

WANTED = {"r": "HAS_ALLERGY_TO", "o": "walnut", "status": "active", "severity": "severe"}
DENIED = {"r": "HAS_ALLERGY_TO", "o": "any", "status": "negated"}


def sentence(**given: object) -> GoldSentence:
    return GoldSentence.model_validate({"id": "s", "text": "Walnuts nearly killed me.", **given})


def found(
    object_: str = "walnut", status: str = "active", relation: str = "HAS_ALLERGY_TO", **attrs: object
) -> FoundFact:
    return FoundFact(relation=relation, object=object_, status=status, subject="patient", attrs=attrs)


def judged(item: GoldSentence, *facts: FoundFact, review: tuple[str, ...] = ()) -> SentenceJudgement:
    (judgement,) = score([item], [SentencePrediction(id="s", facts=facts, review=review)])
    return judgement


def test_the_expected_fact_with_its_attributes_is_right() -> None:
    assert judged(sentence(expect=[WANTED]), found(severity="Severe", reaction="shock")).right


def test_numbers_and_words_of_attributes_are_compared_as_people_write_them() -> None:
    limit = {"r": "DOSE_LIMIT", "o": "acetaminophen", "status": "active", "max": 2}
    assert judged(sentence(expect=[limit]), found("acetaminophen", relation="DOSE_LIMIT", max=2.0)).right


def test_a_missing_attribute_is_a_miss() -> None:
    judgement = judged(sentence(expect=[WANTED]), found())
    assert (judgement.right, judgement.missed, judgement.unexpected) == (False, ("HAS_ALLERGY_TO walnut",), ())


def test_a_missed_risk_is_silent_unless_a_person_is_asked() -> None:
    item = sentence(expect=[WANTED])
    assert judged(item).silent == ("HAS_ALLERGY_TO walnut",)
    assert judged(item, review=("Walnuts nearly killed me.",)).silent == ()


def test_another_reading_that_is_listed_is_right() -> None:
    other = {"r": "HAS_INTOLERANCE_TO", "o": "walnut", "status": "unconfirmed"}
    item = sentence(expect=[{**WANTED, "alt": [other]}])
    assert judged(item, found(status="unconfirmed", relation="HAS_INTOLERANCE_TO")).right


def test_an_allowed_fact_is_neither_needed_nor_wrong() -> None:
    item = sentence(allow=[{"r": "HAS_CONDITION", "o": "*"}])
    assert judged(item).right
    assert judged(item, found("asthma", relation="HAS_CONDITION")).right


def test_a_forbidden_fact_is_named() -> None:
    judgement = judged(sentence(forbid=[{"r": "HAS_ALLERGY_TO", "o": "*", "status": "active"}]), found())
    assert judgement.forbidden == ("HAS_ALLERGY_TO walnut active",)


@pytest.mark.parametrize(
    "fact", [found(status="negated"), found(status="resolved"), found(relation="TOLERATES")], ids=str
)
def test_an_unexpected_denial_or_tolerance_is_a_false_reassurance(fact: FoundFact) -> None:
    judgement = judged(sentence(), fact)
    assert (judgement.reassuring, judgement.right) == ((str(fact),), False)


def test_an_expected_denial_is_none() -> None:
    judgement = judged(sentence(expect=[DENIED]), found("any", status="negated"))
    assert (judgement.reassuring, judgement.right, judgement.risks) == ((), True, 0)


def test_the_older_name_of_contraindications_is_understood() -> None:
    item = sentence(expect=[{"r": "HAS_CONTRAINDICATION", "o": "aspirin", "status": "active"}])
    assert judged(item, found("aspirin", relation="IS_CONTRAINDICATED_WITH")).right


def test_a_rule_is_compared_with_what_it_is_about() -> None:
    rule = {"s": "gadolinium", "r": "REQUIRES_PREP", "o": "hold metformin", "status": "rule"}
    fact = FoundFact(relation="REQUIRES_PREP", object="hold metformin", status="rule", subject="Gadolinium", attrs={})
    assert judged(sentence(expect=[rule]), fact).right
    assert not judged(sentence(expect=[rule]), fact.model_copy(update={"subject": "barium"})).right


def test_the_totals_and_the_phenomena() -> None:
    items = [
        sentence(id="a", expect=[WANTED]),
        sentence(id="b", expect=[DENIED]),
        sentence(id="c", text="Should I avoid walnuts?"),
    ]
    facts = (found(severity="severe"),)
    result = outcome(
        items, [SentencePrediction(id="a", facts=facts), SentencePrediction(id="c", facts=(found(status="refuted"),))]
    )
    assert result.figures == (
        share("items right", 1, 3),
        share("risks missed", 0, 1),
        count("risks missed silently", 0, 1, aim="<= 3 per 50 risks"),
        count("forbidden facts", 0, 3, aim="0"),
        count("false reassurances", 1, 3, aim="0"),
    )
    assert result.groups == {
        "Items right by phenomenon": [
            share("brand, synonym or misspelling", 1, 1),
            share("negation", 0, 1),
            share("nothing stated: a question, a condition, an order", 0, 1),
            share("severity or reaction", 1, 1),
        ],
        "Risks missed by phenomenon": [
            share("brand, synonym or misspelling", 0, 1),
            share("severity or reaction", 0, 1),
        ],
        "Facts that do harm by phenomenon": [count("nothing stated: a question, a condition, an order", 1, 1, aim="0")],
    }


def test_a_file_may_name_the_phenomenon() -> None:
    assert phenomena(sentence(phenomenon="list", expect=[DENIED])) == ("list",)


def test_silence_is_wrong_where_a_person_must_be_asked() -> None:
    item = sentence(review=True)
    silent, asked = SentencePrediction(id=item.id), SentencePrediction(id=item.id, review=(item.text,))
    assert [row.right for row in score([item, item], [silent])] == [False, False]
    assert score([item], [asked])[0].right


@pytest.mark.parametrize(
    ("given", "names"),
    [
        ({"allow": [{"r": "HAS_FAMILY_HISTORY", "o": "*"}]}, ("somebody else's",)),
        ({"expect": [{**WANTED, "status": "refuted"}]}, ("resolved or refuted", "severity or reaction")),
        ({"expect": [{"r": "X", "o": "walnuts", "status": "unconfirmed"}]}, ("doubt",)),
        (
            {"expect": [{"r": "X", "o": "walnuts", "status": "active"}, {"r": "X", "o": "me", "status": "active"}]},
            ("list",),
        ),
        ({"expect": [{"r": "X", "o": "me", "status": "active", "unit": "mg"}]}, ("number with unit",)),
    ],
)
def test_what_makes_a_sentence_hard_is_read_off_the_facts_expected(
    given: dict[str, object], names: tuple[str, ...]
) -> None:
    assert phenomena(sentence(**given)) == names


def test_a_file_is_read_with_its_speakers(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(
        "sentences:\n- {id: A1, text: 'No.', speaker: nurse, expect: [{r: DOSE_LIMIT, o: iron, max: 2}]}\n",
        encoding="utf-8",
    )
    (item,) = rows(path)
    assert (item.id, item.speaker, item.expect[0].o, dict(item.expect[0].attrs)) == ("A1", "nurse", "iron", {"max": 2})


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("- a\n", "expected a list under `sentences:`"),
        ("sentences: [{id: A1}]\n", "sentence 1: text: Field required"),
        ("sentences: [secret]\n", "sentence 1"),
        ("sentences: [{id: A1, text: a, expect: [{o: b}]}]\n", "expect.0.r: Field required"),
        ("sentences: [\n", "mine.yaml"),
        ("sentences: []\n", "holds no rows"),
    ],
)
def test_a_wrong_file_is_refused_with_the_place(tmp_path: Path, content: str, said: str) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(InvalidInput) as raised:
        rows(path)
    assert said in str(raised.value)
    assert "secret" not in str(raised.value)


@pytest.mark.anyio
async def test_a_prediction_holds_facts_and_what_is_left_for_a_person() -> None:
    items = (sentence(id="a", text=ALLERGY), sentence(id="b", text=UNREAD))
    first, second = await run(a_world().memory, items, lambda: None)
    assert [(str(fact), fact.subject) for fact in first.facts] == [("HAS_ALLERGY_TO penicillin active", "patient")]
    assert (second.facts, second.review) == ((), (UNREAD,))
