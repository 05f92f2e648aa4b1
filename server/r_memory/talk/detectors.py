"""Signs that the conversational memory does not work as it should, read from decisions and turns (SCM 39). Pure.

Over- and under-triggering need the decision log; a slow turn its times; repetition and contradiction the answers.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from r_memory.domain.decisions import CandidateScore, Form, TurnDecision
from r_memory.domain.memories import MemoryItem
from r_memory.talk.controller.gate import BY_RULE


class Sign(StrEnum):
    """What may be wrong with a turn."""

    OVER_TRIGGERED = "over_triggered"
    """A judge opened the gate, nothing that was found bears on the question, and the answer took up none of it."""
    UNDER_TRIGGERED = "under_triggered"
    """The gate stayed shut, though something in memory bears on the question."""
    SLOW = "slow"
    REPETITIVE = "repetitive"
    """The answer is nearly an earlier one, to another question, and that one was not recalled for it."""
    CONTRADICTORY = "contradictory"
    """The answer denies, in nearly the same words, what an earlier one said, or the other way round."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Signature:
    """A sign, where it was seen."""

    sign: Sign
    turn: int
    """Number of the turn."""
    because: str
    """Figures or numbers of turns; never what was said."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SignLimits:
    """From where on something is a sign."""

    used_words: float = 0.2
    """Share of an item's content words that an answer has to take up for the item to count as used."""
    relevant: float = 0.5
    """Raw relevance (a cosine, a share of words; no normalised score) of a candidate that would have been needed."""
    foreign: float = 0.3
    """Raw relevance below which an item has nothing to do with the question."""
    slow_ms: float = 5_000.0
    same: float = 0.85
    """Share of equal words of two answers."""
    back: int = 500
    """Earlier answers that one is compared with."""


_RELEVANCES = ("cosine", "semantic", "keyword", "relevance")
"""Raw ones, the first that a profile has; of min-max normalised ones the best is always 1."""
_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)?")
_DENYING = frozenset(
    ["no", "not", "never", "none", "nothing", "cannot", "without", "nicht", "kein", "keine", "nie", "pas", "jamais"]
)
_LEAST_WORDS = 6
"""Words below which answers are alike by nature: yes, thanks."""


def signatures(
    decisions: Sequence[TurnDecision], turns: Sequence[MemoryItem], limits: SignLimits | None = None
) -> tuple[Signature, ...]:
    """Every sign in a conversation, by turn.

    `decisions` and `turns` in any order; decisions whose turn was never answered count for what they decided.
    """
    held = limits or SignLimits()
    by_index = {item.index: item for item in turns}
    by_id = {item.id: item for item in turns}
    found = [
        *(sign for decision in decisions for sign in _of_decision(decision, by_index, by_id, held)),
        *_of_answers(sorted(turns, key=lambda item: item.index), _recalled(decisions), held),
    ]
    return tuple(sorted(set(found), key=lambda one: (one.turn, one.sign)))


def _of_decision(
    decision: TurnDecision, by_index: dict[int, MemoryItem], by_id: dict[str, MemoryItem], limits: SignLimits
) -> Iterator[Signature]:
    opened = decision.gate.yes is not False
    standing = _standing(decision)
    answered = by_index.get(decision.turn)
    foreign = all(_relevance(one.components) < limits.foreign for one in standing)
    asked = decision.gate.by != BY_RULE
    items = [by_id.get(one.id) for one in standing]
    if opened and asked and foreign and answered is not None and not _any_used(answered, items, limits):
        yield Signature(sign=Sign.OVER_TRIGGERED, turn=decision.turn, because=f"{len(standing)} items, none taken up")
    best = max((_relevance(one.components) for one in decision.candidates), default=0.0)
    if not opened and best >= limits.relevant:
        yield Signature(sign=Sign.UNDER_TRIGGERED, turn=decision.turn, because=f"best relevance {best:.2f}")
    taken = sum(decision.steps_ms.values())
    if taken >= limits.slow_ms:
        slowest = max(decision.steps_ms, key=lambda name: decision.steps_ms[name])
        yield Signature(sign=Sign.SLOW, turn=decision.turn, because=f"{taken:.0f} ms, most in {slowest}")


def _any_used(answered: MemoryItem, items: Sequence[MemoryItem | None], limits: SignLimits) -> bool:
    """Whether the answer takes up words of an item that the question did not bring itself."""
    told = _words(answered.response) - _words(answered.observation)
    for item in items:
        if item is None:
            return True  # a memory made of turns: what it says is not known here, so nothing is claimed
        content = _words(item.raw) - _words(answered.observation)
        if content and len(told & content) / len(content) >= limits.used_words:
            return True
    return False


def _relevance(components: Mapping[str, float]) -> float:
    return next((components[name] for name in _RELEVANCES if name in components), 0.0)


def _recalled(decisions: Sequence[TurnDecision]) -> Mapping[int, frozenset[str]]:
    """Turn to the items that stood in its context: an answer that repeats those was asked to."""
    return {decision.turn: frozenset(one.id for one in _standing(decision)) for decision in decisions}


def _standing(decision: TurnDecision) -> list[CandidateScore]:
    return [one for one in decision.candidates if one.form in {Form.RAW, Form.SUMMARY}]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Said:
    """The words of a turn."""

    item: MemoryItem
    asked: frozenset[str]
    answered: frozenset[str]


def _of_answers(
    turns: Sequence[MemoryItem], recalled: Mapping[int, frozenset[str]], limits: SignLimits
) -> Iterator[Signature]:
    said = [_Said(item=item, asked=_words(item.observation), answered=_words(item.response)) for item in turns]
    for place, one in enumerate(said):
        shown = recalled.get(one.item.index, frozenset())
        for other in said[max(0, place - limits.back) : place]:
            sign = _between(one, other, limits)
            if sign is None or (sign is Sign.REPETITIVE and other.item.id in shown):
                continue
            yield Signature(sign=sign, turn=one.item.index, because=f"turn {other.item.index}")
            break


def _between(one: _Said, other: _Said, limits: SignLimits) -> Sign | None:
    if min(len(one.answered), len(other.answered)) < _LEAST_WORDS:
        return None
    if _alike(_bare(one.answered), _bare(other.answered)) < limits.same:
        return None
    if _denies(one.answered) != _denies(other.answered):
        return Sign.CONTRADICTORY
    return None if _alike(one.asked, other.asked) >= limits.same else Sign.REPETITIVE


def _alike(one: frozenset[str], other: frozenset[str]) -> float:
    """Share of words that two texts have in common (Jaccard)."""
    return len(one & other) / len(one | other) if one or other else 1.0


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.casefold().replace("\u2019", "'")))


def _denies(words: frozenset[str]) -> bool:
    return any(word in _DENYING or word.endswith("n't") for word in words)


def _bare(words: frozenset[str]) -> frozenset[str]:
    return frozenset(word for word in words if not _denies(frozenset([word])))
