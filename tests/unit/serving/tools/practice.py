"""A small practice behind a real server object, in this process: doubles below the memory, a real client above it."""

from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from mcp import Client
from mcp.types import CallToolResult, TextContent

from r_memory.domain.facts import Extraction, Proposal, Route
from r_memory.domain.intents import Intent, IntentTable, Policy
from r_memory.domain.knowledge import Knowledge
from r_memory.domain.schema import Language, Lexicon, Relation, Schema, SeverityScale
from r_memory.domain.summaries import ConversationSummary
from r_memory.errors import ModelError
from r_memory.facts.facts import Facts
from r_memory.memory import Memory
from r_memory.protocols import Store
from r_memory.serving.tools import surface
from r_memory.serving.tools.offer import Offer
from r_memory.serving.tools.strict import StrictServer
from r_memory.testing.clock import FixedClock
from r_memory.testing.dict_store import DictStore
from r_memory.testing.dict_stream import DictConversations, DictStream
from tests.doubles import memory_over, numbered, scripted_reader
from tests.scripted import ScriptedClassifier, ScriptedExtractor, TrustingValidator, WordLinker

Era = Literal["auto", "legacy"]
ASK = "Ask before acting."
ALLERGIC = "I am severely allergic to penicillin."
RELATIONS = (
    Relation(
        name="HAS_ALLERGY_TO",
        subjects=("Patient",),
        objects=("Drug",),
        critical=True,
        attrs={"severity": "severity", "reaction": "text"},
        line="CRITICAL ALLERGY: {subject} is allergic to {object} (Severity: {severity}).",
        question="Is there any allergy?",
    ),
    Relation(
        name="HAS_IMPLANTS",
        subjects=("Patient",),
        objects=("Device",),
        critical=True,
        line="IMPLANT: {subject} has {object}.",
    ),
    Relation(name="LIKES", subjects=("Patient",), objects=("Thing",), line="{subject} likes {object}."),
)
SCHEMA = Schema(
    name="practice",
    version="schema-1",
    subject="Patient",
    relations={relation.name: relation for relation in RELATIONS},
    lexicon=Lexicon(terms={"Drug": {"penicillin": ()}}),
    language=Language(code="en", sections={"drafts": {"avoided": ["avoid", "allergic"]}}),
    severity=SeverityScale(words={"mild": ("mild",), "severe": ("severe",)}),
    unavailable=ASK,
)
TABLE = IntentTable(
    version="table-1",
    policy=Policy(),
    intents={
        "MED_ORDER": Intent(name="MED_ORDER", description="Orders a drug.", edges=("HAS_ALLERGY_TO",)),
        "SMALL_TALK": Intent(name="SMALL_TALK", description="Chat.", edges=("LIKES",), silent=True),
    },
)
KNOWLEDGE = Knowledge(name="practice", version="pack-1")


def allergic_to(drug: str, *, evidence: str, severity: str = "severe") -> Extraction:
    """What an extractor reads in a statement of an allergy."""
    return Extraction(
        proposals=(
            Proposal(
                relation="HAS_ALLERGY_TO",
                object=drug,
                object_type="Drug",
                attrs={"severity": severity},
                evidence=evidence,
                route=Route.RULES,
                extractor="scripted/1",
            ),
        )
    )


class NotingWriter:
    """Proposes every question as a piece of key data, or fails."""

    name = "noting/1"
    fails: ModelError | None = None

    async def propose(self, old: ConversationSummary, question: str, answer: str) -> Mapping[str, object]:  # noqa: ARG002 - the protocol's
        if self.fails is not None:
            raise self.fails
        return {"core_discussion": "a visit", "key_data": [question]}


@dataclass(kw_only=True)
class Practice:
    """Everything that a test may want to look at or exchange."""

    store: Store = field(default_factory=DictStore)
    script: dict[str, Extraction] = field(
        default_factory=lambda: {ALLERGIC: allergic_to("penicillin", evidence="severely allergic to penicillin")}
    )
    classifier: ScriptedClassifier = field(default_factory=ScriptedClassifier)
    refused: tuple[str, ...] = ("EATS",)
    single: str = ""
    offer: Offer = field(default_factory=Offer)
    fails: Exception | None = None
    """Raised when the memory is opened."""
    clock: FixedClock = field(default_factory=FixedClock)
    stream: DictStream = field(default_factory=DictStream)
    writer: NotingWriter = field(default_factory=NotingWriter)
    documents: DictConversations = field(init=False)
    """Outlives a restart of the server."""

    def __post_init__(self) -> None:
        self.documents = DictConversations(self.stream)

    def server(self) -> StrictServer:
        """A server over this practice."""
        return surface.build(self.open_memory, replace(self.offer, single_subject=bool(self.single), ask=ASK))

    def open_memory(self) -> AbstractAsyncContextManager[Memory]:
        """Opens the memory as `wiring` does."""
        return self._opened()

    @asynccontextmanager
    async def _opened(self) -> AsyncIterator[Memory]:
        if self.fails is not None:
            raise self.fails
        await self.store.prepare(SCHEMA)
        yield self.memory()

    def memory(self) -> Memory:
        """The use cases over the doubles."""
        reader = scripted_reader(
            SCHEMA,
            table=TABLE,
            knowledge=KNOWLEDGE,
            linker=WordLinker({"Drug": {"penicillin": ()}}),
            extractor=ScriptedExtractor(self.script),
            validator=TrustingValidator(refused=self.refused),
            classifier=self.classifier,
        )
        facts = Facts(
            self.store, reader, self.clock, space="practice", single_subject=self.single, new_id=numbered("receipt")
        )
        return memory_over(facts, self.clock, stream=self.stream, conversations=self.documents, writer=self.writer)


@asynccontextmanager
async def client_of(practice: Practice, era: Era = "auto") -> AsyncIterator[Client]:
    """A connected client of a new server over the practice."""
    async with Client(practice.server(), mode=era) as client:
        yield client


async def called(client: Client, tool: str, **arguments: object) -> Mapping[str, Any]:
    """The structured result of a call that must succeed."""
    result = await client.call_tool(tool, dict(arguments))
    assert not result.is_error, text_of(result)
    assert result.structured_content is not None
    content: Mapping[str, Any] = result.structured_content
    return content


async def refused(client: Client, tool: str, **arguments: object) -> str:
    """What a call that must fail tells the model."""
    result = await client.call_tool(tool, dict(arguments))
    assert result.is_error, text_of(result)
    return text_of(result)


def text_of(result: CallToolResult) -> str:
    """The text channel of a result."""
    return "".join(content.text for content in result.content if isinstance(content, TextContent))
