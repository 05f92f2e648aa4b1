"""Whether a speaker breaks off and gives what was just said to somebody else: "… to eggs, no wait, that's her sister".

Knows words that break a sentence off, and words that point at a person; nothing of what is said.
"""

import re
from collections.abc import Iterable

from r_memory.domain.facts import Entity, Span
from r_memory.domain.once import once_for
from r_memory.domain.schema import Schema
from r_memory.reading.language import listed
from r_memory.reading.whose import whose_under

__all__ = ["BreakingOff", "breaking_off_under"]

_REACH = 60
"""Characters behind a statement in which it is given to somebody else."""
_SIGNS = r"[\s,.;:\u2013\u2014-]+"
_QUOTES = str.maketrans("\u2018\u2019", "''")


class BreakingOff:
    """Finds statements that their speaker gives to another person in the same breath, under one schema."""

    def __init__(self, schema: Schema) -> None:
        language, self._whose = schema.language, whose_under(schema)
        breaks = [word for name in ("withdrawing", "rephrasing") for word in listed(language, "corrections", name)]
        breaks += [word for name in ("denying", "pausing") for word in listed(language, "retractions", name)]
        points, gives = (listed(language, "whose", name) for name in ("pointing_at", "giving_to"))
        owners = _any((*listed(language, "possessives"), *listed(language, "whose", "before_a_person")))
        self._given = re.compile(
            rf"{_SIGNS}(?:(?:(?:{_any(breaks)}){_SIGNS})+(?:{_any(points)})|(?:{_any(gives)}))\b"
            rf"(?:{_SIGNS}(?:{owners}))*{_SIGNS}(?P<person>[\w'-]+)",
            re.IGNORECASE,
        )
        self._nobody = frozenset(listed(language, "not_a_name"))

    def given_away(self, text: str, span: Span, subject: Entity) -> bool:
        """Whether words behind the place, and not in it, give what it states to another person than the subject."""
        behind = text[span.end : span.end + _REACH].translate(_QUOTES)
        found = self._given.match(f" {behind}")
        return found is not None and self._is_other(found["person"], subject)

    def takes_away(self, text: str, span: Span, subject: Entity) -> bool:
        """Whether the words at the place, or right behind it, give what they state to another person."""
        within = text[span.start : span.end + _REACH].translate(_QUOTES)
        return any(self._is_other(found["person"], subject) for found in self._given.finditer(within))

    def _is_other(self, word: str, subject: Entity) -> bool:
        bare = word.removesuffix("'s").casefold()
        own = {part for name in (subject.name, *subject.aliases) for part in name.casefold().split()}
        named = word[:1].isupper() and bare not in self._nobody
        return bare not in own and (named or self._whose.is_relative(bare))


def _any(words: Iterable[str]) -> str:
    """Returns a pattern for any of the words, the longest first; marks may stand with or without blanks."""
    ordered = sorted({word.strip() for word in words}, key=len, reverse=True)
    return "|".join(re.sub(r"(?:\\ )?,(?:\\ )?", r"\\s*,?\\s*", re.escape(word)) for word in ordered) or "(?!)"


breaking_off_under = once_for(BreakingOff)
"""Returns the finder of a schema, made once."""
