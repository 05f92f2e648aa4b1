"""Tells sentences of other languages from those of the pack's own, so that none is silently passed over (Z42).

Two witnesses: lists of common words, which also see a foreign clause inside a sentence of our own, and a small trained
model, which knows languages that have no list. The model is asked only where most words are unknown, as it takes
clinical shorthand for Dutch or Estonian; so it is loaded with the first sentence that needs it (0.5 s). The only
importer of py3langid.
"""

from collections.abc import Iterable, Sequence
from functools import cache

from py3langid.langid import MODEL_FILE, LanguageIdentifier

from r_memory.domain.schema import Language
from r_memory.reading.language import LanguagePack, listed
from r_memory.reading.sentences import Sentence

_SHORTEST = 3
"""Words that a Latin-script sentence needs before the word lists can call it foreign."""
_SHARE = 0.2
"""Share of the words that must be common words of the other language."""
_TELLING = 3
"""Letters from which one foreign word, unknown in our language, shows that another language is mixed in."""
_LAST_LATIN = "\u024f"
_MOST_OTHERS = 0.5
"""Share of letters in other scripts from which a sentence is foreign."""
_MOST_KNOWN = 0.4
"""Share of known words up to which the model is asked."""
_SURE = 0.35
"""Probability from which the model is believed; no false alarm in 1 379 English turns and sentences."""


class LanguageCheck:
    """Detects sentences that are not in the pack's own language."""

    def __init__(self, pack: LanguagePack, others: Iterable[Language], wording: Iterable[str]) -> None:
        """`others` are languages with a file of their own; `wording` are words of the schema, which count as known."""
        self._code = pack.code
        self._own = pack.words("common")
        self._foreign = {code: frozenset(texts) for code, texts in pack.table("foreign").items()}
        self._foreign |= {other.code: frozenset(listed(other, "common")) for other in others}
        lists = frozenset(word for words in self._foreign.values() for word in words)
        self._known = (pack.vocabulary() - lists) | self._own | frozenset(wording)

    def language(self, sentence: Sentence, written: str) -> str:
        """Returns the code of a sentence's foreign language, `?` if unknown, empty for the pack's own.

        `written` is the sentence as written, with its accents.
        """
        words = [unit.word for unit in sentence.units if unit.is_word]
        letters = [character for word in words for character in word if character.isalpha()]
        if letters and sum(character > _LAST_LATIN for character in letters) > _MOST_OTHERS * len(letters):
            return "?"
        return self._listed(words) or self._detected(sentence, written)

    def _listed(self, words: Sequence[str]) -> str:
        if len(words) < _SHORTEST:
            return ""
        own = sum(word in self._own for word in words)
        scores = {
            code: len({word for word in words if word in known and word not in self._own})
            for code, known in self._foreign.items()
        }
        code = max(scores, key=lambda name: scores[name], default="")
        share = scores.get(code, 0) / len(words)
        if scores.get(code, 0) > max(own, 1) and share >= _SHARE:
            return code
        return next((code for code, score in scores.items() if score and self._mixed_in(words, code)), "")

    def _mixed_in(self, words: Sequence[str], code: str) -> bool:
        """Whether two adjacent words belong to one other language, or two words are unknown in ours:

        "mi madre says I am …".
        """
        strange = [self._tells(word, code) for word in words]
        other = [word in self._foreign[code] and word not in self._own for word in words]
        beside = any(
            item and (two_before or two_behind)
            for item, two_before, two_behind in zip(strange, [False, *other[:-1]], [*other[1:], False], strict=True)
        )
        return beside or len({word for word, tells in zip(words, strange, strict=True) if tells}) > 1

    def _tells(self, word: str, code: str) -> bool:
        return len(word) >= _TELLING and word in self._foreign[code] and word not in self._known

    def _detected(self, sentence: Sentence, written: str) -> str:
        """Returns the model's language for a sentence of mostly unknown words.

        Drug names do not count, as they are alike in every language.
        """
        plain = [unit.word for unit in sentence.units if unit.is_word and unit.mention is None and unit.word.isalpha()]
        known = sum(word in self._known for word in plain)
        if len(plain) < 2 or known > _MOST_KNOWN * len(plain):
            return ""
        code, probability = _model().classify(written)
        return str(code) if code != self._code and probability >= _SURE else ""


@cache
def _model() -> LanguageIdentifier:
    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
