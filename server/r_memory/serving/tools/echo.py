"""Our own blocks inside a text: taken out before anything is stored, so that memory is no evidence for itself (Z23).

Knows the markers of the block only.
"""

import re

_BLOCK = re.compile(
    r"\[R-MEMORY CONTEXT\]:?"  # everything up to the end marker; without one, up to the request that follows
    r"(?:(?!\[R-MEMORY CONTEXT\]).)*?"
    r"(?:\[END R-MEMORY CONTEXT\]|(?=\[QUERY\]:))",
    re.DOTALL,
)
_LABEL = re.compile(r"^[ \t]*\[QUERY\]:[ \t]*\n?", re.MULTILINE)


def without_own_blocks(text: str) -> str:
    """The text without whole context blocks; one that holds none comes back as it is.

    A marker that stands alone stays: what follows it may be a statement that nobody else will repeat.

    >>> without_own_blocks("[R-MEMORY CONTEXT]:\\nSubject: …\\n[END R-MEMORY CONTEXT]\\n[QUERY]:\\nWhat now?")
    'What now?'
    """
    if not _BLOCK.search(text):
        return text
    return _LABEL.sub("", _BLOCK.sub("", text)).strip()
