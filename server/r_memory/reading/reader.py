"""Everything that reads words under one domain, as one value: what is said, what is asked, and what both are held to.

Knows protocols only; `wiring` fills it in.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from r_memory.domain.exams import ModelStanding
from r_memory.domain.facts import Entity, Fact, concept
from r_memory.domain.intents import IntentTable
from r_memory.domain.knowledge import Knowledge
from r_memory.domain.schema import Schema
from r_memory.protocols import (
    Extractor,
    IntentClassifier,
    IntentOpinion,
    Linker,
    Mention,
    Naming,
    RemoteExtractor,
    Traversal,
    Validation,
)
from r_memory.reading.actions.names import Names
from r_memory.reading.listener import Listener
from r_memory.reading.things import Thing
from r_memory.reading.worker import ReadingWorker

_WORD = re.compile(r"\S+")
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
        naming = Naming(mentions=self.linker.mentions(text)) if self.names is None else self.names.of(text)
        parts = [part for one in naming.mentions for part in self._stated_in(one)]
        return replace(naming, mentions=(*naming.mentions, *parts))

    def _stated_in(self, whole: Mention) -> Iterator[Mention]:
        """What the name of a dish says that is in it: an egg sandwich holds egg, whatever else it may hold.

        A dish in the name of another says nothing surely: a veggie burger is no burger.
        """
        if not self.knowledge.usual_parts(concept(whole.type, whole.name).uid):
            return
        words = [(word.start(), word.end()) for word in _WORD.finditer(whole.surface)]
        spans = [(words[1][0], len(whole.surface)), (0, words[-2][1])] if len(words) > 1 else []
        found = [one.moved(start) for start, end in spans for one in self.linker.mentions(whole.surface[start:end])]
        for one in dict.fromkeys(found):
            longer = any(two.start <= one.start and one.end <= two.end for two in found if two != one)
            is_dish = self.knowledge.usual_parts(concept(one.type, one.name).uid)
            if one.type == whole.type and not (longer or is_dish):
                yield one.moved(whole.start)
