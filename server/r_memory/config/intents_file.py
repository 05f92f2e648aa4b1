"""Loads the table of action types, `intents.yaml` (design, section 5): joins what rows inherit and refuses what would
silently open nothing.
"""

import re
from collections.abc import Callable, Mapping
from typing import ClassVar, Literal

from pydantic import Field

from r_memory.config.files import Files, digest
from r_memory.config.names import IntentName, Listed, RelationName, Word
from r_memory.config.yaml_lines import Document, FileModel, Mistakes, Path, load, parsed, valued
from r_memory.domain.intents import Intent, IntentTable, Policy
from r_memory.domain.knowledge import Knowledge
from r_memory.domain.schema import Schema
from r_memory.domain.wordings import expression
from r_memory.errors import ConfigurationError

CheckTraversal = Callable[[str, str], None]
"""Takes the name and text of a traversal; raises `ConfigurationError` if its header or columns are wrong."""
_KEYWORD = re.compile(r"\{[A-Z][A-Za-z0-9]*\}|\*?[^\s*{}]+(?: [^\s*{}]+)*\*?")
_ANY_WORD = {"*", "**"}


class PolicyForm(FileModel):
    """Which rows a classified request opens."""

    select: Literal["plausible", "top1", "all_critical"] = Field(
        default="plausible",
        description="plausible: rows above `plausible_above`, and rows whose keyword is said.",
    )
    plausible_above: float = Field(default=0.05, ge=0, lt=1, description="Probability from which a row is opened.")
    confident_above: float = Field(default=0.5, ge=0, lt=1, description="Below it, without a keyword: not recognised.")
    unknown: Literal["all_critical"] = "all_critical"


class IntentForm(FileModel):
    """One action type."""

    renamed: ClassVar[Mapping[str, str]] = {"train": "examples", "relations": "edges", "cypher": "traversal"}

    description: Word = Field(description="What kind of request this is, in one sentence.")
    extends: str = Field(default="", description="Another action type, whose edges and expansions are inherited.")
    edges: Listed[RelationName] = Field(default_factory=tuple, description="Relations of the schema to read.")
    needs: Listed[RelationName] = Field(
        default_factory=tuple,
        description="Edges that must have been asked before a check may say that nothing was found.",
    )
    expand: dict[RelationName, int] = Field(
        default_factory=dict, description="Relation of the knowledge pack to the steps taken along it, 1 to 5."
    )
    keywords: Listed[Word] = Field(
        default_factory=tuple,
        description="Words or phrases; * at an end for any letters; {Type} for any term of a type.",
    )
    weak_keywords: Listed[Word] = Field(
        default_factory=tuple,
        description="Everyday words among the keywords: they count as asked for only beside clearer words.",
    )
    phrases: Listed[Word] = Field(
        default_factory=tuple,
        description="Wordings that ask for it by themselves: (a|b) one of, (a)? perhaps, ..3 a gap, # a number.",
    )
    named: Listed[Word] = Field(
        default_factory=tuple,
        description="Wordings in which something stands by its name, at {}: an unknown word there is not recognised.",
    )
    name_endings: Listed[Word] = Field(
        default_factory=tuple,
        description="In what such names end: an unknown word that ends so is not recognised, wherever it stands.",
    )
    short_names: bool = Field(
        default=False, description="Capitals of two to five letters may be such a name, unless they are `everyday`."
    )
    examples: Listed[Word] = Field(default_factory=tuple, description="Requests of this kind; ten or more teach it.")
    traversal: str = Field(default="", description="An own Cypher file below the home, beside the standard query.")
    silent: bool = Field(default=False, description="A request of this kind alone opens nothing of its own.")


class IntentsForm(FileModel):
    """`intents.yaml`."""

    version: Literal[1]
    policy: PolicyForm = Field(default_factory=PolicyForm)
    everyday: Listed[Word] = Field(
        default_factory=tuple,
        description="Everyday words: as terms of the lexicon weak where {Type} is a keyword; in capitals no name.",
    )
    intents: dict[IntentName, IntentForm] = Field(min_length=1)


def load_intents(
    files: Files,
    schema: Schema,
    knowledge: Knowledge | None = None,
    *,
    check_traversal: CheckTraversal | None = None,
) -> IntentTable:
    """The table that the schema names.

    With `knowledge`, the relations under `expand` are compared with those of the pack; with `check_traversal`, custom
    queries are compared with what the store expects of them.

    Raises:
        ConfigurationError: the file is missing or wrong; names file, line and remedy, `others` holds further mistakes.
    """
    document = load(files.read(schema.intents))
    form = parsed(document, IntentsForm)
    check = _Check(document, form.intents, schema)
    for name in form.intents:
        check.row(name)
    check.expansions(knowledge)
    check.traversals(files, check_traversal)
    check.wrong.refuse()
    return IntentTable(
        version=digest([document.source.content]),
        policy=valued(Policy, form.policy),
        intents={name: _intent(name, form.intents) for name in form.intents},
        everyday=form.everyday,
    )


def _intent(name: str, forms: Mapping[str, IntentForm]) -> Intent:
    line = [forms[ancestor] for ancestor in (*reversed(_ancestors(name, forms)), name)]
    expand: dict[str, int] = {}
    for form in line:
        expand.update({relation: max(steps, expand.get(relation, 0)) for relation, steps in form.expand.items()})
    return valued(
        Intent,
        forms[name],
        name=name,
        edges=tuple(dict.fromkeys(edge for form in line for edge in form.edges)),
        needs=tuple(dict.fromkeys(edge for form in line for edge in form.needs)),
        expand=expand,
        traversal=next((form.traversal for form in reversed(line) if form.traversal), ""),
    )


def _ancestors(name: str, forms: Mapping[str, IntentForm]) -> list[str]:
    """Parent, grandparent, and so on; ends before a row that was met already."""
    found: list[str] = []
    while (name := forms[name].extends) and name in forms and name not in found:
        found.append(name)
    return found


class _Check:
    """Whether all that a table names exists, and each row can be reached and opens something."""

    def __init__(self, document: Document, forms: Mapping[str, IntentForm], schema: Schema) -> None:
        self.wrong = Mistakes(document)
        self._forms = forms
        self._schema = schema

    def row(self, name: str) -> None:
        """One row by itself."""
        form, path, schema = self._forms[name], ("intents", name), self._schema
        self._check_extends(path, name, form.extends)
        for index, edge in enumerate(form.edges):
            where = f"relations in schema/{schema.name}.yaml"
            self.wrong.unknown("edge", (*path, "edges", index), [edge], schema.relations, where)
        read = _intent(name, self._forms).edges
        for index, edge in enumerate(form.needs):
            where = f"edges of {name}, which must be read to be needed"
            self.wrong.unknown("edge", (*path, "needs", index), [edge], read, where)
        if not form.silent and not read:
            self.wrong.add("no edges; name at least one, or `silent: true` if nothing is to be read", path)
        for key, keywords in (("keywords", form.keywords), ("weak_keywords", form.weak_keywords)):
            for index, keyword in enumerate(keywords):
                self._check_keyword((*path, key, index), keyword)
        for key, phrases, sought in (("phrases", form.phrases, 0), ("named", form.named, 1)):
            for index, phrase in enumerate(phrases):
                self._check_phrase((*path, key, index), phrase, sought=sought)

    def _check_extends(self, path: Path, name: str, parent: str) -> None:
        path = (*path, "extends")
        if parent:
            self.wrong.unknown("action type", path, [parent], self._forms, "intents")
        if name in (ancestors := _ancestors(name, self._forms)):
            around = " → ".join((name, *ancestors))
            self.wrong.add(f"extends itself ({around}); remove one `extends` of the circle", path)

    def _check_keyword(self, path: Path, keyword: str) -> None:
        if _KEYWORD.fullmatch(keyword) is None or keyword in _ANY_WORD:
            self.wrong.add("not a keyword; write words, `*` only at an end, or {Type} alone", path)
        elif keyword.startswith("{"):
            known = (*self._schema.types, *self._schema.unions)
            self.wrong.unknown("type", path, [keyword[1:-1]], known, f"types in schema/{self._schema.name}.yaml")

    def _check_phrase(self, path: Path, phrase: str, *, sought: int) -> None:
        if phrase.count("{}") != sought:
            self.wrong.add("must hold {} once" if sought else "{} is for `named`; move the line there", path)
            return
        try:
            expression(phrase)
        except ValueError as error:
            self.wrong.add(f"not a phrase ({error}); write words, (a|b), (a)?, ..3 for a gap and # for a number", path)

    def expansions(self, knowledge: Knowledge | None) -> None:
        """Steps along relations, those of the pack where it is given."""
        known = None if knowledge is None else sorted({link.relation for link in knowledge.links})
        for name, form in self._forms.items():
            for relation, steps in form.expand.items():
                path = ("intents", name, "expand", relation)
                if not 1 <= steps <= 5:
                    self.wrong.add("steps go from 1 to 5; correct the number", path)
                if known is not None:
                    self.wrong.unknown("pack relation", path, [relation], known, "the knowledge pack")

    def traversals(self, files: Files, check: CheckTraversal | None) -> None:
        """Custom queries."""
        for name, form in self._forms.items():
            if form.traversal:
                try:
                    text = files.read(form.traversal).text
                except ConfigurationError as error:
                    self.wrong.add(f"{error}", ("intents", name, "traversal"))
                    continue
                try:
                    if check is not None:
                        check(form.traversal, text)
                except ConfigurationError as error:
                    self.wrong.elsewhere(error)
