"""`knowledge`: the pack shown, compared and extended, by files alone."""

from pathlib import Path

import pytest

from r_memory.cli.app import Exit
from r_memory.config.files import Files
from r_memory.config.loading import load_domain
from r_memory.domain.facts import concept
from tests.unit.cli.conftest import Command
from tests.unit.lab.knowledge.files import ATC, atc_in, rxnorm_in


@pytest.fixture
def home(command: Command, tmp_path: Path) -> Path:
    """A home with all the shipped files."""
    command("init", str(tmp_path / "home"))
    return tmp_path / "home"


def test_a_brand_shows_its_classes_ingredients_and_rules_with_tier_source_and_review(command: Command) -> None:
    done = command("knowledge", "show", "Percocet", "--json")

    assert done.code == Exit.DONE
    shown = done.json
    assert (shown["concept"], shown["ingredients"]) == (
        "Percocet",
        ["Oxycodone-acetaminophen", "Oxycodone", "Acetaminophen"],
    )
    assert "Opioid" in shown["belongs_to"]
    (limit,) = [fact for fact in shown["facts"] if fact["id"] == "acetaminophen-4g"]
    assert limit == {
        "id": "acetaminophen-4g",
        "a": "Acetaminophen",
        "relation": "DOSE_LIMIT",
        "b": "Acetaminophen: at most 4 g in 24 h, all products together",
        "condition": "",
        "action": "",
        "match_level": "exact",
        "tier": "A",
        "rate": "",
        "source": "EASL and AASLD on acetaminophen in liver disease; OTC label",
        "checked": "seen",
        "checked_by": "authors of the pack, no pharmacist",
        "checked_on": "",
        "pack_version": shown["pack_version"],
    }


def test_a_class_shows_its_members_and_the_table_says_what_was_never_read(command: Command) -> None:
    done = command("knowledge", "show", "carbapenem")

    assert "members: Meropenem" in done.out
    assert "Picard 2019" in done.out
    assert "recall" in done.out


def test_the_whole_pack_is_counted_by_relation_tier_and_review(command: Command) -> None:
    done = command("knowledge", "show", "--json")

    counts = {row["relation"]: row for row in done.json["relations"]}
    assert counts["DOSE_LIMIT"]["facts"] == sum(counts["DOSE_LIMIT"][f"tier {tier}"] for tier in "ABC")
    assert counts["MEMBER_OF"]["recall"] > 400
    assert "rules that may fire" in command("knowledge", "show").out


def test_an_unknown_term_is_refused_with_the_way_out(command: Command) -> None:
    done = command("knowledge", "show", "zyloflurane")

    assert (done.code, "the pack has no concept 'zyloflurane'" in done.err) == (Exit.USAGE, True)


def test_differences_between_packs_are_listed_and_are_an_exit_code(command: Command, home: Path) -> None:
    pack = home / "schema/knowledge/clinical.yaml"
    old = home / "before.yaml"
    old.write_text(pack.read_text(encoding="utf-8"), encoding="utf-8")
    changed = pack.read_text(encoding="utf-8").replace("0.87% (0.3-2.3)", "0.9%")
    changed = changed.replace("    monobactam: [aztreonam]\n", "    monobactam: [aztreonam, penicillin V]\n")
    pack.write_text(changed, encoding="utf-8")

    same = command("knowledge", "diff", str(old), str(old))
    done = command("knowledge", "diff", str(old), "--home", str(home), "--json")

    assert (same.code, "0 differences" in same.out) == (Exit.DONE, True)
    assert done.code == Exit.CHECK_FAILED
    rows = [(row["change"], row["a"], row["b"], row["what"]) for row in done.json["changes"]]
    assert rows == [
        ("changed", "Penicillin", "Carbapenem", "rate: 0.87% (0.3-2.3) → 0.9%"),
        ("added", "Penicillin V", "Monobactam", ""),
    ]


def test_a_home_is_compared_with_all_that_adds_to_its_pack(command: Command, home: Path) -> None:
    (home / "schema/knowledge/clinical.d/mine.yaml").write_text(
        "pack: mine\nsources: {me: {cite: My notes}}\nclassification: {source: me, checked: recall}\n"
        "groups: {MEMBER_OF: {macrolide: [metronidazole]}}\n",
        encoding="utf-8",
    )

    done = command("knowledge", "diff", str(home), "--json")

    assert [(row["change"], row["a"]) for row in done.json["changes"]] == [("removed", "Metronidazole")]


def test_a_pack_that_is_not_there_is_a_mistake(command: Command, tmp_path: Path) -> None:
    done = command("knowledge", "diff", str(tmp_path / "none.yaml"))

    assert (done.code, "cannot be read" in done.err) == (Exit.USAGE, True)


@pytest.mark.proves("Z02")
def test_coverage_of_a_list_names_what_is_missing(command: Command, tmp_path: Path) -> None:
    names = tmp_path / "names.txt"
    names.write_text(
        "# remark\namoxicillin\namoxicillin + clavulanic acid\nzorvenbrix\nteduglutide\n", encoding="utf-8"
    )

    done = command("knowledge", "coverage", str(names), "--json")

    assert done.code == Exit.DONE
    assert done.json == {
        "names": 4,
        "recognised": 75.0,
        "classified": 50.0,
        "unknown": ["zorvenbrix"],
        "unclassified": ["teduglutide"],
    }
    assert command("knowledge", "coverage", str(names), "--at-least", "97").code == Exit.CHECK_FAILED


def test_a_list_without_names_is_a_mistake(command: Command, tmp_path: Path) -> None:
    names = tmp_path / "names.txt"
    names.write_text("# nothing\n", encoding="utf-8")

    done = command("knowledge", "coverage", str(names))

    assert done.code == Exit.USAGE
    assert "write one a line" in done.err


def test_an_import_extends_the_home_and_nothing_else(command: Command, home: Path, tmp_path: Path) -> None:
    done = command("knowledge", "import", "rxnorm", str(rxnorm_in(tmp_path / "rx")), "--home", str(home), "--json")

    assert (done.code, done.err) == (Exit.DONE, "")
    assert {key: done.json[key] for key in ("names", "combinations")} == {"names": 6, "combinations": 3}
    domain = load_domain(Files(home=home), "clinical")
    assert domain.schema.lexicon.terms["Drug"]["zolimab"] == ("zolimab hydrochloride", "Zolimax")
    whole = concept("Drug", "quintafen / zolimab").uid
    parts = {link.end for link in domain.knowledge.outgoing(whole, "HAS_INGREDIENT")}
    assert parts == {concept("Drug", "quintafen").uid, concept("Drug", "zolimab").uid}
    assert command("check", "--home", str(home)).code == Exit.DONE
    assert "National Library of Medicine" in (home / "schema/lexicon/clinical.d/rxnorm.yaml").read_text("utf-8")


def test_a_name_that_the_lexicon_knows_keeps_its_meaning(command: Command, home: Path, tmp_path: Path) -> None:
    rows = ATC.replace("Zolimab", "Amoxicillin").replace("Quintafen", "Paracetamol").replace("Brevidol", "Peanut")
    command("knowledge", "import", "atc", str(atc_in(tmp_path, rows)), "--home", str(home))

    domain = load_domain(Files(home=home), "clinical")

    rinses = concept("DrugClass", "rinses (A01AB)").uid
    members = {link.start for link in domain.knowledge.incoming(rinses, "MEMBER_OF")}
    assert members == {concept("Drug", "amoxicillin").uid, concept("Drug", "acetaminophen").uid}
    assert "paracetamol" not in domain.schema.lexicon.terms["Drug"]
    assert "peanut" not in domain.schema.lexicon.terms["Drug"]
    assert "rinses (A01AB)" not in domain.schema.lexicon.terms["DrugClass"]


def test_an_import_needs_a_home_and_a_type_of_the_schema(command: Command, home: Path, tmp_path: Path) -> None:
    folder = str(rxnorm_in(tmp_path / "rx"))

    nowhere = command("knowledge", "import", "rxnorm", folder)
    untyped = command("knowledge", "import", "rxnorm", folder, "--home", str(home), "--type", "Potion")

    assert (nowhere.code, "needs a home" in nowhere.err) == (Exit.USAGE, True)
    assert (untyped.code, "no type 'Potion'" in untyped.err) == (Exit.USAGE, True)
    assert not (home / "schema/lexicon/clinical.d/rxnorm.yaml").exists()


def test_names_of_a_list_and_words_of_the_language_are_skipped(command: Command, home: Path, tmp_path: Path) -> None:
    skip = tmp_path / "skip.txt"
    skip.write_text("Zolimax\n\n", encoding="utf-8")

    command("knowledge", "import", "rxnorm", str(rxnorm_in(tmp_path / "rx")), "--home", str(home), "--skip", str(skip))

    text = (home / "schema/lexicon/clinical.d/rxnorm.yaml").read_text(encoding="utf-8")
    assert "Zolimax" not in text
    assert "Quintazol" in text
