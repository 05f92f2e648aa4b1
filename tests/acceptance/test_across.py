"""A party held against everybody on record: a law firm's conflict check, an adviser's insiders and restricted lists."""

from collections.abc import AsyncIterator, Sequence

import pytest

from r_memory import Memory, open_memory
from r_memory.config.settings import load_settings
from r_memory.errors import InvalidInput, StoreUnavailable
from r_memory.facts.across import block_of
from r_memory.facts.remember.results import Claim
from tests.acceptance.conftest import Installation

pytestmark = pytest.mark.anyio


FILES: tuple[tuple[str, str, str, tuple[tuple[str, str, dict[str, str]], ...] | None], ...] = (
    (
        "K1",
        "Ostara Mills",
        "We act for Ostara in the lease dispute with Halvorsen Shipping AS.",
        (("HAS_CONFLICT_WITH", "Halvorsen Shipping AS", {"matter": "lease dispute"}),),
    ),
    ("K2", "Per Halvorsen", "Per Halvorsen wants his will redrafted.", None),
    (
        "K3",
        "Brigt Holding",
        "Brigt Holding owns 60 percent of Halvorsen Shipping.",
        (("HAS_INTEREST_IN", "Halvorsen Shipping", {"share": "60 percent"}),),
    ),
    ("K4", "Lunde Bakery", "Lunde Bakery is suing Brigt Holding.", (("HAS_CONFLICT_WITH", "Brigt Holding", {}),)),
    ("K5", "Tor Eide", "There is no conflict with Halvorsen Shipping.", None),
    (
        "K6",
        "Mona Vik",
        "The other side is Halvorson Shipping.",
        (("HAS_CONFLICT_WITH", "Halvorson Shipping", {}),),
    ),
    ("K7", "Nils Aas", "Our opponent is Dorset Paper.", (("HAS_CONFLICT_WITH", "Dorset Paper", {}),)),
)
BOOKS = (
    ("F1", "Ida Roth", "I sit on the board of Siemens.", None),
    ("F2", "Karl Bonn", "He must not hold Siemens.", None),
    ("F3", "Eva Lang", "She holds Nestle.", None),
)


async def filled(memory: Memory, files: Sequence[tuple[str, str, str, object]]) -> Memory:
    for id_, name, words, read in files:
        claims = [Claim(relation=a, object=b, evidence=words, attrs=c) for a, b, c in read] if read else None  # type: ignore[attr-defined]
        await memory.remember(words, subject=id_, subject_name=name, speaker="lawyer", claims=claims)
    return memory


@pytest.fixture(scope="module")
async def firm(standing: Installation) -> AsyncIterator[Memory]:
    installation = standing.with_settings(schema="law", space="across-law", data_dir=str(standing.folder / "across"))
    async with open_memory(load_settings(installation.environment)) as opened:
        yield await filled(opened, FILES)


def lines_of(block: str, id_: str) -> list[str]:
    """What the block says of one client, under any heading."""
    found, inside = [], False
    for line in block.splitlines():
        inside = (line.startswith(f"{id_} (") or inside) and (line.startswith((f"{id_} (", "  ")))
        found += [line.strip()] if inside else []
    return found[1:]


async def test_a_conflict_check_names_matters_and_roles_of_every_client_that_the_party_touches(firm: Memory) -> None:
    check = await firm.check_across("Halvorsen Shipping", shown_to="test")
    block = block_of(check)
    opposed, *matters = lines_of(block, "K1")
    assert opposed.startswith("CONFLICT OF INTEREST: Ostara Mills has a conflict with ")
    assert "lease dispute" in " ".join([opposed, *matters])
    assert "INTEREST: Brigt Holding has an interest in" in lines_of(block, "K3")[0]
    assert "through Brigt Holding" in " ".join(lines_of(block, "K4"))
    assert "Halvorson" in " ".join(lines_of(block, "K6"))
    assert block.index("MAY BE:") < block.index("K6 (Mona Vik)")
    assert lines_of(block, "K5") == lines_of(block, "K7") == []
    assert (check.complete, check.subjects) == (True, len(FILES))
    assert "wants his will" not in block


KIN = (
    (
        "A1",
        "Moor Estates",
        "The opponent is Neil Ashby, in the boundary claim.",
        (("HAS_CONFLICT_WITH", "Neil Ashby", {"matter": "boundary claim"}),),
    ),
    (
        "A2",
        "Rosa Thorne",
        "My husband Iven has shares in Calder Mills.",
        (("HAS_INTEREST_IN", "Calder Mills", {"relative": "husband Iven"}),),
    ),
    ("A3", "Ashby Timber Ltd", "Our opponent is Kell Foods.", (("HAS_CONFLICT_WITH", "Kell Foods", {}),)),
    *(
        (f"A{number}", f"{given} Larsen", "Our opponent is Kell Foods.", (("HAS_CONFLICT_WITH", "Kell Foods", {}),))
        for number, given in enumerate(("Ole", "Kari", "Nils", "Solveig", "Jan", "Siri"), start=10)
    ),
)


@pytest.fixture(scope="module")
async def kin(standing: Installation) -> AsyncIterator[Memory]:
    installation = standing.with_settings(schema="law", space="across-kin", data_dir=str(standing.folder / "kin"))
    async with open_memory(load_settings(installation.environment)) as opened:
        yield await filled(opened, KIN)


@pytest.mark.parametrize(
    ("party", "client", "told"),
    [
        ("Joanne Ashby", "A1", "boundary claim"),
        ("Mrs Ashby-Cole", "A1", "boundary claim"),
        ("Iven Thorne", "A2", "Calder Mills"),
    ],
)
async def test_a_shared_surname_may_be_a_tie_and_is_told_with_role_and_matter(
    kin: Memory, party: str, client: str, told: str
) -> None:
    check = await kin.check_across(party, shown_to="test")
    block = block_of(check)
    assert "FOUND:" not in block
    assert block.index("MAY BE:") < block.index(client)
    assert told in " ".join(lines_of(block, client))
    assert "A3" not in {involvement.subject.id for involvement in check.involved}


@pytest.mark.parametrize("party", ["Halvorsen Energy (North)", "Brigt Estates Ltd"])
async def test_firms_that_begin_with_one_distinctive_word_may_be_of_one_group(firm: Memory, party: str) -> None:
    check = await firm.check_across(party, shown_to="test")
    block = block_of(check)
    assert "begin with one name: of one group?" in block
    assert "FOUND:" not in block


@pytest.mark.parametrize("party", ["Kelvin Shipping", "Silver Holding", "Dorset Price"])
async def test_firms_that_share_a_trade_or_a_plain_word_are_not_tied_by_it(firm: Memory, party: str) -> None:
    assert "of one group?" not in block_of(await firm.check_across(party, shown_to="test"))


async def test_a_surname_that_many_have_ties_nobody(kin: Memory) -> None:
    assert (await kin.check_across("Berit Larsen", shown_to="test")).involved == ()


async def test_the_check_leaves_a_receipt_with_whom_it_shows_and_in_the_register(firm: Memory) -> None:
    check = await firm.check_across("Dorset Paper", shown_to="test")
    whole = await firm.facts.store.receipt(firm.facts.space, check.receipt_id)
    assert whole is not None
    assert (whole.fact_ids, whole.shown_to, whole.complete) == (check.fact_ids, "test", True)
    newest, *_ = await firm.receipts(subject="K7")
    assert newest.fact_ids == check.fact_ids
    nothing = await firm.check_across("Quillfeather Estates")
    assert "NOTHING FOUND" in block_of(nothing)
    assert (await firm.space.prove(nothing.receipt_id)).receipt.fact_ids == ()
    assert "everybody" not in {item.id for item in await firm.subjects()}
    assert (await firm.space.verify()).differences == ()


async def test_who_cannot_be_read_is_named_and_the_check_is_not_complete(
    firm: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = firm.facts.store
    read = store.neighbourhood

    async def failing(subject: object, *args: object) -> object:
        if getattr(subject, "id", "") == "K3":
            raise StoreUnavailable("the database does not answer")
        return await read(subject, *args)  # type: ignore[arg-type]

    monkeypatch.setattr(store, "neighbourhood", failing)
    block = block_of(check := await firm.check_across("Quillfeather"))
    assert not check.complete
    assert "COULD-NOT-CHECK" in block
    assert "K3 (Brigt Holding): the database does not answer" in block


@pytest.mark.parametrize("party", ["H", " ", "H.", "AS" * 120])
async def test_a_name_that_tells_nobody_apart_is_refused(firm: Memory, party: str) -> None:
    with pytest.raises(InvalidInput):
        await firm.check_across(party)


async def test_a_schema_that_allows_no_look_across_people_refuses(standing: Installation) -> None:
    async with open_memory(load_settings(standing.environment)) as clinic:
        with pytest.raises(InvalidInput, match="across: true"):
            await clinic.check_across("penicillin")


async def test_insiders_and_restricted_lists_are_held_across_clients(standing: Installation) -> None:
    books = standing.with_settings(schema="finance", space="across-fin", data_dir=str(standing.folder / "across-fin"))
    async with open_memory(load_settings(books.environment)) as memory:
        await filled(memory, BOOKS)
        block = block_of(await memory.check_across("Siemens"))
    assert "INSIDER: Ida Roth is an insider of Siemens" in " ".join(lines_of(block, "F1"))
    assert "RESTRICTED: Karl Bonn must not" in " ".join(lines_of(block, "F2"))
    assert "F3 (" not in block
