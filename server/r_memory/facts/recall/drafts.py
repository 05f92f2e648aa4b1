"""Checks a draft of an assistant: does it name something that a recorded fact forbids?

A draft is read like a request that opens every row of the table. Names that the draft only repeats from the memory
("because of your allergy to ...") and names that it says to avoid are recognised by words of the language file, section
`drafts`; in doubt the check warns.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from r_memory.domain.blocks import SURE, DraftCheck, Finding, Ground, Line, Match, MatchLevel, Recall, RuleLine
from r_memory.domain.events import Episode
from r_memory.domain.facts import HAS_INGREDIENT, RISK, SCOPE_TYPE, Entity, Fact, Flag, Proposal, Status, concept
from r_memory.domain.knowledge import MEMBER_OF, Knowledge, Link
from r_memory.domain.schema import Schema
from r_memory.facts.naming import FactNames
from r_memory.facts.recall.any_one import AnyOne
from r_memory.facts.recall.apart import Apart
from r_memory.facts.recall.ceilings import Ceilings, Comparison
from r_memory.facts.recall.dated import Dated
from r_memory.facts.recall.details import Details
from r_memory.facts.recall.due import Due
from r_memory.facts.recall.fine import FinePlaces
from r_memory.facts.recall.forbidden import Forbidden
from r_memory.facts.recall.holds import Holds
from r_memory.facts.recall.judged import Meant, after_judging, calm_waiting, in_force, part_in_force
from r_memory.facts.recall.kept import KeptRules, named_at
from r_memory.facts.recall.lines import OVER, named_by, shown_line
from r_memory.facts.recall.numbered import NotedNumbers
from r_memory.facts.recall.passed import Passed
from r_memory.facts.recall.prepared import Prepared
from r_memory.facts.recall.remarks import Remarks
from r_memory.facts.recall.rendering import counted_lines, naming_of, said_by
from r_memory.facts.recall.restated import Restated
from r_memory.facts.recall.secrets import Secrets
from r_memory.facts.recall.short_names import noted_names, short_names_in
from r_memory.facts.recall.stated import Stated
from r_memory.facts.recall.taken_back import TakenBack
from r_memory.facts.recall.untouched import Untouched
from r_memory.facts.recall.verdicts import gaps_of, unlike_lines, verdict_of, with_words
from r_memory.facts.recall.waiting import plain_statements, unread_of, words_of
from r_memory.facts.recall.whole import Whole
from r_memory.protocols import Mention, Naming, Utterance
from r_memory.reading.kind_denials import KindDenials
from r_memory.reading.language import either, listed
from r_memory.reading.reader import Reader
from r_memory.text.inert import clipped, inert, inert_name
from r_memory.text.sentences import clauses, part_around, stretches

_MESSAGE = 140
_QUOTE = 200
_BY_NAME = MatchLevel.NAME_ONLY
_MAY_CONFLICT = "MAY CONFLICT, said but not yet read: "
_AGAINST = 50
_NEAR = 500
"""Characters before a name that are searched for what is said of it."""
_NAME = re.compile(r"[\w-]+\s+")
_TOGETHER = 2
"""Number of words that a draft shares with what is due by chance only rarely."""
_MOST_STRANGE = 8
"""Maximum number of unknown words of a draft that are listed."""
_MOST_BESIDE = 20
_WAITS_ASIDE = "Waits for a person, and names nothing of this draft: "
"""Maximum number of waiting statements that are read again to see what they name."""
_SURE = frozenset({MatchLevel.EXACT, MatchLevel.INGREDIENT})
_WEIGHED = frozenset({"critical", "unconfirmed", "rule"})
"""Groups of lines that can conflict with a draft; what the subject takes or tolerates cannot."""
_ASIDE = frozenset({"reason", "until"})
"""Details of a sentence that do not say what it is about."""
_OWN_GROUP = ((MEMBER_OF, 1),)
_INGREDIENTS = ((HAS_INGREDIENT, 1),)
_UPWARD = ((HAS_INGREDIENT, 1), (MEMBER_OF, 2))
"""Steps from a recorded thing to groups whose members the pack knows only in part."""


class _Cues:
    """The words of the language file, section `drafts`, by which parts of a draft are recognised."""

    def __init__(self, schema: Schema) -> None:
        def words(name: str) -> str:
            return either(listed(schema.language, "drafts", name))

        given = () if schema.comention is None else schema.comention.given
        self.avoided = re.compile(rf"\b(?:{words('avoided')})\b", re.IGNORECASE)
        self.grounds = re.compile(rf"\b(?:{words('grounds')})\b", re.IGNORECASE)
        self.given = re.compile(rf"\b(?:{either(given)})\b", re.IGNORECASE)
        self.nameless = re.compile(rf"\b(?:{words('nameless')})\b", re.IGNORECASE)
        self.done = re.compile(rf"\b(?:{words('done')})\b", re.IGNORECASE)
        self.said_of = re.compile(rf"\b(?:{words('grounds')})\s+(?:\w+\s+)?$", re.IGNORECASE)
        self.firms = either(listed(schema.language, "proper_names", "firms"))
        self.clearing = re.compile(rf"\b(?:{words('clearing')})\b", re.IGNORECASE)
        self.right_before = re.compile(rf"\b(?:{words('right_before')})\s+$", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Parted:
    """A recall for a draft, in parts by what the draft does with each fact."""

    things: Recall
    """Without what the draft keeps by its words (papers to keep, places that are fine)."""
    bearing: Recall
    """Of these, what may speak against the draft."""
    kept: tuple[Line, ...]
    fine: tuple[Line, ...]
    apart: tuple[Line, ...]
    """What is in force and of another kind than the draft."""


class Drafts:
    """Checks drafts against recalls, under one schema. An incomplete recall gives an incomplete check. Pure."""

    def __init__(self, reader: Reader, dated: Dated, prepared: Prepared[Fact]) -> None:
        self._reader = reader
        self._dated = dated
        self._schema = reader.schema
        self._knowledge = reader.knowledge
        self._names = FactNames(reader.schema, reader.linker)
        self._facts = prepared
        self._episodes = Prepared[Episode](lambda episode: episode.id)
        sides = (side for rule in reader.knowledge.rules for side in (rule.start, rule.end))
        self._general = _general(reader.schema)
        self._is_composed = any(link.relation == HAS_INGREDIENT for link in reader.knowledge.links)
        """Whether the pack knows things that contain others."""
        self._spoken = _spoken(reader.schema)
        self._ruled = frozenset(name for side in sides for name in side.recorded) - self._spoken
        self._stated = Stated(reader.schema)
        self._whole = Whole(reader.schema)
        self._restated = Restated.under(reader.schema, self._names, dated, self._facts)
        own = frozenset(name for name in self._spoken if not reader.schema.relations[name].critical)
        letters = frozenset(word.upper() for word in listed(reader.schema.language, "clause_subjects"))
        self._numbered = NotedNumbers(
            names=self._names,
            prepared=self._facts,
            relations=own,
            scales=self._names.scales,
            letters=letters,
        )
        notes = Remarks.under(reader.schema, reader.linker, prepared).relations
        self._taken_back = TakenBack(names=self._names, prepared=self._facts, notes=frozenset(notes))
        self._ceilings = Ceilings(reader.schema)
        self._plain_details = Details(reader.schema.language, self._names)
        self._due = Due(schema=reader.schema, dated=dated, prepared=self._facts)
        self._at_risk = _at_risk(reader.schema)
        self._critical = _at_risk(reader.schema, bears=("named", "always"))
        self._of_relatives = "" if reader.schema.family is None else reader.schema.family.to
        self._forbidden = Forbidden(
            reader,
            self._names,
            self._ceilings,
            types=self._at_risk | _pursuits(reader.knowledge),
            facts=self._facts,
            episodes=self._episodes,
        )
        self._passed = Passed(reader, self._names, self._episodes)
        self._secrets = Secrets(reader.schema, self._names, self._facts)
        self._apart = Apart(reader.schema, self._names, self._secrets, self._facts)
        self._holds = Holds(reader, self._names)
        self._any_one = AnyOne(reader)
        self._fine = FinePlaces(reader)
        self._in_use = frozenset(name for name, relation in reader.schema.relations.items() if relation.in_use_against)
        self._kept = KeptRules(self._ceilings, self._in_use)
        self._cues = _Cues(reader.schema)
        self._denials = KindDenials(reader.schema)
        self._last_read: tuple[tuple[str, Entity] | None, Sequence[Proposal]] = (None, ())
        self._untouched = Untouched(reader, self._names)
        self._is_known = lru_cache(_MOST_BESIDE)(self._names_known)
        """Kept for the next sentence of an answer, beside which the same statements wait."""

    def check(
        self,
        text: str,
        recall: Recall,
        naming: Naming,
        judged: Sequence[Meant] = (),
        explained: Collection[str] = (),
    ) -> DraftCheck:
        """The findings for a draft with these names against the recall made for it, and the gaps of the comparison.

        `judged` is what the caller thinks of recorded facts beside the draft; `explained` are unknown words, in lower
        case, of which it said what they are.
        """
        recall = self._passed.with_passed(self._forbidden.with_lifted(recall))
        parted = self._parted(text, recall, naming)
        found = self._found(text, recall, naming, parted)
        told_of = {finding.fact_id for finding in found} | {line.fact.fact_id for line in parted.kept}
        unplaced = self._unplaced(parted.bearing, told_of)
        unlike = self._unlike(text, recall, naming)
        # What a product contains under a name that nothing knows is not the caller's to judge.
        listed_only = [*unplaced, *(() if self._is_composed else unlike)]
        after = after_judging(found, recall, judged).with_unplaced(listed_only, judged)
        aside = {item.finding.fact_id for item in after.set_aside}
        findings = with_words(after.findings, recall)
        beside = self._waits_beside(text, recall, naming)
        may_matter = self._may_matter(text, recall, naming)
        untouched = tuple(self._untouched.of(text, recall))
        gaps = (
            *gaps_of(
                recall,
                unlike=(line for line in unlike if self._is_composed or line.fact.fact_id not in aside),
                waits_beside=beside,
                may_matter=may_matter,
                untouched=(*untouched, *calm_waiting(recall, judged)),
            ),
            *_not_understood(line for line in unplaced if line.fact.fact_id not in aside),
            *self._not_compared(text, parted.things, recall, naming),
        )
        # Of what was not recognised they were found out already.
        languages = self._reader.languages if recall.recognised else lambda _: recall.languages
        if not (gaps or findings) and (codes := ", ".join(map(inert_name, languages(text)))):
            # Words that were not understood forbid a calm verdict, even if nothing else does.
            gaps = (f"Some of the draft is in another language ({codes}) and was not understood.",)
        else:
            gaps = (*gaps, *(() if findings else _guessed(naming)), *_strange(naming, recall, explained))
        return DraftCheck(
            verdict=verdict_of(findings, gaps),
            findings=findings,
            gaps=gaps,
            notes=(
                *(counted_lines(recall) if beside else ()),
                *(recall.unasked_noted if may_matter else (*recall.unasked, *recall.unasked_noted)),
                *self._notes(text, recall, naming, parted, told_of),
                *(f"{_WAITS_ASIDE}{inert(words_of(episode), _QUOTE)}" for episode in untouched),
            ),
            recall=recall,
            set_aside=after.set_aside,
            judged=after.judged,
        )

    def _unlike(self, text: str, recall: Recall, naming: Naming) -> Sequence[Line]:
        """The facts recorded under unknown names that the draft may mean."""
        found = unlike_lines(
            recall,
            self._spoken,
            names_something=bool(naming.mentions),
            names_part=lambda name: self._names.bears_in(text, name) is not None,
        )
        return tuple(found)

    def _parted(self, text: str, recall: Recall, naming: Naming) -> _Parted:
        """The facts of a recall by what the draft does with them."""
        # What falls on a day of the draft says nothing of its things.
        things = replace(recall, lines=tuple(map(_of_things, recall.lines)))
        kept = [*self._due.kept(text, things.lines, recall.checked_at), *self._within_bounds(text, things.lines)]
        settled = self._due.superseded(things.lines).union(line.fact.fact_id for line in kept)
        named = naming.mentions
        fine = [line for line in things.lines if self._fine.are_asked_for(text, line.fact, named)]
        held = [line for line in things.lines if self._holds.are_kept(text, line.fact, named)]
        things = replace(things, lines=tuple(line for line in things.lines if line not in (*held, *fine)))
        apart = [
            line for line in self._borne(things) if not line.matches and self._is_apart(text, line.fact, recall.subject)
        ]
        settled = settled.union(line.fact.fact_id for line in apart)
        bearing = replace(things, lines=tuple(line for line in things.lines if line.fact.fact_id not in settled))
        return _Parted(things=things, bearing=bearing, kept=(*kept,), fine=(*fine,), apart=(*apart, *held))

    def _found(self, text: str, recall: Recall, naming: Naming, parted: _Parted) -> tuple[Finding, ...]:
        """All findings for the draft, conflicts first; in the end what is in force beside it."""
        told = [*self._otherwise(text, recall, naming.mentions), *self._restated_in(text, recall)]
        told += self._granted(text, recall, naming)
        said_otherwise = (*{item.fact_id: item for item in reversed(told)}.values(), *self._denied(text, recall))
        found = (*self._findings(text, parted.things, naming), *said_otherwise, *self._on_days(text, recall))
        found = (*found, *self._said_unread(text, recall, naming.mentions), *self._left_out(text, recall, naming))
        found = (*found, *self._by_short_names(text, parted.things, found))
        found = self._with_bans(found, text, parted.things, naming.mentions)
        found = (*found, *self._other_details(text, recall, found))
        found = tuple(sorted(self._with_standing(found, recall), key=lambda finding: finding.verdict != "conflict"))
        return (*found, *self._also_in_force(text, parted.bearing, found))

    def _not_compared(self, text: str, things: Recall, recall: Recall, naming: Naming) -> Iterator[str]:
        """The gaps of things that the draft names and of what it takes for granted."""
        yield from self._cleared(text, things)
        yield from self._untold(text, recall, naming.mentions)
        yield from self._unnamed_in(text, naming.mentions)
        yield from self._partly_known(things, naming.mentions)
        yield from self._ungrouped(things, naming.mentions)
        yield from self._made_of_more(things, naming.mentions)
        yield from self._of_its_members(things, naming.mentions)

    def _notes(
        self, text: str, recall: Recall, naming: Naming, parted: _Parted, told_of: Collection[str]
    ) -> Iterator[str]:
        """What is told beside the verdict: what is not compared, what is in force of another kind, and what is kept."""
        if naming.mentions:
            yield from self._uncompared(recall)
        for line in parted.apart:
            if line.fact.fact_id not in told_of:
                yield f"Also in force, of another kind than this draft: {clipped(shown_line(line), _MESSAGE)}"
        for line in (*parted.kept, *parted.fine):
            yield f"Kept by this draft: {clipped(line.text, _MESSAGE)}"
        for rule in self._kept.of(text, recall, naming.mentions):
            yield f"Kept by this draft: {rule.text}"

    def _with_standing(self, found: Sequence[Finding], recall: Recall) -> Iterator[Finding]:
        """The findings; before one of a disputed sentence the newer sentences that stand in its place."""
        lines = {line.fact.fact_id: line for line in recall.lines}
        own = {finding.fact_id: finding for finding in reversed(found)}
        told = set[str]()
        for finding in found:
            line = None if finding.rule_id else lines.get(finding.fact_id)
            for other in self._standing_against(line, recall) if line is not None else ():
                about = f"{clipped(shown_line(other), _MESSAGE)} It is newer than what this draft meets."
                stands = Finding(
                    verdict="warning",
                    level=finding.level,
                    message=about,
                    quote=finding.quote,
                    fact_id=other.fact.fact_id,
                    ground=finding.ground,
                )
                if other.fact.fact_id not in told:
                    yield own.get(other.fact.fact_id, stands)
                    told.add(other.fact.fact_id)
            if finding.fact_id not in told or finding is not own[finding.fact_id]:
                yield finding
            told.add(finding.fact_id)

    def _standing_against(self, line: Line, recall: Recall) -> Iterator[Line]:
        """Of a disputed sentence: the undisputed newer ones of its relation that share a telling word with it."""
        old = line.fact
        if old.relation not in self._spoken or not (old.contradicted or line.contrary is not None):
            return
        words = self._names.telling(f"{old.object.name} {old.evidence}")
        for other in recall.lines:
            new = other.fact
            if new.relation != old.relation or new.fact_id == old.fact_id or other.rank not in _WEIGHED:
                continue
            stands = other.contrary is None and not new.contradicted and not new.is_absence
            if (
                stands
                and new.said_at >= old.said_at
                and words & self._names.telling(f"{new.object.name} {new.evidence}")
            ):
                yield other

    def _said_unread(self, text: str, recall: Recall, named: Sequence[Mention]) -> Iterator[Finding]:
        """A warning for each rule that the draft would meet if waiting words say what they seem to say, and for each
        statement that may hold a risk of a thing that the draft names.
        """
        waiting = {episode.id: episode for episode in recall.pending}
        told = set[str]()
        for rule in recall.would_meet:
            episode = next(waiting[fact.episode_id] for fact in rule.facts if fact.episode_id in waiting)
            message = f"{_MAY_CONFLICT}{_both_ends(rule.text, _MESSAGE - len(_MAY_CONFLICT))}"
            found = self._of_waiting(text, rule.requested, named, episode, message)
            yield replace(found, level=rule.level, rule_id=rule.rule_id)
            told.add(episode.id)
        for item in unread_of(recall)[0]:
            matches = [match for match in item.matches if not recall.compared_by or match.level is not _BY_NAME]
            if (
                matches
                and item.urgent
                and item.episode.id not in told
                and self._episodes.of(self._names_a_risk, item.episode)
            ):
                message = clipped(f"{_MAY_CONFLICT}{naming_of(matches, words_of(item.episode))}", _MESSAGE)
                requested = [match.requested for match in matches]
                found = self._of_waiting(text, requested, named, item.episode, message)
                yield replace(found, level=matches[0].level)

    def _names_a_risk(self, episode: Episode) -> bool:
        """Whether waiting words name a thing that a fact may forbid, and not only a group by use ("an antibiotic")."""
        named = self._reader.named(words_of(episode)).mentions
        return any(
            item.type in self._critical and inert_name(item.name).casefold() not in self._general for item in named
        )

    def _of_waiting(
        self, text: str, requested: Iterable[str], named: Sequence[Mention], episode: Episode, message: str
    ) -> Finding:
        """A warning that quotes the waiting words, at the first of the requested things that the draft names."""
        place = min((place for name in requested for place in named_at(name, named)), default=None)
        found = self._at(
            text, place or 0, sure=False, level=_BY_NAME, message=message, fact_id=episode.id, ground=Ground.WAITING
        )
        said = f'"{inert(words_of(episode), _QUOTE)}" ({said_by(episode.speaker, episode.said_at)})'
        return replace(found, said=said, quote=_only_sentence(text) if place is None else found.quote)

    def _with_bans(
        self, found: Sequence[Finding], text: str, recall: Recall, named: Sequence[Mention]
    ) -> tuple[Finding, ...]:
        """The findings, and a conflict for each unconfirmed fact or waiting statement whose words forbid the draft."""
        known = {item.fact_id for item in found if item.verdict == "conflict"}
        # What was read for certain in the same words decides.
        told = {
            line.fact.evidence.strip(" .")
            for line in recall.lines
            if line.rank == "critical" or (line.rank != "past" and self._secrets.is_secret(line.fact))
        }
        bans = list[Finding]()
        for line, place in (*self._forbidden.facts_met(text, recall, named), *self._forbidden.deeds_met(text, recall)):
            # What a secret forbids is to tell it, and that is compared by itself.
            secret = self._secrets.is_secret(line.fact)
            if line.fact.fact_id not in known and not secret:
                about = f"{clipped(shown_line(line), _MESSAGE)} Its words forbid this."
                # A thing that is known by more than its words is compared with more than words.
                known_thing = any(match.level is not _BY_NAME for match in line.matches)
                ban = self._ban(text, place, about, line.fact.fact_id)
                bans.append(replace(ban, ground=Ground.COMPARED) if known_thing else ban)
            told.add(line.fact.evidence.strip(" ."))
        for episode, words, place in self._forbidden.waiting_met(text, recall, named):
            if not any(read and (read in words or words.strip(" .") in read) for read in told):
                quoted = inert(words, _QUOTE)
                about = clipped(f"NOT YET READ, forbids this: {quoted}", _MESSAGE)
                said = f'"{quoted}" ({said_by(episode.speaker, episode.said_at)})'
                ban = self._ban(text, place, about, episode.id)
                bans.append(replace(ban, said=said, ground=Ground.WAITING))
        # A draft that says to avoid it keeps to the ban, which is shown as what waits.
        bans = [item for item in bans if item.verdict == "conflict"]
        raised = {item.fact_id for item in bans}
        return (*(item for item in found if item.rule_id or item.fact_id not in raised), *bans)

    def _ban(self, text: str, place: int, message: str, fact_id: str) -> Finding:
        level = MatchLevel.NAME_ONLY
        return self._at(text, place, sure=True, level=level, message=message, fact_id=fact_id, ground=Ground.BAN)

    def _may_matter(self, text: str, recall: Recall, naming: Naming) -> bool:
        """Whether the draft names anything that a question which nobody asked could be about.

        That is any order, a thing of a type that a risk is of, something given without a name ("the tablets"), a sum,
        or a name that nothing knows.
        """
        needed = (self._schema.relations[name].objects for name in recall.needed if name in self._schema.relations)
        types = self._at_risk.union(*needed)
        named = any(mention.type in types for mention in naming.mentions) or naming.strange or naming.unknown
        return (
            recall.is_order
            or bool(named)
            or self._cues.given.search(text) is not None
            or any(self._secrets.amounts(text))
        )

    def _waits_beside(self, text: str, recall: Recall, naming: Naming) -> bool:
        """Whether the waiting statements that are only counted have nothing to do with the draft.

        Each must name things, all known, or the draft must name nothing and ask for nothing; and share no telling word.
        """
        waiting = list(plain_statements(recall))
        if not waiting or recall.uncompared or len(waiting) > _MOST_BESIDE:
            return False
        asks = bool(naming.mentions or naming.strange or naming.unknown or recall.meant)
        return not any(
            (asks and not self._is_known(words)) or self._names.bears_in(text, words)
            for words in map(words_of, waiting)
        )

    def _names_known(self, words: str) -> bool:
        """Whether the words name things, all of them known."""
        named = self._reader.named(words)
        return bool(named.mentions) and not (named.strange or named.unknown)

    def _unplaced(self, recall: Recall, told: Collection[str]) -> Sequence[Line]:
        """Of a draft whose action is unknown: the facts that bear on every action, without those `told`."""
        return () if recall.meant else [line for line in self._borne(recall) if line.fact.fact_id not in told]

    def _also_in_force(self, text: str, recall: Recall, found: Collection[Finding]) -> Iterator[Finding]:
        """One warning for all facts that bear on every action, if the draft means one of them, or does something of its
        kind, and meets none of them.

        It is about the whole draft and quotes no sentence.
        """
        told = {finding.fact_id for finding in found}
        meant = (
            line
            for line in self._borne(recall)
            if not line.matches and (line.fact.relation in recall.meant or self._apart.are_of_a_kind(text, line.fact))
        )
        if parts := [part_in_force(line) for line in meant if line.fact.fact_id not in told]:
            yield in_force(parts)

    def _borne(self, recall: Recall) -> Iterator[Line]:
        """The lines of facts that bear on every action."""
        for line in recall.lines:
            relation = self._schema.relations.get(line.fact.relation)
            if relation is not None and relation.bears == "always" and line.rank in _WEIGHED:
                yield line

    def _cleared(self, text: str, recall: Recall) -> Iterator[str]:
        """The gap of a draft that clears somebody for something ("fit to drive"): no rule compares that."""
        recorded = [line.text for line in recall.lines if line.rank != "past" and not line.fact.is_absence]
        if recorded and (said := self._cues.clearing.search(text)) is not None:
            yield clipped(
                f'Whether "{said[0]}" goes with what is recorded was not compared: {"; ".join(recorded)}', _MESSAGE
            )

    def _partly_known(self, recall: Recall, named: Sequence[Mention]) -> Iterator[str]:
        """Gaps for recorded facts that concern more things than the pack lists, if the draft names a thing of that
        type.
        """
        told = {fact.fact_id for rule in recall.rules for fact in rule.facts}
        named = [mention for mention in named if not self._is_chosen_of(mention, named)]
        for line in recall.lines if named else ():
            if line.rank == "past" or line.matches or line.fact.fact_id in told:
                continue
            above = self._facts.of(self._bearing, line.fact)
            others = (mention for mention in named if self._is_unknown_beside(mention, line.fact.object.uid, above))
            if names := ", ".join(dict.fromkeys(inert_name(other.name) for other in others)):
                yield f"{line.text} What that means for {names} is not in the pack."

    def _is_chosen_of(self, thing: Mention, named: Sequence[Mention]) -> bool:
        """Whether the draft names a member of this group, which then stands for no other."""
        uid = concept(thing.type, thing.name).uid
        others = (concept(mention.type, mention.name).uid for mention in named)
        paths = (self._knowledge.closure(other, _UPWARD).get(uid, ()) for other in others)
        return any(link.relation == MEMBER_OF for path in paths for link in path)

    def _bearing(self, fact: Fact) -> Collection[str]:
        """The concepts of a recorded thing; of what is only in use, without what somebody may react to in it."""
        above = self._knowledge.above(fact.object, _UPWARD, fact.meant)
        if fact.relation not in self._in_use:
            return above.keys()
        return [uid for uid, path in above.items() if not any(map(_is_reacted_to, path))]

    def _uncompared(self, recall: Recall) -> Iterator[str]:
        """The note of what rules would compare, if the record did not hold it in words that name no term."""
        known = [
            line
            for line in recall.lines
            if line.rank not in {*SURE, "past"} and line.fact.relation in self._ruled and not line.fact.is_absence
        ]
        told = [line for line in known if Flag.UNMAPPED in line.fact.flags and not line.fact.meant]
        if told:
            shown = " ".join(clipped(line.text, _MESSAGE) for line in told[:_MOST_STRANGE])
            yield f"Recorded in words that no rule was compared with: {shown}"

    def _is_unknown_beside(self, thing: Mention, recorded: str, above: Collection[str]) -> bool:
        """Whether the pack knows only in part what a recorded thing means for another; `above` are its concepts."""
        uid, known = concept(thing.type, thing.name).uid, self._knowledge
        bearing = known.partly_known.get(thing.type, frozenset()).intersection(above)
        return bool(bearing) and uid != recorded and not known.is_fine_with(uid, bearing)

    def _ungrouped(self, recall: Recall, named: Sequence[Mention]) -> Iterator[str]:
        """Gaps for things of the draft that the pack knows without a group, if a group is recorded."""
        knowledge = self._knowledge
        alone = [mention for mention in named if not knowledge.is_grouped(concept(mention.type, mention.name).uid)]
        for line in recall.lines:
            if line.rank in SURE and not line.matches and line.fact.relation in recall.meant:
                things = (
                    mention.name
                    for mention in alone
                    if (mention.type, line.fact.object.type) in knowledge.grouped_types
                )
                if names := ", ".join(map(inert_name, dict.fromkeys(things))):
                    yield f"{line.text} Whether it bears on {names} is not in the pack, which has no group of it."

    def _made_of_more(self, recall: Recall, named: Sequence[Mention]) -> Iterator[str]:
        """Gaps for a dish or product that may contain a recorded thing, but usually does not."""
        knowledge = self._knowledge
        holds = {mention.name: knowledge.usual_parts(concept(mention.type, mention.name).uid) for mention in named}
        for line in recall.lines:
            if line.rank not in SURE or line.matches or line.rank not in _WEIGHED:
                continue
            for name, parts in holds.items():
                if self._may_be_in(line.fact, parts):
                    usually = ", ".join(inert_name(knowledge.name_of(uid)) for uid in parts)
                    yield f"{line.text} {inert_name(name)} usually holds {usually}; what else is not in the pack: ask."

    def _may_be_in(self, fact: Fact, parts: Sequence[str]) -> bool:
        """Whether a recorded thing may be in a product that usually contains these parts.

        If the pack groups such things, only if the thing shares a group with a part: no cold remedy contains
        penicillin.
        """
        knowledge, thing = self._knowledge, fact.object
        types = {knowledge.concepts[uid].type for uid in parts}
        grouped = {type_ for pair in knowledge.grouped_types for type_ in pair}
        if thing.type in grouped:
            groups = frozenset(there for uid in parts for there in knowledge.closure(uid, _OWN_GROUP))
            return not groups.isdisjoint(knowledge.above(thing, _OWN_GROUP, fact.meant))
        return thing.type in types

    def _of_its_members(self, recall: Recall, named: Sequence[Mention]) -> Iterator[str]:
        """Gaps for a group in the draft ("a vaccine") of which a member contains a recorded thing."""
        knowledge = self._knowledge
        groups = {mention.name: self._held_below(concept(mention.type, mention.name).uid) for mention in named}
        for line in recall.lines:
            if line.rank not in SURE or line.matches or line.rank not in _WEIGHED:
                continue
            own = knowledge.above(line.fact.object, (), line.fact.meant)
            for name, held in groups.items():
                if member := next((held[there] for there in own if there in held), ""):
                    such_as = inert_name(knowledge.name_of(member))
                    yield f"{line.text} Which {inert_name(name)} is not said, and {such_as} would hold it: ask."

    def _held_below(self, group: str) -> Mapping[str, str]:
        """By thing that a member of the group contains: the first such member; empty if it is no group.

        Harmless contents (tier C) are left out.
        """
        members, held = [group], dict[str, str]()
        for item in members:  # which grows by the members of each
            below = (link.start for link in self._knowledge.incoming(item, MEMBER_OF))
            members += [uid for uid in below if uid not in members]
        for member in members[1:]:
            for there, path in self._knowledge.closure(member, _INGREDIENTS).items():
                if path and all(link.tier != "C" for link in path):
                    held.setdefault(there, member)
        return held

    def _findings(self, text: str, recall: Recall, naming: Naming) -> Iterator[Finding]:
        firms = self._of_firms(text, naming)
        superseded = self._due.superseded(recall.lines)
        for line in recall.lines:
            told = [] if line.fact.fact_id in superseded else list(self._given_away(text, line, recall.subject))
            yield from told
            if line.rank in _WEIGHED and line.fact.fact_id not in superseded:
                if self._any_one.is_limit(line.fact):
                    yield from self._of_any_one(text, line, recall, naming.mentions, firms)
                elif not any(finding.verdict == "conflict" for finding in told):
                    yield from self._of_things_in(text, line, recall, naming.mentions, firms)
                if not told:
                    yield from self._of_any_action(text, line)
                    yield from self._of_days_due(text, line, recall)
        yield from self._of_rules(text, recall, naming.mentions)

    def _of_any_one(
        self, text: str, line: Line, recall: Recall, named: Sequence[Mention], firms: Collection[range]
    ) -> Iterator[Finding]:
        """The findings for a limit on any single thing; that the caller adds its name says nothing of the draft."""
        draft = text[: len(recall.query)]
        how, place = self._any_one.compared(draft, line.fact, recall.subject, named)
        if how == "broken":
            about = (
                f'{clipped(shown_line(line), _MESSAGE)} This draft says "{inert_name(text[place.start : place.stop])}".'
            )
            sure, fact_id = self._is_certain(line), line.fact.fact_id
            yield self._at(text, place.start, sure=sure, level=MatchLevel.CLASS, message=about, fact_id=fact_id)
        elif how == "open":
            inside = [each for each in named if each.start < len(draft)]
            met = (match for match in line.matches if match.implied or any(named_at(match.requested, inside)))
            yield from self._of_things_in(draft, replace(line, matches=tuple(met)), recall, inside, firms)

    def _of_things_in(
        self, text: str, line: Line, recall: Recall, named: Sequence[Mention], firms: Collection[range]
    ) -> Iterator[Finding]:
        """The findings for things of the draft that the line matches."""
        for match in line.matches:
            near = self._names.shared(text, match.requested)
            places = dict.fromkeys(_places(match, named, text))
            if not places and near is not None and self._is_limit(line.fact):
                places = {near: None}  # written otherwise: "share fund" for shares
            compared = self._compared(text, line, match, places, recall, named)
            for place in places:
                found = self._finding(line, match, text, place, breaks=compared.get(place) == "broken")
                if compared.get(place) != "kept":
                    whole = range(place, place + len(match.requested))
                    part = any(place in firm and firm != whole for firm in firms)
                    yield replace(found, verdict="warning") if part else found
            if not places:
                # The action alone means it ("MRCP"), or the name is written otherwise.
                found = replace(self._finding(line, match, text, near or 0), verdict="warning")
                yield found if near is not None else replace(found, quote=_only_sentence(text))

    def _of_rules(self, text: str, recall: Recall, named: Sequence[Mention]) -> Iterator[Finding]:
        over = frozenset(line.fact.fact_id for line in recall.lines if self._passed.is_over(line))
        kept = self._kept.of(text, recall, named)
        for rule in (rule for rule in recall.rules if rule not in kept):
            if (rule.facts or (rule.own and rule.stop)) and not self._heeded(rule, text, named):
                broken = rule.stop and not rule.open and over.isdisjoint(fact.fact_id for fact in rule.facts)
                places = dict.fromkeys(place for name in rule.requested for place in named_at(name, named))
                rests = next((line for line in recall.lines if line.fact in rule.facts[:1]), None)
                message = _rule_message(rule, rests)
                about = (
                    rule.named
                    and rests is not None
                    and self._is_certain(rests)
                    and self._speaks_of(text, rests, rule, named)
                )
                for place in places:
                    sure = broken or about or self._is_too_much(rule, text, place, named)
                    yield self._of_rule(rule, text, place, message, sure=sure)
                if not places:
                    yield replace(self._of_rule(rule, text, 0, message, sure=broken), quote=_only_sentence(text))

    def _speaks_of(self, text: str, line: Line, rule: RuleLine, named: Sequence[Mention]) -> bool:
        """Whether the draft names the fact's thing or its sum; of a rule about a deed, anything that it covers."""
        if rule.own:
            return self._holds.covers(text, line.fact, self._details(line.fact), named)
        return bool(line.matches) or self._names.bears_in(text, line.fact.object.name) is not None

    def _heeded(self, rule: RuleLine, text: str, named: Sequence[Mention]) -> bool:
        """Whether the draft says, wherever it names what must not be done, that it is not to be done."""
        places = [place for name in rule.own for place in named_at(name, named)]
        return bool(places) and all(self._is_heeded(text, place) for place in places)

    def _is_heeded(self, text: str, place: int) -> bool:
        """Whether the draft says that what it names here is not to be done, and lets nobody do it."""
        return self._is_avoided(text, place) and not self._forbidden.allows(part_around(stretches, text, place))

    def _is_too_much(self, rule: RuleLine, text: str, place: int, named: Sequence[Mention]) -> bool:
        """Whether the draft's amount of the very thing of a rule breaks a limit that the rule sets for the subject."""
        if rule.level is not MatchLevel.EXACT:
            return False
        return any(self._ceilings.of_thing(text, limit, place, named) == "broken" for limit in rule.limits)

    def _compared(
        self, text: str, line: Line, match: Match, places: Collection[int], recall: Recall, named: Sequence[Mention]
    ) -> Mapping[int, Comparison]:
        """By position: how the draft's amount stands to the limit of the line; empty if it is no limit.

        Within a limit is only an amount that stands alone: the draft names the thing once, and it is not in use. A day
        keeps to what is due on or after it.
        """
        if self._due.is_due(line.fact):
            return {place: self._due.of_place(text, line.fact, place, recall) for place in places}
        if not self._is_limit(line.fact) or match.level is MatchLevel.INGREDIENT or not self.is_met(match):
            return {}
        found = {place: self._ceilings.of_thing(text, line.fact, place, named) for place in places}
        others = (each for each in recall.lines if each.fact.fact_id != line.fact.fact_id)
        used = (each for each in others if each.fact.relation in self._in_use)
        in_use = any(other.requested == match.requested for each in used for other in each.matches)
        alone = len(places) == 1 and not in_use and match.level in {MatchLevel.EXACT, MatchLevel.NAME_ONLY}
        return {place: "open" if how == "kept" and not alone else how for place, how in found.items()}

    def _is_limit(self, fact: Fact) -> bool:
        relation = self._schema.relations.get(fact.relation)
        return relation is not None and "number" in relation.attrs.values()

    def _given_away(self, text: str, line: Line, subject: Entity) -> Iterator[Finding]:
        """The sentences of the draft that give away what the line keeps secret."""
        if line.rank == "past" or not self._secrets.is_secret(line.fact):
            return
        sure = self._goes_to_those_kept_out(text, line, subject)
        if sure is None:
            return
        ground = self._ground_of_secret(line.fact)
        for said in self._secrets.given_away(text, line.fact):
            says = inert_name(text[said.start : said.stop])
            about = f'{clipped(shown_line(line), _MESSAGE)} This draft says "{says}".'
            fact_id = line.fact.fact_id
            yield self._at(text, said.start, sure=sure, level=_BY_NAME, message=about, fact_id=fact_id, ground=ground)

    def _ground_of_secret(self, fact: Fact) -> Ground:
        """A secret that is a thing by name is compared as that thing."""
        return Ground.SECRET if self._secrets.is_in_words(fact) else Ground.COMPARED

    def _goes_to_those_kept_out(self, text: str, line: Line, subject: Entity) -> bool | None:
        """Whether what the draft tells is a conflict with a secret, or else a warning; `None` if it tells nobody.

        Words of their own are for nobody. A thing that drafts are about anyway ("Continue sertraline") is told only by
        what goes out, and not to the subject.
        """
        fact, critical = line.fact, line.rank in _WEIGHED
        stands = fact.status is Status.ACTIVE and not fact.contradicted and line.contrary is None
        certain = self._is_certain(line) if critical else stands and not self._passed.is_over(line)
        kept_from = self._secrets.is_kept_from(text, fact)
        if not self._secrets.is_in_words(fact) and not kept_from and not self._apart.goes_out(text, subject):
            return None
        all_of_it = critical and self._secrets.is_in_words(fact)
        return certain and (all_of_it or kept_from is not False)

    def _of_any_action(self, text: str, line: Line) -> Iterator[Finding]:
        """A finding of a fact whose words the draft has, though it does not name the fact's object.

        What must not be done with a thing is found by any word of the thing's name, whatever the draft means: a secret
        is given away in other words. A critical sentence, such as an instruction, is found by any of its words.
        """
        relation = self._schema.relations.get(line.fact.relation)
        if relation is None or line.matches:
            return
        fact_id = line.fact.fact_id
        if relation.critical and relation.name in self._spoken and (met := self._instructed(text, line)):
            said, broken = met
            if not broken and (self._keeps_to(text, line.fact, said.start) or any(self._within_bounds(text, [line]))):
                return
            says = inert_name(text[said.start : said.stop])
            about = f'{clipped(shown_line(line), _MESSAGE)} It bears on this draft, which says "{says}".'
            ground = Ground.COMPARED if broken else Ground.WORDS
            yield self._at(text, said.start, sure=broken, level=_BY_NAME, message=about, fact_id=fact_id, ground=ground)
            return
        place = self._names.shared(text, line.fact.object.name) if self._secrets.forbids_telling(relation) else None
        if place is not None:
            about = clipped(shown_line(line), _MESSAGE)
            ground = self._ground_of_secret(line.fact)
            yield self._at(text, place, sure=False, level=_BY_NAME, message=about, fact_id=fact_id, ground=ground)

    def _within_bounds(self, text: str, lines: Iterable[Line]) -> Iterator[Line]:
        """The instructions whose bound every sum of the draft keeps, and whose other words it does not share."""
        for line in lines:
            if line.fact.relation in self._spoken and self._is_certain(line):
                words = [line.fact.evidence, *self._details(line.fact)]
                how = {each for part in words for each, _ in self._ceilings.sums_against(text, part)}
                beside = self._ceilings.beside_bounds(line.fact.evidence)
                if how == {"kept"} and self._names.bears_in(text, beside) is None:
                    yield line

    def _details(self, fact: Fact) -> list[str]:
        """The details of a fact that say what it is about."""
        kinds = self._schema.relations[fact.relation].attrs
        return [str(value) for name, value in fact.attrs.items() if kinds.get(name) == "text" and name not in _ASIDE]

    def _is_apart(self, text: str, fact: Fact, subject: Entity) -> bool:
        """Whether nothing of the draft can belong to the fact: acts of another kind, or the other side of the body; or
        the draft repeats the ban that the fact's words are.
        """
        apart = self._apart.are_apart(text, fact, subject) or self._forbidden.names_other_side(text, fact)
        return apart or self._repeats(text, fact)

    def _keeps_to(self, text: str, fact: Fact, place: int) -> bool:
        """Whether the draft is about the other side of the body, or repeats the ban that the fact's words are."""
        if self._forbidden.names_other_side(part_around(stretches, text, place), fact):
            return True
        return self._repeats(text, fact)

    def _repeats(self, text: str, fact: Fact) -> bool:
        """Whether the draft repeats the ban that the fact's words are, wherever it has a word of it."""
        if not self._forbidden.is_ban(fact):
            return False
        heeded: dict[str, bool] = {}
        for found in self._names.found_in(text, self._names.telling(fact.object.name)):
            clause = part_around(clauses, text, found.start())
            heeded[clause] = heeded.get(clause, False) or self._is_heeded(text, found.start())
        return bool(heeded) and all(heeded.values())

    def _of_days_due(self, text: str, line: Line, recall: Recall) -> Iterator[Finding]:
        """A conflict where the draft does later what is due by a day under a name that no lexicon knows."""
        fact = line.fact
        if line.matches or not self._due.is_due(fact) or Flag.UNMAPPED not in fact.flags or not self._is_certain(line):
            return
        found = list(self._names.found_in(text, self._names.telling(fact.object.name)))
        named = {self._names.telling(word[0]) for word in found}
        replaces = any(
            other.contrary is not None and other.contrary.evidence == fact.evidence for other in recall.lines
        )
        least = 1 if replaces else _TOGETHER
        if len(named) >= least and self._due.of_place(text, fact, found[0].start(), recall) == "broken":
            about = f"{clipped(shown_line(line), _MESSAGE)} This draft is later."
            sure = line.contrary is None and not fact.contradicted
            yield self._at(text, found[0].start(), sure=sure, level=_BY_NAME, message=about, fact_id=fact.fact_id)

    def _instructed(self, text: str, line: Line) -> tuple[range, bool] | None:
        """Where the draft meets a recorded sentence, and whether it breaks it: by a sum that the sentence forbids, by
        an aim outside its range, or else by the first word that the sentence or one of its details tells.
        """
        fact = line.fact
        details = self._details(fact)
        if self._is_certain(line):
            sums = (self._ceilings.broken_sum(text, words) for words in (fact.evidence, *details))
            places = (*sums, self._ceilings.off_target(text, fact))
            if (broken := next((place for place in places if place is not None), None)) is not None:
                return broken, True
        met = self._names.bears_in(text, " ".join([fact.object.name, *details]))
        return None if met is None else (range(*met.span()), False)

    def _on_days(self, text: str, recall: Recall) -> Iterator[Finding]:
        """The findings for days of the draft on which something is noted that the draft does not name."""
        for line in recall.lines:
            for match in line.matches if line.matches and self._dated.is_new_to(line, text) else ():
                place = max(text.find(match.requested), 0)
                about = clipped(f"{shown_line(line)} {match.text}.", _MESSAGE)
                yield self._at(text, place, sure=False, level=match.level, message=about, fact_id=line.fact.fact_id)

    def _otherwise(self, text: str, recall: Recall, named: Sequence[Mention]) -> Iterator[Finding]:
        """The findings for amounts, numbers and days that the draft states otherwise than the record."""
        for line, places, of_it in self._named_in(text, recall, named):
            for place in sorted({*self._stated.otherwise(text, line, places, of_it)})[:1]:
                yield self._on_record(text, line, place)

    def _unnamed_in(self, text: str, named: Sequence[Mention]) -> Iterator[str]:
        """The gap of a sentence that gives something of which it says that nobody knows what it is."""
        end = 0
        for part in stretches(text):
            start, end = end, end + len(part)
            things = (each for each in named if each.type in self._at_risk and start <= each.start < end)
            if self._cues.nameless.search(part) and self._cues.given.search(part) and not any(things):
                yield f'What it is that is given was not named: "{clipped(inert(part), _AGAINST)}". Ask.'

    def _left_out(self, text: str, recall: Recall, naming: Naming) -> Iterator[Finding]:
        """A warning for each thing in use that a draft which claims to list them all does not name."""
        used = [line for line in recall.lines if line.fact.relation in self._in_use and not line.fact.is_absence]
        standing = [line for line in used if line.rank != "past" and not self._passed.is_over(line)]
        for line, place in self._whole.left_out(text, standing, naming.mentions):
            about = clipped(f"Left out, though this draft lists all: {shown_line(line)}", _MESSAGE)
            yield self._at(text, place, sure=False, level=_BY_NAME, message=about, fact_id=line.fact.fact_id)

    def _by_short_names(self, text: str, things: Recall, found: Sequence[Finding]) -> Iterator[Finding]:
        """A warning for each forbidden name of which the draft has a word: it may mean that one."""
        told = {finding.fact_id for finding in found}
        forbids = (line for line in things.lines if line.rank in _WEIGHED and line.fact.relation not in self._spoken)
        new = [line for line in forbids if line.fact.fact_id not in told]
        for line, place, word in short_names_in(text, new, self._names):
            about = clipped(f'"{inert_name(word)}" MAY BE {inert_name(line.fact.object.name)}: {line.text}', _MESSAGE)
            yield self._at(text, place, sure=False, level=_BY_NAME, message=about, fact_id=line.fact.fact_id)

    def _untold(self, text: str, recall: Recall, named: Sequence[Mention]) -> Iterator[str]:
        """The gaps for doses that are recorded, or given in the draft, without the unit that would compare them."""
        for line, places, of_it in self._named_in(text, recall, named):
            for dose, said in [*self._stated.untold(text, places, of_it)][:1]:
                shown, says = inert_name(dose), clipped(inert(said), _AGAINST)
                yield f'{shown_line(line)} "{shown}" was not compared with "{says}": one is without a unit. Ask.'

    def _named_in(
        self, text: str, recall: Recall, named: Sequence[Mention]
    ) -> Iterator[tuple[Line, list[range], list[Fact]]]:
        """Each standing line whose thing the draft names, where its details may stand, and all facts of that thing."""
        if not named:
            return
        ends = sorted(mention.end for mention in named)
        begins = dict[int, int]()
        for mention in named:
            last = max((end for end in ends if end <= mention.start), default=None)
            led = self._stated.leading(text[last or 0 : mention.start], follows=last is not None)
            begins[mention.start] = mention.start if led is None else (last or 0) + led
        starts = sorted(begins.values())
        standing = [line for line in recall.lines if line.rank != "past" and not line.fact.is_absence]
        of_things = defaultdict[tuple[str, str], list[Fact]](list)
        for line in standing:
            of_things[line.fact.relation, line.fact.object.uid].append(line.fact)
        for line in standing:
            names = {
                mention for match in line.matches for mention in named if match.level in _SURE and _is(mention, match)
            }
            measured = "value" in line.fact.attrs
            places = [
                range(
                    name.end if measured or begins[name.start] == name.start else begins[name.start],
                    next((start for start in starts if start >= name.end), len(text)),
                )
                for name in names
            ]
            if places:
                yield line, places, of_things[line.fact.relation, line.fact.object.uid]

    def _restated_in(self, text: str, recall: Recall) -> Iterator[Finding]:
        """The findings for sentences that give a recorded thing another day or sum, or what it no longer is."""
        standing = [line for line in recall.lines if line.rank != "past" and not line.fact.is_absence]
        known = [line for line in standing if line.fact.relation in self._schema.relations]
        for line, place in (
            (*self._restated.otherwise(text, known, recall.checked_at), *self._numbered.otherwise(text, known))
            if self._reader.is_short(text)
            else ()
        ):
            yield self._on_record(text, line, place)
        over = [line for line in recall.over if line.fact.status in OVER]
        for line, place in self._taken_back.repeated(text, recall.lines, over):
            yield self._on_record(text, line, place)

    def _other_details(self, text: str, recall: Recall, found: Sequence[Finding]) -> Iterator[Finding]:
        """The findings for plain details in which the draft differs from a fact that no conflict was `found` with."""
        told = {item.fact_id for item in found if item.verdict == "conflict"}
        known = [line for line in recall.lines if line.fact.relation in self._schema.relations]
        met = {item.fact_id for item in found}
        lines = [line for line in known if line.fact.fact_id not in told]
        for detail in self._plain_details.otherwise(text, lines) if self._reader.is_short(text) else ():
            fact = detail.line.fact
            if detail.sure and not self._secrets.is_secret(fact):
                about = f"{clipped(shown_line(detail.line), _MESSAGE)} Its words forbid this."
                yield replace(self._ban(text, detail.place, about, fact.fact_id), ground=Ground.COMPARED)
            elif not (detail.sure or self._forbidden.is_ban(fact) or fact.fact_id in met):
                yield self._on_record(text, detail.line, detail.place)

    def _granted(self, text: str, recall: Recall, naming: Naming) -> Iterator[Finding]:
        """A warning for each thing that the draft takes for granted ("given her diabetes") and the record denies, or
        calls ended or disputed.
        """
        doubted = [line for line in recall.lines if line.fact.contradicted or line.contrary is not None]
        against = [*recall.over, *doubted]
        if not self._reader.is_short(text) or not self._may_name(text, [line.fact for line in against], naming):
            return
        for said in self._stated_in(text, recall.subject):
            place = _place_of(said, text)
            thing = concept(said.object_type, said.object)
            # A doubtful reading says nothing against "none" of a whole kind.
            sure = said.status == Status.ACTIVE
            like = [line for line in against if line.fact.relation == said.relation and self._is_of(line.fact, thing)]
            like = [line for line in like if sure or not line.fact.is_absence]
            if place is None or not like or self._is_ordered(said) or self._stands(recall, said.relation, thing):
                continue
            yield self._on_record(text, like[0], place)

    def _stated_in(self, text: str, subject: Entity) -> Sequence[Proposal]:
        """What the draft states by itself as a fact that holds."""
        return [
            said
            for said in self._read_in(text, subject)
            if said.status in RISK and said.object_type not in {"", SCOPE_TYPE}
        ]

    def _read_in(self, text: str, subject: Entity) -> Sequence[Proposal]:
        """What the offline reader reads in the draft; read once for all that is compared with it."""
        of, proposals = self._last_read
        if of != (text, subject):
            proposals = self._reader.extractor.extract(Utterance(text=text, subject=subject)).proposals
            self._last_read = (text, subject), proposals
        return proposals

    def _may_name(self, text: str, facts: Sequence[Fact], naming: Naming) -> bool:
        """Whether the draft may name the thing of a fact, or a thing of which "none" is recorded.

        Words that no list knows may name any thing of a type that the draft names.
        """
        types = {mention.type for mention in naming.mentions}
        like = [fact for fact in facts if not fact.is_absence and fact.object.type in types]
        absent = {fact.object.id for fact in facts if fact.is_absence}
        if any(self._schema.speaks_of(scope, type_) for scope in absent for type_ in types):
            return True
        if not like or naming.strange or naming.unknown:
            return bool(like)
        things = {concept(mention.type, mention.name).uid for mention in naming.mentions}
        named = frozenset(uid for thing in things for uid in self._knowledge.closure(thing, _UPWARD))
        return any(fact.object.uid in named or self._names.bears_in(text, fact.object.name) for fact in like)

    def _is_of(self, fact: Fact, thing: Entity) -> bool:
        """Whether what a fact says of its thing, or of a whole scope, holds for the thing of a draft."""
        if fact.is_absence:
            return self._schema.speaks_of(fact.object.id, thing.type)
        return fact.object.uid in self._knowledge.above(thing, _UPWARD)

    def _is_ordered(self, said: Proposal) -> bool:
        """Whether the words only order a thing to be used: they begin with its name."""
        mentions = self._reader.linker.mentions(said.evidence)
        first = min((item.start for item in mentions), default=0)
        return said.relation in self._in_use and not said.evidence[:first].strip()

    def _stands(self, recall: Recall, relation: str, thing: Entity) -> bool:
        """Whether the thing, or a kind of it, is recorded undisputed as well."""
        standing = (line for line in recall.lines if line.rank != "past" and line.fact.relation == relation)
        sure = (line.fact for line in standing if line.contrary is None and not line.fact.contradicted)
        return any(
            thing.uid in self._knowledge.above(fact.object, _UPWARD, fact.meant) or self._is_of(fact, thing)
            for fact in sure
        )

    def _denied(self, text: str, recall: Recall) -> Iterator[Finding]:
        """A conflict for each standing risk whose whole kind the draft denies ("no known allergies")."""
        at_risk = [line for line in recall.lines if line.rank in _WEIGHED and not line.fact.is_absence]
        kinds = {line.fact.relation for line in at_risk}
        if not self._reader.is_short(text) or not self._denials.may_deny(text, kinds):
            return
        for said in self._read_in(text, recall.subject):
            for line in at_risk if said.object in self._schema.scopes or said.object_type == SCOPE_TYPE else ():
                scope = said.object.casefold()
                if said.relation == line.fact.relation and self._schema.speaks_of(scope, line.fact.object.type):
                    place = said.span.start if said.span is not None else max(text.find(said.evidence), 0)
                    yield replace(self._on_record(text, line, place), verdict="conflict")

    def _on_record(self, text: str, line: Line, place: int) -> Finding:
        about = clipped(f"The record says otherwise: {shown_line(line)}", _MESSAGE)
        fact_id = line.fact.fact_id
        return self._at(text, place, sure=False, level=MatchLevel.EXACT, message=about, fact_id=fact_id)

    def _of_firms(self, text: str, naming: Naming) -> Sequence[range]:
        """Where unknown firms stand, of whose names a term may be a part: "Bellweather Gaming plc"."""
        strange = either(word for word in naming.strange if word[:1].isupper())
        name = re.compile(rf"\b(?:{strange})(?-i:(?:\s+[A-Z][\w&-]*)*)\s+(?:{self._cues.firms})\b", re.IGNORECASE)
        return [range(*found.span()) for found in name.finditer(text)]

    def _finding(self, line: Line, match: Match, text: str, place: int, *, breaks: bool = False) -> Finding:
        """The finding for a line that meets the draft: a conflict if the fact forbids a thing that the draft names for
        certain, or if an amount `breaks` the limit.
        """
        return self._at(
            text,
            place,
            sure=self._is_certain(line)
            and (breaks or (self.stands_against(line, match) and _is_sure_of_name(match, text, place))),
            level=match.level,
            # The reason first: a reader who sees only the beginning must see what stands against it.
            message=clipped(f"{shown_line(line)} {match.text}.", _MESSAGE),
            fact_id=line.fact.fact_id,
            ground=Ground.COMPARED if breaks or not self._is_by_words(line.fact, match) else Ground.WORDS,
        )

    def _is_by_words(self, fact: Fact, match: Match) -> bool:
        """Whether a match says only that the draft has words of a sentence, which is no limit and no deadline."""
        repeated = match.level is MatchLevel.NAME_ONLY and fact.relation in self._spoken
        return repeated and not (self._is_limit(fact) or self._due.is_due(fact))

    def stands_against(self, line: Line, match: Match) -> bool:
        """Whether a line forbids what it matches: the fact is critical, and the match is certain.

        A limit of an amount is compared instead, and the words of an instruction are not against themselves. An
        unpleasant experience forbids nothing, and what a relative had only where a rule says so.
        """
        fact = line.fact
        repeated = match.level is MatchLevel.NAME_ONLY and fact.relation in self._spoken
        compared = repeated or self._is_limit(fact) or self._due.is_due(fact) or fact.relation == self._of_relatives
        return self._is_certain(line) and self.is_met(match) and not compared and not line.unpleasant

    def _is_certain(self, line: Line) -> bool:
        """Whether somebody stated a critical fact as such, and nobody that it is over.

        A denial of what was never certain does not make it certain.
        """
        return line.rank == "critical" and line.fact.status is not Status.UNCONFIRMED and not self._passed.is_over(line)

    def is_met(self, match: Match) -> bool:
        """Whether a match is certain: the pack gives no grade of doubt, or the grade of a stop."""
        # "An antibiotic" is no penicillin yet: a group by use orders nothing of it.
        some = not match.tier and match.requested.casefold() not in self._general
        return (match.level in _SURE and not match.tier) or match.tier == "A" or some

    def _of_rule(self, rule: RuleLine, text: str, place: int, message: str, *, sure: bool) -> Finding:
        """The finding for a domain rule; `sure` if the rule is undisputed, all its sides are met, and none is over."""
        return self._at(
            text,
            place,
            sure=sure,
            level=rule.level,
            message=message,
            fact_id=rule.facts[0].fact_id if rule.facts else "",
            rule_id=rule.rule_id,
        )

    def _at(
        self,
        text: str,
        place: int,
        *,
        sure: bool,
        level: MatchLevel,
        message: str,
        fact_id: str,
        rule_id: str = "",
        ground: Ground = Ground.COMPARED,
    ) -> Finding:
        """A finding at a position of the draft; a thing that the draft says to avoid is no conflict."""
        return Finding(
            verdict="conflict" if sure and not self._is_avoided(text, place) else "warning",
            level=level,
            message=message,
            quote=inert(part_around(stretches, text, place), _QUOTE),
            fact_id=fact_id,
            rule_id=rule_id,
            ground=ground,
        )

    def _is_avoided(self, text: str, place: int) -> bool:
        before, clause = text[max(place - _NEAR, 0) : place], part_around(clauses, text, place)
        if self._cues.right_before.search(before):
            return True
        reasons = [found[0] for found in self._cues.avoided.finditer(clause)]
        if not reasons or not self._cues.done.search(clause):
            return bool(reasons)
        if not all(self._cues.grounds.fullmatch(reason) for reason in reasons):
            return True
        name = _NAME.match(text, place)
        follows = name is not None and self._cues.grounds.match(text, name.end()) is not None
        return follows or self._cues.said_of.search(before) is not None


def _is_reacted_to(link: Link) -> bool:
    """Whether a link leads to a content that is told only because somebody may react to it."""
    return link.relation == HAS_INGREDIENT and bool(link.tier)


def _is(mention: Mention, match: Match) -> bool:
    return inert_name(mention.name).casefold() == match.requested.casefold()


def _place_of(said: Proposal, text: str) -> int | None:
    place = said.span.start if said.span is not None else text.find(said.evidence)
    return place if place >= 0 else None


def _not_understood(unplaced: Iterable[Line]) -> Iterator[str]:
    """The gap of a draft of which the facts that bear on every action could not be placed."""
    if lines := [line.text for line in unplaced]:
        yield f"What this does was not understood, and may meet: {' '.join(lines)}"


def _of_things(line: Line) -> Line:
    """The line without the matches of its days."""
    matches = tuple(match for match in line.matches if match.level is not MatchLevel.DAY)
    return line if len(matches) == len(line.matches) else replace(line, matches=matches)


def _guessed(naming: Naming) -> Iterator[str]:
    """Gaps for words that only resemble a name: their other meanings were not compared."""
    taken: dict[str, list[str]] = {}
    for mention in naming.mentions:
        if mention.fuzzy:
            taken.setdefault(mention.surface, []).append(inert_name(mention.name))
    for surface, names in taken.items():
        either = " or ".join(dict.fromkeys(names))
        yield f"NOT RECOGNISED: {inert_name(surface)}, read as {either}; if it is anything else, ask."


def _strange(naming: Naming, recall: Recall, explained: Collection[str]) -> Iterator[str]:
    """Gaps for unknown words of the draft that are no person's name and that nobody `explained`: they may name a thing
    to be ordered.
    """
    words = recall.addressed
    people = (recall.subject, *words.others, *words.namesakes, *words.also_read)
    named = {
        *recall.unrecognised,
        *words.strangers,
        *words.known_of,
        *(name for person in people for name in (person.name, *person.aliases)),
    }
    parts = {part.casefold() for name in named for part in name.split()} | named_by(recall.lines) | {*explained}
    written = ((word, word.casefold().replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")) for word in naming.strange)
    strange = [word for word, name in written if parts.isdisjoint({name, name.removesuffix("'s")})]
    facts = [*(line.fact for line in recall.lines), *recall.notes_beside]
    noted = dict([*noted_names(strange, facts).items()][:_MOST_STRANGE])
    for word, fact in noted.items():
        quote = inert_name(fact.object.name)
        yield f'{inert_name(word)} is known from {fact.relation} "{quote}" alone: compare it with what this says.'
    if unknown := [inert_name(word) for word in strange if word not in noted]:
        more = f" and {len(unknown) - _MOST_STRANGE} more" if len(unknown) > _MOST_STRANGE else ""
        yield f"NOT RECOGNISED: {', '.join(unknown[:_MOST_STRANGE])}{more}; what this may name could not be compared."


def _places(match: Match, mentions: Sequence[Mention], text: str) -> Iterator[int]:
    """Positions at which the draft names the thing of the match."""
    yield from named_at(match.requested, mentions)
    if match.level is MatchLevel.NAME_ONLY:
        yield from (found.start() for found in re.finditer(re.escape(match.requested), text, re.IGNORECASE))


def _is_sure_of_name(match: Match, text: str, place: int) -> bool:
    """Whether the draft writes the name as a name, not only with the capital of a sentence start.

    It is true for lexicon terms.
    """
    if match.level is not MatchLevel.NAME_ONLY:
        return True
    written = text[place : place + len(match.requested)]
    capitals = sum(word[:1].isupper() for word in written.split())
    begins = not part_around(stretches, text, place) or part_around(stretches, text, place).startswith(written)
    return written[:1].isupper() and (capitals > 1 or not begins)


def _only_sentence(text: str) -> str:
    """The sentence of a draft that has only one; empty if any of several may be meant."""
    parts = [part for part in stretches(text) if part.strip()]
    return inert(parts[0].strip(), _QUOTE) if len(parts) == 1 else ""


def _rule_message(rule: RuleLine, rests: Line | None) -> str:
    """The sentence of a rule, with the recorded value or place that it rests on where that says more (`INR 7.4`), or
    with what is said against it.
    """
    named = rests is None or rests.fact.object.name.casefold() in rule.text.casefold()
    if rests is None or (named and not rests.fact.attrs and rests.contrary is None):
        return _both_ends(rule.text, _MESSAGE)
    on_record = clipped(shown_line(rests), _MESSAGE // 2)
    return f"{_both_ends(rule.text, _MESSAGE - len(on_record) - 1)} {on_record}"


def _both_ends(text: str, most: int) -> str:
    """The text cut in the middle: a rule names the draft's thing first and the conflicting thing last."""
    half = most // 2
    return text if len(text) <= most else f"{text[: half - 1].rstrip()}…{text[-half:].lstrip()}"


def _general(schema: Schema) -> frozenset[str]:
    """Names of groups by use, in lower case."""
    groups = [kinds.get("kind", {}).get("general", ()) for kinds in schema.lexicon.values.values()]
    return frozenset(inert_name(name).casefold() for names in groups for name in names)


def _at_risk(schema: Schema, bears: Sequence[str] = ("named",)) -> frozenset[str]:
    """Types of the things that a fact of the subject's own may forbid, along relations that bear so on requests."""
    family = "" if schema.family is None else schema.family.to
    own = (item for name, item in schema.relations.items() if item.critical and name != family)
    return frozenset(type_ for item in own if item.bears in bears for type_ in item.objects)


def _pursuits(knowledge: Knowledge) -> frozenset[str]:
    """Types of what a draft must not let somebody do beside its own things; a ban may forbid it as well."""
    ends = (uid for rule in knowledge.rules if rule.own for uid in rule.end.concepts)
    return frozenset(knowledge.concepts[uid].type for uid in ends)


def _spoken(schema: Schema) -> frozenset[str]:
    """Relations whose objects are in no lexicon."""
    known = schema.lexicon.terms.keys()
    return frozenset(name for name, relation in schema.relations.items() if known.isdisjoint(relation.objects))
