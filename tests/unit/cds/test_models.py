"""What CDS Hooks sends and takes, in blocks of our own that are shaped like the specification's."""

import uuid
from typing import Any

import pytest
from pydantic import ValidationError

from r_memory.cds.models import CONTEXTS, SUMMARY, Card, Cards, CardSource, Feedback, Hook, HookRequest, load_cds
from r_memory.config.files import Files

ORDERS = {"resourceType": "Bundle", "entry": [{"resource": {"resourceType": "MedicationRequest", "id": "m1"}}]}
WHO: dict[str, Any] = {"userId": "PractitionerRole/9", "patientId": "77", "encounterId": "e1"}


def a_request(**more: object) -> dict[str, object]:
    return {"hook": "patient-view", "hookInstance": str(uuid.uuid4()), "context": WHO, **more}


def test_a_request_is_taken_with_all_that_a_client_adds_and_its_token_is_left_aside() -> None:
    token = {"access_token": "secret", "token_type": "Bearer", "expires_in": 300, "scope": "s", "subject": "c"}
    extension = {"com.example.timestamp": "2026-11-27T22:13:25Z"}
    sent = a_request(
        fhirServer="https://ehr.example", fhirAuthorization=token, extension=extension, prefetch={"patient": None}
    )
    request = HookRequest.model_validate(sent)
    assert request.prefetch == {"patient": None}
    assert "secret" not in repr(request)


@pytest.mark.parametrize(
    ("hook", "context"),
    [
        ("patient-view", WHO),
        ("order-sign", {**WHO, "draftOrders": ORDERS}),
        ("order-select", {**WHO, "draftOrders": ORDERS, "selections": ["MedicationRequest/m1"]}),
    ],
)
def test_each_hook_takes_its_context_and_no_less(hook: Hook, context: dict[str, object]) -> None:
    form = CONTEXTS[hook]
    assert form.model_validate(context).patient_id == "77"
    for field in set(context) - {"encounterId"}:
        with pytest.raises(ValidationError):
            form.model_validate({key: value for key, value in context.items() if key != field})


def test_a_card_goes_out_without_empty_fields_and_with_a_summary_below_140() -> None:
    card = Card(summary="Told.", indicator="info", source=CardSource(label="r-memory"))
    assert Cards(cards=(card,)).data == {
        "cards": [{"summary": "Told.", "indicator": "info", "source": {"label": "r-memory"}}]
    }
    for summary in ("", "x" * (SUMMARY + 1)):
        with pytest.raises(ValidationError):
            Card(summary=summary, indicator="info", source=CardSource(label="r-memory"))
    assert SUMMARY < 140


def test_feedback_is_taken_with_and_without_a_reason() -> None:
    card, stamp = str(uuid.uuid4()), "2020-12-11T00:00:00Z"
    one = {"card": card, "outcome": "overridden", "outcomeTimestamp": stamp}
    reason = {"reason": {"code": "d7", "system": "https://ehr.example/reasons"}, "userComment": "Seen."}
    accepted = {**one, "outcome": "accepted", "acceptedSuggestions": [{"id": card}]}
    taken = Feedback.model_validate({"feedback": [one, {**one, "overrideReason": reason}, accepted]})
    assert [each.outcome for each in taken.feedback] == ["overridden", "overridden", "accepted"]
    with pytest.raises(ValidationError):
        Feedback.model_validate({"feedback": []})


def test_what_is_offered_asks_for_nothing_but_the_patients_own() -> None:
    form = load_cds(Files())
    assert set(form.needed) <= set(form.prefetch)
    assert all("{{context.patientId}}" in template for template in form.prefetch.values())
    assert len({service.id for service in form.services.values()}) == len(form.services) == len(CONTEXTS)
