"""Writing: what is said, in utterances and transcripts, and what a crash left unread."""

import logging
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing
from dataclasses import replace
from typing import get_args

from r_memory.domain.events import EpisodeStatus, Role
from r_memory.domain.facts import Entity
from r_memory.domain.instants import Instant
from r_memory.errors import InvalidInput, KeyUsed, UnknownName
from r_memory.facts.limits import Limits
from r_memory.facts.remember.recorder import Recorder, Statement
from r_memory.facts.remember.results import Claim, Remembered, together
from r_memory.facts.remember.utterances import (
    Form,
    Utterance,
    UtteranceResult,
    before,
    checked,
    checked_text,
    keys,
    transcript_id,
    utterances,
)
from r_memory.facts.subjects import Subjects
from r_memory.protocols import Store

logger = logging.getLogger(__name__)


class Remembering:
    """The facts as those use them who tell something."""

    def __init__(self, *, store: Store, subjects: Subjects, recorder: Recorder, limits: Limits) -> None:
        self._store = store
        self._subjects = subjects
        self._recorder = recorder
        self._limits = limits

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
        claims: Sequence[Claim] = (),
    ) -> Remembered:
        """Stores an utterance and the facts it states, and says what became of each.

        `subject_name` declares a new subject under the id `subject`; where others have that name, `another_than`
        gives the ids of all of them, who are somebody else. `claims` are triples that the caller read in the text. The
        same `idempotency_key` (or, without one, the same words by one speaker on a day) stores nothing twice. A text
        longer than `limits.text` is read in parts, cut between sentences, each with those before it.

        Raises:
            InvalidInput: with its subclasses for a subject that is missing, unknown, ambiguous, taken or named
                otherwise.
            KeyUsed: the key was given with other words before; nothing was stored.
            StoreUnavailable: nothing was stored.
            NotStored: the words are stored, their facts are not yet.
        """
        checked_text(text, limit=self._limits.message)
        if role not in get_args(Role):
            raise UnknownName("role", str(role), get_args(Role))
        if len(claims) > self._limits.claims:
            raise InvalidInput(
                f"{len(claims)} facts were given, at most {self._limits.claims} are taken; split the call"
            )
        about = await self._subjects.resolve_or_declare(
            subject, subject_name, another_than=another_than, dry_run=dry_run
        )
        said = Statement(
            text=text,
            subject=about,
            role=role,
            speaker=speaker,
            conversation=conversation_id,
            key=idempotency_key,
            said_at=said_at,
            claims=tuple(claims),
        )
        if len(text) <= self._limits.text:
            return await self._recorder.remember(said, dry_run=dry_run)
        spoken = utterances(text, form="whole", speaker=speaker, role=role, size=self._limits.text)
        told = await self._statements(spoken, said, "whole")
        async with aclosing(self._recorder.remember_all(_with_claims(told, claims), dry_run=dry_run)) as outcomes:
            return together([outcome async for outcome in outcomes])

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
        """Stores a text of any length, utterance by utterance, and gives what came of each as soon as it is known.

        Turns longer than `limits.text` are cut between sentences; each result says where in the text it stands. The
        turns before come from the text. A text that broke off is gone on with by the same call: what was stored is
        stored once. All of it is checked before the first word is stored.

        Raises:
            InvalidInput: with its subclasses for the subject; names the line of what cannot be stored.
            KeyUsed: the key was given with another text before; nothing was stored.
            StoreUnavailable: this utterance and those after it were not stored.
            NotStored: the words of this one are stored, what they say is not yet.
        """
        size = self._limits.text
        spoken = checked(utterances(text, form=form, speaker=speaker, role=role, size=size), limit=size)
        about = await self._subjects.resolve_or_declare(
            subject, subject_name, another_than=another_than, dry_run=dry_run
        )
        whole = Statement(
            text=text, subject=about, conversation=conversation_id, key=idempotency_key, said_at=said_at, role=role
        )
        told = await self._statements(spoken, whole, form)
        async with aclosing(self._recorder.remember_all(told, dry_run=dry_run)) as outcomes:
            for said in spoken:
                yield UtteranceResult(spoken=said, remembered=await anext(outcomes))

    async def _statements(self, spoken: Sequence[Utterance], whole: Statement, form: Form) -> list[Statement]:
        """The utterances of a text, as the recorder takes them.

        Raises:
            KeyUsed: one was said otherwise under the caller's key.
        """
        told = [
            replace(
                whole,
                text=said.text,
                role=said.role,
                speaker=said.speaker,
                conversation=whole.conversation or transcript_id(whole.text, form),
                key=key,
                # The first may continue a conversation, and lines stand for themselves.
                before=before(spoken, place, turns=self._limits.context_turns) if place and form != "lines" else None,
            )
            for place, (said, key) in enumerate(
                zip(spoken, keys(spoken, text=whole.text, key=whole.key, form=form), strict=True)
            )
        ]
        try:
            for said in told if whole.key else ():
                await self._recorder.unstored(said)
        except KeyUsed as error:
            raise KeyUsed(whole.key) from error
        return told

    async def resume(self, *, again_only: bool = False, limit: int = 1000) -> int:
        """Reads what a crash left unread, and what a model could not read; gives how many statements are read now.

        With `again_only` the latter alone: in a running process the former may be in somebody's hands.
        """
        waiting = [
            episode
            for episode in await self._store.open_episodes(self._subjects.space, limit=limit)
            if not (again_only and episode.status is EpisodeStatus.PENDING)
        ]
        if not waiting:
            return 0
        subjects = {entity.uid: entity for entity in await self._subjects.all()}
        done = await self._recorder.resume(waiting, subjects)
        logger.info("Open episodes read", extra={"action": "resumed", "open": len(waiting), "read": done})
        return done

    async def unread(self) -> int:
        """Statements that some route failed to read and is still to read, of the oldest thousand that wait."""
        waiting = await self._store.open_episodes(self._subjects.space)
        return sum(episode.status in {EpisodeStatus.RETRY, EpisodeStatus.FAILED} for episode in waiting)


def _with_claims(told: Sequence[Statement], claims: Sequence[Claim]) -> list[Statement]:
    """Each claim goes with the first part that holds its evidence; with the first of all, to be refused, where none."""
    of_part: dict[int, list[Claim]] = {}
    for claim in claims:
        place = next((at for at, said in enumerate(told) if claim.evidence in said.text), 0)
        of_part.setdefault(place, []).append(claim)
    return [replace(said, claims=tuple(of_part.get(at, ()))) for at, said in enumerate(told)]
