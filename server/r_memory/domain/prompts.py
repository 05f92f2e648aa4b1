"""A prompt: the fixed instruction and the question for a language model, with `{{name}}` as placeholders."""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass

_PLACE = re.compile(r"\{\{\s*([a-z_]+)\s*\}\}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """Two texts with placeholders."""

    told: str
    """The instruction, the same for every question."""
    asked: str

    @property
    def digest(self) -> str:
        """First twelve digits of a sha256 over both texts."""
        return hashlib.sha256(f"{self.told}\x1f{self.asked}".encode()).hexdigest()[:12]


def places(text: str) -> tuple[str, ...]:
    """Names of the placeholders of a text, in order.

    >>> places("About {{subject}}: {{text}}")
    ('subject', 'text')
    """
    return tuple(_PLACE.findall(text))


def filled(text: str, words: Mapping[str, str]) -> str:
    """The text with its placeholders filled; placeholders within the filled-in words are left as they are.

    >>> filled("{{speaker}}: {{text}}", {"speaker": "patient", "text": "{{speaker}}"})
    'patient: {{speaker}}'
    """
    return _PLACE.sub(lambda place: words[place[1]], text)
