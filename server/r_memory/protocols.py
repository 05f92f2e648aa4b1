"""Protocols of what the use cases need from outside, each with as few methods as its users need.

The adapters (`store/`, `reading/`, `providers/`) implement them and do not import the use cases; `wiring` chooses an
adapter. `testing/` ships test doubles that other projects may use.
"""

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from typing import Literal, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from r_memory.domain.blocks import Receipt
from r_memory.domain.erasure import Erasure
from r_memory.domain.events import Arrival, Batch, Chain, ChainHead, Episode, FactEvent, Role
from r_memory.domain.facts import Entity, Extraction, Fact, Observation, Proposal, Rejection
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
    """Makes every store call in this context, and in tasks started in it, wait and retry when the store is slow.

    For bulk work, which one slow answer should not end. Outside, a slow store raises `StoreUnavailable` in time.
    """
    before = _UNHURRIED.set(True)
    try:
        yield
    finally:
        _UNHURRIED.reset(before)


def is_unhurried() -> bool:
    """Returns whether the running code is bulk work: see `unhurried`."""
    return _UNHURRIED.get()


_TURNS = 50
"""Minimum number of turns of the event loop before a store counts as silent: it answers in five to twenty."""


@asynccontextmanager
async def in_time(limit_s: float | None) -> AsyncIterator[None]:
    """A time limit for an answer of the store; without one, `None`.

    It measures the store, not the queue in front of the event loop: the time counts only as far as the loop had turns
    in which an answer could have been taken. Many calls at once, or a busy machine, put the limit off.

    Raises:
        TimeoutError: there was no answer.
    """
    async with asyncio.timeout(None) as silence:
        if limit_s is None:
            yield
            return
        loop, part = asyncio.get_running_loop(), limit_s / _TURNS
        waiting = loop.call_later(part, lambda: turn(_TURNS - 1))

        def turn(left: int) -> None:
            nonlocal waiting
            if left:
                waiting = loop.call_later(part, turn, left - 1)
            else:
                silence.reschedule(loop.time())

        try:
            yield
        finally:
            waiting.cancel()


class Clock(Protocol):
    """Tells the present time."""

    def now(self) -> Instant:
        """Milliseconds since the epoch; may run backwards."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mention:
    """A term of the lexicon, found in a text."""

    type: str
    name: str
    """The lexicon's canonical name of the term."""
    start: int
    end: int
    surface: str
    fuzzy: bool = False
    """Whether the words are a misspelling that may mean the term."""

    def moved(self, offset: int) -> "Mention":
        """This mention in a longer text, in which the present text begins at `offset`."""
        return replace(self, start=self.start + offset, end=self.end + offset)


UNKNOWN = ""
"""Type of a mention that is not a term of the lexicon: unknown words where a name is expected."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Naming:
    """What a request or a draft names."""

    mentions: tuple[Mention, ...] = ()
    """Terms, in text order. A misspelling gives every term at the same distance."""
    unknown: tuple[Mention, ...] = ()
    """Unknown words where a thing of the domain is expected, as mentions of type `UNKNOWN`."""
    strange: tuple[str, ...] = ()
    """All words that are in no lexicon or word list, each once: in a draft any of them may be a name.

    Abbreviations, and names of people after a title, are left out.
    """

    @property
    def unrecognised(self) -> tuple[str, ...]:
        """The unknown words as written, each once."""
        return tuple({mention.name.casefold(): mention.name for mention in reversed(self.unknown)}.values())[::-1]

    def without(self, names: Sequence[str]) -> "Naming":
        """This naming without unknown words that are names of known people."""
        known = {word for name in names for word in name.casefold().split()}
        spoken = ((item, item.name.casefold().replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")) for item in self.unknown)
        return replace(self, unknown=tuple(item for item, name in spoken if name.removesuffix("'s") not in known))

    def with_part(self, part: "Naming", offset: int) -> "Naming":
        """This naming plus what a further part of the text names; the part begins at `offset`."""
        return Naming(
            mentions=(*self.mentions, *(mention.moved(offset) for mention in part.mentions)),
            unknown=(*self.unknown, *(mention.moved(offset) for mention in part.unknown)),
            strange=tuple(dict.fromkeys((*self.strange, *part.strange))),
        )


class Linker(Protocol):
    """Finds terms of the lexicon."""

    def mentions(self, text: str) -> tuple[Mention, ...]:
        """Longest matches, left to right, without overlaps; exact matches only."""

    def resolve(self, words: str, types: Sequence[str]) -> tuple[Mention, ...]:
        """Terms of the given types that `words`, alone in an object slot, may mean.

        An exact match gives one term, a misspelling every term at the same distance (several: it is ambiguous), unknown
        words none.
        `surface` is `words`; if neither the name nor a synonym of the term equals `words`, the match was fuzzy.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """An earlier utterance of the same conversation."""

    role: Role
    speaker: str
    text: str


ABOVE = "(above)"
"""Speaker of the turn that holds the headings above a part of a document, a line each."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Utterance:
    """The input of an extractor; it holds no words about other subjects."""

    text: str
    role: Role = "user"
    speaker: str = ""
    subject: Entity
    before: tuple[Turn, ...] = ()
    """The last few turns of the conversation, oldest first."""
    called: frozenset[str] = frozenset()
    """Kinship words by which the speaker, if not the subject, calls the subject: "mother"."""
    day: str = ""
    """Day of a document as ISO; empty if it is not known."""
    standing: frozenset[tuple[str, str]] = frozenset()
    """Relation and thing of each active critical fact on record; filled in where an absence is given."""


class Extractor(Protocol):
    """Reads triples in an utterance."""

    name: str
    """Name and version, as recorded on events: `rules/1`."""

    def extract(self, utterance: Utterance) -> Extraction:
        """Everything that the utterance states; empty for questions, hypotheses and small talk. Raises for no text."""


class RemoteExtractor(Protocol):
    """Reads triples in an utterance with a model over a network, which may fail."""

    name: str
    """Name and version, as recorded on events: `chat/1 some-model`."""

    async def extract(self, utterance: Utterance) -> Extraction:
        """Everything that the utterance states, as far as the model read it.

        Raises:
            ModelError: nothing was read; use the result of the offline routes.
        """

    async def extract_all(self, utterances: Sequence[Utterance]) -> Sequence[Extraction]:
        """One extraction for each utterance of a text, in their order, with as few requests as possible.

        Raises:
            BadReply: the answer about some utterances cannot be read; `extract` may still read each by itself.
            ModelError: as for `extract`.
        """


class Validation(Protocol):
    """Checks every proposal, whichever route made it, before it is stored."""

    def check(
        self, utterance: Utterance, proposal: Proposal, read_before: Extraction | None = None
    ) -> Observation | Rejection:
        """The observation to record, or the reason for rejecting the proposal.

        `read_before` is the local reader's extraction of this utterance: what a voice that is only heard reads
        otherwise is unconfirmed.
        """

    def form(self, utterance: Utterance, proposal: Proposal) -> tuple[Observation, str] | Rejection:
        """The observation as given, and what was left out of it with the reason; the rules are not asked."""


class IntentClassifier(Protocol):
    """Scores which action types a request may be."""

    def classify(self, query: str, mentions: Sequence[Mention]) -> Classification:
        """A calibrated score for every action type of the table, best first."""


class IntentOpinion(Protocol):
    """An opinion on the action types of a request, beside the classifier's; it can open rows but close none."""

    name: str
    """Name in the log and in `describe`: `embedder`, `model`."""

    async def names(self, query: str) -> Sequence[str]:
        """Action types of the table that the request may be; empty if it is none of them.

        Raises:
            ModelError: the model gave no answer.
            ConfigurationError: the model is not installed correctly.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatMessage:
    """One message of a request to a language model."""

    role: Literal["system", "user", "assistant"]
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyForm:
    """The JSON object that a reply must match."""

    name: str
    """Letters, digits and `_`."""
    schema: Mapping[str, object]
    """JSON Schema of an object; servers that support it hold the model to it."""


def strict(properties: Mapping[str, object]) -> dict[str, object]:
    """A strict JSON Schema: an object with all of these properties required, and no others."""
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatReply:
    """The answer of a language model."""

    text: str
    data: Mapping[str, object] = field(default_factory=dict)
    """The object that a `ReplyForm` asked for, not yet checked against it; empty without a form."""
    mended: bool = False
    """Whether the JSON had to be repaired before it could be read."""


class ChatModel(Protocol):
    """A language model that answers single questions and keeps nothing between them."""

    name: str
    """The model's name on its server."""

    async def reply(self, messages: Sequence[ChatMessage], *, form: ReplyForm | None = None) -> ChatReply:
        """The answer; with a `form`, also as an object.

        Raises:
            ModelUnavailable: unreachable, overloaded or out of time, after all retries.
            ModelRefused: the server refused the key, the model or the request.
            BadReply: the answer is empty, cut off, or not the object that was asked for.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class Shortening:
    """What a `Shortener` is asked to make of a text."""

    kind: Literal["turn", "window", "block", "group", "theme"]
    """The text is one side of a turn, a window of turns, a document block or several summaries; `theme` asks for the
    topic.
    """
    words: int
    """Maximum number of words (of characters in Chinese and Japanese)."""
    background: str = ""
    """The preceding text, which must not be repeated."""
    theme: str = ""
    """The topic of the whole document, in one line."""
    question: str = ""
    """What the summary is for; empty for a general summary."""


class Shortener(Protocol):
    """Shortens texts."""

    name: str
    """Stored with each summary: `extractive/1`, `chat some-model`."""

    async def shorten(self, text: str, task: Shortening) -> str:
        """The shorter text, or the text itself if it is short enough; never empty for a text with words.

        Raises:
            ModelError: a remote model gave no answer.
        """


class Judge(Protocol):
    """Answers the two questions of the SCM controller."""

    name: str

    async def needs_memory(self, question: str) -> Judgement:
        """Q1: whether the question needs the earlier conversation.

        Raises nothing: if the model fails, the judgement has no answer.
        """

    async def suffices(self, question: str, material: str) -> Judgement:
        """Q2: whether the material alone answers the question. Raises nothing."""


class SummaryWriter(Protocol):
    """Proposes what a turn changes in a conversation's structured summary (CIM); raises as `Shortener`."""

    name: str

    async def propose(self, old: ConversationSummary, question: str, answer: str) -> Mapping[str, object]:
        """The fields that change, by name, with only the new entries of lists; a proposal, not yet merged."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Memorable:
    """A memory made from several texts (Mimir 4.1)."""

    summary: str
    importance: object = None
    """From 1 to 10, as the model gave it, unchecked; see `importance_of`."""
    topics: tuple[str, ...] = ()
    people: tuple[str, ...] = ()
    emotions: tuple[str, ...] = ()


class MemoryWriter(Protocol):
    """Makes one memory of many turns, or of two memories (Mimir); raises as `Shortener`."""

    async def memorable(self, turns: Sequence[str]) -> Memorable:
        """The parts of a window of turns, oldest first, that are worth keeping."""

    async def joined(self, older: str, newer: str) -> Memorable:
        """One memory made of two about the same matter; where they contradict each other, the newer one holds."""


Floats: TypeAlias = npt.NDArray[np.float32]
"""Vectors of an embedder, one row for each text."""


class Embedder(Protocol):
    """Turns texts into vectors; similar meanings have small angles between them."""

    model: str
    """Stored with every vector; vectors of different models are never compared."""
    dimensions: int
    """Length of each vector; 0 before the first answer if only the server knows it."""

    async def embed(self, texts: Sequence[str]) -> Floats:
        """One row for each text, in their order, not normalised. A text without meaning may give zeros.

        Raises:
            ModelError: the model gave no answer.
            ConfigurationError: the model is not installed correctly.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class Traversal:
    """The extra query of an action type, run beside the standard one."""

    path: str
    """Path below the home folder, for messages."""
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbourhood:
    """All facts of one subject along some relations."""

    facts: tuple[Fact, ...]
    """Facts of every status."""
    pending: tuple[Episode, ...]
    """Open episodes about the subject, oldest first."""
    failed: Mapping[str, str] = field(default_factory=dict)
    """Why a relation, or the path of a traversal, could not be read."""
    watermark: int = 0
    """Sequence number of the newest event about the subject."""
    query: str = ""
    """The query that was run, with names filled in; empty for a store without a query language."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreHealth:
    """State of the store."""

    name: str
    """`embedded ArcadeDB 26.11`, `Neo4j 5.26.16`, `dict`."""
    latency_ms: float
    pending: int
    """Number of open episodes in all spaces."""
    schema_version: str
    """Version of the schema that last prepared the store; empty before the first."""
    pack_version: str
    lost_keys: tuple[str, ...] = ()
    """Our uniqueness constraints that are missing, in words: duplicates are possible."""
    foreign_keys: tuple[str, ...] = ()
    """Constraints of other programs that can refuse our writes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Arriving:
    """The import that has not ended in a space: it is running, or was killed."""

    file: str = ""
    """Digest of the imported file; empty if there is no import."""
    subjects: Mapping[str, Arrival] = field(default_factory=dict)
    """What is still to come, by the key of each subject that is not complete."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Inspection:
    """All records of one subject as they lie in the store."""

    subject: Entity
    log: Log
    head: ChainHead = field(default_factory=ChainHead)
    events: tuple[FactEvent, ...] = ()
    """By sequence number; events that cannot be read are left out."""
    expected: tuple[Fact, ...] = ()
    """The facts that follow from the events."""
    facts: tuple[Fact, ...] = ()
    problems: tuple[Problem, ...] = ()
    """Problems with links, copies and counts that the log does not cover."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SpaceInspection:
    """Records of a space as a whole: declared subjects, conversations, counts."""

    log: Log
    subjects: tuple[Entity, ...] = ()
    """All subjects in the store, traces of erased ones included, found by key alone."""
    sizes: Mapping[str, int] = field(default_factory=dict)
    """By key of a subject: the size that its log states."""
    problems: tuple[Problem, ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict)
    """By kind of record: the number in the store, whether linked to a subject or not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Roll:
    """A page of a list of people."""

    people: tuple[tuple[Entity, int], ...]
    """Each person, with id and name only, and the number of their open episodes."""
    number: int
    """Number of people in the whole list."""
    waiting: int
    """Number of open episodes of all people in the list."""


SoCalled: TypeAlias = tuple[Relation, Sequence[str]]
"""The relation of aliases, and words by which somebody may be called."""


class Store(Protocol):
    """The graph: ledger and present state, always written in one transaction.

    Every method raises `StoreUnavailable` if the store cannot be reached. Writes about a subject that was not declared,
    and reads of its neighbourhood, raise `SubjectUnknown`. No method returns data of another space.
    Writes are durable when they return, and may be repeated: each carries its own ids.
    """

    async def prepare(self, schema: Schema) -> tuple[str, ...]:
        """Creates constraints, indexes and edge types if they are missing, and records the schema's version.

        Returns the relations that an earlier schema declared and this one does not: their facts must still be shown.

        Raises:
            StoreUnavailable: the data was written by a version that kept no log; nothing was written.
        """

    async def load_knowledge(self, knowledge: Knowledge) -> None:
        """Replaces the pack in the space `knowledge`, unless this version is there already.

        Raises:
            ConfigurationError: a link leads to a concept that is not in the pack.
        """

    async def declare_subject(self, subject: Entity) -> None:
        """Creates the subject if it does not exist.

        Raises:
            LedgerBroken: an import into the space has not ended, and it may bring this subject.
        """

    async def subjects(
        self, space: str, type_: str, *, id_: str = "", called: str | Sequence[str] = "", limit: int = 1000
    ) -> tuple[Entity, ...]:
        """Subjects of one space, ordered by id: all, the one with `id_`, or those whose id or name is `called` so.

        Ids and names are compared by `identity_key`.
        """

    async def called_so(self, space: str, relation: Relation, words: Sequence[str]) -> tuple[tuple[Entity, Fact], ...]:
        """Facts along a relation whose object is one of the words (by `identity_key`), each with its subject."""

    async def declared(self, space: str, type_: str, *, after: int) -> tuple[tuple[Entity, ...], int]:
        """Subjects declared after one position of the space's log, with id and name, and the position of the last of
        them.
        """

    async def roll(self, space: str, type_: str, *, holding: str = "", start: int = 0, limit: int = 100) -> Roll:
        """A page of the subjects of one type, those with the most open episodes first, then by id.

        `holding` keeps subjects whose id or name contains it (by `identity_key`). Erased subjects are left out.
        """

    async def lost(self, space: str) -> int:
        """Number of declared subjects of a space that are missing, or lack the keys by which they are found."""

    async def arriving(self, space: str) -> Arriving:
        """What the unfinished import of a space brings; empty if there is none."""

    async def begin_import(self, space: str, file: str) -> None:
        """Records that a file, known by its digest, is being imported.

        Until `end_import` only the import declares subjects. An import that was killed can be continued, or replaced by
        an import of another file.
        """

    async def await_import(self, subject: Entity, arriving: Arrival, *, after: ChainHead) -> None:
        """Declares a subject if it does not exist and records what an import brings about it, in one transaction.

        Until `end_import_of`, every read about it reports that it could not check, and other writers cannot extend its
        chain.

        Raises:
            WriteConflict: the chain does not end at `after`.
        """

    async def end_import_of(self, subject: Entity) -> None:
        """Records that an import is complete for one subject."""

    async def end_import(self, space: str) -> None:
        """Records that the import into a space is complete."""

    async def add_episode(
        self, episode: Episode, *, changed_seq: int | None = None, turns: int = 0
    ) -> tuple[Episode, ...]:
        """Stores the episode and returns it as stored, after at most `turns` turns before it. Durable on return.

        If the id exists, only the stored episode is returned. `changed_seq` is the last change by a person that the
        caller has seen; `None` skips the check.

        Raises:
            WriteConflict: a person has changed something since; nothing was stored.
        """

    async def episode(self, space: str, id_: str) -> Episode | None:
        """The episode with this id, or `None`."""

    async def begin_reading(self, episode: Episode) -> Episode:
        """Counts one more attempt to read the episode and returns it with the new count. Durable on return.

        `append` stores the count of its episode, which is 0 once a reading has ended.

        Raises:
            InvalidInput: the episode is not in the store.
            AlreadyDecided: a person has settled the episode, or another reading of it has ended.
        """

    async def conversation(
        self, space: str, subject_uid: str, conversation: str, *, limit: int, until: str = ""
    ) -> tuple[Episode, ...]:
        """The last `limit` episodes of a conversation about the subject, oldest first, up to and including the id
        `until`.
        """

    async def episodes(self, space: str, subject_uid: str) -> tuple[Episode, ...]:
        """All episodes about one subject; those of a conversation are in its order."""

    async def episodes_holding(self, space: str, words: str, *, limit: int = 100) -> tuple[Episode, ...]:
        """Episodes about anybody whose text holds the words letter by letter, oldest first. Reads the whole space."""

    async def open_episodes(self, space: str, *, limit: int = 1000) -> tuple[Episode, ...]:
        """Episodes that a route has still to read (`pending`, `failed`, `retry`), oldest first.

        A start resumes with them.
        """

    async def chain(self, subject_uid: str, fact_ids: Sequence[str]) -> Chain:
        """Head of the subject's chain and the events of the given facts, by sequence."""

    async def append(self, batch: Batch) -> None:
        """Writes events, state and the status of the episode in one transaction, which confirms what the ledger then
        holds.

        Entries of a record are stored in the same transaction, if none of them is stored yet.

        Raises:
            InvalidInput: the episode is not in the store, or a part of the batch is about another subject.
            AlreadyDecided: a person settled the episode differently; nothing was written.
            WriteConflict: the chain does not end at `batch.previous`, and the ledger does not hold these same events:
                read it again and retry. For entries: an entry is stored already, and nothing was written.
        """

    async def events(self, subject_uid: str) -> tuple[FactEvent, ...]:
        """The whole chain of one subject, by sequence number."""

    async def recorded_from(self, space: str, episode_id: str) -> tuple[FactEvent, ...]:
        """Events whose evidence is one episode, by sequence number."""

    async def history(self, space: str, fact_id: str) -> tuple[FactEvent, ...]:
        """Events of one fact, by sequence number.

        Empty if the space has no such fact. 8 characters of the id are enough.

        Raises:
            InvalidInput: the id is too short, or the short id stands for several facts.
        """

    async def neighbourhood(
        self, subject: Entity, relations: Sequence[str], traversals: Sequence[Traversal] = ()
    ) -> Neighbourhood:
        """Facts along the given relations, and the open episodes, in one round trip.

        If the query fails, each relation is read by itself, and those that fail are named in `failed`.
        """

    async def surroundings(
        self, subject: Entity, relations: Sequence[str], *, called: Sequence[str], so_called: SoCalled | None = None
    ) -> tuple[tuple[Entity, ...], tuple[tuple[Entity, Fact], ...], Neighbourhood | None]:
        """Subjects of the same space and type whose id or name reads like one of `called`; what `called_so` gives for
        `so_called`; and the subject's neighbourhood.

        One round trip; the subject need not exist. The neighbourhood is `None` if it must be read by itself: that read
        reports what is wrong.
        """

    async def replace_state(self, subject: Entity, facts: Sequence[Fact]) -> None:
        """Replaces the subject's present state by these facts, in one transaction.

        Events and episodes stay as they are.
        """

    async def lead_to_words(self, subjects: Sequence[Entity]) -> None:
        """Links events to their episodes if the episodes were stored later, as for a fact moved from
        another subject.
        """

    async def erase(self, erasure: Erasure) -> None:
        """Replaces the subject by its trace, in one transaction. This is the only operation that deletes.

        It deletes episodes, facts, words that only this subject's speaker used, and names of conversations; of events
        and receipts it keeps what `erasure` says. Afterwards writes about the subject are refused.

        Raises:
            WriteConflict: the chain does not end at `erasure.previous`; read it again and retry.
        """

    async def add_receipt(self, receipt: Receipt) -> None:
        """Stores a receipt of what was shown. Durable on return."""

    async def receipt(self, space: str, id_: str) -> Receipt | None:
        """The receipt with this id, or `None`."""

    async def receipts(self, space: str, subject_uid: str, *, limit: int = 50) -> tuple[Receipt, ...]:
        """Receipts about one subject, newest first."""

    async def inspect(self, subjects: Sequence[Entity]) -> tuple[Inspection, ...]:
        """All records about subjects of one space as they lie in the store, for `verify`.

        Nothing is assumed to be correct.
        """

    async def inspect_space(self, space: str, type_: str) -> SpaceInspection:
        """Records of a space that belong to no subject, as they lie in the store; its subjects are of type `type_`."""

    async def inspect_knowledge(self, knowledge: Knowledge) -> tuple[Problem, ...]:
        """Differences between the knowledge pack in the store and this pack; empty if the store has another version."""

    async def health(self) -> StoreHealth:
        """Asks the store a small question and returns its state."""

    async def close(self) -> None:
        """Releases all resources; may be called twice."""


class StreamStore(Protocol):
    """Keeps the conversational memory. It is no part of the ledger and is never read for facts.

    As in `Store`, an unreachable store raises `StoreUnavailable`, no method returns data of another space, and writes
    are durable when they return and may be repeated.
    """

    async def add_memories(self, items: Sequence[MemoryItem]) -> tuple[MemoryItem, ...]:
        """Stores items of one conversation together; returns them as stored, the earlier item if an id exists.

        Turns are numbered in their order after the last turn of the conversation; other tiers have no number. Two calls
        on one conversation at the same time run one after the other.

        Raises:
            InvalidInput: the items belong to several conversations, or mix turns with other tiers.
        """

    async def memories(self, space: str, ids: Sequence[str]) -> tuple[MemoryItem, ...]:
        """The stored items with these ids, by id; unknown ids are left out."""

    async def memory_changes(self, space: str, *, after: int, limit: int = 1000) -> StreamChanges:
        """At most `limit` changes of the space after the change numbered `after`."""

    async def amend_memories(self, space: str, amendments: Sequence[Amendment]) -> int:
        """Changes items together; returns how many exist. Missing items are skipped."""

    async def touch_memories(self, space: str, ids: Sequence[str], *, at: Instant) -> int:
        """Records that items were used in a context; returns how many exist."""

    async def remove_memories(
        self, space: str, conversation_uid: str, ids: Sequence[str], *, turns: int, left: int
    ) -> int:
        """Erases items of one conversation; returns how many existed. The next turn is numbered after `left`.

        The text is deleted from the store; that an item existed stays recorded.

        Raises:
            WriteConflict: the conversation no longer has `turns` turns; read it again.
        """


class ConversationStore(Protocol):
    """Keeps summaries, decisions and documents beside the stream. It is never read for facts.

    As in `StreamStore`, an unreachable store raises `StoreUnavailable`, no method returns data of another space, and
    writes are durable when they return.
    """

    async def add_summary(self, summary: KeptSummary) -> None:
        """Stores the next version of a conversation's summary.

        Raises:
            WriteConflict: the conversation has this version already; read it again and retry.
        """

    async def summaries(self, space: str, conversation_uid: str, *, limit: int = 1) -> tuple[KeptSummary, ...]:
        """Versions of a conversation's summary, newest first."""

    async def add_decision(self, decision: TurnDecision) -> None:
        """Stores the decision made for a turn; an id that exists is not stored again."""

    async def decisions(self, space: str, conversation_uid: str = "", *, limit: int = 50) -> tuple[TurnDecision, ...]:
        """Decisions about one conversation, or about the whole space, newest first."""

    async def put_document(self, document: Document) -> None:
        """Stores how far a document is read, and replaces the earlier record of it."""

    async def documents(self, space: str, id_: str = "", *, limit: int = 100) -> tuple[Document, ...]:
        """The document with this id, or all documents of the space, newest first."""

    async def forget_documents(self, space: str, subject_uid: str) -> int:
        """Erases the records of documents about a subject; returns how many. Their parts are erased with the stream."""

    async def conversations(self, space: str, subject_uid: str = "", *, limit: int = 100) -> tuple[str, ...]:
        """Names of conversations that have turns, about one subject or about any, newest first."""

    async def forget_turns(self, space: str, conversation_uid: str, *, after: int) -> int:
        """Erases the summaries that cover turns after `after`, and the decisions for those turns; returns how many.

        0 erases all of them.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Rows of an audit."""

    columns: tuple[str, ...]
    rows: tuple[tuple[object, ...], ...]
    truncated: bool = False
    """Whether there are more rows than the limit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Audit:
    """A query that a person may run by name."""

    name: str
    title: str
    """A title in one line, for lists."""
    text: str
    """The text of the file, which can be pasted into Neo4j Browser."""


class Auditor(Protocol):
    """Runs read-only queries that people write; a store without a query language has no auditor."""

    async def read(self, query: str, *, space: str, limit: int = 200) -> Table:
        """At most `limit` rows of one space. The store itself refuses a query that writes.

        A query must return `space` as its first column; rows of other spaces are dropped before the result is returned.

        Raises:
            InvalidInput: the query is refused or wrong; the message says why.
        """
