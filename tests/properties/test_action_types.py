"""Whatever a classifier says and whatever the policy is: no edge of an opened row and no critical edge is closed."""

from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from r_memory.config.files import Files
from r_memory.config.loading import Loaded, load_domain
from r_memory.domain.intents import (
    Classification,
    Intent,
    IntentScore,
    IntentTable,
    Policy,
    Selection,
    opened,
)
from r_memory.reading.actions.classifier import KeywordsAndLinear
from r_memory.reading.linking import Gazetteer

EDGES = ("ALLERGY", "IMPLANT", "TAKES", "PREP", "CONDITION", "LIMIT")
NAMES = ("A", "B", "C", "D", "QUIET")
SELECTIONS: tuple[Selection, ...] = ("plausible", "top1", "all_critical")
edge_sets = st.lists(st.sampled_from(EDGES), unique=True).map(tuple)


@cache
def clinical() -> tuple[Loaded, Gazetteer, KeywordsAndLinear]:
    """Without the model: what is shown here must hold by keywords, policy and failure alone."""
    loaded = load_domain(Files(), "clinical")
    return loaded, Gazetteer(loaded.schema.lexicon), KeywordsAndLinear(loaded.intents, loaded.schema, None)


@st.composite
def tables(draw: st.DrawFn) -> IntentTable:
    """Rows with any edges; each after the first may extend one before it, and then has its edges first."""
    rows: dict[str, Intent] = {}
    for name in NAMES[:-1]:
        parent = draw(st.sampled_from(["", *rows]))
        inherited = rows[parent].edges if parent else ()
        edges = tuple(dict.fromkeys((*inherited, *draw(edge_sets))))
        rows[name] = Intent(name=name, description=name, edges=edges, extends=parent)
    rows["QUIET"] = Intent(name="QUIET", description="chat", edges=(), silent=True)
    above = draw(st.floats(0.0, 0.9))
    select = draw(st.sampled_from(SELECTIONS))
    return IntentTable(version="t", policy=Policy(select=select, plausible_above=above), intents=rows)


@st.composite
def classifications(draw: st.DrawFn) -> Classification:
    """Any scores, also such as no honest classifier gives."""
    scores = [
        IntentScore(
            name=name,
            probability=draw(st.floats(0.0, 1.0)),
            keywords=draw(st.sampled_from([(), ("word",)])),
            asked=draw(st.booleans()),
        )
        for name in draw(st.lists(st.sampled_from(NAMES), unique=True))
    ]
    ranked = sorted(scores, key=lambda score: -score.probability)
    return Classification(scores=tuple(ranked), recognised=draw(st.booleans()))


@pytest.mark.proves("RM-7", "RM-19", "Z25", "Z26")
@given(tables(), classifications(), edge_sets, st.lists(st.sampled_from(NAMES), max_size=2))
def test_every_critical_edge_and_every_edge_of_an_opened_row_is_read(
    table: IntentTable, said: Classification, critical: tuple[str, ...], named: list[str]
) -> None:
    rows = opened(said, table, critical=critical, named=tuple(named))

    assert set(critical) <= set(rows.edges)
    assert all(set(row.edges) <= set(rows.edges) for row in rows.intents)
    assert all(set(table.intent(name).edges) <= set(rows.edges) for name in named)
    assert len(rows.edges) == len(set(rows.edges))


@given(tables(), classifications(), edge_sets)
def test_more_evidence_never_closes_an_edge(
    table: IntentTable, said: Classification, critical: tuple[str, ...]
) -> None:
    """Only where the table lets keywords and likelihood open rows; `top1` chooses one by its name."""
    if table.policy.select == "top1":
        return
    named = tuple(
        IntentScore(name=score.name, probability=score.probability, keywords=("word",), asked=score.asked)
        for score in said.scores
    )
    more = Classification(scores=named, recognised=said.recognised)

    before = opened(said, table, critical=critical)
    after = opened(more, table, critical=critical)

    assert set(before.edges) <= set(after.edges)


@given(tables(), classifications(), edge_sets)
def test_a_child_that_is_opened_reads_all_that_its_parent_reads(
    table: IntentTable, said: Classification, critical: tuple[str, ...]
) -> None:
    rows = opened(said, table, critical=critical)

    for row in rows.intents:
        if row.extends:
            assert set(table.intent(row.extends).edges) <= set(rows.edges)


@pytest.mark.proves("Z26", "RM-18")
@given(st.text(max_size=200))
def test_no_words_whatever_keep_a_critical_edge_closed(text: str) -> None:
    loaded, gazetteer, classifier = clinical()
    said = classifier.classify(text, gazetteer.mentions(text))

    rows = opened(said, loaded.intents, critical=loaded.schema.critical)

    loud = [score for score in said.scores if not loaded.intents.intent(score.name).silent]
    assert not loud or not all(score.asked for score in loud), "the classifier failed, and said that all may be asked"
    assert set(loaded.schema.critical) <= set(rows.edges)


@given(st.text(max_size=60), st.sampled_from(["amoxicillin", "MRI", "transfusion", "flu shot"]))
def test_a_keyword_among_nonsense_opens_its_row(noise: str, word: str) -> None:
    text = f"{noise}\n{word}\n{noise}"

    _, gazetteer, classifier = clinical()
    said = classifier.classify(text, gazetteer.mentions(text))

    assert said.recognised
    assert any(score.keywords for score in said.scores)
