"""Reading facts: what bears on a request, what a draft stands against, lists and histories. Writes receipts only."""

from collections.abc import Sequence

from r_memory.domain.blocks import Recall, Receipt
from r_memory.domain.drafts import Checked
from r_memory.domain.events import FactEvent
from r_memory.domain.instants import Instant
from r_memory.domain.intents import Opened
from r_memory.errors import InvalidInput
from r_memory.listing import FactPage
from r_memory.record.utterances import checked_text
from r_memory.uses.held import Held


class Recalling(Held):
    """The memory as those use it who ask for facts."""

    async def build_context(
        self,
        query: str,
        *,
        subject: str = "",
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
        checked_text(query, limit=self.limits.text)
        for name in intents:
            self._table.intent(name)
        about = await self._subjects.resolve(subject)
        return await self._recaller.recall(
            query, about, named_intents=tuple(intents), shown_to=shown_to, max_chars=max_chars
        )

    @property
    def action_types(self) -> tuple[str, ...]:
        """Names of all rows of the table."""
        return tuple(self._table.intents)

    async def check_text(self, text: str, *, subject: str = "", shown_to: str = "") -> Checked:
        """What a draft names that a recorded fact stands against; never says that a draft is safe.

        Raises:
            InvalidInput: with its subclasses for the subject.
            StoreUnavailable: the subject could not even be looked up.
        """
        checked_text(text, limit=self.limits.draft)
        return await self._drafts.check(text, await self._subjects.resolve(subject), shown_to=shown_to)

    async def asks(self, text: str) -> bool:
        """Whether the words ask for something that facts may bear on, so that a statement needs a recall as well."""
        return await self._recaller.asks(text)

    async def recognise(self, text: str) -> tuple[str, ...]:
        """The action types that the words ask for, best first; empty for a plain statement or small talk."""
        return await self._recaller.recognise(text)

    async def opens(self, text: str) -> Opened:
        """The rows of the table and the edges that `build_context` would read for these words; nothing is read."""
        return await self._recaller.opens(text)

    async def list_facts(
        self,
        *,
        subject: str = "",
        relations: Sequence[str] = (),
        statuses: Sequence[str] = (),
        as_of: Instant | None = None,
        limit: int | None = None,
        cursor: str = "",
    ) -> FactPage:
        """Everything recorded about a subject, complete and unranked, now or as it was known at an instant.

        Without `relations` all of them; without `statuses` all but `entered_in_error`.

        Raises:
            UnknownName: a relation or status that does not exist.
            InvalidInput: a bad cursor or limit; its subclasses for the subject.
        """
        return await self._listing.page(
            await self._subjects.resolve(subject),
            relations=relations,
            statuses=statuses,
            as_of=as_of,
            limit=limit,
            cursor=cursor,
        )

    async def every_fact(self, *, subject: str = "") -> FactPage:
        """Everything that `list_facts` would list now, on one page: for searching it by words.

        Raises:
            InvalidInput: its subclasses for the subject.
        """
        return await self._listing.whole(await self._subjects.resolve(subject))

    async def history(self, fact_id: str) -> tuple[FactEvent, ...]:
        """Every event of one fact, oldest first; the id may be shortened to eight characters.

        Raises:
            InvalidInput: no fact of this space has the id.
        """
        events = await self._store.history(self._space, fact_id)
        if not events:
            raise InvalidInput(f"no fact has the id '{fact_id[:36]}'; use one of `facts` or of a block")
        return events

    async def receipts(self, *, subject: str = "", limit: int = 50) -> tuple[Receipt, ...]:
        """What was shown about a subject, newest first."""
        about = await self._subjects.resolve(subject)
        return await self._store.receipts(self._space, about.uid, limit=limit)
