"""Reading facts: what bears on a request, and what a draft stands against. Writes receipts only."""

from collections.abc import Sequence

from r_memory.domain.blocks import Recall
from r_memory.domain.drafts import DraftCheck
from r_memory.domain.facts import Entity
from r_memory.facts.limits import Limits
from r_memory.facts.recall.drafts import Drafts
from r_memory.facts.recall.recaller import Recaller
from r_memory.facts.remember.utterances import checked_text
from r_memory.facts.subjects import Subjects
from r_memory.reading.reader import Reader


class Recalling:
    """The facts as those use them who are about to act."""

    def __init__(self, *, subjects: Subjects, recaller: Recaller, reader: Reader, limits: Limits) -> None:
        self._subjects = subjects
        self._recaller = recaller
        self._drafts = Drafts(reader)
        self._reader = reader
        self._limits = limits

    async def build_context(
        self,
        query: str,
        *,
        subject: str | Entity = "",
        intents: Sequence[str] = (),
        shown_to: str = "",
        max_chars: int | None = None,
    ) -> Recall:
        """Every fact that bears on a request, with one of four outcomes for each edge type; never empty by failure.

        `intents` opens these action types beside those recognised. `max_chars` cuts lines below the critical ones only.

        Raises:
            InvalidInput: with its subclasses for the subject; `UnknownName` for an action type.
            StoreUnavailable: the subject could not even be looked up.
        """
        checked_text(query, limit=self._limits.message)
        for name in intents:
            self._reader.table.intent(name)
        about, addressed = await self._subjects.addressed(subject, query)
        return await self._recaller.recall(
            query,
            about,
            addressed=addressed,
            named_intents=tuple(intents),
            shown_to=shown_to,
            max_chars=max_chars,
        )

    async def check_text(self, text: str, *, subject: str | Entity = "", shown_to: str = "") -> DraftCheck:
        """What a draft names that a recorded fact stands against; never says that a draft is safe.

        Raises:
            InvalidInput: with its subclasses for the subject.
            ReadingTooLong: the draft itself was not read in time.
            StoreUnavailable: the subject could not even be looked up.
        """
        checked_text(text, limit=self._limits.draft)
        about, addressed = await self._subjects.addressed(subject, text)
        recall = await self._recaller.recall(text, about, addressed=addressed, shown_to=shown_to, is_draft=True)
        return await self._reader.worker.run(self._drafts.check, text, recall)
