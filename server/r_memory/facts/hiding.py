"""What waits, without the words that were withdrawn: neither their statement nor the wish to forget them tells them.

What waits and may hold a risk stays in view whole, whatever was withdrawn; nothing is changed here.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from r_memory.domain.changes import requested
from r_memory.domain.events import Episode, FactEvent
from r_memory.domain.facts import RISK, Entity, Fact
from r_memory.domain.withdrawn import NOTHING_WITHDRAWN, SHOWN_AS, WithdrawnWords, places, withdrawn_of
from r_memory.facts.naming import FactNames
from r_memory.facts.recall.waiting import WaitingStatements
from r_memory.facts.withdrawing import Sayings
from r_memory.protocols import Store
from r_memory.reading.reader import Reader
from r_memory.reading.retractions import Retractions

__all__ = ["Hiding"]

_LETTER = re.compile(r"\w")
_MOST_KEPT = 200
"""Maximum number of people whose waiting statements are kept as they are shown."""


@dataclass(frozen=True, slots=True)
class _Shown:
    """What waits of one person as it is shown, at a position of the log."""

    waiting: Sequence[Episode]
    watermark: int
    shown: tuple[Episode, ...]
    marked: WithdrawnWords
    """What is hidden, and the marks of words whose fact ended, was corrected or is disputed."""


class Hiding:
    """Hides withdrawn words of one space in what waits."""

    def __init__(self, *, store: Store, reader: Reader, relations: Sequence[str]) -> None:
        """`relations` are all that facts are read along."""
        self._store = store
        self._relations = tuple(relations)
        self._statements = WaitingStatements(reader)
        names = FactNames(reader.schema, reader.linker)
        self.sayings = Sayings(names, Retractions(reader.schema.language))
        self._kept: dict[str, _Shown] = {}

    async def waiting(self, about: Entity, waiting: tuple[Episode, ...], watermark: int) -> tuple[Episode, ...]:
        """The statements of a person that wait, as they are shown; those of which nothing is left are not among them.

        Raises:
            StoreError: the facts cannot be read.
        """
        if not waiting:
            return waiting
        kept = self._kept.get(about.uid)
        if kept is None or kept.watermark != watermark or kept.waiting != waiting:
            hidden = await self.withdrawn(about)
            kept = _Shown(waiting, watermark, self.shown(waiting, hidden), hidden)
            if len(self._kept) >= _MOST_KEPT:
                self._kept.clear()
            self._kept[about.uid] = kept
        return kept.shown

    def marked(self, about: Entity, watermark: int) -> WithdrawnWords:
        """The marks of words about a person whose waiting statements were read at this position of the log."""
        kept = self._kept.get(about.uid)
        return kept.marked if kept is not None and kept.watermark == watermark else NOTHING_WITHDRAWN

    async def withdrawn(self, about: Entity) -> WithdrawnWords:
        """The withdrawn and the marked words about a person."""
        known = (await self._store.neighbourhood(about, self._relations)).facts
        gone = [fact.fact_id for fact in known if fact.contradicted or fact.status not in RISK]
        return self.of(known, (await self._store.chain(about.uid, gone)).events) if gone else NOTHING_WITHDRAWN

    def of(self, known: Sequence[Fact], events: Sequence[FactEvent]) -> WithdrawnWords:
        """The withdrawn and the marked words of these facts; `events` are those of the facts that are over."""
        return withdrawn_of(known, events, lambda text, gone: self.sayings.wishes_in(text, gone, known))

    def shown(self, waiting: tuple[Episode, ...], hidden: WithdrawnWords) -> tuple[Episode, ...]:
        """These statements without the hidden words."""
        if not hidden.parts:
            return waiting
        shown = tuple(self._shown(waiting, hidden))
        return waiting if shown == waiting else shown

    def _shown(self, waiting: Sequence[Episode], hidden: WithdrawnWords) -> Iterator[Episode]:
        masked = {item.id: self._masked(item, hidden) for item in waiting}
        for item in waiting:
            others = [other.text for id_, other in masked.items() if other is not None and id_ != item.id]
            # A wish waits as long as words do that tell what it names.
            stays = masked[item.id] is not item and self.sayings.is_open(item.text, others)
            shown = item if stays else masked[item.id]
            if shown is not None:
                yield shown

    def _masked(self, item: Episode, hidden: WithdrawnWords) -> Episode | None:
        """The statement without the hidden words; `None` if nothing of what waits is left."""
        if requested(item) is not None or hidden.masked(item.text) == item.text:
            return item
        parts = item.review or (item.text,)
        kept = [part for part in parts if hidden.masked(part) != part and self._is_risk(part, item)]
        told = [part if part in kept else hidden.masked(part) for part in parts]
        told = [part for part in told if _tells(part)]
        text = _masked(item.text, kept, hidden)
        return replace(item, text=text, review=tuple(told) if item.review else ()) if told else None

    def _is_risk(self, part: str, item: Episode) -> bool:
        """Whether words that wait may hold a risk; a wish to forget that was granted holds none."""
        read = replace(item, text=part, review=(part,))
        return not self.sayings.is_wish(part) and self._statements.may_hold_a_risk(read)


def _masked(text: str, kept: Sequence[str], hidden: WithdrawnWords) -> str:
    """The text without hidden words, but for the parts that are kept."""
    spans = sorted({span for part in kept for span in places(part, text)})
    shown, at = "", 0
    for start, end in spans:
        shown += hidden.masked(text[at:start]) + text[max(at, start) : end]
        at = max(at, end)
    return shown + hidden.masked(text[at:])


def _tells(text: str) -> bool:
    return bool(_LETTER.search(text.replace(SHOWN_AS, "")))
