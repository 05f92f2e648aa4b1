"""What a caller judges of recorded facts beside a draft: a fact is always raised, and a finding lowered only if nothing
but words speaks. Pure.

`LOWERED` is the whole of what a judgement may lower. Whatever it does not list stays: what the knowledge pack, a rule,
a limit, a dose, a day or a name says, words that wait, questions that nobody asked, and what could not be read.
Neither the draft nor stored text judges: only the argument of the call counts.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

from r_memory.domain.blocks import (
    DraftCheck,
    Finding,
    Ground,
    Judged,
    Judgement,
    Line,
    MatchLevel,
    Recall,
    SetAside,
)
from r_memory.domain.events import Episode
from r_memory.domain.facts import Fact, Status
from r_memory.errors import InvalidInput
from r_memory.facts.naming import FactNames
from r_memory.facts.recall.lines import shown_line
from r_memory.facts.recall.rendering import recorded_words
from r_memory.facts.recall.waiting import words_of
from r_memory.text.inert import clipped, inert, inert_name

JUDGEMENTS_LIMIT = 50
"""Maximum number of judgements of one call."""
WHY_LIMIT = 120
"""Maximum characters of a reason that are shown."""
LOWERED: Mapping[tuple[Ground, str], Literal["set_aside", "lowered"]] = {
    (Ground.WORDS, "warning"): "set_aside",
    (Ground.KIND, "warning"): "set_aside",
    (Ground.BAN, "conflict"): "lowered",
    (Ground.SECRET, "warning"): "set_aside",
    (Ground.SECRET, "conflict"): "lowered",
}
"""What `apart` does to a finding of this ground and verdict; a finding that is not listed stays as it is."""
_KEPT = {
    Ground.WAITING: "words that wait for a person, and may hold a risk,",
    Ground.JUDGED: "another judgement of this call",
}
_COMPARED = "what was compared (a known thing or name, a rule, a limit, an amount or a day)"
_GRAVITY = {"conflict": 0, "bears": 1, "apart": 2}
_SHARED = "facts of several people are named by it; give the id"
_MESSAGE = 140
_FACT_SHOWN = 60
_ID = re.compile(r"[0-9a-f]{8}[0-9a-f-]{0,28}")
_QUOTED = re.compile(r'^\W*"(.*)"\s*(?:\([^()]*\))?\W*$', re.DOTALL)
"""The recorded words as a finding shows them, with speaker and day."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Meant:
    """A judgement with the facts that it means."""

    judgement: Judgement
    ids: frozenset[str] = frozenset()
    trouble: str = ""
    """Why it counts for nothing; empty if it counts."""

    @property
    def refused(self) -> Judged:
        """What became of it if it counts for nothing."""
        return Judged(judgement=self.judgement, outcome="refused", told=self.trouble)


@dataclass(frozen=True, slots=True, kw_only=True)
class AfterJudging:
    """The findings that remain, what was set aside, and what became of each judgement."""

    findings: tuple[Finding, ...]
    set_aside: tuple[SetAside, ...] = ()
    judged: tuple[Judged, ...] = ()

    def with_unplaced(self, lines: Iterable[Line], meant: Sequence[Meant]) -> "AfterJudging":
        """Also sets aside these lines of facts, which could only be listed, where the caller judged them apart."""
        reasons = _apart(meant)
        added = [
            SetAside(finding=part_in_force(line), why=reasons[line.fact.fact_id])
            for line in lines
            if line.fact.fact_id in reasons
        ]
        aside = {item.finding.fact_id for item in added}
        outcomes = tuple(
            replace(item, outcome="set_aside") if item.outcome == "unchanged" and item.fact_id in aside else item
            for item in self.judged
        )
        return replace(self, set_aside=(*self.set_aside, *added), judged=outcomes)


def checked_judgements(given: Iterable[Judgement]) -> tuple[Judgement, ...]:
    """The judgements, each once, with inert reasons.

    Raises:
        InvalidInput: there are too many, or a verdict is unknown.
    """
    judgements = tuple(dict.fromkeys(replace(item, why=inert(item.why, WHY_LIMIT)) for item in given))
    if len(judgements) > JUDGEMENTS_LIMIT:
        raise InvalidInput(f"judged holds more than {JUDGEMENTS_LIMIT} judgements; give those that matter")
    if unknown := next((item.verdict for item in judgements if item.verdict not in _GRAVITY), None):
        raise InvalidInput(f"'{inert_name(unknown)}' is no verdict of judged; known: {', '.join(_GRAVITY)}")
    return judgements


def meant_by(judgements: Iterable[Judgement], recalls: Sequence[Recall], names: FactNames) -> tuple[Meant, ...]:
    """Each judgement with the facts and waiting statements of these recalls that it means, or with the reason why it
    means none.
    """
    known = _Known(
        standing=tuple(line.fact for recall in recalls for line in recall.lines if line.rank != "past"),
        ended=tuple(line.fact for recall in recalls for line in _ended(recall)),
        waiting=tuple(episode for recall in recalls for episode in recall.pending),
    )
    return tuple(_meant(item, known, names) for item in judgements)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Known:
    """What a judgement may mean."""

    standing: Sequence[Fact]
    ended: Sequence[Fact]
    """What was and is over: it may be raised, as what has just ended still bears on a draft."""
    waiting: Sequence[Episode]


def _ended(recall: Recall) -> Sequence[Line]:
    """The lines of what was and is over; nothing of them is a finding by itself."""
    past = (line for line in (*recall.lines, *recall.over) if line.rank == "past")
    return tuple({line.fact.fact_id: line for line in past if line.fact.status is Status.RESOLVED}.values())


def _meant(judgement: Judgement, known: _Known, names: FactNames) -> Meant:
    words = judgement.fact.strip()
    raises = judgement.verdict != "apart"
    if not raises and not judgement.why:
        return Meant(judgement=judgement, trouble="`apart` needs a reason in `why`")
    facts = (*known.standing, *known.ended) if raises else known.standing
    waiting = {episode.id for episode in known.waiting}
    if words in waiting or _ID.fullmatch(words.casefold()):
        ids = (*(fact.fact_id for fact in facts), *waiting)
        found = frozenset(name for name in ids if name.casefold().startswith(words.casefold()))
        return _one_of(judgement, found, is_one=len(found) == 1)
    named = _quoted_in(words, facts)
    if not named and (statements := [each for each in known.waiting if _is_in(words, (*each.review, each.text))]):
        return _one_of(judgement, frozenset(each.id for each in statements), is_one=len(statements) == 1)
    named = named or names.named(words, known.standing) or (names.named(words, known.ended) if raises else ())
    found = frozenset(fact.fact_id for fact in named)
    said = {(fact.subject_uid, _plain(fact.evidence)) for fact in named}
    # One sentence may have given several facts; who quotes it whole means all of them.
    is_one = len(said) == 1 and (len(found) == 1 or _plain(_unquoted(words)) in {text for _, text in said})
    return _one_of(judgement, found, is_one=is_one)


def _one_of(judgement: Judgement, found: frozenset[str], *, is_one: bool) -> Meant:
    if is_one:
        return Meant(judgement=judgement, ids=found)
    if found:
        return Meant(judgement=judgement, trouble=f"it may mean any of {len(found)}; give the id")
    return Meant(judgement=judgement, trouble="nothing that stands on record is named by it")


def _quoted_in(words: str, facts: Sequence[Fact]) -> Sequence[Fact]:
    """The facts whose recorded words or thing these are, or else those that hold them word for word."""
    said = _plain(_unquoted(words))
    same = [fact for fact in facts if said and said in {_plain(fact.evidence), _plain(fact.object.name)}]
    return same or [fact for fact in facts if _is_in(words, (fact.evidence,))]


def _is_in(words: str, texts: Iterable[str]) -> bool:
    """Whether several words are found together in one of the texts."""
    said = _plain(_unquoted(words))
    return " " in said and any(said in _plain(text) for text in texts)


def _unquoted(words: str) -> str:
    found = _QUOTED.match(words)
    return words if found is None else found[1]


def _plain(words: str) -> str:
    """The words as they are compared: small letters, one space between them, no marks at the ends."""
    return " ".join(inert(words, len(words)).casefold().split()).strip(" .…\"'")


def after_judging(findings: Sequence[Finding], recall: Recall, meant: Sequence[Meant]) -> AfterJudging:
    """The findings of one person's record after the judgements: raised ones are added, and what `LOWERED` lists is
    lowered or set aside. The gravest of several judgements of a fact counts.
    """
    if not meant:
        return AfterJudging(findings=tuple(findings))
    reasons = _apart(meant)
    remaining: list[Finding] = []
    aside: list[SetAside] = []
    became: dict[str, set[str]] = {}
    stays: dict[str, Ground] = {}
    for finding in findings:
        for item, outcome in _lowered(finding, reasons):
            became.setdefault(item.fact_id, set()).add(outcome)
            if outcome == "set_aside":
                aside.append(SetAside(finding=item, why=reasons[item.fact_id]))
            else:
                remaining.append(item)
            if outcome == "kept":
                stays.setdefault(item.fact_id, item.ground)
    calm = calm_waiting(recall, meant)
    aside += [SetAside(finding=_of_waiting(episode), why=reasons[episode.id]) for episode in calm]
    became |= {episode.id: {"set_aside"} for episode in calm}
    stays = {**{episode.id: Ground.WAITING for episode in recall.pending}, **stays}
    standing = (line for line in recall.lines if line.rank != "past")
    told = {line.fact.fact_id: (shown_line(line), recorded_words(line.fact)) for line in _ended(recall)}
    told |= {line.fact.fact_id: (shown_line(line), "") for line in standing}
    told |= {episode.id: (_of_waiting(episode).message, "") for episode in recall.pending}
    here = [(item.judgement, name) for item in meant for name in sorted(item.ids & told.keys())]
    raised = (_raised(each, name, *told[name]) for each, name in here if each.verdict != "apart")
    judged = (_judged(each, name, became.get(name, set()), stays.get(name), counts=reasons) for each, name in here)
    every = sorted((*remaining, *raised), key=lambda finding: finding.verdict != "conflict")
    return AfterJudging(findings=tuple(every), set_aside=tuple(aside), judged=tuple(judged))


def calm_waiting(recall: Recall, meant: Sequence[Meant]) -> Sequence[Episode]:
    """The waiting statements that the caller judged apart and that hold no word for a critical risk."""
    reasons, urgent = _apart(meant), recall.urgent
    waiting = (episode for episode in recall.pending if episode.id in reasons)
    return () if urgent is None else [episode for episode in waiting if episode.id not in urgent]


def _apart(meant: Iterable[Meant]) -> Mapping[str, str]:
    """The caller's reason by the id of each fact that it judged apart, and not graver as well."""
    apart: dict[str, str] = {}
    graver: set[str] = set()
    for item in meant:
        if item.judgement.verdict == "apart":
            apart |= dict.fromkeys(item.ids, item.judgement.why)
        else:
            graver |= item.ids
    return {name: why for name, why in apart.items() if name not in graver}


def _lowered(finding: Finding, reasons: Mapping[str, str]) -> Iterator[tuple[Finding, str]]:
    """The finding, or its parts, each with what becomes of it; parts that stay are one finding again."""
    apart = [part for part in finding.parts if part.fact_id in reasons]
    if apart:
        for part in apart:
            yield part, "set_aside"
        if rest := [part for part in finding.parts if part not in apart]:
            yield in_force(rest), "unchanged"
        return
    if finding.parts or finding.fact_id not in reasons:
        yield finding, "unchanged"
        return
    outcome = LOWERED.get((finding.ground, finding.verdict), "kept")
    yield replace(finding, verdict="warning") if outcome == "lowered" else finding, outcome


def in_force(parts: Sequence[Finding]) -> Finding:
    """One warning for all facts that bear on every action; it is about the whole draft and quotes no sentence."""
    message = f"Also in force: {' '.join(part.message for part in parts)}"
    return replace(parts[0], message=message, parts=tuple(parts))


def part_in_force(line: Line) -> Finding:
    """One of the parts of `in_force`."""
    return Finding(
        verdict="warning",
        level=MatchLevel.NAME_ONLY,
        message=clipped(shown_line(line), _MESSAGE),
        quote="",
        fact_id=line.fact.fact_id,
        ground=Ground.KIND,
    )


def _of_waiting(episode: Episode) -> Finding:
    """A waiting statement as it is shown when the caller judges it."""
    return Finding(
        verdict="warning",
        level=MatchLevel.NAME_ONLY,
        message=clipped(f'NOT YET READ: "{inert(words_of(episode), _MESSAGE)}"', _MESSAGE),
        quote="",
        fact_id=episode.id,
        ground=Ground.WAITING,
    )


def _raised(judgement: Judgement, fact_id: str, told: str, said: str) -> Finding:
    """What the caller raises: its reason, then the line."""
    why = f": {judgement.why.rstrip('.')}." if judgement.why else "."
    return Finding(
        verdict="conflict" if judgement.verdict == "conflict" else "warning",
        level=MatchLevel.MEANT,
        message=f"As the caller judges{why} {clipped(told, _MESSAGE)}",
        quote="",
        fact_id=fact_id,
        said=said,
        ground=Ground.JUDGED,
    )


def _judged(
    judgement: Judgement, fact_id: str, became: Collection[str], stays: Ground | None, *, counts: Collection[str]
) -> Judged:
    """What became of a judgement of one fact; `counts` are the facts of which `apart` counts."""
    result = partial(Judged, judgement=judgement, fact_id=fact_id)
    if judgement.verdict != "apart":
        return result(outcome="raised")
    if fact_id not in counts:
        return result(outcome="kept", told=f"{_KEPT[Ground.JUDGED]} says it")
    if "kept" in became or (stays is Ground.WAITING and "set_aside" not in became):
        return result(outcome="kept", told=f"{_KEPT.get(stays or Ground.COMPARED, _COMPARED)} says it")
    if "lowered" in became:
        return result(outcome="lowered", told="its words forbid something, so it stays as a warning")
    return result(outcome="set_aside" if "set_aside" in became else "unchanged")


def without_shared(checks: Sequence[DraftCheck], judgements: Sequence[Judgement]) -> tuple[Judgement, ...]:
    """The judgements that mean facts of one person at most; `checks` are of one person each."""

    def of_one(judgement: Judgement) -> bool:
        own = (frozenset(item.fact_id for item in check.judged if item.judgement == judgement) for check in checks)
        return len({ids - {""} for ids in own} - {frozenset()}) <= 1

    return tuple(filter(of_one, judgements))


def of_everybody(judged: Iterable[Judged], shared: Collection[Judgement] = ()) -> tuple[Judged, ...]:
    """What became of the judgements about several people: what one person's record does not hold, another's may.

    Those that are `shared`, which may mean facts of several people, are refused.
    """
    each = tuple(dict.fromkeys(judged))
    found = {item.judgement for item in each if item.fact_id}
    refused = (Judged(judgement=item, outcome="refused", told=_SHARED) for item in shared)
    return (*(item for item in each if item.fact_id or item.judgement not in found), *refused)


def told_of(judged: Iterable[Judged]) -> tuple[str, ...]:
    """A line for each judgement that was not followed as it was given."""
    return tuple(
        f'JUDGED {item.judgement.verdict}, "{inert(item.judgement.fact, _FACT_SHOWN)}": {item.told}.'
        for item in judged
        if item.told
    )


def kept_in_receipt(judged: Iterable[Judged], recall: Recall) -> tuple[str, ...]:
    """The lines for a receipt of this person: each judgement of a fact of the person or of unknown words of the draft,
    and what became of it.
    """
    own = {*(line.fact.fact_id for line in recall.lines), *(episode.id for episode in recall.pending)}
    return tuple(_kept(item) for item in judged if item.words or item.fact_id in own)


def _kept(item: Judged) -> str:
    meant = ", ".join(f'"{inert_name(word)}"' for word in item.words) or item.fact_id
    became = f"{item.judgement.verdict} {meant} {item.outcome}"
    return f"{became}: {item.judgement.why}" if item.judgement.why else became


def without_reasons_for_words(judged: Iterable[Judged]) -> tuple[Judged, ...]:
    """What the receipts of several people may keep: why a word was explained may be about one of them alone."""
    return tuple(replace(item, judgement=replace(item.judgement, why="")) if item.words else item for item in judged)
