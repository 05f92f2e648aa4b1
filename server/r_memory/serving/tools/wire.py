"""Standard input and output as lines of text for the SDK.

Knows how text is broken, not what it says: half of a surrogate pair, which JSON can spell and no text can hold, would
make the SDK drop the whole message without an answer.
"""

import io
import os
import re

import anyio
from typing_extensions import override

_ESCAPE = re.compile(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u(?P<half>[dD][89a-fA-F][0-9a-fA-F]{2})|.)"
)


def incoming(descriptor: int) -> anyio.AsyncFile[str]:
    """The lines that a client sends, every character whole; bytes that are not UTF-8 are replaced as well."""
    binary = os.fdopen(descriptor, "rb", closefd=False)
    return anyio.wrap_file(_WholeCharacters(binary, encoding="utf-8", errors="replace"))


def outgoing(descriptor: int) -> anyio.AsyncFile[str]:
    """Where lines for the client are written."""
    return anyio.wrap_file(os.fdopen(descriptor, "w", encoding="utf-8", newline="\n", closefd=False))


def whole_characters(line: str) -> str:
    r"""The line of JSON with U+FFFD for every escaped half of a surrogate pair that stands without the other.

    >>> whole_characters(r'"\ud83d\ude00 \ud800 \\ud800"')
    '"\\ud83d\\ude00 \\ufffd \\\\ud800"'
    """
    return _ESCAPE.sub(lambda found: r"\ufffd" if found["half"] else found.group(), line) if "\\" in line else line


class _WholeCharacters(io.TextIOWrapper):
    @override
    def readline(self, size: int = -1, /) -> str:  # type: ignore[override]  # the stubs of the base say so themselves
        return whole_characters(super().readline(size))
