"""The audits of law and finance, on every engine: exactly the rows they promise, listed under their schema only."""

import re
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, replace

import pytest

from r_memory.config.files import Files
from r_memory.config.loading import Loaded, load_domain
from r_memory.domain.facts import KNOWLEDGE_SPACE, SCOPE_TYPE, Entity, Status, concept
from r_memory.domain.instants import iso
from r_memory.store.audits import FOLDER, load_audits
from r_memory.store.bolt import Endpoint, FixedEndpoint
from r_memory.store.cypher_store import CypherStore
from tests.store.audit_world import World, days_ago
from tests.store.stores import database_at

pytestmark = pytest.mark.anyio

FILES = Files()
DOMAINS = ("law", "finance")
Rows = list[tuple[object, ...]]
OWN_TRACES = "MATCH (left) WHERE left.space STARTS WITH 'audited-' DETACH DELETE left"


def text_of(path: str) -> str:
    return FILES.read(path).text


def audits_of(schema: str) -> set[str]:
    """Names of the audits that ask about this domain and no other."""
    paths = FILES.listing(FOLDER, ".cypher")
    return {name for name in load_audits(paths, text_of, schema) if f"// schema: {schema}\n" in _text(name)}


def _text(name: str) -> str:
    return text_of(f"{FOLDER}/{name}.cypher")


@dataclass(frozen=True, slots=True, kw_only=True)
class Audited:
    """One engine with the facts of two domains, each in a space of its own."""

    store: CypherStore
    rows: Mapping[str, Rows]
    """By name of the audit."""


@pytest.fixture(scope="module")
async def audited(engine_place: Endpoint) -> AsyncIterator[Audited]:
    async with database_at(FixedEndpoint(engine_place), engine_place) as database:
        await database.run(OWN_TRACES)
        law, finance = (load_domain(FILES, name) for name in DOMAINS)
        store = database.store
        yield Audited(store=store, rows={**await _practice(store, law), **await _desk(store, finance)})


def client(space: str, id_: str, name: str) -> Entity:
    return Entity(space=space, type="Client", id=id_, name=name)


async def _world(store: CypherStore, domain: Loaded, *subjects: Entity) -> World:
    await store.prepare(domain.schema)
    await store.load_knowledge(domain.knowledge)
    for subject in subjects:
        await store.declare_subject(subject)
    return World(store)


async def _practice(store: CypherStore, domain: Loaded) -> Mapping[str, Rows]:
    """A practice: Adams stands against Globex, for whom the firm acts in the file of Bell; nobody asked Cole."""
    space = "audited-law"
    adams, bell, cole = (client(space, id_, name) for id_, name in (("A", "Adams"), ("B", "Bell"), ("C", "Cole")))
    world = await _world(store, domain, adams, bell, cole)
    globex, initech = concept("Party", "globex"), concept("Party", "initech")
    nobody = Entity(space=KNOWLEDGE_SPACE, type=SCOPE_TYPE, id="any_party", name="any_party")
    limitation, hearing = concept("Deadline", "statute of limitations"), concept("Deadline", "hearing")
    conflict, acts, due = "HAS_CONFLICT_WITH", "FIRM_ACTS_FOR", "HAS_DEADLINE"
    await world.hear(adams, "We are suing Globex.", conflict, globex, days=9)
    await world.hear(adams, "There may be a conflict with Initech.", conflict, initech, Status.UNCONFIRMED, days=8)
    await world.hear(adams, "She waived the conflict with Initech.", "HAS_WAIVED_CONFLICT", initech, days=7)
    await world.hear(bell, "We act for Globex.", acts, globex, days=6)
    await world.hear(bell, "No conflicts.", conflict, nobody, Status.NEGATED, days=6)
    await world.hear(adams, "It expires on 3 May 2027.", due, limitation, days=5, attrs={"due": "2027-05-03"})
    await world.hear(bell, "The hearing is on 1 May.", due, hearing, days=4, attrs={"due": "1 May"})
    fact = world.id_of(adams, conflict, globex)
    return {
        "conflict_crossings": [
            (space, "A", "Adams", "Globex", "active", "B", "Bell", "We are suing Globex.", fact),
        ],
        "parties_across": [
            (space, "Globex", 2, False, "A", "Adams", conflict, "active", fact),
            (space, "Globex", 2, False, "B", "Bell", acts, "active", world.id_of(bell, acts, globex)),
        ],
        "unwaived_conflicts": [
            (space, "A", "Adams", "Globex", "active", "We are suing Globex.", "Adams", iso(days_ago(9)), fact),
        ],
        "deadlines": [
            _deadline(world, adams, limitation, "2027-05-03", "It expires on 3 May 2027.", certain=True),
            _deadline(world, bell, hearing, "1 May", "The hearing is on 1 May.", certain=False),
        ],
        "conflicts_never_checked": [(space, "C", "Cole")],
    }


def _deadline(
    world: World, subject: Entity, object_: Entity, due: str, said: str, *, certain: bool
) -> tuple[object, ...]:
    fact = world.id_of(subject, "HAS_DEADLINE", object_)
    return (subject.space, due, certain, subject.id, subject.name, object_.name, "active", said, fact)


async def _desk(store: CypherStore, domain: Loaded) -> Mapping[str, Rows]:
    """A desk: Drake holds what he must not and is an insider; Ellis has two limits for one thing."""
    space = "audited-finance"
    drake, ellis = client(space, "D", "Drake"), client(space, "E", "Ellis")
    world = await _world(store, domain, drake, ellis)
    shares, crypto = concept("Security", "contoso shares"), concept("Security", "crypto")
    contoso, cautious = concept("Company", "contoso"), concept("RiskProfile", "conservative")
    bonds = concept("Security", "high-yield bonds")
    await world.hear(drake, "He holds Contoso shares and crypto.", "HOLDS", shares, days=9)
    await world.hear(drake, "He holds crypto as well.", "HOLDS", crypto, days=9)
    wallet = replace(concept("Security", "coins in a wallet", space=space), is_a=(crypto.uid,))
    await world.hear(drake, "There are coins in a wallet.", "HOLDS", wallet, days=9)
    await world.hear(drake, "Crypto is off limits.", "RESTRICTED_FROM", crypto, days=8)
    await world.hear(drake, "He is a director of Contoso.", "IS_INSIDER_OF", contoso, days=7)
    tailspin = concept("Company", "tailspin", space=space)
    await world.hear(ellis, "I have some Tailspin stock.", "HOLDS", tailspin, days=5)
    await world.hear(ellis, "I direct Tailspin.", "IS_INSIDER_OF", tailspin, days=5)
    await world.hear(drake, "He is cautious.", "HAS_RISK_PROFILE", cautious, days=400)
    await world.hear(ellis, "At most 5 %.", "RISK_LIMIT", bonds, days=6, attrs={"max": 5, "unit": "percent"})
    barred = world.id_of(drake, "RESTRICTED_FROM", crypto)
    insider = world.id_of(drake, "IS_INSIDER_OF", contoso)
    board = world.id_of(ellis, "IS_INSIDER_OF", tailspin)
    profile = world.id_of(drake, "HAS_RISK_PROFILE", cautious)
    limit = world.id_of(ellis, "RISK_LIMIT", bonds)
    restricted = ("RESTRICTED_FROM", "active", "Crypto is off limits.", iso(days_ago(9)), barred)
    return {
        "restricted_holdings": [
            (space, "D", "Drake", crypto.name, wallet.name, *restricted),
            (space, "D", "Drake", crypto.name, crypto.name, *restricted),
        ],
        "insider_holdings": [
            (space, "D", "Drake", contoso.name, shares.name, "active", "He is a director of Contoso.", insider),
            (space, "E", "Ellis", tailspin.name, tailspin.name, "active", "I direct Tailspin.", board),
        ],
        "mandate_limits": [(space, "E", "Ellis", bonds.name, 5, "percent", 1, "active", "At most 5 %.", limit)],
        "old_profiles": [
            (space, "D", "Drake", cautious.name, iso(days_ago(400)), profile),
            (space, "E", "Ellis", "", "never", ""),
        ],
    }


@pytest.mark.proves("RM-12")
async def test_an_audit_of_a_domain_gives_exactly_the_rows_it_promises(audited: Audited) -> None:
    given = {
        name: [tuple(row) for row in (await audited.store.read(_text(name), space=rows[0][0])).rows]
        for name, rows in audited.rows.items()
        if isinstance(rows[0][0], str)
    }
    assert given == audited.rows


async def test_no_audit_of_a_domain_shows_one_space_anything_of_another(audited: Audited) -> None:
    for name in audited.rows:
        table = await audited.store.read(_text(name), space="audited-nobody")
        assert list(table.rows) == []


async def test_an_audit_of_what_is_missing_leaves_out_clients_of_whom_only_another_domain_knows(
    audited: Audited,
) -> None:
    """In one space; of whom nothing is known, or whom both know, both domains ask."""
    space, store = "audited-both", audited.store
    legal, funded, fresh, common = (client(space, id_, id_) for id_ in ("Legal", "Funded", "Fresh", "Shared"))
    world = await _world(store, load_domain(FILES, "law"), legal, funded, fresh, common)
    acts, holds = ("FIRM_ACTS_FOR", concept("Party", "globex")), ("HOLDS", concept("Security", "crypto"))
    await world.hear(legal, "We act for Globex.", *acts, days=3)
    await world.hear(funded, "He holds crypto.", *holds, days=3)
    await world.hear(common, "We act for Globex.", *acts, days=3)
    await world.hear(common, "He holds crypto.", *holds, days=3)

    listed = {
        name: [row[1] for row in (await store.read(_text(name), space=space)).rows]
        for name in ("conflicts_never_checked", "old_profiles")
    }

    both = ["Fresh", "Shared"]
    assert listed == {
        "conflicts_never_checked": sorted([*both, "Legal"]),
        "old_profiles": sorted([*both, "Funded"]),
    }


@pytest.mark.parametrize(
    ("audit", "own", "other"), [("conflicts_never_checked", "law", "finance"), ("old_profiles", "finance", "law")]
)
def test_an_audit_of_what_is_missing_names_every_relation_of_the_other_domain(audit: str, own: str, other: str) -> None:
    [named] = re.findall(r"\[('[^]]*)\] AS others", _text(audit))
    ours, theirs = (load_domain(FILES, domain).schema.relations for domain in (own, other))
    # What somebody is called, and what both domains hold, as notes and dates, tells of no domain.
    others = {name for name, relation in theirs.items() if name not in ours and not relation.called_by}
    assert set(re.findall(r"'(\w+)'", named)) == others


@pytest.mark.parametrize("schema", DOMAINS)
def test_a_domain_has_audits_of_its_own_and_none_of_another(schema: str) -> None:
    listed = set(load_audits(FILES.listing(FOLDER, ".cypher"), text_of, schema))
    assert len(audits_of(schema)) >= 3
    assert audits_of(schema) <= listed
    assert "never_asked" not in listed
    assert "shown" in listed
    assert not any(audits_of(other) & listed for other in DOMAINS if other != schema)


async def test_every_audit_of_a_domain_is_tested(audited: Audited) -> None:
    assert set(audited.rows) == audits_of("law") | audits_of("finance")
