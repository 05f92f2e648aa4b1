"""The pages of a real `r-memory web` in Chromium: what a person meets there, measured and written down as JSON.

Fails, with the page and the finding, where axe finds something serious, a page is too heavy, a request leaves this
machine, a decision does not do what its key says, or a changed case file shows green.
"""

import argparse
import asyncio
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import Browser, Page, Response, sync_playwright

from r_memory.config.settings import Settings
from r_memory.serving.tools.calls import text_of
from r_memory.serving.tools.lookup import facts_of
from r_memory.space.signing import signing_key
from r_memory.web.case import case_file
from r_memory.wiring import open_memory

ROOT = Path(__file__).parents[2]
AXE = Path(__file__).parent / "node_modules" / "axe-core" / "axe.min.js"
FOUND = "axe.run().then((found) => found.violations)"
PORT = 8769
ADDRESS = f"http://127.0.0.1:{PORT}"
OWN = urlsplit(ADDRESS).netloc
PAGE_BYTES = 100_000
"""Of a page with what it loads, but for the graph."""
LOOKS: dict[str, dict[str, Any]] = {
    "light": {"color_scheme": "light", "viewport": {"width": 1100, "height": 760}},
    "dark": {"color_scheme": "dark", "viewport": {"width": 1200, "height": 900}},
    "phone": {"color_scheme": "light", "viewport": {"width": 360, "height": 740}},
}
PICTURED: dict[str, Any] = {
    "person": {"x": 0, "y": 0, "width": 1100, "height": 760},
    "review": {"x": 0, "y": 0, "width": 1100, "height": 760},
    "receipt": {"x": 0, "y": 70, "width": 1100, "height": 490},
}
"""Pages of which README and docs show a picture, and how much of them."""
PICTURE_BYTES = 100_000
VIEW = ROOT / "server" / "r_memory" / "serving" / "tools" / "record.html"
HOST = """<!doctype html><html lang="en"><title>A host</title><main><h1>A conversation</h1><iframe
id="view" title="view" style="width:100%;height:820px;border:0" sandbox="allow-scripts"></iframe></main><script>
window.heard = [];
window.addEventListener("message", ({ data, source }) => {
  window.heard.push(data);
  const reply = (result) => source.postMessage({ jsonrpc: "2.0", id: data.id, result }, "*");
  if (data.method === "ui/initialize") reply({ protocolVersion: "2026-01-26", hostContext: { theme: "light" } });
  if (data.method === "ui/notifications/initialized")
    source.postMessage({ jsonrpc: "2.0", method: "ui/notifications/tool-result", params: window.told }, "*");
  if (data.method === "tools/call") reply(data.params.name === "memory_list_facts" ? window.told
    : { content: [], structuredContent: { outcome: "requested" } });
});
</script></html>"""
"""The least that a host of MCP Apps does."""
SUBJECT = "JD001"
SAID = (
    "I am severely allergic to penicillin, I had anaphylaxis.",
    "I take aspirin and metformin.",
    "I have a pacemaker.",
    "I might be allergic to latex.",
)
DENIED = "I am not allergic to penicillin."
UNREAD = "My mother said the penicillin business was bad for one of us."
REQUEST = "Recommend the standard first-line antibiotic for strep throat."
SEED = 31


@dataclass
class Report:
    """What was measured, and what is wrong."""

    figures: dict[str, Any] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)

    def check(self, holds: object, what: str) -> None:
        """Notes what is wrong unless it holds."""
        if not holds:
            self.wrong.append(what)


async def _filled(folder: Path) -> tuple[str, str, dict[str, Any]]:
    """Fills a store as an ordinary day does; a receipt, its case file, and what `memory_list_facts` gives."""
    async with open_memory(Settings(data_dir=folder, read_timeout_s=60.0)) as memory:
        for text in (*SAID, DENIED, UNREAD):
            await memory.remember(text, subject=SUBJECT, subject_name="John Doe", speaker="patient")
        await memory.remember("I take aspirin.", subject="MR002", subject_name="Mary Roe", speaker="patient")
        found = await memory.build_context(REQUEST, subject=SUBJECT, shown_to="ward assistant")
        case = await case_file(memory, found.receipt_id, signing_key(folder / "key"), given={"request": REQUEST})
        listed = json.loads(text_of(await facts_of(memory, SUBJECT, limit=50)))
        return found.receipt_id, case, listed


@contextmanager
def _serving(folder: Path) -> Iterator[str]:
    """`r-memory web` as people start it; the address that it prints."""
    environment = {**os.environ, "R_MEMORY_DATA_DIR": str(folder), "R_MEMORY_READ_TIMEOUT_S": "60"}
    command = [sys.executable, "-m", "r_memory.cli", "web", "--no-browser", "--decide", "--listen", f"127.0.0.1:{PORT}"]
    process = subprocess.Popen(  # noqa: S603 - fixed words
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    try:
        assert process.stdout is not None  # noqa: S101 - a pipe was asked for
        yield process.stdout.readline().removeprefix("The page: ").strip()
    finally:
        process.terminate()
        process.wait(timeout=20)


def _pages(receipt: str, fact: str) -> dict[str, str]:
    return {
        "subjects": "/",
        "person": f"/person?id={SUBJECT}",
        "reconcile": f"/reconcile?id={SUBJECT}",
        "timeline": f"/timeline?id={SUBJECT}",
        "graph": f"/graph?id={SUBJECT}",
        "fact": f"/fact?id={fact}",
        "review": "/review",
        "receipts": f"/receipts?id={SUBJECT}",
        "receipt": f"/receipt?id={receipt}",
        "what-if": f"/ask?id={SUBJECT}",
        "audits": "/audits",
        "audit": "/audit?name=severe_allergies",
        "health": "/health",
        "failed": "/person?id=nobody",
    }


def _entered(page: Page, address: str) -> None:
    """Signs in, once the server answers."""
    for _ in range(150):
        try:
            page.goto(address)
        except Exception:  # noqa: BLE001 - it does not listen yet
            time.sleep(0.2)
        else:
            return
    raise SystemExit("the page did not come up")


def _kept(answers: list[Response], answer: Response) -> None:
    answers.append(answer)


def _seen(browser: Browser, address: str, receipt: str, report: Report, pictures: Path | None) -> None:
    """Every page in every look: axe, weight, who was asked for something."""
    weights: dict[str, int] = {}
    findings: list[dict[str, Any]] = []
    for look, options in LOOKS.items():
        context = browser.new_context(**options, bypass_csp=False)
        page = context.new_page()
        answers: list[Response] = []
        page.on("request", lambda one: report.check(urlsplit(one.url).netloc in {"", OWN}, f"asks {one.url}"))
        page.on("response", partial(_kept, answers))
        page.on("pageerror", lambda error: report.wrong.append(f"script: {error}"))
        _entered(page, address)
        page.goto(f"{ADDRESS}/person?id={SUBJECT}")
        fact = str(page.get_attribute(".critical .fact a", "href")).partition("=")[2]
        for name, path in _pages(receipt, fact).items():
            answers.clear()
            page.goto(ADDRESS + path, wait_until="networkidle")
            weights[name] = max(weights.get(name, 0), sum(len(answer.body()) for answer in answers))
            wide = page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth")
            report.check(not wide, f"{name} ({look}) is wider than the screen")
            if pictures is not None and look == "light" and name in PICTURED:
                page.screenshot(path=pictures / f"web-{name}.png", clip=PICTURED[name])
            page.evaluate(AXE.read_text(encoding="utf-8"))
            for item in page.evaluate(FOUND):
                where = [node["target"] for node in item["nodes"]][:3]
                findings.append({"page": name, "look": look, "id": item["id"], "impact": item["impact"], "at": where})
            page.evaluate("document.body.append(document.createElement('img'))")
            report.check(page.evaluate(FOUND), f"axe finds nothing on {name} even where something is wrong")
        context.close()
    serious = [finding for finding in findings if finding["impact"] in {"serious", "critical"}]
    report.wrong += [f"axe: {item}" for item in serious]
    heavy = {name: size for name, size in weights.items() if size > PAGE_BYTES and name != "graph"}
    report.check(not heavy, f"too heavy: {heavy}")
    report.figures |= {"bytes": weights, "axe": findings, "pages_and_looks": len(weights) * len(LOOKS)}


def _decided(browser: Browser, address: str, report: Report) -> None:
    """Three decisions: by keys with scripts, by mouse without."""
    done: list[str] = []
    for scripts, key in ((True, "c"), (False, "s"), (True, "k")):
        context = browser.new_context(java_script_enabled=scripts)
        page = context.new_page()
        _entered(page, address)
        page.goto(f"{ADDRESS}/review?id={SUBJECT}")
        item = page.locator(f'.item:has(button[value="{key}"])')
        if key == "c":
            item = page.locator('.item:has(h2:has-text("unconfirmed"))')
        item.first.locator('[name="reason"]').fill("asked again at the bedside")
        if scripts:
            place = item.first.evaluate("(one) => Array.from(document.querySelectorAll('.item')).indexOf(one)")
            page.evaluate("document.activeElement.blur()")
            for _ in range(place + 1):
                page.keyboard.press("j")
            page.keyboard.press(key)
        else:
            item.first.locator(f'button[value="{key}"]').click()
        page.wait_for_selector(".writes")
        page.get_by_role("button", name="Write it").click()
        page.wait_for_selector('[role="status"]')
        done.append(page.inner_text('[role="status"]'))
        context.close()
    report.check(len(done) == 3, f"decisions: {done}")
    report.figures["decisions"] = done


def _view_shown(browser: Browser, listed: dict[str, Any], report: Report, pictures: Path | None) -> None:
    """The view of a record in a host: drawn, without findings, and a decision that reaches the host as a call."""
    for look, options in LOOKS.items():
        page = browser.new_context(**options, offline=True).new_page()
        page.on("pageerror", lambda error: report.wrong.append(f"script: {error}"))
        page.set_content(HOST)
        page.evaluate("(told) => { window.told = told; }", {"content": [], "structuredContent": listed})
        page.evaluate("(html) => { document.getElementById('view').srcdoc = html; }", VIEW.read_text(encoding="utf-8"))
        view = page.frame_locator("#view")
        view.get_by_role("heading", name="HAS_ALLERGY_TO").wait_for()
        if pictures is not None and look == "light":
            page.locator("#view").screenshot(path=pictures / "web-view.png")
        frame = page.frames[-1]
        frame.evaluate(AXE.read_text(encoding="utf-8"))
        found = [item for item in frame.evaluate(FOUND) if item["impact"] in {"serious", "critical"}]
        report.wrong += [f"axe: view ({look}): {item['id']}" for item in found]
        button = view.get_by_role("button", name="Refute (tested): HAS_ALLERGY_TO Penicillin")
        button.click()
        report.check(view.get_by_role("status").inner_text().startswith("Write why"), "a reason is not asked for")
        view.get_by_label("Why, for HAS_ALLERGY_TO Penicillin").fill("skin test negative")
        button.click()
        view.get_by_text("A person is asked").wait_for()
        calls = page.evaluate("window.heard.filter((one) => one.method === 'tools/call').map((one) => one.params)")
        report.check(calls[0]["arguments"].get("change") == "refute", f"the view called {calls}")
        page.context.close()
    report.figures["view_bytes"] = VIEW.stat().st_size


def _small(pictures: Path, report: Report) -> None:
    sizes = {file.name: file.stat().st_size for file in sorted(pictures.glob("web-*.png"))}
    report.figures["pictures"] = sizes
    report.check(max(sizes.values()) <= PICTURE_BYTES, f"pictures are too heavy: {sizes}")


def _case_checked(browser: Browser, case: str, folder: Path, report: Report, mutations: int) -> None:
    """The case file from disk: green as it is, never green when changed."""
    page = browser.new_context(offline=True).new_page()
    file = folder / "case.html"

    def verdict(text: str) -> str:
        file.write_bytes(text.encode("utf-8", "surrogateescape"))
        page.goto(file.as_uri(), wait_until="commit")
        try:
            page.wait_for_function(
                "document.documentElement.className || !document.getElementById('verdict')"
                " || document.readyState === 'complete' && performance.now() > 400",
                timeout=3000,
            )
        except Exception:  # noqa: BLE001 - whatever a broken page does, it is not green
            return "broken"
        return str(page.evaluate("document.documentElement.className"))

    report.check(verdict(case) == "green", "the case file is not green in a browser")
    chance, content, green = random.Random(SEED), case.encode(), []  # noqa: S311 - seeded chance keeps no secret
    for _ in range(mutations):
        place = chance.randrange(len(content))
        byte = bytes([chance.choice([item for item in range(0x20, 0x7F) if item != content[place]])])
        text = (content[:place] + byte + content[place + 1 :]).decode("utf-8", "surrogateescape")
        if verdict(text) == "green":
            around = case.encode()[max(place - 20, 0) : place + 20].decode(errors="replace")
            green.append(f"{place}: {byte!r} in {around!r}")
    report.figures["case"] = {"bytes": len(content), "mutations_in_browser": mutations, "still_green": green}
    report.wrong += [f"a changed case file is green at {item}" for item in green]


def main() -> None:
    """Runs everything; exit code 1 where something is wrong."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--report", type=Path, help="write the figures there as JSON")
    arguments.add_argument("--pictures", type=Path, help="write pictures of pages and of the view into this folder")
    arguments.add_argument("--mutations", type=int, default=60, help="changes of the case file tried in the browser")
    asked = arguments.parse_args()
    folder, report = Path(tempfile.mkdtemp(prefix="page-check-")), Report()
    try:
        receipt, case, listed = asyncio.run(_filled(folder))
        with sync_playwright() as player:
            browser = player.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
            report.figures["browser"] = f"Chromium {browser.version}"
            _case_checked(browser, case, folder, report, asked.mutations)
            _view_shown(browser, listed, report, asked.pictures)
            with _serving(folder) as address:
                _seen(browser, address, receipt, report, asked.pictures)
                _decided(browser, address, report)
            browser.close()
        if asked.pictures is not None:
            _small(asked.pictures, report)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    text = json.dumps(report.figures, indent=1)
    print(text)
    if asked.report:
        asked.report.write_text(f"{text}\n", encoding="utf-8")
    for item in report.wrong:
        print(f"WRONG: {item}", file=sys.stderr)
    sys.exit(1 if report.wrong else 0)


if __name__ == "__main__":
    main()
