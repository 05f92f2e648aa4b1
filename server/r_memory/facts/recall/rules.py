"""Rules of the knowledge pack that fire: what a request names meets what is recorded, or another thing that it names.

Pure. Rules are found by concept, never by a scan over the pack. A rule speaks of the domain: it is never a fact about
the subject, never recommends, and where something cannot be evaluated it asks instead of staying silent.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from r_memory.domain.blocks import MatchLevel, RuleLine
from r_memory.domain.facts import Fact, Status, concept
from r_memory.domain.instants import Instant, iso_day
from r_memory.domain.knowledge import CROSS_REACTS_WITH, HAS_INGREDIENT, MEMBER_OF, Circumstance, Rule, Side
from r_memory.facts.recall.connections import Closure, Connections, Path
from r_memory.facts.recall.lines import speaks_for_risk
from r_memory.protocols import Mention
from r_memory.text.inert import inert_name, without_secrets

_TIERS = {"A": 0, "B": 1, "C": 2, "": 3}
_LEVELS = {level: place for place, level in enumerate(MatchLevel)}
_UNIT_MS = {"day": 86_400_000, "week": 7 * 86_400_000, "year": 31_556_952_000}


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleConcept:
    """A concept that the request names, or that its action type stands for."""

    uid: str
    name: str
    closure: Closure


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """One way in which a side of a rule is met."""

    uid: str
    """The concept that was named or recorded."""
    name: str
    """As shown, with the class or ingredient that the rule speaks of."""
    level: MatchLevel
    fact: Fact | None = None
    broad: bool = False
    """The request names a class of which the rule's concept is only a part."""


@dataclass(slots=True, kw_only=True)
class Candidate:
    """A rule that the request touches."""

    rule: Rule
    start: list[Hit] = field(default_factory=list)
    end: list[Hit] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleScope:
    """What a request touches in the pack, prepared before anything is read."""

    candidates: tuple[Candidate, ...]
    relations: tuple[str, ...]
    """Relations whose facts decide whether these rules fire."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Verdict:
    """Whether a circumstance holds."""

    holds: bool | None
    """`None`: not known."""
    facts: tuple[Fact, ...] = ()
    why: str = ""
    """Where it is not known."""


_Spoken = Callable[[Fact, Instant], bool]


class Rules:
    """The rules of one pack, by the concepts that they speak of."""

    def __init__(self, connections: Connections, *, steps: Mapping[str, int], is_stale: _Spoken) -> None:
        """`steps` are the steps that closures take along the pack; cross-reactions are no part of them."""
        self._connections = connections
        self._steps = tuple(sorted((name, most) for name, most in steps.items() if name != CROSS_REACTS_WITH))
        self._is_stale = is_stale
        knowledge = connections.knowledge
        self._places = {rule.id: place for place, rule in enumerate(knowledge.rules)}
        self._by_concept: dict[str, list[tuple[Rule, bool]]] = {}
        self._below: dict[str, list[str]] = {}
        for rule in knowledge.rules:
            for side in (rule.start, rule.end):
                for uid in side.concepts if side.needed else ():
                    self._by_concept.setdefault(uid, []).append((rule, side is rule.start))
        for uid in self._by_concept:
            self._note_classes(uid)

    def asked(self, mentions: Iterable[Mention], actions: Iterable[str]) -> RuleScope:
        """The rules that the request touches; empty, and cheap, where it names nothing that a rule speaks of."""
        candidates: dict[str, Candidate] = {}
        for named in self._named(mentions, actions):
            for uid, path in named.closure.items():
                for rule, is_start in self._by_concept.get(uid, ()):
                    self._note(candidates, rule, is_start=is_start, hit=self._hit(named, path))
            for uid in self._below.get(named.uid, ()):
                for rule, is_start in self._by_concept[uid]:
                    if rule.tier == "A":
                        self._note(candidates, rule, is_start=is_start, hit=self._broad(named, uid))
        found = sorted(candidates.values(), key=lambda one: self._places[one.rule.id])
        relations = dict.fromkeys(name for one in found for name in sorted(one.rule.relations))
        return RuleScope(candidates=tuple(found), relations=tuple(relations))

    def lines(
        self, asked: RuleScope, facts: Sequence[Fact], failed: Mapping[str, str], now: Instant
    ) -> tuple[RuleLine, ...]:
        """The rules that fire, stops first, each once; `failed` says which relations could not be read, and why."""
        if not asked.candidates:
            return ()
        recorded = self._recorded(facts, asked)
        fired = [self._fired(one, recorded, failed, now) for one in asked.candidates]
        lines = [line for line in fired if line is not None]
        return tuple(
            sorted(lines, key=lambda line: (not line.stop, _TIERS[line.tier], not line.facts, bool(line.open)))
        )

    def _note_classes(self, uid: str) -> None:
        """Remembers of which classes the concept is a part."""
        for above, path in self._connections.closure(uid, self._steps).items():
            if path and all(link.relation == MEMBER_OF for link in path):
                self._below.setdefault(above, []).append(uid)

    def _named(self, mentions: Iterable[Mention], actions: Iterable[str]) -> Iterator[RuleConcept]:
        knowledge, seen = self._connections.knowledge, set[str]()
        for mention in mentions:
            entity = concept(mention.type, mention.name)
            if entity.uid not in seen:
                seen.add(entity.uid)
                yield self._with_closure(entity.uid, self._connections.name(entity.uid, entity.name))
        for action in actions:
            for uid in knowledge.actions.get(action, ()):
                if uid not in seen:
                    seen.add(uid)
                    yield self._with_closure(uid, f"{self._connections.name(uid)} ({action})")

    def _with_closure(self, uid: str, name: str) -> RuleConcept:
        return RuleConcept(uid=uid, name=inert_name(name), closure=self._connections.closure(uid, self._steps))

    def _note(self, candidates: dict[str, Candidate], rule: Rule, *, is_start: bool, hit: Hit) -> None:
        candidate = candidates.setdefault(rule.id, Candidate(rule=rule))
        side = candidate.start if is_start else candidate.end
        if all(hit.uid != other.uid for other in side):
            side.append(hit)

    def _hit(self, named: RuleConcept, path: Path) -> Hit:
        return Hit(uid=named.uid, name=self._shown(named.name, path), level=_level(path))

    def _broad(self, named: RuleConcept, uid: str) -> Hit:
        name = f"{named.name} (such as {inert_name(self._connections.name(uid))})"
        return Hit(uid=named.uid, name=name, level=MatchLevel.CLASS, broad=True)

    def _shown(self, name: str, path: Path) -> str:
        """`Percocet (contains Acetaminophen)`, `Sildenafil (PDE5 inhibitor)`; the name alone without a path."""
        if not path:
            return name
        end = inert_name(self._connections.name(path[-1].end))
        contains = "contains " if path[-1].relation == HAS_INGREDIENT else ""
        return f"{name} ({contains}{end})"

    def _recorded(self, facts: Iterable[Fact], asked: RuleScope) -> Mapping[tuple[str, str], list[Fact]]:
        """Facts by relation and each concept of the rules that is above their object, or empty for any."""
        wanted, found = frozenset(asked.relations), dict[tuple[str, str], list[Fact]]()
        concepts = frozenset(uid for one in asked.candidates for uid in one.rule.concepts)
        for fact in facts:
            if fact.relation in wanted and not fact.is_absence:
                closure = self._connections.closure(fact.object.uid, self._steps)
                for uid in ("", *(closure.keys() & concepts)):
                    found.setdefault((fact.relation, uid), []).append(fact)
        return found

    def _fired(
        self,
        one: Candidate,
        recorded: Mapping[tuple[str, str], list[Fact]],
        failed: Mapping[str, str],
        now: Instant,
    ) -> RuleLine | None:
        """The rule as a line, or nothing where it does not apply."""
        met = self._met(one, recorded)
        if met is None:
            return None
        start, end = met
        verdicts = [self._verdict(circumstance, recorded, failed, now) for circumstance in one.rule.when]
        unknown = [
            (circumstance, verdict)
            for circumstance, verdict in zip(one.rule.when, verdicts, strict=True)
            if verdict.holds is None
        ]
        if any(verdict.holds is False for verdict in verdicts) or not all(need.ask for need, _ in unknown):
            return None
        facts = _once(fact for hit in (*start, *end) if (fact := hit.fact) is not None)
        facts = _once((*facts, *(fact for verdict in verdicts for fact in verdict.facts)))
        if any(hit.broad for hit in (*start, *end)) and not any(map(speaks_for_risk, facts)):
            return None
        return self._line(one.rule, start, end, facts, unknown, recorded, now)

    def _met(
        self, one: Candidate, recorded: Mapping[tuple[str, str], list[Fact]]
    ) -> tuple[tuple[Hit, ...], tuple[Hit, ...]] | None:
        """How both sides are met, at least one of them by the request; `None` where they are not."""
        rule = one.rule
        if not rule.end.needed:
            return (tuple(one.start), ()) if one.start else None
        ends = _apart((*one.end, *self._hits(rule.end, recorded)), one.start)
        if one.start and ends:
            return tuple(one.start), ends
        starts = _apart(self._hits(rule.start, recorded), one.end)
        return (starts, tuple(one.end)) if one.end and starts else None

    def _hits(self, side: Side, recorded: Mapping[tuple[str, str], list[Fact]]) -> tuple[Hit, ...]:
        """Facts that speak for a risk and meet the side."""
        facts = _once(
            fact
            for relation in sorted(side.recorded)
            for uid in side.concepts
            for fact in recorded.get((relation, uid), ())
            if speaks_for_risk(fact)
        )
        return tuple(self._recorded_hit(fact, side) for fact in facts)

    def _recorded_hit(self, fact: Fact, side: Side) -> Hit:
        closure = self._connections.closure(fact.object.uid, self._steps)
        path = next(closure[uid] for uid in side.concepts if uid in closure)
        name = inert_name(self._connections.name(fact.object.uid, fact.object.name))
        return Hit(uid=fact.object.uid, name=self._shown(name, path), level=_level(path), fact=fact)

    def _verdict(
        self,
        need: Circumstance,
        recorded: Mapping[tuple[str, str], list[Fact]],
        failed: Mapping[str, str],
        now: Instant,
    ) -> _Verdict:
        facts = [
            fact
            for relation in sorted(need.relations)
            for uid in need.concepts or ("",)
            for fact in recorded.get((relation, uid), ())
            if all(fact.attrs.get(name) in values for name, values in need.attrs.items())
        ]
        risks = [fact for fact in facts if speaks_for_risk(fact)]
        if need.number:
            return self._compared(need, risks, failed, now)
        if risks:
            return _Verdict(holds=True, facts=tuple(risks))
        if facts:
            return _Verdict(holds=False)
        return _Verdict(holds=None, why=_not_known(need, failed))

    def _compared(self, need: Circumstance, facts: Sequence[Fact], failed: Mapping[str, str], now: Instant) -> _Verdict:
        """The newest certain number decides; a doubtful or an old one may speak for the risk, never against it."""
        numbers = sorted(
            (fact for fact in facts if _number(fact, need, now) is not None),
            key=lambda fact: (fact.said_at, fact.last_seq),
            reverse=True,
        )
        sure = next((place for place, fact in enumerate(numbers) if _is_sure(fact)), len(numbers))
        for fact in numbers[: sure + 1]:
            number = _number(fact, need, now)
            if number is not None and need.holds(number):
                return _Verdict(holds=True, facts=(fact,))
        if sure < len(numbers) and not self._is_stale(numbers[sure], now):
            return _Verdict(holds=False, facts=(numbers[sure],))
        if not numbers:
            return _Verdict(holds=None, why=_not_known(need, failed))
        said = f"{numbers[0].attrs[need.number]} on {iso_day(numbers[0].said_at)}"
        return _Verdict(holds=None, why=f"{need.words}: recorded {said}, old or in doubt: ask")

    def _line(
        self,
        rule: Rule,
        start: Sequence[Hit],
        end: Sequence[Hit],
        facts: tuple[Fact, ...],
        unknown: Sequence[tuple[Circumstance, _Verdict]],
        recorded: Mapping[tuple[str, str], list[Fact]],
        now: Instant,
    ) -> RuleLine:
        hits = (*start, *end)
        beside = self._hits(Side(concepts=rule.start.concepts, recorded=rule.beside), recorded) if rule.beside else ()
        shown = _once((*facts, *(hit.fact for hit in beside if hit.fact is not None)))
        names = {
            "from": _names(start) or self._listed(rule.start),
            "to": _names(end) or self._listed(rule.end),
        }
        return RuleLine(
            rule_id=rule.id,
            relation=rule.relation,
            stop=rule.tier == "A" and any(map(speaks_for_risk, shown)),
            text=rule.line.format_map(names),
            requested=tuple(hit.name for hit in hits if hit.fact is None),
            facts=shown,
            stale=frozenset(fact.fact_id for fact in shown if self._is_stale(fact, now)),
            open=tuple(verdict.why for _, verdict in unknown),
            level=max((hit.level for hit in hits), key=_LEVELS.__getitem__),
            tier=rule.tier,
            rate=rule.rate,
            condition=_grounds(rule),
            action=rule.action,
            source=rule.source,
            reviewed=rule.reviewed,
        )

    def _listed(self, side: Side) -> str:
        """The other side of a rule, where nothing of it is recorded or asked for: one, and how many others."""
        first, *others = side.concepts or ("",)
        more = f" (or {len(others)} more of the kind)" if others else ""
        return inert_name(f"{self._connections.name(first)}{more}")


def _level(path: Path) -> MatchLevel:
    if not path:
        return MatchLevel.EXACT
    only_ingredients = all(link.relation == HAS_INGREDIENT for link in path)
    return MatchLevel.INGREDIENT if only_ingredients else MatchLevel.CLASS


def _apart(hits: Iterable[Hit], others: Sequence[Hit]) -> tuple[Hit, ...]:
    """Hits by another concept than the only one that meets the other side: a drug is not combined with itself."""
    uids = {other.uid for other in others}
    return tuple(hit for hit in hits if uids - {hit.uid})


def _once(facts: Iterable[Fact]) -> tuple[Fact, ...]:
    return tuple({fact.fact_id: fact for fact in facts}.values())


def _names(hits: Iterable[Hit]) -> str:
    return " and ".join(dict.fromkeys(hit.name for hit in hits))


def _grounds(rule: Rule) -> str:
    """The circumstances and the condition in words, as one text."""
    return "; ".join([*(need.words for need in rule.when), *([rule.condition] if rule.condition else [])])


def _not_known(need: Circumstance, failed: Mapping[str, str]) -> str:
    trouble = [name for name in sorted(need.relations) if name in failed]
    if trouble:
        return f"{need.words}: {trouble[0]} could not be read ({without_secrets(failed[trouble[0]])}): ask"
    return f"{need.words}: not recorded: ask"


def _is_sure(fact: Fact) -> bool:
    return fact.status is Status.ACTIVE and not fact.contradicted


def _number(fact: Fact, need: Circumstance, now: Instant) -> float | None:
    """The number as it is now; `None` where the fact has none."""
    value = fact.attrs.get(need.number)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value + max(now - fact.said_at, 0) / _UNIT_MS[need.grows] if need.grows else float(value)
