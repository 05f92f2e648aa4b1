"""What is told to whoever watches: the conventions' names, numbers, and no words of people."""

from collections.abc import Iterator

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from r_memory.gates.telemetry import operation


@pytest.fixture
def exported(monkeypatch: pytest.MonkeyPatch) -> Iterator[InMemorySpanExporter]:
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    monkeypatch.setattr(trace, "get_tracer", provider.get_tracer)
    yield exporter
    provider.shutdown()


def test_a_search_is_told_by_the_conventions_names_and_numbers(exported: InMemorySpanExporter) -> None:
    with operation("search_memory", "practice") as counted:
        counted(3)
    [told] = exported.get_finished_spans()
    assert told.name == "search_memory"
    assert dict(told.attributes or {}) == {
        "gen_ai.operation.name": "search_memory",
        "gen_ai.memory.store.id": "practice",
        "gen_ai.memory.record.count": 3,
    }


def test_what_goes_wrong_is_told_by_its_kind_and_never_by_its_words(exported: InMemorySpanExporter) -> None:
    with pytest.raises(ValueError, match="penicillin"), operation("update_memory", "practice"):
        raise ValueError("I am allergic to penicillin")
    [told] = exported.get_finished_spans()
    assert (told.attributes or {})["error.type"] == "ValueError"
    assert "penicillin" not in told.to_json()
