"""From a corpus to a folder of weights: teach each seed, calibrate on what each left out, export, report.

Each seed leaves some files out; temperatures and thresholds are chosen on all of these together, so that every domain
has lines that were not taught, and hardly any line is lost to calibration.
The first seed ships: nothing is chosen by the figures that are reported.
"""

import hashlib
import logging
import multiprocessing
import random
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path

import torch
from typing_extensions import override

from r_memory.config.schema_file import load_schema
from r_memory.config.settings import Settings
from r_memory.errors import ConfigurationError
from r_memory.reading.taught.encoder import WordPieces
from r_memory.reading.taught.heads import Heads
from r_memory.reading.taught.reader import TaughtReader, load_readers
from r_memory.reading.taught.weights import Absent, Labels, find_weights
from r_memory_lab.teaching.calibration import JudgedClaim, claims_of, cooled, plain_labels, temperatures, thresholds
from r_memory_lab.teaching.card import Provenance, card
from r_memory_lab.teaching.corpus import CorpusLine, files_of, read_file
from r_memory_lab.teaching.domains import CLINICAL, DOMAINS, Domain
from r_memory_lab.teaching.earlier import load_earlier
from r_memory_lab.teaching.evaluation import ReaderFigures, figures, scored
from r_memory_lab.teaching.export import export
from r_memory_lab.teaching.network import Network, load_start
from r_memory_lab.teaching.splits import split
from r_memory_lab.teaching.training import PROGRESS, Recipe, TorchEncoder, teach
from r_memory_lab.teaching.variants import pools, varied

_CARD = "MODEL_CARD.md"


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One seed to train."""

    recipe: Recipe
    left_out: tuple[str, ...]
    """Files for its calibration."""
    earlier: Path | None
    """State or weights of an earlier network to start from; `None`: the published encoder with new heads."""
    state: Path
    """Path for its state."""

    @property
    def before(self) -> Path:
        """Path of its state before it was trained on what it leaves out; the same path if it never is."""
        return self.state.with_suffix(".before.pt") if self.recipe.joined else self.state


@dataclass(frozen=True, slots=True, kw_only=True)
class Course:
    """Everything that determines the result."""

    lines: tuple[CorpusLine, ...]
    start: Path
    """Folder with `model.safetensors` and `tokenizer.json`."""
    jobs: tuple[Job, ...]
    version: str
    weaknesses: tuple[str, ...] = ()

    @property
    def tokenizer(self) -> Path:
        """Path of the tokenizer."""
        return self.start / "tokenizer.json"


def corpus_lines(corpus: Path, names: Sequence[str] = ()) -> tuple[CorpusLine, ...]:
    """Returns the readable lines of these files (`clinical/plain-1`), or of all files."""
    files = [file for file in files_of(corpus) if not names or f"{file.parent.name}/{file.stem}" in names]
    return tuple(line for file in files for line in read_file(file)[0])


def run(course: Course, out: Path, *, at_once: int) -> None:
    """Trains every job, some in parallel, and writes the folder of weights and its card."""
    spawned = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(max_workers=at_once, mp_context=spawned, initializer=log_progress) as pool:
        for outcome in [pool.submit(_teach, course, job) for job in course.jobs]:
            outcome.result()
    finish(course, out)


def log_progress() -> None:
    """Logs the progress of this process's training to standard error."""
    handler = logging.StreamHandler()
    handler.setFormatter(_Progress())
    logging.basicConfig(level=logging.INFO, handlers=[handler], force=True)


class _Progress(logging.Formatter):
    """Formats the message, followed by its facts."""

    @override
    def format(self, record: logging.LogRecord) -> str:
        facts = {name: value for name, value in vars(record).items() if name in PROGRESS}
        return f"{self.formatTime(record)} {record.getMessage()} {facts}"


def finish(course: Course, out: Path) -> None:
    """Calibrates, exports and reports the trained seeds."""
    left_out = {name.partition("/")[0] for job in course.jobs for name in job.left_out}
    if not left_out:
        raise ConfigurationError("no seed leaves out any file to be calibrated on; name some with --leave-out")
    judged = {name: tuple(_judged(course, plain_labels(DOMAINS[name]))) for name in sorted(left_out)}
    labels = {name: _calibrated(domain, judged) for name, domain in DOMAINS.items()}
    export(_network(course.jobs[0].state), course.tokenizer, labels, out, version=course.version)
    (out / _CARD).write_text(_card(course, labels, reported(out, course.lines)), encoding="utf-8")


def _teach(course: Course, job: Job) -> None:
    torch.set_num_threads(1)
    tokenizer = WordPieces(course.tokenizer)
    network = Network()
    load_start(network, course.start / "model.safetensors")
    if job.earlier is not None:
        load_earlier(network, job.earlier)
    parted = split(course.lines, calibrating=job.left_out)
    alone = job.recipe.epochs - job.recipe.joined
    terms = load_schema(Settings().files, CLINICAL.name).lexicon.terms

    def lines(epoch: int, chance: random.Random) -> list[CorpusLine]:
        taught = parted.taught if epoch < alone else (*parted.taught, *parted.calibrating)
        known, asking = pools(terms, taught), [line for line in taught if line.question]
        return [varied(line, known, asking, chance) for line in taught]

    def keep(epoch: int) -> None:
        torch.save(network.state_dict(), job.before if epoch < alone else job.state)

    teach(network, lines, tokenizer, job.recipe, after=keep)


def _network(state: Path) -> Network:
    network = Network()
    network.load_state_dict(torch.load(state))
    network.eval()
    return network


def _reader(course: Course, state: Path, labels: Labels) -> TaughtReader:
    network = _network(state)
    encoder = TorchEncoder(network, WordPieces(course.tokenizer))
    return TaughtReader(labels, lambda: (encoder, Heads(network.heads.arrays(), labels)), least=0)


def _calibrated(domain: Domain, judged: Mapping[str, Sequence[JudgedClaim]]) -> Labels:
    """Returns the labels of the domain; without left-out lines of its own, calibrated on all others."""
    found = judged.get(domain.name) or [item for each in judged.values() for item in each]
    heat = temperatures(found)
    return plain_labels(domain, heat, thresholds(tuple(cooled(found, heat)), domain))


def _judged(course: Course, labels: Labels) -> Iterator[JudgedClaim]:
    """Yields the claims of each seed about the lines of the domain that it was not trained on."""
    for job in course.jobs:
        lines = split(course.lines, calibrating=job.left_out).calibrating
        own = [line for line in lines if line.domain == labels.domain]
        yield from claims_of(_reader(course, job.before, labels), own)


def reported(folder: Path, lines: Sequence[CorpusLine]) -> Mapping[str, ReaderFigures]:
    """Returns the figures of the exported files, by held-out file."""
    weights = find_weights(folder)
    if isinstance(weights, Absent):
        raise ConfigurationError(weights.reason)
    readers = load_readers(weights)
    held_out = split(lines, calibrating=()).reported
    found = {}
    for name in dict.fromkeys(line.file for line in held_out):
        own = [line for line in held_out if line.file == name]
        limits = weights.labels.domains[own[0].domain].thresholds
        found[name] = figures(scored(readers[own[0].domain], own, limits), limits)
    return found


def _card(course: Course, labels: Mapping[str, Labels], angles: Mapping[str, ReaderFigures]) -> str:
    first = course.jobs[0]
    taught = split(course.lines, calibrating=first.left_out).taught
    spread = {}
    for job in course.jobs:
        lines = split(course.lines, calibrating=()).reported
        by_domain = [
            scored(_reader(course, job.state, label), [line for line in lines if line.domain == name], label.thresholds)
            for name, label in labels.items()
        ]
        if lines:
            spread[job.recipe.seed] = sum(item.right for group in by_domain for item in group) / len(lines)
    made = Provenance(
        version=course.version,
        corpus_hash=hashlib.sha256("\n".join(repr(line) for line in taught).encode()).hexdigest(),
        lines={name: sum(line.file == name for line in taught) for name in dict.fromkeys(item.file for item in taught)},
        calibrating=tuple(dict.fromkeys(name for job in course.jobs for name in job.left_out)),
        recipe=asdict(first.recipe),
        right_by_seed=spread,
    )
    return card(made, angles, course.weaknesses)
