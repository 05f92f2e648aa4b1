"""Documents read by a real server and the real command on a real store: with progress, through a kill, from files."""

import contextlib
import io
import itertools
import json
import os
from pathlib import Path
from typing import Any

import pytest

from r_memory.cli.app import run
from tests.acceptance.conftest import Installation, begun_in
from tests.acceptance.wire import WireServer
from tests.unit.talk.documents.files import a_docx, a_pdf

FILLER = "Page {page} tells in sentence {number} how the weather was on the day of the visit, and nothing else. "
ALLERGENS = ("penicillin", "latex", "morphine", "codeine", "aspirin", "ibuprofen")
SUBJECT = {"subject": "JD001"}


def a_letter() -> str:
    """Pages of some hundred words; each names one allergy."""
    pages = []
    for page, allergen in enumerate(ALLERGENS, start=1):
        filler = [FILLER.format(page=page, number=number) for number in range(1, 81)]
        pages.append("".join([*filler[:40], f"The patient is allergic to {allergen}. ", *filler[40:]]))
    return "\f".join(pages)


def declared(server: WireServer) -> None:
    server.handshake()
    server.call("memory_remember", text="Hello.", subject_name="John Doe", **SUBJECT)


def facts(server: WireServer) -> dict[str, str]:
    """Object to source of everything that is recorded."""
    listed = server.call("memory_list_facts", **SUBJECT)["structuredContent"]
    assert listed["total"] == len(listed["facts"])
    return {fact["object"].casefold(): fact["speaker"] for fact in listed["facts"]}


def asked_with_progress(server: WireServer, **arguments: object) -> int:
    return server.ask(
        "tools/call",
        {"name": "memory_ingest_document", "arguments": arguments, "_meta": {"progressToken": "reading"}},
    )


def progress_of(message: dict[str, Any]) -> float | None:
    if message.get("method") != "notifications/progress":
        return None
    assert message["params"]["progressToken"] == "reading"
    done: float = message["params"]["progress"]
    return done


@pytest.mark.proves("M-62", "SCM-36")
def test_a_server_killed_in_the_middle_of_a_document_goes_on_with_it_and_nothing_is_twice(
    embedded: Installation,
) -> None:
    letter: dict[str, object] = {"name": "letter.txt", "text": a_letter(), **SUBJECT}
    with embedded.wire() as server:
        declared(server)
        asked_with_progress(server, **letter)
        while (done := progress_of(server.receive())) is None or done < 5:
            continue
        server.kill()
    with embedded.wire() as server:
        server.handshake()
        number = asked_with_progress(server, **letter)
        shown: list[float] = []
        while (message := server.receive()).get("id") != number:
            if (done := progress_of(message)) is not None:
                shown.append(done)
        result = message["result"]["structuredContent"]
        again = server.call("memory_ingest_document", **letter)["structuredContent"]
        found = server.call("memory_search", query="codeine", kinds=["document"], **SUBJECT)["structuredContent"]
        recorded = facts(server)
    assert all(before < after for before, after in itertools.pairwise(shown))
    assert (result["state"], again["document_id"]) == ("done", result["document_id"])
    assert "read before" in again["note"]
    pages = {allergen: f"letter.txt, page {page}" for page, allergen in enumerate(ALLERGENS, start=1)}
    assert {name: source for name, source in recorded.items() if name in pages} == pages
    assert len(recorded) == len(pages)
    assert found["hits"][0]["source"].startswith("letter.txt, page 4")


def test_files_of_every_kind_are_read_by_one_command_and_a_bad_one_does_not_stop_it(
    embedded: Installation, tmp_path: Path
) -> None:
    (tmp_path / "letter.pdf").write_bytes(a_pdf("Dear colleague,", "Mr Doe is severely allergic to peni-\ncillin."))
    (tmp_path / "report.docx").write_bytes(a_docx("# Findings", "The patient has a pacemaker."))
    (tmp_path / "notes.md").write_text("# Diet\n\nThe patient is allergic to latex.\n", encoding="utf-8")
    (tmp_path / "scan.pdf").write_bytes(a_pdf(""))
    names = ["letter.pdf", "scan.pdf", "report.docx", "notes.md"]
    code, out, err = shell(
        embedded, "ingest", *(str(tmp_path / name) for name in names), "--subject-name", "John Doe", "--json"
    )
    assert (code, err.count("\n")) == (2, 1)
    assert "scan.pdf holds no text in its 1 pages" in err
    told = json.loads(out)["documents"]
    assert [each["file"] for each in told] == names
    assert [each.get("stored") for each in told] == [1, None, 1, 1]
    _, listed, _ = shell(embedded, "facts", "--json")
    assert {fact["object"]: fact["speaker"] for fact in json.loads(listed)["facts"]} == {
        "Penicillin": "letter.pdf, page 2",
        "Pacemaker": "report.docx, section Findings",
        "Latex": "notes.md, section Diet",
    }


def shell(installation: Installation, command: str, *arguments: str) -> tuple[int, str, str]:
    """A command about John Doe in this process: code, output and complaints."""
    out, err = io.StringIO(), io.StringIO()
    with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        for name in [name for name in os.environ if name.startswith("R_MEMORY_")]:
            patch.delenv(name)
        for name, value in installation.environment.items():
            patch.setenv(name, value)
        code = run([command, *arguments, "--subject", "JD001"])
    return code, out.getvalue(), err.getvalue()


def ingested(installation: Installation, path: Path, text: str) -> list[dict[str, Any]]:
    """The facts of a memory that has read this file."""
    path.write_text(text, encoding="utf-8")
    code, _, err = shell(installation, "ingest", str(path), "--subject-name", "John Doe", "--json")
    assert (code, err) == (0, "")
    _, listed, _ = shell(installation, "facts", "--json")
    facts: list[dict[str, Any]] = json.loads(listed)["facts"]
    return facts


def test_an_item_on_the_other_side_of_a_cut_keeps_its_heading(embedded: Installation, tmp_path: Path) -> None:
    items = [f"- Naproxen {number} mg" for number in range(100, 240)]
    text = "\n".join(["Medicines that were stopped", "", *items, "- Ramipril 5 mg", ""])
    facts = ingested(embedded, tmp_path / "list.txt", text)
    assert {(fact["object"], fact["status"]) for fact in facts} == {("Naproxen", "resolved"), ("Ramipril", "resolved")}


def test_a_recent_value_of_a_dated_letter_is_not_stale(embedded: Installation, tmp_path: Path) -> None:
    facts = ingested(embedded, tmp_path / "letter.txt", "Date: 20 November 2026\n\nCreatinine 180 umol/L (12 Nov)\n")
    assert [fact["attrs"]["measured"] for fact in facts] == ["2026-11-12"]
    _, block, _ = shell(embedded, "recall", "Start metformin.")
    assert "180" in block
    assert "stale" not in block


def test_a_stop_with_its_reason_and_an_order_for_care_are_kept_as_facts(embedded: Installation, tmp_path: Path) -> None:
    text = "Date: 20 November 2026\n\nLisinopril was stopped in March owing to cough.\n\n- No BP in the right arm\n"
    facts = {(fact["relation"], fact["status"]) for fact in ingested(embedded, tmp_path / "letter.txt", text)}
    assert facts >= {("TAKES", "resolved"), ("HAS_INTOLERANCE_TO", "unconfirmed"), ("HAS_PRECAUTION", "active")}


NDA = """Non-disclosure agreement

Between Tarnwood Ltd ("Tarnwood" or the "Discloser") and Bell Foods (the "Recipient").

"Tarnwood" means Tarnwood Ltd, the Discloser.
"Adviser" means Quill LLP, which acts for Tarnwood.
"""


def test_the_definitions_of_a_contract_are_no_conflicts(tmp_path: Path) -> None:
    installation = begun_in(tmp_path, "law")
    facts = ingested(installation, tmp_path / "nda.txt", NDA)
    # The heading says what kind of paper it is; who is called what binds nobody.
    doubted = [fact for fact in facts if fact["status"] == "unconfirmed" or "CONFLICT" in fact["relation"]]
    assert {fact["relation"] for fact in doubted} <= {"BOUND_BY"}


FRAME = "11/27/26, 4:12 PM  Spring clinic news\n"
PRINTED = (
    f"{FRAME}Menu\nPeak season for allergies\nBig savings on allergy tablets!\nhttps://clinic.example/news  1/2",
    f"{FRAME}Allergies\n- Codeine (rash)\n- Latex\n\nShare  Print  Tweet\nhttps://clinic.example/news  2/2",
)


def test_a_printed_page_gives_its_list_and_nothing_of_its_frame(embedded: Installation, tmp_path: Path) -> None:
    """Row F7 of the findings: "allergic to Pm / Gig / Peak"."""
    (tmp_path / "print.pdf").write_bytes(a_pdf(*PRINTED))
    code, _, err = shell(embedded, "ingest", str(tmp_path / "print.pdf"), "--subject-name", "John Doe", "--json")
    assert (code, err) == (0, "")
    _, listed, _ = shell(embedded, "facts", "--json")
    assert {fact["object"] for fact in json.loads(listed)["facts"]} == {"Codeine", "Latex"}
