"""Loads a schema with its lexicon and language: `schema/<name>.yaml` and the two files it names.

Checks everything a name can refer to; how templates are compiled is the extractor's.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from string import Formatter

from r_memory.config.files import Files, digest
from r_memory.config.names import WordOrWords, unknown_name
from r_memory.config.schema_form import ExampleForm, FamilyForm, ReclassifyForm, RelationForm, SchemaForm
from r_memory.config.words_file import language_from, lexicon_from, lexicon_with
from r_memory.config.yaml_lines import Document, Step, first_of, load, parsed
from r_memory.domain.facts import SCOPE_TYPE, UNMAPPED_TYPE, Status
from r_memory.domain.schema import (
    BridgingRule,
    ComentionRule,
    Cue,
    Example,
    FamilyRule,
    Language,
    Lexicon,
    Negation,
    Phrasing,
    Reclassification,
    Relation,
    Schema,
    SeverityScale,
)
from r_memory.errors import ConfigurationError

KINDS = ("severity", "number", "unit", "period", "hours", "year", "date", "text")
"""Kinds of attributes beside the types of the lexicon."""
_RESERVED_TYPES = (
    SCOPE_TYPE,
    UNMAPPED_TYPE,
    "Entity",
    "Episode",
    "FactEvent",
    "Conversation",
    "Memory",
    "Summary",
    "Recall",
)
_CONDITIONS = ("status", "said", "trigger_has", "object.type")
Path = tuple[Step, ...]


def load_schema(files: Files, name: str = "clinical") -> Schema:
    """The schema of this name.

    Raises:
        ConfigurationError: a file is missing or wrong; names file, line and remedy, `others` holds further mistakes.
    """
    source = files.read(f"schema/{name}.yaml")
    document = load(source)
    form = parsed(document, SchemaForm)
    if form.schema_ != name:
        raise document.error(f"must say '{name}', as the file is called", ("schema",))
    lexicon_document = load(files.read(f"schema/lexicon/{form.lexicon}.yaml"))
    language_document = load(files.read(f"schema/language/{form.language}.yaml"))
    added = [load(files.read(path)) for path in files.listing(f"schema/lexicon/{form.lexicon}.d", ".yaml")]
    version = digest(part.source.content for part in (document, lexicon_document, *added, language_document))
    language = language_from(language_document, form.language)
    lexicon = lexicon_with(lexicon_from(lexicon_document), added)
    return _Builder(document, form, lexicon, language, version).schema()


class _Builder:
    """Turns the form into domain values, then asks whether all its names exist."""

    def __init__(
        self, document: Document, form: SchemaForm, lexicon: Lexicon, language: Language, version: str
    ) -> None:
        self._document = document
        self._form = form
        self._lexicon = lexicon
        self._language = language
        self._version = version
        self._unions = {name: tuple(members) for name, members in form.types.items() if members}
        self._declared = tuple(name for name, members in form.types.items() if not members)

    def schema(self) -> Schema:
        """The schema, if nothing is wrong with it."""
        errors = list(self._errors())
        if errors:
            raise first_of(errors)
        form = self._form
        return Schema(
            name=form.schema_,
            version=self._version,
            subject=form.subject,
            unions=self._unions,
            declared=self._declared,
            labels={type_: tuple(labels) for type_, labels in form.labels.items()},
            relations={name: self._relation(name, relation) for name, relation in form.relations.items()},
            lexicon=self._lexicon,
            language=self._language,
            severity=SeverityScale(words={grade: tuple(words) for grade, words in form.severity.items()}),
            scopes=dict(form.scopes),
            covers={scope: frozenset(self._concrete(types)) for scope, types in form.covers.items()},
            reclassify=tuple(_reclassification(rule) for rule in form.reclassify),
            family=self._family(),
            bridging=self._bridging(),
            comention=self._comention(),
            review_types=() if form.review is None else self._concrete(form.review.types),
            review_words=() if form.review is None else tuple(form.review.words),
            voices=tuple(form.voices),
            compared_by=form.compared_by,
            unavailable=form.unavailable,
            about=form.about,
            knowledge=form.knowledge or "",
            lexicon_name=form.lexicon,
            intents=form.intents,
        )

    def _relation(self, name: str, form: RelationForm) -> Relation:
        return Relation(
            name=name,
            subjects=self._concrete(form.subject or [self._form.subject]),
            objects=self._concrete(form.object),
            open_object=form.open_object,
            critical=form.critical,
            derived=form.derived,
            attrs=dict(form.attrs),
            identity=tuple(form.identity),
            negation=_negation(form),
            suppressed_by=tuple(form.suppressed_by or ()),
            rule_status=form.status == "rule",
            object_prefix=form.object_prefix,
            phrasing=_phrasing(form),
            line=form.line,
            severity_unstated=form.severity_unstated,
            bears_always=form.bears == "always",
            unpleasant=form.draft == "warning",
            question=form.question,
            review_after_days=form.review_after_days,
            examples=tuple(_example(example) for example in form.examples),
        )

    def _family(self) -> FamilyRule | None:
        form = self._form.family
        if form is None:
            return None
        return FamilyRule(
            to=form.to or "",
            sources=tuple(form.from_ or ()),
            object_suffix=dict(form.object_suffix),
            review=tuple(form.review or ()),
        )

    def _bridging(self) -> BridgingRule | None:
        form = self._form.bridging
        if form is None:
            return None
        status = Status(form.status)
        return BridgingRule(relation=form.relation, needs=form.needs, exposure=tuple(form.exposure), status=status)

    def _comention(self) -> ComentionRule | None:
        form = self._form.comention
        if form is None:
            return None
        return ComentionRule(relation=form.relation, stems=tuple(form.stems), types=self._concrete(form.types))

    def _concrete(self, types: Iterable[str]) -> tuple[str, ...]:
        """Unions resolved, each type once."""
        found: dict[str, None] = {}
        for type_ in types:
            members = self._unions.get(type_)
            found.update(dict.fromkeys([type_] if members is None else self._concrete(members)))
        return tuple(found)

    # Every check yields errors instead of raising, so that one run of `r-memory check` shows all of them.

    def _errors(self) -> Iterator[ConfigurationError]:
        cycles = list(self._cycle_errors())
        yield from cycles
        if cycles:
            return
        yield from self._type_errors()
        for name, form in self._form.relations.items():
            yield from self._relation_errors(("relations", name), form)
        for index, rule in enumerate(self._form.reclassify):
            yield from self._reclassify_errors(("reclassify", index), rule)
        yield from self._rule_errors()

    def _cycle_errors(self) -> Iterator[ConfigurationError]:
        for name in self._unions:
            if name in self._reachable(name):
                yield self._document.error("this union contains itself; remove the cycle", ("types", name))

    def _reachable(self, name: str) -> set[str]:
        seen: set[str] = set()
        waiting = [*self._unions[name]]
        while waiting:
            member = waiting.pop()
            if member not in seen:
                seen.add(member)
                waiting.extend(self._unions.get(member, ()))
        return seen

    def _type_errors(self) -> Iterator[ConfigurationError]:
        form = self._form
        for name, members in form.types.items():
            if name in self._lexicon.terms or name in _RESERVED_TYPES:
                yield self._document.error(f"'{name}' is taken; choose another name", ("types", name))
            yield from self._unknown_types(("types", name), members)
        for name in (name for name in self._lexicon.terms if name in _RESERVED_TYPES):
            yield self._document.error(f"the lexicon's type '{name}' is taken; rename it there", ("lexicon",))
        for name in form.labels:
            yield from self._unknown_types(("labels", name), [name])
        for scope, types in form.covers.items():
            yield from self._unknown("scope", ("covers", scope), scope, tuple(form.scopes), "scopes")
            yield from self._unknown_types(("covers", scope), types)
        if form.subject in self._unions:
            yield self._document.error("the subject is one type, not a union; name one type", ("subject",))

    def _relation_errors(self, path: Path, form: RelationForm) -> Iterator[ConfigurationError]:
        yield from self._unknown_types((*path, "subject"), form.subject or [])
        yield from self._unknown_types((*path, "object"), form.object)
        yield from self._unknown_relations((*path, "suppressed_by"), form.suppressed_by or [])
        yield from self._attribute_errors(path, form)
        yield from self._line_errors(path, form)
        for key, scopes in (("none", form.none), ("none_templates", form.none_templates)):
            for scope in scopes:
                yield from self._unknown("scope", (*path, key, scope), scope, tuple(self._form.scopes), "scopes")
        for index, example in enumerate(form.examples):
            yield from self._example_errors((*path, "examples", index), form, example)

    def _attribute_errors(self, path: Path, form: RelationForm) -> Iterator[ConfigurationError]:
        for name, kind in form.attrs.items():
            if kind not in KINDS and kind not in self._types:
                known = ", ".join((*KINDS, *sorted(self._types)))
                yield self._document.error(f"unknown kind '{kind}'; use one of: {known}", (*path, "attrs", name))
        for name in form.identity:
            yield from self._unknown("attribute", (*path, "identity"), name, tuple(form.attrs), "attrs")

    def _line_errors(self, path: Path, form: RelationForm) -> Iterator[ConfigurationError]:
        place = (*path, "line")
        try:
            slots = [slot for _, slot, _, _ in Formatter().parse(form.line) if slot is not None]
        except ValueError:
            yield self._document.error("a brace without its partner; write {object}, or {{ for a brace itself", place)
            return
        for slot in slots:
            yield from self._unknown("slot", place, slot, ("subject", "object", *form.attrs), "attrs")

    def _example_errors(self, path: Path, form: RelationForm, example: ExampleForm) -> Iterator[ConfigurationError]:
        if example.expect == "none":
            return
        for name in example.expect:
            yield from self._unknown("attribute", (*path, "expect", name), name, ("object", *form.attrs), "attrs")
        if "object" not in example.expect:
            yield self._document.error("`expect` has no `object`; add it, or write `expect: none`", (*path, "expect"))

    def _reclassify_errors(self, path: Path, rule: ReclassifyForm) -> Iterator[ConfigurationError]:
        yield from self._unknown_relations((*path, "relation"), [rule.relation])
        yield from self._unknown_relations((*path, "to"), [rule.to])
        form = self._form.relations.get(rule.relation)
        for key, conditions in (("when", rule.when), ("unless", rule.unless)):
            for condition in conditions if form is not None else ():
                yield from self._condition_errors((*path, key, condition), condition, conditions[condition], form)

    def _condition_errors(
        self, path: Path, condition: str, values: Sequence[str], form: RelationForm | None
    ) -> Iterator[ConfigurationError]:
        attribute, _, property_ = condition.partition(".")
        if condition in _CONDITIONS:
            yield from self._condition_value_errors(path, condition, values)
        elif form is None or attribute not in form.attrs or not property_:
            known = ", ".join((*_CONDITIONS, *(f"{name}.<property>" for name in (form.attrs if form else ()))))
            yield self._document.error(f"unknown condition '{condition}'; use one of: {known}", path)
        else:
            properties = self._lexicon.values.get(form.attrs[attribute], {})
            yield from self._unknown("property", path, property_, tuple(properties), "the lexicon's attrs")

    def _condition_value_errors(
        self, path: Path, condition: str, values: Sequence[str]
    ) -> Iterator[ConfigurationError]:
        if condition == "object.type":
            yield from self._unknown_types(path, values)
        if condition == "status":
            for value in values:
                yield from self._unknown("status", path, value, tuple(Status), "the list of statuses")

    def _rule_errors(self) -> Iterator[ConfigurationError]:
        family, bridging, comention, review = (
            self._form.family,
            self._form.bridging,
            self._form.comention,
            self._form.review,
        )
        if family is not None:
            yield from self._family_errors(family)
        if bridging is not None:
            yield from self._unknown_relations(("bridging", "relation"), [bridging.relation])
            yield from self._unknown_types(("bridging", "needs"), [bridging.needs])
        if comention is not None:
            yield from self._unknown_relations(("comention", "relation"), [comention.relation])
            yield from self._unknown_types(("comention", "types"), comention.types)
        if review is not None:
            yield from self._unknown_types(("review", "types"), review.types)

    def _family_errors(self, family: FamilyForm) -> Iterator[ConfigurationError]:
        if (family.to is None) != (family.from_ is None):
            yield self._document.error("`to` and `from` go together; write both or neither", ("family",))
        elif family.to is None and family.review is None:
            yield self._document.error("says nothing; write `to` and `from`, or `review`", ("family",))
        yield from self._unknown_relations(("family", "to"), [family.to] if family.to else [])
        yield from self._unknown_relations(("family", "from"), family.from_ or [])
        yield from self._unknown_relations(("family", "object_suffix"), list(family.object_suffix))
        yield from self._unknown_relations(("family", "review"), family.review or [])

    @property
    def _types(self) -> set[str]:
        return {self._form.subject, *self._form.types, *self._lexicon.terms}

    def _unknown_types(self, path: Path, names: Sequence[str]) -> Iterator[ConfigurationError]:
        for name in names:
            yield from self._unknown("type", path, name, tuple(sorted(self._types)), "types, as `Name: []`")

    def _unknown_relations(self, path: Path, names: Sequence[str]) -> Iterator[ConfigurationError]:
        for name in names:
            yield from self._unknown("relation", path, name, tuple(self._form.relations), "relations")

    def _unknown(
        self, kind: str, path: Path, name: str, known: Sequence[str], where: str
    ) -> Iterator[ConfigurationError]:
        if name not in known:
            yield self._document.error(unknown_name(kind, name, known, where), path)


def _negation(form: RelationForm) -> Negation:
    return "ignore" if form.negation == "prohibits" else form.negation


def _phrasing(form: RelationForm) -> Phrasing:
    cue = (
        None
        if form.cue is None
        else Cue(words=tuple(form.cue.words), needs=tuple(form.cue.needs), counted=form.cue.counted)
    )
    return Phrasing(
        templates=tuple(form.templates),
        cue=cue,
        mention=form.mention,
        headers=tuple(form.headers),
        none={scope: tuple(words) for scope, words in form.none.items()},
        none_templates={scope: tuple(words) for scope, words in form.none_templates.items()},
    )


def _example(form: ExampleForm) -> Example:
    expect = None if form.expect == "none" else form.expect
    return Example(text=form.text, expect=expect, status=Status(form.status))


def _reclassification(form: ReclassifyForm) -> Reclassification:
    return Reclassification(
        relation=form.relation,
        when=_conditions(form.when),
        unless=_conditions(form.unless),
        to=form.to,
        status=None if form.status is None else Status(form.status),
    )


def _conditions(form: Mapping[str, WordOrWords]) -> Mapping[str, str | tuple[str, ...]]:
    """One word stays a word."""
    return {key: values[0] if len(values) == 1 else tuple(values) for key, values in form.items()}
