"""Shortening without a model: the sentences of a text that say most of it, in their order and their own words.

A sentence counts for how much of the rest it resembles (degree centrality over tf-idf, as in Erkan and Radev's LexRank
2004, in one pass instead of a matrix), where it stands, and what the task asks for. Nothing is ever reworded, so
nothing is made up. Deterministic, linear but for one sort, any script.
"""

import asyncio
import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from r_memory.domain.memories import MemoryItem
from r_memory.protocols import Shortener, Shortening
from r_memory.text.sentences import PromptLanguage, clauses, cut, sentences, words_in
from r_memory.text.sentences import language_of as prompt_language_of
from r_memory.text.tokens import count, fits
from r_memory_talk.language import words as words_of
from r_memory_talk.stream.values import NewTurn
from r_memory_talk.stream.words import Term, function_characters, has_cjk, language_of, normalised, terms

NAME = "extractive/1"
THEME_LIMIT = 100
"""Most characters of a theme (SCM 35)."""
_KNOWN = 0.8
"""Overlap with earlier sentences from which a sentence is left out."""
_BACKGROUND = 200
"""Sentences of the background that are compared, from its end."""
_LEAD = {"turn": 0.3, "window": 0.0, "block": 0.15, "group": 0.15, "theme": 0.3}
"""Weight of being the first sentence; in a window of turns, position has no weight."""
_TELLING = {"turn": 0.5, "window": 0.8, "block": 0.2, "group": 0.2, "theme": 0.2}
"""Weight of rare words, beside resemblance to the rest: what matters in a talk is often said once."""
_QUESTION, _THEME, _SAID = 2.0, 0.3, 1.0
_FIGURES = 0.1
"""Weight of a number in a sentence, as dates, doses and amounts are asked for later."""
_SLIGHT = 4
"""Terms at which a sentence counts half, as greetings and echoes are short."""
_ASKING = 0.5
"""Weight of a question in a window of turns, relative to a statement."""
_QUESTION_MARKS = ("?", "\uff1f")
_SAMPLE = 4_000
LABEL = re.compile(r"(?P<name>[^\W\d_][\w.'-]{0,29}(?: [\w.'-]{1,30}){0,2})[:\uff1a]\s*")
"""The speaker's name before the words."""
_BEARING = 1 / 3
"""Share of the weight of a question's words that a sentence must hold to bear on it."""
_DIGIT = re.compile(r"\d")
_PHRASE = re.compile(r"[^\W_]+(?:['’&.-][^\W_]+)*")  # noqa: RUF001 - a typographic apostrophe is meant
_LONGEST_PHRASE = 4
_LONGEST_HAN_PHRASE = 8
LIMIT_TOKENS = 300
"""Tokens up to which a turn is its own summary (SCM-25)."""
SENTENCE_WORDS: dict[PromptLanguage, int] = {"en": 40, "zh": 80}
"""Most words for each side, in Chinese characters: the length of a long sentence."""
_SIDES: dict[PromptLanguage, tuple[str, str]] = {"en": ("User", "Assistant"), "zh": ("用户", "助手")}
_MARK: dict[PromptLanguage, str] = {"en": ": ", "zh": "\uff1a"}

Weights = Mapping[Term, float]


class ExtractiveShortener:
    """A `Shortener` without a model; never raises."""

    name = NAME

    async def shorten(self, text: str, task: Shortening) -> str:
        """Returns the short text, as `Shortener.shorten`."""
        # Beside the event loop, where others wait for a few milliseconds at most.
        return await asyncio.to_thread(shortened, text, task)


async def turn_summary(shortener: Shortener, turn: NewTurn) -> str:
    """Returns one paragraph for each side with words, under its speaker; empty if the turn is its own summary.

    A side without a name is "user" or "assistant", in the language of a prompt about the turn (SCM-26).
    """
    whole = "\n".join(filter(None, (turn.observation, turn.response)))
    if fits(count(whole), LIMIT_TOKENS):
        return ""
    language = prompt_language_of(whole)
    task = Shortening(kind="turn", words=SENTENCE_WORDS[language])
    user, assistant = _SIDES[language]
    sides = [
        f"{name}{_MARK[language]}{' '.join((await shortener.shorten(said, task)).split())}"
        for name, said in ((turn.speaker or user, turn.observation), (turn.responder or assistant, turn.response))
        if said.strip()
    ]
    return "\n\n".join(sides)


def focused(item: MemoryItem, question: str) -> MemoryItem:
    """Returns the item with the parts that bear on the question in its summary, for an item too long to stand raw.

    An item with objections keeps only its own words.
    """
    if item.objections:
        return item
    words = 2 * SENTENCE_WORDS[prompt_language_of(item.raw[:_SAMPLE])]
    sides = ((item.speaker, item.observation), (item.responder, item.response))
    bearing = [(who, bearing_on(question, said, words)) for who, said in sides]
    more = [f"{who}: … {found}" if who else found for who, found in bearing if found not in item.summary]
    return replace(item, summary="\n".join(filter(None, (item.summary, *more))))


def shortened(text: str, task: Shortening) -> str:
    """Returns the text in at most `task.words` words (at least one), in whole sentences if one fits.

    What `task.background` says is left out if anything else remains. A theme is one line of at most `THEME_LIMIT`
    characters.

    >>> shortened("Hello! I moved to Bern in May. Nice weather.", Shortening(kind="turn", words=6))
    'I moved to Bern in May.'
    """
    bare = text.strip()
    if task.kind == "theme":
        return theme_of(bare, task.words)
    if words_in(bare) <= max(task.words, 1):
        return bare
    return _extracted(sentences(bare), task)


def fitted(text: str, words: int) -> str:
    """Returns the first sentences that fit into `words` words; if the first is longer, its beginning.

    >>> fitted("It rained. We stayed at home. We slept.", 6)
    'It rained. We stayed at home.'
    """
    if words_in(text) <= max(words, 1):
        return text
    left, kept = words, list[str]()
    for sentence in sentences(text):
        left -= words_in(sentence)
        if left < 0:
            break
        kept.append(sentence)
    return together(kept) or cut(text, words)


def bearing_on(question: str, text: str, words: int) -> str:
    """Returns the sentences that hold most of the question's words, in order, in at most `words` words.

    Empty if no sentence holds a third of the question's weight.

    >>> bearing_on("Where is the tent?", "It rained a lot. The tent is with Oskar. We drank tea.", 10)
    'The tent is with Oskar.'
    """
    parts = [piece for part in sentences(text) for piece in _pieces(part, words)]
    language = language_of(text[:_SAMPLE])
    held = [frozenset(terms(part, language)) for part in parts]
    asked, rare = set(terms(question, language)), _rarity(list(map(list, held)))
    told = {place: sum(rare[term] for term in asked & found) for place, found in enumerate(held)}
    least = _BEARING * sum(rare.get(term, 0.0) for term in asked)
    left, chosen = words, list[int]()
    for place in sorted(told, key=lambda place: -told[place]):
        if told[place] <= 0 or told[place] < least:
            break
        if (length := words_in(parts[place])) <= left:
            chosen.append(place)
            left -= length
    return together([parts[place] for place in sorted(chosen)])


def _pieces(sentence: str, words: int) -> list[str]:
    """Returns the sentence, or its parts between pauses if it is longer."""
    if words_in(sentence) <= words:
        return [sentence]
    return [" ".join(part.split()) for part in clauses(sentence) if part.strip()]


def theme_of(text: str, words: int = THEME_LIMIT) -> str:
    """Returns the theme of a text in one line of at most `THEME_LIMIT` characters: the text itself, or key phrases.

    >>> theme_of("The budget of the bridge. The bridge needs a budget. We met.")
    'The budget of the bridge. The bridge needs a budget. We met.'
    """
    line = " ".join(text.split())
    if len(line) <= THEME_LIMIT and words_in(line) <= max(words, 1):
        return line
    chosen: list[str] = []
    for phrase in key_phrases(text):
        longer = "; ".join([*chosen, phrase])
        if len(longer) <= THEME_LIMIT and words_in(longer) <= words:
            chosen.append(phrase)
    return "; ".join(chosen) or cut(line[:THEME_LIMIT], words)[:THEME_LIMIT]


def key_phrases(text: str) -> tuple[str, ...]:
    """Returns phrases that recur in a text, best first: words between function words (RAKE, Rose et al. 2010).

    A phrase whose words all stand in a better one is left out. Numbers divide phrases too.
    """
    stop = words_of("function_words", language_of(text[:_SAMPLE]))
    runs = [run for sentence in sentences(text) for run in _runs(LABEL.sub("", sentence, count=1), stop)]
    often: Counter[str] = Counter(word for run in runs for word in {normalised(part) for part in run})
    shown: dict[tuple[str, ...], str] = {}
    for run in runs:
        shown.setdefault(tuple(normalised(part) for part in run), " ".join(run))
    ranked = sorted(shown, key=lambda key: -sum(often[word] ** 2 for word in key) / math.sqrt(len(key)))
    known: set[str] = set()
    found: list[str] = []
    for key in ranked:
        if not known.issuperset(key):
            known.update(key)
            found.append(shown[key])
    return tuple(found)


@dataclass(frozen=True, slots=True)
class _Sentence:
    place: int
    text: str
    words: int
    terms: Weights
    """Weights of the terms, normalised to length 1."""
    said: float
    """Similarity to the nearest sentence of the background."""


def _extracted(parts: Sequence[str], task: Shortening) -> str:
    language = language_of(" ".join(parts)[:_SAMPLE])

    def terms_of(text: str) -> list[Term]:
        return terms(LABEL.sub("", text, count=1), language)

    spoken = [terms_of(part) for part in parts]
    rare = _rarity(spoken)
    background = [_weights(terms_of(part), rare) for part in sentences(task.background)[-_BACKGROUND:]]
    weighed = [_weights(words, rare) for words in spoken]
    found = [
        _Sentence(place, part, words_in(part), vector, max((_dot(vector, item) for item in background), default=0.0))
        for place, (part, vector) in enumerate(zip(parts, weighed, strict=True))
    ]
    asked, theme = (_weights(terms_of(text), rare) for text in (task.question, task.theme))
    scores = _scores(found, task, asked, theme)
    ranked = sorted(found, key=lambda sentence: (-scores[sentence.place], sentence.place))
    chosen = sorted(_chosen(ranked, max(task.words, 1)), key=lambda sentence: sentence.place)
    return together([sentence.text for sentence in chosen]) or cut(ranked[0].text, task.words)


def _chosen(ranked: Sequence[_Sentence], words: int) -> list[_Sentence]:
    """Returns the best sentences that fit and repeat neither background nor a better one; else the best that fits."""
    taken, left, chosen = set[Term](), words, list[_Sentence]()
    for sentence in ranked:
        known = sum(weight * weight for term, weight in sentence.terms.items() if term in taken)
        if sentence.words <= left and known < _KNOWN and sentence.said < _KNOWN:
            taken.update(sentence.terms)
            chosen.append(sentence)
            left -= sentence.words
    return chosen or [sentence for sentence in ranked if sentence.words <= words][:1]


def _scores(found: Sequence[_Sentence], task: Shortening, asked: Weights, theme: Weights) -> Mapping[int, float]:
    centre: Counter[Term] = Counter()
    for sentence in found:
        centre.update(sentence.terms)
    central = [max(0.0, _dot(sentence.terms, centre) - 1) for sentence in found]
    # Where no two sentences share a term, what is left are rounding errors.
    most = max(*central, 1e-6)
    scores: dict[int, float] = {}
    for sentence, near in zip(found, central, strict=True):
        asks = task.kind == "window" and sentence.text.endswith(_QUESTION_MARKS)
        substance = (_ASKING if asks else 1.0) * len(sentence.terms) / (len(sentence.terms) + _SLIGHT)
        scores[sentence.place] = substance * (
            _TELLING[task.kind]
            + (1 - _TELLING[task.kind]) * near / most
            + _LEAD[task.kind] / (1 + sentence.place)
            + _FIGURES * (_DIGIT.search(sentence.text) is not None)
            + _QUESTION * _dot(sentence.terms, asked)
            + _THEME * _dot(sentence.terms, theme)
            - _SAID * sentence.said
        )
    return scores


def _rarity(sentences_: Sequence[Sequence[Term]]) -> Weights:
    holding: Counter[Term] = Counter(term for found in sentences_ for term in set(found))
    return {term: math.log(1 + len(sentences_) / count) for term, count in holding.items()}


def _weights(found: Sequence[Term], rare: Weights) -> Weights:
    """Returns the weights of the terms, normalised to length 1."""
    weights = {term: (1 + math.log(count)) * rare[term] for term, count in Counter(found).items() if term in rare}
    length = math.sqrt(sum(weight * weight for weight in weights.values()))
    return {term: weight / length for term, weight in weights.items()} if length else {}


def _dot(one: Weights, other: Mapping[Term, float]) -> float:
    return sum(weight * other.get(term, 0.0) for term, weight in one.items())


def together(parts: Sequence[str]) -> str:
    """Returns the sentences joined, with spaces where their script has them."""
    text = ""
    for part in parts:
        blank = "" if not text or (has_cjk(text[-2:]) and has_cjk(part[:1])) else " "
        text += blank + part
    return text


def _runs(sentence: str, stop: frozenset[str]) -> list[tuple[str, ...]]:
    """Returns the runs of words without a function word or mark in between."""
    runs: list[list[str]] = [[]]
    end = 0
    for match in _PHRASE.finditer(sentence):
        word = match.group()
        if sentence[end : match.start()].strip():
            runs.append([])
        end = match.end()
        if has_cjk(word):
            pieces = "".join(" " if char in function_characters() else char for char in word).split()
            runs += [*([piece] for piece in pieces if 1 < len(piece) <= _LONGEST_HAN_PHRASE), []]
        # `I'll` is `i`, and says as little.
        elif re.split("['’]", normalised(word), maxsplit=1)[0] in stop or word.isdecimal():  # noqa: RUF001 - as above
            runs.append([])
        elif len(runs[-1]) == _LONGEST_PHRASE:
            runs.append([word])
        else:
            runs[-1].append(word)
    return [tuple(run) for run in runs if run]
