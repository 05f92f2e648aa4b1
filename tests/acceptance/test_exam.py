"""`r-memory exam` as people run it, with a server that speaks the OpenAI protocol."""

import asyncio
import json
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

from r_memory import Settings, open_memory
from r_memory.cli.app import Exit, run
from r_memory.config.exam_file import ExamRuns, exam_of
from r_memory.domain.exams import LEAST_LINES
from r_memory.domain.facts import Route
from tests.acceptance.conftest import begin
from tests.chat_server import Answer, ChatServer, Sent, chat_server, completion, drops, refuses, says, write
from tests.model_world import fact

DRUGS = ("penicillin", "codeine", "aspirin", "ibuprofen", "morphine", "latex", "tramadol", "naproxen")
NOBODYS = "Is she allergic to codeine?"


@pytest.fixture
def _begun(tmp_path: Path) -> None:
    begin(tmp_path / "data")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """With a short exam of our own."""
    examined(tmp_path / "home", 7)
    return tmp_path / "home"


def examined(home: Path, risks: int) -> None:
    """An exam: so many risks in numbered rooms, and one question."""
    lines: list[dict[str, object]] = [
        {
            "id": f"r{number}",
            "kind": "risk",
            "text": f"Room {number}: I am allergic to {DRUGS[number % len(DRUGS)]}.",
            "expect": [{"relation": "HAS_ALLERGY_TO", "object": DRUGS[number % len(DRUGS)], "status": "active"}],
        }
        for number in range(risks)
    ]
    lines.append({"id": "q", "kind": "question", "text": NOBODYS, "expect": []})
    path = home / exam_of("clinical")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")


def reads(answer: Callable[[str], list[Mapping[str, object]]]) -> Answer:
    """A model that answers with these facts for the words of each question."""

    def answered(handler: BaseHTTPRequestHandler, sent: Sent) -> None:
        words = str(sent["messages"][-1]["content"]).splitlines()[-1]
        write(handler, 200, completion({"content": json.dumps({"facts": answer(words)})}))

    return answered


def rightly(words: str) -> list[Mapping[str, object]]:
    said = words.partition(": ")[2]
    return [fact("HAS_ALLERGY_TO", said.split()[-1].rstrip("."), said)] if said else []


def wrongly(words: str) -> list[Mapping[str, object]]:
    """Every risk is denied, and a question states one."""
    return [{**given, "status": "negated"} for given in rightly(words)] or [
        fact("HAS_ALLERGY_TO", "codeine", "allergic to codeine")
    ]


def configure(monkeypatch: pytest.MonkeyPatch, server: ChatServer | None, folder: Path) -> None:
    monkeypatch.setenv("R_MEMORY_DATA_DIR", str(folder / "data"))
    monkeypatch.setenv("R_MEMORY_HOME", str(folder / "home"))
    if server is not None:
        monkeypatch.setenv("R_MEMORY_ROUTES", "rules,client,model")
        monkeypatch.setenv("R_MEMORY_MODEL_URL", server.url)
        monkeypatch.setenv("R_MEMORY_MODEL_NAME", "test-model")
        monkeypatch.setenv("R_MEMORY_MODEL_RETRIES", "0")


def settings_for(server: ChatServer, folder: Path) -> Settings:
    return Settings(
        home=folder / "home",
        data_dir=folder / "data",
        routes=(Route.RULES, Route.CLIENT, Route.MODEL),
        model_url=server.url,
        model_name="test-model",
        model_retries=0,
    )


@pytest.mark.usefixtures("_begun")
def test_a_model_that_passed_counts_until_its_address_or_prompt_changes(
    tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    examined(home, LEAST_LINES - 1)
    with chat_server(reads(rightly)) as server:
        configure(monkeypatch, server, tmp_path)
        assert run(["exam"]) == Exit.DONE
        said = capsys.readouterr().out
        assert "Passed: its reading counts" in said
        assert "99 of 99" in said
        assert run(["doctor"]) == Exit.DONE
        assert "the reading of test-model counts: it passed the exam" in capsys.readouterr().out
        assert asyncio.run(stated(settings_for(server, tmp_path))) == (True, "it passed the exam")
    with chat_server(reads(rightly)) as elsewhere:
        counts, why = asyncio.run(stated(settings_for(elsewhere, tmp_path)))
        assert not counts
        assert "was not examined" in why
    prompt = home / "schema" / "prompts" / "extract.md"
    prompt.parent.mkdir(parents=True)
    prompt.write_text("# Mine\n{{card}}\n---\n{{text}}\n", encoding="utf-8")
    counts, why = asyncio.run(stated(settings_for(server, tmp_path)))
    assert not counts
    assert "was not examined" in why


async def stated(settings: Settings) -> tuple[bool, str]:
    """What `memory_describe` is told of the model."""
    async with open_memory(settings) as memory:
        known = (await memory.describe()).model
        assert known is not None
        return known.counts, known.why


@pytest.mark.usefixtures("home")
def test_a_model_that_fails_is_named_with_its_harm_and_every_run_is_listed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with chat_server(reads(wrongly)) as server:
        configure(monkeypatch, server, tmp_path)
        assert run(["exam"]) == Exit.CHECK_FAILED
        said = capsys.readouterr().out
        assert "0 of 7" in said
        assert "0.0% of 7 risks kept" in said
        assert "7 false absences" in said
        assert run(["exam", "--json"]) == Exit.CHECK_FAILED
        data = json.loads(capsys.readouterr().out)
        assert (data["passed"], data["state"], data["run"]["kinds"]["question"]["unstated"]) == (False, "heard", 1)
    assert run(["exam", "--list", "--json"]) == Exit.DONE
    assert len(json.loads(capsys.readouterr().out)["runs"]) == 2


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize(
    ("answers", "said"),
    [
        ([drops], "could not be reached"),
        ([refuses(401)], "refused the key"),
        ([*[reads(rightly)] * 5, drops], "the exam broke off after 6 of 8 lines, and nothing of it was kept"),
    ],
)
def test_an_exam_that_breaks_off_keeps_nothing_and_says_where(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    answers: list[Any],
    said: str,
) -> None:
    with chat_server(*answers) as server:
        configure(monkeypatch, server, tmp_path)
        assert run(["exam"]) == Exit.CHECK_FAILED
    told = capsys.readouterr()
    assert said in told.err
    assert "nothing of it was kept" in told.err
    assert told.out == ""
    assert ExamRuns(tmp_path / "data").all() == ()


@pytest.mark.usefixtures("home")
def test_an_exam_that_a_person_interrupts_keeps_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with chat_server(reads(rightly)) as server:
        configure(monkeypatch, server, tmp_path)
        monkeypatch.setattr("r_memory.reading.exam.mark", interrupted)
        assert run(["exam"]) == Exit.INTERRUPTED
    assert capsys.readouterr().out == ""
    assert ExamRuns(tmp_path / "data").all() == ()


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize("answer", [says("She is allergic, I think."), says('{"facts": [{"relation": "HAS_ALL')])
def test_answers_that_are_no_facts_are_marked_as_malformed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], answer: Answer
) -> None:
    with chat_server(answer) as server:
        configure(monkeypatch, server, tmp_path)
        assert run(["exam", "--json"]) == Exit.CHECK_FAILED
    marks = json.loads(capsys.readouterr().out)["run"]["marks"]
    assert (marks["malformed"], marks["kept"], marks["stated"]) == (8, 0, 0)


def test_without_a_model_or_without_lines_the_exam_says_what_to_do(
    tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    configure(monkeypatch, None, tmp_path)
    assert run(["exam"]) == Exit.USAGE
    assert "no model is configured; set R_MEMORY_MODEL_URL and R_MEMORY_MODEL_NAME" in capsys.readouterr().err
    (home / "schema" / "mine.yaml").write_text(
        "schema: mine\nsubject: Person\nlanguage: en\nlexicon: clinical\nintents: intents/mine.yaml\n"
        "unavailable: Ask.\n"
        "relations:\n  LIKES: {object: Food, line: '{subject} likes {object}.'}\n",
        encoding="utf-8",
    )
    (home / "intents").mkdir()
    (home / "intents" / "mine.yaml").write_text(
        "version: 1\nintents:\n  EAT: {description: Food., edges: [LIKES], keywords: [eat]}\n", encoding="utf-8"
    )
    with chat_server(reads(rightly)) as server:
        configure(monkeypatch, server, tmp_path)
        monkeypatch.setenv("R_MEMORY_SCHEMA", "mine")
        assert run(["exam"]) == Exit.USAGE
    assert "the schema mine has no exam" in capsys.readouterr().err
