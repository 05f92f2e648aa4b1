"""A whole conversational memory without a model, as `wiring` makes one, over the oracle store."""

import itertools

from r_memory.testing.clock import FixedClock
from r_memory.testing.dict_stream import DictConversations, DictStream
from r_memory.testing.hash_embedder import HashEmbedder
from r_memory_talk.conversations import Conversations
from r_memory_talk.profiles import PROFILES
from r_memory_talk.shortening import ExtractiveShortener
from r_memory_talk.stream.stream import Stream
from r_memory_talk.summary.keeper import SummaryKeeper
from r_memory_talk.summary.local import LocalSummaryWriter
from r_memory_talk.tiers.local_writer import LocalMemoryWriter
from r_memory_talk.tiers.tiers import Tiers, TierSettings
from tests.scripted import ScriptedJudge
from tests.unit.talk.tiers.world import MINUTE, NOW, SPACE, TALK
from tests.unit.talk.world import said


class Room:
    """Everything of one space."""

    def __init__(self, settings: TierSettings | None = None) -> None:
        numbers = itertools.count(1)
        shortener = ExtractiveShortener()
        self.clock = FixedClock(NOW)
        self.store = DictStream()
        self.stream = Stream(
            space=SPACE,
            store=self.store,
            embedder=HashEmbedder(dimensions=256),
            clock=self.clock,
            new_id=lambda: f"item-{next(numbers):05}",
        )
        self.tiers = Tiers(self.stream, LocalMemoryWriter(shortener), settings or TierSettings())
        kept = DictConversations(self.store)
        self.conversations = Conversations(
            stream=self.stream,
            store=kept,
            judge=ScriptedJudge(),
            keeper=SummaryKeeper(
                store=kept,
                writer=LocalSummaryWriter(),
                clock=self.clock,
                space=SPACE,
                turns=lambda name, subject_uid: self.stream.conversation(name, subject_uid=subject_uid),
            ),
            shortener=shortener,
            tiers=self.tiers,
            clock=self.clock,
            new_id=lambda: f"decision-{next(numbers)}",
            profiles=PROFILES,
        )

    async def say(self, question: str, answer: str, *, subject_uid: str, speaker: str = "Ann") -> None:
        """One finished turn, a minute after the last."""
        self.clock.advance(MINUTE)
        turn = said(question, answer, TALK, subject_uid=subject_uid, speaker=speaker, responder="Kim")
        done = await self.conversations.finish(turn)
        assert not done.troubles
