"""What stands in front of one question, in SCM's order: the gate, the search, the reorganising, the fusion.

Whatever fails is named and the rest goes out. Stores nothing, and neither reads nor decides about a fact.
"""

import logging
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from r_memory.domain.decisions import CandidateScore, Form, TurnDecision
from r_memory.domain.judgements import Judgement
from r_memory.domain.memories import MemoryItem, Tier
from r_memory.domain.turns import Part, Prepared
from r_memory.errors import RMemoryError
from r_memory.protocols import Clock, Judge
from r_memory.talk.assembly import Draft, ItemForm, fitted, sections
from r_memory.talk.controller.gate import BY_RULE, BY_WORDS, Familiar, activates, gate, judged_no, opens
from r_memory.talk.controller.reorganising import Reorganised, reorganised
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
_NOT_ASKED = Judgement(yes=False, by=BY_RULE)
_NOTHING = Reorganised(items={}, tokens_before=0)


@dataclass(kw_only=True, eq=False)
class Preparer:
    """Prepares turns of one space, one at a time."""

    stream: Stream
    judge: Judge
    keeper: SummaryKeeper
    familiar: Familiar | None
    """Without it the judge alone decides."""
    clock: Clock
    new_id: Callable[[], str]

    def __post_init__(self) -> None:
        self._lengths: dict[str, int] = {}
        """Id of a turn to its tokens: what was said does not change, and a long conversation takes long to count."""

    async def prepare(
        self,
        question: str,
        conversation: str,
        *,
        subject_uid: str,
        profile: Profile,
        name: str,
        wanted: Collection[Part],
        max_tokens: int,
        scene: str,
        k: int | None,
    ) -> Prepared:
        """The sections that are wanted, with what was decided; `name` is what the profile was called."""
        turn = _Turn(
            of=self,
            question=question,
            conversation=conversation,
            subject_uid=subject_uid,
            profile=profile,
            number=min(profile.k if k is None else k, profile.most_k),
        )
        await turn.remember(wanted)
        kept = None
        if profile.summary and Part.SUMMARY in wanted:
            kept = await turn.tried("summary", self.keeper.current(conversation, subject_uid=subject_uid))
            turn.watch.lap("summary")
        draft = Draft(
            scene=scene if Part.SCENE in wanted else "",
            summary=section(kept.content) if kept else "",
            settled=settled(kept.content) if kept else "",
            activated=turn.activated if Part.MEMORY in wanted else (),
            previous=turn.previous if Part.PREVIOUS in wanted else (),
        )
        draft = fitted(draft, max_tokens, count) if max_tokens else draft
        made = sections(draft, count)
        turn.watch.lap("fusion")
        decision = TurnDecision(
            id=self.new_id(),
            space=self.stream.space,
            conversation=conversation,
            subject_uid=subject_uid,
            turn=(turn.turns[-1].index if turn.turns else 0) + 1,
            at=self.clock.now(),
            profile=name,
            gate=turn.gate,
            candidates=turn.weighed({shown.item.id: shown.form for shown in draft.activated}),
            summary_version=kept.version if kept else 0,
            tokens={one.part.value: one.tokens for one in made},
            tokens_before=turn.reorganised.tokens_before,
            full_history_tokens=sum(map(self.length_of, turn.turns)),
            steps_ms=turn.watch.laps,
            parse_failures=turn.reorganised.parse_failures + (turn.gate.yes is None and bool(turn.gate.trouble)),
            failed=turn.failed,
            flags=tuple(dict.fromkeys((*draft.flags, *turn.reorganised.flags))),
        )
        return Prepared(sections=made, decision=decision, failed=turn.failed)

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
    gate: Judgement = _NOT_ASKED
    found: SearchResult | None = None
    reorganised: Reorganised = _NOTHING
    failed: dict[str, str] = field(default_factory=dict)
    watch: Watch = field(default_factory=Watch)

    async def remember(self, wanted: Collection[Part]) -> None:
        """Steps 1 to 4: the turns there are, the gate, the search, the reorganising."""
        stored = await self.tried(
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
        self.found = await self.tried("memory", self._search())
        self.watch.lap("search")
        if self.found is not None and activates(self.gate):
            self.reorganised = await reorganised(
                self.question,
                self.found.chosen,
                flash=flash,
                flash_tokens=count(flash) if self.profile.flash_in_budget else 0,
                judge=self.of.judge,
                settings=self.profile.reorganise,
                budget=self.profile.history_budget,
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

    @property
    def activated(self) -> tuple[ItemForm, ...]:
        """Items in the form that the controller chose, best first."""
        placed = self.reorganised.items
        return tuple(
            ItemForm(
                item=self._shown(hit.item),
                form=placed[hit.item.id].form,
                elsewhere=hit.item.tier is not Tier.DOCUMENT and hit.item.conversation != self.conversation,
            )
            for hit in (self.found.chosen if self.found else ())
            if hit.item.id in placed and placed[hit.item.id].form in STANDING
        )

    def _shown(self, item: MemoryItem) -> MemoryItem:
        """The item; without its summary where the profile knows none."""
        return item if self.profile.summaries else replace(item, summary="")

    def weighed(self, forms: Mapping[str, Form]) -> tuple[CandidateScore, ...]:
        """Every candidate, best first, with the form in which it stands at last."""
        if self.found is None:
            return ()
        chosen = {hit.item.id: hit.item for hit in self.found.chosen}
        return tuple(
            CandidateScore(
                id=one.id,
                score=one.score,
                components=one.components,
                form=forms.get(one.id, Form.DROPPED if one.id in chosen else Form.NOT_CHOSEN),
                tokens=count(ItemForm(item=chosen[one.id], form=forms[one.id]).text) if one.id in forms else 0,
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
