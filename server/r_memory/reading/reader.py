"""Everything that reads words under one domain, as one value: what is said, what is asked, and what both are held to.

Knows protocols only; `wiring` fills it in.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from r_memory.domain.exams import ModelStanding
from r_memory.domain.facts import Entity, Fact
from r_memory.domain.intents import IntentTable
from r_memory.domain.knowledge import Knowledge
from r_memory.domain.schema import Schema
from r_memory.protocols import (
    Extractor,
    IntentClassifier,
    IntentOpinion,
    Linker,
    Naming,
    RemoteExtractor,
    Traversal,
    Validation,
)
from r_memory.reading.actions.names import Names
from r_memory.reading.listener import Listener
from r_memory.reading.things import Thing
from r_memory.reading.worker import ReadingWorker

_LONG = 1_000
"""Characters beyond which words are no ordinary turn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reader:
    """Reads utterances and requests of one domain; shared by every space of an installation."""

    schema: Schema
    table: IntentTable
    knowledge: Knowledge
    linker: Linker
    extractor: Extractor
    """The offline reading."""
    validator: Validation
    classifier: IntentClassifier
    listener: Listener | None = None
    """Weighs what voices that count read, beside the offline reading; without one every voice is only heard."""
    client_counts: bool = True
    """Whether the calling assistant's reading counts; else it is heard."""
    model_counts: bool = False
    """Whether the models' readings count: they passed the exam; else they are heard."""
    standing: ModelStanding | None = None
    """How far the configured model counts, and why; `None` where none reads."""
    reads_offline: bool = True
    """Whether utterances are read by `extractor`."""
    models: Sequence[RemoteExtractor] = ()
    """May fail, and then the offline reading stands."""
    opinions: Sequence[IntentOpinion] = ()
    """Further opinions about action types; they only open more rows."""
    worker: ReadingWorker = field(default_factory=ReadingWorker)
    """Where long texts are read, beside the event loop."""
    quick: ReadingWorker = field(default_factory=ReadingWorker)
    """Where the others are read, which do not wait for long ones."""
    traversals: Mapping[str, Traversal] = field(default_factory=dict)
    """Own queries of action types, by the path that they give."""
    names: Names | None = None
    """Reads misspelt and unknown names too; without it only exact terms are read."""

    with_kinds: Callable[[Entity], Entity] = lambda entity: entity
    """Gives a thing with what its words say it is."""
    relinked: Callable[[Fact], Thing | None] = lambda _: None
    """The thing that a stored fact is of by its words, where it is stored as another."""
    languages: Callable[[str], Sequence[str]] = lambda _: ()
    """Codes of the languages other than the schema's own that sentences of a text are in."""

    def worker_of(self, text: str) -> ReadingWorker:
        """Where the text is read."""
        return self.worker if len(text) > _LONG else self.quick

    def named(self, text: str) -> Naming:
        """What a request or a draft names: the one reading of it that recall, check and statements that wait share."""
        return Naming(mentions=self.linker.mentions(text)) if self.names is None else self.names.of(text)
