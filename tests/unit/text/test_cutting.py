"""Words and marks as English is written, by clinicians, speech recognition and hurried thumbs."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from r_memory.text.cutting import pieces


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        ("I'm allergic to penicillin.", "I 'm allergic to penicillin ."),
        ("I DON\u2019T react to it", "I DO N\u2019T react to it"),
        ("dont, cant, wont and cannot", "do nt , ca nt , wo nt and can not"),
        ("Ive had it; thats all", "I ve had it ; that s all"),
        ("wed is a day and ID is no I'd", "we d is a day and ID is no I 'd"),
        ("She was well; its shell", "She was well ; its shell"),
        ("Dr. Ada saw him at 10am on Jan. 3.", "Dr. Ada saw him at 10 am on Jan. 3 ."),
        ("pt. denies, e.g. latex.", "pt . denies , e.g. latex ."),
        ("anti-inflammatory/NSAID 500mg b.i.d.", "anti - inflammatory / NSAID 500 mg b.i.d ."),
        ("2g q6h, 48hrs", "2 g q6 h , 48 hrs"),
        ("NKDA.Allergic to:latex,eggs", "NKDA . Allergic to : latex , eggs"),
        ("(confirmed): “hives”...", "( confirmed ) : “ hives ” ..."),
        ("mother's w/o rash->none", "mother 's w/o rash -> none"),
        ("$5 or 5€, 37.5°C", "$ 5 or 5 € , 37.5°C"),
        ("对青霉素过敏。是的", "对青霉素过敏。是的"),
    ],
)
def test_a_text_is_cut_into_its_words_and_marks(text: str, cut: str) -> None:
    assert " ".join(piece for piece, _ in pieces(text)) == cut


def test_the_end_of_a_line_is_a_piece_and_other_blanks_are_none() -> None:
    assert list(pieces("a  b \n c\n\nd")) == [("a", 0), ("b", 3), ("\n ", 5), ("c", 7), ("\n\n", 8), ("d", 10)]


@given(st.text())
def test_nothing_of_a_text_is_lost_but_blanks(text: str) -> None:
    cut = list(pieces(text))

    assert "".join(text.split()) == "".join("".join(piece for piece, _ in cut).split())
    assert all(text[start : start + len(piece)] == piece for piece, start in cut)


@pytest.mark.parametrize("run", [".!" * 50_000, "..!" * 40_000, "a." * 60_000, "(" * 100_000, "'s" * 50_000])
def test_a_run_of_a_hundred_thousand_marks_takes_no_longer_than_words(run: str) -> None:
    """Under a minute even on a slow machine; with quadratic time it would be hours."""
    assert "".join(piece for piece, _ in pieces(run)) == run
