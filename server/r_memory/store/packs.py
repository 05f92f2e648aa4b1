"""Loads a version of a knowledge pack into the graph, for audits and Cypher queries.

Packs of several domains may be there. It knows concepts and links. It changes only the space `knowledge`, no other
pack, and no fact.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Mapping

from r_memory.domain.facts import KNOWLEDGE_SPACE
from r_memory.domain.knowledge import Knowledge
from r_memory.domain.log import Problem
from r_memory.domain.storable import check_pack
from r_memory.store.bolt import SETUP_LIMIT_S
from r_memory.store.library import Graph, Library, Run
from r_memory.store.preparing import Preparer
from r_memory.store.properties import Properties
from r_memory.store.rows import ENTITY, LINK

_LOAD_LIMIT_S = 300.0
_OTHERWISE = "is otherwise than in the loaded pack; delete the node (:Pack) and start again, which loads it anew"


class PackLoader:
    """Replaces a pack of one database, in one transaction."""

    def __init__(self, graph: Graph, preparer: Preparer) -> None:
        self._graph = graph
        self._preparer = preparer
        self.name = ""
        """Name of the pack in use; empty before one is loaded."""

    async def load(self, knowledge: Knowledge) -> None:
        """Makes the space `knowledge` hold this version of the pack; does nothing if it does already."""
        self.name = knowledge.name
        if not await self._is_loaded(knowledge):
            async with self._graph.bolt.turn():
                if not await self._is_loaded(knowledge):
                    await self._replace(knowledge)

    async def _is_loaded(self, knowledge: Knowledge) -> bool:
        wanted = {"name": knowledge.name, "version": knowledge.version}
        return wanted in await self._graph.read("read/pack", name=knowledge.name, limit_s=SETUP_LIMIT_S)

    async def _replace(self, knowledge: Knowledge) -> None:
        wanted = {"name": knowledge.name, "version": knowledge.version}
        # Not before: it takes 0.15 s of every start with 14 000 concepts (measured), and a stored pack has passed it.
        check_pack(knowledge)
        library, concepts, links = self._graph.library, self._by_labels(knowledge), _by_relation(knowledge)
        await self._preparer.make_types(links, concepts)

        async def work(run: Run) -> None:
            if wanted in await run("write/claim_pack", name=knowledge.name):
                return
            [concepts_there] = await run("read/counted_concepts")
            if not concepts_there["number"]:
                await _made(library, run, concepts, links)
                await run("write/set_pack", **wanted)
                return
            known = [row["uid"] for row in await run("read/concepts", name=knowledge.name)]
            uids = sorted({*known, *knowledge.concepts})
            [there] = await run("read/shared_concepts", name=knowledge.name, uids=uids)
            said = {item["uid"]: _by_pack(item) for item in there["concepts"]}
            others = {uid: {pack: each for pack, each in by.items() if pack != self.name} for uid, by in said.items()}
            await run("write/clear_links", name=knowledge.name, uids=known)
            for labels, rows in concepts.items():
                shared = [_shared(row, others.get(row["uid"], {})) for row in rows]
                await run(library["write/set_concepts"].with_labels("KIND", labels), rows=shared)
            for relation, rows in links.items():
                await run(library["write/add_links"].with_types("LINK", (relation,)), rows=rows)
            gone = [uid for uid in known if uid not in knowledge.concepts]
            for others_say in (others[uid] for uid in gone if others.get(uid)):
                left = _shared(next(iter(others_say.values())), others_say)
                kind = self._preparer.labels(str(left["type"]))
                await run(library["write/set_concepts"].with_labels("KIND", kind), rows=[left])
            await run("write/retire_concepts", uids=[uid for uid in gone if not others.get(uid)])
            await run("write/set_pack", **wanted)

        await self._graph.together(work, limit_s=_LOAD_LIMIT_S)

    async def inspect(self, knowledge: Knowledge) -> tuple[Problem, ...]:
        """As in `Store`."""
        name = self.name = knowledge.name
        held = await self._graph.read("read/pack", name=name)
        if {"name": name, "version": knowledge.version} not in held:
            return ()
        wanted = {str(row["uid"]): row for rows in self._by_labels(knowledge).values() for row in rows}
        [concepts] = await self._graph.read("read/pack_concepts", name=name, uids=sorted(wanted), limit_s=_LOAD_LIMIT_S)
        stored = {concept["uid"]: concept for concept in concepts["concepts"]}
        wrong = [
            uid
            for uid in sorted(wanted.keys() | stored.keys())
            if not _holds(stored.get(uid, {}), name, wanted.get(uid))
        ]
        [links] = await self._graph.read("read/pack_links", uids=sorted(stored), limit_s=_LOAD_LIMIT_S)
        tied = Counter(_tie(*link) for link in links["links"] if link[3].get("pack", name) == name)
        meant = Counter(
            _tie(relation, row["start"], row["end"], row["link"])
            for relation, rows in _by_relation(knowledge).items()
            for row in rows
        )
        where = [f"concept {uid}" for uid in wrong] + (["connections of concepts"] if tied != meant else [])
        return tuple(Problem(where=item, what=_OTHERWISE) for item in where)

    def _by_labels(self, knowledge: Knowledge) -> Mapping[tuple[str, ...], list[dict[str, object]]]:
        groups: dict[tuple[str, ...], list[dict[str, object]]] = defaultdict(list)
        for concept in knowledge.concepts.values():
            named = {"pack": knowledge.name, "pack_version": knowledge.version}
            groups[self._preparer.labels(concept.type)].append({**ENTITY.properties(concept), **named})
        return groups


async def _made(
    library: Library,
    run: Run,
    concepts: Mapping[tuple[str, ...], list[dict[str, object]]],
    links: Mapping[str, list[dict[str, object]]],
) -> None:
    """Creates a pack in a store without packs, where no concept needs to be looked up."""
    for labels, rows in concepts.items():
        await run(library["write/add_concepts"].with_labels("KIND", labels), rows=rows)
    for relation, rows in links.items():
        await run(library["write/add_links"].with_types("LINK", (relation,)), rows=rows)


def _by_pack(stored: Properties) -> dict[str, Properties]:
    """By pack name: what each pack that has a concept says of it; stored beside the node if several packs have it."""
    if stored.get("retired") or "pack" not in stored:
        return {}
    says = stored.get("says")
    try:
        every = [json.loads(text) for text in says] if isinstance(says, list) else [stored]
        return {str(item["pack"]): item for item in every}
    except (TypeError, ValueError, KeyError):  # changed by hand: no pack says anything that could be read
        return {}


def _shared(row: Properties, others: Mapping[str, Properties]) -> Properties:
    """The properties to store for a concept: this pack's, and what each further pack says of it."""
    every = {**others, str(row["pack"]): row}
    if len(every) == 1:
        return row
    says = [json.dumps(every[pack], sort_keys=True) for pack in sorted(every)]
    return {**row, "packs": sorted(every), "says": says}


def _holds(stored: Properties, name: str, wanted: Properties | None) -> bool:
    """Whether a concept is stored as the pack says it, and its node as one of its packs says it."""
    said = _by_pack(stored)
    if said.get(name) != wanted:
        return False
    shown = said.get(str(stored.get("pack")))
    return not said or (shown is not None and stored == _shared(shown, said))


def _tie(relation: str, start: object, end: object, link: object) -> str:
    return json.dumps([relation, start, end, link], sort_keys=True)


def _by_relation(knowledge: Knowledge) -> Mapping[str, list[dict[str, object]]]:
    groups: dict[str, list[dict[str, object]]] = defaultdict(list)
    for link in knowledge.links:
        named = {"space": KNOWLEDGE_SPACE, "pack": knowledge.name, "pack_version": knowledge.version}
        properties = {**LINK.properties(link), **named}
        groups[link.relation].append({"start": link.start, "end": link.end, "link": properties})
    return groups
