"""The reference of the tools is what the server says of itself, and names every place where an answer may differ."""

import pytest

from scripts.tool_reference import PAGE, page

pytestmark = pytest.mark.anyio


async def test_the_page_is_what_the_server_says() -> None:
    """After a change that was meant: `python -m scripts.tool_reference`."""
    assert PAGE.read_text(encoding="utf-8") == await page()
