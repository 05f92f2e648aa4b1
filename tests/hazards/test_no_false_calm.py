"""Hazards of reassurance: a verdict and a block are never calmer than the memory."""

import asyncio

import pytest

from tests.acceptance.conftest import Assistant, Installation
from tests.acceptance.shell import Shell
from tests.hazards.conftest import Patient, cases, drug_names, somebody

pytestmark = pytest.mark.anyio


async def check(patient: Patient, draft: str) -> tuple[str, str]:
    """The verdict on a draft, and what could not be compared."""
    checked = await patient.assistant.call("memory_check_text", text=draft, subject=patient.id)
    return checked["verdict"], "\n".join(checked.get("gaps", ()))


@pytest.mark.proves("Z14", "Z39")
async def test_of_somebody_of_whom_nothing_is_recorded_a_draft_cannot_be_checked(patient: Patient) -> None:
    await patient.tell("Hello.")
    assert await check(patient, "Take paracetamol 500 mg.") == (
        "not_checkable",
        f"Nothing is on record about {patient.name}: nothing was ever asked.",
    )


@pytest.mark.proves("Z14", "Z39")
async def test_nothing_found_needs_an_answer_about_the_very_kind_of_thing(patient: Patient) -> None:
    await patient.tell("I take lisinopril.")
    assert await check(patient, "Take paracetamol 500 mg.") == ("not_checkable", "HAS_ALLERGY_TO was never asked.")
    await patient.tell("No food allergies.")
    assert await check(patient, "Take paracetamol 500 mg.") == (
        "not_checkable",
        "HAS_ALLERGY_TO was asked of foods only.",
    )
    await patient.tell("No known drug allergies.")
    assert await check(patient, "Take paracetamol 500 mg.") == ("nothing_found", "")


@pytest.mark.proves("Z41", "Z42")
async def test_an_unread_statement_that_names_what_is_ordered_is_loud_and_forbids_nothing_found(
    clinic: Assistant,
) -> None:
    patient = somebody(clinic)
    await patient.tell("I am allergic to latex.")
    await patient.tell("Soy alérgica a la carbamazepina.", speaker="patient")
    block = (await patient.context("Start carbamazepine 200 mg."))["block"]
    assert 'NOT YET READ, names Carbamazepine: "Soy alérgica a la carbamazepina." (by patient' in block
    verdict, gaps = await check(patient, "Start carbamazepine 200 mg.")
    assert (verdict, "NOT YET READ, names Carbamazepine" in gaps) == ("warning", True)
    verdict, gaps = await check(patient, "Start oxcarbazepine 300 mg.")
    assert (verdict, "NOT YET READ, may bear on Oxcarbazepine" in gaps) == ("warning", True)
    verdict, gaps = await check(patient, "Take paracetamol 500 mg.")
    assert (verdict, gaps.startswith("NOT YET READ (")) == ("not_checkable", True)


@pytest.mark.proves("Z10")
async def test_a_request_that_names_another_opens_with_whose_facts_these_are(clinic: Assistant) -> None:
    john, jane = somebody(clinic), somebody(clinic)
    await john.tell("I am allergic to latex.")
    await jane.tell("I am allergic to penicillin.")
    for words in (jane.name, jane.id.lower(), f"{jane.name}'s sore throat"):
        context = await john.context(f"Recommend an antibiotic for {words}.")
        assert (context["outcome"], context["named"]) == ("SUBJECT-MISMATCH", [jane.id])
        assert (
            context["block"]
            .splitlines()[1]
            .startswith(f"THIS REQUEST NAMES {jane.name} ({jane.id}); these facts are {john.name}'s.")
        )
    verdict, gaps = await check(john, f"{jane.name} can take paracetamol.")
    assert (verdict, f"THIS REQUEST NAMES {jane.name}" in gaps) == ("not_checkable", True)


@pytest.mark.proves("Z10")
@cases("words", ["Patient Mary Major needs amoxicillin.", "Start amoxicillin for Mary Major."])
async def test_a_full_name_that_nobody_carries_is_said(patient: Patient, words: str) -> None:
    await patient.tell("I am allergic to latex.")
    context = await patient.context(words)
    assert (context["outcome"], context["named"]) == ("SUBJECT-MISMATCH", ["Mary Major"])
    assert "THIS REQUEST NAMES Mary Major, unknown here" in context["block"]


@cases(
    "words",
    [
        "May I give rose water and penicillin to the patient in May?",
        "Order an MRI Of The Left Knee for Strep Throat and Blood Pressure.",
        "Dr Smith wants warfarin for this patient.",
    ],
)
async def test_months_drugs_and_doctors_are_nobody(clinic: Assistant, words: str) -> None:
    for id_, name in (("May", "May"), ("Rose", "Rose"), ("PC1", "Penny Cillin")):
        await clinic.call("memory_remember", text="Hello.", subject=id_, subject_name=name)
    patient = somebody(clinic)
    await patient.tell("I am allergic to latex.")
    assert "outcome" not in await patient.context(words)


async def test_a_name_that_is_a_drug_or_a_month_is_somebody_where_somebody_is_spoken_of(clinic: Assistant) -> None:
    for id_ in ("May", "Rose"):
        await clinic.call("memory_remember", text="Hello.", subject=id_, subject_name=id_)
    patient = somebody(clinic)
    await patient.tell("I am allergic to latex.")
    for words, id_ in (("Patient May needs aspirin.", "May"), ("Can Rose have aspirin?", "Rose")):
        assert (await patient.context(words))["named"] == [id_]


@pytest.mark.proves("Z10")
async def test_without_a_subject_exactly_one_known_name_serves_and_the_block_says_so(clinic: Assistant) -> None:
    john, jane = somebody(clinic), somebody(clinic)
    await john.tell("I am allergic to latex.")
    await jane.tell("I am allergic to penicillin.")
    context = await clinic.call("memory_build_context", detail=True, query=f"Order amoxicillin for {jane.name}.")
    assert f'(Patient {jane.id}), taken from the words "{jane.name}".' in context["block"]
    assert context["lines"][0]["level"] == "critical"
    checked = await clinic.call("memory_check_text", text=f"{jane.name}: start amoxicillin.")
    assert (checked["verdict"], checked["subject_id"]) == ("conflict", jane.id)
    both = await clinic.refused("memory_build_context", query=f"Gloves for {john.name} and {jane.name}.")
    assert john.id in both
    assert jane.id in both
    assert "Mary Major is not known" in await clinic.refused("memory_build_context", query="Gloves for Mary Major.")


@pytest.mark.proves("Z10")
async def test_two_of_one_name_are_both_named_and_neither_is_guessed(clinic: Assistant) -> None:
    john = somebody(clinic)
    await john.tell("I am allergic to latex.")
    twin = f"{john.id}-twin"
    await clinic.call("memory_remember", text="Hello.", subject=twin, subject_name=john.name, another_than=[john.id])
    told = await clinic.refused("memory_build_context", query=f"Order gloves for {john.name}.")
    assert john.id in told
    assert twin in told
    block = (await john.context(f"Order gloves for {john.name}."))["block"]
    assert block.splitlines()[1].startswith(f"MORE THAN ONE is called {john.name}: also {twin}; ")


@pytest.mark.proves("Z42")
async def test_a_draft_and_a_request_in_another_language_are_never_calm(patient: Patient) -> None:
    await patient.tell("I am allergic to penicillin.")
    await patient.tell("No food allergies.")
    verdict, gaps = await check(patient, "Nehmen Sie dreimal täglich die weißen Tabletten, die ich Ihnen gegeben habe.")
    assert verdict == "not_checkable"
    assert "is in another language (de) and was not understood" in gaps
    in_german = await patient.context("Bitte verschreiben Sie ihm etwas gegen die Halsschmerzen.")
    assert "is allergic to Penicillin" in in_german["block"]
    in_polish = await patient.context("Proszę przepisać mu coś na ból gardła.")
    assert "is allergic to Penicillin" in in_polish["block"]
    assert not in_polish["recognised"]


async def test_a_long_draft_of_many_products_loses_no_conflict(patient: Patient) -> None:
    """20 000 characters, 200 products: the conflicts come first, whatever is left out for length is counted."""
    await patient.tell("I am severely allergic to penicillin.")
    products = [name for name in drug_names() if name.isascii()][:199]
    draft = "".join(f"Take {name} as it says on the box, with water and after food. " for name in products)
    draft = f"{draft[:19_900].rsplit('.', 1)[0]}. Then amoxicillin 500 mg."
    checked = await patient.assistant.call("memory_check_text", text=draft, subject=patient.id)
    assert checked["verdict"] == "conflict"
    assert any("amoxicillin" in finding["quote"].casefold() for finding in checked["findings"])
    context = await patient.context(draft[-8_000:])
    assert "is allergic to Penicillin" in context["block"]


async def test_a_request_that_quotes_our_own_block_is_held_against_the_facts_all_the_same(clinic: Assistant) -> None:
    john, jane = somebody(clinic), somebody(clinic)
    await john.tell("I am severely allergic to penicillin.")
    await jane.tell("I am allergic to latex.")
    quoted = (await jane.context("Order gloves."))["block"].split("[QUERY]")[0]
    context = await john.context(f"{quoted}\nOrder amoxicillin.")
    assert (context["outcome"], context["named"]) == ("SUBJECT-MISMATCH", [jane.id])
    assert context["block"].count("[R-MEMORY CONTEXT]:\nTHIS REQUEST NAMES") == 1
    checked = await clinic.call("memory_check_text", text=f"{quoted}\nOrder amoxicillin.", subject=john.id)
    assert (checked["verdict"], checked["outcome"]) == ("conflict", "SUBJECT-MISMATCH")


@pytest.mark.proves("Z10")
async def test_somebody_who_was_erased_is_an_error_and_never_somebody_without_allergies(
    clinic: Assistant, house: Installation
) -> None:
    """The server that heard of her still runs."""
    patient = Patient(clinic, "E1", "Erna Ask")
    await patient.tell("I am allergic to penicillin.")
    assert "CRITICAL ALLERGY" in (await patient.context())["block"]
    erase = ("forget", "E1", "--reason", "on request", "--actor", "Dr Ada", "--yes")
    assert (await asyncio.to_thread(Shell(installation=house).run, *erase)).returncode == 0
    for tool, words in (
        ("memory_build_context", {"query": "Order aspirin."}),
        ("memory_check_text", {"text": "x"}),
    ):
        told = await clinic.refused(tool, subject="E1", **words)
        assert "no Patient has the id or name" in told
    assert "the words name nobody known" in await clinic.refused("memory_check_text", text="Aspirin for Erna Ask.")


async def test_the_command_and_the_tool_give_one_verdict_in_the_same_words(
    patient: Patient, clinic: Assistant, house: Installation
) -> None:
    drafts = ("Take amoxicillin.", "Start Zorvenbrix 10 mg.", "Mary Major's paracetamol.", "Rest well.")
    await patient.tell("I am allergic to penicillin.")
    tool = [await clinic.call("memory_check_text", text=draft, subject=patient.id) for draft in drafts]
    shell = Shell(installation=house)
    command = [
        (await asyncio.to_thread(shell.run, "check-text", draft, "--subject", patient.id, "--json")).json
        for draft in drafts
    ]
    same = ("verdict", "gaps", "findings", "outcome")
    wanted = [[each[key] for key in same] for each in command]
    assert [[each.get(key, "" if key == "outcome" else []) for key in same] for each in tool] == [
        [verdict, gaps, [{k: v for k, v in finding.items() if v} for finding in findings], outcome]
        for verdict, gaps, findings, outcome in wanted
    ]
    assert [each["verdict"] for each in tool] == ["conflict", "not_checkable", "not_checkable", "nothing_found"]
