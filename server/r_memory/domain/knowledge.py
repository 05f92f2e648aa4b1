"""The knowledge pack as a read-only graph of concepts, from which closures are computed.

Every link has a tier, a rate and a source, and says whether the source was read. The space `knowledge` of the store
holds the same pack, for audits and Cypher queries. Things that speakers named are not part of it.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

from r_memory.domain.facts import HAS_INGREDIENT, IS_A, Entity

MEMBER_OF = "MEMBER_OF"
"""Leads from a concept to a class of it."""
CROSS_REACTS_WITH = "CROSS_REACTS_WITH"
"""A risk of the start applies to the end too; a link from a class to itself is about its members."""

IS_FINE_WITH = "IS_FINE_WITH"
"""The start, and what is a kind or a member of it, is known not to be restricted beside the end; silences no rule."""
_KINDS: tuple[tuple[str, int], ...] = ((MEMBER_OF, 2),)
_NO_GROUP = frozenset({IS_A, IS_FINE_WITH})
"""Relations that say nothing of what the start contains or belongs to."""

Tier = Literal["A", "B", "C", ""]
"""A: undisputed stop. B: show. C: disputed or local; both sides are shown. Empty: a plain classification."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Worth:
    """The strength of a claim of the pack, and its source."""

    tier: Tier = ""
    rate: str = ""
    condition: str = ""
    """Condition in words that cannot be evaluated; empty: always."""
    action: str = ""
    source: str = ""
    reviewed: bool = False
    """Whether the cited source was read for this pack."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Link(Worth):
    """One directed link between two concepts."""

    relation: str
    """`IS_A`, `MEMBER_OF`, `HAS_INGREDIENT`, `CROSS_REACTS_WITH`, or another relation that the pack declares."""
    start: str
    """Entity uid."""
    end: str
    checked_by: str = ""
    """Who read the source; empty if unknown."""
    checked_on: str = ""
    """ISO day on which the source was read; empty if unknown."""
    rule: str = ""
    """Id of the pack's row that the link comes from; empty for a plain classification."""
    shares: str = ""
    """What members of the group have in common, if "is a member of" is no good wording: `the R1 side chain`."""
    usual: bool = False
    """Whether it is only usually true, as for the contents of a dish; further contents of the start are unknown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One of the two sides of a rule."""

    concepts: tuple[str, ...]
    """Uids; one of these concepts, or a concept below, meets the side."""
    recorded: frozenset[str] = frozenset()
    """Relations of recorded facts that meet it; empty: only a request that names it does."""
    lasting: int | None = None
    """Days for which a recorded thing that has ended still meets it; `None`: only while it holds."""
    needed: bool = True
    """False if the side is only part of the rule's text, such as a limit, and need not be met."""


Unit = Literal["", "day", "week", "month", "year"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Circumstance:
    """A further condition on the subject for a rule to fire."""

    relations: frozenset[str]
    concepts: tuple[str, ...] = ()
    """Uids of the objects that count, including concepts below; empty: any object."""
    attrs: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """By attribute: the values of which it must have one."""
    number: str = ""
    """Attribute with a number to compare; empty: a recorded fact is enough."""
    at_least: float | None = None
    below: float | None = None
    grows: Unit = ""
    """The number grows by one in each of these units since it was said, such as an age; empty: it is constant."""
    ask: bool = False
    """Whether the rule is shown as a question if nothing is recorded; otherwise it is not shown."""
    words: str
    """The condition in words: `eGFR below 30`."""

    def holds(self, number: float) -> bool:
        """Whether the number is in the range; `at_least` is inside, `below` is outside."""
        return (self.at_least is None or number >= self.at_least) and (self.below is None or number < self.below)


@dataclass(frozen=True, slots=True, kw_only=True)
class ElsewhereLine:
    """How a rule is shown to somebody for whom it was not made, such as a limit for adults to a child."""

    when: tuple[Circumstance, ...]
    """One of these is enough."""
    line: str
    action: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PerNumber:
    """The most of a thing for each of a measured number, such as a kilogram of weight."""

    unit: str
    dose: float | None = None
    day: float | None = None

    def limits(self, number: float) -> Iterator[Mapping[str, str | float]]:
        """The limits at this number, in the attributes of a recorded one."""
        for most, period in ((self.dose, "once"), (self.day, "day")):
            if most is not None:
                yield {"max": most * number, "unit": self.unit, "period": period}


@dataclass(frozen=True, kw_only=True)
class Rule(Worth):
    """A rule of the pack that may fire at recall, when a request meets a recorded fact.

    It fires if the request names one side, the other side is named, recorded or not needed, and no recorded fact says
    that a circumstance is false.
    """

    id: str
    relation: str
    start: Side
    spared: frozenset[str] = frozenset()
    """Uids of members of the start of which another rule says more; a compound that contains one is not spared."""
    end: Side
    when: tuple[Circumstance, ...] = ()
    beside: frozenset[str] = frozenset()
    """Relations whose facts about the start are shown with it, such as what is taken already."""
    checked_by: str = ""
    checked_on: str = ""
    own: bool = False
    """Whether words that name both sides break it; a recorded end is then shown with care and stops nothing."""
    named: bool = False
    """Whether it stops only words that also name what the recorded fact is about; else it is shown with care."""
    most: PerNumber | None = None
    """The most of the start, times the number of the first circumstance."""
    line: str
    """Template; `{from}` and `{to}` are filled in when it is shown."""
    elsewhere: ElsewhereLine | None = None
    """For whom it does not hold as it stands, and how it is shown to them."""

    @cached_property
    def _needs(self) -> tuple[Circumstance, ...]:
        return (*self.when, *(self.elsewhere.when if self.elsewhere is not None else ()))

    @cached_property
    def concepts(self) -> frozenset[str]:
        """Uids of all its concepts."""
        return frozenset(
            (*self.start.concepts, *self.end.concepts, *(uid for need in self._needs for uid in need.concepts))
        )

    @property
    def grounds(self) -> str:
        """The circumstances and the condition in words, as one text."""
        return "; ".join([*(need.words for need in self.when), *([self.condition] if self.condition else [])])

    @cached_property
    def relations(self) -> frozenset[str]:
        """Relations whose facts decide whether it fires, or are shown with it."""
        return self.start.recorded.union(self.end.recorded, self.beside, *(need.relations for need in self._needs))


Path = tuple[Link, ...]
Closure = Mapping[str, Path]
"""By uid of each concept reached: the shortest path to it. The first is the start, with an empty path."""
Steps = tuple[tuple[str, int], ...]
"""Relations, each with the maximum number of steps along it."""


@dataclass(frozen=True, kw_only=True)
class Knowledge:
    """One version of the knowledge pack."""

    name: str
    version: str
    """First twelve digits of a sha256 over the files."""
    concepts: Mapping[str, Entity] = field(default_factory=dict)
    """By uid."""
    links: tuple[Link, ...] = ()
    rules: tuple[Rule, ...] = ()
    """Rules that fire at recall, in the order of the pack."""
    actions: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """By action type: uids of the concepts that such a request implies."""
    weighed: Mapping[str, str] = field(default_factory=dict)
    """Relations for which a match by class is no stop, with the text shown instead."""
    partly_known: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """By type of a requested thing: uids of concepts that concern more things of this type than the pack lists."""

    always_shown: tuple[Circumstance, ...] = ()
    """What stands in every block about its subject while it holds."""

    # Cached between requests: the pack is the same for every tenant and contains no stored words.
    _closures: dict[tuple[str, Steps], Closure] = field(default_factory=dict, init=False, repr=False, compare=False)
    _meeting: dict[tuple[str, Steps], frozenset[str]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )
    _rows: dict[str, tuple[tuple[str, Link], ...]] = field(default_factory=dict, init=False, repr=False, compare=False)

    @cached_property
    def _outgoing(self) -> Mapping[str, tuple[Link, ...]]:
        return _grouped((link.start, link) for link in self.links)

    @cached_property
    def _incoming(self) -> Mapping[str, tuple[Link, ...]]:
        return _grouped((link.end, link) for link in self.links)

    @cached_property
    def grouped_types(self) -> frozenset[tuple[str, str]]:
        """Types of members and of their groups, if the two differ."""
        members = (link for link in self.links if link.relation == MEMBER_OF)
        pairs = ((self.concepts[link.start].type, self.concepts[link.end].type) for link in members)
        return frozenset((member, group) for member, group in pairs if member != group)

    def is_grouped(self, uid: str) -> bool:
        """Whether the pack knows contents or classes of the concept; for a brand, of its only ingredient."""
        above = self.closure(uid, ())
        links = [link for there in above for link in self._outgoing.get(there, ()) if link.relation not in _NO_GROUP]
        if [link.relation for link in links] == [HAS_INGREDIENT]:
            return self.is_grouped(links[0].end)
        return bool(links)

    def is_fine_with(self, uid: str, others: Iterable[str]) -> bool:
        """Whether the pack says of each of the other concepts that this one is not restricted beside it.

        What is said of a thing holds for its kinds, its members and its brands, and for no product of several things.
        """
        above = self.closure(uid, _KINDS)
        links = [link for there in above for link in self._outgoing.get(there, ())]
        known = {link.end for link in links if link.relation == IS_FINE_WITH}
        missing = [other for other in others if other not in known]
        held = [link.end for link in links if link.relation == HAS_INGREDIENT]
        if not missing or len(held) != 1 or len(links) != 1:
            return not missing
        return self.is_fine_with(held[0], missing)

    def usual_parts(self, uid: str) -> tuple[str, ...]:
        """Uids of what the concept, or a broader one, usually contains; further contents are unknown."""
        above = self.closure(uid, ())
        return tuple(link.end for there in above for link in self._outgoing.get(there, ()) if link.usual)

    def outgoing(self, uid: str, relation: str) -> tuple[Link, ...]:
        """Links of one relation that start at the concept."""
        return tuple(link for link in self._outgoing.get(uid, ()) if link.relation == relation)

    def incoming(self, uid: str, relation: str) -> tuple[Link, ...]:
        """Links of one relation that end at the concept."""
        return tuple(link for link in self._incoming.get(uid, ()) if link.relation == relation)

    def upward(self, uid: str, steps: Mapping[str, int]) -> Closure:
        """The concept and its ancestors, nearest first: at most `steps[relation]` steps along each relation, and any
        number along `IS_A`.
        """
        found: dict[str, Path] = {uid: ()}
        # Two ways to one concept differ in the steps they leave, so both are followed further.
        seen: set[tuple[str, tuple[str, ...]]] = {(uid, ())}
        frontier: list[tuple[str, tuple[str, ...], Path]] = [(uid, (), ())]
        while frontier:
            reached = {
                (link.end, now): (*path, link)
                for here, taken, path in frontier
                for link in self._outgoing.get(here, ())
                if (now := _taken_with(link, taken, steps)) is not None
            }
            frontier = [(*state, path) for state, path in reached.items() if state not in seen]
            seen.update(reached)
            for end, _, path in frontier:
                found.setdefault(end, path)
        return found

    def closure(self, uid: str, steps: Steps) -> Closure:
        """Returns what `upward` returns, cached; the concept alone for a word that the pack does not know."""
        if (known := self._closures.get((uid, steps))) is not None:
            return known
        if uid not in self.concepts:
            return {uid: ()}
        found = self._closures[uid, steps] = self.upward(uid, dict(steps))
        return found

    def meeting(self, uid: str, steps: Steps) -> frozenset[str]:
        """The concepts of which a thing must be one, or be below one, to meet the concept at all; cached."""
        if (known := self._meeting.get((uid, steps))) is not None:
            return known
        closure = self.closure(uid, steps)
        found = frozenset({*closure, *(end for there in closure for end, _ in self.crossing_rows(there))})
        if uid in self.concepts:
            self._meeting[uid, steps] = found
        return found

    def above(self, thing: Entity, steps: Steps, meant: Iterable[str] = ()) -> Closure:
        """The closure of a recorded thing; for a thing named by words it begins with the concepts of the words.

        `meant` are keys of further concepts that the words mean.
        """
        uids = dict.fromkeys((*thing.is_a, *meant)) if thing.is_a or meant else ()
        if not uids:
            return self.closure(thing.uid, steps)
        found: dict[str, Path] = dict(self.closure(thing.uid, steps))
        for uid in uids:
            first = Link(relation=IS_A, start=thing.uid, end=uid, reviewed=True)
            for there, path in self.closure(uid, steps).items():
                if there not in found or len(path) + 1 < len(found[there]):
                    found[there] = (first, *path)
        return found

    def crossing_rows(self, uid: str) -> tuple[tuple[str, Link], ...]:
        """Cross-reactivity rows between this concept and others (or of a class with itself), as seen from it.

        Stated rows come first.
        """
        if uid not in self.concepts:
            return ()
        if uid not in self._rows:
            stated = [(link.end, link) for link in self.outgoing(uid, CROSS_REACTS_WITH)]
            # The risk may carry over, but its rate was measured the other way round.
            other_way = ", measured in the other direction"
            backwards = [
                (link.start, replace(link, start=link.end, end=link.start, rate=link.rate and link.rate + other_way))
                for link in self.incoming(uid, CROSS_REACTS_WITH)
            ]
            self._rows[uid] = (*stated, *backwards)
        return self._rows[uid]

    def name_of(self, uid: str, otherwise: str = "") -> str:
        """The name of a concept, not yet inert: from the pack, or else `otherwise`, or else from the key."""
        known = self.concepts.get(uid)
        return known.name if known is not None else otherwise or uid.rsplit("/", 1)[-1]

    def meant_by(self, actions: Iterable[str]) -> Iterator[tuple[str, str, str]]:
        """Concepts that action types imply without a word for them: uid, name (not yet inert), and action type."""
        for action in actions:
            for uid in self.actions.get(action, ()):
                yield uid, f"{self.name_of(uid)} ({action})", action


def _taken_with(link: Link, taken: tuple[str, ...], steps: Mapping[str, int]) -> tuple[str, ...] | None:
    """The relations of a path, sorted, as they count against the step limits, once the link is added to those `taken`;
    `None` if it is one too many. `IS_A` and usual links do not count.
    """
    name = link.relation
    if name == IS_A:
        return taken
    if taken.count(name) >= steps.get(name, 0):
        return None
    return taken if link.usual else tuple(sorted((*taken, name)))


def _grouped(pairs: Iterable[tuple[str, Link]]) -> Mapping[str, tuple[Link, ...]]:
    groups: dict[str, list[Link]] = defaultdict(list)
    for key, link in pairs:
        groups[key].append(link)
    return {key: tuple(links) for key, links in groups.items()}
