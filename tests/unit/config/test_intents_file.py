"""The table of action types: what it inherits, and that a wrong one refuses to start (design, section 5)."""

from pathlib import Path

import pytest

from r_memory.config.files import Files
from r_memory.config.intents_file import load_intents
from r_memory.config.knowledge_file import load_knowledge
from r_memory.config.schema_file import load_schema
from r_memory.domain.intents import Intent, IntentTable, Policy
from r_memory.errors import ConfigurationError
from tests.unit.config.mini import INTENTS, line_of, mini


def loaded(files: Files) -> IntentTable:
    schema = load_schema(files, "mini")
    return load_intents(files, schema, load_knowledge(files, schema))


@pytest.mark.proves("RM-8", "RM-9")
def test_a_table_is_loaded_with_what_rows_inherit(tmp_path: Path) -> None:
    table = loaded(mini(tmp_path))

    assert table.policy == Policy(select="plausible", plausible_above=0.1, confident_above=0.5)
    assert table.intents == {
        "SERVE": Intent(
            name="SERVE",
            description="Something is served.",
            edges=("DISLIKES",),
            expand={"MEMBER_OF": 2},
            keywords=("serv*", "{Edible}", "something warm"),
            examples=("serve the soup", "bring a starter", "what shall we serve", "dish up please"),
        ),
        "BANQUET": Intent(
            name="BANQUET",
            description="Many are served.",
            edges=("DISLIKES", "LIKES"),
            extends="SERVE",
            expand={"MEMBER_OF": 2},
            examples=("plan a banquet", "a feast for thirty", "cater for the wedding", "invite the village"),
        ),
        "CHAT": Intent(
            name="CHAT",
            description="Small talk.",
            edges=(),
            keywords=("weather",),
            examples=("nice weather", "good morning to you", "how was the journey", "lovely evening"),
            silent=True,
        ),
    }


WRONG = [
    ("edges: [DISLIKES]", "edges: [DISLIKE]", "    edges:", "unknown edge 'DISLIKE'; did you mean 'DISLIKES'?"),
    ("    edges: [DISLIKES]\n", "", "  SERVE:", "no edges; name at least one, or `silent: true`"),
    ("    edges: [DISLIKES]\n", "    extends: BANQUET\n", "    extends: BANQUET", "extends itself (SERVE → BANQUET"),
    ("    edges: [DISLIKES]\n", "    extends: SERVE\n", "    extends: SERVE", "extends itself"),
    ("extends: SERVE", "extends: SERVED", "    extends: SERVED", "unknown action type 'SERVED'; did you mean 'SERVE'"),
    ("  BANQUET:", "  SERVE:", "  BANQUET:", "duplicate key 'SERVE', first in line 5; keep one"),
    ("    edges: [DISLIKES]", "\tedges: [DISLIKES]", "    edges: [DISLIKES]", "a tab in the indentation"),
    ("plausible_above: 0.1", "plausible_above: 1.5", "  plausible_above", "should be less than 1"),
    ("plausible_above: 0.1", "plausible_above: -1", "  plausible_above", "greater than or equal to 0"),
    ("plausible_above: 0.1", "plausible_above: high", "  plausible_above", "expected a number"),
    ("plausible_above: 0.1", "select: some", "  plausible_above", "'plausible', 'top1' or 'all_critical'"),
    ("version: 1", "version: 2", "version:", "should be 1"),
    ("MEMBER_OF: 2", "MEMBER_OF: 9", "    expand:", "steps go from 1 to 5"),
    ("MEMBER_OF: 2", "MEMBER_OFF: 2", "    expand:", "unknown pack relation 'MEMBER_OFF'; did you mean 'MEMBER_OF'?"),
    ('"{Edible}"', '"{Eatable}"', "    keywords:", "unknown type 'Eatable'; did you mean 'Edible'?"),
    ('"serv*"', '"s*rve"', "    keywords:", "not a keyword; write words, `*` only at an end"),
    ('"serv*"', '"*"', "    keywords:", "not a keyword"),
    ('"serv*"', '"the {Edible}"', "    keywords:", "not a keyword"),
    ("examples: [serve", "example: [serve", "    examples: [serve", "unknown key 'example'; did you mean 'examples'?"),
    ("  SERVE:", "  serve:", "  SERVE:", "an action type is written in capitals"),
    (
        "    edges: [DISLIKES]\n",
        '    edges: [DISLIKES]\n    weak_keywords: ["co*se"]\n',
        "    weak_keywords",
        "not a keyword; write words, `*` only at an end",
    ),
    (
        "    edges: [DISLIKES]\n",
        '    edges: [DISLIKES]\n    weak_keywords: ["{Spicy}"]\n',
        "    weak_keywords",
        "unknown type 'Spicy'; did you mean 'Spice'",
    ),
    (
        "    edges: [DISLIKES]\n",
        '    edges: [DISLIKES]\n    phrases: ["dish (it up"]\n',
        "    phrases",
        "not a phrase (a parenthesis is not closed); write words",
    ),
    (
        "    edges: [DISLIKES]\n",
        '    edges: [DISLIKES]\n    phrases: ["..3"]\n',
        "    phrases",
        "not a phrase (holds no word)",
    ),
]


@pytest.mark.proves("RM-11")
@pytest.mark.parametrize(("old", "new", "at", "remedy"), WRONG, ids=[row[3][:40] for row in WRONG])
def test_a_wrong_table_refuses_to_start_at_its_line(tmp_path: Path, old: str, new: str, at: str, remedy: str) -> None:
    with pytest.raises(ConfigurationError) as refused:
        loaded(mini(tmp_path, {"intents.yaml": (old, new)}))

    mistakes = [refused.value, *refused.value.others]
    changed = INTENTS.replace(old, new, 1)
    line = line_of(changed if at in changed else INTENTS, at)
    assert (tmp_path / "intents.yaml", line) in [(mistake.file, mistake.line) for mistake in mistakes]
    assert remedy in "\n".join(str(mistake) for mistake in mistakes)


def test_a_table_of_anchors_is_refused_before_it_unfolds(tmp_path: Path) -> None:
    bomb = "a: &a [x, x]\n" + "".join(
        f"{name}: &{name} [{', '.join('*' + before for _ in range(9))}]\n"
        for before, name in zip("abcdefgh", "bcdefghi", strict=True)
    )
    files = mini(tmp_path)
    (tmp_path / "intents.yaml").write_text(bomb, encoding="utf-8")

    with pytest.raises(ConfigurationError, match="an anchor") as refused:
        loaded(files)

    assert (refused.value.file, refused.value.line) == (tmp_path / "intents.yaml", 1)


TRAVERSAL = ("    edges: [DISLIKES]\n", "    edges: [DISLIKES]\n    traversal: cypher/recall/own.cypher\n")


def test_a_missing_traversal_is_refused_where_it_is_named(tmp_path: Path) -> None:
    files = mini(tmp_path, {"intents.yaml": TRAVERSAL})

    with pytest.raises(ConfigurationError, match="file not found") as refused:
        loaded(files)

    assert (refused.value.file, refused.value.line) == (tmp_path / "intents.yaml", 8)


def test_a_traversal_outside_the_home_is_refused(tmp_path: Path) -> None:
    old, new = TRAVERSAL
    files = mini(tmp_path, {"intents.yaml": (old, new.replace("cypher/recall", "../elsewhere"))})

    with pytest.raises(ConfigurationError, match="leaves the home folder"):
        loaded(files)


def test_a_traversal_is_given_to_the_store_s_check_and_inherited_by_children(tmp_path: Path) -> None:
    files = mini(tmp_path, {"intents.yaml": TRAVERSAL})
    own = tmp_path / "cypher" / "recall" / "own.cypher"
    own.parent.mkdir(parents=True)
    own.write_text("RETURN 1", encoding="utf-8")
    given: list[tuple[str, str]] = []

    table = load_intents(files, load_schema(files, "mini"), check_traversal=lambda *both: given.append(both))

    assert set(given) == {("cypher/recall/own.cypher", "RETURN 1")}
    assert {name: intent.traversal for name, intent in table.intents.items()} == {
        "SERVE": "cypher/recall/own.cypher",
        "BANQUET": "cypher/recall/own.cypher",
        "CHAT": "",
    }


def test_a_traversal_with_wrong_columns_refuses_to_start(tmp_path: Path) -> None:
    files = mini(tmp_path, {"intents.yaml": TRAVERSAL})
    own = tmp_path / "cypher" / "recall" / "own.cypher"
    own.parent.mkdir(parents=True)
    own.write_text("RETURN 1", encoding="utf-8")

    def refuse(name: str, text: str) -> None:
        raise ConfigurationError(f"{len(text)} characters, wrong columns; return them all", file=Path(name), line=1)

    with pytest.raises(ConfigurationError, match=r"own\.cypher:1: 8 characters, wrong columns"):
        load_intents(files, load_schema(files, "mini"), check_traversal=refuse)


EDGES = "    edges: [DISLIKES]\n"


def test_everyday_words_and_phrases_of_a_row_are_loaded(tmp_path: Path) -> None:
    row = f'{EDGES}    weak_keywords: [course*, "{{Spice}}"]\n    phrases: ["dish (it)? up"]\n'
    files = mini(tmp_path, {"intents.yaml": (EDGES, row)})
    file = tmp_path / "intents.yaml"
    file.write_text(f"everyday: [pepper]\n{file.read_text(encoding='utf-8')}", encoding="utf-8")

    table = loaded(files)

    assert table.everyday == ("pepper",)
    assert table.intent("SERVE").weak_keywords == ("course*", "{Spice}")
    assert table.intent("SERVE").phrases == ("dish (it)? up",)
    assert table.intent("BANQUET").weak_keywords == ()


@pytest.mark.parametrize(
    ("domain", "noted"),
    [
        ("clinical", {}),
        ("law", {}),
        ("finance", {"ACCOUNT_CHANGE": ("FLAGGED_AS",)}),
    ],
)
def test_only_what_nobody_asks_before_an_action_is_noted_and_no_gap(
    domain: str, noted: dict[str, tuple[str, ...]]
) -> None:
    """A new row of `unasked: note` is a decision about safety: it is made here as well."""
    files = Files()
    schema = load_schema(files, domain)
    table = load_intents(files, schema, load_knowledge(files, schema))
    assert {name: row.noted for name, row in table.intents.items() if row.noted} == noted


def test_a_row_may_note_its_own_needed_edges(tmp_path: Path) -> None:
    needs = "    extends: SERVE\n    unasked: note\n    needs: [LIKES]\n"
    noted = loaded(mini(tmp_path, {"intents.yaml": ("    extends: SERVE\n", needs)}))
    assert noted.intents["BANQUET"].noted == ("LIKES",)
