"""What a check across everybody of a space gives: who is tied to a party, by what, and why. Data only."""

from collections.abc import Sequence
from dataclasses import dataclass

from r_memory.domain.events import Episode
from r_memory.domain.facts import REGISTER_TYPE, Entity, Fact
from r_memory.domain.instants import Instant


@dataclass(frozen=True, slots=True, kw_only=True)
class Dossier:
    """What a check across everybody reads of a subject."""

    subject: Entity
    facts: tuple[Fact, ...] = ()
    aliases: tuple[str, ...] = ()
    waiting: tuple[Episode, ...] = ()
    failed: str = ""
    """Why it, or a part of it, could not be read; empty: all of it was."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Involvement:
    """A tie of one subject to the party."""

    subject: Entity
    text: str
    """What ties them, from the template of the relation, inert; never words that somebody said."""
    why: str
    """How the party is met in it, inert."""
    fact: Fact | None = None
    """`None` where the subject itself is meant, or a statement that waits names the party."""
    sure: bool = True
    """The very name, or what the knowledge pack says that it belongs to; else it may be another of a name like it."""
    through: str = ""
    """Of what belongs together with the party; empty: of the party itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AcrossCheck:
    """A party held against everybody of a space."""

    party: str
    checked_at: Instant
    involved: tuple[Involvement, ...]
    beside: tuple[tuple[Entity, str], ...] = ()
    """Of subjects that are involved, what is shown with them: their matters."""
    also: tuple[str, ...] = ()
    """What belongs together with the party and was looked for as well, inert."""
    subjects: int
    """How many were looked at."""
    unread: tuple[tuple[Entity, str], ...] = ()
    """Of whom not all could be read, and why."""
    receipt_id: str = ""
    """Empty where it could not be written."""

    @property
    def complete(self) -> bool:
        """Whether everybody was read."""
        return not self.unread

    @property
    def fact_ids(self) -> tuple[str, ...]:
        """Of what is shown, each once."""
        found = (one.fact.fact_id for one in self.involved if one.fact is not None)
        return tuple(dict.fromkeys(found))

    def facts_of(self, subject: Entity) -> Sequence[str]:
        """Ids of what is shown of one subject."""
        shown = (one.fact.fact_id for one in self.involved if one.fact is not None and one.subject.uid == subject.uid)
        return tuple(dict.fromkeys(shown))


def register(space: str) -> Entity:
    """Whom receipts of checks across everybody are about: nobody, so that no list of people holds it."""
    return Entity(space=space, type=REGISTER_TYPE, id="everybody", name="Everybody")
