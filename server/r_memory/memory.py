"""`Memory`: the facts, the conversations and the space of one installation.

Every surface (tools, commands, Python) uses it. The class has no logic of its own: each public method calls one method
of a part, and the docstring of that method lists what it raises. A method that adds nothing is that of the part.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from functools import cached_property, wraps
from typing import TYPE_CHECKING, Concatenate, ParamSpec, TypeVar

from r_memory.domain.across import AcrossCheck
from r_memory.domain.blocks import Addressed, DraftCheck
from r_memory.domain.documents import DocumentText, Plan, Progress
from r_memory.domain.facts import Entity
from r_memory.domain.instants import Instant
from r_memory.domain.schema import Schema
from r_memory.domain.turns import Finished, TurnContext
from r_memory.errors import InvalidInput
from r_memory.facts.facts import Facts
from r_memory.facts.limits import Limits
from r_memory.facts.listing import FactList
from r_memory.facts.people import PeopleList
from r_memory.facts.recall.recaller import Recaller
from r_memory.facts.recall.several import Several
from r_memory.facts.reconciling import Reconciling
from r_memory.facts.remember.remembering import Remembering
from r_memory.facts.reviewing import Reviewing
from r_memory.facts.subjects import Subjects
from r_memory.space.space import Description, Space

if TYPE_CHECKING:  # a package beside the product, loaded when first needed: see `Memory.talk`
    from r_memory_talk.talk import Talk

__all__ = ["Description", "Limits", "Memory"]

Part = TypeVar("Part")
Given = ParamSpec("Given")
Result = TypeVar("Result")


def _of(
    part: "Callable[[Memory], Part]", method: Callable[Concatenate[Part, Given], Result]
) -> "Callable[Concatenate[Memory, Given], Result]":
    """Returns the method of a part as a method of the memory, with the same signature and docstring."""

    @wraps(method)
    def delegated(self: "Memory", /, *args: Given.args, **kwargs: Given.kwargs) -> Result:
        result: Result = getattr(part(self), method.__name__)(*args, **kwargs)
        return result

    return delegated


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

    roll = _of(lambda memory: memory.facts.subjects, Subjects.roll)
    known = _of(lambda memory: memory.facts.people, PeopleList.known)

    async def subjects_named(self, text: str) -> tuple[tuple[Entity, str], ...]:
        """Returns the subjects whose id or whole name stands in the text, each with the words that name it."""
        return await self.facts.subjects.named_in(text)

    async def addressed(self, subject: str | Entity, text: str) -> tuple[Entity, Addressed]:
        """Returns the subject of a call, and the other subjects that its text names."""
        return await self.facts.subjects.addressed(subject, text)

    # telling

    remember = _of(lambda memory: memory.facts.remembering, Remembering.remember)
    remember_transcript = _of(lambda memory: memory.facts.remembering, Remembering.remember_transcript)
    resume = _of(lambda memory: memory.facts.remembering, Remembering.resume)
    unread = _of(lambda memory: memory.facts.remembering, Remembering.unread)

    # asking

    build_context = _of(lambda memory: memory.facts.recalling, Recaller.build_context)
    check_text = _of(lambda memory: memory.facts.recalling, Recaller.check_text)
    build_contexts = _of(lambda memory: memory.facts.several, Several.build_contexts)
    check_texts = _of(lambda memory: memory.facts.several, Several.check_texts)

    async def check_across(self, party: str, *, shown_to: str = "") -> AcrossCheck:
        """Returns the subjects of the space that are tied to a party, along the relations that the schema allows."""
        return await self.facts.across.check(party, shown_to=shown_to)

    asks = _of(lambda memory: memory.facts.recalling, Recaller.asks)
    recognise = _of(lambda memory: memory.facts.recalling, Recaller.recognise)
    opens = _of(lambda memory: memory.facts.recalling, Recaller.opens)

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

    list_facts = _of(lambda memory: memory.facts.lists, FactList.list_facts)
    find_fact = _of(lambda memory: memory.facts.lists, FactList.find_fact)
    history = _of(lambda memory: memory.facts.lists, FactList.history)
    utterances = _of(lambda memory: memory.facts.lists, FactList.utterances)
    receipts = _of(lambda memory: memory.facts.lists, FactList.receipts)
    reconcile = _of(lambda memory: memory.facts.reconciling, Reconciling.reconcile)

    # decisions of people

    is_critical = _of(lambda memory: memory.facts.reviewing, Reviewing.is_critical)
    is_protected = _of(lambda memory: memory.facts.reviewing, Reviewing.is_protected)
    check_change = _of(lambda memory: memory.facts.reviewing, Reviewing.check_change)
    change_fact = _of(lambda memory: memory.facts.reviewing, Reviewing.change_fact)
    find_words = _of(lambda memory: memory.facts.reviewing, Reviewing.find_words)
    withdraw_words = _of(lambda memory: memory.facts.reviewing, Reviewing.withdraw_words)
    withdraw_copies = _of(lambda memory: memory.facts.reviewing, Reviewing.withdraw_copies)
    rename = _of(lambda memory: memory.facts.reviewing, Reviewing.rename)
    still_shown = _of(lambda memory: memory.facts.reviewing, Reviewing.still_shown)
    request_change = _of(lambda memory: memory.facts.reviewing, Reviewing.request_change)
    review = _of(lambda memory: memory.facts.reviewing, Reviewing.review)
    approve = _of(lambda memory: memory.facts.reviewing, Reviewing.approve)
    dismiss = _of(lambda memory: memory.facts.reviewing, Reviewing.dismiss)
    stands_with = _of(lambda memory: memory.facts.reviewing, Reviewing.stands_with)
    waiting_statement = _of(lambda memory: memory.facts.reviewing, Reviewing.waiting_statement)
    store_reviewed = _of(lambda memory: memory.facts.reviewing, Reviewing.store_reviewed)

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
        said_at: Instant | None = None,
        states_nothing: bool = False,
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
            said_at=said_at,
            states_nothing=states_nothing,
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

    describe = _of(lambda memory: memory.space, Space.describe)
    audit = _of(lambda memory: memory.space, Space.audit)
    cypher = _of(lambda memory: memory.space, Space.cypher)
    verify = _of(lambda memory: memory.space, Space.verify)
    rebuild = _of(lambda memory: memory.space, Space.rebuild)

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
