"""Loads a knowledge pack, `schema/knowledge/<name>.yaml`, as a graph of concepts.

Knows groups, parts and rules with tier, rate and source; it knows no domain: relation names and types come from the
files. Every term of the lexicon is a concept, so that facts and pack meet on the same nodes.
"""

from collections.abc import Iterator, Mapping
from typing import Literal

from pydantic import Field

from r_memory.config.files import Files, digest
from r_memory.config.names import Endpoints, FileName, RelationName, TypeName, Word, Words, unknown_name
from r_memory.config.yaml_lines import Document, FileModel, Step, first_of, load, parsed
from r_memory.domain.facts import Entity, concept
from r_memory.domain.knowledge import Knowledge, Link
from r_memory.domain.schema import Schema
from r_memory.errors import ConfigurationError

Path = tuple[Step, ...]
Checked = Literal["seen", "recall"]


class SourceForm(FileModel):
    """Where a row comes from."""

    cite: Word = Field(description="Author and year, or the document; printed in the block.")
    doi: str = ""
    what: str = Field(default="", description="What kind of evidence it is.")
    read_as: str = Field(default="", description="Where it was read, if not in the original.")


class GroupForm(FileModel):
    """A group whose membership is a claim of a source, not common knowledge."""

    members: Words
    source: Word
    checked: Checked


class RuleForm(FileModel):
    """One claim about each `from` and each `to`."""

    from_: Endpoints = Field(alias="from")
    to: Endpoints
    tier: Literal["A", "B", "C"] = Field(description="A: undisputed stop. B: show. C: disputed or local.")
    rate: str = Field(default="", description="How often, with its interval.")
    condition: str = Field(default="", description="When it holds, in words; empty: always.")
    action: str = Field(default="", description="What the source says to do.")
    source: Word = Field(description="A key of `sources`.")
    checked: Checked = Field(description="seen: the cited text was read for this pack. recall: it was not.")


class NoteForm(FileModel):
    """Background for whoever reviews the pack; not part of the graph."""

    text: Word
    source: Word
    checked: Checked


class KnowledgeForm(FileModel):
    """`schema/knowledge/<name>.yaml`."""

    pack: FileName = Field(description="The name of this file without its ending.")
    sources: dict[str, SourceForm] = Field(default_factory=dict)
    concepts: dict[TypeName, Words] = Field(
        default_factory=dict, description="Names used below that the lexicon does not have, by type."
    )
    groups: dict[RelationName, dict[str, Words | GroupForm]] = Field(
        default_factory=dict, description="Relation to group to members: each member has the relation to the group."
    )
    parts: dict[RelationName, dict[str, Words]] = Field(
        default_factory=dict, description="Relation to whole to parts: the whole has the relation to each part."
    )
    rules: dict[RelationName, list[RuleForm]] = Field(default_factory=dict)
    notes: list[NoteForm] = Field(default_factory=list)


def load_knowledge(files: Files, schema: Schema) -> Knowledge:
    """The pack that the schema names; a schema without one has its lexicon's terms as concepts and no links.

    Raises:
        ConfigurationError: the file is missing or wrong; names file, line and remedy, `others` holds further mistakes.
    """
    terms = _terms(schema)
    if not schema.knowledge:
        return Knowledge(name=schema.name, version=digest([schema.version.encode()]), concepts=terms)
    document = load(files.read(f"schema/knowledge/{schema.knowledge}.yaml"))
    form = parsed(document, KnowledgeForm)
    if form.pack != schema.knowledge:
        raise document.error(f"must say '{schema.knowledge}', as the file is called", ("pack",))
    links = _Links(document, form, schema, terms)
    gathered = tuple(links.all())
    if links.errors:
        raise first_of(links.errors)
    version = digest([document.source.content, schema.version.encode()])
    return Knowledge(name=form.pack, version=version, concepts=links.concepts, links=gathered)


def _terms(schema: Schema) -> dict[str, Entity]:
    """Every term of the lexicon as a concept, by uid."""
    entities = (
        concept(type_, canonical, aliases=synonyms)
        for type_, terms in schema.lexicon.terms.items()
        for canonical, synonyms in terms.items()
    )
    return {entity.uid: entity for entity in entities}


class _Links:
    """Reads links and gathers what is wrong on the way."""

    def __init__(self, document: Document, form: KnowledgeForm, schema: Schema, terms: Mapping[str, Entity]) -> None:
        self._document = document
        self._form = form
        self._schema = schema
        self.errors: list[ConfigurationError] = []
        self.concepts: dict[str, Entity] = {**terms}
        self._declare()
        self._by_name: dict[str, list[Entity]] = {}
        for entity in self.concepts.values():
            self._by_name.setdefault(entity.id, []).append(entity)
        self._canonical = {synonym.casefold(): entity.id for entity in terms.values() for synonym in entity.aliases}

    def _declare(self) -> None:
        for type_, names in self._form.concepts.items():
            if type_ not in self._schema.types:
                self._fail(self._unknown_type(type_), ("concepts", type_))
            for name in names:
                entity = concept(type_, name)
                self.concepts.setdefault(entity.uid, entity)

    def all(self) -> Iterator[Link]:
        """Every link of the pack, each once, in the order of the file."""
        seen: dict[tuple[str, str, str, str], Path] = {}
        for path, link in (*self._groups(), *self._parts(), *self._rules()):
            key = (link.relation, link.start, link.end, link.condition)
            if key in seen:
                self._fail(f"said already in line {self._document.line(seen[key])}; keep one", path)
            seen.setdefault(key, path)
            yield link

    def _groups(self) -> Iterator[tuple[Path, Link]]:
        for relation, groups in self._form.groups.items():
            for group, form in groups.items():
                path = ("groups", relation, group)
                members = form.members if isinstance(form, GroupForm) else form
                where = (*path, "members") if isinstance(form, GroupForm) else path
                for end in self._found(group, path):
                    for index, member in enumerate(members):
                        yield from self._membership(relation, member, end, form, (*where, index))
            self._refuse_circles(relation, groups)

    def _membership(
        self, relation: str, member: str, end: str, form: Words | GroupForm, path: Path
    ) -> Iterator[tuple[Path, Link]]:
        """Plain classification cites nothing and counts as reviewed; a group with a source says whether it was."""
        source = self._source(form.source, path[:-2]) if isinstance(form, GroupForm) else ""
        reviewed = form.checked == "seen" if isinstance(form, GroupForm) else True
        for start in self._found(member, path):
            yield path, Link(relation=relation, start=start, end=end, source=source, reviewed=reviewed)

    def _refuse_circles(self, relation: str, groups: Mapping[str, Words | GroupForm]) -> None:
        members = {group: set(form.members if isinstance(form, GroupForm) else form) for group, form in groups.items()}
        for group, own in members.items():
            reached: set[str] = set()
            waiting = [*own]
            while waiting:
                member = waiting.pop()
                if member not in reached:
                    reached.add(member)
                    waiting.extend(members.get(member, ()))
            if group in reached:
                self._fail("this group contains itself; remove the circle", ("groups", relation, group))

    def _parts(self) -> Iterator[tuple[Path, Link]]:
        for relation, wholes in self._form.parts.items():
            for whole, parts in wholes.items():
                path = ("parts", relation, whole)
                for start in self._found(whole, path):
                    for index, part in enumerate(parts):
                        for end in self._found(part, (*path, index)):
                            yield (*path, index), Link(relation=relation, start=start, end=end, reviewed=True)

    def _rules(self) -> Iterator[tuple[Path, Link]]:
        for relation, rules in self._form.rules.items():
            for index, form in enumerate(rules):
                path = ("rules", relation, index)
                source = self._source(form.source, path)
                ends = self._ends(form.to, (*path, "to"))
                for start in self._ends(form.from_, (*path, "from")):
                    for end in ends:
                        yield path, _link(relation, start, end, form, source)

    def _ends(self, endpoints: Endpoints, path: Path) -> tuple[str, ...]:
        return tuple(uid for index, name in enumerate(endpoints) for uid in self._found(name, (*path, index)))

    def _found(self, name: str | Mapping[str, str], path: Path) -> tuple[str, ...]:
        """The uid of the concept, or nothing and an error noted."""
        if not isinstance(name, str):
            return self._typed(name, path)
        entities = self._by_name.get(name.casefold(), [])
        if len(entities) == 1:
            return (entities[0].uid,)
        if entities:
            types = " and a ".join(entity.type for entity in entities)
            self._fail(f"'{name}' is a {types}; write {{{entities[0].type}: {name}}} or the other", path)
        elif name.casefold() in self._canonical:
            self._fail(f"'{name}' is another word for '{self._canonical[name.casefold()]}'; write that", path)
        else:
            self._fail(unknown_name("concept", name, tuple(self._by_name), "concepts", shown=0), path)
        return ()

    def _typed(self, name: Mapping[str, str], path: Path) -> tuple[str, ...]:
        """`{Type: name}`: of a type without a lexicon, such as `Policy`, the text itself is the concept."""
        ((type_, text),) = name.items()
        entity = concept(type_, text)
        if entity.uid in self.concepts:
            return (entity.uid,)
        if type_ not in self._schema.types:
            self._fail(self._unknown_type(type_), path)
        elif type_ in self._schema.lexicon.terms:
            known = tuple(known.id for known in self.concepts.values() if known.type == type_)
            self._fail(unknown_name(type_, text, known, "concepts", shown=0), path)
        else:
            self.concepts[entity.uid] = entity
            return (entity.uid,)
        return ()

    def _source(self, key: str, path: Path) -> str:
        source = self._form.sources.get(key)
        if source is None:
            message = unknown_name("source", key, tuple(self._form.sources), "sources")
            self._fail(message, (*path, "source"))
            return ""
        return f"{source.cite}, doi {source.doi}" if source.doi else source.cite

    def _unknown_type(self, type_: str) -> str:
        return unknown_name("type", type_, self._schema.types, f"types in schema/{self._schema.name}.yaml")

    def _fail(self, message: str, path: Path) -> None:
        self.errors.append(self._document.error(message, path))


def _link(relation: str, start: str, end: str, form: RuleForm, source: str) -> Link:
    return Link(
        relation=relation,
        start=start,
        end=end,
        tier=form.tier,
        rate=form.rate,
        condition=form.condition,
        action=form.action,
        source=source,
        reviewed=form.checked == "seen",
    )
