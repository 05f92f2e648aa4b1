"""Renders the block `[R-MEMORY CONTEXT]` (design, section 6): fixed lines, filled with inert words. Pure.

A character limit leaves out lines below the critical ones. If a result cannot hold all critical lines, the block is the
first page: it says that there are more, and how to read them.
"""

import json
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from r_memory.domain.blocks import (
    QUERY,
    SURE,
    Addressed,
    Line,
    Match,
    MatchLevel,
    Outcome,
    Recall,
    RuleLine,
    State,
    Unread,
)
from r_memory.domain.changes import (
    ACCEPTED_AT,
    MAPPED_TO,
    OVERRIDDEN_BECAUSE,
    OVERRIDDEN_BY,
    AwaitedChange,
    Change,
    requested,
)
from r_memory.domain.events import Episode
from r_memory.domain.facts import RISK, Entity, Fact, Flag, Route, Status
from r_memory.domain.folding import OVERRIDDEN_AT
from r_memory.domain.instants import UNDATED, day_shown, iso_day, iso_seconds
from r_memory.domain.withdrawn import WithdrawnWords
from r_memory.facts.recall.lines import measured_at
from r_memory.facts.recall.outcomes import in_words
from r_memory.facts.recall.waiting import is_on_record, unread_of, words_of
from r_memory.text.inert import QUOTE_LIMIT, clipped, inert, inert_name
from r_memory.text.markers import END, START

PENDING_LIMIT = 8_000
"""Characters shown of an unread statement in a list: the maximum length of an utterance."""
PAGE = 17_000
"""Characters of a block in a result, counted as JSON; further critical lines go to further pages."""
_ID_IN_RESULT = len('"7f3a2c1e",')
"""Characters of a fact's id beside the block."""
NO_PROOF = "Not proof of absence."
_STEM = 4
"""First letters by which a misspelt or inflected word is the same."""
_UNREAD = "NOT YET READ"
_SHORT_LIMIT = 160
"""Characters shown of an unread statement if there is little room."""
_BEFORE = 60
"""Characters shown before the word for a risk, in a statement that is too long to be shown completely."""
_MOST_WORDS = 240
"""Maximum characters of the recorded words that a finding shows."""
_BEFORE_NAME = 30
"""Characters shown before the name of the thing where long words are cut."""
_MOST_ACTIONS = 2
"""Maximum number of action types that are named; those with the highest scores come first."""
_MOST_NAMED = 12
_MOST_DAYS = 5
"""Maximum number of dates of people whom the request does not name."""
"""Maximum number of things or people named in one line."""
_MOST_TALL = 2
"""Maximum number of findings that are written on three lines each; if more bear on the request, each has two."""
_APART = "RECORDED, DOES NOT GO TOGETHER"
_MOST_STOPS, _MOST_CLASHES, _FEWEST_STOPS = 10, 5, 3
"""Lines of the standing check: maximum for stops, for other findings, and for stops if there is little room."""
_MOST_WHY = 120
"""Maximum characters of the reason why a person overrode a fact."""
_REQUESTED = "CHANGE REQUESTED, not made"
_SETTLING = " · stays until memory_change_fact is called and a person approves it"
_TAKEN_OUT = {Change.ENTERED_IN_ERROR: "removal", Change.RESOLVE: "is over", Change.REFUTE: "is disproved"}
"""Requested changes in words; the others by their names."""
_MOST_AWAITED, _SHORT_ID = 2, 8
"""Maximum number of awaited changes under a line, and characters of the id of a request."""
_MOST_NOTES, _MOST_BEGUN = 3, 32
_NUMBER, _MOST_TO_NUMBER = re.compile(r"\d[\w.,:/-]*(?: [A-Z]\w+)?"), 90
"""Maximum number of notes that are begun on the line of those left out, and of characters of each."""
_OF_CHANGES = frozenset({OVERRIDDEN_AT, OVERRIDDEN_BY, OVERRIDDEN_BECAUSE, MAPPED_TO, ACCEPTED_AT})
_FEW = 4
"""Number of edge types up to which each has a line of its own."""
_MOST_WORTH, _MOST_ACTION, _MOST_SOURCE, _LEAST_RATE = 100, 60, 30, 12
"""Maximum characters of what a match is worth, of its action, of its source, and the minimum for a rate."""
_BEHIND_NAME = re.compile(r", | \(|;| of the ")
_WORDS = re.compile(r"[^\W_]+")
_STEM = 5
"""Number of first letters that must be equal for a word of a quote to count as a word of the sentence before it."""
_PLAIN = frozenset(["i", "am", "m", "ve", "is", "a", "an", "the", "to", "have", "has", "had", "got", "of", "my"])
_PLAIN |= {"it", "me", "get", "gets", "gives", "gave", "makes", "made", "on", "from", "with", "take", "takes"}
"""Words with which somebody says of himself that something is so, and no more."""
_TIER_ACTIONS = {"A": "stop", "B": "weigh", "C": "disputed"}
_RISKS = SURE | {"rule"}
"""Groups of lines whose class matches are told with what to do."""
_ASK_FIRST = "ask first"
_NAMED = " is named in the request"
_RESULTS = frozenset({"value", "result"})
"""Attributes of what is measured again and again: the newest is told, of older ones their number."""
_EXPLAINED = re.compile(r"(\b[\w-]+) \([^()]+\)")
_HAVING = ("has taken ", "has ", "takes ")
_KIND = re.compile(r"([^:]+: )(.+)\.", re.DOTALL)
_ENDS_OF_CLAUSES = re.compile(r"[;,:](?= )| \(")


def render(recall: Recall, *, with_query: bool = True) -> str:
    """The block, followed by the unchanged query if `with_query`; it does not end with a newline."""
    checked = f"Checked: {' · '.join(outcomes(recall)) or 'nothing, as nothing was asked for'}"
    beside = (line for item in recall.beside for line in _beside(item))
    lines = [START, *head(recall), *findings(recall), checked, *beside, f"{NO_PROOF} {_receipt(recall)}", END]
    if with_query:
        lines += [QUERY, recall.query]
    return "\n".join(lines)


def _beside(recall: Recall) -> Iterator[str]:
    """The block of another person whom the request names, under that person's name."""
    yield from head(recall)
    yield from findings(recall)
    yield f"Checked: {' · '.join(outcomes(recall)) or 'nothing, as nothing was asked for'}"


def fitted(recall: Recall, max_chars: int | None, *, paged: bool = False) -> tuple[Recall, str]:
    """The recall with as many lines as fit, and its block; the last lines are left out first.

    `None` leaves out nothing. Critical and unconfirmed lines, rules that stop, statements that may hold a risk, and
    outcomes always stay. Only if `paged` and longer than a page, the words behind the facts are left out, then the last
    lines. A `paged` result also holds the id of each line, which counts.
    """

    def fits(shown: Recall, block: str) -> bool:
        beside = _ID_IN_RESULT * len(shown.lines) if paged else 0
        return (max_chars is None or len(block) + beside <= max_chars) and (not paged or is_page(block))

    if fits(recall, block := _block(recall)):
        return recall, block
    most = sum(line.rank not in SURE for line in recall.lines) + sum(not rule.stop for rule in recall.rules)
    # The first number of lines left out with which it fits; all of them where it never does.
    recall = _fewest(most, lambda count: _without(recall, count), fits)
    return _first_page(recall) if paged else (recall, _block(recall))


def is_page(block: str) -> bool:
    """Whether a result can hold the block beside its other fields."""
    return len(block) <= PAGE // 2 or len(json.dumps(block, ensure_ascii=False)) <= PAGE


def shortened(recall: Recall, max_chars: int) -> str:
    """The block of the fitted recall; if it is still too long, without the words behind the facts."""
    _, block = fitted(recall, max_chars)
    return block if len(block) <= max_chars else fitted(replace(recall, is_short=True), max_chars)[1]


def lines_within(block: str, room: int, more: str) -> str:
    """The whole lines of the block that fit into `room`, and the number left out, filled into `more`.

    A line that is too long is skipped; later lines may still fit.
    """
    lines, left = block.splitlines()[:-1], room - len(more) - len(END) - 10
    kept = []
    for line in lines:
        if len(line) < left:
            kept.append(line)
            left -= len(line) + 1
    return "\n".join([*kept, f"{len(lines) - len(kept)} {more}", END])


def _block(recall: Recall) -> str:
    return render(recall, with_query=False)


def _first_page(recall: Recall) -> tuple[Recall, str]:
    """The recall with as many critical lines as fit on a page, and its block."""
    if is_page(block := _block(recall)):
        return recall, block
    recall = replace(recall, is_short=True)
    most = len(unread_of(recall)[0]) + sum(line.rank in SURE for line in recall.lines)
    recall = _fewest(most, lambda count: cut(recall, count), lambda _, block: is_page(block))
    return recall, _block(recall)


def _fewest(most: int, without: Callable[[int], Recall], fits: Callable[[Recall, str], bool]) -> Recall:
    """The recall without the smallest number of lines, up to `most`, with which its block fits.

    If no block fits, all `most` lines are left out.
    """
    return without(bisect_left(range(most), 1, key=lambda count: int(fits(shown := without(count), _block(shown)))))


def cut(recall: Recall, count: int) -> Recall:
    """The recall without `count` critical entries, the last in the block first: statements, then facts."""
    unread = min(count, len(unread_of(recall)[0]))
    surely = [line for line in recall.lines if line.rank in SURE]
    ordered = sorted(surely, key=lambda line: not recall.bears(line))
    dropped = {line.fact.fact_id for line in ordered[len(ordered) - (count - unread) :]} if count > unread else set()
    lines = tuple(line for line in recall.lines if line.fact.fact_id not in dropped)
    return replace(recall, lines=lines, unshown=count - unread, unshown_unread=unread)


def _without(recall: Recall, count: int) -> Recall:
    """The recall without `count` optional lines, the least important first: past and other facts, then rules."""
    loose = sum(line.rank not in SURE for line in recall.lines)
    lines = recall.lines[: len(recall.lines) - min(count, loose)]
    rules = recall.rules[: len(recall.rules) - max(count - loose, 0)]
    return replace(recall, lines=lines, rules=rules, omitted=count)


def render_line(line: Line) -> str:
    """One finding that bears on the request: its sentence, the words behind it, and why it bears."""
    return "\n".join(
        [
            line.text,
            f"  {_provenance(line, quoted=_is_quoted(line, bears=True))}",
            *_contrary(line),
            *_awaited(line),
            *_bearing(line),
        ]
    )


def render_briefly(line: Line) -> str:
    """Another finding: its sentence, and on the same line the words behind it if they say more."""
    fact = line.fact
    told = f"{line.text} {_provenance(line, quoted=_is_quoted(line, bears=bool(line.matches)))}"
    if line.rank == "past" and fact.changed_at is not None:
        told = f"{line.text.removesuffix('.')}, {_decided(fact)}"
    elif line.rank == "past" and fact.is_absence:
        told = f"{line.text.removesuffix('.')} ({inert_name(fact.speaker)}, {day_shown(fact.said_at)})."
    return "\n".join([told, *_contrary(line), *_awaited(line), *_bearing(line)])


def _is_quoted(line: Line, *, bears: bool) -> bool:
    """Whether the words behind a finding are told: where they say more than its sentence, which of a critical one that
    bears on the request is any word of how it went; and of one that is in doubt always.
    """
    fact = line.fact
    if not (bears and line.rank in SURE):
        return _says_more(fact.evidence, line.text)
    doubted = fact.contradicted or line.contrary is not None or fact.changed_at is not None or fact.flags
    if doubted or fact.status is not Status.ACTIVE:
        return True
    return _says_more(fact.evidence, line.text.partition(" (")[0], closely=True)


def _says_more(words: str, sentence: str, *, closely: bool = False) -> bool:
    """Whether words hold anything that the sentence does not: `I am allergic to eggs.` beside `allergic to Egg` not.

    Read `closely`, a word that only begins alike is another: penicillamine is no penicillin.

    >>> _says_more("I am allergic to eggs.", "Ann is allergic to Egg."), _says_more("My son is.", "Ann is.")
    (False, True)
    """
    known = [word.casefold() for word in _WORDS.findall(sentence)]
    bare = {word.rstrip("s") for word in known}
    begun: set[str] = set() if closely else {word[:_STEM] for word in known if len(word) >= _STEM}
    said = map(str.casefold, _WORDS.findall(words))
    return any(word not in _PLAIN and word.rstrip("s") not in bare and word[:_STEM] not in begun for word in said)


def render_shortest(line: Line) -> str:
    """A finding without the words behind it: its sentence, its status, and why it bears on the request."""
    fact = line.fact
    details = [*(match.text for match in line.matches[:_MOST_NAMED]), _status(fact), *_doubt(fact), *_overridden(fact)]
    return "\n".join([f"{line.text} {' · '.join(details)}", *_awaited(line)])


def render_rule(rule: RuleLine, shown: Collection[str] = (), brief: Collection[str] = ()) -> str:
    """A domain rule: its sentence, its grade, what must be asked, and the facts that it rests on.

    Facts whose ids are in `shown` are already in the block, those in `brief` without the words behind them.
    """
    action = _rule_action(rule)
    tier = (f"tier {rule.tier}: {action}" if action else f"tier {rule.tier}") if rule.tier else ""
    # What is asked for is the condition, and what its sentence says is not said again.
    is_told = bool(rule.open) or rule.condition.casefold() in rule.text.casefold()
    condition = "" if is_told else f"if {inert(rule.condition)}"
    doubted = dict.fromkeys(inert_name(fact.object.name) for fact in rule.facts if _is_doubted(fact))
    disputed = f"{' and '.join(doubted)} DISPUTED: confirm" if doubted else ""
    grounds = [part for part in (disputed, tier, condition, _source(rule.source) if rule.stop else "") if part]
    asked = [_asked(need, rule.text, "" if action == _ASK_FIRST else "ask: ") for need in rule.open]
    quoted = (fact for fact in rule.facts if fact.fact_id in brief)
    told = [f"  {_words('said', fact.said_at, fact.speaker, fact.evidence)}" for fact in quoted]
    told += [f"  {_resting(fact, rule)}" for fact in rule.facts if fact.fact_id not in shown]
    details = " · ".join(("; ".join(grounds), *asked)) if grounds else " · ".join(asked)
    return "\n".join([f"{rule.text} {details}".rstrip(), *told])


def _is_doubted(fact: Fact) -> bool:
    """Whether a risk was denied since it was stated."""
    return fact.contradicted and fact.status in RISK


def _rule_action(rule: RuleLine) -> str:
    """What is to be done; without the word for a disputed rule where its sentence says that."""
    # An unknown circumstance is asked about before anything is stopped.
    usual = _ASK_FIRST if rule.open and rule.tier == "A" else _TIER_ACTIONS.get(rule.tier, "")
    action, disputed = inert(rule.action) or usual, _TIER_ACTIONS["C"]
    if disputed.upper() not in rule.text:
        return action
    return "" if action == disputed else action.removeprefix(f"{disputed}: ")


def _asked(need: str, sentence: str, verb: str) -> str:
    """What is to be asked and why, such as `ask: eGFR below 30: not recorded`; the reason alone where the sentence of
    the rule names what.
    """
    what, _, why = inert(need).removesuffix(": ask").partition(": ")
    return f"{verb}{why if why and what in sentence else f'{what}: {why}'.removesuffix(': ')}"


def called(somebody: Entity) -> str:
    """`John Doe (JD001)`."""
    return f"{inert_name(somebody.name)} ({inert_name(somebody.id)})"


def head(recall: Recall) -> Iterator[str]:
    """Lines on whose facts these are, what else the request names, and what could not be read or shown."""
    subject = recall.subject
    yield from addressed_lines(recall)
    yield from known_of_lines(recall)
    name = inert_name(subject.name)
    name = f"{inert_name(recall.now_called)}, before {name}" if recall.now_called else name
    named = f"Subject: {name} ({inert_name(subject.type)} {inert_name(subject.id)})"
    named += f', taken from the words "{inert(recall.addressed.taken_from)}".' if recall.addressed.taken_from else "."
    yield f"{named} Checked {iso_seconds(recall.checked_at)}.{action(recall)}"
    if recall.about:
        yield f"As the caller says, it involves: {', '.join(_some(map(inert_name, recall.about)))}."
    if recall.unavailable:
        yield f"SAFETY MEMORY UNAVAILABLE: {recall.unavailable}. {recall.ask}".rstrip()
    elif missing := [outcome.relation for outcome in recall.outcomes if outcome.state is State.COULD_NOT_CHECK]:
        names = ", ".join(map(inert_name, missing))
        yield f"SAFETY MEMORY INCOMPLETE: {names} could not be checked. {recall.ask}".rstrip()
    if not recall.is_whole:
        kinds = ((recall.unshown, "critical"), (recall.unshown_unread, "unread that may be critical"))
        more = " and ".join(f"{count} more {kind}" for count, kind in kinds if count)
        yield (
            f"FIRST PAGE ONLY: {more}. Before acting call memory_list_facts with subject "
            f"'{inert_name(recall.subject.id)}' and read every page."
        )


def known_of_lines(recall: Recall) -> Iterator[str]:
    """The line on people whom the request names and who are no subjects, but stand in the facts of those who are."""
    if recall.addressed.known_of:
        named, whose = " and ".join(_some(map(inert_name, recall.addressed.known_of))), inert_name(recall.subject.name)
        yield f"THIS REQUEST NAMES {named}, known here only as told below; these facts are {whose}'s."


def addressed_lines(recall: Recall) -> Iterator[str]:
    """Lines on further people whom the request names.

    They come first, because facts could be taken for another person's.
    """
    words, about = recall.addressed, recall.subject
    below = f"these facts are {inert_name(about.name)}'s"
    if words.instead_of is not None:
        yield f"A PERSON SAID that this is about {called(about)}, not about {called(words.instead_of)}; {below}."
    if words.others:
        named = ", ".join(_some(map(called, words.others)))
        ids = " or ".join(_some(f"'{inert_name(other.id)}'" for other in words.others))
        yield f"THIS REQUEST NAMES {named}; {below}. For theirs, ask with subject {ids}."
    if words.also_read:
        named = ", ".join(map(called, words.also_read))
        means = "SPEAKS OF SEVERAL PEOPLE; known here are" if words.means_all else "NAMES"
        yield f"THIS REQUEST {means} {named}: what is recorded of them stands below, under their own name."
    elif words.means_all:
        yield f"THIS REQUEST SPEAKS OF SEVERAL PEOPLE; {below}. Ask with the ids of all as subjects."
    if words.not_read:
        named = ", ".join(_some(map(called, words.not_read)))
        yield f"NOT READ, though this request may mean them: {named}. Ask with their ids as subjects."
    if words.strangers:
        named = " and ".join(_some(map(inert_name, words.strangers)))
        yield f"THIS REQUEST NAMES {named}, unknown here; {below}."
    if words.namesakes:
        ids = ", ".join(_some(inert_name(namesake.id) for namesake in words.namesakes))
        yield f"MORE THAN ONE is called {inert_name(about.name)}: also {ids}; {below[:-2]} ({inert_name(about.id)})."
    yield from other_days_lines(words)
    if recall.other_files:
        name, along = inert_name(about.name), ", ".join(map(inert_name, recall.other_files))
        yield f"ANOTHER'S FILE NAMES {name} ({along}): before acting, call memory_check_across with party '{name}'."


def other_days_lines(words: Addressed) -> Iterator[str]:
    """Lines on what people whom a request does not name have on its days: five, and the number of further ones."""
    for other in words.other_days[:_MOST_DAYS]:
        thing, person = inert_name(other.thing), other.person
        yield f"{called(person)} HAS A DATE THEN: {thing} ({other.day}); ask with subject '{inert_name(person.id)}'."
    if (more := len(words.other_days) - _MOST_DAYS) > 0:
        yield f"OTHERS HAVE {more} more dates then: ask with their ids as subjects."
    if words.days_unread:
        yield "NOT READ: whether others have a date then; ask with their ids as subjects."


def _some(names: Iterable[str]) -> list[str]:
    """As many names as one line holds, and the number of further ones."""
    every = list(names)
    more = len(every) - _MOST_NAMED
    return [*every[:_MOST_NAMED], *([f"{more} more"] if more > 0 else [])]


def action(recall: Recall) -> str:
    """What the request was taken for, to stand behind a sentence; of one whose action nothing recognises also the other
    language that it is in.
    """
    end = ", …" if len(recall.intents) > _MOST_ACTIONS else "."
    names = ", ".join(recall.intents[:_MOST_ACTIONS])
    if recall.recognised:
        return f" Action: {names or 'none'}{end}"
    codes = ", ".join(map(inert_name, recall.languages))
    language = f" (the request is in another language: {codes})" if codes else ""
    perhaps = f" Perhaps: {names}{end}" if names else ""
    return f" Action not recognised{language}: everything critical is shown.{perhaps}"


def _receipt(recall: Recall) -> str:
    """The id of the receipt, as shown."""
    return f"Receipt {recall.receipt_id}." if recall.receipt_id else "Receipt not recorded."


def findings(recall: Recall) -> Iterator[str]:
    """What bears on the request first, then whatever else is critical, then the rest; each quote once, and each name
    of a rule explained once, as in `Ibuprofen (NSAID)`.
    """
    told: set[str] = set()
    explained: set[str] = set()
    rules = tuple(rule.text for rule in recall.rules)
    quotes = {f': "{inert(fact.evidence)}"' for fact in _quotable(recall) if fact.evidence}
    waiting = {change.episode.id: change.episode for line in recall.lines for change in line.awaited}
    quotes |= {f': "{inert(words_of(episode), _MOST_WHY)}"' for episode in waiting.values()}
    for text in _findings(recall):
        held = {quote for quote in quotes if quote in text}
        if rules and text.startswith(rules):
            text = _without_explanations(text, explained)  # noqa: PLW2901 - the same finding, shorter
        explained |= {found[0] for found in _EXPLAINED.finditer(text)}
        yield _without_quotes(text, held & told)
        told |= held


def _without_explanations(text: str, explained: Collection[str]) -> str:
    """The finding without what names in its first line mean, where that was told."""
    first, *below = text.split("\n")
    first = _EXPLAINED.sub(lambda found: found[1] if found[0] in explained else found[0], first)
    return "\n".join([first, *below])


def _without_quotes(text: str, quotes: Iterable[str]) -> str:
    for quote in quotes:
        text = text.replace(quote, " in the words above")
    return text


def _quotable(recall: Recall) -> Iterator[Fact]:
    yield from (line.fact for line in recall.lines)
    yield from (fact for rule in recall.rules for fact in rule.facts)


def _findings(recall: Recall) -> Iterator[str]:
    older = _newest(recall.lines)
    folded = {line.fact.fact_id for line in recall.lines if _is_one_of_many(line)} - older.keys()
    shown = frozenset(line.fact.fact_id for line in recall.lines) - folded
    replaced = _replaced(recall)
    surely = [line for line in recall.lines if line.rank in SURE and line.fact.fact_id not in replaced]
    near = [line for line in surely if recall.bears(line)]
    tall = render_line if len(near) <= _MOST_TALL else render_briefly
    brief = render_shortest if recall.is_short or recall.is_quiet else render_briefly
    unread, bearing_too, others = unread_of(recall)
    unread = unread[: len(unread) - recall.unshown_unread]
    for line in near:
        yield (brief if recall.is_short else tall)(line)
        yield from _before(line, recall)
        yield from _kin(line, recall)
    yield from (unread_line(item, recall) for item in unread if item.matches)
    alone, apart = _beside_critical(recall, near, folded)
    told = {
        line.fact.fact_id: [_with_older(brief(line), older.get(line.fact.fact_id, "")), *_before(line, recall)]
        for line in alone
    }
    yield from _stops(recall, shown, told)
    for line in (line for line in surely if not recall.bears(line)):
        yield brief(line)
        yield from _before(line, recall)
    yield from unrecognised_lines(recall)
    yield from _clashes(recall)
    yield from (text for lines in told.values() for text in lines)
    if not recall.is_quiet:
        yield from (render_rule(rule, shown) for rule in recall.rules if not rule.stop)
        yield from _grouped(apart, recall, older)
        yield from _notes_beside(recall)
    if recall.omitted:
        yield f"{recall.omitted} more: call memory_list_facts"
    yield from (unread_line(item, recall) for item in unread if not item.matches)
    if any(len(words_of(item.episode)) > _limit(recall) for item in unread):
        yield "What is cut at … is whole where you call memory_list_facts."
    if not recall.is_quiet:
        yield from _counted(recall, bearing_too, others)


def _beside_critical(
    recall: Recall, near: Sequence[Line], folded: Collection[str]
) -> tuple[Sequence[Line], Sequence[Line]]:
    """The lines beside the critical ones: those with a line of their own, and those that are grouped by kind.

    There are none where the words ask for nothing.
    """
    if recall.is_quiet:
        return (), ()
    told = {line.contrary.evidence for line in recall.lines if line.contrary is not None}
    kin = {fact_id for line in near for fact_id in recall.kin.get(line.fact.fact_id, ())}
    ruled = {fact.fact_id for rule in recall.rules for fact in rule.facts if _names(rule, fact)}
    rest = [
        line
        for line in recall.lines
        if line.rank not in SURE
        and line.fact.fact_id not in kin
        and line.fact.fact_id not in folded
        and not _is_told(line, told)
        and (line.stands_alone or line.fact.fact_id not in ruled)
    ]
    followed = {line.replaced_by for line in rest} & {line.fact.fact_id for line in rest}
    own = [line.stands_alone or line.fact.fact_id in followed for line in rest]
    alone = [line for line, is_alone in zip(rest, own, strict=True) if is_alone and line.replaced_by not in followed]
    return alone, [line for line, is_alone in zip(rest, own, strict=True) if not is_alone]


def _stops(recall: Recall, shown: Collection[str], told: dict[str, list[str]]) -> Iterator[str]:
    """The rules that stop something, each behind the lines of the facts that it rests on, which it takes out of `told`;
    the first that rests on a fact without words in the block shows the words.
    """
    brief = {line.fact.fact_id for line in recall.lines if not (line.stands_alone or recall.is_short)}
    for rule in recall.rules:
        if rule.stop:
            for fact in rule.facts:
                yield from told.pop(fact.fact_id, ())
            yield render_rule(rule, shown, brief)
            brief -= {fact.fact_id for fact in rule.facts}


def _replaced(recall: Recall) -> frozenset[str]:
    """Ids of the disputed facts in whose place another one stands that is shown."""
    shown = {line.fact.fact_id for line in recall.lines if line.rank in SURE}
    return frozenset(line.fact.fact_id for line in recall.lines if line.replaced_by in shown)


def _before(line: Line, recall: Recall) -> Iterator[str]:
    """What stood in the place of a fact until its speaker took it back, each on one short line."""
    for old in recall.lines:
        if old.replaced_by == line.fact.fact_id and old.contrary is not None:
            said, corrected = day_shown(old.fact.said_at), day_shown(old.contrary.said_at)
            by = f" by {inert_name(old.fact.speaker)}" if old.fact.speaker != old.contrary.speaker else ""
            yield f"{old.text} said {said}{by}, {old.taken_back} {corrected}: confirm"


def _kin(line: Line, recall: Recall) -> Iterator[str]:
    """Other facts about the same group of things, such as what is tolerated instead."""
    kin = recall.kin.get(line.fact.fact_id, ())
    if lines := [other for other in recall.lines if other.fact.fact_id in kin]:
        yield f"  of the same group: {' '.join(_grouped(lines, recall, {}))}"


def _clashes(recall: Recall) -> Iterator[str]:
    """Facts that do not go together, a line each, stops first, and the number of those left out.

    There are fewer lines if there is little room, and only the number on the first page of several.
    """
    standing = recall.standing
    stops = [clash for clash in standing.clashes if clash.stop]
    others = [clash for clash in standing.clashes if not clash.stop]
    most, further = (_FEWEST_STOPS, 0) if recall.is_short else (_MOST_STOPS, _MOST_CLASHES)
    most = most if recall.is_whole else 0
    shown = [*stops[:most], *others[:further]]
    yield from (f"{_APART}: {inert(clash.text)}" for clash in shown)
    if (more := len(standing.clashes) - len(shown)) > 0:
        yield f"{_APART}: {more} more, {len(stops[most:])} of them stops"
    if standing.unchecked and not recall.unavailable:
        yield f"COULD-NOT-CHECK whether what is recorded goes together: {inert(standing.unchecked)}"


def _notes_beside(recall: Recall) -> Iterator[str]:
    """The notes that this action does not read, on one line: how many, and how the newest begin."""
    notes = recall.notes_beside
    if not notes:
        return
    begun = [f'"{_begun_note(inert_name(fact.object.name))}"' for fact in notes[:_MOST_NOTES]]
    told = f": {'; '.join(begun)}{'; …' if len(notes) > len(begun) else ''}"
    more = f"{len(notes)} more note{'s' if len(notes) > 1 else ''} beside this action"
    yield f"{more}{'' if recall.is_short else told}: memory_list_facts"


def _begun_note(words: str) -> str:
    """The words of a note, not cut before the first number in them: it may be what was put right."""
    number = _NUMBER.search(words, 0, _MOST_TO_NUMBER)
    return _begun(words, max(_MOST_BEGUN, number.end() + 2 if number is not None else 0))


def _begun(words: str, most: int) -> str:
    """The words, or as many whole ones as `most` characters hold, with an ellipsis behind them."""
    return words if len(words) <= most else f"{words[: most - 1].rpartition(' ')[0] or words[: most - 1]}…"


def _names(rule: RuleLine, fact: Fact) -> bool:
    """Whether the sentence of a rule names the fact that it rests on, so that the fact needs no line."""
    return not fact.attrs and fact.status is Status.ACTIVE and inert_name(fact.object.name) in rule.text


def _is_told(line: Line, contrary: Collection[str]) -> bool:
    """Whether it is an absence that is already shown as the contrary of a risk."""
    return line.rank == "past" and line.fact.is_absence and line.fact.evidence in contrary


def _is_result(fact: Fact) -> bool:
    """Whether it is one of what may be measured again."""
    return not _RESULTS.isdisjoint(fact.attrs)


def _is_one_of_many(line: Line) -> bool:
    """Whether it is a result that a newer one may stand for: nothing critical, nothing that somebody disputes."""
    disputed = line.contrary is not None or line.fact.contradicted or line.awaited
    return line.rank == "other" and _is_result(line.fact) and not disputed


def _newest(lines: Sequence[Line]) -> Mapping[str, str]:
    """Id of each result that is the newest of its thing and status, to what is told of the older ones: how many there
    are, and the last of them where a sentence sets a number of its unit.
    """
    series: dict[tuple[object, ...], list[Fact]] = {}
    for line in lines:
        if _is_one_of_many(line):
            series.setdefault((line.fact.relation, line.fact.object.uid, line.fact.status), []).append(line.fact)
    others = " ".join(line.fact.evidence for line in lines if line.rank != "past" and not _is_result(line.fact))
    told: dict[str, str] = {}
    for facts in series.values():
        newest, *older = sorted(facts, key=measured_at, reverse=True)
        before = _value_before(older[0]) if older and _is_watched(newest, others) else ""
        told[newest.fact_id] = before + (f"{len(older)} older" if older else "")
    return told


def _value_before(fact: Fact) -> str:
    value = next((str(fact.attrs[name]) for name in sorted(_RESULTS, reverse=True) if name in fact.attrs), "")
    return f"before: {inert_name(value)} on {measured_at(fact)[0]}, " if value else ""


def _is_watched(result: Fact, words: str) -> bool:
    """Whether words hold a number of the unit of a result: "ring if he puts on 2 kg"."""
    units = _WORDS.findall(f"{result.attrs.get('unit', '')} {result.object.name}")
    return any(re.search(rf"\d\s*{re.escape(unit)}\b", words, re.IGNORECASE) for unit in units)


def _with_older(finding: str, older: str) -> str:
    """The finding with what is told of the older results that it stands for."""
    first, *below = finding.split("\n")
    return "\n".join([f"{first} · {older}", *below]) if older else finding


def _dated(fact: Fact, older: str) -> str:
    """The day of a result, which its sentence may tell, and what is told of older ones."""
    day = measured_at(fact)[0]
    told = [] if day in map(str, fact.attrs.values()) else [f"said {day_shown(fact.said_at)}"]
    told += [older] if older else []
    return f" ({', '.join(told)})" if told else ""


def _grouped(lines: Sequence[Line], recall: Recall, older: Mapping[str, str]) -> Iterator[str]:
    """What is recorded beside: what the subject has or takes, and what was measured, in a line for each kind (`Takes:
    Metformin, Lisinopril.`), and the sentences of all else, with its day where a relation has several of several days.
    """
    name = inert_name(recall.subject.name)
    days = Counter(relation for relation, _ in {(line.fact.relation, day_shown(line.fact.said_at)) for line in lines})
    kinds: dict[str, list[str]] = {}
    for line in lines:
        if told := _had(line.text, name):
            kinds.setdefault(told[0] or "Also: ", []).append(told[1])
        elif _is_result(line.fact) and (found := _KIND.fullmatch(line.text)):
            kinds.setdefault(found[1], []).append(f"{found[2]}{_dated(line.fact, older.get(line.fact.fact_id, ''))}")
        else:
            day = f" (said {day_shown(line.fact.said_at)})" if days[line.fact.relation] > 1 else ""
            kinds.setdefault(f"{line.text.removesuffix('.')}{day}." if day else line.text, [])
    yield from (f"{kind}{', '.join(things)}." if things else kind for kind, things in kinds.items())


def _had(sentence: str, name: str) -> tuple[str, str] | None:
    """What stands before somebody's name, up to a colon, and what the sentence says that they have or take.

    >>> _had("MAY: Ann Bell takes Metformin.", "Ann Bell"), _had("Ann Bell is well.", "Ann Bell")
    (('MAY: ', 'Metformin'), None)
    """
    before, named, after = sentence.partition(f"{name} ")
    while named:
        if (not before or before.endswith(": ")) and after.endswith("."):
            for verb in _HAVING:
                if after.startswith(verb) and len(after) > len(verb) + 1:
                    return before, after[len(verb) : -1]
        more, named, after = after.partition(f"{name} ")
        before += f"{name} {more}"
    return None


def _counted(recall: Recall, bearing: int, others: int) -> Iterator[str]:
    """The number of lines that are not shown, and how to read them."""
    told = [f"{bearing} more unread that may bear on this request"] if bearing else []
    if others:
        newest = max((episode.said_at for episode in recall.pending), default=0)
        uncompared = f", {recall.uncompared} not compared yet" if recall.uncompared else ""
        told.append(f"{others} more unread, the newest of {day_shown(newest)}{uncompared}")
    if told:
        yield f"{_UNREAD}: {' and '.join(told)}: call memory_list_facts"


def outcomes(recall: Recall) -> Iterator[str]:
    """Lines on what was read: numbers of critical facts, statements of absence, failures, and questions that nobody
    asked.

    If nearly all edges were asked about, the rest is named too; the structured result has all edges.
    """
    unasked = [outcome.relation for outcome in recall.outcomes if outcome.state is State.NOT_ASKED]
    surely = {line.fact.relation for line in recall.lines if line.rank in SURE}
    few = len(recall.outcomes) <= _FEW
    for outcome in recall.outcomes:
        if outcome.state is State.NOT_ASKED:
            told = few and outcome.relation not in recall.needed
        else:
            critical = outcome.relation in surely or outcome.waiting > 0 or outcome.said_at is not None
            told = few or critical or outcome.state is not State.FOUND
        if told:
            yield _outcome(outcome)
    if asked_for := [in_words(relation) for relation in unasked if relation in recall.needed]:
        yield f"never asked about: {', '.join(asked_for)}"
    elif unasked and len(unasked) == len(recall.outcomes) and not few:
        beside = beside_told(recall)
        yield f"nothing of this; {beside}" if beside else "nothing was ever asked about"


def beside_told(recall: Recall) -> str:
    """What is recorded beside a request of which nothing is recorded, and what of it could not be read; empty if
    nothing is recorded at all.
    """
    told = (("recorded beside", recall.held_beside), ("could not be read beside", recall.unread_beside))
    return "; ".join(f"{what}: {', '.join(map(in_words, relations))}" for what, relations in told if relations)


_DOUBTS = {
    Flag.DISAGREE: "read in two ways",
    Flag.LOCAL: "read here, not by who told it",
    Flag.MEANT: "the words were taken to mean it",
    Flag.REATTRIBUTED: "moved here from another record",
    Flag.COREF: "named by a pronoun",
    Flag.FUZZY: "the name was misspelt",
    Flag.BRIDGED: "joined from two sentences",
    Flag.RULE: "stated as a rule",
    Flag.NET: "only mentioned together",
    Flag.MODEL_ONLY: "a language model alone read it",
    Flag.TAUGHT: "a trained reader alone read it",
}
"""Reason of doubt by flag, in words, the gravest first."""


def _provenance(line: Line, *, quoted: bool = True) -> str:
    fact = line.fact
    verb = "recorded" if fact.route is Route.RECORD else "said"
    parts = [_words(verb, fact.said_at, fact.speaker, fact.evidence, quoted=quoted), _status(fact), *_doubt(fact)]
    if fact.contradicted and line.contrary is None:
        parts.append("CONTRADICTED: also denied" if fact.status in RISK else "CONTRADICTED: also asserted")
    if line.stale:
        parts.append("stale: verify")
    return " · ".join((*parts, *_overridden(fact)))


def _overridden(fact: Fact) -> Iterator[str]:
    """Who overrode the fact last, and why; the fact stays."""
    if at := str(fact.attrs.get(OVERRIDDEN_AT, "")):
        who, why = (str(fact.attrs.get(name, "")) for name in (OVERRIDDEN_BY, OVERRIDDEN_BECAUSE))
        yield f'went against on {inert_name(at[:10])} by {inert_name(who)}: "{inert(why, _MOST_WHY)}"'


def _doubt(fact: Fact) -> Iterator[str]:
    """What to confirm about an unconfirmed fact, and why; and whether the pack does not know its name."""
    if Flag.UNMAPPED in fact.flags:
        yield "unknown word"
    if fact.status is Status.UNCONFIRMED:
        why = next((words for flag, words in _DOUBTS.items() if flag in fact.flags), "")
        yield f"{why}: confirm" if why else "confirm"


def _status(fact: Fact) -> str:
    """The status, with who decided it and why if a person did; what was denied since is not shown as active."""
    if fact.changed_at is not None:
        return f"{fact.status.value} {_decided(fact)}"
    return "disputed" if fact.contradicted and fact.status is Status.ACTIVE else fact.status.value


def _decided(fact: Fact) -> str:
    who = inert_name(fact.changed_by) if fact.changed_by else "someone"
    why = f': "{inert(fact.changed_because)}"' if fact.changed_because else ""
    return f"by {who} on {iso_day(fact.changed_at or 0)}{why}"


def spoken_against(line: Line) -> Iterator[str]:
    """What was said against a fact, and what waits and may change it, as the block tells it."""
    return (each.strip() for each in (*_contrary(line), *_awaited(line)))


def _contrary(line: Line) -> Iterator[str]:
    """The other side of a contradiction: whether it was said later, when, by whom, in its own words; how it stands, and
    that it is of the same speaker, only where that is not plain.
    """
    other = line.contrary
    if other is not None:
        quoted = inert(other.evidence)
        words = f'"{quoted}"' if quoted else "no words kept"
        by = f" by {inert_name(other.speaker) if other.speaker else 'someone'}"
        by = "" if other.speaker and other.speaker == line.fact.speaker else by
        here, there = line.fact.said_at, other.said_at
        if label := line.taken_back:
            yield f"  {label} {day_shown(there)}{by}: {words}{_SETTLING if _is_unsettled(line) else ''}"
            return
        status = "" if other.status is Status.NEGATED else f" · {other.status.value}"
        dated = UNDATED not in {here, there}
        order = " LATER" if dated and there > here else " earlier" if dated and there < here else ""
        yield f"  CONTRADICTED{order}, {day_shown(other.said_at)}{by}: {words}{status}"


def _is_unsettled(line: Line) -> bool:
    """Whether a fact that was taken back stays until a person approves a change that nobody asked for yet."""
    return line.rank in SURE and line.fact.status in RISK and all(item.change is None for item in line.awaited)


def _awaited(line: Line) -> Iterator[str]:
    """What waits for a person and may change the fact: a request, with who approves it, or later words."""
    for awaited in line.awaited[-_MOST_AWAITED:]:
        yield f"  {awaited_line(awaited)}"
    if (more := len(line.awaited) - _MOST_AWAITED) > 0:
        yield f"  and {more} more that may change it"


def awaited_line(awaited: AwaitedChange) -> str:
    """What waits beside a fact: what was asked for, by whom, when and why, and who approves it; or the later words."""
    episode, asked = awaited.episode, requested(awaited.episode)
    by = said_by(episode.speaker, episode.said_at)
    if asked is None:
        return f'MAY CHANGE by words not settled yet ({by}): "{inert(words_of(episode), _MOST_WHY)}"'
    what = _TAKEN_OUT.get(asked.change, asked.change.replace("_", " "))
    approving = f"a person approves it: page /review, or `r-memory review --approve {episode.id[:_SHORT_ID]}`"
    return f'{_REQUESTED} ({by}), {what}: "{inert(asked.reason, _MOST_WHY)}"; {approving}'


def _words(verb: str, said_at: int, speaker: str, words: str, *, quoted: bool = True) -> str:
    shown = inert(words)
    by = f"{verb} {day_shown(said_at)} by {inert_name(speaker) if speaker else 'someone'}"
    if not shown:
        return f"{by}, no words kept"
    return f'{by}: "{shown}"' if quoted else by


def _bearing(line: Line) -> Iterator[str]:
    """Why a finding bears on the request, on one line; what is worth the same is said once, its own name not again."""
    shown = _telling(line.matches)
    if line.rank not in _RISKS:
        # What was tolerated, or is taken, is no reason to stop what is like it.
        shown = [replace(match, tier="", action="", condition="", rate="", source="") for match in shown]
    if [match.text for match in shown] == [f"{inert_name(line.fact.object.name)}{_NAMED}"]:
        yield f"  bears on this request: {_worth(shown[0])}."
        return
    told: dict[str, list[str]] = {}
    for match in shown[:_MOST_NAMED]:
        told.setdefault(_worth(match), []).append(match.text.removesuffix(_NAMED))
    if (more := len(shown) - _MOST_NAMED) > 0:
        told["of the request"] = [f"{more} more"]
    if told:
        reasons = (f"{', '.join(texts)} ({worth})" for worth, texts in told.items())
        yield f"  bears on this request: {'; '.join(reasons)}."


def _telling(matches: Sequence[Match]) -> Sequence[Match]:
    """The matches without class matches that stop nothing, if the thing itself is named."""
    sure = any(match.level in {MatchLevel.EXACT, MatchLevel.INGREDIENT} for match in matches)
    return [match for match in matches if not sure or match.level is not MatchLevel.CLASS or match.tier == "A"]


def _worth(match: Match) -> str:
    """The level of a match; for a match by class also its grade, rate and source, in a hundred characters."""
    parts = [f"{match.level.value.replace('_', '-')} match"]
    if match.tier:
        parts.append(f"tier {match.tier}: {inert(match.action, _MOST_ACTION) or _TIER_ACTIONS[match.tier]}")
    elif match.action:
        parts.append(inert(match.action, _MOST_ACTION))
    if match.condition:
        parts.append(f"if {inert(match.condition, _MOST_ACTION)}")
    source = _source(match.source)
    room = _MOST_WORTH - len(", ".join([*parts, *([source] if source else [])])) - 2
    if match.rate and room > _LEAST_RATE:
        parts.append(_clause(inert(match.rate), room))
    return ", ".join([*parts, *([source] if source else [])])


def _clause(words: str, room: int) -> str:
    """As many whole clauses as there is room for, or else whole words, with an ellipsis behind them."""
    if len(words) <= room:
        return words
    clauses = [words[: end.start()] for end in _ENDS_OF_CLAUSES.finditer(words) if end.start() < room]
    whole = [clause for clause in clauses if clause.count("(") == clause.count(")")]
    return f"{whole[-1] if whole else words[: room - 1].rpartition(' ')[0]}…"


def _source(source: str) -> str:
    """The name of a source, without the place in it."""
    return inert(_BEHIND_NAME.split(source, maxsplit=1)[0], _MOST_SOURCE) if source else ""


def _resting(fact: Fact, rule: RuleLine) -> str:
    """A fact behind a rule, as data: relation, object and numbers, then the words."""
    told = sorted(pair for pair in fact.attrs.items() if pair[0] not in _OF_CHANGES)
    attrs = ", ".join(f"{inert_name(name)} {inert(str(value))}" for name, value in told)
    shown = f"{inert_name(fact.relation)} {inert_name(fact.object.name)}{f' ({attrs})' if attrs else ''}"
    words = _words("said", fact.said_at, fact.speaker, fact.evidence)
    parts = [f"rests on {shown}", words, _status(fact)]
    if fact.fact_id in rule.stale:
        parts.append("stale: verify")
    return " · ".join(parts)


def recorded_words(fact: Fact) -> str:
    """The words behind a fact in quotation marks, cut around its object, with speaker and day; empty without words."""
    words = inert(fact.evidence, len(fact.evidence))
    if not words:
        return ""
    start = words.casefold().find(fact.object.name.casefold()) - _BEFORE_NAME
    if len(words) > _MOST_WORDS and start > 0:
        words = f"…{words[min(start, len(words) - _MOST_WORDS + 1) :].lstrip()}"
    return f'"{clipped(words, _MOST_WORDS)}" ({said_by(fact.speaker, fact.said_at)})'


def said_by(speaker: str, said_at: int) -> str:
    """Who said something and when: `by Ann Bell, 2026-11-19`."""
    return f"by {inert_name(speaker) if speaker else 'someone'}, {day_shown(said_at)}"


def pending_line(episode: Episode, matches: Sequence[Match] = (), *, limit: int = PENDING_LIMIT) -> str:
    """A statement that waits; loudly where it names, or may bear on, something of the request."""
    words = inert(words_of(episode), limit)
    label = _REQUESTED if episode.role == "system" else _UNREAD
    source = said_by(episode.speaker, episode.said_at)
    if not matches:
        return f'{label} ({source}): "{words}"'
    return f'{label}, {naming_of(matches, words_of(episode))}: "{words}" ({source})'


def unread_lines(
    recall: Recall, *, most: int, counted: bool = True, untouched: Collection[Episode] = ()
) -> Iterator[str]:
    """Lines for at most `most` waiting statements, those that bear on the request first, and the number of the others
    unless they are not `counted`.

    In a block without quotes all statements are listed, but those that are `untouched`. A sentence that may only be
    against a risk which stands on record tells nothing of other things.
    """
    unread, bearing, others = unread_of(replace(recall, is_short=True))
    aside = {episode.id for episode in untouched}
    unread = tuple(item for item in unread if item.matches or not is_on_record(item.episode, recall))
    unread = tuple(item for item in unread if item.episode.id not in aside)
    yield from (unread_line(item, recall) for item in unread[:most])
    if (more := len(unread) - most) > 0:
        yield f"{_UNREAD}: {more} more that may hold a risk: call memory_list_facts"
    yield from _counted(recall, bearing, others if counted else 0)


def counted_lines(recall: Recall) -> Iterator[str]:
    """The line with the number of waiting statements that do not bear on the request."""
    return _counted(recall, 0, unread_of(replace(recall, is_short=True))[2])


def _limit(recall: Recall) -> int:
    """Maximum characters of a waiting statement."""
    return _SHORT_LIMIT if recall.is_short else QUOTE_LIMIT


def unread_line(one: Unread, recall: Recall) -> str:
    """A line for a waiting statement, with how often the same words wait; a long statement is cut around the risk."""
    words = words_of(one.episode)
    at = (recall.urgent or {}).get(one.episode.id, 0)
    limit = _limit(recall)
    if len(words) > limit and at > _BEFORE:
        words = f"…{words[at - _BEFORE :]}"
    if shown := WithdrawnWords(marks=recall.marks).shown(words):
        limit += len(shown) - len(words)
    line = pending_line(replace(one.episode, text=shown, review=()), one.matches, limit=limit)
    return f"{line} · {one.times} times" if one.times > 1 else line


def unrecognised_lines(recall: Recall) -> Iterator[str]:
    """Lines on names of the request that are unknown."""
    for name in recall.unrecognised[:_MOST_NAMED]:
        yield f"NOT RECOGNISED: {inert_name(name)}; {recall.compared_by or 'it'} could not be compared."
    if (more := len(recall.unrecognised) - _MOST_NAMED) > 0:
        yield f"NOT RECOGNISED: {more} more names of the request; none of them could be compared."


def naming_of(matches: Sequence[Match], quoted: str = "") -> str:
    """`names Carbamazepine`, `may bear on Phenytoin`; both where it does both.

    Words that are `quoted` beside it name only what stands in them.
    """
    matches, more = matches[:_MOST_NAMED], len(matches) - _MOST_NAMED
    near = (match for match in matches if match.level is not MatchLevel.CLASS)
    sure = dict.fromkeys(match.requested for match in near if not quoted or _stands_in(match, quoted))
    perhaps = dict.fromkeys(match.requested for match in matches if match.requested not in sure)
    told = [f"{verb} {' and '.join(names)}" for verb, names in (("names", sure), ("may bear on", perhaps)) if names]
    told += [f"names {more} more"] if more > 0 else []
    return " and ".join(told)


def _stands_in(match: Match, quoted: str) -> bool:
    """Whether a word of a matched thing stands in quoted words, as far as its first letters tell."""
    words = re.findall(r"\w+", f"{match.requested} {match.text}".casefold())
    said = re.findall(r"\w+", quoted.casefold())
    return any(
        word[:_STEM] == each[:_STEM] for word in words if len(word) >= _STEM or not word.isalpha() for each in said
    )


def _outcome(outcome: Outcome) -> str:
    relation = inert_name(outcome.relation)
    day = "" if outcome.said_at is None else f" {day_shown(outcome.said_at)}"
    scope = f" ({outcome.scope})" if outcome.scope else ""
    told = {
        State.COULD_NOT_CHECK: "could not be checked",
        State.NOT_ASKED: "not asked",
        State.NONE_ASSERTED: f"none asserted{day}{scope}",
        State.FOUND: f"found {outcome.count}" + (f", {outcome.waiting} waiting" if outcome.waiting else ""),
    }
    return f"{relation} {told[outcome.state]}"
