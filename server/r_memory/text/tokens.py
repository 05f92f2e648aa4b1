"""How many tokens a text takes in a model's window: an estimate of what o200k_base counts, offline and without its
vocabulary of 3.6 MB.

The text is cut where o200k_base cuts it; what each piece comes to is an average by script and length. Measured on texts
of our own in fifteen languages and on code (`scripts/token_estimate.py`): the mean error of a text of a few sentences
is 7 % on those the rates were chosen by and 9 % on others, and most errors are too high; Chinese and code are never
counted too low there. Lists of rare names come out up to 11 % too low. A model's own server counts exactly.
"""

import re
from functools import lru_cache
from math import ceil

_HAN = "\u2e80-\u2fff\u3005\u3007\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_KANA = "\u3040-\u30ff\u31f0-\u31ff\uff66-\uff9f"
_HANGUL = "\u1100-\u11ff\u3130-\u318f\uac00-\ud7af"
_CYRILLIC = "\u0400-\u052f"
_ARABIC = "\u0590-\u08ff"
_INDIC = "\u0900-\u0dff"
_ABUGIDA = "\u0e00-\u10ff\u1200-\u1cff"
_GREEK = "\u0370-\u03ff\u1f00-\u1fff"
_PICTURES = "\u200d\u2190-\u27bf\u2b00-\u2bff\ufe0f\U0001f000-\U0001ffff"
_UPPER = "A-Z\u00c0-\u00d6\u00d8-\u00de"
_LOWER = "a-z\u00df-\u00f6\u00f8-\u02af"
_KINDS = {
    "word": rf"[^\w\r\n]?(?:[{_UPPER}]*[{_LOWER}]+|[{_UPPER}]+)(?:'(?:[stmd]|re|ve|ll)\b)?",
    "digits": r"[ _]?[0-9]+",
    "han": rf"[{_HAN}]+",
    "kana": rf"[{_KANA}]+",
    "hangul": rf"[{_HANGUL}]+",
    "cyrillic": rf" ?[{_CYRILLIC}]+",
    "arabic": rf" ?[{_ARABIC}]+",
    "indic": rf" ?[{_INDIC}]+",
    "abugida": rf"[{_ABUGIDA}]+",
    "greek": rf" ?[{_GREEK}]+",
    "pictures": rf"[{_PICTURES}]+",
    "signs": rf" ?(?:[^\w\s{_PICTURES}]|_)+[\r\n]*",
    "lines": r"[^\S\r\n]*[\r\n]+",
    "space": r"[^\S\r\n]+",
    "other": r".",
}
"""In the order in which they are tried."""
_PIECE = re.compile("|".join(_KINDS.values()), re.DOTALL)
_KIND = re.compile("|".join(f"(?P<{kind}>{form})" for kind, form in _KINDS.items()), re.DOTALL)
_HAN_SIMPLIFIED, _HAN_FULL = 0.92, 1.06
"""Tokens of a Chinese character: the vocabulary knows simplified writing best."""
_LEAST = dict.fromkeys(("cyrillic", "arabic", "indic", "greek", "hangul"), 1.0)
_RATES = {
    "kana": 0.68,
    "hangul": 0.73,
    "cyrillic": 0.25,
    "arabic": 0.32,
    "indic": 0.32,
    "abugida": 0.5,
    "greek": 0.4,
    "pictures": 1.8,
    "other": 2.0,
}
"""Tokens for each character."""
_ENGLISH, _WESTERN, _DISTANT = range(3)
"""English and code, the large languages of western Europe, others in Latin letters."""
_WORDS = (
    (0.0, 1.0, 1.0, 1.0, 1.02, 1.04, 1.07, 1.11, 1.17, 1.35, 1.6, 1.8, 2.0, 2.2, 2.5),
    (0.0, 1.0, 1.0, 1.02, 1.06, 1.16, 1.35, 1.5, 1.7, 1.95, 2.3, 2.4, 2.6, 2.8, 3.2),
    (0.0, 1.0, 1.02, 1.2, 1.55, 1.75, 2.0, 2.3, 2.6, 2.9, 3.0, 3.2, 3.4, 3.8, 4.2),
)
"""Tokens of a word by its length."""
_FURTHER = 0.2
"""Of each letter beyond."""
_LEAD = 0.45
"""Of a sign before a word: about half of them are one token with it."""
_WESTERN_WORDS = frozenset((
    "der", "das", "und", "ist", "nicht", "ich", "ein", "eine", "mit", "zu", "le", "les", "des", "et", "une",
    "est", "que", "qui", "pas", "je", "el", "los", "una", "y", "por", "con", "il", "di", "che", "non", "per",
    "sono", "della", "um", "uma", "os", "não", "com", "het", "een", "van", "ik", "och", "att", "det", "som",
    "jag", "og", "ikke",
))  # fmt: skip
_WESTERN_SHARE = 0.06
_EASTERN = re.compile(r"[\u0100-\u024f]")
_EASTERN_SHARE = 0.015
_FULL_FORMS = re.compile(
    rf"[{_KANA}這個們說來時過為會對與點開關還沒樣學國後發經當見長門問話應無現頭動電醫藥覺讓給請謝]"
)
_FULL_SHARE = 0.04
_SAMPLE = 1000
"""Characters by which the language is known."""
_COUNTED: dict[tuple[int, int], int] = {}
_MOST_COUNTED = 100_000


def count(text: str) -> int:
    """Tokens of the text; 0 for an empty one, at least 1 for any other. Linear in its length."""
    # A history is counted again with every turn; by the hash, no words are kept.
    key = (hash(text), len(text))
    if key not in _COUNTED:
        if len(_COUNTED) >= _MOST_COUNTED:
            _COUNTED.clear()
        _COUNTED[key] = _estimated(text)
    return _COUNTED[key]


def _estimated(text: str) -> int:
    sample = text[:_SAMPLE]
    language, full_forms = _words(sample), _in_full_forms(sample)
    tokens = ceil(sum(_tokens(piece, language, full_forms) for piece in _PIECE.findall(text)))
    return max(1, tokens) if text else 0


def _words(sample: str) -> int:
    """Which table counts words in Latin letters."""
    if len(_EASTERN.findall(sample)) > _EASTERN_SHARE * len(sample):
        return _DISTANT
    words = sample.lower().split()
    frequent = sum(word in _WESTERN_WORDS for word in words)
    return _WESTERN if frequent > _WESTERN_SHARE * len(words) else _ENGLISH


def _in_full_forms(sample: str) -> bool:
    return len(_FULL_FORMS.findall(sample)) > _FULL_SHARE * len(sample)


def fits(tokens: int, limit: int) -> bool:
    """Whether so many tokens are within a limit: exactly at it is within, everywhere (memory-systems 9).

    >>> fits(500, 500), fits(501, 500)
    (True, False)
    """
    return tokens <= limit


@lru_cache(maxsize=50_000)
def _tokens(piece: str, language: int, full_forms: bool) -> float:  # noqa: FBT001 - a cache looks up by position
    found = _KIND.match(piece)
    kind = (found and found.lastgroup) or "other"
    if kind == "word":
        return _of_word(language, piece.lstrip(" "))
    if kind == "han":
        return (_HAN_FULL if full_forms else _HAN_SIMPLIFIED) * len(piece)
    if kind in _RATES:
        return max(_LEAST.get(kind, 0.0), _RATES[kind] * len(piece.lstrip(" ")))
    if kind == "digits":
        return ceil(len(piece.lstrip(" _")) / 3) + (not piece[0].isdigit())
    if kind == "signs":
        return _of_signs(piece)
    # A single blank goes with the word behind it.
    return 0.0 if piece == " " else 1.0


def _of_word(language: int, piece: str) -> float:
    lead = 0.0 if piece[0].isalpha() else _LEAD
    letters, table = len(piece) - (lead > 0), _WORDS[language]
    longest = len(table) - 1
    return lead + table[min(letters, longest)] + _FURTHER * max(0, letters - longest)


def _of_signs(piece: str) -> float:
    bare = piece.rstrip("\r\n")
    alone = 1.0 + 0.2 * max(0, len(bare) - 2) if len(bare) < 5 else 0.5 * len(bare)
    return alone + (0.3 if bare != piece else 0.0)
