"""Teaches the network from examples."""

import logging
import random
import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from r_memory.reading.taught.heads import distance
from r_memory.reading.taught.pieces import Pieces, Vectors
from r_memory_lab.teaching.batches import Batch, Chosen, batches, tags
from r_memory_lab.teaching.examples import IGNORED, Binding, Example, Tokenizer
from r_memory_lab.teaching.network import WIDTH, Network, features

logger = logging.getLogger(__name__)


PROGRESS = frozenset({"seed", "epoch", "loss", "lines_per_second"})
"""Facts beside the message of each epoch."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """How the network is taught."""

    seed: int = 1
    epochs: int = 6
    encoder_rate: float = 1e-4
    heads_rate: float = 1e-3
    frozen: int = 2
    """Layers from the bottom that stay as they are, beside the embeddings."""
    warmup: float = 0.1
    decay: float = 0.01


class TorchEncoder:
    """A network in training as `pieces.Encoder`, for figures without an export."""

    def __init__(self, network: Network, tokenizer: Tokenizer) -> None:
        self._network = network
        self._tokenizer = tokenizer
        self.begin, self.stop = tokenizer.begin, tokenizer.stop

    def pieces(self, text: str) -> Pieces:
        """The whole text."""
        return self._tokenizer.pieces(text)

    def vectors(self, ids: tuple[int, ...], second: int) -> Vectors:
        """One row for each piece."""
        types = torch.zeros(1, len(ids), dtype=torch.long)
        types[0, second:] = 1
        with torch.inference_mode():
            states = self._network.encoder(torch.tensor([ids]), types)
        return np.asarray(states[0].numpy(), dtype=np.float32)


class _Frozen:
    """The part of the encoder that is not taught: what it makes of a line is worked out once and kept."""

    def __init__(self, network: Network, layers: int) -> None:
        self._encoder, self._layers = network.encoder, layers
        self._kept: dict[tuple[int, ...], Tensor] = {}

    def states(self, batch: Batch) -> Tensor:
        """Of every line of the batch."""
        if not all(one.ids in self._kept for one in batch.examples):
            self._keep(batch)
        states = torch.zeros(*batch.ids.shape, WIDTH)
        for row, one in enumerate(batch.examples):
            states[row, : len(one.ids)] = self._kept[one.ids]
        return states

    def _keep(self, batch: Batch) -> None:
        self._encoder.eval()
        with torch.no_grad():
            found = self._encoder.lower(batch.ids, batch.types, batch.mask, layers=self._layers).half()
        self._encoder.train()
        for row, one in enumerate(batch.examples):
            self._kept[one.ids] = found[row, : len(one.ids)].clone()


def teach(network: Network, examples: Sequence[Example], tokenizer: Tokenizer, recipe: Recipe) -> Network:
    """The network, taught; the same for the same seed on the same machine."""
    torch.manual_seed(recipe.seed)
    chance = random.Random(recipe.seed)  # noqa: S311 - draws lines, keeps no secret
    network.freeze(layers=recipe.frozen)
    frozen = _Frozen(network, recipe.frozen)
    nobody = tokenizer.pieces("someone :").ids
    steps_of_epoch = sum(1 for _ in batches(examples, nobody=nobody, filler=0, chance=random.Random(0)))  # noqa: S311
    optimiser = _optimiser(network, recipe)
    steps = recipe.epochs * steps_of_epoch
    schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, lambda step: _rate(step / steps, recipe.warmup))
    network.train()
    for epoch in range(recipe.epochs):
        began, total = time.perf_counter(), 0.0
        for batch in batches(examples, nobody=nobody, filler=0, chance=chance):
            states = network.encoder.upper(frozen.states(batch), batch.mask, layers=recipe.frozen)
            loss = losses(network, batch, states)
            optimiser.zero_grad(set_to_none=True)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            optimiser.step()
            schedule.step()
            total += float(loss.detach())
        pace = len(examples) / (time.perf_counter() - began)
        logger.info(
            "Epoch taught",
            extra={
                "seed": recipe.seed,
                "epoch": epoch + 1,
                "loss": round(total / steps_of_epoch, 4),
                "lines_per_second": round(pace, 1),
            },
        )
    network.eval()
    return network


def _optimiser(network: Network, recipe: Recipe) -> torch.optim.Optimizer:
    encoder = [one for one in network.encoder.parameters() if one.requires_grad]
    return torch.optim.AdamW(
        [
            {"params": encoder, "lr": recipe.encoder_rate},
            {"params": network.heads.parameters(), "lr": recipe.heads_rate},
        ],
        weight_decay=recipe.decay,
    )


def _rate(done: float, warmup: float) -> float:
    """Rises to one, then falls to nothing.

    >>> _rate(0.05, 0.1), _rate(0.1, 0.1), _rate(1.0, 0.1)
    (0.5, 1.0, 0.0)
    """
    return done / warmup if done < warmup else max(0.0, (1 - done) / (1 - warmup))


def losses(network: Network, batch: Batch, states: Tensor) -> Tensor:
    """What is to be made small; `states` are the encoder's."""
    total = states.new_zeros(())
    for number, domain in enumerate(batch.domains):
        share = sum(1 for one in batch.examples if one.domain.name == domain) / len(batch.examples)
        total = total + share * (
            _tag_losses(network, batch, domain, states)
            + _span_losses(network, domain, states, batch.spans[number])
            + _binding_losses(network, domain, states, batch.bindings[number])
        )
    return total


def _tag_losses(network: Network, batch: Batch, domain: str, states: Tensor) -> Tensor:
    own = network.heads.own[domain]
    total = states.new_zeros(())
    for name, details in (("tags", False), ("details", True)):
        rows, wanted = tags(batch, domain, details=details)
        logits = own[name](network.heads.dropout(states[rows]))
        total = total + functional.cross_entropy(logits.flatten(0, 1), wanted.flatten(), ignore_index=IGNORED)
    return total


def _span_losses(network: Network, domain: str, states: Tensor, spans: Sequence[Chosen]) -> Tensor:
    if not spans:
        return states.new_zeros(())
    heads = network.heads
    read, stance = heads.read(_features(states, [(one.row, one.taught.span) for one in spans]))
    logits = heads.own[domain]["relations"](read)
    wanted = torch.zeros_like(logits)
    for row, one in enumerate(spans):
        wanted[row, list(one.taught.relations) or [-1]] = 1
    weights = torch.tensor([[one.taught.weight] for one in spans])
    total = logits.shape[1] * functional.binary_cross_entropy_with_logits(logits, wanted, weight=weights)
    stated = [
        (row, *numbers)
        for row, one in enumerate(spans)
        for numbers in zip(one.taught.relations, one.taught.statuses, one.taught.persons, strict=True)
    ]
    if stated:
        rows, relations, statuses, persons = torch.tensor(stated).T
        total = total + functional.cross_entropy(heads.statuses(domain, stance)[rows, relations], statuses)
        total = total + functional.cross_entropy(heads.persons(domain, stance)[rows, relations], persons)
    known = [row for row, one in enumerate(spans) if one.taught.classes]
    for index, name in enumerate(heads.domains[domain].classes if known else ()):
        values = torch.tensor([spans[row].taught.classes[index] for row in known])
        total = total + 0.5 * functional.cross_entropy(heads.own[domain][name](stance[known]), values)
    return total


def _binding_losses(network: Network, domain: str, states: Tensor, found: Sequence[tuple[int, Binding]]) -> Tensor:
    if not found:
        return states.new_zeros(())
    heads = network.heads
    things = heads.shared["thing"](_features(states, [(row, one.thing) for row, one in found]))
    details = heads.shared["detail"](_features(states, [(row, one.detail) for row, one in found]))
    kinds = torch.tensor([one.kind for _, one in found])
    layer = heads.own[domain]["binding"]
    apart = torch.tensor([distance(one.thing, one.detail) for _, one in found])
    logits = (things * details * layer.weight[kinds]).sum(dim=1) + layer.bias[kinds]
    logits = logits + heads.distance[domain][kinds, apart]
    wanted = torch.tensor([float(one.belongs) for _, one in found])
    return 0.5 * functional.binary_cross_entropy_with_logits(logits, wanted)


def _features(states: Tensor, spans: Sequence[tuple[int, tuple[int, int]]]) -> Tensor:
    rows, firsts, lasts = torch.tensor([(row, *span) for row, span in spans]).T
    return features(states, rows, firsts, lasts)
