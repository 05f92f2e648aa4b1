"""T-15 in small: an allergy among other statements, looked for by each system."""

import json
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from r_memory.config.files import Files
from r_memory.config.loading import load_domain
from r_memory.domain.facts import Status
from r_memory.errors import InvalidInput
from r_memory.memory import Memory
from r_memory_lab.evals import forgetting
from r_memory_lab.evals.forgetting import OURS, SaidStatement, SystemFinding, in_order, outcome, run, statements, trials
from r_memory_lab.evals.hidden import ASKED, SUBSTANCES, TOLD
from r_memory_lab.evals.measures import share
from r_memory_lab.evals.rolling import Extract, SummaryFields
from tests.unit.talk.stream.world import a_stream

POOL = tuple(SaidStatement(speaker="Ann", text=f"I saw heron number {n} at the pond.") for n in range(60))


class Facts:
    """A memory whose facts hold what was told in plain words, and whose stream is the real one."""

    def __init__(self) -> None:
        self.talk = SimpleNamespace(stream=a_stream(words_only=True))
        self.told: dict[str, list[str]] = {}

    async def remember(self, text: str, *, subject: str, **_: object) -> None:
        self.told.setdefault(subject, []).append(text)

    async def build_context(self, query: str, *, subject: str) -> object:
        del query  # facts do not depend on how a question is put
        names = [name for name in SUBSTANCES for text in self.told[subject] if name in text]
        return SimpleNamespace(lines=[_line(name) for name in names])


def _line(name: str) -> object:
    fact = SimpleNamespace(
        relation="HAS_ALLERGY_TO", status=Status.ACTIVE, object=SimpleNamespace(name=name.capitalize())
    )
    return SimpleNamespace(fact=fact)


@pytest.mark.proves("T-15")
@pytest.mark.anyio
async def test_facts_find_what_a_summary_and_a_search_lose() -> None:
    all_trials = trials(POOL, {50: (1, 6)})
    found = await run(cast("Memory", Facts()), all_trials, lambda: None)
    result = outcome(all_trials, found)
    assert result.figures == (share("r-memory: missed among 50", 0, 6, aim="0"),)
    assert result.details == {"Missed by r-memory": []}
    assert {"RAG top-5", "similarity top-10", "structured summary (CIM)"} < set(result.groups)
    assert result.groups["rolling summary of 300 words"][0].value > 0


@pytest.mark.proves("T-15")
@pytest.mark.anyio
async def test_an_allergy_that_facts_do_not_show_counts_as_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    memory = Facts()

    async def nothing(_: str, **__: str) -> object:
        return SimpleNamespace(lines=[])

    monkeypatch.setattr(memory, "build_context", nothing)
    all_trials = trials(POOL, {10: (1, 3)})
    result = outcome(all_trials, await run(cast("Memory", memory), all_trials, lambda: None))
    assert result.figures[0].value == 1.0
    assert result.details["Missed by r-memory"] == ["10/0/0", "10/0/1", "10/0/2"]


def test_the_same_data_give_the_same_trials_and_no_substance_that_others_name() -> None:
    pool = (*POOL, SaidStatement(speaker="Ben", text="They gave me Vancomycin, I think."))
    made = trials(pool, {50: (3, 20), 1_000: (1, 1)})
    assert made == trials(pool, {50: (3, 20), 1_000: (1, 1)})
    assert len(made) == 60
    assert "vancomycin" not in {trial.substance for trial in made}
    assert len({trial.substance for trial in made[:20]}) == 20


def test_everything_is_told_once_and_each_hidden_statement_at_its_place() -> None:
    made = trials(POOL, {10: (1, 4)})
    said = list(in_order(made))
    assert len(said) == 14
    assert [one.text for one, trial in said if trial is None] == [other.text for other in made[0].others]
    for trial in made:
        before = [one for one, hidden in said[: said.index((SaidStatement(speaker="patient", text=trial.told), trial))]
                  if hidden is None]  # fmt: skip
        assert len(before) == trial.place


def test_statements_come_from_the_data_or_are_made_up(tmp_path: Path) -> None:
    assert len(statements(tmp_path)) == max(forgetting.RUNS)
    rows: Mapping[str, object] = {"id": "one", "turns": [["doctor", "Any pain?"], ["patient", " "]]}
    (tmp_path / "allergy").mkdir()
    (tmp_path / forgetting.DIALOGUES).write_text(json.dumps(rows) + "\n", encoding="utf-8")
    assert statements(tmp_path) == (SaidStatement(speaker="doctor", text="Any pain?"),)
    with pytest.raises(InvalidInput, match="holds 1 statements"):
        forgetting.rows(tmp_path)


def test_every_substance_is_a_term_of_the_lexicon_and_every_wording_names_it() -> None:
    terms = load_domain(Files(), "clinical").schema.lexicon.terms
    known = {name for of_type in terms.values() for name in of_type}
    assert set(SUBSTANCES) <= known
    assert len(set(SUBSTANCES)) == len(SUBSTANCES) == 100
    assert all("{}" in told for told in TOLD)
    assert not any(name in asked for asked in ASKED for name in SUBSTANCES)


@pytest.mark.anyio
async def test_a_rolling_summary_stays_short_and_a_structured_one_shows_the_newest() -> None:
    talk = [f"I need a boat of {n} metres for the trip to island {n}." for n in range(400)]
    short = await Extract(words=40).heard(talk)
    assert 0 < len(short.text.split()) <= 40
    kept = await SummaryFields().heard(talk)
    assert "399 metres" in kept.text
    assert " 1 metres" not in kept.text


def test_a_report_counts_each_size_by_itself() -> None:
    rows = [
        SystemFinding(id="a", size=10, found={OURS: True, "RAG top-5": True}),
        SystemFinding(id="b", size=100, found={OURS: True, "RAG top-5": False}),
    ]
    result = outcome((), rows)
    assert [figure.name for figure in result.figures] == ["r-memory: missed among 10", "r-memory: missed among 100"]
    assert [figure.value for figure in result.groups["RAG top-5"]] == [0.0, 1.0]
