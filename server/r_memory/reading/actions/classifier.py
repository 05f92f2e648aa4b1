"""The shipped intent classifier: keywords of the table and a linear model over its examples, joined.

A keyword opens its row whatever the model says; the model opens rows that no keyword names. A failure is an answer
("not recognised"), never an exception: the caller then reads everything critical.
"""

import logging
import re
from collections.abc import Mapping, Sequence

from r_memory.domain.intents import Classification, IntentScore, IntentTable
from r_memory.domain.schema import Schema
from r_memory.domain.wordings import one_of
from r_memory.protocols import Mention
from r_memory.reading.actions.elsewhere import RequestsElsewhere
from r_memory.reading.actions.keywords import compiled, plain
from r_memory.reading.actions.linear import LinearModel
from r_memory.reading.actions.recognition import Recognition

_SPOKEN = re.compile(r"[\w'-]+")
_LONGEST_FAREWELL = 12
"""Words."""
logger = logging.getLogger(__name__)


def tags(mentions: Sequence[Mention], hits: Mapping[str, Sequence[str]]) -> list[str]:
    """Returns the tags that the model sees beside the words: `{Type}` per mention, `@NAME` per keyword hit."""
    return [*(f"{{{mention.type}}}" for mention in mentions), *(f"@{name}" for name, words in hits.items() if words)]


class KeywordsAndLinear:
    """Implements `protocols.IntentClassifier` for one table; holds no state between calls."""

    def __init__(self, table: IntentTable, schema: Schema, model: LinearModel | None) -> None:
        self._table = table
        self._keywords = compiled(table, schema)
        self._recognition = Recognition(table, schema)
        self._farewells = one_of([phrase for row in table.intents.values() if row.silent for phrase in row.phrases])
        self._elsewhere = RequestsElsewhere(table, schema)
        self._model = model
        """`None`: keywords alone decide, for a table without enough examples."""

    def classify(self, query: str, mentions: Sequence[Mention]) -> Classification:
        """Returns a score for every action type, best first.

        `recognised` is false if no keyword, term or model score names an action type, and if the classifier fails.
        """
        try:
            return self._classification(query, mentions)
        except Exception as error:  # noqa: BLE001 - the border of the classifier: whatever fails, the edges are read
            logger.warning("Classifier failed", extra={"action": "classifier_failed", "error": type(error).__name__})
            # Whether it was a request is not known either, and the block too much is the safe side.
            scores = tuple(
                IntentScore(name=name, probability=0.0, asked=not intent.silent)
                for name, intent in self._table.intents.items()
            )
            return Classification(scores=scores, recognised=False)

    def _classification(self, query: str, mentions: Sequence[Mention]) -> Classification:
        text = plain(query)
        elsewhere, asks = self._elsewhere.hits(query)
        hits = {
            name: tuple(dict.fromkeys((*keywords.hits(text, mentions), *elsewhere.get(name, ()))))
            for name, keywords in self._keywords.items()
        }
        if not mentions and self._is_farewell(text):
            return self._nothing_asked(hits)
        likely = {} if self._model is None else self._model.probabilities(text, tags(mentions, hits))
        asked = self._requested(query, mentions, likely, hits) | frozenset(elsewhere if asks else ())
        scores = (
            IntentScore(name=name, probability=likely.get(name, 0.0), keywords=hits[name], asked=name in asked)
            for name in self._table.intents
        )
        ranked = tuple(sorted(scores, key=lambda score: (-score.probability, not score.keywords)))
        # A silent row recognises nothing, by keyword or model: it would open no row, and the closure would be lost.
        loud = [score for score in ranked if not self._table.intents[score.name].silent]
        recognised = any(score.keywords or score.probability >= self._table.policy.confident_above for score in loud)
        return Classification(scores=ranked, recognised=recognised)

    def _is_farewell(self, text: str) -> bool:
        """Whether the whole text is small talk."""
        words = _SPOKEN.findall(text)
        if self._farewells is None or not 0 < len(words) <= _LONGEST_FAREWELL:
            return False
        return re.fullmatch(f"(?:{self._farewells.pattern})+", " ".join((*words, ""))) is not None

    def _nothing_asked(self, hits: Mapping[str, Sequence[str]]) -> Classification:
        """Returns a recognised classification that opens no row."""
        scores = tuple(
            IntentScore(name=name, probability=1.0 if hits[name] else 0.0, keywords=tuple(hits[name]))
            for name, intent in self._table.intents.items()
            if intent.silent
        )
        return Classification(scores=scores, recognised=True)

    def _requested(
        self,
        query: str,
        mentions: Sequence[Mention],
        likely: Mapping[str, float],
        hits: Mapping[str, Sequence[str]],
    ) -> frozenset[str]:
        """Returns the action types that the words ask for.

        If the language has no `requests` section, these are the types that a keyword or the model names. A lexicon term
        alone asks for nothing there, because every statement about a thing names it.
        """
        if self._recognition.knows_requests:
            return self._recognition.asked(query, mentions, likely)
        terms = {plain(mention.surface) for mention in mentions}
        sure = self._table.policy.confident_above
        return frozenset(
            name
            for name, words in hits.items()
            if not self._table.intents[name].silent and (likely.get(name, 0.0) >= sure or {*words} - terms)
        )
