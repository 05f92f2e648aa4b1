import pytest

from r_memory.domain.facts import Status
from r_memory.reading.agreement import Thresholds
from r_memory.reading.taught.claims import Person, Place, TaughtClaim, TaughtStatement
from r_memory_lab.teaching.calibration import Costs, JudgedClaim, cooled, temperatures, thresholds
from r_memory_lab.teaching.corpus import CorpusLine
from r_memory_lab.teaching.domains import CLINICAL, STATUSES
from r_memory_lab.teaching.evaluation import ScoredLine, figures, stored
from tests.unit.lab.teaching.lines import line

LIMITS = dict.fromkeys(CLINICAL.relations.values(), Thresholds())
MILK = line("I'm allergic to milk.", ("milk", "ALLERGY", "active"))


def _claim(
    relation: str = "HAS_ALLERGY_TO",
    status: Status = Status.ACTIVE,
    *,
    probability: float = 0.9,
    nothing: float = 0.1,
    place: Place = MILK.marks[0].place,
) -> TaughtClaim:
    statement = TaughtStatement(
        relation=relation,
        probability=probability,
        statuses={item: 0.96 if item is status else 0.01 for item in STATUSES},
        persons={Person.SUBJECT: 0.98, Person.RELATIVE: 0.01, Person.OTHER: 0.01},
    )
    return TaughtClaim(place=place, known=False, nothing=nothing, statements=(statement,))


def _scored(told: CorpusLine, *claims: TaughtClaim) -> ScoredLine:
    return ScoredLine(
        line=told, claims=claims, stored=tuple(fact for claim in claims for fact in stored(claim, LIMITS))
    )


def test_a_line_is_right_if_every_fact_is_there_and_no_other() -> None:
    assert _scored(MILK, _claim()).right
    assert not _scored(MILK).right
    assert not _scored(MILK, _claim(), _claim("HAS_CONDITION")).right
    assert not _scored(MILK, _claim(status=Status.UNCONFIRMED)).right


def test_a_claim_under_its_threshold_is_not_stored() -> None:
    assert _scored(MILK, _claim(probability=0.5)).stored == ()


def test_an_allergy_taken_for_an_intolerance_is_wrong_and_no_false_alarm() -> None:
    found = figures([_scored(MILK, _claim("HAS_INTOLERANCE_TO"))], LIMITS)
    assert (found.right, found.forbidden, found.risks_missed) == (0.0, 0, 0)


def test_a_risk_out_of_nothing_is_forbidden() -> None:
    asked = line("Is milk safe?", ("milk", "NONE", "none"))
    found = figures([_scored(asked, _claim(place=asked.marks[0].place))], LIMITS)
    assert (found.forbidden, found.right) == (1, 0.0)


@pytest.mark.parametrize(("relation", "status"), [("HAS_ALLERGY_TO", Status.NEGATED), ("TOLERATES", Status.ACTIVE)])
def test_an_absence_that_nobody_said_is_a_false_reassurance(relation: str, status: Status) -> None:
    assert figures([_scored(MILK, _claim(relation, status))], LIMITS).false_reassurances == 1


def test_an_absence_that_was_said_is_none() -> None:
    denied = line("I'm not allergic to milk.", ("milk", "ALLERGY", "negated"))
    claim = _claim(status=Status.RESOLVED, place=denied.marks[0].place)
    assert figures([_scored(denied, claim)], LIMITS).false_reassurances == 0


def test_a_risk_is_missed_silently_only_without_a_trace() -> None:
    assert figures([_scored(MILK)], LIMITS).silent == 1
    assert figures([_scored(MILK, _claim(probability=0.1, nothing=0.99))], LIMITS).silent == 1
    unsure = figures([_scored(MILK, _claim(probability=0.1, nothing=0.5))], LIMITS)
    assert (unsure.silent, unsure.risks_missed) == (0, 1)


def test_precision_and_recall_are_counted_by_relation() -> None:
    counts = figures([_scored(MILK, _claim()), _scored(MILK, _claim("TAKES"))], LIMITS).by_relation
    assert (counts["HAS_ALLERGY_TO"].recall, counts["TAKES"].precision) == (0.5, 0.0)


def _judged(probability: float, *, right: bool) -> JudgedClaim:
    claim = _claim(probability=probability, nothing=1 - probability)
    return JudgedClaim(claim=claim, marks=MILK.marks if right else ())


def test_a_reader_that_is_too_sure_is_cooled() -> None:
    found = [_judged(0.99, right=number < 8) for number in range(10)]
    assert temperatures(found).relation > 2


def test_what_is_cooled_needs_no_second_reading() -> None:
    found = [_judged(0.99, right=number < 8) for number in range(10)]
    assert temperatures(tuple(cooled(found, temperatures(found)))).relation == pytest.approx(1, abs=0.1)


def test_a_reader_that_is_right_as_often_as_it_says_is_left_alone() -> None:
    found = [_judged(0.9, right=number < 9) for number in range(10)]
    assert temperatures(found).relation == pytest.approx(1, abs=0.1)


def test_a_threshold_stands_where_wrong_claims_begin_to_outweigh_right_ones() -> None:
    found = [
        *(_judged(0.95, right=True) for _ in range(50)),
        *(_judged(0.6, right=number % 2 == 0) for number in range(50)),
    ]
    limits = thresholds(found, CLINICAL, Costs(risk=3))["HAS_ALLERGY_TO"]
    assert 0.6 * 0.97 < limits.risk <= 0.95 * 0.97
    assert thresholds(found, CLINICAL, Costs(risk=0.5))["HAS_ALLERGY_TO"].risk < 0.6 * 0.97


def test_a_relation_with_few_cases_has_the_threshold_of_the_domain() -> None:
    found = [_judged(0.95, right=True) for _ in range(50)]
    limits = thresholds(found, CLINICAL)
    assert limits["TAKES"].risk == limits["HAS_CONDITION"].risk


def test_domains_with_fewer_persons_are_calibrated_together_with_others() -> None:
    claim = _claim()
    statement = claim.statements[0]
    fewer = TaughtStatement(
        relation=statement.relation,
        probability=statement.probability,
        statuses=statement.statuses,
        persons={Person.SUBJECT: 0.99, Person.OTHER: 0.01},
    )
    other = TaughtClaim(place=claim.place, known=False, nothing=0.1, statements=(fewer,))
    found = [JudgedClaim(claim=item, marks=MILK.marks) for item in (claim, other)]
    assert temperatures(found).person <= 1
