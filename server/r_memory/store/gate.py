"""The check of queries that people write: one statement, which only reads.

It knows the Cypher words that write, reach files or change the server. It is the first of several barriers: the query
then runs in a reading session and, if the store has one, with a read-only login.
"""

import re

from r_memory.errors import InvalidInput
from r_memory.store.lexing import masked, statements

LEADING = ("MATCH", "OPTIONAL", "UNWIND", "WITH", "RETURN", "CALL")
"""Words with which a query may start."""
PROCEDURES = ("db.labels", "db.relationshipTypes", "db.propertyKeys", "db.index.fulltext.queryNodes")
"""Procedures that a query may call."""
REFUSED = frozenset(
    {"CREATE", "DELETE", "DETACH", "FOREACH", "INSERT", "LOAD", "MERGE", "REMOVE", "SET"}
    | {"ALTER", "DENY", "DROP", "EXPLAIN", "GRANT", "PROFILE", "REVOKE", "USE"}
)
"""Words that write, read files or change the kind of a query; refused wherever they are a word of their own."""

# Neither a property (`n.set`), nor a label (`:Set`), nor a parameter (`$set`).
_WORD = re.compile(r"(?<![\w.:$])[A-Za-z]+(?!\w)")
_CALL = re.compile(r"(?<![\w.:$])CALL(?!\w)\s*([\w.]*)", re.IGNORECASE)


def check_read_only(query: str) -> None:
    """Checks that the query is one statement that only reads.

    Raises:
        InvalidInput: it writes, calls or loads something that is not allowed, has several statements, or starts with
            another word.
    """
    if "\\u" in query:
        # Neo4j replaces these before it looks for the end of a string, so that only Neo4j can tell where it ends.
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
