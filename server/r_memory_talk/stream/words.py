"""Texts as terms for word search: normalised, split, stemmed or cut into bigrams, without function words.

English, German, French and Spanish are stemmed (Snowball); Chinese, Japanese and Korean, which leave no blanks or
inflect within a word, are cut into bigrams. Words of any other language stay as they are. Pure; knows no index.
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from itertools import chain

import snowballstemmer

from r_memory_talk.language import pattern, patterns, table, words

Term = str
DEFAULT_LANGUAGE = "en"
_SNOWBALL = {"en": "english", "de": "german", "fr": "french", "es": "spanish"}
LANGUAGES = tuple(_SNOWBALL)
"""Languages whose words are stemmed."""

_CJK = "\u3005\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
_FIRST_CJK = _CJK[0]
_PIECE = re.compile(rf"[{_CJK}]+|[^\W_{_CJK}]+")
_ASCII_PIECE = re.compile(r"[a-z0-9]+")
_ANY_CJK = re.compile(rf"[{_CJK}]")

_DIGITS = {digit: number for number, digit in enumerate("一二三四五六七八九", start=1)}


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchQuery:
    """A question as terms."""

    terms: Sequence[tuple[Term, ...]]
    """For each word, the terms that match it: its stem in each language in use."""
    places: tuple[int, ...]
    """Turns that the question names by number."""
    cjk: bool
    """Whether it is mostly in a script without spaces."""
    weight: int = 1
    """Weight of the question relative to the messages before it: its telling words plus 1. Long turns would outweigh it
    otherwise (LoCoMo's recall@5 behind four unrelated messages fell from .62 to .03, and is .75 with it), and "where is
    it?" needs them."""

    @property
    def empty(self) -> bool:
        """Whether there is nothing to look up."""
        return not self.terms and not self.places


def terms(text: str, language: str = DEFAULT_LANGUAGE) -> list[Term]:
    """Returns the terms of a text, in order and with repetitions.

    >>> terms("The house is Red. I found it driving to dallas.")
    ['hous', 'red', 'found', 'drive', 'dalla']
    >>> terms("病人過敏")
    ['病人', '人過', '過敏']
    """
    return _terms(pieces(text), language)


def terms_of(texts: Sequence[str], *, default: str = DEFAULT_LANGUAGE) -> tuple[str, list[list[Term]]]:
    """Returns the common language of the texts (see `language_of`), and the terms of each text in it."""
    parts = [pieces(text) for text in texts]
    language = _language_of(chain.from_iterable(parts), default)
    return language, [_terms(part, language) for part in parts]


def _terms(parts: Iterable[str], language: str) -> list[Term]:
    stop = words("function_words", language)
    found: list[Term] = []
    for piece in parts:
        if _is_cjk(piece):
            found += _bigrams(piece)
        elif piece not in stop:
            found.append(stem(piece, language))
    return found


def search_query(text: str, languages: Sequence[str] = (DEFAULT_LANGUAGE,), *, before: str = "") -> SearchQuery:
    """Returns the terms of a question; `languages` are those of the texts, most frequent first.

    The words of `before` are added; the question's words count `weight` times as much.
    """
    question = _query_of(text, languages)
    if not before:
        return question
    rest = _query_of(before, languages)
    times = max(1, round(question.weight * len(rest.terms) / len(question.terms))) if question.terms else 1
    return replace(
        question,
        terms=[*times * list(question.terms), *rest.terms],
        cjk=question.cjk if question.terms else rest.cjk,
    )


def _query_of(text: str, languages: Sequence[str]) -> SearchQuery:
    known = languages or (DEFAULT_LANGUAGE,)
    language = language_of(text, default=known[0])
    stop = words("function_words", language) | words("recall", "words")
    found: list[tuple[Term, ...]] = []
    characters = letters = 0
    for piece in pieces(pattern("recall", "phrases").sub(" ", normalised(text))):
        if _is_cjk(piece):
            characters += len(piece)
            found += [(pair,) for pair in _telling(piece)]
        elif piece not in stop:
            letters += len(piece)
            found.append(tuple(dict.fromkeys(stem(piece, code) for code in (language, *known))))
    return SearchQuery(terms=found, places=places(text), cjk=characters > letters, weight=1 + len(found))


def places(text: str) -> tuple[int, ...]:
    """Returns the numbers of turns that a question names.

    >>> places("What did I say in turn 12?"), places("What was my first question?"), places("我第一轮说了什么")
    ((12,), (1,), (1,))
    """
    plain = normalised(text)
    named = {match["n"] for place in patterns("recall", "places") for match in place.finditer(plain)}
    return tuple(sorted({_number(number) for number in named} - {0}))


def months(text: str) -> frozenset[int]:
    """Returns the months that a question names, from 1 to 12.

    >>> sorted(months("Where was she in May and in July 2023?")), sorted(months("May I ask what he did in 十二月?"))
    ([5, 7], [12])
    """
    plain = unicodedata.normalize("NFKC", text)
    return frozenset(at for at, month in enumerate(patterns("periods", "months"), start=1) if month.search(plain))


def without_names(text: str, names: Iterable[str]) -> str:
    """Returns the text without these names, as whole words; unchanged if nothing else would be left.

    >>> without_names("What did Ann Lee's sister paint?", ["ann lee"])
    'What did sister paint?'
    """
    known = [r"\W+".join(map(re.escape, parts)) for name in names if (parts := pieces(name))]
    if not known:
        return text
    left = re.sub(rf"\b(?:{'|'.join(known)})\b(?:['\u2019]s\b)?", " ", text, flags=re.IGNORECASE)
    return " ".join(left.split()) if pieces(left) else text


def language_of(text: str, *, default: str = DEFAULT_LANGUAGE) -> str:
    """Returns the language with the most function words in the text; `default` if that is unclear.

    >>> language_of("Ich habe eine Allergie gegen Nüsse."), language_of("Penicillin"), language_of("")
    ('de', 'en', 'en')
    """
    return _language_of(pieces(text), default)


def _language_of(parts: Iterable[str], default: str) -> str:
    votes = dict.fromkeys(LANGUAGES, 0)
    for codes in filter(None, map(_votes().get, parts)):
        for code in codes:
            votes[code] += 1
    best = max(votes, key=votes.__getitem__)
    *_, second, most = sorted(votes.values())
    return best if most > second or (most and votes.get(default, 0) < most) else default


@cache
def _votes() -> Mapping[str, tuple[str, ...]]:
    """Returns for each function word the languages that have it."""
    every = frozenset().union(*(words("function_words", code) for code in LANGUAGES))
    return {word: tuple(code for code in LANGUAGES if word in words("function_words", code)) for word in every}


def normalised(text: str) -> str:
    """Returns the text without differences of width, ligature and case (NFKC, casefold)."""
    return unicodedata.normalize("NFKC", text).casefold()


def has_cjk(text: str) -> bool:
    """Whether the text holds Chinese, Japanese or Korean characters."""
    return _ANY_CJK.search(text) is not None


@lru_cache(maxsize=200_000)
def stem(word: str, language: str) -> Term:
    """Returns the stem of a normalised word; the word itself in a language without stemmer."""
    name = _SNOWBALL.get(language)
    # No stem ends in a digit that the number did not, and stemming takes longer than all the rest. A stemmer holds the
    # word that it works on: shared by threads, it gave stems of other words, or an IndexError (snowballstemmer 3).
    return word if name is None or word.isdecimal() else snowballstemmer.stemmer(name).stemWord(word)


def pieces(text: str) -> list[str]:
    """Returns the normalised words, and runs of scripts without spaces."""
    plain = normalised(text)
    return (_ASCII_PIECE if plain.isascii() else _PIECE).findall(plain)


def _is_cjk(piece: str) -> bool:
    """Whether a piece is a run in a script without spaces."""
    # Compared first: most pieces are not, and each is asked when a large stream is loaded.
    return piece >= _FIRST_CJK and _ANY_CJK.match(piece) is not None


def _bigrams(run: str) -> list[Term]:
    return [run[at : at + 2] for at in range(len(run) - 1)] or [run]


def _telling(run: str) -> list[Term]:
    """Returns the bigrams without function characters; all bigrams if none would be left."""
    pairs = _bigrams(run)
    return [pair for pair in pairs if not function_characters().intersection(pair)] or pairs


def function_characters() -> frozenset[str]:
    """Returns characters that do not tell what a question is about."""
    return frozenset(table("recall")["characters"])


def _number(text: str) -> int:
    if text.isdecimal():
        return int(text)
    ordinals = table("recall")["parts"]["ordinals"].split("|")
    if text in ordinals:
        return 1 + int(ordinals.index(text))
    tens, ten, ones = text.rpartition("十")
    return (10 * _DIGITS.get(tens, 1) if ten else 0) + _DIGITS.get(ones, 0)
