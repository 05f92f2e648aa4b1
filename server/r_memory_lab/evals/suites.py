"""The table of suites: what `r-memory eval` knows by name."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, Generic, TypeVar

from r_memory_lab.evals import (
    across,
    allergy,
    answers,
    charts,
    clinc150,
    contexts,
    controller,
    corrections,
    documents,
    drafts,
    facts,
    forgetting,
    letters,
    lives,
    locomo,
    negex,
    orders,
    pairs,
    play,
    readings,
    scm,
    sentences,
    standing,
    summary,
    sweeps,
)
from r_memory_lab.evals.outcomes import CaseOutcome
from r_memory_lab.evals.rows import DataRow

Item = TypeVar("Item", bound=DataRow)
Guess = TypeVar("Guess", bound=DataRow)


@dataclass(frozen=True, slots=True)
class Suite(Generic[Item, Guess]):
    """A way to measure the system."""

    title: str
    rows: Callable[[Path], Sequence[Item]]
    """Reads the data. Raises `InvalidInput` if they have another form."""
    run: Callable[..., Awaitable[Sequence[Guess]]]
    """Runs the system; takes a memory, the rows, and a function that is called after each row. `answers` also takes a
    model, `lives` a server's client, and `play` a function that opens a memory of another schema."""
    outcome: Callable[[Sequence[Item], Sequence[Guess]], CaseOutcome]
    """Compares; pure."""

    @classmethod
    def of(cls, title: str, module: ModuleType) -> "Suite[Any, Any]":
        """Returns the suite of a module with the functions `rows`, `run` and `outcome`."""
        return cls(title, module.rows, module.run, module.outcome)


SUITES: Mapping[str, Suite[Any, Any]] = {
    "allergy": Suite.of("allergies in whole dialogues", allergy),
    "sentences": Suite.of("facts in single utterances", sentences),
    "facts": Suite.of("implants and family history in whole dialogues", facts),
    "negex": Suite.of("assertion of given conditions", negex),
    "orders": Suite.of("action types of single sentences", orders),
    "clinc150": Suite.of("everyday requests taken for clinical ones", clinc150),
    "readings": Suite.of("what becomes of facts that a caller read", readings),
    "readings-mcp": Suite("the same over MCP", readings.rows, readings.run_over_mcp, readings.outcome),
    "flips": Suite("plain risks that a caller read as denied", readings.flipped, readings.run, readings.outcome),
    "corrections": Suite.of("corrections of what was recorded", corrections),
    "play": Suite.of("whole conversations with the calls of a client", play),
    "standing": Suite.of("recorded things that do not go together, found on writing", standing),
    "charts": Suite.of("charts imported from FHIR, exported, and read back", charts),
    "drafts": Suite.of("verdicts on drafted answers", drafts),
    "answers": Suite(
        "what a model answers with each way of remembering", answers.cases, answers.ask, answers.of_answers
    ),
    "across": Suite("told in one conversation, asked in another", across.answerable, across.ask, across.of_modes),
    "documents": Suite.of("books summarised with and without the block before", documents),
    "letters": Suite.of("facts in whole documents", letters),
    "locomo": Suite.of("turns of long conversations that answer a question", locomo),
    "scm": Suite.of("turns of English and Chinese dialogues that answer a probe", scm),
    "summary": Suite(
        "what each turn brings into the structured summary", summary.rows, summary.tell, summary.of_fields
    ),
    "forgetting": Suite.of("one allergy among many other statements", forgetting),
    "lives": Suite.of("allergies told once in an ordinary life, asked over MCP", lives),
    "baselines": Suite("whole contexts by every profile", contexts.probes, contexts.ask, contexts.of_baselines),
    "tokens": Suite("length of a context over 200 turns", contexts.conversation, contexts.measure, contexts.of_tokens),
    "weights": Suite("words against meaning, from 0 to 1", sweeps.answerable, sweeps.try_weights, sweeps.of_weights),
    "thresholds": Suite(
        "a threshold that follows the scores against a fixed one",
        sweeps.sized,
        sweeps.try_thresholds,
        sweeps.of_thresholds,
    ),
    "paraphrases": Suite(
        "questions that share no word with what answers them",
        pairs.paraphrases,
        pairs.ask_profiles,
        pairs.of_paraphrases,
    ),
    "languages": Suite(
        "the same statements and questions in several languages",
        pairs.languages,
        pairs.ask_languages,
        pairs.of_languages,
    ),
    "elliptic": Suite(
        "questions that name nothing, behind so many messages before them",
        pairs.elliptic,
        pairs.ask_windows,
        pairs.of_windows,
    ),
    "controller": Suite.of("whether memory is needed for what a user says", controller),
}
"""Suites by the name of their data folder."""
