"""Laws of folding and of the chain, over arbitrary histories; a second, plainer reading of the rules is the oracle."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from r_memory.domain.events import FactEvent, chain_differences
from r_memory.domain.facts import DENIAL, RISK, Entity, Status, concept
from r_memory.domain.folding import fold, fold_all, opposing
from tests.unit.domain.histories import PENICILLIN, SCALE, Said, chain

GRADES = st.sampled_from((*SCALE, "dreadful"))
ATTRS = st.fixed_dictionaries(
    {}, optional={"severity": GRADES, "reaction": st.sampled_from(("hives", "anaphylaxis")), "onset": st.integers(0, 9)}
)
ONE = st.just(PENICILLIN)
OBJECTS = st.sampled_from((PENICILLIN, concept("Drug", "ibuprofen"), concept("Scope", "any")))
AGAINST = DENIAL | {Status.ENTERED_IN_ERROR}


def steps(objects: st.SearchStrategy[Entity] = ONE) -> st.SearchStrategy[list[Said]]:
    """Histories of one fact, or of several where `objects` gives them."""
    step = st.builds(
        Said,
        status=st.sampled_from(Status),
        changed=st.booleans(),
        object=objects,
        attrs=ATTRS,
        at=st.integers(0, 50),
    )
    return st.lists(step, min_size=1, max_size=8)


def plainly(history: Sequence[Said]) -> tuple[Status, bool]:
    """Status and conflict as the design says them, one step after the other."""
    order = [
        Status.ACTIVE,
        Status.UNCONFIRMED,
        Status.REFUTED,
        Status.RESOLVED,
        Status.NEGATED,
        Status.ENTERED_IN_ERROR,
    ]
    status, decided, heard = Status.ENTERED_IN_ERROR, False, set[Status]()
    decision: Status | None = None
    for step in history:
        if step.changed:
            status, decided, heard = step.status, True, {step.status}
            decision = step.status
            continue
        if step.status in RISK and not heard & RISK and decision is not Status.RESOLVED:
            heard.discard(Status.RESOLVED)  # what was over before is back
        heard.add(step.status)
        if decided:
            status = Status.ACTIVE if step.status is Status.ACTIVE else status
        else:
            status = min(status, step.status, key=order.index)
    return status, bool(heard & RISK) and bool(heard & AGAINST)


@pytest.mark.proves("Z12", "Z32", "RM-23")
@given(steps())
def test_fold_agrees_with_the_plain_reading_of_the_rules(history: list[Said]) -> None:
    fact = fold(chain(*history))

    assert (fact.status, fact.contradicted) == plainly(history)


@pytest.mark.proves("Z12", "Z13", "RM-23")
@given(steps(), st.lists(st.sampled_from(sorted(AGAINST)), min_size=1, max_size=4))
def test_no_statement_takes_a_risk_away(history: list[Said], denials: list[Status]) -> None:
    before = fold(chain(*history))
    after = fold(chain(*history, *(Said(status=status) for status in denials)))

    if before.status in RISK:
        assert (after.status, after.contradicted) == (before.status, True)


@pytest.mark.proves("Z12", "RM-23")
@given(steps())
def test_active_statement_always_stands_until_a_person_decides(history: list[Said]) -> None:
    assert fold(chain(*history, Said(status=Status.ACTIVE))).status is Status.ACTIVE


@given(steps(), st.sampled_from(Status))
def test_decision_of_a_person_stands_by_itself(history: list[Said], status: Status) -> None:
    fact = fold(chain(*history, Said(status=status, changed=True)))

    assert (fact.status, fact.contradicted) == (status, False)


@pytest.mark.proves("Z30")
@given(steps(), steps())
def test_severity_never_falls(history: list[Said], more: list[Said]) -> None:
    def rank(told: Sequence[Said]) -> int:
        severity = fold(chain(*told), scale=SCALE).attrs.get("severity")
        return SCALE.index(str(severity)) if severity in SCALE else -1

    assert rank([*history, *more]) >= rank(history)


@given(steps())
def test_no_attribute_is_ever_lost(history: list[Said]) -> None:
    given_ = {name for step in history for name in step.attrs}

    assert given_ == fold(chain(*history), scale=SCALE).attrs.keys()


@given(steps())
def test_conflict_has_another_side_and_only_a_conflict_has(history: list[Said]) -> None:
    events = chain(*history)
    fact, other = fold(events), opposing(events)

    assert fact.contradicted == (other is not None)
    assert other is None or (other.status in RISK) != (fact.status in RISK)


@given(steps(OBJECTS), st.randoms(use_true_random=False))
def test_facts_do_not_depend_on_the_order_in_which_events_are_read(history: list[Said], random: object) -> None:
    events = list(chain(*history))
    shuffled = events.copy()
    random.shuffle(shuffled)  # type: ignore[attr-defined]  # Hypothesis types it as an object

    assert fold_all(shuffled, scale=SCALE) == fold_all(events, scale=SCALE)


@given(steps(OBJECTS))
def test_every_event_counts_in_exactly_one_fact(history: list[Said]) -> None:
    facts = fold_all(chain(*history))

    assert {step.object.uid for step in history} == {fact.object.uid for fact in facts}
    assert sum(fact.observations for fact in facts) == sum(not step.changed for step in history)
    assert max(fact.last_seq for fact in facts) == len(history)


@given(steps(OBJECTS))
def test_chain_is_whole_as_it_was_written(history: list[Said]) -> None:
    assert list(chain_differences(chain(*history))) == []


@given(steps(OBJECTS), st.data())
def test_any_other_arrangement_than_a_beginning_of_the_chain_is_found(history: list[Said], data: st.DataObject) -> None:
    events = chain(*history)
    arranged: list[FactEvent] = data.draw(st.lists(st.sampled_from(events), max_size=len(events) + 1))

    beginning = tuple(arranged) == events[: len(arranged)]
    assert (list(chain_differences(arranged)) == []) == beginning
