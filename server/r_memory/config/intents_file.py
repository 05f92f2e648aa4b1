"""Loads the table of action types, `intents.yaml` (design, section 5): joins what rows inherit and refuses what would
silently open nothing.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import ClassVar, Literal

from pydantic import Field

from r_memory.config.files import Files, digest
from r_memory.config.names import IntentName, RelationName, Word, unknown_name
from r_memory.config.yaml_lines import Document, FileModel, Step, first_of, load, parsed
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
    edges: list[RelationName] = Field(default_factory=list, description="Relations of the schema to read.")
    needs: list[RelationName] = Field(
        default_factory=list,
        description="Edges that must have been asked before a check may say that nothing was found.",
    )
    expand: dict[RelationName, int] = Field(
        default_factory=dict, description="Relation of the knowledge pack to the steps taken along it, 1 to 5."
    )
    keywords: list[Word] = Field(
        default_factory=list,
        description="Words or phrases; * at an end for any letters; {Type} for any term of a type.",
    )
    weak_keywords: list[Word] = Field(
        default_factory=list,
        description="Everyday words among the keywords: they count as asked for only beside clearer words.",
    )
    phrases: list[Word] = Field(
        default_factory=list,
        description="Wordings that ask for it by themselves: (a|b) one of, (a)? perhaps, ..3 a gap, # a number.",
    )
    named: list[Word] = Field(
        default_factory=list,
        description="Wordings in which something stands by its name, at {}: an unknown word there is not recognised.",
    )
    examples: list[Word] = Field(default_factory=list, description="Requests of this kind; ten or more teach it.")
    traversal: str = Field(default="", description="An own Cypher file below the home, beside the standard query.")
    silent: bool = Field(default=False, description="A request of this kind alone opens nothing of its own.")


class IntentsForm(FileModel):
    """`intents.yaml`."""

    version: Literal[1]
    policy: PolicyForm = Field(default_factory=PolicyForm)
    everyday: list[Word] = Field(
        default_factory=list,
        description="Terms of the lexicon that are everyday words: weak where {Type} is a keyword.",
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
    errors = [*_errors(document, form, schema), *_expand_errors(document, form, knowledge)]
    errors.extend(_traversal_errors(document, form, files, check_traversal))
    if errors:
        raise first_of(errors)
    policy = Policy(**form.policy.model_dump())
    intents = {name: _intent(name, form.intents) for name in form.intents}
    return IntentTable(
        version=digest([document.source.content]), policy=policy, intents=intents, everyday=tuple(form.everyday)
    )


def _intent(name: str, forms: Mapping[str, IntentForm]) -> Intent:
    own = forms[name]
    line = [forms[ancestor] for ancestor in (*reversed(_ancestors(name, forms)), name)]
    expand: dict[str, int] = {}
    for form in line:
        expand.update({relation: max(steps, expand.get(relation, 0)) for relation, steps in form.expand.items()})
    return Intent(
        name=name,
        description=own.description,
        edges=tuple(dict.fromkeys(edge for form in line for edge in form.edges)),
        needs=tuple(dict.fromkeys(edge for form in line for edge in form.needs)),
        extends=own.extends,
        expand=expand,
        keywords=tuple(own.keywords),
        weak_keywords=tuple(own.weak_keywords),
        phrases=tuple(own.phrases),
        named=tuple(own.named),
        examples=tuple(own.examples),
        traversal=next((form.traversal for form in reversed(line) if form.traversal), ""),
        silent=own.silent,
    )


def _ancestors(name: str, forms: Mapping[str, IntentForm]) -> list[str]:
    """Parent, grandparent, and so on; ends before a row that was met already."""
    found: list[str] = []
    while (name := forms[name].extends) and name in forms and name not in found:
        found.append(name)
    return found


def _errors(document: Document, form: IntentsForm, schema: Schema) -> Iterator[ConfigurationError]:
    for name, intent in form.intents.items():
        path = ("intents", name)
        yield from _extends_errors(document, path, name, form.intents)
        for index, edge in enumerate(intent.edges):
            if edge not in schema.relations:
                message = unknown_name("edge", edge, tuple(schema.relations), f"relations in schema/{schema.name}.yaml")
                yield document.error(message, (*path, "edges", index))
        read = _intent(name, form.intents).edges
        for index, edge in enumerate(intent.needs):
            if edge not in read:
                message = unknown_name("edge", edge, read, f"edges of {name}, which must be read to be needed")
                yield document.error(message, (*path, "needs", index))
        if not intent.silent and not read:
            yield document.error("no edges; name at least one, or `silent: true` if nothing is to be read", path)
        yield from _wording_errors(document, path, intent, schema)


def _wording_errors(
    document: Document, path: tuple[Step, ...], intent: IntentForm, schema: Schema
) -> Iterator[ConfigurationError]:
    for key, keywords in (("keywords", intent.keywords), ("weak_keywords", intent.weak_keywords)):
        for index, keyword in enumerate(keywords):
            yield from _keyword_errors(document, (*path, key, index), keyword, schema)
    for key, phrases, sought in (("phrases", intent.phrases, 0), ("named", intent.named, 1)):
        for index, phrase in enumerate(phrases):
            yield from _phrase_errors(document, (*path, key, index), phrase, sought=sought)


def _extends_errors(
    document: Document, path: tuple[Step, ...], name: str, forms: Mapping[str, IntentForm]
) -> Iterator[ConfigurationError]:
    parent = forms[name].extends
    if parent and parent not in forms:
        yield document.error(unknown_name("action type", parent, tuple(forms), "intents"), (*path, "extends"))
    elif name in _ancestors(name, forms):
        around = " → ".join((name, *_ancestors(name, forms)))
        yield document.error(f"extends itself ({around}); remove one `extends` of the circle", (*path, "extends"))


def _keyword_errors(
    document: Document, path: tuple[Step, ...], keyword: str, schema: Schema
) -> Iterator[ConfigurationError]:
    if _KEYWORD.fullmatch(keyword) is None or keyword in _ANY_WORD:
        yield document.error("not a keyword; write words, `*` only at an end, or {Type} alone", path)
    elif keyword.startswith("{") and (type_ := keyword[1:-1]) not in {*schema.types, *schema.unions}:
        known = (*schema.types, *schema.unions)
        yield document.error(unknown_name("type", type_, known, f"types in schema/{schema.name}.yaml"), path)


def _phrase_errors(
    document: Document, path: tuple[Step, ...], phrase: str, *, sought: int
) -> Iterator[ConfigurationError]:
    if phrase.count("{}") != sought:
        yield document.error("must hold {} once" if sought else "{} is for `named`; move the line there", path)
        return
    try:
        expression(phrase)
    except ValueError as error:
        message = f"not a phrase ({error}); write words, (a|b), (a)?, ..3 for a gap and # for a number"
        yield document.error(message, path)


def _expand_errors(document: Document, form: IntentsForm, knowledge: Knowledge | None) -> Iterator[ConfigurationError]:
    known = None if knowledge is None else sorted({link.relation for link in knowledge.links})
    for name, intent in form.intents.items():
        for relation, steps in intent.expand.items():
            path = ("intents", name, "expand", relation)
            if not 1 <= steps <= 5:
                yield document.error("steps go from 1 to 5; correct the number", path)
            if known is not None and relation not in known:
                yield document.error(unknown_name("pack relation", relation, known, "the knowledge pack"), path)


def _traversal_errors(
    document: Document, form: IntentsForm, files: Files, check: CheckTraversal | None
) -> Iterator[ConfigurationError]:
    for name, intent in form.intents.items():
        if intent.traversal:
            path = ("intents", name, "traversal")
            try:
                text = files.read(intent.traversal).text
            except ConfigurationError as error:
                yield document.error(f"{error}", path)
                continue
            if check is not None:
                yield from _checked(check, intent.traversal, text)


def _checked(check: CheckTraversal, name: str, text: str) -> Iterator[ConfigurationError]:
    try:
        check(name, text)
    except ConfigurationError as error:
        yield error
