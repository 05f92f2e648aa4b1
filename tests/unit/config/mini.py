"""A domain of a few lines, written into a home, so that tests break one line at a time."""

from pathlib import Path

from r_memory.config.files import Files

SCHEMA = """\
schema: mini
subject: Guest
lexicon: mini
knowledge: mini
unavailable: "Ask the guest."
about: what guests dislike
voices: [waiter]
types:
  Edible: [Dish, Spice]
  Policy: []
labels: {Spice: Dish}
severity: {mild: [mild], severe: [severe, badly]}
scopes: {any: anything, any_spice: spices}
relations:
  DISLIKES:
    object: Edible
    open_object: true
    critical: true
    attrs: {effect: Effect, severity: severity}
    identity: [effect]
    suppressed_by: LIKES
    templates: ["dislikes {object+}", {name: awful, text: "{object} is awful"}]
    none: {any: ["eats everything"]}
    line: "{subject} dislikes {object} ({severity})."
    question: "What do you dislike?"
    examples:
    - {text: "I dislike pepper", expect: {object: pepper}}
    - {text: "My wife dislikes pepper", expect: none}
  LIKES:
    object: [Dish]
    negation: prohibits
    mention: true
    line: "{subject} likes {object}."
reclassify:
- {relation: DISLIKES, when: {effect.kind: harmless}, unless: {template: awful}, to: LIKES, status: unconfirmed}
family: {to: LIKES, from: [DISLIKES], object_suffix: {DISLIKES: " dislike"}, review: LIKES}
bridging: {relation: DISLIKES, needs: Effect, exposure: [after]}
comention: {relation: DISLIKES, stems: [dislik], types: [Edible]}
review: {types: [Edible], words: [yuck-]}
"""
LEXICON = """\
Dish:
  soup: "broth, bouillon"
  stew:
Spice:
  pepper: [black pepper]
Effect:
  sneezing: ""
attrs:
  Effect:
    kind:
      harmless: [sneezing]
"""
LANGUAGE = """\
language: en
fuzzy_trigger_min_len: 6
stop_words: [no, on, not, off, yes]
assertion:
  negated:
    forward: ["no"]
"""
KNOWLEDGE = """\
pack: mini
sources:
  cook: {cite: "The cook, 2020"}
concepts:
  Spice: [chilli]
  Dish: [spicy dish]
groups:
  MEMBER_OF:
    spicy dish: [soup, stew]
parts:
  HAS_INGREDIENT:
    soup: [pepper]
rules:
  CLASHES_WITH:
  - {from: pepper, to: [chilli, {Policy: "before noon"}], tier: B, rate: "often", source: cook, checked: seen}
"""
INTENTS = """\
version: 1
policy:
  plausible_above: 0.1
intents:
  SERVE:
    description: "Something is served."
    edges: [DISLIKES]
    expand: {MEMBER_OF: 2}
    keywords: ["serv*", "{Edible}", "something warm"]
    examples: [serve the soup, bring a starter, what shall we serve, dish up please]
  BANQUET:
    description: "Many are served."
    extends: SERVE
    edges: [LIKES]
    examples: [plan a banquet, a feast for thirty, cater for the wedding, invite the village]
  CHAT:
    description: "Small talk."
    silent: true
    keywords: [weather]
    examples: [nice weather, good morning to you, how was the journey, lovely evening]
"""
FILES = {
    "schema/mini.yaml": SCHEMA,
    "schema/lexicon/mini.yaml": LEXICON,
    "schema/language/en.yaml": LANGUAGE,
    "schema/knowledge/mini.yaml": KNOWLEDGE,
    "intents.yaml": INTENTS,
}


def mini(home: Path, changes: dict[str, tuple[str, str]] | None = None) -> Files:
    """The domain in a home without shipped defaults; a change replaces some text of a file by other text."""
    for name, text in FILES.items():
        old, new = (changes or {}).get(name, ("", ""))
        assert old in text, f"the change of {name} does not apply"
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text(text.replace(old, new, 1), encoding="utf-8")
    defaults = home / "no defaults"
    defaults.mkdir(exist_ok=True)
    return Files(home=home, defaults=defaults)


def line_of(text: str, part: str) -> int:
    """The number of the first line that holds some text."""
    return text[: text.index(part)].count("\n") + 1
