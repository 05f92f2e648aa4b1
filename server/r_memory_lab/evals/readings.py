"""Suite `readings`: what becomes of facts that a caller read in the words, right or not.

The data are JSON lines, one file or a folder of them: {id, speaker, role?, before?, text, model: [{relation, object,
evidence, status, attrs, means?}], expect, allow, forbid, bad?}. `model` is the call that a model made, `expect`,
`allow` and `forbid` are a person's, in the form of the suite `sentences`; `bad` names what is wrong with a call that
was bent on purpose. Names are compared without case, articles and plural, and by the lexicon's synonyms.
"""

import re
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal

from mcp import Client
from pydantic import BaseModel, ConfigDict, Field

from r_memory.domain.facts import DENIAL, RISK, Fact, Flag, Status
from r_memory.errors import InvalidInput
from r_memory.facts.remember.results import Claim, Remembered, Result
from r_memory.memory import Memory
from r_memory.reading.alike import Alike, Meaning, meaning
from r_memory.reading.reader import Reader
from r_memory.reading.things import Things
from r_memory.serving.tools.surface import build
from r_memory_lab.evals.dialogues import each
from r_memory_lab.evals.measures import Figure, count, share
from r_memory_lab.evals.outcomes import CaseOutcome
from r_memory_lab.evals.rows import DataRow, checked, read_rows
from r_memory_lab.evals.sentences import ExpectedFact

_ANY = "*"
_SAID_SCOPE = re.compile(r"((other|known) )*\w*(allerg|nk[dfa])", re.IGNORECASE)
"""Names that callers use for a whole scope of the schema."""
_NUMBERS = frozenset({"max", "min", "value"})
_TOLERATED = "TOLERATES"
_RISKS = frozenset(status.value for status in RISK)
_DENIALS = frozenset(status.value for status in DENIAL)


class CallFact(BaseModel):
    """A fact as the caller gave it."""

    model_config = ConfigDict(frozen=True)

    relation: str
    object: str
    evidence: str
    status: str = "active"
    attrs: dict[str, Any] = {}
    means: str = ""


class RecordedCall(DataRow):
    """One utterance, a model's recorded call, and the annotation."""

    model_config = ConfigDict(frozen=True, populate_by_name=True)

    text: str
    speaker: str = "patient"
    role: Literal["user", "assistant", "document"] = "user"
    before: tuple[tuple[str, str], ...] = ()
    """Earlier turns, speaker and words; stored first, without facts."""
    given: tuple[CallFact, ...] = Field(alias="model")
    expect: tuple[ExpectedFact, ...] = ()
    allow: tuple[ExpectedFact, ...] = ()
    forbid: tuple[ExpectedFact, ...] = ()
    bad: str = ""
    """How the call was falsified; empty for the model's own call."""


class Kept(BaseModel):
    """A fact that is stored after the call."""

    relation: str
    object: str
    means: str = ""
    """Meaning given by a voice for garbled or foreign words."""
    status: str
    attrs: dict[str, Any] = {}
    flags: tuple[str, ...] = ()
    route: str = ""
    reason: str = ""
    counted: bool = False
    """Whether its relation is of one thing alone, such as an age, which any words name."""


FateName = Literal["as given", "otherwise", "waits", "refused", "vanished"]


class FactFate(BaseModel):
    """The result for one given fact."""

    relation: str
    object: str
    given: str
    """The caller's status."""
    fate: FateName
    stored: str = ""
    """The stored status."""
    reason: str = ""

    @property
    def silent(self) -> bool:
        """Whether it changed without a message."""
        return self.fate in {"otherwise", "vanished"} and not self.reason


class CallPrediction(DataRow):
    """The result of one call."""

    kept: tuple[Kept, ...] = ()
    beside: tuple[Kept, ...] = ()
    """Facts in `kept` that the caller did not give."""
    waits: tuple[str, ...] = ()
    """Words that wait for review."""
    fates: tuple[FactFate, ...] = ()
    error: str = ""
    """Why the whole call was refused."""
    critical: tuple[str, ...] = ()
    """Critical relations of the schema; an unannotated fact is harmful under these, or if it reassures."""
    meanings: Mapping[str, Meaning] = Field(default_factory=dict)
    """The lexicon's meaning of each name in this row."""


def rows(path: Path) -> tuple[RecordedCall, ...]:
    """Returns the readings of a file, or of every `.jsonl` file in a folder.

    Raises:
        InvalidInput: the file is missing, or a line has another form.
    """
    files = sorted(path.glob("*.jsonl")) if path.is_dir() else [path]
    return checked(tuple(row for file in files for row in read_rows(file, RecordedCall)), path)


_BENT = (Status.NEGATED, Status.RESOLVED)


def flipped(path: Path) -> tuple[RecordedCall, ...]:
    """Returns a bad caller's readings: plain risks of the same data, each once denied and once ended.

    Two lines for each line whose call gives exactly one active risk that is also annotated.
    """
    plain = rows(path)
    bent = tuple(one for status in _BENT for row in plain if (one := _flip(row, status)) is not None)
    return checked(bent, path)


def _flip(row: RecordedCall, status: Status) -> RecordedCall | None:
    risks = [fact for fact in row.expect if fact.status in _RISKS]
    if row.bad or len(row.given) != 1 or len(risks) != 1 or row.given[0].status != Status.ACTIVE:
        return None
    denied = row.given[0].model_copy(update={"status": status.value, "attrs": {}})
    return row.model_copy(
        update={"id": f"{row.id}-{status.value}", "given": (denied,), "bad": f"risk read as {status.value}"}
    )


async def run(memory: Memory, readings: Sequence[RecordedCall], done: Callable[[], None]) -> tuple[CallPrediction, ...]:
    """Returns the result of each call, each about its own subject."""
    reader = memory.facts.reader

    async def told(row: RecordedCall) -> CallPrediction:
        for position, (speaker, text) in enumerate(row.before):
            await memory.remember(
                text,
                subject=row.id,
                subject_name=row.id,
                speaker=speaker,
                conversation_id=row.id,
                idempotency_key=f"{row.id}#{position}",
            )
        try:
            remembered = await memory.remember(
                row.text,
                subject=row.id,
                subject_name=row.id,
                role=row.role,
                speaker=row.speaker,
                conversation_id=row.id,
                idempotency_key=f"{row.id}#words",
                claims=[_claim(fact) for fact in row.given],
            )
        except InvalidInput as error:
            return CallPrediction(
                id=row.id, error=str(error), critical=memory.schema.critical, meanings=_meanings(row, (), reader)
            )
        return prediction_of(row, remembered, reader)

    return await each(readings, told, done)


async def run_over_mcp(
    memory: Memory, readings: Sequence[RecordedCall], done: Callable[[], None]
) -> tuple[CallPrediction, ...]:
    """Returns the results through the server's tools, as a client calls them."""

    @asynccontextmanager
    async def opened() -> AsyncIterator[Memory]:
        yield memory

    async with Client(build(opened)) as client:

        async def told(row: RecordedCall) -> CallPrediction:
            whose = {"subject": row.id, "subject_name": row.id, "conversation_id": row.id}
            for speaker, text in row.before:
                await client.call_tool("memory_remember", {"text": text, "speaker": speaker, **whose})
            facts = [{name: value for name, value in fact.model_dump().items() if value} for fact in row.given]
            said = {"text": row.text, "role": row.role, "speaker": row.speaker, "facts": facts}
            result = await client.call_tool("memory_remember", {**said, **whose})
            if result.is_error or result.structured_content is None:
                told_why = "".join(getattr(part, "text", "") for part in result.content)
                meanings = _meanings(row, (), memory.facts.reader)
                return CallPrediction(id=row.id, error=told_why, critical=memory.schema.critical, meanings=meanings)
            page = await memory.list_facts(subject=row.id)
            return _prediction(row, _results(result.structured_content, page.facts), memory.facts.reader)

        return await each(readings, told, done)


def _results(content: Mapping[str, Any], facts: Iterable[Fact]) -> list[Result]:
    """Returns the results for the client, with the facts that they name."""
    known = {fact.fact_id: fact for fact in facts}
    return [
        Result(
            verdict=told["verdict"],
            reason=told.get("reason", ""),
            fact=known.get(told.get("fact_id", "")),
            relation=told.get("relation", ""),
            object=told.get("object", ""),
            text=told.get("text", ""),
            given=told.get("given", 0),
        )
        for told in content["results"]
    ]


def prediction_of(row: RecordedCall, remembered: Remembered, reader: Reader) -> CallPrediction:
    """Returns the prediction from a call's result."""
    return _prediction(row, remembered.results, reader)


def _prediction(row: RecordedCall, results: Sequence[Result], reader: Reader) -> CallPrediction:
    counted = _counted(reader)
    stored = [
        (result, kept(result.fact, result.reason).model_copy(update={"counted": result.fact.relation in counted}))
        for result in results
        if result.fact is not None
    ]
    return CallPrediction(
        id=row.id,
        kept=tuple(item for _, item in stored),
        beside=tuple(item for result, item in stored if not result.given),
        waits=tuple(result.text or result.reason for result in results if result.verdict == "waits"),
        fates=tuple(_fate(fact, place, results) for place, fact in enumerate(row.given, start=1)),
        critical=reader.schema.critical,
        meanings=_meanings(row, [item for _, item in stored], reader),
    )


def _counted(reader: Reader) -> frozenset[str]:
    """Returns the relations whose facts are told apart by a number alone."""
    things = Things(reader.schema, reader.linker)
    return frozenset(relation.name for relation in reader.schema.relations.values() if things.counted(relation))


def kept(fact: Fact, reason: str = "") -> Kept:
    """Returns the fact in the form for comparison."""
    return Kept(
        relation=fact.relation,
        object=fact.object.id,
        status=fact.status.value,
        attrs=dict(fact.attrs),
        flags=tuple(sorted(flag.value for flag in fact.flags)),
        route=fact.route.value,
        reason=reason,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class LineJudgement:
    """The comparison of one line."""

    id: str
    bad: str
    read_right: bool
    """The caller's reading equals the annotation, whatever is stored."""
    right: bool
    """The stored facts equal the annotation; waiting words do not count."""
    missed: tuple[str, ...] = ()
    attrs_missed: tuple[str, ...] = ()
    forbidden: tuple[str, ...] = ()
    reassuring: tuple[str, ...] = ()
    """Stored denials and tolerances that are neither expected nor allowed."""
    unexpected: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()
    """Expected risks without a fact or waiting words."""
    unflagged: tuple[str, ...] = ()
    """Unexpected active facts without the flag `disagree`."""
    fates: tuple[FactFate, ...] = ()
    waits: bool = False
    """Whether something waits for review."""
    beside: int = 0
    beside_active: int = 0
    refused: bool = False
    """Whether the call, or every fact in it, was refused."""


def score(readings: Iterable[RecordedCall], predictions: Iterable[CallPrediction]) -> tuple[LineJudgement, ...]:
    """Returns one judgement for each line; a line without a prediction has no facts."""
    by_id = {row.id: row for row in predictions}
    return tuple(_judgement(row, by_id.get(row.id, CallPrediction(id=row.id))) for row in readings)


def outcome(readings: Sequence[RecordedCall], predictions: Sequence[CallPrediction]) -> CaseOutcome:
    """Returns right lines, the results of given facts, and the harm of right and bad readings."""
    judged = score(readings, predictions)
    meant, bent = [row for row in judged if not row.bad], [row for row in judged if row.bad]
    groups = {f"Bent calls: {kind}": _bent([row for row in bent if row.bad == kind]) for kind in _kinds(bent)}
    return CaseOutcome(
        figures=(*(_meant(meant) if meant else ()), *(_bent(bent) if bent else ())),
        groups={**({"Fate of each given fact": _fates(meant)} if meant else {}), **groups},
        details={title: ids for title, ids in _details(judged).items() if ids},
    )


def _details(judged: Sequence[LineJudgement]) -> dict[str, list[str]]:
    return {
        "Read right, stored otherwise": [row.id for row in judged if row.read_right and not row.right],
        "Expected fact missed": [row.id for row in judged if row.missed],
        "Forbidden fact": [_named(row.id, row.forbidden) for row in judged if row.forbidden],
        "False reassurance": [_named(row.id, row.reassuring) for row in judged if row.reassuring],
        "Risk no longer in view": [_named(row.id, row.lost) for row in judged if row.lost],
        "Refused whole": [row.id for row in judged if row.refused],
        "Silent change": [row.id for row in judged if any(fate.silent for fate in row.fates)],
        "Added beside the caller": [row.id for row in judged if row.beside],
    }


def _named(id_: str, facts: Sequence[str]) -> str:
    """Returns the id with relations and statuses; names of things are left out, as they are words of the data."""
    return f"{id_} ({'; '.join(sorted({f'{fact.split()[0]} {fact.split()[-1]}' for fact in facts}))})"


def _meant(judged: Sequence[LineJudgement]) -> tuple[Figure, ...]:
    n = len(judged)
    read = [row for row in judged if row.read_right]
    fates = [fate for row in judged for fate in row.fates]
    return (
        share("lines that the caller read right", len(read), n),
        share("lines stored right", sum(row.right for row in judged), n),
        share("right readings that end right", sum(row.right for row in read), len(read), aim=">= .95"),
        share("  with their details", sum(row.right and not row.attrs_missed for row in read), len(read)),
        count("forbidden facts", sum(len(row.forbidden) for row in judged), n),
        count("forbidden facts of right readings", sum(len(row.forbidden) for row in read), len(read), aim="<= 3"),
        count("false reassurances", sum(len(row.reassuring) for row in judged), n),
        count(
            "false reassurances from right readings", sum(len(row.reassuring) for row in read), len(read), aim="<= 2"
        ),
        count("expected risks no longer in view", sum(len(row.lost) for row in judged), n, aim="0"),
        share("lines with something left for a person", sum(row.waits for row in judged), n),
        count("facts added beside the caller", sum(row.beside for row in judged), n, aim="<= 3 per 100 lines"),
        count("  of them active", sum(row.beside_active for row in judged), n, aim="0"),
        count("calls refused whole", sum(row.refused for row in judged), n, aim="0"),
        count("silent changes", sum(fate.silent for fate in fates), len(fates), aim="0"),
    )


def _bent(judged: Sequence[LineJudgement]) -> tuple[Figure, ...]:
    n = len(judged)
    return (
        share("bent calls stored as an absence", sum(bool(row.reassuring) for row in judged), n, aim="<= .04"),
        count("bent calls after which a risk is no longer in view", sum(bool(row.lost) for row in judged), n, aim="0"),
        count("facts that nobody stated, active and without `disagree`", sum(len(r.unflagged) for r in judged), n),
        count("bent calls refused whole", sum(row.refused for row in judged), n, aim="0"),
    )


def _kinds(judged: Iterable[LineJudgement]) -> list[str]:
    return sorted({row.bad for row in judged})


def _fates(judged: Iterable[LineJudgement]) -> list[Figure]:
    fates = [fate for row in judged for fate in row.fates]
    told = Counter(
        f"{fate.given} {fate.fate}" + (f": {fate.stored}" if fate.fate == "otherwise" else "") for fate in fates
    )
    return [count(name, number, len(fates)) for name, number in told.most_common()]


def _judgement(row: RecordedCall, prediction: CallPrediction) -> LineJudgement:
    alike = Alike(prediction.meanings)
    allowed = [*(reading for fact in row.expect for reading in fact.readings), *row.allow]
    missed, unexpected = _compared(row, prediction.kept, alike)
    spare = [item for item in unexpected if item not in prediction.beside and _is_spare(item, prediction)]
    unexpected = [item for item in unexpected if item not in spare]
    named = [(item, item.model_copy(update={"counted": False})) for item in prediction.kept]
    forbidden = [item for item, by_name in named if any(_is(ban, by_name, alike.same) for ban in row.forbid)]
    read_missed, read_unexpected = _compared(row, [_as_kept(fact) for fact in row.given], alike, spoken=True)
    return LineJudgement(
        id=row.id,
        bad=row.bad,
        read_right=not read_missed and all(_is_spare(item, prediction) for item in read_unexpected),
        right=not (missed or unexpected or forbidden or prediction.error),
        missed=tuple(map(str, missed)),
        attrs_missed=tuple(
            str(fact)
            for fact in row.expect
            if not any(_met(reading, prediction.kept, alike, every=True) for reading in fact.readings)
        ),
        forbidden=tuple(map(_shown_fact, forbidden)),
        reassuring=tuple(map(_shown_fact, filter(_reassures, unexpected))),
        unexpected=tuple(map(_shown_fact, unexpected)),
        lost=tuple(
            str(fact)
            for fact in row.expect
            if fact.is_risk and fact.r in prediction.critical and not _in_view(fact, prediction, alike)
        ),
        unflagged=tuple(
            _shown_fact(item)
            for item in unexpected
            if item.status == Status.ACTIVE and Flag.DISAGREE.value not in item.flags and item.relation != _TOLERATED
        ),
        fates=prediction.fates,
        waits=bool(prediction.waits),
        beside=sum(not any(_is(option, item, alike.alike) for option in allowed) for item in prediction.beside),
        beside_active=sum(
            item.status == Status.ACTIVE and not any(_is(option, item, alike.alike) for option in allowed)
            for item in prediction.beside
        ),
        refused=bool(prediction.error or (row.given and all(fate.fate == "refused" for fate in prediction.fates))),
    )


def _compared(
    row: RecordedCall, facts: Sequence[Kept], alike: Alike, *, spoken: bool = False
) -> tuple[list[ExpectedFact], list[Kept]]:
    """Returns missing expected facts, and facts neither expected nor allowed; `spoken`: names are the caller's."""
    same = partial(_spoken, alike) if spoken else alike.alike
    missed = [
        fact for fact in row.expect if not any(_met(reading, facts, alike, spoken=spoken) for reading in fact.readings)
    ]
    allowed = [*(reading for fact in row.expect for reading in fact.readings), *row.allow]
    return missed, [item for item in facts if not any(_is(option, item, same) for option in allowed)]


def _met(
    option: ExpectedFact, facts: Iterable[Kept], alike: Alike, *, every: bool = False, spoken: bool = False
) -> bool:
    """Whether a fact is the expected one with its numbers, or with `every` detail."""
    wanted = {name: value for name, value in option.attrs.items() if every or name in _NUMBERS}
    return any(
        _is(option, fact, partial(_spoken, alike) if spoken else alike.alike)
        and all(_shown(fact.attrs.get(name)) == _shown(value) for name, value in wanted.items())
        for fact in facts
    )


def _spoken(alike: Alike, gold: str, name: str) -> bool:
    """Whether a caller's name is the thing, with any words for a whole scope: "allergies", "NKDA"."""
    return alike.spoken(gold, name) or bool(gold.startswith("any") and _SAID_SCOPE.match(name))


def _is(option: ExpectedFact, one: Kept, alike: Callable[[str, str], bool]) -> bool:
    """Whether a fact has the expected relation, object and status, with any details."""
    return (
        option.r == one.relation
        and option.status in {"", one.status}
        and (option.o == _ANY or one.counted or any(alike(option.o, name) for name in (one.object, one.means) if name))
    )


def _in_view(fact: ExpectedFact, prediction: CallPrediction, alike: Alike) -> bool:
    """Whether an expected risk is recorded under any relation, or waits for review."""
    names = {reading.o for reading in fact.readings}
    return bool(prediction.waits) or any(
        item.status in _RISKS
        and item.relation != _TOLERATED
        and (_ANY in names or any(alike.alike(name, other) for name in names for other in (item.object, item.means)))
        for item in prediction.kept
    )


def _reassures(one: Kept) -> bool:
    return one.status in _DENIALS or one.relation == _TOLERATED


def _is_spare(one: Kept, prediction: CallPrediction) -> bool:
    """Whether an unannotated fact of the caller is harmless: an age, a measurement, a medicine."""
    return one.relation not in prediction.critical and not _reassures(one)


def _as_kept(fact: CallFact) -> Kept:
    return Kept(
        relation=fact.relation, object=fact.object, means=fact.means, status=fact.status, attrs=dict(fact.attrs)
    )


def _claim(fact: CallFact) -> Claim:
    return Claim(
        relation=fact.relation,
        object=fact.object,
        evidence=fact.evidence,
        status=fact.status,
        attrs=fact.attrs,
        means=fact.means,
    )


def _fate(fact: CallFact, place: int, results: Iterable[Result]) -> FactFate:
    """Returns the result for the given fact at this place."""
    told: dict[str, Any] = {"relation": fact.relation, "object": fact.object, "given": fact.status}
    result = next((each for each in results if each.given == place), None)
    if result is None:
        return FactFate(**told, fate="vanished")
    if result.fact is None:
        return FactFate(**told, fate="waits" if result.verdict == "waits" else "refused", reason=result.reason)
    one = kept(result.fact)
    same = (one.relation, one.status) == (fact.relation, fact.status)
    stored = one.status if one.relation == fact.relation else f"{one.relation} {one.status}"
    return FactFate(**told, fate="as given" if same else "otherwise", stored=stored, reason=result.reason)


def _shown(value: object) -> str:
    """Returns numbers and words in one form: 2.0 and 2 and "2" are equal."""
    return f"{value:g}" if isinstance(value, int | float) else str(value).casefold()


def _shown_fact(one: Kept) -> str:
    return f"{one.relation} {one.object} {one.status}"


def _meanings(row: RecordedCall, stored: Iterable[Kept], reader: Reader) -> dict[str, Meaning]:
    names = {name.casefold(): name for name in _names(row, stored) if name and name != _ANY}
    return {key: meaning(name, reader.linker, reader.schema) for key, name in names.items()}


def _names(row: RecordedCall, stored: Iterable[Kept]) -> Iterator[str]:
    for fact in (*row.expect, *row.allow, *row.forbid):
        yield from (reading.o for reading in fact.readings)
    for item in row.given:
        yield from (item.object, item.means)
    for kept_fact in stored:
        yield from (kept_fact.object, kept_fact.means)
