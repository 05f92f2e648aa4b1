"""Requests in other languages than the table's: which rows their words open, and whether something is asked.

Knows `schema/requests/<code>.yaml` and the section `requests` of the language files. A word counts where the request
holds no more common words of the table's language than of the word's own, so that no plain English opens a row by it.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from r_memory.domain.intents import IntentTable
from r_memory.domain.schema import Schema
from r_memory.domain.wordings import one_of
from r_memory.reading.actions.keywords import Keywords, keywords_of
from r_memory.reading.language import listed
from r_memory.reading.normalise import plain

_WORD = re.compile(r"[^\W_]+")
_ASKED = "?"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Language:
    common: frozenset[str]
    asking: re.Pattern[str] | None
    rows: Mapping[str, Keywords]


class RequestsElsewhere:
    """Reads requests in the other languages of a schema, for one table."""

    def __init__(self, table: IntentTable, schema: Schema) -> None:
        self._own = _words(listed(schema.language, "common"))
        self._languages = tuple(
            _Language(
                common=_words((*listed(language, "common"), *listed(language, "requests", "asking"))),
                asking=one_of(_bare(phrase).replace("'", " ") for phrase in listed(language, "requests", "asking")),
                rows={
                    name: keywords_of([_bare(word) for word in words], schema)
                    for name, words in table.elsewhere.get(code, {}).items()
                    if name in table.intents
                },
            )
            for code, language in schema.languages.items()
        )

    def hits(self, query: str) -> tuple[Mapping[str, tuple[str, ...]], bool]:
        """Returns the words of the request by the action type that they open, and whether it asks for something."""
        text = " ".join(_bare(query).split())
        words = frozenset(_WORD.findall(text))
        said = "".join(f"{word} " for word in _WORD.findall(text))
        found: dict[str, tuple[str, ...]] = {}
        asked = False
        for language in self._languages:
            if len(words & language.common) < len(words & self._own):
                continue
            hits = {name: own for name, row in language.rows.items() if (own := row.hits(text, ()))}
            found |= {name: (*found.get(name, ()), *own) for name, own in hits.items()}
            asked |= bool(hits) and (_ASKED in query or bool(language.asking and language.asking.search(said)))
        return found, asked


def _bare(text: str) -> str:
    return plain(text).casefold()


def _words(texts: tuple[str, ...]) -> frozenset[str]:
    return frozenset(word for text in texts for word in _WORD.findall(_bare(text)))
