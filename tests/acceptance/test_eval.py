"""`r-memory eval` and `r-memory bench` as people run them: the whole system, on small data of our own."""

import json
from collections.abc import Mapping
from functools import partial
from pathlib import Path

import pytest

from r_memory.cli.app import Exit, run
from r_memory_lab.bench import core
from r_memory_lab.bench.starting import start
from r_memory_lab.bench.stdio import over_stdio
from tests.chat_server import chat_server, says

pytestmark = pytest.mark.usefixtures("begun_suites")
SAID = "I am severely allergic to penicillin."
TALKS = (
    {
        "id": "one",
        "turns": [["doctor", "Any allergies?"], ["patient", SAID]],
        "gold": {"allergies": [["penicillin"]], "optional": [], "must_not": []},
        "facts": [{"kind": "HAS_FAMILY_HISTORY", "relative": ["father"], "object": ["stroke"]}],
    },
    {
        "id": "two",
        "turns": [["doctor", "Do you smoke?"], ["patient", "No. My father had a stroke."]],
        "gold": {"allergies": [], "optional": [], "must_not": ["tobacco"]},
        "facts": [{"kind": "HAS_FAMILY_HISTORY", "relative": ["father"], "object": ["stroke"]}],
    },
)
FILES: Mapping[str, tuple[Mapping[str, object], ...]] = {
    "allergy/dialogues.jsonl": TALKS,
    "facts/dialogues.jsonl": TALKS,
    "negex/items.jsonl": (
        {
            "id": 1,
            "sentence": "There is no effusion.",
            "start": 12,
            "end": 20,
            "negation": "negated",
            "temporality": "recent",
            "experiencer": "patient",
        },
    ),
    "orders/sentences.jsonl": (
        {"id": "a", "text": "Prescribe amoxicillin for a week.", "speaker": "doctor", "intents": ["MED_ORDER"]},
        {"id": "b", "text": "Nice to see you.", "speaker": "doctor", "intents": ["OTHER"]},
    ),
    "locomo/turns.jsonl": (
        {"conv": "a", "id": "D1:1", "speaker": "Ann", "text": "I baked bread.", "date": "1:56 pm on 8 May, 2023"},
        {"conv": "a", "id": "D1:2", "speaker": "Ben", "text": "I sailed home.", "date": "1:56 pm on 8 May, 2023"},
    ),
    "locomo/questions.jsonl": (
        {
            "qid": "a/0",
            "conv": "a",
            "category": "one",
            "question": "What did Ann bake?",
            "answerable": True,
            "evidence": ["D1:1"],
        },
    ),
    "scm/dialogues.jsonl": ({"id": "zh", "turns": [{"turn": 1, "user": "我养了一只猫", "assistant": "好"}]},),
    "scm/questions.jsonl": (
        {"qid": "1", "dialogue": "zh", "lang": "zh", "question": "我养了什么猫", "silver_evidence": [1]},
    ),
    "clinc150/items.jsonl": ({"id": "a", "text": "Play some jazz.", "domain": "home"},),
    "controller/items.jsonl": (
        {"id": "a", "text": "What did I tell you about my sister?", "needed": True, "source": "own"},
        {"id": "b", "text": "What is the capital of Portugal?", "needed": False, "source": "own"},
        {"id": "c", "text": "Play some jazz.", "needed": False, "source": "own"},
    ),
}
SENTENCES = """\
sentences:
- {id: S1, text: "I am severely allergic to penicillin.", expect: [{r: HAS_ALLERGY_TO, o: penicillin, status: active}]}
"""


@pytest.fixture
def data(tmp_path: Path) -> Path:
    for name, rows in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    (tmp_path / "sentences.yaml").write_text(SENTENCES, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    "suite",
    [
        "allergy", "sentences", "facts", "negex", "orders", "clinc150", "controller", "locomo", "scm", "baselines",
        "tokens", "weights", "thresholds",
    ],
)  # fmt: skip
def test_a_suite_runs_through_the_whole_system_and_leaves_predictions_and_reports(
    suite: str, data: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("R_MEMORY_DATA_DIR", str(data / "untouched"))
    source = data / "sentences.yaml" if suite == "sentences" else data
    out = data / "out"
    arguments = ["--predictions", f"{out}/p.jsonl", "--json", f"{out}/r.json", "--report", f"{out}/r.md"]

    assert run(["eval", suite, "--data", str(source), *arguments]) == Exit.DONE

    report = json.loads((out / "r.json").read_text(encoding="utf-8"))
    page = (out / "r.md").read_text(encoding="utf-8")
    assert (report["suite"], report["route"]) == (suite, "rules")
    assert report["store"].startswith("embedded ArcadeDB")
    assert len((out / "p.jsonl").read_text(encoding="utf-8").splitlines()) == report["items"]
    assert report["figures"][0]["name"] in capsys.readouterr().out
    assert page.startswith(f"# {suite}: ")
    assert SAID not in page + json.dumps(report)
    assert str(data) not in page + json.dumps(report)
    assert not (data / "untouched").exists()


def test_an_allergy_told_in_a_dialogue_is_found_and_none_is_made_up(data: Path) -> None:
    assert run(["eval", "allergy", "--data", str(data), "--predictions", str(data / "p.jsonl")]) == Exit.DONE
    lines = [json.loads(line) for line in (data / "p.jsonl").read_text(encoding="utf-8").splitlines()]
    assert lines == [{"id": "one", "allergies": ["Penicillin"]}, {"id": "two", "allergies": []}]


@pytest.mark.proves("T-1", "SCM-16")
def test_the_gate_can_be_measured_through_a_model_and_what_it_cannot_say_is_counted(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with chat_server(says("A"), says("(B)"), says("Who knows?")) as server:
        monkeypatch.setenv("R_MEMORY_MODEL_URL", server.url)
        monkeypatch.setenv("R_MEMORY_MODEL_NAME", "test-model")
        arguments = ["--route", "model", "--json", str(data / "r.json")]
        assert run(["eval", "controller", "--data", str(data), *arguments]) == Exit.DONE

    report = json.loads((data / "r.json").read_text(encoding="utf-8"))
    figures = {figure["name"]: (figure["value"], figure["n"]) for figure in report["figures"]}
    assert len(server.requests) == 3
    assert figures["answers that could not be read"] == (1 / 3, 3)
    assert figures["unsure, so activated"] == (1 / 3, 3)


def test_low_figures_are_no_failure(data: Path) -> None:
    (data / "allergy/dialogues.jsonl").write_text(
        json.dumps({"id": "one", "turns": [["patient", "Hello."]], "gold": {"allergies": [["penicillin"]]}}),
        encoding="utf-8",
    )
    assert run(["eval", "allergy", "--data", str(data)]) == Exit.DONE


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["eval", "nonsense", "--data", "."], "unknown suite 'nonsense'"),
        (["eval", "allergy", "--data", "nowhere"], "cannot be read"),
        (["eval", "allergy"], "--data"),
        (["bench", "nonsense"], "unknown benchmark 'nonsense'"),
        (["bench", "core", "--part", "nonsense"], "unknown part 'nonsense'"),
        (["bench", "core", "--neo4j"], "R_MEMORY_STORE_URI"),
    ],
)
def test_wrong_arguments_and_data_are_exit_code_two_before_any_work(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(arguments) == Exit.USAGE
    assert said in capsys.readouterr().err


def test_a_row_of_another_form_is_named_by_file_and_line(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with (data / "allergy/dialogues.jsonl").open("a", encoding="utf-8") as file:
        file.write('{"id": "three", "turns": []}\n')
    assert run(["eval", "allergy", "--data", str(data)]) == Exit.USAGE
    assert "dialogues.jsonl:3: gold: Field required" in capsys.readouterr().err


def test_a_report_that_cannot_be_written_is_refused_before_the_work(
    data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["eval", "allergy", "--data", str(data), "--report", str(data)]) == Exit.USAGE
    assert "cannot be written" in capsys.readouterr().err


def test_a_server_of_the_size_asked_for_is_started_asked_and_told_without_a_failed_call(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(core, "over_stdio", partial(over_stdio, calls=4, warm_up=0))
    monkeypatch.setattr(core, "start", partial(start, starts=1, calls=2))
    report = data / "bench.json"
    arguments = ["--part", "stdio", "--part", "start", "--facts", "200", "--json", str(report)]
    assert run(["bench", "http", *arguments]) == Exit.DONE
    figures = {figure["name"]: figure for figure in json.loads(report.read_text(encoding="utf-8"))["figures"]}
    assert any(name.startswith("first answer") for name in figures)
    assert figures["calls that failed over stdio at 200 facts"]["value"] == 0
    assert figures["remember, 16 at once, a second, over stdio at 200 facts"]["value"] > 0
    assert figures["remember with `facts` over the same words without, p50, over stdio at 200 facts"]["value"] > 0


@pytest.mark.proves("RM-16", "T-11")
def test_john_doe_is_found_first_and_alone_after_restarts(data: Path) -> None:
    report = data / "bench.json"
    assert run(["bench", "core", "--part", "trials", "--trials", "25", "--json", str(report)]) == Exit.DONE
    figures = [(figure["value"], figure["n"]) for figure in json.loads(report.read_text(encoding="utf-8"))["figures"]]
    assert figures == [(1.0, 25), (1.0, 25), (0, 25)]
