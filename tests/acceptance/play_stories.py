"""Plays stories that are no regression tests, by Python on the embedded store, and says what is not as expected.

python -m tests.acceptance.play_stories evals/sets/stories/newcomers-clinical.yaml
python -m tests.acceptance.play_stories S.yaml --calls S.calls.jsonl
python -m tests.acceptance.play_stories S.yaml --calls S.calls.jsonl --show S.show.jsonl
python -m tests.acceptance.play_stories S.yaml --calls S.calls.jsonl --judged S.judged.jsonl

With `--calls`, a caller has read: what it gave for the steps of the stories before it (`scripts.strangers steps`). With
`--show`, what each check said is written as a client gets it; with `--judged`, a caller has judged the drafts beside
that (`evals/guides/judge.md`).
"""

import argparse
import asyncio
import json
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from r_memory.config.settings import load_settings
from tests.acceptance.conftest import installed_in
from tests.acceptance.story_form import Step, Story, stories_of
from tests.acceptance.story_play import play, python_life


async def wrong_in(story: Story, shown: list[Mapping[str, Any]] | None = None) -> Sequence[str]:
    """What is not as the story expects; a step that cannot be taken is one line.

    What its checks say is added to `shown`.
    """
    prefix = "story"  # always the same, so that a caller may judge by the ids that an earlier play showed
    with tempfile.TemporaryDirectory() as folder:
        installed = installed_in(Path(folder)).with_settings(schema=story.schema, space=f"{prefix}-none")
        try:
            life = python_life(load_settings(installed.environment), shown)
            told = await play([story], life, prefix=prefix, ends_now=True)
        except (ValueError, LookupError) as error:
            return [f"a step cannot be taken: {error}"]
    return told[story.name]


def read_by_a_caller(story: Story, calls: Iterable[Mapping[str, Any]]) -> Story:
    """The story with the facts, names and judgements that a caller gave for its steps, numbered as in `numbered`.

    Raises:
        ValueError: a statement has no call, or a call no statement, request or draft.
    """
    given = {call["step"]: call for call in calls if story.name.endswith(f": {call['story']}")}
    lives: list[list[Step]] = [[] for _ in story.lives]
    for life, number, step in numbered(story):
        lives[life].append(_called(step, given.pop(number, None)))
    if given:
        raise ValueError(f"{story.name}: nothing is said or asked in steps {sorted(given)}")
    return replace(story, lives=tuple(map(tuple, lives)))


def judged_by_a_caller(story: Story, judgements: Iterable[Mapping[str, Any]]) -> Story:
    """The story with what a caller judged of its drafts.

    Raises:
        ValueError: there is no draft in a step that was judged.
    """
    given = {item["step"]: item["judged"] for item in judgements if story.name.endswith(f": {item['story']}")}
    lives: list[list[Step]] = [[] for _ in story.lives]
    for life, number, step in numbered(story):
        judged = given.pop(number, None) if step.check else None
        more = {**step.model_dump(exclude_defaults=True), "judged": judged}
        lives[life].append(Step.model_validate(more) if judged else step)
    if given:
        raise ValueError(f"{story.name}: no draft is checked in steps {sorted(given)}")
    return replace(story, lives=tuple(map(tuple, lives)))


def numbered(story: Story) -> Iterator[tuple[int, int, Step]]:
    """Each step with the number of its life, and its own, which counts the restarts between them."""
    number = 0
    for life, steps in enumerate(story.lives):
        for place, step in enumerate(steps):
            yield life, number + place, step
        number += len(steps) + 1


def _called(step: Step, call: Mapping[str, Any] | None) -> Step:
    if step.say and call is None:
        raise ValueError(f"no call for {step.say!r}")
    if call is None:
        return step
    more = {"facts": call["facts"]} if step.say else {"involves": [*step.involves, *call.get("about", ())]}
    return Step.model_validate({**step.model_dump(exclude_defaults=True), **more})


def _read(file: Path) -> Sequence[Mapping[str, Any]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]


def _as_shown(story: Story, shown: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """A JSON line for each check of the story, with what it said."""
    checks = ((number, step.check) for _, number, step in numbered(story) if step.check)
    for (number, draft), result in zip(checks, shown, strict=False):  # a story may break off
        line = {"story": story.name.partition(": ")[2], "step": number, "draft": draft, "result": result}
        yield json.dumps(line, ensure_ascii=False) + "\n"


def main() -> None:
    """Prints each story that did not come out as expected, and how many of all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--calls", type=Path, help="JSON lines of what a caller read")
    parser.add_argument("--judged", type=Path, help="JSON lines of what a caller judged")
    parser.add_argument("--show", type=Path, help="where what the checks said is written, a JSON line each")
    given = parser.parse_args()
    stories = [story for file in given.files for story in stories_of(file)]
    if given.calls:
        calls = _read(given.calls)
        stories = [read_by_a_caller(story, calls) for story in stories]
    if given.judged:
        judgements = _read(given.judged)
        stories = [judged_by_a_caller(story, judgements) for story in stories]
    lines: list[str] = []
    found: list[tuple[str, Sequence[str]]] = []
    for story in stories:
        shown: list[Mapping[str, Any]] = []
        found.append((story.name, asyncio.run(wrong_in(story, shown))))
        lines += _as_shown(story, shown)
    if given.show:
        given.show.write_text("".join(lines), encoding="utf-8")
    for name, wrong in found:
        if wrong:
            print("\n".join([name, *wrong, ""]))  # noqa: T201 - what a command says
    print(sum(bool(wrong) for _, wrong in found), "of", len(found), "not as expected")  # noqa: T201 - as above


if __name__ == "__main__":
    main()
