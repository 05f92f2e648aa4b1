"""A story as somebody writes it down: who there is, what is said, when, and what must then be shown.

Only the form of the files below `stories/`; how a story is played is `story_play.py`.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import Field, model_validator

from r_memory.config.files import Source
from r_memory.config.yaml_lines import FileModel, load, parsed

FOLDER = Path(__file__).parent / "stories"
NOBODY = "nobody"
"""As `about`: the call leaves its subject out."""
Verdict = Literal["conflict", "warning", "not_checkable", "nothing_found"]
ACTIONS = ("say", "wait", "restart", "ask", "check", "change")
DECISIONS: Mapping[str, Literal["active", "resolved", "refuted", "entered_in_error", "overridden"]] = {
    "confirm": "active",
    "resolve": "resolved",
    "refute": "refuted",
    "entered_in_error": "entered_in_error",
    "reinstate": "active",
    "override": "overridden",
}
"""What a person may decide about a fact, and how the command line calls it."""
_DAYS = re.compile(r"(\d+) days?")


class Expect(FileModel):
    """What the answer to a request or a check must hold; all words are compared in small letters."""

    first: list[str] = Field(default=[])
    """Words of the first finding of the block, its indented lines included."""
    shows: list[str] = Field(default=[])
    never: list[str] = Field(default=[])
    once: list[str] = Field(default=[])
    order: list[str] = Field(default=[])
    """Words that must stand in this order."""
    states: dict[str, Literal["FOUND", "NONE-ASSERTED", "NOT-ASKED"]] = Field(default={})
    lines: int | None = None
    """Most lines of the block."""
    verdict: Verdict | list[Verdict] = Field(default=[])
    """Of a check: this one, or any of these."""
    refused: list[str] = Field(default=[])
    """Words of the error with which the call must fail."""

    @property
    def verdicts(self) -> list[Verdict]:
        """Any of these will do; empty: none is asked for."""
        return [self.verdict] if isinstance(self.verdict, str) else self.verdict

    @model_validator(mode="after")
    def _demands(self) -> Self:
        if not any(bool(value) for value in self.model_dump().values()):
            raise ValueError("demands nothing; name what must be shown, or leave the step out")
        return self


class Step(FileModel):
    """One thing that happens; exactly one of `ACTIONS`."""

    say: str = ""
    by: str = "user"
    role: Literal["user", "assistant", "document"] = "user"
    today: bool = False
    """Said when the story is played: of what grows or gets old, such as the weeks of a pregnancy."""
    wait: str = ""
    """`3 days`."""
    restart: bool = False
    ask: str = ""
    check: str = ""
    change: Literal["", "confirm", "resolve", "refute", "entered_in_error", "reinstate", "override"] = ""
    """A person's decision about the fact whose object holds the word `fact`."""
    fact: str = ""
    reason: str = ""
    about: str = ""
    """Id or name; may be left out where the story has one person."""
    involves: list[str] = Field(default=[])
    """Of a request or a draft: what the caller says that it is about."""
    judged: list[dict[str, str]] = Field(default=[])
    """Of a draft: what the caller thinks of recorded facts beside it, in the form of `memory_check_text`."""
    facts: list[dict[str, Any]] | None = None
    """Of what is said: the facts that a caller read in it, in the form of `memory_remember`; none: the memory reads."""
    expect: Expect | None = None

    @property
    def days(self) -> int:
        """How long nothing happens."""
        found = _DAYS.fullmatch(self.wait)
        return int(found[1]) if found else 0

    @model_validator(mode="after")
    def _one_thing(self) -> Self:
        named = [action for action in ACTIONS if getattr(self, action)]
        if len(named) != 1:
            raise ValueError(f"holds {' and '.join(named) or 'nothing'}; write exactly one of {', '.join(ACTIONS)}")
        if self.wait and not self.days:
            raise ValueError("`wait` needs a number of days; write `wait: 3 days`")
        if bool(self.ask or self.check) != (self.expect is not None):
            raise ValueError("`ask` and `check` need `expect`, and nothing else has one")
        if self.involves and self.expect is None:
            raise ValueError("`involves` belongs to `ask` and `check`")
        if self.judged and not self.check:
            raise ValueError("`judged` belongs to `check`")
        if self.facts is not None and not self.say:
            raise ValueError("`facts` belongs to `say`")
        if self.change and not (self.fact and self.reason):
            raise ValueError("`change` needs `fact` and `reason`")
        if self.expect is not None and self.ask and self.expect.verdict:
            raise ValueError("`verdict` belongs to `check`")
        block = self.expect and (self.expect.first or self.expect.once or self.expect.order or self.expect.lines)
        if self.check and block:
            raise ValueError("`first`, `once`, `order` and `lines` belong to `ask`")
        return self


class Entry(FileModel):
    """One story."""

    story: str
    kind: str = ""
    """Of what stands in front of a request; its stories are played through every door."""
    people: dict[str, str]
    """Id to name."""
    steps: list[Step]

    @model_validator(mode="after")
    def _everybody_is_known(self) -> Self:
        for number, step in enumerate(self.steps, start=1):
            if not step.about and not step.wait and not step.restart and len(self.people) != 1:
                raise ValueError(f"step {number} needs `about`, as the story has {len(self.people)} people")
            if step.say and step.about and step.about not in self.people:
                raise ValueError(f"step {number} is about '{step.about}', who is none of {', '.join(self.people)}")
        if not any(step.expect for step in self.steps):
            raise ValueError("expects nothing; a story needs an `ask` or a `check`")
        return self


class StoryFile(FileModel):
    """One file of stories."""

    schema_name: str = "clinical"
    stories: list[Entry]


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """A story and where it was found."""

    name: str
    kind: str
    schema: str
    people: Mapping[str, str]
    lives: tuple[tuple[Step, ...], ...]
    """Its steps, cut at each restart."""


def stories_of(path: Path) -> list[Story]:
    """The stories of a file.

    Raises:
        ConfigurationError: the file is not of this form; names line, place and remedy.
    """
    document = load(Source(path=path, content=path.read_bytes()))
    file = parsed(document, StoryFile)
    seen: set[str] = set()
    for number, entry in enumerate(file.stories):
        if entry.story in seen:
            raise document.error(f"a second story '{entry.story}'; each needs a name of its own", ("stories", number))
        seen.add(entry.story)
    return [
        Story(
            name=f"{path.stem}: {entry.story}",
            kind=entry.kind,
            schema=file.schema_name,
            people=entry.people,
            lives=_lives(entry.steps),
        )
        for entry in file.stories
    ]


def every_story() -> list[Story]:
    """All files of the folder, by name."""
    return [story for path in sorted(FOLDER.glob("*.yaml")) for story in stories_of(path)]


def _lives(steps: list[Step]) -> tuple[tuple[Step, ...], ...]:
    lives: list[list[Step]] = [[]]
    for step in steps:
        if step.restart:
            lives.append([])
        else:
            lives[-1].append(step)
    return tuple(map(tuple, lives))
