"""Which parts of a text were read about other people in earlier calls: "Dad … sulfa, mum … iodine" is given in one call
for each person, and each call stores its own part only.

This process keeps it for the last texts. If it is not known, each call must account for all of the words.
"""

from collections import OrderedDict

from r_memory.domain.facts import Span
from r_memory.facts.remember.utterances import Statement

_TEXTS = 64

Key = tuple[str, str, str, str]
"""Words, speaker, role and conversation."""


class SharedTexts:
    """The last texts that callers read, with the subject of each part."""

    def __init__(self) -> None:
        self._parts: OrderedDict[Key, dict[str, tuple[Span, ...]]] = OrderedDict()

    def aside(self, said: Statement) -> tuple[Span, ...]:
        """The parts of these words that were read about others; records what this call read about its subject.

        Empty if this call read nothing, or if its parts overlap with the parts of others: the same words were then said
        about two people.
        """
        own = _spans(said)
        if not own:
            return ()
        key = (said.text, said.speaker, said.role, said.conversation)
        parts = self._parts.setdefault(key, {})
        parts[said.subject.uid] = own
        self._parts.move_to_end(key)
        if len(self._parts) > _TEXTS:
            self._parts.popitem(last=False)
        others = tuple(span for uid, spans in parts.items() if uid != said.subject.uid for span in spans)
        shared = any(item.start < other.end and other.start < item.end for item in own for other in others)
        return () if shared else others


def _spans(said: Statement) -> tuple[Span, ...]:
    """Positions of the evidence of the caller's claims."""
    found = (
        (said.text.find(claim.evidence), len(claim.evidence))
        for claim in said.claims or ()
        if claim.evidence.strip() and not claim.trouble
    )
    return tuple(Span(start=start, end=start + length) for start, length in found if start >= 0)
