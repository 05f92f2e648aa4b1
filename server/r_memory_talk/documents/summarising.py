"""Summaries of a document: block by block with the one before as background, then groups of them until one is left.

Knows the arithmetic (memory-systems 1.7) and asks a `Shortener`; what is stored, and when, is the business of
`ingesting.py`. Whatever a shortener answers, what comes back is never empty and within its bounds.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil

from r_memory.documents.values import clean
from r_memory.domain.documents import Plan
from r_memory.protocols import Shortener, Shortening
from r_memory.text.sentences import words_in
from r_memory.text.tokens import count
from r_memory_talk.documents.splitting import BLOCK_TOKENS, MEETING_TOKENS
from r_memory_talk.shortening import fitted

BLOCK_WORDS = 500
"""Most words of a block's summary (SCM 34)."""
LONGEST_TOKENS = 1000
"""Most tokens of any summary but the last; two of them always fit into a group."""
RAW_BACKGROUND = 500
"""Tokens below which the block before is the background as it is, else its summary (SCM 34)."""
OPENING_CHARS = 1200
THEME_CHARS = 100
"""Characters from which a theme is taken, and its length limit (SCM 35)."""
_THEME_WORDS = 16
GROUP_TOKENS = 2300
_WINDOW, _MARGIN = 4000, 400
"""Context of the paper's model, and the part it kept free, in tokens (SCM 36)."""
_CAP, _LAST_CAP = 1000, 1500
_COMPACT = 0.3
"""Share of a group that its summary keeps."""
_LEAST = 50
"""Tokens that a summary may always have."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShortText:
    """A summary."""

    text: str
    cut: bool = False
    """The shortener did not shorten: the text was cut, or is as long as before."""


async def theme_of(shortener: Shortener, text: str) -> str:
    """Returns the theme of a meeting, from its opening, in one line of at most 100 characters (SCM 35)."""
    opening = text.strip()[:OPENING_CHARS]
    answered = await shortener.shorten(opening, Shortening(kind="theme", words=_THEME_WORDS))
    return " ".join(clean(answered).split())[:THEME_CHARS].rstrip()


def background_of(previous: str, summary: str) -> str:
    """Returns the block before as background: itself if short, else its summary (SCM 34)."""
    return previous if count(previous) < RAW_BACKGROUND else summary


def block_tokens(plan: Plan) -> int:
    """Returns the tokens of the longest block."""
    return MEETING_TOKENS if plan.meeting else BLOCK_TOKENS


async def block_summary(shortener: Shortener, block: str, *, plan: Plan, theme: str, background: str) -> ShortText:
    """Returns the summary of a block in at most 500 words (SCM 34).

    `background` is not repeated; it is empty for the first block.
    """
    task = Shortening(kind="block", words=BLOCK_WORDS, background=background, theme=theme, question=plan.question)
    return _bounded(await shortener.shorten(block, task), of=block, words=BLOCK_WORDS, tokens=LONGEST_TOKENS)


async def group_summary(
    shortener: Shortener, summaries: Sequence[str], *, plan: Plan, theme: str, only: bool
) -> ShortText:
    """Returns several summaries as one, within `group_budget` tokens; `only`: there is no other group."""
    text = "\n\n".join(summaries)
    tokens = count(text)
    budget = group_budget(tokens, only=only)
    # The most compact 30 %, in the words of this very text.
    wanted = min(budget, max(ceil(_COMPACT * tokens), _LEAST))
    words = max(words_in(text) * wanted // max(tokens, 1), 1)
    task = Shortening(kind="group", words=words, theme=theme, question=plan.question)
    short = _bounded(await shortener.shorten(text, task), of=text, words=None, tokens=budget)
    return short if count(short.text) < tokens else replace(short, cut=True)


def group_budget(tokens: int, *, only: bool) -> int:
    """Returns the most tokens for the summary of a group of `tokens` tokens (SCM 36).

    >>> group_budget(2000, only=False), group_budget(2000, only=True), group_budget(2900, only=False)
    (1000, 1300, 700)
    """
    return max(min(_WINDOW - max(tokens, GROUP_TOKENS) - _MARGIN, _LAST_CAP if only else _CAP), _LEAST)


def grouped(summaries: Sequence[str], limit: int = GROUP_TOKENS) -> tuple[tuple[int, ...], ...]:
    """Returns the positions of neighbours to summarise together: as many as fit, at least one.

    Two summaries of `LONGEST_TOKENS` always fit, so that each level has at most half as many as the one below.

    >>> grouped(["word " * 40, "word " * 40, "word " * 40], limit=100)
    ((0, 1), (2,))
    """
    groups: list[list[int]] = []
    tokens = 0
    for position, summary in enumerate(summaries):
        length = count(summary)
        if groups and tokens + length <= limit:
            groups[-1].append(position)
            tokens += length
        else:
            groups.append([position])
            tokens = length
    return tuple(map(tuple, groups))


def _bounded(answered: str, *, of: str, words: int | None, tokens: int) -> ShortText:
    """Returns an answer within its bounds; an empty one, or one longer than its source, is replaced by a cut."""
    text = clean(answered).strip()
    empty = not text
    text = text or of.strip()
    within = count(text) <= tokens and (words is None or words_in(text) <= words)
    if within:
        return ShortText(text=text, cut=empty or count(text) > count(of.strip()))
    return ShortText(text=_cut(text, words, tokens), cut=True)


def _cut(text: str, words: int | None, tokens: int) -> str:
    """Returns as many whole sentences as fit, else as many words."""
    limit = words_in(text) if words is None else words
    while count(shorter := fitted(text, limit)) > tokens and limit > 1:
        limit = max(min(limit - 1, limit * tokens // count(shorter)), 1)
    return shorter
