"""What waiting words would say if they were read: a possible fact for each thing that they name. Pure.

Such a fact is never stored and never certain. It only shows which rules the words would meet.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from r_memory.domain.events import Episode
from r_memory.domain.facts import Attributes, Entity, Fact, Route, Status, concept, fact_id
from r_memory.domain.schema import Relation
from r_memory.facts.recall.stated import number_behind
from r_memory.reading.reader import Reader

__all__ = ["Likely"]

_EXTRACTOR = "unread"


@dataclass(frozen=True, slots=True, kw_only=True)
class Likely:
    """Makes possible facts under one schema."""

    reader: Reader

    def facts(self, words: str, episode: Episode, things: Collection[Entity], *, risky: bool) -> Iterator[Fact]:
        """A possible fact for each thing and each relation that takes it; a critical relation only if the words are
        `risky`.
        """
        for relation in self.reader.schema.relations.values():
            for thing in things:
                if thing.type in relation.objects and (risky or not relation.critical):
                    yield _possible(relation.name, thing, episode, words, self._number(words, thing, relation))

    def _number(self, words: str, thing: Entity, relation: Relation) -> Attributes:
        """The number right behind the name of the thing, as the relation's first attribute of that kind."""
        name = next((name for name, kind in relation.attrs.items() if kind == "number"), "")
        if not name or relation.critical:
            return {}
        named = (item for item in self.reader.named(words).mentions if concept(item.type, item.name).uid == thing.uid)
        numbers = (number_behind(words[item.end :]) for item in named)
        return next(({name: number} for number in numbers if number is not None), {})


def _possible(relation: str, thing: Entity, episode: Episode, words: str, attrs: Attributes) -> Fact:
    return Fact(
        relation=relation,
        object=thing,
        status=Status.UNCONFIRMED,
        attrs=attrs,
        evidence=words,
        route=Route.RULES,
        extractor=_EXTRACTOR,
        fact_id=fact_id(episode.subject_uid, relation, thing.uid, {}),
        space=episode.space,
        subject_uid=episode.subject_uid,
        speaker=episode.speaker,
        said_at=episode.said_at,
        episode_id=episode.id,
        observations=0,
        first_recorded_at=episode.recorded_at,
        last_recorded_at=episode.recorded_at,
        last_seq=0,
    )
