"""Reads a model's answer to a question with two choices, A (yes) and B (no), however it is dressed up.

An answer is yes or no only where it says one of them: both, neither and silence are no answer, and whoever asked
decides what doubt means (SCM-16, memory-systems 9). Pure.
"""

import re
import unicodedata

from r_memory.domain.judgements import Judgement
from r_memory.talk.language import pattern

UNREADABLE = "the reply was neither A nor B"
"""Trouble of a reply that holds no answer, or both."""
_LONGEST = 400
"""Characters that are read: an answer comes first, what follows it is talk."""
_THOUGHT = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL | re.IGNORECASE)
_LOOKALIKES = str.maketrans({"\u0410": "A", "\u0412": "B", "\u0411": "B", "甲": "A", "乙": "B"})
"""Letters of other scripts that stand for the same choices."""
_MARKED = re.compile(r"[(\[{*_`\"'](?:option\s*)?([AB])[)\]}*_`\"'.:]", re.IGNORECASE)
_FIRST = re.compile(r"\A\W*(?:option\s*)?([AB])(?:\s*[).:,;\-]|\s*\Z|\s*\n|\s+(?=yes\b|no\b))", re.IGNORECASE)
# A capital before a small word is the article, unless the word joins the two choices.
_LONE = re.compile(
    r"(?<![A-Za-z0-9_'])(A(?![A-Za-z0-9_']|\s+(?!(?:and|or|und|oder|et|ou|y|o|e)\b)[a-z])|B(?![A-Za-z0-9_']))"
)
_CLAUSE = re.compile(r"[,.;:!?\n，。；：！？、]")  # noqa: RUF001 - full-width ones are meant


def answer_in(reply: str) -> bool | None:
    """Yes for A, no for B, `None` for what says both or neither.

    >>> answer_in("(B)"), answer_in("A: yes"), answer_in("Nein."), answer_in("(A) or (B)")
    (False, True, False, None)
    """
    text = unicodedata.normalize("NFKC", _THOUGHT.sub(" ", reply)).translate(_LOOKALIKES).strip()[:_LONGEST]
    # In the order in which they are believed.
    for form in (pattern("choices", "named"), _MARKED, _FIRST, _LONE):
        letters = {letter.upper() for letter in form.findall(text)}
        if letters:
            return letters == {"A"} if len(letters) == 1 else None
    folded = text.casefold()
    opening = _in_words(_CLAUSE.split(folded, maxsplit=1)[0])
    return _in_words(folded) if opening is None else opening


def _in_words(text: str) -> bool | None:
    yes, no = (pattern("choices", key).search(text) is not None for key in ("yes", "no"))
    return yes if yes != no else None


def judged(reply: str, *, by: str) -> Judgement:
    """The judgement that a reply comes to; without an answer, its trouble says so."""
    answer = answer_in(reply)
    return Judgement(yes=answer, by=by, trouble="" if answer is not None else UNREADABLE)


def went_wrong(judgement: Judgement) -> bool:
    """Whether somebody was asked and gave nothing that can be used; what SCM counts as a parse failure.

    A judge that answers "not sure" by itself has not gone wrong.
    """
    return judgement.yes is None and bool(judgement.trouble)
