"""A memory over the oracle store that can be administered, with everything in it that can be moved or erased."""

from dataclasses import replace

from r_memory.domain.memories import Document, MemoryItem, Tier
from r_memory.domain.summaries import ConversationSummary, KeptSummary
from r_memory.domain.turns import Judgement, TurnDecision
from r_memory.facts.facts import Facts
from r_memory.space.space import Space
from r_memory.testing.clock import FixedClock
from r_memory.testing.dict_store import DictStore
from tests.doubles import scripted_reader
from tests.unit.facts.recall.world import KNOWLEDGE, SCHEMA
from tests.unit.memory_world import ALLERGY, DENIAL, UNREAD, World, a_world
from tests.vectors import vector_of

SPACE = "clinic"
JOHN, JANE = "clinic/Patient/JD001", "clinic/Patient/JR002"


def administration_of(store: DictStore, *, retired: tuple[str, ...] = ()) -> Space:
    """The administration of a store's space."""
    facts = Facts(store, scripted_reader(SCHEMA, knowledge=KNOWLEDGE), FixedClock(), space=SPACE, retired=retired)
    return Space(facts=facts, stream=store.stream, conversations=store.conversations, clock=FixedClock())


async def a_full_store() -> DictStore:
    """John Doe and Jane Roe, each with facts, something open, a receipt, a talk and a document."""
    store = DictStore()
    world = a_world(store=store)
    for id_, name in (("JD001", "John Doe"), ("JR002", "Jane Roe")):
        await _told(world, id_, name)
        for number in (1, 2, 3):
            await store.stream.add_memories([_turn(id_, number)])
        await store.stream.add_memories([replace(_turn(id_, 4), tier=Tier.MEDIUM, sources=(f"{id_}-1",))])
        await store.stream.touch_memories(SPACE, [f"{id_}-1"], at=9_000)
        await _talked(store, id_)
    return store


def _turn(id_: str, number: int) -> MemoryItem:
    return MemoryItem(
        id=f"{id_}-{number}",
        space=SPACE,
        conversation="visit",
        subject_uid=f"clinic/Patient/{id_}",
        observation=f"{id_} sails boat {number}.",
        response="Noted.",
        vector=vector_of("m", [1.0, float(number)]),
        created_at=number,
        accessed_at=number,
    )


async def _told(world: World, id_: str, name: str) -> None:
    for text in (ALLERGY, DENIAL, UNREAD):
        world.clock.advance(1_000)
        await world.memory.remember(text, subject=id_, subject_name=name, conversation_id="visit")
    await world.memory.build_context("Order amoxicillin.", subject=id_)


async def _talked(store: DictStore, id_: str) -> None:
    about = f"clinic/Patient/{id_}"
    for version in (1, 2):
        content = ConversationSummary(version=version, core_discussion=f"{id_} sails")
        await store.conversations.add_summary(
            KeptSummary(
                space=SPACE,
                conversation="visit",
                subject_uid=about,
                content=content,
                upto=version,
                made_at=version,
                made_by="local/1",
            )
        )
    await store.conversations.add_decision(
        TurnDecision(
            id=f"{id_}-decision",
            space=SPACE,
            conversation="visit",
            subject_uid=about,
            turn=4,
            at=5,
            profile="default",
            gate=Judgement(yes=True, by="local/1"),
        )
    )
    await store.conversations.put_document(
        Document(id=f"{id_}-doc", space=SPACE, name="notes.txt", subject_uid=about, digest="00", parts=1, made_at=7)
    )
