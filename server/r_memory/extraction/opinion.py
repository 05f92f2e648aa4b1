"""The second opinion: how the rules read the words that another route quotes as its evidence.

Uses what the extractor understood of the whole utterance; decides nothing, the validator does. Implements
`protocols.SecondOpinion`.
"""

from r_memory.domain.facts import Proposal, Status
from r_memory.extraction.assertion import Stretch
from r_memory.extraction.experiencer import Who
from r_memory.extraction.extractor import RuleExtractor, Understood
from r_memory.extraction.normalise import plain
from r_memory.extraction.rules.candidates import Candidate, Scene
from r_memory.protocols import Reading, Utterance

_OWN = frozenset({Who.SUBJECT, Who.DOUBTFUL})


class RuleOpinion:
    """Asks the rules of one schema."""

    def __init__(self, extractor: RuleExtractor) -> None:
        self._extractor = extractor
        self._last: tuple[Utterance, Understood] | None = None
        """Several proposals usually quote one utterance."""

    def read(self, utterance: Utterance, proposal: Proposal) -> Reading:
        """How the rules read the triple itself, if they found it; else how they read the words around the evidence."""
        understood = self._understood(utterance)
        same = [candidate for candidate in understood.kept if _same(candidate, proposal)]
        if same:
            return _reading(same[0], found=True)
        dismissed = [candidate for candidate in understood.candidates if _same(candidate, proposal)]
        if dismissed:
            return _reading(dismissed[0], found=True)
        return self._around(understood, proposal, utterance)

    def _understood(self, utterance: Utterance) -> Understood:
        if self._last is None or self._last[0] is not utterance:
            self._last = (utterance, self._extractor.understand(utterance))
        return self._last[1]

    def _around(self, understood: Understood, proposal: Proposal, utterance: Utterance) -> Reading:
        start = understood.text.find(plain(proposal.evidence))
        end = start + len(proposal.evidence)
        for scene in understood.scenes:
            units = [at for at, unit in enumerate(scene.sentence.units) if unit.start < end and unit.end > start]
            if units:
                return self._stance(scene, units[0], units[-1] + 1, proposal.relation, utterance)
        return Reading(status=Status.UNCONFIRMED, own=True, asserted=False)

    def _stance(self, scene: Scene, first: int, last: int, relation: str, utterance: Utterance) -> Reading:
        """Every word of a quoted stretch counts: a negation or a person inside it is part of what is claimed."""
        stretch = Stretch(first=first, last=last, gaps=frozenset(range(first, last)))
        stance, person = self._extractor.stance(scene, stretch, relation, utterance.subject)
        return Reading(status=stance.status, own=person.who in _OWN, asserted=stance.asserted)


def _same(candidate: Candidate, proposal: Proposal) -> bool:
    return candidate.relation == proposal.relation and candidate.name.casefold() == proposal.object.casefold()


def _reading(candidate: Candidate, *, found: bool) -> Reading:
    return Reading(status=candidate.status, own=candidate.who in _OWN, asserted=candidate.asserted, found=found)
