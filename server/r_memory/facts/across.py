"""A check of a party against all subjects of a space: for example, a conflict check of a law firm.

It reads every subject. The answer names the subjects that could not be read, and is then not complete. Each subject of
whom something is shown gets a receipt, and the register of the space gets a receipt of the check.
"""

import asyncio
import logging
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Final

from r_memory.domain.across import AcrossCheck, Dossier, register
from r_memory.domain.blocks import Receipt, gate_record
from r_memory.domain.facts import Entity
from r_memory.domain.instants import iso_seconds
from r_memory.errors import InvalidInput, StoreError, StoreUnavailable, SubjectUnknown
from r_memory.facts.recall.lines import lines_under
from r_memory.facts.recall.ties import Ties
from r_memory.facts.subjects import Subjects, checked_word
from r_memory.protocols import Clock, Store
from r_memory.reading.reader import Reader
from r_memory.text.inert import inert_name, without_secrets
from r_memory.text.markers import END, START

logger = logging.getLogger(__name__)

_AT_ONCE = 16
_FEWEST: Final = 2
"""Minimum letters of a name; a shorter name cannot be told from others."""
_TROUBLE = (StoreError, SubjectUnknown, TimeoutError, OSError)
"""Errors for one subject that do not end the check. `SubjectUnknown`: the subject was erased during the check."""


class Across:
    """Checks a party against all subjects of one space."""

    def __init__(
        self, *, store: Store, reader: Reader, clock: Clock, subjects: Subjects, new_id: Callable[[], str]
    ) -> None:
        self._store = store
        self._reader = reader
        self._clock = clock
        self._subjects = subjects
        self._new_id = new_id
        self._ties = Ties(reader, lines_under(reader.schema))

    async def check(self, party: str, *, shown_to: str = "") -> AcrossCheck:
        """The subjects that are tied to the party: by name, by what it belongs to, or through those who stand behind
        it.

        Raises:
            InvalidInput: the schema allows no check across subjects; or the name is empty, too long or too short.
            StoreUnavailable: no subject could be read.
        """
        if not self._ties.searched:
            told = (
                "no relation of this schema is looked along for everybody; set `across: true` beside those that may be"
            )
            raise InvalidInput(told)
        party = checked_word(party, "party")
        if self._ties.letters(party) < _FEWEST:
            raise InvalidInput(f"'{party}' is too short to be told from other names; give the whole name")
        dossiers = await self._everybody()
        if dossiers and all(dossier.failed and not dossier.facts for dossier in dossiers):
            raise StoreUnavailable(dossiers[0].failed)
        worker = self._reader.worker_of(party)
        check = await worker.run(self._checked, party, dossiers)
        return await self._recorded(check, shown_to)

    def _checked(self, party: str, dossiers: Sequence[Dossier]) -> AcrossCheck:
        now = self._clock.now()
        involved, also = self._ties.find(party, dossiers, now)
        about = {involvement.subject.uid for involvement in involved}
        told = {(involvement.subject.uid, involvement.text) for involvement in involved}
        beside = tuple(
            (dossier.subject, text)
            for dossier in dossiers
            if dossier.subject.uid in about
            for text in self._ties.beside(dossier, now)
            if (dossier.subject.uid, text) not in told
        )
        return AcrossCheck(
            party=party,
            checked_at=now,
            involved=tuple(involved),
            beside=beside,
            also=also,
            subjects=len(dossiers),
            unread=tuple((dossier.subject, dossier.failed) for dossier in dossiers if dossier.failed),
            receipt_id=self._new_id(),
        )

    async def _everybody(self) -> Sequence[Dossier]:
        """The recorded facts of each subject along these relations; a few subjects are read at a time."""
        gate = asyncio.Semaphore(_AT_ONCE)

        async def read(subject: Entity) -> Dossier:
            async with gate:
                try:
                    found = await self._store.neighbourhood(subject, self._ties.relations)
                except _TROUBLE as error:
                    return Dossier(subject=subject, failed=without_secrets(str(error)) or type(error).__name__)
            failed = "; ".join(dict.fromkeys(map(without_secrets, found.failed.values())))
            aliases = self._ties.aliases(found.facts)
            return Dossier(subject=subject, facts=found.facts, aliases=aliases, waiting=found.pending, failed=failed)

        return await asyncio.gather(*map(read, await self._subjects.all()))

    async def _recorded(self, check: AcrossCheck, shown_to: str) -> AcrossCheck:
        """Writes the receipts (one for each subject of whom something is shown, one of the check) and returns the
        check.
        """
        about = {involvement.subject.uid: involvement.subject for involvement in check.involved}
        whole = register(self._subjects.space)
        kept = self._receipt(check, whole, check.fact_ids, shown_to)
        try:
            for subject in about.values():
                one = self._receipt(check, subject, check.facts_of(subject), shown_to)
                await self._store.add_receipt(replace(one, id=self._new_id()))
            await self._store.declare_subject(whole)
            await self._store.add_receipt(kept)
        except _TROUBLE as error:
            logger.warning("Receipt not recorded", extra={"action": "across_receipt", "error": type(error).__name__})
            return replace(check, receipt_id="")
        return check

    def _receipt(self, check: AcrossCheck, subject: Entity, fact_ids: Sequence[str], shown_to: str) -> Receipt:
        return Receipt(
            id=check.receipt_id,
            space=subject.space,
            subject_uid=subject.uid,
            shown_at=check.checked_at,
            shown_to=shown_to,
            intents=(),
            fact_ids=tuple(fact_ids),
            complete=check.complete,
            watermark=0,
            schema_version=self._reader.schema.version,
            pack_version=self._reader.knowledge.version,
            traversal="",
            # Without the block, which names others: an erasure of them would leave it.
            gate=gate_record(asked=check.party, block=block_of(check)),
        )


def block_of(check: AcrossCheck) -> str:
    """The check as inert text: certain ties, possible ties, subjects that were not read, and what the check does not
    cover.
    """
    count = f"{check.subjects} on record"
    lines = [
        START,
        f'Across everybody: "{inert_name(check.party)}" against {count}. Checked {iso_seconds(check.checked_at)}.',
    ]
    if check.also:
        lines.append(f"Looked for as well: {'; '.join(check.also)}.")
    for title, sure in (("FOUND", True), ("MAY BE", False)):
        ties = [involvement for involvement in check.involved if involvement.sure is sure]
        if ties:
            lines += [f"{title}:", *_told(check, [tie.subject for tie in ties], sure=sure)]
    if not check.involved:
        lines.append("NOTHING FOUND that names it." if check.complete else "NOTHING FOUND in what could be read.")
    if check.unread:
        lines += ["COULD-NOT-CHECK: ask before acting.", *(_unread(item, why) for item, why in check.unread)]
    receipt = f"Receipt {check.receipt_id}." if check.receipt_id else "No receipt could be written."
    lines += [f"Not proof of absence: what was never said is not here. {receipt}", END]
    return "\n".join(lines)


def _told(check: AcrossCheck, subjects: Iterable[Entity], *, sure: bool) -> list[str]:
    """Lines of the ties of these subjects, each subject once, with its matters."""
    lines = []
    for subject in {entity.uid: entity for entity in subjects}.values():
        lines.append(f"{inert_name(subject.id)} ({inert_name(subject.name)})")
        ties = (tie for tie in check.involved if tie.sure is sure and tie.subject.uid == subject.uid)
        lines += [f"  {tie.text}{_reason(tie.why, tie.through)}" for tie in ties]
        lines += [f"  {text}" for about, text in check.beside if about.uid == subject.uid]
    return lines


def _reason(why: str, through: str) -> str:
    told = "; ".join(filter(None, (why, f"through {through}" if through else "")))
    return f" ({told})" if told else ""


def _unread(subject: Entity, why: str) -> str:
    return f"  {inert_name(subject.id)} ({inert_name(subject.name)}): {why}"
