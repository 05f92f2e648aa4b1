"""Sentences that leave out what was just said: "… but my mother is", "I'm not", "and so am I".

Knows a clause that is nothing but a person and a helping verb; what it takes over is the statement before it.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from r_memory.domain.facts import DENIAL, RISK, SCOPE_TYPE, Status
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
