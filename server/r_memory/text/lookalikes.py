"""Which words people take for each other: what stays of a word once everything is gone that an eye passes over.

Knows Unicode's table of confusable characters (UTS 39), case, width, blanks and what nobody sees. Accents stay: they
are seen. The only importer of `confusable_homoglyphs`.
"""

import unicodedata
from collections import defaultdict
from collections.abc import Mapping
from functools import cache, lru_cache

from r_memory.text.inert import is_seen

_DIRECTIONS = "\u200e\u200f"
"""Stand around some entries of the table and say nothing."""


@lru_cache(maxsize=4096)
def skeletons(word: str) -> frozenset[str]:
    """What the word may be taken for, as written and in small letters; two words that share one are look-alikes.

    Two, because a capital may look like what its small letter does not: I like l, and no i like one.

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
    """Without the punctuation around it."""
    ends = [at for at, char in enumerate(word) if unicodedata.category(char)[0] != "P"]
    return word[ends[0] : ends[-1] + 1] if ends else ""


@cache
def _prototypes() -> Mapping[str, str]:
    """Each character of the table to what stands for it and for everything that looks like it."""
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
