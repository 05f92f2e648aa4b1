"""Our own gate in front of other people's queries: one statement, and one that can only read.

Knows the words of Cypher that write, reach files or change the server; knows nothing of who asks. It is the first of
several: behind it come a reading session and, where the store has one, a login that can only read.
"""

import re

from r_memory.errors import InvalidInput
from r_memory.store.lexing import masked, statements

LEADING = ("MATCH", "OPTIONAL", "UNWIND", "WITH", "RETURN", "CALL")
"""What a query may start with."""
PROCEDURES = ("db.labels", "db.relationshipTypes", "db.propertyKeys", "db.index.fulltext.queryNodes")
"""What it may call."""
REFUSED = frozenset(
    {"CREATE", "DELETE", "DETACH", "FOREACH", "INSERT", "LOAD", "MERGE", "REMOVE", "SET"}
    | {"ALTER", "DENY", "DROP", "EXPLAIN", "GRANT", "PROFILE", "REVOKE", "USE"}
)
"""Words that write, read files, or turn a query into something else, wherever they stand as a word of their own."""

# Neither a property (`n.set`), nor a label (`:Set`), nor a parameter (`$set`).
_WORD = re.compile(r"(?<![\w.:$])[A-Za-z]+(?!\w)")
_CALL = re.compile(r"(?<![\w.:$])CALL(?!\w)\s*([\w.]*)", re.IGNORECASE)


def check_read_only(query: str) -> None:
    """Passes one statement that reads.

    Raises:
        InvalidInput: it writes, calls or loads what is not allowed, is several statements, or starts with another word.
    """
    if "\\u" in query:
        # Neo4j replaces these before it looks for the end of a string, so that nobody else can tell where it ends.
        raise InvalidInput("the query holds an escape such as \\u0041; write the character itself")
    if len(statements(query)) != 1:
        raise InvalidInput("the query must be exactly one statement; run others by themselves")
    code = masked(query)
    words = [word.upper() for word in _WORD.findall(code)]
    if not words or words[0] not in LEADING:
        raise InvalidInput(f"the query must start with one of: {', '.join(LEADING)}")
    if refused := sorted(REFUSED.intersection(words)):
        raise InvalidInput(f"the query holds {', '.join(refused)}; only reading is allowed (quote a name as `name`)")
    for procedure in _CALL.findall(code):
        if procedure not in PROCEDURES:
            raise InvalidInput(f"the query calls '{procedure}'; allowed: {', '.join(PROCEDURES)}")
