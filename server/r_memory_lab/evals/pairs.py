"""Suites `paraphrases` (T-9), `languages` (T-10) and `elliptic` (T-20): a statement, and a question that it answers.

All statements of a set are one conversation, with made-up talk between them where the set is small; each question is
asked read-only. The sets of the repository are in `evals/sets`; anybody's own lines in the same form will do.
"""

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence

from pydantic import Field

from r_memory.memory import Memory
from r_memory_lab.bench.gossip import gossip
from r_memory_lab.evals.measures import Figure, difference, share
from r_memory_lab.evals.outcomes import CaseOutcome
from r_memory_lab.evals.retrieval import ToldConversation, tell
from r_memory_lab.evals.rows import DataRow, reads
from r_memory_lab.scorings import COMPARED
from r_memory_talk.stream.scoring import DEFAULT
from r_memory_talk.stream.stream import Stream
from r_memory_talk.stream.values import NewTurn

PARAPHRASES, LANGUAGES, ELLIPTIC = "paraphrases.jsonl", "languages.jsonl", "elliptic.jsonl"
K = 5
SYSTEMS = ("mimir", "cim", "cim_original", "cim_plus", DEFAULT, "naive", "words")
WINDOWS = (0, 2, 4, 6, 8)
"""Numbers of messages before the question that are looked up with it; 0: only the question."""
BETWEEN = 5
"""Made-up turns after each statement."""
NEUTRAL = ("Oh, nice.", "Really?", "I see.", "Yes, quite.", "Well, well.", "Sounds good.", "Hm.", "Right.")
"""Messages without any topic."""
_MINUTE = 60_000


class AskedPair(DataRow):
    """A statement and a question."""

    told: str
    asked: str
    lang: str = ""
    mention: str = ""
    """A message before the question that names its object."""
    back: int = Field(default=1, ge=1, le=len(NEUTRAL))
    """How many messages before the question `mention` is."""


class Got(DataRow):
    """Whether each way found the statement."""

    found: Mapping[str, bool]


paraphrases = reads(PARAPHRASES, AskedPair)
"""Pairs that share no word."""


languages = reads(LANGUAGES, AskedPair)
"""The same pairs in several languages."""


elliptic = reads(ELLIPTIC, AskedPair)
"""Questions that name nothing, with the message that did."""


async def ask_profiles(memory: Memory, pairs: Sequence[AskedPair], done: Callable[[], None]) -> tuple[Got, ...]:
    """Returns what each profile chooses, and for CIM the first without its threshold."""
    talk = await _talk_with(memory.talk.stream, "paraphrases", pairs, between=BETWEEN)
    got = []
    for pair in pairs:
        found = {name: await _chosen(memory.talk.stream, talk, pair, name) for name in SYSTEMS}
        got.append(
            Got(id=pair.id, found={**found, "cim without threshold": await _ranked(memory.talk.stream, talk, pair)})
        )
        done()
    return tuple(got)


async def ask_languages(memory: Memory, pairs: Sequence[AskedPair], done: Callable[[], None]) -> tuple[Got, ...]:
    """Returns what the default profile, Mimir's and words alone choose; all languages share a conversation."""
    talk = await _talk_with(memory.talk.stream, "languages", _mixed(pairs), between=0)
    got = []
    for pair in pairs:
        names = (DEFAULT, "mimir", "words", "cim")
        got.append(
            Got(id=pair.id, found={name: await _chosen(memory.talk.stream, talk, pair, name) for name in names}),
        )
        done()
    return tuple(got)


async def ask_windows(memory: Memory, pairs: Sequence[AskedPair], done: Callable[[], None]) -> tuple[Got, ...]:
    """Returns what the default profile chooses, for each window of messages before the question."""
    talk = await _talk_with(memory.talk.stream, "elliptic", pairs, between=BETWEEN)
    got = []
    for pair in pairs:
        found = {}
        for window in WINDOWS:
            found[str(window)] = await _chosen(memory.talk.stream, talk, pair, DEFAULT, window)
        got.append(Got(id=pair.id, found=found))
        done()
    return tuple(got)


def of_paraphrases(pairs: Sequence[AskedPair], got: Sequence[Got]) -> CaseOutcome:
    """Returns the recall of each profile, and the difference of Mimir's and CIM's."""
    del pairs  # what was found says it all
    by_name = _columns(got)
    return CaseOutcome(
        figures=(
            difference(f"recall@{K}, mimir minus cim", by_name["mimir"], by_name["cim"], aim=">= 20 points"),
            difference(f"recall@{K}, mimir minus cim without threshold", by_name["mimir"],
                       by_name["cim without threshold"]),
            *_recalls(by_name),
        ),
        details={f"Not among the first {K} of mimir": [row.id for row in got if not row.found["mimir"]]},
    )  # fmt: skip


def of_languages(pairs: Sequence[AskedPair], got: Sequence[Got]) -> CaseOutcome:
    """Returns the recall by language, and the difference from English."""
    lang = {pair.id: pair.lang for pair in pairs}
    codes = list(dict.fromkeys(pair.lang for pair in pairs))
    columns = {code: _columns([row for row in got if lang[row.id] == code]) for code in codes}
    english = sum(columns["en"][DEFAULT]) / len(columns["en"][DEFAULT]) if "en" in columns else 0.0
    gaps = [
        Figure(
            name=f"{code} minus English",
            value=100 * (sum(found[DEFAULT]) / len(found[DEFAULT]) - english),
            n=len(found[DEFAULT]),
            unit="points",
            aim=">= -10 points",
        )
        for code, found in columns.items()
        if code != "en"
    ]
    return CaseOutcome(
        figures=(*(_recall(f"{code}: recall@{K}", found[DEFAULT]) for code, found in columns.items()), *gaps),
        groups={
            f"By profile, {code}": [_recall(f"{name}: recall@{K}", found[name]) for name in found]
            for code, found in columns.items()
        },
        details={f"Not among the first {K}": [row.id for row in got if not row.found[DEFAULT]]},
    )


def of_windows(pairs: Sequence[AskedPair], got: Sequence[Got]) -> CaseOutcome:
    """Returns the recall by window, and the gain of a window of four."""
    del pairs  # what was found says it all
    by_name = _columns(got)
    gains = (
        difference(f"recall@{K}, window {window} minus last message", by_name[str(window)], by_name["0"],
                   aim=">= 30 points" if window == 4 else "")
        for window in WINDOWS[1:]
    )  # fmt: skip
    recalls = (_recall(f"window {window}: recall@{K}", by_name[str(window)]) for window in WINDOWS)
    return CaseOutcome(
        figures=(*gains, *recalls),
        details={
            f"Not among the first {K} with a window of {window}": [row.id for row in got if not row.found[str(window)]]
            for window in WINDOWS[2:]
        },
    )


def _columns(got: Sequence[Got]) -> dict[str, list[float]]:
    names = list(got[0].found) if got else []
    return {name: [float(row.found[name]) for row in got] for name in names}


def _recalls(columns: Mapping[str, Sequence[float]]) -> Iterator[Figure]:
    return (_recall(f"{name}: recall@{K}", found) for name, found in columns.items())


def _recall(name: str, found: Sequence[float]) -> Figure:
    return share(name, int(sum(found)), len(found))


def _mixed(pairs: Sequence[AskedPair]) -> list[AskedPair]:
    """Returns the statements with languages in turn, as multilingual speakers may talk."""
    codes = {code: [pair for pair in pairs if pair.lang == code] for code in dict.fromkeys(p.lang for p in pairs)}
    return [pair for rank in itertools.zip_longest(*codes.values()) for pair in rank if pair is not None]


async def _talk_with(stream: Stream, name: str, pairs: Sequence[AskedPair], *, between: int) -> ToldConversation:
    lines = gossip(3)
    said: list[tuple[str, str, str]] = []
    for pair in pairs:
        said.append(("Ann", pair.told, f"{name}/{pair.id}"))
        for _ in range(between):
            who, words = next(lines)
            said.append((who, words, f"{name}/talk/{len(said)}"))
    talk = ToldConversation(
        name=name,
        turns=tuple(
            NewTurn(conversation=name, speaker=who, observation=words, said_at=place * _MINUTE, key=key)
            for place, (who, words, key) in enumerate(said)
        ),
    )
    await tell(stream, talk)
    return talk


def _before(pair: AskedPair) -> list[str]:
    """Returns the messages before the question, newest last: one names its object, the others no topic."""
    messages = list(NEUTRAL)
    messages[-pair.back] = pair.mention or messages[-pair.back]
    return messages


async def _chosen(stream: Stream, talk: ToldConversation, pair: AskedPair, profile: str, window: int = 0) -> bool:
    found = await stream.search(
        pair.asked,
        conversation=talk.name,
        scoring=COMPARED[profile],
        k=K,
        recent=_before(pair)[-window:] if window else (),
        now=talk.asked_at,
    )
    return f"{talk.name}/{pair.id}" in {hit.item.id for hit in found.chosen}


async def _ranked(stream: Stream, talk: ToldConversation, pair: AskedPair) -> bool:
    found = await stream.search(pair.asked, conversation=talk.name, scoring=COMPARED["cim"], k=0, now=talk.asked_at)
    return f"{talk.name}/{pair.id}" in {item.id for item in found.ranked[:K]}
