"""The golden run: what the offline route makes of every labelled line, so that two commits can be compared.

    python -m r_memory_lab.teaching.golden RUN.json evals/sets/{ordinary,third-person}/*/*.jsonl
    python -m r_memory_lab.teaching.golden RUN.json evals/sets/{ordinary,third-person}/*/*.jsonl --before EARLIER.json

writes each line's outcome by kind and prints the sums by file; with `--before` also how many
lines were won and lost by kind. RUN.json names lines by file and number, holds none of their words, and belongs outside
the repository.
"""

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from r_memory_lab.teaching.corpus import read_file
from r_memory_lab.teaching.route import Made, OfflineRoute

KINDS: Final = ("right", "missed", "silent", "forbidden", "reassuring", "waits")
Kinds = Mapping[str, int]


def kinds(route: OfflineRoute, made: Made) -> Kinds:
    """Returns the number of outcomes of each kind in one line."""
    sums = route.sums([made])
    counts = (sums.right, sums.missed, sums.silent, sums.forbidden, sums.reassurances, sums.review)
    return dict(zip(KINDS, counts, strict=True))


def run(files: Sequence[Path]) -> Iterator[tuple[str, Kinds]]:
    """Yields the kinds of each line, by folder, domain, file and number.

    Raises:
        SystemExit: a line cannot be read.
    """
    routes: dict[str, OfflineRoute] = {}
    for file in sorted(files):
        found, problems = read_file(file)
        if problems:
            raise SystemExit("\n".join(map(str, problems)))
        for line in found:
            if line.domain not in routes:
                routes[line.domain] = OfflineRoute(line.domain)
            route = routes[line.domain]
            yield f"{file.parent.parent.name}/{line.file}:{line.number}", kinds(route, route.read(line))


def table(lines: Mapping[str, Kinds]) -> str:
    """Returns the sums by file and in total, in Markdown."""
    sums: dict[str, Counter[str]] = {}
    for name, found in lines.items():
        sums.setdefault(name.partition(":")[0], Counter()).update({"lines": 1, **found})
    sums["all"] = sum(sums.values(), Counter())
    columns = ("lines", *KINDS)
    rows = [f"| {name} | {' | '.join(str(counted[kind]) for kind in columns)} |" for name, counted in sums.items()]
    return "\n".join([f"| file | {' | '.join(columns)} |", "|---" * (len(columns) + 1) + "|", *rows])


def difference(before: Mapping[str, Kinds], after: Mapping[str, Kinds]) -> str:
    """Returns for each kind in how many lines its number rose and fell."""
    both = sorted(before.keys() & after.keys())
    rows = []
    for kind in KINDS:
        more = [name for name in both if after[name][kind] > before[name][kind]]
        less = [name for name in both if after[name][kind] < before[name][kind]]
        if more or less:
            rows.append(f"{kind}: +{len(more)} -{len(less)}  {' '.join([*more, *less][:12])}")
    return "\n".join(rows) or "no line differs by kind"


def main(arguments: Sequence[str]) -> None:
    """Writes the run and prints its sums."""
    parser = argparse.ArgumentParser(description="What the offline route makes of every labelled line.")
    parser.add_argument("run", type=Path, help="file to write")
    parser.add_argument("files", type=Path, nargs="+", help="labelled lines, in folders named after their domain")
    parser.add_argument("--before", type=Path, help="an earlier run to compare with")
    chosen = parser.parse_args(arguments)
    began = time.process_time()
    lines = dict(run(chosen.files))
    spent = time.process_time() - began
    chosen.run.write_text(json.dumps(lines, indent=0) + "\n", encoding="utf-8")
    sys.stdout.write(f"{table(lines)}\n{spent:.0f} s of CPU, loading included\n")
    if chosen.before is not None:
        sys.stdout.write(difference(json.loads(chosen.before.read_text(encoding="utf-8")), lines) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
