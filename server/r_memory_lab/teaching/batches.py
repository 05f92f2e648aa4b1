"""Examples together as tensors, lines of like length in one batch; spans are drawn anew each time."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from r_memory_lab.teaching.examples import IGNORED, Taught, TaughtBinding, TrainingExample, moved, negatives

_PIECES = 480
"""Pieces of one batch with padding, about twenty lines. With sixty lines the same passes taught a third as much."""
_NEGATIVES = 4
_MOVED = 0.25
"""Share of spans that are shifted as a dictionary's mention might be."""
_UNKNOWN = 0.1
"""Share of lines with an unknown speaker."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """A span of a batch."""

    row: int
    taught: Taught


@dataclass(frozen=True, slots=True, kw_only=True)
class LineBatch:
    """Lines of any domains."""

    ids: Tensor
    types: Tensor
    mask: Tensor
    examples: tuple[TrainingExample, ...]
    spans: tuple[tuple[Chosen, ...], ...]
    """For each domain of `domains`, in order."""
    bindings: tuple[tuple[tuple[int, TaughtBinding], ...], ...]
    """For each domain: row and binding."""
    domains: tuple[str, ...]


def batches(
    examples: Sequence[TrainingExample], *, nobody: tuple[int, ...], filler: int, chance: random.Random
) -> Iterator[LineBatch]:
    """Yields all examples once, in random batches of similar length; `nobody` are the pieces of an unknown speaker."""
    order = sorted(examples, key=lambda one: len(one.ids) + chance.uniform(-2, 2))
    groups: list[list[TrainingExample]] = [[]]
    for example in order:
        if groups[-1] and len(example.ids) * (len(groups[-1]) + 1) > _PIECES:
            groups.append([])
        groups[-1].append(example)
    chance.shuffle(groups)
    for group in groups:
        yield _batch([_spoken(item, nobody, chance) for item in group], filler=filler, chance=chance)


def _spoken(example: TrainingExample, nobody: tuple[int, ...], chance: random.Random) -> TrainingExample:
    """Returns the line, perhaps with an unknown speaker if that takes as many pieces."""
    first, last = example.speaker
    if last - first != len(nobody) or chance.random() >= _UNKNOWN:
        return example
    return replace(example, ids=(*example.ids[:first], *nobody, *example.ids[last:]))


def _batch(examples: Sequence[TrainingExample], *, filler: int, chance: random.Random) -> LineBatch:
    length = max(len(example.ids) for example in examples)
    ids = torch.full((len(examples), length), filler)
    types, mask = torch.zeros_like(ids), torch.zeros_like(ids, dtype=torch.bool)
    for row, item in enumerate(examples):
        ids[row, : len(item.ids)] = torch.tensor(item.ids)
        types[row, item.second : len(item.ids)] = 1
        mask[row, : len(item.ids)] = True
    domains = tuple(sorted({example.domain.name for example in examples}))
    return LineBatch(
        ids=ids,
        types=types,
        mask=mask,
        examples=tuple(examples),
        domains=domains,
        spans=tuple(
            tuple(
                Chosen(row=row, taught=taught)
                for row, item in enumerate(examples)
                if item.domain.name == domain
                for taught in _drawn(item, chance)
            )
            for domain in domains
        ),
        bindings=tuple(
            tuple(
                (row, binding)
                for row, item in enumerate(examples)
                if item.domain.name == domain
                for binding in item.bindings
            )
            for domain in domains
        ),
    )


def _drawn(example: TrainingExample, chance: random.Random) -> Iterator[Taught]:
    for taught in example.taught:
        span = moved(taught, example, chance=chance) if chance.random() < _MOVED else taught.span
        yield replace(taught, span=span)
    yield from negatives(example, many=_NEGATIVES, chance=chance)


def tags(batch: LineBatch, domain: str, *, details: bool) -> tuple[Tensor, Tensor]:
    """Returns the rows of one domain, and the tags of their pieces."""
    rows = [row for row, example in enumerate(batch.examples) if example.domain.name == domain]
    length = batch.ids.shape[1]
    wanted = torch.full((len(rows), length), IGNORED)
    for index, row in enumerate(rows):
        found = batch.examples[row].details if details else batch.examples[row].things
        wanted[index, : len(found)] = torch.tensor(found)
    return torch.tensor(rows), wanted
