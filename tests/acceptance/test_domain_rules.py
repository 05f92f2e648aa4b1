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
    return [rule["rule_id"] for rule in context.get("rules", ()) if rule["indicator"] == "critical"]


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


def read(relation: str, thing: str, evidence: str, **attrs: str | int) -> list[dict[str, object]]:
    """One fact, as a calling model gives it."""
    return [{"relation": relation, "object": thing, "evidence": evidence, "attrs": attrs}]


async def given(
    assistant: Assistant, patient: str, text: str, facts: list[dict[str, object]], query: str
) -> Mapping[str, Any]:
    """What is recalled for a query, once a model has read a sentence about a new patient."""
    names = {"subject": patient, "subject_name": f"Pat {patient}"}
    told = await assistant.call("memory_remember", text=text, facts=facts, **names)
    assert [result["verdict"] for result in told["results"] if result.get("given")] == ["stored"], told["results"]
    return await assistant.call("memory_build_context", detail=True, query=query, subject=patient)


CARRYING = [
    ("36 weeks gone", {"weeks": 36}, "Start her on diclofenac.", ("nsaid-pregnancy-30",)),
    ("22nd week of pregnancy", {"weeks": "22"}, "Something like ketorolac?", ("nsaid-pregnancy-20",)),
    ("39 weeks", {}, "Prescribe nitrofurantoin.", ("nitrofurantoin-term",)),
    ("a fortnight past 12 weeks", {"weeks": 14}, "Prescribe methotrexate.", ("methotrexate",)),
]


@pytest.mark.parametrize(("said", "attrs", "query", "rules"), CARRYING, ids=[row[0] for row in CARRYING])
async def test_weeks_of_pregnancy_meet_every_rule_of_pregnancy_whichever_relation_holds_them(
    assistant: Assistant, said: str, attrs: dict[str, str | int], query: str, rules: tuple[str, ...]
) -> None:
    text = f"Bay 4 is pregnant, {said}, and very tired."
    patient = f"GW-{said[:2]}-{len(said)}"
    weeks = read("HAS_GESTATION", said, f"pregnant, {said}", **attrs)
    shown = await given(assistant, patient, text, weeks, query)
    pregnancy = read("HAS_CONDITION", "pregnant", f"pregnant, {said}", **{"weeks": 39, **attrs})
    other = await given(assistant, f"{patient}-C", text, pregnancy, query)

    assert all(any(rule in stop for stop in stops(shown)) for rule in rules), shown["block"]
    assert stops(shown) == stops(other)


@pytest.mark.parametrize("status", ["resolved", "negated"])
async def test_who_is_delivered_meets_no_rule_of_pregnancy(assistant: Assistant, status: str) -> None:
    patient = f"GW-after-{status}"
    await given(
        assistant,
        patient,
        "She is in week 31 of pregnancy.",
        read("HAS_GESTATION", "week 31 of pregnancy", "in week 31 of pregnancy", weeks=31),
        "hello",
    )
    delivered = read("HAS_GESTATION", "pregnancy", "The baby was born on Friday, she is not pregnant any more")
    delivered[0] |= {"status": status, "corrects": "week 31 of pregnancy"}
    text = "The baby was born on Friday, she is not pregnant any more."
    await assistant.call("memory_remember", text=text, facts=delivered, subject=patient)

    after = await assistant.call("memory_build_context", detail=True, query="Prescribe ibuprofen.", subject=patient)
    assert stops(after) == [], after["block"]


CHILDREN = [
    ("four months", {"value": "4 months"}, 4, "month"),
    ("seven weeks", {}, 7, "week"),
    ("6", {"value": 6}, 6, None),
    ("18 months old", {"value": "18", "unit": "months"}, 18, "month"),
    ("eleven", {}, 11, None),
]


@pytest.mark.parametrize(("said", "attrs", "value", "unit"), CHILDREN, ids=[row[0] for row in CHILDREN])
async def test_a_limit_for_adults_is_never_shown_as_the_limit_of_a_child(
    assistant: Assistant, said: str, attrs: dict[str, str | int], value: int, unit: str | None
) -> None:
    patient = f"CH-{said.replace(' ', '-')}"
    text = f"Mara is {said} and has a temperature."
    told = read("HAS_AGE", said, f"Mara is {said}", **attrs)

    context = await given(assistant, patient, text, told, "How much acetaminophen may she have?")

    [age] = (await assistant.call("memory_list_facts", subject=patient))["facts"]
    assert (age["attrs"].get("value"), age["attrs"].get("unit")) == (value, unit)
    (limit,) = [rule for rule in context["rules"] if rule["rule_id"] == "acetaminophen-4g"]
    assert "for adults only" in limit["text"]
    assert "no limit for this age" in limit["text"]
    assert age["fact_id"] in limit["fact_ids"]
    assert "do not exceed" not in context["block"]
    assert "ask for the dose" in context["block"]
    assert "not stated" not in context["block"]


async def test_the_limit_of_an_adult_reads_as_before(assistant: Assistant) -> None:
    told = read("HAS_AGE", "54", "Jon is 54", value=54)
    context = await given(assistant, "AD-1", "Jon is 54 years old.", told, "How much acetaminophen may he have?")

    (limit,) = [rule for rule in context["rules"] if rule["rule_id"] == "acetaminophen-4g"]
    assert "adults" not in limit["text"]
    assert "do not exceed" in context["block"]


async def test_a_stop_below_an_age_holds_for_an_age_in_months(assistant: Assistant) -> None:
    told = read("HAS_AGE", "30 months", "She is 30 months", value="30 months")
    context = await given(assistant, "MO-1", "She is 30 months old.", told, "Can she have codeine?")

    assert "codeine-child" in stops(context)


@pytest.mark.parametrize(
    ("said", "query", "rule", "level"),
    [
        ("My eGFR is 21.", "Start naproxen 250 mg.", "naproxen-clearance-30", "critical"),
        ("My eGFR is 21.", "Can he have etodolac?", "nsaid-egfr-30", "warning"),
        ("I take simvastatin.", "Prescribe fluconazole 150 mg.", "simvastatin-fluconazole", "warning"),
    ],
)
async def test_what_the_pack_says_of_neighbours_it_says_of_these_too(
    assistant: Assistant, said: str, query: str, rule: str, level: str
) -> None:
    context = await asked(assistant, f"NB-{rule}", [said], query)

    assert {each["rule_id"]: each["indicator"] for each in context["rules"]}[rule] == level


async def test_good_kidneys_meet_no_rule_of_failing_ones(assistant: Assistant) -> None:
    context = await asked(assistant, "NB-good", ["My eGFR is 66."], "Start naproxen 250 mg.")

    assert not any("30" in each["rule_id"] for each in context["rules"])


async def test_an_older_value_that_is_told_later_lifts_no_rule(assistant: Assistant) -> None:
    patient, query = "OLD-1", "Prescribe metformin 500 mg."
    now = read("HAS_MEASUREMENT", "eGFR", "eGFR is 19 today", value=19)
    today = await given(assistant, patient, "His eGFR is 19 today.", now, query)
    last = read("HAS_MEASUREMENT", "eGFR", "in March 2025 his eGFR was 74", value=74, measured="2025-03")

    later = await given(assistant, patient, "I found the letter: in March 2025 his eGFR was 74.", last, query)

    assert stops(today) == stops(later) == ["metformin-egfr-30"], later["block"]


@pytest.mark.parametrize(
    ("patient", "told", "draft", "verdict"),
    [
        ("DR-30", ["She is on Humira."], "Give the MMR vaccine today.", "conflict"),
        ("DR-31", ["He takes apixaban."], "Spinal anaesthetic for the hip at noon.", "conflict"),
        ("DR-32", ["She is on enoxaparin."], "Site an epidural.", "conflict"),
        ("DR-33", ["I am allergic to rocuronium."], "Suxamethonium 100 mg for induction.", "conflict"),
        ("DR-34", ["He weighs 14 kg."], "Paracetamol 500 mg.", "conflict"),
        ("DR-35", ["He weighs 14 kg."], "Paracetamol 200 mg four times a day.", "not_checkable"),
        ("DR-36", ["He weighs 14 kg."], "Paracetamol 210 mg every 4 hours.", "conflict"),
        ("DR-37", ["She weighs 46 kg."], "Paracetamol 1 g.", "warning"),
    ],
)
async def test_a_draft_that_meets_a_stop_or_breaks_a_limit_by_weight_is_a_conflict(
    assistant: Assistant, patient: str, told: list[str], draft: str, verdict: str
) -> None:
    await asked(assistant, patient, told, "hello")
    assert (await assistant.call("memory_check_text", text=draft, subject=patient))["verdict"] == verdict


@pytest.mark.parametrize(
    ("patient", "query", "stopped"),
    [
        ("DR-PE1", "Start aspirin 75 mg nightly.", False),
        ("DR-PE2", "Start ibuprofen 400 mg for the headache.", True),
        ("DR-PE3", "Give her an NSAID for the pain.", True),
        ("DR-PE4", "Take aspirin 600 mg for the pain.", False),
        ("DR-PE5", "Give Excedrin for the headache.", True),
    ],
)
async def test_aspirin_is_asked_about_and_any_other_nsaid_stopped_in_pre_eclampsia(
    assistant: Assistant, patient: str, query: str, stopped: bool
) -> None:
    context = await asked(assistant, patient, ["She has pre-eclampsia."], query)

    met = [rule for rule in context["rules"] if "clampsia" in rule["text"]]
    assert met
    assert any(rule["tier"] == "A" for rule in met) is stopped
    assert stopped or "usual prevention" in context["block"]
