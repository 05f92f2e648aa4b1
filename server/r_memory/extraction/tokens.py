"""Words and phrases of a text: spaCy's English tokeniser and its phrase matcher; the only importer of spaCy.

Knows how words are cut, not what they mean. Offsets are those of the text that was given.
"""

import re
import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import spacy
from spacy.language import Language as Pipeline
from spacy.matcher import PhraseMatcher
from spacy.symbols import ORTH
from spacy.tokens import Doc
from spacy.util import compile_infix_regex, compile_suffix_regex

_SHORT_FORMS = {
    "n't": "not",
    "nt": "not",
    "'m": "am",
    "'re": "are",
    "'ve": "have",
    "'ll": "will",
}
_LETTER = re.compile(r"[A-Za-z]\.")
"""To the tokeniser's exceptions "L." is one word, so that a sentence would not end there."""
_BEFORE_NOT = {"ca": "can", "wo": "will", "sha": "shall"}
_INFIXES = (
    r"->",
    r"=>",
    r"[()\[\]{}<>=;!?]",
    r"(?<=[A-Za-z])[+*](?=[A-Za-z])",
    r"(?<=[A-Za-z]{2})[.,:](?=[A-Za-z]{2})",
    # "2g", "48hrs": the tokeniser's own list of units knows neither hours nor a number at the start of a word.
    r"(?<=[0-9])(?=(?:mcg|ug|mg|g|kg|ml|l|hrs?|h|hours?|days?|units?|iu|percent)(?![A-Za-z]))",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """A word or a mark."""

    word: str
    """In small letters, short forms written out: `n't` is `not`."""
    start: int
    end: int
    capital: bool
    """Begins with a capital as written."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A phrase, found at tokens `first` to `last` (excluded)."""

    key: str
    first: int
    last: int


def _pipeline() -> Pipeline:
    nlp = spacy.blank("en")
    tokenizer = nlp.tokenizer
    tokenizer.infix_finditer = compile_infix_regex((*(nlp.Defaults.infixes or ()), *_INFIXES)).finditer
    tokenizer.suffix_search = compile_suffix_regex((*(nlp.Defaults.suffixes or ()), r"(?<=[A-Z])\.")).search
    tokenizer.rules = {text: cut for text, cut in tokenizer.rules.items() if not _LETTER.fullmatch(text)}
    tokenizer.url_match = None  # it takes "nkda.no" for an address
    for short in ("'m", "'re", "'ve", "'ll", "'s", "'d"):  # as speech recognition writes them: "i 'm"
        tokenizer.add_special_case(short, [{ORTH: short}])
    return nlp


class Tokeniser:
    """Cuts text into tokens and finds phrases in it; safe to share between threads.

    The vocabulary of a text is forgotten after it, so that a server does not grow with what it hears.
    """

    def __init__(self, phrases: Mapping[str, Iterable[str]], exact: Mapping[str, Iterable[str]]) -> None:
        """`phrases` are found in any capitals, `exact` only as written; both map a key to its phrases."""
        self._nlp = _pipeline()
        self._lock = threading.Lock()
        self._lower = self._matcher("LOWER", phrases)
        self._exact = self._matcher("ORTH", exact)

    def _matcher(self, attribute: str, phrases: Mapping[str, Iterable[str]]) -> PhraseMatcher:
        matcher = PhraseMatcher(self._nlp.vocab, attr=attribute)
        for key, texts in phrases.items():
            matcher.add(key, [self._nlp.make_doc(text) for text in texts])
        return matcher

    def read(self, text: str) -> tuple[tuple[Token, ...], tuple[Hit, ...]]:
        """Tokens without spaces (a line break is one), and every phrase found, in any order and overlapping."""
        with self._lock, self._nlp.memory_zone():
            doc = self._nlp.tokenizer(text)
            kept = [position for position, token in enumerate(doc) if not token.is_space or "\n" in token.text]
            order = {position: index for index, position in enumerate(kept)}
            tokens = _tokens(doc, kept)
            hits = tuple(self._hits(doc, order))
        return tokens, hits

    def _hits(self, doc: Doc, order: Mapping[int, int]) -> Iterable[Hit]:
        strings = self._nlp.vocab.strings
        for matcher in (self._lower, self._exact):
            for key, first, last in matcher(doc):
                if first in order and last - 1 in order:
                    yield Hit(key=strings[key], first=order[first], last=order[last - 1] + 1)

    def words(self, text: str) -> tuple[str, ...]:
        """The words of a short text of our own, such as a cue."""
        return tuple(token.word for token in self.read(text)[0])


def _tokens(doc: Doc, kept: Iterable[int]) -> tuple[Token, ...]:
    texts = [(doc[position].text, doc[position].idx) for position in kept]
    words = [_word(text) for text, _ in texts]
    for index, word in enumerate(words[:-1]):
        following = words[index + 1]
        if following == "not" and word in _BEFORE_NOT:
            words[index] = _BEFORE_NOT[word]
        elif word == "i" and following == "m":
            words[index + 1] = "am"
    return tuple(
        Token(word=word, start=start, end=start + len(text), capital=text[:1].isupper())
        for word, (text, start) in zip(words, texts, strict=True)
    )


def _word(text: str) -> str:
    if "\n" in text:
        return "\n\n" if re.search(r"\n[^\S\n]*\n", text) else "\n"
    lower = text.lower()
    return _SHORT_FORMS.get(lower, lower)
