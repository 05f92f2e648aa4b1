"""What a blind player found in the answers of calls, over MCP: length, repetition, and what they say was done."""

import json
from collections.abc import AsyncIterator, Iterator, Mapping
from itertools import count
from typing import Any

import pytest

from tests.acceptance.conftest import Assistant, Installation, in_a_task_of_its_own
from tests.acceptance.test_corrections import Person, fact, fates

pytestmark = pytest.mark.anyio
DATE, NOTE, TAKES, ALLERGY, REFUSES = "HAS_DATE", "HAS_NOTE", "TAKES", "HAS_ALLERGY_TO", "REFUSES"


@pytest.fixture(scope="module", params=["personal", "clinical"])
async def connected(
    request: pytest.FixtureRequest, standing: Installation
) -> AsyncIterator[tuple[Assistant, Iterator[int]]]:
    name = str(request.param)
    one = standing.with_settings(schema=name, data_dir=str(standing.folder / f"answers-{name}"))
    async with in_a_task_of_its_own(one.client()) as assistant:
        yield assistant, count()


@pytest.fixture
def person(connected: tuple[Assistant, Iterator[int]]) -> Person:
    assistant, numbers = connected
    return Person(assistant, f"A{next(numbers)}")


async def test_a_list_and_a_check_name_what_is_empty_in_one_line(person: Person) -> None:
    said = "I'm allergic to celery."
    await person.tells(said, [fact(ALLERGY, "celery", said[:-1])])
    listed = await person.assistant.call("memory_list_facts", subject=person.id)
    check = await person.assistant.call("memory_check_text", text="See you on Monday.", subject=person.id)
    assert [each["relation"] for each in listed["counts"]] == [ALLERGY]
    assert {NOTE, DATE, TAKES} <= set(listed["empty"].split(", "))
    assert all(each["state"] != "NOT-ASKED" for each in check["checked"])
    assert "TAKES" in check["not_asked"].split(", ")
    assert len(json.dumps(listed["counts"]) + listed["empty"]) < 900
    assert len(json.dumps(check["checked"]) + check["not_asked"]) < 900


async def test_a_finding_stands_once_with_every_sentence_that_it_meets(person: Person) -> None:
    said = "I'm allergic to celery."
    await person.tells(said, [fact(ALLERGY, "celery", said[:-1])])
    draft = "Starter: celery soup. Then celery sticks with a dip."
    found = (await person.assistant.call("memory_check_text", text=draft, subject=person.id))["findings"]
    told = [(each["fact_id"], each.get("rule_id", ""), each["message"]) for each in found]
    assert len(told) == len(set(told))
    assert "celery sticks" in json.dumps(found)
    assert "celery soup" in json.dumps(found)


@pytest.mark.parametrize(
    ("told", "given", "words", "evidence", "value"),
    [
        ("My eGFR is 38.", ("38", "eGFR is 38"), "The 38 was a mix-up, my eGFR is 61.", "my eGFR is 61", "61"),
        ("My weight is 82 kilos.", ("82 kilos", "weight is 82 kilos"), "Sorry, 82 was wrong, my weight is 78 kilos.",
         "my weight is 78 kilos", "78 kilos"),
        ("The pens are in the hall drawer.", ("hall drawer", "pens are in the hall drawer"),
         "That was wrong about the pens in the drawer. The pens are in the blue case.",
         "The pens are in the blue case", "blue case"),
        ("Rent is 640 a month.", ("640 a month", "Rent is 640 a month"),
         "I got that wrong, the rent is not 640. Rent is 460 a month.", "Rent is 460 a month", "460 a month"),
    ],
)  # fmt: skip
async def test_what_a_call_corrected_is_not_reported_as_unchanged(
    person: Person, told: str, given: tuple[str, str], words: str, evidence: str, value: str
) -> None:
    thing, quote = given
    first = await person.tells(told, [fact(NOTE, thing, quote)])
    id_ = fates(first)[0]["fact_id"]
    out = await person.tells(words, [fact(NOTE, value, evidence, corrects=id_)])
    said = json.dumps(out)
    assert fates(out)[0]["verdict"] == "stored", said
    assert "nothing was changed" not in said
    assert "stays as it is" not in said


@pytest.mark.parametrize(
    ("told", "words", "evidence"),
    [
        ("I take ramipril.", "Forget what I said about ramipril. I never had it.", "I never had it"),
        ("I take bisoprolol.", "No, I was wrong about bisoprolol. That is Dad's.", "That is Dad's"),
        ("I take folic acid.", "Scratch that about folic acid. Stopped in May.", "Stopped in May"),
        ("I take senna.", "Please forget the senna. Mixed up.", "Mixed up"),
    ],
)
async def test_what_a_call_ended_is_not_reported_as_standing(
    person: Person, told: str, words: str, evidence: str
) -> None:
    thing = told.removeprefix("I take ").removesuffix(".")
    id_ = fates(await person.tells(told, [fact(TAKES, thing, told[:-1])]))[0]["fact_id"]
    out = await person.tells(words, [fact(TAKES, thing, evidence, "refuted", corrects=id_)])
    after = {each["fact_id"]: each for each in (await person.facts()).values()}[id_]
    unchanged = after["status"] == "active" and not after.get("contradicted")
    said = json.dumps(out)
    assert unchanged == ("stays as it is" in said or "nothing was changed" in said), said


async def test_a_denial_of_what_was_never_recorded_says_so_and_the_second_one_too(person: Person) -> None:
    said = "I never took naproxen."
    await person.tells(said, [fact(TAKES, "naproxen", "never took naproxen", "refuted")])
    again = await person.tells(
        "As I said, I never took naproxen.",
        [fact(TAKES, "naproxen", "never took naproxen", "refuted", corrects="naproxen")],
    )
    assert "corrected before" not in json.dumps(again)


@pytest.mark.parametrize(
    "words",
    [
        "Wants a lemon cake, takes omeprazole 20 now. Started doxycycline tonight, check the level on Friday.",
        "Swapped to apixaban 5 twice a day, bring the yellow book back.",
        "Tell Bea he has the flu jab on the 4th, and order the trays without foil from now on.",
        "Fall on Sunday, ?fracture. Give nothing in the left arm.",
    ],
)
async def test_words_that_were_read_as_facts_bring_no_block(person: Person, words: str) -> None:
    """Kind 9: the answer to a note of the day held a whole block of 1.8 to 3.4 k characters."""
    given = [fact(NOTE, each[:60], each) for each in words.removesuffix(".").replace(". ", ", ").split(", ")]
    out = await person.tells(words, given)
    assert out.get("block", "") == ""
    asked = await person.tells(f"{words} Can I give ibuprofen?", given)
    assert asked["block"]


async def test_words_that_ask_bring_a_block(person: Person) -> None:
    await person.tells("I'm allergic to celery.", [fact(ALLERGY, "celery", "I'm allergic to celery")])
    out = await person.tells("Can I eat celery soup?", [])
    assert "CRITICAL ALLERGY" in out["block"]


BO = ("Cousin Bo comes thu 12th to sun 15th.", "Bo's visit", {"date": "2026-03-12", "until": "2026-03-15"})
MOT = ("The MOT runs out on the 14th of March.", "MOT runs out on the 14th", {"date": "2026-03-14"})
TRIP = ("Choir trip leaves on 6 March from Leeds.", "Choir trip", {"date": "2026-03-06", "place": "Leeds"})
FAIR = ("School fair is on Saturday 7 March.", "fair on Saturday 7 March", {"date": "2026-03-07"})


async def of_relation(person: Person, relation: str) -> list[Mapping[str, Any]]:
    listed = await person.assistant.call("memory_list_facts", subject=person.id, relations=[relation])
    return list(listed["facts"])


Told = tuple[str, str, dict[str, str]]


@pytest.mark.parametrize(
    ("told", "words", "thing", "day", "kept", "old"),
    [
        (BO, "Scrap the thursday, Bo comes friday 13th.", "Cousin Bo's visit", "13", {"until": "2026-03-15"}, "12"),
        (MOT, "It's the 24th for the car.", "MOT runs out", "24", {}, "14"),
        (TRIP, "The choir trip now leaves on the 7th.", "Choir trip", "07", {"place": "Leeds"}, "6 March"),
        (TRIP, "Choir trip is the 8th, not from Leeds.", "the choir's trip", "08", {"place": None}, "6 March"),
        (FAIR, "They put it off a week, to the 14th.", "fair on Saturday 7 March", "14", {}, "7 March"),
    ],
)
@pytest.mark.parametrize("by", ["id", "words"])
async def test_a_corrected_day_has_no_name_that_tells_the_old_one(
    person: Person, told: Told, words: str, thing: str, day: str, kept: dict[str, str | None], old: str, by: str
) -> None:
    text, name, attrs = told
    first = await person.tells(text, [fact(DATE, name, text[:-1], attrs=attrs)])
    new = fact(DATE, thing, words[:-1], attrs={"date": f"2026-03-{day}"})
    new["corrects"] = fates(first)[0]["fact_id"] if by == "id" else text[:-1]
    out = await person.tells(words, [new])
    held = await of_relation(person, DATE)
    [active] = [each for each in held if each["status"] == "active"]
    assert fates(out)[0]["verdict"] == "stored", out
    assert active["attrs"]["date"] == f"2026-03-{day}"
    assert {name: active["attrs"].get(name) for name in kept} == kept
    assert old not in active["object"]
    assert [each["status"] for each in held if each is not active] == ["refuted"]


@pytest.mark.parametrize(
    ("told", "quote", "words", "thing"),
    [
        ("Two pens are in the blue case.", "pens in the blue case", "Moved them to the red tin.", "place of the pens"),
        ("Phone 07700 900417 for Lina.", "Phone 07700 900417", "Lina has 07700 900518 now.", "mobile number"),
        ("Key safe code is under the pot.", "Key safe", "It hangs by the shed.", "where the key is"),
        ("Bins out on Monday.", "Bins out on Monday", "They come on Tuesday from now.", "bin day"),
    ],
)
async def test_a_corrected_note_in_the_callers_words_is_stored_under_what_was_said(
    person: Person, told: str, quote: str, words: str, thing: str
) -> None:
    """Kind 9: a paraphrased object was taken without `corrects`, and waited with it."""
    first = await person.tells(told, [fact(NOTE, quote, told[:-1])])
    out = await person.tells(words, [fact(NOTE, thing, words[:-1], corrects=fates(first)[0]["fact_id"])])
    held = await of_relation(person, NOTE)
    assert fates(out)[0]["verdict"] == "stored", out
    assert [each["object"] for each in held if each["status"] == "active"] == [words[:-1]]
