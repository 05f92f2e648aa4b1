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
from r_memory.reading.worker import Given, ReadingWorker, Result

_WORD = re.compile(r"\S+")
_LONG = 1_000
"""Characters from which a text is no ordinary turn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reader:
    """Reads utterances and requests of one domain; shared by all spaces of an installation."""

    schema: Schema
    table: IntentTable
    knowledge: Knowledge
    linker: Linker
    extractor: Extractor
    """The offline reader."""
    validator: Validation
    classifier: IntentClassifier
    listener: Listener | None = None
    """Weighs voices that count against the offline reading; without it no voice counts."""
    client_counts: bool = True
    """Whether the calling assistant's reading counts."""
    model_counts: bool = False
    """Whether the models' readings count, because they passed the exam."""
    standing: ModelStanding | None = None
    """How far the configured model counts, and why; `None` without a model."""
    reads_offline: bool = True
    """Whether `extractor` reads utterances."""
    models: Sequence[RemoteExtractor] = ()
    """Model routes. If a model fails, the offline reading stands."""
    opinions: Sequence[IntentOpinion] = ()
    """Further opinions on action types; they only open rows."""
    worker: ReadingWorker = field(default_factory=ReadingWorker)
    """Reads long texts, outside the event loop."""
    quick: ReadingWorker = field(default_factory=ReadingWorker)
    """Reads short texts, so that they do not wait for long ones."""
    traversals: Mapping[str, Traversal] = field(default_factory=dict)
    """Custom queries of action types, by their path in the table."""
    names: Names | None = None
    """Finds misspelt and unknown names; `None`: only exact terms are found."""

    with_kinds: Callable[[Entity], Entity] = lambda entity: entity
    """Returns a thing with the kinds that its words name."""
    relinked: Callable[[Fact], Thing | None] = lambda _: None
    """Returns the thing that a stored fact's words name now; `None` if that has not changed."""
    languages: Callable[[str], Sequence[str]] = lambda _: ()
    """Returns the codes of the foreign languages among the sentences of a text."""

    above: Callable[[str, str], str] = lambda _text, _before: ""
    """Returns the headings in force at the end of a document's text, a line each; the second text holds those above."""

    def worker_of(self, text: str) -> ReadingWorker:
        """Returns the worker that reads this text."""
        return self.quick if self.is_short(text) else self.worker

    def is_short(self, text: str) -> bool:
        """Whether the text is no longer than an ordinary turn."""
        return len(text) <= _LONG

    async def aside(
        self, size: int, function: Callable[Given, Result], *args: Given.args, **kwargs: Given.kwargs
    ) -> Result:
        """Returns the result of a function that looks at `size` characters; at many it looks in the worker.

        At no more than an ordinary turn the look takes less than two threads that wake each other.
        """
        if size <= _LONG:
            return function(*args, **kwargs)
        return await self.worker.run(function, *args, **kwargs)

    def named(self, text: str) -> Naming:
        """Returns the names in a request or draft; recall, checks and pending statements share this reading."""
        naming = Naming(mentions=self.linker.mentions(text)) if self.names is None else self.names.of(text)
        parts = [part for mention in naming.mentions for part in self._stated_in(mention)]
        return replace(naming, mentions=(*naming.mentions, *parts))

    def _stated_in(self, whole: Mention) -> Iterator[Mention]:
        """Yields the ingredients in the name of a dish: an egg sandwich holds egg.

        A dish in the name of another dish is no ingredient: a veggie burger is no burger.
        """
        if not self.knowledge.usual_parts(concept(whole.type, whole.name).uid):
            return
        words = [(word.start(), word.end()) for word in _WORD.finditer(whole.surface)]
        spans = [(words[1][0], len(whole.surface)), (0, words[-2][1])] if len(words) > 1 else []
        found = [
            mention.moved(start) for start, end in spans for mention in self.linker.mentions(whole.surface[start:end])
        ]
        for fromkey in dict.fromkeys(found):
            longer = any(two.start <= fromkey.start and fromkey.end <= two.end for two in found if two != fromkey)
            is_dish = self.knowledge.usual_parts(concept(fromkey.type, fromkey.name).uid)
            if fromkey.type == whole.type and not (longer or is_dish):
                yield fromkey.moved(whole.start)
