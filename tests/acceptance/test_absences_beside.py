"""A caller reads an absence beside a risk on record, beside another clause of the kind, or of a file; its twin waits.

Issue 28. Each line is told of somebody new.
"""

from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack

import pytest

from r_memory import open_memory
from r_memory.config.settings import load_settings
from r_memory.facts.remember.results import Claim
from tests.acceptance.conftest import Installation
from tests.acceptance.test_plain_absences import STUNG, Outcome, People, absence, risk

pytestmark = pytest.mark.anyio
CONFLICT, SECRET, RESTRICTED = "HAS_CONFLICT_WITH", "MUST_NOT_DISCLOSE", "RESTRICTED_FROM"
TOLD = ("patient", STUNG, [risk("wasp", STUNG)])
LISTED = "He may not buy Tolland Mills shares."


@pytest.fixture(scope="module")
async def people(standing: Installation) -> AsyncIterator[People]:
    async with AsyncExitStack() as stack:
        memories = {}
        for schema in ("clinical", "law", "finance"):
            folder = str(standing.folder / f"beside-{schema}")
            own = standing.with_settings(schema=schema, space="beside", data_dir=folder)
            memories[schema] = await stack.enter_async_context(open_memory(load_settings(own.environment)))
        yield People(memories)


@pytest.mark.parametrize(
    ("words", "scope"),
    [
        ("Apart from the wasp nothing bothers me, no tablet has ever given me a reaction.", "any_drug"),
        ("Apart from the wasp I am not allergic to anything.", "any"),
        ("Wasp is the only thing, other medicines and food are all fine.", "any_drug"),
        ("No other tablet has ever harmed me.", "any_drug"),
        ("Apart from that I'm not allergic to anything that I know of.", "any"),
        ("No other allergies.", "any"),
    ],
)
async def test_beside_a_risk_on_record_the_rest_is_denied_and_the_risk_stays(
    people: People, words: str, scope: str
) -> None:
    said = (TOLD, ("patient", words, [absence(words, scope)]))
    assert await people.outcome("clinical", *said) == Outcome(f"{scope} negated", compared=True)
    who, _ = await people.told("clinical", *said)
    listed = await people.memories["clinical"].list_facts(subject=who)
    assert "active" in {fact.status for fact in listed.facts}


@pytest.mark.parametrize(
    ("words", "scope"),
    [
        ("Apart from strawberries nothing bothers me, no tablet has ever given me a reaction.", "any_drug"),
        ("Apart from the wasp and the strawberries I am not allergic to anything.", "any"),
        ('Apart from the wasp "no other allergies", it says here.', "any"),
        ("Apart from that my boy isn't allergic to anything.", "any"),
        ("My sister says apart from that I'm not allergic to anything.", "any"),
        ("Apart from that I'm not allergic to anything if I take it slowly.", "any"),
        ("Apart from that nothing bothered me today.", "any"),
        ("My knee hurts. Apart from that I'm fine with everything.", "any"),
        ("No other tablet has ever harmed my boy.", "any_drug"),
        ("Wasp is the only thing so far, maybe other medicines are fine.", "any_drug"),
        ("Wasp is not the only thing, other medicines are fine.", "any_drug"),
        ("The other medicines are all fine.", "any_drug"),
        ("Some other medicines are fine.", "any_drug"),
        ("Oh sure, no other tablet has ever harmed me, only half of them.", "any_drug"),
        ("Do I have no other allergies?", "any"),
    ],
)
async def test_what_is_not_plainly_the_rest_beside_a_recorded_risk_waits(
    people: People, words: str, scope: str
) -> None:
    outcome = await people.outcome("clinical", TOLD, ("patient", words, [absence(words, scope)]))
    assert outcome.stored == ""


@pytest.mark.parametrize("words", ["No other allergies.", "Apart from the wasp I am not allergic to anything."])
async def test_of_somebody_without_a_recorded_risk_no_rest_is_denied(people: People, words: str) -> None:
    assert (await people.outcome("clinical", ("patient", words, [absence(words)]))).stored == ""


async def test_a_risk_that_a_caller_denies_is_no_told_risk(people: People) -> None:
    """A caller that reads every word wrongly: the words waited before, and still do."""
    words = "The prawns closed my throat, no other allergies."
    claims = [absence(words, "prawns"), absence(words)]
    assert (await people.outcome("clinical", ("patient", words, claims))).stored == ""


@pytest.mark.parametrize(
    ("words", "scope", "stored"),
    [
        ("No food allergies, and the heart tablets never bothered me.", "any_food", "any_food"),
        ("No allergies, the blood pressure tablets are fine.", "any", "any"),
        ("No drug or food allergies on the chart.", "any_drug", "any_drug"),
    ],
)
async def test_a_further_clause_that_nothing_happened_takes_no_absence_back(
    people: People, words: str, scope: str, stored: str
) -> None:
    outcome = await people.outcome("clinical", ("nurse", words, [absence(words, scope)]))
    assert outcome.stored == f"{stored} negated"


@pytest.mark.parametrize(
    ("speaker", "words", "relation", "scope"),
    [
        ("associate", "Conflict search on the boundary file is clear.", CONFLICT, "any_party"),
        ("associate", "All clear, and there is nothing in it he wants kept secret.", SECRET, "any"),
        ("client", "There are no secrets.", SECRET, "any"),
        ("paralegal", "Nothing confidential in it.", SECRET, "any"),
    ],
)
async def test_a_lawyer_tells_that_a_whole_file_is_clear(
    people: People, speaker: str, words: str, relation: str, scope: str
) -> None:
    outcome = await people.outcome("law", (speaker, words, [absence(words, scope, relation)]))
    assert outcome.stored == f"{scope} negated"


@pytest.mark.parametrize(
    ("speaker", "words", "relation", "scope"),
    [
        ("associate", "Conflict search on the Harlow file is clear.", CONFLICT, "any_party"),
        ("associate", "Conflict search on the boundary file is not clear.", CONFLICT, "any_party"),
        ("associate", "Conflict search on another file is clear.", CONFLICT, "any_party"),
        ("client", "The file is not secret.", SECRET, "any"),
        ("client", "It's no secret that he hates her.", SECRET, "any"),
        ("client", "There are no secrets between us.", SECRET, "any"),
        ("client", "Nothing is secret once we sign.", SECRET, "any"),
        ("client", "My brother has no secrets.", SECRET, "any"),
        ("client", "There are no other secrets.", SECRET, "any"),
        ("associate", "Nothing of it may be told, keep it secret.", SECRET, "any"),
    ],
)
async def test_a_narrower_look_or_one_thing_that_is_no_secret_waits(
    people: People, speaker: str, words: str, relation: str, scope: str
) -> None:
    outcome = await people.outcome("law", (speaker, words, [absence(words, scope, relation)]))
    assert outcome.stored == ""


@pytest.mark.parametrize(
    ("words", "counts"),
    [
        ("Nothing else of his is restricted.", True),
        ("Nothing is restricted.", True),
        ("Nothing else of hers is restricted but tobacco.", False),
        ("Nothing else of his wife's is restricted.", False),
        ("Not restricted to equities.", False),
        ("Nothing else is restricted until Friday.", False),
        ("The account is not restricted.", False),
        ("Nothing else is restricted, I guess.", False),
    ],
)
async def test_beside_a_recorded_restriction_nothing_else_is_restricted(
    people: People, words: str, counts: bool
) -> None:
    told = ("compliance", LISTED, [risk("Tolland Mills", LISTED, RESTRICTED)])
    said = ("compliance", words, [absence(words, "any_restriction", RESTRICTED)])
    outcome = await people.outcome("finance", told, said, draft="Buy 200 shares of Harlow Foods plc")
    assert outcome.stored == ("any_restriction negated" if counts else "")


def tolerance(thing: str, evidence: str, means: str = "") -> Claim:
    """A tolerance as a caller reads it."""
    return Claim(relation="TOLERATES", object=thing, evidence=evidence, status="active", means=means)


@pytest.mark.parametrize(
    ("words", "thing", "means", "stored"),
    [
        ("No allergies, she had the travel jabs without trouble.", "travel jabs", "vaccines", True),
        ("No allergies, she had the travel jabs.", "travel jabs", "vaccines", True),
        ("She had the travel jabs.", "travel jabs", "vaccines", False),
    ],
)
async def test_a_tolerance_whose_meaning_is_a_guess_stands_in_its_own_words(
    people: People, words: str, thing: str, means: str, stored: bool
) -> None:
    outcome = await people.outcome("clinical", ("nurse", words, [tolerance(thing, words, means)]))
    assert bool(outcome.stored) is stored
    assert not stored or means not in outcome.stored


STINGS = "The bees sting me most summers and I shrug."


@pytest.mark.parametrize(
    ("words", "claims", "draft", "calm"),
    [
        (STINGS, [tolerance("bees", STINGS)], "Paracetamol 1 g by mouth", True),
        (STINGS, [tolerance("bees", STINGS)], "Bee venom 1 microgram under the skin", False),
        ("The bees sting me and I swell up.", None, "Paracetamol 1 g by mouth", False),
        ("The bees gave me hives.", None, "Paracetamol 1 g by mouth", False),
        ("The bees nearly killed me, ha ha.", None, "Paracetamol 1 g by mouth", False),
        ("The bees and Zorvexin, I shrug.", None, "Paracetamol 1 g by mouth", False),
    ],
)
async def test_a_watched_thing_without_a_reaction_is_a_note_of_an_unrelated_draft(
    people: People, words: str, claims: Sequence[Claim] | None, draft: str, calm: bool
) -> None:
    given = claims if claims is not None else [tolerance("bees", words), absence(words, "bees")]
    none = ("patient", "No allergies.", [absence("No allergies")])
    who, _ = await people.told("clinical", none, ("patient", words, given))
    checked = await people.memories["clinical"].check_text(draft, subject=who)
    assert (checked.verdict == "nothing_found") is calm, checked
