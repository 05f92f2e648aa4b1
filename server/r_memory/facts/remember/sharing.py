"""Which parts of a text were read about other people in other calls: "Dad … sulfa, mum … iodine" is given in one call
for each person, and each call stores its own part only.

This process keeps it for the last texts. If it is not known, each call must account for all of the words.
"""

from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from r_memory.domain.facts import Span
from r_memory.facts.remember.utterances import Statement
from r_memory.reading.listener import Told
from r_memory.reading.normalise import plain
from r_memory.reading.whose import Whose

_TEXTS = 64

Key = tuple[str, str, str, str]
"""Words, speaker, role and conversation."""


@dataclass(frozen=True, slots=True)
class _SharedText:
    """A call about one subject, and what it accounts for."""

    said: Statement
    episode_id: str
    spans: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Taken:
    """A part of a text that was taken in a call about another subject."""

    uid: str
    """The subject of that call."""
    span: Span
    alone: bool
    """Whether the words plainly are about that person and nobody else; only then they are not read for others."""


class SharedTexts:
    """The last texts that callers read, with what each call took of them."""

    def __init__(self, whose: Whose) -> None:
        self._whose = whose
        self._calls: OrderedDict[Key, dict[str, _SharedText]] = OrderedDict()

    def aside(self, said: Statement) -> tuple[Taken, ...]:
        """The parts of these words that were taken in calls about others.

        Empty if this call read nothing. A part that overlaps with one that this call took is not among them: the same
        words were then said about two people.
        """
        own = tuple(spans_of(said.text, [claim.evidence for claim in said.claims or () if not claim.trouble]))
        if not own:
            return ()
        calls = [heard for uid, heard in self._calls.get(_key(said), {}).items() if uid != said.subject.uid]
        others = [(heard.said.subject, span) for heard in calls for span in heard.spans]
        read = (*own, *(span for _, span in others))
        return tuple(
            Taken(person.uid, span, self._whose.is_alone(said.text, span, person, said.subject, read))
            for person, span in others
            if not any(item.start < span.end and span.start < item.end for item in own)
        )

    def note(self, said: Statement, episode_id: str, told: Sequence[Told]) -> None:
        """Records what a call took of its words: the evidence of facts that are stored, or were recorded before."""
        taken = [item.given.evidence for item in told if item.observation is not None or item.stands is not None]
        spans = tuple(spans_of(said.text, taken))
        if not spans:
            return
        calls = self._calls.setdefault(_key(said), {})
        calls[said.subject.uid] = _SharedText(said, episode_id, spans)
        self._calls.move_to_end(_key(said))
        if len(self._calls) > _TEXTS:
            self._calls.popitem(last=False)

    def others(self, said: Statement) -> tuple[tuple[Statement, str], ...]:
        """The calls with these words about others, each with the id of its episode."""
        calls = self._calls.get(_key(said), {})
        return tuple((heard.said, heard.episode_id) for uid, heard in calls.items() if uid != said.subject.uid)


def _key(said: Statement) -> Key:
    return (said.text, said.speaker or said.role, said.role, said.conversation)


def spans_of(text: str, quotes: Sequence[str]) -> Iterator[Span]:
    """Positions of quotes in a text."""
    heard = plain(text)
    for quote in map(plain, quotes):
        start = heard.find(quote) if quote.strip() else -1
        if start >= 0:
            yield Span(start=start, end=start + len(quote))
