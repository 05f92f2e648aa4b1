"""Short forms of the wording itself that people write: "rxn", "alergic". Names are the linker's business."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from r_memory.reading.language import LanguagePack
from r_memory.reading.sentences import Unit


class Spelling:
    """Writes out the short and misspelt words that a language lists."""

    def __init__(self, pack: LanguagePack) -> None:
        self._shorthand = pack.names("shorthand")

    def corrected(self, units: Iterable[Unit]) -> Iterator[Unit]:
        """Yields the units, with listed words written out; offsets stay the same."""
        for unit in units:
            meant = self._shorthand.get(unit.word) if unit.mention is None else None
            yield unit if meant is None else replace(unit, word=meant, words=(meant,))
