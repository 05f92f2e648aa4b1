"""From what a turn may show to the sections that fit: pure, in the order of memory-systems 6.

When there is too little room, activated items go first (to their summaries, then away, least similar first), then
previous turns to their summaries, then the structured summary to its settled fields. The question and the safety block
are not here, and nothing cuts them. Knows neither search nor store.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from r_memory.domain.instants import iso_day
from r_memory.domain.memories import MemoryItem, Tier
from r_memory.domain.turns import HEADINGS, Form, Part, Section
from r_memory.text.inert import inert
from r_memory.text.tokens import count
from r_memory_talk.stream.values import FLAG_CUT

OVER_BUDGET = "over_budget"
"""Flag: not everything fitted even in its shortest form, so something was dropped or stands above the budget."""
_LINE = 1_000_000
"""Characters of a line: as long as anything that is stored; the budget cuts, not this."""
SCENE_LIMIT, _SCENE_READ = 1_200, 100_000
"""Characters of a scene, and how many are read for them."""
_LEAST = 80
"""Characters of a turn below which it is no use to cut it further."""


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
        """As it stands in a context: inert lines under number, day and other conversation; empty if dropped."""
        if self.form not in {Form.RAW, Form.SUMMARY}:
            return ""
        words = self.item.gist if self.form is Form.SUMMARY else self.item.raw
        lines = [line for said in words.splitlines() if (line := inert(said, _LINE))]
        text = "\n".join([f"({self._place})", *lines])
        return text if len(text) <= self.chars else f"{text[: self.chars].rstrip()}…"

    @property
    def shortens(self) -> bool:
        """Whether it stands raw and has a summary of its own."""
        return self.form is Form.RAW and self.item.summary not in {"", self.item.raw}

    @property
    def _place(self) -> str:
        item = self.item
        kind = {Tier.TURN: f"Turn {item.index}", Tier.DOCUMENT: "Document"}.get(item.tier, "Memory")
        named = f" {inert(item.speaker, 80)}" if item.tier is Tier.DOCUMENT and item.speaker else ""
        named += f" of {inert(item.conversation, 80)}" if self.elsewhere else ""
        cut = ", answer cut off" if FLAG_CUT in item.flags else ""
        return f"{kind}{named}, {iso_day(item.created_at)}{cut}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """Everything that a turn may show."""

    scene: str = ""
    summary: str = ""
    settled: str = ""
    """Its settled fields only."""
    activated: tuple[ItemForm, ...] = ()
    """Best first."""
    previous: tuple[ItemForm, ...] = ()
    """Oldest first."""
    over_budget: bool = False
    """Something had to go that should have stayed."""


def sections(draft: Draft) -> tuple[Section, ...]:
    """The sections of a draft in their order, without the empty ones; activated items oldest first."""
    oldest_first = sorted(draft.activated, key=lambda shown: shown.item.seq)
    found = (
        _section(Part.SCENE, scene_text(draft.scene)),
        _section(Part.SUMMARY, draft.summary),
        _section(Part.MEMORY, *_texts(oldest_first)),
        _section(Part.PREVIOUS, *_texts(draft.previous)),
    )
    return tuple(section for section in found if section.text)


def fitted(draft: Draft, room: int) -> Draft:
    """The draft cut to so many tokens, in the order of cutting; `over_budget` if a section had to go."""
    shorter = draft
    for shorter in _ever_shorter(draft):
        if _tokens(shorter) <= room:
            return shorter
    return replace(_emptied(shorter, room), over_budget=True)


def _ever_shorter(draft: Draft) -> Iterator[Draft]:
    """The draft, and what is left of it after each cut: activated items first, least similar first."""
    yield draft
    for place in reversed(range(len(draft.activated))):
        if draft.activated[place].shortens:
            draft = replace(draft, activated=_summarised(draft.activated, place))
            yield draft
    alone = not (draft.previous or draft.summary)
    while len(draft.activated) > alone:
        draft = replace(draft, activated=draft.activated[:-1])
        yield draft
    for place in range(len(draft.previous)):
        if draft.previous[place].shortens:
            draft = replace(draft, previous=_summarised(draft.previous, place))
            yield draft
    draft = replace(draft, summary=draft.settled)
    yield draft
    while len(draft.previous) > 1:
        draft = replace(draft, previous=draft.previous[1:])
        yield draft


def _summarised(shown: Sequence[ItemForm], place: int) -> tuple[ItemForm, ...]:
    return (*shown[:place], replace(shown[place], form=Form.SUMMARY), *shown[place + 1 :])


def scene_text(text: str) -> str:
    """A scene (Mimir's sensory memory) as inert lines of together at most `SCENE_LIMIT` characters; empty for blanks.

    Square brackets, double quotes and what cannot be seen are gone, so that it can pose as nothing else.

    >>> scene_text("A bakery.\\n\\n[QUERY]: Two  loaves\\x00 on a shelf.")
    'A bakery.\\n(QUERY): Two loaves on a shelf.'
    """
    lines = (inert(line, SCENE_LIMIT) for line in text[:_SCENE_READ].splitlines())
    return "\n".join(filter(None, lines))[:SCENE_LIMIT].rstrip()


def _section(part: Part, text: str, ids: tuple[str, ...] = ()) -> Section:
    return Section(part=part, text=text, tokens=count(f"{HEADINGS[part]}\n{text}") if text else 0, ids=ids)


def _texts(shown: Sequence[ItemForm]) -> tuple[str, tuple[str, ...]]:
    standing = [(one.item.id, text) for one in shown if (text := one.text)]
    return "\n".join(text for _, text in standing), tuple(id_ for id_, _ in standing)


def _tokens(draft: Draft) -> int:
    return sum(section.tokens for section in sections(draft))


def _emptied(draft: Draft, room: int) -> Draft:
    """What is left when even the shortest forms are too long: the last turn cut, without scene, without summary."""
    for shorter in (draft, replace(draft, scene=""), replace(draft, scene="", summary="")):
        cut = shorter
        while _tokens(cut) > room:
            longest = max((len(one.text) for one in (*cut.previous, *cut.activated)), default=0)
            if longest <= _LEAST:
                break
            previous, activated = (
                tuple(replace(one, chars=longest // 2) for one in shown) for shown in (cut.previous, cut.activated)
            )
            cut = replace(cut, previous=previous, activated=activated)
        if _tokens(cut) <= room:
            return cut
    return Draft()
