from hypothesis import given
from hypothesis import strategies as st

from r_memory.reading.taught.pieces import BODY, CONTEXT, QUESTION, tail, windows
from tests.unit.reading.taught.doubles import FakeEncoder

texts = st.text(alphabet=st.sampled_from("ab cde.fg?! \nhij, k😀ß"), max_size=1500) | st.text(max_size=300)


@given(texts)
def test_every_piece_is_read_once_and_in_order(text: str) -> None:
    pieces = FakeEncoder().pieces(text)
    read = [index for window in windows(pieces, text) for index in range(window.first, window.last)]
    assert read == list(range(len(pieces)))


@given(texts)
def test_no_window_is_longer_than_the_encoder_takes(text: str) -> None:
    for window in windows(FakeEncoder().pieces(text), text):
        assert 0 < window.last - window.first <= BODY
        assert 0 <= window.first - window.shown <= CONTEXT


def test_short_sentences_share_a_window() -> None:
    text = "There are slugs. They ate it all."
    assert len(windows(FakeEncoder().pieces(text), text)) == 1


def test_a_window_begins_with_a_sentence_where_it_can() -> None:
    sentence = "one two three four five six seven eight nine ten. "
    text = sentence * 12
    pieces = FakeEncoder().pieces(text)
    assert {text[pieces.starts[window.first] :][:7] for window in windows(pieces, text)} == {"one two"}


def test_a_long_list_is_cut_between_words() -> None:
    text = ", ".join(f"thing{number}" for number in range(300))
    pieces = FakeEncoder().pieces(text)
    assert all(pieces.begins_word(window.first) for window in windows(pieces, text))


def test_a_word_longer_than_a_window_is_cut_anywhere() -> None:
    text = "a" * 6 * BODY * 2
    assert len(windows(FakeEncoder().pieces(text), text)) == 2


def test_of_a_long_question_the_end_is_kept() -> None:
    question = "so many words " * 40 + "any slugs?"
    kept = tail(FakeEncoder().pieces(question))
    assert question[kept.starts[0] :].endswith("any slugs?")
    assert len(kept) <= QUESTION
