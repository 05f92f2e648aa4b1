"""A schema and tables of action types made in code, so that tests say what they depend on."""

from r_memory.domain.intents import Intent, IntentTable, Policy
from r_memory.domain.schema import Language, Lexicon, Relation, Schema

SCHEMA = Schema(
    name="kitchen",
    version="s1",
    subject="Guest",
    unions={"Edible": ("Dish", "Spice")},
    relations={"DISLIKES": Relation(name="DISLIKES", subjects=("Guest",), objects=("Dish",), line="{object}")},
    lexicon=Lexicon(terms={"Dish": {"soup": ("broth",)}, "Spice": {"pepper": ()}}),
    language=Language(code="en", sections={}),
    unavailable="Ask.",
)


def intent(
    name: str, *, keywords: tuple[str, ...] = (), examples: tuple[str, ...] = (), silent: bool = False
) -> Intent:
    return Intent(
        name=name,
        description=name,
        edges=() if silent else ("DISLIKES",),
        keywords=keywords,
        examples=examples,
        silent=silent,
    )


SERVE = intent(
    "SERVE",
    keywords=("serv*", "{Edible}", "something warm"),
    examples=(
        "serve the soup",
        "bring a starter to table two",
        "what shall we serve tonight",
        "dish up the main course",
        "please serve dessert",
        "bring more broth",
    ),
)
CLEAN = intent(
    "CLEAN",
    keywords=("wash*", "*wipe", "tidy up"),
    examples=(
        "wash the plates",
        "wipe the tables",
        "the floor needs sweeping",
        "tidy up after closing",
        "scrub the oven",
        "wash all the glasses",
    ),
)
CHAT = intent(
    "CHAT",
    keywords=("weather",),
    examples=(
        "nice weather today",
        "good morning to you",
        "how was the journey",
        "lovely evening isn't it",
        "did you sleep well",
        "see you tomorrow",
    ),
    silent=True,
)


def table(*intents: Intent, version: str = "t1", policy: Policy | None = None) -> IntentTable:
    return IntentTable(version=version, policy=policy or Policy(), intents={row.name: row for row in intents})


KITCHEN = table(SERVE, CLEAN, CHAT)
