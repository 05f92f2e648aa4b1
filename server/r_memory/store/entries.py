"""What is written into the log beside each record, and what the log says of a record as it lies in the graph.

A record carries the place of its entry and a salt. An episode has two: one for what was said, one for how far it got,
which moves on. What a store counts by itself (places in a conversation, counts beside a subject) is in no entry;
`verify` counts it again. Knows properties, not queries.
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
"""Properties with their salt, and the leaf of their entry."""
FRESH = {"status": "pending", "language": "", "review": [], "disputed": [], "attempts": 1}
"""How far words got that were only just stored; nothing is entered for it."""
_ALWAYS_BESIDE = ("entry", "claimed")
"""Where its entry is, and a lock, which says nothing."""
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
"""What of a record moves on, is counted by the store, or is made anew: in no leaf, and read for no fact."""
_STANDING = {*SETTLING, "settled_at_iso", "settled_salt"}


def space_log(space: str) -> str:
    """The name of the log of a space."""
    return f"space/{space}"


def logged(kind: str, properties: Properties) -> Written:
    """What to store of a record, and what its entry says."""
    salted = {**properties, "salt": secrets.token_hex(8)}
    return salted, leaf_of(kind, salted)


def said(episode: Episode) -> tuple[dict[str, object], list[str]]:
    """What to store of a new episode, and its leaves: of the words and, if something was done, of how far they got."""
    every, standing = EPISODE.properties(episode), SETTLED.properties(episode)
    words, words_leaf = logged("statement", {name: every[name] for name in every if name not in _STANDING})
    if standing == FRESH:
        return {**words, **standing}, [words_leaf]
    settled, settled_leaf = settling(episode)
    return {**words, **settled}, [words_leaf, settled_leaf]


def settling(episode: Episode) -> Written:
    """What to store of how far an episode got."""
    settled = {**SETTLED.properties(episode), "settled_salt": secrets.token_hex(8)}
    return settled, leaf("standing", settled)


def rows(leaves: Sequence[str]) -> list[dict[str, object]]:
    """Entries as queries take them."""
    return [{"place": place, "leaf": one} for place, one in enumerate(leaves, start=1)]


def added(leaves: Sequence[str]) -> dict[str, Any]:
    """What entries add to the sum of a log, as queries take it."""
    return {"weight": weight(leaves)}


def in_space(space: str, leaf_: str) -> dict[str, Any]:
    """An entry in the log of a space, as queries take it."""
    return {"log": space_log(space), "leaf": leaf_, **added([leaf_])}


def noted(kind: str, space: str) -> dict[str, Any]:
    """An entry in the log of a space that has no record, as queries take it."""
    return in_space(space, logged(kind, {})[1])


def entered(kind: str, space: str, properties: Properties) -> dict[str, Any]:
    """A record of the conversational memory with its entry in the log of its space, as queries take it."""
    salted, leaf_ = logged(kind, properties)
    return {"properties": salted, **in_space(space, leaf_)}


def leaf_of(kind: str, stored: Properties) -> str:
    """The leaf of a record as it lies in the store."""
    return leaf(kind, record_of(kind, stored))


def record_of(kind: str, stored: Properties) -> dict[str, object]:
    """What of a record as it lies in the store its leaf is over."""
    record = dict(stored)
    for name in (*_ALWAYS_BESIDE, *_BESIDE.get(kind, ())):
        record.pop(name, None)
    if isinstance(salt := record.get("digest_salt"), str):  # whoever is shown the record is not told it
        record["digest_salt"] = digest(salt)
    return record


def leaves_of_episode(stored: Properties) -> tuple[str, str]:
    """The leaves of an episode as it lies in the store: of its words, and of how far they got."""
    words, standing = records_of_episode(stored)
    return leaf("statement", words), leaf("standing", standing)


def records_of_episode(stored: Properties) -> tuple[dict[str, object], dict[str, object]]:
    """What the leaves of an episode are over as it lies in the store: its words, and how far they got."""
    words = {name: value for name, value in stored.items() if name not in _STANDING}
    standing = {name: value for name, value in stored.items() if name in _STANDING}
    return record_of("statement", words), record_of("standing", standing)


def is_word_as_written(stored: Properties) -> bool:
    """Whether a word of a space's own is as it would be written under its name: it has nothing but that.

    Raises:
        Unreadable: it is no entity.
    """
    word = ENTITY.value(stored)
    return dict(stored) == ENTITY.properties(replace(word, aliases=(), codes={}))


def is_fresh(stored: Mapping[str, object]) -> bool:
    """Whether nothing was done yet with an episode that lies in the store."""
    return {name: value for name, value in stored.items() if name in _STANDING} == FRESH
