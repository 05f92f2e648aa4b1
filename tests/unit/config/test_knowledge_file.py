"""The knowledge pack as a graph, and that a wrong one is refused at its line."""

from pathlib import Path

import pytest

from r_memory.config.files import Files
from r_memory.config.knowledge_file import load_knowledge
from r_memory.config.schema_file import load_schema
from r_memory.domain.facts import concept
from r_memory.domain.knowledge import Circumstance, Knowledge, Link, Rule, Side
from r_memory.errors import ConfigurationError
from tests.unit.config.mini import KNOWLEDGE, line_of, mini

FILE = "schema/knowledge/mini.yaml"


def loaded(files: Files) -> Knowledge:
    return load_knowledge(files, load_schema(files, "mini"))


def test_groups_parts_and_rules_become_links_between_concepts(tmp_path: Path) -> None:
    pack = loaded(mini(tmp_path))

    soup, stew, spicy = concept("Dish", "soup"), concept("Dish", "stew"), concept("Dish", "spicy dish")
    pepper, chilli, noon = concept("Spice", "pepper"), concept("Spice", "chilli"), concept("Policy", "before noon")
    assert pack.links == (
        Link(relation="MEMBER_OF", start=soup.uid, end=spicy.uid, reviewed=True),
        Link(relation="MEMBER_OF", start=stew.uid, end=spicy.uid, reviewed=True),
        Link(relation="HAS_INGREDIENT", start=soup.uid, end=pepper.uid, reviewed=True),
        Link(
            relation="CLASHES_WITH",
            start=pepper.uid,
            end=chilli.uid,
            tier="B",
            rate="often",
            source="The cook, 2020",
            reviewed=True,
            rule="clashes_with: pepper with chilli, before noon",
        ),
        Link(
            relation="CLASHES_WITH",
            start=pepper.uid,
            end=noon.uid,
            tier="B",
            rate="often",
            source="The cook, 2020",
            reviewed=True,
            rule="clashes_with: pepper with chilli, before noon",
        ),
    )
    assert set(pack.concepts) == {
        entity.uid for entity in (soup, stew, spicy, pepper, chilli, noon, concept("Effect", "sneezing"))
    }
    assert pack.concepts[soup.uid].aliases == ("broth", "bouillon")


def test_a_source_that_nobody_read_is_not_reviewed(tmp_path: Path) -> None:
    pack = loaded(mini(tmp_path, {FILE: ("checked: seen", "checked: recall")}))

    assert {link.reviewed for link in pack.links if link.relation == "CLASHES_WITH"} == {False}


def test_a_group_with_a_source_carries_it(tmp_path: Path) -> None:
    claim = "spicy dish: {members: [soup], source: cook, checked: recall}"
    pack = loaded(mini(tmp_path, {FILE: ("spicy dish: [soup, stew]", claim)}))

    assert [(link.source, link.reviewed) for link in pack.links if link.relation == "MEMBER_OF"] == [
        ("The cook, 2020", False)
    ]


def test_the_version_follows_pack_and_lexicon(tmp_path: Path) -> None:
    for name in "abc":
        (tmp_path / name).mkdir()

    versions = {
        loaded(mini(tmp_path / "a")).version,
        loaded(mini(tmp_path / "b", {FILE: ("often", "seldom")})).version,
        loaded(mini(tmp_path / "c", {"schema/lexicon/mini.yaml": ("broth", "stock")})).version,
    }

    assert len(versions) == 3


def test_a_schema_without_a_pack_knows_its_lexicon_and_no_links(tmp_path: Path) -> None:
    pack = loaded(mini(tmp_path, {"schema/mini.yaml": ("knowledge: mini\n", "")}))

    assert pack.links == ()
    assert concept("Dish", "soup").uid in pack.concepts


FIRING = """\
recorded: {Spice: [DISLIKES]}
actions: {SERVE: [soup]}
partly_known: {Spice: [soup]}
fires:
  CLASHES_WITH: {line: "RULE: {from} with {to}.", lines: {A: "STOP: {from} with {to}."}, beside: [LIKES], advice: taste}
rules:
  CLASHES_WITH:
  - {id: mine, from: pepper, to: chilli,
     when: [{relation: DISLIKES, object: pepper, attrs: {effect: sneezing}, ask: true}],
     tier: A, source: cook, checked: seen, checked_by: Ann, checked_on: "2026-11-20"}
  - {from: soup, to: {Policy: "serve hot"}, tier: C, source: cook, checked: recall}
"""


def test_rows_of_a_relation_that_fires_become_rules(tmp_path: Path) -> None:
    home = mini(tmp_path)
    head = KNOWLEDGE[: KNOWLEDGE.index("rules:")]
    (tmp_path / FILE).write_text(head + FIRING, encoding="utf-8")

    pack = loaded(home)

    pepper, chilli, soup = concept("Spice", "pepper").uid, concept("Spice", "chilli").uid, concept("Dish", "soup").uid
    mine, other = pack.rules
    assert mine == Rule(
        id="mine",
        relation="CLASHES_WITH",
        start=Side(concepts=(pepper,), recorded=frozenset({"DISLIKES"})),
        end=Side(concepts=(chilli,), recorded=frozenset({"DISLIKES"})),
        when=(
            Circumstance(
                relations=frozenset({"DISLIKES"}),
                concepts=(pepper,),
                attrs={"effect": frozenset({"sneezing"})},
                ask=True,
                words="sneezing with pepper",
            ),
        ),
        beside=frozenset({"LIKES"}),
        tier="A",
        action="taste",
        source="The cook, 2020",
        reviewed=True,
        checked_by="Ann",
        checked_on="2026-11-20",
        line="STOP: {from} with {to}.",
    )
    assert (other.id, other.end.needed, other.line) == ("clashes_with: soup", False, "RULE: {from} with {to}.")
    assert pack.actions == {"SERVE": (soup,)}
    assert {link.rule for link in pack.links if link.relation == "CLASHES_WITH"} == {"mine", "clashes_with: soup"}
    assert [link.condition for link in pack.links if link.rule == "mine"] == ["sneezing with pepper"]


def test_files_of_the_folder_add_to_the_pack_and_may_use_synonyms(tmp_path: Path) -> None:
    home = mini(tmp_path)
    folder = tmp_path / "schema/knowledge/mini.d"
    folder.mkdir()
    (folder / "mine.yaml").write_text(
        "pack: mine\nsources: {me: {cite: My notes}}\nclassification: {source: me, checked: recall}\n"
        "groups: {MEMBER_OF: {spicy dish: [broth, stew]}}\nparts: {HAS_INGREDIENT: {stew: [black pepper]}}\n",
        encoding="utf-8",
    )

    pack = loaded(home)

    added = [link for link in pack.links if link.source == "My notes"]
    assert [(link.relation, link.reviewed) for link in added] == [("HAS_INGREDIENT", False)]
    (folder / "mine.yaml").unlink()
    assert loaded(home).version != pack.version


def test_groups_without_a_source_stand_on_the_classification(tmp_path: Path) -> None:
    pack = loaded(mini(tmp_path, {FILE: ("groups:", "classification: {source: cook, checked: recall}\ngroups:")}))

    plain = [link for link in pack.links if link.relation in {"MEMBER_OF", "HAS_INGREDIENT"}]
    assert {(link.source, link.reviewed) for link in plain} == {("The cook, 2020", False)}


WRONG_RULES = [
    ("relation: DISLIKES, object", "relation: HATES, object", "unknown relation 'HATES'"),
    ("attrs: {effect:", "attrs: {colour:", "unknown attribute 'colour'"),
    ("ask: true}", "number: effect}", "`number` needs `at_least` or `below`"),
    ("ask: true}", "below: 3}", "`number` needs `at_least` or `below`"),
    ('{from} with {to}.", lines', '{from} with {what}.", lines', "unknown slot 'what'"),
    ("RULE: {from} with {to}.", "RULE: {from with {to}.", "a brace without its partner"),
    ("- {from: soup", "- {id: mine, from: soup", "the id 'mine' is taken"),
    ("beside: [LIKES]", "beside: [HATES]", "unknown relation 'HATES'"),
    ("recorded: {Spice: [DISLIKES]}", "recorded: {Drink: [DISLIKES]}", "unknown type 'Drink'"),
    ("actions: {SERVE: [soup]}", "actions: {SERVE: [soap]}", "unknown concept 'soap'"),
    ("partly_known: {Spice: [soup]}", "partly_known: {Spice: [soap]}", "unknown concept 'soap'"),
    ("partly_known: {Spice: [soup]}", "partly_known: {Drink: [soup]}", "unknown type 'Drink'"),
]


@pytest.mark.parametrize(("old", "new", "remedy"), WRONG_RULES, ids=[row[2] for row in WRONG_RULES])
def test_a_wrong_rule_is_refused_with_its_remedy(tmp_path: Path, old: str, new: str, remedy: str) -> None:
    assert old in FIRING
    home = mini(tmp_path)
    head = KNOWLEDGE[: KNOWLEDGE.index("rules:")]
    (tmp_path / FILE).write_text(head + FIRING.replace(old, new, 1), encoding="utf-8")

    with pytest.raises(ConfigurationError) as refused:
        loaded(home)

    mistakes = [refused.value, *refused.value.others]
    assert remedy in "\n".join(str(mistake) for mistake in mistakes)
    assert all(mistake.file == tmp_path / FILE and mistake.line for mistake in mistakes)


WRONG = [
    ("pack: mini", "pack: maxi", "pack:", "must say 'mini', as the file is called"),
    ("[soup, stew]", "[soup, stwe]", "    spicy dish:", "unknown concept 'stwe'; did you mean 'stew'? add it under"),
    ("[soup, stew]", "[broth, stew]", "    spicy dish:", "'broth' is another word for 'soup'; write that"),
    ("[soup, stew]", "[soup, soup]", "    spicy dish:", "said already in line"),
    ("[soup, stew]", "[soup, spicy dish]", "    spicy dish:", "this group contains itself; remove the circle"),
    ("  Dish: [spicy dish]", "  Dish: [spicy dish, pepper]", "    soup: [pepper]", "'pepper' is a Spice and a Dish"),
    ("  Dish: [spicy dish]", "  Drink: [tea]", "  Drink:", "unknown type 'Drink'"),
    ('{Policy: "before noon"}', "{Spice: salt}", "  - {from: pepper", "unknown Spice 'salt'"),
    ('{Policy: "before noon"}', "{Rule: x}", "  - {from: pepper", "unknown type 'Rule'"),
    ("tier: B", "tier: D", "  - {from: pepper", "'A', 'B' or 'C'"),
    ("source: cook,", "source: book,", "  - {from: pepper", "unknown source 'book'; did you mean 'cook'?"),
    ("checked: seen", "checked: yes", "  - {from: pepper", "'seen' or 'recall'"),
    (", source: cook, checked: seen", "", "  - {from: pepper", "'source' is missing; add it"),
    ("  CLASHES_WITH:", "  clashes:", "  clashes:", "a relation is written in capitals"),
]


@pytest.mark.parametrize(("old", "new", "at", "remedy"), WRONG, ids=[row[3][:40] for row in WRONG])
def test_a_wrong_pack_is_refused_at_its_line(tmp_path: Path, old: str, new: str, at: str, remedy: str) -> None:
    changed = KNOWLEDGE.replace(old, new, 1)

    with pytest.raises(ConfigurationError) as refused:
        loaded(mini(tmp_path, {FILE: (old, new)}))

    mistakes = [refused.value, *refused.value.others]
    assert (tmp_path / FILE, line_of(changed, at)) in [(mistake.file, mistake.line) for mistake in mistakes]
    assert remedy in "\n".join(str(mistake) for mistake in mistakes)
