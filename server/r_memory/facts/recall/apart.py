"""Which standing facts nothing of a draft can belong to: a precaution of another kind of act, a secret not told. Pure.

It knows the kinds of acts by their words, of the language file. Of what names no kind, and of what is to come before
anything else, it knows nothing: that may belong to every draft.
"""

import re
from collections.abc import Sequence

from r_memory.domain.facts import MEANS, Entity, Fact
from r_memory.domain.schema import Schema
from r_memory.facts.naming import FactNames
from r_memory.facts.recall.secrets import Secrets
from r_memory.reading.language import either, listed, paired

__all__ = ["Apart"]


class Apart:
    """Compares kinds of acts, under one schema."""

    def __init__(self, schema: Schema, names: FactNames, secrets: Secrets) -> None:
        language = schema.language
        self._acts = {
            act: _told(listed(language, "drafts", "acts", act)) for act, _ in paired(language, "drafts", "acts")
        }
        self._assumed = dict(paired(language, "drafts", "assumed"))
        self._going_out = frozenset(listed(language, "drafts", "going_out"))
        self._to, self._called = f"(?:{either(listed(language, 'drafts', 'addressing'))})", (schema.subject,)
        self._first = _told(listed(language, "drafts", "before_anything"))
        self._names = names
        self._secrets = secrets

    def are_apart(self, text: str, fact: Fact, subject: Entity) -> bool:
        """Whether nothing of the draft can belong to a fact that it shares no word with.

        A secret may be given away in other words, unless nothing goes out, or it goes to the subject.
        """
        words = " ".join((fact.object.name, *(str(value) for value in fact.attrs.values()), fact.evidence))
        if self._names.bears_in(text, words) is not None or self._first.search(words) is not None:
            return False
        own, done = self._both(text, fact)
        if self._secrets.is_secret(fact):
            return self._goes_to(text, subject) or (bool(done) and done.isdisjoint(self._going_out))
        return bool(own and done) and own.isdisjoint(done)

    def goes_out(self, text: str, subject: Entity) -> bool:
        """Whether somebody else than the subject may read the draft."""
        return not (self._goes_to(text, subject) or self._going_out.isdisjoint(self._of(text)))

    def _goes_to(self, text: str, subject: Entity) -> bool:
        """Whether the draft names the subject as the one who gets it."""
        parts = (part for name in (subject.name, *subject.aliases) for part in name.split())
        names = either([*self._called, *parts])
        return re.search(rf"(?i:\b{self._to}\s+(?:\w+\.?\s+)?(?:{names})\b)", text) is not None

    def are_of_a_kind(self, text: str, fact: Fact) -> bool:
        """Whether the draft does something of the kind that the words of the fact are about."""
        own, done = self._both(text, fact)
        return not own.isdisjoint(done)

    def _both(self, text: str, fact: Fact) -> tuple[frozenset[str], frozenset[str]]:
        """The kinds of acts of the fact's thing, and of the draft."""
        done = self._of(text)
        assumed = frozenset(filter(None, map(self._assumed.get, done))) if len(done) == 1 else done
        return self._of(f"{fact.object.name} {fact.attrs.get(MEANS, '')}"), assumed or done

    def _of(self, words: str) -> frozenset[str]:
        """The kinds of acts that the words name."""
        return frozenset(act for act, told in self._acts.items() if told.search(words) is not None)


def _told(phrases: Sequence[str]) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{either(phrases)})(?!\w)", re.IGNORECASE)
