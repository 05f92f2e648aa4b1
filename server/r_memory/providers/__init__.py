"""Models behind an address."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelEndpoint:
    """The address of a model, and its time limits."""

    url: str
    """Base address, up to `/v1`."""
    model: str
    key: str = field(default="", repr=False)
    limit_s: float = 20.0
    """Seconds for one answer, retries included. For a streamed answer: until the first piece, and between two
    pieces."""
    retries: int = 2
    """Further attempts after a temporary failure."""
    max_tokens: int = 0
    """Most tokens of an answer; 0: the server's own limit."""
