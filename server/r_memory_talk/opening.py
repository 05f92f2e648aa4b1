"""The conversational memory put together: who judges, who summarises, where it is kept. What `Memory.talk` opens.

Each helper has a local form and one that asks a model; the settings choose, and nothing else does.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial

from r_memory.config.conversation_file import instructed, load_importance, load_instruction, load_lesson
from r_memory.config.prompt_file import GATE, MEMORIES, SHORTENING, SUFFICES, SUMMARY, load_prompt, load_prompts
from r_memory.config.settings import Settings
from r_memory.domain.turns import GateLesson
from r_memory.errors import ConfigurationError
from r_memory.facts.facts import Facts, new_ulid
from r_memory.protocols import ChatModel, Clock, Embedder, Judge, MemoryWriter, Shortener, SummaryWriter
from r_memory.providers.wordllama import WordLlamaEmbedder
from r_memory.store.cypher_store import CypherStore
from r_memory_talk.asking import ChatJudge, ChatMemoryWriter, ChatShortener, ChatSummaryWriter
from r_memory_talk.controller.gate import Familiar
from r_memory_talk.controller.local import LocalJudge
from r_memory_talk.conversations import Conversations
from r_memory_talk.documents.ingesting import Ingestion
from r_memory_talk.profiles import PROFILES, Profile, modes
from r_memory_talk.shortening import ExtractiveShortener
from r_memory_talk.stream.stream import Stream
from r_memory_talk.summary.keeper import SummaryKeeper
from r_memory_talk.summary.local import LocalSummaryWriter
from r_memory_talk.talk import Talk
from r_memory_talk.tiers.local_writer import LocalMemoryWriter, cues_with, rated
from r_memory_talk.tiers.tiers import Tiers, TierSettings


def profiles_of(settings: Settings, shipped: Mapping[str, Profile] | None = None) -> Mapping[str, Profile]:
    """Returns the profiles that a call may name: the `shipped` ones and those of the settings.

    Raises:
        ConfigurationError: a profile is wrong, or `profile` in the settings names none.
    """
    profiles = modes(settings.conversation, PROFILES if shipped is None else shipped)
    if settings.profile not in profiles:
        raise ConfigurationError(f"profile: there is no '{settings.profile}'; known: {', '.join(profiles)}")
    return profiles


def talks(
    settings: Settings,
    store: CypherStore,
    *,
    embedder: Embedder | None,
    chat: ChatModel | None,
    clock: Clock,
    profiles: Mapping[str, Profile] | None = None,
) -> Callable[[Facts], Talk]:
    """Returns a function that opens the conversational memory of a space; all spaces share judge and writers.

    `chat` is the model for the parts that the settings assign to one.
    """
    lesson, cues = load_lesson(settings.files), cues_with(load_importance(settings.files))
    kept = store.conversations
    judge, local = _judge(settings, chat, lesson), LocalMemoryWriter(ExtractiveShortener(), cues=cues)
    # Opens the gate whatever the judge says, where a question is about something stored.
    familiar = Familiar(lesson)
    shortener, summaries, memories = writers(settings, chat, local)
    # Sentences of two memories behind one another found no evidence more on real talk, and took 70 tokens of a context.
    tiered = TierSettings(most_merges=0) if memories is local else TierSettings()
    known = profiles_of(settings, profiles)
    if not settings.other_conversations:
        known = {name: replace(profile, elsewhere=0.0) for name, profile in known.items()}

    def over(facts: Facts) -> Talk:
        stream = Stream(space=facts.space, store=store.stream, embedder=embedder, clock=clock, new_id=new_ulid)
        keeper = SummaryKeeper(
            store=kept,
            writer=summaries,
            clock=clock,
            space=facts.space,
            turns=lambda name, subject_uid: stream.conversation(name, subject_uid=subject_uid),
            wishes=facts.wishes.of,
        )
        conversations = Conversations(
            stream=stream,
            store=kept,
            judge=judge,
            keeper=keeper,
            shortener=shortener,
            tiers=Tiers(stream, memories, tiered, fallback=local),
            clock=clock,
            new_id=new_ulid,
            familiar=familiar,
            rate=partial(rated, cues=cues),
            usual=settings.profile,
            profiles=known,
        )
        documents = Ingestion(
            stream=stream,
            store=kept,
            shortener=shortener,
            clock=clock,
            remember=facts.remembering.record,
            above=facts.reader.above,
        )
        return Talk(facts=facts, stream=stream, conversations=conversations, documents=documents)

    return over


def _judge(settings: Settings, chat: ChatModel | None, lesson: GateLesson) -> Judge:
    if chat is not None and settings.controller == "model":
        return ChatJudge(chat, load_prompt(settings.files, GATE), load_prompt(settings.files, SUFFICES))
    # The built-in embedder whatever searches the stream: how sure the judge is was measured with it.
    return LocalJudge(lesson, WordLlamaEmbedder(), folder=settings.cache_dir)


def writers(
    settings: Settings, chat: ChatModel | None, local: MemoryWriter
) -> tuple[Shortener, SummaryWriter, MemoryWriter]:
    """Returns shortener, summary writer and memory writer; without a model for memories, `local` is the last."""
    if chat is None or settings.summaries != "model":
        return ExtractiveShortener(), LocalSummaryWriter(), local
    files, words = settings.files, load_instruction("INSTRUCTION_SUMMARY", settings.home)
    return (
        ChatShortener(chat, load_prompts(files, SHORTENING)),
        ChatSummaryWriter(chat, instructed(load_prompt(files, SUMMARY), words)),
        ChatMemoryWriter(chat, load_prompts(files, MEMORIES)),
    )
