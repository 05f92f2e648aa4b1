"""Fills a store, or reads a damaged one and says what came of it: a process of its own, for the engine may die.

python -m tests.faults.damaged fill FOLDER
python -m tests.faults.damaged read FOLDER
"""

import asyncio
import sys
from pathlib import Path

from r_memory.domain.facts import Entity, concept
from r_memory.domain.knowledge import Knowledge
from r_memory.errors import RMemoryError
from r_memory.space.integrity import verify_space
from r_memory.store.bolt import Bolt
from r_memory.store.cypher_store import CypherStore
from r_memory.store.embedded import EmbeddedArcade
from tests.faults.processes import PATIENCE_S
from tests.store.stores import LIBRARY
from tests.store.world import ALLERGY, SCHEMA, TAKES, a_patient, an_episode, seen, told

SPACE = "clinic"
DRUG = concept("DrugClass", "penicillin")
PATIENTS = tuple(a_patient(SPACE, f"P{number}", f"Pat {number}") for number in range(8))
SAID = {
    (relation, DRUG.name, "active", "allergic to penicillin", ("severity", "severe")) for relation in (ALLERGY, TAKES)
}
NO_KNOWLEDGE = Knowledge(name="none", version="none", concepts={}, links=())


async def fill(store: CypherStore) -> None:
    await store.prepare(SCHEMA)
    for patient in PATIENTS:
        await store.declare_subject(patient)
        await told(store, seen(patient, DRUG))
        await told(store, seen(patient, DRUG, relation=TAKES))
        await store.add_episode(an_episode(patient, "It itched."))


async def read(store: CypherStore) -> str:
    """`silent` if anything of anybody is missing or otherwise than it was said, and nobody says so; else how it was
    told.
    """
    try:
        await store.prepare(SCHEMA)
    except RMemoryError as error:
        return f"refused {type(error).__name__}"
    told_by = {await _told(store, patient) for patient in PATIENTS}
    try:
        whole = (await verify_space(store, SCHEMA, NO_KNOWLEDGE, SPACE)).whole
        verified = "whole" if whole else "differs"
    except RMemoryError as error:
        verified = f"refused {type(error).__name__}"
    return f"{', '.join(sorted(told_by))}; verify {verified}"


async def _told(store: CypherStore, patient: Entity) -> str:
    try:
        known = await store.subjects(SPACE, SCHEMA.subject, id_=patient.id)
        if not known:
            return "unknown"
        found = await store.neighbourhood(patient, (ALLERGY, TAKES))
    except RMemoryError as error:
        return f"refused {type(error).__name__}"
    if found.failed:
        return "named"
    facts = {(fact.relation, fact.object.name, fact.status, fact.evidence, *fact.attrs.items()) for fact in found.facts}
    waiting = [(episode.text, episode.speaker) for episode in found.pending]
    as_said = known == (patient,) and facts == SAID and waiting == [("It itched.", "patient")]
    return "whole" if as_said and len(found.facts) == len(SAID) else "silent"


async def main(what: str, folder: Path) -> None:
    bolt = Bolt(EmbeddedArcade(folder), limit_s=PATIENCE_S)
    store = CypherStore(bolt, LIBRARY)
    try:
        if what == "fill":
            await fill(store)
        else:
            sys.stdout.write(await asyncio.wait_for(read(store), PATIENCE_S))
    finally:
        await store.close()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], Path(sys.argv[2])))
