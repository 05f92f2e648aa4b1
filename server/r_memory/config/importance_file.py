"""Loads what makes a memory important in a field: `schema/conversation/importance.yaml`."""

from collections.abc import Mapping, Sequence
from typing import Literal

from pydantic import Field

from r_memory.config.files import Files
from r_memory.config.names import Word
from r_memory.config.yaml_lines import FileModel, load, parsed

IMPORTANCE = "schema/conversation/importance.yaml"
"""Its name below the home."""


class ImportanceForm(FileModel):
    """The whole file."""

    version: Literal[1] = Field(description="Form of the file.")
    words: dict[Literal["5", "6", "7", "8", "9", "10"], list[Word]] = Field(
        description="Importance, from 5 to 10, to words and phrases; `*` is any ending."
    )


def load_importance(files: Files) -> Mapping[int, Sequence[str]]:
    """Words and phrases by their importance.

    Raises:
        ConfigurationError: the file is missing or not of the form.
    """
    form = parsed(load(files.read(IMPORTANCE)), ImportanceForm)
    return {int(weight): tuple(words) for weight, words in form.words.items()}
