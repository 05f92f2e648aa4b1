"""Words of one's own for the models: the two instruction files of CIM (memory-systems 2.4, CIM-22).

Looked for in the current directory, then beside the configuration; where there is none, the instruction is blank.
"""

from dataclasses import replace
from pathlib import Path
from typing import Literal

from r_memory.domain.prompts import Prompt
from r_memory.errors import ConfigurationError

Instruction = Literal["INSTRUCTION_CONVERSATION", "INSTRUCTION_SUMMARY"]
"""Name of the file: for the model that answers, and for the one that keeps the structured summary."""
_LONGEST = 100_000
"""Characters; more is no instruction."""


def load_instruction(name: Instruction, home: Path | None) -> str:
    """The nearest file's words; empty where there is no file, or an empty one.

    Raises:
        ConfigurationError: a file is there and cannot be read.
    """
    for folder in filter(None, (Path.cwd(), home)):
        path = folder / name
        try:
            text = path.read_text(encoding="utf-8-sig")
        except FileNotFoundError:
            continue
        except (OSError, UnicodeDecodeError):
            raise ConfigurationError("cannot be read as text; mend or remove it", file=path) from None
        if len(text) > _LONGEST:
            raise ConfigurationError(f"longer than {_LONGEST} characters; shorten it", file=path)
        return text.strip()
    return ""


def instructed(prompt: Prompt, instruction: str) -> Prompt:
    """The prompt with somebody's own words behind the task; the task itself, which code relies on, stays.

    >>> instructed(Prompt(told="Sum it up.", asked="{{text}}"), "In French.").told
    'Sum it up.\\n\\nIn French.'
    """
    return replace(prompt, told=f"{prompt.told}\n\n{instruction}") if instruction else prompt
