"""The form of `schema/<name>.yaml`: which keys there are and what each takes.

The editors' JSON Schema is made from these models (`scripts/json_schemas.py`); what a name refers to is checked by
`schema_file.py`.
"""

from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from r_memory.config.names import (
    AttributeName,
    FileName,
    GradeName,
    Labels,
    Line,
    Listed,
    RelationName,
    RelationNames,
    Scalar,
    ScopeName,
    Shown,
    ShownWord,
    StatusName,
    TemplateName,
    TextAlone,
    TypeName,
    TypeNames,
    Word,
    WordOrWords,
    Words,
)
from r_memory.config.yaml_lines import FileModel
from r_memory.domain.wordings import check_template


class CueForm(FileModel):
    """Words that state a relation together with what it needs, in any order."""

    words: Words
    needs: Words = Field(description="Parts that must stand in the same clause: object, subject, number, object:Type.")
    counted: str = Field(default="", description="Unit of a small number right before the object: four Panadol.")


class ExampleForm(FileModel):
    """One sentence with what it must give."""

    text: Word
    expect: dict[str, Scalar] | Literal["none"] = Field(
        description="`object` and attributes of the one fact expected, or `none`."
    )
    status: StatusName = "active"


def _template(text: str) -> str:
    check_template(text)
    return text


TemplateText = Annotated[Word, AfterValidator(_template)]
TemplateTexts = Annotated[Listed[TemplateText], Field(min_length=1)]


class TemplateForm(FileModel):
    """A template, with a name where a rule refers to it; several may have one name."""

    name: TemplateName = Field(default="", validate_default=False, description="By which `reclassify` refers to it.")
    text: TemplateText = Field(description="A line of words with {slots}; see the reference.")


Templates = Listed[Annotated[TemplateForm, TextAlone()]]


class RelationForm(FileModel):
    """One edge type."""

    belongs: str = Field(
        default="",
        max_length=160,
        description="What belongs in it and where it ends: what decides between neighbours.",
    )
    subject: TypeNames | None = Field(default=None, description="Default: the subject of the schema.")
    object: TypeNames = Field(description="A type, a union of `types:`, or a list of these.")
    open_object: bool = Field(default=False, description="Keep a word outside the lexicon as unmapped.")
    critical: bool = Field(default=False, description="Read at every request, whatever its action type.")
    derived: bool = Field(default=False, description="No form states it: it comes of a rule, a relative, or a reader.")
    attrs: dict[AttributeName, Word] = Field(
        default={},
        description="Attribute to a type, or to severity, number, count, unit, period, hours, year, date, end, text.",
    )
    identity: Listed[Word] = Field(default=(), description="Attributes that tell two facts of one triple apart.")
    negation: Literal["absent", "ignore", "prohibits", "plain"] = Field(
        default="absent", description="What a negation cue does to it; `prohibits` is another word for `ignore`."
    )
    suppressed_by: RelationNames | None = Field(default=None, description="Relations that win where both match.")
    in_use_against: RelationNames | None = Field(
        default=None,
        description="Its object is taken, given, held or ordered: relations of a thing that speak against its use.",
    )
    single: str = Field(default="", description="Attribute of which one thing has only one value: a day, a number.")
    status: Literal["rule"] | None = Field(
        default=None, description="`rule`: it states a rule of the domain; kept unconfirmed, flagged."
    )
    object_prefix: Shown = Field(default="", description="Set before the object's name.")
    prefix_words: Listed[Word] = Field(
        default=(), description="Words of which one must stand beside it for the prefix; none: it is always set."
    )
    templates: Templates = Field(default=(), description="Lines of words with {slots}; see the reference.")
    ended: Templates = Field(default=(), description="Templates that say that it was so and is over.")
    cue: CueForm | None = None
    mention: bool = Field(default=False, description="The bare mention of an object is the assertion.")
    headers: Listed[Word] = Field(default=(), description="Headings of a list of objects.")
    none: dict[ScopeName, Words] = Field(default={}, description="Scope to its statements of absence.")
    none_templates: dict[ScopeName, TemplateTexts] = Field(default={}, description="The same, as templates.")
    denied_as: Words = Field(
        default=(), description="Words for the whole kind, by which a caller's reading may deny it: `allergies`."
    )
    denied_with: Words = Field(default=(), description="Words that may stand beside these in such a denial: `drug`.")
    denied_of: Words = Field(
        default=(), description="What such a thing does; denied of a scope it denies the kind of it: `trouble`."
    )
    denied_by: Words = Field(default=(), description="Further words that deny it, as the result of a check: `clear`.")
    line: Line = Field(
        description="How a fact is shown: {subject}, {object}, attributes filled in; [a part] where all of it is known."
    )
    severity_unstated: Shown = Field(default="", description="Shown for {severity} where no reaction was named.")
    revocable: bool = Field(
        default=False, description="Critical, but no risk: whoever stated it may end it by words, as an instruction."
    )
    passes: bool = Field(
        default=False,
        description="Critical, but it may be taken out or lifted: a check warns of it once later words say it is over.",
    )
    bears: Literal["named", "always", "dated", "placed"] = Field(
        default="named",
        description="`always`: it bears on every action that reads it, whatever that names; `dated`: every request "
        "that names a day reads it, and it bears where that is one of its days; `placed`: every request that asks "
        "where something is reads it, and shows what tells of that thing.",
    )
    across: Literal[True, False, "beside", "tie"] = Field(
        default=False,
        description="`true`: a check across everybody looks along it; `beside`: and shows it with whatever it finds of "
        "the same subject, such as a matter; `tie`: and who stands at its subject end is looked for as well.",
    )
    people: str = Field(
        default="",
        description="Its objects are people who may be subjects themselves: the attribute that says who they are.",
    )
    called_by: str = Field(
        default="",
        description="Its objects are what somebody calls the subject, such as `Mum`: the attribute that says who does.",
    )
    draft: Literal["conflict", "warning"] = Field(
        default="conflict", description="Verdict on a draft that names the object; severe ones are always a conflict."
    )
    question: Shown = Field(default="", description="What to ask where nothing is recorded.")
    review_after_days: int | None = Field(
        None, ge=1, description="Shown with `verify` when the newest observation is older."
    )
    examples: Listed[ExampleForm] = ()


class ReclassifyForm(FileModel):
    """A rule after extraction."""

    relation: RelationName
    when: dict[str, WordOrWords] = Field(
        min_length=1, description="Keys: status, said, template, object.type, <attribute>.<property>."
    )
    unless: dict[str, WordOrWords] = Field(default_factory=dict)
    to: RelationName
    status: StatusName | None = None


class FamilyForm(FileModel):
    """Where a relative's fact goes."""

    to: RelationName | None = Field(default=None, description="The relation that takes it, with `from`.")
    from_: RelationNames | None = Field(default=None, alias="from", description="Relations it is taken from.")
    object_suffix: dict[RelationName, ShownWord] = Field(default_factory=dict)
    review: RelationNames | None = Field(
        default=None, description="Relations whose fact about a relative a person must look at."
    )
    by_marriage: bool = Field(default=False, description="Facts of a spouse or the like go there as well.")


class BridgingForm(FileModel):
    """What an effect is told of, in an answer or beside several things that were given."""

    relation: RelationName
    needs: TypeName
    exposure: Words


class ComentionForm(FileModel):
    """The weaker tier, always unconfirmed."""

    relation: RelationName
    stems: Words
    types: TypeNames
    effects: Listed[Word] = Field(default=(), description="Phrases that tell of an effect by no name: `a funny turn`.")
    given: Listed[Word] = Field(
        default=(), description="What may have had an effect though nobody can name it: `injection`."
    )


class ReviewForm(FileModel):
    """What the safety net watches over."""

    types: TypeNames
    words: Listed[Word] = Field(
        default=(), description="What tells of a risk, beside the language's; `restrict-` is a beginning."
    )
    alone: Listed[Word] = Field(
        default=(),
        description="What makes a sentence wait by itself, whatever and whomever it names: a tie, a deadline.",
    )
    tells: dict[TypeName, dict[Word, Words]] = Field(
        default={},
        description="By type and term: what tells of it without its name, and makes a sentence wait like `alone`.",
    )
    over: dict[TypeName, dict[Word, Words]] = Field(
        default={},
        description="By type and term: what says that it is over without its name; it waits, and ends nothing.",
    )


class SchemaForm(FileModel):
    """`schema/<name>.yaml`."""

    schema_: FileName = Field(alias="schema", description="The name of this file without its ending.")
    include: Listed[Word] = Field(
        default=(), description="Files that this one builds on, such as schema/clinical.yaml: continued, not copied."
    )
    subject: TypeName = Field(description="Type of those whom facts are about.")
    owner: str = Field(
        default="", description="Id of the one whom a call without a subject is about; empty: every call names one."
    )
    language: FileName = Field(default="en", description="schema/language/<name>.yaml")
    lexicon: FileName = Field(description="schema/lexicon/<name>.yaml")
    knowledge: FileName | None = Field(default=None, description="schema/knowledge/<name>.yaml")
    intents: Word = Field(default="intents.yaml", description="The table of action types.")
    types: dict[TypeName, Listed[TypeName]] = Field(
        default={}, description="Unions of types; an empty list declares a type without terms."
    )
    labels: dict[TypeName, Labels] = Field(default={}, description="Further labels of a type's nodes.")
    severity: dict[GradeName, Words] = Field(default={}, description="Grade to its words, mildest first.")
    scopes: dict[ScopeName, ShownWord] = Field(
        default={}, description="Scope of an absence to how it is shown: `any_drug: drugs`."
    )
    covers: dict[ScopeName, TypeNames] = Field(
        default={}, description="Scope of an absence to the types that it speaks of; of all where left out."
    )
    scope_words: dict[ScopeName, Words] = Field(
        default={}, description="Scope of an absence to words for its things: `any_drug: [tablets]`."
    )
    voices: Listed[Word] = Field(
        default=(), description='Labels of speakers whose "we" is the subject\'s side, such as lawyer.'
    )
    compared_by: Shown = Field(
        default="",
        description="By what things are compared, such as `its ingredients`: said of a name that nobody knows.",
    )
    unavailable: ShownWord = Field(description="What to ask when memory cannot be read.")
    about: Shown = Field(
        default="", description="What is remembered, a few words for the texts of the tools: `allergies, implants`."
    )
    relations: dict[RelationName, RelationForm] = Field(min_length=1)
    reclassify: Listed[ReclassifyForm] = ()
    family: FamilyForm | None = None
    bridging: BridgingForm | None = None
    comention: ComentionForm | None = None
    review: ReviewForm | None = None
