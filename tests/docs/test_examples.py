"""What the documents tell people to do works as written."""

import doctest
import json
import pkgutil
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest
import typer
from typer.core import TyperGroup

import r_memory
from r_memory import errors as errors_module
from r_memory.cli import app
from r_memory.cli.app import COMMANDS, run
from r_memory.memory import Memory
from tests.acceptance.conftest import begin
from tests.unit.memory_world import a_world

ROOT = Path(__file__).parents[2]
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
FENCE = re.compile(r"^```(?P<kind>\w*)\n(?P<text>.*?)^```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?P<target>[^)#:]+)(?:#[^)]*)?\)")


def blocks(page: Path, kind: str) -> list[str]:
    """The fenced blocks of a page."""
    return [block["text"] for block in FENCE.finditer(page.read_text(encoding="utf-8")) if block["kind"] == kind]


def commands(page: Path) -> Iterator[list[str]]:
    """Every `r-memory` command of a page, as arguments."""
    for block in blocks(page, "console"):
        for line in block.splitlines():
            if line.startswith("$ r-memory "):
                yield shlex.split(line.removeprefix("$ r-memory "), comments=True)


@pytest.fixture
def own_folders(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    for name in ("R_MEMORY_HOME", "R_MEMORY_STORE_URI", "R_MEMORY_SPACE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("R_MEMORY_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def begun_folders(own_folders: Path) -> Path:
    """The same after a first start, which the tutorial and the programs of the pages make for themselves."""
    begin(own_folders / "data")
    return own_folders


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_link_of_a_page_leads_somewhere(page: Path) -> None:
    targets = [found["target"] for found in LINK.finditer(page.read_text(encoding="utf-8"))]
    assert [target for target in targets if not (page.parent / target).exists()] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_command_of_a_page_has_the_arguments_and_options_that_it_takes(page: Path) -> None:
    for name, *arguments in commands(page):
        if name in COMMANDS:  # else an option of the program itself
            program = typer.main.get_command(app._app(name))
            assert isinstance(program, TyperGroup)
            with program.make_context("r-memory", [name]) as context:
                program.commands[name].make_context(name, arguments, parent=context)  # raises what a shell would print


def test_every_example_in_a_docstring_gives_what_it_says() -> None:
    names = [module.name for module in pkgutil.walk_packages(r_memory.__path__, "r_memory.")]
    examined = [name for name in names if "defaults" not in name and not name.endswith("__main__")]
    failed = {name for name in examined if doctest.testmod(import_module(name)).failed}
    assert failed == set()


@pytest.mark.usefixtures("own_folders")
def test_the_tutorial_can_be_followed_word_for_word(capsys: pytest.CaptureFixture[str]) -> None:
    printed = []
    for arguments in commands(ROOT / "docs" / "tutorial.md"):
        assert run(arguments) == 0, arguments
        printed.append(capsys.readouterr().out)
    intake, _, question, recall, denial, facts, audits, severe, verified = printed
    assert "HAS_ALLERGY_TO" in intake
    assert "HAS_ALLERGY_TO" not in question
    lines = recall.splitlines()
    assert lines[2].startswith("CRITICAL ALLERGY: John Doe is allergic to Penicillin")
    assert "MATCH (subject:Entity" in recall
    assert "contradicted" in denial
    assert "2 facts recorded" in facts
    assert "severe_allergies" in audits
    assert "Penicillin" in severe
    assert "whole" in verified.lower() or "0 differences" in verified


def test_the_added_mapping_is_accepted_and_understood(begun_folders: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = ROOT / "docs" / "how-to" / "add-a-mapping.md"
    relation, intent = blocks(page, "yaml")
    assert run(["init", "my-home", "intents.yaml", "schema/clinical.yaml"]) == 0
    for name, heading, block in (
        ("schema/clinical.yaml", "relations:", relation),
        ("intents.yaml", "intents:", intent),
    ):
        file = begun_folders / "my-home" / name
        file.write_text(
            file.read_text(encoding="utf-8").replace(f"\n{heading}\n", f"\n{heading}\n{block}", 1), encoding="utf-8"
        )
    assert run(["check", "--home", "my-home"]) == 0
    capsys.readouterr()
    said = ["remember", "I am just back from Zanzibar.", "--subject", "x1", "--subject-name", "Ann Poe"]
    assert run([*said, "--home", "my-home"]) == 0
    assert "TRAVELLED_TO" in capsys.readouterr().out
    assert run(["recall", "Advise her on her trip to Kenya.", "--subject", "x1", "--home", "my-home"]) == 0
    block = capsys.readouterr().out
    assert "TRAVEL_ADVICE" in block
    assert 'TRAVEL: Ann Poe was in "Zanzibar".' in block


@pytest.mark.proves("RM-12")
def test_the_domain_of_the_guide_works_as_written(own_folders: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = ROOT / "docs" / "how-to" / "write-a-domain.md"
    files = re.findall(r"`fleet-home/([\w/.]+\.yaml)`", page.read_text(encoding="utf-8"))
    init, check, remember, recall = commands(page)
    assert run(init) == 0
    for name, block in zip(files, blocks(page, "yaml"), strict=True):
        file = own_folders / "fleet-home" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(block, encoding="utf-8")
    assert run(check) == 0
    assert "fleet.yaml:" not in capsys.readouterr().out
    assert run(remember) == 0
    assert run(recall) == 0
    block = capsys.readouterr().out
    assert "DISPATCH" in block
    assert "FORBIDDEN CARGO: Truck 7 must not carry Explosives." in block
    assert "DUE: Brake test of Truck 7 by 2027-05-03." in block


def test_the_python_of_the_readme_prints_the_allergy_first(own_folders: Path) -> None:
    """A program of its own, on the store that the environment names (A9)."""
    (code,) = blocks(ROOT / "README.md", "python")
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.splitlines()[2].startswith("CRITICAL ALLERGY: John Doe is allergic to Penicillin")
    assert (own_folders / "data" / "store").is_dir()


PYTHON = ROOT / "docs" / "reference" / "python.md"


@pytest.mark.parametrize(
    ("place", "last"),
    [(0, "[R-MEMORY: STOPPED]"), (1, "[R-MEMORY: STOPPED]"), (2, "For strep throat azithromycin is an")],
)
def test_no_program_of_the_middleware_page_orders_or_says_what_stands_against_the_record(
    begun_folders: Path, place: int, last: str
) -> None:
    """LangChain, OpenAI Agents, pydantic-ai, with a model that orders amoxicillin and then says to take it."""
    programs = blocks(ROOT / "docs" / "how-to" / "middleware.md", "python")
    assert len(programs) == 3
    command = [sys.executable, "-c", programs[place]]
    ran = subprocess.run(command, capture_output=True, text=True, check=False, cwd=begun_folders)
    assert ran.returncode == 0, ran.stderr
    assert last in ran.stdout
    assert "ORDERED" not in ran.stdout
    assert "Take amoxicillin" not in ran.stdout
    assert place == 2 or "allergic to Penicillin" in ran.stdout


def test_the_program_of_the_python_page_decides_about_what_it_told(begun_folders: Path) -> None:
    (code,) = blocks(PYTHON, "python")
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "CRITICAL ALLERGY: John Doe is allergic to Latex" in ran.stdout
    assert begun_folders.is_dir()
    assert run(["facts", "--subject", "JD001", "--status", "resolved", "--relation", "HAS_ALLERGY_TO"]) == 0


def test_the_python_page_names_every_method_and_every_error() -> None:
    words = set(re.findall(r"\w+", PYTHON.read_text(encoding="utf-8")))
    methods = {name for name in vars(a_world().memory) if not name.startswith("_")} - {"facts", "talk", "space"}
    public = {name for name in vars(Memory) if not name.startswith("_")}
    errors = {name for name in r_memory.__all__ if name in vars(errors_module)}
    assert (methods | public | errors) - words == set()


@pytest.mark.usefixtures("begun_folders")
def test_the_decisions_of_the_review_page_can_be_made_as_written(capsys: pytest.CaptureFixture[str]) -> None:
    first, denied, *others = commands(ROOT / "docs" / "how-to" / "review.md")
    assert run([*first, "--json"]) == 0
    fact_id = json.loads(capsys.readouterr().out)["statements"][0]["results"][0]["fact_id"]
    printed = []
    for arguments in (denied, *others):
        assert run([fact_id[:8] if part == "7f3a2c1e" else part for part in arguments]) == 0, arguments
        printed.append(capsys.readouterr().out)
    _, listed, settled, refuted, history = printed
    assert "contradicted" in listed
    assert 'active, contradicted -> active, by Dr Ada: "asked again, she is sure"' in settled
    assert "active -> refuted" in refuted
    assert all(word in history for word in ("refuted", "Dr Ada", "challenge"))
