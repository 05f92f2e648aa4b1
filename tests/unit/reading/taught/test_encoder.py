"""The encoder's products of eight bits are quick where they are exact, and the same on every processor."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from r_memory.reading.taught import encoder
from r_memory.reading.taught.encoder import OnnxEncoder, WordPieces
from r_memory.reading.taught.weights import ENCODER, SHIPPED, TOKENIZER

TEXTS = (
    "Shellfish makes my lips swell, so I leave it alone.",
    "dad had his pacemaker put in at Easter 2019 :)",
    "Please book the scan; she has taken 40 mg since May.",
    "?",
)


class Product:
    """A session whose largest product is as given."""

    def __init__(self, largest: int) -> None:
        self.largest = largest

    def run(self, _: object, given: Mapping[str, np.ndarray]) -> list[np.ndarray]:
        (rows,) = given.values()
        return [np.full((len(rows), 16), self.largest, dtype=np.int32)]


def read() -> list[np.ndarray]:
    shipped = OnnxEncoder(Path(SHIPPED / ENCODER), WordPieces(SHIPPED / TOKENIZER))
    return [shipped.vectors((shipped.begin, *shipped.pieces(text).ids, shipped.stop), 1) for text in TEXTS]


def test_this_processor_gives_the_vectors_of_precise_products(monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = read()
    monkeypatch.setattr(encoder, "saturates", lambda: True)

    assert all(map(np.array_equal, read(), chosen))


@pytest.mark.parametrize(("largest", "expected"), [(16 * 255 * 127, False), (8 * 32_767, True), (0, True)])
def test_a_processor_whose_largest_product_is_cut_off_takes_precise_ones(
    largest: int, expected: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(encoder, "_session", lambda *_: Product(largest))

    assert encoder.saturates() == expected


class Counted:
    """The shipped session; counts the windows that it reads."""

    def __init__(self, session: object) -> None:
        self.session, self.times = session, 0

    def run(self, *given: object) -> object:
        self.times += 1
        return self.session.run(*given)  # type: ignore[attr-defined]  # whatever session it is


def test_the_same_window_is_read_once_and_nobody_can_change_what_was_read(monkeypatch: pytest.MonkeyPatch) -> None:
    shipped = OnnxEncoder(Path(SHIPPED / ENCODER), WordPieces(SHIPPED / TOKENIZER))
    counted = Counted(shipped._session)
    monkeypatch.setattr(shipped, "_session", counted)
    ids = (shipped.begin, *shipped.pieces(TEXTS[0]).ids, shipped.stop)
    first = shipped.vectors(ids, 1)

    assert shipped.vectors(ids, 1) is first
    assert counted.times == 1
    assert not np.array_equal(shipped.vectors(ids, 2), first)  # where the utterance begins is a part of what is read
    assert counted.times == 2
    with pytest.raises(ValueError, match="read-only"):
        first[0, 0] = 0


def test_no_more_windows_are_kept_than_there_is_room_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encoder, "_MOST_KEPT", 2)
    shipped = OnnxEncoder(Path(SHIPPED / ENCODER), WordPieces(SHIPPED / TOKENIZER))
    for text in TEXTS:
        shipped.vectors((shipped.begin, *shipped.pieces(text).ids, shipped.stop), 1)
    assert len(shipped._kept) == 2
