"""Loads what words mean: `schema/lexicon/<name>.yaml` (a domain's terms) and `schema/language/<name>.yaml`.

Files of the folder `schema/lexicon/<name>.d` add terms, such as imported vocabularies; they never change what a word
of the lexicon means.

Both are open forms: a lexicon names its own types, a language its own sections. Which sections the rules need is theirs
to say.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated

from pydantic import ConfigDict, Field, PlainValidator

from r_memory.config.including import INCLUDE
from r_memory.config.names import Listed, TypeName, Word
from r_memory.config.yaml_lines import Document, FileModel, Mistakes, Path, Yaml, parsed
from r_memory.domain.schema import Language, Lexicon
from r_memory.domain.wordings import expression

_VALUES_KEY = "attrs"
_DAYS_PROPERTY = "review_after_days"
_PHRASES_KEY = "requests"
"""The section whose lists are phrases in the notation of `domain/wordings.py`."""
_MAX_LANGUAGE_DEPTH = 4


def _synonyms(value: object) -> tuple[str, ...]:
    """A comma-separated text or a list; nothing and the empty text mean no synonyms."""
    parts = value.split(",") if isinstance(value, str) else [] if value is None else value
    if not isinstance(parts, list) or not all(isinstance(part, str) for part in parts):
        raise ValueError('expected synonyms; write "one, two" or [one, two]')
    return tuple(dict.fromkeys(stripped for part in parts if (stripped := part.strip())))


Terms = Annotated[dict[str, Annotated[tuple[str, ...], PlainValidator(_synonyms)]], Field(min_length=1)]
"""Canonical name to synonyms."""
Grades = Annotated[dict[str, Listed[str]], Field(min_length=1)]
"""Value of a property to the terms that have it."""


class LexiconForm(FileModel):
    """`Type: {canonical: "synonym, synonym"}`, and `attrs: {Type: {property: {value: [canonicals]}}}`."""

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[TypeName, Terms]
    include: Listed[Word] = Field(default=(), description="Lexicons that this one builds on.")
    attrs: dict[str, dict[str, Grades]] = Field(default_factory=dict)


def lexicon_from(document: Document) -> Lexicon:
    """The lexicon of a document."""
    form, wrong = parsed(document, LexiconForm), Mistakes(document)
    terms = form.__pydantic_extra__
    if not terms:
        wrong.add("no terms; write `Type: {canonical: synonyms}`")
    for type_, names in terms.items():
        first: dict[str, str] = {}
        for name in names:
            if (other := first.setdefault(name.casefold(), name)) != name:
                message = f"'{name}' and '{other}' differ only in capitals; keep one, write the other as a synonym"
                wrong.add(message, (type_, name))
    for path, message in _wrong_values(form.attrs, terms):
        wrong.add(message, (_VALUES_KEY, *path))
    wrong.refuse()
    return Lexicon(terms=terms, values=form.attrs)


def _wrong_values(values: Mapping[str, Mapping[str, Grades]], terms: Mapping[str, Terms]) -> Iterator[tuple[Path, str]]:
    """What is wrong with properties of terms, and where."""
    for type_ in values.keys() - terms.keys():
        yield (type_,), f"'{type_}' has no terms in this file; correct the type"
    graded = ((type_, name, grades) for type_, properties in values.items() for name, grades in properties.items())
    for type_, property_, grades in graded:
        for grade, names in grades.items():
            path = (type_, property_, grade)
            if property_ == _DAYS_PROPERTY and not grade.isdecimal():
                yield path, f"'{grade}' is not a number of days; write a whole number"
            for index, name in enumerate(names):
                if name not in terms.get(type_, (name,)):
                    yield (*path, index), f"'{name}' is not a term of this type; write its canonical name"


def lexicon_with(base: Lexicon, documents: Iterable[Document]) -> Lexicon:
    """The lexicon with the terms of further files: a word that is known keeps its meaning, and gains synonyms only."""
    terms = {type_: dict(names) for type_, names in base.terms.items()}
    known = {
        word.casefold(): (type_, name)
        for type_, names in terms.items()
        for name, synonyms in names.items()
        for word in (name, *synonyms)
    }
    values = dict(base.values)
    for document in documents:
        added = lexicon_from(document)
        if added.values and not _includes(document):
            raise document.error("properties of terms belong into the lexicon itself; move them", (_VALUES_KEY,))
        for type_, properties in added.values.items():
            values[type_] = {**values.get(type_, {}), **properties}
        for type_, names in added.terms.items():
            for name, synonyms in names.items():
                owner = known.setdefault(name.casefold(), (type_, name))
                new = [word for word in synonyms if known.setdefault(word.casefold(), owner) == owner]
                own = terms.setdefault(owner[0], {})
                own[owner[1]] = tuple(dict.fromkeys((*own.get(owner[1], ()), *new)))
    return Lexicon(terms=terms, values=values)


def _includes(document: Document) -> bool:
    """Whether it is a lexicon of its own that builds on another."""
    return isinstance(document.data, dict) and INCLUDE in document.data


def language_from(document: Document, name: str) -> Language:
    """The language of a document: any sections of texts, numbers, lists and mappings of these."""
    sections = document.data
    if not isinstance(sections, dict) or not sections:
        raise document.error("expected a mapping; write lines of `key: value`")
    if sections.get("language") != name:
        raise document.error(f"`language:` must say '{name}', as the file is called", ("language",))
    wrong = Mistakes(document)
    _check_shape(wrong, (), sections)
    wrong.refuse()
    _check_phrases(wrong, sections.get(_PHRASES_KEY))
    wrong.refuse()
    return Language(code=name, sections={key: value for key, value in sections.items() if key != "language"})


def _check_shape(wrong: Mistakes, path: Path, value: Yaml) -> None:
    if value is None or value == "":
        wrong.add("is empty; write something or remove the line", path)
    elif len(path) > _MAX_LANGUAGE_DEPTH:
        wrong.add("nested too deeply; write lists and mappings of words", path)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            if not isinstance(item, str) or not item:
                wrong.add("expected a word; put it in quotes", (*path, index))
    elif isinstance(value, dict):
        for key, inner in value.items():
            _check_shape(wrong, (*path, key), inner)


def _check_phrases(wrong: Mistakes, section: Yaml) -> None:
    for name, phrases in section.items() if isinstance(section, dict) else ():
        for index, phrase in enumerate(phrases if isinstance(phrases, list) else ()):
            try:
                expression(str(phrase))
            except ValueError as error:
                told = f"not a phrase ({error}); write words, (a|b), (a)?, ..3 for a gap and # for a number"
                wrong.add(told, (_PHRASES_KEY, str(name), index))
