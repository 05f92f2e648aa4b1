"""Which recorded fact a claim corrects whose words do not name it: "Sorry, the 14th", "It's the other one, cefalexin".

What was said right before gives the thing. The effect on the fact is decided in `domain/corrections.py`; nothing is
stored here.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from r_memory.domain.facts import DENIAL, MEANS, RISK, Fact, Observation
from r_memory.domain.instants import Instant
from r_memory.domain.schema import Schema
from r_memory.facts.naming import FactNames
from r_memory.facts.remember.replacing import around
from r_memory.facts.remember.results import Claim
from r_memory.facts.remember.utterances import Statement
from r_memory.protocols import Clock, Linker
from r_memory.reading.language import listed
from r_memory.reading.retractions import Retractions
from r_memory.reading.things import Things

__all__ = ["Pointing"]

_WORD = re.compile(r"\w+")
_RECENT_MS = 3_600_000
"""How long words may correct a statement without naming it."""
_FEW_WORDS = 9
"""Most words of a statement that puts another thing in the place of the last one without the caller's `corrects`."""


class Pointing:
    """Finds the facts that the claims of one call mean, under one schema."""

    def __init__(
        self, *, schema: Schema, linker: Linker, names: FactNames, retractions: Retractions, clock: Clock
    ) -> None:
        self._schema = schema
        self._linker = linker
        self._names = names
        self._retractions = retractions
        self._clock = clock
        self._things = Things(schema, linker)
        self._any_thing = frozenset(word.casefold() for word in listed(schema.language, "corrections", "any_thing"))

    def may_point(self, said: Statement) -> bool:
        """Whether a claim of the call may mean a recorded fact without naming it."""
        claims = [claim for claim in said.claims or () if not claim.trouble]
        statuses = {claim.status for claim in claims}
        mixed = not statuses.isdisjoint(DENIAL) and not statuses.isdisjoint(RISK)
        return bool(claims) and (mixed or self._retractions.breaks_off(said.text))

    def pointed(
        self,
        said: Statement,
        formed: Sequence[Observation | None],
        known: Sequence[Fact],
        taken: Sequence[Fact],
    ) -> tuple[Claim, ...]:
        """The claims; those that mean a recorded fact name it in `corrects`, by its id.

        `taken` are the facts that claims of the call name in `corrects` themselves.
        """
        claims = said.claims or ()
        recent = self._recent(known, said)
        renewed = _renewed(claims, formed, known)
        made: list[Claim] = []
        for at, (claim, seen) in enumerate(zip(claims, formed, strict=True)):
            if claim.trouble:
                fact = None
            elif claim.corrects:
                unsaid = self._is_unsaid(claim, said.text)
                fact = self._named(claim, taken) if unsaid else None
                if fact is None and (same := self._in_other_words(claim, taken)) is not None:
                    made.append(replace(claim, object=same.object.name, means=""))
                    continue
            else:
                fact = renewed.get(at) or self._meant(claim, seen, said, recent, taken)
            made.append(self._of(claim, fact) if fact is not None else claim)
        return tuple(made)

    def put_right(self, claims: Sequence[Claim], text: str) -> tuple[Claim, ...]:
        """The claims; one whose thing a later claim of the call puts right in the words behind it has the new details.

        "She's on 5 mg. Sorry, 10." is one fact, whichever of both the caller reads.
        """
        made = list(claims)
        for later in range(1, len(made)):
            place, words = text.find(made[later].evidence), around(text, made[later].evidence)
            if place < 0 or not self._retractions.breaks_off(words) or self._retractions.adds(words):
                continue
            for at, claim in enumerate(made[:later]):
                if _is_same_risk(claim, made[later]) and 0 <= text.find(claim.evidence) < place:
                    made[at] = replace(claim, attrs={**claim.attrs, **made[later].attrs})
        return tuple(made)

    def _of(self, claim: Claim, fact: Fact) -> Claim:
        """The claim as a correction of the fact; it has the fact's name where it means the same thing.

        A name that tells the old value itself stays with the old fact, as does one that is all that the fact tells.
        """
        tells = bool(claim.attrs) or claim.status in DENIAL
        same = (
            tells
            and self._named(claim, [fact]) is not None
            and not self._names.tells_old(fact.object.name, fact, claim.attrs)
        )
        name = fact.object.name if same else claim.object
        return replace(claim, object=name, corrects=claim.corrects or fact.fact_id)

    def _in_other_words(self, claim: Claim, taken: Sequence[Fact]) -> Fact | None:
        """The corrected fact of whose thing the claim gives new details under another word: one that means that thing,
        or one for any such thing ("the tablet") or for what is done with it ("restart"); `None` if it is another thing.
        """
        facts = [fact for fact in taken if fact.relation == claim.relation]
        if claim.status not in RISK or not claim.attrs or len(facts) != 1:
            return None
        words = {word.casefold() for word in _WORD.findall(self._things.cleaned(claim.object))}
        if words and words <= self._any_thing:
            return facts[0]
        return facts[0] if claim.means and self._is_of(replace(claim, object=claim.means), facts[0]) else None

    def _meant(
        self, claim: Claim, seen: Observation | None, said: Statement, recent: Sequence[Fact], taken: Sequence[Fact]
    ) -> Fact | None:
        """The fact that a claim means; `None` if that is not certain, or its own words name its thing."""
        words = around(said.text, claim.evidence)
        breaks = self._retractions.breaks_off(words)
        if self._is_unsaid(claim, said.text):
            denied = any(other.status in DENIAL for other in said.claims or ())
            return self._named(claim, [*taken, *(recent if breaks or denied else ())])
        if not breaks or seen is None or self._retractions.adds(words):
            return None
        if claim.status in DENIAL:
            return next((fact for fact in recent if fact.fact_id == seen.fact_id), None)
        return self._other_thing(seen, words, said, recent) if _is_brief(said) else None

    def _other_thing(self, seen: Observation, words: str, said: Statement, recent: Sequence[Fact]) -> Fact | None:
        """The fact of another thing in whose place the words put this one: what was said last, if that is one fact."""
        relation = self._schema.relations[seen.relation]
        if any(fact.fact_id == seen.fact_id or fact.object.uid == seen.object.uid for fact in recent):
            return None
        if relation.critical and not self._retractions.contradicts(words):
            return None
        by = said.speaker or said.role
        last = _last([fact for fact in recent if fact.speaker == by])
        told_apart = (*relation.identity, *filter(None, [relation.people]))
        alike = [
            fact
            for fact in last
            if fact.relation == seen.relation
            and all(fact.attrs.get(name) == seen.attrs.get(name) for name in told_apart)
        ]
        return alike[0] if len(alike) == 1 else None

    def _recent(self, known: Sequence[Fact], said: Statement) -> list[Fact]:
        """The risks that were stated shortly before, whoever stated them."""
        now: Instant = self._clock.now() if said.said_at is None else said.said_at
        held = (fact for fact in known if fact.status in RISK and not fact.contradicted)
        return [fact for fact in held if abs(now - fact.said_at) <= _RECENT_MS]

    def _is_unsaid(self, claim: Claim, text: str) -> bool:
        """Whether the text does not name the claim's thing."""
        relation = self._schema.relations.get(claim.relation)
        thing = self._things.cleaned(claim.object)
        if relation is None or not thing or self._things.is_pronoun(thing):
            return False
        return not self._things.in_text(text, thing, relation.objects)

    def _named(self, claim: Claim, facts: Iterable[Fact]) -> Fact | None:
        """The fact whose thing the claim names; of several, the only one with a detail of the claim's."""
        found = {fact.fact_id: fact for fact in facts if fact.relation == claim.relation and self._is_of(claim, fact)}
        if len(found) > 1:
            told = {name: str(value) for name, value in claim.attrs.items()}
            alike = [fact for fact in found.values() if any(str(fact.attrs.get(name)) == told[name] for name in told)]
            return alike[0] if len(alike) == 1 else None
        return next(iter(found.values()), None)

    def _is_of(self, claim: Claim, fact: Fact) -> bool:
        """Whether the claim's thing is the fact's, in these or in other words."""
        words = self._things.cleaned(claim.object)
        if words.casefold() in {fact.object.id, fact.object.name.casefold()}:
            return True
        relation = self._schema.relations[fact.relation]
        terms = self._linker.resolve(words, relation.objects)
        if len(terms) == 1 and not terms[0].fuzzy and terms[0].name.casefold() == fact.object.id:
            return True
        named = self._names.significant(words)
        means = str(fact.attrs.get(MEANS, ""))
        return any(self._names.is_told_in(told, named, wholly=True) for told in (fact.object.name, means) if named)


def _is_same_risk(claim: Claim, later: Claim) -> bool:
    """Whether two claims state the same thing along the same relation, and neither is wrong or ends anything."""
    plain = not (claim.trouble or later.trouble) and claim.status in RISK and later.status in RISK
    return plain and (claim.relation, claim.object.casefold()) == (later.relation, later.object.casefold())


def _is_brief(said: Statement) -> bool:
    """Whether the statement is a few words with one fact: more of them also tell something beside the correction."""
    stated = [claim for claim in said.claims or () if claim.status in RISK]
    return len(stated) == 1 and len(said.text.split()) <= _FEW_WORDS


def _last(facts: Sequence[Fact]) -> list[Fact]:
    """The facts of the statement that was recorded last."""
    last = max(facts, key=lambda fact: fact.last_seq, default=None)
    return [fact for fact in facts if last is not None and fact.episode_id == last.episode_id]


def _renewed(claims: Sequence[Claim], formed: Sequence[Observation | None], known: Sequence[Fact]) -> dict[int, Fact]:
    """The recorded fact that a claim denies and another claim of the call states with other details, for both."""
    by_id = {fact.fact_id: fact for fact in known if fact.status in RISK}
    stated = {seen.fact_id for seen in formed if seen is not None and seen.status in RISK}
    denied = {seen.fact_id for seen in formed if seen is not None and seen.status in DENIAL}
    both = stated & denied & by_id.keys()
    return {
        at: by_id[seen.fact_id]
        for at, (claim, seen) in enumerate(zip(claims, formed, strict=True))
        if seen is not None and seen.fact_id in both and not claim.corrects
    }
