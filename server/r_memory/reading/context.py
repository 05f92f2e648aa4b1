"""Where a given fact stands in the words: its sentence, its thing, and whether a word of denial or end reaches that.

The cues are the language file's; what they decide stands in `listening.py`.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from r_memory.domain.facts import Extraction, Observation, Proposal, Span
from r_memory.domain.schema import Relation, Schema
from r_memory.protocols import Linker, Utterance
from r_memory.reading.assertion import SPEAKING_AGAINST, Kind
from r_memory.reading.clauses import Clause, ClauseWords, clauses
from r_memory.reading.extractor import RuleExtractor, Understood
from r_memory.reading.language import Phrases, listed
from r_memory.reading.listening import Cue
from r_memory.reading.normalise import plain
from r_memory.reading.rules.candidates import Scene
from r_memory.text.cutting import words_of

_STEM = 5
"""Letters of a part of a relation's name by which its noun is known: ALLERGY in "allergies"."""
_NEAR = 2
"""Words behind "out" or "off" that tell whether something is gone."""
_QUANTIFIED = frozenset({"any", "all", "every", "no", "none", "nothing", "anything", "everything"})


class AgainstWords:
    """Words of the language file that speak against what is said, and those that only look like it."""

    def __init__(self, schema: Schema) -> None:
        def words(*path: str) -> frozenset[str]:
            return frozenset(listed(schema.language, *path))

        def phrases(name: str) -> Phrases[str]:
            return Phrases((words_of(text), text) for text in listed(schema.language, "listening", name))

        self.negators, self.modals = words("listening", "negators"), words("listening", "modals")
        self.ends, self.past = phrases("ends"), phrases("past")
        """`past` ends what is no critical relation: an earlier value, a post that somebody left."""
        self.forms = phrases("forms")
        self.particles, self.removing = words("listening", "particles"), words("listening", "removing")
        self.times, self.records = words("listening", "times"), words("listening", "records")
        self.bringing = words("listening", "bringing")
        self.striking = words("listening", "striking")
        self.look_alikes, self.yet = phrases("look_alikes"), phrases("yet")
        self.idle = words("listening", "idle")
        self.of_before, self.nobody_else = phrases("of_before"), phrases("not_the_subject")
        self.referring, self.well = phrases("referring"), _phrases_at(schema, "went_well")
        self.clauses = ClauseWords(
            breaks=words("clause_breaks"),
            joiners=words("joiners") - {"as"},
            subjects=words("clause_subjects"),
            verbs=words("finite_verbs") | words("question", "auxiliaries") | words("listening", "verbs"),
            negators=self.negators - words("went_well"),
        )


def _phrases_at(schema: Schema, *path: str) -> Phrases[str]:
    return Phrases((words_of(text), text) for text in listed(schema.language, *path))


class Contexts:
    """What is looked up once for each utterance, under one schema."""

    def __init__(self, schema: Schema, rules: RuleExtractor, linker: Linker) -> None:
        self._rules = rules
        self._linker = linker
        self._words = AgainstWords(schema)
        self._scopes = Scopes(schema, frozenset(listed(schema.language, "listening", "quantifiers")), linker)

    def of(self, utterance: Utterance, local: Extraction | None) -> "Context":
        """The context of one utterance; `local` is what the local reader made of it, if it was asked."""
        understood = local.analysis if local is not None else None
        if not isinstance(understood, Understood):
            understood = self._rules.understand(utterance)
        return Context(utterance, understood, self._linker, self._scopes, self._words)


class Scopes:
    """Which words name a whole scope rather than a thing, under one schema."""

    def __init__(self, schema: Schema, quantifiers: frozenset[str], linker: Linker) -> None:
        self._schema = schema
        self._quantifiers = quantifiers
        self._linker = linker

    def named(self, words: str, relation: Relation, *, said: bool) -> str:
        """The scope that the words name; empty where they name a thing.

        They do where they are a quantifier, the relation's own noun and a kind of things at most ("any drug
        allergies", "any antibiotic"), or, where a closed form says "none" of a scope (`said`), no term of the lexicon.
        """
        spoken = words_of(plain(words).casefold())
        own = {part.casefold()[:_STEM] for part in relation.name.split("_")}
        rest = [word for word in spoken if word not in self._quantifiers and word[:_STEM] not in own]
        kinds = {scope: shown.casefold().split()[-1] for scope, shown in self._schema.scopes.items()}
        shown = [scope for scope, kind in kinds.items() if any(kind.startswith(word.rstrip("s")) for word in rest)]
        if not rest or (shown and len(rest) == 1):
            return shown[0] if shown else next(iter(self._schema.scopes), "")
        quantified = bool(spoken) and spoken[0] in _QUANTIFIED and len(rest) < len(spoken)
        unknown = said and not self._linker.resolve(" ".join(rest), relation.objects)
        return next(iter(self._schema.scopes), "") if quantified or unknown else ""


class Context:
    """One utterance with its sentences and cues."""

    def __init__(
        self, utterance: Utterance, understood: Understood, linker: Linker, scopes: Scopes, words: "AgainstWords"
    ) -> None:
        self._text = utterance.text
        self._understood = understood
        self._linker = linker
        self._scopes = scopes
        self._words = words

    def scope(self, words: str, relation: Relation, *, said: bool) -> str:
        """As `Scopes.named`."""
        return self._scopes.named(words, relation, said=said)

    @cached_property
    def _spoken(self) -> str:
        return plain(self._text).casefold()

    def sentences(self) -> Sequence[Span]:
        """Every sentence; the whole text where there is none."""
        found = [Span(start=one.sentence.start, end=one.sentence.end) for one in self._understood.scenes]
        return found or [Span(start=0, end=len(self._text))]

    def first(self) -> Span:
        """The first sentence: the answer to a question is there."""
        return self.sentences()[0]

    def sentence(self, span: Span) -> Span:
        """The sentences that the span touches, as one span."""
        touched = [one for one in self.sentences() if one.start < span.end and span.start < one.end]
        return Span(start=touched[0].start, end=touched[-1].end) if touched else span

    def evidence(self, given: Proposal) -> Span:
        """Where the evidence stands; the whole text where it is not in it."""
        start = self._spoken.find(plain(given.evidence).casefold()) if given.evidence.strip() else -1
        return Span(start=start, end=start + len(given.evidence)) if start >= 0 else Span(start=0, end=len(self._text))

    def place(self, given: Proposal, seen: Observation | None) -> Span:
        """Where the words of the thing stand: in the evidence, else in the text; else the evidence."""
        within = seen.span if seen is not None else self.evidence(given)
        words = plain(given.object).casefold()
        for start in (self._spoken.find(words, within.start, within.end), self._spoken.find(words)):
            if start >= 0 and words:
                return Span(start=start, end=start + len(words))
        if seen is not None:
            for mention in self._linker.mentions(self._text[within.start : within.end]):
                if mention.name.casefold() == seen.object.id:
                    return Span(start=within.start + mention.start, end=within.start + mention.end)
        return within

    def cue(self, evidence: Span, thing: str, relation: Relation) -> Cue:
        """The strongest word against a thing in the evidence; none in a language whose cues are not known.

        It counts in a clause that names the thing, outside of its name, and in a later one that goes on about it and
        names nothing else; where the evidence does not name it, in all of the evidence. Under a relation of which a
        "not" is a part ("must not have"), only what ends or refutes counts.
        """
        names = self._places(thing, evidence)
        told = [stretch for stretch in self._stretches() if _touch(stretch.span, evidence)]
        about = [stretch for stretch in told if any(_touch(stretch.span, name) for name in names)]
        if about:
            later = told[told.index(about[-1]) + 1 :]
            about += self._going_on(later, thing, relation, worded=any(self._is_worded(one, relation) for one in about))
        found = {self._cue_in(stretch, evidence, names, relation) for stretch in about or told}
        return next((cue for cue in (Cue.FORM, Cue.END, Cue.DENIAL) if cue in found), Cue.NONE)

    def _places(self, thing: str, within: Span) -> list[Span]:
        """Wherever the words of the thing stand."""
        words = plain(thing).casefold()
        found = (
            re.finditer(rf"(?<!\w){re.escape(words)}(?!\w)", self._spoken[within.start : within.end]) if words else ()
        )
        return [Span(start=within.start + one.start(), end=within.start + one.end()) for one in found]

    def _stretches(self) -> list["Stretch"]:
        return [
            Stretch(scene=scene, clause=clause, words=words, spans=spans)
            for scene in self._understood.scenes
            if scene.index not in self._understood.foreign
            for words, spans in [_spoken_words(scene)]
            for clause in clauses(words, self._words.clauses)
        ]

    def _is_worded(self, stretch: "Stretch", relation: Relation) -> bool:
        own = {part.casefold()[:_STEM] for part in relation.name.split("_")}
        return any(word[:_STEM] in own for word in stretch.said if len(word) >= _STEM)

    def _going_on(
        self, later: Sequence["Stretch"], thing: str, relation: Relation, *, worded: bool
    ) -> Iterator["Stretch"]:
        """Of later clauses those that speak of the thing without its name; up to the first that names another.

        Behind words for the relation itself ("who has the allergy"), "not me" and "no" are about it too.
        """
        for stretch in later:
            if not self._words.of_before.stand_in(stretch.said) and any(
                unit.mention is not None and unit.mention.type in relation.objects and unit.word != thing.casefold()
                for unit in stretch.scene.sentence.units
                if _touch(Span(start=unit.start, end=unit.end), stretch.span)
            ):
                return
            if self._goes_on(stretch, worded=worded):
                yield stretch

    def _goes_on(self, stretch: "Stretch", *, worded: bool) -> bool:
        """It refers to something by a pronoun, has no subject of its own, tells how it went, or is a bare denial."""
        said, known = stretch.said, self._words.clauses
        words = [word for word in said if word not in known.joiners | known.breaks and word[0].isalnum()]
        if not words or self._words.referring.stand_in(said) or self._words.well.stand_in(said):
            return bool(words)
        if self._words.ends.at(words, 0) is not None or words[0] in known.verbs:
            return True
        if stretch.whole and all(
            word in known.subjects | known.verbs | known.negators | self._words.idle for word in words
        ):
            return worded or len(words) > 1
        return worded and self._words.nobody_else.stand_in(said)

    def _cue_in(self, stretch: "Stretch", evidence: Span, names: Sequence[Span], relation: Relation) -> Cue:
        """The strongest word against a thing that the evidence says in a clause, outside of the thing's name."""
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
            return Cue.NONE if any(at < end[0] for at in denials) else end[1]
        if len(denials) > 1 or relation.negation == "ignore":
            return Cue.NONE
        return Cue.DENIAL if denials or len(cues) > len(closed) else Cue.NONE

    def _denies(self, words: Sequence[str], at: int) -> bool:
        return words[at] in self._words.negators and words[max(at - 1, 0)] not in self._words.modals

    def _end(
        self,
        stretch: "Stretch",
        said: Sequence[int],
        closed: Sequence[int],
        names: Sequence[Span],
        relation: Relation,
    ) -> tuple[int, Cue] | None:
        """What ends or refutes, with its place; what is yet to end has not ended."""
        known, words = self._words, stretch.words

        def found(phrases: Phrases[str]) -> list[int]:
            return [one.start for one in phrases.every(words) if one.start in said]

        masked = {at for one in known.look_alikes.every(words) for at in range(one.start, one.end)}
        yet = min(found(known.yet), default=len(words))
        last = max((at for at in range(len(words)) if _among(stretch.spans[at], names)), default=-1)
        before = {at for one in known.of_before.every(words) if one.start < last for at in range(one.start, one.end)}
        particles = [at for at in said if words[at] in known.particles and self._takes_away(stretch, at, names)]
        masked |= {near for at in said if self._breaks_out(stretch, at) for near in (at - 1, at)}
        forms = [at for at in (*closed, *found(known.forms), *particles) if at < yet and at not in before | masked]
        if forms:
            return forms[0], Cue.FORM
        ends = [at for at in found(known.ends) if at not in masked and at < yet and not _of_doing(words, at, last)]
        ends += () if relation.critical else found(known.past)
        return (ends[0], Cue.END) if ends else None

    def _breaks_out(self, stretch: "Stretch", at: int) -> bool:
        """Whether "out" tells what somebody came out in, not when something did."""
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
    """Those of its sentence, of terms each by itself."""
    spans: tuple[Span, ...]
    """Where each of them stands; of a term, all of it."""

    @property
    def span(self) -> Span:
        """From its first word to its last."""
        return Span(start=self.spans[self.clause.first].start, end=self.spans[self.clause.end - 1].end)

    def of(self, first: int, end: int) -> Span:
        """Units `first` to `end` (excluded) of its sentence."""
        units = self.scene.sentence.units
        return Span(start=units[first].start, end=units[end - 1].end)

    @property
    def whole(self) -> bool:
        """Its sentence does not go on behind it."""
        return not any(word[0].isalnum() for word in self.words[self.clause.end :])

    @property
    def said(self) -> tuple[str, ...]:
        """Its own words."""
        return self.words[self.clause.first : self.clause.end]


def _spoken_words(scene: Scene) -> tuple[tuple[str, ...], tuple[Span, ...]]:
    """The words of a sentence and where each stands; a hyphen inside a word is none."""
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


def _of_doing(words: Sequence[str], at: int, last: int) -> bool:
    """ "Ravi stopped eating meat" ends nothing about Ravi: it speaks of what stands behind."""
    return at > last and at + 1 < len(words) and words[at + 1].endswith("ing")


def _among(one: Span, others: Sequence[Span]) -> bool:
    return any(_touch(one, other) for other in others)


def _touch(one: Span, other: Span) -> bool:
    return one.start < other.end and other.start < one.end
