"""Words and phrases of a text: spaCy's English tokeniser and its phrase matcher; the only importer of spaCy.

Knows how words are cut, not what they mean. Offsets are those of the text that was given.
"""

import re
import threading
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from spacy.lang.en import English
from spacy.matcher import PhraseMatcher
from spacy.symbols import ORTH
from spacy.tokenizer import Tokenizer
from spacy.tokens import Doc
from spacy.util import compile_infix_regex, compile_prefix_regex, compile_suffix_regex
from spacy.vocab import create_vocab

_SHORT_FORMS = {
    "n't": "not",
    "nt": "not",
    "'m": "am",
    "'re": "are",
    "'ve": "have",
    "'ll": "will",
    "w/": "with",
    "w/o": "without",
}
_LETTER = re.compile(r"[A-Za-z]\.")
"""To the tokeniser's exceptions "L." is one word, so that a sentence would not end there."""
_FACE = re.compile(r"[()]")
"""To the exceptions "):" is a face, and the end of "(confirmed):" would be no bracket."""
_LETTERS = re.compile(r"[A-Za-z]+(?: [A-Za-z]+)*")
"""Words that no rule of the tokeniser but its list of exceptions cuts any further."""
_RUN = 100
"""Characters without a blank that are cut as one: the tokeniser searches the rest of a run again at each mark."""
_APART = frozenset(',;:()[]{}<>|=!?"')
"""Marks that stand in no term; hyphens and slashes do."""
_UNBROKEN = re.compile(r"\S+")
_BEFORE_NOT = {"ca": "can", "wo": "will", "sha": "shall"}
_INFIXES = (
    r"->",
    r"=>",
    r"[()\[\]{}<>=;!?]",
    r"(?<=[A-Za-z])[+*](?=[A-Za-z])",
    r"(?<=[A-Za-z])/(?=[0-9])",
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


def _tokenizer() -> Tokenizer:
    """English as spaCy cuts it, with exceptions of our own; made in one go, as each later change costs a reload."""
    defaults = English.Defaults
    exceptions = defaults.tokenizer_exceptions.items()
    rules = {text: cut for text, cut in exceptions if not _LETTER.fullmatch(text) and not _FACE.search(text)}
    for short in ("'m", "'re", "'ve", "'ll", "'s", "'d"):  # as speech recognition writes them: "i 'm"
        rules[short] = [{ORTH: short}]
    return Tokenizer(
        create_vocab("en", defaults),
        rules=rules,
        prefix_search=compile_prefix_regex(defaults.prefixes or ()).search,
        suffix_search=compile_suffix_regex((*(defaults.suffixes or ()), r"(?<=[A-Z])\.")).search,
        infix_finditer=compile_infix_regex((*(defaults.infixes or ()), *_INFIXES)).finditer,
        token_match=defaults.token_match,
        url_match=None,  # it takes "nkda.no" for an address
    )


class Tokeniser:
    """Cuts text into tokens and finds phrases in it; safe to share between threads.

    The vocabulary of a text is forgotten after it, so that a server does not grow with what it hears.
    """

    def __init__(self, phrases: Mapping[str, Iterable[str]], exact: Mapping[str, Iterable[str]]) -> None:
        """`phrases` are found in any capitals, `exact` only as written; both map a key to its phrases."""
        self._tokenizer = _tokenizer()
        self._vocab = self._tokenizer.vocab
        self._exceptions = frozenset(self._tokenizer.rules)
        self._lock = threading.Lock()
        self._lower = self._matcher("LOWER", phrases)
        self._exact = self._matcher("ORTH", exact)

    def _matcher(self, attribute: str, phrases: Mapping[str, Iterable[str]]) -> PhraseMatcher:
        matcher = PhraseMatcher(self._vocab, attr=attribute)
        for key, texts in phrases.items():
            matcher.add(key, [self._doc(text) for text in texts])
        return matcher

    def _doc(self, text: str) -> Doc:
        words = self._plain_words(text)
        return Doc(self._vocab, words=list(words)) if words else self._tokenizer(text)

    def _plain_words(self, text: str) -> tuple[str, ...]:
        """The words of a text that the tokeniser would cut at its spaces and nowhere else; empty for any other.

        The tokeniser takes 0.1 ms for each new word: seconds at the start of a lexicon of some ten thousand terms.
        """
        words = tuple(text.split(" ")) if _LETTERS.fullmatch(text) else ()
        return () if any(word in self._exceptions for word in words) else words

    def read(self, text: str) -> tuple[tuple[Token, ...], tuple[Hit, ...]]:
        """Tokens without spaces (a line break is one), and every phrase found, in any order and overlapping."""
        with self._lock, self._vocab.memory_zone():
            cuts = tuple(_cuts(text))
            doc = self._tokenizer(_parted(text, cuts))
            kept = [position for position, token in enumerate(doc) if not token.is_space or "\n" in token.text]
            order = {position: index for index, position in enumerate(kept)}
            tokens = _tokens(doc, kept, cuts)
            hits = tuple(self._hits(doc, order))
        return tokens, hits

    def _hits(self, doc: Doc, order: Mapping[int, int]) -> Iterable[Hit]:
        strings = self._vocab.strings
        for matcher in (self._lower, self._exact):
            for key, first, last in matcher(doc):
                if first in order and last - 1 in order:
                    yield Hit(key=strings[key], first=order[first], last=order[last - 1] + 1)

    def words(self, text: str) -> tuple[str, ...]:
        """The words of a short text of our own, such as a cue."""
        words = self._plain_words(text)
        if words and not {"not", "m"}.intersection(words):
            return tuple(_word(word) for word in words)
        return tuple(token.word for token in self.read(text)[0])


def _cuts(text: str) -> Iterator[int]:
    """Where runs without a blank are cut: behind a mark if one is near, so that no term is cut."""
    for run in _UNBROKEN.finditer(text):
        start, end = run.span()
        while end - start > _RUN:
            start = _cut_in(text, start)
            yield start


def _cut_in(text: str, start: int) -> int:
    window = range(start + _RUN, start + _RUN // 2, -1)
    apart = next((at for at in window if text[at - 1] in _APART), None)
    return apart or next((at for at in window if not text[at - 1].isalnum()), start + _RUN)


def _parted(text: str, cuts: Sequence[int]) -> str:
    """The text with a blank at each cut."""
    return " ".join(text[start:end] for start, end in pairwise((0, *cuts, len(text))))


def _tokens(doc: Doc, kept: Iterable[int], cuts: Sequence[int]) -> tuple[Token, ...]:
    blanks = [cut + before for before, cut in enumerate(cuts)]
    texts = [(doc[at].text, doc[at].idx - bisect_left(blanks, doc[at].idx)) for at in kept]
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
