"""Reports: what people and programs get to read, and what never stands in them."""

import json
from pathlib import Path

import pytest
from typing_extensions import override

from r_memory.errors import StoreUnavailable, UnknownName
from r_memory.protocols import StoreHealth
from r_memory.testing.dict_store import DictStore
from r_memory_lab.evals.evaluation import command_line, evaluate, suite_named
from r_memory_lab.evals.measures import at_percentile, count, share
from r_memory_lab.evals.reports import SuiteReport
from r_memory_lab.evals.suites import SUITES
from tests.unit.memory_world import ALLERGY, a_world

REPORT = SuiteReport(
    suite="allergy",
    title="allergies in whole dialogues",
    date="2026-11-21",
    command="r-memory eval allergy --data data",
    route="rules",
    store="dict",
    schema_version="abc",
    pack_version="def",
    items=3,
    figures=(share("recall", 9, 10, aim=">= .85"), count("violations", 1, 3, aim="0")),
    groups={"Speed": [at_percentile("p50", [1.25, 2.5, 3.75], 0.5, unit="ms")]},
    details={"Missed": ["a", "b"], "Violations": []},
    notes=("One run.",),
)


def test_the_page_for_people_stands_alone() -> None:
    page = REPORT.as_markdown()
    assert page.startswith("# allergy: allergies in whole dialogues, 2026-11-21\n\n```console\n$ r-memory eval")
    assert "Route rules; store dict; schema abc; knowledge def; 3 items; Python" in page
    assert "| recall | 0.900 | 0.596-0.982 | 10 | >= .85 |" in page
    assert "| violations | 1 | - | 3 | 0 |" in page
    assert "## Speed\n\n| figure |" in page
    assert "| p50 | 2.5 ms | 1.25-3.75 | 3 |  |" in page
    assert "## Missed (2)\n\na, b\n" in page
    assert "## Violations (0)\n\nnone\n" in page
    assert "\nOne run.\n" in page


def test_programs_get_every_number_in_full() -> None:
    read = json.loads(json.dumps(REPORT.as_json()))
    assert read["figures"][0]["value"] == 0.9
    assert read["groups"]["Speed"][0]["unit"] == "ms"
    assert read["details"] == {"Missed": ["a", "b"], "Violations": []}


def test_the_command_is_repeated_without_folders_of_the_machine() -> None:
    line = command_line(
        "bench",
        "core",
        options={
            "--data": Path("/home/somebody/data"),
            "--part": ["a", "b"],
            "--neo4j": True,
            "--x": False,
            "--y": None,
        },
    )
    assert line == "r-memory bench core --data .../data --part a --part b --neo4j"


def test_an_unknown_suite_is_refused_with_the_known_ones() -> None:
    with pytest.raises(UnknownName, match="allergy, sentences, facts, negex, orders, clinc150"):
        suite_named("nonsense")


def rows(tmp_path: Path) -> list[object]:
    folder = tmp_path / "allergy"
    folder.mkdir()
    line = {"id": "a", "turns": [["patient", ALLERGY]], "gold": {"allergies": [["penicillin"]]}}
    (folder / "dialogues.jsonl").write_text(json.dumps(line), encoding="utf-8")
    return list(SUITES["allergy"].rows(tmp_path))


@pytest.mark.anyio
async def test_a_suite_run_over_a_memory_gives_predictions_and_a_report_without_its_words(tmp_path: Path) -> None:
    steps: list[int] = []
    predictions, report = await evaluate(
        a_world().memory,
        "allergy",
        rows(tmp_path),  # type: ignore[arg-type]  # rows of the suite that is run
        date="2026-11-21",
        command="r-memory eval allergy --data data",
        route="rules",
        done=lambda: steps.append(1),
    )
    assert [row.model_dump() for row in predictions] == [{"id": "a", "allergies": ("Penicillin",)}]
    assert (report.figures[0].value, report.store, report.items, len(steps)) == (1.0, "dict", 1, 1)
    assert ALLERGY not in report.as_markdown() + json.dumps(report.as_json())


class Gone(DictStore):
    """Does not answer any more when asked how it is."""

    @override
    async def health(self) -> StoreHealth:
        raise StoreUnavailable("gone")


@pytest.mark.anyio
async def test_a_store_that_is_gone_at_the_end_gives_no_report(tmp_path: Path) -> None:
    with pytest.raises(StoreUnavailable, match="gone"):
        await evaluate(
            a_world(store=Gone()).memory,
            "allergy",
            rows(tmp_path),  # type: ignore[arg-type]  # rows of the suite that is run
            date="",
            command="",
            route="",
            done=lambda: None,
        )
