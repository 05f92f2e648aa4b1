"""Which unknown words of a draft a caller may explain, so that they are no gap any more. Pure.

The caller judges the word `apart` and says in `why` what it is. `OPEN` lists what keeps a word open whatever is said
of it; the comparison of the reason with the record is the recaller's. Knows no word of any language.
"""

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, replace

from r_memory.domain.blocks import DraftCheck, Judged, Judgement
from r_memory.protocols import Naming
from r_memory.text.inert import inert_name

_COUNTED_BEFORE = re.compile(r"\d[^\s,;]*(?:\s+\w+)?\s+$")
_COUNTED_BEHIND = re.compile(r"[^\w.!?\n]*\d")
_NEAR = 40
_MEETS = "with what you say it is the check finds more; give that in `about`"


def _is_a_name(word: str, text: str) -> bool:
    """Whether the word is written with a capital, as parties, brands and firms are.

    The first word of a sentence counts as well: the reader found it in no lexicon and among no ordinary words.
    """
    return any(written[0][:1].isupper() for written in _places(word, text))


def _is_counted(word: str, text: str) -> bool:
    """Whether an amount stands beside the word, as beside what is given or bought."""
    return any(
        _COUNTED_BEFORE.search(text[max(found.start() - _NEAR, 0) : found.start()])
        or _COUNTED_BEHIND.match(text, found.end())
        for found in _places(word, text)
    )


_ORDERED = "it stands where a thing is ordered; give its proper name in `about`"
OPEN: Mapping[str, Callable[[str, str], bool]] = {
    "it is written as a name": _is_a_name,
    "an amount stands beside it": _is_counted,
}
"""By what the caller is told: what keeps an unknown word open; so does its place where a thing is ordered."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """A judgement that explains unknown words of a draft."""

    judgement: Judgement
    words: frozenset[str]
    trouble: str = ""
    """Why they stay open; empty if the reason is still to be compared with the record."""

    @property
    def judged(self) -> Judged:
        """What became of the judgement."""
        return Judged(
            judgement=self.judgement,
            outcome="kept" if self.trouble else "set_aside",
            told=self.trouble,
            words=tuple(sorted(self.words)),
        )

    @property
    def note(self) -> str:
        """What the check says instead of the gap."""
        words = ", ".join(map(inert_name, sorted(self.words)))
        return f'As the caller says, "{words}": {self.judgement.why}'


def answers_in(judged: Collection[Judged], text: str, naming: Naming) -> tuple[Explanation, ...]:
    """The judgements that mean no fact and explain unknown words of the text."""
    refused = (item.judgement for item in judged if item.outcome == "refused")
    apart = [item for item in dict.fromkeys(refused) if item.verdict == "apart" and item.why]
    named = ((item, frozenset(word for word in naming.strange if _is_in(word, item.fact))) for item in apart)
    return tuple(
        Explanation(judgement=item, words=words, trouble=_kept_open(words, text, naming))
        for item, words in named
        if words
    )


def _kept_open(words: Collection[str], text: str, naming: Naming) -> str:
    ordered = {part for name in naming.unrecognised for part in name.casefold().split()}
    if not ordered.isdisjoint(word.casefold() for word in words):
        return _ORDERED
    return next((told for told, holds in OPEN.items() if any(holds(word, text) for word in words)), "")


def finds_more(explained: DraftCheck, check: DraftCheck) -> bool:
    """Whether a check of the draft with the reasons finds or asks what the check without them does not."""
    known = {(item.fact_id, item.rule_id, item.verdict) for item in check.findings}
    more = any((item.fact_id, item.rule_id, item.verdict) not in known for item in explained.findings)
    return more or not set(explained.recall.unasked) <= {*check.gaps, *check.recall.unasked}


def met(answer: Explanation) -> Explanation:
    """The answer after its reason met the record."""
    return answer if answer.trouble else replace(answer, trouble=_MEETS)


def with_answers(check: DraftCheck, answers: Collection[Explanation]) -> DraftCheck:
    """The check with what became of the answers, and a note of each that counts."""
    given = {answer.judgement: answer.judged for answer in answers}
    judged = tuple(dict.fromkeys(given.get(item.judgement, item) for item in check.judged))
    notes = tuple(answer.note for answer in answers if not answer.trouble)
    return replace(check, notes=(*check.notes, *notes), judged=judged)


def _is_in(word: str, text: str) -> bool:
    return next(_places(word, text), None) is not None


def _places(word: str, text: str) -> Iterator[re.Match[str]]:
    return re.finditer(rf"(?<!\w){re.escape(word)}(?!\w)", text, re.IGNORECASE)
