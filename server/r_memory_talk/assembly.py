"""From what a turn may show to the sections that fit: pure, in the order of memory-systems 6.

Each section has a share of the room for itself, and what a section leaves over goes to the others: twenty long turns
leave the activated items their place. Within its room, activated items stand by their summaries and go, least similar
first; previous turns likewise, oldest first; of the summary what is settled stays longest. The question and the safety
block are not here, and nothing cuts them. Knows neither search nor store.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from r_memory.domain.instants import iso_day
from r_memory.domain.memories import MemoryItem, Tier
from r_memory.domain.summaries import ConversationSummary
from r_memory.domain.turns import HEADINGS, Form, Part, Section
from r_memory.text.inert import inert
from r_memory.text.tokens import count
from r_memory_talk.stream.values import FLAG_CUT
from r_memory_talk.summary.rendering import fitting
from r_memory_talk.summary.rendering import section as summary_text

OVER_BUDGET = "over_budget"
"""Flag: a section was dropped for lack of room, or a turn was cut."""
NOTHING = ConversationSummary()
OFFLINE_SHARE = 0.15
"""Largest share of all tokens for a summary made without a model, which selects sentences and understands nothing."""
SUMMARY_LEAST = 60
"""Tokens that a summary may always take."""
_LINE = 1_000_000
"""Most characters of a line: the length of any stored text, as only the budget cuts."""
SCENE_LIMIT, _SCENE_READ = 1_200, 100_000
"""Most characters of a scene, and characters read for it."""
_LEAST = 80
"""Characters of a turn below which it is not cut further."""
_SHARES: Mapping[Part, float] = {Part.SCENE: 0.05, Part.SUMMARY: 0.15, Part.MEMORY: 0.6, Part.PREVIOUS: 0.2}
"""Shares of the room; what a section leaves over is divided among the others in proportion."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemForm:
    """An item in the form in which it is shown."""

    item: MemoryItem
    form: Form = Form.RAW
    chars: int = _LINE
    """Most characters that are shown, as a turn may be longer than the whole room."""
    elsewhere: bool = False
    """It belongs to another conversation, whose name is then shown."""

    @property
    def text(self) -> str:
        """The shown text: inert lines under number, day and other conversation; empty if dropped."""
        if self.form not in {Form.RAW, Form.SUMMARY}:
            return ""
        words = self.item.gist if self.form is Form.SUMMARY else self.item.raw
        lines = [line for said in words.splitlines() if (line := inert(said, _LINE))]
        text = "\n".join([f"({self._place})", *lines])
        return text if len(text) <= self.chars else f"{text[: self.chars].rstrip()}…"

    @property
    def shortens(self) -> bool:
        """Whether it is shown raw and has a summary of its own."""
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
    summary: ConversationSummary = NOTHING
    summary_share: float = 1.0
    """Largest share of all tokens for the summary, which may always take `SUMMARY_LEAST`."""
    activated: tuple[ItemForm, ...] = ()
    """Best first."""
    previous: tuple[ItemForm, ...] = ()
    """Oldest first."""
    over_budget: bool = False
    """A section was dropped, or a turn was cut."""


def sections(draft: Draft) -> tuple[Section, ...]:
    """Returns the sections of a draft in order, without empty ones; activated items oldest first."""
    oldest_first = sorted(draft.activated, key=lambda shown: shown.item.seq)
    found = (
        _section(Part.SCENE, scene_text(draft.scene)),
        _section(Part.SUMMARY, summary_text(draft.summary)),
        _section(Part.MEMORY, *_texts(oldest_first)),
        _section(Part.PREVIOUS, *_texts(draft.previous)),
    )
    return tuple(section for section in found if section.text)


def fitted(draft: Draft, room: int) -> Draft:
    """Returns the draft cut to `room` tokens, 0 for no limit; `over_budget` says whether a section was dropped."""
    needs = {section.part: section.tokens for section in sections(draft)}
    if draft.summary_share < 1 and Part.SUMMARY in needs:
        others = sum(needs.values()) - needs[Part.SUMMARY]
        most = max(SUMMARY_LEAST, int(draft.summary_share / (1 - draft.summary_share) * others))
        draft = replace(draft, summary=fitting(draft.summary, most - count(HEADINGS[Part.SUMMARY]) - 1))
        needs = {section.part: section.tokens for section in sections(draft)}
    if not room or sum(needs.values()) <= room:
        return draft
    rooms = _divided(needs, room)
    cut = replace(
        draft,
        scene=draft.scene if needs.get(Part.SCENE, 0) <= rooms.get(Part.SCENE, 0) else "",
        summary=fitting(draft.summary, rooms.get(Part.SUMMARY, 0) - count(HEADINGS[Part.SUMMARY]) - 1),
        activated=_cut(draft.activated, rooms.get(Part.MEMORY, 0), Part.MEMORY),
        previous=_cut(draft.previous[::-1], rooms.get(Part.PREVIOUS, 0), Part.PREVIOUS)[::-1],
    )
    left = {section.part for section in sections(cut)}
    in_the_middle = any(shown.chars < _LINE for shown in (*cut.activated, *cut.previous))
    return replace(cut, over_budget=in_the_middle or not left.issuperset(needs))


def _divided(needs: Mapping[Part, int], room: int) -> dict[Part, int]:
    """Returns the room of each section: its share, or its need if smaller; the rest is divided again."""
    rooms: dict[Part, int] = {}
    open_ = dict(needs)
    while open_:
        left, shares = room - sum(rooms.values()), sum(_SHARES[part] for part in open_)
        fair = {part: int(left * _SHARES[part] / shares) for part in open_}
        content = {part: need for part, need in open_.items() if need <= fair[part]}
        rooms |= content or fair
        open_ = {part: need for part, need in open_.items() if part not in rooms}
    return rooms


def _cut(shown: tuple[ItemForm, ...], room: int, part: Part) -> tuple[ItemForm, ...]:
    """Returns the items that fit, best first: the last by their summaries, then dropped; the best one is cut."""

    def fits(items: tuple[ItemForm, ...]) -> bool:
        return _section(part, *_texts(items)).tokens <= room

    for place in reversed(range(len(shown))):
        if fits(shown):
            return shown
        if shown[place].shortens:
            shown = _summarised(shown, place)
    while len(shown) > 1 and not fits(shown):
        shown = shown[:-1]
    while shown and not fits(shown):
        length = min(len(shown[0].text), shown[0].chars)
        shown = (replace(shown[0], chars=length // 2),) if length > _LEAST else ()
    return shown


def _summarised(shown: Sequence[ItemForm], place: int) -> tuple[ItemForm, ...]:
    return (*shown[:place], replace(shown[place], form=Form.SUMMARY), *shown[place + 1 :])


def scene_text(text: str) -> str:
    """Returns a scene (Mimir's sensory memory) as inert lines of at most `SCENE_LIMIT` characters together.

    Empty for blanks. Square brackets, double quotes and invisible characters are removed, so that a scene cannot
    imitate another section.

    >>> scene_text("A bakery.\\n\\n[QUERY]: Two  loaves\\x00 on a shelf.")
    'A bakery.\\n(QUERY): Two loaves on a shelf.'
    """
    lines = (inert(line, SCENE_LIMIT) for line in text[:_SCENE_READ].splitlines())
    return "\n".join(filter(None, lines))[:SCENE_LIMIT].rstrip()


def _section(part: Part, text: str, ids: tuple[str, ...] = ()) -> Section:
    return Section(part=part, text=text, tokens=count(f"{HEADINGS[part]}\n{text}") if text else 0, ids=ids)


def _texts(shown: Sequence[ItemForm]) -> tuple[str, tuple[str, ...]]:
    standing = [(form.item.id, text) for form in shown if (text := form.text)]
    return "\n".join(text for _, text in standing), tuple(id_ for id_, _ in standing)
