"""The knowledge pack as a graph of concepts that closures are taken over; read-only, apart from what anybody said.

Every connection carries tier, rate and source, and whether its source was read by somebody. The space `knowledge` of
the store holds the same pack, for audits and for Cypher.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

from r_memory.domain.facts import HAS_INGREDIENT, IS_A, Entity

MEMBER_OF = "MEMBER_OF"
"""From a concept to a class it belongs to."""
CROSS_REACTS_WITH = "CROSS_REACTS_WITH"
"""A risk of the start carries over to the end; from a class to itself, among its members."""

Tier = Literal["A", "B", "C", ""]
"""A: undisputed stop. B: show. C: disputed or local, both sides are shown. Empty: a plain classification."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Worth:
    """What a claim of the pack is worth, and on whose word."""

    tier: Tier = ""
    rate: str = ""
    condition: str = ""
    """When it holds, in words, for people: what cannot be looked up; empty: always."""
    action: str = ""
    source: str = ""
    reviewed: bool = False
    """The cited source was read for this pack."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Link(Worth):
    """One directed connection between two concepts."""

    relation: str
    """`IS_A`, `MEMBER_OF`, `HAS_INGREDIENT`, `CROSS_REACTS_WITH`, or another that the pack declares."""
    start: str
    """Entity uid."""
    end: str
    checked_by: str = ""
    """Who read it; empty where nobody is named."""
    checked_on: str = ""
    """ISO day on which it was read; empty where it was not recorded."""
    rule: str = ""
    """Id of the row of the pack that it comes from; empty for plain classification."""
    shares: str = ""
    """What members of this group have in common, where "is a member of" would read badly: `the R1 side chain`."""
    usual: bool = False
    """Only usually so, as of what a dish holds; what else the start has is not known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One of the two things that a rule speaks of."""

    concepts: tuple[str, ...]
    """Uids; it is met by any of these or anything below one."""
    recorded: frozenset[str] = frozenset()
    """Relations of the subject's facts that meet it; empty: only a request that names it does."""
    needed: bool = True
    """False for words that only state the rule, such as a limit: there is nothing to be met."""


Unit = Literal["", "day", "week", "year"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Circumstance:
    """What must hold of the subject besides, for a rule to fire."""

    relations: frozenset[str]
    concepts: tuple[str, ...] = ()
    """Uids of the objects that count, with anything below one; empty: any object."""
    attrs: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Attribute to the values of which it must have one."""
    number: str = ""
    """Attribute that holds a number to compare; empty: being recorded is enough."""
    at_least: float | None = None
    below: float | None = None
    grows: Unit = ""
    """The number grows by one in each of these since it was said, as an age does; empty: it stays."""
    ask: bool = False
    """Where nothing is recorded, the rule is shown as a question rather than not at all."""
    words: str
    """As shown: `eGFR below 30`."""

    def holds(self, number: float) -> bool:
        """Whether the number lies in the range; `at_least` belongs to it, `below` does not."""
        return (self.at_least is None or number >= self.at_least) and (self.below is None or number < self.below)


@dataclass(frozen=True, kw_only=True)
class Rule(Worth):
    """One claim of the pack that may fire at recall: what the request names meets what is recorded.

    It fires where the request names one side and the other is named, recorded, or not needed, and nothing recorded
    says that a circumstance does not hold.
    """

    id: str
    relation: str
    start: Side
    end: Side
    when: tuple[Circumstance, ...] = ()
    beside: frozenset[str] = frozenset()
    """Relations whose facts about the start are told with it, such as what is taken already."""
    checked_by: str = ""
    checked_on: str = ""
    line: str
    """`{from}` and `{to}` are filled in when it is shown."""

    @cached_property
    def concepts(self) -> frozenset[str]:
        """Uids of everything that it speaks of."""
        return frozenset(
            (*self.start.concepts, *self.end.concepts, *(uid for need in self.when for uid in need.concepts))
        )

    @property
    def grounds(self) -> str:
        """The circumstances and the condition in words, as one text."""
        return "; ".join([*(need.words for need in self.when), *([self.condition] if self.condition else [])])

    @cached_property
    def relations(self) -> frozenset[str]:
        """Relations whose facts decide whether it fires, or are told with it."""
        return self.start.recorded.union(self.end.recorded, self.beside, *(need.relations for need in self.when))


Path = tuple[Link, ...]
Closure = Mapping[str, Path]
"""Uid of each concept that is reached to the shortest path there; the first is the start itself, with no path."""
Steps = tuple[tuple[str, int], ...]
"""Relations with how many steps may be taken along each."""


@dataclass(frozen=True, kw_only=True)
class Knowledge:
    """One version of the pack."""

    name: str
    version: str
    """First twelve digits of a sha256 over the files."""
    concepts: Mapping[str, Entity] = field(default_factory=dict)
    """By uid."""
    links: tuple[Link, ...] = ()
    rules: tuple[Rule, ...] = ()
    """Those that fire at recall, in the order of the pack."""
    actions: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Action type to the uids of concepts that a request of this type stands for, as if it named them."""
    weighed: Mapping[str, str] = field(default_factory=dict)
    """Relations whose facts are no stop by class, to what is said in place of one."""
    partly_known: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Type of a thing that is asked for to the uids of concepts that bear on more such things than the pack names."""

    # Remembered between requests: the pack is the same for every tenant and holds nothing that anybody said.
    _closures: dict[tuple[str, Steps], Closure] = field(default_factory=dict, init=False, repr=False, compare=False)
    _rows: dict[str, tuple[tuple[str, Link], ...]] = field(default_factory=dict, init=False, repr=False, compare=False)

    @cached_property
    def _outgoing(self) -> Mapping[str, tuple[Link, ...]]:
        return _grouped((link.start, link) for link in self.links)

    @cached_property
    def _incoming(self) -> Mapping[str, tuple[Link, ...]]:
        return _grouped((link.end, link) for link in self.links)

    @cached_property
    def grouped_types(self) -> frozenset[tuple[str, str]]:
        """Types of members and of the groups that they are members of, where the two differ."""
        members = (link for link in self.links if link.relation == MEMBER_OF)
        pairs = ((self.concepts[link.start].type, self.concepts[link.end].type) for link in members)
        return frozenset((member, group) for member, group in pairs if member != group)

    def is_grouped(self, uid: str) -> bool:
        """Whether the pack says anything of what the concept holds or belongs to; a brand is what it contains."""
        above = self.upward(uid, {})
        links = [link for there in above for link in self._outgoing.get(there, ()) if link.relation != IS_A]
        if [link.relation for link in links] == [HAS_INGREDIENT]:
            return self.is_grouped(links[0].end)
        return bool(links)

    def usual_parts(self, uid: str) -> tuple[str, ...]:
        """Uids of what the concept, or what it is a kind of, usually holds; what else it holds is not known."""
        above = self.upward(uid, {})
        return tuple(link.end for there in above for link in self._outgoing.get(there, ()) if link.usual)

    def outgoing(self, uid: str, relation: str) -> tuple[Link, ...]:
        """Links of one relation that start at the concept."""
        return tuple(link for link in self._outgoing.get(uid, ()) if link.relation == relation)

    def incoming(self, uid: str, relation: str) -> tuple[Link, ...]:
        """Links of one relation that end at the concept."""
        return tuple(link for link in self._incoming.get(uid, ()) if link.relation == relation)

    def upward(self, uid: str, steps: Mapping[str, int]) -> Closure:
        """The concept and everything above it, nearest first: at most `steps[relation]` steps along each relation, and
        any number along `IS_A`.
        """
        found: dict[str, Path] = {uid: ()}
        # Two ways to one concept differ in the steps they leave, so both are followed further.
        seen: set[tuple[str, tuple[str, ...]]] = {(uid, ())}
        frontier: list[tuple[str, Path]] = [(uid, ())]
        while frontier:
            onward = [
                (*path, link)
                for here, path in frontier
                for link in self._outgoing.get(here, ())
                if link.relation == IS_A or _taken(path).count(link.relation) < steps.get(link.relation, 0)
            ]
            reached = {(path[-1].end, _taken(path)): path for path in onward}
            frontier = [(state[0], path) for state, path in reached.items() if state not in seen]
            seen.update(reached)
            for end, path in frontier:
                found.setdefault(end, path)
        return found

    def closure(self, uid: str, steps: Steps) -> Closure:
        """The same, remembered; only the concept itself for a word that the pack does not know."""
        if uid not in self.concepts:
            return {uid: ()}
        if (uid, steps) not in self._closures:
            self._closures[uid, steps] = self.upward(uid, dict(steps))
        return self._closures[uid, steps]

    def above(self, thing: Entity, steps: Steps, meant: Iterable[str] = ()) -> Closure:
        """The closure of whatever was recorded: of a thing that was said it begins with the concepts that it is.

        `meant` are keys of concepts that its words stand for besides.
        """
        uids = dict.fromkeys((*thing.is_a, *meant))
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
        """Rows that join a concept with another (or a class with itself), read from the concept; stated ones first."""
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
        """The pack's name of a concept, not yet inert; else the given one, else what the key alone says."""
        known = self.concepts.get(uid)
        return known.name if known is not None else otherwise or uid.rsplit("/", 1)[-1]

    def meant_by(self, actions: Iterable[str]) -> Iterator[tuple[str, str, str]]:
        """What types of a request stand for though no word names it: uid, name not yet inert, and the type."""
        for action in actions:
            for uid in self.actions.get(action, ()):
                yield uid, f"{self.name_of(uid)} ({action})", action


def _taken(path: Path) -> tuple[str, ...]:
    """The relations of a path, sorted: what is used up of the steps, of which `IS_A` takes none, nor what is usual."""
    return tuple(sorted(link.relation for link in path if link.relation != IS_A and not link.usual))


def _grouped(pairs: Iterable[tuple[str, Link]]) -> Mapping[str, tuple[Link, ...]]:
    groups: dict[str, list[Link]] = defaultdict(list)
    for key, link in pairs:
        groups[key].append(link)
    return {key: tuple(links) for key, links in groups.items()}
