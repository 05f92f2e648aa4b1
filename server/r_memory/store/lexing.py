"""Positions of strings, quoted names and comments in a Cypher text, as far as checks need them.

It knows no grammar. Masked text keeps its length and lines, so that positions in it are positions in the text.
"""

import re
from collections.abc import Iterator

_OPAQUE = re.compile(
    r"""
    '(?:[^'\\]|\\.)*'      # a string
    | "(?:[^"\\]|\\.)*"
    | `(?:[^`]|``)*`       # a quoted name
    | //[^\n]*             # a comment
    | /\*.*?\*/
    """,
    re.VERBOSE | re.DOTALL,
)


def masked(text: str) -> str:
    """The text with every string, quoted name and comment replaced by blanks; line ends are kept."""
    return _OPAQUE.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)


def statements(text: str) -> tuple[str, ...]:
    """The parts between semicolons, stripped; empty parts are left out."""
    ends = [position for position, character in enumerate(masked(text)) if character == ";"]
    parts = (text[start:end].strip() for start, end in zip([0, *(end + 1 for end in ends)], [*ends, None], strict=True))
    return tuple(part for part in parts if masked(part).strip())


def split_outside_brackets(text: str) -> Iterator[str]:
    """The parts of a masked text between commas outside all brackets."""
    depth = start = 0
    for position, character in enumerate(text):
        if character in "([{":
            depth += 1
        elif character in ")]}":
            depth -= 1
        elif character == "," and depth == 0:
            yield text[start:position]
            start = position + 1
    yield text[start:]
