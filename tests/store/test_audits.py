"""Every audit, on every engine, against a graph made through the store: exactly the rows that it promises."""

import re
from collections.abc import AsyncIterator
from dataclasses import dataclass

import pytest

from r_memory.config.files import packaged_defaults
from r_memory.domain.instants import UNDATED
from r_memory.errors import InvalidInput
from r_memory.protocols import Table
from r_memory.store.bolt import Endpoint, FixedEndpoint
from r_memory.store.cypher_store import CypherStore
from r_memory.store.gate import check_read_only
from r_memory.store.queries import parse_query
from r_memory.testing.dict_store import DictStore
from tests.store.audit_rows import Rows, expected_rows
from tests.store.audit_world import BETA, ELSEWHERE, SPACE, World, prepared
from tests.store.stores import database_at

pytestmark = pytest.mark.anyio

ROOT = packaged_defaults()
ALL = {path.stem: path.read_text(encoding="utf-8") for path in sorted((ROOT / "cypher" / "audit").glob("*.cypher"))}
OTHER_DOMAINS = ("// schema: law\n", "// schema: finance\n")
FILES = {name: text for name, text in ALL.items() if not any(line in text for line in OTHER_DOMAINS)}
"""Texts of the audits by name; those of the other domains are in test_domain_audits.py."""
ASKED_FOR = {
    "severe_allergies": "every active severe allergy with its words and speaker",
    "contradicted_facts": "contradicted facts",
    "single_unconfirmed": "facts known only from one unconfirmed mention",
    "old_absences": "statements of absence older than N days",
    "shown": "what was shown to whom and when",
    "extractors": "facts by extractor and version",
    "orphans": "orphans",
    "never_asked": "subjects never asked about allergies",
}
"""Audits that the issue names, with its words."""

LETTER = (
    "MATCH (mary:Entity {space: $space, id: 'MR003'}) CREATE (letter:Episode {space: $space, id: 'undated', "
    "text: 'A letter.', speaker: 'letter.txt', role: 'document', status: 'extracted', "
    f"said_at: {UNDATED}, recorded_at: 0}})-[:CONCERNS]->(mary)"
)
# What no call of this world makes: a loss, things that nothing refers to, and a letter of which nobody knows the day,
# which is not late.
DISORDER = (
    "MATCH (event:FactEvent {chain_key: $first_of_beta}) DETACH DELETE event",
    "CREATE (word:Entity:Unmapped {uid: $space + '/alone', space: $space, id: 'left alone', name: 'Left alone'})",
    "CREATE (episode:Episode {space: $space, id: 'about nobody', text: '', said_at: 0, recorded_at: 0})",
    LETTER,
)
OWN_TRACES = "MATCH (left) WHERE left.space IN [$space, $elsewhere] DETACH DELETE left"


@dataclass(frozen=True, slots=True, kw_only=True)
class Audited:
    """One engine with the graph in it."""

    store: CypherStore
    world: World

    async def run(self, name: str, *, limit: int = 200) -> Table:
        return await self.store.read(FILES[name], space=SPACE, limit=limit)


@pytest.fixture(scope="module")
async def audited(engine_place: Endpoint) -> AsyncIterator[Audited]:
    """The graph on each engine, made once for all audits, which only read."""
    async with database_at(FixedEndpoint(engine_place), engine_place) as database:
        await database.run(OWN_TRACES, space=SPACE, elsewhere=ELSEWHERE)
        world = await prepared(database.store, database.store.conversations)
        for statement in DISORDER:
            await database.run(statement, space=SPACE, first_of_beta=f"{BETA.uid}#1")
        yield Audited(store=database.store, world=world)


@pytest.mark.parametrize("name", sorted(FILES))
async def test_an_audit_gives_exactly_the_rows_it_promises(audited: Audited, name: str) -> None:
    table = await audited.run(name)
    assert _rows(table) == expected_rows(audited.world)[name]
    assert not table.truncated


@pytest.mark.proves("Z10")
async def test_no_audit_shows_one_space_anything_of_another(audited: Audited) -> None:
    """Rule 9 of the design. The other space has something for most audits to find."""
    ours = {name: await _spaces(audited, name, SPACE) for name in FILES}
    theirs = {name: await _spaces(audited, name, ELSEWHERE) for name in FILES}
    assert [name for name in FILES if ours[name] - {SPACE} or theirs[name] - {ELSEWHERE}] == []
    assert sum(map(bool, theirs.values())) > len(FILES) / 2


async def _spaces(audited: Audited, name: str, reader: str) -> set[object]:
    """Spaces in the rows that a tenant is given."""
    return {row[0] for row in (await audited.store.read(FILES[name], space=reader)).rows}


async def test_rows_of_other_spaces_do_not_count_towards_the_limit(audited: Audited) -> None:
    table = await audited.run("shown", limit=2)
    assert _rows(table) == expected_rows(audited.world)["shown"][:2]
    assert table.truncated


@pytest.mark.parametrize(
    "query",
    [
        "MATCH (n:Entity) SET n.name = 'x' RETURN n.space AS space",
        "MATCH (n:Entity) DETACH DELETE n",
        "LOAD CSV FROM 'file:///etc/hostname' AS line RETURN line AS space",
        "MATCH (n:Entity) RETURN n.name AS name, n.space AS space",
        "MATCH (n:Entity RETURN n",
    ],
)
async def test_a_query_that_writes_or_hides_its_space_is_refused(audited: Audited, query: str) -> None:
    with pytest.raises(InvalidInput):
        await audited.store.read(query, space=SPACE)


async def test_the_folder_holds_exactly_the_audits_that_are_tested() -> None:
    oracle = DictStore()
    assert sorted(expected_rows(await prepared(oracle, oracle.conversations))) == sorted(FILES)


def test_there_are_the_audits_that_the_issue_names_and_at_least_twelve() -> None:
    assert set(ASKED_FOR) <= set(FILES)
    assert len(FILES) >= 12


@pytest.mark.parametrize("name", sorted(ALL))
def test_an_audit_can_be_pasted_listed_and_confined(name: str) -> None:
    """Pasted: one statement without parameters. Listed: a title. Confined: `space` is its first column."""
    text = ALL[name]
    query = parse_query(f"cypher/audit/{name}.cypher", text)
    check_read_only(text)
    assert (query.mode, query.parameters, query.names) == ("read", (), ())
    assert query.returns[0] == "space"
    assert re.search(r"^// title: \S.{3,50}$", text, re.MULTILINE)
    assert re.search(r"^ORDER BY space, ", text, re.MULTILINE)


def _rows(table: Table) -> Rows:
    return [tuple(row) for row in table.rows]
