"""Where a given fact stands in the words: its sentence, its thing, and whether a word of denial or end reaches that.

The cues are the language file's; what they decide stands in `listening.py`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from r_memory.domain.facts import Extraction, Observation, Proposal, Span
from r_memory.domain.schema import Relation, Schema
from r_memory.protocols import Linker, Utterance
from r_memory.reading.assertion import SPEAKING_AGAINST, Kind
from r_memory.reading.extractor import RuleExtractor, Understood
from r_memory.reading.language import listed
from r_memory.reading.listening import Cue
from r_memory.reading.normalise import plain
from r_memory.reading.rules.candidates import Scene
from r_memory.text.cutting import words_of

_STEM = 5
"""Letters of a part of a relation's name by which its noun is known: ALLERGY in "allergies"."""
_QUANTIFIED = frozenset({"any", "all", "every", "no", "none", "nothing", "anything", "everything"})


@dataclass(frozen=True, slots=True, kw_only=True)
class AgainstWords:
    """Words of the language file that speak against what is said."""

    negators: frozenset[str]
    modals: frozenset[str]
    """Before a negator they make it a prohibition."""
    ends: frozenset[str]
    past: frozenset[str]
    """They end what is no critical relation: an earlier value, a post that somebody left."""


class Contexts:
    """What is looked up once for each utterance, under one schema."""

    def __init__(self, schema: Schema, rules: RuleExtractor, linker: Linker) -> None:
        self._rules = rules
        self._linker = linker
        self._words = AgainstWords(**{name: _words(schema, name) for name in ("negators", "modals", "ends", "past")})
        self._scopes = Scopes(schema, _words(schema, "quantifiers"), linker)

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

    def cue(self, evidence: Span, relation: Relation) -> Cue:
        """The strongest word against it in the evidence; none in a language whose cues are not known.

        Under a relation of which a "not" is a part ("must not have"), only what ends or refutes counts.
        """
        found = {
            self._cue_in(scene, evidence, relation)
            for scene in self._understood.scenes
            if scene.sentence.start < evidence.end
            and evidence.start < scene.sentence.end
            and scene.index not in self._understood.foreign
        }
        return next((cue for cue in (Cue.END, Cue.DENIAL) if cue in found), Cue.NONE)

    def _cue_in(self, scene: Scene, evidence: Span, relation: Relation) -> Cue:
        units = scene.sentence.units
        kinds = {
            cue.value.kind
            for cue in scene.cues.found
            if units[cue.start].start < evidence.end
            and evidence.start < units[cue.end - 1].end
            and self._words.modals.isdisjoint(scene.sentence.words[max(cue.start - 1, 0) : cue.start])
        }
        said = words_of(self._text[evidence.start : evidence.end].casefold())
        ends = self._words.ends if relation.critical else self._words.ends | self._words.past
        if not ends.isdisjoint(said):
            return Cue.END
        negated = any(
            word in self._words.negators and said[max(at - 1, 0)] not in self._words.modals
            for at, word in enumerate(said)
        )
        denied = relation.negation != "ignore" and (Kind.NEGATED in kinds or negated)
        against = denied or not kinds.isdisjoint(SPEAKING_AGAINST - {Kind.NEGATED})
        return Cue.DENIAL if against else Cue.NONE


def _words(schema: Schema, name: str) -> frozenset[str]:
    return frozenset(listed(schema.language, "listening", name))
