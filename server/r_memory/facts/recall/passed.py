"""Waiting words by which a recorded thing that passes may be over: "the pump was taken out", "she gave birth". Pure.

They end nothing. The line is shown with them against it, and stands against a draft no longer for certain. What is
critical stays as it is, unless its relation passes.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache

from r_memory.domain.blocks import Contrary, Line, Recall
from r_memory.domain.events import Episode
from r_memory.domain.facts import Entity, LocalVoice, Status
from r_memory.domain.schema import Relation
from r_memory.facts.naming import FactNames
from r_memory.facts.recall.prepared import Prepared
from r_memory.facts.recall.waiting import phrases_of_terms
from r_memory.facts.remember.understanding import EVIDENCE_ROLES
from r_memory.protocols import Utterance
from r_memory.reading.binding import Binding
from r_memory.reading.reader import Reader
from r_memory.reading.whose import whose_under

__all__ = ["Passed", "may_pass"]

_AGAINST = frozenset({LocalVoice.ABSENCE, LocalVoice.LEANS})
_MOST_KNOWN = 500
_MOST_READ = 20
"""Maximum number of the newest statements that are read for a draft."""


class Passed:
    """Finds what may be over, under one schema."""

    def __init__(self, reader: Reader, names: FactNames, episodes: Prepared[Episode]) -> None:
        self._reader = reader
        self._names = names
        self._episodes = episodes
        self._relations = reader.schema.relations
        self._binding = Binding(reader.schema.language)
        self._whose = whose_under(reader.schema)
        self._over = phrases_of_terms(reader.schema.review_over)
        self._denied = lru_cache(_MOST_KNOWN)(self._denied_in)

    def with_passed(self, recall: Recall) -> Recall:
        """The recall; a line that may be over has as its contrary what waits and was said later."""
        first = min((line.fact.said_at for line in recall.lines if self._may_be_over(line)), default=None)
        said = [] if first is None else list(self._said_since(recall, first))
        return replace(recall, lines=tuple(self._against(line, said) for line in recall.lines)) if said else recall

    def is_over(self, line: Line) -> bool:
        """Whether later words say that the fact has ended, and it may pass.

        If its relation does not pass, only words of the subject or of a professional do.
        """
        relation, other = self._relations.get(line.fact.relation), line.contrary
        if relation is None or other is None or not may_pass(line, relation):
            return False
        ended = other.status is Status.RESOLVED and other.said_at >= line.fact.said_at
        return ended and (relation.passes or self._whose.speaks_for_the_subject(other.speaker))

    def _may_be_over(self, line: Line) -> bool:
        relation = self._relations.get(line.fact.relation)
        return line.contrary is None and line.rank != "past" and relation is not None and may_pass(line, relation)

    def _said_since(self, recall: Recall, first: int) -> Iterator[tuple[Episode, str]]:
        """The waiting words of the subject or a professional, the newest first."""
        later = (episode for episode in recall.pending if episode.said_at > first)
        for episode in sorted(later, key=lambda episode: -episode.said_at)[:_MOST_READ]:
            if episode.role in EVIDENCE_ROLES and self._whose.speaks_for_the_subject(episode.speaker):
                yield from ((episode, part) for part in self._episodes.of(self._sure_parts, episode))

    def _sure_parts(self, episode: Episode) -> tuple[str, ...]:
        """The waiting sentences of a statement that are said without a doubt."""
        return tuple(part for part in episode.review or (episode.text,) if not self._binding.is_unsure(part))

    def _against(self, line: Line, said: Sequence[tuple[Episode, str]]) -> Line:
        if not self._may_be_over(line):
            return line
        for episode, words in said:
            if episode.said_at > line.fact.said_at and self._says_it_is_over(line, words):
                over = Contrary(
                    status=Status.RESOLVED, evidence=words, speaker=episode.speaker, said_at=episode.said_at
                )
                return replace(line, contrary=over)
        return line

    def _says_it_is_over(self, line: Line, words: str) -> bool:
        fact = line.fact
        if any(thing.uid == fact.object.uid and told.search(words) for thing, told in self._over):
            return True
        own = self._names.telling(fact.object.name)
        return any(relation == fact.relation and named and named <= own for relation, named in self._denied(words))

    def _denied_in(self, words: str) -> Sequence[tuple[str, frozenset[str]]]:
        """Relations with the words of each thing of which the local reader takes the words for a denial or an end."""
        subject = Entity(space="", type=self._reader.schema.subject, id="", name="")
        claims = self._reader.extractor.extract(Utterance(text=words, subject=subject)).claims
        return [(claim.relation, self._names.telling(claim.name)) for claim in claims if claim.voice in _AGAINST]


def may_pass(line: Line, relation: Relation) -> bool:
    """Whether words may say that a line of the relation is over: it is not critical, or the relation `passes`."""
    return relation.passes or line.rank in {"rule", "other"}
