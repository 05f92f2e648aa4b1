"""Loads the table of action types, `intents.yaml` (design, section 5): joins what rows inherit and refuses what would
silently open nothing.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, ValidationInfo

from r_memory.config.files import Files, digest
from r_memory.config.including import joined
from r_memory.config.names import IntentName, KnownNames, Listed, PackRelation, RelationName, Word, refer
from r_memory.config.yaml_lines import FileModel, Mistakes, load, parsed, valued
from r_memory.domain.intents import Intent, IntentTable, Policy
from r_memory.domain.knowledge import Knowledge
from r_memory.domain.schema import Schema
from r_memory.domain.wordings import expression
from r_memory.errors import ConfigurationError

_REQUESTS = "schema/requests"
CheckTraversal = Callable[[str, str], None]
"""Checks name and text of a traversal. Raises `ConfigurationError` if its header or columns are wrong."""
_KEYWORD = re.compile(r"\{[A-Z][A-Za-z0-9]*\}|\*?[^\s*{}]+(?: [^\s*{}]+)*\*?")
_ANY_WORD = {"*", "**"}


def _keyword(text: str, info: ValidationInfo) -> str:
    if _KEYWORD.fullmatch(text) is None or text in _ANY_WORD:
        raise ValueError("not a keyword; write words, `*` only at an end, or {Type} alone")
    if text.startswith("{"):
        refer(text[1:-1], "type", info)
    return text


def _wording(text: str, *, sought: int) -> str:
    if text.count("{}") != sought:
        raise ValueError("must hold {} once" if sought else "{} is for `named`; move the line there")
    try:
        expression(text)
    except ValueError as error:
        told = f"not a phrase ({error}); write words, (a|b), (a)?, ..3 for a gap and # for a number"
        raise ValueError(told) from error
    return text


def _steps(number: int) -> int:
    if not 1 <= number <= 5:
        raise ValueError("steps go from 1 to 5; correct the number")
    return number


Keyword = Annotated[Word, AfterValidator(_keyword)]
Phrase = Annotated[Word, AfterValidator(partial(_wording, sought=0))]
Naming = Annotated[Word, AfterValidator(partial(_wording, sought=1))]


class PolicyForm(FileModel):
    """Which rows a classified request opens."""

    select: Literal["plausible", "top1", "all_critical"] = Field(
        default="plausible", description="plausible: rows above `plausible_above`, and rows whose keyword is said."
    )
    plausible_above: float = Field(default=0.05, ge=0, lt=1, description="Probability from which a row is opened.")
    confident_above: float = Field(default=0.5, ge=0, lt=1, description="Below it, without a keyword: not recognised.")
    unknown: Literal["all_critical"] = "all_critical"


class IntentForm(FileModel):
    """One action type."""

    description: Word = Field(description="What kind of request this is, in one sentence.")
    extends: str = Field(default="", description="Another action type, whose edges and expansions are inherited.")
    edges: Listed[RelationName] = Field(default=(), description="Relations of the schema to read.")
    needs: Listed[RelationName] = Field(
        default=(), description="Edges that must have been asked before a check may say that nothing was found."
    )
    expand: dict[PackRelation, Annotated[int, AfterValidator(_steps)]] = Field(
        default={}, description="Relation of the knowledge pack to the steps taken along it, 1 to 5."
    )
    unasked: Literal["gap", "note"] = Field(
        default="gap", description="Whether a needed edge that was never asked makes a check not checkable."
    )
    needs_named: bool = Field(
        default=False, description="`needs` holds only where the words name a party, a thing or a sum."
    )
    keywords: Listed[Keyword] = Field(
        default=(), description="Words or phrases; * at an end for any letters; {Type} for any term of a type."
    )
    weak_keywords: Listed[Keyword] = Field(
        default=(), description="Everyday words among the keywords: they count as asked for only beside clearer words."
    )
    phrases: Listed[Phrase] = Field(
        default=(),
        description="Wordings that ask for it by themselves: (a|b) one of, (a)? perhaps, ..3 a gap, # a number.",
    )
    named: Listed[Naming] = Field(
        default=(),
        description="Wordings in which something stands by its name, at {}: an unknown word there is not recognised.",
    )
    name_endings: Listed[Word] = Field(
        default=(),
        description="In what such names end: an unknown word that ends so is not recognised, wherever it stands.",
    )
    short_names: bool = Field(
        default=False, description="Capitals of two to five letters may be such a name, unless they are `everyday`."
    )
    examples: Listed[Word] = Field(default=(), description="Requests of this kind; ten or more teach it.")
    traversal: str = Field(default="", description="An own Cypher file below the home, beside the standard query.")
    silent: bool = Field(default=False, description="A request of this kind alone opens nothing of its own.")


class IntentsForm(FileModel):
    """`intents.yaml`."""

    version: Literal[1]
    include: Listed[Word] = Field(
        default=(), description="Tables that this one builds on; a row of the same name takes the place of theirs."
    )
    policy: PolicyForm = Field(default_factory=PolicyForm)
    everyday: Listed[Word] = Field(
        default=(),
        description="Everyday words: as terms of the lexicon weak where {Type} is a keyword; in capitals no name.",
    )
    intents: dict[IntentName, IntentForm] = Field(min_length=1)


class RequestsForm(FileModel):
    """`schema/requests/<code>.yaml`: words of another language that open rows."""

    language: Word = Field(description="Code of the language, as its file is called.")
    intents: dict[IntentName, Listed[Keyword]] = Field(
        min_length=1, description="Action type to its words; a type that a table does not have is passed over."
    )


def load_intents(
    files: Files,
    schema: Schema,
    knowledge: Knowledge | None = None,
    *,
    check_traversal: CheckTraversal | None = None,
) -> IntentTable:
    """Returns the table of action types that the schema names.

    With `knowledge`, the relations under `expand` must be in the pack; with `check_traversal`, custom queries are
    checked.

    Raises:
        ConfigurationError: the table is wrong; with file and line.
    """
    whole = joined(files, schema.intents, whole=("intents",))
    document = whole.document
    where = f"in schema/{schema.name}.yaml"
    known = {
        "relation": KnownNames(kind="edge", names=schema.relations, where=f"relations {where}"),
        "type": KnownNames(kind="type", names=(*schema.types, *schema.unions), where=f"types {where}"),
    }
    if knowledge is not None:
        relations = sorted({link.relation for link in knowledge.links})
        known["pack relation"] = KnownNames(kind="pack relation", names=relations, where="the knowledge pack")
    form = parsed(document, IntentsForm, known)
    wrong = Mistakes(document)
    for name in form.intents:
        _check_row(wrong, name, form.intents)
        _check_traversal(wrong, name, form.intents[name].traversal, files, check_traversal)
    wrong.refuse()
    return IntentTable(
        version=digest(source.content for source in whole.sources),
        policy=valued(Policy, form.policy),
        intents={name: _intent(name, form.intents) for name in form.intents},
        everyday=form.everyday,
        elsewhere=_words_elsewhere(files, schema),
    )


def _words_elsewhere(files: Files, schema: Schema) -> Mapping[str, Mapping[str, tuple[str, ...]]]:
    """Returns the words of the other languages of the schema, by code and action type.

    Raises:
        ConfigurationError: a file is wrong; with file and line.
    """
    found = {}
    for code in schema.languages:
        if files.find(name := f"{_REQUESTS}/{code}.yaml") is None:
            continue
        document = load(files.read(name))
        form = parsed(document, RequestsForm)
        if form.language != code:
            raise document.error(f"`language:` must say '{code}', as the file is called", ("language",))
        found[code] = form.intents
    return found


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
        noted=_noted(line),
        needs_named=form.needs_named,
        expand=expand,
        traversal=next((form.traversal for form in reversed(line) if form.traversal), ""),
    )


def _noted(line: Iterable[IntentForm]) -> tuple[str, ...]:
    """The needed edges of a row and its ancestors of which none of them makes a gap."""
    line = tuple(line)
    gaps = {edge for form in line if form.unasked == "gap" for edge in form.needs}
    return tuple(dict.fromkeys(edge for form in line for edge in form.needs if edge not in gaps))


def _ancestors(name: str, forms: Mapping[str, IntentForm]) -> list[str]:
    """Returns parent, grandparent, and so on, up to the first repeated row."""
    found: list[str] = []
    while (name := forms[name].extends) and name in forms and name not in found:
        found.append(name)
    return found


def _check_row(wrong: Mistakes, name: str, forms: Mapping[str, IntentForm]) -> None:
    """Adds a mistake if a row inherits from an unknown row, or opens nothing."""
    form, path = forms[name], ("intents", name)
    if form.extends:
        wrong.unknown("action type", (*path, "extends"), [form.extends], forms, "intents")
    if name in (ancestors := _ancestors(name, forms)):
        around = " → ".join((name, *ancestors))
        wrong.add(f"extends itself ({around}); remove one `extends` of the circle", (*path, "extends"))
    read = _intent(name, forms).edges
    for index, edge in enumerate(form.needs):
        where = f"edges of {name}, which must be read to be needed"
        wrong.unknown("edge", (*path, "needs", index), [edge], read, where)
    if not form.silent and not read:
        wrong.add("no edges; name at least one, or `silent: true` if nothing is to be read", path)


def _check_traversal(
    wrong: Mistakes, name: str, traversal: str, files: Files, check: CheckTraversal | None = None
) -> None:
    """Adds a mistake if a custom query is missing or does not fit the store."""
    if not traversal:
        return
    try:
        text = files.text(traversal)
    except ConfigurationError as error:
        wrong.add(f"{error}", ("intents", name, "traversal"))
        return
    try:
        if check is not None:
            check(traversal, text)
    except ConfigurationError as error:
        wrong.among(error)
