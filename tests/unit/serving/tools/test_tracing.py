"""M-49: what an exporter of spans gets: methods, tools and kinds of errors, and nobody's words."""

import json

import pytest
from mcp import MCPError
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind

from r_memory.errors import StoreUnavailable
from r_memory.serving.tools import strict
from tests.unit.serving.tools.practice import ALLERGIC, Era, Practice, called, client_of, refused

pytestmark = [pytest.mark.anyio, pytest.mark.proves("M-49")]
CANARY = "zyxCANARYxyz"
WHO = {"subject": f"id-{CANARY}", "subject_name": f"Ann {CANARY}"}


@pytest.fixture
def exporter(monkeypatch: pytest.MonkeyPatch) -> InMemorySpanExporter:
    """Gets every span of this process: ours, and the SDK's own if it made any."""
    kept = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(kept))
    monkeypatch.setattr(strict, "get_tracer_provider", lambda: provider)
    monkeypatch.setattr("mcp.shared._otel._tracer", provider.get_tracer("mcp-python-sdk"))
    return kept


def served(exporter: InMemorySpanExporter) -> list[ReadableSpan]:
    """Spans of the server; the client of the tests makes spans of its own."""
    return [span for span in exporter.get_finished_spans() if span.kind is SpanKind.SERVER]


async def test_a_call_makes_one_span_with_its_tool(
    practice: Practice, era: Era, exporter: InMemorySpanExporter
) -> None:
    async with client_of(practice, era) as client:
        exporter.clear()
        await called(client, "memory_describe")
    [span] = [span for span in served(exporter) if span.name.startswith("tools/call")]
    assert span.name == "tools/call memory_describe"
    assert dict(span.attributes or {})["gen_ai.tool.name"] == "memory_describe"
    assert span.status.is_ok


async def test_nobodys_words_are_in_any_span(practice: Practice, era: Era, exporter: InMemorySpanExporter) -> None:
    async with client_of(practice, era) as client:
        await called(client, "memory_remember", text=f"{ALLERGIC} {CANARY}", speaker=CANARY, **WHO)
        await refused(client, "memory_build_context", query=CANARY, subject=f"near {CANARY}")
        await refused(client, "memory_list_facts", subject=WHO["subject"], cursor=CANARY)
        await refused(client, "memory_list_facts", **{CANARY: CANARY})
        for failing in (
            client.call_tool(f"memory_{CANARY}", {}),
            client.get_prompt(CANARY, {}),
            client.read_resource(f"rmemory://subject/{CANARY}/context"),
            client.read_resource(f"rmemory://{CANARY}"),
        ):
            with pytest.raises(MCPError):
                await failing
        await client.get_prompt("safety_briefing", {"subject": CANARY})
    spans = [span.to_json() for span in served(exporter)]
    assert spans
    assert [span for span in spans if CANARY in span] == []
    assert "tools/call other" in {json.loads(span)["name"] for span in spans}


async def test_a_crash_leaves_its_kind_and_no_text(
    practice: Practice, era: Era, exporter: InMemorySpanExporter, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def crash(*_: object, **__: object) -> None:
        raise RuntimeError(f"bolt://user:{CANARY}@host")

    async with client_of(practice, era) as client:
        await called(client, "memory_remember", text="Hello.", subject="P1", subject_name="Ann Lee")
        monkeypatch.setattr(practice.store, "subjects", crash)
        await refused(client, "memory_build_context", query="Hello.", subject="P1")
        with pytest.raises(MCPError):
            await client.read_resource("rmemory://subject/P1/context")
        with pytest.raises(MCPError):
            await client.get_prompt("safety_briefing", {"subject": "P1"})
    failed = [span for span in served(exporter) if not span.status.is_ok]
    assert len(failed) >= 3
    assert [span.to_json() for span in failed if CANARY in span.to_json() or span.status.description] == []


async def test_an_address_with_a_password_is_in_no_span(era: Era, exporter: InMemorySpanExporter) -> None:
    practice = Practice(fails=StoreUnavailable("bolt://neo4j:secret@db:7687 does not answer"))
    async with client_of(practice, era) as client:
        with pytest.raises(MCPError):
            await client.read_resource("rmemory://subject/P1/context")
    assert [span.to_json() for span in served(exporter) if "secret" in span.to_json()] == []
