"""Made-up small talk about people, as turns of one long conversation, and needles hidden in it. Pure and seeded."""

import random
from collections.abc import Iterator
from dataclasses import dataclass

_PEOPLE = ("Ann", "Ben", "Cora", "Dan", "Ella", "Finn", "Gwen", "Hugo", "Iris", "Jack", "Kira", "Liam", "Mona", "Noah")
_DEEDS = ("told", "asked", "wrote to", "called", "met", "surprised", "visited", "thanked", "helped", "teased")
_THINGS = (
    "garden", "bicycle", "recipe", "concert", "novel", "puppy", "kitchen", "sweater", "painting", "journey", "camera",
    "piano", "picnic", "lesson", "market", "holiday", "birthday", "window", "train", "lamp",
)  # fmt: skip
_KINDS = ("old", "new", "broken", "blue", "tiny", "lovely", "borrowed", "noisy", "quiet", "strange", "expensive")
_PLACES = ("Bern", "Lyon", "Porto", "Graz", "Turku", "Leeds", "Gdansk", "Bergen", "Ghent", "Split", "Sligo", "Riga")
_TIMES = ("on Monday", "last week", "in spring", "before lunch", "after work", "at night", "this morning", "years ago")
_OWNERS = (
    "Abelard", "Bronwen", "Calixta", "Dragomir", "Eudora", "Fabrizio", "Godelieve", "Hyacinth", "Ignatz", "Jolanthe",
    "Kasimir", "Leopoldine", "Melchior", "Nepomuk", "Ottoline", "Philomena", "Quirin", "Rosalind", "Sigismund",
    "Tertia", "Ulfila", "Valeska", "Wendelin", "Xaverine", "Yolanda",
)  # fmt: skip
_KEPT = ("cellar key", "tax letter")


@dataclass(frozen=True, slots=True, kw_only=True)
class Needle:
    """A turn that answers one question."""

    key: str
    text: str
    question: str


def needles() -> tuple[Needle, ...]:
    """Returns fifty turns, each about a person of whom nothing else is said but where another thing lies."""
    return tuple(
        Needle(
            key=f"needle/{owner}/{kept}",
            text=f"By the way, {owner} keeps the {kept} {where}.",
            question=f"Where does {owner} keep the {kept}?",
        )
        for owner in _OWNERS
        for kept, where in zip(_KEPT, ("under the red flower pot", "behind the kitchen clock"), strict=True)
    )


def gossip(seed: int) -> Iterator[tuple[str, str]]:
    """Yields endless pairs of speaker and words; deterministic for a seed."""
    chance = random.Random(f"{seed}/gossip")
    while True:
        speaker, one, other = chance.sample(_PEOPLE, 3)
        matter = f"the {chance.choice(_KINDS)} {chance.choice(_THINGS)} in {chance.choice(_PLACES)}"
        aside = f"{chance.choice(_TIMES)}, and number {chance.randrange(100_000)} came up"
        yield speaker, f"{one} {chance.choice(_DEEDS)} {other} about {matter} {aside}."


def gossip_questions(seed: int) -> Iterator[str]:
    """Yields endless questions about the talk; deterministic for a seed."""
    chance = random.Random(f"{seed}/questions")
    while True:
        yield (
            f"What did {chance.choice(_PEOPLE)} say about the {chance.choice(_KINDS)} {chance.choice(_THINGS)} in "
            f"{chance.choice(_PLACES)}?"
        )
