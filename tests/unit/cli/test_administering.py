"""`cypher`, `export`, `import` and `forget` over an oracle: what is asked, printed and refused."""

import asyncio
import csv
import io
import json
import stat
from pathlib import Path

import pytest

from r_memory.protocols import Table
from r_memory.space.space import Space
from r_memory.store.gate import check_read_only
from r_memory.testing.dict_store import DictStore
from tests.unit.administered import JOHN, a_full_store, administration_of
from tests.unit.cli.conftest import Command
from tests.unit.memory_world import World

ORDER = ("--actor", "Dr Ada", "--reason", "request 17")


@pytest.fixture
def kept(world: World, monkeypatch: pytest.MonkeyPatch) -> DictStore:
    """The store behind the commands, with two people in it."""
    store = asyncio.run(a_full_store())
    _administer(world, monkeypatch, store)
    return store


def _administer(world: World, monkeypatch: pytest.MonkeyPatch, store: DictStore) -> Space:
    administration = administration_of(store)
    monkeypatch.setattr(world.memory, "space", administration)
    return administration


def typed(monkeypatch: pytest.MonkeyPatch, words: str) -> None:
    """What a person types when asked."""
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(words.encode()), encoding="utf-8"))


def events_of(store: DictStore) -> int:
    return len(asyncio.run(store.events(JOHN)))


# --- forget ----------------------------------------------------------------------------------------------------------


def test_a_dry_run_counts_and_erases_nothing(command: Command, kept: DictStore) -> None:
    counted = command("forget", "JD001", "--dry-run", "--json").json
    assert counted == {
        "subject": "JD001",
        "erased": False,
        "counts": {
            "statements": 3,
            "events": 2,
            "facts": 1,
            "receipts": 1,
            "items": 4,
            "summaries": 2,
            "decisions": 1,
            "documents": 1,
        },
    }
    assert "Nothing was erased" in command("forget", "JD001", "--dry-run").out
    assert events_of(kept) == 2


def test_typing_the_id_erases(command: Command, kept: DictStore, monkeypatch: pytest.MonkeyPatch) -> None:
    typed(monkeypatch, "JD001\n")
    done = command("forget", "JD001", *ORDER)
    assert done.code == 0
    assert "4  turns, memories and parts of documents" in done.err
    assert done.out.startswith("Erased: 3 statements, 1 fact, 4 items of conversations, 1 document.\n")
    assert events_of(kept) == 0


@pytest.mark.parametrize("words", ["yes\n", "JD002\n", "\n\n\n", ""])
def test_typing_anything_else_erases_nothing(
    words: str, command: Command, kept: DictStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    typed(monkeypatch, words)
    assert command("forget", "JD001", *ORDER).code == 2
    assert events_of(kept) == 2


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("JD001", "--yes"), "the reason must have"),
        (("JD001", "--yes", "--reason", "request 17"), "the actor must have"),
        (("JD001", "--yes", "--actor", "Dr Ada"), "the reason must have"),
        (("John Doe", "--yes", *ORDER), "takes the id, not a name: 'JD001'"),
        (("JD009", "--yes", *ORDER), "no Patient has the id or name 'JD009'"),
    ],
)
def test_an_order_that_is_not_whole_is_exit_code_two_and_erases_nothing(
    arguments: tuple[str, ...], said: str, command: Command, kept: DictStore
) -> None:
    done = command("forget", *arguments)
    assert (done.code, done.out) == (2, "")
    assert said in done.err
    assert events_of(kept) == 2


def test_a_script_learns_where_the_log_is(command: Command, kept: DictStore) -> None:
    done = command("forget", "JD001", *ORDER, "--yes", "--json").json
    assert (done["erased"], done["counts"]["facts"]) == (True, 1)
    assert done["event_id"] == f"{done['trace']}-3"
    assert events_of(kept) == 0


# --- export and import -----------------------------------------------------------------------------------------------


def test_an_export_is_for_its_owner_only_and_can_be_imported_twice(
    command: Command, kept: DictStore, world: World, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / "all.jsonl"
    written = command("export", str(file), "--json").json
    assert written["counts"]["subject"] == 2
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.glob("*.jsonl*")] == ["all.jsonl"]
    other = DictStore()
    _administer(world, monkeypatch, other)
    assert "It can be imported: 2 subjects, 6 statements" in command("import", str(file), "--dry-run").out
    assert events_of(other) == 0
    assert command("import", str(file)).out.startswith("Imported into 'clinic': 2 subjects, 6 statements, 4 events, ")
    assert asyncio.run(other.events(JOHN)) == asyncio.run(kept.events(JOHN))
    again = command("import", str(file), "--json").json
    assert (set(again["added"].values()), again["known"]) == ({0}, again["lines"])


@pytest.mark.usefixtures("kept")
def test_an_older_export_stays_where_a_newer_one_fails(command: Command, tmp_path: Path) -> None:
    file = tmp_path / "all.jsonl"
    file.write_text("older", encoding="utf-8")
    assert command("export", str(file), "--subject", "JD009").code == 2
    assert file.read_text(encoding="utf-8") == "older"
    assert command("export", str(tmp_path / "no" / "such" / "folder.jsonl")).code == 2
    assert command("export", str(file)).code == 0
    assert json.loads(file.read_text(encoding="utf-8").splitlines()[0])["space"] == "clinic"


@pytest.mark.usefixtures("kept")
def test_a_file_that_is_no_export_is_exit_code_two_and_names_the_line(command: Command, tmp_path: Path) -> None:
    file = tmp_path / "words.txt"
    file.write_text("I am allergic to penicillin.\n", encoding="utf-8")
    done = command("import", str(file))
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("r-memory: line 1: this is no export of r-memory")
    assert "cannot read" in command("import", str(tmp_path / "missing.jsonl")).err


# --- cypher ----------------------------------------------------------------------------------------------------------


class Rows:
    """An auditor that remembers what it was asked, and gives two rows."""

    asked = ""

    async def read(self, query: str, *, space: str, limit: int = 200) -> Table:
        check_read_only(query)
        self.asked = query
        rows = ((space, "=1+1", ["a", "b"]), (space, "two\x1b[31m\nlines", 2))[:limit]
        return Table(columns=("space", "words", "more"), rows=rows, truncated=limit < 2)


QUERY = "MATCH (n) RETURN n.space AS space, n.words AS words, n.more AS more"


@pytest.fixture
def rows(world: World, monkeypatch: pytest.MonkeyPatch) -> Rows:
    rows = Rows()
    monkeypatch.setattr(world.memory.space, "auditor", rows)
    return rows


def test_rows_are_a_table_without_the_space_that_all_of_them_have(command: Command, rows: Rows) -> None:
    done = command("cypher", f"{QUERY};\n")
    assert [line.split() for line in done.out.splitlines()] == [
        ["words", "more"],
        ["=1+1", "a,", "b"],
        ["two", "lines", "2"],
        ["2", "rows."],
    ]
    assert rows.asked == QUERY
    assert command("cypher", QUERY, "--limit", "1").out.endswith("1 row; there are more, see --limit.\n")


@pytest.mark.usefixtures("rows")
def test_rows_are_json_or_csv_for_programs(command: Command) -> None:
    found = command("cypher", QUERY, "--json").json
    assert found["columns"] == ["space", "words", "more"]
    assert found["rows"][0] == {"space": "clinic", "words": "=1+1", "more": ["a", "b"]}
    table = list(csv.reader(io.StringIO(command("cypher", QUERY, "--csv").out)))
    assert table == [
        ["space", "words", "more"],
        ["clinic", "'=1+1", '["a", "b"]'],
        ["clinic", "two [31m\nlines", "2"],
    ]
    assert "see --limit" in command("cypher", QUERY, "--csv", "--limit", "1").err
    assert command("cypher", QUERY, "--csv", "--json").code == 2


def test_a_query_comes_from_a_file_or_from_standard_input(
    command: Command, rows: Rows, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "own.cypher"
    file.write_text(f"// What I want to know.\n{QUERY}\n", encoding="utf-8")
    assert command("cypher", str(file)).code == 0
    assert rows.asked.endswith(QUERY)
    for argument in (["-"], []):
        rows.asked = ""
        typed(monkeypatch, QUERY)
        assert command("cypher", *argument).code == 0
        assert rows.asked == QUERY


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("MATCH (n) DETACH DELETE n", "only reading is allowed"),
        ("MATCH (n) SET n.status = 'refuted' RETURN n.space AS space", "only reading is allowed"),
        ("CALL db.shutdown()", "the query calls 'db.shutdown'"),
        ("MATCH (n) RETURN n.space AS space; MATCH (m) RETURN m", "exactly one statement"),
        ("", "there is no query"),
        ("missing.cypher", "cannot be read"),
        ("x" * 5_000, "must start with one of"),
    ],
)
def test_what_does_not_only_read_is_exit_code_two_before_a_store_is_asked(
    query: str, said: str, command: Command, rows: Rows, monkeypatch: pytest.MonkeyPatch
) -> None:
    typed(monkeypatch, "")
    done = command("cypher", query)
    assert (done.code, done.out, rows.asked) == (2, "", "")
    assert said in done.err


def test_no_tool_of_the_server_reaches_what_erases() -> None:
    """A model calls tools; whoever erases a person is a person at a shell."""
    tools = Path(__file__).parents[3] / "server" / "r_memory" / "serving" / "tools"
    texts = {path.name: path.read_text(encoding="utf-8") for path in tools.glob("*.py")}
    reaching = ("administration", "forget(", "erase", "import_(", "cypher(")
    assert len(texts) > 10
    assert [name for name, text in texts.items() if any(word in text for word in reaching)] == []
