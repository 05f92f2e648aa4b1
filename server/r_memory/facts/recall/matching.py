"""Why a fact, or a statement that waits unread (`waiting.py`), bears on a request: paths in the knowledge pack between
what was recorded and what the request names.

Pure. It knows the meaning of the pack's three relations; other relations of `expand` are climbed in the same way and
shown by their names. Matches only annotate and order: a fact without a match is shown too. A statement that was not
read is no fact, but one that names a thing of the request is shown as prominently as a fact.
"""

import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import groupby

from r_memory.domain.blocks import Match, MatchLevel
from r_memory.domain.facts import HAS_INGREDIENT, IS_A, KNOWLEDGE_SPACE, MEANS, MEANT, Entity, Fact, concept
from r_memory.domain.knowledge import CROSS_REACTS_WITH, MEMBER_OF, Closure, Knowledge, Link, Path, Steps, Tier
from r_memory.protocols import Mention
from r_memory.text.inert import inert_name

_BETWEEN_WORDS = re.compile(r"[\W_]+")
LEVELS = {level: place for place, level in enumerate(MatchLevel)}
_TIERS: Mapping[Tier, int] = {"A": 0, "": 1, "B": 2, "C": 3}
"""Order of the tiers, strongest first; a plain classification is more certain than a disputed row."""
_LETTER_WORD = re.compile(r"[^\W\d_]+")
_SMALL_WORDS = frozenset({"and", "of", "the"})
_CAPITALISED_RUN = re.compile(r"\b[A-Z][a-z]+(?: (?:of |and |the |& )?[A-Z][a-z]+)+")
_FEWEST_INITIALS, _MOST_INITIALS = 2, 5
_INITIALS = re.compile(r"\b[A-Z]{2,5}\b")
_ACRONYM = re.compile(r"[A-Z][A-Z0-9]+(?![a-z])")
_SPELT_WITH_A_VOWEL_SOUND = "AEFHILMNORSX"
_A_DESPITE_VOWEL = re.compile(r"uni(?![dmn])|ura|ure|uri|use|usu|uti|ubi|eu|one\b|one-|once", re.IGNORECASE)
_PLURAL = re.compile(r"(?:[bcdfghklmnprtvwyzo]|[^ab]ie|ve)s$")
_AN_DESPITE_CONSONANT = re.compile(r"hour|honest|hono|heir", re.IGNORECASE)
NO_LINK = Link(relation="", start="", end="", reviewed=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestConcept:
    """A concept that the request names, with all its ancestors."""

    uid: str
    name: str
    closure: Closure
    meets: frozenset[str]
    """A fact can only match if its object has one of these ancestors."""
    fuzzy: bool = False
    """Whether the request names it by a misspelling only."""
    action: str = ""
    """The action type that implies the concept, if no word names it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Crossing:
    """A row of cross-reactivity between a recorded thing and a requested thing."""

    below: Path
    """Path from the recorded thing up to the start of the row."""
    above: Path
    """Path from the requested thing up to the end of the row."""
    row: Link


class Matcher:
    """Matches facts to one request."""

    def __init__(
        self,
        query: str,
        mentions: Iterable[Mention],
        knowledge: Knowledge,
        expand: Mapping[str, int],
        actions: Iterable[str] = (),
        of_details: Callable[[Fact], tuple[Match, ...]] = lambda _: (),
        forms: Collection[str] = (),
    ) -> None:
        """`actions` are the action types of the request: the concepts that they imply are compared even if no word
        names them. `of_details` returns the matches of a fact's days and sums with those of the request. `forms` are
        the words that a name may be said without: the legal forms of firms.
        """
        self._forms = frozenset(forms)
        self._of_details = of_details
        self._knowledge = knowledge
        self._steps = steps_of(expand)
        self._crossing = expand.get(CROSS_REACTS_WITH, 0) > 0
        self._surfaces: dict[str, str] = {}
        self._guessed: set[str] = set()
        concepts = {entity.uid: entity for entity in self._concepts(mentions)}
        named = [self._named(uid, self._name(entity)) for uid, entity in concepts.items()]
        for uid, (name, action) in {uid: more for uid, *more in knowledge.meant_by(actions)}.items():
            if not any(uid in item.closure for item in named):
                named.append(replace(self._named(uid, inert_name(name)), action=action))
        self._request = tuple(named)
        self._meets = frozenset().union(*(item.meets for item in named))
        self._text, self._asked = _folded(query), _words(query)
        self._written = query

    def matches(self, fact: Fact, *, carries: bool, alone: bool = False) -> tuple[Match, ...]:
        """At most one match for each concept of the request, strongest first.

        `carries` means that the risk applies also to siblings and cross-reacting concepts. `alone` means that the fact
        is no risk, and says nothing about broader or narrower things. For a relation that the pack grades, a match by
        class alone is no stop.
        """
        if fact.is_absence:
            return ()
        return (*self._of_things(fact, carries=carries, alone=alone), *self._of_details(fact))

    def _of_things(self, fact: Fact, *, carries: bool, alone: bool) -> tuple[Match, ...]:
        if alone:
            thing = replace(fact.object, is_a=()) if fact.object.is_a else fact.object
            return tuple(match for match in self.of(thing, carries=carries) if not match.of_kind)
        found = self.of(fact.object, carries=carries)
        if all(match.action == _ASK_IF_MEANT for match in found):
            found = self._meant(fact, carries=carries) or found
        instead = self._knowledge.weighed.get(fact.relation)
        return found if instead is None else tuple(sorted((_weighed(match, instead) for match in found), key=strength))

    def _meant(self, fact: Fact, *, carries: bool) -> tuple[Match, ...]:
        """Matches of the meaning of a fact's words, for concepts that the words themselves do not match."""
        if not (words := str(fact.attrs.get(MEANS) or "")) or MEANT not in fact.attrs:
            return ()  # without a meaning of its own it only says what limits the thing
        known = [self._knowledge.concepts[uid] for uid in fact.meant if uid in self._knowledge.concepts]
        named = (item for item in known if _says_no_more(words, item))
        otherwise = replace(fact.object, id=words.casefold(), name=words, aliases=(), is_a=fact.meant)
        thing = next(named, otherwise)
        own = f'which is what "{inert_name(fact.object.name)}" means as it was read'
        return tuple(
            replace(match, level=MatchLevel.MEANT, text=f"{match.text}, {own}")
            for match in self.of(thing, carries=carries)
        )

    def of(self, recorded: Entity, *, carries: bool) -> tuple[Match, ...]:
        """The matches of any recorded or mentioned thing; `carries` as for `matches`."""
        if not self._meets:
            return self._by_name(recorded)
        closure = self._knowledge.above(recorded, self._steps)
        if self._meets.isdisjoint(closure):
            return self._by_name(recorded)
        near = [named for named in self._request if not named.meets.isdisjoint(closure)]
        found = [
            replace(match, fuzzy=named.fuzzy, implied=bool(named.action))
            for named in near
            if (match := self._strongest(recorded, closure, named, carries=carries)) is not None
        ]
        return tuple(sorted(found, key=strength)) if found else self._by_name(recorded)

    def _concepts(self, mentions: Iterable[Mention]) -> Iterator[Entity]:
        """The concepts of the mentions; the first other word for each is kept, to be shown beside its name."""
        sure = set[str]()
        for mention in sorted(mentions, key=lambda mention: mention.fuzzy):
            entity = concept(mention.type, mention.name)
            (self._guessed if mention.fuzzy and entity.uid not in sure else sure).add(entity.uid)
            if _words(mention.surface).strip() not in _forms(_words(mention.name).strip()):
                self._surfaces.setdefault(entity.uid, inert_name(mention.surface))
            yield entity

    def _named(self, uid: str, name: str) -> RequestConcept:
        closure, meets = self._knowledge.closure(uid, self._steps), self._knowledge.meeting(uid, self._steps)
        return RequestConcept(uid=uid, name=name, closure=closure, meets=meets, fuzzy=uid in self._guessed)

    def _strongest(self, recorded: Entity, closure: Closure, named: RequestConcept, *, carries: bool) -> Match | None:
        direct = self._direct(recorded, closure, named)
        if direct is not None or not (carries and self._crossing):
            return direct
        # The most specific row decides: a drug's own beats its class's, whatever their tiers.
        crossing = min(self._crossings(closure, named.closure), key=_specificity, default=None)
        return None if crossing is None else self._carried_over(recorded, named, crossing)

    def _direct(self, recorded: Entity, closure: Closure, named: RequestConcept) -> Match | None:
        """A match by the same concept, by one above the other, or by a common ingredient; `None` if there is none."""
        name, uid = named.name, named.uid
        # The first of a closure is the concept itself.
        own = next(iter(closure))
        if uid == own:
            meant = f"is what {named.action} means" if named.action else "is named in the request"
            return Match(requested=name, level=MatchLevel.EXACT, text=f"{self._concept_name(uid, name)} {meant}")
        above = named.closure.get(own)
        if path := above or closure.get(uid):
            if _only(path, IS_A):
                return self._kind_match(recorded, name, path, exact=bool(above))
            if _only(path, IS_A, HAS_INGREDIENT):
                return _ingredient_match(name, self._path_in_words(path, recorded), path)
            match = _class_match(name, self._path_in_words(path, recorded), self._grading(path, said=bool(above)), path)
            # What is asked for may be the very thing: what holds of its siblings is no comfort.
            return match if above or match.tier == "A" else _which(match, self._name(recorded))
        shared = [
            there
            for there in named.closure
            if there in closure and _is_held(named.closure[there]) and _is_held(closure[there])
        ]
        if not shared:
            return self._described(recorded, closure, named)
        text = f"{self._path_in_words(named.closure[shared[0]])}, as does {self._name(recorded)}"
        match = _ingredient_match(name, text, (*named.closure[shared[0]], *closure[shared[0]]))
        # A reaction to a product may have been to the common ingredient, or to another.
        return replace(match, tier="B", action="") if match.tier == "A" else match

    def _described(self, recorded: Entity, closure: Closure, named: RequestConcept) -> Match | None:
        """A match with a group that words describe: "anything to do with weapons" may mean each of its members."""
        if not recorded.is_said:
            return None
        for there, below in closure.items():
            path = named.closure.get(there)
            if below and path and _only(below, IS_A) and _only(path, IS_A, MEMBER_OF) and not _only(path, IS_A):
                text = f'{self._path_in_words(path)}, which "{inert_name(recorded.name)}" may mean'
                match = _class_match(named.name, text, NO_LINK, path)
                return replace(match, tier="B", action=_ASK_IF_MEANT, of_kind=True)
        return None

    def _kind_match(self, recorded: Entity, name: str, path: Path, *, exact: bool) -> Match:
        """A kind of what was recorded is that; what was recorded is only one kind of what is asked for."""
        same = recorded.is_said and recorded.name.casefold() == self._knowledge.name_of(path[-1].end).casefold()
        text = f"{inert_name(recorded.name)} is named in the request" if same else self._path_in_words(path, recorded)
        level = MatchLevel.EXACT if exact else MatchLevel.CLASS
        return Match(requested=name, level=level, text=text, reviewed=True, of_kind=True)

    def _grading(self, path: Path, *, said: bool) -> Link:
        """The row that grades a membership: that of the class, or else one on the path.

        If the class itself was `said` and a member is requested, a row on how often members cross-react does not apply.
        """
        own = self._knowledge.crossing_rows(path[-1].end) if self._crossing else ()
        loops = [link for _, link in own if link.start == link.end and (link.tier == "A" or not said)]
        return min(loops or [link for link in path if link.tier] or [NO_LINK], key=lambda link: _TIERS[link.tier])

    def _crossings(self, recorded: Closure, requested: Closure) -> Iterator[Crossing]:
        """All cross-reactivity rows between the two closures, read from the recorded to the requested thing."""
        for uid, below in recorded.items():
            for end, row in self._knowledge.crossing_rows(uid):
                if end in requested:
                    yield Crossing(below=below, above=requested[end], row=row)

    def _carried_over(self, recorded: Entity, named: RequestConcept, crossing: Crossing) -> Match:
        requested, row = named.name, crossing.row
        above = self._path_in_words(crossing.above) if crossing.above else self._concept_name(named.uid, requested)
        if row.start == row.end and (shared := _shared(crossing)):
            text = f"{self._concept_name(named.uid, requested)} shares {shared} with {self._name(recorded)}"
        elif row.start == row.end:
            text = f"{above}, as is {self._name(recorded)}"
        else:
            text = f"{above}: cross-reactivity with "
            below = [self._path_in_words(crossing.below, recorded)] if crossing.below else []
            text += "; ".join([self._concept_name(row.start), *below])
        return _class_match(requested, text, row, (*crossing.below, *crossing.above))

    def _by_name(self, recorded: Entity) -> tuple[Match, ...]:
        """A match by words alone, if the pack knows no connection."""
        names = (recorded.name, *(recorded.aliases if recorded.space != KNOWLEDGE_SPACE else ()))
        if any(map(self._says, names)):
            name = inert_name(recorded.name)
            return (Match(requested=name, level=MatchLevel.NAME_ONLY, text=f"{name} is named in the request"),)
        if recorded.uid in self._knowledge.concepts:
            return ()
        other = next(filter(None, (self._short(name) or self._initials(name) for name in names)), "")
        if not other:
            return ()
        text = f"{inert_name(recorded.name)} may be meant by {inert_name(other)}"
        return (Match(requested=inert_name(other), level=MatchLevel.NAME_ONLY, text=text, tier="B"),)

    def _short(self, name: str) -> str:
        """The name without its legal form ("Group plc") if the query says it so; empty if it does not."""
        words = name.split()
        while words and (words[-1].strip(".,").casefold() in self._forms or not words[-1].strip("&+")):
            words.pop()
        short = " ".join(words)
        return short if len(short) < len(name) and self._says(short) else ""

    def _initials(self, name: str) -> str:
        """The words of the query whose initials are the name ("IBM"), or that are the initials of the name."""
        first = _first_letters(name)
        # The last word may be the legal form: "Machines Corp".
        short = {first, first[:-1]} if len(first) > _FEWEST_INITIALS else {first}
        if written := next((item[0] for item in _INITIALS.finditer(self._written) if item[0] in short), ""):
            return written
        is_short = name.isalpha() and len(name) <= _MOST_INITIALS
        runs = (run[0] for run in _CAPITALISED_RUN.finditer(self._written)) if is_short else ()
        return next((run for run in runs if _first_letters(run).startswith(name.upper())), "")

    def _says(self, name: str) -> bool:
        """Whether the query contains the name as whole words, in the singular or with a plain plural."""
        # Scripts that do not part words (category Lo) are searched as they stand.
        if not name.isascii() and any(unicodedata.category(char) == "Lo" for char in name):
            return _folded(name) in self._text
        stem, forms = _looked_for(name)
        return stem in self._asked and any(form in self._asked for form in forms)

    def _path_in_words(self, path: Path, recorded: Entity | None = None) -> str:
        """`Co-codamol contains Codeine, an Opioid`: one phrase for each run of links of one relation; what the first is
        a kind of stands behind it where more follows, as in `Bactrim (Sulfamethoxazole-trimethoprim) is a Sulfonamide`.

        A `recorded` thing is named by its own words, because it is no concept.
        """
        joined = groupby(path, key=lambda link: _USUALLY if link.usual else link.relation)
        runs = [(relation, list(links)[-1].end) for relation, links in joined]
        (relation, end), *rest = runs
        start = path[0].start
        own = recorded is not None and recorded.is_said and recorded.uid == start
        named = f'"{inert_name(recorded.name)}"' if own and recorded is not None else self._concept_name(start)
        if relation == IS_A and rest and "(" not in (noun := self._noun(relation, end)) + named:
            named = f"{named} ({noun})"
            (relation, end), *rest = rest
        first = f"{named} {_verbs(relation)[0]} {self._noun(relation, end)}"
        return ", ".join([first, *(_verbs(relation)[1] + self._noun(relation, end) for relation, end in rest)])

    def _noun(self, relation: str, uid: str) -> str:
        name = self._concept_name(uid)
        return with_article(name) if relation == MEMBER_OF else name

    def _name(self, entity: Entity) -> str:
        return inert_name(self._knowledge.name_of(entity.uid, entity.name))

    def _concept_name(self, uid: str, name: str = "") -> str:
        """The name of a concept as shown, with the request's own word in brackets."""
        shown = inert_name(self._knowledge.name_of(uid, name))
        return f"{shown} ({self._surfaces[uid]})" if uid in self._surfaces else shown


def steps_of(expand: Mapping[str, int]) -> Steps:
    """The steps of a closure: cross-reactions are never chained, but looked up between two closures, one at most."""
    return tuple(sorted((name, steps) for name, steps in expand.items() if name != CROSS_REACTS_WITH))


def may_say(words: str, name: str) -> bool:
    """Whether words may hold the name of a thing of the pack, as `Matcher` looks for it."""
    return not name.isascii() or _looked_for(name)[0] in _words(words)


_ASK_IF_MEANT = "ask whether it is meant"
_USUALLY = "usually"
"""Shown in place of the relation if a product only usually contains a thing."""
_VERBS: Mapping[str, tuple[str, str]] = {
    IS_A: ("is a kind of", "a kind of "),
    MEMBER_OF: ("is", ""),
    HAS_INGREDIENT: ("contains", "with "),
    _USUALLY: ("usually holds", "which usually holds "),
}


def strength(match: Match) -> tuple[int, bool, int, str]:
    """Sort key of matches, strongest first; at the same level, named things come before implied ones."""
    return LEVELS[match.level], match.implied, _TIERS[match.tier], match.requested


def _says_no_more(words: str, thing: Entity) -> bool:
    """Whether the words are made of the names of a thing, and of small words between them."""
    names = {thing.id, *map(str.casefold, thing.aliases)}
    if words.casefold() in names:
        return True
    known = {word for name in names for word in name.split()}
    return all(word in known or word in _SMALL_WORDS for word in _folded(words).split())


def _which(match: Match, recorded: str) -> Match:
    """The match of a requested class with a recorded member of it: the action is to ask which is meant."""
    action = f"ask which, not {recorded}"
    if not match.tier:
        return replace(match, action=action)
    return replace(match, tier="B", rate="", condition="", action=action, source="")


def _weighed(match: Match, instead: str) -> Match:
    """The match of a fact of intolerance, with the text for it instead of a stop: class stops apply to allergies."""
    if match.level is not MatchLevel.CLASS or match.tier != "A":
        return match
    return replace(match, tier="B", rate="", condition="", action=instead)


def _specificity(crossing: Crossing) -> tuple[bool, int, int]:
    """Sort key: a common feature before common classes, then the shorter path, then the tier."""
    return not _shared(crossing), len(crossing.below) + len(crossing.above), _TIERS[crossing.row.tier]


def _shared(crossing: Crossing) -> str:
    """The feature that both ends share through the same group, such as a side chain; empty for an ordinary class."""
    if crossing.row.start != crossing.row.end or not (crossing.below and crossing.above):
        return ""
    return inert_name(crossing.above[-1].shares) if crossing.above[-1].shares else ""


def _ingredient_match(requested: str, text: str, path: Path) -> Match:
    """The match of an ingredient of a product, with the row that grades it if there is one."""
    graded = min(path, key=lambda link: (not link.tier, _TIERS[link.tier]))
    return Match(
        requested=requested,
        level=MatchLevel.INGREDIENT,
        text=text,
        tier=graded.tier,
        condition=graded.condition,
        action=graded.action,
        source=graded.source if graded.tier else "",
        reviewed=all(link.reviewed for link in path),
    )


def _class_match(requested: str, text: str, link: Link, path: Path) -> Match:
    return Match(
        requested=requested,
        level=MatchLevel.CLASS,
        text=text,
        tier=link.tier,
        rate=link.rate,
        condition=link.condition,
        action=link.action,
        source=link.source,
        reviewed=link.reviewed and all(step.reviewed for step in path),
    )


def with_article(name: str) -> str:
    """The name after "a" or "an", as it is spoken; of many, "one of the".

    >>> with_article("Antibiotic"), with_article("Penicillin"), with_article("NSAID"), with_article("Uricosuric")
    ('an Antibiotic', 'a Penicillin', 'an NSAID', 'a Uricosuric')
    >>> with_article("Casinos"), with_article("Equities"), with_article("Citrus")
    ('one of the Casinos', 'one of the Equities', 'a Citrus')
    """
    if _PLURAL.search(name):
        return f"one of the {name}"
    return f"{'an' if _starts_with_a_vowel_sound(name) else 'a'} {name}"


def _starts_with_a_vowel_sound(name: str) -> bool:
    if _ACRONYM.match(name):
        return name[0] in _SPELT_WITH_A_VOWEL_SOUND
    if name[:1].casefold() in {"a", "e", "i", "o", "u"}:
        return not _A_DESPITE_VOWEL.match(name)
    return bool(_AN_DESPITE_CONSONANT.match(name))


def _only(path: Path, *relations: str) -> bool:
    return all(link.relation in relations for link in path)


def _is_held(path: Path) -> bool:
    """Whether the path leads to the thing itself or to its contents: two kinds of a thing need not be alike."""
    return _only(path, IS_A, HAS_INGREDIENT) and (not path or path[-1].relation == HAS_INGREDIENT)


def _verbs(relation: str) -> tuple[str, str]:
    """The words that join two concepts: for the first pair, and for each further concept."""
    said = relation.lower().replace("_", " ")
    return _VERBS.get(relation, (said, f"{said} "))


def _first_letters(name: str) -> str:
    words = (word for word in _LETTER_WORD.findall(name) if word.casefold() not in _SMALL_WORDS)
    return "".join(word[0].upper() for word in words)


def _folded(text: str) -> str:
    return (text if text.isascii() else unicodedata.normalize("NFKC", text)).casefold()


def _words(text: str) -> str:
    return f" {' '.join(_BETWEEN_WORDS.sub(' ', _folded(text)).split())} "


@lru_cache(maxsize=4096)
def _looked_for(name: str) -> tuple[str, tuple[str, ...]]:
    """What each form of a name begins with, and its forms as whole words; no form for a name without words."""
    words = _words(name).strip()
    return words.removesuffix("s"), tuple(f" {form} " for form in _forms(words)) if words else ()


def _forms(words: str) -> tuple[str, ...]:
    """The words in the singular and with a plain plural."""
    return words, f"{words}s", f"{words}es", words.removesuffix("s")
