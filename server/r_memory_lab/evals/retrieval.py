"""What suites that search conversations share: telling them, asking under each profile, and measuring ranks.

A question is asked read-only, after its whole conversation was told; neither questions nor answers are stored.
"""

from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from pydantic import ConfigDict, Field

from r_memory.domain.instants import Instant
from r_memory.memory import Memory
from r_memory_lab.evals.rows import DataRow
from r_memory_lab.scorings import COMPARED
from r_memory_talk.stream.scoring import DEFAULT
from r_memory_talk.stream.stream import Stream
from r_memory_talk.stream.values import NewTurn

PROFILES = (
    DEFAULT,
    "scm",
    "scm_paper",
    "cim",
    "cim_words",
    "cim_plus",
    "mimir",
    "naive",
    "words",
    "no_recency",
    "last_window",
)
"""The systems, then the baselines; `rag` is `naive` limited to 5."""
DEPTH = 50
"""Most items of a recorded ranking."""
_BATCH = 200
_HOUR = 3_600_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ToldConversation:
    """A conversation to store; a turn's key is its id in rankings."""

    name: str
    turns: tuple[NewTurn, ...]

    @property
    def asked_at(self) -> Instant:
        """An hour after the last turn."""
        return max((turn.said_at or 0 for turn in self.turns), default=0) + _HOUR


class RetrievalProbe(Protocol):
    """A question about a conversation."""

    @property
    def id(self) -> str:
        """Id of the question."""

    @property
    def question(self) -> str:
        """Words of the question."""


AnyProbe = TypeVar("AnyProbe", bound=RetrievalProbe)


class Ranking(DataRow):
    """The rankings of one question."""

    model_config = ConfigDict(frozen=True, serialize_by_alias=True, validate_by_name=True)

    id: str = Field(alias="qid")
    ranked: tuple[str | int, ...]
    """Turns in the default profile, best first."""
    others: Mapping[str, tuple[str | int, ...]] = Field(default={}, exclude=True)
    """Turns in every profile."""
    embedder: str = Field(default="", exclude=True)

    def by(self, profile: str) -> tuple[str | int, ...]:
        """Returns the turns in one profile; empty if it was not used."""
        return self.ranked if profile == DEFAULT else self.others.get(profile, ())


async def tell(stream: Stream, talk: ToldConversation) -> None:
    """Appends every turn in order, each with its vector.

    Raises:
        StoreUnavailable: not everything was stored, so that figures would be wrong.
        ModelError: the embedder failed, so that figures would be wrong.
    """
    for start in range(0, len(talk.turns), _BATCH):
        await stream.append_all(talk.turns[start : start + _BATCH])
    # A slow embedder costs vectors, as the stream waits for it only so long: here none may be missing.
    if await stream.unmeant():
        await stream.embed_again(lambda _: None)


async def ranked(
    memory: Memory,
    probes: Sequence[AnyProbe],
    done: Callable[[], None],
    *,
    talk_of: Callable[[AnyProbe], ToldConversation],
    turn_of: Callable[[str], str | int],
) -> tuple[Ranking, ...]:
    """Returns one ranking for each question."""
    found = []
    async for probe, talk in each_told(memory, probes, done, talk_of):
        found.append(await rankings(memory.talk.stream, probe.id, probe.question, talk, turn_of=turn_of))
    return tuple(found)


async def each_told(
    memory: Memory,
    probes: Sequence[AnyProbe],
    done: Callable[[], None],
    talk_of: Callable[[AnyProbe], ToldConversation],
) -> AsyncIterator[tuple[AnyProbe, ToldConversation]]:
    """Yields each question with its conversation, which is stored before its first question."""
    told: set[str] = set()
    for probe in probes:
        talk = talk_of(probe)
        if talk.name not in told:
            told.add(talk.name)
            await tell(memory.talk.stream, talk)
        yield probe, talk
        done()


def embedders_of(predictions: Sequence[Ranking]) -> str:
    """Returns a note on the embedder and the search."""
    embedders = sorted({row.embedder for row in predictions if row.embedder})
    return f"Embedder: {', '.join(embedders) or 'not known'}. No language model. Asked an hour after the last turn."


async def rankings(
    stream: Stream, id_: str, question: str, talk: ToldConversation, *, turn_of: Callable[[str], str | int]
) -> Ranking:
    """Returns the rankings of a question in every profile; `turn_of` converts a key to a turn's name."""
    found: dict[str, tuple[str | int, ...]] = {}
    for profile in PROFILES:
        result = await stream.search(
            question, conversation=talk.name, scoring=COMPARED[profile], k=0, now=talk.asked_at
        )
        found[profile] = tuple(turn_of(item.id) for item in result.ranked[:DEPTH])
    return Ranking(qid=id_, ranked=found[DEFAULT], others=found, embedder=stream.model or "none")


def recall_at(ranked: Sequence[str | int], evidence: Collection[str | int], k: int) -> float:
    """Returns the share of the evidence among the first `k`.

    >>> recall_at(["a", "b", "c"], ["a", "c"], 2)
    0.5
    """
    return sum(turn in ranked[:k] for turn in evidence) / len(evidence)


def reciprocal_rank(ranked: Sequence[str | int], evidence: Collection[str | int]) -> float:
    """Returns 1 / the rank of the first evidence; 0 without evidence.

    >>> reciprocal_rank(["a", "b"], ["b", "c"])
    0.5
    """
    return next((1 / rank for rank, turn in enumerate(ranked, start=1) if turn in evidence), 0.0)
