"""Which standing facts nothing of a draft can belong to: a precaution of another kind of act, a secret not told. Pure.

It knows the kinds of acts by their words, of the language file. Of what names no kind, and of what is to come before
anything else, it knows nothing: that may belong to every draft.
"""

import re
from collections.abc import Sequence

from r_memory.domain.facts import MEANS, Entity, Fact
from r_memory.domain.schema import Schema
from r_memory.facts.naming import FactNames
from r_memory.facts.recall.prepared import Prepared
from r_memory.facts.recall.secrets import Secrets
from r_memory.reading.language import either, listed, paired

__all__ = ["Apart"]


class Apart:
    """Compares kinds of acts, under one schema."""

    def __init__(self, schema: Schema, names: FactNames, secrets: Secrets, prepared: Prepared[Fact]) -> None:
        language = schema.language
        self._acts = {
            act: _told(listed(language, "drafts", "acts", act)) for act, _ in paired(language, "drafts", "acts")
        }
        self._assumed = dict(paired(language, "drafts", "assumed"))
        self._going_out = frozenset(listed(language, "drafts", "going_out"))
        self._to, self._called = f"(?:{either(listed(language, 'drafts', 'addressing'))})", (schema.subject,)
        self._first = _told(listed(language, "drafts", "before_anything"))
        before, doer = (either(listed(language, "drafts", name)) for name in ("before_a_deed", "doers"))
        self._before = re.compile(rf"(?i:\b(?:{before})\s+(?:{doer})\s+(?P<deed>[^,.;:]*))")
        self._everything, self._denying = (
            _told(listed(language, "drafts", name)) for name in ("of_everything", "denying")
        )
        self._asking = frozenset(listed(language, "drafts", "asking"))
        self._names = names
        self._secrets = secrets
        self._prepared = prepared
        self._drafted: tuple[str, frozenset[str]] = ("", frozenset())
        """The last draft, which every fact is compared with, and the kinds of acts that it names."""

    def are_apart(self, text: str, fact: Fact, subject: Entity) -> bool:
        """Whether nothing of the draft can belong to a fact that it shares no word with.

        A secret may be given away in other words, unless nothing goes out, or it goes to the subject.
        """
        telling, is_first, bound = self._prepared.of(self._told_by, fact)
        if next(self._names.found_in(text, telling), None) is not None:
            return False
        if bound:
            acts = self._done_in(text)
            return bool(acts) and acts.isdisjoint(bound) and not any(self._secrets.amounts(text))
        if is_first:
            return False
        own, done = self._both(text, fact)
        if self._secrets.is_secret(fact):
            return self._goes_to(text, subject) or (bool(done) and done.isdisjoint(self._going_out))
        return bool(own and done) and own.isdisjoint(done)

    def _bound(self, fact: Fact) -> frozenset[str]:
        """The kinds of acts before which something else must come: of "before you pay anybody new, ring me" paying.

        Empty if the words deny anything, are about everything, or ask first for more than to be spoken to.
        """
        words = f"{fact.object.name} {fact.attrs.get(MEANS, '')}"
        found = self._before.search(words)
        if found is None or self._everything.search(words) or self._denying.search(words[: found.start()]):
            return frozenset()
        asked = self._of(f"{words[: found.start()]} {words[found.end() :]}")
        return self._of(found["deed"]) if asked and asked <= self._asking else frozenset()

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

    def _told_by(self, fact: Fact) -> tuple[frozenset[str], bool, frozenset[str]]:
        """The words of a fact that tell something, whether it says what is to come before anything else, and the kinds
        of acts before which something must come.
        """
        words = " ".join((fact.object.name, *(str(value) for value in fact.attrs.values()), fact.evidence))
        return self._names.telling(words), self._first.search(words) is not None, self._bound(fact)

    def _both(self, text: str, fact: Fact) -> tuple[frozenset[str], frozenset[str]]:
        """The kinds of acts of the fact's thing, and of the draft."""
        done = self._done_in(text)
        assumed = frozenset(filter(None, map(self._assumed.get, done))) if len(done) == 1 else done
        return self._prepared.of(self._own, fact), assumed or done

    def _done_in(self, text: str) -> frozenset[str]:
        """The kinds of acts that a draft names, kept for the next fact."""
        drafted, done = self._drafted
        if drafted != text:
            done = self._of(text)
            self._drafted = text, done
        return done

    def _own(self, fact: Fact) -> frozenset[str]:
        return self._of(f"{fact.object.name} {fact.attrs.get(MEANS, '')}")

    def _of(self, words: str) -> frozenset[str]:
        """The kinds of acts that the words name."""
        return frozenset(act for act, told in self._acts.items() if told.search(words) is not None)


def _told(phrases: Sequence[str]) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{either(phrases)})(?!\w)", re.IGNORECASE)
