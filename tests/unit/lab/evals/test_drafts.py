"""The suite `drafts`: what is counted for what, and what is told of rows that are held out."""

from pathlib import Path

import pytest

from r_memory.errors import ConfigurationError, InvalidInput
from r_memory_lab.evals.drafts import DraftVerdict, outcome, rows, run
from r_memory_lab.evals.measures import count
from tests.unit.memory_world import ALLERGY, a_world

FILE = f"""\
schema: clinical
held_out: false
drafts:
- {{id: a, kind: exact, said: "{ALLERGY}", draft: Take penicillin., expect: conflict}}
- {{id: b, kind: exact, said: [x, y], draft: d, expect: conflict, or: [warning]}}
- {{id: c, kind: fine, said: x, draft: d, expect: nothing_found}}
- {{id: d, kind: nothing, said: x, draft: d, expect: not_checkable}}
"""
SETS = Path(__file__).parents[4] / "evals" / "sets" / "drafts"


def file(tmp_path: Path, text: str = FILE) -> Path:
    path = tmp_path / "drafts.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def judged(*verdicts: str) -> list[DraftVerdict]:
    return [DraftVerdict(id=id_, verdict=verdict) for id_, verdict in zip("abcd", verdicts, strict=True)]


def test_a_conflict_is_found_by_any_verdict_that_its_row_allows(tmp_path: Path) -> None:
    figures = {each.name: each for each in outcome(rows(file(tmp_path)), judged("warning", "warning", *"cd")).figures}
    assert figures["conflicts found"].value == 0.5
    assert figures["of those that nothing else may be called"].value == 0


def test_a_conflict_elsewhere_is_false_and_calm_elsewhere_is_wrong(tmp_path: Path) -> None:
    made = outcome(rows(file(tmp_path)), judged("nothing_found", "nothing_found", "conflict", "nothing_found"))
    figures = {each.name: each for each in made.figures}
    assert figures["false conflicts"].value == 0.5
    assert figures["wrong nothing_found"] == count("wrong nothing_found", 3, 3, aim="0")
    assert made.details["nothing_found where it is not"] == ["a", "b", "d"]


def test_of_rows_held_out_no_id_is_told(tmp_path: Path) -> None:
    made = outcome(rows(file(tmp_path, FILE.replace("false", "true"))), judged(*4 * ["nothing_found"]))
    assert made.details == {}
    assert made.notes


@pytest.mark.anyio
async def test_each_draft_is_checked_against_what_was_said_of_its_own_subject(tmp_path: Path) -> None:
    first, *_ = rows(file(tmp_path, FILE.replace("clinical", "clinic")))
    assert await run(a_world().memory, [first], lambda: None) == (DraftVerdict(id="a", verdict="conflict"),)


@pytest.mark.anyio
async def test_drafts_of_another_domain_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="R_MEMORY_SCHEMA"):
        await run(a_world().memory, rows(file(tmp_path, FILE.replace("clinical", "law"))), lambda: None)


def test_a_verdict_that_does_not_exist_is_an_error_with_its_line(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"drafts\.yaml:6"):
        rows(file(tmp_path, FILE.replace("nothing_found", "safe")))


def test_the_committed_set_has_three_hundred_rows_of_which_half_are_held_out_and_later_batches_beside_them() -> None:
    by_file = {path.stem: rows(path) for path in sorted(SETS.glob("*.yaml"))}
    every = [row for drafts in by_file.values() for row in drafts]
    assert len({row.id for row in every}) == len(every)
    halves = [row for name, drafts in by_file.items() if not name.endswith("-more") for row in drafts]
    assert len(halves) >= 300
    assert 0.4 <= sum(row.held_out for row in halves) / len(halves) <= 0.6
