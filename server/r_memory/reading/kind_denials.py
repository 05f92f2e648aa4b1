"""Tells which texts may deny a whole kind of facts ("no known allergies"), without reading them.

Reading takes far longer than the rest of a check, and most drafts deny nothing. A text may deny a kind if a word of
denial stands in or beside a sentence with a word by which the schema names that kind. Knows words only, never what
they mean together: in doubt a text may deny.
"""

import re
from bisect import bisect
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import accumulate

from rapidfuzz.distance import OSA

from r_memory.domain.schema import Relation, Schema
from r_memory.reading.language import listed, paired
from r_memory.reading.normalise import plain
from r_memory.reading.rules.templates import Compiler
from r_memory.text.cutting import words_of
from r_memory.text.sentences import stretches

_SIDES = ("forward", "backward", "none_after")
"""Lists of the language file with words of denial."""
_FORGIVEN = 4
"""Letters from which a misspelling of a word counts as the word."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Kind:
    """The words by which one kind is named as a whole."""

    names: frozenset[str]
    """Words that tell the kind by themselves."""
    wordings: tuple[tuple[frozenset[str], ...], ...]
    """Wordings of common words only: for each of their phrases, the words of which one must stand there."""

    def is_named(self, words: Collection[str]) -> bool:
        """Whether the words may name the kind."""
        return _holds(words, self.names) or any(
            all(_holds(words, phrase) for phrase in wording) for wording in self.wordings
        )


class KindDenials:
    """The words of denial of one schema's language, and the words by which it names each kind as a whole."""

    def __init__(self, schema: Schema) -> None:
        denying = {phrase for side in _SIDES for phrase in listed(schema.language, "assertion", "negated", side)}
        self._cues = _cues(schema, denying)
        light = {*listed(schema.language, "common"), *(word for phrase in denying for word in words_of(phrase))}
        compiler, short = Compiler(schema, words_of), dict(paired(schema.language, "shorthand"))
        self._kinds = {name: _kind(each, compiler, light, short) for name, each in schema.relations.items()}

    def may_deny(self, text: str, relations: Collection[str]) -> bool:
        """Whether the text may deny the whole kind of one of these relations."""
        if not self._cues.search(text):
            return False
        kinds = [self._kinds[name] for name in relations if name in self._kinds]
        parts = [*stretches(text)]
        ends = [*accumulate(map(len, parts))]
        near = {
            place
            for cue in self._cues.finditer(text)
            for place in range(bisect(ends, cue.start()) - 1, bisect(ends, cue.end() - 1) + 2)
        }
        said = {word for place, part in enumerate(parts) if place in near for word in words_of(plain(part))}
        return any(kind.is_named(said) for kind in kinds)


def _cues(schema: Schema, denying: Collection[str]) -> re.Pattern[str]:
    """Returns a pattern for whatever can begin or end a denial: cues of the language, short forms of the schema."""
    short = {text for relation in schema.relations.values() for text in _short_forms(relation)}
    spoken = (r"\W+".join(map(re.escape, re.findall(r"\w+", phrase))) for phrase in {*denying, *short})
    ends = [re.escape(end) for end, word in paired(schema.language, "requests", "endings") if word in denying]
    whole = rf"\b(?:{'|'.join(sorted(filter(None, spoken)))})\b"
    return re.compile("|".join([whole, *(rf"\w{end}\b" for end in ends)]).replace("'", "['\u2019]"), re.IGNORECASE)


def _short_forms(relation: Relation) -> Iterator[str]:
    return (text for texts in relation.phrasing.none.values() for text in texts)


def _kind(relation: Relation, compiler: Compiler, light: Collection[str], short: Mapping[str, str]) -> _Kind:
    """Returns the words that name a kind as a whole; `light` words tell nothing by themselves."""
    names, wordings = set[str](), list[tuple[frozenset[str], ...]]()
    for phrase in map(words_of, _short_forms(relation)):
        told = _telling(phrase, light)
        names.update(told)
        wordings += [] if told else [tuple(frozenset({word}) for word in phrase)]
    for texts in relation.phrasing.none_templates.values():
        for needed in (compiler.template(relation, text).needed for text in texts):
            phrases = [options for options in needed if options.isdisjoint(light)]
            names.update(*phrases)
            wordings += [] if phrases else [needed]
    names.update(word for header in relation.phrasing.headers for word in _telling(words_of(header), light))
    names.update([word for word, meant in short.items() if not names.isdisjoint(words_of(meant))])
    return _Kind(names=frozenset(names), wordings=tuple(wordings))


def _telling(words: Iterable[str], light: Collection[str]) -> list[str]:
    return [word for word in words if word[0].isalnum() and word not in light]


def _holds(words: Iterable[str], names: Collection[str]) -> bool:
    """Whether one of the words is a name, or a name misspelt."""
    return any(word in names or _is_misspelt(word, names) for word in words)


def _is_misspelt(word: str, names: Collection[str]) -> bool:
    if len(word) < _FORGIVEN:
        return False
    alike = (name for name in names if name[0] == word[0] and len(name) >= _FORGIVEN)
    return any(OSA.distance(word, name, score_cutoff=1) <= 1 for name in alike)
