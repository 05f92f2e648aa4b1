"""Which words look alike to people: a word is reduced to its skeleton, the part that the eye distinguishes.

It uses Unicode's table of confusable characters (UTS 39), case, width, blanks and invisible characters. Accents are
kept, because they are visible. It is the only importer of `confusable_homoglyphs`.
"""

import unicodedata
from collections import defaultdict
from collections.abc import Mapping
from functools import cache, lru_cache

from r_memory.text.inert import is_seen

_DIRECTIONS = "\u200e\u200f"
"""Direction marks around some entries of the table; they have no meaning."""


@lru_cache(maxsize=4096)
def skeletons(word: str) -> frozenset[str]:
    """The skeletons of a word, as written and in lower case; two words that share one look alike.

    There are two because a capital may look like a letter that its lower case does not: I like l, but not i like l.

    >>> skeletons("J0hn  D0e.") & skeletons("John Doe") != frozenset()
    True
    >>> skeletons("Ann") & skeletons("Anna"), skeletons("Jon") & skeletons("John")
    (frozenset(), frozenset())
    """
    plain = unicodedata.normalize("NFKC", word)
    return frozenset({_skeleton(plain), _skeleton(plain.casefold())})


def _skeleton(word: str) -> str:
    prototypes = _prototypes()
    seen = filter(is_seen, unicodedata.normalize("NFD", word))
    told = "".join(prototypes.get(char, char) for char in seen)
    folded = unicodedata.normalize("NFC", told.casefold())
    return "".join(part for word in folded.split() if (part := _bare(word))) or folded


def _bare(word: str) -> str:
    """The word without the punctuation around it."""
    ends = [at for at, char in enumerate(word) if unicodedata.category(char)[0] != "P"]
    return word[ends[0] : ends[-1] + 1] if ends else ""


@cache
def _prototypes() -> Mapping[str, str]:
    """By character of the table: the character that stands for all its look-alikes."""
    # Read on the first use: the table has ten thousand entries.
    from confusable_homoglyphs.confusables import confusables_data  # noqa: PLC0415

    like = {
        char.strip(_DIRECTIONS): [other["c"].strip(_DIRECTIONS) for other in others]
        for char, others in confusables_data.items()
    }
    groups: defaultdict[str, set[str]] = defaultdict(set)
    for char, others in like.items():
        for other in others:
            # Of the two the one is the prototype that has the more look-alikes; the table lists both ways.
            first = max((char, other), key=lambda one: (len(like.get(one, ())), one.isascii(), one.isalpha(), one))
            groups[first].update({char, other})
    return {char: first for first, chars in groups.items() for char in chars if len(char) == 1 and char != first}
