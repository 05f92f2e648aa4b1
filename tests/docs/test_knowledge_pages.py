"""The pages of the clinical pack can be made from its files, and say what these say."""

import re

import pytest

from r_memory.config.files import Files
from r_memory.config.loading import load_domain
from r_memory.domain.knowledge import CROSS_REACTS_WITH, MEMBER_OF, Knowledge
from scripts.knowledge_pages import CONDITIONS, INDEX, pages

LINK = re.compile(r"\]\(([^)#:]+\.md)\)")


@pytest.fixture(scope="module")
def pack() -> Knowledge:
    return load_domain(Files(home=None), "clinical").knowledge


@pytest.fixture(scope="module")
def made() -> dict[str, str]:
    return pages()


def test_every_class_has_a_page_that_the_index_lists_and_every_link_leads_to_a_page(
    pack: Knowledge, made: dict[str, str]
) -> None:
    classes = {pack.concepts[link.end].name for link in pack.links if link.relation == MEMBER_OF}
    titles = {text.splitlines()[0].removeprefix("# ") for text in made.values()}
    assert classes <= titles
    targets = {target for text in made.values() for target in LINK.findall(text)}
    assert targets == set(made) - {INDEX}


def test_a_page_shows_each_member_and_each_cross_reactivity_of_its_class(pack: Knowledge, made: dict[str, str]) -> None:
    by_title = {text.splitlines()[0].removeprefix("# "): text for text in made.values()}
    shown = 0
    for link in pack.links:
        ends = [pack.concepts[uid].name for uid in (link.start, link.end)]
        if link.relation == MEMBER_OF:
            assert ends[0] in by_title[ends[1]]
            shown += 1
        elif link.relation == CROSS_REACTS_WITH and ends[0] in by_title:
            assert ends[1] in by_title[ends[0]]
            shown += 1
    assert shown > 1_000


@pytest.mark.parametrize(
    ("condition", "stops", "care"),
    [
        ("Asthma", ["Propranolol", "Labetalol", "Adenosine", "Carboprost"], ["Bisoprolol", "Zanamivir"]),
        ("G6PD deficiency", ["Rasburicase", "Dapsone", "Primaquine"], ["Chloramphenicol"]),
        ("Long QT syndrome", ["Sotalol", "Domperidone"], ["Ondansetron", "Haloperidol"]),
        ("Myasthenia gravis", ["Fluoroquinolone", "Telithromycin"], ["Aminoglycoside", "Magnesium sulfate"]),
        ("Porphyria", ["Barbiturate", "Carbamazepine"], []),
        ("Pregnancy", ["ACE inhibitor", "Isotretinoin", "NSAID"], ["Trimethoprim"]),
    ],
)
def test_a_condition_lists_what_stops_and_what_needs_care(
    made: dict[str, str], condition: str, stops: list[str], care: list[str]
) -> None:
    """Issue 28, point 5: which condition has which rules."""
    [row] = [line for line in made[CONDITIONS].splitlines() if line.startswith(f"| {condition} |")]
    _, _, stop, weigh, *_ = row.split("|")
    assert [name for name in stops if name not in stop] == []
    assert [name for name in care if name not in weigh] == []
