"""Where a given fact stands in the words: its sentence, its thing, and what speaks against that (`against.py`)."""

import re
from collections.abc import Sequence
from functools import cached_property

from r_memory.domain.facts import Extraction, Observation, Proposal, Span
from r_memory.domain.schema import Relation, Schema
from r_memory.protocols import Linker, Utterance
from r_memory.reading.against import STEM, Against, AgainstWords
from r_memory.reading.extractor import RuleExtractor, Understood
from r_memory.reading.language import listed
from r_memory.reading.listening import Cue
from r_memory.reading.normalise import plain
from r_memory.text.cutting import words_of

_QUANTIFIED = frozenset({"any", "all", "every", "no", "none", "nothing", "anything", "everything"})


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
        own = {part.casefold()[:STEM] for part in relation.name.split("_")}
        rest = [word for word in spoken if word not in self._quantifiers and word[:STEM] not in own]
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
        self, utterance: Utterance, understood: Understood, linker: Linker, scopes: Scopes, words: AgainstWords
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

    @cached_property
    def _against(self) -> Against:
        known = [scene for scene in self._understood.scenes if scene.index not in self._understood.foreign]
        return Against(known, self._words)

    def cue(self, evidence: Span, thing: str, relation: Relation, *, known: str = "") -> Cue:
        """The strongest word against a thing in the evidence, as `Against.strongest`; `known` is the term it is."""
        names = self._places(thing, evidence) or self._mentions(known, evidence)
        return self._against.strongest(evidence, names, relation)

    def _mentions(self, known: str, within: Span) -> list[Span]:
        """Wherever a term is named, in whatever words."""
        return [
            Span(start=within.start + one.start, end=within.start + one.end)
            for one in self._linker.mentions(self._text[within.start : within.end])
            if known and one.name.casefold() == known
        ]

    def _places(self, thing: str, within: Span) -> list[Span]:
        """Wherever the words of the thing stand."""
        words = plain(thing).casefold()
        found = (
            re.finditer(rf"(?<!\w){re.escape(words)}(?!\w)", self._spoken[within.start : within.end]) if words else ()
        )
        return [Span(start=within.start + one.start(), end=within.start + one.end()) for one in found]
