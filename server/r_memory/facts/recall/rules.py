"""Rules of the knowledge pack that fire: a request names a thing that meets a recorded thing, or another named thing.

Pure. Rules are found by concept, without a scan of the pack. A rule speaks about the domain: it is no fact about the
subject and recommends nothing; if it cannot be evaluated, it asks.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date

from r_memory.domain.blocks import MatchLevel, RuleLine
from r_memory.domain.facts import HAS_INGREDIENT, IS_A, Fact, Status, concept
from r_memory.domain.instants import UNDATED, Instant, day_shown, iso_day
from r_memory.domain.knowledge import (
    CROSS_REACTS_WITH,
    MEMBER_OF,
    Circumstance,
    Closure,
    Knowledge,
    Path,
    Rule,
    Side,
)
from r_memory.facts.recall.lines import measured_at, speaks_for_risk
from r_memory.facts.recall.matching import LEVELS
from r_memory.protocols import Mention
from r_memory.text.inert import inert_name, without_secrets

_TIERS = {"A": 0, "B": 1, "C": 2, "": 3}
_ASK_WHAT_IS_IN_IT = "ask what is in it before anything"
_SENTENCE = 160
"""Characters of the other side of a rule, which may be a sentence of the pack."""
_UNIT_MS = {"day": 86_400_000, "week": 7 * 86_400_000, "month": 2_629_746_000, "year": 31_556_952_000}
_UNIT = "unit"
"""Attribute with the unit of a number that grows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleHit:
    """A way in which one side of a rule is met."""

    uid: str
    """Key of the named or recorded concept."""
    name: str
    """Name as shown, with the class or ingredient that the rule names."""
    level: MatchLevel
    fact: Fact | None = None
    broad: bool = False
    """Whether the request names a class that is broader than the rule's concept."""
    usual: bool = False
    """Whether only a usual content of the thing meets the rule."""
    open: str = ""
    """What of it is not known, in words."""


@dataclass(slots=True, kw_only=True)
class RuleCandidate:
    """A rule that the request may meet."""

    rule: Rule
    start: list[RuleHit] = field(default_factory=list)
    end: list[RuleHit] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Verdict:
    """The result of evaluating a circumstance."""

    holds: bool | None
    """Whether it is true; `None` if unknown."""
    facts: tuple[Fact, ...] = ()
    why: str = ""
    """Why it is unknown."""


_Stale = Callable[[Fact, Instant], bool]
_Ended = Callable[[Fact], tuple[date, bool]]
"""The last day on which what a fact says may have held, and whether its words say that day."""


_Worded = Callable[[Fact], Iterable[str]]
"""Keys of the concepts that the words of a fact name whose thing is in no lexicon."""


class Rules:
    """The rules of one pack, by concept."""

    def __init__(
        self,
        knowledge: Knowledge,
        *,
        steps: Mapping[str, int],
        is_stale: _Stale,
        ended: _Ended,
        worded: _Worded = lambda _: (),
        in_use: Iterable[str] = (),
    ) -> None:
        """`steps` limits the paths in the pack; cross-reactions are no part of them.

        `in_use` are the relations whose objects are in use: a rule about one of these relations applies to all.
        """
        self._knowledge = knowledge
        self._steps = tuple(sorted((name, most) for name, most in steps.items() if name != CROSS_REACTS_WITH))
        self._is_stale = is_stale
        self._ended = ended
        self._worded = worded
        rules = knowledge.rules
        self._in_use = frozenset(in_use)
        # Made once: a rule remembers what it speaks of.
        self._used = {
            rule.id: _in_use_too(rule, self._in_use)
            for rule in knowledge.rules
            if not rule.relations.isdisjoint(self._in_use)
        }
        self._places = {rule.id: place for place, rule in enumerate(rules)}
        self._by_concept: dict[str, list[tuple[Rule, bool]]] = defaultdict(list)
        """Rules by concept, with whether the concept is the start of the rule."""
        self._used_by_concept: dict[str, list[Rule]] = defaultdict(list)
        """Rules about things in use, by concept."""
        self._of_named: dict[tuple[str, str], Sequence[tuple[Rule, RuleHit, bool]]] = {}
        self._below: dict[str, list[str]] = defaultdict(list)
        """Concepts below a class, by class."""
        for rule in rules:
            for side in (rule.start, rule.end):
                for uid in side.concepts if side.needed else ():
                    self._by_concept[uid].append((rule, side is rule.start))
                    if rule.id in self._used:
                        self._used_by_concept[uid].append(rule)
        for uid in self._by_concept:
            for above, path in knowledge.closure(uid, self._steps).items():
                if path and all(link.relation in {MEMBER_OF, IS_A} for link in path):
                    self._below[above].append(uid)

    def asked(
        self, mentions: Iterable[Mention], actions: Iterable[str], *, is_draft: bool = False
    ) -> Sequence[RuleCandidate]:
        """The rules that the request may meet; empty, without further work, if it names no concept of a rule.

        A draft means what it names: beside a member of a group the group, or an action, implies no other member.
        """
        knowledge = self._knowledge
        entities = (concept(mention.type, mention.name) for mention in mentions)
        named = {entity.uid: knowledge.name_of(entity.uid, entity.name) for entity in entities}
        said = {uid: knowledge.closure(uid, self._steps) for uid in named}
        implied = [(uid, name) for uid, name, _ in knowledge.meant_by(actions)]
        if not (is_draft and any(self._is_chosen(uid, said) for uid, _ in implied)):
            named |= {uid: name for uid, name in implied if uid not in named}
        candidates: dict[str, RuleCandidate] = {}
        for uid, shown in named.items():
            paths = (above[uid] for above in said.values() if uid in above)
            whole = is_draft and any(link.relation == MEMBER_OF for path in paths for link in path)
            for rule, hit, is_start in self._meant_by(uid, shown):
                if not (hit.broad and whole):
                    _note(candidates, rule, hit, is_start=is_start)
        return sorted(candidates.values(), key=lambda one: self._places[one.rule.id])

    def _is_chosen(self, uid: str, said: Mapping[str, Closure]) -> bool:
        """Whether the words name another member of a group of this concept, which an action only implies."""
        groups = {link.end for link in self._knowledge.outgoing(uid, MEMBER_OF)}
        return any(
            uid not in above and any(link.relation == MEMBER_OF for link in above.get(group, ()))
            for above in said.values()
            for group in groups
        )

    def _meant_by(self, uid: str, shown: str) -> Sequence[tuple[Rule, RuleHit, bool]]:
        """The rules that a named concept may meet, each with how, and whether it meets their start.

        Kept for each concept of the pack, which alone decides it.
        """
        known = self._of_named.get((uid, shown))
        if known is None:
            known = tuple(self._found_for(uid, inert_name(shown)))
            if uid in self._knowledge.concepts:
                self._of_named[uid, shown] = known
        return known

    def _found_for(self, uid: str, name: str) -> Iterator[tuple[Rule, RuleHit, bool]]:
        knowledge = self._knowledge
        for there, path in knowledge.closure(uid, self._steps).items():
            if there in self._by_concept:
                hit = RuleHit(uid=uid, name=_shown(knowledge, name, path), level=_level(path), usual=_is_usual(path))
                yield from (
                    (rule, hit, is_start)
                    for rule, is_start in self._by_concept[there]
                    if not (is_start and _is_spared(rule, knowledge.closure(uid, self._steps)))
                )
        for part in self._below.get(uid, ()):
            such_as = f"{name} (such as {inert_name(knowledge.name_of(part))})"
            broad = RuleHit(uid=uid, name=such_as, level=MatchLevel.CLASS, broad=True)
            yield from ((rule, broad, is_start) for rule, is_start in self._by_concept[part] if rule.tier == "A")

    def lines(
        self, asked: Sequence[RuleCandidate], facts: Sequence[Fact], failed: Mapping[str, str], now: Instant
    ) -> tuple[RuleLine, ...]:
        """Lines of the rules that fire, stops first, each once.

        `failed` gives the relations that could not be read, and why.
        """
        if not asked:
            return ()
        above = (self._above(fact) for fact in facts if not fact.is_absence)
        recorded = frozenset[str]().union(*above)
        # Most rules speak of much that is not recorded.
        met = [candidate for candidate in asked if _may_fire(candidate, recorded)]
        record = self._record(met, facts, failed, now)
        lines = [line for candidate in met if (line := record.fired(candidate)) is not None]
        lines.sort(key=lambda line: (not line.stop, _TIERS[line.tier], not line.facts, bool(line.open)))
        return tuple(_each_pair_once(lines))

    def met_among(self, facts: Sequence[Fact], new: Collection[str] | None = None) -> tuple[Rule, ...]:
        """The rules that two recorded facts may meet, one about a thing in use; with `new`, those that a fact with one
        of these ids may take part in.
        """
        closures = {fact.fact_id: self._above(fact) for fact in facts}
        recorded = frozenset[str]().union(*closures.values())
        rules = {rule.id: rule for uid in recorded for rule in self._used_by_concept.get(uid, ())}
        met = [self._used[name] for name, rule in rules.items() if _meets(rule, recorded)]
        if new is not None:
            own = frozenset[str]().union(*(closures[fact_id] for fact_id in new if fact_id in closures))
            relations = {fact.relation for fact in facts if fact.fact_id in new}
            met = [rule for rule in met if _takes_part(rule, own, relations)]
        record = self._record(list(map(_candidate, met)), facts, {}, 0) if met else None
        able = [rule for rule in met if record is not None and record.may_meet(rule)]
        return tuple(sorted(able, key=lambda rule: self._places[rule.id]))

    def among(
        self, facts: Sequence[Fact], rules: Sequence[Rule], failed: Mapping[str, str], now: Instant
    ) -> tuple[RuleLine, ...]:
        """Lines of the `rules` that the recorded facts meet by themselves: one for each pair with a thing in use, stops
        first.

        Rules that cannot be evaluated are left out.
        """
        record = self._record(list(map(_candidate, rules)), facts, failed, now)
        lines = [line for rule in rules for line in record.among(rule)]
        lines.sort(key=lambda line: (not line.stop, _TIERS[line.tier]))
        return tuple(_each_pair_once(lines))

    def _above(self, fact: Fact) -> Closure:
        return self._knowledge.above(fact.object, self._steps, (*fact.meant, *self._worded(fact)))

    def _record(
        self, asked: Sequence[RuleCandidate], facts: Sequence[Fact], failed: Mapping[str, str], now: Instant
    ) -> "_Record":
        about = self._above, self._is_stale, self._ended, self._in_use
        return _Record(self._knowledge, *about, asked, facts, failed, now)


class _Record:
    """The recorded facts, indexed for rules."""

    def __init__(
        self,
        knowledge: Knowledge,
        above: Callable[[Fact], Closure],
        is_stale: _Stale,
        ended: _Ended,
        in_use: frozenset[str],
        asked: Sequence[RuleCandidate],
        facts: Iterable[Fact],
        failed: Mapping[str, str],
        now: Instant,
    ) -> None:
        self._knowledge = knowledge
        self._above = above
        self._stale = is_stale
        self._ended = ended
        self._in_use = in_use
        self._failed = failed
        self._now = now
        self._facts: dict[tuple[str, str], list[Fact]] = defaultdict(list)
        """Facts by relation and by each rule concept above their object; by an empty key for any object."""
        concepts = frozenset(uid for candidate in asked for uid in candidate.rule.concepts)
        relations = frozenset(name for candidate in asked for name in candidate.rule.relations)
        for fact in facts:
            if fact.relation in relations and not fact.is_absence:
                for uid in ("", *(above(fact).keys() & concepts)):
                    self._facts[fact.relation, uid].append(fact)

    def fired(self, one: RuleCandidate) -> RuleLine | None:
        """The line of the rule, or `None` if it does not apply."""
        met = self._met(one)
        if met is None:
            return None
        hits = (*met[0], *met[1])
        verdicts = [self._verdict(need) for need in one.rule.when]
        unknown = [(need, said) for need, said in zip(one.rule.when, verdicts, strict=True) if said.holds is None]
        if any(verdict.holds is False for verdict in verdicts) or not all(need.ask for need, _ in unknown):
            return None
        facts = _once((*_facts_of(hits), *(fact for verdict in verdicts for fact in verdict.facts)))
        if any(hit.broad for hit in hits) and not (any(hit.fact for hit in hits) or any(map(speaks_for_risk, facts))):
            return None
        rule, others = self._fitting(one.rule)
        asked = (*(said.why for _, said in unknown), *(hit.open for hit in hits if hit.open))
        line = self._line(rule, *met, facts, asked)
        limits = tuple(_limits(one.rule, verdicts))
        return replace(line, facts=_once((*line.facts, *others)), limits=limits, for_others=bool(others))

    def _fitting(self, rule: Rule) -> tuple[Rule, tuple[Fact, ...]]:
        """The rule as it reads for the subject, and the facts that say that it was not made for such a one."""
        if rule.elsewhere is None:
            return rule, ()
        found = next((verdict for need in rule.elsewhere.when if (verdict := self._verdict(need)).holds), None)
        if found is None:
            return rule, ()
        return replace(rule, line=rule.elsewhere.line, action=rule.elsewhere.action), found.facts

    def among(self, rule: Rule) -> Iterator[RuleLine]:
        """A line of the rule for each pair of facts that meets it, one of them in use."""
        starts, ends = self._starts(rule), self._hits(rule.end) if rule.end.needed else ()
        pairs = (
            [((hit,), (other,)) for hit in starts for other in ends if hit.uid != other.uid]
            if rule.end.needed
            else [((hit,), ()) for hit in starts]
        )
        verdicts = [self._verdict(need) for need in rule.when] if pairs else []
        if not all(verdict.holds for verdict in verdicts):
            return
        needed = [fact for verdict in verdicts for fact in verdict.facts]
        for start, end in pairs:
            met = _facts_of((*start, *end))
            if any(fact.relation in self._in_use for fact in met):
                facts = _once((*_facts_of((*start, *end)), *needed))
                if len(facts) > 1:
                    yield replace(self._line(rule, start, end, facts, ()), facts=facts)

    def may_meet(self, rule: Rule) -> bool:
        """Whether facts meet the rule, of two sides those about two things, one of them in use."""
        if not rule.end.needed:
            return bool(self._risks_of(rule.start))
        starts, ends = (self._risks_of(side) for side in (rule.start, rule.end))
        return any(
            start.object.uid != end.object.uid and not self._in_use.isdisjoint((start.relation, end.relation))
            for start in starts
            for end in ends
        )

    def _met(self, one: RuleCandidate) -> tuple[Sequence[RuleHit], Sequence[RuleHit]] | None:
        """How both sides are met, at least one of them by the request; `None` if they are not."""
        rule = one.rule
        if not rule.end.needed:
            return (one.start, ()) if one.start else None
        ends = _apart((*one.end, *self._hits(rule.end)), one.start)
        if one.start and ends:
            return one.start, ends
        starts = _apart(self._starts(rule), one.end)
        return (starts, one.end) if one.end and starts else None

    def _recorded(self, relations: Iterable[str], concepts: Sequence[str]) -> tuple[Fact, ...]:
        known = self._facts
        keys = ((relation, uid) for relation in sorted(relations) for uid in concepts)
        return tuple(fact for key in keys if key in known for fact in known[key])

    def _starts(self, rule: Rule) -> tuple[RuleHit, ...]:
        """Facts that meet the start, without those whose thing the rule spares."""
        hits = self._hits(rule.start)
        return tuple(hit for hit in hits if hit.fact is None or not _is_spared(rule, self._above(hit.fact)))

    def _hits(self, side: Side) -> tuple[RuleHit, ...]:
        """Facts that speak for a risk, or ended lately enough to count, and meet the side."""
        return tuple(self._hit(fact, side) for fact in self._risks_of(side))

    def _risks_of(self, side: Side) -> tuple[Fact, ...]:
        known = self._recorded(side.recorded, side.concepts)
        return _once(fact for fact in known if speaks_for_risk(fact) or self._still_counts(fact, side))

    def _still_counts(self, fact: Fact, side: Side) -> bool:
        """Whether a thing that has ended meets the side all the same, for it may have ended too few days ago."""
        if side.lasting is None or fact.status is not Status.RESOLVED or not self._now:
            return False
        return (date.fromisoformat(iso_day(self._now)) - self._ended(fact)[0]).days < side.lasting

    def _hit(self, fact: Fact, side: Side) -> RuleHit:
        closure = self._above(fact)
        path = next(closure[uid] for uid in side.concepts if uid in closure)
        name = inert_name(self._knowledge.name_of(fact.object.uid, fact.object.name))
        shown, usual, unknown = _shown(self._knowledge, name, path), _is_usual(path), ""
        if not speaks_for_risk(fact):
            day, is_said = self._ended(fact)
            unknown = "" if is_said else f"which day {name} ended: not recorded: ask"
            shown = f"{shown}, ended {day if is_said else 'lately'} (counts for {side.lasting} days)"
        return RuleHit(uid=fact.object.uid, name=shown, level=_level(path), fact=fact, usual=usual, open=unknown)

    def _verdict(self, need: Circumstance) -> _Verdict:
        facts = [
            fact
            for fact in self._recorded(need.relations, need.concepts or ("",))
            if all(fact.attrs.get(name) in values for name, values in need.attrs.items())
        ]
        risks = tuple(fact for fact in facts if speaks_for_risk(fact))
        if need.number:
            return self._compared(need, risks)
        if risks:
            return _Verdict(holds=True, facts=risks)
        return _Verdict(holds=False) if facts else _Verdict(holds=None, why=self._not_known(need))

    def _compared(self, need: Circumstance, facts: Sequence[Fact]) -> _Verdict:
        """The verdict by the newest certain number; a doubtful or old number can only confirm the risk."""
        newest = sorted(facts, key=measured_at, reverse=True)
        numbers = [(fact, number) for fact in newest if (number := number_now(fact, need, self._now)) is not None]
        for fact, number in numbers:
            if need.holds(number):
                return _Verdict(holds=True, facts=(fact,))
            if fact.status is Status.ACTIVE and not fact.contradicted:
                if not self._stale(fact, self._now):
                    return _Verdict(holds=False, facts=(fact,))
                break
        if not numbers:
            return _Verdict(holds=None, why=self._not_known(need))
        last = numbers[0][0]
        said = f"{last.attrs[need.number]} on {day_shown(last.said_at)}"
        return _Verdict(holds=None, why=f"{need.words}: recorded {said}, old or in doubt: ask")

    def _not_known(self, need: Circumstance) -> str:
        trouble = [name for name in sorted(need.relations) if name in self._failed]
        if trouble:
            return f"{need.words}: {trouble[0]} could not be read ({without_secrets(self._failed[trouble[0]])}): ask"
        return f"{need.words}: not recorded: ask"

    def _line(
        self,
        rule: Rule,
        start: Sequence[RuleHit],
        end: Sequence[RuleHit],
        facts: tuple[Fact, ...],
        unknown: tuple[str, ...],
    ) -> RuleLine:
        hits = (*start, *end)
        beside = self._hits(Side(concepts=rule.start.concepts, recorded=rule.beside)) if rule.beside else ()
        shown = _once((*facts, *_facts_of(beside)))
        guessed = any(side and all(hit.usual for hit in side) for side in (start, end))
        names = {"from": _names(start) or self._listed(rule.start), "to": _names(end) or self._listed(rule.end)}
        # A limit begins with what it is a limit of.
        names["to"] = names["to"].removeprefix(f"{names['from']}: ")
        return RuleLine(
            rule_id=rule.id,
            relation=rule.relation,
            stop=rule.tier == "A" and not (guessed or rule.named) and self._is_broken(rule, start, end, shown),
            own=tuple(_named_of(end)) if rule.own else (),
            named=rule.named,
            text=rule.line.format_map(names),
            requested=tuple(hit.name for hit in hits if hit.fact is None),
            facts=shown,
            stale=frozenset(fact.fact_id for fact in shown if self._stale(fact, self._now)),
            open=unknown,
            level=max((hit.level for hit in hits), key=LEVELS.__getitem__),
            # What only usually holds it is asked about, whatever must not meet what it may hold.
            tier="B"
            if rule.tier == "A" and (guessed or rule.named or (rule.own and not any(_named_of(end))))
            else rule.tier,
            rate=rule.rate,
            condition=rule.grounds,
            action=_ASK_WHAT_IS_IN_IT if guessed and rule.tier == "A" else rule.action,
            source=rule.source,
            reviewed=rule.reviewed,
        )

    def _is_broken(self, rule: Rule, start: Sequence[RuleHit], end: Sequence[RuleHit], shown: Iterable[Fact]) -> bool:
        """Whether the sides stop something: a fact is among them, or the words name both of a rule that they may break
        by themselves, or its end beside what the subject has and does not only use.
        """
        if not rule.own:
            return any(_facts_of((*start, *end))) or any(map(speaks_for_risk, shown))
        has = any(fact.relation not in self._in_use for fact in _facts_of(start))
        return any(_named_of(end)) and (has or any(_named_of(start)))

    def _listed(self, side: Side) -> str:
        """The other side of a rule if no part of it is recorded or requested: one concept, and the number of others."""
        first, *others = side.concepts or ("",)
        more = f" (or {len(others)} more of the kind)" if others else ""
        return inert_name(f"{self._knowledge.name_of(first)}{more}", _SENTENCE)


def _named_of(hits: Iterable[RuleHit]) -> Iterator[str]:
    """The names of what the request itself names."""
    return (hit.name for hit in hits if hit.fact is None)


def _candidate(rule: Rule) -> RuleCandidate:
    return RuleCandidate(rule=rule)


def _may_fire(one: RuleCandidate, recorded: frozenset[str]) -> bool:
    """Whether each side is named, recorded or not needed, judged by concepts alone."""
    start, end = one.rule.start, one.rule.end
    if not end.needed:
        return bool(one.start)
    ends, starts = (not recorded.isdisjoint(side.concepts) for side in (end, start))
    return bool(one.start and (one.end or ends)) or bool(one.end and starts)


def _meets(rule: Rule, recorded: frozenset[str]) -> bool:
    """Whether both sides are recorded, judged by concepts alone."""
    return all(not side.needed or not recorded.isdisjoint(side.concepts) for side in (rule.start, rule.end))


def _takes_part(rule: Rule, concepts: frozenset[str], relations: Collection[str]) -> bool:
    """Whether facts with these concepts above their objects may meet a side or a circumstance of the rule."""
    of_any = (need for need in rule.when if not need.concepts)
    return not concepts.isdisjoint(rule.concepts) or any(not need.relations.isdisjoint(relations) for need in of_any)


def _in_use_too(rule: Rule, in_use: frozenset[str]) -> Rule:
    """The rule; a side that facts of one relation of use meet is met by facts of all these relations."""

    def side(of: Side) -> Side:
        return of if of.recorded.isdisjoint(in_use) else replace(of, recorded=of.recorded | in_use)

    return replace(rule, start=side(rule.start), end=side(rule.end))


def _each_pair_once(lines: Iterable[RuleLine]) -> Iterator[RuleLine]:
    """The lines without those that a stronger line about the same two things makes redundant."""
    told = set[tuple[object, ...]]()
    for line in lines:
        bare = frozenset(name.partition(" (")[0] for name in line.requested)
        pair = (line.relation, bare, frozenset(fact.fact_id for fact in line.facts))
        if line.condition or pair not in told:
            yield line
        told.add(pair)


def _is_spared(rule: Rule, above: Mapping[str, Path]) -> bool:
    """Whether a thing with these concepts above it is, by one of its names, one that the rule spares."""
    return any(uid in above and all(link.relation == IS_A for link in above[uid]) for uid in rule.spared)


def _note(candidates: dict[str, RuleCandidate], rule: Rule, hit: RuleHit, *, is_start: bool) -> None:
    candidate = candidates.setdefault(rule.id, RuleCandidate(rule=rule))
    side = candidate.start if is_start else candidate.end
    if all(hit.uid != other.uid for other in side):
        side.append(hit)


def _shown(knowledge: Knowledge, name: str, path: Path) -> str:
    """The name with its path, such as `Percocet (contains Acetaminophen)`; the name alone if there is no path."""
    if not path:
        return name
    contains = "contains " if path[-1].relation == HAS_INGREDIENT else ""
    contains = "usually holds " if _is_usual(path) else contains
    return f"{name} ({contains}{inert_name(knowledge.name_of(path[-1].end))})"


def _is_usual(path: Path) -> bool:
    return any(link.usual for link in path)


def _level(path: Path) -> MatchLevel:
    if not path:
        return MatchLevel.EXACT
    relations = {link.relation for link in path}
    if relations <= {IS_A}:
        return MatchLevel.EXACT
    return MatchLevel.INGREDIENT if relations <= {IS_A, HAS_INGREDIENT} else MatchLevel.CLASS


def _limits(rule: Rule, verdicts: Sequence[_Verdict]) -> Iterator[Fact]:
    """The limits that a rule sets by the measured number of its first circumstance."""
    measured = verdicts[0].facts[0] if rule.most is not None and verdicts and verdicts[0].facts else None
    number = measured.attrs.get(rule.when[0].number) if measured is not None else None
    if rule.most is None or measured is None or isinstance(number, bool) or not isinstance(number, int | float):
        return
    yield from (replace(measured, attrs=limit) for limit in rule.most.limits(number))


def _apart(hits: Iterable[RuleHit], others: Sequence[RuleHit]) -> tuple[RuleHit, ...]:
    """The hits without the only concept that meets the other side: a drug is not combined with itself."""
    uids = {other.uid for other in others}
    return tuple(hit for hit in hits if uids - {hit.uid})


def _facts_of(hits: Iterable[RuleHit]) -> Iterable[Fact]:
    return (hit.fact for hit in hits if hit.fact is not None)


def _once(facts: Iterable[Fact]) -> tuple[Fact, ...]:
    return tuple({fact.fact_id: fact for fact in facts}.values())


def _names(hits: Iterable[RuleHit]) -> str:
    """The names of what meets a side, without what another is said to contain."""
    every = dict.fromkeys(hit.name for hit in hits)
    contained = {name for name in every if any(f"(contains {name.partition(' (')[0]})" in other for other in every)}
    *names, last = [name for name in every if name not in contained] or [""]
    return f"{', '.join(names)} and {last}" if names else last


def number_now(fact: Fact, need: Circumstance, now: Instant, *, unsaid: float | None = None) -> float | None:
    """The present value of the number; of a fact that has none, `unsaid` grown since, or `None`."""
    value = fact.attrs.get(need.number, unsaid)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    if not need.grows:
        return float(value)
    unit = str(fact.attrs.get(_UNIT, need.grows))
    if unit not in _UNIT_MS:
        return None
    since = max(now - fact.said_at, 0) if fact.said_at != UNDATED else 0
    return (value * _UNIT_MS[unit] + since) / _UNIT_MS[need.grows]
