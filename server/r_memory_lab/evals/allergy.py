"""Suite `allergy`: whole dialogues through the whole system, scored on the patient's allergies.

A prediction counts for a gold entry when, lower-cased and without punctuation, it equals one of its aliases or one
holds the other as whole words. Hits on `optional` are ignored; the rest are false positives; those on `must_not`
(denied, tolerated, a treatment, somebody else's) are violations as well.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from pydantic import BaseModel

from r_memory.memory import Memory
from r_memory_lab.evals.dialogues import Dialogue, believed_after, each
from r_memory_lab.evals.measures import Figure, count, share
from r_memory_lab.evals.names import hits, plain
from r_memory_lab.evals.outcomes import CaseOutcome
from r_memory_lab.evals.rows import DataRow, reads

FILE = "allergy/dialogues.jsonl"
RELATIONS = ("HAS_ALLERGY_TO", "HAS_INTOLERANCE_TO", "HAS_CONTRAST_ALLERGY")
_NAMED = re.compile(r"allerg|intoleran|react", re.IGNORECASE)
_PAIR = ("doctor", "patient")

Aliases = tuple[str, ...]


class Gold(BaseModel):
    """The annotation of one dialogue."""

    allergies: tuple[Aliases, ...]
    """Allergies, each with its accepted names."""
    optional: tuple[Aliases, ...] = ()
    """Entries that are neither required nor wrong."""
    must_not: Aliases = ()


class AllergyDialogue(Dialogue):
    """One dialogue with its answer."""

    gold: Gold
    source: str = ""


class AllergyPrediction(DataRow):
    """What is stored as an active or unconfirmed allergy, intolerance or contrast allergy of the patient."""

    allergies: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scores:
    """Counts of one dialogue."""

    talk: AllergyDialogue
    found: tuple[Aliases, ...] = ()
    missed: tuple[Aliases, ...] = ()
    wrong: int = 0
    violations: int = 0

    @property
    def free(self) -> bool:
        """Whether there is no allergy to find."""
        return not self.talk.gold.allergies


rows = reads(FILE, AllergyDialogue)
"""The dialogues."""


async def run(
    memory: Memory, talks: Sequence[AllergyDialogue], done: Callable[[], None]
) -> tuple[AllergyPrediction, ...]:
    """Returns one prediction for each dialogue."""

    async def one(talk: AllergyDialogue) -> AllergyPrediction:
        facts = await believed_after(memory, talk)
        names = {fact.object.name for fact in facts if fact.relation in RELATIONS}
        return AllergyPrediction(id=talk.id, allergies=tuple(sorted(names)))

    return await each(talks, one, done)


def score(talks: Iterable[AllergyDialogue], predictions: Iterable[AllergyPrediction]) -> tuple[Scores, ...]:
    """Returns the counts of each dialogue; without a prediction nothing was found."""
    predicted = {row.id: row.allergies for row in predictions}
    return tuple(_scores(talk, predicted.get(talk.id, ())) for talk in talks)


def outcome(talks: Sequence[AllergyDialogue], predictions: Sequence[AllergyPrediction]) -> CaseOutcome:
    """Returns recall, precision, violations, and alarms on dialogues without allergies, in all and by difficulty."""
    scores = score(talks, predictions)
    return CaseOutcome(
        figures=figures(scores),
        groups={
            "Recall by where the name stands": _by_place(scores),
            "Recall by who speaks": _by_speakers(scores),
            "By source": [figure for source in _sources(scores) for figure in _of_source(scores, source)],
        },
        details={
            "Dialogues with a missed allergy": [row.talk.id for row in scores if row.missed],
            "Dialogues with a false alarm": [row.talk.id for row in scores if row.wrong],
            "Dialogues with a violation": [row.talk.id for row in scores if row.violations],
        },
    )


def figures(scores: Sequence[Scores]) -> tuple[Figure, ...]:
    """Returns the totals."""
    return (
        _recall("recall", scores, aim=">= .85"),
        share("precision", _found(scores), _found(scores) + sum(row.wrong for row in scores)),
        count("violations", sum(row.violations for row in scores), len(scores), aim="0"),
        _alarms("alarms on allergy-free dialogues", scores, aim="<= .005"),
    )


def _scores(talk: AllergyDialogue, allergies: Iterable[str]) -> Scores:
    gold, names = talk.gold, sorted({plain(name) for name in allergies if plain(name)})
    found = tuple(aliases for aliases in gold.allergies if any(hits(name, aliases) for name in names))
    accepted = (*gold.allergies, *gold.optional)
    wrong = [name for name in names if not any(hits(name, aliases) for aliases in accepted)]
    return Scores(
        talk=talk,
        found=found,
        missed=tuple(aliases for aliases in gold.allergies if aliases not in found),
        wrong=len(wrong),
        violations=sum(hits(name, [banned]) for name in wrong for banned in gold.must_not),
    )


def _found(scores: Iterable[Scores]) -> int:
    return sum(len(row.found) for row in scores)


def _recall(name: str, scores: Sequence[Scores], *, aim: str = "") -> Figure:
    return share(name, _found(scores), sum(len(row.talk.gold.allergies) for row in scores), aim=aim)


def _alarms(name: str, scores: Sequence[Scores], *, aim: str = "") -> Figure:
    free = [row for row in scores if row.free]
    return share(name, sum(row.wrong > 0 for row in free), len(free), aim=aim)


def _by_place(scores: Sequence[Scores]) -> list[Figure]:
    """Returns figures by place: in an interview the question names the topic, and the answer the allergy."""
    places = [
        (_place(row.talk, aliases), aliases in row.found) for row in scores for aliases in row.talk.gold.allergies
    ]
    names = dict.fromkeys(place for place, _ in places)
    return [share(name, places.count((name, True)), sum(place == name for place, _ in places)) for name in names]


def _place(talk: AllergyDialogue, aliases: Aliases) -> str:
    naming = [text for _, text in talk.turns if any(f" {plain(alias)} " in f" {plain(text)} " for alias in aliases)]
    if not naming:
        return "nowhere as written: misspelt or in pieces"
    together = any(_NAMED.search(text) for text in naming)
    return "in a turn that speaks of an allergy" if together else "in another turn: the answer to a question"


def _by_speakers(scores: Sequence[Scores]) -> list[Figure]:
    alone = [row for row in scores if all(speaker in _PAIR for speaker, _ in row.talk.turns)]
    others = [row for row in scores if row not in alone]
    return [_recall("doctor and patient alone", alone), _recall("others present", others)]


def _sources(scores: Sequence[Scores]) -> list[str]:
    return sorted({row.talk.source for row in scores if row.talk.source})


def _of_source(scores: Sequence[Scores], source: str) -> tuple[Figure, ...]:
    own = [row for row in scores if row.talk.source == source]
    return _recall(f"{source}: recall", own), _alarms(f"{source}: alarms on allergy-free dialogues", own)
