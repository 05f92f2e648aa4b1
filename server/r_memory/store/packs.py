"""Loads a version of the knowledge pack into the graph, for audits and for Cypher.

Knows concepts and their links; touches nothing outside the space `knowledge` and no fact that leads into it.
"""

from collections import defaultdict
from collections.abc import Mapping

from r_memory.domain.facts import KNOWLEDGE_SPACE
from r_memory.domain.knowledge import Knowledge
from r_memory.domain.storable import check_pack
from r_memory.store.bolt import Bolt, Run
from r_memory.store.library import Library
from r_memory.store.preparing import Preparer
from r_memory.store.rows import entity_properties, link_properties

_LOAD_LIMIT_S = 300.0


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
        if wanted in await self._bolt.read(self._library["read/pack"], {}):
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

    def _by_labels(self, knowledge: Knowledge) -> Mapping[tuple[str, ...], list[dict[str, object]]]:
        groups: dict[tuple[str, ...], list[dict[str, object]]] = defaultdict(list)
        for concept in knowledge.concepts.values():
            properties = entity_properties(concept) | {"pack_version": knowledge.version}
            groups[self._preparer.labels(concept.type)].append(properties)
        return groups


def _by_relation(knowledge: Knowledge) -> Mapping[str, list[dict[str, object]]]:
    groups: dict[str, list[dict[str, object]]] = defaultdict(list)
    for link in knowledge.links:
        properties = link_properties(link, space=KNOWLEDGE_SPACE, pack_version=knowledge.version)
        groups[link.relation].append({"start": link.start, "end": link.end, "link": properties})
    return groups
