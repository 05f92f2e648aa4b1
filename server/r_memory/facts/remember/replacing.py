"""Which recorded fact a claim replaces although its reader named none: the same thing with another value.

A day that was moved, a limit that was raised, "the 19th, not the 9th". The effect on the fact is decided in
`domain/corrections.py`; nothing is stored here.
"""

import re
from collections.abc import Sequence

from r_memory.domain.facts import DENIAL, RISK, Fact, Observation, Route
from r_memory.domain.schema import Relation
from r_memory.facts.naming import FactNames
from r_memory.facts.remember.results import Claim
from r_memory.facts.remember.utterances import Statement
from r_memory.facts.subjects import Subjects
from r_memory.protocols import Store, Utterance
from r_memory.reading.language import listed
from r_memory.reading.reader import Reader
from r_memory.reading.retractions import Retractions
from r_memory.reading.whose import whose_under
from r_memory.text.sentences import stretches

__all__ = ["Replacements", "around"]

_NAME = re.compile(r"\b[A-Z]\w+")
_WORD = re.compile(r"[\w'-]+")
_NEAR = 3
"""Words behind a denial among which a person is looked for: "not for my dad"."""
_WHEN = frozenset({"date", "end"})
_DAYS = frozenset({"date", "due"})
"""Attributes that say when, whatever their kind: days of the week are kept in words."""
_VALUES = _WHEN | {"number", "unit", "period", "hours"}
"""Kinds of attributes of which a thing has another one later; the other kinds tell things apart."""


class Replacements:
    """Finds what the claims of one call replace, under one schema."""

    def __init__(
        self, *, store: Store, reader: Reader, subjects: Subjects, retractions: Retractions, names: FactNames
    ) -> None:
        self._store = store
        self._subjects = subjects
        self._whose = whose_under(reader.schema)
        pronouns = (listed(reader.schema.language, "persons", name) for name in ("she", "he", "they"))
        self._pronouns = frozenset(word for words in pronouns for word in words)
        self._schema = reader.schema
        self._validator = reader.validator
        self._retractions = retractions
        self._names = names

    def may_be(self, said: Statement) -> bool:
        """Whether the call may replace something: it denies one thing and states another, or says that one changed."""
        claims = [claim for claim in said.claims or () if not claim.trouble]
        statuses = {claim.status for claim in claims}
        if not statuses.isdisjoint(DENIAL) and not statuses.isdisjoint(RISK):
            return True
        has_values = any(self._identity(claim.relation) for claim in claims)
        speaks = has_values and (self._retractions.replaces(said.text) or self._speaks_against(said.text))
        return speaks or bool(claims and self.denied_people(said.text))

    def denied_people(self, words: str) -> frozenset[str]:
        """Words for the people of whom the words deny something, in small letters: "it's Mum who has it, not Dad"."""
        named = frozenset(found.casefold() for found in _NAME.findall(words))
        return frozenset(
            word
            for old in self._retractions.instead_of(words)
            for spoken in [_WORD.findall(old)]
            for word in (each.removesuffix("'s") for each in spoken[:_NEAR])
            if self._whose.is_relative(word) or word in named or (spoken == [word] and word in self._pronouns)
        )

    def may_be_of_another(self, claim: Claim, said: Statement) -> bool:
        """Whether a claim takes a fact of the subject back in words that name another person."""
        correction = claim.correction
        if correction is None or correction.elsewhere or correction.forgets or claim.status not in DENIAL:
            return False
        corrects = self._retractions.corrects(said.text) and self._whose.may_name(said.text, said.subject)
        return bool(corrects or self.denied_people(said.text))

    async def denied_of(self, seen: Observation, said: Statement) -> Fact | None:
        """The fact of another person that the words deny while they state it of the subject."""
        words = around(said.text, seen.evidence)
        if not (denied := self.denied_people(words)):
            return None
        meant = frozenset().union(*map(self._whose.synonyms, denied))
        named = self._whose.may_name(said.text, said.subject)
        company = await self._subjects.company(said.subject, named, speaker=said.speaker, role=said.role)
        people = {
            item.uid: item
            for word, of in company.people.items()
            for item in of
            if item.uid != said.subject.uid and not meant.isdisjoint((word, *word.split()))
        }
        if len(people) != 1:
            return None
        [other] = people.values()
        known = await self._store.neighbourhood(other, (seen.relation,))
        held = (fact for fact in known.facts if fact.status in RISK and not fact.contradicted)
        return next((fact for fact in held if fact.object.uid == seen.object.uid), None)

    def formed(self, said: Statement) -> tuple[Observation | None, ...]:
        """The claims as observations; `None` in place of those without a valid form."""
        utterance = Utterance(text=said.text, role=said.role, speaker=said.speaker, subject=said.subject)
        checked = (
            None if claim.trouble else self._validator.form(utterance, claim.proposal(Route.CLIENT, "client/1"))
            for claim in said.claims or ()
        )
        return tuple(item[0] if isinstance(item, tuple) else None for item in checked)

    def replaced(
        self, seen: Observation | None, formed: Sequence[Observation | None], known: Sequence[Fact], text: str
    ) -> Fact | None:
        """The recorded fact that one claim of a call replaces or takes back; `None` if that is not certain."""
        if seen is None:
            return None
        held = [fact for fact in known if fact.relation == seen.relation and fact.status in RISK]
        if seen.status in DENIAL:
            return self._taken_back(seen, formed, held)
        others = [
            fact
            for fact in held
            if fact.object.uid == seen.object.uid and fact.fact_id != seen.fact_id and not fact.contradicted
        ]
        return self._other_value(seen, others, around(text, seen.evidence)) if others else None

    def _taken_back(self, seen: Observation, formed: Sequence[Observation | None], held: Sequence[Fact]) -> Fact | None:
        """The fact that a denial means: the words say that it is another person's ("not Dad"), or a claim beside it
        states the same thing with another value.
        """
        stated = [
            observation
            for observation in formed
            if observation is not None and observation.status in RISK and observation.relation == seen.relation
        ]
        new = {observation.fact_id for observation in stated}
        exact = next((fact for fact in held if fact.fact_id == seen.fact_id), None)
        if exact is not None and self.denied_people(seen.evidence):
            return exact
        if not stated or seen.fact_id in new:
            return None
        alike = any(observation.object.uid == seen.object.uid for observation in stated)
        if exact is not None:
            return exact if alike or self._speaks_against(seen.evidence) else None
        same = [fact for fact in held if fact.object.uid == seen.object.uid and fact.fact_id not in new]
        return same[0] if alike and len(same) == 1 else None

    def _other_value(self, seen: Observation, others: Sequence[Fact], words: str) -> Fact | None:
        """The fact whose value the words deny; else the only one, if they say that its value changed."""
        relation = self._schema.relations[seen.relation]
        denied = [
            fact
            for fact in others
            for old in self._retractions.instead_of(words)
            if any(self._names.tells(old, fact.attrs[name]) for name in _differing(relation, seen, fact))
        ]
        if denied or len(others) > 1:
            return denied[0] if len({fact.fact_id for fact in denied}) == 1 else None
        kinds = {_kind(relation, name) for name in _differing(relation, seen, others[0])}
        if not kinds or not kinds <= _VALUES:
            return None
        is_set = relation.critical or not kinds.isdisjoint(_WHEN)  # a measurement is taken again
        changed = self._retractions.corrects(words) or (is_set and self._retractions.replaces(words))
        return others[0] if changed else None

    def _identity(self, relation: str) -> bool:
        known = self._schema.relations.get(relation)
        return known is not None and bool(known.identity)

    def _speaks_against(self, words: str) -> bool:
        return self._retractions.corrects(words) or bool(self._retractions.instead_of(words))


def _differing(relation: Relation, seen: Observation, fact: Fact) -> list[str]:
    """The attributes that tell the two apart and are known of both."""
    return [
        name
        for name in relation.identity
        if name in seen.attrs and name in fact.attrs and seen.attrs[name] != fact.attrs[name]
    ]


def _kind(relation: Relation, name: str) -> str:
    return "date" if name in _DAYS else relation.attrs[name]


def around(text: str, evidence: str) -> str:
    """The sentences of the evidence, with the one before; all of the text if it does not hold the evidence."""
    first = max(text.find(evidence), 0)
    last = first + len(evidence) if evidence in text else len(text)
    start, kept, before = 0, "", ""
    for part in stretches(text):
        end = start + len(part)
        if start < last and first < end:
            kept += part if kept else before + part
        start, before = end, part
    return kept.strip()
