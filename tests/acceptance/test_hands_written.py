"""What a model's hands write, over MCP: what goes is gone or named, what is shown is not stated, and who is who.

Issue "In a model's hands": every turn helps, corrections land, nothing is lost.
"""

from collections.abc import AsyncIterator

import pytest

from tests.acceptance.conftest import Installation
from tests.acceptance.test_corrections import Person, fact
from tests.acceptance.test_corrections_by_kind import Domains, domains_of

pytestmark = pytest.mark.anyio
ALLERGY, NOTE = "HAS_ALLERGY_TO", "HAS_NOTE"


@pytest.fixture(scope="module")
async def domains(standing: Installation) -> AsyncIterator[Domains]:
    async with domains_of(standing, "written", ("clinical", "personal", "law", "finance")) as opened:
        yield opened


SHOWN = (
    ('Can you check this? "Dear Ms Roth, the rent is 870 euros from 1 May 2027. At most 2 bikes may stand there."', 0),
    ("Draft for the club: the hall in Brema costs 310 euros. We decided to move to Fulda. At most 9 may come.", 0),
    ("In the film Captain Roth pays 310 crowns to the Duke. We decided to flee. At most 9 may come.", 1),
)


@pytest.mark.parametrize(("said", "read"), SHOWN, ids=["quoted", "a draft", "states nothing"])
async def test_what_is_only_shown_is_no_data_of_the_summary(domains: Domains, said: str, read: int) -> None:
    person = domains.somebody("personal")

    await person.tells(said, [] if read else None, conversation_id="t", reply="It reads well.")

    summary = await person.assistant.call("memory_get_summary", conversation_id="t", subject=person.id)
    assert summary["sections"].keys().isdisjoint({"key_data", "constraints", "current_conclusion"})


async def test_what_the_person_states_beside_it_stays_data_of_the_summary(domains: Domains) -> None:
    person = domains.somebody("personal")
    said = 'The club is called "Zur Linde" and meets in Fulda. We decided to leave it in May. At most 9 may come.'

    await person.tells(said, None, conversation_id="t", reply="Noted.")

    sections = (await person.assistant.call("memory_get_summary", conversation_id="t", subject=person.id))["sections"]
    assert "Fulda" in str(sections["key_data"])
    assert "leave it in May" in str(sections["current_conclusion"])
    assert "At most 9" in str(sections["constraints"])


async def forgets(person: Person, what: str) -> str:
    given = {"change": "entered_in_error", "reason": "asks to forget it", "confirm": True}
    out = await person.assistant.call("memory_change_fact", subject=person.id, fact_id=what, **given)
    assert out["outcome"] == "changed"
    return str(out["note"])


TOLD = "The new vicar is a terrible bore, and Jo sings on Tuesdays."
VICAR, JO = "The new vicar is a terrible bore", "Jo sings on Tuesdays"


async def test_a_withdrawal_takes_every_copy_along_and_names_it(domains: Domains) -> None:
    one, another, third = (domains.somebody("personal") for _ in range(3))
    await one.tells(TOLD, [fact(NOTE, VICAR, VICAR)], conversation_id="t")
    await another.tells(TOLD, [fact(NOTE, JO, JO)], conversation_id="t")
    await third.tells(TOLD, [], conversation_id="t")
    wish = "Please forget what I said about the new vicar."
    await one.tells(wish, [], conversation_id="t")

    note = await forgets(one, VICAR)

    assert f"hidden too where the same text was told of {another.id} (fact" in note
    assert f"{third.id} (fact" in note
    assert "still shown" not in note
    for person in (one, another, third):
        found = await person.assistant.call("memory_search", query="vicar bore", subject=person.id)
        assert VICAR not in str(found["hits"])
    assert [*await another.facts()] == [(NOTE, JO.casefold())]


async def test_a_wish_waits_as_long_as_words_wait_that_hold_what_it_names(domains: Domains) -> None:
    person = domains.somebody("clinical")
    words = "I get a migraine every month"
    await person.tells(f"{words}.", [fact("HAS_CONDITION", "migraine", words)])
    waits = "The migraine tablets must never be given to our Jo."
    await person.tells(waits, None)
    wish = "Forget what I said about the migraine."
    await person.tells(wish, [])
    [waiting] = [item for item in await person.waiting() if item["text"] == waits]

    note = await forgets(person, "migraine")

    assert waiting["episode_id"] in note
    assert wish in [item["text"] for item in await person.waiting()]


async def test_a_wish_that_is_granted_names_the_copy_that_was_told_for_somebody_else(domains: Domains) -> None:
    one, another = domains.somebody("personal"), domains.somebody("personal")
    said = "Cousin Veit is a miser, he counts the matches."
    await one.tells(said, [])
    copy = await another.tells(said, [])

    out = await one.tells("Forget what I said about Veit being a miser.", [])

    [reason] = [each["reason"] for each in out["results"]]
    assert "withdrawn" in reason
    assert f"still shown of {another.id}: statement {copy['episode_id']}" in reason


async def test_the_same_words_of_another_day_or_speaker_are_no_copy(domains: Domains) -> None:
    one, another = domains.somebody("clinical"), domains.somebody("clinical")
    words = "I've had hay fever since May"
    await one.tells(f"{words}.", [fact("HAS_CONDITION", "hay fever", words)], speaker="Ada")
    await another.tells(f"{words}.", [fact("HAS_CONDITION", "hay fever", words)], speaker="Ben")

    assert another.id not in await forgets(one, "hay fever")


LIMITS = (
    ("clinical", "DOSE_LIMIT", "enoxaparin", "at most 12,000 units of enoxaparin a day", 12000, "unit"),
    ("finance", "RISK_LIMIT", "silver", "at most £12,000 in silver", 12000, "gbp"),
)
WRITTEN = ({"max": "12,000"}, {"max": 12000}, {"max": "12 000", "unit": ""}, {"maximum": "12,000"})


@pytest.mark.parametrize("attrs", WRITTEN, ids=str)
@pytest.mark.parametrize(("domain", "relation", "thing", "words", "number", "unit"), LIMITS, ids=["dose", "mandate"])
async def test_a_limit_keeps_its_number_however_the_caller_writes_it(
    domains: Domains,
    domain: str,
    relation: str,
    thing: str,
    words: str,
    number: int,
    unit: str,
    attrs: dict[str, object],
) -> None:
    person = domains.somebody(domain)

    await person.tells(f"She wants {words}.", [fact(relation, thing, words, attrs=attrs)])

    [kept] = (await person.facts()).values()
    assert (kept["attrs"]["max"], kept["attrs"]["unit"]) == (number, unit)


@pytest.mark.parametrize("given", ["quite a lot", "12,00,0", "about half"])
async def test_a_limit_without_a_number_waits_and_is_never_empty(domains: Domains, given: str) -> None:
    person = domains.somebody("clinical")
    said = "There is a limit on her enoxaparin."

    await person.tells(said, [fact("DOSE_LIMIT", "enoxaparin", said[:-1], attrs={"max": given})])

    assert await person.facts() == {}
    assert [item["text"] for item in await person.waiting()] == [said]


QUOTED = (
    ("Ilse said 'I can't have squid'.", "squid", "I can't have squid"),
    ('My brother told me: "I\'m allergic to squid."', "squid", "I'm allergic to squid"),
    ("'I react to squid', said Ilse at lunch.", "squid", "I react to squid"),
)
OWN = (
    ("I told Ilse 'I'm allergic to squid'.", "squid", "I'm allergic to squid"),
    ('The patient stated: "I\'m allergic to squid."', "squid", "I'm allergic to squid"),
)


@pytest.mark.parametrize("read", [True, False], ids=["read", "unread"])
@pytest.mark.parametrize(("said", "thing", "words"), QUOTED, ids=[row[0] for row in QUOTED])
async def test_what_somebody_else_is_quoted_with_waits(
    domains: Domains, said: str, thing: str, words: str, read: bool
) -> None:
    person = domains.somebody("clinical")

    await person.tells(said, [fact(ALLERGY, thing, words)] if read else None)

    assert await person.facts() == {}
    [waiting] = await person.waiting()
    assert thing in waiting["text"]
    assert thing in await person.block("Squid for dinner?")


@pytest.mark.parametrize(("said", "thing", "words"), OWN, ids=[row[0] for row in OWN])
async def test_what_the_person_is_quoted_with_is_theirs(domains: Domains, said: str, thing: str, words: str) -> None:
    person = domains.somebody("clinical")

    await person.tells(said, [fact(ALLERGY, thing, words)])

    assert [*await person.facts()] == [(ALLERGY, thing)]


NEWS = (
    (
        "law",
        fact("HAS_DEADLINE", "mediation", "The mediation is on 6 May 2027 in Room 2", attrs={"due": "2027-05-06"}),
        "The mediation moved to Room 7.",
        fact(NOTE, "mediation moved to Room 7", "The mediation moved to Room 7"),
    ),
    (
        "law",
        fact("HAS_DEADLINE", "option notice", "The option notice is due on 6 May 2027", attrs={"due": "2027-05-06"}),
        "The option notice was served last week.",
        fact(NOTE, "option notice was served last week", "The option notice was served last week"),
    ),
    (
        "personal",
        fact(NOTE, "Aunt Vera lives at Oak Court", "Aunt Vera lives at Oak Court"),
        "Aunt Vera has moved from Oak Court to Ash Villa.",
        fact(NOTE, "Aunt Vera has moved to Ash Villa", "Aunt Vera has moved from Oak Court to Ash Villa"),
    ),
    (
        "personal",
        fact("HAS_DATE", "car inspection", "The car inspection is on 6 May 2027", attrs={"date": "2027-05-06"}),
        "The car inspection was yesterday.",
        fact(NOTE, "car inspection was yesterday", "The car inspection was yesterday"),
    ),
)


@pytest.mark.parametrize("read", [True, False], ids=["read", "unread"])
@pytest.mark.parametrize(("domain", "first", "news", "given"), NEWS, ids=[row[2] for row in NEWS])
async def test_what_is_told_to_be_over_or_elsewhere_now_stands_beside_the_old_fact(
    domains: Domains, domain: str, first: dict[str, object], news: str, given: dict[str, object], read: bool
) -> None:
    person = domains.somebody(domain)
    await person.tells(f"{first['evidence']}.", [first])

    out = await person.tells(news, [given] if read else None)

    assert any("may correct" in str(each.get("reason")) for each in out["results"])
    block = await person.block()
    assert f'MAY CHANGE by words not settled yet (by user, {block.partition("by user, ")[2][:10]}): "{news}"' in block


async def test_an_end_that_the_caller_reads_disputes_a_deadline_of_which_it_does_not_give_the_day(
    domains: Domains,
) -> None:
    person = domains.somebody("law")
    due = fact("HAS_DEADLINE", "option notice", "The option notice is due on 6 May 2027", attrs={"due": "2027-05-06"})
    await person.tells("The option notice is due on 6 May 2027.", [due])

    said = "The option notice was served last week."
    await person.tells(said, [fact("HAS_DEADLINE", "option notice", said[:-1], "resolved")])

    [known] = (await person.facts()).values()
    assert (known["status"], known["contradicted"]) == ("active", True)
    assert said[:-1] in await person.block()


UNRELATED = (
    ("We moved the piano on Monday.", fact(NOTE, "the piano tuner is Mr Ott", "the piano tuner is Mr Ott")),
    ("The boiler was repaired and issued with a sticker.", fact(NOTE, "Vera has a boiler", "Vera has a boiler")),
)


@pytest.mark.parametrize(("news", "first"), UNRELATED, ids=[row[0] for row in UNRELATED])
async def test_news_that_the_caller_read_about_something_else_leaves_nothing_waiting(
    domains: Domains, news: str, first: dict[str, object]
) -> None:
    person = domains.somebody("personal")
    await person.tells(f"{first['evidence']}.", [first])

    await person.tells(news, [fact(NOTE, news[:-1], news[:-1])])

    assert not await person.waiting()


async def test_a_number_sign_denies_nothing(domains: Domains) -> None:
    person = domains.somebody("law")
    words = "Sealed copy of claim no. 5521"
    await person.tells(f"{words} is with Vera.", [fact(NOTE, f"{words} is with Vera", f"{words} is with Vera")])

    again = "The bundle for claim no. 5521, no. 5522 too, is with Udo."
    out = await person.tells(again, [fact(NOTE, "bundle for claim no. 5521, no. 5522", again[:-1])])

    assert [each["verdict"] for each in out["results"]] == ["stored"]
    assert len(await person.facts()) == 2
    assert not await person.waiting()


async def test_a_name_with_initials_is_the_only_known_person_whom_it_fits_and_asked_about_otherwise(
    domains: Domains,
) -> None:
    call, refused = domains.clients["personal"].call, domains.clients["personal"].refused
    words = "Quentin Ryle is allergic to dill"
    given = [fact(ALLERGY, "dill", words)]
    await call("memory_remember", text=f"{words}.", subject="qr-1", subject_name="Quentin Ryle", facts=given)

    for name in ("Q Ryle", "Q. Ryle", "Ryle, Q."):
        context = await call("memory_build_context", query="Dill sauce?", subject=name)
        assert context["subject_id"] == "qr-1"
    told = await call("memory_remember", text="Q. Ryle drinks tea.", subject="qr-1", subject_name="Q. Ryle", facts=[])
    checked = await call("memory_check_text", text="Give Q. Ryle the dill sauce.", subject="qr-1")
    new = await refused("memory_remember", text="He drinks tea.", subject="ryle", subject_name="Q. Ryle", facts=[])
    await call("memory_remember", text="He drinks tea.", subject="qr-2", subject_name="Quirin Ryle", facts=[])
    both = await refused("memory_build_context", query="Dill sauce?", subject="Q. Ryle")
    hers = await call("memory_build_context", query="Dill sauce for Q. Ryle?", subject="qr-1")

    assert told["subject_name"] == "Quentin Ryle"
    assert checked["verdict"] in {"conflict", "warning"}
    assert "qr-1 (Quentin Ryle)" in new
    assert "qr-1 (Quentin Ryle)" in both
    assert "qr-2 (Quirin Ryle)" in both
    assert "THIS REQUEST NAMES" not in hers["block"]


async def test_a_person_who_is_renamed_is_found_by_both_names_and_named_by_the_new_one(domains: Domains) -> None:
    call, refused = domains.clients["clinical"].call, domains.clients["clinical"].refused
    words = "She is allergic to dill"
    await call(
        "memory_remember",
        text=f"{words}.",
        subject="tw-1",
        subject_name="Tamsin Wray",
        facts=[fact(ALLERGY, "dill", words)],
    )
    await call("memory_remember", text="He is well.", subject="tw-2", subject_name="Tomas Weir", facts=[])
    asked = {"subject": "tw-1", "change": "rename", "reason": "her surname is Moss now, not Wray"}

    mistyped = await refused("memory_remember", text="Hm.", subject="tw-1", subject_name="Tamsin Moss", facts=[])
    unasked = await refused("memory_change_fact", fact_id="Tamsin Moss", **asked)
    taken = await refused("memory_change_fact", fact_id="Tomas Weir", confirm=True, **asked)
    done = await call("memory_change_fact", fact_id="Tamsin Moss", confirm=True, **asked)
    again = await call("memory_change_fact", fact_id="Tamsin Moss", confirm=True, **asked)

    assert "rename them" in mistyped
    assert "confirm" in unasked
    assert "tw-2 (Tomas Weir)" in taken
    assert [done["outcome"], again["outcome"]] == ["changed", "already"]
    for name in ("tw-1", "Tamsin Wray", "Tamsin Moss"):
        context = await call("memory_build_context", query="Dill sauce for Tamsin Moss?", subject=name)
        assert "Subject: Tamsin Moss, before Tamsin Wray (Patient tw-1)" in context["block"]
        assert "CRITICAL ALLERGY" in context["block"]
        assert "THIS REQUEST NAMES" not in context["block"]
    told = await call("memory_remember", text="She is well.", subject="Tamsin Moss", speaker="Ada", facts=[])
    named = await call("memory_remember", text="She slept.", subject="tw-1", subject_name="Tamsin Moss", facts=[])
    new = await refused("memory_remember", text="Hm.", subject="tw-3", subject_name="Tamsin Moss", facts=[])
    listed = await call("memory_subjects", query="Tamsin Moss")

    assert [told["subject_id"], named["subject_id"]] == ["tw-1", "tw-1"]
    assert "tw-1 (Tamsin Wray)" in new
    assert [(one["id"], one["aliases"]) for one in listed["people"]] == [("tw-1", ["Tamsin Moss"])]


PUT_RIGHT = (
    ("TAKES", "nebivolol", "She takes 5 mg of nebivolol", "Sorry, 10 mg", {"dose": "5 mg"}, {"dose": "10 mg"}),
    (
        "DOSE_LIMIT",
        "nebivolol",
        "At most 20 mg of nebivolol a day for her",
        "Correction: 10 mg",
        {"max": 20, "unit": "mg", "period": "day"},
        {"max": 10, "unit": "mg", "period": "day"},
    ),
)


@pytest.mark.parametrize("read", ["both", "whole", "first", "last"])
@pytest.mark.parametrize(("relation", "thing", "first", "then", "old", "new"), PUT_RIGHT, ids=["dose", "limit"])
async def test_a_value_that_its_speaker_puts_right_in_the_next_sentence_is_stored_alone(
    domains: Domains,
    relation: str,
    thing: str,
    first: str,
    then: str,
    old: dict[str, object],
    new: dict[str, object],
    read: str,
) -> None:
    person = domains.somebody("clinical")
    given = {
        "both": [fact(relation, thing, first, attrs=old), fact(relation, thing, then, attrs=new)],
        "whole": [fact(relation, thing, f"{first}. {then}", attrs=new)],
        "first": [fact(relation, thing, first, attrs=new)],
        "last": [fact(relation, thing, then, attrs=new)],
    }[read]

    await person.tells(f"{first}. {then}.", given)

    [known] = (await person.facts()).values()
    assert {name: known["attrs"][name] for name in new} == new
    assert not await person.waiting()
