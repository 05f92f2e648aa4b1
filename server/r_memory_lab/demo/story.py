"""What the demo tells the memory: the intake, and hundreds of turns of other talk around it.

Reads the made-up material of this folder, or real dialogues from a folder; knows nothing of servers.
"""

import random
import tomllib
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from r_memory.errors import ConfigurationError

TURNS = 300
"""Turns between the intake and the request."""
DIALOGUES = Path("allergy") / "dialogues.jsonl"
"""Path of real dialogues below the folder of `--filler`."""

Speaker = Literal["patient", "doctor"]


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryPatient:
    """A patient of the demo."""

    id: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryTurn:
    """One utterance about one patient."""

    about: StoryPatient
    speaker: Speaker
    text: str
    conversation: str = ""
    """Name that distinguishes a patient's conversations; empty for a single remark."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """Everything that is said, in order."""

    intake: StoryTurn
    turns: tuple[StoryTurn, ...]
    request: str
    """The final request about the patient of the intake."""

    @property
    def subject(self) -> StoryPatient:
        """The patient of the intake."""
        return self.intake.about

    @property
    def others(self) -> tuple[StoryPatient, ...]:
        """All other patients, once each, by id."""
        met = {turn.about.id: turn.about for turn in self.turns if turn.about != self.subject}
        return tuple(met[id_] for id_ in sorted(met))


class _Line(BaseModel):
    """Sentences of the material, by who says them."""

    model_config = ConfigDict(extra="forbid")
    says: list[str]
    notes: list[str]


class _Other(_Line):
    id: str
    name: str


class _Subject(_Other):
    intake: str
    request: str


class _Material(BaseModel):
    model_config = ConfigDict(extra="forbid")
    subject: _Subject
    other: list[_Other]
    talk: _Line
    slots: dict[str, list[str]]


class _Dialogue(BaseModel):
    """A row of real dialogues; fields beyond these are for other readers."""

    turns: list[tuple[str, str]]


def made_up(*, turns: int = TURNS) -> Story:
    """Returns the story of the shipped material; deterministic."""
    material = _Material.model_validate(tomllib.loads((files(__package__) / "material.toml").read_text("utf-8")))
    chance = random.Random(20)
    people = (material.subject, *material.other)
    own = [turn for person in people for turn in _turns(person, _person(person))]
    everyday = _everyday(material.talk, [_person(person) for person in people], chance)
    told = [*own, *(next(everyday) for _ in range(turns - len(own)))][:turns]
    chance.shuffle(told)
    subject = _person(material.subject)
    return Story(
        intake=StoryTurn(about=subject, speaker="patient", text=material.subject.intake),
        turns=tuple(replace(turn, text=_filled(turn.text, material.slots, chance)) for turn in told),
        request=material.subject.request,
    )


def with_dialogues(story: Story, folder: Path) -> Story:
    """Returns the story with real dialogues in place of the other talk, one patient for each.

    Raises:
        ConfigurationError: the folder holds no dialogues, or a row cannot be read.
    """
    kept = [turn for turn in story.turns if turn.about == story.subject]
    told = _turns_about(_dialogues(folder / DIALOGUES), story.others, wanted=len(story.turns) - len(kept))
    return replace(story, turns=tuple(_interleaved([*kept, *told])))


def _person(person: _Other) -> StoryPatient:
    return StoryPatient(id=person.id, name=person.name)


def _turns(said: _Line, about: StoryPatient) -> Iterator[StoryTurn]:
    yield from (StoryTurn(about=about, speaker="patient", text=text) for text in said.says)
    yield from (StoryTurn(about=about, speaker="doctor", text=text) for text in said.notes)


def _everyday(talk: _Line, people: Sequence[StoryPatient], chance: random.Random) -> Iterator[StoryTurn]:
    """Yields one turn about each person, in rounds; no person gets a sentence twice."""
    shuffled = [chance.sample(turns, len(turns)) for turns in (list(_turns(talk, person)) for person in people)]
    for round_of_talk in zip(*shuffled, strict=True):
        yield from round_of_talk


def _filled(text: str, slots: Mapping[str, Sequence[str]], chance: random.Random) -> str:
    return text.format_map({name: chance.choice(values) for name, values in slots.items()})


def _interleaved(turns: Iterable[StoryTurn]) -> Iterator[StoryTurn]:
    """Yields the turns of all patients mixed, those of each in order; deterministic."""
    waiting: dict[str, deque[StoryTurn]] = defaultdict(deque)
    for turn in turns:
        waiting[turn.about.id].append(turn)
    order = [id_ for id_, queue in waiting.items() for _ in queue]
    random.Random(20).shuffle(order)
    yield from (waiting[id_].popleft() for id_ in order)


def _dialogues(path: Path) -> Iterator[tuple[StoryTurn, ...]]:
    """Yields the dialogues of a file, each its own conversation, about an unnamed person."""
    reader = TypeAdapter(_Dialogue)
    nobody = StoryPatient(id="", name="")
    try:
        with path.open(encoding="utf-8") as lines:
            for number, line in enumerate(lines, start=1):
                try:
                    rows = reader.validate_json(line).turns
                except ValidationError as error:
                    message = 'not a dialogue; give one JSON object a line: {"turns": [["patient", "text"], ...]}'
                    raise ConfigurationError(message, file=path, line=number) from error
                yield tuple(
                    StoryTurn(about=nobody, speaker=_speaker(who), text=text, conversation=f"dialogue-{number}")
                    for who, text in rows
                    if text.strip()
                )
    except OSError as error:
        message = f"no dialogues here ({error.strerror}); give the folder that holds {DIALOGUES.as_posix()}"
        raise ConfigurationError(message, file=path) from error


def _speaker(who: str) -> Speaker:
    return "doctor" if who.strip().casefold() in {"doctor", "clinician", "physician"} else "patient"


def _turns_about(
    dialogues: Iterable[tuple[StoryTurn, ...]], people: Sequence[StoryPatient], *, wanted: int
) -> list[StoryTurn]:
    """Returns turns of the dialogues, one person after another, until there are enough."""
    told: list[StoryTurn] = []
    for position, dialogue in enumerate(dialogues):
        about = people[position % len(people)]
        told += [replace(turn, about=about) for turn in dialogue]
        if len(told) >= wanted:
            return told[:wanted]
    return told
