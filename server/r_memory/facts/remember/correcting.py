"""Which recorded fact an utterance corrects, and the events that end it if words may do so.

The effects of a correction are in `domain/corrections.py`; this module looks up the name ("the March date", an id).
"""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace

from r_memory.domain.changes import Decision, allowed, changed, is_done, requested
from r_memory.domain.corrections import Correction, Doubted, correction_of, named_all
from r_memory.domain.events import OPEN, Chain, Episode, FactEvent
from r_memory.domain.facts import RISK, Entity, Fact, Observation, Route, Status
from r_memory.domain.folding import fold, fold_all
from r_memory.domain.identity import identity_key
from r_memory.domain.instants import Instant, iso_day
from r_memory.errors import SubjectUnknown
from r_memory.facts.naming import BY_DETAIL, BY_THING, FactNames
from r_memory.facts.recall.lines import lines_under
from r_memory.facts.remember.pointing import Pointing
from r_memory.facts.remember.replacing import Replacements, around
from r_memory.facts.remember.results import Claim
from r_memory.facts.remember.understanding import EVIDENCE_ROLES
from r_memory.facts.remember.utterances import Statement
from r_memory.facts.subjects import Subjects
from r_memory.facts.withdrawing import Sayings, Withdrawing, facts_in
from r_memory.protocols import Clock, Store
from r_memory.reading.listener import Told
from r_memory.reading.reader import Reader
from r_memory.reading.retractions import Retraction, Retractions, Taking
from r_memory.reading.things import Things
from r_memory.text.inert import inert
from r_memory.text.sentences import stretches

_ID = re.compile(r"[0-9a-f]{8}(?:[0-9a-f-]{28})?")
_REASON = 500
_LABEL = 120
"""Maximum characters of a label that stands for a fact whose words do not name it."""
_DIGIT = re.compile(r"\d")
_ENDED = frozenset({Status.REFUTED, Status.RESOLVED, Status.ENTERED_IN_ERROR})
_UNCHANGED = "nothing was changed: say which in `corrects`, or call memory_change_fact"
_UNFOUND = "nothing that is recorded is named by `corrects`, so it was taken as a statement of its own"
_OF_ANOTHER = "if it is somebody else's, state it in a call for that person"
_NO_FACT = "asks to forget something of which nothing is stored as a fact: no fact was changed"
_MOST = 5
_FORGET_ALL = (
    "asks to forget everything: nothing was changed. Who runs this memory erases a person with the command `r-memory "
    "forget SUBJECT`; for single facts call memory_change_fact with change entered_in_error"
)


class Corrector:
    """Finds the corrections of statements in one space."""

    def __init__(self, *, store: Store, reader: Reader, subjects: Subjects, clock: Clock) -> None:
        self._retractions = Retractions(reader.schema.language)
        self._store = store
        self._schema = reader.schema
        self._subjects = subjects
        self._clock = clock
        self._linker = reader.linker
        self._names = FactNames(reader.schema, reader.linker)
        self._replacements = Replacements(
            store=store, reader=reader, subjects=subjects, retractions=self._retractions, names=self._names
        )
        self._pointing = Pointing(
            schema=reader.schema, linker=reader.linker, names=self._names, retractions=self._retractions, clock=clock
        )
        self._lines = lines_under(reader.schema)
        self._things = Things(reader.schema, reader.linker)
        self._sayings = Sayings(self._names, self._retractions)
        self._withdrawing = Withdrawing(store=store, reader=reader, clock=clock)

    async def of(self, said: Statement) -> Statement:
        """The statement with the facts that its claims correct filled in."""
        taken = tuple(self._retractions.of(said.text)) if said.role in EVIDENCE_ROLES else ()
        evident = said.role in EVIDENCE_ROLES
        told = await self._told(taken, said)
        replaces = evident and (self._replacements.may_be(said) or self._pointing.may_point(said))
        if not (taken or replaces or any(claim.corrects or _is_over(claim) for claim in said.claims or ())):
            return self._with_labels(said)
        relations = (*self._schema.relations, *self._subjects.retired)
        try:
            found = await self._store.neighbourhood(said.subject, relations)
            known, waiting = found.facts, found.pending
        except SubjectUnknown:  # a trial about somebody new: nothing is recorded that words could take back
            known, waiting = (), ()
        if evident:
            said = self._pointed(said, known)
        said = self._with_labels(said)
        doubted = self._all_doubted(taken, known, said, waiting, told)
        formed = self._replacements.formed(said)
        each = list(zip(said.claims or (), formed, strict=True))
        claims = [await self._resolved(claim, seen, known, said, doubted) for claim, seen in each]
        # What takes a fact back itself comes first: beside it, the new value says nothing of it again.
        for at, (_, seen) in sorted(enumerate(each), key=lambda one: _is_risk(one[1][1])):
            taken_back = {item.correction.fact.fact_id for item in claims if item.correction is not None}
            claims[at] = await self._replacing(claims[at], seen, formed, known, said, taken_back)
            if self._replacements.may_be_of_another(claims[at], said):
                claims[at] = replace(claims[at], note=_OF_ANOTHER)
        return replace(said, claims=said.claims and tuple(claims), doubted=doubted)

    def beside(self, episode: Episode, about: Entity, known: Sequence[Fact]) -> tuple[Fact, ...]:
        """The recorded facts that a waiting statement takes back in its own words."""
        if not (taken := tuple(self._retractions.of(" ".join(episode.review) or episode.text))):
            return ()
        said = Statement(
            text=episode.text, subject=about, role=episode.role, speaker=episode.speaker, said_at=episode.said_at
        )
        before = [fact for fact in known if fact.first_recorded_at <= episode.recorded_at]
        found = [fact for item in self._all_doubted(taken, before, said) for fact in item.facts]
        return tuple({fact.fact_id: fact for fact in found}.values())

    def forgotten_with(self, settled: Episode, known: Sequence[Fact], waiting: Sequence[Episode]) -> Iterator[Episode]:
        """The requests to forget what stood in these words alone, and say nothing that these did not."""
        wishes = {item.id: self._forgotten(" ".join(item.review) or item.text) for item in waiting}
        others = [item for item in waiting if item.id != settled.id and not wishes[item.id]]
        for item in waiting:
            named = wishes[item.id]
            if not named or item.id == settled.id or not self._names.is_told_in(settled.text, named, wholly=True):
                continue
            filed = self._names.named(" ".join(named), known, least=BY_DETAIL)
            if not (filed or any(self._names.is_told_in(other.text, named) for other in others)):
                yield item

    def answered_by(self, withdrawn: Fact, known: Sequence[Fact], waiting: Sequence[Episode]) -> Iterator[Episode]:
        """The requests to forget that mean the withdrawn fact, and no other fact that still stands."""
        others = [fact for fact in known if fact.fact_id != withdrawn.fact_id and fact.status not in _ENDED]
        for item in waiting:
            words = " ".join(self._forgotten(" ".join(item.review) or item.text))
            if not words or requested(item) is not None:
                continue
            if self._names.named(words, [withdrawn, *others], least=BY_DETAIL) == (withdrawn,):
                yield item

    def _forgotten(self, words: str) -> frozenset[str]:
        """What words name that are nothing but a wish to forget it, and why; empty for any others."""
        taken = tuple(self._retractions.of(words))
        left = words
        for each in reversed(taken):
            left = left[: each.span.start] + left[each.span.end :]
        if not taken or any(each.taking is not Taking.FORGETS for each in taken) or not self._is_why(left):
            return frozenset()
        return self._names.significant(" ".join(each.words for each in taken))

    def _is_why(self, words: str) -> bool:
        """Whether words beside a wish only point back at what it names: "That was gossip"."""
        return all(self._retractions.points_back(part) for part in stretches(words) if part.strip(" .,;!?"))

    def _all_doubted(
        self,
        taken: Sequence[Retraction],
        known: Sequence[Fact],
        said: Statement,
        waiting: Sequence[Episode] = (),
        told: Sequence[Episode] = (),
    ) -> tuple[Doubted, ...]:
        found = (
            self._withdrawn(each, known, said, told) or self._doubted(each, known, said, waiting) for each in taken
        )
        return tuple(item for item in found if item is not None and not _is_read_within(item, said))

    def _doubted(
        self, taken: Retraction, known: Sequence[Fact], said: Statement, waiting: Sequence[Episode]
    ) -> Doubted | None:
        """What a sentence takes back; `None` if that is not recorded."""
        if taken.taking is Taking.FORGETS_ALL:
            return Doubted(span=taken.span, forgets=True, facts=(), reason=_FORGET_ALL)
        held = [fact for fact in known if fact.contradicted or fact.status not in _ENDED]
        if taken.taking is Taking.RENUMBERS:
            held = [fact for fact in held if _DIGIT.search(" ".join([fact.evidence, *map(str, fact.attrs.values())]))]
        least = BY_THING if taken.taking is Taking.ENDS else BY_DETAIL
        meant = self._names.named(taken.words, held, least=least)
        forgets = taken.taking is Taking.FORGETS
        if not meant and forgets and (named := self._names.significant(taken.words)):
            over = self._names.named(taken.words, known, least=least)
            return None if over else self._unfiled(taken, named, waiting)
        if not meant and taken.may_mean_the_last:
            meant = self._last(held, said)
        if not meant:
            return None
        if forgets and len(meant) == 1:
            reason = replace(self._correction(meant[0], said), forgets=True).reason
        else:
            reason = f"{'asks to forget' if forgets else 'may correct'} {named_all(meant)}: {_UNCHANGED}"
        return Doubted(span=taken.span, forgets=forgets, facts=meant, reason=reason)

    async def _told(self, taken: Sequence[Retraction], said: Statement) -> tuple[Episode, ...]:
        """What the same person said, if the words wish to forget something."""
        if said.role != "user" or not any(each.taking is Taking.FORGETS for each in taken):
            return ()
        speaker = said.speaker or said.role
        told = await self._store.episodes(said.subject.space, said.subject.uid)
        return tuple(each for each in told if each.speaker == speaker)

    def _withdrawn(
        self, taken: Retraction, known: Sequence[Fact], said: Statement, told: Sequence[Episode]
    ) -> Doubted | None:
        """A wish to forget words that no fact rests on and that hold no risk; `None` if a fact may be meant."""
        wanted = self._names.significant(taken.words)
        if taken.taking is not Taking.FORGETS or not told or not wanted:
            return None
        found = self._sayings.holding(taken.words, told, loosely=True)
        # What waits is settled by `dismiss`, which a person may have to do.
        if len(found) != 1 or found[0].episode.status in OPEN or facts_in(found[0].words, known):
            return None
        able = self._withdrawing.is_possible(said.subject, found[0])
        if not able or self._withdrawing.may_hold_a_risk(found[0], said.subject):
            return None
        held = self._names.count_of(wanted, found[0].words)
        if any(self._names.count_in(wanted, fact) >= held for fact in known):
            return None
        words = inert(found[0].words, _LABEL)
        return Doubted(
            span=taken.span,
            forgets=True,
            facts=(),
            reason=f'withdrawn, shown no longer: "{words}" (statement {found[0].episode.id}); its history stays',
            waits=False,
            withdraws=(found[0].episode.id, found[0].words),
        )

    def _unfiled(self, taken: Retraction, named: Collection[str], waiting: Sequence[Episode]) -> Doubted:
        """A request to forget what no fact is of: it points at words that wait, and waits itself only beside them."""
        told = [
            item.id
            for item in waiting
            if requested(item) is None and not self._forgotten(item.text) and self._names.is_told_in(item.text, named)
        ]
        if not told:
            return Doubted(span=taken.span, forgets=True, facts=(), reason=_NO_FACT, waits=False)
        where = f"{_NO_FACT}; stored words hold it, and wait: {', '.join(told[:_MOST])}; to settle them call "
        reason = f"{where}memory_change_fact with their id and change dismiss, which settles this request too"
        return Doubted(span=taken.span, forgets=True, facts=(), reason=reason)

    def _last(self, held: Sequence[Fact], said: Statement) -> tuple[Fact, ...]:
        """What the same person stated last on the same day."""
        day = iso_day(self._clock.now() if said.said_at is None else said.said_at)
        own = [fact for fact in held if fact.speaker == (said.speaker or said.role) and iso_day(fact.said_at) == day]
        last = max(own, key=lambda fact: fact.last_seq, default=None)
        return tuple(fact for fact in own if last is not None and fact.episode_id == last.episode_id)

    async def elsewhere(self, said: Statement) -> tuple[Statement, ...]:
        """Statements about other people, made of the claims that correct their facts."""
        others: list[Statement] = []
        for claim in said.claims or ():
            correction = claim.correction
            if correction is None or not correction.elsewhere or claim.evidence not in said.text:
                continue
            fact = correction.fact
            words = claim.evidence if claim.corrects else around(said.text, claim.evidence)
            against = Claim(
                relation=fact.relation,
                object=fact.object.name,
                status=Status.NEGATED,
                evidence=words,
                corrects=fact.fact_id,
            )
            about = await self._subjects.of_uid(fact.subject_uid)
            # Their record holds the words that are theirs, and no more of the text.
            others.append(replace(said, text=words, subject=about, claims=(against,), before=()))
        return tuple(others)

    async def _resolved(
        self,
        claim: Claim,
        seen: Observation | None,
        known: Sequence[Fact],
        said: Statement,
        doubted: Sequence[Doubted],
    ) -> Claim:
        """The claim with the fact that it corrects, or with the reason why there is none."""
        if claim.trouble:
            return claim
        forgotten = (each.facts for each in doubted if each.forgets and claim.evidence in each.item(said.text).text)
        if (facts := next(forgotten, ())) and not any(_states_another(seen, fact) for fact in facts):
            among = facts if len(facts) > 1 else ()
            return replace(claim, correction=replace(self._correction(facts[0], said), forgets=True, among=among))
        if facts and not claim.corrects:  # "Forget the tabs, two spaces."
            alike = [fact for fact in facts if seen is not None and fact.relation == seen.relation]
            return replace(claim, correction=self._correction(alike[0], said)) if len(alike) == 1 else claim
        if _is_over(claim):
            return self._with_end(claim, known, said)
        return await self._looked_up(claim, known, said) if claim.corrects else claim

    async def _replacing(
        self,
        claim: Claim,
        seen: Observation | None,
        formed: Sequence[Observation | None],
        known: Sequence[Fact],
        said: Statement,
        taken_back: Collection[str],
    ) -> Claim:
        """The claim with the fact that it replaces, if it names none itself and no other claim takes that back."""
        if claim.trouble or claim.corrects or claim.correction is not None:
            return claim
        fact = self._replacements.replaced(seen, formed, known, said.text)
        if fact is not None:
            new = fact.fact_id not in taken_back
            return replace(claim, correction=self._correction(fact, said)) if new else claim
        other = await self._replacements.denied_of(seen, said) if seen is not None and _is_risk(seen) else None
        if other is None:
            return claim
        return replace(claim, correction=replace(self._correction(other, said), elsewhere=True))

    def _with_end(self, claim: Claim, known: Sequence[Fact], said: Statement) -> Claim:
        """The claim with the fact that it ends, if it says that a fact was true and is over, and the words
        may end it.
        """
        thing = {
            identity_key(claim.object),
            *(mention.name.casefold() for mention in self._linker.mentions(claim.object)),
        }
        found = [
            fact
            for fact in known
            if fact.relation == claim.relation and fact.status not in _ENDED and fact.object.id in thing
        ]
        correction = self._correction(found[0], said) if len(found) == 1 else None
        return replace(claim, correction=correction) if correction is not None and correction.ends else claim

    def _pointed(self, said: Statement, known: Sequence[Fact]) -> Statement:
        """The statement; claims that mean a recorded fact without naming it correct that fact."""
        named = (self._found(claim, known) for claim in said.claims or () if claim.corrects and not claim.trouble)
        taken = [found[0] for found in named if len(found) == 1]
        return replace(
            said, claims=said.claims and self._pointing.pointed(said, self._replacements.formed(said), known, taken)
        )

    def _with_labels(self, said: Statement) -> Statement:
        return replace(said, claims=said.claims and tuple(self._labelled(claim, said.text) for claim in said.claims))

    def _labelled(self, claim: Claim, text: str) -> Claim:
        """The claim under the words that state it, if the caller gave a label of its own for them ("pick-up").

        This applies only if the schema has no terms for the thing: a substance keeps the name that was said.
        """
        relation = self._schema.relations.get(claim.relation)
        if relation is None or claim.corrects or claim.trouble or claim.evidence not in text:
            return claim
        if relation.people or relation.called_by:
            return claim
        known = any(self._schema.lexicon.terms.get(type_) for type_ in relation.objects)
        said = identity_key(claim.object) in identity_key(text)
        words = claim.evidence.strip().rstrip(".!;, ")
        if known or said or not relation.open_object or not words or len(words) > _LABEL:
            return claim
        return replace(claim, object=words, means=claim.means or claim.object)

    async def _looked_up(self, claim: Claim, known: Sequence[Fact], said: Statement) -> Claim:
        found = self._found(claim, known)
        if found:
            among = found if len(found) > 1 else ()
            named = claim if among else self._named(claim, found[0])
            return replace(named, correction=replace(self._correction(found[0], said), among=among))
        if (other := await self._of_another(claim)) is not None:
            return replace(claim, correction=replace(self._correction(other, said), elsewhere=True))
        return replace(claim, note=_UNFOUND)

    def _named(self, claim: Claim, fact: Fact) -> Claim:
        """The claim with the name of the fact that it corrects in the place of a pronoun that means the same thing."""
        means = claim.means and self._names.named(claim.means, [fact], least=BY_THING)
        if not self._things.is_pronoun(claim.object) or (claim.means and not means):
            return claim
        return replace(claim, object=fact.object.name, means="")

    async def _of_another(self, claim: Claim) -> Fact | None:
        """The fact with this id in the record of another person in the space."""
        words = claim.corrects.strip().casefold()
        if not _ID.fullmatch(words):
            return None
        facts = fold_all(await self._store.history(self._subjects.space, words), scale=self._schema.severity.grades)
        return facts[0] if facts else None

    def _found(self, claim: Claim, known: Sequence[Fact]) -> tuple[Fact, ...]:
        """The facts that a claim may correct; those of its relation first."""
        words = claim.corrects.strip()
        if _ID.fullmatch(words.casefold()):
            return tuple(fact for fact in known if fact.fact_id.startswith(words.casefold()))
        found = self._names.named(words, known)
        alike = tuple(fact for fact in found if fact.relation == claim.relation)
        if alike or any(self._lines.is_protected(fact) for fact in found):
            return alike or found
        # "The wedding of 6 September": the guests of that day are another matter than the day itself.
        same = [fact for fact in known if fact.relation == claim.relation]
        return self._names.named(claim.object, same) or found

    def _correction(self, fact: Fact, said: Statement) -> Correction:
        speaker = said.speaker or said.role
        return correction_of(fact, speaker=speaker, role=said.role, critical=self._lines.is_protected(fact))


def _is_over(claim: Claim) -> bool:
    """Whether the caller read that a fact was true and is over, and named no fact that this corrects."""
    return claim.status == Status.RESOLVED and not claim.corrects and not claim.trouble


def _is_risk(seen: Observation | None) -> bool:
    return seen is not None and seen.status in RISK


def _states_another(seen: Observation | None, fact: Fact) -> bool:
    """Whether a claim states something else than the fact, or the same thing with other details."""
    if seen is None or not _is_risk(seen):
        return False
    return seen.fact_id != fact.fact_id or any(fact.attrs.get(name) != value for name, value in seen.attrs.items())


def _is_read_within(doubted: Doubted, said: Statement) -> bool:
    """Whether the caller read a sentence together with the one that it corrects: "50 mg. No, 100." is one fact."""
    words = said.text[doubted.span.start : doubted.span.end].strip()
    read = (claim.evidence for claim in said.claims or () if not (claim.trouble or claim.corrects))
    return not doubted.forgets and any(
        said.text.find(evidence) < doubted.span.start and words.rstrip(".!") in evidence
        for evidence in read
        if evidence in said.text
    )


def ended(told: Iterable[Told]) -> tuple[Told, ...]:
    """The facts of the caller that end the fact they correct, or take its end back."""
    return tuple(
        item
        for item in told
        if item.given.corrects is not None
        and item.observation is not None
        and (
            item.given.corrects.is_reopened_by(item.observation)
            or (
                item.given.corrects.ends
                and (item.against is not None or item.observation.fact_id != item.given.corrects.fact.fact_id)
            )
        )
    )


def endings(
    told: Iterable[Told], chain: Chain, after: Sequence[FactEvent], *, speaker: str, now: Instant, schema_version: str
) -> Iterator[FactEvent]:
    """The events that end corrected facts, or take their end back, to follow the events `after`; none for facts that
    have ended already.
    """
    made = list(after)
    for item in told:
        if item.given.corrects is None:
            continue
        fact = item.given.corrects.fact
        own = [event for event in (*chain.events, *made) if event.fact_id == fact.fact_id]
        said = Status.NEGATED if item.observation is None else item.observation.status
        decision = Decision(
            fact_id=fact.fact_id,
            change=item.given.corrects.change(said),
            reason=f"corrected: {item.given.evidence}"[:_REASON],
            actor=speaker,
            version=fold(own).last_seq,
        )
        if is_done(decision, own) or decision.change not in allowed(fold(own)):  # or somebody was faster
            continue
        event = changed(
            decision, own, head=chain.head.after(made), now=now, schema_version=schema_version, route=Route.CLIENT
        )
        made.append(event)
        yield event
