"""The service as one application: discovery, calls and feedback, and what a client reads when something fails.

Who may come in is asked in front of it; which space a call means stands in its token.
"""

import json
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

from pydantic import ValidationError
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from r_memory.cds.answering import Answering
from r_memory.cds.chart import CouldNotLook
from r_memory.cds.feedback import take
from r_memory.cds.models import CONTEXTS, Cards, CdsForm, Feedback, Hook, HookRequest, SpecModel, load_cds
from r_memory.errors import InvalidInput, RMemoryError, StoreError, UnknownName
from r_memory.records.mapping import RecordForm, load_mapping
from r_memory.serving.http.app import Opened
from r_memory.serving.http.plan import CARDS, HttpPlan
from r_memory.serving.tools.access import REVIEW, caller
from r_memory.text.inert import without_secrets

logger = logging.getLogger(__name__)

_NOBODY = "cds-hooks"
"""Name of the caller if no token is required."""
_FHIR = "application/fhir+json"
Sent = TypeVar("Sent", bound=SpecModel)


@dataclass(frozen=True, slots=True, kw_only=True)
class CardService:
    """Makes the application of one plan."""

    read_only: bool = False
    """Whether feedback is refused, as nothing may be written."""

    def __call__(self, opened: Opened, plan: HttpPlan) -> ASGIApp:
        """Returns the application over a memory."""
        desk = _Desk(opened, plan, load_cds(plan.settings.files), read_only=self.read_only)
        routes = [
            Route(CARDS, desk.discovery, methods=["GET"]),
            Route(f"{CARDS}/{{id}}", desk.answered(desk.called), methods=["POST"]),
            Route(f"{CARDS}/{{id}}/feedback", desk.answered(desk.told), methods=["POST"]),
        ]
        return Starlette(routes=routes, exception_handlers={Exception: _unforeseen})


class _Desk:
    """Takes calls, and reports errors in the specification's form."""

    def __init__(self, opened: Opened, plan: HttpPlan, form: CdsForm, *, read_only: bool) -> None:
        self._opened, self._plan, self._form, self._read_only = opened, plan, form, read_only
        self._records: RecordForm | None = None

    async def discovery(self, _: Request) -> Response:
        """Returns the offered services; no data of people."""
        return JSONResponse(self._form.discovery)

    def answered(self, take: Callable[[Request], Awaitable[Response]]) -> Callable[[Request], Awaitable[Response]]:
        """Returns a handler that answers a call and turns every error into a response."""

        async def answer(request: Request) -> Response:
            try:
                return await take(request)
            except (CouldNotLook, StoreError, TimeoutError) as error:
                logger.warning("Call could not look", extra={"action": "cds", "error": type(error).__name__})
                told = without_secrets(str(error), 500) or "the store did not answer in time"
                return _outcome(412, "incomplete", f"SAFETY MEMORY UNAVAILABLE: {told}. Nothing was checked")
            except UnknownName as error:
                return _outcome(404, "not-found", str(error))
            except InvalidInput as error:
                return _outcome(400, "invalid", without_secrets(str(error), 500))
            except RMemoryError as error:
                logger.warning("Call failed", extra={"action": "cds", "error": type(error).__name__})
                return _outcome(500, "exception", f"{without_secrets(str(error), 500)}. Nothing was checked")

        return answer

    async def called(self, request: Request) -> Response:
        """Returns the cards of a call."""
        hook = self._hook(request)
        call = await _sent(request, HookRequest)
        if call.hook != hook:
            raise InvalidInput(f"this service answers the hook {hook}, and was called for another")
        context = _valid(CONTEXTS[hook], call.context, "context")
        memory = await self._opened()
        self._records = self._records or load_mapping(self._plan.settings.files, "fhir", memory.schema)
        by = caller()
        shown_to = _NOBODY if by is None else by.client_id
        answering = Answering(memory=memory, form=self._form, records=self._records, shown_to=shown_to)
        return JSONResponse(Cards(cards=await answering.cards(call, context)).data)

    async def told(self, request: Request) -> Response:
        """Stores the feedback on cards and returns an empty response."""
        self._hook(request)
        by = caller()
        if self._read_only or (by is not None and REVIEW not in by.scopes):
            return _outcome(403, "forbidden", f"feedback is a person's decision, which needs a token with {REVIEW}")
        feedback = await _sent(request, Feedback)
        await take(await self._opened(), feedback, by=_NOBODY if by is None else by.client_id)
        return Response(status_code=200)

    def _hook(self, request: Request) -> Hook:
        id_ = request.path_params["id"]
        found = next((hook for hook, item in self._form.services.items() if item.id == id_), None)
        if found is None:
            raise UnknownName("service", id_[:60], [service.id for service in self._form.services.values()])
        return found


async def _sent(request: Request, form: type[Sent]) -> Sent:
    """Returns the body of a request in its form.

    Raises:
        InvalidInput: the body is damaged or has another form.
    """
    try:
        value = json.loads(await request.body())
    except (ValueError, RecursionError, ClientDisconnect) as error:
        raise InvalidInput("the body is no JSON, or ends early") from error
    return _valid(form, value, "body")


def _valid(form: type[Sent], value: object, what: str) -> Sent:
    try:
        return form.model_validate(value)
    except ValidationError as error:
        # Without the values: they are somebody's data.
        wrong = "; ".join(f"{'.'.join(map(str, item['loc'])) or what}: {item['msg']}" for item in error.errors()[:5])
        raise InvalidInput(f"the {what} is not as CDS Hooks has it: {wrong}") from error


def _outcome(status: int, code: str, told: str) -> Response:
    issue = {"severity": "error", "code": code, "diagnostics": told}
    body = {"resourceType": "OperationOutcome", "issue": [issue]}
    return JSONResponse(body, status_code=status, media_type=_FHIR)


async def _unforeseen(_: Request, error: Exception) -> Response:
    logger.error("Call failed", extra={"action": "cds", "error": type(error).__name__})
    return _outcome(500, "exception", f"unexpected {type(error).__name__}; nothing was checked")
