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

pytestmark = [
    pytest.mark.skipif(
        not os.environ.get("R_MEMORY_FOREIGN"), reason="foreign programs take minutes; set R_MEMORY_FOREIGN=1"
    ),
    pytest.mark.timeout(900),
]


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


def passes(bench: Bench, name: str) -> None:
    """The check of this name is satisfied; a program that cannot be had is a skip that says so."""
    _, check = checks(bench)[name]
    verdict = judged(check)
    if verdict.state == "not run":
        pytest.skip(verdict.detail)
    assert verdict.state in {"pass", "named"}, verdict.detail


@pytest.mark.proves("M-1", "M-2", "M-45", "M-46")
def test_the_protocols_own_suite_finds_nothing_in_either_revision_that_is_not_named(bench: Bench) -> None:
    for name in ("conformance 2025-11-25", "conformance 2026-07-28", "caching", "resource not found"):
        passes(bench, name)


@pytest.mark.proves("M-3", "M-4")
def test_with_the_suites_own_fixtures_everything_that_is_scored_passes(bench: Bench) -> None:
    for name in ("conformance 2025-11-25", "conformance 2026-07-28", "fixture build", "messages valid"):
        passes(bench, name)


@pytest.mark.proves("M-5", "M-6", "M-8")
@pytest.mark.parametrize(
    "name", ["Inspector stdio modern", "Inspector stdio legacy", "Inspector HTTP modern", "Inspector HTTP legacy"]
)
def test_the_inspector_negotiates_each_era_over_each_transport(bench: Bench, name: str) -> None:
    passes(bench, name)


@pytest.mark.proves("M-9")
def test_the_first_typescript_client_connects_lists_and_calls(bench: Bench) -> None:
    passes(bench, "TypeScript v1")


@pytest.mark.proves("M-10")
def test_the_second_typescript_client_connects_lists_and_calls(bench: Bench) -> None:
    passes(bench, "TypeScript v2")


@pytest.mark.proves("M-11")
def test_claude_code_connects(bench: Bench) -> None:
    passes(bench, "Claude Code")


@pytest.mark.proves("M-52")
def test_claude_code_sends_what_must_be_known_before_a_prompt_without_being_asked(bench: Bench) -> None:
    passes(bench, "hook")


@pytest.mark.proves("M-22")
def test_the_inspector_finds_no_schema_that_a_host_might_not_read(bench: Bench) -> None:
    passes(bench, "Inspector strict")


@pytest.mark.proves("M-44")
def test_five_hundred_calls_of_the_inspector_are_all_answered(bench: Bench) -> None:
    passes(bench, "Inspector load")


@pytest.mark.proves("M-53")
def test_the_plugin_is_valid_for_its_directory(bench: Bench) -> None:
    passes(bench, "plugin")


@pytest.mark.proves("M-54")
def test_the_bundle_is_valid_and_can_be_packed(bench: Bench) -> None:
    passes(bench, "bundle")


@pytest.mark.proves("M-55")
def test_the_registrys_schema_accepts_our_entry(bench: Bench) -> None:
    passes(bench, "registry")


@pytest.mark.proves("M-56")
def test_the_scanner_calls_every_tool_safe(bench: Bench) -> None:
    passes(bench, "scanner")


@pytest.mark.proves("M-57")
def test_the_skill_that_is_listed_is_the_one_that_is_read(bench: Bench) -> None:
    passes(bench, "skills")


@pytest.mark.proves("M-59")
def test_arguments_off_every_schema_are_answered_with_a_reason(bench: Bench) -> None:
    passes(bench, "fuzzer")


@pytest.mark.proves("M-61")
def test_the_wheel_greets_in_an_environment_of_its_own(bench: Bench) -> None:
    passes(bench, "wheel")
