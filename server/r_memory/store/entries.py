"""The log entry of each record, and the comparison of stored records with their entries.

A record carries the position of its entry and a salt. An episode has two entries: one for the words, one for its
status, which changes. Counts of the store itself (positions in a conversation, counts on a subject) are in no entry;
`verify` counts them again. It knows properties, not queries.
"""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from r_memory.domain.blocks import digest
from r_memory.domain.events import Episode
from r_memory.domain.log import leaf, weight
from r_memory.store.properties import Properties
from r_memory.store.rows import ENTITY, EPISODE, SETTLED, SETTLING

Written = tuple[dict[str, object], str]
"""Properties including the salt, and the leaf of their entry."""
FRESH = {"status": "pending", "language": "", "review": [], "disputed": [], "attempts": 1}
"""Status of an episode that was just stored; it has no entry."""
_ALWAYS_BESIDE = ("entry", "claimed")
"""Position of the entry, and a lock without content."""
_BESIDE = {
    "subject": (
        *("log_size", "log_sum", "held", "awaiting", "arriving", "changed_seq", "chain_seq", "chain_hash"),
        *("chain_recorded_at", "chain_recorded_at_iso"),
    ),
    "statement": ("seq", "settled_entry"),
    "item": (
        *("index", "seq", "change", "summary", "importance", "sources", "accessed_at", "accessed_at_iso"),
        *("embedding", "embedding_model", "dimensions"),
    ),
    "summary": ("place",),
}
"""By kind of record: properties that change, are counted by the store, or are recreated. They are in no leaf, and no
fact is read from them.
"""
_STANDING = {*SETTLING, "settled_at_iso", "settled_salt"}


def space_log(space: str) -> str:
    """Name of the log of a space."""
    return f"space/{space}"


def logged(kind: str, properties: Properties) -> Written:
    """The properties to store for a record, and the leaf of its entry."""
    salted = {**properties, "salt": secrets.token_hex(8)}
    return salted, leaf_of(kind, salted)


def said(episode: Episode) -> tuple[dict[str, object], list[str]]:
    """The properties to store for a new episode, and its leaves: of the words, and of its status if it is not new."""
    every, standing = EPISODE.properties(episode), SETTLED.properties(episode)
    words, words_leaf = logged("statement", {name: every[name] for name in every if name not in _STANDING})
    if standing == FRESH:
        return {**words, **standing}, [words_leaf]
    settled, settled_leaf = settling(episode)
    return {**words, **settled}, [words_leaf, settled_leaf]


def settling(episode: Episode) -> Written:
    """The properties to store for the status of an episode, and the leaf of their entry."""
    settled = {**SETTLED.properties(episode), "settled_salt": secrets.token_hex(8)}
    return settled, leaf("standing", settled)


def rows(leaves: Sequence[str]) -> list[dict[str, object]]:
    """Entries as parameters of a query."""
    return [{"place": place, "leaf": leaf} for place, leaf in enumerate(leaves, start=1)]


def added(leaves: Sequence[str]) -> dict[str, Any]:
    """What entries add to the sum of a log, as parameters of a query."""
    return {"weight": weight(leaves)}


def in_space(space: str, leaf_: str) -> dict[str, Any]:
    """An entry in the log of a space, as parameters of a query."""
    return {"log": space_log(space), "leaf": leaf_, **added([leaf_])}


def noted(kind: str, space: str) -> dict[str, Any]:
    """An entry without a record in the log of a space, as parameters of a query."""
    return in_space(space, logged(kind, {})[1])


def entered(kind: str, space: str, properties: Properties) -> dict[str, Any]:
    """A record of the conversational memory with its entry in the log of its space, as parameters of a query."""
    salted, leaf_ = logged(kind, properties)
    return {"properties": salted, **in_space(space, leaf_)}


def leaf_of(kind: str, stored: Properties) -> str:
    """The leaf of a stored record."""
    return leaf(kind, record_of(kind, stored))


def record_of(kind: str, stored: Properties) -> dict[str, object]:
    """The part of a stored record that its leaf covers."""
    record = dict(stored)
    for name in (*_ALWAYS_BESIDE, *_BESIDE.get(kind, ())):
        record.pop(name, None)
    if isinstance(salt := record.get("digest_salt"), str):  # whoever is shown the record is not told it
        record["digest_salt"] = digest(salt)
    return record


def records_of_episode(stored: Properties) -> tuple[dict[str, object], dict[str, object]]:
    """The parts of a stored episode that its leaves cover: its words, and its status."""
    words = {name: value for name, value in stored.items() if name not in _STANDING}
    standing = {name: value for name, value in stored.items() if name in _STANDING}
    return record_of("statement", words), record_of("standing", standing)


def is_word_as_written(stored: Properties) -> bool:
    """Whether the node of a space's own word has only the properties that follow from its name.

    Raises:
        Unreadable: it is no entity.
    """
    word = ENTITY.value(stored)
    return dict(stored) == ENTITY.properties(replace(word, aliases=(), codes={}))


def is_fresh(stored: Mapping[str, object]) -> bool:
    """Whether a stored episode has still its first status."""
    return {name: value for name, value in stored.items() if name in _STANDING} == FRESH
