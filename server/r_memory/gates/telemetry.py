"""What gates tell whoever watches from outside, by the conventions of OpenTelemetry; no words of people."""


def told_of(gate: str, decision: str, outcome: str) -> None:
    """Counts one decision."""
