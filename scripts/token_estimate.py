"""Compares the offline estimate of tokens with o200k_base itself, on texts of our own in many languages.

The vocabulary is fetched with a package that the product does not need, so that this runs apart from the tests:

    uv run --with splintr-rs python -m scripts.token_estimate

`--write` also puts the true counts beside the texts. Rates were chosen by looking at the texts `seen`; those `unseen`
were measured once, afterwards.
"""

import argparse
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from importlib import import_module
from pathlib import Path

from r_memory.text.tokens import count

TEXTS = Path(__file__).parents[1] / "tests" / "unit" / "text" / "token_texts.jsonl"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """One text with its true length."""

    kind: str
    """Language, or what sort of text it is."""
    half: str
    """`seen`: rates were chosen by it; `unseen`: it was only measured."""
    text: str
    o200k: int = 0

    @property
    def error(self) -> float:
        """Share by which the estimate is too long; below 0, too short."""
        return count(self.text) / self.o200k - 1


def read(path: Path = TEXTS) -> tuple[Sample, ...]:
    """The texts in their order."""
    return tuple(Sample(**json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines())


def counted(samples: Sequence[Sample]) -> tuple[Sample, ...]:
    """The same texts with the counts of o200k_base."""
    vocabulary = import_module("splintr").Tokenizer.from_pretrained("o200k_base")
    return tuple(
        Sample(kind=sample.kind, half=sample.half, text=sample.text, o200k=len(vocabulary.encode_ordinary(sample.text)))
        for sample in samples
    )


def main() -> None:
    """Prints the error of each text and of each half."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="put the true counts beside the texts")
    samples = counted(read())
    if parser.parse_args().write:
        lines = (json.dumps(asdict(sample), ensure_ascii=False) for sample in samples)
        TEXTS.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    for sample in samples:
        print(f"{sample.half:6} {sample.kind:14} {sample.o200k:5} {count(sample.text):5} {sample.error:+6.1%}")
    for half in ("seen", "unseen"):
        errors = [sample.error for sample in samples if sample.half == half]
        print(f"{half}: mean of absolute errors {sum(map(abs, errors)) / len(errors):.1%}, lowest {min(errors):+.1%}")


if __name__ == "__main__":
    main()
