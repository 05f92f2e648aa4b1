"""Short ways to ask what the rules make of a sentence."""

from collections.abc import Callable

from r_memory.domain.facts import Entity, Extraction, Flag, Proposal
from r_memory.protocols import Turn

JOHN = Entity(space="clinic", type="Patient", id="JD001", name="John Doe")

Read = Callable[..., Extraction]
Said = Callable[..., set[str]]


def shown(proposal: Proposal) -> str:
    """`RELATION object status`, `rule` for a rule of the domain."""
    status = "rule" if Flag.RULE in proposal.flags else proposal.status
    return f"{proposal.relation} {proposal.object.casefold()} {status}"


def turn(line: str) -> Turn:
    """An earlier turn, written `speaker: words`."""
    speaker, _, text = line.partition(": ")
    return Turn(role="assistant" if speaker == "assistant" else "user", speaker=speaker, text=text)
