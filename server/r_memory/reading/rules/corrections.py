"""What leans on words said before: it takes them back ("scratch that", "no wait, it was …") or over ("and so am I").

What is taken back is no longer certain, and what is named behind may stand in its place. An elliptic clause is nothing
but a person and a helping verb; it takes over the statement before it. What the words before and behind state is read
elsewhere.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from r_memory.domain.facts import RISK, SCOPE_TYPE, Flag, Status
from r_memory.domain.schema import Schema
from r_memory.reading.experiencer import PersonWord, Who
from r_memory.reading.language import LanguagePack
from r_memory.reading.rules.candidates import Candidate, Scene


class Elliptic:
    """The elliptic clauses of one language."""

    def __init__(self, pack: LanguagePack) -> None:
        section = "ellipsis"
        self._helping = pack.words(section, "helping")
        self._around = pack.words(section, "around") | pack.words("possessives")

    def taken_over(self, scenes: Sequence[Scene], candidates: Sequence[Candidate]) -> Iterator[Candidate]:
        """What elliptic clauses state anew, of another person, of the candidates that stand right before them."""
        for scene in scenes:
            clauses = scene.sentence.clauses
            for first in (clauses.index(number) for number in dict.fromkeys(clauses)):
                last = scene.sentence.clause(first)[1]
                person = self._person(scene, first, last)
                for said in () if person is None else _before(scene, first, candidates):
                    if person is not None and said.who is not person.who:
                        yield replace(
                            said,
                            who=person.who,
                            relative=person.relative,
                            status=Status.ACTIVE,
                            attrs={},
                            sentence=scene.index,
                            first=first,
                            last=last,
                            at=-1,
                            source="ellipsis",
                        )

    def _person(self, scene: Scene, first: int, last: int) -> PersonWord | None:
        """The one of whom a clause says so that holds nobody but them and a helping verb; a denial says nothing new."""
        persons = [person for person in scene.persons if first <= person.at < last]
        at = {person.at for person in persons}
        units = enumerate(scene.sentence.units[first:last], start=first)
        rest = [unit.word for place, unit in units if unit.is_word and place not in at]
        helped = [word for word in rest if word in self._helping]
        if len(persons) != 1 or len(helped) != 1 or not self._around.issuperset(set(rest) - {*helped}):
            return None
        return None if persons[0].reports or persons[0].who not in {Who.SUBJECT, Who.FAMILY} else persons[0]


def _before(scene: Scene, first: int, candidates: Iterable[Candidate]) -> list[Candidate]:
    """What the clause before states by name, or the sentence before if the clause opens its own."""
    number, clauses = scene.sentence.clauses[first], scene.sentence.clauses
    told = (
        candidate for candidate in candidates if candidate.source != "answer" and candidate.asserted and candidate.name
    )
    said = [candidate for candidate in told if candidate.type != SCOPE_TYPE]
    if not number:
        return [candidate for candidate in said if candidate.sentence == scene.index - 1]
    return [
        candidate for candidate in said if candidate.sentence == scene.index and clauses[candidate.first] == number - 1
    ]


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
