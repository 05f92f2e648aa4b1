"""The one operation that deletes, over Cypher: everything of the ledger about one subject, in one transaction.

Everything is looked up by exact keys once the subject is gone, for a node with thousands of relationships gives them up
one by one in time by the square of their number. Knows the order of the queries, not what an erasure leaves.
"""

from collections.abc import Sequence
from typing import TypeVar

from r_memory.domain.erasure import Erasure
from r_memory.domain.log import MODULUS, weight
from r_memory.errors import SubjectUnknown, WriteConflict
from r_memory.store import entries
from r_memory.store.bolt import ERASING_LIMIT_S, Bolt, Row, Run
from r_memory.store.library import Library
from r_memory.store.properties import Properties, whole_in
from r_memory.store.rows import entity_properties, event_properties, head_properties, receipt_properties

Part = TypeVar("Part")
_AT_ONCE = 500


class CypherEraser:
    """Erases subjects of one database."""

    def __init__(self, bolt: Bolt, library: Library) -> None:
        self._bolt = bolt
        self._library = library

    async def erase(self, erasure: Erasure) -> None:
        """As in `Store`.

        Raises:
            SubjectUnknown: the subject was not declared.
            WriteConflict: the chain no longer ends at `erasure.previous`.
        """
        await self._bolt.write(lambda run: self._erased(run, erasure), limit_s=ERASING_LIMIT_S)

    async def _erased(self, run: Run, erasure: Erasure) -> None:
        subject, trace = erasure.subject, erasure.trace
        about = {"subject_uid": subject.uid, "space": subject.space}
        instead = {"trace_uid": trace.uid, "space": trace.space}
        claimed = await self._claim(run, erasure, about)
        said = await self._ids(run, "episodes", about)
        if {receipt.id for receipt in erasure.receipts} != set(await self._ids(run, "receipts", about)):
            raise WriteConflict("something was shown about this subject meanwhile; look again")
        own = await run(self._library["erase/own_words"], {**about, "type": subject.type})
        words = [row["uid"] for row in own if row["own"] == row["everybody"]]
        left = _Left(erasure, claimed)
        await run(self._library["erase/subject"], {**about, **left.declared})
        for some in _parts(left.events[:-1]):
            await run(self._library["erase/events"], {**instead, "rows": some})
        await run(self._library["erase/close"], {**instead, "event": left.events[-1]["event"]})
        for shown in _parts(left.receipts):
            await run(self._library["erase/what_was_shown"], {**instead, "rows": shown})
        for rows in _parts(left.entries):
            await run(self._library["erase/entries"], {"space": trace.space, "log": claimed["log"], "rows": rows})
        for ids in _parts(said):
            await run(self._library["erase/what_was_said"], {"space": subject.space, "ids": ids})
        await run(self._library["erase/words"], {"uids": words})
        await run(self._library["erase/conversations"], about)

    async def _claim(self, run: Run, erasure: Erasure, about: dict[str, str]) -> Row:
        ended = {"previous_seq": erasure.previous.seq, "previous_hash": erasure.previous.hash}
        if claimed := await run(self._library["erase/claim"], {**about, **ended}):
            return claimed[0]
        if await run(self._library["read/subject"], {"uid": erasure.subject.uid, "space": erasure.subject.space}):
            raise WriteConflict("somebody was told something about this subject meanwhile; look again")
        raise SubjectUnknown("the subject was never declared in this space, or is erased already")

    async def _ids(self, run: Run, name: str, about: dict[str, str]) -> list[str]:
        return [str(row["id"]) for row in await run(self._library[f"erase/{name}"], about)]


class _Left:
    """What an erasure leaves, with its entries: they end every entry that the log has, whose records are gone."""

    def __init__(self, erasure: Erasure, claimed: Row) -> None:
        subject, trace = erasure.subject, erasure.trace
        self._size, self._sum = whole_in(claimed, "size"), whole_in(claimed, "sum")
        self.entries: list[dict[str, object]] = []
        self.events: list[dict[str, object]] = [
            {
                "chain_key": f"{subject.uid}#{event.seq}",
                "event": self._entered("event", event_properties(event)),
            }
            for event in (*erasure.blanks, erasure.closing)
        ]
        self.receipts = [self._entered("receipt", receipt_properties(receipt)) for receipt in erasure.receipts]
        self.entries[len(erasure.blanks)]["ends"] = list(range(1, self._size + 1))
        log = {"log_id": claimed["log"]}
        declared, leaf = entries.logged("subject", {**entity_properties(trace), **log})
        self._sum = (self._sum + weight(str(entry["leaf"]) for entry in self.entries)) % MODULUS
        ends = {"log_size": self._size + len(self.entries), "log_sum": self._sum, "held": "", "awaiting": 0}
        self.declared = {
            "trace": {**declared, **head_properties(erasure.head), **ends},
            "log": entries.space_log(trace.space),
            "entry": whole_in(claimed, "entry"),
            "leaf": leaf,
            **entries.added([leaf]),
        }

    def _entered(self, kind: str, properties: Properties) -> dict[str, object]:
        salted, leaf = entries.logged(kind, properties)
        seq = self._size + len(self.entries) + 1
        self.entries.append({"seq": seq, "leaf": leaf, "ends": []})
        return {**salted, "entry": seq}


def _parts(rows: Sequence[Part]) -> list[list[Part]]:
    return [list(rows[start : start + _AT_ONCE]) for start in range(0, len(rows), _AT_ONCE)]
