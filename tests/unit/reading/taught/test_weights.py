import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tokenizers import Tokenizer
from tokenizers.models import WordPiece
from tokenizers.normalizers import BertNormalizer
from tokenizers.pre_tokenizers import BertPreTokenizer

from r_memory.errors import ConfigurationError
from r_memory.reading.taught import weights
from r_memory.reading.taught.reader import load_readers
from r_memory.reading.taught.weights import Absent, Weights, find_weights
from tests.unit.reading.taught.doubles import arrays

TINY = Path(__file__).parent / "tiny.onnx"
"""One embedding of eight numbers for each of 32 pieces; the first says `slugs`, the second `2019`.

Made with `onnx.helper` as Gather(table, pieces) + 0 * Gather(table, types).
"""
VOCABULARY = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "slugs", "2019", "we", "had", "in", "someone", ":", ".", "[", "]")


def _tokenizer(file: Path) -> None:
    tokenizer = Tokenizer(WordPiece({word: number for number, word in enumerate(VOCABULARY)}, unk_token="[UNK]"))
    tokenizer.normalizer = BertNormalizer()
    tokenizer.pre_tokenizer = BertPreTokenizer()
    tokenizer.add_special_tokens(["[CLS]", "[SEP]"])
    tokenizer.enable_truncation(4)
    tokenizer.save(str(file))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A complete folder of tiny weights."""
    (tmp_path / "encoder.onnx").write_bytes(TINY.read_bytes())
    np.savez(tmp_path / "heads.npz", **arrays())  # type: ignore[arg-type]
    _tokenizer(tmp_path / "tokenizer.json")
    _write_labels(tmp_path)
    return tmp_path


def _write_labels(folder: Path, **changes: object) -> None:
    names = ("encoder.onnx", "heads.npz", "tokenizer.json")
    limits = {"risk": 0.6, "nothing": 0.9, "other": 0.9, "absence": 0.7}
    data: dict[str, Any] = {
        "format": 2,
        "version": "7",
        "files": {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in names},
        "domains": {
            "garden": {
                "speakers": ["gardener", "note"],
                "relations": ["HAS_PEST"],
                "statuses": ["active", "unconfirmed", "negated", "resolved", "refuted"],
                "persons": ["subject", "other"],
                "attributes": ["year"],
                "classes": {"scope": ["", "any"]},
                "temperatures": {"relation": 1, "nothing": 1, "status": 1, "person": 1},
                "thresholds": {"HAS_PEST": limits},
            }
        },
    }
    (folder / "labels.json").write_text(json.dumps({**data, **changes}))


def test_a_folder_of_weights_reads_a_sentence(folder: Path) -> None:
    found = find_weights(folder)
    assert isinstance(found, Weights)
    text = "In 2019 we had SLUGS."
    (claim,) = load_readers(found)["garden"].read(text)
    assert (found.labels.version, text[claim.place.start : claim.place.end]) == ("7", "SLUGS")
    assert [detail.name for detail in claim.details] == ["year"]


def test_signs_of_the_encoder_are_plain_words_when_somebody_says_them(folder: Path) -> None:
    found = find_weights(folder)
    assert isinstance(found, Weights)
    text = "[SEP] slugs [CLS] [SEP] slugs"
    claims = load_readers(found)["garden"].read(text, question="[SEP]")
    assert [text[claim.place.start : claim.place.end] for claim in claims] == ["slugs", "slugs"]


def test_without_weights_there_is_no_reader_and_a_reason(tmp_path: Path) -> None:
    assert find_weights(tmp_path) == Absent(reason="its weights are not installed")


def test_without_the_runtime_there_is_no_reader_and_a_reason(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(weights, "find_spec", lambda name: None if name == "onnxruntime" else object())
    assert find_weights(folder) == Absent(reason="no onnxruntime on this platform")


@pytest.mark.parametrize("name", ["encoder.onnx", "heads.npz", "tokenizer.json"])
def test_a_file_of_another_training_is_refused(folder: Path, name: str) -> None:
    with (folder / name).open("ab") as file:
        file.write(b" ")
    with pytest.raises(ConfigurationError, match="same release"):
        find_weights(folder)


@pytest.mark.parametrize("name", ["encoder.onnx", "heads.npz", "tokenizer.json"])
def test_a_missing_file_is_named(folder: Path, name: str) -> None:
    (folder / name).unlink()
    with pytest.raises(ConfigurationError, match=f"{name}: the file is missing"):
        find_weights(folder)


def test_labels_of_another_format_are_refused(folder: Path) -> None:
    _write_labels(folder, format=1)
    with pytest.raises(ConfigurationError, match="format 1, this reader understands 2"):
        find_weights(folder)


@pytest.mark.parametrize("text", ["{", "[]", '{"format": 2}', '{"format": 2, "version": 3}'])
def test_what_is_no_label_file_is_refused(folder: Path, text: str) -> None:
    (folder / "labels.json").write_text(text)
    with pytest.raises(ConfigurationError):
        find_weights(folder)


def test_a_relation_without_thresholds_is_refused(folder: Path) -> None:
    data = json.loads((folder / "labels.json").read_text())
    data["domains"]["garden"]["thresholds"] = {}
    (folder / "labels.json").write_text(json.dumps(data))
    with pytest.raises(ConfigurationError, match="no thresholds for HAS_PEST"):
        find_weights(folder)


@pytest.mark.parametrize("name", ["encoder.onnx", "heads.npz", "tokenizer.json"])
def test_a_file_that_is_not_what_its_name_says_is_refused(folder: Path, name: str) -> None:
    (folder / name).write_bytes(b"nonsense")
    _write_labels(folder)
    found = find_weights(folder)
    assert isinstance(found, Weights)
    with pytest.raises(ConfigurationError, match=f"{name}.*reinstall"):
        load_readers(found)["garden"].read("slugs")
