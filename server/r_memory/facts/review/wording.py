"""A fact in the words in which a person is asked about it."""

from r_memory.domain.changes import shown_status
from r_memory.domain.facts import Entity, Fact
from r_memory.text.inert import inert_name


def described(fact: Fact, subject: Entity) -> str:
    """The triple and its status, inert."""
    triple = f"{inert_name(subject.name)} ({inert_name(subject.id)}) {fact.relation} {inert_name(fact.object.name)}"
    return f"{triple}, {shown_status(fact)}"
