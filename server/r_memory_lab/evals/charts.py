"""Suite `charts`: synthetic patients as FHIR R4, imported, kept, exported, and read back.

A file of JSON lines has one patient a line: `allergies`, `conditions`, `medications`, each with code and text. An entry
is right where it has the status that its line states, as it is read and as it is kept; a fact comes back where the
export, read by the importer's table, gives the same fact with the same status, date and attributes.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence

from pydantic import JsonValue

from r_memory.config.files import Files
from r_memory.domain.facts import Entity, Fact, Status
from r_memory.domain.folding import joined
from r_memory.domain.instants import UNDATED
from r_memory.memory import Memory
from r_memory.records.exporting import OutTable, bundle, load_out_table
from r_memory.records.fhir import read, unbundled
from r_memory.records.importing import Report, store
from r_memory.records.mapping import RecordForm, load_mapping
from r_memory.records.trees import Tree
from r_memory_lab.evals.dialogues import each
from r_memory_lab.evals.measures import Figure, share
from r_memory_lab.evals.outcomes import CaseOutcome
from r_memory_lab.evals.rows import DataRow, reads


class Coded(DataRow):
    """One entry of a chart."""

    id: str = ""
    code: str
    text: str
    start: str = ""
    stop: str | None = None
    active: bool = True

    @property
    def holds(self) -> bool:
        """Whether it holds today."""
        return self.active and not self.stop


class Chart(DataRow):
    """One patient."""

    name: str
    birth: str
    allergies: tuple[Coded, ...]
    conditions: tuple[Coded, ...]
    medications: tuple[Coded, ...]

    def resources(self) -> Iterator[tuple[Tree, bool]]:
        """Yields every entry as a FHIR R4 resource, with whether it holds."""
        person = {"reference": f"Patient/{self.id}"}
        for number, item in enumerate(self.allergies):
            onset = {"onsetDateTime": item.start} if item.start else {}
            allergy = {"resourceType": "AllergyIntolerance", "patient": person, "code": _concept(item, _SNOMED)}
            clinical = _coding("active" if item.holds else "resolved")
            yield {**allergy, "id": f"a{number}", "clinicalStatus": clinical, **onset}, item.holds
        for number, item in enumerate(self.conditions):
            condition = {"resourceType": "Condition", "subject": person, "code": _concept(item, _SNOMED)}
            shown = {"clinicalStatus": _coding("active"), "onsetDateTime": item.start}
            yield {**condition, "id": f"c{number}", **shown}, item.holds
        for number, medication in enumerate(self.medications):
            taken = {"resourceType": "MedicationStatement", "subject": person, "id": f"m{number}"}
            status = "active" if medication.holds else "completed"
            yield (
                {**taken, "medicationCodeableConcept": _concept(medication, _RXNORM), "status": status},
                medication.holds,
            )


class ChartFate(DataRow):
    """What became of one chart."""

    refused: tuple[str, ...]
    misread: tuple[str, ...]
    """Entries that were read with another status."""
    facts: int
    miskept: int
    """Number of facts with another status than their entries give."""
    lost: tuple[str, ...]
    """Relations of facts that changed in export and import."""


_SNOMED, _RXNORM = "http://snomed.info/sct", "http://www.nlm.nih.gov/research/umls/rxnorm"
rows = reads("patients.jsonl", Chart)


def _concept(one: Coded, system: str) -> dict[str, JsonValue]:
    return {"coding": [{"system": system, "code": one.code, "display": one.text}], "text": one.text}


def _coding(code: str) -> dict[str, JsonValue]:
    return {"coding": [{"code": code}]}


async def run(memory: Memory, charts: Sequence[Chart], done: Callable[[], None]) -> tuple[ChartFate, ...]:
    """Imports each chart into the memory, and reads back its export."""
    files = Files()
    form, out = load_mapping(files, "fhir", memory.schema), load_out_table(files, memory.schema)

    async def one(chart: Chart) -> ChartFate:
        return await _of_chart(memory, chart, form, out)

    return await each(charts, one, done)


async def _of_chart(memory: Memory, chart: Chart, form: RecordForm, out: OutTable) -> ChartFate:
    about = await memory.facts.subjects.resolve_or_declare(chart.id, f"{chart.name} {chart.id}")
    holds = {f"{resource['resourceType']}/{resource['id']}": held for resource, held in chart.resources()}
    report = await _stored(memory, about, [resource for resource, _ in chart.resources()], form)
    wanted = {id_: _wanted(held) for id_, held in holds.items()}
    misread = [item.entry.id for item in report.stored if item.entry.proposals[0].status is not wanted[item.entry.id]]
    page = await memory.list_facts(subject=about, statuses=list(Status))
    should = _statuses(report, wanted)
    written = bundle(about, page.facts, out, now=memory.facts.clock.now())
    back = await _stored(memory, about, list(unbundled([written.resource])), form, dry_run=True)
    came = {fact.fact_id: fact for fact in joined(fact for item in back.stored for fact in item.remembered.facts)}
    return ChartFate(
        id=chart.id,
        refused=tuple(item.reason for item in report.refused),
        misread=tuple(misread),
        facts=len(page.facts),
        miskept=sum(fact.status is not should.get(fact.fact_id) for fact in page.facts),
        lost=tuple(fact.relation for fact in page.facts if not _same(fact, came.get(fact.fact_id))),
    )


async def _stored(
    memory: Memory, about: Entity, resources: Sequence[Tree], form: RecordForm, *, dry_run: bool = False
) -> Report:
    reading = read(resources, form, memory.schema, memory.facts.reader.linker)
    return await store(memory.facts, about, reading, source="chart", undated=UNDATED, dry_run=dry_run)


def _wanted(held: bool) -> Status:
    return Status.ACTIVE if held else Status.RESOLVED


def _statuses(report: Report, wanted: Mapping[str, Status]) -> Mapping[str, Status]:
    """Returns the status that a fact's entries give together: it holds if one of them holds."""
    found: dict[str, Status] = {}
    for item in report.stored:
        for fact in item.remembered.facts:
            known = found.get(fact.fact_id)
            found[fact.fact_id] = Status.ACTIVE if known is Status.ACTIVE else wanted[item.entry.id]
    return found


def _same(fact: Fact, other: Fact | None) -> bool:
    kept = (fact.status, fact.said_at, dict(fact.attrs))
    return other is not None and kept == (other.status, other.said_at, dict(other.attrs))


def outcome(charts: Sequence[Chart], kept: Sequence[ChartFate]) -> CaseOutcome:
    """Returns entries with the right status, facts that came back, and reasons of refusals."""
    entries = sum(len((*chart.allergies, *chart.conditions, *chart.medications)) for chart in charts)
    facts = sum(fate.facts for fate in kept)
    refused = Counter(reason for fate in kept for reason in fate.refused)
    imported = entries - refused.total()
    lost = Counter(relation for fate in kept for relation in fate.lost)
    figures: list[Figure] = [
        share("entries imported", imported, entries),
        share("entries read with another status", sum(len(fate.misread) for fate in kept), imported, aim="0"),
        share("facts kept with another status", sum(fate.miskept for fate in kept), facts, aim="0"),
        share("facts that came back the same", facts - lost.total(), facts, aim="1"),
    ]
    return CaseOutcome(
        figures=tuple(figures),
        details={
            "charts with an entry of another status": [fate.id for fate in kept if fate.misread or fate.miskept],
            "charts with a fact that did not come back": [fate.id for fate in kept if fate.lost],
        },
        notes=tuple(f"refused: {number} ({reason})" for reason, number in refused.most_common(10))
        + tuple(f"did not come back: {number} {relation}" for relation, number in lost.most_common(10)),
    )
