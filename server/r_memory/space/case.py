"""The case file that an auditor gets about one receipt: the records behind it, the proofs that they are in the log, and
the signed checkpoint of the installation. It can be checked without anything else.

Pure, except for reading the log; it knows plain data, not the file that contains it (`web/case.py`).
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from r_memory.domain.blocks import digest
from r_memory.domain.facts import entity_of_key
from r_memory.domain.instants import Instant, iso_seconds, parse_instant
from r_memory.domain.log import (
    Checkpoint,
    CoveredRecord,
    Entry,
    climbed,
    leaf_of_text,
    path,
    problems,
    record_text,
    root,
)
from r_memory.errors import InvalidInput, LedgerBroken
from r_memory.protocols import Store
from r_memory.space.integrity import RESTORE

FORMAT = 2
_KNOWN = (1, FORMAT)
"""Format numbers that can be checked; format 1 has receipts without block and salt."""
_AHEAD_MS = 10 * 60 * 1000
"""How far a checkpoint may be in the future, in milliseconds: clocks differ."""
GIVEN = ("request", "block", "answer", "objection")
"""Words that may be added to the records; the records hold at most their digests."""
_DIGESTS = (("request", "asked"), ("block", "stood"), ("answer", "answered"))


async def case_data(
    store: Store, space: str, receipt_id: str, *, given: Mapping[str, str], now: Instant
) -> tuple[dict[str, Any], Checkpoint]:
    """The data of a case file, and the checkpoint of its log, which has to be signed.

    Raises:
        InvalidInput: no receipt has the id.
        LedgerBroken: the log is not whole, and proves nothing.
    """
    receipt = await store.receipt(space, receipt_id)
    if receipt is None:
        raise InvalidInput(f"no receipt of this space has the id '{receipt_id[:40]}'; take it from a block")
    [look] = await store.inspect([entity_of_key(receipt.subject_uid)])
    wrong = [f"{problem.where} {problem.what}" for problem in (*problems(look.log), *look.problems)]
    own = f"receipt {receipt_id}"
    if wrong or own not in {record.where for record in look.log.records}:
        raise LedgerBroken(f"nothing can be proven: {wrong[0] if wrong else 'nothing leads to it'}; {RESTORE}")
    entries = {entry.seq: entry for entry in look.log.entries}
    nodes = [entry.node for entry in look.log.entries]
    shown = {event.id: event for event in look.events if event.fact_id in receipt.fact_ids}
    words = {event.episode_id for event in shown.values()}
    kept = [record for record in look.log.records if _belongs(record, own, shown, words)]
    made = Checkpoint(
        space=space, made_at=iso_seconds(now), logs={look.log.head.id: (len(nodes), root(look.log.entries))}
    )
    proofs = [_proof(record, entries[record.seq], nodes) for record in kept]
    data = {
        "format": FORMAT,
        "space": space,
        "receipt": receipt_id,
        "log": {"name": look.log.head.id, "size": len(nodes), "root": root(look.log.entries)},
        "checkpoint": {"made_at": made.made_at, "root": made.root, "place": 0, "size": 1, "path": []},
        "given": {name: text for name, text in given.items() if text},
        # Without the words the salt would only help to guess them.
        "given_salt": receipt.gate.digest_salt if any(given.get(name) for name, _ in _DIGESTS) else "",
        "entries": proofs,
    }
    return data, made


def _belongs(record: CoveredRecord, own: str, shown: Mapping[str, object], words: set[str]) -> bool:
    if record.kind == "event":
        return record.kept.get("id") in shown
    return record.where == own or (record.kind == "statement" and record.kept.get("id") in words)


def _proof(record: CoveredRecord, entry: Entry, nodes: Sequence[bytes]) -> dict[str, Any]:
    return {
        "seq": entry.seq,
        "ends": list(entry.ends),
        "path": path(nodes, entry.seq - 1),
        "text": record_text(record.kind, record.kept),
    }


def wrong_with(data: Mapping[str, Any], *, now: Instant) -> Iterator[str]:
    """All inconsistencies in the data of a case; none if it is consistent. The signature is not checked here.

    Raises:
        KeyError, TypeError, ValueError, InvalidInput: the data do not have the form of a case.
    """
    if data["format"] not in _KNOWN:
        yield f"is of format {data['format']}, and this version knows {FORMAT}"
    log, point = data["log"], data["checkpoint"]
    line = json.dumps([log["name"], log["size"], log["root"]]).encode()
    if climbed(line, point["place"], point["size"], point["path"]) != point["root"]:
        yield "the log does not lead to the checkpoint"
    if parse_instant(point["made_at"]) > now + _AHEAD_MS:
        yield f"the checkpoint is dated in the future ({point['made_at']})"
    for datum in data["entries"]:
        kind, _ = json.loads(datum["text"])
        entry = Entry(seq=datum["seq"], leaf=leaf_of_text(kind, datum["text"]), ends=tuple(datum["ends"]))
        if climbed(entry.node, datum["seq"] - 1, log["size"], datum["path"]) != log["root"]:
            yield f"entry {datum['seq']} does not lead to the root of its log"
    yield from strange_words(data)


def strange_words(data: Mapping[str, Any]) -> Iterator[str]:
    """Which of the added words do not belong to the receipt, by its digests; or that the receipt is missing."""
    records = (json.loads(datum["text"]) for datum in data["entries"])
    receipt = next(
        (record for kind, record in records if kind == "receipt" and record.get("id") == data["receipt"]), None
    )
    if receipt is None:
        yield "the receipt itself is not in it"
        return
    for name, field in _DIGESTS:
        words, kept = data["given"].get(name), receipt.get(field)
        if words and kept and digest(words, data.get("given_salt", "")) != kept:
            yield f"the {name} is not the one of this receipt: its sha256 differs"


def checkpoint_of(data: Mapping[str, Any]) -> bytes:
    """The bytes of its checkpoint that are signed."""
    point = data["checkpoint"]
    return json.dumps(["r-memory checkpoint 1", data["space"], point["made_at"], point["root"]]).encode()
