"""The encoder's tokenizer; the one module that sees the package of it."""

from collections.abc import Sequence
from pathlib import Path

from tokenizers import Tokenizer

from r_memory.errors import ConfigurationError
from r_memory.reading.taught.pieces import Pieces

_BEGIN, _STOP = "[CLS]", "[SEP]"


class WordPieces:
    """Cuts text into the pieces that the encoder knows."""

    def __init__(self, file: Path) -> None:
        """Loads the file.

        Raises:
            ConfigurationError: it is no tokenizer, or none of this kind of encoder.
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
        """The whole text, never cut."""
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
