"""A small clinic for the tests of recall: schema, table, pack, and a ledger that can be told to fail."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

from r_memory.domain.blocks import Recall, Receipt
from r_memory.domain.events import Batch, Chain, ChainHead, Episode, EventKind, FactEvent, observed
from r_memory.domain.facts import (
    HAS_INGREDIENT,
    KNOWLEDGE_SPACE,
    SCOPE_TYPE,
    UNMAPPED_TYPE,
    Attribute,
    Attributes,
    Entity,
    Fact,
    Flag,
    Observation,
    Route,
    Span,
    Status,
    concept,
)
from r_memory.domain.folding import fold_all
from r_memory.domain.instants import ALWAYS, Instant, Period, parse_instant
from r_memory.domain.intents import Intent, IntentTable, Policy
from r_memory.domain.knowledge import CROSS_REACTS_WITH, MEMBER_OF, Knowledge, Link, Tier
from r_memory.domain.schema import Language, Lexicon, Relation, Schema, SeverityScale
from r_memory.facts.hiding import Hiding
from r_memory.facts.limits import Limits
from r_memory.facts.recall.recaller import Recaller
from r_memory.facts.subjects import Subjects
from r_memory.protocols import (
    IntentClassifier,
    IntentOpinion,
    Linker,
    Mention,
    Neighbourhood,
    SoCalled,
    Store,
    Traversal,
)
from r_memory.reading.names import PersonNames
from r_memory.testing.clock import FixedClock
from r_memory.testing.dict_store import DictStore
from tests.doubles import scripted_reader
from tests.scripted import ScriptedClassifier, WordLinker

NOW = parse_instant("2026-11-21T10:15:02Z")
SAID = parse_instant("2026-11-19T09:30:00Z")
LATER = parse_instant("2026-11-20T16:00:00Z")
DAY = 86_400_000
RECEIPT = "01JD8Y3F5Q2W6T9K4M7N0R1S2V"
ASK = "Ask about allergies, contraindications and implants before acting."

JOHN = Entity(space="clinic", type="Patient", id="JD001", name="John Doe")
JANE = Entity(space="clinic", type="Patient", id="JR002", name="Jane Roe")
NAMESAKE = Entity(space="clinic", type="Patient", id="JD009", name="John Doe")

TERMS: Mapping[str, Mapping[str, Sequence[str]]] = {
    "DrugClass": {
        "penicillin": ["pcn"],
        "antibiotic": ["antibiotics"],
        "cephalosporin": [],
        "opioid": [],
        "sulfonamide antibiotic": ["sulfa"],
    },
    "Drug": {
        "amoxicillin": [],
        "amoxicillin-clavulanate": ["augmentin"],
        "ampicillin": [],
        "cefazolin": ["ancef"],
        "acetaminophen": ["tylenol"],
        "oxycodone": [],
        "oxycodone-acetaminophen": ["percocet"],
        "hydrocodone-acetaminophen": ["vicodin"],
        "furosemide": [],
    },
    "Device": {"pacemaker": []},
    "Condition": {"asthma": [], "pregnancy": []},
    "Imaging": {"mri": []},
}

SUBSTANCES = ("DrugClass", "Drug")


def relation(name: str, line: str, *, critical: bool = False, **more: object) -> Relation:
    return replace(
        Relation(name=name, subjects=("Patient",), objects=SUBSTANCES, critical=critical, line=line),
        **more,  # type: ignore[arg-type]  # `replace` checks the names, the tests the values
    )


REACTION = {"reaction": "Reaction", "severity": "severity"}
RELATIONS = (
    relation(
        "HAS_ALLERGY_TO",
        "CRITICAL ALLERGY: {subject} is allergic to {object} (Severity: {severity}).",
        critical=True,
        attrs=REACTION,
        severity_unstated="Anaphylaxis",
    ),
    relation("IS_CONTRAINDICATED_WITH", "CONTRAINDICATED: {subject} must not have {object}.", critical=True),
    relation(
        "DOSE_LIMIT",
        "DOSE LIMIT: {object} for {subject} at most {max} {unit} per {period}.",
        critical=True,
        attrs={"max": "number", "unit": "unit", "period": "period"},
    ),
    relation("HAS_IMPLANTS", "IMPLANT: {subject} has {object}.", critical=True),
    relation("HAS_INTOLERANCE_TO", "INTOLERANCE: {subject} does not tolerate {object} ({reaction}).", attrs=REACTION),
    relation("TOLERATES", "TOLERATED: {subject} has tolerated {object}."),
    relation("TAKES", "TAKES: {subject} takes {object}."),
    relation("HAS_CONDITION", "CONDITION: {subject} has {object}.", review_after_days=315),
    relation("REQUIRES_PREP", "RULE STATED: {object} ({hours} h before {before}).", rule_status=True),
)
LEXICON = Lexicon(
    terms={
        **{type_: {name: tuple(words) for name, words in names.items()} for type_, names in TERMS.items()},
        "Reaction": {"anaphylaxis": (), "hives": (), "nausea": ()},
    },
    values={"Reaction": {"severity": {"severe": ("anaphylaxis",), "mild": ("hives", "nausea")}}},
)


def schema_of(*names: str, version: str = "schema000001") -> Schema:
    """The clinic's schema, or the named part of it."""
    chosen = {relation.name: relation for relation in RELATIONS if not names or relation.name in names}
    return Schema(
        name="clinic",
        version=version,
        subject="Patient",
        relations=chosen,
        lexicon=LEXICON,
        language=Language(code="en", sections={}),
        severity=SeverityScale(words={"mild": ("mild",), "moderate": ("moderate",), "severe": ("severe",)}),
        scopes={"any": "anything", "any_drug": "drugs"},
        unavailable=ASK,
    )


SCHEMA = schema_of()
CLOSURE = {MEMBER_OF: 2, HAS_INGREDIENT: 1, CROSS_REACTS_WITH: 1}
TABLE = IntentTable(
    version="table0000001",
    policy=Policy(),
    intents={
        intent.name: intent
        for intent in (
            Intent(
                name="MED_ORDER",
                description="Orders or advises a drug.",
                edges=(
                    "HAS_ALLERGY_TO",
                    "IS_CONTRAINDICATED_WITH",
                    "DOSE_LIMIT",
                    "HAS_INTOLERANCE_TO",
                    "TOLERATES",
                    "TAKES",
                ),
                expand=CLOSURE,
            ),
            Intent(
                name="IMAGING_MRI",
                description="Orders an MRI.",
                edges=("HAS_IMPLANTS", "REQUIRES_PREP"),
                traversal="cypher/recall/mri.cypher",
            ),
            Intent(name="PREP", description="Prepares a procedure.", edges=("REQUIRES_PREP", "HAS_CONDITION")),
            Intent(name="CHAT", description="Small talk.", edges=(), silent=True),
        )
    },
)
MRI = Traversal(path="cypher/recall/mri.cypher", text="MATCH …")


def link(
    relation_: str,
    start: tuple[str, str],
    end: tuple[str, str],
    *,
    tier: Tier = "",
    reviewed: bool = True,
    usual: bool = False,
    **more: str,
) -> Link:
    return Link(
        relation=relation_,
        start=concept(*start).uid,
        end=concept(*end).uid,
        tier=tier,
        reviewed=reviewed,
        usual=usual,
        **more,
    )


PENICILLIN, ANTIBIOTIC, CEPHALOSPORIN = (
    ("DrugClass", "penicillin"),
    ("DrugClass", "antibiotic"),
    ("DrugClass", "cephalosporin"),
)
AMOXICILLIN, AMPICILLIN, CEFAZOLIN = ("Drug", "amoxicillin"), ("Drug", "ampicillin"), ("Drug", "cefazolin")
AUGMENTIN, OPIOID, SULFA = (
    ("Drug", "amoxicillin-clavulanate"),
    ("DrugClass", "opioid"),
    ("DrugClass", "sulfonamide antibiotic"),
)
ACETAMINOPHEN, OXYCODONE = ("Drug", "acetaminophen"), ("Drug", "oxycodone")
PERCOCET, VICODIN = ("Drug", "oxycodone-acetaminophen"), ("Drug", "hydrocodone-acetaminophen")
FUROSEMIDE = ("Drug", "furosemide")

LINKS = (
    link(MEMBER_OF, AMOXICILLIN, PENICILLIN),
    link(MEMBER_OF, AMPICILLIN, PENICILLIN),
    link(MEMBER_OF, PENICILLIN, ANTIBIOTIC),
    link(MEMBER_OF, CEPHALOSPORIN, ANTIBIOTIC),
    link(MEMBER_OF, SULFA, ANTIBIOTIC),
    link(MEMBER_OF, CEFAZOLIN, CEPHALOSPORIN),
    link(MEMBER_OF, OXYCODONE, OPIOID),
    link(HAS_INGREDIENT, AUGMENTIN, AMOXICILLIN),
    link(HAS_INGREDIENT, PERCOCET, ACETAMINOPHEN),
    link(HAS_INGREDIENT, PERCOCET, OXYCODONE),
    link(HAS_INGREDIENT, VICODIN, ACETAMINOPHEN),
    link(CROSS_REACTS_WITH, PENICILLIN, PENICILLIN, tier="A"),
    link(CROSS_REACTS_WITH, PENICILLIN, CEPHALOSPORIN, tier="B", rate="2.11%", source="Picard 2019"),
    link(CROSS_REACTS_WITH, PENICILLIN, CEFAZOLIN, tier="B", rate="0.7%", source="Sousa-Pinto 2021"),
    link(
        CROSS_REACTS_WITH,
        SULFA,
        FUROSEMIDE,
        tier="B",
        rate="not supported",
        action="do not block",
        source="Cline 2025",
        reviewed=False,
    ),
)
KNOWLEDGE = Knowledge(
    name="clinic",
    version="pack00000001",
    concepts={
        entity.uid: entity for entity in (concept(type_, name) for type_, names in TERMS.items() for name in names)
    },
    links=LINKS,
)


def scope(id_: str) -> Entity:
    return Entity(space=KNOWLEDGE_SPACE, type=SCOPE_TYPE, id=id_, name=id_)


def unmapped(words: str) -> Entity:
    return concept(UNMAPPED_TYPE, words, space=JOHN.space)


@dataclass
class Ledger:
    """The oracle store with a memory of what it was asked, written to in one line, and failing as it is told."""

    schema: Schema = field(default_factory=schema_of)
    events: list[FactEvent] = field(default_factory=list)
    pending: list[Episode] = field(default_factory=list)
    receipts: list[Receipt] = field(default_factory=list)
    asked: list[tuple[tuple[str, ...], tuple[Traversal, ...]]] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)
    """Relation to why it cannot be read."""
    trouble: dict[str, Exception] = field(default_factory=dict)
    """Name of a method to what it raises."""

    def hear(
        self,
        relation_: str,
        object_: Entity,
        status: Status = Status.ACTIVE,
        *,
        evidence: str = "…",
        at: Instant = SAID,
        speaker: str = "patient",
        subject: Entity = JOHN,
        flags: frozenset[Flag] = frozenset(),
        valid: Period = ALWAYS,
        attrs: Attributes | None = None,
        **more: Attribute,
    ) -> str:
        """Records one observation and gives the id of its fact."""
        seen = Observation(
            subject=subject,
            relation=relation_,
            object=object_,
            status=status,
            attrs={**(attrs or {}), **more},
            valid=valid,
            evidence=evidence,
            span=Span(start=0, end=len(evidence)),
            route=Route.RULES,
            extractor="rules/1",
            flags=flags,
            identity=declared.identity if (declared := self.schema.relations.get(relation_)) else (),
        )
        episode = heard(evidence, at=at, speaker=speaker, subject=subject, id_=f"ep{len(self.events)}")
        head = self._head(subject.uid)
        self.events += observed([seen], episode=episode, head=head, now=at, schema_version=self.schema.version)
        return seen.fact_id

    def decide(self, fact_id: str, status: Status, *, at: Instant, actor: str = "dr_ada") -> None:
        """Records a person's decision on a fact."""
        before = [event for event in self.events if event.fact_id == fact_id][-1]
        head = self._head(before.subject_uid)
        changed = replace(
            before,
            id=f"change {len(self.events)}",
            kind=EventKind.CHANGED,
            status=status,
            recorded_at=at,
            said_at=at,
            speaker=actor,
            actor=actor,
            evidence="",
            seq=head.seq + 1,
            prev_hash=head.hash,
        )
        self.events.append(changed.sealed())

    async def chain(self, _: str, fact_ids: Sequence[str]) -> Chain:
        return Chain(head=ChainHead(), events=tuple(each for each in self.events if each.fact_id in fact_ids))

    async def neighbourhood(
        self, subject: Entity, relations: Sequence[str], traversals: Sequence[Traversal] = ()
    ) -> Neighbourhood:
        self.asked.append((tuple(relations), tuple(traversals)))
        self._fail("neighbourhood")
        store = await self._store(subject)
        found = await store.neighbourhood(subject, [name for name in relations if name not in self.failed])
        failed = {name: why for name, why in self.failed.items() if name in relations}
        return replace(found, failed=failed, query="MATCH (subject)")

    async def subjects(self, space: str, type_: str, **wanted: Any) -> tuple[Entity, ...]:  # noqa: ANN401 - as the store takes it
        return await (await self._store(JOHN)).subjects(space, type_, **wanted)

    async def surroundings(
        self, subject: Entity, relations: Sequence[str], *, called: Sequence[str], so_called: SoCalled | None = None
    ) -> tuple[tuple[Entity, ...], tuple[tuple[Entity, Fact], ...], Neighbourhood]:
        people = await self.subjects(subject.space, subject.type, called=called)
        aliased = await (await self._store(JOHN)).called_so(subject.space, *so_called) if so_called else ()
        return people, aliased, await self.neighbourhood(subject, relations)

    async def history(self, space: str, fact_id: str) -> tuple[FactEvent, ...]:
        self._fail("history")
        return tuple(event for event in self.events if event.space == space and event.fact_id == fact_id)

    async def add_receipt(self, receipt: Receipt) -> None:
        self._fail("add_receipt")
        self.receipts.append(receipt)

    async def _store(self, subject: Entity) -> DictStore:
        """A store into which everything so far was written, as the write path would."""
        store = DictStore()
        for item in {subject.uid: subject, JOHN.uid: JOHN, JANE.uid: JANE, NAMESAKE.uid: NAMESAKE}.values():
            await store.declare_subject(item)
            await store.append(self._batch(item))
        for episode in self.pending:
            await store.add_episode(episode)
        return store

    def _batch(self, subject: Entity) -> Batch:
        events = tuple(event for event in self.events if event.subject_uid == subject.uid)
        facts = fold_all(events, scale=self.schema.severity.grades)
        head = self._head(subject.uid)
        return Batch(subject=subject, events=events, facts=facts, episode=None, previous=ChainHead(), head=head)

    def _head(self, subject_uid: str) -> ChainHead:
        return ChainHead().after([event for event in self.events if event.subject_uid == subject_uid][-1:])

    def _fail(self, method: str) -> None:
        if method in self.trouble:
            raise self.trouble[method]


def heard(
    text: str, *, at: Instant = SAID, speaker: str = "patient", subject: Entity = JOHN, id_: str = "ep"
) -> Episode:
    return Episode(
        id=id_, space=subject.space, subject_uid=subject.uid, speaker=speaker, text=text, said_at=at, recorded_at=at
    )


def recaller(
    ledger: Ledger,
    *,
    classifier: IntentClassifier | None = None,
    linker: Linker | None = None,
    schema: Schema | None = None,
    table: IntentTable = TABLE,
    knowledge: Knowledge = KNOWLEDGE,
    now: Instant = NOW,
    clock: FixedClock | None = None,
    traversals: Mapping[str, Traversal] | None = None,
    retired: Sequence[str] = (),
    opinions: Sequence[IntentOpinion] = (),
    opinion_limit_s: float = 5.0,
    limit_s: float = 5.0,
) -> Recaller:
    """A recaller over the clinic in which every request is a MED_ORDER, unless told otherwise."""
    reader = scripted_reader(
        schema or ledger.schema,
        table=table,
        knowledge=knowledge,
        linker=linker or WordLinker(TERMS),
        classifier=classifier or ScriptedClassifier("MED_ORDER"),
        opinions=opinions,
        traversals={MRI.path: MRI} if traversals is None else traversals,
    )
    store = cast("Store", ledger)
    names = PersonNames(reader.schema, reader.linker)
    return Recaller(
        store=store,
        reader=reader,
        clock=clock or FixedClock(now),
        new_id=lambda: RECEIPT,
        subjects=Subjects(store=store, space=JOHN.space, type_=JOHN.type, names=names, retired=retired),
        limits=Limits(opinion_s=opinion_limit_s, read_s=limit_s),
        hiding=Hiding(store=store, reader=reader, relations=tuple(reader.schema.relations)),
    )


def texts(recall: Recall) -> list[str]:
    return [line.text for line in recall.lines]


@dataclass(frozen=True)
class FixedLinker:
    """Finds the same mentions in any text."""

    found: tuple[Mention, ...]

    def mentions(self, text: str) -> tuple[Mention, ...]:  # noqa: ARG002 - the protocol's
        return self.found

    def resolve(self, words: str, types: Sequence[str]) -> tuple[Mention, ...]:  # noqa: ARG002 - the protocol's
        return ()
