"""What a document says about itself: its day where it says one plainly, and never another one."""

import pytest

from r_memory.config.files import Files
from r_memory.config.schema_file import load_schema
from r_memory.domain.instants import iso_day
from r_memory.facts.remember.letters import own_date


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("Date: 3 March 2009\nShe is well.", "2009-03-03"),
        ("St Anne's Hospital\nDate of letter: 14 May 2024\nDate of birth: 2 June 1950\n", "2024-05-14"),
        ("Ward: 7    Date: 14 May 2024    NHS: 12\nStable.", "2024-05-14"),
        ("| Date of report | 14 May 2024 |\n| Sodium | 138 |", "2024-05-14"),
        ("Dear colleague,\n14 May 2024\nThank you.", "2024-05-14"),
        ("Dear colleague,\nThank you.\nYours,\nDr A. Smith, Consultant, 14 May 2024", "2024-05-14"),
        ("Handover\nStable.\nSigned: Nurse Lee on 2024-05-14", "2024-05-14"),
        ("Date of birth: 2 June 1950\nShe is well.", ""),
        ("Date: 03/05/2009\nShe is well.", ""),
        ("Date: 3 March 2009\nDate: 4 March 2009\n", ""),
        ("Jaundice on co-amoxiclav, 3 March 2020.\nStent, 4 May 2018.", ""),
        ("Sodium 138 (12 Nov 2026)\n", ""),
    ],
)
def test_a_document_is_of_the_day_that_it_states_plainly_or_of_none(text: str, day: str) -> None:
    found = own_date(text, load_schema(Files()))
    assert ("" if found is None else iso_day(found)) == day
