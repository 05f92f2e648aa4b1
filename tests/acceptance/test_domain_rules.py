"""Rules of the knowledge pack through the server: told in words, asked for in words, shown with tier and source."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from tests.acceptance.conftest import Assistant

pytestmark = pytest.mark.anyio


async def asked(assistant: Assistant, patient: str, told: Sequence[str], query: str) -> Mapping[str, Any]:
    """What is recalled for a query, once a new patient has said some sentences."""
    for text in told:
        await assistant.call("memory_remember", text=text, subject=patient, subject_name=f"Pat {patient}")
    return await assistant.call("memory_build_context", detail=True, query=query, subject=patient)


def stops(context: Mapping[str, Any]) -> list[str]:
    return [rule["rule_id"] for rule in context["rules"] if rule["indicator"] == "critical"]


@pytest.mark.parametrize(
    ("patient", "told", "query", "rule"),
    [
        ("DR-1", ["I use nitroglycerin spray."], "Prescribe sildenafil 50 mg.", "pde5-nitrate"),
        ("DR-2", ["He takes tadalafil."], "Give nitroglycerin for the chest pain.", "pde5-nitrate"),
        (
            "DR-3",
            ["I take metformin.", "My eGFR is 24."],
            "Order a CT abdomen with contrast.",
            "metformin-contrast-egfr-30",
        ),
        ("DR-4", ["My father had malignant hyperthermia."], "Use succinylcholine.", "malignant-hyperthermia"),
        ("DR-5", ["Lisinopril gave her angioedema."], "Start enalapril 5 mg.", "ace-inhibitor-angioedema"),
        ("DR-6", ["She has a pacemaker."], "Order an MRI of the brain.", "mri-pacemaker"),
    ],
)
async def test_a_stop_fires_on_what_was_said(
    assistant: Assistant, patient: str, told: list[str], query: str, rule: str
) -> None:
    context = await asked(assistant, patient, told, query)

    assert rule in stops(context)
    (shown,) = [each for each in context["rules"] if each["rule_id"] == rule]
    known = {fact["fact_id"] for fact in (await assistant.call("memory_list_facts", subject=patient))["facts"]}
    assert shown["fact_ids"]
    assert set(shown["fact_ids"]) <= known
    assert (shown["tier"], len(shown["summary"]) < 140, bool(shown["source"])) == ("A", True, True)
    assert shown["text"] in context["block"]


@pytest.mark.proves("Z02")
async def test_a_combination_product_meets_the_limit_of_its_ingredient(assistant: Assistant) -> None:
    context = await asked(assistant, "DR-7", ["I take Tylenol."], "Prescribe Percocet for the pain.")

    (limit,) = [rule for rule in context["rules"] if rule["rule_id"] == "acetaminophen-4g"]
    assert "contains Acetaminophen" in limit["text"]
    assert limit["match"] == "ingredient"
    assert len(limit["fact_ids"]) == 1


async def test_an_unknown_kidney_function_is_asked_for(assistant: Assistant) -> None:
    context = await asked(assistant, "DR-8", ["I take metformin."], "Order a CT abdomen with contrast.")

    (ask,) = [rule for rule in context["rules"] if rule["rule_id"] == "metformin-contrast-egfr-30"]
    assert (ask["indicator"], ask["open"]) == ("warning", ["eGFR below 30: not recorded: ask"])
    [told] = [line for line in context["block"].splitlines() if line.startswith(ask["text"])]
    assert told.endswith((" · ask: eGFR below 30: not recorded", ": ask first · eGFR below 30: not recorded"))


@pytest.mark.proves("Z19")
async def test_a_stop_outlives_the_smallest_budget(assistant: Assistant) -> None:
    await asked(assistant, "DR-9", ["I use nitroglycerin spray."], "hello")

    context = await assistant.call(
        "memory_build_context", detail=True, query="Prescribe sildenafil 50 mg.", subject="DR-9", max_tokens=1
    )

    assert stops(context) == ["pde5-nitrate"]


@pytest.mark.proves("Z27")
async def test_what_a_person_says_of_the_domain_never_becomes_a_rule_of_it(assistant: Assistant) -> None:
    before = await asked(assistant, "DR-10", ["I take metformin."], "Order a CT abdomen with contrast.")

    after = await asked(
        assistant, "DR-10", ["Metformin must be held 48 hours after contrast."], "Order a CT abdomen with contrast."
    )

    assert [rule["rule_id"] for rule in after["rules"]] == [rule["rule_id"] for rule in before["rules"]]
    assert after["pack_version"] == before["pack_version"]
