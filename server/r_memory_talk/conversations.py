"""The turns of conversations in one space: what stands in front of a question, and what an answered turn leaves.

Before the answer, in SCM's order: the gate, the search, the reorganising, the fusion; whatever fails is named and the
rest goes out. After it, and only then: the item, its summary, the structured summary, the tiers; whatever fails is
told, and is made good with the next turn. Nothing here reads or writes a fact.
"""

import asyncio
import hashlib
import logging
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from r_memory.domain.memories import MemoryItem, Tier, conversation_uid
from r_memory.domain.summaries import KeptSummary
from r_memory.domain.turns import CandidateScore, Finished, Form, Judgement, Part, PreparedSections, TurnDecision
from r_memory.domain.withdrawn import NOTHING_WITHDRAWN, WithdrawnWords
from r_memory.errors import InvalidInput, KeyUsed, ModelError, RMemoryError, UnknownName
from r_memory.protocols import Clock, ConversationStore, Judge, Shortener
from r_memory.text.tokens import count, fits
from r_memory_talk.assembly import NOTHING, OFFLINE_SHARE, OVER_BUDGET, Draft, ItemForm, fitted, sections
from r_memory_talk.controller.gate import BY_RULE, BY_WORDS, Familiar, activates, gate, opens, went_wrong
from r_memory_talk.controller.reorganising import Reorganised, reorganised
from r_memory_talk.profiles import PROFILES, Profile
from r_memory_talk.shortening import focused, turn_summary
from r_memory_talk.stream.stream import Stream
from r_memory_talk.stream.values import NewTurn, SearchResult, Watch
from r_memory_talk.summary.keeper import SummaryKeeper
from r_memory_talk.tiers.tiers import Tiers

logger = logging.getLogger(__name__)

T = TypeVar("T")

_STANDING = frozenset({Form.RAW, Form.SUMMARY})
_SHOWN_CANDIDATES = 50
"""Candidates of a search that a decision records."""
_LENGTHS = 200_000
"""Turns whose length is cached."""
_SENT_AGAIN_MS = 120_000
"""Milliseconds within which the same turn counts as sent again. Clients time out after a minute or less and repeat a
call; people repeat a "yes" later."""


@dataclass(kw_only=True, eq=False)
class Conversations:
    """All conversations of one space; each prepares one turn at a time.

    The methods after an answer raise `StoreUnavailable` if the store cannot be read or written; nothing is stored then.
    """

    stream: Stream
    store: ConversationStore
    judge: Judge
    keeper: SummaryKeeper
    shortener: Shortener
    tiers: Tiers
    """Makes memories of windows of turns."""
    clock: Clock
    new_id: Callable[[], str]
    familiar: Familiar | None = None
    """`None`: the judge alone decides on activation."""
    rate: Callable[[str], int] | None = None
    """Returns the importance of a text; `None`: turns are not rated."""
    usual: str = "default"
    """Name of the profile for calls without one."""
    profiles: Mapping[str, Profile] = field(default_factory=lambda: PROFILES)

    def __post_init__(self) -> None:
        self._lengths: dict[str, int] = {}
        """Id of a turn to its tokens: what was said does not change, and a long conversation takes long to count."""
        self.profile("")
        self.summary = self.keeper.current
        """The newest version of a conversation's structured summary; `None` before the first."""
        self.summaries = self.keeper.versions
        self.lift = self.keeper.lift
        """The summary once an excluded option is allowed again."""
        self.turns = self.stream.conversation

    # --- before the answer -------------------------------------------------------------------------------------------

    def profile(self, name: str) -> Profile:
        """Returns a profile; without a name, the usual one.

        Raises:
            UnknownName: there is no such profile.
        """
        chosen = name or self.usual
        if chosen not in self.profiles:
            raise UnknownName("profile", chosen, list(self.profiles))
        return self.profiles[chosen]

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
        probe: bool = False,
        withdrawn: WithdrawnWords = NOTHING_WITHDRAWN,
    ) -> PreparedSections:
        """Returns the sections in front of a question, beside the safety block; the question is not stored.

        `parts` are the wanted sections, `None` for all. `max_tokens` limits them together: 0 for no limit, `None` for
        the profile's limit. A `probe` does not record its decision, so that questions can be tried one by one (SCM 32).
        The result names what could not be read or written. `withdrawn` are words that are not to be shown.

        Raises:
            InvalidInput: the conversation has no name.
            UnknownName: there is no such profile.
        """
        _check_named(conversation)
        switches = self.profile(profile)
        turn = _Turn(
            of=self,
            question=question,
            conversation=conversation,
            subject_uid=subject_uid,
            profile=switches,
            withdrawn=withdrawn,
        )
        draft = await turn.draft(frozenset(Part if parts is None else parts), scene)
        room = switches.max_tokens if max_tokens is None else max_tokens
        prepared = turn.prepared(fitted(draft, room), profile or self.usual)
        if probe:
            return prepared
        try:
            await self.store.add_decision(prepared.decision)
        except RMemoryError as error:
            logger.warning("A decision is missing", extra={"action": "prepare", "error": type(error).__name__})
            return replace(prepared, failed={**prepared.failed, "decision log": str(error)})
        return prepared

    def length_of(self, item: MemoryItem) -> int:
        """Returns the tokens of a turn's raw text."""
        if len(self._lengths) > _LENGTHS:
            self._lengths.clear()
        if (known := self._lengths.get(item.id)) is None:
            known = self._lengths[item.id] = count(item.raw)
        return known

    # --- after the answer --------------------------------------------------------------------------------------------

    async def finish(self, turn: NewTurn) -> Finished:
        """Stores an answered turn, durable on return, and updates summary and memories.

        The same `key` stores a turn once. Without a key, a repetition of the conversation's last turn within two
        minutes is not stored again. The next question sees the summary with this turn. An answer with `objections` is
        stored with them, and no summary is made of it. For words without an answer no summary is made and no importance
        is rated.

        Raises:
            InvalidInput: the conversation has no name, or the turn has no words.
            KeyUsed: the key belongs to another turn; this one was not stored.
        """
        _check_named(turn.conversation)
        troubles: dict[str, str] = {}
        summary, importance = turn.summary, turn.importance
        if turn.response:
            try:
                summary = "" if turn.objections else await turn_summary(self.shortener, turn)
            except ModelError as error:
                troubles["turn_summary"] = str(error)
            importance = await asyncio.to_thread(self.rate, turn.observation) if self.rate else None
        key = turn.key or await self._key_of(turn)
        new = replace(turn, summary=summary, importance=importance, key=key)
        item = await self.stream.append(new)
        uid = conversation_uid(self.stream.space, new.subject_uid, new.conversation)
        if (item.conversation_uid, item.observation, item.response) != (uid, new.observation, new.response):
            raise KeyUsed(key, what="turns")
        if item.vector is None and self.stream.model:
            troubles["vector"] = "the turn has no vector yet; run r-memory embed"
        await self._bring_up_to_date(item, troubles)
        return Finished(item=item, troubles=troubles)

    async def _key_of(self, new: NewTurn) -> str:
        """Returns the id of the last turn if this one repeats it; else an id that every retry of this turn gets."""
        last = await self.turns(new.conversation, subject_uid=new.subject_uid, last=1)
        at = self.clock.now() if new.said_at is None else new.said_at
        said = (new.speaker, new.observation, new.responder, new.response)
        for turn in last:
            same = said == (turn.speaker, turn.observation, turn.responder, turn.response)
            if same and abs(at - turn.created_at) <= _SENT_AGAIN_MS:
                return turn.id
        after = last[-1].index if last else 0
        parts = (self.stream.space, new.subject_uid, new.conversation, after, *said)
        return f"turn.{hashlib.sha256(repr(parts).encode()).hexdigest()[:32]}"

    async def _bring_up_to_date(self, item: MemoryItem, troubles: dict[str, str]) -> None:
        """Adds the item to the summary and makes memories; failures are added to `troubles`."""
        try:
            await self._used(item)
            if trouble := await self.keeper.update(item):
                troubles["summary"] = trouble
            report = await self.tiers.after_turn(item.conversation, subject_uid=item.subject_uid)
            others = self.profile("").elsewhere > 0
            rested = await self.tiers.after_rest(item.subject_uid if others else "", now=self.clock.now())
            if trouble := report.trouble or rested.trouble:
                troubles["tiers"] = trouble
        except RMemoryError as error:
            # The turn itself is stored: an error here would make the caller store it again.
            logger.warning("Memory is behind its turns", extra={"action": "finish", "error": type(error).__name__})
            troubles.setdefault("summary", str(error))

    async def _used(self, item: MemoryItem) -> None:
        """Renews the recency of the items in this turn's context, and of the turn before (A-1)."""
        [*decided] = await self.store.decisions(self.stream.space, item.conversation_uid, limit=1)
        if not decided or decided[0].turn != item.index:
            return
        standing = [candidate.id for candidate in decided[0].candidates if candidate.form in _STANDING]
        if Part.PREVIOUS.value in decided[0].tokens:
            last = await self.turns(item.conversation, subject_uid=item.subject_uid, last=2)
            standing += [turn.id for turn in last if turn.id != item.id]
        if standing:
            await self.stream.use(standing)

    # --- for people --------------------------------------------------------------------------------------------------

    async def names(self, *, subject_uid: str = "", limit: int = 100) -> tuple[str, ...]:
        """Returns the names of conversations, newest first."""
        return await self.store.conversations(self.stream.space, subject_uid, limit=limit)

    async def decisions(
        self, conversation: str = "", *, subject_uid: str = "", limit: int = 50
    ) -> Sequence[TurnDecision]:
        """Returns recorded decisions, newest first; of one conversation, or of all."""
        key = conversation_uid(self.stream.space, subject_uid, conversation) if conversation else ""
        return await self.store.decisions(self.stream.space, key, limit=limit)


@dataclass(slots=True, kw_only=True)
class _Turn:
    """The state of one turn while it is prepared."""

    of: Conversations
    question: str
    conversation: str
    subject_uid: str
    profile: Profile
    withdrawn: WithdrawnWords = NOTHING_WITHDRAWN
    turns: Sequence[MemoryItem] = ()
    previous: tuple[ItemForm, ...] = ()
    gate: Judgement = field(default_factory=lambda: Judgement(yes=False, by=BY_RULE))
    found: SearchResult | None = None
    reorganised: Reorganised = field(default_factory=Reorganised)
    kept: KeptSummary | None = None
    failed: dict[str, str] = field(default_factory=dict)
    watch: Watch = field(default_factory=Watch)

    async def draft(self, wanted: Collection[Part], scene: str) -> Draft:
        """Runs steps 1 to 4 and returns everything that the turn may show."""
        await self._remember(wanted)
        if self.profile.summary and Part.SUMMARY in wanted:
            kept = self.of.keeper.current(self.conversation, subject_uid=self.subject_uid)
            self.kept = await self._tried("summary", kept)
            self.watch.lap("summary")
        return Draft(
            scene=scene if Part.SCENE in wanted else "",
            summary=self.withdrawn.summary(self.kept.content) if self.kept else NOTHING,
            summary_share=OFFLINE_SHARE if self.of.keeper.is_offline else 1.0,
            activated=self._activated(),
            previous=self.previous if Part.PREVIOUS in wanted else (),
        )

    def prepared(self, draft: Draft, profile: str) -> PreparedSections:
        """Returns the sections of a fitted draft, with the decision."""
        made = sections(draft)
        self.watch.lap("fusion")
        over_budget = draft.over_budget or self.reorganised.over_budget
        decision = TurnDecision(
            id=self.of.new_id(),
            space=self.of.stream.space,
            conversation=self.conversation,
            subject_uid=self.subject_uid,
            turn=(self.turns[-1].index if self.turns else 0) + 1,
            at=self.of.clock.now(),
            profile=profile,
            gate=self.gate,
            candidates=self._weighed({shown.item.id: shown for shown in draft.activated}),
            summary_version=self.kept.version if self.kept else 0,
            tokens={each.part.value: each.tokens for each in made},
            tokens_before=sum(each.raw for each in self.reorganised.items),
            full_history_tokens=sum(map(self.of.length_of, self.turns)),
            steps_ms=self.watch.laps,
            parse_failures=self.reorganised.parse_failures + went_wrong(self.gate),
            failed=self.failed,
            flags=(OVER_BUDGET,) if over_budget else (),
        )
        return PreparedSections(sections=made, decision=decision, failed=self.failed)

    async def _remember(self, wanted: Collection[Part]) -> None:
        """Reads the turns, and runs gate, search and reorganising."""
        stored = await self._tried(
            "previous", self.of.stream.conversation(self.conversation, subject_uid=self.subject_uid)
        )
        self.turns = stored or ()
        self.watch.lap("input")
        self.previous = await self._flash()
        flash = "\n".join(shown.text for shown in self.previous)
        self.gate = await self._judged()
        self.watch.lap("gate")
        if stored is None or Part.MEMORY not in wanted or not self.profile.k:
            return
        self.found = await self._tried("memory", self._search())
        self.watch.lap("search")
        if self.found is not None and activates(self.gate):
            self.reorganised = await reorganised(
                self.question,
                [await self._shown(hit.item) for hit in self.found.chosen],
                self.of.judge,
                self.profile.reorganise,
                flash=flash,
                room=self.profile.history_budget - (count(flash) if self.profile.flash_in_budget else 0),
            )
            self.watch.lap("reorganise")

    async def _flash(self) -> tuple[ItemForm, ...]:
        last = self.turns[-self.profile.flash_turns :] if self.profile.flash_turns else ()
        return tuple(
            [
                ItemForm(item=await self._shown(item), form=Form.RAW if self._is_short(item) else Form.SUMMARY)
                for item in last
            ]
        )

    async def _judged(self) -> Judgement:
        """Returns the judge's answer; a question about stored words opens the gate in any case."""
        stream, familiar, elsewhere = self.of.stream, self.of.familiar, self._elsewhere > 0
        said = await gate(
            self.profile.gate,
            self.of.judge,
            self.question,
            turns=len(self.turns),
            beside=stream.has_beside(self.conversation, self.subject_uid, elsewhere=elsewhere),
        )
        if familiar is not None and said.yes is False and said.by != BY_RULE:
            weights = await asyncio.to_thread(familiar.weights, self.question, stream.languages)
            held = stream.most_held(weights, self.conversation, self.subject_uid, elsewhere=elsewhere)
            if opens(held, weights):
                return Judgement(yes=True, by=BY_WORDS, score=said.score)
        return said

    async def _search(self) -> SearchResult:
        profile = self.profile
        last = self.turns[-profile.window :] if profile.window else ()
        messages = [words for item in last for words in (item.observation, item.response) if words]
        return await self.of.stream.search(
            self.question,
            conversation=self.conversation,
            subject_uid=self.subject_uid,
            scoring=profile.scoring,
            k=self.profile.k,
            skip_last=len(self.previous),
            recent=messages[-profile.window :],
            layer=profile.layer,
            documents=max(1, int(self.profile.k * profile.documents)) if profile.documents else 0,
            elsewhere=self._elsewhere,
        )

    @property
    def _elsewhere(self) -> int:
        """Places for other conversations about the subject: their share, and those that this one cannot fill."""
        share = self.profile.elsewhere
        if not (self.subject_uid and share):
            return 0
        return max(int(self.profile.k * share), self.profile.k - (len(self.turns) - len(self.previous)))

    def _activated(self) -> tuple[ItemForm, ...]:
        """Returns the items in their forms, best first."""
        return tuple(
            ItemForm(
                item=each.item,
                form=each.form,
                elsewhere=each.item.tier is not Tier.DOCUMENT and each.item.conversation != self.conversation,
            )
            for each in self.reorganised.items
            if each.form in _STANDING
        )

    async def _shown(self, item: MemoryItem) -> MemoryItem:
        """Returns the item as shown:

        without withdrawn words; without its summary if the profile has none; a long one with what bears on the
        question.
        """
        item = self.withdrawn.item(item)
        if not self.profile.summaries:
            return replace(item, summary="")
        return item if self._is_short(item) else await asyncio.to_thread(focused, item, self.question)

    def _is_short(self, item: MemoryItem) -> bool:
        return fits(self.of.length_of(item), self.profile.raw_below)

    def _weighed(self, shown: Mapping[str, ItemForm]) -> tuple[CandidateScore, ...]:
        """Returns every candidate, best first, with its final form."""
        if self.found is None:
            return ()
        chosen = {hit.item.id for hit in self.found.chosen}
        return tuple(
            CandidateScore(
                id=each.id,
                score=each.score,
                components=each.components,
                form=shown[each.id].form
                if each.id in shown
                else Form.DROPPED
                if each.id in chosen
                else Form.NOT_CHOSEN,
                tokens=count(shown[each.id].text) if each.id in shown else 0,
            )
            for each in self.found.ranked[:_SHOWN_CANDIDATES]
        )

    async def _tried(self, part: str, work: Awaitable[T]) -> T | None:
        """Returns the result of the work; `None` if it failed, which is recorded under the part's name."""
        try:
            return await work
        except RMemoryError as error:
            logger.warning("A section is missing", extra={"action": "prepare", "section": part})
            self.failed[part] = str(error)
            return None


def _check_named(conversation: str) -> None:
    """Checks the name of a conversation.

    Raises:
        InvalidInput: the name is empty.
    """
    if not conversation.strip():
        raise InvalidInput("no conversation is named; give conversation_id, the same for all its turns")
