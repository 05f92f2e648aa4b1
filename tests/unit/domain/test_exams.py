"""What marks pass an exam, and which exam decides."""

from dataclasses import replace

import pytest

from r_memory.domain.exams import Examinee, ExamRun, LineMark, Marks, standing

ME = Examinee(model="m", address="a", schema="clinical", schema_version="1", prompt="p")
GOOD = Marks(lines=150, risks=100, kept=95, stated=100, unstated=1)


def a_run(marks: Marks = GOOD, *, at: int = 1, examinee: Examinee = ME) -> ExamRun:
    return ExamRun(at=at, examinee=examinee, marks=marks)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"kept": 94}, "94.0% of 100 risks kept"),
        ({"unstated": 2}, "2.0% of 100 facts stated by nobody"),
        ({"false_absences": 1}, "1 false absences"),
        ({"wrong_person": 1}, "1 facts of the wrong person"),
        ({"lines": 99}, "only 99 lines"),
        ({"risks": 0, "kept": 0}, "0.0% of 0 risks kept"),
    ],
)
def test_one_mark_below_what_is_needed_fails_and_is_named(change: dict[str, int], why: str) -> None:
    failed = replace(GOOD, **change)
    assert (GOOD.passed, failed.passed) == (True, False)
    (reason,) = failed.failings
    assert reason.startswith(why)


def test_marks_are_the_sums_of_their_lines() -> None:
    lines = [
        LineMark(id="a", kind="risk", risks=2, kept=1, stated=3, unstated=1, seconds=0.5, tokens=10),
        LineMark(id="b", kind="person", stated=1, wrong_person=1, malformed=True, seconds=0.25, tokens=5),
    ]
    assert Marks.of(lines) == Marks(
        lines=2, risks=2, kept=1, stated=4, unstated=1, wrong_person=1, malformed=1, seconds=0.8, tokens=15
    )


def test_the_last_run_decides() -> None:
    failed = a_run(replace(GOOD, kept=0), at=2)
    assert standing(ME, [a_run(), failed]).state == "heard"
    assert standing(ME, [failed, a_run(at=3)]).state == "counts"


@pytest.mark.parametrize("part", ["model", "address", "schema", "schema_version", "prompt"])
def test_another_model_address_schema_or_prompt_was_not_examined(part: str) -> None:
    known = standing(replace(ME, **{part: "other"}), [a_run()])
    assert (known.counts, known.run) == (False, None)
    assert known.why.endswith("run `r-memory exam`")


def test_a_setting_or_a_domain_without_lines_makes_a_model_heard_whatever_it_passed() -> None:
    assert standing(ME, [a_run()], wanted=False).state == "heard"
    assert "no exam lines" in standing(ME, [a_run()], lines=False).why
