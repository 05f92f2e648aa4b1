"""Suite `across`: told in one conversation, asked in another about the same subject, under every mode.

The questions of `locomo`. Each is asked twice, read-only: in the conversation in which its evidence was told, and in
another of the same subject that knows nothing but small talk. Ten items may be chosen.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from r_memory.domain.turns import Form
from r_memory.memory import Memory
from r_memory_lab.evals.locomo import LocomoProbe, answerable, talk_of
from r_memory_lab.evals.measures import Figure, average
from r_memory_lab.evals.outcomes import CaseOutcome
from r_memory_lab.evals.retrieval import recall_at, tell
from r_memory_lab.evals.rows import DataRow
from r_memory_talk.profiles import PROFILES
from r_memory_talk.stream.values import NewTurn

K = 10
_AIM = ">= .85"
_ELSEWHERE = "another day"
_SMALL_TALK = (("Good morning!", "Good morning to you."), ("It looks like rain.", "Take an umbrella."))

__all__ = ["answerable", "ask", "of_modes"]


class EvidenceShares(DataRow):
    """Shares of a question's evidence that were found, by mode."""

    same: Mapping[str, float]
    """In the conversation in which it was told."""
    other: Mapping[str, float]


async def ask(memory: Memory, probes: Sequence[LocomoProbe], done: Callable[[], None]) -> tuple[EvidenceShares, ...]:
    """Returns the chosen items of each mode for each question; the subject is the conversation's own."""
    talks, told, found = memory.talk.conversations, set[str](), []
    talks.profiles = {name: replace(profile, k=K) for name, profile in talks.profiles.items()}
    for probe in probes:
        if probe.conv not in told:
            told.add(probe.conv)
            talk = talk_of(probe)
            turns = tuple(replace(turn, subject_uid=probe.conv) for turn in talk.turns)
            await tell(memory.talk.stream, replace(talk, turns=turns))
            for question, answer in _SMALL_TALK:
                await talks.finish(
                    NewTurn(conversation=_ELSEWHERE, observation=question, response=answer, subject_uid=probe.conv)
                )
        same, other = [
            {mode: await _found(memory, probe, conversation, mode) for mode in PROFILES}
            for conversation in (probe.conv, _ELSEWHERE)
        ]
        found.append(EvidenceShares(id=probe.id, same=same, other=other))
        done()
    return tuple(found)


async def _found(memory: Memory, probe: LocomoProbe, conversation: str, mode: str) -> float:
    prepared = await memory.talk.conversations.prepare(
        probe.question, conversation, subject_uid=probe.conv, profile=mode, probe=True
    )
    chosen = [
        candidate.id.rpartition("/")[2]
        for candidate in prepared.decision.candidates
        if candidate.form is not Form.NOT_CHOSEN
    ]
    return recall_at(chosen, probe.evidence, K)


def of_modes(probes: Sequence[LocomoProbe], found: Sequence[EvidenceShares]) -> CaseOutcome:
    """Returns the recall in both conversations, and the share of the first that the second finds."""
    figures: list[Figure] = []
    for mode in PROFILES:
        same, other = (average("", [getattr(row, name)[mode] for row in found]).value for name in ("same", "other"))
        share = other / same if same else 0.0
        figures.append(
            Figure(name=f"{mode}: found in another conversation, share", value=share, n=len(found), aim=_AIM)
        )
        figures += [
            average(f"{mode}: recall@{K}, same conversation", [row.same[mode] for row in found]),
            average(f"{mode}: recall@{K}, another", [row.other[mode] for row in found]),
        ]
    return CaseOutcome(figures=tuple(figures), notes=(f"{len(probes)} questions, {K} items each.",))
