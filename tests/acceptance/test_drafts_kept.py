"""Drafts that keep to what is recorded: they do without a thing, stay within a limit, or do something else.

Each line is told of a new person by a caller that read it; issue 28.
"""

from collections.abc import AsyncIterator, Sequence

import pytest

from r_memory.domain.facts import Attribute
from r_memory.facts.remember.results import Claim
from tests.acceptance.conftest import Installation
from tests.acceptance.drafts_desk import NO_ALLERGY, Desk, Told, opened_desk

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
async def desk(standing: Installation) -> AsyncIterator[Desk]:
    async with opened_desk(standing) as opened:
        yield opened


HIVES = Told(
    "I came out in hives from penicillin as a boy.", "HAS_ALLERGY_TO", "penicillin", attrs={"reaction": "hives"}
)
GLOVES = Told("Latex makes my lips swell up.", "HAS_ALLERGY_TO", "latex", attrs={"reaction": "lips swell up"})
DYE = Told("The iodinated contrast made him go blue.", "HAS_CONTRAST_ALLERGY", "iodinated contrast")
METAL = Told("No implants and no metal in her.", "HAS_IMPLANTS", "any", "negated")
CLIP = Told("A steel clip on a brain aneurysm since 1985.", "HAS_IMPLANTS", "aneurysm clip")
COVER = Told("Prednisolone 50 mg before any contrast.", "GIVE_BEFORE", "prednisolone", attrs={"before": "contrast"})


@pytest.mark.parametrize(
    ("draft", "said"),
    [
        ("CT head without contrast tonight", [NO_ALLERGY]),
        ("CT head without contrast", [NO_ALLERGY, DYE]),
        ("Non-contrast CT of the chest", [NO_ALLERGY, DYE]),
        ("MRI of the knee, no contrast", [NO_ALLERGY, DYE, METAL]),
        ("CT head without contrast", [NO_ALLERGY, CLIP]),
        ("Insert a latex-free urinary catheter", [GLOVES]),
        ("Start a penicillin-free regimen: azithromycin 500 mg once daily", [HIVES]),
    ],
)
async def test_what_a_draft_does_without_is_not_ordered(desk: Desk, draft: str, said: Sequence[Told]) -> None:
    check = await desk.checked("clinical", draft, *said)

    assert check.verdict == "nothing_found", (check.findings, check.gaps)


@pytest.mark.parametrize(
    ("draft", "said"),
    [
        ("Give without delay penicillin V 500 mg", HIVES),
        ("Treat the throat, but not without penicillin", HIVES),
        ("He cannot go without penicillin V", HIVES),
        ("Without penicillin he will get worse, so start it now", HIVES),
        ("Penicillin V 500 mg, free of charge", HIVES),
        ("Penicillin free at the point of care, start today", HIVES),
        ("No latex-free gloves in the drawer, use the others", GLOVES),
        ("Latex gloves, powder-free", GLOVES),
        ("CT head with and without contrast", DYE),
        ("CT head without contrast, then with", DYE),
        ("CT without contrast allergy questions, iodinated contrast 80 ml", DYE),
        ("CT abdomen with iodinated contrast without prednisolone", COVER),
    ],
)
async def test_what_a_draft_does_not_do_without_stays_in_view(desk: Desk, draft: str, said: Told) -> None:
    check = await desk.checked("clinical", draft, said)

    assert check.findings != ()


AGE = Told("Ilona is four years old.", "HAS_AGE", "age", attrs={"value": 4, "unit": "year"}, speaker="mother")
WEIGHT = Told(
    "She weighs 16 kg on our scales today.",
    "HAS_MEASUREMENT",
    "weight",
    attrs={"value": 16, "unit": "kg"},
    speaker="nurse",
)
SYRUP = Told("She takes co-codamol syrup from her aunt.", "TAKES", "co-codamol", speaker="mother")


@pytest.mark.parametrize(
    ("draft", "said", "verdict"),
    [
        ("Paracetamol 200 mg every 6 hours as needed", [AGE, WEIGHT], "nothing_found"),
        ("Paracetamol 500 mg every 6 hours", [AGE, WEIGHT], "conflict"),
        ("Paracetamol 200 mg every 6 hours", [AGE], "warning"),
        ("Paracetamol 200 mg as needed", [AGE, WEIGHT], "warning"),
        ("Paracetamol 200 mg every 6 hours and 100 mg as needed", [AGE, WEIGHT], "warning"),
        ("Paracetamol 200 mg every 6 hours", [AGE, WEIGHT, SYRUP], "conflict"),
    ],
    ids=["kept", "broken", "no-weight", "how-often", "more", "in-use"],
)
async def test_a_dose_within_the_rule_by_weight_is_no_finding(
    desk: Desk, draft: str, said: Sequence[Told], verdict: str
) -> None:
    check = await desk.checked("clinical", draft, NO_ALLERGY, *said)

    assert check.verdict == verdict, (check.findings, check.gaps)


CLEAR = Told("Conflict search run, clear.", "HAS_CONFLICT_WITH", "any", "negated", speaker="clerk")
HOLD = Told(
    "A litigation hold covers the Brackley mill contracts and all mails about the mill until judgment.",
    "BOUND_BY",
    "litigation hold",
    attrs={"covers": "the Brackley mill contracts, all mails about the mill", "until": "judgment"},
    speaker="partner",
)
LEDGERS = Told(
    "Do not throw away any of the Osborne ledgers.",
    "HAS_INSTRUCTION",
    "Do not throw away any of the Osborne ledgers",
    speaker="client",
)
NO_COPIES = Told(
    "Do not throw away the Osborne ledgers and never copy them.",
    "HAS_INSTRUCTION",
    "Do not throw away the Osborne ledgers and never copy them",
    speaker="client",
)
STATEMENTS = Told(
    "The Lisbon account statements are not to be destroyed before the audit.",
    "HAS_STANDING_ORDER",
    "the Lisbon account statements are not to be destroyed before the audit",
    speaker="client",
)


@pytest.mark.parametrize(
    ("schema", "draft", "order", "verdict"),
    [
        ("law", "Shred the Brackley contracts, the cellar is full", HOLD, "conflict"),
        ("law", "Wipe the old phone with the mails about the mill", HOLD, "conflict"),
        ("law", "Scan the mill contracts and burn the originals", HOLD, "conflict"),
        ("law", "Delete the draft menu for the summer party", HOLD, "warning"),
        ("law", "Copy the Brackley contracts for the expert", HOLD, "nothing_found"),
        ("law", "Review the mails about the mill on Thursday", HOLD, "nothing_found"),
        ("law", "File the Brackley contracts in cabinet four", HOLD, "nothing_found"),
        ("law", "Clear the shelf and bin the Osborne ledgers", LEDGERS, "conflict"),
        ("law", "Bin the coffee cups", LEDGERS, "warning"),
        ("law", "Copy the Osborne ledgers", LEDGERS, "nothing_found"),
        ("law", "Copy the Osborne ledgers", NO_COPIES, "warning"),
        ("finance", "Shred the Lisbon account statements from 2015", STATEMENTS, "conflict"),
        ("finance", "Scan the Lisbon account statements for the auditor", STATEMENTS, "nothing_found"),
    ],
)
async def test_an_order_to_keep_stands_against_what_destroys_and_nothing_else(
    desk: Desk, schema: str, draft: str, order: Told, verdict: str
) -> None:
    check = await desk.checked(schema, draft, *([CLEAR] if schema == "law" else []), order)

    assert check.verdict == verdict, (check.findings, check.gaps)


def limited(words: str, thing: str, most: float) -> Told:
    attrs: dict[str, Attribute] = {"max": most, "unit": "%", "of": "portfolio"}
    return Told(words, "RISK_LIMIT", thing, attrs=attrs, speaker="document")


SHARE = limited("No single share may be more than 8% of the portfolio.", "single share", 8)
ISSUER = limited("No one issuer above 5 % of the portfolio.", "one issuer", 5)
FUND = limited("Each fund is at most a quarter of the portfolio.", "each fund", 25)


@pytest.mark.parametrize(
    ("draft", "limit", "about", "verdict"),
    [
        ("Increase Varga Shipping to 15% of the portfolio", SHARE, [], "conflict"),
        ("Increase Varga Shipping to 15% of the portfolio", SHARE, ["single share"], "conflict"),
        ("Increase Varga Shipping to 6% of the portfolio", SHARE, ["single share"], "calm"),
        ("Put 12% of the portfolio into Varga Shipping", SHARE, [], "conflict"),
        ("Buy another 6% of the portfolio in Varga Shipping", SHARE, [], "warning"),
        ("Buy 500 Varga Shipping at market", SHARE, [], "warning"),
        ("Set equities to 40% of the portfolio", SHARE, [], "warning"),
        ("Send the valuation to Robin by post", SHARE, ["single share"], "calm"),
        ("Bring Varga bonds up to 9% of the portfolio", ISSUER, [], "conflict"),
        ("Take the Alder Income Fund to 30% of the portfolio", FUND, [], "conflict"),
        ("Take the Alder Income Fund to 20% of the portfolio", FUND, [], "calm"),
    ],
)
async def test_a_limit_on_any_single_thing_is_held_against_the_share_of_one(
    desk: Desk, draft: str, limit: Told, about: Sequence[str], verdict: str
) -> None:
    check = await desk.checked("finance", draft, limit, about=about)

    assert (check.verdict if check.findings else "calm") == verdict, check.findings


def of_client(words: str, relation: str, thing: str = "", **attrs: str) -> Told:
    return Told(words, relation, thing or words.rstrip("."), attrs=attrs, speaker="client")


FREE = [
    Told("No restrictions on her account.", "RESTRICTED_FROM", "any_restriction", "negated", speaker="compliance"),
    Told("No flags on file.", "FLAGGED_AS", "any", "negated", speaker="compliance"),
]
NEEDED = of_client(
    "The 25,000 is for the operation. It must stay within reach, the surgeon may call any day.",
    "NEEDS_CASH",
    "operation",
    amount="25,000",
    due="any day",
)
REACH = of_client("The 25,000 has to be within reach at all times.", "HAS_STANDING_ORDER")
REACH_AND_SAY = of_client("The 25,000 has to be within reach, and nothing moves without my say.", "HAS_STANDING_ORDER")


@pytest.mark.parametrize(
    ("draft", "said", "verdict"),
    [
        ("Put the 25,000 into an easy access account", NEEDED, "nothing_found"),
        ("Hold the 25,000 in an instant-access savings account", REACH, "nothing_found"),
        ("Hold the 25,000 in an instant-access savings account", REACH_AND_SAY, "warning"),
        ("Put the 25,000 into a two-year fixed bond", NEEDED, "conflict"),
        ("Put the 25,000 into a global equity fund", NEEDED, "conflict"),
        ("Put half of the 25,000 into an easy access account and half into a share fund", NEEDED, "conflict"),
        ("Move the 25,000 from the instant-access account into gilts", NEEDED, "warning"),
        ("Place the 25,000 in an easy access account with 90 days' notice", NEEDED, "warning"),
    ],
)
async def test_money_that_stays_within_reach_is_kept(desk: Desk, draft: str, said: Told, verdict: str) -> None:
    check = await desk.checked("finance", draft, *FREE, said)

    assert check.verdict == verdict, (check.findings, check.gaps)


PAYING = of_client("Before you pay anybody you have no record of, phone me at home.", "HAS_STANDING_ORDER")
DAUGHTER = of_client("Telephone my daughter before you pay out anywhere new.", "HAS_STANDING_ORDER")
ANYTHING = of_client("Before you sell anything, ring me.", "HAS_STANDING_ORDER")
NOT_BEFORE = of_client("Do not sell before you have rung me.", "HAS_STANDING_ORDER")


@pytest.mark.parametrize(
    ("draft", "order", "verdict"),
    [
        ("Post the half-year statement to her", PAYING, "nothing_found"),
        ("Send her the newsletter", DAUGHTER, "nothing_found"),
        ("Pay the new gardener", PAYING, "warning"),
        ("Send 3,000 to the new gardener", PAYING, "warning"),
        ("Settle the gardener's invoice", PAYING, "warning"),
        ("Post the half-year statement to her", ANYTHING, "warning"),
        ("Sell the gilts", NOT_BEFORE, "warning"),
    ],
)
async def test_what_comes_before_one_deed_says_nothing_of_another(
    desk: Desk, draft: str, order: Told, verdict: str
) -> None:
    check = await desk.checked("finance", draft, *FREE, order)

    assert check.verdict == verdict, (check.findings, check.gaps)


LAST = "She had been on tranylcypromine for a year, I ended it and she took the last one"


@pytest.mark.parametrize(
    ("when", "rest", "verdict"),
    [
        ("yesterday evening", "She takes nothing else.", "conflict"),
        ("six weeks ago", "She takes nothing else.", "not_checkable"),
        ("six weeks ago", "Some days she still takes it, nothing else.", "warning"),
        ("six weeks ago", "Now and then two at night, nothing else.", "warning"),
    ],
    ids=["wash-out", "names-nothing", "points-back", "so-many"],
)
async def test_waiting_words_that_name_nothing_meet_no_rule(desk: Desk, when: str, rest: str, verdict: str) -> None:
    who = await desk.told("clinical", [NO_ALLERGY])
    ended = Claim(
        relation="TAKES",
        object="tranylcypromine",
        evidence=f"{LAST} {when}",
        status="resolved",
        attrs={"until": when, "since": "a year"},
    )
    # Words that say no whole kind plainly wait for a person.
    nothing = Claim(relation="TAKES", object="any", evidence=rest.rstrip("."), status="negated")
    words = f"{LAST} {when}. {rest}"
    await desk.memories["clinical"].remember(words, subject=who, speaker="doctor", claims=[ended, nothing])

    check = await desk.memories["clinical"].check_text("Start citalopram 20 mg from today", subject=who)

    assert check.verdict == verdict, (check.findings, check.gaps)
