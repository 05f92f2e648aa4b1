"""`teach`: a domain of one's own from labelled lines, and what is said of lines that cannot be taught."""

import json
import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from r_memory.cli.app import Exit
from r_memory.reading.taught.reader import load_readers
from r_memory.reading.taught.weights import Weights, find_weights
from r_memory_lab.teaching.corpus import read_file
from r_memory_lab.teaching.domains import DOMAINS
from tests.unit.cli.conftest import Command

CORPUS = Path(__file__).parents[3] / "corpus"


@pytest.fixture(autouse=True)
def _own_domains_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("fleet",):
        monkeypatch.setitem(DOMAINS, name, DOMAINS["law"])
        monkeypatch.delitem(DOMAINS, name)


@pytest.fixture
def home(command: Command, tmp_path: Path) -> Path:
    made = tmp_path / "home"
    assert command("init", str(made)).code == Exit.DONE
    return made


def _lines(folder: Path, many: int) -> Path:
    """So many lines of advice, below the folder."""
    place = folder / "finance"
    place.mkdir(parents=True)
    lines = (CORPUS / "finance" / "advice-1.jsonl").read_text(encoding="utf-8").splitlines()
    (place / "some.jsonl").write_text("\n".join(lines[:many]) + "\n", encoding="utf-8")
    return folder


def test_lines_become_weights_below_the_home_that_the_product_reads_with(
    command: Command, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Of the figures only: each further one takes a second and a half. By name, as few processes need scikit-learn.
    monkeypatch.setattr("r_memory_lab.teaching.own.FOLDS", 2)
    lines = _lines(tmp_path / "lines", 50)
    done = command("teach", "--schema", "finance", "--corpus", str(lines), "--home", str(home))
    assert done.code == Exit.DONE, done.err
    assert done.out.startswith("50 lines, cross-validated: ")
    weights = find_weights(home / "weights")
    assert isinstance(weights, Weights)
    reader = load_readers(weights)["finance"]
    stating = next(line for line in read_file(lines / "finance" / "some.jsonl")[0] if any(m.states for m in line.marks))
    assert any(claim.statements for claim in reader.read(stating.text, speaker=stating.speaker))


def test_too_few_lines_are_refused(command: Command, home: Path, tmp_path: Path) -> None:
    done = command("teach", "--schema", "finance", "--corpus", str(_lines(tmp_path / "lines", 9)), "--home", str(home))
    assert done.code == Exit.USAGE
    assert "9 lines teach nothing" in done.err


def test_the_check_names_file_and_line_of_what_is_wrong(command: Command, tmp_path: Path) -> None:
    folder = _lines(tmp_path / "lines", 5)
    assert command("teach", "--check", str(folder)).out == "nothing is wrong with these lines\n"
    wrong = {"by": "client", "t": "I hold Vodafone.", "m": [{"s": "BT", "r": "HOLDS", "st": "active", "who": "client"}]}
    (folder / "finance" / "wrong.jsonl").write_text(json.dumps(wrong) + "\n", encoding="utf-8")
    done = command("teach", "--check", str(folder))
    assert done.code == Exit.CHECK_FAILED
    assert done.out.startswith("finance/wrong:1: 'BT' stands 0 times")
    assert not command("teach", "--schema", "finance", "--corpus", str(folder), "--home", str(tmp_path)).out.count("%")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "needs --schema NAME and --corpus DIR, or --check DIR"),
        (("--schema", "law", "--corpus", "corpus"), "the weights are written to your home"),
        (("--check", "nowhere"), "nowhere holds no lines of"),
        (("--schema", "nothing-of-the-kind", "--check", "corpus"), "nothing-of-the-kind"),
    ],
)
def test_what_is_missing_is_said(command: Command, arguments: tuple[str, ...], message: str) -> None:
    done = command("teach", *arguments)
    assert done.code == Exit.USAGE
    assert message in done.err


def test_without_its_extra_it_says_what_to_install(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    assert [point.extras for point in entry_points(group="r_memory.commands", name="teach")] == [["lab"]]
    for module in ("r_memory_lab.teaching.command", "r_memory_lab.teaching.own"):
        monkeypatch.delitem(sys.modules, module, raising=False)
    monkeypatch.delitem(sys.modules, "sklearn.linear_model", raising=False)
    monkeypatch.setitem(sys.modules, "sklearn", None)
    done = command("teach", "--check", "corpus")
    assert done.code == Exit.USAGE
    assert "pip install 'r-memory[lab]'" in done.err
