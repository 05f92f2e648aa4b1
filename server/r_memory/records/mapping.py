"""The tables by which records are read (`schema/records/*.yaml`), and what they make of one resource.

Knows fields, codes and statuses as the tables name them; no domain is written here.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from typing import Literal

from pydantic import Field

from r_memory.config.files import Files
from r_memory.config.names import KnownNames, Listed, RelationName
from r_memory.config.yaml_lines import FileModel, load, parsed
from r_memory.domain.facts import SCOPE_TYPE, Attribute, Proposal, Route, Status
from r_memory.domain.instants import Instant
from r_memory.domain.schema import Schema
from r_memory.protocols import Linker
from r_memory.records.trees import Tree, at, codes, told, words
from r_memory.records.values import FileEntry, Refused

EXTRACTOR = "record/1"
RELATION, STATUS, ATTRIBUTE, SCOPE = (f"urn:r-memory:{name}" for name in ("relation", "status", "attribute:", "scope:"))
"""Systems and addresses by which our own export names what a format has no field for."""
_LONGEST = 7_000
"""Most characters of an entry's words."""
_SHORT_NAME = 200
NAMELESS = "it names nothing: neither a name nor a code"
Is = Literal["active", "unconfirmed", "negated", "refuted", "resolved", "entered_in_error"]
Conditions = dict[str, Listed[str]]


class StatusRow(FileModel):
    """A row of the status table."""

    if_: Conditions = Field(alias="if", description="Field to the codes that fit; an empty one: it is not there.")
    is_: Is | None = Field(default=None, alias="is", description="What becomes of the fact.")
    skip: str = Field(default="", description="Why nothing is imported.")


class CaseForm(FileModel):
    """How one kind of resource is read."""

    if_: Conditions = Field(default={}, alias="if", description="When this case is meant.")
    each: str = Field(default="", description="The field whose items are read one by one.")
    parts: str = Field(default="", description="The field whose items are read as well as the whole.")
    relation: RelationName
    relations: dict[str, dict[str, RelationName]] = Field(default={}, description="Field to code to another relation.")
    object: Listed[str] = Field(default=(), description="Fields that name the thing, the first that says something.")
    object_is: str = Field(default="", description="The thing, where no field names it.")
    known: bool = Field(default=False, description="Only things that the lexicon knows.")
    needs: Listed[str] = Field(default=(), description="Fields without which nothing is said.")
    status: Listed[StatusRow] = Field(description="The status table: the first row that fits.")
    attrs: dict[str, Listed[str]] = Field(default={}, description="Attribute to the fields that give it.")
    grades: dict[str, str] = Field(default={}, description="Words for grades of the schema.")
    said: Listed[str] = Field(default=(), description="Fields that say when it was recorded.")


class WordsForm(FileModel):
    """Words around a name that say under which relation it stands."""

    begins: Listed[str] = ()
    ends: Listed[str] = ()
    relation: RelationName


class SourceForm(FileModel):
    """The kind of resource that says where others come from."""

    kind: str
    of: Listed[str] = Field(description="Fields that name the others.")
    words: Listed[str] = Field(description="Fields of what was said.")
    who: Listed[str] = Field(description="Fields of who said it.")
    said: Listed[str] = Field(description="Fields of when it was said.")


class RecordForm(FileModel):
    """`schema/records/NAME.yaml`."""

    version: Literal[1]
    type: str = Field(
        default="", description="Field that names the kind of a resource, or the name of a document's root."
    )
    person: str = Field(default="", description="The kind that says who the file is about.")
    about: Listed[str] = Field(default=(), description="Fields that say whom a resource is about.")
    known_as: Listed[str] = Field(default=(), description="Ids and numbers of the person.")
    named: Listed[str] = Field(default=(), description="Fields of the person's name.")
    born: Listed[str] = ()
    source: SourceForm | None = None
    systems: dict[str, str] = Field(default={}, description="Code systems as people call them.")
    none: dict[str, str] = Field(default={}, description="Codes of 'none known' to a scope or a thing.")
    nothing: Listed[str] = Field(default=(), description="Codes that say nothing.")
    kinds: dict[str, str] = Field(default={}, description="Codes of a kind of things to its scope, where it is denied.")
    sections: dict[str, str] = Field(default={}, description="Codes of sections to the kind of their entries.")
    things: dict[str, str] = Field(default={}, description="Codes to things of the schema, before any name.")
    words: Listed[WordsForm] = ()
    marks: Listed[str] = Field(default=(), description="Marks of a kind that stand in brackets behind coded names.")
    resources: dict[str, Listed[CaseForm]]


def load_mapping(files: Files, name: str, schema: Schema) -> RecordForm:
    """Returns the table of one format.

    Raises:
        ConfigurationError: the table is wrong; with file and line.
    """
    document = load(files.read(f"schema/records/{name}.yaml"))
    known = {"relation": KnownNames(kind="relation", names=schema.relations, where=f"schema/{schema.name}.yaml")}
    return parsed(document, RecordForm, known)


class Skipped(Exception):
    """The resource gives no fact; the message says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mapper:
    """Reads resources by one table, under one schema."""

    form: RecordForm
    schema: Schema
    linker: Linker
    looked_up: Mapping[str, Tree]
    """Resources of the same file, by reference."""

    def read(self, kind: str, resource: Tree, id_: str) -> tuple[tuple[FileEntry, ...], tuple[Refused, ...]]:
        """Returns the entries of a resource, or why it is not imported."""
        cases = self.form.resources.get(kind)
        if cases is None:
            return (), (Refused(id=id_, reason=f"{kind or 'an entry without a kind'} is not read"),)
        codes_at = _codes_at(resource, resource)
        case = next((case for case in cases if _fits(case.if_, codes_at)), None)
        if case is None:
            return (), (Refused(id=id_, reason="it is of a kind that no table row reads"),)
        items = at(case.each, resource, resource) if case.each else [resource]
        if not items:
            return (), (Refused(id=id_, reason=f"it has no {case.each}"),)
        named = [(f"{id_}#{number}" if len(items) > 1 else id_, item) for number, item in enumerate(items, start=1)]
        parts = at(case.parts, resource, resource) if case.parts else []
        named += ((f"{id_}#{number}", part) for number, part in enumerate(parts, start=1))
        if parts and not self._needed(case, resource, resource):
            del named[0]  # a panel says nothing beside its parts
        entries, refused = [], []
        for name, item in named:
            try:
                entries.append(self._entry(kind, case, item, resource, name))
            except Skipped as why:
                refused.append(Refused(id=name, reason=str(why)))
        return tuple(entries), tuple(refused)

    def names(self, paths: Sequence[str], top: Tree) -> list[str]:
        """Returns the names in the fields of a resource, each once, references resolved."""
        values = (value for path in paths for value in self._resolved(at(path, top, top), top))
        return list(dict.fromkeys(word for value in values for word in words(value)))

    def _entry(self, kind: str, case: CaseForm, item: object, top: Tree, id_: str) -> FileEntry:
        status, note, shown = self._status(case, item, top)
        if not self._needed(case, item, top):
            raise Skipped(f"it has no {' and no '.join(case.needs)}")
        relation, name, status, scope = self._object(case, item, top, status)
        known = self._tagged(top) or self.linker.resolve(name, self.schema.relations[relation].objects)
        if case.known and not known:
            raise Skipped(f"'{name[:60]}' is none of the things that the schema keeps")
        headline = f"{kind}: {name}; {shown}" if shown else f"{kind}: {name}"
        whole = "\n".join((headline, *told(top)))
        text = whole if len(whole) <= _LONGEST else f"{whole[:_LONGEST]}…"
        proposal = Proposal(
            relation=relation,
            object=name,
            object_type=SCOPE_TYPE if scope else "",
            status=status,
            attrs=dict(self._attrs(case, relation, item, top)),
            evidence=" ".join(headline.split()),
            route=Route.RECORD,
            extractor=EXTRACTOR,
        )
        text = text.replace(headline, proposal.evidence, 1)
        return FileEntry(id=id_, text=text, proposals=(proposal,), said_at=date_in(case.said, item, top), note=note)

    def _needed(self, case: CaseForm, item: object, top: Tree) -> bool:
        return not case.needs or any(at(path, item, top) for path in case.needs)

    # status

    def _status(self, case: CaseForm, item: object, top: Tree) -> tuple[Status, str, str]:
        """Returns the status by the table, a remark on an odd status, and the deciding fields as words."""
        paths = dict.fromkeys(path for row in case.status for path in row.if_)
        codes_at = _codes_at(item, top)
        said = {path: (codes_at(path) or [])[:1] for path in paths}
        shown = "; ".join(
            f"{path.removeprefix('/').rpartition(':')[2]} {code[0]}"
            for path, code in said.items()
            if code and path != "meta.tag"
        )
        row = next((row for row in case.status if _fits(row.if_, codes_at)), None)
        if row is None:
            return Status.UNCONFIRMED, f"status not in the table ({shown or 'none given'}): unconfirmed", shown
        if row.skip:
            raise Skipped(row.skip)
        return Status(row.is_ or Status.UNCONFIRMED), "", shown

    # the thing

    def _object(self, case: CaseForm, item: object, top: Tree, status: Status) -> tuple[str, str, Status, bool]:
        relation = self._relation(case, item, top)
        if case.object_is:
            return relation, case.object_is, status, False
        values = [value for path in case.object for value in self._resolved(at(path, item, top), top)]
        if any(code in self.form.nothing for value in values for code in codes(value)):
            raise Skipped("it says that nothing is known, which is no absence")
        if (none := self._none(values, status, top)) is not None:
            return relation, none, Status.NEGATED, none in self.schema.scopes
        return *self._thing(values, relation, top), status, False

    def _none(self, values: Sequence[object], status: Status, top: Tree) -> str | None:
        """Returns the scope or thing that the values deny; `None` if they name something."""
        said = [code for value in values for code in codes(value)]
        ours = {f"{SCOPE}{scope}": scope for scope in self.schema.scopes} if self._tagged(top) else {}
        none = {**self.form.none, **ours}
        found = next((code for code in map(self._bare, said) if code in none), None)
        if found is not None:
            # Our own export says "negated"; other records confirm that there is none.
            if status is not (Status.NEGATED if found in ours else Status.ACTIVE):
                raise Skipped(f"it says 'none known', {status.value.replace('_', ' ')}; ask")
            return none[found]
        # Of the first field that names a thing or a kind.
        coded = next((kinds for value in values if (kinds := self._kinds(value)) or words(value)), [])
        scope = next(iter(coded), None)
        if scope is not None and status is not Status.NEGATED:
            raise Skipped("it names a kind of things, and no thing")
        return scope

    def _kinds(self, value: object) -> list[str]:
        return [self.form.kinds[code] for code in codes(value) if code in self.form.kinds]

    def _thing(self, values: Sequence[object], relation: str, top: Tree) -> tuple[str, str]:
        """Returns relation and name: the local name of a code, else the first word that the schema knows."""
        said = next((words(value) for value in values if words(value)), [])
        if self._tagged(top) and said:
            return relation, said[0]
        known = (self.form.things.get(code, "") for value in values for code in codes(value))
        if thing := next(filter(None, known), ""):
            return relation, thing
        if not said:
            return relation, self._by_code(values)
        names = [self._named(self._bare(word), relation) for word in said]
        return next((item for item in names if self._is_term(*item)), names[0])

    def _relation(self, case: CaseForm, item: object, top: Tree) -> str:
        relation = case.relation
        for path, by_code in case.relations.items():
            found = [code for value in at(path, item, top) for code in codes(value)]
            relation = next((by_code[code] for code in found if code in by_code), relation)
        return self._tagged(top) or relation

    def _tagged(self, top: Tree) -> str:
        """Returns the relation that our own export wrote into the resource; empty for other files."""
        if "meta" not in top:
            return ""
        tags = [
            item for item in at("meta.tag", top, top) if isinstance(item, Mapping) and item.get("system") == RELATION
        ]
        return next((str(tag.get("code")) for tag in tags if tag.get("code") in self.schema.relations), "")

    def _bare(self, word: str) -> str:
        """Returns a coded name without its kind in brackets: "Fish (substance)"."""
        name = " ".join(word.split())
        head, opened, tail = name.rpartition(" (")
        return head if opened and tail.endswith(")") and tail[:-1].casefold() in self.form.marks else name

    def _resolved(self, values: Sequence[object], top: Tree) -> Iterator[object]:
        """Yields the values, with references replaced by what they name."""
        for value in values:
            reference = value.get("reference") if isinstance(value, Mapping) else None
            if not isinstance(reference, str):
                yield value
                continue
            inner = {f"#{item.get('id')}": item for item in at("contained", top, top) if isinstance(item, Mapping)}
            named = inner.get(reference) or self.looked_up.get(reference)
            yield from ([named[key] for key in ("code", "type", "deviceName") if key in named] if named else [])
            if named and (mixed := [words(item)[0] for item in at("ingredient.item*", named, named) if words(item)]):
                yield {"text": " / ".join(map(self._bare, mixed))}
            yield value

    def _named(self, word: str, relation: str) -> tuple[str, str]:
        """Returns relation and name for words such as "X allergy"."""
        lowered = word.casefold()
        for row in self.form.words:
            begun = next((each for each in row.begins if lowered.startswith(each)), "")
            ended = next((each for each in row.ends if lowered.endswith(each)), "")
            name = word[len(begun) : len(word) - len(ended)].strip()
            if (begun or ended) and name and not self._is_term(relation, word):
                return row.relation, name
        return relation, word

    def _is_term(self, relation: str, word: str) -> bool:
        found = self.linker.resolve(word, self.schema.relations[relation].objects)
        return len(found) == 1 and not found[0].fuzzy

    def _by_code(self, values: Sequence[object]) -> str:
        """Returns a code as the name of a thing without a name, so that a risk is kept."""
        for value in values:
            for item in [*at("coding", value, value), value]:
                if isinstance(item, Mapping) and isinstance(item.get("code"), str):
                    system = str(item.get("system") or item.get("codeSystemName") or "")
                    return f"code {item['code']} of {self.form.systems.get(system, system) or 'no system'}"[
                        :_SHORT_NAME
                    ]
        raise Skipped(NAMELESS)

    # details

    def _attrs(self, case: CaseForm, relation: str, item: object, top: Tree) -> Iterator[tuple[str, Attribute]]:
        known = self.schema.relations[relation].attrs
        own = {name: (f"/extension:{ATTRIBUTE}{name}.value*",) for name in known} if "extension" in top else {}
        for name, paths in {
            **own,
            **{name: (*paths, *own.get(name, ())) for name, paths in case.attrs.items()},
        }.items():
            if name not in known:
                continue
            said = [self._said_in(path, item, top) for path in paths]
            if known[name] == "severity":  # the worst of all that is said
                said = [
                    [grade for found in said for word in found if (grade := case.grades.get(word.casefold(), word))]
                ]
            if first := next(filter(None, said), None):
                yield name, self._gravest(known[name], first)

    def _said_in(self, path: str, item: object, top: Tree) -> list[str]:
        return [word for value in self._resolved(at(path, item, top), top) for word in words(value)[:1]]

    def _gravest(self, kind: str, said: Sequence[str]) -> Attribute:
        """Returns the gravest of several grades, or of several terms by their grade in the lexicon."""
        grades = self.schema.severity
        if kind == "severity":
            return max(said, key=grades.rank)
        if kind == "year":
            return said[0][:4]
        types = self.schema.concrete(kind) if kind in self.schema.unions or kind in self.schema.lexicon.terms else ()

        def weight(word: str) -> int:
            for term in self.linker.resolve(word, types) if types else ():
                if (grade := self.schema.lexicon.value_of(term.type, "severity", term.name)) is not None:
                    return grades.rank(grade) + 1
            return 0

        return max(said, key=weight)


CodesAt = Callable[[str], Sequence[str] | None]
"""Gives the codes at a path; `None` if nothing stands there."""


def _codes_at(item: object, top: Tree) -> CodesAt:
    """Returns the codes of an item by path; each path is read once."""

    @cache
    def codes_at(path: str) -> Sequence[str] | None:
        values = [value for value in at(path, item, top) if value not in (None, {}, "")]
        return [code for value in values for code in codes(value)] if values else None

    return codes_at


def _fits(conditions: Conditions, codes_at: CodesAt) -> bool:
    return all(_meets(codes_at(path), wanted) for path, wanted in conditions.items())


def _meets(found: Sequence[str] | None, wanted: Sequence[str]) -> bool:
    if found is None:
        return "" in wanted and "*" not in wanted
    # A field that is there and cannot be read is no field that is missing.
    return "*" in wanted or any(code.casefold() in found for code in wanted)


def date_in(paths: Sequence[str], item: object, top: Tree) -> Instant | None:
    """Returns the first date in the fields; `None` if there is none."""
    said = (word for path in paths for value in at(path, item, top) for word in words(value)[:1])
    return next((found for word in said if (found := instant_of(word)) is not None), None)


def instant_of(text: str) -> Instant | None:
    """Returns the instant of a year, month, day or moment as records write it; `None` if it is no date.

    >>> instant_of("2004") == instant_of("2004-01-01T00:00:00Z") == instant_of("20040101")
    True
    """
    bare = text.strip()
    if bare.isdecimal() and len(bare) in {6, 8}:
        bare = "-".join(filter(None, (bare[:4], bare[4:6], bare[6:8])))
    padded = {4: f"{bare}-01-01", 7: f"{bare}-01"}.get(len(bare), bare)
    try:
        moment = datetime.fromisoformat(padded)
    except ValueError:
        return None
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return int(moment.timestamp() * 1000)
