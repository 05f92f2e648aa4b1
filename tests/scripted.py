"""Doubles of the protocols that answer as they were told; the honest ones are shipped in `r_memory.testing`."""

import re
from collections.abc import Callable, Mapping, Sequence

from r_memory.domain.facts import (
    UNMAPPED_TYPE,
    Extraction,
    Flag,
    Observation,
    Proposal,
    Rejection,
    Span,
    Status,
    concept,
)
from r_memory.domain.intents import Classification, IntentScore
from r_memory.domain.turns import Judgement
from r_memory.protocols import Mention, Shortening, Utterance

Terms = Mapping[str, Mapping[str, Sequence[str]]]


class WordLinker:
    """Finds the given terms, written as in a lexicon: type to canonical name to synonyms."""

    def __init__(self, terms: Terms) -> None:
        self._meanings = {
            word.casefold(): (type_, name)
            for type_, names in terms.items()
            for name, synonyms in names.items()
            for word in (name, *synonyms)
        }
        words = sorted(self._meanings, key=len, reverse=True)
        self._pattern = re.compile(rf"(?<!\w)({'|'.join(map(re.escape, words)) or '(?!)'})(?!\w)", re.IGNORECASE)

    def mentions(self, text: str) -> tuple[Mention, ...]:
        """Longest matches, left to right, without overlap."""
        return tuple(self._mention(found.group(), found.start(), found.end()) for found in self._pattern.finditer(text))

    def resolve(self, words: str, types: Sequence[str]) -> tuple[Mention, ...]:
        """The one term that is exactly these words, if it is of one of the types."""
        if words.casefold() not in self._meanings:
            return ()
        mention = self._mention(words, 0, len(words))
        return (mention,) if mention.type in types else ()

    def _mention(self, surface: str, start: int, end: int) -> Mention:
        type_, name = self._meanings[surface.casefold()]
        return Mention(type=type_, name=name, start=start, end=end, surface=surface)


class ScriptedClassifier:
    """Names the given action types, each as certain and asked for unless not recognised; or raises the given error.

    Remembers what it was asked.
    """

    def __init__(self, *names: str, recognised: bool = True, error: Exception | None = None) -> None:
        self.asked: list[str] = []
        self._scores = tuple(IntentScore(name=name, probability=1.0, asked=recognised) for name in names)
        self._recognised = recognised
        self._error = error

    def classify(self, query: str, mentions: Sequence[Mention]) -> Classification:  # noqa: ARG002 - the protocol's
        """The same for every query.

        Raises:
            Exception: the one it was made with.
        """
        self.asked.append(query)
        if self._error is not None:
            raise self._error
        return Classification(scores=self._scores, recognised=self._recognised)


class ScriptedJudge:
    """Implements `protocols.Judge`: the same answer to every first question, prepared ones to the second.

    `suffices` maps what the judge is shown to the answer; everything else suffices. `None` is an answer that nobody
    understands.
    """

    name = "scripted"

    def __init__(self, *, needed: bool | None = True, suffices: Mapping[str, bool | None] | None = None) -> None:
        self.needed = needed
        self.asked: list[str] = []
        """Every first question."""
        self._suffices = dict(suffices or {})

    async def needs_memory(self, question: str) -> Judgement:
        """The prepared answer to Q1."""
        self.asked.append(question)
        return _answer(yes=self.needed)

    async def suffices(self, question: str, material: str) -> Judgement:  # noqa: ARG002 - the protocol's
        """The prepared answer to Q2."""
        return _answer(yes=self._suffices.get(material, True))


def _answer(*, yes: bool | None) -> Judgement:
    return Judgement(yes=yes, by="scripted", trouble="neither yes nor no" if yes is None else "")


class ScriptedShortener:
    """Keeps the first words of a text, or does what it was given to do. Implements `protocols.Shortener`."""

    name = "scripted"

    def __init__(self, answer: Callable[[str, Shortening], str] | None = None) -> None:
        """`answer` may raise a `ModelError`."""
        self.asked: list[tuple[str, Shortening]] = []
        """Text and task of every call, in order."""
        self._answer = answer or _first_words

    async def shorten(self, text: str, task: Shortening) -> str:
        """As in `Shortener`."""
        self.asked.append((text, task))
        return self._answer(text, task)


def _first_words(text: str, task: Shortening) -> str:
    return " ".join(text.split()[: task.words])


class ScriptedExtractor:
    """Gives the prepared extraction of a text, and nothing for any other."""

    name = "scripted/1"

    def __init__(self, script: Mapping[str, Extraction]) -> None:
        self.heard: list[Utterance] = []
        """Everything it was asked, in order."""
        self._script = script

    def extract(self, utterance: Utterance) -> Extraction:
        """The prepared extraction."""
        self.heard.append(utterance)
        return self._script.get(utterance.text, Extraction())


class TrustingValidator:
    """Turns every proposal into an observation, except relations that it was told to refuse."""

    def __init__(self, *, refused: Sequence[str] = ()) -> None:
        self._refused = frozenset(refused)

    def form(self, utterance: Utterance, proposal: Proposal) -> tuple[Observation, str] | Rejection:
        """The same, with nothing left out."""
        checked = self.check(utterance, proposal)
        return checked if isinstance(checked, Rejection) else (checked, "")

    def check(
        self,
        utterance: Utterance,
        proposal: Proposal,
        read_before: Extraction | None = None,  # noqa: ARG002 - the protocol's
    ) -> Observation | Rejection:
        """The observation, with a concept of the proposal's type or an unmapped word of the speaker's space."""
        if proposal.relation in self._refused:
            return Rejection(relation=proposal.relation, object=proposal.object, reason="refused by the script")
        known = bool(proposal.object_type)
        start = max(0, utterance.text.find(proposal.evidence))
        return Observation(
            subject=utterance.subject,
            relation=proposal.relation,
            object=concept(proposal.object_type, proposal.object)
            if known
            else concept(UNMAPPED_TYPE, proposal.object, space=utterance.subject.space),
            status=Status(proposal.status),
            attrs=proposal.attrs,
            evidence=proposal.evidence,
            span=proposal.span or Span(start=start, end=start + len(proposal.evidence)),
            route=proposal.route,
            extractor=proposal.extractor,
            confidence=proposal.confidence,
            flags=proposal.flags if known else proposal.flags | {Flag.UNMAPPED},
        )
