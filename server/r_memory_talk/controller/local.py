"""A judge without a language model: a linear model over words, cues and meaning, and overlap of words.

It learns from `schema/controller/gate.yaml` at the first question, in a second or two, and keeps what it learnt.
Implements `protocols.Judge`.
"""

import asyncio
import hashlib
import logging
from pathlib import Path

import numpy as np

from r_memory.domain.turns import GateLesson, Judgement
from r_memory.errors import RMemoryError
from r_memory.protocols import Embedder
from r_memory.text.fitting import Numbers, units
from r_memory.text.sentences import sentences
from r_memory_talk.controller.learning import (
    FEATURES,
    LearntWeights,
    features_of,
    keep_weights,
    learnt,
    read_weights,
)
from r_memory_talk.language import pattern
from r_memory_talk.stream.words import has_cjk, language_of, search_query, terms

logger = logging.getLogger(__name__)

NAME = "local/1"
SURE_NO, SURE_YES = 0.28, 0.6
"""Probabilities that memory is needed: below the first the answer is no, from the second on yes, else unsure. Chosen so
that at most 1 need in 20 is missed, in cross-validation on our own sentences and on development data."""
COVERED, UNCOVERED = 0.6, 0.2
"""Shares of a question's words in a material: from the first on it suffices; below the second it does not help unless
its meaning is near; else unsure."""
_NEAR = 0.35
"""Cosine of the question and the nearest sentence from which a material is near."""
_SENTENCES = 60


class LocalJudge:
    """Answers both questions of the controller on this machine; never raises."""

    name = NAME

    def __init__(self, lesson: GateLesson, embedder: Embedder, *, folder: Path | None = None) -> None:
        """`folder` keeps the learnt weights for the next start; `None`: they are learnt at each start.

        Without a working embedder, answers come from words and cues alone and are less certain.
        """
        self._lesson = lesson
        self._embedder = embedder
        self._folder = folder
        self._learnt: LearntWeights | None = None
        self._learning = asyncio.Lock()

    async def needs_memory(self, question: str) -> Judgement:
        """Answers Q1; no answer for a probability from 0.28 to 0.6."""
        if not question.strip():
            return Judgement(yes=False, by=NAME, score=0.0)
        async with self._learning:
            if self._learnt is None:
                self._learnt = await self._learn()
        meaning = await self._meanings([question])
        found = await asyncio.to_thread(features_of, question, self._lesson.given_names)
        score = self._learnt.probability(found, meaning[0])
        yes = None if SURE_NO <= score < SURE_YES else score >= SURE_YES
        return Judgement(yes=yes, by=NAME, score=round(score, 4))

    async def suffices(self, question: str, material: str) -> Judgement:
        """Answers Q2, by the share of the question's words in the material, by meaning, and by a number asked for."""
        covered = coverage(question, material)
        if covered is None:
            return Judgement(yes=None, by=NAME)
        yes: bool | None = None
        if covered >= COVERED:
            asked, given = (pattern("figures", key) for key in ("asked", "given"))
            yes = True if not asked.search(question) or given.search(material) else None
        elif covered < UNCOVERED and not await self._near(question, material):
            yes = False
        return Judgement(yes=yes, by=NAME, score=round(covered, 4))

    async def _learn(self) -> LearntWeights:
        texts = [example.text for example in self._lesson.examples]
        meant = bool((await self._meanings(texts[:1])).any())
        file = None if self._folder is None else self._folder / f"gate-{self._key(meant=meant)}.npz"
        weights = None if file is None else await asyncio.to_thread(read_weights, file)
        if weights is None:
            weights = await asyncio.to_thread(learnt, self._lesson, await self._meanings(texts))
            if file is not None:
                await asyncio.to_thread(keep_weights, file, weights)
        return weights

    def _key(self, *, meant: bool) -> str:
        """Returns the file name of the weights learnt from exactly this lesson."""
        examples = (f"{example.needed} {example.text}" for example in self._lesson.examples)
        parts = (FEATURES, self._embedder.model if meant else "", *examples, *sorted(self._lesson.given_names))
        return hashlib.sha256("\x1f".join(parts).encode()).hexdigest()[:16]

    async def _meanings(self, texts: list[str]) -> Numbers:
        """Returns one row for each text; zeros if the embedder fails."""
        try:
            return (await self._embedder.embed(texts)).astype(np.float64)
        except RMemoryError as error:
            logger.warning("Gate without meanings", extra={"action": "gate_embedder", "error": type(error).__name__})
            return np.zeros((len(texts), self._embedder.dimensions))

    async def _near(self, question: str, material: str) -> bool:
        asked, *said = units(await self._meanings([question, *sentences(material)[:_SENTENCES]]))
        # Without a meaning of the question there is no telling, and doubt keeps the item.
        return not asked.any() or max((float(item @ asked) for item in said), default=-1.0) >= _NEAR


def coverage(question: str, material: str) -> float | None:
    """Returns the share of a question's words that the material holds; `None` for a question without any.

    >>> coverage("Which colour is the kitchen?", "Lena painted the kitchen in a light green colour.")
    1.0
    """
    languages = (language_of(material),)
    wanted = search_query(question, languages).terms
    if not wanted:
        return None
    held = set(terms(material, languages[0]))
    if has_cjk(material):
        held |= set(terms(material))
    return sum(1 for word in wanted if held.intersection(word)) / len(wanted)
