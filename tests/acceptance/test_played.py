"""What conversations played by a client showed: what is over ends, a label stands under its words, questions are
answered at once."""

from collections.abc import AsyncIterator

import pytest

from r_memory import Memory, open_memory
from r_memory.config.settings import load_settings
from r_memory.domain.facts import MEANS, Fact, Status
from r_memory.facts.remember.results import Claim
from tests.acceptance.conftest import Installation

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
async def home(standing: Installation) -> AsyncIterator[Memory]:
    installation = standing.with_settings(schema="personal", space="played", data_dir=str(standing.folder / "played"))
    async with open_memory(load_settings(installation.environment)) as opened:
        yield opened


@pytest.fixture(scope="module")
async def ward(standing: Installation) -> AsyncIterator[Memory]:
    installation = standing.with_settings(schema="clinical", space="ward", data_dir=str(standing.folder / "ward"))
    async with open_memory(load_settings(installation.environment)) as opened:
        yield opened


def read(relation: str, object_: str, evidence: str, status: str = "active") -> Claim:
    return Claim(relation=relation, object=object_, evidence=evidence, status=status)


async def told(memory: Memory, who: str, text: str, *claims: Claim, speaker: str = "") -> list[Fact]:
    """Everything recorded of somebody after these words."""
    await memory.remember(text, subject=who, subject_name=who, speaker=speaker, claims=claims)
    every = [status.value for status in Status]
    return list((await memory.list_facts(subject=who, statuses=every)).facts)


async def test_a_habit_that_its_teller_says_is_over_is_past_and_in_no_dispute(home: Memory) -> None:
    await told(home, "W1", "She takes folic acid.", read("TAKES", "folic acid", "She takes folic acid"))
    over = read("TAKES", "folic acid", "She finished the folic acid", "resolved")
    [fact] = await told(home, "W1", "She finished the folic acid.", over)
    assert (fact.status, fact.contradicted) == (Status.RESOLVED, False)


async def test_a_risk_that_words_call_over_stays_in_view_until_a_person_decides(home: Memory) -> None:
    await told(home, "W2", "I'm allergic to kiwi.", read("HAS_ALLERGY_TO", "kiwi", "I'm allergic to kiwi"))
    over = read("HAS_ALLERGY_TO", "kiwi", "The kiwi allergy is gone", "resolved")
    [fact] = await told(home, "W2", "The kiwi allergy is gone.", over)
    assert fact.status is Status.ACTIVE


async def test_what_somebody_else_told_is_not_ended_by_words(home: Memory) -> None:
    await told(home, "W3", "She takes folic acid.", read("TAKES", "folic acid", "She takes folic acid"), speaker="GP")
    over = read("TAKES", "folic acid", "She finished the folic acid", "resolved")
    [fact] = await told(home, "W3", "She finished the folic acid.", over, speaker="neighbour")
    assert (fact.status, fact.contradicted) == (Status.ACTIVE, True)


async def test_another_thing_of_nearly_that_name_goes_on(home: Memory) -> None:
    await told(home, "W4", "She takes iron tablets.", read("TAKES", "iron", "She takes iron tablets"))
    over = read("TAKES", "calcium tablets", "She finished the calcium tablets", "resolved")
    facts = await told(home, "W4", "She finished the calcium tablets.", over)
    assert next(fact for fact in facts if fact.object.id == "iron").status is Status.ACTIVE


async def test_a_label_of_the_callers_stands_under_the_words_that_say_it(home: Memory) -> None:
    words = "The spare key lies under the third flowerpot"
    [fact] = await told(home, "W5", f"{words}.", read("HAS_DETAIL", "hiding place of the key", words))
    shown = words.removeprefix("The ").capitalize()
    assert (fact.object.name, fact.attrs[MEANS]) == (shown, "hiding place of the key")


LIMITS = (
    ("KEEPS_DIET", "vegetarian", "I'm vegetarian, at least on weekdays", "vegetarian on weekdays only"),
    ("HAS_ALLERGY_TO", "latex", "I'm allergic to latex, the gloves that is", "latex of gloves"),
    ("TAKES", "aspirin", "I take aspirin when I fly", "aspirin only before a flight"),
    ("HAS_CONDITION", "asthma", "I have asthma, just from running", "asthma of exercise"),
)


@pytest.mark.parametrize(("relation", "thing", "words", "means"), LIMITS, ids=[row[1] for row in LIMITS])
async def test_what_limits_a_thing_that_the_lexicon_knows_is_kept_and_shown(
    home: Memory, relation: str, thing: str, words: str, means: str
) -> None:
    given = Claim(relation=relation, object=thing, evidence=words, means=means)
    facts = await told(home, f"L-{thing}", f"{words}.", given)

    [fact] = [each for each in facts if each.relation == relation]
    recall = await home.build_context("What do I eat, wear and take?", subject=f"L-{thing}")
    assert fact.attrs[MEANS] == means
    assert any(means in line.text for line in recall.lines if line.fact.fact_id == fact.fact_id)


@pytest.mark.parametrize("means", ["penicillin", "penicillin allergy", "a penicillin", "penicillins"])
async def test_a_meaning_that_only_names_the_thing_is_not_repeated(home: Memory, means: str) -> None:
    words = "I'm allergic to penicillin"
    given = Claim(relation="HAS_ALLERGY_TO", object="penicillin", evidence=words, means=means)

    [fact] = await told(home, f"N-{means}", f"{words}.", given)

    assert MEANS not in fact.attrs


ORDERS = (
    ("DNACPR", "DNACPR in place", "resuscitation"),
    ("do-not-resuscitate order", "He has a DNR form from 2024", "resuscitation"),
    ("not for resuscitation", "She is not for resuscitation, family agrees", "resuscitation"),
    ("DNAR form", "Her DNAR form was signed on the ward", "resuscitation"),
    ("DNACPR", "She refuses the DNACPR", "DNACPR"),
    ("DNR order", "He does not want a DNR order, do everything", "DNR order"),
    ("DNAR", "The DNAR was declined by her", "DNAR"),
    ("do not resuscitate", "I am against a do not resuscitate order", "do not resuscitate"),
)


@pytest.mark.parametrize(("thing", "words", "refused"), ORDERS, ids=[row[1] for row in ORDERS])
async def test_an_order_that_is_a_refusal_refuses_what_it_rules_out_unless_it_is_refused_itself(
    ward: Memory, thing: str, words: str, refused: str
) -> None:
    facts = await told(ward, words, f"{words}.", read("REFUSES", thing, words))

    [fact] = [each for each in facts if each.relation == "REFUSES"]
    assert fact.object.name.casefold() == refused.casefold()


async def test_a_substance_that_the_words_do_not_hold_is_nobodys_word_for_it(home: Memory) -> None:
    made_up = read("HAS_ALLERGY_TO", "penicillin", "I got a rash from the tablets")
    facts = await told(home, "W6", "I got a rash from the tablets.", made_up)
    assert not any("penicillin" in fact.object.name.casefold() for fact in facts)


async def test_what_a_statement_puts_right_in_itself_leaves_nothing_waiting(home: Memory) -> None:
    words = "She takes 5 mg of bisoprolol. No, 10."
    taken = Claim(relation="TAKES", object="bisoprolol", evidence=words, attrs={"dose": "10 mg"})
    made = await home.remember(words, subject="W7", subject_name="W7", claims=[taken])
    assert (made.pending, [fact.attrs["dose"] for fact in made.facts]) == (False, ["10 mg"])


BOTH = "Dad reacts badly to sulfa drugs and mum to iodine contrast."


async def test_what_was_filed_with_one_parent_stands_nowhere_on_the_others_record(home: Memory) -> None:
    await told(home, "P1", BOTH, read("HAS_ALLERGY_TO", "sulfa drugs", "Dad reacts badly to sulfa drugs"))
    facts = await told(home, "P2", BOTH, read("HAS_CONTRAST_ALLERGY", "iodine contrast", "mum to iodine contrast"))
    assert {fact.relation for fact in facts} <= {"HAS_CONTRAST_ALLERGY", "IS_CALLED"}
    assert not (await home.review(subject="P2")).items


async def test_the_same_risk_said_of_two_people_is_looked_for_in_both_records(home: Memory) -> None:
    words = "Allergic to latex."
    await told(home, "P3", words, read("HAS_ALLERGY_TO", "latex", "Allergic to latex"))
    made = await home.remember(words, subject="P4", subject_name="P4", claims=[])
    assert made.pending or made.facts


@pytest.mark.parametrize("words", ["Tramadol for my back?", "Still give the insulin?", "Aspirin then, all right?"])
async def test_a_question_about_a_medicine_asks_for_something(home: Memory, words: str) -> None:
    assert await home.asks(words)


@pytest.mark.parametrize("words", ["How are you?", "It rained all night.", "I took the tram."])
async def test_small_talk_asks_for_nothing(home: Memory, words: str) -> None:
    assert not await home.asks(words)
