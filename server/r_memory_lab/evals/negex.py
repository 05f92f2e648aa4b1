"""Suite `negex`: condition and place are given; is it denied, past, only supposed, or somebody else's?

Asks the rule layer's assertion and experiencer functions, which the product applies to what it finds by itself, about
the given words. No memory is written.
"""

import asyncio
from collections.abc import Callable, Sequence
from typing import Annotated, Literal

from pydantic import BeforeValidator

from r_memory.domain.facts import Entity, Status
from r_memory.domain.schema import Schema
from r_memory.memory import Memory
from r_memory.protocols import Utterance
from r_memory.reading.assertion import Assertions, Kind, NamedStretch
from r_memory.reading.experiencer import Experiencers, Who
from r_memory.reading.extractor import RuleExtractor
from r_memory.reading.language import LanguagePack
from r_memory.reading.linking import Gazetteer
from r_memory.reading.rules.candidates import Scene
from r_memory_lab.evals.measures import of_class, share
from r_memory_lab.evals.outcomes import CaseOutcome
from r_memory_lab.evals.rows import DataRow, reads

FILE = "negex/items.jsonl"
_ON_THE_PAST = (
    "`historical` says how it is told; in the product a condition of the past counts as held until words say that it "
    "ended."
)
CLASSES = ("negated", "historical", "hypothetical", "other")
_DENIED = frozenset({Status.NEGATED, Status.REFUTED})
_PAST = frozenset({Kind.RESOLVED, Kind.PAST, Kind.HISTORICAL})


class ConditionSentence(DataRow):
    """A sentence with a condition in it."""

    id: Annotated[str, BeforeValidator(str)]
    sentence: str
    start: int
    """Negative if the condition is not in the sentence."""
    end: int
    negation: Literal["affirmed", "negated"]
    temporality: Literal["recent", "historical", "hypothetical"]
    experiencer: Literal["patient", "other"]

    @property
    def classes(self) -> frozenset[str]:
        """The annotated classes."""
        return frozenset({self.negation, self.temporality, self.experiencer}).intersection(CLASSES)


class NegexPrediction(DataRow):
    """The rules' reading of the condition."""

    negated: bool = False
    historical: bool = False
    hypothetical: bool = False
    other: bool = False

    @property
    def classes(self) -> frozenset[str]:
        """The predicted classes."""
        return frozenset(name for name in CLASSES if getattr(self, name))


class RuleReader:
    """Applies the rules of one schema to given words of a sentence."""

    def __init__(self, schema: Schema) -> None:
        gazetteer = Gazetteer(schema.lexicon)
        pack = LanguagePack(schema.language, gazetteer.words)
        self._extractor = RuleExtractor(schema, gazetteer)
        self._assertions = Assertions(pack)
        self._experiencers = Experiencers(pack)
        self._subject = Entity(space="eval", type=schema.subject, id="patient", name="patient")

    def read(self, item: ConditionSentence) -> NegexPrediction:
        """Returns the rules' reading of the item's words; no class if the words are missing."""
        heard = self._extractor.understand(Utterance(text=item.sentence, role="document", subject=self._subject))
        for scene in heard.scenes:
            found = [
                at for at, unit in enumerate(scene.sentence.units) if unit.end > item.start and unit.start < item.end
            ]
            if found and item.start >= 0:
                # As the product takes a condition that is merely named.
                return self._read(item.id, scene, NamedStretch(first=found[0], last=found[-1] + 1, mention=True))
        return NegexPrediction(id=item.id)

    def _read(self, id_: str, scene: Scene, stretch: NamedStretch) -> NegexPrediction:
        sentence, cues = scene.sentence, scene.cues
        stance = self._assertions.stance(sentence, cues, stretch)
        about = self._experiencers.about(sentence, scene.persons, scene.focus, stretch, self._subject)
        return NegexPrediction(
            id=id_,
            negated=stance.status in _DENIED,
            historical=any(
                cue.value.kind in _PAST and self._assertions.reaches(sentence, cue, stretch) for cue in cues.found
            ),
            hypothetical=not stance.asserted,
            other=about.who not in {Who.SUBJECT, Who.DOUBTFUL},
        )


rows = reads(FILE, ConditionSentence)
"""The sentences."""


async def run(
    memory: Memory, items: Sequence[ConditionSentence], done: Callable[[], None]
) -> tuple[NegexPrediction, ...]:
    """Returns one prediction for each sentence."""
    return await asyncio.to_thread(_run, RuleReader(memory.schema), items, done)


def score(
    items: Sequence[ConditionSentence], predictions: Sequence[NegexPrediction]
) -> tuple[tuple[ConditionSentence, frozenset[str]], ...]:
    """Returns each sentence with the predicted classes; none without a prediction."""
    predicted = {row.id: row.classes for row in predictions}
    return tuple((item, predicted.get(item.id, frozenset())) for item in items)


def outcome(items: Sequence[ConditionSentence], predictions: Sequence[NegexPrediction]) -> CaseOutcome:
    """Returns precision, recall and F1 of each class."""
    scored = score(items, predictions)
    aims = {"negated": ">= .93"}
    classes = [
        figure
        for name in CLASSES
        for figure in of_class(
            name, ((name in item.classes, name in said) for item, said in scored), aim=aims.get(name, "")
        )
    ]
    whole = share("all classes right", sum(item.classes == said for item, said in scored), len(scored))
    return CaseOutcome(
        figures=(*classes, whole),
        details={
            f"{name}: {what}": [item.id for item, said in scored if (name in item.classes, name in said) == pair]
            for name in CLASSES
            for what, pair in (("missed", (True, False)), ("wrong", (False, True)))
        },
        notes=(_ON_THE_PAST,),
    )


def _run(
    reader: RuleReader, items: Sequence[ConditionSentence], done: Callable[[], None]
) -> tuple[NegexPrediction, ...]:
    predictions = []
    for item in items:
        predictions.append(reader.read(item))
        done()
    return tuple(predictions)
