"""`recall`, `facts`, `history`, `subjects`: what is known, in text and in JSON, and what is said when it cannot be."""

import os
import stat
from pathlib import Path

import pytest

from r_memory.cli.app import Exit
from r_memory.cli.recalling import SHOWN_TO
from r_memory.errors import StoreUnavailable
from r_memory.protocols import Neighbourhood, Store
from r_memory.text.markers import END, START
from tests.unit.cli.conftest import Command
from tests.unit.memory_world import ALLERGY, DENIAL, World

JOHN = ("--subject", "JD001")
REQUEST = "Recommend the standard first-line antibiotic for strep throat."


@pytest.fixture(autouse=True)
def told(command: Command, world: World) -> None:  # noqa: ARG001 - the memory must be there first
    command("remember", ALLERGY, *JOHN, "--subject-name", "John Doe", "--speaker", "patient")


def break_store(monkeypatch: pytest.MonkeyPatch, world: World, method: str) -> None:
    async def broken(*_: object, **__: object) -> object:
        raise StoreUnavailable("the store cannot be reached; start it")

    monkeypatch.setattr(type(world.store), method, broken)


def test_recall_prints_the_block_and_the_request(command: Command) -> None:
    done = command("recall", REQUEST, *JOHN)
    assert (done.code, done.err) == (Exit.DONE, "")
    lines = done.out.splitlines()
    assert (lines[0], lines[-1]) == (START, REQUEST)
    assert any(line.startswith("CRITICAL ALLERGY: John Doe") for line in lines)


def test_recall_as_json_holds_the_block_and_the_same_facts(command: Command) -> None:
    found = command("recall", REQUEST, *JOHN, "--json").json
    assert found["block"] == command("recall", REQUEST, *JOHN).out.rstrip("\n")
    assert (found["state"], found["complete"], found["unavailable"]) == ("FOUND", True, "")
    assert [line["fact_id"][:8] for line in found["lines"]] == found["fact_ids"]


def test_recall_leaves_a_receipt_that_names_the_command_line(command: Command, world: World) -> None:
    command("recall", REQUEST, *JOHN)
    (receipt,) = world.store._receipts.values()  # type: ignore[attr-defined]  # the oracle's own dictionary
    assert receipt.shown_to == SHOWN_TO


@pytest.mark.parametrize("method", ["subjects", "neighbourhood"])
def test_a_store_that_cannot_be_read_gives_the_sentence_and_exit_code_three(
    command: Command, world: World, monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    break_store(monkeypatch, world, method)
    done = command("recall", REQUEST, *JOHN)
    assert done.code == Exit.UNAVAILABLE
    assert done.out.startswith(START)
    assert "SAFETY MEMORY UNAVAILABLE: the store cannot be reached; start it. " in done.out
    assert "allerg" in done.out.split("start it. ")[1].splitlines()[0]
    assert f"{END}\n" in done.out
    assert done.out.endswith(f"{REQUEST}\n")


@pytest.mark.parametrize("method", ["subjects", "neighbourhood"])
def test_json_says_that_memory_could_not_be_read(
    command: Command, world: World, monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    break_store(monkeypatch, world, method)
    done = command("recall", REQUEST, *JOHN, "--json")
    assert done.code == Exit.UNAVAILABLE
    assert (done.json["state"], done.json["complete"], done.json["lines"]) == ("COULD-NOT-CHECK", False, [])
    assert done.json["unavailable"].startswith("the store cannot be reached")


def test_a_part_that_could_not_be_read_is_exit_code_three_too(
    command: Command, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    neighbourhood = world.store.neighbourhood

    async def partly(_: Store, *given: object) -> Neighbourhood:
        found = await neighbourhood(*given)  # type: ignore[arg-type]  # handed through
        return Neighbourhood(facts=found.facts, pending=(), failed={"HAS_IMPLANTS": "refused"})

    monkeypatch.setattr(type(world.store), "neighbourhood", partly)
    done = command("recall", REQUEST, *JOHN)
    assert (done.code, "CRITICAL ALLERGY" in done.out) == (Exit.UNAVAILABLE, True)
    listed = command("facts", *JOHN)
    assert (listed.code, "COULD NOT CHECK HAS_IMPLANTS: refused" in listed.out) == (Exit.UNAVAILABLE, True)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("recall", REQUEST), "no subject was given"),
        (("recall", REQUEST, "--subject", "JD002"), "no Patient has the id or name 'JD002'; near ones: JD001"),
        (("recall", REQUEST, *JOHN, "--intent", "NAP"), "unknown action type 'NAP'; use one of: "),
        (("recall", "  ", *JOHN), "the text is empty"),
        (("facts", *JOHN, "--relation", "EATS"), "unknown relation 'EATS'; use one of: "),
        (("facts", *JOHN, "--status", "gone"), "unknown status 'gone'; use one of: "),
        (("facts", *JOHN, "--as-of", "2026-11-21"), "has no time zone"),
        (("history", "00000000"), "no fact has the id '00000000'"),
        (("verify", "--subject", "nobody"), "no Patient has the id or name 'nobody'"),
    ],
)
def test_a_wrong_name_is_exit_code_two_and_one_line_that_says_what_to_do(
    command: Command, arguments: tuple[str, ...], said: str
) -> None:
    done = command(*arguments)
    assert (done.code, done.out) == (Exit.USAGE, "")
    (line,) = done.err.splitlines()
    assert said in line


def test_facts_are_a_table_with_words_about_who_said_them(command: Command) -> None:
    done = command("facts", *JOHN)
    heading, row, last = done.out.splitlines()
    assert heading.split() == ["Fact", "Relation", "Object", "Status", "Details", "Said"]
    assert row.split()[1:4] == ["HAS_ALLERGY_TO", "Penicillin", "active"]
    assert "by patient" in row
    assert last == "1 fact recorded about John Doe (JD001)."


def test_facts_as_json_are_the_whole_list(command: Command) -> None:
    found = command("facts", *JOHN, "--json").json
    assert (found["subject_id"], found["total"], found["complete"]) == ("JD001", 1, True)
    (fact,) = found["facts"]
    assert (fact["relation"], fact["object"], fact["speaker"]) == ("HAS_ALLERGY_TO", "Penicillin", "patient")


def test_nothing_recorded_is_said_to_be_no_proof_of_absence(command: Command) -> None:
    done = command("facts", *JOHN, "--relation", "HAS_IMPLANTS")
    assert (done.code, done.out) == (
        Exit.DONE,
        "Nothing is recorded about John Doe (JD001). That is no proof of absence.\n",
    )


def test_facts_as_of_an_instant_before_anything_was_said_are_none(command: Command) -> None:
    assert command("facts", *JOHN, "--as-of", "2020-01-01T00:00:00Z", "--json").json["total"] == 0


def test_history_says_who_when_and_why(command: Command) -> None:
    command("remember", DENIAL, *JOHN, "--speaker", "doctor")
    fact = command("facts", *JOHN, "--json").json["facts"][0]
    events = command("history", fact["fact_id"][:8], "--json").json
    assert [(event["seq"], event["status"], event["speaker"]) for event in events] == [
        (1, "active", "patient"),
        (2, "negated", "doctor"),
    ]
    assert events[1]["prev_hash"] == events[0]["hash"]
    text = command("history", fact["fact_id"][:8]).out
    assert text.startswith(f"HAS_ALLERGY_TO Penicillin · fact {fact['fact_id']}\n")
    for event in events:
        assert event["hash"][:12] in text
        assert set(event["evidence"].split()) <= set(text.split())


def test_subjects_lists_everybody(command: Command) -> None:
    assert command("subjects", "--json").json == [{"id": "JD001", "name": "John Doe", "type": "Patient"}]
    assert command("subjects").out.splitlines()[1].split() == ["JD001", "John", "Doe", "Patient"]


def test_verify_of_a_whole_memory_is_exit_code_zero(command: Command) -> None:
    done = command("verify")
    assert (done.code, done.out) == (
        Exit.DONE,
        "1 subject, 1 event, 1 fact: every chain and every state is whole.\n",
    )


def test_verify_reports_differences_with_exit_code_one_and_rebuild_mends_them(command: Command, world: World) -> None:
    world.store._state.clear()  # type: ignore[attr-defined]  # the oracle's own dictionary
    done = command("verify")
    assert (done.code, done.err) == (Exit.CHECK_FAILED, "")
    assert "missing from the present state" in " ".join(done.out.split())
    found = command("verify", "--json").json
    assert (found["whole"], len(found["differences"])) == (False, 1)
    assert command("rebuild").out == "Present state rebuilt: 1 fact of 1 subject.\n"
    assert command("verify", "--json").json["whole"] is True


def test_rebuild_as_json_counts(command: Command) -> None:
    assert command("rebuild", *JOHN, "--json").json == {"subjects": 1, "facts": 1, "refused": []}


def test_relink_says_how_many_facts_it_moved(command: Command) -> None:
    assert command("relink").out == "Relinked 0 facts of 1 subject.\n"
    assert command("relink", *JOHN, "--json").json == {"subjects": 1, "facts": 0}


@pytest.mark.skipif(os.name != "posix", reason="Windows has no permission bits; the profile folder's rules apply")
def test_a_checkpoint_is_for_its_owner_only_whatever_the_umask_and_whatever_was_there(
    command: Command, tmp_path: Path
) -> None:
    file, key = tmp_path / "monday.json", ("--key", str(tmp_path / "key"))
    file.touch(mode=0o666)
    before = os.umask(0)
    try:
        command("checkpoint", str(file), *key)
    finally:
        os.umask(before)
    assert [stat.S_IMODE(path.stat().st_mode) for path in sorted(tmp_path.iterdir())] == [0o600, 0o600]


def test_a_checkpoint_is_signed_and_verified_and_one_that_was_altered_is_refused(
    command: Command, tmp_path: Path
) -> None:
    file, key = tmp_path / "monday.json", ("--key", str(tmp_path / "key"))
    made = command("checkpoint", str(file), *key, "--json").json
    assert command("verify", "--checkpoint", str(file), *key).out.endswith("every chain and every state is whole.\n")
    assert command("verify", "--checkpoint", str(file), "--public-key", made["public_key"]).code == Exit.DONE

    other = command("verify", "--checkpoint", str(file), "--public-key", "00" * 32)
    assert (other.code, "was signed by the key" in other.err) == (Exit.USAGE, True)
    whole = file.read_text(encoding="ascii")
    file.write_text(whole.replace('"made_at": "2', '"made_at": "1'), encoding="ascii")
    altered = command("verify", "--checkpoint", str(file), *key)
    assert (altered.code, "was altered after it was signed" in altered.err) == (Exit.USAGE, True)


def test_a_draft_is_checked_with_a_verdict_and_an_exit_code(command: Command) -> None:
    done = command("check-text", "Take penicillin twice a day.", *JOHN)
    assert (done.code, done.out.split(":")[0]) == (Exit.CHECK_FAILED, "CONFLICT")
    checked = command("check-text", "Take penicillin twice a day.", *JOHN, "--json").json
    assert (checked["verdict"], checked["subject_id"]) == ("conflict", "JD001")


def test_a_draft_that_could_not_be_checked_says_so_and_leaves_with_three(
    command: Command, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    break_store(monkeypatch, world, "neighbourhood")
    done = command("check-text", "Rest well.", *JOHN)
    assert (done.code, done.out.split(":")[0]) == (Exit.UNAVAILABLE, "NOT CHECKABLE")


def test_facts_name_what_waits_after_a_write_that_broke_off(
    command: Command, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as broken:
        break_store(broken, world, "append")
        assert command("remember", DENIAL, *JOHN).code == Exit.UNAVAILABLE
    done = command("facts", *JOHN)
    assert done.out.splitlines()[-1].startswith("NOT YET READ")
    assert DENIAL in done.out
    assert [waiting["text"] for waiting in command("facts", *JOHN, "--json").json["pending"]] == [DENIAL]
