"""`python -m r_memory_lab.teaching --corpus corpus --start MINILM --out DIR`: from a corpus to weights."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from r_memory_lab.teaching.course import Course, Job, corpus_lines, finish, log_progress, run
from r_memory_lab.teaching.training import Recipe

_DEFAULTS = Recipe()


def main(arguments: Sequence[str] | None = None) -> None:
    """Teaches, calibrates, exports, and writes the card."""
    asked = _parser().parse_args(arguments)
    log_progress()
    asked.out.mkdir(parents=True, exist_ok=True)
    names = [name.strip().removesuffix(".jsonl") for name in asked.files.read_text().split()] if asked.files else ()
    course = Course(
        lines=corpus_lines(asked.corpus, names),
        start=asked.start,
        jobs=tuple(_job(asked, seed) for seed in range(1, asked.seeds + 1)),
        version=asked.version,
        weaknesses=tuple(asked.weakness),
    )
    if asked.finish:
        finish(course, asked.out)
    else:
        run(course, asked.out, at_once=asked.at_once)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m r_memory_lab.teaching", description=main.__doc__)
    add = parser.add_argument
    add("--corpus", type=Path, default=Path("corpus"))
    add("--files", type=Path, help="list of files to use, one DOMAIN/NAME.jsonl a line; all without it")
    add("--start", type=Path, required=True, help="folder with model.safetensors and tokenizer.json of MiniLM-L6")
    add("--earlier", type=Path, help="seed-N.pt of an earlier run, or a folder of weights, to go on from")
    add("--out", type=Path, required=True)
    add("--version", default="0", help="of the weights, recorded on events")
    add("--seeds", type=int, default=3)
    add("--at-once", type=int, default=1, help="seeds taught at once, each on one core")
    add("--epochs", type=int, default=_DEFAULTS.epochs)
    add("--frozen", type=int, default=_DEFAULTS.frozen, help="layers from the bottom that stay as they are")
    add("--rate", type=float, default=_DEFAULTS.encoder_rate, help="learning rate of the encoder")
    add("--leave-out", action="append", default=[], metavar="FILES", help="files, with commas, that a seed leaves out "
        "and is calibrated on; the first for the first seed, and so on in turns")  # fmt: skip
    add("--joined", type=int, default=_DEFAULTS.joined, help="passes at the end that teach what was left out too")
    add("--weakness", action="append", default=[], help="a known weakness, for the card")
    add("--finish", action="store_true", help="teach nothing: calibrate, export and report what OUT holds")
    return parser


def _job(asked: argparse.Namespace, seed: int) -> Job:
    left_out = asked.leave_out[(seed - 1) % len(asked.leave_out)].split(",") if asked.leave_out else ()
    return Job(
        recipe=Recipe(
            seed=seed, epochs=asked.epochs, frozen=asked.frozen, encoder_rate=asked.rate, joined=asked.joined
        ),
        left_out=tuple(left_out),
        earlier=asked.earlier,
        state=asked.out / f"seed-{seed}.pt",
    )


if __name__ == "__main__":
    main()
