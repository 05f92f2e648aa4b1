"""What reading gives: sections in order, each with its place. No behaviour beyond cleaning; knows no format."""

import re
from dataclasses import dataclass
from typing import Literal

from r_memory.errors import ConfigurationError, adding

Kind = Literal["text", "markdown", "pdf", "docx"]

ENCODING_GUESSED = "encoding_guessed"
BLANK_PAGES = "pages_without_text"
"""Pages that hold pictures at best: what stands on them is not known."""

_DIVIDED = re.compile(r"(?<=[^\W\d_])[-\u00ad]\n(?P<rest>[a-z\u00df-\u00ff]\S*)")
_UNSTORABLE = re.compile("[\x00-\x08\x0b\x0e-\x1f\x7f\ud800-\udfff]")


@dataclass(frozen=True, slots=True, kw_only=True)
class TextSection:
    """A stretch of a document that stands in one place: as a file has it, or a part of a few sentences."""

    text: str
    page: int = 0
    """From 1; 0 where the kind of file has no pages."""
    heading: str = ""
    """The last heading before it; empty for none."""
    line: int = 1
    """Where it begins, counted from 1 in the whole file; of use only where there are no pages."""
    number: int = 0
    """Of a part in its document, from 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentText:
    """A document as words."""

    sections: tuple[TextSection, ...]
    flags: tuple[str, ...] = ()
    blank_pages: tuple[int, ...] = ()

    @property
    def text(self) -> str:
        """All of it."""
        return "".join(section.text for section in self.sections)


def clean(text: str) -> str:
    """The text with one kind of line end, and a blank for each character that no store keeps.

    >>> clean("one\\r\\ntwo\\x00three")
    'one\\ntwo three'
    """
    return _UNSTORABLE.sub(" ", text.replace("\r\n", "\n").replace("\r", "\n"))


def undivided(text: str) -> str:
    """The text with each word in one piece that was divided at the end of a line; as many lines as before.

    >>> undivided("allergic to peni-\\ncillin, since 1998")
    'allergic to penicillin,\\n since 1998'
    """
    return _DIVIDED.sub(r"\g<rest>\n", text)


def missing(what: str) -> ConfigurationError:
    """The error for something that cannot be read without the optional packages."""
    return ConfigurationError(f"{what} cannot be read without the extra 'documents'; {adding('documents')}")
