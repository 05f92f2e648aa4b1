"""Suite `allergy`: whole dialogues through the whole system, scored on the patient's allergies.

A prediction counts for a gold entry when, lower-cased and without punctuation, it equals one of its aliases or one
holds the other as
whole words. Hits on `optional` are ignored; the rest are false positives; those on `must_not` are violations as well.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from r_memory.evals.dialogues import believed, each, tell
from r_memory.evals.measures import Figure, count, share
from r_memory.evals.rows import read_rows
from r_memory.memory import Memory

FILE = "allergy/dialogues.jsonl"
RELATIONS = ("HAS_ALLERGY_TO", "HAS_INTOLERANCE_TO", "HAS_CONTRAST_ALLERGY")


@dataclass(frozen=True, slots=True, kw_only=True)
class Scores:
    """What one dialogue adds to the totals."""

    id: str
    found: int
    missed: int
    wrong: int
    violations: int
    free: bool
    """It has no allergy to find."""


async def run(memory: Memory, data: Path, *, done: Callable[[], None]) -> list[dict[str, Any]]:
    """One prediction for each dialogue: `{id, allergies}`."""

    async def one(row: dict[str, Any]) -> dict[str, Any]:
        await tell(memory, row)
        facts = await believed(memory, row["id"], RELATIONS)
        return {"id": row["id"], "allergies": sorted({fact.object.name for fact in facts})}

    return await each(rows(data), one, done)


def rows(data: Path) -> list[dict[str, Any]]:
    """The dialogues.

    Raises:
        InvalidInput: the file is missing or not of this suite's form.
    """
    return read_rows(data / FILE, ["id", "turns", "gold"])


def score(gold: Iterable[dict[str, Any]], predictions: Iterable[dict[str, Any]]) -> list[Scores]:
    """One row of counts for each dialogue."""
    predicted = {row["id"]: row["allergies"] for row in predictions}
    return [_scores(row["id"], row["gold"], predicted.get(row["id"], [])) for row in gold]


def figures(scores: Sequence[Scores]) -> tuple[Figure, ...]:
    """Recall, precision, violations, and alarms on dialogues without allergies."""
    found, missed = sum(s.found for s in scores), sum(s.missed for s in scores)
    wrong = sum(s.wrong for s in scores)
    free = [s for s in scores if s.free]
    return (
        share("recall", found, found + missed, aim=">= .85"),
        share("precision", found, found + wrong),
        count("violations", sum(s.violations for s in scores), len(scores), aim="0"),
        share("alarms on allergy-free dialogues", sum(s.wrong > 0 for s in free), len(free), aim="<= .005"),
    )


def _scores(id_: str, gold: dict[str, Any], allergies: Sequence[str]) -> Scores:
    names = sorted({_plain(name) for name in allergies if _plain(name)})
    found = sum(any(_hits(name, aliases) for name in names) for aliases in gold["allergies"])
    accepted = [*gold["allergies"], *gold["optional"]]
    wrong = [name for name in names if not any(_hits(name, aliases) for aliases in accepted)]
    return Scores(
        id=id_,
        found=found,
        missed=len(gold["allergies"]) - found,
        wrong=len(wrong),
        violations=sum(_hits(name, [banned]) for name in wrong for banned in gold["must_not"]),
        free=not gold["allergies"],
    )


def _hits(name: str, aliases: Iterable[str]) -> bool:
    plain = [_plain(alias) for alias in aliases]
    return any(alias and (f" {alias} " in f" {name} " or f" {name} " in f" {alias} ") for alias in plain)


def _plain(text: str) -> str:
    return re.sub(r"\W+", " ", text.lower()).strip()
