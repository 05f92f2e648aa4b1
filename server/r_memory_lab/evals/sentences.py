"""Suite `sentences`: each utterance alone, about a subject of its own, against the facts it must and must not give.

The file is YAML: `sentences: [{id, text, expect: [{r, o, status, …attributes, alt: […]}], allow: […], forbid: […]}]`;
`o: "*"` is any object. Older files say `HAS_CONTRAINDICATION` for `IS_CONTRAINDICATED_WITH`. `before` holds earlier
turns of the conversation, `review` says that a person must be asked, `phenomenon` names what makes a sentence hard.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError
from typing_extensions import override

from r_memory.config.files import Source
from r_memory.config.yaml_lines import load
from r_memory.domain.facts import Fact, Flag, Status
from r_memory.errors import ConfigurationError, InvalidInput
from r_memory.facts.remember.results import Remembered
from r_memory.memory import Memory
from r_memory_lab.evals.dialogues import each
from r_memory_lab.evals.measures import Figure, count, share
from r_memory_lab.evals.names import plain
from r_memory_lab.evals.outcomes import CaseOutcome
from r_memory_lab.evals.rows import DataRow, checked, read_text, said

_RENAMED = {"HAS_CONTRAINDICATION": "IS_CONTRAINDICATED_WITH"}
_RULE = "rule"
_RISK = {Status.ACTIVE, Status.UNCONFIRMED, _RULE}
_SAFE = {Status.NEGATED, Status.REFUTED, Status.RESOLVED}
_TOLERATED = "TOLERATES"
_FAMILY = "HAS_FAMILY_HISTORY"
_ANY = "*"

Relation = Annotated[str, BeforeValidator(lambda name: _RENAMED.get(name, name))]


class ExpectedFact(BaseModel):
    """An annotated fact; a field that is left out may have any value."""

    model_config = ConfigDict(frozen=True, extra="allow", coerce_numbers_to_str=True)

    r: Relation
    o: str
    s: str = ""
    status: str = ""
    alt: tuple["ExpectedFact", ...] = ()
    """Other right readings."""

    @property
    def attrs(self) -> Mapping[str, Any]:
        """All other keys."""
        return self.model_extra or {}

    @property
    def readings(self) -> tuple["ExpectedFact", ...]:
        """This reading and the other right ones."""
        return (self, *self.alt)

    @property
    def is_risk(self) -> bool:
        """Whether missing it may cause harm."""
        return self.status in _RISK

    @override
    def __str__(self) -> str:
        return f"{self.r} {self.o}"


class GoldSentence(DataRow):
    """One utterance with its expected result."""

    text: str
    speaker: str = "patient"
    phenomenon: str = ""
    """The difficulty; derived from the expected facts if the file has none."""
    before: tuple[tuple[str, str], ...] = ()
    """Earlier turns, speaker and words; their facts count as well."""
    review: bool = False
    """A person must be asked: without a review item the result is wrong."""
    expect: tuple[ExpectedFact, ...] = ()
    allow: tuple[ExpectedFact, ...] = ()
    forbid: tuple[ExpectedFact, ...] = ()


class FoundFact(BaseModel):
    """A fact in the result."""

    relation: str
    object: str
    status: str
    subject: str
    attrs: dict[str, Any]

    @override
    def __str__(self) -> str:
        return f"{self.relation} {self.object} {self.status}"


class SentencePrediction(DataRow):
    """The result of one utterance."""

    facts: tuple[FoundFact, ...] = ()
    review: tuple[str, ...] = ()
    """Sentences for review, verbatim."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SentenceJudgement:
    """The comparison of one sentence."""

    id: str
    right: bool
    missed: tuple[str, ...] = ()
    """Expected risks that were not found, as `RELATION object`."""
    silent: tuple[str, ...] = ()
    """Missed risks without a review item."""
    risks: int = 0
    forbidden: tuple[str, ...] = ()
    reassuring: tuple[str, ...] = ()
    """Unexpected facts that deny a risk or state a tolerance."""
    unexpected: tuple[str, ...] = ()


def rows(path: Path) -> tuple[GoldSentence, ...]:
    """Returns the sentences of a file.

    Raises:
        InvalidInput: the file is missing or has another form.
    """
    content = read_text(path).encode()
    try:
        data = load(Source(path=path, content=content)).data
    except ConfigurationError as error:
        raise InvalidInput(str(error)) from error
    items = data.get("sentences") if isinstance(data, dict) else None
    if not isinstance(items, list):
        raise InvalidInput(f"{path}: expected a list under `sentences:`; see evals/README.md")
    return checked(tuple(_sentence(item, f"{path}, sentence {n}") for n, item in enumerate(items, start=1)), path)


async def run(
    memory: Memory, sentences: Sequence[GoldSentence], done: Callable[[], None]
) -> tuple[SentencePrediction, ...]:
    """Returns one prediction for each sentence."""

    async def one(sentence: GoldSentence) -> SentencePrediction:
        heard = [
            await memory.remember(
                text,
                subject=sentence.id,
                subject_name=sentence.id,
                speaker=speaker,
                conversation_id=sentence.id,
                idempotency_key=f"{sentence.id}#{position}",
            )
            for position, (speaker, text) in enumerate((*sentence.before, (sentence.speaker, sentence.text)))
        ]
        facts = tuple(_found(fact) for item in heard for fact in item.facts)
        return SentencePrediction(
            id=sentence.id, facts=facts, review=tuple(text for item in heard for text in _review(item))
        )

    return await each(sentences, one, done)


def score(
    sentences: Iterable[GoldSentence], predictions: Iterable[SentencePrediction]
) -> tuple[SentenceJudgement, ...]:
    """Returns one judgement for each sentence; without a prediction it has no facts."""
    by_id = {row.id: row for row in predictions}
    return tuple(_judgement(item, by_id.get(item.id, SentencePrediction(id=item.id))) for item in sentences)


def outcome(sentences: Sequence[GoldSentence], predictions: Sequence[SentencePrediction]) -> CaseOutcome:
    """Returns right items, missed risks, silently missed ones, forbidden facts, and false reassurances."""
    judged = score(sentences, predictions)
    return CaseOutcome(
        figures=figures(judged),
        groups={
            "Items right by phenomenon": _by_phenomenon(sentences, judged),
            "Risks missed by phenomenon": _missed(sentences, judged),
            "Facts that do harm by phenomenon": _harmful(sentences, judged),
        },
        details={
            "Not right": [row.id for row in judged if not row.right],
            "Risk missed": [row.id for row in judged if row.missed],
            "Risk missed silently": [row.id for row in judged if row.silent],
            "Forbidden fact": [row.id for row in judged if row.forbidden],
            "False reassurance": [row.id for row in judged if row.reassuring],
        },
    )


def figures(judged: Sequence[SentenceJudgement]) -> tuple[Figure, ...]:
    """Returns the totals."""
    risks = sum(item.risks for item in judged)
    return (
        share("items right", sum(item.right for item in judged), len(judged)),
        share("risks missed", sum(len(item.missed) for item in judged), risks),
        count("risks missed silently", sum(len(item.silent) for item in judged), risks, aim="<= 3 per 50 risks"),
        count("forbidden facts", sum(len(item.forbidden) for item in judged), len(judged), aim="0"),
        count("false reassurances", sum(len(item.reassuring) for item in judged), len(judged), aim="0"),
    )


def phenomena(sentence: GoldSentence) -> tuple[str, ...]:
    """Returns the difficulties of a sentence: those of its file, else derived from its expected facts."""
    if sentence.phenomenon:
        return (sentence.phenomenon,)
    readings = [reading for fact in sentence.expect for reading in fact.readings]
    allowed = [*readings, *sentence.allow]
    statuses = {fact.status for fact in sentence.expect}
    names = [fact.r for fact in sentence.expect]
    held = {
        "nothing stated: a question, a condition, an order": not sentence.expect and not sentence.allow,
        "negation": Status.NEGATED in statuses,
        "resolved or refuted": bool(statuses & {Status.RESOLVED, Status.REFUTED}),
        "doubt": Status.UNCONFIRMED in statuses,
        "somebody else's": any(fact.r == _FAMILY for fact in allowed),
        "list": len(set(names)) < len(names),
        "brand, synonym or misspelling": any(_is_renamed(fact, sentence.text) for fact in sentence.expect),
        "number with unit": any("unit" in fact.attrs or "hours" in fact.attrs for fact in sentence.expect),
        "severity or reaction": any("severity" in fact.attrs or "reaction" in fact.attrs for fact in sentence.expect),
    }
    return tuple(name for name, holds in held.items() if holds)


def _sentence(item: object, place: str) -> GoldSentence:
    try:
        return GoldSentence.model_validate(item)
    except ValidationError as error:
        raise InvalidInput(f"{place}: {said(error)}; see evals/README.md for the form of each suite") from error


def _found(fact: Fact) -> FoundFact:
    rule = Flag.RULE in fact.flags
    return FoundFact(
        relation=fact.relation,
        object=fact.object.id,
        status=_RULE if rule else fact.status.value,
        subject=str(fact.attrs.get("before", "")) if rule else "patient",
        attrs=dict(fact.attrs),
    )


def _review(heard: Remembered) -> tuple[str, ...]:
    return tuple(result.text for result in heard.results if result.verdict == "waits")


def _judgement(item: GoldSentence, prediction: SentencePrediction) -> SentenceJudgement:
    facts = prediction.facts
    allowed = [*(reading for fact in item.expect for reading in fact.readings), *item.allow]
    missed = [fact for fact in item.expect if not any(_met(reading, facts) for reading in fact.readings)]
    missed_risks = tuple(str(fact) for fact in missed if fact.is_risk)
    forbidden = tuple(str(fact) for fact in facts if any(_is(ban, fact) for ban in item.forbid))
    extra = [fact for fact in facts if not any(_is(option, fact) for option in allowed)]
    return SentenceJudgement(
        id=item.id,
        right=not missed and not forbidden and not extra and (not item.review or bool(prediction.review)),
        missed=missed_risks,
        silent=() if prediction.review else missed_risks,
        risks=sum(fact.is_risk for fact in item.expect),
        forbidden=forbidden,
        reassuring=tuple(str(fact) for fact in extra if fact.status in _SAFE or fact.relation == _TOLERATED),
        unexpected=tuple(map(str, extra)),
    )


def _met(option: ExpectedFact, facts: Iterable[FoundFact]) -> bool:
    """Whether a fact is the expected one, with all its attributes."""
    return any(
        _is(option, fact) and all(_shown(fact.attrs.get(name)) == _shown(value) for name, value in option.attrs.items())
        for fact in facts
    )


def _is(option: ExpectedFact, fact: FoundFact) -> bool:
    """Whether a fact has the expected relation, object, status and subject, with any attributes."""
    return (
        option.r == fact.relation
        and option.o.casefold() in {_ANY, fact.object.casefold()}
        and option.status in {"", fact.status}
        and option.s.casefold() in {"", fact.subject.casefold()}
    )


def _shown(value: object) -> str:
    """Returns numbers and words in one form: 2.0 and 2 and "2" are equal."""
    return f"{value:g}" if isinstance(value, int | float) else str(value).casefold()


def _is_renamed(fact: ExpectedFact, text: str) -> bool:
    """Whether the expected object's name is not in the text."""
    return fact.status in _RISK and fact.o != _ANY and f" {plain(fact.o)} " not in f" {plain(text)} "


def _by_phenomenon(sentences: Sequence[GoldSentence], judged: Sequence[SentenceJudgement]) -> list[Figure]:
    groups = _grouped(sentences, judged)
    return [share(name, sum(row.right for row in rows), len(rows)) for name, rows in groups.items()]


def _missed(sentences: Sequence[GoldSentence], judged: Sequence[SentenceJudgement]) -> list[Figure]:
    """Returns the missed risks of each phenomenon with risks."""
    groups = _grouped(sentences, judged)
    return [
        share(name, sum(len(row.missed) for row in rows), risks)
        for name, rows in groups.items()
        if (risks := sum(row.risks for row in rows))
    ]


def _harmful(sentences: Sequence[GoldSentence], judged: Sequence[SentenceJudgement]) -> list[Figure]:
    """Returns forbidden facts and false reassurances of each phenomenon that has any."""
    groups = _grouped(sentences, judged)
    return [
        count(name, harmful, len(rows), aim="0")
        for name, rows in groups.items()
        if (harmful := sum(bool(row.forbidden or row.reassuring) for row in rows))
    ]


def _grouped(
    sentences: Sequence[GoldSentence], judged: Sequence[SentenceJudgement]
) -> dict[str, list[SentenceJudgement]]:
    groups: dict[str, list[SentenceJudgement]] = {}
    for sentence, row in zip(sentences, judged, strict=True):
        for name in phenomena(sentence):
            groups.setdefault(name, []).append(row)
    return dict(sorted(groups.items()))
