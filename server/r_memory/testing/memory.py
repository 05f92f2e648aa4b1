"""A whole memory without a language, a model or a database: any facts, beside a conversational memory of doubles."""

import itertools
from collections.abc import Callable, Mapping, Sequence

from r_memory.domain.memories import MemoryItem
from r_memory.domain.summaries import ConversationSummary
from r_memory.facts.facts import Facts
from r_memory.memory import Memory
from r_memory.protocols import Clock, ConversationStore, Judge, StreamStore, SummaryWriter
from r_memory.space.space import Space
from r_memory.talk.controller.turn_summaries import TurnSummaries
from r_memory.talk.conversations import Conversations
from r_memory.talk.documents.facts import DocumentFacts
from r_memory.talk.documents.ingesting import Ingestion
from r_memory.talk.profiles import PROFILES, Profile
from r_memory.talk.shortening import ExtractiveShortener
from r_memory.talk.stream.stream import Stream
from r_memory.talk.summary.keeper import SummaryKeeper
from r_memory.talk.talk import Talk
from r_memory.talk.tiers.local_writer import LocalMemoryWriter
from r_memory.talk.tiers.tiers import Tiers
from r_memory.testing.scripted_judge import ScriptedJudge
from r_memory.text.tokens import count


class SilentWriter:
    """A writer of summaries that never has anything to add."""

    name = "silent/1"

    async def propose(self, old: ConversationSummary, question: str, answer: str) -> Mapping[str, object]:  # noqa: ARG002 - the protocol's
        """Nothing."""
        return {}


def numbered(prefix: str) -> Callable[[], str]:
    """Gives `prefix-1`, `prefix-2` and so on."""
    numbers = itertools.count(1)
    return lambda: f"{prefix}-{next(numbers)}"


def memory_over(
    facts: Facts,
    clock: Clock,
    *,
    stream: StreamStore,
    conversations: ConversationStore,
    judge: Judge | None = None,
    writer: SummaryWriter | None = None,
    profiles: Mapping[str, Profile] = PROFILES,
) -> Memory:
    """The memory of these facts, with a conversational memory in these stores; nothing is audited."""
    items = Stream(space=facts.space, store=stream, embedder=None, clock=clock, new_id=numbered("item"))

    async def turns(name: str, subject_uid: str) -> Sequence[MemoryItem]:
        return await items.conversation(name, subject_uid=subject_uid)

    shortener = ExtractiveShortener()
    talk = Talk(
        facts=facts,
        stream=items,
        conversations=Conversations(
            space=facts.space,
            stream=items,
            store=conversations,
            judge=judge or ScriptedJudge(),
            keeper=SummaryKeeper(
                store=conversations, writer=writer or SilentWriter(), clock=clock, space=facts.space, turns=turns
            ),
            turn_summaries=TurnSummaries(shortener),
            tiers=Tiers(items, LocalMemoryWriter(shortener)),
            count=count,
            clock=clock,
            new_id=numbered("decision"),
            profiles=profiles,
        ),
        documents=Ingestion(
            stream=items,
            store=conversations,
            shortener=shortener,
            clock=clock,
            remember=DocumentFacts(facts.recorder),
        ),
    )
    return Memory(facts, talk, Space(facts=facts, stream=stream, conversations=conversations, clock=clock))
