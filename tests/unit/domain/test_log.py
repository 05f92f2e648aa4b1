"""The log as RFC 6962 has it, and what a checkpoint of it finds."""

import hashlib
from dataclasses import replace

import pytest

from r_memory.domain.log import EMPTY_ROOT, Checkpoint, Entry, Log, LogHead, path, root, tree_hash, weight

# The tree of RFC 6962's reference implementation over these eight leaves (certificate-transparency, merkletree tests).
LEAVES = ["", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f"]
ROOTS = [
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
]
NODES = [hashlib.sha256(b"\x00" + bytes.fromhex(leaf)).digest() for leaf in LEAVES]


def a_log(size: int) -> Log:
    entries = tuple(Entry(seq=seq, leaf=f"event:{seq}") for seq in range(1, size + 1))
    return Log(
        head=LogHead(id="log", size=size, sum=weight(entry.leaf for entry in entries)), entries=entries, records=()
    )


def checkpoint_of(log: Log) -> Checkpoint:
    logs = {log.head.id: (len(log.entries), root(log.entries))}
    return Checkpoint(space="clinic", made_at="2026-11-23T10:00:00Z", logs=logs)


def climbed(node: bytes, place: int, size: int, siblings: list[str]) -> str:
    """The root that somebody finds who has nothing but a node, its place (from 0) and the way up."""
    if size == 1:
        return node.hex() if not siblings else ""
    half = 1 << ((size - 1).bit_length() - 1)
    (*rest, last), in_left = siblings, place < half
    below = climbed(node, place, half, rest) if in_left else climbed(node, place - half, size - half, rest)
    pair = (below, last) if in_left else (last, below)
    return hashlib.sha256(b"\x01" + b"".join(map(bytes.fromhex, pair))).hexdigest()


def test_trees_have_the_roots_of_rfc_6962() -> None:
    assert tree_hash([]) == EMPTY_ROOT
    assert [tree_hash(NODES[:size]) for size in range(1, 9)] == ROOTS


@pytest.mark.parametrize("size", range(1, 9))
def test_every_entry_climbs_to_its_root_and_to_no_other(size: int) -> None:
    for place in range(size):
        siblings = path(NODES[:size], place)
        assert climbed(NODES[place], place, size, siblings) == ROOTS[size - 1]
        assert climbed(NODES[(place + 1) % 8], place, size, siblings) not in ROOTS


def test_what_came_after_a_checkpoint_is_no_loss() -> None:
    assert list(checkpoint_of(a_log(5)).problems(a_log(9))) == []


def test_a_log_that_was_cut_off_or_rewritten_so_that_it_fits_is_found_by_the_checkpoint() -> None:
    made = checkpoint_of(a_log(5))
    log = a_log(5)
    forged = replace(log, entries=(replace(log.entries[0], leaf="event:other"), *log.entries[1:]))

    assert [problem.what for problem in made.problems(a_log(4))] == [
        "has 4 entries and had 5 at the checkpoint of 2026-11-23T10:00:00Z: it was cut off"
    ]
    assert [problem.what[:17] for problem in made.problems(forged)] == ["was rewritten: it"]
