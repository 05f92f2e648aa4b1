"""What somebody does who can change anything, and has the logs of a space fit what lies there now: the attack that only
a checkpoint from before tells.
"""

import secrets
from typing import Any

from r_memory.domain.holdings import counted, written
from r_memory.domain.log import leaf as leaf_of
from r_memory.domain.log import weight
from r_memory.store import entries
from r_memory.store.rows import digest_of
from tests.store.stores import Database

_TALK = {"item": "Memory", "summary": "Summary", "decision": "Decision", "document": "Document"}
_TOLD = {"event": "FactEvent", "receipt": "Recall"}
_AS_THEY_CAME = {
    "Episode": ("recorded_at", "seq", "id"),
    "FactEvent": ("seq", "id"),
    "Recall": ("shown_at", "id"),
    "Memory": ("seq", "id"),
    "Summary": ("conversation_uid", "version"),
    "Decision": ("at", "id"),
    "Document": ("id",),
}


async def make_logs_anew(database: Database, space: str) -> None:
    """Throws every log of the space away and begins each again, with all that is there."""
    await database.run("MATCH (entry:Entry {space: $space}) DELETE entry", space=space)
    await database.run("MATCH (log:Log {space: $space}) DELETE log", space=space)
    anew = _Anew(database, space)
    found = await database.run(
        "MATCH (one:Patient {space: $space}) RETURN properties(one) AS stored ORDER BY one.uid", space=space
    )
    leaves = [await anew.subject(row["stored"], place) for place, row in enumerate(found, start=1)]
    for kind, label in _TALK.items():
        leaves += await anew.records(kind, label, "one.entry IS NOT NULL", len(leaves))
    log = await anew.entered(entries.space_log(space), leaves)
    await database.run("CREATE (log:Log {space: $space}) SET log += $log", space=space, log=log)


class _Anew:
    def __init__(self, database: Database, space: str) -> None:
        self._run = database.run
        self._space = space

    async def subject(self, stored: Any, place: int) -> str:  # noqa: ANN401 - properties of a node
        """The leaf of a subject, whose log is made anew."""
        uid = stored["uid"]
        whose = "one.subject_uid = $uid"
        leaves = await self._statements(whose, uid)
        for kind, label in _TOLD.items():
            leaves += await self.records(kind, label, whose, len(leaves), uid)
        log = await self.entered(secrets.token_hex(16), leaves)
        salted, leaf = entries.logged("subject", {**stored, "log_id": log["log_id"]})
        state = await self._run(
            "MATCH (:Patient {uid: $uid})-[fact]->(o:Entity) WHERE fact.fact_id IS NOT NULL "
            "RETURN type(fact) AS type, properties(fact) AS stored, o.uid AS object",
            uid=uid,
        )
        facts: list[tuple[str, Any, str]] = [(str(row["type"]), row["stored"], str(row["object"])) for row in state]
        for _, fact, _ in facts:
            await self._run(
                "MATCH (:Patient {uid: $uid})-[fact {fact_id: $id}]->(:Entity) SET fact.digest = $digest",
                uid=uid,
                id=fact["fact_id"],
                digest=digest_of(fact),
            )
        waiting = await self._run("MATCH (:Patient {uid: $uid})-[one:AWAITS]->() RETURN count(one) AS n", uid=uid)
        beside = {
            "salt": salted["salt"],
            "entry": place,
            "held": written(counted((type_, fact["fact_id"], uid_, fact["last_seq"]) for type_, fact, uid_ in facts)),
            "awaiting": waiting[0]["n"],
        }
        await self._run("MATCH (p:Patient {uid: $uid}) SET p += $set", uid=uid, set={**log, **beside})
        return leaf

    async def records(self, kind: str, label: str, where: str, before: int, uid: str = "") -> list[str]:
        """The leaves of records of one kind, each of which names its place behind those before."""
        leaves = []
        for stored in await self._stored(label, where, uid):
            salted, leaf = entries.logged(kind, stored)
            leaves.append(leaf)
            await self._set(label, stored, {"salt": salted["salt"], "entry": before + len(leaves)})
        return leaves

    async def _statements(self, where: str, uid: str) -> list[str]:
        leaves: list[str] = []
        for stored in await self._stored("Episode", where, uid):
            salts = {"salt": secrets.token_hex(8), "settled_salt": secrets.token_hex(8)}
            places = {"entry": len(leaves) + 1, "settled_entry": len(leaves) + 2}
            words, standing = entries.records_of_episode({**stored, **salts})
            leaves += [leaf_of("statement", words), leaf_of("standing", standing)]
            await self._set("Episode", stored, {**salts, **places})
        return leaves

    async def _stored(self, label: str, where: str, uid: str) -> list[Any]:
        query = f"MATCH (one:{label}) WHERE one.space = $space AND {where} RETURN properties(one) AS stored"
        rows = await self._run(query, space=self._space, **({"uid": uid} if uid else {}))
        found: list[Any] = [row["stored"] for row in rows]
        return sorted(found, key=lambda stored: [stored[name] for name in _AS_THEY_CAME[label]])

    async def _set(self, label: str, stored: Any, properties: object) -> None:  # noqa: ANN401 - properties of a node
        names = ("conversation_uid", "version") if label == "Summary" else ("space", "id")
        where = ", ".join(f"{name}: ${name}" for name in names)
        key = {name: stored[name] for name in names}
        await self._run(f"MATCH (one:{label} {{{where}}}) SET one += $set", set=properties, **key)

    async def entered(self, log: str, leaves: list[str]) -> dict[str, object]:
        """What stands at the end of a log that has these leaves, once they are written."""
        await self._run(
            "UNWIND $rows AS row CREATE (:Entry {space: $space, log: $log, seq: row.place, leaf: row.leaf, ends: []})",
            space=self._space,
            log=log,
            rows=entries.rows(leaves),
        )
        return {"log_id": log, "log_size": len(leaves), "log_sum": weight(leaves)}
