"""Whose record a file is: by an identifier, never by a name that two people may have."""

import pytest

from r_memory.domain.facts import Entity
from r_memory.errors import InvalidInput
from r_memory.records.importing import of_person
from r_memory.records.values import FileEntry, FilePerson, FileReading

ANN = Entity(space="clinic", type="Patient", id="AL1", name="Ann Lee")
ENTRY = FileEntry(id="allergy-1", about="other-7", text="Allergy: penicillin", proposals=())
READING = FileReading(
    entries=(ENTRY,), persons={"other-7": FilePerson(name="Ann Lee", ids=frozenset({"other-7", "4711"}))}
)


def test_the_record_of_somebody_of_the_same_name_is_refused_and_says_how_to_vouch_for_it() -> None:
    with pytest.raises(InvalidInput, match=r"'other-7' \(Ann Lee\).*say so with --person"):
        of_person(READING, ANN)


@pytest.mark.parametrize("person", ["other-7", "4711"])
def test_an_identifier_that_somebody_vouches_for_takes_it(person: str) -> None:
    assert of_person(READING, ANN, person=person).entries == (ENTRY,)
