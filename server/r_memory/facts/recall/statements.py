"""Statements that wait unread, held against a request: which of them name, or may mean, a thing that it names.

Pure. What was not read is no fact; but words that name the very thing are shown as loudly as one.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from r_memory.domain.blocks import Match, MatchLevel
from r_memory.domain.events import Episode
from r_memory.domain.facts import Entity, concept
from r_memory.facts.recall.matching import Matcher, strength
from r_memory.reading.reader import Reader
from r_memory.text.inert import inert_name

NOT_COMPARED = (Match(requested="something that is asked for", level=MatchLevel.CLASS, text="not compared in time"),)
"""How a statement bears on the request that could not be read against it: it may."""
_WORD = re.compile(r"[^\W\d_][\w-]{4,}")
_MOST_WORDS = 400
"""Different words of one statement whose spelling is forgiven; terms that are spelt right are found in all of it."""


def bearing(
    episodes: Iterable[Episode],
    matcher: Matcher,
    *,
    reader: Reader,
    types: Sequence[str],
    unrecognised: Sequence[str],
) -> Mapping[str, tuple[Match, ...]]:
    """Id of each statement that bears on the request, to how, strongest first.

    `types` are those of which a misspelt word may be; `unrecognised` is what the request names and nothing knows.
    """
    found: dict[str, tuple[Match, ...]] = {}
    for episode in episodes:
        matches = [match for one in _named(episode.text, reader, types) for match in matcher.of(one, carries=True)]
        matches += _same_words(episode.text, unrecognised)
        strongest: dict[str, Match] = {}
        for match in sorted(matches, key=strength):
            strongest.setdefault(match.requested, match)
        if strongest:
            found[episode.id] = tuple(strongest.values())
    return found


def _named(text: str, reader: Reader, types: Sequence[str]) -> Iterable[Entity]:
    """What the text names, whatever it says of it, misspelt words included."""
    words = list(dict.fromkeys(_WORD.findall(text)))[:_MOST_WORDS]
    near = (mention for word in words for mention in reader.linker.resolve(word, types))
    entities = (concept(mention.type, mention.name) for mention in (*reader.named(text).mentions, *near))
    return {entity.uid: entity for entity in entities}.values()


def _same_words(text: str, unrecognised: Sequence[str]) -> Iterator[Match]:
    for name in unrecognised:
        if name.casefold() in text.casefold():
            yield Match(requested=inert_name(name), level=MatchLevel.NAME_ONLY, text=inert_name(name))
