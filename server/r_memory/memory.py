"""The memory: facts, talk and the space they are in. What every surface (tools, command line, Python) calls.

It only puts them together; each public method calls the method of the part that does it, whose docstring says more.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from contextlib import aclosing
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from r_memory.domain.across import AcrossCheck
from r_memory.domain.blocks import Addressed, DraftCheck, Recall, Receipt
from r_memory.domain.changes import Change, Review
from r_memory.domain.documents import DocumentText, Plan, Progress
from r_memory.domain.events import Episode, FactEvent, Role
from r_memory.domain.facts import Entity, Fact
from r_memory.domain.instants import Instant
from r_memory.domain.intents import OpenedRows
from r_memory.domain.log import Checkpoint
from r_memory.domain.schema import Schema
from r_memory.domain.turns import Finished, TurnContext
from r_memory.errors import InvalidInput, RMemoryError
from r_memory.facts.facts import Facts
from r_memory.facts.limits import Limits
from r_memory.facts.listing import FactPage
from r_memory.facts.people import KnownPage
from r_memory.facts.recall.household import Household
from r_memory.facts.reconciling import Reconciled
from r_memory.facts.remember.results import Claim, Remembered
from r_memory.facts.remember.utterances import Form, UtteranceResult
from r_memory.facts.reviewing import Changed
from r_memory.protocols import Roll, Table
from r_memory.space.contents import Step, unseen
from r_memory.space.integrity import Verification
from r_memory.space.space import Description, Space

if TYPE_CHECKING:  # a package beside the product, loaded when first needed: see `Memory.talk`
    from r_memory_talk.talk import Talk

__all__ = ["Description", "Limits", "Memory"]


class Memory:
    """One space of one installation; made by `open_memory`."""

    def __init__(
        self,
        facts: Facts,
        talk: "Callable[[], Talk]",
        space: Space,
        *,
        elsewhere: "Callable[[str], Memory] | None" = None,
        under: Callable[[str], Awaitable[Facts]] | None = None,
    ) -> None:
        """`talk` makes the conversational memory when it is first needed.

        `elsewhere` gives the memory of another space on the same store; `None` where there is one space only.
        `under` gives the facts as they are read under a changed table of action types; `None` where none is tried.
        """
        self.facts = facts
        self._talk = talk
        self.space = space
        self._elsewhere = elsewhere
        self._under = under

    @cached_property
    def talk(self) -> "Talk":
        """The conversational memory (`r_memory_talk`): the one door to it, which loads it when it is first opened."""
        return self._talk()

    # subjects

    async def find_subject(self, subject: str | Entity, *, erased: bool = False, speaker: str = "") -> Entity:
        """Returns the one subject that an id, a name, `ID (NAME)` or an alias of the speaker's means; raises
        `InvalidInput` otherwise.
        """
        return await self.facts.subjects.resolve(subject, erased=erased, speaker=speaker)

    async def subjects(self, *, erased: bool = False) -> tuple[Entity, ...]:
        """Returns every subject of the space, by id; with `erased`, the traces of erased ones as well."""
        return await self.facts.subjects.all(erased=erased)

    async def roll(self, query: str = "", *, start: int = 0, limit: int = 100) -> Roll:
        """Returns a part of the subjects, or of those whose id or name holds a query, most waiting first."""
        return await self.facts.subjects.roll(query, start=start, limit=limit)

    async def known(self, query: str = "", *, waiting: bool = False, start: int = 0, limit: int = 50) -> KnownPage:
        """Returns known people with their aliases and how much waits, all or those found by id, name or alias."""
        return await self.facts.people.known(query, waiting=waiting, start=start, limit=limit)

    async def subjects_named(self, text: str) -> tuple[tuple[Entity, str], ...]:
        """Returns the subjects that a text names by id or whole name, each with the words that name it."""
        return await self.facts.subjects.named_in(text)

    async def addressed(self, subject: str | Entity, text: str) -> tuple[Entity, Addressed]:
        """Returns the subject of a call, and which other subjects its words name."""
        return await self.facts.subjects.addressed(subject, text)

    # telling

    async def remember(
        self,
        text: str,
        *,
        subject: str | Entity = "",
        subject_name: str = "",
        another_than: Sequence[str] = (),
        role: Role = "user",
        speaker: str = "",
        conversation_id: str = "",
        said_at: Instant | None = None,
        idempotency_key: str = "",
        dry_run: bool = False,
        claims: Sequence[Claim] | None = None,
        is_request: bool = False,
        heard: Callable[[], object] | None = None,
    ) -> Remembered:
        """Stores an utterance and the facts that it states; returns what became of each, and what is against it."""
        remembered = await self.facts.remembering.remember(
            text,
            subject=subject,
            subject_name=subject_name,
            another_than=another_than,
            role=role,
            speaker=speaker,
            conversation_id=conversation_id,
            said_at=said_at,
            idempotency_key=idempotency_key,
            dry_run=dry_run,
            claims=claims,
            is_request=is_request,
            heard=heard,
        )
        if dry_run:
            return remembered
        standing = await self.facts.recalling.not_together(remembered.subject, remembered.facts)
        return replace(remembered, standing=standing)

    async def remember_transcript(
        self,
        text: str,
        *,
        subject: str | Entity = "",
        subject_name: str = "",
        another_than: Sequence[str] = (),
        form: Form = "dialogue",
        role: Role = "user",
        speaker: str = "",
        conversation_id: str = "",
        said_at: Instant | None = None,
        idempotency_key: str = "",
        dry_run: bool = False,
    ) -> AsyncIterator[UtteranceResult]:
        """Stores a text of any length, utterance by utterance; yields what became of each.

        What is against any of it comes with the last, so each is told once the next is stored.
        """
        results = self.facts.remembering.remember_transcript(
            text,
            subject=subject,
            subject_name=subject_name,
            another_than=another_than,
            form=form,
            role=role,
            speaker=speaker,
            conversation_id=conversation_id,
            said_at=said_at,
            idempotency_key=idempotency_key,
            dry_run=dry_run,
        )
        last: UtteranceResult | None = None
        facts: list[Fact] = []
        try:
            async with aclosing(results):
                async for result in results:
                    if last is not None:
                        yield last
                    last = result
                    facts += result.remembered.facts
        except RMemoryError:
            if last is not None:
                yield last
            raise
        if last is not None:
            if not dry_run:
                standing = await self.facts.recalling.not_together(last.remembered.subject, facts)
                last = replace(last, remembered=replace(last.remembered, standing=standing))
            yield last

    async def resume(self, *, again_only: bool = False, limit: int = 1000) -> int:
        """Reads the statements that a crash or a model left unread; returns how many are read now."""
        return await self.facts.remembering.resume(again_only=again_only, limit=limit)

    async def unread(self) -> int:
        """Returns how many of the oldest thousand waiting statements could not be read."""
        return await self.facts.remembering.unread()

    # asking

    async def build_context(
        self,
        query: str,
        *,
        subject: str | Entity = "",
        intents: Sequence[str] = (),
        about: Sequence[str] = (),
        shown_to: str = "",
        max_chars: int | None = None,
        paged: bool = False,
    ) -> Recall:
        """Returns every fact that bears on a request, and on what the caller says that it is `about`; what could not
        be read is named in it.
        """
        return await self.facts.recalling.build_context(
            query, subject=subject, intents=intents, about=about, shown_to=shown_to, max_chars=max_chars, paged=paged
        )

    async def check_text(
        self, text: str, *, subject: str | Entity = "", about: Sequence[str] = (), shown_to: str = ""
    ) -> DraftCheck:
        """Returns the facts that stand against a draft, and against what the caller says that it is `about`; never says
        that a draft is safe.
        """
        return await self.facts.recalling.check_text(text, subject=subject, about=about, shown_to=shown_to)

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
        """Returns what bears on a request about several people, in one block that names who could not be read."""
        return await self.facts.several.build_contexts(
            query, subjects=subjects, intents=intents, about=about, shown_to=shown_to, max_chars=max_chars
        )

    async def check_texts(
        self, text: str, *, subjects: Sequence[str | Entity], about: Sequence[str] = (), shown_to: str = ""
    ) -> DraftCheck:
        """Returns the facts of several people that stand against a draft; never says that a draft is safe."""
        return await self.facts.several.check_texts(text, subjects=subjects, about=about, shown_to=shown_to)

    async def check_across(self, party: str, *, shown_to: str = "") -> AcrossCheck:
        """Returns who of everybody in the space is tied to a party, along the relations that the schema allows."""
        return await self.facts.across.check(party, shown_to=shown_to)

    async def asks(self, text: str) -> bool:
        """Returns whether a text asks for something; true where the classifier fails."""
        return await self.facts.recalling.asks(text)

    async def recognise(self, text: str) -> tuple[str, ...]:
        """Returns the action types that a text asks for, best first."""
        return await self.facts.recalling.recognise(text)

    async def opens(self, text: str) -> OpenedRows:
        """Returns the rows and edges that a request in these words opens; reads nothing."""
        return await self.facts.recalling.opens(text)

    async def under_table(self, table: str) -> Facts:
        """Returns the facts as requests would read them under a changed table of action types, given as the text of its
        file; nothing is saved.

        Raises:
            ConfigurationError: the table is wrong; the message names the line.
            InvalidInput: this memory was put together without a way to try one.
        """
        if self._under is None:
            raise InvalidInput("this memory tries no other table; save it, and start again")
        return await self._under(table)

    # lists

    async def list_facts(
        self,
        *,
        subject: str | Entity = "",
        relations: Sequence[str] = (),
        statuses: Sequence[str] = (),
        as_of: Instant | None = None,
    ) -> FactPage:
        """Returns all facts about a subject, unranked, now or as they were known at an instant."""
        return await self.facts.lists.list_facts(subject=subject, relations=relations, statuses=statuses, as_of=as_of)

    async def find_fact(self, fact_id: str, *, subject: str | Entity = "") -> tuple[Entity, Fact]:
        """Returns a fact and its subject; eight characters of the id are enough, or words that name one of theirs."""
        return await self.facts.lists.find_fact(fact_id, subject=subject)

    async def history(self, fact_id: str) -> tuple[FactEvent, ...]:
        """Returns every event of a fact, oldest first."""
        return await self.facts.lists.history(fact_id)

    async def utterances(self, *, subject: str | Entity = "") -> tuple[Episode, ...]:
        """Returns everything that was said about a subject, in a conversation or not."""
        return await self.facts.lists.utterances(subject=subject)

    async def receipts(self, *, subject: str | Entity = "", limit: int = 50) -> tuple[Receipt, ...]:
        """Returns what was shown about a subject, newest first."""
        return await self.facts.lists.receipts(subject=subject, limit=limit)

    async def reconcile(self, subject: str | Entity, *, recorded: Iterable[Fact] | None = None) -> Reconciled:
        """Returns what was said about a subject beside what is recorded, one row for each matter, with a question."""
        return await self.facts.reconciling.reconcile(subject, recorded=recorded)

    # decisions of people

    def is_critical(self, fact: Fact) -> bool:
        """Returns whether a change of this fact needs a person."""
        return self.facts.reviewing.is_critical(fact)

    async def check_change(
        self,
        fact_id: str,
        change: Change,
        *,
        reason: str,
        actor: str,
        version: int | None = None,
        to: str = "",
    ) -> bool:
        """Returns whether a decision would change something; raises `InvalidInput` where it may not be made."""
        return await self.facts.reviewing.check_change(
            fact_id, change, reason=reason, actor=actor, version=version, to=to
        )

    async def change_fact(
        self,
        fact_id: str,
        change: Change,
        *,
        reason: str,
        actor: str,
        version: int | None = None,
        to: str = "",
        by_person: bool = True,
    ) -> Changed:
        """Records a decision about a fact; deletes nothing."""
        return await self.facts.reviewing.change_fact(
            fact_id, change, reason=reason, actor=actor, version=version, to=to, by_person=by_person
        )

    async def request_change(
        self,
        fact_id: str,
        change: Change,
        *,
        reason: str,
        actor: str,
        version: int | None = None,
        to: str = "",
    ) -> Changed:
        """Asks a person for a change; it waits in `review` and stands in every block."""
        return await self.facts.reviewing.request_change(
            fact_id, change, reason=reason, actor=actor, version=version, to=to
        )

    async def review(self, *, subject: str | Entity = "") -> Review:
        """Returns everything that waits for a person, about one subject or about all."""
        return await self.facts.reviewing.review(subject=subject)

    async def approve(self, request_id: str, *, actor: str, reason: str = "") -> Changed:
        """Makes the change that a request asks for."""
        return await self.facts.reviewing.approve(request_id, actor=actor, reason=reason)

    async def dismiss(self, id_: str, *, actor: str, reason: str) -> None:
        """Settles words that state nothing to store, or declines a request."""
        return await self.facts.reviewing.dismiss(id_, actor=actor, reason=reason)

    async def waiting_statement(self, id_: str) -> tuple[Episode, Entity, bool]:
        """Returns a statement that waits, whom it is about, and whether it may hold a risk."""
        return await self.facts.reviewing.waiting_statement(id_)

    async def store_reviewed(self, episode_id: str, claims: Sequence[Claim], *, actor: str) -> tuple[Fact, ...]:
        """Stores the claims that a person read in waiting words, all or none, and settles the words."""
        return await self.facts.reviewing.store_reviewed(episode_id, claims, actor=actor)

    # conversations and documents

    async def build_turn(
        self,
        query: str,
        *,
        subject: str | Entity = "",
        conversation_id: str = "",
        intents: Sequence[str] = (),
        about: Sequence[str] = (),
        sections: Sequence[str] | None = None,
        profile: str = "",
        max_tokens: int | None = None,
        scene: str = "",
        shown_to: str = "",
        max_chars: int | None = None,
        paged: bool = False,
        about_nobody: bool = False,
        asked_in: str = "",
        meanwhile: Callable[[TurnContext], object] | None = None,
    ) -> TurnContext:
        """Returns the safety block of a question and the sections of its conversation."""
        return await self.talk.build_turn(
            query,
            subject=subject,
            conversation_id=conversation_id,
            intents=intents,
            about=about,
            sections=sections,
            profile=profile,
            max_tokens=max_tokens,
            scene=scene,
            shown_to=shown_to,
            max_chars=max_chars,
            paged=paged,
            about_nobody=about_nobody,
            asked_in=asked_in,
            meanwhile=meanwhile,
        )

    async def finish_turn(
        self,
        text: str,
        reply: str,
        *,
        subject: str | Entity = "",
        conversation_id: str,
        speaker: str = "",
        responder: str = "",
        key: str = "",
        cut_off: bool = False,
        checked: DraftCheck | None = None,
        shown_to: str = "",
    ) -> Finished:
        """Stores a question and its answer; facts come from `remember` only."""
        return await self.talk.finish_turn(
            text,
            reply,
            subject=subject,
            conversation_id=conversation_id,
            speaker=speaker,
            responder=responder,
            key=key,
            cut_off=cut_off,
            checked=checked,
            shown_to=shown_to,
        )

    def ingest(
        self,
        name: str,
        reading: DocumentText,
        *,
        subject: str | Entity = "",
        subject_name: str = "",
        another_than: Sequence[str] = (),
        plan: Plan | None = None,
        start_part: int = 0,
        limit_s: float | None = None,
        said_at: Instant | None = None,
        speaker: str = "",
        same_person: bool = False,
    ) -> AsyncIterator[Progress]:
        """Reads a document: its words, the facts in it, its summaries; yields a report after each step."""
        return self.talk.ingest(
            name,
            reading,
            subject=subject,
            subject_name=subject_name,
            another_than=another_than,
            plan=plan,
            start_part=start_part,
            limit_s=limit_s,
            said_at=said_at,
            speaker=speaker,
            same_person=same_person,
        )

    # the whole space

    async def describe(self) -> Description:
        """Returns what can be remembered and asked here, and the health of the store."""
        return await self.space.describe()

    async def audit(self, name: str, *, limit: int = 200) -> Table:
        """Returns the rows of an audit of this space."""
        return await self.space.audit(name, limit=limit)

    async def cypher(self, query: str, *, limit: int = 200) -> Table:
        """Returns the rows of a reading query whose first column is this space."""
        return await self.space.cypher(query, limit=limit)

    async def verify(
        self, *, subject: str | Entity = "", since: Checkpoint | None = None, step: Step = unseen
    ) -> Verification:
        """Recomputes the logs, hash chains and states of one subject or of the space; returns the differences."""
        return await self.space.verify(subject=subject, since=since, step=step)

    async def rebuild(self, *, subject: str | Entity = "") -> int:
        """Recreates the state of one subject or of all from the ledger; returns the number of facts."""
        return await self.space.rebuild(subject=subject)

    @property
    def schema(self) -> Schema:
        """What can be remembered here."""
        return self.facts.reader.schema

    @property
    def limits(self) -> Limits:
        """Sizes that calls are held to."""
        return self.facts.limits

    @property
    def action_types(self) -> tuple[str, ...]:
        """Names of all rows of the table."""
        return tuple(self.facts.reader.table.intents)

    def in_space(self, space: str) -> "Memory":
        """The memory of one space of this installation, which shares nothing with others but store and language.

        Raises:
            InvalidInput: this memory serves one space only, and it is another.
        """
        if space == self.facts.space:
            return self
        if self._elsewhere is None:
            raise InvalidInput("this memory serves one space only; use a token of that space")
        return self._elsewhere(space)
