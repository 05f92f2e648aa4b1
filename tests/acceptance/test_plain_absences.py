"""A caller reads an absence that somebody told in plain words: it counts, and drafts are compared; its twin waits.

Issue 28. Each line is told of somebody new, and a draft is checked then: an absence that waits makes it not checkable.
"""

from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from itertools import count

import pytest

from r_memory import Memory, open_memory
from r_memory.config.settings import load_settings
from r_memory.facts.remember.results import Claim, Remembered
from tests.acceptance.conftest import Installation

pytestmark = pytest.mark.anyio
ALLERGY, CONFLICT, FLAG = "HAS_ALLERGY_TO", "HAS_CONFLICT_WITH", "FLAGGED_AS"
RESTRICTED, INSIDER = "RESTRICTED_FROM", "IS_INSIDER_OF"
DRAFTS = {
    "clinical": "Paracetamol 1 g by mouth four times a day",
    "law": "Offer 5,000 to the other side, Tolland Mills Ltd",
    "finance": "Buy 200 shares of Tolland Mills plc",
}
STUNG = "A wasp stung me and my tongue swelled up."


def absence(evidence: str, scope: str = "any", relation: str = ALLERGY, status: str = "negated") -> Claim:
    """An absence as a caller reads it."""
    return Claim(relation=relation, object=scope, evidence=evidence, status=status)


def risk(thing: str, evidence: str, relation: str = ALLERGY, means: str = "") -> Claim:
    """A risk as a caller reads it."""
    return Claim(relation=relation, object=thing, evidence=evidence, status="active", means=means)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of the last fact of a call, and whether a draft could be compared with what was told."""

    stored: str
    """Its thing and status; empty if it was not stored."""
    compared: bool


class People:
    """Somebody new for each line, in the memory of a schema."""

    def __init__(self, memories: dict[str, Memory]) -> None:
        self.memories = memories
        self._numbers = count(1)

    async def told(self, schema: str, *said: tuple[str, str, Sequence[Claim]]) -> tuple[str, Remembered]:
        """The id of Rosa Hallam, of whom each of these said their words, and the result of the last call."""
        number = next(self._numbers)
        before = [f"P{other}" for other in range(number)]
        outs = [
            await self.memories[schema].remember(
                words,
                subject=f"P{number}",
                subject_name="Rosa Hallam",
                another_than=before,
                speaker=speaker,
                claims=claims,
            )
            for speaker, words, claims in said
        ]
        return f"P{number}", outs[-1]

    async def outcome(self, schema: str, *said: tuple[str, str, Sequence[Claim]], draft: str = "") -> Outcome:
        """What became of the last fact that was told, and of a draft after it."""
        who, out = await self.told(schema, *said)
        last = max((each for each in out.results if each.given), key=lambda each: each.given)
        checked = await self.memories[schema].check_text(draft or DRAFTS[schema], subject=who)
        opened = [gap for gap in checked.gaps if last.relation in gap or "NOT YET READ" in gap]
        stored = f"{last.fact.object.id} {last.fact.status}" if last.fact is not None else ""
        return Outcome(stored, not opened)


@pytest.fixture(scope="module")
async def people(standing: Installation) -> AsyncIterator[People]:
    async with AsyncExitStack() as stack:
        memories = {}
        for schema in ("clinical", "law", "finance", "personal"):
            folder = str(standing.folder / f"absences-{schema}")
            one = standing.with_settings(schema=schema, space="absences", data_dir=folder)
            memories[schema] = await stack.enter_async_context(open_memory(load_settings(one.environment)))
        yield People(memories)


COUNTS, WAITS = Outcome("any negated", compared=True), Outcome("", compared=False)


@pytest.mark.parametrize(
    ("speaker", "words"),
    [
        ("wife", "No allergies, thank heavens."),
        ("mother", "Nope, she's never been allergic to anything, touch wood."),
        ("husband", "Not allergic to a thing."),
        ("daughter", "Allergies? None that I know of."),
        ("sister", "No, he's not allergic to anything."),
        ("father", "Allergies, no, none, and the car is on a meter."),
        ("grandmother", "The boy has no allergies, thank you."),
    ],
)
async def test_a_relative_tells_the_absence_of_whoever_the_call_is_about(
    people: People, speaker: str, words: str
) -> None:
    assert await people.outcome("clinical", (speaker, words, [absence(words)])) == COUNTS


@pytest.mark.parametrize(
    ("speaker", "words"),
    [
        ("wife", "I have no allergies, by the way."),
        ("wife", "I have no allergies, unlike him."),
        ("mother", "No allergies for me, I'm lucky."),
        ("daughter", "We've no allergies in our house."),
        ("mother", "My sister lives with us. No allergies."),
        ("wife", "Our neighbour Tom was here. No allergies."),
        ("father", "No allergies with his brother."),
        ("mother", "Neither of them has any allergies."),
        ("husband", "Her mother has no allergies."),
        ("mother", "My allergies? None."),
        ("daughter", "No allergies."),
        ("mother", "No allergies, nor has my other boy."),
        ("son", "Mum said I've no allergies."),
    ],
)
async def test_an_absence_of_the_speaker_or_of_somebody_else_waits(people: People, speaker: str, words: str) -> None:
    evidence = words.rsplit(". ", maxsplit=1)[-1]
    assert (await people.outcome("clinical", (speaker, words, [absence(evidence)]))).stored == ""


@pytest.mark.parametrize(
    ("speaker", "words"),
    [
        ("pharmacist", "I went through allergies with Mrs Hallam, she says none at all."),
        ("pharmacist", "Asked her about allergies, Mrs Hallam says none."),
        ("nurse", "Nil known allergies per mum."),
        ("doctor", "Patient denies any allergies."),
        ("nurse", "Mum says no allergies."),
        ("doctor", "Husband states she has no allergies."),
        ("dentist", "Allergies asked about, none."),
    ],
)
async def test_what_a_professional_was_told_is_their_own_finding(people: People, speaker: str, words: str) -> None:
    assert await people.outcome("clinical", (speaker, words, [absence(words)])) == COUNTS


@pytest.mark.parametrize(
    ("speaker", "words"),
    [
        ("nurse", "The referral letter states no allergies."),
        ("nurse", "The last ward wrote no allergies."),
        ("nurse", "The lady in the next bed says no allergies."),
        ("doctor", "Her neighbour says she has no allergies."),
        ("patient", "My doctor says I've no allergies."),
        ("nurse", 'Somebody wrote "no allergies" on the board.'),
        ("pharmacist", "The computer says no allergies."),
        ("nurse", "Says her mother has no allergies."),
        ("pharmacist", "Asked about allergies to latex, she says none."),
        ("doctor", "Allergies not checked."),
    ],
)
async def test_what_was_not_asked_or_told_by_somebody_else_waits(people: People, speaker: str, words: str) -> None:
    assert await people.outcome("clinical", (speaker, words, [absence(words)])) == WAITS


@pytest.mark.parametrize(
    ("words", "scope"),
    [
        ("Nothing else has ever bothered me.", "any"),
        ("Otherwise no allergies.", "any"),
        ("Every other medicine is fine.", "any_drug"),
        ("Never had a problem with any other tablets.", "any_drug"),
        ("All the other medicines I've had were fine.", "any_drug"),
        ("Apart from that I'm fine with everything.", "any"),
        ("I've no problem with tablets.", "any_drug"),
    ],
)
async def test_beside_a_named_risk_the_rest_is_denied_and_the_risk_stays(
    people: People, words: str, scope: str
) -> None:
    claims = [risk("wasp", STUNG), absence(words, scope)]
    said = ("patient", f"{STUNG} {words}", claims)

    assert await people.outcome("clinical", said) == Outcome(f"{scope} negated", compared=True)
    who, _ = await people.told("clinical", said)
    listed = await people.memories["clinical"].list_facts(subject=who)
    assert "active" in {fact.status for fact in listed.facts}


@pytest.mark.parametrize(
    ("words", "scope"),
    [
        ("Nothing else bothered me that day.", "any"),
        ("Everything else in my life is fine.", "any"),
        ("Everything else is fine.", "any"),
        ("Most other tablets are fine.", "any_drug"),
        ("Not every other tablet is fine.", "any_drug"),
        ("All other tablets are fine but aspirin.", "any_drug"),
        ("Nothing else, well, maybe strawberries, bothers me.", "any"),
        ("Tablets are no trouble to get.", "any_drug"),
        ("The tablets are all fine.", "any_drug"),
        ("No problem with drugs.", "any_drug"),
        ("All other medicines are fine, if I take them slowly.", "any_drug"),
    ],
)
async def test_what_is_not_plainly_the_rest_of_the_kind_waits(people: People, words: str, scope: str) -> None:
    claims = [risk("wasp", STUNG), absence(words, scope)]
    assert await people.outcome("clinical", ("patient", f"{STUNG} {words}", claims)) == WAITS


async def test_without_a_risk_of_the_same_call_nothing_else_denies_no_kind(people: People) -> None:
    words = "Nothing else has ever bothered me."
    assert await people.outcome("clinical", ("patient", words, [absence(words)])) == WAITS


@pytest.mark.parametrize(
    ("words", "scope"),
    [("No drug allergies.", "any_drug"), ("No food allergies.", "any_food"), ("No trouble with tablets.", "any_drug")],
)
async def test_no_scope_is_wider_than_the_words(people: People, words: str, scope: str) -> None:
    """The caller reads that there is no allergy at all."""
    outcome = await people.outcome("clinical", ("patient", words, [absence(words)]))
    assert outcome.stored == f"{scope} negated"


@pytest.mark.parametrize(
    ("speaker", "words"),
    [
        ("associate", "Conflicts checked, all clear."),
        ("paralegal", "Ran the conflict search on Mrs Hallam, nothing."),
        ("partner", "No conflict on Hallam, we only act for the buyer."),
        ("solicitor", "Conflict check done, nothing came up, we act for nobody else."),
        ("solicitor", "Conflicts searched, clear, nothing about the other side."),
        ("lawyer", "We have no conflict in this matter."),
        ("associate", "Searched for conflicts, found none."),
    ],
)
async def test_a_lawyer_tells_that_there_is_no_conflict(people: People, speaker: str, words: str) -> None:
    outcome = await people.outcome("law", (speaker, words, [absence(words, "any_party", CONFLICT)]))
    assert outcome == Outcome("any_party negated", compared=True)


@pytest.mark.parametrize(
    ("speaker", "words"),
    [
        ("associate", "Conflicts not checked."),
        ("paralegal", "No conflict search run."),
        ("partner", "No conflict with Harlow Mills."),
        ("client", "The conflict is clear to me."),
        ("associate", "Conflicts checked, clear bar one."),
        ("partner", "No conflict on Hallam, only on Tolland."),
        ("paralegal", "Conflict search on Harlow Mills, nothing."),
        ("partner", "Conflicts checked, nothing back yet."),
    ],
)
async def test_a_search_that_was_not_made_or_is_of_one_party_is_no_absence(
    people: People, speaker: str, words: str
) -> None:
    assert await people.outcome("law", (speaker, words, [absence(words, "any_party", CONFLICT)])) == WAITS


@pytest.mark.parametrize(
    ("speaker", "words", "relation", "scope"),
    [
        ("adviser", "No restrictions on the account.", RESTRICTED, "any_restriction"),
        ("client", "I have no restrictions whatsoever, it is your call.", RESTRICTED, "any_restriction"),
        ("compliance", "Nothing flagged on this client.", FLAG, "any_flag"),
        ("compliance", "No flags, I looked this morning.", FLAG, "any_flag"),
        ("compliance", "Account checked, nothing flagged.", FLAG, "any_flag"),
        ("compliance", "Not on any insider list.", INSIDER, "any"),
    ],
)
async def test_an_adviser_tells_that_nothing_is_restricted_or_flagged(
    people: People, speaker: str, words: str, relation: str, scope: str
) -> None:
    outcome = await people.outcome("finance", (speaker, words, [absence(words, scope, relation)]))
    assert outcome == Outcome(f"{scope} negated", compared=True)


@pytest.mark.parametrize(
    ("speaker", "words", "relation", "scope"),
    [
        ("adviser", "No restrictions except tobacco.", RESTRICTED, "any_restriction"),
        ("adviser", "No restrictions on withdrawals.", RESTRICTED, "any_restriction"),
        ("client", "My wife has no restrictions.", RESTRICTED, "any_restriction"),
        ("compliance", "Nothing flagged yet, the search is running.", FLAG, "any_flag"),
        ("compliance", "No flags were checked.", FLAG, "any_flag"),
        ("compliance", "Not flagged as urgent.", FLAG, "any_flag"),
    ],
)
async def test_a_narrower_or_unfinished_look_is_no_absence(
    people: People, speaker: str, words: str, relation: str, scope: str
) -> None:
    assert await people.outcome("finance", (speaker, words, [absence(words, scope, relation)])) == WAITS


@pytest.mark.parametrize("over", ["The milk allergy is over, they tested him.", "The milk thing is over now."])
async def test_an_ended_allergy_that_a_parent_tells_of_stays_in_force_and_keeps_no_other_food_back(
    people: People, over: str
) -> None:
    """Design 2.6, issue 26: only a person who confirms it ends a critical risk."""
    milk, peanut = "He comes out in hives from milk.", "Peanuts make his throat swell."
    told = [
        ("mother", f"{milk} {peanut}", [risk("milk", milk), risk("peanuts", peanut)]),
        ("mother", over, [absence(over, "milk", status="resolved")]),
    ]

    other = await people.outcome("clinical", *told, draft="Lunch: boiled rice with cucumber")
    who, _ = await people.told("clinical", *told)
    milky = await people.memories["clinical"].check_text("Lunch: a glass of milk", subject=who)

    assert other.compared
    assert milky.verdict == "conflict"


@pytest.mark.parametrize(
    ("schema", "words", "claim", "draft"),
    [
        (
            "clinical",
            "I am a Witness, I will not have blood, no transfusion, not even to save my life.",
            risk(
                "blood",
                "I will not have blood, no transfusion, not even to save my life",
                "REFUSES",
                means="blood transfusion",
            ),
            "Paracetamol 1 g by mouth",
        ),
        (
            "finance",
            "Brontas is in its closed period, he must not deal in Brontas shares until we say so.",
            risk("Brontas", "Brontas is in its closed period, he must not deal in Brontas shares", "IN_BLACKOUT"),
            "Buy 200 shares of Tolland Mills plc",
        ),
    ],
)
async def test_a_sentence_whose_risk_is_stored_does_not_wait_as_well(
    people: People, schema: str, words: str, claim: Claim, draft: str
) -> None:
    assert (await people.outcome(schema, ("patient", words, [claim]), draft=draft)).compared


@pytest.mark.parametrize(
    "words",
    [
        "I will not have blood, and penicillin gives me hives.",
        "I will not have blood, and I must not have aspirin.",
        "No blood for me, I refuse it, and latex brings me out in hives.",
    ],
)
async def test_another_risk_of_the_sentence_still_waits(people: People, words: str) -> None:
    claim = risk("blood", words, "REFUSES", means="blood transfusion")
    _, out = await people.told("clinical", ("patient", words, [claim]))
    assert out.pending == 1


@pytest.mark.parametrize(
    ("draft", "calm"),
    [
        ("Let him have the unlabelled red pills that came in the post, two a day.", False),
        ("Give her some of her neighbour's tablets.", False),
        ("She may use the homemade ointment at night.", False),
        ("Take the tablets with food.", True),
        ("Paracetamol tablets, two at night. Her neighbour's cat is fine.", True),
    ],
)
async def test_once_all_is_answered_a_draft_still_has_to_name_what_it_gives(
    people: People, draft: str, calm: bool
) -> None:
    """What waited before hid that nothing was compared."""
    who, _ = await people.told("clinical", ("patient", "No allergies.", [absence("No allergies")]))
    checked = await people.memories["clinical"].check_text(draft, subject=who)
    assert checked.verdict == ("nothing_found" if calm else "not_checkable")
