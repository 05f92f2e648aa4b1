"""What the use cases need from the outside, each as small as its users allow.

Adapters (`store/`, `extraction/`, `intents/`, `providers/`) implement these and see nothing else but `domain`;
`wiring.py` chooses.
Each protocol's double is shipped in `testing/`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from r_memory.domain.blocks import Receipt
from r_memory.domain.events import Batch, Chain, Episode, FactEvent, Role
from r_memory.domain.facts import Entity, Extraction, Fact, Observation, Proposal, Rejection, Status
from r_memory.domain.instants import Instant
from r_memory.domain.intents import Classification
from r_memory.domain.knowledge import Knowledge
from r_memory.domain.schema import Schema


class Clock(Protocol):
    """The present."""

    def now(self) -> Instant:
        """Milliseconds since the epoch; may run backwards, nothing relies on it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mention:
    """A term of the lexicon, found in a text."""

    type: str
    name: str
    """Canonical name as the lexicon writes it."""
    start: int
    end: int
    surface: str
    """The words as they stand."""


class Linker(Protocol):
    """Finds terms of the lexicon."""

    def mentions(self, text: str) -> tuple[Mention, ...]:
        """Longest matches, left to right, without overlap; never fuzzy."""

    def resolve(self, words: str, types: Sequence[str]) -> tuple[Mention, ...]:
        """Terms of the given types that the words, standing alone in an object slot, may mean.

        Exact gives one; a misspelling gives every term that is as near (more than one means ambiguous); unknown gives
        none.
        `surface` is `words`; a mention whose name or synonyms differ from `words` was found by fuzzy match.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """An earlier utterance of the same conversation."""

    role: Role
    speaker: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Utterance:
    """What an extractor is given: never other subjects' words."""

    text: str
    role: Role = "user"
    speaker: str = ""
    subject: Entity
    before: tuple[Turn, ...] = ()
    """The last few turns of the conversation, oldest first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What the rule layer says of one stretch of words: the second opinion on other routes."""

    status: Status
    """`active` where no cue says otherwise."""
    own: bool
    """About the subject, not about a relative or somebody else."""
    asserted: bool
    """False for a question, a hypothesis, a condition, general knowledge, or an order to the system."""
    found: bool = False
    """The rules read this very triple themselves, rather than only the words around it."""


class Extractor(Protocol):
    """Reads triples in an utterance."""

    name: str
    """With version, as recorded on events: `rules/1`."""

    def extract(self, utterance: Utterance) -> Extraction:
        """Everything stated; empty for questions, hypotheses and small talk. Never raises for any text."""


class SecondOpinion(Protocol):
    """The rule layer's assertion, asked about evidence that another route quotes."""

    def read(self, utterance: Utterance, proposal: Proposal) -> Reading:
        """How the rules read the clause around the proposal's evidence."""


class Validation(Protocol):
    """The one gate between any route and the memory."""

    def check(self, utterance: Utterance, proposal: Proposal) -> Observation | Rejection:
        """The observation to record, or why there is none; a disagreement of the rule layer comes back unconfirmed."""


class IntentClassifier(Protocol):
    """Says which action types a request may be."""

    def classify(self, query: str, mentions: Sequence[Mention]) -> Classification:
        """Calibrated scores for every action type of the table, best first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Traversal:
    """An action type's own query, beside the standard one."""

    path: str
    """Below the home, for messages."""
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbourhood:
    """Everything recorded along some relations from one subject."""

    facts: tuple[Fact, ...]
    """In every status."""
    pending: tuple[Episode, ...]
    """Open episodes about the subject, oldest first."""
    failed: Mapping[str, str] = field(default_factory=dict)
    """Relation (or path of a traversal) to why it could not be read."""
    watermark: int = 0
    """Sequence of the newest event about the subject."""
    query: str = ""
    """The text that was run, names filled in; empty for a store without a query language."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreHealth:
    """How the store is."""

    name: str
    """`embedded ArcadeDB 26.11`, `Neo4j 5.26.16`, `dict`."""
    latency_ms: float
    pending: int
    """Open episodes over all spaces."""
    schema_version: str
    """Of the schema that last prepared the store; empty before the first."""
    pack_version: str


class Store(Protocol):
    """The graph: ledger and present state, always written in one transaction.

    Every method that meets an unreachable store raises `StoreUnavailable`; none ever answers for another space than
    the one asked.
    Writes are durable when they return, and may be repeated: each carries its own ids.
    """

    async def prepare(self, schema: Schema) -> tuple[str, ...]:
        """Creates constraints, indexes and edge types; harmless if they exist. Records the schema's version.

        Gives the relations that an earlier schema declared and this one does not: their facts must still be shown.
        """

    async def load_knowledge(self, knowledge: Knowledge) -> None:
        """Replaces the space `knowledge` by this pack unless this version is there already."""

    async def declare_subject(self, subject: Entity) -> None:
        """Creates the subject unless it exists."""

    async def subjects(
        self, space: str, type_: str, *, id_: str = "", name: str = "", limit: int = 1000
    ) -> tuple[Entity, ...]:
        """Subjects of one space by id, by name (casefolded), or all; ordered by id."""

    async def add_episode(self, episode: Episode) -> Episode:
        """Stores the episode, durable on return, and gives what is stored: the earlier one if the id exists."""

    async def episode(self, space: str, id_: str) -> Episode | None:
        """The episode of this id."""

    async def conversation(self, space: str, subject_uid: str, conversation: str, *, limit: int) -> tuple[Episode, ...]:
        """The last episodes of a conversation about the subject, oldest first."""

    async def open_episodes(self, space: str, *, limit: int = 1000) -> tuple[Episode, ...]:
        """Episodes whose status is still `pending` or `failed`, oldest first: what a start picks up."""

    async def chain(self, subject_uid: str, fact_ids: Sequence[str]) -> Chain:
        """Head of the subject's chain and the events of the given facts, by sequence."""

    async def append(self, batch: Batch) -> None:
        """Writes events, state and episode status in one transaction.

        Raises:
            WriteConflict: the chain no longer ends at `batch.previous`; read it again and retry.
        """

    async def events(self, subject_uid: str) -> tuple[FactEvent, ...]:
        """The whole chain of one subject, by sequence."""

    async def recorded_from(self, space: str, episode_id: str) -> tuple[FactEvent, ...]:
        """Events that rest on one episode, by sequence."""

    async def history(self, space: str, fact_id: str) -> tuple[FactEvent, ...]:
        """Events of one fact, by sequence; empty if the space has none. `fact_id` may be shortened to 8 characters or
        more."""

    async def neighbourhood(
        self, subject: Entity, relations: Sequence[str], traversals: Sequence[Traversal] = ()
    ) -> Neighbourhood:
        """Facts along the given relations, and what is pending, in one round trip.

        If the one query fails, each relation is asked alone, and those that fail are named in `failed`.
        """

    async def replace_state(self, subject: Entity, facts: Sequence[Fact]) -> None:
        """Makes the subject's present state exactly these facts, in one transaction; the ledger is untouched."""

    async def add_receipt(self, receipt: Receipt) -> None:
        """Records what was shown; durable on return."""

    async def receipts(self, space: str, subject_uid: str, *, limit: int = 50) -> tuple[Receipt, ...]:
        """Receipts about one subject, newest first."""

    async def health(self) -> StoreHealth:
        """Asks the store something small."""

    async def close(self) -> None:
        """Releases everything; harmless if called twice."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Rows of an audit."""

    columns: tuple[str, ...]
    rows: tuple[tuple[object, ...], ...]
    truncated: bool = False
    """There was more than the limit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Audit:
    """A query that a person may run."""

    name: str
    title: str
    """One line for lists."""
    text: str
    """As it stands in the file; pasteable into Neo4j Browser."""


class Auditor(Protocol):
    """Runs read-only queries of people; a store without a query language has none."""

    async def read(self, query: str, *, space: str, limit: int = 200) -> Table:
        """At most `limit` rows of one space; refused by the store itself if the query writes.

        Every audit returns `space` as its first column; rows of other spaces are dropped before anybody sees them.

        Raises:
            InvalidInput: the query is refused or wrong; the message says why.
        """
