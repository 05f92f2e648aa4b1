"""A memory for documents over the oracles: a store that forgets nothing, a scripted shortener, a timer that is told."""

from collections.abc import Callable
from dataclasses import dataclass, field

from r_memory.documents.plain import read_text
from r_memory.domain.documents import DocumentText, Plan, Progress
from r_memory.domain.facts import Entity
from r_memory.domain.memories import MemoryItem
from r_memory.facts.remember.results import Remembered, Result
from r_memory.facts.remember.utterances import Statement
from r_memory.protocols import Shortening
from r_memory.testing.clock import FixedClock
from r_memory.testing.dict_stream import DictConversations, DictStream
from r_memory_talk.documents.ingesting import Ingestion
from r_memory_talk.stream.stream import Stream
from tests.scripted import ScriptedShortener
from tests.unit.talk.stream.world import SPACE, a_stream

ANN = Entity(space=SPACE, type="Patient", id="P1", name="Ann Lee")
SENTENCE = "On page {page} the bridge number {number} over the river was opened in May by the mayor of the town. "


def a_book(pages: int, *, sentences: int = 30) -> DocumentText:
    """Pages of about 700 tokens, each sentence another."""
    return read_text(
        "\f".join(
            "".join(SENTENCE.format(page=page, number=n) for n in range(sentences)) for page in range(1, pages + 1)
        )
    )


@dataclass
class Ward:
    """An ingestion with everything that a test may look at; `again` is the same after a restart."""

    answer: Callable[[str, Shortening], str] | None = None
    kept: DictStream = field(default_factory=DictStream)
    conversations: DictConversations = field(init=False)
    shortener: ScriptedShortener = field(init=False)
    stream: Stream = field(init=False)
    documents: Ingestion = field(init=False)
    told: list[tuple[str, str, str]] = field(default_factory=list)
    """Source, key and text of each part that was read for facts."""
    seconds: float = 0.0
    """What the timer says; each part that is read takes one."""
    fails_at: int = 0
    """The part whose reading fails, from 1."""

    def __post_init__(self) -> None:
        self.conversations = DictConversations(self.kept)
        self.shortener = ScriptedShortener(self.answer)
        self.restart()

    def restart(self) -> None:
        """Forgets everything that no store keeps."""
        self.stream = a_stream(self.kept)
        self.documents = Ingestion(
            stream=self.stream,
            store=self.conversations,
            shortener=self.shortener,
            clock=FixedClock(),
            remember=self.remember,
            timer=lambda: self.seconds,
        )

    async def remember(self, said: Statement) -> Remembered:
        """Notes what it is told; every part states one fact."""
        assert said.subject == ANN
        assert said.key.startswith(said.conversation)
        if len(self.told) + 1 == self.fails_at:
            raise RuntimeError("killed")
        self.seconds += 1
        known = any(told == said.key for _, told, _ in self.told)
        self.told.append((said.speaker, said.key, said.text))
        return Remembered(
            subject=ANN,
            episode_id=said.key,
            results=(Result(verdict="duplicate" if known else "stored"),),
            conflicts=(),
            pending=0,
            watermark=0,
        )

    async def read(
        self,
        reading: DocumentText,
        *,
        name: str = "book.txt",
        about: Entity | None = ANN,
        plan: Plan | None = None,
        start_part: int = 0,
        limit_s: float | None = None,
    ) -> list[Progress]:
        """All reports of one call."""
        return [
            report
            async for report in self.documents.ingest(
                name, reading, about=about, plan=plan, start_part=start_part, limit_s=limit_s
            )
        ]

    async def items(self) -> tuple[MemoryItem, ...]:
        """Everything in the stream, by id."""
        changes = await self.kept.memory_changes(SPACE, after=0, limit=100_000)
        return tuple(sorted(changes.items, key=lambda item: item.id))
