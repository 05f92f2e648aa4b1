"""The form of `schema/<name>.yaml`: which keys there are and what each takes.

The editors' JSON Schema is made from these models (`json_schemas.py`); what a name refers to is checked by
`schema_file.py`.
"""

import re
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field, StringConstraints, WithJsonSchema

from r_memory.config.yaml_lines import FileModel
from r_memory.domain.schema import FORBIDDEN_ATTRIBUTES

_RELATION = "^[A-Z][A-Z0-9_]*$"
_TYPE = "^[A-Z][A-Za-z0-9]*$"
_ATTRIBUTE = "^[a-z][a-z0-9_]*$"
_SCOPE = "^[a-z][a-z0-9_]*$"
_FILE = "^[a-z0-9][a-z0-9_-]*$"


def _relation(name: str) -> str:
    return _matching(name, _RELATION, "a relation is written in capitals, digits and _, such as HAS_ALLERGY_TO")


def _type(name: str) -> str:
    return _matching(name, _TYPE, "a type starts with a capital and has letters and digits only, such as DrugClass")


def _attribute(name: str) -> str:
    if name in FORBIDDEN_ATTRIBUTES:
        raise ValueError(f"'{name}' is what the stored fact uses itself; choose another name for the attribute")
    return _matching(name, _ATTRIBUTE, "an attribute is written in small letters, digits and _, such as reaction")


def _scope(name: str) -> str:
    return _matching(name, _SCOPE, "a scope is written in small letters, digits and _, such as any_drug")


def _file(name: str) -> str:
    return _matching(name, _FILE, "the name of a file without folder and ending, such as clinical")


def _matching(name: str, pattern: str, rule: str) -> str:
    if re.fullmatch(pattern, name) is None:
        raise ValueError(f"'{name}' cannot be used; {rule}")
    return name


def _listed(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


def _named(pattern: str) -> WithJsonSchema:
    return WithJsonSchema({"type": "string", "pattern": pattern})


def _one_or_more(pattern: str) -> WithJsonSchema:
    name = {"type": "string", "pattern": pattern}
    return WithJsonSchema({"anyOf": [name, {"type": "array", "items": name, "minItems": 1}]})


Word = Annotated[str, StringConstraints(min_length=1)]
Words = Annotated[list[Word], Field(min_length=1)]
RelationName = Annotated[str, AfterValidator(_relation), _named(_RELATION)]
TypeName = Annotated[str, AfterValidator(_type), _named(_TYPE)]
AttributeName = Annotated[str, AfterValidator(_attribute), _named(_ATTRIBUTE)]
ScopeName = Annotated[str, AfterValidator(_scope), _named(_SCOPE)]
FileName = Annotated[str, AfterValidator(_file), _named(_FILE)]
TypeNames = Annotated[list[TypeName], BeforeValidator(_listed), Field(min_length=1), _one_or_more(_TYPE)]
RelationNames = Annotated[list[RelationName], BeforeValidator(_listed), Field(min_length=1), _one_or_more(_RELATION)]
WordOrWords = Annotated[list[Word], BeforeValidator(_listed), Field(min_length=1), _one_or_more(".")]
StatusName = Literal["active", "unconfirmed", "negated", "refuted", "resolved", "entered_in_error"]
Scalar = str | int | float | bool


class CueForm(FileModel):
    """Words that state a relation together with what it needs, in any order."""

    words: Words
    needs: Words = Field(description="Parts that must stand in the same clause: object, subject, number, object:Type.")


class ExampleForm(FileModel):
    """One sentence with what it must give."""

    text: Word
    expect: Annotated[
        dict[str, Scalar] | Literal["none"],
        Field(description="`object` and attributes of the one fact expected, or `none`."),
    ]
    status: StatusName = "active"


class RelationForm(FileModel):
    """One edge type."""

    renamed = {"attributes": "attrs", "example": "examples", "template": "templates", "header": "headers"}

    subject: Annotated[TypeNames | None, Field(description="Default: the subject of the schema.")] = None
    object: Annotated[TypeNames, Field(description="A type, a union of `types:`, or a list of these.")]
    open_object: Annotated[bool, Field(description="Keep a word outside the lexicon as unmapped.")] = False
    critical: Annotated[bool, Field(description="Read at every request, whatever its action type.")] = False
    derived: Annotated[bool, Field(description="Comes from reclassification only.")] = False
    attrs: Annotated[
        dict[AttributeName, Word],
        Field(description="Attribute to a type, or severity, number, unit, period, hours, year, text."),
    ] = {}
    identity: Annotated[list[Word], Field(description="Attributes that tell two facts of one triple apart.")] = []
    negation: Annotated[
        Literal["absent", "ignore", "prohibits", "plain"], Field(description="What a negation cue does; prohibits = ignore.")
    ] = "absent"
    suppressed_by: RelationNames | None = None
    status: Annotated[
        Literal["rule"] | None, Field(description="`rule`: states a rule of the domain; kept unconfirmed, flagged.")
    ] = None
    object_prefix: str = ""
    templates: list[Word] = []
    cue: CueForm | None = None
    mention: Annotated[bool, Field(description="The bare mention of an object is the assertion.")] = False
    headers: list[Word] = []
    none: Annotated[dict[ScopeName, Words], Field(description="Scope to the statements of absence.")] = {}
    none_templates: dict[ScopeName, Words] = {}
    line: Annotated[Word, Field(description="How a fact is shown: {subject}, {object} and attributes are filled in.")]
    severity_unstated: str = ""
    question: Annotated[str, Field(description="What to ask where nothing is recorded.")] = ""
    examples: list[ExampleForm] = []


class ReclassifyForm(FileModel):
    """A rule after extraction."""

    relation: RelationName
    when: Annotated[
        dict[str, WordOrWords],
        Field(min_length=1, description="Keys: status, said, trigger_has, object.type, <attribute>.<property>."),
    ]
    unless: dict[str, WordOrWords] = {}
    to: RelationName
    status: StatusName | None = None


class FamilyForm(FileModel):
    """Where a relative's fact goes."""

    to: RelationName
    from_: Annotated[RelationNames, Field(alias="from")]
    object_suffix: dict[RelationName, Word] = {}


class BridgingForm(FileModel):
    """A reaction without an agent joins an exposure one sentence before."""

    relation: RelationName
    needs: TypeName
    exposure: Words
    status: StatusName = "unconfirmed"


class ComentionForm(FileModel):
    """The weaker tier, always unconfirmed."""

    relation: RelationName
    stems: Words
    types: TypeNames


class ReviewForm(FileModel):
    """What the safety net watches over."""

    types: TypeNames


class SchemaForm(FileModel):
    """`schema/<name>.yaml`."""

    renamed = {"severity_words": "severity", "subject_type": "subject", "edges": "relations"}

    schema_: Annotated[FileName, Field(alias="schema", description="The name of this file without its ending.")]
    subject: Annotated[TypeName, Field(description="Type of those whom facts are about.")]
    language: Annotated[FileName, Field(description="schema/language/<name>.yaml")] = "en"
    lexicon: Annotated[FileName, Field(description="schema/lexicon/<name>.yaml")]
    knowledge: Annotated[FileName | None, Field(description="schema/knowledge/<name>.yaml")] = None
    intents: Annotated[Word, Field(description="The table of action types.")] = "intents.yaml"
    types: Annotated[
        dict[TypeName, list[TypeName]],
        Field(description="Unions of types; an empty list declares a type without terms."),
    ] = {}
    labels: Annotated[dict[TypeName, TypeNames], Field(description="Further labels of a type's nodes.")] = {}
    severity: Annotated[dict[ScopeName, Words], Field(description="Grade to its words, mildest first.")] = {}
    scopes: Annotated[dict[ScopeName, Word], Field(description="Scope of an absence to how it is shown.")] = {}
    unavailable: Annotated[Word, Field(description="What to ask when memory cannot be read.")]
    relations: Annotated[dict[RelationName, RelationForm], Field(min_length=1)]
    reclassify: list[ReclassifyForm] = []
    family: FamilyForm | None = None
    bridging: BridgingForm | None = None
    comention: ComentionForm | None = None
    review: ReviewForm | None = None
