"""Plays stories that are no regression tests, by Python on the embedded store, and says what is not as expected.

python -m tests.acceptance.play_stories evals/sets/stories/newcomers-clinical.yaml
"""

import asyncio
import sys
import tempfile
import uuid
from collections.abc import Iterable, Sequence
from pathlib import Path

from r_memory.config.settings import load_settings
from tests.acceptance.conftest import installed_in
from tests.acceptance.story_form import Story, stories_of
from tests.acceptance.story_play import play, python_life


async def wrong_in(story: Story) -> Sequence[str]:
    """What is not as the story expects; a step that cannot be taken is one line."""
    prefix = f"story-{uuid.uuid4().hex[:8]}"
    with tempfile.TemporaryDirectory() as folder:
        installed = installed_in(Path(folder)).with_settings(schema=story.schema, space=f"{prefix}-none")
        try:
            told = await play([story], python_life(load_settings(installed.environment)), prefix=prefix)
        except (ValueError, LookupError) as error:
            return [f"a step cannot be taken: {error}"]
    return told[story.name]


def main(files: Iterable[str]) -> None:
    """Prints each story that did not come out as expected, and how many of all."""
    stories = [story for file in files for story in stories_of(Path(file))]
    found = [(story.name, asyncio.run(wrong_in(story))) for story in stories]
    for name, wrong in found:
        if wrong:
            print("\n".join([name, *wrong, ""]))  # noqa: T201 - what a command says
    print(sum(bool(wrong) for _, wrong in found), "of", len(found), "not as expected")  # noqa: T201 - as above


if __name__ == "__main__":
    main(sys.argv[1:])
