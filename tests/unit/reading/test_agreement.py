from collections.abc import Callable
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from r_memory.domain.facts import RISK, Flag, Status
from r_memory.reading.agreement import (
    TABLE,
    UNREAD,
    Case,
    RuleClaim,
    RuleVoice,
    TaughtVoice,
    Thresholds,
    Trait,
    Verdict,
    decide,
    weigh,
)
from r_memory.reading.taught.claims import Person, Place, TaughtClaim, TaughtStatement

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "agreement.md"
STATUSES = tuple(status for status in Status if status is not Status.ENTERED_IN_ERROR)
LIMITS = Thresholds(risk=0.6, nothing=0.9, other=0.9, absence=0.7)


def _statement(
    probability: float = 0.95,
    status: Status = Status.ACTIVE,
    person: Person = Person.SUBJECT,
    relation: str = "HAS",
    sure: float = 0.98,
) -> TaughtStatement:
    """A statement whose status and person are as likely as `sure`, the rest shared by the others."""
    return TaughtStatement(
        relation=relation,
        probability=probability,
        statuses={item: sure if item is status else (1 - sure) / 4 for item in STATUSES},
        persons={item: sure if item is person else (1 - sure) / 2 for item in Person},
    )


def _case(
    rule: Status | None = None,
    taught: TaughtStatement | None = None,
    *,
    person: Person = Person.SUBJECT,
    nothing: float = 0.01,
    reassuring: bool = False,
    named: bool = True,
    bare: bool = False,
    circumstance: Trait | None = None,
) -> Case:
    return Case(
        relation="HAS",
        rule=None if rule is None else RuleClaim(status=rule, person=person, bare=bare),
        taught=taught or UNREAD,
        nothing=nothing,
        limits=LIMITS,
        reassuring=reassuring,
        named=named,
        circumstances=frozenset() if circumstance is None else frozenset({circumstance}),
    )


def test_a_risk_that_both_read_is_active() -> None:
    assert decide(_case(Status.ACTIVE, _statement())) == Verdict(
        reason="both_risk", relation="HAS", status=Status.ACTIVE
    )


def test_a_risk_that_either_hedges_is_unconfirmed() -> None:
    hedged = _statement(status=Status.UNCONFIRMED)
    assert decide(_case(Status.ACTIVE, hedged)).status is Status.UNCONFIRMED
    assert decide(_case(Status.UNCONFIRMED, _statement())).status is Status.UNCONFIRMED
    assert decide(_case(None, hedged)).status is Status.UNCONFIRMED


def test_a_rule_alone_is_doubted_where_the_reader_is_sure_of_something_else() -> None:
    disputed = Verdict(
        reason="rule_risk_denied",
        relation="HAS",
        status=Status.UNCONFIRMED,
        flags=frozenset({Flag.DISAGREE}),
    )
    assert decide(_case(Status.ACTIVE, None, nothing=0.99)) == disputed
    assert decide(_case(Status.ACTIVE, _statement(status=Status.NEGATED))) == disputed


def test_a_wording_is_doubted_later_than_a_bare_name() -> None:
    def doubted(*, worded: bool) -> Case:
        return replace(_case(Status.ACTIVE, None, nothing=0.7), rule=RuleClaim(status=Status.ACTIVE, worded=worded))

    assert decide(doubted(worded=True)).status is Status.ACTIVE
    assert decide(doubted(worded=False)).status is Status.UNCONFIRMED


def test_a_risk_whose_person_is_in_dispute_is_unconfirmed_and_waits_for_somebody() -> None:
    others = _statement(person=Person.RELATIVE, probability=0.99)
    verdict = decide(_case(Status.ACTIVE, others))
    assert (verdict.status, verdict.review) == (Status.UNCONFIRMED, True)
    relatives = decide(_case(Status.ACTIVE, _statement(probability=0.99), person=Person.RELATIVE))
    assert (relatives.status, relatives.review) == (Status.UNCONFIRMED, True)


def test_a_risk_that_only_the_reader_sees_says_so() -> None:
    taught = frozenset({Flag.TAUGHT})
    assert decide(_case(None, _statement())) == Verdict(
        reason="taught_risk", relation="HAS", status=Status.ACTIVE, flags=taught
    )
    assert decide(_case(None, _statement(probability=0.4))) == Verdict(
        reason="taught_weak", relation="HAS", review=True
    )


def test_what_the_reader_half_believes_is_unconfirmed_and_waits_for_a_person_too() -> None:
    doubting = replace(LIMITS, doubted=0.3)
    found = decide(replace(_case(None, _statement(probability=0.4)), limits=doubting))
    assert found == Verdict(
        reason="taught_doubted",
        relation="HAS",
        status=Status.UNCONFIRMED,
        flags=frozenset({Flag.TAUGHT}),
        review=True,
    )
    assert decide(replace(_case(None, _statement(probability=0.25)), limits=doubting)).reason == "taught_weak"
    reassuring = decide(
        replace(_case(None, _statement(status=Status.NEGATED, probability=0.4), reassuring=True), limits=doubting)
    )
    assert (reassuring.status, reassuring.review) == (None, True)


def test_what_is_half_believed_gives_way_to_a_sure_risk_of_the_same_words_and_to_nothing_else() -> None:
    doubting = replace(LIMITS, doubted=0.3)
    place, limits = Place(start=0, end=4), {"HAS": doubting, "TAKES": doubting}
    half, fair = _statement(relation="TAKES", probability=0.4), _statement(probability=0.5)

    def reasons(*statements: TaughtStatement) -> set[str]:
        claim = TaughtClaim(place=place, known=True, nothing=0.01, statements=statements)
        return {verdict.reason for verdict in weigh({}, claim, limits)}

    assert reasons(_statement(), half) == {"taught_risk"}
    assert reasons(fair, half) == {"taught_doubted"}
    assert reasons(half, _statement(probability=0.25)) == {"taught_doubted", "taught_weak"}


def test_what_an_answer_makes_of_the_words_asked_about_is_half_believed_where_it_is_sure_and_waits() -> None:
    sure, weak = (
        decide(_case(None, _statement(probability=probability), circumstance=Trait.ASKED))
        for probability in (0.99, 0.4)
    )
    assert (sure.reason, sure.status, sure.review) == ("answered_risk", Status.UNCONFIRMED, True)
    assert weak == Verdict(reason="taught_of_question", relation="HAS", review=True)


def test_an_absence_needs_two_voices() -> None:
    denied = _statement(status=Status.RESOLVED)
    assert decide(_case(Status.NEGATED, denied)).status is Status.NEGATED
    for alone in (_case(Status.NEGATED, None), _case(None, denied), _case(Status.NEGATED, _statement())):
        assert (decide(alone).status, decide(alone).review) == (None, True)


def test_a_rules_absence_that_the_reader_only_leans_to_needs_a_plain_denial() -> None:
    leaning = _statement(probability=0.6, status=Status.NEGATED)
    plain = _case(Status.NEGATED, leaning, circumstance=Trait.PLAIN_DENIAL)
    assert decide(plain).status is Status.NEGATED
    assert (decide(_case(Status.NEGATED, leaning)).status, decide(_case(Status.NEGATED, leaning)).review) == (
        None,
        True,
    )


def test_however_sure_the_reader_is_its_absence_is_not_stored_on_its_own() -> None:
    denied = _statement(probability=0.999, status=Status.NEGATED, sure=0.995)
    for circumstance in Trait:
        assert decide(_case(None, denied, circumstance=circumstance)).status is None


def test_what_a_sentence_tells_went_well_is_tolerated_if_the_reader_is_sure_and_nothing_speaks_for_a_risk() -> None:
    tolerates = TaughtClaim(place=Place(start=0, end=4), known=True, nothing=0.01, statements=(_statement(0.95),))
    limits = {"HAS": LIMITS, "LACKS": LIMITS}

    def stored(rules: dict[str, RuleClaim], claim: TaughtClaim, *circumstances: Trait) -> list[tuple[str, str]]:
        verdicts = weigh(
            rules,
            claim,
            limits,
            reassuring=frozenset({"HAS"}),
            critical=frozenset({"LACKS"}),
            circumstances=frozenset(circumstances),
        )
        return [(verdict.relation, verdict.status.value) for verdict in verdicts if verdict.status is not None]

    risk = {"LACKS": RuleClaim(status=Status.ACTIVE)}
    assert stored({}, tolerates, Trait.WELL) == [("HAS", "active")]
    assert stored({}, tolerates) == []
    assert stored({}, replace(tolerates, statements=(_statement(0.75),)), Trait.WELL) == []
    assert ("HAS", "active") not in stored(risk, tolerates, Trait.WELL)


def test_what_only_may_have_gone_well_waits() -> None:
    hedged = _statement(status=Status.UNCONFIRMED, probability=1.0)
    verdict = decide(_case(None, hedged, reassuring=True, circumstance=Trait.WELL))
    assert (verdict.reason, verdict.status, verdict.review) == ("told_well", None, True)


def test_a_hedge_of_the_rules_gives_way_to_a_reader_who_is_sure_and_a_doubt_of_more_than_words_does_not() -> None:
    sure, fair = _statement(probability=0.99, sure=0.97), _statement(probability=0.75)

    def status(statement: TaughtStatement, *, hedged: bool) -> Status | None:
        claim = RuleClaim(status=Status.UNCONFIRMED, hedged=hedged)
        return decide(replace(_case(None, statement), rule=claim)).status

    assert status(sure, hedged=True) is Status.ACTIVE
    assert status(fair, hedged=True) is Status.UNCONFIRMED
    assert status(sure, hedged=False) is Status.UNCONFIRMED


def test_a_rules_risk_is_doubted_where_the_reader_leans_to_an_absence_or_to_somebody_else() -> None:
    assert decide(_case(Status.ACTIVE, _statement(0.6, Status.REFUTED))).status is Status.UNCONFIRMED
    others = decide(_case(Status.ACTIVE, _statement(0.6, person=Person.OTHER)))
    assert (others.status, others.review) == (Status.UNCONFIRMED, True)


def test_where_a_relation_asks_for_more_a_plain_denial_does_not_stand_for_the_second_voice() -> None:
    leaning = _statement(probability=0.6, status=Status.NEGATED)
    case = _case(Status.NEGATED, leaning, circumstance=Trait.PLAIN_DENIAL)
    strict = decide(replace(case, limits=replace(LIMITS, denied=1.0)))
    assert (decide(case).status, strict.status, strict.review) == (Status.NEGATED, None, True)


def test_a_sure_risk_is_stored_though_no_lexicon_has_its_words() -> None:
    assert decide(_case(None, _statement(), named=False)).status is Status.ACTIVE
    weak = decide(_case(None, _statement(probability=0.4), named=False))
    assert (weak.status, weak.review) == (None, True)


def test_what_is_half_believed_of_words_that_are_no_name_has_a_level_of_its_own() -> None:
    limits = Thresholds(risk=0.9, doubted=0.5, unnamed=0.8)
    claim = TaughtClaim(place=Place(start=0, end=4), known=False, nothing=0.01, statements=(_statement(0.7),))

    def reasons(unnamed: frozenset[str]) -> list[tuple[str, Status | None, bool]]:
        verdicts = weigh({}, claim, {"HAS": limits}, unnamed=unnamed)
        return [(verdict.reason, verdict.status, verdict.review) for verdict in verdicts]

    assert reasons(frozenset()) == [("taught_doubted", Status.UNCONFIRMED, True)]
    assert reasons(frozenset({"HAS"})) == [("taught_weak", None, True)]


def test_of_words_that_are_no_name_the_reader_must_be_surer() -> None:
    limits = Thresholds(risk=0.6, doubted=0.5, unnamed_risk=0.8)
    claim = TaughtClaim(place=Place(start=0, end=4), known=False, nothing=0.01, statements=(_statement(0.7),))
    verdicts = [weigh({}, claim, {"HAS": limits}, unnamed=frozenset(unnamed)) for unnamed in ((), ("HAS",))]
    assert [item.reason for each in verdicts for item in each] == ["taught_risk", "taught_doubted"]


def test_a_bare_name_is_doubted_where_the_reader_only_half_believes_that_it_states_anything() -> None:
    sure, fair, unsure = (
        decide(_case(Status.ACTIVE, taught, bare=True)) for taught in (_statement(), _statement(probability=0.4), None)
    )
    assert [(item.reason, item.status) for item in (sure, fair, unsure)] == [
        ("both_named", Status.ACTIVE),
        ("named_risk", Status.UNCONFIRMED),
        ("named_risk", Status.UNCONFIRMED),
    ]


def test_a_bare_name_may_have_a_level_of_its_own() -> None:
    case = _case(Status.ACTIVE, _statement(probability=0.5), bare=True)
    assert decide(case).status is Status.UNCONFIRMED
    assert decide(replace(case, limits=replace(LIMITS, named=0.4))).status is Status.ACTIVE
    worded = _case(None, _statement(probability=0.5))
    assert decide(replace(worded, limits=replace(LIMITS, named=0.4))).reason == "taught_weak"


def test_a_wording_that_the_reader_hardly_hears_is_doubted_where_a_level_asks_for_more() -> None:
    case = _case(Status.ACTIVE, _statement(probability=0.05))
    assert decide(case).status is Status.ACTIVE
    doubted = decide(replace(case, limits=replace(LIMITS, heard=0.1)))
    assert (doubted.reason, doubted.status) == ("rule_risk_unheard", Status.UNCONFIRMED)


def test_what_was_asked_and_denied_is_not_half_believed() -> None:
    case = _case(None, _statement(), circumstance=Trait.ASKED)
    refused = replace(case, circumstances=frozenset({Trait.ASKED, Trait.REFUSED}))
    assert (decide(case).status, decide(refused).status, decide(refused).review) == (
        Status.UNCONFIRMED,
        None,
        True,
    )


@pytest.mark.parametrize("circumstance", [Trait.PASSED_OVER, Trait.SUPPOSED])
def test_a_sure_risk_in_words_that_the_rules_passed_over_or_that_suppose_is_half_believed(
    circumstance: Trait,
) -> None:
    sure = decide(_case(None, _statement(), circumstance=circumstance))
    assert (sure.status, sure.review) == (Status.UNCONFIRMED, True)
    unnamed = decide(_case(None, _statement(), circumstance=circumstance, named=False))
    weak = decide(_case(None, _statement(probability=0.4), circumstance=circumstance))
    reassuring = decide(_case(None, _statement(), circumstance=circumstance, reassuring=True))
    assert [(item.status, item.review) for item in (unnamed, weak, reassuring)] == [(None, True)] * 3


def test_what_reassures_is_an_absence() -> None:
    tolerated = _statement()
    assert decide(_case(None, tolerated, reassuring=True)).status is None
    assert decide(_case(Status.ACTIVE, tolerated, reassuring=True)).status is Status.ACTIVE


def test_a_relatives_fact_is_stored_as_the_relatives() -> None:
    verdict = decide(_case(None, _statement(probability=0.99, person=Person.RELATIVE)))
    assert (verdict.status, verdict.person) == (Status.ACTIVE, Person.RELATIVE)


def test_what_is_hardly_the_subjects_is_half_believed_of_the_relative_and_waits() -> None:
    case = _case(None, _statement(probability=0.7, person=Person.RELATIVE))
    verdict = decide(replace(case, limits=Thresholds(risk=0.9, doubted=0.5)))
    assert (verdict.status, verdict.person, verdict.review) == (Status.UNCONFIRMED, Person.RELATIVE, True)


def test_a_fact_that_may_be_a_relatives_stays_the_subjects_and_waits() -> None:
    statement = TaughtStatement(
        relation="HAS",
        probability=0.95,
        statuses={Status.ACTIVE: 1.0},
        persons={Person.SUBJECT: 0.4, Person.RELATIVE: 0.6, Person.OTHER: 0.0},
    )
    verdict = decide(_case(None, statement))
    assert (verdict.status, verdict.person, verdict.review) == (None, Person.SUBJECT, True)


def test_a_reading_below_the_threshold_does_not_wait_where_the_same_words_are_a_risk_for_sure() -> None:
    claim = TaughtClaim(
        place=Place(start=0, end=4),
        known=True,
        nothing=0.02,
        statements=(_statement(0.9, relation="HAS"), _statement(0.45, relation="LACKS")),
    )
    verdicts = weigh({}, claim, {"HAS": LIMITS, "LACKS": LIMITS})
    assert [(verdict.relation, verdict.status) for verdict in verdicts] == [("HAS", Status.ACTIVE)]


def test_words_that_nobody_understands_wait_if_they_could_be_a_risk() -> None:
    unsure = TaughtClaim(place=Place(start=0, end=4), known=True, nothing=0.5, statements=())
    (watched,) = weigh({}, unsure, {"HAS": LIMITS})
    (other,) = weigh({}, unsure, {"HAS": LIMITS}, watched=False)
    assert (watched.review, other.review) == (True, False)


def test_every_pair_of_readings_has_a_row() -> None:
    for ruled, heard in product(RuleVoice, TaughtVoice):
        assert any(ruled in row.ruled and heard in row.heard and row.only is None and not row.named for row in TABLE)


def test_every_row_can_decide() -> None:
    for number, row in enumerate(TABLE):
        above = [other for other in TABLE[:number] if other.only is None and not (other.named or other.critical)]
        pairs = set(product(row.ruled, row.heard))
        assert pairs - {pair for other in above for pair in product(other.ruled, other.heard)} != set()


def table_as_text() -> str:
    """The table as documentation shows it, in Markdown."""
    lines = ["| row | closed rule | taught | stored as |", "|---|---|---|---|"]
    for row in TABLE:
        heard = (
            "anything"
            if len(row.heard) == len(TaughtVoice)
            else "; ".join(item for item in TaughtVoice if item in row.heard)
        )
        ruled = "; ".join(item for item in RuleVoice if item in row.ruled)
        where = "" if row.only is None else f", {row.only}"
        names = ", of words that are a name" if row.named else ""
        names += ", of a critical relation" if row.critical else ""
        lines.append(f"| `{row.name}` | {ruled}{where} | {heard}{names} | {row.outcome} |")
    return "\n".join(lines) + "\n"


def test_the_page_shows_the_table() -> None:
    assert table_as_text() in PAGE.read_text(encoding="utf-8")


shares = st.floats(0, 1)


@st.composite
def _parts(draw: st.DrawFn, names: tuple[str, ...]) -> dict[str, float]:
    sure = draw(st.sampled_from(names))
    weights = [
        draw(st.floats(0.001, 1)) * (draw(st.sampled_from((1, 9, 999))) if name == sure else 1) for name in names
    ]
    return {name: weight / sum(weights) for name, weight in zip(names, weights, strict=True)}


@st.composite
def statements(draw: st.DrawFn, relation: str = "HAS") -> TaughtStatement:
    return TaughtStatement(
        relation=relation,
        probability=draw(shares),
        statuses={Status(name): share for name, share in draw(_parts(tuple(STATUSES))).items()},
        persons={Person(name): share for name, share in draw(_parts(tuple(Person))).items()},
    )


thresholds = st.builds(
    Thresholds,
    risk=st.floats(0.3, 1),
    nothing=st.floats(0.5, 1),
    other=st.floats(0.5, 1),
    absence=st.floats(0.5, 1),
)
circumstances = st.frozensets(st.sampled_from(Trait))
rules = st.builds(
    RuleClaim,
    status=st.sampled_from(STATUSES),
    person=st.sampled_from((Person.SUBJECT, Person.RELATIVE)),
    bare=st.booleans(),
)
cases = st.builds(
    Case,
    relation=st.just("HAS"),
    rule=st.none() | rules,
    taught=st.just(UNREAD) | statements(),
    nothing=shares,
    limits=thresholds,
    reassuring=st.booleans(),
    watched=st.booleans(),
    named=st.booleans(),
    circumstances=circumstances,
)


LAWS: list[Callable[[Case], None]] = []
"""What is so in every case. A case is drawn once for all of them: that takes longer than to decide it."""


def law(holds: Callable[[Case], None]) -> Callable[[Case], None]:
    LAWS.append(holds)
    return holds


def _speaks_against(status: Status, case: Case) -> bool:
    return (status in RISK) == case.reassuring


@law
def no_absence_is_stored_without_two_voices(case: Case) -> None:
    status = decide(case).status
    if status is None or not _speaks_against(status, case):
        return
    if case.rule is None:  # the words that it went well are the second voice
        assert Trait.WELL in case.circumstances
        assert status is Status.ACTIVE
    else:
        assert _speaks_against(case.rule.status, case)
    against = sum(share for one, share in case.taught.statuses.items() if _speaks_against(one, case))
    assert against * case.taught.probability >= case.limits.absence / 3


@law
def a_hedge_never_becomes_active(case: Case) -> None:
    verdict = decide(case)
    hedged_rule = case.rule is not None and case.rule.status is Status.UNCONFIRMED
    if verdict.status is Status.ACTIVE and case.rule is not None:
        assert not hedged_rule
    if verdict.reason in {"taught_risk", "both_risk"} and verdict.status is Status.ACTIVE:
        # What a wording states for certain only a sure hedge doubts.
        likelier = case.taught.statuses[Status.UNCONFIRMED] >= case.taught.statuses[Status.ACTIVE]
        assert not likelier or (verdict.reason == "both_risk" and case.taught.statuses[Status.UNCONFIRMED] < 0.9)


@given(
    st.dictionaries(st.sampled_from(("HAS", "LACKS")), rules),
    st.tuples(shares, statements("HAS"), statements("LACKS")),
    thresholds,
    st.booleans(),
    circumstances,
)
def test_watched_words_end_as_a_fact_a_review_item_or_a_sure_reading_of_nothing(
    ruled: dict[str, RuleClaim],
    read: tuple[float, TaughtStatement, TaughtStatement],
    limits: Thresholds,
    reassuring: bool,
    around: frozenset[Trait],
) -> None:
    claim = TaughtClaim(place=Place(start=0, end=4), known=True, nothing=read[0], statements=read[1:])
    verdicts = weigh(
        ruled,
        claim,
        {"HAS": limits, "LACKS": limits},
        reassuring=frozenset({"LACKS"} if reassuring else ()),
        circumstances=around,
    )
    sure_of_nothing = claim.nothing >= limits.nothing
    sure_of_another = any(verdict.reason == "somebody_else" for verdict in verdicts)
    assert any(verdict.leaves_a_trace for verdict in verdicts) or sure_of_nothing or sure_of_another


@law
def a_stored_fact_is_never_the_strangers(case: Case) -> None:
    verdict = decide(case)
    assert verdict.status is None or verdict.person is not Person.OTHER


@settings(max_examples=400)
@given(cases)
def test_every_law_holds_in_every_case(case: Case) -> None:
    for holds in LAWS:
        holds(case)
