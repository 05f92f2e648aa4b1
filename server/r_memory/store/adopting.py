"""Enters in the logs what an earlier version recorded, which kept none: as it lies there on that day.

What was altered before is not found out by a log that begins afterwards; chains and states of that time still tell.
Runs once for each subject, in one transaction.
"""

import secrets
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from r_memory.domain.facts import Entity
from r_memory.domain.holdings import counted, written
from r_memory.domain.log import weight
from r_memory.store import entries
from r_memory.store.bolt import SETUP_LIMIT_S
from r_memory.store.library import Graph, Run
from r_memory.store.neighbours import AWAITS
from r_memory.store.properties import Properties
from r_memory.store.queries import Query
from r_memory.store.rows import digest_of

_TALK = {"item": "Memory", "decision": "Decision", "document": "Document"}
_AT_ONCE = 500
_PARTS = ("events", "statements", "receipts", "state")


async def adopt(graph: Graph, type_: str) -> None:
    """Gives every subject of the type that has no log one, with everything that is there about it, and every space.

    A space's log is entered with what is kept of conversations.
    """
    for row in await graph.read("read/unlogged", type=type_, limit_s=SETUP_LIMIT_S):
        subject = Entity(space=str(row["space"]), type=type_, id=str(row["id"]), name=str(row["name"]))
        parts = {name: await _of(graph, name, subject.uid) for name in _PARTS}
        [(_, stored)] = await _of(graph, "subjects", subject.uid)
        await graph.together(_Adoption(subject, stored, parts).run, limit_s=SETUP_LIMIT_S)
    for kind, label in _TALK.items():
        read, write = graph.library["read/unlogged_talk"], graph.library["write/adopt_talk"]
        await _entered(graph, kind, read.with_labels("KIND", (label,)), write.with_labels("KIND", (label,)))
    await _entered(graph, "summary", graph.library["read/unlogged_summaries"], graph.library["write/adopt_summaries"])


async def _entered(graph: Graph, kind: str, read: Query, write: Query) -> None:
    spaces: defaultdict[str, list[Properties]] = defaultdict(list)
    for row in await graph.read(read, limit_s=SETUP_LIMIT_S):
        spaces[str(row["stored"]["space"])].append(row["stored"])
    for space, found in spaces.items():
        for start in range(0, len(found), _AT_ONCE):
            rows = [_row(kind, stored, place) for place, stored in enumerate(found[start : start + _AT_ONCE], start=1)]
            leaves = entries.added([str(row["leaf"]) for row in rows])
            log = entries.space_log(space)
            await graph.write(write, space=space, log=log, **leaves, rows=rows, limit_s=SETUP_LIMIT_S)


async def _of(graph: Graph, name: str, uid: str) -> Sequence[Any]:
    [row] = await graph.read(f"read/logged_{name}", uids=[uid], limit_s=SETUP_LIMIT_S)
    return [one for _, *one in row[name]]


class _Adoption:
    """What is written for one subject."""

    def __init__(self, subject: Entity, stored: Properties, parts: dict[str, Sequence[Any]]) -> None:
        self._subject = subject
        self._log = secrets.token_hex(16)
        self._entries: list[dict[str, object]] = []
        self._rows = {
            "statements": [self._statement(one) for one in _in_order(parts["statements"], "recorded_at", "id")],
            "events": [self._record("event", one) for one in _in_order(parts["events"], "seq", "id")],
            "receipts": [self._record("receipt", one) for one in _in_order(parts["receipts"], "shown_at", "id")],
        }
        facts = [(type_, edge) for type_, edge, *_ in parts["state"] if "fact_id" in edge]
        self._facts = [{"id": edge["fact_id"], "digest": digest_of(edge)} for _, edge in facts]
        salted, self._leaf = entries.logged("subject", {**stored, "log_id": self._log})
        self._properties = {
            "salt": salted["salt"],
            "log_id": self._log,
            "log_size": len(self._entries),
            "log_sum": weight(str(entry["leaf"]) for entry in self._entries),
            "held": written(counted((type_, edge["fact_id"], edge["last_seq"]) for type_, edge in facts)),
            "awaiting": sum(type_ == AWAITS for type_, *_ in parts["state"]),
        }

    async def run(self, run: Run) -> None:
        uid, space = self._subject.uid, self._subject.space
        log = entries.in_space(space, self._leaf)
        if not await run("write/adopt_subject", uid=uid, space=space, **log, properties=self._properties):
            return
        await run("erase/entries", space=space, log=self._log, rows=self._entries)
        for name, rows in self._rows.items():
            await run(f"write/adopt_{name}", space=space, rows=rows)
        await run("write/adopt_facts", subject_uid=uid, rows=self._facts)

    def _record(self, kind: str, stored: Properties) -> dict[str, object]:
        salted, leaf_ = entries.logged(kind, stored)
        return {"id": stored["id"], "properties": {"salt": salted["salt"], "entry": self._entered(leaf_)}}

    def _statement(self, stored: Properties) -> dict[str, object]:
        salts = {"salt": secrets.token_hex(8), "settled_salt": secrets.token_hex(8)}
        words, standing = entries.leaves_of_episode({**stored, **salts})
        places = {"entry": self._entered(words), "settled_entry": self._entered(standing)}
        return {"id": stored["id"], "properties": {**salts, **places}}

    def _entered(self, leaf_: str) -> int:
        seq = len(self._entries) + 1
        self._entries.append({"seq": seq, "leaf": leaf_, "ends": []})
        return seq


def _row(kind: str, stored: Properties, place: int) -> dict[str, object]:
    salted, leaf_ = entries.logged(kind, stored)
    key = (
        {"id": stored["conversation_uid"], "version": stored["version"]} if kind == "summary" else {"id": stored["id"]}
    )
    return {**key, "place": place, "salt": salted["salt"], "leaf": leaf_}


def _in_order(found: Sequence[Any], *names: str) -> list[Properties]:
    """The properties of what was found, by some of them; each comes with what ties it."""
    return sorted((stored for stored, *_ in found), key=lambda stored: tuple(stored[name] for name in names))
