"""The sentence that stands where a block would have stood, when memory cannot be read (design, section 6)."""

from r_memory.text.inert import without_secrets
from r_memory.text.markers import END, START

UNAVAILABLE = "SAFETY MEMORY UNAVAILABLE"
REASON_LIMIT = 400
"""Characters of a reason."""


def unavailable_sentence(reason: str, ask: str) -> str:
    """The sentence of design 6, ended by what to ask instead.

    >>> unavailable_sentence("the store does not answer.", "Ask before acting.")
    'SAFETY MEMORY UNAVAILABLE: the store does not answer. Ask before acting.'
    """
    return f"{UNAVAILABLE}: {without_secrets(reason, REASON_LIMIT)}. {ask}".rstrip()


def unavailable_block(reason: str, ask: str) -> str:
    """The sentence in the place of a block."""
    return f"{START}\n{unavailable_sentence(reason, ask)}\n{END}"
