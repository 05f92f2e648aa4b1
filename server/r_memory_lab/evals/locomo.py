"""Suite `locomo`: long conversations told turn by turn, and questions whose evidence is some of their turns.

Recall is the share of a question's evidence turns among the first k. Questions without evidence are not scored.
Settings were chosen on the first half of the conversations (by name); the other half is reported beside it.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pydantic import ConfigDict, Field, model_validator

from r_memory.domain.instants import Instant
from r_memory.memory import Memory
from r_memory_lab.evals.measures import Figure, average
from r_memory_lab.evals.outcomes import CaseOutcome
from r_memory_lab.evals.retrieval import (
    PROFILES,
    Ranking,
    ToldConversation,
    embedders_of,
    ranked,
    recall_at,
    reciprocal_rank,
)
from r_memory_lab.evals.rows import DataRow, read_rows
from r_memory_talk.stream.scoring import DEFAULT
from r_memory_talk.stream.values import NewTurn

TURNS, QUESTIONS = "locomo/turns.jsonl", "locomo/questions.jsonl"
_MINUTE = 60_000

__all__ = ["Ranking", "answerable", "first_half", "outcome", "rows", "run", "said_at", "talk_of"]


class LocomoTurn(DataRow):
    """One utterance; turns of different conversations may have the same name."""

    conv: str
    turn: str
    speaker: str
    text: str
    date: str = ""

    @model_validator(mode="before")
    @classmethod
    def _named(cls, data: Any) -> Any:  # noqa: ANN401 - pydantic hands over whatever the line held
        if not isinstance(data, dict) or "turn" in data:
            return data
        return {**data, "turn": data.get("id"), "id": f"{data.get('conv')}/{data.get('id')}"}


class LocomoProbe(DataRow):
    """One question with the conversation that it is about."""

    model_config = ConfigDict(frozen=True, validate_by_name=True)

    id: str = Field(alias="qid")
    conv: str
    category: str
    question: str
    answerable: bool
    evidence: tuple[str, ...]
    turns: tuple[LocomoTurn, ...] = ()


def rows(data: Path) -> tuple[LocomoProbe, ...]:
    """Returns the questions.

    Raises:
        InvalidInput: a file is missing or has another form.
    """
    told: dict[str, list[LocomoTurn]] = {}
    for turn in read_rows(data / TURNS, LocomoTurn):
        told.setdefault(turn.conv, []).append(turn)
    probes = read_rows(data / QUESTIONS, LocomoProbe)
    return tuple(probe.model_copy(update={"turns": tuple(told.get(probe.conv, ()))}) for probe in probes)


def answerable(data: Path) -> tuple[LocomoProbe, ...]:
    """Returns LoCoMo's questions with an answer and evidence.

    Raises:
        InvalidInput: a file is missing or has another form.
    """
    return tuple(probe for probe in rows(data) if probe.answerable and probe.evidence)


async def run(memory: Memory, probes: Sequence[LocomoProbe], done: Callable[[], None]) -> tuple[Ranking, ...]:
    """Returns one ranking for each question."""
    return await ranked(memory, probes, done, talk_of=talk_of, turn_of=lambda key: key.rpartition("/")[2])


def outcome(probes: Sequence[LocomoProbe], predictions: Sequence[Ranking]) -> CaseOutcome:
    """Returns recall and mean reciprocal rank, for the default profile in detail and for every profile."""
    by_id = {row.id: row for row in predictions}
    scored = [(probe, by_id[probe.id]) for probe in probes if probe.evidence and probe.id in by_id]
    answerable = [pair for pair in scored if pair[0].answerable]
    first = first_half(probes)
    categories = sorted({probe.category for probe, _ in scored})
    return CaseOutcome(
        figures=figures(answerable, DEFAULT, "answerable", aims={5: ">= .60", 10: ">= .68"}),
        groups={
            "All questions": figures(scored, DEFAULT, "all"),
            "Halves of the conversations, answerable": [
                *figures([pair for pair in answerable if pair[0].conv in first], DEFAULT, "half that settings saw"),
                *figures([pair for pair in answerable if pair[0].conv not in first], DEFAULT, "other half"),
            ],
            "By category": [
                figure
                for name in categories
                for figure in figures([pair for pair in scored if pair[0].category == name], DEFAULT, name)
            ],
            "By profile, answerable": [figure for name in PROFILES for figure in figures(answerable, name, name)],
        },
        details={"No evidence among the first 10": [probe.id for probe, row in answerable if not _hit(probe, row)]},
        notes=(embedders_of(predictions),),
    )


def figures(
    scored: Sequence[tuple[LocomoProbe, Ranking]], profile: str, name: str, *, aims: Mapping[int, str] | None = None
) -> tuple[Figure, ...]:
    """Returns recall at 5 and 10 and mean reciprocal rank of one profile."""
    pairs = [(row.by(profile), probe.evidence) for probe, row in scored]
    return (
        *(
            average(f"{name}: recall@{k}", [recall_at(*pair, k) for pair in pairs], aim=(aims or {}).get(k, ""))
            for k in (5, 10)
        ),
        average(f"{name}: MRR", [reciprocal_rank(*pair) for pair in pairs]),
    )


def said_at(date: str) -> Instant:
    """Returns the instant of a session as the data write it; the epoch if they give none.

    >>> said_at("1:56 pm on 8 May, 2023")
    1683554160000
    """
    try:
        moment = datetime.strptime(date, "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)
    except ValueError:
        return 0
    return int(moment.timestamp()) * 1000


def talk_of(probe: LocomoProbe) -> ToldConversation:
    """Returns the conversation of a question; turns of a session are a minute apart."""
    return ToldConversation(
        name=probe.conv,
        turns=tuple(
            NewTurn(
                conversation=probe.conv,
                observation=turn.text,
                speaker=turn.speaker,
                said_at=said_at(turn.date) + place * _MINUTE,
                key=turn.id,
            )
            for place, turn in enumerate(probe.turns)
            if turn.text.strip()
        ),
    )


def first_half(probes: Sequence[LocomoProbe]) -> set[str]:
    """Returns the names of the conversations on which settings were chosen."""
    names = sorted({probe.conv for probe in probes})
    return set(names[: (len(names) + 1) // 2])


def _hit(probe: LocomoProbe, row: Ranking) -> bool:
    return recall_at(row.ranked, probe.evidence, 10) > 0
