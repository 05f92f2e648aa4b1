"""Which word speaks against a thing: what denies, ends or refutes it, in the clause that it is said in.

Knows the words of the language file's `listening`, the cues of `assertion.py` and the clauses of `clauses.py`; what is
made of a cue stands in `listening.py`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from r_memory.domain.facts import Span
from r_memory.domain.schema import Relation, Schema
from r_memory.reading.assertion import SPEAKING_AGAINST, Kind
from r_memory.reading.clauses import Clause, ClauseWords, clauses
from r_memory.reading.language import Phrases, listed
from r_memory.reading.listening import CueAgainst
from r_memory.reading.rules.candidates import Scene
from r_memory.text.cutting import words_of

STEM = 5
"""Leading letters by which a noun is matched to a part of a relation's name: ALLERGY in "allergies"."""
_NEAR = 2
"""Words behind "out" or "off" that tell whether something is gone."""


class AgainstWords:
    """The words of one language that deny, end or refute a thing, and their look-alikes."""

    def __init__(self, schema: Schema) -> None:
        def words(*path: str) -> frozenset[str]:
            return frozenset(listed(schema.language, *path))

        def phrases(*path: str) -> Phrases[str]:
            return Phrases((words_of(text), text) for text in listed(schema.language, *path))

        self.negators, self.modals = words("listening", "negators"), words("listening", "modals")
        self.ends, self.past = phrases("listening", "ends"), phrases("listening", "past")
        """`past` ends what is no critical relation: an earlier value, a post that somebody left."""
        self.forms = phrases("listening", "forms")
        self.particles, self.removing = words("listening", "particles"), words("listening", "removing")
        self.treated, self.lasting = words("listening", "treated"), words("listening", "lasting")
        self.times, self.records = words("listening", "times"), words("listening", "records")
        self.bringing = words("listening", "bringing")
        self.striking = words("listening", "striking")
        self.look_alikes, self.yet = phrases("listening", "look_alikes"), phrases("listening", "yet")
        self.idle, self.of_one = words("listening", "idle"), words("listening", "of_one")
        self.of_before, self.nobody_else = phrases("listening", "of_before"), phrases("listening", "not_the_subject")
        self.referring, self.well = phrases("listening", "referring"), phrases("went_well")
        self.being, self.doing = words("listening", "being"), tuple(words("listening", "doing"))
        self.had, self.from_then = phrases("listening", "had"), words("listening", "from_then")
        self.going_on, self.having = phrases("listening", "going_on"), words("listening", "having")
        self.clauses = ClauseWords(
            breaks=words("clause_breaks") | words("listening", "reasons"),
            joiners=words("joiners") - {"as"},
            subjects=words("clause_subjects"),
            verbs=words("finite_verbs") | words("question", "auxiliaries") | words("listening", "verbs"),
            negators=self.negators - words("went_well"),
        )


class Against:
    """Finds the words that speak against a thing in one utterance."""

    def __init__(self, scenes: Sequence[Scene], words: AgainstWords) -> None:
        """`scenes` are the sentences of the utterance, without those in a language whose cues are unknown."""
        self._words = words
        self._stretches = [
            Stretch(scene=scene, clause=clause, words=said, spans=spans)
            for scene in scenes
            for said, spans in [_spoken_words(scene)]
            for clause in clauses(said, words.clauses)
        ]

    def strongest(self, evidence: Span, names: Sequence[Span], relation: Relation) -> CueAgainst:
        """Returns the strongest cue that the evidence states against a thing; `names` are all places of its name.

        Cues count in clauses that name the thing, outside of the name, and in later clauses that go on about it and
        name nothing else. If the evidence does not name the thing, all its clauses count. Under a relation with "not"
        in its name ("must not have"), only cues that end or refute count.
        """
        told = [stretch for stretch in self._stretches if _touch(stretch.span, evidence)]
        about = [stretch for stretch in told if _among(stretch.span, names)]
        found = {self._cue_in(stretch, evidence, names, relation) for stretch in about or told}
        if about:
            worded = any(_is_worded(stretch, relation) for stretch in about)
            later = list(self._going_on(told[told.index(about[-1]) + 1 :], relation, worded=worded))
            for stretch in later:
                cue = self._cue_in(stretch, evidence, names, relation)
                if cue is not CueAgainst.DENIAL or self._denies_alone(stretch, worded=worded):
                    found.add(cue)
        return next(
            (cue for cue in (CueAgainst.FORM, CueAgainst.END, CueAgainst.DENIAL) if cue in found), CueAgainst.NONE
        )

    def lasts(self, evidence: Span, names: Sequence[Span], relation: Relation) -> bool:
        """Whether the clauses of the evidence that name the thing say that it goes on.

        "Still" says so, and the present tense: "I'm feeding her", "she has a cough".
        """
        told = [stretch for stretch in self._stretches if _touch(stretch.span, evidence)]
        about = [stretch for stretch in told if _among(stretch.span, names)]
        later = self._going_on(told[told.index(about[-1]) + 1 :], relation, worded=False) if about else ()
        return any(self._is_lasting(stretch.said) for stretch in (*about, *later)) or any(
            self._is_doing(stretch.said) or self._is_had(stretch, names) for stretch in about
        )

    def _is_lasting(self, said: Sequence[str]) -> bool:
        known = self._words
        from_then = known.had.stand_in(said) and not known.from_then.isdisjoint(said)
        return from_then or known.going_on.stand_in(said)

    def _is_had(self, stretch: "Stretch", names: Sequence[Span]) -> bool:
        known, clause = self._words, stretch.clause
        at = next((at for at in range(clause.first, clause.end) if _among(stretch.spans[at], names)), clause.first)
        before = stretch.words[clause.first : at]
        before = before[:-1] if before and before[-1] in known.of_one else before
        return bool(before) and before[-1] in known.having

    def _is_doing(self, said: Sequence[str]) -> bool:
        known = self._words
        return any(word in known.being and after.endswith(known.doing) for word, after in pairwise(said))

    def anywhere(self, evidence: Span) -> CueAgainst:
        """Returns the strongest cue of the evidence, whatever it speaks of: a note has no name to reach."""
        told = [stretch.said for stretch in self._stretches if _touch(stretch.span, evidence)]
        known = self._words
        if any(phrases.stand_in(said) for said in told for phrases in (known.forms, known.ends, known.past)):
            return CueAgainst.END
        denied = any(not known.negators.isdisjoint(said) for said in told)
        return CueAgainst.DENIAL if denied else CueAgainst.NONE

    def _going_on(self, later: Sequence["Stretch"], relation: Relation, *, worded: bool) -> Iterator["Stretch"]:
        """Yields the later clauses that speak of the thing without its name, up to the first that names another thing.

        After words for the relation itself ("who has the allergy"), "not me" and "no" count as well.
        """
        for stretch in later:
            if not self._words.of_before.stand_in(stretch.said) and any(
                unit.mention is not None and unit.mention.type in relation.objects
                for unit in stretch.scene.sentence.units
                if _touch(Span(start=unit.start, end=unit.end), stretch.span)
            ):
                return
            if self._goes_on(stretch, worded=worded):
                yield stretch

    def _goes_on(self, stretch: "Stretch", *, worded: bool) -> bool:
        """Whether the clause refers back by a pronoun, has no subject of its own, or only denies what was said."""
        words, known = self._own(stretch), self._words
        if known.referring.stand_in(stretch.said) or self._denies_alone(stretch, worded=worded):
            return True
        verbs = known.clauses.verbs | known.treated
        return bool(words) and (known.ends.at(words, 0) is not None or words[0] in verbs)

    def _denies_alone(self, stretch: "Stretch", *, worded: bool) -> bool:
        """Whether a later clause denies the earlier one and says nothing else: "I'm not", "no reaction", "not me"."""
        words, known = self._own(stretch), self._words
        if known.well.stand_in(stretch.said) or (worded and known.nobody_else.stand_in(stretch.said)):
            return True
        if self._is_by_itself(stretch.said):
            return True
        idle = known.clauses.subjects | known.clauses.verbs | known.clauses.negators | known.idle
        return stretch.whole and idle.issuperset(words) and len(words) > (0 if worded else 1)

    def _is_by_itself(self, said: Sequence[str]) -> bool:
        """Whether the clause begins with "not me" before a mark, whatever stands behind that."""
        found = self._words.nobody_else.at(said, 0)
        return found is not None and not any(word[0].isalnum() for word in said[found.end : found.end + 1])

    def _own(self, stretch: "Stretch") -> list[str]:
        """Returns the words of the clause without marks and conjunctions."""
        joining = self._words.clauses.joiners | self._words.clauses.breaks
        return [word for word in stretch.said if word not in joining and word[0].isalnum()]

    def _cue_in(self, stretch: "Stretch", evidence: Span, names: Sequence[Span], relation: Relation) -> CueAgainst:
        """Returns the strongest cue of a clause that lies in the evidence and outside of the thing's name."""
        said = [
            at
            for at in range(stretch.clause.first, stretch.clause.end)
            if _touch(stretch.spans[at], evidence) and not _among(stretch.spans[at], names)
        ]
        cues = [
            (cue.value.kind, at)
            for cue in stretch.scene.cues.found
            if cue.value.kind in SPEAKING_AGAINST
            and self._words.modals.isdisjoint(stretch.scene.sentence.words[max(cue.start - 1, 0) : cue.start])
            for at in said
            if _touch(stretch.spans[at], stretch.of(cue.start, cue.end))
        ]
        closed = [at for kind, at in cues if kind is not Kind.NEGATED]
        end = self._end(stretch, said, closed, names, relation)
        denials = [at for at in said if self._denies(stretch.words, at) and at not in closed]
        if end is not None:
            return CueAgainst.NONE if any(at < end[0] for at in denials) else end[1]
        if len(denials) > 1 or relation.negation == "ignore":
            return CueAgainst.NONE
        return CueAgainst.DENIAL if denials or len(cues) > len(closed) else CueAgainst.NONE

    def _denies(self, words: Sequence[str], at: int) -> bool:
        return words[at] in self._words.negators and words[max(at - 1, 0)] not in self._words.modals

    def _end(
        self,
        stretch: "Stretch",
        said: Sequence[int],
        closed: Sequence[int],
        names: Sequence[Span],
        relation: Relation,
    ) -> tuple[int, CueAgainst] | None:
        """Returns the place and kind of the cue that ends or refutes; `None` if none, or if the end is still ahead."""
        known, words = self._words, stretch.words

        def found(phrases: Phrases[str]) -> list[int]:
            return [word.start for word in phrases.every(words) if word.start in said]

        masked = {at for word in known.look_alikes.every(words) for at in range(word.start, word.end)}
        yet = min(found(known.yet), default=len(words))
        last = max((at for at in range(len(words)) if _among(stretch.spans[at], names)), default=-1)
        before = {
            at for word in known.of_before.every(words) if word.start < last for at in range(word.start, word.end)
        }
        particles = [at for at in said if words[at] in known.particles and self._takes_away(stretch, at, names)]
        masked |= {near for at in said if self._breaks_out(stretch, at) for near in (at - 1, at)}
        forms = [at for at in (*closed, *found(known.forms), *particles) if at < yet and at not in before | masked]
        if forms:
            return forms[0], CueAgainst.FORM
        ends = [at for at in found(known.ends) if at not in masked and at < yet and not _of_doing(words, at, last)]
        ends += () if relation.is_guarded else found(known.past)
        return (ends[0], CueAgainst.END) if ends else None

    def _breaks_out(self, stretch: "Stretch", at: int) -> bool:
        """Whether "out" tells what appeared ("came out in hives"), not when something ended."""
        known, behind = self._words, stretch.words[at + 1 : min(at + 2 + _NEAR, stretch.clause.end)]
        timely = any(word in known.times or word.isdigit() for word in behind)
        return stretch.words[at] in known.particles and bool(behind) and behind[0] in known.bringing and not timely

    def _takes_away(self, stretch: "Stretch", at: int, names: Sequence[Span]) -> bool:
        """Whether "out", "off" and the like say that something is gone.

        They do at the end of the clause or before a time, behind the thing itself or a word for taking it away; and
        before the name of a record, behind a word for striking it out.
        """
        known, words = self._words, stretch.words
        before, behind = words[stretch.clause.first : at], words[at + 1 : stretch.clause.end]
        behind = tuple(word for word in behind if word[0].isalnum())[:_NEAR]
        if not known.records.isdisjoint(behind):
            return not known.striking.isdisjoint(before)
        timely = not behind or any(word in known.times or word.isdigit() for word in behind)
        named = at > stretch.clause.first and _among(stretch.spans[at - 1], names)
        return timely and (named or not known.removing.isdisjoint(before))


@dataclass(frozen=True, slots=True, kw_only=True)
class Stretch:
    """A clause with its place in the text."""

    scene: Scene
    clause: Clause
    words: tuple[str, ...]
    """The words of its sentence; a term counts word by word."""
    spans: tuple[Span, ...]
    """The place of each word; a word of a term has the place of the whole term."""

    @property
    def span(self) -> Span:
        """From the first word of the clause to the last."""
        return Span(start=self.spans[self.clause.first].start, end=self.spans[self.clause.end - 1].end)

    def of(self, first: int, end: int) -> Span:
        """Returns the place of units `first` to `end` (excluded) of its sentence."""
        units = self.scene.sentence.units
        return Span(start=units[first].start, end=units[end - 1].end)

    @property
    def whole(self) -> bool:
        """Whether the sentence ends with this clause."""
        return not any(word[0].isalnum() for word in self.words[self.clause.end :])

    @property
    def said(self) -> tuple[str, ...]:
        """The words of the clause."""
        return self.words[self.clause.first : self.clause.end]


def _spoken_words(scene: Scene) -> tuple[tuple[str, ...], tuple[Span, ...]]:
    """Returns the words of a sentence and their places; a hyphen inside a word is no word."""
    units = scene.sentence.units
    read = [
        (word, Span(start=unit.start, end=unit.end))
        for at, unit in enumerate(units)
        if not (
            unit.word == "-" and 0 < at < len(units) - 1 and units[at - 1].end == unit.start == units[at + 1].start - 1
        )
        for word in unit.words
    ]
    return tuple(word for word, _ in read), tuple(span for _, span in read)


def _is_worded(stretch: Stretch, relation: Relation) -> bool:
    """Whether a clause names the relation by its own noun."""
    own = {part.casefold()[:STEM] for part in relation.name.split("_")}
    return any(word[:STEM] in own for word in stretch.said if len(word) >= STEM)


def _of_doing(words: Sequence[str], at: int, last: int) -> bool:
    """Whether the words end an activity ("Ravi stopped eating meat"), which ends no fact about Ravi."""
    return at > last and at + 1 < len(words) and words[at + 1].endswith("ing")


def _among(one: Span, others: Sequence[Span]) -> bool:
    return any(_touch(one, other) for other in others)


def _touch(one: Span, other: Span) -> bool:
    return one.start < other.end and other.start < one.end
