"""`change` and `review`: decisions of people, in a pipe and on a terminal."""

import asyncio
import io
import sys
from collections.abc import Callable
from dataclasses import replace

import pytest

from r_memory.cli import reviewing
from r_memory.cli.app import Exit
from r_memory.domain.changes import Change
from r_memory.errors import StoreUnavailable
from tests.unit.cli.conftest import Command
from tests.unit.memory_world import ALLERGY, DENIAL, MAYBE, UNREAD, World

JOHN = ("--subject", "JD001")
WHY = ("--reason", "skin test negative", "--actor", "Dr Ada")


@pytest.fixture
def fact(command: Command, world: World) -> str:  # noqa: ARG001 - the memory must be there first
    """Id of an allergy that John stated."""
    told = command("remember", ALLERGY, *JOHN, "--subject-name", "John Doe", "--speaker", "patient", "--json").json
    id_: str = told["statements"][0]["results"][0]["fact_id"]
    return id_


Answers = Callable[..., None]


@pytest.fixture
def answers(monkeypatch: pytest.MonkeyPatch) -> Answers:
    """Somebody at a terminal who types these lines."""

    def typed(*lines: str) -> None:
        monkeypatch.setattr(reviewing, "on_terminal", lambda: True)
        monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{line}\n" for line in lines)))

    return typed


@pytest.mark.proves("Z32")
@pytest.mark.parametrize("status", ["refuted", "resolved", "entered_in_error"])
def test_a_decision_is_printed_and_stands_in_the_history_with_who_and_why(
    command: Command, fact: str, status: str
) -> None:
    done = command("change", fact[:8], "--to", status, *WHY)
    history = command("history", fact).out
    assert (done.code, done.err) == (Exit.DONE, "")
    assert f'active -> {status}, by Dr Ada: "skin test negative"' in done.out
    assert "Dr Ada" in history
    assert command("history", fact, "--json").json[1]["reason"] == "skin test negative"


def test_without_an_actor_the_user_of_the_machine_decides_and_is_printed(
    command: Command, fact: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("getpass.getuser", lambda: "night-nurse")
    done = command("change", fact, "--to", "refuted", "--reason", "skin test negative")
    assert "by night-nurse" in done.out


def test_a_fact_is_active_again_after_a_second_decision(command: Command, fact: str) -> None:
    command("change", fact, "--to", "resolved", *WHY)
    done = command("change", fact, "--to", "active", *WHY, "--json").json
    assert (done["outcome"], done["before"]["status"], done["after"]["status"]) == ("changed", "resolved", "active")


def test_a_decision_that_stands_already_changes_nothing(command: Command, fact: str) -> None:
    command("change", fact, "--to", "refuted", *WHY)
    done = command("change", fact, "--to", "refuted", *WHY)
    assert (done.code, done.out.startswith("Nothing to change: John Doe (JD001)")) == (Exit.DONE, True)


def test_a_conflict_is_settled(command: Command, fact: str) -> None:
    command("remember", DENIAL, *JOHN)
    done = command("change", fact, "--to", "settled", *WHY, "--json").json
    assert (done["before"]["contradicted"], done["after"]["contradicted"]) == (True, False)


def test_a_fact_moves_to_the_subject_whose_it_is(command: Command, fact: str) -> None:
    command("remember", "Good morning.", "--subject", "JD002", "--subject-name", "Jane Roe")
    done = command("change", fact, "--subject-to", "JD002", *WHY)
    assert "recorded as HAS_ALLERGY_TO Penicillin of JD002" in done.out
    assert command("facts", *JOHN, "--json").json["total"] == 0
    assert command("facts", "--subject", "JD002", "--json").json["facts"][0]["flags"] == ["reattributed"]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ((), "exactly one of --to, --subject-to and --map-to"),
        (("--to", "refuted", "--map-to", "latex"), "exactly one of --to, --subject-to and --map-to"),
        (("--to", "refuted", "--version", "9"), "its version is 1 (status active), not 9"),
        (("--map-to", "amoxicillin"), "'map_word' is not allowed for a fact that is active"),
        (("--subject-to", "JD001"), "the fact is about 'JD001' already"),
    ],
)
def test_what_cannot_be_decided_is_told_in_one_line(
    command: Command, fact: str, arguments: tuple[str, ...], told: str
) -> None:
    done = command("change", fact, *arguments, *WHY)
    assert (done.code, done.out, len(done.err.splitlines())) == (Exit.USAGE, "", 1)
    assert told in done.err


@pytest.mark.usefixtures("fact")
def test_a_fact_that_nobody_knows_is_wrong_usage(
    command: Command,
) -> None:
    assert command("change", "00000000", "--to", "refuted", *WHY).code == Exit.USAGE


def test_a_store_that_is_away_is_exit_code_three(
    command: Command, fact: str, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def gone(*_: object, **__: object) -> None:
        raise StoreUnavailable("the store does not answer; start it")

    monkeypatch.setattr(type(world.store), "append", gone)
    done = command("change", fact, "--to", "refuted", *WHY)
    assert (done.code, "the store does not answer" in done.err) == (Exit.UNAVAILABLE, True)


# --- the list --------------------------------------------------------------------------------------------------------


@pytest.fixture
def waiting(command: Command, fact: str) -> str:  # noqa: ARG001 - the allergy comes first
    """John's doubts and words that nobody understood; gives the id of the words."""
    command("remember", DENIAL, *JOHN)
    told = command("remember", UNREAD, *JOHN, "--speaker", "patient", "--json").json
    id_: str = told["statements"][0]["episode_id"]
    return id_


def test_a_pipe_gets_the_list_with_what_was_said(command: Command, waiting: str) -> None:
    done = command("review")
    assert (done.code, done.err) == (Exit.DONE, "")
    assert waiting[:8] in done.out
    assert "contradicted" in done.out
    assert "2 things to decide" in done.out


def test_json_holds_every_reason_and_the_words(command: Command, waiting: str, fact: str) -> None:
    found = command("review", "--json").json
    assert found["complete"] is True
    assert [(item["id"], item["why"], item["critical"]) for item in found["waiting"]] == [
        (waiting, ["statement"], True),
        (fact, ["contradicted"], True),
    ]
    assert found["waiting"][0]["words"]["text"] == UNREAD


@pytest.mark.usefixtures("fact")
def test_nothing_that_waits_is_said(
    command: Command,
) -> None:
    assert command("review").out == "Nothing waits for a person.\n"


@pytest.mark.usefixtures("waiting")
def test_a_relation_that_cannot_be_read_is_said_and_is_exit_code_three(
    command: Command,
    world: World,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    read = type(world.store).neighbourhood

    async def partly(store: object, *given: object, **named: object) -> object:
        found = await read(store, *given, **named)  # type: ignore[arg-type]  # as it was called
        return replace(found, failed={"HAS_IMPLANTS": "it hangs"})

    monkeypatch.setattr(type(world.store), "neighbourhood", partly)
    done = command("review")
    assert (done.code, "COULD NOT CHECK JD001 HAS_IMPLANTS: it hangs" in done.out) == (Exit.UNAVAILABLE, True)


def test_words_are_dismissed_by_a_script(command: Command, waiting: str) -> None:
    done = command("review", "--dismiss", waiting[:8], "--reason", "a dish only", "--actor", "Dr Ada")
    assert (done.code, done.out) == (Exit.DONE, "Dismissed by Dr Ada; the words stay in the ledger.\n")
    assert waiting not in command("review", "--json").out


def test_facts_are_stored_from_words_by_a_script(command: Command, waiting: str) -> None:
    typed = "HAS_ALLERGY_TO: shellfish; severity=severe; status=unconfirmed"
    done = command("review", "--store", waiting, "--fact", typed, "--actor", "Dr Ada", "--json").json
    assert [(each["object"], each["status"], each["attrs"], each["route"]) for each in done["facts"]] == [
        ("Shellfish", "unconfirmed", {"severity": "severe"}, "person")
    ]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--dismiss", "00000000"), "0 things that waits has the id '00000000'"),
        (("--store", "x"), "--store needs --fact"),
        (("--dismiss", "x", "--approve", "y"), "give one of"),
    ],
)
@pytest.mark.usefixtures("waiting")
def test_a_wrong_use_of_review_is_told(
    command: Command,
    arguments: tuple[str, ...],
    told: str,
) -> None:
    done = command("review", *arguments, *WHY)
    assert (done.code, told in done.err) == (Exit.USAGE, True)


def test_a_fact_is_typed_as_it_should_be(command: Command, waiting: str) -> None:
    done = command("review", "--store", waiting, "--fact", "shellfish", *WHY)
    assert "a fact is written as `RELATION: object; name=value`" in done.err


# --- one by one ------------------------------------------------------------------------------------------------------


async def requested(world: World, fact: str) -> None:
    await world.memory.request_change(fact, Change.REFUTE, reason="skin test negative", actor="assistant 1")


@pytest.mark.usefixtures("waiting")
def test_on_a_terminal_each_is_asked_and_recorded(
    command: Command,
    fact: str,
    answers: Answers,
) -> None:
    answers("f", "HAS_ALLERGY_TO: shellfish", "", "k", "the patient was sure")
    done = command("review", "--actor", "Dr Ada")
    assert done.code == Exit.DONE
    assert "2 things to decide, as Dr Ada" in done.out
    assert f'1/2 John Doe (JD001)\n  statement: "{UNREAD}"' in done.out
    assert "stored HAS_ALLERGY_TO Shellfish, active" in done.out
    assert [item["why"] for item in command("review", "--json").json["waiting"]] == [["unmapped"]]
    assert command("history", fact, "--json").json[-1]["reason"] == "the patient was sure"


@pytest.mark.anyio
async def test_a_requested_change_is_approved_on_a_terminal(
    command: Command, fact: str, world: World, answers: Answers
) -> None:
    await requested(world, fact)
    answers("a")
    done = await asyncio.to_thread(command, "review", "--actor", "Dr Ada")
    assert "[a]pprove, [d]ecline" in done.out
    assert 'active -> refuted, by Dr Ada: "skin test negative"' in done.out


@pytest.mark.usefixtures("waiting")
def test_an_answer_that_cannot_be_recorded_is_asked_again(
    command: Command,
    answers: Answers,
) -> None:
    answers("d", "no", "d", "a dish only", "")
    done = command("review", "--actor", "Dr Ada")
    assert "not recorded: the reason must have 3 to 500 characters" in done.out
    assert command("review", "--json").json["waiting"][0]["why"] == ["contradicted"]


@pytest.mark.parametrize("lines", [("q",), ()])
def test_whoever_has_seen_enough_leaves_the_rest_waiting(
    command: Command, waiting: str, answers: Answers, lines: tuple[str, ...]
) -> None:
    answers(*lines)
    done = command("review", "--actor", "Dr Ada")
    assert (done.code, "The rest still waits." in done.out) == (Exit.DONE, True)
    assert waiting in command("review", "--json").out


@pytest.mark.usefixtures("world")
def test_a_doubt_is_confirmed_on_a_terminal(command: Command, answers: Answers) -> None:
    command("remember", MAYBE, *JOHN, "--subject-name", "John Doe")
    answers("c", "asked again, she is sure")
    done = command("review", "--actor", "Dr Ada")
    assert "[c]onfirm" in done.out
    assert "unconfirmed -> active, by Dr Ada" in done.out
