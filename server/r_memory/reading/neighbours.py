"""Whether the local reader names a given fact a second time, under a neighbouring relation: "can't stand coriander" is
a dislike, and no intolerance beside it; "I don't drink" is no diet beside what is avoided.

Words that tell of a reaction keep both: a risk to the body is never folded into a preference.
"""

import re
from collections.abc import Collection

from r_memory.domain.facts import LocalClaim
from r_memory.domain.schema import Relation, Schema
from r_memory.reading.language import listed
from r_memory.reading.normalise import plain
from r_memory.text.cutting import words_of

__all__ = ["Neighbours", "harm_words"]


class Neighbours:
    """Compares local claims with given facts, under one schema; without words for reactions nothing is a neighbour."""

    def __init__(self, schema: Schema) -> None:
        self._schema = schema
        self._harm = harm_words(schema)
        self._free = frozenset(listed(schema.language, "things", "free"))
        self._diets = {
            name.casefold(): {word for word, free in map(_ending, spellings) if free in self._free}
            for names in schema.lexicon.terms.values()
            for name, spellings in names.items()
        }
        """By term: the things that its spellings say to be without, such as "alcohol-free"."""

    def is_told(self, claim: LocalClaim, relation: Relation, names: Collection[str], sentence: str) -> bool:
        """Whether the given fact, of this relation and with these names, tells what the local claim reads."""
        if self._harm is None or relation.in_use_against or self._harm.search(plain(sentence)):
            return False
        without = self._diets.get(claim.name.casefold(), set())
        if any(word in without for name in names for word in name.split()):
            return True
        other = self._schema.relations.get(claim.relation)
        objects = frozenset() if other is None else frozenset(other.objects)
        return claim.name in names and not objects.isdisjoint(relation.objects)

    def is_within(self, claim: LocalClaim, names: Collection[str], means: str, sentence: str) -> bool:
        """Whether the local claim is of the given thing in more words ("Acme shares"), or of what that means: the
        transfusion of "blood", given as "blood transfusion".
        """
        if self._harm is not None and self._harm.search(plain(sentence)):
            return False
        claimed = set(words_of(claim.name.casefold()))
        meant = (part.strip() for part in means.casefold().split(","))
        return any(claimed.issuperset(words_of(name)) for name in names) or any(
            f" {part}".endswith(f" {claim.name.casefold()}") for part in meant
        )


def harm_words(schema: Schema) -> re.Pattern[str] | None:
    """Returns a pattern of the words for a reaction; `None` if the schema has none."""
    told = schema.comention
    if told is None:
        return None
    spelt = (schema.lexicon.terms.get(type_, {}) for type_ in told.types)
    terms = {word for names in spelt for name, others in names.items() for word in (name, *others)}
    ill = "|".join(map(re.escape, (*terms, *told.effects)))
    stems = (*told.stems, *listed(schema.language, "severe_words"))
    begins = "|".join(re.escape(stem.removesuffix("-").casefold()) for stem in stems)
    return re.compile(rf"\b(?:(?:{ill})\b|(?:{begins}))", re.IGNORECASE)


def _ending(spelling: str) -> tuple[str, str]:
    """The words before the last hyphen or blank of a spelling, and those behind it, in small letters.

    >>> _ending("alcohol-free")
    ('alcohol', 'free')
    """
    first, _, last = re.sub(r"[\s-]+", " ", spelling.casefold()).rpartition(" ")
    return first, last
