"""The encoder that ships, run by ONNX Runtime; the one module that sees the runtime."""

from pathlib import Path

import numpy as np
import onnxruntime

from r_memory.errors import ConfigurationError
from r_memory.reading.taught.pieces import Pieces, Vectors
from r_memory.reading.taught.wordpieces import WordPieces


class OnnxEncoder:
    """Implements `pieces.Encoder`; safe for several threads at once."""

    def __init__(self, model: Path, wordpieces: WordPieces, *, threads: int = 1) -> None:
        """Loads the model; takes some tenths of a second.

        Raises:
            ConfigurationError: the file is no model that the runtime can read.
        """
        self._wordpieces = wordpieces
        self.begin, self.stop = wordpieces.begin, wordpieces.stop
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        options.log_severity_level = 3  # below are remarks on the graph that nobody can act on
        try:
            self._session = onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
        except Exception as error:  # its errors share no base class of their own
            raise ConfigurationError(
                f"the encoder cannot be read: {error}; reinstall the weights", file=model
            ) from error

    def pieces(self, text: str) -> Pieces:
        """The whole text, never cut."""
        return self._wordpieces.pieces(text)

    def vectors(self, ids: tuple[int, ...], second: int) -> Vectors:
        """One row for each piece."""
        pieces = np.asarray([ids], dtype=np.int64)
        types = np.zeros_like(pieces)
        types[0, second:] = 1
        (states,) = self._session.run(None, {"pieces": pieces, "types": types})
        return np.asarray(states[0], dtype=np.float32)
