"""What somebody says did not work: an option that is not to be proposed again (CIM's learning from errors).

It is named in the words ("restarting did not help", "I tried mint, but nothing changed") or is what the last answer
suggested ("still fails", "没用"). Who only reports that a thing is broken ("my printer doesn't work") tried nothing.
The table `[failures]` holds how English and Chinese say so, and the plainest forms of German, French and Spanish. Pure.
"""

import re

from r_memory.talk.language import pattern
from r_memory.talk.stream.words import normalised
from r_memory.talk.summary.exclusions import (
    LONGEST,
    REASON_LIMIT,
    Rejection,
    is_conditional,
    own_words,
    shares_words,
    trimmed,
)
from r_memory.text.sentences import sentences

# ruff: noqa: RUF001 - full-width punctuation as people type it


def _cue(key: str) -> re.Pattern[str]:
    return pattern("failures", key)


def failures(text: str, answer: str) -> tuple[Rejection, ...]:
    """Options that the text says failed, each with the sentence that says so; `answer` is what it replies to.

    >>> failures("Restarting the router did not help.", "")
    (Rejection(option='Restarting the router', reason='Restarting the router did not help'),)
    >>> failures("That didn't work.", "Try restarting the router. It takes a minute.")[0].option
    'restarting the router'
    >>> failures("My printer doesn't work.", "Try restarting the router.")
    ()
    """
    found: dict[str, Rejection] = {}
    for sentence in sentences(own_words(text)):
        asks = sentence.rstrip().endswith(("?", "？"))
        option = "" if asks or is_conditional(sentence) else _failed(sentence, answer)
        if option:
            reason = sentence.strip(" .!。！")[:REASON_LIMIT]
            found.setdefault(normalised(option), Rejection(option=option, reason=reason))
    return tuple(found.values())


def _failed(sentence: str, answer: str) -> str:
    """What failed, in the words of the sentence or of the answer; empty where nothing that was tried did."""
    useless, still = _cue("useless").search(sentence), _cue("still").search(sentence)
    match = useless or still
    if match is None or any(_cue(key).search(sentence) for key in ("solved", "someone")):
        return ""
    if named := _tried(sentence, sentence[useless.end() :] if useless else ""):
        return named
    subject = _subject(sentence[: match.start()])
    if subject and (useless or _cue("doing").match(subject)):
        return subject if _was_tried(subject, match.group(), answer) else ""
    # What still fails is no option; what was suggested for it was tried.
    is_ours = not (subject and _cue("other").match(subject))
    suggests = not subject or _cue("myself").match(subject) or _cue("suggesting").match(answer)
    return _suggested(answer) if is_ours and suggests else ""


def _was_tried(subject: str, failing: str, answer: str) -> bool:
    """Whether it is something done: an activity, what did no good when it was done, or what the answer speaks of."""
    if any(_cue(key).match(subject) for key in ("other", "myself")):
        return False
    done = _cue("doing").match(subject) or _cue("past").search(failing)
    return done is not None or shares_words(subject, answer)


def _tried(sentence: str, after: str) -> str:
    """What the sentence says was tried: `I tried mint and`, `after the update`, `no luck with the VPN`."""
    places = (*(_cue(key).search(sentence) for key in ("tried", "after", "after_zh")), _cue("with").match(after))
    options = (trimmed(place["option"]) for place in places if place is not None)
    return next((option for option in options if option and not _is_deictic(option)), "")


def _subject(before: str) -> str:
    """Of what the sentence says it; empty for `it`, `that`, `your suggestion`."""
    last = _cue("joins").split(before)[-1]
    subject = trimmed(_cue("trailing").sub("", _cue("opening").sub("", last)))
    return "" if _is_deictic(subject) else subject


def _is_deictic(words: str) -> bool:
    return _cue("deictic").fullmatch(words.casefold()) is not None


def _suggested(answer: str) -> str:
    """What an answer suggests first, up to where a reader would pause."""
    first = next(iter(sentences(answer[:LONGEST])), "")
    return trimmed(re.split(r"[,;:.!，。；：！]", _cue("suggested").sub("", first))[0])
