"""A later word stands above the earlier one, whatever the caller calls it: over MCP, in the domains of ordinary users.

Issue "In a model's hands", points 5 and 6, after the second blind play: moved days, changed limits, the other person's
implant, "forget X, Y", words that were withdrawn, one saying under two relations, and a statement sent again.
"""

from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from itertools import count

import pytest

from tests.acceptance.conftest import Assistant, Installation, in_a_task_of_its_own
from tests.acceptance.test_corrections import Person, fact, fates

pytestmark = pytest.mark.anyio
DEADLINE, LIMIT, CASH, DATE = "HAS_DEADLINE", "RISK_LIMIT", "NEEDS_CASH", "HAS_DATE"
IMPLANT, ALLERGY, TAKES, CALLED = "HAS_IMPLANTS", "HAS_ALLERGY_TO", "TAKES", "IS_CALLED"
INSTRUCTS, AVOIDS, DISLIKES, PLACE = "INSTRUCTS", "AVOIDS", "DISLIKES", "HAS_PLACE"
Given = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Domains:
    """A client of each domain, and people of whom nothing is known."""

    clients: Mapping[str, Assistant]
    numbers: Iterator[int]

    def somebody(self, domain: str) -> Person:
        return Person(self.clients[domain], f"K{next(self.numbers)}")


@asynccontextmanager
async def domains_of(standing: Installation, folder: str, schemas: Sequence[str]) -> AsyncIterator[Domains]:
    """A client of each of these domains, on data folders of their own."""
    async with AsyncExitStack() as stack:
        clients: dict[str, Assistant] = {}
        for schema in schemas:
            own = standing.with_settings(schema=schema, data_dir=str(standing.folder / f"{schema}-{folder}"))
            clients[schema] = await stack.enter_async_context(in_a_task_of_its_own(own.client()))
        yield Domains(clients, count())


@pytest.fixture(scope="module")
async def domains(standing: Installation) -> AsyncIterator[Domains]:
    async with domains_of(standing, "kinds", ("personal", "law", "finance")) as opened:
        yield opened


def due(thing: str, words: str, day: str, status: str = "active", **more: object) -> dict[str, object]:
    return fact(DEADLINE, thing, words, status, attrs={"due": day}, **more)


MOVED: tuple[tuple[str, str, str, Given, str, Sequence[Given]], ...] = (
    (
        "law",
        "skeleton argument",
        "The skeleton argument is due on 8 March 2027.",
        due("skeleton argument", "The skeleton argument is due on 8 March 2027", "2027-03-08"),
        "The judge put it back: the skeleton argument is due on 22 March 2027 now.",
        [due("skeleton argument", "the skeleton argument is due on 22 March 2027 now", "2027-03-22")],
    ),
    (
        "law",
        "hearing",
        "The hearing is listed for 5 July 2027.",
        due("hearing", "The hearing is listed for 5 July 2027", "2027-07-05"),
        "Correction: the hearing is on 15 July 2027, not 5 July 2027.",
        [
            due("hearing", "the hearing is on 15 July 2027", "2027-07-15"),
            due("hearing", "not 5 July 2027", "2027-07-05", "refuted"),
        ],
    ),
    (
        "law",
        "witness statement",
        "The witness statement must be served by 4 May 2027.",
        due("witness statement", "The witness statement must be served by 4 May 2027", "2027-05-04"),
        "The witness statement must be served by 14 May 2027, not the 4th.",
        [due("witness statement", "The witness statement must be served by 14 May 2027", "2027-05-14")],
    ),
    (
        "finance",
        "tuition",
        "They need 30,000 euros for tuition by 1 September 2027.",
        fact(
            CASH,
            "tuition",
            "They need 30,000 euros for tuition by 1 September 2027",
            attrs={"amount": "30,000 euros", "due": "1 September 2027"},
        ),
        "I got that wrong, they need 36,000 euros for tuition, and by 1 August 2027.",
        [
            fact(
                CASH,
                "tuition",
                "they need 36,000 euros for tuition, and by 1 August 2027",
                attrs={"amount": "36,000 euros", "due": "1 August 2027"},
            )
        ],
    ),
    (
        "finance",
        "technology",
        "At most 20 percent in technology.",
        fact(LIMIT, "technology", "At most 20 percent in technology", attrs={"max": 20, "unit": "percent"}),
        "The limit for technology was lowered: at most 12 percent in technology.",
        [fact(LIMIT, "technology", "at most 12 percent in technology", attrs={"max": 12, "unit": "percent"})],
    ),
)


@pytest.mark.parametrize(("domain", "thing", "told", "before", "said", "given"), MOVED, ids=[item[1] for item in MOVED])
async def test_a_critical_value_that_its_speaker_moved_is_shown_below_the_new_one_as_disputed(
    domains: Domains, domain: str, thing: str, told: str, before: Given, said: str, given: Sequence[Given]
) -> None:
    person = domains.somebody(domain)
    await person.tells(told, [before])

    out = await person.tells(said, given)

    block = await person.block(f"What must I know about the {thing}?")
    new, old = [line for line in block.splitlines() if line.startswith(("DEADLINE", "MANDATE", "NEEDS", "DISPUTED"))]
    assert [fate["verdict"] for fate in fates(out)] == ["stored"] * len(given)
    assert not new.startswith("DISPUTED")
    assert old.startswith("DISPUTED: ")
    assert "CORRECTED 20" in old
    assert "DOES NOT GO TOGETHER" not in block
    assert "NOT YET READ" not in block


async def test_an_appointment_that_was_moved_ends_without_being_named(domains: Domains) -> None:
    person = domains.somebody("personal")
    cases = (
        ("The choir is on Mondays.", "choir", "Mondays", "The choir has moved to Wednesdays.", "Wednesdays"),
        ("My eye test is on 3 May.", "eye test", "3 May", "The eye test is on 13 May, not 3 May.", "13 May"),
    )
    for told, thing, day, said, other in cases:
        await person.tells(told, [fact(DATE, thing, told[:-1], attrs={"date": day})])
        await person.tells(said, [fact(DATE, thing, said.split(",")[0].rstrip("."), attrs={"date": other})])

    listed = (await person.assistant.call("memory_list_facts", subject=person.id))["facts"]
    assert {(each["object"].casefold(), each["attrs"]["date"], each["status"]) for each in listed} == {
        ("choir", "Mondays", "refuted"),
        ("choir", "Wednesdays", "active"),
        ("eye test", "3 May", "refuted"),
        ("eye test", "13 May", "active"),
    }


async def test_two_things_of_a_kind_stay_two(domains: Domains) -> None:
    person = domains.somebody("law")
    one, two = "They have an NDA with Calder.", "They now have an NDA with Fenwick too."
    await person.tells(one, [fact("BOUND_BY", "NDA", "an NDA with Calder", attrs={"with_party": "Calder"})])
    await person.tells(two, [fact("BOUND_BY", "NDA", "an NDA with Fenwick", attrs={"with_party": "Fenwick"})])

    assert "DISPUTED" not in await person.block()


async def test_a_requested_change_says_who_makes_it_and_where(domains: Domains) -> None:
    person = domains.somebody("law")
    told = "The defence is due on 9 April 2027."
    await person.tells(told, [due("defence", told[:-1], "2027-04-09")])
    change = {"subject": person.id, "fact_id": "defence", "change": "refute", "reason": "the date was wrong"}

    out = await person.assistant.call("memory_change_fact", **change, confirm=True)

    assert out["outcome"] == "requested"
    assert f"r-memory review --approve {out['event_id'][:8]}" in out["note"]
    assert "/review" in out["note"]


async def test_settling_a_fact_that_nobody_denied_names_the_one_that_was(domains: Domains) -> None:
    person = domains.somebody("law")
    first = await person.tells(
        "The reply is due on 2 June 2027.", [due("reply", "The reply is due on 2 June 2027", "2027-06-02")]
    )
    moved = "The reply was extended to 30 June 2027."
    out = await person.tells(moved, [due("reply", moved[:-1], "2027-06-30")])
    settle = {"subject": person.id, "change": "settle_conflict", "reason": "the later day is right"}

    made = await person.assistant.call("memory_change_fact", fact_id=fates(out)[0]["fact_id"], **settle, confirm=True)

    assert made["outcome"] == "already"
    assert fates(first)[0]["fact_id"][:8] in made["note"]


# --- whose it is -----------------------------------------------------------------------------------------------------

NOT_HIS = (
    (
        IMPLANT,
        "cochlear implant",
        "Dad has a cochlear implant.",
        "Sorry, it's Mum who has the cochlear implant, not Dad.",
    ),
    (ALLERGY, "bees", "Dad is allergic to bees.", "I mixed them up, the bee allergy is Mum's, not Dad's."),
    (ALLERGY, "latex", "Dad is allergic to latex.", "The latex allergy is hers, not his."),
    (IMPLANT, "stent", "Dad has a stent.", "No, that was Mum with the stent, not my dad."),
    (ALLERGY, "kiwi", "Dad is allergic to kiwi.", "It is my mother who is allergic to kiwi, not my father."),
)


@pytest.mark.parametrize(("relation", "thing", "told", "said"), NOT_HIS, ids=[item[1] for item in NOT_HIS])
async def test_what_was_said_of_the_wrong_parent_is_disputed_in_the_words_that_say_whose_it_is(
    domains: Domains, relation: str, thing: str, told: str, said: str
) -> None:
    father = domains.somebody("personal")
    stored = await father.tells(told, [fact(relation, thing, told[:-1])])

    out = await father.tells(said, [fact(relation, thing, said[:-1], "negated", corrects=fates(stored)[0]["fact_id"])])

    block = await father.block()
    [fate] = fates(out)
    assert (fate["verdict"], "somebody else's" in fate["reason"]) == ("stored", True)
    assert "DISPUTED: " in block
    assert said[:-1] in next(line for line in block.splitlines() if line.startswith("  CORRECTED"))


async def test_what_is_stated_of_one_and_denied_of_another_is_disputed_there(domains: Domains) -> None:
    mother, father = domains.somebody("personal"), domains.somebody("personal")
    for person, word in ((mother, "Nan"), (father, "Grandad")):
        await person.tells(f"This is {word}.", [fact(CALLED, word, f"This is {word}")])
    await father.tells("Grandad has a pacemaker.", [fact(IMPLANT, "pacemaker", "Grandad has a pacemaker")])

    out = await mother.tells(
        "It's Nan who has the pacemaker, not Grandad.", [fact(IMPLANT, "pacemaker", "It's Nan who has the pacemaker")]
    )

    assert fates(out)[0]["status"] == "active"
    assert (await father.facts())[IMPLANT, "pacemaker"]["contradicted"] is True
    assert "  CORRECTED" in await father.block("He is sent for an MRI.")


# --- forget it, and this instead -------------------------------------------------------------------------------------

FORGET = (
    (
        INSTRUCTS,
        "metric units",
        "Always use metric units.",
        "Forget the metric units, use miles and pounds.",
        "miles and pounds",
    ),
    (
        PLACE,
        "the hall cupboard",
        "The spare key is in the hall cupboard.",
        "Forget the cupboard, the spare key is with Lena.",
        "Lena",
    ),
    (DISLIKES, "olives", "She dislikes olives.", "Forget the olives, it's capers she dislikes.", "capers"),
    (
        INSTRUCTS,
        "short answers",
        "Always give short answers.",
        "Forget short answers, explain at length.",
        "explain at length",
    ),
    (DATE, "yoga", "Yoga is on Tuesdays.", "Forget Tuesdays, yoga is on Fridays now.", "yoga"),
)


@pytest.mark.parametrize(("relation", "thing", "told", "said", "new"), FORGET, ids=[item[1] for item in FORGET])
async def test_forget_this_and_take_that_files_that_and_ends_this(
    domains: Domains, relation: str, thing: str, told: str, said: str, new: str
) -> None:
    person = domains.somebody("personal")
    days = ({"date": "Tuesdays"}, {"date": "Fridays"}) if relation == DATE else ({}, {})
    await person.tells(told, [fact(relation, thing, told[:-1], attrs=days[0])])

    out = await person.tells(said, [fact(relation, new, said.partition(", ")[2][:-1], attrs=days[1])])

    listed = await person.assistant.call("memory_list_facts", subject=person.id)
    assert [fate["verdict"] for fate in fates(out)] == ["stored"]
    assert sorted(each["status"] for each in listed["facts"]) == ["active", "refuted"]
    assert not listed.get("pending")


async def test_forget_this_and_take_that_keeps_a_critical_fact_in_view(domains: Domains) -> None:
    person = domains.somebody("personal")
    await person.tells("I avoid pork.", [fact(AVOIDS, "pork", "I avoid pork")])

    await person.tells("Forget pork, it's beef that I avoid.", [fact(AVOIDS, "beef", "it's beef that I avoid")])

    known = await person.facts()
    assert (known[AVOIDS, "pork"]["status"], known[AVOIDS, "pork"]["contradicted"]) == ("active", True)
    assert known[AVOIDS, "beef"]["status"] == "active"


# --- withdrawn, told twice, sent again -------------------------------------------------------------------------------


async def test_words_that_were_withdrawn_are_found_no_more_whatever_is_asked_for(domains: Domains) -> None:
    person = domains.somebody("personal")
    told = "Our old landlord lives at Birkenweg 4."
    await person.tells(told, [fact(PLACE, "Birkenweg 4", told[:-1])])
    forget = {"subject": person.id, "fact_id": "Birkenweg", "change": "entered_in_error", "reason": "asks to forget it"}
    search = {"query": "landlord Birkenweg", "subject": person.id}
    assert (await person.assistant.call("memory_search", **search))["total"] > 0

    await person.assistant.call("memory_change_fact", **forget, confirm=True)

    plain = await person.assistant.call("memory_search", **search)
    asked = await person.assistant.call("memory_search", **search, kinds=["statement"])
    assert plain["hits"] == []
    assert asked["hits"] == []


ONCE = (
    ("I don't drink alcohol these days, sober for a year.", AVOIDS, "alcohol", "I don't drink alcohol these days"),
    ("I can't stand celery.", DISLIKES, "celery", "I can't stand celery"),
    ("I can't stand fennel in anything.", DISLIKES, "fennel", "I can't stand fennel in anything"),
    ("I'm sober, no alcohol for me.", AVOIDS, "alcohol", "no alcohol for me"),
    ("I really can't stand beetroot.", DISLIKES, "beetroot", "I really can't stand beetroot"),
)
TWICE = (
    ("I don't like prawns, my throat swells when I eat them.", DISLIKES, "prawns", "I don't like prawns"),
    ("I can't stand celery, I am allergic to celery.", DISLIKES, "celery", "I can't stand celery"),
)


async def test_one_saying_is_one_entry_and_a_reaction_is_never_only_a_dislike(domains: Domains) -> None:
    kept: dict[str, tuple[int, int]] = {}
    for said, relation, thing, words in (*ONCE, *TWICE):
        person = domains.somebody("personal")
        out = await person.tells(said, [fact(relation, thing, words)])
        kept[said] = len(await person.facts()), out["pending"]
    assert {said: kept[said] for said, *_ in ONCE} == {said: (1, 0) for said, *_ in ONCE}
    assert [said for said, *_ in TWICE if kept[said] == (1, 0)] == []


async def test_the_same_words_with_good_facts_settle_what_waited(domains: Domains) -> None:
    person = domains.somebody("law")
    said = "We defend Ravenhill against Tarn Freight."
    await person.tells(said, [fact("HAS_CONFLICT_WITH", "Tarn Haulage", said[:-1])], idempotency_key=f"{person.id}-1")
    assert [each["text"] for each in await person.waiting()] != []

    await person.tells(said, [fact("HAS_CONFLICT_WITH", "Tarn Freight", said[:-1])], idempotency_key=f"{person.id}-2")

    assert await person.waiting() == []
    assert "NOT YET READ" not in await person.block("Tarn Freight asks for a meeting.")
