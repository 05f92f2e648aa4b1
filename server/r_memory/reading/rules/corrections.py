"""Words that take back what was said before them: "scratch that", "no wait, it was …".

What is taken back is no longer certain, and what is named behind may stand in its place. What the words before and
behind state is read elsewhere.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from r_memory.domain.facts import RISK, Flag, Status
from r_memory.domain.schema import Schema
from r_memory.reading.experiencer import Who
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
        self._denying = pack.words("assertion", "negators")

    def applied(self, scenes: Sequence[Scene], candidates: Sequence[Candidate]) -> list[Candidate]:
        """Returns the candidates, corrected ones in doubt, with the candidates named in their place."""
        kept = list(candidates)
        for scene in scenes:
            found = [(word.start, word.end, True) for word in self._withdrawing.longest(scene.sentence.words)]
            found += [(word.start, word.end, False) for word in self._rephrasing.longest(scene.sentence.words)]
            for start, end, withdrawn in sorted(found):
                before = [
                    candidate for candidate in kept if _stands_before(candidate, scene, start) and candidate.asserted
                ]
                instead = list(self._instead(scenes, _behind(scene, end), before, kept))
                gone = withdrawn or bool(instead)
                kept = [
                    self._doubted(candidate, withdrawn=gone) if candidate in before else candidate for candidate in kept
                ] + instead
        return kept

    def _doubted(self, candidate: Candidate, *, withdrawn: bool) -> Candidate:
        """Returns the corrected candidate: a critical risk, in doubt if withdrawn; any other no longer asserted."""
        if candidate.status not in RISK or not self._schema.relations[candidate.relation].critical:
            return replace(candidate, asserted=False, why=_WHY)
        return candidate.doubted() if withdrawn else candidate

    def _instead(
        self, scenes: Sequence[Scene], place: tuple[int, int], before: Sequence[Candidate], found: Sequence[Candidate]
    ) -> Iterator[Candidate]:
        """Yields what is named behind a correction and not read otherwise, under the corrected relation."""
        meant = [
            candidate
            for candidate in before
            if self._schema.relations[candidate.relation].critical and candidate.who is Who.SUBJECT
        ]
        if not meant:
            return
        types = self._schema.relations[meant[-1].relation].objects
        read = {(candidate.sentence, candidate.at) for candidate in found}
        for scene in scenes[place[0] : place[0] + 1]:
            for at, mention in scene.sentence.terms(types):
                denied = not self._denying.isdisjoint(scene.sentence.words[max(at - 2, 0) : at])
                if at < place[1] or denied or (scene.index, at) in read:
                    continue
                yield replace(
                    meant[-1],
                    name=mention.name,
                    type=mention.type,
                    said=scene.sentence.words[at],
                    status=Status.UNCONFIRMED,
                    attrs={},
                    flags=frozenset({Flag.COREF}),
                    source="correction",
                    sentence=scene.index,
                    first=at,
                    last=at + 1,
                    at=at,
                )


def _stands_before(candidate: Candidate, scene: Scene, position: int) -> bool:
    same = candidate.sentence == scene.index and candidate.last <= position
    return same or (position < _OPENING and candidate.sentence == scene.index - 1)


def _behind(scene: Scene, position: int) -> tuple[int, int]:
    """Returns the sentence and unit behind the correction; in the next sentence if its own ends there."""
    goes_on = any(unit.is_word for unit in scene.sentence.units[position:])
    return (scene.index, position) if goes_on else (scene.index + 1, 0)
