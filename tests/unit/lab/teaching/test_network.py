import random
from pathlib import Path

import numpy as np
import pytest

from tests.unit.lab.teaching.lines import line
from tests.unit.reading.taught.doubles import FakeEncoder

torch = pytest.importorskip(
    "torch", reason="teaching has an environment of its own: see docs/how-to/teach-the-reader.md"
)

from r_memory.reading.taught import heads as numpy_heads  # noqa: E402 - after torch is known to be there
from r_memory_lab.teaching import batches, calibration, examples, network, training  # noqa: E402
from r_memory_lab.teaching.domains import CLINICAL  # noqa: E402

SPANS = [(1, 2), (3, 6)]
LINES = (
    line("I'm allergic to milk.", ("milk", "ALLERGY", "active")),
    line("Eggs? I grew out of that in 1998.", ("Eggs", "ALLERGY", "resolved"), year="1998"),
    line("Came by bus."),
)


def _taught() -> network.Network:
    torch.manual_seed(3)
    made = network.Network()
    for parameter in made.heads.parameters():
        torch.nn.init.normal_(parameter, std=0.1)
    made.eval()
    return made


def test_the_reader_computes_what_was_taught() -> None:
    made, labels = _taught(), calibration.plain_labels(CLINICAL)
    read = numpy_heads.Heads(made.heads.arrays(), labels)
    states = torch.randn(1, 8, network.WIDTH)
    with torch.no_grad():
        rows = torch.zeros(2, dtype=torch.long)
        firsts, lasts = torch.tensor(SPANS).T
        relation, stance = made.heads.read(network.features(states, rows, firsts, lasts))
        relations = made.heads.own["clinical"]["relations"](relation).numpy()
        statuses, persons = made.heads.statuses("clinical", stance), made.heads.persons("clinical", stance)
    scores = read.spans(states[0].numpy(), SPANS)
    np.testing.assert_allclose(scores.relations, relations, atol=1e-4)
    np.testing.assert_allclose(scores.statuses, statuses.numpy(), atol=1e-4)
    np.testing.assert_allclose(scores.persons, persons.numpy(), atol=1e-4)


def test_what_is_filled_up_changes_nothing() -> None:
    made = _taught()
    alone = torch.randint(10, 90, (1, 5))
    longer = torch.cat((alone, torch.zeros(1, 3, dtype=torch.long)), dim=1)
    mask = torch.tensor([[True] * 5 + [False] * 3])
    with torch.no_grad():
        first = made.encoder(alone, torch.zeros_like(alone))
        second = made.encoder(longer, torch.zeros_like(longer), mask)[:, :5]
    torch.testing.assert_close(first, second, atol=1e-5, rtol=1e-4)


def test_teaching_makes_what_is_taught_likelier_and_leaves_what_is_frozen() -> None:
    made, tokenizer = _taught(), FakeEncoder()
    made_of = [examples.example(item, tokenizer) for item in LINES]
    (batch,) = batches.batches(made_of, nobody=(1,), filler=0, chance=random.Random(1))
    recipe = training.Recipe(epochs=12, frozen=2, average=0)
    with torch.no_grad():
        before = float(training.losses(made, batch, made.encoder(batch.ids, batch.types, batch.mask), recipe))
    frozen = made.encoder.layers[1].wide.weight.clone()
    passes: list[int] = []
    training.teach(made, lambda *_: LINES, tokenizer, recipe, after=passes.append)
    with torch.no_grad():
        after = float(training.losses(made, batch, made.encoder(batch.ids, batch.types, batch.mask), recipe))
    assert passes == list(range(12))
    assert after < before / 2
    torch.testing.assert_close(made.encoder.layers[1].wide.weight, frozen)


@pytest.mark.filterwarnings("ignore")  # torch warns of its own parts while it exports
def test_what_is_exported_reads_as_what_was_taught(tmp_path: Path) -> None:
    export = pytest.importorskip("r_memory_lab.teaching.export", reason="needs onnx, of teaching's environment")
    encoder = pytest.importorskip("r_memory.reading.taught.encoder")
    made, tokenizer = _taught(), FakeEncoder()
    export.export_encoder(made.encoder, tmp_path / "encoder.onnx")
    shipped = encoder.OnnxEncoder(tmp_path / "encoder.onnx", tokenizer)
    ids = tuple(range(20, 50))
    exact = training.TorchEncoder(made, tokenizer).vectors(ids, 4)
    found = shipped.vectors(ids, 4)
    likeness = (exact * found).sum(axis=1) / np.linalg.norm(exact, axis=1) / np.linalg.norm(found, axis=1)
    assert likeness.min() > 0.98
    assert (tmp_path / "encoder.onnx").stat().st_size < 25_000_000
