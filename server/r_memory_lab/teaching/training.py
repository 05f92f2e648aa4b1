"""Teaches the network from examples."""

import logging
import random
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from r_memory.reading.taught.heads import distance
from r_memory.reading.taught.pieces import Pieces, Vectors
from r_memory_lab.teaching.batches import Chosen, LineBatch, batches, tags
from r_memory_lab.teaching.corpus import CorpusLine
from r_memory_lab.teaching.examples import BEGINS, IGNORED, OUTSIDE, Taught, TaughtBinding, Tokenizer, example
from r_memory_lab.teaching.network import WIDTH, Network, features

logger = logging.getLogger(__name__)


PROGRESS = frozenset({"seed", "epoch", "loss", "lines_per_second"})
"""Facts in the message of each epoch."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """The settings of training."""

    seed: int = 1
    epochs: int = 6
    encoder_rate: float = 1e-4
    heads_rate: float = 1e-3
    frozen: int = 2
    """Lowest layers that are not trained, in addition to the embeddings."""
    warmup: float = 0.1
    decay: float = 0.01
    average: float = 0.998
    """Decay per step of the moving average of the weights, which is the result."""
    smoothing: float = 0.03
    """Share of a status or person that is distributed over all of them."""
    joined: int = 0
    """Last passes in which the files for calibration are used for training too."""
    mined: float = 0.2
    """Probability from which a thing wrongly found by the tagger is trained as stating nothing."""


class TorchEncoder:
    """A network in training as `pieces.Encoder`, for figures without an export."""

    def __init__(self, network: Network, tokenizer: Tokenizer) -> None:
        self._network = network
        self._tokenizer = tokenizer
        self.begin, self.stop = tokenizer.begin, tokenizer.stop

    def pieces(self, text: str) -> Pieces:
        """Returns the pieces of the whole text."""
        return self._tokenizer.pieces(text)

    def vectors(self, ids: tuple[int, ...], second: int) -> Vectors:
        """Returns one row for each piece."""
        types = torch.zeros(1, len(ids), dtype=torch.long)
        types[0, second:] = 1
        with torch.inference_mode():
            states = self._network.encoder(torch.tensor([ids]), types)
        return np.asarray(states[0].numpy(), dtype=np.float32)


class _Frozen:
    """The untrained part of the encoder; its states of a line are computed once and cached."""

    def __init__(self, network: Network, layers: int) -> None:
        self._encoder, self._layers = network.encoder, layers
        self._kept: dict[tuple[int, ...], Tensor] = {}

    def states(self, batch: LineBatch) -> Tensor:
        """Returns the states of every line of the batch."""
        self._work_out(batch, [row for row, item in enumerate(batch.examples) if item.ids not in self._kept])
        states = torch.zeros(*batch.ids.shape, WIDTH)
        for row, item in enumerate(batch.examples):
            states[row, : len(item.ids)] = self._kept[item.ids]
        return states

    def _work_out(self, batch: LineBatch, rows: Sequence[int]) -> None:
        if not rows:
            return
        self._encoder.eval()
        with torch.no_grad(), _half():
            ids, types, mask = batch.ids[rows], batch.types[rows], batch.mask[rows]
            found = self._encoder.lower(ids, types, mask, layers=self._layers).half()
        self._encoder.train()
        for number, row in enumerate(rows):
            one = batch.examples[row]
            self._kept[one.ids] = found[number, : len(one.ids)].clone()


class _Average:
    """A moving average of the trained weights, which is steadier than the last step."""

    def __init__(self, network: Network, decay: float) -> None:
        self._taught = {name: parameter for name, parameter in network.named_parameters() if parameter.requires_grad}
        self._kept = {name: item.detach().clone() for name, item in self._taught.items()}
        self._decay, self._steps = decay, 0

    def step(self) -> None:
        """Adds the present weights to the average."""
        self._steps += 1
        if self._steps % _EVERY == 0:
            decay = min(self._decay, (1 + self._steps) / (10 + self._steps)) ** _EVERY
            for name, item in self._kept.items():
                item.lerp_(self._taught[name].detach(), 1 - decay)

    def swap(self) -> None:
        """Exchanges the network's weights with the average."""
        with torch.no_grad():
            for name, item in self._taught.items():
                kept = self._kept[name].clone()
                self._kept[name].copy_(item)
                item.copy_(kept)


_EVERY = 5


def _half() -> torch.autocast:
    """Returns 16-bit autocasting where the processor multiplies 16-bit numbers; elsewhere it costs 14 times more."""
    can = torch.cpu.get_capabilities()
    return torch.autocast("cpu", dtype=torch.bfloat16, enabled=bool(can.get("avx512_bf16") or can.get("amx_bf16")))


def teach(
    network: Network,
    lines: Callable[[int, random.Random], Sequence[CorpusLine]],
    tokenizer: Tokenizer,
    recipe: Recipe,
    *,
    after: Callable[[int], None] = lambda _: None,
) -> Network:
    """Returns the trained network; deterministic for a seed on the same machine.

    `lines` returns the lines of each pass; `after` is called after each pass, with the averaged weights in place.
    """
    torch.manual_seed(recipe.seed)
    chance = random.Random(recipe.seed)
    network.freeze(layers=recipe.frozen)
    frozen = _Frozen(network, recipe.frozen)
    nobody = tokenizer.pieces("someone :").ids
    optimiser, average = _optimiser(network, recipe), _Average(network, recipe.average)
    network.train()
    for epoch in range(recipe.epochs):
        began, total = time.perf_counter(), 0.0
        examples = [example(line, tokenizer) for line in lines(epoch, chance)]
        drawn = list(batches(examples, nobody=nobody, filler=0, chance=chance))
        for number, batch in enumerate(drawn):
            done = (epoch + number / len(drawn)) / recipe.epochs
            for group, rate in zip(optimiser.param_groups, (recipe.encoder_rate, recipe.heads_rate), strict=True):
                group["lr"] = rate * _rate(done, recipe.warmup)
            lower = frozen.states(batch)
            with _half():
                states = network.encoder.upper(lower, batch.mask, layers=recipe.frozen)
            loss = losses(network, batch, states.float(), recipe)
            optimiser.zero_grad(set_to_none=True)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            optimiser.step()
            average.step()
            total += float(loss.detach())
        pace = len(examples) / (time.perf_counter() - began)
        logger.info(
            "Epoch taught",
            extra={
                "seed": recipe.seed,
                "epoch": epoch + 1,
                "loss": round(total / len(drawn), 4),
                "lines_per_second": round(pace, 1),
            },
        )
        average.swap()
        after(epoch)
        if epoch + 1 < recipe.epochs:
            average.swap()
    network.eval()
    return network


def _optimiser(network: Network, recipe: Recipe) -> torch.optim.Optimizer:
    encoder = [parameter for parameter in network.encoder.parameters() if parameter.requires_grad]
    return torch.optim.AdamW(
        [
            {"params": encoder, "lr": recipe.encoder_rate},
            {"params": network.heads.parameters(), "lr": recipe.heads_rate},
        ],
        weight_decay=recipe.decay,
        fused=True,
    )


def _rate(done: float, warmup: float) -> float:
    """Returns the learning rate's factor: rises to 1, then falls to 0.

    >>> _rate(0.05, 0.1), _rate(0.1, 0.1), _rate(1.0, 0.1)
    (0.5, 1.0, 0.0)
    """
    return done / warmup if done < warmup else max(0.0, (1 - done) / (1 - warmup))


def losses(network: Network, batch: LineBatch, states: Tensor, recipe: Recipe) -> Tensor:
    """Returns the loss to minimise; `states` are the encoder's."""
    total = states.new_zeros(())
    for number, domain in enumerate(batch.domains):
        share = sum(1 for item in batch.examples if item.domain.name == domain) / len(batch.examples)
        total = total + share * (
            _tag_losses(network, batch, domain, states)
            + _span_losses(
                network, domain, states, (*batch.spans[number], *_mined(network, batch, domain, states, recipe)), recipe
            )
            + _binding_losses(network, domain, states, batch.bindings[number])
        )
    return total


def _tag_losses(network: Network, batch: LineBatch, domain: str, states: Tensor) -> Tensor:
    own = network.heads.own[domain]
    total = states.new_zeros(())
    for name, details in (("tags", False), ("details", True)):
        rows, wanted = tags(batch, domain, details=details)
        logits = own[name](network.heads.dropout(states[rows]))
        total = total + functional.cross_entropy(logits.flatten(0, 1), wanted.flatten(), ignore_index=IGNORED)
    return total


def _mined(network: Network, batch: LineBatch, domain: str, states: Tensor, recipe: Recipe) -> Iterator[Chosen]:
    """Yields what the tagger takes for a thing where nothing is marked."""
    rows, wanted = tags(batch, domain, details=False)
    with torch.no_grad():
        begins = network.heads.own[domain]["tags"](states[rows]).softmax(dim=-1)[..., BEGINS]
    for index, at in torch.nonzero((begins >= recipe.mined) & (wanted == OUTSIDE)).tolist():
        row = int(rows[index])
        one = batch.examples[row]
        word = next(word for word in one.words if word[0] == at)
        if not any(word[0] < other.span[1] and other.span[0] < word[1] for other in one.taught):
            yield Chosen(row=row, taught=Taught(span=word, relations=()))


def _span_losses(network: Network, domain: str, states: Tensor, spans: Sequence[Chosen], recipe: Recipe) -> Tensor:
    if not spans:
        return states.new_zeros(())
    heads = network.heads
    read, stance = heads.read(_features(states, [(item.row, item.taught.span) for item in spans]))
    logits = heads.own[domain]["relations"](read)
    wanted = torch.zeros_like(logits)
    for row, span in enumerate(spans):
        wanted[row, list(span.taught.relations) or [-1]] = 1
    weights = torch.tensor([[item.taught.weight] for item in spans])
    total = logits.shape[1] * functional.binary_cross_entropy_with_logits(logits, wanted, weight=weights)
    stated = [
        (row, *numbers)
        for row, span in enumerate(spans)
        for numbers in zip(span.taught.relations, span.taught.statuses, span.taught.persons, strict=True)
    ]
    if stated:
        rows, relations, statuses, persons = torch.tensor(stated).T
        total = total + functional.cross_entropy(
            heads.statuses(domain, stance)[rows, relations], statuses, label_smoothing=recipe.smoothing
        )
        total = total + functional.cross_entropy(
            heads.persons(domain, stance)[rows, relations], persons, label_smoothing=recipe.smoothing
        )
    known = [row for row, span in enumerate(spans) if span.taught.classes]
    for index, name in enumerate(heads.domains[domain].classes if known else ()):
        values = torch.tensor([spans[row].taught.classes[index] for row in known])
        total = total + 0.5 * functional.cross_entropy(heads.own[domain][name](stance[known]), values)
    return total


def _binding_losses(
    network: Network, domain: str, states: Tensor, found: Sequence[tuple[int, TaughtBinding]]
) -> Tensor:
    if not found:
        return states.new_zeros(())
    heads = network.heads
    things = heads.shared["thing"](_features(states, [(row, item.thing) for row, item in found]))
    details = heads.shared["detail"](_features(states, [(row, item.detail) for row, item in found]))
    kinds = torch.tensor([item.kind for _, item in found])
    layer = heads.own[domain]["binding"]
    apart = torch.tensor([distance(item.thing, item.detail) for _, item in found])
    logits = (things * details * layer.weight[kinds]).sum(dim=1) + layer.bias[kinds]
    logits = logits + heads.distance[domain][kinds, apart]
    wanted = torch.tensor([float(item.belongs) for _, item in found])
    return 0.5 * functional.binary_cross_entropy_with_logits(logits, wanted)


def _features(states: Tensor, spans: Sequence[tuple[int, tuple[int, int]]]) -> Tensor:
    rows, firsts, lasts = torch.tensor([(row, *span) for row, span in spans]).T
    return features(states, rows, firsts, lasts)
