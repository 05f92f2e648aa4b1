"""Which subjects are tied to a party: by its names, by the groups it belongs to in the knowledge pack, and by the
people recorded as standing behind it. Pure.

Recall has priority over precision: a similar name is shown as similar. The schema names the relations to follow
(`across`). Objects and attributes are compared; waiting statements are searched for the name only.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from rapidfuzz.distance import OSA

from r_memory.domain.across import Dossier, Involvement
from r_memory.domain.blocks import Match, MatchLevel
from r_memory.domain.facts import MEANS, MEANT, Entity, Fact, Status
from r_memory.domain.identity import identity_key
from r_memory.domain.instants import Instant
from r_memory.domain.intents import widest
from r_memory.facts.recall.lines import Lines, speaks_for_risk
from r_memory.facts.recall.matching import Matcher
from r_memory.reading.actions.ordinary import ordinary_words
from r_memory.reading.language import listed
from r_memory.reading.reader import Reader
from r_memory.text.inert import inert_name

_TERMS = 20
"""Maximum number of names in one check: the party and its connections."""
_STEPS = 3
"""Maximum number of steps from the party to those behind it."""
_SHORTEST = 5
"""Minimum letters of a name for which misspellings count."""
_LONG = 9
_NAMES = 2
"""Least words of a name that has a surname."""
_PAST = frozenset({Status.RESOLVED})

_COMMON = 5
"""Number of names with one surname from which on it ties nobody, or a larger one in a larger space."""
_SHARE = 50
"""Of so many names one may have a surname that still ties."""

Likeness = Literal["", "exact", "part", "near", "kin", "firm"]
"""How two names are alike: equal, one contained in the other, one misspelling apart, of one surname, or of firms that
begin with one distinctive word.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sought:
    """A name to search."""

    name: str
    through: str
    """The connection that led to it; empty for the party itself."""
    steps: int
    matcher: Matcher
    surnames: frozenset[str]
    """Its surname, in parts, if it ties: it is a name of two words or more, no firm's, and not common here."""


class Ties:
    """Finds ties under one schema and pack."""

    def __init__(self, reader: Reader, lines: Lines) -> None:
        self._reader = reader
        self._lines = lines
        self._expand = widest(reader.table.intents.values())
        across = {name: relation.across for name, relation in reader.schema.relations.items() if relation.across}
        self._how: Mapping[str, str] = across
        naming = reader.schema.naming
        self._naming = naming.name if naming is not None else ""
        self.searched = tuple(across)
        """Relations to follow; empty if the schema allows no check across subjects."""
        self.relations = (*across, *([self._naming] if across and self._naming else []))
        """The relations to follow, and the relation of aliases."""
        firms = listed(reader.schema.language, "proper_names", "firms")
        self._forms = frozenset(word.casefold() for word in firms)
        trades = listed(reader.schema.language, "proper_names", "firm_words")
        self._of_firms = self._forms.union(word.casefold() for word in trades)

    def aliases(self, facts: Iterable[Fact]) -> tuple[str, ...]:
        """The aliases among the facts."""
        return tuple(fact.object.name for fact in facts if fact.relation == self._naming and speaks_for_risk(fact))

    def letters(self, name: str) -> int:
        """Number of letters and digits of the name, legal forms left out."""
        return sum(map(len, self._core(name)))

    def find(self, party: str, dossiers: Sequence[Dossier], now: Instant) -> tuple[list[Involvement], tuple[str, ...]]:
        """All ties, the most certain and critical first, and descriptions of the names searched beside the party."""
        common = self._common(dossiers)
        sought = [self._sought(party, common)]
        found: dict[tuple[str, str], Involvement] = {}
        for item in sought:  # which grows by what belongs together with each
            for dossier in dossiers:
                for tie in self._of(dossier, item, now):
                    key = (tie.subject.uid, tie.fact.fact_id if tie.fact is not None else tie.text)
                    if key not in found or (tie.sure and not found[key].sure):
                        found[key] = tie
                    for name, through in self._behind(dossier, tie, item):
                        if len(sought) < _TERMS and not any(self.like(name, known.name) == "exact" for known in sought):
                            sought.append(self._sought(name, common, through, item.steps + 1))
        return sorted(found.values(), key=self._order), tuple(item.through for item in sought[1:])

    def beside(self, dossier: Dossier, now: Instant) -> tuple[str, ...]:
        """Sentences shown with every tie of this subject."""
        facts = [fact for fact in dossier.facts if self._how.get(fact.relation) == "beside" and _stands(fact)]
        return tuple(self._text(fact, dossier.subject, now) for fact in facts)

    def like(self, name: str, other: str) -> Likeness:
        """How the two names are alike, legal forms left out."""
        short, long = sorted((self._core(name), self._core(other)), key=len)
        if not short:
            return "exact" if identity_key(name) == identity_key(other) else ""
        if short == long:
            return "exact"
        best: Likeness = ""
        for start in range(len(long) - len(short) + 1):
            part = long[start : start + len(short)]
            if part == short:
                return "part"
            if _misspelt(" ".join(short), " ".join(part)):
                best = "near"
        return best

    def _common(self, dossiers: Sequence[Dossier]) -> frozenset[str]:
        """The surnames that too many different names have to tie any two of them."""
        facts = (fact for dossier in dossiers for fact in dossier.facts if fact.relation in self._how)
        names = {*(dossier.subject.name for dossier in dossiers), *(fact.object.name for fact in facts)}
        counted = Counter(part for name in names for part in self._surnames(name))
        most = max(_COMMON, len(names) // _SHARE)
        return frozenset(part for part, times in counted.items() if times > most)

    def _surnames(self, name: str) -> frozenset[str]:
        """The surname of a person in its parts; empty for a single word and for a firm."""
        words, core = name.split(), self._core(name)
        is_firm = any(identity_key(word).strip(".,") in self._forms for word in words)
        if is_firm or min(len(words), len(core)) < _NAMES:
            return frozenset()
        return frozenset(part for part in self._core(words[-1]) if len(part) > 1)

    def _alike(self, sought: _Sought, name: str) -> Likeness:
        """How the name is like the one that is sought, by its surname as well."""
        if like := self.like(sought.name, name):
            return like
        firms = self._is_firm(name) or self._is_firm(sought.name)
        if firms and (first := self._distinctive(name)) and first == self._distinctive(sought.name):
            return "firm"
        return "" if sought.surnames.isdisjoint(self._surnames(name)) else "kin"

    def _is_firm(self, name: str) -> bool:
        """Whether words beside the first say that the name is a firm's."""
        return not self._of_firms.isdisjoint(self._words(name)[1:])

    def _distinctive(self, name: str) -> str:
        """The word that tells a firm from others of its trade: the first, where the others tell a trade, a place or
        another plain thing; empty for a name that may be a person's.
        """
        first, *rest = self._words(name) or ("",)
        plain = bool(rest) and all(word in self._of_firms or word in ordinary_words() for word in rest)
        told = len(first) >= _SHORTEST and first not in ordinary_words() and first not in self._of_firms
        return first if plain and told else ""

    def _sought(self, name: str, common: frozenset[str], through: str = "", steps: int = 0) -> _Sought:
        mentions = self._reader.named(name).mentions
        matcher = Matcher(name, mentions, self._reader.knowledge, self._expand)
        surnames = self._surnames(name) - common
        return _Sought(name=name, through=through, steps=steps, matcher=matcher, surnames=surnames)

    def _of(self, dossier: Dossier, sought: _Sought, now: Instant) -> Iterator[Involvement]:
        """The ties of one subject to a name: its own name, its facts, and its waiting statements."""
        subject = dossier.subject
        for name in (subject.name, subject.id, *subject.aliases, *dossier.aliases):
            if likeness := self._alike(sought, name):
                text = f"{inert_name(subject.name)} is itself on record here."
                why = "" if likeness == "exact" and name == subject.name else _why(likeness, sought.name, name)
                yield self._tie(subject, text, why, sought, sure=likeness == "exact")
                break
        for fact in dossier.facts:
            if fact.relation in self._how and _stands(fact) and (met := self._met(fact, sought, subject)) is not None:
                why, sure = met
                yield self._tie(subject, self._text(fact, subject, now), why, sought, sure=sure, fact=fact)
        if any(self._in(sought.name, episode.text) for episode in dossier.waiting):
            text = f"A statement that waits, not understood yet, names {inert_name(sought.name)}: review it."
            yield self._tie(subject, text, "", sought, sure=False)

    def _tie(
        self, subject: Entity, text: str, why: str, sought: _Sought, *, sure: bool, fact: Fact | None = None
    ) -> Involvement:
        return Involvement(subject=subject, text=text, why=why, fact=fact, sure=sure, through=sought.through)

    def _met(self, fact: Fact, sought: _Sought, subject: Entity) -> tuple[str, bool] | None:
        """How a fact meets the name, and whether certainly; `None` if it does not."""
        names = (fact.object.name, *fact.object.aliases, *filter(None, [str(fact.attrs.get(MEANS, ""))]))
        likeness = {self._alike(sought, name): name for name in names}
        if "exact" in likeness:
            return "", True
        matches = sought.matcher.matches(fact, carries=True)
        if known := next((match for match in matches if match.level is not MatchLevel.NAME_ONLY), None):
            return known.text, not known.fuzzy
        kinds: tuple[Likeness, ...] = ("part", "near", "firm", "kin")
        for kind in kinds:
            if kind in likeness:
                return _why(kind, sought.name, likeness[kind]), False
        for name, value in fact.attrs.items():
            if name != MEANT and isinstance(value, str) and (held := self._in(sought.name, value)):
                return f"named as its {inert_name(name)}", held == "part"
        if matches:
            return matches[0].text, False
        return self._given_name(fact, sought, subject)

    def _given_name(self, fact: Fact, sought: _Sought, subject: Entity) -> tuple[str, bool] | None:
        """How a fact names a relative of its subject by the given name of one who has the subject's surname."""
        given = self._core(sought.name)[0]
        told = [fact.object.name, *(value for value in fact.attrs.values() if isinstance(value, str))]
        belongs = not sought.surnames.isdisjoint(self._surnames(subject.name))
        held = next((words for words in told if given in self._core(words)), "") if belongs else ""
        return (f'"{inert_name(held)}" names {inert_name(given.title())}, of the same surname', False) if held else None

    def _in(self, name: str, text: str) -> Likeness:
        """Whether a text contains the name (`part`), or a misspelling of it (`near`)."""
        words, wanted = self._core(text), self._core(name)
        runs = [words[start : start + len(wanted)] for start in range(len(words) - len(wanted) + 1)]
        if not wanted or wanted in runs:
            return "part" if wanted else ""
        return "near" if any(_misspelt(" ".join(run), " ".join(wanted)) for run in runs) else ""

    def _behind(self, dossier: Dossier, tie: Involvement, sought: _Sought) -> Iterator[tuple[str, str]]:
        """Further names to search: those with an interest in the name.

        For the party itself, those it has an interest in are added.
        """
        if sought.steps >= _STEPS or not tie.sure:
            return
        name = inert_name(tie.subject.name)
        if tie.fact is not None and self._how.get(tie.fact.relation) == "tie":
            yield tie.subject.name, f"{name} ({tie.text.removesuffix('.')})"
        elif tie.fact is None and not sought.through:
            for fact in dossier.facts:
                if self._how.get(fact.relation) == "tie" and _stands(fact) and not fact.is_absence:
                    yield fact.object.name, f"{inert_name(fact.object.name)} (of {name})"

    def _text(self, fact: Fact, subject: Entity, now: Instant) -> str:
        """The fact in the words of its relation; an ended fact is marked as such."""
        # A match that is never shown: past facts have a line only where something is met.
        met = (Match(requested="", level=MatchLevel.EXACT, text=""),)
        lines = self._lines.of([fact], subject=subject, matches=lambda *_: met, contraries={}, now=now)
        return " ".join(line.text for line in lines)

    def _order(self, tie: Involvement) -> tuple[object, ...]:
        critical = tie.fact is not None and self._lines.is_critical(tie.fact)
        past = tie.fact is not None and tie.fact.status in _PAST
        fact_id = tie.fact.fact_id if tie.fact is not None else ""
        return not tie.sure, bool(tie.through), not critical, past, tie.subject.id, fact_id, tie.text

    def _words(self, name: str) -> tuple[str, ...]:
        """The normalised words of a name."""
        plain = "".join(letter if letter.isalnum() else " " for letter in identity_key(name).replace("'", ""))
        return tuple(plain.split())

    def _core(self, name: str) -> tuple[str, ...]:
        """The normalised words of a name without legal forms; with them if nothing else remains."""
        words = self._words(name)
        return tuple(word for word in words if word not in self._forms) or words


def _stands(fact: Fact) -> bool:
    """Whether it is believed, possible, disputed, or was true before."""
    return not fact.is_absence and (speaks_for_risk(fact) or fact.status in _PAST)


def _misspelt(word: str, other: str) -> bool:
    """Whether two words may be misspellings of each other: one letter apart, two in long words."""
    if min(len(word), len(other)) < _SHORTEST:
        return False
    most = 2 if min(len(word), len(other)) >= _LONG else 1
    return OSA.distance(word, other, score_cutoff=most) <= most


def _why(likeness: str, sought: str, name: str) -> str:
    asked, known = inert_name(sought), inert_name(name)
    if likeness == "exact":
        return f"known as {known}"
    if likeness == "firm":
        return f'"{asked}" and "{known}" begin with one name: of one group?'
    if likeness == "kin":
        return f'"{asked}" and "{known}" have one surname: related?'
    return f'"{asked}" and "{known}" may be the same' if likeness == "part" else f'"{known}" reads like "{asked}"'
