"""A memory over the oracle store and a script, for tests of the use cases."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from r_memory.domain.facts import Extraction, Proposal, ReviewItem, Route, Span
from r_memory.facts.facts import Facts
from r_memory.facts.limits import Limits
from r_memory.memory import Memory
from r_memory.protocols import Store
from r_memory.reading.worker import ReadingWorker
from r_memory.testing.clock import FixedClock
from r_memory.testing.dict_store import DictStore
from r_memory.testing.dict_stream import DictConversations, DictStream
from tests.doubles import memory_over, scripted_reader
from tests.scripted import ScriptedClassifier, ScriptedExtractor, TrustingValidator, WordLinker
from tests.unit.facts.recall.world import KNOWLEDGE, SCHEMA, TABLE, TERMS

ALLERGY = "I am allergic to penicillin."
MAYBE = "I might be allergic to penicillin."
DENIAL = "I am not allergic to penicillin."
UNREAD = "Something about shellfish happened once."


def read(relation: str, object_: str, type_: str, evidence: str, **more: object) -> Extraction:
    """One proposal of the rules."""
    proposal = Proposal(
        relation=relation,
        object=object_,
        object_type=type_,
        evidence=evidence,
        route=Route.RULES,
        extractor="scripted/1",
        **more,  # type: ignore[arg-type]  # a mapping of keyword arguments
    )
    return Extraction(proposals=(proposal,))


SCRIPT: Mapping[str, Extraction] = {
    ALLERGY: read("HAS_ALLERGY_TO", "penicillin", "DrugClass", "allergic to penicillin"),
    MAYBE: read("HAS_ALLERGY_TO", "penicillin", "DrugClass", "allergic to penicillin", status="unconfirmed"),
    DENIAL: read("HAS_ALLERGY_TO", "penicillin", "DrugClass", "not allergic to penicillin", status="negated"),
    UNREAD: Extraction(review=(ReviewItem(text=UNREAD, span=Span(start=0, end=len(UNREAD)), reason="names a risk"),)),
}


@dataclass(frozen=True, slots=True)
class World:
    """A memory with its parts within reach."""

    memory: Memory
    store: Store
    clock: FixedClock
    extractor: ScriptedExtractor


def a_world(
    *,
    store: Store | None = None,
    space: str = "clinic",
    single: str = "",
    refused: Sequence[str] = (),
    extractor: ScriptedExtractor | None = None,
    worker: ReadingWorker | None = None,
) -> World:
    """A fresh memory; `store` shares one between several. `worker` is where it reads."""
    store = store or DictStore()
    clock = FixedClock()
    extractor = extractor or ScriptedExtractor(SCRIPT)
    facts = Facts(
        store,
        scripted_reader(
            SCHEMA,
            extractor=extractor,
            table=TABLE,
            knowledge=KNOWLEDGE,
            linker=WordLinker(TERMS),
            validator=TrustingValidator(refused=refused),
            classifier=ScriptedClassifier("MED_ORDER"),
            worker=worker,
        ),
        clock,
        space=space,
        single_subject=single,
        limits=Limits(text=500, page=5),
        new_id=lambda: "01JD",
    )
    stream = DictStream()
    memory = memory_over(facts, clock, stream=stream, conversations=DictConversations(stream))
    return World(memory=memory, store=store, clock=clock, extractor=extractor)
