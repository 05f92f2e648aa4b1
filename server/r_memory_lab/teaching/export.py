"""Writes what ships: the encoder as int8 ONNX, the heads, the tokenizer, and the labels that bind them together."""

import shutil
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import onnx
import torch
from onnxruntime.quantization import QuantType, quantize_dynamic

from r_memory.reading.taught.weights import ENCODER, HEADS, TOKENIZER, Labels
from r_memory_lab.teaching.folder import write_labels
from r_memory_lab.teaching.network import BertEncoder, Network

_OPSET = 18


def export(network: Network, tokenizer: Path, labels: Mapping[str, Labels], folder: Path, *, version: str) -> None:
    """Writes the folder of weights that `r_memory.reading.taught.weights` reads."""
    folder.mkdir(parents=True, exist_ok=True)
    export_encoder(network.encoder, folder / ENCODER)
    export_heads(network, folder / HEADS)
    export_tokenizer(tokenizer, folder / TOKENIZER)
    write_labels(labels, folder, version=version)


def export_encoder(encoder: BertEncoder, file: Path) -> None:
    """Writes the encoder with 8-bit weights, one scale for each channel."""
    encoder.eval()
    pieces = torch.ones(1, 12, dtype=torch.long)
    with TemporaryDirectory() as folder:
        full = Path(folder) / "full.onnx"
        torch.onnx.export(
            encoder,
            (pieces, torch.zeros_like(pieces)),
            str(full),
            input_names=["pieces", "types"],
            output_names=["states"],
            dynamic_shapes={"pieces": {1: "length"}, "types": {1: "length"}},
            opset_version=_OPSET,
            dynamo=True,
            external_data=False,
        )
        model = onnx.load(str(full))
        del model.graph.value_info[:]  # shapes that the exporter noted and quantisation makes untrue
        for item in (*model.graph.node, model.graph, model):
            del item.metadata_props[:]  # where in this machine's files each operation came from
        for node in model.graph.node:
            node.doc_string = ""
        onnx.save(model, str(full))
        quantize_dynamic(str(full), str(file), per_channel=True, weight_type=QuantType.QInt8)


def export_heads(network: Network, file: Path) -> None:
    """Writes the heads with half precision, at a loss of a thousandth of a logit."""
    arrays = {name: array.astype(np.float16) for name, array in network.heads.arrays().items()}
    np.savez(file, **arrays)


def export_tokenizer(source: Path, file: Path) -> None:
    """Copies the tokenizer, which training reads too."""
    shutil.copyfile(source, file)
