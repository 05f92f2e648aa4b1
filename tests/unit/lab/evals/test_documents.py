"""The judge of the suite `documents`, on texts of our own; and the whole suite over a small memory."""

from dataclasses import replace
from pathlib import Path

import pytest

from r_memory.errors import InvalidInput
from r_memory_lab.evals import documents
from r_memory_lab.evals.documents import Book, Summarised, WithoutBackground, outcome, rows
from tests.unit.talk.documents import world

NAMED = "In the morning Anne and old Wentworth met at Lyme, and then Wentworth left. "
BLOCK = NAMED * 20 + "The sea wall broke under a heavy storm that nobody had foreseen. " * 200


def a_book(blocks: int = 3) -> Book:
    return Book(id="book", text=BLOCK * blocks)


def summarised(book: Book, *, iterative: str, independent: str) -> Summarised:
    number = len(documents._blocks(book))
    return Summarised(
        id=book.id,
        of_blocks={
            "iterative": [iterative] * number,
            "independent": [independent] * number,
            "first words": ["Words."] * number,
        },
        whole={"iterative": iterative, "independent": independent},
        made_by="scripted",
    )


@pytest.mark.proves("T-23")
def test_the_judge_prefers_what_says_more_and_counts_who_is_named() -> None:
    book = a_book()
    found = summarised(
        book, iterative="Anne and Wentworth met at Lyme; a storm broke the sea wall.", independent="Nobody came."
    )
    figures = {figure.name: figure.value for figure in outcome([book], [found]).figures}
    assert figures["coverage: iterative preferred to independent"] == 1.0
    assert figures["iterative: entity recall"] == 1.0
    assert figures["independent: entity recall"] == 0.0
    assert figures["iterative: coverage"] > figures["independent: coverage"]


@pytest.mark.proves("T-23")
def test_what_was_told_before_is_no_gain() -> None:
    book = a_book()
    told = "Anne met Wentworth at Lyme."
    figures = {
        figure.name: figure for figure in outcome([book], [summarised(book, iterative=told, independent=told)]).figures
    }
    assert figures["iterative: gain"].value < figures["iterative: coverage"].value
    assert figures["gain: iterative preferred to independent"].n == 0


def test_sentences_hang_together_by_a_word_in_common() -> None:
    assert documents._coherence("", "Anne met him. Anne left. The sea rose.") == 0.5
    assert documents._coherence("The sea was calm.", "The sea rose.") == 1.0
    assert documents._coherence("", "One sentence.") == 1.0


def test_books_are_the_files_of_the_folder(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="holds no files"):
        rows(tmp_path)
    (tmp_path / "documents").mkdir()
    (tmp_path / "documents" / "emma.txt").write_text("Words.", encoding="utf-8")
    assert rows(tmp_path) == (Book(id="emma", text="Words."),)


@pytest.mark.proves("SCM-38")
@pytest.mark.anyio
async def test_without_background_every_block_stands_alone_beside_the_summaries_that_have_one() -> None:
    ward = world.Ward()
    (*_, usual) = await ward.read(world.a_book(12), about=None)
    with_background = list(ward.shortener.asked)
    ward.documents = replace(ward.documents, shortener=WithoutBackground(ward.shortener))
    (*_, alone) = await ward.read(world.a_book(12), about=None)
    assert {task.background for _, task in with_background} != {""}
    assert {task.background for _, task in ward.shortener.asked[len(with_background) :]} == {""}
    assert (usual.document.id, alone.document.plan) == (alone.document.id, f"no_scm {usual.document.plan}")
