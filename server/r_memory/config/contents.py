"""Whether what a brand or a mixture is filed under agrees with what it holds. Pure.

A brand under a group says nothing of what is in it, and a check that compares ingredients is then calm over them.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from r_memory.domain.facts import HAS_INGREDIENT, IS_A, concept
from r_memory.domain.knowledge import MEMBER_OF, Knowledge
from r_memory.domain.schema import Lexicon, Term

_INGREDIENTS = ((HAS_INGREDIENT, 3),)


@dataclass(frozen=True, slots=True, kw_only=True)
class Mismatch:
    """A term whose place in the lexicon contradicts its contents."""

    severity: Literal["warning", "notice"]
    term: Term
    text: str
    """The facts, and what to do."""


def mismatches(lexicon: Lexicon, knowledge: Knowledge) -> Iterator[Mismatch]:
    """Yields brands and mixtures whose place contradicts their contents.

    These are brands under a group, mixtures without a part of their name, mixtures in a group of none of their parts,
    and brands that share nothing with a shorter one.
    """
    yield from _of_a_group(lexicon, knowledge)
    yield from _without_a_part(lexicon, knowledge)
    yield from _of_no_parts_group(lexicon, knowledge)
    yield from _unlike_the_shorter(lexicon, knowledge)


def _of_a_group(lexicon: Lexicon, knowledge: Knowledge) -> Iterator[Mismatch]:
    for term, above in lexicon.brands.items():
        for group in (item for item in above if knowledge.incoming(concept(*item).uid, MEMBER_OF)):
            text = f"'{term[1]}' is a brand of the group '{group[1]}'; write it under what it contains"
            yield Mismatch(severity="warning", term=group, text=text)


def _without_a_part(lexicon: Lexicon, knowledge: Knowledge) -> Iterator[Mismatch]:
    for type_, names in lexicon.terms.items():
        for name in (name for name in names if "-" in name and (type_, name) not in lexicon.brands):
            parts = name.split("-")
            if all(part in names for part in parts):
                held = knowledge.closure(concept(type_, name).uid, _INGREDIENTS)
                if missing := [part for part in parts if concept(type_, part).uid not in held]:
                    text = f"'{name}' holds no {' and no '.join(missing)}; add what it contains to `parts` of the pack"
                    yield Mismatch(severity="warning", term=(type_, name), text=text)


def _of_no_parts_group(lexicon: Lexicon, knowledge: Knowledge) -> Iterator[Mismatch]:
    mixtures = {link.start for link in knowledge.links if link.relation == HAS_INGREDIENT and not link.usual}
    for type_, names in lexicon.terms.items():
        for name in (name for name in names if (type_, name) not in lexicon.brands):
            uid = concept(type_, name).uid
            parts = [link.end for link in knowledge.outgoing(uid, HAS_INGREDIENT) if not (link.usual or link.tier)]
            own = {there for part in parts for there in knowledge.closure(part, ((MEMBER_OF, 3),))}
            for link in knowledge.outgoing(uid, MEMBER_OF) if len(parts) > 1 else ():
                single = any(item.start not in mixtures for item in knowledge.incoming(link.end, MEMBER_OF))
                if single and link.end not in own:
                    group = knowledge.name_of(link.end)
                    text = f"'{name}' is of the group '{group}', and nothing that it contains is; look at both"
                    yield Mismatch(severity="notice", term=(type_, name), text=text)


def _unlike_the_shorter(lexicon: Lexicon, knowledge: Knowledge) -> Iterator[Mismatch]:
    by_name = {term[1].casefold(): term for term in lexicon.brands}
    for name, term in by_name.items():
        words = name.split()
        for shorter in (" ".join(words[:count]) for count in range(1, len(words))):
            if (other := by_name.get(shorter)) and not _contents(term, knowledge) & _contents(other, knowledge):
                text = f"'{term[1]}' and '{other[1]}' have no ingredient in common; look at what each contains"
                yield Mismatch(severity="notice", term=term, text=text)


def _contents(term: Term, knowledge: Knowledge) -> frozenset[str]:
    """Returns what a brand is or contains, without its own name."""
    closure = knowledge.closure(concept(*term).uid, _INGREDIENTS)
    kinds = frozenset({HAS_INGREDIENT, IS_A})
    return frozenset(uid for uid, path in closure.items() if path and {link.relation for link in path} <= kinds)
