import pytest

from r_memory.text.markers import without_own_blocks

FACT = "CRITICAL ALLERGY: Ann is allergic to Latex."
BLOCK = f"[R-MEMORY CONTEXT]:\nSubject: Ann (Patient A1).\n{FACT}\n[END R-MEMORY CONTEXT]"


def test_text_without_a_block_comes_back_unchanged() -> None:
    text = "  She said [QUERY]: nothing [END R-MEMORY CONTEXT] special.\n"
    assert without_own_blocks(text) == text


@pytest.mark.proves("Z23")
def test_a_whole_block_is_taken_out_and_the_words_around_it_stay() -> None:
    assert without_own_blocks(f"Before.\n{BLOCK}\nAfter.") == "Before.\n\nAfter."


@pytest.mark.proves("Z23")
def test_of_a_whole_prompt_only_the_request_is_left() -> None:
    assert without_own_blocks(f"{BLOCK}\n[QUERY]:\nWhat may she take?") == "What may she take?"


@pytest.mark.proves("Z23")
def test_a_block_cut_before_its_end_is_taken_out_up_to_the_request() -> None:
    cut = BLOCK.removesuffix("[END R-MEMORY CONTEXT]")
    assert without_own_blocks(f"{cut}[QUERY]:\nWhat may she take?") == "What may she take?"


def test_nothing_is_left_of_a_block_alone() -> None:
    assert without_own_blocks(f"{BLOCK}\n{BLOCK}") == ""


def test_words_behind_a_marker_that_stands_alone_are_kept() -> None:
    text = "[R-MEMORY CONTEXT]: I am allergic to latex."
    assert without_own_blocks(text) == text


def test_words_between_a_lone_marker_and_a_whole_block_are_kept() -> None:
    assert without_own_blocks(f"[R-MEMORY CONTEXT] I am allergic to latex. {BLOCK}") == (
        "[R-MEMORY CONTEXT] I am allergic to latex."
    )
