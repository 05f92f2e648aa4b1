"""Results of a check of a party against all subjects of a space: who is tied to it, by what, and why. Data only."""

from collections.abc import Sequence
from dataclasses import dataclass

from r_memory.domain.events import Episode
from r_memory.domain.facts import REGISTER_TYPE, Entity, Fact
from r_memory.domain.instants import Instant


@dataclass(frozen=True, slots=True, kw_only=True)
class Dossier:
    """What a check of a party reads of one subject."""

    subject: Entity
    facts: tuple[Fact, ...] = ()
    aliases: tuple[str, ...] = ()
    waiting: tuple[Episode, ...] = ()
    failed: str = ""
    """Why the subject could not be read completely; empty if it could."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Involvement:
    """A tie of one subject to the party."""

    subject: Entity
    text: str
    """What ties them, from the template of the relation, inert; never a speaker's own words."""
    why: str
    """How the tie meets the party, inert."""
    fact: Fact | None = None
    """The fact that ties them; `None` if the subject itself is meant, or a waiting statement names the party."""
    sure: bool = True
    """Whether it is the same name, or one that the knowledge pack connects; false for a similar name."""
    through: str = ""
    """The connection of the party through which the tie goes; empty for the party itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AcrossCheck:
    """The result of checking a party against all subjects of a space."""

    party: str
    checked_at: Instant
    involved: tuple[Involvement, ...]
    beside: tuple[tuple[Entity, str], ...] = ()
    """What is shown with involved subjects: their matters."""
    also: tuple[str, ...] = ()
    """Connections of the party that were searched too, inert."""
    subjects: int
    """Number of subjects that were checked."""
    unread: tuple[tuple[Entity, str], ...] = ()
    """Subjects that could not be read completely, each with the reason."""
    receipt_id: str = ""
    """Id of the receipt; empty if it could not be stored."""

    @property
    def complete(self) -> bool:
        """Whether all subjects were read completely."""
        return not self.unread

    @property
    def fact_ids(self) -> tuple[str, ...]:
        """Ids of the facts shown, each once."""
        found = (involvement.fact.fact_id for involvement in self.involved if involvement.fact is not None)
        return tuple(dict.fromkeys(found))

    def facts_of(self, subject: Entity) -> Sequence[str]:
        """Ids of the facts shown about one subject."""
        shown = (
            involvement.fact.fact_id
            for involvement in self.involved
            if involvement.fact is not None and involvement.subject.uid == subject.uid
        )
        return tuple(dict.fromkeys(shown))


def register(space: str) -> Entity:
    """Returns the entity that receipts of these checks are about: no subject, so that no list of people contains it."""
    return Entity(space=space, type=REGISTER_TYPE, id="everybody", name="Everybody")
