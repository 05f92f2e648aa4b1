"""What only a language model can show (T-3, T-4): do models agree as controllers, and what do forms cost in answers?

Small material of our own, so that a run takes minutes. Any `ChatModel` will do; the report is the caller's.
"""

import itertools
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from r_memory.domain.turns import Form
from r_memory.errors import ModelError
from r_memory.protocols import ChatMessage, ChatModel, Judge
from r_memory_lab.bench.gossip import gossip
from r_memory_lab.evals.names import plain
from r_memory_lab.reorganising import Code, Forced
from r_memory_talk.controller.gate import GateRule
from r_memory_talk.conversations import Conversations
from r_memory_talk.profiles import Profile
from r_memory_talk.stream.values import NewTurn

QUESTIONS: Mapping[str, bool] = {
    "What did I tell you about my sister's wedding?": True,
    "Which of the two routes did we agree on?": True,
    "Remind me what the plumber wanted for the repair.": True,
    "Where did I say the spare key was?": True,
    "Go on with the story from where we stopped.": True,
    "What was the name of the book that you recommended?": True,
    "What is seven times eight?": False,
    "Translate 'good evening' into Italian.": False,
    "Write a haiku about rain.": False,
    "How many legs does a spider have?": False,
    "What is the capital of Norway?": False,
    "Explain what a prime number is.": False,
}
"""Question to whether it needs memory."""
FACTS = (
    ("The boat is moored at pier nineteen.", "At which pier is the boat moored?", "nineteen"),
    ("The meeting with the notary is on the fourth of June.", "In which month is the meeting with the notary?", "june"),
    ("Grandfather's watch was repaired by Mrs Okafor.", "Who repaired grandfather's watch?", "okafor"),
    ("The cellar key hangs behind the blue jacket.", "Behind what does the cellar key hang?", "jacket"),
    ("The dog is allergic to chicken.", "What is the dog allergic to?", "chicken"),
    ("The tenant in the attic is called Ruben.", "What is the tenant in the attic called?", "ruben"),
)
"""A statement, a later question, and a word that a right answer contains."""
_PADDING = 16
"""Sentences of small talk around each fact, so that a turn is long enough for a summary (300 tokens, SCM 25)."""
_ROOM = 900
"""Tokens above which the controller judges each item; lower than usual, as a talk of six turns is short."""
_WAY = Profile(gate=GateRule.ALWAYS, k=4, flash_turns=0, summary=False)
FORMS: Mapping[str, Profile] = {
    "raw": replace(_WAY, reorganise=Forced(form=Form.RAW)),
    "summary": replace(_WAY, reorganise=Forced(form=Form.SUMMARY)),
    "adaptive": replace(_WAY, reorganise=Code(above=_ROOM)),
}
"""Profiles that differ only in the form of their items."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided:
    """The answers of one controller."""

    by: str
    answers: tuple[bool | None, ...]
    """In the order of `QUESTIONS`; `None` for an unusable answer."""

    @property
    def failures(self) -> tuple[str, ...]:
        """Questions without a usable answer."""
        return tuple(text for text, answer in zip(QUESTIONS, self.answers, strict=True) if answer is None)

    @property
    def right(self) -> int:
        """Number of right answers; an unusable one counts as yes, as in use."""
        pairs = zip(self.answers, QUESTIONS.values(), strict=True)
        return sum((answer is not False) is needed for answer, needed in pairs)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfileScore:
    """The result of one profile."""

    way: str
    right: int
    asked: int
    tokens: int
    """Tokens of all contexts."""
    forms: Mapping[str, int]
    """Number of chosen items that were raw, summarised or dropped."""
    parse_failures: int
    trouble: int
    """Questions without an answer of the model."""


async def decided(judge: Judge) -> Decided:
    """Returns the controller's answers, asked one after another."""
    answers = [(await judge.needs_memory(question)).yes for question in QUESTIONS]
    return Decided(by=judge.name, answers=tuple(answers))


def kappa(first: Sequence[object], second: Sequence[object]) -> float:
    """Returns Cohen's kappa of two raters of the same items; 1 if both always give the same single answer.

    >>> kappa([True, True, False, False], [True, False, False, False])
    0.5
    """
    n = len(first)
    if not n:
        return 0.0
    agreed = sum(item == other for item, other in zip(first, second, strict=True)) / n
    ours, theirs = Counter(first), Counter(second)
    by_chance = sum(ours[label] * theirs[label] for label in ours) / (n * n)
    return 1.0 if by_chance == 1 else (agreed - by_chance) / (1 - by_chance)


async def tell_facts(talks: Conversations, name: str) -> None:
    """Stores one turn for each fact, within small talk."""
    lines = (words for _, words in gossip(11))
    for number, (fact, _, _) in enumerate(FACTS):
        talk = list(itertools.islice(lines, _PADDING))
        talk.insert(number % _PADDING, fact)
        await talks.finish(
            NewTurn(conversation=name, observation=" ".join(talk), response="I see, thank you.", key=f"{name}/{number}")
        )


async def answered(
    chat: ChatModel, talks: Conversations, name: str, way: str, *, most: int | None = None
) -> ProfileScore:
    """Returns the model's answers with the contexts of this profile; at most `most` questions."""
    right = tokens = failures = trouble = 0
    forms: Counter[str] = Counter({form.value: 0 for form in (Form.RAW, Form.SUMMARY, Form.DROPPED)})
    asked = FACTS[:most]
    for _, question, wanted in asked:
        prepared = await talks.prepare(question, name, profile=way, probe=True)
        chosen = (
            candidate.form.value for candidate in prepared.decision.candidates if candidate.form is not Form.NOT_CHOSEN
        )
        forms.update(chosen)
        tokens += prepared.tokens
        failures += prepared.decision.parse_failures
        try:
            reply = await chat.reply([ChatMessage(role="user", text=f"{prepared.text}\n[QUERY]:\n{question}")])
        except ModelError:
            trouble += 1
            continue
        right += wanted in plain(reply.text).split()
    return ProfileScore(
        way=way,
        right=right,
        asked=len(asked),
        tokens=tokens,
        forms=forms,
        parse_failures=failures,
        trouble=trouble,
    )
