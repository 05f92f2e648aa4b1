"""Which sentences of a draft give a secret away: what must not be disclosed, and what somebody said not to tell. Pure.

A sentence gives it away if it holds most of the secret's own words, or one of its amounts; of a draft to the one who is
not to know, half of the words. A draft that begins by naming the one who is to be told nothing does so too. What a
secret means in other words it does not know.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain

from r_memory.domain.facts import Fact
from r_memory.domain.schema import Relation, Schema
from r_memory.facts.naming import FactNames
from r_memory.facts.recall.prepared import Prepared
from r_memory.reading.language import either, listed
from r_memory.reading.secrecy import secrecy_under
from r_memory.text.sentences import stretches

_NUMBER = re.compile(r"(?<![\w.,])(\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)(?:\s?([^\W\d_]+))?(\s?%)?")
_NO_AMOUNT = re.compile(r"\d{4}-\d\d(?:-\d\d)?|\d+(?:[:/]\d+)+")
"""Days and hours in figures."""
_WORD_BEFORE = re.compile(r"(\S+)\s+$")
_YEARS = range(1900, 2100)
_LEAST = 10
"""The smallest number that is an amount with no sign or scale beside it."""
_SHORT_FOR = (1.0, 1_000.0)
"""Factors between an amount and how it is said for short: 60 for 60,000."""
_GREETING = 4
"""Words at the beginning of a draft that may name its reader."""
_OF_ANYBODY, _OF_THOSE_KEPT_OUT, _WHOLE = Fraction(2, 3), Fraction(1, 2), Fraction(1)
"""Shares of a secret's words that give it away."""
_MONEY = "Sc"
_ASIDE = frozenset({"reason", "until"})


@dataclass(frozen=True, slots=True, kw_only=True)
class _Secret:
    words: str
    """What is secret, without the order not to tell it and without those who are not to know."""
    amounts: frozenset[tuple[float, bool]]
    kept_from: frozenset[str]
    """Names, in lower case, of those who are not to know."""


class Secrets:
    """Finds what drafts give away, under one schema."""

    def __init__(self, schema: Schema, names: FactNames, prepared: Prepared[Fact]) -> None:
        self._names = names
        self._prepared = prepared
        self._relations = schema.relations
        terms = schema.lexicon.terms
        self._in_words = frozenset(
            name
            for name, relation in schema.relations.items()
            if relation.bears == "always" or not any(terms.get(type_) for type_ in relation.objects)
        )
        """Relations whose facts are words of their own, and no thing that drafts are about anyway."""
        self._secrecy = secrecy_under(schema)
        self._filling = frozenset(
            word for name in ("filling", "adding") for word in listed(schema.language, "drafts", name)
        )
        self._addressing = either(listed(schema.language, "drafts", "addressing"))
        scales = schema.language.sections.get("money_scales")
        self._scales = {str(name): float(size) for name, size in scales.items()} if isinstance(scales, dict) else {}

    def is_secret(self, fact: Fact) -> bool:
        """Whether a fact forbids to tell something: by its relation, or by its words."""
        return self._prepared.of(self._forbids, fact)

    def _forbids(self, fact: Fact) -> bool:
        relation = self._relations.get(fact.relation)
        if relation is None or fact.is_absence:
            return False
        words = f"{fact.object.name} {fact.evidence}"
        if relation.critical and relation.name in self._in_words:
            return self.forbids_telling(relation) or self._secrecy.may_forbid_telling(words)
        return self._secrecy.forbids_telling(words)

    def is_kept_from(self, text: str, fact: Fact) -> bool | None:
        """Whether the draft names one who is not to know, at all or, of what drafts are about anyway, as its reader;
        `None` if the words name nobody.
        """
        names = self._prepared.of(self._secret, fact).kept_from
        if not names:
            return None
        to = "" if fact.relation in self._in_words else rf"\b(?:{self._addressing})\s+(?:\w+\.?\s+)?"
        return re.search(rf"{to}\b(?:{either(names)})\b", text, re.IGNORECASE) is not None

    def is_in_words(self, fact: Fact) -> bool:
        """Whether a fact is words of its own, and no thing that drafts are about anyway."""
        return fact.relation in self._in_words

    @staticmethod
    def forbids_telling(relation: Relation) -> bool:
        """Whether all facts of a relation are secrets, whatever their words say."""
        return relation.critical and relation.bears == "always" and relation.negation == "ignore"

    def given_away(self, text: str, fact: Fact) -> Iterator[range]:
        """Where the draft gives the secret away: at most one place of each sentence."""
        secret, start = self._prepared.of(self._secret, fact), 0
        share = _OF_THOSE_KEPT_OUT if self.is_kept_from(text, fact) else _OF_ANYBODY
        for sentence in stretches(text):
            place = self._told_in(sentence, secret, share)
            if place is None and not start:
                place = self._addressed(sentence, secret)
            if place is not None:
                yield range(start + place.start, start + place.stop)
            start += len(sentence)

    def _secret(self, fact: Fact) -> _Secret:
        kinds = self._relations[fact.relation].attrs
        told = [str(value) for name, value in fact.attrs.items() if kinds.get(name) == "text" and name not in _ASIDE]
        people = [str(value) for name, value in fact.attrs.items() if kinds.get(name) not in {None, "text"}]
        whole = " ".join([fact.object.name, *told])
        words, named = self._secrecy.parted(whole)
        if not (self._names.telling(words) or any(self.amounts(words))):
            words, named = self._secrecy.parted(fact.evidence)
        _, in_evidence = self._secrecy.parted(fact.evidence)
        kept_from = frozenset(word.casefold() for word in chain(named, in_evidence, *(name.split() for name in people)))
        amounts = list(self.amounts(words))
        for place, _ in amounts:
            words = f"{words[: place.start]}{' ' * len(place)}{words[place.stop :]}"
        return _Secret(words=words, amounts=frozenset(amount for _, amount in amounts), kept_from=kept_from)

    def _told_in(self, sentence: str, secret: _Secret, share: Fraction) -> range | None:
        for place, amount in self.amounts(sentence):
            if any(_is_same(amount, kept) for kept in secret.amounts):
                return place
        # Beside an amount the words alone are no secret unless all of them are there.
        found = self._names.most_of(sentence, secret.words, _WHOLE if secret.amounts else share)
        return None if found is None else range(*found.span())

    def _addressed(self, sentence: str, secret: _Secret) -> range | None:
        """Where the beginning of a draft names one who is to be told nothing; `None` if something only is secret."""
        if secret.amounts or self._names.telling(secret.words):
            return None
        first = list(re.finditer(r"[\w'-]+", sentence))[:_GREETING]
        return next((range(*word.span()) for word in first if word[0].casefold() in secret.kept_from), None)

    def amounts(self, words: str) -> Iterator[tuple[range, tuple[float, bool]]]:
        """The amounts of the words, each with whether it is in percent; what counts or dates something is none."""
        words = _NO_AMOUNT.sub(lambda found: "-" * len(found[0]), words)
        for found in _NUMBER.finditer(words):
            size, unit = float(found[1].replace(",", "")), (found[2] or "").casefold()
            before = words[: found.start()].rstrip()
            marked = unit in self._scales or "," in found[1] or unicodedata.category(before[-1:] or " ") == _MONEY
            beside = _WORD_BEFORE.search(words[: found.start()])
            named = beside is not None and beside[1][:1].isupper() and beside.start() > 0
            counts = unit not in self._filling and bool(self._names.telling(unit))
            bare = size >= _LEAST and size not in _YEARS and not (named or counts)
            if marked or found[3] or bare:
                yield range(*found.span(1)), (size * self._scales.get(unit, 1), bool(found[3]))


def _is_same(said: tuple[float, bool], kept: tuple[float, bool]) -> bool:
    (one, in_percent), (other, of_percent) = sorted((said, kept))
    factors = _SHORT_FOR if one < _SHORT_FOR[-1] and not in_percent else _SHORT_FOR[:1]
    return in_percent == of_percent and any(one * factor == other for factor in factors)
