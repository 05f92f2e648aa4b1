"""What is remembered about a person, as FHIR R4, by the table `schema/records/fhir_out.yaml`.

Fills in forms; knows no domain. Every fact goes out: what the table has no form for as its last one.
"""

import re
import uuid
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from pydantic import Field, JsonValue

from r_memory.config.files import Files
from r_memory.config.names import KnownNames, Listed, RelationName
from r_memory.config.yaml_lines import FileModel, load, parsed
from r_memory.domain.facts import Attribute, Attributes, Entity, Fact, Status
from r_memory.domain.instants import Instant, iso
from r_memory.domain.schema import Schema
from r_memory.records.mapping import ATTRIBUTE, RELATION, SCOPE, STATUS

Values: TypeAlias = Mapping[str, JsonValue]
Filled: TypeAlias = tuple[JsonValue, frozenset[str]]
"""A filled form, `None` if empty, and the attributes that it contains."""
Row = Literal["active", "decided", "unconfirmed", "negated", "refuted", "resolved", "entered_in_error"]
_ROWS: Mapping[Status, Row] = {
    Status.ACTIVE: "active",
    Status.UNCONFIRMED: "unconfirmed",
    Status.NEGATED: "negated",
    Status.REFUTED: "refuted",
    Status.RESOLVED: "resolved",
    Status.ENTERED_IN_ERROR: "entered_in_error",
}
_NOTHING: Filled = (None, frozenset())
_DATE = re.compile(r"\d{4}(-\d{2}(-\d{2}(T[\d:.]+(Z|[+-][\d:]+))?)?)?")


class OutForm(FileModel):
    """A resource to be filled in."""

    relations: Listed[RelationName] = Field(default=(), description="Whose facts it takes; none: all.")
    scopes: dict[str, JsonValue] = Field(default={}, description="Scope to its code; such a form takes absences alone.")
    statuses: dict[Row, dict[str, str]] = Field(description="Statuses that it can say, and the codes of each.")
    fields: dict[str, JsonValue] = Field(description="The resource.")


class OutTable(FileModel):
    """`schema/records/fhir_out.yaml`."""

    version: Literal[1]
    forms: Listed[OutForm]
    person: dict[str, JsonValue] = Field(description="Whom it is about.")
    provenance: dict[str, JsonValue] = Field(description="Where the words of a fact stand.")


def load_out_table(files: Files, schema: Schema) -> OutTable:
    """Returns the export table.

    Raises:
        ConfigurationError: the table is wrong; with file and line.
    """
    known = {"relation": KnownNames(kind="relation", names=schema.relations, where=f"schema/{schema.name}.yaml")}
    return parsed(load(files.read("schema/records/fhir_out.yaml")), OutTable, known)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bundle:
    """The FHIR bundle of one person."""

    resource: dict[str, JsonValue]
    counts: Mapping[str, int]
    """Resource type to the number of its facts."""


def bundle(subject: Entity, facts: Iterable[Fact], table: OutTable, *, now: Instant) -> Bundle:
    """Returns the person and all facts as a FHIR bundle; each fact has the words it came from."""
    person = str(uuid.uuid5(uuid.NAMESPACE_URL, subject.uid))
    who, _ = _filled(table.person, {"id": subject.id, "name": subject.name}, {})
    entries: list[JsonValue] = [_entry(person, who if isinstance(who, dict) else {})]
    counts = Counter[str]()
    for fact in facts:
        filling = _Filling(fact=fact, person=f"urn:uuid:{person}")
        made = filling.resource(table)
        counts[str(made["resourceType"])] += 1
        entries.append(_entry(fact.fact_id, made))
        entries.append(_entry(str(uuid.uuid5(uuid.NAMESPACE_URL, fact.fact_id)), filling.provenance(table)))
    whole: dict[str, JsonValue] = {"resourceType": "Bundle", "type": "collection", "timestamp": iso(now)}
    return Bundle(resource={**whole, "entry": entries}, counts=counts)


def _entry(id_: str, resource: Mapping[str, JsonValue]) -> JsonValue:
    kind = {"resourceType": resource["resourceType"], "id": id_}
    return {"fullUrl": f"urn:uuid:{id_}", "resource": {**kind, **resource}}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Filling:
    """Fills forms with one fact."""

    fact: Fact
    person: str

    def resource(self, table: OutTable) -> dict[str, JsonValue]:
        """Returns the first form that can express the fact, filled."""
        for form in table.forms:
            row = form.statuses.get(self._row())
            if row is None or (form.relations and self.fact.relation not in form.relations):
                continue
            # A form with relations says something of one thing, or, with scopes, of their absence.
            if form.relations and self.fact.is_absence is not (self.fact.object.id in form.scopes):
                continue
            scope = form.scopes.get(self.fact.object.id) if self.fact.is_absence else None
            made, placed = _filled(form.fields, {**self._values(), "scope": scope, **row}, self.fact.attrs)
            if isinstance(made, dict):
                return {**made, **self._tagged(), **self._extended(made.get("extension"), placed)}
        raise LookupError("the last form takes everything")

    def provenance(self, table: OutTable) -> dict[str, JsonValue]:
        made, _ = _filled(table.provenance, self._values(), {})
        return made if isinstance(made, dict) else {}

    def _row(self) -> Row:
        if self.fact.status is Status.ACTIVE:
            return "unconfirmed" if self.fact.contradicted else "decided" if self.fact.changed_by else "active"
        return _ROWS[self.fact.status]

    def _values(self) -> Values:
        fact = self.fact
        told = "; ".join(f"{name}: {value}" for name, value in sorted(fact.attrs.items()))
        relation = fact.relation.replace("_", " ").lower()
        shown = f"{fact.status.value.replace('_', ' ')}: {relation} {fact.object.name}"
        return {
            "object": {"text": fact.object.name},
            "thing": fact.object.name,
            "thing_code": f"{SCOPE}{fact.object.id}" if fact.is_absence else "thing",
            "subject": {"reference": self.person},
            "said": iso(fact.said_at),
            "recorded": iso(fact.last_recorded_at),
            "sentence": f"{shown}; {told}" if told else shown,
            "words": fact.evidence,
            "speaker": fact.speaker,
            "decided_by": fact.changed_by or None,
            "decided_because": fact.changed_because or None,
            "relation": fact.relation,
            "status": fact.status.value,
            "target": f"urn:uuid:{fact.fact_id}",
        }

    def _tagged(self) -> dict[str, JsonValue]:
        codes: Sequence[tuple[str, str]] = ((RELATION, self.fact.relation), (STATUS, self.fact.status.value))
        return {"meta": {"tag": [{"system": system, "code": code} for system, code in codes]}}

    def _extended(self, own: JsonValue, placed: frozenset[str]) -> dict[str, JsonValue]:
        """Returns the form's extensions, with the attributes that have no field."""
        rest = [(name, value) for name, value in sorted(self.fact.attrs.items()) if name not in placed]
        more: list[JsonValue] = [{"url": f"{ATTRIBUTE}{name}", _typed(value): value} for name, value in rest]
        whole = [*(own if isinstance(own, list) else []), *more]
        return {"extension": whole} if whole else {}


def _filled(form: JsonValue, values: Values, attrs: Attributes) -> Filled:
    """Returns a form filled with these values and attributes."""
    if isinstance(form, str):
        return _placed(form, values, attrs)
    if isinstance(form, list):
        items = [found for item in form if (found := _filled(item, values, attrs))[0] is not None]
        return ([item for item, _ in items], _all(placed for _, placed in items)) if items else _NOTHING
    if not isinstance(form, dict):
        return form, frozenset()
    fields: dict[str, Filled] = {}
    for key, inner in form.items():
        found = _filled(inner, values, attrs)
        if found[0] is not None:
            fields[key.removesuffix("!")] = found
        elif key.endswith("!"):
            return _NOTHING
    if not fields:
        return _NOTHING
    return {key: value for key, (value, _) in fields.items()}, _all(placed for _, placed in fields.values())


def _placed(form: str, values: Values, attrs: Attributes) -> Filled:
    """Returns the value of a placeholder, by its kind and codes."""
    if not form.startswith(("$", "@")):
        return form, frozenset()
    name, *pairs = form[1:].split(" ")
    name, _, kind = name.partition(":")
    value = values.get(name) if form.startswith("$") else attrs.get(name)
    codes = dict(pair.split("~") for pair in pairs)
    if value is None or not _is_of(value, kind) or (codes and str(value) not in codes):
        return _NOTHING
    shown = codes[str(value)] if codes else value if kind in {"", "number"} else str(value)
    shown = str(shown) if form.startswith("@") and kind != "number" else shown
    return shown, frozenset([name] if form.startswith("@") else [])


def _all(placed: Iterator[frozenset[str]]) -> frozenset[str]:
    return frozenset().union(*placed)


def _is_of(value: object, kind: str) -> bool:
    is_date = _DATE.fullmatch(str(value)) is not None
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return {"date": is_date, "words": not is_date, "number": is_number}.get(kind, True)


def _typed(value: Attribute) -> str:
    if isinstance(value, bool):
        return "valueBoolean"
    return "valueDecimal" if isinstance(value, int | float) else "valueString"
