"""Absences in documents: "NKDA" counts where nothing of the document speaks against it; else it waits with its line.

A document may be about several people, and a risk in another line of it makes "none" doubtful. Neither is decided here.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from r_memory.domain.facts import Proposal, ReviewItem, Span, Status
from r_memory.domain.schema import Schema
from r_memory.protocols import Extractor, Utterance
from r_memory.reading.bystanders import Bystanders
from r_memory.reading.language import listed
from r_memory.reading.normalise import plain
from r_memory.text.cutting import words_of

_SENTENCE = re.compile(r"(?:[^.!?;\n]|[.](?=\S))+[.!?;]?")
_REASON = "a document denies it, and speaks of such a risk or of several people"
_RISKS = frozenset({Status.ACTIVE, Status.UNCONFIRMED})
_LONG = 160
"""Characters of a line that is a paragraph."""
_MOST = 60
"""Denials of one text that are looked at."""


class Absences:
    """Decides which absences of a document of one schema wait."""

    def __init__(self, labels: Extractor, schema: Schema) -> None:
        """`labels` reads one sentence as a statement: the closed rules."""
        self._labels, self._schema = labels, schema
        self._bystanders = Bystanders(schema.language)
        short = {
            text
            for relation in schema.relations.values()
            for texts in relation.phrasing.none.values()
            for text in texts
        }
        self._denying = frozenset({*listed(schema.language, "listening", "negators"), *short})

    def settled(
        self, utterance: Utterance, stated: Sequence[Proposal], waits: Sequence[ReviewItem]
    ) -> tuple[list[Proposal], list[ReviewItem]]:
        """Returns the proposals that count, and the lines with an absence that was lost or is doubtful."""
        doubtful = {id(each) for each in stated if self._is_doubtful(each, utterance, stated)}
        kept = [each for each in stated if id(each) not in doubtful]
        told = [each.span for each in kept if each.status in {Status.NEGATED, Status.REFUTED} and each.span]
        seen = [*told, *(each.span for each in waits)]
        lost = [each.span for each in stated if id(each) in doubtful and each.span is not None]
        lost += [span for span in self._denials(utterance) if span not in lost]
        lines = {_line(utterance.text, span) for span in lost if not any(_touch(span, other) for other in seen)}
        found = sorted(lines, key=lambda span: span.start)
        return kept, [
            ReviewItem(text=utterance.text[span.start : span.end], span=span, reason=_REASON) for span in found
        ]

    def _is_doubtful(self, absence: Proposal, utterance: Utterance, stated: Iterable[Proposal]) -> bool:
        """Whether a critical absence of a whole scope stands beside such a risk, or beside other people."""
        relation = self._schema.relations[absence.relation]
        if absence.status is not Status.NEGATED or not relation.critical:
            return False
        against = any(each.relation == relation.name and each.status in _RISKS for each in stated)
        scope = absence.object in relation.phrasing.none or absence.object in relation.phrasing.none_templates
        several = self._bystanders.are_several(utterance.text.splitlines()) or self._bystanders.named(utterance.text)
        return several or (scope and against)

    def _denials(self, utterance: Utterance) -> Iterator[Span]:
        """Yields the sentences that alone would deny a critical risk."""
        looked = 0
        for found in _SENTENCE.finditer(utterance.text):
            if looked == _MOST or self._denying.isdisjoint(words_of(plain(found[0]).lower())):
                continue
            looked += 1
            alone = replace(utterance, text=found[0].strip(), before=())
            for each in self._labels.extract(alone).proposals:
                if each.status is Status.NEGATED and self._schema.relations[each.relation].critical:
                    lead = len(found[0]) - len(found[0].lstrip())
                    yield Span(start=found.start() + lead, end=found.end())
                    break


def _line(text: str, span: Span) -> Span:
    """Returns the line of a place, without blanks around it; of a long one, the place alone."""
    start = text.rfind("\n", 0, span.start + 1) + 1
    end = text.find("\n", max(span.end - 1, start))
    end = len(text) if end < 0 else end
    line = text[start:end]
    if len(line) > _LONG:
        return span
    return Span(start=start + len(line) - len(line.lstrip()), end=start + len(line.rstrip()))


def _touch(one: Span, other: Span) -> bool:
    return one.start < other.end and other.start < one.end
