"""Suite `corrections`: whether what somebody takes back, or puts right, lands on the fact that was recorded.

The data are JSON lines: {id, kind, before: [said], said, stands: [{relation, object, status, attrs?, about?}], waits?},
where `said` is {text, speaker?, about?, given}: the caller's reading, `null` where it did not read. In `corrects` of a
reading, `@1` stands for the id of the first fact that was recorded before. `status` of what must stand afterwards is
one of the schema, or `disputed`: in view as a risk, and contradicted. `waits` says that the words wait as well.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict

from r_memory.domain.events import EventKind
from r_memory.domain.facts import RISK, Fact
from r_memory.facts.remember.results import Claim, Remembered
from r_memory.memory import Memory
from r_memory_lab.evals.dialogues import each
from r_memory_lab.evals.measures import Figure, count, share
from r_memory_lab.evals.outcomes import CaseOutcome
from r_memory_lab.evals.rows import DataRow, read_rows

__all__ = ["CorrectionCase", "Landing", "outcome", "rows", "run"]

DISPUTED = "disputed"


class GivenFact(BaseModel):
    """A fact as the caller gave it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    relation: str
    object: str
    evidence: str
    status: str = "active"
    attrs: dict[str, Any] = {}
    corrects: str = ""


class Said(BaseModel):
    """One statement and the caller's reading of it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    text: str
    speaker: str = "user"
    about: str = "A"
    given: tuple[GivenFact, ...] | None


class ExpectedStanding(BaseModel):
    """A fact as it must stand afterwards; of its attributes those that are named."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    relation: str
    object: str
    status: str
    attrs: dict[str, Any] = {}
    about: str = "A"


class CorrectionCase(DataRow):
    """What was said, what puts it right, and what must stand then."""

    kind: str
    before: tuple[Said, ...]
    said: Said
    stands: tuple[ExpectedStanding, ...]
    waits: bool = False


class Landing(DataRow):
    """The result of one correction."""

    stands: tuple[ExpectedStanding, ...]
    """All facts recorded afterwards, about all subjects."""
    waits: bool
    strengthened: tuple[str, ...] = ()
    """Relations of facts that the correction observed again unchanged."""


def rows(path: Path) -> tuple[CorrectionCase, ...]:
    """Returns the rows of a file of one schema.

    Raises:
        InvalidInput: the file is missing, or a line has another form.
    """
    return read_rows(path, CorrectionCase)


async def run(memory: Memory, corrections: Sequence[CorrectionCase], done: Callable[[], None]) -> tuple[Landing, ...]:
    """Returns the result of each correction, each about its own people."""

    async def landed(row: CorrectionCase) -> Landing:
        told: list[Fact] = []
        for said in row.before:
            told += (await _tell(memory, row.id, said, told)).facts
        before = {fact.fact_id: fact for fact in told}
        remembered = await _tell(memory, row.id, row.said, told)
        listed: list[ExpectedStanding] = []
        for about in dict.fromkeys([*(said.about for said in row.before), row.said.about]):
            page = await memory.list_facts(subject=f"{row.id}-{about}", statuses=_EVERY)
            listed += (_standing(fact, about) for fact in page.facts)
        strengthened = [fact.relation for fact in before.values() if await _told_again(memory, fact)]
        return Landing(id=row.id, stands=tuple(listed), waits=remembered.pending > 0, strengthened=tuple(strengthened))

    return await each(corrections, landed, done)


_EVERY = ("active", "unconfirmed", "negated", "refuted", "resolved", "entered_in_error")


async def _tell(memory: Memory, id_: str, said: Said, told: Sequence[Fact]) -> Remembered:
    who = f"{id_}-{said.about}"
    claims = None if said.given is None else [_claim(given, told) for given in said.given]
    return await memory.remember(said.text, subject=who, subject_name=who, speaker=said.speaker, claims=claims)


def _claim(given: GivenFact, told: Sequence[Fact]) -> Claim:
    of_id = given.corrects.removeprefix("@") if given.corrects.startswith("@") else ""
    corrects = told[int(of_id) - 1].short_id if of_id else given.corrects
    return Claim(**{**dict(given), "corrects": corrects})


def _standing(fact: Fact, about: str) -> ExpectedStanding:
    status = DISPUTED if fact.contradicted and fact.status in RISK else fact.status.value
    return ExpectedStanding(
        relation=fact.relation, object=fact.object.name.casefold(), status=status, attrs=dict(fact.attrs), about=about
    )


async def _told_again(memory: Memory, before: Fact) -> bool:
    """Whether a fact was observed again with nothing new, which makes it stronger."""
    later = [event for event in await memory.history(before.fact_id) if event.seq > before.last_seq]
    return any(
        event.kind is EventKind.OBSERVED
        and event.status in RISK
        and all(before.attrs.get(name) == value for name, value in event.attrs.items())
        for event in later
    )


def outcome(corrections: Sequence[CorrectionCase], landings: Sequence[Landing]) -> CaseOutcome:
    """Returns the corrections that succeed, and the facts made stronger, by kind."""
    by_id = {landing.id: landing for landing in landings}
    lands = {row.id: _lands(row, by_id[row.id]) for row in corrections}
    kinds: Mapping[str, list[str]] = {
        kind: [row.id for row in corrections if row.kind == kind]
        for kind in dict.fromkeys(row.kind for row in corrections)
    }
    strengthened = [landing.id for landing in landings if landing.strengthened]
    figures: tuple[Figure, ...] = (
        share("corrections that land", sum(lands.values()), len(lands), aim=">= 38 of 40"),
        count("facts made stronger", sum(len(landing.strengthened) for landing in landings), len(lands), aim="0"),
    )
    details = {"Did not land": [id_ for id_, landed in lands.items() if not landed], "Made stronger": strengthened}
    return CaseOutcome(
        figures=figures,
        groups={"By kind": [share(kind, sum(lands[id_] for id_ in ids), len(ids)) for kind, ids in kinds.items()]},
        details={title: ids for title, ids in details.items() if ids},
    )


def _lands(row: CorrectionCase, landing: Landing) -> bool:
    """Whether exactly the expected facts stand, and the words wait if they must."""
    left = list(landing.stands)
    for wanted in row.stands:
        found = next((item for item in left if _is(item, wanted)), None)
        if found is None:
            return False
        left.remove(found)
    return not left and landing.waits == row.waits


def _is(one: ExpectedStanding, wanted: ExpectedStanding) -> bool:
    same = (one.relation, one.object, one.status, one.about) == (
        wanted.relation,
        wanted.object.casefold(),
        wanted.status,
        wanted.about,
    )
    return same and all(one.attrs.get(name) == value for name, value in wanted.attrs.items())
