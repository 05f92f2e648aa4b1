"""From what a turn may show to the sections that fit: pure, in the order of memory-systems 6.

When there is too little room, activated items go first (to their summaries, then away, least similar first), then
previous turns to their summaries, then the structured summary to its settled fields. The question and the safety block
are not here, and nothing cuts them. Knows neither search nor store.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from r_memory.domain.decisions import Form
from r_memory.domain.instants import iso_day
from r_memory.domain.memories import MemoryItem, Tier
from r_memory.domain.turns import HEADINGS, Part, Section
from r_memory.talk.stream.values import FLAG_CUT
from r_memory.talk.tiers.scene import scene_text
from r_memory.text.inert import inert

Count = Callable[[str], int]
"""Tokens of a text."""
_LINE = 1_000_000
"""Characters of a line: as long as anything that is stored; the budget cuts, not this."""
_LEAST = 80
"""Characters of a turn below which it is no use to cut it further."""


OVER_BUDGET = "over_budget"


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemForm:
    """An item with the form in which it stands."""

    item: MemoryItem
    form: Form = Form.RAW
    chars: int = _LINE
    """Characters of it that are shown: a turn may be longer than all the room there is."""
    elsewhere: bool = False
    """It is of another conversation, which is then named."""

    @property
    def text(self) -> str:
        """As it stands in a context."""
        text = item_text(self.item, self.form, elsewhere=self.elsewhere)
        return text if len(text) <= self.chars else f"{text[: self.chars].rstrip()}…"


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """Everything that a turn may show."""

    scene: str = ""
    summary: str = ""
    """The structured summary, all of it."""
    settled: str = ""
    """Its settled fields only."""
    activated: tuple[ItemForm, ...] = ()
    """Best first."""
    previous: tuple[ItemForm, ...] = ()
    """Oldest first."""
    flags: tuple[str, ...] = field(default=())
    """`over_budget`: something had to go that should have stayed."""


def item_text(item: MemoryItem, form: Form, *, elsewhere: bool = False) -> str:
    """An item under its number, day and, where that is another, conversation, as inert lines; empty if dropped."""
    if form not in {Form.RAW, Form.SUMMARY}:
        return ""
    words = item.gist if form is Form.SUMMARY else item.raw
    lines = [line for said in words.splitlines() if (line := inert(said, _LINE))]
    return "\n".join([f"({_place(item, elsewhere=elsewhere)})", *lines])


def sections(draft: Draft, count: Count) -> tuple[Section, ...]:
    """The sections of a draft in their order, without the empty ones; activated items oldest first."""
    oldest_first = sorted(draft.activated, key=lambda shown: shown.item.seq)
    found = (
        _section(Part.SCENE, scene_text(draft.scene), (), count),
        _section(Part.SUMMARY, draft.summary, (), count),
        _section(Part.MEMORY, *_texts(oldest_first), count),
        _section(Part.PREVIOUS, *_texts(draft.previous), count),
    )
    return tuple(section for section in found if section.text)


def fitted(draft: Draft, room: int, count: Count) -> Draft:
    """The draft cut to so many tokens, in the order of cutting; with the flag `over_budget` if a section had to go.

    It always ends: each step makes something shorter or takes it away.
    """
    for cut in (_shorter_activated, _fewer_activated, _shorter_previous, _settled, _fewer_previous):
        while _tokens(draft, count) > room:
            shorter = cut(draft)
            if shorter is None:
                break
            draft = shorter
    if _tokens(draft, count) <= room:
        return draft
    return replace(_emptied(draft, room, count), flags=(*draft.flags, OVER_BUDGET))


def _section(part: Part, text: str, ids: tuple[str, ...], count: Count) -> Section:
    return Section(part=part, text=text, tokens=count(f"{HEADINGS[part]}\n{text}") if text else 0, ids=ids)


def _texts(shown: Sequence[ItemForm]) -> tuple[str, tuple[str, ...]]:
    standing = [(one.item.id, text) for one in shown if (text := one.text)]
    return "\n".join(text for _, text in standing), tuple(id_ for id_, _ in standing)


def _tokens(draft: Draft, count: Count) -> int:
    return sum(section.tokens for section in sections(draft, count))


def _place(item: MemoryItem, *, elsewhere: bool) -> str:
    kind = {Tier.TURN: f"Turn {item.index}", Tier.DOCUMENT: "Document"}.get(item.tier, "Memory")
    named = f" {inert(item.speaker, 80)}" if item.tier is Tier.DOCUMENT and item.speaker else ""
    named += f" of {inert(item.conversation, 80)}" if elsewhere else ""
    cut = ", answer cut off" if FLAG_CUT in item.flags else ""
    return f"{kind}{named}, {iso_day(item.created_at)}{cut}"


def _shorter(shown: Sequence[ItemForm], places: Sequence[int]) -> tuple[ItemForm, ...] | None:
    """The first of these places that has a summary of its own shown by it; `None` if none has."""
    for place in places:
        one = shown[place]
        if one.form is Form.RAW and one.item.summary and one.item.summary != one.item.raw:
            return (*shown[:place], replace(one, form=Form.SUMMARY), *shown[place + 1 :])
    return None


def _shorter_activated(draft: Draft) -> Draft | None:
    shown = _shorter(draft.activated, range(len(draft.activated) - 1, -1, -1))
    return None if shown is None else replace(draft, activated=shown)


def _fewer_activated(draft: Draft) -> Draft | None:
    alone = len(draft.activated) == 1 and not (draft.previous or draft.summary)
    return replace(draft, activated=draft.activated[:-1]) if draft.activated and not alone else None


def _shorter_previous(draft: Draft) -> Draft | None:
    shown = _shorter(draft.previous, range(len(draft.previous)))
    return None if shown is None else replace(draft, previous=shown)


def _settled(draft: Draft) -> Draft | None:
    return replace(draft, summary=draft.settled) if draft.summary != draft.settled else None


def _fewer_previous(draft: Draft) -> Draft | None:
    return replace(draft, previous=draft.previous[1:]) if len(draft.previous) > 1 else None


def _emptied(draft: Draft, room: int, count: Count) -> Draft:
    """What is left when even the shortest forms are too long: the last turn cut, without the scene, without the
    summary."""
    for shorter in (draft, replace(draft, scene=""), replace(draft, scene="", summary="")):
        cut = shorter
        while _tokens(cut, count) > room and (chars := _chars(cut)) > _LEAST:
            cut = _cut(cut, chars // 2)
        if _tokens(cut, count) <= room:
            return cut
    return Draft()


def _chars(draft: Draft) -> int:
    return max((len(one.text) for one in (*draft.previous, *draft.activated)), default=0)


def _cut(draft: Draft, chars: int) -> Draft:
    return replace(
        draft,
        previous=tuple(replace(one, chars=chars) for one in draft.previous),
        activated=tuple(replace(one, chars=chars) for one in draft.activated),
    )
