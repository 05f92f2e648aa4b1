"""Loads the policy of the gates, `gates.yaml`: what becomes of an answer that something recorded stands against."""

from typing import Annotated, Literal

from pydantic import Field

from r_memory.config.access_tokens import hash_of
from r_memory.config.files import Files
from r_memory.config.names import KnownNames, Listed, RelationName, Word, written
from r_memory.config.yaml_lines import FileModel, Mistakes, load, parsed
from r_memory.domain.blocks import MatchLevel
from r_memory.domain.gates import CallerKey, Decision, GatePolicy, Levels, Reactions
from r_memory.domain.schema import Schema

FILE = "gates.yaml"
Reaction = Literal["note", "annotate", "hold", "stop"]


class LevelsForm(FileModel):
    """A reaction for each way in which a recorded fact meets what a draft names."""

    exact: Reaction | None = Field(default=None, description="The very thing that is recorded.")
    ingredient: Reaction | None = Field(default=None, description="A thing that contains it, or that it contains.")
    class_: Reaction | None = Field(default=None, alias="class", description="A thing of the same group.")
    meant: Reaction | None = Field(default=None, description="What the words mean, as whoever read them named it.")
    day: Reaction | None = Field(default=None, description="A day of what is recorded, with nothing else of it.")
    name_only: Reaction | None = Field(default=None, description="The same name, of which nothing more is known.")


class ReactionsForm(FileModel):
    """What a conflict and a warning lead to: one word for every match level, or one for each."""

    conflict: Reaction | LevelsForm | None = Field(
        default=None, description="A critical fact surely stands against it."
    )
    warning: Reaction | LevelsForm | None = Field(default=None, description="Somebody should look at it.")


class KeyForm(FileModel):
    """Somebody who may use the proxy."""

    sha256: Annotated[str, written("[0-9a-f]{64}", "write 64 small hexadecimal digits in quotes")] = Field(
        description="Hash of the API key that the client sends."
    )
    subject: str = Field(default="", description="Whom all its requests are about; empty: each request names somebody.")


class GatesForm(FileModel):
    """`gates.yaml`."""

    version: Literal[1]
    unavailable: Literal["stop", "annotate"] = Field(
        default="stop", description="Where the memory could not be read, or no receipt could be written."
    )
    not_checkable: Reaction = Field(
        default="note", description="Where nothing was found and something named could not be compared."
    )
    conflict: Reaction | LevelsForm = Field(default="stop", description="For every edge that is not named below.")
    warning: Reaction | LevelsForm = Field(default="annotate", description="Likewise.")
    edges: dict[RelationName, ReactionsForm] = Field(default={}, description="Edges that differ.")
    no_content: Listed[Word] = Field(
        default=(), description="Fields of a tool call whose values are no content, such as ids and dates."
    )
    keys: Listed[KeyForm] = Field(default=(), description="Who may use the proxy; none: whoever reaches it.")


def load_gates(files: Files, schema: Schema) -> GatePolicy:
    """Returns the gate policy of the home, or the shipped one.

    Raises:
        ConfigurationError: an edge or a word is unknown; with file and line.
    """
    document = load(files.read(FILE))
    where = f"relations in schema/{schema.name}.yaml"
    known = {"relation": KnownNames(kind="edge", names=schema.relations, where=where)}
    form, wrong = parsed(document, GatesForm, known), Mistakes(document)
    usual = Reactions(conflict=_levels(form.conflict, "stop"), warning=_levels(form.warning, "annotate"))
    for number, key in enumerate(form.keys):
        if key.sha256 in {other.sha256 for other in form.keys[:number]}:
            wrong.add("the same key twice; keep one entry", ("keys", number))
        if key.sha256 == hash_of(""):
            wrong.add("the hash of no key at all; hash the key that the client sends", ("keys", number))
    wrong.refuse()
    return GatePolicy(
        unavailable=form.unavailable,
        not_checkable=form.not_checkable,
        usual=usual,
        edges={
            name: Reactions(
                conflict=usual.conflict if edge.conflict is None else _levels(edge.conflict, usual.conflict),
                warning=usual.warning if edge.warning is None else _levels(edge.warning, usual.warning),
            )
            for name, edge in form.edges.items()
        },
        no_content=frozenset(map(str.casefold, form.no_content)),
        keys=tuple(CallerKey(sha256=key.sha256, subject=key.subject) for key in form.keys),
    )


def _levels(said: Reaction | LevelsForm, otherwise: Decision | Levels) -> Levels:
    """Returns the reaction for every level; `otherwise` gives those that the file leaves out."""
    if isinstance(said, str):
        return dict.fromkeys(MatchLevel, said)
    usual = dict.fromkeys(MatchLevel, otherwise) if isinstance(otherwise, str) else otherwise
    given = {level: getattr(said, "class_" if level is MatchLevel.CLASS else level.value) for level in MatchLevel}
    return {level: given[level] or usual[level] for level in MatchLevel}
