"""Whether an absence is told by a person, in words of their own: what only quotes, reports or poses as one waits.

A risk that is not there is stored on the word of whoever says so, so the form decides too: nothing in quotes, in
markup, under somebody's label or told by somebody else counts, and nothing beside characters that nobody can see. Knows
text, the words of the language file's `own_words`, and the schema's headings; not what was read.
"""

import re
from collections.abc import Iterator

from r_memory.domain.facts import Span
from r_memory.domain.schema import Phrasing, Schema
from r_memory.reading.language import listed

_UNSEEN = re.compile(
    r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f"
    r"\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uff00-\uffef\ufff9-\ufffb\U000e0000-\U000e0fff]"
    r"|[A-Za-z][\u0370-\u05ff]|[\u0370-\u05ff][A-Za-z]"
)
"""Control, format and look-alike characters, which hide the real text."""
_MARKUP = re.compile(
    r"[<>{}\[\]|`\\^~=#*_@]|(?<!\d)%|\$(?!\s?\d)|//|--|;\s*$|\w\("
    r"|^[ \t]*\(|\d{4}-\d\d-\d\dT|\b(?:BEGIN|END|START|STOP)\b",
    re.MULTILINE,
)
_QUOTED = re.compile(
    r"\"[^\"]*(?:\"|\Z)|[“”„‟«»‹›「『][^“”„‟«»‹›」』]*(?:[“”„‟«»‹›」』]|\Z)|(?<!\w)['‘][^'’\n]{2,}['’](?!\w)"  # noqa: RUF001 - typographic quotes are meant
)
_ASIDE = re.compile(r"\([^)\n]*\)?")
_SENTENCE = re.compile(r"[.!?]\s")
_LABEL = re.compile(r"(?<!\d):(?!\d)|:\s")
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?|,")  # noqa: RUF001 - as above
_BARE = " \t-.,;"


class OwnWords:
    """Decides whether words are a plain statement of the speaker, in one language under one schema."""

    def __init__(self, schema: Schema) -> None:
        self._headings = frozenset(
            heading.casefold() for relation in schema.relations.values() for heading in _headings(relation.phrasing)
        )

        def words(name: str) -> frozenset[str]:
            return frozenset(listed(schema.language, "own_words", name))

        self._reporting, self._sources = words("reporting"), words("reporting") | words("sources")
        self._teller, self._hearer = words("teller"), words("hearer")
        self._between, self._joining = words("between"), words("joining")
        self._denying = words("denying")
        self._hearsay = tuple(f" {phrase} " for phrase in words("hearsay"))
        self._professionals = words("professionals") | frozenset(
            # The voices of somebody's own assistant are the owner's.
            (*(() if schema.owner else schema.voices), *listed(schema.language, "persons", "clinicians"))
        )
        self._relatives = frozenset(listed(schema.language, "plain_denials", "tellers"))

    def objection(self, text: str, span: Span, thing: str = "", *, speaker: str = "", name: str = "") -> str:
        """Returns why the words at the span are no plain statement of the speaker; empty if they are.

        `thing` is what they speak of; it may be the label of a note ("Pacemaker: no"). What the subject of this `name`
        or a relative tells a professional is the professional's own finding.
        """
        if _UNSEEN.search(text):
            return "characters that cannot be seen stand in the text"
        if _MARKUP.search(text):
            return "the text is marked up"
        if any(quote.start() < span.end and span.start < quote.end() for quote in _QUOTED.finditer(text)):
            return "the words are quoted"
        if any(not self._sources.isdisjoint(_words(aside.group())) for aside in _ASIDE.finditer(text)):
            return "an aside says where the words are from"
        sentence = _sentence(text, span)
        if not self._labelled_plainly(sentence, thing.casefold()):
            return "the words stand behind a label"
        tellers = frozenset[str]()
        if not self._professionals.isdisjoint(_words(speaker)):
            tellers = self._teller | self._relatives.union(_words(name))
        return "the words are reported" if self._reported(sentence, tellers) else ""

    def _labelled_plainly(self, sentence: str, thing: str) -> bool:
        """Whether the last label before the words is a heading of the schema or the thing, and not right before it."""
        *labels, _ = [part.strip(_BARE).casefold() for part in _LABEL.split(sentence)]
        if not labels:
            return True
        last = re.split(r"[,;]", labels[-1])[-1].strip(_BARE)
        alone = last == labels[-1] and len(labels) > 1
        named = bool(thing) and thing in last
        return (named or self._is_heading(last)) and not (alone and labels[-2] not in self._headings)

    def _is_heading(self, label: str) -> bool:
        """Whether the label is a heading of the schema, or several: "Allergies/ADRs"."""
        return label in self._headings or all(part.strip() in self._headings for part in re.split(r"[/&]", label))

    def _reported(self, sentence: str, tellers: frozenset[str]) -> bool:
        """Whether another person than the subject, or one of these, tells the denial."""
        words = _words(sentence)
        if any(phrase in f" {' '.join(words)} " for phrase in self._hearsay):
            return True
        return any(
            word in self._reporting
            and (words[max(at - 1, 0)] == "," or not self._denying.isdisjoint(words[at + 1 :]))
            and not self._tells(words, at, tellers)
            for at, word in enumerate(words)
        )

    def _tells(self, words: list[str], at: int, tellers: frozenset[str]) -> bool:
        """Whether the subject, or one of `tellers`, tells it:

        "I told you", "the patient states", or an omitted subject ("states no allergies").
        """
        before = at
        while before and words[before - 1] in self._between:
            before -= 1
        heard = words[at + 1 : at + 2]
        if before == 0:
            return True
        teller = words[before - 1]
        if teller in self._joining:
            teller = next((word for word in words if word not in self._between), "")
        return teller in tellers or (teller in self._teller and not (heard and heard[0] in self._hearer))


def _words(text: str) -> list[str]:
    return [word.replace("’", "'") for word in _WORD.findall(text.casefold())]  # noqa: RUF001 - as above


def _sentence(text: str, span: Span) -> str:
    """Returns the text from the start of the sentence to the end of the words, with a label on the line before."""
    start = max(text.rfind("\n", 0, span.start) + 1, 0)
    above = text[:start].rstrip()
    label = above.rsplit("\n", 1)[-1] if above.endswith(":") else ""
    ends = [found.end() for found in _SENTENCE.finditer(text, start, span.end - 1) if found.end() <= span.start]
    stop = _SENTENCE.search(text, max(span.end - 1, span.start))
    return label + text[ends[-1] if ends else start : stop.start() if stop else len(text)].partition("\n")[0]


def _headings(phrasing: Phrasing) -> Iterator[str]:
    """Yields the headings of lists, and the words before a colon in the schema's wordings for "none"."""
    yield from phrasing.headers
    yield from (text.partition(":")[0].strip() for texts in phrasing.none.values() for text in texts if ":" in text)
