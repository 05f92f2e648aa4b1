"""Which sentences of a draft for several people are about one of them alone. Pure.

A sentence is about one alone if it names that one and no other, has no word for a relative or for several people, and
begins with the name where it goes on with a pronoun. In doubt it is about all.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from r_memory.domain.facts import Entity
from r_memory.domain.schema import Schema
from r_memory.reading.language import listed
from r_memory.text.sentences import stretches

_WORD = re.compile(r"[^\W_]+(?:['\u2019-][^\W_]+)*")
_BELONGING = re.compile(r"['\u2019]s?\b")
_OF_PERSONS = (
    "female_kin", "male_kin", "female_partners", "male_partners", "partners", "kin", "they", "several", "addressed",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Shares:
    """Divides drafts among people, in one language."""

    others: frozenset[str]
    """Words for relatives and for several people."""
    pronouns: frozenset[str]

    @classmethod
    def under(cls, schema: Schema) -> "Shares":
        """The division under this schema."""

        def words(section: str, *names: str) -> frozenset[str]:
            return frozenset(chain.from_iterable(listed(schema.language, section, name) for name in names))

        persons = schema.language.sections.get("persons")
        called = persons.get("called") if isinstance(persons, Mapping) else None
        other = (word for name, more in called.items() for word in (name, *more)) if isinstance(called, Mapping) else ()
        others = words("persons", *_OF_PERSONS).union(words("drafts", "for_all"), other)
        return cls(others=others, pronouns=words("persons", "she", "he"))

    def of_one(self, text: str, people: Sequence[Entity]) -> Iterator[tuple[range, Entity, str]]:
        """The sentences of the draft that are about one of these people alone, with that one and the naming word."""
        names = {person.uid: {word for name in _names(person) for word in _folded(name)} for person in people}
        start = 0
        for sentence in stretches(text):
            place = range(start, start + len(sentence))
            start = place.stop
            told = list(_told(sentence, people, names))
            if len(told) == 1 and (name := self._name(sentence, names[told[0].uid])):
                yield place, told[0], name

    def _name(self, sentence: str, names: Collection[str]) -> str:
        """The word that names the one whom the sentence is about; empty if it may be about others."""
        said = [word[0] for word in _WORD.finditer(sentence)]
        spoken = {word.casefold() for word in said}
        of_it = [word for word in said if not _folded(word).isdisjoint(names)]
        if not all(word[:1].isupper() and word.casefold() in names for word in of_it):
            return ""  # what belongs to somebody is about another, and a word in lower case may be no name
        alone = self.others.isdisjoint(spoken.difference(names))
        begins = said[0] == of_it[0] or self.pronouns.isdisjoint(spoken)
        return of_it[0] if alone and begins else ""


def _told(sentence: str, people: Sequence[Entity], names: Mapping[str, Collection[str]]) -> Iterator[Entity]:
    """The people whom a sentence may name, by their whole name or by any word of it that is in no whole name there."""
    rest, whole = sentence, set[str]()
    for person in people:
        words = r"\s+".join(map(re.escape, person.name.split()))
        rest, times = re.subn(rf"(?<!\w){words}(?![\w'\u2019])", "", rest, flags=re.IGNORECASE)
        whole.update([person.uid] if times else [])
    parts = _folded(rest)
    yield from (person for person in people if person.uid in whole or not parts.isdisjoint(names[person.uid]))


def without(text: str, left_out: Sequence[tuple[range, str]]) -> str:
    """The draft with only the name left of each of these sentences."""
    kept, start = list[str](), 0
    for place, name in left_out:
        kept += [text[start : place.start], f"{name}.\n"]
        start = place.stop
    return "".join([*kept, text[start:]])


def _names(person: Entity) -> Iterator[str]:
    yield from (person.name, person.id, *person.aliases)


def _folded(words: str) -> frozenset[str]:
    """The words in lower case, each also without what belongs to it ("Colin's")."""
    found = [word[0].casefold() for word in _WORD.finditer(words)]
    return frozenset(chain(found, (_BELONGING.sub("", word) for word in found)))
