"""What stands in front of one question, in SCM's order: the gate, the search, the reorganising, the fusion.

Whatever fails is named and the rest goes out. Stores nothing, and neither reads nor decides about a fact.
"""

import logging
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from r_memory.domain.decisions import CandidateScore, Form, Judgement, TurnDecision
from r_memory.domain.memories import MemoryItem, Tier
from r_memory.domain.summaries import KeptSummary
from r_memory.domain.turns import Part, Prepared
from r_memory.errors import InvalidInput, RMemoryError, UnknownName
from r_memory.protocols import Clock, ConversationStore, Judge
from r_memory.talk.assembly import OVER_BUDGET, Draft, ItemForm, fitted, sections
from r_memory.talk.controller.gate import BY_RULE, BY_WORDS, Familiar, activates, gate, judged_no, opens, went_wrong
from r_memory.talk.controller.reorganising import Reorganised, reorganised
from r_memory.talk.kinds import TUNINGS, KindClassifier
from r_memory.talk.profiles import Profile
from r_memory.talk.stream.stream import Stream
from r_memory.talk.stream.values import SearchResult, Watch
from r_memory.talk.summary.keeper import SummaryKeeper
from r_memory.talk.summary.rendering import section, settled
from r_memory.text.tokens import count, fits

logger = logging.getLogger(__name__)

T = TypeVar("T")

STANDING = frozenset({Form.RAW, Form.SUMMARY})
"""Forms in which an item stands in a context."""
_SHOWN_CANDIDATES = 50
"""Candidates of a search that a decision keeps."""
_LENGTHS = 200_000
"""Turns whose length is known at one time."""


def check_named(conversation: str) -> None:
    """Passes the name of a conversation.

    Raises:
        InvalidInput: it is empty.
    """
    if not conversation.strip():
        raise InvalidInput("no conversation is named; give conversation_id, the same for all its turns")


@dataclass(kw_only=True, eq=False)
class Preparer:
    """Prepares turns of one space, one at a time."""

    stream: Stream
    store: ConversationStore
    judge: Judge
    keeper: SummaryKeeper
    familiar: Familiar | None
    """Without it the judge alone decides."""
    kinds: KindClassifier | None
    """Without it no profile is tuned by the kind of talk."""
    clock: Clock
    new_id: Callable[[], str]
    profiles: Mapping[str, Profile]
    usual: str
    """Name of the profile of a call that names none."""

    def __post_init__(self) -> None:
        self._lengths: dict[str, int] = {}
        """Id of a turn to its tokens: what was said does not change, and a long conversation takes long to count."""
        self.profile("")

    def profile(self, name: str) -> Profile:
        """The switches of a profile; without a name, of the usual one.

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
        k: int | None = None,
        probe: bool = False,
    ) -> Prepared:
        """What stands in front of a question, beside the safety block; the question itself is stored nowhere.

        `parts` are the sections wanted; `None` is all. `max_tokens` bounds them together, 0 not at all; `None` is the
        profile's. A `probe` leaves not even its decision behind, so that questions can be asked one by one (SCM 32).
        What could not be read or written is named in the result.

        Raises:
            InvalidInput: no conversation is named, or `k` or `max_tokens` is negative.
            UnknownName: there is no such profile.
        """
        check_named(conversation)
        for name, value in (("k", k), ("max_tokens", max_tokens)):
            if value is not None and value < 0:
                raise InvalidInput(f"{name} is {value}; give 0 or more")
        switches = self.profile(profile)
        if self.kinds is not None and switches.by_kind:
            switches = replace(switches, **TUNINGS[self.kinds.kind_of(question)])
        turn = _Turn(
            of=self,
            question=question,
            conversation=conversation,
            subject_uid=subject_uid,
            profile=switches,
            number=min(switches.k if k is None else k, switches.most_k),
        )
        draft = await turn.draft(frozenset(Part if parts is None else parts), scene)
        room = switches.max_tokens if max_tokens is None else max_tokens
        prepared = turn.prepared(fitted(draft, room) if room else draft, profile or self.usual)
        if probe:
            return prepared
        try:
            await self.store.add_decision(prepared.decision)
        except RMemoryError as error:
            logger.warning("A decision is missing", extra={"action": "prepare", "error": type(error).__name__})
            return replace(prepared, failed={**prepared.failed, "decision log": str(error)})
        return prepared

    def length_of(self, item: MemoryItem) -> int:
        """Tokens of a turn, raw."""
        if len(self._lengths) > _LENGTHS:
            self._lengths.clear()
        if (known := self._lengths.get(item.id)) is None:
            known = self._lengths[item.id] = count(item.raw)
        return known


@dataclass(slots=True, kw_only=True)
class _Turn:
    """One turn that is being prepared, and what is known of it so far."""

    of: Preparer
    question: str
    conversation: str
    subject_uid: str
    profile: Profile
    number: int
    """Items to activate."""
    turns: Sequence[MemoryItem] = ()
    previous: tuple[ItemForm, ...] = ()
    gate: Judgement = field(default_factory=lambda: Judgement(yes=False, by=BY_RULE))
    found: SearchResult | None = None
    reorganised: Reorganised = field(default_factory=Reorganised)
    kept: KeptSummary | None = None
    failed: dict[str, str] = field(default_factory=dict)
    watch: Watch = field(default_factory=Watch)

    async def draft(self, wanted: Collection[Part], scene: str) -> Draft:
        """Steps 1 to 4, and everything that the turn may show."""
        await self._remember(wanted)
        if self.profile.summary and Part.SUMMARY in wanted:
            kept = self.of.keeper.current(self.conversation, subject_uid=self.subject_uid)
            self.kept = await self._tried("summary", kept)
            self.watch.lap("summary")
        return Draft(
            scene=scene if Part.SCENE in wanted else "",
            summary=section(self.kept.content) if self.kept else "",
            settled=settled(self.kept.content) if self.kept else "",
            activated=self._activated(),
            previous=self.previous if Part.PREVIOUS in wanted else (),
        )

    def prepared(self, draft: Draft, profile: str) -> Prepared:
        """The sections of a draft that fits, with what was decided."""
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
            tokens={one.part.value: one.tokens for one in made},
            tokens_before=sum(one.raw for one in self.reorganised.items),
            full_history_tokens=sum(map(self.of.length_of, self.turns)),
            steps_ms=self.watch.laps,
            parse_failures=self.reorganised.parse_failures + went_wrong(self.gate),
            failed=self.failed,
            flags=(OVER_BUDGET,) if over_budget else (),
        )
        return Prepared(sections=made, decision=decision, failed=self.failed)

    async def _remember(self, wanted: Collection[Part]) -> None:
        """The turns there are, the gate, the search, the reorganising."""
        stored = await self._tried(
            "previous", self.of.stream.conversation(self.conversation, subject_uid=self.subject_uid)
        )
        self.turns = stored or ()
        self.watch.lap("input")
        self.previous = self._flash()
        flash = "\n".join(shown.text for shown in self.previous)
        self.gate = await self._judged(flash)
        self.watch.lap("gate")
        if stored is None or Part.MEMORY not in wanted or not self.number:
            return
        self.found = await self._tried("memory", self._search())
        self.watch.lap("search")
        if self.found is not None and activates(self.gate):
            self.reorganised = await reorganised(
                self.question,
                [hit.item for hit in self.found.chosen],
                self.of.judge,
                self.profile.reorganise,
                flash=flash,
                room=self.profile.history_budget - (count(flash) if self.profile.flash_in_budget else 0),
            )
            self.watch.lap("reorganise")

    def _flash(self) -> tuple[ItemForm, ...]:
        last = self.turns[-self.profile.flash_turns :] if self.profile.flash_turns else ()
        short = self.profile.raw_below
        return tuple(
            ItemForm(item=self._shown(item), form=Form.RAW if fits(self.of.length_of(item), short) else Form.SUMMARY)
            for item in last
        )

    async def _judged(self, flash: str) -> Judgement:
        """The judge's answer; where a question is about something stored, the gate opens whatever the judge says."""
        stream, familiar, elsewhere = self.of.stream, self.of.familiar, self._elsewhere > 0
        said = await gate(
            self.profile.gate,
            self.of.judge,
            self.question,
            turns=len(self.turns),
            beside=stream.has_beside(self.conversation, self.subject_uid, elsewhere=elsewhere),
            flash=flash,
        )
        if familiar is not None and judged_no(said):
            weights = familiar.weights(self.question, stream.languages)
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
            k=self.number,
            skip_last=len(self.previous),
            recent=messages[-profile.window :],
            window=profile.window,
            layer=profile.layer,
            documents=max(1, int(self.number * profile.documents)) if profile.documents else 0,
            elsewhere=self._elsewhere,
        )

    @property
    def _elsewhere(self) -> int:
        """Places for other conversations about the subject: its share, and those that this one cannot fill."""
        share = self.profile.elsewhere
        if not (self.subject_uid and share):
            return 0
        return max(int(self.number * share), self.number - (len(self.turns) - len(self.previous)))

    def _activated(self) -> tuple[ItemForm, ...]:
        """Items in the form that the controller chose, best first."""
        return tuple(
            ItemForm(
                item=self._shown(one.item),
                form=one.form,
                elsewhere=one.item.tier is not Tier.DOCUMENT and one.item.conversation != self.conversation,
            )
            for one in self.reorganised.items
            if one.form in STANDING
        )

    def _shown(self, item: MemoryItem) -> MemoryItem:
        """The item; without its summary where the profile knows none."""
        return item if self.profile.summaries else replace(item, summary="")

    def _weighed(self, shown: Mapping[str, ItemForm]) -> tuple[CandidateScore, ...]:
        """Every candidate, best first, with the form in which it stands at last."""
        if self.found is None:
            return ()
        chosen = {hit.item.id for hit in self.found.chosen}
        return tuple(
            CandidateScore(
                id=one.id,
                score=one.score,
                components=one.components,
                form=shown[one.id].form if one.id in shown else Form.DROPPED if one.id in chosen else Form.NOT_CHOSEN,
                tokens=count(shown[one.id].text) if one.id in shown else 0,
            )
            for one in self.found.ranked[:_SHOWN_CANDIDATES]
        )

    async def _tried(self, part: str, work: Awaitable[T]) -> T | None:
        """What the work gives; `None` where it failed, which is written down under the part's name."""
        try:
            return await work
        except RMemoryError as error:
            logger.warning("A section is missing", extra={"action": "prepare", "section": part})
            self.failed[part] = str(error)
            return None
