"""Finds the keywords of action types in a request: words, phrases, `word*`, `*word` and `{Type}`.

Knows the notation, not what a hit means; the table's policy decides that.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from r_memory.domain.intents import IntentTable
from r_memory.domain.schema import Schema
from r_memory.protocols import UNKNOWN, Mention

SIMPLE = str.maketrans("\u2018\u2019\u02bc\u2010\u2011\u2013", "'''---")
"""Quotes and hyphens of other shapes to the simple ones."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Keywords:
    """The keywords of one action type, ready to be looked for."""

    pattern: re.Pattern[str] | None
    """Matches whole words of plain text; `None` if all keywords are types."""
    types: frozenset[str]
    """Types of the lexicon, unions resolved, of which any mention is a hit."""

    def hits(self, text: str, mentions: Sequence[Mention]) -> tuple[str, ...]:
        """The words of plain `text` that name the action type, each once, in the order met; then the mentions."""
        words = () if self.pattern is None else (match.group() for match in self.pattern.finditer(text))
        named = (plain(mention.surface) for mention in mentions if mention.type in self.types)
        return tuple(dict.fromkeys((*words, *named)))


def plain(text: str) -> str:
    """Casefolded, with simple quotes, hyphens and single spaces."""
    return " ".join(text.translate(SIMPLE).casefold().split())


def compiled(table: IntentTable, schema: Schema) -> Mapping[str, Keywords]:
    """The keywords of every action type of the table, weak ones too, by its name."""
    return {
        name: keywords_of((*intent.keywords, *intent.weak_keywords), schema, named=bool(intent.named))
        for name, intent in table.intents.items()
    }


def keywords_of(keywords: Sequence[str], schema: Schema, *, named: bool = False) -> Keywords:
    """Some keywords, ready to be looked for; where something is asked for by its name, so is what nobody knows."""
    types = {type_ for one in keywords if one.startswith("{") for type_ in schema.concrete(one[1:-1])}
    words = [_expression(one) for one in keywords if not one.startswith("{")]
    pattern = re.compile(rf"(?<!\w)(?:{'|'.join(words)})(?!\w)") if words else None
    return Keywords(pattern=pattern, types=frozenset(types | {UNKNOWN} if named else types))


def _expression(keyword: str) -> str:
    """A keyword as a regular expression over plain text; longest alternatives are tried by the word boundary after."""
    body = re.escape(plain(keyword.strip("*")))
    return ("[^\\W_]*" if keyword.startswith("*") else "") + body + ("\\w*" if keyword.endswith("*") else "")
