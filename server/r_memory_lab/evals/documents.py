"""Suite `documents` (T-23): whole books summarised block by block with the block before as background, against each
block by itself, and against the first words of each block as the floor.

The judge is a formula, so that anybody gets the same verdicts; what it counts is said in the report. Words are stemmed
and stop words left out as in the stream.
"""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import log
from pathlib import Path

from r_memory.documents.files import read_file
from r_memory.documents.plain import read_text
from r_memory.domain.memories import Document, MemoryItem
from r_memory.errors import BadReply, InvalidInput
from r_memory.memory import Memory
from r_memory.protocols import Shortener, Shortening
from r_memory.text.sentences import sentences, words_in
from r_memory_lab.evals.measures import Figure, average, share
from r_memory_lab.evals.outcomes import CaseOutcome
from r_memory_lab.evals.rows import DataRow
from r_memory_talk.documents.ingesting import Ingestion
from r_memory_talk.documents.naming import place_in_levels
from r_memory_talk.documents.splitting import blocks
from r_memory_talk.documents.summarising import BLOCK_WORDS
from r_memory_talk.stream.words import Term, terms

ITERATIVE, INDEPENDENT, FIRST = "iterative", "independent", "first words"
SYSTEMS = (ITERATIVE, INDEPENDENT, FIRST)
_NAMES = 50
"""Most frequent names of a book that count."""
_NAME = re.compile(r"(?<![.!?\"“”'‘_*] )(?<![.!?:;]  )(?<=[a-z,;] )[A-Z][a-z]{2,}")  # noqa: RUF001 - typographic quotes
_LEAST = 5
"""Least occurrences of a name in a book."""


class Book(DataRow):
    """A text by its file's name."""

    text: str


class Summarised(DataRow):
    """What became of a book: by system, the summaries of its blocks in order, and the one of the whole."""

    of_blocks: Mapping[str, Sequence[str]]
    whole: Mapping[str, str]
    made_by: str = ""


class WithoutBackground:
    """A `Shortener` that does not get the block before: the paper's comparison `no_scm` (SCM 38)."""

    def __init__(self, shortener: Shortener) -> None:
        self._shortener = shortener
        self.name = f"no_scm {shortener.name}"

    async def shorten(self, text: str, task: Shortening) -> str:
        """Returns the short text, as `Shortener.shorten`."""
        return await self._shortener.shorten(text, replace(task, background=""))


def rows(data: Path) -> tuple[Book, ...]:
    """Returns every file in `documents/` of the data folder.

    Raises:
        InvalidInput: there are none, or a file cannot be read.
    """
    folder = data / "documents"
    files = sorted(path for path in folder.glob("*") if path.is_file()) if folder.is_dir() else []
    if not files:
        raise InvalidInput(f"{folder} holds no files; put books in it as text, one file each")
    return tuple(Book(id=path.stem, text=read_file(path, follow_links=True).text) for path in files)


async def run(memory: Memory, books: Sequence[Book], done: Callable[[], None]) -> tuple[Summarised, ...]:
    """Returns the summaries of each book in both ways.

    Raises:
        BadReply: a shortener failed, so that figures would be wrong.
    """
    documents = memory.talk.documents
    ways = {
        ITERATIVE: documents,
        INDEPENDENT: replace(documents, shortener=WithoutBackground(documents.shortener)),
    }
    found = []
    for book in books:
        of_blocks: dict[str, Sequence[str]] = {FIRST: [_first(text) for text in _blocks(book)]}
        whole: dict[str, str] = {}
        for name, way in ways.items():
            document, levels = await _levels(way, book)
            of_blocks[name] = _of_blocks(book, document, levels)
            whole[name] = levels[max(levels)][0].observation if levels else book.text
        found.append(Summarised(id=book.id, of_blocks=of_blocks, whole=whole, made_by=documents.shortener.name))
        done()
    return tuple(found)


async def _levels(documents: Ingestion, book: Book) -> tuple[Document, Mapping[int, Sequence[MemoryItem]]]:
    read = [report async for report in documents.ingest(book.id, read_text(book.text))]
    if read[-1].trouble:
        raise BadReply(read[-1].trouble)
    return await documents.levels(read[-1].document.id)


def _of_blocks(book: Book, document: Document, levels: Mapping[int, Sequence[MemoryItem]]) -> list[str]:
    """Returns one summary for each block; a block without one is its own summary."""
    texts = _blocks(book)
    for item in levels.get(1, ()):
        place = place_in_levels(item.id, document.id, document.plan)
        if place is not None:
            texts[place[1] - 1] = item.observation
    return texts


def outcome(books: Sequence[Book], found: Sequence[Summarised]) -> CaseOutcome:
    """Returns entity recall, coverage, novelty and coherence of each system, and the judge's preferences."""
    judged = {item.id: _judged(book, item) for book, item in zip(books, found, strict=True)}
    everything = [verdict for verdicts in judged.values() for verdict in verdicts]
    figures = (
        *_preferences(everything, INDEPENDENT),
        *_preferences(everything, FIRST),
        *(figure for name in SYSTEMS for figure in _of_system(name, books, found, everything)),
    )
    groups = {
        item.id: (*_preferences(judged[item.id], INDEPENDENT), *_names_found(book, item))
        for book, item in zip(books, found, strict=True)
    }
    return CaseOutcome(figures=figures, groups=groups, notes=_notes(found))


@dataclass(frozen=True, slots=True, kw_only=True)
class _DocumentVerdict:
    """The judge's measures of one block, by system."""

    gain: Mapping[str, float]
    coverage: Mapping[str, float]
    coherence: Mapping[str, float]
    words: Mapping[str, int]


def _judged(book: Book, found: Summarised) -> list[_DocumentVerdict]:
    texts = _blocks(book)
    weights = _weights(texts)
    verdicts = []
    for position, weight in enumerate(weights):
        now = {name: found.of_blocks[name][position] for name in SYSTEMS}
        before = {name: found.of_blocks[name][position - 1] if position else "" for name in SYSTEMS}
        verdicts.append(
            _DocumentVerdict(
                gain={name: _covered(weight, set(terms(now[name])) - set(terms(before[name]))) for name in SYSTEMS},
                coverage={name: _covered(weight, set(terms(now[name]))) for name in SYSTEMS},
                coherence={name: _coherence(before[name], now[name]) for name in SYSTEMS},
                words={name: words_in(now[name]) for name in SYSTEMS},
            )
        )
    return verdicts


def _blocks(book: Book) -> list[str]:
    return [block.text.strip() for block in blocks(read_text(book.text).sections)]


def _first(text: str) -> str:
    kept: list[str] = []
    for sentence in sentences(text):
        if words_in(" ".join([*kept, sentence])) > BLOCK_WORDS:
            break
        kept.append(sentence)
    return " ".join(kept)


def _weights(texts: Sequence[str]) -> list[dict[Term, float]]:
    """Returns the tf-idf weights of each block's words."""
    counted = [Counter(terms(text)) for text in texts]
    spread = Counter(term for block in counted for term in block)
    return [{term: n * log(1 + len(texts) / spread[term]) for term, n in block.items()} for block in counted]


def _covered(weights: Mapping[Term, float], said: set[Term]) -> float:
    return sum(weight for term, weight in weights.items() if term in said) / (sum(weights.values()) or 1.0)


def _coherence(before: str, now: str) -> float:
    """Returns the share of neighbouring sentences with a common word, the last one before included."""
    told = [*sentences(before)[-1:], *sentences(now)]
    pairs = [bool(set(terms(item)) & set(terms(other))) for item, other in pairwise(told)]
    return sum(pairs) / len(pairs) if pairs else 1.0


def _preferences(verdicts: Sequence[_DocumentVerdict], other: str) -> tuple[Figure, ...]:
    """Returns the iterative summary's share among the blocks with a preference."""
    told = []
    for what in ("gain", "coverage", "coherence"):
        pairs = [(getattr(verdict, what)[ITERATIVE], getattr(verdict, what)[other]) for verdict in verdicts]
        won, lost = sum(mine > its for mine, its in pairs), sum(mine < its for mine, its in pairs)
        told.append(share(f"{what}: {ITERATIVE} preferred to {other}", won, won + lost))
    return tuple(told)


def _of_system(
    name: str, books: Sequence[Book], found: Sequence[Summarised], verdicts: Sequence[_DocumentVerdict]
) -> tuple[Figure, ...]:
    hits = [_names_in(book, " ".join(item.of_blocks[name])) for book, item in zip(books, found, strict=True)]
    means = [
        average(f"{name}: {what}", [getattr(verdict, what)[name] for verdict in verdicts])
        for what in ("gain", "coverage", "coherence")
    ]
    words = sum(verdict.words[name] for verdict in verdicts) / len(verdicts)
    length = Figure(name=f"{name}: mean length", value=words, n=len(verdicts), unit="words")
    return (share(f"{name}: entity recall", sum(map(sum, hits)), sum(map(len, hits))), *means, length)


def _names_found(book: Book, found: Summarised) -> tuple[Figure, ...]:
    of_blocks = {name: _names_in(book, " ".join(found.of_blocks[name])) for name in SYSTEMS}
    whole = {name: _names_in(book, found.whole[name]) for name in (ITERATIVE, INDEPENDENT)}
    return (
        *(share(f"{name}: entity recall of all summaries", sum(hit), len(hit)) for name, hit in of_blocks.items()),
        *(share(f"{name}: entity recall of the last one", sum(hit), len(hit)) for name, hit in whole.items()),
    )


def _names_in(book: Book, summary: str) -> list[bool]:
    words = set(re.findall(r"[A-Z][a-z]+", summary))
    return [name in words for name in _names(book.text)]


def _names(text: str) -> list[str]:
    """Returns capitalised words within sentences that are rarely written small, most frequent first."""
    counted = Counter(_NAME.findall(" ".join(text.split())))
    small = Counter(re.findall(r"\b[a-z]+\b", text))
    found = [name for name, n in counted.most_common() if n >= _LEAST and small[name.lower()] < n]
    return found[:_NAMES]


def _notes(found: Sequence[Summarised]) -> tuple[str, ...]:
    by = ", ".join(sorted({item.made_by for item in found}))
    judge = (
        f"Summaries by {by}. The judge is a formula: `coverage` is the share of a block's words, each by its frequency "
        "there times its rarity among the blocks (tf-idf), that stand in its summary; `gain` leaves out those that the "
        "summary before told already; `coherence` is the share of neighbouring sentences that have a word in common."
    )
    names = (
        f"Names: the {_NAMES} most frequent words of a book that are written with a capital within sentences. "
        "A preference counts the blocks where the two differ. SCM's own figures were judged by people and are others."
    )
    return judge, names
