"""What a draft is held against: what has ended and still counts, activities, bans in words, limits, deadlines.

Each line is told of a new person by a caller that read it; issue 28.
"""

from collections.abc import AsyncIterator, Sequence

import pytest

from r_memory import render
from r_memory.domain.facts import Attribute
from tests.acceptance.conftest import Installation
from tests.acceptance.drafts_desk import NO_ALLERGY, Desk, Told, ended, opened_desk

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
async def desk(standing: Installation) -> AsyncIterator[Desk]:
    async with opened_desk(standing) as opened:
        yield opened


@pytest.mark.parametrize(
    ("draft", "said", "verdict"),
    [
        (
            "Begin citalopram 20 mg in the morning",
            ended("The tranylcypromine I gave up six days ago.", "tranylcypromine", "six days ago"),
            "conflict",
        ),
        (
            "Begin citalopram 20 mg in the morning",
            ended("I came off Parnate, the tranylcypromine, yesterday.", "Parnate", "yesterday", "tranylcypromine"),
            "conflict",
        ),
        (
            "Begin citalopram 20 mg in the morning",
            ended("The tranylcypromine is stopped.", "tranylcypromine"),
            "warning",
        ),
        (
            "Start tranylcypromine 10 mg twice a day",
            ended("She took her last fluoxetine four weeks ago.", "fluoxetine", "four weeks ago"),
            "conflict",
        ),
        (
            "Start sacubitril-valsartan twice a day",
            ended("Ramipril was stopped yesterday.", "ramipril", "yesterday"),
            "conflict",
        ),
        (
            "From tonight vilazodone 10 mg with food",
            ended("Isocarboxazid was finished two days ago.", "isocarboxazid", "two days ago"),
            "conflict",
        ),
        (
            "Start isocarboxazid 10 mg twice a day",
            ended("Her last vortioxetine was eighteen days ago.", "vortioxetine", "eighteen days ago"),
            "conflict",
        ),
    ],
    ids=["counted", "brand", "day-unknown", "five-weeks", "hours", "no-group", "three-weeks"],
)
async def test_what_ended_meets_its_rule_within_the_wash_out(desk: Desk, draft: str, said: Told, verdict: str) -> None:
    who = await desk.told("clinical", [NO_ALLERGY, said])

    check = await desk.memories["clinical"].check_text(draft, subject=who)

    assert check.verdict == verdict
    block = render(await desk.memories["clinical"].build_context(draft, subject=who))
    assert "DOMAIN RULE" in block
    assert "ended" in block


@pytest.mark.parametrize(
    ("draft", "said"),
    [
        (
            "Begin citalopram 20 mg in the morning",
            ended("The tranylcypromine I gave up five weeks ago.", "tranylcypromine", "five weeks ago"),
        ),
        (
            "Start fluoxetine 20 mg in the morning",
            ended("The tranylcypromine I gave up three weeks ago.", "tranylcypromine", "three weeks ago"),
        ),
        ("Ibuprofen 400 mg three times a day", ended("She came off sertraline two days ago.", "sertraline")),
    ],
    ids=["over", "the-other-side", "no-wash-out"],
)
async def test_what_ended_before_the_wash_out_stands_against_nothing(desk: Desk, draft: str, said: Told) -> None:
    check = await desk.checked("clinical", draft, NO_ALLERGY, said)

    assert check.findings == ()


BUS = Told("I drive the number nine bus, early shifts.", "HAS_NOTE", "drive the number nine bus")


@pytest.mark.parametrize(
    ("draft", "said", "verdict"),
    [
        ("Lorazepam 1 mg twice a day and she can go on driving the bus", [NO_ALLERGY, BUS], "conflict"),
        ("Codeine 30 mg four times a day, carry on with the forklift", [NO_ALLERGY], "conflict"),
        ("Zopiclone 7.5 mg before his night dives, scuba diving as usual", [NO_ALLERGY], "conflict"),
        (
            "Certificate: fit to drive the van again",
            [NO_ALLERGY, Told("He had his first epilepsy attack in May.", "HAS_CONDITION", "epilepsy")],
            "conflict",
        ),
        ("Lorazepam 1 mg twice a day for a week", [NO_ALLERGY, BUS], "warning"),
        ("Lorazepam 1 mg twice a day for a week", [NO_ALLERGY], "nothing_found"),
        ("Lorazepam 1 mg twice a day, not to drive while on it", [NO_ALLERGY, BUS], "nothing_found"),
        ("Paracetamol 1 g four times a day, carry on driving the bus", [NO_ALLERGY, BUS], "nothing_found"),
        ("Lorazepam 1 mg twice a day; no need to stop driving", [NO_ALLERGY], "conflict"),
        ("Lorazepam 1 mg twice a day; do not stop driving", [NO_ALLERGY], "conflict"),
        ("Lorazepam 1 mg, which lowers the respiratory drive", [NO_ALLERGY], "nothing_found"),
    ],
)
async def test_what_a_draft_lets_somebody_do_is_held_against_its_own_medicine(
    desk: Desk, draft: str, said: Sequence[Told], verdict: str
) -> None:
    check = await desk.checked("clinical", draft, *said)

    assert check.verdict == verdict


def precaution(words: str, thing: str, **attrs: str) -> Told:
    return Told(words, "HAS_PRECAUTION", thing, attrs=attrs, speaker="doctor")


NO_CUFF = precaution(
    "Nobody is to measure the blood pressure on her right arm.",
    "Nobody is to measure the blood pressure",
    side="right",
    site="arm",
)
NO_NEEDLES = precaution(
    "Nobody is to put needles into that arm except the shunt team.",
    "needles into that arm",
    side="left",
    site="arm",
)


@pytest.mark.parametrize(
    ("draft", "said", "verdict"),
    [
        ("He may drive the van again from Tuesday", precaution("He is not to drive.", "Not to drive"), "conflict"),
        (
            "Cleared for rugby training on Tuesday",
            precaution("No contact sport until the check in May.", "No contact sport", until="the check in May"),
            "conflict",
        ),
        ("Measure the blood pressure on the right arm", NO_CUFF, "conflict"),
        ("Measure the blood pressure on the left arm", NO_CUFF, "calm"),
        ("No blood pressure on the right arm, please", NO_CUFF, "calm"),
        ("Put two needles into the left arm for the infusion", NO_NEEDLES, "conflict"),
        ("Put two needles into the right arm for the infusion", NO_NEEDLES, "calm"),
        ("Put two needles into the arm right away", NO_NEEDLES, "conflict"),
        ("The shunt team puts two needles into the left arm", NO_NEEDLES, "warning"),
    ],
)
async def test_a_ban_in_words_is_broken_by_what_does_it_and_not_on_the_other_side(
    desk: Desk, draft: str, said: Told, verdict: str
) -> None:
    check = await desk.checked("clinical", draft, NO_ALLERGY, said)

    assert (check.verdict if check.findings else "calm") == verdict


def of_client(words: str, relation: str, thing: str, **attrs: Attribute) -> Told:
    return Told(words, relation, thing, attrs=attrs, speaker="client")


NO_SECRET = Told("Nothing of this is secret.", "MUST_NOT_DISCLOSE", "any", "negated", speaker="client")
CEILING = of_client(
    "Offer whatever you like up to thirty thousand pounds, £30,000, and nothing above it.",
    "HAS_INSTRUCTION",
    "Offer whatever you like up to thirty thousand pounds",
    limit="£30,000",
)
FLOOR = of_client(
    "Not less than 12,000 to settle, that is my last word.",
    "HAS_INSTRUCTION",
    "Not less than 12,000 to settle",
    limit="not less than 12,000",
)
DENIED = of_client(
    "Please never sell for anything below 260,000 euros.",
    "HAS_INSTRUCTION",
    "never sell for anything below 260,000 euros",
)


@pytest.mark.parametrize(
    ("draft", "said", "verdict"),
    [
        ("Offer them £45,000 in full and final settlement", CEILING, "conflict"),
        ("Offer them £25,000 in full and final settlement", CEILING, "calm"),
        ("Settle at 10,000 if they ask", FLOOR, "conflict"),
        ("Settle at 15,000 if they ask", FLOOR, "calm"),
        ("Accept 240,000 euros for the sale", DENIED, "conflict"),
        ("Offer them a fair sum in settlement", CEILING, "warning"),
        ("Offer them £25,000 and another £20,000 for costs in settlement", CEILING, "warning"),
    ],
)
async def test_a_sum_is_held_against_the_bound_of_an_instruction(
    desk: Desk, draft: str, said: Told, verdict: str
) -> None:
    check = await desk.checked("law", draft, said)

    assert (check.verdict if check.findings else "calm") == verdict


SHARES = of_client(
    "At most 25 percent of the portfolio in shares.", "RISK_LIMIT", "shares", max=25, unit="%", of="portfolio"
)
CASH = of_client(
    "The 45,000 is for the loft, we pay the builder in ten weeks.",
    "NEEDS_CASH",
    "loft",
    amount="45,000",
    due="in ten weeks",
)
STAYS = of_client("At least £30,000 must stay in the account.", "MINIMUM_HOLDING", "account", min=30000, unit="£")


@pytest.mark.parametrize(
    ("draft", "said", "verdict"),
    [
        ("Move 60% of the portfolio into a smaller companies share fund", SHARES, "conflict"),
        ("Set the portfolio to 20% in shares and 80% in gilts", SHARES, "calm"),
        ("Set the portfolio to 20% in gilts and 80% in shares", SHARES, "conflict"),
        ("Invest the full 45,000 in a global equity fund", CASH, "conflict"),
        ("Put the loft money into a three-year fixed bond with no early access", CASH, "conflict"),
        ("Leave £31,500 in the account", STAYS, "calm"),
        ("Withdraw £31,500 from the account", STAYS, "warning"),
        ("Invest another 20,000 in a global equity fund", CASH, "warning"),
    ],
)
async def test_a_share_and_a_need_of_cash_are_held_against_what_a_draft_does(
    desk: Desk, draft: str, said: Told, verdict: str
) -> None:
    holds = of_client("My portfolio is with you.", "HOLDS", "portfolio")

    check = await desk.checked("finance", draft, holds, said)

    assert (check.verdict if check.findings else "calm") == verdict


@pytest.mark.parametrize(
    ("schema", "draft", "said"),
    [
        (
            "clinical",
            "Tetanus vaccine 0.5 ml IM today",
            [NO_ALLERGY, precaution("He is not to drive.", "Not to drive")],
        ),
        (
            "law",
            "Letter to the client confirming the appointment on Friday at nine",
            [Told("Never let my brother hear of the loan.", "MUST_NOT_DISCLOSE", "the loan", speaker="client")],
        ),
        (
            "finance",
            "Sell 40 of the gilts",
            [of_client("Large print letters for me, please.", "HAS_STANDING_ORDER", "Large print letters")],
        ),
    ],
)
async def test_what_is_in_force_and_of_another_kind_is_a_note(
    desk: Desk, schema: str, draft: str, said: Sequence[Told]
) -> None:
    check = await desk.checked(schema, draft, *said)

    assert check.findings == ()
    assert "Also in force" in " ".join(check.notes)


@pytest.mark.parametrize(
    ("schema", "draft", "said"),
    [
        (
            "clinical",
            "Metronidazole 400 mg by mouth three times a day",
            [
                NO_ALLERGY,
                precaution("Nothing is to pass his lips until the swallow test.", "Nothing is to pass his lips"),
            ],
        ),
        (
            "finance",
            "Sell 40 of the gilts",
            [of_client("Ring me before you do anything.", "HAS_STANDING_ORDER", "Ring me before you do anything")],
        ),
        (
            "law",
            "Email the client the draft lease",
            [of_client("Letters to the flat only.", "HAS_INSTRUCTION", "Letters to the flat only")],
        ),
    ],
)
async def test_what_may_belong_to_a_draft_in_other_words_stays_a_warning(
    desk: Desk, schema: str, draft: str, said: Sequence[Told]
) -> None:
    check = await desk.checked(schema, draft, *said)

    assert check.verdict in {"warning", "conflict"}


HYPERTHERMIA = Told("My own test showed malignant hyperthermia.", "HAS_CONDITION", "malignant hyperthermia")


@pytest.mark.parametrize(
    ("draft", "is_met"),
    [
        ("Ketamine infusion to keep up the anaesthesia", False),
        ("Etomidate, then vecuronium 8 mg for the intubation", False),
        ("Isoflurane to keep up the anaesthesia", True),
        ("Etomidate, then succinylcholine 100 mg for the intubation", True),
        ("General anaesthetic on Friday", True),
    ],
)
async def test_a_group_word_beside_a_named_member_stands_for_no_other_member(
    desk: Desk, draft: str, *, is_met: bool
) -> None:
    check = await desk.checked("clinical", draft, NO_ALLERGY, HYPERTHERMIA)

    assert any(finding.rule_id == "malignant-hyperthermia" for finding in check.findings) == is_met


@pytest.mark.parametrize(
    ("draft", "verdict"),
    [
        ("Plan: lodge the counterclaim on 9 October 2027", "conflict"),
        ("Plan: lodge the counterclaim on 20 September 2027", "calm"),
    ],
)
async def test_a_corrected_deadline_is_held_against_the_day_of_a_draft(desk: Desk, draft: str, verdict: str) -> None:
    said = [
        of_client("The limitation runs out on 14 October 2027.", "HAS_DEADLINE", "limitation", due="2027-10-14"),
        of_client(
            "No, last day to lodge the counterclaim is 2 October 2027.",
            "HAS_DEADLINE",
            "lodge the counterclaim",
            due="2027-10-02",
        ),
    ]

    check = await desk.checked("law", draft, *said)

    own = [finding.verdict for finding in check.findings if "ounterclaim" in finding.message]
    assert ("conflict" if "conflict" in own else "calm") == verdict


@pytest.mark.parametrize(
    ("draft", "said"),
    [
        ("Give hepatitis B vaccine today", Told("I take etanercept each week.", "TAKES", "etanercept")),
        ("Give tetanus booster today", Told("I am on tacrolimus.", "TAKES", "tacrolimus")),
        ("Normal saline 500 ml over four hours", Told("She takes warfarin.", "TAKES", "warfarin")),
        ("Hypromellose eye drops four times a day", Told("She is on lithium.", "TAKES", "lithium")),
        ("Allopurinol 100 mg a day", Told("He has G6PD deficiency.", "HAS_CONDITION", "G6PD deficiency")),
    ],
)
async def test_plain_products_and_usual_choices_are_compared(desk: Desk, draft: str, said: Told) -> None:
    check = await desk.checked("clinical", draft, NO_ALLERGY, said)

    assert (check.verdict, check.gaps) == ("nothing_found", ())


@pytest.mark.parametrize(
    ("draft", "said"),
    [
        ("Give yellow fever vaccine today", Told("I take etanercept each week.", "TAKES", "etanercept")),
        ("Rasburicase 10 mg", Told("He has G6PD deficiency.", "HAS_CONDITION", "G6PD deficiency")),
        (
            "Give hepatitis B vaccine today",
            Told("Polysorbate 80 gave me anaphylaxis.", "HAS_ALLERGY_TO", "polysorbate 80"),
        ),
    ],
)
async def test_what_is_no_usual_choice_stays_in_view(desk: Desk, draft: str, said: Told) -> None:
    check = await desk.checked("clinical", draft, said)

    assert check.verdict != "nothing_found"


@pytest.mark.parametrize(
    ("draft", "verdict"),
    [("Onboard her as a new customer", "nothing_found"), ("Wire 4,000 euros to the notary", "not_checkable")],
)
async def test_a_list_that_nobody_screened_is_a_note_of_an_account_and_a_gap_of_a_payment(
    desk: Desk, draft: str, verdict: str
) -> None:
    life = Told("She lives in Lisbon and reads the Sunday papers.", "HAS_NOTE", "reads the Sunday papers")
    check = await desk.checked("finance", draft, life)

    told = check.notes if verdict == "nothing_found" else check.gaps
    assert check.verdict == verdict
    assert any("FLAGGED_AS" in line for line in told)
