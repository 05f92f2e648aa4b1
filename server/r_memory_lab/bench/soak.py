"""Mixed callers of two tenants over HTTP, for as long as one likes, while the database is killed and started again.

    python -m r_memory_lab.bench.soak --minutes 20 --restart "scripts/neo4j restart" --report FILE

Every caller keeps the simplest model of its own patient, what it was told is stored, and holds each answer against it
(Jepsen's way): an acknowledged fact that a complete answer lacks is lost, one that nobody stated is wrong, a word of
the other tenant is a leak. Settings come from the environment; `--restart` is run twice.
"""

import argparse
import asyncio
import http.client
import itertools
import json
import os
import random
import secrets
import shlex
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from r_memory.config.access_tokens import add_token
from r_memory.config.files import Files
from r_memory.config.loading import load_domain
from r_memory.config.settings import PREFIX, Settings
from r_memory.wiring import open_memory
from r_memory_lab.bench.serving import serving
from r_memory_lab.evals.evaluation import report_of
from r_memory_lab.evals.measures import Figure, count, percentile
from r_memory_lab.evals.outcomes import Outcome
from r_memory_lab.reporting import print_report, save, today

CALLERS = 4
"""For each of two tenants."""
FACTS = 30
"""About one patient; then the caller goes on with the next."""
_LIMIT_S = 60.0
_PAUSE_S = 0.25
"""Before a call that was refused is made again."""
_PROTOCOL = "2026-07-28"
_UNAVAILABLE = (
    "SAFETY MEMORY UNAVAILABLE",
    "Nothing was stored",
    "is not known",
    "could not be stored yet",
    "again",
)
_ORDER = "Prescribe something for the infection."


@dataclass(slots=True)
class Seen:
    """What the callers of the whole run saw."""

    took: list[tuple[float, str, float]] = field(default_factory=list)
    """When each call ended, in seconds of the run; its tool; its milliseconds."""
    acknowledged: int = 0
    unavailable: int = 0
    """Calls that said that memory could not be reached, or came to no answer."""
    lost: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    leaks: list[str] = field(default_factory=list)
    odd: list[str] = field(default_factory=list)
    """Errors in words that say neither."""


@dataclass(slots=True)
class Patient:
    """The model: what one patient's record must hold."""

    id: str
    name: str
    stored: set[str] = field(default_factory=set)
    maybe: set[str] = field(default_factory=set)
    """Stated in a call that came to no answer."""


class Caller:
    """One client of one tenant, with a connection and a patient of its own."""

    def __init__(self, url: str, token: str, *, tenant: str, other: str, number: int, seen: Seen, began: float) -> None:
        self._address, self._path = urlsplit(url).netloc, urlsplit(url).path
        self._token, self._tenant, self._other, self._number = token, tenant, other, number
        self._seen, self._began = seen, began
        self._connection = http.client.HTTPConnection(self._address, timeout=_LIMIT_S)
        self._random = random.Random(f"{tenant}{number}")  # noqa: S311 - chooses what to call, no secret
        self._patients = (
            Patient(id=f"{tenant}-{number}-{turn}", name=f"{tenant.title()} Patient {number} {turn}")
            for turn in itertools.count()
        )
        self._ids = itertools.count()

    def run(self, ends: float, drugs: Sequence[str]) -> None:
        """Calls until the end, then reads what must be there once more."""
        told: list[Patient] = []
        while time.monotonic() < ends:
            patient = next(self._patients)
            told.append(patient)
            self._with(patient, self._random.sample(drugs, FACTS), ends)
        for patient in told:
            self._read(patient, "memory_list_facts", patience_s=120)

    def _with(self, patient: Patient, drugs: Sequence[str], ends: float) -> None:
        for drug in drugs:
            if time.monotonic() >= ends:
                return
            self._remember(patient, drug, ends)
            for _ in range(self._random.randrange(3)):
                tool = self._random.choice(("memory_build_context", "memory_list_facts", "memory_check_text"))
                self._read(patient, tool)

    def _remember(self, patient: Patient, drug: str, ends: float) -> None:
        """States an allergy, again under the same key until somebody says that it is stored, as a host would."""
        patient.maybe.add(drug)
        while True:
            told = self._call(
                "memory_remember",
                text=f"I am severely allergic to {drug}.",
                subject=patient.id,
                subject_name=patient.name,
                idempotency_key=f"{patient.id}/{drug}",
            )
            if told is not None and not told.get("pending"):
                patient.maybe.discard(drug)
                patient.stored.add(drug)
                self._seen.acknowledged += 1
                return
            if time.monotonic() >= ends:
                return

    def _read(self, patient: Patient, tool: str, *, patience_s: float = 0.0) -> None:
        if not patient.stored:
            return
        gives_up = time.monotonic() + patience_s
        while True:
            arguments = {"query": _ORDER} if tool == "memory_build_context" else {}
            arguments |= {"text": "Take it twice a day."} if tool == "memory_check_text" else {}
            told = self._call(tool, subject=patient.id, **arguments)
            if told is not None:
                self._compare(patient, tool, told)
                return
            if time.monotonic() >= gives_up:
                return

    def _compare(self, patient: Patient, tool: str, told: Mapping[str, Any]) -> None:
        if tool == "memory_check_text":
            return
        if not told["complete"]:
            self._seen.unavailable += 1
            return
        place = f"{patient.id} {tool}"
        if tool == "memory_list_facts":
            listed = [fact["object"].casefold() for fact in told["facts"]]
            self._seen.wrong += [f"{place}: {one} twice" for one in set(listed) if listed.count(one) > 1]
            self._seen.wrong += [f"{place}: {one} never said" for one in set(listed) - patient.stored - patient.maybe]
            self._seen.lost += [f"{place}: {one}" for one in patient.stored - set(listed)]
        else:
            block = told["block"].casefold()
            self._seen.lost += [f"{place}: {one}" for one in patient.stored if one not in block]

    def _call(self, tool: str, **arguments: object) -> Mapping[str, Any] | None:
        """The structured result; `None` for an error or no answer."""
        began = time.monotonic()
        try:
            raw = self._sent(tool, arguments)
        except (OSError, http.client.HTTPException):
            self._connection.close()
            self._connection = http.client.HTTPConnection(self._address, timeout=_LIMIT_S)
            self._seen.unavailable += 1
            time.sleep(_PAUSE_S)
            return None
        now = time.monotonic()
        self._seen.took.append((now - self._began, tool, (now - began) * 1000))
        if self._other in raw:
            self._seen.leaks.append(f"{self._tenant} {tool}")
        result = _message(raw).get("result", {})
        if result and not result.get("isError"):
            structured: Mapping[str, Any] = result["structuredContent"]
            return structured
        said = raw[:300]
        self._seen.unavailable += 1
        time.sleep(_PAUSE_S)
        if not any(sentence in raw for sentence in _UNAVAILABLE):
            self._seen.odd.append(f"{tool}: {said}")
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
            "Authorization": f"Bearer {self._token}",
            "MCP-Protocol-Version": _PROTOCOL,
            "Mcp-Method": "tools/call",
            "Mcp-Name": tool,
        }
        self._connection.request("POST", self._path, json.dumps(body), headers)
        return self._connection.getresponse().read().decode()


def _message(raw: str) -> Mapping[str, Any]:
    """The message, by itself or, where it took long, as the last event of a stream."""
    body = raw if raw.startswith("{") else raw.rpartition("\ndata: ")[2].partition("\n")[0]
    message: Mapping[str, Any] = json.loads(body) if body.startswith("{") else {}
    return message


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """The server's processes at one moment."""

    at: float
    mib: float
    descriptors: int


_WATCHED: Sequence[tuple[str, Callable[[Sample], float], str]] = (
    ("memory of the server's processes", lambda one: one.mib, "MiB"),
    ("open descriptors", lambda one: one.descriptors, ""),
)


async def soaked(minutes: float, restart: str, report: Path | None, json_file: Path | None) -> None:
    """Runs, and prints and writes the figures."""
    settings = Settings.from_environment()
    seen, samples, down = Seen(), list[Sample](), list[float]()
    tag = secrets.token_hex(4)
    tenants = (f"alpha{tag}", f"omega{tag}")
    drugs = _drugs(settings)
    with tempfile.TemporaryDirectory(prefix="r-memory-soak-") as folder:
        tokens = Path(folder) / "tokens.yaml"
        borne = {tenant: add_token(tokens, tenant, space=tenant) for tenant in tenants}
        own = {"HTTP_WORKERS": "2", "HTTP_RATE": "0", "HTTP_TOKEN_FILE": str(tokens)}
        environment = {**os.environ, **{PREFIX + name: value for name, value in own.items()}}
        async with AsyncExitStack() as stack:
            url = await serving(stack, environment, Path(folder) / "log")
            began = time.monotonic()
            ends = began + minutes * 60
            watching = asyncio.create_task(_watch(samples, began))
            callers = [
                Caller(url, borne[tenant], tenant=tenant, other=other, number=number, seen=seen, began=began)
                for tenant, other in (tenants, tenants[::-1])
                for number in range(CALLERS)
            ]
            restarting = asyncio.create_task(_restarted(restart, began, minutes * 60, down))
            await asyncio.gather(*(asyncio.to_thread(caller.run, ends, drugs) for caller in callers))
            await restarting
            watching.cancel()
        differences = [await _differences(replace(settings, space=tenant)) for tenant in tenants]
        async with open_memory(settings) as memory:
            described = await memory.describe()
    made = report_of(
        _outcome(seen, samples, down, differences),
        described,
        suite="soak",
        title="mixed callers of two tenants while the database is restarted",
        date=today(),
        command=f"python -m r_memory_lab.bench.soak --minutes {minutes:g} --restart {shlex.quote(restart)}",
        route="local",
        store="an unreachable store" if described.health is None else described.health.name,
    )
    save(made, as_json=json_file, as_markdown=report)
    print_report(made)


def _drugs(settings: Settings) -> Sequence[str]:
    """Names that stand in no other name, so that an answer holds each or not."""
    names = [name.casefold() for name in load_domain(Files(), settings.schema).schema.lexicon.terms["Drug"]]
    plain = [name for name in names if name.isalpha() and len(name) > 5]
    return sorted(name for name in plain if not any(name != other and name in other for other in names))


async def _restarted(command: str, began: float, seconds: float, down: list[float]) -> None:
    """Runs the command at one and two thirds of the time."""
    for part in (1, 2) if command else ():
        await asyncio.sleep(max(0.0, began + seconds * part / 3 - time.monotonic()))
        at = time.monotonic()
        process = await asyncio.create_subprocess_exec(*shlex.split(command), stdout=asyncio.subprocess.DEVNULL)
        await process.wait()
        down.append(time.monotonic() - at)


async def _watch(samples: list[Sample], began: float) -> None:
    """Memory and descriptors of the processes below this one, once a second; Linux only."""
    while True:
        pids = _below(os.getpid())
        mib = sum(_mib(pid) for pid in pids)
        samples.append(Sample(at=time.monotonic() - began, mib=mib, descriptors=sum(map(_descriptors, pids))))
        await asyncio.sleep(1)


def _below(pid: int) -> list[int]:
    try:
        children = [int(one) for one in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []
    serving_ = [one for one in children if b"r_memory" in _command(one) or b"multiprocessing" in _command(one)]
    return [*serving_, *(below for child in serving_ for below in _below(child))]


def _command(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def _mib(pid: int) -> float:
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20
    except OSError:
        return 0.0


def _descriptors(pid: int) -> int:
    try:
        return sum(1 for _ in Path(f"/proc/{pid}/fd").iterdir())
    except OSError:
        return 0


async def _differences(settings: Settings) -> int:
    async with open_memory(settings) as memory:
        return len((await memory.verify()).differences)


def _outcome(seen: Seen, samples: Sequence[Sample], down: Sequence[float], differences: Sequence[int]) -> Outcome:
    calls = len(seen.took)
    groups = {
        tool: _spread([(at, ms) for at, name, ms in seen.took if name == tool])
        for tool in sorted({tool for _, tool, _ in seen.took})
    }
    return Outcome(
        figures=(
            count("calls that came to an answer", calls, calls),
            count("calls that said memory was unavailable, or broke off", seen.unavailable, calls),
            count("acknowledged writes", seen.acknowledged, seen.acknowledged),
            count("acknowledged facts that a complete answer lacked", len(seen.lost), calls, aim="0"),
            count("facts that nobody stated, or twice", len(seen.wrong), calls, aim="0"),
            count("answers with a word of the other tenant", len(seen.leaks), calls, aim="0"),
            count("errors in words that do not say what became of the call", len(seen.odd), calls, aim="0"),
            count("differences found by verify", sum(differences), 2, aim="0"),
            *(
                Figure(name=f"restart {number}: the command took", value=took, n=1, unit="s")
                for number, took in enumerate(down, 1)
            ),
            *_growth(samples),
        ),
        groups=groups,
        details={name: tuple(getattr(seen, name)) for name in ("lost", "wrong", "leaks", "odd")},
        notes=(f"{2 * CALLERS} callers of two tenants, two workers, database restarted {len(down)} times.",),
    )


def _growth(samples: Sequence[Sample]) -> tuple[Figure, ...]:
    """Medians of the second and the last quarter: the first is warming up."""
    if len(samples) < 8:
        return ()
    quarter = len(samples) // 4
    quarters = (("second", samples[quarter : 2 * quarter]), ("last", samples[-quarter:]))
    return tuple(
        Figure(name=f"{name}, {when} quarter", value=percentile(map(of, some), 0.5), n=len(some), unit=unit)
        for name, of, unit in _WATCHED
        for when, some in quarters
    )


def _spread(took: Sequence[tuple[float, float]]) -> tuple[Figure, ...]:
    """Percentiles of the first and the second half: what grows shows."""
    middle = max(at for at, _ in took) / 2
    first, second = ([ms for at, ms in took if (at > middle) == later] for later in (False, True))
    return tuple(
        Figure(name=f"{when}, p{share * 100:g}", value=percentile(values, share), n=len(values), unit="ms")
        for when, values in (("first half", first), ("second half", second))
        if values
        for share in (0.5, 0.95, 0.99)
    )


def main() -> None:
    """Reads the command line and runs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=20.0)
    parser.add_argument("--restart", default="", metavar="COMMAND", help="kills the database and starts it again")
    parser.add_argument("--report", type=Path)
    parser.add_argument("--json", type=Path)
    asked = parser.parse_args()
    asyncio.run(soaked(asked.minutes, asked.restart, asked.report, asked.json))


if __name__ == "__main__":
    main()
