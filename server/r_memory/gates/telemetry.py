"""What gates tell whoever watches from outside, by OpenTelemetry's conventions for memory (`gen_ai.memory.*`).

Numbers and closed words only: no words of people, no ids of subjects. Without an SDK (extra `otel`) nothing is kept.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Literal

from opentelemetry import metrics, trace
from opentelemetry.trace import SpanKind

from r_memory.facts.remember.results import Remembered

_SCOPE = "r_memory.gates"
_METER = metrics.get_meter(_SCOPE)
_DECISIONS = _METER.create_counter("r_memory.gate.decisions", description="Decisions of gates.")
_READINGS = _METER.create_counter("r_memory.readings", description="What became of what was read, by whose reading.")
_WAITING = _METER.create_counter("r_memory.statements.waiting", description="Statements that wait for a person.")


@contextmanager
def operation(name: Literal["search_memory", "update_memory"], space: str) -> Iterator[Callable[[int], None]]:
    """Opens a span for one operation on the memory, and yields a function that takes the number of its records."""
    told = {"gen_ai.operation.name": name, "gen_ai.memory.store.id": space}
    tracer = trace.get_tracer(_SCOPE)
    with tracer.start_as_current_span(
        name, kind=SpanKind.INTERNAL, attributes=told, record_exception=False, set_status_on_exception=False
    ) as span:
        try:
            yield partial(span.set_attribute, "gen_ai.memory.record.count")
        except BaseException as error:  # also a cancelled call has its span; raised again
            span.set_attribute("error.type", type(error).__name__)
            raise


def told_of(gate: str, decision: str, outcome: str) -> None:
    """Counts one decision; `outcome` is the verdict, or the outcome of a block."""
    _DECISIONS.add(1, {"gate": gate, "decision": decision, "outcome": outcome})


def read_as(remembered: Remembered) -> None:
    """Counts the voices that read an utterance, and the statements that wait for review."""
    for taken in remembered.routes:
        _READINGS.add(1, {"voice": taken.route.value, "fate": "failed" if taken.failed else "read"})
    _WAITING.add(remembered.pending)
