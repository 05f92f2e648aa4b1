"""A document in blocks and parts: whole sentences, bounded, in their places, and nothing left out."""

# ruff: noqa: RUF001 - full-width marks are what is split at

import pytest
from hypothesis import given
from hypothesis import strategies as st

from r_memory.documents.plain import read_text
from r_memory.domain.documents import Plan, TextSection
from r_memory.text.tokens import count
from r_memory_talk.documents.splitting import BLOCK_TOKENS, MEETING_TOKENS, PART_CHARS, blocks, unwrapped
from r_memory_talk.documents.summarising import block_tokens

ENGLISH = "The bridge over the river was opened in May, and the mayor gave a long speech about it. "
CHINESE = "他说：“这座桥在五月开通。”市长为此作了很长的讲话！大家都很高兴吗？"
JAPANESE = "橋は五月に開通しました。市長は長い演説をしました。みんな喜びましたか？"


def parts_of(text: str, **options: int) -> list[TextSection]:
    return [part for block in blocks([TextSection(text=text)], **options) for part in block.parts]


@pytest.mark.proves("SCM-33")
@pytest.mark.parametrize("sentence", [ENGLISH, CHINESE, JAPANESE], ids=["English", "Chinese", "Japanese"])
@pytest.mark.parametrize("plan", [Plan(), Plan(meeting=True)], ids=["book", "meeting"])
def test_blocks_end_at_sentences_and_are_within_their_bound(sentence: str, plan: Plan) -> None:
    text = sentence * (10_000 // count(sentence))
    found = blocks([TextSection(text=text)], block_tokens=block_tokens(plan))
    assert "".join(block.text for block in found) == text
    assert all(block.text.rstrip(" ”")[-1] in ".!?。！？" for block in found)
    lengths = [count(block.text) for block in found]
    assert max(lengths) <= block_tokens(plan)
    assert min(lengths[:-1]) > block_tokens(plan) * 0.9
    assert not any(block.forced for block in found)


@pytest.mark.proves("SCM-33")
def test_bounds_are_those_of_books_and_meetings() -> None:
    assert (BLOCK_TOKENS, MEETING_TOKENS) == (3000, 2800)
    assert (block_tokens(Plan()), block_tokens(Plan(meeting=True))) == (3000, 2800)


@pytest.mark.parametrize("text", ["word " * 9_000, "x" * 60_000, "好" * 20_000], ids=["words", "letters", "chinese"])
def test_a_sentence_longer_than_a_block_is_cut_and_said_to_be(text: str) -> None:
    found = blocks([TextSection(text=text)])
    assert len(found) > 1
    assert all(block.forced for block in found)
    assert max(count(block.text) for block in found) <= BLOCK_TOKENS
    assert "".join(block.text for block in found) == text


def test_a_sentence_longer_than_a_part_stays_in_one_block() -> None:
    text = "Short before. " + "many words " * 700 + "end. Short after."
    (block,) = blocks([TextSection(text=text)])
    assert not block.forced
    assert max(len(part.text) for part in block.parts) <= PART_CHARS
    assert block.text == text


def test_parts_know_page_heading_and_line() -> None:
    pages = read_text("One page.\fAnother page.").sections
    assert [(part.page, part.text) for block in blocks(pages) for part in block.parts] == [
        (1, "One page."),
        (2, "Another page."),
    ]
    marked = read_text("# Allergies\n\nNuts.\n\n# Plans\n\nNone.\n", "markdown").sections
    assert [(part.heading, part.line) for block in blocks(marked) for part in block.parts] == [
        ("Allergies", 1),
        ("Plans", 5),
    ]
    lines = "".join(f"Sentence {number} stands in a line of its own.\n" for number in range(1, 101))
    parts = parts_of(lines, part_tokens=100)
    assert len(parts) > 5
    assert [part.line for part in parts] == [int(part.text.split()[1]) for part in parts]


def test_a_line_that_introduces_a_list_stays_with_it() -> None:
    filler = "He slept well last night and went for a walk. " * 7
    text = f"{filler}\nKnown allergies:\n" + "".join(f"- thing number {number}\n" for number in range(12))
    first, second = parts_of(text, part_tokens=90)[:2]
    assert "allergies" not in first.text
    assert second.text.startswith("Known allergies:\n- thing number 0")


def test_a_part_rather_ends_with_a_paragraph() -> None:
    text = "One two three four. Five six seven eight.\n\nNine ten eleven twelve. Thirteen fourteen fifteen sixteen."
    assert parts_of(text, part_tokens=18)[0].text.endswith("eight.\n\n")


def test_wrapped_lines_are_one_sentence_and_lists_are_not() -> None:
    wrapped = "The patient has been known to be severely allergic to\nPenicillin since the spring of the year 2019, and"
    assert "allergic to Penicillin" in unwrapped(wrapped + "\nshe carries a card.")
    short = "Allergy to nuts\nNo known allergy to latex\nNo implants at all"
    assert unwrapped(short) == short
    stopped = (
        "The patient has no known allergies to anything at all.\nPenicillin was given without any trouble, she said"
    )
    assert unwrapped(stopped) == stopped


@given(st.text(alphabet=st.sampled_from("ab .!?\n。，漢:-#"), max_size=400), st.integers(3, 40))
def test_no_character_but_blanks_is_lost_whatever_the_text(text: str, bound: int) -> None:
    found = blocks([TextSection(text=text)], block_tokens=bound, part_tokens=max(bound // 2, 2))
    assert "".join("".join(block.text for block in found).split()) == "".join(text.split())
    assert all(block.parts and all(part.text.strip() for part in block.parts) for block in found)


def test_a_document_of_blanks_has_no_blocks() -> None:
    assert blocks([TextSection(text=" \n\n ")]) == ()
