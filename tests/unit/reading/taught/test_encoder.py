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
