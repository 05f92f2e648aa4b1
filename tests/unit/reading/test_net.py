"""What the local reader that ships takes for the subject's, alone and beside a voice that counts."""

from collections.abc import Callable

import pytest

from r_memory.config.settings import Settings
from r_memory.domain.facts import Proposal, Route, Status
from r_memory.protocols import Utterance
from r_memory.reading.listener import Listened
from r_memory.reading.reader import Reader
from r_memory.wiring.language import open_reader
from tests.unit.reading.readers import JOHN

Given = tuple[str, str]
Heard = Callable[[str, list[Given]], Listened]


@pytest.fixture(scope="module")
def reader() -> Reader:
    return open_reader(Settings(schema="clinical"))


@pytest.fixture(scope="module")
def heard(reader: Reader) -> Heard:
    """What is made of words beside facts that a caller gave, each as relation and object."""

    def hears(text: str, given: list[Given]) -> Listened:
        utterance = Utterance(text=text, speaker="nurse", subject=JOHN)
        proposals = [
            Proposal(
                relation=relation,
                object=thing,
                status=Status.ACTIVE,
                evidence=text,
                route=Route.CLIENT,
                extractor="client/1",
            )
            for relation, thing in given
        ]
        assert reader.listener is not None
        return reader.listener.listen(utterance, proposals, reader.extractor.extract(utterance))

    return hears


@pytest.mark.parametrize(
    ("text", "thing"),
    [
        ("No cannulas or bloods in her left arm, please.", "cannulas or bloods in her left arm"),
        ("Nothing by mouth with grapefruit juice near her tablets.", "grapefruit juice near her tablets"),
    ],
)
def test_what_stands_inside_a_precaution_that_was_given_is_no_ban_of_its_own(
    heard: Heard, text: str, thing: str
) -> None:
    found = heard(text, [("HAS_PRECAUTION", thing)])

    assert [item.observation is not None for item in found.told] == [True]
    assert found.disputed == ()


def test_a_risk_that_stands_beside_the_given_one_is_still_kept_in_view(heard: Heard) -> None:
    found = heard("No cannulas in her left arm, and she is allergic to latex.", [("HAS_PRECAUTION", "cannulas")])

    assert found.disputed == ("HAS_ALLERGY_TO latex",)


@pytest.mark.parametrize(
    "text",
    [
        "The man in the next bed is on warfarin.",
        "The spaniel is on phenobarbital twice a day.",
        "My aunt carries an EpiPen in her bag.",
        "Prescribe doxycycline for John Doe.",
        "Please start him on doxycycline.",
    ],
)
def test_what_somebody_else_takes_or_is_only_ordered_is_no_use_of_the_subjects(reader: Reader, text: str) -> None:
    found = reader.extractor.extract(Utterance(text=text, subject=JOHN))

    assert [proposal.relation for proposal in found.proposals] == []


def test_what_the_subject_takes_beside_somebody_else_is_stored(reader: Reader) -> None:
    found = reader.extractor.extract(Utterance(text="I'm on warfarin like my aunt.", subject=JOHN))

    assert [proposal.object.casefold() for proposal in found.proposals if proposal.relation == "TAKES"] == ["warfarin"]


@pytest.mark.parametrize(
    "text",
    [
        "Query anaphylaxis to walnut, never proven.",
        "Query wasp venom allergy, nothing was ever proven.",
        "Allergies: query latex, nothing proven",
        "Unproven allergy to cefaclor.",
    ],
)
def test_what_is_said_outright_to_be_unproven_stays_in_doubt(reader: Reader, text: str) -> None:
    found = reader.extractor.extract(Utterance(text=text, speaker="nurse", subject=JOHN)).proposals
    assert [item.status for item in found] == [Status.UNCONFIRMED]
