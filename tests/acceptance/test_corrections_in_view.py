"""What a correction leaves in view: over MCP, in the domains of ordinary users, after the third blind play.

Issue "In a model's hands", points 5 and 6: a replacement that is refused shakes nothing, the new value stands before
the old one, "it" is never a thing, and a sentence about two people is settled by the two calls that read it.
"""

from collections.abc import AsyncIterator, Sequence

import pytest

from tests.acceptance.conftest import Installation
from tests.acceptance.test_corrections import Given, fact, fates
from tests.acceptance.test_corrections_by_kind import Domains, domains_of, due

pytestmark = pytest.mark.anyio
ALLERGY, TAKES, IMPLANT, DIET, PLAN = "HAS_ALLERGY_TO", "TAKES", "HAS_IMPLANTS", "KEEPS_DIET", "PLANS"
LIMIT, RESTRICTED, FAMILY = "RISK_LIMIT", "RESTRICTED_FROM", "HAS_FAMILY_HISTORY"
BEARS = "bears on this request"


@pytest.fixture(scope="module")
async def domains(standing: Installation) -> AsyncIterator[Domains]:
    async with domains_of(standing, "view", ("clinical", "personal", "law", "finance")) as opened:
        yield opened


def limit(words: str, most: int, corrects: str = "") -> dict[str, object]:
    return fact(LIMIT, "bonds", words, attrs={"max": most, "unit": "percent"}, corrects=corrects)


# --- a replacement that is refused -----------------------------------------------------------------------------------

REFUSED = (
    (
        "personal",
        PLAN,
        "canoe trip",
        "We plan a canoe trip with nine people.",
        "Make that the Thursday. And only seven, the twins are ill.",
        "canoe trip, seven people",
        "Make that the Thursday. And only seven",
    ),
    (
        "clinical",
        TAKES,
        "bisoprolol",
        "She takes bisoprolol.",
        "The ward changed that one to something similar.",
        "nebivolol",
        "The ward changed that one to something similar",
    ),
    (
        "clinical",
        ALLERGY,
        "latex",
        "She is allergic to latex.",
        "The letter says more about the gloves.",
        "powdered rubber",
        "The letter says more about the gloves",
    ),
)


@pytest.mark.parametrize(
    ("domain", "relation", "thing", "told", "said", "new", "evidence"), REFUSED, ids=[row[2] for row in REFUSED]
)
async def test_a_replacement_that_is_refused_leaves_what_stands_as_it_was(
    domains: Domains, domain: str, relation: str, thing: str, told: str, said: str, new: str, evidence: str
) -> None:
    person = domains.somebody(domain)
    stored = await person.tells(told, [fact(relation, thing, told[:-1])])

    out = await person.tells(said, [fact(relation, new, evidence, corrects=thing)])

    [fate] = fates(out)
    [known] = [each for each in (await person.facts()).values() if each["relation"] == relation]
    assert (fate["verdict"], "stays as it was" in fate["reason"], "ended" in fate["reason"]) == ("waits", True, False)
    assert (known["fact_id"], known["status"]) == (fates(stored)[0]["fact_id"], "active")
    assert not known.get("contradicted")
    assert "DISPUTED" not in await person.block()
    assert [each["text"] for each in await person.waiting()] == [said]


async def test_words_that_deny_a_risk_by_name_dispute_it_though_what_they_give_instead_is_refused(
    domains: Domains,
) -> None:
    person = domains.somebody("clinical")
    await person.tells("I am allergic to kiwi.", [fact(ALLERGY, "kiwi", "I am allergic to kiwi")])
    said = "I'm not allergic to kiwi, it's the small round ones."

    out = await person.tells(said, [fact(ALLERGY, "gooseberry", said[:-1], corrects="kiwi")])

    known = (await person.facts())[ALLERGY, "kiwi"]
    assert fates(out)[0]["verdict"] == "waits"
    assert (known["status"], known["contradicted"]) == ("active", True)


# --- the new value before the old one --------------------------------------------------------------------------------

MOVED: tuple[tuple[str, str, Given, str, Sequence[Given], str, str, str], ...] = (
    (
        "law",
        "The appeal is listed for 11 May 2027.",
        due("appeal", "The appeal is listed for 11 May 2027", "2027-05-11"),
        "The court has put the appeal back to 25 May 2027.",
        [due("appeal", "put the appeal back to 25 May 2027", "2027-05-25", corrects="appeal")],
        "When is the appeal?",
        "2027-05-25",
        "2027-05-11",
    ),
    (
        "finance",
        "At most 20 percent in bonds.",
        limit("At most 20 percent in bonds", 20),
        "She signed a new mandate: bonds up to 35 percent now.",
        [limit("bonds up to 35 percent now", 35, corrects="bonds")],
        "May we buy more bonds?",
        "35 percent",
        "20 percent",
    ),
    (
        "law",
        "The trial is on 1 June 2027.",
        due("trial", "The trial is on 1 June 2027", "2027-06-01"),
        "The trial is not on 1 June 2027, it is on 8 June 2027.",
        [
            due("trial", "The trial is not on 1 June 2027", "2027-06-01", "refuted", corrects="trial"),
            due("trial", "it is on 8 June 2027", "2027-06-08"),
        ],
        "When is the trial?",
        "2027-06-08",
        "2027-06-01",
    ),
)


@pytest.mark.parametrize(
    ("domain", "told", "before", "said", "given", "query", "new", "old"), MOVED, ids=[row[6] for row in MOVED]
)
async def test_a_critical_value_that_was_changed_stands_first_and_the_old_one_on_one_line_behind_it(
    domains: Domains,
    domain: str,
    told: str,
    before: Given,
    said: str,
    given: Sequence[Given],
    query: str,
    new: str,
    old: str,
) -> None:
    person = domains.somebody(domain)
    await person.tells(told, [before])

    await person.tells(said, given)

    lines = (await person.block(query)).splitlines()
    first = next(at for at, line in enumerate(lines) if new in line)
    [last] = [at for at, line in enumerate(lines) if line.startswith("DISPUTED: ")]
    assert first < last
    assert old in lines[last]
    assert "CORRECTED 20" in lines[last]
    assert not lines[last + 1].startswith("  ")
    assert sum(BEARS in line for line in lines) <= 1


async def test_a_rule_that_stands_on_a_disputed_fact_says_so_in_its_own_line(domains: Domains) -> None:
    person = domains.somebody("clinical")
    await person.tells("He has a pacemaker.", [fact(IMPLANT, "pacemaker", "He has a pacemaker")])
    said = "The pacemaker is Mr Okoro's, not his."
    await person.tells(said, [fact(IMPLANT, "pacemaker", said[:-1], "negated", corrects="pacemaker")])

    rules = [line for line in (await person.block("Book him an MRI.")).splitlines() if "not with Pacemaker" in line]

    assert rules
    assert all("Pacemaker DISPUTED" in line for line in rules)


async def test_a_risk_that_was_denied_stays_in_view_with_what_it_bears_on(domains: Domains) -> None:
    person = domains.somebody("clinical")
    await person.tells("I am allergic to amoxicillin.", [fact(ALLERGY, "amoxicillin", "I am allergic to amoxicillin")])
    said = "The skin test was negative, I have no amoxicillin allergy."
    denied = fact(ALLERGY, "amoxicillin", "I have no amoxicillin allergy", "refuted", corrects="amoxicillin")
    await person.tells(said, [denied])

    block = await person.block("Can I take Augmentin?")

    assert "DISPUTED: CRITICAL ALLERGY" in block
    assert "CORRECTED 20" in block
    assert BEARS in block


async def test_a_company_that_left_the_restricted_list_is_shown_as_ended_until_that_is_confirmed(
    domains: Domains,
) -> None:
    person = domains.somebody("finance")
    told, said = "Bramhall Steel is on the restricted list.", "Bramhall Steel is off the restricted list as of today."
    await person.tells(told, [fact(RESTRICTED, "Bramhall Steel", told[:-1])])
    await person.tells(said, [fact(RESTRICTED, "Bramhall Steel", said[:-1], "resolved")])

    block = await person.block("Buy Bramhall Steel shares?")

    assert "DISPUTED: RESTRICTED" in block
    assert "ENDED 20" in block


async def test_a_diet_that_its_speaker_changes_ends_at_once(domains: Domains) -> None:
    person = domains.somebody("personal")
    await person.tells("Bella gets wet food.", [fact(DIET, "wet food", "Bella gets wet food")])
    said = "The vet rang, Bella is off wet food, it's dry food now."

    out = await person.tells(
        said,
        [
            fact(DIET, "wet food", "Bella is off wet food", "resolved", corrects="wet food"),
            fact(DIET, "dry food", "it's dry food now"),
        ],
    )

    block = await person.block("What does Bella get for dinner?")
    assert [fate["status"] for fate in fates(out)] == ["resolved", "active"]
    assert "DISPUTED" not in block
    assert "ry food" in block


async def test_a_dose_that_was_changed_is_the_only_one_in_the_block(domains: Domains) -> None:
    person = domains.somebody("clinical")
    told = "I take edoxaban 60 mg."
    await person.tells(told, [fact(TAKES, "edoxaban", told[:-1], attrs={"dose": "60 mg"})])
    await person.tells(
        "It is 30 mg now.", [fact(TAKES, "edoxaban", "It is 30 mg now", attrs={"dose": "30 mg"}, corrects="edoxaban")]
    )

    block = await person.block("May I take ibuprofen?")

    assert "30 mg" in block
    assert "60 mg" not in block


# --- "it" ------------------------------------------------------------------------------------------------------------

STILL = (
    ("citalopram", "Scrap what I said about stopping, I am still taking it.", "I am still taking it", "it"),
    ("bisoprolol", "I was too quick, I do still take that.", "I do still take that", "that"),
)


@pytest.mark.parametrize(("thing", "said", "evidence", "word"), STILL, ids=[row[0] for row in STILL])
async def test_a_medicine_whose_end_is_taken_back_holds_again_with_its_dose_and_by_its_name(
    domains: Domains, thing: str, said: str, evidence: str, word: str
) -> None:
    person = domains.somebody("clinical")
    told, over = f"I take {thing} 20 mg.", f"I stopped the {thing}."
    await person.tells(told, [fact(TAKES, thing, told[:-1], attrs={"dose": "20 mg"})])
    await person.tells(over, [fact(TAKES, thing, over[:-1], "resolved")])

    out = await person.tells(said, [fact(TAKES, word, evidence, means=thing, corrects=thing)])

    [known] = (await person.facts()).values()
    [fate] = fates(out)
    block = await person.block("May I have tramadol?")
    assert (known["object"].casefold(), known["status"], known["attrs"]["dose"]) == (thing, "active", "20 mg")
    assert not known.get("contradicted")
    assert (fate["verdict"], "holds again" in fate["reason"]) == ("stored", True)
    assert f"{thing.capitalize()} 20 mg" in block
    assert '"It"' not in block
    assert '"That"' not in block


async def test_a_pronoun_takes_the_name_of_what_it_means(domains: Domains) -> None:
    person = domains.somebody("clinical")

    out = await person.tells(
        "I come out in a rash from it.", [fact(ALLERGY, "it", "a rash from it", means="cefuroxime")]
    )
    bare = await person.tells("It makes my lips swell.", [fact(ALLERGY, "it", "It makes my lips swell")])

    assert (ALLERGY, "cefuroxime") in await person.facts()
    assert fates(out)[0]["verdict"] == "stored"
    assert (fates(bare)[0]["verdict"], "`means`" in fates(bare)[0]["reason"]) == ("waits", True)
    assert '"It"' not in await person.block()


# --- a sentence about two people -------------------------------------------------------------------------------------


@pytest.mark.parametrize("first", [0, 1], ids=["the child after", "the child before"])
async def test_a_sentence_about_two_people_that_two_calls_read_waits_with_neither(domains: Domains, first: int) -> None:
    mother, child = domains.somebody("clinical"), domains.somebody("clinical")
    said = "Her son Ruben has a hen's egg allergy, and she takes levothyroxine."
    calls = [
        (mother, f"Tamara Lind {first}", fact(TAKES, "levothyroxine", "she takes levothyroxine")),
        (child, f"Ruben Lind {first}", fact(ALLERGY, "hen's egg", "Her son Ruben has a hen's egg allergy")),
    ]

    for person, name, given in (calls[first], calls[1 - first]):
        await person.tells(said, [given], subject_name=name)

    for person, _, _ in calls:
        assert await person.waiting() == []
        block = await person.block("An omelette for breakfast?")
        assert "NOT YET READ" not in block
        assert "UNCONFIRMED" not in block
    assert {relation for relation, _ in await mother.facts()} == {TAKES}


async def test_what_neither_call_accounts_for_goes_on_waiting(domains: Domains) -> None:
    mother, child = domains.somebody("clinical"), domains.somebody("clinical")
    said = "Her son Emil is allergic to sesame, she takes ramipril, and she is allergic to latex."

    await mother.tells(said, [fact(TAKES, "ramipril", "she takes ramipril")], subject_name="Petra Holm")
    await child.tells(said, [fact(ALLERGY, "sesame", "Her son Emil is allergic to sesame")], subject_name="Emil Holm")

    assert "latex" in (await mother.block("Latex gloves?")).casefold()


async def test_a_household_sentence_read_first_for_the_child_does_not_wait_with_the_child_after(
    domains: Domains,
) -> None:
    child, owner = domains.somebody("personal"), domains.somebody("personal")
    said = "Jonas gets hives from hazelnuts, the nursery knows. I keep the syringe in the blue bag."

    await child.tells(said, [fact(ALLERGY, "hazelnuts", "Jonas gets hives from hazelnuts")], subject_name="Jonas")
    out = await owner.tells(said, [fact("HAS_PLACE", "syringe", "I keep the syringe in the blue bag")])

    assert [each for each in out["results"] if each["verdict"] == "waits"] == []
    assert await child.waiting() == []
    assert "NOT YET READ" not in await child.block("Hazelnut cake?")
