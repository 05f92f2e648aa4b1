"""Where a page of a history begins, as a cursor that means nothing to whoever carries it."""

import base64
import binascii

from r_memory.errors import InvalidInput

_PREFIX = b"history:"


def cursor_at(position: int) -> str:
    """A cursor for the page that begins at this item."""
    return base64.urlsafe_b64encode(_PREFIX + str(position).encode()).decode()


def position_of(cursor: str) -> int:
    """Where the page begins; 0 for an empty cursor.

    >>> position_of(cursor_at(50))
    50

    Raises:
        InvalidInput: not a cursor of a history.
    """
    if not cursor:
        return 0
    try:
        decoded = base64.urlsafe_b64decode(cursor)
    except (binascii.Error, ValueError):
        decoded = b""
    digits = decoded.removeprefix(_PREFIX)
    if not decoded.startswith(_PREFIX) or not digits.isdigit():
        raise InvalidInput("the cursor is not one of this history; start again without cursor")
    return int(digits)
