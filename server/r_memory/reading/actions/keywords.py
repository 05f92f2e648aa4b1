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
"""Maps curly quotes and long hyphens to their ASCII forms."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Keywords:
    """The keywords of one action type, ready to be looked for."""

    pattern: re.Pattern[str] | None
    """Matches whole words of plain text; `None` if all keywords are types."""
    types: frozenset[str]
    """Lexicon types, with unions resolved; a mention of any of these types is a hit."""

    def hits(self, text: str, mentions: Sequence[Mention]) -> tuple[str, ...]:
        """Returns the words of plain `text` that match a keyword, each once and in text order, then the mentions."""
        words = () if self.pattern is None else (match.group() for match in self.pattern.finditer(text))
        named = (plain(mention.surface) for mention in mentions if mention.type in self.types)
        return tuple(dict.fromkeys((*words, *named)))


def plain(text: str) -> str:
    """Returns the text casefolded, with ASCII quotes and hyphens and single spaces."""
    return " ".join(text.translate(SIMPLE).casefold().split())


def compiled(table: IntentTable, schema: Schema) -> Mapping[str, Keywords]:
    """Returns the compiled keywords, weak ones included, of every action type by name."""
    return {
        name: keywords_of((*intent.keywords, *intent.weak_keywords), schema, named=bool(intent.named))
        for name, intent in table.intents.items()
    }


def keywords_of(keywords: Sequence[str], schema: Schema, *, named: bool = False) -> Keywords:
    """Compiles keywords.

    `named`: the action type asks for a thing by its name, so a mention that no lexicon knows is a hit as well.
    """
    types = {type_ for keyword in keywords if keyword.startswith("{") for type_ in schema.concrete(keyword[1:-1])}
    words = [_expression(keyword) for keyword in keywords if not keyword.startswith("{")]
    pattern = re.compile(rf"(?<!\w)(?:{'|'.join(words)})(?!\w)") if words else None
    return Keywords(pattern=pattern, types=frozenset(types | {UNKNOWN} if named else types))


def _expression(keyword: str) -> str:
    """A keyword as a regular expression over plain text; longest alternatives are tried by the word boundary after."""
    body = re.escape(plain(keyword.strip("*")))
    return ("[^\\W_]*" if keyword.startswith("*") else "") + body + ("\\w*" if keyword.endswith("*") else "")
