"""Callers of one tenant over HTTP, and the sequential model that each answer is held against.

The model of a patient is a set that only grows. What was acknowledged before a call began must be in its complete
answer, or it is lost; what nobody had stated when it ended must not, or it is wrong; a word of the other tenant is a
leak. Callers also read the patients of each other, so that an answer may not lag behind what another was told.
"""

import http.client
import itertools
import json
import random
import time
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

TOOLS = ("memory_remember", "memory_list_facts", "memory_build_context", "memory_check_text")
_READS = {"memory_list_facts": 0.7, "memory_build_context": 0.15, "memory_check_text": 0.15}
"""Shares of the reading tools."""
FACTS = 12
"""Facts about one patient before the caller continues with the next."""
_READS_A_WRITE = 9
_AGAIN = 0.1
"""Share of acknowledged writes that are sent again under their key."""
_OTHERS = 0.25
"""Share of reads about another caller's patient."""
_LIMIT_S = 60.0
_WARM_UP_S = 300.0
_PAUSE_S = 0.25
"""Seconds before a refused call is repeated."""
_PROTOCOL = "2026-07-28"
_UNAVAILABLE = (
    "SAFETY MEMORY UNAVAILABLE",
    "Nothing was stored",
    "is not known",
    "may be stored too",
    "again",
)
_ORDER = "Prescribe something for the infection."


@dataclass(slots=True)
class CallerLog:
    """The observations of one caller, or of all."""

    took: list[tuple[float, str, float]] = field(default_factory=list)
    """End of each call in seconds of the run, its tool, and its milliseconds."""
    compared: int = 0
    """Number of acknowledged writes, and of complete answers compared with the model."""
    acknowledged: int = 0
    unavailable: int = 0
    """Number of calls without an answer, or told that the memory is unavailable."""
    lost: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    leaks: list[str] = field(default_factory=list)
    odd: list[str] = field(default_factory=list)
    """Messages of other errors."""

    def __add__(self, other: "CallerLog") -> "CallerLog":
        return CallerLog(**{name: getattr(self, name) + getattr(other, name) for name in self.__slots__})


@dataclass(slots=True)
class Patient:
    """The model: the expected record of one patient."""

    id: str
    name: str
    stated: set[str] = field(default_factory=set)
    """Facts whose statement was started, whatever the result of the call."""
    stored: set[str] = field(default_factory=set)
    """Acknowledged facts."""


@dataclass(slots=True)
class Tenant:
    """A tenant with its space and its callers' patients."""

    name: str
    other: str
    """A name that no answer may contain."""
    token: str
    patients: list[Patient] = field(default_factory=list)


class Caller:
    """A client of a tenant with its own connection; it speaks about one patient after another."""

    def __init__(self, url: str, tenant: Tenant, *, number: int) -> None:
        self._address, self._path = urlsplit(url).netloc, urlsplit(url).path
        self._tenant, self._number = tenant, number
        self.seen, self._began = CallerLog(), time.monotonic()
        self._connection = http.client.HTTPConnection(self._address, timeout=_LIMIT_S)
        self._random = random.Random(f"{tenant.name}{number}")
        self._ids = itertools.count()

    def warm_up(self, drug: str) -> None:
        """Calls until a write is acknowledged, at most five minutes, as a starting server is no failure."""
        patient = Patient(id=f"{self._tenant.name}-{self._number}-first", name=f"First {self._number}")
        self._remember(patient, drug, time.monotonic() + _WARM_UP_S)
        self.seen = CallerLog()

    def run(self, began: float, ends: float, drugs: Sequence[str]) -> None:
        """Calls until the end, then reads again what must be stored."""
        self._began = began
        told: list[Patient] = []
        while time.monotonic() < ends:
            turn = len(told)
            patient = Patient(
                id=f"{self._tenant.name}-{self._number}-{turn}",
                name=f"{self._tenant.name.title()} Patient {self._number} {turn}",
            )
            told.append(patient)
            self._tenant.patients.append(patient)
            self._with(patient, self._random.sample(drugs, FACTS), ends)
        for patient in told:
            self._read(patient, "memory_list_facts", patience_s=120)

    def _with(self, patient: Patient, drugs: Sequence[str], ends: float) -> None:
        for drug in drugs:
            self._remember(patient, drug, ends)
            if self._random.random() < _AGAIN:
                self._remember(patient, drug, ends)
            for _ in range(_READS_A_WRITE):
                if time.monotonic() >= ends:
                    return
                of_others = self._random.random() < _OTHERS
                whose = self._random.choice(self._tenant.patients[-8:]) if of_others else patient
                self._read(whose, self._random.choices(tuple(_READS), tuple(_READS.values()))[0])

    def _remember(self, patient: Patient, drug: str, ends: float) -> None:
        """States an allergy, and repeats it under the same key until it is acknowledged, as a host would."""
        patient.stated.add(drug)
        while time.monotonic() < ends:
            told = self._call(
                "memory_remember",
                text=f"I am severely allergic to {drug}.",
                subject=patient.id,
                subject_name=patient.name,
                idempotency_key=f"{patient.id}/{drug}",
            )
            if told is not None and not told.get("pending"):
                patient.stored.add(drug)
                self.seen.acknowledged += 1
                self.seen.compared += 1
                return
            time.sleep(_PAUSE_S)

    def _read(self, patient: Patient, tool: str, *, patience_s: float = 0.0) -> None:
        gives_up = time.monotonic() + patience_s
        while stored := frozenset(patient.stored):
            named = self._random.choice(sorted(stored))
            arguments = {"query": _ORDER} if tool == "memory_build_context" else {}
            arguments |= {"text": f"Take {named} twice a day."} if tool == "memory_check_text" else {}
            told = self._call(tool, subject=patient.id, **arguments)
            if told is not None and told["complete"]:
                self.seen.compared += 1
                self._compare(patient, tool, stored if tool != "memory_check_text" else {named}, told)
                return
            self.seen.unavailable += told is not None
            if time.monotonic() >= gives_up:
                return
            time.sleep(_PAUSE_S)

    def _compare(self, patient: Patient, tool: str, stored: AbstractSet[str], told: Mapping[str, Any]) -> None:
        """Compares an answer with what was stored before the call and stated by its end."""
        place = f"{patient.id} {tool}"
        if tool == "memory_list_facts":
            listed = [fact["object"].casefold() for fact in told["facts"]]
            self.seen.wrong += [f"{place}: {item} twice" for item in set(listed) if listed.count(item) > 1]
            self.seen.wrong += [f"{place}: {item} never said" for item in set(listed) - patient.stated]
            self.seen.lost += [f"{place}: {item}" for item in stored - set(listed)]
        elif tool == "memory_build_context":
            block = told["block"].casefold()
            self.seen.lost += [f"{place}: {item}" for item in stored if item not in block]
        elif told["verdict"] != "conflict":
            self.seen.lost += [f"{place}: {item} is {told['verdict']}" for item in stored]

    def _call(self, tool: str, **arguments: object) -> Mapping[str, Any] | None:
        """Returns the structured result; `None` for an error or no answer."""
        began = time.monotonic()
        try:
            raw = self._sent(tool, arguments)
        except (OSError, http.client.HTTPException):
            self._connection.close()
            self._connection = http.client.HTTPConnection(self._address, timeout=_LIMIT_S)
            self.seen.unavailable += 1
            time.sleep(_PAUSE_S)
            return None
        now = time.monotonic()
        self.seen.took.append((now - self._began, tool, (now - began) * 1000))
        if self._tenant.other in raw:
            self.seen.leaks.append(f"{self._tenant.name} {tool}")
        result = _message(raw).get("result", {})
        if result and not result.get("isError"):
            structured: Mapping[str, Any] = result["structuredContent"]
            return structured
        self.seen.unavailable += 1
        if not any(sentence in raw for sentence in _UNAVAILABLE):
            self.seen.odd.append(f"{tool}: {raw[:300]}")
        time.sleep(_PAUSE_S)
        return None

    def _sent(self, tool: str, arguments: Mapping[str, object]) -> str:
        meta = {
            "io.modelcontextprotocol/protocolVersion": _PROTOCOL,
            "io.modelcontextprotocol/clientInfo": {"name": f"soak {self._number}", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {},
        }
        params = {"name": tool, "arguments": arguments, "_meta": meta}
        body = {"jsonrpc": "2.0", "id": next(self._ids), "method": "tools/call", "params": params}
        headers = {
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            "Authorization": f"Bearer {self._tenant.token}",
            "MCP-Protocol-Version": _PROTOCOL,
            "Mcp-Method": "tools/call",
            "Mcp-Name": tool,
        }
        self._connection.request("POST", self._path, json.dumps(body), headers)
        return self._connection.getresponse().read().decode()


def _message(raw: str) -> Mapping[str, Any]:
    """Returns the message, also if it is the last event of a stream."""
    body = raw if raw.startswith("{") else raw.rpartition("\ndata: ")[2].partition("\n")[0]
    message: Mapping[str, Any] = json.loads(body) if body.startswith("{") else {}
    return message
