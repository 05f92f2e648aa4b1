"""Whom each part of a text is about, by the word that it begins with: "Dad can't have sulfa, and mum reacts to iodine".

Knows words for relatives, names and pronouns at the head of a clause, and who is called so; nothing of what is said.
Where nothing names a person, the part belongs to whoever the call is about.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from r_memory.domain.facts import Entity, Span
from r_memory.domain.schema import Schema
from r_memory.reading.language import listed

_TOKEN = re.compile(r"[^\W_]+(?:['’.-][^\W_]+)*|[.,;:!?\n()]")  # noqa: RUF001 - typographic apostrophes are meant
_ENDS = frozenset(".!?;\n")
_JOINS = frozenset({",", "and", "but", "while", "whereas", "so", "then"})
_IS = frozenset({"'s", "’s"})  # noqa: RUF001 - as above
_MODAL = re.compile(
    r"(?:is|are|was|were|has|had|have|can|could|must|should|may|might|will|would|does|do|did|wo|ca|need|needs)(?:n['’]?t|not)?"  # noqa: RUF001 - as above
)
SPEAKER = "i"
"""The word of a part that the speaker says of themselves."""
_STATES = frozenset({"am", "have", "had", "take", "carry", "react", "get", "wear"})
_LONGEST = 3
"""Words of a name or alias."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """Words about one person."""

    span: Span
    word: str = ""
    """The name, alias or word for a relative at its head, in small letters; `i` for the speaker; empty for nobody."""
    said: str = ""
    """The same as written."""
    third: bool = False
    """A pronoun of the third person stands in it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Company:
    """Whom the words of one speaker may mean."""

    people: Mapping[str, tuple[Entity, ...]] = field(default_factory=dict)
    """Name or alias, in small letters, to those who are called so, the subject included."""
    apart: bool = False
    """The speaker is known to be somebody else than the subject."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Elsewhere:
    """A part that is about somebody else than the subject."""

    part: Part
    people: tuple[Entity, ...] = ()
    """Whom it may mean; nobody where nobody known is called so."""
    contested: bool = False
    """It may as well be the subject: another word of the text may be too, and they are not one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Division:
    """A text, divided by person."""

    parts: tuple[Part, ...] = ()
    elsewhere: tuple[Elsewhere, ...] = ()
    called: frozenset[str] = frozenset()
    """Words for a relative that mean the subject."""
    relatives: frozenset[str] = frozenset()
    """Those at the head of a part that are not known to mean the subject."""
    apart: bool = False

    def own(self, text: str) -> str:
        """The text with blanks for what is about others, so that places stay."""
        for each in self.elsewhere:
            span = each.part.span
            text = text[: span.start] + " " * (span.end - span.start) + text[span.end :]
        return text

    def of(self, span: Span) -> Elsewhere | None:
        """Whose the words at the place are, if they are somebody else's."""
        found = (each for each in self.elsewhere if each.part.span.start <= span.start < each.part.span.end)
        return next(found, None)

    def of_another(self, span: Span) -> bool:
        """Whether a word for a relative, who is not known to be the subject, says whom the place is about."""
        part = self._part(span)
        return part is not None and part.word in self.relatives

    def unsaid(self, span: Span) -> bool:
        """Whether no word says whom the words at the place are about."""
        part = self._part(span)
        return part is None or not (part.word or part.third)

    def _part(self, span: Span) -> Part | None:
        """The part of the last of the words at the place: evidence may begin before what it says."""
        return next((part for part in self.parts if part.span.start < span.end <= part.span.end), None)


WHOLE = Division()
"""Of a text that nothing divides."""


class Whose:
    """Divides texts under one language."""

    def __init__(self, schema: Schema) -> None:
        def words(*path: str) -> frozenset[str]:
            return frozenset(listed(schema.language, *path))

        def table(name: str) -> dict[str, frozenset[str]]:
            return {key: words("persons", name, key) for key in listed(schema.language, "persons", name)}

        called = table("called")
        self._same = {other: word for word, others in called.items() for other in others}
        blood = words("persons", "female_kin") | words("persons", "male_kin")
        self._kin = blood | {other for other, word in self._same.items() if word in blood}
        self._near = words("persons", "female_partners") | words("persons", "male_partners") | frozenset(called)
        self._near |= frozenset(self._same) - self._kin
        self._mine = words("kin_possessives", "mine")
        self._third = words("persons", "she") | words("persons", "he") | words("persons", "they")
        self._reporters = words("persons", "reporter_verbs")
        self._acting = words("persons", "helping") | words("persons", "acting")
        self._being = words("persons", "being") | {"got", "had", "been", "on", "not", "also", "a", "severely", "very"}
        self._between = words("persons", "between")
        self._speaks_for = table("speaks_for")
        self._relatives, self._clinicians = words("persons", "relatives"), words("persons", "clinicians")

    def canonical(self, word: str) -> str:
        """The word by which a relative is stored: "mother" for "mum"; any other as it is."""
        return self._same.get(word, word)

    def is_relative(self, word: str) -> bool:
        """Whether it is a word for a relative."""
        return word in self._kin or word in self._near

    def may_name(self, text: str) -> tuple[str, ...]:
        """Words of a text that may be what somebody is called, in small letters."""
        tokens = [token.group() for token in _TOKEN.finditer(text)]
        bare = [token.removesuffix("'s").removesuffix("’s") for token in tokens]  # noqa: RUF001 - as above
        single = [word for word in bare if word[:1].isupper() or self.is_relative(word.casefold())]
        pairs = [f"{one} {two}" for one, two in pairwise(bare) if one[:1].isupper() and two[:1].isupper()]
        return tuple(dict.fromkeys(word.casefold() for word in (*single, *pairs)))

    def divided(
        self, text: str, subject: Entity, company: Company, *, speaker: str = "", claimed: Sequence[Span] = ()
    ) -> Division:
        """The parts of a text, and which are about somebody else than the subject.

        `claimed` are the places of what the caller read as a risk of the subject's.
        """
        parts = tuple(self._parts(text, company))
        by = self._by(speaker)
        professional = not self._labels(speaker).isdisjoint(self._clinicians)
        apart = (company.apart or by is not None) and not professional
        own = frozenset(word for word, people in company.people.items() if [one.uid for one in people] == [subject.uid])
        called = frozenset(self.canonical(word) for word in own if self.is_relative(word))
        kin = {self.canonical(part.word) for part in parts if self.is_relative(part.word)} - {
            self.canonical(word) for word in company.people
        }
        read = {
            self.canonical(part.word)
            for part in parts
            if any(part.span.start <= span.start < part.span.end for span in claimed)
        } & kin
        may_be = {word for word in kin if (by is None or not by or word in by)} if apart and not called else set()
        settled = read if len(read) == 1 else may_be if len(may_be) == 1 else set()
        contested = (read if len(read) > 1 else may_be) - settled

        def elsewhere(part: Part) -> Elsewhere | None:
            if not part.word:
                return None
            if part.word == SPEAKER:
                return Elsewhere(part=part) if apart and self._is_own(text, part, company) else None
            if part.word in company.people:
                people = company.people[part.word]
                return None if [one.uid for one in people] == [subject.uid] else Elsewhere(part=part, people=people)
            word = self.canonical(part.word)
            if called:
                return None if word in called else Elsewhere(part=part)
            if settled:
                return None if word in settled else Elsewhere(part=part)
            return Elsewhere(part=part, contested=True) if word in contested else None

        found = tuple(each for part in parts if (each := elsewhere(part)) is not None)
        meant = called | settled
        return Division(
            parts=parts,
            elsewhere=found,
            called=called | (settled & may_be),
            relatives=frozenset(
                part.word
                for part in parts
                if self.is_relative(part.word) and self.canonical(part.word) not in meant and part.word not in own
            ),
            apart=apart,
        )

    def _labels(self, speaker: str) -> frozenset[str]:
        return frozenset(re.findall(r"[^\W\d_]+", speaker.casefold()))

    def _by(self, speaker: str) -> frozenset[str] | None:
        """The words by which a relative of this label means the subject; `None` for a label that is no relative's."""
        labels = self._labels(speaker) & self._relatives
        if not labels:
            return None
        return frozenset().union(*(self._speaks_for.get(self.canonical(label), frozenset()) for label in labels))

    def _is_own(self, text: str, part: Part, company: Company) -> bool:
        """Whether the speaker states something of themselves in it, and of nobody else."""
        words = [token.group().casefold() for token in _TOKEN.finditer(text[part.span.start : part.span.end])]
        states = bool(words) and (words[0] in {"i'm", "i’m", "i've", "i’ve"} or (words[1:2] and words[1] in _STATES))  # noqa: RUF001 - as above
        others = part.third or any(self.is_relative(word) or word in company.people for word in words[1:])
        return bool(states) and not others

    def _parts(self, text: str, company: Company) -> Iterator[Part]:
        tokens = list(_TOKEN.finditer(text))
        words = [token.group().casefold() for token in tokens]
        begins: list[tuple[int, str, str]] = []
        for at in range(len(tokens)):
            opens = at == 0 or words[at - 1] in _ENDS
            follows = opens or words[at - 1] in _JOINS or self._reported(words, at)
            head = self._head(words, at, company) if follows and words[at] not in _ENDS else None
            if head is not None:
                word, first, last = head
                said = text[tokens[first].start() : tokens[last].end()]
                begins.append((tokens[at].start(), word, said))
            elif opens and words[at] not in _ENDS and words[at] not in self._third:
                begins.append((tokens[at].start(), "", ""))
        if not begins or begins[0][0] > (tokens[0].start() if tokens else 0):
            begins.insert(0, (0, "", ""))
        ends = [*(start for start, _, _ in begins[1:]), len(text)]
        for (start, word, said), end in zip(begins, ends, strict=True):
            within = frozenset(token.casefold() for token in _TOKEN.findall(text[start:end]))
            yield Part(span=Span(start=start, end=end), word=word, said=said, third=not self._third.isdisjoint(within))

    def _reported(self, words: Sequence[str], at: int) -> bool:
        """Behind a word of reporting: "mum says dad is allergic"."""
        return words[at - 1] in self._reporters or (
            words[at - 1] == "that" and words[max(at - 2, 0)] in self._reporters
        )

    def _head(self, words: Sequence[str], at: int, company: Company) -> tuple[str, int, int] | None:
        """The word at the head of a clause, with the place of its first token and its last."""
        if words[at] == SPEAKER or words[at].replace("’", "'") in {"i'm", "i've"}:  # noqa: RUF001 - as above
            return SPEAKER, at, at
        owned = words[at] in self._mine
        first = at + owned
        for length in range(_LONGEST, 0, -1):
            bare, contracted = _bare(words[first : first + length])
            last = first + length - 1
            known = bare in company.people
            kin = length == 1 and (bare in self._kin or (owned and bare in self._near))
            if (known or kin) and last < len(words) and self._acts(words, last, contracted=contracted):
                return bare, first, last
        return None

    def _acts(self, words: Sequence[str], last: int, *, contracted: bool) -> bool:
        """Whether whoever is named there is what the clause speaks of."""
        behind = [word for word in words[last + 1 : last + 4] if word not in self._between or word == "not"]
        following = words[last + 1 : last + 2]
        if contracted:
            return bool(following) and (following[0] in self._being or following[0] in self._between)
        if not following or following[0] in _JOINS or following[0] in {"or", "&"} or following[0] in self._reporters:
            return False
        if following[0] == ":":
            return True
        verb = behind[0] if behind else ""
        return bool(verb in self._acting or _MODAL.fullmatch(verb) or (verb.isalpha() and verb.endswith(("s", "ed"))))


def _bare(words: Sequence[str]) -> tuple[str, bool]:
    """The words without a contracted "is" at their end, and whether there was one."""
    text = " ".join(words)
    return (text[:-2], True) if text[-2:] in _IS else (text, False)
