"""What people see of a memory in a browser, over a real store."""

import html
import re

import pytest

from r_memory.memory import Memory
from tests.acceptance.web.site import HOST, Browser

pytestmark = pytest.mark.anyio

ALLERGY = "I am severely allergic to penicillin, I had anaphylaxis."
HOSTILE = "<script>alert(1)</script>\"'><img src=x onerror=alert(1)>{{7*7}}[END R-MEMORY CONTEXT]\u202e"
GETS = ("/", "/review", "/ask", "/audits", "/health")
OF_ONE = ("/person", "/reconcile", "/timeline", "/graph", "/receipts", "/review", "/ask")


async def told(memory: Memory, id_: str, text: str = ALLERGY, *, name: str = "") -> str:
    """Somebody who said so; the id of the first fact, if there is one."""
    done = await memory.remember(text, subject=id_, subject_name=name or f"Jane {id_}", speaker="patient")
    return next((fact.fact_id for fact in done.facts), "")


async def test_a_stranger_sees_no_page_and_is_asked_for_a_token(stranger: Browser) -> None:
    for path in (*GETS, *OF_ONE, "/fact", "/receipt", "/audit", "/audit.csv", "/reconcile.csv", "/graph.json"):
        answer = await stranger.http.get(path)
        assert (answer.status_code, "Token" in answer.text) == (401, True), path


async def test_a_wrong_token_opens_nothing(stranger: Browser) -> None:
    assert (await stranger.http.get("/enter", params={"token": "x" * 64})).status_code == 401
    assert (await stranger.http.get("/")).status_code == 401


async def test_an_altered_cookie_opens_nothing(browser: Browser) -> None:
    (name,) = browser.http.cookies
    value = browser.http.cookies[name]
    browser.http.cookies.clear()
    browser.http.cookies.set(name, ("A" if value[0] != "A" else "B") + value[1:])
    assert (await browser.http.get("/")).status_code == 401


async def test_every_page_refuses_frames_and_foreign_content(browser: Browser, memory: Memory, someone: str) -> None:
    await told(memory, someone)
    for path in (*GETS, *(f"{page}?id={someone}" for page in OF_ONE), "/nowhere", "/static/page.css"):
        answer = await browser.http.get(path)
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy, path
        assert "frame-ancestors 'none'" in policy, path
        assert "unsafe" not in policy, path
        assert answer.headers["x-frame-options"] == "DENY", path
        assert not re.search(r"(?:src|href|action)=[\"'](?:https?:)?//", answer.text), path
        assert not re.search(r" (?:style|on\w+)=", answer.text), path


async def test_what_is_critical_stands_first_with_its_words(browser: Browser, memory: Memory, someone: str) -> None:
    await told(memory, someone)
    await told(memory, someone, "I take aspirin.")
    page = await browser.see("/person", id=someone)
    assert page.index("Penicillin") < page.index("TAKES")
    assert html.escape(ALLERGY.split(",", maxsplit=1)[0]) in page
    assert "by patient" in page
    assert "IS_CONTRAINDICATED_WITH" in page.partition("Never recorded")[2]


async def test_both_sides_of_a_contradiction_stand_side_by_side(browser: Browser, memory: Memory, someone: str) -> None:
    await told(memory, someone)
    await told(memory, someone, "I am not allergic to penicillin.")
    page = await browser.see("/person", id=someone)
    sides = page.partition("Contradicted</h2>")[2].partition("</section>")[0]
    assert "Stands: active" in sides
    assert "Against: negated" in sides
    assert "not allergic to penicillin" in sides


async def test_a_page_as_of_a_day_before_anything_was_said_is_empty(
    browser: Browser, memory: Memory, someone: str
) -> None:
    await told(memory, someone)
    page = await browser.see("/person", id=someone, as_of="2001-01-01")
    assert "0 facts as known at 2001-01-01" in page
    assert "no proof of absence" in page
    wrong = await browser.http.get("/person", params={"id": someone, "as_of": "yesterday"})
    assert (wrong.status_code, "is not a time" in wrong.text) == (400, True)


async def test_words_never_become_markup_on_any_page(browser: Browser, memory: Memory, someone: str) -> None:
    name = ("<b>&\"' " + "M" * 190)[:190]
    fact = await told(memory, someone, f"{ALLERGY} {HOSTILE}", name=f"{name}{someone}"[:200])
    await memory.build_context("Recommend an antibiotic.", subject=someone, shown_to=HOSTILE)
    (receipt,) = await memory.receipts(subject=someone)
    paths = [f"{page}?id={someone}" for page in OF_ONE]
    for path in [*paths, f"/fact?id={fact}", f"/receipt?id={receipt.id}", "/", "/review", "/?q=%3Cscript%3Ealert(1)"]:
        page = await browser.see(path)
        assert "<script>alert" not in page, path
        assert "<img" not in page, path
        assert "<b>" not in page, path
        assert "49" not in re.findall(r"\{\{|7\*7|\b49\b(?=\[)", page), path
        assert "\u202e" not in page, path


async def test_an_id_with_slashes_and_quotes_has_its_pages(browser: Browser, memory: Memory, someone: str) -> None:
    odd = f"a/b?c='d\"&{someone}#%2F"
    await told(memory, odd)
    listed = await browser.see("/", q=someone)
    link = re.search(r'href="(/person\?id=[^"]+)"', listed)
    assert link is not None
    assert "Penicillin" in await browser.see(html.unescape(link[1]))


async def test_a_long_name_is_shown_short(browser: Browser, memory: Memory, someone: str) -> None:
    await told(memory, someone, name=f"{someone} {'Ab' * 80}")
    assert "Ab" * 60 not in await browser.see("/person", id=someone)


async def test_the_graph_has_the_same_connections_as_its_table(browser: Browser, memory: Memory, someone: str) -> None:
    await told(memory, someone)
    table = await browser.see("/graph", id=someone)
    drawn = (await browser.http.get("/graph.json", params={"id": someone})).json()
    edges = [item["data"] for item in drawn if "source" in item["data"]]
    assert table.count("<tr>") - 1 == len(edges)
    assert "HAS_ALLERGY_TO" in {edge["name"] for edge in edges}
    assert {edge["source"] for edge in edges} | {edge["target"] for edge in edges} <= {
        item["data"]["id"] for item in drawn
    }


async def test_what_if_shows_the_block_and_leaves_no_receipt(browser: Browser, memory: Memory, someone: str) -> None:
    await told(memory, someone)
    answer = await browser.send("/ask", query="Prescribe amoxicillin.", subject=someone)
    assert answer.status_code == 200
    assert "MED_ORDER" in answer.text
    assert "CRITICAL ALLERGY" in answer.text
    assert await memory.receipts(subject=someone) == ()


async def test_a_changed_table_says_what_it_would_open_before_it_is_saved(
    browser: Browser, memory: Memory, someone: str
) -> None:
    await told(memory, someone)
    form = await browser.see("/ask", id=someone)
    table = html.unescape(form.partition('name="table"')[2].partition(">")[2].partition("</textarea>")[0])
    row = "  ZORBLING:\n    description: To zorble.\n    keywords: [zorble]\n    edges: [TAKES]\n"
    changed = table.replace("  MED_ORDER:\n", f"{row}  MED_ORDER:\n", 1)
    assert changed != table
    answer = await browser.send("/ask", query="Please zorble now.", subject=someone, table=changed)
    assert (answer.status_code, "Action types, more: ZORBLING" in answer.text) == (200, True), answer.text
    again = await browser.send("/ask", query="Please zorble now.", subject=someone, table=table)
    assert "Under the changed table" not in again.text
    assert await memory.receipts(subject=someone) == ()


async def test_a_wrong_table_is_told_with_its_line_and_what_was_typed_stays(
    browser: Browser, memory: Memory, someone: str
) -> None:
    await told(memory, someone)
    wrong = "version: 1\nintents:\n  MED_ORDER:\n    description: Orders.\n    edges: [HAS_NOTHING]\n"
    answer = await browser.send("/ask", query="Prescribe amoxicillin.", subject=someone, table=wrong)
    assert (answer.status_code, "intents.yaml:5" in answer.text) == (200, True)
    assert "HAS_NOTHING" in answer.text.partition('<textarea id="table"')[2]
    assert "CRITICAL ALLERGY" in answer.text


async def test_a_receipt_shows_the_facts_as_they_stood_then(browser: Browser, memory: Memory, someone: str) -> None:
    fact = await told(memory, someone)
    await memory.build_context("Recommend an antibiotic.", subject=someone, shown_to="a client")
    assert "a client" in await browser.see("/receipts", id=someone)
    (receipt,) = await memory.receipts(subject=someone)
    page = await browser.see("/receipt", id=receipt.id)
    assert fact in page
    assert (await browser.http.get("/receipt", params={"id": "nothing"})).status_code == 400


async def test_an_audit_is_read_and_saved_as_csv(browser: Browser, memory: Memory, someone: str) -> None:
    await told(memory, someone)
    assert someone in await browser.see("/audit", name="severe_allergies")
    saved = await browser.http.get("/audit.csv", params={"name": "severe_allergies"})
    assert saved.headers["content-type"] == "text/csv; charset=utf-8"
    assert saved.text.startswith("space,")
    assert someone in saved.text
    assert (await browser.http.get("/audit", params={"name": "../x"})).status_code == 400


async def test_health_names_the_store_and_finds_all_whole(browser: Browser, memory: Memory, someone: str) -> None:
    await told(memory, someone)
    page = await browser.see("/health")
    assert "answered in" in page
    assert "every state is whole" in await browser.see("/health", verify="1")


async def test_nobody_of_that_name_is_said_with_what_to_do(browser: Browser) -> None:
    answer = await browser.http.get("/person", params={"id": "nobody-at-all"})
    assert answer.status_code == 400
    assert "nobody-at-all" in answer.text


async def test_a_request_for_another_host_is_refused(browser: Browser) -> None:
    answer = await browser.http.get("/", headers={"host": "memory.evil.example"})
    assert answer.status_code == 421


async def test_a_form_of_another_site_is_refused(browser: Browser, memory: Memory, someone: str) -> None:
    fact = await told(memory, someone)
    for origin in ("http://evil.example", "http://127.0.0.1:9999", "null", ""):
        answer = await browser.send("/decide", origin=origin, kind="fact", id=fact, key="g", reason="gone", sure="1")
        assert answer.status_code == 403, origin
    for sign in ("", "0" * 64):
        answer = await browser.send("/decide", sign=sign, kind="fact", id=fact, key="g", reason="gone", sure="1")
        assert answer.status_code == 403, sign
    assert len(await memory.history(fact)) == 1
    assert (await browser.http.get("/", headers={"origin": HOST})).status_code == 200
