"""One cutter for all that cut text: nothing is lost, abbreviations hold together, time grows with the length."""

import time

from hypothesis import given
from hypothesis import strategies as st

from r_memory.text.sentences import clauses, passages, sentences, stretches

TEXTS = st.text(alphabet=st.sampled_from("ab .!?;,:\n-\u2013\u3002\uff1f\u4e2d5"), max_size=60)


@given(TEXTS)
def test_parts_joined_are_the_text_again(text: str) -> None:
    assert "".join(stretches(text)) == "".join(clauses(text)) == text


@given(TEXTS, st.integers(1, 20))
def test_passages_cover_a_text_without_a_gap(text: str, size: int) -> None:
    found = passages(text, size)
    assert all(0 < span.end - span.start <= size for span in found)
    left = set(range(len(text))) - {at for span in found for at in range(span.start, span.end)}
    assert not "".join(text[at] for at in left).strip()


def test_a_passage_ends_behind_a_sentence_and_not_behind_an_abbreviation() -> None:
    text = "She has no pain today. She was seen by Dr. Lee of the ward."
    first, second = passages(text, 45)
    assert (text[first.start : first.end], text[second.start : second.end]) == (text[:23], text[23:])


def test_abbreviations_and_numbers_end_no_sentence() -> None:
    assert sentences("Dr. Lee gave 2.5 mg. It helped.") == ("Dr. Lee gave 2.5 mg.", "It helped.")


def test_a_text_without_a_pause_is_cut_in_time_that_grows_with_its_length() -> None:
    began = time.process_time()
    for text in ("a" * 200_000, "... " * 50_000, "\u4e2d" * 200_000, " " * 200_000, ". " * 100_000):
        assert "".join(stretches(text)) == "".join(clauses(text)) == text
    assert time.process_time() - began < 10
