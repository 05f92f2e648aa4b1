"""The tamperings of the first attack on a database, one by one, and what `verify` must say of each.

The first 54 are those of which `verify` once found 24: each changes what lies in the database and leaves the logs be.
In those that follow the attacker also throws the logs away and makes them anew, so that they fit: only a checkpoint
from before tells. `python -m tests.store.tamperings` prints the table of a run on the embedded store, with `--neo4j`
that of both.
"""

import argparse
import asyncio
import sys
import tempfile
import uuid
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from r_memory.domain.events import ChainHead
from r_memory.domain.facts import Entity, Status, concept
from r_memory.domain.folding import fold_all
from r_memory.domain.knowledge import Knowledge, Link
from r_memory.domain.log import Checkpoint
from r_memory.space.integrity import checkpoint, verify_space
from r_memory.store import rows
from r_memory.store.bolt import Endpoint, FixedEndpoint
from tests.neo4j_servers import neo4j_server
from tests.store.full_space import a_full_space
from tests.store.logs_anew import make_logs_anew
from tests.store.stores import Database, database_at, hosted
from tests.store.world import SCHEMA, a_receipt, seen, told

# Of this session's own, as in `world`: renaming it must disturb nobody else.
_MARK = uuid.uuid4().hex[:8]
DRUG, RELATED = concept("DrugClass", f"attacked {_MARK}"), concept("Drug", f"related {_MARK}")
_LINK = Link(relation="MEMBER_OF", start=RELATED.uid, end=DRUG.uid, tier="A", source="a pack")
PACK = Knowledge(name=f"attacked-{_MARK}", version="1", concepts={DRUG.uid: DRUG, RELATED.uid: RELATED}, links=(_LINK,))

FACT = "MATCH (p:Patient {uid: $uid})-[f:HAS_ALLERGY_TO]->(o:Entity {uid: $drug})"
"""The last fact that was recorded of the patient."""
WORD = "MATCH (p:Patient {uid: $uid})-[f:HAS_ALLERGY_TO]->(o:Entity {name: 'zyloflurane'})"
FIRST, LAST = (f"MATCH (e:FactEvent {{chain_key: $uid + '#{seq}'}})" for seq in (1, 4))
SAID = "MATCH (e:Episode {space: $space, id: $said})"
WAITS = "MATCH (p:Patient {uid: $uid})-[a:AWAITS]->(e:Episode)"
RECEIPT = "MATCH (r:Recall {space: $space})"
PATIENT = "MATCH (p:Patient {uid: $uid})"
OTHER = "MATCH (q:Patient {space: $space, id: 'JR002'})"

WORDS = "MATCH (w:Unmapped {space: $space}) DETACH DELETE w"

Forge = Callable[[Database, Entity], Awaitable[None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tampering:
    """One thing that somebody does who can change anything in the database."""

    of: str
    what: str
    queries: Sequence[str] = ()
    by: Forge | None = None
    """Where it takes more than queries."""
    logs_anew: bool = False
    """Logs are made anew afterwards, so that all fits: a checkpoint from before is needed."""


def _one(of: str, what: str, *queries: str) -> Tampering:
    return Tampering(of=of, what=what, queries=queries)


FACTS = (
    ("its status is set to refuted", f"{FACT} SET f.status = 'refuted'"),
    ("the severity in its attributes is lowered", f'{FACT} SET f.attrs = \'{{"severity": "mild"}}\''),
    ("the severity beside them, which audits read, is lowered", f"{FACT} SET f.severity = 'mild'"),
    ("the words behind it are changed", f"{FACT} SET f.evidence = 'I like penicillin'"),
    ("the speaker is changed", f"{FACT} SET f.speaker = 'Dr House'"),
    ("a contradiction is made up", f"{FACT} SET f.contradicted = true"),
    ("it is given an end in the past", f"{FACT} SET f.valid_to = 1"),
    ("the readable date on which it was said is changed", f"{FACT} SET f.said_at_iso = '1999-01-01T00:00:00.000Z'"),
    ("the date on which it was said is changed", f"{FACT} SET f.said_at = 1"),
    ("the date of its last observation is changed", f"{FACT} SET f.last_recorded_at = 1"),
    ("the number of its observations is changed", f"{FACT} SET f.observations = 9"),
    ("a flag is added", f"{FACT} SET f.flags = ['disagree']"),
    ("it is deleted", f"{FACT} DELETE f"),
    (
        "it leads to another substance",
        f"{FACT} MATCH (x:Entity {{uid: $related}}) CREATE (p)-[g:HAS_ALLERGY_TO]->(x) SET g = properties(f) DELETE f",
    ),
    (
        "it is moved to somebody else",
        f"{FACT} {OTHER} CREATE (q)-[g:HAS_ALLERGY_TO]->(o) SET g = properties(f) DELETE f",
    ),
    (
        "one that nobody stated is added",
        (
            f"{FACT} MATCH (x:Entity {{uid: $related}}) CREATE (p)-[g:HAS_ALLERGY_TO]->(x) SET g = properties(f) "
            "SET g.fact_id = 'forged'"
        ),
    ),
)
EVENTS = (
    ("its status is set to refuted", f"{FIRST} SET e.status = 'refuted'"),
    ("its attributes are changed", f'{FIRST} SET e.attrs = \'{{"severity": "mild"}}\''),
    ("its evidence is changed", f"{FIRST} SET e.evidence = 'nothing'"),
    ("its date is changed", f"{FIRST} SET e.recorded_at = 1"),
    ("its readable date is changed", f"{FIRST} SET e.recorded_at_iso = '1999-01-01T00:00:00.000Z'"),
    ("it is said to be a person's", f"{FIRST} SET e.route = 'person' SET e.actor = 'Dr House'"),
    ("one in the middle is deleted", "MATCH (e:FactEvent {chain_key: $uid + '#2'}) DETACH DELETE e"),
    ("the last is deleted with its fact", f"{LAST} DETACH DELETE e", f"{FACT} DELETE f"),
    (
        "the last is deleted with its fact, and the end of the chain is set back",
        f"{LAST} DETACH DELETE e",
        f"{FACT} DELETE f",
        f"{PATIENT} SET p += $before",
    ),
    (
        "all are deleted with all facts",
        "MATCH (e:FactEvent {subject_uid: $uid}) DETACH DELETE e",
        f"{PATIENT}-[f]->(:Entity) DELETE f",
    ),
    ("its hash is changed", f"{FIRST} SET e.hash = 'ff'"),
    (
        "one that nobody recorded is added",
        (
            f"{PATIENT} MATCH (e:Episode {{space: $space, id: $said}}) CREATE (n:FactEvent) SET n = $event "
            "CREATE (n)-[:ABOUT {space: $space}]->(p) CREATE (n)-[:EVIDENCED_BY {space: $space}]->(e)"
        ),
    ),
    ("it no longer leads to the words", f"{FIRST}-[tie:EVIDENCED_BY]->(:Episode) DELETE tie"),
    (
        "it is tied to somebody else",
        f"{LAST}-[tie:ABOUT]->(:Patient) {OTHER} CREATE (e)-[:ABOUT {{space: $space}}]->(q) DELETE tie",
    ),
)
STATEMENTS = (
    ("its words are changed", f"{SAID} SET e.text = 'I am well.'"),
    ("speaker and role are changed", f"{SAID} SET e.speaker = 'Dr House' SET e.role = 'assistant'"),
    ("its hash is changed", f"{SAID} SET e.hash = 'ff'"),
    ("it is deleted", f"{SAID} DETACH DELETE e"),
)
PENDING = (
    ("it is no longer awaited", f"{WAITS} DELETE a"),
    ("it is said to be read", f"{WAITS} SET e.status = 'extracted'"),
    ("it is deleted", f"{WAITS} DETACH DELETE e"),
    ("its words are changed", f"{WAITS} SET e.text = 'I am well.'"),
)
RECEIPTS = (
    ("it is deleted", f"{RECEIPT} DETACH DELETE r"),
    ("the facts that were shown are taken out", f"{RECEIPT} SET r.fact_ids = []"),
    ("it is readdressed", f"{RECEIPT} SET r.shown_to = 'nobody'"),
    (
        "one that nobody was given is added",
        (f"{PATIENT} CREATE (n:Recall) SET n = $receipt CREATE (n)-[:SHOWED {{space: $space}}]->(p)"),
    ),
)
SUBJECTS = (
    (
        "it is removed with everything that is tied to it",
        (
            "MATCH (x) WHERE x.space = $space AND x.subject_uid = $uid AND (x:FactEvent OR x:Episode OR x:Recall) "
            "DETACH DELETE x"
        ),
        f"{PATIENT} DETACH DELETE p",
    ),
    ("it is renamed", f"{PATIENT} SET p.name = 'Jim Coe' SET p.name_key = 'jim coe'"),
    ("it is given another type", f"{PATIENT} SET p.type = 'Client'"),
    ("it is given to another space", f"{PATIENT} SET p.space = 'elsewhere'"),
    ("the number of its last event is changed", f"{PATIENT} SET p.chain_seq = 3"),
    ("the hash of its last event is changed", f"{PATIENT} SET p.chain_hash = 'ff'"),
)
CONCEPTS = (
    ("it is renamed to something harmless", "MATCH (o:Entity {uid: $drug}) SET o.name = 'Water'"),
    ("it no longer belongs to its class", "MATCH (:Entity {uid: $related})-[link:MEMBER_OF]->() DELETE link"),
)
TALK = (
    ("a summary is changed", "MATCH (x:Summary {space: $space}) SET x.core_discussion = 'nothing of note'"),
    ("a turn is changed", "MATCH (x:Memory {space: $space}) WHERE x.index = 1 SET x.observation = 'I am well.'"),
    ("a decision is changed", "MATCH (x:Decision {space: $space}) WHERE x.turn = 1 SET x.gate_yes = false"),
    ("a document is changed", "MATCH (x:Document {space: $space}) SET x.digest = 'ff'"),
)


async def _another_last_event(database: Database, patient: Entity) -> None:
    """The last event says otherwise, the chain is sealed anew, and the present state follows from it."""
    store, events = database.store, await database.store.events(patient.uid)
    forged = (*events[:-1], replace(events[-1], status=Status.REFUTED).sealed())
    await store.replace_state(patient, fold_all(forged))
    await database.run(f"{LAST} SET e += $event", uid=patient.uid, event=rows.EVENT.properties(forged[-1]))
    end = rows.HEAD.properties(ChainHead().after(forged))
    await database.run(f"{PATIENT} SET p += $end", uid=patient.uid, end=end)


LOGS_ANEW = (
    Tampering(of="event", what="the last says otherwise, with chain and state", by=_another_last_event),
    _one("event", "the last is deleted, with fact and end of the chain", *EVENTS[8][1:]),
    _one("statement", "its words are changed", STATEMENTS[0][1]),
    _one("statement", "speaker and role are changed", STATEMENTS[1][1]),
    _one("receipt", "the facts that were shown are taken out", RECEIPTS[1][1]),
    _one("receipt", "it is deleted", RECEIPTS[0][1]),
    _one("subject", "it is removed with everything that is tied to it", *SUBJECTS[0][1:], WORDS),
    _one("subject", "it is renamed", SUBJECTS[1][1]),
    *(_one("conversation", what, query) for what, query in TALK),
)
THOSE_OF_THE_ATTACK = tuple(
    _one(of, *some)
    for of, every in (
        ("fact", FACTS),
        ("event", EVENTS),
        ("statement", STATEMENTS),
        ("waiting statement", PENDING),
        ("receipt", RECEIPTS),
        ("subject", SUBJECTS),
        ("concept", CONCEPTS),
        ("conversation", TALK),
    )
    for some in every
)
TAMPERINGS = (*THOSE_OF_THE_ATTACK, *(replace(item, logs_anew=True) for item in LOGS_ANEW))
NAMES = tuple(
    f"{number}: {one.of}: {one.what}{' (logs made anew)' if one.logs_anew else ''}"
    for number, one in enumerate(TAMPERINGS)
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What `verify` said after one tampering; nothing where it found nothing."""

    tampering: Tampering
    without: Sequence[str]
    since: Sequence[str]
    """With a checkpoint from before."""


async def attacked(database: Database, tampering: Tampering) -> Finding:
    """A space of its own, whole at first, and what is found once this was done to it."""
    store = database.store
    await store.load_knowledge(PACK)
    space = await a_full_space(database)
    [patient] = await store.subjects(space, SCHEMA.subject, id_="JD001")
    await told(store, seen(patient, DRUG))
    made = await checkpoint(store, SCHEMA, space, made_at="2026-11-25T10:00:00Z")
    before = await _found(database, space, made)
    if before:
        raise AssertionError(f"not whole before anything was done: {before}")
    await _tampered(database, tampering, patient)
    finding = Finding(
        tampering=tampering, without=await _found(database, space), since=await _found(database, space, made)
    )
    if tampering.of == "concept":
        await database.run("MATCH (pack:Pack {name: $name}) DELETE pack", name=PACK.name)
    return finding


async def _tampered(database: Database, tampering: Tampering, patient: Entity) -> None:
    if tampering.by:
        await tampering.by(database, patient)
    events = await database.store.events(patient.uid)
    last = events[-1]
    following = replace(last, id="forged", seq=last.seq + 1, prev_hash=last.hash, episode_id=events[0].episode_id)
    given: dict[str, Any] = {
        "space": patient.space,
        "uid": patient.uid,
        "said": events[0].episode_id,
        "drug": DRUG.uid,
        "related": RELATED.uid,
        "event": rows.EVENT.properties(following.sealed()),
        "receipt": rows.RECEIPT.properties(a_receipt(patient, f"forged {patient.space}")),
        "before": rows.HEAD.properties(ChainHead().after(events[:-1])),
    }
    for query in tampering.queries:
        await database.run(query, **{name: value for name, value in given.items() if f"${name}" in query})
    if tampering.logs_anew:
        await make_logs_anew(database, patient.space)


async def _found(database: Database, space: str, since: Checkpoint | None = None) -> Sequence[str]:
    found = await verify_space(database.store, SCHEMA, PACK, space, since=since)
    return [
        f"{difference.where}: {difference.problem}".replace(space, "SPACE").replace(_MARK, "")
        for difference in found.differences
    ]


# --- the table -------------------------------------------------------------------------------------------------------


def table(findings: Mapping[str, Sequence[Finding]]) -> Iterator[str]:
    """Lines of Markdown: one for each tampering, with what each store found of it."""
    yield f"| no. | of | tampering | {' | '.join(findings)} | found first |"
    yield f"|{'---|' * (4 + len(findings))}"
    for number, every in enumerate(zip(*findings.values(), strict=True)):
        done, said = every[0].tampering, " | ".join(map(_told, every))
        where = (every[0].without or every[0].since or ("",))[0]
        anew = ", and the logs are made anew" if done.logs_anew else ""
        yield f"| {number} | {done.of} | {done.what}{anew} | {said} | {where} |"


def _told(finding: Finding) -> str:
    if finding.without:
        return "found"
    return "found with the checkpoint" if finding.since else "**missed**"


async def _findings(endpoint: Endpoint) -> list[Finding]:
    async with database_at(FixedEndpoint(endpoint), endpoint) as database:
        await database.store.prepare(SCHEMA)
        return [await attacked(database, tampering) for tampering in TAMPERINGS]


def main() -> None:
    """Attacks, and prints the table."""
    parser = argparse.ArgumentParser(description="Prints what verify says of every tampering.")
    parser.add_argument("--neo4j", action="store_true", help="try a Neo4j server as well")
    asked = parser.parse_args()
    findings = {}
    with ExitStack() as until_the_end:
        folder = Path(until_the_end.enter_context(tempfile.TemporaryDirectory()))
        with hosted(folder) as endpoint:
            findings["embedded"] = asyncio.run(_findings(endpoint))
        if asked.neo4j:
            server = until_the_end.enter_context(neo4j_server("2026"))
            there = Endpoint(uri=server.uri, user=server.user, password=server.password)
            findings["Neo4j 2026"] = asyncio.run(_findings(there))
    sys.stdout.writelines(f"{line}\n" for line in table(findings))


if __name__ == "__main__":
    main()
