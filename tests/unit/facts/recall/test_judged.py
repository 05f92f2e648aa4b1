"""What a judgement of the caller may lower: one row for each ground of a finding, and a law over all findings."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from r_memory.domain.blocks import Finding, Ground, Judgement, Line, MatchLevel, Recall
from r_memory.errors import InvalidInput
from r_memory.facts.recall.judged import (
    JUDGEMENTS_LIMIT,
    LOWERED,
    WHY_LIMIT,
    Meant,
    after_judging,
    checked_judgements,
    in_force,
    part_in_force,
)
from tests.unit.facts.recall.test_rendering import FACT, LINE, RECALL

IDS = [f"{number}f3a2c1e-0000-5000-8000-000000000000" for number in range(4)]
LINES = [
    replace(LINE, fact=replace(FACT, fact_id=name, evidence=f"Sentence {place}.")) for place, name in enumerate(IDS)
]
RECORD = replace(RECALL, lines=tuple(LINES))
ROWS = [
    (Ground.COMPARED, "conflict", "kept"),
    (Ground.COMPARED, "warning", "kept"),
    (Ground.WAITING, "conflict", "kept"),
    (Ground.WAITING, "warning", "kept"),
    (Ground.WORDS, "conflict", "kept"),
    (Ground.WORDS, "warning", "set_aside"),
    (Ground.KIND, "conflict", "kept"),
    (Ground.KIND, "warning", "set_aside"),
    (Ground.BAN, "conflict", "lowered"),
    (Ground.BAN, "warning", "kept"),
    (Ground.SECRET, "conflict", "lowered"),
    (Ground.SECRET, "warning", "set_aside"),
    (Ground.JUDGED, "conflict", "kept"),
    (Ground.JUDGED, "warning", "kept"),
]


def found(ground: Ground, verdict: str, fact_id: str = IDS[0]) -> Finding:
    return Finding(
        verdict="conflict" if verdict == "conflict" else "warning",
        level=MatchLevel.NAME_ONLY,
        message=f"{ground} {verdict}",
        quote="",
        fact_id=fact_id,
        ground=ground,
    )


def meant(verdict: str, *ids: str) -> Meant:
    judgement = Judgement(fact=" ".join(ids), verdict=verdict, why="It is not.")  # type: ignore[arg-type]  # any of them
    return Meant(judgement=judgement, ids=frozenset(ids))


def test_every_ground_has_a_row() -> None:
    assert {(ground, verdict) for ground, verdict, _ in ROWS} == {
        (ground, verdict) for ground in Ground for verdict in ("conflict", "warning")
    }
    assert {(ground, verdict): outcome for ground, verdict, outcome in ROWS if outcome != "kept"} == LOWERED


@pytest.mark.parametrize(("ground", "verdict", "outcome"), ROWS)
def test_what_apart_does_to_a_finding(ground: Ground, verdict: str, outcome: str) -> None:
    finding = found(ground, verdict)
    after = after_judging([finding], RECORD, [meant("apart", IDS[0])])
    remaining = {
        "kept": (finding,),
        "lowered": (replace(finding, verdict="warning"),),
        "set_aside": (),
    }[outcome]
    assert after.findings == remaining
    assert [item.finding for item in after.set_aside] == ([finding] if outcome == "set_aside" else [])
    assert [item.outcome for item in after.judged] == [outcome]
    assert all(item.told for item in after.judged if outcome != "set_aside")


def test_of_several_facts_in_force_those_judged_apart_go_and_the_others_stay_one_finding() -> None:
    parts = [part_in_force(line) for line in LINES[:3]]
    after = after_judging([in_force(parts)], RECORD, [meant("apart", IDS[0], IDS[2])])
    assert after.findings == (in_force(parts[1:2]),)
    assert [item.finding for item in after.set_aside] == [parts[0], parts[2]]


def test_the_gravest_judgement_of_a_fact_counts() -> None:
    after = after_judging([found(Ground.WORDS, "warning")], RECORD, [meant("apart", IDS[0]), meant("conflict", IDS[0])])
    assert [finding.verdict for finding in after.findings] == ["conflict", "warning"]
    assert not after.set_aside


_FINDINGS = st.lists(
    st.builds(found, st.sampled_from(Ground), st.sampled_from(["conflict", "warning"]), st.sampled_from(IDS)),
    max_size=8,
)
_JUDGED = st.lists(
    st.builds(meant, st.sampled_from(["conflict", "bears", "apart"]), st.sampled_from(IDS)),
    max_size=6,
)


@given(findings=_FINDINGS, judged=_JUDGED)
def test_no_judgement_hides_what_more_than_words_says_and_nothing_is_lost(
    findings: list[Finding], judged: list[Meant]
) -> None:
    after = after_judging(findings, RECORD, judged)
    shown = [*after.findings, *(item.finding for item in after.set_aside)]
    for finding in findings:
        if (finding.ground, finding.verdict) not in LOWERED:
            assert finding in after.findings
        assert finding in shown or replace(finding, verdict="warning") in after.findings
        if finding.verdict == "conflict":
            assert any(other.fact_id == finding.fact_id for other in after.findings)
    for item in judged:
        if item.judgement.verdict == "conflict":
            assert any(each.verdict == "conflict" and each.fact_id in item.ids for each in after.findings)


def test_a_fact_of_nobody_read_here_is_not_raised() -> None:
    nobody: Recall = replace(RECALL, lines=())
    assert after_judging([], nobody, [meant("conflict", IDS[0])]).findings == ()


def test_a_fact_that_is_over_is_not_raised() -> None:
    over: Line = replace(LINES[0], rank="past")
    assert after_judging([], replace(RECALL, lines=(over,)), [meant("bears", IDS[0])]).findings == ()


def test_a_reason_is_short_and_inert() -> None:
    [judgement] = checked_judgements([Judgement(fact="x", verdict="bears", why='[END] "now"\n' + "long " * 60)])
    assert len(judgement.why) <= WHY_LIMIT
    assert not set('[]"\n') & set(judgement.why)


def test_too_many_judgements_and_unknown_verdicts_are_refused() -> None:
    with pytest.raises(InvalidInput, match="more than"):
        checked_judgements([Judgement(fact=str(number), verdict="bears") for number in range(JUDGEMENTS_LIMIT + 1)])
    with pytest.raises(InvalidInput, match="no verdict"):
        checked_judgements([Judgement(fact="x", verdict="fine")])  # type: ignore[arg-type]  # what a caller may give
