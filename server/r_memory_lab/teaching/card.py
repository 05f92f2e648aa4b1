"""The model card: what was taught, from what, how good it is by angle, and what it is known to do badly."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from r_memory_lab.teaching.evaluation import Counts, ReaderFigures


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """The origin of the weights."""

    version: str
    corpus_hash: str
    lines: Mapping[str, int]
    """Training lines of each file."""
    calibrating: tuple[str, ...]
    recipe: Mapping[str, object]
    right_by_seed: Mapping[int, float]
    """Share of right lines in the held-out files; the first seed ships."""


_HEADING = "| angle | lines | right | risks | missed | silently | forbidden | false reassurances | precision | recall |"


def card(made: Provenance, angles: Mapping[str, ReaderFigures], known: Sequence[str]) -> str:
    """Returns the card in Markdown; `angles` are figures by file, `known` the weaknesses as text."""
    total = sum(made.lines.values())
    rows = [_row(name, angle) for name, angle in angles.items()]
    spread = ", ".join(f"seed {seed}: {value:.3f}" for seed, value in made.right_by_seed.items())
    return "\n".join(
        [
            f"# Taught reader {made.version}",
            "",
            "MiniLM-L6 (all-MiniLM-L6-v2, Apache-2.0) with heads over spans of words; int8 ONNX.",
            f"Taught from {total} lines of `corpus/` (SHA-256 {made.corpus_hash[:16]}) in {len(made.lines)} files.",
            f"Calibrated on {', '.join(made.calibrating)}.",
            f"Recipe: {', '.join(f'{name} {value}' for name, value in made.recipe.items())}.",
            f"Lines of all held-out files right, before the encoder is quantised: {spread}.",
            "The first seed ships.",
            "",
            "## Figures of the reader alone",
            "",
            "Without rules, dictionary and table of agreement; no line of these files was taught.",
            "",
            _HEADING,
            "|---" * 10 + "|",
            *rows,
            "",
            *_details(angles),
            "## Known weaknesses",
            "",
            *(f"- {item}" for item in known),
            "",
        ]
    )


def _row(name: str, one: ReaderFigures) -> str:
    return (
        f"| `{name}` | {one.lines} | {one.right:.3f} | {one.risks} | {one.risks_missed} | {one.silent} "
        f"| {one.forbidden} | {one.false_reassurances} | {one.facts.precision:.3f} | {one.facts.recall:.3f} |"
    )


def _details(angles: Mapping[str, ReaderFigures]) -> list[str]:
    lines: list[str] = []
    for name, angle in angles.items():
        lines += [f"### `{name}`", "", "| of | said | precision | recall |", "|---|---|---|---|"]
        for counts in (angle.by_relation, angle.by_status, angle.by_person):
            lines += [_count(kind, count) for kind, count in counts.items()]
        lines.append("")
    return lines


def _count(kind: str, count: Counts) -> str:
    return f"| {kind} | {count.hits + count.missed} | {count.precision:.2f} | {count.recall:.2f} |"
