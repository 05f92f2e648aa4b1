"""Loads what kinds of talk are told apart by: `schema/conversation/kinds.yaml`."""

from collections.abc import Mapping, Sequence
from typing import Literal

from pydantic import Field

from r_memory.config.files import Files
from r_memory.config.names import Word
from r_memory.config.yaml_lines import FileModel, doubled, load, parsed

KINDS = "schema/conversation/kinds.yaml"
"""Its name below the home."""


class ExamplesForm(FileModel):
    """Messages by their kind."""

    task: list[Word] = Field(min_length=1, description="Something is to be made, changed or worked out.")
    question: list[Word] = Field(min_length=1, description="Something is to be known.")
    planning: list[Word] = Field(min_length=1, description="Something is to be arranged.")
    emotional: list[Word] = Field(min_length=1, description="Somebody tells how they feel.")
    small_talk: list[Word] = Field(min_length=1, description="Anything else between people.")


class KindsForm(FileModel):
    """The whole file."""

    version: Literal[1] = Field(description="Form of the file.")
    examples: ExamplesForm


def load_kinds(files: Files) -> Mapping[str, Sequence[str]]:
    """Messages by the name of their kind.

    Raises:
        ConfigurationError: the file is missing, not of the form, or has one message under two kinds.
    """
    document = load(files.read(KINDS))
    examples = parsed(document, KindsForm).examples.model_dump()
    doubled(document, ("examples",), examples)
    return {kind: tuple(texts) for kind, texts in examples.items()}
