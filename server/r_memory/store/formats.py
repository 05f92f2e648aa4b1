"""The format of a store, by which a version knows what it may open.

It grows by one with every change after which an earlier version would read a store wrongly, or this one an earlier
store; how an earlier store becomes one of this format is written in `migrating.py`.
"""

FORMAT = 2
"""1: r-memory 0.1. 2: what is held of a subject knows the object of each fact (0.2)."""


def later_than_this(found: int) -> str:
    """What is said of a store of a later format; goes on with what else can be done."""
    return (
        f"was written by a later version of r-memory (format {found}, this version knows {FORMAT}) and was left as it "
        "is; install that version or a later one"
    )
