"""Judgements of the suite `readings`, on sentences of our own."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from r_memory.errors import InvalidInput
from r_memory.reading.alike import Meaning
from r_memory_lab.evals.measures import count, share
from r_memory_lab.evals.readings import (
    CallPrediction,
    FactFate,
    Kept,
    LineJudgement,
    RecordedCall,
    flipped,
    outcome,
    rows,
    run,
    run_over_mcp,
    score,
)
from tests.unit.memory_world import ALLERGY, a_world

NUT = {"relation": "HAS_ALLERGY_TO", "object": "walnuts", "evidence": "Walnuts nearly killed me"}
WANTED = {"r": "HAS_ALLERGY_TO", "o": "walnut", "status": "active"}
CRITICAL = ("HAS_ALLERGY_TO", "DOSE_LIMIT")


def reading(*given: Mapping[str, object], **more: object) -> RecordedCall:
    return RecordedCall.model_validate(
        {"id": "s", "text": "Walnuts nearly killed me.", "model": given or (NUT,), "expect": [WANTED], **more}
    )


def kept(object_: str = "walnuts", status: str = "active", relation: str = "HAS_ALLERGY_TO", **more: object) -> Kept:
    return Kept.model_validate({"object": object_, "status": status, "relation": relation, **more})


def judged(row: RecordedCall, *facts: Kept, **more: object) -> LineJudgement:
    (judgement,) = score([row], [CallPrediction(id="s", kept=facts, critical=CRITICAL, **more)])  # type: ignore[arg-type]
    return judgement


def test_a_plural_and_an_article_make_no_other_thing() -> None:
    assert judged(reading(), kept("the walnuts")).right


def test_what_waits_is_not_right_and_still_in_view() -> None:
    judgement = judged(reading(), waits=("Walnuts nearly killed me.",))
    assert (judgement.read_right, judgement.right, judgement.lost) == (True, False, ())


def test_a_risk_that_left_no_trace_is_named() -> None:
    assert judged(reading(), kept(status="negated")).lost == ("HAS_ALLERGY_TO walnut",)


def test_a_narrower_name_is_right_and_a_broader_one_is_not() -> None:
    meanings = {"walnut": Meaning(inside=("walnut",)), "tree nut": Meaning(inside=("tree nut",))}
    assert judged(reading(), kept("walnut oil"), meanings=meanings).right
    assert not judged(reading(), kept("tree nut"), meanings=meanings).right


def test_synonyms_of_one_term_are_one_thing() -> None:
    meanings = {"walnut": Meaning(same=("walnut",)), "juglans": Meaning(same=("walnut",))}
    assert judged(reading(), kept("juglans"), meanings=meanings).right


def test_a_number_that_differs_is_wrong_and_a_word_that_differs_is_counted() -> None:
    limit = {"r": "DOSE_LIMIT", "o": "iron", "status": "active", "max": 2, "period": "day"}
    row = reading({**NUT, "relation": "DOSE_LIMIT", "object": "iron", "attrs": {"max": 2}}, expect=[limit])
    assert not judged(row, kept("iron", relation="DOSE_LIMIT", attrs={"max": 3})).right
    other = judged(row, kept("iron", relation="DOSE_LIMIT", attrs={"max": 2.0, "period": "week"}))
    assert (other.right, other.attrs_missed) == (True, ("DOSE_LIMIT iron",))


def test_a_denial_that_nobody_expected_reassures() -> None:
    judgement = judged(reading(), kept(status="negated"))
    assert (judgement.reassuring, judgement.right) == (("HAS_ALLERGY_TO walnuts negated",), False)


def test_a_harmless_fact_of_the_caller_is_not_wrong_and_one_added_beside_it_is() -> None:
    age = kept("forty", relation="HAS_AGE")
    row = reading(NUT, {**NUT, "relation": "HAS_AGE", "object": "forty"})
    assert judged(row, kept(), age).right
    assert not judged(row, kept(), age, beside=(age,)).right


def test_a_whole_scope_may_be_said_in_any_words_and_is_stored_in_those_of_the_schema() -> None:
    none = {"r": "HAS_ALLERGY_TO", "o": "any", "status": "negated"}
    row = reading({**NUT, "object": "allergies", "status": "negated"}, expect=[none])
    assert judged(row, kept("any", status="negated")).right
    judgement = judged(row, kept("allergies", status="negated"))
    assert (judgement.read_right, judgement.right) == (True, False)


@pytest.mark.anyio
async def test_each_given_fact_has_its_fate() -> None:
    nut = {"relation": "HAS_ALLERGY_TO", "object": "penicillin", "evidence": "allergic to penicillin"}
    row = reading(nut, {**nut, "relation": "HAS_INTOLERANCE_TO"}, text=ALLERGY)
    (prediction,) = await run(a_world(refused=["HAS_INTOLERANCE_TO"]).memory, [row], lambda: None)
    assert [(fate.relation, fate.fate) for fate in prediction.fates] == [
        ("HAS_ALLERGY_TO", "as given"),
        ("HAS_INTOLERANCE_TO", "refused"),
    ]


@pytest.mark.anyio
async def test_what_nobody_gave_is_added_beside_the_caller() -> None:
    (prediction,) = await run(a_world().memory, [reading(NUT, text=ALLERGY)], lambda: None)
    assert [item.object for item in prediction.beside] == ["penicillin"]


def test_a_change_without_a_reason_is_silent() -> None:
    told = {"relation": "HAS_ALLERGY_TO", "object": "walnuts", "given": "active"}
    silent = FactFate(**told, fate="otherwise", stored="unconfirmed")
    assert (silent.silent, silent.model_copy(update={"reason": "doubted"}).silent) == (True, False)
    assert FactFate(**told, fate="vanished").silent


def test_bent_calls_are_counted_apart() -> None:
    bent = reading({**NUT, "status": "negated"}, id="b", bad="risk read as denied")
    result = outcome(
        [reading(id="a"), bent],
        [
            CallPrediction(id="a", kept=(kept(),), critical=CRITICAL),
            CallPrediction(id="b", kept=(kept(status="negated"),), critical=CRITICAL),
        ],
    )
    figures = {figure.name: figure for figure in result.figures}
    assert figures["lines stored right"] == share("lines stored right", 1, 1)
    assert figures["bent calls stored as an absence"] == share("bent calls stored as an absence", 1, 1, aim="<= .04")
    lost = "bent calls after which a risk is no longer in view"
    assert figures[lost] == count(lost, 1, 1, aim="0")
    assert result.details["Risk no longer in view"] == ["b (HAS_ALLERGY_TO walnut)"]


def test_plain_risks_are_flipped_and_nothing_else(tmp_path: Path) -> None:
    lines = [
        {"id": "a", "text": "x", "model": [NUT], "expect": [WANTED]},
        {"id": "b", "text": "x", "model": [{**NUT, "status": "negated"}], "expect": [WANTED]},
        {"id": "c", "text": "x", "model": [NUT], "expect": []},
    ]
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    assert [(row.id, row.given[0].status, row.bad) for row in flipped(tmp_path)] == [
        ("a-negated", "negated", "risk read as negated"),
        ("a-resolved", "resolved", "risk read as resolved"),
    ]


def test_a_folder_is_read_whole_and_a_wrong_line_is_refused_with_its_place(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / f"{name}.jsonl").write_text(json.dumps({"id": name, "text": "x", "model": []}), encoding="utf-8")
    assert [row.id for row in rows(tmp_path)] == ["one", "two"]
    (tmp_path / "three.jsonl").write_text(json.dumps({"id": "three", "text": "x"}), encoding="utf-8")
    with pytest.raises(InvalidInput, match=r"three\.jsonl:1: model: Field required"):
        rows(tmp_path)


@pytest.mark.anyio
async def test_over_mcp_the_same_comes_of_a_call() -> None:
    nut = {"relation": "HAS_ALLERGY_TO", "object": "penicillin", "evidence": "allergic to penicillin"}
    row = reading(nut, text=ALLERGY)
    (direct,) = await run(a_world().memory, [row], lambda: None)
    (wired,) = await run_over_mcp(a_world().memory, [row], lambda: None)
    assert (wired.kept, wired.fates, wired.waits) == (direct.kept, direct.fates, direct.waits)
    (refused,) = await run_over_mcp(a_world().memory, [row.model_copy(update={"text": " "})], lambda: None)
    assert refused.error
