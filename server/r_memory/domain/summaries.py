"""The structured summary of a conversation: eight fields, merged by code (CIM; memory-systems 2.2).

A model's reply is only a proposal. A bad, short or missing reply never removes collected entries; only an explicit
operation does (`lifted`). Safety facts are neither kept here nor read from here.
"""

import re
import unicodedata
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from r_memory.domain.instants import Instant
from r_memory.domain.memories import ConversationRecord

EMPTY = "empty"
"""Value of `core_discussion` before the first discussion (CIM)."""
ACCUMULATED = ("confirmed_needs", "constraints", "excluded_options", "key_data", "pending_discussion")
FLAGS = "flags"
"""Key under which a proposal may list its own problems; no field of the summary."""
BINDING = 12
"""Maximum number of constraints, and of exclusions, that hold at a time; older ones have ended."""
ENTRY_LIMIT = 300
"""Maximum characters of an entry or topic; longer ones are cut with an ellipsis."""
ENTRIES_AT_ONCE = 20
"""Maximum number of entries that one reply may add to a field."""
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationSummary:
    """The summary of a conversation; each turn that changes it gives a new value."""

    version: int = 0
    """Number of changes; 0 before the first."""
    core_discussion: str = EMPTY
    confirmed_needs: tuple[str, ...] = ()
    constraints: tuple[str, ...] = ()
    excluded_options: tuple[str, ...] = ()
    """Each `option: reason`."""
    key_data: tuple[str, ...] = ()
    current_conclusion: tuple[str, ...] = ()
    """The conclusions, newest first."""
    pending_questions: tuple[str, ...] = ()
    """Questions of the present topic; replaced, not collected."""
    pending_discussion: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptSummary(ConversationRecord):
    """One stored version of a conversation's summary."""

    content: ConversationSummary
    upto: int
    """Number of the last turn that it covers."""
    made_at: Instant
    made_by: str
    """Who proposed the change: `local/2`, `chat some-model`, `person`."""
    flags: tuple[str, ...] = ()
    """Problems of the proposal: `unreadable`, `repaired`, `missing_fields`, `fallback`; or further operations:
    `lifted`, `archived`.
    """

    @property
    def version(self) -> int:
        """Number of the version, from 1."""
        return self.content.version


FIELDS = tuple(item.name for item in fields(ConversationSummary) if item.name != "version")


def merged(old: ConversationSummary, reply: Mapping[str, object]) -> ConversationSummary:
    """The summary after a reply; fields that are missing or malformed stay as they were.

    A text in place of a list counts as a list of one entry. Entries that differ only in capitals, width, spaces or full
    stops are the same entry and keep their first form; the same applies to an option that is excluded again.
    """
    given = {name: entries for name in FIELDS if name in reply and (entries := _entries(reply[name])) is not None}
    excluded = {_folded(option_of(entry)) for entry in old.excluded_options}
    options = ((_folded(option_of(entry)), entry) for entry in given.get("excluded_options", ()))
    given["excluded_options"] = tuple(entry for option, entry in options if option and option not in excluded)
    changed: dict[str, Any] = {name: _union(getattr(old, name), given.get(name, ())) for name in ACCUMULATED}
    # Conclusions drawn again keep their place, and their first wording.
    drawn = _union(old.current_conclusion, given.get("current_conclusion", ()))[len(old.current_conclusion) :]
    changed["current_conclusion"] = (*drawn, *old.current_conclusion)
    changed["pending_questions"] = given.get("pending_questions", old.pending_questions)
    topic = reply.get("core_discussion")
    changed["core_discussion"] = (_cleaned(topic) if isinstance(topic, str) else "") or old.core_discussion
    new = replace(old, **changed)
    return old if new == old else replace(new, version=old.version + 1)


def usable(reply: Mapping[str, object]) -> bool:
    """Whether a reply can be used: an empty reply can; a reply with unknown fields only cannot."""
    given = [name for name in FIELDS if name in reply and _entries(reply[name]) is not None]
    return bool(given) or not set(reply) - {FLAGS}


def lifted(old: ConversationSummary, option: str) -> ConversationSummary:
    """The summary without an excluded option that was raised again."""
    kept = tuple(entry for entry in old.excluded_options if _folded(option_of(entry)) != _folded(option))
    return old if kept == old.excluded_options else replace(old, excluded_options=kept, version=old.version + 1)


def ended(old: ConversationSummary, constraints: Collection[str]) -> ConversationSummary:
    """The summary without constraints that have ended."""
    kept = tuple(entry for entry in old.constraints if entry not in constraints)
    return old if kept == old.constraints else replace(old, constraints=kept, version=old.version + 1)


def forgotten(old: ConversationSummary, means: Callable[[str], bool]) -> ConversationSummary:
    """The summary without the entries that a person asked to forget."""
    kept: dict[str, object] = {}
    for each in fields(old):
        value = getattr(old, each.name)
        if isinstance(value, tuple) and any(map(means, value)):
            kept[each.name] = tuple(entry for entry in value if not means(entry))
    if means(old.core_discussion):
        kept["core_discussion"] = ConversationSummary().core_discussion
    return replace(old, version=old.version + 1, **kept) if kept else old  # type: ignore[arg-type]  # by name


def archived(old: ConversationSummary, keep: int) -> ConversationSummary:
    """The summary with the newest `keep` entries of each list; older versions keep the rest.

    This explicit operation lets conversations of thousands of turns continue. Of constraints and exclusions the newest
    `BINDING` are kept.
    """
    cut = replace(
        old,
        constraints=old.constraints[-BINDING:],
        excluded_options=old.excluded_options[-BINDING:],
        confirmed_needs=old.confirmed_needs[-keep:],
        key_data=old.key_data[-keep:],
        pending_discussion=old.pending_discussion[-keep:],
        current_conclusion=old.current_conclusion[:keep],
    )
    return old if cut == old else replace(cut, version=old.version + 1)


def option_of(entry: str) -> str:
    """The option of an entry `option: reason`.

    >>> option_of("MongoDB: no transactions")
    'MongoDB'
    """
    return re.split(r"[:\uff1a]", entry, maxsplit=1)[0].strip()


def _entries(value: object) -> tuple[str, ...] | None:
    """The texts of a list; `None` if the value is no list."""
    if isinstance(value, str):
        value = [value]
    if not isinstance(value, list | tuple):
        return None
    cleaned = (_cleaned(_worded(item)) for item in value[:ENTRIES_AT_ONCE])
    return tuple(entry for entry in cleaned if entry)


def _worded(item: object) -> str:
    """The words of an entry; the texts of an object (an option with its reason) are joined."""
    if isinstance(item, Mapping):
        return ": ".join(text for text in item.values() if isinstance(text, str))
    return item if isinstance(item, str) else ""


def _cleaned(text: str) -> str:
    """The text on one line, without characters that no store keeps, cut to the length of an entry."""
    line = " ".join(_CONTROL.sub(" ", text[: 10 * ENTRY_LIMIT]).split())
    return line if len(line) <= ENTRY_LIMIT else line[: ENTRY_LIMIT - 1].rstrip() + "…"


def _union(first: Sequence[str], second: Sequence[str]) -> tuple[str, ...]:
    known = {_folded(entry) for entry in first}
    added: dict[str, str] = {}
    for entry in second:
        if (key := _folded(entry)) not in known:
            added.setdefault(key, entry)
    return (*first, *added.values())


def _folded(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split()).rstrip(".;。")
