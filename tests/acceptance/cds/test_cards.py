"""CDS Hooks 2.0: what was told stands in the clinician's own system, and "could not look" is never an empty list."""

import uuid

import pytest

from r_memory.errors import StoreUnavailable
from r_memory.memory import Memory
from tests.acceptance.cds.conftest import Clinic, a_bundle, a_call, a_chart, an_allergy_entry, an_order, signing

pytestmark = pytest.mark.anyio

NEXT = {"link": [{"relation": "next", "url": "https://ehr.example/next"}]}


async def test_a_client_finds_three_services_and_what_they_ask_for(clinic: Clinic) -> None:
    answer = await clinic.http.get("/cds-services")
    services = answer.json()["services"]
    assert [service["hook"] for service in services] == ["patient-view", "order-select", "order-sign"]
    for service in services:
        assert service["id"]
        assert service["title"]
        assert service["description"]
        assert service["prefetch"]["allergies"] == "AllergyIntolerance?patient={{context.patientId}}"


async def test_an_order_against_what_was_told_is_a_critical_card(clinic: Clinic, patient: str, memory: Memory) -> None:
    """The chart is empty: only the patient told it."""
    [card] = await clinic.cards(
        "order-sign", signing(patient, an_order(patient, "Amoxicillin 500 mg tablet")), **a_chart()
    )
    assert card["indicator"] == "critical"
    assert "Penicillin" in card["summary"]
    assert len(card["summary"]) < 140
    assert "I am severely allergic to penicillin" in card["detail"]
    assert card["source"] == {"label": "r-memory"}
    [suggestion] = card["suggestions"]
    assert suggestion["actions"] == [
        {"type": "delete", "description": suggestion["label"], "resourceId": "MedicationRequest/rx1"}
    ]
    assert card["selectionBehavior"] == "at-most-one"
    assert all(reason["display"] and reason["code"] for reason in card["overrideReasons"])
    assert str(uuid.UUID(card["uuid"])) == card["uuid"]
    assert len(await memory.receipts(subject=patient)) == 1


async def test_an_order_against_the_chart_alone_is_a_card_and_the_chart_is_not_stored(
    clinic: Clinic, patient: str, memory: Memory
) -> None:
    chart = a_chart(
        allergies=a_bundle(an_allergy_entry(patient, "Latex"), an_allergy_entry(patient, "Aspirin", id_="a2"))
    )
    [card] = await clinic.cards("order-sign", signing(patient, an_order(patient, "Aspirin 300 mg")), **chart)
    assert card["indicator"] == "critical"
    assert "the chart" in card["detail"]
    assert [fact.object.name for fact in (await memory.list_facts(subject=patient)).facts] == ["Penicillin"]


async def test_what_both_voices_leave_alone_is_an_empty_list(clinic: Clinic, patient: str) -> None:
    chart = a_chart(allergies=a_bundle(an_allergy_entry(patient, "Latex")))
    cards = await clinic.cards("order-sign", signing(patient, an_order(patient, "Paracetamol 500 mg")), **chart)
    assert [card for card in cards if card["indicator"] != "info"] == []


async def test_a_chart_that_refutes_takes_no_told_risk_away(clinic: Clinic, patient: str) -> None:
    refuted = an_allergy_entry(patient, "Penicillin", verification="refuted")
    context = signing(patient, an_order(patient, "Amoxicillin"))
    [card] = await clinic.cards("order-sign", context, **a_chart(allergies=a_bundle(refuted)))
    assert card["indicator"] in {"critical", "warning"}
    assert "Penicillin" in card["summary"]


async def test_only_selected_orders_are_judged(clinic: Clinic, patient: str) -> None:
    orders = an_order(patient, "Amoxicillin", id_="rx1"), an_order(patient, "Paracetamol", id_="rx2")
    context = {**signing(patient, *orders), "selections": ["MedicationRequest/rx2"]}
    cards = await clinic.cards("order-select", context, **a_chart())
    assert [card for card in cards if card["indicator"] == "critical"] == []
    context["selections"] = ["MedicationRequest/rx1"]
    assert [card["indicator"] for card in await clinic.cards("order-select", context, **a_chart())] == ["critical"]
    context["selections"] = ["MedicationRequest/rx3"]
    assert "name no draft order" in await clinic.refusal("order-select", context, 400, **a_chart())


async def test_two_drafts_that_do_not_go_together_are_told(clinic: Clinic, patient: str) -> None:
    orders = an_order(patient, "Warfarin", id_="rx1"), an_order(patient, "Co-trimoxazole", id_="rx2")
    cards = await clinic.cards("order-sign", signing(patient, *orders), **a_chart())
    assert any("arfarin" in card["detail"] and "rimoxazole" in card["detail"] for card in cards if "detail" in card)


async def test_an_opened_chart_shows_what_was_told_and_does_not_stand_there(clinic: Clinic, patient: str) -> None:
    view = {"userId": "Practitioner/1", "patientId": patient}
    first, *_ = await clinic.cards("patient-view", view, **a_chart())
    assert first["indicator"] == "warning"
    assert first["summary"] == "Told, and not in the chart: Penicillin"
    assert "I am severely allergic to penicillin" in first["detail"]
    agreed = a_chart(allergies=a_bundle(an_allergy_entry(patient, "Penicillin")))
    assert all(
        "not in the chart: P" not in card["summary"] for card in await clinic.cards("patient-view", view, **agreed)
    )


async def test_an_opened_chart_shows_what_is_recorded_and_does_not_go_together(
    clinic: Clinic, patient: str, memory: Memory
) -> None:
    # Issue 32: what stands in the memory already is told before anybody orders something.
    view = {"userId": "Practitioner/1", "patientId": patient}
    apart = "Recorded, does not go together"
    assert not [card for card in await clinic.cards("patient-view", view, **a_chart()) if apart in card["summary"]]
    await memory.remember("I take amoxicillin.", subject=patient, speaker="patient")

    [card] = [card for card in await clinic.cards("patient-view", view, **a_chart()) if apart in card["summary"]]

    assert card["indicator"] == "critical"
    assert len(card["summary"]) < 140
    assert all(name in card["detail"] for name in ("Penicillin", "Amoxicillin"))


@pytest.mark.parametrize(
    ("told", "charted", "named", "indicator"),
    [
        ("", "Amoxicillin 500 mg", "Penicillin", "critical"),
        ("I take warfarin.", "Co-trimoxazole", "Warfarin", "warning"),
    ],
    ids=["allergy", "interaction"],
)
async def test_an_opened_chart_shows_its_drug_that_does_not_go_with_what_was_told(
    clinic: Clinic, patient: str, memory: Memory, told: str, charted: str, named: str, indicator: str
) -> None:
    # Issue 32: the memory and the chart are compared together when the chart is opened, not only at an order.
    if told:
        await memory.remember(told, subject=patient, speaker="patient")
    taken = {
        **an_order(patient, charted, kind="MedicationStatement"),
        "status": "active",
        "medicationCodeableConcept": {"text": charted},
    }
    del taken["code"]
    view = {"userId": "Practitioner/1", "patientId": patient}

    cards = await clinic.cards("patient-view", view, **a_chart(statements=a_bundle(taken)))

    [card] = [card for card in cards if "does not go together" in card["summary"]]
    assert (card["indicator"], cards[0]["indicator"]) == (indicator, indicator)
    detail = card["detail"].replace("\\", "")
    drug = charted.removesuffix(" 500 mg")
    assert all(said in detail for said in (named, drug, told or "I am severely allergic to penicillin", "the chart"))
    facts = {fact.object.name for fact in (await memory.list_facts(subject=patient)).facts}
    assert drug not in facts
    [receipt] = await memory.receipts(subject=patient)
    assert set(receipt.fact_ids) <= {fact.fact_id for fact in (await memory.list_facts(subject=patient)).facts}


async def test_nobody_asked_is_told_and_does_not_calm(clinic: Clinic, memory: Memory) -> None:
    id_ = f"P{uuid.uuid4().hex[:8]}"
    await memory.remember("I take metformin.", subject=id_, subject_name=f"Jo {id_}")
    cards = await clinic.cards("patient-view", {"userId": "Practitioner/1", "patientId": id_}, **a_chart())
    assert any(card["indicator"] == "info" and "Never asked" in card["summary"] for card in cards)


async def test_an_order_that_names_nothing_is_not_called_checked(clinic: Clinic, patient: str) -> None:
    coded = {**an_order(patient, ""), "medicationCodeableConcept": {"coding": [{"code": "617993"}]}}
    strange = an_order(patient, "X", kind="VisionPrescription", id_="v1")
    cards = await clinic.cards("order-sign", signing(patient, coded, strange), **a_chart())
    assert [card["indicator"] for card in cards] == ["warning", "warning"]
    assert all("NOT CHECKABLE" in card["summary"] for card in cards)


async def test_without_the_chart_what_was_told_still_stops_and_nothing_found_is_no_answer(
    clinic: Clinic, patient: str
) -> None:
    told = await clinic.cards("order-sign", signing(patient, an_order(patient, "Amoxicillin")))
    assert [card["indicator"] for card in told] == ["critical", "warning"]
    assert "allergies were not sent" in told[1]["summary"]
    context = signing(patient, an_order(patient, "Paracetamol"))
    assert "allergies were not sent" in await clinic.refusal("order-sign", context, 412)
    paged = a_chart(allergies={**a_bundle(), **NEXT})
    assert "further pages" in await clinic.refusal("order-sign", context, 412, **paged)
    failed = a_chart(allergies={"resourceType": "OperationOutcome", "issue": [{"severity": "error", "code": "x"}]})
    assert "could not be read" in await clinic.refusal("order-sign", context, 412, **failed)


async def test_entries_that_cannot_be_read_are_told(clinic: Clinic, patient: str) -> None:
    nameless = {**an_allergy_entry(patient, ""), "code": {}}
    context = signing(patient, an_order(patient, "Paracetamol"))
    cards = await clinic.cards("order-sign", context, **a_chart(allergies=a_bundle(nameless)))
    assert "1 entries of the chart could not be read." in [card["summary"] for card in cards]


@pytest.mark.parametrize(
    ("what", "told"),
    [("patient", "another person"), ("allergies", "other people")],
)
async def test_another_patients_chart_is_refused_whole(clinic: Clinic, patient: str, what: str, told: str) -> None:
    theirs = {
        "patient": {"resourceType": "Patient", "id": "somebody-else"},
        "allergies": a_bundle(an_allergy_entry(patient, "Latex"), an_allergy_entry("somebody-else", "Egg", id_="a2")),
    }
    context = signing(patient, an_order(patient, "Amoxicillin"))
    assert told in await clinic.refusal("order-sign", context, 412, **a_chart(**{what: theirs[what]}))


async def test_a_patient_is_found_by_an_identifier_and_never_by_a_name(clinic: Clinic, patient: str) -> None:
    chart = a_chart(patient={"resourceType": "Patient", "id": "77", "identifier": [{"value": patient}]})
    [card, *_] = await clinic.cards("order-sign", signing("77", an_order("77", "Amoxicillin")), **chart)
    assert card["indicator"] == "critical"
    for stranger in ("77", f"Jo {patient}"):
        context = signing(stranger, an_order(stranger, "Amoxicillin"))
        assert "knows nobody" in await clinic.refusal("order-sign", context, 412, **a_chart())


async def test_an_order_for_another_patient_is_refused(clinic: Clinic, patient: str) -> None:
    context = signing(patient, an_order("somebody-else", "Amoxicillin"))
    assert "another person" in await clinic.refusal("order-sign", context, 400, **a_chart())


async def test_a_store_that_is_gone_is_412_and_never_an_empty_list(
    clinic: Clinic, patient: str, memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def gone(*_: object, **__: object) -> None:
        raise StoreUnavailable("the store does not answer")

    for name in ("surroundings", "neighbourhood", "events"):
        monkeypatch.setattr(memory.facts.store, name, gone)
    context = signing(patient, an_order(patient, "Paracetamol"))
    assert "SAFETY MEMORY UNAVAILABLE" in await clinic.refusal("order-sign", context, 412, **a_chart())
    view = {"userId": "Practitioner/1", "patientId": patient}
    assert "SAFETY MEMORY UNAVAILABLE" in await clinic.refusal("patient-view", view, 412, **a_chart())


@pytest.mark.parametrize(
    ("service", "body", "status"),
    [
        ("r-memory-order-review", {}, 404),
        ("r-memory-order-sign", [], 400),
        ("r-memory-order-sign", {"hook": "order-sign"}, 400),
        ("r-memory-order-sign", a_call("patient-view", {"userId": "u", "patientId": "p"}), 400),
        ("r-memory-order-sign", a_call("order-sign", {"userId": "u", "patientId": "p"}), 400),
        ("r-memory-order-sign", a_call("order-sign", {"userId": "u", "patientId": "p", "draftOrders": []}), 400),
        ("r-memory-patient-view", a_call("patient-view", {"userId": "u"}), 400),
        ("r-memory-patient-view", a_call("patient-view", {"userId": "u", "patientId": ""}), 400),
        ("r-memory-order-select", a_call("order-select", signing("p", an_order("p", "X"))), 400),
    ],
)
async def test_a_call_that_is_none_is_refused_in_words(clinic: Clinic, service: str, body: object, status: int) -> None:
    answer = await clinic.post(service, body)
    assert answer.status_code == status
    [issue] = answer.json()["issue"]
    assert issue["severity"] == "error"
    assert issue["diagnostics"]


async def test_a_damaged_body_is_refused(clinic: Clinic) -> None:
    for body in (b'{"hook": "order-si', b"[" * 100_000, b"\xff\xfe"):
        answer = await clinic.http.post("/cds-services/r-memory-order-sign", content=body)
        assert answer.status_code == 400


async def test_words_of_a_patient_are_no_markup_of_a_card(clinic: Clinic, memory: Memory) -> None:
    id_ = f"P{uuid.uuid4().hex[:8]}"
    words = "I am allergic to penicillin, see <img src=x> and [here](https://evil.example)."
    await memory.remember(words, subject=id_, subject_name=f"Jo {id_}")
    [card, *_] = await clinic.cards("order-sign", signing(id_, an_order(id_, "Amoxicillin")), **a_chart())
    assert "<img" not in card["detail"].replace("\\<", "")
    assert "](" not in card["detail"]


async def test_who_goes_on_is_written_down_and_the_fact_stays(clinic: Clinic, patient: str, memory: Memory) -> None:
    [card] = await clinic.cards("order-sign", signing(patient, an_order(patient, "Amoxicillin")), **a_chart())
    reason = {"reason": card["overrideReasons"][0], "userComment": "Had it last month without any trouble."}
    told = {
        "card": card["uuid"],
        "outcome": "overridden",
        "overrideReason": reason,
        "outcomeTimestamp": "2026-11-21T10:05:31Z",
    }
    for _ in range(2):
        answer = await clinic.post("r-memory-order-sign/feedback", {"feedback": [told]})
        assert answer.status_code == 200, answer.text
    [fact] = (await memory.list_facts(subject=patient)).facts
    assert fact.attrs["overridden_because"] == "Tolerated since: Had it last month without any trouble."
    assert [event.kind.value for event in await memory.history(fact.fact_id)].count("changed") == 1
    assert fact.status == "active"
    page = await memory.list_facts(subject=patient)
    assert page.pending == ()


async def test_feedback_on_a_card_that_was_never_shown_stores_nothing(clinic: Clinic) -> None:
    stamp = "2026-11-21T10:05:31Z"
    strange = {"card": str(uuid.uuid4()), "outcome": "overridden", "outcomeTimestamp": stamp}
    answer = await clinic.post("r-memory-order-sign/feedback", {"feedback": [strange]})
    assert answer.status_code == 400
    answer = await clinic.post("r-memory-order-sign/feedback", {"feedback": [{**strange, "outcome": "shrugged"}]})
    assert answer.status_code == 400
