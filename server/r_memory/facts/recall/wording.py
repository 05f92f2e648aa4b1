"""Small pieces of English that lines and matches are put together from; decides nothing."""

import re

_ACRONYM = re.compile(r"[A-Z][A-Z0-9]+(?![a-z])")
_SPELT_WITH_A_VOWEL_SOUND = "AEFHILMNORSX"
_A_DESPITE_VOWEL = re.compile(r"uni(?![dmn])|ura|ure|uri|use|usu|uti|ubi|eu|one\b|one-|once", re.IGNORECASE)
_AN_DESPITE_CONSONANT = re.compile(r"hour|honest|hono|heir", re.IGNORECASE)


def with_article(name: str) -> str:
    """The name after "a" or "an", as it is spoken.

    >>> with_article("Antibiotic"), with_article("Penicillin"), with_article("NSAID"), with_article("Uricosuric")
    ('an Antibiotic', 'a Penicillin', 'an NSAID', 'a Uricosuric')
    """
    return f"{'an' if _starts_with_a_vowel_sound(name) else 'a'} {name}"


def _starts_with_a_vowel_sound(name: str) -> bool:
    if _ACRONYM.match(name):
        return name[0] in _SPELT_WITH_A_VOWEL_SOUND
    if name[:1].casefold() in {"a", "e", "i", "o", "u"}:
        return not _A_DESPITE_VOWEL.match(name)
    return bool(_AN_DESPITE_CONSONANT.match(name))


def capitalised(words: str) -> str:
    """The words with a capital first letter, otherwise unchanged."""
    return words[:1].upper() + words[1:]
