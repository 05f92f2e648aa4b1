"""What was taken and went well is tolerated where both readers say so, and nowhere else."""

import pytest

from r_memory.config.settings import Settings
from r_memory.domain.facts import Observation, Status
from r_memory.protocols import Utterance
from r_memory.reading.reader import Reader
from r_memory.wiring.language import open_reader
from tests.unit.reading.readers import JOHN


@pytest.fixture(scope="module")
def reader() -> Reader:
    return open_reader(Settings())


def _tolerated(reader: Reader, text: str) -> list[str]:
    utterance = Utterance(text=text, role="user", speaker="", subject=JOHN)
    read = reader.extractor.extract(utterance)
    checked = (reader.validator.check(utterance, proposal) for proposal in read.proposals)
    facts = [item for item in checked if isinstance(item, Observation) and item.relation == "TOLERATES"]
    return [fact.object.id for fact in facts if fact.status is Status.ACTIVE]


@pytest.mark.parametrize(
    "text",
    [
        "I had amoxicillin in March and I was fine.",
        "She has had ibuprofen for years without any problems.",
        "He eats peanut butter every day, never any trouble.",
        "I had the flu jab last week and felt fine.",
        "She's had three general anaesthetics without any complications.",
        "Lidocaine at the dentist is okay for him, he's had it a few times.",
        "Paracetamol never bothers me.",
        "The covid jab didn't bother me in the slightest.",
        "I take penicillin every day and I'm fine.",
    ],
)
def test_what_went_well_is_tolerated(reader: Reader, text: str) -> None:
    assert len(_tolerated(reader, text)) == 1


@pytest.mark.parametrize(
    "text",
    [
        "I was fine on lisinopril until the cough started.",
        "Penicillin should be fine.",
        "Is penicillin fine for me?",
        "My brother is fine with penicillin.",
        "I had codeine and I was not fine.",
        "If the ibuprofen was fine I would take it.",
        "I'm fine but amoxicillin gave me a rash.",
        "Fish is all right; crab closes my throat.",
        "They said penicillin would be no problem.",
        "I think amoxicillin was fine.",
        "Penicillin was fine at first.",
        "Aspirin is fine as long as I eat something.",
        "Propranolol is fine by me.",
        "Codeine made me sick, but I'm all right now.",
        "I had a reaction to penicillin and was all right after an injection.",
        "Penicillin nearly killed me, I'm fine now.",
        "I'm not fine with latex.",
        "Nobody has ever said penicillin was a problem.",
    ],
)
def test_what_only_sounds_like_it_is_not(reader: Reader, text: str) -> None:
    assert {
        "crab",
        "shellfish",
        "penicillin",
        "codeine",
        "latex",
        "lisinopril",
        "amoxicillin",
        "ibuprofen",
        "aspirin",
        "propranolol",
        "fish",
    }.isdisjoint(_tolerated(reader, text))
