"""The encoder and its heads in torch, with the names and shapes that `r_memory.reading.taught.heads` reads."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file
from torch import Tensor, nn
from torch.nn import functional

from r_memory.reading.taught.heads import DISTANCES
from r_memory_lab.teaching.domains import DOMAINS, STATUSES, Domain

WIDTH, LAYERS, ATTENTION, INNER = 384, 6, 12, 1536
HIDDEN, BOUND = 256, 64
_EPSILON = 1e-12
_DROPOUT = 0.1


class BertLayer(nn.Module):
    """One layer of BERT."""

    def __init__(self) -> None:
        super().__init__()
        self.query, self.key, self.value, self.mixed = (nn.Linear(WIDTH, WIDTH) for _ in range(4))
        self.attended, self.out = nn.LayerNorm(WIDTH, eps=_EPSILON), nn.LayerNorm(WIDTH, eps=_EPSILON)
        self.wide, self.narrow = nn.Linear(WIDTH, INNER), nn.Linear(INNER, WIDTH)
        self.dropout = nn.Dropout(_DROPOUT)

    def forward(self, states: Tensor, mask: Tensor | None) -> Tensor:
        """Returns the next states; `mask` is true where there is a piece."""
        rows, length, _ = states.shape
        query, key, value = (
            part(states).view(rows, length, ATTENTION, WIDTH // ATTENTION).transpose(1, 2)
            for part in (self.query, self.key, self.value)
        )
        attended = (
            _attended(query, key, value, mask)
            if self.training
            else functional.scaled_dot_product_attention(query, key, value, attn_mask=mask)
        )
        attended = attended.transpose(1, 2).reshape(rows, length, WIDTH)
        states = self.attended(states + self.dropout(self.mixed(attended)))
        return self.out(states + self.dropout(self.narrow(functional.gelu(self.wide(states)))))


def _attended(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None) -> Tensor:
    """Returns the same as torch's attention, whose gradient takes three times as long on short lines."""
    scores = query @ key.transpose(-1, -2) * query.shape[-1] ** -0.5
    if mask is not None:
        scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
    return torch.softmax(scores, dim=-1).to(value.dtype) @ value


class BertEncoder(nn.Module):
    """BERT in the size of MiniLM-L6."""

    def __init__(self, *, vocabulary: int = 30522, positions: int = 512) -> None:
        super().__init__()
        self.pieces = nn.Embedding(vocabulary, WIDTH)
        self.positions = nn.Embedding(positions, WIDTH)
        self.types = nn.Embedding(2, WIDTH)
        self.norm = nn.LayerNorm(WIDTH, eps=_EPSILON)
        self.layers = nn.ModuleList(BertLayer() for _ in range(LAYERS))
        self.dropout = nn.Dropout(_DROPOUT)

    def forward(self, pieces: Tensor, types: Tensor, mask: Tensor | None = None) -> Tensor:
        """Returns a vector for each piece; `mask` is true where there is a piece, `None` if everywhere."""
        return self.upper(self.lower(pieces, types, mask, layers=0), mask, layers=0)

    def lower(self, pieces: Tensor, types: Tensor, mask: Tensor | None, *, layers: int) -> Tensor:
        """Returns the states after the embeddings and the first `layers` layers."""
        places = torch.arange(pieces.shape[1], device=pieces.device)
        states = self.dropout(self.norm(self.pieces(pieces) + self.positions(places) + self.types(types)))
        return self._through(states, mask, 0, layers)

    def upper(self, states: Tensor, mask: Tensor | None, *, layers: int) -> Tensor:
        """Returns the states after the layers above the first `layers`."""
        return self._through(states, mask, layers, LAYERS)

    def _through(self, states: Tensor, mask: Tensor | None, first: int, last: int) -> Tensor:
        wide = None if mask is None else mask[:, None, None, :]
        for layer in self.layers[first:last]:
            states = layer(states, wide)
        return states


class DomainHeads(nn.Module):
    """The heads of all domains; `arrays` returns them in the reader's form."""

    def __init__(self, domains: Mapping[str, Domain] = DOMAINS) -> None:
        super().__init__()
        self.domains = dict(domains)
        self.shared = nn.ModuleDict(
            {
                "relation": nn.Linear(4 * WIDTH, HIDDEN),
                "stance": nn.Linear(4 * WIDTH, HIDDEN),
                "thing": nn.Linear(4 * WIDTH, BOUND),
                "detail": nn.Linear(4 * WIDTH, BOUND),
            }
        )
        # One status means the same in every domain and relation: what differs is learnt on top of what they share.
        self.status = nn.Linear(HIDDEN, len(STATUSES))
        self.own = nn.ModuleDict({name: self._own(domain) for name, domain in domains.items()})
        self.distance = nn.ParameterDict(
            {name: nn.Parameter(torch.zeros(len(item.attributes), 2 * DISTANCES + 1)) for name, item in domains.items()}
        )
        self.dropout = nn.Dropout(_DROPOUT)

    def _own(self, domain: Domain) -> nn.ModuleDict:
        many = len(domain.relations)
        layers = nn.ModuleDict(
            {
                "tags": nn.Linear(WIDTH, 3),
                "details": nn.Linear(WIDTH, 1 + 2 * len(domain.attributes)),
                "relations": nn.Linear(HIDDEN, many + 1),
                "statuses": nn.Linear(HIDDEN, many * len(STATUSES)),
                "persons": nn.Linear(HIDDEN, many * len(domain.persons)),
                "person": nn.Linear(HIDDEN, len(domain.persons)),
                "binding": nn.Linear(BOUND, len(domain.attributes)),
                **{name: nn.Linear(HIDDEN, len(values)) for name, values in domain.classes.items()},
            }
        )
        for name in ("statuses", "persons"):
            nn.init.zeros_(layers[name].weight)
            nn.init.zeros_(layers[name].bias)
        return layers

    def read(self, features: Tensor) -> tuple[Tensor, Tensor]:
        """Returns for each span the features for relations, and those for status and person."""
        features = self.dropout(features)
        hidden = (functional.relu(self.shared[name](features)) for name in ("relation", "stance"))
        first, second = (self.dropout(item) for item in hidden)
        return first, second

    def statuses(self, domain: str, stance: Tensor) -> Tensor:
        """Returns logits of shape spans, relations, statuses."""
        own = self.own[domain]["statuses"](stance).view(len(stance), -1, len(STATUSES))
        return own + self.status(stance)[:, None, :]

    def persons(self, domain: str, stance: Tensor) -> Tensor:
        """Returns logits of shape spans, relations, persons."""
        every = self.own[domain]["person"](stance)
        own = self.own[domain]["persons"](stance).view(len(stance), -1, every.shape[-1])
        return own + every[:, None, :]

    def arrays(self) -> dict[str, Any]:
        """Returns the arrays by the reader's names; shared ones are added to each domain's own."""
        layers = dict(self.shared.items())
        found: dict[str, Any] = {}
        for name, layer in layers.items():
            found[f"{name}.weight"], found[f"{name}.bias"] = layer.weight, layer.bias
        for domain, own in self.own.items():
            many = len(self.domains[domain].relations)
            shared = {"statuses": self.status, "persons": own["person"]}
            for name, layer in own.items():
                if name == "person":
                    continue
                weight, bias = layer.weight, layer.bias
                if name in shared:
                    weight = weight + shared[name].weight.repeat(many, 1)
                    bias = bias + shared[name].bias.repeat(many)
                found[f"{domain}.{name}.weight"], found[f"{domain}.{name}.bias"] = weight, bias
            found[f"{domain}.distance"] = self.distance[domain]
        return {name: array.detach().cpu().numpy().astype("float32") for name, array in found.items()}


class Network(nn.Module):
    """Encoder and heads."""

    def __init__(self, domains: Mapping[str, Domain] = DOMAINS) -> None:
        super().__init__()
        self.encoder = BertEncoder()
        self.heads = DomainHeads(domains)

    def freeze(self, *, layers: int) -> None:
        """Freezes the embeddings and the first `layers` layers."""
        for part in (self.encoder.pieces, self.encoder.positions, self.encoder.types, self.encoder.norm):
            part.requires_grad_(requires_grad=False)
        for layer in list(self.encoder.layers)[:layers]:
            layer.requires_grad_(requires_grad=False)


def features(states: Tensor, rows: Tensor, firsts: Tensor, lasts: Tensor) -> Tensor:
    """Returns span features as `r_memory.reading.taught.heads.span_features`, for many lines."""
    sums = functional.pad(states.cumsum(dim=1), (0, 0, 1, 0))
    mean = (sums[rows, lasts] - sums[rows, firsts]) / (lasts - firsts)[:, None]
    return torch.cat((states[rows, firsts], states[rows, lasts - 1], mean, states[rows, 0]), dim=1)


def load_start(network: Network, file: Path) -> None:
    """Loads a BERT's weights with their usual names (`model.safetensors`) into the encoder."""
    names = {
        "attention.self.query": "query",
        "attention.self.key": "key",
        "attention.self.value": "value",
        "attention.output.dense": "mixed",
        "attention.output.LayerNorm": "attended",
        "intermediate.dense": "wide",
        "output.dense": "narrow",
        "output.LayerNorm": "out",
    }
    above = {"word_embeddings": "pieces", "position_embeddings": "positions", "token_type_embeddings": "types"}
    found = {}
    for name, tensor in load_file(file).items():
        stem, _, kind = name.rpartition(".")
        if stem.startswith("embeddings."):
            part = stem.removeprefix("embeddings.")
            found[f"{above.get(part, 'norm')}.{kind}"] = tensor
        elif stem.startswith("encoder.layer."):
            number, _, part = stem.removeprefix("encoder.layer.").partition(".")
            found[f"layers.{number}.{names[part]}.{kind}"] = tensor
    found.pop("norm.position_ids", None)
    network.encoder.load_state_dict(
        {name: tensor for name, tensor in found.items() if not name.endswith("position_ids")}
    )
