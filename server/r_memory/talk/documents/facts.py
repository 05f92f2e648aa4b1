"""Facts found in documents: each part is remembered as the document's own words, by the recorder that hears everybody.

Knows the recorder and what documents ask for; reads nothing itself.
"""

from r_memory.domain.facts import Entity
from r_memory.facts.remember.recorder import Recorder, Statement
from r_memory.facts.remember.results import Remembered, Verdict
from r_memory.talk.documents.values import PartFacts


class DocumentFacts:
    """Remembers parts of documents. Implements `documents.values.RememberPart`."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder

    async def __call__(self, text: str, *, about: Entity, source: str, document: str, key: str) -> PartFacts:
        """As in `RememberPart`."""
        # Each part by itself: what another page says is no answer to a question on this one.
        said = Statement(
            text=text, subject=about, role="document", speaker=source, conversation=document, key=key, before=()
        )
        return _facts_of(await self._recorder.remember(said))


def _facts_of(remembered: Remembered) -> PartFacts:
    def number(verdict: Verdict) -> int:
        return sum(result.verdict == verdict for result in remembered.results)

    return PartFacts(
        stored=number("stored"),
        duplicate=number("duplicate"),
        quarantined=number("quarantined"),
        conflicts=tuple(fact.fact_id for fact in remembered.conflicts),
        pending=remembered.pending,
    )
