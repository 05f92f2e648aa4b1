"""Which tools a server offers beside the usual ones. Light: read before the SDK is imported."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """Which tools a server offers; decided at its start, never by a connection or a call."""

    read_only: bool = False
    """Nothing that writes."""
    audit: bool = False
    """Audits over everything stored."""
    hooks: bool = False
    """The tool that a host's hook calls."""
