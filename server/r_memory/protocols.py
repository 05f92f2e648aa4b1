"""What the use cases need from the outside, each as small as its users allow.

Adapters (`store/`, `reading/`, `providers/`) implement these and know nothing of those who use them; `wiring` chooses.
The doubles that others may build on are shipped in `testing/`.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from typing import Literal, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from r_memory.domain.blocks import Receipt
from r_memory.domain.erasure import Erasure
from r_memory.domain.events import Arrival, Batch, Chain, ChainHead, Episode, FactEvent, Role
from r_memory.domain.facts import Entity, Extraction, Fact, Observation, Proposal, Rejection, Status
from r_memory.domain.instants import Instant
from r_memory.domain.intents import Classification
from r_memory.domain.knowledge import Knowledge
from r_memory.domain.log import Log, Problem
from r_memory.domain.memories import Amendment, Document, MemoryItem, StreamChanges
from r_memory.domain.schema import Relation, Schema
from r_memory.domain.summaries import ConversationSummary, KeptSummary
from r_memory.domain.turns import Judgement, TurnDecision

_UNHURRIED: ContextVar[bool] = ContextVar("unhurried", default=False)


@contextmanager
def unhurried() -> Iterator[None]:
    """Within, and in tasks that begin within, a store that is slow is waited for and asked again.

    For work in bulk, which one slow answer of a busy machine must not end; whoever waits for a call is told in time.
    """
    before = _UNHURRIED.set(True)
    try:
        yield
    finally:
        _UNHURRIED.reset(before)


def is_unhurried() -> bool:
    """Whether what runs now is work in bulk: see `unhurried`."""
    return _UNHURRIED.get()


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
    fuzzy: bool = False
    """The words are a misspelling that may mean the term."""

    def moved(self, offset: int) -> "Mention":
        """The same, in a text that begins that much earlier."""
        return replace(self, start=self.start + offset, end=self.end + offset)


UNKNOWN = ""
"""Type of a mention that is no term: a name that nobody knows, where a name stands."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Naming:
    """What a request or a draft names."""

    mentions: tuple[Mention, ...] = ()
    """Terms, in order; of a misspelling every term that is as near."""
    unknown: tuple[Mention, ...] = ()
    """Words that stand where a thing of the domain stands and that nothing knows, of type `UNKNOWN`."""
    strange: tuple[str, ...] = ()
    """Words that nothing knows, wherever they stand, each once: in a draft any of them may be a name.

    Not so the names of people behind a title, and abbreviations.
    """

    @property
    def unrecognised(self) -> tuple[str, ...]:
        """These words as written, each once."""
        return tuple({mention.name.casefold(): mention.name for mention in reversed(self.unknown)}.values())[::-1]

    def without(self, names: Sequence[str]) -> "Naming":
        """Without unknown words of these names: somebody who is known by one is no thing that nothing knows."""
        known = {word for name in names for word in name.casefold().split()}
        return replace(self, unknown=tuple(one for one in self.unknown if one.name.casefold() not in known))

    def with_part(self, part: "Naming", offset: int) -> "Naming":
        """With what a further part of the text names, which begins at the offset."""
        return Naming(
            mentions=(*self.mentions, *(mention.moved(offset) for mention in part.mentions)),
            unknown=(*self.unknown, *(mention.moved(offset) for mention in part.unknown)),
            strange=tuple(dict.fromkeys((*self.strange, *part.strange))),
        )


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
    called: frozenset[str] = frozenset()
    """Words for a relative by which the speaker, who is somebody else, calls the subject: "mother"."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What the rule layer says of one stretch of words: the second opinion on other routes."""

    status: Status
    """`active` where no cue says otherwise."""
    own: bool
    """About the subject, not about a relative or somebody else."""
    asserted: bool
    """False for a question, a hypothesis, a condition, general knowledge, or an order to the system."""
    stands: bool = False
    """The rules read this very triple and keep it: it is no question, nobody else's, and overruled by nothing."""
    named: bool = False
    """The clause of the object holds a word that the schema itself uses for the relation."""
    elsewhere: bool = False
    """The rules read the object under another relation."""


class Extractor(Protocol):
    """Reads triples in an utterance."""

    name: str
    """With version, as recorded on events: `rules/1`."""

    def extract(self, utterance: Utterance) -> Extraction:
        """Everything stated; empty for questions, hypotheses and small talk. Never raises for any text."""


class RemoteExtractor(Protocol):
    """Reads triples in an utterance by asking somebody over a network, and may fail at it."""

    name: str
    """With version, as recorded on events: `chat/1 some-model`."""

    async def extract(self, utterance: Utterance) -> Extraction:
        """Everything stated, as far as it was read.

        Raises:
            ModelError: nothing was read; the offline routes' result stands.
        """

    async def extract_all(self, utterances: Sequence[Utterance]) -> Sequence[Extraction]:
        """The same of several utterances of one text, in their order, with as few requests as they need.

        Raises:
            BadReply: an answer about some of them cannot be read; each may be asked about by itself.
            ModelError: as of `extract`.
        """


class Validation(Protocol):
    """The one gate between any route and the memory."""

    def check(
        self, utterance: Utterance, proposal: Proposal, read_before: Extraction | None = None
    ) -> Observation | Rejection:
        """The observation to record, or why there is none; a disagreement of the rule layer comes back unconfirmed.

        `read_before` is what the rules gave for this utterance, if they were asked: its `analysis` is taken as it is.
        """

    def form(self, utterance: Utterance, proposal: Proposal) -> tuple[Observation, str] | Rejection:
        """The observation as it was given, with what was left out of it and why; nobody's second opinion is asked."""


class IntentClassifier(Protocol):
    """Says which action types a request may be."""

    def classify(self, query: str, mentions: Sequence[Mention]) -> Classification:
        """Calibrated scores for every action type of the table, best first."""


class IntentOpinion(Protocol):
    """A further opinion on what a request may be, beside the classifier's; it can open rows and close none."""

    name: str
    """For the log and the description: `embedder`, `model`."""

    async def names(self, query: str) -> Sequence[str]:
        """Action types of the table that the request may be; empty for none.

        Raises:
            ModelError: there is no answer.
            ConfigurationError: the model is not installed as it should be.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatMessage:
    """One part of what a language model is asked."""

    role: Literal["system", "user", "assistant"]
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyForm:
    """The JSON object that a reply must be."""

    name: str
    """Letters, digits and `_`."""
    schema: Mapping[str, object]
    """JSON Schema of an object; servers that can, hold the model to it."""


def strict(properties: Mapping[str, object]) -> dict[str, object]:
    """JSON Schema of an object that has all of these properties: servers that hold a model to a form want it so."""
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatReply:
    """What a language model answered."""

    text: str
    data: Mapping[str, object] = field(default_factory=dict)
    """The object that was asked for by a `ReplyForm`, not yet checked against it; empty without one."""
    mended: bool = False
    """It could not be read as it came."""


class ChatModel(Protocol):
    """A language model that answers one question at a time and remembers none."""

    name: str
    """The model's name as its server knows it."""

    async def reply(self, messages: Sequence[ChatMessage], *, form: ReplyForm | None = None) -> ChatReply:
        """The answer; with a `form`, as an object.

        Raises:
            ModelUnavailable: not reached, overloaded, or out of time; retries are over.
            ModelRefused: the server refused the key, the model or the request.
            BadReply: the answer is empty, cut off, or no object where one was asked for.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class Shortening:
    """How a text is to be shortened."""

    kind: Literal["turn", "window", "block", "group", "theme"]
    """One side of a turn, a window of turns, a block of a document, several summaries together, or its theme."""
    words: int
    """At most so many words (of Chinese and Japanese: characters)."""
    background: str = ""
    """What came before; not to be repeated."""
    theme: str = ""
    """What the whole is about, in a line."""
    question: str = ""
    """What the summary is for; empty for everything."""


class Shortener(Protocol):
    """Shortens texts; a remote one raises ModelError for want of an answer."""

    name: str
    """Stored with what it made: `extractive/1`, `chat some-model`."""

    async def shorten(self, text: str, task: Shortening) -> str:
        """The shorter text; the text itself if it is short enough. Never empty for a text with words."""


class Judge(Protocol):
    """Answers the two questions of SCM's controller."""

    name: str

    async def needs_memory(self, question: str) -> Judgement:
        """Q1: whether earlier conversation is needed to carry this out.

        Never raises: a model that fails gives a judgement without an answer.
        """

    async def suffices(self, question: str, material: str) -> Judgement:
        """Q2: whether the question can be answered from this alone. Never raises."""


class SummaryWriter(Protocol):
    """Proposes what a turn changes in a conversation's structured summary (CIM); raises as `Shortener`."""

    name: str

    async def propose(self, old: ConversationSummary, question: str, answer: str) -> Mapping[str, object]:
        """Fields that change, by name, new entries only where entries accumulate; a proposal, not yet merged."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Memorable:
    """A memory made of several texts (Mimir 4.1)."""

    summary: str
    importance: object = None
    """From 1 to 10, as it was given; see `importance_of`."""
    topics: tuple[str, ...] = ()
    people: tuple[str, ...] = ()
    emotions: tuple[str, ...] = ()


class MemoryWriter(Protocol):
    """Makes one memory of many turns, or of two memories (Mimir); raises as `Shortener`."""

    async def memorable(self, turns: Sequence[str]) -> Memorable:
        """What is worth keeping of a window of turns, oldest first."""

    async def joined(self, older: str, newer: str) -> Memorable:
        """One memory of two of the same matter; where they contradict each other, the newer holds."""


Floats: TypeAlias = npt.NDArray[np.float32]
"""Numbers of an embedder, one row for each text."""


class Embedder(Protocol):
    """Turns texts into vectors whose angles tell how near their meanings are."""

    model: str
    """Stored with every vector; vectors of two models are never compared."""
    dimensions: int
    """Length of each vector; 0 until the first answer where only the server knows it."""

    async def embed(self, texts: Sequence[str]) -> Floats:
        """One row for each text, in their order, not normalised; a text without any meaning may give zeros.

        Raises:
            ModelError: there is no answer.
            ConfigurationError: the model is not installed as it should be.
        """


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
    lost_keys: tuple[str, ...] = ()
    """Own keys that it lacks, in words: something may be there twice."""
    foreign_keys: tuple[str, ...] = ()
    """Those of other programs that can refuse what is written."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Arriving:
    """What an import brings, as long as it has not ended: it is under way, or was killed."""

    file: str = ""
    """Digest of the file; empty where there is no import."""
    subjects: Mapping[str, Arrival] = field(default_factory=dict)
    """Key of each subject whose part is not all there to what is to come."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Inspection:
    """Everything about one subject as it lies in the store."""

    subject: Entity
    log: Log
    head: ChainHead = field(default_factory=ChainHead)
    events: tuple[FactEvent, ...] = ()
    """By sequence; without those that cannot be read."""
    expected: tuple[Fact, ...] = ()
    """What these add up to."""
    facts: tuple[Fact, ...] = ()
    problems: tuple[Problem, ...] = ()
    """What is wrong with ties, copies and counts, which no log knows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SpaceInspection:
    """What a space as a whole holds: who was declared, what was kept of conversations, how much there is."""

    log: Log
    subjects: tuple[Entity, ...] = ()
    """Everybody who is there, traces among them; known by the key alone."""
    sizes: Mapping[str, int] = field(default_factory=dict)
    """Key of a subject to how much its log says that it holds."""
    problems: tuple[Problem, ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict)
    """Kind of a record about a subject to how many there are, whether a subject leads to them or not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Roll:
    """A part of a list of people."""

    people: tuple[tuple[Entity, int], ...]
    """By id and name alone, each with how many open episodes they await."""
    number: int
    """Of the whole list."""
    waiting: int
    """Open episodes that all of them await."""


class Store(Protocol):
    """The graph: ledger and present state, always written in one transaction.

    Every method that meets an unreachable store raises `StoreUnavailable`; a write about a subject that was not
    declared, and its neighbourhood, `SubjectUnknown`; none ever answers for another space than the one asked.
    Writes are durable when they return, and may be repeated: each carries its own ids.
    """

    async def prepare(self, schema: Schema) -> tuple[str, ...]:
        """Creates constraints, indexes and edge types; harmless if they exist. Records the schema's version.

        Gives the relations that an earlier schema declared and this one does not: their facts must still be shown.

        Raises:
            StoreUnavailable: what lies there was written by a version that kept no log; nothing was written.
        """

    async def load_knowledge(self, knowledge: Knowledge) -> None:
        """Replaces the space `knowledge` by this pack unless this version is there already.

        Raises:
            ConfigurationError: a link leads to a concept that the pack does not have.
        """

    async def declare_subject(self, subject: Entity) -> None:
        """Creates the subject unless it exists.

        Raises:
            LedgerBroken: an import into the space has not ended, which may bring them.
        """

    async def subjects(
        self, space: str, type_: str, *, id_: str = "", called: str | Sequence[str] = "", limit: int = 1000
    ) -> tuple[Entity, ...]:
        """Subjects of one space by id, by words that id or name reads like (`identity_key`), or all; ordered by id."""

    async def called_so(self, space: str, relation: Relation, words: Sequence[str]) -> tuple[tuple[Entity, Fact], ...]:
        """Facts along a relation whose object reads like one of the words (`identity_key`), each with its subject."""

    async def declared(self, space: str, type_: str, *, after: int) -> tuple[tuple[Entity, ...], int]:
        """Who was declared in a space behind one place of its log, by id and name, and the last place of these."""

    async def roll(self, space: str, type_: str, *, holding: str = "", start: int = 0, limit: int = 100) -> Roll:
        """A part of everybody of one type, or of those whose id or name holds a word (`identity_key`); those first of
        whom most waits, then by id. Traces of those who were erased are left out.
        """

    async def lost(self, space: str) -> int:
        """How many of those whom a space declared are not there, or not with the keys by which they are found."""

    async def arriving(self, space: str) -> Arriving:
        """What an import brings that has not ended."""

    async def begin_import(self, space: str, file: str) -> None:
        """Says that a file, known by its digest, is being imported; until `end_import` nobody else declares a subject.

        One that was killed is gone on with, or taken over by another file.
        """

    async def await_import(self, subject: Entity, arriving: Arrival, *, after: ChainHead) -> None:
        """Declares a subject unless it exists, and says what an import brings; in one transaction.

        Until `end_import_of`, every read says that it could not check, and no other writer continues the chain.

        Raises:
            WriteConflict: the chain does not end at `after`.
        """

    async def end_import_of(self, subject: Entity) -> None:
        """Says that all has come that an import brings about a subject."""

    async def end_import(self, space: str) -> None:
        """Says that an import into a space has ended."""

    async def add_episode(
        self, episode: Episode, *, changed_seq: int | None = None, turns: int = 0
    ) -> tuple[Episode, ...]:
        """Stores the episode, durable on return, and gives it as stored, after at most so many `turns` before it.

        Where the id exists, it gives the earlier one alone. `changed_seq` is the last change by a person that the
        writer knows of; `None` where it does not matter.

        Raises:
            WriteConflict: a person changed something since; nothing was stored.
        """

    async def episode(self, space: str, id_: str) -> Episode | None:
        """The episode of this id."""

    async def begin_reading(self, episode: Episode) -> Episode:
        """Counts that a reading of the episode begins, durable on return, and gives it with the count.

        `append` stores the count that its episode has: nought once a reading ended.

        Raises:
            InvalidInput: the episode was not added.
            AlreadyDecided: a person settled it meanwhile.
        """

    async def conversation(
        self, space: str, subject_uid: str, conversation: str, *, limit: int, until: str = ""
    ) -> tuple[Episode, ...]:
        """The last episodes of a conversation about the subject, oldest first; none after the one of the id `until`."""

    async def episodes(self, space: str, subject_uid: str) -> tuple[Episode, ...]:
        """Every episode about one subject, each conversation in its order."""

    async def open_episodes(self, space: str, *, limit: int = 1000) -> tuple[Episode, ...]:
        """Episodes that some route has still to read (`pending`, `failed`, `retry`), oldest first: what a start picks
        up."""

    async def chain(self, subject_uid: str, fact_ids: Sequence[str]) -> Chain:
        """Head of the subject's chain and the events of the given facts, by sequence."""

    async def append(self, batch: Batch) -> None:
        """Writes events, state and episode status in one transaction, which says what the ledger then holds.

        Entries of a record are stored in the same transaction, if none of them was before.

        Raises:
            InvalidInput: the episode was not added; a part of the batch is about somebody else.
            AlreadyDecided: a person settled the episode otherwise, and that stays; nothing was written.
            WriteConflict: the chain no longer ends at `batch.previous`, and the ledger does not hold these very events;
                read it again and retry. Of entries: one is there already, and nothing was written.
        """

    async def events(self, subject_uid: str) -> tuple[FactEvent, ...]:
        """The whole chain of one subject, by sequence."""

    async def recorded_from(self, space: str, episode_id: str) -> tuple[FactEvent, ...]:
        """Events that rest on one episode, by sequence."""

    async def history(self, space: str, fact_id: str) -> tuple[FactEvent, ...]:
        """Events of one fact, by sequence; empty if the space has none. `fact_id` may be shortened to 8 characters.

        Raises:
            InvalidInput: the id is too short, or short for several facts.
        """

    async def neighbourhood(
        self, subject: Entity, relations: Sequence[str], traversals: Sequence[Traversal] = ()
    ) -> Neighbourhood:
        """Facts along the given relations, and what is pending, in one round trip.

        If the one query fails, each relation is asked alone, and those that fail are named in `failed`.
        """

    async def surroundings(
        self, subject: Entity, relations: Sequence[str], *, called: Sequence[str]
    ) -> tuple[tuple[Entity, ...], Neighbourhood | None]:
        """Everybody of the subject's space and type whose id or name reads like a word, and its neighbourhood.

        One round trip, for somebody who may not exist. `None` where the neighbourhood has to be asked for by itself,
        which says what is wrong with it.
        """

    async def replace_state(self, subject: Entity, facts: Sequence[Fact]) -> None:
        """Makes the subject's present state exactly these facts, in one transaction; no record is touched."""

    async def lead_to_words(self, subjects: Sequence[Entity]) -> None:
        """Ties events to the words they rest on where those came later: of what was moved from somebody else."""

    async def erase(self, erasure: Erasure) -> None:
        """Puts the trace in the place of the subject, in one transaction: the one operation that deletes.

        Episodes, facts, words of the speaker's own that nobody else has, and names of conversations are gone; events
        and receipts are what the erasure leaves of them. From then on nobody can write about the subject.

        Raises:
            WriteConflict: the chain no longer ends at `erasure.previous`; read it again and retry.
        """

    async def add_receipt(self, receipt: Receipt) -> None:
        """Records what was shown; durable on return."""

    async def receipt(self, space: str, id_: str) -> Receipt | None:
        """The receipt of this id."""

    async def receipts(self, space: str, subject_uid: str, *, limit: int = 50) -> tuple[Receipt, ...]:
        """Receipts about one subject, newest first."""

    async def inspect(self, subjects: Sequence[Entity]) -> tuple[Inspection, ...]:
        """Everything about subjects of one space as it lies in the store, for `verify`; nothing of it is believed."""

    async def inspect_space(self, space: str, type_: str) -> SpaceInspection:
        """What no subject holds of a space whose subjects are of this type, as it lies in the store."""

    async def inspect_knowledge(self, knowledge: Knowledge) -> tuple[Problem, ...]:
        """Where the knowledge pack in the store differs from this one; nothing where it is another version."""

    async def health(self) -> StoreHealth:
        """Asks the store something small."""

    async def close(self) -> None:
        """Releases everything; harmless if called twice."""


class StreamStore(Protocol):
    """Where the conversational memory is kept; no part of the ledger, and never read for facts.

    As in `Store`: an unreachable store raises `StoreUnavailable`, no answer is about another space, writes are durable
    when they return and may be repeated.
    """

    async def add_memories(self, items: Sequence[MemoryItem]) -> tuple[MemoryItem, ...]:
        """Stores items of one conversation together, and gives what is stored: the earlier one where an id exists.

        Turns are numbered after the conversation's last, in their order; other tiers have no place in it. Two calls at
        once on one conversation follow one another.

        Raises:
            InvalidInput: they are of several conversations, or of turns and other tiers.
        """

    async def memories(self, space: str, ids: Sequence[str]) -> tuple[MemoryItem, ...]:
        """The items of these ids that there are, ordered by id."""

    async def memory_changes(self, space: str, *, after: int, limit: int = 1000) -> StreamChanges:
        """What changed in the space after this change, of at most so many changes."""

    async def amend_memories(self, space: str, amendments: Sequence[Amendment]) -> int:
        """Changes items together; how many there were. Those that are gone are passed over."""

    async def touch_memories(self, space: str, ids: Sequence[str], *, at: Instant) -> int:
        """Records that items were used in a context; how many there were."""

    async def remove_memories(
        self, space: str, conversation_uid: str, ids: Sequence[str], *, turns: int, left: int
    ) -> int:
        """Erases items of one conversation, whose numbers go on after `left`; how many there were.

        What was said is gone from the store; that something was there stays known.

        Raises:
            WriteConflict: the conversation does not have `turns` turns any more; look again.
        """


class ConversationStore(Protocol):
    """Where summaries, decisions and documents are kept, beside the stream; never read for facts.

    As in `StreamStore`: an unreachable store raises `StoreUnavailable`, no answer is about another space, writes are
    durable when they return.
    """

    async def add_summary(self, summary: KeptSummary) -> None:
        """Stores the next version of a conversation's summary.

        Raises:
            WriteConflict: the conversation has this version already; read it and try again.
        """

    async def summaries(self, space: str, conversation_uid: str, *, limit: int = 1) -> tuple[KeptSummary, ...]:
        """Versions of a conversation's summary, newest first."""

    async def add_decision(self, decision: TurnDecision) -> None:
        """Stores what was decided for a turn; the same id is stored once."""

    async def decisions(self, space: str, conversation_uid: str = "", *, limit: int = 50) -> tuple[TurnDecision, ...]:
        """Decisions about one conversation, or about all of the space, newest first."""

    async def put_document(self, document: Document) -> None:
        """Stores how far a document is read, in place of what was stored before."""

    async def documents(self, space: str, id_: str = "", *, limit: int = 100) -> tuple[Document, ...]:
        """The document of this id, or all of the space, newest first."""

    async def forget_documents(self, space: str, subject_uid: str) -> int:
        """Erases what is known of documents about a subject; how many. Their parts are items of the stream."""

    async def conversations(self, space: str, subject_uid: str = "", *, limit: int = 100) -> tuple[str, ...]:
        """Names of conversations with turns, about one subject or all, newest first."""

    async def forget_turns(self, space: str, conversation_uid: str, *, after: int) -> int:
        """Erases summaries that cover, and decisions that led to, turns after this one; how many there were.

        With `after` 0, all of them.
        """


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
