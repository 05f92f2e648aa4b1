"""Options that a person turns down, or raises again (CIM 9).

Only an order to whoever proposes turns an option down, in the closed forms of the table `[refusals]`: "please don't
suggest …", "no …, please". What is quoted, reported, titled, code, asked, or said under a condition is no order. What
is put in any other way, and what did not work, is left to a model that writes the summary: rules that read it found
findings, corrections and feelings in real talk. Pure.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial

from r_memory.text.sentences import sentences
from r_memory_talk.language import pattern, patterns, says
from r_memory_talk.stream.words import has_cjk, language_of, normalised, stem, terms

# ruff: noqa: RUF001 - full-width punctuation and typographic quotes as people type them

LONGEST = 2_000
"""Characters of an utterance that are read, half from each end; a refusal stands at the beginning or the end."""
REASON_LIMIT = 140
"""Most characters of a reason."""
_WINDOW, _OPTION_LIMIT = 300, 80
_BEGINNING = 3
"""First words that identify an option, as people do not repeat a long one."""
_EVERY_LIMIT = frozenset(("now", "must", "readi", "need", "limit", "least", "euro", "dollar", "day", "week", "hour"))
"""Stems that do not tell what is limited."""
HIDDEN = "\ufffc"
"""Placeholder for words that are not the speaker's own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RefusedOption:
    """An option that was refused."""

    option: str
    reason: str = ""
    """The reason in the person's words; empty if none was given."""

    @property
    def entry(self) -> str:
        """The text of the entry in a summary."""
        return f"{self.option}: {self.reason}" if self.reason else self.option


_cue = partial(pattern, "refusals")


@lru_cache(maxsize=256)
def rejections(text: str) -> tuple[RefusedOption, ...]:
    """Returns the options that the text refuses, in order, each once.

    >>> rejections("No MongoDB, please. It has no joins.")
    (RefusedOption(option='MongoDB', reason=''),)
    >>> rejections('He said "no MongoDB, please". No pain, no fever.')
    ()
    """
    found: dict[str, RefusedOption] = {}
    for item in (item for part in _clauses(own_words(text)) for item in _rejected(part)):
        key = normalised(item.option)
        if not any(key in known or known in key for known in found):
            found[key] = item
    return tuple(found.values())


def own_words(text: str) -> str:
    """Returns the text with a placeholder for code, addresses, quoted refusals and titles."""
    plain = text if len(text) <= LONGEST else f"{text[: LONGEST // 2]}\n{text[-LONGEST // 2 :]}"
    return _cue("titled").sub(
        HIDDEN, _cue("quote").sub(_unquoted, _cue("code").sub(HIDDEN, plain.replace("\u2019", "'")))
    )


def _unquoted(quote: re.Match[str]) -> str:
    """Returns a quoted name; a quoted refusal is hidden, as it is another person's."""
    inner = quote.group()[1:-1]
    return HIDDEN if says(inner, "refusals", "refusing") or len(inner.split()) > 4 else inner


def _clauses(text: str) -> Iterator[str]:
    for sentence in sentences(text):
        for at in range(0, len(sentence), _WINDOW):
            yield from re.split(r"(?<=[;,])\s+(?=but\b)", sentence[at : at + _WINDOW])


def _rejected(part: str) -> Iterator[RefusedOption]:
    if has_cjk(part):
        asked, rules = says(part, "refusals", "asks_zh"), patterns("refusals", "rules_zh")
    else:
        asked, rules = part.endswith("?") and not _cue("request").match(part), patterns("refusals", "rules")
    if not (asked or says(part, "refusals", "condition") or _cue("task").match(part)):
        yield from _matched(rules, part)


def _matched(rules: Sequence[re.Pattern[str]], part: str) -> Iterator[RefusedOption]:
    reported = _cue("reported").search(part)
    for rule in rules:
        for match in rule.finditer(part):
            # What follows `she says` is hers; what precedes it is not.
            if reported and reported.start() < match.start("option"):
                continue
            option = _trimmed(match["option"])
            if option:
                yield RefusedOption(option=option, reason=_reason(part[match.end() :], part[: match.start("option")]))


def _trimmed(option: str) -> str:
    """Returns the option without its article; empty if it names no option."""
    words = _cue("lead").sub("", option.strip(" \t\"'“”«»「」.,;:!?")).strip()
    return "" if HIDDEN in words or _cue("pronoun").fullmatch(words) or len(words) > _OPTION_LIMIT else words


def _reason(after: str, before: str) -> str:
    """Returns the rest of the sentence, or the words before "so"."""
    rest = _cue("because").sub("", after.partition("\n")[0]).strip(" .!,;。！，")
    if not rest and (reasoned := _cue("so").match(before)):
        rest = reasoned["reason"].strip()
    if HIDDEN in rest or len(rest) < 3:
        return ""
    return rest if len(rest) <= REASON_LIMIT else rest[: REASON_LIMIT - 1].rstrip() + "…"


def raised_again(options: Sequence[str], text: str) -> tuple[str, ...]:
    """Returns the excluded options that the text asks about, wants, or allows again.

    The first words identify a long option. Naming an option is not enough: a text that keeps it excluded, asks why it
    was, or reports others names it too.

    >>> raised_again(["MongoDB", "Redis"], "As I said, no Redis. But what about MongoDB?")
    ('MongoDB',)
    """
    parts = [_cue("mild").sub("fine", part) for part in _clauses(own_words(text))]
    anew = [
        item for item in parts if says(item, "refusals", "anew") and not says(item, "refusals", "still_out", "reported")
    ]
    beginnings = {option: " ".join(_cue("lead").sub("", option).split()[:_BEGINNING]) for option in options}
    return tuple(option for option in options if any(names_option(beginnings[option], part) for part in anew))


def over_with(constraints: Sequence[str], text: str) -> tuple[str, ...]:
    """Returns the constraints that the text ends, or to which it gives another figure.

    >>> over_with(["The budget is at most 900 euros."], "The budget is at most 1200 euros now.")
    ('The budget is at most 900 euros.',)
    >>> over_with(["The budget is at most 900 euros.", "It must be ready by Friday."], "Forget about the budget.")
    ('The budget is at most 900 euros.',)
    """
    found: dict[str, None] = {}
    for sentence in sentences(own_words(text)):
        if sentence.rstrip().endswith(("?", "？")):
            continue
        ends, said = says(sentence, "summary", "over"), _matter(sentence)
        for entry in constraints:
            held = _matter(entry)
            anew = said == held and normalised(sentence) != normalised(entry) and says(sentence, "summary", "limits")
            if held and (anew or (ends and said & held)):
                found[entry] = None
    return tuple(found)


def _matter(sentence: str) -> frozenset[str]:
    """Returns the terms of what is limited, without figures and words of every limit."""
    told = (term for term in terms(sentence, language_of(sentence)) if not any(map(str.isdigit, term)))
    return frozenset(told) - _EVERY_LIMIT


def names_option(option: str, text: str) -> bool:
    """Whether the text contains the option, as whole words in order.

    >>> names_option("the Java plan", "Is Java planned?"), names_option("Java", "some JavaScript")
    (True, False)
    """
    if has_cjk(option):
        return normalised(option) in normalised(text)
    wanted, there = _stems(_cue("lead").sub("", option)), _stems(text)
    return bool(wanted) and any(there[at : at + len(wanted)] == wanted for at in range(len(there) - len(wanted) + 1))


def _stems(text: str) -> list[str]:
    return [stem(word, "en") for word in re.findall(r"[^\W_]+(?:[+#]+)?", normalised(text))]
