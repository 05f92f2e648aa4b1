"""What a call brings of the record: read by the importer's table, held beside the memory, and stored nowhere."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from r_memory.cds.models import CdsForm
from r_memory.domain.facts import Entity, Fact
from r_memory.domain.folding import joined
from r_memory.domain.instants import UNDATED
from r_memory.errors import InvalidInput, RMemoryError
from r_memory.memory import Memory
from r_memory.records.fhir import read, unbundled
from r_memory.records.importing import store
from r_memory.records.mapping import RecordForm
from r_memory.records.trees import Tree, at, words
from r_memory.records.values import FileReading

CHART, DRAFT = "the chart", "a draft order"
"""Who says what came with a call; nothing of it is in the memory."""
_OUTCOME = "OperationOutcome"


class CouldNotLook(RMemoryError):
    """Something needed for the answer could not be read; an answer without it would reassure wrongly."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedChart:
    """The record's facts about the patient."""

    facts: tuple[Fact, ...]
    compared: frozenset[str]
    """Relations that the chart covers."""
    missing: tuple[str, ...] = ()
    """Parts that were not sent, or not completely, as text."""
    unread: tuple[str, ...] = ()
    """Entries that could not be read, as text."""
    needs_more: bool = False
    """Whether a required part is missing, so that nothing counts as compared."""


def patient_ids(prefetch: Mapping[str, object], patient_id: str, records: RecordForm) -> tuple[str, ...]:
    """Returns the ids of the patient: the context's first, then those of the chart's own entry.

    Raises:
        CouldNotLook: the entry is another patient's.
    """
    ids = [patient_id]
    for resource in unbundled(prefetch.values()):
        if resource.get(records.type) == records.person:
            if words(resource.get("id"))[:1] != [patient_id]:
                raise CouldNotLook("the prefetch holds another person than the context names; nothing was compared")
            ids += (word for path in records.known_as for word in words(at(path, resource, resource)))
    return tuple(dict.fromkeys(ids))


async def chart_of(
    memory: Memory,
    about: Entity,
    patient_id: str,
    prefetch: Mapping[str, object],
    form: CdsForm,
    records: RecordForm,
) -> RecordedChart:
    """Returns what the prefetch says about the patient.

    Raises:
        CouldNotLook: some of it is about another patient.
    """
    whole = [key for key, template in form.prefetch.items() if not template.startswith(f"{records.person}/")]
    missing = {key: why for key in whole if (why := _missing(key, prefetch))}
    missing |= {key: why for key in prefetch if key not in missing and (why := _missing(key, prefetch))}
    resources = [tree for tree in unbundled(prefetch.values()) if tree.get(records.type) != _OUTCOME]
    schema, linker = memory.schema, memory.facts.reader.linker
    try:
        reading = read(resources, records, schema, linker)
    except (RecursionError, TypeError, AttributeError) as error:
        raise CouldNotLook(f"the prefetch is no FHIR R4 ({type(error).__name__}); nothing was compared") from error
    if strangers := {entry.about for entry in reading.entries} - {patient_id, ""}:
        raise CouldNotLook(f"the prefetch holds entries of {len(strangers)} other people; nothing was compared")
    report = await store(memory.facts, about, reading, source=CHART, undated=UNDATED, dry_run=True)
    kinds = {form.prefetch[key].partition("?")[0] for key in form.prefetch if key not in missing}
    cases = [case for kind in kinds for case in records.resources.get(kind, ())]
    states = {case.relation for case in cases} | {
        relation for case in cases for codes in case.relations.values() for relation in codes.values()
    }
    return RecordedChart(
        facts=joined(fact for item in report.stored for fact in item.remembered.facts),
        compared=frozenset(states),
        missing=tuple(missing.values()),
        needs_more=any(key in missing for key in form.needed),
        unread=tuple(_unread(reading, form, {item.entry.id for item in report.stored if item.verdict == "waits"})),
    )


def _missing(key: str, prefetch: Mapping[str, object]) -> str:
    """Returns why a part of the record is incomplete; empty if it is complete, or declared empty."""
    if key not in prefetch:
        return f"{key} were not sent"
    value = prefetch[key]
    if value is None:
        return ""
    if not isinstance(value, Mapping) or not isinstance(value.get("resourceType"), str):
        return f"{key} are no FHIR resource"
    links = at("link.relation", value, value)
    if "next" in links:
        return f"{key} were not sent whole: there are further pages"
    failed = any(resource.get("resourceType") == _OUTCOME and _is_failure(resource) for resource in unbundled([value]))
    return f"{key} could not be read by the client" if failed else ""


def _is_failure(outcome: Tree) -> bool:
    return any(code in {"fatal", "error"} for code in at("issue.severity", outcome, outcome))


def _unread(reading: FileReading, form: CdsForm, waiting: set[str]) -> Iterator[str]:
    """Yields entries of a required kind that could not be read."""
    needed = tuple(f"{form.prefetch[key].partition('?')[0]}/" for key in form.needed)
    yield from (f"{item.id}: {item.reason}" for item in reading.refused if item.id.startswith(needed))
    yield from (f"{id_}: it is not understood" for id_ in sorted(waiting))


def orders_of(
    entries: Sequence[Mapping[str, object]], patient_id: str, form: CdsForm, records: RecordForm
) -> tuple[Tree, ...]:
    """Returns the draft orders that are to be carried out.

    Raises:
        InvalidInput: an order is about another patient.
    """
    found = tuple(unbundled([{"resourceType": "Bundle", "entry": [*entries]}]))
    for resource in found:
        for path in records.about:
            for reference in words(at(f"{path}.reference", resource, resource)):
                if reference.rpartition("/")[2] != patient_id:
                    raise InvalidInput("a draft order is for another person than the context names")
    return tuple(
        tree for tree in found if True not in [value for path in form.not_ordered for value in at(path, tree, tree)]
    )


def reference_of(resource: Tree) -> str:
    """Returns the reference by which a context names a draft order."""
    return "/".join(word for key in ("resourceType", "id") for word in words(resource.get(key))[:1])


async def ordered(memory: Memory, about: Entity, order: Tree, records: RecordForm) -> tuple[Fact, ...]:
    """Returns the facts that a signed draft order would state, as far as the importer's table reads its kind."""
    reading = read([{**order, "status": "active"}], records, memory.schema, memory.facts.reader.linker)
    report = await store(memory.facts, about, reading, source=DRAFT, undated=UNDATED, dry_run=True)
    return tuple(fact for item in report.stored for fact in item.remembered.facts)
