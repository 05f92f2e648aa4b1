"""Closures over the pack."""

from collections import Counter
from collections.abc import Iterator, Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from r_memory.domain.knowledge import Circumstance, Knowledge, Link

CONCEPTS = st.sampled_from("abcde")
RELATIONS = st.sampled_from(("MEMBER_OF", "HAS_INGREDIENT"))


def link(relation: str, start: str, end: str) -> Link:
    return Link(relation=relation, start=start, end=end)


LINKS = st.lists(st.builds(link, RELATIONS, CONCEPTS, CONCEPTS), max_size=9)
STEPS = st.fixed_dictionaries({}, optional={"MEMBER_OF": st.integers(0, 3), "HAS_INGREDIENT": st.integers(0, 2)})


def pack(*links: Link) -> Knowledge:
    return Knowledge(name="p", version="1", links=links)


def reached(knowledge: Knowledge, start: str, **steps: int) -> list[str]:
    return list(knowledge.upward(start, steps))


def walks(links: list[Link], start: str, steps: Mapping[str, int]) -> Iterator[tuple[Link, ...]]:
    """Every path from the start that keeps within the steps, tried one by one."""
    waiting: list[tuple[Link, ...]] = [()]
    while waiting:
        path = waiting.pop()
        yield path
        here = path[-1].end if path else start
        used = Counter(item.relation for item in path)
        waiting += [
            (*path, item) for item in links if item.start == here and used[item.relation] < steps.get(item.relation, 0)
        ]


AMOXICILLIN = pack(
    link("HAS_INGREDIENT", "augmentin", "amoxicillin"),
    link("MEMBER_OF", "amoxicillin", "penicillin"),
    link("MEMBER_OF", "penicillin", "beta-lactam"),
    link("MEMBER_OF", "beta-lactam", "antibiotic"),
)


@pytest.mark.proves("RM-24", "Z01", "Z02")
def test_concepts_above_come_nearest_first_within_the_steps() -> None:
    assert reached(AMOXICILLIN, "augmentin", MEMBER_OF=2, HAS_INGREDIENT=1) == [
        "augmentin",
        "amoxicillin",
        "penicillin",
        "beta-lactam",
    ]
    assert reached(AMOXICILLIN, "augmentin", MEMBER_OF=2) == ["augmentin"]
    assert reached(AMOXICILLIN, "augmentin") == ["augmentin"]
    assert reached(AMOXICILLIN, "unknown", MEMBER_OF=9) == ["unknown"]


def test_path_tells_the_links_taken() -> None:
    paths = AMOXICILLIN.upward("augmentin", {"MEMBER_OF": 1, "HAS_INGREDIENT": 1})

    assert paths["penicillin"] == AMOXICILLIN.links[:2]


def test_circle_ends() -> None:
    assert reached(pack(link("MEMBER_OF", "a", "b"), link("MEMBER_OF", "b", "a")), "a", MEMBER_OF=9) == ["a", "b"]


def test_second_way_to_a_concept_that_leaves_other_steps_is_followed_as_well() -> None:
    knowledge = pack(link("MEMBER_OF", "a", "b"), link("HAS_INGREDIENT", "a", "b"), link("MEMBER_OF", "b", "c"))

    assert reached(knowledge, "a", MEMBER_OF=1, HAS_INGREDIENT=1) == ["a", "b", "c"]


def test_longer_way_to_a_concept_that_leaves_other_steps_is_followed_as_well() -> None:
    detour = (link("HAS_INGREDIENT", "a", "x"), link("HAS_INGREDIENT", "x", "b"))
    knowledge = pack(link("MEMBER_OF", "a", "b"), *detour, link("MEMBER_OF", "b", "c"))

    assert reached(knowledge, "a", MEMBER_OF=1, HAS_INGREDIENT=2) == ["a", "b", "x", "c"]


@pytest.mark.proves("RM-24")
@given(LINKS, CONCEPTS, STEPS)
def test_closure_reaches_exactly_what_some_path_within_the_steps_reaches(
    links: list[Link], start: str, steps: dict[str, int]
) -> None:
    shortest: dict[str, int] = {}
    for path in walks(links, start, steps):
        end = path[-1].end if path else start
        shortest[end] = min(len(path), shortest.get(end, len(path)))

    found = pack(*links).upward(start, steps)

    assert {uid: len(path) for uid, path in found.items()} == shortest
    assert list(map(len, found.values())) == sorted(map(len, found.values()))
    assert all(_is_walk(path, start, uid, steps) for uid, path in found.items())


def _is_walk(path: tuple[Link, ...], start: str, end: str, steps: Mapping[str, int]) -> bool:
    stations, taken = [start, *(item.end for item in path)], Counter(item.relation for item in path)
    joined = all(one.start == station for one, station in zip(path, stations, strict=False))
    return joined and stations[-1] == end and all(taken[name] <= steps[name] for name in taken)


def test_links_are_found_from_both_ends() -> None:
    assert AMOXICILLIN.outgoing("amoxicillin", "MEMBER_OF") == (AMOXICILLIN.links[1],)
    assert AMOXICILLIN.incoming("penicillin", "MEMBER_OF") == (AMOXICILLIN.links[1],)
    assert AMOXICILLIN.outgoing("amoxicillin", "HAS_INGREDIENT") == ()
    assert AMOXICILLIN.incoming("nothing", "MEMBER_OF") == ()


@pytest.mark.parametrize(
    ("at_least", "below", "inside", "outside"),
    [(None, 30.0, (0, 29.9), (30, 99)), (20.0, None, (20, 99), (19.9,)), (30.0, 60.0, (30, 59.9), (29.9, 60))],
)
def test_a_range_holds_its_lower_bound_and_not_its_upper(
    at_least: float | None, below: float | None, inside: tuple[float, ...], outside: tuple[float, ...]
) -> None:
    need = Circumstance(relations=frozenset(), number="value", at_least=at_least, below=below, words="a range")

    assert [need.holds(number) for number in inside] == [True] * len(inside)
    assert [need.holds(number) for number in outside] == [False] * len(outside)
