"""What blind players found with the server in a model's hands, over MCP: what a caller sends is kept as it was said.

Issue "In a model's hands": every turn helps, corrections land, nothing is lost.
"""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from uuid import uuid4

import pytest

from tests.acceptance.conftest import Assistant, Installation, in_a_task_of_its_own
from tests.acceptance.test_corrections import Person, fact
from tests.acceptance.test_corrections_by_kind import Domains, domains_of

pytestmark = pytest.mark.anyio
TAKES = "TAKES"
OTHERWISE, UNTOLD = "The record says otherwise", "is without a unit"


@pytest.fixture(scope="module")
async def domains(standing: Installation) -> AsyncIterator[Domains]:
    async with domains_of(standing, "hands", ("clinical", "personal", "finance")) as opened:
        yield opened


@pytest.fixture(scope="module")
async def owner(standing: Installation) -> AsyncIterator[Assistant]:
    async with AsyncExitStack() as stack:
        alone = {"schema": "personal", "single_subject": "me", "space": f"owner-{uuid4().hex[:8]}"}
        one = standing.with_settings(**alone, data_dir=str(standing.folder / "owner-hands"))
        yield await stack.enter_async_context(in_a_task_of_its_own(one.client()))


@pytest.fixture
def person(domains: Domains) -> Person:
    return domains.somebody("clinical")


DOSES = (
    ("She takes naproxen, 250 at a time.", "naproxen", "250", "Naproxen 500 mg with breakfast.", OTHERWISE),
    ("She takes naproxen, 250 at a time.", "naproxen", "250", "Naproxen 250 mg with breakfast.", ""),
    ("She takes naproxen, 250 mg.", "naproxen", "250 mg", "Carry on with naproxen 500 twice daily.", OTHERWISE),
    ("She takes naproxen, 250 mg.", "naproxen", "250 mg", "Naproxen 14 days, then stop.", ""),
    ("He takes two senna at night.", "senna", "two", "Senna 15 mg at night.", UNTOLD),
    ("He takes two senna at night.", "senna", "two", "Senna, three tablets at night.", OTHERWISE),
    ("He takes two senna at night.", "senna", "two", "Senna, two tablets at night.", ""),
    ("He takes levothyroxine, 75.", "levothyroxine", "75", "Levothyroxine 0.075 mg before breakfast.", UNTOLD),
    ("He takes levothyroxine since 2019.", "levothyroxine", "", "Levothyroxine 75 micrograms daily.", ""),
)


@pytest.mark.parametrize(
    ("said", "thing", "dose", "draft", "told"), DOSES, ids=[f"{row[2]}: {row[3]}" for row in DOSES]
)
async def test_a_dose_without_its_unit_is_compared_or_named_as_not_compared(
    person: Person, said: str, thing: str, dose: str, draft: str, told: str
) -> None:
    attrs = {"dose": dose} if dose else {"since": "2019"}
    await person.tells(said, [fact(TAKES, thing, said[:-1], attrs=attrs)])

    checked = await person.assistant.call("memory_check_text", text=draft, subject=person.id)

    messages = [*(found["message"] for found in checked["findings"]), *checked.get("gaps", [])]
    assert [mark for mark in (OTHERWISE, UNTOLD) if any(mark in each for each in messages)] == ([told] if told else [])


KEPT = (
    (
        "The bulb above the cellar stairs is 60 watt.",
        ("60 watt", "The bulb above the cellar stairs is 60 watt"),
        "Sorry, it is 80 watt.",
        ("80 watt", "it is 80 watt"),
        "Which bulb do I buy for the cellar?",
        "bulb above the cellar stairs",
    ),
    (
        "The bridge loan for the barn runs to 14 years.",
        ("bridge loan for the barn runs to 14 years", "The bridge loan for the barn runs to 14 years"),
        "No, sorry, 12 years.",
        ("12 years", "12 years"),
        "How long does the loan run?",
        "bridge loan for the barn",
    ),
)


@pytest.mark.parametrize("named", [True, False], ids=["corrects", "unnamed"])
@pytest.mark.parametrize("relation", ["HAS_NOTE", "HAS_DETAIL"])
@pytest.mark.parametrize(("said", "old", "put_right", "new", "query", "thing"), KEPT, ids=[row[5] for row in KEPT])
async def test_a_corrected_plain_fact_keeps_what_it_is_about(
    domains: Domains,
    said: str,
    old: tuple[str, str],
    put_right: str,
    new: tuple[str, str],
    query: str,
    thing: str,
    relation: str,
    named: bool,
) -> None:
    person = domains.somebody("personal")
    first = await person.tells(said, [fact(relation, *old)])
    more = {"corrects": first["results"][0]["fact_id"]} if named else {}

    await person.tells(put_right, [fact(relation, *new, **more)])

    block = (await person.block(query)).casefold()
    assert (thing in block, new[0].casefold() in block) == (True, True)
    [stands] = [each for each in (await person.facts()).values() if each["status"] == "active"]
    assert thing in str(stands).casefold()


OTHERWISE_NAMED = (
    (
        "Theatre with Ines on Thursday.",
        ("theatre with Ines", "Theatre with Ines"),
        "Ines is away, it's the theatre with Paul.",
        ("theatre with Paul", "the theatre with Paul"),
    ),
    (
        "The van comes on Monday at 10, second gate.",
        ("van comes on Monday at 10, second gate", "The van comes on Monday at 10, second gate"),
        "No, the van comes at the depot.",
        ("van comes at the depot", "the van comes at the depot"),
    ),
)


@pytest.mark.parametrize(("said", "old", "put_right", "new"), OTHERWISE_NAMED, ids=["person", "place"])
async def test_a_correction_that_names_its_thing_keeps_nothing_of_the_old_words(
    domains: Domains, said: str, old: tuple[str, str], put_right: str, new: tuple[str, str]
) -> None:
    person = domains.somebody("personal")
    first = await person.tells(said, [fact("HAS_NOTE", *old)])

    told = await person.tells(put_right, [fact("HAS_NOTE", *new, corrects=first["results"][0]["fact_id"])])

    assert "means" not in told["results"][0]


WITHOUT = (
    ("Uncle Bo's kitchen: he avoids lactose-free cream.", "lactose-free cream", "lactose"),
    ("She reacts to nickel-free studs.", "nickel-free studs", "nickel"),
    ("He can't stand nut-free muesli.", "nut-free muesli", "nut"),
    ("I avoid gluten-free pasta.", "gluten-free pasta", "gluten"),
)


@pytest.mark.parametrize("domain", ["clinical", "personal"])
@pytest.mark.parametrize(("said", "thing", "substance"), WITHOUT, ids=[row[1] for row in WITHOUT])
async def test_what_is_without_a_thing_is_never_read_as_that_thing(
    domains: Domains, said: str, thing: str, substance: str, domain: str
) -> None:
    offline, read = domains.somebody(domain), domains.somebody(domain)
    await offline.tells(said, None)
    await read.tells(said, [fact("HAS_INTOLERANCE_TO", thing, said[:-1])])

    assert substance not in {name for _, name in await offline.facts()}
    assert await offline.waiting()
    assert [*await read.facts()] == [("HAS_INTOLERANCE_TO", thing)]
    assert not await read.waiting()


BANS_OF_OTHERS = (
    ("Nele can't have lupin.", "lupin"),
    ("Nele mustn't eat crab.", "crab"),
    ("Tomorrow Nele may not have sesame.", "sesame"),
    ("Little Nele avoids kiwi.", "kiwi"),
    ("Nele should never touch celery.", "celery"),
)
BANS_OF_ONES_OWN = (
    ("I really can't have mustard.", "mustard"),
    ("Apparently can't have squid.", "squid"),
    ("My stomach can't take garlic.", "garlic"),
)


@pytest.mark.parametrize(("said", "thing"), BANS_OF_OTHERS, ids=[row[1] for row in BANS_OF_OTHERS])
async def test_a_ban_whose_subject_is_a_name_is_not_the_owners(owner: Assistant, said: str, thing: str) -> None:
    await owner.call("memory_remember", text=said)

    listed = await owner.call("memory_list_facts")
    assert thing not in {each["object"].casefold() for each in listed["facts"]}
    assert said in {item["text"] for item in listed["pending"]}


@pytest.mark.parametrize(("said", "thing"), BANS_OF_ONES_OWN, ids=[row[1] for row in BANS_OF_ONES_OWN])
async def test_a_ban_without_a_name_is_the_owners(owner: Assistant, said: str, thing: str) -> None:
    await owner.call("memory_remember", text=said)

    listed = await owner.call("memory_list_facts")
    assert thing in {each["object"].casefold() for each in listed["facts"]}


ALLERGY = "HAS_ALLERGY_TO"
GIVEN_AWAY = (
    ("She's allergic to prawns, no wait, that's her sister.", ALLERGY, "prawns", "allergic to prawns"),
    ("He takes gliclazide - sorry, I meant his brother.", TAKES, "gliclazide", "He takes gliclazide"),
    ("I'm allergic to squid, not me, my son.", ALLERGY, "squid", "I'm allergic to squid"),
    ("She can't have latex. No, that's Uwe.", ALLERGY, "latex", "She can't have latex"),
)


@pytest.mark.parametrize("domain", ["clinical", "personal"])
@pytest.mark.parametrize(("said", "relation", "thing", "evidence"), GIVEN_AWAY, ids=[row[2] for row in GIVEN_AWAY])
async def test_what_the_same_breath_gives_to_somebody_else_waits(
    domains: Domains, said: str, relation: str, thing: str, evidence: str, domain: str
) -> None:
    offline, read = domains.somebody(domain), domains.somebody(domain)
    await offline.tells(said, None)
    await read.tells(said, [fact(relation, thing, evidence)])

    for one in (offline, read):
        assert await one.facts() == {}
        assert [item["text"] for item in await one.waiting()] == [said]
        assert said[:-1] in await one.block()


async def test_what_the_same_breath_gives_to_somebody_else_is_theirs_where_the_caller_says_so(person: Person) -> None:
    said = "She's allergic to prawns, no wait, that's her sister."

    await person.tells(said, [fact("HAS_FAMILY_HISTORY", "prawn allergy", said[:-1], attrs={"relative": "sister"})])

    assert [*await person.facts()] == [("HAS_FAMILY_HISTORY", "prawn allergy")]
    assert not await person.waiting()


@pytest.mark.parametrize(
    "said", ["I'm allergic to squid, sorry, my mum is calling.", "I'm allergic to squid, no wait, and prawns."]
)
async def test_who_only_breaks_off_keeps_what_they_said(person: Person, said: str) -> None:
    await person.tells(said, [fact(ALLERGY, "squid", "I'm allergic to squid")])

    assert (ALLERGY, "squid") in await person.facts()


NARROWER = (
    ("The cat gets thyroid tablets.", TAKES, "thyroid tablets"),
    ("He has a baclofen pump.", "HAS_IMPLANTS", "baclofen pump"),
    ("She had cauda equina syndrome in 2019.", "HAS_CONDITION", "cauda equina syndrome"),
    ("He has a deep brain stimulator.", "HAS_IMPLANTS", "deep brain stimulator"),
    ("She gets adrenal crises.", "HAS_CONDITION", "adrenal crises"),
    ("He has a ureteric stent.", "HAS_IMPLANTS", "ureteric stent"),
)


@pytest.mark.parametrize(("said", "relation", "thing"), NARROWER, ids=[row[2] for row in NARROWER])
async def test_a_thing_keeps_the_name_that_was_said(person: Person, said: str, relation: str, thing: str) -> None:
    await person.tells(said, [fact(relation, thing, said[:-1])])

    assert [*await person.facts()] == [(relation, thing)]


async def test_a_thing_under_its_own_name_meets_what_its_kind_meets(person: Person) -> None:
    for said, relation, thing in NARROWER[:2]:
        await person.tells(said, [fact(relation, thing, said[:-1])])

    assert "Baclofen pump (Pain pump)" in await person.block("Book an MRI of the spine.")
    assert "Thyroid tablets (Levothyroxine)" in await person.block("Start calcium tablets with breakfast.")


async def test_a_request_of_the_owner_for_everybody_reads_everybody_who_is_known(owner: Assistant) -> None:
    for name, thing in (("Runa", "walnuts"), ("Olle", "celeriac")):
        said = f"{name} is allergic to {thing}."
        given = [fact(ALLERGY, thing, said[:-1])]
        await owner.call("memory_remember", text=said, subject=name.lower(), subject_name=name, facts=given)

    for query in ("What can I cook for all of us on Saturday?", "Was koche ich am Samstag für uns alle?"):
        block = (await owner.call("memory_build_context", query=query))["block"]
        assert "Runa is allergic to Walnut" in block
        assert "Olle is allergic to Celer" in block
    alone = (await owner.call("memory_build_context", query="What can I cook on Saturday?"))["block"]
    assert "Runa" not in alone
    draft = await owner.call("memory_check_text", text="Carrot cake with walnuts for all of us.")
    assert draft["verdict"] != "nothing_found"
    assert any("NOT READ, though this request may mean them: " in gap and "Runa" in gap for gap in draft["gaps"])


async def test_of_a_crowd_those_who_are_not_read_are_named_with_the_way_to_ask(standing: Installation) -> None:
    alone = {"schema": "personal", "single_subject": "me", "space": f"crowd-{uuid4().hex[:8]}"}
    async with standing.with_settings(**alone, data_dir=str(standing.folder / "crowd")).client() as crowd:
        for at in range(11):
            said = "Is allergic to kiwi."
            id_ = f"guest-{at:02}"
            given = [fact(ALLERGY, "kiwi", said[:-1])]
            await crowd.call("memory_remember", text=said, subject=id_, subject_name=f"Guest Nr{at}", facts=given)
        block = (await crowd.call("memory_build_context", query="Plan the menu for everybody."))["block"]
    assert block.count("is allergic to Kiwi") == 8
    assert "NOT READ, though this request may mean them: Guest Nr8 (guest-08)" in block


@pytest.mark.parametrize(
    ("called", "told", "things"),
    [
        ("Ann and Ben Moss", "Her pension is with Aviva.", ["her pension"]),
        ("Cara Voss", "His ISA and her gilts stay.", ["her gilts", "his isa"]),
        ("Dora Klee", "Her pension is with Aviva.", ["pension"]),
    ],
)
async def test_where_two_people_share_a_record_a_thing_keeps_whose_it_is(
    domains: Domains, called: str, told: str, things: list[str]
) -> None:
    client = domains.somebody("finance")
    named = [thing for thing in ("His ISA", "her gilts", "Her pension") if thing in told]

    given = [fact("HOLDS", thing, thing) for thing in named]
    await client.tells(told, given, subject_name=f"{called} {client.id}")

    assert sorted(thing for _, thing in await client.facts()) == things


REMOVED = ("Take my latex allergy off, the test was negative.", "the test was negative")


async def test_a_removal_that_a_person_asks_for_says_who_takes_the_next_step_and_strengthens_nothing(
    person: Person,
) -> None:
    await person.tells("I'm allergic to latex.", [fact(ALLERGY, "latex", "I'm allergic to latex")])
    before = (await person.facts())[ALLERGY, "latex"]
    refuted = fact(ALLERGY, "latex", REMOVED[1], "refuted", corrects="latex allergy")

    out = await person.tells(REMOVED[0], [refuted])
    block = await person.block("Order gloves.")
    reason = next(each["reason"] for each in out["results"] if each.get("given"))
    changed = await person.assistant.call(
        "memory_change_fact", fact_id=before["fact_id"], change="refute", reason="tested negative", confirm=True
    )
    asked = await person.block("Order gloves.")
    again = await person.tells(REMOVED[0], [refuted])
    after = (await person.facts())[ALLERGY, "latex"]

    assert "call memory_change_fact with change refute, and they approve it on the page /review" in reason
    [line] = [line for line in block.splitlines() if line.startswith("  CORRECTED")]
    assert line.endswith("stays until memory_change_fact is called and a person approves it")
    assert changed["outcome"] == "requested"
    assert "a person approves it: page /review, or `r-memory review --approve" in asked
    assert asked.count("stays until memory_change_fact") == 0
    assert not any(each["verdict"] == "stored" and not each.get("given") for each in again["results"])
    assert (after["status"], after["contradicted"]) == ("active", True)
    assert after.get("severity") == before.get("severity")
    assert asked.index("DISPUTED") < asked.index("CRITICAL ALLERGY")


SHARED = (
    ("My mum can't have {0}, and my dad is allergic to squid.", "My mum can't have {0}", "my dad is allergic to squid"),
    ("Grandma reacts to {0}. Grandpa is allergic to squid.", "Grandma reacts to {0}", "Grandpa is allergic to squid"),
)


@pytest.mark.parametrize("order", [0, 1], ids=["in order", "the last first"])
@pytest.mark.parametrize(("said", "hers", "his"), SHARED, ids=[row[0] for row in SHARED])
async def test_what_another_call_read_waits_with_nobody(
    domains: Domains, said: str, hers: str, his: str, order: int
) -> None:
    thing = ("garlic", "celery")[order]
    she, he = domains.somebody("clinical"), domains.somebody("clinical")
    calls = [(she, fact(ALLERGY, thing, hers.format(thing))), (he, fact(ALLERGY, "squid", his))]

    for person, given in calls[::-1] if order else calls:
        await person.tells(said.format(thing), [given])

    assert [name for _, name in await she.facts()] == [thing]
    assert [name for _, name in await he.facts()] == ["squid"]
    assert not await she.waiting()
    assert not await he.waiting()


async def test_what_names_a_thing_a_day_or_a_person_of_the_request_stands_before_the_fold(domains: Domains) -> None:
    person = domains.somebody("personal")
    first = "The rehearsal with Henrike is on 3 March, tickets cost 45 euros."
    await person.tells(first, [fact("HAS_NOTE", first[:-1], first[:-1])])
    for at in range(24):
        said = f"The shelf number {at + 60} in the cellar is painted."
        await person.tells(said, [fact("HAS_NOTE", said[:-1], said[:-1])])

    for query in ("What did I say about Henrike and the shelf in the cellar?", "What costs 45 euros, and which shelf?"):
        got = await person.assistant.call("memory_build_context", query=query, subject=person.id, max_tokens=260)
        assert "Henrike is on 3 March" in got["block"].split(" more")[0]


async def test_every_note_about_somebody_whom_the_request_names_is_printed(domains: Domains) -> None:
    person = domains.somebody("personal")
    things = ("the drill", "two ladders", "a tent", "the kayak", "five chairs", "a sander", "the trailer",
              "a projector", "the waffle iron", "a saw", "the cool box")  # fmt: skip
    for thing in things:
        said = f"I lent {thing} to Henrike."
        await person.tells(said, [fact("HAS_NOTE", said[:-1], said[:-1])])

    block = await person.block("Which painkiller may I take, and what has Henrike of mine?")

    assert [thing for thing in things if thing not in block] == []
