"""Reads a prompt: one Markdown file, a line `---` between what the model is told once and what it is asked each time.

Lines before the first heading are for whoever edits the file, and are not part of the prompt.
"""

from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath

from r_memory.config.files import Files, Source
from r_memory.domain.prompts import Prompt, places
from r_memory.errors import ConfigurationError

EXTRACT = "schema/prompts/extract.md"
INTENTS = "schema/prompts/intents.md"
TOLD = {"subject_type", "card", "examples"}
"""Places in the part that the model is told once."""
ASKED = {"subject", "speaker", "before", "text"}
"""Places in the question."""
_NEEDED = {"card", "text"}
SHORTENING = tuple(
    f"schema/prompts/{kind}{language}.md"
    for kind in ("turn", "window", "block", "group", "theme")
    for language in ("", ".zh")
)
"""Prompts that shorten texts, in English and Chinese."""
MEMORIES = tuple(f"schema/prompts/{name}.md" for name in ("memory", "memory.zh", "consolidate", "consolidate.zh"))
"""Prompts that make memories of turns, and one memory of two."""
SUMMARY = "schema/prompts/summary.md"
GATE, SUFFICES = "schema/prompts/gate.md", "schema/prompts/suffices.md"
"""The controller's two questions: is memory needed, and is this enough?"""
_SHORTEN = ({"words"}, {"words", "background", "theme", "question", "text"}, {"text"})
_REMEMBER = ({"words"}, {"text"}, {"text"})
_JOIN = ({"words"}, {"older", "newer"}, {"older", "newer"})
_PLACES = {
    EXTRACT: (TOLD, ASKED, _NEEDED),
    INTENTS: ({"intents"}, {"text"}, {"intents", "text"}),
    SUMMARY: (set(), {"summary", "question", "answer"}, {"summary", "question", "answer"}),
    GATE: (set(), {"text"}, {"text"}),
    SUFFICES: (set(), {"text", "material"}, {"text", "material"}),
    **dict.fromkeys(SHORTENING, _SHORTEN),
    **dict.fromkeys(MEMORIES[:2], _REMEMBER),
    **dict.fromkeys(MEMORIES[2:], _JOIN),
}
"""Prompt to the places allowed above the line, those allowed below it, and those that are required."""
KNOWN = tuple(_PLACES)
_RULE = "---"


def load_prompt(files: Files, name: str = EXTRACT) -> Prompt:
    """Returns the prompt with this name, one of `KNOWN`.

    Raises:
        ConfigurationError: a place is unknown or missing; with file and line.
    """
    source = files.read(name)
    mistakes = tuple(_mistakes(source, *_PLACES[name]))
    if mistakes:
        raise mistakes[0].among(mistakes[1:])
    lines = source.text.splitlines()
    first, rule = _heading(lines), lines.index(_RULE)
    return Prompt(told="\n".join(lines[first:rule]).strip(), asked="\n".join(lines[rule + 1 :]).strip())


def load_prompts(files: Files, names: Iterable[str]) -> dict[str, Prompt]:
    """Returns several prompts by file name without folder and suffix: `turn`, `turn.zh`."""
    return {PurePosixPath(name).stem: load_prompt(files, name) for name in names}


def _heading(lines: list[str]) -> int:
    return next((number for number, line in enumerate(lines) if line.startswith("#")), 0)


def _mistakes(source: Source, told: set[str], asked: set[str], needed: set[str]) -> Iterator[ConfigurationError]:
    lines = source.text.splitlines()
    if _RULE not in lines:
        message = "has no line `---`; put one between the task and the question"
        yield ConfigurationError(message, file=source.path)
        return
    first, rule = _heading(lines), lines.index(_RULE)
    found: set[str] = set()
    for number, line in enumerate(lines[first:], start=first):
        known = told if number < rule else asked
        for name in places(line):
            found.add(name)
            if name not in known:
                where = "above" if number < rule else "below"
                message = (
                    f"unknown place {{{{{name}}}}} {where} the line `---`; known there: {', '.join(sorted(known))}"
                )
                yield ConfigurationError(message, file=source.path, line=number + 1)
    for name in sorted(needed - found):
        message = f"nothing is put into it at {{{{{name}}}}}; add that place"
        yield ConfigurationError(message, file=source.path, line=rule + 1)
