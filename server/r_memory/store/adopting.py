"""Enters in the logs what an earlier version recorded, which kept none: as it lies there on that day.

What was altered before is not found out by a log that begins afterwards; chains and states of that time still tell.
Runs once for each subject, in one transaction.
"""

import secrets
from collections import defaultdict
from collections.abc import Sequence
from typing import Any, cast

from r_memory.domain.facts import Entity
from r_memory.domain.holdings import counted, written
from r_memory.domain.log import weight
from r_memory.store import entries
from r_memory.store.bolt import SETUP_LIMIT_S, Bolt, Run
from r_memory.store.library import Library
from r_memory.store.neighbours import AWAITS
from r_memory.store.properties import Properties, digest
from r_memory.store.queries import Query

_TALK = {"item": "Memory", "decision": "Decision", "document": "Document"}
_AT_ONCE = 500
_PARTS = ("events", "statements", "receipts", "state")


class Adopter:
    """Adopts the subjects of one database."""

    def __init__(self, bolt: Bolt, library: Library) -> None:
        self._bolt = bolt
        self._library = library

    async def adopt(self, type_: str) -> None:
        """Gives every subject of the type that has no log one, with everything that is there about it."""
        for row in await self._read("read/unlogged", type=type_):
            subject = Entity(space=str(row["space"]), type=type_, id=str(row["id"]), name=str(row["name"]))
            parts = {name: await self._of(name, subject.uid) for name in _PARTS}
            [found] = await self._read("read/logged_subjects", uids=[subject.uid])
            await self._bolt.write(
                _Adoption(self._library, subject, found["subject"], parts).run, limit_s=SETUP_LIMIT_S
            )

    async def adopt_talk(self) -> None:
        """The same for what is kept of conversations, in every space."""
        for kind, label in _TALK.items():
            read, write = self._library["read/unlogged_talk"], self._library["write/adopt_talk"]
            await self._entered(kind, read.with_labels("KIND", (label,)), write.with_labels("KIND", (label,)))
        await self._entered("summary", self._library["read/unlogged_summaries"], self._library["write/adopt_summaries"])

    async def _entered(self, kind: str, read: Query, write: Query) -> None:
        spaces: defaultdict[str, list[Any]] = defaultdict(list)
        for row in cast("Any", await self._bolt.read(read, {}, limit_s=SETUP_LIMIT_S)):
            spaces[str(row["stored"]["space"])].append(row["stored"])
        for space, found in spaces.items():
            for start in range(0, len(found), _AT_ONCE):
                rows = [
                    _row(kind, stored, place) for place, stored in enumerate(found[start : start + _AT_ONCE], start=1)
                ]
                leaves = entries.added([str(row["leaf"]) for row in rows])
                log = {"space": space, "log": entries.space_log(space), **leaves}
                await self._bolt.write_one(write, {**log, "rows": rows}, limit_s=SETUP_LIMIT_S)

    async def _of(self, name: str, uid: str) -> Sequence[Any]:
        rows: Any = await self._read(f"read/logged_{name}", uids=[uid])
        return rows[0][name] if rows else ()

    async def _read(self, name: str, **parameters: object) -> list[Any]:
        return await self._bolt.read(self._library[name], parameters, limit_s=SETUP_LIMIT_S)


class _Adoption:
    """What is written for one subject."""

    def __init__(self, library: Library, subject: Entity, stored: Properties, parts: dict[str, Sequence[Any]]) -> None:
        self._library, self._subject = library, subject
        self._log = secrets.token_hex(16)
        self._entries: list[dict[str, object]] = []
        self._rows = {
            "statements": [self._statement(one) for one in _in_order(parts["statements"], "recorded_at", "id")],
            "events": [self._record("event", one) for one in _in_order(parts["events"], "seq", "id")],
            "receipts": [self._record("receipt", one) for one in _in_order(parts["receipts"], "shown_at", "id")],
        }
        facts = [(type_, edge) for type_, edge, *_ in parts["state"] if "fact_id" in edge]
        self._facts = [{"id": edge["fact_id"], "digest": digest(_undigested(edge))} for _, edge in facts]
        declared = {name: value for name, value in stored.items() if name not in entries.BESIDE_SUBJECT}
        salted, self._leaf = entries.logged("subject", {**declared, "log_id": self._log})
        self._properties = {
            "salt": salted["salt"],
            "log_id": self._log,
            "log_size": len(self._entries),
            "log_sum": weight(str(entry["leaf"]) for entry in self._entries),
            "held": written(counted((type_, edge["fact_id"], edge["last_seq"]) for type_, edge in facts)),
            "awaiting": sum(type_ == AWAITS for type_, *_ in parts["state"]),
        }

    async def run(self, run: Run) -> None:
        about = {"uid": self._subject.uid, "space": self._subject.space}
        log = {"log": entries.space_log(self._subject.space), "leaf": self._leaf, **entries.added([self._leaf])}
        if not await run(self._library["write/adopt_subject"], {**about, **log, "properties": self._properties}):
            return
        space = {"space": self._subject.space}
        await run(self._library["erase/entries"], {**space, "log": self._log, "rows": self._entries})
        for name, rows in self._rows.items():
            await run(self._library[f"write/adopt_{name}"], {**space, "rows": rows})
        await run(self._library["write/adopt_facts"], {"subject_uid": self._subject.uid, "rows": self._facts})

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
    salted, leaf_ = entries.logged_in_part(kind, stored)
    key = (
        {"id": stored["conversation_uid"], "version": stored["version"]} if kind == "summary" else {"id": stored["id"]}
    )
    return {**key, "place": place, "salt": salted["salt"], "leaf": leaf_}


def _in_order(found: Sequence[Any], *names: str) -> list[Properties]:
    """The properties of what was found, by some of them; each comes with what ties it."""
    return sorted((stored for stored, *_ in found), key=lambda stored: tuple(stored[name] for name in names))


def _undigested(edge: Properties) -> Properties:
    return {name: value for name, value in edge.items() if name != "digest"}
