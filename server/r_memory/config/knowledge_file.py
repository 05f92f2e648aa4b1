"""Loads a knowledge pack, `schema/knowledge/<name>.yaml`, as a graph of concepts.

Knows groups, parts and rules with tier, rate and source; it knows no domain: relation names and types come from the
files. Every term of the lexicon is a concept, so that facts and pack meet on the same nodes. Files of the folder
`schema/knowledge/<name>.d` add to the pack: imported vocabularies, or rows of one's own.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import count, product
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from r_memory.config.files import Files, digest
from r_memory.config.including import with_additions
from r_memory.config.names import (
    AttributeName,
    Endpoints,
    FileName,
    IntentName,
    KnownNames,
    Line,
    Listed,
    PackRelation,
    RelationNames,
    Shown,
    ShownWord,
    TypeName,
    Word,
    WordOrWords,
    Words,
    reached,
    slots,
    unknown_name,
)
from r_memory.config.yaml_lines import FileModel, Mistakes, Path, YamlDocument, first_of, parsed, valued
from r_memory.domain.facts import HAS_INGREDIENT, IS_A, Entity, concept
from r_memory.domain.knowledge import (
    CROSS_REACTS_WITH,
    MEMBER_OF,
    Circumstance,
    ElsewhereLine,
    Knowledge,
    Link,
    PerNumber,
    Rule,
    Side,
)
from r_memory.domain.schema import Schema
from r_memory.errors import ConfigurationError

Checked = Literal["seen", "recall"]
_ASK_FIRST = "ask what is in it"
"""Advice about an ingredient that a thing usually contains."""


def _line(text: str) -> str:
    left_open = slots(text)
    if left_open is None:
        raise ValueError("a brace without its partner; write {from}, or {{ for a brace itself")
    for slot in sorted({*left_open} - {"from", "to"}):
        raise ValueError(f"unknown slot '{slot}'; use {{from}} or {{to}}")
    return text


ShownLine = Annotated[Line, AfterValidator(_line)]


class PackSourceForm(FileModel):
    """Where a row comes from."""

    cite: ShownWord = Field(description="Author and year, or the document; printed in the block.")
    doi: str = ""
    what: str = Field(default="", description="What kind of evidence it is.")
    read_as: str = Field(default="", description="Where it was read, if not in the original.")


class Sourced(FileModel):
    """A claim of a source."""

    source: Word = Field(description="A key of `sources`.")
    checked: Checked = Field(description="seen: the cited text was read for this pack. recall: it was not.")


class ClassificationForm(Sourced):
    """What stands behind groups and parts that name no source of their own."""


class PackReviewForm(FileModel):
    """Who read the sources of rows that name nobody, and when."""

    checked_by: Word
    checked_on: str = Field(default="", description="ISO day; empty where it was not recorded.")


class GroupForm(Sourced):
    """A group whose membership is a claim of a source, not common knowledge."""

    members: Words
    shares: Shown = Field(default="", description='What members have in common: read as "shares … with".')


class CircumstanceForm(FileModel):
    """What must hold of the subject besides, for a row to fire."""

    relation: RelationNames
    object: Endpoints | None = Field(default=None, description="Any of these; default: any object.")
    attrs: dict[AttributeName, WordOrWords] = Field(
        default={}, description="Attribute to the values of which it must have one."
    )
    number: AttributeName | None = Field(default=None, description="Attribute that holds a number to compare.")
    at_least: int | float | None = None
    below: int | float | None = None
    grows: Literal["day", "week", "month", "year"] | None = Field(
        default=None, description="It grows by one in each of these since it was said, as an age does."
    )
    ask: bool = Field(default=False, description="Where nothing is recorded, the row is shown as a question.")
    words: Shown = Field(default="", description="As shown; default: made of the parts.")

    @model_validator(mode="after")
    def _is_compared(self) -> Self:
        if (self.number is None) != (self.at_least is None and self.below is None):
            raise ValueError("`number` needs `at_least` or `below`, and these need `number`; write both")
        return self


class ElsewhereForm(FileModel):
    """Those for whom the rows of a relation were not made, and how a row is shown to them."""

    when: Listed[CircumstanceForm] = Field(min_length=1, description="One of these is enough.")
    line: ShownLine
    action: ShownWord = Field(description="In place of what the row says to do.")


class FiresForm(FileModel):
    """How rows of one relation are shown when they fire at recall."""

    line: ShownLine = Field(description="{from} and {to} are filled in.")
    lines: dict[Literal["A", "B", "C"], ShownLine] = Field(
        default={}, description="Another line for a tier: what is disputed must not read like a stop."
    )
    advice: Shown = Field(default="", description="Shown where a row says no `action`; default: by tier.")
    beside: RelationNames | None = Field(default=None, description="Facts about `from` that are told with it.")
    elsewhere: ElsewhereForm | None = Field(default=None, description="For whom the rows do not hold as they stand.")


class PerNumberForm(FileModel):
    """The most of a thing for each of a measured number, such as a kilogram of weight."""

    unit: Word = Field(description="Unit of the amount: `mg`.")
    dose: float | None = Field(default=None, gt=0, description="At one time.")
    day: float | None = Field(default=None, gt=0, description="In 24 hours.")


class LastingForm(FileModel):
    """For how many days after its end a recorded thing still meets its side of a row."""

    from_: int | None = Field(default=None, gt=0, alias="from")
    to: int | None = Field(default=None, gt=0)


class RuleForm(Sourced):
    """One claim about each `from` and each `to`."""

    id: str = Field(default="", description="Default: made of the names; one of your own survives their change.")
    from_: Endpoints = Field(alias="from")
    to: Endpoints
    except_: Endpoints = Field(
        default=(), alias="except", description="Members of `from` of which another row says more: these it spares."
    )
    when: Listed[CircumstanceForm] = Field(default=(), description="What must hold of the subject besides.")
    within: int | LastingForm | None = Field(
        default=None, description="Days after its end for which a recorded thing still meets its side: a wash-out."
    )
    own: bool = Field(
        default=False,
        description="Words that name both sides break it by themselves; a recorded `to` is then only shown with care.",
    )
    named: bool = Field(
        default=False, description="It stops only words that also name what the recorded fact is about, or its sum."
    )
    most: PerNumberForm | None = Field(
        default=None, description="More of `from` than this, times the number of the first `when`, breaks the row."
    )
    recorded: RelationNames | None = Field(
        default=None, description="Facts that meet `to`, in place of those that the pack's `recorded` names."
    )
    tier: Literal["A", "B", "C"] = Field(description="A: undisputed stop. B: show. C: disputed or local.")
    rate: Shown = Field(default="", description="How often, with its interval.")
    condition: Shown = Field(default="", description="When it holds, in words; empty: always.")
    action: Shown = Field(default="", description="What the source says to do.")
    checked_by: str = Field(default="", description="Who read it; default: as the pack's `review` says.")
    checked_on: str = Field(default="", description="ISO day on which it was read.")


class NoteForm(Sourced):
    """Background for whoever reviews the pack; not part of the graph."""

    text: Word


class SiblingsForm(Sourced):
    """How members of one group bear on each other where no row of the group says so."""

    tier: Literal["B", "C"]
    rate: ShownWord


class KnowledgeForm(FileModel):
    """`schema/knowledge/<name>.yaml`."""

    pack: FileName = Field(description="The name of this file without its ending.")
    include: Listed[Word] = Field(default=(), description="Packs that this one builds on.")
    sources: dict[str, PackSourceForm] = Field(default_factory=dict)
    concepts: dict[TypeName, Words] = Field(
        default={}, description="Names used below that the lexicon does not have, by type."
    )
    groups: dict[PackRelation, dict[str, Words | GroupForm]] = Field(
        default={}, description="Relation to group to members: each member has the relation to the group."
    )
    parts: dict[PackRelation, dict[str, Words]] = Field(
        default={}, description="Relation to whole to parts: the whole has the relation to each part."
    )
    usual: dict[PackRelation, dict[str, Words]] = Field(
        default={},
        description="Relation to whole to the parts that it usually has, such as a dish: each is a question, and what "
        "else it has is not known.",
    )
    rules: dict[PackRelation, Listed[RuleForm]] = Field(default_factory=dict)
    classification: ClassificationForm | None = None
    review: PackReviewForm | None = None
    fires: dict[PackRelation, FiresForm] = Field(
        default={}, description="Relations whose rows fire at recall, and how they are shown."
    )
    recorded: dict[TypeName, RelationNames] = Field(
        default={}, description="Type of a row's end to the relations of facts that meet it."
    )
    actions: dict[IntentName, Endpoints] = Field(
        default={}, description="Action type to the concepts that a request of this type stands for."
    )
    weighed: dict[PackRelation, Word] = Field(
        default={}, description="Relations whose facts are no stop by class, to what is said in place of one."
    )
    partly_known: dict[Word, Endpoints] = Field(
        default={},
        description="Type or union of a thing to concepts that bear on more such things than the pack names: beside "
        "another one a check is not calm.",
    )
    always_shown: Listed[CircumstanceForm] = Field(
        default=(),
        description="What stands in every block about its subject while it holds, such as a pregnancy; of several "
        "facts of one entry the newest. A `number` that was not said counts as zero.",
    )
    siblings: SiblingsForm | None = None
    by_use: Endpoints = Field(default=(), description="Groups whose members share their use and nothing else.")
    notes: Listed[NoteForm] = ()


def load_knowledge(files: Files, schema: Schema) -> Knowledge:
    """Returns the pack that the schema names; without one, only the lexicon's terms as concepts.

    Raises:
        ConfigurationError: a file is wrong; with file and line.
    """
    name = schema.knowledge
    if not name:
        pack = _Pack(schema)
        pack.join_brands()
        version = digest([schema.version.encode()])
        return Knowledge(name=schema.name, version=version, concepts=pack.concepts, links=tuple(pack.links))
    return pack_of(with_additions(files, f"schema/knowledge/{name}.yaml"), schema, named=True)


def pack_of(documents: Sequence[YamlDocument], schema: Schema, *, named: bool = False) -> Knowledge:
    """Returns the pack in these files: the pack itself, then additions.

    With `named`, each file must state its own name.

    Raises:
        ConfigurationError: a file is wrong; with file and line.
    """
    pack, where = _Pack(schema), f"in schema/{schema.name}.yaml"
    known = {
        "type": KnownNames(kind="type", names=schema.types, where=f"types {where}"),
        "relation": KnownNames(kind="relation", names=schema.relations, where=f"relations {where}"),
    }
    for document in documents:
        form, stem = parsed(document, KnowledgeForm, known), document.file.stem
        if named and form.pack != stem:
            raise document.error(f"must say '{stem}', as the file is called", ("pack",))
        _Links(pack, document, form, lenient=document is not documents[0]).read()
    pack.join_brands()
    pack.join_siblings()
    if pack.mistakes:
        raise first_of(pack.mistakes)
    return Knowledge(
        name=schema.knowledge or schema.name,
        version=digest([*(document.source.content for document in documents), schema.version.encode()]),
        concepts=pack.concepts,
        links=tuple(pack.links),
        rules=tuple(pack.rules),
        actions=pack.actions,
        weighed=pack.weighed,
        partly_known={type_: frozenset(uids) for type_, uids in pack.partly_known.items()},
        always_shown=tuple(pack.always_shown),
    )


def _terms(schema: Schema) -> dict[str, Entity]:
    """Returns every term of the lexicon as a concept, by uid."""
    entities = (
        concept(type_, canonical, aliases=synonyms)
        for type_, terms in schema.lexicon.terms.items()
        for canonical, synonyms in terms.items()
    )
    return {entity.uid: entity for entity in entities}


class _Pack:
    """Collects the content of a pack's files."""

    def __init__(self, schema: Schema) -> None:
        self.schema = schema
        self.mistakes: list[ConfigurationError] = []
        self.concepts: dict[str, Entity] = {}
        self.links: list[Link] = []
        self.rules: list[Rule] = []
        self.actions: dict[str, tuple[str, ...]] = {}
        self.fires: dict[str, FiresForm] = {}
        self.recorded: dict[str, RelationNames] = {}
        self.weighed: dict[str, str] = {}
        self.partly_known: dict[str, set[str]] = {}
        self.always_shown: list[Circumstance] = []
        self.siblings: Link | None = None
        self.by_use: set[str] = set()
        self.sources: dict[str, PackSourceForm] = {}
        self.by_name: dict[str, list[Entity]] = {}
        self.canonical: dict[str, Entity] = {}
        self.said: dict[tuple[str, str, str, str], str] = {}
        """Relation, both ends and condition of a link to where it was said."""
        self.ids: set[str] = set()
        for entity in _terms(schema).values():
            self.declare(entity)
        for term, above in schema.lexicon.kinds.items():
            self.links += (_naming(IS_A, concept(*term).uid, concept(*item).uid) for item in above)

    def declare(self, entity: Entity) -> None:
        """Adds a concept if it is new."""
        if entity.uid not in self.concepts:
            self.concepts[entity.uid] = entity
            self.by_name.setdefault(entity.id, []).append(entity)
            self.canonical |= {synonym.casefold(): entity for synonym in entity.aliases}

    def join_brands(self) -> None:
        """Links each brand name to its contents: to a compound as a kind of it."""
        compounds = {link.start for link in self.links if link.relation == HAS_INGREDIENT}
        said = {(link.start, link.end) for link in self.links}
        for term, above in self.schema.lexicon.brands.items():
            start = concept(*term).uid
            for end in (concept(*item).uid for item in above):
                if (start, end) not in said:
                    self.links.append(_naming(IS_A if end in compounds else HAS_INGREDIENT, start, end))

    def join_siblings(self) -> None:
        """Gives each group without a rule among its members the default rule."""
        if self.siblings is None:
            return
        own = {link.start for link in self.links if link.relation == CROSS_REACTS_WITH and link.start == link.end}
        joins = (link for link in self.links if link.relation in {MEMBER_OF, IS_A} and not link.shares)
        groups = dict.fromkeys(link.end for link in joins)
        for uid in groups:
            if uid not in own and uid not in self.by_use:
                self.links.append(replace(self.siblings, start=uid, end=uid))


def _naming(relation: str, start: str, end: str) -> Link:
    """Returns the link between a name and its meaning, from the lexicon."""
    return Link(relation=relation, start=start, end=end, source="lexicon", reviewed=True)


class _Links:
    """Reads one file into a pack, and collects its mistakes."""

    def __init__(self, pack: _Pack, document: YamlDocument, form: KnowledgeForm, *, lenient: bool) -> None:
        """A `lenient` file, as importers write it, may use synonyms and repeat known rows."""
        self.wrong = Mistakes(document, pack.mistakes)
        self._pack = pack
        self._document = document
        self._form = form
        self._schema = pack.schema
        self._lenient = lenient

    def read(self) -> None:
        """Adds concepts, links, rules and actions to the pack."""
        form, pack = self._form, self._pack
        pack.sources |= form.sources
        pack.fires |= form.fires
        pack.weighed |= form.weighed
        pack.recorded |= form.recorded
        for type_, names in form.concepts.items():
            for name in names:
                pack.declare(concept(type_, name))
        self._check_groups()
        for path, link in (*self._memberships(), *self._rules()):
            self._add(path, link)
        pack.by_use.update(self._ends(form.by_use, ("by_use",)))
        if usual := form.siblings:
            worth = {"tier": usual.tier, "rate": usual.rate, **self._grounds(usual, ("siblings",))}
            pack.siblings = Link(relation=CROSS_REACTS_WITH, start="", end="", **worth)
        for place, need in enumerate(form.always_shown):
            pack.always_shown.append(self._circumstance(need, ("always_shown", place)))
        for action, endpoints in form.actions.items():
            pack.actions[action] = self._ends(endpoints, ("actions", action))
        for union, endpoints in form.partly_known.items():
            known, where = (*self._schema.types, *self._schema.unions), f"types in schema/{self._schema.name}.yaml"
            self.wrong.unknown("type", ("partly_known",), [union], known, where)
            for type_ in self._schema.concrete(union):
                pack.partly_known.setdefault(type_, set()).update(self._ends(endpoints, ("partly_known", union)))

    def _add(self, path: Path, link: Link) -> None:
        """Adds a link if it is new."""
        key = (link.relation, link.start, link.end, link.condition)
        said = self._pack.said.get(key)
        if said is None:
            self._pack.said[key] = f"line {self._document.line(path)}"
            self._pack.links.append(link)
        elif not self._lenient:
            self.wrong.add(f"said already in {said}; keep one", path)

    def _check_groups(self) -> None:
        for relation, groups in self._form.groups.items():
            members = {name: form.members if isinstance(form, GroupForm) else form for name, form in groups.items()}
            for name in members:
                if name in reached(name, members):
                    self.wrong.add("this group contains itself; remove the circle", ("groups", relation, name))

    def _memberships(self) -> Iterator[tuple[Path, Link]]:
        """Yields the links from members to groups, and from wholes to parts, with their place in the file."""
        form_ = self._form
        for key, tables in (("groups", form_.groups), ("parts", form_.parts), ("usual", form_.usual)):
            for relation, table in tables.items():
                for name, form in table.items():
                    path = (key, relation, name)
                    worth = self._belonging(form, path)
                    if key == "usual":
                        worth |= {"usual": True, "tier": "B", "action": _ASK_FIRST}
                    for place, whole, member in self._pairs(name, form, path):
                        start, end = (member, whole) if key == "groups" else (whole, member)
                        yield place, Link(relation=relation, start=start, end=end, **worth)

    def _pairs(self, name: str, form: GroupForm | Words, path: Path) -> Iterator[tuple[Path, str, str]]:
        """Yields a group or whole with each member or part, and its place in the file."""
        others, place = (form.members, (*path, "members")) if isinstance(form, GroupForm) else (form, path)
        for item in self._found(name, path):
            for index, other in enumerate(others):
                for uid in self._found(other, (*place, index)):
                    yield (*place, index), item, uid

    def _belonging(self, form: GroupForm | Words, path: Path) -> dict[str, Any]:
        """Returns the source of a group's links.

        A group with its own source says whether it was reviewed. Any other group cites the pack's `classification`;
        without that it cites nothing and has no mark.
        """
        if isinstance(form, GroupForm):
            return {**self._grounds(form, path), "shares": form.shares}
        usual = self._form.classification
        return self._grounds(usual, ("classification",)) if usual else {"reviewed": True}

    def _rules(self) -> Iterator[tuple[Path, Link]]:
        """Yields the links of each row, and adds its rule if its relation fires."""
        for relation, rules in self._form.rules.items():
            for index, form in enumerate(rules):
                path = ("rules", relation, index)
                rule = self._rule(relation, form, path)
                link = valued(
                    Link, rule, start="", end="", condition=rule.grounds, action=form.action, rule=rule.id, shares=""
                )
                for start, end in product(rule.start.concepts, rule.end.concepts):
                    yield path, replace(link, start=start, end=end)
                if relation in self._pack.fires:
                    self._pack.rules.append(rule)

    def _rule(self, relation: str, form: RuleForm, path: Path) -> Rule:
        starts, ends = self._ends(form.from_, (*path, "from")), self._ends(form.to, (*path, "to"))
        when = tuple(self._circumstance(need, (*path, "when", place)) for place, need in enumerate(form.when))
        lasting = (
            form.within
            if isinstance(form.within, LastingForm)
            else LastingForm(**{"from": form.within, "to": form.within})
        )
        fires, end = self._pack.fires.get(relation), self._side(ends, form.recorded, lasting=lasting.to)
        id_ = self._id(form.id or _row_id(relation, form, end), path, own=bool(form.id))
        grounds = self._grounds(form, path)
        review = self._form.review if grounds["reviewed"] else None
        return valued(
            Rule,
            form,
            id=id_,
            relation=relation,
            start=self._side(starts, lasting=lasting.from_),
            spared=frozenset(self._ends(form.except_, (*path, "except"))),
            end=end,
            when=when,
            beside=frozenset(fires.beside or () if fires else ()),
            action=form.action or (fires.advice if fires else ""),
            **grounds,
            checked_by=form.checked_by or (review.checked_by if review else ""),
            checked_on=form.checked_on or (review.checked_on if review else ""),
            line=fires.lines.get(form.tier, fires.line) if fires else "",
            most=form.most and valued(PerNumber, form.most),
            elsewhere=self._elsewhere(fires.elsewhere if fires else None, (*path, "elsewhere")),
        )

    def _elsewhere(self, form: ElsewhereForm | None, path: Path) -> ElsewhereLine | None:
        if form is None:
            return None
        when = tuple(self._circumstance(need, (*path, "when", place)) for place, need in enumerate(form.when))
        return ElsewhereLine(when=when, line=form.line, action=form.action)

    def _id(self, wanted: str, path: Path, *, own: bool) -> str:
        """Returns the id, with a number if the names are not unique."""
        ids = self._pack.ids
        if own and wanted in ids:
            self.wrong.add(f"the id '{wanted}' is taken; choose another", (*path, "id"))
        numbered = (f"{wanted}-{place}" for place in count(2))
        given = wanted if wanted not in ids else next(item for item in numbered if item not in ids)
        ids.add(given)
        return given

    def _side(
        self, concepts: tuple[str, ...], recorded: Sequence[str] | None = None, *, lasting: int | None = None
    ) -> Side:
        types = {self._pack.concepts[uid].type for uid in concepts if uid in self._pack.concepts}
        usual = {relation for type_ in types for relation in self._pack.recorded.get(type_, ())}
        stated = bool(types) and types <= set(self._schema.declared)
        relations = frozenset(usual if recorded is None else recorded)
        return Side(concepts=concepts, recorded=relations, lasting=lasting, needed=not stated)

    def _circumstance(self, form: CircumstanceForm, path: Path) -> Circumstance:
        known = sorted({name for relation in form.relation for name in self._schema.relations[relation].attrs})
        compared = (*form.attrs, *([form.number] if form.number else []))
        self.wrong.unknown("attribute", path, compared, known, "attrs of the relation")
        return valued(
            Circumstance,
            form,
            relations=frozenset(form.relation),
            concepts=self._ends(form.object or (), (*path, "object")),
            attrs={name: frozenset(values) for name, values in form.attrs.items()},
            words=form.words or _words_of(form),
        )

    def _ends(self, endpoints: Endpoints, path: Path) -> tuple[str, ...]:
        return tuple(uid for index, name in enumerate(endpoints) for uid in self._found(name, (*path, index)))

    def _found(self, name: str | Mapping[str, str], path: Path) -> tuple[str, ...]:
        """Returns the uid of the concept; empty, with a mistake added, if it is unknown."""
        if not isinstance(name, str):
            return self._typed(name, path)
        entities = self._pack.by_name.get(name.casefold(), [])
        other = self._pack.canonical.get(name.casefold())
        if len(entities) == 1 or (entities and self._lenient):
            return (entities[0].uid,)
        if entities:
            types = " and a ".join(entity.type for entity in entities)
            self.wrong.add(f"'{name}' is a {types}; write {{{entities[0].type}: {name}}} or the other", path)
        elif other is not None and self._lenient:
            return (other.uid,)
        elif other is not None:
            self.wrong.add(f"'{name}' is another word for '{other.id}'; write that", path)
        else:
            self.wrong.add(unknown_name("concept", name, tuple(self._pack.by_name), "concepts", shown=0), path)
        return ()

    def _typed(self, name: Mapping[str, str], path: Path) -> tuple[str, ...]:
        """Returns the uid for `{Type:

        name}`; in a type without a lexicon, such as `Policy`, the text is the concept.
        """
        ((type_, text),) = name.items()
        entity = concept(type_, text)
        if entity.uid in self._pack.concepts:
            return (entity.uid,)
        if type_ not in self._schema.types:
            self.wrong.unknown("type", path, [type_], self._schema.types, f"types in schema/{self._schema.name}.yaml")
        elif type_ in self._schema.lexicon.terms:
            known = tuple(known.id for known in self._pack.concepts.values() if known.type == type_)
            self.wrong.add(unknown_name(type_, text, known, "concepts", shown=0), path)
        else:
            self._pack.concepts[entity.uid] = entity
            return (entity.uid,)
        return ()

    def _grounds(self, form: Sourced, path: Path) -> dict[str, Any]:
        """Returns the cited source, and whether it was reviewed for the pack."""
        self.wrong.unknown("source", (*path, "source"), [form.source], self._pack.sources, "sources")
        source = self._pack.sources.get(form.source, PackSourceForm(cite="?"))
        cited = f"{source.cite}, doi {source.doi}" if source.doi else source.cite
        return {"source": cited, "reviewed": form.checked == "seen"}


def _row_id(relation: str, form: RuleForm, end: Side) -> str:
    """Returns an id from the names, such as `metformin with iodinated contrast`, if there are few."""
    to = f" with {_listed(form.to)}" if end.needed else ""
    return f"{relation.lower()}: {_listed(form.from_)}{to}"


def _listed(endpoints: Endpoints, shown: int = 2) -> str:
    names = _names_of(endpoints)
    more = f" +{len(names) - shown}" if len(names) > shown else ""
    return ", ".join(names[:shown]) + more


def _words_of(form: CircumstanceForm) -> str:
    """Returns a circumstance as words: `eGFR below 30`, `gestation at least 20`, `angioedema from lisinopril`."""
    object_ = " or ".join(_names_of(form.object)) if form.object else "anything"
    if form.number is None:
        values = [value for values in form.attrs.values() for value in values]
        return f"{' or '.join(values)} with {object_}" if values else object_
    bounds = (("at least", form.at_least), ("below", form.below))
    return f"{object_} {' and '.join(f'{words} {bound:g}' for words, bound in bounds if bound is not None)}"


def _names_of(endpoints: Endpoints) -> list[str]:
    return [name if isinstance(name, str) else next(iter(name.values())) for name in endpoints]
