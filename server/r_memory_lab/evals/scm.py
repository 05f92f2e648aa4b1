"""Suite `scm`: the dialogues of Self-Controlled Memory, English and Chinese, and probes with one evidence turn each.

The protocol of the paper's code: the whole dialogue is told, then each probe is asked by itself and not stored.
Most probes name no evidence. Theirs is derived from the answer, never from what was found, and scored apart.
"""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from r_memory.memory import Memory
from r_memory_lab.evals.measures import Figure, share
from r_memory_lab.evals.outcomes import CaseOutcome
from r_memory_lab.evals.retrieval import PROFILES, Ranking, ToldConversation, embedders_of, ranked, recall_at
from r_memory_lab.evals.rows import DataRow, read_rows
from r_memory_talk.stream.scoring import DEFAULT
from r_memory_talk.stream.values import NewTurn
from r_memory_talk.stream.words import terms

DIALOGUES, QUESTIONS = "scm/dialogues.jsonl", "scm/questions.jsonl"
_MINUTE = 60_000
_NAMES = {"en": "English", "zh": "Chinese"}
_HELD, _NEAR = 0.6, 0.2
"""Share of an answer's own words in its evidence, and how far below the best turn others may be."""
_LEAST_WORDS = 3
_AIMS = {"en": ">= .95", "zh": ">= .85"}

__all__ = ["Ranking", "evidence_of", "outcome", "rows", "run", "talk_of"]


class Exchange(BaseModel):
    """A question and its answer."""

    turn: int
    user: str
    assistant: str


class ScmDialogue(DataRow):
    """One dialogue."""

    turns: tuple[Exchange, ...]


class ScmProbe(DataRow):
    """One question with the dialogue that it is about."""

    model_config = ConfigDict(frozen=True, validate_by_name=True)

    id: str = Field(alias="qid")
    dialogue: str
    lang: str
    question: str
    answer: str = ""
    silver_evidence: tuple[int, ...] = ()
    turns: tuple[Exchange, ...] = ()


def rows(data: Path) -> tuple[ScmProbe, ...]:
    """Returns the questions.

    Raises:
        InvalidInput: a file is missing or has another form.
    """
    turns = {dialogue.id: dialogue.turns for dialogue in read_rows(data / DIALOGUES, ScmDialogue)}
    probes = read_rows(data / QUESTIONS, ScmProbe)
    return tuple(probe.model_copy(update={"turns": turns.get(probe.dialogue, ())}) for probe in probes)


async def run(memory: Memory, probes: Sequence[ScmProbe], done: Callable[[], None]) -> tuple[Ranking, ...]:
    """Returns one ranking for each question."""
    return await ranked(memory, probes, done, talk_of=talk_of, turn_of=lambda key: int(key.rpartition("/")[2]))


def outcome(probes: Sequence[ScmProbe], predictions: Sequence[Ranking]) -> CaseOutcome:
    """Returns recall at 1, 3 and 5 by language, for the default profile and for every profile."""
    by_id = {row.id: row for row in predictions}
    scored = [(probe, by_id[probe.id]) for probe in probes if probe.silver_evidence and probe.id in by_id]
    languages = sorted({probe.lang for probe, _ in scored})
    derived = [
        (probe.model_copy(update={"silver_evidence": found}), by_id[probe.id])
        for probe in probes
        if not probe.silver_evidence and probe.id in by_id and (found := evidence_of(probe))
    ]
    agreeing = [bool(set(evidence_of(probe)) & set(probe.silver_evidence)) for probe, _ in scored if evidence_of(probe)]
    return CaseOutcome(
        figures=tuple(figure for code in languages for figure in figures(scored, DEFAULT, code, aim=True)),
        groups={
            f"By profile, {_NAMES.get(code, code)}": [
                figure for name in PROFILES for figure in figures(scored, name, code, label=name)
            ]
            for code in languages
        }
        | {
            "Evidence derived from the words of the answer": [
                *(figure for code in languages for figure in _of_derived(derived, code)),
                *(
                    figure
                    for code in languages
                    for figure in figures(
                        [*scored, *derived], DEFAULT, code, label=f"{_NAMES.get(code, code)}, named or derived"
                    )
                ),
                share("derived evidence that holds the named one", sum(agreeing), len(agreeing)),
            ]
        },
        details={
            "Evidence not among the first 3": [
                probe.id for probe, row in scored if not recall_at(row.ranked, probe.silver_evidence, 3)
            ]
        },
        notes=(embedders_of(predictions),),
    )


def figures(
    scored: Sequence[tuple[ScmProbe, Ranking]], profile: str, code: str, *, label: str = "", aim: bool = False
) -> tuple[Figure, ...]:
    """Returns the shares of probes in one language whose evidence ranks among the first."""
    own = [(probe, row) for probe, row in scored if probe.lang == code]
    return tuple(
        share(
            f"{label or _NAMES.get(code, code)}: recall@{k}",
            sum(recall_at(row.by(profile), probe.silver_evidence, k) > 0 for probe, row in own),
            len(own),
            aim=_AIMS.get(code, "") if aim and k == 3 else "",
        )
        for k in (1, 3, 5)
    )


def evidence_of(probe: ScmProbe) -> tuple[int, ...]:
    """Returns the turns with most of the answer's words that are not in the question; empty if there are none.

    Words of the question are left out, as the search looks for them. An answer with fewer than three words of its own
    distinguishes no turns.
    """
    own = set(terms(probe.answer, probe.lang)) - set(terms(probe.question, probe.lang))
    if len(own) < _LEAST_WORDS:
        return ()
    held = {turn.turn: _share(own, f"{turn.user} {turn.assistant}", probe.lang) for turn in probe.turns}
    best = max(held.values(), default=0.0)
    return tuple(turn for turn, part in held.items() if part >= max(_HELD, best - _NEAR))


def _share(words: set[str], text: str, language: str) -> float:
    return len(words.intersection(terms(text, language))) / len(words)


def _of_derived(derived: Sequence[tuple[ScmProbe, Ranking]], code: str) -> Iterator[Figure]:
    """Yields figures of probes with one derived turn, and with several, any of which counts."""
    name = _NAMES.get(code, code)
    own = [pair for pair in derived if pair[0].lang == code]
    alone = [pair for pair in own if len(pair[0].silver_evidence) == 1]
    several = [pair for pair in own if len(pair[0].silver_evidence) > 1]
    if alone:
        yield from figures(alone, DEFAULT, code, label=f"{name}, in one turn")
    if several:
        yield from figures(several, DEFAULT, code, label=f"{name}, in any of several turns")


def talk_of(probe: ScmProbe) -> ToldConversation:
    """Returns the dialogue of a probe; its turns are a minute apart."""
    return ToldConversation(
        name=probe.dialogue,
        turns=tuple(
            NewTurn(
                conversation=probe.dialogue,
                observation=turn.user,
                response=turn.assistant,
                said_at=turn.turn * _MINUTE,
                key=f"{probe.dialogue}/{turn.turn}",
            )
            for turn in probe.turns
            if turn.user.strip() or turn.assistant.strip()
        ),
    )
