"""What players found in a capable model's hands: secrets told in passing, doses in words, plurals; over MCP.

Issue "In a model's hands": every turn helps, corrections land, nothing is lost.
"""

from collections.abc import AsyncIterator, Mapping
from typing import Any
from uuid import uuid4

import pytest

from tests.acceptance.conftest import Assistant, Installation, in_a_task_of_its_own
from tests.acceptance.test_corrections import Given, Person, fact
from tests.acceptance.test_corrections_by_kind import Domains, domains_of

pytestmark = pytest.mark.anyio
NOTE, TAKES = "HAS_NOTE", "TAKES"


@pytest.fixture(scope="module")
async def domains(standing: Installation) -> AsyncIterator[Domains]:
    async with domains_of(standing, "told", ("personal", "clinical", "law", "finance")) as opened:
        yield opened


@pytest.fixture(scope="module")
async def owner(standing: Installation) -> AsyncIterator[Assistant]:
    """Somebody with a child, a dog, and nine acquaintances who were told of before them."""
    alone = {"schema": "personal", "single_subject": "me", "space": f"plural-{uuid4().hex[:8]}"}
    one = standing.with_settings(**alone, data_dir=str(standing.folder / "plural-told"))
    async with in_a_task_of_its_own(one.client()) as client:
        known = [(f"guest-{at}", f"Guest Nr{at}", "neighbour", "mustard") for at in range(9)]
        known += [("zoe", "Zoe", "daughter", "walnuts"), ("zorro", "Zorro", "dog", "celeriac")]
        for id_, name, role, thing in known:
            who = f"{name} is my {role}."
            given = [fact("KNOWS", name, who[:-1], attrs={"who": role})]
            await client.call("memory_remember", text=who, facts=given)
            said = f"{name} is allergic to {thing}."
            given = [fact("HAS_ALLERGY_TO", thing, said[:-1])]
            await client.call("memory_remember", text=said, subject=id_, subject_name=name, facts=given)
        yield client


PLURAL = (
    "The childminder asks what to feed them.",
    "Can you give them breakfast ideas?",
    "What may they eat on the train?",
    "Pack a picnic for my kids.",
    "What goes into the dogs' bowls tonight?",
)
NOT_PLURAL = (
    "When do I take them?",
    "Give them to the surgeon.",
    "Put the eggs away before they go off.",
)


@pytest.mark.parametrize("query", PLURAL)
async def test_a_request_in_the_plural_without_names_reads_those_who_can_be_meant(owner: Assistant, query: str) -> None:
    block = (await owner.call("memory_build_context", query=query))["block"]

    who, thing = ("Zorro", "Celer") if "dogs" in query else ("Zoe", "Walnut")
    assert f"{who} is allergic to {thing}" in block
    assert block.count(" is allergic to ") == 8
    assert "NOT READ, though this request may mean them: " in block


@pytest.mark.parametrize("query", NOT_PLURAL)
async def test_a_plural_that_means_things_reads_nobody_else(owner: Assistant, query: str) -> None:
    block = (await owner.call("memory_build_context", query=query))["block"]

    assert "is allergic to" not in block


async def test_a_plural_beside_names_means_those_who_are_named(owner: Assistant) -> None:
    query = "Zoe and Zorro are hungry. Can you give them breakfast?"

    block = (await owner.call("memory_build_context", query=query))["block"]

    assert block.count(" is allergic to ") == 2


async def told(domains: Domains, domain: str, said: str, *given: Given) -> Person:
    person = domains.somebody(domain)
    await person.tells(said, given)
    return person


async def checked(person: Person, draft: str) -> Mapping[str, Any]:
    return await person.assistant.call("memory_check_text", text=draft, subject=person.id)


def conflicts(answer: Mapping[str, Any]) -> list[str]:
    return [found["quote"] for found in answer["findings"] if found["verdict"] == "conflict"]


BONFIRE = (
    "personal",
    "Don't tell Ruth, but we're planning a bonfire for her on the 14th behind the mill.",
    fact(NOTE, "bonfire on the 14th behind the mill", "we're planning a bonfire for her on the 14th behind the mill"),
)
TRANSFER = (
    "personal",
    "Jonas is moving to the Leeds branch in March. Not a word to Pia.",
    fact(NOTE, "Jonas is moving to the Leeds branch in March", "Jonas is moving to the Leeds branch in March"),
)
PICTURE = (
    "personal",
    "Mum mustn't know that we sold the harbour picture.",
    fact(NOTE, "sold the harbour picture", "we sold the harbour picture"),
)
SCAN = (
    "clinical",
    "She's not to be told about the shadow on the scan yet.",
    fact("HAS_PRECAUTION", "shadow on the scan", "the shadow on the scan"),
)
PILL = (
    "clinical",
    "Don't tell my father, but I take levothyroxine.",
    fact(TAKES, "levothyroxine", "I take levothyroxine"),
)
FLAT = (
    "law",
    "Keep it quiet from Oswin: she has bought the flat in Deal.",
    fact(NOTE, "bought the flat in Deal", "she has bought the flat in Deal"),
)
WARRANTS = (
    "finance",
    "Never mention it to Clement, but he wants to leave the warrants to Edda.",
    fact(NOTE, "wants to leave the warrants to Edda", "he wants to leave the warrants to Edda"),
)
Kept = tuple[str, str, Given]
LEAKS: tuple[tuple[Kept, str, str], ...] = (
    (BONFIRE, "Hi Ruth, all well here. The bonfire behind the mill starts at six.", "The bonfire behind the mill"),
    (BONFIRE, "Hi Ruth, keep the 14th free, we meet behind the mill.", "Hi Ruth, keep the 14th free"),
    (TRANSFER, "Dear Pia, good news. Jonas is moving to Leeds in March.", "Jonas is moving to Leeds in March."),
    (PICTURE, "Dear Mum, we are fine. The harbour picture was sold last week.", "The harbour picture was sold"),
    (SCAN, "Thank you for coming in. There is a shadow on the scan.", "There is a shadow on the scan."),
    (PILL, "Dear Father, your daughter is well. She takes levothyroxine now.", "She takes levothyroxine now."),
    (FLAT, "Dear Oswin, we act for Miss Hale. She has bought a flat in Deal.", "She has bought a flat in Deal."),
    (WARRANTS, "Dear Clement, all is set. The warrants are to go to Edda.", "The warrants are to go to Edda."),
)
CALM: tuple[tuple[Kept, str], ...] = (
    (BONFIRE, "Dear Henk, the roofer comes at nine."),
    (BONFIRE, "Hi Ruth, the roofer comes at nine."),
    (TRANSFER, "Dear Pia, lunch at one?"),
    (PICTURE, "Dear Mum, we are fine, the children send their love."),
    (SCAN, "Thank you for coming in. Your next visit is on Friday."),
    (PILL, "Dear Father, visiting hours end at eight."),
    (PILL, "Continue levothyroxine."),
    (FLAT, "Dear Oswin, the hearing is on Tuesday."),
    (WARRANTS, "Dear Clement, the review is on Tuesday at ten."),
)


@pytest.mark.parametrize(("kept", "draft", "quoted"), LEAKS, ids=[row[1] for row in LEAKS])
async def test_what_was_told_with_an_order_not_to_tell_is_guarded_whatever_it_was_filed_as(
    domains: Domains, kept: Kept, draft: str, quoted: str
) -> None:
    answer = await checked(await told(domains, *kept), draft)

    assert answer["verdict"] == "conflict"
    assert [quote for quote in conflicts(answer) if quote.startswith(quoted)]


@pytest.mark.parametrize(("kept", "draft"), CALM, ids=[row[1] for row in CALM])
async def test_a_draft_that_shares_nothing_with_a_secret_is_not_held_up_by_it(
    domains: Domains, kept: Kept, draft: str
) -> None:
    answer = await checked(await told(domains, *kept), draft)

    assert answer["findings"] == []


@pytest.mark.parametrize("kept", [BONFIRE, TRANSFER, PICTURE, FLAT, WARRANTS], ids=lambda kept: kept[1])
async def test_a_block_shows_the_order_beside_what_is_not_to_be_told(domains: Domains, kept: Kept) -> None:
    person = await told(domains, *kept)

    block = await person.block(f"Write a letter about this: {kept[2]['object']}.")

    [line] = [each for each in block.splitlines() if str(kept[2]["object"]).split()[-1] in each][:1]
    assert kept[1].split()[0] in line or "Not a word to Pia" in line


NO_ORDER = (
    ("No word from the plumber about the boiler yet.", "no word from the plumber about the boiler"),
    ("We split the taxi between us on Friday.", "split the taxi on Friday"),
    ("Nobody knows when the ferry to Iona leaves.", "ferry to Iona"),
)


@pytest.mark.parametrize(("said", "thing"), NO_ORDER, ids=[row[1] for row in NO_ORDER])
async def test_words_that_only_sound_like_an_order_make_no_secret_of_a_note(
    domains: Domains, said: str, thing: str
) -> None:
    person = await told(domains, "personal", said, fact(NOTE, thing, said[:-1]))

    answer = await checked(person, f"Dear Ben, what do you know? {said}")

    assert not conflicts(answer)


OTHERWISE, LEFT_OUT = "The record says otherwise", "Left out, "
GIVEN = (
    ("topiramate", {"dose": "25 mg"}, "25 mg at night", "Tonight give 50 mg of topiramate.", True),
    ("topiramate", {"dose": "25 mg"}, "25 mg at night", "Tonight give 25 mg of topiramate.", False),
    ("topiramate", {"dose": "25 mg"}, "25 mg at night", "Give folic acid 5 mg and 50 mg topiramate.", True),
    ("topiramate", {"dose": "25 mg"}, "25 mg at night", "Give folic acid 5 mg topiramate 25 mg.", False),
    ("bisoprolol", {"dose": "half a tablet"}, "half a tablet", "One whole tablet of bisoprolol at eight.", True),
    ("bisoprolol", {"dose": "half a tablet"}, "half a tablet", "Bisoprolol, a whole tablet with breakfast.", True),
    ("bisoprolol", {"dose": "half a tablet"}, "half a tablet", "Half a tablet of bisoprolol at eight.", False),
    ("bisoprolol", {"dose": "half a tablet"}, "half a tablet", "Give \u00bd tablet of bisoprolol at eight.", False),
    ("bisoprolol", {"dose": "half"}, "half", "Give a full tablet of bisoprolol.", True),
    ("beclometasone", {"dose": "one puff"}, "one puff", "Two puffs of beclometasone before sport.", True),
    ("beclometasone", {"dose": "one puff"}, "one puff", "One puff of beclometasone before sport.", False),
    ("bisoprolol", {"dose": "one and a half tablets"}, "one and a half tablets", "Bisoprolol 1.5 tablets.", False),
    ("bisoprolol", {"dose": "1000 mg"}, "1000 mg", "Give two 500 mg tablets of bisoprolol.", False),
    ("pyridostigmine", {"frequency": "at 6 and 22"}, "at 6 and 22", "Give pyridostigmine at 8 and 20.", True),
    ("pyridostigmine", {"frequency": "at 6 and 22"}, "at 6 and 22", "Give pyridostigmine at 6 am and 10 pm.", False),
    ("pyridostigmine", {"frequency": "at 6 and 22"}, "at 6 and 22", "Give pyridostigmine at 22.", False),
    ("pyridostigmine", {"frequency": "at 6 and 22"}, "at 6 and 22", "Review pyridostigmine at 8 weeks.", False),
)


@pytest.mark.parametrize("domain", ["clinical", "personal"])
@pytest.mark.parametrize(("thing", "attrs", "how", "draft", "differs"), GIVEN, ids=[row[3] for row in GIVEN])
async def test_a_dose_in_words_before_its_thing_and_a_time_are_held_against_the_record(
    domains: Domains, domain: str, thing: str, attrs: Mapping[str, str], how: str, draft: str, differs: bool
) -> None:
    said = f"Takes {thing}, {how}."
    person = await told(domains, domain, said, fact(TAKES, thing, said[:-1], attrs=attrs))

    answer = await checked(person, draft)

    assert any(OTHERWISE in found["message"] for found in answer["findings"]) == differs


IN_USE: tuple[tuple[str, str, dict[str, str]], ...] = (
    ("Takes candesartan in the morning.", "candesartan", {"frequency": "in the morning"}),
    ("Takes apixaban.", "apixaban", {}),
    ("Takes zopiclone at night.", "zopiclone", {"frequency": "at night"}),
)
LISTS: tuple[tuple[str, list[str]], ...] = (
    ("Her morning tablets are: candesartan.", ["apixaban"]),
    ("Her morning tablets are candesartan and apixaban.", []),
    ("All her medicines: candesartan, apixaban.", ["zopiclone"]),
    ("She only takes candesartan.", ["apixaban", "zopiclone"]),
    ("The bedtime pills are:\n- zopiclone", ["apixaban"]),
    ("Her current medication is: candesartan, apixaban and zopiclone.", []),
    ("Her tablets are: candesartan. Leave out apixaban and zopiclone today.", []),
    ("Give candesartan with breakfast.", []),
    ("Her blood pressure tablets are: candesartan.", []),
    ("Her tablets are in the blue box.", []),
)


@pytest.mark.parametrize("domain", ["clinical", "personal"])
@pytest.mark.parametrize(("draft", "missing"), LISTS, ids=[row[0] for row in LISTS])
async def test_a_draft_that_claims_to_list_all_names_what_it_leaves_out(
    domains: Domains, domain: str, draft: str, missing: list[str]
) -> None:
    person = domains.somebody(domain)
    for said, thing, attrs in IN_USE:
        await person.tells(said, [fact(TAKES, thing, said[:-1], attrs=attrs)])

    answer = await checked(person, draft)

    named = [found["message"] for found in answer["findings"] if LEFT_OUT in found["message"]]
    assert sorted(thing for _, thing, _ in IN_USE if any(thing in each.lower() for each in named)) == missing
