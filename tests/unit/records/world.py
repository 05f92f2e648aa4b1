"""The shipped clinical reader, and what it makes of resources."""

import json
from functools import cache
from pathlib import Path
from typing import Any

from r_memory.config.files import Files
from r_memory.config.settings import Settings
from r_memory.reading.reader import Reader
from r_memory.records import fhir
from r_memory.records.mapping import RecordForm, load_mapping
from r_memory.records.values import FileReading
from r_memory.wiring.language import open_reader

EXAMPLES = Path(__file__).parent / "hl7_examples.ndjson"
"""HL7's published examples of R4 (package hl7.fhir.r4.examples 4.0.1, CC0), without their narratives."""


@cache
def form_and_reader() -> tuple[RecordForm, Reader]:
    reader = open_reader(Settings())
    return load_mapping(Files(), "fhir", reader.schema), reader


def read(*resources: dict[str, Any]) -> FileReading:
    """What the shipped table makes of the resources."""
    form, reader = form_and_reader()
    return fhir.read(resources, form, reader.schema, reader.linker)


def stated(reading: FileReading) -> dict[str, tuple[str, str, str]]:
    """Entry to relation, thing and status."""
    return {
        entry.id: (entry.proposals[0].relation, entry.proposals[0].object, str(entry.proposals[0].status))
        for entry in reading.entries
    }


def refused(reading: FileReading) -> dict[str, str]:
    return {item.id: item.reason for item in reading.refused}


def examples() -> tuple[dict[str, Any], ...]:
    return tuple(json.loads(line) for line in EXAMPLES.read_text(encoding="utf-8").splitlines())
