"""A small conversational memory over the oracle store, whose judge and writers do as they are told."""

import itertools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from typing_extensions import override

from r_memory.domain.summaries import ConversationSummary
from r_memory.domain.turns import Finished, PreparedSections
from r_memory.errors import ModelUnavailable
from r_memory.protocols import Embedder, Shortening, SummaryWriter
from r_memory.testing.clock import FixedClock
from r_memory.testing.dict_stream import DictConversations, DictStream
from r_memory.testing.hash_embedder import HashEmbedder
from r_memory_talk.controller.gate import Familiar
from r_memory_talk.conversations import Conversations
from r_memory_talk.profiles import PROFILES, Profile
from r_memory_talk.shortening import ExtractiveShortener
from r_memory_talk.stream.stream import Stream
from r_memory_talk.stream.values import NewTurn
from r_memory_talk.summary.keeper import SummaryKeeper
from r_memory_talk.tiers.local_writer import LocalMemoryWriter
from r_memory_talk.tiers.tiers import TierReport, Tiers
from tests.scripted import ScriptedJudge

NOW = 1_795_256_102_000
MINUTE = 60_000
SPACE = "clinic"
TALK = "visit"


def said(question: str, answer: str, conversation: str = TALK, **more: Any) -> NewTurn:  # noqa: ANN401 - fields of a turn
    """An answered turn."""
    return NewTurn(conversation=conversation, observation=question, response=answer, **more)


class Writer:
    """Proposes the question as topic and the answer as key data; fails while `down`."""

    name = "scripted"

    def __init__(self) -> None:
        self.down = False

    async def propose(self, old: ConversationSummary, question: str, answer: str) -> Mapping[str, object]:  # noqa: ARG002 - the protocol's
        if self.down:
            raise ModelUnavailable("the model did not answer; try again")
        return {"core_discussion": question, "key_data": [answer]}


class Shortener(ExtractiveShortener):
    """Extractive; fails while `down`."""

    down = False

    @override
    async def shorten(self, text: str, task: Shortening) -> str:
        if self.down:
            raise ModelUnavailable("the model did not answer; try again")
        return await super().shorten(text, task)


class ToldTiers(Tiers):
    """Makes nothing, remembers what it was asked, and reports what it was told to."""

    def __init__(self, stream: Stream) -> None:
        super().__init__(stream, LocalMemoryWriter(ExtractiveShortener()))
        self.asked: list[str] = []
        self.report = TierReport()

    @override
    async def after_turn(self, conversation: str, *, subject_uid: str = "") -> TierReport:
        self.asked.append(conversation)
        return self.report


@dataclass
class World:
    store: DictStream = field(default_factory=DictStream)
    judge: ScriptedJudge = field(default_factory=ScriptedJudge)
    embedder: Embedder = field(default_factory=HashEmbedder)
    writer: Writer = field(default_factory=Writer)
    summaries: SummaryWriter | None = None
    """Who writes the structured summaries instead."""
    shortener: Shortener = field(default_factory=Shortener)
    clock: FixedClock = field(default_factory=lambda: FixedClock(NOW))
    usual: str = "default"
    familiar: Familiar | None = None
    rate: Callable[[str], int] | None = None
    profiles: Mapping[str, Profile] = field(default_factory=lambda: PROFILES)

    def __post_init__(self) -> None:
        numbers = itertools.count(1)
        self.kept = DictConversations(self.store)
        self.stream = Stream(
            space=SPACE,
            store=self.store,
            embedder=self.embedder,
            clock=self.clock,
            new_id=lambda: f"item-{next(numbers)}",
        )
        self.tiers = ToldTiers(self.stream)
        self.conversations = Conversations(
            stream=self.stream,
            store=self.kept,
            judge=self.judge,
            keeper=SummaryKeeper(
                store=self.kept,
                writer=self.summaries or self.writer,
                clock=self.clock,
                space=SPACE,
                turns=lambda name, subject_uid: self.stream.conversation(name, subject_uid=subject_uid),
            ),
            shortener=self.shortener,
            tiers=self.tiers,
            clock=self.clock,
            new_id=lambda: f"decision-{next(numbers)}",
            familiar=self.familiar,
            rate=self.rate,
            usual=self.usual,
            profiles=self.profiles,
        )

    async def talk(self, *turns: tuple[str, str], conversation: str = TALK) -> tuple[Finished, ...]:
        """Questions with their answers, a minute apart."""
        done = []
        for question, answer in turns:
            self.clock.advance(MINUTE)
            done.append(await self.conversations.finish(said(question, answer, conversation, speaker="Ann")))
        return tuple(done)

    async def ask(self, question: str, *, profile: str = "", max_tokens: int | None = None) -> PreparedSections:
        """What stands in front of a question."""
        return await self.conversations.prepare(question, TALK, profile=profile, max_tokens=max_tokens)
