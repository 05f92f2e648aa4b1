"""Sizes and times that calls are held to; the same for every space of an installation."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Sizes and times that calls are held to."""

    text: int = 8_000
    """Characters that are read at once; a longer utterance or request is read in parts."""
    message: int = 200_000
    """Characters of an utterance or a request."""
    draft: int = 20_000
    """Characters of a draft to be checked."""
    page: int = 50
    """Facts in one page of a list."""
    claims: int = 50
    """Triples in one call."""
    context_turns: int = 4
    """Earlier utterances that help to read one."""
    read_s: float = 5.0
    """Seconds that any one answer of the store may take in a recall."""
    opinion_s: float = 2.0
    """Seconds that a request waits for a further opinion about its action types."""
    conversation_s: float = 30.0
    """Seconds after which a context goes out without its conversation."""
