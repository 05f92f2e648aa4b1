"""The model route of a whole installation: settings, store, command line, and a server that is away for a while."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from r_memory import Settings, open_memory
from r_memory.cli.app import Exit, run
from r_memory.domain.events import EpisodeStatus
from r_memory.domain.facts import Route, Status
from r_memory.memory import Memory
from tests.acceptance.conftest import begin
from tests.chat_server import ChatServer, chat_server, facts, refuses
from tests.model_world import fact

pytestmark = pytest.mark.usefixtures("_begun")
KEY = "sk-canary-4711"
STRANGE = "The ibuprofen sent me straight to the emergency room."
FOUND = facts(fact("HAS_ALLERGY_TO", "ibuprofen", STRANGE))
JOHN = ("--subject", "JD001", "--subject-name", "John Doe")


@pytest.fixture
def _begun(tmp_path: Path) -> None:
    begin(tmp_path / "data")


def environment(server: ChatServer, folder: Path) -> Mapping[str, str]:
    return {
        "R_MEMORY_DATA_DIR": str(folder / "data"),
        "R_MEMORY_ROUTES": "rules,client,model",
        "R_MEMORY_MODEL_URL": server.url,
        "R_MEMORY_MODEL_NAME": "test-model",
        "R_MEMORY_MODEL_KEY": KEY,
        "R_MEMORY_MODEL_RETRIES": "0",
    }


def settings_for(server: ChatServer, folder: Path, home: Path | None = None) -> Settings:
    return Settings(
        home=home,
        data_dir=folder / "data",
        routes=(Route.RULES, Route.CLIENT, Route.MODEL),
        model_url=server.url,
        model_name="test-model",
        model_key=KEY,
        model_retries=0,
    )


async def ibuprofen(memory: Memory) -> list[Status]:
    page = await memory.list_facts(subject="JD001", relations=["HAS_ALLERGY_TO"])
    return [fact.status for fact in page.facts if fact.object.id == "ibuprofen"]


@pytest.mark.anyio
async def test_words_that_the_model_missed_are_read_by_it_after_the_next_start(tmp_path: Path) -> None:
    with chat_server(refuses(503)) as away, chat_server(FOUND) as back:
        async with open_memory(settings_for(away, tmp_path)) as memory:
            heard = await memory.remember("I take warfarin.", subject="JD001", subject_name="John Doe")
            assert [(taken.route, bool(taken.failed)) for taken in heard.routes] == [
                (Route.RULES, False),
                (Route.MODEL, True),
            ]
            assert await memory.unread() == 1
        async with open_memory(settings_for(back, tmp_path)) as memory:
            await memory.resume()
            assert await memory.unread() == 0
            await memory.remember(STRANGE, subject="JD001")
            assert await ibuprofen(memory) == [Status.UNCONFIRMED]
            (known,) = [
                fact
                for fact in (await memory.list_facts(subject="JD001", relations=["HAS_ALLERGY_TO"])).facts
                if fact.object.id == "ibuprofen"
            ]
            (event,) = [item for item in await memory.history(known.fact_id) if item.route is Route.MODEL]
            assert (event.extractor, len(event.prompt_digest)) == ("chat/2 test-model", 12)
            block = await memory.build_context("Give her something for the pain.", subject="JD001")
            assert EpisodeStatus.RETRY not in {episode.status for episode in block.pending}


@pytest.mark.anyio
async def test_a_prompt_of_ones_own_is_what_the_model_is_asked(tmp_path: Path) -> None:
    home = tmp_path / "home"
    (home / "schema" / "prompts").mkdir(parents=True)
    own = "# Mine\nRelations:\n{{card}}\n---\nWords of {{subject}}: {{text}}\n"
    (home / "schema" / "prompts" / "extract.md").write_text(own, encoding="utf-8")
    with chat_server(facts()) as server:
        async with open_memory(settings_for(server, tmp_path, home)) as memory:
            await memory.remember("I take warfarin.", subject="JD001", subject_name="John Doe")
    told, question = server.requests[0]["messages"]
    assert told["content"].startswith("# Mine\nRelations:\nRelations (! critical")
    assert question["content"] == "Words of John Doe: I take warfarin."


def test_the_command_line_says_that_the_model_failed_and_that_the_fact_is_stored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with chat_server(refuses(401, f"Incorrect API key provided: {KEY}")) as server:
        for name, value in environment(server, tmp_path).items():
            monkeypatch.setenv(name, value)
        assert run(["remember", "I take warfarin.", *JOHN]) == Exit.DONE
        said = capsys.readouterr()
        assert run(["remember", "I have a pacemaker.", *JOHN, "--json"]) == Exit.DONE
        as_json = json.loads(capsys.readouterr().out)
        assert run(["doctor"]) == Exit.CHECK_FAILED
        doctor = capsys.readouterr()
    assert said.out.startswith("stored      TAKES Warfarin")
    assert "The model did not read 1 statement: the model's server refused the key" in said.out
    assert "refused the key" in as_json["statements"][0]["unread_by"][0]
    assert "TROUBLE model" in doctor.out
    assert "2 statements could not be read by the model" in doctor.out
    assert KEY not in f"{said}{as_json}{doctor}"


@pytest.mark.usefixtures("begun_suites")
def test_the_suites_measure_the_model_route_and_name_the_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    data, report = tmp_path / "own.yaml", tmp_path / "report.md"
    expected = "{r: HAS_ALLERGY_TO, o: ibuprofen, status: unconfirmed}"
    data.write_text(f"sentences:\n- {{id: S1, text: {STRANGE}, expect: [{expected}]}}\n", encoding="utf-8")
    with chat_server(FOUND) as server:
        for name, value in environment(server, tmp_path).items():
            monkeypatch.setenv(name, value)
        for route in ("rules", "model"):
            assert run(["eval", "sentences", "--data", str(data), "--route", route, "--report", str(report)]) == 0
            text = report.read_text(encoding="utf-8")
            assert f"--route {route}" in text
            assert ("Route rules + model (test-model);" if route == "model" else "Route rules;") in text
        assert len(server.requests) == 1
    with chat_server(refuses(503)) as server:
        monkeypatch.setenv("R_MEMORY_MODEL_URL", server.url)
        assert run(["eval", "sentences", "--data", str(data), "--route", "model", "--report", str(report)]) == 0
    assert "The model failed on 1 statement," in report.read_text(encoding="utf-8")
    capsys.readouterr()
