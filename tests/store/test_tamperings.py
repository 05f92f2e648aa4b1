"""Every tampering of the attack in which 24 of 54 were found: each is now, and what needs the checkpoint says so."""

import pytest

from tests.store.stores import Database
from tests.store.tamperings import NAMES, TAMPERINGS, THOSE_OF_THE_ATTACK, Tampering, attacked

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("one_look")]


@pytest.fixture
def one_look(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody writes meanwhile: what is found need not be looked at again."""
    monkeypatch.setattr("r_memory.space.integrity._LOOKS", 1)


def test_there_are_as_many_as_the_attack_had() -> None:
    assert len(THOSE_OF_THE_ATTACK) == 54


@pytest.mark.parametrize("engine_place", ["embedded"], indirect=True)
@pytest.mark.parametrize("tampering", TAMPERINGS, ids=NAMES)
async def test_a_tampering_is_found(database: Database, tampering: Tampering) -> None:
    finding = await attacked(database, tampering)

    assert bool(finding.without) is not tampering.logs_anew
    assert finding.since


@pytest.mark.timeout(900)
@pytest.mark.parametrize("engine_place", [pytest.param("neo4j_2026", marks=pytest.mark.neo4j)], indirect=True)
async def test_every_fourth_tampering_is_found_on_neo4j_too(database: Database) -> None:
    """The look is the same text on both stores, where the embedded one meets all of them; all took six minutes here."""
    tried = TAMPERINGS[::4]
    findings = [await attacked(database, tampering) for tampering in tried]

    told = [(bool(found.without), bool(found.since)) for found in findings]
    assert told == [(not tampering.logs_anew, True) for tampering in tried]
