"""Keys of entities and facts."""

import doctest
import uuid

import pytest
from hypothesis import given
from hypothesis import strategies as st

from r_memory.domain import facts
from r_memory.domain.facts import (
    DENIAL,
    RISK,
    SCOPE_TYPE,
    Attributes,
    Entity,
    Observation,
    Route,
    Span,
    Status,
    concept,
    entity_uid,
    fact_id,
)
from tests.unit.domain.histories import JOHN, fact

PARTS = st.tuples(st.text(), st.text(), st.text())


def observation(identity: tuple[str, ...] = (), **attrs: str | float) -> Observation:
    return Observation(
        subject=JOHN,
        relation="DOSE_LIMIT",
        object=concept("Drug", "ibuprofen"),
        status=Status.ACTIVE,
        attrs=attrs,
        evidence="at most",
        span=Span(start=0, end=7),
        route=Route.RULES,
        extractor="rules/1",
        identity=identity,
    )


def test_examples_of_the_module_hold() -> None:
    assert doctest.testmod(facts).failed == 0


@given(PARTS, PARTS)
def test_no_two_entities_share_a_key(one: tuple[str, str, str], other: tuple[str, str, str]) -> None:
    assert (entity_uid(*one) == entity_uid(*other)) == (one == other)


def test_separator_inside_a_part_does_not_move_it_to_the_next() -> None:
    assert entity_uid("a/b", "c", "d") != entity_uid("a", "b/c", "d")
    assert entity_uid("a%2Fb", "c", "d") != entity_uid("a/b", "c", "d")


def test_concepts_meet_whatever_the_capitals() -> None:
    assert concept("Drug", "Ibuprofen").uid == concept("Drug", "IBUPROFEN").uid
    assert concept("Drug", "ibuprofen").uid != concept("DrugClass", "ibuprofen").uid
    assert concept("Drug", "ibuprofen", space="clinic").uid == "clinic/Drug/ibuprofen"
    assert concept("Drug", "").name == ""


def test_fact_id_is_a_uuid_that_never_changes() -> None:
    key = fact_id("clinic/Patient/JD001", "HAS_ALLERGY_TO", "knowledge/DrugClass/penicillin", {})

    assert key == "b65306cc-6cbb-5693-a1ca-e24ce60e7894"
    assert uuid.UUID(key).version == 5


@given(st.dictionaries(st.text(), st.text() | st.integers() | st.booleans()))
def test_fact_id_does_not_depend_on_the_order_of_its_attributes(identity: Attributes) -> None:
    backwards = dict(reversed(list(identity.items())))

    assert fact_id("s", "R", "o", identity) == fact_id("s", "R", "o", backwards)


@given(st.tuples(st.text(), st.text(), st.text()), st.tuples(st.text(), st.text(), st.text()))
def test_other_triples_are_other_facts(one: tuple[str, str, str], other: tuple[str, str, str]) -> None:
    assert (fact_id(*one, {}) == fact_id(*other, {})) == (one == other)


def test_lone_surrogate_has_a_fact_id_too() -> None:
    assert uuid.UUID(fact_id("s", "R", "clinic/Unmapped/\ud800", {})).version == 5


def test_only_identity_attributes_tell_two_facts_apart() -> None:
    day, week = (observation(("period",), period=period, max=3.0).fact_id for period in ("day", "week"))

    assert day != week
    assert day == observation(("period",), period="day", max=4.0).fact_id
    assert observation(max=3.0).fact_id == observation(max=4.0).fact_id
    assert observation(("period",)).fact_id == observation().fact_id


def test_every_status_speaks_for_a_risk_against_one_or_was_a_mistake() -> None:
    assert {*RISK, *DENIAL, Status.ENTERED_IN_ERROR} == set(Status)
    assert not RISK & DENIAL


@pytest.mark.parametrize("type_", [SCOPE_TYPE, "Drug"])
def test_only_a_scope_makes_a_statement_of_absence(type_: str) -> None:
    assert fact(Entity(space="knowledge", type=type_, id="any", name="any")).is_absence == (type_ == SCOPE_TYPE)


def test_short_id_is_the_first_eight_characters() -> None:
    assert fact(concept("Drug", "ibuprofen"), fact_id="7f3a2c1e-rest").short_id == "7f3a2c1e"
