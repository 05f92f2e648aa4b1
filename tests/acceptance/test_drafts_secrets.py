"""A draft that gives a secret away is in conflict with it, and is quoted there; orders it does not meet are one list.

Over MCP, in the domains of ordinary users.
"""

from collections.abc import AsyncIterator, Mapping
from typing import Any

import pytest

from tests.acceptance.conftest import Installation
from tests.acceptance.test_corrections import Given, fact
from tests.acceptance.test_corrections_by_kind import Domains, domains_of

pytestmark = pytest.mark.anyio
LISTED = "Also in force: "


@pytest.fixture(scope="module")
async def domains(standing: Installation) -> AsyncIterator[Domains]:
    async with domains_of(standing, "secrets", ("law", "finance", "personal")) as opened:
        yield opened


def kept(relation: str, words: str, object_: str = "") -> Given:
    return fact(relation, object_ or words, words)


RECORDED: dict[str, tuple[str, Given]] = {
    "ceiling": ("law", kept("MUST_NOT_DISCLOSE", "She would go up to £85,000")),
    "short-sum": ("law", kept("MUST_NOT_DISCLOSE", "He might take 38")),
    "caravan": ("law", kept("MUST_NOT_DISCLOSE", "the sale of the caravan", "sale of the caravan")),
    "sister": ("law", kept("HAS_INSTRUCTION", "Not a word to Petronella")),
    "bonds": ("finance", kept("HAS_STANDING_ORDER", "Never mention the savings certificates to Anselm")),
    "redundancy": ("finance", kept("HAS_STANDING_ORDER", "Nobody is to know about the redundancy payout")),
    "party": ("personal", kept("INSTRUCTS", "Don't say anything to Odile about the surprise party")),
    "pregnant": ("personal", kept("INSTRUCTS", "Keep it between us that Ottoline is pregnant")),
}
LEAKS = (
    ("ceiling", "Thank you for your letter. Our client could stretch to £85k. We look forward to hearing."),
    ("ceiling", "The claim is denied. She would go up to 85,000 without admission."),
    ("short-sum", "We write without prejudice. Our client will accept 38,000 in settlement."),
    ("caravan", "The estate is small. There was the sale of a caravan last June. Please confirm."),
    ("sister", "Dear Petronella, the mediation is next Tuesday. Bring nothing."),
    ("bonds", "Dear Anselm, all is well. The savings certificates mature in May. Kind regards."),
    ("redundancy", "The review is due. With the redundancy payout you could clear the loan."),
    ("party", "Hi Odile, how are you? The surprise party starts at eight. See you."),
    ("pregnant", "Lovely weekend. Ottoline is pregnant, so no climbing. Bring boots."),
)
CLEAN = (
    ("ceiling", "The hearing is listed for Tuesday. There are 85 pages in the bundle."),
    ("short-sum", "We met on 38 occasions. Call us on Friday."),
    ("sister", "The mediation is next Tuesday. Bring nothing."),
    ("bonds", "Dear Anselm, the meeting is on Tuesday at ten."),
    ("party", "Hi Odile, the train leaves at nine."),
)


async def checked(domains: Domains, thing: str, draft: str) -> Mapping[str, Any]:
    domain, given = RECORDED[thing]
    person = domains.somebody(domain)
    await person.tells(f"{given['evidence']}.", [given])
    return await person.assistant.call("memory_check_text", text=draft, subject=person.id)


@pytest.mark.parametrize(("thing", "draft"), LEAKS, ids=[row[1] for row in LEAKS])
async def test_a_draft_that_gives_a_secret_away_conflicts_and_the_sentence_that_does_is_quoted(
    domains: Domains, thing: str, draft: str
) -> None:
    answer = await checked(domains, thing, draft)
    conflicts = [finding for finding in answer["findings"] if finding["verdict"] == "conflict"]
    at = 0 if thing == "sister" else 1
    assert (answer["verdict"], len(conflicts)) == ("conflict", 1)
    assert conflicts[0]["quote"].startswith(draft.replace("?", ".").split(". ")[at])


@pytest.mark.parametrize(("thing", "draft"), CLEAN, ids=[row[1] for row in CLEAN])
async def test_a_draft_that_gives_nothing_away_is_no_conflict(domains: Domains, thing: str, draft: str) -> None:
    assert (await checked(domains, thing, draft))["verdict"] != "conflict"


async def test_a_draft_that_says_not_to_tell_the_secret_is_no_conflict(domains: Domains) -> None:
    assert (await checked(domains, "caravan", "We must not mention the sale of the caravan."))["verdict"] == "warning"


async def test_orders_that_a_draft_does_not_meet_are_one_list_that_leaves_none_out(domains: Domains) -> None:
    orders = ["No letters to the house", "Hates email", "Ring after six", "Never on a Sunday", "Ask for Hugo"]
    secrets = ["the caravan", "the flat in Hove", "the second will"]
    given = [kept("HAS_INSTRUCTION", words) for words in orders]
    given += [kept("MUST_NOT_DISCLOSE", words, words.removeprefix("the ")) for words in secrets]
    person = domains.somebody("law")
    await person.tells(". ".join([*orders, *secrets]) + ".", given)

    answer = await person.assistant.call(
        "memory_check_text", text="The hearing is listed for Tuesday. We look forward to your reply.", subject=person.id
    )

    assert answer["verdict"] == "warning"
    (listed,) = answer["findings"]
    assert listed["message"].startswith(LISTED)
    assert not listed["quote"]
    assert [
        words for words in (*orders, *secrets) if words.removeprefix("the ").lower() not in listed["message"].lower()
    ] == []
