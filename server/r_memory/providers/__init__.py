"""Models behind an address."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelEndpoint:
    """Where a model is and how long it may take."""

    url: str
    """Base address, up to `/v1`."""
    model: str
    key: str = field(default="", repr=False)
    limit_s: float = 20.0
    """For one answer, retries included; of a streamed answer, for the first piece and between two pieces."""
    retries: int = 2
    """Further attempts after a failure that may pass."""
    max_tokens: int = 0
    """Of an answer; 0 is the server's own limit."""
