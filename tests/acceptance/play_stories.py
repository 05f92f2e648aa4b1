"""Plays stories that are no regression tests, by Python on the embedded store, and says what is not as expected.

python -m tests.acceptance.play_stories evals/sets/stories/newcomers-clinical.yaml
python -m tests.acceptance.play_stories S.yaml --calls S.calls.jsonl

With `--calls`, a caller has read: what it gave for the steps of the stories before it (`scripts.strangers steps`).
"""

import argparse
import asyncio
import json
import tempfile
import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from r_memory.config.settings import load_settings
from tests.acceptance.conftest import installed_in
from tests.acceptance.story_form import Step, Story, stories_of
from tests.acceptance.story_play import play, python_life


async def wrong_in(story: Story) -> Sequence[str]:
    """What is not as the story expects; a step that cannot be taken is one line."""
    prefix = f"story-{uuid.uuid4().hex[:8]}"
    with tempfile.TemporaryDirectory() as folder:
        installed = installed_in(Path(folder)).with_settings(schema=story.schema, space=f"{prefix}-none")
        try:
            told = await play([story], python_life(load_settings(installed.environment)), prefix=prefix, ends_now=True)
        except (ValueError, LookupError) as error:
            return [f"a step cannot be taken: {error}"]
    return told[story.name]


def read_by_a_caller(story: Story, calls: Iterable[Mapping[str, Any]]) -> Story:
    """The story with the facts and names that a caller gave for its steps, which are numbered with the restarts.

    Raises:
        ValueError: a statement has no call, or a call no statement, request or draft.
    """
    given = {call["step"]: call for call in calls if story.name.endswith(f": {call['story']}")}
    lives: list[tuple[Step, ...]] = []
    number = 0
    for life in story.lives:
        lives.append(tuple(_called(step, given.pop(number + place, None)) for place, step in enumerate(life)))
        number += len(life) + 1
    if given:
        raise ValueError(f"{story.name}: nothing is said or asked in steps {sorted(given)}")
    return replace(story, lives=tuple(lives))


def _called(step: Step, call: Mapping[str, Any] | None) -> Step:
    if step.say and call is None:
        raise ValueError(f"no call for {step.say!r}")
    if call is None:
        return step
    more = {"facts": call["facts"]} if step.say else {"involves": [*step.involves, *call.get("about", ())]}
    return Step.model_validate({**step.model_dump(exclude_defaults=True), **more})


def main() -> None:
    """Prints each story that did not come out as expected, and how many of all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--calls", type=Path, help="JSON lines of what a caller read")
    given = parser.parse_args()
    stories = [story for file in given.files for story in stories_of(file)]
    if given.calls:
        calls = [json.loads(line) for line in given.calls.read_text(encoding="utf-8").splitlines()]
        stories = [read_by_a_caller(story, calls) for story in stories]
    found = [(story.name, asyncio.run(wrong_in(story))) for story in stories]
    for name, wrong in found:
        if wrong:
            print("\n".join([name, *wrong, ""]))  # noqa: T201 - what a command says
    print(sum(bool(wrong) for _, wrong in found), "of", len(found), "not as expected")  # noqa: T201 - as above


if __name__ == "__main__":
    main()
