"""Words that take back what was said before them: "scratch that", "no wait, it was …".

What is taken back is no longer certain. What the words before and behind state is read elsewhere.
"""

from collections.abc import Sequence
from dataclasses import replace

from r_memory.domain.facts import RISK
from r_memory.domain.schema import Schema
from r_memory.reading.language import LanguagePack
from r_memory.reading.rules.candidates import Candidate, Scene

_OPENING = 3
"""Units at the start of a sentence in which a correction refers to the sentence before."""
_WHY = "taken back, or put right, in the words behind it"


class Corrections:
    """Applies corrections ("scratch that"), in one language under one schema."""

    def __init__(self, schema: Schema, pack: LanguagePack) -> None:
        self._schema = schema
        self._rephrasing = pack.phrases("corrections", "rephrasing")
        self._withdrawing = pack.phrases("corrections", "withdrawing")

    def applied(self, scenes: Sequence[Scene], candidates: Sequence[Candidate]) -> list[Candidate]:
        """Returns the candidates, corrected ones in doubt."""
        kept = list(candidates)
        for scene in scenes:
            words = scene.sentence.words
            found = [(word.start, True) for word in self._withdrawing.longest(words)]
            found += [(word.start, False) for word in self._rephrasing.longest(words)]
            for start, withdrawn in sorted(found):
                kept = [
                    self._doubted(candidate, withdrawn=withdrawn)
                    if candidate.asserted and _stands_before(candidate, scene, start)
                    else candidate
                    for candidate in kept
                ]
        return kept

    def _doubted(self, candidate: Candidate, *, withdrawn: bool) -> Candidate:
        """Returns the corrected candidate: a critical risk, in doubt if withdrawn; any other no longer asserted."""
        if candidate.status not in RISK or not self._schema.relations[candidate.relation].critical:
            return replace(candidate, asserted=False, why=_WHY)
        return candidate.doubted() if withdrawn else candidate


def _stands_before(candidate: Candidate, scene: Scene, position: int) -> bool:
    same = candidate.sentence == scene.index and candidate.last <= position
    return same or (position < _OPENING and candidate.sentence == scene.index - 1)
