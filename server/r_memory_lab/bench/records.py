"""Part `records`: how many resources of a FHIR bundle are read and stored in a second.

A bundle is the file of one person: allergies, conditions, medicines and measurements, whose names are terms of the
lexicon. What is timed begins with the bytes of the file and ends when everything is stored. Processor time is that of
this process; the store's own process is only in the time that passed.
"""

import json
import random
import time
from collections.abc import Iterator, Sequence

from pydantic import JsonValue

from r_memory.config.files import Files
from r_memory.domain.instants import UNDATED
from r_memory.domain.schema import Schema
from r_memory.memory import Memory
from r_memory.records.fhir import read, resources_of
from r_memory.records.importing import store
from r_memory.records.mapping import RecordForm, load_mapping
from r_memory_lab.bench.parts import Begin
from r_memory_lab.evals.measures import at_percentile, count
from r_memory_lab.evals.outcomes import CaseOutcome

AIM = ">= 300"
PEOPLE = 7
RESOURCES = 1_000
"""In the bundle of each person."""
_WARM_UP = 2
_LOINC, _MEASURED = "2160-0", "creatinine"


async def records(
    memory: Memory,
    *,
    store_name: str,
    seed: int,
    begin: Begin,
    people: int = PEOPLE,
    resources: int = RESOURCES,
) -> CaseOutcome:
    """Measures reading and storing the bundles of people who are new to the store."""
    form = load_mapping(Files(), "fhir", memory.schema)
    chosen = random.Random(seed)
    passed: list[float] = []
    computed: list[float] = []
    refused = 0
    with begin(f"importing into {store_name}", _WARM_UP + people) as step:
        for number in range(_WARM_UP + people):
            data = _bundle(memory.schema, number, resources, chosen)
            began, busy = time.perf_counter(), time.process_time()
            refused += await _imported(memory, form, data, number)
            took, worked = time.perf_counter() - began, time.process_time() - busy
            if number >= _WARM_UP:
                passed.append(resources / took)
                computed.append(resources / worked)
            step()
    unit = "a second"
    figures = (
        at_percentile("resources of FHIR read and stored, median bundle", passed, 0.5, unit=unit, aim=AIM),
        at_percentile("of the processor time of this process, median bundle", computed, 0.5, unit=unit),
        count("resources refused", refused, (_WARM_UP + people) * resources, aim="0"),
    )
    return CaseOutcome(
        figures=(),
        groups={f"Records, {store_name}": figures},
        notes=(f"Each of {people} bundles has {resources:,} resources about one person, after {_WARM_UP} to warm up.",),
    )


async def _imported(memory: Memory, form: RecordForm, data: bytes, number: int) -> int:
    """Imports a file as `r-memory import fhir` does; returns the number of its resources that were not stored."""
    reading = read(resources_of(data, "bundle.json"), form, memory.schema, memory.facts.reader.linker)
    about = await memory.facts.subjects.resolve_or_declare(f"record-{number}", f"Record {number}")
    report = await store(memory.facts, about, reading, source="bundle.json", undated=UNDATED)
    return len(report.refused) + sum(item.verdict != "stored" for item in report.stored)


def _bundle(schema: Schema, number: int, resources: int, chosen: random.Random) -> bytes:
    made = _resources(schema, number, chosen)
    entries: Sequence[JsonValue] = [{"resource": next(made)} for _ in range(resources)]
    return json.dumps({"resourceType": "Bundle", "type": "collection", "entry": list(entries)}).encode()


def _resources(schema: Schema, number: int, chosen: random.Random) -> Iterator[dict[str, JsonValue]]:
    """Yields resources about one person in turn of four kinds, each of another thing or another day."""
    terms = schema.lexicon.terms
    drugs, conditions = sorted(terms["Drug"]), sorted(terms["Condition"])
    about: dict[str, JsonValue] = {"reference": f"Patient/record-{number}"}
    place = 0
    while True:
        place += 1
        day = f"20{10 + place % 15}-{1 + place % 12:02}-{1 + place % 28:02}"
        drug, condition = chosen.choice(drugs), chosen.choice(conditions)
        yield {
            "resourceType": "AllergyIntolerance",
            "id": f"a{place}",
            "patient": about,
            "code": {"text": drug},
            "clinicalStatus": {"coding": [{"code": "active" if place % 5 else "resolved"}]},
            "verificationStatus": {"coding": [{"code": "confirmed"}]},
            "recordedDate": day,
            "reaction": [{"manifestation": [{"text": "Hives"}], "severity": "moderate"}],
        }
        yield {
            "resourceType": "Condition",
            "id": f"c{place}",
            "subject": about,
            "code": {"text": condition},
            "clinicalStatus": {"coding": [{"code": "active" if place % 3 else "resolved"}]},
            "recordedDate": day,
        }
        yield {
            "resourceType": "MedicationStatement",
            "id": f"m{place}",
            "subject": about,
            "status": "active" if place % 2 else "completed",
            "medicationCodeableConcept": {"text": chosen.choice(drugs)},
            "dateAsserted": day,
        }
        yield {
            "resourceType": "Observation",
            "id": f"o{place}",
            "subject": about,
            "status": "final",
            "code": {"coding": [{"system": "http://loinc.org", "code": _LOINC}], "text": _MEASURED},
            "effectiveDateTime": day,
            "valueQuantity": {"value": 60 + place % 90, "unit": "umol/L"},
        }
