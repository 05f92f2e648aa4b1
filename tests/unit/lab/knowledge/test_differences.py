"""What differs between two versions of a pack."""

from r_memory.domain.knowledge import Knowledge, Link
from r_memory_lab.knowledge.differences import PackChange, difference


def link(relation: str, start: str, end: str) -> Link:
    return Link(relation=relation, start=start, end=end)


def pack(*links: Link) -> Knowledge:
    return Knowledge(name="p", version="1", links=links)


def test_a_difference_names_what_was_added_removed_and_changed() -> None:
    old = pack(Link(relation="R", start="a", end="b", tier="B"), link("R", "a", "c"), link("R", "b", "c"))
    new = pack(Link(relation="R", start="a", end="b", tier="A", rate="2%"), link("R", "b", "c"), link("R", "c", "a"))

    assert difference(old, new) == (
        PackChange(
            kind="changed",
            relation="R",
            start="a",
            end="b",
            condition="",
            what={"tier": ("B", "A"), "rate": ("", "2%")},
        ),
        PackChange(kind="removed", relation="R", start="a", end="c", condition=""),
        PackChange(kind="added", relation="R", start="c", end="a", condition=""),
    )
    assert difference(new, new) == ()
