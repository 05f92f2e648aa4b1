"""What is taken from an ATC table, whatever its columns are called."""

from pathlib import Path

import pytest

from r_memory.errors import ConfigurationError
from r_memory_lab.knowledge.atc import read_atc
from r_memory_lab.knowledge.vocabulary import Vocabulary
from tests.unit.lab.knowledge.files import ATC, atc_in


def read(path: Path) -> Vocabulary:
    return read_atc(path, stop=frozenset(), progressed=lambda: None)


def test_substances_are_members_of_their_class_and_each_class_of_the_one_above(tmp_path: Path) -> None:
    found = read(atc_in(tmp_path))

    assert found.names == {"zolimab": (), "quintafen": (), "brevidol": ()}
    assert found.groups == {
        "organs and metabolism (A)": ("mouth things (A01)",),
        "mouth things (A01)": ("mouth things (A01A)",),
        "mouth things (A01A)": ("rinses (A01AB)",),
        "rinses (A01AB)": ("zolimab", "quintafen"),
    }
    assert found.skipped == 1


@pytest.mark.parametrize(
    "text",
    [
        ATC.replace("ATC code,ATC level name", "code,name"),
        ATC.replace("ATC code,ATC level name", "ATC_Code,ATC_Name"),
        ATC.replace("ATC code,ATC level name", "\ufeffcode,title"),
        ATC.replace('"Various, combinations"', "Various combinations").replace(",", ";"),
    ],
)
def test_headers_and_separators_may_differ(tmp_path: Path, text: str) -> None:
    assert read(atc_in(tmp_path, text)).groups == read(atc_in(tmp_path / "plain")).groups


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "the file is empty"),
        ("code,name\n", "no rows below the header"),
        ("a,b\nA,x\n", "atc.csv:1: no column 'code' among: a, b"),
        ("code,name\nA01ZZ9,x\n", "atc.csv:2: 'A01ZZ9' is no ATC code"),
        ("code,name\nA\n", "atc.csv:2: 1 columns, expected 2"),
    ],
)
def test_another_table_is_refused_at_its_line(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(ConfigurationError) as refused:
        read(atc_in(tmp_path, text))

    assert said in str(refused.value)
