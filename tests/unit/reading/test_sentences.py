"""Where sentences and clauses begin and end, in notes and in speech."""

from collections.abc import Callable

import pytest

from r_memory.reading.language import LanguagePack
from r_memory.reading.linking import Gazetteer
from r_memory.reading.normalise import plain
from r_memory.reading.sentences import Sentence, Splitter, units

Cut = Callable[[str], list[Sentence]]


@pytest.fixture(scope="session")
def cut(pack: LanguagePack, gazetteer: Gazetteer) -> Cut:
    splitter = Splitter(pack)

    def cuts(text: str) -> list[Sentence]:
        tokens, mentions = gazetteer.read(plain(text))
        return list(splitter.sentences(tuple(units(tokens, mentions))))

    return cuts


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two! Three?", ["one .", "two !", "three ?"]),
        ("It begins with a V. Oh, Valium.", ["it begins with a v .", "oh , valium ."]),
        ("Dr. Smith gave 2.5 mg of it.", ["dr. smith gave 2.5 mg of it ."]),
        ("First line\nSecond line", ["first line", "second line"]),
        ("a line that only ran out of room on this\npage", ["a line that only ran out of room on this page"]),
        ("nkda.no fever", ["nkda .", "no fever"]),
        ("", []),
    ],
)  # fmt: skip
def test_sentences_end_where_a_reader_would_end_them(cut: Cut, text: str, expected: list[str]) -> None:
    assert [" ".join(sentence.words) for sentence in cut(text)] == expected


@pytest.mark.parametrize(
    ("text", "clauses"),
    [
        ("latex but not eggs", [0, 1, 1, 1]),
        ("she is ill and her daughter is well", [0, 0, 0, 1, 1, 1, 1, 1]),
        ("penicillin, I fainted", [0, 1, 1, 1]),
        ("penicillin, latex and eggs", [0, 0, 0, 0, 0]),
        ("ill; well", [0, 0, 1]),
    ],
)
def test_clause_begins_with_somebody_new_or_a_contrast(cut: Cut, text: str, clauses: list[int]) -> None:
    assert list(cut(text)[0].clauses) == clauses


def test_units_stand_where_their_words_stand(cut: Cut) -> None:
    text = "Well, co-amoxiclav made me ill."
    sentence = cut(text)[0]
    expected = ["Well", ",", "co-amoxiclav", "made", "me", "ill", "."]
    assert [text[unit.start : unit.end] for unit in sentence.units] == expected
