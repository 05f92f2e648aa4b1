"""Doubles for the write path: an extractor that reads from a script, and a gate that lets everything through."""

from collections.abc import Mapping, Sequence

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
from r_memory.protocols import Utterance


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
