"""Options that a person turns down, that did not work, or that a person raises again (CIM 9, learning from errors).

A refusal counts in the speaker's own words only: what is quoted, reported, titled, code, asked, or said under a
condition turns nothing down. What failed is named in the words ("restarting did not help", "I tried mint, but nothing
changed") or is what the last answer suggested ("still fails", "没用"); who only reports that a thing is broken ("my
printer doesn't work") tried nothing. The words stand in the tables `[refusals]` and `[failures]`; what is put in a
roundabout way is left to a model that writes the summary. Pure.
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
_HIDDEN = "\ufffc"
"""Placeholder for words that are not the speaker's own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RefusedOption:
    """An option that was refused, or failed."""

    option: str
    reason: str = ""
    """The reason in the person's words; empty if none was given."""

    @property
    def entry(self) -> str:
        """The text of the entry in a summary."""
        return f"{self.option}: {self.reason}" if self.reason else self.option


_cue, _failure = partial(pattern, "refusals"), partial(pattern, "failures")


@lru_cache(maxsize=256)
def rejections(text: str) -> tuple[RefusedOption, ...]:
    """Returns the options that the text refuses, in order, each once.

    >>> rejections("No MongoDB, please. It has no joins?")
    (Rejection(option='MongoDB', reason=''),)
    >>> rejections('He said "no MongoDB". Is that not Redis?')
    ()
    """
    found: dict[str, RefusedOption] = {}
    said = own_words(text)
    for item in (
        *_matched(patterns("refusals", "answered"), said),
        *(item for part in _clauses(said) for item in _rejected(part)),
    ):
        key = normalised(item.option)
        if not any(key in known or known in key for known in found):
            found[key] = item
    return tuple(found.values())


def own_words(text: str) -> str:
    """Returns the text with a placeholder for code, addresses, quoted refusals and titles."""
    plain = text if len(text) <= LONGEST else f"{text[: LONGEST // 2]}\n{text[-LONGEST // 2 :]}"
    return _cue("titled").sub(
        _HIDDEN, _cue("quote").sub(_unquoted, _cue("code").sub(_HIDDEN, plain.replace("\u2019", "'")))
    )


def _unquoted(quote: re.Match[str]) -> str:
    """Returns a quoted name; a quoted refusal is hidden, as it is another person's."""
    inner = quote.group()[1:-1]
    return _HIDDEN if says(inner, "refusals", "refusing") or len(inner.split()) > 4 else inner


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
            if option and not ("bare" in rule.groupindex and _is_note(option, part, part[match.end() :])):
                yield RefusedOption(option=option, reason=_reason(part[match.end() :], part[: match.start("option")]))


def _is_note(option: str, part: str, after: str) -> bool:
    """Whether "no" and these words note a finding: no one is addressed, or it is one negation of several."""
    several = len(re.findall(r"(?:^|[,;] |\b(?:and|und) )(?:no|kein\w*)\b", part, re.IGNORECASE)) > 1
    return (
        (several and not says(part, "refusals", "addressed"))
        or _cue("found").match(option) is not None
        or after.startswith(" since ")
    )


def _trimmed(option: str) -> str:
    """Returns the option without its article; empty if it names no option."""
    words = _cue("lead").sub("", option.strip(" \t\"'“”«»「」.,;:!?")).strip()
    return "" if _HIDDEN in words or _cue("pronoun").fullmatch(words) or len(words) > _OPTION_LIMIT else words


def _reason(after: str, before: str) -> str:
    """Returns the rest of the sentence, or the words before "so"."""
    rest = _cue("because").sub("", after.partition("\n")[0]).strip(" .!,;。！，")
    if not rest and (reasoned := _cue("so").match(before)):
        rest = reasoned["reason"].strip()
    if _HIDDEN in rest or len(rest) < 3:
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


def failures(text: str, answer: str) -> tuple[RefusedOption, ...]:
    """Returns the options that failed, each with the sentence that says so; `answer` is the answer before.

    >>> failures("Restarting the router did not help.", "")
    (Rejection(option='Restarting the router', reason='Restarting the router did not help'),)
    >>> failures("That didn't work.", "Try restarting the router. It takes a minute.")[0].option
    'restarting the router'
    >>> failures("My printer doesn't work.", "Try restarting the router.")
    ()
    """
    found: dict[str, RefusedOption] = {}
    for sentence in sentences(own_words(text)):
        asks = sentence.rstrip().endswith(("?", "？"))
        option = "" if asks or says(sentence, "refusals", "condition", "reported") else _failed(sentence, answer)
        if option:
            reason = sentence.strip(" .!。！")[:REASON_LIMIT]
            found.setdefault(normalised(option), RefusedOption(option=option, reason=reason))
    return tuple(found.values())


def _failed(sentence: str, answer: str) -> str:
    """Returns what failed, in the words of the sentence or the answer; empty if nothing tried failed."""
    useless = _failure("useless").search(sentence)
    match = useless or _failure("still").search(sentence)
    if match is None or says(sentence, "failures", "solved", "someone"):
        return ""
    if named := _tried(sentence, sentence[useless.end() :] if useless else ""):
        return named
    subject = _subject(sentence[: match.start()])
    if subject and (useless or _failure("doing").match(subject)):
        return subject if _was_tried(subject, match.group(), answer) else ""
    # What still fails is no option; what was suggested for it was tried.
    is_ours = not (subject and _failure("other").match(subject))
    suggests = not subject or _failure("myself").match(subject) or _failure("suggesting").match(answer)
    return _suggested(answer) if is_ours and suggests else ""


def _was_tried(subject: str, failing: str, answer: str) -> bool:
    """Whether the subject was tried: an activity, something that did not help, or part of the answer."""
    if any(_failure(key).match(subject) for key in ("other", "myself")):
        return False
    if _failure("doing").match(subject) or says(failing, "failures", "past"):
        return True
    return not set(terms(subject, language_of(subject))).isdisjoint(terms(answer, language_of(answer)))


def _tried(sentence: str, after: str) -> str:
    """Returns what the sentence says was tried: `I tried mint and`, `after the update`, `no luck with the VPN`."""
    places = (
        *(_failure(key).search(sentence) for key in ("tried", "after", "after_zh")),
        _failure("with").match(after),
    )
    options = (_trimmed(place["option"]) for place in places if place is not None)
    return next((option for option in options if option and not _is_deictic(option)), "")


def _subject(before: str) -> str:
    """Returns the subject of the sentence; empty for `it`, `that`, `your suggestion`."""
    last = _failure("joins").split(before)[-1]
    subject = _trimmed(_failure("trailing").sub("", _failure("opening").sub("", last)))
    return "" if _is_deictic(subject) else subject


def _is_deictic(words: str) -> bool:
    return _failure("deictic").fullmatch(words.casefold()) is not None


def _suggested(answer: str) -> str:
    """Returns the first suggestion of an answer, up to a pause."""
    first = next(iter(sentences(answer[:LONGEST])), "")
    return _trimmed(re.split(r"[,;:.!，。；：！]", _failure("suggested").sub("", first))[0])
