"""A brand or a mixture is filed under what it holds; what is not is told by `r-memory check`."""

import pytest

from r_memory.config.contents import mismatches
from r_memory.config.files import Files
from r_memory.config.loading import load_domain
from r_memory.domain.facts import HAS_INGREDIENT, IS_A, concept
from r_memory.domain.knowledge import MEMBER_OF, Knowledge, Link
from r_memory.domain.schema import Lexicon, Term

LOOKED_AT = {
    "benadryl allergy relief",  # acrivastine in Britain, where plain Benadryl is as well; elsewhere diphenhydramine
    "midol ib",  # ibuprofen alone
    "zantac 360",  # famotidine, since ranitidine was withdrawn
    "dulcolax pico",  # sodium picosulfate
    "sudafed pe",  # phenylephrine in place of pseudoephedrine
    "doxylamine-pyridoxine",  # against sickness as a mixture alone
    "naltrexone-bupropion",  # for weight as a mixture alone
}
"""What a person read and left as it is, and why."""


@pytest.mark.parametrize("domain", ["clinical", "law", "finance"])
def test_every_shipped_brand_is_filed_under_what_it_holds(domain: str) -> None:
    loaded = load_domain(Files(), domain)

    found = list(mismatches(loaded.schema.lexicon, loaded.knowledge))

    assert [item.text for item in found if item.term[1] not in LOOKED_AT] == []


def told(terms: list[str], links: list[tuple[str, str, str]], brands: dict[str, str]) -> list[str]:
    """What is said of these terms; of a type of their own are those that a link makes a group."""
    groups = {end for relation, _, end in links if relation == MEMBER_OF}

    def term(name: str) -> Term:
        return ("Group" if name in groups else "Drug", name)

    lexicon = Lexicon(
        terms={type_: {name: () for name in terms if term(name)[0] == type_} for type_ in ("Drug", "Group")},
        brands={term(brand): (term(thing),) for brand, thing in brands.items()},
    )
    concepts = {entity.uid: entity for entity in (concept(*term(name)) for name in terms)}
    ends = [(relation, concept(*term(start)).uid, concept(*term(end)).uid) for relation, start, end in links]
    joined = tuple(Link(relation=relation, start=start, end=end) for relation, start, end in ends)
    pack = Knowledge(name="mini", version="1", concepts=concepts, links=joined)
    return [mismatch.text for mismatch in mismatches(lexicon, pack)]


def test_a_brand_of_a_group_is_told() -> None:
    texts = told(["codeine", "coldex", "cough"], [(MEMBER_OF, "codeine", "cough")], {"coldex": "cough"})

    assert texts == ["'coldex' is a brand of the group 'cough'; write it under what it contains"]


def test_a_mixture_that_lacks_a_part_of_its_name_is_told() -> None:
    texts = told(["aspirin", "caffeine", "aspirin-caffeine"], [(HAS_INGREDIENT, "aspirin-caffeine", "aspirin")], {})

    assert texts == ["'aspirin-caffeine' holds no caffeine; add what it contains to `parts` of the pack"]


def test_a_mixture_of_a_group_that_no_part_is_of_is_told() -> None:
    links = [
        (HAS_INGREDIENT, "mix", "aspirin"),
        (HAS_INGREDIENT, "mix", "caffeine"),
        (MEMBER_OF, "mix", "cough"),
        (MEMBER_OF, "codeine", "cough"),
    ]

    texts = told(["aspirin", "caffeine", "codeine", "mix", "cough"], links, {})

    assert texts == ["'mix' is of the group 'Cough', and nothing that it contains is; look at both"]


def test_a_brand_that_shares_nothing_with_the_shorter_one_is_told() -> None:
    links = [(HAS_INGREDIENT, "coldex", "codeine"), (HAS_INGREDIENT, "coldex night", "aspirin")]

    texts = told(
        ["codeine", "aspirin", "coldex", "coldex night"], links, {"coldex": "codeine", "coldex night": "aspirin"}
    )

    assert texts == ["'coldex night' and 'coldex' have no ingredient in common; look at what each contains"]


def test_brands_of_one_mixture_are_not_told() -> None:
    links = [
        (HAS_INGREDIENT, "mix", "aspirin"),
        (IS_A, "coldex", "mix"),
        (IS_A, "coldex night", "mix"),
    ]

    assert told(["aspirin", "mix", "coldex", "coldex night"], links, {"coldex": "mix", "coldex night": "mix"}) == []
