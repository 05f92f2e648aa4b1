"""What leans on words said before: it takes them back ("scratch that", "no wait, it was …") or over ("and so am I").

What is taken back is no longer certain, and what is named behind may stand in its place. An elliptic clause is nothing
but a person and a helping verb; it takes over the statement before it. What the words before and behind state is read
elsewhere.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from r_memory.domain.facts import DENIAL, RISK, SCOPE_TYPE, Flag, Status
from r_memory.domain.schema import Schema
from r_memory.reading.experiencer import Person, Who
from r_memory.reading.language import LanguagePack
from r_memory.reading.rules.candidates import Candidate, Scene

_LONGEST = 8
"""Words of a clause that can still be elliptic."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Claim:
    """What an elliptic clause says: of whom, and whether it denies."""

    person: Person
    denied: bool
    first: int
    last: int


class Elliptic:
    """The elliptic clauses of one language."""

    def __init__(self, pack: LanguagePack) -> None:
        section = "ellipsis"
        self._helping = pack.words(section, "helping")
        self._denying = pack.words(section, "denying")
        self._around = pack.words(section, "around") | pack.words("possessives")

    def taken_over(self, scenes: Sequence[Scene], candidates: Sequence[Candidate]) -> Iterator[Candidate]:
        """What elliptic clauses state anew of the candidates that stand right before them."""
        for scene in scenes:
            for claim in self._claims(scene):
                for said in _before(scene, claim.first, candidates):
                    yield from _claimed(said, scene, claim)

    def _claims(self, scene: Scene) -> Iterator[_Claim]:
        clauses = scene.sentence.clauses
        for number in dict.fromkeys(clauses):
            first, last = clauses.index(number), len(clauses) - clauses[::-1].index(number)
            claim = self._claim(scene, first, last)
            if claim is not None:
                yield claim

    def _claim(self, scene: Scene, first: int, last: int) -> _Claim | None:
        """The claim of a clause that holds nobody but one person, a helping verb, and perhaps a denial."""
        units = scene.sentence.units[first:last]
        persons = [person for person in scene.persons if first <= person.at < last]
        at = {person.at - first for person in persons}
        rest = [unit.word for place, unit in enumerate(units) if unit.is_word and place not in at]
        helped = [word for word in rest if word in self._helping]
        strange = [word for word in rest if word not in self._helping | self._denying | self._around]
        if len(persons) != 1 or len(helped) != 1 or strange or len(rest) > _LONGEST or persons[0].reports:
            return None
        return _Claim(person=persons[0], denied=any(word in self._denying for word in rest), first=first, last=last)


def _before(scene: Scene, first: int, candidates: Iterable[Candidate]) -> list[Candidate]:
    """The statements of the clause before, or of the sentence before if the clause opens its own."""
    number = scene.sentence.clauses[first]
    candidates = [one for one in candidates if one.source != "answer"]
    here = [
        one for one in candidates if one.sentence == scene.index and scene.sentence.clauses[one.first] == number - 1
    ]
    earlier = [one for one in candidates if one.sentence == scene.index - 1]
    return here if number else earlier


def _claimed(said: Candidate, scene: Scene, claim: _Claim) -> Iterator[Candidate]:
    """The statement as the clause takes it over; of the same person it says nothing new."""
    if said.type == SCOPE_TYPE or not said.asserted or said.who is claim.person.who or not said.name:
        return
    if claim.person.who not in {Who.SUBJECT, Who.FAMILY} or said.status not in RISK | DENIAL:
        return
    status = Status.NEGATED if claim.denied else Status.ACTIVE
    yield replace(
        said,
        who=claim.person.who,
        relative=claim.person.relative,
        status=status,
        asserted=not claim.denied,
        why="a denial by a helping verb alone" if claim.denied else "",
        quiet=claim.denied,
        attrs={},
        sentence=scene.index,
        first=claim.first,
        last=claim.last,
        at=-1,
        source="ellipsis",
    )


_OPENING = 3
"""Units of a sentence in which a correction is one of the sentence before."""
_WHY = "taken back, or put right, in the words behind it"


class Corrections:
    """The corrections of one language under one schema."""

    def __init__(self, schema: Schema, pack: LanguagePack) -> None:
        self._schema = schema
        self._rephrasing = pack.phrases("corrections", "rephrasing")
        self._withdrawing = pack.phrases("corrections", "withdrawing")
        self._denying = pack.words("assertion", "negators")

    def applied(self, scenes: Sequence[Scene], candidates: Sequence[Candidate]) -> list[Candidate]:
        """The candidates: those put right in doubt, and with them what is named in their place."""
        kept = list(candidates)
        for scene in scenes:
            found = [(one.start, one.end, True) for one in self._withdrawing.longest(scene.sentence.words)]
            found += [(one.start, one.end, False) for one in self._rephrasing.longest(scene.sentence.words)]
            for start, end, withdrawn in sorted(found):
                kept = self._corrected(scenes, scene, (start, end), kept, withdrawn=withdrawn)
        return kept

    def _corrected(
        self,
        scenes: Sequence[Scene],
        scene: Scene,
        cue: tuple[int, int],
        candidates: Sequence[Candidate],
        *,
        withdrawn: bool,
    ) -> list[Candidate]:
        before = [one for one in candidates if _stands_before(one, scene, cue[0]) and one.asserted]
        instead = list(self._instead(scenes, scene, cue[1], before, candidates))
        return [
            self._doubted(one, withdrawn=withdrawn or bool(instead)) if one in before else one for one in candidates
        ] + instead

    def _doubted(self, candidate: Candidate, *, withdrawn: bool) -> Candidate:
        """A denial does not outlive a correction; a risk does, unconfirmed, if it is taken back or replaced."""
        if candidate.status not in RISK or self._reassures(candidate):
            return replace(candidate, asserted=False, why=_WHY)
        return candidate.doubted() if withdrawn else candidate

    def _reassures(self, candidate: Candidate) -> bool:
        return not self._schema.relations[candidate.relation].critical

    def _instead(
        self,
        scenes: Sequence[Scene],
        scene: Scene,
        behind: int,
        before: Sequence[Candidate],
        candidates: Sequence[Candidate],
    ) -> Iterator[Candidate]:
        """What is named behind a correction and not otherwise read, under the relation that was put right."""
        meant = [one for one in before if self._schema.relations[one.relation].critical and one.who is Who.SUBJECT]
        if not meant:
            return
        read = {(one.sentence, one.at) for one in candidates}
        for place, at in _named_behind(scenes, scene, behind):
            unit = scenes[place].sentence.units[at]
            denied = not self._denying.isdisjoint(scenes[place].sentence.words[max(at - 2, 0) : at])
            fits = unit.mention is not None and unit.mention.type in self._schema.relations[meant[-1].relation].objects
            if unit.mention is None or not fits or denied or (place, at) in read:
                continue
            yield replace(
                meant[-1],
                name=unit.mention.name,
                type=unit.mention.type,
                said=unit.word,
                status=Status.UNCONFIRMED,
                attrs={},
                flags=frozenset({Flag.COREF}),
                source="correction",
                sentence=place,
                first=at,
                last=at + 1,
                at=at,
            )


def _stands_before(candidate: Candidate, scene: Scene, position: int) -> bool:
    same = candidate.sentence == scene.index and candidate.last <= position
    return same or (position < _OPENING and candidate.sentence == scene.index - 1)


def _named_behind(scenes: Sequence[Scene], scene: Scene, position: int) -> Iterator[tuple[int, int]]:
    """Places behind the correction: to the end of its sentence, or in the next one if it ends there."""
    rest = range(position, len(scene.sentence.units))
    if any(scene.sentence.units[at].is_word for at in rest):
        yield from ((scene.index, at) for at in rest)
    elif scene.index + 1 < len(scenes):
        yield from ((scene.index + 1, at) for at in range(len(scenes[scene.index + 1].sentence.units)))
