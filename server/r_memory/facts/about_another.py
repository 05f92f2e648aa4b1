"""Whether words that wait with one person are on the record of another, whom they may be about just as well.

Pure. A client may then settle them as words about that person: nothing that they name leaves the view of everybody.
"""

import re
from collections.abc import Sequence

from r_memory.domain.events import Episode
from r_memory.domain.facts import RISK, Entity, Fact, concept
from r_memory.domain.withdrawn import places
from r_memory.reading.reader import Reader
from r_memory.reading.whose import whose_under

__all__ = ["AboutAnother"]

_WORD = re.compile(r"[^\W\d_]{3,}")


class AboutAnother:
    """Compares waiting words with the record of another person, under one domain."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._whose = whose_under(reader.schema)

    def stands(self, episode: Episode, subject: Entity, other: Entity, known: Sequence[Fact]) -> bool:
        """Whether all that waits of a statement is on the record of the other person.

        `known` are the facts of the other, whom the statement names. No part may name the subject, or say that it
        holds for others as well.
        """
        standing = [fact for fact in known if fact.status in RISK and not fact.contradicted]
        names, own = _words(other.name) - _words(subject.name), _words(subject.name) - _words(other.name)
        parts = episode.review or (episode.text,)
        return (
            not names.isdisjoint(_words(episode.text))
            and all(own.isdisjoint(_words(part)) for part in parts)
            and not any(self._whose.are_shared(part) for part in parts)
            and all(self._is_recorded(part, standing) for part in parts)
        )

    def _is_recorded(self, part: str, standing: Sequence[Fact]) -> bool:
        """Whether a fact stands for each thing that the words name and that may be a risk, and for one at least."""
        recorded = {fact.object.uid for fact in standing}
        takes = self._reader.schema.review_types
        mentions = self._reader.named(part).mentions
        named = {concept(each.type, each.name).uid for each in mentions if each.type in takes}
        quoted = any(places(part, fact.evidence) for fact in standing if fact.evidence)
        return named <= recorded if named else quoted


def _words(text: str) -> frozenset[str]:
    return frozenset(word.casefold() for word in _WORD.findall(text))
