"""Sentences that are orders: a medicine stopped for what it did, what to mind in caring for someone, the lowest sum,
how somebody may be reached.

Knows closed forms of the language file; every other sentence is left to the readers of prose.
"""

import re
from collections.abc import Callable, Iterator, Sequence
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
_FEW_WORDS = 8
"""Maximum number of words of a sentence that tells a sum and nothing else."""
_LIMIT = "limit"
"""The attribute of an instruction that holds its sum."""


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
        self._instruction = schema.relations.get(named.get("instruction", ""))
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
        numbered, textures = _either(words("targets")), _textures(lambda name: _either(words(name)))
        self._within = re.compile(rf"\b(?:(?:{numbered})\b[^,;.\n]*?\d[^,;\n]*|{textures}[^,;\n]*)", re.IGNORECASE)
        self._joining = frozenset(words("joining"))
        self._beyond = frozenset((*words("beyond"), *listed(schema.language, "kin")))
        unit = rf"\s?(?:{_either(words('money'))})"
        sum_of = rf"(?P<sum>[£$€]\s?\d[\d.,]*(?:{unit}\b)?|\d[\d.,]*{unit}(?:{unit})?\b)"
        against = rf"(?:\b|(?=n't))(?:{_either(words('against'))})\b"
        self._floor = re.compile(rf"{against}(?:\s\w+){{0,4}}?\s(?:{_either(words('below'))})\s{sum_of}", re.IGNORECASE)
        self._settling, self._opposing = frozenset(words("settling")), frozenset(words("opposing"))
        self._lowest = next(iter(words("lowest_sum")), "")
        self._reached = re.compile(_reached(lambda name: _either(words(name))), re.IGNORECASE)
        self._own, self._happened = frozenset(words("own")), frozenset(words("happened"))
        self._secret = schema.relations.get(named.get("secret", ""))
        self._confided = re.compile(rf"\b(?:{_either(words('confided'))})\b", re.IGNORECASE)

    def found(self, text: str) -> Iterator[SheetOrder]:
        """Yields the orders of a text, from its beginning."""
        for said, start in _sentences(text):
            span = Span(start=start, end=start + len(said))
            if facts := self._precaution(said, start):
                yield SheetOrder(span=span, facts=facts, alone=True)
            elif facts := self._amid(said, start) or self._stop(said, start):
                yield SheetOrder(span=span, facts=facts, alone=False)

    def said(self, text: str) -> Iterator[Proposal]:
        """Yields the orders that stand in the middle of sentences, from the beginning of what a person says."""
        before = ("", 0)
        for said, start in _sentences(text):
            yield from self._amid(said, start)
            yield from self._confidence(text, before, (said, start))
            before = said, start

    def _amid(self, said: str, start: int) -> tuple[Proposal, ...]:
        return (*self._inside(said, start), *self._lowest_sum(said, start), *self._reaching(said, start))

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

    def _confidence(self, text: str, before: tuple[str, int], now: tuple[str, int]) -> Iterator[Proposal]:
        """Yields what was told in confidence: behind the colon of the sentence that says so, or right before it."""
        found = self._confided.search(now[0])
        if self._secret is None or found is None or now[0].endswith("?"):
            return
        start = now[1] if ":" in now[0] or not before[0] else before[1]
        told = now[0].partition(":")[2] if ":" in now[0] else before[0].partition(":")[2] or before[0]
        if name := " ".join(told.split()).strip(" .,;!"):
            said = text[start : now[1] + len(now[0])]
            yield made(self._secret, _unknown(name), Status.UNCONFIRMED, {}, said, start)

    def _inside(self, said: str, start: int) -> tuple[Proposal, ...]:
        """Returns the standing orders within a sentence: an oxygen target with its number, the texture of drinks."""
        orders = () if self._standing is None or said.endswith("?") else [*self._within.finditer(said)]
        if self._standing is None or not orders or not self._beyond.isdisjoint(words_of(said.lower())):
            return ()
        names = (self._named(order[0]) for order in orders)
        return tuple(made(self._standing, _unknown(name), Status.ACTIVE, {}, said, start) for name in names)

    def _named(self, order: str) -> str:
        """Returns the words of an order without those that only join it to others, such as "please" at its end."""
        words = order.split()
        while len(words) > 1 and words[-1].lower() in self._joining:
            words.pop()
        name = " ".join(words).strip(" .")
        return name[:1].lower() + name[1:]

    def _lowest_sum(self, said: str, start: int) -> tuple[Proposal, ...]:
        """Returns the lowest sum for which the client settles; in doubt if it may be somebody else's."""
        floor = None if said.endswith("?") else self._floor.search(said)
        if floor is None or self._instruction is None or _LIMIT not in self._instruction.attrs:
            return ()
        words = words_of(said.lower())
        if self._settling.isdisjoint(words) and len(words) > _FEW_WORDS:
            return ()
        status = Status.ACTIVE if self._opposing.isdisjoint(words) else Status.UNCONFIRMED
        return (made(self._instruction, _unknown(self._lowest), status, {_LIMIT: floor["sum"]}, said, start),)

    def _reaching(self, said: str, start: int) -> Iterator[Proposal]:
        """Yields how the speaker may be reached, or not: "never ring me at work", "email only"."""
        if said.endswith("?") or self._instruction is None:
            return
        reached = [*self._reached.finditer(said)]
        words = words_of(said.lower()) if reached else ()
        own = not self._own.isdisjoint(words)
        for found in reached:
            order = found["ban"] or found["way"]
            told = own or (found["way"] and len(words) <= _FEW_WORDS)
            if told and self._happened.isdisjoint(words_of(order.lower())):
                yield made(self._instruction, _unknown(self._named(order)), Status.ACTIVE, {}, said, start)

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
        return (made(self._standing, _unknown(name), Status.ACTIVE, attrs, said, start),)


def _textures(any_of: Callable[[str], str]) -> str:
    """A pattern for how drink or food must be: "all drinks must be thickened", "pureed food only"."""
    drinks, thick, foods, soft, must = (
        rf"(?:{any_of(name)})\b" for name in ("drinks", "thickness", "foods", "softness", "no_choice")
    )
    few = r"(?:\s+[\w-]+){0,4}?\s+"
    drink = rf"{thick}(?:\s+all)?\s+{drinks}|{drinks}{few}{thick}"
    food = rf"{soft}\s+{foods}{few}{must}|{must}{few}{soft}\s+{foods}|{foods}{few}{must}{few}{soft}"
    return rf"(?:{drink}|{food})"


def _reached(any_of: Callable[[str], str]) -> str:
    """A pattern for how somebody may not be reached (`ban`), or only (`way`); `any_of` gives the words of a list."""
    led = rf"(?:^\s*|[,;:(]\s*|\b(?:{any_of('opening')})\s+)"
    ever, what = rf"(?:(?:{any_of('ever')})\s+)?", rf"(?:{any_of('reaching')})\b[^,;:.!?\n]*"
    ban = rf"{led}(?P<ban>(?:{any_of('banning')})\s+{ever}{what})"
    by, ways, solely = (rf"(?:{any_of(name)})" for name in ("ways_by", "ways", "solely"))
    return rf"{ban}|\b(?P<way>(?:{by}\s+)?{ways}\s+{solely}|{solely}\s+{by}\s+{ways})\b"


def _sentences(text: str) -> Iterator[tuple[str, int]]:
    """Yields the sentences that are short enough to be an order, with their places."""
    for sentence in _SENTENCE.finditer(text):
        said = sentence[0].strip()
        if 1 < len(said.split()) <= _MOST_WORDS:
            yield said, sentence.start() + len(sentence[0]) - len(sentence[0].lstrip())


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


def _unknown(name: str) -> Mention:
    """Returns a thing that no lexicon knows, by its words."""
    return Mention(type="", name=name, start=0, end=len(name), surface=name)


def _either(forms: Sequence[str]) -> str:
    return "|".join(re.escape(each) for each in sorted(forms, key=len, reverse=True)) or "(?!)"
