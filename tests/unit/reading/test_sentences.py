"""Where sentences and clauses begin and end, in notes and in speech."""

from collections.abc import Callable

import pytest

from r_memory.reading.language import LanguagePack
from r_memory.reading.linking import Gazetteer
from r_memory.reading.normalise import plain
from r_memory.reading.sentences import Sentence, Splitter, spelt_out, units

Cut = Callable[[str], list[Sentence]]


@pytest.fixture(scope="session")
def cut(pack: LanguagePack, gazetteer: Gazetteer) -> Cut:
    splitter = Splitter(pack)

    def cuts(text: str) -> list[Sentence]:
        tokens, mentions = gazetteer.read(plain(text))
        return list(splitter.sentences(tuple(spelt_out(units(tokens, mentions)))))

    return cuts


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two! Three?", ["one .", "two !", "three ?"]),
        ("It begins with a V. Oh, Valium.", ["it begins with a v .", "valium ."]),
        ("Dr. Smith gave 2.5 mg of it.", ["dr. smith gave 2.5 mg of it ."]),
        ("First line\nSecond line", ["first line", "second line"]),
        ("a line that only ran out of room on this\npage", ["a line that only ran out of room on this page"]),
        ("nkda.no fever", ["nkda .", "no fever"]),
        ("um, any, um, allergies, uh, at all?", ["any allergies at all ?"]),
        ("I I do n't, do n't know", ["i do not , do not know"]),
        ("we talked about it okay and are you well", ["we talked about it", "okay and are you well"]),
        ("an N S A I D and I V contrast", ["an n s a i d and i v contrast"]),
        ("Min. 10 % cash, max. 5 % gold. No oil.", ["min 10 % cash , max 5 % gold .", "no oil ."]),
        ("Excl. Tesla, incl. gold.", ["excl tesla , incl gold ."]),
        ("Cap it at 5 max. The rest in gilts.", ["cap it at 5 max .", "the rest in gilts ."]),
        ("Give it over 5 min. 10 mg then.", ["give it over 5 min .", "10 mg then ."]),
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
    text = "Well, um, co-amoxiclav made me ill."
    sentence = cut(text)[0]
    assert [text[unit.start : unit.end] for unit in sentence.units] == ["co-amoxiclav", "made", "me", "ill", "."]


def test_single_letters_in_a_row_are_one_word(cut: Cut) -> None:
    assert [unit.word for unit in cut("allergic to N A S A I D today")[0].units][2] == "nasaid"
