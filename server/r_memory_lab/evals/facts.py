"""Suite `facts`: implants and family history in dialogues, and whether a relative's condition leaks to the patient."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from pydantic import BaseModel

from r_memory.memory import Memory
from r_memory_lab.evals.dialogues import Dialogue, believed_after, each
from r_memory_lab.evals.measures import Figure, count, share
from r_memory_lab.evals.names import hits
from r_memory_lab.evals.outcomes import CaseOutcome
from r_memory_lab.evals.rows import DataRow, reads

FILE = "facts/dialogues.jsonl"
IMPLANT = "HAS_IMPLANTS"
FAMILY = "HAS_FAMILY_HISTORY"
RELATIVE = "relative"
"""Attribute that names the relative."""
_ON_LEAKS = (
    "A leak is counted wherever a relative's condition is also stored as the patient's, although the patient may have "
    "it as well."
)


class GoldFact(BaseModel):
    """A fact that a person found."""

    kind: str
    object: tuple[str, ...]
    """Accepted names."""
    relative: tuple[str, ...] = ()


class Banned(BaseModel):
    """What must not be stored as the patient's."""

    implants: tuple[str, ...] = ()
    anybody: tuple[str, ...] = ()
    """Conditions of neither the patient nor a relative."""


class FactsDialogue(Dialogue):
    """One dialogue with its answer."""

    facts: tuple[GoldFact, ...]
    must_not: Banned = Banned()


class StoredFact(BaseModel):
    """A fact that is stored as active or unconfirmed."""

    relation: str
    object: str
    relative: str = ""
    status: str


class FactsPrediction(DataRow):
    """Everything stored about one patient."""

    facts: tuple[StoredFact, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FactVerdict:
    """The comparison of one annotated fact with the stored ones."""

    id: str
    """Id of the dialogue."""
    kind: str
    found: bool
    named: bool = False
    """Stored under the right relative."""
    leaked: bool = False
    """A relative's condition was stored as the patient's own."""


rows = reads(FILE, FactsDialogue)
"""The dialogues."""


async def run(memory: Memory, talks: Sequence[FactsDialogue], done: Callable[[], None]) -> tuple[FactsPrediction, ...]:
    """Returns one prediction for each dialogue."""

    async def one(talk: FactsDialogue) -> FactsPrediction:
        facts = await believed_after(memory, talk)
        return FactsPrediction(
            id=talk.id,
            facts=tuple(
                StoredFact(
                    relation=fact.relation,
                    object=fact.object.name,
                    relative=str(fact.attrs.get(RELATIVE, "")),
                    status=fact.status.value,
                )
                for fact in facts
            ),
        )

    return await each(talks, one, done)


def score(talks: Iterable[FactsDialogue], predictions: Iterable[FactsPrediction]) -> tuple[FactVerdict, ...]:
    """Returns one verdict for each annotated fact."""
    held = {row.id: row.facts for row in predictions}
    return tuple(_judged(talk.id, told, held.get(talk.id, ())) for talk in talks for told in talk.facts)


def outcome(talks: Sequence[FactsDialogue], predictions: Sequence[FactsPrediction]) -> CaseOutcome:
    """Returns recall and precision of each kind, leaks, and facts that must not be stored."""
    judged = score(talks, predictions)
    family = [item for item in judged if item.kind == FAMILY]
    strays = violations(talks, predictions)
    return CaseOutcome(
        figures=(
            _recall("implants: recall", [item for item in judged if item.kind == IMPLANT]),
            _precision("implants: precision", talks, predictions, IMPLANT),
            _recall("family history: recall", family),
            share("family history: recall with the right relative", sum(item.named for item in family), len(family)),
            _precision("family history: precision", talks, predictions, FAMILY),
            share(
                "leak: a relative's condition as the patient's own",
                sum(x.leaked for x in family),
                len(family),
                aim="<= .08",
            ),
            count("violations", len(strays), len(talks), aim="0"),
        ),
        details={
            "Dialogues with a missed implant": _ids(x.id for x in judged if x.kind == IMPLANT and not x.found),
            "Dialogues with a missed relative's condition": _ids(x.id for x in family if not x.found),
            "Dialogues with a leak": _ids(x.id for x in family if x.leaked),
            "Dialogues with a violation": _ids(strays),
        },
        notes=(_ON_LEAKS,),
    )


def violations(talks: Iterable[FactsDialogue], predictions: Iterable[FactsPrediction]) -> tuple[str, ...]:
    """Returns the dialogue's id for each fact that must not be stored."""
    held = {row.id: row.facts for row in predictions}
    return tuple(talk.id for talk in talks for fact in held.get(talk.id, ()) if _is_banned(fact, talk.must_not))


def _judged(id_: str, told: GoldFact, held: Iterable[StoredFact]) -> FactVerdict:
    alike = [fact for fact in held if hits(fact.object, told.object)]
    same = [fact for fact in alike if fact.relation == told.kind]
    return FactVerdict(
        id=id_,
        kind=told.kind,
        found=bool(same),
        named=any(hits(fact.relative, told.relative) for fact in same),
        leaked=told.kind == FAMILY and len(same) < len(alike),
    )


def _is_banned(fact: StoredFact, banned: Banned) -> bool:
    return hits(fact.object, banned.anybody) or (fact.relation == IMPLANT and hits(fact.object, banned.implants))


def _recall(name: str, judged: Sequence[FactVerdict]) -> Figure:
    return share(name, sum(item.found for item in judged), len(judged))


def _precision(name: str, talks: Iterable[FactsDialogue], predictions: Iterable[FactsPrediction], kind: str) -> Figure:
    told = {talk.id: [fact.object for fact in talk.facts if fact.kind == kind] for talk in talks}
    right = [
        any(hits(fact.object, names) for names in told.get(row.id, ()))
        for row in predictions
        for fact in row.facts
        if fact.relation == kind
    ]
    return share(name, sum(right), len(right))


def _ids(ids: Iterable[str]) -> list[str]:
    """Returns each id once, in order."""
    return list(dict.fromkeys(ids))
