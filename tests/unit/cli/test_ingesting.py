"""`ingest` as a shell runs it: files in, a line for each, exit codes that tell, and what was read shown again."""

from pathlib import Path

import pytest

from r_memory.errors import ModelUnavailable, StoreUnavailable
from r_memory.protocols import Shortening
from r_memory.store.bolt_errors import Broken
from r_memory.testing.clock import FixedClock
from r_memory.testing.dict_stream import DictConversations, DictStream
from r_memory_talk.documents.ingesting import Ingestion
from tests.scripted import ScriptedShortener
from tests.unit.cli.conftest import Command
from tests.unit.memory_world import ALLERGY, UNREAD, World
from tests.unit.talk.documents.files import a_pdf
from tests.unit.talk.documents.world import a_book
from tests.unit.talk.stream.world import a_stream

ANN = ("--subject", "P1", "--subject-name", "Ann Lee")


@pytest.fixture
def shortener() -> ScriptedShortener:
    return ScriptedShortener()


@pytest.fixture
def store() -> DictConversations:
    return DictConversations(DictStream())


@pytest.fixture(autouse=True)
def documents(
    world: World, shortener: ScriptedShortener, store: DictConversations, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The world's memory keeps documents."""
    ingestion = Ingestion(
        stream=a_stream(),
        store=store,
        shortener=shortener,
        clock=FixedClock(),
        remember=world.memory.facts.remembering.record,
    )
    monkeypatch.setattr(world.memory.talk, "documents", ingestion)


@pytest.fixture
def letter(tmp_path: Path) -> str:
    return written(tmp_path / "letter.txt", f"{ALLERGY}\f{UNREAD}")


def written(path: Path, text: str) -> str:
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_a_file_is_read_once_and_says_what_was_found(command: Command, letter: str) -> None:
    first, again = command("ingest", letter, *ANN), command("ingest", letter, *ANN)
    assert first.code == again.code == 0
    line = first.out.splitlines()[0]
    assert line.startswith(
        "letter.txt: 2 parts, 1 fact stored, 1 sentence for a person, 1 level of summaries; document-"
    )
    assert again.out.startswith("letter.txt: read before, nothing to do; document-")
    assert first.err == ""


def test_the_fact_names_file_and_page(command: Command, letter: str) -> None:
    command("ingest", letter, *ANN)
    (fact,) = command("facts", "--subject", "P1", "--json").json["facts"]
    assert fact["speaker"] == "letter.txt, page 1"


def test_without_a_subject_no_facts_are_looked_for_and_that_is_said(command: Command, letter: str) -> None:
    told = command("ingest", letter)
    assert (told.code, "no subject was named, so no facts were looked for" in told.out) == (0, True)
    assert command("ingest", letter, "--json").json["documents"][0]["stored"] == 0


def test_a_file_that_cannot_be_read_does_not_keep_the_others_from_it(
    command: Command, letter: str, tmp_path: Path
) -> None:
    (tmp_path / "scan.pdf").write_bytes(a_pdf(""))
    told = command("ingest", str(tmp_path / "scan.pdf"), str(tmp_path / "missing.txt"), letter, *ANN, "--json")
    assert told.code == 2
    assert told.err.count("\n") == 2
    scan, missing, read = told.json["documents"]
    assert "OCR" in scan["error"]
    assert "cannot be read" in missing["error"]
    assert (read["state"], read["stored"]) == ("done", 1)


def test_a_link_is_read_only_where_that_was_asked_for(command: Command, letter: str, tmp_path: Path) -> None:
    link = tmp_path / "link.txt"
    link.symlink_to(letter)
    refused = command("ingest", str(link), "--subject", "JD001")
    assert refused.code == 2
    assert "link.txt is a link to another file; give that file itself, or read links with --follow-links" in refused.err
    assert "part" in command("ingest", str(link), *ANN, "--follow-links").out


def test_pages_without_text_are_named(command: Command, tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(a_pdf("Words.", "", ""))
    assert "pages 2, 3 hold no text: run text recognition" in command("ingest", str(tmp_path / "a.pdf")).out


def test_a_model_that_does_not_answer_is_told_and_fails_the_command(
    command: Command, letter: str, shortener: ScriptedShortener, monkeypatch: pytest.MonkeyPatch
) -> None:
    def silent(_: str, __: Shortening) -> str:
        raise ModelUnavailable("the model did not answer; try again")

    monkeypatch.setattr(shortener, "_answer", silent)
    told = command("ingest", letter, *ANN)
    assert told.code == 1
    assert "1 fact stored" in told.out
    assert "no summaries yet" in told.out
    assert "the summaries are not made yet: the model did not answer" in told.out


def test_a_dead_store_ends_the_command_and_says_to_run_it_again(
    command: Command, letter: str, store: DictConversations, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def dead(*_: object, **__: object) -> None:
        raise StoreUnavailable("the store does not answer")

    monkeypatch.setattr(store, "put_document", dead)
    told = command("ingest", letter)
    assert (told.code, told.err) == (
        3,
        "r-memory: letter.txt: the store does not answer (what was read is stored; run the same command again)\n",
    )


def test_a_database_that_fails_for_a_reason_of_its_own_ends_the_command_the_same_way(
    command: Command, letter: str, store: DictConversations, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken(*_: object, **__: object) -> None:
        raise Broken("a write", "Neo.ClientError.Transaction.TransactionNotFound", "")

    monkeypatch.setattr(store, "put_document", broken)
    told = command("ingest", letter)
    assert told.code == 3
    assert told.err.startswith("r-memory: letter.txt: the store could not do a write (Neo.ClientError.")


@pytest.mark.parametrize("flags", [(), ("--list", "--show", "x"), ("--list", "a.txt")])
def test_one_thing_at_a_time(command: Command, flags: tuple[str, ...]) -> None:
    told = command("ingest", *flags)
    assert (told.code, "one of them" in told.err) == (2, True)


@pytest.mark.proves("SCM-36")
def test_documents_are_listed_and_all_levels_shown(command: Command, tmp_path: Path) -> None:
    assert command("ingest", "--list").out == "No document was read yet.\n"
    text = "\f".join(section.text for section in a_book(12).sections)
    ((document),) = command("ingest", written(tmp_path / "book.txt", text), "--json").json["documents"]
    assert "book.txt" in command("ingest", "--list").out
    (listed,) = command("ingest", "--list", "--json").json["documents"]
    assert listed == {name: document[name] for name in listed}
    shown = command("ingest", "--show", document["document_id"])
    assert [line for line in shown.out.splitlines() if line.startswith("Level")] == [
        f"Level {level}" for level in range(document["levels"], 0, -1)
    ]
    levels = command("ingest", "--show", document["document_id"], "--json").json["summaries"]
    assert [level["level"] for level in levels] == list(range(1, document["levels"] + 1))
    assert len(levels[-1]["items"]) == 1


def test_an_unknown_document_cannot_be_shown(command: Command) -> None:
    assert command("ingest", "--show", "document-of-nobody").code == 2


@pytest.mark.proves("SCM-35", "SCM-37")
def test_meetings_and_questions_are_options(command: Command, shortener: ScriptedShortener, tmp_path: Path) -> None:
    text = "\f".join(section.text for section in a_book(10).sections)
    path = written(tmp_path / "minutes.txt", text)
    (told,) = command("ingest", path, "--meeting", "--question", "Who?", "--json").json["documents"]
    tasks = [task for _, task in shortener.asked]
    assert (tasks[0].kind, told["theme"] != "") == ("theme", True)
    assert {(task.question, task.theme) for task in tasks[1:]} == {("Who?", told["theme"])}
