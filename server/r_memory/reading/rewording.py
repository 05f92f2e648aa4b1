"""A text as the taught reader is shown it: "Mrs Doe is allergic" as "She is allergic".

The reader was taught on sentences in which the subject has no name. It cannot know whose name one is and takes it for
somebody's; a pronoun it takes for the subject. Plain phrases that it was not taught are shown by ones that it was. What
is shown is as long as what was said, so that places stay.
"""

import re
from collections.abc import Iterable
from functools import lru_cache

from r_memory.domain.facts import Entity
from r_memory.reading.language import LanguagePack

_PRONOUNS = (("she", "her"), ("he", "his"), ("they", "their"))
"""Pronoun and possessive; the first pair is used where the text has no other."""
_VERBS = (("persons", "helping"), ("persons", "acting"), ("persons", "reporter_verbs"), ("shown", "verbs"))
_OWN = r"['\u2019]s"
_NEAR = 20
"""Characters before a name that show whether a sentence begins there."""
_BEGINNING = re.compile(r"(?:^|[.!?:;\n-])\s*$")


class Rewording:
    """Replaces the subject's names by pronouns, and untaught phrases by taught ones, in one language."""

    def __init__(self, pack: LanguagePack) -> None:
        self._said = {pair: pack.words("persons", pair[0]) for pair in _PRONOUNS}
        self._titles = _any_of(pack.texts("persons", "titles"))
        nouns, compounds = (_any_of(pack.texts("shown", name)) for name in ("nouns", "compounds"))
        pointing = _any_of(pack.texts("shown", "pointing"))
        self._noun = rf"(?:{pointing})\s+(?:{nouns})(?!\s+(?:{compounds})\b)|(?P<bare>{nouns})(?!\s+(?:{compounds})\b)"
        self._lead = rf"(?:(?:{pointing})\s+)?(?:{nouns})"
        verbs = (pack.texts(*path) for path in _VERBS)
        self._verbs = _any_of(verb for each in verbs for verb in each) + r"|[^\W\d_]{2,}(?:s|ed)"
        phrases = pack.table("shown", "phrases")
        self._phrases = {other: phrase for phrase, others in phrases.items() for other in others}
        self._phrase = re.compile(rf"\b(?:{_any_of(self._phrases)})\b", re.IGNORECASE)
        self._pattern = lru_cache(maxsize=256)(self._meaning)

    def shown(self, text: str, subject: Entity) -> str:
        """Returns the text at the same length, with a pronoun in place of each name of the subject.

        The pronoun is one that the text uses itself, if there is one.
        """
        text = self._phrase.sub(self._taught, text)
        words = set(re.findall(r"\w+", text.casefold()))
        used = next((pair for pair in _PRONOUNS if not words.isdisjoint(self._said[pair])), _PRONOUNS[0])

        def pronoun(found: re.Match[str]) -> str:
            begins = _BEGINNING.search(text, max(found.start() - _NEAR, 0), found.start()) is not None
            word = used[1] if found["own"] else used[0]
            if (found["bare"] and not begins) or len(word) > len(found[0]):
                return found[0]
            return (word.capitalize() if begins else word).ljust(len(found[0]))

        names = (subject.name, *subject.aliases)
        # What names may mean takes 2 ms to compile, and few words hold a part of one.
        parts = [part for name in names for part in name.split()]
        if text.isascii() and all(map(str.isascii, parts)):
            named = any(part.lower() in text.lower() for part in parts)
        else:
            named = re.search(_any_of(parts), text, re.IGNORECASE) is not None
        return self._pattern(names if named else ()).sub(pronoun, text)

    def _taught(self, found: re.Match[str]) -> str:
        phrase = self._phrases.get(found[0].casefold(), found[0])
        written = phrase.capitalize() if found[0][0].isupper() and phrase.islower() else phrase
        return written.ljust(len(found[0]))

    def _meaning(self, names: tuple[str, ...]) -> re.Pattern[str]:
        """Returns a pattern for the subject:

        a noun, a whole name, "Doe, John:", title and name, or a name before a verb.
        """
        every = [name.split() for name in names if len(name) > 2]
        ways = [self._noun]
        for parts in every:
            whole, one = r"\s+".join(map(re.escape, parts)), _any_of(part for part in parts if len(part) > 2)
            turned = rf"{re.escape(parts[-1])},\s*{re.escape(parts[0])}(?=\s*:|\s+(?:{self._verbs})\b)"
            ways += [rf"(?:{self._lead}\s+)?(?:(?:{self._titles})\s+)?{whole}", turned]
            if one:
                ways += [rf"(?:{self._titles})\s+(?:{one})", rf"(?-i:{one})(?={_OWN}|\s+(?:{self._verbs})\b)"]
        return re.compile(rf"(?<![\w'\u2019-])(?:{'|'.join(reversed(ways))})(?P<own>{_OWN})?(?![\w-])", re.IGNORECASE)


def _any_of(texts: Iterable[str]) -> str:
    """Returns a pattern for any of the texts, the longest first."""
    return "|".join(re.escape(text) for text in sorted(set(texts), key=len, reverse=True))
