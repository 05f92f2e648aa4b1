"""Programs that are not ours, against this server: each test runs one part of `scripts/conformance`.

Minutes, and a package registry on the first run: so they are skipped unless R_MEMORY_FOREIGN is set. CI runs the quick
ones by `scripts/conformance --quick`; the dated report in `evals/reports` has all of them.
"""

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from scripts.conformance_suite.run import ROOT, Bench, checks, judged, serving
from scripts.conformance_suite.tools import Tools

if not os.environ.get("R_MEMORY_FOREIGN"):
    pytest.skip("foreign programs take minutes; set R_MEMORY_FOREIGN=1", allow_module_level=True)
pytestmark = pytest.mark.timeout(900)


@pytest.fixture(scope="module")
def bench() -> Iterator[Bench]:
    """A running server, and the programs."""
    with tempfile.TemporaryDirectory(prefix="r-memory-foreign-") as folder:
        inherited = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
        environment = {**inherited, "R_MEMORY_DATA_DIR": f"{folder}/data"}
        with serving(environment) as url:
            yield Bench(
                tools=Tools(ROOT / "build" / "conformance"), url=url, environment=environment, folder=Path(folder)
            )


PARTS = [
    pytest.param("conformance 2025-11-25", marks=pytest.mark.proves("M-1", "M-2", "M-3", "M-4")),
    pytest.param("conformance 2026-07-28", marks=pytest.mark.proves("M-1", "M-2", "M-3", "M-4")),
    pytest.param("caching", marks=pytest.mark.proves("M-45")),
    pytest.param("resource not found", marks=pytest.mark.proves("M-46")),
    pytest.param("fixture build", marks=pytest.mark.proves("M-3", "M-4")),
    pytest.param("messages valid", marks=pytest.mark.proves("M-3", "M-4")),
    *(
        pytest.param(f"Inspector {transport} {era}", marks=pytest.mark.proves("M-5", "M-6", "M-8"))
        for transport in ("stdio", "HTTP")
        for era in ("modern", "legacy")
    ),
    pytest.param("TypeScript v1", marks=pytest.mark.proves("M-9")),
    pytest.param("TypeScript v2", marks=pytest.mark.proves("M-10")),
    pytest.param("Claude Code", marks=pytest.mark.proves("M-11")),
    pytest.param("hook", marks=pytest.mark.proves("M-52")),
    pytest.param("gates Claude Code", marks=pytest.mark.proves("M-52")),
    pytest.param("gates Codex", marks=pytest.mark.proves("M-52")),
    pytest.param("Inspector strict", marks=pytest.mark.proves("M-22")),
    pytest.param("Inspector load", marks=pytest.mark.proves("M-44")),
    pytest.param("plugin", marks=pytest.mark.proves("M-53")),
    pytest.param("bundle", marks=pytest.mark.proves("M-54")),
    pytest.param("registry", marks=pytest.mark.proves("M-55")),
    pytest.param("scanner", marks=pytest.mark.proves("M-56")),
    pytest.param("skills", marks=pytest.mark.proves("M-57")),
    pytest.param("fuzzer", marks=pytest.mark.proves("M-59")),
    pytest.param("wheel", marks=pytest.mark.proves("M-61")),
]
"""Parts of `scripts/conformance` by name; what each shows stands there and in the report."""


@pytest.mark.parametrize("part", PARTS)
def test_a_foreign_program_finds_what_it_should(bench: Bench, part: str) -> None:
    _, check = checks(bench)[part]
    verdict = judged(check)
    if verdict.state == "not run":  # a program that cannot be had
        pytest.skip(verdict.detail)
    assert verdict.state in {"pass", "named"}, verdict.detail
