"""Whom each part of a text is about, by the word that it begins with: "Dad can't have sulfa, and mum reacts to iodine".

Knows words for relatives, names and pronouns at the head of a clause, and who is called so; nothing of what is said.
Where nothing names a person, the part belongs to whoever the call is about.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from r_memory.domain.facts import Entity, Span
from r_memory.domain.identity import identity_key
from r_memory.domain.once import once_for
from r_memory.domain.schema import Schema
from r_memory.reading.actions.ordinary import ordinary_words
from r_memory.reading.language import Phrases, listed, paired
from r_memory.text.cutting import words_of

_QUOTES = str.maketrans("\u2018\u2019\u201c\u201d", "''\"\"")
_TOKEN = re.compile(r"[^\W_]+(?:['.-][^\W_]+)*|[.,;:!?\n()]")
_ENDS = frozenset(".!?;\n")
SPEAKER = "(speaker)"
"""Stands for the word of a part in which the speaker says "I"."""
_PIECE = re.compile(r"\{(\w+)\}|\(([^)]*)\)(\?)?|(\$)|(\S+)")
_OPENED, _CLOSED = r"\(", r"\)"
_SPACE = r"[,:]?\s[\"'(]?"
"""Pattern between two words of a form."""
_LONGEST = 3
"""Most words of a name or alias."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SpokenPart:
    """A stretch of a text about one person."""

    span: Span
    word: str = ""
    """Name, alias or word for a relative at its head, in small letters; `SPEAKER` for "I"; empty if no person is
    named."""
    said: str = ""
    """The word as written."""
    third: bool = False
    """It holds a pronoun of the third person."""
    knowing: bool = False
    """The speaker says in it what they know: "none that I know of"."""
    others: bool = False
    """It holds a word for somebody beside or instead of the subject."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Company:
    """The persons whom the words of one speaker may mean."""

    people: Mapping[str, tuple[Entity, ...]] = field(default_factory=dict)
    """Name or alias in small letters, to the persons with that name; the subject included."""
    apart: bool = False
    """The speaker is known to be another person than the subject."""
    assumed: bool = False
    """No label names the speaker, so that `apart` is only likely."""
    by: str = ""
    """The recorded speaker of the aliases; empty for the owner, and for an unknown speaker."""
    owner: bool = False
    """The subject is the owner, and speaks: a clause about anybody else is not about the subject."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Elsewhere:
    """A part about another person than the subject."""

    part: SpokenPart
    people: tuple[Entity, ...] = ()
    """The persons whom it may mean; empty if none is known by that name."""
    contested: bool = False
    """It may be about the subject, as may another part with a different word for a person."""
    beside_owner: bool = False
    """The owner says it of another person, and the caller read it of the owner; notes of it are the owner's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Division:
    """A text divided into parts about persons."""

    parts: tuple[SpokenPart, ...] = ()
    elsewhere: tuple[Elsewhere, ...] = ()
    called: frozenset[str] = frozenset()
    """Words for a relative that mean the subject."""
    relatives: frozenset[str] = frozenset()
    """Words for relatives at the head of a part that are not known to mean the subject."""
    apart: bool = False
    """The speaker is known to be another person than the subject."""
    speaks_for: bool = False
    """The speaker is a relative who speaks for the subject; a child may as well speak of itself."""
    likely_apart: bool = False
    """As `apart`, or the installation makes it likely: enough for an absence to wait."""
    by: str = ""
    """The recorded speaker of the aliases."""
    aliases: tuple[tuple[str, Span], ...] = ()
    """The aliases that the text gives to the subject, with their places."""
    introduced: tuple[Entity, ...] = ()
    """Other persons to whom the text gives an alias."""

    def own(self, text: str) -> str:
        """Returns the text with blanks in place of parts about others, so that offsets stay."""
        for each in self.elsewhere:
            span = each.part.span
            text = text[: span.start] + " " * (span.end - span.start) + text[span.end :]
        return text

    def of(self, span: Span) -> Elsewhere | None:
        """Returns the part about another person at the place; `None` if the words are about the subject."""
        found = (each for each in self.elsewhere if each.part.span.start <= span.start < each.part.span.end)
        return next(found, None)

    def of_another(self, span: Span) -> bool:
        """Whether a word for a relative, not known to be the subject, heads the part at the place."""
        part = self._part(span)
        return part is not None and part.word in self.relatives

    def unsaid(self, span: Span, *, read: bool) -> bool:
        """Whether it is open whom the place is about.

        `read`: a voice that counts reads it of the subject. From a relative who speaks for the subject that is enough,
        unless the words or those before them hold somebody else.
        """
        at = next((at for at, part in enumerate(self.parts) if part.span.start < span.end <= part.span.end), None)
        if at is None or self.parts[at].others:
            return True
        part, before = self.parts[at], self.parts[max(at - 1, 0) : at]
        if part.word not in {"", SPEAKER} or part.third:
            return False
        alone = not any(each.others or each.word in self.relatives for each in before)
        return part.word == SPEAKER or not (read and alone and (self.speaks_for or part.knowing))

    def _part(self, span: Span) -> SpokenPart | None:
        """Returns the part of the last word at the place, as evidence may begin too early."""
        return next((part for part in self.parts if part.span.start < span.end <= part.span.end), None)


WHOLE = Division()
"""An undivided text."""


class Whose:
    """Divides texts by person, in one language."""

    def __init__(self, schema: Schema) -> None:
        def words(*path: str) -> frozenset[str]:
            return frozenset(listed(schema.language, *path))

        def texts(name: str) -> frozenset[str]:
            """Returns a list about persons of all other languages."""
            return frozenset(word for other in schema.languages.values() for word in listed(other, "persons", name))

        def table(name: str) -> dict[str, frozenset[str]]:
            return {key: words("persons", name, key) for key in listed(schema.language, "persons", name)}

        called = table("called")
        self._same = {other: word for word, others in called.items() for other in others}
        self._same |= {
            other: word
            for language in schema.languages.values()
            for other, word in paired(language, "persons", "kin")
            if other not in words("not_a_name")
        }
        blood = words("persons", "female_kin") | words("persons", "male_kin")
        self._called = {
            word: frozenset(other for other, of in self._same.items() if of == word) for word in {*self._same.values()}
        }
        """By the word under which a relative is stored: the other words for that relative."""
        self._kin = blood | {other for other, word in self._same.items() if word in blood}
        self._near = words("persons", "female_partners") | words("persons", "male_partners") | frozenset(called)
        self._near |= frozenset(self._same) - self._kin
        self._mine = words("kin_possessives", "mine") | texts("mine")
        self._third = words("persons", "she") | words("persons", "he") | words("persons", "they")
        self._reporters, self._is = words("persons", "reporter_verbs"), words("whose", "is")
        self._acting = words("persons", "helping") | words("persons", "acting") | texts("acting")
        self._being = words("persons", "being") | words("whose", "being")
        self._between = words("persons", "between")
        self._guests, self._counting = words("whose", "guests"), words("whose", "counting")
        self._myself = words("persons", "speaker") - words("kin_possessives", "mine")
        self._of_them, self._one_person = words("whose", "of_them"), words("persons", "she") | words("persons", "he")
        self._joins, self._listing = words("whose", "joins"), words("whose", "listing")
        self._verbs, self._endings = words("whose", "verbs"), tuple(words("whose", "endings"))
        self._negated, self._contracted = tuple(words("whose", "negated")), tuple(words("whose", "contracted"))
        self._mine_or_theirs = self._mine | words("kin_possessives", "theirs") | texts("mine")
        self._together = words("persons", "together") | texts("together")
        self._together |= words("persons", "speaker") | self._third | words("whose", "listing")
        self._shared = Phrases((words_of(each), each) for each in listed(schema.language, "whose", "shared"))
        self._joining = self._together - self._mine_or_theirs - self._third - words("persons", "speaker")
        self._abroad = texts("together") - ordinary_words()
        self._i, self._states = words("whose", "speaker"), words("whose", "states")
        self._knowing = Phrases((words_of(each), each) for each in listed(schema.language, "whose", "knowing"))
        self._several = Phrases((words_of(each), each) for each in listed(schema.language, "whose", "several"))
        self._strangers = words("persons", "other") | self._guests
        self._another, self._themselves = words("persons", "another"), words("whose", "of_themselves")
        self._reporting_that, self._speaks_for = words("whose", "reporting_that"), table("speaks_for")
        self._nobody = words("not_a_name") | words("persons", "no_persons") | words("persons", "subject_nouns")
        self._nobody |= words("persons", "speaker") | self._third | words("names", "never")
        self._nobody |= schema.lexicon.words
        self._forms = listed(schema.language, "whose", "introductions")
        self._introducing = re.compile(rf"\b(?:{_any(words('whose', 'introducing'))})\b")
        self._names_parties = schema.family is None or schema.family.to in {"", *schema.family.sources}
        """Whoever is named may be what a fact is of: a party, an issuer."""
        self._relatives, self._clinicians = words("persons", "relatives"), words("persons", "clinicians")
        self._bystanders = words("persons", "bystanders") | self._guests

    def canonical(self, word: str) -> str:
        """Returns the word by which a relative is stored: "mother" for "mum"; any other word unchanged."""
        return self._same.get(word, word)

    def is_relative(self, word: str) -> bool:
        """Whether the word names a relative."""
        return word in self._kin or word in self._near

    def synonyms(self, word: str) -> frozenset[str]:
        """Returns the words for the same relative ("mother", "mum", "mom"); for any other word only itself."""
        canonical = self.canonical(word)
        return self._called.get(canonical, frozenset()) | {canonical, word}

    def are_shared(self, text: str) -> bool:
        """Whether the words say that they hold for others as well ("both", "so am I"), or the speaker is in them."""
        words = [self._bare([found.group().casefold()])[0] for found in _TOKEN.finditer(text.translate(_QUOTES))]
        apart = self._abroad | self._joining | self._i | self._myself
        return self._shared.stand_in(words) or not apart.isdisjoint(words)

    def is_alone(self, text: str, part: Span, person: Entity, other: Entity, read: Sequence[Span]) -> bool:
        """Whether a part of a text is about one person and plainly not about the other.

        Its sentence names the person before the part ends, or it begins with the only word for a relative in it ("Dad
        reacts …"); the sentence names nobody else up to there; and neither it nor what was not `read` of it and of the
        next says that it holds for others as well: "Ben is allergic to latex. So am I."
        """
        text = text.translate(_QUOTES)
        tokens = list(_TOKEN.finditer(text))
        words = [self._bare([token.group().casefold()])[0] for token in tokens]
        ends = [at for at, word in enumerate(words) if word in _ENDS]
        begin = max((at + 1 for at in ends if tokens[at].start() < part.start), default=0)
        told = [at for at in range(begin, len(words)) if tokens[at].start() < part.end]
        names, others = (set(_TOKEN.findall(each.name.casefold())) for each in (person, other))
        named = [at for at in told if words[at] in names - others]
        relatives = [at for at in told if self.is_relative(words[at])]
        heads = [at for at in told if tokens[at].start() >= part.start][:1]
        if not named and relatives != heads:  # "my son" may be a relative of the other
            return False
        kin = {at - 1 for at in named if at and self.is_relative(words[at - 1])} if named else {*heads}
        kin |= {at for at in relatives for _, alias in self.aliases(text, person) if _holds(alias, tokens[at])}
        if any(words[at] in others - names or (words[at] in self._i | self._myself) for at in told):
            return False
        if {*relatives} - kin or any(self._joined_to(words, at, step) for at in (*named, *kin) for step in (-1, 1)):
            return False
        after = [at for at in ends if tokens[at].start() >= part.end]
        last = [*after, len(words), len(words)][1]
        left = [words[at] for at in range(begin, last) if not any(_holds(span, tokens[at]) for span in read)]
        sentence = [words[at] for at in range(begin, [*after, len(words)][0])]
        return not any(self._shared.stand_in(some) or not self._abroad.isdisjoint(some) for some in (sentence, left))

    def _joined_to(self, words: Sequence[str], at: int, step: int) -> bool:
        """Whether a name stands beside a word that joins it to another: "Anna and Ben", "Ben, with his sister"."""
        beside = at + step
        while 0 <= beside < len(words) and words[beside] == ",":
            beside += step
        return 0 <= beside < len(words) and words[beside] in self._joining

    def may_name(self, text: str, subject: Entity) -> tuple[str, ...]:
        """Returns words of a text that may be a person's name, in small letters.

        Empty if the text has no word for a relative, no capitalised head of a clause, and no introduction.
        """
        text = text.translate(_QUOTES)
        tokens = [token.group() for token in _TOKEN.finditer(text)]
        words = [token.casefold() for token in tokens]
        bare = [self._bare([word])[0] for word in words]
        capital = [token[:1].isupper() and word not in self._nobody for token, word in zip(tokens, bare, strict=True)]
        kin = [word for word in bare if self.is_relative(word)]

        def heads(at: int) -> bool:
            """Whether a name, of one word or two, begins a clause here."""
            last = at + (capital[at + 1 : at + 2] == [True])
            begins = at == 0 or words[at - 1] in _ENDS or words[at - 1] in self._joins
            return capital[at] and begins and self._acts(words, last, contracted=bare[last] != words[last])

        if not (kin or self._introducing.search(text) or any(map(heads, range(len(tokens))))):
            return ()
        names = [word for word, named in zip(bare, capital, strict=True) if named]
        pairs = [
            f"{item} {two}"
            for at, (item, two) in enumerate(pairwise(bare))
            if tokens[at][:1].isupper() and tokens[at + 1][:1].isupper()
        ]
        meant = (other for word in kin for other in self.synonyms(word))
        own = {identity_key(subject.name), *subject.name.casefold().split()}
        return tuple(word for word in dict.fromkeys((*meant, *names, *pairs)) if word not in own)

    def aliases(self, text: str, person: Entity) -> tuple[tuple[str, Span], ...]:
        """Returns the aliases that a text gives to a person, as written, with their places: "Mum is Ingrid Vogt"."""
        text = text.translate(_QUOTES)
        parts = person.name.translate(_QUOTES).split()
        names = [" ".join(parts), *(parts[:1] if len(parts) > 1 and len(parts[0]) > 1 else [])]
        if not (any(each in text for each in names) or self._introducing.search(text)):
            return ()
        slots = {
            "name": f"(?-i:{_any(names)})",
            "kin": f"(?P<alias>{_any(self._kin | self._near)})",
            "called": r"(?P<alias>(?-i:[A-Z])\w+(?: (?-i:[A-Z])\w+)?)",
        }
        found: dict[str, tuple[str, Span]] = {}
        for form in self._forms:
            for match in re.finditer(_pattern(form, slots), text, re.IGNORECASE):
                said = match["alias"]
                if self._is_said_of_another(text[: match.start()], match[0]):
                    continue
                if self.is_relative(said.casefold()) or said.casefold() not in self._nobody:
                    found.setdefault(said.casefold(), (said, Span(start=match.start(), end=match.end())))
        return tuple(found.values())

    def _is_said_of_another(self, before: str, introduced: str) -> bool:
        """Whether a relative before a comma is who was named before it: "Karl's my husband, Nelly is 12"."""
        tokens = [token.group() for token in _TOKEN.finditer(before)][-2:]
        first = [self._bare([token.casefold()]) for token in tokens]
        if "," not in introduced or not tokens:
            return False
        contracted = first[-1][1] and tokens[-1][:1].isupper() and first[-1][0] not in self._nobody
        named = tokens[0][:1].isupper() and first[0][0] not in self._nobody
        return contracted or (named and len(tokens) > 1 and first[-1][0] in self._is)

    def begins_with(self, words: str, person: Entity) -> bool:
        """Whether words begin with a person's name, or with a thing of theirs: "Otto's lamp", not "Otto's mother"."""
        said = [self._bare([token.casefold()]) for token in _TOKEN.findall(words.translate(_QUOTES))]
        names = {name for name in _TOKEN.findall(person.name.casefold()) if name not in self._nobody}
        at = next((at for at, (word, _) in enumerate(said) if word not in names), len(said))
        owns = at > 0 and said[at - 1][1]
        return at > 0 and not (owns and (at == len(said) or self.is_relative(said[at][0])))

    def divided(
        self, text: str, subject: Entity, company: Company, *, speaker: str = "", claimed: Sequence[Span] = ()
    ) -> Division:
        """Returns the parts of a text, and which of them are about another person than the subject.

        `claimed` are the places that the caller read as a risk of the subject.
        """
        parts = tuple(self._parts(text, company))
        people = self._people(company)
        only = {word: tuple(of) == (subject.uid,) for word, of in people.items()}
        by = self._by(speaker)
        professional = not self._labels(speaker).isdisjoint(self._clinicians)
        said = {self.canonical(part.word) for part in parts if self.is_relative(part.word)}
        called = frozenset(word for word in said if only.get(word))
        apart = (company.apart or by is not None or bool(called)) and not professional
        sure = apart and (not company.assumed or by is not None or bool(called))
        kin = said - people.keys()
        # The owner's relatives are never the owner.
        read = set[str]() if company.owner else kin & self._claimed(parts, claimed)
        may_be = {word for word in kin if not by or word in by} if apart and not called else set()
        settled = read if len(read) == 1 else may_be if len(may_be) == 1 else set()
        contested = (read if len(read) > 1 else may_be) - settled
        meant = called | settled
        own = meant | (by or frozenset()) | {word for word in only if only[word]}
        parts = tuple(self._with_others(text, part, own, people) for part in parts)

        def elsewhere(part: SpokenPart) -> Elsewhere | None:
            word = self.canonical(part.word)
            relative = self.is_relative(part.word)
            if word == SPEAKER:
                return Elsewhere(part=part) if sure and self._is_own(text, part, company) else None
            if not word or only.get(word) or word in meant:
                return None
            if word in people:
                routed = apart or bool(meant) if relative else not self._names_parties
                return Elsewhere(part=part, people=tuple(people[word].values())) if routed else None
            if relative and meant:
                return Elsewhere(part=part)
            return Elsewhere(part=part, contested=True) if word in contested else None

        beside = (self._beside_owner(text, place, company) for place in claimed) if company.owner else ()
        named = {each.part.span: each for each in (*map(elsewhere, parts), *beside) if each is not None}.values()
        others = {item.uid: item for of in people.values() for item in of.values() if item.uid != subject.uid}.values()
        return Division(
            parts=parts,
            by=company.by,
            aliases=self.aliases(text, subject),
            introduced=tuple(other for other in others if self.aliases(text, other)),
            elsewhere=tuple(sorted(named, key=lambda each: each.part.span.start)),
            called=called | (settled & may_be),
            relatives=frozenset(
                part.word
                for part in parts
                if self.is_relative(part.word) and self.canonical(part.word) not in meant | {*filter(only.get, only)}
            ),
            apart=sure,
            speaks_for=sure and by is not None and self._labels(speaker).isdisjoint(self._themselves),
            likely_apart=apart,
        )

    def _claimed(self, parts: Iterable[SpokenPart], claimed: Sequence[Span]) -> set[str]:
        """Returns the words for relatives of the parts in which one of these places is."""
        held = (part for part in parts if any(part.span.start <= span.start < part.span.end for span in claimed))
        return {self.canonical(part.word) for part in held}

    def _beside_owner(self, text: str, place: Span, company: Company) -> Elsewhere | None:
        """Returns the clause at a place of the owner's words if it is about another person; `None` if it is not."""
        tokens = list(_TOKEN.finditer(text.translate(_QUOTES)))
        words = [token.group().casefold() for token in tokens]
        found: tuple[int, str, str] | None = None
        for at, token in enumerate(tokens):
            opens = at == 0 or words[at - 1] in _ENDS
            if token.start() > place.start:
                break
            found = None if opens else found
            if opens or words[at - 1] in self._joins:
                named = self._head_beside(text, tokens, at, company)
                found = (at, *named) if named is not None else found
        if found is None or found[1] == SPEAKER:
            return None
        at, word, said = found
        behind = range(at + 1, len(tokens))
        ends = (
            tokens[other].start()
            for other in behind
            if tokens[other].start() >= place.end
            and (
                words[other] in _ENDS
                or (
                    other + 1 < len(tokens)
                    and words[other] in self._joins
                    and self._head_beside(text, tokens, other + 1, company) is not None
                )
            )
        )
        end = next(ends, len(text))
        told = (sign for token, sign in zip(tokens, words, strict=True) if tokens[at].start() <= token.start() < end)
        if not self._myself.isdisjoint(told):  # "my friend made a curry, the peanuts gave me hives"
            return None
        part = SpokenPart(span=Span(start=tokens[at].start(), end=end), word=word, said=said, third=True)
        return Elsewhere(part=part, people=company.people.get(word, ()), beside_owner=True)

    def _head_beside(
        self, text: str, tokens: Sequence[re.Match[str]], at: int, company: Company
    ) -> tuple[str, str] | None:
        """Returns the person whom a clause begins with, and the words for them; `None` if it names none."""
        words = [token.group().casefold() for token in tokens]
        if (head := self._head(words, at, company)) is not None:
            word, begin, end = head
            return word, text[tokens[begin].start() : tokens[end].end()]
        last = at
        while last + 1 < len(words) and words[last] in self._counting:
            last += 1
        bare, contracted = self._bare(words[last : last + 1])
        first, before = tokens[at], frozenset(words[:at])
        of_them = words[at] in self._of_them and not before.isdisjoint(self._guests)
        if of_them and self._acts(words, at, contracted=False):
            return words[at], first.group()
        if bare in self._guests or words[at] in self._one_person or self._is_name(tokens, at):
            end = last if bare in self._guests else at
            end += end + 1 < len(tokens) and self._is_name(tokens, end + 1)
            named, short = self._bare(words[end : end + 1])
            if self._acts(words, end, contracted=short or (contracted and end == last)):
                return named, text[first.start() : tokens[end].end()]
        return None

    def _is_name(self, tokens: Sequence[re.Match[str]], at: int) -> bool:
        """Whether a word is written as a name and is no other word that is known."""
        word = tokens[at].group()
        bare, _ = self._bare([word.casefold()])
        return word[:1].isupper() and bare.isalpha() and bare not in self._nobody and bare not in ordinary_words()

    def _people(self, company: Company) -> Mapping[str, Mapping[str, Entity]]:
        """Returns the entities by uid for each word, a relative's synonyms joined."""
        people: defaultdict[str, dict[str, Entity]] = defaultdict(dict)
        for word, of in company.people.items():
            people[self.canonical(word)] |= {item.uid: item for item in of}
        return {word: dict(sorted(of.items())) for word, of in people.items()}

    def _labels(self, speaker: str) -> frozenset[str]:
        return frozenset(re.findall(r"[^\W\d_]+", speaker.casefold()))

    def _by(self, speaker: str) -> frozenset[str] | None:
        """Returns a relative's words for the subject; `None` if the label is no relative's."""
        labels = self._labels(speaker) & self._relatives
        if not labels or self._names_parties:  # where parties are what facts are of, a partner is a lawyer
            return None
        return frozenset().union(*(self._speaks_for.get(self.canonical(label), frozenset()) for label in labels))

    def speaks_for_the_subject(self, speaker: str) -> bool:
        """Whether a speaker with this label is the subject or a professional: no relative, and nobody beside them."""
        return self._by(speaker) is None and self._labels(speaker).isdisjoint(self._bystanders)

    def _is_own(self, text: str, part: SpokenPart, company: Company) -> bool:
        """Whether the speaker states something only of themselves in this part."""
        own = text[part.span.start : part.span.end].translate(_QUOTES)
        words = [token.group().casefold() for token in _TOKEN.finditer(own)]
        states = any(word in self._states for word in words[:2])
        others = part.third or any(self.is_relative(word) or word in company.people for word in words[1:])
        return states and not others

    def _with_others(self, text: str, part: SpokenPart, own: Collection[str], people: Collection[str]) -> SpokenPart:
        """Returns a part, with whether it holds a word for anybody but the subject, whom the words `own` mean."""
        said = words_of(text[part.span.start : part.span.end].translate(_QUOTES).casefold())
        known = {at for found in self._knowing.every(said) for at in range(found.start, found.end)}
        words = [word for at, word in enumerate(said) if at not in known]
        if part.word == SPEAKER:
            own_words = not self._states.isdisjoint(words[:_LONGEST])
        else:
            unnamed = not (part.word or part.third)
            own_words = unnamed and not self._myself.union(self._mine).isdisjoint(words)
        behind = words[1:] if part.word else words
        named = [(before, self.canonical(word)) for before, word in zip(["", *behind], behind, strict=False)]
        others = self._several.stand_in(words) or any(
            word in self._strangers
            or ((self.is_relative(word) or word in people) and (word not in own or before in self._another))
            for before, word in named
        )
        return replace(part, others=own_words or others, knowing=bool(known))

    def _parts(self, text: str, company: Company) -> Iterator[SpokenPart]:
        tokens = list(_TOKEN.finditer(text.translate(_QUOTES)))
        words = [token.group().casefold() for token in tokens]
        begins: list[tuple[int, str, str]] = []
        for at in range(len(tokens)):
            opens = at == 0 or words[at - 1] in _ENDS
            follows = opens or words[at - 1] in self._joins or self._reported(words, at)
            head = self._head(words, at, company) if follows and words[at] not in _ENDS else None
            if head is not None:
                word, first, last = head
                said = text[tokens[first].start() : tokens[last].end()]
                begins.append((tokens[at].start(), word, said))
            elif opens and words[at] not in _ENDS and self._bare([words[at]])[0] not in self._third:
                begins.append((tokens[at].start(), "", ""))
        if not begins or begins[0][0] > (tokens[0].start() if tokens else 0):
            begins.insert(0, (0, "", ""))
        ends = [*(start for start, _, _ in begins[1:]), len(text)]
        for (start, word, said), end in zip(begins, ends, strict=True):
            within = (
                self._bare([word])[0] for token, word in zip(tokens, words, strict=True) if start <= token.start() < end
            )
            yield SpokenPart(
                span=Span(start=start, end=end), word=word, said=said, third=not self._third.isdisjoint(within)
            )

    def _reported(self, words: Sequence[str], at: int) -> bool:
        """Whether a word of reporting stands before: "mum says dad is allergic"."""
        return words[at - 1] in self._reporters or (
            words[at - 1] in self._reporting_that and words[max(at - 2, 0)] in self._reporters
        )

    def _head(self, words: Sequence[str], at: int, company: Company) -> tuple[str, int, int] | None:
        """Returns the word at the head of a clause, with its first and last token; `None` if it names no person."""
        if words[at] in self._i:
            return SPEAKER, at, at
        owned = words[at] in self._mine
        first = at + owned
        for length in range(_LONGEST, 0, -1):
            bare, contracted = self._bare(words[first : first + length])
            last = first + length - 1
            known = bare in company.people
            kin = length == 1 and (bare in self._kin or (owned and bare in self._near))
            if (known or kin) and last < len(words) and self._acts(words, last, contracted=contracted):
                return bare, first, last
        return None

    def _acts(self, words: Sequence[str], last: int, *, contracted: bool) -> bool:
        """Whether the clause is about the named person."""
        behind = [word for word in words[last + 1 : last + 4] if word not in self._between]
        following = words[last + 1 : last + 2]
        if contracted:
            return bool(following) and (following[0] in self._being or following[0] in self._between)
        if not following or following[0] in self._joins | self._listing | self._reporters:
            return False
        return following[0] == ":" or bool(behind and self._is_verb(behind[0]))

    def _is_verb(self, word: str) -> bool:
        """Whether the word is a verb of a person, denied or not: "has", "can't", "reacts"."""
        stems = (word.removesuffix(ending) for ending in self._negated)
        known = word in self._acting or word in self._verbs or any(stem in self._verbs for stem in stems)
        return known or (word.isalpha() and word.endswith(self._endings))

    def _bare(self, words: Sequence[str]) -> tuple[str, bool]:
        """Returns the words without a contracted verb at their end, and whether there was one."""
        text = " ".join(words)
        ending = next((each for each in self._contracted if text.endswith(each)), "")
        return text.removesuffix(ending), bool(ending)


whose_under = once_for(Whose)
"""Returns what divides texts under a schema."""


def _holds(span: Span, token: re.Match[str]) -> bool:
    return span.start <= token.start() and token.end() <= span.end


def _any(texts: Iterable[str]) -> str:
    """Returns a pattern for any of the texts, the longest first; it matches nothing if there are none."""
    return "|".join(sorted(map(re.escape, texts), key=len, reverse=True)) or "(?!)"


def _pattern(form: str, slots: Mapping[str, str]) -> str:
    """Returns a form as a pattern.

    A form holds words, `{slot}`, `(one|of these)` and `(either)?`; `$`: no possessive follows.
    """
    pattern, glue = r"(?<!\w)", ""
    for slot, options, optional, ends, word in _PIECE.findall(form):
        if ends:
            return rf"{pattern}\b(?!'s)"
        said = slots[slot] if slot else _any(options.split("|")) if options else re.escape(word.removeprefix("\\"))
        said = re.sub(r"\\{(\w+)\\}", lambda found: slots[found[1]], said)
        if word in {_OPENED, _CLOSED} or (word or options).startswith("'"):
            pattern += f"{_SPACE if word == _OPENED else ''}(?:{said})"
        elif optional:
            pattern += f"(?:{glue}(?:{said}))?" if glue else f"(?:(?:{said}){_SPACE})?"
            continue
        else:
            pattern += f"{glue}(?:{said})"
        glue = "" if word == _OPENED else _SPACE
    return rf"{pattern}(?!\w)"
