"""A clinic's own system before the service, over one memory for all tests of a module."""

import uuid
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import httpx2
import pytest

from r_memory.cds.app import CardService
from r_memory.config.settings import Settings
from r_memory.memory import Memory
from r_memory.serving.http.plan import Address, HttpPlan
from r_memory.wiring import open_memory
from tests.acceptance.conftest import Installation

HOST = "http://127.0.0.1:8765"
Json = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Clinic:
    """Calls the services as the specification has it."""

    http: httpx2.AsyncClient

    async def post(self, path: str, body: object) -> httpx2.Response:
        return await self.http.post(f"/cds-services/{path}", json=body)

    async def cards(self, hook: str, context: Json, **prefetch: object) -> list[Json]:
        """The cards of a call, which must be answered."""
        answer = await self.post(f"r-memory-{hook}", a_call(hook, context, **prefetch))
        assert answer.status_code == 200, answer.text
        found: list[Json] = answer.json()["cards"]
        return found

    async def refusal(self, hook: str, context: Json, status: int, **prefetch: object) -> str:
        """Why a call was not answered."""
        answer = await self.post(f"r-memory-{hook}", a_call(hook, context, **prefetch))
        assert answer.status_code == status, answer.text
        outcome = answer.json()
        assert outcome["resourceType"] == "OperationOutcome"
        return str(outcome["issue"][0]["diagnostics"])


def a_call(hook: str, context: Json, **prefetch: object) -> Json:
    sent = {"prefetch": prefetch} if prefetch else {}
    return {"hook": hook, "hookInstance": str(uuid.uuid4()), "context": context, **sent}


def a_bundle(*resources: Json) -> Json:
    return {"resourceType": "Bundle", "type": "searchset", "entry": [{"resource": resource} for resource in resources]}


def an_order(patient: str, thing: str, *, kind: str = "MedicationRequest", id_: str = "rx1", **more: object) -> Json:
    field = "medicationCodeableConcept" if kind == "MedicationRequest" else "code"
    subject = {"reference": f"Patient/{patient}"}
    return {
        "resourceType": kind,
        "id": id_,
        "status": "draft",
        "intent": "order",
        field: {"text": thing},
        "subject": subject,
        **more,
    }


def signing(patient: str, *orders: Json) -> Json:
    return {"userId": "Practitioner/1", "patientId": patient, "draftOrders": a_bundle(*orders)}


def a_chart(**parts: object) -> dict[str, object]:
    """A prefetch of everything that the services ask for; what is not given is empty."""
    return {**dict.fromkeys(("allergies", "conditions", "statements", "requests")), **parts}


def an_allergy_entry(patient: str, thing: str, *, verification: str = "confirmed", id_: str = "a1") -> Json:
    return {
        "resourceType": "AllergyIntolerance",
        "id": id_,
        "clinicalStatus": {"coding": [{"code": "active"}]},
        "verificationStatus": {"coding": [{"code": verification}]},
        "code": {"text": thing},
        "patient": {"reference": f"Patient/{patient}"},
    }


@pytest.fixture(scope="module")
def settings(standing: Installation) -> Settings:
    given = {name: value for name, value in standing.settings.items() if name not in {"data_dir", "read_timeout_s"}}
    return Settings(data_dir=Path(standing.settings["data_dir"]), read_timeout_s=60.0, **given)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
async def memory(settings: Settings) -> AsyncIterator[Memory]:
    async with open_memory(settings) as opened:
        yield opened


@pytest.fixture
async def clinic(memory: Memory, settings: Settings) -> AsyncIterator[Clinic]:
    plan = HttpPlan(settings=replace(settings, http_token=""), address=Address(host="127.0.0.1", port=8765))

    async def opened() -> Memory:
        return memory

    transport = httpx2.ASGITransport(app=CardService()(opened, plan))
    async with httpx2.AsyncClient(transport=transport, base_url=HOST) as http:
        yield Clinic(http=http)


@pytest.fixture
async def patient(memory: Memory) -> str:
    """Somebody who told of a severe allergy."""
    id_ = f"P{uuid.uuid4().hex[:8]}"
    await memory.remember(
        "I am severely allergic to penicillin.", subject=id_, subject_name=f"Jo {id_}", speaker="patient"
    )
    return id_
