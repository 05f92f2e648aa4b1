"""The template language of a schema, compiled.

    "~ (gave|given) ..2 {object:Medication+} ..4 {reaction}"

A word stands for itself; `(a|b c)` for one of several, with `?` behind it for none as well; `..N` for up to N words;
`{slot}` for a term, `{slot+}` for a list of them, `{slot:Type}` narrows it to a type and `{slot:term}` to one term, and
`{slot!}` takes a name that no lexicon knows as well; `#` for a number that is no year; `@` for the beginning of a
date; `^` and `$` for the beginning and the end of a clause. `~` makes a template weak: it gives no absence and no
unknown word. `?` makes it a hint: it counts only where the taught reader leans the same way.

Knows the grammar, not how a sentence is searched (`matching.py`).
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from r_memory.domain.schema import Relation, Schema
from r_memory.errors import ConfigurationError

Words = tuple[str, ...]
Cut = Callable[[str], Words]


@dataclass(frozen=True, slots=True, kw_only=True)
class Literal:
    """One of several phrases."""

    options: tuple[Words, ...]
    optional: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """Up to `most` words of any kind."""

    most: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Slot:
    """A place for a term."""

    name: str
    """`object`, or an attribute."""
    types: frozenset[str]
    only: str = ""
    """The only canonical name that fits."""
    many: bool = False
    open: bool = False
    """An unknown word fits too."""
    guess: bool = False
    """A misspelt term fits too."""
    named: bool = False
    """Any proper name of a person, a firm or a security fits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Edge:
    """The beginning or the end of a clause."""

    opening: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Number:
    """A number in digits that is no year."""

    unlike: re.Pattern[str] = re.compile(r"(?:19|20)\d\d|.*[/:].*")

    def fits(self, word: str) -> bool:
        """Whether the word is a number and no year."""
        return word[0].isdigit() and self.unlike.fullmatch(word) is None


@dataclass(frozen=True, slots=True, kw_only=True)
class Day:
    """The first word of a date: "14/03/2027", "14th", "Tuesday", "March", the "14" of "14 March"."""

    figures: re.Pattern[str] = re.compile(
        r"\d{1,2}(?:st|nd|rd|th)|\d{1,2}[./-]\d{1,2}(?:[./-](?:\d{4}|\d{2}))?|\d{4}-\d\d-\d\d"
    )

    def fits(self, words: Sequence[str], names: frozenset[str], doubtful: frozenset[str]) -> bool:
        """Whether a date begins at the first word; `names` are days and months, `doubtful` the ambiguous ones."""
        first, *others = words
        if first.rstrip(".") in names - doubtful or self.figures.fullmatch(first):
            return True
        return first.isdigit() and len(first) < 3 and bool(others) and others[0].rstrip(".") in names


Element = Literal | Gap | Slot | Number | Day | Edge


@dataclass(frozen=True, slots=True, kw_only=True)
class Template:
    """One wording of a relation."""

    relation: str
    text: str
    """As written; the decision log shows it."""
    name: str = ""
    """The name by which rules refer to it."""
    elements: tuple[Element, ...]
    weak: bool = False
    hint: bool = False
    """It counts only where the taught reader leans the same way."""
    ended: bool = False
    """It says that something was so and is over."""
    scope: str = ""
    """The scope that it names in place of an object."""

    @property
    def needed(self) -> tuple[frozenset[str], ...]:
        """For each required phrase, the words of which the sentence must hold one."""
        return tuple(
            frozenset(option[0] for option in element.options)
            for element in self.elements
            if isinstance(element, Literal) and not element.optional
        )

    @property
    def needed_types(self) -> tuple[frozenset[str], ...]:
        """For each slot that takes only terms, the types of which the sentence must hold one."""
        slots = (element for element in self.elements if isinstance(element, Slot))
        return tuple(slot.types for slot in slots if slot.name != "object" or slot.only)

    @property
    def takes_names(self) -> bool:
        """Whether a slot accepts an unknown proper name."""
        return any(isinstance(element, Slot) and element.named for element in self.elements)

    @property
    def words(self) -> frozenset[str]:
        """Every word in it."""
        return frozenset(
            word
            for element in self.elements
            if isinstance(element, Literal)
            for option in element.options
            for word in option
        )

    @property
    def event(self) -> bool:
        """Whether it tells an event: it has a slot for an attribute, such as a reaction."""
        return any(isinstance(element, Slot) and element.name != "object" for element in self.elements)


_PART = re.compile(r"\s*(?:(\{[^}]*\})|(\([^)]*\)\??)|\.\.(\d+)|(\^|\$)(?=\s|$)|([^\s{}]+))")
_SLOT = re.compile(r"\{(\w+)(?::([^}+?!]+))?(\+)?(!)?(\?)?\}")


class Compiler:
    """Compiles the templates of one schema."""

    def __init__(self, schema: Schema, cut: Cut) -> None:
        self._schema = schema
        self._cut = cut

    def templates(self, relation: Relation) -> Iterator[Template]:
        """Yields the templates of a relation, those of absences included.

        Raises:
            ConfigurationError: a template cannot be read; the message says why.
        """
        for text in relation.phrasing.templates:
            yield self.template(relation, text)
        for text in relation.phrasing.ended:
            yield replace(self.template(relation, text), ended=True)
        for scope, texts in relation.phrasing.none_templates.items():
            for text in texts:
                yield self.template(relation, text, scope=scope)

    def template(self, relation: Relation, text: str, scope: str = "") -> Template:
        """Returns one compiled template.

        Raises:
            ConfigurationError: it cannot be read; the message says why.
        """
        weak, hint = text.startswith("~"), text.startswith("?")
        body = text[weak or hint :].strip()
        if body.startswith("~"):
            raise self._wrong(relation, text, "a guess from nearness is no longer read; write one ~ or delete it")
        elements = tuple(self._elements(relation, text, body, weak=weak))
        if not any(isinstance(element, Literal | Slot) for element in elements):
            raise self._wrong(relation, text, "it is empty; write words or a {slot}")
        name = relation.phrasing.names.get(text, "")
        return Template(
            relation=relation.name, text=text, name=name, elements=elements, weak=weak, hint=hint, scope=scope
        )

    def _elements(self, relation: Relation, text: str, body: str, *, weak: bool) -> Iterator[Element]:
        position = 0
        while position < len(body):
            part = _PART.match(body, position)
            if part is None:
                raise self._wrong(relation, text, f"cannot read '{body[position:]}'; close every brace and bracket")
            position = part.end()
            slot, group, gap, edge, word = part.groups()
            if slot:
                yield self._slot(relation, text, slot, weak=weak)
            elif group and group != "(":
                inner = group.removesuffix("?")[1:-1]
                options = tuple(self._cut(option) for option in inner.split("|"))
                yield Literal(options=options, optional=group.endswith("?"))
            elif gap:
                yield Gap(most=int(gap))
            elif edge:
                yield Edge(opening=edge == "^")
            elif word == "#":
                yield Number()
            elif word == "@":
                yield Day()
            elif len(word or group) > 1 and (word or group)[0] in "(|)":
                raise self._wrong(relation, text, f"cannot read '{word or group}'; close every brace and bracket")
            else:
                yield Literal(options=(self._cut(word or group),))

    def _slot(self, relation: Relation, text: str, part: str, *, weak: bool) -> Slot:
        found = _SLOT.fullmatch(part)
        if found is None:
            known = "{slot}, {slot+}, {slot:Type}, {slot!} or {slot?}"
            raise self._wrong(relation, text, f"cannot read '{part}'; write {known}")
        name, narrowed, many, proper, misspelt = found.groups()
        types = self._types(relation, text, name)
        only = ""
        if narrowed and narrowed in (*self._schema.types, *self._schema.unions):
            types = self._schema.concrete(narrowed)
        elif narrowed:
            only = self._term(relation, text, types, narrowed)
        is_open = name == "object" and relation.open_object and not weak and not narrowed
        guess = name == "object" and (not weak or misspelt is not None) and not only
        named = proper is not None
        return Slot(
            name=name, types=frozenset(types), only=only, many=many is not None, open=is_open, guess=guess, named=named
        )

    def _types(self, relation: Relation, text: str, name: str) -> Sequence[str]:
        if name == "object":
            return relation.objects
        if name not in relation.attrs:
            known = ", ".join(("object", *relation.attrs))
            raise self._wrong(relation, text, f"unknown slot '{name}'; use one of: {known}")
        return self._schema.concrete(relation.attrs[name])

    def _term(self, relation: Relation, text: str, types: Sequence[str], name: str) -> str:
        for type_ in types:
            for canonical in self._schema.lexicon.terms.get(type_, ()):
                if canonical.casefold() == name.casefold():
                    return canonical
        raise self._wrong(relation, text, f"'{name}' is neither a type nor a term of {', '.join(types)}")

    def _wrong(self, relation: Relation, text: str, problem: str) -> ConfigurationError:
        return ConfigurationError(f"relations.{relation.name}, template '{text}': {problem}")
