"""The format number of a store; a version opens only stores that it knows.

It grows by one with every change after which an earlier version would misread a store, or this version an earlier
store. `migrating.py` updates earlier stores.
"""

FORMAT = 2
"""1: r-memory 0.1. 2: the count of a subject's facts includes the object of each fact (0.2)."""


def later_than_this(found: int) -> str:
    """The message about a store of a later format; it ends with what to do."""
    return (
        f"was written by a later version of r-memory (format {found}, this version knows {FORMAT}) and was left as it "
        "is; install that version or a later one"
    )
