"""Signs that the conversational memory does not work as it should, read from decisions and turns (SCM 39).

Over- and under-triggering need the decision log; a slow turn its times; repetition and contradiction the answers.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from r_memory.domain.memories import MemoryItem
from r_memory.domain.turns import CandidateScore, Form, TurnDecision
from r_memory_talk.controller.gate import BY_RULE, BY_WORDS
from r_memory_talk.stream.words import language_of, terms
from r_memory_talk.talk import Talk

_USED, _TAKEN = 0.25, 0.5
"""Shares of an item's telling words, or of those of the answer, that both must have for the item to count as used."""
_RELEVANT, _FOREIGN = 0.5, 0.3
"""Raw relevance (a cosine, a share of words; no normalised score) of a candidate that would have been needed, and below
which an item has nothing to do with the question."""
_SLOW_MS = 5_000.0
_SAME = 0.85
"""Share of equal words of two answers."""
_BACK = 500
"""Earlier answers that one is compared with."""
_READ = 200
"""Decisions of a conversation that are looked at."""
_LEAST_WORDS = 6
"""Words below which answers are alike by nature: yes, thanks."""
_RELEVANCES = ("cosine", "semantic", "keyword", "relevance")
"""Raw ones, the first that a profile has; of min-max normalised ones the best is always 1."""
_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)?")
_DENYING = frozenset(
    ["no", "not", "never", "none", "nothing", "cannot", "without", "nicht", "kein", "keine", "nie", "pas", "jamais"]
)


class Sign(StrEnum):
    """What may be wrong with a turn."""

    OVER_TRIGGERED = "over_triggered"
    """A judge, sure, opened the gate, nothing that was found bears on the question, and the answer took up none of it;
    in doubt it opens on purpose."""
    UNDER_TRIGGERED = "under_triggered"
    """The gate stayed shut, though something in memory bears on the question, and the answer says nothing of it."""
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


async def signs_of(talk: Talk, conversation: str, subject_uid: str) -> tuple[Signature, ...]:
    """Every sign in a conversation, by turn; of more decisions than `_READ`, in the newest.

    Raises:
        StoreUnavailable: it could not be read.
    """
    decided = await talk.conversations.decisions(conversation, subject_uid=subject_uid, limit=_READ)
    turns = await talk.conversations.turns(conversation, subject_uid=subject_uid)
    weighed = talk.stream.known({candidate.id for decision in decided for candidate in decision.candidates})
    return signatures(decided, turns, others=weighed)


async def sign_totals(talk: Talk) -> Mapping[str, Counter[str]]:
    """How often each sign was seen, by conversation, over those about everybody; raises as `signs_of`."""
    totals: dict[str, Counter[str]] = {}
    for name, subject_uid in await talk.stream.everyone():
        found = await signs_of(talk, name, subject_uid)
        totals.setdefault(name, Counter()).update(signature.sign.value for signature in found)
    return totals


def signatures(
    decisions: Sequence[TurnDecision], turns: Sequence[MemoryItem], *, others: Sequence[MemoryItem] = ()
) -> tuple[Signature, ...]:
    """Every sign in a conversation, by turn.

    `decisions` and `turns` in any order; decisions whose turn was never answered count for what they decided. `others`
    are what its turns may find elsewhere.
    """
    by_index = {item.index: item for item in turns}
    by_id = {item.id: item for item in (*others, *turns)}
    shown = {decision.turn: frozenset(each.id for each in _standing(decision)) for decision in decisions}
    found = {
        *(sign for decision in decisions for sign in _of_decision(decision, by_index, by_id)),
        *_of_answers(sorted(turns, key=lambda item: item.index), shown),
    }
    return tuple(sorted(found, key=lambda one: (one.turn, one.sign)))


def _of_decision(
    decision: TurnDecision, by_index: Mapping[int, MemoryItem], by_id: Mapping[str, MemoryItem]
) -> Iterator[Signature]:
    turn, answered = decision.turn, by_index.get(decision.turn)
    standing = _standing(decision)
    if decision.gate.yes is False:
        best = max(decision.candidates, key=_relevance, default=None)
        if best and _relevance(best) >= _RELEVANT and not (answered and _is_as_told(answered, by_id.get(best.id))):
            yield Signature(sign=Sign.UNDER_TRIGGERED, turn=turn, because=f"best relevance {_relevance(best):.2f}")
    elif decision.gate.yes and decision.gate.by not in {BY_RULE, BY_WORDS} and answered:
        foreign = all(_relevance(item) < _FOREIGN for item in standing)
        if foreign and not any(_is_used(answered, by_id.get(item.id)) for item in standing):
            yield Signature(sign=Sign.OVER_TRIGGERED, turn=turn, because=f"{len(standing)} items, none taken up")
    taken = sum(decision.steps_ms.values())
    if taken >= _SLOW_MS:
        slowest = max(decision.steps_ms, key=lambda name: decision.steps_ms[name])
        yield Signature(sign=Sign.SLOW, turn=turn, because=f"{taken:.0f} ms, most in {slowest}")


def _is_used(answered: MemoryItem, item: MemoryItem | None) -> bool:
    """Whether the answer takes up words of an item that the question did not bring itself; also where there are none to
    tell by."""
    if item is None:
        return True  # gone since: what it says is not known here, so nothing is claimed
    asked = _telling(answered.observation)
    said, held = _telling(answered.response) - asked, _telling(" ".join(item.messages)) - asked
    shared = len(said & held)
    return not (said and held) or shared >= min(_USED * len(held), _TAKEN * len(said))


def _is_as_told(answered: MemoryItem, item: MemoryItem | None) -> bool:
    """Whether the answer lacks nothing of an item: it is used, or shares less than half of the question's words."""
    asked = _telling(answered.observation)
    shared = asked & _telling(" ".join(item.messages)) if item else asked
    return _is_used(answered, item) or len(shared) < _TAKEN * len(asked)


def _telling(text: str) -> frozenset[str]:
    """The words of a text, as stems, without function words."""
    return frozenset(terms(text, language_of(text)))


def _relevance(one: CandidateScore) -> float:
    return next((one.components[name] for name in _RELEVANCES if name in one.components), 0.0)


def _standing(decision: TurnDecision) -> list[CandidateScore]:
    return [candidate for candidate in decision.candidates if candidate.form in {Form.RAW, Form.SUMMARY}]


def _of_answers(turns: Sequence[MemoryItem], shown: Mapping[int, frozenset[str]]) -> Iterator[Signature]:
    """`shown` is turn to the items that stood in its context: an answer that repeats those was asked to."""
    said = [(item, _words(item.observation), _words(item.response)) for item in turns]
    for place, (item, asked, answered) in enumerate(said):
        for other, before, earlier in said[max(0, place - _BACK) : place]:
            sign = _between(answered, earlier, same_question=_alike(asked, before) >= _SAME)
            if sign and not (sign is Sign.REPETITIVE and other.id in shown.get(item.index, ())):
                yield Signature(sign=sign, turn=item.index, because=f"turn {other.index}")
                break


def _between(one: frozenset[str], other: frozenset[str], *, same_question: bool) -> Sign | None:
    """What an answer is to an earlier one."""
    if min(len(one), len(other)) < _LEAST_WORDS:
        return None
    bare, other_bare = (frozenset(word for word in words if not _denies(word)) for words in (one, other))
    if _alike(bare, other_bare) < _SAME:
        return None
    if (bare == one) != (other_bare == other):
        return Sign.CONTRADICTORY
    return None if same_question else Sign.REPETITIVE


def _alike(one: frozenset[str], other: frozenset[str]) -> float:
    """Share of words that two texts have in common (Jaccard)."""
    return len(one & other) / len(one | other) if one or other else 1.0


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.casefold().replace("\u2019", "'")))


def _denies(word: str) -> bool:
    return word in _DENYING or word.endswith("n't")
