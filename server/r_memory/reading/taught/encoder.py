"""The encoder that ships and its tokenizer; the one module that sees ONNX Runtime and the package of the tokenizer."""

import hashlib
from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path
from threading import Lock

import numpy as np
import onnxruntime
from tokenizers import Tokenizer

from r_memory.errors import ConfigurationError
from r_memory.reading.taught.pieces import Pieces, Vectors

_BEGIN, _STOP = "[CLS]", "[SEP]"
_MOST_KEPT = 64
"""Windows whose vectors are kept: a window has at most 170 pieces, so that all of them take at most 17 MB."""
_WIDE = 16
_PRODUCT = (
    b'\x08\x08:\xd8\x02\n\x18\n\x01x\n\x01b\x12\x01y"\rMatMulInteger\x12\x01g*\x8c\x02\x08\x10\x08\x10\x10\x03B\x01bJ\x80\x02'
    + b"\x7f" * _WIDE**2
    + b"Z\x14\n\x01x\x12\x0f\n\r\x08\x02\x12\t\n\x03\x12\x01m\n\x02\x08\x10"
    b"b\x14\n\x01y\x12\x0f\n\r\x08\x06\x12\t\n\x03\x12\x01m\n\x02\x08\x10B\x02\x10\r"
)
"""An ONNX graph of one product, as the encoder has them: `y = MatMulInteger(x, b)`, where `x` has rows of sixteen bytes
and `b` is sixteen times sixteen of the largest weight.
"""


def saturates() -> bool:
    """Whether products of eight bits saturate on this processor, by default: found out by the largest ones."""
    session, exact = _session(_PRODUCT), 255 * 127 * _WIDE
    found = [session.run(None, {"x": np.full((rows, _WIDE), 255, dtype=np.uint8)})[0] for rows in (1, _WIDE)]
    return any(bool((sums != exact).any()) for sums in found)


def _session(model: str | bytes, *, precise: bool = False) -> onnxruntime.InferenceSession:
    """Returns a session of one thread; `precise` products take half as long again and never saturate."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = 3  # below are remarks on the graph that nobody can act on
    if precise:
        # Without it products of eight bits saturate on processors without VNNI, and the same words give other facts
        # there: "customers" .52 instead of .48 of nothing (onnxruntime 1.32.0, AVX2, measured). With VNNI both give
        # the same bits (2,432 texts of the corpus), in 3.5 instead of 5.4 ms.
        options.add_session_config_entry("session.x64quantprecision", "1")
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


class WordPieces:
    """Splits text into the encoder's pieces."""

    def __init__(self, file: Path) -> None:
        """Loads the file.

        Raises:
            ConfigurationError: it is no tokenizer, or of another kind of encoder.
        """
        try:
            tokenizer = Tokenizer.from_file(str(file))
        except Exception as error:  # it raises a bare `Exception`
            raise ConfigurationError(
                f"the tokenizer cannot be read: {error}; reinstall the weights", file=file
            ) from error
        tokenizer.no_truncation()
        tokenizer.no_padding()
        tokenizer.encode_special_tokens = True  # "[SEP]" in what somebody says is words of theirs, no sign of ours
        self._tokenizer = tokenizer
        self.begin, self.stop = self._special(_BEGIN, file), self._special(_STOP, file)

    def pieces(self, text: str) -> Pieces:
        """Returns the pieces of the whole text; nothing is cut off."""
        encoding = self._tokenizer.encode(text, add_special_tokens=False)
        offsets: Sequence[tuple[int, int]] = encoding.offsets
        return Pieces(
            ids=tuple(encoding.ids),
            starts=tuple(start for start, _ in offsets),
            ends=tuple(end for _, end in offsets),
            words=tuple(word or 0 for word in encoding.word_ids),
        )

    def _special(self, name: str, file: Path) -> int:
        number = self._tokenizer.token_to_id(name)
        if number is None:
            raise ConfigurationError(f"the tokenizer has no {name}; reinstall the weights", file=file)
        return int(number)


class OnnxEncoder:
    """Implements `pieces.Encoder`; thread-safe."""

    def __init__(self, model: Path, wordpieces: WordPieces) -> None:
        """Loads the model; takes some tenths of a second.

        Raises:
            ConfigurationError: the runtime cannot read the file.
        """
        self._wordpieces = wordpieces
        self.begin, self.stop = wordpieces.begin, wordpieces.stop
        self._kept: OrderedDict[bytes, Vectors] = OrderedDict()
        """Vectors of the windows that were read last, by digest."""
        self._lock = Lock()
        try:
            self._session = _session(str(model), precise=saturates())
        except Exception as error:  # its errors share no base class of their own
            raise ConfigurationError(
                f"the encoder cannot be read: {error}; reinstall the weights", file=model
            ) from error

    def pieces(self, text: str) -> Pieces:
        """Returns the pieces of the whole text; nothing is cut off."""
        return self._wordpieces.pieces(text)

    def vectors(self, ids: tuple[int, ...], second: int) -> Vectors:
        """Returns one row for each piece, read-only; what was read before in this process is not read again.

        The same words come again where a client repeats a call, tries a change first, or reads after its hook.
        """
        pieces = np.asarray([ids], dtype=np.int64)
        key = hashlib.blake2b(b"%d " % second + pieces.tobytes(), digest_size=16).digest()
        with self._lock:
            if (kept := self._kept.get(key)) is not None:
                self._kept.move_to_end(key)
                return kept
        types = np.zeros_like(pieces)
        types[0, second:] = 1
        (states,) = self._session.run(None, {"pieces": pieces, "types": types})
        vectors = np.array(states[0], dtype=np.float32)
        vectors.flags.writeable = False
        with self._lock:
            self._kept[key] = vectors
            while len(self._kept) > _MOST_KEPT:
                self._kept.popitem(last=False)
        return vectors
