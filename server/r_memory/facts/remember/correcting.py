"""Which recorded fact an utterance corrects, and the events that end it if words may do so.

The effects of a correction are in `domain/corrections.py`; this module looks up the name ("the March date", an id).
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace

from r_memory.domain.changes import Decision, allowed, changed, is_done
from r_memory.domain.corrections import Correction, Doubted, Effect, correction_of
from r_memory.domain.events import OPEN, Chain, Episode, FactEvent
from r_memory.domain.facts import DENIAL, MEANS, RISK, Fact, Observation, Route, Status
from r_memory.domain.folding import fold, fold_all
from r_memory.domain.identity import identity_key
from r_memory.domain.instants import Instant
from r_memory.errors import SubjectUnknown
from r_memory.facts.naming import BY_THING, FactNames
from r_memory.facts.recall.lines import lines_under
from r_memory.facts.remember.doubting import ENDED, Doubts
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
from r_memory.reading.things import LONGEST_MEANING, LONGEST_SAID, NoThing, Things
from r_memory.text.inert import clipped, inert

_ID = re.compile(r"[0-9a-f]{8}(?:[0-9a-f-]{28})?")
_REASON = 500
_LABEL = 120
"""Maximum characters of a label that stands for a fact whose words do not name it."""
_UNFOUND = "nothing that is recorded is named by `corrects`, so it was taken as a statement of its own"
_OF_ANOTHER = "if it is somebody else's, state it in a call for that person"


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
        self._doubts = Doubts(reader, clock)
        self._things = Things(reader.schema, reader.linker)
        self._sayings = Sayings(self._names, self._retractions)
        self._withdrawing = Withdrawing(store=store, reader=reader, clock=clock)

    async def of(self, said: Statement) -> Statement:
        """The statement with the facts that its claims correct filled in."""
        taken = tuple(self._retractions.of(said.text)) if said.role in EVIDENCE_ROLES else ()
        evident = said.role in EVIDENCE_ROLES
        told = await self._told(taken, said)
        replaces = evident and (self._replacements.may_be(said) or self._pointing.may_point(said))
        corrects = taken or replaces or any(claim.corrects or _is_over(claim) for claim in said.claims or ())
        if not corrects and all(claim.status not in DENIAL for claim in said.claims or ()):
            return self._with_labels(said, ())
        relations = (*self._schema.relations, *self._subjects.retired)
        try:
            found = await self._store.neighbourhood(said.subject, relations)
            known, waiting = found.facts, found.pending
        except SubjectUnknown:  # a trial about somebody new: nothing is recorded that words could take back
            known, waiting = (), ()
        said = replace(said, standing=frozenset(self._standing(known)))
        if not corrects:
            return self._with_labels(said, ())
        if evident:
            said = self._pointed(said, known)
        said = self._with_labels(said, known)
        doubted = self._taken_back(taken, known, said, waiting, told)
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

    def _standing(self, known: Sequence[Fact]) -> Iterator[tuple[str, str]]:
        """The relation and thing of each active critical fact."""
        for fact in known:
            relation = self._schema.relations.get(fact.relation)
            if relation is not None and relation.critical and fact.status is Status.ACTIVE:
                yield fact.relation, fact.object.name

    def _taken_back(
        self,
        taken: Sequence[Retraction],
        known: Sequence[Fact],
        said: Statement,
        waiting: Sequence[Episode],
        told: Sequence[Episode],
    ) -> tuple[Doubted, ...]:
        """What the words take back, in their order: words that no fact rests on, and what facts they may mean."""
        words = {each: self._withdrawn(each, known, said, told) for each in taken}
        others = [each for each in taken if words[each] is None]
        found = [item for item in words.values() if item is not None]
        return tuple(sorted((*found, *self._doubts.of(others, known, said, waiting)), key=lambda item: item.span.start))

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
        if (facts := next(forgotten, ())) and self._is_replaced(
            claim, facts, said
        ):  # "Forget the 40. You may go to 30."
            return replace(claim, correction=self._correction(facts[0], said))
        if facts and not any(_states_another(seen, fact) for fact in facts):
            among = facts if len(facts) > 1 else ()
            return replace(claim, correction=replace(self._correction(facts[0], said), forgets=True, among=among))
        if facts and not claim.corrects:  # "Forget the tabs, two spaces."
            alike = [fact for fact in facts if seen is not None and fact.relation == seen.relation]
            return replace(claim, correction=self._correction(alike[0], said)) if len(alike) == 1 else claim
        if _is_over(claim):
            return self._with_end(claim, seen, known, said)
        return await self._looked_up(claim, known, said) if claim.corrects else claim

    def _is_replaced(self, claim: Claim, forgotten: Sequence[Fact], said: Statement) -> bool:
        """Whether the caller reads an end in a wish to forget one fact, and what stands in its place, and words may end
        it.
        """
        others = (other for other in said.claims or () if other is not claim and other.status in RISK)
        ends = claim.status in DENIAL and bool(claim.corrects) and len(forgotten) == 1
        replaced = ends and any(other.relation == claim.relation for other in others)
        return replaced and self._correction(forgotten[0], said).effect is Effect.ENDED

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
            return replace(claim, correction=self._in_part(self._correction(fact, said), claim)) if new else claim
        other = await self._replacements.denied_of(seen, said) if seen is not None and _is_risk(seen) else None
        if other is None:
            return claim
        return replace(claim, correction=replace(self._correction(other, said), elsewhere=True))

    def _with_end(self, claim: Claim, seen: Observation | None, known: Sequence[Fact], said: Statement) -> Claim:
        """The claim with the fact that it ends, if it says that a fact was true and is over.

        A fact that words may not end is disputed by it if it has details that the claim does not tell.
        """
        thing = {
            identity_key(claim.object),
            *(mention.name.casefold() for mention in self._linker.mentions(claim.object)),
        }
        found = [
            fact
            for fact in known
            if fact.relation == claim.relation and fact.status not in ENDED and fact.object.id in thing
        ]
        correction = self._correction(found[0], said) if len(found) == 1 else None
        if correction is None or not (correction.ends or (seen is not None and seen.fact_id != found[0].fact_id)):
            return claim
        return replace(claim, correction=correction)

    def _pointed(self, said: Statement, known: Sequence[Fact]) -> Statement:
        """The statement; claims that mean a recorded fact without naming it correct that fact."""
        named = (self._found(claim, known) for claim in said.claims or () if claim.corrects and not claim.trouble)
        taken = [found[0] for found in named if len(found) == 1]
        pointed = self._pointing.pointed(said, self._replacements.formed(said), known, taken)
        return replace(said, claims=said.claims and self._pointing.put_right(pointed, said.text))

    def _with_labels(self, said: Statement, known: Sequence[Fact]) -> Statement:
        if not said.claims:
            return said
        labelled = [self._labelled(claim, said.text, known) for claim in said.claims]
        things = Counter((claim.relation, identity_key(claim.object)) for claim in labelled)
        claims = (
            _apart(given, claim) if things[claim.relation, identity_key(claim.object)] > 1 else claim
            for given, claim in zip(said.claims, labelled, strict=True)
        )
        return replace(said, claims=tuple(claims))

    def _labelled(self, claim: Claim, text: str, known: Sequence[Fact]) -> Claim:
        """The claim under the words that state it, if the caller gave a label of its own for them ("pick-up").

        This applies only if the schema has no terms for the thing: a substance keeps the name that was said. A label
        that the corrected fact has the words of stays, unless it tells the old value.
        """
        relation = self._schema.relations.get(claim.relation)
        if relation is None or claim.trouble or claim.evidence not in text or self._is_ended(claim):
            return claim
        if relation.people or not self._things.in_own_words(relation):
            return claim
        old = self._corrected(claim, known)
        if old is not None and not claim.attrs and self._names.holds(claim.object, old.object.name):
            return claim  # the old name with a detail that was not said: other words would lose the thing
        said = identity_key(claim.object) in identity_key(text) or (old is not None and self._is_name_of(claim, old))
        words = claim.evidence.strip().rstrip(".!;, ")
        if said or not words or len(words) > _LABEL:
            return claim if old is None else self._about_the_same(claim, old)
        stale = old is not None and self._names.tells_old(claim.object, old, claim.attrs)
        return replace(claim, object=words, means="" if stale else claim.means or claim.object)

    def _about_the_same(self, claim: Claim, old: Fact) -> Claim:
        """The claim with what the corrected fact is about as its meaning, if its own words tell only a new number.

        Words that name anything else ("the cinema with Mia") keep nothing of the old ones.
        """
        named = self._names.significant(" ".join(word for word in claim.object.split() if word.isalpha()))
        told = [str(old.attrs.get(MEANS, "")), old.object.name, old.evidence]
        tells_a_number = any(sign.isdigit() for sign in claim.object)
        if claim.means or claim.status not in RISK or not tells_a_number:
            return claim
        if not self._names.is_told_in(" ".join(told), named, wholly=True):
            return claim
        thing = next(filter(None, (self._names.thing_beside(words, claim.object) for words in told)), "")
        return replace(claim, means=clipped(self._things.cleaned(thing), LONGEST_MEANING)) if thing else claim

    def _is_ended(self, claim: Claim) -> bool:
        """Whether the claim ends a fact, or means one by a pronoun: it is named by that fact."""
        return bool(claim.corrects) and (claim.status not in RISK or self._things.is_pronoun(claim.object))

    def _corrected(self, claim: Claim, known: Sequence[Fact]) -> Fact | None:
        """The fact of its own relation that a claim names in `corrects`."""
        found = self._found(claim, known) if claim.corrects else ()
        return found[0] if len(found) == 1 and found[0].relation == claim.relation else None

    def _is_name_of(self, claim: Claim, old: Fact) -> bool:
        """Whether the caller's object is a name of the corrected fact's thing, and other details hold the new value."""
        if not claim.attrs or self._names.tells_old(claim.object, old, claim.attrs):
            return False
        if claim.object.casefold() == old.object.name.casefold():
            return True
        relation = self._schema.relations[claim.relation]
        within = [old.object.name, str(old.attrs.get(MEANS, "")), claim.evidence]
        try:
            self._things.named(relation, claim.object, space=self._subjects.space, within=within)
        except NoThing:
            return False
        return True

    def _with_rest(self, claim: Claim, old: Fact, text: str) -> Claim:
        """The claim of another day, with the details of the old one that the correction does not touch."""
        relation = self._schema.relations.get(claim.relation)
        if relation is None or relation.bears != "dated" or old.relation != claim.relation or not claim.attrs:
            return claim
        given, denied = claim.attrs, " ".join(self._retractions.instead_of(text))
        days = [str(value) for name, value in given.items() if relation.attrs.get(name) == "date"]
        rest = {
            name: value
            for name, value in old.attrs.items()
            if name in relation.attrs
            and name not in {*given, MEANS}
            and not self._names.tells(denied, value)
            and not (relation.attrs[name] == "date" and any(str(value) <= day for day in days))
        }
        return replace(claim, attrs={**rest, **given}) if claim.status in RISK else claim

    async def _looked_up(self, claim: Claim, known: Sequence[Fact], said: Statement) -> Claim:
        found = self._found(claim, known)
        if found:
            among = found if len(found) > 1 else ()
            named = claim if among else self._with_rest(self._named(claim, found[0]), found[0], said.text)
            correction = self._in_part(self._correction(found[0], said), claim)
            return replace(named, correction=replace(correction, among=among))
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

    def _in_part(self, correction: Correction, claim: Claim) -> Correction:
        """The correction; one of the same kind that tells only a part of what is recorded in its own words anew ends
        nothing.
        """
        fact = correction.fact
        relation = self._schema.relations.get(fact.relation)
        alike = relation is not None and claim.relation == fact.relation and self._things.in_own_words(relation)
        if not alike or claim.status not in RISK:
            return correction
        told = f"{claim.object} {claim.evidence}"
        return correction.doubting if self._names.leaves_out(fact.object.name, told) else correction

    def _correction(self, fact: Fact, said: Statement) -> Correction:
        speaker = said.speaker or said.role
        return correction_of(fact, speaker=speaker, role=said.role, critical=self._lines.is_protected(fact))


def _apart(given: Claim, labelled: Claim) -> Claim:
    """The claim under the words that state it and the caller's label, as the words alone name several facts."""
    if labelled is given:
        return given
    name = f"{labelled.object} ({given.object})"
    return replace(given, object=name if len(name) <= LONGEST_SAID else given.object, own_name=True)


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
