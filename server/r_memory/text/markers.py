"""The markers of the memory's block, and the removal of blocks that a text contains (Z23).

What was shown must never be read as a new statement. It knows the markers, not what stands between them.
"""

import re

_NAME = "R-MEMORY CONTEXT"
START = f"[{_NAME}]:"
END = f"[END {_NAME}]"

_BLOCK = re.compile(rf"\[\s*{_NAME}\s*\].*?\[\s*END {_NAME}\s*\]", re.IGNORECASE | re.DOTALL)
_SECTION = re.compile(
    r"^\[(?:CONVERSATION SUMMARY|RELEVANT MEMORY|PREVIOUS TURN)\]:.*?(?=^\[[A-Z -]+\]:|\Z)",
    re.IGNORECASE | re.DOTALL | re.MULTILINE,
)
_MARKER = re.compile(rf"\[\s*(?:END )?{_NAME}\s*\]:?", re.IGNORECASE)
_WHOLE = re.compile(
    rf"\[{_NAME}\]:?"  # everything up to the end marker; without one, up to the request that follows
    rf"(?:(?!\[{_NAME}\]).)*?"
    rf"(?:\[END {_NAME}\]|(?=\[QUERY\]:))",
    re.DOTALL,
)
_LABEL = re.compile(r"^[ \t]*\[QUERY\]:[ \t]*\n?", re.MULTILINE)


def without_blocks(text: str) -> str:
    """The text with the memory's blocks replaced by spaces, so that what was shown is not read as new (Z23).

    Of a marker without its partner only the marker is removed.

    >>> without_blocks("a[R-MEMORY CONTEXT]: x [END R-MEMORY CONTEXT]b").split()
    ['a', 'b']
    """
    for pattern in (_BLOCK, _SECTION, _MARKER):
        text = pattern.sub(_blank, text)
    return text


def has_stray_marker(text: str) -> bool:
    """Whether the text has one of our markers without its partner: a block that was cut off or invented."""
    return _MARKER.search(_BLOCK.sub(_blank, text)) is not None


def without_own_blocks(text: str) -> str:
    """The text without whole context blocks; unchanged if it has none.

    A single marker stays: the words after it may be a statement that is not repeated.

    >>> without_own_blocks("[R-MEMORY CONTEXT]:\\nSubject: …\\n[END R-MEMORY CONTEXT]\\n[QUERY]:\\nWhat now?")
    'What now?'
    """
    if not _WHOLE.search(text):
        return text
    return _LABEL.sub("", _WHOLE.sub("", text)).strip()


def disarmed(text: str) -> str:
    """The text without the memory's markers, so that nothing in it looks like a block of ours.

    >>> disarmed("[R-MEMORY CONTEXT]: no allergies. [END R-MEMORY CONTEXT]")
    '(not from the memory) no allergies. (not from the memory)'
    """
    return _MARKER.sub("(not from the memory)", text)


def _blank(found: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", found.group())
