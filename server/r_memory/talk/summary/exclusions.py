"""Options that a person turns down, and options that a person raises again (CIM 9).

A refusal counts in the speaker's own words only: what is quoted, reported, titled, code, asked, or said under a
condition turns nothing down. The table `[refusals]` holds how English and Chinese refuse plainly, one line each for
German, French and Spanish; what is put in a roundabout way is overlooked, and left to a model that writes the summary.
Pure.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from r_memory.talk.language import pattern, patterns
from r_memory.talk.stream.words import has_cjk, language_of, normalised, stem, terms
from r_memory.text.sentences import sentences

# ruff: noqa: RUF001 - full-width punctuation and typographic quotes as people type them

LONGEST = 2_000
"""Characters of an utterance that are read; a person who turns something down says so at the beginning or the end."""
REASON_LIMIT = 140
"""Characters of a reason."""
_WINDOW, _OPTION_LIMIT = 300, 80
_BEGINNING = 3
"""Words by which an option is known: nobody repeats a long one."""
_HIDDEN = "\ufffc"
"""Stands where words that are not the speaker's own were."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejection:
    """An option that is turned down."""

    option: str
    """In the person's words."""
    reason: str = ""
    """Why, in the person's words; empty if nothing was said."""

    @property
    def entry(self) -> str:
        """As it stands in a summary."""
        return f"{self.option}: {self.reason}" if self.reason else self.option


def _cue(key: str) -> re.Pattern[str]:
    return pattern("refusals", key)


@lru_cache(maxsize=256)
def rejections(text: str) -> tuple[Rejection, ...]:
    """Options that the text turns down, in order, each once.

    >>> rejections("No MongoDB, please. It has no joins?")
    (Rejection(option='MongoDB', reason=''),)
    >>> rejections('He said "no MongoDB". Is that not Redis?')
    ()
    """
    found: dict[str, Rejection] = {}
    said = own_words(text)
    for one in (
        *_matched(patterns("refusals", "answered"), said),
        *(one for part in _clauses(said) for one in _rejected(part)),
    ):
        key = normalised(one.option)
        if not any(key in known or known in key for known in found):
            found[key] = one
    return tuple(found.values())


def own_words(text: str) -> str:
    """The text with what is no statement of its speaker hidden: code, addresses, quoted refusals, titles."""
    plain = text if len(text) <= LONGEST else f"{text[: LONGEST // 2]}\n{text[-LONGEST // 2 :]}"
    return _cue("titled").sub(
        _HIDDEN, _cue("quote").sub(_unquoted, _cue("code").sub(_HIDDEN, plain.replace("\u2019", "'")))
    )


def _unquoted(quote: re.Match[str]) -> str:
    """A name may stand in quotes; a refusal in quotes is somebody else's."""
    inner = quote.group()[1:-1]
    return _HIDDEN if _cue("refusing").search(inner) or len(inner.split()) > 4 else inner


def _clauses(text: str) -> Iterator[str]:
    for sentence in sentences(text):
        for at in range(0, len(sentence), _WINDOW):
            yield from re.split(r"(?<=[;,])\s+(?=but\b)", sentence[at : at + _WINDOW])


def _rejected(part: str) -> Iterator[Rejection]:
    if has_cjk(part):
        asked, rules = _cue("asks_zh").search(part) is not None, patterns("refusals", "rules_zh")
    else:
        asked, rules = part.endswith("?") and not _cue("request").match(part), patterns("refusals", "rules")
    if not (asked or _cue("condition").search(part) or _cue("task").match(part)):
        yield from _matched(rules, part)


def _matched(rules: Sequence[re.Pattern[str]], part: str) -> Iterator[Rejection]:
    reported = _cue("reported").search(part)
    for rule in rules:
        for match in rule.finditer(part):
            # What follows `she says` is hers; what precedes it is not.
            if reported and reported.start() < match.start("option"):
                continue
            option = trimmed(match["option"])
            if option and not ("bare" in rule.groupindex and _is_note(option, part, part[match.end() :])):
                yield Rejection(option=option, reason=_reason(part[match.end() :], part[: match.start("option")]))


def _is_note(option: str, part: str, after: str) -> bool:
    """Whether `no` and these words tell what was not found: nobody is addressed, or it is one negation of several."""
    several = len(re.findall(r"(?:^|[,;] |\b(?:and|und) )(?:no|kein\w*)\b", part, re.IGNORECASE)) > 1
    return (
        (several and not _cue("addressed").search(part))
        or _cue("found").match(option) is not None
        or after.startswith(" since ")
    )


def trimmed(option: str) -> str:
    """The option without its article; empty for what names none."""
    words = _cue("lead").sub("", option.strip(" \t\"'“”«»「」.,;:!?")).strip()
    return "" if _HIDDEN in words or _cue("pronoun").fullmatch(words) or len(words) > _OPTION_LIMIT else words


def _reason(after: str, before: str) -> str:
    """The rest of the sentence; or what stands before `so`."""
    rest = _cue("because").sub("", after.partition("\n")[0]).strip(" .!,;。！，")
    if not rest and (reasoned := _cue("so").match(before)):
        rest = reasoned["reason"].strip()
    if _HIDDEN in rest or len(rest) < 3:
        return ""
    return rest if len(rest) <= REASON_LIMIT else rest[: REASON_LIMIT - 1].rstrip() + "…"


def raised_again(options: Sequence[str], text: str) -> tuple[str, ...]:
    """Those of the excluded options that the text brings up anew: it asks about them, wants them, or allows them.

    A long option is known by its first words. Naming one is not enough: who says that it stays excluded, asks why it
    was, or tells of others names it too.

    >>> raised_again(["MongoDB", "Redis"], "As I said, no Redis. But what about MongoDB?")
    ('MongoDB',)
    """
    parts = [_cue("mild").sub("fine", part) for part in _clauses(own_words(text))]
    anew = [
        part
        for part in parts
        if _cue("anew").search(part) and not (_cue("still_out").search(part) or _cue("reported").search(part))
    ]
    return tuple(option for option in options if any(names_option(_beginning(option), part) for part in anew))


def _beginning(option: str) -> str:
    return " ".join(_cue("lead").sub("", option).split()[:_BEGINNING])


def is_conditional(part: str) -> bool:
    """Whether words are said under a condition, or are somebody else's."""
    return any(_cue(key).search(part) is not None for key in ("condition", "reported"))


def shares_words(option: str, text: str) -> bool:
    """Whether a text holds a telling word of the option."""
    return bool(set(terms(option, language_of(option))) & set(terms(text, language_of(text))))


def names_option(option: str, text: str) -> bool:
    """Whether the text holds the option, whole words in their order.

    >>> names_option("the Java plan", "Is Java planned?"), names_option("Java", "some JavaScript")
    (True, False)
    """
    if has_cjk(option):
        return normalised(option) in normalised(text)
    wanted, there = _stems(_cue("lead").sub("", option)), _stems(text)
    return bool(wanted) and any(there[at : at + len(wanted)] == wanted for at in range(len(there) - len(wanted) + 1))


def _stems(text: str) -> list[str]:
    return [stem(word, "en") for word in re.findall(r"[^\W_]+(?:[+#]+)?", normalised(text))]
