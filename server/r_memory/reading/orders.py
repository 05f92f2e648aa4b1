"""Sentences of documents that are orders: a medicine stopped for what it did, and what to mind in caring for someone.

Knows closed forms of the language file; every other sentence is left to the readers of prose.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from r_memory.domain.facts import Attribute, Flag, Proposal, Route, Span, Status
from r_memory.domain.schema import Relation, Schema
from r_memory.protocols import Linker, Mention
from r_memory.reading.language import listed, paired
from r_memory.text.cutting import words_of

_SECTION = "sheets"
_SENTENCE = re.compile(r"(?:[^.!?\n]|[.](?=\S)|\n(?!\s*(?:\n|[-*\u2022]|\d{1,2}[.)]\s)))+[.!?]?")
_BULLET = r"\s*(?:[-*\u2022]\s*|\d{1,2}[.)]\s+)?"
_MOST_WORDS = 24


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetOrder:
    """A sentence with what it orders."""

    span: Span
    facts: tuple[Proposal, ...]
    alone: bool
    """Whether no other reader reads the sentence."""


class Orders:
    """Finds such sentences under one schema."""

    def __init__(self, schema: Schema, linker: Linker) -> None:
        def words(name: str) -> tuple[str, ...]:
            return listed(schema.language, _SECTION, name)

        self._schema, self._linker = schema, linker
        named = dict(paired(schema.language, _SECTION, "relations"))
        self._effect = schema.relations.get(named.get("effect", ""))
        self._standing = schema.relations.get(named.get("standing", ""))
        self._used = [each for each in schema.relations.values() if each.in_use_against]
        self._because = re.compile(rf"\b(?:{_either(words('because'))})\b", re.IGNORECASE)
        self._ended = frozenset(words("ended"))
        self._ruled_out = frozenset({*words("telling"), *listed(schema.language, "kin")}) - frozenset(words("past"))
        before = rf"{_BULLET}(?:(?:{_either(words('joining'))})\s+){{0,2}}"
        self._fluid = re.compile(
            rf"{before}(?P<order>(?:{_either(words('fluids'))})\b[^.\n]*?\d.*)", re.IGNORECASE | re.DOTALL
        )
        self._unused = re.compile(
            rf"{before}(?P<order>{_either(words('unused'))})\b(?P<rest>.*)", re.IGNORECASE | re.DOTALL
        )
        self._sites, self._sides = frozenset(words("sites")), frozenset(words("sides"))

    def found(self, text: str) -> Iterator[SheetOrder]:
        """Yields the orders of a text, from its beginning."""
        for sentence in _SENTENCE.finditer(text):
            lead = len(sentence[0]) - len(sentence[0].lstrip())
            said, start = sentence[0].strip(), sentence.start() + lead
            if not 1 < len(said.split()) <= _MOST_WORDS:
                continue
            span = Span(start=start, end=start + len(said))
            if facts := self._precaution(said, start):
                yield SheetOrder(span=span, facts=facts, alone=True)
            elif facts := self._stop(said, start):
                yield SheetOrder(span=span, facts=facts, alone=False)

    def _stop(self, said: str, start: int) -> tuple[Proposal, ...]:
        """Returns the end of a medicine and, in doubt, what it did; nothing unless both are named."""
        because = self._because.search(said)
        if because is None or self._effect is None:
            return ()
        left, right = said[: because.start()], said[because.end() :]
        words = words_of(left.lower())
        if self._ended.isdisjoint(words) or not self._ruled_out.isdisjoint((*words, *words_of(right.lower()))):
            return ()
        used = [(each, of) for of in self._used for each in self._linker.mentions(left) if each.type in of.objects]
        name, kind = next(
            ((name, kind) for name, kind in self._effect.attrs.items() if kind in self._schema.lexicon.values), ("", "")
        )
        effect = next((each for each in self._linker.mentions(right) if each.type == kind), None)
        if len({each.name for each, _ in used}) != 1 or effect is None:
            return ()
        thing, relation = used[0]
        told: dict[str, Attribute] = {name: effect.name}
        return (
            made(relation, thing, Status.RESOLVED, {}, said, start),
            made(self._effect, thing, Status.UNCONFIRMED, told, said, start),
        )

    def _precaution(self, said: str, start: int) -> tuple[Proposal, ...]:
        """Returns a standing order: a limit of fluids with its amount, or what is not done to a limb."""
        limit, ban = self._fluid.fullmatch(said), self._unused.fullmatch(said)
        order = limit or ban
        if order is None or self._standing is None:
            return ()
        because = self._because.search(said)
        end, reason = (len(said), "") if because is None else (because.start(), said[because.end() :])
        words = words_of(said[order.start("order") if limit else order.end("order") :].lower())
        site = next((word for word in words if word in self._sites), "")
        side = next((word for word in words if word in self._sides), "")
        if not self._ruled_out.isdisjoint(words) or (limit is None and not site):
            return ()
        told = {"reason": reason.strip(" .,;"), **({} if limit else {"site": site, "side": side})}
        name = " ".join(said[order.start("order") : end if limit else order.end("order")].split()).strip(" .,;")
        name = name[:1].lower() + name[1:]
        attrs: dict[str, Attribute] = {
            key: value for key, value in told.items() if value and key in self._standing.attrs
        }
        thing = Mention(type="", name=name, start=0, end=len(name), surface=name)
        return (made(self._standing, thing, Status.ACTIVE, attrs, said, start),)


def made(
    relation: Relation, named: Mention, status: Status, attrs: dict[str, Attribute], text: str, start: int
) -> Proposal:
    """Returns the fact of an entry or a sentence at a place of a document."""
    lead, said = len(text) - len(text.lstrip()), text.strip()
    return Proposal(
        relation=relation.name,
        object=named.name,
        object_type=named.type,
        status=status,
        attrs=attrs,
        evidence=said,
        span=Span(start=start + lead, end=start + lead + len(said)),
        route=Route.RULES,
        extractor="sheets/1",
        template="entry",
        flags=frozenset() if named.type else frozenset({Flag.UNMAPPED}),
    )


def _either(forms: Sequence[str]) -> str:
    return "|".join(re.escape(each) for each in sorted(forms, key=len, reverse=True)) or "(?!)"
