"""The case file: it proves itself, here and in a browser, and whatever is changed in it shows."""

import json
import random
import re
from pathlib import Path

import pytest

from r_memory.domain.blocks import digest
from r_memory.errors import InvalidInput
from r_memory.facts.recall.rendering import render
from r_memory.memory import Memory
from r_memory.space.signing import public_key, signing_key
from r_memory.web.case import Checked, case_file, check_case
from tests.acceptance.web.site import Browser
from tests.acceptance.web.test_pages import HOSTILE, told

pytestmark = pytest.mark.anyio

REQUEST = "Recommend an antibiotic."
MUTATIONS = 400
SEED = 31


@pytest.fixture
async def case(memory: Memory, someone: str, tmp_path: Path) -> str:
    """The file of one receipt, with the request in it."""
    await told(memory, someone)
    await told(memory, someone, f"I take aspirin. {HOSTILE}")
    found = await memory.build_context(REQUEST, subject=someone, shown_to="a client")
    return await case_file(memory, found.receipt_id, signing_key(tmp_path / "key"), given={"request": REQUEST})


def checked(text: str, memory: Memory, tmp_path: Path, *, ahead_ms: int = 0) -> Checked:
    now = memory.space.clock.now() + ahead_ms
    return check_case(text, trusted=public_key(signing_key(tmp_path / "key")), now=now)


async def test_a_case_file_proves_itself_and_asks_nobody(case: str, memory: Memory, tmp_path: Path) -> None:
    found = checked(case, memory, tmp_path)
    assert found.wrong == ()
    assert found.records >= 5
    assert "http" not in case.replace("http-equiv", "")
    assert "<img" not in case
    assert len(case.encode()) < 300_000


async def test_a_byte_changed_anywhere_shows(case: str, memory: Memory, tmp_path: Path) -> None:
    chance, content = random.Random(SEED), case.encode()
    unseen = []
    for _ in range(MUTATIONS):
        place = chance.randrange(len(content))
        kind = chance.choice(("change", "cut", "add"))
        byte = bytes([chance.choice([one for one in range(0x20, 0x7F) if one != content[place]])])
        rest = content[place:] if kind == "add" else content[place + 1 :]
        text = (content[:place] + (b"" if kind == "cut" else byte) + rest).decode("utf-8", "replace")
        try:
            if not checked(text, memory, tmp_path).wrong and text != case:
                unseen.append((place, kind))
        except InvalidInput:
            continue
    assert unseen == []


@pytest.mark.parametrize("name", ["digest", "public_key", "signature", "checkpoint_signature"])
async def test_the_seal_counts_only_as_it_was_written(case: str, memory: Memory, tmp_path: Path, name: str) -> None:
    value = re.findall(rf'"{name}": "([0-9a-f]+)"', case)[-1]
    letter = next(place for place, one in enumerate(value) if one.isalpha())
    for other in (value[:letter] + value[letter].upper() + value[letter + 1 :], f"{value[:2]} {value[2:]}"):
        assert checked(case.replace(value, other), memory, tmp_path).wrong


async def test_half_a_case_file_is_none(case: str, memory: Memory, tmp_path: Path) -> None:
    for part in (case[: len(case) // 2], case[len(case) // 2 :], "", "{}"):
        with pytest.raises(InvalidInput, match="case file"):
            checked(part, memory, tmp_path)


async def test_a_case_of_another_installation_is_told_by_its_key(case: str, memory: Memory, tmp_path: Path) -> None:
    other = public_key(signing_key(tmp_path / "another"))
    found = check_case(case, trusted=other, now=memory.space.clock.now())
    assert any("made by the key" in one for one in found.wrong)


async def test_a_checkpoint_of_the_future_is_red(case: str, memory: Memory, tmp_path: Path) -> None:
    found = checked(case, memory, tmp_path, ahead_ms=-24 * 3600 * 1000)
    assert any("dated in the future" in one for one in found.wrong)


async def test_words_that_the_receipt_does_not_know_are_not_put_in(
    memory: Memory, someone: str, tmp_path: Path
) -> None:
    await told(memory, someone)
    found = await memory.build_context(REQUEST, subject=someone)
    (receipt,) = await memory.receipts(subject=someone)
    block = render(found, with_query=False)
    assert (receipt.gate.asked, receipt.gate.stood) == (digest(REQUEST), digest(block))
    key = signing_key(tmp_path / "key")
    assert "CRITICAL ALLERGY" in await case_file(memory, receipt.id, key, given={"block": block})
    for given in ({"request": "Recommend nothing."}, {"block": block + " "}):
        with pytest.raises(InvalidInput, match="sha256 differs"):
            await case_file(memory, receipt.id, key, given=given)


async def test_the_page_hands_out_the_case_file(browser: Browser, memory: Memory, someone: str) -> None:
    await told(memory, someone)
    found = await memory.build_context(REQUEST, subject=someone)
    answer = await browser.http.get("/case", params={"id": found.receipt_id})
    assert answer.status_code == 200
    data = answer.text.partition('id="data">')[2].partition("</script>")[0]
    assert json.loads(data)["receipt"] == found.receipt_id
