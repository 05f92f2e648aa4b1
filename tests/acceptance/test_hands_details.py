"""A draft that differs from the record in a plain detail, over MCP: side, volume, dose of a weekday, the only way.

Issue "In a model's hands": what players saw a check pass. Twins that keep the detail stay calm.
"""

from collections.abc import AsyncIterator

import pytest

from tests.acceptance.conftest import Installation
from tests.acceptance.test_corrections import Given, fact
from tests.acceptance.test_corrections_by_kind import Domains, domains_of

pytestmark = pytest.mark.anyio
SIDE = fact("HAS_CONDITION", "left ankle sprain", "Left ankle sprain, strapped")
FLUID = fact("DOSE_LIMIT", "fluid", "at most 900 ml of fluid a day", attrs={"max": "900 mL", "period": "day"})
BY_DAY = fact("TAKES", "prednisolone", "prednisolone", attrs={"dose": "5 mg Tuesday and Friday, 10 mg the other days"})
DOSE = fact("TAKES", "bisoprolol", "bisoprolol 1.25 mg", attrs={"dose": "1.25 mg"})
POST = fact("HAS_INSTRUCTION", "letters only", "he hears badly, so letters only")
WAY = fact("HAS_INSTRUCTION", "only by e-mail", "reach her only by e-mail")
ROWS = (
    ("clinical", "Left ankle sprain, strapped.", SIDE, "Right ankle sprain, strapped; walks.", True),
    ("clinical", "Left ankle sprain, strapped.", SIDE, "L ankle sprain, strapped; walks.", False),
    ("clinical", "Left ankle sprain, strapped.", SIDE, "R knee is fine.", False),
    ("personal", "He may have at most 900 ml of fluid a day.", FLUID, "Give him a litre of tea over the day.", True),
    ("personal", "He may have at most 900 ml of fluid a day.", FLUID, "He can drink 1.5 litres a day.", True),
    ("personal", "He may have at most 900 ml of fluid a day.", FLUID, "He can have up to a litre and a half.", True),
    ("personal", "He may have at most 900 ml of fluid a day.", FLUID, "He can drink 0.8 litres a day.", False),
    ("personal", "He may have at most 900 ml of fluid a day.", FLUID, "Buy 2 litres of paint.", False),
    ("clinical", "She is on prednisolone.", BY_DAY, "Prednisolone 10 mg today, it is Friday.", True),
    ("clinical", "She is on prednisolone.", BY_DAY, "Prednisolone 5 mg today, it is Sunday.", True),
    ("clinical", "She is on prednisolone.", BY_DAY, "Prednisolone 5 mg today, it is Friday.", False),
    ("clinical", "She is on prednisolone.", BY_DAY, "Prednisolone 10 mg today, it is Sunday.", False),
    ("clinical", "She takes bisoprolol 1.25 mg.", DOSE, "Bisoprolol 2.5 mg in the morning.", True),
    ("clinical", "She takes bisoprolol 1.25 mg.", DOSE, "Bisoprolol 1.25 mg in the morning.", False),
    ("law", "Please note he hears badly, so letters only.", POST, "I will ring him on Monday.", True),
    ("law", "Please note he hears badly, so letters only.", POST, "I will send him this by post on Monday.", False),
    ("law", "Please reach her only by e-mail.", WAY, "I will telephone her at noon.", True),
    ("law", "Please reach her only by e-mail.", WAY, "This goes to her in the post.", True),
    ("law", "Please reach her only by e-mail.", WAY, "I will e-mail her the letter of claim.", False),
    ("law", "Please reach her only by e-mail.", WAY, "We do not telephone her.", False),
)


@pytest.fixture(scope="module")
async def domains(standing: Installation) -> AsyncIterator[Domains]:
    async with domains_of(standing, "details", ("clinical", "personal", "law")) as opened:
        yield opened


@pytest.mark.parametrize(("domain", "said", "given", "draft", "differs"), ROWS, ids=[row[3] for row in ROWS])
async def test_a_detail_that_the_record_has_otherwise_is_found_and_a_kept_one_is_not(
    domains: Domains, domain: str, said: str, given: Given, draft: str, differs: bool
) -> None:
    person = domains.somebody(domain)
    await person.tells(said, [given])

    answer = await person.assistant.call("memory_check_text", text=draft, subject=person.id)

    messages = [found["message"] for found in answer["findings"] if found["quote"]]
    assert any("Its words forbid this" in each or "The record says otherwise" in each for each in messages) == differs
