"""Words against a thing in another language than the schema's: what denies it or ends it, in the clause that names it.

Knows the language files beside the schema's own (`schema/language/<code>.yaml`). It is narrower than `against.py`: a
sentence that asks, supposes, reports, names somebody else, gives a reason or belongs to a language without a file has
no word against anything, so that an absence in it waits. Which language a sentence is in is decided by its words; where
several languages fit equally, a word counts only if it counts in each of them.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from r_memory.domain.facts import Span
from r_memory.domain.schema import Language, Relation, Schema
from r_memory.domain.wordings import one_of
from r_memory.reading.language import listed, paired
from r_memory.reading.listening import CueAgainst
from r_memory.reading.normalise import plain

_TOKEN = re.compile(r"[^\W_]+|[^\w\s]")
_NOTATION = re.compile(r"[^\W\d_]+")
_STEM = 5
"""Leading letters by which a noun is matched to a part of a relation's name, doubled letters counted once."""
_LONGEST_ENDING = 6
"""Most letters behind such a stem: "allergisch" is of an allergy, "Allergietabletten" are not."""
_NEAR = 4
"""Words behind a denial among which the denied thing or the relation's own noun must stand."""
_OTHERS = 2
"""Most other critical relations of the same single type under which a thing without its relation's noun is plain."""
_TELLING = 4
"""Letters from which a single word may tell the language of a sentence."""
_LISTS = (
    "denials",
    "beside_denials",
    "masked",
    "ends",
    "ends_of_use",
    "ahead",
    "doubts",
    "forbidden",
    "reasons",
    "blocks",
    "presupposing",
    "having",
    "reporting",
)


@dataclass(frozen=True, slots=True)
class _TongueToken:
    word: str
    """In small letters, without accents."""
    said: str
    """In small letters, with accents: "é" is no "e"."""
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Denied:
    """What has to be known of a relation that a denial is said of."""

    critical: bool
    stems: frozenset[str]
    """What the nouns of its own name begin with."""
    by_noun: bool
    """Other critical relations are of the same things, so that only its own noun tells which one is denied."""


class Tongue:
    """The words of one language that speak against a thing."""

    def __init__(self, language: Language) -> None:
        self.code = language.code
        self._lists = {name: _finder(listed(language, "absences", name)) for name in _LISTS}
        self._breaks = frozenset(listed(language, "absences", "breaks"))
        self._people = {_bare(word): who for word, who in paired(language, "persons", "kin")}
        self._people |= dict.fromkeys(map(_bare, listed(language, "persons", "others")), "")
        self.common = frozenset(map(_bare, listed(language, "common")))
        self.words = self.common | self._people.keys() | frozenset(_said(language.sections))

    def cue(
        self, tokens: Sequence[_TongueToken], names: Sequence[Span], relation: "Denied", called: Collection[str]
    ) -> CueAgainst:
        """Returns the strongest word of a sentence against the thing at the places `names`."""
        if not names or self._is_unsure(tokens, called):
            return CueAgainst.NONE
        found = {self._in_clause(clause, names, relation) for clause in self._clauses(tokens)}
        return next((cue for cue in (CueAgainst.END, CueAgainst.DENIAL) if cue in found), CueAgainst.NONE)

    def denies(self, tokens: Sequence[_TongueToken]) -> bool:
        """Whether the sentence holds any denial."""
        said = _text(tokens)
        masked = self._places("masked", said)
        return any(
            not _within(place, masked) for name in ("denials", "beside_denials") for place in self._places(name, said)
        )

    def _is_unsure(self, tokens: Sequence[_TongueToken], called: Collection[str]) -> bool:
        """Whether the sentence asks, doubts, supposes, looks ahead, gives a reason, reports, or is about another."""
        said = _text(tokens)
        if any(token.word == "?" for token in tokens):
            return True
        if any(self._places(name, said) for name in ("doubts", "ahead", "reasons", "reporting")):
            return True
        return any(token.word in self._people and self._people[token.word] not in called for token in tokens)

    def _clauses(self, tokens: Sequence[_TongueToken]) -> Iterator[Sequence[_TongueToken]]:
        """Yields the stretches between marks and conjunctions; a label stays with its answer."""
        first = 0
        for at, token in enumerate(tokens):
            mark = not token.word[0].isalnum() and token.word not in {"'", "-", ":"}
            if (mark or token.said in self._breaks) and at > first:
                yield tokens[first:at]
            if mark or token.said in self._breaks:
                first = at + mark
        if first < len(tokens):
            yield tokens[first:]

    def _in_clause(self, clause: Sequence[_TongueToken], names: Sequence[Span], relation: "Denied") -> CueAgainst:
        words = [token for token in clause if token.word[0].isalnum()]
        thing = [at for at, token in enumerate(words) if any(_touch(token, name) for name in names)]
        if not thing:
            return CueAgainst.NONE
        said = _text(words)
        masked = self._places("masked", said)

        def found(name: str) -> list[tuple[int, int]]:
            return [place for place in self._places(name, said) if not _within(place, masked)]

        def reaches(place: tuple[int, int]) -> bool:
            return not any(_between(start, place, thing) for start, _ in self._places("blocks", said))

        if any(end == thing[0] for _, end in self._places("presupposing", said)):
            return CueAgainst.NONE
        ends = [*found("ends"), *(() if relation.critical else found("ends_of_use"))]
        denials = [place for place in found("denials") if not _within(place, ends)]
        if ends:
            return CueAgainst.END if not denials and reaches(ends[0]) else CueAgainst.NONE
        denials = denials[:1] if len(denials) > 1 and self._is_one(denials, found("beside_denials")) else denials
        if len(denials) != 1 or not reaches(denials[0]) or found("forbidden"):
            return CueAgainst.NONE
        nouns = [at for at, token in enumerate(words) if is_of(token.word, relation.stems)]
        if not nouns and (relation.by_noun or (relation.critical and not self._places("having", said))):
            return CueAgainst.NONE
        _, end = denials[0]
        denied = end == len(words) or any(end <= at < end + _NEAR for at in (*thing, *nouns))
        return CueAgainst.DENIAL if denied else CueAgainst.NONE

    def _is_one(self, denials: Sequence[tuple[int, int]], beside: Sequence[tuple[int, int]]) -> bool:
        """Whether all denials but the first only go with it: "no tengo ninguna"."""
        return all(_within(place, beside) for place in denials[1:])

    def _places(self, name: str, said: str) -> list[tuple[int, int]]:
        """Returns the first word, and the word behind the last, of each phrase of a list; longest stretches first."""
        pattern = self._lists[name]
        found = pattern.finditer(said) if pattern is not None else ()
        return [(said.count(" ", 0, match.start()), said.count(" ", 0, match.end())) for match in found]


class Tongues:
    """All languages beside the schema's own."""

    def __init__(self, schema: Schema) -> None:
        self._relations = {name: _denied(relation, schema) for name, relation in schema.relations.items()}
        self._known = tuple(Tongue(language) for language in schema.languages.values())
        self._own = frozenset(map(_bare, listed(schema.language, "common")))
        self._everyday = frozenset(_said(schema.language.sections))
        listless = listed(schema.language, "foreign")
        self._unknown = {code: frozenset(map(_bare, listed(schema.language, "foreign", code))) for code in listless}

    def of(self, sentence: str, detected: str) -> tuple[Tongue, ...]:
        """Returns the languages whose words count in a sentence; empty if it may be in one without a file.

        `detected` is the code of the language that the reader took the sentence for; empty for the schema's own.
        """
        words = {token.word for token in _tokens(sentence)}
        scores = {tongue.code: len(words & tongue.words) for tongue in self._known}
        best = max(scores.values(), default=0)
        rivals = [len(words & self._own), *(len(words & known) for known in self._unknown.values())]
        if best == 0 or best <= max(rivals):
            return ()
        if detected in self._unknown or (detected and detected != "?" and detected not in scores):
            return ()
        found = tuple(tongue for tongue in self._known if scores[tongue.code] == best)
        strange = words - self._everyday
        telling = any(len(word) >= _TELLING for tongue in found for word in strange & tongue.words)
        return found if detected or telling else ()

    def cue(
        self, sentence: str, detected: str, names: Sequence[Span], relation: Relation, called: Collection[str]
    ) -> CueAgainst:
        """Returns the strongest word against a thing at `names` in a sentence, if every language grants it."""
        tokens = _tokens(sentence)
        if relation.negation == "ignore":
            return CueAgainst.NONE
        told = self._relations[relation.name]
        cues = {tongue.cue(tokens, names, told, called) for tongue in self.of(sentence, detected)}
        return cues.pop() if len(cues) == 1 else CueAgainst.NONE

    def nouns(self, relation: Relation) -> tuple[frozenset[str], bool]:
        """Returns what the relation's own nouns begin with, and whether only they tell it from other relations."""
        told = self._relations[relation.name]
        return told.stems, told.by_noun

    def denies(self, sentence: str, detected: str) -> bool:
        """Whether any of the languages of a sentence reads a denial in it."""
        tokens = _tokens(sentence)
        return any(tongue.denies(tokens) for tongue in self.of(sentence, detected))


def _tokens(sentence: str) -> list[_TongueToken]:
    said = sentence.replace("\u2019", "'")
    return [
        _TongueToken(_bare(match[0]), match[0].lower(), match.start(), match.end()) for match in _TOKEN.finditer(said)
    ]


def _bare(text: str) -> str:
    return plain(text).casefold()


def _text(tokens: Iterable[_TongueToken]) -> str:
    return "".join(f"{token.word} " for token in tokens if token.word[0].isalnum())


def _finder(phrases: Iterable[str]) -> "re.Pattern[str] | None":
    return one_of(sorted((_bare(phrase).replace("'", " ") for phrase in phrases), key=len, reverse=True))


def _said(value: object) -> Iterator[str]:
    """Yields every word of nested lists; what only names a list is none."""
    if isinstance(value, str):
        yield from _NOTATION.findall(_bare(value))
    for inner in value.values() if isinstance(value, Mapping) else value if isinstance(value, list | tuple) else ():
        if not isinstance(value, Mapping) or isinstance(inner, list | tuple) or not isinstance(inner, str):
            yield from _said(inner)


def _denied(relation: Relation, schema: Schema) -> Denied:
    parts = (_single(part.lower()) for part in relation.name.split("_") if len(part) >= _STEM)
    sharing = [
        other
        for other in schema.relations.values()
        if other.critical and other is not relation and not set(other.objects).isdisjoint(relation.objects)
    ]
    return Denied(
        critical=relation.critical,
        stems=frozenset(part[:_STEM] for part in parts),
        by_noun=relation.critical and (len(relation.objects) > 1 or len(sharing) > _OTHERS),
    )


def is_of(word: str, stems: Collection[str]) -> bool:
    """Whether a word holds the relation's own noun, alone or at the end of a compound."""
    said = _single(word)
    return any(stem in said and len(said) - said.rfind(stem) - len(stem) <= _LONGEST_ENDING for stem in stems)


def _single(word: str) -> str:
    return re.sub(r"(.)\1", r"\1", word)


def _within(place: tuple[int, int], places: Iterable[tuple[int, int]]) -> bool:
    return any(place[0] < end and start < place[1] for start, end in places)


def _between(at: int, place: tuple[int, int], thing: Sequence[int]) -> bool:
    return place[1] <= at < thing[0] or thing[-1] < at < place[0]


def _touch(token: _TongueToken, name: Span) -> bool:
    return token.start < name.end and name.start < token.end
