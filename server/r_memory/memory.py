"""`Memory`: the facts, the conversations and the space of one installation.

Every surface (tools, commands, Python) uses it. The class has no logic of its own: each public method calls one method
of a part, and the docstring of that method lists what it raises.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from contextlib import aclosing, closing
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
    """One space of one installation. `open_memory` makes it."""

    def __init__(
        self,
        facts: Facts,
        talk: "Callable[[], Talk]",
        space: Space,
        *,
        elsewhere: "Callable[[str], Memory] | None" = None,
        under: Callable[[str], Awaitable[Facts]] | None = None,
    ) -> None:
        """`talk` makes the conversational memory; it is called when `Memory.talk` is first read.

        `elsewhere` returns the memory of another space of the same store; `None` if the store has one space only.
        `under` returns the facts as read with another table of action types; `None` if no other table can be tried.
        """
        self.facts = facts
        self._talk = talk
        self.space = space
        self._elsewhere = elsewhere
        self._under = under

    @cached_property
    def talk(self) -> "Talk":
        """The conversational memory (`r_memory_talk`); the package is loaded when this is first read."""
        return self._talk()

    # subjects

    async def find_subject(self, subject: str | Entity, *, erased: bool = False, speaker: str = "") -> Entity:
        """Returns the subject that an id, a name, `ID (NAME)` or one of the speaker's aliases means.

        Raises:
            SubjectRequired: no subject is given, and the installation has no default subject.
            SubjectUnknown: no subject matches.
            SubjectAmbiguous: several subjects match.
        """
        return await self.facts.subjects.resolve(subject, erased=erased, speaker=speaker)

    async def subjects(self, *, erased: bool = False) -> tuple[Entity, ...]:
        """Returns all subjects of the space, by id; `erased` adds the traces of erased subjects."""
        return await self.facts.subjects.all(erased=erased)

    async def roll(self, query: str = "", *, start: int = 0, limit: int = 100) -> Roll:
        """Returns a page of the subjects with the most waiting statements first; `query` filters by id or name."""
        return await self.facts.subjects.roll(query, start=start, limit=limit)

    async def known(self, query: str = "", *, waiting: bool = False, start: int = 0, limit: int = 50) -> KnownPage:
        """Returns a page of the known people, with their aliases and the number of waiting statements.

        `query` filters by id, name or alias; empty means all.
        """
        return await self.facts.people.known(query, waiting=waiting, start=start, limit=limit)

    async def subjects_named(self, text: str) -> tuple[tuple[Entity, str], ...]:
        """Returns the subjects whose id or whole name stands in the text, each with the words that name it."""
        return await self.facts.subjects.named_in(text)

    async def addressed(self, subject: str | Entity, text: str) -> tuple[Entity, Addressed]:
        """Returns the subject of a call, and the other subjects that its text names."""
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
    ) -> Remembered:
        """Stores an utterance and the facts that it states.

        Returns the result for each fact, and the recorded facts that conflict with the new ones.
        """
        with closing(self.facts.recalling.beside()) as beside:
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
                beside=beside,
            )
            if dry_run:
                return remembered
            standing = await self.facts.recalling.not_together(remembered.subject, remembered.facts, beside)
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
        """Stores a text of any length, utterance by utterance; yields a result for each utterance.

        A result is yielded after the next utterance is stored. The last result carries the recorded facts that conflict
        with any of the new ones.
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
        """Reads the stored statements that a crash or a failed model left unread; returns the number read now."""
        return await self.facts.remembering.resume(again_only=again_only, limit=limit)

    async def unread(self) -> int:
        """Returns how many of the oldest 1,000 waiting statements could not be read."""
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
        """Returns all facts that bear on a request and on the things listed in `about`, unranked.

        What could not be read is named in the result; its `complete` is then false.
        """
        return await self.facts.recalling.build_context(
            query, subject=subject, intents=intents, about=about, shown_to=shown_to, max_chars=max_chars, paged=paged
        )

    async def check_text(
        self, text: str, *, subject: str | Entity = "", about: Sequence[str] = (), shown_to: str = ""
    ) -> DraftCheck:
        """Returns the facts that conflict with a draft or with the things listed in `about`.

        An empty result does not mean that the draft is safe.
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
        """Returns the facts that bear on a request about several people, in one block.

        People who could not be read are named.
        """
        return await self.facts.several.build_contexts(
            query, subjects=subjects, intents=intents, about=about, shown_to=shown_to, max_chars=max_chars
        )

    async def check_texts(
        self, text: str, *, subjects: Sequence[str | Entity], about: Sequence[str] = (), shown_to: str = ""
    ) -> DraftCheck:
        """Returns the facts of several people that conflict with a draft.

        An empty result does not mean that it is safe.
        """
        return await self.facts.several.check_texts(text, subjects=subjects, about=about, shown_to=shown_to)

    async def check_across(self, party: str, *, shown_to: str = "") -> AcrossCheck:
        """Returns the subjects of the space that are tied to a party, along the relations that the schema allows."""
        return await self.facts.across.check(party, shown_to=shown_to)

    async def asks(self, text: str) -> bool:
        """Returns whether a text asks for something; true if the classifier fails."""
        return await self.facts.recalling.asks(text)

    async def recognise(self, text: str) -> tuple[str, ...]:
        """Returns the action types that a text asks for, best first."""
        return await self.facts.recalling.recognise(text)

    async def opens(self, text: str) -> OpenedRows:
        """Returns the rows and edges that a request with these words opens; reads no fact."""
        return await self.facts.recalling.opens(text)

    async def under_table(self, table: str) -> Facts:
        """Returns the facts as read with another table of action types, given as the text of its file; saves nothing.

        Raises:
            ConfigurationError: the table is wrong; the message names the line.
            InvalidInput: this memory cannot try another table.
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
        """Returns all facts about a subject, unranked: the present ones, or those known at `as_of`."""
        return await self.facts.lists.list_facts(subject=subject, relations=relations, statuses=statuses, as_of=as_of)

    async def find_fact(self, fact_id: str, *, subject: str | Entity = "") -> tuple[Entity, Fact]:
        """Returns a fact and its subject.

        `fact_id` is an id, its first eight characters, or words that name one fact.
        """
        return await self.facts.lists.find_fact(fact_id, subject=subject)

    async def history(self, fact_id: str) -> tuple[FactEvent, ...]:
        """Returns every event of a fact, oldest first."""
        return await self.facts.lists.history(fact_id)

    async def utterances(self, *, subject: str | Entity = "") -> tuple[Episode, ...]:
        """Returns all utterances about a subject, with or without a conversation."""
        return await self.facts.lists.utterances(subject=subject)

    async def receipts(self, *, subject: str | Entity = "", limit: int = 50) -> tuple[Receipt, ...]:
        """Returns the receipts of what was shown about a subject, newest first."""
        return await self.facts.lists.receipts(subject=subject, limit=limit)

    async def reconcile(self, subject: str | Entity, *, recorded: Iterable[Fact] | None = None) -> Reconciled:
        """Returns what was said about a subject beside what is recorded, one row for each matter, with a question."""
        return await self.facts.reconciling.reconcile(subject, recorded=recorded)

    # decisions of people

    def is_critical(self, fact: Fact) -> bool:
        """Returns whether the fact is critical: by its relation, or by its severity."""
        return self.facts.reviewing.is_critical(fact)

    def is_protected(self, fact: Fact) -> bool:
        """Returns whether only a person may change this fact."""
        return self.facts.reviewing.is_protected(fact)

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
        """Returns whether a decision about a fact would change it; stores nothing.

        Raises:
            InvalidInput: the decision is not allowed; the message says why.
        """
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
        """Records a decision about a fact. Nothing is deleted: a closed fact keeps its history."""
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
        """Asks a person to decide about a fact. The request waits in `review`, and blocks show it until then."""
        return await self.facts.reviewing.request_change(
            fact_id, change, reason=reason, actor=actor, version=version, to=to
        )

    async def review(self, *, subject: str | Entity = "") -> Review:
        """Returns all statements and requests that wait for a person, about one subject or about all."""
        return await self.facts.reviewing.review(subject=subject)

    async def approve(self, request_id: str, *, actor: str, reason: str = "") -> Changed:
        """Makes the change that a waiting request asks for."""
        return await self.facts.reviewing.approve(request_id, actor=actor, reason=reason)

    async def dismiss(self, id_: str, *, actor: str, reason: str) -> None:
        """Settles a waiting statement that states nothing to store, or declines a waiting request."""
        return await self.facts.reviewing.dismiss(id_, actor=actor, reason=reason)

    async def waiting_statement(self, id_: str) -> tuple[Episode, Entity, bool]:
        """Returns a waiting statement, its subject, and whether it may hold a risk."""
        return await self.facts.reviewing.waiting_statement(id_)

    async def store_reviewed(self, episode_id: str, claims: Sequence[Claim], *, actor: str) -> tuple[Fact, ...]:
        """Stores the claims that a person read in a waiting statement, all or none, and settles the statement."""
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
        """Returns the safety block for a question, and the sections of its conversation."""
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
        """Stores a question and its answer as a turn. It stores no facts: `remember` does."""
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
        """Reads a document: stores its text, the facts in it and its summaries; yields a report after each step."""
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
        """Returns what can be remembered and asked in this space, and the health of the store."""
        return await self.space.describe()

    async def audit(self, name: str, *, limit: int = 200) -> Table:
        """Returns the rows of an audit of this space."""
        return await self.space.audit(name, limit=limit)

    async def cypher(self, query: str, *, limit: int = 200) -> Table:
        """Returns the rows of a read-only query.

        Its first column must be the space, and only rows of this space are returned.
        """
        return await self.space.cypher(query, limit=limit)

    async def verify(
        self, *, subject: str | Entity = "", since: Checkpoint | None = None, step: Step = unseen
    ) -> Verification:
        """Recomputes the logs, hash chains and states of one subject, or of the whole space.

        Returns the differences.
        """
        return await self.space.verify(subject=subject, since=since, step=step)

    async def rebuild(self, *, subject: str | Entity = "") -> int:
        """Recreates the present state of one subject, or of all, from the ledger; returns the number of facts."""
        return await self.space.rebuild(subject=subject)

    @property
    def schema(self) -> Schema:
        """The relations and types that can be remembered."""
        return self.facts.reader.schema

    @property
    def limits(self) -> Limits:
        """Size limits of calls."""
        return self.facts.limits

    @property
    def action_types(self) -> tuple[str, ...]:
        """Names of all rows of the table of action types."""
        return tuple(self.facts.reader.table.intents)

    def in_space(self, space: str) -> "Memory":
        """Returns the memory of another space; the two spaces share the store and the language, and no data.

        Raises:
            InvalidInput: this memory serves one space only, and `space` is not its name.
        """
        if space == self.facts.space:
            return self
        if self._elsewhere is None:
            raise InvalidInput("this memory serves one space only; use a token of that space")
        return self._elsewhere(space)
