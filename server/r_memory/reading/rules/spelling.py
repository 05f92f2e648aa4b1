"""Misspelt words of the wording itself: "alergic", "wtih". Names are the linker's business.

Only words that state a relation are ever restored, and never from a word that is known to be another.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from rapidfuzz.distance import OSA

from r_memory.reading.language import LanguagePack
from r_memory.reading.sentences import Unit

_ONE_FROM = 6
"""Letters from which one edit is accepted."""
_SWAP_FROM = 4
"""Letters from which a swap of neighbours is accepted."""


class Spelling:
    """Corrects misspelt words of a schema's templates and cues."""

    def __init__(self, words: Iterable[str], pack: LanguagePack, others: Iterable[str] = ()) -> None:
        """`others` are correct words to which no misspelling is corrected."""
        self._known = frozenset(words) | frozenset(others) | pack.vocabulary()
        self._shorthand = pack.names("shorthand")
        self._near: dict[tuple[str, int], list[str]] = {}
        for word in sorted(set(words)):
            if len(word) >= _SWAP_FROM and word.isalpha():
                self._near.setdefault((word[0], len(word)), []).append(word)

    def corrected(self, units: Iterable[Unit]) -> Iterator[Unit]:
        """Yields the units, with misspelt words of the wording corrected; offsets stay the same."""
        for unit in units:
            word = unit.word
            if unit.mention is None and word in self._shorthand:
                yield replace(unit, word=self._shorthand[word], words=(self._shorthand[word],))
                continue
            if unit.mention is not None or len(word) < _SWAP_FROM or not word.isalpha() or word in self._known:
                yield unit
                continue
            meant = self._meant(word)
            yield unit if meant is None else replace(unit, word=meant, words=(meant,))

    def _meant(self, word: str) -> str | None:
        for length in (len(word), len(word) - 1, len(word) + 1):
            for known in self._near.get((word[0], length), ()):
                if _forgiven(word, known) and OSA.distance(word, known, score_cutoff=1) == 1:
                    return known
        return None


def _forgiven(word: str, known: str) -> bool:
    return min(len(word), len(known)) >= _ONE_FROM or sorted(word) == sorted(known)
