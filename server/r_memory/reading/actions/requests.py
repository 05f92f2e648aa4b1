"""Finds where words order, plan or ask for something, whatever it is: the speech acts of one sentence.

Knows the section `requests` of a language and nothing of any domain; what is asked for, `recognition.py` says.
A bare verb orders behind "to", "can we" or "have you", and at the beginning of a clause; behind "I", "did you" or "not"
it tells of a habit, asks about the past, or forbids.
"""

import re
from collections.abc import Iterator, Sequence
from functools import partial

from r_memory.domain.schema import Language
from r_memory.domain.wordings import expression, one_of
from r_memory.protocols import Mention
from r_memory.reading.actions.sentences import PlainSentence, Sentences, Span
from r_memory.reading.language import listed

_REACH = 12
"""Words from the beginning of an act among which the thing asked for is looked for."""
_AHEAD = 6
"""Words in front of a passive that it reaches as well: what is done is named first."""
_BEFORE = 3
"""Words in front of a verb in which a negation or a habit spoils it."""
_HABIT = 5
"""Words in front of a phrase in which a habit or the past spoils it."""
_SKIPPED = 6
"""Words such as "just" between a verb and what makes it an order."""
_LONG_WORD = 40
"""Letters further back than this are not searched, so that the time per word does not grow with the text."""
_ORDER_SLIP = range(2, 7)
"""Words in an order without a verb; a single name is more often an answer."""
_PHRASES = ("idle", "spoilers", "frames", "around", "openings", "habits", "patients", "telling", "fresh", "closings")
Pattern = re.Pattern[str] | None


class Requests:
    """Finds the speech acts of one language."""

    def __init__(self, language: Language) -> None:
        self.known = bool(listed(language, "requests"))
        """False for a language that says nothing of requests."""
        self._numbers = listed(language, "numbers")
        self._sentences = Sentences(language)
        self._verbs = _licensed_verbs(language) if self.known else None
        self._imperatives = re.compile(f"(?P<verb>{_any(language, 'verbs')})") if self.known else None
        self._found = {key: self.phrases(listed(language, "requests", key)) for key in _PHRASES}

    def sentences(self, text: str, mentions: Sequence[Mention]) -> tuple[PlainSentence, ...]:
        """Returns the sentences of a text, in order."""
        return self._sentences.of(text, mentions)

    def phrases(self, wordings: Sequence[str]) -> Pattern:
        """Compiles the wordings of an action type for `complete`."""
        return one_of(wordings, self._numbers)

    def reaches(self, sentence: PlainSentence) -> tuple[Span, ...]:
        """Returns the stretches of a sentence in which a named thing is ordered, planned or asked for."""
        if self._opens(sentence) or self._says("around", sentence.text):
            return ((0, len(sentence.text)),)
        closed = self._closed(sentence)
        frames = (item for item in every(self._found["frames"], sentence.text) if not self._spoils(item))
        acts = (*self._acting_verbs(sentence), *frames)
        return tuple(sorted({*closed, *((_start(match), _end(sentence.text, match.start())) for match in acts)}))

    def complete(self, sentence: PlainSentence, phrases: Pattern) -> bool:
        """Whether a phrase of the action type stands in the sentence and tells of no habit and no past event."""
        return any(
            # With the first word of the match itself.
            not self._says("habits", _last(sentence.text[: sentence.text.find(" ", match.start()) + 1], _HABIT))
            and not self._spoils(match)
            for match in every(phrases, sentence.text)
        )

    def is_order_slip(self, sentence: PlainSentence) -> bool:
        """Whether the sentence is a short order without a subject or a finite verb: "MRI lumbar spine"."""
        return sentence.length in _ORDER_SLIP and not sentence.questions and not self._says("telling", sentence.text)

    def names_patient(self, sentence: PlainSentence) -> bool:
        """Whether the sentence names a patient."""
        return self._says("patients", sentence.text)

    def _spoils(self, match: re.Match[str]) -> bool:
        """Whether a negation or the past stands right before it."""
        return self._says("spoilers", _last(match.string[: match.start()], _BEFORE))

    def _says(self, key: str, text: str) -> bool:
        pattern = self._found[key]
        return pattern is not None and pattern.search(text) is not None

    def _opens(self, sentence: PlainSentence) -> bool:
        openings = self._found["openings"]
        return openings is not None and any(openings.match(sentence.text, start) for start in sentence.clauses)

    def _closed(self, sentence: PlainSentence) -> Iterator[Span]:
        """Yields the last clause if it tells nothing and ends in "please"."""
        for start in reversed(sentence.clauses):
            clause = sentence.text[start:]
            if clause.count(" ") > 1:
                if self._says("closings", _last(clause, 1)) and not self._says("telling", clause):
                    yield start, len(sentence.text)
                return

    def _acting_verbs(self, sentence: PlainSentence) -> Iterator[re.Match[str]]:
        """Yields the verbs that order: behind a licence ("can we"), or bare at the beginning of a clause."""
        bare = (self._imperatives.match(sentence.text, start) for start in sentence.clauses if self._imperatives)
        idle = self._found["idle"]
        for match in (*every(self._verbs, sentence.text), *filter(None, bare)):
            verb = match.start("verb")
            # A turn of phrase orders nothing: "take a look".
            is_idle = idle is not None and verb >= 0 and idle.match(sentence.text, verb) is not None
            if not is_idle and not self._is_spoilt(sentence.text, match):
                yield match

    def _is_spoilt(self, text: str, match: re.Match[str]) -> bool:
        """Whether a verb is negated, in the past or a habit; the licence itself may say so ("not to").

        Words before a new clause do not count: "she can't have codeine, so give her ...".
        """
        fresh = self._found["fresh"]
        begins = match.start("verb") == match.start() or (fresh is not None and fresh.match(text, match.start()))
        before = "" if begins else _last(text[: match.start()], _BEFORE)
        return self._says("spoilers", before + match.group())


def _licensed_verbs(language: Language) -> re.Pattern[str]:
    words = partial(_any, language)
    # Bounded and read in one way only, or a text of nothing but such words would take forever.
    phrases = sorted(listed(language, "requests", "skipped"), key=len, reverse=True)
    skipped = f"(?>{'|'.join(map(expression, phrases)) or '(?!)'}){{0,{_SKIPPED}}}"
    licences = (
        words("before_verbs"),
        f"(?:{words('modals')})(?:{words('asked_persons')})",
        f"(?:{words('makers')})(?:{words('made_persons')})",
    )
    bare = f"(?:{'|'.join(licences)}){skipped}(?P<verb>{words('verbs')})"
    ongoing = f"(?:{words('intending')}){skipped}(?:{words('ongoing')})"
    passive = f"(?P<passive>(?:{words('passive')}){skipped}(?:{words('done')}))"
    return re.compile(f"{bare}|{ongoing}|{passive}")


def _any(language: Language, key: str) -> str:
    """Any phrase of a list of the section; nothing for a list that is missing."""
    return "|".join(expression(phrase) for phrase in listed(language, "requests", key)) or "(?!)"


def every(pattern: Pattern, text: str) -> Iterator[re.Match[str]]:
    """Yields the matches at every word, overlapping ones included."""
    start = 0
    while pattern is not None and (match := pattern.search(text, start)):
        yield match
        start = text.find(" ", match.start()) + 1


def _last(text: str, words: int) -> str:
    """The last words of a text."""
    return "".join(f"{word} " for word in text[-words * _LONG_WORD :].split()[-words:])


def _start(match: re.Match[str]) -> int:
    """Returns the offset where the reach of an act begins."""
    if "passive" not in match.re.groupindex or match["passive"] is None:
        return match.start()
    return match.start() - len(_last(match.string[: match.start()], _AHEAD))


def _end(text: str, start: int) -> int:
    """Returns the offset where the reach that begins at `start` ends."""
    for _ in range(_REACH):
        start = text.find(" ", start) + 1
        if start == len(text):
            break
    return start
