"""A small graph in which every audit finds something, and something else it must not find; made through the store."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from r_memory.domain.blocks import GateRecord, Receipt
from r_memory.domain.events import Batch, Episode, EpisodeStatus, EventKind, FactEvent, Role, observed
from r_memory.domain.facts import (
    KNOWLEDGE_SPACE,
    SCOPE_TYPE,
    UNMAPPED_TYPE,
    Attributes,
    Entity,
    Flag,
    Observation,
    Route,
    Span,
    Status,
    concept,
)
from r_memory.domain.folding import fold_all
from r_memory.domain.instants import ALWAYS, Instant, Period
from r_memory.domain.schema import Language, Lexicon, Relation, Schema, SeverityScale
from r_memory.domain.summaries import ConversationSummary, KeptSummary
from r_memory.domain.turns import Judgement, TurnDecision
from r_memory.protocols import ConversationStore, Store

HOUR = 3_600_000
DAY = 24 * HOUR
# The one place in the tests that reads the clock: audits compare with the database's own, and half a day's margin on
# every side keeps a slow run from mattering.
NOW: Instant = int(time.time() * 1000)

# Nobody else writes there: a Neo4j server is shared by all tests of a session.
SPACE, ELSEWHERE = "audited", "audited-elsewhere"
SCALE = ("mild", "moderate", "severe")
ALLERGY, TAKES, CONFLICT, ACTS_FOR, BOUND_BY = (
    "HAS_ALLERGY_TO",
    "TAKES",
    "HAS_CONFLICT_WITH",
    "ACTS_FOR",
    "BOUND_BY",
)


def days_ago(days: int) -> Instant:
    """So many whole days ago, however long the tests take up to half a day."""
    return NOW - days * DAY - DAY // 2


def hours_after(days: int, hours: int) -> Instant:
    """So many hours after that many days ago."""
    return days_ago(days) + hours * HOUR


NDA_ENDS = NOW + 10 * DAY + DAY // 2
LATE_HOURS = 72


def person(type_: str, id_: str, name: str, space: str = SPACE) -> Entity:
    return Entity(space=space, type=type_, id=id_, name=name)


JOHN = person("Patient", "JD001", "John Doe")
NAMESAKE = person("Patient", "JD002", "John Doe")
MARY = person("Patient", "MR003", "Mary Roe")
NORA = person("Patient", "NA004", "Nora Adams")
ACME = person("Client", "AC900", "Acme Ltd")
BETA = person("Client", "BE901", "Beta LLP")
STRANGER = person("Patient", "XR005", "Xenia Ray", ELSEWHERE)

PENICILLIN, LATEX, ASPIRIN, IBUPROFEN = (
    concept("Drug", name) for name in ("penicillin", "latex", "aspirin", "ibuprofen")
)
ANY_DRUG = Entity(space=KNOWLEDGE_SPACE, type=SCOPE_TYPE, id="any_drug", name="any_drug")
ZYLOFLURANE = concept(UNMAPPED_TYPE, "zyloflurane", space=SPACE)
DUKE = concept("Party", "duke & co", space=SPACE)
NDA = concept("Agreement", "non-disclosure agreement", space=SPACE)


def _relation(name: str, subject: str, *objects: str) -> Relation:
    return Relation(name=name, subjects=(subject,), objects=objects, line="{subject}: {object}")


SCHEMA = Schema(
    name="audits",
    version="schema000001",
    subject="Patient",
    relations={
        relation.name: relation
        for relation in (
            replace(_relation(ALLERGY, "Patient", "Drug"), critical=True, attrs={"severity": "severity"}),
            _relation(TAKES, "Patient", "Drug"),
            _relation(CONFLICT, "Client", "Party"),
            _relation(ACTS_FOR, "Client", "Party"),
            _relation(BOUND_BY, "Client", "Agreement"),
        )
    },
    lexicon=Lexicon(terms={"Drug": {"penicillin": ()}, "Party": {}, "Agreement": {}, "Client": {}}),
    language=Language(code="en", sections={}),
    severity=SeverityScale(words={grade: (grade,) for grade in SCALE}),
    scopes={"any_drug": "drugs"},
    unavailable="Ask.",
)


@dataclass
class World:
    """Writes utterances, changes and receipts, and remembers the ids of facts by what they connect."""

    store: Store
    fact_ids: dict[tuple[str, str, str], str] = field(default_factory=dict)
    """Subject id, relation and object id to fact id."""

    def id_of(self, subject: Entity, relation: str, object_: Entity) -> str:
        return self.fact_ids[subject.id, relation, object_.id]

    async def hear(
        self,
        subject: Entity,
        text: str,
        relation: str,
        object_: Entity,
        status: Status = Status.ACTIVE,
        *,
        days: int,
        speaker: str = "",
        role: Role = "user",
        route: Route = Route.RULES,
        extractor: str = "rules/1",
        flags: frozenset[Flag] = frozenset(),
        valid: Period = ALWAYS,
        hours_late: int = 0,
        attrs: Attributes | None = None,
    ) -> None:
        """Stores one utterance that states one fact."""
        episode = await self.say(subject, text, days=days, speaker=speaker, role=role, hours_late=hours_late)
        seen = Observation(
            subject=subject,
            relation=relation,
            object=object_,
            status=status,
            attrs=attrs or {},
            valid=valid,
            evidence=text,
            span=Span(start=0, end=len(text)),
            route=route,
            extractor=extractor,
            flags=flags,
        )
        chain = await self.store.chain(subject.uid, (seen.fact_id,))
        events = observed(
            (seen,), episode=episode, head=chain.head, now=episode.recorded_at, schema_version=SCHEMA.version
        )
        await self._append(subject, events, replace(episode, status=EpisodeStatus.EXTRACTED))
        self.fact_ids[subject.id, relation, object_.id] = seen.fact_id

    async def say(
        self,
        subject: Entity,
        text: str,
        *,
        days: int,
        speaker: str = "",
        role: Role = "user",
        hours_late: int = 0,
    ) -> Episode:
        """Stores one utterance that states nothing yet."""
        said_at = days_ago(days)
        (said,) = await self.store.add_episode(
            Episode(
                id=f"{subject.id}: {text}",
                space=subject.space,
                subject_uid=subject.uid,
                conversation="visit",
                speaker=speaker or subject.name,
                role=role,
                text=text,
                said_at=said_at,
                recorded_at=hours_after(days, hours_late),
            )
        )
        return said

    async def change(
        self, subject: Entity, relation: str, object_: Entity, status: Status, *, days: int, actor: str, reason: str
    ) -> None:
        """A person decides."""
        id_ = self.id_of(subject, relation, object_)
        chain = await self.store.chain(subject.uid, (id_,))
        event = replace(
            chain.events[-1],
            id=f"change of {id_}",
            kind=EventKind.CHANGED,
            status=status,
            recorded_at=days_ago(days),
            route=Route.PERSON,
            extractor="person/1",
            actor=actor,
            reason=reason,
            seq=chain.head.seq + 1,
            prev_hash=chain.head.hash,
        ).sealed()
        await self._append(subject, (event,), None)

    async def show(
        self,
        id_: str,
        subject: Entity,
        *facts: str,
        days: int,
        to: str,
        complete: bool = True,
        gate: GateRecord | None = None,
    ) -> None:
        """Leaves a receipt."""
        await self.store.add_receipt(
            Receipt(
                id=id_,
                space=subject.space,
                subject_uid=subject.uid,
                shown_at=days_ago(days),
                shown_to=to,
                intents=("MED_ORDER",),
                fact_ids=facts,
                complete=complete,
                watermark=1,
                schema_version=SCHEMA.version,
                pack_version="",
                traversal="",
                gate=gate or GateRecord(),
            )
        )

    async def _append(self, subject: Entity, events: tuple[FactEvent, ...], episode: Episode | None) -> None:
        chain = await self.store.chain(subject.uid, [event.fact_id for event in events])
        await self.store.append(
            Batch(
                subject=subject,
                events=events,
                facts=fold_all((*chain.events, *events), scale=SCALE),
                episode=episode,
                previous=chain.head,
                head=chain.after(events),
            )
        )


async def prepared(store: Store, conversations: ConversationStore) -> World:
    """The graph, in spaces that hold nothing yet."""
    world = World(store)
    await store.prepare(SCHEMA)
    for subject in (JOHN, NAMESAKE, MARY, NORA, ACME, BETA, STRANGER):
        await store.declare_subject(subject)
    await _clinic(world)
    await _chambers(world)
    await _elsewhere(world)
    await _shown(world)
    for space in (SPACE, ELSEWHERE):
        await _discussed(conversations, space)
    return world


async def _clinic(world: World) -> None:
    hear = world.hear
    severe: Mapping[str, str] = {"severity": "severe", "reaction": "anaphylaxis"}
    await hear(JOHN, "No known drug allergies.", ALLERGY, ANY_DRUG, Status.NEGATED, days=500, speaker="Dr. Ames")
    await hear(JOHN, "I am severely allergic to penicillin.", ALLERGY, PENICILLIN, days=400, attrs=severe)
    await hear(NAMESAKE, "He takes nothing.", TAKES, ANY_DRUG, Status.NEGATED, days=10, speaker="his wife")
    await hear(
        NAMESAKE,
        "He reacts badly to zyloflurane.",
        ALLERGY,
        ZYLOFLURANE,
        days=9,
        flags=frozenset({Flag.UNMAPPED}),
        hours_late=LATE_HOURS,
    )
    await hear(MARY, "Latex allergy on the old chart.", ALLERGY, LATEX, days=30, speaker="old chart", role="document")
    await hear(MARY, "Asprin gives me a rash.", ALLERGY, ASPIRIN, days=20, attrs={"severity": "mild"})
    await hear(MARY, "I take ibuprofen.", TAKES, IBUPROFEN, days=15)
    await world.change(
        MARY, TAKES, IBUPROFEN, Status.ENTERED_IN_ERROR, days=14, actor="Dr. Ames", reason="another patient's chart"
    )
    await hear(MARY, "I am not allergic to aspirin.", ALLERGY, ASPIRIN, Status.NEGATED, days=5)
    await hear(
        MARY,
        "It might have been zyloflurane.",
        ALLERGY,
        ZYLOFLURANE,
        Status.UNCONFIRMED,
        days=3,
        route=Route.CLIENT,
        extractor="claude/4",
        flags=frozenset({Flag.UNMAPPED, Flag.COREF}),
    )
    await world.say(MARY, "There was something about a blue pill.", days=2)


async def _chambers(world: World) -> None:
    hear = world.hear
    soon, later = Period(end=NDA_ENDS), Period(end=NOW + 400 * DAY)
    await hear(ACME, "We are adverse to Duke & Co.", CONFLICT, DUKE, days=50)
    await hear(ACME, "The agreement ends next week.", BOUND_BY, NDA, days=40, valid=soon)
    await hear(BETA, "We act for Duke & Co.", ACTS_FOR, DUKE, days=45)
    await hear(BETA, "We signed the agreement.", BOUND_BY, NDA, days=44, valid=later)


async def _elsewhere(world: World) -> None:
    """One of everything in another space, for no audit of this one to find."""
    hear = world.hear
    await hear(STRANGER, "No allergies.", ALLERGY, ANY_DRUG, Status.NEGATED, days=900)
    await hear(STRANGER, "Penicillin nearly killed me.", ALLERGY, PENICILLIN, days=800, flags=frozenset({Flag.FUZZY}))
    await hear(STRANGER, "No, not penicillin.", ALLERGY, PENICILLIN, Status.REFUTED, days=700)
    await hear(STRANGER, "Maybe latex.", ALLERGY, LATEX, Status.UNCONFIRMED, days=600, route=Route.MODEL, hours_late=99)
    await world.change(STRANGER, ALLERGY, LATEX, Status.REFUTED, days=9, actor="Dr. Elsewhere", reason="tested")
    await world.say(STRANGER, "Something private.", days=2)
    await world.show("receipt-x", STRANGER, days=1, to="elsewhere-app", complete=False)


async def _shown(world: World) -> None:
    penicillin = world.id_of(JOHN, ALLERGY, PENICILLIN)
    latex = world.id_of(MARY, ALLERGY, LATEX)
    await world.show("receipt-1", JOHN, penicillin, days=3, to="claude")
    stopped = GateRecord(gate="after", decision="stop", verdict="conflict")
    await world.show("receipt-2", MARY, latex, days=2, to="claude", gate=stopped)
    await world.show("receipt-3", MARY, days=1, to="ward-tablet", complete=False)


async def _discussed(conversations: ConversationStore, space: str) -> None:
    """A turn without trouble and two with it; a summary whose first version excluded something else."""
    for turn, failed, flags in (
        (1, {}, ()),
        (2, {"summary": "no answer"}, ("slow", "over_budget")),
        (3, {}, ("slow",)),
    ):
        await conversations.add_decision(
            TurnDecision(
                id=f"decision-{turn}",
                space=space,
                conversation="visit",
                turn=turn,
                at=days_ago(10 - turn),
                profile="default",
                gate=Judgement(yes=None, by="chat x", trouble="no answer")
                if flags
                else Judgement(yes=True, by="local/1"),
                failed=failed,
                flags=flags,
                parse_failures=len(failed),
            )
        )
    for version, excluded in ((1, ("MongoDB: no transactions",)), (2, ("SAP: too dear", "DB2: too old"))):
        await conversations.add_summary(
            KeptSummary(
                space=space,
                conversation="visit",
                content=ConversationSummary(version=version, excluded_options=excluded),
                upto=version,
                made_at=days_ago(10 - version),
                made_by="local/1",
            )
        )
