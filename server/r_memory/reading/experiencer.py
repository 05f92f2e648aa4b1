"""Whom a statement is about: the subject, a relative, or somebody else.

Knows persons, possessors and who speaks; nothing of what is said about them.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import pairwise

from r_memory.domain.facts import Entity
from r_memory.reading.assertion import NamedStretch
from r_memory.reading.language import LanguagePack, PhraseMatch
from r_memory.reading.sentences import Sentence

_INTRODUCED = 2
"""Units that introduce a person: "a boy"."""
_ARTICLE = (("a",), ("an",), ("one",))
_HAVE = frozenset({"have", "had", "'ve", "got"})
_AGE = re.compile(r"\d{1,3}(?:[.,]\d{1,2})?")
_SET_OFF = frozenset({",", "(", ")"})
_PHRASE = 4
"""Words before the last one of a grammatical subject: "the lady next" of "the lady next door"."""
_OPENING = 10
"""Units at the beginning of a sentence in which a name with an age stands."""


class Who(StrEnum):
    """The person whom a statement is about."""

    SUBJECT = "subject"
    FAMILY = "family"
    OTHER = "other"
    DOUBTFUL = "doubtful"
    """The subject, or the relative mentioned just before."""
    STRANGER = "stranger"
    """A named person who is not the subject; the fact may belong to another subject."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonWord:
    """A word for a person, at one unit."""

    at: int
    who: Who
    relative: str = ""
    gender: str = ""
    """`she`, `he` or empty."""
    third: bool = False
    """A pronoun that may mean a person mentioned before."""
    mine: bool = False
    """A relative of the speaker: "my mother"."""
    reports: bool = False
    """This person only reports the fact."""
    speaks: bool = False
    """The speaker's "I"."""
    voice: bool = False
    """The "I" of a professional for the subject's side; in its own clause it may mean the professional."""
    also: tuple[str, ...] = ()
    """Relatives of whom the same statement is made: "my mother and both her sisters"."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Speaker:
    """What "I", "we" and "my mother" mean in the words of one speaker."""

    i: Who = Who.SUBJECT
    """The person whom "I" means."""
    voice: bool = False
    """The speaker is a professional for the subject's side: "we" means that side, "I" may mean either."""
    mine: Who = Who.FAMILY
    """The person whom "my mother" means."""
    by: frozenset[str] = frozenset()
    """Words of this relative for the subject ("my mother", "Mum"); empty if unknown."""
    tells_own: bool = False
    """The subject itself speaks, to its own memory: "he" and "she" are hardly ever the subject."""

    def whom(self, relative: str, *, mine: bool) -> Who:
        """Returns the person whom a relative's name means; `mine`: the speaker said "my"."""
        if self.mine is not Who.SUBJECT:
            return self.mine if mine else Who.FAMILY
        if self.by:
            return Who.SUBJECT if relative in self.by else Who.DOUBTFUL
        return Who.SUBJECT if mine else Who.DOUBTFUL


_STOPS = frozenset({",", ";", ":", "-"})
"""Marks between what an adviser says of themselves and what they say of the subject."""
_LISTING = frozenset({"and", "&", ","})
"""What stands between persons of one statement."""
NOBODY = PersonWord(at=-1, who=Who.SUBJECT)
"""The focus of a sentence after which no pronoun means a relative."""


class Experiencers:
    """Finds the persons of a sentence in one language, and whom a stretch is about."""

    def __init__(self, pack: LanguagePack, voices: Iterable[str] = ()) -> None:
        """`voices` are the labels of speakers who speak for the subject's side."""
        section = "persons"
        self._voices = frozenset(word for voice in voices for word in _parts(voice))
        self._pronouns = {word: gender for gender in ("she", "he", "they") for word in pack.words(section, gender)}
        self._simple = {
            word: who
            for name, who in (("subject_nouns", Who.SUBJECT), ("other", Who.OTHER))
            for word in pack.words(section, name)
        }
        self._another = pack.words(section, "another")
        self._speaker, self._addressed = pack.words(section, "speaker"), pack.words(section, "addressed")
        self._several = pack.words(section, "several")
        self._kin = _genders(pack, ("female_kin", "male_kin", "kin"))
        self._near = _genders(pack, ("female_partners", "male_partners", "partners"))
        called = pack.table(section, "called")
        self._relations = pack.finder({word: [word, *called.get(word, ())] for word in (*self._kin, *self._near)})
        self._called = {other: word for word, others in called.items() for other in others}
        self._of_kin = {pair: word for word, pairs in pack.table(section, "of_kin").items() for pair in pairs}
        self._sides = frozenset((word,) for word in pack.words(section, "sides"))
        self._speaks_for = {word: frozenset(of) for word, of in pack.table(section, "speaks_for").items()}
        self._not_persons = pack.phrases("not_persons")
        self._reporters = pack.words(section, "reporter_verbs")
        self._treating = pack.words(section, "treating")
        self._quoting = pack.phrases(section, "quoting")
        self._titles, self._places = pack.words(section, "titles"), pack.words(section, "places")
        self._clinicians, self._relatives = pack.words(section, "clinicians"), pack.words(section, "relatives")
        self._elses = pack.words(section, "elses")
        self._bystanders = pack.words(section, "bystanders")
        self._runs, self._history = pack.phrases(section, "run_in_family"), pack.phrases(section, "of_family")
        self._mine, self._yours = pack.words("kin_possessives", "mine"), pack.words("kin_possessives", "yours")
        self._theirs = pack.words("kin_possessives", "theirs")
        self._owning = pack.words(section, "owning")
        self._owned = pack.words("kin_possessives", "owned")
        self._unnamed = pack.words("not_a_name")
        self._helping, self._between = pack.words(section, "helping"), pack.words(section, "between")
        self._patients = pack.words(section, "patients")
        self._relative_words, self._articles = pack.words("relative_words"), frozenset({"a", "an", "some"})
        self._together = pack.words("list_connectors") | pack.words("determiners") | pack.words(section, "which_kin")
        self._sizes, self._explaining = pack.words(section, "sizes"), pack.words(section, "explaining")
        self._acting, self._being = pack.words(section, "acting"), pack.words(section, "being")
        self._banning = pack.words(section, "banning")
        self._behind_a_subject = self._between | self._helping | self._banning | pack.words(section, "abstaining")
        nobody = self._unnamed | self._reporters | pack.words(section, "no_persons")
        self._no_subject = nobody - self._clinicians

    def speaker(self, label: str, called: frozenset[str] = frozenset()) -> Speaker:
        """Returns how a speaker with this label is read: as the subject, a clinician, or a relative.

        `called` are words for a relative by which this speaker calls the subject.
        """
        if called:
            return Speaker(i=Who.FAMILY, mine=Who.SUBJECT, by=called)
        if _parts(label) & self._voices:
            # Their own family is not the subject's.
            return Speaker(mine=Who.OTHER, voice=self.is_professional(label))
        if _parts(label) & self._bystanders:
            return Speaker(i=Who.OTHER, mine=Who.OTHER)
        if self.is_professional(label):
            return Speaker(i=Who.DOUBTFUL, mine=Who.OTHER)
        if relatives := _parts(label) & self._relatives:
            words = (self._speaks_for.get(self._called.get(word, word), frozenset()) for word in relatives)
            return Speaker(i=Who.FAMILY, mine=Who.SUBJECT, by=frozenset().union(*words))
        return Speaker()

    def is_professional(self, label: str) -> bool:
        """Whether the label names a clinician, an adviser or another professional."""
        return not _parts(label).isdisjoint(self._clinicians)

    def persons(self, sentence: Sentence, speaker: Speaker, subject: Entity) -> tuple[PersonWord, ...]:
        """Returns every word for a person, in order."""
        words = sentence.words
        hidden = {at for found in self._not_persons.longest(words) for at in range(found.start, found.end)}
        found: list[PersonWord] = []
        for position in range(len(words)):
            if position in hidden or (found and position <= found[-1].at):
                continue
            person = self._person(sentence, position, speaker, subject)
            if person is not None:
                found.append(self._reporting(words, person))
        return tuple(found)

    def _person(self, sentence: Sentence, position: int, speaker: Speaker, subject: Entity) -> PersonWord | None:
        word = sentence.words[position]
        if word in self._speaker or word in self._addressed or word in self._pronouns:
            return None if self._possesses(sentence.words, position) else self._pronoun(word, position, speaker)
        if word in self._simple:
            if self._simple[word] is Who.SUBJECT and sentence.words[position - 1] in self._another:
                return PersonWord(at=position, who=Who.STRANGER)
            mine = not self._mine.isdisjoint(sentence.words[max(position - 2, 0) : position])
            return PersonWord(at=position, who=self._simple[word], mine=mine and self._simple[word] is Who.OTHER)
        return self._named(sentence, position, subject) or self._relative(sentence.words, position, speaker)

    def _possesses(self, words: Sequence[str], position: int) -> bool:
        """Whether the word only tells whose relative is meant: "her" in "her mother", "my" in "my two brothers"."""
        owner = words[position] in self._mine | self._yours | self._theirs
        following = range(position + 1, min(position + 3, len(words)))
        of_one = words[position] in self._owned and words[max(position - 1, 0)] == "of"  # "a friend of mine"
        return of_one or (owner and any(self._relations.at(words, at) is not None for at in following))

    def _pronoun(self, word: str, position: int, speaker: Speaker) -> PersonWord:
        if word in self._speaker:
            if speaker.voice and word not in self._several:
                return PersonWord(at=position, who=Who.DOUBTFUL, speaks=True, voice=True)
            relative = "relative" if speaker.i is Who.FAMILY else ""
            return PersonWord(at=position, who=speaker.i, relative=relative, speaks=True)
        if word in self._addressed:
            return PersonWord(at=position, who=Who.SUBJECT)
        gender = "" if self._pronouns[word] == "they" else self._pronouns[word]
        who = Who.DOUBTFUL if speaker.tells_own and gender else Who.SUBJECT
        return PersonWord(at=position, who=who, gender=gender, third=True)

    def _named(self, sentence: Sentence, position: int, subject: Entity) -> PersonWord | None:
        """Returns the person of a title with a name, or of a bed number:

        the subject if the name matches, else a stranger.
        """
        word, following = sentence.words[position], sentence.units[position + 1 : position + 2]
        if word in self._titles and following and following[0].capital:
            who = Who.SUBJECT if following[0].word in names_of(subject) else Who.STRANGER
            return PersonWord(at=position + 1, who=who)
        if word in self._places and following and following[0].word.isdigit():
            return PersonWord(at=position + 1, who=Who.STRANGER)
        return None

    def _relative(self, words: Sequence[str], position: int, speaker: Speaker) -> PersonWord | None:
        found = self._kin_at(words, position, speaker)
        if found is None:
            return None
        earlier = words[max(position - 3, 0) : position]
        mine = any(word in self._mine for word in earlier) or self._introduced(words, position)
        if words[found.end : found.end + 1] == ("'s",) and words[found.end + 1 : found.end + 2] in self._sides:
            named = any(self._relations.at(words, at) is not None for at in range(position))
            return None if named else PersonWord(at=found.end + 1, who=Who.FAMILY, relative="family", mine=mine)
        yours = any(word in self._yours for word in earlier)
        owned = mine or yours or any(word in self._theirs for word in earlier)
        gender = self._kin.get(found.value, self._near.get(found.value, ""))
        if found.value in self._near and not owned and (position > 1 or not gender):
            return None
        if earlier[-1:] == ("'s",) and not self._elses.isdisjoint(earlier[:-1]):
            return PersonWord(at=found.end - 1, who=Who.OTHER, gender=gender)  # "the judge's wife"
        direct = "'s" not in earlier and (mine or not owned)
        who = speaker.whom(found.value, mine=mine) if direct and (mine or position <= 1) else Who.FAMILY
        return PersonWord(at=found.end - 1, who=who, relative=found.value, gender=gender, mine=mine or yours)

    def _kin_at(self, words: Sequence[str], position: int, speaker: Speaker) -> PhraseMatch[str] | None:
        """Returns the relative named here; of a chain the resulting kin ("mother's brother" is an uncle).

        A chain that begins with the subject is none: to the patient's wife "my husband's mother" is the patient's.
        """
        found = self._relations.at(words, position)
        while found is not None and words[found.end : found.end + 1] == ("'s",):
            behind = self._relations.at(words, found.end + 1) if found.end + 1 < len(words) else None
            kin = None if behind is None else self._of_kin.get(f"{found.value} {behind.value}")
            if behind is None or kin is None or speaker.whom(found.value, mine=True) is Who.SUBJECT:
                break
            found = replace(behind, start=position, value=kin)
        return found

    def _introduced(self, words: Sequence[str], position: int) -> bool:
        """Whether a relative is the speaker's without a possessive: "I had a sister"."""
        before = words[max(position - 5, 0) : position]
        return before[-1:] in _ARTICLE and not self._speaker.isdisjoint(before) and not _HAVE.isdisjoint(before[-4:])

    def _reporting(self, words: Sequence[str], person: PersonWord) -> PersonWord:
        """Returns the person, marked as reporting if they only say so: "my wife says I am"."""
        following = words[person.at + 1 : person.at + 3]
        said_by = any(found.end == person.at for found in self._quoting.every(words[: person.at]))
        said_by = said_by or any(
            found.end == person.at - 1 and words[person.at - 1] in self._mine | self._yours | self._theirs | {"the"}
            for found in self._quoting.every(words[: person.at])
        )
        treats = person.speaks and person.who is Who.DOUBTFUL and not self._treating.isdisjoint(following)
        tells = not self._reporters.isdisjoint(following) and self._owning.isdisjoint(following[:1])  # not "was told"
        return replace(person, reports=True) if said_by or treats or tells else person

    def focus(self, persons: Sequence[PersonWord], before: PersonWord) -> PersonWord:
        """Returns the relative whom a pronoun of the next sentence may mean."""
        for person in persons:
            if person.who is Who.FAMILY and not person.reports and person.relative:
                return person
        own = any(not person.third and person.who is Who.SUBJECT for person in persons)
        return NOBODY if own else before

    def about(
        self,
        sentence: Sentence,
        persons: Sequence[PersonWord],
        focus: PersonWord,
        stretch: NamedStretch,
        subject: Entity,
    ) -> PersonWord:
        """Returns the person of a stretch: named in or by it, else the nearest person before it, else the subject."""
        named = self._of_family(sentence, persons, stretch) or self._in_clause_of(sentence, persons, stretch.first)
        named = named or self._in_or_behind(sentence, persons, focus, stretch)
        named = named or self._somebody(sentence, persons, stretch.first, subject)
        named = named or self._opened(sentence, persons, stretch.first, subject)
        return named or self._nearest(sentence, persons, focus, stretch.first, subject)

    def _in_clause_of(self, sentence: Sentence, persons: Sequence[PersonWord], first: int) -> PersonWord | None:
        """Returns a stranger for a clause about an introduced person: "I look after a boy who can't have milk"."""
        begins = sentence.clause(first)[0]
        words = sentence.words
        if begins < _INTRODUCED or words[begins] not in self._relative_words or words[begins - 1] not in self._patients:
            return None
        introduced = self._articles | {"another", "this", "every", "each"}
        some = not introduced.isdisjoint(words[max(begins - 3, 0) : begins - 1])
        subject = any(person.at < begins - 3 and person.who is Who.SUBJECT and not person.speaks for person in persons)
        verbs = not {"is", "am", "are", "was"}.isdisjoint(words[max(begins - 4, 0) : begins - 1])
        return PersonWord(at=begins - 1, who=Who.STRANGER) if some and not subject and not verbs else None

    def _of_family(self, sentence: Sentence, persons: Sequence[PersonWord], stretch: NamedStretch) -> PersonWord | None:
        """Returns a relative for "runs in the family"; a relative named behind it is preferred: "… in his mother"."""
        first, last = sentence.clause(stretch.first)
        side = self._side_behind(sentence.words, persons, first, stretch.last)
        if side is not None:
            return side
        words = sentence.words[first : max(last, stretch.last)]
        runs = self._runs.stand_in(words)
        if not runs and not self._in_history(sentence.words, persons, stretch, first):
            return None
        behind = [person for person in persons if person.at >= stretch.last and person.who is Who.FAMILY]
        if not behind or behind[0].at > stretch.last + 2:
            return PersonWord(at=stretch.first, who=Who.FAMILY, relative="family")
        joined = [self._joined(sentence.words, item, other) for item, other in pairwise(behind)]
        relative, *also = self._all_of(sentence.words, behind[: [*joined, False].index(False) + 1])
        return PersonWord(at=stretch.first, who=Who.FAMILY, relative=relative, also=tuple(also))

    def _side_behind(
        self, words: Sequence[str], persons: Sequence[PersonWord], first: int, last: int
    ) -> PersonWord | None:
        """Returns the side of the family behind the stretch: "There's diabetes all down my father's side".

        `None` if another person is named before it, or a joint stands between.
        """
        near = next((person for person in persons if person.at >= first), None)
        if near is None or near.at < last or (words[near.at],) not in self._sides or near.who is not Who.FAMILY:
            return None
        return None if {",", ";", "and", "but"} & set(words[last : near.at]) else near

    def _in_history(
        self, words: Sequence[str], persons: Sequence[PersonWord], stretch: NamedStretch, first: int
    ) -> bool:
        """Whether the stretch belongs to a "family history" heading before it, with no subject or new start between."""
        named = next(self._history.every(words[first : stretch.first]), None)
        if named is None:
            return False
        begins = first + named.end
        own = any(person.who is Who.SUBJECT for person in persons if begins <= person.at < stretch.first)
        return not own and (stretch.mention or "," not in words[begins : stretch.first])

    def _in_or_behind(
        self, sentence: Sentence, persons: Sequence[PersonWord], focus: PersonWord, stretch: NamedStretch
    ) -> PersonWord | None:
        """Returns a person inside the stretch ("gave my son hives") or struck by an event ("almost killed my aunt")."""
        inside = [
            person
            for person in persons
            if person.at in stretch.gaps and not person.reports and (stretch.event or not person.third)
        ]
        told = [person for person in persons if self._told_of(sentence.words, person, stretch)]
        if told:
            return replace(told[0], at=stretch.first)
        if inside:
            return _resolved(inside[-1], [person for person in persons if person.at < inside[-1].at], focus)
        if self._claimed(sentence.words[stretch.last : stretch.last + 3]) or self._against(sentence.words, stretch):
            return PersonWord(at=stretch.first, who=Who.SUBJECT)
        owner = self._owner(sentence.words, persons, stretch.last)
        if owner is not None:
            return owner
        end = min(stretch.last + 3, sentence.clause(stretch.last - 1)[1])
        struck = [person for person in persons if stretch.last <= person.at < end and not person.third]
        return struck[0] if stretch.event and struck and struck[0].who in {Who.FAMILY, Who.OTHER} else None

    def _owner(self, words: Sequence[str], persons: Sequence[PersonWord], last: int) -> PersonWord | None:
        """Returns the relative who owns the thing: "The sulfa allergy is my twin's", "… belongs to my wife"."""
        near = [person for person in persons if person.who is Who.FAMILY and last < person.at <= last + 4]
        if not near or words[last] not in self._owning:
            return None
        at = near[0].at
        return near[0] if "to" in words[last:at] or words[at + 1 : at + 2] == ("'s",) else None

    def _nearest(
        self, sentence: Sentence, persons: Sequence[PersonWord], focus: PersonWord, first: int, subject: Entity
    ) -> PersonWord:
        """Returns the nearest person before the stretch who does not only report; else the subject."""
        words = sentence.words
        before = [
            person
            for person in persons
            if person.at < first
            and (not person.reports or person.at == first - 1)
            and not self._aside(words, person, first)
        ]
        if "am" in words[max(first - 3, 0) : first]:  # "I live with my wife and am allergic": only "I" goes with "am"
            before = [person for person in before if words[person.at] in self._speaker] or before
        if not before:
            return PersonWord(at=first, who=Who.SUBJECT)
        told_of_one = not self._relative_words.isdisjoint(words[before[-1].at : first])  # "and my brother, who has …"
        *others, last = self._all_of(words, before[-1:] if told_of_one else before)
        if self._coordinated(words, before) or self._beside(words, before[-1].at, subject):
            return PersonWord(at=first, who=Who.SUBJECT, also=(*others, last))
        if before[-1].who is Who.FAMILY and not before[-1].third:
            return replace(before[-1], relative=last, also=tuple(others))
        nearest = _resolved(before[-1], [person for person in persons if person.at < before[-1].at], focus)
        return replace(nearest, also=tuple(others)) if nearest.who is Who.SUBJECT else nearest

    def _all_of(self, words: Sequence[str], before: Sequence[PersonWord]) -> list[str]:
        """The relatives up to the last of these persons who are named in one breath with it; empty for no relative.

        A relative's relative is called what they are to the subject: "Mum and her sister" are mother and aunt.
        """
        named = [before[-1].relative]
        for item, other in pairwise(before[::-1]):
            if other.who is not Who.FAMILY or other.third or not self._joined(words, other, item):
                break
            possessed = self._theirs.intersection(words[other.at + 1 : item.at])
            own = self._theirs.isdisjoint(words[max(other.at - 2, 0) : other.at])
            pairs = (
                self._of_kin.get(f"{other.relative} {kin}") for kin in (item.relative, item.relative.removesuffix("s"))
            )
            named[0] = next((kin for kin in pairs if kin and possessed and own), named[0])
            named.insert(0, other.relative)
        return named

    def _joined(self, words: Sequence[str], one: PersonWord, other: PersonWord) -> bool:
        """Whether only joining words stand between two persons: "my mother and both my sisters"."""
        between = words[one.at + 1 : other.at]
        joins = self._together | self._mine | self._yours | self._theirs
        return not (_LISTING | {"or"}).isdisjoint(between) and joins.issuperset(between) and "'s" not in between

    def _aside(self, words: Sequence[str], person: PersonWord, first: int) -> bool:
        """Whether a person is only mentioned in passing: "the patient, whose mother is diabetic, has gout"."""
        between = words[person.at : first]
        if person.voice:
            return not _STOPS.isdisjoint(between)
        return words[max(person.at - 1, 0)] == "whose" and "," in between

    def _coordinated(self, words: Sequence[str], before: Sequence[PersonWord]) -> bool:
        """Whether two persons share the statement, and one is the subject: "He and his brother are"."""
        if len(before) < 2 or before[-1].who is not Who.FAMILY or before[-2].who is not Who.SUBJECT:
            return False
        between = words[before[-2].at + 1 : before[-1].at]
        return between[:1] == ("and",) and len(between) <= 2

    def _beside(self, words: Sequence[str], at: int, subject: Entity) -> bool:
        """Whether a person is named in one breath with the subject: "Anna and her brother", "Anna, Tom and Ben"."""
        names, owning, joined = names_of(subject), self._theirs | self._mine | self._yours, False
        while at > 1:
            at -= 1 + (words[at - 1] in owning)
            if words[at] not in _LISTING:
                return False
            joined, at = joined or words[at] != ",", at - 1
            if words[at] in names:
                return joined
        return False

    def _claimed(self, behind: Sequence[str]) -> bool:
        """Whether the speaker claims the thing: "…the same allergy (that) I have"."""
        at = 1 if behind[:1] in {("that",), ("which",), ("as",)} else 0
        return len(behind) > at + 1 and behind[at] in self._speaker and behind[at + 1] in {"have", "had", "do"}

    def _told_of(self, words: Sequence[str], person: PersonWord, stretch: NamedStretch) -> bool:
        """Whether the wording names the speaker as the affected person: "My boss made me sign it"."""
        within = stretch.first <= person.at < stretch.last and person.at not in stretch.gaps
        return within and person.speaks and person.who is Who.SUBJECT and words[person.at] in {"me", "us"}

    def _against(self, words: Sequence[str], stretch: NamedStretch) -> bool:
        """Whether the fact binds the speaker or client: "The council have an injunction against me"."""
        near = words[max(stretch.last - 2, stretch.first) : stretch.last + 4]
        behind = near[near.index("against") + 1 :] if "against" in near else ()
        return behind[:1] in {("me",), ("us",)} or "client" in behind[:2]

    def _before_sizes(self, words: Sequence[str], at: int) -> int:
        """Returns the place before an age or a weight that ends at `at`; `at` itself if none does.

        "Ann 62 kg has no allergies" speaks of Ann, as "Ann, 79, has …" and "Ann (79) has …" do.
        """
        start = at
        while at >= 0 and (words[at] in self._sizes or words[at] in _SET_OFF or _AGE.fullmatch(words[at])):
            at -= 1
        return at if any(_AGE.fullmatch(word) for word in words[at + 1 : start + 1]) else start

    def _somebody(
        self, sentence: Sentence, persons: Sequence[PersonWord], first: int, subject: Entity
    ) -> PersonWord | None:
        """Returns a stranger if the grammatical subject of "… is allergic", "… can't" is no word for the subject."""
        at, helped = first - 1, sentence.words[first] in self._acting | self._banning
        copulas = self._helping if sentence.words[first] in self._being else self._acting
        while at >= 0 and sentence.words[at] in self._behind_a_subject:
            helped = helped or sentence.words[at] in copulas | self._banning
            at -= 1
        place, at = at, self._before_sizes(sentence.words, at)
        if at < 0 or not helped or self._is_a_thing(sentence, at, first):
            return None
        if sentence.words[at] in {"and", "but"}:  # "the donor had hepatitis and was allergic"
            verb = next((place for place in range(at - 1, 0, -1) if sentence.words[place] in self._acting), 0)
            return self._somebody(sentence, persons, verb, subject) if verb else None
        # Right before an age "Doris" is a person.
        return self._unknown(sentence, persons, at, subject, surely=at != place)

    def _is_a_thing(self, sentence: Sentence, at: int, first: int) -> bool:
        """Whether a ban is on a thing and not on a person: "the truck must not carry fuel"."""
        if self._banning.isdisjoint(sentence.words[at + 1 : first + 1]):
            return False
        phrase = sentence.words[max(at - _PHRASE, 0) : at + 1]
        return not sentence.units[at].capital and self._patients.isdisjoint(phrase)

    def _opened(
        self, sentence: Sentence, persons: Sequence[PersonWord], first: int, subject: Entity
    ) -> PersonWord | None:
        """Returns whom an age, a weight or an explanation sets off at the beginning.

        "Doris, 83, denies any allergies", "James (61): none known", "Doris, who lives next door, has none".
        """
        words = sentence.words[: min(first, _OPENING)]
        at = next((place for place in range(len(words) - 2) if words[place + 1] in _SET_OFF), -1)
        sets_off = at >= 0 and (
            words[at + 2] in self._explaining
            or any(self._before_sizes(words, place) == at for place in range(at + 2, len(words)))
        )
        name = sentence.units[: at + 1]
        if not sets_off or not (len(name) == 1 or all(unit.capital for unit in name)):
            return None
        return self._unknown(sentence, persons, at, subject, surely=True)

    def _unknown(
        self, sentence: Sentence, persons: Sequence[PersonWord], at: int, subject: Entity, *, surely: bool
    ) -> PersonWord | None:
        """Returns who the unknown word at a place is; none if it is known or no name.

        `surely` says that the place holds a name, however the word ends.
        """
        unit = sentence.units[at]
        known = (
            unit.word in self._patients | self._voices or not unit.is_word or any(person.at == at for person in persons)
        )
        loose = not surely and unit.word.endswith(("ly", "s"))
        named = unit.word[0].isdigit() or unit.mention is not None or loose
        if known or named or unit.word in self._no_subject:
            return None
        own = unit.word in names_of(subject) or self._beside(sentence.words, at, subject)
        return PersonWord(at=at, who=Who.SUBJECT if own else Who.STRANGER)


def _genders(pack: LanguagePack, names: Sequence[str]) -> dict[str, str]:
    genders = ("she", "he", "")
    return {word: gender for name, gender in zip(names, genders, strict=True) for word in pack.texts("persons", name)}


def _parts(label: str) -> set[str]:
    """Returns the words of a label such as `guest_family`."""
    return set("".join(character if character.isalpha() else " " for character in label.lower()).split())


def names_of(subject: Entity) -> frozenset[str]:
    """Returns the words of the subject's names and aliases, in small letters."""
    return frozenset(part for name in (subject.name, *subject.aliases) for part in name.casefold().split())


def _resolved(person: PersonWord, before: Sequence[PersonWord], focus: PersonWord) -> PersonWord:
    return _antecedent(person, before, focus) if person.third else person


def _antecedent(pronoun: PersonWord, before: Sequence[PersonWord], focus: PersonWord) -> PersonWord:
    """Returns the person whom "she" or "he" means: a relative mentioned just before, else the subject."""
    # A relative says "she" of the subject, never of herself: "she can't tell us, she's got dementia".
    for person in reversed(
        [word for word in before if not word.third and not (word.speaks and word.who is Who.FAMILY)]
    ):
        if person.who is Who.OTHER:
            return replace(pronoun, who=Who.OTHER if person.mine or not person.reports else Who.DOUBTFUL)
        if person.who is Who.FAMILY and _agree(pronoun.gender, person.gender):
            if person.mine:
                return replace(person, at=pronoun.at, reports=False)
            who = Who.SUBJECT if person.reports else Who.DOUBTFUL
            return replace(pronoun, who=who, relative=person.relative)
        if person.who is Who.SUBJECT and not person.speaks:
            return pronoun
    if focus.relative and focus.mine and _agree(pronoun.gender, focus.gender):
        return replace(pronoun, who=Who.FAMILY, relative=focus.relative)
    return pronoun


def _agree(pronoun: str, person: str) -> bool:
    return not pronoun or not person or pronoun == person
