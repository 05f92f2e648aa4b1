"""Whether words deny a whole kind of facts in plain words ("allergies, no, none"), if a voice that counts says so.

Looser than the closed forms, which need no second voice, and much stricter than `kind_denials`: the clause that names
the kind holds one word of denial, or is bare and answered by a clause with one, and no word beyond those of the
language file's `plain_denials`. An idiom ("no end of allergies") and an exception ("but wasps") hold another word.
"""

import re
from collections.abc import Sequence

from r_memory.domain.schema import Phrasing, Relation, Schema
from r_memory.reading.language import listed
from r_memory.reading.normalise import plain
from r_memory.text.cutting import words_of

_CLAUSE = re.compile(r"[,;:.!?()\n]|\s[-\u2013\u2014]\s")


class PlainDenials:
    """Knows the words of one schema and its language."""

    def __init__(self, schema: Schema) -> None:
        def words(name: str) -> frozenset[str]:
            return frozenset(listed(schema.language, "plain_denials", name))

        self._denials = words("denials")
        self._light, self._bare = words("light"), words("bare")
        self._exceptions, self._beside_a_risk = words("exceptions"), words("beside_a_risk")

    def denies(self, sentence: str, relation: Relation, *, beside_a_risk: bool = False) -> bool:
        """Whether the sentence denies the whole kind of this relation, or with `beside_a_risk` all else of it."""
        named = self._beside_a_risk if beside_a_risk else frozenset[str]()
        exceptions = self._exceptions - named
        parts = [words for part in _CLAUSE.split(plain(sentence).casefold()) if (words := words_of(part))]
        if any(not exceptions.isdisjoint(words) for words in parts):
            return False
        kind = frozenset(relation.phrasing.denied_as)
        clauses = [[word for word in words if word not in named] for words in parts]
        naming = [at for at, words in enumerate(clauses) if not kind.isdisjoint(words)]
        return bool(naming) and all(self._denied(clauses[at : at + 2], relation.phrasing) for at in naming)

    def _denied(self, clauses: Sequence[Sequence[str]], phrasing: Phrasing) -> bool:
        """Whether the first clause, which names the kind, denies it, or is bare and denied by the second."""
        named = frozenset((*phrasing.denied_as, *phrasing.denied_with))
        denials = frozenset(phrasing.denied_by) or self._denials
        first, *after = ([word for word in words if word not in named] for words in clauses)
        if denials.isdisjoint(first) and self._bare.issuperset(first):
            first = after[0] if after else []
        denying = [word for word in first if word in denials]
        return len(denying) == 1 and self._light.issuperset(word for word in first if word not in denials)
