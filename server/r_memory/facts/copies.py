"""What still shows withdrawn words: statements that wait, facts that rest on them, and copies told for other people.

Nothing is changed here. Whoever withdraws words names the rest, so that no answer claims more than happened.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from r_memory.domain.changes import requested
from r_memory.domain.events import OPEN, Episode
from r_memory.domain.facts import RISK, Entity, Fact
from r_memory.domain.withdrawn import places
from r_memory.errors import StoreError
from r_memory.facts.listing import FactList, is_listed
from r_memory.facts.subjects import Subjects
from r_memory.facts.withdrawing import SaidWords, facts_in
from r_memory.protocols import Store
from r_memory.text.inert import inert_name
from r_memory.text.sentences import stretches

__all__ = ["Copies", "LeftOver", "StillShown"]

_DAY_MS = 86_400_000
"""How far apart the same words may be told for two people in one go."""
_MOST = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class StillShown:
    """What shows the words in one person's record."""

    subject: Entity
    facts: tuple[Fact, ...] = ()
    """Facts that stand and rest on the words."""
    waiting: tuple[Episode, ...] = ()
    """Statements that wait."""
    held: tuple[Episode, ...] = ()
    """Statements that wait and state facts that stand: no call withdraws them whole."""
    told: tuple[Episode, ...] = ()
    """Statements that wait no longer and state no fact; search shows them."""
    among: tuple[Episode, ...] = ()
    """Statements that state other facts, and in which search shows the words."""

    def __bool__(self) -> bool:
        return bool(self.facts or self.waiting or self.held or self.told or self.among)

    @property
    def named(self) -> str:
        """What shows the words, each with the id by which it is withdrawn."""
        facts = [f"{fact.relation} {inert_name(fact.object.name)} (fact {fact.short_id})" for fact in self.facts]
        told = [f"statement {item.id}" for item in self.told]
        told += [f"the words in statement {item.id}" for item in self.among]
        waiting = [f"statement {item.id}, which waits" for item in self.waiting]
        held = [f"statement {item.id}, which waits (a person settles it, page /review)" for item in self.held]
        every = [*facts, *waiting, *told, *held]
        more = [f"{len(every) - _MOST} more"] if len(every) > _MOST else []
        return f"of {inert_name(self.subject.id)}: {', '.join([*every[:_MOST], *more])}"


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOver:
    """Everything that still shows withdrawn words."""

    shown: tuple[StillShown, ...] = ()
    failed: bool = False
    """Whether the records of other people could not be searched."""

    @property
    def told(self) -> str:
        """What still shows the words and which call withdraws it; empty if nothing does."""
        parts = []
        if self.shown:
            shown = "; ".join(each.named for each in self.shown[:_MOST])
            more = f"; {len(self.shown) - _MOST} more people" if len(self.shown) > _MOST else ""
            by_words = any(each.among for each in self.shown)
            words = " (the words: quoted as fact_id, not the statement's id, with that subject)" if by_words else ""
            parts.append(
                f"still shown {shown}{more}: each goes by memory_change_fact with its id{words} and change "
                "entered_in_error"
            )
        if self.failed:
            parts.append("the records of other people could not be searched for the same words: call again")
        return "; ".join(parts)


class Copies:
    """Finds what still shows words of one space."""

    def __init__(self, *, store: Store, subjects: Subjects, lists: FactList) -> None:
        self._store = store
        self._subjects = subjects
        self._lists = lists

    async def left_by(self, withdrawn: Fact) -> LeftOver:
        """What still shows the words of a withdrawn fact: waiting statements that name its thing count as well."""
        about = await self._subjects.of_uid(withdrawn.subject_uid)
        events = await self._lists.history(withdrawn.fact_id)
        told = {(event.episode_id, event.evidence) for event in events if event.evidence and event.status in RISK}
        words = sorted({evidence for _, evidence in told} or {withdrawn.evidence})
        own = await self._own(about, words, withdrawn.object.name)
        try:
            others = await self._others(about, sorted(told))
        except (StoreError, TimeoutError, OSError):
            return LeftOver(shown=tuple(own), failed=True)
        return LeftOver(shown=(*own, *others))

    async def told_of_others(self, withdrawn: Fact) -> list[tuple[Entity, SaidWords]]:
        """The words of a withdrawn fact where the same text was told for other people, and none of their facts rests on
        them.

        Raises:
            StoreError: the records of other people cannot be searched.
        """
        about = await self._subjects.of_uid(withdrawn.subject_uid)
        events = await self._lists.history(withdrawn.fact_id)
        told = {(event.episode_id, event.evidence) for event in events if event.evidence and event.status in RISK}
        return [
            (each.subject, SaidWords(episode=item, words=item.text[start:end]))
            for each in await self._others(about, sorted(told))
            for item in (*each.waiting, *each.told, *each.among)
            for words in sorted({evidence for _, evidence in told})
            for start, end in places(words, item.text)[:1]
            if not facts_in(words, each.facts)
        ]

    async def _own(self, about: Entity, words: Sequence[str], thing: str) -> list[StillShown]:
        known = await self._store.neighbourhood(about, self._lists.relations)
        waiting = tuple(
            item
            for item in await self._lists.waiting(about, known.pending)
            if requested(item) is None and any(places(each, item.text) for each in (*words, thing))
        )
        listed = [fact for fact in known.facts if is_listed(fact)]
        held = tuple(item for item in waiting if facts_in(item.text, listed))
        free = tuple(item for item in waiting if item not in held)
        own = StillShown(subject=about, facts=_resting(words, listed), waiting=free, held=held)
        return [own] if own else []

    async def _others(self, about: Entity, told: Sequence[tuple[str, str]]) -> list[StillShown]:
        """What shows the sentences of the words with other people for whom they were told in one go."""
        found: dict[str, dict[str, Episode]] = {}
        for id_, words in told:
            if (said := await self._store.episode(self._subjects.space, id_)) is None:
                continue
            parts = [part.strip() for part in stretches(said.text) if places(words, part)]
            for part in parts or [words]:
                for item in await self._store.episodes_holding(self._subjects.space, part):
                    if item.subject_uid != about.uid and _is_of_one_go(item, said):
                        found.setdefault(item.subject_uid, {})[item.id] = item
        quotes = [evidence for _, evidence in told]
        shown = [await self._of(uid, items.values(), quotes) for uid, items in found.items()]
        return [each for each in shown if each]

    async def _of(self, uid: str, episodes: Iterable[Episode], words: Sequence[str]) -> StillShown:
        other = await self._subjects.of_uid(uid)
        known = await self._store.neighbourhood(other, self._lists.relations)
        hidden = await self._lists.withdrawn([uid])
        items = {item.id: item for item in episodes if _is_quoted(hidden.masked(item.text), words)}
        facts = _resting(words, known.facts)
        waiting = [item for item in items.values() if item.status in OPEN]
        quoted = [fact.evidence for fact in facts]
        told = [item for item in items.values() if item.status not in OPEN and not _is_quoted(item.text, quoted)]
        evidence = [fact.evidence for fact in known.facts if is_listed(fact) and fact.evidence]
        among = tuple(item for item in told if _is_quoted(item.text, evidence))
        alone = tuple(item for item in told if item not in among)
        return StillShown(subject=other, facts=facts, waiting=tuple(waiting), told=alone, among=among)


def _resting(words: Sequence[str], facts: Iterable[Fact]) -> tuple[Fact, ...]:
    """The standing facts that rest on any of the words."""
    listed = [fact for fact in facts if is_listed(fact)]
    return tuple({fact.fact_id: fact for each in words for fact in facts_in(each, listed)}.values())


def _is_quoted(text: str, evidence: Iterable[str]) -> bool:
    return any(places(words, text) for words in evidence)


def _is_of_one_go(item: Episode, said: Episode) -> bool:
    """Whether a statement was made by the same speaker in the same conversation, within a day."""
    same = (item.speaker, item.role, item.conversation) == (said.speaker, said.role, said.conversation)
    return same and requested(item) is None and abs(item.recorded_at - said.recorded_at) <= _DAY_MS
