"""What is said of a relation: that it holds, may hold, does not, no longer does, or nothing at all.

A pure function of one sentence and the stretch of it that names the relation. Knows the cues of a language and how far
each reaches; nothing of a domain, nor of persons (`experiencer.py`).
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from r_memory.domain.facts import Status
from r_memory.domain.schema import Negation
from r_memory.reading.language import LanguagePack, PhraseMatch, Phrases
from r_memory.reading.sentences import Sentence

_BEFORE = 4
_BEHIND = 6
"""Units that may stand between a statement and what ends or refutes it."""
_LISTED = 6
"""Units behind a name within which "or" makes it part of a list of alternatives."""
_COUNTED_UP = 6
"""Units behind "side effects of" within which they are counted up."""
_NEAR = 4
"""Units within which a cue behind a statement still applies to it."""


class Kind(StrEnum):
    """What a cue says of a statement, in the terms of ConText (Harkema et al. 2009). The person: `experiencer.py`."""

    NEGATED = "negated"
    REFUTED = "refuted"
    RESOLVED = "resolved"
    LAPSED = "resolved, beside a denial"
    GOES_ON = "not resolved"
    UNCONFIRMED = "unconfirmed"
    PAST = "past"
    HISTORICAL = "historical"
    HYPOTHETICAL = "hypothetical"
    PLANNED = "planned"
    GENERAL = "general"


class CueSide(StrEnum):
    """The side of a statement on which a cue stands; named as the lists in the language file."""

    BEFORE = "forward"
    BEHIND = "backward"
    EITHER = "any"


@dataclass(frozen=True, slots=True, kw_only=True)
class AssertionCue:
    """What a phrase says, and on which side of a statement it counts."""

    kind: Kind
    side: CueSide = CueSide.BEFORE


_TABLE: Mapping[Kind, Sequence[CueSide]] = {
    Kind.NEGATED: (CueSide.BEFORE, CueSide.BEHIND),
    Kind.REFUTED: (CueSide.EITHER,),
    Kind.RESOLVED: (CueSide.BEFORE, CueSide.BEHIND, CueSide.EITHER),
    Kind.UNCONFIRMED: (CueSide.BEHIND, CueSide.EITHER),
    Kind.PAST: (CueSide.EITHER,),
    Kind.HISTORICAL: (CueSide.BEFORE, CueSide.BEHIND),
    Kind.HYPOTHETICAL: (CueSide.BEFORE,),
    Kind.PLANNED: (CueSide.BEFORE,),
    Kind.GENERAL: (CueSide.BEFORE, CueSide.BEHIND, CueSide.EITHER),
}
"""The cue lists of a language, `assertion.<kind>.<side>`.

How far each reaches: what ends or refutes, a few units within its clause or the next that only goes on about it; what
stands behind, four units without a comma; what may stand on either side, its clause; a denial, up to a stop.
"""
DENIAL = AssertionCue(kind=Kind.NEGATED)
"""A denial before the denied statement."""
_TOLD = 2
"""Units between "told" and the thing that a person was told to avoid."""
_CLAUSE = frozenset({Kind.REFUTED, Kind.RESOLVED})
SPEAKING_AGAINST = _CLAUSE | {Kind.NEGATED}
"""Cues that deny, refute or end something."""
UNREAL = frozenset({Kind.HYPOTHETICAL, Kind.GENERAL})
"""Cues of a supposition, or of what is true of people in general."""


class Act(StrEnum):
    """The speech act of words that are not a statement."""

    QUESTION = "a question"
    TAG = "a statement that asks to be confirmed"
    REQUEST = "a request"


@dataclass(frozen=True, slots=True, kw_only=True)
class Region:
    """Units `first` to `last` (excluded), which are no plain statement."""

    act: Act
    first: int
    last: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Cues:
    """Every cue and speech act of one sentence."""

    found: tuple[PhraseMatch[AssertionCue], ...]
    regions: tuple[Region, ...]

    @property
    def denials(self) -> tuple[PhraseMatch[AssertionCue], ...]:
        """The denials that stand before what they deny."""
        return tuple(cue for cue in self.found if cue.value == DENIAL)

    def say(self, kinds: Collection[Kind]) -> bool:
        """Whether any cue is of these kinds."""
        return any(cue.value.kind in kinds for cue in self.found)

    def act(self, position: int) -> Act | None:
        """Returns the speech act at the position; `None` for a statement."""
        return next((region.act for region in self.regions if region.first <= position < region.last), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedStretch:
    """The part of a sentence that names a relation."""

    first: int
    last: int
    """Index behind the last unit."""
    gaps: frozenset[int] = frozenset()
    """Units that the wording left open. A negation counts there; a negation in the wording itself does not."""
    negation: Negation = "absent"
    event: bool = False
    """It tells an event ("gave me hives"), not a state."""
    state: bool = False
    """It tells a present state, such as a medicine or an implant; a plan does not count."""
    mention: bool = False
    """It is a bare name, as an item of an enumeration."""
    within: tuple[int, int] | None = None
    """Only cues inside these units count: an item of a list has its own cues."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stance:
    """How the rules read a stretch: whether it is asserted, and with which status."""

    status: Status = Status.ACTIVE
    asserted: bool = True
    why: str = ""
    """The reason why it is not asserted, for a reviewer."""
    quiet: bool = False
    """It is not asserted and needs no review: a question or an order."""


class Assertions:
    """The cues of one language."""

    def __init__(self, pack: LanguagePack) -> None:
        section = "assertion"
        listed = [
            (pack.texts(section, kind, side), AssertionCue(kind=kind, side=side))
            for kind in _TABLE
            for side in _TABLE[kind]
        ]
        listed.append((pack.texts(section, "resolved", "denied"), AssertionCue(kind=Kind.LAPSED, side=CueSide.BEHIND)))
        self._cues: Phrases[AssertionCue] = Phrases((pack.cut(text), cue) for texts, cue in listed for text in texts)
        self._pseudo: Phrases[AssertionCue] = Phrases(
            (pack.cut(text), AssertionCue(kind=kind))
            for kind in (Kind.NEGATED, Kind.RESOLVED, Kind.HYPOTHETICAL, Kind.PLANNED, Kind.GENERAL)
            for text in pack.texts(section, kind, "pseudo")
        )
        self._effects = pack.phrases(section, Kind.GENERAL, "effects")
        self._counting_up = pack.phrases(section, Kind.GENERAL, "counting_up")
        self._stops = pack.phrases(section, "stops")
        self._nominal = pack.words(section, "nominal")
        self._pronouns = pack.words("pronouns")
        self._listing = pack.words("list_connectors") | pack.words("determiners")
        self._alternatives = pack.words(section, "alternatives")
        self._groups = pack.words(section, "groups")
        self._finite = pack.words("finite_verbs") | pack.words("clause_subjects")
        self._taking = pack.words(section, "resolved", "around", "before")
        self._out = pack.words(section, "resolved", "around", "behind")
        self._negators = pack.words(section, "negators")
        self._joined = pack.words(section, "joined")
        self._findings = pack.words(section, "findings")
        self._barriers = pack.words(section, "barriers")
        self._modals = pack.words("modals")
        self._conditions = frozenset({"if", "unless"})
        self._acts = _Acts(pack)

    def cues(self, sentence: Sentence) -> Cues:
        """Returns the cues and speech acts of a sentence."""
        words = sentence.words
        masks = list(self._pseudo.every(words))
        cues = (*self._cues.every(words), *self._of_a_leaflet(words))
        found = [cue for cue in cues if not any(_masks(mask, cue) for mask in masks)]
        return Cues(found=tuple(_longest(found)), regions=tuple(self._acts.regions(sentence)))

    def _of_a_leaflet(self, words: Sequence[str]) -> Iterator[PhraseMatch[AssertionCue]]:
        """ "The side effects of it include …" is true of anybody; that they are too much for somebody is not."""
        for effects in self._effects.every(words):
            if self._counting_up.stand_in(words[effects.end : effects.end + _COUNTED_UP]):
                cue = AssertionCue(kind=Kind.GENERAL, side=CueSide.EITHER)
                yield PhraseMatch(start=effects.start, end=effects.end, value=cue)

    def stance(self, sentence: Sentence, cues: Cues, stretch: NamedStretch) -> Stance:
        """Returns how the rules read the stretch.

        Of several cues the first of these wins: refuted, resolved, negated, unconfirmed, active.
        """
        act = cues.act(stretch.last - 1) or cues.act(stretch.first)
        if act in {Act.QUESTION, Act.REQUEST}:
            return Stance(asserted=False, why=f"{act}, not a statement", quiet=True)
        reaching = {self._meant(sentence, cue) for cue in cues.found if self.reaches(sentence, cue, stretch)}
        unreal = self._unreal(sentence, reaching, stretch) or self._conditional(sentence, cues, stretch)
        if unreal:
            return Stance(asserted=False, why=unreal, quiet=True)
        kinds = {cue.kind for cue in reaching}
        tag = act is Act.TAG or (not kinds.isdisjoint(SPEAKING_AGAINST) and _hedged(sentence, cues, stretch))
        return self._status(sentence, kinds, stretch, tag=tag)

    def _meant(self, sentence: Sentence, cue: PhraseMatch[AssertionCue]) -> AssertionCue:
        """Returns the cue as meant: "not ruled out" is doubt, and "not resolved" goes on."""
        before = sentence.words[max(cue.start - _NEAR + 1, 0) : cue.start]
        if sentence.words[cue.start] in self._findings and not self._negators.isdisjoint(before):
            return DENIAL  # "no clinical signs of"
        if cue.value.kind not in _CLAUSE or self._negators.isdisjoint(before):
            return cue.value
        return AssertionCue(kind=Kind.UNCONFIRMED if cue.value.kind is Kind.REFUTED else Kind.GOES_ON)

    def _unreal(self, sentence: Sentence, reaching: Collection[AssertionCue], stretch: NamedStretch) -> str:
        kinds = {cue.kind for cue in reaching}
        if Kind.HYPOTHETICAL in kinds:
            return "hypothetical"
        if any(cue.kind is Kind.GENERAL and cue.side is not CueSide.EITHER for cue in reaching):
            return "general knowledge"
        before = sentence.words[stretch.first - 1 : stretch.first]
        if stretch.state and (Kind.PLANNED in kinds or not self._modals.isdisjoint(before)):
            return "planned or proposed"
        if stretch.event and (Kind.GENERAL in kinds or self._modal(sentence, stretch)):
            return "general knowledge"
        return ""

    def _conditional(self, sentence: Sentence, cues: Cues, stretch: NamedStretch) -> str:
        """Returns why a condition behind the stretch makes it unreal; else empty.

        "She would be bound by it if she had signed".
        """
        before = sentence.words[max(stretch.first - _NEAR + 1, 0) : stretch.last]
        would = not self._modals.isdisjoint(before) or "'d" in before
        conditions = (cue for cue in cues.found if cue.value.kind is Kind.HYPOTHETICAL and cue.start >= stretch.last)
        said = any(sentence.words[cue.start] in self._conditions for cue in conditions)
        return "hypothetical" if would and said and stretch.negation != "ignore" else ""

    def _modal(self, sentence: Sentence, stretch: NamedStretch) -> bool:
        """Whether it tells what a thing does in general ("can cause"); "may have given" is doubt about an event."""
        words = sentence.words
        return any(words[at] in self._modals and words[at + 1 : at + 2] != ("have",) for at in stretch.gaps)

    def _status(self, sentence: Sentence, kinds: set[Kind], stretch: NamedStretch, *, tag: bool) -> Stance:
        denied = Kind.NEGATED in kinds and Kind.GOES_ON not in kinds
        doubt = tag or Kind.UNCONFIRMED in kinds
        ended = Kind.RESOLVED in kinds or self._taken_out(sentence, stretch)
        if stretch.negation == "ignore":
            return _prohibition(denied=denied, doubt=doubt, ended=ended)
        if stretch.event and not kinds.isdisjoint(_CLAUSE):
            return Stance(asserted=False, why="told together with its end or its denial")
        if stretch.negation == "absent" and Kind.REFUTED in kinds:
            return Stance(status=Status.REFUTED)
        if ended or (denied and Kind.LAPSED in kinds):
            return Stance(status=Status.UNCONFIRMED if doubt else Status.RESOLVED)
        if denied:
            return self._denial(sentence, stretch, doubt=doubt)
        past = Kind.PAST in kinds and not stretch.event
        return Stance(status=Status.UNCONFIRMED if doubt or past else Status.ACTIVE)

    def _taken_out(self, sentence: Sentence, stretch: NamedStretch) -> bool:
        """Whether an end stands around the stretch: "They took the pacemaker out"."""
        before = sentence.words[max(stretch.first - _BEFORE, 0) : stretch.first + 1]
        behind = sentence.words[stretch.last : stretch.last + 2]
        return not self._taking.isdisjoint(before) and not self._out.isdisjoint(behind)

    def _denial(self, sentence: Sentence, stretch: NamedStretch, *, doubt: bool) -> Stance:
        """Returns how a denial is read.

        A denial with doubt denies nothing; "not since I was ten" says that it was so then.
        """
        if doubt:
            return Stance(asserted=False, why="a denial in doubt")
        if "since" in sentence.words[stretch.last : stretch.last + 2]:
            return Stance(status=Status.UNCONFIRMED)
        return Stance(status=Status.NEGATED)

    def reaches(self, sentence: Sentence, cue: PhraseMatch[AssertionCue], stretch: NamedStretch) -> bool:
        """Whether a cue applies to the stretch."""
        elsewhere = stretch.within is not None and not stretch.within[0] <= cue.start < stretch.within[1]
        told = sentence.words[cue.end - 1] == "told" and 0 <= stretch.first - cue.end <= _TOLD
        if elsewhere or (told and stretch.negation == "ignore"):
            return False  # "I was told I can not have it": an order is no hearsay
        if cue.value.kind in _CLAUSE:
            return self._in_clause(sentence, cue, stretch)
        if cue.start >= stretch.last:
            return self._reaches_back(sentence, cue, stretch)
        if cue.start >= stretch.first:
            return cue.value.side is CueSide.EITHER or (cue.value == DENIAL and cue.start in stretch.gaps)
        # "[not have] a pacemaker": a wording may begin inside the cue that denies it.
        if cue.value.side is CueSide.BEHIND or cue.end > (stretch.last if cue.value == DENIAL else stretch.first):
            return False
        same = sentence.clauses[cue.start] == sentence.clauses[stretch.first]
        return same and (cue.value != DENIAL or not self._stopped(sentence, cue, stretch))

    def _reaches_back(self, sentence: Sentence, cue: PhraseMatch[AssertionCue], stretch: NamedStretch) -> bool:
        between = sentence.words[stretch.last : cue.start]
        if cue.value.kind is Kind.HYPOTHETICAL:  # "avoid it if allergic" prohibits nothing by itself
            return stretch.negation == "ignore" and len(between) <= _NEAR and "," not in between
        if cue.value.kind is Kind.NEGATED and self._goes_on(sentence, cue):
            return False
        if cue.value.side is CueSide.BEHIND:
            return len(between) <= _NEAR and "," not in between and not self._leaves(sentence, cue, stretch)
        either = cue.value.side is CueSide.EITHER and sentence.words[cue.start] != "?"
        return either and not self._leaves(sentence, cue, stretch)

    def _goes_on(self, sentence: Sentence, cue: PhraseMatch[AssertionCue]) -> bool:
        """Whether a "no" belongs to what follows it: "G6PD deficient - no nitrofurantoin"."""
        behind = sentence.units[cue.end : cue.end + 1]
        of_that = sentence.words[cue.end - 1] in self._negators or sentence.words[cue.start - 1] == "with"
        return of_that and bool(behind) and behind[0].is_word

    def _leaves(self, sentence: Sentence, cue: PhraseMatch[AssertionCue], stretch: NamedStretch) -> bool:
        return sentence.clauses[cue.start] != sentence.clauses[stretch.last - 1]

    def _stopped(self, sentence: Sentence, cue: PhraseMatch[AssertionCue], stretch: NamedStretch) -> bool:
        """Whether something between a negation and a statement ends its reach, as nearly every comma does."""
        first = stretch.first
        between = sentence.words[cue.end : first]
        if self._stops.stand_in(between):
            return True
        if "," not in between:
            return False
        nominal = " ".join(sentence.words[cue.start : cue.end]) in self._nominal
        comma = cue.end + between.index(",")
        if nominal and stretch.mention:  # "no fever, chills, diabetes", but not "no fever, has diabetes"
            return not self._finite.isdisjoint(sentence.words[comma:first])
        return not self._enumerates(sentence, comma, first)

    def _enumerates(self, sentence: Sentence, comma: int, first: int) -> bool:
        """Whether a comma only separates names of a list with "or": "not have diabetes, asthma or gout"."""
        names = all(
            unit.mention is not None or unit.word in self._listing or unit.word in self._groups
            for unit in sentence.units[comma:first]
        )
        return names and not self._alternatives.isdisjoint(sentence.words[comma : first + _LISTED])

    def _in_clause(self, sentence: Sentence, cue: PhraseMatch[AssertionCue], stretch: NamedStretch) -> bool:
        """Whether the cue is near in the same clause, or in a next clause that goes on about it:

        "but it was ruled out".
        """
        own, other = sentence.clauses[stretch.last - 1], sentence.clauses[cue.start]
        if cue.start < stretch.first:
            between = sentence.words[cue.end : stretch.first]
            near = self._close(between, _BEFORE) and self._joined.isdisjoint(between)
            return near and cue.value.side is not CueSide.BEHIND and other == sentence.clauses[stretch.first]
        if cue.value.side is CueSide.BEFORE:
            return False
        if cue.start < stretch.last:
            return cue.value.kind is Kind.REFUTED or cue.start in stretch.gaps
        if other == own:
            between = sentence.words[stretch.last : cue.start]
            ends = not any(unit.is_word for unit in sentence.units[cue.end :])
            added = between == (",",) and ends  # "childhood egg allergy, resolved"
            return added or self._close(between, _BEHIND)
        begins = sentence.clauses.index(other)
        goes_on = any(word in self._pronouns or word == "i" for word in sentence.words[begins : begins + 3])
        return other == own + 1 and goes_on and self._close(sentence.words[begins + 1 : cue.start], _BEHIND)

    def _close(self, between: Sequence[str], most: int) -> bool:
        return len(between) <= most and self._barriers.isdisjoint(between)


_DOUBT_BEHIND = AssertionCue(kind=Kind.UNCONFIRMED, side=CueSide.BEHIND)


def _hedged(sentence: Sentence, cues: Cues, stretch: NamedStretch) -> bool:
    """Whether a doubt stands behind a comma ("She is not, I think").

    It removes a denial and leaves a risk.
    """
    behind = (cue for cue in cues.found if cue.value == _DOUBT_BEHIND and cue.start > stretch.last)
    return any(
        cue.start - stretch.last <= _NEAR + 1 and sentence.words[cue.start - 1] in {",", "-", "("} for cue in behind
    )


def _prohibition(*, denied: bool, doubt: bool, ended: bool) -> Stance:
    """Returns the reading of a prohibition: it holds or may hold, and is never denied."""
    if denied or ended:
        return Stance(asserted=False, why="a prohibition that is denied")
    return Stance(status=Status.UNCONFIRMED if doubt else Status.ACTIVE)


def _masks(mask: PhraseMatch[AssertionCue], cue: PhraseMatch[AssertionCue]) -> bool:
    return mask.value.kind is cue.value.kind and mask.start <= cue.start and cue.end <= mask.end


def _longest(found: Iterable[PhraseMatch[AssertionCue]]) -> Iterator[PhraseMatch[AssertionCue]]:
    """Yields the cues; of two of one kind, one inside the other, the longer."""
    ends: dict[AssertionCue, int] = {}
    for cue in sorted(found, key=lambda cue: (cue.start, -cue.end)):
        if cue.end > ends.get(cue.value, 0):
            ends[cue.value] = cue.end
            yield cue


class _Acts:
    """Finds questions and requests."""

    def __init__(self, pack: LanguagePack) -> None:
        section = "question"
        self._auxiliaries = pack.words(section, "auxiliaries")
        self._subjects = pack.words(section, "subjects")
        self._persons = pack.words("clause_subjects") | {"there", "anyone", "anybody"}
        self._told = self._persons | pack.words("determiners")
        self._had = pack.words(section, "perfect")
        self._words = pack.phrases(section, "words")
        self._words_before = pack.words(section, "words_before_auxiliary")
        self._starts = pack.phrases(section, "starts")
        self._tags = pack.phrases(section, "tags")
        self._fillers = pack.phrases("fillers_before_question")
        self._joiners = pack.words("joiners") | {",", "but", "-", ";", ":"}
        self._verbs = pack.phrases("knowledge_verbs")
        self._polite = pack.phrases("polite")

    def regions(self, sentence: Sentence) -> Iterator[Region]:
        """Yields every stretch that asks or requests."""
        words, last = sentence.words, len(sentence.words)
        opening = self._opening(words)
        asked = self._question_at(words, opening, asks=sentence.asks)
        if sentence.asks and asked != opening and self._tagged(words):
            yield Region(act=Act.TAG, first=0, last=last)
        elif asked is not None:
            yield Region(act=Act.QUESTION, first=0 if asked == opening else asked, last=last)
        elif sentence.asks:
            yield Region(act=Act.QUESTION, first=0, last=last)
        request = self._after_polite(words, opening)
        if request < last and self._verbs.at(words, request) is not None:
            yield Region(act=Act.REQUEST, first=0, last=sentence.clause(request)[1])

    def _opening(self, words: Sequence[str]) -> int:
        """Returns the index of the first word behind an opening such as "okay and"."""
        position = 0
        while position < len(words) and (found := self._fillers.at(words, position)) is not None:
            position = found.end
        return position

    def _question_at(self, words: Sequence[str], opening: int, *, asks: bool) -> int | None:
        """Returns the index where a question begins; `None` if there is none."""
        if opening < len(words) and self._asks_at(words, opening, asks=asks):
            return opening
        for position in range(1, len(words) - 1):
            if words[position - 1] in self._joiners and self._asks_later(words, position):
                return position
        return None

    def _asks_at(self, words: Sequence[str], position: int, *, asks: bool) -> bool:
        word = words[position]
        following = words[position + 1] if position + 1 < len(words) else ""
        if word in self._auxiliaries:
            possible = self._persons if word in self._had and not asks else self._subjects
            return following in possible
        if word in self._words_before:
            return following in self._auxiliaries
        if self._words.at(words, position) is not None:
            return asks or following not in self._told  # "what I mean is" asks nothing
        return self._starts.at(words, position) is not None and (asks or len(words) - position < 8)

    def _asks_later(self, words: Sequence[str], position: int) -> bool:
        following = words[position + 1]
        if words[position] in self._auxiliaries:
            return following in self._persons
        return (
            self._words.at(words, position) is not None
            and words[position] != "which"
            and following in (self._auxiliaries)
        )

    def _tagged(self, words: Sequence[str]) -> bool:
        """Whether the words are a statement with "right?" behind it."""
        end = len(words) - 1
        return any(tag.end == end and tag.start > 2 and words[tag.start - 1] == "," for tag in self._tags.every(words))

    def _after_polite(self, words: Sequence[str], opening: int) -> int:
        position = opening
        while position < len(words) and (found := self._polite.at(words, position)) is not None:
            position = found.end
        return position
