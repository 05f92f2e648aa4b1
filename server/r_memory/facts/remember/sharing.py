"""Which parts of a text a caller read of somebody else in a call just before: "Dad … sulfa, mum … iodine" is told in a
call for each, and what was filed with one is on no other's record.

Kept by this process alone, for the last texts: where it is not known, each call has to account for all of the words.
"""

from collections import OrderedDict

from r_memory.domain.facts import Span
from r_memory.facts.remember.utterances import Statement

_TEXTS = 64

Key = tuple[str, str, str, str]
"""Words, speaker, role and conversation."""


class SharedTexts:
    """The last texts that callers read, with whose each part is."""

    def __init__(self) -> None:
        self._parts: OrderedDict[Key, dict[str, tuple[Span, ...]]] = OrderedDict()

    def aside(self, said: Statement) -> tuple[Span, ...]:
        """What was read of others in these words; and notes what is read of this subject.

        Nothing where this call read nothing, or where what it read and what was filed elsewhere share a word: then the
        same words were said of two people.
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
        shared = any(one.start < other.end and other.start < one.end for one in own for other in others)
        return () if shared else others


def _spans(said: Statement) -> tuple[Span, ...]:
    """Where the evidence of what the caller read stands."""
    found = (
        (said.text.find(claim.evidence), len(claim.evidence))
        for claim in said.claims or ()
        if claim.evidence.strip() and not claim.trouble
    )
    return tuple(Span(start=start, end=start + length) for start, length in found if start >= 0)
