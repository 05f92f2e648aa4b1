"""Schemas: everything the domain knows can be written, and every wrong name is refused at its line."""

from pathlib import Path

import pytest

from r_memory.config.schema_file import load_schema
from r_memory.domain.facts import Status
from r_memory.domain.schema import (
    BridgingRule,
    ComentionRule,
    Example,
    FamilyRule,
    Language,
    Lexicon,
    Phrasing,
    Reclassification,
    Relation,
    Schema,
    SeverityScale,
)
from r_memory.errors import ConfigurationError
from tests.unit.config.mini import LANGUAGE, LEXICON, SCHEMA, line_of, mini

FILE = "schema/mini.yaml"


def test_a_schema_is_loaded_whole(tmp_path: Path) -> None:
    schema = load_schema(mini(tmp_path), "mini")

    dislikes = Relation(
        name="DISLIKES",
        subjects=("Guest",),
        objects=("Dish", "Spice"),
        open_object=True,
        critical=True,
        attrs={"effect": "Effect", "severity": "severity"},
        identity=("effect",),
        suppressed_by=("LIKES",),
        phrasing=Phrasing(
            templates=("dislikes {object+}", "{object} is awful"),
            names={"{object} is awful": "awful"},
            none={"any": ("eats everything",)},
        ),
        line="{subject} dislikes {object} ({severity}).",
        question="What do you dislike?",
        examples=(
            Example(text="I dislike pepper", expect={"object": "pepper"}),
            Example(text="My wife dislikes pepper", expect=None),
        ),
    )
    likes = Relation(
        name="LIKES",
        subjects=("Guest",),
        objects=("Dish",),
        negation="ignore",
        phrasing=Phrasing(mention=True),
        line="{subject} likes {object}.",
    )
    assert schema == Schema(
        name="mini",
        version=schema.version,
        subject="Guest",
        unions={"Edible": ("Dish", "Spice")},
        declared=("Policy",),
        labels={"Spice": ("Dish",)},
        relations={"DISLIKES": dislikes, "LIKES": likes},
        lexicon=Lexicon(
            terms={
                "Dish": {"soup": ("broth", "bouillon"), "stew": ()},
                "Spice": {"pepper": ("black pepper",)},
                "Effect": {"sneezing": ()},
            },
            values={"Effect": {"kind": {"harmless": ("sneezing",)}}},
        ),
        language=Language(
            code="en",
            sections={
                "fuzzy_trigger_min_len": 6,
                "stop_words": ["no", "on", "not", "off", "yes"],
                "assertion": {"negated": {"forward": ["no"]}},
            },
        ),
        severity=SeverityScale(words={"mild": ("mild",), "severe": ("severe", "badly")}),
        scopes={"any": "anything", "any_spice": "spices"},
        reclassify=(
            Reclassification(
                relation="DISLIKES",
                when={"effect.kind": "harmless"},
                unless={"template": "awful"},
                to="LIKES",
                status=Status.UNCONFIRMED,
            ),
        ),
        family=FamilyRule(to="LIKES", sources=("DISLIKES",), object_suffix={"DISLIKES": " dislike"}, review=("LIKES",)),
        bridging=BridgingRule(relation="DISLIKES", needs="Effect", exposure=("after",)),
        comention=ComentionRule(relation="DISLIKES", stems=("dislik",), types=("Dish", "Spice")),
        review_types=("Dish", "Spice"),
        review_words=("yuck-",),
        voices=("waiter",),
        unavailable="Ask the guest.",
        about="what guests dislike",
        knowledge="mini",
        lexicon_name="mini",
    )
    assert schema.types == ("Dish", "Effect", "Guest", "Policy", "Scope", "Spice", "Unmapped")


def test_the_version_follows_every_file_of_a_schema(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    (tmp_path / "c").mkdir()

    versions = {
        load_schema(mini(tmp_path / "a"), "mini").version,
        load_schema(mini(tmp_path / "b", {"schema/lexicon/mini.yaml": ("broth", "stock")}), "mini").version,
        load_schema(mini(tmp_path / "c", {"schema/language/en.yaml": ("yes", "yeah")}), "mini").version,
    }

    assert len(versions) == 3


WRONG = [
    ("family: {to: LIKES, from: [DISLIKES],", "family: {to: LIKES,", "family:", "`to` and `from` go together"),
    ("review: LIKES}", "review: LOVES}", "family:", "unknown relation 'LOVES'"),
    ("attrs: {effect: Effect,", "attrs: {effect: dat,", "    attrs:", "unknown kind 'dat'; use one of: severity"),
    ("schema: mini", "schema: other", "schema: other", "must say 'mini', as the file is called"),
    ("subject: Guest", "subject: guest", "subject: guest", "a type starts with a capital"),
    ("subject: Guest", "subject: Edible", "subject: Edible", "the subject is one type, not a union"),
    ("subject: Guest\n", "", "schema: mini", "'subject' is missing; add it"),
    ("lexicon: mini", "lexicon: ../mini", "lexicon:", "the name of a file without folder and ending"),
    ("[Dish, Spice]", "[Dish, Spize]", "  Edible:", "unknown type 'Spize'; did you mean 'Spice'?"),
    ("  Policy: []", "  Policy: [Edible]\n  Rule: [Policy, Rule]", "  Rule:", "this union contains itself; remove"),
    ("  Policy: []", "  Dish: []", "  Dish: []", "'Dish' is taken; choose another name"),
    ("  Policy: []", "  Scope: []", "  Scope: []", "'Scope' is taken; choose another name"),
    ("labels: {Spice:", "labels: {Sauce:", "labels:", "unknown type 'Sauce'"),
    (
        "relations:\n",
        "relatons:\n",
        "relatons:",
        "unknown key 'relatons'; did you mean 'relations'?",
    ),
    ("  DISLIKES:\n", "  Dislikes:\n", "  Dislikes:", "a relation is written in capitals"),
    ("    object: Edible\n", "    object: Drink\n", "    object: Drink", "unknown type 'Drink'; known: Dish"),
    ("    critical: true", "    critical: yes", "    critical: yes", "expected true or false"),
    ("effect: Effect", "evidence: Effect", "    attrs:", "'evidence' is what the stored fact uses itself"),
    ("effect: Effect", "Effect: Effect", "    attrs:", "an attribute is written in small letters"),
    ("severity: severity", "severity: grade", "    attrs:", "unknown kind 'grade'; use one of: severity, number"),
    ("identity: [effect]", "identity: [cause]", "    identity:", "unknown attribute 'cause'; known: effect, severity"),
    ("suppressed_by: LIKES", "suppressed_by: LOVES", "    suppressed_by", "unknown relation 'LOVES'; did you mean"),
    ("none: {any:", "none: {all:", "    none:", "unknown scope 'all'; known: any, any_spice"),
    ("({severity}).", "({grade}).", "    line:", "unknown slot 'grade'; known: subject, object, effect, severity"),
    ("({severity}).", "({severity).", "    line:", "a brace without its partner"),
    ("({severity}).", "({}).", "    line:", "unknown slot ''"),
    ("expect: {object: pepper}", "expect: {effect: x}", '    - {text: "I dis', "`expect` has no `object`; add it"),
    ("expect: {object: pepper}", "expect: {object: pepper, why: x}", '    - {text: "I dis', "unknown attribute 'why'"),
    ("expect: none", "expect: nothing", '    - {text: "My w', "'none'"),
    ("negation: prohibits", "negation: never", "    negation: never", "'absent', 'ignore', 'prohibits' or 'plain'"),
    ("- {relation: DISLIKES, when", "- {relation: HATES, when", "- {relation: HATES", "unknown relation 'HATES'"),
    ("effect.kind", "cause.kind", "- {relation: DIS", "unknown condition 'cause.kind'; use one of: status, said"),
    ("template: awful", "template: aweful", "- {relation: DIS", "unknown template 'aweful'; did you mean 'awful'?"),
    (
        "template: awful",
        "trigger_has: awful",
        "- {relation: DIS",
        "unknown condition 'trigger_has'; use one of: status",
    ),
    ("{name: awful", "{name: Awful", "    templates:", "the name of a template is written in small letters"),
    ('"dislikes {object+}", {', '"", {', "    templates:", "is empty; write something or remove the key"),
    ('{name: awful, text: "{object} is awful"}', "7", "    templates:", "expected a mapping"),
    ("effect.kind", "effect.sort", "- {relation: DIS", "unknown property 'sort'; known: kind"),
    ("status: unconfirmed}\nfam", "status: gone}\nfam", "- {relation: DIS", "'active', 'unconfirmed'"),
    ("family: {to: LIKES", "family: {to: LOVES", "family:", "unknown relation 'LOVES'"),
    ("from: [DISLIKES]", "sources: [DISLIKES]", "family:", "unknown key 'sources'"),
    ("needs: Effect", "needs: Feeling", "bridging:", "unknown type 'Feeling'"),
    ("types: [Edible]}\nreview", "types: [Food]}\nreview", "comention:", "unknown type 'Food'"),
    ("review: {types: [Edible],", "review: {types: [],", "review: {types", "is empty; write at least one item"),
]


@pytest.mark.proves("RM-6")
@pytest.mark.parametrize(("old", "new", "at", "remedy"), WRONG, ids=[row[3][:40] for row in WRONG])
def test_a_wrong_schema_is_refused_at_its_line(tmp_path: Path, old: str, new: str, at: str, remedy: str) -> None:
    changed = SCHEMA.replace(old, new, 1)

    with pytest.raises(ConfigurationError) as refused:
        load_schema(mini(tmp_path, {FILE: (old, new)}), "mini")

    mistakes = [refused.value, *refused.value.others]
    assert (tmp_path / FILE, line_of(changed, at)) in [(mistake.file, mistake.line) for mistake in mistakes]
    assert remedy in "\n".join(str(mistake) for mistake in mistakes)


def test_all_mistakes_of_one_schema_are_found_in_one_reading(tmp_path: Path) -> None:
    changes = {FILE: ("    object: Edible\n", "    object: Drink\n    suppressed_by: LOVES\n".replace("LOVES", "LOVE"))}
    text = SCHEMA.replace("    suppressed_by: LIKES\n", "")
    files = mini(tmp_path)
    (tmp_path / FILE).write_text(text.replace(*changes[FILE], 1), encoding="utf-8")

    with pytest.raises(ConfigurationError) as refused:
        load_schema(files, "mini")

    assert len(refused.value.others) == 1


@pytest.mark.parametrize("missing", ["schema/mini.yaml", "schema/lexicon/mini.yaml", "schema/language/en.yaml"])
def test_a_missing_file_refuses_to_start_and_is_named(tmp_path: Path, missing: str) -> None:
    files = mini(tmp_path)
    (tmp_path / missing).unlink()

    with pytest.raises(ConfigurationError, match="file not found") as refused:
        load_schema(files, "mini")

    assert refused.value.file == Path(missing)


@pytest.mark.parametrize(
    ("old", "new", "at", "remedy"),
    [
        ("Dish:\n", "dish:\n", "dish:", "'dish' cannot be used; a type starts with a capital"),
        ("Dish:\n", "Scope:\n", "", "the lexicon's type 'Scope' is taken"),
        ("  stew:\n", "  stew: 5\n", "  stew:", 'expected synonyms; write "one, two" or [one, two]'),
        ("  stew:\n", "  Soup:\n", "  Soup:", "'Soup' and 'soup' differ only in capitals"),
        ('Effect:\n  sneezing: ""\nattrs', "Effect: sneezing\nattrs", "Effect:", "expected a mapping"),
        ("harmless: [sneezing]", "harmless: [coughing]", "      harmless:", "'coughing' is not a term of this type"),
        ("harmless: [sneezing]", "harmless: sneezing", "      harmless:", "expected a list; write `[a, b]`"),
        ("attrs:\n  Effect", "attrs:\n  Affect", "  Affect:", "'Affect' has no terms in this file"),
    ],
)
def test_a_wrong_lexicon_is_refused_at_its_line(tmp_path: Path, old: str, new: str, at: str, remedy: str) -> None:
    file = "schema/lexicon/mini.yaml"
    changed = LEXICON.replace(old, new, 1)

    with pytest.raises(ConfigurationError) as refused:
        load_schema(mini(tmp_path, {file: (old, new)}), "mini")

    assert remedy in "\n".join(str(mistake) for mistake in (refused.value, *refused.value.others))
    if at:
        assert (refused.value.file, refused.value.line) == (tmp_path / file, line_of(changed, at))


@pytest.mark.parametrize(
    ("old", "new", "at", "remedy"),
    [
        ("language: en", "language: fr", "language:", "`language:` must say 'en'"),
        ("yes]", "1]", "stop_words", "expected a word; put it in quotes"),
        ('["no"]', "", "    forward:", "is empty; write something or remove the line"),
    ],
)
def test_a_wrong_language_is_refused_at_its_line(tmp_path: Path, old: str, new: str, at: str, remedy: str) -> None:
    file = "schema/language/en.yaml"
    changed = LANGUAGE.replace(old, new, 1)

    with pytest.raises(ConfigurationError, match=remedy) as refused:
        load_schema(mini(tmp_path, {file: (old, new)}), "mini")

    assert (refused.value.file, refused.value.line) == (tmp_path / file, line_of(changed, at))


def test_a_family_that_says_nothing_is_refused(tmp_path: Path) -> None:
    old = 'family: {to: LIKES, from: [DISLIKES], object_suffix: {DISLIKES: " dislike"}, review: LIKES}'
    with pytest.raises(ConfigurationError, match="says nothing; write `to` and `from`, or `review`"):
        load_schema(mini(tmp_path, {"schema/mini.yaml": (old, "family: {object_suffix: {DISLIKES: x}}")}), "mini")


def test_a_schema_without_words_about_itself_is_about_its_critical_relations(tmp_path: Path) -> None:
    named = load_schema(mini(tmp_path), "mini")
    assert named.topics == "what guests dislike"
    assert (
        load_schema(mini(tmp_path, {"schema/mini.yaml": ("about: what guests dislike\n", "")}), "mini").topics
        == "DISLIKES"
    )


def added(home: Path, text: str) -> None:
    """Writes a file that adds to the lexicon."""
    folder = home / "schema/lexicon/mini.d"
    folder.mkdir()
    (folder / "mine.yaml").write_text(text, encoding="utf-8")


def test_files_of_the_folder_add_terms_and_change_the_meaning_of_none(tmp_path: Path) -> None:
    files = mini(tmp_path)
    before = load_schema(files, "mini")
    added(tmp_path, 'Spice:\n  Broth: [gravy]\n  pepper: "peppercorn, soup"\n  nutmeg: mace\n')

    schema = load_schema(files, "mini")

    assert schema.lexicon.terms["Spice"] == {"pepper": ("black pepper", "peppercorn"), "nutmeg": ("mace",)}
    assert schema.lexicon.terms["Dish"]["soup"] == ("broth", "bouillon", "gravy")
    assert schema.version != before.version


def test_properties_in_a_file_that_adds_terms_are_refused(tmp_path: Path) -> None:
    files = mini(tmp_path)
    added(tmp_path, "Spice:\n  nutmeg:\nattrs:\n  Spice:\n    kind:\n      strong: [nutmeg]\n")

    with pytest.raises(ConfigurationError, match="properties of terms belong into the lexicon itself"):
        load_schema(files, "mini")


def test_days_of_review_are_whole_numbers(tmp_path: Path) -> None:
    change = ("    kind:\n      harmless: [sneezing]", "    review_after_days:\n      soon: [sneezing]")

    with pytest.raises(ConfigurationError, match="'soon' is not a number of days"):
        load_schema(mini(tmp_path, {"schema/lexicon/mini.yaml": change}), "mini")
