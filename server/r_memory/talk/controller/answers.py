"""Reads a model's answer to a question with two choices, A (yes) and B (no), however it is dressed up.

An answer is yes or no only where it says one of them: both, neither and silence are no answer, and whoever asked
decides what doubt means (SCM-16, memory-systems 9). Pure.
"""

import re
import unicodedata

from r_memory.domain.judgements import Judgement

UNREADABLE = "the reply was neither A nor B"
"""Trouble of a reply that holds no answer, or both."""
_LONGEST = 400
"""Characters that are read: an answer comes first, what follows it is talk."""
_THOUGHT = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL | re.IGNORECASE)
_LOOKALIKES = str.maketrans({"\u0410": "A", "\u0412": "B", "\u0411": "B", "甲": "A", "乙": "B"})
"""Letters of other scripts that stand for the same choices."""
_NAMED = re.compile(
    r"(?:answer|choice|option|antwort|respuesta|réponse|risposta|resposta|ответ|答案|选择|選擇|选|選|回答|答え|答)"
    r"(?:\s+(?:is|ist|es|est|è))?\s*[:=是为為は]?\s*[*_`\"'(\[{]*\s*([AB])(?![A-Za-z0-9])",
    re.IGNORECASE,
)
_MARKED = re.compile(r"[(\[{*_`\"'](?:option\s*)?([AB])[)\]}*_`\"'.:]", re.IGNORECASE)
_FIRST = re.compile(r"\A\W*(?:option\s*)?([AB])(?:\s*[).:,;\-]|\s*\Z|\s*\n|\s+(?=yes\b|no\b))", re.IGNORECASE)
# A capital before a small word is the article, unless the word joins the two choices.
_LONE = re.compile(
    r"(?<![A-Za-z0-9_'])(A(?![A-Za-z0-9_']|\s+(?!(?:and|or|und|oder|et|ou|y|o|e)\b)[a-z])|B(?![A-Za-z0-9_']))"
)
_FORMS = (_NAMED, _MARKED, _FIRST, _LONE)
"""In the order in which they are believed."""
_YES = re.compile(
    r"(?<!\w)(?:yes|yeah|yep|true|ja|oui|s[ií]|sim|да|evet|tak|はい|예|네|نعم|हाँ|हां)(?!\w)"
    r"|(?<![不否没沒無无非])(?:是|需要|可以|能够|能夠|有必要|对|對)(?!否)"
)
_NO = re.compile(
    r"(?<!\w)(?:no|nope|not|false|nein|nicht|non|não|нет|hay\u0131r|nie|いいえ|아니요|아니오|لا|नहीं)(?!\w)"
    r"|[不无無没沒否]"
)
_CLAUSE = re.compile(r"[,.;:!?\n，。；：！？、]")  # noqa: RUF001 - full-width ones are meant


def answer_in(reply: str) -> bool | None:
    """Yes for A, no for B, `None` for what says both or neither.

    >>> answer_in("(B)"), answer_in("A: yes"), answer_in("Nein."), answer_in("(A) or (B)")
    (False, True, False, None)
    """
    text = unicodedata.normalize("NFKC", _THOUGHT.sub(" ", reply)).translate(_LOOKALIKES).strip()[:_LONGEST]
    for form in _FORMS:
        letters = {letter.upper() for letter in form.findall(text)}
        if letters:
            return letters == {"A"} if len(letters) == 1 else None
    folded = text.casefold()
    opening = _in_words(_CLAUSE.split(folded, maxsplit=1)[0])
    return _in_words(folded) if opening is None else opening


def _in_words(text: str) -> bool | None:
    yes, no = bool(_YES.search(text)), bool(_NO.search(text))
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
