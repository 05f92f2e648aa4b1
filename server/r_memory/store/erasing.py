"""The erasure over Cypher, the only operation that deletes: all ledger records about one subject, in one transaction.

After the subject is deleted, everything is found by exact keys: a node with thousands of relationships loses them one
by one in quadratic time. It knows the order of the queries, not what an erasure keeps.
"""

from collections.abc import Mapping, Sequence
from typing import TypeVar

from r_memory.domain.erasure import Erasure
from r_memory.domain.log import MODULUS, weight
from r_memory.errors import SubjectUnknown, WriteConflict
from r_memory.store import entries
from r_memory.store.bolt import ERASING_LIMIT_S
from r_memory.store.bolt_wire import Row
from r_memory.store.library import Graph, Run
from r_memory.store.properties import Properties, whole_in
from r_memory.store.rows import ENTITY, EVENT, HEAD, RECEIPT

Part = TypeVar("Part")
_AT_ONCE = 500


async def erase(graph: Graph, erasure: Erasure) -> None:
    """As in `Store`."""
    await graph.together(lambda run: _erased(run, erasure), limit_s=ERASING_LIMIT_S)


async def _erased(run: Run, erasure: Erasure) -> None:
    subject, trace = erasure.subject, erasure.trace
    about = {"subject_uid": subject.uid, "space": subject.space}
    instead = {"trace_uid": trace.uid, "space": trace.space}
    claimed = await _claim(run, erasure, about)
    said = await _ids(run, "erase/episodes", about)
    if {receipt.id for receipt in erasure.receipts} != set(await _ids(run, "erase/receipts", about)):
        raise WriteConflict("something was shown about this subject meanwhile; look again")
    own = await run("erase/own_words", **about, type=subject.type)
    left = _Remains(erasure, claimed)
    await run("erase/subject", **about, **left.declared)
    for some in _parts(left.events[:-1]):
        await run("erase/events", **instead, rows=some)
    await run("erase/close", **instead, event=left.events[-1]["event"])
    for shown in _parts(left.receipts):
        await run("erase/what_was_shown", **instead, rows=shown)
    for rows in _parts(left.entries):
        await run("erase/entries", space=trace.space, log=claimed["log"], rows=rows)
    for ids in _parts(said):
        await run("erase/what_was_said", space=subject.space, ids=ids)
    await run("erase/words", uids=[row["uid"] for row in own if row["own"] == row["everybody"]])
    await run("erase/conversations", **about)


async def _claim(run: Run, erasure: Erasure, about: Mapping[str, str]) -> Row:
    previous = erasure.previous
    if claimed := await run("erase/claim", **about, previous_seq=previous.seq, previous_hash=previous.hash):
        return claimed[0]
    if await run("read/subject", uid=erasure.subject.uid, space=erasure.subject.space):
        raise WriteConflict("somebody was told something about this subject meanwhile; look again")
    raise SubjectUnknown("the subject was never declared in this space, or is erased already")


async def _ids(run: Run, query: str, about: Mapping[str, str]) -> list[str]:
    return [str(row["id"]) for row in await run(query, **about)]


class _Remains:
    """What an erasure keeps, with its log entries.

    They end all earlier entries of the log, whose records are deleted.
    """

    def __init__(self, erasure: Erasure, claimed: Row) -> None:
        subject, trace = erasure.subject, erasure.trace
        self._size, self._sum = whole_in(claimed, "size"), whole_in(claimed, "sum")
        self.entries: list[dict[str, object]] = []
        self.events: list[dict[str, object]] = [
            {
                "chain_key": f"{subject.uid}#{event.seq}",
                "event": self._entered("event", EVENT.properties(event)),
            }
            for event in (*erasure.blanks, erasure.closing)
        ]
        self.receipts = [self._entered("receipt", RECEIPT.properties(receipt)) for receipt in erasure.receipts]
        self.entries[len(erasure.blanks)]["ends"] = list(range(1, self._size + 1))
        log = {"log_id": claimed["log"]}
        declared, leaf = entries.logged("subject", {**ENTITY.properties(trace), **log})
        self._sum = (self._sum + weight(str(entry["leaf"]) for entry in self.entries)) % MODULUS
        ends = {"log_size": self._size + len(self.entries), "log_sum": self._sum, "held": "", "awaiting": 0}
        self.declared = {
            "trace": {**declared, **HEAD.properties(erasure.head), **ends},
            "entry": whole_in(claimed, "entry"),
            **entries.in_space(trace.space, leaf),
        }

    def _entered(self, kind: str, properties: Properties) -> dict[str, object]:
        salted, leaf = entries.logged(kind, properties)
        seq = self._size + len(self.entries) + 1
        self.entries.append({"seq": seq, "leaf": leaf, "ends": []})
        return {**salted, "entry": seq}


def _parts(rows: Sequence[Part]) -> list[list[Part]]:
    return [list(rows[start : start + _AT_ONCE]) for start in range(0, len(rows), _AT_ONCE)]
