"""A correction whose words do not name the thing lands where it belongs: it corrects what was said right before.

Issue "In a model's hands", point 5: a person's own correction of a minute ago ends a fact that is not critical; a
critical one is shown as disputed; the same fact with another detail keeps the others.
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import replace

import pytest

from r_memory import Memory, open_memory
from r_memory.config.settings import load_settings
from r_memory.domain.facts import Attribute, Fact, Status
from r_memory.facts.remember.results import Claim
from tests.acceptance.conftest import Installation

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
async def memories(standing: Installation) -> AsyncIterator[Mapping[str, Memory]]:
    async with AsyncExitStack() as stack:
        opened: dict[str, Memory] = {}
        for schema in ("clinical", "personal", "law", "finance"):
            folder = str(standing.folder / f"{schema}-unnamed")
            one = standing.with_settings(schema=schema, space="unnamed", data_dir=folder)
            opened[schema] = await stack.enter_async_context(open_memory(load_settings(one.environment)))
        yield opened


def read(relation: str, thing: str, words: str, status: str = "active", **attrs: Attribute) -> Claim:
    return Claim(relation=relation, object=thing, evidence=words, status=status, attrs=attrs)


async def after(memory: Memory, who: str, *told: tuple[str, Sequence[Claim]], speaker: str = "") -> list[Fact]:
    """Everything recorded of somebody after these statements, the oldest first."""
    for text, claims in told:
        await memory.remember(text, subject=who, subject_name=who, claims=claims, speaker=speaker)
    every = [status.value for status in Status]
    return sorted((await memory.list_facts(subject=who, statuses=every)).facts, key=lambda fact: fact.first_recorded_at)


def stand(facts: Sequence[Fact]) -> list[str]:
    return ["disputed" if fact.contradicted else fact.status.value for fact in facts]


ANOTHER: tuple[tuple[str, str, Claim, str, Claim], ...] = (
    (
        "personal",
        "The plumber comes on 7 July.",
        read("HAS_DATE", "plumber", "The plumber comes on 7 July", date="7 July"),
        "Sorry, I meant the 17th.",
        read("HAS_DATE", "plumber", "I meant the 17th", date="17 July"),
    ),
    (
        "personal",
        "The bike lock is in the drawer on the right.",
        read("HAS_PLACE", "drawer on the right", "The bike lock is in the drawer on the right", what="bike lock"),
        "No, the left one.",
        read("HAS_PLACE", "the left one", "the left one", what="bike lock"),
    ),
    (
        "personal",
        "My vet is Dr Roth.",
        read("KNOWS", "Dr Roth", "My vet is Dr Roth", who="vet"),
        "Wait, Dr Rohde is the vet.",
        read("KNOWS", "Dr Rohde", "Dr Rohde is the vet", who="vet"),
    ),
    (
        "clinical",
        "I weigh 74 kilos.",
        read("HAS_MEASUREMENT", "weight", "I weigh 74 kilos", value=74, unit="kg"),
        "Oops, 47.",
        read("HAS_MEASUREMENT", "weight", "Oops, 47", value=47, unit="kg"),
    ),
    (
        "clinical",
        "He takes sertraline.",
        read("TAKES", "sertraline", "He takes sertraline"),
        "It's the other one, sumatriptan.",
        read("TAKES", "sumatriptan", "It's the other one, sumatriptan"),
    ),
    (
        "clinical",
        "The appendix came out in 1998.",
        read("HAD_PROCEDURE", "appendix came out", "The appendix came out in 1998", done="1998"),
        "No, 1989 it was.",
        read("HAD_PROCEDURE", "appendix came out", "1989 it was", done="1989"),
    ),
    (
        "law",
        "He is a director of Marlow Glass.",
        read("HAS_INTEREST_IN", "Marlow Glass", "He is a director of Marlow Glass"),
        "Wrong firm, Barlow Glass.",
        read("HAS_INTEREST_IN", "Barlow Glass", "Barlow Glass"),
    ),
    (
        "finance",
        "His profile is aggressive.",
        read("HAS_RISK_PROFILE", "aggressive", "His profile is aggressive"),
        "Sorry, balanced, I read the wrong line.",
        read("HAS_RISK_PROFILE", "balanced", "Sorry, balanced"),
    ),
)
FORMS = ("the new fact alone", "the old fact refuted beside it")


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("domain", "told", "old", "said", "new"), ANOTHER, ids=[row[3] for row in ANOTHER])
async def test_a_correction_that_names_no_thing_ends_what_was_said_right_before(
    memories: Mapping[str, Memory], form: str, domain: str, told: str, old: Claim, said: str, new: Claim
) -> None:
    denied = [replace(old, status="refuted", evidence=said[:-1])] if form == FORMS[1] else []

    facts = await after(memories[domain], f"{said} {form}", (told, [old]), (said, [*denied, new]))

    assert stand(facts) == ["refuted", "active"]


DETAILS = (
    (
        "clinical",
        "She takes venlafaxine 75 mg twice a day for her mood.",
        "TAKES",
        "venlafaxine",
        {"dose": "75 mg", "frequency": "twice a day", "indication": "her mood"},
        "Actually 37.5, not 75.",
        {"dose": "37.5 mg"},
    ),
    (
        "finance",
        "They hold 700 Vestas shares.",
        "HOLDS",
        "Vestas",
        {"amount": "700", "held_at": "the bank"},
        "No, 70.",
        {"amount": "70"},
    ),
)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("domain", "told", "relation", "thing", "old", "said", "new"), DETAILS, ids=[row[3] for row in DETAILS]
)
async def test_another_detail_keeps_the_fact_and_its_other_details(
    memories: Mapping[str, Memory],
    form: str,
    domain: str,
    told: str,
    relation: str,
    thing: str,
    old: Mapping[str, Attribute],
    said: str,
    new: Mapping[str, Attribute],
) -> None:
    words = said[:-1]
    denied = [replace(read(relation, thing, words, "refuted"), attrs=old)] if form == FORMS[1] else []
    corrected = [*denied, replace(read(relation, thing, words), attrs=new)]

    [fact] = await after(
        memories[domain],
        f"{thing} {form}",
        (told, [replace(read(relation, thing, told[:-1]), attrs=old)]),
        (said, corrected),
    )

    assert stand([fact]) == ["active"]
    assert fact.attrs == {**old, **new}


async def test_a_critical_fact_that_is_corrected_without_its_name_is_disputed(memories: Mapping[str, Memory]) -> None:
    told = "The reply is due on 6 May 2027."
    due = read("HAS_DEADLINE", "reply", told[:-1], due="2027-05-06")
    said = "Sorry, the 16th."
    other = read("HAS_DEADLINE", "reply", said[:-1], due="2027-05-16")

    facts = await after(memories["law"], "due", (told, [due]), (said, [other]))

    assert stand(facts) == ["disputed", "active"]


BESIDE = (
    ("personal", "LIKES", "I like figs.", "figs", "Sorry, and dates as well.", "dates"),
    ("personal", "LIKES", "I like chess.", "chess", "Chess is on Monday, and I like go.", "go"),
    ("clinical", "TAKES", "I take folic acid.", "folic acid", "Oh wait, I also take iron.", "iron"),
    ("clinical", "HAS_ALLERGY_TO", "I'm allergic to latex.", "latex", "Sorry, kiwi makes my throat swell.", "kiwi"),
    ("personal", "AVOIDS", "I don't eat pork.", "pork", "No beef for me, too.", "beef"),
)


@pytest.mark.parametrize(
    ("domain", "relation", "told", "thing", "said", "other"), BESIDE, ids=[row[4] for row in BESIDE]
)
async def test_what_is_put_beside_the_last_statement_corrects_nothing(
    memories: Mapping[str, Memory], domain: str, relation: str, told: str, thing: str, said: str, other: str
) -> None:
    facts = await after(
        memories[domain],
        said,
        (told, [read(relation, thing, told[:-1])]),
        (said, [read(relation, other, said[:-1])]),
    )

    assert "disputed" not in stand(facts)
    assert [fact.status for fact in facts if fact.object.name.casefold() == thing] == [Status.ACTIVE]


async def test_what_somebody_else_said_is_disputed_and_not_ended(memories: Mapping[str, Memory]) -> None:
    memory, told, said = memories["clinical"], "He weighs 66 kilos.", "No, 86."
    first = read("HAS_MEASUREMENT", "weight", told[:-1], value=66, unit="kg")
    await after(memory, "apart", (told, [first]), speaker="nurse")

    second = read("HAS_MEASUREMENT", "weight", said[:-1], value=86, unit="kg")
    facts = await after(memory, "apart", (said, [second]), speaker="doctor")

    assert stand(facts) == ["disputed", "active"]


async def test_a_longer_statement_ends_no_other_thing_unless_the_caller_says_so(memories: Mapping[str, Memory]) -> None:
    told, said = (
        "He has the lodge at Torridon.",
        "He also keeps 30k with the post office in case. So that's not for the plan, sorry.",
    )
    other = read("HOLDS", "post office", "He also keeps 30k with the post office", amount="30k")

    facts = await after(
        memories["finance"], "longer", (told, [read("HOLDS", "lodge at Torridon", told[:-1])]), (said, [other])
    )

    assert stand(facts) == ["active", "active"]


async def test_a_name_that_tells_the_old_day_is_not_the_name_of_the_new_one(memories: Mapping[str, Memory]) -> None:
    told, said = "Service contract runs out at the end of May.", "End of May is wrong, the contract runs out 3 August."
    name = "Service contract runs out at the end of May"
    old = read("HAS_DATE", name, name, date="end of May")
    new = replace(read("HAS_DATE", "contract runs out", said[:-1], date="3 August"), corrects=name)

    facts = await after(memories["personal"], "renamed", (told, [old]), (said, [new]))

    assert stand(facts) == ["refuted", "active"]
    assert "May" not in facts[-1].object.name


async def test_words_that_fit_another_matter_still_correct_the_fact_of_that_name(
    memories: Mapping[str, Memory],
) -> None:
    told = "Harbour fair is on 9 May. Harbour fair 9 May, 40 stalls."
    day = read("HAS_DATE", "Harbour fair", "Harbour fair is on 9 May", date="9 May")
    stalls = read("HAS_NOTE", "Harbour fair 9 May, 40 stalls", "Harbour fair 9 May, 40 stalls")
    said = "They moved it a week, it's the 16th."
    new = replace(read("HAS_DATE", "Harbour fair", said[:-1], date="16 May"), corrects="Harbour fair 9 May")

    facts = await after(memories["personal"], "matter", (told, [day, stalls]), (said, [new]))

    found = {(fact.relation, fact.attrs.get("date")): fact.status.value for fact in facts}
    assert found["HAS_NOTE", None] == "active"
    assert found["HAS_DATE", "16 May"] == "active"
    assert found.get(("HAS_DATE", "9 May"), "refuted") == "refuted"


# The first thing is corrected by its name; the second was stated in the same breath, and shares a light word at most.
SETTLED = (
    ("ATR 6", "Keep it off anything joint", "Correction, that 6 is off the 2019 form.", "The new one comes out at 3"),
    ("Ceiling 60", "Take nothing off the table", "Correction, the 60 was read off an old letter.", "It is 50 now"),
    ("Two properties", "Speak up on calls", "I mixed up the properties, scrap that.", "It is three flats"),
    ("Rated 5 of 7", "Keep her out of crypto", "Correction, that 5 came out of another column.", "It is a 4"),
)


@pytest.mark.parametrize(("old", "beside", "takes_back", "new"), SETTLED)
async def test_a_correction_that_landed_leaves_nothing_to_wait_for(
    memories: Mapping[str, Memory], old: str, beside: str, takes_back: str, new: str
) -> None:
    """Told by a player: what was corrected went on waiting, as it might have meant what was said beside it."""
    memory, who = memories["finance"], f"settled by {new}"
    first = [read("HAS_NOTE", old, old), read("HAS_STANDING_ORDER", beside, beside)]
    await memory.remember(f"{old}. {beside}.", subject=who, subject_name=who, claims=first)

    second = [replace(read("HAS_NOTE", new, new), corrects=old)]
    told = await memory.remember(f"{takes_back} {new}.", subject=who, claims=second)

    assert [each.reason for each in told.results if each.verdict == "waits"] == []


async def test_a_correction_of_one_of_two_named_things_leaves_the_other_to_wait_for(
    memories: Mapping[str, Memory],
) -> None:
    memory, who = memories["finance"], "Two Things"
    first = [read("HAS_NOTE", words, words) for words in ("Paid Monday", "Lives on Mill Road")]
    await memory.remember("Paid Monday. Lives on Mill Road.", subject=who, subject_name=who, claims=first)

    second = [replace(read("HAS_NOTE", "Paid Tuesday", "Paid Tuesday"), corrects="Paid Monday")]
    text = "Correction, the Monday and the Mill Road were off another sheet. Paid Tuesday."
    told = await memory.remember(text, subject=who, claims=second)

    assert any(each.verdict == "waits" and "Mill Road" in each.reason for each in told.results)
