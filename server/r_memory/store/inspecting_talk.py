"""Checks, for `verify`, that the turns, summaries and decisions of the conversational memory are as they were entered.

Properties that are recreated or only used for searching (`entries.py`) are not checked: no fact is read from them.
"""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from r_memory.domain.log import CoveredRecord, Problem
from r_memory.domain.memories import Tier, conversation_uid
from r_memory.store import entries
from r_memory.store.bolt import SETUP_LIMIT_S
from r_memory.store.inspecting_shapes import strange_properties
from r_memory.store.library import Graph
from r_memory.store.properties import Properties, is_number, number_of
from r_memory.store.rows import conversation_title

_MARKER = {"space", "id", "removed_id", "change"}
_REMOVED = re.compile(r"#removed-[0-9a-f]{32}")


async def inspect_talk(graph: Graph, space: str) -> tuple[list[CoveredRecord], list[Problem]]:
    """All records, beside declarations, that the log of a space covers, and the problems that no log covers."""
    look = _TalkLook(space)

    async def found(name: str) -> Sequence[Any]:
        rows = await graph.read(f"read/logged_{name}", space=space, limit_s=SETUP_LIMIT_S)
        return rows[0][name] if rows else ()

    look.items(await found("items"))
    for name, kind in _KINDS.items():
        for stored in await found(name):
            look.made(kind, stored)
    [talk] = await graph.read("read/logged_talk", space=space, limit_s=SETUP_LIMIT_S)
    look.conversations(talk["conversations"])
    look.stream(talk["streams"])
    return look.records, look.problems


_KINDS = {"summaries": "summary", "decisions": "decision", "documents": "document"}


class _TalkLook:
    """The inspection of one space."""

    def __init__(self, space: str) -> None:
        self._space = space
        self.records: list[CoveredRecord] = []
        self.problems: list[Problem] = []
        self._turns: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
        """By conversation: positions of its turns in the log and in the conversation."""
        self._seqs: list[tuple[int, int]] = []
        self._summaries: defaultdict[str, list[tuple[int, int, int]]] = defaultdict(list)
        self._decided: defaultdict[str, list[int]] = defaultdict(list)

    def items(self, found: Sequence[Any]) -> None:
        for stored, ties in found:
            where = f"item {stored.get('id')}"
            if "removed_id" in stored:
                self._marker(where, stored, [tie for _, tie in ties])
                continue
            self._record(where, "item", stored)
            uid = str(stored.get("conversation_uid"))
            if ties != [[uid, {"space": self._space}]]:
                self._wrong(where, "does not belong to its conversation by an unaltered relationship")
            place = number_of(stored.get("entry"))
            self._seqs.append((place, number_of(stored.get("seq"))))
            if not 1 <= self._seqs[-1][1] <= number_of(stored.get("change")):
                self._wrong(where, "has a number that it cannot have")
            if stored.get("tier") == Tier.TURN:
                self._turns[uid].append((place, number_of(stored.get("index"))))
            elif stored.get("index") != 0:
                self._wrong(where, "has a place among turns and is none")
        numbers = [seq for _, seq in sorted(self._seqs)]
        if numbers != sorted(set(numbers)):
            self._wrong("items", "are not numbered in the order in which they came")

    def _marker(self, where: str, stored: Properties, ties: Sequence[object]) -> None:
        id_, removed = str(stored.get("id")), str(stored.get("removed_id"))
        # The conversation of an erased subject is deleted too.
        tied = ties in ([{"space": self._space}], [None], [])
        sound = tied and stored.keys() == _MARKER
        if not sound or not id_.startswith(removed) or not _REMOVED.fullmatch(id_[len(removed) :]):
            self._wrong(where, "is neither an item nor what is left of one")

    def made(self, kind: str, stored: Properties) -> None:
        uid = str(stored.get("conversation_uid"))
        self._record(f"{kind} {stored.get('id', stored.get('version'))}", kind, stored)
        if kind == "summary":
            entry, place, version = (number_of(stored.get(name)) for name in ("entry", "place", "version"))
            self._summaries[uid].append((entry, place, version))
        elif kind == "decision":
            self._decided[uid].append(number_of(stored.get("turn")))

    def conversations(self, found: Sequence[Any]) -> None:
        for stored in found:
            self.problems += strange_properties("Conversation", stored)
            uid = str(stored.get("uid"))
            turns, summaries = sorted(self._turns.pop(uid, [])), sorted(self._summaries.pop(uid, []))
            decided = max(self._decided.pop(uid, []), default=0)
            newest = summaries[-1] if summaries else (0, 0, 0)
            key = conversation_uid(self._space, str(stored.get("subject_uid")), str(stored.get("id")))
            title = conversation_title(str(stored.get("id")))  # an earlier version gave none
            fits = (
                uid == key
                and stored.get("title", title) == title
                and [index for _, index in turns] == list(range(1, len(turns) + 1))
                and [place for _, place, _ in summaries] == sorted({place for _, place, _ in summaries})
                and _counts(stored, turns=len(turns), summaries=newest[1], summary_version=newest[2])
                and number_of(stored.get("decided")) >= decided
            )
            if not fits:
                self._wrong(f"conversation {stored.get('id')}", "does not count what was said in it, or made of it")
        if any(self._turns.values()) or any(self._summaries.values()):
            self._wrong("conversations", "lack one in which something was said")

    def stream(self, found: Sequence[Any]) -> None:
        self.problems += [problem for item in found for problem in strange_properties("Stream", item)]
        changes = [number_of(item.get("changes")) for item in found]
        if self._seqs and (len(changes) != 1 or changes[0] < max(seq for _, seq in self._seqs)):
            self._wrong("stream", "does not count its changes")

    def _record(self, where: str, kind: str, stored: Mapping[str, Any]) -> None:
        leaf = entries.leaf_of(kind, stored)
        self.records.append(CoveredRecord(where=where, seq=number_of(stored.get("entry")), kind=kind, leaf=leaf))

    def _wrong(self, where: str, what: str) -> None:
        self.problems.append(Problem(where=where, what=what))


def _counts(stored: Properties, **wanted: int) -> bool:
    """Whether a conversation has these counts; a count of 0 may be missing."""
    return all(is_number(stored.get(name, 0), number) for name, number in wanted.items())
