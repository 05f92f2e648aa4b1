"""Examines the real SmolLM2, which follows a form and otherwise guesses, and writes what `r-memory exam` prints.

`python -m scripts.smollm2_exam --report FILE` takes the shipped exam; `--lines FILE` another one. On two cores a line
takes some seconds. Nothing of the machine's own memory is touched.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from r_memory.config.exam_file import exam_of
from scripts.smollm2 import NAME, smollm2


def main() -> None:
    """Reads the arguments, examines, writes the report."""
    parser = argparse.ArgumentParser(description="The exam of the real SmolLM2.")
    parser.add_argument("--schema", default="clinical")
    parser.add_argument("--lines", type=Path, help="an exam other than the shipped one")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--report", type=Path, required=True)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="r-memory-exam-") as folder, smollm2(threads=asked.threads) as url:
        home = Path(folder) / "home"
        (home / "schema" / "exam").mkdir(parents=True)
        if asked.lines is not None:
            shutil.copyfile(asked.lines, home / exam_of(asked.schema))
        settings = {
            "HOME": str(home),
            "DATA_DIR": str(Path(folder) / "data"),
            "SCHEMA": asked.schema,
            "MODEL_URL": url,
            "MODEL_NAME": NAME,
            "MODEL_TIMEOUT_S": "600",
            "MODEL_MAX_TOKENS": "600",
        }
        environment = {name: value for name, value in os.environ.items() if not name.startswith("R_MEMORY_")}
        environment |= {f"R_MEMORY_{name}": value for name, value in settings.items()}
        done = subprocess.run(
            [sys.executable, "-m", "r_memory.cli", "exam"], env=environment, capture_output=True, text=True, check=False
        )
    asked.report.write_text(_report(asked.schema, asked.lines, done), encoding="utf-8")
    print(done.stdout, done.stderr, f"exit code {done.returncode}", sep="\n")


def _report(schema: str, lines: Path | None, done: "subprocess.CompletedProcess[str]") -> str:
    chosen = f" --lines {lines}" if lines else ""
    return "\n".join(
        [
            f"# exam: {NAME} on {schema}, {datetime.now(UTC).date()}",
            "",
            "```console",
            f"$ python -m scripts.smollm2_exam --schema {schema}{chosen} --report FILE",
            "```",
            "",
            f"Exit code {done.returncode}. What `r-memory exam` printed:",
            "",
            "```text",
            (done.stdout + done.stderr).rstrip(),
            "```",
            "",
        ]
    )


if __name__ == "__main__":
    main()
