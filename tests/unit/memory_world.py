"""A memory over the oracle store and a script, for tests of the use cases."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from r_memory.desk import Desk
from r_memory.domain.facts import Extraction, Proposal, ReviewItem, Route, Span
from r_memory.memory import Limits, Memory
from r_memory.protocols import Store
from r_memory.recall.drafts import Drafts
from r_memory.recall.recaller import Recaller
from r_memory.record.changes import Changes
from r_memory.record.recorder import Recorder
from r_memory.subjects import Subjects
from r_memory.testing.clock import FixedClock
from r_memory.testing.dict_store import DictStore
from r_memory.testing.extraction import ScriptedExtractor, TrustingValidator
from r_memory.testing.scripted_classifier import ScriptedClassifier
from r_memory.testing.word_linker import WordLinker
from tests.unit.recall.world import KNOWLEDGE, SCHEMA, TABLE, TERMS

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
    desk: Desk | None = None,
) -> World:
    """A fresh memory; `store` shares one between several. `desk` reads what is said; requests have one of their own."""
    store = store or DictStore()
    clock = FixedClock()
    extractor = extractor or ScriptedExtractor(SCRIPT)
    recorder = Recorder(
        store=store,
        extractors=[extractor],
        validator=TrustingValidator(refused=refused),
        schema=SCHEMA,
        clock=clock,
        context_turns=4,
        desk=desk,
    )
    recaller = Recaller(
        store=store,
        classifier=ScriptedClassifier("MED_ORDER"),
        linker=WordLinker(TERMS),
        schema=SCHEMA,
        table=TABLE,
        knowledge=KNOWLEDGE,
        clock=clock,
        new_id=lambda: "01JD",
        traversals={},
    )
    memory = Memory(
        space=space,
        store=store,
        auditor=None,
        audits={},
        subjects=Subjects(store=store, space=space, type_="Patient", single=single),
        recorder=recorder,
        recaller=recaller,
        drafts=Drafts(
            recaller=recaller, extractor=extractor, linker=WordLinker(TERMS), schema=SCHEMA, rows=tuple(TABLE.intents)
        ),
        changes=Changes(store=store, validator=TrustingValidator(refused=refused), schema=SCHEMA, clock=clock),
        schema=SCHEMA,
        table=TABLE,
        knowledge=KNOWLEDGE,
        single_subject=bool(single),
        limits=Limits(text=500, page=5),
    )
    return World(memory=memory, store=store, clock=clock, extractor=extractor)
