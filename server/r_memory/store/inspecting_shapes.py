"""Checks, for `verify`, the shape of a space: labels, relationships and properties that r-memory never creates.

`inspecting.py` checks and counts the relationships of each subject; this module finds what no subject leads to. Pure;
it knows kinds of records, not their content.
"""

from collections.abc import Iterator, Mapping, Sequence

from r_memory.domain.log import Problem
from r_memory.store.bolt_wire import Row
from r_memory.store.preparing import Preparer
from r_memory.store.properties import Properties

KEPT: Mapping[str, frozenset[str]] = {
    "Log": frozenset({"space", "log_id", "log_size", "log_sum", "claimed", "arriving"}),
    "Stream": frozenset({"space", "changes", "claimed"}),
    "Conversation": frozenset(
        {"uid", "space", "subject_uid", "id", "title", "length", "turns", "last_change", "summaries"}
        | {"summary_version", "decided"}
    ),
}
"""By label: properties of nodes that no log entry covers."""
ENTRY_SIZE = 5
"""Number of properties of a log entry."""
_ALONE = frozenset(
    {"Decision", "Document", "Entry", "Episode", "FactEvent", "Memory", "Recall", "Summary", *KEPT},
)
"""Labels of nodes that have only one label."""
_TO_SUBJECTS = {"ABOUT": ["FactEvent"], "CONCERNS": ["Episode"], "SHOWED": ["Recall"]}
_BETWEEN = {"EVIDENCED_BY": (["FactEvent"], ["Episode"]), "PART_OF": (["Memory"], ["Conversation"])}
_BY_HAND = "was put there by hand"


def strange_labels(found: Sequence[Row], preparer: Preparer) -> Iterator[Problem]:
    """Combinations of labels that no node of a space has."""
    for row in found:
        labels = sorted(map(str, _listed(row["labels"])))
        type_ = row["type"]
        kind = preparer.labels(type_) if isinstance(type_, str) else ()
        alone = len(labels) == 1 and labels[0] in {*_ALONE, "Entity"}
        if not (alone or (kind and labels == sorted({"Entity", *kind}))):
            yield Problem(where=f"node {'/'.join(labels)}", what=f"has labels that nothing gives: {_BY_HAND}")


def strange_ties(found: Sequence[Row], relations: frozenset[str]) -> Iterator[Problem]:
    """Relationships of our types between nodes that they never connect; `relations` are those of facts."""
    for row in found:
        if not _may_stand(row, relations):
            ends = " to ".join("/".join(sorted(map(str, _listed(row[end])))) for end in ("start", "end"))
            yield Problem(where=f"relationship {row['type']}", what=f"leads from {ends}: {_BY_HAND}")


def _may_stand(row: Row, relations: frozenset[str]) -> bool:
    type_, start, end = str(row["type"]), _listed(row["start"]), _listed(row["end"])
    if type_ in _TO_SUBJECTS:
        return start == _TO_SUBJECTS[type_] and row["to_subject"] is True
    if type_ in _BETWEEN:
        return (start, end) == _BETWEEN[type_]
    if type_ == "AWAITS":
        return row["from_subject"] is True and end == ["Episode"]
    return type_ not in relations or (row["from_subject"] is True and "Entity" in end)


def strange_properties(label: str, stored: Properties) -> Iterator[Problem]:
    """Yields a problem if a node has a property that nodes of its label never have."""
    if not stored.keys() <= KEPT[label]:
        yield Problem(where=label.lower(), what=f"holds a property that nothing gives: it {_BY_HAND}")


def _listed(value: object) -> list[object]:
    return value if isinstance(value, list) else []
