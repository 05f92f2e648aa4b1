"""What is wrong with a corpus: lines that cannot be read, lines twice, and lines that are another with a name swapped.

Two lines are too near if they are the same but for the words that are marked in them: a template with another name
teaches the name, and makes figures on held-out lines look better than they are.
"""

import hashlib
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from typing_extensions import override

from r_memory.reading.taught.claims import Place
from r_memory_lab.teaching.corpus import CorpusLine, LineProblem, files_of, read_file

NEAR = 0.80
"""Share of common shingles from which two lines count as one; chosen on the first 4,058 lines, see `docs`."""
_SHINGLE = 4
"""Letters of a shingle."""
_HASHES, _BANDS = 64, 16
_SHORT = 18
"""Letters outside of the marked words below which whole lines are compared."""
_PRIME = np.uint64((1 << 61) - 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Near:
    """Two lines that are too similar."""

    first: CorpusLine
    second: CorpusLine
    likeness: float
    """Share of common shingles."""

    @override
    def __str__(self) -> str:
        return (
            f"{self.second.file}:{self.second.number}: as {self.first.file}:{self.first.number} "
            f"({self.likeness:.2f}): {self.second.text}"
        )


def problems(corpus: Path) -> tuple[LineProblem, ...]:
    """Returns what prevents training on the corpus: unreadable lines, and repeated or nearly repeated lines.

    Of two similar lines the later is named.
    """
    lines: list[CorpusLine] = []
    found: list[LineProblem] = []
    for file in files_of(corpus):
        read, unreadable = read_file(file)
        lines.extend(read)
        found.extend(unreadable)
    found.extend(
        LineProblem(
            file=near.second.file,
            number=near.second.number,
            message=f"too near to {near.first.file}:{near.first.number} ({near.likeness:.2f}): {near.first.text}",
        )
        for near in nearly_the_same(lines)
    )
    return tuple(found)


def nearly_the_same(lines: Sequence[CorpusLine]) -> tuple[Near, ...]:
    """Returns pairs of one domain with at least the likeness `NEAR`, most similar first; each later line once."""
    shingled = [shingles(line) for line in lines]
    best: dict[int, Near] = {}
    for first, second in sorted(_candidates(lines, shingled)):
        likeness = jaccard(shingled[first], shingled[second])
        if likeness >= NEAR and (second not in best or best[second].likeness < likeness):
            best[second] = Near(first=lines[first], second=lines[second], likeness=likeness)
    return tuple(sorted(best.values(), key=lambda near: -near.likeness))


def jaccard(first: frozenset[str], second: frozenset[str]) -> float:
    """Returns the size of the intersection over that of the union.

    >>> jaccard(frozenset("ab"), frozenset("bc"))
    0.3333333333333333
    """
    return len(first & second) / len(first | second) if first | second else 1.0


def shingles(line: CorpusLine) -> frozenset[str]:
    """Returns the letter runs of a line, marked words as a single sign; of the whole line if little else is left."""
    text, question = _masked(line, in_question=False), _masked(line, in_question=True)
    if len(re.sub(r"[\W_]", "", text + question)) < _SHORT:
        text, question = line.text, line.question
    spoken = f" {_plain(question)} | {_plain(text)} "
    return frozenset(spoken[at : at + _SHINGLE] for at in range(len(spoken) - _SHINGLE + 1))


def _plain(text: str) -> str:
    return " ".join(re.findall(r"[^\W_]+|_", text.casefold()))


def _masked(line: CorpusLine, *, in_question: bool) -> str:
    text = line.question if in_question else line.text
    every = (place for mark in line.marks for place in (mark.place, *mark.details.values()))
    places: set[Place] = {place for place in every if place.in_question == in_question}
    end = len(text)
    for place in sorted(places, reverse=True):
        if place.end <= end:  # of two that overlap the later goes
            text = f"{text[: place.start]} _ {text[place.end :]}"
            end = place.start
    return text


def _candidates(lines: Sequence[CorpusLine], shingled: Sequence[frozenset[str]]) -> set[tuple[int, int]]:
    """Returns pairs with a common band of MinHashes; hardly any pair above the threshold is missed."""
    buckets: dict[tuple[str, int, bytes], list[int]] = defaultdict(list)
    for index, (line, signature) in enumerate(zip(lines, _signatures(shingled), strict=True)):
        for band, part in enumerate(np.split(signature, _BANDS)):
            buckets[line.domain, band, part.tobytes()].append(index)
    return {
        (first, second)
        for together in buckets.values()
        for position, second in enumerate(together)
        for first in together[:position]
    }


def _signatures(shingled: Iterable[frozenset[str]]) -> Iterator[npt.NDArray[np.uint64]]:
    chance = np.random.default_rng(7)
    factors = chance.integers(1, 1 << 30, size=(_HASHES, 1), dtype=np.uint64)
    shifts = chance.integers(0, 1 << 60, size=(_HASHES, 1), dtype=np.uint64)
    for item in shingled:
        numbers = np.fromiter((_number(shingle) for shingle in sorted(item)), dtype=np.uint64)
        yield ((numbers[None, :] * factors + shifts) % _PRIME).min(axis=1)


def _number(shingle: str) -> int:
    return int.from_bytes(hashlib.blake2b(shingle.encode(), digest_size=4).digest(), "big")
