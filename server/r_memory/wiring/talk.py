"""The conversational memory put together: who judges, who summarises, where it is kept. A part of `wiring`.

Each helper has a local form and one that asks a model; the settings choose, and nothing else does.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial

from r_memory.config.controller_file import load_lesson
from r_memory.config.importance_file import load_importance
from r_memory.config.instructions import instructed, load_instruction
from r_memory.config.kinds_file import load_kinds
from r_memory.config.prompt_file import GATE, MEMORIES, SHORTENING, SUFFICES, SUMMARY, load_prompt, load_prompts
from r_memory.config.settings import Settings
from r_memory.domain.judgements import GateLesson
from r_memory.errors import ConfigurationError
from r_memory.facts.facts import Facts, new_ulid
from r_memory.protocols import (
    ChatModel,
    Clock,
    ConversationStore,
    Embedder,
    Judge,
    MemoryWriter,
    Shortener,
    SummaryWriter,
)
from r_memory.store.cypher_store import CypherStore
from r_memory.talk.chat_shortener import ChatShortener
from r_memory.talk.controller.chat import ChatJudge
from r_memory.talk.controller.familiar import Familiar
from r_memory.talk.controller.local import LocalJudge
from r_memory.talk.controller.turn_summaries import TurnSummaries
from r_memory.talk.conversations import Conversations
from r_memory.talk.documents.facts import DocumentFacts
from r_memory.talk.documents.ingesting import Ingestion
from r_memory.talk.kinds import KindClassifier
from r_memory.talk.profiles import Profile
from r_memory.talk.shortening import ExtractiveShortener
from r_memory.talk.stream.stream import Stream
from r_memory.talk.summary.chat import ChatSummaryWriter
from r_memory.talk.summary.keeper import SummaryKeeper
from r_memory.talk.summary.local import LocalSummaryWriter
from r_memory.talk.talk import Talk
from r_memory.talk.tiers.chat_writer import ChatMemoryWriter
from r_memory.talk.tiers.cues import cues_with, rated
from r_memory.talk.tiers.local_writer import LocalMemoryWriter
from r_memory.talk.tiers.tiers import Tiers
from r_memory.text.tokens import count


@dataclass(frozen=True, slots=True, kw_only=True)
class Helpers:
    """Who judges and who summarises; the same for every space of an installation."""

    judge: Judge
    familiar: Familiar
    """Opens the gate whatever the judge says, where a question is about something stored."""
    shortener: Shortener
    summaries: SummaryWriter
    memories: MemoryWriter


def asks_model(settings: Settings) -> bool:
    """Whether a helper is a language model."""
    return "model" in {settings.controller, settings.summaries}


def helpers(settings: Settings, chat: ChatModel | None) -> Helpers:
    """The helpers that the settings name; `chat` is the model where `asks_model`.

    Raises:
        ConfigurationError: a prompt is missing or wrong.
    """
    lesson = load_lesson(settings.files)
    familiar = Familiar(lesson)
    if chat is not None and settings.controller == "model":
        judge: Judge = ChatJudge(chat, load_prompt(settings.files, GATE), load_prompt(settings.files, SUFFICES))
    else:
        judge = _local_judge(lesson, settings)
    if chat is not None and settings.summaries == "model":
        words = load_instruction("INSTRUCTION_SUMMARY", settings.home)
        return Helpers(
            judge=judge,
            familiar=familiar,
            shortener=ChatShortener(chat, load_prompts(settings.files, SHORTENING)),
            summaries=ChatSummaryWriter(chat, instructed(load_prompt(settings.files, SUMMARY), words)),
            memories=ChatMemoryWriter(chat, load_prompts(settings.files, MEMORIES)),
        )
    return Helpers(
        judge=judge,
        familiar=familiar,
        shortener=ExtractiveShortener(),
        summaries=LocalSummaryWriter(),
        memories=_local_memories(settings),
    )


def _local_memories(settings: Settings) -> MemoryWriter:
    return LocalMemoryWriter(ExtractiveShortener(), cues=cues_with(load_importance(settings.files)))


def _local_judge(lesson: GateLesson, settings: Settings) -> Judge:
    # Imported late: an installation without conversations needs no embedder. The built-in one whatever searches the
    # stream: how sure the judge is was measured with it.
    from r_memory.providers.wordllama import WordLlamaEmbedder  # noqa: PLC0415

    return LocalJudge(lesson, WordLlamaEmbedder(), folder=settings.cache_dir)


def check_profile(settings: Settings, profiles: Mapping[str, Profile]) -> None:
    """Nothing.

    Raises:
        ConfigurationError: there is no such profile.
    """
    if settings.profile not in profiles:
        raise ConfigurationError(f"profile: there is no '{settings.profile}'; known: {', '.join(profiles)}")


def talk_of(
    settings: Settings,
    facts: Facts,
    helping: Helpers,
    *,
    store: CypherStore,
    embedder: Embedder | None,
    clock: Clock,
    profiles: Mapping[str, Profile],
) -> Talk:
    """The conversational memory of the space that the settings name."""
    stream = Stream(space=settings.space, store=store.stream, embedder=embedder, clock=clock, new_id=new_ulid)
    return Talk(
        facts=facts,
        stream=stream,
        conversations=_conversations(
            settings, helping, store=store.conversations, stream=stream, clock=clock, profiles=profiles
        ),
        documents=Ingestion(
            stream=stream,
            store=store.conversations,
            shortener=helping.shortener,
            clock=clock,
            remember=DocumentFacts(facts.recorder),
        ),
    )


def _conversations(
    settings: Settings,
    helping: Helpers,
    *,
    store: ConversationStore,
    stream: Stream,
    clock: Clock,
    profiles: Mapping[str, Profile],
) -> Conversations:
    """The conversations of the space that the settings name."""
    keeper = SummaryKeeper(
        store=store,
        writer=helping.summaries,
        clock=clock,
        space=settings.space,
        turns=lambda name, subject_uid: stream.conversation(name, subject_uid=subject_uid),
        fallback=LocalSummaryWriter(),
    )
    return Conversations(
        space=settings.space,
        stream=stream,
        store=store,
        judge=helping.judge,
        keeper=keeper,
        turn_summaries=TurnSummaries(helping.shortener),
        tiers=Tiers(stream, helping.memories, fallback=_local_memories(settings)),
        count=count,
        clock=clock,
        new_id=new_ulid,
        kinds=KindClassifier(load_kinds(settings.files)),
        familiar=helping.familiar,
        rate=partial(rated, cues=cues_with(load_importance(settings.files))),
        usual=settings.profile,
        profiles=profiles
        if settings.other_conversations
        else {name: replace(profile, elsewhere=0.0) for name, profile in profiles.items()},
    )
