"""Requests and drafts about several people: each person is read separately, and the results are joined into one answer.

The answer names people who could not be read, and is then not complete.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from r_memory.domain.blocks import DraftCheck, Judgement, gate_record
from r_memory.domain.facts import Entity
from r_memory.domain.schema import Schema
from r_memory.errors import (
    InvalidInput,
    StoreError,
    StoreUnavailable,
    SubjectAmbiguous,
    SubjectRequired,
    SubjectUnknown,
)
from r_memory.facts.recall.household import MOST, Household, ReadFailure, fit, render, unreadable
from r_memory.facts.recall.judged import checked_judgements, of_everybody, without_reasons_for_words, without_shared
from r_memory.facts.recall.recaller import Recaller
from r_memory.facts.recall.rendering import render as render_alone
from r_memory.facts.recall.shares import Shares, without
from r_memory.facts.recall.verdicts import checked_together, of_all, verdict_of
from r_memory.facts.subjects import Subjects
from r_memory.text.inert import inert_name, without_secrets

Read = TypeVar("Read")
_TROUBLE = (SubjectUnknown, SubjectAmbiguous, SubjectRequired, StoreError, TimeoutError, OSError)
"""Errors that make one person unreadable and leave the others readable."""


class Several:
    """Recall about several people of one space."""

    def __init__(self, *, recalling: Recaller, subjects: Subjects, schema: Schema) -> None:
        self._ask = schema.unavailable
        """What to ask about a person who could not be read."""
        self._shares = Shares.under(schema)
        self._recalling = recalling
        self._subjects = subjects

    async def build_contexts(
        self,
        query: str,
        *,
        subjects: Sequence[str | Entity],
        intents: Sequence[str] = (),
        about: Sequence[str] = (),
        shown_to: str = "",
        max_chars: int | None = None,
    ) -> Household:
        """What `build_context` finds about each of several people, in one block that a result can hold.

        People who are unknown or could not be read are named in it; it is then not complete.

        Raises:
            InvalidInput: no person is given, or too many; a subclass if all of them are unknown.
            StoreUnavailable: no person could be looked up.
        """
        read, unread = await self._each(
            subjects, lambda one: self._recalling.unrecorded(query, subject=one, intents=intents, about=about)
        )
        everyone = {item.subject.uid: item for recall in read for item in (recall, *recall.beside)}
        gone = tuple(unreadable(item.subject, item.unavailable) for item in everyone.values() if item.unavailable)
        kept = tuple(replace(item, beside=()) for item in everyone.values() if not item.unavailable)
        if not kept:
            raise StoreUnavailable(gone[0].reason)
        together = Household(query=query, recalls=kept, unread=(*unread, *gone), ask=self._ask)
        household = fit(together, max_chars)
        gate = gate_record(asked=query, block=household.block)
        parts = [(item, render_alone(item, with_query=False)) for item in household.recalls]
        recorded = tuple([await self._recalling.recorded(part, shown_to, gate, block=own) for part, own in parts])
        if recorded == household.recalls:
            return household
        household = replace(household, recalls=recorded)
        return replace(household, block=render(household))

    async def check_texts(
        self,
        text: str,
        *,
        subjects: Sequence[str | Entity],
        about: Sequence[str] = (),
        judged: Sequence[Judgement] = (),
        shown_to: str = "",
    ) -> DraftCheck:
        """What `check_text` finds for each of several people, joined into one check.

        A sentence that names one of them alone is held against that one only; a judgement that may mean facts of
        several of them counts for nothing. Raises as `build_contexts` does, and InvalidInput as `check_text` does.
        """
        judged = checked_judgements(judged)
        people, unknown = await self._each(subjects, self._subjects.resolve)
        theirs = await self._shared_out(text, people)

        apart = frozenset(person.uid for person in people)

        async def of_each(counting: Sequence[Judgement]) -> tuple[Sequence[DraftCheck], Sequence[ReadFailure]]:
            read = self._recalling.unrecorded_check
            return await self._each(
                people,
                lambda one: read(theirs[one.uid], subject=one, about=about, judged=counting, read_apart=apart),
            )

        checks, unread = await of_each(judged)
        alone = without_shared(checks, judged)
        if len(alone) < len(judged):
            checks, unread = await of_each(alone)
        unread = [*unknown, *unread]
        read = [check.recall.subject for check in checks]
        first, *others = checks = [checked_together(check, read) for check in checks]
        name = inert_name(first.recall.subject.name)
        own = tuple(f"{name}: {gap}" for gap in first.gaps)
        whole = of_all([replace(first, gaps=own, notes=tuple(f"{name}: {note}" for note in first.notes)), *others])
        gaps = (*(f"{inert_name(item.named)} was not read: {item.reason}" for item in unread), *whole.gaps)
        became = of_everybody(whole.judged, [item for item in judged if item not in alone])
        kept = without_reasons_for_words(became) if len(checks) > 1 else became
        recalls = [await self._recalling.recorded(check.recall, shown_to, judged=kept) for check in checks]
        return replace(
            whole,
            verdict=verdict_of(whole.findings, gaps),
            gaps=gaps,
            judged=became,
            recall=replace(recalls[0], beside=(*recalls[0].beside, *recalls[1:])),
            unread=tuple(item.named for item in unread),
        )

    async def _shared_out(self, text: str, people: Sequence[Entity]) -> Mapping[str, str]:
        """By uid of each person: the draft without the sentences that are about another of them alone."""
        left_out: dict[str, list[tuple[range, str]]] = {person.uid: [] for person in people}
        for place, item, name in self._shares.of_one(text, people) if len(people) > 1 else ():
            # By a pet name, or by an id, it may name another.
            named = await self._subjects.named_in(text[place.start : place.stop])
            if all(person == item for person, _ in named):
                for other in people:
                    if other.uid != item.uid:
                        left_out[other.uid].append((place, name))
        return {uid: without(text, parts) for uid, parts in left_out.items()}

    async def _each(
        self, subjects: Sequence[str | Entity], read: Callable[[Entity], Awaitable[Read]]
    ) -> tuple[list[Read], list[ReadFailure]]:
        """The recall of each person, once each, and the people who could not be read; at least one was read.

        Raises:
            InvalidInput, StoreError: no person could be read; the error of `read`.
        """
        if not 0 < len(subjects) <= MOST:
            raise InvalidInput(f"subjects has {len(subjects)} entries; give 1 to {MOST}, the others in another call")
        found: dict[str, Read] = {}
        unread: list[ReadFailure] = []
        troubles: list[Exception] = []
        for subject in subjects:
            try:
                about = await self._subjects.resolve(subject)
                if about.uid not in found:
                    found[about.uid] = await read(about)
            except _TROUBLE as error:
                troubles.append(error)
                unread.append(unreadable(subject, without_secrets(str(error)) or type(error).__name__))
        if not found:
            raise troubles[0]
        return list(found.values()), unread
