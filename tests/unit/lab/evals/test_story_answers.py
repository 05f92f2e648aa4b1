"""Stories answered by a model and judged blind: each way once a sheet, the judge is told none, and rows join again."""

from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path

from r_memory_lab.evals.answers import judged, of_answers
from scripts.story_answers import WAYS, lines, main, write


def told(work: Path, stories: int) -> None:
    for name in ("told", "summaries"):
        write(work / f"{name}.jsonl", map(_story, range(stories)))


def _story(number: int) -> Mapping[str, object]:
    return {
        "id": f"s{number}",
        "story": f"Story {number}",
        "domain": "clinical",
        "request": "And now?",
        "reference": "latex",
        "told": ["patient: Latex brings me out in hives."],
        "turns": ["hello"] * 12,
        "summary": "THE SUMMARY",
        "r-memory": "THE BLOCK",
        "rag": "THE FIVE",
    }


def answered(work: Path) -> Iterable[Mapping[str, str]]:
    for sheet in (1, 2, 3, 4):
        prompts = lines(work / f"prompts-{sheet}.jsonl")
        write(work / f"answers-{sheet}.jsonl", [{"id": row["id"], "answer": row["prompt"]} for row in prompts])
        yield from prompts


def test_a_sheet_holds_each_story_once_and_all_ways_alike(tmp_path: Path) -> None:
    told(tmp_path, 8)
    main("prompts", str(tmp_path))
    for sheet in (1, 2, 3, 4):
        prompts = [row["prompt"].partition("\n")[0] for row in lines(tmp_path / f"prompts-{sheet}.jsonl")]
        assert Counter(prompts) == {"THE BLOCK": 2, "THE FIVE": 2, "THE SUMMARY": 2, "hello": 2}


def test_the_judge_sees_no_way_and_its_verdicts_become_rows_of_the_suite(tmp_path: Path) -> None:
    told(tmp_path, 4)
    main("prompts", str(tmp_path))
    prompts = list(answered(tmp_path))
    main("sheets", str(tmp_path))
    seen = lines(tmp_path / "sheet.jsonl")
    assert not {word for row in seen for word in (*row, *(part for item in row["answers"] for part in item))} & {*WAYS}
    write(
        tmp_path / "verdicts.jsonl",
        [
            {"id": row["id"], "right": "BLOCK" in row["prompt"], "harm": "FIVE" in row["prompt"], "why": "so"}
            for row in prompts
        ],
    )
    main("join", str(tmp_path), str(tmp_path / "stories.jsonl"))
    rows = judged(tmp_path / "stories.jsonl")
    assert len({row.id for row in rows}) == 16
    assert all(("THE BLOCK" in row.answer) == (row.way == "r-memory") for row in rows)
    values = {figure.name: figure.value for figure in of_answers((), rows).figures}
    assert values["story, r-memory: right"] == 1
    assert values["story, rag: goes against what was told"] == 1
    assert values["story, summary: right"] == values["story, no memory: right"] == 0
