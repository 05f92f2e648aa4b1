"""What became of each claim between two versions of a knowledge pack."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from r_memory.domain.knowledge import Knowledge, Link


@dataclass(frozen=True, slots=True, kw_only=True)
class PackChange:
    """One difference between two versions of a pack."""

    kind: Literal["added", "removed", "changed"]
    relation: str
    start: str
    """Entity uid."""
    end: str
    condition: str
    what: Mapping[str, tuple[object, object]] = field(default_factory=dict)
    """For a change: attribute to its old and new value."""


def difference(old: Knowledge, new: Knowledge) -> tuple[PackChange, ...]:
    """Returns the changes between two versions, by relation and names; a changed condition makes another claim."""
    before, after = _by_claim(old), _by_claim(new)
    changes = [
        *(_change("removed", key) for key in before.keys() - after.keys()),
        *(_change("added", key) for key in after.keys() - before.keys()),
        *(
            _change("changed", key, what)
            for key in before.keys() & after.keys()
            if (what := _what(before[key], after[key]))
        ),
    ]
    return tuple(sorted(changes, key=lambda one: (one.relation, one.start, one.end, one.condition, one.kind)))


_Claim = tuple[str, str, str, str]


def _by_claim(knowledge: Knowledge) -> dict[_Claim, Link]:
    return {(link.relation, link.start, link.end, link.condition): link for link in knowledge.links}


def _change(
    kind: Literal["added", "removed", "changed"], key: _Claim, what: Mapping[str, tuple[object, object]] | None = None
) -> PackChange:
    relation, start, end, condition = key
    return PackChange(kind=kind, relation=relation, start=start, end=end, condition=condition, what=what or {})


def _what(before: Link, after: Link) -> Mapping[str, tuple[object, object]]:
    names = ("tier", "rate", "action", "source", "reviewed", "checked_by", "checked_on", "rule", "shares")
    return {
        name: (getattr(before, name), getattr(after, name))
        for name in names
        if getattr(before, name) != getattr(after, name)
    }
