"""Everything foreign, run against this server, and the checklist M-1 to M-64 of what came of it.

Rows that our own tests prove are taken from their `proves` marks; `--tests` runs those tests as well. A row that could
not be run says why.
"""

import argparse
import ast
import datetime as dt
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import anyio
import jsonschema

from scripts.conformance_suite.fake_model import fake_model
from scripts.conformance_suite.fuzzing import fuzz
from scripts.conformance_suite.tools import HERE, Missing, Ran, Tools, run
from scripts.packaging import REGISTRY, server_json, write_marketplace

ROOT = HERE.parents[1]
PROGRAM = Path(sys.executable).with_name("r-memory")
EVERYTHING = ("--audit", "--hooks")
"""Flags that list every tool."""
SERVE = (str(PROGRAM), "serve", "--http", "127.0.0.1:0", *EVERYTHING)
REVISIONS = ("2025-11-25", "2026-07-28")
_UNSCORED = "unscored"
"""File with the scenarios of extensions and of rules that are still pending, which the suite runs all the same."""
BAD = frozenset({"FAILURE", "WARNING"})
"""The suite counts its warnings against a server, too."""
_LEGEND = (
    "`pass`: a foreign program says so; M-1 and M-2 with a committed list of what the real server does not have: the "
    "suite's own tools, resources and prompts, and, as it declares, no sessions, resumable streams, logging and "
    "subscriptions over HTTP; all of it that is scored passes in the build that adds it to the same server (M-3). "
    "`test`: our own tests prove it (`make test`). `named`: what a committed list names and no build shows, what is "
    "not shipped, or a figure that other processes spoiled. `fail`. `not run`: with the reason."
)
HOOKED = "hook additional context"
"""How Claude Code announces to a model what a hook adds."""
MOST_MS = 500
"""Of the slowest hundredth of calls (M-44)."""
NOT_SHIPPED = {"M-58": "no App is shipped, so there is none to check"}
QUICK = frozenset({"M-1", "M-2", "M-22", "M-45", "M-46", "M-10", "M-54", "M-55"})
"""Rows that take a minute or two together, without Claude Code and without fixtures."""
_PATIENT = ("--connect-timeout", "60000")
"""The first start after an installation compiles everything."""
ROW = re.compile(r"^\| (?P<id>M-\d+) \| (?P<point>.*) \| (?:shown|later) \|$", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What came of one row."""

    state: str
    """pass, fail, named (fails where a committed list says so), or not run."""
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """What the checks use."""

    tools: Tools
    url: str
    """Of a running server."""
    environment: Mapping[str, str]
    """Of servers that a check starts itself."""
    folder: Path


def ok(holds: bool, detail: str) -> Verdict:  # noqa: FBT001 - reads as a claim where it is called
    """Pass or fail."""
    return Verdict(state="pass" if holds else "fail", detail=detail)


# --- conformance suite


def conformance(bench: Bench, revision: str) -> Verdict:
    """Of the real server: what fails is named in `<revision>.yml`, nothing else fails, and nothing there is stale.

    It passes if every scenario that fails passes in the build with the suite's own fixtures, or is not scored by the
    suite; without that build (`fixtures` before this), or with others, those are told.
    """
    suite = bench.tools.package("node_modules/@modelcontextprotocol/conformance/dist/index.js")
    out = bench.folder / revision
    baseline = HERE / f"{revision}.yml"
    done = run(
        [
            bench.tools.node, suite, "server", "--url", bench.url, "--requirements", revision,
            "--expected-failures", baseline, "-o", out,
        ],
        limit=300,
    )  # fmt: skip
    checks = list(_checks(out))
    passed = sum(status == "SUCCESS" for _, _, status in checks)
    failed = sorted({f"{scenario}:{check}" for scenario, check, status in checks if status in BAD})
    wanting = {scenario for scenario, _, status in checks if status == "FAILURE"}
    shown, unscored = _shown(bench.folder / f"fixtures-{revision}")
    open_ = sorted(wanting - shown - unscored)
    named = len(baseline.read_text(encoding="utf-8").split("- ")) - 1
    detail = (
        f"{passed} checks pass, {len(failed)} fail, {named} of them named in {baseline.name}; exit code {done.code}"
    )
    if done.code:
        unexpected = done.out.rpartition("=== SUMMARY ===")[2].partition("nexpected")[2].split()
        return Verdict(state="fail", detail=f"{detail}; {' '.join(unexpected)[:300]}")
    if open_:
        return Verdict(state="named", detail=f"{detail}; not shown in the build with fixtures: {', '.join(open_)}")
    seen = f"of their scenarios {len(wanting & shown)} pass in the build with fixtures, {len(wanting & unscored)} are"
    return ok(True, f"{detail}; {seen} not scored by the suite")  # noqa: FBT003 - reads as a claim


def _shown(out: Path) -> tuple[set[str], set[str]]:
    """Scenarios that pass in the build with fixtures, and those that the suite does not score; none before its run."""
    found = list(_checks(out))
    failing = {name for name, _, status in found if status == "FAILURE"}
    file = out / _UNSCORED
    return {name for name, _, _ in found} - failing, set(file.read_text("utf-8").split()) if file.exists() else set()


def wire_valid(bench: Bench) -> Verdict:
    """Every message that the server sent in both runs is valid; `conformance` has run before."""
    found = [
        status
        for folder in (*REVISIONS, *(f"fixtures-{revision}" for revision in REVISIONS))
        for _, check, status in _checks(bench.folder / folder)
        if check == "wire-schema-valid"
    ]  # fmt: skip
    return ok(bool(found) and set(found) == {"SUCCESS"}, f"wire-schema-valid in {len(found)} scenarios of both builds")


def scenario(bench: Bench, *names: str) -> Verdict:
    """All checks of some scenarios pass in 2026-07-28."""
    found = [status for name, _, status in _checks(bench.folder / REVISIONS[1]) if name in names]
    return ok(bool(found) and not BAD.intersection(found), f"{', '.join(names)}: {found.count('SUCCESS')} checks")


def fixtures(bench: Bench) -> Verdict:
    """The build with the suite's own tools, resources and prompts: everything that is scored passes, without a list.

    Twice at most: the suite waits a few seconds for an answer, which a busy machine may not give at the first start.
    """
    first = _with_fixtures(bench)
    if first.state == "pass":
        return first
    second = _with_fixtures(bench)
    return Verdict(state=second.state, detail=f"second run: {second.detail}; first run: {first.detail}")


def _with_fixtures(bench: Bench) -> Verdict:
    suite = bench.tools.package("node_modules/@modelcontextprotocol/conformance/dist/index.js")
    told = []
    with serving(bench.environment, [sys.executable, "-m", "scripts.conformance_suite.fixtures"]) as url:
        for revision in REVISIONS:
            shutil.rmtree(out := bench.folder / f"fixtures-{revision}", ignore_errors=True)
            done = run(
                [bench.tools.node, suite, "server", "--url", url, "--requirements", revision, "-o", out], limit=300
            )
            unscored = set(re.findall(r"✗ (\S+) \(", done.out))
            (out / _UNSCORED).write_text("\n".join(sorted(unscored)), encoding="utf-8")
            bad = {name for name, _, status in _checks(out) if status == "FAILURE"} - unscored
            told.append((revision, len({name for name, _, _ in _checks(out)} - unscored), sorted(bad)))
    detail = "; ".join(
        f"{revision}: {count} scenarios, failing: {', '.join(bad) or 'none'}" for revision, count, bad in told
    )
    return ok(all(count and not bad for _, count, bad in told), detail)


def write_baselines(bench: Bench) -> None:
    """Names what fails now, check by check."""
    for revision in REVISIONS:
        (HERE / f"{revision}.yml").write_text("server: []\n", encoding="utf-8")
        conformance(bench, revision)
        failed = sorted(
            {f"{name}:{check}" for name, check, status in _checks(bench.folder / revision) if status in BAD}
        )
        lines = "".join(f"  - {entry}\n" for entry in failed)
        head = "# What the real server lacks: the suite's own tools, resources and prompts; sessions and subscriptions."
        (HERE / f"{revision}.yml").write_text(f"{head}\nserver:\n{lines}", encoding="utf-8")


def _checks(out: Path) -> Iterator[tuple[str, str, str]]:
    for file in sorted(out.glob("server-*/checks.json")):
        name = re.sub(r"-\d{4}-\d\d-\d\dT.*", "", file.parent.name).removeprefix("server-")
        for check in json.loads(file.read_text(encoding="utf-8")):
            yield name, check["id"], check["status"]


# --- Inspector


def inspector(bench: Bench, *arguments: str, limit: float = 120) -> Ran:
    """The Inspector's command line."""
    program = bench.tools.package("node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js")
    env = {**bench.environment, "MCP_INSPECTOR_SECRET_STORE": "memory"}
    return run([bench.tools.node, program, "--cli", *arguments], env=env, limit=limit)


def handshake(bench: Bench, era: str, version: str, *server: str) -> Verdict:
    """The Inspector negotiates this version."""
    done = inspector(
        bench, *server, "--protocol-era", era, "--method", "initialize", "--format", "json", "-q", *_PATIENT
    )
    return ok(f'"protocolVersion":"{version}"' in done.out.replace(" ", ""), f"Inspector, {era}: exit code {done.code}")


def strict(bench: Bench) -> Verdict:
    """No schema that a host might not read."""
    done = inspector(
        bench, bench.url, "--transport", "http", "--protocol-era", "modern", "--method", "tools/list", "--strict",
        "--format", "json", "-q",
    )  # fmt: skip
    said = " ".join(done.err.split())
    return ok(done.code == 0 and not said, f"Inspector --strict: exit code {done.code}. {said[:200]}")


def skills(bench: Bench) -> Verdict:
    """The Inspector's checks of the skill that the server offers: form, digests, and the file that is read."""
    done = inspector(
        bench, bench.url, "--transport", "http", "--protocol-era", "modern", "--method", "skills/list", "--verify",
        "--require-digests", "--format", "json", "-q",
    )  # fmt: skip
    return ok(
        done.code == 0 and '"ok":true' in done.out.replace(" ", ""),
        f"Inspector skills/list --verify: exit code {done.code}. {done.err.strip()[-200:]}",
    )


def load(bench: Bench) -> Verdict:
    """500 calls, twenty at once."""
    done = inspector(
        bench, bench.url, "--transport", "http", "--protocol-era", "modern", "--method", "tools/call",
        "--tool-name", "memory_describe", "--tool-arg", "part=limits",
        "--load", "--load-requests", "500", "--load-concurrency", "20",
    )  # fmt: skip
    try:
        figures = json.loads(done.out[done.out.index("{") :])
        answered, p50, p99 = figures["ok"], figures["latencyMs"]["p50"], figures["latencyMs"]["p99"]
    except (ValueError, KeyError):
        return Verdict(state="fail", detail=f"Inspector --load: exit code {done.code}. {done.err[-200:]}")
    busy = os.getloadavg()[0] - 2  # the server and the Inspector take a core each
    told = f"Inspector --load, 500 at 20: {answered} answered, p50 {p50:.0f} ms, p99 {p99:.0f} ms"
    if done.code or answered < 500 or p99 < MOST_MS or busy < 1:
        return ok(not done.code and answered == 500 and p99 < MOST_MS, told)
    return Verdict(state="named", detail=f"{told}; {busy:.0f} other processes were running on {os.cpu_count()} cores")


# --- other clients, packages, scanner


def typescript(bench: Bench, script: str, *arguments: str) -> Verdict:
    """A client of the TypeScript SDK connects, lists and calls."""
    done = run(
        [bench.tools.node, bench.tools.package(script), *arguments], env=bench.environment, cwd=bench.tools.package("")
    )
    told = json.loads(done.out) if done.code == 0 else {}
    return ok(
        bool(told) and not told["error"] and told["tools"] > 0, f"{script}: {done.out.strip() or done.err[-200:]}"
    )


def claude_code(bench: Bench) -> Verdict:
    """Claude Code connects, in a home of its own."""
    home = bench.folder / "claude-home"
    home.mkdir()
    env = {**bench.environment, "HOME": str(home)}
    named = [f"-e{name}={value}" for name, value in bench.environment.items() if name.startswith("R_MEMORY_")]
    settings = [part for entry in named for part in ("-e", entry.removeprefix("-e"))]
    program = bench.tools.claude
    run([program, "mcp", "add", "--scope", "user", "r-memory", *settings, "--", PROGRAM, "serve"], env=env, cwd=home)
    done = run([program, "mcp", "list"], env=env, cwd=home)
    version = run([program, "--version"], env=env, cwd=home).out.strip()
    connected = "Connected" in done.out
    return ok(connected, f"{version}: {'Connected' if connected else ' '.join(done.out.split())[-120:]}")


def hook(bench: Bench) -> Verdict:
    """Claude Code with our plugin sends the model what must be known before the prompt, without being asked.

    Twice at most: on a busy machine the first start may outlast the time that the host gives a hook.
    """
    told = ""
    for attempt in (1, 2):
        sent = _sent_with_hook(bench, bench.folder / f"claude-hook-{attempt}")
        place = sent.find(HOOKED)
        critical = "CRITICAL ALLERGY: Ann Lee is allergic to Penicillin" in sent[max(place, 0) :]
        told = f"attempt {attempt}: the request {'holds' if place >= 0 else 'lacks'} '{HOOKED}'"
        if place >= 0 and critical:
            return ok(True, f"claude -p --plugin-dir plugin, {told} with the critical line")  # noqa: FBT003 - as above
    return ok(False, told)  # noqa: FBT003 - see above


def _sent_with_hook(bench: Bench, folder: Path) -> str:
    """Everything that Claude Code sends to a model for one prompt, in a home of its own."""
    (home := folder / "home").mkdir(parents=True)
    path = f"{PROGRAM.parent}{os.pathsep}{os.environ.get('PATH', '')}"
    env = {**bench.environment, "PATH": path, "HOME": str(home), "R_MEMORY_DATA_DIR": str(folder / "data")}
    statement = "I am severely allergic to penicillin."
    run([PROGRAM, "remember", statement, "--subject", "P1", "--subject-name", "Ann Lee"], env=env, cwd=folder)
    with fake_model() as model:
        quiet = {"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_AUTOUPDATER": "1"}
        env |= {"ANTHROPIC_BASE_URL": model.url, "ANTHROPIC_API_KEY": "none", **quiet}
        prompt: list[str | Path] = ["-p", "Order an antibiotic for Ann Lee.", "--plugin-dir", ROOT / "plugin"]
        run([bench.tools.claude, *prompt], env=env, cwd=folder, limit=150)
        return model.text


BAD_ANSWER = "For strep throat I recommend Amoxicillin 500 mg three times a day."


def gates(bench: Bench, client: str) -> Verdict:
    """A client with the hooks that `r-memory install --gates` writes, and a model that orders what must not be given.

    The block stands in the first request; the answer is handed back once, with what stands against it, and the client
    asks again.
    """
    (home := bench.folder / f"gates-{client}").mkdir()
    env = {**bench.environment, "HOME": str(home), "R_MEMORY_DATA_DIR": str(home / "data"), "OPENAI_API_KEY": "none"}
    run(
        [PROGRAM, "remember", "I am severely allergic to penicillin.", "-s", "P1", "--subject-name", "Ann Lee"], env=env
    )
    installed = "claude-code" if client == "claude" else client
    run([PROGRAM, "install", installed, "--gates", "--many-subjects"], env=env, cwd=home)
    words = "Ann Lee (P1) has strep throat. Recommend an antibiotic."
    with fake_model(BAD_ANSWER) as model:
        if client == "claude":
            quiet = {"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_AUTOUPDATER": "1"}
            env |= {"ANTHROPIC_BASE_URL": model.url, "ANTHROPIC_API_KEY": "none", **quiet}
            command: list[str | Path] = [bench.tools.claude, "-p", words]
        else:
            provider = f'{{name="fake",base_url="{model.url}/v1",wire_api="responses",env_key="OPENAI_API_KEY"}}'
            given = ["-c", "model_provider=fake", "-c", f"model_providers.fake={provider}", "-m", "fake"]
            flags = ["--skip-git-repo-check", "--dangerously-bypass-hook-trust", "-s", "read-only"]
            command = [bench.tools.client("codex"), "exec", *flags, *given, words]
        ran = run(command, env=env, cwd=home, limit=240)
        sent = [json.dumps(body) for body in model.bodies]
    critical = ["CRITICAL ALLERGY: Ann Lee is allergic to Penicillin" in item for item in sent]
    handed_back = ["does not agree with the record" in item for item in sent]
    told = f"{client}: {len(sent)} requests, block in {sum(critical)}, handed back in {sum(handed_back)}"
    well = critical == [True, True] and handed_back == [False, True]
    return ok(well, told if well else f"{told}; exit {ran.code}: {' '.join((ran.out + ran.err).split())[-200:]}")


def plugin(bench: Bench) -> Verdict:
    """Each client's own validator, and its installer where it has one, over the plugin and the marketplace.

    Cursor has neither without a screen.
    """
    folder, home = bench.folder / "marketplace", bench.folder / "home-of-plugins"
    write_marketplace(folder)
    home.mkdir()
    env = {**bench.environment, "HOME": str(home)}
    name = "r-memory@r-memory"
    asked: list[list[str | Path]] = [
        [bench.tools.claude, "plugin", "validate", folder / "plugin", "--profile", "directory"],
        [bench.tools.claude, "plugin", "validate", folder],
        [bench.tools.claude, "plugin", "marketplace", "add", folder],
        [bench.tools.claude, "plugin", "install", name],
        [bench.tools.client("codex"), "plugin", "marketplace", "add", folder],
        [bench.tools.client("codex"), "plugin", "add", name],
        [bench.tools.client("gemini"), "extensions", "validate", folder],
    ]
    done = [(Path(command[0]).name, command[1:], run(command, env=env, cwd=home)) for command in asked]
    wrong = [
        f"{program} {' '.join(map(str, words))}: {' '.join((ran.out + ran.err).split())[-200:]}"
        for program, words, ran in done
        if ran.code
    ]
    codes = ", ".join(f"{program} {words[1]} {ran.code}" for program, words, ran in done)
    listed = run([bench.tools.client("codex"), "mcp", "list"], env=env, cwd=home).out
    return ok(not wrong and "r-memory" in listed, "; ".join([codes, *wrong]))


def bundle(bench: Bench) -> Verdict:
    """The bundle's own validator and packer, over what `make package` builds."""
    out = bench.folder / "dist"
    built = run([sys.executable, "-m", "scripts.packaging", "--no-wheel", "--no-schemas", "--out", out], cwd=ROOT)
    if built.code:
        return Verdict(state="fail", detail=built.err[-300:])
    inside = bench.folder / "bundle"
    run([sys.executable, "-m", "zipfile", "-e", next(out.glob("*.mcpb")), inside])
    program = bench.tools.package("node_modules/@anthropic-ai/mcpb/dist/cli/cli.js")
    valid = run([bench.tools.node, program, "validate", inside / "manifest.json"])
    packed = run([bench.tools.node, program, "pack", inside, out / "packed.mcpb"])
    return ok(
        valid.code == packed.code == 0, f"mcpb validate {valid.code}, pack {packed.code}: {valid.out.strip()[-120:]}"
    )


def registry(bench: Bench) -> Verdict:
    """The registry's own schema, from its Go module, over the entry that `make package` writes."""
    file = bench.tools.go_module(REGISTRY) / "internal" / "validators" / "schemas" / "2025-12-11.json"
    schema = json.loads(file.read_text(encoding="utf-8"))
    found = [error.message for error in jsonschema.Draft7Validator(schema).iter_errors(server_json())]
    return ok(not found, f"schema of {REGISTRY}: {'; '.join(found)[:300] or 'valid'}")


def wheel(bench: Bench) -> Verdict:
    """The wheel, in an environment of its own, greets in both eras."""
    out = bench.folder / "wheel"
    built = run([sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", out], cwd=ROOT)
    if built.code:
        return Verdict(state="fail", detail=built.err[-300:])
    home = bench.tools.environment("fresh", next(out.glob("*.whl")))
    greeted = [
        handshake(bench, era, version, str(home / "bin" / "r-memory"), "serve").state
        for era, version in (("modern", REVISIONS[1]), ("legacy", REVISIONS[0]))
    ]
    return ok(greeted == ["pass", "pass"], f"initialize, modern and legacy: {', '.join(greeted)}")


def scan(bench: Bench) -> Verdict:
    """The scanner's verdict, without network; what it finds in our own words is named."""
    settings = [
        part
        for name, value in bench.environment.items()
        if name.startswith("R_MEMORY_")
        for part in ("--stdio-env", f"{name}={value}")
    ]
    done = run(
        [
            bench.tools.scanner, "--analyzers", "yara,schema", "--format", "raw", "stdio",
            "--stdio-command", PROGRAM, "--stdio-arg=serve", *(f"--stdio-arg={flag}" for flag in EVERYTHING), *settings,
        ],
        limit=300,
    )  # fmt: skip
    try:
        results = json.loads(done.out[done.out.index("{") :])["scan_results"]
    except (ValueError, KeyError):
        return Verdict(state="not run", detail=f"mcp-scanner gave no result: {done.err[-200:]}")
    found = {
        f"{result['tool_name']}: {', '.join(finding['threat_names'])} ({finding['severity']})"
        for result in results
        for finding in result["findings"].values()
        if finding.get("total_findings")
    }
    if not found:
        return ok(bool(results), f"{len(results)} tools safe")
    words = "the rule for PHP's assert() matches the contract's word NONE-ASSERTED"
    only_words = all("CODE EXECUTION (LOW)" in finding for finding in found)
    return Verdict(
        state="named" if only_words else "fail", detail=f"{'; '.join(sorted(found))}. {words if only_words else ''}"
    )


def fuzzed(bench: Bench) -> Verdict:
    """Arguments off every schema, in both eras: no crash, no hang."""
    count, bad = anyio.run(fuzz, str(PROGRAM), dict(bench.environment))
    return ok(not bad, f"{count} calls in both eras; {'; '.join(bad[:5]) or 'every one answered in 5 s with a reason'}")


def checks(bench: Bench) -> dict[str, tuple[tuple[str, ...], Callable[[], Verdict]]]:
    """By name: the rows that a check decides, and the check; in this order."""
    stdio = (str(PROGRAM), "serve")
    http = (bench.url, "--transport", "http")
    old, new = REVISIONS
    return {
        # Before the next two, which look up there what they cannot see at the real server.
        "fixture build": (("M-3",), lambda: fixtures(bench)),
        "conformance " + old: (("M-1",), lambda: conformance(bench, old)),
        "conformance " + new: (("M-2",), lambda: conformance(bench, new)),
        "messages valid": (("M-4",), lambda: wire_valid(bench)),
        "Inspector stdio modern": (("M-5",), lambda: handshake(bench, "modern", new, *stdio)),
        "Inspector stdio legacy": (("M-6",), lambda: handshake(bench, "legacy", old, *stdio)),
        "Inspector HTTP modern": (("M-8",), lambda: handshake(bench, "modern", new, *http)),
        "Inspector HTTP legacy": (("M-8",), lambda: handshake(bench, "legacy", old, *http)),
        "TypeScript v1": (("M-9",), lambda: typescript(bench, "v1.mjs", *stdio)),
        "TypeScript v2": (("M-10",), lambda: typescript(bench, "v2.mjs", bench.url)),
        "Claude Code": (("M-11",), lambda: claude_code(bench)),
        "hook": (("M-52",), lambda: hook(bench)),
        "gates Claude Code": (("M-52",), lambda: gates(bench, "claude")),
        "gates Codex": (("M-52",), lambda: gates(bench, "codex")),
        "Inspector strict": (("M-22",), lambda: strict(bench)),
        "skills": (("M-57",), lambda: skills(bench)),
        "Inspector load": (("M-44",), lambda: load(bench)),
        "caching": (("M-45",), lambda: scenario(bench, "caching")),
        "resource not found": (("M-46",), lambda: scenario(bench, "sep-2164-resource-not-found")),
        "plugin": (("M-53",), lambda: plugin(bench)),
        "bundle": (("M-54",), lambda: bundle(bench)),
        "registry": (("M-55",), lambda: registry(bench)),
        "scanner": (("M-56",), lambda: scan(bench)),
        "fuzzer": (("M-59",), lambda: fuzzed(bench)),
        "wheel": (("M-61",), lambda: wheel(bench)),
    }


def judged(check: Callable[[], Verdict]) -> Verdict:
    """The verdict; a program that cannot be had is no failure of ours."""
    try:
        return check()
    except Missing as missing:
        return Verdict(state="not run", detail=str(missing))


# --- our own tests


def proofs() -> dict[str, list[str]]:
    """Row to the tests that name it, as node ids without parameters; not those that run what stands here."""
    found: dict[str, list[str]] = defaultdict(list)
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        if path.parent.name == "foreign":
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        by_all = [row for node in tree.body if _is_mark(node) for row in _rows(node)]
        for test in (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)):
            own = [row for mark in test.decorator_list for row in _rows(mark)] if test.name[:5] == "test_" else []
            for row in dict.fromkeys((*own, *(by_all if test.name[:5] == "test_" else ()))):
                found[row].append(f"{path.relative_to(ROOT).as_posix()}::{test.name}")
    return found


def _is_mark(node: ast.stmt) -> bool:
    """Whether it marks every test of its module."""
    return isinstance(node, ast.Assign) and any(getattr(to, "id", "") == "pytestmark" for to in node.targets)


def _rows(within: ast.AST) -> Iterator[str]:
    """Rows named by `proves` anywhere within."""
    for mark in ast.walk(within):
        if isinstance(mark, ast.Call) and isinstance(mark.func, ast.Attribute) and mark.func.attr == "proves":
            named = (str(arg.value) for arg in mark.args if isinstance(arg, ast.Constant))
            yield from (row for row in named if row.startswith("M-"))


def tested(nodes: Sequence[str]) -> Mapping[str, str]:
    """Node id to what came of the test."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "outcomes"
        env = {**os.environ, "PYTEST_ADDOPTS": ""}
        done = run(
            [sys.executable, "-m", "pytest", "-q", "-rA", "-n", "auto", "--dist", "loadfile", *sorted(set(nodes))],
            env=env,
            cwd=ROOT,
            limit=3600,
        )
        file.write_text(done.out, encoding="utf-8")
    outcomes: dict[str, str] = {}
    for line in done.out.splitlines():
        state, _, rest = line.partition(" ")
        if state in {"PASSED", "FAILED", "ERROR", "SKIPPED"}:
            node = rest.split(" ")[0].split("[")[0]
            if outcomes.get(node) in {None, "PASSED"}:
                outcomes[node] = state
    return outcomes


# --- the page


def page(
    verdicts: Mapping[str, Sequence[tuple[str, Verdict]]],
    *,
    run_tests: bool,
    earlier: Mapping[str, tuple[str, str]] | None = None,
) -> str:
    """The checklist as Markdown; rows of which nothing was run now are taken from an earlier one, if one is given."""
    kept = {row: told for row, told in (earlier or {}).items() if row not in verdicts}
    proved = proofs()
    nodes = [node for nodes in proved.values() for node in nodes] if run_tests else []
    # A test of which nothing was heard counts as failed: the run may have ended before it.
    outcomes = dict.fromkeys(nodes, "ERROR") | dict(tested(nodes) if nodes else {})
    rows = [
        (
            row["id"],
            row["point"],
            *(kept.get(row["id"]) or _row(row["id"], verdicts.get(row["id"], ()), proved.get(row["id"], ()), outcomes)),
        )
        for row in ROW.finditer((ROOT / "docs/reference/requirements.md").read_text(encoding="utf-8"))
    ]
    counts = {state: sum(row[2] == state for row in rows) for state in ("pass", "test", "named", "fail", "not run")}
    revision = run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT).out.strip()
    changed = " with uncommitted changes" if run(["git", "status", "--porcelain"], cwd=ROOT).out.strip() else ""
    made = (
        f"{dt.datetime.now(dt.UTC):%Y-%m-%d}, revision {revision}{changed}, {platform.system()} {platform.machine()}, "
        f"Python {platform.python_version()}. Made by `scripts/conformance --report FILE`."
        + (f" Run again at last, with `--update`: {', '.join(verdicts)}." if kept else "")
    )
    lines = [
        "# Conformance",
        "",
        made,
        "",
        _LEGEND,
        "",
        ", ".join(f"{count} {state}" for state, count in counts.items()) + ".",
        "",
        "| M- | point | result | by |",
        "|---|---|---|---|",
        *(f"| {id_} | {point} | {state} | {detail.replace('|', '/')} |" for id_, point, state, detail in rows),
    ]
    return "\n".join(lines) + "\n"


def _row(
    row: str, verdicts: Sequence[tuple[str, Verdict]], nodes: Sequence[str], outcomes: Mapping[str, str]
) -> tuple[str, str]:
    said = [f"{name}: {verdict.detail}" for name, verdict in verdicts]
    states = {verdict.state for _, verdict in verdicts}
    failed = [node for node in nodes if outcomes.get(node) in {"FAILED", "ERROR"}]
    names = [node.rpartition("::")[2] for node in nodes]
    if names:
        said.append(f"{len(names)} tests, such as {names[0]}")
    if failed:
        return "fail", "; ".join([*said, f"failed: {', '.join(failed)}"])
    for state in ("fail", "named", "pass"):
        if state in states:
            return state, "; ".join(said)
    if names:
        return ("named", "; ".join([NOT_SHIPPED[row], *said])) if row in NOT_SHIPPED else ("test", "; ".join(said))
    return "not run", "; ".join(said) or "neither a test nor a foreign program shows it yet"


def rows_of(report: Path) -> dict[str, tuple[str, str]]:
    """Row to result and reason in an earlier report, where a foreign program gave it."""
    found = re.finditer(
        r"^\| (M-\d+) \| .* \| (pass|named|fail) \| (.*) \|$", report.read_text(encoding="utf-8"), re.MULTILINE
    )
    return {row[1]: (row[2], row[3]) for row in found}


@contextmanager
def serving(environment: Mapping[str, str], command: Sequence[str] = SERVE) -> Iterator[str]:
    """The address of a running server."""
    with subprocess.Popen(  # noqa: S603 - ours
        list(command), env=dict(environment), stderr=subprocess.PIPE, text=True, cwd=ROOT
    ) as server:
        errors = server.stderr or ()
        try:
            address = next(found[1] for line in errors if (found := re.search(r"url='([^']+)'", line)))
            # Read on, or the server would stand still once the pipe is full.
            threading.Thread(target=lambda: [None for _ in errors], daemon=True).start()
            yield address
        finally:
            server.terminate()


def main() -> int:
    """Runs what is asked for; 1 if something failed."""
    parser = argparse.ArgumentParser(description="Foreign clients and suites against this server.")
    parser.add_argument("--report", type=Path, help="write the checklist as Markdown")
    parser.add_argument("--update", action="store_true", help="keep rows of the report that are not run now")
    parser.add_argument("--only", action="append", default=[], metavar="NAME", help="only checks whose name holds this")
    parser.add_argument("--quick", action="store_true", help="only what takes a minute or two together")
    parser.add_argument("--tests", action="store_true", help="run our own tests of the rows as well (takes long)")
    parser.add_argument("--baseline", action="store_true", help="write anew what the real server may fail")
    parser.add_argument("--tools", type=Path, default=ROOT / "build" / "conformance", help="where programs are kept")
    asked = parser.parse_args()
    verdicts: dict[str, list[tuple[str, Verdict]]] = defaultdict(list)
    with tempfile.TemporaryDirectory(prefix="r-memory-conformance-") as folder:
        inherited = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
        environment = {**inherited, "R_MEMORY_DATA_DIR": f"{folder}/data"}
        with serving(environment) as url:
            bench = Bench(tools=Tools(asked.tools), url=url, environment=environment, folder=Path(folder))
            if asked.baseline:
                write_baselines(bench)
            for name, (rows, check) in checks(bench).items():
                if asked.only and not any(part in name for part in asked.only):
                    continue
                if asked.quick and not QUICK.intersection(rows):
                    continue
                verdict = judged(check)
                print(f"{verdict.state:>7}  {', '.join(rows):<6} {name}: {verdict.detail}", flush=True)
                for row in rows:
                    verdicts[row].append((name, verdict))
    earlier = rows_of(asked.report) if asked.update and asked.report and asked.report.exists() else None
    checklist = page(verdicts, run_tests=asked.tests, earlier=earlier)
    if asked.report:
        asked.report.write_text(checklist, encoding="utf-8")
    print(checklist)
    return int(any(verdict.state == "fail" for found in verdicts.values() for _, verdict in found))


if __name__ == "__main__":
    sys.exit(main())
