"""Where a given fact stands in the words: its sentence, its thing, and what speaks against that (`against.py`)."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from r_memory.domain.facts import Extraction, Observation, Proposal, Span
from r_memory.domain.schema import Relation, Schema
from r_memory.protocols import Linker, Utterance
from r_memory.reading.against import STEM, Against, AgainstWords
from r_memory.reading.asking import Asking, AskingSentence, parted
from r_memory.reading.extractor import RuleExtractor, RuleFindings
from r_memory.reading.language import listed
from r_memory.reading.listening import CueAgainst
from r_memory.reading.normalise import plain
from r_memory.reading.tongues import Tongues
from r_memory.text.cutting import words_of

_QUANTIFIED = frozenset({"any", "all", "every", "no", "none", "nothing", "anything", "everything"})


class Contexts:
    """Makes the `Context` of an utterance, under one schema."""

    def __init__(self, schema: Schema, rules: RuleExtractor, linker: Linker) -> None:
        self._rules = rules
        self._linker = linker
        self._words, self._tongues = AgainstWords(schema), Tongues(schema)
        self._asking = {code: Asking(language) for code, language in schema.languages.items()}
        self._asking |= {"": Asking(schema.language), "?": Asking(None)}
        self._scopes = Scopes(schema, frozenset(listed(schema.language, "listening", "quantifiers")), linker)

    def of(self, utterance: Utterance, local: Extraction | None) -> "Context":
        """Returns the context of one utterance; `local` is the local reader's extraction, if it ran."""
        understood = local.analysis if local is not None else None
        if not isinstance(understood, RuleFindings):
            understood = self._rules.understand(utterance)
        return Context(utterance, understood, self._linker, self._scopes, self._words, self._tongues, self._asking)


class Scopes:
    """Tells words for a whole scope from names of things, under one schema."""

    def __init__(self, schema: Schema, quantifiers: frozenset[str], linker: Linker) -> None:
        self._schema = schema
        self._quantifiers = quantifiers
        self._linker = linker

    def named(self, words: str, relation: Relation, *, said: bool) -> str:
        """Returns the scope that the words name; empty if they name a thing.

        Words name a scope if they hold nothing but a quantifier, the relation's own noun and a kind of things ("any
        drug allergies", "any antibiotic"). With `said` (a closed form says "none"), words that are no term of the
        lexicon name a scope too.
        """
        spoken = words_of(plain(words).casefold())
        own = {part.casefold()[:STEM] for part in relation.name.split("_")}
        if not self._quantifiers.isdisjoint(spoken):
            own |= {word[:STEM] for word in relation.phrasing.denied_as}
        rest = [word for word in spoken if word not in self._quantifiers and word[:STEM] not in own]
        kinds = {scope: shown.casefold().split()[-1] for scope, shown in self._schema.scopes.items()}
        shown = [scope for scope, kind in kinds.items() if any(kind.startswith(word.rstrip("s")) for word in rest)]
        if not rest or (shown and len(rest) == 1):
            return shown[0] if shown else self._schema.widest(relation)
        quantified = bool(spoken) and spoken[0] in _QUANTIFIED and len(rest) < len(spoken)
        unknown = said and not self._linker.resolve(" ".join(rest), relation.objects)
        return self._schema.widest(relation) if quantified or unknown else ""


class Context:
    """The sentences, cues and scopes of one utterance."""

    def __init__(
        self,
        utterance: Utterance,
        understood: RuleFindings,
        linker: Linker,
        scopes: Scopes,
        words: AgainstWords,
        tongues: Tongues,
        asking: Mapping[str, Asking],
    ) -> None:
        """`asking` are the asking words by language: under "" the schema's own, under "?" those of an unknown one."""
        self._text, self._called = utterance.text, utterance.called
        self._understood = understood
        self._linker = linker
        self._scopes = scopes
        self._words, self._tongues, self._asking = words, tongues, asking

    def scope(self, words: str, relation: Relation, *, said: bool) -> str:
        """Returns the scope, as `Scopes.named`."""
        return self._scopes.named(words, relation, said=said)

    def is_single(self, given: Proposal) -> bool:
        """Whether the evidence speaks of one thing by the word for its kind: "I had the implant taken out"."""
        said, name = words_of(plain(given.evidence).casefold()), words_of(plain(given.object).casefold())
        places = [at for at in range(len(said)) if said[at : at + len(name)] == name] if name else []
        return bool(places) and all(at and said[at - 1] in self._words.of_one for at in places)

    @cached_property
    def _spoken(self) -> str:
        return plain(self._text).casefold()

    def sentences(self) -> Sequence[Span]:
        """Returns the place of every sentence; of the whole text if there is none."""
        found = [Span(start=scene.sentence.start, end=scene.sentence.end) for scene in self._understood.scenes]
        return found or [Span(start=0, end=len(self._text))]

    def first(self) -> Span:
        """Returns the first sentence, which answers the question before."""
        return self.sentences()[0]

    def sentence(self, span: Span) -> Span:
        """Returns one span over the sentences that `span` touches."""
        touched = [item for item in self.sentences() if item.start < span.end and span.start < item.end]
        return Span(start=touched[0].start, end=touched[-1].end) if touched else span

    def evidence(self, given: Proposal) -> Span:
        """Returns the place of the evidence; the whole text if it is not found."""
        start = self._spoken.find(plain(given.evidence).casefold()) if given.evidence.strip() else -1
        return Span(start=start, end=start + len(given.evidence)) if start >= 0 else Span(start=0, end=len(self._text))

    def place(self, given: Proposal, seen: Observation | None) -> Span:
        """Returns the place of the thing's words: in the evidence, else in the text; else the evidence."""
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

    @cached_property
    def _against(self) -> Against:
        """The sentences of the schema's own language."""
        own = [
            scene
            for scene in self._understood.scenes
            if scene.index not in self._understood.foreign
            and not self._tongues.of(self._text[scene.sentence.start : scene.sentence.end], "")
        ]
        return Against(own, self._words)

    def cue(self, evidence: Span, thing: str, relation: Relation, *, known: str = "") -> CueAgainst:
        """Returns the strongest cue against a thing, as `Against.strongest`; `known` is the term that the thing is."""
        names = self._places(thing, evidence) or self._mentions(known, evidence)
        if any(self._is_foreign(name) for name in names):
            return self._elsewhere(thing, evidence, relation)
        cue = self._against.strongest(evidence, names, relation)
        return cue if cue is not CueAgainst.NONE else self._elsewhere(thing, evidence, relation)

    def lasts(self, evidence: Span, thing: str, relation: Relation, *, known: str = "") -> bool:
        """Whether the words say that the thing goes on, as `Against.lasts`."""
        names = self._places(thing, evidence) or self._mentions(known, evidence)
        return self._against.lasts(evidence, names, relation)

    def speaks_against(self, evidence: Span) -> CueAgainst:
        """Returns the strongest cue of the evidence, whatever it speaks of."""
        return self._against.anywhere(evidence)

    def _is_foreign(self, place: Span) -> bool:
        return any(
            code or self._tongues.of(self._text[item.start : item.end], "") for item, code in self._sentences_in(place)
        )

    def _elsewhere(self, thing: str, evidence: Span, relation: Relation) -> CueAgainst:
        """Returns the strongest cue in the sentences of other languages that name the thing, in a compound too."""
        cues = set()
        for sentence, code in self._sentences_in(evidence):
            said = self._text[sentence.start : sentence.end]
            names = [
                Span(start=item.start(), end=item.end())
                for item in re.finditer(rf"(?<!\w){re.escape(plain(thing).casefold())}", plain(said).casefold())
            ]
            cues.add(self._tongues.cue(said, code, names, relation, self._called) if names else None)
        return next((cue for cue in (CueAgainst.END, CueAgainst.DENIAL) if cues - {None} == {cue}), CueAgainst.NONE)

    def asks(self, given: Proposal, relation: Relation, *, known: str, risk: bool) -> bool:
        """Whether the words only ask what is given, wherever the evidence stands.

        A `risk` that a question takes for granted ("with my pacemaker") is stated; so is what the next words answer or
        go on about ("Penicillin? Nearly killed me.").
        """
        said = plain(given.evidence).casefold()
        places = [
            Span(start=item.start(), end=item.end()) for item in re.finditer(re.escape(said), self._spoken) if said
        ]
        return bool(places) and all(self._asks_at(place, given.object, relation, known, risk=risk) for place in places)

    def _asks_at(self, evidence: Span, thing: str, relation: Relation, known: str, *, risk: bool) -> bool:
        spelt = re.compile(rf"(?<!\w){re.escape(plain(thing).casefold())}")
        names = [
            Span(start=item.start(), end=item.end())
            for item in spelt.finditer(self._spoken, evidence.start, evidence.end)
            if thing
        ] or self._mentions(known, evidence)
        stems, by_noun = self._tongues.nouns(relation)
        touched = [at for at, each in enumerate(self._parts) if _touch(each[0].span, evidence)]
        holding = [at for at in touched if any(_touch(self._parts[at][0].span, name) for name in names)] or touched
        for at in holding:
            goes_on = [part for part in self._parts[at + 1 : at + 2] if _touch(part[0].span, evidence)]
            if risk and any(each.is_topic(names) for each in self._parts[at]) and _states(goes_on, evidence):
                return False
            asking = [each for each in self._parts[at] if each.asks(evidence, names)]
            granted = risk and any(each.takes_for_granted(names, stems, alone=not by_noun) for each in asking)
            if not asking or granted:
                return False
        after = self._parts[holding[-1] + 1 :][:1] if holding else ()
        return bool(holding) and not any(each.answers for part in after for each in part)

    @cached_property
    def _parts(self) -> Sequence[Sequence[AskingSentence]]:
        """Each sentence, under every language that it may be in."""
        found = []
        for place, code in self._sentences_in(Span(start=0, end=len(self._text))):
            for start, text in parted(self._text, place):
                codes = [tongue.code for tongue in self._tongues.of(text, code)] or ["?" if code else ""]
                found.append([AskingSentence(start, text, self._asking.get(each, self._asking["?"])) for each in codes])
        return found

    def denied_elsewhere(self, evidence: Span) -> bool:
        """Whether a sentence in another known language holds any denial."""
        return any(
            self._tongues.denies(self._text[item.start : item.end], code) for item, code in self._sentences_in(evidence)
        )

    def in_known_language(self, evidence: Span) -> bool:
        """Whether all sentences at the place are in other languages whose words are known."""
        found = [
            self._tongues.of(self._text[item.start : item.end], code) for item, code in self._sentences_in(evidence)
        ]
        return bool(found) and all(found)

    def _sentences_in(self, evidence: Span) -> Iterator[tuple[Span, str]]:
        """Yields the sentences that the place touches, with the code of a foreign language."""
        for scene in self._understood.scenes:
            span = Span(start=scene.sentence.start, end=scene.sentence.end)
            if span.start < evidence.end and evidence.start < span.end:
                yield span, self._understood.foreign.get(scene.index, "")

    def _mentions(self, known: str, within: Span) -> list[Span]:
        """Returns every place in `within` that names the term, in any words."""
        return [
            Span(start=within.start + mention.start, end=within.start + mention.end)
            for mention in self._linker.mentions(self._text[within.start : within.end])
            if known and mention.name.casefold() == known
        ]

    def _places(self, thing: str, within: Span) -> list[Span]:
        """Returns every place of the thing's own words."""
        words = plain(thing).casefold()
        found = (
            re.finditer(rf"(?<!\w){re.escape(words)}(?!\w)", self._spoken[within.start : within.end]) if words else ()
        )
        return [Span(start=within.start + item.start(), end=within.start + item.end()) for item in found]


def _states(parts: Sequence[Sequence[AskingSentence]], evidence: Span) -> bool:
    """Whether there are sentences, and none of them asks."""
    return bool(parts) and not any(item.asks(evidence, ()) for part in parts for item in part)


def _touch(one: Span, other: Span) -> bool:
    return one.start < other.end and other.start < one.end
