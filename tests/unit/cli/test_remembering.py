"""`remember`: where the words come from, and what is said of each."""

import io
import sys
from pathlib import Path
from typing import Any

import pytest

from r_memory.cli.app import Exit
from r_memory.errors import StoreUnavailable
from r_memory.protocols import Store
from tests.unit.cli.conftest import Command
from tests.unit.memory_world import ALLERGY, MAYBE, UNREAD, World

JOHN = ("--subject", "JD001", "--subject-name", "John Doe")


def speak(monkeypatch: pytest.MonkeyPatch, words: bytes) -> None:
    """Standard input, as a pipe gives it."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(words), encoding="utf-8"))


def test_each_fact_is_printed_with_its_verdict_and_id(command: Command, world: World) -> None:
    done = command("remember", ALLERGY, *JOHN, "--speaker", "patient")
    assert (done.code, done.err) == (Exit.DONE, "")
    first, last = done.out.splitlines()
    assert first.startswith("stored      HAS_ALLERGY_TO Penicillin · active · fact ")
    assert last == "1 statement about John Doe (JD001): 1 stored; the words are kept."
    assert world.extractor is not None


@pytest.mark.usefixtures("world")
def test_json_carries_the_same_as_the_text(command: Command) -> None:
    done = command("remember", ALLERGY, *JOHN, "--json")
    (statement,) = done.json["statements"]
    (result,) = statement["results"]
    assert (result["verdict"], result["relation"], result["object"]) == ("stored", "HAS_ALLERGY_TO", "Penicillin")
    assert (statement["subject_id"], statement["dry_run"]) == ("JD001", False)
    assert done.json["counts"] == {
        "statements": 1,
        "without_facts": 0,
        "stored": 1,
        "duplicate": 0,
        "waits": 0,
        "rejected": 0,
    }


@pytest.mark.usefixtures("world")
def test_what_a_person_must_look_at_is_printed_with_the_reason(command: Command) -> None:
    done = command("remember", UNREAD, *JOHN)
    assert done.out.splitlines()[:2] == [f'waits       "{UNREAD}"', "            names a risk"]


@pytest.mark.usefixtures("world")
def test_repeating_a_command_stores_nothing_twice(command: Command) -> None:
    command("remember", ALLERGY, *JOHN)
    done = command("remember", ALLERGY, *JOHN)
    assert done.out.startswith("duplicate   HAS_ALLERGY_TO Penicillin")
    assert (
        len(command("history", command("facts", *JOHN[:2], "--json").json["facts"][0]["fact_id"], "--json").json) == 1
    )


@pytest.mark.usefixtures("world")
def test_a_dry_run_says_what_would_be_stored_and_stores_nothing(command: Command) -> None:
    command("remember", "My knee hurts.", *JOHN)
    done = command("remember", ALLERGY, "--subject", "JD001", "--dry-run")
    assert done.out.startswith("would store HAS_ALLERGY_TO Penicillin")
    assert done.out.endswith("nothing was written.\n")
    assert command("facts", "--subject", "JD001", "--json").json["total"] == 0


@pytest.mark.usefixtures("world")
def test_a_file_is_one_utterance_a_line(command: Command, tmp_path: Path) -> None:
    file = tmp_path / "visit.txt"
    file.write_text(f"{ALLERGY}\n\nMy knee hurts.\n", encoding="utf-8-sig")
    done = command("remember", "--file", str(file), *JOHN, "--json")
    assert done.json["counts"]["statements"] == 2
    assert done.json["counts"]["without_facts"] == 1


@pytest.mark.usefixtures("world")
@pytest.mark.parametrize("argument", [(), ("-",)])
def test_words_come_from_standard_input_where_no_argument_gives_them(
    command: Command, monkeypatch: pytest.MonkeyPatch, argument: tuple[str, ...]
) -> None:
    speak(monkeypatch, f"patient: {ALLERGY}\nassistant: {MAYBE}\n".encode())
    done = command("remember", *argument, *JOHN, "--dialogue", "--json")
    assert [len(statement["results"]) for statement in done.json["statements"]] == [1, 0]


@pytest.mark.usefixtures("world")
def test_a_whole_text_is_one_utterance(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    speak(monkeypatch, b"first line\nsecond line\n")
    assert command("remember", *JOHN, "--whole", "--json").json["counts"]["statements"] == 1


@pytest.mark.usefixtures("world")
def test_an_argument_is_one_utterance_unless_it_is_a_dialogue(command: Command) -> None:
    words = f"doctor: hello\npatient: {ALLERGY}"
    assert command("remember", words, *JOHN, "--json").json["counts"]["statements"] == 1
    assert command("remember", words, *JOHN, "--dialogue", "--json").json["counts"]["statements"] == 2


@pytest.mark.usefixtures("world")
def test_a_key_of_the_caller_is_told_apart_by_line(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    def tell() -> Any:  # noqa: ANN401 - JSON of any shape
        speak(monkeypatch, f"{ALLERGY}\n{UNREAD}\n".encode())
        return command("remember", *JOHN, "--key", "visit-7", "--json").json

    first, again = tell(), tell()
    ids = [statement["episode_id"] for statement in first["statements"]]
    assert len(set(ids)) == 2
    assert [statement["episode_id"] for statement in again["statements"]] == ids
    assert again["counts"]["duplicate"] == 1


@pytest.mark.usefixtures("world")
def test_a_key_that_comes_back_with_other_words_stores_nothing_and_says_so(command: Command) -> None:
    command("remember", ALLERGY, *JOHN, "--key", "k1")
    done = command("remember", MAYBE, *JOHN, "--key", "k1")
    assert (done.code, done.out) == (Exit.USAGE, "")
    assert "the idempotency key 'k1' was used before with other words; nothing of these was stored" in done.err
    assert command("facts", *JOHN[:2], "--json").json["total"] == 1


@pytest.mark.usefixtures("world")
def test_a_second_of_one_name_is_declared_once_it_is_said_to_be_another(command: Command) -> None:
    command("remember", ALLERGY, *JOHN)
    other = ("remember", "Hello.", "--subject", "JD 2", "--subject-name", "John Doe")
    refused = command(*other)
    assert (refused.code, "JD001 (John Doe); nobody was declared" in refused.err) == (Exit.USAGE, True)
    assert refused.err.endswith("if somebody else is, add --another-than JD001\n")
    assert command(*other, "--another-than", "JD001").code == Exit.DONE
    ambiguous = command("recall", "Give penicillin.", "--subject", "john doe")
    assert (ambiguous.code, "one of: 'JD 2', 'JD001'" in ambiguous.err) == (Exit.USAGE, True)


@pytest.mark.usefixtures("world")
def test_an_unknown_subject_is_told_in_words_of_the_command_line(command: Command) -> None:
    done = command("facts", "--subject", "NOBODY")
    assert "`r-memory subjects` lists everybody; `r-memory remember` with --subject-name declares" in done.err
    assert "memory_remember" not in done.err


@pytest.mark.usefixtures("world")
def test_a_dry_run_sees_somebody_new_and_declares_nobody(command: Command) -> None:
    done = command("remember", ALLERGY, *JOHN, "--dry-run")
    assert (done.code, done.out.startswith("would store HAS_ALLERGY_TO Penicillin")) == (Exit.DONE, True)
    assert command("subjects", "--json").json == []


@pytest.mark.usefixtures("world")
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("",), "the text is empty"),
        (("x", "--file", "y"), "as an argument and as a file"),
        (("--file", "nowhere.txt"), "cannot be read"),
        (("x", "--said-at", "yesterday"), "is not a time"),
    ],
)
def test_words_that_cannot_be_used_are_one_line_that_says_what_to_do(
    command: Command, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], said: str
) -> None:
    speak(monkeypatch, b"")
    done = command("remember", *arguments, *JOHN)
    assert (done.code, done.out) == (Exit.USAGE, "")
    (line,) = done.err.splitlines()
    assert said in line


@pytest.mark.usefixtures("world")
def test_text_in_another_encoding_is_refused(command: Command, tmp_path: Path) -> None:
    file = tmp_path / "latin.txt"
    file.write_bytes(b"p\xe9nicilline")
    done = command("remember", "--file", str(file), *JOHN)
    assert (done.code, "not UTF-8" in done.err) == (Exit.USAGE, True)


@pytest.mark.usefixtures("world")
def test_nothing_of_a_file_is_stored_if_one_line_cannot_be(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    speak(monkeypatch, f"{ALLERGY}\nbroken \0 line\n".encode())
    done = command("remember", *JOHN)
    assert (done.code, "line 2: " in done.err) == (Exit.USAGE, True)
    assert command("subjects", "--json").json == []


def test_a_store_that_fails_midway_says_how_far_it_came(
    command: Command, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = []
    store_episode = world.store.add_episode

    async def add_episode(self: Store, episode: object, **more: object) -> object:  # noqa: ARG001 - as the method
        calls.append(episode)
        if len(calls) > 1:
            raise StoreUnavailable("the store is gone; start it")
        return await store_episode(episode, **more)  # type: ignore[arg-type]  # handed through

    monkeypatch.setattr(type(world.store), "add_episode", add_episode)
    speak(monkeypatch, f"{ALLERGY}\n{UNREAD}\n".encode())
    done = command("remember", *JOHN)
    assert done.code == Exit.UNAVAILABLE
    assert done.err == (
        "r-memory: the store is gone; start it; whether the words were stored is not known: keep the statement in view "
        "and try again with the same text, which stores it once (at line 2; 1 of 2 are stored, run the same command "
        "again)\n"
    )


def test_words_that_nobody_can_have_said_yet_are_refused(command: Command) -> None:
    done = command("remember", ALLERGY, *JOHN, "--said-at", "2999-01-01T00:00:00Z")
    assert (done.code, "nobody said anything on 2999-01-01 yet" in done.err) == (Exit.USAGE, True)


def test_somebody_who_is_not_known_may_be_in_another_schema_of_the_store(
    command: Command, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(world.memory.facts.subjects, "retired", ("MUST_NOT_CARRY",))
    done = command("facts", "--subject", "T7")
    assert done.code == Exit.USAGE
    assert "this store was written with another schema too (MUST_NOT_CARRY): use its --home" in done.err
