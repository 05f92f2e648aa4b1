"""The lines of an exam are held against the schema; its results are kept whole or not at all."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from r_memory.config import exam_file
from r_memory.config.exam_file import RUNS, ExamRuns, exam_of, has_exam, load_exam
from r_memory.config.files import Files
from r_memory.config.loading import load_domain
from r_memory.domain.exams import Examinee, ExamRun, Marks
from r_memory.domain.facts import Status
from r_memory.errors import ConfigurationError

LINE = {"id": "x", "kind": "risk", "text": "Never give me zinc."}
RUN = ExamRun(
    at=5,
    examinee=Examinee(model="m", address="a", schema="clinical", schema_version="1", prompt="p"),
    marks=Marks(lines=3, risks=2, kept=1, seconds=1.5),
    kinds={"risk": Marks(lines=3)},
)


def home_with(folder: Path, *lines: object) -> Files:
    path = folder / exam_of("clinical")
    path.parent.mkdir(parents=True)
    path.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines), encoding="utf-8")
    return Files(home=folder)


def test_a_line_is_read_with_its_turns_and_what_it_expects(tmp_path: Path) -> None:
    expected = {"relation": "HAS_ALLERGY_TO", "object": "zinc", "status": "refuted", "attrs": {"reaction": "rash"}}
    turns = [{"speaker": "nurse", "text": "And zinc?"}]
    schema = load_domain(Files(), "clinical").schema
    (line,) = load_exam(home_with(tmp_path, {**LINE, "before": turns, "expect": [expected]}, ""), schema)
    assert (line.before, line.expect[0].status, line.role) == ((("nurse", "And zinc?"),), Status.REFUTED, "user")


@pytest.mark.parametrize(
    ("lines", "number", "said"),
    [
        (["{"], 1, "Invalid JSON"),
        ([LINE, {"id": "y", "kind": "risk"}], 2, "text: Field required"),
        ([{**LINE, "expect": [{"relation": "HATES", "object": "zinc"}]}], 1, "unknown relation 'HATES'"),
        ([{**LINE, "allow": [{"relation": "TAKES", "object": "zinc", "status": "gone"}]}], 1, "allow.0.status"),
        ([{**LINE, "expect": [{"relation": "TAKES", "object": "x", "attrs": {"colour": "red"}}]}], 1, "no attribute"),
        ([LINE, LINE], 2, "comes twice"),
    ],
)
def test_a_wrong_line_is_refused_with_its_place(tmp_path: Path, lines: list[object], number: int, said: str) -> None:
    with pytest.raises(ConfigurationError, match=said) as refused:
        load_exam(home_with(tmp_path, *lines), load_domain(Files(), "clinical").schema)
    assert refused.value.line == number


@pytest.mark.parametrize("name", ["clinical", "law", "finance", "personal"])
def test_the_shipped_lines_fit_their_schema(name: str) -> None:
    schema = load_domain(Files(), name).schema
    lines = load_exam(Files(), schema)
    assert has_exam(Files(), name) is bool(lines)
    assert len({line.text for line in lines}) == len(lines)


def test_results_are_kept_in_order_and_read_back(tmp_path: Path) -> None:
    runs = ExamRuns(tmp_path / "new")
    assert runs.all() == ()
    runs.add(RUN)
    runs.add(replace(RUN, at=6))
    assert runs.all() == (RUN, replace(RUN, at=6))


def test_a_result_that_cannot_be_kept_says_so_and_leaves_the_earlier_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = ExamRuns(tmp_path)
    runs.add(RUN)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(exam_file, "write_whole", full)
    with pytest.raises(ConfigurationError, match="run the exam again"):
        runs.add(RUN)
    assert runs.all() == (RUN,)


def test_a_file_of_results_that_was_broken_is_named_with_its_line(tmp_path: Path) -> None:
    ExamRuns(tmp_path).add(RUN)
    with (tmp_path / RUNS).open("a", encoding="utf-8") as file:
        file.write('{"at": 1}\n')
    with pytest.raises(ConfigurationError, match="is no result of an exam") as refused:
        ExamRuns(tmp_path).all()
    assert refused.value.line == 2
