"""The reference of the settings is what their declaration says."""

from scripts.settings_reference import PAGE, page


def test_the_page_is_what_the_declaration_says() -> None:
    """After a change that was meant: `python -m scripts.settings_reference`."""
    assert PAGE.read_text(encoding="utf-8") == page()
