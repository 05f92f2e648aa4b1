"""Statements that wait unread, beside a request: those that bear on it, those that may hold a critical risk, the
others.

Pure. The first two kinds are shown in their own words; the others are only counted, so that a diary does not fill every
block. Words are analysed once: a statement never changes.
"""

import re
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from threading import Lock

from r_memory.domain.blocks import Match, MatchLevel, Recall, RuleLine, Unread, UnreadGroups
from r_memory.domain.events import Episode
from r_memory.domain.facts import Entity, Fact, Status, concept
from r_memory.domain.schema import Schema
from r_memory.facts.recall.likely import Likely
from r_memory.facts.recall.matching import Matcher, strength
from r_memory.protocols import Naming
from r_memory.reading.binding import Binding
from r_memory.reading.language import either, listed
from r_memory.reading.reader import Reader
from r_memory.text.inert import QUOTE_LIMIT, inert, inert_name

_WORD = re.compile(r"[^\W\d_][\w-]{4,}")
_NAME = re.compile(r"(?<=[\w,;:(] )[^\W\d_][\w-]{2,}")
_LETTERS = re.compile(r"[^\W\d_]+")
_MOST_WORDS = 400
"""Maximum number of different words of a statement that are compared with misspellings; exact terms are
always found.
"""
_MOST_KNOWN = 50_000
"""Maximum number of statements whose analysis is kept."""
_MOST_KEPT = 200
"""Maximum number of subjects whose statements are kept indexed."""
_ALWAYS = 50
"""Number of statements that a request always analyses, whatever their length."""
_AT_ONCE = 8_000
"""Characters of further statements per request, about 0.2 s: a diary of years must not delay a request
after a start.
"""
_SHORTEST = 4
"""Minimum letters of a request's word that is searched in statements that were not analysed."""
_MOST_LOUD = 5
"""Maximum number of statements shown that name a thing of the request and are not known to hold a risk."""

_MOST_ALONE = 3
"""Maximum number of statements shown that hold no risk, where nothing else is known of the subject."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Analysis:
    """What one statement names, and whether it may hold a critical risk."""

    named: tuple[Entity, ...]
    """Named concepts, misspelt ones included, whatever the statement says about them."""
    risk: int | None
    """Position of a word for a critical risk; 0 if there is no such word and the statement may still hold a risk."""
    words: tuple[str, ...]
    """Its sentences in normalised form."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """The relation of waiting statements to one request."""

    bearing: Mapping[str, tuple[Match, ...]]
    """Matches by id, strongest first, of each statement that names, or may mean, a thing of the request."""
    urgent: Mapping[str, int] | None
    """Position of the risk by id, for each statement that may hold a critical one; `None`: all statements may."""
    groups: UnreadGroups
    uncompared: int = 0
    """Number of statements that were not analysed; later requests analyse them."""
    rules: tuple[RuleLine, ...] = ()
    """Rules that the request would meet if the words were read."""


NOTHING_WAITS = Comparison(bearing={}, urgent={}, groups=UnreadGroups(shown=(), plain={}, others=0))


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A request, as statements are compared with it."""

    query: str
    matcher: Matcher
    naming: Naming
    meets: Callable[[Sequence[Fact]], Iterable[RuleLine]]
    """The rules that the request would meet beside these possible facts."""


class _Prepared:
    """Waiting statements of one subject, indexed: a request then touches those only that it bears on."""

    def __init__(
        self, episodes: Sequence[Episode], analyses: Mapping[str, Analysis], urgent: Mapping[str, int]
    ) -> None:
        self.episodes = episodes
        self.urgent = urgent
        self.uncompared = len(episodes) - len(analyses)
        self.things: dict[str, tuple[Entity, list[int]]] = {}
        """Each named thing with the places of the statements that name it, by its key."""
        self.likely: tuple[Fact, ...] = ()
        """What the newest statement that names a thing may say of it."""
        self.written: dict[str, list[int]] = defaultdict(list)
        """Places by a word that is written as a name."""
        self._grouped: dict[tuple[str, ...], list[Episode]] = {}
        self._words: list[tuple[str, ...]] = []
        for place, episode in enumerate(episodes):
            analysis = analyses.get(episode.id)
            for thing in analysis.named if analysis is not None else ():
                self.things.setdefault(thing.uid, (thing, []))[1].append(place)
            for name in _written_as_names(episode.text):
                self.written[name].append(place)
            words = _words_of(episode) if analysis is None else analysis.words
            self._words.append(words)
            self._grouped.setdefault(words, []).append(episode)
        self._text = "\n".join(episode.text.casefold().replace("\n", " ") for episode in episodes)
        self._alone = _divided(self._grouped, {}, urgent)

    def holding(self, name: str) -> Iterator[int]:
        """Places of the statements whose words hold the name, which is casefolded."""
        start = self._text.find(name)
        while start >= 0:
            yield self._text.count("\n", 0, start)
            end = self._text.find("\n", start)
            start = self._text.find(name, end) if end >= 0 else -1

    def places_of(self, rule: RuleLine) -> Iterator[int]:
        """The places of the statements that the possible facts of a rule are made of."""
        made_of = {fact.episode_id for fact in rule.facts if fact in self.likely}
        return (place for place, episode in enumerate(self.episodes) if episode.id in made_of)

    def groups(self, bearing: Mapping[int, tuple[Match, ...]]) -> UnreadGroups:
        """The statements in groups; `bearing` gives the matches of those that bear on the request."""
        if not bearing:
            return self._alone
        near = {words: self._grouped[words] for words in dict.fromkeys(self._words[place] for place in bearing)}
        of_ids = {self.episodes[place].id: matches for place, matches in bearing.items()}
        shown = tuple(item for item in self._alone.shown if item[0] not in near)
        plain = {words: times for words, times in self._alone.plain.items() if words not in near}
        others = self._alone.others - sum(self._alone.plain.get(words, 0) for words in near)
        return UnreadGroups(shown=(*shown, *_divided(near, of_ids, self.urgent).shown), plain=plain, others=others)


def _written_as_names(text: str) -> frozenset[str]:
    """Words with a capital inside a sentence, as names have: "Next" in "we act against Next"."""
    return frozenset(word for word in _NAME.findall(text) if word[0].isupper())


class WaitingStatements:
    """Analyses waiting statements under one domain, and caches the analysis."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._schema = reader.schema
        self._risks, self._alone = risk_words(reader.schema)
        self._telling = phrases_of_terms(reader.schema.review_tells)
        self._binding = Binding(reader.schema.language)
        self._likely = Likely(reader=reader)
        back = either(listed(reader.schema.language, "waiting", "pointing_back"))
        self._pointing_back = re.compile(rf"\d|(?<!\w)(?:{back})(?!\w)", re.IGNORECASE)
        self._known: OrderedDict[tuple[object, ...], Analysis] = OrderedDict()
        self._kept: OrderedDict[tuple[object, ...], _Prepared] = OrderedDict()
        self._lock = Lock()

    def compared(self, episodes: Sequence[Episode], asked: Asked) -> Comparison:
        """Which statements bear on the request, and which may hold a critical risk.

        Misspelt words are compared with the types that the request names and with watched types. If statements were not
        analysed yet, as after a start, each request analyses a few: those that share a word with it come first.
        """
        query, matcher, naming = asked.query, asked.matcher, asked.naming
        types = tuple(sorted({mention.type for mention in naming.mentions} | {*self._schema.review_types}))
        prepared = self._prepared(episodes, types, query, naming)
        rare = (word for word in naming.strange if len(word) > _SHORTEST)
        strange = [(name.casefold(), inert_name(name)) for name in dict.fromkeys((*naming.unrecognised, *rare))]
        written = _written_as_names(query)
        found: dict[int, list[Match]] = defaultdict(list)
        for thing, places in prepared.things.values() if naming.mentions or strange or written else ():
            if matches := matcher.of(thing, carries=True):
                for place in places:
                    found[place] += matches
        for name, shown in strange:
            for place in prepared.holding(name):
                found[place].append(_same_name(shown))
        for name in sorted(written & prepared.written.keys()):
            for place in prepared.written[name]:
                found[place].append(_same_name(inert_name(name)))
        rules = tuple(asked.meets(prepared.likely)) if prepared.likely else ()
        for rule, place in ((each, place) for each in rules for place in prepared.places_of(each)):
            found[place].append(_by_rule(rule))
        bearing = {place: _strongest(matches) for place, matches in found.items()}
        return Comparison(
            bearing={episodes[place].id: matches for place, matches in bearing.items()},
            urgent=prepared.urgent,
            uncompared=prepared.uncompared,
            groups=prepared.groups(bearing),
            rules=rules,
        )

    def _prepared(self, episodes: Sequence[Episode], types: tuple[str, ...], query: str, naming: Naming) -> "_Prepared":
        """What does not depend on the request: kept while the store gives the same statements."""
        key = (episodes[0].subject_uid, types)
        with self._lock:
            kept = self._kept.get(key)
        if kept is not None and kept.episodes is episodes and not kept.uncompared:
            return kept
        analyses = self._analyses(episodes, types, _asked_words(query, naming))
        risks: dict[str, int] = {}
        for episode in episodes:
            analysis = analyses.get(episode.id)
            risk = self._risk(episode, None) if analysis is None else analysis.risk
            if risk is not None:
                risks[episode.id] = risk
        made = _Prepared(episodes, analyses, risks)
        made.likely = tuple(self._likely_of(made, types))
        with self._lock:
            self._kept[key] = made
            self._kept.move_to_end(key)
            while len(self._kept) > _MOST_KEPT:
                self._kept.popitem(last=False)
        return made

    def _likely_of(self, prepared: "_Prepared", types: tuple[str, ...]) -> Iterator[Fact]:
        for thing, places in prepared.things.values():
            spoken = (prepared.episodes[place] for place in places)
            told = [episode for episode in spoken if self._may_tell_of(thing, episode, types)]
            if not told:
                continue
            newest = max(told, key=lambda episode: episode.said_at)
            risky = newest.id in prepared.urgent
            yield from self._likely.facts(words_of(newest), newest, [thing], risky=risky)

    def _may_tell_of(self, thing: Entity, episode: Episode, types: tuple[str, ...]) -> bool:
        """Whether the waiting words of a statement that names the thing name it themselves, or may point back to it."""
        if not episode.review or self._pointing_back.search(words_of(episode)) is not None:
            return True
        return any(each.uid == thing.uid for each in self._named(words_of(episode), types))

    def may_hold_a_risk(self, episode: Episode) -> bool:
        """Whether a statement names a watched thing, or may hold a critical risk in other words."""
        named = tuple(self._named(episode.text, self._schema.review_types))
        return any(item.type in self._schema.review_types for item in named) or self._risk(episode, named) is not None

    def _analyses(
        self, episodes: Sequence[Episode], types: tuple[str, ...], asked: re.Pattern[str] | None
    ) -> Mapping[str, Analysis]:
        """The analyses of the statements, by id: all cached ones, and as many others as one request may compute."""
        found: dict[str, Analysis] = {}
        new: list[tuple[tuple[object, ...], Episode]] = []
        with self._lock:
            for episode in episodes:
                # By what decides: the words of an id never change, what of them waits does.
                key = (episode.id, episode.review, episode.disputed, types)
                if (known := self._known.get(key)) is None:
                    new.append((key, episode))
                else:
                    self._known.move_to_end(key)
                    found[episode.id] = known
        if len(new) > _ALWAYS:
            near = [asked is not None and asked.search(episode.text) is not None for _, episode in new]
            risky = [self._risks is None or self._risks.search(words_of(episode)) is not None for _, episode in new]
            order = sorted(range(len(new)), key=lambda at: (not near[at], not risky[at], -new[at][1].said_at))
            new = [new[at] for at in order]
        spent = 0
        for place, (new_key, episode) in enumerate(new):
            spent += len(episode.text)
            if place >= _ALWAYS and spent > _AT_ONCE:
                break
            named = tuple(self._named(episode.text, types))
            risk = self._risk(episode, named)
            found[episode.id] = analysis = Analysis(named=named, risk=risk, words=_words_of(episode))
            with self._lock:
                self._known[new_key] = analysis
                while len(self._known) > _MOST_KNOWN:
                    self._known.popitem(last=False)
        return found

    def _named(self, text: str, types: Sequence[str]) -> Iterable[Entity]:
        words = list(dict.fromkeys(_WORD.findall(text)))[:_MOST_WORDS]
        near = (mention for word in words for mention in self._reader.linker.resolve(word, types))
        named = (concept(mention.type, mention.name) for mention in (*self._reader.named(text).mentions, *near))
        entities = (*named, *(thing for thing, told in self._telling if told.search(text)))
        return {entity.uid: entity for entity in entities}.values()

    def _risk(self, episode: Episode, named: Iterable[Entity] | None) -> int | None:
        """Position of a word for a critical risk, of a watched or an unnamed thing; `None` if there is none.

        `named` is `None` if it is unknown. A statement may always hold a risk if it was not read, was read in two ways
        or by the local reader only, is in an unknown language, or asks for a change.
        """
        waiting = words_of(episode)
        alone = self._alone.search(waiting) if self._alone is not None else None
        beside = self._risks.search(waiting) if self._risks is not None else None
        if alone is not None:
            return alone.start()
        if (binding := self._binding.at(waiting)) is not None:
            return binding
        if beside is not None and (named is None or any(entity.type in self._schema.review_types for entity in named)):
            return beside.start()
        unread = self._risks is None or not episode.review or bool(episode.disputed) or episode.role == "system"
        return 0 if unread or self._is_foreign(episode, named) else None

    def _is_foreign(self, episode: Episode, named: Iterable[Entity] | None) -> bool:
        """Whether a part of the waiting words is in another language than the schema's."""
        own = self._schema.language.code
        if episode.language not in {"", own}:
            return True
        # One sentence that was read as a whole is in the language that it was read in.
        is_read = episode.language == own and episode.review == (episode.text.strip(),)
        return not (is_read or named is None) and bool(self._reader.languages(words_of(episode)))


def grouped(
    pending: Sequence[Episode], bearing: Mapping[str, tuple[Match, ...]], urgent: Mapping[str, int] | None
) -> UnreadGroups:
    """The statements in groups; equal words are joined, and shown as last said."""
    groups: dict[tuple[str, ...], list[Episode]] = {}
    for episode in pending:
        groups.setdefault(_words_of(episode), []).append(episode)
    return _divided(groups, bearing, urgent)


def _divided(
    groups: Mapping[tuple[str, ...], Sequence[Episode]],
    bearing: Mapping[str, tuple[Match, ...]],
    urgent: Mapping[str, int] | None,
) -> UnreadGroups:
    """Groups of statements with equal words, divided into those to show and the others."""
    shown: list[tuple[tuple[str, ...], Unread]] = []
    plain: dict[tuple[str, ...], int] = {}
    for words, episodes in groups.items():
        matches = next(filter(None, (bearing.get(episode.id) for episode in episodes)), ()) if bearing else ()
        is_urgent = urgent is None or any(episode.id in urgent for episode in episodes)
        if matches or is_urgent:
            newest = max(episodes, key=lambda episode: episode.said_at)
            shown.append((words, Unread(episode=newest, matches=matches, times=len(episodes), urgent=is_urgent)))
        else:
            plain[words] = len(episodes)
    return UnreadGroups(shown=tuple(shown), plain=plain, others=sum(plain.values()))


def unread_of(recall: Recall) -> tuple[tuple[Unread, ...], int, int]:
    """The statements to show, those that bear on the request first; two numbers of further statements.

    The numbers are of those that bear on the request and of those that do not. Words that a line quotes are not
    repeated unless they name a thing of the request that the line does not; a request to take a fact out stands under
    its line. If nothing else is known of the subject,
    the newest of the others are shown as well: a number alone would say that there is nothing to mind.
    """
    groups = recall.groups or grouped(recall.pending, recall.bearing, recall.urgent)
    quoted = _quoted(recall)
    near: list[Unread] = []
    urgent: list[Unread] = []
    told = {change.episode.id for line in recall.lines for change in line.awaited if change.is_told}
    for words, shown in groups.shown:
        if shown.episode.id in told:
            continue
        exact = bool(shown.episode.disputed)
        lines = [_told(part, quoted, exact=exact) for part in words]
        if None not in lines and (any(lines) or not shown.matches):
            continue
        (near if shown.matches else urgent).append(shown)
    quotes = "\n".join(quoted)
    plain = (times for words, times in groups.plain.items() if len(words) == 1 and words[0] in quotes)
    others = groups.others - (sum(plain) if quotes else 0)
    near.sort(key=lambda one: (not one.urgent, strength(one.matches[0]), -one.episode.said_at, one.episode.id))
    loud = [unread for unread in near if unread.urgent]
    calm = near[len(loud) :]
    if not (recall.lines or recall.unshown or recall.is_quiet):
        alone = _newest_of(recall.pending, groups.plain)
        urgent += alone
        others -= sum(unread.times for unread in alone)
    urgent.sort(key=lambda one: (-one.episode.said_at, one.episode.id))
    return (*loud, *calm[:_MOST_LOUD], *urgent), sum(unread.times for unread in calm[_MOST_LOUD:]), others


def is_on_record(episode: Episode, recall: Recall) -> bool:
    """Whether one sentence waits because it was read in two ways, and every risk read in it is recorded as active."""
    active = {
        f"{line.fact.relation} {line.fact.object.id}"
        for line in recall.lines
        if line.rank == "critical" and line.fact.status is Status.ACTIVE
    }
    return len(episode.review) == 1 and bool(episode.disputed) and active.issuperset(episode.disputed)


def plain_statements(recall: Recall) -> Iterator[Episode]:
    """The statements that are only counted: they name nothing of the request and no word for a critical risk."""
    groups = recall.groups or grouped(recall.pending, recall.bearing, recall.urgent)
    return (episode for episode in recall.pending if _words_of(episode) in groups.plain)


def _newest_of(pending: Sequence[Episode], plain: Mapping[tuple[str, ...], int]) -> list[Unread]:
    """The newest of the statements that are only counted, as last said."""
    newest: dict[tuple[str, ...], Episode] = {}
    for episode in sorted(pending, key=lambda episode: (-episode.said_at, episode.id)):
        words = _words_of(episode)
        if words in plain:
            newest.setdefault(words, episode)
        if len(newest) == _MOST_ALONE:
            break
    return [Unread(episode=episode, times=plain[words]) for words, episode in newest.items()]


def _told(words: str, quoted: Mapping[str, bool], *, exact: bool = False) -> bool | None:
    """Whether the lines that quote these words, in full or within more, bear on the request; `None` if no line does."""
    within = (quoted[quote] for quote in quoted if words == quote or (not exact and words in quote))
    return max(within, default=None)


def _quoted(recall: Recall) -> Mapping[str, bool]:
    """By words that lines quote in full: whether a line that quotes them bears on the request."""
    quoted: dict[str, bool] = {}
    for line in () if recall.is_short or recall.is_quiet else recall.lines:
        if line.stands_alone and not line.replaced_by and len(line.fact.evidence) <= QUOTE_LIMIT:
            words = _same(line.fact.evidence)
            quoted[words] = quoted.get(words, False) or recall.bears(line)
    return quoted


def words_of(episode: Episode) -> str:
    """The words of a statement that wait."""
    return " ".join(episode.review) or episode.text


def _words_of(episode: Episode) -> tuple[str, ...]:
    """The sentences of a statement in normalised form; those with the same are one for whoever reads them."""
    return tuple(map(_same, episode.review or (episode.text,)))


def _same_name(shown: str) -> Match:
    return Match(requested=shown, level=MatchLevel.NAME_ONLY, text=shown)


def _by_rule(rule: RuleLine) -> Match:
    """How a statement bears on the request by a rule that it would meet."""
    requested = next(iter(rule.requested), rule.text)
    return Match(requested=requested, level=MatchLevel.CLASS, text=rule.text)


def _strongest(matches: Iterable[Match]) -> tuple[Match, ...]:
    """The strongest match of each requested thing, strongest first."""
    strongest: dict[str, Match] = {}
    for match in sorted(matches, key=strength):
        strongest.setdefault(match.requested, match)
    return tuple(strongest.values())


def _same(words: str) -> str:
    return inert(words, len(words)).casefold().rstrip(". ")


def _asked_words(query: str, naming: Naming) -> re.Pattern[str] | None:
    """A pattern for the names and longer words of a request, to find statements that may name them."""
    names = {name for mention in naming.mentions for name in (mention.name, mention.surface)}
    words = {word for word in _LETTERS.findall(query[:_AT_ONCE]) if len(word) >= _SHORTEST}
    stems = (re.escape(text[: max(len(text) - 1, _SHORTEST)]) for text in sorted(names | words) if text)
    joined = "|".join(stems)
    return re.compile(rf"(?<!\w)(?:{joined})", re.IGNORECASE) if joined else None


def risk_words(schema: Schema) -> tuple[re.Pattern[str] | None, re.Pattern[str] | None]:
    """Patterns of words for a risk: beside a name, and by themselves; `None` if there are none."""
    section = schema.language.sections.get("risk_words")
    texts = [*(map(str, section) if isinstance(section, list) else ()), *schema.review_words]
    stems = () if schema.comention is None else schema.comention.stems
    alone = (*(f"{stem}-" for stem in stems), *schema.review_alone)
    return any_of([*texts, *(f"{stem}-" for stem in stems)]), any_of(alone)


def phrases_of_terms(of: Mapping[str, tuple[str, str]]) -> Sequence[tuple[Entity, re.Pattern[str]]]:
    """Things, each with a pattern for its phrases; `of` gives type and name by phrase."""
    phrases: dict[tuple[str, str], list[str]] = defaultdict(list)
    for phrase, term in of.items():
        phrases[term].append(phrase)
    found = ((concept(*term), any_of(told)) for term, told in phrases.items())
    return [(thing, pattern) for thing, pattern in found if pattern is not None]


def any_of(texts: Sequence[str]) -> re.Pattern[str] | None:
    """A pattern for the texts as whole words; a text that ends in `-` matches as a prefix. `None` for no texts."""
    if not texts:
        return None
    parts = (re.escape(text.removesuffix("-")) + ("" if text.endswith("-") else r"(?!\w)") for text in texts)
    return re.compile(rf"(?<!\w)(?:{'|'.join(parts)})", re.IGNORECASE)
