"""The turns of conversations in one space: what stands in front of a question, and what an answered turn leaves.

Before a question, in SCM's order: the gate, the search, the reorganising, the fusion with flash memory and the
structured summary. After the answer, and only then: the item, its summary, the structured summary, the tiers. Whatever
fails before is named and the rest goes out; whatever fails after is told, and is made good with the next turn. Nothing
here reads or writes a fact.
"""

import hashlib
import logging
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from r_memory.domain.decisions import CandidateScore, Form, TurnDecision
from r_memory.domain.judgements import Judgement
from r_memory.domain.memories import MemoryItem, Tier, conversation_uid
from r_memory.domain.summaries import KeptSummary
from r_memory.domain.turns import Finished, Part, Prepared, Section
from r_memory.errors import InvalidInput, KeyUsed, ModelError, RMemoryError, UnknownName
from r_memory.protocols import Clock, ConversationStore, Judge
from r_memory.talk.assembly import Count, Draft, ItemForm, fitted, sections
from r_memory.talk.controller.familiar import BY_WORDS, Familiar
from r_memory.talk.controller.gate import activates, gate, judged_no
from r_memory.talk.controller.reorganising import Reorganised, reorganised
from r_memory.talk.controller.turn_summaries import TurnSummaries
from r_memory.talk.detectors import Signature, signatures
from r_memory.talk.kinds import TUNINGS, KindClassifier
from r_memory.talk.profiles import PROFILES, Profile
from r_memory.talk.stream.stream import Stream, as_pairs, as_text
from r_memory.talk.stream.values import FLAG_CUT, Hit, NewTurn, SearchResult
from r_memory.talk.summary.keeper import SummaryKeeper
from r_memory.talk.summary.rendering import section as summary_section
from r_memory.talk.summary.rendering import settled as settled_section
from r_memory.talk.tiers.tiers import Tiers
from r_memory.talk.watch import Watch
from r_memory.text.tokens import fits

logger = logging.getLogger(__name__)

T = TypeVar("T")

_SHOWN_CANDIDATES = 50
"""Candidates of a search that a decision keeps."""
_SENT_AGAIN_MS = 120_000
"""Clients give up on a call after a minute, some after less, and send it again; people say "yes" once more later."""
_LENGTHS = 200_000
"""Turns whose length is known at one time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Exported:
    """A conversation as it can be taken away (SCM 31)."""

    pairs: Sequence[Mapping[str, str]]
    """Of user and system."""
    text: str
    turns: tuple[MemoryItem, ...]
    others: tuple[MemoryItem, ...]
    """Memories made of turns."""
    summaries: tuple[KeptSummary, ...]


class Conversations:
    """Every conversation of one space."""

    def __init__(
        self,
        *,
        space: str,
        stream: Stream,
        store: ConversationStore,
        judge: Judge,
        keeper: SummaryKeeper,
        turn_summaries: TurnSummaries,
        tiers: Tiers,
        count: Count,
        clock: Clock,
        new_id: Callable[[], str],
        kinds: KindClassifier | None = None,
        familiar: Familiar | None = None,
        rate: Callable[[str], int] | None = None,
        usual: str = "default",
        profiles: Mapping[str, Profile] = PROFILES,
    ) -> None:
        """`usual` is the profile of a call that names none; without `kinds`, none is tuned by the kind of talk,
        and without `familiar` the judge alone decides. `rate` is how much a turn matters whose importance nobody gives.

        Raises:
            UnknownName: there is no such profile.
        """
        self._space = space
        self._stream = stream
        self._store = store
        self._judge = judge
        self._keeper = keeper
        self._turn_summaries = turn_summaries
        self.tiers = tiers
        """Memories made of windows of turns; `consolidate`, `outlook` and `tiered` are for people."""
        self._count = count
        self._clock = clock
        self._new_id = new_id
        self._kinds = kinds
        self._familiar = familiar
        self._rate = rate
        self._profiles = profiles
        self._usual = usual
        self._lengths: dict[str, int] = {}
        """Id of a turn to its tokens: what was said does not change, and a long conversation takes long to count."""
        self.profile("")

    @property
    def profiles(self) -> tuple[str, ...]:
        """Names of the profiles."""
        return tuple(self._profiles)

    def profile(self, name: str) -> Profile:
        """The switches of a profile; without a name, of the usual one.

        Raises:
            UnknownName: there is no such profile.
        """
        chosen = name or self._usual
        if chosen not in self._profiles:
            raise UnknownName("profile", chosen, list(self._profiles))
        return self._profiles[chosen]

    async def prepare(
        self,
        question: str,
        conversation: str,
        *,
        subject_uid: str = "",
        profile: str = "",
        parts: Sequence[Part] | None = None,
        max_tokens: int | None = None,
        scene: str = "",
        k: int | None = None,
        probe: bool = False,
    ) -> Prepared:
        """What stands in front of a question, beside the safety block; the question itself is stored nowhere.

        `parts` are the sections wanted; `None` is all. `max_tokens` bounds them together, 0 not at all; `None` is the
        profile's. A `probe` leaves not even its decision behind, so that questions can be asked one by one (SCM 32).

        Raises:
            InvalidInput: no conversation is named, or `k` or `max_tokens` is negative.
            UnknownName: there is no such profile.
        """
        _check(conversation, k, max_tokens)
        switches = self._tuned(self.profile(profile), question)
        wanted = frozenset(Part if parts is None else parts)
        turn = _Preparation(
            question=question, conversation=conversation, subject_uid=subject_uid, profile=switches, k=k
        )
        await self._remembered(turn, wanted)
        kept = await self._summary_of(turn) if switches.summary and Part.SUMMARY in wanted else None
        room = switches.max_tokens if max_tokens is None else max_tokens
        draft = Draft(
            scene=scene if Part.SCENE in wanted else "",
            summary=summary_section(kept.content) if kept else "",
            settled=settled_section(kept.content) if kept else "",
            activated=turn.activated if Part.MEMORY in wanted else (),
            previous=turn.previous if Part.PREVIOUS in wanted else (),
        )
        draft = fitted(draft, room, self._count) if room else draft
        made = sections(draft, self._count)
        turn.lap("fusion")
        decision = self._decided(turn, made, draft, kept, profile or self._usual)
        if not probe:
            await turn.tried("decision log", self._store.add_decision(decision))
        return Prepared(sections=made, decision=decision, failed=dict(turn.failed))

    async def finish(
        self,
        question: str,
        answer: str,
        conversation: str,
        *,
        subject_uid: str = "",
        speaker: str = "",
        responder: str = "",
        importance: object = None,
        key: str = "",
        cut_off: bool = False,
    ) -> Finished:
        """Stores a turn that was answered, durable on return, and brings up to date what is made of turns.

        The same `key` stores the turn once. Without one, a turn like the last of the conversation, two minutes old at
        most, is that one sent again. The next question sees the structured summary of this turn. An answer
        that was `cut_off` is marked so wherever it stands.

        Raises:
            InvalidInput: no conversation is named, or there is no question or no answer.
            KeyUsed: the key belongs to another turn; this one was not stored.
            StoreUnavailable: nothing was stored.
        """
        _check(conversation, None, None)
        if not (question.strip() and answer.strip()):
            raise InvalidInput("a turn needs what was asked and what was answered; store it once there is an answer")
        troubles: dict[str, str] = {}
        summary = ""
        try:
            summary = await self._turn_summaries.of(question, answer, speaker=speaker, responder=responder)
        except ModelError as error:
            troubles["turn_summary"] = str(error)
        new = NewTurn(
            conversation=conversation,
            observation=question,
            response=answer,
            speaker=speaker,
            responder=responder,
            subject_uid=subject_uid,
            summary=summary,
            importance=self._rate(question) if importance is None and self._rate else importance,
            key=key,
            flags=(FLAG_CUT,) if cut_off else (),
        )
        return await self._kept(new, troubles)

    async def note(
        self, words: str, conversation: str, *, subject_uid: str = "", speaker: str = "", key: str = ""
    ) -> Finished:
        """Stores words that nobody is there to answer as a turn of their own, otherwise as `finish` does.

        Raises:
            InvalidInput: no conversation is named, or nothing was said.
            StoreUnavailable: nothing was stored.
        """
        _check(conversation, None, None)
        new = NewTurn(conversation=conversation, observation=words, speaker=speaker, subject_uid=subject_uid, key=key)
        return await self._kept(new, {})

    async def search(
        self,
        question: str,
        *,
        conversation: str | None = None,
        subject_uid: str = "",
        profile: str = "",
        k: int | None = None,
    ) -> SearchResult:
        """Items that bear on a question; see `Stream.search`. It can miss, and changes nothing.

        Raises:
            UnknownName: there is no such profile.
            InvalidInput, StoreUnavailable: as there.
        """
        switches = self.profile(profile)
        return await self._stream.search(
            question,
            conversation=conversation,
            subject_uid=subject_uid,
            scoring=switches.scoring,
            k=k,
            layer=switches.layer,
        )

    async def summary(self, conversation: str, *, subject_uid: str = "") -> KeptSummary | None:
        """The newest version of a conversation's structured summary; `None` before the first.

        Raises:
            StoreUnavailable: it could not be read.
        """
        return await self._keeper.current(conversation, subject_uid=subject_uid)

    async def summaries(self, conversation: str, *, subject_uid: str = "") -> tuple[KeptSummary, ...]:
        """All versions of it, newest first."""
        return await self._keeper.versions(conversation, subject_uid=subject_uid)

    async def lift(self, conversation: str, option: str, *, subject_uid: str = "", actor: str) -> KeptSummary | None:
        """The summary once an excluded option is allowed again."""
        return await self._keeper.lift(conversation, option, subject_uid=subject_uid, actor=actor)

    async def turns(self, conversation: str, *, subject_uid: str = "", last: int | None = None) -> Sequence[MemoryItem]:
        """Turns of a conversation, oldest first."""
        return await self._stream.conversation(conversation, subject_uid=subject_uid, last=last)

    async def names(self, *, subject_uid: str = "", limit: int = 100) -> tuple[str, ...]:
        """Names of conversations, newest first."""
        return await self._store.conversations(self._space, subject_uid, limit=limit)

    async def decisions(
        self, conversation: str = "", *, subject_uid: str = "", limit: int = 50
    ) -> Sequence[TurnDecision]:
        """What was decided, newest first; of one conversation, or of all."""
        key = conversation_uid(self._space, subject_uid, conversation) if conversation else ""
        return await self._store.decisions(self._space, key, limit=limit)

    async def signatures(self, conversation: str, *, subject_uid: str = "", limit: int = 200) -> tuple[Signature, ...]:
        """Signs of failure in a conversation, oldest first (SCM 39)."""
        decided = await self.decisions(conversation, subject_uid=subject_uid, limit=limit)
        turns = await self.turns(conversation, subject_uid=subject_uid)
        return signatures(decided, turns)

    async def sign_totals(self) -> Mapping[str, Counter[str]]:
        """How often each sign was seen, by conversation; over those about everybody.

        Raises:
            StoreUnavailable: the stream could not be read.
        """
        totals: dict[str, Counter[str]] = {}
        for name, subject_uid in await self._stream.everyone():
            found = await self.signatures(name, subject_uid=subject_uid)
            totals.setdefault(name, Counter()).update(one.sign.value for one in found)
        return totals

    async def roll_back(self, conversation: str, *, to: int, subject_uid: str = "") -> int:
        """Erases every turn after turn `to` with everything made of those turns; how many items.

        Raises:
            InvalidInput, WriteConflict, StoreUnavailable: as in `Stream.roll_back`.
        """
        removed = await self._stream.roll_back(conversation, to=to, subject_uid=subject_uid)
        await self._keeper.forget(conversation, subject_uid=subject_uid, after=to)
        return removed

    async def reset(self, conversation: str, *, subject_uid: str = "") -> int:
        """Erases a conversation; how many items. Facts that were said in it stay: they are no part of it.

        Raises:
            WriteConflict, StoreUnavailable: as in `roll_back`.
        """
        return await self.roll_back(conversation, to=0, subject_uid=subject_uid)

    async def export(self, conversation: str, *, subject_uid: str = "") -> Exported:
        """Everything that is kept of a conversation.

        Raises:
            StoreUnavailable: it could not be read.
        """
        items = await self._stream.items(conversation, subject_uid=subject_uid)
        turns = tuple(item for item in items if item.tier is Tier.TURN)
        return Exported(
            pairs=as_pairs(turns),
            text=as_text(turns),
            turns=turns,
            others=tuple(item for item in items if item.tier is not Tier.TURN),
            summaries=await self.summaries(conversation, subject_uid=subject_uid),
        )

    def _tuned(self, profile: Profile, question: str) -> Profile:
        """The switches for this kind of talk, where the profile wants that."""
        if self._kinds is None or not profile.by_kind:
            return profile
        return replace(profile, **TUNINGS[self._kinds.kind_of(question)].changes)

    # --- before the question -----------------------------------------------------------------------------------------

    async def _remembered(self, turn: "_Preparation", wanted: frozenset[Part]) -> None:
        """Steps 1 to 4: the turns there are, the gate, the search, the reorganising."""
        stored = await turn.tried("previous", self.turns(turn.conversation, subject_uid=turn.subject_uid))
        turn.turns = () if stored is None else tuple(stored)
        turn.lap("input")
        turn.previous = self._flash(turn)
        flash = "\n".join(shown.text for shown in turn.previous)
        beside = self._stream.has_documents(turn.subject_uid) or (
            turn.elsewhere > 0 and self._stream.has_elsewhere(turn.conversation, turn.subject_uid)
        )
        turn.gate = await gate(
            turn.profile.gate, self._judge, turn.question, turns=len(turn.turns), beside=beside, flash=flash
        )
        if self._familiar is not None and judged_no(turn.gate) and self._is_about_stored(turn, self._familiar):
            turn.gate = Judgement(yes=True, by=BY_WORDS, score=turn.gate.score)
        turn.lap("gate")
        if stored is None or Part.MEMORY not in wanted or not turn.number:
            return
        turn.found = await turn.tried("memory", self._found(turn))
        turn.lap("search")
        if turn.found is not None and activates(turn.gate):
            await self._reorganise(turn, turn.found, flash)
            turn.lap("reorganise")

    def _is_about_stored(self, turn: "_Preparation", familiar: Familiar) -> bool:
        return self._stream.is_about_stored(
            turn.question,
            familiar,
            conversation=turn.conversation,
            subject_uid=turn.subject_uid,
            elsewhere=turn.elsewhere > 0,
        )

    async def _found(self, turn: "_Preparation") -> SearchResult:
        return await self._stream.search(
            turn.question,
            conversation=turn.conversation,
            subject_uid=turn.subject_uid,
            scoring=turn.profile.scoring,
            k=turn.number,
            skip_last=len(turn.previous),
            recent=turn.recent,
            window=turn.profile.window,
            layer=turn.profile.layer,
            documents=max(1, int(turn.number * turn.profile.documents)) if turn.profile.documents else 0,
            elsewhere=turn.elsewhere,
        )

    async def _reorganise(self, turn: "_Preparation", found: SearchResult, flash: str) -> None:
        turn.reorganised = await reorganised(
            turn.question,
            found.chosen,
            flash=flash,
            flash_tokens=self._count(flash) if turn.profile.flash_in_budget else 0,
            judge=self._judge,
            settings=turn.profile.reorganise,
            budget=turn.profile.history_budget,
        )

    def _flash(self, turn: "_Preparation") -> tuple[ItemForm, ...]:
        profile = turn.profile
        last = turn.turns[-profile.flash_turns :] if profile.flash_turns else ()
        return tuple(
            ItemForm(
                item=turn.shown(item),
                form=Form.RAW if fits(self._length_of(item), profile.raw_below) else Form.SUMMARY,
            )
            for item in last
        )

    async def _summary_of(self, turn: "_Preparation") -> KeptSummary | None:
        kept = await turn.tried("summary", self.summary(turn.conversation, subject_uid=turn.subject_uid))
        turn.lap("summary")
        return kept

    def _decided(
        self, turn: "_Preparation", made: Sequence[Section], draft: Draft, kept: KeptSummary | None, profile: str
    ) -> TurnDecision:
        forms = {shown.item.id: shown.form for shown in draft.activated}
        return TurnDecision(
            id=self._new_id(),
            space=self._space,
            conversation=turn.conversation,
            subject_uid=turn.subject_uid,
            turn=(turn.turns[-1].index if turn.turns else 0) + 1,
            at=self._clock.now(),
            profile=profile,
            gate=turn.gate,
            candidates=turn.weighed(forms, self._count),
            summary_version=kept.version if kept else 0,
            tokens={section.part.value: section.tokens for section in made},
            tokens_before=turn.reorganised.tokens_before if turn.reorganised else 0,
            full_history_tokens=sum(map(self._length_of, turn.turns)),
            steps_ms=turn.laps,
            parse_failures=(turn.reorganised.parse_failures if turn.reorganised else 0)
            + int(turn.gate.yes is None and bool(turn.gate.trouble)),
            failed=dict(turn.failed),
            flags=tuple(dict.fromkeys((*draft.flags, *(turn.reorganised.flags if turn.reorganised else ())))),
        )

    def _length_of(self, item: MemoryItem) -> int:
        if len(self._lengths) > _LENGTHS:
            self._lengths.clear()
        if (known := self._lengths.get(item.id)) is None:
            known = self._lengths[item.id] = self._count(item.raw)
        return known

    # --- after the answer --------------------------------------------------------------------------------------------

    async def _kept(self, new: NewTurn, troubles: dict[str, str]) -> Finished:
        item = await self._stream.append(new if new.key else replace(new, key=await self._key_of(new)))
        if (item.conversation_uid, item.observation, item.response) != (
            conversation_uid(self._space, new.subject_uid, new.conversation),
            new.observation,
            new.response,
        ):
            raise KeyUsed(new.key, what="turns")
        if item.vector is None and self._stream.model:
            troubles["vector"] = "the turn has no vector yet; run r-memory embed"
        version, made = await self._brought_up_to_date(item, troubles)
        return Finished(item=item, summary_version=version, made=made, troubles=troubles)

    async def _key_of(self, new: NewTurn) -> str:
        """The id of the last turn if this is the same sent again; else one that every other try of this turn gets."""
        last = await self.turns(new.conversation, subject_uid=new.subject_uid, last=1)
        said = (new.speaker, new.observation, new.responder, new.response)
        for turn in last:
            same = said == (turn.speaker, turn.observation, turn.responder, turn.response)
            if same and self._clock.now() - turn.created_at <= _SENT_AGAIN_MS:
                return turn.id
        after = last[-1].index if last else 0
        parts = (self._space, new.subject_uid, new.conversation, after, *said)
        return f"turn.{hashlib.sha256(repr(parts).encode()).hexdigest()[:32]}"

    async def _brought_up_to_date(self, item: MemoryItem, troubles: dict[str, str]) -> tuple[int, tuple[str, ...]]:
        """The version of the summary that covers the item, and the memories made; what fails is named."""
        version, made = 0, tuple[str, ...]()
        try:
            await self._used(item)
            updated = await self._keeper.update(item)
            version = updated.kept.version if updated.kept else 0
            if updated.trouble:
                troubles["summary"] = updated.trouble
            report = await self.tiers.after_turn(item.conversation, subject_uid=item.subject_uid)
            others = self.profile("").elsewhere > 0
            rested = await self.tiers.after_rest(item.subject_uid if others else "", now=self._clock.now())
            made = (*report.made, *rested.made)
            if trouble := report.trouble or rested.trouble:
                troubles["tiers"] = trouble
        except RMemoryError as error:
            # The turn itself is stored: an error here would make the caller store it again.
            logger.warning("Memory is behind its turns", extra={"action": "finish", "error": type(error).__name__})
            troubles.setdefault("summary", str(error))
        return version, made

    async def _used(self, item: MemoryItem) -> None:
        """What stood in the context of this turn was used, the turn before it too: its recency begins anew (A-1)."""
        [*decided] = await self._store.decisions(self._space, item.conversation_uid, limit=1)
        if not decided or decided[0].turn != item.index:
            return
        standing = [one.id for one in decided[0].candidates if one.form in {Form.RAW, Form.SUMMARY}]
        if Part.PREVIOUS.value in decided[0].tokens:
            last = await self.turns(item.conversation, subject_uid=item.subject_uid, last=2)
            standing += [turn.id for turn in last if turn.id != item.id]
        if standing:
            await self._stream.use(standing)


class _Preparation:
    """What is known so far about a turn that is being prepared."""

    def __init__(self, *, question: str, conversation: str, subject_uid: str, profile: Profile, k: int | None) -> None:
        self.question = question
        self.conversation = conversation
        self.subject_uid = subject_uid
        self.profile = profile
        self.number = min(profile.k if k is None else k, profile.most_k)
        self.turns: tuple[MemoryItem, ...] = ()
        self.previous: tuple[ItemForm, ...] = ()
        self.gate = Judgement(yes=False, by="policy")
        self.found: SearchResult | None = None
        self.reorganised: Reorganised | None = None
        self.failed: dict[str, str] = {}
        self._watch = Watch()
        self.laps = self._watch.laps
        self.lap = self._watch.lap

    @property
    def recent(self) -> list[str]:
        """The last messages before the question, oldest first."""
        said = [words for item in self.turns[-self.profile.window :] for words in (item.observation, item.response)]
        return [words for words in said if words][-self.profile.window :] if self.profile.window else []

    @property
    def elsewhere(self) -> int:
        """Places for other conversations about the subject: its share, and those that this one cannot fill."""
        share = self.profile.elsewhere
        if not (self.subject_uid and share):
            return 0
        return max(int(self.number * share), self.number - (len(self.turns) - len(self.previous)))

    @property
    def activated(self) -> tuple[ItemForm, ...]:
        """Items in the form that the controller chose, best first."""
        if self.found is None or self.reorganised is None:
            return ()
        chosen = self.reorganised.forms
        shown = (
            ItemForm(item=self.shown(hit.item), form=chosen[hit.item.id], elsewhere=self._is_elsewhere(hit.item))
            for hit in self.found.chosen
        )
        return tuple(one for one in shown if one.form in {Form.RAW, Form.SUMMARY})

    def _is_elsewhere(self, item: MemoryItem) -> bool:
        return item.tier is not Tier.DOCUMENT and item.conversation != self.conversation

    def shown(self, item: MemoryItem) -> MemoryItem:
        """The item; without its summary where the profile knows none."""
        return item if self.profile.summaries else replace(item, summary="")

    def weighed(self, forms: Mapping[str, Form], count: Count) -> tuple[CandidateScore, ...]:
        """Every candidate, best first, with the form in which it stands at last."""
        if self.found is None:
            return ()
        hits = {hit.item.id: hit for hit in self.found.chosen}
        return tuple(
            CandidateScore(
                id=one.id,
                score=one.score,
                components=one.components,
                form=forms.get(one.id, Form.DROPPED if one.id in hits else Form.NOT_CHOSEN),
                tokens=_length(hits.get(one.id), forms.get(one.id), count),
            )
            for one in self.found.ranked[:_SHOWN_CANDIDATES]
        )

    async def tried(self, part: str, work: Awaitable[T]) -> T | None:
        """What the work gives; `None` where it failed, which is written down under the part's name."""
        try:
            return await work
        except RMemoryError as error:
            logger.warning("A section is missing", extra={"action": "prepare", "section": part})
            self.failed[part] = str(error)
            return None


def _length(hit: Hit | None, form: Form | None, count: Count) -> int:
    return 0 if hit is None or form is None else count(ItemForm(item=hit.item, form=form).text)


def _check(conversation: str, k: int | None, max_tokens: int | None) -> None:
    if not conversation.strip():
        raise InvalidInput("no conversation is named; give conversation_id, the same for all its turns")
    for name, value in (("k", k), ("max_tokens", max_tokens)):
        if value is not None and value < 0:
            raise InvalidInput(f"{name} is {value}; give 0 or more")
