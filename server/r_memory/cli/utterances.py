"""A text as the utterances that are in it: who said what, line by line.

Pure functions; reading files and storing anything is done elsewhere.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from r_memory.domain.events import Role
from r_memory.errors import InvalidInput
from r_memory.record.utterances import checked_text

_SAID_BY = re.compile(r"\s*(?P<speaker>[^\W\d_][\w-]{0,31})\s*:\s*(?P<text>.*)")
_ASSISTANT = "assistant"


@dataclass(frozen=True, slots=True, kw_only=True)
class Spoken:
    """One utterance of a text."""

    text: str
    line: int
    """Where it stands, from 1."""
    speaker: str
    role: Role


def utterances(
    text: str, *, speaker: str = "", role: Role = "user", whole: bool = False, dialogue: bool = False
) -> tuple[Spoken, ...]:
    """One utterance for each line that is not empty, or one for the whole text.

    In a `dialogue`, a line may begin with who speaks (`doctor: ...`); a line that does not goes on with the speaker
    before it. What an `assistant:` says has that role and is no evidence.

    >>> [(said.speaker, said.text) for said in utterances("doctor: Any allergies?\\npatient: To latex.", dialogue=True)]
    [('doctor', 'Any allergies?'), ('patient', 'To latex.')]
    """
    if whole:
        return (Spoken(text=text, line=1, speaker=speaker, role=role),)
    lines = [(number, line.strip()) for number, line in enumerate(text.splitlines(), start=1) if line.strip()]
    if dialogue:
        return tuple(_dialogue(lines, speaker, role))
    return tuple(Spoken(text=line, line=number, speaker=speaker, role=role) for number, line in lines)


def checked(spoken: tuple[Spoken, ...], *, limit: int) -> tuple[Spoken, ...]:
    """The same utterances, if every one of them can be stored.

    Raises:
        InvalidInput: there is none, or one cannot be stored; names its line.
    """
    if not spoken:
        raise InvalidInput("the text is empty; give the words that were said")
    for said in spoken:
        try:
            checked_text(said.text, limit=limit)
        except InvalidInput as error:
            raise InvalidInput(f"line {said.line}: {error}" if len(spoken) > 1 else str(error)) from error
    return spoken


def _dialogue(lines: list[tuple[int, str]], speaker: str, role: Role) -> Iterator[Spoken]:
    now, as_role = speaker, role
    for number, line in lines:
        said_by = _SAID_BY.fullmatch(line)
        if said_by:
            now = said_by["speaker"].casefold()
            as_role = "assistant" if now == _ASSISTANT else role
        text = said_by["text"] if said_by else line
        if text:
            yield Spoken(text=text, line=number, speaker=now, role=as_role)
