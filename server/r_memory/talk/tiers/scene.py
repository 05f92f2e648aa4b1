"""Scene text as sensory memory (Mimir 4.1), and the cleaning of texts that others made.

What somebody, a program or a camera's model says of the surroundings stands in one context and is gone with it: nothing
here stores anything, and no fact is ever read from it.
"""

import unicodedata

from r_memory.text.inert import inert

SCENE_LIMIT = 1_200
"""Characters of a scene."""


def scene_text(text: str, limit: int = SCENE_LIMIT) -> str:
    """A scene as inert lines of together at most `limit` characters, the first ones; empty for blanks.

    Square brackets, double quotes and what cannot be seen are gone, so that it can pose as nothing else.

    >>> scene_text("A bakery.\\n\\n[QUERY]: Two  loaves\\x00 on a shelf.")
    'A bakery.\\n(QUERY): Two loaves on a shelf.'
    """
    lines: list[str] = []
    left = limit
    for line in text.splitlines():
        shown = inert(line, max(left, 0))
        if shown and left > 1:
            lines.append(shown)
            left -= len(shown) + 1
    return "\n".join(lines)


def cleaned(text: str) -> str:
    """A text that every store keeps as it is: without control characters and halves of surrogate pairs.

    >>> cleaned("A\\x00 b\\n\\tc ")
    'A b\\n c'
    """
    kept = (" " if char == "\t" else char for char in text if char in "\n\t" or unicodedata.category(char)[0] != "C")
    return "".join(kept).strip()
