"""Finds what a draft names although somebody's words say plainly that it is not to be. Pure.

The words wait unread, or an unconfirmed fact rests on them: that they forbid something is certain, whatever else they
say. Words that wait and were said later may lift them.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from r_memory.domain.blocks import Contrary, Line, Recall
from r_memory.domain.events import Episode
from r_memory.domain.facts import HAS_INGREDIENT, MEANS, Entity, Fact, Flag, Status, concept
from r_memory.domain.knowledge import MEMBER_OF
from r_memory.facts.naming import FactNames
from r_memory.facts.recall.ceilings import Ceilings
from r_memory.facts.recall.prepared import Prepared
from r_memory.facts.remember.understanding import EVIDENCE_ROLES
from r_memory.protocols import Mention
from r_memory.reading.binding import Ban, Binding
from r_memory.reading.language import either, listed
from r_memory.reading.reader import Reader
from r_memory.text.sentences import clauses, part_around, stretches

__all__ = ["Forbidden"]

_WORD = re.compile(r"\w+")
_NAME = re.compile(r"(?<=[\w,] )[^\W\d_a-z][\w-]+")
_MOST_KNOWN = 5_000
"""Maximum number of statements of which the bans are kept."""
_UPWARD = ((HAS_INGREDIENT, 1), (MEMBER_OF, 2))
"""Steps from a thing of a draft to what may be forbidden by a broader name."""
_TOGETHER = 2
"""Number of words that a draft shares with a ban by chance only rarely."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Ban:
    """What one clause forbids."""

    things: frozenset[str]
    """Keys of the concepts that the clause names."""
    clause: frozenset[str]
    """The words of the clause that tell something."""
    sentence: frozenset[str]
    alone: frozenset[str]
    """Those words of which a single one names what is forbidden."""
    done: frozenset[str]
    """The word for what is not to be done, which a draft that lets somebody do it needs no other beside."""
    sides: frozenset[str]
    """The sides of the body that the clause names."""


class Forbidden:
    """Compares drafts with words that forbid something and were not read for certain, under one schema."""

    def __init__(
        self,
        reader: Reader,
        names: FactNames,
        ceilings: Ceilings,
        types: Collection[str],
        facts: Prepared[Fact],
        episodes: Prepared[Episode],
    ) -> None:
        """`types` are those of the things that a fact may forbid: one of them is enough to meet a ban."""
        self._facts = facts
        self._episodes = episodes
        self._types = types
        self._linker = reader.linker
        self._knowledge = reader.knowledge
        self._names = names
        self._relations = reader.schema.relations
        self._ceilings = ceilings
        self._binding = Binding(reader.schema.language)
        language = reader.schema.language
        self._joins = frozenset(listed(language, "things", "complements"))
        self._sides = frozenset(listed(language, "sheets", "sides"))
        behind = either(listed(language, "drafts", "sided"))
        self._sided = re.compile(rf"\b(?:{either(self._sides)})(?=\W+(?:\w+\W+)?(?:{behind})\b)", re.IGNORECASE)
        naming = either(listed(language, "drafts", "naming"))
        self._named = re.compile(rf"\b(?i:{naming})\s+([A-Z][\w-]+)\s+[A-Z]")
        not_let = either(listed(language, "drafts", "not_let"))
        self._allowing = re.compile(
            rf"\b(?:{either(listed(language, 'drafts', 'allowing'))})\b(?!(?:{not_let}))", re.IGNORECASE
        )
        self._exceptions = re.compile(rf"\b(?:{either(listed(language, 'plain_exceptions'))})\b", re.IGNORECASE)
        self._prefix = rf"\b(?:{either(listed(language, 'drafts', 'denying_prefixes'))})[-\s]"
        self._denied_deed = re.compile(rf"{self._prefix}(\w+(?:-\w+)+)", re.IGNORECASE)
        self._bans = lru_cache(_MOST_KNOWN)(self._bans_of)

    def facts_met(self, text: str, recall: Recall, named: Sequence[Mention]) -> Iterator[tuple[Line, int]]:
        """The facts whose words forbid something that the draft names, each with the place in the draft.

        Only unconfirmed ones, and those of a thing that is in no lexicon; of others the thing is compared. A fact that
        its readers read in two ways is left out: the words may be about somebody else.
        """
        for line in recall.lines:
            fact = line.fact
            doubted = Flag.DISAGREE in fact.flags or line.contrary is not None or fact.is_absence
            spoken = line.rank == "critical" and Flag.UNMAPPED in fact.flags
            if (line.rank == "unconfirmed" or spoken) and not doubted:
                sides = self.sides_of(fact)
                met = (
                    self._met(text, words, named, recall.subject, sides=sides, excepted=excepted)
                    for words, excepted in self._facts.of(self._said_in, fact)
                )
                if (place := next((place for place in met if place is not None), None)) is not None:
                    yield line, place

    def deeds_met(self, text: str, recall: Recall) -> Iterator[tuple[Line, int]]:
        """The critical facts that deny a deed by a prefix, each with the place where the draft names the deed without
        it: a joined word is shared by chance hardly ever.
        """
        for line in recall.lines:
            if line.rank != "critical" or Flag.UNMAPPED not in line.fact.flags or line.contrary is not None:
                continue
            for deed in self._facts.of(self._deeds_denied, line.fact):
                parts = r"[-\s]".join(map(re.escape, deed.split("-")))
                named = re.finditer(rf"(?P<denied>{self._prefix})?\b{parts}\b", text, re.IGNORECASE)
                places = (found.start() for found in named if not found["denied"])
                place = next((at for at in places if not self._is_elsewhere(text, at, line.fact)), None)
                if place is not None:
                    yield line, place

    def _is_elsewhere(self, text: str, place: int, fact: Fact) -> bool:
        return self.names_other_side(part_around(stretches, text, place), fact)

    def _deeds_denied(self, fact: Fact) -> tuple[str, ...]:
        return tuple(dict.fromkeys(self._denied_deed.findall(fact.object.name)))

    def is_ban(self, fact: Fact) -> bool:
        """Whether the words of a fact forbid something."""
        return self._facts.of(self._forbids, fact)

    def _forbids(self, fact: Fact) -> bool:
        return any(self._bans(words) for words, _ in self._said_in(fact))

    def sides_of(self, fact: Fact) -> frozenset[str]:
        """The sides of the body that a fact is about; empty if it names none."""
        return self._facts.of(self._sides_in, fact)

    def _sides_in(self, fact: Fact) -> frozenset[str]:
        told = (fact.object.name, *map(str, fact.attrs.values()))
        return self._sides.intersection(_WORD.findall(" ".join(told).casefold()))

    def names_other_side(self, words: str, fact: Fact) -> bool:
        """Whether words of a draft name only the other side of the body than a fact."""
        return self._is_other_side(words, self.sides_of(fact))

    def _is_other_side(self, words: str, sides: Collection[str]) -> bool:
        named = {found[0].casefold() for found in self._sided.finditer(words)} if sides else set[str]()
        return bool(named) and named.isdisjoint(sides)

    def allows(self, sentence: str) -> bool:
        """Whether a sentence of a draft lets somebody do something, or go on with it."""
        return self._allowing.search(sentence) is not None

    def _said_in(self, fact: Fact) -> list[tuple[str, str]]:
        """The words of a fact that may forbid something, each with what its exception names."""
        said: list[tuple[str, str]] = []
        for words in dict.fromkeys((fact.object.name, str(fact.attrs.get(MEANS, "")), fact.evidence)):
            found = self._exceptions.search(words)
            said.append((words, "") if found is None else (words[: found.start()], words[found.end() :]))
        return said

    def waiting_met(self, text: str, recall: Recall, named: Sequence[Mention]) -> Iterator[tuple[Episode, str, int]]:
        """The waiting statements that forbid something that the draft names, each with its words and the place."""
        said = [(episode, words) for episode in recall.pending for words in self._episodes.of(_waiting, episode)]
        lifting = list(self._lifting(recall))
        bans = sum(bool(self._bans(words)) for _, words in said) if lifting else 0
        for episode, words in said:
            later = [other for at, other in lifting if at.said_at > episode.said_at]
            place = self._met(text, words, named, recall.subject)
            if place is not None and not any(self._lifts(other, words, alone=bans == 1) for other in later):
                yield episode, words, place

    def with_lifted(self, recall: Recall) -> Recall:
        """The recall; a line of a fact that passes has as its contrary what waits, was said later, and lifts it."""
        lifting = list(self._lifting(recall))
        return replace(recall, lines=tuple(self._lifted(line, lifting) for line in recall.lines)) if lifting else recall

    def _lifted(self, line: Line, lifting: Sequence[tuple[Episode, str]]) -> Line:
        fact, relation = line.fact, self._relations.get(line.fact.relation)
        if line.contrary is not None or relation is None or not relation.passes:
            return line
        for episode, words in lifting:
            if episode.said_at > fact.said_at and self._lifts(
                words, f"{fact.object.name} {fact.evidence}", alone=False
            ):
                against = Contrary(
                    status=Status.RESOLVED, evidence=words, speaker=episode.speaker, said_at=episode.said_at
                )
                return replace(line, contrary=against)
        return line

    def _lifting(self, recall: Recall) -> Iterator[tuple[Episode, str]]:
        """The waiting words that say for certain that something is allowed now."""
        for episode in recall.pending:
            yield from ((episode, words) for words in self._episodes.of(self._lifting_in, episode))

    def _lifting_in(self, episode: Episode) -> tuple[str, ...]:
        return tuple(filter(self._binding.lifts, _waiting(episode)))

    def _lifts(self, later: str, words: str, *, alone: bool) -> bool:
        """Whether the later words lift what the words forbid: they name it, or end a ban where there is only one."""
        named = self._names.telling(later)
        forbidden = [ban.clause for ban in self._bans(words)] or [self._names.telling(words)]
        names_it = any(len(named & told) >= min(_TOGETHER, len(told)) for told in forbidden if told)
        return names_it or (alone and self._binding.ends_a_ban(later))

    def _met(
        self,
        text: str,
        words: str,
        named: Sequence[Mention],
        subject: Entity,
        *,
        sides: Collection[str] = (),
        excepted: str = "",
    ) -> int | None:
        """Where the draft, which names these things, has what the words forbid; `None` if it does not."""
        if (broken := self._ceilings.broken_sum(text, words)) is not None:
            return broken.start
        if excepted and self._names.bears_in(text, excepted):
            return None
        for ban in self._bans(words):
            for place in self._places(text, ban, named, subject):
                if not self._is_other_side(part_around(stretches, text, place), ban.sides.union(sides)):
                    return place
        return None

    def _places(self, text: str, ban: _Ban, named: Sequence[Mention], subject: Entity) -> Iterator[int]:
        own = self._names.telling(" ".join((subject.name, *subject.aliases)))
        for mention in named if ban.things else ():
            above = self._knowledge.closure(concept(mention.type, mention.name).uid, _UPWARD)
            if not ban.things.isdisjoint(above):
                yield mention.start
        start = 0
        for sentence in stretches(text):
            shared = list(self._names.found_in(sentence, ban.clause))
            roots = self._names.telling(" ".join(found[0] for found in shared))
            around = roots | (ban.sentence & self._names.telling(sentence))
            alone = ban.alone | ban.done if self.allows(sentence) else ban.alone
            named_alone = (roots & alone) - own
            if shared and (len(around) >= _TOGETHER or named_alone):
                first = next(self._names.found_in(sentence, named_alone), shared[0])
                yield start + first.start()
            start += len(sentence)

    def _bans_of(self, words: str) -> tuple[_Ban, ...]:
        found = (
            (sentence, clause, self._binding.ban(clause))
            for sentence in stretches(words)
            for clause in clauses(sentence)
        )
        return tuple(self._ban(sentence, clause, ban) for sentence, clause, ban in found if ban is not None)

    def _ban(self, sentence: str, clause: str, found: Ban) -> _Ban:
        clause = clause[: found.stop]
        telling = self._names.telling(clause)
        behind = clause[found.end :].split()
        done = frozenset[str]()
        if found.names_it:
            joined = next((at for at, word in enumerate(behind) if word.casefold() in self._joins), len(behind))
            alone = self._names.telling(" ".join(behind[:joined]))
        else:
            done = next((root for word in behind if (root := self._names.telling(word))), done)
            alone = telling - done if len(telling) <= _TOGETHER else frozenset()
            alone = alone or (telling if len(telling) == 1 else alone)
        # Inside a sentence a capital writes a name, and a name is hardly shared by chance.
        alone |= telling & self._names.telling(" ".join(_NAME.findall(clause)))
        if (called := self._named.search(clause)) is not None:  # who is called so may be named
            person = self._names.telling(called[1])
            telling, alone = telling - person, alone - person
        mentions = (mention for mention in self._linker.mentions(clause) if mention.type in self._types)
        return _Ban(
            things=frozenset(concept(mention.type, mention.name).uid for mention in mentions),
            clause=telling,
            sentence=self._names.telling(sentence),
            alone=alone,
            done=done,
            sides=self._sides.intersection(_WORD.findall(clause.casefold())),
        )


def _waiting(episode: Episode) -> tuple[str, ...]:
    """The sentences of which words wait, whole, if they are evidence."""
    if episode.role not in EVIDENCE_ROLES or not episode.review:
        return (episode.text,) if episode.role in EVIDENCE_ROLES else ()
    sentences = [part.strip() for part in stretches(episode.text)]
    whole = (next((part for part in sentences if words in part), words) for words in episode.review)
    return tuple(dict.fromkeys(whole))
