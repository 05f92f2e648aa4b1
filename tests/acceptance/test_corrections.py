"""Corrections land and nothing is strengthened by them: over MCP, as a model calls.

Issue "In a model's hands", points 5 (corrections) and 6 (forget, retract, read).
"""

import datetime as dt
import json
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from r_memory.cli.app import Exit, run
from tests.acceptance.conftest import Assistant, Installation, in_a_task_of_its_own
from tests.acceptance.shell import Shell
from tests.acceptance.test_changes import assistant_of

pytestmark = pytest.mark.anyio
ALLERGY, TAKES, FAMILY, CONDITION = "HAS_ALLERGY_TO", "TAKES", "HAS_FAMILY_HISTORY", "HAS_CONDITION"
SETS = Path(__file__).parents[2] / "evals" / "sets" / "corrections"
EARLIER = "2026-01-05T09:00:00Z"
Given = Mapping[str, object]


def fact(relation: str, thing: str, evidence: str, status: str = "active", **more: object) -> dict[str, object]:
    """A fact as a caller gives it."""
    return {"relation": relation, "object": thing, "evidence": evidence, "status": status, **more}


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody of whom a client tells."""

    assistant: Assistant
    id: str

    async def tells(self, text: str, facts: Sequence[Given] | None, **more: object) -> Mapping[str, Any]:
        """What came of a statement about them."""
        given = {} if facts is None else {"facts": facts}
        named = {"subject": self.id, "subject_name": f"Person {self.id}"}
        return await self.assistant.call("memory_remember", text=text, **{**named, **given, **more})

    async def facts(self) -> dict[tuple[str, str], Mapping[str, Any]]:
        """What is recorded of them, by relation and object."""
        listed = await self.assistant.call("memory_list_facts", subject=self.id)
        return {(each["relation"], each["object"].casefold()): each for each in listed["facts"]}

    async def waiting(self) -> list[Mapping[str, Any]]:
        """The statements of theirs that wait for a person."""
        listed = await self.assistant.call("memory_list_facts", subject=self.id)
        return list(listed.get("pending", []))

    async def block(self, query: str = "Anything to look out for today?") -> str:
        text: str = (await self.assistant.call("memory_build_context", query=query, subject=self.id))["block"]
        return text


def fates(out: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """What became of the given facts, in their order."""
    return sorted((each for each in out["results"] if each.get("given")), key=lambda each: each["given"])


@pytest.fixture(scope="module")
async def connected(standing: Installation) -> AsyncIterator[tuple[Assistant, Iterator[int]]]:
    async with in_a_task_of_its_own(standing.client()) as assistant:
        yield assistant, count()


@pytest.fixture
def person(connected: tuple[Assistant, Iterator[int]]) -> Person:
    assistant, numbers = connected
    return Person(assistant, f"P{next(numbers)}")


@pytest.fixture
def other(connected: tuple[Assistant, Iterator[int]]) -> Person:
    assistant, numbers = connected
    return Person(assistant, f"P{next(numbers)}")


async def test_a_medicine_that_the_same_person_takes_back_ends_at_once_and_shows_the_correction(
    person: Person,
) -> None:
    told = await person.tells("I take metformin.", [fact(TAKES, "metformin", "I take metformin")])
    id_ = fates(told)[0]["fact_id"]

    out = await person.tells(
        "Sorry, not me, my brother.", [fact(TAKES, "metformin", "not me, my brother", "negated", corrects=id_)]
    )

    [fate] = fates(out)
    assert (fate["verdict"], fate["status"], fate["fact_id"]) == ("stored", "refuted", id_)
    assert (await person.facts())[TAKES, "metformin"]["status"] == "refuted"
    history = (await person.assistant.call("memory_list_facts", subject=person.id, fact_id=id_))["history"]
    assert "not me, my brother" in [event["evidence"] for event in history]
    assert "Takes: Metformin" not in await person.block()


async def test_a_critical_fact_that_is_corrected_stays_in_view_as_disputed(person: Person) -> None:
    await person.tells("I am allergic to peanuts.", [fact(ALLERGY, "peanuts", "allergic to peanuts")])
    said = "Sorry, not me, my brother has the peanut allergy."

    out = await person.tells(
        said,
        [fact(FAMILY, "peanut allergy", said[:-1], attrs={"relative": "brother"}, corrects="I am allergic to peanuts")],
    )

    known = await person.facts()
    block = await person.block("Peanut butter biscuits for tea?")
    assert [fate["verdict"] for fate in fates(out)] == ["stored"]
    assert "disputed" in fates(out)[0]["reason"]
    assert known[ALLERGY, "peanut"]["status"] == "active"
    assert known[ALLERGY, "peanut"]["contradicted"] is True
    assert (FAMILY, "peanut allergy") in known
    assert "CRITICAL ALLERGY" in block
    [against] = [line for line in block.splitlines() if line.startswith("  CORRECTED")]
    today = dt.datetime.now(dt.UTC).date()
    settling = "stays until memory_change_fact is called and a person approves it"
    assert against == f'  CORRECTED {today}: "{said[:-1]}" · {settling}'


async def test_another_value_takes_the_place_of_the_one_before(person: Person) -> None:
    await person.tells(
        "I take metformin, 500 mg.", [fact(TAKES, "metformin", "I take metformin, 500 mg", attrs={"dose": "500 mg"})]
    )
    said = [fact(TAKES, "metformin", "No, 850", attrs={"dose": "850 mg"}, corrects="metformin")]

    await person.tells("No, 850.", said)
    again = await person.tells("As I said: No, 850.", said)

    known = (await person.facts())[TAKES, "metformin"]
    assert known["attrs"]["dose"] == "850 mg"
    assert known["observations"] == 2
    assert fates(again)[0]["verdict"] == "duplicate"
    assert "nothing was changed" in fates(again)[0]["reason"]


async def test_the_same_correction_twice_changes_nothing_and_says_so(person: Person) -> None:
    await person.tells("I take metformin.", [fact(TAKES, "metformin", "I take metformin")])
    await person.tells("I am allergic to latex.", [fact(ALLERGY, "latex", "I am allergic to latex")])
    given = [
        fact(TAKES, "metformin", "both were wrong", "negated", corrects="metformin"),
        fact(ALLERGY, "latex", "both were wrong", "negated", corrects="latex"),
    ]
    await person.tells("Metformin and latex, both were wrong.", given)
    before = await person.facts()

    out = await person.tells("Once more: metformin and latex, both were wrong.", given)

    assert [(fate["verdict"], "nothing was changed" in fate["reason"]) for fate in fates(out)] == [
        ("duplicate", True),
        ("duplicate", True),
    ]
    assert await person.facts() == before


async def test_what_was_said_of_the_wrong_person_moves_to_the_right_one(person: Person, other: Person) -> None:
    told = await person.tells("She takes ramipril.", [fact(TAKES, "ramipril", "She takes ramipril")])
    allergic = await person.tells("She is allergic to latex.", [fact(ALLERGY, "latex", "She is allergic to latex")])
    said = "That was for dad, not for her."

    for out, relation, thing in ((told, TAKES, "ramipril"), (allergic, ALLERGY, "latex")):
        await other.tells(said, [fact(relation, thing, said[:-1], corrects=fates(out)[0]["fact_id"])])

    hers, his = await person.facts(), await other.facts()
    assert hers[TAKES, "ramipril"]["status"] == "refuted"
    assert (hers[ALLERGY, "latex"]["status"], hers[ALLERGY, "latex"]["contradicted"]) == ("active", True)
    assert {key: known["status"] for key, known in his.items()} == {
        (TAKES, "ramipril"): "active",
        (ALLERGY, "latex"): "active",
    }


async def test_a_correction_of_something_never_said_loses_no_words_and_says_why(person: Person) -> None:
    said = "The March date was wrong."

    out = await person.tells(said, [fact(TAKES, "insulin", said[:-1], "refuted", corrects="the March date")])

    [fate] = fates(out)
    assert fate["verdict"] == "waits"
    assert "nothing that is recorded is named" in fate["reason"]
    assert out["pending"] == 1
    assert [said] == [each["text"] for each in await person.waiting()]


async def test_words_that_may_mean_two_facts_name_both_and_change_neither(person: Person) -> None:
    for thing in ("ramipril", "metformin"):
        words = f"I take {thing} every morning"
        await person.tells(f"{words}.", [fact(TAKES, thing, words)])

    out = await person.tells(
        "The morning pill was wrong.",
        [fact(TAKES, "morning pill", "The morning pill was wrong", "refuted", corrects="every morning")],
    )

    assert "Ramipril" in fates(out)[0]["reason"]
    assert "Metformin" in fates(out)[0]["reason"]
    assert {known["status"] for known in (await person.facts()).values()} == {"active"}


async def test_a_retraction_by_somebody_else_waits(person: Person) -> None:
    await person.tells("I take metformin.", [fact(TAKES, "metformin", "I take metformin")], speaker="patient")

    out = await person.tells(
        "He does not take metformin.",
        [fact(TAKES, "metformin", "He does not take metformin", "negated", corrects="metformin")],
        speaker="neighbour",
    )

    known = (await person.facts())[TAKES, "metformin"]
    assert (known["status"], known["contradicted"]) == ("active", True)
    assert "disputed, and shown until it is settled" in fates(out)[0]["reason"]


CORRECTED = (
    ("I take metformin.", TAKES, "metformin", "Sorry, not me, my brother."),
    ("My dose limit: 800 mg ibuprofen a day.", TAKES, "ibuprofen", "No, 850."),
    ("She takes ramipril.", TAKES, "ramipril", "That was for dad, not for her."),
    ("She takes ramipril.", TAKES, "ramipril", "Stop the ramipril for her."),
    ("She has depression since 2 March 2021.", CONDITION, "depression", "The March date was wrong."),
    ("She has depression.", CONDITION, "depression", "Forget the depression."),
    ("She is allergic to latex.", ALLERGY, "latex", "Please delete the latex allergy."),
)


@pytest.mark.parametrize("read", [None, []], ids=["unread", "read as nothing"])
@pytest.mark.parametrize(("told", "relation", "thing", "said"), CORRECTED)
async def test_without_a_reading_the_words_wait_beside_the_fact_and_strengthen_nothing(
    person: Person, read: list[Given] | None, told: str, relation: str, thing: str, said: str
) -> None:
    await person.tells(told, [fact(relation, thing, told[:-1])])
    before = (await person.facts())[relation, thing]

    out = await person.tells(said, read)

    [item] = [each for each in out["results"] if each["verdict"] == "waits" and each.get("text")]
    assert item["text"] == said
    assert before["fact_id"][:8] in item["reason"]
    assert (await person.facts())[relation, thing] == before
    assert said in [each["text"] for each in await person.waiting()]
    assert relation != ALLERGY or said.removesuffix(".") in await person.block()


@pytest.mark.parametrize("status", ["active", "negated", "resolved"])
async def test_forgetting_is_proposed_and_never_strengthens_whatever_the_caller_read(
    person: Person, status: str
) -> None:
    await person.tells("I have depression.", [fact(CONDITION, "depression", "I have depression")])
    before = await person.facts()

    out = await person.tells("Forget the depression.", [fact(CONDITION, "depression", "Forget the depression", status)])

    [fate] = fates(out)
    assert (fate["verdict"], "memory_change_fact" in fate["reason"]) == ("waits", True)
    assert await person.facts() == before


async def test_forget_everything_is_answered_with_what_to_do_and_changes_nothing(person: Person) -> None:
    await person.tells("I am allergic to latex.", [fact(ALLERGY, "latex", "I am allergic to latex")])
    before = await person.facts()

    out = await person.tells("Forget everything about me.", [])

    assert any("r-memory forget" in each["reason"] for each in out["results"])
    assert await person.facts() == before


async def test_one_call_with_the_persons_words_forgets_what_is_not_critical(person: Person) -> None:
    await person.tells("I have depression.", [fact(CONDITION, "depression", "I have depression")])
    forget = {"subject": person.id, "fact_id": "the depression", "change": "entered_in_error"}

    out = await person.assistant.call("memory_change_fact", **forget, reason="asks to forget it", confirm=True)

    assert (out["outcome"], out["after"]["status"]) == ("changed", "entered_in_error")
    assert await person.facts() == {}
    assert "epression" not in await person.block()


async def test_one_call_with_the_persons_words_proposes_to_forget_a_critical_fact(person: Person) -> None:
    await person.tells("I am allergic to latex.", [fact(ALLERGY, "latex", "I am allergic to latex")])
    forget = {"subject": person.id, "fact_id": "latex allergy", "change": "entered_in_error"}

    out = await person.assistant.call("memory_change_fact", **forget, reason="asks to forget it", confirm=True)

    block = await person.block()
    assert out["outcome"] == "requested"
    assert "CRITICAL ALLERGY" in block
    assert "CHANGE REQUESTED, not made" in block


async def test_a_person_confirms_by_a_form_that_a_critical_fact_is_forgotten(embedded: Installation) -> None:
    async with assistant_of(embedded, "auto", "accept") as (assistant, asked):
        person = Person(assistant, "C1")
        await person.tells("I am allergic to latex.", [fact(ALLERGY, "latex", "I am allergic to latex")])
        forget = {"subject": "C1", "fact_id": "the latex allergy", "change": "entered_in_error"}

        out = await assistant.call("memory_change_fact", **forget, reason="asks to forget it")

        assert out["outcome"] == "changed"
        assert "Latex" in asked[0]
        assert await person.facts() == {}


@pytest.mark.parametrize("words", ["everything", "all that you know about me"])
async def test_no_words_change_everything_at_once(person: Person, words: str) -> None:
    await person.tells("I am allergic to latex.", [fact(ALLERGY, "latex", "I am allergic to latex")])
    before = await person.facts()
    forget = {"subject": person.id, "fact_id": words, "change": "entered_in_error"}

    told = await person.assistant.refused("memory_change_fact", **forget, reason="asks to forget it", confirm=True)

    assert "r-memory forget" in told
    assert await person.facts() == before


SMALL_TALK = (
    "Good morning, how are you today?",
    "The garden looks lovely after the rain.",
    "We watched a film about penguins last night.",
    "My neighbour painted his fence green.",
    "I can't believe it is nearly December already.",
    "Thanks, that was really helpful!",
    "Ha, you always make me laugh.",
    "The traffic was terrible on the way here.",
    "I've been meaning to call my sister all week.",
    "Did you see the football on Saturday?",
    "My grandson started school on Monday.",
    "I burnt the toast again this morning.",
    "The new bakery round the corner is wonderful.",
    "It's so cold that the dog refuses to go out.",
    "We're thinking of going to the seaside in spring.",
    "Forget it, it doesn't matter now.",
    "The bus was late, so I walked home.",
    "Sorry, I was miles away just now.",
    "My daughter gave me this scarf for my birthday.",
    "No, really, take the last 2 biscuits.",
)


async def test_after_twenty_sentences_of_small_talk_a_block_is_no_longer_than_before(person: Person) -> None:
    await person.tells("I am allergic to latex.", [fact(ALLERGY, "latex", "I am allergic to latex")], said_at=EARLIER)
    await person.tells("I take metformin.", [fact(TAKES, "metformin", "I take metformin")], said_at=EARLIER)
    before = await person.block()

    for sentence in SMALL_TALK:
        await person.tells(sentence, [])

    assert len(await person.block()) <= len(before)
    assert await person.waiting() == []


async def test_a_statement_without_a_watched_mention_is_settled_by_who_read_it(person: Person) -> None:
    await person.tells("I can't believe it is nearly December already.", None)
    [waiting] = await person.waiting()
    read = {"fact_id": waiting["episode_id"], "change": "dismiss", "reason": "read: it states nothing"}

    out = await person.assistant.call("memory_change_fact", **read)

    assert out["outcome"] == "changed"
    assert await person.waiting() == []


async def test_a_statement_that_may_hold_a_risk_waits_until_a_person_settles_it(person: Person) -> None:
    await person.tells("I am allergic to latex.", [fact(ALLERGY, "latex", "I am allergic to latex")])
    await person.tells("The latex was wrong.", None)
    [waiting] = await person.waiting()
    read = {"fact_id": waiting["episode_id"], "change": "dismiss", "reason": "read: it states nothing"}

    out = await person.assistant.call("memory_change_fact", **read, confirm=True)

    assert out["outcome"] == "requested"
    assert [each["episode_id"] for each in await person.waiting()] == [waiting["episode_id"]]


def test_review_lists_words_beside_the_fact_that_they_take_back(embedded: Installation) -> None:
    shell = Shell(installation=embedded)
    ann = ("--subject", "R1")
    shell.json("remember", "I have depression.", *ann, "--subject-name", "Ann Lee", "--json")
    [known] = shell.json("facts", *ann, "--json")["facts"]
    shell.json("remember", "Forget the depression.", *ann, "--json")

    [words] = [item for item in shell.json("review", *ann, "--json")["waiting"] if item["words"]]

    assert words["words"]["may_take_back"] == [known["fact_id"]]
    assert f"fact {known['fact_id'][:8]}" in shell.run("review", *ann).stdout


@pytest.mark.usefixtures("begun_suites")
def test_of_forty_corrections_of_our_own_all_but_two_land_and_none_makes_a_fact_stronger(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    landed = stronger = told = 0
    for schema in ("clinical", "personal", "law"):
        monkeypatch.setenv("R_MEMORY_SCHEMA", schema)
        report = tmp_path / f"{schema}.json"
        assert run(["eval", "corrections", "--data", str(SETS / f"{schema}.jsonl"), "--json", str(report)]) == Exit.DONE
        lands, strengthened = json.loads(report.read_text(encoding="utf-8"))["figures"]
        told += lands["n"]
        landed += round(lands["value"] * lands["n"])
        stronger += strengthened["value"]

    assert told == 40
    assert landed >= 38
    assert stronger == 0


# --- forget what no fact is of ---------------------------------------------------------------------------------------

UNFILED = (
    ("I caught scabies on the trip.", "Please forget the scabies thing, I don't want it kept.", "scabies"),
    ("My loan from Gerd is not paid back.", "Delete Gerd from my notes.", "Gerd"),
)


@pytest.mark.parametrize(("told", "said", "named"), UNFILED, ids=[row[2] for row in UNFILED])
async def test_a_wish_to_forget_what_no_fact_is_of_points_at_the_words_and_goes_with_them(
    person: Person, told: str, said: str, named: str
) -> None:
    await person.tells("I am allergic to latex.", [fact(ALLERGY, "latex", "I am allergic to latex")])
    await person.tells(told, [fact(CONDITION, "not in the words", told[:-1])])
    [words] = [each for each in await person.waiting() if each["text"] == told]
    before = await person.facts()

    out = await person.tells(said, [])

    [item] = [each for each in out["results"] if each.get("reason")]
    assert "nothing is stored as a fact" in item["reason"]
    assert words["episode_id"] in item["reason"]
    assert not any(known["fact_id"][:8] in item["reason"] for known in before.values())
    dismiss = {"fact_id": words["episode_id"], "change": "dismiss", "reason": "the person does not want it kept"}
    settled = await person.assistant.call("memory_change_fact", **dismiss, confirm=True)
    assert settled["outcome"] == "changed"
    assert await person.waiting() == []
    assert named not in await person.block()
    assert await person.facts() == before


async def test_a_wish_to_forget_what_is_stored_nowhere_waits_for_nobody_and_names_no_other_fact(person: Person) -> None:
    await person.tells("I am allergic to latex.", [fact(ALLERGY, "latex", "I am allergic to latex")])
    before = await person.facts()

    out = await person.tells("Please forget the lumbago.", [])

    assert any("nothing is stored as a fact" in each["reason"] for each in out["results"])
    assert "atex" not in str(out["results"])
    assert await person.waiting() == []
    assert await person.facts() == before


async def test_a_wish_to_forget_that_says_more_than_the_words_that_are_settled_stays_in_view(person: Person) -> None:
    told = "I caught scabies on the trip."
    await person.tells(told, [fact(CONDITION, "not in the words", told[:-1])])
    await person.tells("Forget the scabies, the permethrin gave me blisters.", [])
    [words] = [each for each in await person.waiting() if each["text"] == told]

    dismiss = {"fact_id": words["episode_id"], "change": "dismiss", "reason": "not wanted"}
    await person.assistant.call("memory_change_fact", **dismiss, confirm=True)

    assert "permethrin" in str(await person.waiting())
