"""CDS Hooks at the same address as the tools: the same tokens and spaces, and pages of browsers that may call."""

import json
import uuid
from collections.abc import Iterator

import pytest

from r_memory.config.access_tokens import add_token
from r_memory.serving.http.app import MAX_CALL
from tests.acceptance.conftest import Installation
from tests.acceptance.http.server import HttpServer, Reply

ORIGIN = "https://ehr.example.com"
_DECIDES = ["memory:read", "memory:write", "memory:review"]
SERVICE = "/cds-services/r-memory-order-sign"


@pytest.fixture(scope="module")
def tokens(home: Installation) -> dict[str, str]:
    file = home.folder / "tokens.yaml"
    return {
        "north": add_token(file, "north", space="north", scopes=_DECIDES),
        "south": add_token(file, "south", space="south", scopes=_DECIDES),
        "reader": add_token(file, "reader", space="north", scopes=["memory:read", "memory:write"]),
    }


@pytest.fixture(scope="module")
def server(home: Installation, tokens: dict[str, str]) -> Iterator[HttpServer]:
    shared = home.with_settings(http_token_file=str(home.folder / "tokens.yaml"), http_origins=ORIGIN)
    with HttpServer(shared.environment, log=shared.log, options=("--cds",)) as running:
        yield running.opened(authorization=f"Bearer {tokens['north']}")


def called(server: HttpServer, token: str, path: str = SERVICE, body: object = None, **headers: str) -> Reply:
    given = {"authorization": f"Bearer {token}"} if token else {}
    sent = json.dumps(a_call() if body is None else body)
    return server.request("POST", path, sent.encode(), {**given, "content-type": "application/json", **headers})


def a_call() -> dict[str, object]:
    order = {
        "resourceType": "MedicationRequest",
        "id": "rx1",
        "status": "draft",
        "medicationCodeableConcept": {"text": "Amoxicillin"},
        "subject": {"reference": "Patient/JD001"},
    }
    bundle = {"resourceType": "Bundle", "entry": [{"resource": order}]}
    context = {"userId": "Practitioner/1", "patientId": "JD001", "draftOrders": bundle}
    return {"hook": "order-sign", "hookInstance": str(uuid.uuid4()), "context": context}


@pytest.fixture(scope="module")
def told(server: HttpServer, tokens: dict[str, str]) -> str:
    """John told it in one space."""
    said = {"text": "I am severely allergic to penicillin.", "subject": "JD001", "subject_name": "John Doe"}
    params = {"name": "memory_remember", "arguments": said}
    assert server.ask("tools/call", params, authorization=f"Bearer {tokens['north']}").status == 200
    return tokens["north"]


def test_a_call_needs_a_token_and_sees_the_space_of_its_token(
    server: HttpServer, told: str, tokens: dict[str, str]
) -> None:
    assert server.request("GET", "/cds-services").status == 200
    assert called(server, "").status == 401
    [card, *_] = json.loads(called(server, told).body)["cards"]
    assert card["indicator"] == "critical"
    elsewhere = called(server, tokens["south"])
    assert elsewhere.status == 412
    assert "penicillin" not in elsewhere.body.lower()


def test_feedback_is_written_by_who_may_decide(server: HttpServer, told: str, tokens: dict[str, str]) -> None:
    [card, *_] = json.loads(called(server, told).body)["cards"]
    one = {"card": card["uuid"], "outcome": "overridden", "outcomeTimestamp": "2026-11-21T10:05:31Z"}
    path = f"{SERVICE}/feedback"
    statuses = [called(server, tokens[name], path, {"feedback": [one]}).status for name in ("reader", "south", "north")]
    assert statuses == [403, 400, 200]


def test_pages_that_may_call_are_told_so_and_no_others(server: HttpServer, told: str) -> None:
    asked = {"access-control-request-method": "POST", "access-control-request-headers": "authorization"}
    allowed = server.request("OPTIONS", SERVICE, headers={"origin": ORIGIN, **asked})
    assert allowed.status == 200
    assert allowed.headers["access-control-allow-origin"] == ORIGIN
    answered = called(server, told, origin=ORIGIN)
    assert answered.headers["access-control-allow-origin"] == ORIGIN
    assert called(server, told, origin="https://evil.example").status == 403


def test_a_huge_body_is_refused(server: HttpServer, told: str) -> None:
    huge = {**a_call(), "prefetch": {"allergies": "x" * MAX_CALL}}
    assert called(server, told, body=huge).status == 413
