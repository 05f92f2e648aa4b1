"""Loads what words mean: `schema/lexicon/<name>.yaml` (a domain's terms) and `schema/language/<name>.yaml`.

Files of the folder `schema/lexicon/<name>.d` add terms, such as imported vocabularies; they never change what a word
of the lexicon means.

Both are open forms: a lexicon names its own types, a language its own sections. Which sections the rules need is theirs
to say.
"""

import re
from collections.abc import Iterable, Iterator, Mapping

from r_memory.config.names import TYPE_PATTERN
from r_memory.config.yaml_lines import Document, Step, Yaml, first_of
from r_memory.domain.schema import Language, Lexicon
from r_memory.errors import ConfigurationError

_VALUES_KEY = "attrs"
_DAYS_PROPERTY = "review_after_days"
_MAX_LANGUAGE_DEPTH = 4
Names = Mapping[str, tuple[str, ...]]


def lexicon_from(document: Document) -> Lexicon:
    """The lexicon of a document: `Type: {canonical: "synonym, synonym"}`, and `attrs:` for properties of terms.

    Raises:
        ConfigurationError: names line and remedy.
    """
    data = _mapping(document, (), document.data)
    types = {key: value for key, value in data.items() if key != _VALUES_KEY}
    errors = list(_type_errors(document, types))
    if errors:
        raise first_of(errors)
    terms = {type_: _terms(document, type_, value) for type_, value in types.items()}
    return Lexicon(terms=terms, values=_values(document, data.get(_VALUES_KEY), terms))


def lexicon_with(base: Lexicon, documents: Iterable[Document]) -> Lexicon:
    """The lexicon with the terms of further files: a word that is known keeps its meaning, and gains synonyms only.

    Raises:
        ConfigurationError: names file, line and remedy.
    """
    terms = {type_: dict(names) for type_, names in base.terms.items()}
    known = {
        word.casefold(): (type_, name)
        for type_, names in terms.items()
        for name, synonyms in names.items()
        for word in (name, *synonyms)
    }
    for document in documents:
        added = lexicon_from(document)
        if added.values:
            raise document.error("properties of terms belong into the lexicon itself; move them", (_VALUES_KEY,))
        for type_, names in added.terms.items():
            for name, synonyms in names.items():
                _join(terms, known, type_, name, synonyms)
    return Lexicon(terms=terms, values=base.values)


def _join(
    terms: dict[str, dict[str, tuple[str, ...]]],
    known: dict[str, tuple[str, str]],
    type_: str,
    name: str,
    synonyms: tuple[str, ...],
) -> None:
    """Adds one term, or what is new of it to the term that has its name already."""
    owner = known.setdefault(name.casefold(), (type_, name))
    new = [word for word in synonyms if known.setdefault(word.casefold(), owner) == owner]
    own = terms.setdefault(owner[0], {})
    own[owner[1]] = tuple(dict.fromkeys((*own.get(owner[1], ()), *new)))


def _type_errors(document: Document, types: Mapping[str, Yaml]) -> Iterator[ConfigurationError]:
    if not types:
        yield document.error("no terms; write `Type: {canonical: synonyms}`")
    for type_ in types:
        if re.fullmatch(TYPE_PATTERN, type_) is None:
            yield document.error(f"'{type_}' cannot be a type; start with a capital, letters and digits only", (type_,))


def _terms(document: Document, type_: str, value: Yaml) -> Names:
    terms: dict[str, tuple[str, ...]] = {}
    first: dict[str, str] = {}
    for canonical, synonyms in _mapping(document, (type_,), value).items():
        other = first.setdefault(canonical.casefold(), canonical)
        if other != canonical:
            message = f"'{canonical}' and '{other}' differ only in capitals; keep one, write the other as a synonym"
            raise document.error(message, (type_, canonical))
        terms[canonical] = _synonyms(document, (type_, canonical), synonyms)
    return terms


def _synonyms(document: Document, path: tuple[Step, ...], value: Yaml) -> tuple[str, ...]:
    """A comma-separated text or a list; nothing and the empty text mean no synonyms."""
    if value is None:
        return ()
    parts = value.split(",") if isinstance(value, str) else value
    if not isinstance(parts, list) or not all(isinstance(part, str) for part in parts):
        raise document.error('expected synonyms; write "one, two" or [one, two]', path)
    return tuple(dict.fromkeys(stripped for part in parts if isinstance(part, str) and (stripped := part.strip())))


def _values(document: Document, value: Yaml, terms: Mapping[str, Names]) -> Mapping[str, Mapping[str, Names]]:
    """`attrs: {Type: {property: {value: [canonicals]}}}`."""
    path = (_VALUES_KEY,)
    if value is None:
        return {}
    return {
        type_: {
            property_: _valued(document, (*path, type_, property_), valued, terms.get(type_))
            for property_, valued in _mapping(document, (*path, type_), properties).items()
        }
        for type_, properties in _mapping(document, path, value).items()
    }


def _valued(document: Document, path: tuple[Step, ...], value: Yaml, known: Names | None) -> Names:
    if known is None:
        raise document.error(f"'{path[1]}' has no terms in this file; correct the type", path[:2])
    return {
        _checked_value(document, path, grade): tuple(
            _canonical(document, (*path, grade, index), name, known)
            for index, name in enumerate(_list(document, (*path, grade), names))
        )
        for grade, names in _mapping(document, path, value).items()
    }


def _checked_value(document: Document, path: tuple[Step, ...], value: str) -> str:
    if path[-1] == _DAYS_PROPERTY and not value.isdecimal():
        raise document.error(f"'{value}' is not a number of days; write a whole number", (*path, value))
    return value


def _canonical(document: Document, path: tuple[Step, ...], name: Yaml, known: Names) -> str:
    if not isinstance(name, str) or name not in known:
        raise document.error(f"'{name}' is not a term of this type; write its canonical name", path)
    return name


def language_from(document: Document, name: str) -> Language:
    """The language of a document: any sections of texts, numbers, lists and mappings of these.

    Raises:
        ConfigurationError: names line and remedy.
    """
    sections = _mapping(document, (), document.data)
    if sections.get("language") != name:
        raise document.error(f"`language:` must say '{name}', as the file is called", ("language",))
    errors = list(_shape_errors(document, (), sections))
    if errors:
        raise first_of(errors)
    return Language(code=name, sections={key: value for key, value in sections.items() if key != "language"})


def _shape_errors(document: Document, path: tuple[Step, ...], value: Yaml) -> Iterator[ConfigurationError]:
    if value is None or value == "":
        yield document.error("is empty; write something or remove the line", path)
    elif len(path) > _MAX_LANGUAGE_DEPTH:
        yield document.error("nested too deeply; write lists and mappings of words", path)
    elif isinstance(value, list):
        yield from _item_errors(document, path, value)
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from _shape_errors(document, (*path, key), inner)


def _item_errors(document: Document, path: tuple[Step, ...], items: list[Yaml]) -> Iterator[ConfigurationError]:
    for index, item in enumerate(items):
        if not isinstance(item, str) or not item:
            yield document.error("expected a word; put it in quotes", (*path, index))


def _mapping(document: Document, path: tuple[Step, ...], value: Yaml) -> dict[str, Yaml]:
    if not isinstance(value, dict) or not value:
        raise document.error("expected a mapping; write lines of `key: value`", path)
    return value


def _list(document: Document, path: tuple[Step, ...], value: Yaml) -> list[Yaml]:
    if not isinstance(value, list):
        raise document.error("expected a list; write [a, b]", path)
    return value
