"""Where a given fact stands in the words: its sentence, its thing, and what speaks against that (`against.py`)."""

import re
from collections.abc import Iterator, Sequence
from functools import cached_property, partial

from r_memory.domain.facts import Extraction, Observation, Proposal, Span
from r_memory.domain.schema import Relation, Schema
from r_memory.protocols import Linker, Utterance
from r_memory.reading.against import STEM, Against, AgainstWords
from r_memory.reading.asking import Asking, AskingSentence, parted
from r_memory.reading.extractor import RuleExtractor, RuleFindings
from r_memory.reading.language import listed
from r_memory.reading.listening import CueAgainst
from r_memory.reading.normalise import plain
from r_memory.reading.tongues import Tongue, Tongues
from r_memory.text.cutting import words_of

_QUANTIFIED = frozenset({"any", "all", "every", "no", "none", "nothing", "anything", "everything"})


class Contexts:
    """Makes the `Context` of an utterance, under one schema; holds the words of its languages."""

    def __init__(self, schema: Schema, rules: RuleExtractor, linker: Linker) -> None:
        self._schema, self._rules = schema, rules
        self.linker = linker
        self.words, self.tongues = AgainstWords(schema), Tongues(schema)
        languages = {"": schema.language, **schema.languages}
        self.asking = {code: Asking(partial(listed, language)) for code, language in languages.items()}
        """By language: under "" the schema's own, under "?" an unknown one, in which only a question mark asks."""
        self.asking["?"] = Asking(lambda *_: ())
        self._quantifiers = frozenset(listed(schema.language, "listening", "quantifiers"))

    def of(self, utterance: Utterance, local: Extraction | None) -> "Context":
        """Returns the context of one utterance; `local` is the local reader's extraction, if it ran."""
        understood = local.analysis if local is not None else None
        if not isinstance(understood, RuleFindings):
            understood = self._rules.understand(utterance)
        return Context(utterance, understood, self)

    def scope(self, words: str, relation: Relation, *, said: bool) -> str:
        """Returns the scope that the words name; empty if they name a thing.

        Words name a scope if they hold nothing but a quantifier, the relation's own noun and a kind of things ("any
        drug allergies", "any antibiotic"). With `said` (a closed form says "none"), words that are no term of the
        lexicon name a scope too.
        """
        spoken = words_of(plain(words).casefold())
        own = {part.casefold()[:STEM] for part in relation.name.split("_")}
        rest = [word for word in spoken if word not in self._quantifiers and word[:STEM] not in own]
        kinds = {scope: shown.casefold().split()[-1] for scope, shown in self._schema.scopes.items()}
        shown = [scope for scope, kind in kinds.items() if any(kind.startswith(word.rstrip("s")) for word in rest)]
        if not rest or (shown and len(rest) == 1):
            return shown[0] if shown else next(iter(self._schema.scopes), "")
        quantified = bool(spoken) and spoken[0] in _QUANTIFIED and len(rest) < len(spoken)
        unknown = said and not self.linker.resolve(" ".join(rest), relation.objects)
        return next(iter(self._schema.scopes), "") if quantified or unknown else ""


class Context:
    """The sentences, cues and scopes of one utterance."""

    def __init__(self, utterance: Utterance, understood: RuleFindings, known: Contexts) -> None:
        self._text, self._called = utterance.text, utterance.called
        self._understood, self._known = understood, known

    def scope(self, words: str, relation: Relation, *, said: bool) -> str:
        """Returns the scope, as `Contexts.scope`."""
        return self._known.scope(words, relation, said=said)

    @cached_property
    def _spoken(self) -> str:
        return plain(self._text).casefold()

    def sentences(self) -> Sequence[Span]:
        """Returns the place of every sentence; of the whole text if there is none."""
        return [place for place, _ in self._sentences] or [Span(start=0, end=len(self._text))]

    def first(self) -> Span:
        """Returns the first sentence, which answers the question before."""
        return self.sentences()[0]

    def sentence(self, span: Span) -> Span:
        """Returns one span over the sentences that `span` touches."""
        touched = [item for item in self.sentences() if _touch(item, span)]
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
            for mention in self._known.linker.mentions(self._text[within.start : within.end]):
                if mention.name.casefold() == seen.object.id:
                    return Span(start=within.start + mention.start, end=within.start + mention.end)
        return within

    @cached_property
    def _against(self) -> Against:
        """The sentences of the schema's own language."""
        foreign = {place.start for place, code in self._sentences if code or self._tongues_of(place, "")}
        own = [scene for scene in self._understood.scenes if scene.sentence.start not in foreign]
        return Against(own, self._known.words)

    def cue(self, evidence: Span, thing: str, relation: Relation, *, known: str = "") -> CueAgainst:
        """Returns the strongest cue against a thing, as `Against.strongest`; `known` is the term that the thing is."""
        names = self._places(thing, evidence) or self._mentions(known, evidence)
        abroad = (place for name in names for place in self._sentences_in(name))
        if any(code or self._tongues_of(place, "") for place, code in abroad):
            return self._elsewhere(thing, evidence, relation)
        cue = self._against.strongest(evidence, names, relation)
        return cue if cue is not CueAgainst.NONE else self._elsewhere(thing, evidence, relation)

    def _elsewhere(self, thing: str, evidence: Span, relation: Relation) -> CueAgainst:
        """Returns the strongest cue in the sentences of other languages that name the thing, in a compound too."""
        cues = set()
        for place, code in self._sentences_in(evidence):
            names = [
                Span(start=name.start - place.start, end=name.end - place.start)
                for name in self._places(thing, place, whole=False)
            ]
            said = self._text[place.start : place.end]
            if names:
                cues.add(self._known.tongues.cue(said, code, names, relation, self._called))
        return cues.pop() if len(cues) == 1 else CueAgainst.NONE

    def asks(self, given: Proposal, relation: Relation, *, known: str, risk: bool) -> bool:
        """Whether the words only ask what is given, wherever the evidence stands.

        A `risk` that a question takes for granted ("with my pacemaker") is stated; so is what the next words answer.
        """
        said = re.escape(plain(given.evidence).casefold())
        places = [Span(start=item.start(), end=item.end()) for item in re.finditer(said, self._spoken) if said]
        return bool(places) and all(self._asks_at(place, given.object, relation, known, risk=risk) for place in places)

    def _asks_at(self, evidence: Span, thing: str, relation: Relation, known: str, *, risk: bool) -> bool:
        names = self._places(thing, evidence, whole=False) or self._mentions(known, evidence)
        stems, by_noun = self._known.tongues.nouns(relation)
        touched = [at for at, one in enumerate(self._parts) if _touch(one[0].span, evidence)]
        holding = [at for at in touched if any(_touch(self._parts[at][0].span, name) for name in names)] or touched
        for at in holding:
            asking = [one for one in self._parts[at] if one.asks(evidence, names)]
            granted = risk and any(one.takes_for_granted(names, stems, alone=not by_noun) for one in asking)
            if not asking or granted:
                return False
        after = self._parts[holding[-1] + 1 :][:1] if holding else ()
        return bool(holding) and not any(one.answers for part in after for one in part)

    @cached_property
    def _parts(self) -> Sequence[Sequence[AskingSentence]]:
        """Each sentence, under every language that it may be in."""
        asking = self._known.asking
        return [
            [
                AskingSentence(start, text, asking.get(tongue, asking["?"]))
                for tongue in [each.code for each in self._known.tongues.of(text, code)] or ["?" if code else ""]
            ]
            for place, code in self._sentences
            for start, text in parted(self._text, place)
        ]

    def denied_elsewhere(self, evidence: Span) -> bool:
        """Whether a sentence in another known language holds any denial."""
        return any(
            self._known.tongues.denies(self._text[place.start : place.end], code)
            for place, code in self._sentences_in(evidence)
        )

    def in_known_language(self, evidence: Span) -> bool:
        """Whether all sentences at the place are in other languages whose words are known."""
        found = [self._tongues_of(place, code) for place, code in self._sentences_in(evidence)]
        return bool(found) and all(found)

    def _tongues_of(self, place: Span, code: str) -> Sequence[Tongue]:
        return self._known.tongues.of(self._text[place.start : place.end], code)

    @cached_property
    def _sentences(self) -> Sequence[tuple[Span, str]]:
        """The place of every sentence, with the code of a foreign language."""
        return [
            (Span(start=scene.sentence.start, end=scene.sentence.end), self._understood.foreign.get(scene.index, ""))
            for scene in self._understood.scenes
        ]

    def _sentences_in(self, place: Span) -> Iterator[tuple[Span, str]]:
        return (each for each in self._sentences if _touch(each[0], place))

    def _mentions(self, known: str, within: Span) -> list[Span]:
        """Returns every place in `within` that names the term, in any words."""
        return [
            Span(start=within.start + mention.start, end=within.start + mention.end)
            for mention in self._known.linker.mentions(self._text[within.start : within.end])
            if known and mention.name.casefold() == known
        ]

    def _places(self, thing: str, within: Span, *, whole: bool = True) -> list[Span]:
        """Returns every place of the thing's own words; unless `whole`, the last may go on as a compound."""
        ends = r"(?!\w)" if whole else ""
        pattern = re.compile(rf"(?<!\w){re.escape(plain(thing).casefold())}{ends}")
        found = pattern.finditer(self._spoken, within.start, within.end) if thing else ()
        return [Span(start=item.start(), end=item.end()) for item in found]


def _touch(one: Span, other: Span) -> bool:
    return one.start < other.end and other.start < one.end
