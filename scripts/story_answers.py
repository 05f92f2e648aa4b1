"""Answers of a capable model to stories, judged blind: what a round with strangers needs (`evals/guides/answers.md`).

python -m scripts.story_answers talks WORK STORIES CALLS ...   tells the stories; writes WORK/talks.jsonl
python -m scripts.story_answers prompts WORK                   with WORK/summaries.jsonl: WORK/prompts-1.jsonl to -4
python -m scripts.story_answers sheets WORK                    with WORK/answers-1.jsonl to -4: WORK/sheet.jsonl
python -m scripts.story_answers join WORK FILE                 with WORK/verdicts.jsonl: rows for `eval answers`

Each story is told to a memory of its own among everyday requests, which bear on nothing. Its first request is then put
in front of a model in four ways. A model that answers sees each request once: the ways go round its sheet.
"""

import asyncio
import hashlib
import json
import random
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from r_memory import Memory, open_memory
from r_memory.config.settings import load_settings
from r_memory.serving.tools.remembering import FactIn
from r_memory_lab.profiles import COMPARED
from r_memory_talk.stream.values import NewTurn
from tests.acceptance.conftest import installed_in
from tests.acceptance.play_stories import numbered, read_by_a_caller
from tests.acceptance.story_form import Step, Story, stories_of

BLOCK, RAG, SUMMARY, NONE = WAYS = ("r-memory", "rag", "summary", "no memory")
EVERYDAY = Path("../shared/eval/data/clinc150/items.jsonl")
OTHERS = 120
"""Everyday requests among which a story is told."""
LAST = 10
"""Turns that a model sees without a memory."""
_SEED = 20261201


def lines(file: Path) -> list[dict[str, Any]]:
    """Returns the objects of a file of JSON lines."""
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]


def write(file: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    """Writes a JSON line for each row."""
    file.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")


async def told(story: Story, others: Sequence[str]) -> dict[str, Any]:
    """Returns the talk of a story until its first request, and what stands in front of that in two ways."""
    steps = [step for _, _, step in numbered(story)]
    asked = next(place for place, step in enumerate(steps) if step.ask)
    said = [step for step in steps[:asked] if step.say]
    talk: list[Step | str] = list(others)
    for number, step in enumerate(said):  # told in the first two thirds of the talk
        talk.insert((number * 2 + 1) * len(others) // (3 * len(said)), step)
    request, subject, expect = steps[asked].ask, _about(steps[asked], story), steps[asked].expect
    with tempfile.TemporaryDirectory() as folder:
        settings = load_settings(installed_in(Path(folder)).with_settings(schema=story.schema).environment)
        async with open_memory(settings, profiles=COMPARED) as memory:
            await _tell(memory, story, talk)
            turn = await memory.build_turn(request, subject=subject, conversation_id="talk")
            rag = await memory.talk.conversations.prepare(request, "plain", profile="rag", probe=True)
    return {
        "id": hashlib.sha256(story.name.encode()).hexdigest()[:8],
        "story": story.name.partition(": ")[2],
        "domain": story.schema,
        "request": request,
        "reference": " ".join(expect.first + expect.shows) if expect else "",
        "told": [f"{step.by}, about {story.people[_about(step, story)]}: {step.say}" for step in said],
        "turns": [item if isinstance(item, str) else f"({item.by}) {item.say}" for item in talk],
        BLOCK: turn.context,
        RAG: rag.text,
    }


async def _tell(memory: Memory, story: Story, talk: Iterable[Step | str]) -> None:
    known: set[str] = set()
    for item in talk:
        if isinstance(item, str):
            words = item
        else:
            subject, words = _about(item, story), f"({item.by}) {item.say}"
            claims = None if item.facts is None else [FactIn.model_validate(fact).claim() for fact in item.facts]
            name = "" if subject in known else story.people[subject]
            await memory.remember(item.say, subject=subject, subject_name=name, speaker=item.by, claims=claims)
            known.add(subject)
        for conversation in ("talk", "plain"):
            await memory.talk.conversations.finish(
                NewTurn(conversation=conversation, observation=words, response="Noted.")
            )


def _about(step: Step, story: Story) -> str:
    return step.about or next(iter(story.people))


def _talks(work: Path, *files: str) -> None:
    pairs = zip(files[::2], files[1::2], strict=True)
    stories = [
        read_by_a_caller(story, calls)
        for calls, read in ((lines(Path(calls)), stories_of(Path(file))) for file, calls in pairs)
        for story in read
        if any(step.ask for _, _, step in numbered(story))
    ]
    everyday = [row["text"] for row in lines(EVERYDAY) if not row["medical_words"]]
    chosen = random.Random(_SEED)  # noqa: S311 - no secret
    write(work / "told.jsonl", (asyncio.run(told(story, chosen.sample(everyday, OTHERS))) for story in stories))
    write(work / "talks.jsonl", ({"id": row["id"], "turns": row["turns"]} for row in lines(work / "told.jsonl")))


def _prompts(work: Path) -> None:
    summaries = {row["id"]: row["summary"] for row in lines(work / "summaries.jsonl")}
    sheets: list[list[Mapping[str, str]]] = [[], [], [], []]
    for place, row in enumerate(lines(work / "told.jsonl")):
        before = {**row, SUMMARY: summaries[row["id"]], NONE: "\n".join(row["turns"][-LAST:])}
        for sheet, prompts in enumerate(sheets):
            way = WAYS[(place + sheet) % len(WAYS)]
            prompts.append({"id": f"{row['id']}-{sheet}", "prompt": f"{before[way]}\n[QUERY]:\n{row['request']}"})
    for sheet, prompts in enumerate(sheets, start=1):
        write(work / f"prompts-{sheet}.jsonl", prompts)


def _answers(work: Path) -> dict[str, str]:
    rows = chain.from_iterable(lines(work / f"answers-{sheet}.jsonl") for sheet in (1, 2, 3, 4))
    return {row["id"]: row["answer"] for row in rows}


def _sheets(work: Path) -> None:
    """Writes for each story what was told, the request, and its four answers in an order that tells nothing."""
    answers, order = _answers(work), random.Random(_SEED)  # noqa: S311 - no secret
    rows = []
    for row in lines(work / "told.jsonl"):
        own = [{"id": name, "answer": answers[name]} for name in (f"{row['id']}-{sheet}" for sheet in range(4))]
        order.shuffle(own)
        rows.append({**{name: row[name] for name in ("domain", "told", "request")}, "answers": own})
    write(work / "sheet.jsonl", rows)


def _join(work: Path, file: str) -> None:
    answers, verdicts = _answers(work), {row["id"]: row for row in lines(work / "verdicts.jsonl")}
    rows = []
    for place, row in enumerate(lines(work / "told.jsonl")):
        for sheet in range(4):
            name = f"{row['id']}-{sheet}"
            way = WAYS[(place + sheet) % len(WAYS)]
            rows.append(
                {
                    "id": f"{row['story']}/{way}",
                    "kind": "story",
                    "way": way,
                    "question": row["request"],
                    "reference": row["reference"],
                    "answer": answers[name],
                    "model": "a capable model",
                    **{part: verdicts[name][part] for part in ("right", "harm", "why")},
                    "judge": "a stranger, blind",
                }
            )
    write(Path(file), rows)


def main(command: str, work: str, *words: str) -> None:
    """Runs one of the commands above."""
    commands: Mapping[str, Callable[..., None]] = {
        "talks": _talks,
        "prompts": _prompts,
        "sheets": _sheets,
        "join": _join,
    }
    commands[command](Path(work), *words)


if __name__ == "__main__":
    main(*sys.argv[1:])
