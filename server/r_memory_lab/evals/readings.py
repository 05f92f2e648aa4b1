"""Suite `readings`: what becomes of facts that a caller read in the words, right or not.

The data are JSON lines, one file or a folder of them: {id, speaker, role?, before?, text, model: [{relation, object,
evidence, status, attrs, means?}], expect, allow, forbid, bad?}. `model` is the call that a model made, `expect`,
`allow` and `forbid` are a person's, in the form of the suite `sentences`; `bad` names what is wrong with a call that
was bent on purpose. Names are compared without case, articles and plural, and by the lexicon's synonyms.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from r_memory.domain.facts import DENIAL, RISK, Fact, Flag, Status
from r_memory.errors import InvalidInput
from r_memory.facts.remember.results import Claim, Remembered, Result
from r_memory.memory import Memory
from r_memory.protocols import Mention
from r_memory.reading.reader import Reader
from r_memory_lab.evals.dialogues import each
from r_memory_lab.evals.measures import Figure, count, share
from r_memory_lab.evals.names import plain
from r_memory_lab.evals.outcomes import Outcome
from r_memory_lab.evals.rows import Row, checked, read_rows
from r_memory_lab.evals.sentences import Expected

_ANY = "*"
_SCOPE = re.compile(r"(any|anything|no|none|nothing|all|everything)\b|any_", re.IGNORECASE)
"""How a name of a whole scope begins, as a schema writes it and as people say it."""
_SAID_SCOPE = re.compile(rf"{_SCOPE.pattern}|((other|known) )*\w*(allerg|nk[dfa])", re.IGNORECASE)
"""How callers have named one where they gave no scope of the schema."""
_IDLE = frozenset(
    {"a", "an", "the", "my", "his", "her", "our", "your", "their", "some", "any", "this", "that", "these", "those"}
    | {"of", "to"}
)
"""Words that say nothing of which thing is meant."""
_NUMBERS = frozenset({"max", "min", "value"})
_TOLERATED = "TOLERATES"
_RISKS = frozenset(status.value for status in RISK)
_DENIALS = frozenset(status.value for status in DENIAL)
_WAITS = frozenset({"quarantined", "waits"})


class Given(BaseModel):
    """A fact as the caller gave it."""

    model_config = ConfigDict(frozen=True)

    relation: str
    object: str
    evidence: str
    status: str = "active"
    attrs: dict[str, Any] = {}
    means: str = ""


class Reading(Row):
    """One utterance, the call that a model made about it, and what a person read."""

    model_config = ConfigDict(frozen=True, populate_by_name=True)

    text: str
    speaker: str = "patient"
    role: Literal["user", "assistant", "document"] = "user"
    before: tuple[tuple[str, str], ...] = ()
    """Earlier turns, speaker and words; they are told first, with no facts."""
    given: tuple[Given, ...] = Field(alias="model")
    expect: tuple[Expected, ...] = ()
    allow: tuple[Expected, ...] = ()
    forbid: tuple[Expected, ...] = ()
    bad: str = ""
    """How the call was bent; empty where the model meant it."""


class Kept(BaseModel):
    """A fact that is stored after the call."""

    relation: str
    object: str
    means: str = ""
    """What a voice named as meant, where the words are garbled or of another language."""
    status: str
    attrs: dict[str, Any] = {}
    flags: tuple[str, ...] = ()
    route: str = ""
    reason: str = ""


FateName = Literal["as given", "otherwise", "waits", "refused", "vanished"]


class Fate(BaseModel):
    """What became of one given fact."""

    relation: str
    object: str
    given: str
    """The status that the caller gave."""
    fate: FateName
    stored: str = ""
    """The status under which it is stored."""
    reason: str = ""

    @property
    def silent(self) -> bool:
        """It came to something else and nobody was told why."""
        return self.fate in {"otherwise", "vanished"} and not self.reason


class Meaning(BaseModel):
    """What the lexicon makes of a name."""

    same: tuple[str, ...] = ()
    """Terms that the whole name means."""
    inside: tuple[str, ...] = ()
    """Terms that stand in it."""
    near: tuple[str, ...] = ()
    """Terms that it is a misspelling of."""


class Prediction(Row):
    """What came of one call."""

    kept: tuple[Kept, ...] = ()
    beside: tuple[Kept, ...] = ()
    """Those of `kept` that the caller did not give."""
    waits: tuple[str, ...] = ()
    """Words that wait for a person."""
    fates: tuple[Fate, ...] = ()
    error: str = ""
    """Why the whole call was refused."""
    critical: tuple[str, ...] = ()
    """The schema's critical relations: a fact that nobody wrote down harms under these, or where it reassures."""
    meanings: Mapping[str, Meaning] = Field(default_factory=dict)
    """What the lexicon makes of each name of this row."""


def rows(path: Path) -> tuple[Reading, ...]:
    """The readings of a file, or of every `.jsonl` file of a folder.

    Raises:
        InvalidInput: no such file, or a line that is not of the form.
    """
    files = sorted(path.glob("*.jsonl")) if path.is_dir() else [path]
    return checked(tuple(row for file in files for row in read_rows(file, Reading)), path)


def flipped(path: Path) -> tuple[Reading, ...]:
    """The plain risks of the same data, each read as denied: a bad caller.

    One line for each line whose call gives exactly one active risk that a person read as well.
    """
    bent = tuple(one for row in rows(path) if (one := _flip(row)) is not None)
    return checked(bent, path)


def _flip(row: Reading) -> Reading | None:
    risks = [fact for fact in row.expect if fact.status in _RISKS]
    if row.bad or len(row.given) != 1 or len(risks) != 1 or row.given[0].status != Status.ACTIVE:
        return None
    denied = row.given[0].model_copy(update={"status": Status.NEGATED.value, "attrs": {}})
    return row.model_copy(update={"given": (denied,), "bad": "risk read as denied"})


async def run(memory: Memory, readings: Sequence[Reading], done: Callable[[], None]) -> tuple[Prediction, ...]:
    """What came of each call, about a subject of its own."""
    reader = memory.facts.reader

    async def told(row: Reading) -> Prediction:
        for position, (speaker, text) in enumerate(row.before):
            await memory.remember(
                text,
                subject=row.id,
                subject_name=row.id,
                speaker=speaker,
                conversation_id=row.id,
                idempotency_key=f"{row.id}#{position}",
            )
        try:
            remembered = await memory.remember(
                row.text,
                subject=row.id,
                subject_name=row.id,
                role=row.role,
                speaker=row.speaker,
                conversation_id=row.id,
                idempotency_key=f"{row.id}#words",
                claims=[_claim(fact) for fact in row.given],
            )
        except InvalidInput as error:
            return Prediction(id=row.id, error=str(error), meanings=_meanings(row, (), reader))
        return prediction_of(row, remembered, reader)

    return await each(readings, told, done)


def prediction_of(row: Reading, remembered: Remembered, reader: Reader) -> Prediction:
    """What the result of the call tells."""
    stored = [(result, kept(result.fact, result.reason)) for result in remembered.results if result.fact is not None]
    meanings = _meanings(row, [one for _, one in stored], reader)
    alike = _Names(meanings)
    fates: list[Fate] = []
    own: set[int] = set()
    for fact in row.given:
        place = _place(fact, [one for _, one in stored], alike, own, remembered.results)
        if place is not None:
            own.add(place)
        fates.append(_fate(fact, None if place is None else stored[place][1], remembered.results))
    return Prediction(
        id=row.id,
        kept=tuple(one for _, one in stored),
        beside=tuple(one for at, (_, one) in enumerate(stored) if at not in own),
        waits=tuple(result.text or result.reason for result in remembered.results if result.verdict in _WAITS),
        fates=tuple(fates),
        critical=tuple(name for name, relation in reader.schema.relations.items() if relation.critical),
        meanings=meanings,
    )


def kept(fact: Fact, reason: str = "") -> Kept:
    """The fact as a suite compares it."""
    return Kept(
        relation=fact.relation,
        object=fact.object.id,
        status=fact.status.value,
        attrs=dict(fact.attrs),
        flags=tuple(sorted(flag.value for flag in fact.flags)),
        route=fact.route.value,
        reason=reason,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """What one line came to."""

    id: str
    bad: str
    read_right: bool
    """The caller's own reading is what a person read, whatever became of it."""
    right: bool
    """So is what is stored; what waits is not."""
    missed: tuple[str, ...] = ()
    attrs_missed: tuple[str, ...] = ()
    forbidden: tuple[str, ...] = ()
    reassuring: tuple[str, ...] = ()
    """Stored denials and tolerances that nobody expected or allowed."""
    unexpected: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()
    """Expected risks of which neither a fact nor words that wait are left."""
    unflagged: tuple[str, ...] = ()
    """Facts that stand as active, were not expected, and carry no flag `disagree`."""
    fates: tuple[Fate, ...] = ()
    waits: bool = False
    """Something of it is left for a person."""
    beside: int = 0
    beside_active: int = 0
    refused: bool = False
    """The call was refused, or every fact of it."""


def score(readings: Iterable[Reading], predictions: Iterable[Prediction]) -> tuple[Judgement, ...]:
    """One judgement for each line; a line without a prediction gave nothing."""
    by_id = {row.id: row for row in predictions}
    return tuple(_judgement(row, by_id.get(row.id, Prediction(id=row.id))) for row in readings)


def outcome(readings: Sequence[Reading], predictions: Sequence[Prediction]) -> Outcome:
    """Lines right, what became of each given fact, and the harm that right and bad readings do."""
    judged = score(readings, predictions)
    meant, bent = [row for row in judged if not row.bad], [row for row in judged if row.bad]
    groups = {f"Bent calls: {kind}": _bent([row for row in bent if row.bad == kind]) for kind in _kinds(bent)}
    return Outcome(
        figures=(*(_meant(meant) if meant else ()), *(_bent(bent) if bent else ())),
        groups={**({"Fate of each given fact": _fates(meant)} if meant else {}), **groups},
        details={title: ids for title, ids in _details(judged).items() if ids},
    )


def _details(judged: Sequence[Judgement]) -> dict[str, list[str]]:
    return {
        "Read right, stored otherwise": [row.id for row in judged if row.read_right and not row.right],
        "Expected fact missed": [row.id for row in judged if row.missed],
        "Forbidden fact": [_named(row.id, row.forbidden) for row in judged if row.forbidden],
        "False reassurance": [_named(row.id, row.reassuring) for row in judged if row.reassuring],
        "Risk no longer in view": [_named(row.id, row.lost) for row in judged if row.lost],
        "Refused whole": [row.id for row in judged if row.refused],
        "Silent change": [row.id for row in judged if any(fate.silent for fate in row.fates)],
        "Added beside the caller": [row.id for row in judged if row.beside],
    }


def _named(id_: str, facts: Sequence[str]) -> str:
    """The relations and statuses stand beside the id; the names of things are words of the data."""
    return f"{id_} ({'; '.join(sorted({f'{fact.split()[0]} {fact.split()[-1]}' for fact in facts}))})"


def _meant(judged: Sequence[Judgement]) -> tuple[Figure, ...]:
    n = len(judged)
    read = [row for row in judged if row.read_right]
    fates = [fate for row in judged for fate in row.fates]
    return (
        share("lines that the caller read right", len(read), n),
        share("lines stored right", sum(row.right for row in judged), n),
        share("right readings that end right", sum(row.right for row in read), len(read), aim=">= .95"),
        share("  with their details", sum(row.right and not row.attrs_missed for row in read), len(read)),
        count("forbidden facts", sum(len(row.forbidden) for row in judged), n),
        count("forbidden facts of right readings", sum(len(row.forbidden) for row in read), len(read), aim="<= 3"),
        count("false reassurances", sum(len(row.reassuring) for row in judged), n),
        count(
            "false reassurances from right readings", sum(len(row.reassuring) for row in read), len(read), aim="<= 2"
        ),
        count("expected risks no longer in view", sum(len(row.lost) for row in judged), n, aim="0"),
        share("lines with something left for a person", sum(row.waits for row in judged), n),
        count("facts added beside the caller", sum(row.beside for row in judged), n, aim="<= 3 per 100 lines"),
        count("  of them active", sum(row.beside_active for row in judged), n, aim="0"),
        count("calls refused whole", sum(row.refused for row in judged), n, aim="0"),
        count("silent changes", sum(fate.silent for fate in fates), len(fates), aim="0"),
    )


def _bent(judged: Sequence[Judgement]) -> tuple[Figure, ...]:
    n = len(judged)
    return (
        share("bent calls stored as an absence", sum(bool(row.reassuring) for row in judged), n, aim="<= .04"),
        count("bent calls after which a risk is no longer in view", sum(bool(row.lost) for row in judged), n, aim="0"),
        count("facts that nobody stated, active and without `disagree`", sum(len(r.unflagged) for r in judged), n),
        count("bent calls refused whole", sum(row.refused for row in judged), n, aim="0"),
    )


def _kinds(judged: Iterable[Judgement]) -> list[str]:
    return sorted({row.bad for row in judged})


def _fates(judged: Iterable[Judgement]) -> list[Figure]:
    fates = [fate for row in judged for fate in row.fates]
    told = Counter(
        f"{fate.given} {fate.fate}" + (f": {fate.stored}" if fate.fate == "otherwise" else "") for fate in fates
    )
    return [count(name, number, len(fates)) for name, number in told.most_common()]


def _judgement(row: Reading, prediction: Prediction) -> Judgement:
    alike = _Names(prediction.meanings)
    allowed = [*(reading for fact in row.expect for reading in fact.readings), *row.allow]
    missed, unexpected = _compared(row, prediction.kept, alike)
    spare = [one for one in unexpected if one not in prediction.beside and _is_spare(one, prediction)]
    unexpected = [one for one in unexpected if one not in spare]
    forbidden = [one for one in prediction.kept if any(_is(ban, one, alike.same) for ban in row.forbid)]
    read_missed, read_unexpected = _compared(row, [_as_kept(fact) for fact in row.given], alike, spoken=True)
    return Judgement(
        id=row.id,
        bad=row.bad,
        read_right=not read_missed and all(_is_spare(one, prediction) for one in read_unexpected),
        right=not (missed or unexpected or forbidden or prediction.error),
        missed=tuple(map(str, missed)),
        attrs_missed=tuple(
            str(fact)
            for fact in row.expect
            if not any(_met(reading, prediction.kept, alike, every=True) for reading in fact.readings)
        ),
        forbidden=tuple(map(_shown_fact, forbidden)),
        reassuring=tuple(map(_shown_fact, filter(_reassures, unexpected))),
        unexpected=tuple(map(_shown_fact, unexpected)),
        lost=tuple(str(fact) for fact in row.expect if fact.is_risk and not _in_view(fact, prediction, alike)),
        unflagged=tuple(
            _shown_fact(one)
            for one in unexpected
            if one.status == Status.ACTIVE and Flag.DISAGREE.value not in one.flags and one.relation != _TOLERATED
        ),
        fates=prediction.fates,
        waits=bool(prediction.waits),
        beside=sum(not any(_is(option, one, alike.alike) for option in allowed) for one in prediction.beside),
        beside_active=sum(
            one.status == Status.ACTIVE and not any(_is(option, one, alike.alike) for option in allowed)
            for one in prediction.beside
        ),
        refused=bool(prediction.error or (row.given and all(fate.fate == "refused" for fate in prediction.fates))),
    )


def _compared(
    row: Reading, facts: Sequence[Kept], alike: "_Names", *, spoken: bool = False
) -> tuple[list[Expected], list[Kept]]:
    """Expected facts that are missing, and facts that nobody expected or allowed; `spoken` names are the caller's."""
    same = alike.spoken if spoken else alike.alike
    missed = [
        fact for fact in row.expect if not any(_met(reading, facts, alike, spoken=spoken) for reading in fact.readings)
    ]
    allowed = [*(reading for fact in row.expect for reading in fact.readings), *row.allow]
    return missed, [one for one in facts if not any(_is(option, one, same) for option in allowed)]


def _met(
    option: Expected, facts: Iterable[Kept], alike: "_Names", *, every: bool = False, spoken: bool = False
) -> bool:
    """Whether some fact is the one expected with its numbers, or with `every` detail."""
    wanted = {name: value for name, value in option.attrs.items() if every or name in _NUMBERS}
    return any(
        _is(option, one, alike.spoken if spoken else alike.alike)
        and all(_shown(one.attrs.get(name)) == _shown(value) for name, value in wanted.items())
        for one in facts
    )


def _is(option: Expected, one: Kept, alike: Callable[[str, str], bool]) -> bool:
    """Whether a fact is of the expected relation, thing and status, whatever its details."""
    return (
        option.r == one.relation
        and option.status in {"", one.status}
        and (option.o == _ANY or any(alike(option.o, name) for name in (one.object, one.means) if name))
    )


def _in_view(fact: Expected, prediction: Prediction, alike: "_Names") -> bool:
    """Whether an expected risk still stands, under whatever relation, or waits for a person."""
    names = {reading.o for reading in fact.readings}
    return bool(prediction.waits) or any(
        one.status in _RISKS
        and one.relation != _TOLERATED
        and (_ANY in names or any(alike.alike(name, other) for name in names for other in (one.object, one.means)))
        for one in prediction.kept
    )


def _reassures(one: Kept) -> bool:
    return one.status in _DENIALS or one.relation == _TOLERATED


def _is_spare(one: Kept, prediction: Prediction) -> bool:
    """Whether a fact that nobody wrote down, given by the caller, does no harm: an age, a measurement, a medicine."""
    return one.relation not in prediction.critical and not _reassures(one)


def _as_kept(fact: Given) -> Kept:
    return Kept(
        relation=fact.relation, object=fact.object, means=fact.means, status=fact.status, attrs=dict(fact.attrs)
    )


def _claim(fact: Given) -> Claim:
    return Claim(
        relation=fact.relation, object=fact.object, evidence=fact.evidence, status=fact.status, attrs=dict(fact.attrs)
    )


def _place(
    fact: Given, stored: Sequence[Kept], alike: "_Names", taken: set[int], results: Iterable[Result]
) -> int | None:
    """Which stored fact came of a given one: of the same thing, best of the same relation and status."""

    def rank(at: int) -> tuple[bool, bool]:
        return stored[at].relation != fact.relation, stored[at].status != fact.status

    named = any(_is_about(result, fact) for result in results if result.fact is None)
    same = [
        at
        for at, one in enumerate(stored)
        if at not in taken
        and (one.relation == fact.relation or not named)
        and any(alike.either(name, one.object) for name in (fact.object, fact.means) if name)
    ]
    return min(same, key=rank, default=None)


def _fate(fact: Given, one: Kept | None, results: Iterable[Result]) -> Fate:
    told: dict[str, Any] = {"relation": fact.relation, "object": fact.object, "given": fact.status}
    if one is not None:
        same = (one.relation, one.status) == (fact.relation, fact.status)
        stored = one.status if one.relation == fact.relation else f"{one.relation} {one.status}"
        return Fate(**told, fate="as given" if same else "otherwise", stored=stored, reason=one.reason)
    for result in results:
        about_it = _is_about(result, fact)
        if result.verdict == "rejected" and about_it:
            return Fate(**told, fate="refused", reason=result.reason)
        if result.verdict in _WAITS and (about_it or _overlap(result.text, fact.evidence)):
            return Fate(**told, fate="waits", reason=result.reason)
    return Fate(**told, fate="vanished")


def _is_about(result: Result, fact: Given) -> bool:
    return (result.relation, result.object.casefold()) == (fact.relation, fact.object.casefold())


def _overlap(text: str, evidence: str) -> bool:
    words, quoted = plain(text), plain(evidence)
    return bool(words and quoted) and (words in quoted or quoted in words)


def _shown(value: object) -> str:
    """Numbers and words in one form: 2.0 and 2 and "2" are the same."""
    return f"{value:g}" if isinstance(value, int | float) else str(value).casefold()


def _shown_fact(one: Kept) -> str:
    return f"{one.relation} {one.object} {one.status}"


# names


class _Names:
    """Whether two names mean one thing, as far as spelling and the lexicon's synonyms tell."""

    def __init__(self, meanings: Mapping[str, Meaning]) -> None:
        self._meanings = meanings

    def same(self, gold: str, name: str) -> bool:
        """The same words, or synonyms of one term."""
        if _key(gold) == _key(name):
            return True
        return bool(set(self._of(gold).same) & set(self._of(name).same))

    def alike(self, gold: str, name: str) -> bool:
        """The same, or the name says more words about it."""
        if _SCOPE.match(gold) or _SCOPE.match(name):
            return _key(gold) == _key(name)
        within = f" {_key(gold)} " in f" {_key(name)} "
        return within or self.same(gold, name) or bool(set(self._of(gold).same) & set(self._of(name).inside))

    def spoken(self, gold: str, name: str) -> bool:
        """As `alike`, where a caller may have misspelt a name as people did, or said a scope in any words."""
        if self.alike(gold, name) or (gold.startswith("any") and _SAID_SCOPE.match(name)):
            return True
        return bool(set(self._of(gold).same) & set(self._of(name).near))

    def either(self, first: str, second: str) -> bool:
        """Whether what is stored under the second name may have come of the first."""
        both_scopes = bool(_SAID_SCOPE.match(first) and _SCOPE.match(second))
        return both_scopes or self.alike(first, second) or self.alike(second, first)

    def _of(self, name: str) -> Meaning:
        return self._meanings.get(name.casefold(), Meaning())


@lru_cache(maxsize=50_000)
def _key(name: str) -> str:
    """The words of a name without case, articles and plural."""
    words = plain(name).split()
    kept_words = [word for word in words if word not in _IDLE] if len(words) > 1 else words
    return " ".join(map(_singular, kept_words or words))


def _singular(word: str) -> str:
    """Good enough to compare two names: both sides are cut alike.

    >>> _singular("allergies"), _singular("nuts"), _singular("glass"), _singular("boxes")
    ('allergy', 'nut', 'glass', 'box')
    """
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 4 and word.endswith(("xes", "ches", "shes", "sses")):
        return word[:-2]
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


def _meanings(row: Reading, stored: Iterable[Kept], reader: Reader) -> dict[str, Meaning]:
    return {name.casefold(): _meaning(name, reader) for name in _names(row, stored) if name and name != _ANY}


def _names(row: Reading, stored: Iterable[Kept]) -> Iterator[str]:
    for fact in (*row.expect, *row.allow, *row.forbid):
        yield from (reading.o for reading in fact.readings)
    for one in row.given:
        yield from (one.object, one.means)
    for kept_fact in stored:
        yield from (kept_fact.object, kept_fact.means)


def _meaning(name: str, reader: Reader) -> Meaning:
    words = " ".join(word for word in name.split() if word.casefold() not in _IDLE) or name
    terms = reader.schema.lexicon.terms
    found = reader.linker.mentions(words)
    whole = {mention.name for mention in found if mention.surface.casefold() == words.casefold()}
    meant = reader.linker.resolve(words, list(terms))
    exact = {one.name for one in meant if words.casefold() in _spellings(one, terms)}
    return Meaning(
        same=_sorted(whole | exact),
        inside=_sorted(mention.name for mention in found),
        near=_sorted({one.name for one in meant} - exact),
    )


def _spellings(term: Mention, terms: Mapping[str, Mapping[str, tuple[str, ...]]]) -> set[str]:
    return {text.casefold() for text in (term.name, *terms.get(term.type, {}).get(term.name, ()))}


def _sorted(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(set(names)))
