"""Loads a schema with its lexicon and language: `schema/<name>.yaml` and the two files it names.

Checks everything a name can refer to; how templates are compiled is the extractor's.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from r_memory.config.files import Files, digest
from r_memory.config.including import joined, with_additions
from r_memory.config.names import KnownNames, Words, reached, slots
from r_memory.config.schema_form import ExampleForm, FamilyForm, ReclassifyForm, RelationForm, SchemaForm
from r_memory.config.words_file import language_from, lexicon_from, lexicon_with
from r_memory.config.yaml_lines import Mistakes, Path, YamlDocument, load, parsed, valued
from r_memory.domain.facts import SCOPE_TYPE, UNMAPPED_TYPE, Status
from r_memory.domain.schema import (
    BridgingRule,
    ComentionRule,
    Cue,
    Example,
    FamilyRule,
    Language,
    Lexicon,
    Phrasing,
    Reclassification,
    Relation,
    Schema,
    SeverityScale,
)
from r_memory.errors import ConfigurationError

KINDS = ("severity", "number", "count", "unit", "period", "hours", "year", "date", "end", "text")
"""Kinds of attributes beside the types of the lexicon."""
_BRACKETS = re.compile(r"(?:[^\[\]]|\[[^\[\]]*\])*")
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
_NAMED = "`{name: NAME, text: ...}`"
_OWN = ("about", "compared_by", "unavailable", "knowledge", "voices")
"""Keys that a schema never inherits from included files."""
_WHERE_TYPES = "types, as `Name: []`"
_LANGUAGES = "schema/language"
_KEPT = 4
"""Schemas: a process seldom needs a second."""
_CONDITIONS = ("status", "said", "template", "object.type")


def load_schema(files: Files, name: str = "clinical") -> Schema:
    """Returns the schema with this name; a shipped one is read once in a process.

    Raises:
        ConfigurationError: a file is wrong; with file and line.
    """
    return _shipped(files, name) if files.are_shipped else _read(files, name)


def _read(files: Files, name: str) -> Schema:
    whole = joined(files, f"schema/{name}.yaml", own=_OWN)
    document = whole.document
    form = parsed(document, SchemaForm)
    if form.schema_ != name:
        raise document.error(f"must say '{name}', as the file is called", ("schema",))
    words = with_additions(files, f"schema/lexicon/{form.lexicon}.yaml")
    languages = {code: load(files.read(f"{_LANGUAGES}/{code}.yaml")) for code in _codes(files, form.language)}
    read = (*whole.sources, *(part.source for part in (*words, *languages.values())))
    version = digest(source.content for source in read)
    every = {code: language_from(document, code) for code, document in languages.items()}
    lexicon = lexicon_with(lexicon_from(words[0]), words[1:])
    _Check(document, form, lexicon).refuse()
    return _schema(form, lexicon, every, version)


_shipped = lru_cache(maxsize=_KEPT)(_read)


def _codes(files: Files, own: str) -> tuple[str, ...]:
    """Returns the codes of all language files, the schema's own first."""
    found = (path.rpartition("/")[2].removesuffix(".yaml") for path in files.listing(_LANGUAGES, ".yaml"))
    return tuple(dict.fromkeys((own, *found)))


def _schema(form: SchemaForm, lexicon: Lexicon, languages: Mapping[str, Language], version: str) -> Schema:
    def concrete(types: Iterable[str]) -> tuple[str, ...]:
        """Unions resolved, each type once."""
        found = (member for type_ in types for member in (concrete(form.types.get(type_, ())) or (type_,)))
        return tuple(dict.fromkeys(found))

    review_tells = _terms_by_phrase(form.review.tells if form.review else {})
    review_over = _terms_by_phrase(form.review.over if form.review else {})
    return valued(
        Schema,
        form,
        name=form.schema_,
        version=version,
        unions={name: members for name, members in form.types.items() if members},
        declared=tuple(name for name, members in form.types.items() if not members),
        relations={
            name: _relation(
                name, relation, subjects=concrete(relation.subject or [form.subject]), objects=concrete(relation.object)
            )
            for name, relation in form.relations.items()
        },
        lexicon=lexicon,
        language=languages[form.language],
        languages={code: language for code, language in languages.items() if code != form.language},
        severity=SeverityScale(words=form.severity),
        covers={scope: frozenset(concrete(types)) for scope, types in form.covers.items()},
        reclassify=tuple(_reclassification(rule) for rule in form.reclassify),
        family=form.family and valued(FamilyRule, form.family, sources=form.family.from_ or ()),
        bridging=form.bridging and valued(BridgingRule, form.bridging),
        comention=form.comention and valued(ComentionRule, form.comention, types=concrete(form.comention.types)),
        review_types=concrete(form.review.types) if form.review else (),
        review_words=form.review.words if form.review else (),
        review_alone=(*form.review.alone, *review_tells, *review_over) if form.review else (),
        review_tells=review_tells,
        review_over=review_over,
        lexicon_name=form.lexicon,
    )


def _terms_by_phrase(told: Mapping[str, Mapping[str, Iterable[str]]]) -> Mapping[str, tuple[str, str]]:
    """Type and name of the term by each of its phrases."""
    return {phrase: (type_, name) for type_, terms in told.items() for name, words in terms.items() for phrase in words}


def _relation(name: str, form: RelationForm, *, subjects: tuple[str, ...], objects: tuple[str, ...]) -> Relation:
    return valued(
        Relation,
        form,
        name=name,
        subjects=subjects,
        objects=objects,
        negation="ignore" if form.negation == "prohibits" else form.negation,
        rule_status=form.status == "rule",
        phrasing=valued(
            Phrasing,
            form,
            templates=tuple(each.text for each in form.templates),
            ended=tuple(each.text for each in form.ended),
            names={each.text: each.name for each in (*form.templates, *form.ended) if each.name},
            cue=form.cue and valued(Cue, form.cue),
        ),
        across=form.across if isinstance(form.across, str) else "searched" if form.across else "",
        unpleasant=form.draft == "warning",
        examples=tuple(
            Example(
                text=example.text,
                expect=None if example.expect == "none" else example.expect,
                status=Status(example.status),
            )
            for example in form.examples
        ),
    )


def _reclassification(form: ReclassifyForm) -> Reclassification:
    status = None if form.status is None else Status(form.status)
    return valued(Reclassification, form, when=_conditions(form.when), unless=_conditions(form.unless), status=status)


def _conditions(form: Mapping[str, Words]) -> Mapping[str, str | tuple[str, ...]]:
    """Returns the conditions, a single word as a string."""
    return {key: values[0] if len(values) == 1 else values for key, values in form.items()}


class _Check:
    """Checks that all names of a schema exist and its parts fit together."""

    def __init__(self, document: YamlDocument, form: SchemaForm, lexicon: Lexicon) -> None:
        self._wrong = Mistakes(document)
        self._form = form
        self._lexicon = lexicon
        self._types = sorted({form.subject, *form.types, *lexicon.terms})

    def refuse(self) -> None:
        """Checks the schema.

        Raises:
            ConfigurationError: it has mistakes; the first one carries the others.
        """
        for name in self._form.types:
            if name in reached(name, self._form.types):
                self._wrong.add("this union contains itself; remove the cycle", ("types", name))
        self._wrong.refuse()
        self._check_names()
        self._check_types()
        for name, form in self._form.relations.items():
            self._check_relation(("relations", name), form)
        for index, rule in enumerate(self._form.reclassify):
            self._check_reclassify(("reclassify", index), rule)
        if self._form.family is not None:
            self._check_family(self._form.family)
        review = self._form.review
        for key, told in (("tells", review.tells), ("over", review.over)) if review else ():
            for type_, terms in told.items():
                known = self._lexicon.terms.get(type_, ())
                self._wrong.unknown("term", ("review", key, type_), terms, known, "the lexicon")
        self._wrong.refuse()

    def _check_names(self) -> None:
        """Reads the form again with the existing names, which refuses unknown ones."""
        known = {
            "type": KnownNames(kind="type", names=self._types, where=_WHERE_TYPES),
            "relation": KnownNames(kind="relation", names=self._form.relations, where="relations"),
            "scope": KnownNames(kind="scope", names=self._form.scopes, where="scopes"),
        }
        try:
            parsed(self._wrong.document, SchemaForm, known)
        except ConfigurationError as error:
            self._wrong.among(error)

    def _check_types(self) -> None:
        form = self._form
        for name in form.types:
            if name in self._lexicon.terms or name in _RESERVED_TYPES:
                self._wrong.add(f"'{name}' is taken; choose another name", ("types", name))
        for name in self._lexicon.terms:
            if name in _RESERVED_TYPES:
                self._wrong.add(f"the lexicon's type '{name}' is taken; rename it there", ("lexicon",))
        if form.types.get(form.subject):
            self._wrong.add("the subject is one type, not a union; name one type", ("subject",))

    def _check_relation(self, path: Path, form: RelationForm) -> None:
        for name, kind in form.attrs.items():
            if kind not in KINDS and kind not in self._types:
                known = ", ".join((*KINDS, *self._types))
                self._wrong.add(f"unknown kind '{kind}'; use one of: {known}", (*path, "attrs", name))
        self._wrong.unknown("attribute", (*path, "identity"), form.identity, form.attrs, "attrs")
        if form.single:
            self._wrong.unknown("attribute", (*path, "single"), [form.single], form.attrs, "attrs")
        left_open = slots(form.line)
        if left_open is None:
            message = "a brace without its partner; write {object}, or {{ for a brace itself"
            self._wrong.add(message, (*path, "line"))
        if not _BRACKETS.fullmatch(form.line):
            message = "a bracket without its partner, or one inside another; write [a part that may be left out]"
            self._wrong.add(message, (*path, "line"))
        self._wrong.unknown("slot", (*path, "line"), left_open or (), ("subject", "object", *form.attrs), "attrs")
        for key, named in (("people", form.people), ("called_by", form.called_by)):
            if named and named not in form.attrs:
                self._wrong.unknown("attribute", (*path, key), [named], form.attrs, "attrs")
        for index, example in enumerate(form.examples):
            self._check_example((*path, "examples", index, "expect"), form, example)

    def _check_example(self, path: Path, form: RelationForm, example: ExampleForm) -> None:
        if example.expect == "none":
            return
        for name in example.expect:
            self._wrong.unknown("attribute", (*path, name), [name], ("object", *form.attrs), "attrs")
        if "object" not in example.expect:
            self._wrong.add("`expect` has no `object`; add it, or write `expect: none`", path)

    def _check_reclassify(self, path: Path, rule: ReclassifyForm) -> None:
        form = self._form.relations.get(rule.relation)
        if form is not None:
            for key, conditions in (("when", rule.when), ("unless", rule.unless)):
                for condition, values in conditions.items():
                    self._check_condition((*path, key, condition), rule, condition, values, form)

    def _named(self, rule: ReclassifyForm) -> tuple[str, ...]:
        """Returns the templates whose facts a rule may meet:

        of its relation, and of relations that rules turn into it.
        """
        sources = {rule.relation, *(other.relation for other in self._form.reclassify if other.to == rule.relation)}
        forms = [form for name, form in self._form.relations.items() if name in sources]
        named = (each.name for form in forms for each in (*form.templates, *form.ended))
        return tuple(dict.fromkeys(filter(None, named)))

    def _check_condition(
        self, path: Path, rule: ReclassifyForm, condition: str, values: Sequence[str], form: RelationForm
    ) -> None:
        attribute, _, property_ = condition.partition(".")
        if condition == "object.type":
            self._wrong.unknown("type", path, values, self._types, _WHERE_TYPES)
        elif condition == "status":
            self._wrong.unknown("status", path, values, tuple(Status), "the list of statuses")
        elif condition == "template":
            self._wrong.unknown("template", path, values, self._named(rule), f"{rule.relation}, as {_NAMED}")
        elif condition in _CONDITIONS:
            return
        elif attribute not in form.attrs or not property_:
            known = ", ".join((*_CONDITIONS, *(f"{name}.<property>" for name in form.attrs)))
            self._wrong.add(f"unknown condition '{condition}'; use one of: {known}", path)
        else:
            properties = self._lexicon.values.get(form.attrs[attribute], {})
            self._wrong.unknown("property", path, [property_], properties, "the lexicon's attrs")

    def _check_family(self, family: FamilyForm) -> None:
        if (family.to is None) != (family.from_ is None):
            self._wrong.add("`to` and `from` go together; write both or neither", ("family",))
        elif family.to is None and family.review is None:
            self._wrong.add("says nothing; write `to` and `from`, or `review`", ("family",))
