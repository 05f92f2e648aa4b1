"""The case file: it proves itself, here and in a browser, and whatever is changed in it shows."""

import html
import json
import random
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from r_memory.domain.blocks import GateRecord, digest
from r_memory.domain.instants import parse_instant
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
OLDER = Path(__file__).parents[2] / "golden"


@pytest.fixture
async def case(memory: Memory, someone: str, tmp_path: Path) -> str:
    """The file of one receipt, with the request in it."""
    await told(memory, someone)
    await told(memory, someone, f"I take aspirin. {HOSTILE}")
    found = await memory.build_context(REQUEST, subject=someone, shown_to="a client")
    return await case_file(memory, found.receipt_id, signing_key(tmp_path / "key"), given={"request": REQUEST})


def data_of(case: str) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(case.partition('id="data">')[2].partition("</script>")[0])
    return data


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
        byte = bytes([chance.choice([item for item in range(0x20, 0x7F) if item != content[place]])])
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
    assert any("made by the key" in item for item in found.wrong)


async def test_a_checkpoint_of_the_future_is_red(case: str, memory: Memory, tmp_path: Path) -> None:
    found = checked(case, memory, tmp_path, ahead_ms=-24 * 3600 * 1000)
    assert any("dated in the future" in item for item in found.wrong)


async def test_words_that_the_receipt_does_not_know_are_not_put_in(
    memory: Memory, someone: str, tmp_path: Path
) -> None:
    await told(memory, someone)
    found = await memory.build_context(REQUEST, subject=someone)
    (receipt,) = await memory.receipts(subject=someone)
    block, salt = render(found, with_query=False), receipt.gate.digest_salt
    assert (receipt.gate.asked, receipt.gate.stood) == (digest(REQUEST, salt), digest(block, salt))
    key = signing_key(tmp_path / "key")
    assert "CRITICAL ALLERGY" in await case_file(memory, receipt.id, key, given={"block": block})
    for given in ({"request": "Recommend nothing."}, {"block": block + " "}):
        with pytest.raises(InvalidInput, match="sha256 differs"):
            await case_file(memory, receipt.id, key, given=given)


async def test_the_block_as_it_stood_is_in_the_receipt_and_in_its_case(
    browser: Browser, memory: Memory, someone: str, tmp_path: Path
) -> None:
    await told(memory, someone)
    turn = await memory.build_turn(REQUEST, subject=someone, shown_to="a client")
    assert turn.recall is not None
    await told(memory, someone, "I take aspirin.")
    (receipt,) = await memory.receipts(subject=someone)
    assert (receipt.block, "aspirin" in receipt.block) == (turn.block, False)
    page = await browser.see("/receipt", id=receipt.id)
    assert html.escape(turn.block.splitlines()[1], quote=True).replace("&#x27;", "&#39;") in page
    data = data_of(await case_file(memory, receipt.id, signing_key(tmp_path / "key")))
    [kept] = [
        record for kind, record in map(json.loads, (datum["text"] for datum in data["entries"])) if kind == "receipt"
    ]
    assert kept["block"] == turn.block


async def test_a_case_without_the_request_does_not_hold_what_it_could_be_guessed_with(
    memory: Memory, someone: str, tmp_path: Path
) -> None:
    await told(memory, someone)
    found = await memory.build_context(REQUEST, subject=someone)
    (receipt,) = await memory.receipts(subject=someone)
    key, salt = signing_key(tmp_path / "key"), receipt.gate.digest_salt
    without = await case_file(memory, found.receipt_id, key)
    assert (salt in without, digest(REQUEST) in without) == (False, False)
    assert salt in await case_file(memory, found.receipt_id, key, given={"request": REQUEST})


async def test_of_several_people_each_receipt_keeps_what_was_said_of_that_one(memory: Memory, someone: str) -> None:
    other = f"{someone}x"
    await told(memory, someone)
    await told(memory, other, "I take aspirin.", name=f"Robert {other}")
    await memory.build_contexts(REQUEST, subjects=[someone, other])
    (own,), (others,) = await memory.receipts(subject=someone), await memory.receipts(subject=other)
    assert ("enicillin" in own.block, "spirin" in own.block) == (True, False)
    assert ("enicillin" in others.block, "spirin" in others.block) == (False, True)


async def test_a_receipt_of_an_older_version_has_its_page_and_its_case(
    browser: Browser, memory: Memory, someone: str, tmp_path: Path
) -> None:
    await told(memory, someone)
    found = await memory.build_context(REQUEST, subject=someone)
    (receipt,) = await memory.receipts(subject=someone)
    plain = GateRecord(asked=digest(REQUEST), stood=digest("block"))
    await memory.facts.store.add_receipt(replace(receipt, id=f"{found.receipt_id}0", gate=plain, block=""))
    assert "its sha256 alone" in await browser.see("/receipt", id=f"{found.receipt_id}0")
    key = signing_key(tmp_path / "key")
    text = await case_file(memory, f"{found.receipt_id}0", key, given={"request": REQUEST})
    assert checked(text, memory, tmp_path).wrong == ()


def test_a_case_file_of_an_older_version_still_proves_itself() -> None:
    text, trusted = (OLDER / "case-1.html").read_text(encoding="utf-8"), (OLDER / "case-1.key").read_text()
    found = check_case(text, trusted=trusted.strip(), now=parse_instant("2027-01-01T00:00:00Z"))
    assert (found.wrong, found.records > 2) == ((), True)
    assert check_case(text.replace("anaphylaxis", "anaphylaxia"), trusted=trusted.strip(), now=0).wrong


async def test_the_page_hands_out_the_case_file(browser: Browser, memory: Memory, someone: str) -> None:
    await told(memory, someone)
    found = await memory.build_context(REQUEST, subject=someone)
    answer = await browser.http.get("/case", params={"id": found.receipt_id})
    assert answer.status_code == 200
    assert data_of(answer.text)["receipt"] == found.receipt_id
