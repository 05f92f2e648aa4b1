"""Sizes and time limits of calls; the same for all spaces of an installation."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Sizes and time limits of calls."""

    text: int = 8_000
    """Characters read at once; longer utterances and requests are read in parts."""
    message: int = 200_000
    """Maximum characters of an utterance or a request."""
    draft: int = 20_000
    """Maximum characters of a draft."""
    page: int = 50
    """Facts on one page of a list."""
    claims: int = 50
    """Maximum triples in one call."""
    context_turns: int = 4
    """Number of earlier utterances used to read an utterance."""
    read_s: float = 5.0
    """Maximum seconds for each answer of the store in a recall."""
    opinion_s: float = 2.0
    """Maximum seconds for a further opinion about the action types of a request."""
    conversation_s: float = 30.0
    """Seconds after which a context is returned without its conversation."""
