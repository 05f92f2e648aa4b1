"""The sentence shown in place of a block if memory cannot be read (design, section 6)."""

from r_memory.text.inert import without_secrets
from r_memory.text.markers import END, START

UNAVAILABLE = "SAFETY MEMORY UNAVAILABLE"
REASON_LIMIT = 400
"""Maximum characters of a reason."""


def unavailable_sentence(reason: str, ask: str) -> str:
    """The sentence of design 6, followed by what to ask.

    >>> unavailable_sentence("the store does not answer.", "Ask before acting.")
    'SAFETY MEMORY UNAVAILABLE: the store does not answer. Ask before acting.'
    """
    return f"{UNAVAILABLE}: {without_secrets(reason, REASON_LIMIT)}. {ask}".rstrip()


def unavailable_block(reason: str, ask: str) -> str:
    """The sentence in the form of a block."""
    return f"{START}\n{unavailable_sentence(reason, ask)}\n{END}"
