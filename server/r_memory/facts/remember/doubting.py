"""Which recorded facts a sentence takes back, as far as its words say so: said just now, or waiting since.

Nothing is changed here: the fact stays as it is until a person decides, and shows what waits beside it.
"""

import re
from collections import OrderedDict, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from r_memory.domain.changes import AwaitedChange, requested
from r_memory.domain.corrections import Doubted, correction_of, named_all
from r_memory.domain.events import Episode
from r_memory.domain.facts import Entity, Fact, Span, Status
from r_memory.domain.instants import iso_day
from r_memory.facts.naming import BY_DETAIL, BY_THING, FactNames
from r_memory.facts.recall.lines import lines_under
from r_memory.facts.remember.utterances import Statement
from r_memory.protocols import Clock
from r_memory.reading.reader import Reader
from r_memory.reading.retractions import Retraction, Retractions, Taking
from r_memory.text.sentences import stretches

__all__ = ["ENDED", "Doubts"]

ENDED = frozenset({Status.REFUTED, Status.RESOLVED, Status.ENTERED_IN_ERROR})
"""Statuses of facts that hold no longer."""
_DIGIT = re.compile(r"\d")
_DAY = re.compile(r"\d{4}-\d\d(?:-\d\d)?")
_UNCHANGED = "nothing was changed: say which in `corrects`, or call memory_change_fact"
_NO_FACT = "asks to forget something of which nothing is stored as a fact: no fact was changed"
_MOST = 5
_MOST_KNOWN, _AT_ONCE = 50_000, 8_000
"""Maximum number of waiting statements of which it is kept whether they may change a fact, and of characters that one
call looks through.
"""
_FORGET_ALL = (
    "asks to forget everything: nothing was changed. Who runs this memory erases a person with the command `r-memory "
    "forget SUBJECT`; for single facts call memory_change_fact with change entered_in_error"
)


class Doubts:
    """Finds what sentences take back, under one schema."""

    def __init__(self, reader: Reader, clock: Clock) -> None:
        self._clock = clock
        self._retractions = Retractions(reader.schema.language)
        self._names = FactNames(reader.schema, reader.linker)
        self._lines = lines_under(reader.schema)
        self._changing: OrderedDict[tuple[object, ...], bool] = OrderedDict()
        """Whether a waiting statement may change a fact, by its id and the words that wait."""

    def beside(self, episode: Episode, about: Entity, known: Sequence[Fact]) -> tuple[Fact, ...]:
        """The recorded facts that a waiting statement takes back, or gives another value, in its own words."""
        words = _waiting_words(episode)
        before = [fact for fact in known if fact.first_recorded_at <= episode.recorded_at]
        if not (taken := tuple(self._retractions.of(words))):
            held = [fact for fact in before if fact.contradicted or fact.status not in ENDED]
            return self._names.named(words, held, least=BY_THING) if self._is_correction(words) else ()
        said = Statement(
            text=episode.text, subject=about, role=episode.role, speaker=episode.speaker, said_at=episode.said_at
        )
        found = [fact for item in self.of(taken, before, said) for fact in item.facts]
        return tuple({fact.fact_id: fact for fact in found}.values())

    def awaited(
        self, about: Entity, known: Sequence[Fact], waiting: Sequence[Episode]
    ) -> Mapping[str, tuple[AwaitedChange, ...]]:
        """What waits and may change a recorded fact, oldest first, by the id of the fact."""
        found: defaultdict[str, list[AwaitedChange]] = defaultdict(list)
        for episode in waiting:
            if (asked := requested(episode)) is not None:
                found[asked.fact_id].append(AwaitedChange(episode=episode, change=asked.change))
                continue
            for fact in self.beside(episode, about, known):
                found[fact.fact_id].append(AwaitedChange(episode=episode))
        return {fact_id: tuple(changes) for fact_id, changes in found.items()}

    def changing(self, waiting: Sequence[Episode]) -> tuple[Episode, ...]:
        """The waiting statements that may change a recorded fact.

        Each is looked at once; of many new ones a call looks at the newest, and at others later.
        """
        spent, found = 0, []
        for episode in reversed(waiting):
            key = (episode.id, episode.review)
            if (may := self._changing.get(key)) is None:
                if (spent := spent + len(episode.text)) > _AT_ONCE:
                    continue
                may = self._changing[key] = requested(episode) is not None or self._may_change(_waiting_words(episode))
                while len(self._changing) > _MOST_KNOWN:
                    self._changing.popitem(last=False)
            found += [episode] if may else []
        return tuple(reversed(found))

    def _may_change(self, words: str) -> bool:
        return self._is_correction(words) or any(True for _ in self._retractions.of(words))

    def _is_correction(self, words: str) -> bool:
        """Whether words say that something is another way than it was said before."""
        return self._retractions.replaces(words) or self._retractions.contradicts(words)

    def forgotten_with(self, settled: Episode, known: Sequence[Fact], waiting: Sequence[Episode]) -> Iterator[Episode]:
        """The requests to forget what stood in these words alone, and say nothing that these did not."""
        wishes = {item.id: self._forgotten(_waiting_words(item)) for item in waiting}
        others = [item for item in waiting if item.id != settled.id and not wishes[item.id]]
        for item in waiting:
            named = wishes[item.id]
            if not named or item.id == settled.id or not self._names.is_told_in(settled.text, named, wholly=True):
                continue
            standing = [fact for fact in known if fact.status not in ENDED]
            filed = self._names.named(" ".join(named), standing, least=BY_DETAIL)
            if not (filed or any(self._names.is_told_in(other.text, named) for other in others)):
                yield item

    def answered_by(self, withdrawn: Fact, known: Sequence[Fact], waiting: Sequence[Episode]) -> Iterator[Episode]:
        """The requests to forget that mean the withdrawn fact, and nothing else that stands or waits."""
        others = [fact for fact in known if fact.fact_id != withdrawn.fact_id and fact.status not in ENDED]
        wishes = {item.id: self._forgotten(_waiting_words(item)) for item in waiting if requested(item) is None}
        told = [item.text for item in waiting if item.id in wishes and not wishes[item.id]]
        for item in waiting:
            named = wishes.get(item.id, frozenset())
            if not named or any(self._names.is_told_in(text, named, wholly=True) for text in told):
                continue
            if self._names.named(" ".join(named), [withdrawn, *others], least=BY_DETAIL) == (withdrawn,):
                yield item

    def _forgotten(self, words: str) -> frozenset[str]:
        """What words name that are nothing but a wish to forget it, and why; empty for any others."""
        taken = tuple(self._retractions.of(words))
        left = words
        for each in reversed(taken):
            left = left[: each.span.start] + left[each.span.end :]
        if not taken or any(each.taking is not Taking.FORGETS for each in taken) or not self._is_why(left):
            return frozenset()
        return self._names.significant(" ".join(each.words for each in taken))

    def _is_why(self, words: str) -> bool:
        """Whether words beside a wish only point back at what it names: "That was gossip"."""
        return all(self._retractions.points_back(part) for part in stretches(words) if part.strip(" .,;!?"))

    def of(
        self, taken: Sequence[Retraction], known: Sequence[Fact], said: Statement, waiting: Sequence[Episode] = ()
    ) -> tuple[Doubted, ...]:
        """What the retracting sentences of a statement take back, in order; beside what waits."""
        found = (self._doubted(each, known, said, waiting) for each in taken)
        return tuple(item for item in found if item is not None and not _is_read_within(item, said))

    def _doubted(
        self, taken: Retraction, known: Sequence[Fact], said: Statement, waiting: Sequence[Episode]
    ) -> Doubted | None:
        """What a sentence takes back; `None` if that is not recorded."""
        if taken.taking is Taking.FORGETS_ALL:
            return Doubted(span=taken.span, forgets=True, facts=(), reason=_FORGET_ALL)
        held = [fact for fact in known if fact.contradicted or fact.status not in ENDED]
        if taken.taking is Taking.RENUMBERS:
            held = [fact for fact in held if _DIGIT.search(" ".join([fact.evidence, *map(str, fact.attrs.values())]))]
        if taken.taking is Taking.OVER:
            held = [fact for fact in held if any(_DAY.fullmatch(str(value)) for value in fact.attrs.values())]
        least = BY_THING if taken.names_it else BY_DETAIL
        meant = self._names.named(taken.words, held, least=least)
        if taken.taking is Taking.OVER or (taken.is_news and _is_read(taken.span, said)):
            meant = tuple(fact for fact in meant if self._is_of(fact, taken.words))
        forgets = taken.forgets
        if not meant and taken.taking is Taking.FORGETS and (named := self._names.significant(taken.words)):
            over = self._names.named(taken.words, known, least=least)
            return None if over else self._unfiled(taken, named, waiting)
        if not meant and taken.may_mean_the_last:
            meant = self._last(held, said)
        if not meant:
            return None
        if forgets and len(meant) == 1:
            reason = self._forgetting(meant[0], said)
        else:
            reason = f"{'asks to forget' if forgets else 'may correct'} {named_all(meant)}: {_UNCHANGED}"
        likely = self._likely(meant, said.text[taken.span.start : taken.span.end])
        return Doubted(
            span=taken.span, forgets=forgets, facts=meant, reason=reason, likely=likely, is_news=taken.is_news
        )

    def _is_of(self, fact: Fact, words: str) -> bool:
        """Whether words that tell what happened name the thing of a fact: wholly, or in two ways."""
        thing = self._names.significant(fact.object.name)
        wholly = bool(thing) and self._names.is_told_in(words, thing, wholly=True)
        return wholly or bool(self._names.named(words, [fact], least=2 * BY_THING))

    def _unfiled(self, taken: Retraction, named: Collection[str], waiting: Sequence[Episode]) -> Doubted:
        """A request to forget what no fact is of: it points at words that wait, and waits itself only beside them."""
        told = [
            item.id
            for item in waiting
            if requested(item) is None and not self._forgotten(item.text) and self._names.is_told_in(item.text, named)
        ]
        if not told:
            return Doubted(span=taken.span, forgets=True, facts=(), reason=_NO_FACT, waits=False)
        where = f"{_NO_FACT}; stored words hold it, and wait: {', '.join(told[:_MOST])}; to settle them call "
        reason = f"{where}memory_change_fact with their id and change dismiss, which settles this request too"
        return Doubted(span=taken.span, forgets=True, facts=(), reason=reason)

    def _likely(self, facts: Sequence[Fact], sentence: str) -> frozenset[str]:
        """The ids of the facts that share a significant word or a number with a sentence."""
        named = self._names.significant(sentence)
        return frozenset(fact.fact_id for fact in facts if self._names.count_in(named, fact))

    def _last(self, held: Sequence[Fact], said: Statement) -> tuple[Fact, ...]:
        """What the same person stated last on the same day."""
        day = iso_day(self._clock.now() if said.said_at is None else said.said_at)
        own = [fact for fact in held if fact.speaker == (said.speaker or said.role) and iso_day(fact.said_at) == day]
        last = max(own, key=lambda fact: fact.last_seq, default=None)
        return tuple(fact for fact in own if last is not None and fact.episode_id == last.episode_id)

    def _forgetting(self, fact: Fact, said: Statement) -> str:
        """The reason shown to the caller whose words ask to forget this fact."""
        speaker, critical = said.speaker or said.role, self._lines.is_protected(fact)
        return replace(correction_of(fact, speaker=speaker, role=said.role, critical=critical), forgets=True).reason


def _is_read(sentence: Span, said: Statement) -> bool:
    """Whether the caller read something in a sentence."""
    words = said.text[sentence.start : sentence.end]
    read = (claim.evidence.strip() for claim in said.claims or () if not claim.trouble)
    return any(evidence and (evidence in words or words.rstrip(".!; ") in evidence) for evidence in read)


def _waiting_words(episode: Episode) -> str:
    return " ".join(episode.review) or episode.text


def _is_read_within(doubted: Doubted, said: Statement) -> bool:
    """Whether the caller read a sentence together with the one that it corrects: "50 mg. No, 100." is one fact."""
    words = said.text[doubted.span.start : doubted.span.end].strip()
    read = (claim.evidence for claim in said.claims or () if not (claim.trouble or claim.corrects))
    return not doubted.forgets and any(
        said.text.find(evidence) < doubted.span.start and words.rstrip(".!") in evidence
        for evidence in read
        if evidence in said.text
    )
