"""Which recorded fact somebody's words correct, and the events that end it where words may.

What a correction does is `domain/corrections.py`; here a name ("the March date", an id) is looked up in the record.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from r_memory.domain.changes import Decision, change_id, changed, check_allowed, is_done
from r_memory.domain.corrections import Correction, Effect, correction_of
from r_memory.domain.events import Chain, FactEvent
from r_memory.domain.facts import RISK, Fact, Route, Status
from r_memory.domain.folding import fold
from r_memory.domain.instants import Instant
from r_memory.domain.schema import Schema
from r_memory.facts.recall.lines import Lines
from r_memory.facts.remember.results import Claim
from r_memory.facts.remember.utterances import Statement
from r_memory.facts.subjects import Subjects
from r_memory.protocols import Linker, Store
from r_memory.reading.language import listed
from r_memory.reading.listener import Told
from r_memory.reading.reader import Reader

_ID = re.compile(r"[0-9a-f]{8}(?:[0-9a-f-]{28})?")
_WORD = re.compile(r"\w+")
_MONTH = re.compile(r"\d{4}-(\d{2})(?:-\d{2})?")
_REASON = 500
_SHOWN = 3
"""Facts that are named where words may mean several."""
_BY_THING, _BY_DETAIL, _BY_WORDS = 4, 2, 1
"""What a word counts for that names a fact's thing, stands in a detail of it, or in the words behind it."""


class Names:
    """Finds recorded facts by words that name them, under one schema."""

    def __init__(self, schema: Schema, linker: Linker) -> None:
        self._linker = linker
        self._light = frozenset((*listed(schema.language, "common"), *listed(schema.language, "things", "light")))
        months = schema.language.sections.get("dates")
        named = months.get("months") if isinstance(months, Mapping) else None
        self._months = (
            {f"{int(str(number)):02}": frozenset(map(str, names)) for number, names in named.items()}
            if isinstance(named, Mapping)
            else {}
        )

    def named(self, words: str, facts: Iterable[Fact]) -> tuple[Fact, ...]:
        """The facts that the words name best: one where they are clear, several where they may mean any of these."""
        wanted = frozenset(_stem(word) for word in _WORD.findall(words.casefold()) if word not in self._light)
        terms = frozenset(mention.name.casefold() for mention in self._linker.mentions(words))
        weights = {fact.fact_id: self._weight(fact, wanted, terms) for fact in facts}
        most = max(weights.values(), default=0)
        found = [fact for fact in facts if most and weights[fact.fact_id] == most]
        # What still holds rather than what was taken back.
        return tuple([fact for fact in found if fact.contradicted or fact.status in RISK] or found)

    def _weight(self, fact: Fact, wanted: Collection[str], terms: Collection[str]) -> int:
        details = " ".join([fact.relation.replace("_", " "), *map(str, fact.attrs.values())])
        months = {word for found in _MONTH.findall(details) for word in self._months.get(found, ())}
        return (
            _BY_THING * len(set(wanted) & _stems(fact.object.name))
            + _BY_THING * (fact.object.id in terms)
            + _BY_DETAIL * len(set(wanted) & (_stems(details) | months))
            + _BY_WORDS * len(set(wanted) & _stems(fact.evidence))
        )


class Corrections:
    """What is corrected in one space."""

    def __init__(self, *, store: Store, reader: Reader, subjects: Subjects) -> None:
        self._store = store
        self._schema = reader.schema
        self._subjects = subjects
        self._names = Names(reader.schema, reader.linker)
        self._lines = Lines(reader.schema)

    async def of(self, said: Statement) -> Statement:
        """The statement, whose claims know the facts that they correct."""
        if not any(claim.corrects for claim in said.claims or ()):
            return said
        relations = (*self._schema.relations, *self._subjects.retired)
        known = (await self._store.neighbourhood(said.subject, relations)).facts
        return replace(said, claims=tuple(self._resolved(claim, known, said) for claim in said.claims or ()))

    def _resolved(self, claim: Claim, known: Sequence[Fact], said: Statement) -> Claim:
        if not claim.corrects or claim.trouble:
            return claim
        found = self._found(claim, known)
        if len(found) == 1:
            return replace(claim, correction=self._correction(found[0], said))
        named = ", ".join(f"{fact.relation} {fact.object.name} (fact {fact.short_id})" for fact in found[:_SHOWN])
        why = (
            f"may correct {named}: call again with the id of the one that is meant"
            if found
            else "nothing that is recorded is named by `corrects`, so it was taken as a statement of its own"
        )
        return replace(claim, note=why)

    def _found(self, claim: Claim, known: Sequence[Fact]) -> tuple[Fact, ...]:
        """The facts that a claim may correct, those of its relation first."""
        words = claim.corrects.strip()
        if _ID.fullmatch(words.casefold()):
            return tuple(fact for fact in known if fact.fact_id.startswith(words.casefold()))
        found = self._names.named(words, known) or self._names.named(
            claim.object, [fact for fact in known if fact.relation == claim.relation]
        )
        alike = tuple(fact for fact in found if fact.relation == claim.relation)
        return alike or found

    def _correction(self, fact: Fact, said: Statement) -> Correction:
        speaker = said.speaker or said.role
        return correction_of(fact, speaker=speaker, role=said.role, critical=self._lines.is_critical(fact))


def ended(told: Iterable[Told]) -> tuple[Told, ...]:
    """Those of the caller's facts that end what they correct."""
    return tuple(
        one
        for one in told
        if one.given.corrects is not None
        and one.given.corrects.effect is Effect.ENDED
        and one.observation is not None
        and (one.against is not None or one.observation.fact_id != one.given.corrects.fact.fact_id)
    )


def endings(
    told: Iterable[Told], chain: Chain, after: Sequence[FactEvent], *, speaker: str, now: Instant, schema_version: str
) -> Iterator[FactEvent]:
    """The events that end what was corrected, behind those `after` which hold the words; none where it is ended."""
    made = list(after)
    for one in told:
        if one.given.corrects is None:
            continue
        fact = one.given.corrects.fact
        own = [event for event in (*chain.events, *made) if event.fact_id == fact.fact_id]
        said = Status.NEGATED if one.observation is None else one.observation.status
        decision = Decision(
            fact_id=fact.fact_id,
            change=one.given.corrects.change(said),
            reason=f"corrected: {one.given.evidence}"[:_REASON],
            actor=speaker,
            version=fold(own).last_seq,
        )
        if is_done(decision, own) or change_id(decision) in {event.id for event in own}:
            continue
        check_allowed(decision, own)
        event = changed(
            decision, own, head=chain.head.after(made), now=now, schema_version=schema_version, route=Route.CLIENT
        )
        made.append(event)
        yield event


def _stem(word: str) -> str:
    """A word without its plural.

    >>> _stem("peanuts"), _stem("glass")
    ('peanut', 'glass')
    """
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


def _stems(text: str) -> frozenset[str]:
    return frozenset(map(_stem, _WORD.findall(text.casefold())))
