"""What becomes of words that only the taught reader understands: nothing that it may have read goes without a trace."""

import pytest
from typing_extensions import override

from r_memory.domain.facts import Extraction, Flag, Status
from r_memory.domain.schema import Schema
from r_memory.protocols import Utterance
from r_memory.reading.agreement import Thresholds
from r_memory.reading.extractor import RuleExtractor
from r_memory.reading.linking import Gazetteer
from r_memory.reading.local import LocalReader
from r_memory.reading.taught.claims import Person, Place, TaughtClaim, TaughtStatement
from r_memory.reading.taught.reader import TaughtReader
from tests.unit.reading.readers import JOHN, turn
from tests.unit.reading.taught.doubles import labels


class Understanding(TaughtReader):
    """A taught reader that understands one phrase, in the words or the question, and sees nothing in any other."""

    def __init__(self, words: str, relation: str, probability: float, person: Person) -> None:
        self.labels = labels(
            speakers=("patient", "clinician", "relative", "note"),
            relations=(relation,),
            thresholds={relation: Thresholds(doubted=0.5)},
        )
        self.version = "scripted"
        self._words = words
        self._statement = TaughtStatement(
            relation=relation, probability=probability, statuses={Status.ACTIVE: 1.0}, persons={person: 1.0}
        )

    @override
    def read(self, text: str, *, question: str = "", **_: object) -> tuple[TaughtClaim, ...]:
        """One claim, about the phrase."""
        in_question = self._words not in text
        start = (question if in_question else text).index(self._words)
        place = Place(start=start, end=start + len(self._words), in_question=in_question)
        return (TaughtClaim(place=place, known=False, nothing=0.01, statements=(self._statement,)),)


class Reads:
    """Extractions by the shipped rules beside a reader that understands one phrase."""

    def __init__(self, extractor: RuleExtractor, schema: Schema, gazetteer: Gazetteer) -> None:
        self._parts = (extractor, schema, gazetteer)

    def __call__(
        self,
        text: str,
        words: str,
        relation: str,
        *,
        asked: str = "",
        probability: float = 0.95,
        person: Person = Person.SUBJECT,
    ) -> Extraction:
        reader = LocalReader(*self._parts, Understanding(words, relation, probability, person))
        before = (turn(f"doctor: {asked}"),) if asked else ()
        return reader.extract(Utterance(text=text, role="user", speaker="patient", subject=JOHN, before=before))


@pytest.fixture(scope="module")
def reads(extractor: RuleExtractor, schema: Schema, gazetteer: Gazetteer) -> Reads:
    return Reads(extractor, schema, gazetteer)


def _stored(extraction: Extraction) -> list[tuple[str, str, str]]:
    return [(proposal.relation, proposal.object, proposal.status) for proposal in extraction.proposals]


def test_sure_reading_of_what_only_the_question_names_is_unconfirmed_and_waits(reads: Reads) -> None:
    answer = "I was hallucinating for a day."
    extraction = reads(answer, "ketamine", "HAS_INTOLERANCE_TO", asked="Would you have ketamine for this?")

    assert _stored(extraction) == [("HAS_INTOLERANCE_TO", "ketamine", "unconfirmed")]
    assert [item.text for item in extraction.review] == [answer]


def test_weak_reading_of_what_only_the_question_names_waits(reads: Reads) -> None:
    answer = "A day or two of it."
    extraction = reads(
        answer, "ketamine", "HAS_INTOLERANCE_TO", asked="And after the ketamine, any bother?", probability=0.4
    )

    assert _stored(extraction) == []
    assert [item.text for item in extraction.review] == [answer]


def test_weak_reading_of_a_complaint_that_only_the_question_names_does_not_wait(reads: Reads) -> None:
    extraction = reads("Yes, at night.", "sputum", "HAS_CONDITION", asked="Any sputum with it?", probability=0.4)

    assert (_stored(extraction), extraction.review) == ([], ())


def test_ceiling_without_a_number_is_no_fact_and_waits(reads: Reads) -> None:
    words = "My furosemide is never to be turned up again."
    extraction = reads(words, "furosemide", "DOSE_LIMIT")

    assert _stored(extraction) == []
    assert [item.text for item in extraction.review] == [words]


def test_relatives_condition_that_no_lexicon_has_is_kept_as_the_relatives(reads: Reads) -> None:
    extraction = reads("My brother has Zellner's syndrome.", "Zellner's", "HAS_CONDITION", person=Person.RELATIVE)

    assert _stored(extraction) == [("HAS_FAMILY_HISTORY", "zellner's", "active")]
    assert extraction.proposals[0].flags >= {Flag.UNMAPPED, Flag.TAUGHT}


def test_what_is_said_twice_is_weighed_like_what_is_said_once(reads: Reads) -> None:
    """Two readings of one fact are one, and that one is not stored past the table, on the rules' word."""
    denied = reads("Had asthma. The asthma is gone.", "asthma", "HAS_CONDITION", probability=0.3)

    assert [proposal.status for proposal in denied.proposals if proposal.object == "asthma"] == ["unconfirmed"]


def test_words_between_a_no_and_the_group_it_denies_do_not_wait_beside_it(reads: Reads) -> None:
    read = reads("No known allergies.", "known allergies", "HAS_ALLERGY_TO", probability=0.5)
    assert [(proposal.object, proposal.status) for proposal in read.proposals] == [("any", Status.NEGATED)]
    assert not read.review


def test_only_the_clause_that_supposes_makes_a_risk_in_it_doubtful(reads: Reads) -> None:
    read = reads("Zorvenbrix swells her lips, and I'd like to know if it matters.", "Zorvenbrix", "HAS_ALLERGY_TO")
    assert [proposal.template for proposal in read.proposals] == ["taught_risk"]
