"""Suites `baselines` (T-4, T-5) and `tokens` (T-22): whole contexts by every profile, and what they cost.

A conversation is told turn by turn through the same call that a host uses; then each probe is asked by itself and
leaves nothing behind. What counts is whether the evidence stands in the context, not what a model would make of it:
that needs a model. A way that shows no turns, such as a summary alone, is measured by the words of the evidence.
"""

import itertools
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from statistics import linear_regression

from pydantic import Field

from r_memory.domain.turns import Form, PreparedSections
from r_memory.memory import Memory
from r_memory_lab.bench.gossip import gossip
from r_memory_lab.evals import locomo, scm
from r_memory_lab.evals.measures import Figure, average, percentile, share
from r_memory_lab.evals.outcomes import CaseOutcome
from r_memory_lab.evals.rows import DataRow
from r_memory_lab.profiles import COMPARED
from r_memory_talk.conversations import Conversations
from r_memory_talk.stream.values import NewTurn
from r_memory_talk.stream.words import terms

TURNS = 200
"""Turns in the suite `tokens`."""
_WARM = 50
"""Turns after which a context should stop growing."""
_SEVERAL = 4
"""Turns between measurements of every profile; the usual profile is measured at each turn."""
_HOW = (
    "Evidence: the share of a probe's evidence turns that stand in the context, whole or by their summary. Words: the "
    "share of their words that stand there in any form. Tokens: an estimate of o200k_base for the conversational "
    "sections of one request. No claim is made about answers: those need a model."
)
_ONLY = (
    "Conversational sections only; the safety block before them grows with the facts, not with the talk. Tokens are an "
    "estimate of o200k_base."
)


class ToldTurn(DataRow):
    """A turn as it is told."""

    asked: str
    answered: str
    speaker: str = ""
    responder: str = ""
    parts: tuple[str, ...] = ()
    """Names by which evidence refers to it."""


class ProbeInTalk(DataRow):
    """A probe with its conversation."""

    source: str
    """`locomo` or `scm`."""
    conversation: str
    question: str
    evidence: tuple[str, ...]
    turns: tuple[ToldTurn, ...] = Field(repr=False)


class ProbeContext(DataRow):
    """The contexts of one probe."""

    source: str
    recall: Mapping[str, float]
    """Share of the evidence in the context as a turn, complete or summarised."""
    words: Mapping[str, float]
    """Share of the evidence's words in the context."""
    tokens: Mapping[str, int]
    forms: Mapping[str, Mapping[str, int]] = {}
    """By way, how many chosen items are raw, summarised or dropped."""


class Length(DataRow):
    """The length of a turn's context."""

    turn: int
    full: int
    """Tokens of the whole conversation."""
    tokens: Mapping[str, int]
    """Tokens by way; of the usual way for every turn, of the others for some."""


def probes(data: Path) -> tuple[ProbeInTalk, ...]:
    """Returns the answerable questions of LoCoMo and the probes of SCM with evidence.

    Raises:
        InvalidInput: a file is missing or has another form.
    """
    return (*_locomo(data), *_scm(data))


async def ask(memory: Memory, asked: Sequence[ProbeInTalk], done: Callable[[], None]) -> tuple[ProbeContext, ...]:
    """Returns the contexts of each probe in every way."""
    told: set[str] = set()
    found = []
    for probe in asked:
        if probe.conversation not in told:
            told.add(probe.conversation)
            await _tell(memory.talk.conversations, probe.conversation, probe.turns)
        found.append(await _context(memory.talk.conversations, probe))
        done()
    return tuple(found)


def of_baselines(asked: Sequence[ProbeInTalk], found: Sequence[ProbeContext]) -> CaseOutcome:
    """Returns evidence and tokens of each way, by source."""
    del asked  # contexts say what is counted
    sources = list(dict.fromkeys(row.source for row in found))
    tables = {source: _table([row for row in found if row.source == source]) for source in sources}
    forms = {f"{source}: forms of the chosen items": _forms(found, source) for source in sources}
    return CaseOutcome(
        figures=tuple(tables.pop(sources[0])) if sources else (),
        groups={**tables, **forms},
        notes=(f"The first table is {sources[0] if sources else 'empty'}. {_HOW}",),
    )


def conversation(data: Path) -> tuple[ToldTurn, ...]:
    """Returns the first turns of LoCoMo's first long conversation, or made-up talk without that data."""
    if not (data / locomo.TURNS).exists():
        return _made_up()
    by_name = {probe.conversation: probe.turns for probe in _locomo(data)}
    longest = max(by_name.values(), key=len)
    return tuple(turn for turn in longest[:TURNS])


async def measure(memory: Memory, turns: Sequence[ToldTurn], done: Callable[[], None]) -> tuple[Length, ...]:
    """Asks and answers each turn, and measures its context: in the usual way, and sometimes in the others."""
    talks, lengths = memory.talk.conversations, []
    for number, turn in enumerate(turns, start=1):
        usual = await talks.prepare(turn.asked, "tokens")
        tokens = {"default": usual.tokens}
        if number % _SEVERAL == 0:
            for profile in COMPARED:
                tokens[profile] = (await talks.prepare(turn.asked, "tokens", profile=profile, probe=True)).tokens
        lengths.append(Length(id=turn.id, turn=number, full=usual.decision.full_history_tokens, tokens=tokens))
        await talks.finish(_new(turn, "tokens"))
        done()
    return tuple(lengths)


def of_tokens(turns: Sequence[ToldTurn], found: Sequence[Length]) -> CaseOutcome:
    """Returns the tokens at some turns, the maximum, and the growth after the first fifty."""
    del turns  # lengths say what is counted
    profiles = list(dict.fromkeys(name for row in found for name in row.tokens))
    late = [row for row in found if row.turn > _WARM]
    default = [row.tokens["default"] for row in found]
    return CaseOutcome(
        figures=(
            _tokens("most tokens of a context, default", max(default, default=0), len(found), aim="bounded"),
            _slope("growth per turn after warm-up, default", [(r.turn, r.tokens["default"]) for r in late], aim="~ 0"),
            _slope("growth per turn after warm-up, whole conversation", [(r.turn, r.full) for r in late]),
            *(
                figure
                for row in found
                if row.turn in {10, 50, 100, 150, TURNS}
                for figure in (
                    _tokens(f"turn {row.turn}: default", row.tokens["default"], 1),
                    _tokens(f"turn {row.turn}: whole conversation", row.full, 1),
                )
            ),
        ),
        groups={
            "Growth per turn after warm-up": [
                _slope(name, [(row.turn, row.tokens[name]) for row in late if name in row.tokens]) for name in profiles
            ],
            "Most tokens of a context": [
                _tokens(name, max(row.tokens.get(name, 0) for row in found), len(found)) for name in profiles
            ],
        },
        notes=(_ONLY,),
    )


def _locomo(data: Path) -> tuple[ProbeInTalk, ...]:
    turns: dict[str, tuple[ToldTurn, ...]] = {}
    found = []
    for probe in locomo.rows(data):
        if not (probe.answerable and probe.evidence):
            continue
        if probe.conv not in turns:
            turns[probe.conv] = _paired(probe)
        found.append(
            ProbeInTalk(
                id=f"locomo/{probe.id}",
                source="locomo",
                conversation=f"locomo/{probe.conv}",
                question=probe.question,
                evidence=probe.evidence,
                turns=turns[probe.conv],
            )
        )
    return tuple(found)


def _paired(probe: locomo.LocomoProbe) -> tuple[ToldTurn, ...]:
    """Returns turns of two utterances each: the words of a speaker and the answer."""
    said = [turn for turn in probe.turns if turn.text.strip()]
    pairs = zip(said[::2], said[1::2], strict=False)
    return tuple(
        ToldTurn(
            id=f"{first.id}+",
            asked=first.text,
            answered=answer.text,
            speaker=first.speaker,
            responder=answer.speaker,
            parts=(first.turn, answer.turn),
        )
        for first, answer in pairs
    )


def _scm(data: Path) -> tuple[ProbeInTalk, ...]:
    return tuple(
        ProbeInTalk(
            id=f"scm/{probe.id}",
            source=f"scm {probe.lang}",
            conversation=f"scm/{probe.dialogue}",
            question=probe.question,
            evidence=tuple(map(str, probe.silver_evidence)),
            turns=tuple(
                ToldTurn(
                    id=f"{probe.dialogue}/{turn.turn}",
                    asked=turn.user,
                    answered=turn.assistant,
                    parts=(str(turn.turn),),
                )
                for turn in probe.turns
                if turn.user.strip() and turn.assistant.strip()
            ),
        )
        for probe in scm.rows(data)
        if probe.silver_evidence
    )


def _made_up() -> tuple[ToldTurn, ...]:
    lines = itertools.islice(gossip(5), 2 * TURNS)
    pairs = enumerate(zip(lines, lines, strict=False))
    return tuple(
        ToldTurn(id=f"made-up/{number}", asked=asked, answered=answered, speaker=who, responder=other)
        for number, ((who, asked), (other, answered)) in pairs
    )


async def _tell(talks: Conversations, name: str, turns: Sequence[ToldTurn]) -> None:
    for turn in turns:
        await talks.finish(_new(turn, name))


def _new(turn: ToldTurn, conversation: str) -> NewTurn:
    return NewTurn(
        conversation=conversation,
        observation=turn.asked,
        response=turn.answered,
        speaker=turn.speaker,
        responder=turn.responder,
        key=turn.id,
    )


async def _context(talks: Conversations, probe: ProbeInTalk) -> ProbeContext:
    prepared = {
        profile: await talks.prepare(probe.question, probe.conversation, profile=profile, probe=True)
        for profile in COMPARED
    }
    parts = {turn.id: turn.parts for turn in probe.turns}
    said = {part: f"{turn.asked}\n{turn.answered}" for turn in probe.turns for part in turn.parts}
    wanted = {term for part in probe.evidence for term in terms(said.get(part, ""))}
    return ProbeContext(
        id=probe.id,
        source=probe.source,
        recall={profile: _recall(item, parts, probe.evidence) for profile, item in prepared.items()},
        words={
            profile: len(wanted & set(terms(item.text))) / max(len(wanted), 1) for profile, item in prepared.items()
        },
        tokens={profile: item.tokens for profile, item in prepared.items()},
        forms={profile: _chosen(item) for profile, item in prepared.items()},
    )


def _recall(prepared: PreparedSections, parts: Mapping[str, Sequence[str]], evidence: Collection[str]) -> float:
    standing = {part for section in prepared.sections for id_ in section.ids for part in parts.get(id_, ())}
    return sum(item in standing for item in evidence) / len(evidence)


def _chosen(prepared: PreparedSections) -> dict[str, int]:
    forms = [candidate.form for candidate in prepared.decision.candidates]
    return {form.value: forms.count(form) for form in (Form.RAW, Form.SUMMARY, Form.DROPPED)}


def _table(rows: Sequence[ProbeContext]) -> list[Figure]:
    profiles = list(rows[0].tokens)
    return [
        figure
        for profile in profiles
        for figure in (
            average(f"{profile}: evidence", [row.recall[profile] for row in rows]),
            average(f"{profile}: words", [row.words[profile] for row in rows]),
            _spread(f"{profile}: tokens", [row.tokens[profile] for row in rows]),
        )
    ]


def _forms(found: Sequence[ProbeContext], source: str) -> list[Figure]:
    rows = [row for row in found if row.source == source]
    figures = []
    for profile in list(rows[0].forms):
        total = {form: sum(row.forms[profile][form] for row in rows) for form in rows[0].forms[profile]}
        figures += [
            share(f"{profile}: {form}", n, sum(total.values())) for form, n in total.items() if sum(total.values())
        ]
    return figures


def _spread(name: str, values: Sequence[int]) -> Figure:
    """Returns the mean, with the 5th and 95th percentile."""
    return Figure(
        name=f"{name}, mean (5-95 %)",
        value=sum(values) / max(len(values), 1),
        n=len(values),
        low=percentile(values, 0.05),
        high=percentile(values, 0.95),
        unit="tokens",
    )


def _tokens(name: str, value: int, n: int, *, aim: str = "") -> Figure:
    return Figure(name=name, value=value, n=n, unit="tokens", aim=aim)


def _slope(name: str, points: Sequence[tuple[int, int]], *, aim: str = "") -> Figure:
    """Returns the least-squares slope; 0 if it is undefined."""
    turns = [turn for turn, _ in points]
    value = linear_regression(turns, [tokens for _, tokens in points]).slope if len(set(turns)) > 1 else 0.0
    return Figure(name=name, value=value, n=len(points), unit="tokens", aim=aim)
