"""The table of suites: what `r-memory eval` knows by name."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from r_memory_lab.evals import (
    across,
    allergy,
    answers,
    clinc150,
    contexts,
    controller,
    documents,
    drafts,
    facts,
    forgetting,
    locomo,
    negex,
    orders,
    pairs,
    scm,
    sentences,
    summary,
    sweeps,
)
from r_memory_lab.evals.outcomes import Outcome
from r_memory_lab.evals.rows import Row

Item = TypeVar("Item", bound=Row)
Guess = TypeVar("Guess", bound=Row)


@dataclass(frozen=True, slots=True, kw_only=True)
class Suite(Generic[Item, Guess]):
    """One way to measure the system."""

    title: str
    rows: Callable[[Path], Sequence[Item]]
    """Reads the data; raises `InvalidInput` where they are not of the suite's form."""
    run: Callable[..., Awaitable[Sequence[Guess]]]
    """Asks the system: a memory, the rows, and what is called after each; `answers` takes the model that answers."""
    outcome: Callable[[Sequence[Item], Sequence[Guess]], Outcome]
    """Compares; pure."""


SUITES: Mapping[str, Suite[Any, Any]] = {
    "allergy": Suite(title="allergies in whole dialogues", rows=allergy.rows, run=allergy.run, outcome=allergy.outcome),
    "sentences": Suite(
        title="facts in single utterances", rows=sentences.rows, run=sentences.run, outcome=sentences.outcome
    ),
    "facts": Suite(
        title="implants and family history in whole dialogues", rows=facts.rows, run=facts.run, outcome=facts.outcome
    ),
    "negex": Suite(title="assertion of given conditions", rows=negex.rows, run=negex.run, outcome=negex.outcome),
    "orders": Suite(title="action types of single sentences", rows=orders.rows, run=orders.run, outcome=orders.outcome),
    "clinc150": Suite(
        title="everyday requests taken for clinical ones",
        rows=clinc150.rows,
        run=clinc150.run,
        outcome=clinc150.outcome,
    ),
    "drafts": Suite(title="verdicts on drafted answers", rows=drafts.rows, run=drafts.run, outcome=drafts.outcome),
    "answers": Suite(
        title="what a model answers with each way of remembering",
        rows=answers.cases,
        run=answers.ask,
        outcome=answers.of_answers,
    ),
    "across": Suite(
        title="told in one conversation, asked in another",
        rows=across.answerable,
        run=across.ask,
        outcome=across.of_modes,
    ),
    "documents": Suite(
        title="books summarised with and without the block before",
        rows=documents.rows,
        run=documents.run,
        outcome=documents.outcome,
    ),
    "locomo": Suite(
        title="turns of long conversations that answer a question",
        rows=locomo.rows,
        run=locomo.run,
        outcome=locomo.outcome,
    ),
    "scm": Suite(
        title="turns of English and Chinese dialogues that answer a probe",
        rows=scm.rows,
        run=scm.run,
        outcome=scm.outcome,
    ),
    "summary": Suite(
        title="what each turn brings into the structured summary",
        rows=summary.rows,
        run=summary.tell,
        outcome=summary.of_fields,
    ),
    "forgetting": Suite(
        title="one allergy among many other statements",
        rows=forgetting.rows,
        run=forgetting.run,
        outcome=forgetting.outcome,
    ),
    "baselines": Suite(
        title="whole contexts by every profile",
        rows=contexts.probes,
        run=contexts.ask,
        outcome=contexts.of_baselines,
    ),
    "tokens": Suite(
        title="length of a context over 200 turns",
        rows=contexts.conversation,
        run=contexts.measure,
        outcome=contexts.of_tokens,
    ),
    "weights": Suite(
        title="words against meaning, from 0 to 1",
        rows=sweeps.answerable,
        run=sweeps.try_weights,
        outcome=sweeps.of_weights,
    ),
    "thresholds": Suite(
        title="a threshold that follows the scores against a fixed one",
        rows=sweeps.sized,
        run=sweeps.try_thresholds,
        outcome=sweeps.of_thresholds,
    ),
    "paraphrases": Suite(
        title="questions that share no word with what answers them",
        rows=pairs.paraphrases,
        run=pairs.ask_profiles,
        outcome=pairs.of_paraphrases,
    ),
    "languages": Suite(
        title="the same statements and questions in several languages",
        rows=pairs.languages,
        run=pairs.ask_languages,
        outcome=pairs.of_languages,
    ),
    "elliptic": Suite(
        title="questions that name nothing, behind so many messages before them",
        rows=pairs.elliptic,
        run=pairs.ask_windows,
        outcome=pairs.of_windows,
    ),
    "controller": Suite(
        title="whether memory is needed for what a user says",
        rows=controller.rows,
        run=controller.run,
        outcome=controller.outcome,
    ),
}
"""By the names of the folders of data."""
