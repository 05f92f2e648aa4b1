"""Loads a version of the knowledge pack into the graph, for audits and for Cypher.

Knows concepts and their links; touches nothing outside the space `knowledge` and no fact that leads into it.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Mapping
from typing import Any, cast

from r_memory.domain.facts import KNOWLEDGE_SPACE
from r_memory.domain.knowledge import Knowledge
from r_memory.domain.log import Problem
from r_memory.domain.storable import check_pack
from r_memory.store.bolt import SETUP_LIMIT_S, Bolt, Run
from r_memory.store.library import Library
from r_memory.store.preparing import Preparer
from r_memory.store.rows import entity_properties, link_properties

_LOAD_LIMIT_S = 300.0
_OTHERWISE = "is otherwise than in the loaded pack; delete the node (:Pack) and start again, which loads it anew"


class PackLoader:
    """Replaces the pack of one database, in one transaction."""

    def __init__(self, bolt: Bolt, library: Library, preparer: Preparer) -> None:
        self._bolt = bolt
        self._library = library
        self._preparer = preparer

    async def load(self, knowledge: Knowledge) -> None:
        """Makes the space `knowledge` this pack, unless this version is there already.

        Raises:
            ConfigurationError: a link leads to a concept that the pack does not have.
        """
        wanted = {"name": knowledge.name, "version": knowledge.version}
        if wanted in await self._bolt.read(self._library["read/pack"], {}, limit_s=SETUP_LIMIT_S):
            return
        # Not before: it takes 0.15 s of every start with 14 000 concepts (measured), and a stored pack has passed it.
        check_pack(knowledge)
        concepts, links = self._by_labels(knowledge), _by_relation(knowledge)
        await self._preparer.make_types(links, concepts)

        async def work(run: Run) -> None:
            if wanted in await run(self._library["write/claim_pack"], {}):
                return
            known = [row["uid"] for row in await run(self._library["read/concepts"], {})]
            await run(self._library["write/clear_links"], {"uids": known})
            for labels, rows in concepts.items():
                await run(self._library["write/set_concepts"].with_labels("KIND", labels), {"rows": rows})
            for relation, rows in links.items():
                await run(self._library["write/add_links"].with_types("LINK", (relation,)), {"rows": rows})
            gone = [uid for uid in known if uid not in knowledge.concepts]
            await run(self._library["write/retire_concepts"], {"uids": gone})
            await run(self._library["write/set_pack"], wanted)

        await self._bolt.write(work, limit_s=_LOAD_LIMIT_S)

    async def inspect(self, knowledge: Knowledge) -> tuple[Problem, ...]:
        """As in `Store`."""
        held = await self._bolt.read(self._library["read/pack"], {})
        if {"name": knowledge.name, "version": knowledge.version} not in held:
            return ()
        wanted = {str(row["uid"]): row for rows in self._by_labels(knowledge).values() for row in rows}
        [concepts] = cast("Any", await self._bolt.read(self._library["read/pack_concepts"], {}, limit_s=_LOAD_LIMIT_S))
        stored = {one["uid"]: one for one in concepts["concepts"] if not one.get("retired")}
        wrong = [uid for uid in sorted(wanted.keys() | stored.keys()) if wanted.get(uid) != stored.get(uid)]
        uids = {"uids": sorted(stored)}
        [links] = cast("Any", await self._bolt.read(self._library["read/pack_links"], uids, limit_s=_LOAD_LIMIT_S))
        tied = Counter(_tie(*one) for one in links["links"])
        meant = Counter(
            _tie(relation, row["start"], row["end"], row["link"])
            for relation, rows in _by_relation(knowledge).items()
            for row in rows
        )
        where = [f"concept {uid}" for uid in wrong] + (["connections of concepts"] if tied != meant else [])
        return tuple(Problem(where=one, what=_OTHERWISE) for one in where)

    def _by_labels(self, knowledge: Knowledge) -> Mapping[tuple[str, ...], list[dict[str, object]]]:
        groups: dict[tuple[str, ...], list[dict[str, object]]] = defaultdict(list)
        for concept in knowledge.concepts.values():
            properties = entity_properties(concept) | {"pack_version": knowledge.version}
            groups[self._preparer.labels(concept.type)].append(properties)
        return groups


def _tie(relation: str, start: object, end: object, link: object) -> str:
    return json.dumps([relation, start, end, link], sort_keys=True)


def _by_relation(knowledge: Knowledge) -> Mapping[str, list[dict[str, object]]]:
    groups: dict[str, list[dict[str, object]]] = defaultdict(list)
    for link in knowledge.links:
        properties = link_properties(link, space=KNOWLEDGE_SPACE, pack_version=knowledge.version)
        groups[link.relation].append({"start": link.start, "end": link.end, "link": properties})
    return groups
