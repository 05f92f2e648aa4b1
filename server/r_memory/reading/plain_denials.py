"""Which scopes words deny in plain words ("allergies, no, none"), if a voice that counts says so.

Looser than the closed forms, which need no second voice, and much stricter than `kind_denials`: the clause that names
the kind holds one word of denial, or is bare and answered by a clause with one, and no word beyond those of the
language file's `plain_denials`. An idiom ("no end of allergies"), an exception ("but wasps") and a doubt ("I think")
hold another word. What troubles nobody ("no trouble with medicines", "all food is fine") is no risk either. An
exception of a risk that is told or on record is none, and a further clause of the kind may say so in words of its own.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from r_memory.domain.schema import Phrasing, Relation, Schema
from r_memory.reading.language import Phrases, listed
from r_memory.reading.normalise import plain
from r_memory.text.cutting import words_of

_CLAUSE = re.compile(r"[,;:.!?()\n]|\s[-\u2013\u2014]\s")
_WORD = re.compile(r"[^\W\d_]+")
_NEAR = 2
"""Clauses behind the one that names the kind in which a doubt counts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Beside:
    """What is known around the words."""

    risks: Collection[str] = field(default_factory=frozenset)
    """Names of the risks of the kind that the call states or that stand on record, in small letters."""
    rest: bool = False
    """There is one, or the call denies a thing of the kind, so that "no other" denies all else."""
    calmed: Collection[str] = field(default_factory=frozenset)
    """Words of the things that the same call denies, in small letters."""
    near: bool = False
    """It states it in the same words or right before, so that "nothing else" is of that kind."""
    names: Collection[str] = field(default_factory=frozenset)
    """Words for the subject, in small letters."""


NOTHING_BESIDE = Beside()


@dataclass(frozen=True, slots=True, kw_only=True)
class _DenyingClause:
    """The words of a clause, without those that speak of the rest ("other", "else")."""

    words: tuple[str, ...]
    whole: bool
    """It names the kind by a word of its own."""
    scopes: frozenset[str]
    """The narrower scopes that it names."""
    of_the_rest: bool
    """It holds a word that speaks of the rest."""


class PlainDenials:
    """Knows the words of one schema and its language."""

    def __init__(self, schema: Schema) -> None:
        def words(name: str) -> frozenset[str]:
            return frozenset(listed(schema.language, "plain_denials", name))

        self._denials, self._results, self._well = words("denials"), words("results"), words("well")
        self._light, self._bare, self._asking = words("light"), words("bare"), words("asking")
        self._telling, self._tellers, self._per = words("telling"), words("tellers"), words("per")
        self._joins, self._subjects = words("joins"), words("subjects")
        self._of_the_kind, self._pointing = words("of_the_kind"), words("pointing")
        self._exceptions, self._doubts, self._rest = words("exceptions"), words("doubts"), words("beside_a_risk")
        self._every, self._ever, self._with = words("every"), words("ever"), words("with")
        self._excepting, self._sole = words("excepting"), words("sole")
        self._negating = words("negating")
        self._articles, self._matters = words("articles"), words("matters")
        self._scopes = {word: scope for scope, kinds in schema.scope_words.items() for word in kinds}
        self._widest = schema.widest

    def denied(self, sentence: str, relation: Relation, beside: Beside = NOTHING_BESIDE) -> frozenset[str]:
        """Returns the scopes of this relation that the sentence plainly denies; empty if there are none."""
        phrasing = relation.phrasing
        rest = self._rest if beside.rest else frozenset[str]()
        aside = Phrases((words_of(text), text) for text in phrasing.denied_with if " " in text)
        written = frozenset(_WORD.findall(plain(sentence)))
        cut = (words_of(part) for part in _CLAUSE.split(plain(sentence).casefold()))
        said = [words for part in cut for words in self._parts(_without(part, aside)) if words]
        things = {word for name in beside.risks for word in words_of(name)}
        left = [self._without_told(words, things) if beside.rest else words for words in said]
        named = (
            told != words and not things.isdisjoint({*words} - {*told}) for words, told in zip(said, left, strict=True)
        )
        beside = replace(beside, near=beside.near or any(named))
        parts = [self._unqualified(words, written) for words in left if words]
        only = [at for at, words in enumerate(parts) if self._is_the_only(words, things, phrasing, beside)]
        others = (words for at, words in enumerate(parts) if at not in only)
        if not phrasing.denied_as or any(not (self._exceptions - rest).isdisjoint(words) for words in others):
            return frozenset()
        clauses = [self._clause(words, phrasing, rest) for words in parts]
        naming = [at for at, clause in enumerate(clauses) if self._is_of_the_kind(clause, phrasing, beside)]
        doubted = (word for at in naming for part in parts[max(at - 1, 0) : at + _NEAR + 1] for word in part)
        if not self._doubts.isdisjoint(doubted):
            return frozenset()
        denied = [at for at in naming if at in only or self._is_denied(clauses[at : at + 2], phrasing, beside)]
        if not all(at in denied or self._is_calm(clauses[at], phrasing, beside) for at in naming):
            return frozenset()
        return frozenset().union(*(clauses[at].scopes or {self._widest(relation)} for at in denied))

    def _is_the_only(self, words: Sequence[str], things: Collection[str], phrasing: Phrasing, beside: Beside) -> bool:
        """Whether a clause says that a told risk is the only one of the kind: "that is the only thing I react to".

        `things` are the words that name told risks; what only points at one must stand right behind it.
        """
        told = beside.rest and any(word in things for word in words)
        sole = any(word in self._sole and before in self._articles for before, word in pairwise(words))
        if not sole or not (told or (beside.near and words[0] in self._pointing)):
            return False
        light = {*self._light, *self._articles, *self._pointing, *self._sole, *things, *beside.names, *self._scopes}
        return {*light, *phrasing.denied_as, *phrasing.denied_with}.issuperset(words) and (
            self._denials.isdisjoint(words) and not frozenset(phrasing.denied_as).isdisjoint(words)
        )

    def _without_told(self, words: tuple[str, ...], things: Collection[str]) -> tuple[str, ...]:
        """Returns a clause without its exception of a told risk, but for a word that speaks of the rest.

        Excepted is "apart from the latex" or "apart from that". Of a clause that only names the risk ("latex is the
        only thing") nothing is left. `things` are the words that name these risks.
        """
        things = frozenset(things)
        small = self._light | self._articles
        if not self._sole.isdisjoint(words) and not things.isdisjoint(words):
            whole = small | self._sole | things
            return () if whole.issuperset(words) and self._denials.isdisjoint(words) else words
        start = next((at for at, word in enumerate(words) if word in self._excepting), None)
        if start is None:
            return words
        end = start + 1
        while end < len(words) and words[end] in self._articles | things | self._pointing:
            end += 1
        named = not (things | self._pointing).isdisjoint(words[start:end])
        kept = start + (words[start] in self._rest)
        return (*words[:kept], *words[end:]) if named else words

    def _unqualified(self, words: tuple[str, ...], written: Collection[str]) -> tuple[str, ...]:
        """Returns a clause without the common word that tells which file is meant: "on the boundary file"."""
        return tuple(
            word
            for at, word in enumerate(words)
            if not (
                0 < at < len(words) - 1
                and words[at + 1] in self._matters
                and words[at - 1] in self._articles
                and word in written
                and word not in self._light | self._denials | self._exceptions | self._doubts | self._rest
            )
        )

    def _is_calm(self, clause: _DenyingClause, phrasing: Phrasing, beside: Beside) -> bool:
        """Whether a further clause of the kind says in its own words that nothing happened.

        "The water tablets never upset my stomach": between the only denial and what troubles stands nothing but light
        words, or every one is well.
        """
        words = clause.words
        denials = [at for at, word in enumerate(words) if word in self._denials]
        if not denials:
            return not self._well.isdisjoint(words)
        named = {*phrasing.denied_as, *phrasing.denied_of}
        light = {*self._light, *named, *phrasing.denied_with, *self._scopes, *beside.names}
        behind = next((at for at in range(denials[0] + 1, len(words)) if words[at] in named), None)
        return len(denials) == 1 and behind is not None and light.issuperset(words[denials[0] + 1 : behind])

    def _parts(self, words: Sequence[str]) -> Iterator[tuple[str, ...]]:
        """Yields the words, cut where a clause with a subject of its own is joined: "none and he sleeps well"."""
        start = 0
        for at, (word, following) in enumerate(pairwise(words)):
            if word in self._joins and following in self._subjects:
                yield tuple(words[start:at])
                start = at + 1
        yield tuple(words[start:])

    def _clause(self, words: Sequence[str], phrasing: Phrasing, rest: Collection[str]) -> _DenyingClause:
        return _DenyingClause(
            words=tuple(word for word in words if word not in rest),
            whole=not frozenset(phrasing.denied_as).isdisjoint(words),
            scopes=frozenset(self._scopes[word] for word in words if word in self._scopes),
            of_the_rest=any(word in rest for word in words),
        )

    def _is_of_the_kind(self, clause: _DenyingClause, phrasing: Phrasing, beside: Beside) -> bool:
        """Whether a clause speaks of the kind: by its own word, or of what troubles by a scope or the rest."""
        rest = clause.of_the_rest and beside.near
        troubles = not frozenset(phrasing.denied_of).isdisjoint(clause.words)
        if clause.whole or (troubles and (clause.scopes or (rest and not self._ever.isdisjoint(clause.words)))):
            return True
        if (
            rest
            and not self._denials.isdisjoint(clause.words)
            and (self._light | self._denials).issuperset(clause.words)
        ):
            return True
        well = bool(phrasing.denied_of) and self._is_well(clause)
        return well and (bool(clause.scopes) or (rest and not self._with.isdisjoint(clause.words)))

    def _is_well(self, clause: _DenyingClause) -> bool:
        """Whether a clause says that every one is fine; "the tablets are all fine" speaks of those at hand.

        Beside a told risk the others are every one: "other tablets are fine".
        """
        if clause.of_the_rest and clause.scopes and clause.words[0] not in self._articles:
            return not self._well.isdisjoint(clause.words)
        every = next((at for at, word in enumerate(clause.words) if word in self._every), None)
        scope = next((at for at, word in enumerate(clause.words) if word in self._scopes), len(clause.words))
        return every is not None and every < scope and not self._well.isdisjoint(clause.words)

    def _is_denied(self, clauses: Sequence[_DenyingClause], phrasing: Phrasing, beside: Beside) -> bool:
        """Whether the first clause denies the kind that it names, or is bare and denied by the second."""
        first = clauses[0].words
        named = {*phrasing.denied_as, *phrasing.denied_with, *phrasing.denied_of, *self._scopes}
        light = {*self._light, *named, *beside.names} - (frozenset() if clauses[0].whole else self._of_the_kind)
        quantified = not self._every.isdisjoint(first)
        if not quantified and first[0] in self._articles and self._negating.intersection(first):
            return False  # "the drawing is not secret" speaks of one thing
        light |= {*beside.calmed} if quantified else set()
        asks = not self._asking.isdisjoint(first)
        if self._denials.isdisjoint(first) and self._is_well(clauses[0]):
            return (light | self._well | self._every).issuperset(first)
        bare = light | self._asking | self._telling if asks else self._bare | named
        if self._denials.isdisjoint(first) and bare.issuperset(first):
            answered = clauses[1].words if len(clauses) > 1 else ()
            return self._says_none(answered, light, self._denials.union(phrasing.denied_by))
        if not asks:
            return self._says_none(first, light, self._denials)
        # "Nobody asked about it" tells no result; what was found stands behind.
        last = max(at for at, word in enumerate(first) if word in self._asking)
        bare_so_far = bare.issuperset(first[: last + 1])
        return bare_so_far and self._says_none(first[last + 1 :], light, self._results.union(phrasing.denied_by))

    def _says_none(self, words: Sequence[str], light: Collection[str], denials: Collection[str]) -> bool:
        """Whether the words hold one word of denial, and else only light ones and who tells it."""
        telling = [at for at, word in enumerate(words) if word in self._telling or word in self._per]
        tellers = [
            at
            for at, word in enumerate(words)
            if word in self._tellers and (words[max(at - 1, 0)] in self._per or any(at < told for told in telling))
        ]
        known = {*telling, *tellers[:1]}
        if not self._pointing.isdisjoint(words[:1]):
            return False
        denying = [word for word in words if word in denials]
        others = (word for at, word in enumerate(words) if at not in known and word not in denials)
        return len(denying) == 1 and all(word in light or word in self._asking for word in others)


def _without(words: Sequence[str], phrases: Phrases[str]) -> tuple[str, ...]:
    """Returns the words outside of the phrases."""
    taken = {at for found in phrases.longest(words) for at in range(found.start, found.end)}
    return tuple(word for at, word in enumerate(words) if at not in taken)
