"""Where a page of a list begins, as a cursor that means nothing to whoever carries it."""

import base64
import binascii

from r_memory.errors import InvalidInput

HISTORY = "history"


def cursor_at(position: int, of: str = HISTORY) -> str:
    """A cursor for the page that begins at this item of a list."""
    return base64.urlsafe_b64encode(f"{of}:{position}".encode()).decode()


def position_of(cursor: str, of: str = HISTORY) -> int:
    """Where the page begins; 0 for an empty cursor.

    >>> position_of(cursor_at(50))
    50

    Raises:
        InvalidInput: not a cursor of this list.
    """
    if not cursor:
        return 0
    try:
        decoded = base64.urlsafe_b64decode(cursor)
    except (binascii.Error, ValueError):
        decoded = b""
    prefix = f"{of}:".encode()
    digits = decoded.removeprefix(prefix)
    if not decoded.startswith(prefix) or not digits.isdigit():
        raise InvalidInput(
            "the cursor is not one of this list; start again without cursor, or use next_cursor as it came"
        )
    return int(digits)
