"""`doctor` and the language model: whether it answers, exists, and how the form of its answers is asked for."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from r_memory.cli.checking import findings
from r_memory.cli.doctor import HealthFinding, about_encryption, about_model_queue, model_findings
from r_memory.config.settings import Settings
from r_memory.domain.facts import Route
from tests.chat_server import Answer, chat_server, lacks, refuses, says

pytestmark = pytest.mark.anyio
KEY = "sk-canary-4711"
BLUE = says('{"colour": "blue"}')


def asking(url: str, folder: Path) -> Settings:
    return Settings(
        data_dir=folder,
        routes=(Route.RULES, Route.MODEL),
        model_url=url,
        model_name="test-model",
        model_key=KEY,
        model_retries=0,
    )


async def found(folder: Path, answer: Answer, models: Sequence[str] | None = ("test-model",)) -> list[HealthFinding]:
    with chat_server(answer, models=models) as server:
        told = await model_findings(asking(server.url, folder))
        return [finding for finding in told if "exam" not in f"{finding.what} {finding.remedy}"]


async def test_without_the_route_nothing_is_asked(tmp_path: Path) -> None:
    assert await model_findings(Settings(data_dir=tmp_path)) == ()


@pytest.mark.parametrize(
    ("missing", "rung"),
    [
        ((), "it is held to a JSON Schema"),
        (("response_format",), "asked for as a tool call"),
        (("response_format", "tools"), "described in words"),
    ],
)
async def test_a_model_that_answers_is_fine_and_its_rung_is_named(
    tmp_path: Path, missing: tuple[str, ...], rung: str
) -> None:
    (finding,) = await found(tmp_path, lacks(*missing, otherwise=BLUE))
    assert (finding.level, rung in finding.what) == ("fine", True)


async def test_a_name_that_the_server_does_not_list_is_a_note_with_those_it_does(tmp_path: Path) -> None:
    note, answered = await found(tmp_path, BLUE, models=("other", "another"))
    assert (note.level, "another, other" in note.what, answered.level) == ("note", True, "fine")


async def test_the_smaller_model_is_the_one_that_is_asked(tmp_path: Path) -> None:
    with chat_server(BLUE, models=("test-model",)) as server:
        settings = replace(asking(server.url, tmp_path), small_model_name="smaller")
        told = await model_findings(settings)
        note, answered = (finding for finding in told if "exam" not in f"{finding.what} {finding.remedy}")
        assert server.requests[-1]["model"] == "smaller"
    assert ("R_MEMORY_SMALL_MODEL_NAME" in note.remedy, answered.level) == (True, "fine")


async def test_a_server_without_a_list_is_asked_all_the_same(tmp_path: Path) -> None:
    assert [finding.level for finding in await found(tmp_path, BLUE, models=None)] == ["fine"]


@pytest.mark.parametrize(
    ("answer", "remedy"),
    [
        (refuses(401, f"bad key {KEY}"), "R_MEMORY_MODEL_KEY"),
        (refuses(503), "try again later"),
        (says(""), "another model"),
    ],
)
async def test_a_model_that_fails_is_trouble_with_what_to_do_and_without_the_key(
    tmp_path: Path, answer: Answer, remedy: str
) -> None:
    (finding,) = await found(tmp_path, answer)
    assert (finding.level, remedy in finding.remedy, finding.store_down) == ("trouble", True, False)
    assert KEY not in repr(finding)


@pytest.mark.parametrize(
    ("url", "noted"),
    [
        ("http://models.example/v1", True),
        ("https://models.example/v1", False),
        ("http://localhost:1/v1", False),
        ("http://127.0.0.2/v1", False),
        ("http://[::1]:8080/v1", False),
    ],
)
async def test_words_that_travel_in_the_open_are_noted(tmp_path: Path, url: str, noted: bool) -> None:
    assert bool(list(about_encryption(asking(url, tmp_path)))) is noted


async def test_statements_that_wait_for_the_model_are_counted() -> None:
    assert list(about_model_queue(0)) == []
    (finding,) = about_model_queue(2)
    assert (finding.level, finding.what.startswith("2 statements")) == ("note", True)


async def test_check_names_a_place_of_the_prompt_that_nobody_fills(tmp_path: Path) -> None:
    prompt = tmp_path / "schema" / "prompts" / "extract.md"
    prompt.parent.mkdir(parents=True)
    prompt.write_text("# Task\n{{relations}}\n{{mood}}\n---\n{{text}}\n", encoding="utf-8")
    wrong = [finding for finding in findings(Settings(home=tmp_path, data_dir=tmp_path)) if finding.file == prompt]
    assert [(finding.severity, finding.line) for finding in wrong] == [("error", 2), ("error", 3), ("error", 4)]
