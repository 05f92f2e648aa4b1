"""Our own gate in front of other people's queries."""

import pytest

from r_memory.errors import InvalidInput
from r_memory.store.gate import check_read_only
from r_memory.store.lexing import masked, statements


@pytest.mark.parametrize(
    "query",
    [
        "MATCH (n) RETURN n",
        "match (n) return n;",
        "// a comment\n/* CREATE (x) */ MATCH (n) RETURN n // DELETE n",
        "MATCH (n {name: 'CREATE'}) RETURN n",
        'MATCH (n) WHERE n.name = "it\'s; DELETE" RETURN n',
        "MATCH (n:Set)-[r:CREATE]->(m) WHERE n.set = $delete RETURN n.remove AS `SET`",
        "OPTIONAL MATCH (n) WITH n RETURN n",
        "UNWIND [1] AS x RETURN x",
        "CALL db.labels() YIELD label RETURN label",
        "MATCH (start)-[r]->(dropped) RETURN settled",
        "MATCH (n) WHERE n.createdAt > 1 AND n.offset < 2 RETURN n",
        "RETURN 'a\\'b; CREATE (n)' AS x",
        "RETURN `a``; CREATE (n)` AS x",
    ],
)
def test_a_query_that_reads_passes(query: str) -> None:
    check_read_only(query)


@pytest.mark.parametrize(
    "query",
    [
        "",
        "// nothing",
        ";",
        "CREATE (n)",
        "MATCH (n) SET n.x = 1",
        "MATCH (n) set n:X RETURN n",
        "MATCH (n)\nDETACH DELETE n",
        "MATCH (n) DELETE n",
        "MATCH (n) REMOVE n.x",
        "MERGE (n) RETURN n",
        "MATCH (n) FOREACH (x IN [1] | CREATE (m))",
        "MATCH (n) RETURN n; MATCH (m) RETURN m",
        "LOAD CSV FROM 'file:///etc/passwd' AS line RETURN line",
        "MATCH (n) LOAD CSV FROM 'file:///etc/passwd' AS line RETURN line",
        "EXPLAIN MATCH (n) RETURN n",
        "PROFILE MATCH (n) RETURN n",
        "CYPHER 5 MATCH (n) RETURN n",
        "USE system MATCH (n) RETURN n",
        "SHOW USERS",
        "ALTER CURRENT USER SET PASSWORD FROM 'a' TO 'b'",
        "DROP INDEX x",
        "GRANT ROLE x TO y",
        "MATCH (n) CALL (n) { CREATE (m) } RETURN n",
        "MATCH (n) CALL { WITH n SET n.x = 1 } RETURN n",
        "CALL { MATCH (n) RETURN n } RETURN n",
        "CALL apoc.cypher.run('CREATE (n)', {}) YIELD value RETURN value",
        "CALL dbms.shutdown()",
        "call  db.createLabel('x')",
        "MATCH (n) INSERT (m) RETURN n",
        "MATCH (n) RETURN n /* ' */ ; CREATE (m) /* ' */",
        "RETURN '\\u0027 ' AS x CREATE (n) //'",
        "RETURN 1 AS x \\u0043REATE (n)",
        "RETURN 'a' /*/ AS x */ CREATE (n)",
        "RETURN \"a\" AS x // ' \n CREATE (n) // '",
    ],
)
def test_a_query_that_could_do_anything_else_is_refused(query: str) -> None:
    with pytest.raises(InvalidInput):
        check_read_only(query)


def test_masking_keeps_every_position() -> None:
    text = 'MATCH (n {a: \'x;\ny\'}) // c;\nRETURN `q;`, "z\\";" /* ;\n */ ;'
    assert [position for position, letter in enumerate(masked(text)) if letter == ";"] == [len(text) - 1]
    assert [position for position, letter in enumerate(masked(text)) if letter == "\n"] == [
        position for position, letter in enumerate(text) if letter == "\n"
    ]


def test_statements_end_at_semicolons_of_their_own() -> None:
    assert statements("A ';' ;\n B /* ; */;; // C;") == ("A ';'", "B /* ; */")
