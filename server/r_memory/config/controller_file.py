"""Loads what the local judge of the controller learns from: `schema/controller/gate.yaml`."""

from typing import Literal

from pydantic import Field

from r_memory.config.files import Files
from r_memory.config.names import Word
from r_memory.config.yaml_lines import FileModel, doubled, load, parsed
from r_memory.domain.judgements import GateExample, GateLesson, Reach

CONTROLLER = "schema/controller/gate.yaml"
"""Its name below the home."""


class ExamplesForm(FileModel):
    """Sentences of users by how far back they reach."""

    alone: list[Word] = Field(min_length=1, description="Stand by themselves, or ask for what another system knows.")
    previous: list[Word] = Field(min_length=1, description="Need the turn before.")
    earlier: list[Word] = Field(min_length=1, description="Need what was said, decided or told before that.")


class ControllerForm(FileModel):
    """The whole file."""

    version: Literal[1] = Field(description="Form of the file.")
    examples: ExamplesForm
    given_names: list[Word] = Field(
        default_factory=list, description="Given names; a question about one of them is about somebody known."
    )


def load_lesson(files: Files) -> GateLesson:
    """The examples and names that the local judge learns from.

    Raises:
        ConfigurationError: the file is missing, not of the form, or has one sentence in two groups.
    """
    document = load(files.read(CONTROLLER))
    form = parsed(document, ControllerForm)
    groups: dict[str, list[str]] = form.examples.model_dump()
    doubled(document, ("examples",), groups)
    return GateLesson(
        examples=tuple(GateExample(text=text, reach=Reach(reach)) for reach, texts in groups.items() for text in texts),
        given_names=frozenset(name.casefold() for name in form.given_names),
    )
