"""What the systems are compared with."""

import pytest

from r_memory_lab.scorings import COMPARED, Newest, Single
from tests.unit.talk.stream.world import a_candidate, a_question, a_stream, tell


@pytest.mark.proves("SCM-30")
def test_comparisons_rank_by_one_thing_alone() -> None:
    candidates = [
        a_candidate("near", cosine=0.9),
        a_candidate("said", order=2, lexical=5.0),
        a_candidate("new", order=3),
    ]
    asked = a_question("anything")
    assert Single().score(asked, candidates)[0].id == "near"
    assert Single(by="lexical").score(asked, candidates)[0].id == "said"
    newest = Newest().score(asked, candidates)
    assert [item.id for item in newest] == ["new", "said", "near"]
    assert len(Single(most=2).choose(newest, 3)) == 2
    assert len(Newest().choose(newest, 1)) == 1


@pytest.mark.anyio
@pytest.mark.parametrize("name", COMPARED)
async def test_each_of_them_scores_the_same_candidates(name: str) -> None:
    stream = a_stream()
    await tell(stream, "I like apples.", "My sister lives in Bern.")
    found = await stream.search("Where does my sister live?", conversation="c", scoring=COMPARED[name])
    assert {item.id for item in found.ranked} == {"item-1", "item-2"}
