"""Recall over random graphs: only the edges of opened rows and critical ones appear, and of those every fact (T-12).

Whatever the classifier says, also nothing or the wrong thing, no fact of a critical edge is missed (T-13).
"""

import asyncio

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from r_memory.domain.facts import concept
from tests.scripted import ScriptedClassifier
from tests.unit.facts.recall.test_recaller import CRITICAL
from tests.unit.facts.recall.world import JANE, JOHN, RELATIONS, TABLE, TERMS, Ledger, recaller

OBJECTS = tuple((type_, name) for type_, names in TERMS.items() for name in names)
NAMES = tuple(relation.name for relation in RELATIONS)
ROWS = tuple(name for name, intent in TABLE.intents.items() if not intent.silent)


facts = st.lists(
    st.tuples(st.sampled_from(["JD001", "JR002"]), st.sampled_from(NAMES), st.sampled_from(OBJECTS)),
    max_size=25,
    unique=True,
)
"""Id of a subject, relation, object."""
classifiers = st.one_of(
    st.lists(st.sampled_from(ROWS), min_size=1, max_size=2, unique=True).map(lambda names: ScriptedClassifier(*names)),
    st.just(ScriptedClassifier(recognised=False)),
    st.just(ScriptedClassifier(error=TimeoutError())),
)


@pytest.mark.proves("T-12", "T-13")
@settings(max_examples=200)
@given(told=facts, classifier=classifiers, query=st.sampled_from(["Order amoxicillin.", "Prepare her.", "Hm?"]))
def test_of_a_random_graph_the_block_shows_every_fact_of_the_mapped_edges_and_none_else(
    told: list[tuple[str, str, tuple[str, str]]], classifier: ScriptedClassifier, query: str
) -> None:
    ledger = Ledger()
    people = {person.id: person for person in (JOHN, JANE)}
    ids = {
        (who, relation, thing): ledger.hear(relation, concept(*thing), subject=people[who])
        for who, relation, thing in told
    }
    recall = asyncio.run(recaller(ledger, classifier=classifier).build_context(query, subject=JOHN))
    mapped = {*CRITICAL, *(edge for name in recall.intents for edge in TABLE.intent(name).edges)}
    expected = {id_ for (who, relation, _), id_ in ids.items() if who == JOHN.id and relation in mapped}
    assert {line.fact.fact_id for line in recall.lines} == expected
    assert {outcome.relation for outcome in recall.outcomes} == mapped
