"""Loads what is edited about conversations: the controller's lesson, importance, own instructions."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

from pydantic import Field

from r_memory.config.files import Files, nearest
from r_memory.config.names import Listed, Word, Words
from r_memory.config.yaml_lines import FileModel, Mistakes, load, parsed
from r_memory.domain.prompts import Prompt
from r_memory.domain.turns import GateExample, GateLesson
from r_memory.errors import ConfigurationError

CONTROLLER = "schema/controller/gate.yaml"
IMPORTANCE = "schema/conversation/importance.yaml"
Instruction = Literal["INSTRUCTION_CONVERSATION", "INSTRUCTION_SUMMARY"]
"""Name of the instruction file: for the answering model, or for the one that keeps the summary (memory-systems 2.4,
CIM-22)."""
_LONGEST = 100_000
"""Most characters of an instruction."""


class ReachExamples(FileModel):
    """Sentences of users by how far back they reach."""

    alone: Words = Field(description="Stand by themselves, or ask for what another system knows.")
    previous: Words = Field(description="Need the turn before.")
    earlier: Words = Field(description="Need what was said, decided or told before that.")


class ControllerForm(FileModel):
    """The whole file."""

    version: Literal[1] = Field(description="Form of the file.")
    examples: ReachExamples
    given_names: Listed[Word] = Field(
        default=(), description="Given names; a question about one of them is about somebody known."
    )


class ImportanceForm(FileModel):
    """The whole file."""

    version: Literal[1] = Field(description="Form of the file.")
    words: dict[Literal["5", "6", "7", "8", "9", "10"], Listed[Word]] = Field(
        description="Importance, from 5 to 10, to words and phrases; `*` is any ending."
    )


def load_lesson(files: Files) -> GateLesson:
    """Returns the examples and names from which the local judge learns.

    Raises:
        ConfigurationError: the file is wrong; with file and line.
    """
    document = load(files.read(CONTROLLER))
    form, wrong, known = parsed(document, ControllerForm), Mistakes(document), dict[str, str]()
    for name, texts in form.examples:
        for place, text in enumerate(texts):
            if (first := known.setdefault(text.casefold(), name)) != name:
                wrong.add(f"stands under `{first}` as well; keep it under one", ("examples", name, place))
    wrong.refuse()
    return GateLesson(
        examples=tuple(
            GateExample(text=text, needed=name != "alone") for name, texts in form.examples for text in texts
        ),
        given_names=frozenset(name.casefold() for name in form.given_names),
    )


def load_importance(files: Files) -> Mapping[int, Sequence[str]]:
    """Returns words and phrases by the importance that they give a memory.

    Raises:
        ConfigurationError: the file is wrong; with file and line.
    """
    form = parsed(load(files.read(IMPORTANCE)), ImportanceForm)
    return {int(weight): words for weight, words in form.words.items()}


def load_instruction(name: Instruction, home: Path | None) -> str:
    """Returns the user's own instruction, from the current directory or the home; empty if there is none.

    Raises:
        ConfigurationError: the file is too long.
    """
    path, text = next(nearest(name, home), (None, ""))
    if len(text) > _LONGEST:
        raise ConfigurationError(f"longer than {_LONGEST} characters; shorten it", file=path)
    return text.strip()


def instructed(prompt: Prompt, instruction: str) -> Prompt:
    """Returns the prompt with the user's instruction behind the task, which stays unchanged.

    >>> instructed(Prompt(told="Sum it up.", asked="{{text}}"), "In French.").told
    'Sum it up.\\n\\nIn French.'
    """
    return replace(prompt, told=f"{prompt.told}\n\n{instruction}") if instruction else prompt
