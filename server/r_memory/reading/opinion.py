"""The second opinion: how the rules read the words that another route quotes as its evidence.

Uses what the extractor understood of the whole utterance; decides nothing, the validator does.
"""

from collections.abc import Sequence
from dataclasses import replace

from r_memory.domain.facts import Extraction, Proposal, Status
from r_memory.domain.schema import Schema
from r_memory.protocols import Reading, Utterance
from r_memory.reading.assertion import NamedStretch
from r_memory.reading.experiencer import Who
from r_memory.reading.extractor import RuleExtractor, RuleFindings
from r_memory.reading.normalise import plain
from r_memory.reading.rules.candidates import Scene
from r_memory.reading.sentences import Sentence

_HELPING = frozenset({"HAS", "IS", "TO", "WITH", "OF", "IN", "BY", "FOR", "BE", "MUST", "NOT"})
"""Parts of a relation's name that do not tell what it is about."""
_OWN = frozenset({Who.SUBJECT, Who.DOUBTFUL})


class RuleOpinion:
    """Compares proposals with the rules of one schema."""

    def __init__(self, extractor: RuleExtractor, schema: Schema) -> None:
        self._extractor = extractor
        self._stems = {name: _stems(name, schema) for name in schema.relations}

    def read(self, utterance: Utterance, proposal: Proposal, read_before: Extraction | None = None) -> Reading:
        """Returns the rules' reading of the proposed triple; if they have none, of the words around the evidence.

        `read_before` is the rules' extraction of this utterance; its `analysis` is reused.
        """
        understood = read_before.analysis if read_before is not None else None
        if not isinstance(understood, RuleFindings):
            understood = self._extractor.understand(utterance)
        read = [
            *((item, True) for item in understood.kept),
            *((candidate, False) for candidate in understood.candidates),
        ]
        about = [(one, stands) for one, stands in read if one.name.casefold() == proposal.object.casefold()]
        elsewhere = any(stands for _, stands in about)
        for one, stands in about:
            if one.relation == proposal.relation:
                return Reading(
                    status=one.status,
                    own=one.who in _OWN,
                    asserted=one.asserted,
                    stands=stands,
                    named=True,
                    elsewhere=elsewhere and not stands,
                )
        return replace(self._around(understood, proposal), elsewhere=elsewhere)

    def _around(self, understood: RuleFindings, proposal: Proposal) -> Reading:
        """Returns the reading of the evidence; over several sentences, the most doubtful one."""
        start = understood.text.find(plain(proposal.evidence))
        end = start + len(proposal.evidence)
        readings: list[Reading] = []
        for scene in understood.scenes:
            units = [at for at, unit in enumerate(scene.sentence.units) if unit.start < end and unit.end > start]
            if units:
                reading = self._stance(scene, units[0], units[-1] + 1, proposal.relation)
                words = _clause_words(scene.sentence, units, proposal.object)
                named = any(word.startswith(self._stems[proposal.relation]) for word in words)
                readings.append(replace(reading, named=named))
        return _most_doubtful(readings)

    def _stance(self, scene: Scene, first: int, last: int, relation: str) -> Reading:
        """Returns the reading of a quoted stretch; every negation and person inside it counts."""
        stretch = NamedStretch(first=first, last=last, gaps=frozenset(range(first, last)))
        stance, person = self._extractor.stance(scene, stretch, relation)
        return Reading(status=stance.status, own=person.who in _OWN, asserted=stance.asserted)


def _stems(relation: str, schema: Schema) -> tuple[str, ...]:
    """Returns the stems of the words for a relation: of the parts of its name, and of the net.

    Endings are cut, so that ALLERGY matches "allergic".
    """
    parts = [part.casefold() for part in relation.split("_") if part not in _HELPING]
    net = schema.comention
    return (
        *(part[: max(4, len(part) - 2)] for part in parts),
        *(net.stems if net is not None and net.relation == relation else ()),
    )


def _most_doubtful(readings: Sequence[Reading]) -> Reading:
    """Returns the reading that all of them support."""
    if not readings:
        return Reading(status=Status.UNCONFIRMED, own=True, asserted=False)
    return Reading(
        status=next((reading.status for reading in readings if reading.status is not Status.ACTIVE), Status.ACTIVE),
        own=all(reading.own for reading in readings),
        asserted=all(reading.asserted for reading in readings),
        named=any(reading.named for reading in readings),
    )


def _clause_words(sentence: Sentence, quoted: Sequence[int], name: str) -> frozenset[str]:
    """Returns the words of the clauses in which the evidence names the object; else of all its clauses."""
    wanted = name.casefold().split()
    naming = [
        at
        for at in quoted
        if ((mention := sentence.units[at].mention) and mention.name.casefold() == name.casefold())
        or sentence.units[at].word in wanted
    ]
    clauses = {sentence.clause(at) for at in naming or quoted}
    return frozenset(
        word
        for first, end in clauses
        for unit in sentence.units[first:end]
        for word in unit.words
        if word not in wanted
    )
