"""The conversational memory put together: who judges, who summarises, where it is kept. A part of `wiring`.

Each helper has a local form and one that asks a model; the settings choose, and nothing else does.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial

from r_memory.config.conversation_file import instructed, load_importance, load_instruction, load_kinds, load_lesson
from r_memory.config.prompt_file import GATE, MEMORIES, SHORTENING, SUFFICES, SUMMARY, load_prompt, load_prompts
from r_memory.config.settings import Settings
from r_memory.errors import ConfigurationError
from r_memory.facts.facts import Facts, new_ulid
from r_memory.protocols import (
    ChatModel,
    Clock,
    Embedder,
    Judge,
    MemoryWriter,
    Shortener,
    SummaryWriter,
)
from r_memory.store.cypher_store import CypherStore
from r_memory.talk.asking import ChatJudge, ChatMemoryWriter, ChatShortener, ChatSummaryWriter
from r_memory.talk.controller.gate import Familiar
from r_memory.talk.controller.local import LocalJudge
from r_memory.talk.conversations import Conversations
from r_memory.talk.documents.ingesting import Ingestion
from r_memory.talk.kinds import KindClassifier
from r_memory.talk.profiles import Profile
from r_memory.talk.shortening import ExtractiveShortener
from r_memory.talk.stream.stream import Stream
from r_memory.talk.summary.keeper import SummaryKeeper
from r_memory.talk.summary.local import LocalSummaryWriter
from r_memory.talk.talk import Talk
from r_memory.talk.tiers.local_writer import LocalMemoryWriter, cues_with, rated
from r_memory.talk.tiers.tiers import Tiers


@dataclass(frozen=True, slots=True, kw_only=True)
class Helpers:
    """Who judges and who summarises; the same for every space of an installation."""

    judge: Judge
    familiar: Familiar
    """Opens the gate whatever the judge says, where a question is about something stored."""
    shortener: Shortener
    summaries: SummaryWriter
    memories: MemoryWriter


def helpers(settings: Settings, chat: ChatModel | None) -> Helpers:
    """The helpers that the settings name; `chat` is the model, where one of them asks it.

    Raises:
        ConfigurationError: a prompt is missing or wrong.
    """
    lesson, files = load_lesson(settings.files), settings.files
    if chat is not None and settings.controller == "model":
        judge: Judge = ChatJudge(chat, load_prompt(files, GATE), load_prompt(files, SUFFICES))
    else:
        # Imported late: an installation without conversations needs no embedder. The built-in one whatever searches
        # the stream: how sure the judge is was measured with it.
        from r_memory.providers.wordllama import WordLlamaEmbedder  # noqa: PLC0415

        judge = LocalJudge(lesson, WordLlamaEmbedder(), folder=settings.cache_dir)
    made = Helpers(
        judge=judge,
        familiar=Familiar(lesson),
        shortener=ExtractiveShortener(),
        summaries=LocalSummaryWriter(),
        memories=_local_memories(settings),
    )
    if chat is None or settings.summaries != "model":
        return made
    words = load_instruction("INSTRUCTION_SUMMARY", settings.home)
    return replace(
        made,
        shortener=ChatShortener(chat, load_prompts(files, SHORTENING)),
        summaries=ChatSummaryWriter(chat, instructed(load_prompt(files, SUMMARY), words)),
        memories=ChatMemoryWriter(chat, load_prompts(files, MEMORIES)),
    )


def _local_memories(settings: Settings) -> MemoryWriter:
    return LocalMemoryWriter(ExtractiveShortener(), cues=cues_with(load_importance(settings.files)))


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
    space, kept, shortener = settings.space, store.conversations, helping.shortener
    stream = Stream(space=space, store=store.stream, embedder=embedder, clock=clock, new_id=new_ulid)
    keeper = SummaryKeeper(
        store=kept,
        writer=helping.summaries,
        clock=clock,
        space=space,
        turns=lambda name, subject_uid: stream.conversation(name, subject_uid=subject_uid),
    )
    if not settings.other_conversations:
        profiles = {name: replace(profile, elsewhere=0.0) for name, profile in profiles.items()}
    conversations = Conversations(
        stream=stream,
        store=kept,
        judge=helping.judge,
        keeper=keeper,
        shortener=shortener,
        tiers=Tiers(stream, helping.memories, fallback=_local_memories(settings)),
        clock=clock,
        new_id=new_ulid,
        kinds=KindClassifier(load_kinds(settings.files)),
        familiar=helping.familiar,
        rate=partial(rated, cues=cues_with(load_importance(settings.files))),
        usual=settings.profile,
        profiles=profiles,
    )
    documents = Ingestion(
        stream=stream, store=kept, shortener=shortener, clock=clock, remember=facts.remembering.record
    )
    return Talk(facts=facts, stream=stream, conversations=conversations, documents=documents)
