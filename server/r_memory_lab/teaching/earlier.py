"""What was taught before as a network to go on from: its state, or the folder of weights that ships."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt
import onnx
import torch
from onnx import numpy_helper
from torch import Tensor

from r_memory.reading.taught.weights import ENCODER, HEADS
from r_memory_lab.teaching.domains import DOMAINS
from r_memory_lab.teaching.network import LAYERS, Network

Arrays = dict[str, npt.NDArray[np.float32]]
_MATRICES = ("query", "key", "value", "mixed", "wide", "narrow")
"""Matrices of one layer, in order of multiplication."""


def load_earlier(network: Network, source: Path) -> None:
    """Loads earlier weights into a network with the published weights: a state file, or a folder of weights.

    From a folder the embeddings are not loaded: they are never trained, and the folder has them with 8 bits.
    """
    network.load_state_dict(dict(_of_folder(network, source)) if source.is_dir() else torch.load(source))


def _of_folder(network: Network, folder: Path) -> Iterator[tuple[str, Tensor]]:
    found = {f"encoder.{name}": array for name, array in _encoder(folder / ENCODER)}
    with np.load(folder / HEADS) as heads:
        found |= {_name(name): heads[name].astype(np.float32) for name in heads.files}
    for name, own in network.state_dict().items():
        if name in found:
            yield name, torch.tensor(found[name])
        elif name.startswith("heads."):  # what domains share is exported as part of what is theirs
            yield name, torch.zeros_like(own)
        else:
            yield name, own


def _encoder(file: Path) -> Iterator[tuple[str, npt.NDArray[np.float32]]]:
    model = onnx.load(str(file))
    arrays: Arrays = {item.name: numpy_helper.to_array(item) for item in model.graph.initializer}
    matrices = [
        node.input[1].removesuffix("_quantized")
        for node in model.graph.node
        if node.op_type == "MatMulInteger" and node.input[1] in arrays
    ]
    names = [f"layers.{layer}.{part}.weight" for layer in range(LAYERS) for part in _MATRICES]
    for name, matrix in zip(names, matrices, strict=True):
        whole = arrays[f"{matrix}_quantized"].astype(np.float32) - arrays[f"{matrix}_zero_point"]
        yield name, (whole * arrays[f"{matrix}_scale"]).T.copy()
    yield from ((name, array.copy()) for name, array in arrays.items() if name.startswith("layers."))


def _name(exported: str) -> str:
    """Returns the network's name of an array of the heads.

    >>> _name("law.distance"), _name("law.tags.bias"), _name("thing.bias")
    ('heads.distance.law', 'heads.own.law.tags.bias', 'heads.shared.thing.bias')
    """
    first, _, rest = exported.partition(".")
    if first not in DOMAINS:
        return f"heads.shared.{exported}"
    return f"heads.distance.{first}" if rest == "distance" else f"heads.own.{exported}"
