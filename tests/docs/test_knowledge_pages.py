"""The pages of the clinical pack are what its files say."""

from scripts.knowledge_pages import FOLDER, pages


def test_the_pages_are_what_the_pack_says() -> None:
    """After a change that was meant: `python -m scripts.knowledge_pages`."""
    assert {file.name: file.read_text(encoding="utf-8") for file in FOLDER.glob("*.md")} == pages()
