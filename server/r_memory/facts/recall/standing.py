"""Facts of one record that do not go together: each thing in use is compared with all other facts. Pure.

The schema says which relations mean a use (`in_use_against`). Rules, paths and matches are the same as for a request
that names the thing.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from r_memory.domain.blocks import SURE, Clash, Line, Match, MatchLevel, StandingCheck
from r_memory.domain.changes import is_accepted
from r_memory.domain.facts import KNOWLEDGE_SPACE, MEANS, MEANT, Entity, Fact, Status, concept
from r_memory.domain.instants import Instant
from r_memory.domain.intents import widest
from r_memory.domain.knowledge import Rule
from r_memory.facts.recall.amounts import Amounts
from r_memory.facts.recall.drafts import Drafts
from r_memory.facts.recall.lines import Lines, object_shown, speaks_for_risk
from r_memory.facts.recall.matching import Matcher, may_say, steps_of
from r_memory.facts.recall.outcomes import in_words
from r_memory.facts.recall.rules import Rules
from r_memory.protocols import Mention
from r_memory.reading.language import listed
from r_memory.reading.reader import Reader
from r_memory.text.inert import inert, inert_name, without_secrets

_TOLD = frozenset({"A", "B"})
"""Tiers that are shown: things that must not meet, and things that need care."""
_THE_SAME = frozenset({MatchLevel.EXACT, MatchLevel.NAME_ONLY})
_MOST_PAIRS = 20_000
"""Maximum number of pairs of things whose comparison is kept."""
_MOST_KNOWN = 200
"""Maximum number of subjects whose pairs are kept."""
_SAID = 120
"""Maximum characters of the words for an amount."""
_USUAL = {"A": "stop", "B": "weigh"}
_END = re.compile(r"[.;!?]\s")
"""Where a sentence ends."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Pairs:
    """Facts of one subject, and what follows from them whatever the day is."""

    held: Sequence[Fact]
    risks: tuple[Clash, ...]
    rules: Sequence[Rule]
    """Rules that two of the facts may meet."""
    several: tuple[Clash, ...]


class Standing:
    """Compares the facts of one subject with each other, under one schema and pack."""

    def __init__(self, reader: Reader, *, rules: Rules, drafts: Drafts, lines: Lines) -> None:
        self._knowledge, self._linker = reader.knowledge, reader.linker
        exceptions = "|".join(map(re.escape, listed(reader.schema.language, "plain_exceptions")))
        self._exception = re.compile(rf"\b(?:{exceptions or '(?!)'})\b", re.IGNORECASE)
        self._expand = widest(reader.table.intents.values())
        self._rules = rules
        self._drafts = drafts
        self._lines = lines
        self._against = {name: frozenset(relation.in_use_against) for name, relation in reader.schema.relations.items()}
        self._single = {name: relation.single for name, relation in reader.schema.relations.items() if relation.single}
        self.relations = self._read(reader.knowledge.rules)
        """Relations whose facts are compared; empty if the schema has no things in use."""
        self._reasons: dict[tuple[object, ...], Match | None] = {}
        self._steps = steps_of(self._expand)
        self._known: dict[tuple[str, str], _Pairs] = {}
        """What was found before, by key and name of the subject."""
        self._amounts = Amounts(reader.schema.language)
        self._limits = {
            name for name, relation in reader.schema.relations.items() if "number" in relation.attrs.values()
        }

    def check(
        self,
        facts: Sequence[Fact],
        *,
        subject: Entity,
        failed: Mapping[str, str],
        now: Instant,
        new: Collection[str] | None = None,
    ) -> StandingCheck:
        """All pairs that do not go together, each once; denied, refuted, resolved and ended facts are left out.

        With `new`, only pairs with a fact that has one of these ids.
        """
        held = [fact for fact in facts if speaks_for_risk(fact) and not fact.is_absence and not _is_over(fact, now)]
        told: dict[frozenset[str], Clash] = {}
        pairs = self._pairs(held, subject, now, new)
        for clash in (*pairs.risks, *self._ruled(held, pairs.rules, failed, now), *pairs.several):
            if new is None or not clash.fact_ids.isdisjoint(new):
                told.setdefault(clash.fact_ids, clash)
        open_ = (clash for clash in told.values() if not _is_settled(clash))
        clashes = sorted(open_, key=lambda clash: not clash.stop)
        return StandingCheck(clashes=tuple(clashes), unchecked=_unread(failed))

    def _read(self, rules: Iterable[Rule]) -> tuple[str, ...]:
        in_use = {name for name, against in self._against.items() if against}
        ruled = (rule.relations for rule in rules if not rule.relations.isdisjoint(in_use))
        read = in_use.union(self._single, *self._against.values(), *ruled)
        return tuple(name for name in self._against if name in read)

    def _pairs(self, held: Sequence[Fact], subject: Entity, now: Instant, new: Collection[str] | None) -> "_Pairs":
        """What follows from the facts alone; found once while the store gives the same facts."""
        whom = subject.uid, subject.name
        known = self._known.get(whom) if new is None else None
        if known is not None and known.held == held:
            return known
        in_use = any(self._against.get(fact.relation) for fact in held)
        made = _Pairs(
            held=held,
            risks=tuple(self._risks(held, subject, now, new)),
            rules=self._rules.met_among(held, new) if in_use else (),
            several=tuple(self._several(held)),
        )
        if new is None:
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
            self._known[whom] = made
        return made

    def _ruled(
        self, held: Sequence[Fact], rules: Sequence[Rule], failed: Mapping[str, str], now: Instant
    ) -> Iterator[Clash]:
        """Clashes by rules of the domain."""
        for rule in self._rules.among(held, rules, failed, now) if rules else ():
            if rule.tier in _TOLD:
                is_told = rule.condition.casefold() in rule.text.casefold()
                when = "" if is_told else f"; if {inert(rule.condition)}"
                why = f"tier {rule.tier}: {inert(rule.action) or _USUAL[rule.tier]}{when}"
                yield Clash(text=f"{rule.text.removesuffix('.')} ({why}).", stop=rule.stop, facts=rule.facts)

    def _several(self, held: Sequence[Fact]) -> Iterator[Clash]:
        """Clashes of two values of an attribute that a thing has only once, such as the day of a deadline."""
        known: dict[tuple[str, str], list[Fact]] = {}
        for fact in held:
            if fact.contradicted:  # it shows its correction
                continue
            if (name := self._single.get(fact.relation, "")) in fact.attrs:
                for other in known.setdefault((fact.relation, fact.object.uid), []):
                    if other.attrs[name] != fact.attrs[name]:
                        values = " or ".join(inert_name(str(item.attrs[name])) for item in (other, fact))
                        # Either may be of another matter of the same name: a person must look.
                        yield Clash(text=f"{_shown(fact)}: {values}.", stop=False, facts=(other, fact))
                known[fact.relation, fact.object.uid].append(fact)

    def _risks(
        self, held: Sequence[Fact], subject: Entity, now: Instant, new: Collection[str] | None
    ) -> Iterator[Clash]:
        """Clashes of a recorded risk with a thing in use."""
        things = {fact.fact_id: (*_of_pack(fact), self._lines.is_critical(fact)) for fact in held}
        for used in held:
            against = self._against.get(used.relation)
            counted = held if new is None or used.fact_id in new else [fact for fact in held if fact.fact_id in new]
            risks = [fact for fact in counted if fact.relation in against] if against else []
            for line, match in self._met(used, risks, things, subject, now) if risks else ():
                if line.unpleasant and match.rate:
                    # A cough from one group is no reason against the group that is taken instead.
                    continue
                if self._is_excepted(used, line.fact):
                    continue
                if line.fact.relation in self._limits:
                    if match.level is MatchLevel.EXACT and (clash := self._broken(used, line)) is not None:
                        yield clash
                    continue
                same = used.object.uid == line.fact.object.uid or match.level in _THE_SAME
                why = "" if same else f": {match.text}"
                stop = self._drafts.stands_against(line, match)
                text = f"{_shown(used)} + {_shown(line.fact)}{why}."
                yield Clash(text=text, stop=stop, facts=(used, line.fact))

    def _is_excepted(self, used: Fact, risk: Fact) -> bool:
        """Whether the words of the risk except the use: "no tobacco, except the Altria shares that he inherited"."""
        if (used.episode_id, used.evidence) != (risk.episode_id, risk.evidence):
            return False
        found = self._exception.search(used.evidence)
        mentions = self._linker.mentions(used.evidence) if found is not None else ()
        return found is not None and any(
            concept(item.type, item.name).uid == used.object.uid
            and item.start >= found.end()
            and not _END.search(used.evidence, found.end(), item.start)
            for item in mentions
        )

    def _met(
        self,
        used: Fact,
        risks: Sequence[Fact],
        things: Mapping[str, tuple[object, ...]],
        subject: Entity,
        now: Instant,
    ) -> Iterator[tuple[Line, Match]]:
        """The risks against a use, each with its strongest match; `things` gives by id what decides of a fact."""
        own = _of_pack(used)
        risks = [fact for fact in risks if self._may_meet(used, fact)] if own else risks
        pairs = {fact.fact_id: (*own, *things[fact.fact_id]) for fact in risks}
        # Found out first: nearly always nothing meets, and lines are what takes time.
        if all(self._reasons.get(pair, used) is None for pair in pairs.values()):
            return
        matcher = Matcher(used.object.name, self._mentions(used), self._knowledge, self._expand)

        def matches(fact: Fact, carries: bool, alone: bool) -> tuple[Match, ...]:  # noqa: FBT001 - as lines ask
            return matcher.matches(fact, carries=carries, alone=alone)

        reasons = {
            fact.fact_id: next(filter(self._is_told, self._lines.matched(fact, matches)), None) for fact in risks
        }
        for fact in risks:
            if own and _of_pack(fact):
                self._keep(pairs[fact.fact_id], reasons[fact.fact_id])
        met = [fact for fact in risks if reasons[fact.fact_id] is not None]
        for line in self._lines.of(met, subject=subject, matches=matches, contraries={}, now=now):
            match = reasons[line.fact.fact_id]
            if line.rank in SURE and match is not None:
                yield line, match

    def _may_meet(self, used: Fact, risk: Fact) -> bool:
        """Whether a thing of the pack in use may meet a risk; a risk in words of its own always may."""
        if not _of_pack(risk) or risk.object.uid not in self._knowledge.concepts:
            return True
        closure = self._knowledge.closure(risk.object.uid, self._steps)
        return not self._knowledge.meeting(used.object.uid, self._steps).isdisjoint(closure) or may_say(
            used.object.name, risk.object.name
        )

    def _keep(self, pair: tuple[object, ...], reason: Match | None) -> None:
        """Keeps why two things of the pack do not go together, which is the same for everybody."""
        if len(self._reasons) >= _MOST_PAIRS:
            self._reasons.clear()
        self._reasons[pair] = reason

    def _broken(self, used: Fact, limit: Line) -> Clash | None:
        """A clash of the amount in use with a limit; `None` if the words do not give exactly one amount."""
        amount = self._amounts.of_use(used)
        if amount is None or not self._amounts.breaks(amount, limit.fact):
            return None
        stop = limit.rank == "critical" and used.status is Status.ACTIVE
        said = inert(used.evidence, _SAID)
        return Clash(text=f'{limit.text} In use: {_shown(used)}: "{said}".', stop=stop, facts=(used, limit.fact))

    def _is_told(self, match: Match) -> bool:
        """Whether a match is certain, or by a class that the pack grades as needing care."""
        return match.tier in _TOLD or self._drafts.is_met(match)

    def _mentions(self, fact: Fact) -> Iterator[Mention]:
        """The fact's thing and its meanings as mentions; things that the pack does not know are left out."""
        known = (self._knowledge.concepts.get(uid) for uid in (fact.object.uid, *fact.object.is_a, *fact.meant))
        for thing in (item for item in known if item is not None):
            if concept(thing.type, thing.name).uid == thing.uid:
                yield Mention(type=thing.type, name=thing.name, start=0, end=len(thing.name), surface=thing.name)


def _of_pack(fact: Fact) -> tuple[str, ...]:
    """What decides whether a thing of the pack meets another; empty for what somebody said in words of their own."""
    thing = fact.object
    own = thing.space != KNOWLEDGE_SPACE or thing.is_a or MEANS in fact.attrs or MEANT in fact.attrs
    return () if own else (fact.relation, thing.type, thing.id, thing.name)


def _is_settled(clash: Clash) -> bool:
    """Whether a person accepted one of the facts beside the others."""
    return any(is_accepted(fact, (other for other in clash.facts if other is not fact)) for fact in clash.facts)


def _shown(fact: Fact) -> str:
    """A fact in a few words: `takes Amoxicillin`, `allergy Penicillin (unconfirmed)`."""
    doubt = "" if fact.status is Status.ACTIVE else f" ({in_words(fact.status.value)})"
    return f"{in_words(fact.relation)} {object_shown(fact)}{doubt}"


def _is_over(fact: Fact, now: Instant) -> bool:
    return fact.valid.end is not None and fact.valid.end <= now


def _unread(failed: Mapping[str, str]) -> str:
    """What could not be read and why, each reason once."""
    reasons: dict[str, list[str]] = {}
    for name, reason in failed.items():
        reasons.setdefault(without_secrets(reason), []).append(inert_name(name))
    return "; ".join(f"{_some(names)} ({reason})" for reason, names in reasons.items())


def _some(names: Iterable[str], most: int = 3) -> str:
    every = list(names)
    more = len(every) - most
    return ", ".join([*every[:most], *([f"{more} more"] if more > 0 else [])])
