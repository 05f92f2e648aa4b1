"""The files that come with the package: the seeds' names and mappings, and what the clinical pack must connect."""

import re
from pathlib import Path

import pytest

from r_memory.cli.checking import of_domains
from r_memory.config.files import Files
from r_memory.config.loading import Loaded, load_domain
from r_memory.domain.facts import concept
from r_memory.domain.intents import widest
from r_memory.domain.knowledge import CROSS_REACTS_WITH, Link
from r_memory.reading.linking import Gazetteer
from r_memory.reading.taught.weights import whole_words
from r_memory_lab.knowledge.coverage import coverage_of, names_in

ROOT = Path(__file__).parents[3]
STEPS = {"MEMBER_OF": 2, "HAS_INGREDIENT": 1}


@pytest.fixture(scope="module")
def clinical() -> Loaded:
    return load_domain(Files(), "clinical")


def above(clinical: Loaded, type_: str, name: str) -> set[str]:
    start = concept(type_, name).uid
    assert start in clinical.knowledge.concepts
    return {clinical.knowledge.concepts[uid].id for uid in clinical.knowledge.upward(start, STEPS)}


def links(clinical: Loaded, relation: str, start: str, end: str) -> list[Link]:
    ids = {uid: entity.id for uid, entity in clinical.knowledge.concepts.items()}
    ends = (relation, start, end)
    return [link for link in clinical.knowledge.links if (link.relation, ids[link.start], ids[link.end]) == ends]


def test_nothing_shipped_needs_mending() -> None:
    assert of_domains(Files(), lint=False) == ()


@pytest.mark.proves("RM-6")
def test_the_seeds_edge_types_and_labels_are_in_the_schema(clinical: Loaded) -> None:
    relations = {
        "HAS_ALLERGY_TO",
        "IS_CONTRAINDICATED_WITH",
        "DOSE_LIMIT",
        "HAS_CONTRAST_ALLERGY",
        "HAS_IMPLANTS",
        "REQUIRES_PREP",
        "HAS_FAMILY_HISTORY",
    }

    assert relations <= set(clinical.schema.relations)
    assert {"Patient", "Drug", "Condition", "Policy"} <= set(clinical.schema.types)
    assert clinical.schema.subject == "Patient"


@pytest.mark.proves("RM-8")
def test_the_seeds_two_mappings_stand_first_and_in_order(clinical: Loaded) -> None:
    medication, diagnosis = clinical.intents.intent("MED_ORDER"), clinical.intents.intent("DIAG_ORDER")

    assert medication.edges[:3] == ("HAS_ALLERGY_TO", "IS_CONTRAINDICATED_WITH", "DOSE_LIMIT")
    assert diagnosis.edges[:3] == ("HAS_CONTRAST_ALLERGY", "HAS_IMPLANTS", "REQUIRES_PREP")
    assert medication.edges[3:7] == ("HAS_INTOLERANCE_TO", "TOLERATES", "TAKES", "HAS_CONDITION")
    assert medication.expand == {"MEMBER_OF": 2, "HAS_INGREDIENT": 1, "CROSS_REACTS_WITH": 1}


def test_children_read_everything_their_parent_reads(clinical: Loaded) -> None:
    table = clinical.intents
    children = {intent.name: intent.extends for intent in table.intents.values() if intent.extends}

    assert children == {
        "MED_CHANGE": "MED_ORDER",
        "DOSE_CHECK": "MED_ORDER",
        "VACCINE": "MED_ORDER",
        "DIET": "MED_ORDER",
        "TRANSFUSION": "MED_ORDER",
        "ANAESTHESIA": "MED_ORDER",
        "IMAGING_CONTRAST": "DIAG_ORDER",
        "IMAGING_MRI": "DIAG_ORDER",
        "LAB_ORDER": "DIAG_ORDER",
        "PROCEDURE": "DIAG_ORDER",
    }
    for child, parent in children.items():
        assert set(table.intent(parent).edges) <= set(table.intent(child).edges)
        assert table.intent(parent).expand == table.intent(child).expand
    silent = {intent.name for intent in table.intents.values() if intent.silent}
    assert silent == {"FACT_STATEMENT", "GENERAL_INFO", "SMALL_TALK", "GENERAL_REQUEST"}


@pytest.mark.proves("RM-24", "Z01")
@pytest.mark.parametrize(
    ("asked", "allergy"),
    [
        ("amoxicillin", "penicillin"),
        ("amoxicillin-clavulanate", "penicillin"),
        ("piperacillin-tazobactam", "penicillin"),
        ("sulfamethoxazole-trimethoprim", "sulfonamide antibiotic"),
        ("imipenem-cilastatin", "carbapenem"),
        ("ibuprofen", "nsaid"),
        ("cephalexin", "cephalosporin"),
    ],
)
def test_a_drug_reaches_the_class_that_somebody_is_allergic_to(clinical: Loaded, asked: str, allergy: str) -> None:
    assert allergy in above(clinical, "Drug", asked)


@pytest.mark.proves("Z02")
@pytest.mark.parametrize(
    ("product", "ingredients"),
    [
        ("oxycodone-acetaminophen", {"oxycodone", "acetaminophen", "opioid"}),
        ("hydrocodone-acetaminophen", {"hydrocodone", "acetaminophen", "opioid"}),
        ("amoxicillin-clavulanate", {"amoxicillin", "clavulanate"}),
        ("sacubitril-valsartan", {"sacubitril", "valsartan", "arb"}),
    ],
)
def test_a_combination_product_reaches_its_ingredients(clinical: Loaded, product: str, ingredients: set[str]) -> None:
    assert ingredients <= above(clinical, "Drug", product)


@pytest.mark.parametrize(
    ("type_", "allergy", "asked"),
    [
        ("DrugClass", "penicillin", "antibiotic"),
        ("Drug", "amoxicillin-clavulanate", "antibiotic"),
        ("Drug", "vancomycin", "antibiotic"),
        ("Drug", "azithromycin", "antibiotic"),
        ("Drug", "ibuprofen", "analgesic"),
        ("Drug", "codeine", "analgesic"),
        ("Drug", "acetaminophen", "analgesic"),
    ],
)
def test_a_request_that_names_only_a_kind_of_drug_meets_the_allergy(
    clinical: Loaded, type_: str, allergy: str, asked: str
) -> None:
    assert asked in above(clinical, type_, allergy)


@pytest.mark.proves("Z27")
def test_cross_reactivity_carries_tier_rate_source_and_whether_it_was_read(clinical: Loaded) -> None:
    (same_class,) = links(clinical, "CROSS_REACTS_WITH", "penicillin", "penicillin")
    (cefazolin,) = links(clinical, "CROSS_REACTS_WITH", "penicillin", "cefazolin")
    (shellfish,) = links(clinical, "CROSS_REACTS_WITH", "shellfish", "iodinated contrast")

    assert (same_class.tier, same_class.action, same_class.reviewed) == ("A", "stop", False)
    assert (cefazolin.tier, cefazolin.rate[:4], cefazolin.reviewed) == ("B", "0.7%", True)
    assert cefazolin.source == "Sousa-Pinto 2021, doi 10.1001/jamasurg.2021.0021"
    assert (shellfish.tier, shellfish.action) == ("B", "do not block")


def test_the_example_of_an_own_traversal_names_a_concept_of_the_pack(clinical: Loaded) -> None:
    intent = clinical.intents.intent("IMAGING_MRI")

    assert intent.traversal == "cypher/recall/imaging_mri.cypher"
    (named,) = re.findall(r"uid: '(.+?)'", Files().read(intent.traversal).text)
    assert "IS_CONTRAINDICATED_WITH" in {link.relation for link in clinical.knowledge.links if link.start == named}


def test_every_claim_has_a_tier_and_a_source(clinical: Loaded) -> None:
    plain = {"IS_A", "MEMBER_OF", "HAS_INGREDIENT"}
    claims = [link for link in clinical.knowledge.links if link.relation not in plain]

    assert len(claims) > 100
    assert all(link.tier and link.source for link in claims)
    assert {link.relation for link in claims} == {
        "CROSS_REACTS_WITH",
        "IS_CONTRAINDICATED_WITH",
        "DOSE_LIMIT",
        "REQUIRES_PREP",
        "IS_FINE_WITH",
    }


def test_only_things_of_a_kind_are_members_of_it(clinical: Loaded) -> None:
    types = {uid: entity.type for uid, entity in clinical.knowledge.concepts.items()}
    memberships = {
        (types[link.start], types[link.end]) for link in clinical.knowledge.links if link.relation == "MEMBER_OF"
    }

    assert memberships == {
        ("Drug", "DrugClass"),
        ("Material", "DrugClass"),  # antiseptics and excipients
        ("DrugClass", "DrugClass"),
        ("ContrastAgent", "ContrastAgent"),
        ("Food", "Food"),
        ("Gestation", "Condition"),
        ("Age", "Age"),  # in months or weeks
    }


def test_every_drug_class_of_the_lexicon_has_members(clinical: Loaded) -> None:
    groups = {link.end for link in clinical.knowledge.links if link.relation == "MEMBER_OF"}
    empty = {
        name
        for name in clinical.schema.lexicon.terms["DrugClass"]
        if concept("DrugClass", name).uid not in groups and ("DrugClass", name) not in clinical.schema.lexicon.kinds
    }

    assert empty == {"antitoxin"}


def test_the_essential_and_the_most_prescribed_medicines_are_known_and_classified(clinical: Loaded) -> None:
    names = list(names_in((ROOT / "evals/sets/essential-medicines.txt").read_text(encoding="utf-8")))
    found = coverage_of(names, Gazetteer(clinical.schema.lexicon), clinical.knowledge)

    assert found.recognised >= 97, found.unknown
    assert found.classified >= 95, found.unclassified


def test_no_name_of_a_medicine_is_an_ordinary_word(clinical: Loaded) -> None:
    """A brand that is a word of everyday language would be found in sentences that name no medicine."""
    everyday = {word.casefold() for word in clinical.intents.everyday}
    terms = clinical.schema.lexicon.terms
    names = {
        word.casefold()
        for type_ in ("Drug", "DrugClass")
        for name, synonyms in terms[type_].items()
        for word in (name, *synonyms)
        if not (word.isupper() and len(word) <= 3)
    }

    assert names & whole_words() - everyday == {
        "asa", "bayer", "insulin", "lithium", "magnesium", "adrenaline", "antibiotics", "narcotics", "nitrate",
        "vaccine", "vaccines", "chemotherapy", "hypnotic",
    }  # fmt: skip


@pytest.mark.proves("RM-3", "RM-12")
@pytest.mark.parametrize("name", ["law", "finance"])
def test_the_other_domains_are_whole(name: str) -> None:
    """A practitioner finds everything that the clinical domain has."""
    loaded = load_domain(Files(), name)
    intents = loaded.intents.intents.values()

    assert loaded.schema.subject == "Client"
    assert 6 <= len([intent for intent in intents if not intent.silent]) <= 10
    assert all(len(intent.examples) >= 10 and intent.keywords for intent in intents)
    assert all(
        (relation.question or relation.called_by) and len(relation.examples) >= 3
        for relation in loaded.schema.relations.values()
    )
    assert all(any(example.expect is None for example in each.examples) for each in loaded.schema.relations.values())
    assert len(loaded.schema.critical) >= 5
    assert loaded.knowledge.links
    assert loaded.schema.unavailable
    assert loaded.schema.review_types


@pytest.mark.parametrize(
    ("name", "type_", "asked", "recorded"),
    [
        ("law", "Party", "acme foods", "acme corp"),
        ("law", "Party", "duke energy services", "duke group"),
        ("law", "Agreement", "non-compete", "restrictive covenant"),
        ("finance", "Security", "contoso 2030 bond", "contoso"),
        ("finance", "Security", "contoso shares", "contoso group"),
        ("finance", "Security", "call options", "options"),
    ],
)
def test_a_thing_reaches_what_it_belongs_to_in_the_other_domains(
    name: str, type_: str, asked: str, recorded: str
) -> None:
    loaded = load_domain(Files(), name)
    expand = next(iter(loaded.intents.intents.values())).expand
    reached = loaded.knowledge.upward(concept(type_, asked).uid, expand)

    assert recorded in {loaded.knowledge.concepts[uid].id for uid in reached}


def test_the_personal_domain_is_whole_and_needs_no_subject() -> None:
    """Who calls reads; offline a handful of forms and the clinical ones do."""
    loaded = load_domain(Files(), "personal")
    rows = {"DIET", "SHOPPING", "TRAVEL", "GIFT", "WRITING", "CODE", "PLANNING", "MED_ORDER"}

    assert (loaded.schema.subject, bool(loaded.schema.owner)) == ("Person", True)
    assert rows <= loaded.intents.intents.keys()
    assert all(len(loaded.intents.intent(name).examples) >= 10 for name in rows)
    assert {"HAS_ALLERGY_TO", "KEEPS_DIET", "AVOIDS", "INSTRUCTS"} <= set(loaded.schema.critical)
    assert [name for name, relation in loaded.schema.relations.items() if relation.people] == ["KNOWS"]


def test_no_domain_shares_a_relation_that_means_another_thing() -> None:
    """One store may hold several domains, each under its own space: names that are the same take the same subject.

    What somebody is called means the same everywhere, and so does what every schema includes: notes and dates.
    """
    everywhere = {"IS_CALLED", "HAS_NOTE", "HAS_DATE"}
    schemas = [load_domain(Files(), name).schema for name in ("clinical", "law", "finance")]
    assert {schema.naming.name for schema in schemas if schema.naming is not None} == {"IS_CALLED"}
    names = [set(schema.relations) - everywhere for schema in schemas]
    shared = [item & other for item in names for other in names if item is not other]

    assert [names for names in shared if names] == []


@pytest.mark.parametrize("name", ["clinical", "law", "finance", "personal"])
def test_every_relation_says_what_belongs_in_it_and_where_it_ends(name: str) -> None:
    """A reader who sees nothing but the schema decides between neighbours by it."""
    schema = load_domain(Files(), name).schema

    assert {relation.name for relation in schema.relations.values() if len(relation.belongs) < 40} == set()


@pytest.mark.parametrize("domain", ["clinical", "law", "finance"])
def test_whatever_meets_a_thing_meets_every_kind_and_brand_of_it(domain: str) -> None:
    """Telling kinds from synonyms loses no rule and no match: what is above a term is above everything below it."""
    loaded = load_domain(Files(), domain)
    lexicon, pack = loaded.schema.lexicon, loaded.knowledge
    steps = widest(loaded.intents.intents.values())
    taken = tuple(sorted((name, most) for name, most in steps.items() if name != CROSS_REACTS_WITH))
    if lexicon.brands:
        assert steps["HAS_INGREDIENT"] >= 1
    narrower = [(term, above) for links in (lexicon.kinds, lexicon.brands) for term, above in links.items()]

    assert len(narrower) > 400
    for term, above in narrower:
        closure = pack.closure(concept(*term).uid, taken).keys()
        for item in above:
            lost = pack.closure(concept(*item).uid, taken).keys() - closure
            assert not lost, (term, item, lost)


@pytest.mark.parametrize(
    ("domain", "word", "term", "above"),
    [
        ("clinical", "grapefruit", ("Food", "grapefruit"), ("Food", "citrus")),
        ("clinical", "cashews", ("Food", "cashew"), ("Food", "tree nut")),
        ("clinical", "hep B", ("Condition", "hepatitis b"), ("Condition", "hepatitis")),
        ("clinical", "solitary kidney", ("Condition", "solitary kidney"), ("Condition", "kidney disease")),
        ("clinical", "Elastoplast", ("Material", "elastoplast"), ("Material", "tape")),
        ("clinical", "Steri-Strips", ("Material", "steri-strips"), ("Material", "tape")),
        ("clinical", "Tylenol", ("Drug", "tylenol"), ("Drug", "acetaminophen")),
        ("clinical", "Augmentin", ("Drug", "augmentin"), ("Drug", "amoxicillin-clavulanate")),
        ("law", "freezing order", ("Agreement", "freezing order"), ("Agreement", "injunction")),
        ("law", "new will", ("Matter", "new will"), ("Matter", "last will")),
        ("finance", "coal", ("Security", "coal"), ("Security", "fossil fuels")),
        ("finance", "buy-to-let", ("Security", "buy-to-let"), ("Security", "property")),
    ],
)
def test_a_narrower_word_of_a_shipped_list_is_a_thing_of_its_own(
    domain: str, word: str, term: tuple[str, str], above: tuple[str, str]
) -> None:
    lexicon = load_domain(Files(), domain).schema.lexicon
    [found] = Gazetteer(lexicon).resolve(word, (term[0],))

    assert ((found.type, found.name.casefold()), found.fuzzy) == (term, False)
    assert above in lexicon.broader((found.type, found.name))


@pytest.mark.parametrize("word", ["paracetamol", "salbutamol", "acetylsalicylic acid", "amoxycillin", "lignocaine"])
def test_another_name_of_the_same_substance_is_no_thing_of_its_own(word: str) -> None:
    lexicon = load_domain(Files(), "clinical").schema.lexicon
    [found] = Gazetteer(lexicon).resolve(word, ("Drug",))

    assert lexicon.broader((found.type, found.name)) == ((found.type, found.name),)
    assert found.name != word


def test_a_new_address_is_no_witness() -> None:
    lexicon = load_domain(Files(), "law").schema.lexicon

    assert not any("new address" in words for words in lexicon.terms["Material"].values())
