"""The result of a check: one of four verdicts, and what could not be compared. Pure.

A gap never makes a verdict milder.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from r_memory.domain.blocks import SURE, DraftCheck, Finding, Line, Recall, State, Verdict
from r_memory.domain.events import Episode
from r_memory.domain.facts import Entity, Flag
from r_memory.facts.recall.judged import told_of
from r_memory.facts.recall.rendering import (
    NO_PROOF,
    addressed_lines,
    beside_told,
    recorded_words,
    spoken_against,
    unread_lines,
    unrecognised_lines,
)
from r_memory.text.inert import inert, inert_name

_MOST_UNREAD = 20
"""Maximum number of waiting statements listed in a check; of more, the number."""
_VERDICTS: Mapping[Verdict, str] = {
    "conflict": "CONFLICT: a critical fact stands against this.",
    "warning": "WARNING: somebody must look at this.",
    "not_checkable": "NOT CHECKABLE: something could not be compared.",
    "nothing_found": "NOTHING FOUND: everything named was compared, and nothing recorded stands against it.",
}


def verdict_of(findings: Sequence[Finding], gaps: Sequence[str]) -> Verdict:
    """The gravest finding; without findings, `nothing_found` only if everything could be compared."""
    if findings:
        return "conflict" if any(finding.verdict == "conflict" for finding in findings) else "warning"
    return "not_checkable" if gaps else "nothing_found"


def with_words(findings: Iterable[Finding], recall: Recall) -> tuple[Finding, ...]:
    """The findings with the recorded words that each rests on, and those that correct it or may; the same words are
    shown once.
    """
    facts = {fact.fact_id: fact for rule in recall.rules for fact in rule.facts}
    lines = {line.fact.fact_id: line for line in recall.lines}
    facts |= {fact_id: line.fact for fact_id, line in lines.items()}
    shown: set[str] = set()
    told: list[Finding] = []
    for finding in findings:
        fact = facts.get(finding.fact_id)
        words = finding.said if fact is None or finding.parts else recorded_words(fact)
        against = spoken_against(lines[finding.fact_id]) if finding.fact_id in lines else ()
        words = "; ".join(filter(None, (words, *against)))
        told.append(finding if words in shown else replace(finding, said=words))
        shown.add(words)
    return tuple(told)


def of_all(checks: Sequence[DraftCheck]) -> DraftCheck:
    """One check of a draft that was checked for several people; its subject is that of the first."""
    first, *others = checks
    if not others:
        return first
    findings = [finding for check in checks for finding in check.findings]
    findings.sort(key=lambda finding: finding.verdict != "conflict")
    gaps = (*first.gaps, *_of_each(others, lambda check: check.gaps))
    notes = (*first.notes, *_of_each(others, lambda check: check.notes))
    return replace(
        first,
        verdict=verdict_of(findings, gaps),
        findings=tuple(findings),
        gaps=gaps,
        notes=notes,
        set_aside=tuple(item for check in checks for item in check.set_aside),
        judged=tuple(item for check in checks for item in check.judged),
    )


def _of_each(checks: Iterable[DraftCheck], said: Callable[[DraftCheck], Iterable[str]]) -> Iterator[str]:
    """Sentences of several checks, each with the name of its subject."""
    return (f"{inert_name(check.recall.subject.name)}: {text}" for check in checks for text in said(check))


def checked_together(check: DraftCheck, people: Collection[Entity]) -> DraftCheck:
    """The check of a draft for one of these people: to name another of them is no sign of a mistaken subject."""
    words = check.recall.addressed
    others = tuple(other for other in words.others if other not in people)
    days = tuple(day for day in words.other_days if day.person not in people)
    recall = replace(check.recall, addressed=replace(words, others=others, other_days=days, means_all=False))
    told = frozenset(addressed_lines(check.recall))
    gaps = (*addressed_lines(recall), *(gap for gap in check.gaps if gap not in told))
    return replace(check, verdict=verdict_of(check.findings, gaps), gaps=gaps, recall=recall)


def with_said(draft: DraftCheck, with_about: DraftCheck) -> DraftCheck:
    """The check of a draft, joined with the check of the things in `about`; never milder than either."""
    things = [inert(thing) for thing in with_about.recall.about]
    known = {replace(item, said="") for item in draft.findings}
    added = (
        replace(item, quote=f"as the caller says: {item.quote}")
        if item.quote and any(item.quote in thing for thing in things)
        else item
        for item in with_about.findings
        if replace(item, said="") not in known
    )
    findings = sorted((*draft.findings, *added), key=lambda finding: finding.verdict != "conflict")
    gaps = tuple(dict.fromkeys((*draft.gaps, *with_about.gaps)))
    return replace(
        with_about,
        verdict=verdict_of(findings, gaps),
        findings=tuple(findings),
        gaps=gaps,
        set_aside=tuple(dict.fromkeys((*draft.set_aside, *with_about.set_aside))),
        judged=tuple(dict.fromkeys((*draft.judged, *with_about.judged))),
    )


def objections(checked: DraftCheck, *, extra: Collection[str] = ()) -> tuple[str, ...]:
    """A sentence for each fact that conflicts with the draft, each once, as stored with the draft.

    Relations that could not be read are included, except those in `extra`, the queries of action types: a draft opens
    every row, so that all possible conflicts are read without them.
    """
    conflicts = (finding for finding in checked.findings if finding.verdict == "conflict")
    told = ((finding.message, f" Fact {finding.fact_id[:8]}." if finding.fact_id else "") for finding in conflicts)
    sentences = dict.fromkeys(f"{message}{which}" for message, which in told)
    return (*sentences, *_unread(checked.recall, extra))


def doubts(checked: DraftCheck) -> tuple[str, ...]:
    """Sentences about an answer without conflicts, to be shown beside it; empty for small talk."""
    recall = checked.recall
    ordered = recall.needed or recall.unrecognised or recall.bearing or recall.addressed.is_mismatch
    warnings = tuple(f"WARNING: {finding.message}" for finding in checked.findings)
    return (*warnings, *(checked.gaps if ordered else ()))


def _unread(recall: Recall, extra: Collection[str]) -> Iterator[str]:
    if recall.unavailable:
        yield f"it could not be held against the memory: {recall.unavailable}."
        return
    unread = [outcome.relation for outcome in recall.outcomes if outcome.state is State.COULD_NOT_CHECK]
    if missing := ", ".join(inert_name(name) for name in unread if name not in extra):
        yield f"it could not be held against {missing}."


def gaps_of(
    recall: Recall,
    *,
    unlike: Iterable[Line],
    waits_beside: bool,
    may_matter: bool,
    untouched: Collection[Episode] = (),
) -> Iterator[str]:
    """A sentence for each thing that could not be compared, statements that name a thing of the request first.

    With `waits_beside`, the waiting statements that are only counted have nothing to do with the words and are no gap;
    nor have those that are `untouched`.
    `unlike` are the facts whose unknown names the words may mean (`unlike_lines`). `may_matter` says whether the words
    name anything that the questions which nobody asked could be about.
    """
    yield from addressed_lines(recall)
    yield from unread_lines(recall, most=_MOST_UNREAD, counted=not waits_beside, untouched=untouched)
    yield from unrecognised_lines(recall)
    for line in unlike:
        name = inert_name(line.fact.object.name)
        yield f"NOT RECOGNISED: {name}, which is recorded; {recall.compared_by} could not be compared."
    for outcome in recall.outcomes:
        if outcome.state is State.COULD_NOT_CHECK:
            yield f"{inert_name(outcome.relation)} could not be checked."
    if not recall.pending and all(outcome.state is State.NOT_ASKED for outcome in recall.outcomes):
        name, beside = inert_name(recall.subject.name), beside_told(recall)
        nothing = f"Nothing is on record about {name}: nothing was ever asked."
        yield f"Nothing of this is on record about {name}; {beside}." if beside else nothing
    elif may_matter:
        yield from recall.unasked


def unlike_lines(
    recall: Recall, spoken: Collection[str], *, names_something: bool, names_part: Callable[[str], bool]
) -> Iterator[Line]:
    """The facts recorded under unknown names: the words may order the same thing under another name.

    If things are compared by name only, every recorded name is known. `names_something` says whether the words name a
    thing of the domain, for whatever purpose, and `names_part` whether they hold a word of a recorded name; `spoken`
    are the relations whose objects are sentences, such as instructions, rather than names.
    """
    whatever = names_something and not recall.meant
    for line in recall.lines if recall.compared_by else ():
        unknown = Flag.UNMAPPED in line.fact.flags and not line.matches and line.fact.relation not in spoken
        if not unknown or line.rank not in SURE:
            continue
        if line.fact.relation in recall.meant or whatever or names_part(line.fact.object.name):
            yield line


def told(checked: DraftCheck) -> str:
    """The check as text for people: the verdict, its reasons, and what could not be compared."""
    subject = checked.recall.subject
    lines = [f"{_VERDICTS[checked.verdict]} Subject: {inert_name(subject.name)} ({inert_name(subject.id)})."]
    for finding in checked.findings:
        lines += [f"{finding.verdict.upper()}: {finding.message}"]
        lines += [f'  in: "{finding.quote}"'] if finding.quote else []
        lines += [f"  on record: {finding.said}"] if finding.said else []
    lines += (f"SET ASIDE BY THE CALLER, {item.why}: {item.finding.message}" for item in checked.set_aside)
    lines += (*told_of(checked.judged), *checked.gaps, *checked.notes)
    return "\n".join([*lines, NO_PROOF])
